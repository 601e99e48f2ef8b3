//! Proof that a run will never end: the complete state of a deterministic machine that occurs twice occurs for ever (SM-04).
//!
//! The machine sees registers, predicates, memory, PCs, masks and reasons, but not the tokens in an engine's queues. So a
//! repetition of what it sees proves a loop only if the queues are the same, too, which follows from their depths:
//!
//! 1. Between two states, tokens were only pushed and popped at the front (no yield, no window exception).
//! 2. In between no queue was shallower than at the first of them, so the tokens it held then were never touched.
//! 3. At the second its depth is the same again, so it holds exactly those tokens.
//!
//! A breach of 1 or 2 starts the search anew. A loop that pushes and pops is found nevertheless: its shallowest point
//! satisfies 2. Yields of the deque breach 1 in every turn; there, the limit of cycles without progress decides
//! ([`super::watchdog`]).
//!
//! **Source** R. P. Brent's cycle detection: a checkpoint whose distance doubles, compared with every later state.

/// A machine that can be asked for its complete visible state; both questions may cost a lot.
pub trait StateSource {
    /// A copy of the state.
    type State;
    /// Copies the state.
    fn copy(&mut self) -> Self::State;
    /// Is the state this one?
    fn equals(&mut self, state: &Self::State) -> bool;
}

/// A checkpoint and what has happened since.
#[derive(Clone, Debug)]
struct Checkpoint<S> {
    key: u64,
    state: S,
    depths: Vec<u64>,
    step: u64,
}

/// Bound of the uneven part of a copy's price; a prime, so that it is in step with few loops.
const MOST_JITTER: u64 = 61;

/// Compares every state with a checkpoint that moves forward.
#[derive(Clone, Debug)]
pub struct LoopDetector<S> {
    checkpoint: Option<Checkpoint<S>>,
    step: u64,
    /// Steps until the checkpoint moves by itself.
    patience: u64,
    /// The same of the first checkpoint of a search.
    first_patience: u64,
    /// What a copy of the state costs, in steps.
    copy_cost: u64,
    /// Steps that were not yet spent on copies; keeps copying from dominating a run.
    budget: u64,
    copies: u64,
}

/// Steps of a search's first checkpoint, unless said otherwise.
const FIRST_PATIENCE: u64 = 64;

/// Copies that may follow each other at once: a loop that pops several tokens moves the checkpoint down one by one.
const COPIES_AT_ONCE: u64 = 8;

impl<S> LoopDetector<S> {
    /// A detector for states whose copy costs about as much as `copy_cost` instructions.
    pub fn new(copy_cost: u64) -> Self {
        Self {
            checkpoint: None,
            step: 0,
            patience: FIRST_PATIENCE,
            first_patience: FIRST_PATIENCE,
            copy_cost,
            budget: copy_cost * COPIES_AT_ONCE,
            copies: 0,
        }
    }

    /// Starts the search anew; from now on, the first checkpoint of a search lasts `steps` steps.
    pub fn be_patient(&mut self, steps: u64) {
        self.first_patience = steps;
        self.disturb();
    }

    /// The queues were changed at their backs or by a handler: whatever was seen before proves nothing now.
    pub fn disturb(&mut self) {
        self.checkpoint = None;
        self.patience = self.first_patience;
    }

    /// Notes the depth of a queue after a pop; a token of the checkpoint that was touched ends its use.
    pub fn popped(&mut self, queue: usize, depth: u64) {
        if self.checkpoint.as_ref().is_some_and(|checkpoint| depth < checkpoint.depths[queue]) {
            self.disturb();
        }
    }

