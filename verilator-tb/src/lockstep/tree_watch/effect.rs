//! What an instruction did to the reference tree: for how long that keeps the table busy, what its events count, what the traffic has met.

use super::{ancestors, cycles, waiting};
use crate::lockstep::bench::Counts;
use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_sim::engine::{Events, Request};
use heddle_sim::model::tree::set::ThreadSet;
use heddle_sim::model::tree::table::Node;
use heddle_sim::model::tree::Table;

/// Totals of what the events count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Waiting nodes opened.
    pub opened: u64,
    /// Waiting nodes that went.
    pub closed: u64,
    /// Leaves that parted.
    pub diverged: u64,
    /// Sets that became trees of their own.
    pub departed: u64,
    /// Waiting nodes that went with nobody arrived.
    pub discarded: u64,
}

/// An instruction, the tree before it and after it, and what the model tells of it.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a, S> {
    /// The instruction.
    pub request: &'a Request,
    /// The threads that it names, and others.
    pub mask: S,
    /// The tree as it meets it.
    pub before: &'a Table<S>,
    /// The tree that it leaves; none if the warp ended.
    pub after: Option<&'a Table<S>>,
    /// What the model tells.
    pub events: &'a Events,
    /// A YIELD makes a tree of its own even of threads that are one.
    pub always_departs: bool,
}

impl<S: ThreadSet> Effect<'_, S> {
    /// Cycles for which no request is taken afterwards, with nothing in memory.
    pub fn busy(&self) -> u64 {
        cycles::busy(self.before, self.mask, self.request, self.events)
    }

    fn leaf(&self) -> Option<&Node<S>> {
        self.before.selected()
    }

    fn names_somebody(&self) -> bool {
        self.leaf().is_some_and(|leaf| !(leaf.threads & self.mask).is_empty())
    }

    /// The node at which the threads named arrive, if they do, and whether others are looked at before.
    pub fn arrives(&self) -> Option<(&Node<S>, bool)> {
        if self.request.operation != Operation::Leave || !self.names_somebody() || self.departs() {
            return None;
        }
        let kind = self.request.kind.unwrap_or(Kind::Sync);
        let mut above = ancestors(self.before, self.leaf()?).enumerate();
        let (place, node) = above.find(|(_, node)| node.region.is_some_and(|region| region.kind == kind))?;
        Some((node, place > 0))
    }

    /// Threads became a tree of their own.
    fn departs(&self) -> bool {
        let rooted = self.leaf().is_some_and(|leaf| leaf.parent.is_some());
        match self.request.operation {
            Operation::Leave => self.events.yielded > 0,
            Operation::Yield => self.events.yielded > 0 && (rooted || self.always_departs),
            _ => false,
        }
    }

    fn opened(&self) -> u64 {
        u64::from(self.after.is_some_and(|after| waiting(after) > waiting(self.before)))
    }

    /// Waiting nodes that went. Nothing is left of a warp that halts; of one that is stopped nothing changes.
    fn closed(&self) -> u64 {
        let before = waiting(self.before) as u64;
        match self.after {
            Some(after) => before + self.opened() - waiting(after) as u64,
            None if self.events.faults.is_empty() => before,
            None => 0,
        }
    }

    /// Adds what the events count.
    pub fn add_to(&self, totals: &mut Totals) {
        totals.opened += self.opened();
        totals.closed += self.closed();
        totals.diverged += u64::from(self.events.diverged);
        totals.departed += u64::from(self.departs());
        totals.discarded += u64::from(self.events.discarded);
    }

    /// Counts what the instruction was and what came of it.
    pub fn count(&self, counts: &mut Counts) {
        counts.add(match self.request.operation {
            Operation::Step => "step",
            Operation::Push => "push",
            Operation::Branch => "branch",
            Operation::Indirect => "indirect",
            Operation::Call => "call",
            Operation::Leave => "leave",
            Operation::Yield => "yield",
            Operation::Exit => "exit",
            Operation::Sleep => "sleep",
            Operation::Wake => "wake",
            Operation::Withdraw => "withdraw",
            // A tree is restored by instructions; its traffic has none of these.
            Operation::Deposit | Operation::Disable => "unknown operation",
        });
        let Some(after) = self.after.filter(|_| self.request.operation != Operation::Withdraw) else { return };
        let leaves = self.request.operation == Operation::Leave && self.names_somebody();
        let pushed = self.request.operation == Operation::Push;
        let departs = self.departs();
        for (happened, event) in [
            (self.events.diverged > 0, "divergence"),
            (pushed && self.opened() == 0, "region that needs no node"),
            (leaves && !departs, "threads arrive"),
            (leaves && departs, "leave that detaches"),
            (self.request.operation == Operation::Yield && departs, "YIELD that detaches"),
            (self.closed() > u64::from(self.events.discarded), "region goes on"),
            (self.events.discarded > 0, "discard"),
            (after.selected().is_none(), "parked"),
        ] {
            if happened {
                counts.add(event);
            }
        }
    }
}
