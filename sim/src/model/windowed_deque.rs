//! The token deque of one warp with its bounds: a window, a spill area, and exceptions served by the software driver.
//!
//! It is the unbounded deque's twin for DQ-05, DQ-08, DQ-09, DQ-11, DQ-12 and DQ-13: the same operations, the same pops, but tokens
//! really lie in a window of DEPTH entries and a circular area beside it. It tells what a bounded queue *can* do;
//! when exactly the hardware moves its tokens is the hardware's own affair.
//!
//! **Source** US 9,459,876.

use super::exception_driver::{serve, Pointers, SpillMemory, Unserved, WindowPort};
use super::token_deque::{summary_of, Answer, QueueOperation, Token, TokenQueue};
use crate::engine::{Cause, Kind};

/// The window's entries and pointers; a window port to itself.
#[derive(Clone, Debug)]
struct Window {
    entries: Vec<u128>,
    pointers: Pointers,
}

impl WindowPort for Window {
    fn read(&mut self, entry: usize) -> u128 {
        self.entries[entry]
    }
    fn write(&mut self, entry: usize, token: u128) {
        self.entries[entry] = token;
    }
    fn pointers(&mut self) -> Pointers {
        self.pointers
    }
    fn set_pointers(&mut self, pointers: Pointers) {
        self.pointers = pointers;
    }
}

/// A spill area in ordinary memory.
#[derive(Clone, Debug)]
struct Area(Vec<u128>);

impl SpillMemory for Area {
    fn limit(&self) -> usize {
        self.0.len()
    }
    fn read(&mut self, slot: usize) -> u128 {
        self.0[slot]
    }
    fn write(&mut self, slot: usize, token: u128) {
        self.0[slot] = token;
    }
}

/// The bounded deque.
#[derive(Clone, Debug)]
pub struct WindowedDeque {
    depth: usize,
    window: Window,
    area: Area,
    exceptions: Vec<Cause>,
}

impl WindowedDeque {
    /// An empty deque with a window of `depth` entries and a spill area of `spill_limit` tokens.
    pub fn new(depth: usize, spill_limit: usize) -> Self {
        Self {
            depth,
            window: Window { entries: vec![0; depth], pointers: Pointers::empty(depth) },
            area: Area(vec![0; spill_limit]),
            exceptions: Vec::new(),
        }
    }

    /// Where its tokens lie.
    pub fn pointers(&self) -> Pointers {
        self.window.pointers
    }

    /// Its tokens, front first, the spilled ones included.
    pub fn tokens(&self) -> Vec<Token> {
        self.places().map(|place| self.token(place)).collect()
    }

    /// The slot of a spilled token, counted from the front of the area.
    fn slot(&self, place: usize) -> usize {
        (self.window.pointers.spill_first + place) % self.area.limit()
    }

