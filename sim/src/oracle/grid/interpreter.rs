//! The truth: CTA after CTA, and in a CTA thread after thread, each alone until it has to wait for others (XV-03).
//!
//! There are no warps, masks, tokens or cycles: opening a region does nothing, leaving one is a jump, YIELD does nothing. A barrier is a
//! set of threads that have come, and is over when the requirement for it holds (BR-12); a section is run by one participant after the
//! other, in logical order. A timeout is what happens when nobody can go on.

use crate::assembler::{Kernel, Launch};
use crate::barrier::Configuration;
use crate::isa::{
    Action, Attribute, BarrierOpcode, ControlOpcode, Guard, Instruction, Reference, Source, Space, Special, Width,
    ALWAYS_TRUE, ALWAYS_ZERO,
};
use crate::lanes::compute as scalar;
use barrier::{Answer, Barrier, Top};

mod barrier;

/// Why a kernel has no truth here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The threads ran too long.
    #[error("the threads did not end within {0} instructions")]
    Endless(u64),
    /// Nobody can go on.
    #[error("CTA {cta}: nobody can go on")]
    Deadlock {
        /// The CTA.
        cta: u32,
    },
    /// A thread did what no thread may.
    #[error("CTA {cta}, thread {rank}, address {address:#x}: {what}")]
    Thread {
        /// The CTA.
        cta: u32,
        /// Rank in it.
        rank: usize,
        /// The instruction.
        address: u32,
        /// What it did.
        what: &'static str,
    },
}

/// Final memory, and how much there was to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Global memory.
    pub global: Vec<u8>,
    /// Instructions of all threads.
    pub steps: u64,
    /// Meetings that were over, and sections.
    pub meetings: u64,
}

/// Instructions after which a thread lets the others have a turn, for those that spin.
const TURN: u64 = 2000;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It presents its instruction again when somebody else has moved.
    Again,
    /// Asleep in a barrier of this id, at a top or a WAIT.
    Asleep(usize),
    Exited,
}

#[derive(Clone, Debug)]
struct Thread {
    address: u32,
    registers: [u32; 64],
    predicates: [bool; 8],
    local: Vec<u8>,
    /// Where CAL, PLONGJMP and their like go back to.
    returns: Vec<(ControlOpcode, u32)>,
    state: State,
}

/// Runs a launch. `limit` bounds the instructions of all threads together.
pub fn interpret(kernel: &Kernel, launch: &Launch, limit: u64) -> Result<Truth, Illegal> {
    let mut truth = Truth { global: launch.global.clone(), steps: 0, meetings: 0 };
    let launched =
        |number: &u32| launch.predicate.is_none_or(|table| launch.flag(&launch.global, table, launch.cta(*number)));
    for number in (0..launch.ctas()).filter(launched) {
        let threads = launch.block_threads() as usize;
        let thread = Thread {
            address: 0,
            registers: [0; 64],
            predicates: [false; 8],
            local: vec![0; launch.local_bytes as usize],
            returns: Vec::new(),
            state: State::Runs,
        };
        Cta {
            kernel,
            launch,
            number,
            limit,
            threads: vec![thread; threads],
            shared: vec![0; launch.shared_bytes as usize],
            barriers: std::array::from_fn(|_| Barrier::default()),
            inside: None,
            truth: &mut truth,
        }
        .run()?;
    }
    Ok(truth)
}

struct Cta<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    number: u32,
    limit: u64,
    threads: Vec<Thread>,
    shared: Vec<u8>,
    barriers: [Barrier; 8],
    /// The thread in a section, and its barrier.
    inside: Option<(usize, usize)>,
    truth: &'a mut Truth,
}

