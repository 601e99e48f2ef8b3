//! What control instructions ask of the divergence engine: which threads they name, where they go.

use super::{threads_of, LaneFault, Lanes};
use crate::engine::{Kind, Mask, Operation, Request};
use crate::isa::{Action, BarrierOpcode, ControlOpcode, Instruction, PROGRAM_LIMIT};

impl Lanes {
    /// What the instruction at `pc` asks of the divergence engine; changes nothing.
    ///
    /// BRX, JMX, and RET and LONGJMP by register name one group of threads: those whose register agrees with that of the
    /// first named thread. For the latter two, `again` says that further groups follow.
    pub fn request(&self, instruction: &Instruction, warp: usize, active: Mask, pc: u32) -> Result<Request, LaneFault> {
        let opcode = match instruction.action {
            Action::Control(opcode) => opcode,
            Action::Barrier(BarrierOpcode::ConditionalBottom) => return Ok(plain(warp, Operation::Step, None, active)),
            Action::Barrier(_) => return Err(self.not_executed(instruction, warp, active, pc)),
            _ => return Ok(plain(warp, Operation::Step, None, active)),
        };
        let named = self.holding(instruction.guard, warp, active);
        let at_immediate = |operation, kind| Request {
            target: instruction.immediate(),
            targeted: operation == Operation::Leave,
            ..plain(warp, operation, kind, named)
        };
        let (operation, kind) = (opcode.operation(), opcode.kind());
        match opcode {
            ControlOpcode::Brx | ControlOpcode::Jmx => {
                let (mask, target) = self.agreeing(instruction, warp, named, pc)?;
                Ok(Request { target, ..plain(warp, operation, None, mask) })
            }
            ControlOpcode::Ret | ControlOpcode::Longjmp if instruction.optional => {
                let (mask, target) = self.agreeing(instruction, warp, named, pc)?;
                let again = mask != named;
                Ok(Request { target, targeted: true, again, ..plain(warp, operation, kind, mask) })
            }
            ControlOpcode::Ret | ControlOpcode::Longjmp => Ok(plain(warp, operation, kind, named)),
            ControlOpcode::Exit if instruction.optional => Ok(at_immediate(Operation::Leave, kind)),
            ControlOpcode::Exit => Ok(plain(warp, operation, None, named)),
            ControlOpcode::Cal | ControlOpcode::Bra | ControlOpcode::Jmp | ControlOpcode::Yield => {
                Ok(at_immediate(operation, None))
            }
            _ => Ok(at_immediate(operation, kind)),
        }
    }

    /// The threads of `named` that agree with the first of them on where to go, and where that is.
    fn agreeing(&self, instruction: &Instruction, warp: usize, named: Mask, pc: u32) -> Result<(Mask, u32), LaneFault> {
        let target_of =
            |thread: usize| self.register(warp, thread, instruction.a).wrapping_add(instruction.immediate());
        let Some(first) = threads_of(named).next() else { return Ok((0, 0)) };
        let target = target_of(first);
        if target as usize >= PROGRAM_LIMIT {
            let place = self.place(warp, first, pc);
            return Err(LaneFault::Target { place, instruction: *instruction, target });
        }
        let mask =
            threads_of(named).filter(|thread| target_of(*thread) == target).fold(0, |mask, thread| mask | 1 << thread);
        Ok((mask, target))
    }
}

fn plain(warp: usize, operation: Operation, kind: Option<Kind>, mask: Mask) -> Request {
    Request { warp, operation, kind, mask, target: 0, targeted: false, again: false }
}
