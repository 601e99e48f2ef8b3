//! `tree_divergence_table` in lockstep: random instructions, sleeps and wakes on many warps, judged by the reference tree that follows
//! the table's choice of leaves, by the contract of any tree, and by the stated cycles (XV-02, TD-01 to TD-09, TD-11).

mod choice;
mod endings;
mod run;
mod warps;

pub use run::Run;

use super::bench::{Shape, Stimulus, Subject};
use super::divergence_unit::stimulus::{operations, Operation, Phase};
use super::tree_watch::{Settings, SAVING_PHASES};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Words of a warp's memory that are for its deferred leaves.
const RING: u16 = 64;

/// Regions whose last leaf is detached when all others have arrived.
const LAST_LEAVES: Phase = Phase::new([5, 25, 25, 0, 0, 35, 15, 0, 1, 2]);

/// The subject; see the module's page.
pub struct TreeDivergenceTableSubject;

impl Subject for TreeDivergenceTableSubject {
    type Shape = Shape;
    type Settings = Settings;
    type Operation = Operation;
    type Bench = Run;
    const EXPECTED: &'static [&'static str] = &[
        "launch",
        "step",
        "push",
        "branch",
        "indirect",
        "call",
        "leave",
        "yield",
        "exit",
        "sleep",
        "wake",
        "withdraw",
        "withdrawn",
        "region leaves with those who arrived",
        "divergence",
        "region that needs no node",
        "threads arrive",
        "region goes on",
        "YIELD that detaches",
        "leave that detaches",
        "merge",
        "discard",
        "parked",
        "halt",
        "lost thread",
        "fatal",
        "leaf or node to memory",
        "leaf from memory",
        "exchange",
        "memory write",
        "memory write refused",
        "memory read",
        "memory read refused",
        "one instruction after the other",
        "reset",
    ];

    fn shape(entry: &Entry) -> Shape {
        Shape::of(entry)
    }

    fn stimulus(shape: &Shape, seed: u64) -> Stimulus<Settings, Operation> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let settings = Settings::random(shape, RING, &mut random);
        let phases: Vec<Phase> = SAVING_PHASES.into_iter().chain([LAST_LEAVES]).collect();
        let operations = operations(shape, &phases, &mut random);
        Stimulus { settings, operations }
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Operation>) -> Run {
        Run::new(shape, ports, stimulus)
    }
}
