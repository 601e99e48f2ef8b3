//! What an instruction does, decoded: the names that the lanes and the machine match on.

pub use heddle_hdl::isa::{BarrierOpcode, ControlOpcode};

/// What an instruction does, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Control flow: the divergence engine runs it.
    Control(ControlOpcode),
    /// A barrier form: the barrier scheduler runs it.
    Barrier(BarrierOpcode),
    /// Nothing.
    Nothing,
    /// One result register from registers, thread by thread.
    Compute(Compute),
    /// One result predicate from two registers.
    Compare(Domain, Comparison),
    /// Read a special register; which one is in the immediate.
    ReadSpecial,
    /// Read a parameter of the kernel; which one is in the immediate.
    ReadParameter,
    /// Read memory.
    Load(Space, Access),
    /// Write memory.
    Store(Space, Width),
    /// Read, combine and write memory, undivided.
    Atomic(Space, AtomicOperation),
    /// Order memory accesses.
    Fence,
    /// Combine a predicate over the active threads.
    Vote(Vote),
    /// Read another thread's register.
    Shuffle(Shuffle),
}

/// Arithmetic, logic, conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compute {
    /// b.
    Move,
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a * b + c, low half.
    MultiplyAdd,
    /// Upper half of the signed product of a and b.
    MultiplyHighSigned,
    /// Upper half of the unsigned product of a and b.
    MultiplyHighUnsigned,
    /// a and b, bit by bit.
    And,
    /// a or b, bit by bit.
    Or,
    /// a exclusive-or b, bit by bit.
    ExclusiveOr,
    /// Every bit of b inverted.
    Not,
    /// a shifted left by b; 32 and more give 0.
    ShiftLeft,
    /// a shifted right by b, zeros enter; 32 and more give 0.
    ShiftRightUnsigned,
    /// a shifted right by b, the sign enters; 32 and more give the sign everywhere.
    ShiftRightSigned,
    /// a if the predicate holds, else b.
    Select,
    /// How many bits of b are set.
    PopulationCount,
    /// Index of the lowest bit of b that is set, all ones if there is none.
    FindFirst,
    /// a + b in 32-bit float.
    FloatAdd,
    /// a * b in 32-bit float.
    FloatMultiply,
    /// a * b + c in 32-bit float, rounded once.
    FloatMultiplyAdd,
    /// 1 / b in 32-bit float.
    FloatReciprocal,
    /// 1 / square root of b in 32-bit float.
    FloatReciprocalSquareRoot,
    /// b, a signed integer, as float.
    SignedToFloat,
    /// b, an unsigned integer, as float.
    UnsignedToFloat,
    /// b, a float, as the signed integer nearest to zero; saturates, not-a-number gives 0.
    FloatToSigned,
    /// b, a float, as the unsigned integer nearest to zero; saturates, not-a-number gives 0.
    FloatToUnsigned,
}

/// How a comparison reads its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
    /// 32-bit float; a comparison with not-a-number fails, except "not equal".
    Float,
}

/// A comparison of a with b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// a = b.
    Equal,
    /// a ≠ b.
    NotEqual,
    /// a < b.
    Less,
    /// a ≤ b.
    LessOrEqual,
    /// a > b.
    Greater,
    /// a ≥ b.
    GreaterOrEqual,
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// One for the whole grid.
    Global,
    /// One for each CTA.
    Shared,
    /// One for each thread.
    Local,
}

impl Space {
    /// Every space.
    pub const ALL: [Space; 3] = [Space::Global, Space::Shared, Space::Local];

    /// Its name in messages; in upper case, in mnemonics.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
        }
    }
}

/// Size of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Width {
    /// Size in bytes, which is also the alignment it needs.
    pub const fn bytes(self) -> u32 {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
        }
    }
}

/// How a load fills its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// How much it reads.
    pub width: Width,
    /// The sign fills the upper bits.
    pub signed: bool,
}

/// What an atomic does with the old value and its operand; it returns the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// Sum.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// The operand.
    Exchange,
    /// The second operand, if the old value equals the first.
    CompareAndSwap,
    /// Smaller, signed.
    MinimumSigned,
    /// Smaller, unsigned.
    MinimumUnsigned,
    /// Larger, signed.
    MaximumSigned,
    /// Larger, unsigned.
    MaximumUnsigned,
}

/// What a vote tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vote {
    /// The predicate holds in all voting threads.
    All,
    /// The predicate holds in one of them at least.
    Any,
    /// The threads 31 to 0 in which it holds.
    Ballot,
    /// The threads 63 to 32 in which it holds.
    BallotHigh,
}

/// Whose register a shuffle reads; its own if that thread takes no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Thread b of the warp.
    Index,
    /// The thread b below.
    Up,
    /// The thread b above.
    Down,
    /// The thread whose number differs in the bits of b.
    ExclusiveOr,
}

/// Classes by which instructions are counted (SM-06).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Control flow.
    Control,
    /// Barriers.
    Barrier,
    /// Integer arithmetic, logic, moves, special registers.
    Integer,
    /// Floating point.
    Float,
    /// Loads, stores, fences.
    Memory,
    /// Atomics.
    Atomic,
    /// Votes and shuffles.
    Exchange,
}

impl Class {
    /// Every class, in the order of tables.
    pub const ALL: [Class; 7] =
        [Class::Control, Class::Barrier, Class::Integer, Class::Float, Class::Memory, Class::Atomic, Class::Exchange];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Control => "control",
            Class::Barrier => "barrier",
            Class::Integer => "integer",
            Class::Float => "float",
            Class::Memory => "memory",
            Class::Atomic => "atomic",
            Class::Exchange => "exchange",
        }
    }
}

impl Action {
    /// The class by which it is counted.
    pub const fn class(self) -> Class {
        match self {
            Action::Control(_) => Class::Control,
            Action::Barrier(_) => Class::Barrier,
            Action::Compute(
                Compute::FloatAdd
                | Compute::FloatMultiply
                | Compute::FloatMultiplyAdd
                | Compute::FloatReciprocal
                | Compute::FloatReciprocalSquareRoot
                | Compute::SignedToFloat
                | Compute::UnsignedToFloat
                | Compute::FloatToSigned
                | Compute::FloatToUnsigned,
            )
            | Action::Compare(Domain::Float, _) => Class::Float,
            Action::Nothing
            | Action::Compute(_)
            | Action::Compare(..)
            | Action::ReadSpecial
            | Action::ReadParameter => Class::Integer,
            Action::Load(..) | Action::Store(..) | Action::Fence => Class::Memory,
            Action::Atomic(..) => Class::Atomic,
            Action::Vote(_) | Action::Shuffle(_) => Class::Exchange,
        }
    }
}
