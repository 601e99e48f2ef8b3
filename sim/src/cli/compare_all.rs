//! `compare --all` without a kernel: every kernel that ships on every engine and backend, in one table (UX-03, SM-20 to SM-24).

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use rayon::prelude::*;
use serde::Serialize;

use crate::kernels;
use crate::machine::{RunOptions, Verdict};

use super::compare::{judge, CompareArguments, Judgement};
use super::error::CliError;
use super::execute::{execute_silently, run_options, Report};
use super::files::write_atomically;
use super::interrupt::check_interrupt;
use super::json::{Document, RunDocument};
use super::load::{load, Loaded};
use super::options::{CoreOptions, EngineChoice, KernelOptions};
use super::output::{grouped, print, print_json, table, ProgressReport};
use super::registry::{Backend, Backends};
use super::tables::percent;

/// The engines, in the order of tables.
pub const ENGINES: [EngineChoice; 3] = [EngineChoice::Stack, EngineChoice::Deque, EngineChoice::Tree];

/// The size that a kernel takes without `--small`, if its file has it.
const REAL: &str = "real";

/// A kernel on an engine of a backend.
pub struct Entry {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The engine.
    pub engine: EngineChoice,
    /// The backend's name.
    pub backend: &'static str,
    /// The run.
    pub report: Report,
    /// What the kernel's file says to it.
    pub judgement: Judgement,
}

/// A kernel that ships, in its small size or its real one.
fn shipped(name: &str, options: &KernelOptions, small: bool) -> Result<Loaded, CliError> {
    let named = KernelOptions { kernel: name.to_string(), ..options.clone() };
    let loaded = load(&named)?;
    let real = !small && loaded.kernel.sizes.iter().any(|size| size.name == REAL);
    match real {
        true => load(&KernelOptions { size: Some(REAL.to_string()), ..named }),
        false => Ok(loaded),
    }
}

/// Runs a kernel on an engine of a backend.
///
/// # Errors
/// If the machine cannot run it at all, or on Ctrl-C.
pub fn run_entry(
    kernel: &'static str,
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    core: &CoreOptions,
    options: RunOptions,
) -> Result<Entry, CliError> {
    let configuration = core.configuration(engine)?;
    let report = execute_silently(loaded, engine, backend, &configuration, options)?;
    let result = Ok(report);
    let judgement = judge(loaded, engine, &configuration, &result);
    let report = result.map_err(CliError::Internal)?;
    Ok(Entry { kernel, engine, backend: backend.name, report, judgement })
}

/// The backends whose figures differ: the model without bounds only stands in for the one with them.
fn compared(backends: &Backends) -> Vec<Backend> {
    backends.all().iter().filter(|backend| backend.name != backends.bounded()).copied().collect()
}

