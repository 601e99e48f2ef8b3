//! A kernel on the machine, with any engine, barrier scheduler, context unit and distributor, or on a control core, against its truth.

use super::interpreter::{interpret, Illegal, Truth};
use super::program::GridProgram;
use crate::assembler::{assemble, Kernel, Launch, Overrides};
use crate::barrier::{BarrierScheduler, Size};
use crate::control_core::{ControlCore, CoreMachine, Setup};
use crate::engine::{Configuration, Engine};
use crate::launch::{Shape, WorkDistributor};
use crate::machine::counters::Counters;
use crate::machine::{Machine, MachineError, Outcome, RunOptions, SuspendOptions, Verdict};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::oracle::warp_runner::core_runner;
use serde::{Deserialize, Serialize};

/// What stands around the lanes.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// Makes an engine.
    pub engine: &'a (dyn Fn(&Configuration) -> Box<dyn Engine> + Sync),
    /// Makes a barrier scheduler.
    pub barriers: &'a (dyn Fn(Size) -> Box<dyn BarrierScheduler> + Sync),
    /// Makes a work distributor.
    pub distributor: &'a (dyn Fn(Shape) -> Box<dyn WorkDistributor> + Sync),
    /// Makes a context unit for so many warps of so many threads, if there is one.
    pub context: &'a (dyn Fn(usize, usize) -> Option<(ContextShape, Box<dyn ContextPorts>)> + Sync),
    /// Makes a whole core; then only the context unit stands beside it.
    pub core: Option<CorePart<'a>>,
}

/// A control core in place of engine, barrier scheduler and work distributor.
#[derive(Clone, Copy)]
pub struct CorePart<'a> {
    /// Makes one.
    pub build: &'a (dyn Fn(&Setup) -> Box<dyn ControlCore> + Sync),
    /// Threads of a block of the barrier scheduler that it has at a size, if it has one.
    pub barrier_block: fn(&Configuration) -> Option<usize>,
    /// How long the machine waits for warps that all sleep ([`RunOptions::barrier_patience`]).
    pub patience: u64,
}

/// A context unit, and how big it is.
type ContextUnit = (ContextShape, Box<dyn ContextPorts>);

impl Parts<'_> {
    /// What runs, for messages.
    pub fn name(&self, configuration: &Configuration) -> String {
        match &self.core {
            None => (self.engine)(configuration).name(),
            Some(core) => (core.build)(&core_runner::setup(*configuration)).name(),
        }
    }

    /// Blocks of such an engine can be suspended and resumed; local memory is not looked at.
    fn suspends(&self, configuration: &Configuration) -> bool {
        match &self.core {
            None => (self.engine)(configuration).context().is_some(),
            Some(_) => !configuration.tree,
        }
    }

    /// A kernel on the machine around the blocks.
    fn on_blocks(
        &self,
        configuration: &Configuration,
        prepared: &PreparedGrid,
        options: RunOptions,
        context: Option<ContextUnit>,
    ) -> Result<Outcome, MachineError> {
        let PreparedGrid { kernel, launch, .. } = prepared;
        let machine = Machine::new(kernel, launch, (self.engine)(configuration), options)?;
        let machine = machine.with_distributor(launch, (self.distributor)(Shape::CORE));
        let machine = match context {
            Some((shape, ports)) => machine.with_context(shape, ports),
            None => machine,
        };
        let machine = match kernel.uses_barriers() {
            true => machine.with_barriers(launch, (self.barriers)(options.barrier_size(launch)))?,
            false => machine,
        };
        Ok(machine.run(&|| false, &mut |_| ()))
    }
}

impl<'a> CorePart<'a> {
    /// Cores that `build` makes, with barrier schedulers of these blocks, among memories that answer at once.
    pub fn new(
        build: &'a (dyn Fn(&Setup) -> Box<dyn ControlCore> + Sync),
        barrier_block: fn(&Configuration) -> Option<usize>,
    ) -> Self {
        Self { build, barrier_block, patience: RunOptions::BARRIER_PATIENCE }
    }

    /// A kernel on the core.
    fn run(
        &self,
        configuration: &Configuration,
        prepared: &PreparedGrid,
        options: RunOptions,
        context: Option<ContextUnit>,
    ) -> Result<Outcome, MachineError> {
        let PreparedGrid { kernel, launch, .. } = prepared;
        let (barrier_block, barrier_patience) = ((self.barrier_block)(configuration), self.patience);
        let options = RunOptions { barrier_block, barrier_patience, ..options };
        let core = (self.build)(&CoreMachine::setup(kernel, launch, *configuration, &options));
        let machine = CoreMachine::new(kernel, launch, core, options)?;
        let machine = match context {
            Some((shape, ports)) => machine.with_context(shape, ports),
            None => machine,
        };
        Ok(machine.run(&|| false, &mut |_| ()))
    }
}

