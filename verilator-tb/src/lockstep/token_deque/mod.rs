//! `token_deque` in lockstep: random operations at both ports, the unbounded model and the contract as judges.

mod bounds;
mod run;
pub mod stimulus;

pub use run::Run;

use super::bench::{Shape, Stimulus, Subject};
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use stimulus::Operation;

/// The subject; see the module's page.
pub struct TokenDequeSubject;

impl Subject for TokenDequeSubject {
    type Shape = Shape;
    type Settings = Surroundings;
    type Operation = Operation;
    type Bench = Run;
    const EXPECTED: &'static [&'static str] = &[
        "push",
        "push front",
        "push back",
        "pop",
        "pop of nothing",
        "yield",
        "yield of an empty queue",
        "merge",
        "find",
        "find of nothing",
        "clear",
        "reset",
        "recenter",
        "spill",
        "refill",
        "fatal",
        "software handler",
        "queue of depth + 1 tokens",
    ];

    fn shape(entry: &Entry) -> Shape {
        Shape::of(entry)
    }

    fn stimulus(shape: &Shape, seed: u64) -> Stimulus<Surroundings, Operation> {
        stimulus::random(shape, seed)
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Surroundings, Operation>) -> Run {
        Run::new(shape, ports, stimulus)
    }
}
