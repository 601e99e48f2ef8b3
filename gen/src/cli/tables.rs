//! What the commands print: tables for people, JSON for programs.

use crate::export::{Manifest, Package, Record};
use anstyle::{AnsiColor, Style};
use comfy_table::{presets, Table};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Direction;
use heddle_sim::cli::error::CliError;
use std::path::Path;

/// Headlines.
const HEAD: Style = AnsiColor::Cyan.on_default().bold();

/// The record of an entry that was not exported: no files.
fn record(entry: &Entry) -> Record {
    Record {
        block: entry.block.to_string(),
        point: entry.point.to_string(),
        module: entry.module(),
        summary: entry.summary.to_string(),
        timing: entry.timing.to_string(),
        parameters: entry.parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        ports: (entry.ports)().iter().map(Into::into).collect(),
        file_list: format!("{}.f", entry.module()),
        files: Vec::new(),
    }
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    table
}

/// Prints the blocks and their points.
pub fn list(entries: &[Entry], json: bool) -> Result<(), CliError> {
    if json {
        anstream::print!("{}", Manifest::new(entries.iter().map(record).collect()).to_text());
        return Ok(());
    }
    let mut blocks: Vec<&str> = entries.iter().map(|entry| entry.block).collect();
    blocks.dedup();
    for block in blocks {
        let points: Vec<&Entry> = entries.iter().filter(|entry| entry.block == block).collect();
        let names: Vec<&str> = points.iter().map(|entry| entry.point).collect();
        anstream::println!("{HEAD}{block}{HEAD:#}  {}", points[0].summary);
        anstream::println!("    {}", names.join("  "));
    }
    Ok(())
}

/// Prints the ports, parameters and timing of a block.
pub fn show(entry: &Entry, points: &[&str], json: bool) -> Result<(), CliError> {
    if json {
        anstream::print!("{}", Manifest::new(vec![record(entry)]).to_text());
        return Ok(());
    }
    anstream::println!("{HEAD}{}{HEAD:#} at {}\n{}\n", entry.block, entry.point, entry.summary);
    let mut parameters = table(&["parameter", "value"]);
    for (name, value) in &entry.parameters {
        parameters.add_row([name.to_string(), value.to_string()]);
    }
    let mut ports = table(&["port", "direction", "width", "meaning"]);
    for port in (entry.ports)() {
        let direction = if port.direction == Direction::In { "in" } else { "out" };
        ports.add_row([port.name, direction, &port.width.to_string(), port.meaning]);
    }
    anstream::println!("{parameters}\n\n{ports}\n\n{HEAD}Timing{HEAD:#} {}", entry.timing);
    if points.len() > 1 {
        anstream::println!("{HEAD}Points{HEAD:#} {}", points.join(", "));
    }
    Ok(())
}

/// Prints what was exported.
pub fn written(folder: &Path, packages: &[Package]) {
    let mut exports = table(&["export", "modules", "lines"]);
    for package in packages {
        let verilog = package.files.iter().filter(|(name, _)| name.ends_with(".v"));
        let lines: usize = verilog.clone().map(|(_, text)| text.lines().count()).sum();
        exports.add_row([package.name.clone(), verilog.count().to_string(), lines.to_string()]);
    }
    anstream::println!("{exports}\n\nwritten to {}", folder.display());
}
