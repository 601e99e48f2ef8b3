//! How a table is set up for an episode, and what is asked of it: what a divergence unit can be asked, with sleeps and wakes among it.

use super::Room;
use crate::lockstep::bench::Shape;
use crate::lockstep::divergence_unit::stimulus::Phase;
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::PathPolicy;
use heddle_sim::engine::Configuration;
use heddle_sim::model::tree::contract::Fairness;
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// See the module's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Code of the path policy.
    pub path_policy: u8,
    /// Instructions between two exchanges with memory; 0 means 256.
    pub exchange_interval: u8,
    /// Requests of warps that can issue go ahead of those that cannot.
    pub eager: bool,
    /// Spill area and memory; a tree has no software handler.
    pub around: Surroundings,
}

impl Settings {
    /// The rules for the reference model, which has as many nodes as it needs.
    pub fn rules(&self, shape: &Shape) -> Configuration {
        let path_policy = match self.path_policy {
            0 => PathPolicy::Taken,
            1 => PathPolicy::NotTaken,
            2 => PathPolicy::Smaller,
            _ => PathPolicy::Larger,
        };
        Configuration {
            warps: shape.warps,
            threads: shape.threads,
            depth: shape.depth,
            tree: true,
            path_policy,
            ..Configuration::default()
        }
    }

    /// Random ones, for a tree whose memory holds `ring` deferred leaves.
    pub fn random(shape: &Shape, ring: u16, random: &mut ChaCha8Rng) -> Self {
        let depth = shape.depth as u16;
        // Few words in memory make the fatal case common; none at all are those of a ring alone.
        let any = random.random_range(0..4096);
        let limits = [0, ring, ring + 1, ring + 2, ring + depth, ring + 4 * depth, 1024, any, 4095];
        let spill_limit = *limits.choose(random).unwrap_or(&ring);
        Self {
            path_policy: random.random_range(0..4),
            exchange_interval: *[0, 1, 2, 3, 4, 8, 8, 8, 31, random.random()].choose(random).unwrap_or(&8),
            eager: random.random_bool(0.7),
            around: Surroundings { handler_software: false, spill_limit, ..Surroundings::random(shape, random) },
        }
    }

    /// How many nodes there is room for, the first `ring` words of memory being for deferred leaves.
    pub fn room(&self, shape: &Shape, ring: u16) -> Room {
        Room { depth: shape.depth, away: self.around.spill_limit.saturating_sub(ring).into() }
    }

    /// What a leaf is owed once leaves of its warp are in memory (TD-09).
    pub fn fairness(&self) -> Fairness {
        let interval = match self.exchange_interval {
            0 => 256,
            interval => u64::from(interval),
        };
        let each = interval + 1;
        Fairness { each, later: each, more: 2 * interval, limited: true }
    }
}

// Step, push, branch, indirect, call, leave, yield, exit, sleep, wake.
const NEST: Phase = Phase::new([5, 40, 25, 5, 20, 3, 2, 1, 1, 2]);
const TOWER: Phase = Phase::tower([2, 80, 6, 0, 8, 0, 2, 0, 0, 1]);
const SPLIT: Phase = Phase::new([10, 5, 50, 10, 10, 2, 10, 0, 1, 2]);
const UNWIND: Phase = Phase::new([3, 3, 5, 2, 2, 60, 5, 10, 1, 2]);
const YIELDS: Phase = Phase::new([5, 5, 15, 5, 2, 8, 50, 2, 4, 8]);
const LEAVES: Phase = Phase::new([5, 20, 15, 3, 10, 42, 3, 2, 1, 2]);
const SLEEPS: Phase = Phase::new([8, 15, 15, 3, 5, 15, 5, 2, 14, 20]);
const TURNS: Phase = Phase::new([80, 2, 5, 1, 1, 5, 2, 1, 1, 2]);

const SAVES: Phase = Phase::with_contexts([8, 25, 30, 3, 8, 5, 4, 0, 2, 2, 1, 0, 0]);

const HALF_JOINED: Phase = Phase::with_contexts([5, 25, 25, 0, 5, 40, 0, 0, 1, 2, 4, 0, 0]);

/// Regions that threads reach one after the other.
const JOINS: Phase = Phase::new([5, 25, 25, 0, 5, 40, 0, 0, 1, 2]);

/// The characters of random traffic.
pub(in crate::lockstep) const PHASES: [Phase; 11] =
    [NEST, NEST, TOWER, SPLIT, UNWIND, YIELDS, LEAVES, SLEEPS, TURNS, JOINS, JOINS];

/// The same with warps that are saved.
pub(in crate::lockstep) const SAVING_PHASES: [Phase; 11] =
    [NEST, NEST, TOWER, SPLIT, UNWIND, YIELDS, LEAVES, SLEEPS, TURNS, SAVES, HALF_JOINED];
