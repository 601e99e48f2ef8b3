//! `cargo tb regress`: everything that has a seed, with many of them, in parallel, on the Verilated RTL (XV-08).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`plan`] | which jobs a regression has |
//! | [`job`] | one of them: a kernel on an engine, a block or a core in lockstep, random programs, random grids; on the blocks, or on the whole control core; what traffic covers |
//! | [`wave`] | what happened in one that failed, for waveform viewers |
//! | [`coverage`] | lines and toggles that all seeds together reach |
//! | [`report`] | what came of them, as HTML in one file and as JSON |
//!
//! A job knows its seed and nothing of the others, so it can be run again alone; whoever fails leaves a file, a waveform and the command that does that.
//! Measurements of whole regressions, such as coverage, are further [`report::Section`]s of the report.

pub mod coverage;
mod job;
mod plan;
pub mod report;
mod wave;

#[cfg(test)]
mod tests;

use clap::Args;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files::write_atomically;
use heddle_sim::cli::interrupt::{check_interrupt, interrupted};
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{grouped, json_text, print, print_json, table, ProgressReport};
use job::{JobResult, Suite};
use rayon::prelude::*;
use report::{html, RegressDocument, Section};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Instant;

/// The options of `regress`.
#[derive(Clone, Debug, Args)]
pub struct RegressArguments {
    /// Seeds of everything random, from the first on
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: u64,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub first: u64,
    /// Jobs at once; as many as processors if absent
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Cycles of lockstep for each block, point and seed
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub cycles: u64,
    /// Only these suites: kernels, lockstep, programs, grids, coverage; may be repeated (all but coverage)
    #[arg(long = "suite", value_name = "S", value_enum)]
    pub suites: Vec<Suite>,
    /// Also count the lines and toggles that the traffic of all seeds reaches of each block at its smallest point, as does --suite coverage; the exports that count take minutes to build, once
    #[arg(long)]
    pub coverage: bool,
    /// Fail if that is less than every line, or 95 % of the toggles, of a block
    #[arg(long)]
    pub coverage_goal: bool,
    /// Folder of the report and of what fails: index.html, report.json, failures/
    #[arg(long, value_name = "DIR", default_value = "build/regress")]
    pub report: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

impl RegressArguments {
    /// Whether coverage is counted.
    fn measures_coverage(&self) -> bool {
        self.coverage || self.suites.contains(&Suite::Coverage)
    }
}

/// Runs a regression.
///
/// # Errors
/// Bad input, a missing tool, Ctrl-C, or a job that failed.
pub fn regress(arguments: &RegressArguments) -> Result<(), CliError> {
    if arguments.coverage_goal && !arguments.measures_coverage() {
        let hint = "add --coverage: it is not counted unless that is asked for";
        return Err(CliError::input("--coverage-goal: coverage is not counted in this run", hint));
    }
    let threads = arguments.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|cause| CliError::Internal(format!("no threads for the jobs: {cause}")))?;
    let failures = arguments.report.join("failures");
    std::fs::create_dir_all(&failures).map_err(|cause| {
        CliError::input(
            format!("--report {}: {cause}", arguments.report.display()),
            "name a folder that you may write to",
        )
    })?;
    let plan = plan::plan(arguments)?;
    let started = Instant::now();
    let (done, total) = (AtomicU64::new(0), plan.len() as u64);
    let failed = AtomicU64::new(0);
    let bar = Mutex::new(ProgressReport::new(Some(total)));
    let one = |job: &job::Job| -> Result<JobResult, CliError> {
        check_interrupt()?;
        let result = job.run(&failures)?;
        if interrupted() {
            return Err(CliError::Interrupted);
        }
        let failed = failed.fetch_add(u64::from(result.failure.is_some()), Ordering::Relaxed)
            + u64::from(result.failure.is_some());
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut bar) = bar.lock() {
            bar.update(done, || format!("{} of {} jobs, {failed} failed", grouped(done), grouped(total)));
        }
        Ok(result)
    };
    let results: Vec<JobResult> = pool.install(|| plan.par_iter().map(one).collect::<Result<_, _>>())?;
    drop(bar);
    let document = RegressDocument::new(arguments, started.elapsed(), results);
    finish(arguments, &document)
}

/// Writes the report, prints the summary and judges.
fn finish(arguments: &RegressArguments, document: &RegressDocument) -> Result<(), CliError> {
    let covered = document.coverage.as_deref();
    let sections: Vec<Section> = covered.map(coverage::section).into_iter().collect();
    let page = arguments.report.join("index.html");
    write_atomically(&page, html(document, &sections).as_bytes())?;
    let json = Document::new("heddle.regress", document);
    write_atomically(&arguments.report.join("report.json"), json_text(&json)?.as_bytes())?;
    if arguments.json {
        print_json(&json)?;
    } else {
        let mut rows = table(&["suite", "jobs", "failed", "cycles", "processor seconds"], 1);
        for suite in document.suites() {
            let seconds = format!("{:.1}", suite.seconds);
            rows.add_row([
                suite.name.to_string(),
                grouped(suite.jobs),
                grouped(suite.failed),
                grouped(suite.cycles),
                seconds,
            ]);
        }
        let mut text = format!("{rows}\n");
        if let Some(blocks) = covered {
            text += &coverage::text(blocks);
        }
        for (result, failure) in document.failures() {
            text += &format!("{}: {}\n  again: {}\n", result.name, failure.message, failure.replay);
        }
        print(&format!("{text}report: {}\n", page.display()))?;
    }
    let short = covered.unwrap_or_default().iter().filter(|block| !block.met).count();
    match document.failures().count() {
        0 if arguments.coverage_goal && short > 0 => {
            Err(CliError::Check(format!("{short} blocks do not meet the goal of coverage")))
        }
        0 => Ok(()),
        failed => Err(CliError::Check(format!("{failed} of {} jobs failed", document.results.len()))),
    }
}
