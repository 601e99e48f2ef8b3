//! Every thread alone to its end: the truth against which engines are judged (XV-03).
//!
//! Alone there is nobody to wait for: opening a region does nothing, leaving one is a jump, YIELD does nothing. Only what is named
//! "to whatever the token says" needs a memory of where the thread called from.

use super::program::{Goal, Instruction, Predicate, Program, Region};
use super::thread::Thread;

/// Why a program has no truth: it is not a legal test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// A thread left the code.
    #[error("thread {thread} left the code at address {address:#x}")]
    OutOfCode {
        /// The thread.
        thread: usize,
        /// Where to.
        address: u32,
    },
    /// A thread ran too long.
    #[error("thread {thread} did not end within {limit} instructions")]
    Endless {
        /// The thread.
        thread: usize,
        /// The limit.
        limit: u32,
    },
    /// A RET or LONGJMP without an address had nothing to return to.
    #[error("thread {thread} has nothing to return to at address {address:#x}")]
    NoReturn {
        /// The thread.
        thread: usize,
        /// The instruction.
        address: u32,
    },
}

/// The final state of every launched thread, or why there is none. `limit` bounds the instructions of one thread.
pub fn interpret(program: &Program, limit: u32) -> Result<Vec<(usize, Thread)>, Illegal> {
    let launched = (0..64).filter(|thread| program.threads >> thread & 1 == 1);
    launched.map(|thread| Ok((thread, run_alone(program, thread, limit, |_| {})?))).collect()
}

/// The addresses that one thread visits.
pub fn trace(program: &Program, thread: usize, limit: u32) -> Result<Vec<u32>, Illegal> {
    let mut addresses = Vec::new();
    run_alone(program, thread, limit, |address| addresses.push(address))?;
    Ok(addresses)
}

fn run_alone(program: &Program, number: usize, limit: u32, mut visited: impl FnMut(u32)) -> Result<Thread, Illegal> {
    let mut thread = Thread::new(program, number);
    let mut returns: Vec<(Region, u32)> = Vec::new();
    let mut address = 0;
    loop {
        let Some(instruction) = program.code.get(address as usize) else {
            return Err(Illegal::OutOfCode { thread: number, address });
        };
        if thread.steps == limit {
            return Err(Illegal::Endless { thread: number, limit });
        }
        visited(address);
        thread.visit(address);
        let next = address + 1;
        let goes = |thread: &Thread, predicate: &Predicate, target: u32| {
            if thread.meets(*predicate) {
                target
            } else {
                next
            }
        };
        address = match instruction {
            Instruction::Nothing | Instruction::Yield(_) => next,
            Instruction::Push(Region::LongJump, target) => {
                returns.push((Region::LongJump, *target));
                next
            }
            Instruction::Push(..) => next,
            Instruction::Data(data) => {
                thread.run(data);
                next
            }
            Instruction::Branch(predicate, target) => goes(&thread, predicate, *target),
            Instruction::Indirect(predicate, register) => goes(&thread, predicate, thread.get(*register)),
            Instruction::Call(predicate, target, link) => {
                if thread.meets(*predicate) {
                    thread.set(*link, next);
                    returns.push((Region::Call, next));
                    *target
                } else {
                    next
                }
            }
            Instruction::Leave(_, predicate, _) | Instruction::Exit(predicate) if !thread.meets(*predicate) => next,
            Instruction::Exit(_) => return Ok(thread),
            Instruction::Leave(region, _, goal) => {
                let returns_to = returns.iter().rposition(|(other, _)| other == region).map(|place| {
                    let (_, target) = returns[place];
                    returns.truncate(place);
                    target
                });
                match goal {
                    Goal::Address(target) => *target,
                    Goal::Register(register) => thread.get(*register),
                    Goal::Token => returns_to.ok_or(Illegal::NoReturn { thread: number, address })?,
                }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{Class, Data};
    use super::*;

    fn program(code: Vec<Instruction>) -> Program {
        Program { class: Class::Goto, threads: 0b101, base: 0, data_seed: 1, fuel: 3, code }
    }

    /// XV-03: alone, a region is nothing, leaving it is a jump, and a predicate looks at the thread's own registers.
    #[test]
    fn xv_03_a_thread_alone() {
        let even = Predicate::Below { register: 0, modulus: 4, bound: 1 };
        let program = program(vec![
            Instruction::Push(Region::Sync, 4),
            Instruction::Leave(Region::Sync, even, Goal::Address(4)),
            Instruction::Yield(Predicate::Always),
            Instruction::Data(Data::Set { destination: 1, value: 77 }),
            Instruction::Exit(Predicate::Always),
        ]);
        assert_eq!(trace(&program, 0, 9), Ok(vec![0, 1, 4]));
        assert_eq!(trace(&program, 2, 9), Ok(vec![0, 1, 2, 3, 4]));
        let threads = interpret(&program, 9).unwrap();
        assert_eq!(threads.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(threads[1].1.get(1), 77);
        assert_ne!(threads[0].1.digest, threads[1].1.digest);
    }

    /// XV-03: calls nest, and a long jump forgets the calls made since it was set up.
    #[test]
    fn xv_03_returns_and_long_jumps() {
        let always = Predicate::Always;
        let program = program(vec![
            Instruction::Push(Region::LongJump, 3),
            Instruction::Call(always, 5, 7),
            Instruction::Exit(always),
            Instruction::Leave(Region::Call, Predicate::Zero { register: 7 }, Goal::Token),
            Instruction::Exit(always),
            Instruction::Leave(Region::LongJump, always, Goal::Token),
        ]);
        assert_eq!(trace(&program, 0, 9), Ok(vec![0, 1, 5, 3, 4]));
    }

    /// XV-03: a program that runs off, runs on, or returns to nowhere is no test.
    #[test]
    fn xv_03_illegal_programs() {
        let always = Predicate::Always;
        let outcome = |instruction| interpret(&program(vec![instruction]), 5).unwrap_err();
        assert_eq!(outcome(Instruction::Nothing), Illegal::OutOfCode { thread: 0, address: 1 });
        assert_eq!(outcome(Instruction::Branch(always, 0)), Illegal::Endless { thread: 0, limit: 5 });
        let lonely = Instruction::Leave(Region::Call, always, Goal::Token);
        assert_eq!(outcome(lonely), Illegal::NoReturn { thread: 0, address: 0 });
    }
}
