//! One episode on fresh simulations of a core, and its judgement: the simulations agree on every port, the core keeps what its ports owe, threads end as they do
//! alone, and where the surroundings answer at once the core does in every cycle what the reference models do.

use super::episode::{Episode, Work};
use super::followed::Followed;
use super::launches::{LaunchStatistics, PreparedLaunches};
use super::mistakes::{self, MistakeStatistics, PreparedMistakes};
use super::surroundings::{Seen, Shared, Surroundings, PATIENCE};
use super::{SUSPENDING, TREE};
use crate::lockstep::bench::Counts;
use crate::lockstep::rig::Contestant;
use crate::lockstep::twins::Twins;
use crate::verilated::Start;
use heddle_hdl::points::Entry;
use heddle_sim::control_core::{ControlCore, Setup};
use heddle_sim::engine::Configuration;
use heddle_sim::machine::SchedulerPolicy;
use heddle_sim::oracle::case_file::STEP_LIMIT;
use heddle_sim::oracle::grid::campaign::reference;
use heddle_sim::oracle::grid::runner::{self, CorePart, GridStatistics, Parts, PreparedGrid};
use heddle_sim::oracle::interpreter::interpret;
use heddle_sim::oracle::warp_runner::subject::Subject;
use heddle_sim::oracle::warp_runner::{core_runner, Job, Statistics};
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::elaborated::core_barrier_block;
use std::sync::PoisonError;

/// What came of an episode; from another start it has to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Of programs.
    Programs(Statistics),
    /// Of a grid.
    Grid(GridStatistics),
    /// Of grids of which tables pick blocks.
    Launches(LaunchStatistics),
    /// Of grids that may end with an error.
    Mistakes(MistakeStatistics),
}

/// An episode that went well.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Cycles.
    pub cycles: u64,
    /// What it told.
    pub told: Told,
    /// What happened.
    pub counts: Counts,
}

/// In what an episode went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two simulations differ.
    Difference,
    /// The core does what the reference does not, or what no core may do at its ports.
    Breach,
    /// A thread did not end as it does alone, or the run did not end.
    Outcome,
    /// Counts are not the same from another start.
    Count,
}

/// An episode that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// In what.
    pub kind: Kind,
    /// When, if it is a matter of one cycle.
    pub cycle: u64,
    /// What differs.
    pub what: String,
}

impl Wrong {
    fn new(kind: Kind, cycle: u64, what: String) -> Self {
        Self { kind, cycle, what }
    }
}

/// On what an episode runs.
pub struct Trial<'a> {
    /// The core.
    pub entry: &'a Entry,
    /// Makes fresh simulations, the one that leads first.
    pub simulations: &'a (dyn Fn() -> Vec<Contestant> + Sync),
    /// From what they begin.
    pub start: Start,
    /// The reference engine runs behind it, where it can.
    pub followed: bool,
}

/// An episode with the truth about it.
enum Prepared {
    Programs(Vec<(heddle_sim::oracle::Program, Vec<(usize, heddle_sim::oracle::thread::Thread)>)>),
    Grid(Box<PreparedGrid>),
    Launches(Box<PreparedLaunches>),
    Mistakes(Vec<PreparedMistakes>),
}

