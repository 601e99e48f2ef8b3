//! The lanes: registers, predicates and memory of every resident thread, and what data instructions do with them.
//!
//! The same code runs whichever engine decides control flow. The machine asks [`Lanes::request`] what an instruction
//! asks of the engine, offers that, and once it is accepted calls [`Lanes::execute`].

use crate::assembler::Launch;
use crate::engine::{Mask, Request};
use crate::isa::{Instruction, Space};
use thiserror::Error;

/// What an instruction did in the lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneResult {
    /// Threads whose guard held.
    pub executed: Mask,
    /// What it accessed, if it accesses memory.
    pub access: Option<MemoryAccess>,
}

/// A memory access, for watchdogs and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Which memory.
    pub space: Space,
    /// Address of the first thread that accessed.
    pub address: u32,
    /// Memory holds other values than before.
    pub changed: bool,
}

/// Who did what where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Warp slot.
    pub warp: usize,
    /// Thread of the warp.
    pub thread: usize,
    /// Address of the instruction.
    pub pc: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "warp {}, thread {}, PC 0x{:x}", self.warp, self.thread, self.pc)
    }
}

/// What a thread did wrong; the kernel is at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaneFault {
    /// An address beyond the end of a memory (SM-08).
    #[error("{place}: {instruction} accesses {bytes} bytes of {} memory at 0x{address:x}, which ends at 0x{end:x}", space.name())]
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
    #[error("{place}: {instruction} accesses {bytes} bytes of {} memory at 0x{address:x}, which is misaligned", space.name())]
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
    #[error("{place}: {instruction} goes to 0x{target:x}, beyond the 22 bits of an instruction address")]
    Target {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
        /// The value.
        target: u32,
    },
    /// PARAM names a parameter that the kernel does not have.
    #[error("{place}: the kernel has no parameter number {index}")]
    Parameter {
        /// Who.
        place: Place,
        /// The number.
        index: u32,
    },
    /// A form that is encoded but that no engine runs yet.
    #[error("{place}: {instruction} is not executed by this engine yet")]
    NotExecuted {
        /// Who.
        place: Place,
        /// The instruction.
        instruction: Instruction,
    },
}

/// Registers, predicates and memories of the resident threads.
#[derive(Clone, Debug)]
pub struct Lanes {
    threads: usize,
}

impl Lanes {
    /// Lanes for `warps` warp slots of `threads` threads each, running this launch; no warp is bound to a CTA yet.
    pub fn new(launch: &Launch, warps: usize, threads: usize) -> Self {
        let _ = (launch, warps);
        Lanes { threads }
    }

    /// Binds a warp slot to warp number `warp_of_cta` of CTA number `cta`; registers, predicates and local memory are zero.
    /// The warps of a CTA share memory from the first bind until all of them are released. Returns the threads to launch.
    pub fn bind(&mut self, warp: usize, cta: u32, warp_of_cta: u32) -> Mask {
        let _ = (warp, cta, warp_of_cta);
        u64::MAX >> (64 - self.threads)
    }

    /// Unbinds a warp slot.
    pub fn release(&mut self, warp: usize) {
        let _ = warp;
    }

    /// What the instruction at `pc` asks of the divergence engine; changes nothing.
    pub fn request(&self, instruction: &Instruction, warp: usize, active: Mask, pc: u32) -> Result<Request, LaneFault> {
        let _ = active;
        let place = Place { warp, thread: 0, pc };
        Err(LaneFault::NotExecuted { place, instruction: *instruction })
    }

    /// Runs the instruction at `pc` in the threads of `active` whose guard holds; for control instructions
    /// only CAL has something to do here, its link register.
    pub fn execute(
        &mut self,
        instruction: &Instruction,
        warp: usize,
        active: Mask,
        pc: u32,
    ) -> Result<LaneResult, LaneFault> {
        let _ = active;
        let place = Place { warp, thread: 0, pc };
        Err(LaneFault::NotExecuted { place, instruction: *instruction })
    }

    /// Global memory.
    pub fn global(&self) -> &[u8] {
        &[]
    }
}
