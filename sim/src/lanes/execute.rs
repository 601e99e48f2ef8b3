//! What data instructions do.

use super::compute::{combine, compare, compute};
use super::local::LocalPlace;
use super::memory::{permits, Memory, MemoryAccess, Refusal};
use super::{threads_of, LaneFault, LaneResult, Lanes};
use crate::engine::Mask;
use crate::isa::{
    Access, Action, AtomicOperation, BarrierOpcode, ControlOpcode, Guard, Instruction, Shuffle, Source, Space, Special,
    Vote, Width,
};

/// One instruction of one warp, on its way through the lanes.
struct Issue<'a> {
    instruction: &'a Instruction,
    warp: usize,
    pc: u32,
    /// Threads whose guard holds.
    executed: Mask,
    /// Where the threads' local words lie, if the address unit was asked.
    places: Option<&'a Places>,
}

/// A place for each thread of a warp.
pub type Places = [LocalPlace; 64];

impl Lanes {
    /// Runs the instruction at `pc` in the threads of `active` whose guard holds. Of the control instructions only
    /// CAL has something to do here: its link register.
    pub fn execute(
        &mut self,
        instruction: &Instruction,
        warp: usize,
        active: Mask,
        pc: u32,
    ) -> Result<LaneResult, LaneFault> {
        self.execute_at(instruction, warp, active, pc, None)
    }

    /// The same, with the places of the threads' local words as the address unit gives them for [`Lanes::local_words`].
    pub fn execute_at(
        &mut self,
        instruction: &Instruction,
        warp: usize,
        active: Mask,
        pc: u32,
        places: Option<&Places>,
    ) -> Result<LaneResult, LaneFault> {
        let executed = self.holding(instruction.guard, warp, active);
        let issue = Issue { instruction, warp, pc, executed, places };
        let access = match instruction.action {
            Action::Barrier(BarrierOpcode::ConditionalBottom) => None,
            Action::Barrier(_) => return Err(self.not_executed(instruction, warp, active, pc)),
            Action::Control(ControlOpcode::Cal) if instruction.optional => {
                self.write_each(&issue, |_, _| pc.wrapping_add(1))
            }
            Action::Control(_) | Action::Nothing | Action::Fence => None,
            Action::Compute(operation) => {
                let selected = self.holding(instruction.predicate_operand(), warp, executed);
                self.write_each(&issue, |lanes, thread| {
                    let a = lanes.register(warp, thread, instruction.a);
                    let b = lanes.source(warp, thread, instruction.b);
                    let c = lanes.register(warp, thread, instruction.c);
                    compute(operation, a, b, c, selected >> thread & 1 != 0)
                })
            }
            Action::Compare(domain, comparison) => {
                let value = threads_of(executed)
                    .filter(|thread| {
                        let a = self.register(warp, *thread, instruction.a);
                        let b = self.source(warp, *thread, instruction.b);
                        compare(domain, comparison, a, b)
                    })
                    .fold(0, |mask, thread| mask | 1 << thread);
                self.write_predicate(warp, executed, instruction.destination, value);
                None
            }
            Action::ReadSpecial => {
                let special = Special::from_number(instruction.immediate()).unwrap_or(Special::Lane);
                self.write_each(&issue, |lanes, thread| lanes.special(warp, thread, special))
            }
            Action::ReadParameter => self.read_parameter(&issue)?,
            Action::Load(space, access) => self.load(&issue, space, access)?,
            Action::Store(space, width) => self.store(&issue, space, width)?,
            Action::Atomic(space, operation) => self.atomic(&issue, space, operation)?,
            Action::Vote(vote) => self.vote(&issue, vote),
            Action::Shuffle(shuffle) => self.shuffle(&issue, shuffle),
        };
        Ok(LaneResult { executed, access })
    }

    /// Writes the destination register of every executing thread; all values are read before any is written.
    fn write_each(&mut self, issue: &Issue, value: impl Fn(&Lanes, usize) -> u32) -> Option<MemoryAccess> {
        let mut values = [0; 64];
        for thread in threads_of(issue.executed) {
            values[thread] = value(self, thread);
        }
        for thread in threads_of(issue.executed) {
            self.write(issue.warp, thread, issue.instruction.destination, values[thread]);
        }
        None
    }

