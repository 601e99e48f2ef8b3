//! A whole control core: work distributor, CTA slots, warp scheduler, decoder, divergence engine and barrier scheduler behind one set of ports
//! (SM-01 to SM-03, SM-07).
//!
//! [`ControlCore`] is what any form of it shows: the reference composition ([`ModelCore`]), the RTL in Rust or Verilated
//! ([`RtlCore`](crate::rtl::control_core::RtlCore)). [`CoreMachine`] puts instruction store, lanes, memories, counters and watchdog around
//! one, and decides nothing: which warp issues what, which block runs where, and when, comes out of the core.
//!
//! ```text
//!              grid ──▶ ┌──────────────┐ ──fetch──▶ instruction store
//!   table of flags ◀──▶ │ control core │ ◀──word──────────┘   │
//!     spill memory ◀──▶ │              │ ◀──named threads── lanes ◀──▶ memories
//!                       └──────────────┘ ──issue, launch, finish──▶ lanes, counters, watchdog
//! ```
//!
//! A core that suspends blocks has the context unit inside: lanes, allocator and both memories of local words are at its ports ([`LocalInputs`], [`LocalEdge`]).
//!
//! A cycle: [`begin`](ControlCore::begin) with the inputs that come out of registers, [`decide`](ControlCore::decide) with the answers of
//! the lanes to what the core looks at, [`tick`](ControlCore::tick).

mod barriers;
mod local_memory;
mod machine;
mod model;
mod suspension;

pub use machine::CoreMachine;
pub use model::ModelCore;

use crate::barrier::{ErrorReport, Size};
use crate::engine::{Configuration, Events, Mask, Request};
use crate::lanes::LaneAnswer;
use crate::launch::PrioritizedGrid;
use crate::machine::SchedulerPolicy;
use crate::model::context::pointer_table::{Access, AccessError, Location};

pub use crate::machine::state::Look;

/// How a core is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Its warps and its divergence engine.
    pub configuration: Configuration,
    /// Which ready warp issues.
    pub scheduler: SchedulerPolicy,
    /// Threads of a thread block.
    pub block_threads: u32,
    /// The program has barriers: the core's scheduler, of this size, sees them and every EXIT.
    pub barriers: Option<Size>,
    /// Blocks of it are suspended (SM-05).
    pub suspends: bool,
    /// Words of local memory of each thread.
    pub local_words: u16,
}

/// What the core did that it must not; a fault of the hardware, never of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the control core {0}")]
pub struct CoreFault(pub String);

/// What comes out of registers around the core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Warps that wait for data memory, bit w for warp w: they are not chosen.
    pub busy: u64,
    /// A grid that is to be run.
    pub grid: Option<PrioritizedGrid>,
    /// A word of 64 flags that the memory gives back.
    pub table: Option<u64>,
    /// A block is to leave, or to come back.
    pub suspend: Option<SuspendRequest>,
    /// Its context unit.
    pub local: LocalInputs,
}

/// What lanes, allocator and memories put into a core's own context unit in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalInputs {
    /// An access of a thread; its slot is a warp of the core.
    pub access: Option<Access>,
    /// A group one of whose accesses was carried out.
    pub complete: Option<usize>,
    /// The allocator's answer: a pointer, or none.
    pub allocated: Option<Option<u32>>,
    /// A word that the hardware's local memory gives back.
    pub data: Option<u32>,
    /// Global memory has carried out the oldest write.
    pub acknowledge: bool,
}

/// What is asked of a core that suspends blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendRequest {
    /// The block in a slot is to leave.
    Leave {
        /// The slot.
        slot: usize,
        /// Where its save area begins, in words of 64 bits.
        address: u32,
        /// Cycles in which a thread must have left its section, at least 1.
        patience: u16,
    },
    /// A block is to come back.
    Return {
        /// Behind the last word of its save area.
        address: u32,
        /// Warps and slots that it may have.
        warps: u64,
    },
}

/// A suspension or a resumption is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// Done 0, no room for local memory 1, a thread did not leave its section 2, no block there 3.
    pub failure: u8,
    /// Behind the last word of the save area.
    pub end: u32,
    /// The barrier and the address of the top of a section that was not left.
    pub section: (usize, u32),
}

/// A warp is launched in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpLaunch {
    /// The warp of the core.
    pub warp: usize,
    /// The slot of its block.
    pub slot: usize,
    /// Its number in its block.
    pub place: usize,
    /// Its threads.
    pub threads: Mask,
    /// Place of its block in the grid.
    pub block: [u16; 3],
    /// Name of the grid.
    pub grid: u8,
    /// Priority of the grid.
    pub priority: u16,
    /// It comes back: the threads are those that are alive.
    pub resumes: bool,
}

/// An instruction that the core looks at: the same one until the engine takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The warp that issues.
    pub warp: usize,
    /// Its PC, in instructions.
    pub address: u32,
    /// Threads that issue.
    pub active: Mask,
}

/// A cycle, as far as it follows from registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Warps that the engine lets issue.
    pub ready: u64,
    /// Warps that have a block.
    pub occupied: u64,
    /// Slots that have a block.
    pub slots: u64,
    /// A warp is launched.
    pub launch: Option<WarpLaunch>,
    /// An instruction is fetched.
    pub looked: Option<Looked>,
    /// Its barriers.
    pub barriers: BarrierLevels,
    /// Local memory of warps that have ended is still to be given back.
    pub freeing: bool,
}