impl Cta<'_> {
    fn run(&mut self) -> Result<(), Illegal> {
        while self.threads.iter().any(|thread| thread.state != State::Exited) {
            let before = (self.truth.steps, self.truth.meetings);
            for rank in 0..self.threads.len() {
                if self.threads[rank].state == State::Again {
                    self.threads[rank].state = State::Runs;
                }
                self.turn(rank)?;
            }
            let live = self.live();
            let complete = (0..self.barriers.len()).find(|id| self.barriers[*id].complete(&live));
            let impatient = || (0..self.barriers.len()).find(|id| self.barriers[*id].may_time_out());
            let moved = (self.truth.steps, self.truth.meetings) != before;
            match complete.or_else(|| if moved { None } else { impatient() }) {
                Some(id) => self.end(id)?,
                None if moved => {}
                None => return Err(Illegal::Deadlock { cta: self.number }),
            }
        }
        Ok(())
    }

    /// The ranks that have not exited.
    fn live(&self) -> Vec<usize> {
        (0..self.threads.len()).filter(|rank| self.threads[*rank].state != State::Exited).collect()
    }

    /// A barrier's execution or phase ends.
    fn end(&mut self, id: usize) -> Result<(), Illegal> {
        self.truth.meetings += 1;
        let (sleepers, top) = self.barriers[id].end();
        match top {
            Some(Top { critical: true, .. }) => {
                for rank in sleepers {
                    self.threads[rank].address += 1;
                    self.threads[rank].state = State::Runs;
                    self.inside = Some((rank, id));
                    while self.inside.is_some() {
                        match self.threads[rank].state {
                            State::Runs => self.turn(rank)?,
                            _ => return Err(self.wrong(rank, "it waits inside a section")),
                        }
                    }
                }
            }
            _ => {
                for rank in sleepers {
                    self.threads[rank].address += 1;
                    self.threads[rank].state = State::Runs;
                }
            }
        }
        Ok(())
    }

    fn wrong(&self, rank: usize, what: &'static str) -> Illegal {
        Illegal::Thread { cta: self.number, rank, address: self.threads[rank].address, what }
    }

    /// Runs a thread until it waits, exits, leaves its section, or has had its turn.
    fn turn(&mut self, rank: usize) -> Result<(), Illegal> {
        let inside = self.inside;
        let end = self.truth.steps + TURN;
        while self.threads[rank].state == State::Runs && self.inside == inside && self.truth.steps < end {
            let address = self.threads[rank].address;
            let instruction =
                *self.kernel.instructions.get(address as usize).ok_or_else(|| self.wrong(rank, "it left the code"))?;
            if self.truth.steps == self.limit {
                return Err(Illegal::Endless(self.limit));
            }
            let named = self.holds(rank, instruction.guard);
            let next = match instruction.action {
                Action::Control(opcode) => self.control(rank, opcode, &instruction, named)?,
                Action::Barrier(opcode) => self.barrier(rank, opcode, &instruction, named)?,
                _ => {
                    if named {
                        self.data(rank, &instruction)?;
                    }
                    Some(address + 1)
                }
            };
            if let Some(next) = next {
                self.threads[rank].address = next;
                self.truth.steps += 1;
            }
        }
        Ok(())
    }

    fn holds(&self, rank: usize, guard: Guard) -> bool {
        (guard.predicate == ALWAYS_TRUE || self.threads[rank].predicates[usize::from(guard.predicate)]) != guard.negate
    }

    fn source(&self, rank: usize, source: Source) -> u32 {
        match source {
            Source::Register(register) => self.threads[rank].registers[usize::from(register)],
            Source::Immediate(value) => value,
        }
    }

    fn set(&mut self, rank: usize, register: u8, value: u32) {
        if register != ALWAYS_ZERO {
            self.threads[rank].registers[usize::from(register)] = value;
        }
    }

    /// Where a thread goes; none if it exits.
    fn control(
        &mut self,
        rank: usize,
        opcode: ControlOpcode,
        instruction: &Instruction,
        named: bool,
    ) -> Result<Option<u32>, Illegal> {
        let next = self.threads[rank].address + 1;
        let target = instruction.immediate();
        let register = self.threads[rank].registers[usize::from(instruction.a)];
        if !named {
            return Ok(Some(next));
        }
        let back = |thread: &mut Thread, opener: ControlOpcode| {
            let place = thread.returns.iter().rposition(|(other, _)| *other == opener)?;
            let (_, target) = thread.returns[place];
            thread.returns.truncate(place);
            Some(target)
        };
        Ok(Some(match opcode {
            ControlOpcode::Ssy
            | ControlOpcode::Pbk
            | ControlOpcode::Pcnt
            | ControlOpcode::Pexit
            | ControlOpcode::Yield => next,
            ControlOpcode::Plongjmp => {
                self.threads[rank].returns.push((opcode, target));
                next
            }
            ControlOpcode::Sync
            | ControlOpcode::Brk
            | ControlOpcode::Cont
            | ControlOpcode::Bra
            | ControlOpcode::Jmp => target,
            ControlOpcode::Brx | ControlOpcode::Jmx => register.wrapping_add(target),
            ControlOpcode::Cal => {
                if instruction.optional {
                    self.set(rank, instruction.destination, next);
                }
                self.threads[rank].returns.push((opcode, next));
                target
            }
            ControlOpcode::Ret | ControlOpcode::Longjmp => {
                let opener = if opcode == ControlOpcode::Ret { ControlOpcode::Cal } else { ControlOpcode::Plongjmp };
                let returns_to = back(&mut self.threads[rank], opener);
                match instruction.optional {
                    true => register.wrapping_add(target),
                    false => returns_to.ok_or_else(|| self.wrong(rank, "it has nothing to return to"))?,
                }
            }
            ControlOpcode::Exit if instruction.optional => target,
            ControlOpcode::Exit => {
                self.truth.steps += 1;
                self.threads[rank].state = State::Exited;
                self.barriers.iter_mut().for_each(|barrier| barrier.exit(rank));
                // BR-26: it acts as the section's bottom.
                self.inside = self.inside.filter(|(inside, _)| *inside != rank);
                return Ok(None);
            }
        }))
    }

    /// Where a thread goes; none if it sleeps or presents the instruction again.
    fn barrier(
        &mut self,
        rank: usize,
        opcode: BarrierOpcode,
        instruction: &Instruction,
        named: bool,
    ) -> Result<Option<u32>, Illegal> {
        let address = self.threads[rank].address;
        let (next, id) = (address + 1, usize::from(instruction.barrier()));
        let operand = self.source(rank, instruction.b);
        let first = self.threads[rank].registers[usize::from(instruction.a)];
        match opcode {
            BarrierOpcode::Conditional | BarrierOpcode::Ordered | BarrierOpcode::Unordered => {
                if self.inside.is_some() {
                    return Err(self.wrong(rank, "a top inside a section"));
                }
                let top = Top { tag: address, critical: opcode != BarrierOpcode::Conditional };
                Ok(match self.barriers[id].arrive(rank, named, top) {
                    Answer::Sleep => self.wait(rank, State::Asleep(id)),
                    Answer::Again => self.wait(rank, State::Again),
                    Answer::GoOn => Some(instruction.immediate()),
                })
            }
            _ if !named => Ok(Some(next)),
            BarrierOpcode::Bottom if self.inside == Some((rank, id)) => {
                self.inside = None;
                Ok(Some(next))
            }
            BarrierOpcode::Bottom => Err(self.wrong(rank, "a bottom outside its section")),
            BarrierOpcode::ConditionalBottom => Ok(Some(next)),
            BarrierOpcode::Arrive => {
                self.barriers[id].split_arrive(rank);
                Ok(Some(next))
            }
            BarrierOpcode::Wait => Ok(match self.barriers[id].split_wait(rank, operand & 1 == 1) {
                true => Some(next),
                false => self.wait(rank, State::Asleep(id)),
            }),
            BarrierOpcode::Expect | BarrierOpcode::Complete => {
                let count = i64::from(operand);
                let change = if opcode == BarrierOpcode::Expect { count } else { -count };
                self.barriers[id].transactions[(first & 1) as usize] += change;
                Ok(Some(next))
            }
            BarrierOpcode::Configure => {
                let configuration = instruction.configuration();
                let configuration = match configuration.reference {
                    Reference::Immediate => configuration,
                    Reference::Register(register) => {
                        let reference = self.threads[rank].registers[usize::from(register)];
                        configuration.with(Attribute::Reference, u64::from(reference))
                    }
                };
                self.barriers[id].configuration = Configuration::from_word(configuration.word);
                Ok(Some(next))
            }
            BarrierOpcode::Reset => Err(self.wrong(rank, "BARRIER.RESET, whose effect depends on time")),
        }
    }

    fn wait(&mut self, rank: usize, state: State) -> Option<u32> {
        self.threads[rank].state = state;
        None
    }

    fn special(&self, rank: usize, special: Special) -> u32 {
        let [block_x, block_y, block_z] = self.launch.block;
        let [grid_x, grid_y, grid_z] = self.launch.grid;
        let [cta_x, cta_y, cta_z] = self.launch.cta(self.number);
        let rank = rank as u32;
        match special {
            Special::Logical => rank,
            Special::Cta => self.number,
            Special::Block => self.launch.block_threads(),
            Special::ThreadX => rank % block_x,
            Special::ThreadY => rank / block_x % block_y,
            Special::ThreadZ => rank / block_x / block_y,
            Special::CtaX => cta_x,
            Special::CtaY => cta_y,
            Special::CtaZ => cta_z,
            Special::BlockX => block_x,
            Special::BlockY => block_y,
            Special::BlockZ => block_z,
            Special::GridX => grid_x,
            Special::GridY => grid_y,
            Special::GridZ => grid_z,
            // Threads alone are in no warp; a kernel whose result depends on it has no truth, and 32 is the usual width.
            Special::Lane => rank % 32,
            Special::Warp => rank / 32,
        }
    }

    fn memory(&mut self, rank: usize, space: Space) -> &mut Vec<u8> {
        match space {
            Space::Global => &mut self.truth.global,
            Space::Shared => &mut self.shared,
            Space::Local => &mut self.threads[rank].local,
        }
    }

    /// Bytes of memory at an address, as a number.
    fn load(&mut self, rank: usize, space: Space, address: u32, width: Width) -> Result<u32, Illegal> {
        let range = address as usize..address as usize + width.bytes() as usize;
        let bytes = self.memory(rank, space).get(range);
        let value = bytes.map(|bytes| bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)));
        value.ok_or_else(|| self.wrong(rank, "an access out of bounds"))
    }

    fn store(&mut self, rank: usize, space: Space, address: u32, width: Width, value: u32) -> Result<(), Illegal> {
        let bytes = width.bytes() as usize;
        let range = address as usize..address as usize + bytes;
        match self.memory(rank, space).get_mut(range) {
            Some(place) => place.copy_from_slice(&value.to_le_bytes()[..bytes]),
            None => return Err(self.wrong(rank, "an access out of bounds")),
        }
        Ok(())
    }

    fn data(&mut self, rank: usize, instruction: &Instruction) -> Result<(), Illegal> {
        let thread = &self.threads[rank];
        let (a, c) = (thread.registers[usize::from(instruction.a)], thread.registers[usize::from(instruction.c)]);
        let b = self.source(rank, instruction.b);
        let offset = if let Source::Immediate(offset) = instruction.b { offset } else { 0 };
        let address = a.wrapping_add(offset);
        match instruction.action {
            Action::Compute(operation) => {
                let select = self.holds(rank, instruction.predicate_operand());
                self.set(rank, instruction.destination, scalar::compute(operation, a, b, c, select));
            }
            Action::Compare(domain, comparison) => {
                self.threads[rank].predicates[usize::from(instruction.destination)] =
                    scalar::compare(domain, comparison, a, b);
            }
            Action::ReadSpecial => {
                let special = Special::from_number(b).ok_or_else(|| self.wrong(rank, "no such special register"))?;
                let value = self.special(rank, special);
                self.set(rank, instruction.destination, value);
            }
            Action::ReadParameter => {
                let value = self.launch.parameters.get(b as usize).copied();
                let value = value.ok_or_else(|| self.wrong(rank, "no such parameter"))?;
                self.set(rank, instruction.destination, value);
            }
            Action::Load(space, access) => {
                let raw = self.load(rank, space, address, access.width)?;
                let value = match (access.signed, access.width) {
                    (true, Width::Byte) => raw as u8 as i8 as u32,
                    (true, Width::Half) => raw as u16 as i16 as u32,
                    _ => raw,
                };
                self.set(rank, instruction.destination, value);
            }
            Action::Store(space, width) => self.store(rank, space, address, width, c)?,
            Action::Atomic(space, operation) => {
                let compares = operation == crate::isa::AtomicOperation::CompareAndSwap;
                let address = if compares { a } else { address };
                let old = self.load(rank, space, address, Width::Word)?;
                self.store(rank, space, address, Width::Word, scalar::combine(operation, old, b, c))?;
                self.set(rank, instruction.destination, old);
            }
            Action::Vote(_) | Action::Shuffle(_) => {
                return Err(self.wrong(rank, "a vote or a shuffle, which a thread alone cannot do"));
            }
            Action::Nothing | Action::Fence | Action::Control(_) | Action::Barrier(_) => {}
        }
        Ok(())
    }
}
