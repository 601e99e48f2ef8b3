//! Many episodes of a core at one point, until enough cycles have passed or one fails; what failed is shrunk, kept, and seen again from its file.

use super::episode::{Episode, Work};
use super::followed::FOLLOWED;
use super::launches::{Launches, Queued, SEVERAL_AWAY};
use super::mistakes::{Mistakes, BARRED, BARRIER_ERRORS, ENGINE_ERRORS};
use super::surroundings::{LATE, MISSED, STALLED};
use super::trial::{Kind, Ran, Trial, Wrong};
use super::{SUSPENDING, TREE};
use crate::error::{Error, Result};
use crate::lockstep::bench::{Counts, Failure, Stimulus};
use crate::lockstep::campaign::{Again, Found, Outcome, Plan, Watch};
use crate::lockstep::case::Case;
use crate::lockstep::rig::{Contestant, Rig};
use crate::lockstep::shrink::shrink;
use crate::verilated::{Model, Start};
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::engine::Configuration;
use heddle_sim::oracle;
use heddle_sim::oracle::grid::campaign::reference;
use heddle_sim::oracle::grid::runner::{self, PreparedGrid};
use heddle_sim::oracle::warp_runner::{self, Job};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::time::{Duration, Instant};

/// Cycles at each point from which on everything that is expected has to have happened at one of them.
pub const THOROUGH: u64 = 500_000;

/// A candidate of a failure takes a second, and there may be thousands.
const PATIENCE: Duration = Duration::from_secs(60);
/// Runs that it may take to find out which programs of a batch are needed.
const SHRINKING: usize = 100;

/// What a good run of any core sees.
const EXPECTED: &[&str] = &[
    FOLLOWED,
    MISSED,
    LATE,
    "branches diverged",
    "yields",
    "tokens pushed",
    "tokens popped",
    "tokens discarded",
    "barriers passed",
    "barriers that took a slot",
    "sections entered",
    "threads put to sleep",
    "threads that skipped",
    "waits",
    "timeouts",
    "grids with clusters",
    "words of flags fetched",
    BARRIER_ERRORS,
    ENGINE_ERRORS,
    BARRED,
];
/// What a deque sees beside that.
const EXPECTED_OF_DEQUES: &[&str] = &["runs on the stack", "runs on the deque", "yields merged", "windows recentered"];
/// What only the smallest windows see often, and there is one such core; another one has warps with more tokens than its larger windows hold.
const EXPECTED_OF_SMALL_WINDOWS: &[&str] = &["windows spilled", "windows refilled"];
/// What only a core that suspends blocks sees; its save areas are asked often enough to be busy.
const EXPECTED_OF_SUSPENSIONS: &[&str] =
    &["blocks suspended", SEVERAL_AWAY, "local words copied", "windows spilled", STALLED];

/// What a good run of a core sees.
fn expected(block: &str) -> Vec<&'static str> {
    let mut expected = EXPECTED.to_vec();
    expected.extend(match block {
        TREE => &["runs on the tree"],
        _ => EXPECTED_OF_DEQUES,
    });
    expected.extend(match block {
        TREE => &[],
        SUSPENDING => EXPECTED_OF_SUSPENSIONS,
        _ => EXPECTED_OF_SMALL_WINDOWS,
    });
    expected
}

/// The seed of the random bits that an episode begins from.
fn start_seed(seed: u64, number: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number | 1 << 63);
    random.random()
}

/// Runs episodes on `entry`, on the simulations that `rig` makes; the first failure goes into `folder`, if there is one. Each episode runs from the common start and then from random bits, where
/// the export, several times as fast, has to tell the same.
///
/// # Errors
/// A folder that cannot be written, what `watch` stops, or an episode that is no test, which would be a fault of the generator. A failure of the core is an [`Outcome`].
pub fn run(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    run_from(entry, rig, plan, 0, folder, watch)
}

/// The same from an episode on, behind those that ran before.
///
/// # Errors
/// As of [`run`].
pub fn run_from(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    first: u64,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    let mut outcome = Outcome {
        block: entry.block,
        point: entry.point,
        cycles: 0,
        random_start_cycles: 0,
        episodes: 0,
        counts: Counts::default(),
        missing: Vec::new(),
        failure: None,
    };
    while (if plan.alone { outcome.random_start_cycles } else { outcome.cycles }) < plan.cycles {
        let number = first + outcome.episodes;
        let episode = Episode::draw(entry, plan.seed, number);
        outcome.episodes += 1;
        let random = Start::Random(start_seed(plan.seed, number));
        let starts = if plan.alone { vec![random] } else { vec![Start::Pattern, random] };
        let mut before: Option<Ran> = None;
        for start in starts {
            let simulations = || match plan.alone {
                true => vec![rig.alone(start)],
                false => rig.contestants(entry, start),
            };
            let trial = Trial { entry, simulations: &simulations, start, followed: start == Start::Pattern };
            let result =
                trial.run(&episode).map_err(|cause| CliError::Internal(format!("episode {number}: {cause}")))?;
            let ran = match result.and_then(|ran| same(before.as_ref(), ran)) {
                Ok(ran) => ran,
                Err(wrong) => {
                    outcome.failure = Some(keep(&trial, episode, wrong, (plan.seed, number), folder)?);
                    return Ok(outcome);
                }
            };
            match start {
                Start::Pattern => outcome.cycles += ran.cycles,
                Start::Random(_) => outcome.random_start_cycles += ran.cycles,
            }
            if before.is_none() {
                // From the second start the same happens once more: that is not counted twice.
                outcome.counts.merge(&ran.counts);
                if !watch.passed(ran.cycles) {
                    return Err(CliError::Interrupted);
                }
            }
            before = Some(ran);
        }
    }
    let expected: Vec<&str> = expected(entry.block);
    // Alone nobody is followed.
    let apart = |event: &&str| !plan.alone || *event != FOLLOWED;
    outcome.missing = outcome.counts.missing(&expected.into_iter().filter(apart).collect::<Vec<_>>());
    Ok(outcome)
}

