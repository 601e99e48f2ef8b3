//! `compare`: one kernel on every engine and backend, in one table (UX-03, SM-01).

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::control_core::CoreMachine;
use crate::engine::Configuration;
use crate::machine::Verdict;

use super::compare_all::compare_all;
use super::error::CliError;
use super::execute::{execute, run_options, Report};
use super::interrupt::check_interrupt;
use super::json::{Document, RunDocument};
use super::load::{load, Loaded};
use super::options::{CoreOptions, EngineChoice, KernelOptions, PathChoice};
use super::output::{print, print_json};
use super::registry::{Backend, Backends};
use super::tables::{policies, rows, Row};

/// The options of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArguments {
    /// The kernel.
    #[command(flatten)]
    pub kernel: KernelOptions,
    /// The core.
    #[command(flatten)]
    pub core: CoreOptions,
    /// Compare under every path policy and several yield policies, not just the chosen ones; without a KERNEL, run every kernel
    /// that ships on every engine
    #[arg(long)]
    pub all: bool,
    /// Every kernel in its small size, even those that name a real one
    #[arg(long, requires = "all", conflicts_with = "kernel")]
    pub small: bool,
    /// Write the table of every kernel as a document (Markdown)
    #[arg(long, value_name = "FILE", requires = "all", conflicts_with = "kernel")]
    pub write: Option<PathBuf>,
}

/// A run of the comparison.
struct Entry {
    engine: EngineChoice,
    backend: Backend,
    configuration: Configuration,
    result: Result<Report, String>,
    verdict: Judgement,
}

/// Is a run what the kernel's file lets one expect?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It completed, and its memory is right.
    Fine,
    /// It hangs, as the plain stack must.
    ExpectedHang,
    /// The stack hangs; with sizes of one's own nobody knows whether it must.
    StackHang,
    /// The stack should hang and did not.
    MissingHang,
    /// It hangs, is wrong or met a fault.
    Failed,
    /// The backend does not have this configuration.
    NotRun,
}

impl Judgement {
    /// A word or two for a table.
    pub const fn note(self) -> &'static str {
        match self {
            Judgement::Fine | Judgement::NotRun => "",
            Judgement::ExpectedHang => "hang expected",
            Judgement::StackHang => "the stack hangs",
            Judgement::MissingHang => "HANG EXPECTED",
            Judgement::Failed => "FAILED",
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Fine => "fine",
            Judgement::ExpectedHang => "expected-hang",
            Judgement::StackHang => "stack-hang",
            Judgement::MissingHang => "missing-hang",
            Judgement::Failed => "failed",
            Judgement::NotRun => "not-run",
        }
    }

    /// The comparison fails for it.
    pub const fn fails(self) -> bool {
        matches!(self, Judgement::MissingHang | Judgement::Failed)
    }
}

/// Runs a kernel on everything and prints the table.
pub fn compare(arguments: &CompareArguments, backends: &Backends) -> Result<(), CliError> {
    if arguments.kernel.kernel.is_empty() && arguments.all {
        return compare_all(arguments, backends);
    }
    let loaded = load(&arguments.kernel)?;
    let options = run_options(&arguments.kernel, &arguments.core, 0);
    let mut entries = Vec::new();
    for (engine, core) in variants(arguments) {
        let configuration = core.configuration(engine)?;
        let setup = CoreMachine::setup(&loaded.kernel, &loaded.launch, configuration, &options);
        for backend in backends.all() {
            check_interrupt()?;
            let result = match execute(&loaded, engine, *backend, &configuration, options) {
                Ok(report) => Ok(report),
                // A machine that cannot run the kernel at all is bad input; a backend without this size is a gap.
                Err(CliError::Input(reason)) if backend.supports(&setup).is_err() => Err(reason.to_string()),
                Err(other) => return Err(other),
            };
            let verdict = judge(&loaded, engine, &configuration, &result);
            entries.push(Entry { engine, backend: *backend, configuration, result, verdict });
        }
    }
    let agree = memories_agree(&entries);
    if arguments.kernel.json {
        print_json(&Document::new("heddle.compare", document(&loaded, &entries, agree)))?;
    } else {
        print(&describe(&loaded, &entries, agree))?;
    }
    match entries.iter().filter(|entry| entry.verdict.fails()).count() {
        0 if agree || !loaded.kernel.expectations.is_empty() => Ok(()),
        0 => Err(CliError::Check(format!("{}: the runs left different memories", loaded.kernel.name))),
        failed => Err(CliError::Check(format!("{}: {failed} of {} runs failed", loaded.kernel.name, entries.len()))),
    }
}

