//! The memory behind a block's spill port: any latency, in order, with stalls if asked for.

use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Pins;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};

/// Distance between the spill areas of two warps, in tokens.
pub const SPILL_STRIDE: u32 = 1 << 12;

/// How the memory answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycles from a request to its answer, at least 1.
    pub latency: u32,
    /// Up to so many cycles more, drawn anew for each request.
    pub extra: u32,
    /// In how many of 256 cycles no request is taken.
    pub stalls: u8,
    /// Seed of both.
    pub seed: u64,
}

impl Timing {
    /// Always the same latency, no stalls.
    pub fn steady(latency: u32) -> Self {
        Self { latency, extra: 0, stalls: 0, seed: 0 }
    }
}

heddle_hdl::pins! {
    /// The pins of the spill port.
    struct Spill {
        memory_request_valid, memory_request_ready, memory_request_write, memory_request_address, memory_request_data,
        memory_response_valid, memory_response_ready, memory_response_data,
    }
}

/// A memory at the spill port of a block.
///
/// In each cycle: [`drive`](Memory::drive) before the block settles, [`observe`](Memory::observe) before the edge.
#[derive(Clone, Debug)]
pub struct Memory {
    pins: Spill,
    timing: Timing,
    random: ChaCha8Rng,
    words: HashMap<u32, u128>,
    answers: VecDeque<(u64, u128)>,
    now: u64,
    ready: bool,
    /// Reads and writes so far.
    pub accesses: u64,
}

impl Memory {
    /// A memory for a block that has a spill port.
    pub fn new(ports: &[Port], timing: Timing) -> Self {
        let random = ChaCha8Rng::seed_from_u64(timing.seed);
        Self {
            pins: Spill::of(ports),
            timing,
            random,
            words: HashMap::new(),
            answers: VecDeque::new(),
            now: 0,
            ready: true,
            accesses: 0,
        }
    }

    /// Puts this cycle's answer on the pins, and whether a request is taken.
    pub fn drive(&mut self, pins: &mut impl Pins) {
        self.ready = self.timing.stalls == 0 || self.random.random::<u8>() >= self.timing.stalls;
        pins.set(self.pins.memory_request_ready, self.ready.into());
        let due = self.answers.front().filter(|(due, _)| *due <= self.now);
        pins.set(self.pins.memory_response_valid, due.is_some().into());
        pins.set(self.pins.memory_response_data, due.map_or(0, |(_, data)| *data));
    }

    /// Takes this cycle's request from the settled pins.
    pub fn observe(&mut self, pins: &mut impl Pins) {
        let answered = self.answers.front().is_some_and(|(due, _)| *due <= self.now);
        if answered && pins.get(self.pins.memory_response_ready) == 1 {
            self.answers.pop_front();
        }
        if self.ready && pins.get(self.pins.memory_request_valid) == 1 {
            self.accesses += 1;
            let address = pins.get(self.pins.memory_request_address) as u32;
            if pins.get(self.pins.memory_request_write) == 1 {
                self.write(address, pins.get(self.pins.memory_request_data));
            } else {
                let extra = if self.timing.extra == 0 { 0 } else { self.random.random_range(0..=self.timing.extra) };
                let due = self.now + u64::from(self.timing.latency.max(1) + extra);
                self.answers.push_back((due, self.read(address)));
            }
        }
        self.now += 1;
    }

    /// Drops the answers under way, for a block that is being reset.
    pub fn forget_answers(&mut self) {
        self.answers.clear();
    }

    /// The word at `address`, a pattern that is no token if nobody wrote it.
    pub fn read(&self, address: u32) -> u128 {
        self.words.get(&address).copied().unwrap_or(u128::MAX)
    }

    /// Replaces the word at `address`.
    pub fn write(&mut self, address: u32, data: u128) {
        self.words.insert(address, data);
    }
}
