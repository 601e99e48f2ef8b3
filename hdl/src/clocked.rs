//! Running a block in the Rust simulation, a clock cycle at a time.

use crate::ports::{Direction, Port, Ports};
use crate::simulation::{Pins, Simulation};

/// A block under simulation: set inputs, [`settle`](Clocked::settle), read outputs, [`tick`](Clocked::tick).
///
/// `rust_hdl::Simulation` would hop threads at every edge; see [`crate::part`] for what is done instead.
pub struct Clocked<B: Ports> {
    block: Box<B>,
    ports: Vec<Port>,
    settled: bool,
}

impl<B: Ports> Clocked<B> {
    /// Wires the block and settles it with every input low. Ports 0 and 1 must be `clock` and `reset`.
    pub fn new(block: B) -> Self {
        let ports = B::ports();
        assert!(ports[0].name == "clock" && ports[1].name == "reset", "a block opens with clock and reset");
        let mut block = Box::new(block);
        block.connect_all();
        let mut clocked = Self { block, ports, settled: false };
        clocked.settle();
        clocked
    }

    /// The block's ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The index of port `name`, for [`set`](Clocked::set) and [`get`](Clocked::get).
    ///
    /// # Panics
    /// If the block has no such port: a mistake in the caller, not in its input.
    pub fn port(&self, name: &str) -> usize {
        self.ports.iter().position(|port| port.name == name).unwrap_or_else(|| panic!("no port {name}"))
    }

    /// Drives an input for the present cycle.
    pub fn set(&mut self, port: usize, value: u128) {
        debug_assert_eq!(self.ports[port].direction, Direction::In, "{}", self.ports[port].name);
        self.block.set(port, value);
        self.settled = false;
    }

    /// Propagates the inputs through the combinational logic.
    ///
    /// # Panics
    /// If the block does not settle: it has a combinational loop.
    pub fn settle(&mut self) {
        if !self.settled {
            self.block.settle();
            self.settled = true;
        }
    }

    /// The value of a port in the present cycle, settled first.
    pub fn get(&mut self, port: usize) -> u128 {
        self.settle();
        self.block.get(port)
    }

    /// One clock cycle: the rising edge, with the inputs as they are.
    pub fn tick(&mut self) {
        self.settle();
        self.block.edge();
        self.settled = false;
    }

    /// The block itself, for the export.
    pub fn block(&self) -> &B {
        &self.block
    }
}

impl<B: Ports> Pins for Clocked<B> {
    fn set(&mut self, port: usize, value: u128) {
        Clocked::set(self, port, value);
    }
    fn get(&mut self, port: usize) -> u128 {
        Clocked::get(self, port)
    }
}

impl<B: Ports> Simulation for Clocked<B> {
    fn ports(&self) -> &[Port] {
        Clocked::ports(self)
    }
    fn tick(&mut self) {
        Clocked::tick(self);
    }
}
