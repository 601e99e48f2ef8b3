//! One barrier instruction of one warp: from the instruction to requests, from their answers to what the divergence engine is asked.

use std::collections::VecDeque;

use crate::assembler::TRANSACTIONS;
use crate::barrier::{phase_data, Operation, Request, Response};
use crate::engine::{self, Kind, Mask};
use crate::isa::{barrier_flag, Action, Attribute, BarrierOpcode, ControlOpcode, Instruction, Reference};
use crate::lanes::LaneAnswer;

use super::mapping::{threads_of, Mapping};

/// A request, and the threads of the warp that it speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The request.
    pub request: Request,
    /// The threads; their answers are those of the request.
    pub threads: Mask,
}

/// What the scheduler has answered, in threads of the warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Asleep from now on.
    pub sleep: Mask,
    /// They go on at the next instruction.
    pub pass: Mask,
    /// They go on behind the bottom.
    pub skip: Mask,
    /// They present the instruction again.
    pub wait: Mask,
}

/// A barrier instruction under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The warp.
    pub warp: usize,
    /// PC of the instruction.
    pub address: u32,
    /// The barrier.
    pub barrier: usize,
    /// PC behind the bottom, of a top.
    pub after: u32,
    /// Threads that issued it.
    pub active: Mask,
    /// EXIT: the engine is asked to remove these.
    pub exits: Mask,
    /// Requests that are not answered yet.
    pub parts: VecDeque<Part>,
    /// The answers so far.
    pub answer: Answer,
}

/// Where a warp is.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The warp.
    pub warp: usize,
    /// Its number in its CTA.
    pub warp_of_cta: usize,
    /// Slot of its CTA.
    pub cta: usize,
    /// PC.
    pub address: u32,
    /// Threads that issue.
    pub active: Mask,
}

/// Does the barrier scheduler have a say in this instruction?
pub fn concerns(instruction: &Instruction) -> bool {
    match instruction.action {
        Action::Barrier(opcode) => opcode != BarrierOpcode::ConditionalBottom,
        // With an address it runs a handler, and the threads live on (DQ-31).
        Action::Control(ControlOpcode::Exit) => !instruction.optional,
        _ => false,
    }
}

impl Flight {
    /// The requests of an instruction that [`concerns`] the scheduler.
    pub fn new(issue: Issue<'_>, lanes: &LaneAnswer, mapping: &Mapping) -> Self {
        let Issue { instruction, warp, cta, address, active, .. } = issue;
        let named = lanes.named;
        let barrier = usize::from(instruction.barrier());
        let mut flight = Flight {
            warp,
            address,
            barrier,
            after: instruction.immediate(),
            active,
            exits: 0,
            parts: VecDeque::new(),
            answer: Answer { pass: active & !named, ..Answer::default() },
        };
        let basis = Request { cta, barrier, tag: address, ..Request::default() };
        match instruction.action {
            Action::Barrier(
                opcode @ (BarrierOpcode::Conditional | BarrierOpcode::Ordered | BarrierOpcode::Unordered),
            ) => {
                let flag = |bit: u8| instruction.c & bit != 0;
                let top = Request {
                    operation: Operation::Arrive,
                    after: flight.after,
                    critical: opcode != BarrierOpcode::Conditional,
                    ordered: opcode == BarrierOpcode::Ordered,
                    exclusive: flag(barrier_flag::EXCLUSIVE),
                    blocking: !flag(barrier_flag::NONBLOCKING),
                    impatient: flag(barrier_flag::IMPATIENT),
                    ..basis
                };
                // Those whose guard fails arrive as well, as non-participants (BR-10).
                flight.answer.pass = 0;
                flight.each_block(&issue, mapping, active, top);
                let participants = mapping.blocks(issue.warp_of_cta, named);
                for part in &mut flight.parts {
                    let block = participants.iter().find(|(block, _)| *block == part.request.block);
                    part.request.participants = block.map_or(0, |(_, mask)| *mask);
                }
            }
            Action::Barrier(BarrierOpcode::Bottom) => {
                flight.each_block(&issue, mapping, named, Request { operation: Operation::Bottom, ..basis });
            }
            Action::Barrier(BarrierOpcode::Arrive) => {
                flight.each_block(&issue, mapping, named, Request { operation: Operation::SplitArrive, ..basis });
            }
            Action::Barrier(BarrierOpcode::Wait) => flight.wait(&issue, lanes, mapping, basis),
            Action::Barrier(BarrierOpcode::Expect) => {
                flight.transactions(&issue, lanes, mapping, Request { operation: Operation::Expect, ..basis });
            }
            Action::Barrier(BarrierOpcode::Complete) => {
                flight.transactions(&issue, lanes, mapping, Request { operation: Operation::Complete, ..basis });
            }
            Action::Barrier(BarrierOpcode::Configure) => {
                let data = configuration(instruction, lanes);
                let request = Request { operation: Operation::Configure, data, ..basis };
                flight.once(&issue, mapping, named, request);
            }
            Action::Barrier(BarrierOpcode::Reset) => {
                flight.once(&issue, mapping, named, Request { operation: Operation::Reset, ..basis });
            }
            _ => {
                flight.exits = named;
                flight.answer.pass = 0;
                flight.each_block(&issue, mapping, named, Request { operation: Operation::Exit, ..basis });
            }
        }
        flight
    }

