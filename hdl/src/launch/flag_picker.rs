//! Finds the lowest set flag of a word, and what is left without it: eight groups of eight, then eight flags.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `flags` | in | 64 | the word |
//! | `found` | out | 1 | a flag is set |
//! | `index` | out | `INDEX_BITS` | which, 0 to 63; meaningless if none is |
//! | `group`, `place` | out | 8, 8 | the same, one bit each for its group of eight and for its place there |
//! | `more` | out | 1 | a second flag is set |
//! | `rest` | out | 64 | the word without that flag |
//!
//! **Timing** combinational. **Invariants** 1. `rest` = `flags` & (`flags` - 1), `more` = (`rest` ≠ 0).
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
            /// Its group of eight, one bit each.
            pub group: Signal<Out, Bits<8>>,
            /// Its place in the group, one bit each.
            pub place: Signal<Out, Bits<8>>,
            /// A second flag is set.
            pub more: Signal<Out, Bit>,
            /// The word without the lowest flag.
            pub rest: Signal<Out, Bits<64>>,
        }
        parts {
            any: [Signal<Local, Bit>; 8],
            twice: [Signal<Local, Bit>; 8],
            octet: [Signal<Local, Bits<8>>; 8],
            left: [Signal<Local, Bits<8>>; 8],
            groups: Signal<Local, Bits<8>>,
            flags_in: Signal<Local, Bits<8>>,
            group_two: Signal<Local, Bits<8>>,
            group_four: Signal<Local, Bits<8>>,
            group_below: Signal<Local, Bits<8>>,
            place_two: Signal<Local, Bits<8>>,
            place_four: Signal<Local, Bits<8>>,
            place_below: Signal<Local, Bits<8>>,
            odd: Constant<Bits<8>> = Constant::new(bits(0xaa)),
            pairs: Constant<Bits<8>> = Constant::new(bits(0xcc)),
            upper: Constant<Bits<8>> = Constant::new(bits(0xf0)),
        }
    }
}

impl<const INDEX_BITS: usize> Logic for FlagPicker<INDEX_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        // Which groups hold a flag, and the first of them.
        for i in 0..8 {
            self.any[i].next = self.flags.val().get_bits::<8>(8 * i).any();
            self.twice[i].next =
                (self.flags.val().get_bits::<8>(8 * i) & (self.flags.val().get_bits::<8>(8 * i) - 1)).any();
        }
        self.groups.next = bit_cast::<8, 1>(self.any[0].val().into())
            | (bit_cast::<8, 1>(self.any[1].val().into()) << 1)
            | (bit_cast::<8, 1>(self.any[2].val().into()) << 2)
            | (bit_cast::<8, 1>(self.any[3].val().into()) << 3)
            | (bit_cast::<8, 1>(self.any[4].val().into()) << 4)
            | (bit_cast::<8, 1>(self.any[5].val().into()) << 5)
            | (bit_cast::<8, 1>(self.any[6].val().into()) << 6)
            | (bit_cast::<8, 1>(self.any[7].val().into()) << 7);
        self.group_two.next = self.groups.val() | (self.groups.val() << 1);
        self.group_four.next = self.group_two.val() | (self.group_two.val() << 2);
        self.group_below.next = (self.group_four.val() | (self.group_four.val() << 4)) << 1;
        self.group.next = self.groups.val() & !self.group_below.val();

        // The flags of that group, and the first of them.
        for i in 0..8 {
            self.octet[i].next = 0.into();
            self.left[i].next = self.flags.val().get_bits::<8>(8 * i);
            if self.group.val().get_bit(i) {
                self.octet[i].next = self.flags.val().get_bits::<8>(8 * i);
                self.left[i].next = self.flags.val().get_bits::<8>(8 * i) & !self.place.val();
            }
        }
        self.flags_in.next = self.octet[0].val()
            | self.octet[1].val()
            | self.octet[2].val()
            | self.octet[3].val()
            | self.octet[4].val()
            | self.octet[5].val()
            | self.octet[6].val()
            | self.octet[7].val();
        self.place_two.next = self.flags_in.val() | (self.flags_in.val() << 1);
        self.place_four.next = self.place_two.val() | (self.place_two.val() << 2);
        self.place_below.next = (self.place_four.val() | (self.place_four.val() << 4)) << 1;
        self.place.next = self.flags_in.val() & !self.place_below.val();

        self.found.next = self.groups.val().any();
        // Two flags in a group or in two groups: that is known before the first one is.
        self.more.next = (self.groups.val() & self.group_below.val()).any()
            | self.twice[0].val()
            | self.twice[1].val()
            | self.twice[2].val()
            | self.twice[3].val()
            | self.twice[4].val()
            | self.twice[5].val()
            | self.twice[6].val()
            | self.twice[7].val();
        self.index.next = bit_cast::<INDEX_BITS, 1>((self.place.val() & self.odd.val()).any().into())
            | (bit_cast::<INDEX_BITS, 1>((self.place.val() & self.pairs.val()).any().into()) << 1)
            | (bit_cast::<INDEX_BITS, 1>((self.place.val() & self.upper.val()).any().into()) << 2)
            | (bit_cast::<INDEX_BITS, 1>((self.group.val() & self.odd.val()).any().into()) << 3)
            | (bit_cast::<INDEX_BITS, 1>((self.group.val() & self.pairs.val()).any().into()) << 4)
            | (bit_cast::<INDEX_BITS, 1>((self.group.val() & self.upper.val()).any().into()) << 5);

        // The word without it.
        self.rest.next = bit_cast::<64, 8>(self.left[0].val())
            | (bit_cast::<64, 8>(self.left[1].val()) << 8)
            | (bit_cast::<64, 8>(self.left[2].val()) << 16)
            | (bit_cast::<64, 8>(self.left[3].val()) << 24)
            | (bit_cast::<64, 8>(self.left[4].val()) << 32)
            | (bit_cast::<64, 8>(self.left[5].val()) << 40)
            | (bit_cast::<64, 8>(self.left[6].val()) << 48)
            | (bit_cast::<64, 8>(self.left[7].val()) << 56);
    }
}
