//! What control instructions ask of the divergence engine: which threads they name, where they go.

use super::{threads_of, LaneFault, Lanes};
use crate::assembler::TRANSACTIONS;
use crate::engine::{Kind, Mask, Operation, Request};
use crate::isa::{Action, Attribute, BarrierOpcode, ControlOpcode, Instruction, Reference, PROGRAM_LIMIT};

/// What a control core asks the lanes about an instruction that it looks at; it knows opcode, kind and immediate itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneAnswer {
    /// Active threads in which the guard holds.
    pub named: Mask,
    /// BRX, JMX, RET and LONGJMP by register: those of them that agree with the first on where to go; else all of them.
    pub agreeing: Mask,
    /// Where those go, in instructions.
    pub target: u32,
    /// WAIT, EXPECT and COMPLETE: named threads whose parity is odd.
    pub parity: Mask,
    /// EXPECT and COMPLETE: sum of the counts of the named threads whose parity is even.
    pub even: u16,
    /// The same where it is odd.
    pub odd: u16,
    /// BARRIER.CONF with the reference in a register: that of the first named thread.
    pub reference: u16,
}

impl Lanes {
    /// What the instruction at `pc` asks of the divergence engine; changes nothing.
    pub fn request(&self, instruction: &Instruction, warp: usize, active: Mask, pc: u32) -> Result<Request, LaneFault> {
        match instruction.action {
            Action::Barrier(BarrierOpcode::ConditionalBottom) => {}
            Action::Barrier(_) => return Err(self.not_executed(instruction, warp, active, pc)),
            _ => {}
        }
        Ok(request_of(instruction, warp, active, &self.answer(instruction, warp, active, pc)?))
    }

    /// What a control core has to know about the instruction at `pc`; changes nothing.
    pub fn answer(
        &self,
        instruction: &Instruction,
        warp: usize,
        active: Mask,
        pc: u32,
    ) -> Result<LaneAnswer, LaneFault> {
        let named = self.holding(instruction.guard, warp, active);
        let by_register = match instruction.action {
            Action::Control(ControlOpcode::Brx | ControlOpcode::Jmx) => true,
            Action::Control(ControlOpcode::Ret | ControlOpcode::Longjmp) => instruction.optional,
            _ => false,
        };
        let (agreeing, target) = if by_register { self.agreeing(instruction, warp, named, pc)? } else { (named, 0) };
        let operands = match instruction.action {
            Action::Barrier(opcode) => self.barrier_operands(instruction, opcode, warp, named, pc)?,
            _ => LaneAnswer::default(),
        };
        Ok(LaneAnswer { named, agreeing, target, ..operands })
    }

    /// What of a barrier form lies in registers.
    fn barrier_operands(
        &self,
        instruction: &Instruction,
        opcode: BarrierOpcode,
        warp: usize,
        named: Mask,
        pc: u32,
    ) -> Result<LaneAnswer, LaneFault> {
        let mut answer = LaneAnswer::default();
        let odd = |thread: &usize, value: u32| if value & 1 == 1 { 1 << thread } else { 0 };
        let within = |thread: usize, what, value: u32, most: u32| match value <= most {
            true => Ok(value as u16),
            false => {
                let place = self.place(warp, thread, pc);
                Err(LaneFault::Operand { place, instruction: *instruction, what, value, most })
            }
        };
        match opcode {
            BarrierOpcode::Wait => {
                let parity = |thread: usize| odd(&thread, self.source(warp, thread, instruction.b));
                answer.parity = threads_of(named).fold(0, |mask, thread| mask | parity(thread));
            }
            BarrierOpcode::Expect | BarrierOpcode::Complete => {
                let parity = |thread: usize| odd(&thread, self.register(warp, thread, instruction.a));
                answer.parity = threads_of(named).fold(0, |mask, thread| mask | parity(thread));
                for (threads, sum) in [(named & !answer.parity, &mut answer.even), (answer.parity, &mut answer.odd)] {
                    for thread in threads_of(threads) {
                        let count = self.source(warp, thread, instruction.b);
                        *sum += within(thread, "transactions", count, TRANSACTIONS)?;
                    }
                }
            }
            BarrierOpcode::Configure => {
                if let (Reference::Register(register), Some(thread)) =
                    (instruction.configuration().reference, threads_of(named).next())
                {
                    let most = Attribute::Reference.field().maximum() as u32;
                    answer.reference = within(thread, "reference", self.register(warp, thread, register), most)?;
                }
            }
            _ => {}
        }
        Ok(answer)
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

/// What an instruction asks of the divergence engine, once the lanes have answered.
///
/// BRX, JMX, and RET and LONGJMP by register name one group of threads: those whose register agrees with that of the
/// first named thread. For the latter two, `again` says that further groups follow.
pub fn request_of(instruction: &Instruction, warp: usize, active: Mask, answer: &LaneAnswer) -> Request {
    let Action::Control(opcode) = instruction.action else { return plain(warp, Operation::Step, None, active) };
    let LaneAnswer { named, agreeing, target, .. } = *answer;
    let at_immediate = |operation, kind| Request {
        target: instruction.immediate(),
        targeted: operation == Operation::Leave,
        ..plain(warp, operation, kind, named)
    };
    let (operation, kind) = (opcode.operation(), opcode.kind());
    match opcode {
        ControlOpcode::Brx | ControlOpcode::Jmx => Request { target, ..plain(warp, operation, None, agreeing) },
        ControlOpcode::Ret | ControlOpcode::Longjmp if instruction.optional => {
            let again = agreeing != named;
            Request { target, targeted: true, again, ..plain(warp, operation, kind, agreeing) }
        }
        ControlOpcode::Ret | ControlOpcode::Longjmp => plain(warp, operation, kind, named),
        ControlOpcode::Exit if instruction.optional => at_immediate(Operation::Leave, kind),
        ControlOpcode::Exit => plain(warp, operation, None, named),
        ControlOpcode::Cal | ControlOpcode::Bra | ControlOpcode::Jmp | ControlOpcode::Yield => {
            at_immediate(operation, None)
        }
        _ => at_immediate(operation, kind),
    }
}

fn plain(warp: usize, operation: Operation, kind: Option<Kind>, mask: Mask) -> Request {
    Request { warp, operation, kind, mask, target: 0, targeted: false, again: false }
}
