//! The codes of the barrier scheduler's requests and errors: one list that hardware, models, machine and tests read.

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BarrierOperation {
    /// A CTA starts: thread count and block map.
    Launch = 0,
    /// A CTA's place is given back.
    Retire = 1,
    /// A barrier's attributes.
    Configure = 2,
    /// Threads reach the top.
    Arrive = 3,
    /// Threads reach the bottom of a section.
    Bottom = 4,
    /// Threads end.
    Exit = 5,
    /// A barrier is reset.
    Reset = 6,
    /// An arrival that does not wait.
    SplitArrive = 7,
    /// The wait that belongs to it.
    SplitWait = 8,
    /// Transactions are announced.
    Expect = 9,
    /// Transactions are complete.
    Complete = 10,
}

/// Why a request was in error.
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
}
