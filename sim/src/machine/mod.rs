//! The machine: warps of a kernel on a divergence engine, with the lanes beside it (SM-01 to SM-04, SM-06).
//!
//! In each cycle the warp scheduler picks a ready warp; the engine says which instruction it runs and in which threads; the
//! lanes work out which threads the instruction names; the engine is offered that, and once it accepts, the lanes do
//! the instruction's work. Control flow is the engine's alone: the machine never computes a PC.
//!
//! ```text
//!   feed ──blocks──▶ engine ──ready──▶ scheduler ──barrier forms, EXIT──▶ barriers
//!    │ ▲                │ ▲                │
//!  distributor       fetch └──request── lanes ──access──▶ locks, watchdog, counters
//! ```

use crate::assembler::{Kernel, Launch};
use crate::barrier::Size;
use crate::engine::Configuration;

pub(crate) mod barriers;
pub(crate) mod blocks;
mod cache;
mod core;
pub mod counters;
pub(crate) mod feed;
pub mod hang;
pub(crate) mod local_unit;
mod locks;
mod loop_detector;
mod observer;
mod offers;
mod outcome;
mod recorder;
mod scheduler;
pub(crate) mod state;
pub(crate) mod surroundings;
mod suspension;
pub mod timeline;
mod traces;
mod watchdog;

pub use self::core::Machine;
pub use barriers::{BarrierFault, BarrierHang, Gathering, Mapping};
pub use cache::CacheOptions;
pub use local_unit::ContextFault;
pub use observer::place;
pub use outcome::{Outcome, Verdict};
pub use recorder::{Reasons, Trace};
pub use scheduler::{SchedulerPolicy, WarpScheduler};
pub use suspension::{FailedSuspension, SuspendFailure, SuspendOptions};
pub use traces::fst::FstTrace;
pub use traces::perfetto::PerfettoTrace;
pub use traces::vcd::VcdTrace;

/// How a run goes.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Which ready warp issues.
    pub scheduler: SchedulerPolicy,
    /// The run is stopped after so many cycles.
    pub max_cycles: u64,
    /// Cycles without progress, for each warp of the core, after which a run that repeats itself hangs.
    pub watchdog: u64,
    /// Cycles, beside timeouts, after which a barrier scheduler has surely woken whom it can: its scanner and its walks are done, and what memories around a core take.
    pub barrier_patience: u64,
    /// Warps, from the first, whose timelines are kept.
    pub timelines: usize,
    /// Threads of a thread block of the barrier scheduler, 16 or 64; absent: 16 if a CTA fits, else 64.
    pub barrier_block: Option<usize>,
    /// A modelled cache in front of global memory; without one, every access takes no time.
    pub cache: Option<CacheOptions>,
    /// A CTA is suspended and resumed on the way.
    pub suspend: Option<SuspendOptions>,
    /// Warps whose local memory fits into the buffer for suspended ones; absent: all.
    pub context_room: Option<u32>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            scheduler: SchedulerPolicy::default(),
            max_cycles: 50_000_000,
            watchdog: 100_000,
            barrier_patience: Self::BARRIER_PATIENCE,
            timelines: 0,
            barrier_block: None,
            cache: None,
            suspend: None,
            context_room: None,
        }
    }
}

impl RunOptions {
    /// What a barrier scheduler takes where memories answer at once.
    pub const BARRIER_PATIENCE: u64 = 1024;

    /// The size of the barrier scheduler for a launch.
    pub fn barrier_size(&self, launch: &Launch) -> Size {
        let small = launch.block_threads() as usize <= Size::MEDIUM.threads();
        let block_threads = self.barrier_block.unwrap_or(if small { 16 } else { 64 });
        Size { block_threads, ..Size::MEDIUM }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cycles so far.
    pub cycles: u64,
    /// Thread blocks that were begun.
    pub blocks_begun: u32,
    /// Thread blocks of the grid.
    pub blocks: u32,
}

impl MachineError {
    /// A thread block of this launch has more warps than the core.
    pub(crate) fn too_large(kernel: &Kernel, launch: &Launch, configuration: &Configuration) -> Self {
        Self::BlockTooLarge {
            kernel: kernel.name.clone(),
            threads: launch.block_threads(),
            needed: (launch.block_threads() as usize).div_ceil(configuration.threads),
            warps: configuration.warps,
            warp_threads: configuration.threads,
        }
    }

    /// A thread block has more threads than a CTA of the barrier scheduler.
    pub(crate) fn too_large_for_barriers(kernel: &Kernel, threads: usize, size: &Size) -> Self {
        let (kernel, most) = (kernel.name.clone(), size.threads());
        Self::BlockTooLargeForBarriers { kernel, threads, most, block_threads: size.block_threads }
    }
}

/// Why a kernel cannot run on a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum MachineError {
    /// The program has no instruction.
    #[error("kernel {kernel} has no instruction")]
    #[diagnostic(help("an empty program cannot even EXIT; write at least that"))]
    Empty {
        /// The kernel.
        kernel: String,
    },
    /// A thread block needs more warps than the core has.
    #[error(
        "a block of kernel {kernel} has {threads} threads, hence {needed} warps of {warp_threads}, but the core has {warps}"
    )]
    #[diagnostic(help("use --warps {needed}, or smaller blocks with --block"))]
    BlockTooLarge {
        /// The kernel.
        kernel: String,
        /// Threads of the block.
        threads: u32,
        /// Warps that it needs.
        needed: usize,
        /// Warps that the core has.
        warps: usize,
        /// Threads of a warp.
        warp_threads: usize,
    },
    /// A grid's priority has more bits than the core's scheduler.
    #[error("priority {priority} of a grid is larger than the core's largest, {most}")]
    #[diagnostic(help("use one of 0 to {most}, or a core of more warps: its priorities have 10 bits"))]
    PriorityTooLarge {
        /// The priority.
        priority: u16,
        /// The largest one.
        most: u16,
    },
    /// Something that is to be suspended cannot be saved.
    #[error("--suspend-at: {what} cannot be saved in this version")]
    #[diagnostic(help("run it without --suspend-at, or on the stack or the deque"))]
    NotSaved {
        /// What.
        what: String,
    },
    /// A thread block has more threads than a CTA of the barrier scheduler.
    #[error(
        "a block of kernel {kernel} has {threads} threads, but the barrier scheduler with blocks of {block_threads} holds {most} a CTA"
    )]
    #[diagnostic(help("use --barrier-block 64, or smaller blocks with --block"))]
    BlockTooLargeForBarriers {
        /// The kernel.
        kernel: String,
        /// Threads of the block.
        threads: usize,
        /// Threads that a CTA of the scheduler has.
        most: usize,
        /// Threads of one of its blocks.
        block_threads: usize,
    },
}
