//! Keeps what the queue has to say about an operation until the cycle after it was accepted, when the token itself is there.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `accepted`, `code`, `warp` | in | 1, 3, `WARP_BITS` | an operation is done in this cycle; which |
//! | `pops`, `finds`, `merged`, `failed`, `alone` | in | 1 each | what came of it; nothing is behind its token |
//! | `response_*` | out | | the same, a cycle later |
//! | `response_popped`, `response_alone` | out | 1, 1 | a token left the window; nothing is behind the token shown |
//!
//! **Timing** one cycle. **Source** DQ-06.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct QueueAnswer<const WARP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An operation is done in this cycle.
            pub accepted: Signal<In, Bit>,
            /// Which.
            pub code: Signal<In, Bits<3>>,
            /// Whose queue.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// It pops a token.
            pub pops: Signal<In, Bit>,
            /// It found one, or its own passed.
            pub finds: Signal<In, Bit>,
            /// Its token merged into another.
            pub merged: Signal<In, Bit>,
            /// There was no room.
            pub failed: Signal<In, Bit>,
            /// Nothing is behind the token.
            pub alone: Signal<In, Bit>,
            /// An operation was done in the cycle before.
            pub response_valid: Signal<Out, Bit>,
            /// Which.
            pub response_code: Signal<Out, Bits<3>>,
            /// Whose queue it was.
            pub response_warp: Signal<Out, Bits<WARP_BITS>>,
            /// It popped or found a token, or its own passed.
            pub response_found: Signal<Out, Bit>,
            /// It popped one from the window.
            pub response_popped: Signal<Out, Bit>,
            /// Its token merged into another.
            pub response_merged: Signal<Out, Bit>,
            /// There was no room.
            pub response_failed: Signal<Out, Bit>,
            /// Nothing is behind the token shown.
            pub response_alone: Signal<Out, Bit>,
        }
        parts {
            answer_valid: Register<Bit>,
            answer_code: Register<Bits<3>>,
            answer_warp: Register<Bits<WARP_BITS>>,
            answer_found: Register<Bit>,
            answer_popped: Register<Bit>,
            answer_merged: Register<Bit>,
            answer_failed: Register<Bit>,
            answer_alone: Register<Bit>,
        }
    }
}

impl<const WARP_BITS: usize> Logic for QueueAnswer<WARP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, answer_valid, answer_code, answer_warp, answer_found, answer_popped);
        dff_setup!(self, clock, answer_merged, answer_failed, answer_alone);
        self.answer_valid.d.next = self.accepted.val();
        self.answer_code.d.next = self.code.val();
        self.answer_warp.d.next = self.warp.val();
        self.answer_found.d.next = self.pops.val() | self.finds.val();
        self.answer_popped.d.next = self.pops.val();
        self.answer_merged.d.next = self.merged.val();
        self.answer_failed.d.next = self.failed.val();
        self.answer_alone.d.next = self.alone.val();
        self.response_valid.next = self.answer_valid.q.val();
        self.response_code.next = self.answer_code.q.val();
        self.response_warp.next = self.answer_warp.q.val();
        self.response_found.next = self.answer_found.q.val();
        self.response_popped.next = self.answer_popped.q.val();
        self.response_merged.next = self.answer_merged.q.val();
        self.response_failed.next = self.answer_failed.q.val();
        self.response_alone.next = self.answer_alone.q.val();
    }
}
