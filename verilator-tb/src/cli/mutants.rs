//! `cargo tb mutants`: breaks the exported Verilog on purpose, and expects lockstep to say so, or for a whole core random grids.
//!
//! The list is data, `verilator-tb/mutants/*.json`: a text of the export and what replaces it. A text that the export no longer contains,
//! or contains twice, is an error: a list that silently breaks nothing would prove nothing.

use super::{core_mutants, lockstep_entries, smallest_entry};
use crate::error::Error;
use crate::lockstep::campaign::{self, Plan, Watch};
use crate::verilated::{Model, Options, Source};
use clap::Args;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{print, print_json, table, ProgressReport};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// The lists, by system.
const LISTS: [(&str, &str); 6] = [
    ("divergence.json", include_str!("../../mutants/divergence.json")),
    ("barrier.json", include_str!("../../mutants/barrier.json")),
    ("launch.json", include_str!("../../mutants/launch.json")),
    ("context.json", include_str!("../../mutants/context.json")),
    ("tree.json", include_str!("../../mutants/tree.json")),
    ("core.json", include_str!("../../mutants/core.json")),
];

/// The options of `mutants`.
#[derive(Clone, Debug, Args)]
pub struct MutantsArguments {
    /// The block to break (all that have mutants, but for `control_core`, whose own are asked for by its name: a minute each to build)
    pub block: Option<String>,
    /// The parameter point to break (each block's smallest, or the one that the list names)
    #[arg(long, value_name = "P")]
    pub point: Option<String>,
    /// Cycles of lockstep for each mutant, at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub cycles: u64,
    /// Names all stimulus
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// One way to break a block.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    /// The block.
    block: String,
    /// What is broken, in words.
    name: String,
    /// The part whose file is edited; empty for the top module.
    file: String,
    /// A text that stands in that file exactly once.
    pattern: String,
    /// What stands there instead.
    replacement: String,
    /// The parameter point that shows it, where the smallest cannot.
    #[serde(default)]
    point: Option<String>,
}

/// What became of a mutant.
#[derive(Clone, Debug, Serialize)]
struct Verdict {
    block: String,
    point: &'static str,
    name: String,
    caught: bool,
    cycle: Option<u64>,
    /// The random grid that gave it away.
    program: Option<u64>,
    what: Option<String>,
}

/// Lets campaigns run until Ctrl-C.
struct UntilInterrupted;

impl Watch for UntilInterrupted {
    fn passed(&self, _: u64) -> bool {
        !interrupted()
    }
}

/// The mutants of a block, or of all.
fn mutants(block: Option<&str>) -> Result<Vec<Mutant>, Error> {
    let mut all = Vec::new();
    for (file, text) in LISTS {
        let list: Vec<Mutant> = serde_json::from_str(text)
            .map_err(|cause| Error::Internal { place: file.into(), cause: cause.to_string() })?;
        all.extend(list);
    }
    all.retain(|mutant| block.map_or(mutant.block != core_mutants::BLOCK, |block| block == mutant.block));
    Ok(all)
}

/// What a mutant breaks: the point asked for, or its own, or the smallest.
fn entry_of(mutant: &Mutant, point: Option<&str>) -> Result<Entry, Error> {
    let point = point.or(mutant.point.as_deref());
    smallest_entry(&mutant.block, point)
}

/// The export `source` of `entry`, broken.
fn broken(entry: &Entry, mut source: Source, mutant: &Mutant) -> Result<Source, Error> {
    let part = if mutant.file.is_empty() { String::new() } else { format!("_{}", mutant.file) };
    let name = format!("{}{part}.v", entry.module());
    let stale = |cause: String| Error::Internal { place: format!("mutant `{}` of {name}", mutant.name), cause };
    let Some((_, text)) = source.files.iter_mut().find(|(file, _)| *file == name) else {
        return Err(stale("the export has no such file".into()));
    };
    match text.matches(&mutant.pattern).count() {
        1 => *text = text.replace(&mutant.pattern, &mutant.replacement),
        count => return Err(stale(format!("its pattern stands there {count} times: {}", mutant.pattern))),
    }
    Ok(source)
}

