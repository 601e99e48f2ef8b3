//! Tells a run that hangs from one that works (SM-04).
//!
//! Three findings, from certain to likely:
//!
//! - **Loop**: the complete state of the machine occurred twice ([`LoopDetector`]), so it recurs for ever. A proof.
//! - **Stuck**: for N cycles warps run and none of them may issue; or all of them sleep at barriers and longer than any timeout
//!   nothing was under way that could wake one.
//! - **Quiet**: for N cycles no memory word changed, no thread exited and no warp was launched, *and* what the machine sees
//!   of itself is what it was N/2 cycles before, or more. A long computation in registers is quiet but never recurs, so it is
//!   left alone. So is a barrier whose section the threads run one by one without a change in memory: between two of them, who
//!   presents an instruction that is answered later does it twice in the same state, but those are a few cycles apart.

use super::loop_detector::{LoopDetector, StateSource};

/// Why the watchdog stops a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The complete state recurs every `period` instructions.
    Loop {
        /// Instructions of one turn.
        period: u64,
    },
    /// No warp may issue.
    Stuck {
        /// For how many cycles.
        cycles: u64,
    },
    /// The visible state recurs, nothing comes of it.
    Quiet {
        /// For how many cycles.
        cycles: u64,
    },
}

/// Watches one run.
#[derive(Clone, Debug)]
pub struct Watchdog<S> {
    /// N.
    limit: u64,
    complete: LoopDetector<S>,
    visible: LoopDetector<Aged<S>>,
    last_progress: u64,
    last_issue: u64,
}

/// A state, and the cycle of its copy.
#[derive(Clone, Debug)]
struct Aged<S> {
    cycle: u64,
    state: S,
}

/// A source whose states are equal to copies only that are old enough.
struct Aging<'a, T> {
    source: &'a mut T,
    cycle: u64,
    /// Cycles since the copy.
    least: u64,
}

impl<T: StateSource> StateSource for Aging<'_, T> {
    type State = Aged<T::State>;

    fn copy(&mut self) -> Self::State {
        Aged { cycle: self.cycle, state: self.source.copy() }
    }

    fn equals(&mut self, copy: &Self::State) -> bool {
        self.cycle - copy.cycle >= self.least && self.source.equals(&copy.state)
    }
}

/// The cheap side of a state: a key that differs for most different states, and the depths of the queues.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint<'a> {
    /// Equal for equal states.
    pub key: u64,
    /// Tokens in each warp's queue.
    pub depths: &'a [u64],
}

impl<S> Watchdog<S> {
    /// A watchdog with N = `limit`, over states whose copy costs about as much as `copy_cost` instructions.
    pub fn new(limit: u64, copy_cost: u64) -> Self {
        let mut watchdog = Self {
            limit: 0,
            complete: LoopDetector::new(copy_cost),
            visible: LoopDetector::new(copy_cost),
            last_progress: 0,
            last_issue: 0,
        };
        watchdog.allow(limit.max(1));
        watchdog
    }

    /// Things may take so many cycles without a sign of life; N is no less.
    pub fn allow(&mut self, cycles: u64) {
        self.limit = self.limit.max(cycles);
        // The first checkpoint, half the limit old at the limit, lasts as long again.
        self.visible.be_patient(self.limit);
    }

    /// A memory word changed, a thread exited or a warp was launched.
    pub fn progress(&mut self, cycle: u64) {
        self.last_progress = cycle;
        self.last_issue = self.last_issue.max(cycle);
        self.visible.disturb();
    }

    /// Something happened that the machine's view of the queues does not show (see [`LoopDetector::disturb`]).
    pub fn disturb(&mut self) {
        self.complete.disturb();
    }

    /// A token left a queue, which now holds `depth` tokens.
    pub fn popped(&mut self, queue: usize, depth: u64) {
        self.complete.popped(queue, depth);
    }

    /// An instruction is about to be issued. `settled`: every running warp is ready, so that no engine has work in flight.
    pub fn issue(
        &mut self,
        cycle: u64,
        settled: bool,
        fingerprint: Fingerprint<'_>,
        source: &mut impl StateSource<State = S>,
    ) -> Option<Finding> {
        self.last_issue = cycle;
        if !settled {
            return None;
        }
        if let Some(period) = self.complete.step(fingerprint.key, fingerprint.depths, source) {
            return Some(Finding::Loop { period });
        }
        let quiet = cycle - self.last_progress;
        // The visible state is watched in the last half of the quiet time only, for it costs as much as the complete one.
        if quiet * 2 > self.limit {
            let mut aging = Aging { source, cycle, least: self.limit / 2 };
            let recurred = self.visible.step(fingerprint.key, &[], &mut aging).is_some();
            if recurred && quiet > self.limit {
                return Some(Finding::Quiet { cycles: quiet });
            }
        }
        None
    }

