//! The threads that the sequencer has in hand, with their address operand, and what a token does to them: which of them wait for it, which
//! others it wakes. Of a branch it has one side in hand and says which side runs first.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `capture`, `named`, `unnamed`, `active` | in | 1, `THREADS` ×3 | a request may start in this cycle; its named, its other, its active threads |
//! | `target`, `held_target` | in, out | `ADDRESS_BITS` ×2 | its address operand; the same of the threads in hand |
//! | `takes_unnamed`, `takes_active` | in | 1, 1 | it takes the second or the third of these in hand |
//! | `swap`, `rest` | in | 1, `THREADS` | the warp's other active threads come in hand instead |
//! | `leave` | in | 1 | those that do not wait stay in hand |
//! | `policy`, `taken_first` | in, out | 2, 1 | as for [`path_chooser`](super::path_chooser), the threads in hand being those that take the branch |
//! | `held` | out | `THREADS` | the threads in hand |
//! | `token_found`, `token_mask`, `token_address` | in | 1, `THREADS`, `ADDRESS_BITS` | a token; it was searched and found |
//! | `targeted` | in | 1 | it is the one to wait for only if its address is theirs |
//! | `waiters`, `others_any` | out | `THREADS`, 1 | threads in hand that wait for it; there are others |
//! | `waiting`, `revived`, `revived_any` | in, out, out | `THREADS` ×2, 1 | threads that wait for the token's kind; those of them in the token |
//!
//! **Timing** `held` and `held_target` change in the next cycle, the rest is combinational. **Source** DQ-22 to DQ-28.

use super::path_chooser::PathChooser;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct HeldThreads<const THREADS: usize, const ADDRESS_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request may start in this cycle.
            pub capture: Signal<In, Bit>,
            /// Threads that it names.
            pub named: Signal<In, Bits<THREADS>>,
            /// Active threads that it does not name.
            pub unnamed: Signal<In, Bits<THREADS>>,
            /// Active threads.
            pub active: Signal<In, Bits<THREADS>>,
            /// Its address operand.
            pub target: Signal<In, Bits<ADDRESS_BITS>>,
            /// It takes those that it does not name.
            pub takes_unnamed: Signal<In, Bit>,
            /// It takes all that are active.
            pub takes_active: Signal<In, Bit>,
            /// The other active threads come in hand instead.
            pub swap: Signal<In, Bit>,
            /// Those.
            pub rest: Signal<In, Bits<THREADS>>,
            /// Those that do not wait stay in hand.
            pub leave: Signal<In, Bit>,
            /// Which side of a branch runs first: taken 0, not taken 1, smaller 2, larger 3.
            pub policy: Signal<In, Bits<2>>,
            /// It is the side in hand.
            pub taken_first: Signal<Out, Bit>,
            /// The threads in hand.
            pub held: Signal<Out, Bits<THREADS>>,
            /// Their address operand.
            pub held_target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A token of the kind to wait for was found.
            pub token_found: Signal<In, Bit>,
            /// The threads of the token shown.
            pub token_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub token_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Only a token of their address is one to wait for.
            pub targeted: Signal<In, Bit>,
            /// Threads in hand that wait for it.
            pub waiters: Signal<Out, Bits<THREADS>>,
            /// Others are in hand.
            pub others_any: Signal<Out, Bit>,
            /// Threads that wait for the token's kind.
            pub waiting: Signal<In, Bits<THREADS>>,
            /// Threads of the token that do.
            pub revived: Signal<Out, Bits<THREADS>>,
            /// There are any.
            pub revived_any: Signal<Out, Bit>,
        }
        parts {
            mask: Register<Bits<THREADS>>,
            address: Register<Bits<ADDRESS_BITS>>,
            chooser: PathChooser<THREADS>,
            others: Signal<Local, Bits<THREADS>>,
        }
    }
}

impl<const THREADS: usize, const ADDRESS_BITS: usize> Logic for HeldThreads<THREADS, ADDRESS_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mask, address);
        self.waiters.next = 0.into();
        if self.token_found.val() & (!self.targeted.val() | (self.token_address.val() == self.address.q.val())) {
            self.waiters.next = self.mask.q.val() & self.token_mask.val();
        }
        self.others.next = self.mask.q.val() & !self.waiters.val();
        self.others_any.next = self.others.val().any();
        self.revived.next = self.token_mask.val() & self.waiting.val();
        self.revived_any.next = self.revived.val().any();

        self.chooser.policy.next = self.policy.val();
        self.chooser.taken.next = self.mask.q.val();
        self.chooser.not_taken.next = self.rest.val();
        self.taken_first.next = self.chooser.taken_first.val();

        if self.capture.val() {
            self.address.d.next = self.target.val();
            self.mask.d.next = self.named.val();
            if self.takes_unnamed.val() {
                self.mask.d.next = self.unnamed.val();
            }
            if self.takes_active.val() {
                self.mask.d.next = self.active.val();
            }
        } else if self.leave.val() {
            self.mask.d.next = self.others.val();
        } else if self.swap.val() {
            self.mask.d.next = self.rest.val();
        }
        self.held.next = self.mask.q.val();
        self.held_target.next = self.address.q.val();
    }
}
