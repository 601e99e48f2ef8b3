//! Programs at the level of engine operations: what the oracle, the runner and the generators share.

use crate::engine::{Kind, Mask};
use serde::{Deserialize, Serialize};

/// Registers of a thread.
pub const REGISTERS: usize = 16;
/// Memory cells of a thread.
pub const CELLS: usize = 128;

/// How a program was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Nested conditions, loops, switches, calls, recursion, long jumps and early exits.
    Structured,
    /// Branches to anywhere; regions pushed and left anywhere.
    Goto,
    /// Programs of both kinds without their regions, put through the divergence pass (IS-06).
    Plain,
}

impl Class {
    /// The classes whose programs run as they were made.
    pub const ALL: [Class; 2] = [Class::Structured, Class::Goto];

    /// Its name in tables and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Structured => "structured",
            Class::Goto => "goto",
            Class::Plain => "plain",
        }
    }
}

/// A kind of region: pushed by one instruction, left by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// SSY and SYNC.
    Sync,
    /// PBK and BRK.
    Break,
    /// PCNT and CONT.
    Continue,
    /// PEXIT and EXIT with an address.
    Exit,
    /// PLONGJMP and LONGJMP.
    LongJump,
    /// CAL and RET; no push instruction of its own.
    Call,
}

impl Region {
    /// Those that a push instruction opens.
    pub const PUSHED: [Region; 5] = [Region::Sync, Region::Break, Region::Continue, Region::Exit, Region::LongJump];

    /// The token kind.
    pub const fn kind(self) -> Kind {
        match self {
            Region::Sync => Kind::Sync,
            Region::Break => Kind::Break,
            Region::Continue => Kind::Continue,
            Region::Exit => Kind::Exit,
            Region::LongJump => Kind::LongJump,
            Region::Call => Kind::Call,
        }
    }
}

/// For which threads an instruction is meant, decided by each thread's own registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Predicate {
    /// All.
    Always,
    /// `register % modulus < bound`.
    Below {
        /// The register.
        register: u8,
        /// Not 0.
        modulus: u32,
        /// The bound.
        bound: u32,
    },
    /// `register % modulus >= bound`.
    NotBelow {
        /// The register.
        register: u8,
        /// Not 0.
        modulus: u32,
        /// The bound.
        bound: u32,
    },
    /// `register == 0`.
    Zero {
        /// The register.
        register: u8,
    },
    /// `register != 0`.
    NotZero {
        /// The register.
        register: u8,
    },
}

impl Predicate {
    /// The condition that holds where this one does not; none if this one holds always.
    pub const fn inverted(self) -> Option<Predicate> {
        match self {
            Predicate::Always => None,
            Predicate::Below { register, modulus, bound } => Some(Predicate::NotBelow { register, modulus, bound }),
            Predicate::NotBelow { register, modulus, bound } => Some(Predicate::Below { register, modulus, bound }),
            Predicate::Zero { register } => Some(Predicate::NotZero { register }),
            Predicate::NotZero { register } => Some(Predicate::Zero { register }),
        }
    }
}

/// An instruction without control flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// `destination = (left rotated) xor (right times a large odd number) plus constant`: a new pseudo-random value.
    Mix {
        /// Written register.
        destination: u8,
        /// Rotated register.
        left: u8,
        /// Multiplied register.
        right: u8,
        /// Added constant.
        constant: u32,
    },
    /// `destination = value`.
    Set {
        /// Written register.
        destination: u8,
        /// The value.
        value: u32,
    },
    /// `destination = address`: as [`Data::Set`], but the value moves with the code.
    Address {
        /// Written register.
        destination: u8,
        /// The address.
        address: u32,
    },
    /// `register = register + constant`, wrapping.
    Add {
        /// The register.
        register: u8,
        /// The constant.
        constant: u32,
    },
    /// `destination = source % modulus + least`.
    Reduce {
        /// Written register.
        destination: u8,
        /// Read register.
        source: u8,
        /// Not 0.
        modulus: u32,
        /// Added.
        least: u32,
    },
    /// `destination = 1` if `gate != 0` and `source % modulus < bound`, else 0.
    Gate {
        /// Written register.
        destination: u8,
        /// Register that must not be 0.
        gate: u8,
        /// Reduced register.
        source: u8,
        /// Not 0.
        modulus: u32,
        /// The bound.
        bound: u32,
    },
    /// `destination = table[source % length]`, a table of addresses.
    Choose {
        /// Written register.
        destination: u8,
        /// Read register.
        source: u8,
        /// Not empty.
        table: Vec<u32>,
    },
    /// `cells[index] = source`.
    Store {
        /// Register with the index, taken modulo the number of cells.
        index: u8,
        /// Stored register.
        source: u8,
    },
    /// `destination = cells[index]`.
    Load {
        /// Written register.
        destination: u8,
        /// Register with the index, taken modulo the number of cells.
        index: u8,
    },
}

/// Where a leave goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// To the instruction's own address.
    Address(u32),
    /// To the address in a register, each thread its own.
    Register(u8),
    /// To whatever the frontmost token says; alone, a thread goes where it last called from or set up its long jump.
    Token,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Instruction {
    /// Nothing; what shrinking leaves behind.
    Nothing,
    /// Data only.
    Data(Data),
    /// SSY, PBK, PCNT, PEXIT, PLONGJMP.
    Push(Region, u32),
    /// BRA, JMP.
    Branch(Predicate, u32),
    /// BRX, JMX: to the address in a register.
    Indirect(Predicate, u8),
    /// CAL to an address; the next address goes to the register.
    Call(Predicate, u32, u8),
    /// SYNC, BRK, CONT, RET, LONGJMP, EXIT with an address.
    Leave(Region, Predicate, Goal),
    /// YIELD.
    Yield(Predicate),
    /// EXIT without an address.
    Exit(Predicate),
}

impl Instruction {
    /// Every code address that it holds.
    pub fn addresses_mut(&mut self) -> Vec<&mut u32> {
        match self {
            Instruction::Data(Data::Address { address, .. }) => vec![address],
            Instruction::Data(Data::Choose { table, .. }) => table.iter_mut().collect(),
            Instruction::Push(_, address)
            | Instruction::Branch(_, address)
            | Instruction::Call(_, address, _)
            | Instruction::Leave(_, _, Goal::Address(address)) => vec![address],
            _ => Vec::new(),
        }
    }

    /// Its predicate, if it can have one.
    pub fn predicate_mut(&mut self) -> Option<&mut Predicate> {
        match self {
            Instruction::Branch(predicate, _)
            | Instruction::Indirect(predicate, _)
            | Instruction::Call(predicate, ..)
            | Instruction::Leave(_, predicate, _)
            | Instruction::Yield(predicate)
            | Instruction::Exit(predicate) => Some(predicate),
            Instruction::Nothing | Instruction::Data(_) | Instruction::Push(..) => None,
        }
    }
}

/// A program with everything that a run needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// How it was made.
    pub class: Class,
    /// Threads that are launched.
    pub threads: Mask,
    /// Where the code lies for the engine; addresses in the program count from 0.
    pub base: u32,
    /// Seeds the registers.
    pub data_seed: u64,
    /// First value of register [`FUEL`].
    pub fuel: u32,
    /// The instructions; the first one runs first.
    pub code: Vec<Instruction>,
}

/// The register that bounds goto programs.
pub const FUEL: u8 = 15;
