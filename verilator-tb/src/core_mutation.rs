//! Mutation of the cores (XV-12): a thousand ways to break what a core has beside its blocks, which are broken by themselves ([`mutation`](crate::mutation)): fetch, decode, issue, launch, the
//! queues of barriers and wakes, suspension. The traffic is that of [`core_lockstep`]: random programs and grids, judged while it is recorded, then replayed on each mutant until an output differs.
//!
//! What traffic of the core does not notice may be noticed where its module is driven by itself ([`driver`]; asked first, as that takes less), or properties of the module may refute it ([`refutation`]). With its memories as
//! registers a core is too large a circuit for what [`equivalence`](crate::mutation::equivalence) does of blocks: what survives is tried for equivalence in its module, and in those around
//! it, of which blocks are cut out ([`parts`](crate::mutation::parts)); and where it is said what counts of the states of its module, by that ([`alike`]). What none of these decides is alive, or a note says
//! why nobody can notice ([`notes`](crate::mutation::notes)), for what goes on in a block, say.

use crate::core_lockstep::{self, modules};
use crate::error::{Error, Result};
use crate::lockstep::campaign::{self, Plan};
use crate::lockstep::recorder::{Recorder, Recording};
use crate::lockstep::rig::{Contestant, Rig};
use crate::mutation::equivalence::Verdict;
use crate::mutation::hierarchy::Hierarchy;
use crate::mutation::notes::Notes;
use crate::mutation::parts::{lines_of, Parts};
use crate::mutation::report::{Report, Survivor};
use crate::mutation::run::{check_whole, kills, Broken};
use crate::mutation::schema::{self, Mutant, Schema};
use crate::mutation::{Settings, Watch};
use crate::verilated::{Model, Options, Source, Start};
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use state::{State, Step};
use std::collections::BTreeSet;
use std::sync::mpsc::{channel, Sender};
use std::time::Duration;

mod alike;
pub mod driver;
pub mod refutation;
mod state;

/// Cycles of the first piece of traffic, an episode or two, of the second, and of each that follows; each goes on behind the last episode of the piece before.
const PIECES: [u64; 3] = [1_000, 8_000, 64_000];

/// The export, recorded.
struct Recorders<'a> {
    model: &'a Model,
    to: Sender<Recording>,
}

impl Rig for Recorders<'_> {
    fn contestants(&self, _: &Entry, start: Start) -> Vec<Contestant> {
        vec![self.alone(start)]
    }

    fn alone(&self, start: Start) -> Contestant {
        Contestant::export(Recorder::new(self.model.simulation(start), start, self.to.clone()))
    }
}

/// Only Ctrl-C stops the recording.
struct UntilInterrupted;

impl campaign::Watch for UntilInterrupted {
    fn passed(&self, _: u64) -> bool {
        !interrupted()
    }
}

/// Mutates the own modules of a core.
///
/// # Errors
/// A missing tool, Ctrl-C, a core that fails unbroken.
pub fn mutate(entry: &Entry, settings: &Settings, watch: &dyn Watch) -> std::result::Result<Report, CliError> {
    let source = Source::of(entry)?;
    let (schema, candidates) = chosen(&source, settings)?;
    let folder = settings.folder.as_deref().filter(|_| settings.only.is_none());
    let mut state = State::open(folder, &entry.module(), settings.seed, &schema, settings.fresh)?;
    let run = Run { entry, source: &source, schema: &schema, settings, watch };
    // A module is sooner run than the core, so whom its driver notices is not replayed.
    run.driven(&mut state)?;
    run.traffic(&mut state)?;
    if let Some(limit) = settings.prove {
        run.refuted(&mut state, limit)?;
        run.proven(&mut state, limit)?;
    }
    let (notes, hierarchy) = (Notes::read()?, Hierarchy::of(&source.files));
    let again = |number: u32| {
        let Settings { count, seed, cycles, .. } = settings;
        let (block, point) = (entry.block, entry.point);
        format!(
            "cargo tb mutate {block} --point {point} --count {count} --seed {seed} --cycles {cycles} --only {number}"
        )
    };
    let survivor = |mutant: &&Mutant| Survivor {
        mutant: (*mutant).clone(),
        verdict: state.proven.get(&mutant.number).copied(),
        larger: None,
        reason: notes
            .reason(entry, &hierarchy, mutant, lines_of(&source, mutant))
            .filter(|_| has_notes(entry))
            .map(String::from),
        again: again(mutant.number),
    };
    Ok(Report {
        block: entry.block.to_string(),
        point: entry.point.to_string(),
        candidates,
        mutants: schema.mutants.len(),
        killed: state.killed.len(),
        cycles: state.cycles,
        survivors: schema
            .mutants
            .iter()
            .filter(|mutant| !state.killed.contains_key(&mutant.number))
            .map(|mutant| survivor(&mutant))
            .collect(),
    })
}

