//! Deliberate defects of the model: what the contract and the traffic have to find, or they are worth nothing (XV-11).

/// What is wrong with the model. The *literal* ones are sentences of the source that a decision of chapter 2 replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A thread of a section that was woken is still on the list (BR-41).
    DoubleWake,
    /// A late thread does not set the rescan flag (BR-33).
    LostRescan,
    /// The decision to turn idle is a cycle old when it is carried out (BR-33).
    IdleDespiteArrival,
    /// The FIFO does not look at exclusive (BR-37).
    ExclusiveIgnored,
    /// An exclusive section that looks only at threads inside does not stop the other slots (BR-37, [§122], literal).
    ExclusiveInsideUngated,
    /// Ordered by physical instead of logical block (BR-02).
    PhysicalOrder,
    /// A thread that was done once is done when it arrives again (BR-10).
    DoneNotCleared,
    /// Barrier id 0 stands for no barrier, there being no valid bit (BR-04, literal).
    IdZeroIsNone,
    /// No arrived bit: a second arrival counts again (BR-16, literal).
    ArrivalTwice,
    /// A thread that exits still has to arrive (BR-39, literal).
    ExitStillOwed,
    /// A completion without participants takes a slot (BR-13, literal).
    EmptyTakesSlot,
    /// Membership wants exactly the reference (BR-12, literal).
    ExactReference,
    /// Done at selection, not at the bottom (BR-32, [§106], literal).
    DoneAtSelection,
    /// A second completion does not wait for the wake-ups of the first (BR-45).
    ReleaseOverlaps,
    /// Critical sections are invalidated as well (BR-22, literal).
    SectionInvalidated,
    /// With counting through idle, a second arrival waits for the next phase (BR-24, literal).
    RetainedWaits,
    /// A late thread that should be skipped runs the section (BR-23, literal).
    SkippedRuns,
    /// Non-participants restart the clock as often as they like (BR-16).
    ClockWithoutEnd,
    /// Transactions are not waited for (BR-51).
    TransactionsIgnored,
    /// A waiting arrival holds the port (BR-15, "ready low", literal).
    PortBlocks,
    /// The exit of a thread inside does not act as its bottom (BR-26, literal).
    ExitStaysInside,
    /// A section of a CTA that is held to leave starts its threads all the same (CX-10).
    WokenWhileHeld,
    /// A CTA leaves although a thread of it is inside (CX-10).
    LeavesInside,
    /// The barriers of a CTA that left come back in another order (CX-10).
    OrderReversed,
    /// Threads that were done are not when they come back (CX-10).
    DoneForgotten,
    /// A clock that was stopped has no time left (CX-09).
    ClockRunsOut,
    /// The clocks of a CTA that is held run on (CX-10).
    ClockRunsOn,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 27] = [
        Fault::DoubleWake,
        Fault::LostRescan,
        Fault::IdleDespiteArrival,
        Fault::ExclusiveIgnored,
        Fault::ExclusiveInsideUngated,
        Fault::PhysicalOrder,
        Fault::DoneNotCleared,
        Fault::IdZeroIsNone,
        Fault::ArrivalTwice,
        Fault::ExitStillOwed,
        Fault::EmptyTakesSlot,
        Fault::ExactReference,
        Fault::DoneAtSelection,
        Fault::ReleaseOverlaps,
        Fault::SectionInvalidated,
        Fault::RetainedWaits,
        Fault::SkippedRuns,
        Fault::ClockWithoutEnd,
        Fault::TransactionsIgnored,
        Fault::PortBlocks,
        Fault::ExitStaysInside,
        Fault::WokenWhileHeld,
        Fault::LeavesInside,
        Fault::OrderReversed,
        Fault::DoneForgotten,
        Fault::ClockRunsOut,
        Fault::ClockRunsOn,
    ];
}