/// The engines and policies to run.
fn variants(arguments: &CompareArguments) -> Vec<(EngineChoice, CoreOptions)> {
    let core = &arguments.core;
    let mut variants = Vec::new();
    let paths = [PathChoice::Taken, PathChoice::NotTaken, PathChoice::Smaller, PathChoice::Larger];
    let paths: Vec<PathChoice> = if arguments.all { paths.to_vec() } else { vec![core.path_policy] };
    for &path_policy in &paths {
        variants.push((EngineChoice::Stack, CoreOptions { path_policy, ..core.clone() }));
    }
    for &path_policy in &paths {
        variants.push((EngineChoice::Deque, CoreOptions { path_policy, ..core.clone() }));
    }
    for &path_policy in &paths {
        variants.push((EngineChoice::Tree, CoreOptions { path_policy, ..core.clone() }));
    }
    if arguments.all {
        for text in ["every:3", "random:64"] {
            // Both are written as the option's parser wants them, which its tests check.
            if let Ok(yield_policy) = text.parse() {
                variants.push((EngineChoice::Deque, CoreOptions { yield_policy, ..core.clone() }));
            }
        }
    }
    variants
}

/// Judges a run by the kernel's file; `Err`: the backend does not have this configuration.
pub fn judge(
    loaded: &Loaded,
    engine: EngineChoice,
    configuration: &Configuration,
    result: &Result<Report, String>,
) -> Judgement {
    let Ok(report) = result else { return Judgement::NotRun };
    let stack = engine == EngineChoice::Stack;
    let must_hang = stack && loaded.as_shipped && loaded.kernel.stack_hangs(configuration.path_policy);
    match (&report.outcome.verdict, must_hang) {
        (Verdict::Hang(_), true) => Judgement::ExpectedHang,
        (Verdict::Hang(_), false) if stack && !loaded.as_shipped => Judgement::StackHang,
        (Verdict::Completed, true) => Judgement::MissingHang,
        (Verdict::Completed, false) if report.mismatches.is_empty() => Judgement::Fine,
        _ => Judgement::Failed,
    }
}

/// Every run that completed left the same memory.
fn memories_agree(entries: &[Entry]) -> bool {
    let mut memories = entries
        .iter()
        .filter_map(|entry| entry.result.as_ref().ok())
        .filter(|report| report.outcome.verdict == Verdict::Completed)
        .map(|report| &report.outcome.global);
    let first = memories.next();
    memories.all(|memory| Some(memory) == first)
}

fn describe(loaded: &Loaded, entries: &[Entry], agree: bool) -> String {
    let table: Vec<Row<'_>> = entries
        .iter()
        .map(|entry| Row {
            title: format!("{} {}", entry.engine.name(), entry.backend.name),
            policies: policies(&entry.configuration),
            result: entry.result.as_ref().map_err(String::as_str),
            note: entry.verdict.note().to_string(),
        })
        .collect();
    let mut text = format!("{}: {}\n{}\n", loaded.kernel.name, loaded.kernel.summary, rows(&table));
    text.push_str(if agree {
        "All runs that completed left the same memory.\n"
    } else if loaded.kernel.expectations.is_empty() {
        "The runs left DIFFERENT memories, and the kernel does not say what is right.\n"
    } else {
        "The runs left different memories; the kernel's own check decides which are right.\n"
    });
    for entry in entries.iter().filter(|entry| entry.verdict.fails()) {
        if let Ok(report) = &entry.result {
            text.push_str(&format!("\n{}, {}:\n{}", report.title(), policies(&entry.configuration), report.explain()));
        }
    }
    text
}

/// The JSON document of a comparison.
#[derive(Serialize)]
struct CompareDocument {
    kernel: String,
    summary: String,
    same_memory: bool,
    runs: Vec<RunEntry>,
}

/// A run of it.
#[derive(Serialize)]
struct RunEntry {
    judgement: &'static str,
    not_run: Option<String>,
    run: Option<RunDocument>,
}

fn document(loaded: &Loaded, entries: &[Entry], agree: bool) -> CompareDocument {
    CompareDocument {
        kernel: loaded.kernel.name.clone(),
        summary: loaded.kernel.summary.clone(),
        same_memory: agree,
        runs: entries
            .iter()
            .map(|entry| RunEntry {
                judgement: entry.verdict.name(),
                not_run: entry.result.as_ref().err().cloned(),
                run: entry.result.as_ref().ok().map(RunDocument::from),
            })
            .collect(),
    }
}
