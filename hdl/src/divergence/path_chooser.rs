//! Which side of a diverging branch runs first: the taken one, the other, the smaller or the larger set.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `policy` | in | 2 | taken 0, not taken 1, smaller 2, larger 3 |
//! | `taken`, `not_taken` | in | `THREADS` | the two sets, neither empty |
//! | `taken_first` | out | 1 | the taken side runs first |
//!
//! **Timing** combinational. **Invariants** 1. of two equal sets the taken one runs first. 2. under `smaller`, at
//! most log2(`THREADS`) branches are deferred at a time, since each leaves at most half of the threads.
//! **Source** DQ-22.

use super::token::PathPolicy;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct PathChooser<const THREADS: usize> {
        ports {
            /// Taken 0, not taken 1, smaller 2, larger 3.
            pub policy: Signal<In, Bits<2>>,
            /// Threads that take the branch.
            pub taken: Signal<In, Bits<THREADS>>,
            /// Threads that fall through.
            pub not_taken: Signal<In, Bits<THREADS>>,
            /// The taken side runs first.
            pub taken_first: Signal<Out, Bit>,
        }
        parts {
            taken_count: PopulationCount<THREADS, 7>,
            not_taken_count: PopulationCount<THREADS, 7>,
            policy_taken: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Taken as u64)),
            policy_smaller: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Smaller as u64)),
            policy_larger: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Larger as u64)),
        }
    }
}

impl<const THREADS: usize> Logic for PathChooser<THREADS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken_count.mask.next = self.taken.val();
        self.not_taken_count.mask.next = self.not_taken.val();
        self.taken_first.next = (self.policy.val() == self.policy_taken.val())
            | ((self.policy.val() == self.policy_smaller.val())
                & (self.taken_count.count.val() <= self.not_taken_count.count.val()))
            | ((self.policy.val() == self.policy_larger.val())
                & (self.taken_count.count.val() >= self.not_taken_count.count.val()));
    }
}
