//! `cargo tb coverage`: what lockstep traffic reaches of the exports of blocks.

use super::smallest_entry;
use crate::coverage::{measure, Report, LINES_WANTED, TABLE, TOGGLES_WANTED};
use crate::lockstep::campaign::{blocks, Plan, Watch};
use clap::Args;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use heddle_sim::cli::interrupt::interrupted;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{print, print_json, ProgressReport};
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// The options of `coverage`.
#[derive(Clone, Debug, Args)]
pub struct CoverageArguments {
    /// The blocks (all), or cores, of which counts what they have beside their blocks
    #[arg(value_name = "BLOCK")]
    pub blocks: Vec<String>,
    /// The parameter point of the block (each block's smallest)
    #[arg(long, value_name = "P", requires = "blocks")]
    pub point: Option<String>,
    /// Cycles of traffic; some of it runs once more from random registers and memories, as in lockstep
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub cycles: u64,
    /// Names all traffic
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Folder for a text of each block: its modules, and every line and bit that was not met
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Also put the numbers into this document, between its marks
    #[arg(long, value_name = "FILE")]
    pub document: Option<PathBuf>,
    /// Print the numbers only: a share below the goal is no failure
    #[arg(long)]
    pub lenient: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct CoverageDocument<'a> {
    seed: u64,
    blocks: &'a [Report],
}

/// Shows the cycles of all blocks together.
struct Progress {
    done: AtomicU64,
    total: u64,
    bar: Mutex<ProgressReport>,
}

impl Watch for Progress {
    fn passed(&self, cycles: u64) -> bool {
        let done = self.done.fetch_add(cycles, Ordering::Relaxed) + cycles;
        if let Ok(mut bar) = self.bar.lock() {
            bar.update(done.min(self.total), || format!("{done} of {} cycles", self.total));
        }
        !interrupted()
    }
}

/// Measures a block, or all.
///
/// # Errors
/// Bad input, a missing tool, Ctrl-C, or a share below the goal.
pub fn run(arguments: &CoverageArguments) -> Result<(), CliError> {
    let mut names: Vec<&str> = arguments.blocks.iter().map(String::as_str).collect();
    if names.is_empty() {
        names = blocks().collect();
    }
    let point = arguments.point.as_deref();
    let entries = names.into_iter().map(|name| smallest_entry(name, point)).collect::<Result<Vec<Entry>, _>>()?;
    let plan = Plan { cycles: arguments.cycles, seed: arguments.seed, alone: false };
    let total = plan.cycles * entries.len() as u64;
    let progress = Progress { done: AtomicU64::new(0), total, bar: Mutex::new(ProgressReport::new(Some(total))) };
    let reports =
        entries.par_iter().map(|entry| measure(entry, plan, &progress)).collect::<Result<Vec<Report>, CliError>>()?;
    drop(progress);
    if let Some(folder) = &arguments.report {
        std::fs::create_dir_all(folder).map_err(|cause| files::unwritable(folder, &cause))?;
        for report in &reports {
            let path = folder.join(format!("{}_{}.txt", report.block, report.point));
            files::write_atomically(&path, report.text(true).as_bytes())?;
        }
    }
    if arguments.json {
        print_json(&Document::new("heddle.coverage", CoverageDocument { seed: arguments.seed, blocks: &reports }))?;
    } else {
        print(&reports.iter().map(|report| report.text(false)).collect::<String>())?;
    }
    if let Some(path) = &arguments.document {
        TABLE.write(path, &reports.iter().map(Report::row).collect::<Vec<_>>())?;
    }
    match reports.iter().filter(|report| !report.is_met()).count() {
        0 => Ok(()),
        _ if arguments.lenient => Ok(()),
        short => Err(CliError::Check(format!(
            "{short} of {} blocks are below {LINES_WANTED} % of lines or {TOGGLES_WANTED} % of toggles",
            reports.len()
        ))),
    }
}