    /// A request for each block that has threads.
    fn each_block(&mut self, issue: &Issue<'_>, mapping: &Mapping, threads: Mask, request: Request) {
        for (block, mask) in mapping.blocks(issue.warp_of_cta, threads) {
            let threads = mapping.warps(block, mask).iter().fold(0, |all, (_, threads)| all | threads);
            self.parts.push_back(Part { request: Request { block, mask, ..request }, threads });
        }
    }

    /// One request for all threads; it names the first block of them, for messages.
    fn once(&mut self, issue: &Issue<'_>, mapping: &Mapping, threads: Mask, request: Request) {
        if let Some((block, mask)) = mapping.blocks(issue.warp_of_cta, threads).first() {
            self.parts.push_back(Part { request: Request { block: *block, mask: *mask, ..request }, threads });
        }
    }

    /// Threads that wait for the same parity as the first go together; the others present the instruction again.
    fn wait(&mut self, issue: &Issue<'_>, lanes: &LaneAnswer, mapping: &Mapping, basis: Request) {
        let LaneAnswer { named, parity: odd, .. } = *lanes;
        let Some(first) = threads_of(named).next() else { return };
        let parity = odd >> first & 1 == 1;
        let agreeing = if parity { odd } else { named & !odd };
        self.answer.wait = named & !agreeing;
        let request = Request { operation: Operation::SplitWait, data: phase_data(parity, 0), ..basis };
        self.each_block(issue, mapping, agreeing, request);
    }

    /// Every thread announces or completes as many as its operand says; those of one parity go together.
    fn transactions(&mut self, issue: &Issue<'_>, lanes: &LaneAnswer, mapping: &Mapping, request: Request) {
        let LaneAnswer { named, parity: odd, even: even_sum, odd: odd_sum, .. } = *lanes;
        for (parity, threads, sum) in [(false, named & !odd, even_sum), (true, odd, odd_sum)] {
            let mut sum = u32::from(sum);
            // More than one request holds is more than the scheduler counts to; it says so.
            while sum > 0 {
                let count = sum.min(TRANSACTIONS);
                sum -= count;
                let request = Request { data: phase_data(parity, count.into()), ..request };
                self.once(issue, mapping, threads, request);
            }
            self.answer.pass |= threads;
        }
    }

    /// Takes the answer to the oldest request that is not answered yet.
    pub fn answered(&mut self, mapping: &Mapping, warp_of_cta: usize, response: &Response) {
        let Some(Part { request, threads }) = self.parts.pop_front() else { return };
        let in_warp = |mask| {
            let warps = mapping.warps(request.block, mask);
            warps.iter().filter(|(warp, _)| *warp == warp_of_cta).fold(0, |all, (_, threads)| all | threads)
        };
        let answer = &mut self.answer;
        if response.refused {
            answer.wait |= threads;
            answer.pass &= !threads;
        } else if request.operation.partitions() || request.operation == Operation::Bottom {
            answer.sleep |= in_warp(response.sleep);
            answer.pass |= in_warp(response.pass);
            answer.skip |= in_warp(response.skip);
            answer.wait |= in_warp(response.wait);
        } else {
            answer.pass |= threads;
        }
    }

    /// What the divergence engine is asked, one after the other, once everything is answered. Nothing: the warp presents the
    /// instruction again.
    ///
    /// Who goes to another place, or presents the instruction again, yields to that address: a leave of a kind that no token has,
    /// which is an implicit yield (DQ-28). A plain stack has no way to let others run meanwhile, so a warp that waits as a whole stays.
    pub fn steps(&self, stack_mode: bool) -> VecDeque<engine::Request> {
        let plain = |operation, mask| engine::Request {
            warp: self.warp,
            operation,
            kind: None,
            mask,
            target: 0,
            targeted: false,
            again: false,
        };
        let mut steps = VecDeque::new();
        if self.exits != 0 {
            steps.push_back(plain(engine::Operation::Exit, self.exits));
            return steps;
        }
        let Answer { sleep, skip, wait, .. } = self.answer;
        if skip == self.active {
            let branch = plain(engine::Operation::Branch, skip);
            steps.push_back(engine::Request { target: self.after, ..branch });
            return steps;
        }
        if stack_mode && wait == self.active {
            return steps;
        }
        let mut left = self.active;
        for (threads, target) in [(skip, self.after), (wait, self.address)] {
            if threads != 0 {
                left &= !threads;
                let leave = plain(engine::Operation::Leave, threads);
                let again = left != 0;
                steps.push_back(engine::Request { kind: Some(Kind::Barrier), target, targeted: true, again, ..leave });
            }
        }
        if sleep != 0 {
            steps.push_back(plain(engine::Operation::Sleep, sleep));
        } else if left != 0 {
            steps.push_back(plain(engine::Operation::Step, left));
        }
        steps
    }
}

/// The word of a BARRIER.CONF; a reference in a register is that of the first thread.
pub fn configuration(instruction: &Instruction, lanes: &LaneAnswer) -> u64 {
    let configuration = instruction.configuration();
    match configuration.reference {
        Reference::Register(_) if lanes.named != 0 => {
            configuration.with(Attribute::Reference, lanes.reference.into()).word
        }
        _ => configuration.word,
    }
}