/// The truth about an episode, and how its core is set up.
///
/// # Errors
/// What is no test on this core: a file that somebody has changed, or a candidate that was shrunk too far.
fn prepare(entry: &Entry, episode: &Episode) -> Result<(Configuration, Prepared), String> {
    let configuration = Configuration::try_from(&episode.configuration)?;
    let own = Configuration::of(entry);
    let fits = (1..=own.warps).contains(&configuration.warps) && configuration.memory_latency > 0;
    let tree = entry.block == TREE;
    if !fits || (configuration.threads, configuration.depth, configuration.tree) != (own.threads, own.depth, tree) {
        return Err(format!("its configuration is not one of {}", entry.module()));
    }
    let suspends = match &episode.work {
        Work::Programs(_) => false,
        Work::Mistakes(kernels) => kernels.iter().any(|kernel| kernel.suspend.is_some()),
        Work::Grid(program) => program.suspend.is_some(),
        Work::Launches(launches) => launches.suspend.is_some(),
    };
    if suspends && entry.block != SUSPENDING {
        return Err(format!("{} suspends no blocks", entry.module()));
    }
    let prepared = match &episode.work {
        Work::Programs(programs) => {
            let mut prepared = Vec::with_capacity(programs.len());
            for (number, program) in programs.iter().enumerate() {
                let truth =
                    interpret(program, STEP_LIMIT).map_err(|cause| format!("program {number} is no test, {cause}"))?;
                prepared.push((program.clone(), truth));
            }
            Prepared::Programs(prepared)
        }
        Work::Grid(program) => {
            let prepared = PreparedGrid::new((**program).clone(), STEP_LIMIT.into());
            Prepared::Grid(Box::new(prepared.map_err(|cause| format!("the grid is no test: {cause}"))?))
        }
        Work::Launches(launches) => {
            let prepared = launches.prepare();
            Prepared::Launches(Box::new(prepared.map_err(|cause| format!("the grids are no test: {cause}"))?))
        }
        Work::Mistakes(kernels) => {
            let prepared: Result<_, _> = kernels.iter().map(|kernel| kernel.prepare(&configuration)).collect();
            Prepared::Mistakes(prepared.map_err(|cause| format!("one of the kernels is no test: {cause}"))?)
        }
    };
    Ok((configuration, prepared))
}

impl Trial<'_> {
    /// A core for one run.
    fn core(&self, setup: &Setup, episode: &Episode, seen: &Shared) -> Box<dyn ControlCore> {
        let scheduler = if episode.greedy { SchedulerPolicy::GreedyThenOldest } else { setup.scheduler };
        let setup = Setup { scheduler, ..*setup };
        let twins = Twins::of((self.simulations)(), self.start, &[]);
        let surroundings = Surroundings::new(twins, episode.rough, seen.clone());
        let core = RtlCore::new(surroundings, self.entry.module(), setup);
        match self.followed {
            true => Followed::around(core, &setup, seen),
            false => Box::new(core),
        }
    }

    /// Runs an episode.
    ///
    /// # Errors
    /// An episode that is no test on this core; inside, what went wrong.
    pub fn run(&self, episode: &Episode) -> Result<Result<Ran, Wrong>, String> {
        let (configuration, prepared) = prepare(self.entry, episode)?;
        let seen = Shared::default();
        let result = match &prepared {
            Prepared::Programs(programs) => {
                let jobs: Vec<Job> = programs.iter().map(|(program, truth)| Job { program, truth }).collect();
                let mut subject = Subject::Core(self.core(&core_runner::setup(configuration), episode, &seen));
                let result = subject.run(&jobs).map(Told::Programs);
                result.map_err(|(number, wrong)| format!("program {number}: {wrong}"))
            }
            Prepared::Grid(grid) => {
                let build = |setup: &Setup| self.core(setup, episode, &seen);
                let core = Some(CorePart { patience: PATIENCE, ..CorePart::new(&build, core_barrier_block) });
                let result = runner::run(&Parts { core, ..reference() }, &configuration, grid).map(Told::Grid);
                result.map_err(|wrong| wrong.to_string())
            }
            Prepared::Launches(launches) => {
                let build = |setup: &Setup| self.core(setup, episode, &seen);
                let wrong = || seen.lock().unwrap_or_else(PoisonError::into_inner).is_wrong();
                launches.run(configuration, &build, &wrong).map(Told::Launches)
            }
            Prepared::Mistakes(kernels) => {
                mistakes::run(kernels, &|setup| self.core(setup, episode, &seen)).map(Told::Mistakes)
            }
        };
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(judge(seen, result))
    }
}

