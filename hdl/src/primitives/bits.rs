//! A bit vector of 1 to 128 bits whose simulation is one machine word operation.
//!
//! `rust_hdl`'s own vector is an array of `bool` beyond 32 bits, and an `enum` of both forms below; a 64-bit
//! mask costs a loop for each operator there. This one is a masked `u128`, so that every mask, address and token
//! of Heddle simulates at the same speed, and it never panics: an index or a shift beyond the
//! width gives zero, as the exported Verilog does. `hdl_gen` knows no types, only spellings, so
//! kernels read exactly as they would with the original (`bits`, `bit_cast`, `get_bits`, …).

use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::prelude::{Synth, TypeDescriptor, TypeKind, VCDValue};
use std::cmp::Ordering;
use std::fmt;

/// `N` bits, 1 ≤ `N` ≤ 128, unsigned; every operator wraps to `N` bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bits<const N: usize>(u128);

/// The all-ones value of `N` bits.
const fn all_ones(width: usize) -> u128 {
    assert!(width >= 1 && width <= 128, "a Bits is 1 to 128 bits wide");
    u128::MAX >> (128 - width)
}

/// `value`, truncated to `N` bits: the way to write a constant in a kernel.
pub const fn bits<const N: usize>(value: u64) -> Bits<N> {
    Bits::new(value as u128)
}

/// `value` zero-extended or truncated from `N` to `M` bits. Its name is what `hdl_gen` recognises.
pub const fn bit_cast<const M: usize, const N: usize>(value: Bits<N>) -> Bits<M> {
    Bits::new(value.0)
}

impl<const N: usize> Bits<N> {
    const MASK: u128 = all_ones(N);

    /// `value`, truncated to `N` bits.
    pub const fn new(value: u128) -> Self {
        Bits(value & Self::MASK)
    }

    /// The value as an integer.
    pub const fn value(self) -> u128 {
        self.0
    }

    /// The value as a table index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// At least one bit is set (Verilog's reduction `|`).
    pub const fn any(&self) -> bool {
        self.0 != 0
    }

    /// Every bit is set (Verilog's reduction `&`).
    pub const fn all(&self) -> bool {
        self.0 == Self::MASK
    }

    /// An odd number of bits is set (Verilog's reduction `^`).
    pub const fn xor(&self) -> bool {
        self.0.count_ones() % 2 == 1
    }

    /// Bit `index`, or 0 beyond the width.
    pub fn get_bit(&self, index: impl BitIndex) -> bool {
        let index = index.position();
        index < N && (self.0 >> index) & 1 == 1
    }

    /// Bits `offset + M - 1 : offset`, zero beyond the width.
    pub fn get_bits<const M: usize>(&self, offset: impl BitIndex) -> Bits<M> {
        let offset = offset.position();
        Bits::new(if offset < 128 { self.0 >> offset } else { 0 })
    }

    /// This vector with bit `index` replaced; unchanged if `index` is beyond the width.
    pub fn replace_bit(&self, index: impl BitIndex, value: bool) -> Self {
        let index = index.position();
        if index >= N {
            return *self;
        }
        Bits(self.0 & !(1 << index) | (u128::from(value) << index))
    }
}

/// What may select a bit: an integer, or another vector.
pub trait BitIndex {
    /// The selected position.
    fn position(self) -> usize;
}

impl BitIndex for usize {
    fn position(self) -> usize {
        self
    }
}

impl<const N: usize> BitIndex for Bits<N> {
    fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Integers as vectors, for the code that `LogicState` derives.
pub trait ToBits {
    /// `self`, truncated to `N` bits.
    fn to_bits<const N: usize>(self) -> Bits<N>;
}

impl ToBits for usize {
    fn to_bits<const N: usize>(self) -> Bits<N> {
        Bits::new(self as u128)
    }
}

impl<const N: usize> From<u64> for Bits<N> {
    fn from(value: u64) -> Self {
        Bits::new(u128::from(value))
    }
}

impl From<bool> for Bits<1> {
    fn from(value: bool) -> Self {
        Bits(u128::from(value))
    }
}

impl<const N: usize> std::ops::Not for Bits<N> {
    type Output = Self;
    fn not(self) -> Self {
        Bits(!self.0 & Self::MASK)
    }
}

/// A binary operator on two vectors of one width, or a vector and a literal.
macro_rules! operator {
    ($trait:ident, $method:ident, $function:expr) => {
        impl<const N: usize> std::ops::$trait for Bits<N> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::new($function(self.0, other.0))
            }
        }
        impl<const N: usize> std::ops::$trait<u64> for Bits<N> {
            type Output = Self;
            fn $method(self, other: u64) -> Self {
                Self::new($function(self.0, u128::from(other)))
            }
        }
        impl<const N: usize> std::ops::$trait<Bits<N>> for u64 {
            type Output = Bits<N>;
            fn $method(self, other: Bits<N>) -> Bits<N> {
                Bits::new($function(u128::from(self), other.0))
            }
        }
    };
}

operator!(Add, add, u128::wrapping_add);
operator!(Sub, sub, u128::wrapping_sub);
operator!(BitAnd, bitand, |a: u128, b: u128| a & b);
operator!(BitOr, bitor, |a: u128, b: u128| a | b);
operator!(BitXor, bitxor, |a: u128, b: u128| a ^ b);

/// A shift by a literal or by a vector of any width.
macro_rules! shift {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl<const N: usize> std::ops::$trait<u64> for Bits<N> {
            type Output = Self;
            fn $method(self, distance: u64) -> Self {
                let distance = u32::try_from(distance).unwrap_or(u32::MAX);
                Self::new(self.0.$checked(distance).unwrap_or(0))
            }
        }
        impl<const N: usize, const M: usize> std::ops::$trait<Bits<M>> for Bits<N> {
            type Output = Self;
            fn $method(self, distance: Bits<M>) -> Self {
                std::ops::$trait::$method(self, u64::try_from(distance.0).unwrap_or(u64::MAX))
            }
        }
    };
}

shift!(Shl, shl, checked_shl);
shift!(Shr, shr, checked_shr);

impl<const N: usize> PartialOrd for Bits<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.0.cmp(&other.0))
    }
}

impl<const N: usize> PartialEq<u64> for Bits<N> {
    fn eq(&self, other: &u64) -> bool {
        self.0 == u128::from(*other) & Self::MASK
    }
}

impl<const N: usize> PartialOrd<u64> for Bits<N> {
    fn partial_cmp(&self, other: &u64) -> Option<Ordering> {
        Some(self.0.cmp(&(u128::from(*other) & Self::MASK)))
    }
}

impl<const N: usize> fmt::Debug for Bits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N}'h{:x}", self.0)
    }
}

impl<const N: usize> Synth for Bits<N> {
    const BITS: usize = N;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("Bits::<{N}>"), kind: TypeKind::Bits(N) }
    }

    fn vcd(self) -> VCDValue {
        VCDValue::Vector((0..N).rev().map(|i| self.get_bit(i).into()).collect())
    }

    fn verilog(self) -> VerilogLiteral {
        rust_hdl::core::prelude::ToBits::to_bits::<N>(self.0).into()
    }
}
