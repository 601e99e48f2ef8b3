//! `locality`: what a barrier does for a cache (SM-22). One gather, with a patient, an impatient and no barrier, in one table.

use clap::Args;
use serde::Serialize;

use crate::assembler::Overrides;
use crate::engine::Configuration;
use crate::machine::counters::Counters;
use crate::machine::{CacheOptions, RunOptions};

use super::error::CliError;
use super::execute::{execute, Report};
use super::json::{Document, RunDocument};
use super::load::{kernel, Loaded};
use super::options::EngineChoice;
use super::output::{grouped, print, print_json, table};
use super::registry::Backends;
use super::tables::percent;

/// The kernel.
const KERNEL: &str = "gather";

/// What is compared: the kernel's parameter `mode`.
const MODES: [(u32, &str); 3] = [(0, "none"), (1, "patient"), (2, "impatient")];

/// The options of `locality`.
#[derive(Clone, Debug, Args)]
pub struct LocalityArguments {
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Lines of 64 bytes that the modelled cache holds; a tile of the table has 16
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..))]
    pub lines: u16,
    /// Cycles that a missing line takes
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    pub miss_cycles: u16,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// One run.
struct Entry {
    barrier: &'static str,
    report: Report,
}

/// Runs the gather three times and prints the table.
pub fn locality(arguments: &LocalityArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = backends.find(arguments.backend.as_deref())?;
    let cache =
        CacheOptions { lines: arguments.lines.into(), line_bytes: 64, miss_cycles: arguments.miss_cycles.into() };
    let options = RunOptions { cache: Some(cache), ..RunOptions::default() };
    let mut entries = Vec::new();
    for (mode, barrier) in MODES {
        let kernel = kernel(KERNEL)?;
        let overrides = Overrides { parameters: [("mode".to_string(), mode)].into(), ..Overrides::default() };
        let launch = kernel
            .launch(&overrides)
            .map_err(|cause| CliError::Internal(format!("{KERNEL} cannot be launched: {cause}")))?;
        let loaded = Loaded { kernel, launch, as_shipped: false };
        let report = execute(&loaded, EngineChoice::Deque, backend, &Configuration::default(), options)?;
        report.error()?;
        entries.push(Entry { barrier, report });
    }
    if arguments.json {
        let runs = entries.iter().map(LocalityRun::from).collect();
        let (lines, miss_cycles) = (arguments.lines, arguments.miss_cycles);
        return print_json(&Document::new("heddle.locality", LocalityDocument { lines, miss_cycles, runs }));
    }
    print(&format!("{}\n", describe(&entries)))
}

fn describe(entries: &[Entry]) -> comfy_table::Table {
    let mut rows =
        table(&["barrier", "cycles", "lines asked for", "hits", "hit rate", "thread cycles asleep", "timeouts"], 1);
    for Entry { barrier, report } in entries {
        let counters = &report.outcome.counters;
        rows.add_row([
            (*barrier).to_string(),
            grouped(counters.cycles),
            grouped(counters.cache.accesses),
            grouped(counters.cache.hits),
            percent(hit_rate(counters)),
            grouped(counters.barriers.thread_cycles_asleep),
            grouped(counters.barriers.timeouts),
        ]);
    }
    rows
}

/// Hits, as a share of the lines that were asked for.
fn hit_rate(counters: &Counters) -> f64 {
    counters.cache.hits as f64 / counters.cache.accesses.max(1) as f64
}

/// The JSON document.
#[derive(Serialize)]
struct LocalityDocument {
    lines: u16,
    miss_cycles: u16,
    runs: Vec<LocalityRun>,
}

/// A run of it.
#[derive(Serialize)]
struct LocalityRun {
    barrier: &'static str,
    hit_rate: f64,
    run: RunDocument,
}

impl From<&Entry> for LocalityRun {
    fn from(entry: &Entry) -> Self {
        let hit_rate = hit_rate(&entry.report.outcome.counters);
        Self { barrier: entry.barrier, hit_rate, run: RunDocument::from(&entry.report) }
    }
}
