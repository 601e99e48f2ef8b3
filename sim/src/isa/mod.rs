//! The instruction set (IS-01 to IS-03): decoded instructions, their 64-bit words, and the one table of all forms.
//!
//! [`table::forms`] is the only place that lists mnemonics, opcodes and operands; the assembler, the disassembler
//! ([`Instruction`]'s `Display`) and `docs/isa.md` are read from it. Field positions and control opcodes come from
//! `heddle_hdl::isa`, which the hardware decodes by.

mod action;
mod configuration;
mod special;
#[cfg(test)]
mod tests;
mod text;

pub mod table;

pub use action::{
    Access, Action, AtomicOperation, BarrierOpcode, Class, Comparison, Compute, ControlOpcode, Domain, Shuffle, Space,
    Vote, Width,
};
pub use configuration::{Attribute, Configuration, Reference};
pub use heddle_hdl::isa::{barrier_flag, ALWAYS_TRUE, ALWAYS_ZERO};
pub use special::Special;
pub use text::BARRIER_SUFFIXES;

use heddle_hdl::isa as layout;
use table::{Form, Slot};
use thiserror::Error;

/// Instructions that a program can have: the PC has 22 bits.
pub const PROGRAM_LIMIT: usize = 1 << layout::ADDRESS.width;

/// A predicate read: P0 to P6 or PT (7), perhaps inverted. The default is PT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// Which predicate.
    pub predicate: u8,
    /// It is inverted.
    pub negate: bool,
}

impl Guard {
    /// PT: always.
    pub const ALWAYS: Guard = Guard { predicate: ALWAYS_TRUE, negate: false };
}

impl Default for Guard {
    fn default() -> Self {
        Guard::ALWAYS
    }
}

/// The second source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A register.
    Register(u8),
    /// A value, an offset or an address.
    Immediate(u32),
}

/// A decoded instruction. Fields that its form does not use are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub action: Action,
    /// Which threads do it.
    pub guard: Guard,
    /// Register or predicate written; barrier id, see [`Instruction::barrier`].
    pub destination: u8,
    /// First register read.
    pub a: u8,
    /// Second source: register or immediate; address; offset.
    pub b: Source,
    /// Third register read; predicate read (bit 3 inverts); barrier flags.
    pub c: u8,
    /// The optional operand is there (RET, LONGJMP, EXIT, CAL).
    pub optional: bool,
}

impl Instruction {
    /// `action` with every operand zero and no guard.
    pub const fn new(action: Action) -> Self {
        Instruction {
            action,
            guard: Guard::ALWAYS,
            destination: 0,
            a: 0,
            b: Source::Immediate(0),
            c: 0,
            optional: false,
        }
    }

    /// The address operand, or the immediate whatever it means.
    pub const fn immediate(&self) -> u32 {
        match self.b {
            Source::Immediate(value) => value,
            Source::Register(_) => 0,
        }
    }

    /// The predicate operand of SEL and VOTE.
    pub const fn predicate_operand(&self) -> Guard {
        Guard { predicate: self.c & 7, negate: self.c & 8 != 0 }
    }

    /// The barrier of a barrier form, 0 to 7.
    pub const fn barrier(&self) -> u8 {
        layout::BARRIER.maximum() as u8 & self.destination
    }

    /// Its row of the table.
    pub fn form(&self) -> &'static Form {
        table::form_of(self.action)
    }

    /// The class by which it is counted (SM-06).
    pub const fn class(&self) -> Class {
        self.action.class()
    }
}

/// A word that is no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// No form has this opcode.
    #[error("no instruction has opcode 0x{opcode:02x} (word 0x{word:016x})")]
    Opcode {
        /// The opcode.
        opcode: u8,
        /// The whole word.
        word: u64,
    },
    /// Bits that the form does not use are set.
    #[error("{mnemonic} does not use the bits 0x{bits:016x} that are set in word 0x{word:016x}")]
    UnusedBits {
        /// The form.
        mnemonic: &'static str,
        /// The offending bits.
        bits: u64,
        /// The whole word.
        word: u64,
    },
    /// An operand has no meaning.
    #[error("{mnemonic} has no {what} number {value} (word 0x{word:016x})")]
    Operand {
        /// The form.
        mnemonic: &'static str,
        /// Which operand.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The whole word.
        word: u64,
    },
    /// The form takes no guard.
    #[error("{mnemonic} acts for all active threads and takes no predicate (word 0x{word:016x})")]
    Guarded {
        /// The form.
        mnemonic: &'static str,
        /// The whole word.
        word: u64,
    },
}

