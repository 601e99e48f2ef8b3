//! What kinds a warp's queue holds, a flag a warp: the summary that the next token takes along, and the yield bit that a popped one is given.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_warp`, `enter_kind` | in | 1, `WARP_BITS`, 4 | a token enters |
//! | `enter_summary` | out | 4 | what is behind it (bit 3, yield, stays 0: it is supplied on read) |
//! | `leave_valid`, `leave_warp`, `leave_kind`, `leave_summary` | in | 1, `WARP_BITS`, 4, 4 | a token leaves at the front |
//! | `show_warp`, `show_kind`, `show_alone` | in | `WARP_BITS`, 4, 1 | the token shown; no other yield token is behind it |
//! | `show_yield` | out | 1 | a yield token is behind the token shown |
//! | `leave_alone` | in | 1 | the token that leaves was the last of its queue |
//! | `clear_enable`, `clear_warp` | in | 1, `WARP_BITS` | a queue is emptied |
//!
//! **Timing** outputs are combinational and count a token that leaves in this cycle; one that enters shows from the next cycle on.
//! **Invariants** 1. the flag of a kind is set if and only if the queue holds a token of it. Yield tokens enter at the back
//! only and therefore lie together there, so the flag falls when the queue empties by one.
//! **Source** US 9,459,876, bits 58 to 61 of the token; DQ-04.

use super::token::Kind;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct SummaryFlags<const WARPS: usize, const WARP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A token enters.
            pub enter_valid: Signal<In, Bit>,
            /// Its warp.
            pub enter_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub enter_kind: Signal<In, Bits<4>>,
            /// Kinds behind it.
            pub enter_summary: Signal<Out, Bits<4>>,
            /// A token leaves at the front.
            pub leave_valid: Signal<In, Bit>,
            /// Its queue is empty now.
            pub leave_alone: Signal<In, Bit>,
            /// The warp of the token shown or leaving.
            pub show_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub show_kind: Signal<In, Bits<4>>,
            /// Its stored summary.
            pub show_summary: Signal<In, Bits<4>>,
            /// It is a yield token and the only one.
            pub show_alone: Signal<In, Bit>,
            /// A yield token is behind it.
            pub show_yield: Signal<Out, Bit>,
            /// A queue is emptied.
            pub clear_enable: Signal<In, Bit>,
            /// Which.
            pub clear_warp: Signal<In, Bits<WARP_BITS>>,
        }
        parts {
            sync: Register<Bits<WARPS>>,
            divergence: Register<Bits<WARPS>>,
            call: Register<Bits<WARPS>>,
            yielded: Register<Bits<WARPS>>,
            sync_left: Signal<Local, Bits<WARPS>>,
            divergence_left: Signal<Local, Bits<WARPS>>,
            call_left: Signal<Local, Bits<WARPS>>,
            yielded_left: Signal<Local, Bits<WARPS>>,
            sync_entered: Signal<Local, Bits<WARPS>>,
            divergence_entered: Signal<Local, Bits<WARPS>>,
            call_entered: Signal<Local, Bits<WARPS>>,
            yielded_entered: Signal<Local, Bits<WARPS>>,
            kept: Signal<Local, Bits<WARPS>>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            kind_sync: Constant<Bits<4>> = Constant::new(bits(Kind::Sync as u64)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize> Logic for SummaryFlags<WARPS, WARP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sync, divergence, call, yielded);

        // First the token that leaves: what was behind it is what the queue now holds.
        self.sync_left.next = self.sync.q.val();
        self.divergence_left.next = self.divergence.q.val();
        self.call_left.next = self.call.q.val();
        self.yielded_left.next = self.yielded.q.val();
        if self.leave_valid.val() {
            self.sync_left.next =
                self.sync.q.val().replace_bit(self.show_warp.val(), self.show_summary.val().get_bit(0));
            self.divergence_left.next =
                self.divergence.q.val().replace_bit(self.show_warp.val(), self.show_summary.val().get_bit(1));
            self.call_left.next =
                self.call.q.val().replace_bit(self.show_warp.val(), self.show_summary.val().get_bit(2));
            if self.leave_alone.val() {
                self.yielded_left.next = self.yielded.q.val().replace_bit(self.show_warp.val(), false);
            }
        }

        // Then the token that enters.
        self.enter_summary.next = bit_cast::<4, 1>(bit_cast::<1, WARPS>(self.sync_left.val() >> self.enter_warp.val()))
            | (bit_cast::<4, 1>(bit_cast::<1, WARPS>(self.divergence_left.val() >> self.enter_warp.val())) << 1)
            | (bit_cast::<4, 1>(bit_cast::<1, WARPS>(self.call_left.val() >> self.enter_warp.val())) << 2);
        self.sync_entered.next = self.sync_left.val();
        self.divergence_entered.next = self.divergence_left.val();
        self.call_entered.next = self.call_left.val();
        self.yielded_entered.next = self.yielded_left.val();
        if self.enter_valid.val() {
            if self.enter_kind.val() == self.kind_sync.val() {
                self.sync_entered.next = self.sync_left.val() | (self.one.val() << self.enter_warp.val());
            }
            if self.enter_kind.val() == self.kind_divergence.val() {
                self.divergence_entered.next = self.divergence_left.val() | (self.one.val() << self.enter_warp.val());
            }
            if self.enter_kind.val() == self.kind_call.val() {
                self.call_entered.next = self.call_left.val() | (self.one.val() << self.enter_warp.val());
            }
            if self.enter_kind.val() == self.kind_yield.val() {
                self.yielded_entered.next = self.yielded_left.val() | (self.one.val() << self.enter_warp.val());
            }
        }

        self.kept.next = !bits::<WARPS>(0);
        if self.clear_enable.val() {
            self.kept.next = !(self.one.val() << self.clear_warp.val());
        }
        self.sync.d.next = self.sync_entered.val() & self.kept.val();
        self.divergence.d.next = self.divergence_entered.val() & self.kept.val();
        self.call.d.next = self.call_entered.val() & self.kept.val();
        self.yielded.d.next = self.yielded_entered.val() & self.kept.val();

        self.show_yield.next = self.yielded.q.val().get_bit(self.show_warp.val());
        if self.show_kind.val() == self.kind_yield.val() {
            self.show_yield.next = !self.show_alone.val();
        }
    }
}