/// How a core stands to its barrier scheduler in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierLevels {
    /// Warps whose instruction is being answered.
    pub presenting: u64,
    /// Nothing is under way between core and scheduler.
    pub still: bool,
    /// The scheduler runs a barrier.
    pub occupied: bool,
}

impl Default for BarrierLevels {
    /// Those of a core without barriers.
    fn default() -> Self {
        Self { presenting: 0, still: true, occupied: false }
    }
}

/// Threads of a warp that are woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Woken {
    /// The warp.
    pub warp: usize,
    /// The threads.
    pub threads: Mask,
    /// It is one that enters a section.
    pub inside: bool,
}

/// The complete answer to an instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The warp.
    pub warp: usize,
    /// Asleep from now on.
    pub sleep: Mask,
    /// They go on behind the bottom.
    pub skip: Mask,
    /// They present the instruction again.
    pub wait: Mask,
}

/// What a clock edge does at the barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarrierEdge {
    /// Threads are woken: they are on their way to the engine.
    pub woken: Option<Woken>,
    /// A request waits for the scheduler.
    pub refused: bool,
    /// An instruction is answered.
    pub answered: Option<Answered>,
    /// An instruction is in error; with the slot of its block.
    pub error: Option<(usize, ErrorReport)>,
    /// A barrier completed.
    pub dynamic: bool,
    /// A timeout fired.
    pub timeout: bool,
    /// A phase ended.
    pub released: bool,
    /// Something happened in the scheduler.
    pub changed: bool,
    /// Nothing is under way between core and scheduler.
    pub still: bool,
    /// A slot is free again.
    pub retired: Option<usize>,
}

/// The word of an instruction, and what the lanes say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The instruction.
    pub word: u64,
    /// The lanes.
    pub lanes: LaneAnswer,
}

/// Why something is offered to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The instruction that was looked at.
    Instruction = 0,
    /// What the barrier scheduler's answer means to the engine.
    Step = 1,
    /// Threads that the barrier scheduler has woken.
    Wake = 2,
    /// A part of a warp that is saved or restored.
    Context = 3,
}

impl Origin {
    /// The origin of a code at the port, 2 bits.
    pub const fn of(code: u8) -> Self {
        match code & 3 {
            0 => Origin::Instruction,
            1 => Origin::Step,
            2 => Origin::Wake,
            _ => Origin::Context,
        }
    }
}

/// What the engine is offered in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Why.
    pub origin: Origin,
    /// What.
    pub request: Request,
    /// It takes it in this cycle; else it is offered the same in the next.
    pub accepted: bool,
}

/// What a cycle is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The engine is offered something.
    Offer(Offered),
    /// The instruction went to the barrier scheduler.
    Present,
    /// The instruction is a barrier form, and there is no barrier scheduler.
    Illegal,
    /// Nobody can do anything.
    Nothing,
}

/// What a clock edge does, beside what the engine reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// What the engine reports; [`Events::done`] are warps that finish.
    pub events: Events,
    /// Of a warp that finishes: it is the last of its block.
    pub last: bool,
    /// The grid was taken.
    pub grid_taken: bool,
    /// The grid is done: every block of it was taken.
    pub grid_done: bool,
    /// The word of flags was taken.
    pub table_taken: bool,
    /// A word of flags is asked for: its address, in words.
    pub table_request: Option<u32>,
    /// A thread block was taken from the distributor.
    pub block_taken: bool,
    /// The distributor shows a thread block that finds no room.
    pub block_waits: bool,
    /// Its barriers.
    pub barriers: BarrierEdge,
    /// The request of a suspension was taken.
    pub suspend_taken: bool,
    /// A suspension is over.
    pub suspended: Option<Suspended>,
    /// Its context unit.
    pub local: LocalEdge,
}

/// What a core's own context unit shows in a cycle, and takes at its edge. Allocator and memories take every request at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalEdge {
    /// The access was taken.
    pub access_taken: bool,
    /// Where the access goes that was taken at the edge before.
    pub location: Option<Location>,
    /// That it goes nowhere.
    pub access_error: Option<AccessError>,
    /// So many words are asked for.
    pub allocate: Option<u32>,
    /// The allocator's answer was taken.
    pub allocated_taken: bool,
    /// A buffer is given back: its first word.
    pub free: Option<u32>,
    /// A word of the hardware's local memory is read.
    pub read: Option<u32>,
    /// The word that was read was taken.
    pub data_taken: bool,
    /// A word of global memory is written: which, and what.
    pub write: Option<(u32, u32)>,
    /// A warp came back with a handle that is not its own.
    pub bind_error: bool,
}

/// A control core in any form, after reset.
pub trait ControlCore: Look {
    /// What it is, for tables and messages: `deque RTL core`, …
    fn name(&self) -> String;
    /// The largest priority that its scheduler tells apart.
    fn priorities(&self) -> u16;
    /// Its blocks can be suspended, and their local memory goes through a context unit of its own.
    fn suspends(&self) -> bool;
    /// Rows of that unit: groups of local memory, of warps in the core and away.
    fn groups(&self) -> usize;
    /// How it was set up.
    fn configuration(&self) -> &Configuration;
    /// Sets the inputs of a cycle and shows what follows from registers.
    fn begin(&mut self, inputs: &Inputs) -> Start;
    /// Answers what is looked at, if anything is, and shows what the cycle is for.
    fn decide(&mut self, answer: Option<&Answer>) -> Decision;
    /// One clock edge.
    fn tick(&mut self) -> Edge;
}