/// Whether notes are about this point of a core: its smallest, for some are about the last of a number of lines that look alike.
fn has_notes(entry: &Entry) -> bool {
    points::entries().iter().find(|other| other.block == entry.block).is_some_and(|first| first.point == entry.point)
}

/// A core that is being broken.
struct Run<'a> {
    entry: &'a Entry,
    source: &'a Source,
    schema: &'a Schema,
    settings: &'a Settings,
    watch: &'a dyn Watch,
}

impl Run<'_> {
    /// Runs traffic of the whole core until enough cycles have passed or no mutant is left.
    fn traffic(&self, state: &mut State) -> std::result::Result<(), CliError> {
        let Settings { cycles: wanted, seed, .. } = *self.settings;
        if state.cycles >= wanted || state.left(self.schema).is_empty() {
            return Ok(());
        }
        let broken = Broken::of(self.schema)?;
        let model = Model::build(self.source, &Options { quick: true, ..Options::CHECKING })?;
        while state.cycles < wanted {
            let alive = state.left(self.schema);
            if alive.is_empty() {
                break;
            }
            let longest = PIECES[usize::try_from(state.pieces).map_or(2, |piece| piece.min(2))];
            let length = longest.min(wanted - state.cycles);
            let plan = Plan { cycles: length, seed, alone: false };
            let piece = record(self.entry, &model, plan, state.episodes)?;
            let (recordings, passed) = (piece.recordings, piece.cycles);
            if state.pieces == 0 {
                check_whole(self.entry, &recordings)?;
                check_unbroken(&self.entry.module(), &broken, &recordings)?;
            }
            let before = state.cycles;
            let told = |share: u64| self.watch.traffic(before + share * passed / alive.len() as u64, alive.len());
            let killed = kills(&alive, &broken, &recordings, seed, &told)?;
            state.pieces += 1;
            state.cycles += passed;
            state.episodes += piece.episodes;
            state.noticed((Step::Traffic, 0), &[], &killed.into_keys().collect())?;
        }
        Ok(())
    }

    /// Drives modules by themselves.
    fn driven(&self, state: &mut State) -> std::result::Result<(), CliError> {
        let Settings { cycles, seed, .. } = *self.settings;
        let step = (Step::Driver, cycles);
        let due = state.due(self.schema, step);
        let noticed = driver::noticed(self.source, self.schema, &due, (seed, cycles))?;
        self.tell(due.len(), noticed.len(), "are noticed where their module is driven by itself");
        state.noticed(step, &due, &noticed)
    }

    /// Asks what is claimed of modules.
    fn refuted(&self, state: &mut State, limit: Duration) -> std::result::Result<(), CliError> {
        let step = (Step::Properties, limit.as_secs());
        let due = state.due(self.schema, step);
        if due.is_empty() {
            return Ok(());
        }
        let refuted = refutation::refuted(self.entry, self.schema, &due, limit)?;
        self.tell(due.len(), refuted.len(), "are refuted by properties of their modules");
        state.noticed(step, &due, &refuted.into_keys().collect())
    }

    /// Tries what is left for equivalence.
    fn proven(&self, state: &mut State, limit: Duration) -> std::result::Result<(), CliError> {
        let own = modules::own(self.source);
        let seconds = limit.as_secs();
        let due = state.due(self.schema, (Step::Parts, seconds));
        if !due.is_empty() {
            let parts = Parts::of(self.schema, &due, &|module| own.contains(module))?;
            let same = parts.prove(&due, limit, self.watch)?;
            self.tell(due.len(), same.len(), "are the same in a part of the core, whatever it gets");
            state.proved((Step::Parts, seconds), &due, same)?;
        }
        let due = state.due(self.schema, (Step::Alike, seconds));
        let alike = alike::stay_alike(self.entry, self.source, &due, limit, self.watch)?;
        self.tell(due.len(), alike.len(), "are the same by what is said to count of a part");
        let alike = alike.into_iter().map(|number| (number, Verdict::StaysAlike)).collect();
        state.proved((Step::Alike, seconds), &due, alike)
    }

    fn tell(&self, of: usize, some: usize, what: &str) {
        if of > 0 {
            eprintln!("{}: of {of} survivors, {some} {what}", self.entry.module());
        }
    }
}

/// A choice among the ways to break the own modules of a core, in its whole text; and how many ways there are.
fn chosen(source: &Source, settings: &Settings) -> Result<(Schema, usize)> {
    let own = modules::own(source);
    let is_own = |file: &str| file.strip_suffix(".v").is_some_and(|module| own.contains(module));
    let files = source.files.iter().filter(|(file, _)| is_own(file)).cloned().collect();
    let choice = schema::schema(&Source { files, ..source.clone() }, settings.count, settings.seed)?;
    let place = |mutant: &Mutant| (mutant.file.clone(), mutant.node, mutant.becomes.clone());
    let wanted: BTreeSet<_> = choice.mutants.iter().map(place).collect();
    let mut schema = schema::those(source, &|mutant| wanted.contains(&place(mutant)))?
        .ok_or_else(|| Error::Internal { place: source.top.clone(), cause: "it has nothing of its own".into() })?;
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
    Ok((schema, choice.candidates))
}