    /// Every place with a token, front first: the entries from `head - 1` down, then the slots from `spill_first` up.
    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let Pointers { head, tail, spill_count, .. } = self.window.pointers;
        let entries = (tail..head).rev().map(Place::Entry);
        entries.chain((0..spill_count).map(|place| Place::Slot(self.slot(place))))
    }

    fn token(&self, place: Place) -> Token {
        let packed = match place {
            Place::Entry(entry) => self.window.entries[entry],
            Place::Slot(slot) => self.area.0[slot],
        };
        Token::unpack(packed, true).expect("only packed tokens are written")
    }

    fn put(&mut self, place: Place, token: Token) {
        let packed = token.pack(true);
        match place {
            Place::Entry(entry) => self.window.entries[entry] = packed,
            Place::Slot(slot) => self.area.0[slot] = packed,
        }
    }

    /// Raises an exception and lets the driver serve it.
    fn raise(&mut self, cause: Cause) -> Result<(), Unserved> {
        let served = serve(cause, self.depth, &mut self.window, &mut self.area);
        self.exceptions.push(if served.is_ok() { cause } else { Cause::Fatal });
        served.map(|_| ())
    }

    /// The cause when an end of the window is met: there is room at the other end, or there is none (DQ-09, DQ-11).
    fn end_met(&self) -> Cause {
        if self.window.pointers.occupied() == self.depth {
            Cause::Spill
        } else {
            Cause::Recenter
        }
    }

    fn push_front(&mut self, token: Token) -> Result<(), Unserved> {
        if self.window.pointers.head == self.depth {
            self.raise(self.end_met())?;
        }
        self.put(Place::Entry(self.window.pointers.head), token);
        self.window.pointers.head += 1;
        Ok(())
    }

    fn push_back(&mut self, token: Token) -> Result<bool, Unserved> {
        let same = |place: &Place| {
            let other = self.token(*place);
            (other.kind, other.address) == (Kind::Yield, token.address)
        };
        if token.kind == Kind::Yield {
            let partner = self.places().find(same);
            if let Some(place) = partner {
                let other = self.token(place);
                self.put(place, Token { mask: other.mask | token.mask, ..other });
                return Ok(true);
            }
        }
        if self.window.pointers.tail == 0 && self.window.pointers.spill_count == 0 {
            self.raise(self.end_met())?;
        }
        // Behind spilled tokens there is only the spill area (DQ-11).
        if self.window.pointers.spill_count > 0 {
            if self.window.pointers.spill_count == self.area.limit() {
                self.exceptions.push(Cause::Fatal);
                return Err(Unserved::Fatal { limit: self.area.limit() });
            }
            self.put(Place::Slot(self.slot(self.window.pointers.spill_count)), token);
            self.window.pointers.spill_count += 1;
        } else {
            self.window.pointers.tail -= 1;
            self.put(Place::Entry(self.window.pointers.tail), token);
        }
        Ok(false)
    }

    fn pop_front(&mut self) -> Option<Token> {
        if self.window.pointers.occupied() == 0 {
            if self.window.pointers.spill_count == 0 {
                return None;
            }
            self.raise(Cause::Refill).expect("a refill needs nothing");
        }
        let pointers = &mut self.window.pointers;
        pointers.head -= 1;
        let entry = pointers.head;
        if pointers.occupied() == 0 && pointers.spill_count == 0 {
            *pointers = Pointers::empty(self.depth);
        }
        Some(self.token(Place::Entry(entry)))
    }
}

/// Where a token lies.
#[derive(Clone, Copy)]
enum Place {
    Entry(usize),
    Slot(usize),
}

impl TokenQueue for WindowedDeque {
    fn apply(&mut self, operation: QueueOperation, token: Token) -> Answer {
        let failed = Answer { failed: true, ..Answer::default() };
        let mut answer = Answer::default();
        match operation {
            QueueOperation::PushFront if self.push_front(token).is_err() => return failed,
            QueueOperation::PushBack | QueueOperation::Yield => match self.push_back(token) {
                Ok(merged) => answer.merged = merged,
                Err(_) => return failed,
            },
            QueueOperation::Clear => self.window.pointers = Pointers::empty(self.depth),
            _ => {}
        }
        match operation {
            QueueOperation::PopFront | QueueOperation::Yield => {
                answer.token = self.pop_front();
                answer.summary = summary_of(&self.tokens());
            }
            QueueOperation::Find => {
                let tokens = self.tokens();
                if let Some(place) = tokens.iter().position(|other| other.kind == token.kind) {
                    answer.token = Some(tokens[place]);
                    answer.summary = summary_of(&tokens[place + 1..]);
                }
            }
            _ => {}
        }
        answer
    }

    fn len(&self) -> usize {
        self.window.pointers.occupied() + self.window.pointers.spill_count
    }

    fn take_exceptions(&mut self) -> Vec<Cause> {
        std::mem::take(&mut self.exceptions)
    }
}

#[cfg(test)]
mod tests {
    use super::super::capacity::Capacity;
    use super::super::token_deque::TokenDeque;
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const NONE: Token = Token::new(Kind::Sync, 0, 0);

