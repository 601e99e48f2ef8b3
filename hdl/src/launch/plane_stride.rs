//! How many words of the flag table lie between two planes: words of a row times rows, multiplied a bit a cycle.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `start_rows` | in | 1, 16 | begin with this many rows |
//! | `row_words` | in | 11 | words of a row; stable from the cycle after `start` on |
//! | `stride` | out | 26 | the product, once `busy` is low |
//! | `busy` | out | 1 | it is being computed |
//!
//! **Timing** busy for 16 cycles after `start`, which may come at any time. Only a step between two planes of a cluster needs the product.
//! **Invariants** 1. after 16 cycles `stride` = `row_words` × `start_rows`.
//! **Source** WD-05: the words of a table lie row after row.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct PlaneStride {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Begin.
            pub start: Signal<In, Bit>,
            /// Rows of a plane.
            pub start_rows: Signal<In, Bits<16>>,
            /// Words of a row.
            pub row_words: Signal<In, Bits<11>>,
            /// Words of a plane.
            pub stride: Signal<Out, Bits<26>>,
            /// They are being computed.
            pub busy: Signal<Out, Bit>,
        }
        parts {
            high: Register<Bits<11>>,
            low: Register<Bits<16>>,
            left: Register<Bits<5>>,
            sum: Signal<Local, Bits<12>>,
        }
    }
}

impl Logic for PlaneStride {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, high, low, left);

        self.busy.next = self.left.q.val().any();
        self.sum.next = bit_cast::<12, 11>(self.high.q.val());
        if self.low.q.val().get_bit(0) {
            self.sum.next = bit_cast::<12, 11>(self.high.q.val()) + bit_cast::<12, 11>(self.row_words.val());
        }
        // The factor's bits leave the low half at one end while the product's enter at the other.
        if self.left.q.val().any() {
            self.high.d.next = bit_cast::<11, 12>(self.sum.val() >> 1);
            self.low.d.next = (self.low.q.val() >> 1) | (bit_cast::<16, 1>(bit_cast::<1, 12>(self.sum.val())) << 15);
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.start.val() {
            self.high.d.next = 0.into();
            self.low.d.next = self.start_rows.val();
            self.left.d.next = 16.into();
        }
        self.stride.next = bit_cast::<26, 16>(self.low.q.val()) | (bit_cast::<26, 11>(self.high.q.val()) << 16);
    }
}