/// What comes first explains the rest: simulations that differ, then a core that does what it may not, then what became of the threads.
fn judge(seen: Seen, result: Result<Told, String>) -> Result<Ran, Wrong> {
    if let Some((cycle, difference)) = seen.difference {
        return Err(Wrong::new(Kind::Difference, cycle, difference));
    }
    if let Some((cycle, breach)) = seen.breach {
        return Err(Wrong::new(Kind::Breach, cycle, breach));
    }
    let told = result.map_err(|what| Wrong::new(Kind::Outcome, seen.cycles, what))?;
    let mut counts = seen.counts;
    // The reference has its own time: where a core was stopped, it is at another point.
    let stopped = matches!(&told, Told::Mistakes(statistics) if statistics.errors() > 0);
    if let Some((found, expected)) = seen.deeds.filter(|(found, expected)| !stopped && found != expected) {
        return Err(Wrong::new(
            Kind::Breach,
            seen.cycles,
            format!("its engine did {found:?}, the reference {expected:?}"),
        ));
    }
    let statistics: Vec<(&'static str, u64)> = match &told {
        // What is a maximum cannot be added up.
        Told::Programs(statistics) => {
            statistics.counts().into_iter().filter(|(name, _)| !name.starts_with("most")).collect()
        }
        Told::Grid(statistics) => statistics.counts().to_vec(),
        Told::Launches(statistics) => statistics.counts().to_vec(),
        Told::Mistakes(statistics) => statistics.counts().to_vec(),
    };
    for (name, count) in statistics.into_iter().filter(|(name, count)| *name != "cycles" && *count > 0) {
        counts.add_many(name, count);
    }
    Ok(Ran { cycles: seen.cycles, told, counts })
}

#[cfg(test)]
mod tests {
    use super::super::aftermath::AFTERMATH;
    use super::super::episode::Topic;
    use super::super::launches::SEVERAL_AWAY;
    use super::super::mistakes::Mistake;
    use super::*;
    use heddle_hdl::points;
    use heddle_hdl::ports::Port;
    use heddle_hdl::simulation::{index_of, Pins, Simulation};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Kernels of which one output is another bit in one cycle, or always.
    struct Bent {
        inner: Box<dyn Simulation>,
        port: usize,
        from: u64,
        now: u64,
    }

    impl Pins for Bent {
        fn set(&mut self, port: usize, value: u128) {
            self.inner.set(port, value);
        }
        fn get(&mut self, port: usize) -> u128 {
            self.inner.get(port) ^ u128::from(port == self.port && self.now >= self.from)
        }
    }

    impl Simulation for Bent {
        fn ports(&self) -> &[Port] {
            self.inner.ports()
        }
        fn tick(&mut self) {
            self.now += 1;
            self.inner.tick();
        }
    }

    /// The first episode of a core whose second simulation bends a port from a cycle on, or whose first one does.
    fn bent(core: &str, point: &str, port: &'static str, from: u64, first: bool) -> Result<Ran, Wrong> {
        let entry = points::find(core, point).expect("a point");
        bent_in(&Episode::draw(&entry, 1, 0), &entry, port, from, first)
    }

    /// The same of any episode.
    fn bent_in(episode: &Episode, entry: &Entry, port: &'static str, from: u64, first: bool) -> Result<Ran, Wrong> {
        let simulations = || {
            let bend = || -> Box<dyn Simulation> {
                let inner = (entry.simulate)();
                Box::new(Bent { port: index_of(inner.ports(), port), inner, from, now: 0 })
            };
            match first {
                true => vec![Contestant::export(bend())],
                false => vec![Contestant::kernels(entry), Contestant::export(bend())],
            }
        };
        let trial = Trial { entry, simulations: &simulations, start: Start::Pattern, followed: true };
        trial.run(episode).expect("a test")
    }

    /// The first kernel of a core with this mistake, or none.
    fn one_mistake(entry: &Entry, mistake: Option<Mistake>) -> Episode {
        let mut episodes = (0..).map(|number| Episode::draw(entry, 1, number));
        let makes = |episode: Episode| match &episode.work {
            Work::Mistakes(kernels) => {
                let kernel = kernels.iter().find(|kernel| kernel.mistake == mistake)?.clone();
                Some(Episode { work: Work::Mistakes(vec![kernel]), ..episode })
            }
            _ => None,
        };
        episodes.find_map(makes).expect("of each there are some")
    }

