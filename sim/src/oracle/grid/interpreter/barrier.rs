//! A barrier as a set of ranks: who has come, who sleeps, and when that is enough (BR-10 to BR-17, BR-39, BR-50, BR-51).

use crate::barrier::Configuration;
use std::collections::BTreeSet;

/// Which instruction the threads of an execution have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Top {
    /// Its address.
    pub tag: u32,
    /// A section follows.
    pub critical: bool,
}

/// What a thread that comes to a top does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Sleep,
    /// It comes again later.
    Again,
    /// Behind the bottom.
    GoOn,
}

/// A barrier of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// What BARRIER.CONF said.
    pub configuration: Configuration,
    /// Transactions that are announced and not complete, by the parity of the phase (BR-51).
    pub transactions: [i64; 2],
    top: Option<Top>,
    arrived: BTreeSet<usize>,
    sleepers: BTreeSet<usize>,
    /// Somebody came by ARRIVE.
    split: bool,
    /// Parity of the phase that is under way.
    parity: bool,
}

impl Barrier {
    /// A thread comes to a top.
    pub fn arrive(&mut self, rank: usize, participates: bool, top: Top) -> Answer {
        let counts_all = self.configuration.condition <= 2;
        if !participates && !counts_all {
            return Answer::GoOn;
        }
        let taken = self.top.is_some_and(|other| other != top);
        if taken || self.arrived.contains(&rank) {
            return Answer::Again;
        }
        self.top = Some(top);
        self.arrived.insert(rank);
        if participates {
            self.sleepers.insert(rank);
            return Answer::Sleep;
        }
        Answer::GoOn
    }

    /// A thread arrives and does not wait; a second time in a phase changes nothing.
    pub fn split_arrive(&mut self, rank: usize) {
        self.arrived.insert(rank);
        self.split = true;
    }

    /// A thread waits for the end of the phase of a parity: true if that is over, else it sleeps.
    pub fn split_wait(&mut self, rank: usize, parity: bool) -> bool {
        let over = parity != self.parity;
        if !over {
            self.sleepers.insert(rank);
        }
        over
    }

    /// A thread is no more.
    pub fn exit(&mut self, rank: usize) {
        self.arrived.remove(&rank);
        if self.arrived.is_empty() && self.sleepers.is_empty() {
            self.top = None;
        }
    }

    /// Enough have come, if these ranks are alive.
    pub fn complete(&self, live: &[usize]) -> bool {
        if self.top.is_none() && !self.split {
            return false;
        }
        let Configuration { condition, reference, minimum, .. } = self.configuration;
        let all_sleep = !live.is_empty() && live.iter().all(|rank| self.sleepers.contains(rank));
        let reference = usize::from(reference);
        match condition {
            _ if self.transactions[usize::from(self.parity)] != 0 => false,
            1 => !live.is_empty() && live.iter().all(|rank| self.arrived.contains(rank)),
            2 => self.arrived.len() >= reference || all_sleep,
            3 => self.sleepers.len() >= reference || all_sleep,
            4 => self.sleepers.len() >= reference,
            _ => self.sleepers.len() >= reference.min(usize::from(minimum)),
        }
    }

    /// Somebody sleeps in it, and a timeout would let him go on.
    pub fn may_time_out(&self) -> bool {
        self.configuration.condition >= 4 && !self.sleepers.is_empty()
    }

    /// The execution, or the phase, is over: who slept in it, in logical order, and at which instruction.
    pub fn end(&mut self) -> (Vec<usize>, Option<Top>) {
        self.arrived.clear();
        self.parity = !self.parity;
        self.split = false;
        (std::mem::take(&mut self.sleepers).into_iter().collect(), self.top.take())
    }
}
