//! The one interface behind which a barrier scheduler stands: reference model, RTL in Rust or Verilated (BR-01..BR-51).
//!
//! The machine, the traffic and the tests know no more than this. One request a cycle, never held by another thread: a thread whose
//! arrival has to wait is answered [`Response::wait`] or [`Response::refused`], nothing has happened, and it presents the request again.
//!
//! A cycle at this interface: look at [`BarrierScheduler::ready`] and at the [`Outputs`] of the last tick, say what is offered and
//! whether wake-ups are taken, then [`BarrierScheduler::tick`]. A request that is accepted at a tick is answered in the outputs of that
//! same tick, which show the cycle after the edge. A wake-up that the outputs show is taken at the next tick if
//! [`BarrierScheduler::wake_ready`] was last told true; otherwise it stays, unchanged.
//!
//! **Source** CN 104050032, [§62-65, §73-75, §84-123].

use serde::{Deserialize, Serialize};
use std::fmt;

mod configuration;
mod saved;

pub use configuration::{Configuration, LateMode, TimeoutEvent};
pub use heddle_hdl::barrier::operation::SavedWord;
pub use saved::{word_of, SavedCta, StateWord, Withdrawal};

/// One bit a thread of a block; the low [`Size::block_threads`] bits count.
pub type BlockMask = u64;

/// How big a scheduler is (BR-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// CTAs that it holds.
    pub ctas: usize,
    /// Barrier ids of a CTA.
    pub barriers: usize,
    /// Thread blocks of a CTA.
    pub blocks: usize,
    /// Threads of a block, a power of two, at most 64.
    pub block_threads: usize,
    /// Execution slots.
    pub slots: usize,
}

impl Size {
    /// The smallest parameter point, `2x2x2x4x2`.
    pub const SMALL: Size = Size { ctas: 2, barriers: 2, blocks: 2, block_threads: 4, slots: 2 };
    /// `16x8x8x16x16`.
    pub const MEDIUM: Size = Size { ctas: 16, barriers: 8, blocks: 8, block_threads: 16, slots: 16 };
    /// `16x8x8x64x16`.
    pub const LARGE: Size = Size { block_threads: 64, ..Size::MEDIUM };

    /// Threads of a full CTA.
    pub const fn threads(&self) -> usize {
        self.blocks * self.block_threads
    }

    /// Barriers of all CTAs: the depth of the FIFO (BR-35).
    pub const fn keys(&self) -> usize {
        self.ctas * self.barriers
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}x{}x{}", self.ctas, self.barriers, self.blocks, self.block_threads, self.slots)
    }
}

/// The static inputs; they change only while every barrier is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statics {
    /// Every barrier takes late arrivals, whatever its late mode (BR-20, "for all").
    pub late_join_all: bool,
    /// An exclusive barrier waits only for threads inside other sections, not for their slots (BR-37, [§122]).
    pub exclusive_inside: bool,
    /// Bit `4 * a + b`: resource classes a and b conflict; symmetric (BR-37, [§108]). All ones: no classes.
    pub class_conflicts: u16,
    /// The lowest slots, so many, serve class 3 only; more than 0 gives class 3 a FIFO of its own (BR-37).
    pub reserved_slots: usize,
}

impl Default for Statics {
    fn default() -> Self {
        Self { late_join_all: false, exclusive_inside: false, class_conflicts: u16::MAX, reserved_slots: 0 }
    }
}

/// A barrier: CTA and id; the RTL's key is `{cta, id}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its CTA.
    pub cta: usize,
    /// Its id in the CTA; 0 is an id like any other (BR-04).
    pub barrier: usize,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.cta, self.barrier)
    }
}

