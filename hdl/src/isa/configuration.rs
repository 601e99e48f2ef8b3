//! The configuration of a barrier: the word that BARRIER.CONF carries, and where it lies in the instruction (BR-06).
//!
//! The word has 48 bits and is what the barrier scheduler is given. In the instruction its bits 45:0 lie at 45:0 and its class at
//! 50:49, beside the barrier's id. With [`REFERENCE_IN_REGISTER`], the low 6 bits of the reference name a register that holds it; then its
//! upper bits are zero.
//!
//! **Source** US 9,448,803 for what is configured; the layout is Heddle's own.

use super::Field;

/// Completion condition, 1 to 5 (BR-12).
pub const CONDITION: Field = Field { offset: 0, width: 3 };
/// Reference count in threads (BR-12).
pub const REFERENCE: Field = Field { offset: 3, width: 10 };
/// Fewest participating threads of an impatient completion under condition 5 (BR-12).
pub const MINIMUM: Field = Field { offset: 13, width: 10 };
/// Timeout in cycles; 0 fires at once (BR-13).
pub const TIMEOUT: Field = Field { offset: 23, width: 16 };
/// What the timeout counts from, see [`event`] (BR-13).
pub const EVENT: Field = Field { offset: 39, width: 2 };
/// What becomes of late threads, see [`late`] (BR-20 to BR-24).
pub const LATE: Field = Field { offset: 41, width: 3 };
/// Priority of a section among the slots; 3 goes first (BR-36).
pub const PRIORITY: Field = Field { offset: 44, width: 2 };
/// Resource class, for exclusive sections and reserved slots (BR-37).
pub const CLASS: Field = Field { offset: 46, width: 2 };

/// Every field of the word, from bit 0 up.
pub const FIELDS: [Field; 8] = [CONDITION, REFERENCE, MINIMUM, TIMEOUT, EVENT, LATE, PRIORITY, CLASS];

/// Bits of the word.
pub const BITS: u32 = 48;

/// The reference is in the register that its low bits name.
pub const REFERENCE_IN_REGISTER: Field = Field { offset: 51, width: 1 };
/// The register of [`REFERENCE_IN_REGISTER`], in the word.
pub const REFERENCE_REGISTER: Field = Field { offset: 3, width: 6 };

/// Everything but the class, in the word as in the instruction.
pub const LOWER: Field = Field { offset: 0, width: 46 };
/// The class, in the instruction.
pub const INSTRUCTION_CLASS: Field = Field { offset: 49, width: 2 };

/// Bits of an instruction that hold the word and [`REFERENCE_IN_REGISTER`].
pub const INSTRUCTION_BITS: u64 =
    LOWER.place(u64::MAX) | INSTRUCTION_CLASS.place(u64::MAX) | REFERENCE_IN_REGISTER.place(1);

/// The word of an instruction.
pub const fn of_instruction(instruction: u64) -> u64 {
    LOWER.of(instruction) | CLASS.place(INSTRUCTION_CLASS.of(instruction))
}

/// The bits of an instruction that hold a word.
pub const fn in_instruction(word: u64) -> u64 {
    LOWER.place(word) | INSTRUCTION_CLASS.place(CLASS.of(word))
}

/// Values of [`EVENT`] (BR-13).
pub mod event {
    /// The first participating thread arrives.
    pub const FIRST_PARTICIPATING: u8 = 0;
    /// The first thread of any kind arrives.
    pub const FIRST: u8 = 1;
    /// The latest participating thread arrives: each starts the clock anew.
    pub const LATEST_PARTICIPATING: u8 = 2;
    /// The latest thread of any kind arrives.
    pub const LATEST: u8 = 3;
}

/// Values of [`LATE`] (BR-20 to BR-24).
pub mod late {
    /// A late thread waits for the next execution (BR-21).
    pub const WAIT: u8 = 0;
    /// It joins the one under way (BR-20).
    pub const JOIN: u8 = 1;
    /// It passes: an incomplete barrier is invalidated as it turns dynamic (BR-22).
    pub const PASS: u8 = 2;
    /// It passes: an incomplete barrier is invalidated as it turns idle (BR-22).
    pub const PASS_AT_END: u8 = 3;
    /// As [`PASS`], but only if the count is not the reference.
    pub const PASS_IF_SHORT: u8 = 4;
    /// As [`PASS_AT_END`], but only if the count is not the reference.
    pub const PASS_AT_END_IF_SHORT: u8 = 5;
    /// It sleeps to the end of the one under way and goes on behind its bottom (BR-23).
    pub const SKIP: u8 = 6;
    /// It counts for the one under way, through idle (BR-24).
    pub const COUNT: u8 = 7;
}