    /// Takes one more state: a cheap `key` of it, the depths of the queues, and the state itself, copied or compared only if
    /// needed. Returns the length of the loop, in steps, once there is one.
    pub fn step(&mut self, key: u64, depths: &[u64], source: &mut impl StateSource<State = S>) -> Option<u64> {
        self.step += 1;
        self.budget = (self.budget + 1).min((self.copy_cost + MOST_JITTER) * COPIES_AT_ONCE);
        if let Some(checkpoint) = &self.checkpoint {
            if checkpoint.key == key && checkpoint.depths == depths && source.equals(&checkpoint.state) {
                return Some(self.step - checkpoint.step);
            }
            if self.step - checkpoint.step < self.patience {
                return None;
            }
            self.patience *= 2;
        }
        // The uneven price keeps checkpoints from falling on the same point of a loop for ever.
        let price = self.copy_cost + self.copies % MOST_JITTER;
        if self.budget >= price {
            self.budget -= price;
            self.copies += 1;
            self.checkpoint = Some(Checkpoint { key, state: source.copy(), depths: depths.to_vec(), step: self.step });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u64);

    impl StateSource for Number {
        type State = u64;
        fn copy(&mut self) -> u64 {
            self.0
        }
        fn equals(&mut self, state: &u64) -> bool {
            self.0 == *state
        }
    }

    fn feed(detector: &mut LoopDetector<u64>, state: u64, depth: u64) -> Option<u64> {
        detector.step(state % 4, &[depth], &mut Number(state))
    }

    /// SM-04: a sequence that enters a loop after a run-in is caught, with the loop's length.
    #[test]
    fn finds_the_loop_after_a_run_in() {
        for run_in in [0, 1, 70, 1000] {
            for length in [1, 2, 7, 300] {
                let mut detector = LoopDetector::new(1);
                let found = (0..100_000_u64).find_map(|step| {
                    let state = if step < run_in { 1_000_000 + step } else { (step - run_in) % length };
                    feed(&mut detector, state, 0)
                });
                assert_eq!(found, Some(length), "run-in {run_in}, length {length}");
            }
        }
    }

    /// SM-04: a run whose visible state never repeats is never called a loop, however alike the keys are.
    #[test]
    fn a_counter_is_no_loop() {
        let mut detector = LoopDetector::new(1);
        assert!((0..10_000).all(|state| feed(&mut detector, state, 0).is_none()));
    }

    /// SM-04: the same visible state over a queue that grows, or whose old tokens were popped, is no repetition.
    #[test]
    fn queues_must_be_the_same_too() {
        let mut growing = LoopDetector::new(1);
        assert!((0..10_000).all(|depth| feed(&mut growing, 0, depth).is_none()));

        let mut replaced = LoopDetector::new(1);
        for _ in 0..10_000 {
            assert_eq!(feed(&mut replaced, 0, 2), None);
            // Down to depth 1 and up again: another token may lie there now.
            replaced.popped(0, 1);
        }
    }

    /// SM-04: a loop that pushes and pops is found at its shallowest point.
    #[test]
    fn a_loop_with_pushes_is_found() {
        let mut detector = LoopDetector::new(1);
        let found = (0..1000_u64).find_map(|step| {
            let depth = [3, 4, 5, 2][step as usize % 4];
            detector.popped(0, depth);
            feed(&mut detector, step % 4, depth)
        });
        assert_eq!(found, Some(4));
    }

    /// SM-04: it is found, too, when copies are dear and the loop pops many tokens, one a step.
    #[test]
    fn a_deep_loop_with_dear_copies_is_found() {
        let mut detector = LoopDetector::new(500);
        let found = (0..2_000_000_u64).find_map(|step| {
            let phase = step % 40;
            let depth = if phase < 20 { 30 - phase } else { phase - 9 };
            detector.popped(0, depth);
            feed(&mut detector, phase, depth)
        });
        assert_eq!(found, Some(40));
    }

    /// SM-04: yields in every turn hide the queue; nothing is claimed then.
    #[test]
    fn disturbance_forbids_the_proof() {
        let mut detector = LoopDetector::new(1);
        for step in 0..1000 {
            assert_eq!(feed(&mut detector, step % 2, 0), None);
            if step % 2 == 1 {
                detector.disturb();
            }
        }
    }
}