/// A kernel that is ready to run, with its truth.
#[derive(Clone, Debug)]
pub struct PreparedGrid {
    /// What it was made from.
    pub program: GridProgram,
    /// Its instructions.
    pub kernel: Kernel,
    /// Its sizes and initial memory.
    pub launch: Launch,
    /// What it leaves.
    pub truth: Truth,
}

impl PreparedGrid {
    /// Assembles a program and finds its truth, if it has one within so many instructions of all threads.
    pub fn new(program: GridProgram, limit: u64) -> Result<Self, NoTest> {
        let text = program.text();
        let kernel = assemble(&text, "random.s").map_err(|errors| NoTest::Text(format!("{errors:?}")))?;
        let launch = kernel.launch(&Overrides::default()).map_err(|cause| NoTest::Text(cause.to_string()))?;
        let truth = interpret(&kernel, &launch, limit)?;
        Ok(Self { program, kernel, launch, truth })
    }
}

/// Why a program is no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTest {
    /// It does not assemble: a fault of the generator, or a file that somebody changed.
    #[error("it does not assemble: {0}")]
    Text(String),
    /// It has no truth.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// How a run went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridWrong {
    /// It did not end as it should.
    #[error("{verdict}: {explanation}")]
    Ended {
        /// One word.
        verdict: &'static str,
        /// What the machine says.
        explanation: String,
    },
    /// Memory is not what the threads alone leave.
    #[error("{section}[{index}] is 0x{found:x}, threads alone leave 0x{expected:x} ({words} words differ)")]
    Memory {
        /// Section of global memory.
        section: String,
        /// Word of it.
        index: usize,
        /// What the run left.
        found: u32,
        /// What it should be.
        expected: u32,
        /// How many words differ.
        words: usize,
    },
}

impl GridWrong {
    /// The same way of going wrong, whatever the place.
    pub fn same_way(&self, other: &GridWrong) -> bool {
        match (self, other) {
            (GridWrong::Ended { verdict, .. }, GridWrong::Ended { verdict: other, .. }) => verdict == other,
            (GridWrong::Memory { .. }, GridWrong::Memory { .. }) => true,
            _ => false,
        }
    }
}

/// Counts of what happened in runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridStatistics {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions that warps issued.
    pub instructions: u64,
    /// Instructions that threads ran, by the interpreter's count.
    pub thread_steps: u64,
    /// Thread blocks.
    pub blocks: u64,
    /// Warps.
    pub warps: u64,
    /// Branches that diverged.
    pub diverged: u64,
    /// YIELDs that disabled threads.
    pub yielded: u64,
    /// Windows that overflowed or ran dry: recentered, spilled, refilled.
    pub exceptions: u64,
    /// Barrier phases that ended and woke their sleepers.
    pub released: u64,
    /// Executions that went to the slots.
    pub dynamic: u64,
    /// Turns of a thread in a section.
    pub sections: u64,
    /// Threads that fell asleep.
    pub slept: u64,
    /// Instructions after which some thread had to come again.
    pub waits: u64,
    /// Threads that went on behind a bottom at once.
    pub skipped: u64,
    /// Timeouts that fired.
    pub timeouts: u64,
    /// CTAs that were suspended.
    pub suspended: u64,
    /// Words of local memory that were copied for them.
    pub copied: u64,
    /// Runs on the plain stack.
    pub on_stack: u64,
    /// Runs on the token queue.
    pub on_deque: u64,
    /// Runs on the tree.
    pub on_tree: u64,
}

impl GridStatistics {
    /// Adds another run's.
    pub fn add(&mut self, other: &GridStatistics) {
        for ((_, mine), (_, theirs)) in self.counts_mut().into_iter().zip(other.counts()) {
            *mine += theirs;
        }
    }

