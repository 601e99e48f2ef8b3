//! What any `token_deque` owes to its user, judged from the transactions at its ports alone.
//!
//! Independent of [`super::token_deque`]: it does not run a queue. Each accepted token gets a *rank* when it enters, higher than all
//! others at the front, lower than all others at the back, and keeps it. Then the promises are plain sentences:
//! 1. a pop gives the token of the highest rank that is inside, with all the threads that merged into it (DQ-08);
//! 2. a pop answers "none" exactly if nothing is inside (DQ-08);
//! 3. a back push of a yield token merges exactly if a yield token of its address is inside, so there are never two (DQ-07);
//! 4. the summary of a popped token names exactly the kinds inside after it left (DQ-04);
//! 5. a find shows the token of the highest rank among those of its kind (DQ-04, DQ-28);
//! 6. every operation is answered, once, in order (DQ-06);
//! 7. a failure is announced by the fatal exception, and comes only when there may be no room (DQ-12).
//!
//! **Source** US 9,459,876.

use super::capacity::Capacity;
use super::token_deque::{summary_bit, Answer, QueueOperation, Token};
use crate::engine::{Cause, Kind};
use std::collections::{BTreeMap, VecDeque};

/// One thing that an observer of the ports saw.
///
/// Feed them in the order in which they take effect: in one cycle the response first (its operation was accepted a cycle ago), then
/// the exception, then the push or operation that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// The push port accepted a token.
    Push {
        /// Its warp.
        warp: usize,
        /// The token.
        token: Token,
    },
    /// The operation port accepted an operation.
    Operation {
        /// Its warp.
        warp: usize,
        /// What it does.
        operation: QueueOperation,
        /// Its operand; for a find the kind counts, for a pop nothing.
        token: Token,
    },
    /// The response port answered.
    Response {
        /// The warp.
        warp: usize,
        /// The answer.
        answer: Answer,
    },
    /// An exception began.
    Exception {
        /// The warp.
        warp: usize,
        /// Why.
        cause: Cause,
    },
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule} broken at transaction {place}, warp {warp}: {detail}")]
pub struct Breach {
    /// The requirement.
    pub rule: &'static str,
    /// How many transactions were observed before.
    pub place: usize,
    /// The warp.
    pub warp: usize,
    /// What was seen and what was owed.
    pub detail: String,
}

/// The tokens of one warp that are inside, by rank.
#[derive(Clone, Debug, Default)]
struct Ledger {
    inside: BTreeMap<i64, Token>,
    /// Pushes that were accepted while an operation awaited its response; they take effect after it.
    late: Vec<Token>,
    /// Fatal exceptions that no failed response has explained yet.
    fatal: usize,
    /// Tokens were spilled since the warp was last empty.
    spilled: bool,
}

impl Ledger {
    fn enter_front(&mut self, token: Token) {
        let rank = self.inside.last_key_value().map_or(0, |(rank, _)| rank + 1);
        self.inside.insert(rank, token);
    }

    fn enter_back(&mut self, token: Token) {
        let rank = self.inside.first_key_value().map_or(0, |(rank, _)| rank - 1);
        self.inside.insert(rank, token);
    }

    /// The yield token of an address, the one of the highest rank.
    fn yield_token(&mut self, address: u32) -> Option<&mut Token> {
        self.inside.values_mut().rev().find(|token| token.kind == Kind::Yield && token.address == address)
    }

    fn summary(&self) -> u8 {
        self.inside.values().filter_map(|token| summary_bit(token.kind)).fold(0, |bits, bit| bits | 1 << bit)
    }
}

/// The observer of one `token_deque`.
#[derive(Clone, Debug)]
pub struct TokenDequeContract {
    capacity: Capacity,
    ledgers: Vec<Ledger>,
    waiting: VecDeque<(usize, QueueOperation, Token)>,
    observed: usize,
}

impl TokenDequeContract {
    /// An observer of a block that was just reset.
    pub fn new(warps: usize, capacity: Capacity) -> Self {
        Self { capacity, ledgers: vec![Ledger::default(); warps], waiting: VecDeque::new(), observed: 0 }
    }

    /// Tokens of a warp that are inside.
    pub fn held(&self, warp: usize) -> usize {
        self.ledgers[warp].inside.len()
    }

    /// Judges one transaction.
    pub fn observe(&mut self, transaction: &Transaction) -> Result<(), Breach> {
        let place = self.observed;
        self.observed += 1;
        let (warp, outcome) = match *transaction {
            Transaction::Push { warp, token } => (warp, self.push(warp, token)),
            Transaction::Operation { warp, operation, token } => {
                self.waiting.push_back((warp, operation, token));
                (warp, Ok(()))
            }
            Transaction::Response { warp, answer } => (warp, self.response(warp, answer)),
            Transaction::Exception { warp, cause } => (warp, self.exception(warp, cause)),
        };
        outcome.map_err(|(rule, detail)| Breach { rule, place, warp, detail })
    }

    /// Judges the end: nothing may be left unanswered.
    pub fn finish(&self) -> Result<(), Breach> {
        match self.waiting.front() {
            None => Ok(()),
            Some((warp, operation, _)) => Err(Breach {
                rule: "DQ-06",
                place: self.observed,
                warp: *warp,
                detail: format!("{operation:?} was accepted and never answered"),
            }),
        }
    }

