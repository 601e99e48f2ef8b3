//! Sets of threads: those of a warp, and those of a group of warps side by side.

use crate::engine::Mask;
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of threads.
pub trait ThreadSet:
    Copy
    + Default
    + Eq
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
{
    /// How many threads are in it.
    fn count(self) -> usize;

    /// Whether nobody is.
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl ThreadSet for Mask {
    fn count(self) -> usize {
        self.count_ones() as usize
    }
}

/// Positions of a group.
pub const POSITIONS: usize = 8;

/// Threads of a group of warps: a mask for each position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupSet(pub [Mask; POSITIONS]);

impl GroupSet {
    /// Threads of one position alone.
    pub fn at(position: usize, mask: Mask) -> Self {
        let mut set = Self::default();
        set.0[position] = mask;
        set
    }
}

impl BitAnd for GroupSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|position| self.0[position] & other.0[position]))
    }
}

impl BitOr for GroupSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|position| self.0[position] | other.0[position]))
    }
}

impl Not for GroupSet {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0.map(|mask| !mask))
    }
}

impl BitAndAssign for GroupSet {
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for GroupSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl ThreadSet for GroupSet {
    fn count(self) -> usize {
        self.0.iter().map(|mask| mask.count()).sum()
    }
}