    fn read_parameter(&mut self, issue: &Issue) -> Result<Option<MemoryAccess>, LaneFault> {
        let index = issue.instruction.immediate();
        let Some(first) = threads_of(issue.executed).next() else { return Ok(None) };
        let Some(value) = self.launch.parameters.get(index as usize).copied() else {
            let place = self.place(issue.warp, first, issue.pc);
            let count = self.launch.parameters.len();
            return Err(LaneFault::Parameter { place, instruction: *issue.instruction, index, count });
        };
        Ok(self.write_each(issue, |_, _| value))
    }

    /// The memory that a thread sees in a space; a warp that is bound has all three.
    fn memory(&mut self, issue: &Issue, thread: usize, space: Space) -> &mut Memory {
        match space {
            Space::Global => &mut self.global,
            Space::Shared => {
                let cta = self.warps[issue.warp].bound.map_or(0, |(cta, _)| cta);
                &mut self.shared.entry(cta).or_insert_with(|| (Memory::zeros(0), 0)).0
            }
            Space::Local => {
                let place = self.local_place(issue, thread);
                self.local.memory(place)
            }
        }
    }

    fn local_place(&self, issue: &Issue, thread: usize) -> LocalPlace {
        match issue.places {
            Some(places) => places[thread],
            None => self.local.at_home(issue.warp, thread, self.address(issue, thread) / 4),
        }
    }

    /// The address in [`Lanes::memory`] of what a thread calls `address`.
    fn physical(&self, issue: &Issue, thread: usize, space: Space, address: u32) -> u32 {
        match space {
            Space::Global | Space::Shared => address,
            Space::Local => self.local_place(issue, thread).word * 4 + address % 4,
        }
    }

    /// The words of their local memory that threads access with an instruction; none, if it is no access to local memory or a bad one.
    pub fn local_words(&mut self, instruction: &Instruction, warp: usize, active: Mask) -> Vec<(usize, u32)> {
        let (Action::Load(Space::Local, Access { width, .. }) | Action::Store(Space::Local, width)) =
            instruction.action
        else {
            return Vec::new();
        };
        let executed = self.holding(instruction.guard, warp, active);
        let issue = Issue { instruction, warp, pc: 0, executed, places: None };
        if self.check(&issue, Space::Local, width).is_err() {
            return Vec::new();
        }
        threads_of(executed).map(|thread| (thread, self.address(&issue, thread) / 4)).collect()
    }

    fn address(&self, issue: &Issue, thread: usize) -> u32 {
        let offset = match (issue.instruction.action, issue.instruction.b) {
            (Action::Atomic(_, AtomicOperation::CompareAndSwap), _) | (_, Source::Register(_)) => 0,
            (_, Source::Immediate(offset)) => offset,
        };
        self.register(issue.warp, thread, issue.instruction.a).wrapping_add(offset)
    }

    /// The addresses in global memory that an instruction accesses, thread by thread; none, if it is no access to global memory.
    pub fn global_addresses(&self, instruction: &Instruction, warp: usize, active: Mask) -> Vec<u32> {
        let global = matches!(
            instruction.action,
            Action::Load(Space::Global, _) | Action::Store(Space::Global, _) | Action::Atomic(Space::Global, _)
        );
        if !global {
            return Vec::new();
        }
        let executed = self.holding(instruction.guard, warp, active);
        let issue = Issue { instruction, warp, pc: 0, executed, places: None };
        threads_of(executed).map(|thread| self.address(&issue, thread)).collect()
    }

    /// Refuses the whole instruction if one thread's access is bad, before anything changed.
    fn check(&mut self, issue: &Issue, space: Space, width: Width) -> Result<(), LaneFault> {
        for thread in threads_of(issue.executed) {
            let address = self.address(issue, thread);
            let place = self.place(issue.warp, thread, issue.pc);
            let (bytes, instruction) = (width.bytes(), *issue.instruction);
            let end = match space {
                Space::Local => self.launch.local_bytes,
                Space::Global | Space::Shared => self.memory(issue, thread, space).size(),
            };
            match permits(end, address, width) {
                Ok(()) => {}
                Err(Refusal::OutOfBounds) => {
                    return Err(LaneFault::OutOfBounds { place, instruction, space, address, bytes, end });
                }
                Err(Refusal::Misaligned) => {
                    return Err(LaneFault::Misaligned { place, instruction, space, address, bytes });
                }
            }
        }
        Ok(())
    }