    fn push(&mut self, warp: usize, token: Token) -> Result<(), Broken> {
        if self.waiting.iter().any(|(other, ..)| *other == warp) {
            self.ledgers[warp].late.push(token);
            return Ok(());
        }
        let held = self.held(warp);
        if self.capacity.must_fail(QueueOperation::PushFront, held) {
            return Err(("DQ-08", format!("a push was accepted with {held} tokens inside, more than can be kept")));
        }
        self.ledgers[warp].enter_front(token);
        Ok(())
    }

    fn response(&mut self, warp: usize, answer: Answer) -> Result<(), Broken> {
        let Some((owner, operation, operand)) = self.waiting.pop_front() else {
            return Err(("DQ-06", "a response came without an operation".into()));
        };
        if owner != warp {
            return Err(("DQ-06", format!("warp {owner} is to be answered, the response is for another")));
        }
        if answer.failed {
            self.failure(warp, operation)?;
        } else {
            self.success(warp, operation, operand, answer)?;
        }
        for token in std::mem::take(&mut self.ledgers[warp].late) {
            self.push(warp, token)?;
        }
        Ok(())
    }

    fn failure(&mut self, warp: usize, operation: QueueOperation) -> Result<(), Broken> {
        let held = self.held(warp);
        if !self.capacity.may_fail(operation, held) {
            return Err((
                "DQ-12",
                format!("{operation:?} failed with {held} tokens inside, there is room: {:?}", self.capacity),
            ));
        }
        let fatal = &mut self.ledgers[warp].fatal;
        if *fatal == 0 {
            return Err(("DQ-12", format!("{operation:?} failed without the fatal exception")));
        }
        *fatal -= 1;
        Ok(())
    }

    fn success(
        &mut self,
        warp: usize,
        operation: QueueOperation,
        operand: Token,
        answer: Answer,
    ) -> Result<(), Broken> {
        let held = self.held(warp);
        let ledger = &mut self.ledgers[warp];
        let mut owes_merge = false;
        if matches!(operation, QueueOperation::PushBack | QueueOperation::Yield) {
            let partner = (operand.kind == Kind::Yield).then(|| ledger.yield_token(operand.address)).flatten();
            owes_merge = partner.is_some();
            match partner {
                Some(partner) => partner.mask |= operand.mask,
                None => {
                    // A full window sends what comes at its back to memory without an exception (DQ-11).
                    ledger.spilled |= held >= self.capacity.depth;
                    ledger.enter_back(operand);
                }
            }
        }
        if answer.merged != owes_merge {
            let inside = if owes_merge { "is" } else { "is not" };
            let address = operand.address;
            return Err((
                "DQ-07",
                format!("merged is {}, a yield token of {address:#x} {inside} inside", answer.merged),
            ));
        }
        if !owes_merge && self.capacity.must_fail(operation, held) {
            return Err(("DQ-08", format!("{operation:?} was taken with {held} tokens inside, more than can be kept")));
        }
        match operation {
            QueueOperation::PushFront => ledger.enter_front(operand),
            QueueOperation::Clear => ledger.inside.clear(),
            QueueOperation::Find => {
                let owed = ledger.inside.values().rev().find(|token| token.kind == operand.kind).copied();
                if answer.token != owed {
                    return Err(("DQ-28", format!("find {:?} showed {:?}, owed {owed:?}", operand.kind, answer.token)));
                }
            }
            QueueOperation::PopFront | QueueOperation::Yield => {
                let owed = ledger.inside.pop_last().map(|(_, token)| token);
                if answer.token != owed {
                    return Err(("DQ-08", format!("{operation:?} gave {:?}, owed {owed:?}", answer.token)));
                }
                let summary = ledger.summary();
                if owed.is_some() && answer.summary != summary {
                    return Err(("DQ-04", format!("summary is {:04b}, owed {summary:04b}", answer.summary)));
                }
            }
            QueueOperation::PushBack => {}
        }
        if matches!(operation, QueueOperation::PushFront | QueueOperation::PushBack | QueueOperation::Clear) {
            if let Some(token) = answer.token {
                return Err(("DQ-08", format!("{operation:?} gave {token:?}, no token was asked for")));
            }
        }
        ledger.spilled &= !ledger.inside.is_empty();
        Ok(())
    }

    fn exception(&mut self, warp: usize, cause: Cause) -> Result<(), Broken> {
        let held = self.held(warp);
        let ledger = &mut self.ledgers[warp];
        let plausible = match cause {
            Cause::Recenter => held > 0,
            Cause::Spill => held >= self.capacity.depth && self.capacity.spill_limit > 0,
            Cause::Refill => ledger.spilled && held > 0,
            Cause::Fatal => self.capacity.may_fail(QueueOperation::PushBack, held),
            Cause::LostThread => false,
        };
        if !plausible {
            return Err(("DQ-09", format!("{cause:?} with {held} tokens inside of {:?}", self.capacity)));
        }
        ledger.spilled |= cause == Cause::Spill;
        ledger.fatal += usize::from(cause == Cause::Fatal);
        Ok(())
    }
}

/// A requirement and what was seen.
type Broken = (&'static str, String);

#[cfg(test)]
mod tests;
