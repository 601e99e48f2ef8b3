//! The operations of the barrier system, as the request port and its execute stage code them.

/// What a request, or an internal step, asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BarrierOperation {
    /// A CTA starts: every barrier and thread entry of it is cleared, one barrier id a cycle.
    Launch = 0,
    /// A CTA is gone; refused while one of its barriers is not idle.
    Retire = 1,
    /// Sets the configuration of an idle barrier.
    Configure = 2,
    /// Threads reach the top of a barrier.
    Arrive = 3,
    /// Threads reach the bottom of a section.
    Bottom = 4,
    /// Threads exit; one barrier id a cycle.
    Exit = 5,
    /// A hung or invalidated barrier turns idle.
    Reset = 6,
    /// Threads arrive without waiting.
    SplitArrive = 7,
    /// Threads wait for the end of a phase.
    SplitWait = 8,
    /// Transactions are announced.
    Expect = 9,
    /// Transactions are complete.
    Complete = 10,
    /// A CTA is to leave: nothing of it is woken any more. Refused until no thread of it is inside a section and no wake-up is under way.
    Suspend = 11,
    /// A word of a suspended CTA's state is read, the one that the address names: [`SavedWord`].
    Withdraw = 12,
    /// Such a word is put back, into a CTA that was just launched.
    Deposit = 13,
    /// Internal: a timeout has passed, or a completion that was held off is tried again.
    Attend = 14,
    /// Internal: the section in a slot has ended.
    Finish = 15,
}

impl BarrierOperation {
    /// Every operation that a request may name, in the order of their codes.
    pub const REQUESTS: [BarrierOperation; 14] = [
        BarrierOperation::Launch,
        BarrierOperation::Retire,
        BarrierOperation::Configure,
        BarrierOperation::Arrive,
        BarrierOperation::Bottom,
        BarrierOperation::Exit,
        BarrierOperation::Reset,
        BarrierOperation::SplitArrive,
        BarrierOperation::SplitWait,
        BarrierOperation::Expect,
        BarrierOperation::Complete,
        BarrierOperation::Suspend,
        BarrierOperation::Withdraw,
        BarrierOperation::Deposit,
    ];
}

/// Width of an instruction address.
pub const ADDRESS_BITS: usize = 22;

/// Why a request was in error; the lowest of several is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BarrierError {
    /// A bottom by a thread that is not inside.
    NotInside = 1,
    /// A top inside a section.
    Nested = 2,
    /// A different configuration under the same tag.
    Attributes = 3,
    /// An illegal configuration, or an unknown CTA.
    Configuration = 4,
    /// A transaction count overflows.
    Overflow = 5,
    /// A CTA was to be suspended, but a thread of it did not reach the bottom of its section in time: it runs on.
    NoBottom = 6,
}

/// A word of a CTA's state, 64 bits; the address of a [`Withdraw`](BarrierOperation::Withdraw) or
/// [`Deposit`](BarrierOperation::Deposit) is its code. Fields lie from their bit on, bits not named are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SavedWord {
    /// Withdrawn only: the operand of the launch that gives the CTA its map again; a last block that was not full counts as full.
    Launch = 0,
    /// Of the CTA: its live threads.
    Live = 1,
    /// Withdrawn only: the CTA's barriers that were in slots, then those in the queue, in order; a byte each, the first one lowest:
    /// 128 + id. 0 after the last.
    Order = 2,
    /// Of a barrier and a block: threads that sleep in it and are not done.
    Waiting = 3,
    /// Of a barrier and a block: threads that sleep in it and are done.
    Finished = 4,
    /// Of a barrier and a block: threads that have arrived and count.
    Arrived = 5,
    /// Of a barrier and a block: threads that were seen without taking part.
    Seen = 6,
    /// Of a barrier: its configuration.
    Configuration = 7,
    /// Of a barrier: the address of its top from bit 0, that after its bottom from bit 22, its flags from bit 44.
    Identity = 8,
    /// Of a barrier: its [state bits](super::barrier_table#state) from bit 0, arrivals from bit 16, sleepers from bit 32, blocks with
    /// arrivals from bit 48.
    State = 9,
    /// Of a barrier: its two transaction counts, 7 bits each.
    Transactions = 10,
    /// Of a barrier: bit 0 its clock runs, bit 1 its completion is held off, from bit 16 the cycles that are left. Deposited last of a barrier.
    Clock = 11,
    /// Deposited only: the barrier enters the queue.
    Entry = 12,
    /// Withdrawn only, and last: the CTA is gone.
    End = 13,
}
