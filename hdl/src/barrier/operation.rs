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
    /// Internal: a timeout has passed, or a completion that was held off is tried again.
    Attend = 14,
    /// Internal: the section in a slot has ended.
    Finish = 15,
}

impl BarrierOperation {
    /// Every operation that a request may name, in the order of their codes.
    pub const REQUESTS: [BarrierOperation; 11] = [
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
}
