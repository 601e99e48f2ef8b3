//! The one interface behind which a divergence engine stands: stack, deque or tree, as model, as RTL in Rust or Verilated.
//!
//! The machine, the kernels and the tests know no more than this. Time passes only in [`Engine::tick`]; everything before
//! it in a cycle shows the settled state of that cycle.

pub use heddle_hdl::divergence::token::{Cause, Kind, Operation, PathPolicy, YieldPolicy};
use heddle_hdl::points::Entry;

/// One bit a thread; the low `threads` bits count.
pub type Mask = u64;

/// How an engine is set up; the RTL has a configuration port for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Warps that the engine holds.
    pub warps: usize,
    /// Threads of a warp.
    pub threads: usize,
    /// Tokens of a warp that the on-chip window holds; nodes of a warp that the tree's table holds.
    pub depth: usize,
    /// The engine is the tree divergence table (SM-01), for which neither the yield policy nor `stack_mode` counts.
    pub tree: bool,
    /// Which side of a diverging branch runs first.
    pub path_policy: PathPolicy,
    /// When a YIELD yields.
    pub yield_policy: YieldPolicy,
    /// N of [`YieldPolicy::EveryNth`] (0 means 256), threshold of [`YieldPolicy::Random`] in 1/256.
    pub yield_parameter: u8,
    /// First state of each warp's yield generator; 0 stands for 1.
    pub yield_seed: u16,
    /// Plain convergence stack: YIELD does nothing (DQ-32).
    pub stack_mode: bool,
    /// Exceptions go to the software driver instead of the RTL engines (DQ-13).
    pub software_handler: bool,
    /// Tokens or leaves that a warp may spill to memory.
    pub spill_limit: u16,
    /// Cycles from a spill-memory request to its answer, at least 1.
    pub memory_latency: u32,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            warps: 4,
            threads: 32,
            depth: 32,
            tree: false,
            path_policy: PathPolicy::Taken,
            yield_policy: YieldPolicy::Always,
            yield_parameter: 0,
            yield_seed: 1,
            stack_mode: false,
            software_handler: false,
            spill_limit: 1024,
            memory_latency: 4,
        }
    }
}

impl Configuration {
    /// The defaults at the sizes of a parameter point: of a block that has no warps or no depth there is one of each.
    pub fn of(entry: &Entry) -> Self {
        let size = |name: &str| entry.parameter(name).map_or(1, |value| value as usize);
        Self { warps: size("warps"), threads: size("threads"), depth: size("depth"), ..Self::default() }
    }
}

/// What a warp would run in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Address of the instruction, in instructions.
    pub address: u32,
    /// Threads that run it.
    pub active: Mask,
}

/// One instruction, as far as the engine is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The warp that issues; of [`Operation::Wake`], any warp that runs, ready or not.
    pub warp: usize,
    /// What it does.
    pub operation: Operation,
    /// Kind of token, for [`Operation::Push`] and [`Operation::Leave`].
    pub kind: Option<Kind>,
    /// Named threads; the engine ANDs them with the active mask, for [`Operation::Wake`] with those asleep at a barrier.
    pub mask: Mask,
    /// Address operand; of [`Operation::Wake`], where the threads go on.
    pub target: u32,
    /// [`Operation::Leave`] carries an address (SYNC, BRK, CONT always; RET, LONGJMP, EXIT if they name one).
    pub targeted: bool,
    /// Further groups of this instruction follow: the PC stays (DQ-29). Of a leave of kind barrier the warp's next request is for the
    /// threads that stay: the engine may not turn to others of the warp meanwhile (SM-07).
    pub again: bool,
}

impl Request {
    /// A step of nobody.
    pub const fn nothing(warp: usize) -> Self {
        Self { warp, operation: Operation::Step, kind: None, mask: 0, target: 0, targeted: false, again: false }
    }
}

/// A warp that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The warp.
    pub warp: usize,
    /// Why.
    pub cause: Cause,
    /// Address of the instruction at which it was stopped.
    pub address: u32,
}