fn judge(entry: &Entry, mutant: &Mutant, plan: Plan) -> Result<Verdict, CliError> {
    let model =
        Model::build(&broken(entry, Source::of(entry)?, mutant)?, &Options { quick: true, ..Options::CHECKING })?;
    let (block, name, point) = (mutant.block.clone(), mutant.name.clone(), entry.point);
    if mutant.block == core_mutants::BLOCK {
        let (program, what) = core_mutants::first_wrong(entry, &model, plan.seed)?.unzip();
        return Ok(Verdict { block, point, name, caught: what.is_some(), cycle: None, program, what });
    }
    let outcome = campaign::run(entry, &model, plan, None, &UntilInterrupted)?;
    let found = outcome.failure.map(|found| found.what);
    Ok(Verdict {
        block,
        point,
        name,
        caught: found.is_some(),
        cycle: found.as_ref().map(|failure| failure.cycle),
        program: None,
        what: found.map(|failure| failure.what),
    })
}

/// Builds each mutant and runs it in lockstep.
///
/// # Errors
/// Bad input, a missing tool, a stale list, Ctrl-C, or a mutant that nobody noticed.
pub fn run(arguments: &MutantsArguments) -> Result<(), CliError> {
    let list = mutants(arguments.block.as_deref())?;
    let mut work = Vec::new();
    for mutant in &list {
        work.push((entry_of(mutant, arguments.point.as_deref())?, mutant));
    }
    if let (Some(block), true) = (&arguments.block, work.is_empty()) {
        lockstep_entries(block, &[])?;
        return Err(CliError::input(format!("{block} has no mutants"), "verilator-tb/mutants lists them"));
    }
    let plan = Plan { cycles: arguments.cycles, seed: arguments.seed, alone: false };
    let (done, total) = (AtomicU64::new(0), work.len() as u64);
    let progress = Mutex::new(ProgressReport::new(Some(total)));
    let verdicts = work
        .par_iter()
        .map(|(entry, mutant)| {
            let verdict = judge(entry, mutant, plan)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Ok(mut report) = progress.lock() {
                report.update(done, || format!("{done} of {total} mutants"));
            }
            Ok(verdict)
        })
        .collect::<Result<Vec<Verdict>, CliError>>()?;
    drop(progress);
    if arguments.json {
        print_json(&Document::new("heddle.mutants", MutantsDocument { mutants: &verdicts }))?;
    } else {
        print(&describe(&verdicts))?;
    }
    match verdicts.iter().filter(|verdict| !verdict.caught).count() {
        0 => Ok(()),
        missed => Err(CliError::Check(format!("{missed} of {} mutants went unnoticed", verdicts.len()))),
    }
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct MutantsDocument<'a> {
    mutants: &'a [Verdict],
}

fn describe(verdicts: &[Verdict]) -> String {
    let mut rows = table(&["block", "broken on purpose", "caught in cycle", "by"], 2);
    for verdict in verdicts {
        let place = match (verdict.cycle, verdict.program) {
            (Some(cycle), _) => cycle.to_string(),
            (None, Some(program)) => format!("grid {program}"),
            (None, None) => "NOT CAUGHT".to_string(),
        };
        let what: String = verdict.what.as_deref().unwrap_or("").chars().take(60).collect();
        rows.add_row(vec![verdict.block.clone(), verdict.name.clone(), place, what]);
    }
    let caught = verdicts.iter().filter(|verdict| verdict.caught).count();
    format!("{rows}\n{caught} of {} mutants caught\n", verdicts.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// XV-12: what each mutant breaks stands in the export, exactly once: a list that fell behind its block is found without building anything.
    #[test]
    fn xv_12_every_mutant_finds_its_place() {
        let mut sources = BTreeMap::new();
        for block in [None, Some(core_mutants::BLOCK)] {
            let list = mutants(block).expect("the lists are well-formed");
            assert!(list.len() >= 10);
            for mutant in &list {
                let entry = entry_of(mutant, None).expect("a known block");
                let source = sources.entry(entry.module()).or_insert_with(|| Source::of(&entry).expect("an export"));
                broken(&entry, source.clone(), mutant).unwrap_or_else(|stale| panic!("{stale}"));
            }
        }
    }
}
