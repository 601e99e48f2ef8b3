//! A block at a point, driven and read by the names of its ports.

use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;

/// The points of the barrier system.
pub const POINTS: [&str; 3] = ["2x2x2x4x2", "16x8x8x16x16", "16x8x8x64x16"];

/// A block under test.
pub struct Bench {
    block: Box<dyn Simulation>,
    /// What it is.
    pub entry: points::Entry,
    /// Cycles since the reset.
    pub cycle: u64,
}

impl Bench {
    /// The block at a point, after one cycle of reset.
    pub fn new(block: &str, point: &str) -> Self {
        let entry = points::find(block, point).unwrap_or_else(|| panic!("no {block} at {point}"));
        let mut bench = Bench { block: (entry.simulate)(), entry, cycle: 0 };
        bench.set("reset", 1);
        bench.tick();
        bench.set("reset", 0);
        bench.cycle = 0;
        bench
    }

    /// A parameter of the point.
    pub fn parameter(&self, name: &str) -> u128 {
        u128::from(self.entry.parameter(name).expect("a parameter of the barrier system"))
    }

    /// Drives an input.
    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    /// Drives several inputs.
    pub fn drive(&mut self, inputs: &[(&str, u128)]) {
        for (port, value) in inputs {
            self.set(port, *value);
        }
    }

    /// Reads a port, settled.
    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    /// Reads several ports.
    pub fn read<const N: usize>(&mut self, ports: [&str; N]) -> [u128; N] {
        ports.map(|port| self.get(port))
    }

    /// A clock cycle.
    pub fn tick(&mut self) {
        self.block.tick();
        self.cycle += 1;
    }
}
