//! The encoding of instructions, as far as hardware decodes it: field positions and the control opcodes (IS-01, IS-02).
//!
//! An instruction is 64 bits; 8 of them fill a cache line of 512 bits. Every form uses the same fields:
//!
//! | bits | field | meaning |
//! | --- | --- | --- |
//! | 63:56 | [`OPCODE`] | control opcodes are below [`FIRST_DATA_OPCODE`], so bits 63:62 = 0 say "control" |
//! | 55 | [`GUARD_NEGATE`] | the threads whose predicate is false run the instruction |
//! | 54:52 | [`GUARD`] | predicate P0 to P6, or 7: PT, always true |
//! | 51:46 | [`DESTINATION`] | register written (63: none); predicate written, in bits 48:46; barrier id, in bits 48:46 |
//! | 45:40 | [`SOURCE_A`] | first register read |
//! | 39:34 | [`SOURCE_C`] | third register read; predicate read (bit 37 negates, 36:34 select); barrier flags |
//! | 33 | [`IMMEDIATE_FLAG`] | the second source is bits 31:0 themselves |
//! | 32 | [`OPTIONAL_FLAG`] | the optional operand of the form is there (RET, LONGJMP, EXIT, CAL) |
//! | 31:0 | [`LOW`] | immediate; second register read, in bits 5:0; address in instructions, in bits 21:0 |
//!
//! A field that a form does not use is zero. BARRIER.CONF alone fills bits 51:49 and 45:0 otherwise: see [`configuration`].
//!
//! **Source** US 9,459,876 for the control instructions, US 9,448,803 for the barriers; the layout is Heddle's own.
//!
//! **See also** `heddle_sim::isa`, whose table of all forms is built on this one.

pub mod configuration;
mod opcode;

pub use opcode::{BarrierOpcode, ControlOpcode};

/// A run of bits in the instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub offset: u32,
    /// Number of bits.
    pub width: u32,
}

impl Field {
    /// The largest value that fits, which is also the field's mask before it is shifted.
    pub const fn maximum(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The field's value in `word`.
    pub const fn of(self, word: u64) -> u64 {
        (word >> self.offset) & self.maximum()
    }

    /// `value` at the field's place; bits that do not fit are dropped.
    pub const fn place(self, value: u64) -> u64 {
        (value & self.maximum()) << self.offset
    }
}

/// Bits of an instruction.
pub const INSTRUCTION_BITS: u32 = 64;
/// Instructions of a cache line of 512 bits.
pub const INSTRUCTIONS_PER_LINE: u32 = 8;
/// Which form it is.
pub const OPCODE: Field = Field { offset: 56, width: 8 };
/// The guard predicate is inverted.
pub const GUARD_NEGATE: Field = Field { offset: 55, width: 1 };
/// The guard predicate's index; 7 is PT.
pub const GUARD: Field = Field { offset: 52, width: 3 };
/// Register written; [`ALWAYS_ZERO`] discards.
pub const DESTINATION: Field = Field { offset: 46, width: 6 };
/// Predicate written.
pub const DESTINATION_PREDICATE: Field = Field { offset: 46, width: 3 };
/// Barrier of the CTA.
pub const BARRIER: Field = Field { offset: 46, width: 3 };
/// First register read.
pub const SOURCE_A: Field = Field { offset: 40, width: 6 };
/// Third register read.
pub const SOURCE_C: Field = Field { offset: 34, width: 6 };
/// Predicate read: index in the low three bits, inversion above.
pub const SOURCE_PREDICATE: Field = Field { offset: 34, width: 4 };
/// Barrier flags, see [`barrier_flag`].
pub const BARRIER_FLAGS: Field = Field { offset: 34, width: 3 };
/// The second source is the immediate.
pub const IMMEDIATE_FLAG: Field = Field { offset: 33, width: 1 };
/// The optional operand is there.
pub const OPTIONAL_FLAG: Field = Field { offset: 32, width: 1 };
/// Immediate.
pub const LOW: Field = Field { offset: 0, width: 32 };
/// Second register read, if [`IMMEDIATE_FLAG`] is clear.
pub const SOURCE_B: Field = Field { offset: 0, width: 6 };
/// Address in instructions.
pub const ADDRESS: Field = Field { offset: 0, width: 22 };

/// Opcodes from here on are data instructions; the control core steps over them.
pub const FIRST_DATA_OPCODE: u8 = 0x40;
/// Index of the predicate that is always true.
pub const ALWAYS_TRUE: u8 = 7;
/// Index of the register that reads zero and ignores writes.
pub const ALWAYS_ZERO: u8 = 63;

/// Bits of [`BARRIER_FLAGS`].
pub mod barrier_flag {
    /// No other section (of a conflicting class) runs meanwhile (BR-37).
    pub const EXCLUSIVE: u8 = 1;
    /// A thread goes on from the bottom at once (BR-32).
    pub const NONBLOCKING: u8 = 2;
    /// A timeout or a minimum can complete the membership (BR-12).
    pub const IMPATIENT: u8 = 4;
}
