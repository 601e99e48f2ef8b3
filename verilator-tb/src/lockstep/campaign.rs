//! Many episodes of one block at one point, until enough cycles have passed or one fails.

use super::barrier_blocks::{
    ArbiterJudge, CollectorJudge, ExecutionJudge, FifoJudge, LogicalMapJudge, PlainBarrierJudge, ReleaseWalkerJudge,
    SelectionJudge, SlotsJudge, ThreadStateJudge, TrackerJudge,
};
use super::barrier_scheduler;
use super::bench::{run_episode, Counts, Failure, Stimulus, Subject};
use super::case::Case;
use super::context_sequencer::ContextSequencerSubject;
use super::divergence_unit::DivergenceUnitSubject;
use super::group_divergence_table::GroupDivergenceTableSubject;
use super::pair::Pair;
use super::ports::PortsSubject;
use super::rig::{Contestant, Rig};
use super::shrink::shrink;
use super::token_deque::TokenDequeSubject;
use super::tree_blocks::{LeafSelectorJudge, MaskTableJudge};
use super::tree_divergence_table::TreeDivergenceTableSubject;
use super::work_distributor::WorkDistributorSubject;
use crate::error::{Error, Result};
use crate::verilated::{Model, Start};
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use std::path::{Path, PathBuf};

/// Runs that shrinking a failure may take.
const SHRINKING: usize = 400;

/// After the reset a block does from random bits what it does from any: so the first episodes run from them as well, and then every so-manieth.
const RANDOM_FIRST: u64 = 16;
const RANDOM_EVERY: u64 = 4;

/// How long to run, and from what.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Cycles of lockstep, at least.
    pub cycles: u64,
    /// Names all stimulus.
    pub seed: u64,
    /// Only the export, from a random start, under what its ports owe: no Rust simulation beside it, no model that follows its state.
    pub alone: bool,
}

/// What came of a campaign.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The block.
    pub block: &'static str,
    /// Its point.
    pub point: &'static str,
    /// Cycles in which both simulations were compared.
    pub cycles: u64,
    /// Cycles of the export alone, from a random start.
    pub random_start_cycles: u64,
    /// Episodes.
    pub episodes: u64,
    /// What happened, how often.
    pub counts: Counts,
    /// What a good run sees, and this one did not.
    pub missing: Vec<&'static str>,
    /// The first failure, and its file.
    pub failure: Option<Found>,
}

impl Outcome {
    /// Of a campaign that has not begun.
    fn new(entry: &Entry) -> Self {
        let (block, point) = (entry.block, entry.point);
        let (counts, missing, failure) = (Counts::default(), Vec::new(), None);
        Self { block, point, cycles: 0, random_start_cycles: 0, episodes: 0, counts, missing, failure }
    }

    /// How long the longer of both kinds of runs is.
    fn longest(&self) -> u64 {
        self.cycles.max(self.random_start_cycles)
    }
}

/// A failure.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it is.
    pub what: Failure,
    /// Operations of the episode, and what was left of them.
    pub operations: (usize, usize),
    /// Where it was saved, if it was.
    pub file: Option<PathBuf>,
}

/// What a campaign tells while it runs.
pub trait Watch: Sync {
    /// So many cycles more; false stops the campaign.
    fn passed(&self, cycles: u64) -> bool;
}

type Run = fn(&Entry, &dyn Rig, Plan, Option<&Path>, &dyn Watch) -> std::result::Result<Outcome, CliError>;

/// How a block is run in lockstep: the two things that can be asked, whatever its bench.
struct Runner {
    block: &'static str,
    run: Run,
    replay: fn(&Entry, &Model, &Again) -> Result<Replay>,
}

/// A saved case that is to run once more.
#[derive(Clone, Copy)]
pub struct Again<'a> {
    /// The case.
    pub text: &'a str,
    /// The file that holds it, for messages.
    pub path: &'a Path,
    /// Where the waveform of the export goes, if one is wanted.
    pub wave: Option<&'a Path>,
    /// The netlist that runs beside the export, if one does.
    pub netlist: Option<&'a Model>,
}

