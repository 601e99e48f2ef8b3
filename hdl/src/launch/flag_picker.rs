//! Finds the lowest set flag of a word, and what is left without it: a tree of three levels, each node the first of four.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `flags` | in | 64 | the word |
//! | `found` | out | 1 | a flag is set |
//! | `index` | out | `INDEX_BITS` | which, 0 to 63; meaningless if none is |
//! | `more` | out | 1 | a second flag is set |
//! | `rest` | out | 64 | the word without that flag |
//!
//! **Timing** combinational. **Invariants** 1. `rest` = `flags` & (`flags` - 1), `more` = (`rest` ≠ 0). 2. a flag is `found` if any is set,
//! and `index` is the lowest.
//! **Source** WD-02: index order.

use crate::prelude::*;

block! {
    /// `INDEX_BITS` is at least 6; see the module's page.
    pub struct FlagPicker<const INDEX_BITS: usize> {
        ports {
            /// The word.
            pub flags: Signal<In, Bits<64>>,
            /// A flag is set.
            pub found: Signal<Out, Bit>,
            /// The lowest.
            pub index: Signal<Out, Bits<INDEX_BITS>>,
            /// A second flag is set.
            pub more: Signal<Out, Bit>,
            /// The word without the lowest flag.
            pub rest: Signal<Out, Bits<64>>,
        }
        parts {
            four: [Signal<Local, Bits<4>>; 16] = std::array::from_fn(|_| Signal::default()),
            four_any: [Signal<Local, Bit>; 16] = std::array::from_fn(|_| Signal::default()),
            four_more: [Signal<Local, Bit>; 16] = std::array::from_fn(|_| Signal::default()),
            four_first: [Signal<Local, Bits<INDEX_BITS>>; 16] = std::array::from_fn(|_| Signal::default()),
            sixteen_any: [Signal<Local, Bit>; 4],
            sixteen_more: [Signal<Local, Bit>; 4],
            sixteen_first: [Signal<Local, Bits<INDEX_BITS>>; 4],
            one: Constant<Bits<64>> = Constant::new(bits(1)),
        }
    }
}

impl<const INDEX_BITS: usize> Logic for FlagPicker<INDEX_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..16 {
            self.four[i].next = self.flags.val().get_bits::<4>(4 * i);
        }
        for i in 0..16 {
            self.four_any[i].next = self.four[i].val().any();
            self.four_more[i].next = (self.four[i].val() & (self.four[i].val() - 1)).any();
            self.four_first[i].next = 3.into();
            if self.four[i].val().get_bit(2) {
                self.four_first[i].next = 2.into();
            }
            if self.four[i].val().get_bit(1) {
                self.four_first[i].next = 1.into();
            }
            if self.four[i].val().get_bit(0) {
                self.four_first[i].next = 0.into();
            }
        }
        for i in 0..4 {
            self.sixteen_any[i].next = self.four_any[4 * i].val()
                | self.four_any[4 * i + 1].val()
                | self.four_any[4 * i + 2].val()
                | self.four_any[4 * i + 3].val();
            self.sixteen_more[i].next = self.four_more[4 * i].val()
                | self.four_more[4 * i + 1].val()
                | self.four_more[4 * i + 2].val()
                | self.four_more[4 * i + 3].val()
                | (self.four_any[4 * i].val() & self.four_any[4 * i + 1].val())
                | (self.four_any[4 * i + 2].val() & self.four_any[4 * i + 3].val())
                | ((self.four_any[4 * i].val() | self.four_any[4 * i + 1].val())
                    & (self.four_any[4 * i + 2].val() | self.four_any[4 * i + 3].val()));
            self.sixteen_first[i].next = self.four_first[4 * i + 3].val() | 12;
            if self.four_any[4 * i + 2].val() {
                self.sixteen_first[i].next = self.four_first[4 * i + 2].val() | 8;
            }
            if self.four_any[4 * i + 1].val() {
                self.sixteen_first[i].next = self.four_first[4 * i + 1].val() | 4;
            }
            if self.four_any[4 * i].val() {
                self.sixteen_first[i].next = self.four_first[4 * i].val();
            }
        }
        self.found.next = self.sixteen_any[0].val()
            | self.sixteen_any[1].val()
            | self.sixteen_any[2].val()
            | self.sixteen_any[3].val();
        self.more.next = self.sixteen_more[0].val()
            | self.sixteen_more[1].val()
            | self.sixteen_more[2].val()
            | self.sixteen_more[3].val()
            | (self.sixteen_any[0].val() & self.sixteen_any[1].val())
            | (self.sixteen_any[2].val() & self.sixteen_any[3].val())
            | ((self.sixteen_any[0].val() | self.sixteen_any[1].val())
                & (self.sixteen_any[2].val() | self.sixteen_any[3].val()));
        self.index.next = self.sixteen_first[3].val() | 48;
        if self.sixteen_any[2].val() {
            self.index.next = self.sixteen_first[2].val() | 32;
        }
        if self.sixteen_any[1].val() {
            self.index.next = self.sixteen_first[1].val() | 16;
        }
        if self.sixteen_any[0].val() {
            self.index.next = self.sixteen_first[0].val();
        }
        self.rest.next = self.flags.val() & !(self.one.val() << self.index.val());
    }
}