/// Runs everything, on all processors; the order is that of the table.
///
/// # Errors
/// As [`run_entry`].
pub fn run_all(arguments: &CompareArguments, backends: &[Backend]) -> Result<Vec<Entry>, CliError> {
    let options = run_options(&arguments.kernel, &arguments.core, 0);
    let loaded = kernels::ALL
        .iter()
        .map(|kernel| Ok((kernel.name, shipped(kernel.name, &arguments.kernel, arguments.small)?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    let mut work = Vec::new();
    for (name, loaded) in &loaded {
        for engine in ENGINES {
            work.extend(backends.iter().map(|backend| (*name, loaded, engine, *backend)));
        }
    }
    let (done, total) = (AtomicU64::new(0), work.len() as u64);
    let bar = Mutex::new(ProgressReport::new(Some(total)));
    work.into_par_iter()
        .map(|(name, loaded, engine, backend)| {
            check_interrupt()?;
            let entry = run_entry(name, loaded, engine, backend, &arguments.core, options)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Ok(mut bar) = bar.lock() {
                bar.update(done, || format!("{done} of {total} runs"));
            }
            Ok(entry)
        })
        .collect()
}

/// Runs everything and prints the table.
///
/// # Errors
/// Bad input, Ctrl-C, or a run that is not what its file says.
pub fn compare_all(arguments: &CompareArguments, backends: &Backends) -> Result<(), CliError> {
    let backends = compared(backends);
    let entries = run_all(arguments, &backends)?;
    let names: Vec<&str> = backends.iter().map(|backend| backend.name).collect();
    if let Some(path) = &arguments.write {
        write_document(path, &entries, &names, arguments.small)?;
    }
    if arguments.kernel.json {
        print_json(&Document::new("heddle.compare-all", document(&entries, arguments.small)))?;
    } else {
        print(&describe(&entries, &names))?;
    }
    conclude(&entries)
}

/// The verdict over all runs.
///
/// # Errors
/// If one is not what its kernel's file says, or two backends left different memories.
pub fn conclude(entries: &[Entry]) -> Result<(), CliError> {
    let failed = entries.iter().filter(|entry| entry.judgement.fails()).count();
    if failed > 0 {
        return Err(CliError::Check(format!("{failed} of {} runs failed", entries.len())));
    }
    match disagreeing(entries).first() {
        Some(place) => Err(CliError::Check(format!("{place}: the backends left different memories"))),
        None => Ok(()),
    }
}

/// Kernels with their engine whose completed runs differ in memory from backend to backend.
fn disagreeing(entries: &[Entry]) -> Vec<String> {
    let completed = |entry: &&Entry| entry.report.outcome.verdict == Verdict::Completed;
    let mut places = Vec::new();
    for rows in rows_of(entries) {
        let mut memories = rows.iter().filter(completed).map(|entry| &entry.report.outcome.global);
        if let Some(first) = memories.next() {
            if memories.any(|memory| memory != first) {
                places.push(format!("{} on the {}", rows[0].kernel, rows[0].engine.name()));
            }
        }
    }
    places
}

/// Runs of one kernel on one engine, side by side.
fn rows_of(entries: &[Entry]) -> Vec<&[Entry]> {
    entries.chunk_by(|left, right| left.kernel == right.kernel && left.engine == right.engine).collect()
}

/// How a row ends, for a person.
fn end(row: &[Entry]) -> String {
    let mut ends: Vec<String> = row
        .iter()
        .map(|entry| match entry.judgement {
            Judgement::Fine => "right".to_string(),
            Judgement::ExpectedHang => format!("{}, expected", entry.report.outcome.verdict.name()),
            other => format!("{}: {}", entry.report.outcome.verdict.name(), other.note()),
        })
        .collect();
    ends.dedup();
    ends.join(" / ")
}

/// The head of the table.
fn headers(backends: &[&str]) -> Vec<String> {
    let mut headers: Vec<String> = ["kernel", "engine", "end"].map(String::from).to_vec();
    headers.extend(backends.iter().map(|backend| format!("cycles, {backend}")));
    headers.extend(["instructions", "SIMD efficiency"].map(String::from));
    headers.extend(backends.iter().map(|backend| format!("stalls, {backend}")));
    headers.push("asleep at barriers".to_string());
    headers
}

/// Its rows. Of a run that hangs only the end says something.
fn cells(entries: &[Entry]) -> Vec<Vec<String>> {
    let row = |row: &&[Entry]| {
        let first = &row[0];
        let counters = &first.report.outcome.counters;
        let hangs = |entry: &Entry| entry.report.outcome.verdict != Verdict::Completed;
        let figure = |entry: &Entry, text: String| if hangs(entry) { "-".to_string() } else { text };
        let mut cells = vec![first.kernel.to_string(), first.engine.name().to_string(), end(row)];
        cells.extend(row.iter().map(|entry| figure(entry, grouped(entry.report.outcome.counters.cycles))));
        cells.push(figure(first, grouped(counters.instructions.total())));
        cells.push(figure(first, percent(counters.simd_efficiency(first.report.configuration.threads))));
        cells.extend(row.iter().map(|entry| figure(entry, grouped(entry.report.outcome.counters.stalls.total()))));
        cells.push(figure(first, grouped(counters.stalls.barrier)));
        cells
    };
    rows_of(entries).iter().map(row).collect()
}

fn describe(entries: &[Entry], backends: &[&str]) -> String {
    let headers = headers(backends);
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers, 3);
    for row in cells(entries) {
        rows.add_row(row);
    }
    let mut text = format!("{rows}\n");
    for entry in entries.iter().filter(|entry| entry.judgement.fails()) {
        text += &format!(
            "\n{} on {}: {}\n{}",
            entry.kernel,
            entry.report.title(),
            entry.judgement.note(),
            entry.report.explain()
        );
    }
    text
}

/// What stands above the table of the document.
const INTRODUCTION: &str = "\
# What the kernels cost

Every kernel that ships, on the plain stack, the token deque and the tree: on the reference models and on the hardware, simulated in Rust. Four warps of 32
threads, path policy `taken`, every YIELD yields. *right*: memory is what the kernel's file expects; *expected*: the file says that the stack hangs. A cycle
issues one instruction at most, so cycles are instructions and stalls; the last column is the stalls, on the first backend, in which every warp sleeps at a barrier or
is being answered by the scheduler. SIMD efficiency is the share of lanes that are active in an average instruction.

This page is written by `cargo sim compare --all --small --write docs/kernels.md`; a test compares it.
";

/// The document.
pub fn markdown(entries: &[Entry], backends: &[&str], small: bool) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headers = headers(backends);
    let size = if small { "" } else { "\nKernels that name a real size run in that.\n" };
    let rule: Vec<String> =
        (0..headers.len()).map(|column| if column < 3 { "---" } else { "---:" }.to_string()).collect();
    let rows: String = cells(entries).iter().map(|row| line(row)).collect();
    format!("{INTRODUCTION}{size}\n{}{}{rows}", line(&headers), line(&rule))
}

fn write_document(path: &Path, entries: &[Entry], backends: &[&str], small: bool) -> Result<(), CliError> {
    write_atomically(path, markdown(entries, backends, small).as_bytes())
}

/// The JSON document.
#[derive(Serialize)]
struct AllDocument {
    small: bool,
    runs: Vec<AllEntry>,
}

/// A run of it.
#[derive(Serialize)]
struct AllEntry {
    judgement: &'static str,
    run: RunDocument,
}

fn document(entries: &[Entry], small: bool) -> AllDocument {
    let entry = |entry: &Entry| AllEntry { judgement: entry.judgement.name(), run: RunDocument::from(&entry.report) };
    AllDocument { small, runs: entries.iter().map(entry).collect() }
}
