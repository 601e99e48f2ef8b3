//! How many tokens of each kind each warp holds, spilled ones included. A search for a kind runs only if its count is not zero.
//!
//! A count is kept as two numbers, tokens that entered and tokens that left, because both may change in one
//! cycle and each then needs one write port only.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `push_valid`, `push_warp`, `push_kind` | in | 1, `WARP_BITS`, 4 | a token enters |
//! | `pop_valid`, `pop_warp`, `pop_kind` | in | 1, `WARP_BITS`, 4 | a token leaves |
//! | `query_warp`, `query_kind` | in | `WARP_BITS`, 4 | the count asked for |
//! | `count` | out | 13 | tokens of that kind, less the one that leaves in this cycle |
//! | `clear_enable`, `clear_key` | in | 1, `KEY_BITS` | forget the count of {warp, kind} |
//!
//! **Timing** `count` is combinational; a push shows from the next cycle on, a pop at once (its kind
//! is known a cycle after it was accepted, so the queue already answers without it).
//! **Invariants** 1. `count` = pushes - pops since the last clear.
//! **Source** US 9,459,876, reserved bits that tell which types are below; DQ-04.

use crate::prelude::*;

/// Width of a count: a full window of 256 and a spill area of 4095 tokens fit.
pub const COUNT_BITS: usize = 13;

block! {
    /// `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct TokenCounter<const WARP_BITS: usize, const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// A token enters.
            pub push_valid: Signal<In, Bit>,
            /// Its warp.
            pub push_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub push_kind: Signal<In, Bits<4>>,
            /// A token leaves.
            pub pop_valid: Signal<In, Bit>,
            /// Its warp.
            pub pop_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub pop_kind: Signal<In, Bits<4>>,
            /// The warp whose count is asked for.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The kind whose count is asked for.
            pub query_kind: Signal<In, Bits<4>>,
            /// Tokens of that kind, less the one that leaves in this cycle.
            pub count: Signal<Out, Bits<COUNT_BITS>>,
            /// Forget a count.
            pub clear_enable: Signal<In, Bit>,
            /// Which: warp and kind.
            pub clear_key: Signal<In, Bits<KEY_BITS>>,
        }
        parts {
            entered: RegisterFile<KEY_BITS, COUNT_BITS>,
            entered_query: RegisterFile<KEY_BITS, COUNT_BITS>,
            left: RegisterFile<KEY_BITS, COUNT_BITS>,
            left_query: RegisterFile<KEY_BITS, COUNT_BITS>,
            push_key: Signal<Local, Bits<KEY_BITS>>,
            pop_key: Signal<Local, Bits<KEY_BITS>>,
            query_key: Signal<Local, Bits<KEY_BITS>>,
        }
    }
}

impl<const WARP_BITS: usize, const KEY_BITS: usize> Logic for TokenCounter<WARP_BITS, KEY_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, entered, entered_query, left, left_query);
        self.push_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.push_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.push_kind.val());
        self.pop_key.next =
            (bit_cast::<KEY_BITS, WARP_BITS>(self.pop_warp.val()) << 4) | bit_cast::<KEY_BITS, 4>(self.pop_kind.val());
        self.query_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.query_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.query_kind.val());

        self.entered.read_address.next = self.push_key.val();
        self.entered_query.read_address.next = self.query_key.val();
        self.left.read_address.next = self.pop_key.val();
        self.left_query.read_address.next = self.query_key.val();

        self.entered.write_enable.next = self.push_valid.val() | self.clear_enable.val();
        self.entered.write_address.next = self.push_key.val();
        self.entered.write_data.next = self.entered.read_data.val() + 1;
        self.left.write_enable.next = self.pop_valid.val() | self.clear_enable.val();
        self.left.write_address.next = self.pop_key.val();
        self.left.write_data.next = self.left.read_data.val() + 1;
        if self.clear_enable.val() {
            self.entered.write_address.next = self.clear_key.val();
            self.entered.write_data.next = 0.into();
            self.left.write_address.next = self.clear_key.val();
            self.left.write_data.next = 0.into();
        }
        // The second copies exist for their read ports.
        self.entered_query.write_enable.next = self.entered.write_enable.val();
        self.entered_query.write_address.next = self.entered.write_address.val();
        self.entered_query.write_data.next = self.entered.write_data.val();
        self.left_query.write_enable.next = self.left.write_enable.val();
        self.left_query.write_address.next = self.left.write_address.val();
        self.left_query.write_data.next = self.left.write_data.val();

        self.count.next = self.entered_query.read_data.val() - self.left_query.read_data.val();
        if self.pop_valid.val() & (self.pop_key.val() == self.query_key.val()) {
            self.count.next = self.entered_query.read_data.val() - self.left_query.read_data.val() - 1;
        }
    }
}
