//! The constructs that the stock Verilog of `rust_hdl` translates differently from Rust: ours says what Rust says.

use crate::support;
use heddle_hdl::prelude::*;

block! {
    /// Every row of the table of silent differences, and their neighbours.
    pub struct Differences {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// An operand.
            pub a: Signal<In, Bits<8>>,
            /// An operand.
            pub b: Signal<In, Bits<8>>,
            /// A small operand.
            pub n: Signal<In, Bits<4>>,
            /// A bit.
            pub f: Signal<In, Bit>,
            /// Carry is lost before the cast widens.
            pub sum_widened: Signal<Out, Bits<9>>,
            /// The complement has 8 bits before the cast widens.
            pub not_widened: Signal<Out, Bits<9>>,
            /// The sum wraps before it is compared.
            pub sum_compared: Signal<Out, Bit>,
            /// The sum wraps before it is shifted.
            pub sum_shifted: Signal<Out, Bits<8>>,
            /// And binds tighter than equality in Rust.
            pub masked_equal: Signal<Out, Bit>,
            /// The carry, asked for.
            pub carry: Signal<Out, Bit>,
            /// Low bits of a shift.
            pub shifted_low: Signal<Out, Bits<4>>,
            /// A bit of an expression at a computed place.
            pub expression_bit: Signal<Out, Bit>,
            /// A bit beyond the width is zero.
            pub beyond: Signal<Out, Bit>,
            /// Bits beyond the width are zero.
            pub beyond_bits: Signal<Out, Bits<4>>,
            /// A replaced bit at a computed place.
            pub replaced: Signal<Out, Bits<8>>,
            /// A replaced bit at a fixed place.
            pub replaced_fixed: Signal<Out, Bits<8>>,
            /// Reductions of expressions.
            pub reduced: Signal<Out, Bits<3>>,
            /// Differences wrap.
            pub difference: Signal<Out, Bits<16>>,
            /// Shift by a vector beyond the width.
            pub distant: Signal<Out, Bits<8>>,
            /// Logic of bits.
            pub bitwise: Signal<Out, Bit>,
        }
        parts {
            nothing: Signal<Local, Bits<9>>,
        }
    }
}

impl Logic for Differences {
    #[hdl_gen]
    fn update(&mut self) {
        self.nothing.next = bit_cast::<9, 8>(self.a.val()) + bit_cast::<9, 8>(self.b.val());
        self.sum_widened.next = bit_cast::<9, 8>(self.a.val() + self.b.val());
        self.not_widened.next = bit_cast::<9, 8>(!self.a.val());
        self.sum_compared.next = (self.a.val() + self.b.val()) > 200;
        self.sum_shifted.next = bit_cast::<8, 8>((self.a.val() + self.b.val()) >> 1);
        self.masked_equal.next = self.a.val() & self.b.val() == self.b.val();
        self.carry.next = self.nothing.val().get_bit(8);
        self.shifted_low.next = bit_cast::<4, 8>(self.a.val() >> self.n.val());
        self.expression_bit.next = (self.a.val() ^ self.b.val()).get_bit(self.n.val());
        self.beyond.next = self.a.val().get_bit(self.n.val());
        self.beyond_bits.next = self.a.val().get_bits::<4>(self.n.val());
        self.replaced.next = self.a.val().replace_bit(self.n.val(), self.f.val());
        self.replaced_fixed.next = self.a.val().replace_bit(3, self.f.val());
        self.reduced.next = bit_cast::<3, 1>((self.a.val() & self.b.val()).any().into())
            | (bit_cast::<3, 1>((self.a.val() | self.b.val()).all().into()) << 1)
            | (bit_cast::<3, 1>((self.a.val() ^ self.b.val()).xor().into()) << 2);
        self.difference.next = bit_cast::<16, 8>(self.a.val() - self.b.val() - 1);
        self.distant.next = (self.a.val() << self.n.val()) | (self.b.val() >> 9);
        self.bitwise.next = self.f.val() && !self.a.val().any() || self.n.val() == 3;
    }
}

/// XV-05: every row of the table computes the same in Verilog as in Rust, over corners and noise.
#[test]
fn widths_and_precedence_are_those_of_rust() {
    support::agree("differences", Differences::default(), &support::random::<Differences>(600, 1));
}

/// XV-05: and no tool has anything to say about it.
#[test]
fn the_lint_is_clean() {
    support::lint(&support::modules("differences", &Differences::default()));
}

/// XV-05: the rows' own numbers, so that the table itself is on record.
#[test]
fn the_rows_have_their_values() {
    let row = |a, b| vec![0, a, b, 0, 0];
    let stimulus = vec![vec![1, 0, 0, 0, 0], row(200, 100), row(0xf3, 0x03)];
    let seen =
        support::run_verilog(&support::modules("rows", &Differences::default()), &Differences::ports(), &stimulus);
    assert_eq!(seen[1][..4], [Some(0x02c), Some(0x037), Some(0), Some(0x16)]);
    assert_eq!(seen[2][4], Some(1), "a & b == b compares the masked value");
}