/// What a request does; the discriminant is its code at the port, 4 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A CTA starts: [`Request::data`] is [`launch_data`] (BR-05).
    #[default]
    Launch = 0,
    /// A CTA ends; refused while one of its barriers is not idle (BR-05).
    Retire = 1,
    /// BARRIER.CONF: `data` is [`Configuration::word`] (BR-06).
    Configure = 2,
    /// Threads reach the top (BR-10).
    Arrive = 3,
    /// The thread inside reaches the bottom of its section (BR-32).
    Bottom = 4,
    /// Threads exit (BR-26).
    Exit = 5,
    /// BARRIER.RESET (BR-25).
    Reset = 6,
    /// ARRIVE of a split phase (BR-50).
    SplitArrive = 7,
    /// WAIT for the end of the phase whose parity is [`phase_data`] (BR-50).
    SplitWait = 8,
    /// EXPECT: transactions are announced (BR-51).
    Expect = 9,
    /// COMPLETE: transactions have completed (BR-51).
    Complete = 10,
    /// The CTA is to leave within `data` cycles; refused until nobody is inside a section (CX-10). 0 cycles: it runs on.
    Suspend = 11,
    /// A word of a suspended CTA, in [`Response::saved`]; `tag` says which ([`SavedWord`]). Refused while its barriers leave slots and FIFO.
    Withdraw = 12,
    /// `data` is such a word, put back into a CTA that was just launched.
    Deposit = 13,
}

impl Operation {
    /// All of them, in the order of their codes.
    pub const ALL: [Operation; 14] = [
        Operation::Launch,
        Operation::Retire,
        Operation::Configure,
        Operation::Arrive,
        Operation::Bottom,
        Operation::Exit,
        Operation::Reset,
        Operation::SplitArrive,
        Operation::SplitWait,
        Operation::Expect,
        Operation::Complete,
        Operation::Suspend,
        Operation::Withdraw,
        Operation::Deposit,
    ];

    /// Its threads are answered one by one: asleep, passed, skipped or waiting.
    pub const fn partitions(self) -> bool {
        matches!(self, Operation::Arrive | Operation::SplitWait)
    }
}

/// One request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Request {
    /// What it does.
    pub operation: Operation,
    /// The CTA.
    pub cta: usize,
    /// The physical thread block.
    pub block: usize,
    /// The barrier id.
    pub barrier: usize,
    /// Threads of the block that do it: live and awake, for [`Operation::Bottom`] just one.
    pub mask: BlockMask,
    /// Those of them whose predicate holds (Arrive).
    pub participants: BlockMask,
    /// PC of the instruction, 22 bits (Arrive: of the top; SplitWait: of the WAIT).
    pub tag: u32,
    /// PC after the bottom, 22 bits (Arrive).
    pub after: u32,
    /// A critical section; otherwise a conditional barrier (Arrive).
    pub critical: bool,
    /// The section runs in logical order (Arrive).
    pub ordered: bool,
    /// Nothing that conflicts runs meanwhile (Arrive).
    pub exclusive: bool,
    /// Who is done sleeps until all are (Arrive).
    pub blocking: bool,
    /// Set if and only if the configured condition is 4 or 5 (Arrive).
    pub impatient: bool,
    /// The operand, 64 bits: [`launch_data`], [`Configuration::word`], [`phase_data`].
    pub data: u64,
}

/// Operand of a Launch: how many threads, and the physical block of each logical block, at most 8 of 3 bits each from bit 16 up. A
/// logical block takes `block_bits` bits: the logarithm of [`Size::blocks`].
pub fn launch_data(size: &Size, threads: usize, map: &[usize]) -> u64 {
    let bits = size.blocks.ilog2() as usize;
    let entries = map.iter().enumerate().map(|(logical, &physical)| (physical as u64) << (16 + bits * logical));
    entries.fold(threads as u64, |word, entry| word | entry)
}

/// Operand of SplitWait, Expect and Complete: the phase's parity and, for the last two, a count of 0..=63.
pub const fn phase_data(parity: bool, count: u64) -> u64 {
    parity as u64 | count << 1
}

