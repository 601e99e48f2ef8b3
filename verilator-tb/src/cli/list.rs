//! `cargo tb list`: the blocks that lockstep knows, or the cores.

use super::{lockstep_entries, smallest};
use crate::core_lockstep::CORES;
use crate::lockstep::campaign::blocks;
use clap::Args;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{print, print_json};
use serde::Serialize;

/// The options of `list`.
#[derive(Clone, Debug, Args)]
pub struct ListArguments {
    /// The control cores, which have a lockstep and no bench of their own: what drives them is the machine that runs kernels
    #[arg(long)]
    pub cores: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ListDocument {
    blocks: Vec<Block>,
}

#[derive(Debug, Serialize)]
struct Block {
    block: &'static str,
    points: Vec<&'static str>,
    smallest: &'static str,
}

/// Prints the blocks, or the cores, a line each.
///
/// # Errors
/// Output that cannot be written.
pub fn run(arguments: &ListArguments) -> Result<(), CliError> {
    let names: Vec<&'static str> = if arguments.cores { CORES.to_vec() } else { blocks().collect() };
    if !arguments.json {
        return print(&names.iter().map(|block| format!("{block}\n")).collect::<String>());
    }
    let described = names.into_iter().map(|block| {
        let entries = lockstep_entries(block, &[])?;
        let points = entries.iter().map(|entry| entry.point).collect();
        Ok(Block { block, points, smallest: smallest(block, entries)?.point })
    });
    let blocks = described.collect::<Result<_, CliError>>()?;
    print_json(&Document::new("heddle.blocks", ListDocument { blocks }))
}
