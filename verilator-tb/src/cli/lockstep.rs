//! `cargo tb lockstep` and `cargo tb replay`: a block's or a core's Rust simulation, its Verilated export and its reference model, cycle by cycle.

use super::{lockstep_entries, smallest};
use crate::core_lockstep::{self, is_core};
use crate::error::Error;
use crate::gates::Gates;
use crate::lockstep::campaign::{Again, Found, Outcome, Plan, Watch};
use crate::lockstep::case::Subject;
use crate::lockstep::rig::Rig;
use crate::verilated::{Model, Options, Source};
use clap::Args;
use heddle_hdl::points;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files::read_text;
use heddle_sim::cli::interrupt::interrupted;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{grouped, print, print_json, table, ProgressReport};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// Cycles at each point from which on a run of all points has to meet everything that is expected of the traffic.
const THOROUGH: u64 = 1_000_000;

/// The options of `lockstep`.
#[derive(Clone, Debug, Args)]
pub struct LockstepArguments {
    /// The block or the control core, as `cargo export list` names it
    pub block: String,
    /// A parameter point; may be repeated (all points)
    #[arg(long = "point", value_name = "P")]
    pub points: Vec<String>,
    /// Only the block's smallest point
    #[arg(long, conflicts_with = "points")]
    pub smallest: bool,
    /// Refuse to run for less than it takes to judge what the traffic meets: all points of a block, or a core, for long enough
    #[arg(long, conflicts_with = "points")]
    pub thorough: bool,
    /// Cycles to compare at each point, at least
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub cycles: u64,
    /// Names all stimulus: the same seed gives the same run
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Only the export, from random registers and memories, under what its ports owe
    #[arg(long)]
    pub alone: bool,
    /// Also the gates that synthesis makes of the export, as a third simulation
    #[arg(long)]
    pub gates: bool,
    /// Folder into which a failing case is saved, shrunk
    #[arg(long, value_name = "DIR", default_value = "build/lockstep")]
    pub failures: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The options of `replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArguments {
    /// A file that `cargo tb lockstep` saved
    pub file: PathBuf,
    /// Beside the gates that synthesis makes of the export
    #[arg(long)]
    pub gates: bool,
    /// Also write a waveform (VCD)
    #[arg(long, value_name = "FILE")]
    pub wave: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints of a point.
#[derive(Debug, Serialize)]
struct PointDocument {
    point: &'static str,
    cycles: u64,
    random_start_cycles: u64,
    episodes: u64,
    mismatches: u32,
    counts: BTreeMap<&'static str, u64>,
    never_seen: Vec<&'static str>,
    failure: Option<FailureDocument>,
}

/// What `--json` prints of a failure.
#[derive(Debug, Serialize)]
struct FailureDocument {
    cycle: u64,
    what: String,
    operations: usize,
    file: Option<PathBuf>,
}

/// What `--json` prints of a run.
#[derive(Debug, Serialize)]
struct LockstepDocument {
    block: String,
    seed: u64,
    points: Vec<PointDocument>,
    unmet: Vec<&'static str>,
}

/// What `--json` prints of a replay.
#[derive(Debug, Serialize)]
struct ReplayDocument {
    block: String,
    point: String,
    saved_failure: String,
    failure: Option<String>,
}

/// Shows the progress of all points together, and stops them on Ctrl-C.
struct Progress {
    done: AtomicU64,
    total: u64,
    report: Mutex<ProgressReport>,
}

impl Watch for Progress {
    fn passed(&self, cycles: u64) -> bool {
        let done = self.done.fetch_add(cycles, Ordering::Relaxed) + cycles;
        if let Ok(mut report) = self.report.lock() {
            report.update(done.min(self.total), || format!("{} of {} cycles", grouped(done), grouped(self.total)));
        }
        !interrupted()
    }
}

/// Runs a block in lockstep at the points asked for.
///
/// # Errors
/// Bad input, a missing tool, Ctrl-C, or a mismatch.
pub fn lockstep(arguments: &LockstepArguments) -> Result<(), CliError> {
    if arguments.thorough && !is_thorough(arguments) {
        return Err(Error::Input {
            place: "--thorough".into(),
            cause: format!("{} is judged from {} cycles on", arguments.block, grouped(thorough(&arguments.block))),
            hint: "ask for as many --cycles, and of a block for all of its points: no --smallest".into(),
        }
        .into());
    }
    let mut entries = lockstep_entries(&arguments.block, &arguments.points)?;
    if arguments.smallest {
        entries = vec![smallest(&arguments.block, entries)?];
    }
    let total = arguments.cycles * entries.len() as u64;
    let progress = Progress { done: AtomicU64::new(0), total, report: Mutex::new(ProgressReport::new(Some(total))) };
    let plan = Plan { cycles: arguments.cycles, seed: arguments.seed, alone: arguments.alone };
    let outcomes = entries
        .par_iter()
        .map(|entry| {
            let rig: Box<dyn Rig> = match arguments.gates {
                true => Box::new(Gates::build(entry)?),
                false => Box::new(Model::build(&Source::of(entry)?, &Options::CHECKING)?),
            };
            core_lockstep::run(entry, &*rig, plan, Some(&arguments.failures), &progress)
        })
        .collect::<Result<Vec<Outcome>, CliError>>()?;
    drop(progress);
    let unmet = unmet(arguments, &outcomes);
    if arguments.json {
        let points = outcomes.iter().map(document).collect();
        let (block, seed, unmet) = (arguments.block.clone(), arguments.seed, unmet.clone());
        print_json(&Document::new("heddle.lockstep", LockstepDocument { block, seed, points, unmet }))?;
    } else {
        print(&describe(arguments, &outcomes))?;
    }
    match outcomes.iter().filter(|outcome| outcome.failure.is_some()).count() {
        0 if unmet.is_empty() => Ok(()),
        0 => Err(CliError::Check(format!("{}: happened at no point: {}", arguments.block, unmet.join(", ")))),
        failed => Err(CliError::Check(format!("{}: {failed} of {} points differ", arguments.block, outcomes.len()))),
    }
}

/// Cycles from which on a run of this block, or core, is judged.
fn thorough(block: &str) -> u64 {
    if is_core(block) {
        core_lockstep::campaign::THOROUGH
    } else {
        THOROUGH
    }
}

/// Whether a run is judged by what its traffic meets: it is long enough, and of all points; of a core its smallest one will do.
fn is_thorough(arguments: &LockstepArguments) -> bool {
    let LockstepArguments { ref block, cycles, smallest, ref points, .. } = *arguments;
    cycles >= thorough(block) && (!smallest || is_core(block)) && points.is_empty()
}

/// What a thorough run should have met at one of its points at least. Empty for others.
fn unmet(arguments: &LockstepArguments, outcomes: &[Outcome]) -> Vec<&'static str> {
    if !is_thorough(arguments) {
        return Vec::new();
    }
    let everywhere = |event: &&str| outcomes.iter().all(|outcome| outcome.missing.contains(event));
    outcomes.first().map_or(Vec::new(), |first| first.missing.iter().copied().filter(everywhere).collect())
}

fn document(outcome: &Outcome) -> PointDocument {
    PointDocument {
        point: outcome.point,
        cycles: outcome.cycles,
        random_start_cycles: outcome.random_start_cycles,
        episodes: outcome.episodes,
        mismatches: u32::from(outcome.failure.is_some()),
        counts: outcome.counts.iter().collect(),
        never_seen: outcome.missing.clone(),
        failure: outcome.failure.as_ref().map(|found| FailureDocument {
            cycle: found.what.cycle,
            what: found.what.what.clone(),
            operations: found.operations.1,
            file: found.file.clone(),
        }),
    }
}

/// One table: events down, points across.
fn describe(arguments: &LockstepArguments, outcomes: &[Outcome]) -> String {
    let mut headers = vec![arguments.block.as_str()];
    headers.extend(outcomes.iter().map(|outcome| outcome.point));
    let mut rows = table(&headers, 1);
    let mut row = |name: &str, value: &dyn Fn(&Outcome) -> String| {
        let mut cells = vec![name.to_string()];
        cells.extend(outcomes.iter().map(value));
        rows.add_row(cells);
    };
    row("cycles compared", &|outcome| grouped(outcome.cycles));
    row("cycles from a random start", &|outcome| grouped(outcome.random_start_cycles));
    row("episodes", &|outcome| grouped(outcome.episodes));
    row("mismatches", &|outcome| usize::from(outcome.failure.is_some()).to_string());
    let events: BTreeSet<&str> =
        outcomes.iter().flat_map(|outcome| outcome.counts.iter().map(|(name, _)| name)).collect();
    for event in events {
        row(&format!("  {event}"), &|outcome| grouped(outcome.counts.of(event)));
    }
    let mut text = format!("{rows}\nseed {}\n", arguments.seed);
    for outcome in outcomes.iter().filter(|outcome| !outcome.missing.is_empty()) {
        text += &format!("{}: never happened in this run: {}\n", outcome.point, outcome.missing.join(", "));
    }
    for outcome in outcomes {
        if let Some(found) = &outcome.failure {
            text += &failure(arguments, outcome, found);
        }
    }
    text
}

fn failure(arguments: &LockstepArguments, outcome: &Outcome, found: &Found) -> String {
    let (before, after) = found.operations;
    let mut text = format!("{}_{}: {}\n", outcome.block, outcome.point, found.what);
    if let Some(file) = &found.file {
        text += &format!(
            "  shrunk from {before} to {after} operations; see it again with: cargo tb replay {}{}\n",
            if arguments.gates { "--gates " } else { "" },
            file.display()
        );
    }
    text
}

/// Runs a saved case once more.
///
/// # Errors
/// Bad input, a missing tool, or the failure, if it is still there.
pub fn replay(arguments: &ReplayArguments) -> Result<(), CliError> {
    let text = read_text(&arguments.file, "a saved case")?;
    let subject = Subject::parse(&text, &arguments.file)?;
    let entry = points::find(&subject.block, &subject.point).ok_or_else(|| Error::Input {
        place: arguments.file.display().to_string(),
        cause: format!("there is no block {} at point {}", subject.block, subject.point),
        hint: "`cargo export list` shows the blocks and points of this version".into(),
    })?;
    let options = Options { trace: arguments.wave.is_some(), ..Options::CHECKING };
    let model = Model::build(&Source::of(&entry)?, &options)?;
    let gates = if arguments.gates { Some(Gates::build(&entry)?) } else { None };
    let netlist = gates.as_ref().map(|gates| &gates.netlist);
    let again = Again { text: &text, path: &arguments.file, wave: arguments.wave.as_deref(), netlist };
    let (saved, result) = core_lockstep::replay(&entry, &model, &again)?;
    if arguments.json {
        let failure = result.as_ref().err().map(ToString::to_string);
        let Subject { block, point, .. } = subject;
        let document = ReplayDocument { block, point, saved_failure: saved, failure };
        print_json(&Document::new("heddle.replay", document))?;
    } else {
        let outcome = match &result {
            Ok(cycles) => format!("no mismatch in {cycles} cycles"),
            Err(failure) => failure.to_string(),
        };
        print(&format!("{}: {outcome}\nwhen it was saved: {saved}\n", entry.module()))?;
    }
    result.map(|_| ()).map_err(|_| CliError::Check(format!("{} still differs", entry.module())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::bench::Counts;
    use clap::Parser;

    #[derive(Parser)]
    struct Door {
        #[command(flatten)]
        arguments: LockstepArguments,
    }

    fn asked(words: &str) -> LockstepArguments {
        Door::parse_from(["lockstep"].into_iter().chain(words.split_whitespace())).arguments
    }

    fn outcome(missing: &[&'static str]) -> Outcome {
        let (counts, missing) = (Counts::default(), missing.to_vec());
        Outcome {
            block: "leaf_selector",
            point: "1x8x8",
            cycles: 1,
            random_start_cycles: 1,
            episodes: 1,
            counts,
            missing,
            failure: None,
        }
    }

    /// XV-02: what happened at no point of a thorough run is told, and nothing that happened at one of them; a run that is shorter, or not of all points, tells of none.
    #[test]
    fn xv_02_what_happens_nowhere_is_told() {
        let outcomes = [outcome(&["a", "b"]), outcome(&["b", "c"])];
        for (words, wanted) in [
            ("leaf_selector", &["b"][..]),
            ("leaf_selector --cycles 999999", &[]),
            ("leaf_selector --point 1x8x8", &[]),
            ("leaf_selector --smallest", &[]),
            ("control_core --smallest --cycles 500000", &["b"]),
            ("control_core --cycles 499999", &[]),
        ] {
            let arguments = asked(words);
            assert_eq!(unmet(&arguments, &outcomes), wanted, "{words}");
            let refused = LockstepArguments { thorough: true, cycles: 1, ..arguments };
            assert!(matches!(lockstep(&refused), Err(CliError::Input(_))), "{words}");
        }
    }
}