/// After its reset a core does from random bits what it does from any.
fn same(before: Option<&Ran>, ran: Ran) -> std::result::Result<Ran, Wrong> {
    match before {
        Some(before) if before.told != ran.told => {
            let what = format!("from random bits it tells {:?}, else {:?}", ran.told, before.told);
            Err(Wrong { kind: Kind::Count, cycle: ran.cycles, what })
        }
        _ => Ok(ran),
    }
}

fn failure(episode: &Episode, wrong: Wrong) -> Failure {
    Failure { cycle: wrong.cycle, begun: episode.size(), what: wrong.what }
}

/// Shrinks a failure and saves it.
fn keep(
    trial: &Trial<'_>,
    episode: Episode,
    wrong: Wrong,
    found: (u64, u64),
    folder: Option<&Path>,
) -> std::result::Result<Found, CliError> {
    let before = episode.size();
    let Some(folder) = folder else {
        return Ok(Found { what: failure(&episode, wrong), operations: (before, before), file: None });
    };
    let until = Instant::now() + PATIENCE;
    let fails = |candidate: &Episode| {
        let again = (Instant::now() < until).then(|| trial.run(candidate).ok()?.err()).flatten();
        again.filter(|again| again.kind == wrong.kind && (wrong.kind != Kind::Outcome || runs_on_models(candidate)))
    };
    let small = smaller(&episode, &|candidate| fails(candidate).is_some());
    let last = trial.run(&small).ok().and_then(std::result::Result::err).unwrap_or(wrong);
    let (after, what) = (small.size(), failure(&small, last));
    let stimulus = Stimulus { settings: small, operations: Vec::<()>::new() };
    let mut case = Case::new(trial.entry.block, trial.entry.point, found, what.to_string(), stimulus);
    if let Start::Random(seed) = trial.start {
        case.random_start = Some(seed);
    }
    Ok(Found { what, operations: (before, after), file: Some(case.save(folder)?) })
}

/// What is left of a program may be one that no engine can run; then it says nothing about this one.
fn runs_on_models(episode: &Episode) -> bool {
    let Ok(configuration) = Configuration::try_from(&episode.configuration) else { return false };
    let limit = oracle::case_file::STEP_LIMIT;
    match &episode.work {
        Work::Programs(programs) => programs.iter().all(|program| {
            let Ok(truth) = oracle::interpreter::interpret(program, limit) else { return false };
            let mut engine = (reference().engine)(&configuration);
            warp_runner::run(&mut *engine, &[Job { program, truth: &truth }]).is_ok()
        }),
        Work::Grid(program) => PreparedGrid::new((**program).clone(), limit.into())
            .is_ok_and(|grid| runner::run(&reference(), &configuration, &grid).is_ok()),
        // Any of these grids can be run.
        Work::Launches(launches) => launches.prepare().is_ok(),
        // The models have said how it ends.
        Work::Mistakes(kernels) => kernels.iter().all(|kernel| kernel.prepare(&configuration).is_ok()),
    }
}

/// The smallest episode found that `fails`.
fn smaller(episode: &Episode, fails: &dyn Fn(&Episode) -> bool) -> Episode {
    let with = |work: Work| Episode { work, ..episode.clone() };
    let work = match &episode.work {
        Work::Grid(program) => {
            let fails =
                |candidate: &oracle::grid::program::GridProgram| fails(&with(Work::Grid(candidate.clone().into())));
            Work::Grid(oracle::grid::shrink::shrink(program, fails).into())
        }
        Work::Launches(launches) => {
            let with = |grids: &[Queued]| Launches { grids: grids.to_vec(), ..launches.clone() };
            let fails = |grids: &[Queued]| fails(&Episode { work: Work::Launches(with(grids)), ..episode.clone() });
            Work::Launches(with(&shrink(launches.grids.clone(), SHRINKING, fails)))
        }
        Work::Mistakes(kernels) => {
            let fails = |candidate: &[Mistakes]| fails(&with(Work::Mistakes(candidate.to_vec())));
            let mut few = shrink(kernels.clone(), SHRINKING, fails);
            let smaller = |few: &[Mistakes]| match few {
                [single] => single.smaller().into_iter().find(|candidate| fails(std::slice::from_ref(candidate))),
                _ => None,
            };
            while let Some(single) = smaller(&few) {
                few = vec![single];
            }
            Work::Mistakes(few)
        }
        Work::Programs(programs) => {
            let few = shrink(programs.clone(), SHRINKING, |candidate| fails(&with(Work::Programs(candidate.to_vec()))));
            match &few[..] {
                [single] => {
                    let fails = |candidate: &oracle::Program| fails(&with(Work::Programs(vec![candidate.clone()])));
                    Work::Programs(vec![oracle::shrink::shrink(single, fails)])
                }
                _ => Work::Programs(few),
            }
        }
    };
    with(work)
}

