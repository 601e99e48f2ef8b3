//! The threads that the sequencer has in hand, and what a token does to them: which of them wait for it, which others it wakes.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `capture`, `named`, `unnamed`, `active` | in | 1, `THREADS` ×3 | a request may start in this cycle; its named, its other, its active threads |
//! | `takes_unnamed`, `takes_active` | in | 1, 1 | it takes the second or the third of these in hand |
//! | `swap`, `rest` | in | 1, `THREADS` | the warp's other active threads come in hand instead |
//! | `leave` | in | 1 | those that do not wait stay in hand |
//! | `held` | out | `THREADS` | the threads in hand |
//! | `token_mask`, `token_fits` | in | `THREADS`, 1 | a token's threads; it is the one to wait for |
//! | `waiters`, `others_any` | out | `THREADS`, 1 | threads in hand that wait for it; there are others |
//! | `waiting`, `revived`, `revived_any` | in, out, out | `THREADS` ×2, 1 | threads that wait for the token's kind; those of them in the token |
//!
//! **Timing** `held` changes in the next cycle, the rest is combinational. **Source** DQ-22 to DQ-28.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct HeldThreads<const THREADS: usize> {
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
            /// The threads in hand.
            pub held: Signal<Out, Bits<THREADS>>,
            /// A token's threads.
            pub token_mask: Signal<In, Bits<THREADS>>,
            /// It is the token to wait for.
            pub token_fits: Signal<In, Bit>,
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
            others: Signal<Local, Bits<THREADS>>,
        }
    }
}

impl<const THREADS: usize> Logic for HeldThreads<THREADS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mask);
        self.waiters.next = 0.into();
        if self.token_fits.val() {
            self.waiters.next = self.mask.q.val() & self.token_mask.val();
        }
        self.others.next = self.mask.q.val() & !self.waiters.val();
        self.others_any.next = self.others.val().any();
        self.revived.next = self.token_mask.val() & self.waiting.val();
        self.revived_any.next = self.revived.val().any();

        if self.capture.val() {
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
    }
}
