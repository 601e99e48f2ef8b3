//! What runs on a core in one go. An episode is named by the campaign's seed and its number, can be made again from these, and lies in the file of a failure as it is.

use super::launches::{self, Launches};
use super::mistakes::{self, Mistakes};
use super::{crowd, SUSPENDING, TREE};
use heddle_hdl::points::Entry;
use heddle_sim::engine::Configuration;
use heddle_sim::oracle::campaign::batch;
use heddle_sim::oracle::case_file::CaseConfiguration;
use heddle_sim::oracle::grid::campaign::{prepare, EngineKind, GridCampaign, LONGEST_RUN};
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::grid::program::{GridProgram, Suspend};
use heddle_sim::oracle::program::{Class, Program};
use heddle_sim::oracle::Campaign;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Programs of an episode: of the smaller cores' warps each has several, one after the other.
const PROGRAMS: usize = 12;
/// Instructions that a thread of them may run: the Rust simulation of a core is slow.
const PROGRAM_RUN: u32 = 200;
/// Instructions that all threads of a grid together may run.
const GRID_RUN: u64 = LONGEST_RUN / 6;

/// Kernels of an episode that end with an error: they are short.
const MISTAKES: usize = 8;

/// What an episode is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Programs of one class, each a grid of one block of one warp, all under way at once.
    Programs(Class),
    /// A grid of a class.
    Grid(GridClass),
    /// A grid with barriers whose blocks are suspended on the way.
    SuspendedBarriers,
    /// A grid whose threads all wake at once, in many places ([`crowd`]).
    Crowd,
    /// Grids of which tables pick blocks, one behind the other ([`launches`]).
    Launches,
    /// Grids in which threads do what they must not ([`mistakes`]).
    Mistakes,
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Programs, requested in this order.
    Programs(Vec<Program>),
    /// A grid.
    Grid(Box<GridProgram>),
    /// Grids, requested in this order.
    Launches(Launches),
    /// Grids that end with an error each, all but a few, each on a core of its own.
    Mistakes(Vec<Mistakes>),
}

/// See the module's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// What it is about.
    pub topic: Topic,
    /// How core and engine are set up.
    pub configuration: CaseConfiguration,
    /// The warp that issued last goes on issuing; of programs only, for warps that wait for each other need their turns.
    pub greedy: bool,
    /// Names what the surroundings do; without it they answer at once.
    pub rough: Option<u64>,
    /// What runs.
    pub work: Work,
}

/// What a core's episodes are about, in turn.
pub fn topics(block: &str) -> Vec<Topic> {
    use GridClass::{Barriers, Suspends};
    let mut topics = vec![
        Topic::Grid(Barriers),
        Topic::Crowd,
        Topic::Programs(Class::Structured),
        Topic::Mistakes,
        Topic::Grid(Barriers),
        Topic::Crowd,
        Topic::Programs(Class::Goto),
        Topic::Grid(Barriers),
        Topic::Programs(Class::Plain),
        Topic::Launches,
        Topic::Mistakes,
    ];
    if block == SUSPENDING {
        // Queues of grids are short, and of the largest part of them a block is suspended.
        topics.splice(
            1..1,
            [Topic::Grid(Suspends), Topic::Launches, Topic::SuspendedBarriers, Topic::Launches, Topic::Grid(Suspends)],
        );
    }
    topics
}

/// The engine of the so-manieth episode: where there is a choice, the stack in every fifth one, so that each topic has its turn, of which there are no five, or ten; but who waits impatiently may have to
/// present the same instruction again, of which a stack knows nothing.
fn engine(tree: bool, topic: Topic, number: u64) -> EngineKind {
    match (tree, topic, number % 5) {
        (true, _, _) => EngineKind::Tree,
        (false, Topic::Crowd, _) => EngineKind::Deque,
        (false, _, 2) => EngineKind::Stack,
        (false, _, _) => EngineKind::Deque,
    }
}

/// How many of these warps take part; the others are switched off.
fn switched_on(random: &mut ChaCha8Rng, warps: usize) -> usize {
    if random.random_range(0..4) == 0 {
        random.random_range(1..=warps)
    } else {
        warps
    }
}

