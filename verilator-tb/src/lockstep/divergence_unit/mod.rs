//! `divergence_unit` in lockstep: random instructions on many warps, each warp judged by the reference rules.

mod bounds;
pub(super) mod choice;
mod run;
pub mod stimulus;
mod warps;

pub use run::Run;

use super::bench::{Shape, Stimulus, Subject};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use stimulus::{Operation, Settings};

/// The subject; see the module's page.
pub struct DivergenceUnitSubject;

impl Subject for DivergenceUnitSubject {
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
        "parked",
        "wake of a parked warp",
        "withdraw",
        "withdrawn",
        "deposit",
        "deposit of a yield token",
        "disable",
        "resume",
        "divergence",
        "threads wait for their token",
        "implicit yield",
        "YIELD that yields",
        "YIELD that does not",
        "merge",
        "unwind",
        "discard",
        "halt",
        "lost thread",
        "fatal",
        "recenter",
        "spill",
        "refill",
        "software handler",
        "reset",
    ];

    fn shape(entry: &Entry) -> Shape {
        Shape::of(entry)
    }

    fn stimulus(shape: &Shape, seed: u64) -> Stimulus<Settings, Operation> {
        stimulus::random(shape, seed)
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Operation>) -> Run {
        Run::new(shape, ports, stimulus)
    }
}
