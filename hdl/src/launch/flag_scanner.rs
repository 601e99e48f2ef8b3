//! Holds a word of flags and hands out the blocks of its set flags, up to `SET` a cycle, lowest first.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `load` | in | 1 | take a word; only with `load_ready` |
//! | `load_ready` | out | 1 | there is no word, or its last flags leave in this cycle |
//! | `load_flags`, `load_fill` | in | 64, 1 | the word; instead of it, all flags set |
//! | `load_low`, `load_high` | in | 6, 6 | first and last of the flags that count |
//! | `occupied` | out | 1 | there is a word |
//! | `set_found` | out | `SET` | places of the set that hold a flag, from 0 up |
//! | `set_index` | out | `INDEX_BITS` | their positions in the word, 6 bits each |
//! | `advance` | in | 1 | the set leaves in this cycle |
//!
//! **Timing** a set a cycle from the cycle after the load on; a word without a flag stays for one cycle. `load_ready` depends on `advance`.
//! **Invariants** 1. each flag within the bounds is handed out once, in ascending order. 2. no position outside of them is.
//! **Source** US 8,413,151, reading the predicates; WD-02, WD-04, WD-05.
//! **See also** [`FlagPicker`].

use super::flag_picker::FlagPicker;
use crate::prelude::*;

block! {
    /// `LINKS` = `SET` + 1, `INDEX_BITS` = 6 × `SET`; see the module's page.
    pub struct FlagScanner<const SET: usize, const LINKS: usize, const INDEX_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Take a word.
            pub load: Signal<In, Bit>,
            /// There is no word, or its last flags leave in this cycle.
            pub load_ready: Signal<Out, Bit>,
            /// The word.
            pub load_flags: Signal<In, Bits<64>>,
            /// All flags are set, whatever the word says.
            pub load_fill: Signal<In, Bit>,
            /// The first flag that counts.
            pub load_low: Signal<In, Bits<6>>,
            /// The last flag that counts.
            pub load_high: Signal<In, Bits<6>>,
            /// There is a word.
            pub occupied: Signal<Out, Bit>,
            /// Places of the set that hold a flag.
            pub set_found: Signal<Out, Bits<SET>>,
            /// Positions of these flags.
            pub set_index: Signal<Out, Bits<INDEX_BITS>>,
            /// The set leaves in this cycle.
            pub advance: Signal<In, Bit>,
        }
        parts {
            valid: Register<Bit>,
            flags: Register<Bits<64>> = Register::new(!bits::<64>(0)),
            groups_open: Register<Bits<8>>,
            group_present: Register<Bits<8>>,
            places_open: Register<Bits<8>>,
            group_last: Register<Bits<8>>,
            places_last: Register<Bits<8>>,
            picker: [FlagPicker<INDEX_BITS>; SET] = std::array::from_fn(|_| FlagPicker::default()),
            masks: [Signal<Local, Bits<8>>; 8],
            bounds: [Signal<Local, Bits<8>>; 8],
            kept: [Signal<Local, Bits<8>>; 8],
            offered: [Signal<Local, Bits<64>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            found: [Signal<Local, Bits<SET>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            index: [Signal<Local, Bits<INDEX_BITS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            taken: Signal<Local, Bits<INDEX_BITS>>,
            taken_group: Signal<Local, Bits<3>>,
            taken_place: Signal<Local, Bits<3>>,
            more: Signal<Local, Bit>,
            low_group: Signal<Local, Bits<3>>,
            high_group: Signal<Local, Bits<3>>,
            low_place: Signal<Local, Bits<3>>,
            high_place: Signal<Local, Bits<3>>,
            one: Constant<Bits<8>> = Constant::new(bits(1)),
            all: Constant<Bits<8>> = Constant::new(bits(0xff)),
            offset: [Constant<Bits<5>>; SET] = std::array::from_fn(|at| Constant::new(bits(6 * at as u64))),
        }
    }
}

impl<const SET: usize, const LINKS: usize, const INDEX_BITS: usize> Logic for FlagScanner<SET, LINKS, INDEX_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, flags, groups_open, group_present, places_open, group_last, places_last);

        // The flags that are left: all of the groups still open, some of the present group, some of the last one.
        for i in 0..8 {
            self.masks[i].next = 0.into();
            if self.group_present.q.val().get_bit(i) {
                self.masks[i].next = self.places_open.q.val();
            }
            if self.groups_open.q.val().get_bit(i) {
                self.masks[i].next = self.all.val();
            }
            self.bounds[i].next = self.all.val();
            if self.group_last.q.val().get_bit(i) {
                self.bounds[i].next = self.places_last.q.val();
            }
        }
        for i in 0..8 {
            self.kept[i].next = self.flags.q.val().get_bits::<8>(8 * i) & self.masks[i].val() & self.bounds[i].val();
        }
        self.offered[0].next = bit_cast::<64, 8>(self.kept[0].val())
            | (bit_cast::<64, 8>(self.kept[1].val()) << 8)
            | (bit_cast::<64, 8>(self.kept[2].val()) << 16)
            | (bit_cast::<64, 8>(self.kept[3].val()) << 24)
            | (bit_cast::<64, 8>(self.kept[4].val()) << 32)
            | (bit_cast::<64, 8>(self.kept[5].val()) << 40)
            | (bit_cast::<64, 8>(self.kept[6].val()) << 48)
            | (bit_cast::<64, 8>(self.kept[7].val()) << 56);

        // The set: each place picks from what the one before left.
        self.found[0].next = 0.into();
        self.index[0].next = 0.into();
        self.taken.next = 0.into();
        for i in 0..SET {
            self.picker[i].flags.next = self.offered[i].val();
            self.offered[i + 1].next = self.picker[i].rest.val();
            self.found[i + 1].next = self.found[i].val().replace_bit(i, self.picker[i].found.val());
            self.index[i + 1].next = self.index[i].val() | (self.picker[i].index.val() << self.offset[i].val());
            if self.picker[i].found.val() {
                self.taken.next = self.picker[i].index.val();
            }
        }
        // What the last place says stands.
        for i in 0..SET {
            self.more.next = self.picker[i].more.val();
            self.set_found.next = self.found[i + 1].val();
            self.set_index.next = self.index[i + 1].val();
        }
        self.taken_group.next = self.taken.val().get_bits::<3>(3);
        self.taken_place.next = self.taken.val().get_bits::<3>(0);
        if !self.valid.q.val() {
            self.set_found.next = 0.into();
        }
        self.occupied.next = self.valid.q.val();
        self.load_ready.next = !self.valid.q.val() | (self.advance.val() & !self.more.val());

        // Where the next word opens and ends.
        self.low_group.next = self.load_low.val().get_bits::<3>(3);
        self.low_place.next = self.load_low.val().get_bits::<3>(0);
        self.high_group.next = self.load_high.val().get_bits::<3>(3);
        self.high_place.next = self.load_high.val().get_bits::<3>(0);

        if self.advance.val() {
            self.valid.d.next = self.valid.q.val() & self.more.val();
            self.group_present.d.next = self.one.val() << self.taken_group.val();
            self.groups_open.d.next = self.groups_open.q.val() & ((self.all.val() << self.taken_group.val()) << 1);
            self.places_open.d.next = (self.all.val() << self.taken_place.val()) << 1;
        }
        if self.load.val() {
            self.valid.d.next = true;
            self.flags.d.next = self.load_flags.val();
            self.group_present.d.next = self.one.val() << self.low_group.val();
            self.places_open.d.next = self.all.val() << self.low_place.val();
            self.groups_open.d.next =
                ((self.all.val() << self.low_group.val()) << 1) & !((self.all.val() << self.high_group.val()) << 1);
            self.group_last.d.next = self.one.val() << self.high_group.val();
            self.places_last.d.next = !((self.all.val() << self.high_place.val()) << 1);
        }
        if self.load.val() & self.load_fill.val() {
            self.flags.d.next = !bits::<64>(0);
        }
    }
}
