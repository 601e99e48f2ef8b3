//! How many announced transactions of each phase of each barrier are not complete: two signed counts a barrier.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `read_key`, `write_key` | in | `KEY_BITS` | barrier of the next cycle's request, and of this one's |
//! | `expect_enable`, `complete_enable` | in | 1, 1 | the request announces or completes `amount` transactions of `parity` |
//! | `parity`, `amount` | in | 1, 6 | which phase, how many |
//! | `clear_enable` | in | 1 | forget both counts |
//! | `deposit_enable`, `deposit_counts`, `counts_now` | in, in, out | 1, 14, 14 | both counts are put back; both as they are, phase 0 lowest |
//! | `write_enable` | in | 1 | the request takes effect |
//! | `phase` | in | 1 | the barrier's present phase |
//! | `overflow` | out | 1 | the count would leave -63..63 |
//! | `zero` | out | 1 | the present phase's count, this request included, is 0 |
//!
//! **Timing** counts of `read_key` are there in the next cycle; `overflow` and `zero` are combinational.
//! **Invariants** 1. counts are within -63..63.
//! **Source** BR-51, CX-09.

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct TransactionCounter<const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Barrier of the next cycle's request.
            pub read_key: Signal<In, Bits<KEY_BITS>>,
            /// Barrier of this cycle's.
            pub write_key: Signal<In, Bits<KEY_BITS>>,
            /// It announces transactions.
            pub expect_enable: Signal<In, Bit>,
            /// It completes transactions.
            pub complete_enable: Signal<In, Bit>,
            /// Of which phase.
            pub parity: Signal<In, Bit>,
            /// How many.
            pub amount: Signal<In, Bits<6>>,
            /// It forgets both counts.
            pub clear_enable: Signal<In, Bit>,
            /// It puts both counts back.
            pub deposit_enable: Signal<In, Bit>,
            /// These, phase 0 lowest.
            pub deposit_counts: Signal<In, Bits<14>>,
            /// Both counts before the request.
            pub counts_now: Signal<Out, Bits<14>>,
            /// It takes effect.
            pub write_enable: Signal<In, Bit>,
            /// The barrier's present phase.
            pub phase: Signal<In, Bit>,
            /// The count would leave its range.
            pub overflow: Signal<Out, Bit>,
            /// The present phase's count is 0.
            pub zero: Signal<Out, Bit>,
        }
        parts {
            counts: ForwardingRam<KEY_BITS, 14>,
            even: Signal<Local, Bits<7>>,
            odd: Signal<Local, Bits<7>>,
            chosen: Signal<Local, Bits<7>>,
            extended: Signal<Local, Bits<8>>,
            sum: Signal<Local, Bits<8>>,
            even_next: Signal<Local, Bits<7>>,
            odd_next: Signal<Local, Bits<7>>,
        }
    }
}

impl<const KEY_BITS: usize> Logic for TransactionCounter<KEY_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, counts);
        self.counts.reset.next = self.reset.val();
        self.counts.read_address.next = self.read_key.val();
        self.even.next = self.counts.read_data.val().get_bits::<7>(0);
        self.odd.next = self.counts.read_data.val().get_bits::<7>(7);

        self.chosen.next = self.even.val();
        if self.parity.val() {
            self.chosen.next = self.odd.val();
        }
        self.extended.next = bit_cast::<8, 7>(self.chosen.val());
        if self.chosen.val().get_bit(6) {
            self.extended.next = bit_cast::<8, 7>(self.chosen.val()) | 0x80;
        }
        self.sum.next = self.extended.val() + bit_cast::<8, 6>(self.amount.val());
        if self.complete_enable.val() {
            self.sum.next = self.extended.val() - bit_cast::<8, 6>(self.amount.val());
        }
        // -63..63, moved to 0..126.
        self.overflow.next = (self.expect_enable.val() | self.complete_enable.val()) & (self.sum.val() + 63 > 126);

        self.even_next.next = self.even.val();
        self.odd_next.next = self.odd.val();
        if self.expect_enable.val() | self.complete_enable.val() {
            if self.parity.val() {
                self.odd_next.next = bit_cast::<7, 8>(self.sum.val());
            } else {
                self.even_next.next = bit_cast::<7, 8>(self.sum.val());
            }
        }
        if self.clear_enable.val() {
            self.even_next.next = 0.into();
            self.odd_next.next = 0.into();
        }
        self.counts.write_enable.next = self.write_enable.val()
            & (self.expect_enable.val()
                | self.complete_enable.val()
                | self.clear_enable.val()
                | self.deposit_enable.val());
        self.counts.write_address.next = self.write_key.val();
        self.counts.write_data.next =
            bit_cast::<14, 7>(self.even_next.val()) | (bit_cast::<14, 7>(self.odd_next.val()) << 7);
        if self.deposit_enable.val() {
            self.counts.write_data.next = self.deposit_counts.val();
        }
        self.counts_now.next = self.counts.read_data.val();
        self.zero.next = !self.even_next.val().any();
        if self.phase.val() {
            self.zero.next = !self.odd_next.val().any();
        }
    }
}
