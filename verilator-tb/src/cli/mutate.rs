//! `cargo tb mutate`: a thousand mutants of a block's export in one Verilated model, each run on lockstep traffic until an output differs.

use super::smallest_entry;
use crate::core_lockstep::is_core;
use crate::core_mutation;
use crate::error::Error;
use crate::lockstep::campaign::blocks;
use crate::mutation::relation::Answer;
use crate::mutation::report::Report;
use crate::mutation::report::TABLE;
use crate::mutation::schema::Mutant;
use crate::mutation::{alike, mutate, Settings, Watch};
use clap::Args;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{grouped, print, print_json, ProgressReport};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// The options of `mutate`.
#[derive(Clone, Debug, Args)]
pub struct MutateArguments {
    /// The block to break (all, one after the other), or a core, what it has beside its blocks
    pub block: Option<String>,
    /// The parameter point (each block's smallest)
    #[arg(long, value_name = "P", requires = "block")]
    pub point: Option<String>,
    /// Mutants of each block, at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub count: u32,
    /// Cycles of traffic that a mutant has to survive
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub cycles: u64,
    /// Names the choice of mutants and all traffic
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Only this mutant of that choice, to see it again
    #[arg(long, value_name = "N", requires = "block")]
    pub only: Option<u32>,
    /// Seconds for each method that tries to prove a survivor equivalent, in each module; 0 leaves that out
    #[arg(long, value_name = "S", default_value_t = 20)]
    pub prove: u64,
    /// So many may be alive, over all blocks
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub alive: usize,
    /// Folder that keeps how far the run of a block came, and the survivors; a second run goes on from there
    #[arg(long, value_name = "DIR", default_value = "build/mutation")]
    pub state: PathBuf,
    /// Forget what the folder has
    #[arg(long)]
    pub fresh: bool,
    /// Run no mutant: ask only of those whose note says which states are alike whether these stay alike
    #[arg(long, conflicts_with = "document")]
    pub alike: bool,
    /// Also put the numbers into this document, between its marks
    #[arg(long, value_name = "FILE")]
    pub document: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct MutateDocument<'a> {
    seed: u64,
    blocks: &'a [Report],
}

/// Shows how a block comes along.
struct Progress {
    module: String,
    bar: Mutex<ProgressReport>,
}

impl Watch for Progress {
    fn traffic(&self, cycles: u64, alive: usize) {
        if let Ok(mut bar) = self.bar.lock() {
            bar.update(cycles, || format!("{}: {} cycles, {alive} mutants alive", self.module, grouped(cycles)));
        }
    }

    fn proofs(&self, done: usize, of: usize) {
        if let Ok(mut bar) = self.bar.lock() {
            bar.update(u64::MAX, || format!("{}: {done} of {of} survivors tried for equivalence", self.module));
        }
    }
}

/// Runs the mutants of a block, or of all.
///
/// # Errors
/// Bad input, a missing tool, Ctrl-C, or a mutant that is alive, unproven and unexplained.
pub fn run(arguments: &MutateArguments) -> Result<(), CliError> {
    let names: Vec<&str> = arguments.block.as_deref().map_or_else(|| blocks().collect(), |block| vec![block]);
    let settings = Settings {
        count: arguments.count as usize,
        cycles: arguments.cycles,
        seed: arguments.seed,
        prove: (arguments.prove > 0).then(|| Duration::from_secs(arguments.prove)),
        only: arguments.only,
        folder: Some(arguments.state.clone()),
        fresh: arguments.fresh,
    };
    if arguments.alike {
        return run_alike(arguments, &names, &settings);
    }
    let mut reports = Vec::new();
    for name in names {
        let entry = smallest_entry(name, arguments.point.as_deref())?;
        let bar = Mutex::new(ProgressReport::new(Some(arguments.cycles)));
        let progress = Progress { module: entry.module(), bar };
        let report = match is_core(entry.block) {
            true => core_mutation::mutate(&entry, &settings, &progress)?,
            false => mutate(&entry, &settings, &progress)?,
        };
        if !arguments.json {
            print(&report.text())?;
        }
        if report.mutants == 0 {
            return Err(CliError::Check(format!("{}: there is nothing to be broken", entry.module())));
        }
        reports.push(report);
    }
    if arguments.json {
        let document = MutateDocument { seed: arguments.seed, blocks: &reports };
        print_json(&Document::new("heddle.mutate", document))?;
    }
    if let Some(path) = &arguments.document {
        TABLE.write(path, &reports.iter().map(Report::row).collect::<Vec<_>>())?;
    }
    match reports.iter().map(|report| report.alive().count()).sum::<usize>() {
        alive if alive <= arguments.alive => Ok(()),
        alive => {
            Err(CliError::Check(format!("{alive} mutants are alive: no traffic noticed them, and nothing says why")))
        }
    }
}

/// A mutant of which a note says which states are alike.
#[derive(Debug, Serialize)]
struct Asked {
    block: String,
    #[serde(flatten)]
    mutant: Mutant,
    answer: Answer,
}

/// What `--alike --json` prints.
#[derive(Debug, Serialize)]
struct AlikeDocument<'a> {
    notes: &'a [Asked],
}

/// What `--alike` does.
fn run_alike(arguments: &MutateArguments, names: &[&str], settings: &Settings) -> Result<(), CliError> {
    let mut asked = Vec::new();
    for name in names {
        let entry = smallest_entry(name, arguments.point.as_deref())?;
        if is_core(entry.block) {
            return Err(Error::Input {
                place: format!("--alike {name}"),
                cause: "no note on a mutant of a core says which states are alike".into(),
                hint: "without --alike they are run; cargo tb list names the blocks".into(),
            }
            .into());
        }
        let bar = Mutex::new(ProgressReport::new(None));
        let answers = alike(&entry, settings, &Progress { module: entry.module(), bar })?;
        asked.extend(answers.into_iter().map(|(mutant, answer)| Asked { block: (*name).to_string(), mutant, answer }));
    }
    if arguments.json {
        print_json(&Document::new("heddle.mutate-alike", AlikeDocument { notes: &asked }))?;
    } else {
        for Asked { block, mutant, answer } in &asked {
            print(&format!("{block} {}: {}:{}: {answer}\n", mutant.number, mutant.file, mutant.line))?;
        }
    }
    match asked.iter().filter(|asked| asked.answer != Answer::Alike).count() {
        0 => Ok(()),
        open => {
            Err(CliError::Check(format!("{open} notes say of states that they are alike, and these do not stay so")))
        }
    }
}
