//! `pass`: what the divergence pass is worth (IS-06). Every kernel that ships runs with the regions that its author wrote and, after these were taken
//! out, with those of the pass.

use clap::Args;
use serde::Serialize;

use crate::assembler::{Kernel, Overrides};
use crate::engine::Configuration;
use crate::isa::{Action, ControlOpcode};
use crate::kernels;
use crate::machine::RunOptions;

use super::error::CliError;
use super::execute::{execute, Report};
use super::interrupt::check_interrupt;
use super::json::{Document, RunDocument};
use super::load::{kernel, with_regions, Loaded};
use super::options::{CoreOptions, DivergenceOptions, EngineChoice};
use super::output::{grouped, print, print_json, table};
use super::registry::Backends;
use super::tables::percent;

/// The options of `pass`.
#[derive(Clone, Debug, Args)]
pub struct PassArguments {
    /// Kernels that ship, or files; without any, all that ship and have regions or YIELDs
    #[arg(value_name = "KERNEL")]
    pub kernels: Vec<String>,
    /// The core.
    #[command(flatten)]
    pub core: CoreOptions,
    /// Which divergence engine the core holds
    #[arg(long, value_enum, default_value = "deque")]
    pub engine: EngineChoice,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B", default_value = "model")]
    pub backend: String,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// A kernel, run twice.
struct Entry {
    kernel: String,
    by_hand: Report,
    by_pass: Report,
}

/// Runs the kernels and prints the table.
pub fn pass(arguments: &PassArguments, backends: &Backends) -> Result<(), CliError> {
    let names: Vec<&str> = match arguments.kernels.is_empty() {
        true => kernels::ALL.iter().map(|shipped| shipped.name).collect(),
        false => arguments.kernels.iter().map(String::as_str).collect(),
    };
    let configuration = arguments.core.configuration(arguments.engine)?;
    let mut entries = Vec::new();
    for name in names {
        check_interrupt()?;
        let by_hand = kernel(name)?;
        if arguments.kernels.is_empty() && !has_regions(&by_hand) {
            continue;
        }
        let both = DivergenceOptions { strip_divergence: true, insert_divergence: true };
        let by_pass = with_regions(by_hand.clone(), both)?;
        let run = |kernel| run(kernel, arguments, &configuration, backends);
        entries.push(Entry { kernel: name.to_string(), by_hand: run(by_hand)?, by_pass: run(by_pass)? });
    }
    if arguments.json {
        let kernels = entries.iter().map(PassEntry::from).collect();
        print_json(&Document::new("heddle.pass", PassDocument { kernels }))?;
    } else {
        print(&format!("{}\n", describe(&entries)))?;
    }
    // The stack may hang either way; that is the kernel's subject and not the pass's.
    let failed = |entry: &&Entry| entry.by_hand.passed() && !entry.by_pass.passed();
    match entries.iter().find(failed) {
        None => Ok(()),
        Some(entry) => Err(CliError::Check(format!("{}: wrong after the divergence pass", entry.kernel))),
    }
}

/// It has instructions that the pass would put in.
fn has_regions(kernel: &Kernel) -> bool {
    use ControlOpcode::{Pbk, Pcnt, Pexit, Ssy, Yield};
    let put_in = |action| matches!(action, Action::Control(Ssy | Pbk | Pcnt | Pexit | Yield));
    kernel.instructions.iter().any(|instruction| put_in(instruction.action))
}

fn run(
    kernel: Kernel,
    arguments: &PassArguments,
    configuration: &Configuration,
    backends: &Backends,
) -> Result<Report, CliError> {
    let launch = kernel
        .launch(&Overrides::default())
        .map_err(|cause| CliError::input(cause.to_string(), "the sizes that a kernel's file states have to work"))?;
    let options = RunOptions { scheduler: arguments.core.scheduler, ..RunOptions::default() };
    let loaded = Loaded { kernel, launch, as_shipped: false };
    execute(&loaded, arguments.engine, backends.find(Some(&arguments.backend))?, configuration, options)
}

fn describe(entries: &[Entry]) -> comfy_table::Table {
    let headers = [
        "kernel",
        "cycles by hand",
        "by the pass",
        "ratio",
        "SIMD by hand",
        "by the pass",
        "yields by hand",
        "by the pass",
        "end",
    ];
    let mut rows = table(&headers, 1);
    for Entry { kernel, by_hand, by_pass } in entries {
        let (hand, pass) = (&by_hand.outcome.counters, &by_pass.outcome.counters);
        let threads = by_hand.configuration.threads;
        let end = match by_pass.passed() {
            true => by_pass.check().to_string(),
            false => by_pass.outcome.verdict.name().to_string(),
        };
        rows.add_row([
            kernel.clone(),
            grouped(hand.cycles),
            grouped(pass.cycles),
            format!("{:.2}", pass.cycles as f64 / hand.cycles.max(1) as f64),
            percent(hand.simd_efficiency(threads)),
            percent(pass.simd_efficiency(threads)),
            grouped(hand.yielded),
            grouped(pass.yielded),
            end,
        ]);
    }
    rows
}

/// The JSON document.
#[derive(Serialize)]
struct PassDocument {
    kernels: Vec<PassEntry>,
}

/// A kernel of it.
#[derive(Serialize)]
struct PassEntry {
    kernel: String,
    by_hand: RunDocument,
    by_pass: RunDocument,
}

impl From<&Entry> for PassEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            kernel: entry.kernel.clone(),
            by_hand: RunDocument::from(&entry.by_hand),
            by_pass: RunDocument::from(&entry.by_pass),
        }
    }
}
