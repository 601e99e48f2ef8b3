//! Random goto programs: branches to anywhere, regions pushed, abandoned, pushed again and left from anywhere (XV-03).
//!
//! They end because every thread carries fuel. A block begins with "one less; out of fuel, exit", and a transfer backwards goes only to
//! the beginning of a block; forwards it goes anywhere. A call ends its block, since returning to what follows it is a
//! transfer backwards as well. Every leave carries an address or a register: nothing is promised to
//! a thread that asks for "the token" where others may have pushed theirs in front.

use super::program::{Class, Data, Goal, Instruction, Predicate, Program, Region, FUEL};
use super::random::Builder;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Register with the address after the last call.
const LINK: u8 = 7;
/// Registers with addresses of blocks.
const TARGETS: [u8; 2] = [8, 9];

/// A random goto program for a warp of `threads`.
pub fn generate(random: &mut ChaCha8Rng, threads: usize) -> Program {
    let fuel = random.random_range(8..40);
    let mut generator = Generator { builder: Builder::new(random), heads: Vec::new() };
    let blocks = generator.builder.random.random_range(2..14);
    for _ in 0..blocks {
        generator.block();
    }
    generator.builder.emit(Instruction::Exit(Predicate::Always));
    generator.connect();
    generator.builder.finish(Class::Goto, threads, fuel)
}

struct Generator<'r> {
    builder: Builder<'r>,
    /// Where blocks begin.
    heads: Vec<u32>,
}

impl Generator<'_> {
    fn head(&mut self) {
        self.heads.push(self.builder.here());
        self.builder.data(Data::Add { register: FUEL, constant: u32::MAX });
        self.builder.emit(Instruction::Exit(Predicate::Zero { register: FUEL }));
    }

    fn predicate(&mut self) -> Predicate {
        if self.builder.chance(25) {
            Predicate::Always
        } else {
            let percent = self.builder.pick(&[10, 30, 50, 80]);
            self.builder.condition(percent)
        }
    }

    /// A block. Addresses are left at 0 until [`Generator::connect`] knows where blocks lie.
    fn block(&mut self) {
        self.head();
        for _ in 0..self.builder.random.random_range(1..6) {
            let predicate = self.predicate();
            let address_register = self.builder.pick(&[LINK, TARGETS[0], TARGETS[1]]);
            match self.builder.random.random_range(0..100) {
                0..=13 => self.builder.mix(),
                14..=30 => {
                    let region = self.builder.pick(&Region::PUSHED);
                    self.builder.emit(Instruction::Push(region, 0));
                }
                31..=49 => {
                    let region = self.builder.pick(&Region::PUSHED);
                    self.builder.emit(Instruction::Leave(region, predicate, Goal::Address(0)));
                }
                50..=54 => {
                    let region = self.builder.pick(&[Region::Call, Region::LongJump]);
                    self.builder.emit(Instruction::Leave(region, predicate, Goal::Register(address_register)));
                }
                55..=76 => self.builder.emit(Instruction::Branch(predicate, 0)),
                77..=82 => self.builder.emit(Instruction::Indirect(predicate, address_register)),
                83..=86 => {
                    let (destination, source) = (self.builder.pick(&TARGETS), self.builder.value_register());
                    let table = vec![0; self.builder.random.random_range(1..6)];
                    self.builder.data(Data::Choose { destination, source, table });
                }
                87..=90 => {
                    self.builder.emit(Instruction::Call(predicate, 0, LINK));
                    self.head();
                }
                91..=98 => self.builder.emit(Instruction::Yield(predicate)),
                _ => {
                    let few = self.builder.condition(10);
                    self.builder.emit(Instruction::Exit(few));
                }
            }
        }
    }

    /// Gives every transfer its address; four leaves of five go where some region of their kind was pushed for.
    fn connect(&mut self) {
        let length = self.builder.here();
        let mut code = std::mem::take(self.builder.code_mut());
        let mut pushed: Vec<(Region, u32)> = Vec::new();
        for (place, instruction) in code.iter_mut().enumerate() {
            if let Instruction::Push(region, address) = instruction {
                *address = self.target(place as u32, length);
                pushed.push((*region, *address));
            }
        }
        for (place, instruction) in code.iter_mut().enumerate() {
            let leaves = if let Instruction::Leave(region, ..) = instruction { Some(*region) } else { None };
            match instruction {
                Instruction::Push(..) => {}
                Instruction::Data(Data::Choose { table, .. }) => {
                    table.iter_mut().for_each(|address| *address = self.builder.pick(&self.heads));
                }
                _ => {
                    for address in instruction.addresses_mut() {
                        *address = self.target(place as u32, length);
                        let reachable = |(region, target): &&(Region, u32)| {
                            Some(*region) == leaves && (*target > place as u32 || self.heads.contains(target))
                        };
                        let partners: Vec<_> = pushed.iter().filter(reachable).collect();
                        if !partners.is_empty() && self.builder.chance(80) {
                            *address = self.builder.pick(&partners).1;
                        }
                    }
                }
            }
        }
        *self.builder.code_mut() = code;
    }

    /// Anywhere forwards, or the beginning of a block.
    fn target(&mut self, place: u32, length: u32) -> u32 {
        let target = self.builder.random.random_range(0..length);
        if target > place && self.builder.chance(40) {
            return target;
        }
        self.builder.pick(&self.heads)
    }
}
