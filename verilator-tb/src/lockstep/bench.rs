//! What is common to the benches of all blocks: an episode of stimulus, the loop that runs it, and the counts of what happened.

use super::idle::{Idle, Noise};
use super::pair::Pair;
use crate::verilated::Start;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Cycles without a new operation after which an episode counts as hung.
const PATIENCE: u64 = 100_000;

/// The sizes of a block of chapter 1 at a point, as its benches need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Warps.
    pub warps: usize,
    /// Threads of a warp.
    pub threads: usize,
    /// Entries of a window.
    pub depth: usize,
    /// Bits of an address.
    pub address_bits: usize,
}

impl Shape {
    /// The sizes of an entry of the list of points.
    pub fn of(entry: &Entry) -> Self {
        let parameter = |name: &str| entry.parameter(name).unwrap_or(1) as usize;
        Self {
            warps: parameter("warps"),
            threads: parameter("threads"),
            depth: parameter("depth"),
            address_bits: parameter("address_bits"),
        }
    }

    /// Every thread of a warp.
    pub fn all_threads(&self) -> u64 {
        u64::MAX >> (64 - self.threads)
    }

    /// The widest address.
    pub fn last_address(&self) -> u32 {
        u32::MAX >> (32 - self.address_bits)
    }
}

/// How often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    /// One more of `event`.
    pub fn add(&mut self, event: &'static str) {
        self.add_many(event, 1);
    }

    /// So many more of `event`.
    pub fn add_many(&mut self, event: &'static str, count: u64) {
        *self.0.entry(event).or_default() += count;
    }

    /// How many of `event`.
    pub fn of(&self, event: &str) -> u64 {
        self.0.get(event).copied().unwrap_or(0)
    }

    /// Adds another run's counts.
    pub fn merge(&mut self, other: &Counts) {
        for (event, count) in &other.0 {
            *self.0.entry(event).or_default() += count;
        }
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(event, count)| (*event, *count))
    }

    /// Those of `expected` that never happened.
    pub fn missing(&self, expected: &[&'static str]) -> Vec<&'static str> {
        expected.iter().copied().filter(|event| self.of(event) == 0).collect()
    }
}

/// What an episode is made of: how the block and its surroundings are set up, and what is asked of it, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stimulus<Settings, Operation> {
    /// The set-up.
    pub settings: Settings,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// A block that can be run in lockstep.
pub trait Subject {
    /// Its sizes at a point.
    type Shape;
    /// Its set-up.
    type Settings: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned;
    /// What can be asked of it.
    type Operation: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned;
    /// An episode under way.
    type Bench: Bench;
    /// What a good run has seen at least once.
    const EXPECTED: &'static [&'static str];
    /// The sizes of an entry of the list of points.
    fn shape(entry: &Entry) -> Self::Shape;
    /// A random episode.
    fn stimulus(shape: &Self::Shape, seed: u64) -> Stimulus<Self::Settings, Self::Operation>;
    /// Starts an episode, on a block that was just reset.
    fn bench(shape: &Self::Shape, ports: &[Port], stimulus: &Stimulus<Self::Settings, Self::Operation>) -> Self::Bench;
}

/// An episode under way: drives the pins, and judges what it sees by the reference model.
pub trait Bench {
    /// The inputs at which the block may not look while a strobe is low, in every cycle after [`Bench::drive`].
    const IDLE: &'static [Idle] = &[];
    /// Sets this cycle's inputs; it may know the outputs of earlier cycles only.
    fn drive(&mut self, pins: &mut Frame);
    /// What is asked next stands on its port in this cycle already, while the strobe is low. A block that looks all the same sees sense, not chance.
    fn shows_early(&self) -> bool {
        false
    }
    /// Looks at the settled cycle.
    ///
    /// # Errors
    /// What the block did that the model does not.
    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String>;
    /// Whether everything was asked and answered.
    fn finished(&self) -> bool;
    /// How many operations of the stimulus were begun.
    fn begun(&self) -> usize;
    /// Grows whenever the block moves on: what does not grow for long hangs.
    fn progress(&self) -> u64;
}

/// Why an episode failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Cycle of the episode.
    pub cycle: u64,
    /// Operations that were begun until then.
    pub begun: usize,
    /// What differed.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "cycle {}, operation {}: {}", self.cycle, self.begun, self.what)
    }
}

/// Runs one episode on simulations that were just made from `start`, and says how many cycles it took. From random bits one cycle of reset has to do.
///
/// # Errors
/// The first difference between the simulations, or between them and the model.
pub fn run_episode<B: Bench>(
    pair: &mut Pair,
    start: Start,
    bench: &mut B,
    counts: &mut Counts,
) -> Result<u64, Failure> {
    let mut noise = Noise::of(pair.ports(), B::IDLE);
    match start {
        Start::Pattern => pair.reset_amid_noise(),
        Start::Random(_) => pair.reset(),
    }
    let (mut cycle, mut progress, mut since) = (0, 0, 0);
    while !bench.finished() {
        bench.drive(&mut pair.frame);
        noise.drive(&mut pair.frame, bench.shows_early());
        let outcome = match pair.cycle() {
            Ok(()) => bench.observe(&mut pair.frame, counts),
            Err(difference) => Err(difference.to_string()),
        };
        outcome.map_err(|what| Failure { cycle, begun: bench.begun(), what })?;
        cycle += 1;
        if bench.progress() != progress {
            (progress, since) = (bench.progress(), cycle);
        } else if cycle - since > PATIENCE {
            let what = format!("nothing moved for {PATIENCE} cycles");
            return Err(Failure { cycle, begun: bench.begun(), what });
        }
    }
    Ok(cycle)
}
