//! `tree_divergence_table` in lockstep: random instructions, sleeps and wakes on many warps, judged by the reference tree that follows
//! the table's choice of leaves, by the contract of any tree, and by the stated cycles (XV-02, TD-01 to TD-09, TD-11).

mod choice;
mod cycles;
mod run;
mod settings;
mod warps;

pub use run::Run;
pub use settings::Settings;

use super::bench::{Shape, Stimulus, Subject};
use super::divergence_unit::stimulus::Operation;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;

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
        settings::random(shape, seed)
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Operation>) -> Run {
        Run::new(shape, ports, stimulus)
    }
}
