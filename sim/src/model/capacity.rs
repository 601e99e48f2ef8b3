//! When a queue with a window of DEPTH entries and a spill area may, and when it must, raise the fatal exception (DQ-12).
//!
//! The rules look only at the number of tokens a warp holds, which an observer knows without seeing inside.

use super::token_deque::QueueOperation;

/// The two sizes that bound a warp's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Entries of the window.
    pub depth: usize,
    /// Tokens that the spill area takes; 0 for none.
    pub spill_limit: usize,
}

impl Capacity {
    /// The most tokens that a warp can hold.
    pub fn most(&self) -> usize {
        self.depth + self.spill_limit
    }

    /// Whether an operation that adds a token to a queue of `held` tokens may fail.
    ///
    /// A front push fails only if window and spill area are both full: as long as the area has room, the far end of the window
    /// moves there. A back push goes to the spilled part whenever there is one, so a full spill area is enough; how many
    /// tokens are in the window then is the unit's own affair.
    pub fn may_fail(&self, operation: QueueOperation, held: usize) -> bool {
        match operation {
            QueueOperation::PushFront => held >= self.most(),
            QueueOperation::PushBack | QueueOperation::Yield if self.spill_limit == 0 => held >= self.depth,
            QueueOperation::PushBack | QueueOperation::Yield => held >= self.spill_limit,
            QueueOperation::PopFront | QueueOperation::Find | QueueOperation::Clear => false,
        }
    }

    /// Whether an operation that adds a token to a queue of `held` tokens has to fail: there is no place left.
    /// (A YIELD frees the place that it takes, so it may succeed.)
    pub fn must_fail(&self, operation: QueueOperation, held: usize) -> bool {
        matches!(operation, QueueOperation::PushFront | QueueOperation::PushBack) && held >= self.most()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DQ-12: with nothing to spill to, a full window is fatal at both ends and one free entry at neither.
    #[test]
    fn dq_12_without_a_spill_area() {
        let capacity = Capacity { depth: 8, spill_limit: 0 };
        for operation in [QueueOperation::PushFront, QueueOperation::PushBack] {
            assert!(!capacity.may_fail(operation, 7));
            assert!(capacity.may_fail(operation, 8) && capacity.must_fail(operation, 8));
        }
        assert!(!capacity.may_fail(QueueOperation::PopFront, 8));
    }

    /// DQ-12: a full spill area stops back pushes, a front push goes on until the window is full as well.
    #[test]
    fn dq_12_with_a_spill_area() {
        let capacity = Capacity { depth: 8, spill_limit: 4 };
        assert!(!capacity.may_fail(QueueOperation::PushFront, 11) && capacity.must_fail(QueueOperation::PushFront, 12));
        assert!(!capacity.may_fail(QueueOperation::PushBack, 3) && capacity.may_fail(QueueOperation::PushBack, 4));
        assert!(!capacity.must_fail(QueueOperation::PushBack, 11) && capacity.must_fail(QueueOperation::PushBack, 12));
    }
}
