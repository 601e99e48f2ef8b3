//! `suspend`: a kernel is suspended in every one of its cycles, a run each, and resumed on other warps; its result must not change (CX-09).

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use crate::machine::{RunOptions, SuspendOptions};

use super::error::CliError;
use super::execute::{execute, run_options, Report};
use super::json::Document;
use super::load::load;
use super::options::{CoreOptions, EngineChoice, KernelOptions};
use super::output::{grouped, print, print_json, table};
use super::registry::Backends;

/// Failures that are listed.
const SHOWN: usize = 8;

/// The options of `suspend`.
#[derive(Clone, Debug, Args)]
pub struct SuspendArguments {
    /// The kernel.
    #[command(flatten)]
    pub kernel: KernelOptions,
    /// The core.
    #[command(flatten)]
    pub core: CoreOptions,
    /// Which divergence engine the core holds
    #[arg(long, value_enum, default_value = "deque")]
    pub engine: EngineChoice,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Try each Nth cycle
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Suspend so often in each run: again as soon as the block runs again
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub times: u32,
    /// So many blocks may be away at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=SuspendOptions::MOST_AWAY as i64))]
    pub away: u16,
    /// Give up if a thread of the block is still inside a critical section after so many cycles
    #[arg(long, value_name = "CYCLES", default_value_t = SuspendOptions::PATIENCE, value_parser = clap::value_parser!(u16).range(1..))]
    pub patience: u16,
}

/// What came of all runs.
#[derive(Debug, Default, Serialize)]
struct SuspendDocument {
    kernel: String,
    engine_name: String,
    /// Cycles of the run that is not suspended.
    cycles: u64,
    /// Runs with a suspension.
    runs: u64,
    /// Suspensions and resumptions in them.
    suspended: u64,
    resumed: u64,
    /// Suspensions that failed: no room, or no bottom in time. The blocks ran on.
    failed: u64,
    /// The most blocks that were away at once.
    most_away: u64,
    /// The most tokens and 32-bit words that left at once.
    most_tokens: u64,
    most_words: u64,
    /// Runs that did not end with the right memory.
    failures: Vec<Failure>,
}

/// A run that went wrong.
#[derive(Clone, Debug, Serialize)]
struct Failure {
    /// The cycle of its suspension.
    at: u64,
    /// What happened.
    what: String,
}

/// Runs the kernel once for each cycle and prints what came of it.
pub fn suspend(arguments: &SuspendArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = backends.find(arguments.backend.as_deref())?;
    let configuration = arguments.core.configuration(arguments.engine)?;
    let loaded = load(&arguments.kernel)?;
    let plain = run_options(&arguments.kernel, &arguments.core, 0);
    let run = |suspend| execute(&loaded, arguments.engine, backend, &configuration, RunOptions { suspend, ..plain });
    let alone = run(None)?;
    alone.error()?;
    let cycles = alone.outcome.counters.cycles;
    let tried: Vec<u64> = (0..cycles).step_by(usize::try_from(arguments.every).unwrap_or(usize::MAX)).collect();
    let SuspendArguments { times, patience, away, .. } = *arguments;
    let suspend = |at| SuspendOptions { times, patience, away: away.into(), ..SuspendOptions::at(at) };
    let reports: Vec<(u64, Report)> =
        tried.into_par_iter().map(|at| Ok((at, run(Some(suspend(at)))?))).collect::<Result<_, CliError>>()?;
    let document = summary(&alone, &reports);
    if arguments.kernel.json {
        print_json(&Document::new("heddle.suspend", &document))?;
    } else {
        print(&describe(&document, arguments))?;
    }
    judge(&document)
}

/// Fails if runs differ, or if there was no suspension, so that nothing was tried.
fn judge(document: &SuspendDocument) -> Result<(), CliError> {
    let SuspendDocument { ref kernel, runs, suspended, ref failures, .. } = *document;
    match failures.len() {
        0 if suspended == 0 => Err(CliError::Check(format!("{kernel}: nothing was suspended in {runs} runs"))),
        0 => Ok(()),
        wrong => Err(CliError::Check(format!("{kernel}: {wrong} of {runs} suspended runs differ"))),
    }
}

fn summary(alone: &Report, reports: &[(u64, Report)]) -> SuspendDocument {
    let counts = || reports.iter().map(|(_, report)| report.outcome.counters.suspensions);
    let failures = reports.iter().filter_map(|(at, report)| {
        // Who goes first through sections of several blocks may change with a suspension: what the kernel promises must hold all the same.
        let same = report.passed() && (report.has_expectation || report.outcome.global == alone.outcome.global);
        let counters = &report.outcome.counters.suspensions;
        let what = if !same {
            let explanation = report.explain();
            let line = explanation.lines().next().unwrap_or("memory differs from the run that is not suspended");
            format!("{}: {line}", report.outcome.verdict.name())
        } else if counters.suspended != counters.resumed {
            format!("{} of {} suspended blocks came back", counters.resumed, counters.suspended)
        } else {
            return None;
        };
        Some(Failure { at: *at, what })
    });
    SuspendDocument {
        kernel: alone.kernel.clone(),
        engine_name: alone.engine_name.clone(),
        cycles: alone.outcome.counters.cycles,
        runs: reports.len() as u64,
        suspended: counts().map(|counts| counts.suspended).sum(),
        resumed: counts().map(|counts| counts.resumed).sum(),
        failed: counts().map(|counts| counts.failed).sum(),
        most_away: counts().map(|counts| counts.most_away).max().unwrap_or(0),
        most_tokens: counts().map(|counts| counts.tokens / counts.suspended.max(1)).max().unwrap_or(0),
        most_words: counts().map(|counts| counts.words / counts.suspended.max(1)).max().unwrap_or(0),
        failures: failures.collect(),
    }
}

fn describe(document: &SuspendDocument, arguments: &SuspendArguments) -> String {
    let headers =
        ["kernel", "engine", "cycles", "runs", "suspended", "resumed", "failed", "away", "tokens", "words", "wrong"];
    let mut rows = table(&headers, 2);
    rows.add_row([
        document.kernel.clone(),
        document.engine_name.clone(),
        grouped(document.cycles),
        grouped(document.runs),
        grouped(document.suspended),
        grouped(document.resumed),
        grouped(document.failed),
        grouped(document.most_away),
        grouped(document.most_tokens),
        grouped(document.most_words),
        grouped(document.failures.len() as u64),
    ]);
    let mut text = format!("{rows}\n");
    for Failure { at, what } in document.failures.iter().take(SHOWN) {
        text.push_str(&format!("suspended in cycle {at}: {what}\n"));
    }
    if let Some(first) = document.failures.first() {
        let (kernel, at) = (&document.kernel, first.at);
        let SuspendArguments { times, away, patience, .. } = arguments;
        text.push_str(&format!(
            "see it again with: cargo sim run {kernel} --suspend-at {at} --suspend-times {times} --suspend-away {away} --suspend-patience {patience}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-09: a sweep passes if something was suspended, and nothing differs.
    #[test]
    fn cx_09_a_sweep_without_a_suspension_fails() {
        let document = |suspended, failures| SuspendDocument { runs: 3, suspended, failures, ..Default::default() };
        assert!(judge(&document(1, Vec::new())).is_ok());
        let said = |document| format!("{:?}", judge(&document));
        assert!(said(document(0, Vec::new())).contains("nothing was suspended in 3 runs"));
        let failure = Failure { at: 7, what: "memory differs".into() };
        assert!(said(document(0, vec![failure])).contains("1 of 3 suspended runs differ"));
    }
}
