//! Tokens of the double-ended queue: their kinds, and their 64-bit and 128-bit packings (DQ-01, DQ-02, DQ-03).
//!
//! **Source** US 9,459,876, the token format and its reserved bits.

use bitfield::bitfield;

/// What a token stands for; the same 4-bit code says why a thread is disabled (DQ-03).
///
/// Code 0 is no reason at all: the thread is active. Codes 10 to 15 are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// SSY pushes it, SYNC waits for it.
    Sync = 1,
    /// A diverging branch pushes it for the threads whose path runs later.
    Divergence = 2,
    /// CAL pushes it, RET waits for it.
    Call = 3,
    /// PBK pushes it, BRK waits for it.
    Break = 4,
    /// PCNT pushes it, CONT waits for it.
    Continue = 5,
    /// PEXIT pushes it, EXIT with an address waits for it.
    Exit = 6,
    /// PLONGJMP pushes it, LONGJMP waits for it.
    LongJump = 7,
    /// YIELD pushes it at the back.
    Yield = 8,
    /// No token: the reason of a thread asleep at a barrier (SM-07).
    Barrier = 9,
}

impl Kind {
    /// Every kind, in the order of the codes.
    pub const ALL: [Kind; 9] = [
        Kind::Sync,
        Kind::Divergence,
        Kind::Call,
        Kind::Break,
        Kind::Continue,
        Kind::Exit,
        Kind::LongJump,
        Kind::Yield,
        Kind::Barrier,
    ];

    /// Width of the code in hardware.
    pub const BITS: usize = 4;

    /// The 4-bit code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The kind of a code, if it has one.
    pub fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Its name in messages and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Sync => "sync",
            Kind::Divergence => "divergence",
            Kind::Call => "call",
            Kind::Break => "break",
            Kind::Continue => "continue",
            Kind::Exit => "exit",
            Kind::LongJump => "long jump",
            Kind::Yield => "yield",
            Kind::Barrier => "barrier",
        }
    }
}

/// Bit of the summary field: is a token of this kind behind this one? (DQ-04)
pub mod summary {
    /// A sync token is behind.
    pub const SYNC: usize = 0;
    /// A divergence token is behind.
    pub const DIVERGENCE: usize = 1;
    /// A call token is behind.
    pub const CALL: usize = 2;
    /// A yield token is behind; supplied on read, since a back push cannot rewrite RAM.
    pub const YIELD: usize = 3;
}

bitfield! {
    /// The 64-bit token of up to 32 threads, as it lies in the window and in the spill area.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub struct Token64(u64);
    impl Debug;
    /// Identifier, bits 3:0: the [`Kind`].
    pub u8, identifier, set_identifier: 3, 0;
    /// Thread mask, bits 35:4.
    pub u32, mask, set_mask: 35, 4;
    /// Address in instructions, bits 57:36.
    pub u32, address, set_address: 57, 36;
    /// Summary, bits 61:58.
    pub u8, summary, set_summary: 61, 58;
}

bitfield! {
    /// The 128-bit token of up to 64 threads; bits 127:108 are reserved.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub struct Token128(u128);
    impl Debug;
    /// Identifier, bits 7:0: the [`Kind`].
    pub u8, identifier, set_identifier: 7, 0;
    /// Thread mask, bits 71:8.
    pub u64, mask, set_mask: 71, 8;
    /// Address in instructions, bits 103:72.
    pub u32, address, set_address: 103, 72;
    /// Summary, bits 107:104.
    pub u8, summary, set_summary: 107, 104;
}

/// What the operation port of `token_deque` is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum QueueOperation {
    /// Take the front token.
    PopFront = 0,
    /// Put a token at the front (the push port does the same, a cycle each).
    PushFront = 1,
    /// Put a token at the back; a yield token merges with the yield token of its address, if there is one (DQ-07).
    PushBack = 2,
    /// `PushBack`, then `PopFront`.
    Yield = 3,
    /// Show the frontmost token of a kind, changing nothing.
    Find = 4,
    /// Empty the queue of a warp.
    Clear = 5,
}

/// What the request port of a divergence engine is asked to do with a warp's active threads.
///
/// Instructions are mapped to these by one table (`isa`); the kind rides beside the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// An instruction without control flow: the PC advances.
    Step = 0,
    /// SSY, PBK, PCNT, PEXIT, PLONGJMP (DQ-20).
    Push = 1,
    /// BRA, JMP (DQ-22): `mask` names the threads that take it.
    Branch = 2,
    /// BRX, JMX (DQ-23): `mask` names the threads that agree with the first active one on `target`.
    Indirect = 3,
    /// CAL (DQ-21).
    Call = 4,
    /// SYNC, BRK, CONT, RET, LONGJMP, EXIT with an address (DQ-24, DQ-28, DQ-29, DQ-31).
    Leave = 5,
    /// YIELD (DQ-27).
    Yield = 6,
    /// EXIT without an address (DQ-31).
    Exit = 7,
    /// The named active threads fall asleep at a barrier: reason barrier, no token (SM-07).
    Sleep = 8,
    /// The named sleeping threads wake: they yield to `target`, whatever the warp is doing (SM-07).
    Wake = 9,
    /// The front token leaves the warp by the `saved_*` ports; if there is none, the warp itself leaves: it no longer runs (CX-09).
    Withdraw = 10,
    /// A saved token is put at the front: kind, mask and target as they were saved, whoever is active (CX-09).
    Deposit = 11,
    /// The named active threads are disabled for `kind`, as they were when they were saved; the PC stays (CX-09).
    Disable = 12,
}

impl Operation {
    /// Width of the code in hardware.
    pub const BITS: usize = 4;

    /// All of them, in the order of their codes.
    pub const ALL: [Operation; 13] = [
        Operation::Step,
        Operation::Push,
        Operation::Branch,
        Operation::Indirect,
        Operation::Call,
        Operation::Leave,
        Operation::Yield,
        Operation::Exit,
        Operation::Sleep,
        Operation::Wake,
        Operation::Withdraw,
        Operation::Deposit,
        Operation::Disable,
    ];

    /// The operation of a code at a port, if it is one.
    pub fn from_code(code: u8) -> Option<Operation> {
        Operation::ALL.get(usize::from(code)).copied()
    }
}

/// Which side of a diverging branch runs first (DQ-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PathPolicy {
    /// The threads that take the branch.
    Taken = 0,
    /// The threads that fall through.
    NotTaken = 1,
    /// The smaller set; the taken one of two equal sets.
    Smaller = 2,
    /// The larger set; the taken one of two equal sets.
    Larger = 3,
}

/// When a YIELD yields (DQ-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum YieldPolicy {
    /// Always.
    Always = 0,
    /// Every Nth YIELD of the warp, N = the parameter (0 means 256).
    EveryNth = 1,
    /// When the low byte of the warp's generator is below the parameter.
    Random = 2,
}

/// Feedback of the yield generator: a 16-bit Galois LFSR, x^16 + x^14 + x^13 + x^11 + 1 (right shift).
pub const YIELD_GENERATOR_TAPS: u16 = 0xb400;

/// Why a warp was stopped, or why its queue needs a handler (DQ-09 to DQ-12, DQ-26).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cause {
    /// An end of the window is met while there is room at the other (DQ-09).
    Recenter = 0,
    /// The window is full (DQ-11).
    Spill = 1,
    /// The window ran empty while tokens are spilled (DQ-12).
    Refill = 2,
    /// The spill area is full: the warp cannot go on (DQ-12).
    Fatal = 3,
    /// Threads wait for a token that does not exist (DQ-26, DQ-29).
    LostThread = 4,
}