/// A piece of traffic.
struct Piece {
    /// What the ports showed in its episodes, each from both starts.
    recordings: Vec<Recording>,
    /// Cycles from the common start.
    cycles: u64,
    /// How many episodes it is.
    episodes: u64,
}

/// A piece of traffic from an episode on.
fn record(entry: &Entry, model: &Model, plan: Plan, first: u64) -> std::result::Result<Piece, CliError> {
    let (to, from) = channel();
    let rig = Recorders { model, to };
    let outcome = core_lockstep::campaign::run_from(entry, &rig, plan, first, None, &UntilInterrupted)?;
    drop(rig);
    match outcome.failure {
        Some(found) => Err(CliError::Check(format!("{} fails unbroken: {}", entry.module(), found.what))),
        None => {
            Ok(Piece { recordings: from.into_iter().collect(), cycles: outcome.cycles, episodes: outcome.episodes })
        }
    }
}

/// That the model of `module` with all mutants does what the export does while none is selected.
fn check_unbroken(module: &str, broken: &Broken, recordings: &[Recording]) -> std::result::Result<(), CliError> {
    let none = Mutant { number: 0, file: String::new(), line: 0, was: String::new(), becomes: String::new(), node: 0 };
    match kills(&[&none], broken, recordings, 0, &|_| ())?.into_values().next() {
        Some(kill) => Err(CliError::Internal(format!(
            "{module}: with no mutant selected, {} differs in cycle {}",
            kill.port, kill.cycle
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what is chosen of a core is of its own modules, as much as is asked for; the same seed chooses the same, and one of them can be asked for alone.
    #[test]
    fn xv_12_a_core_is_broken_beside_its_blocks() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let source = Source::of(&entry).expect("an export");
        let settings = Settings { count: 60, cycles: 0, seed: 3, prove: None, only: None, folder: None, fresh: false };
        let (schema, candidates) = chosen(&source, &settings).expect("it can be broken");
        assert_eq!((schema.mutants.len(), candidates > 1000), (60, true));
        let own = modules::own(&source);
        assert!(schema.mutants.iter().all(|mutant| own.contains(mutant.file.trim_end_matches(".v"))));
        let one = Settings { only: Some(7), ..settings.clone() };
        assert_eq!(chosen(&source, &one).expect("it is one of them").0.mutants[..], schema.mutants[6..7]);
        let none = Settings { only: Some(61), ..settings };
        assert!(matches!(chosen(&source, &none), Err(Error::Input { .. })));
    }

    /// XV-12: what is explained of a core is explained of its smallest point alone.
    #[test]
    fn xv_12_notes_are_about_the_smallest_point() {
        let entries = points::entries();
        let of = |core| entries.iter().filter(move |entry| entry.block == core).map(has_notes).collect::<Vec<_>>();
        assert_eq!(of("control_core"), [true, false, false]);
        assert_eq!(of("control_core_tree"), [true]);
    }

    /// Holds what refutes all mutants of some places of a core against which property should.
    fn refute(wanted: &[(&str, &str, Option<&str>)]) {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let source = Source::of(&entry).expect("an export");
        let like = |mutant: &Mutant| {
            wanted.iter().find(|(was, becomes, _)| (*was, *becomes) == (mutant.was.trim(), mutant.becomes.trim()))
        };
        let schema = schema::those(&source, &|mutant| like(mutant).is_some()).expect("readable").expect("some");
        let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
        let found = refutation::refuted(&entry, &schema, &mutants, Duration::from_secs(20)).expect("asked");
        let told: Vec<_> = mutants.iter().map(|mutant| found.get(&mutant.number).map(|it| &*it.property)).collect();
        let expected: Vec<_> =
            mutants.iter().map(|mutant| like(mutant).and_then(|(_, _, property)| *property)).collect();
        assert!(told.len() >= wanted.len() && told == expected, "{told:?}, not {expected:?}");
    }

    /// XV-04, XV-12: what breaks what is claimed of its module is refuted by that: it is never greedy; a queue never gets shorter.
    #[test]
    fn xv_12_properties_refute_mutants() {
        refute(&[("greedy", "1'b0", Some("goes_on")), ("count <= place_4 - 4'd1;", "", Some("comes_in_its_turn"))]);
    }

    /// XV-12: the last of four warps in other words breaks nothing.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_12_what_is_the_same_is_not_refuted() {
        refute(&[("issued_warp == NUMBER_3", "(issued_warp) >= (NUMBER_3)", None)]);
    }
}
