//! What is asked of a divergence unit, and random episodes of it.
//!
//! Operations say what they want relative to the warp's state (all its threads, the address of its token), so that they keep
//! their sense when others before them are removed.

use crate::lockstep::bench::{Shape, Stimulus};
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Kind, PathPolicy, YieldPolicy};
use heddle_sim::engine::Configuration;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How the unit is set up for an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Code of the path policy.
    pub path_policy: u8,
    /// Code of the yield policy.
    pub yield_policy: u8,
    /// Its parameter.
    pub yield_parameter: u8,
    /// Its seed.
    pub yield_seed: u16,
    /// YIELD does nothing.
    pub stack_mode: bool,
    /// Requests of warps that can issue go ahead of those that cannot.
    pub eager: bool,
    /// Handler, spill area and memory.
    pub around: Surroundings,
}

impl Settings {
    /// The rules for the reference model.
    pub fn rules(&self, shape: &Shape) -> Configuration {
        let path_policy = match self.path_policy {
            0 => PathPolicy::Taken,
            1 => PathPolicy::NotTaken,
            2 => PathPolicy::Smaller,
            _ => PathPolicy::Larger,
        };
        let yield_policy = match self.yield_policy {
            0 => YieldPolicy::Always,
            1 => YieldPolicy::EveryNth,
            _ => YieldPolicy::Random,
        };
        Configuration {
            warps: shape.warps,
            threads: shape.threads,
            depth: shape.depth,
            tree: false,
            path_policy,
            yield_policy,
            yield_parameter: self.yield_parameter,
            yield_seed: self.yield_seed,
            stack_mode: self.stack_mode,
            software_handler: self.around.handler_software,
            spill_limit: self.around.spill_limit,
            memory_latency: self.around.memory_latency,
        }
    }
}

/// The operations, by the names that the files use. On a warp that does not run, each of them is a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// An instruction without control flow.
    Step,
    /// SSY and its like.
    Push,
    /// BRA.
    Branch,
    /// BRX.
    Indirect,
    /// CAL.
    Call,
    /// SYNC and its like.
    Leave,
    /// YIELD.
    Yield,
    /// EXIT.
    Exit,
    /// Threads fall asleep at a barrier.
    Sleep,
    /// Sleeping threads wake.
    Wake,
    /// The front token leaves for a saved context, or the warp does.
    Withdraw,
    /// A token of a saved context is put at the front.
    Deposit,
    /// Threads are disabled as a saved context has them, but for one that stays active.
    Disable,
    /// Reset of the whole block.
    Reset,
}

/// Which of the active threads an operation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Named {
    /// All.
    All,
    /// None.
    None,
    /// The first.
    First,
    /// All but the first.
    Others,
    /// Those of a mask.
    Mask(u64),
}

/// The address that an operation carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// This one.
    Address(u32),
    /// That of the frontmost token of its kind.
    Token,
    /// None: only a leave may go without. If a thread would be lost, it gets that of its token after all.
    Absent,
    /// None, and threads may be lost.
    AbsentAtAnyRisk,
}

/// One thing asked of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// What.
    pub code: Code,
    /// On which warp.
    pub warp: usize,
    /// Code of the token's kind.
    pub kind: u8,
    /// On which threads.
    pub named: Named,
    /// Where to.
    pub target: Target,
    /// Further groups follow.
    pub again: bool,
    /// Idle cycles before it is offered.
    pub wait: u8,
}

/// The character of a stretch of operations.
#[derive(Clone, Copy, Debug)]
pub(in crate::lockstep) struct Phase {
    /// How often each operation comes, in the order of `CODES`.
    pub weights: [u32; 13],
    /// It takes twice the depth, all on one warp: a deep window or table needs that to come to its end.
    pub tower: bool,
}

impl Phase {
    /// A stretch of some length on some warps, in which no context is saved or restored.
    pub const fn new(weights: [u32; 10]) -> Self {
        let [step, push, branch, indirect, call, leave, yields, exit, sleep, wake] = weights;
        Self::with_contexts([step, push, branch, indirect, call, leave, yields, exit, sleep, wake, 0, 0, 0])
    }

    /// The same in which contexts are.
    pub const fn with_contexts(weights: [u32; 13]) -> Self {
        Self { weights, tower: false }
    }

    /// A long stretch on one warp.
    pub const fn tower(weights: [u32; 10]) -> Self {
        Self { tower: true, ..Self::new(weights) }
    }
}

const CODES: [Code; 13] = [
    Code::Step,
    Code::Push,
    Code::Branch,
    Code::Indirect,
    Code::Call,
    Code::Leave,
    Code::Yield,
    Code::Exit,
    Code::Sleep,
    Code::Wake,
    Code::Withdraw,
    Code::Deposit,
    Code::Disable,
];

const NEST: Phase = Phase::new([5, 40, 25, 5, 20, 3, 2, 1, 0, 0]);
const TOWER: Phase = Phase::tower([2, 80, 8, 0, 8, 0, 2, 0, 0, 0]);
const UNWIND: Phase = Phase::new([3, 3, 5, 2, 2, 60, 5, 20, 0, 0]);
const YIELDS: Phase = Phase::new([5, 5, 15, 5, 2, 8, 58, 2, 0, 0]);
const LEAVES: Phase = Phase::new([5, 20, 15, 3, 10, 42, 3, 2, 0, 0]);
const CHURN: Phase = Phase::new([15, 15, 15, 8, 10, 20, 12, 5, 0, 0]);