    /// Warps sleep, for so many cycles nothing was under way that could wake one, and it never takes `patience` to wake one.
    pub fn asleep(&self, cycles: u64, patience: u64) -> Option<Finding> {
        (cycles > patience).then_some(Finding::Stuck { cycles })
    }

    /// A cycle passed in which nothing was issued although warps run.
    pub fn idle(&self, cycle: u64) -> Option<Finding> {
        let cycles = cycle - self.last_issue;
        (cycles > self.limit).then_some(Finding::Stuck { cycles })
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

    fn issue(watchdog: &mut Watchdog<u64>, cycle: u64, state: u64) -> Option<Finding> {
        let fingerprint = Fingerprint { key: state, depths: &[0] };
        watchdog.issue(cycle, true, fingerprint, &mut Number(state))
    }

    /// SM-04: without a disturbance a loop is proven long before the limit.
    #[test]
    fn a_loop_is_proven() {
        let mut watchdog = Watchdog::new(1_000_000, 1);
        let finding = (0..1000).find_map(|cycle| issue(&mut watchdog, cycle, cycle % 5));
        assert_eq!(finding, Some(Finding::Loop { period: 5 }));
    }

    /// SM-04: with yields in every turn, the verdict is "quiet", only after the limit, and only if states recur.
    #[test]
    fn a_yielding_loop_is_quiet() {
        let mut watchdog = Watchdog::new(1000, 1);
        let mut recurring = (0..10_000).find_map(|cycle| {
            watchdog.disturb();
            issue(&mut watchdog, cycle, cycle % 5).map(|finding| (cycle, finding))
        });
        let (cycle, finding) = recurring.take().expect("must be found");
        // It is found in the first turn behind the limit.
        assert!(matches!(finding, Finding::Quiet { cycles } if cycles == cycle), "{finding:?}");
        assert!((1001..=1005).contains(&cycle), "{cycle}");

        let mut computing = Watchdog::new(1000, 1);
        assert!((0..10_000).all(|cycle| {
            computing.disturb();
            issue(&mut computing, cycle, cycle).is_none()
        }));
    }

    /// SM-04: states that recur at once, but not for long, are no loop: a section of many threads, with polls between two of them.
    #[test]
    fn polls_between_slow_steps_are_no_loop() {
        let mut watchdog = Watchdog::new(1000, 1);
        assert!((0..100_000).all(|cycle| {
            watchdog.disturb();
            issue(&mut watchdog, cycle, cycle / 400).is_none()
        }));
    }

    /// SM-04: a loop that is entered late, far behind the limit, is found nevertheless, and one that recurs now and then only.
    #[test]
    fn late_and_irregular_loops_are_quiet() {
        for first in [0, 700, 1700, 30_000] {
            for turns in [|cycle: u64| cycle % 7, |cycle: u64| cycle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56] {
                let mut watchdog = Watchdog::new(1000, 1);
                let found = (0..10 * (1000 + first)).find(|&cycle| {
                    watchdog.disturb();
                    let state = if cycle < first { 1_000_000 + cycle } else { turns(cycle) };
                    issue(&mut watchdog, cycle, state).is_some()
                });
                assert!(found.is_some_and(|cycle| cycle > 1000), "{first}: {found:?}");
            }
        }
    }

    /// SM-04: a state of before some progress is none that recurs.
    #[test]
    fn what_was_before_progress_does_not_count() {
        let mut watchdog = Watchdog::new(1000, 1);
        assert!((0..2100).all(|cycle| {
            watchdog.disturb();
            if cycle == 900 {
                watchdog.progress(cycle);
            }
            let state = if (900..1950).contains(&cycle) { 1_000_000 + cycle } else { 7 };
            issue(&mut watchdog, cycle, state).is_none()
        }));
    }

    /// SM-04: progress restarts the clock.
    #[test]
    fn progress_restarts_the_clock() {
        let mut watchdog = Watchdog::new(1000, 1);
        assert!((0..10_000).all(|cycle| {
            watchdog.disturb();
            if cycle % 900 == 0 {
                watchdog.progress(cycle);
            }
            issue(&mut watchdog, cycle, cycle % 5).is_none()
        }));
    }

    /// SM-04: warps that run but never become ready are a deadlock.
    #[test]
    fn no_issue_is_stuck() {
        let watchdog = Watchdog::<u64>::new(100, 1);
        assert_eq!(watchdog.idle(100), None);
        assert_eq!(watchdog.idle(101), Some(Finding::Stuck { cycles: 101 }));
    }
}
