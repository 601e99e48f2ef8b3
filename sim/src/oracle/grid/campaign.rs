//! Many random kernels, each on a core of its own, with everything counted (XV-03).
//!
//! A kernel is named by the campaign's seed, class and sizes and by its number, and nothing else: it can be made again. A failing one is
//! shrunk and kept in a file.

use super::super::case_file::CaseConfiguration;
use super::generate::{generate, stream, GridClass, Wish};
use super::program::GridProgram;
use super::runner::{run, GridStatistics, GridWrong, NoTest, Parts, PreparedGrid};
use super::shrink::shrink;
use crate::engine::{Configuration, Engine, PathPolicy, YieldPolicy};
use crate::launch::WorkDistributor;
use crate::model::barrier::backend::ModelScheduler;
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::model::context::sequencer::Sequencer;
use crate::model::tree::TreeTable;
use crate::model::work_distributor::walker::Walker;
use crate::model::DivergenceUnit;
use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which engine a kernel is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// The plain convergence stack, with kernels that cannot hang it.
    Stack,
    /// The token queue.
    Deque,
    /// The tree.
    Tree,
}

/// Instructions that all threads of a kernel together may run, unless the campaign says otherwise.
pub const LONGEST_RUN: u64 = 150_000;

/// What to run.
#[derive(Clone, Debug)]
pub struct GridCampaign {
    /// Names the campaign.
    pub seed: u64,
    /// Kernels to run.
    pub programs: u64,
    /// What they have.
    pub class: GridClass,
    /// The engine's sizes; policies vary.
    pub base: Configuration,
    /// Always this engine; without it, each kernel draws one.
    pub engine: Option<EngineKind>,
    /// Instructions that all threads of a kernel together may run; longer ones are made anew.
    pub longest_run: u64,
}

/// A failing kernel, to be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridCase {
    /// What was seen, for the reader.
    pub seen: String,
    /// The campaign's seed.
    pub seed: u64,
    /// The kernel's number in the campaign.
    pub number: u64,
    /// What it was drawn for.
    pub class: GridClass,
    /// The engine's configuration.
    pub configuration: CaseConfiguration,
    /// The kernel.
    pub grid_program: GridProgram,
}

/// A failure, with how to see it again.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{engine}: {class} program {number}, seed {seed}: {wrong}\n{shrunk}",
        class = .case.class.name(), number = .case.number, seed = .case.seed)]
pub struct GridFailure {
    /// The engine's name.
    pub engine: String,
    /// What went wrong, in the shrunk kernel.
    pub wrong: GridWrong,
    /// The shrunk kernel as text.
    pub shrunk: String,
    /// The case, as in the file.
    pub case: GridCase,
}

/// What a campaign has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridSummary {
    /// Kernels.
    pub programs: u64,
    /// Kernels that were made anew because they ran too long.
    pub rejected: u64,
    /// Everything else.
    pub statistics: GridStatistics,
}

impl GridSummary {
    /// This and another one's together.
    #[must_use]
    pub fn and(mut self, other: &GridSummary) -> Self {
        self.programs += other.programs;
        self.rejected += other.rejected;
        self.statistics.add(&other.statistics);
        self
    }
}

/// Makes a kernel: its configuration, the kernel with its truth, and how many had to be made anew.
pub fn prepare(campaign: &GridCampaign, number: u64) -> (Configuration, PreparedGrid, u64) {
    let mut random = stream(campaign.seed, campaign.class, number);
    let mut configuration = campaign.base;
    let drawn = match (random.random_range(0..10), campaign.class) {
        (0 | 1, _) => EngineKind::Stack,
        // A tree is the engine to try with barriers; which engines can be suspended is for them to say.
        (2..=5, GridClass::Barriers) | (2, GridClass::Suspends) => EngineKind::Tree,
        _ => EngineKind::Deque,
    };
    let kind = campaign.engine.unwrap_or(drawn);
    configuration.stack_mode = kind == EngineKind::Stack;
    configuration.tree = kind == EngineKind::Tree;
    use PathPolicy::{Larger, NotTaken, Smaller, Taken};
    use YieldPolicy::{Always, EveryNth, Random};
    configuration.path_policy = [Taken, NotTaken, Smaller, Larger][random.random_range(0..4)];
    configuration.yield_policy = [Always, Always, EveryNth, Random][random.random_range(0..4)];
    configuration.yield_parameter =
        random.random_range(1..6) * if configuration.yield_policy == Random { 40 } else { 1 };
    configuration.yield_seed = random.random();
    let wish = Wish {
        class: campaign.class,
        stack: kind == EngineKind::Stack,
        warps: configuration.warps,
        threads: configuration.threads,
    };
    let mut rejected = 0;
    loop {
        match PreparedGrid::new(generate(&mut random, wish), campaign.longest_run) {
            Ok(prepared) => return (configuration, prepared, rejected),
            Err(_) => rejected += 1,
        }
    }
}