/// Why a request is an error; the discriminant is its code at the port. The lowest that applies is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorCause {
    /// A bottom by a thread that is not inside (BR-06).
    NotInside = 1,
    /// A top inside a section (BR-19).
    Nested = 2,
    /// Other flags, or another PC after the bottom, under the same tag (BR-05).
    Differs = 3,
    /// Configuration that is never legal, or a CTA that is not there (BR-28).
    Illegal = 4,
    /// A transaction count beyond -63..=63 (BR-51).
    Overflow = 5,
    /// A thread of a CTA that is to leave does not reach the bottom of its section in time: the CTA runs on (CX-10).
    NoBottom = 6,
}

/// A precise error: the request had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorReport {
    /// Why.
    pub cause: ErrorCause,
    /// Physical block of the thread.
    pub block: usize,
    /// The lowest offending thread in it.
    pub offset: usize,
    /// The request's barrier id.
    pub barrier: usize,
    /// The request's tag.
    pub address: u32,
    /// The section that the thread is inside, its id and its tag ([`ErrorCause::Nested`], [`ErrorCause::NoBottom`]; otherwise undefined).
    pub other: Option<(usize, u32)>,
}

/// The answer to a request, in the cycle after its acceptance. For [`Operation::partitions`] the masks part [`Request::mask`], unless
/// there is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Response {
    /// Fall asleep.
    pub sleep: BlockMask,
    /// Go on behind the instruction.
    pub pass: BlockMask,
    /// Go on at [`Request::after`].
    pub skip: BlockMask,
    /// Nothing has happened to them: present it again.
    pub wait: BlockMask,
    /// Of a request without threads to answer: nothing has happened, present it again.
    pub refused: bool,
    /// The word that a Withdraw asked for.
    pub saved: u64,
    /// The request is in error and had no effect.
    pub error: Option<ErrorReport>,
}

/// Threads of one block wake up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wake {
    /// Their CTA.
    pub cta: usize,
    /// Their physical block.
    pub block: usize,
    /// The threads.
    pub mask: BlockMask,
    /// Where they go on, 22 bits.
    pub address: u32,
    /// A section starts: one thread.
    pub inside: bool,
}

/// What an observer sees happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Static to dynamic: the barrier enters the FIFO (BR-14).
    Dynamic(Key),
    /// From the FIFO to a slot (BR-35).
    Handed(Key, usize),
    /// Dynamic to idle, from a slot.
    Idle(Key),
    /// The timeout fired (BR-13).
    Timeout(Key),
    /// The phase ended, and who slept in it wakes up (BR-45).
    Released(Key, bool),
    /// The clearing of a launch is done (BR-05).
    Launched(usize),
}

/// What the ports show in the cycle after a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The offered request was accepted at the tick.
    pub accepted: bool,
    /// The answer to it.
    pub response: Option<Response>,
    /// The wake-up that is offered.
    pub wake: Option<Wake>,
    /// Strobes, in the order in which they took effect.
    pub events: Vec<Event>,
    /// One bit a slot: occupied.
    pub slot_occupied: u64,
    /// Barriers in the FIFO, in both if class 3 has its own.
    pub fifo_count: usize,
}

/// A barrier scheduler, from the outside.
pub trait BarrierScheduler {
    /// How big it is.
    fn size(&self) -> Size;
    /// Its static inputs.
    fn statics(&self) -> Statics;
    /// A request offered in this cycle is accepted at the next tick. Does not depend on the request.
    fn ready(&self) -> bool;
    /// What is offered in this cycle; hold it still until it is accepted. Forgotten at the tick that accepts it.
    fn offer(&mut self, request: Option<Request>);
    /// Whether the shown wake-up is taken at the next tick. Stays as last told; true after construction.
    fn wake_ready(&mut self, ready: bool);
    /// One rising edge; the outputs are those of the cycle after it.
    fn tick(&mut self) -> Outputs;
}