impl Again<'_> {
    /// The simulations of a case that begins from `start`.
    ///
    /// # Errors
    /// A waveform that cannot be written.
    pub(super) fn contestants(&self, entry: &Entry, model: &Model, start: Start) -> Result<Vec<Contestant>> {
        let mut contestants = vec![Contestant::export(model.traced(start, self.wave)?)];
        match (start, self.netlist) {
            (Start::Pattern, _) => contestants.insert(0, Contestant::kernels(entry)),
            // From random bits each runs alone, and the failure was the netlist's.
            (Start::Random(_), Some(_)) => contestants.clear(),
            (Start::Random(_), None) => {}
        }
        contestants.extend(self.netlist.map(|netlist| Contestant::new("the netlist", netlist.simulation(start))));
        Ok(contestants)
    }
}

/// What a replayed case says: the failure that was saved, and what happened this time.
pub(super) type Replay = (String, std::result::Result<u64, Failure>);

const fn runner<S: Subject>(block: &'static str) -> Runner {
    Runner { block, run: run_subject::<S>, replay: replay_subject::<S> }
}

/// The bench of each block.
const RUNNERS: &[Runner] = &[
    runner::<TokenDequeSubject>("token_deque"),
    runner::<DivergenceUnitSubject>("divergence_unit"),
    Runner { block: barrier_scheduler::BLOCK, run: barrier_scheduler::run, replay: barrier_scheduler::replay },
    runner::<PortsSubject<ArbiterJudge>>("barrier_arbiter"),
    runner::<PortsSubject<FifoJudge>>("dynamic_barrier_fifo"),
    runner::<PortsSubject<SelectionJudge>>("thread_selection_unit"),
    runner::<PortsSubject<CollectorJudge>>("barrier_collector"),
    runner::<PortsSubject<PlainBarrierJudge>>("plain_barrier"),
    runner::<PortsSubject<LogicalMapJudge>>("logical_map"),
    runner::<PortsSubject<ReleaseWalkerJudge>>("release_walker"),
    runner::<PortsSubject<TrackerJudge>>("arrival_tracker"),
    runner::<PortsSubject<ExecutionJudge>>("barrier_execution"),
    runner::<PortsSubject<SlotsJudge>>("execution_slots"),
    runner::<PortsSubject<ThreadStateJudge>>("thread_state"),
    runner::<WorkDistributorSubject>("work_distributor"),
    runner::<ContextSequencerSubject>("context_sequencer"),
    runner::<TreeDivergenceTableSubject>("tree_divergence_table"),
    runner::<GroupDivergenceTableSubject>("group_divergence_table"),
    runner::<PortsSubject<LeafSelectorJudge>>("leaf_selector"),
    runner::<PortsSubject<MaskTableJudge>>("mask_table"),
];

/// Blocks that can be run in lockstep.
pub fn blocks() -> impl Iterator<Item = &'static str> {
    RUNNERS.iter().map(|runner| runner.block)
}

fn runner_of(block: &str) -> Result<&'static Runner> {
    RUNNERS.iter().find(|runner| runner.block == block).ok_or_else(|| Error::Input {
        place: block.to_string(),
        cause: "there is no lockstep of this block".into(),
        hint: format!("blocks with one: {}", blocks().collect::<Vec<_>>().join(", ")),
    })
}

/// Runs a campaign on `entry`, on the simulations that `rig` makes (a [`Model`] is one: the export, beside the Rust kernels); a failure is saved into `folder`, if there is one.
///
/// # Errors
/// A block that has no bench, a folder that cannot be written, or Ctrl-C. A failure of the block is an [`Outcome`].
pub fn run(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    (runner_of(entry.block)?.run)(entry, rig, plan, folder, watch)
}

/// Runs a saved case, which is about `entry`, once more, on the export `model`.
///
/// # Errors
/// Text that is no case of this block, or a waveform that cannot be written.
pub fn replay(entry: &Entry, model: &Model, again: &Again) -> Result<Replay> {
    (runner_of(entry.block)?.replay)(entry, model, again)
}

