//! A thread's private state and what data instructions do to it: the same code for the oracle and for the runner.

use super::program::{Data, Predicate, Program, CELLS, FUEL, REGISTERS};

/// All that a thread has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its registers.
    pub registers: [u32; REGISTERS],
    /// Its memory.
    pub cells: [u32; CELLS],
    /// Fold of all addresses that it visited and all values that it wrote, in order.
    pub digest: u64,
    /// Instructions that it ran.
    pub steps: u32,
}

impl Thread {
    /// A thread at its launch: register 0 holds its number, 1 to 5 random values, 6 one that all threads share.
    pub fn new(program: &Program, number: usize) -> Self {
        let mut registers = [0; REGISTERS];
        registers[0] = number as u32;
        for register in 1..6_u64 {
            registers[register as usize] = scramble(program.data_seed ^ ((number as u64) << 8 | register)) as u32;
        }
        registers[6] = scramble(program.data_seed) as u32;
        registers[usize::from(FUEL)] = program.fuel;
        Self { registers, cells: [0; CELLS], digest: 0, steps: 0 }
    }

    /// Notes a visit to an address.
    pub fn visit(&mut self, address: u32) {
        self.steps += 1;
        self.fold(address.into());
    }

    /// Reads a register.
    pub fn get(&self, register: u8) -> u32 {
        self.registers[usize::from(register)]
    }

    /// Writes a register.
    pub fn set(&mut self, register: u8, value: u32) {
        self.registers[usize::from(register)] = value;
        self.fold(1 << 40 | u64::from(value));
    }

    /// Whether an instruction with this predicate is meant for it.
    pub fn meets(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::Always => true,
            Predicate::Below { register, modulus, bound } => self.get(register) % modulus.max(1) < bound,
            Predicate::NotBelow { register, modulus, bound } => self.get(register) % modulus.max(1) >= bound,
            Predicate::Zero { register } => self.get(register) == 0,
            Predicate::NotZero { register } => self.get(register) != 0,
        }
    }

    /// Runs a data instruction.
    pub fn run(&mut self, data: &Data) {
        match data {
            Data::Mix { destination, left, right, constant } => {
                let product = self.get(*right).wrapping_mul(0x9e37_79b1);
                let value = (self.get(*left).rotate_left(5) ^ product).wrapping_add(*constant);
                // The low bits steer predicates; a multiplication alone would leave them regular.
                self.set(*destination, value ^ value >> 15);
            }
            Data::Set { destination, value } => self.set(*destination, *value),
            Data::Address { destination, address } => self.set(*destination, *address),
            Data::Add { register, constant } => self.set(*register, self.get(*register).wrapping_add(*constant)),
            Data::Reduce { destination, source, modulus, least } => {
                self.set(*destination, self.get(*source) % (*modulus).max(1) + least);
            }
            Data::Gate { destination, gate, source, modulus, bound } => {
                let open = self.get(*gate) != 0 && self.get(*source) % (*modulus).max(1) < *bound;
                self.set(*destination, open.into());
            }
            Data::Choose { destination, source, table } => {
                let choice = self.get(*source) as usize % table.len().max(1);
                self.set(*destination, table.get(choice).copied().unwrap_or(0));
            }
            Data::Store { index, source } => {
                let (cell, value) = (self.get(*index) as usize % CELLS, self.get(*source));
                self.cells[cell] = value;
                self.fold(2 << 40 | (cell as u64) << 32 | u64::from(value));
            }
            Data::Load { destination, index } => {
                let value = self.cells[self.get(*index) as usize % CELLS];
                self.set(*destination, value);
            }
        }
    }

    fn fold(&mut self, value: u64) {
        self.digest = (self.digest.rotate_left(7) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Spreads a small number over 64 bits (the finalizer of SplitMix64).
pub fn scramble(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
