//! On what an episode runs: one simulation that leads, and others that have to say the same on every port in every cycle.

use crate::verilated::{Model, Start};
use heddle_hdl::points::Entry;
use heddle_hdl::simulation::Simulation;

/// A simulation, and what messages call it.
pub struct Contestant {
    /// `the Rust simulation`, `the export`, …
    pub name: &'static str,
    /// The simulation, before its first reset.
    pub simulation: Box<dyn Simulation>,
}

impl Contestant {
    /// A simulation with a name.
    pub fn new(name: &'static str, simulation: impl Simulation + 'static) -> Self {
        Self { name, simulation: Box::new(simulation) }
    }

    /// The Rust kernels of a block.
    pub fn kernels(entry: &Entry) -> Self {
        Self { name: "the Rust simulation", simulation: (entry.simulate)() }
    }

    /// The Verilated export.
    pub fn export(simulation: impl Simulation + 'static) -> Self {
        Self::new("the export", simulation)
    }
}

/// Makes the simulations of each episode.
pub trait Rig: Sync {
    /// Fresh simulations from `start`, the one whose outputs drive the episode first.
    fn contestants(&self, entry: &Entry, start: Start) -> Vec<Contestant>;

    /// The export by itself.
    fn alone(&self, start: Start) -> Contestant;
}

/// The export: beside the Rust kernels from the pattern that both know; from random bits alone, the kernels having no such start.
impl Rig for Model {
    fn contestants(&self, entry: &Entry, start: Start) -> Vec<Contestant> {
        match start {
            Start::Pattern => vec![Contestant::kernels(entry), self.alone(start)],
            Start::Random(_) => vec![self.alone(start)],
        }
    }

    fn alone(&self, start: Start) -> Contestant {
        Contestant::export(self.simulation(start))
    }
}