    /// Every count with its name.
    pub fn counts(&self) -> [(&'static str, u64); 20] {
        let mut copy = *self;
        copy.counts_mut().map(|(name, count)| (name, *count))
    }

    fn counts_mut(&mut self) -> [(&'static str, &mut u64); 20] {
        [
            ("runs on the stack", &mut self.on_stack),
            ("runs on the deque", &mut self.on_deque),
            ("runs on the tree", &mut self.on_tree),
            ("cycles", &mut self.cycles),
            ("instructions issued", &mut self.instructions),
            ("thread instructions", &mut self.thread_steps),
            ("thread blocks", &mut self.blocks),
            ("warps", &mut self.warps),
            ("branches diverged", &mut self.diverged),
            ("yields", &mut self.yielded),
            ("windows or tables overflowed", &mut self.exceptions),
            ("barriers passed", &mut self.released),
            ("barriers that took a slot", &mut self.dynamic),
            ("sections entered", &mut self.sections),
            ("threads put to sleep", &mut self.slept),
            ("waits", &mut self.waits),
            ("threads that skipped", &mut self.skipped),
            ("timeouts", &mut self.timeouts),
            ("blocks suspended", &mut self.suspended),
            ("local words copied", &mut self.copied),
        ]
    }

    fn of(counters: &Counters, prepared: &PreparedGrid, configuration: &Configuration) -> Self {
        let barriers = &counters.barriers;
        let Configuration { tree, stack_mode, .. } = *configuration;
        Self {
            cycles: counters.cycles,
            instructions: counters.instructions.total(),
            thread_steps: prepared.truth.steps,
            blocks: counters.blocks_done,
            warps: counters.warps_done,
            diverged: counters.diverged,
            yielded: counters.yielded,
            exceptions: counters.exceptions.total(),
            released: barriers.released,
            dynamic: barriers.dynamic,
            sections: barriers.sections,
            slept: barriers.slept,
            waits: barriers.waits,
            skipped: barriers.skipped,
            timeouts: barriers.timeouts,
            suspended: counters.suspensions.suspended,
            copied: counters.context.copied,
            on_stack: u64::from(stack_mode && !tree),
            on_deque: u64::from(!stack_mode && !tree),
            on_tree: u64::from(tree),
        }
    }
}

/// Cycles without progress, a warp, after which a run that repeats itself hangs; far above any timeout that is drawn.
const WATCHDOG: u64 = 5_000;

/// How long a kernel may run, by what its threads run alone.
pub fn limits(prepared: &PreparedGrid) -> RunOptions {
    RunOptions { max_cycles: 200_000 + 100 * prepared.truth.steps, watchdog: WATCHDOG, ..RunOptions::default() }
}

/// Runs a kernel. A CTA is suspended only if engine and context unit can do that.
pub fn run(
    parts: &Parts<'_>,
    configuration: &Configuration,
    prepared: &PreparedGrid,
) -> Result<GridStatistics, GridWrong> {
    let PreparedGrid { program, launch, truth, .. } = prepared;
    let context = match launch.local_bytes {
        0 => None,
        _ => (parts.context)(configuration.warps, configuration.threads),
    };
    let able =
        program.suspend.is_some() && (launch.local_bytes == 0 || context.is_some()) && parts.suspends(configuration);
    let suspend = program.suspend.filter(|_| able).map(|suspend| SuspendOptions {
        times: suspend.times,
        vacant: 2,
        ..SuspendOptions::at(suspend.at)
    });
    let options = RunOptions { suspend, ..limits(prepared) };
    let outcome = match &parts.core {
        None => parts.on_blocks(configuration, prepared, options, context),
        Some(core) => core.run(configuration, prepared, options, context),
    };
    let outcome = outcome.map_err(|cause| GridWrong::Ended { verdict: "refused", explanation: cause.to_string() })?;
    if outcome.verdict != Verdict::Completed {
        let (verdict, explanation) = (outcome.verdict.name(), outcome.verdict.explain());
        return Err(GridWrong::Ended { verdict, explanation });
    }
    compare(launch, &outcome.global, &truth.global)?;
    Ok(GridStatistics::of(&outcome.counters, prepared, configuration))
}

/// The first word that differs, by its section.
fn compare(launch: &Launch, found: &[u8], expected: &[u8]) -> Result<(), GridWrong> {
    let words = |memory: &[u8]| -> Vec<u32> {
        memory.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    let (found, expected) = (words(found), words(expected));
    let differ: Vec<usize> = (0..expected.len()).filter(|index| found.get(*index) != Some(&expected[*index])).collect();
    let Some(&first) = differ.first() else { return Ok(()) };
    let section = launch.sections.iter().rev().find(|section| section.address as usize / 4 <= first);
    Err(GridWrong::Memory {
        section: section.map_or(String::new(), |section| section.name.clone()),
        index: first - section.map_or(0, |section| section.address as usize / 4),
        found: found.get(first).copied().unwrap_or(0),
        expected: expected[first],
        words: differ.len(),
    })
}
