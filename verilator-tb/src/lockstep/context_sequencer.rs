//! The context sequencer in lockstep: random groups, accesses, saves and stalls with real memory around it, judged by the contract (CX-01 to CX-08,
//! CX-11, XV-02).
//!
//! The operations are pieces of traffic, each named by a seed: without one of them the world goes on from where the one before left it, so a failing
//! run shrinks to the pieces that matter.

use super::bench::{Bench, Counts, Stimulus, Subject};
use super::idle::Idle;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::model::context::ports::Shape;
use heddle_sim::model::context::traffic::{Traffic, EVENTS};
use heddle_sim::rtl::context_sequencer::{shape_of, ContextPins};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Pieces of an episode.
const PIECES: usize = 100;

/// Cycles of a piece.
const PIECE: u64 = 50;

/// The world around the sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// Names its memories, its allocator's buffer, and how often its ports stall.
    pub seed: u64,
}

/// The context sequencer.
pub struct ContextSequencerSubject;

impl Subject for ContextSequencerSubject {
    type Shape = Shape;
    type Settings = World;
    /// The seed of a piece.
    type Operation = u64;
    type Bench = ContextSequencerBench;
    const EXPECTED: &'static [&'static str] = EVENTS;

    fn shape(entry: &Entry) -> Shape {
        shape_of(entry)
    }

    fn stimulus(_: &Shape, seed: u64) -> Stimulus<World, u64> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Stimulus { settings: World { seed }, operations: (0..PIECES).map(|_| random.random()).collect() }
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<World, u64>) -> ContextSequencerBench {
        ContextSequencerBench {
            pins: ContextPins::of(ports),
            traffic: Traffic::new(*shape, stimulus.settings.seed),
            pieces: stimulus.operations.clone(),
            cycle: 0,
        }
    }
}

/// An episode under way.
pub struct ContextSequencerBench {
    pins: ContextPins,
    traffic: Traffic,
    pieces: Vec<u64>,
    cycle: u64,
}

impl Bench for ContextSequencerBench {
    const IDLE: &'static [Idle] = &[
        Idle { strobes: &["bind_valid"], ports: &["bind_slot", "bind_group", "bind_fresh", "bind_base", "bind_limit"] },
        Idle { strobes: &["release_valid"], ports: &["release_slot"] },
        Idle { strobes: &["access_valid"], ports: &["access_slot", "access_thread", "access_word"] },
        Idle { strobes: &["complete_valid"], ports: &["complete_group"] },
        Idle { strobes: &["request_valid"], ports: &["request_operation", "request_mask"] },
        Idle { strobes: &["allocated_valid"], ports: &["allocated_failed", "allocated_pointer"] },
        Idle { strobes: &["copy_data_valid"], ports: &["copy_data"] },
    ];

    fn drive(&mut self, pins: &mut Frame) {
        if self.cycle.is_multiple_of(PIECE) {
            self.traffic.rename(self.pieces[(self.cycle / PIECE) as usize]);
        }
        self.cycle += 1;
        self.pins.drive(pins, self.traffic.inputs());
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        self.traffic.observe(&self.pins.show(pins))?;
        if self.finished() {
            self.traffic.report().events().into_iter().for_each(|(event, count)| counts.add_many(event, count));
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        self.cycle == PIECE * self.pieces.len() as u64
    }

    fn begun(&self) -> usize {
        self.cycle.div_ceil(PIECE) as usize
    }

    fn progress(&self) -> u64 {
        // The traffic has a patience of its own.
        self.cycle
    }
}
