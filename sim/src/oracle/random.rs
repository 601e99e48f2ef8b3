//! What both generators share: draws, labels that are placed later, and the finished program.

use super::program::{Class, Data, Instruction, Predicate, Program};
use crate::engine::Mask;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Addresses from here on are labels until [`Builder::finish`] replaces them.
const FIRST_LABEL: u32 = 1 << 24;

/// The source of one program's randomness: its place in the campaign, nothing else, so that it can be made again.
pub fn stream(seed: u64, class: Class, batch: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(match class {
        Class::Structured => batch << 1,
        Class::Goto => batch << 1 | 1,
        Class::Plain => batch << 1 | 1 << 63,
    });
    random
}

/// A program in the making.
pub struct Builder<'r> {
    /// Its randomness.
    pub random: &'r mut ChaCha8Rng,
    code: Vec<Instruction>,
    labels: Vec<u32>,
}

impl<'r> Builder<'r> {
    /// No code yet.
    pub fn new(random: &'r mut ChaCha8Rng) -> Self {
        Self { random, code: Vec::new(), labels: Vec::new() }
    }

    /// A label that is not placed yet; use it as an address.
    pub fn label(&mut self) -> u32 {
        self.labels.push(0);
        FIRST_LABEL + self.labels.len() as u32 - 1
    }

    /// Places a label here.
    pub fn place(&mut self, label: u32) {
        self.labels[(label - FIRST_LABEL) as usize] = self.here();
    }

    /// The next instruction's address.
    pub fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// Appends an instruction.
    pub fn emit(&mut self, instruction: Instruction) {
        self.code.push(instruction);
    }

    /// Appends a data instruction.
    pub fn data(&mut self, data: Data) {
        self.emit(Instruction::Data(data));
    }

    /// True `percent` times out of a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    /// A register with random contents: the thread's number, the five values of its own, or the one that all share.
    pub fn value_register(&mut self) -> u8 {
        self.random.random_range(0..7)
    }

    /// A data instruction that changes one of the thread's own values.
    pub fn mix(&mut self) {
        let (destination, left, right) = (self.random.random_range(1..6), self.value_register(), self.value_register());
        let constant = self.random.next_u32();
        self.data(Data::Mix { destination, left, right, constant });
    }

    /// A condition that about `percent` of the threads fulfil; one in five is the same for all threads.
    pub fn condition(&mut self, percent: u32) -> Predicate {
        let register = if self.chance(20) { 6 } else { self.value_register() };
        let modulus = [2, 3, 5, 7, 8, 16][self.random.random_range(0..6)];
        let bound = (modulus * percent).div_ceil(100).max(1);
        Predicate::Below { register, modulus, bound }
    }

    /// A random choice.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.random_range(0..from.len())]
    }

    /// The code so far, to be looked over before it is finished.
    pub fn code_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.code
    }

    /// Replaces the labels by addresses; `threads` is the width of the warp.
    pub fn finish(mut self, class: Class, threads: usize, fuel: u32) -> Program {
        for address in self.code.iter_mut().flat_map(Instruction::addresses_mut) {
            if *address >= FIRST_LABEL {
                *address = self.labels[(*address - FIRST_LABEL) as usize];
            }
        }
        // Half of the programs lie where all bits of a 22-bit address matter.
        let room = (1 << 22) - self.code.len() as u32;
        let base = if self.chance(50) { self.random.random_range(0..room) } else { 0 };
        let threads = launch_mask(self.random, threads);
        Program { class, threads, base, data_seed: self.random.next_u64(), fuel, code: self.code }
    }
}

/// Threads of a launch: mostly all, else a part, a prefix or a single one; never none.
fn launch_mask(random: &mut ChaCha8Rng, threads: usize) -> Mask {
    let all = u64::MAX >> (64 - threads);
    let mask = match random.random_range(0..10) {
        0..=5 => all,
        6 | 7 => random.next_u64() & all,
        8 => all >> random.random_range(0..threads),
        _ => 1 << random.random_range(0..threads),
    };
    if mask == 0 {
        all
    } else {
        mask
    }
}
