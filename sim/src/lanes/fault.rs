//! What a thread can do wrong.

use crate::isa::{Instruction, Space};
use std::fmt;
use thiserror::Error;

/// Who did what where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the CTA in the grid.
    pub cta: u32,
    /// Rank of the thread in its CTA.
    pub rank: u32,
    /// Warp slot.
    pub warp: usize,
    /// Thread of the warp.
    pub thread: usize,
    /// Address of the instruction.
    pub pc: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { cta, rank, warp, thread, pc } = self;
        write!(formatter, "CTA {cta}, thread {rank} (warp {warp}, lane {thread}), PC 0x{pc:x}")
    }
}

/// What a thread did wrong; the kernel is at fault, and the instruction changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaneFault {
    /// An address beyond the end of a memory (SM-08).
    #[error("{place}: `{instruction}` accesses {bytes} bytes of {} memory at 0x{address:x}, which ends at 0x{end:x}", space.name())]
    OutOfBounds {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// Which memory.
        space: Space,
        /// Byte address.
        address: u32,
        /// Size of the access.
        bytes: u32,
        /// Size of the memory.
        end: u32,
    },
    /// An address that is no multiple of the access's size (SM-08).
    #[error("{place}: `{instruction}` accesses {bytes} bytes of {} memory at 0x{address:x}, which is misaligned", space.name())]
    Misaligned {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// Which memory.
        space: Space,
        /// Byte address.
        address: u32,
        /// Size of the access.
        bytes: u32,
    },
    /// A register holds no address of an instruction.
    #[error("{place}: `{instruction}` goes to 0x{target:x}, beyond the 22 bits of an instruction address")]
    Target {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// The value.
        target: u32,
    },
    /// PARAM names a parameter that the kernel does not have.
    #[error(
        "{place}: `{instruction}` reads parameter {index}, but the kernel has {count} (its memory sections included)"
    )]
    Parameter {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// The number.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// A register holds more than a barrier takes.
    #[error("{place}: `{instruction}` has {value} for its {what}, which is {most} at most")]
    Operand {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// Which operand.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The largest value.
        most: u32,
    },
    /// A barrier form on a core without barrier scheduler.
    #[error("{place}: `{instruction}` needs a barrier scheduler, and this core has none")]
    NotExecuted {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
    },
}

impl LaneFault {
    /// Who did what where.
    pub const fn place(&self) -> Place {
        match self {
            LaneFault::OutOfBounds { place, .. }
            | LaneFault::Misaligned { place, .. }
            | LaneFault::Target { place, .. }
            | LaneFault::Parameter { place, .. }
            | LaneFault::Operand { place, .. }
            | LaneFault::NotExecuted { place, .. } => *place,
        }
    }
}
