//! Mutation (XV-12): a thousand ways and more to break a block's export, all in one Verilated model, each run on the traffic of lockstep until an
//! output differs; what survives is tried for equivalence, and what is left is alive and wants a test or a reason.

pub mod alike;
mod attempt;
mod beyond;
mod circuit;
mod contracts;
pub mod equivalence;
mod graph;
pub mod hierarchy;
pub mod larger;
mod lexer;
pub mod notes;
mod operators;
mod parser;
pub mod parts;
pub mod relation;
pub mod report;
pub mod run;
pub mod schema;
mod state;
mod surroundings;
mod tree;
mod unloaded;

use crate::coverage::reasons::promises_of;
use crate::error::{Error, Result};
use crate::lockstep::campaign::Plan;
use crate::verilated::Source;
use alike::Block;
use equivalence::{Kept, Known, Prover, Verdict};
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use hierarchy::Hierarchy;
use notes::Notes;
use relation::Answer;
use report::{Report, Survivor};
use run::{Broken, Progress};
use schema::{Mutant, Schema};
use state::State;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use surroundings::Surroundings;

/// Cycles of traffic before the first proofs: what is proven is not replayed any further.
const BEFORE_PROOFS: u64 = 63_000;

/// How thoroughly a block is mutated.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Mutants, at most.
    pub count: usize,
    /// Cycles of traffic that a mutant has to survive.
    pub cycles: u64,
    /// Names the choice of mutants and all traffic.
    pub seed: u64,
    /// How long a survivor is tried for equivalence; none leaves that out.
    pub prove: Option<Duration>,
    /// Only this mutant of the choice; its state is not kept.
    pub only: Option<u32>,
    /// The folder that keeps the state, if it is kept.
    pub folder: Option<PathBuf>,
    /// Begin anew.
    pub fresh: bool,
}

/// Told of a run as it goes: cycles of traffic so far, and mutants alive; then survivors tried for equivalence, of so many.
pub trait Watch: Sync {
    /// Traffic.
    fn traffic(&self, cycles: u64, alive: usize);
    /// Proofs.
    fn proofs(&self, done: usize, of: usize);
}

/// Hears of nothing.
#[cfg(test)]
struct Nobody;

#[cfg(test)]
impl Watch for Nobody {
    fn traffic(&self, _: u64, _: usize) {}
    fn proofs(&self, _: usize, _: usize) {}
}

/// Mutates `entry`.
///
/// # Errors
/// A missing tool, Ctrl-C, a block that fails unbroken.
pub fn mutate(entry: &Entry, settings: &Settings, watch: &dyn Watch) -> std::result::Result<Report, CliError> {
    let notes = Notes::read()?;
    let source = Source::of(entry)?;
    let mut schema = schema::schema(&source, settings.count, settings.seed)?;
    let around = Surroundings::of(entry, &source)?;
    let mut state = state_of(entry, settings, &mut schema, around.as_ref())?;
    let model = Broken::of(&schema)?;
    // Most of what can be noticed is, soon; most of what can be proven takes seconds. Of the rest a larger point and the long traffic leave few for the other proofs, which
    // take minutes each.
    let plan = |cycles| Plan { cycles, seed: settings.seed, alone: false };
    traffic(entry, &schema, &model, plan(settings.cycles.min(BEFORE_PROOFS)), &mut state, watch)?;
    let prover = settings.prove.map(|limit| prover(entry, &schema, limit, &mut state, watch)).transpose()?.flatten();
    beyond(entry, &schema, &model, plan(settings.cycles.min(BEFORE_PROOFS)), &mut state, watch)?;
    larger::look(entry, &source, &schema, plan(settings.cycles), &mut state, watch)?;
    traffic(entry, &schema, &model, plan(settings.cycles), &mut state, watch)?;
    let mut answers = BTreeMap::new();
    if let (Some(prover), Some(limit)) = (prover, settings.prove) {
        prove(&schema, &prover, limit, &mut state, watch)?;
        // Who knows why says what others search for in vain, each for minutes.
        let block = Block { entry, source: &source, around: around.as_ref(), limit };
        answers = judge_notes(&notes, &block, &open(&schema, &state), watch)?;
        prove_as_proven(entry, &schema, prover, (limit, &answers), &mut state, watch)?;
    }
    if let (Some(around), Some(limit)) = (&around, settings.prove) {
        let left = unanswered(&schema, &state, &answers);
        around.prove(&source, &left, limit, &mut |decided| state.learn(decided), watch)?;
    }
    let hierarchy = Hierarchy::of(&source.files);
    state.survivors = survivors(entry, settings, &schema, &state, &answers, &|mutant| {
        notes.reason(entry, &hierarchy, mutant, lines_of(&source, mutant))
    });
    state.save()?;
    Ok(Report {
        block: entry.block.to_string(),
        point: entry.point.to_string(),
        candidates: schema.candidates,
        mutants: schema.mutants.len(),
        killed: state.progress.killed.len(),
        cycles: state.progress.cycles,
        survivors: state.survivors,
    })
}