/// The reference models of everything; whoever fails beside them fails by himself.
pub fn reference() -> Parts<'static> {
    fn engine(configuration: &Configuration) -> Box<dyn Engine> {
        match configuration.tree {
            true => Box::new(TreeTable::new(*configuration)),
            false => Box::new(DivergenceUnit::new(*configuration)),
        }
    }
    fn context(warps: usize, threads: usize) -> Option<(ContextShape, Box<dyn ContextPorts>)> {
        let thread_bits = threads.next_power_of_two().trailing_zeros();
        let shape = ContextShape { groups: (2 * warps).next_power_of_two(), thread_bits, engines: 1 };
        (shape.groups <= 64).then(|| (shape, Box::new(Sequencer::new(shape)) as Box<dyn ContextPorts>))
    }
    Parts {
        engine: &engine,
        barriers: &|size| Box::new(ModelScheduler::new(size, Default::default())),
        distributor: &|shape| Box::new(Walker::new(shape)) as Box<dyn WorkDistributor>,
        context: &context,
        core: None,
    }
}

/// Runs one kernel of a campaign.
pub fn run_one(campaign: &GridCampaign, number: u64, parts: &Parts<'_>) -> Result<GridSummary, Box<GridFailure>> {
    let (configuration, prepared, rejected) = prepare(campaign, number);
    match run(parts, &configuration, &prepared) {
        Ok(statistics) => Ok(GridSummary { programs: 1, rejected, statistics }),
        Err(wrong) => Err(Box::new(report(campaign, number, parts, &configuration, &prepared, wrong))),
    }
}

/// Runs a campaign on all processors.
pub fn run_many(campaign: &GridCampaign, parts: &Parts<'_>) -> Result<GridSummary, Box<GridFailure>> {
    let one = |number| run_one(campaign, number, parts);
    (0..campaign.programs).into_par_iter().map(one).try_reduce(GridSummary::default, |left, right| Ok(left.and(&right)))
}

fn report(
    campaign: &GridCampaign,
    number: u64,
    parts: &Parts<'_>,
    configuration: &Configuration,
    original: &PreparedGrid,
    first: GridWrong,
) -> GridFailure {
    let prepare = |program: &GridProgram| PreparedGrid::new(program.clone(), campaign.longest_run).ok();
    // Where the reference models run the original, they have to run what is left of it.
    let judge = run(&reference(), configuration, original).is_ok();
    let fails = |program: &GridProgram| {
        let Some(prepared) = prepare(program) else { return false };
        let same = run(parts, configuration, &prepared).is_err_and(|wrong| wrong.same_way(&first));
        same && !(judge && run(&reference(), configuration, &prepared).is_err())
    };
    let smallest = shrink(&original.program, fails);
    let again = prepare(&smallest).and_then(|prepared| run(parts, configuration, &prepared).err());
    let wrong = again.unwrap_or(first.clone());
    let engine = parts.name(configuration);
    let shrunk = format!(
        "shrunk from {} statements and {} blocks of {} threads to {} and {} of {}:\n{}",
        original.program.size(),
        original.program.ctas,
        original.program.block_threads,
        smallest.size(),
        smallest.ctas,
        smallest.block_threads,
        smallest.text()
    );
    let case = GridCase {
        seen: format!("{engine}: {wrong}"),
        seed: campaign.seed,
        number,
        class: campaign.class,
        configuration: CaseConfiguration::from(configuration),
        grid_program: smallest,
    };
    GridFailure { engine, wrong, shrunk, case }
}

/// Runs a kept case once more: its statistics, or what still goes wrong.
pub fn replay(
    case: &GridCase,
    configuration: &Configuration,
    parts: &Parts<'_>,
) -> Result<Result<GridStatistics, GridWrong>, NoTest> {
    let prepared = PreparedGrid::new(case.grid_program.clone(), super::super::case_file::STEP_LIMIT.into())?;
    Ok(run(parts, configuration, &prepared))
}