    /// XV-02: simulations that agree pass, one that differs on a port that nobody looks at is found, by port, names and cycle.
    #[test]
    fn xv_02_a_port_that_differs_is_named() {
        let ran = bent("control_core", "4x32x16", "grid_busy", u64::MAX, false).expect("they agree");
        assert!(ran.cycles > 30 && ran.counts.of("instructions issued") > 10, "{ran:?}");
        let wrong = bent("control_core", "4x32x16", "grid_busy", 20, false).expect_err("they differ");
        assert_eq!((wrong.kind, wrong.cycle), (Kind::Difference, 20));
        for part in ["grid_busy", "the Rust simulation", "the export"] {
            assert!(wrong.what.contains(part), "{}", wrong.what);
        }
    }

    /// XV-02, BR-19: an export that differs in the very cycle of an error, with which the driver leaves, or behind it, is found there.
    #[test]
    fn xv_02_the_cycle_of_an_error_is_compared() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        for (mistake, strobe) in [(Mistake::Nested, "barrier_error"), (Mistake::Barred, "lane_illegal")] {
            let wrong = |port, cycle| {
                let episode = one_mistake(&entry, Some(mistake));
                bent_in(&episode, &entry, port, cycle, false).map_err(|wrong| (wrong.kind, wrong.cycle))
            };
            let cycles = wrong(strobe, u64::MAX).expect("nothing is bent").cycles;
            for (port, cycle) in [(strobe, cycles - AFTERMATH), ("barriers_still", cycles - 1)] {
                assert_eq!(wrong(port, cycle).expect_err(port), (Kind::Difference, cycle));
            }
        }
    }

    /// XV-02: simulations that differ in one run of a sweep are found, whatever comes behind it, which is not run.
    #[test]
    fn xv_02_a_difference_in_any_run_of_a_sweep_is_told() {
        let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
        let mut episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        let swept = |episode: &Episode| matches!(&episode.work, Work::Launches(launches) if launches.sweep > 0 && launches.nest == 0);
        let episode = episodes.find(swept).expect("one in a hundred");
        let ran = |bent: Option<u64>| {
            let runs = AtomicU64::new(0);
            let simulations = || {
                let run = runs.fetch_add(1, Ordering::Relaxed);
                let inner = (entry.simulate)();
                let (port, from) =
                    (index_of(inner.ports(), "grid_busy"), if bent == Some(run) { 20 } else { u64::MAX });
                let bent: Box<dyn Simulation> = Box::new(Bent { port, inner, from, now: 0 });
                vec![Contestant::kernels(&entry), Contestant::export(bent)]
            };
            let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: false };
            let result = trial.run(&episode).expect("a test");
            (runs.into_inner(), result)
        };
        let (all, result) = ran(None);
        assert!(all > 32 && result.is_ok(), "{all}: {result:?}");
        for bent in [0, 3, all - 1] {
            let (runs, result) = ran(Some(bent));
            let wrong = result.expect_err("they differ");
            assert_eq!((runs, wrong.kind, wrong.cycle), (bent + 1, Kind::Difference, 20), "{}", wrong.what);
        }
    }

    /// XV-02, XV-03: a core that alone does something else is found by what becomes of its threads, or by the reference.
    #[test]
    fn xv_02_a_wrong_core_is_found_alone() {
        let wrong = bent("control_core_tree", "4x32x64", "launch_threads", 0, true).expect_err("a thread is missing");
        assert!(matches!(wrong.kind, Kind::Outcome | Kind::Breach), "{wrong:?}");
    }

    /// WD-02, XV-02: a core that launches other blocks than those that the tables pick, or reads other words of flags, is found by what ran.
    #[test]
    fn wd_02_other_blocks_are_noticed() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let mut episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        let episode = episodes.find(|episode| episode.topic == Topic::Launches).expect("one in eleven");
        bent_in(&episode, &entry, "launch_x", u64::MAX, true).expect("nothing is bent");
        for port in ["launch_x", "launch_z", "table_request_address"] {
            let wrong = bent_in(&episode, &entry, port, 0, true).expect_err(port);
            assert_eq!(wrong.kind, Kind::Outcome, "{wrong:?}");
        }
    }

    /// CX-03, CX-09: where several blocks are away at once, with words of local memory, a core that says a word is where it is not, some time behind the stores, is found by the threads that do not count themselves.
    #[test]
    fn cx_03_a_word_that_is_not_found_is_noticed() {
        let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
        let mut episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        let takes_rows = |episode: &Episode| matches!(&episode.work, Work::Launches(launches) if launches.local && launches.away > 3 && launches.block_threads > 96);
        let episode = episodes.find(takes_rows).expect("one in a hundred");
        let ran = bent_in(&episode, &entry, "location_address", u64::MAX, true).expect("nothing is bent");
        assert!(ran.counts.of("local words copied") > 300 && ran.counts.of(SEVERAL_AWAY) == 1, "{ran:?}");
        let wrong = bent_in(&episode, &entry, "location_address", ran.cycles / 2, true).expect_err("it is bent");
        assert_eq!(wrong.kind, Kind::Outcome, "{wrong:?}");
        assert!(wrong.what.contains("threads of block"), "{wrong:?}");
    }

    /// XV-02, BR-19, DQ-26: a core that tells of an error otherwise than the models, of another thread, place or cause, is found by that.
    #[test]
    fn xv_02_an_error_told_otherwise_is_noticed() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let first = |mistake| one_mistake(&entry, mistake);
        let reports = [
            (Some(Mistake::Overflow), "barrier_error_offset"),
            (Some(Mistake::NotInside), "barrier_error_cause"),
            (Some(Mistake::Nested), "barrier_error_other_address"),
            (Some(Mistake::Lost), "error_address"),
            (Some(Mistake::Barred), "lane_illegal"),
            (Some(Mistake::Fatal), "error_warp"),
            // Of those that launch a thread less, each block counts one less.
            (None, "launch_threads"),
        ];
        for (mistake, port) in reports {
            bent_in(&first(mistake), &entry, port, u64::MAX, true).expect("nothing is bent");
            let wrong = bent_in(&first(mistake), &entry, port, 0, true).expect_err(port);
            assert!(matches!(wrong.kind, Kind::Outcome | Kind::Breach), "{wrong:?}");
            assert!(mistake.is_none() || wrong.kind == Kind::Outcome, "{wrong:?}");
        }
    }

    /// XV-02: the steps of a barrier's answer are about the leaf that presented it, whichever leaf's turn it was in the reference until then.
    #[test]
    fn xv_02_the_leaf_that_presents_is_followed() {
        let entry = points::find("control_core_tree", "4x32x64").expect("a point");
        let simulations = || vec![Contestant::kernels(&entry)];
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
        let episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        for episode in episodes.filter(|episode| episode.topic == Topic::Crowd).take(2) {
            let ran = trial.run(&episode).expect("a test").expect("the reference goes along");
            assert!(ran.counts.of("threads put to sleep") > 10, "{ran:?}");
        }
    }

    /// UX-08: what was edited by hand is no test, and is not run.
    #[test]
    fn ux_08_what_is_no_test_is_refused() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let simulations = || -> Vec<Contestant> { unreachable!("nothing runs") };
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
        let drawn = Episode::draw(&entry, 1, 0);
        let mut wide = drawn.clone();
        wide.configuration.threads = 16;
        assert!(trial.run(&wide).expect_err("no such core").contains("control_core_4x32x16"));
        let mut suspended = drawn.clone();
        let Work::Grid(grid) = &mut suspended.work else { panic!("the first topic is a grid") };
        grid.suspend = Some(heddle_sim::oracle::grid::program::Suspend { at: 5, times: 1 });
        assert!(trial.run(&suspended).expect_err("it cannot").contains("suspends no blocks"));
    }
}