/// What a replayed case says: the failure that was saved, and what happened this time.
pub type Replay = (String, std::result::Result<u64, Failure>);

/// Runs a saved episode once more, on the export `model`.
///
/// # Errors
/// Text that is no case of this core, a waveform that cannot be written.
pub fn replay(entry: &Entry, model: &Model, again: &Again) -> Result<Replay> {
    let case: Case<Episode, ()> = Case::parse(again.text, again.path)?;
    let start = case.start();
    let contestants = || -> Result<Vec<Contestant>> {
        let export = Contestant::export(model.traced(start, again.wave)?);
        let netlist =
            again.netlist.map(|netlist| netlist.alone(start)).map(|it| Contestant { name: "the netlist", ..it });
        // From random bits each runs by itself, and the failure was the netlist's if one is asked for.
        Ok(match (start, netlist) {
            (Start::Random(_), Some(netlist)) => vec![netlist],
            (Start::Random(_), None) => vec![export],
            (Start::Pattern, netlist) => [Contestant::kernels(entry), export].into_iter().chain(netlist).collect(),
        })
    };
    // What cannot be written shows before anything runs.
    contestants()?;
    let simulations = || contestants().unwrap_or_else(|cause| panic!("{cause}, a moment after it could be written"));
    let trial = Trial { entry, simulations: &simulations, start, followed: start == Start::Pattern };
    let episode = &case.stimulus.settings;
    let result = trial.run(episode).map_err(|cause| Error::Input {
        place: again.path.display().to_string(),
        cause,
        hint: "the file was edited by hand, or comes from another version".into(),
    })?;
    Ok((case.failure, result.map(|ran| ran.cycles).map_err(|wrong| failure(episode, wrong))))
}

#[cfg(test)]
mod tests {
    use super::super::episode::Topic;
    use super::super::mistakes::Mistake;
    use super::*;
    use heddle_hdl::points;

    /// The Rust simulation, by itself.
    struct Kernels;

    impl Rig for Kernels {
        fn contestants(&self, entry: &Entry, _: Start) -> Vec<Contestant> {
            vec![Contestant::kernels(entry)]
        }
        fn alone(&self, _: Start) -> Contestant {
            unreachable!("nobody runs alone")
        }
    }

    /// Nobody waits for it.
    struct Patient;

    impl Watch for Patient {
        fn passed(&self, _: u64) -> bool {
            true
        }
    }

    /// XV-02: a campaign that goes on behind an episode is the rest of one that runs them all.
    #[test]
    fn xv_02_a_campaign_goes_on() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let run = |first, cycles| {
            let plan = Plan { cycles, seed: 1, alone: false };
            let outcome = run_from(&entry, &Kernels, plan, first, None, &Patient).expect("it runs");
            (outcome.episodes, outcome.cycles)
        };
        let [first, second] = [run(0, 1), run(1, 1)];
        assert_eq!((first.0, second.0), (1, 1));
        assert_eq!(run(0, first.1 + 1), (2, first.1 + second.1));
    }

    /// XV-02: of kernels with mistakes one is left, with no more than it needs to fail.
    #[test]
    fn xv_02_mistakes_are_shrunk() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let overflows = |episode: &Episode| match &episode.work {
            Work::Mistakes(kernels) => {
                kernels.iter().any(|kernel| kernel.mistake == Some(Mistake::Overflow) && kernel.phases > 0)
            }
            _ => false,
        };
        let mut episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        let episode = episodes.find(overflows).expect("one in fifty");
        assert_eq!(episode.topic, Topic::Mistakes);
        let small = smaller(&episode, &overflows);
        let Work::Mistakes(kernels) = &small.work else { panic!("{small:?}") };
        let [kernel] = &kernels[..] else { panic!("{kernels:?}") };
        assert_eq!((kernel.ctas, kernel.phases, kernel.delay), (1, 1, 0), "{kernel:?}");
        assert_eq!((kernel.guilty.0, kernel.guilty.2), (0, 1), "{kernel:?}");
        assert!(small.size() < episode.size() / 4, "{small:?}");
    }
}
