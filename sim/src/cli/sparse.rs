//! `sparse`: what a predicate table saves (SM-24). One stencil whose dead tiles are never launched, and one whose dead tiles exit early.

use clap::Args;
use serde::Serialize;

use crate::assembler::Overrides;
use crate::engine::Configuration;
use crate::machine::RunOptions;

use super::error::CliError;
use super::execute::{execute, Report};
use super::json::{Document, RunDocument};
use super::load::{kernel, Loaded};
use super::options::{CoreOptions, EngineChoice, Extent};
use super::output::{grouped, print, print_json, table};
use super::registry::Backends;
use super::tables::percent;

/// The kernel.
const KERNEL: &str = "stencil_sparse";

/// What is compared: the kernel's parameter `predicated`.
const FORMS: [(u32, &str); 2] = [(1, "predicate table"), (0, "early exit")];

/// The options of `sparse`.
#[derive(Clone, Debug, Args)]
pub struct SparseArguments {
    /// Chance of a tile to be live, in percent
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub percent: u8,
    /// Tiles of the image
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<Extent>,
    /// Which divergence engine the core holds
    #[arg(long, value_enum, default_value = "deque")]
    pub engine: EngineChoice,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// One run.
struct Entry {
    form: &'static str,
    /// Tiles of the image, and those of them that are live.
    tiles: (u64, u64),
    report: Report,
}

impl Entry {
    /// Live blocks, as a share of those that were launched: the share that had anything to do.
    fn useful(&self) -> f64 {
        self.tiles.1 as f64 / self.report.outcome.counters.blocks_launched.max(1) as f64
    }
}

/// Runs the stencil in both forms and prints the table.
pub fn sparse(arguments: &SparseArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = backends.find(arguments.backend.as_deref())?;
    let configuration = CoreOptions::default().configuration(arguments.engine)?;
    let mut entries = Vec::new();
    for (predicated, form) in FORMS {
        let parameters = [("predicated", predicated), ("percent", arguments.percent.into())];
        let parameters = parameters.map(|(name, value)| (name.to_string(), value)).into();
        let overrides = Overrides { parameters, grid: arguments.grid.map(|extent| extent.0), block: None };
        let kernel = kernel(KERNEL)?;
        let launch = kernel
            .launch(&overrides)
            .map_err(|cause| CliError::input(cause.to_string(), "the image is as large as --grid says"))?;
        let loaded = Loaded { kernel, launch, as_shipped: false };
        entries.push(Entry { form, tiles: tiles(&loaded), report: run(&loaded, arguments, backend, &configuration)? });
    }
    if arguments.json {
        let runs = entries.iter().map(SparseRun::from).collect();
        let (tiles, live) = entries[0].tiles;
        return print_json(&Document::new("heddle.sparse", SparseDocument { tiles, live, runs }));
    }
    print(&describe(&entries))
}

fn run(
    loaded: &Loaded,
    arguments: &SparseArguments,
    backend: super::registry::Backend,
    configuration: &Configuration,
) -> Result<Report, CliError> {
    let report = execute(loaded, arguments.engine, backend, configuration, RunOptions::default())?;
    report.error()?;
    Ok(report)
}

/// Tiles of the image, and those of them that are live.
fn tiles(loaded: &Loaded) -> (u64, u64) {
    let launch = &loaded.launch;
    let Some(table) = launch.section("live") else { return (0, 0) };
    let live = (0..launch.ctas()).filter(|cta| launch.flag(&launch.global, table.address, launch.cta(*cta)));
    (launch.ctas().into(), live.count() as u64)
}

fn describe(entries: &[Entry]) -> String {
    let mut rows = table(&["tiles are picked by", "blocks launched", "cycles", "instructions", "useful blocks"], 1);
    for entry in entries {
        let counters = &entry.report.outcome.counters;
        rows.add_row([
            entry.form.to_string(),
            grouped(counters.blocks_launched),
            grouped(counters.cycles),
            grouped(counters.instructions.total()),
            percent(entry.useful()),
        ]);
    }
    let first = &entries[0];
    let (tiles, live) = first.tiles;
    format!(
        "{KERNEL} on {}: {} of {} tiles are live\n{rows}\n",
        first.report.engine_name,
        grouped(live),
        grouped(tiles)
    )
}

/// The JSON document.
#[derive(Serialize)]
struct SparseDocument {
    tiles: u64,
    live: u64,
    runs: Vec<SparseRun>,
}

/// A run of it.
#[derive(Serialize)]
struct SparseRun {
    form: &'static str,
    useful: f64,
    run: RunDocument,
}

impl From<&Entry> for SparseRun {
    fn from(entry: &Entry) -> Self {
        Self { form: entry.form, useful: entry.useful(), run: RunDocument::from(&entry.report) }
    }
}