/// The word of an instruction. Values that do not fit their field are cut off; the assembler reports them before.
pub fn encode(instruction: &Instruction) -> u64 {
    let form = instruction.form();
    if form.slots.contains(&Slot::Configuration) {
        return layout::OPCODE.place(u64::from(form.opcode))
            | guard_bits(instruction)
            | configuration::bits(instruction);
    }
    let (immediate_flag, low) = match instruction.b {
        Source::Register(register) => (0, u64::from(register)),
        Source::Immediate(value) => (u64::from(form.slots.contains(&Slot::SourceB)), u64::from(value)),
    };
    (layout::OPCODE.place(u64::from(form.opcode))
        | guard_bits(instruction)
        | layout::DESTINATION.place(u64::from(instruction.destination))
        | layout::SOURCE_A.place(u64::from(instruction.a))
        | layout::SOURCE_C.place(u64::from(instruction.c))
        | layout::IMMEDIATE_FLAG.place(immediate_flag)
        | layout::OPTIONAL_FLAG.place(u64::from(instruction.optional))
        | layout::LOW.place(low))
        & form.used_bits()
}

fn guard_bits(instruction: &Instruction) -> u64 {
    layout::GUARD_NEGATE.place(u64::from(instruction.guard.negate))
        | layout::GUARD.place(u64::from(instruction.guard.predicate))
}

/// The instruction of a word.
pub fn decode(word: u64) -> Result<Instruction, DecodeError> {
    let opcode = layout::OPCODE.of(word) as u8;
    let form = table::form_of_opcode(opcode).ok_or(DecodeError::Opcode { opcode, word })?;
    let mnemonic = form.mnemonic.as_str();
    let from_register = form.slots.contains(&Slot::SourceB) && layout::IMMEDIATE_FLAG.of(word) == 0;
    let mut unused = word & !form.used_bits();
    if from_register {
        unused |= word & layout::LOW.place(u64::MAX) & !layout::SOURCE_B.place(u64::MAX);
    }
    if unused != 0 {
        return Err(DecodeError::UnusedBits { mnemonic, bits: unused, word });
    }
    let guard = Guard { predicate: layout::GUARD.of(word) as u8, negate: layout::GUARD_NEGATE.of(word) != 0 };
    if form.slots.contains(&Slot::Configuration) {
        return configuration::decode(word, Instruction { guard, ..Instruction::new(form.action) });
    }
    let instruction = Instruction {
        action: form.action,
        guard,
        destination: layout::DESTINATION.of(word) as u8,
        a: layout::SOURCE_A.of(word) as u8,
        b: if from_register {
            Source::Register(layout::SOURCE_B.of(word) as u8)
        } else {
            Source::Immediate(layout::LOW.of(word) as u32)
        },
        c: layout::SOURCE_C.of(word) as u8,
        optional: layout::OPTIONAL_FLAG.of(word) != 0,
    };
    if !form.predicable && instruction.guard != Guard::ALWAYS {
        return Err(DecodeError::Guarded { mnemonic, word });
    }
    let low = instruction.immediate();
    if form.slots.contains(&Slot::Special) && Special::from_number(low).is_none() {
        return Err(DecodeError::Operand { mnemonic, what: "special register", value: low, word });
    }
    let stray = form.optional_slot().filter(|_| !instruction.optional).map(Slot::bits).unwrap_or(0) & word;
    if stray != 0 {
        return Err(DecodeError::UnusedBits { mnemonic, bits: stray, word });
    }
    Ok(instruction)
}