impl Episode {
    /// The so-manieth episode of a campaign on a core.
    pub fn draw(entry: &Entry, seed: u64, number: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        let topics = topics(entry.block);
        let (round, place) = (number / topics.len() as u64, number % topics.len() as u64);
        let topic = topics[place as usize];
        let kind = engine(entry.block == TREE, topic, number);
        let mut base = Configuration { tree: kind == EngineKind::Tree, ..Configuration::of(entry) };
        base.memory_latency = random.random_range(1..12);
        // Each topic once in surroundings that answer at once, then once in others; of two neighbours one.
        let rough = ((place + round) % 2 == 1).then(|| random.random());
        let grid = |class, random: &mut ChaCha8Rng| {
            let (seed, engine) = (random.random(), Some(kind));
            let campaign = GridCampaign { seed, programs: 1, class, base, engine, longest_run: GRID_RUN };
            let (configuration, prepared, _) = prepare(&campaign, 0);
            (configuration, prepared.program)
        };
        let (configuration, greedy, work) = match topic {
            Topic::Programs(class) => {
                base.warps = switched_on(&mut random, base.warps);
                let mut campaign = Campaign::new(random.random(), PROGRAMS as u64, class, base);
                campaign.longest_run = PROGRAM_RUN;
                let (configuration, prepared, _) = batch(&campaign, 0);
                let configuration = Configuration { stack_mode: kind == EngineKind::Stack, ..configuration };
                let programs = prepared.into_iter().take(PROGRAMS).map(|prepared| prepared.program).collect();
                (configuration, random.random(), Work::Programs(programs))
            }
            Topic::Grid(class) => {
                let (configuration, program) = grid(class, &mut random);
                (configuration, false, Work::Grid(program.into()))
            }
            Topic::SuspendedBarriers => {
                let (configuration, mut program) = grid(GridClass::Barriers, &mut random);
                // Some of its blocks end while they are asked to leave.
                let times = if random.random() { random.random_range(8..32) } else { random.random_range(1..4) };
                program.suspend = Some(Suspend { at: random.random_range(0..1500), times });
                (configuration, false, Work::Grid(program.into()))
            }
            Topic::Crowd => {
                // Policies as of any other grid.
                let (configuration, _) = grid(GridClass::Barriers, &mut random);
                let suspends = entry.block == SUSPENDING && random.random();
                let program = crowd::draw(&mut random, (configuration.warps, configuration.threads), suspends);
                (configuration, false, Work::Grid(program.into()))
            }
            Topic::Launches => {
                base.warps = switched_on(&mut random, base.warps);
                let configuration = Configuration { stack_mode: kind == EngineKind::Stack, ..base };
                let suspends = entry.block == SUSPENDING && random.random_range(0..4) > 0;
                let launches = launches::draw(&mut random, (base.warps, base.threads), suspends);
                (configuration, random.random(), Work::Launches(launches))
            }
            Topic::Mistakes => {
                base.warps = switched_on(&mut random, base.warps);
                let configuration = Configuration { stack_mode: kind == EngineKind::Stack, ..base };
                let kernels = (0..MISTAKES)
                    .map(|_| mistakes::draw(&mut random, &configuration, entry.block == SUSPENDING))
                    .collect();
                (configuration, random.random(), Work::Mistakes(kernels))
            }
        };
        Self { topic, configuration: CaseConfiguration::from(&configuration), greedy, rough, work }
    }

    /// How much there is to it: instructions of programs, statements of a grid, grids, or what there is to mistakes.
    pub fn size(&self) -> usize {
        match &self.work {
            Work::Programs(programs) => programs.iter().map(|program| program.code.len()).sum(),
            Work::Grid(program) => program.size(),
            Work::Launches(launches) => launches.grids.len(),
            Work::Mistakes(kernels) => kernels.iter().map(Mistakes::size).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_lockstep::CORES;
    use heddle_hdl::points;
    use std::collections::BTreeSet;

    /// XV-02: an episode is made again from seed and number alone, another number gives another one, and in a file it stays what it is.
    #[test]
    fn xv_02_an_episode_can_be_made_again() {
        let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
        for number in 0..9 {
            let episode = Episode::draw(&entry, 5, number);
            assert_eq!(episode, Episode::draw(&entry, 5, number));
            assert_ne!(episode.work, Episode::draw(&entry, 5, number + 9).work);
            assert_ne!(episode.work, Episode::draw(&entry, 6, number).work);
            let text = serde_json::to_string(&episode).expect("it can be kept");
            assert_eq!(serde_json::from_str::<Episode>(&text).expect("and read"), episode);
        }
    }

    /// XV-02, XV-03: in two rounds each core meets each topic in surroundings of both kinds; only one of them suspends, and each has its own engine.
    #[test]
    fn xv_02_every_topic_in_both_surroundings() {
        for core in CORES {
            let entry = points::entries().into_iter().find(|entry| entry.block == core).expect("a point");
            let rounds = 2 * topics(core).len() as u64;
            let drawn: Vec<Episode> = (0..rounds).map(|number| Episode::draw(&entry, 1, number)).collect();
            let met: BTreeSet<_> = drawn.iter().map(|episode| (episode.topic, episode.rough.is_some())).collect();
            let all: BTreeSet<_> = topics(core).into_iter().flat_map(|topic| [(topic, false), (topic, true)]).collect();
            assert_eq!(met, all, "{core}");
            let suspends = |episode: &Episode| matches!(&episode.work, Work::Grid(grid) if grid.suspend.is_some());
            assert_eq!(drawn.iter().any(suspends), core == SUSPENDING);
            assert!(drawn.iter().all(|episode| episode.configuration.tree == (core == "control_core_tree")), "{core}");
            assert!(
                drawn.iter().any(|episode| episode.greedy && !episode.configuration.tree)
                    || core == "control_core_tree"
            );
        }
    }
}
