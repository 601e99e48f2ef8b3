//! What is asked of a token deque, and random episodes of it.

use crate::lockstep::bench::{Shape, Stimulus};
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Kind, QueueOperation};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The operations, by the names that the files use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// Through the push port.
    Push,
    /// Through the operation port, as all that follow.
    PopFront,
    /// A front push that may meet the end of the window.
    PushFront,
    /// A back push.
    PushBack,
    /// Back push and pop.
    Yield,
    /// Show the frontmost token of a kind.
    Find,
    /// Empty the queue.
    Clear,
    /// Reset the whole block.
    Reset,
}

impl Code {
    /// The code on the operation port; none for the push port and the reset.
    pub fn operation(self) -> Option<QueueOperation> {
        match self {
            Code::Push | Code::Reset => None,
            Code::PopFront => Some(QueueOperation::PopFront),
            Code::PushFront => Some(QueueOperation::PushFront),
            Code::PushBack => Some(QueueOperation::PushBack),
            Code::Yield => Some(QueueOperation::Yield),
            Code::Find => Some(QueueOperation::Find),
            Code::Clear => Some(QueueOperation::Clear),
        }
    }
}

/// One thing asked of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// What.
    pub code: Code,
    /// Whose queue.
    pub warp: usize,
    /// Code of the token's kind; at the back of no account.
    pub kind: u8,
    /// Threads of the token.
    pub mask: u64,
    /// Address of the token.
    pub address: u32,
    /// Idle cycles before it is offered.
    pub wait: u8,
    /// Searches are announced a cycle ahead.
    pub announce: bool,
}

/// How often each operation comes in a phase, in the order of `CODES`.
type Weights = [u32; 7];

const CODES: [Code; 7] =
    [Code::Push, Code::PopFront, Code::PushFront, Code::PushBack, Code::Yield, Code::Find, Code::Clear];

const FILL: Weights = [60, 4, 10, 20, 4, 2, 0];
const FILL_BACK: Weights = [10, 4, 4, 70, 10, 2, 0];
const DRAIN: Weights = [3, 80, 0, 3, 4, 10, 0];
const YIELDS: Weights = [10, 10, 4, 20, 54, 2, 0];
const SEARCH: Weights = [25, 18, 5, 10, 2, 40, 0];
const CHURN: Weights = [20, 30, 10, 15, 15, 9, 1];

/// Kinds that a front push may carry.
const FRONT_KINDS: [Kind; 7] =
    [Kind::Sync, Kind::Divergence, Kind::Call, Kind::Break, Kind::Continue, Kind::Exit, Kind::LongJump];

/// The random episode of a seed.
pub fn random(shape: &Shape, seed: u64) -> Stimulus<Surroundings, Operation> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let settings = Surroundings::random(shape, &mut random);
    let length = 500 + 6 * shape.depth;
    let mut operations = Vec::with_capacity(length);
    while operations.len() < length {
        phase(shape, &mut random, &mut operations);
    }
    Stimulus { settings, operations }
}

/// A stretch of operations with one character.
fn phase(shape: &Shape, random: &mut ChaCha8Rng, operations: &mut Vec<Operation>) {
    let phases = [FILL, FILL, FILL_BACK, DRAIN, DRAIN, YIELDS, SEARCH, CHURN, CHURN];
    let weights = *phases.choose(random).unwrap_or(&CHURN);
    // Deep windows need long phases on one warp to come to their ends.
    let length = random.random_range(8..32 + 2 * shape.depth);
    let favourite = random.random_range(0..shape.warps);
    let loyalty = *[0.0, 0.5, 0.9, 1.0].choose(random).unwrap_or(&0.5);
    let addresses = *[1, 2, 4, 16, u32::MAX].choose(random).unwrap_or(&4);
    let patience = *[0.0, 0.0, 0.1, 0.6].choose(random).unwrap_or(&0.0);
    for _ in 0..length {
        let mut code = pick(&weights, random);
        if random.random_ratio(1, 1_000) {
            code = Code::Reset;
        }
        let back = matches!(code, Code::PushBack | Code::Yield);
        let kind = match code {
            // What enters at the back is a yield token whatever stands here.
            _ if back => random.random_range(0..16),
            Code::Find if random.random_bool(0.1) => Kind::Yield.code(),
            _ => FRONT_KINDS.choose(random).unwrap_or(&Kind::Sync).code(),
        };
        operations.push(Operation {
            code,
            warp: if random.random_bool(loyalty) { favourite } else { random.random_range(0..shape.warps) },
            kind,
            mask: random.random::<u64>() & shape.all_threads(),
            address: address(shape, addresses, random),
            wait: if random.random_bool(patience) { random.random_range(1..6) } else { 0 },
            announce: random.random_bool(0.3) && (back || code == Code::Find),
        });
    }
}

/// One of `addresses` addresses, spread over the whole range so that every bit counts.
fn address(shape: &Shape, addresses: u32, random: &mut ChaCha8Rng) -> u32 {
    let number = random.random_range(0..addresses);
    number.wrapping_mul(0x9e37_79b1).rotate_right(7) & shape.last_address()
}

/// An operation by weight.
fn pick(weights: &Weights, random: &mut ChaCha8Rng) -> Code {
    let mut ticket = random.random_range(0..weights.iter().sum());
    for (code, weight) in CODES.into_iter().zip(weights) {
        if ticket < *weight {
            return code;
        }
        ticket -= weight;
    }
    Code::PopFront
}
