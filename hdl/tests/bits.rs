//! The vector of the kernels computes what `rust_hdl`'s own does.

use heddle_hdl::prelude::*;
use proptest::prelude::*;

proptest! {
    /// Every operator computes what `rust_hdl`'s own vector computes, at a narrow and a wide width.
    #[test]
    fn agrees_with_rust_hdl(a: u64, b: u64, shift in 0_u64..11, index in 0_usize..11) {
        use rust_hdl::core::prelude as original;
        let (x, y) = (bits::<11>(a), bits::<11>(b));
        let (p, q) = (original::Bits::<11>::from(a & 0x7ff), original::Bits::<11>::from(b & 0x7ff));
        let same = |mine: Bits<11>, theirs: original::Bits<11>| mine.value() as u64 == theirs.to_u64();
        prop_assert!(same(x + y, p + q) && same(x - y, p - q) && same(!x, !p));
        prop_assert!(same(x & y, p & q) && same(x | y, p | q) && same(x ^ y, p ^ q));
        prop_assert!(same(x << shift, p << shift) && same(x >> shift, p >> shift));
        prop_assert_eq!((x < y, x == y, x.any(), x.all(), x.xor()), (p < q, p == q, p.any(), p.all(), p.xor()));
        prop_assert_eq!(x.get_bit(index), p.get_bit(index));
        prop_assert!(same(x.replace_bit(index, true), p.replace_bit(index, true)));
        prop_assert_eq!(x.get_bits::<3>(index).value() as u64, p.get_bits::<3>(index).to_u64());
        prop_assert_eq!(bit_cast::<5, 11>(x).value() as u64, original::bit_cast::<5, 11>(p).to_u64());
        prop_assert_eq!(bit_cast::<40, 11>(x).value() as u64, original::bit_cast::<40, 11>(p).to_u64());
    }
}

/// Beyond the width there is zero, never a panic: the exported Verilog has no panics either.
#[test]
fn indices_beyond_the_width_give_zero() {
    let x = bits::<4>(0xf);
    assert!(!x.get_bit(200_usize) && x.get_bits::<8>(3_usize) == 1 && !(x << 200).any() && !(x >> 200).any());
    assert_eq!(x.replace_bit(9_usize, true), x);
}
