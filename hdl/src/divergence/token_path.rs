//! The one path that tokens take through the queue: packs the token that enters, shows the one that was read (from the window or from
//! the spill memory), and merges a mask into it on its way back.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_kind`, `enter_mask`, `enter_address`, `enter_summary` | in | 4, `THREADS`, `ADDRESS_BITS`, 4 | a token that enters |
//! | `entering` | out | `TOKEN_BITS` | it, packed |
//! | `stored`, `answer`, `show_memory` | in | `TOKEN_BITS` ×2, 1 | window's and memory's token, and which one is shown |
//! | `merge_enable`, `merge_mask` | in | 1, `THREADS` | threads to add to the shown token |
//! | `moved` | out | `TOKEN_BITS` | the shown token, merged, packed |
//! | `kind`, `mask`, `address`, `summary` | out | 4, `THREADS`, `ADDRESS_BITS`, 4 | the shown token, as it was |
//!
//! **Timing** combinational.
//! **Invariants** 1. packing is the one of `Token64` and `Token128` (DQ-01, DQ-02), reserved bits zero.
//! **Source** US 9,459,876, the token format.

use crate::prelude::*;

block! {
    /// The identifier takes what 64 or 128 bits leave: 4 or 8 bits; see the module's page.
    pub struct TokenPath<const THREADS: usize, const ADDRESS_BITS: usize, const TOKEN_BITS: usize> {
        ports {
            /// Kind of the token that enters.
            pub enter_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub enter_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub enter_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its summary.
            pub enter_summary: Signal<In, Bits<4>>,
            /// The token that enters, packed.
            pub entering: Signal<Out, Bits<TOKEN_BITS>>,
            /// What the window's read port shows.
            pub stored: Signal<In, Bits<TOKEN_BITS>>,
            /// What the memory answers.
            pub answer: Signal<In, Bits<TOKEN_BITS>>,
            /// Show the memory's token.
            pub show_memory: Signal<In, Bit>,
            /// Add threads to the shown token.
            pub merge_enable: Signal<In, Bit>,
            /// Which.
            pub merge_mask: Signal<In, Bits<THREADS>>,
            /// The shown token, merged, packed.
            pub moved: Signal<Out, Bits<TOKEN_BITS>>,
            /// Kind of the shown token.
            pub kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its summary.
            pub summary: Signal<Out, Bits<4>>,
        }
        parts {
            shown: Signal<Local, Bits<TOKEN_BITS>>,
            merged: Signal<Local, Bits<THREADS>>,
            mask_offset: Constant<Bits<8>> = Constant::new(bits(mask_offset(TOKEN_BITS))),
            address_offset: Constant<Bits<8>> = Constant::new(bits(mask_offset(TOKEN_BITS) + THREADS as u64)),
            summary_offset: Constant<Bits<8>> =
                Constant::new(bits(mask_offset(TOKEN_BITS) + (THREADS + ADDRESS_BITS) as u64)),
        }
    }
}

/// Width of the identifier: 4 bits in the 64-bit token, 8 in the 128-bit one.
const fn mask_offset(token_bits: usize) -> u64 {
    if token_bits > 64 {
        8
    } else {
        4
    }
}

impl<const THREADS: usize, const ADDRESS_BITS: usize, const TOKEN_BITS: usize> Logic
    for TokenPath<THREADS, ADDRESS_BITS, TOKEN_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.entering.next = bit_cast::<TOKEN_BITS, 4>(self.enter_kind.val())
            | (bit_cast::<TOKEN_BITS, THREADS>(self.enter_mask.val()) << self.mask_offset.val())
            | (bit_cast::<TOKEN_BITS, ADDRESS_BITS>(self.enter_address.val()) << self.address_offset.val())
            | (bit_cast::<TOKEN_BITS, 4>(self.enter_summary.val()) << self.summary_offset.val());

        self.shown.next = self.stored.val();
        if self.show_memory.val() {
            self.shown.next = self.answer.val();
        }
        self.kind.next = self.shown.val().get_bits::<4>(0);
        self.mask.next = self.shown.val().get_bits::<THREADS>(self.mask_offset.val());
        self.address.next = self.shown.val().get_bits::<ADDRESS_BITS>(self.address_offset.val());
        self.summary.next = self.shown.val().get_bits::<4>(self.summary_offset.val());

        self.merged.next = self.mask.val();
        if self.merge_enable.val() {
            self.merged.next = self.mask.val() | self.merge_mask.val();
        }
        self.moved.next = bit_cast::<TOKEN_BITS, 4>(self.kind.val())
            | (bit_cast::<TOKEN_BITS, THREADS>(self.merged.val()) << self.mask_offset.val())
            | (bit_cast::<TOKEN_BITS, ADDRESS_BITS>(self.address.val()) << self.address_offset.val())
            | (bit_cast::<TOKEN_BITS, 4>(self.summary.val()) << self.summary_offset.val());
    }
}