/// The seed of an episode: neighbours share nothing.
pub(super) fn episode_seed(seed: u64, episode: u64) -> u64 {
    let mut mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(episode);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

type StimulusOf<S> = Stimulus<<S as Subject>::Settings, <S as Subject>::Operation>;

fn episode<S: Subject>(
    entry: &Entry,
    rig: &dyn Rig,
    start: Start,
    stimulus: &StimulusOf<S>,
    counts: &mut Counts,
) -> std::result::Result<u64, Failure> {
    let mut pair = Pair::of(rig.contestants(entry, start));
    let mut bench = S::bench(&S::shape(entry), pair.ports(), stimulus);
    run_episode(&mut pair, start, &mut bench, counts)
}

/// Runs episodes until enough cycles have passed or one fails: `draw` makes the stimulus of the so-manieth, `run` runs it from a start, `keep`
/// saves what failed. What happens is held against `expected`.
pub(super) fn episodes<T>(
    entry: &Entry,
    plan: Plan,
    watch: &dyn Watch,
    expected: &[&'static str],
    draw: impl Fn(u64) -> T,
    run: impl Fn(&T, Start, &mut Counts) -> std::result::Result<u64, Failure>,
    keep: impl Fn(T, Start, Failure, (u64, u64)) -> std::result::Result<Found, CliError>,
) -> std::result::Result<Outcome, CliError> {
    let mut outcome = Outcome::new(entry);
    while outcome.longest() < plan.cycles && outcome.failure.is_none() {
        let number = outcome.episodes;
        let stimulus = draw(number);
        let random = Start::Random(episode_seed(plan.seed, number));
        let starts = match plan.alone {
            true => vec![random],
            false if number < RANDOM_FIRST || number.is_multiple_of(RANDOM_EVERY) => vec![Start::Pattern, random],
            false => vec![Start::Pattern],
        };
        for (place, start) in starts.into_iter().enumerate() {
            // From the second start the same stimulus does the same once more: that is counted apart.
            let mut counts = Counts::default();
            let result = run(&stimulus, start, &mut counts);
            if place == 0 {
                outcome.counts.merge(&counts);
            }
            let cycles = match result {
                Ok(cycles) => cycles,
                Err(what) => {
                    outcome.failure = Some(keep(stimulus, start, what, (plan.seed, number))?);
                    break;
                }
            };
            match start {
                Start::Pattern => outcome.cycles += cycles,
                Start::Random(_) => outcome.random_start_cycles += cycles,
            }
            if place == 0 && !watch.passed(cycles) {
                return Err(CliError::Interrupted);
            }
        }
        outcome.episodes += 1;
    }
    outcome.missing = outcome.counts.missing(expected);
    Ok(outcome)
}

fn run_subject<S: Subject>(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    let shape = S::shape(entry);
    let draw = |number| S::stimulus(&shape, episode_seed(plan.seed, number));
    let run = |stimulus: &StimulusOf<S>, start, counts: &mut Counts| episode::<S>(entry, rig, start, stimulus, counts);
    let keep = |stimulus, start, what, found| keep::<S>(entry, rig, start, stimulus, what, found, folder);
    episodes(entry, plan, watch, S::EXPECTED, draw, run, keep)
}

/// Shrinks a failure and saves it.
fn keep<S: Subject>(
    entry: &Entry,
    rig: &dyn Rig,
    start: Start,
    stimulus: StimulusOf<S>,
    what: Failure,
    found: (u64, u64),
    folder: Option<&Path>,
) -> std::result::Result<Found, CliError> {
    let before = stimulus.operations.len();
    let Some(folder) = folder else { return Ok(Found { what, operations: (before, before), file: None }) };
    let settings = stimulus.settings.clone();
    let with = |operations: Vec<S::Operation>| Stimulus { settings: settings.clone(), operations };
    let fails = |operations: &[S::Operation]| {
        episode::<S>(entry, rig, start, &with(operations.to_vec()), &mut Counts::default()).err()
    };
    // Operations that had not begun cannot be needed, as a rule.
    let begun = stimulus.operations[..what.begun.min(before)].to_vec();
    let first = if fails(&begun).is_some() { begun } else { stimulus.operations };
    let small = shrink(first, SHRINKING, |operations| fails(operations).is_some());
    let what = fails(&small).unwrap_or(what);
    let operations = (before, small.len());
    let mut case = Case::new(entry.block, entry.point, found, what.to_string(), with(small));
    if let Start::Random(seed) = start {
        case.random_start = Some(seed);
    }
    Ok(Found { what, operations, file: Some(case.save(folder)?) })
}

fn replay_subject<S: Subject>(entry: &Entry, model: &Model, again: &Again) -> Result<Replay> {
    let case: Case<S::Settings, S::Operation> = Case::parse(again.text, again.path)?;
    let mut pair = Pair::of(again.contestants(entry, model, case.start())?);
    let mut bench = S::bench(&S::shape(entry), pair.ports(), &case.stimulus);
    let result = run_episode(&mut pair, case.start(), &mut bench, &mut Counts::default());
    Ok((case.failure, result))
}
