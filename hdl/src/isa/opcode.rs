//! The control opcodes, and what each asks of the divergence engine.

use crate::divergence::token::{Kind, Operation};

/// Instructions that the divergence engine runs; the value is the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ControlOpcode {
    /// Push a sync token.
    Ssy = 0x01,
    /// Wait for the sync token.
    Sync = 0x02,
    /// Push a break token.
    Pbk = 0x03,
    /// Wait for the break token.
    Brk = 0x04,
    /// Push a continue token.
    Pcnt = 0x05,
    /// Wait for the continue token.
    Cont = 0x06,
    /// Push an exit token.
    Pexit = 0x07,
    /// Leave for good, or wait for the exit token of an address.
    Exit = 0x08,
    /// Push a call token and jump.
    Cal = 0x09,
    /// Wait for the call token.
    Ret = 0x0a,
    /// Push a long-jump token.
    Plongjmp = 0x0b,
    /// Wait for the long-jump token.
    Longjmp = 0x0c,
    /// Branch.
    Bra = 0x0d,
    /// Branch to a base address plus a register.
    Brx = 0x0e,
    /// Jump; the same as a branch, since every address is absolute.
    Jmp = 0x0f,
    /// Jump to a register.
    Jmx = 0x10,
    /// Let the other threads of the warp run.
    Yield = 0x11,
}

impl ControlOpcode {
    /// Every control opcode, ascending.
    pub const ALL: [ControlOpcode; 17] = [
        ControlOpcode::Ssy,
        ControlOpcode::Sync,
        ControlOpcode::Pbk,
        ControlOpcode::Brk,
        ControlOpcode::Pcnt,
        ControlOpcode::Cont,
        ControlOpcode::Pexit,
        ControlOpcode::Exit,
        ControlOpcode::Cal,
        ControlOpcode::Ret,
        ControlOpcode::Plongjmp,
        ControlOpcode::Longjmp,
        ControlOpcode::Bra,
        ControlOpcode::Brx,
        ControlOpcode::Jmp,
        ControlOpcode::Jmx,
        ControlOpcode::Yield,
    ];

    /// The opcode.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What the engine is asked to do. EXIT with an address is [`Operation::Leave`] instead.
    pub const fn operation(self) -> Operation {
        match self {
            ControlOpcode::Ssy
            | ControlOpcode::Pbk
            | ControlOpcode::Pcnt
            | ControlOpcode::Pexit
            | ControlOpcode::Plongjmp => Operation::Push,
            ControlOpcode::Sync
            | ControlOpcode::Brk
            | ControlOpcode::Cont
            | ControlOpcode::Ret
            | ControlOpcode::Longjmp => Operation::Leave,
            ControlOpcode::Exit => Operation::Exit,
            ControlOpcode::Cal => Operation::Call,
            ControlOpcode::Bra | ControlOpcode::Jmp => Operation::Branch,
            ControlOpcode::Brx | ControlOpcode::Jmx => Operation::Indirect,
            ControlOpcode::Yield => Operation::Yield,
        }
    }

    /// The kind of token it pushes or waits for.
    pub const fn kind(self) -> Option<Kind> {
        match self {
            ControlOpcode::Ssy | ControlOpcode::Sync => Some(Kind::Sync),
            ControlOpcode::Pbk | ControlOpcode::Brk => Some(Kind::Break),
            ControlOpcode::Pcnt | ControlOpcode::Cont => Some(Kind::Continue),
            ControlOpcode::Pexit | ControlOpcode::Exit => Some(Kind::Exit),
            ControlOpcode::Cal | ControlOpcode::Ret => Some(Kind::Call),
            ControlOpcode::Plongjmp | ControlOpcode::Longjmp => Some(Kind::LongJump),
            ControlOpcode::Bra
            | ControlOpcode::Brx
            | ControlOpcode::Jmp
            | ControlOpcode::Jmx
            | ControlOpcode::Yield => None,
        }
    }

    /// A guard other than PT is allowed (DQ-20: not where a token is pushed for all active threads).
    pub const fn predicable(self) -> bool {
        !matches!(self.operation(), Operation::Push)
    }
}

/// Instructions that the barrier scheduler runs; the value is the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum BarrierOpcode {
    /// Write the configuration (BR-06).
    Configure = 0x20,
    /// Top of a conditional barrier.
    Conditional = 0x21,
    /// Top of a critical section that runs in logical order.
    Ordered = 0x22,
    /// Top of a critical section that runs in any order.
    Unordered = 0x23,
    /// Bottom of a section.
    Bottom = 0x24,
    /// Arrive without waiting (BR-50).
    Arrive = 0x25,
    /// Wait for a phase (BR-50).
    Wait = 0x26,
    /// Announce transactions (BR-51).
    Expect = 0x27,
    /// Complete transactions (BR-51).
    Complete = 0x28,
    /// Turn the barrier idle (BR-25).
    Reset = 0x29,
    /// Bottom of a conditional barrier: a mark of where its code ends, which nothing waits for.
    ConditionalBottom = 0x2a,
}

impl BarrierOpcode {
    /// Every barrier opcode, ascending.
    pub const ALL: [BarrierOpcode; 11] = [
        BarrierOpcode::Configure,
        BarrierOpcode::Conditional,
        BarrierOpcode::Ordered,
        BarrierOpcode::Unordered,
        BarrierOpcode::Bottom,
        BarrierOpcode::Arrive,
        BarrierOpcode::Wait,
        BarrierOpcode::Expect,
        BarrierOpcode::Complete,
        BarrierOpcode::Reset,
        BarrierOpcode::ConditionalBottom,
    ];

    /// The opcode.
    pub const fn code(self) -> u8 {
        self as u8
    }
}
