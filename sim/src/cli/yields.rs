//! `yields`: what the YIELDs of the kernels that ship are for (TD-04, SM-20). Each runs with them and without on one engine, in one table.

use clap::Args;
use serde::Serialize;

use crate::assembler::{Kernel, Overrides};
use crate::isa::{Action, Instruction};
use crate::kernels;
use crate::machine::{RunOptions, Verdict};
use heddle_hdl::isa::ControlOpcode;

use super::error::CliError;
use super::execute::{execute, Report};
use super::interrupt::check_interrupt;
use super::json::{Document, RunDocument};
use super::load::{kernel, Loaded};
use super::options::{CoreOptions, EngineChoice};
use super::output::{grouped, print, print_json, table};
use super::registry::Backends;

/// The options of `yields`.
#[derive(Clone, Debug, Args)]
pub struct YieldsArguments {
    /// The core.
    #[command(flatten)]
    pub core: CoreOptions,
    /// Which divergence engine the core holds
    #[arg(long, value_enum, default_value = "tree")]
    pub engine: EngineChoice,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Cycles without progress, per resident warp, after which a run that repeats itself counts as a livelock
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub watchdog: u64,
    /// Fail unless just these kernels hang without their YIELDs
    #[arg(long, value_name = "KERNEL,...", value_delimiter = ',')]
    pub expect: Option<Vec<String>>,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// A kernel with its YIELDs and without.
struct Entry {
    with: Report,
    without: Report,
}

impl Entry {
    /// Without its YIELDs somebody waits for ever.
    fn needs_them(&self) -> bool {
        matches!(self.without.outcome.verdict, Verdict::Hang(_))
    }
}

/// The kernel with a NOP in place of each YIELD; none if it has no YIELD.
fn without_yields(kernel: &Kernel) -> Option<Kernel> {
    let yields = Action::Control(ControlOpcode::Yield);
    let mut changed = kernel.clone();
    let mut any = false;
    for instruction in changed.instructions.iter_mut().filter(|instruction| instruction.action == yields) {
        *instruction = Instruction { guard: instruction.guard, ..Instruction::new(Action::Nothing) };
        any = true;
    }
    any.then_some(changed)
}

/// Runs every kernel that ships and has YIELDs, twice.
pub fn yields(arguments: &YieldsArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = backends.find(arguments.backend.as_deref())?;
    let configuration = arguments.core.configuration(arguments.engine)?;
    let options =
        RunOptions { scheduler: arguments.core.scheduler, watchdog: arguments.watchdog, ..RunOptions::default() };
    let mut entries = Vec::new();
    for shipped in kernels::ALL {
        check_interrupt()?;
        let kernel = kernel(shipped.name)?;
        let Some(changed) = without_yields(&kernel) else { continue };
        let run = |kernel: Kernel| {
            let launch = kernel
                .launch(&Overrides::default())
                .map_err(|cause| CliError::Internal(format!("{} cannot be launched: {cause}", kernel.name)))?;
            let loaded = Loaded { kernel, launch, as_shipped: false };
            execute(&loaded, arguments.engine, backend, &configuration, options)
        };
        entries.push(Entry { with: run(kernel)?, without: run(changed)? });
    }
    if arguments.json {
        let kernels = entries.iter().map(YieldsRun::from).collect();
        print_json(&Document::new("heddle.yields", YieldsDocument { kernels }))?;
    } else {
        print(&describe(&entries))?;
    }
    match complaint(&entries, arguments.expect.as_deref()) {
        None => Ok(()),
        Some(sentence) => Err(CliError::Check(sentence)),
    }
}

/// What is wrong, if anything is: a kernel may not fail with its YIELDs, and without them not otherwise than by hanging, `expected` ones and no others.
fn complaint(entries: &[Entry], expected: Option<&[String]>) -> Option<String> {
    if let Some(entry) = entries.iter().find(|entry| !entry.with.passed()) {
        return Some(format!("{} fails with its YIELDs", entry.with.kernel));
    }
    if let Some(entry) = entries.iter().find(|entry| !entry.without.passed() && !entry.needs_them()) {
        let (kernel, verdict) = (&entry.with.kernel, entry.without.outcome.verdict.name());
        return Some(format!("{kernel} neither hangs nor is right without its YIELDs: {verdict}"));
    }
    let other = |entry: &&Entry| expected.is_some_and(|names| names.contains(&entry.with.kernel) != entry.needs_them());
    if let Some(entry) = entries.iter().find(other) {
        let does = if entry.needs_them() { "hangs" } else { "does not hang" };
        return Some(format!("{} {does} without its YIELDs", entry.with.kernel));
    }
    let unknown = |name: &&String| entries.iter().all(|entry| entry.with.kernel != **name);
    expected.into_iter().flatten().find(unknown).map(|name| format!("no kernel with YIELDs is called '{name}'"))
}

fn describe(entries: &[Entry]) -> String {
    let mut rows = table(&["kernel", "with YIELD", "cycles", "without", "cycles"], 2);
    for entry in entries {
        let verdict = |report: &Report| match report.passed() {
            true => "correct".to_string(),
            false => report.outcome.verdict.name().to_string(),
        };
        let cycles = |report: &Report| grouped(report.outcome.counters.cycles);
        let (with, without) = (&entry.with, &entry.without);
        rows.add_row([with.kernel.clone(), verdict(with), cycles(with), verdict(without), cycles(without)]);
    }
    let needing: Vec<&str> =
        entries.iter().filter(|entry| entry.needs_them()).map(|entry| entry.with.kernel.as_str()).collect();
    let engine = entries.first().map_or("", |entry| entry.with.engine_name.as_str());
    let names = if needing.is_empty() { "none".to_string() } else { needing.join(", ") };
    format!("{rows}\nwithout YIELD these hang on the {engine}: {names}\n")
}

/// The JSON document.
#[derive(Serialize)]
struct YieldsDocument {
    kernels: Vec<YieldsRun>,
}

/// A kernel of it.
#[derive(Serialize)]
struct YieldsRun {
    kernel: String,
    hangs_without: bool,
    with: RunDocument,
    without: RunDocument,
}

impl From<&Entry> for YieldsRun {
    fn from(entry: &Entry) -> Self {
        Self {
            kernel: entry.with.kernel.clone(),
            hangs_without: entry.needs_them(),
            with: RunDocument::from(&entry.with),
            without: RunDocument::from(&entry.without),
        }
    }
}