    fn first_access(&self, issue: &Issue, space: Space, changed: bool) -> Option<MemoryAccess> {
        let first = threads_of(issue.executed).next()?;
        Some(MemoryAccess { space, address: self.address(issue, first), changed })
    }

    fn load(&mut self, issue: &Issue, space: Space, access: Access) -> Result<Option<MemoryAccess>, LaneFault> {
        self.check(issue, space, access.width)?;
        let done = self.first_access(issue, space, false);
        for thread in threads_of(issue.executed) {
            let address = self.address(issue, thread);
            let address = self.physical(issue, thread, space, address);
            let raw = self.memory(issue, thread, space).load(address, access.width);
            let value = match (access.signed, access.width) {
                (true, Width::Byte) => raw as u8 as i8 as u32,
                (true, Width::Half) => raw as u16 as i16 as u32,
                _ => raw,
            };
            self.write(issue.warp, thread, issue.instruction.destination, value);
        }
        Ok(done)
    }

    fn store(&mut self, issue: &Issue, space: Space, width: Width) -> Result<Option<MemoryAccess>, LaneFault> {
        self.check(issue, space, width)?;
        let mut changed = false;
        for thread in threads_of(issue.executed) {
            let address = self.address(issue, thread);
            let value = self.register(issue.warp, thread, issue.instruction.c);
            let address = self.physical(issue, thread, space, address);
            changed |= self.memory(issue, thread, space).store(address, width, value);
        }
        Ok(self.first_access(issue, space, changed))
    }

    fn atomic(
        &mut self,
        issue: &Issue,
        space: Space,
        operation: AtomicOperation,
    ) -> Result<Option<MemoryAccess>, LaneFault> {
        self.check(issue, space, Width::Word)?;
        let mut done = self.first_access(issue, space, false);
        for thread in threads_of(issue.executed) {
            let address = self.address(issue, thread);
            let expected = self.source(issue.warp, thread, issue.instruction.b);
            let operand = self.register(issue.warp, thread, issue.instruction.c);
            let address = self.physical(issue, thread, space, address);
            let memory = self.memory(issue, thread, space);
            let old = memory.load(address, Width::Word);
            let changed = memory.store(address, Width::Word, combine(operation, old, expected, operand));
            if let Some(access) = &mut done {
                access.changed |= changed;
            }
            self.write(issue.warp, thread, issue.instruction.destination, old);
        }
        Ok(done)
    }

    fn vote(&mut self, issue: &Issue, vote: Vote) -> Option<MemoryAccess> {
        let guard: Guard = issue.instruction.predicate_operand();
        let held = self.holding(guard, issue.warp, issue.executed);
        let whole = |holds: bool| if holds { issue.executed } else { 0 };
        let destination = issue.instruction.destination;
        match vote {
            Vote::All => self.write_predicate(issue.warp, issue.executed, destination, whole(held == issue.executed)),
            Vote::Any => self.write_predicate(issue.warp, issue.executed, destination, whole(held != 0)),
            Vote::Ballot => return self.write_each(issue, |_, _| held as u32),
            Vote::BallotHigh => return self.write_each(issue, |_, _| (held >> 32) as u32),
        }
        None
    }

    fn shuffle(&mut self, issue: &Issue, shuffle: Shuffle) -> Option<MemoryAccess> {
        let instruction = issue.instruction;
        self.write_each(issue, |lanes, thread| {
            let b = lanes.source(issue.warp, thread, instruction.b) as usize;
            let other = match shuffle {
                Shuffle::Index => b,
                Shuffle::Up => thread.wrapping_sub(b),
                Shuffle::Down => thread.wrapping_add(b),
                Shuffle::ExclusiveOr => thread ^ b,
            };
            let takes_part = other < lanes.threads && issue.executed >> other & 1 != 0;
            lanes.register(issue.warp, if takes_part { other } else { thread }, instruction.a)
        })
    }
}
