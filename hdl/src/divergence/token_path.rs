//! The one path that tokens take through the queue: from the window, the memory or software to the window or the memory. What
//! comes from a port enters on the way; what goes back can take threads along. The token of a YIELD that passes an empty queue is kept to be shown.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `push_kind`, `push_mask`, `push_address` | in | 4, `THREADS`, `ADDRESS_BITS` | the token at the push port |
//! | `operation_kind`, `operation_mask`, `operation_address` | in | 4, `THREADS`, `ADDRESS_BITS` | the token at the operation port |
//! | `enter_summary` | in | 4 | what the token that enters remembers of those behind it |
//! | `stored`, `answer`, `software_data` | in | `TOKEN_BITS` ×3 | the window's, the memory's and software's token |
//! | `show_memory`, `show_software` | in | 1, 1 | which of them is shown |
//! | `pass` | in | 1 | the operation's threads and address are shown in the next cycle, as a yield token with nothing behind it |
//! | `kind`, `mask`, `address`, `summary` | out | 4, `THREADS`, `ADDRESS_BITS`, 4 | the shown token |
//! | `replace`, `merge` | in | 1, 1 | the operation's token replaces the shown one; the operation's threads are part of what moves |
//! | `from_push` | in | 1 | the push port's token moves instead |
//! | `moved` | out | `TOKEN_BITS` | the token that moves, packed: to the window or to the memory |
//!
//! **Timing** combinational, but for `pass`. In the cycle behind it neither the memory's nor software's token is shown.
//! **Invariants** 1. packing is the one of `Token64` and `Token128` (DQ-01, DQ-02), reserved bits zero.
//! **Source** US 9,459,876, the token format.

use super::token::Kind;
use crate::prelude::*;

block! {
    /// The identifier takes what 64 or 128 bits leave: 4 or 8 bits; see the module's page.
    pub struct TokenPath<const THREADS: usize, const ADDRESS_BITS: usize, const TOKEN_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Kind of the token at the push port.
            pub push_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub push_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub push_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Kind of the token at the operation port.
            pub operation_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub operation_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub operation_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Summary of the token that enters.
            pub enter_summary: Signal<In, Bits<4>>,
            /// What the window's read port shows.
            pub stored: Signal<In, Bits<TOKEN_BITS>>,
            /// What the memory answers.
            pub answer: Signal<In, Bits<TOKEN_BITS>>,
            /// What software writes.
            pub software_data: Signal<In, Bits<TOKEN_BITS>>,
            /// Show the memory's token.
            pub show_memory: Signal<In, Bit>,
            /// Show software's token.
            pub show_software: Signal<In, Bit>,
            /// Show the operation's token in the next cycle: a yield token.
            pub pass: Signal<In, Bit>,
            /// Kind of the shown token.
            pub kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its summary.
            pub summary: Signal<Out, Bits<4>>,
            /// The operation's token replaces the shown one.
            pub replace: Signal<In, Bit>,
            /// The operation's threads are part of what moves.
            pub merge: Signal<In, Bit>,
            /// The push port's token moves.
            pub from_push: Signal<In, Bit>,
            /// The token that moves, packed.
            pub moved: Signal<Out, Bits<TOKEN_BITS>>,
        }
        parts {
            passed_mask: Register<Bits<THREADS>>,
            passed_address: Register<Bits<ADDRESS_BITS>>,
            show_passed: Register<Bit>,
            passed: Signal<Local, Bits<TOKEN_BITS>>,
            second: Signal<Local, Bit>,
            last: Signal<Local, Bit>,
            shown: Signal<Local, Bits<TOKEN_BITS>>,
            moved_kind: Signal<Local, Bits<4>>,
            kept_mask: Signal<Local, Bits<THREADS>>,
            added_mask: Signal<Local, Bits<THREADS>>,
            moved_address: Signal<Local, Bits<ADDRESS_BITS>>,
            moved_summary: Signal<Local, Bits<4>>,
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
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
        dff_setup!(self, clock, passed_mask, passed_address, show_passed);
        self.show_passed.d.next = self.pass.val();
        if self.pass.val() {
            self.passed_mask.d.next = self.operation_mask.val();
            self.passed_address.d.next = self.operation_address.val();
        }
        self.passed.next = bit_cast::<TOKEN_BITS, 4>(self.kind_yield.val())
            | (bit_cast::<TOKEN_BITS, THREADS>(self.passed_mask.q.val()) << self.mask_offset.val())
            | (bit_cast::<TOKEN_BITS, ADDRESS_BITS>(self.passed_address.q.val()) << self.address_offset.val());

        // At most one of the three is asked for, so two bits choose among four tokens.
        self.second.next = self.show_memory.val() | self.show_passed.q.val();
        self.last.next = self.show_software.val() | self.show_passed.q.val();
        self.shown.next = self.stored.val();
        if self.last.val() {
            self.shown.next = self.software_data.val();
            if self.second.val() {
                self.shown.next = self.passed.val();
            }
        } else if self.second.val() {
            self.shown.next = self.answer.val();
        }
        self.kind.next = self.shown.val().get_bits::<4>(0);
        self.mask.next = self.shown.val().get_bits::<THREADS>(self.mask_offset.val());
        self.address.next = self.shown.val().get_bits::<ADDRESS_BITS>(self.address_offset.val());
        self.summary.next = self.shown.val().get_bits::<4>(self.summary_offset.val());

        self.moved_kind.next = self.kind.val();
        self.kept_mask.next = self.mask.val();
        self.moved_address.next = self.address.val();
        self.moved_summary.next = self.summary.val();
        if self.replace.val() {
            self.moved_kind.next = self.operation_kind.val();
            self.kept_mask.next = 0.into();
            self.moved_address.next = self.operation_address.val();
            self.moved_summary.next = self.enter_summary.val();
        }
        self.added_mask.next = 0.into();
        if self.merge.val() {
            self.added_mask.next = self.operation_mask.val();
        }
        if self.from_push.val() {
            self.moved_kind.next = self.push_kind.val();
            self.kept_mask.next = self.push_mask.val();
            self.added_mask.next = 0.into();
            self.moved_address.next = self.push_address.val();
            self.moved_summary.next = self.enter_summary.val();
        }
        self.moved.next = bit_cast::<TOKEN_BITS, 4>(self.moved_kind.val())
            | (bit_cast::<TOKEN_BITS, THREADS>(self.kept_mask.val() | self.added_mask.val()) << self.mask_offset.val())
            | (bit_cast::<TOKEN_BITS, ADDRESS_BITS>(self.moved_address.val()) << self.address_offset.val())
            | (bit_cast::<TOKEN_BITS, 4>(self.moved_summary.val()) << self.summary_offset.val());
    }
}
