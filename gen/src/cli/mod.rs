//! The door `cargo export`.

mod tables;

use crate::export::{select, store, Manifest, Package};
use clap::{Parser, Subcommand};
use heddle_hdl::points::{entries, Entry};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::check_interrupt;
use std::path::PathBuf;

/// Writes Heddle's blocks as Verilog, each with its manifest, file list and core files.
#[derive(Debug, Parser)]
#[command(name = "cargo export", bin_name = "cargo export", version, args_conflicts_with_subcommands = true)]
#[command(after_help = "Exit codes: 0 fine, 2 bad input, 3 an internal error, 130 interrupted.")]
pub struct Arguments {
    /// Something else than to export.
    #[command(subcommand)]
    command: Option<Command>,
    /// Only this block; may be repeated (all, if absent).
    #[arg(long, value_name = "BLOCK")]
    block: Vec<String>,
    /// Only this parameter point; may be repeated (all, if absent).
    #[arg(long, value_name = "POINT")]
    point: Vec<String>,
    /// The folder of the exports.
    #[arg(long, value_name = "DIR", default_value = "build/export")]
    out: PathBuf,
    /// Print the manifest of what was written, as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the blocks and their parameter points.
    List {
        /// As JSON: the manifest's fields, with no files.
        #[arg(long)]
        json: bool,
    },
    /// Shows a block's ports, parameters and timing.
    Show {
        /// The block.
        block: String,
        /// The parameter point (the first of the block, if absent).
        #[arg(long, value_name = "POINT")]
        point: Option<String>,
        /// As JSON: the manifest of this block.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
///
/// # Errors
/// Whatever ends a command badly.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    match &arguments.command {
        Some(Command::List { json }) => tables::list(&entries(), *json),
        Some(Command::Show { block, point, json }) => {
            let points: Vec<String> = point.iter().cloned().collect();
            let chosen = select(entries(), std::slice::from_ref(block), &points)?;
            let points: Vec<&str> = chosen.iter().map(|entry| entry.point).collect();
            tables::show(&chosen[0], &points, *json)
        }
        None => export(arguments),
    }
}

fn export(arguments: &Arguments) -> Result<(), CliError> {
    let mut packages = Vec::new();
    for entry in select(entries(), &arguments.block, &arguments.point)? {
        check_interrupt()?;
        packages.push(package(&entry)?);
    }
    store::write(&arguments.out, &packages)?;
    if arguments.json {
        let records = packages.into_iter().map(|package| package.record).collect();
        anstream::print!("{}", Manifest::new(records).to_text());
    } else {
        tables::written(&arguments.out, &packages);
    }
    Ok(())
}

/// A block of the list that cannot be translated is a mistake of ours.
fn package(entry: &Entry) -> Result<Package, CliError> {
    Package::build(entry).map_err(|error| CliError::Internal(format!("{error}\n  hint: {}", error.hint)))
}
