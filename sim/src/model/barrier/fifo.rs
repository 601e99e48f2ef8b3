//! The FIFO of dynamic barriers (BR-14, BR-35), as a block of its own.
//!
//! **Source** CN 104050032, [§99-101]; BR-35: as deep as there are barriers, so it never overflows, its entries being distinct (BR-41).

use crate::barrier::Key;
use std::collections::VecDeque;

/// A push that must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// As many entries as there are barriers are inside.
    #[error("the FIFO is full")]
    Full,
    /// BR-41: an entry is there already.
    #[error("barrier {0} is in the FIFO already")]
    Twice(Key),
}

/// One FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicBarrierFifo {
    depth: usize,
    entries: VecDeque<Key>,
}

impl DynamicBarrierFifo {
    /// An empty one with room for `depth` barriers.
    pub fn new(depth: usize) -> Self {
        Self { depth, entries: VecDeque::with_capacity(depth) }
    }

    /// A cycle: the push takes effect at its end, a pop takes the head that was there before.
    pub fn cycle(&mut self, push: Option<Key>, pop: bool) -> Result<Option<Key>, Refused> {
        let head = if pop { self.entries.pop_front() } else { None };
        if let Some(key) = push {
            if self.entries.contains(&key) {
                return Err(Refused::Twice(key));
            }
            if self.entries.len() == self.depth {
                return Err(Refused::Full);
            }
            self.entries.push_back(key);
        }
        Ok(head)
    }

    /// The oldest entry.
    pub fn head(&self) -> Option<Key> {
        self.entries.front().copied()
    }

    /// Entries inside.
    pub fn count(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        Key { cta: number / 8, barrier: number % 8 }
    }

    /// BR-35: all 128 barriers fit, in order, with a push and a pop in one cycle; id 0 of CTA 0 is an entry like any other (BR-04).
    #[test]
    fn br_35_holds_every_barrier_in_order() {
        let mut fifo = DynamicBarrierFifo::new(128);
        for number in 0..128 {
            assert_eq!(fifo.cycle(Some(key(number)), false), Ok(None));
        }
        assert_eq!((fifo.count(), fifo.head()), (128, Some(key(0))));
        assert_eq!(fifo.cycle(None, true), Ok(Some(key(0))));
        for number in 1..128 {
            assert_eq!(fifo.cycle(Some(key(number - 1)), true), Ok(Some(key(number))), "{number}");
        }
        assert_eq!(fifo.count(), 127);
    }

    /// BR-41: entries are distinct.
    #[test]
    fn br_41_entries_are_distinct() {
        let mut fifo = DynamicBarrierFifo::new(2);
        assert_eq!(fifo.cycle(Some(key(3)), false), Ok(None));
        assert_eq!(fifo.cycle(Some(key(3)), false), Err(Refused::Twice(key(3))));
        assert_eq!(fifo.cycle(Some(key(3)), true), Ok(Some(key(3))));
    }
}
