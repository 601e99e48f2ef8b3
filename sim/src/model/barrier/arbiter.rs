//! Which slot's thread is woken next (BR-36), as a block of its own.
//!
//! A slot that was passed over 64 times goes first; otherwise the highest priority; among equals the next one after the slot that was granted
//! last, in a circle. A slot is passed over when it asks and another is granted; it starts anew when it is granted or does not ask.
//!
//! **Source** CN 104050032, [§103-107]; BR-36.

/// How often a slot may be passed over.
pub const PATIENCE: u32 = 64;

/// The arbiter of one scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arbiter {
    last: usize,
    passed: Vec<u32>,
}

impl Arbiter {
    /// After reset: slot 0 comes first.
    pub fn new(slots: usize) -> Self {
        Self { last: slots - 1, passed: vec![0; slots] }
    }

    /// Grants one of the slots that ask; `requests` gives each asking slot's priority, 0 to 3, 3 first.
    pub fn grant(&mut self, requests: &[Option<u8>]) -> Option<usize> {
        let slots = self.passed.len();
        let urgency = |slot: usize| requests[slot].map(|priority| (self.passed[slot] >= PATIENCE, priority));
        let most = (0..slots).filter_map(urgency).max()?;
        let circle = (1..=slots).map(|distance| (self.last + distance) % slots);
        // Of the slots whose patience has ended, the priority does not matter.
        let equal = |slot: &usize| urgency(*slot).is_some_and(|mine| if most.0 { mine.0 } else { mine == most });
        let granted = circle.into_iter().find(equal)?;
        for (slot, passed) in self.passed.iter_mut().enumerate() {
            *passed = if slot != granted && requests[slot].is_some() { *passed + 1 } else { 0 };
        }
        self.last = granted;
        Some(granted)
    }

    /// How often each slot was passed over.
    pub fn passed(&self) -> &[u32] {
        &self.passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-36: the highest priority goes first, in a circle among equals.
    #[test]
    fn br_36_priority_and_circle() {
        let mut arbiter = Arbiter::new(4);
        let requests = [Some(1), Some(2), None, Some(2)];
        let granted: Vec<_> = (0..4).filter_map(|_| arbiter.grant(&requests)).collect();
        assert_eq!(granted, [1, 3, 1, 3]);
        assert_eq!(arbiter.grant(&[None; 4]), None);
    }

    /// BR-36: a slot passed over 64 times goes first, so none starves under the highest of priorities.
    #[test]
    fn br_36_patience_ends() {
        let mut arbiter = Arbiter::new(4);
        let requests = [Some(0), Some(3), Some(1), None];
        let granted: Vec<_> = (0..200).filter_map(|_| arbiter.grant(&requests)).collect();
        let first = |slot| granted.iter().position(|other| *other == slot);
        assert_eq!((first(2), first(0)), (Some(64), Some(65)));
        assert!(granted.iter().filter(|slot| **slot == 0).count() >= 3);
        for slot in [0, 1, 2] {
            let turns: Vec<_> = (0..200).filter(|turn| granted[*turn] == slot).collect();
            assert!(turns.windows(2).all(|pair| pair[1] - pair[0] <= 64 + 3), "slot {slot}: {turns:?}");
        }
    }
}
