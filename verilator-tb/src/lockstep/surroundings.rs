//! What lies around a queue in an episode: the exception handler, the spill area, and the memory behind it with its moods.

use super::bench::Shape;
use heddle_hdl::ports::Port;
use heddle_sim::model::capacity::Capacity;
use heddle_sim::rtl::handler::Handler;
use heddle_sim::rtl::memory::{Memory, Timing, SPILL_STRIDE};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// See the module's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Exceptions go to the software driver.
    pub handler_software: bool,
    /// Tokens that a warp may spill.
    pub spill_limit: u16,
    /// Where the spill areas begin, in units of all the areas.
    pub spill_area: u32,
    /// Cycles from a memory request to its answer.
    pub memory_latency: u32,
    /// Up to so many cycles more.
    pub memory_extra: u32,
    /// In how many of 256 cycles the memory takes no request.
    pub memory_stalls: u8,
    /// Seed of the memory's timing.
    pub memory_seed: u64,
}

impl Surroundings {
    /// Random ones; small spill areas are common, so that the fatal case is.
    pub fn random(shape: &Shape, random: &mut ChaCha8Rng) -> Self {
        let depth = shape.depth as u16;
        let any = random.random_range(0..4096);
        let limits = [0, 1, 2, 3, depth / 2, depth, 4 * depth, 4 * depth, any, 4095];
        Self {
            handler_software: random.random_bool(0.5),
            spill_limit: *limits.choose(random).unwrap_or(&depth),
            spill_area: random.random_range(0..=u32::MAX / Self::areas(shape)),
            memory_latency: *[1, 2, 3, 8, 30].choose(random).unwrap_or(&1),
            memory_extra: *[0, 0, 0, 5, 20].choose(random).unwrap_or(&0),
            memory_stalls: *[0, 0, 0, 100, 200].choose(random).unwrap_or(&0),
            memory_seed: random.random(),
        }
    }

    /// The two sizes that bound a queue.
    pub fn capacity(&self, shape: &Shape) -> Capacity {
        Capacity { depth: shape.depth, spill_limit: self.spill_limit.into() }
    }

    /// Where the spill areas of all warps begin, in tokens.
    pub fn spill_base(&self, shape: &Shape) -> u32 {
        self.spill_area * Self::areas(shape)
    }

    /// How much all the areas take, in tokens.
    fn areas(shape: &Shape) -> u32 {
        shape.warps.next_power_of_two().max(2) as u32 * SPILL_STRIDE
    }

    /// The memory.
    pub fn memory(&self, ports: &[Port]) -> Memory {
        let (latency, extra) = (self.memory_latency, self.memory_extra);
        Memory::new(ports, Timing { latency, extra, stalls: self.memory_stalls, seed: self.memory_seed })
    }

    /// The software handler.
    pub fn handler(&self, shape: &Shape, ports: &[Port]) -> Handler {
        let handler = Handler::new(ports, shape.depth, self.spill_base(shape), self.spill_limit.into());
        if self.memory_seed.is_multiple_of(2) {
            handler.shifting()
        } else {
            handler
        }
    }

    /// The most cycles that a memory access may take; none if nothing can be said, because the memory stalls at random.
    pub fn access(&self) -> Option<u64> {
        (self.memory_stalls == 0).then(|| 3 + u64::from(self.memory_latency + self.memory_extra))
    }
}