/// A token, or a node of a tree, that left a warp for its saved context (CX-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedToken {
    /// Kind; [`Kind::Divergence`] of a leaf.
    pub kind: Kind,
    /// Threads; of a waiting node, those that have arrived.
    pub mask: Mask,
    /// Address, in instructions.
    pub address: u32,
    /// What the nodes below it call a waiting node; 0 of a leaf or a token.
    pub node: u16,
    /// The waiting node above it; 0: none.
    pub above: u16,
}

/// Nodes that a warp of a tree uses (TD-07).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeCount {
    /// The warp.
    pub warp: usize,
    /// Nodes of the table, waiting ones and leaves.
    pub nodes: u64,
    /// The most that TD-07 allows for the threads that are awake and the regions that are open; the hardware does not tell.
    pub bound: Option<u64>,
}

/// What happened at one clock edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Warps whose threads have all exited.
    pub done: Vec<usize>,
    /// Warps that were stopped.
    pub faults: Vec<Fault>,
    /// Warps into whose queue a token went, or whose table took a node into use.
    pub pushed: Vec<usize>,
    /// Warps from whose queue a token came, or whose table freed a node.
    pub popped: Vec<usize>,
    /// Handlers that started, with their warp.
    pub exceptions: Vec<(Cause, usize)>,
    /// Branches that diverged.
    pub diverged: u32,
    /// YIELDs, explicit or implicit, that disabled threads.
    pub yielded: u32,
    /// Of those, the ones that merged into a token that was there.
    pub merged: u32,
    /// Tokens or nodes that left for a saved context, with their warp ([`Operation::Withdraw`]).
    pub saved: Vec<(usize, SavedToken)>,
    /// Warps that left with their last token: they no longer run, and did not halt.
    pub withdrawn: Vec<usize>,
    /// Tokens that an unwind discarded; nodes that were freed with nobody to resume.
    pub discarded: u32,
    /// Nodes that the warp at work uses; nothing if the engine is no tree or nobody is at work.
    pub nodes: Option<NodeCount>,
}

/// A divergence engine.
pub trait Engine {
    /// What it is, for tables and messages: `deque model`, `deque RTL`, …
    fn name(&self) -> String;
    /// How it is set up.
    fn configuration(&self) -> &Configuration;
    /// Starts a warp that is not running; may take cycles of its own, which pass before it is in [`Engine::ready`].
    fn launch(&mut self, warp: usize, threads: Mask, address: u32);
    /// The same engine as one whose warps can be saved and restored, if they can (CX-09).
    fn context(&mut self) -> Option<&mut dyn EngineContext> {
        None
    }
    /// Warps that may issue in this cycle, bit w for warp w. A warp whose live threads all sleep at a barrier is not among them; it
    /// is parked until an [`Operation::Wake`] (SM-07).
    fn ready(&mut self) -> u64;
    /// Warps that were launched and have neither halted nor been stopped.
    fn running(&mut self) -> u64;
    /// What a running warp would run in this cycle.
    fn fetch(&mut self, warp: usize) -> Fetch;
    /// Threads of a warp that are disabled for `reason` in this cycle.
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask;
    /// Offers an instruction or a wake-up in this cycle; at most one of them a cycle. True if it is accepted, else offer the same one again after a tick.
    fn offer(&mut self, request: &Request) -> bool;
    /// One clock edge.
    fn tick(&mut self) -> Events;
}

/// What an engine offers for saving and restoring a warp beside [`Operation::Withdraw`], [`Operation::Deposit`] and
/// [`Operation::Disable`] (CX-09).
pub trait EngineContext {
    /// Starts a warp that was saved, with all its live threads and its yield state. As for [`Engine::launch`], its other threads count as
    /// exited, and it may take cycles of its own.
    fn resume(&mut self, warp: usize, threads: Mask, address: u32, yield_state: u16);
    /// The yield state of a running warp: YIELDs counted, or its generator.
    fn yield_state(&mut self, warp: usize) -> u16;
}