/// What comes of what notes say of `mutants`, by number: whether states that they call alike stay alike.
fn judge_notes(
    notes: &Notes,
    block: &Block<'_>,
    mutants: &[&Mutant],
    watch: &dyn Watch,
) -> std::result::Result<BTreeMap<u32, Answer>, CliError> {
    let hierarchy = Hierarchy::of(&block.source.files);
    let claim = |mutant: &&Mutant| notes.alike(block.entry, &hierarchy, mutant, lines_of(block.source, mutant));
    let claims: Vec<_> = mutants.iter().filter_map(|mutant| Some((*mutant, claim(mutant)?))).collect();
    block.judge(&claims, watch)
}

/// Of all mutants of `entry`, noticed or not, of which a note says by which states that are alike nobody notices them: each with what comes of that.
///
/// # Errors
/// A missing tool, Ctrl-C, a note about a proof or a wire that there is not.
pub fn alike(
    entry: &Entry,
    settings: &Settings,
    watch: &dyn Watch,
) -> std::result::Result<Vec<(Mutant, Answer)>, CliError> {
    let source = Source::of(entry)?;
    let mut schema = schema::schema(&source, settings.count, settings.seed)?;
    let around = Surroundings::of(entry, &source)?;
    state_of(entry, settings, &mut schema, around.as_ref())?;
    let limit = settings.prove.unwrap_or_default();
    let block = Block { entry, source: &source, around: around.as_ref(), limit };
    let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
    let mut answers = judge_notes(&Notes::read()?, &block, &mutants, watch)?;
    Ok(mutants.iter().filter_map(|mutant| Some(((*mutant).clone(), answers.remove(&mutant.number)?))).collect())
}

/// Runs the traffic of `plan`, as far as the run has not come yet.
fn traffic(
    entry: &Entry,
    schema: &Schema,
    model: &Broken,
    plan: Plan,
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<(), CliError> {
    let (all, begun) = (schema.mutants.len(), state.progress.clone());
    // What is proven no traffic can tell, and what was noticed at a larger point need not be told here.
    let mutants = open(schema, state);
    let mut told = |progress: &Progress| {
        state.progress = progress.clone();
        watch.traffic(progress.cycles, all - progress.killed.len());
        state.save()
    };
    run::run(entry, &mutants, model, plan, begun, &mut told, &|cycles, alive| watch.traffic(cycles, alive))?;
    Ok(())
}

/// Runs what the traffic of lockstep does not bring.
fn beyond(
    entry: &Entry,
    schema: &Schema,
    model: &Broken,
    plan: Plan,
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<(), CliError> {
    let killed = beyond::as_written(entry, &open(schema, state), model)?;
    state.progress.killed.extend(killed);
    let left = open(schema, state);
    let begun = state.alike.clone();
    let mut told = |progress: &Progress| {
        state.progress.killed.extend(progress.killed.clone());
        state.alike = progress.clone();
        state.save()
    };
    if !left.is_empty() {
        beyond::from_alike(entry, schema, &left, plan, begun, &mut told, &|cycles, alive| {
            watch.traffic(cycles, alive)
        })?;
    }
    state.save()
}

/// Those that nobody has noticed and that are not proven.
fn open<'a>(schema: &'a Schema, state: &State) -> Vec<&'a Mutant> {
    schema.mutants.iter().filter(|mutant| state.is_open(mutant.number)).collect()
}

/// Those of them that methods without proofs may decide within `limit`, as far as is known.
fn undecided<'a>(schema: &'a Schema, state: &State, limit: Duration) -> Vec<&'a Mutant> {
    open(schema, state).into_iter().filter(|mutant| state.is_undecided(mutant.number, limit)).collect()
}