const SLEEPERS: Phase = Phase::new([5, 8, 15, 2, 5, 5, 5, 3, 30, 40]);
const SAVING: Phase = Phase::with_contexts([3, 5, 8, 1, 3, 5, 5, 0, 3, 3, 80, 0, 0]);
const RESTORING: Phase = Phase::with_contexts([2, 2, 2, 0, 2, 5, 5, 2, 2, 2, 5, 60, 25]);

/// Nesting and unwinding twice as often as the rest.
const PHASES: [Phase; 11] = [NEST, NEST, TOWER, UNWIND, UNWIND, YIELDS, LEAVES, CHURN, SLEEPERS, SAVING, RESTORING];

const KINDS: [Kind; 7] = [Kind::Sync, Kind::Sync, Kind::Call, Kind::Break, Kind::Continue, Kind::Exit, Kind::LongJump];

/// The random episode of a seed.
pub fn random(shape: &Shape, seed: u64) -> Stimulus<Settings, Operation> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let settings = Settings {
        path_policy: random.random_range(0..4),
        yield_policy: *[0, 0, 1, 2, 2].choose(&mut random).unwrap_or(&0),
        yield_parameter: *[0, 1, 2, 3, 7, 64, 128, 200, 255].choose(&mut random).unwrap_or(&1),
        yield_seed: *[0, 0, 1, 0xffff, random.random()].choose(&mut random).unwrap_or(&1),
        stack_mode: random.random_bool(0.1),
        eager: random.random_bool(0.7),
        around: Surroundings::random(shape, &mut random),
    };
    let operations = operations(shape, &PHASES, &mut random);
    Stimulus { settings, operations }
}

/// The operations of an episode, phase after phase.
pub(in crate::lockstep) fn operations(shape: &Shape, phases: &[Phase], random: &mut ChaCha8Rng) -> Vec<Operation> {
    let length = 600 + 6 * shape.depth + 20 * shape.warps;
    let mut operations = Vec::with_capacity(length);
    while operations.len() < length {
        let phase = *phases.choose(random).unwrap_or(&CHURN);
        extend(shape, phase, random, &mut operations);
    }
    operations
}

/// A stretch of operations with one character.
fn extend(shape: &Shape, phase: Phase, random: &mut ChaCha8Rng, operations: &mut Vec<Operation>) {
    let favourite = random.random_range(0..shape.warps);
    let (length, loyalty) = if phase.tower {
        (2 * shape.depth, 1.0)
    } else {
        (random.random_range(8..48 + shape.depth), *[0.0, 0.0, 0.5, 0.9].choose(random).unwrap_or(&0.5))
    };
    let addresses = *[1, 2, 4, 16].choose(random).unwrap_or(&4);
    let patience = *[0.0, 0.0, 0.0, 0.3].choose(random).unwrap_or(&0.0);
    let matching = *[0.2, 0.6, 0.95].choose(random).unwrap_or(&0.6);
    for _ in 0..length {
        let code = if random.random_ratio(1, 2_000) { Code::Reset } else { pick(&phase.weights, random) };
        let address = Target::Address(address(shape, addresses, random));
        operations.push(Operation {
            code,
            warp: if random.random_bool(loyalty) { favourite } else { random.random_range(0..shape.warps) },
            kind: KINDS.choose(random).unwrap_or(&Kind::Sync).code(),
            named: named(code, random),
            target: match code {
                Code::Leave if random.random_ratio(1, 200) => Target::AbsentAtAnyRisk,
                Code::Leave if random.random_bool(0.15) => Target::Absent,
                Code::Leave if random.random_bool(matching) => Target::Token,
                _ => address,
            },
            again: code == Code::Leave && random.random_bool(0.1),
            wait: if random.random_bool(patience) { random.random_range(1..6) } else { 0 },
        });
    }
}

/// The threads: whole warps stay together often enough that regions are entered and left.
pub(in crate::lockstep) fn named(code: Code, random: &mut ChaCha8Rng) -> Named {
    let mask = match random.random_range(0..4) {
        0 => random.random(),
        1 => random.random::<u64>() | random.random::<u64>(),
        2 => u64::MAX << random.random_range(0..64),
        _ => 0x5555_5555_5555_5555 << random.random_range(0..2),
    };
    match (code, random.random_range(0..20)) {
        (Code::Exit, 0..=11) => Named::First,
        (Code::Exit, 12..=14) => Named::All,
        (_, 0..=8) => Named::All,
        (_, 9) => Named::None,
        (_, 10) => Named::First,
        (_, 11) => Named::Others,
        _ => Named::Mask(mask),
    }
}

/// One of `addresses` addresses, spread over the whole range so that every bit counts.
pub(in crate::lockstep) fn address(shape: &Shape, addresses: u32, random: &mut ChaCha8Rng) -> u32 {
    let number = random.random_range(0..addresses);
    number.wrapping_mul(0x9e37_79b1).rotate_right(7) & shape.last_address()
}

/// An operation by weight.
fn pick(weights: &[u32; 13], random: &mut ChaCha8Rng) -> Code {
    let mut ticket = random.random_range(0..weights.iter().sum());
    for (code, weight) in CODES.into_iter().zip(weights) {
        if ticket < *weight {
            return code;
        }
        ticket -= weight;
    }
    Code::Step
}