    /// DQ-05: an empty queue stands in the middle of 8, 32 and 256 entries, fills both ways, and returns there.
    #[test]
    fn dq_05_empty_is_the_middle() {
        for depth in [8, 32, 256] {
            let mut deque = WindowedDeque::new(depth, 0);
            assert_eq!((deque.pointers().head, deque.pointers().tail), (depth / 2, depth / 2));
            deque.apply(QueueOperation::PushFront, NONE);
            deque.apply(QueueOperation::PushBack, NONE);
            assert_eq!((deque.pointers().head, deque.pointers().tail), (depth / 2 + 1, depth / 2 - 1));
            deque.apply(QueueOperation::PopFront, NONE);
            deque.apply(QueueOperation::PopFront, NONE);
            assert_eq!(deque.pointers(), Pointers::empty(depth));
        }
    }

    /// DQ-09, DQ-11, DQ-12: front pushes meet the end, then fill the window, then spill; pops refill.
    #[test]
    fn dq_11_causes_come_in_order() {
        let mut deque = WindowedDeque::new(8, 8);
        for address in 0..9 {
            assert!(!deque.apply(QueueOperation::PushFront, Token::new(Kind::Sync, 1, address)).failed);
        }
        let causes = deque.take_exceptions();
        assert_eq!((causes[0], *causes.last().unwrap()), (Cause::Recenter, Cause::Spill));
        let popped: Vec<_> =
            (0..9).map(|_| deque.apply(QueueOperation::PopFront, NONE).token.unwrap().address).collect();
        assert_eq!(popped, (0..9).rev().collect::<Vec<_>>());
        assert_eq!(deque.take_exceptions(), [Cause::Refill]);
    }

    /// DQ-04, DQ-07, DQ-08, DQ-11, DQ-12, DQ-13: on random operations the bounded deque answers as the unbounded one, at odd and tiny
    /// sizes too, until it fails; it fails only when it may, and then nothing has changed.
    #[test]
    fn dq_08_equals_the_unbounded_deque() {
        let (mut fatal, mut refilled) = (0, 0);
        for (seed, (depth, limit)) in
            [(1, 0), (1, 2), (2, 1), (5, 3), (8, 0), (8, 5), (8, 64), (32, 7)].into_iter().cycle().take(160).enumerate()
        {
            let capacity = Capacity { depth, spill_limit: limit };
            let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
            let (mut reference, mut bounded) = (TokenDeque::new(), WindowedDeque::new(depth, limit));
            let growing = random.random_range(35..60);
            for _ in 0..600 {
                let operation = match random.random_range(0..100) {
                    choice if choice < growing / 2 => QueueOperation::PushFront,
                    choice if choice < growing => QueueOperation::PushBack,
                    choice if choice < growing + 10 => QueueOperation::Yield,
                    99 => QueueOperation::Clear,
                    choice if choice > 90 => QueueOperation::Find,
                    _ => QueueOperation::PopFront,
                };
                let yields = operation == QueueOperation::Yield || random.random_bool(0.5);
                let kind = match operation {
                    QueueOperation::PushFront | QueueOperation::Find => Kind::ALL[random.random_range(0..7)],
                    _ if yields => Kind::Yield,
                    _ => Kind::Sync,
                };
                let token = Token::new(kind, 1 << random.random_range(0..64), random.random_range(0..24));
                let held = reference.len();
                let before = bounded.tokens();
                let answer = bounded.apply(operation, token);
                if answer.failed {
                    fatal += 1;
                    assert!(
                        capacity.may_fail(operation, held),
                        "{operation:?} failed with {held} tokens of {capacity:?}"
                    );
                    assert_eq!(bounded.tokens(), before);
                } else {
                    assert!(answer.merged || !capacity.must_fail(operation, held));
                    assert_eq!(answer, reference.apply(operation, token), "seed {seed}");
                }
                assert!(bounded.tokens().iter().eq(reference.tokens()), "seed {seed}: {operation:?}");
                refilled += bounded.take_exceptions().iter().filter(|cause| **cause == Cause::Refill).count();
            }
        }
        assert!(fatal > 100 && refilled > 100, "{fatal} failures, {refilled} refills: the test is about them");
    }
}