/// Tries those that nobody has noticed yet for equivalence, by the method that decides most; none if there is nobody left.
fn prover(
    entry: &Entry,
    schema: &Schema,
    limit: Duration,
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<Option<Prover>, CliError> {
    let left = open(schema, state);
    if left.is_empty() {
        return Ok(None);
    }
    let (instrumented, unloaded) = unloaded::with_unloaded(schema, &left);
    let prover = Prover::of(&instrumented, &left, &promises_of(entry)?)?.with_unloaded(unloaded);
    let left = undecided(schema, state, limit);
    prover.rounds(left, (Known::Nothing, &Kept::ALL[..1]), limit, &mut |decided| state.learn(decided), watch)?;
    Ok(Some(prover))
}

/// Tries the rest, by the other methods.
fn prove(
    schema: &Schema,
    prover: &Prover,
    limit: Duration,
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<(), CliError> {
    let left = undecided(schema, state, limit);
    prover.rounds(left, (Known::Nothing, &Kept::ALL[1..]), limit, &mut |decided| state.learn(decided), watch)?;
    state.exhaust(&undecided(schema, state, limit), limit);
    Ok(())
}

/// Tries what is left then, and has no note that answers, under what the proofs assume and have shown: inputs that could tell may be such as no traffic has.
fn prove_as_proven(
    entry: &Entry,
    schema: &Schema,
    prover: Prover,
    (limit, answers): (Duration, &BTreeMap<u32, Answer>),
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<(), CliError> {
    let left = unanswered(schema, state, answers);
    if !left.is_empty() {
        let (instrumented, unloaded) = unloaded::with_unloaded(schema, &left);
        let prover = prover.with_unloaded(unloaded).knowing(contracts::contracts(entry, &instrumented)?);
        prover.rounds_as_proven(left, limit, &mut |decided| state.learn(decided), watch)?;
    }
    Ok(())
}

/// Those that nobody has noticed and that are not proven, by a note or otherwise.
fn unanswered<'a>(schema: &'a Schema, state: &State, answers: &BTreeMap<u32, Answer>) -> Vec<&'a Mutant> {
    let is_alike = |mutant: &&Mutant| answers.get(&mutant.number) == Some(&Answer::Alike);
    open(schema, state).into_iter().filter(|mutant| !is_alike(mutant)).collect()
}

/// Where the run stands; a run of one mutant leaves only that one in the schema.
fn state_of(entry: &Entry, settings: &Settings, schema: &mut Schema, around: Option<&Surroundings>) -> Result<State> {
    let fingerprint = fingerprint_of(&schema.source);
    let mut proofs = contracts::fingerprint()?;
    if let Some(around) = around {
        proofs += &fingerprint_of(around.source());
    }
    let folder = settings.folder.as_deref().filter(|_| settings.only.is_none());
    if let Some(only) = settings.only {
        schema.mutants.retain(|mutant| mutant.number == only);
        if schema.mutants.is_empty() {
            return Err(Error::Input {
                place: format!("--only {only}"),
                cause: "there is no such mutant".into(),
                hint: "--count and --seed have to be those of the run that named it".into(),
            });
        }
    }
    State::open(folder, &entry.module(), settings.seed, [fingerprint, proofs], settings.fresh)
}

/// A hash of Verilog.
fn fingerprint_of(source: &Source) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in &source.files {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

/// The line of the export that `mutant` breaks, behind the one before it.
fn lines_of<'a>(source: &'a Source, mutant: &Mutant) -> [&'a str; 2] {
    let file = source.files.iter().find(|(name, _)| *name == mutant.file);
    let line = |number: usize| file.and_then(|(_, text)| text.lines().nth(number)).unwrap_or_default();
    [line(mutant.line.wrapping_sub(2)), line(mutant.line.wrapping_sub(1))]
}

fn survivors<'a>(
    entry: &Entry,
    settings: &Settings,
    schema: &Schema,
    state: &State,
    answers: &BTreeMap<u32, Answer>,
    reason: &dyn Fn(&Mutant) -> Option<&'a str>,
) -> Vec<Survivor> {
    let again = |number: u32| {
        let Settings { count, seed, cycles, .. } = settings;
        let (block, point) = (entry.block, entry.point);
        format!(
            "cargo tb mutate {block} --point {point} --count {count} --seed {seed} --cycles {cycles} --only {number}"
        )
    };
    let alive = schema.mutants.iter().filter(|mutant| !state.progress.killed.contains_key(&mutant.number));
    alive
        .map(|mutant| Survivor {
            mutant: mutant.clone(),
            verdict: match answers.get(&mutant.number) {
                Some(Answer::Alike) => Some(Verdict::StaysAlike),
                _ => state.verdicts.get(&mutant.number).copied(),
            },
            larger: state.larger.noticed.get(&mutant.number).cloned(),
            // A reason that was to be proven, and is not, is none.
            reason: match answers.get(&mutant.number) {
                Some(Answer::Apart(_) | Answer::Undecided) => None,
                _ => reason(mutant).map(String::from),
            },
            again: again(mutant.number),
        })
        .collect()
}
