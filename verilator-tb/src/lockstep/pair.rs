//! Two simulations of one block, driven and compared port by port.

use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Simulation};
use std::fmt;

/// The first port on which two simulations disagreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The port.
    pub port: &'static str,
    /// Its value in the first simulation.
    pub first: u128,
    /// Its value in the second.
    pub second: u128,
}

impl fmt::Display for Difference {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} is {:#x} in the Rust simulation and {:#x} in the export", self.port, self.first, self.second)
    }
}

/// One or two simulations of a block behind one frame of pins.
///
/// The first leads: its outputs are the ones that a driver reacts to. With one simulation nothing is compared.
pub struct Pair {
    first: Box<dyn Simulation>,
    second: Option<Box<dyn Simulation>>,
    ports: Vec<Port>,
    /// The pins: write the inputs before [`Pair::cycle`], read the outputs after it.
    pub frame: Frame,
    other: Frame,
}

impl Pair {
    /// Ties the simulations together; their ports must be the same.
    ///
    /// # Panics
    /// If they are not: the caller mixed blocks.
    pub fn new(first: Box<dyn Simulation>, second: Option<Box<dyn Simulation>>) -> Self {
        let ports = first.ports().to_vec();
        if let Some(second) = &second {
            assert_eq!(ports, second.ports(), "simulations of one block have the same ports");
        }
        Self { frame: Frame::new(&ports), other: Frame::new(&ports), first, second, ports }
    }

    /// The block's ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The index of port `name`.
    ///
    /// # Panics
    /// If the block has no such port.
    pub fn port(&self, name: &str) -> usize {
        self.first.port(name)
    }

    /// One clock cycle of both.
    ///
    /// # Errors
    /// The first port that differs before the edge.
    pub fn cycle(&mut self) -> Result<(), Difference> {
        let Some(second) = &mut self.second else {
            self.first.cycle(&mut self.frame);
            return Ok(());
        };
        self.other.clone_from(&self.frame);
        self.first.cycle(&mut self.frame);
        second.cycle(&mut self.other);
        if self.frame == self.other {
            return Ok(());
        }
        let ports = self.ports.iter().enumerate();
        let mut differences = ports.map(|(index, port)| (port.name, self.frame.read(index), self.other.read(index)));
        match differences.find(|(_, first, second)| first != second) {
            Some((port, first, second)) => Err(Difference { port, first, second }),
            None => Ok(()),
        }
    }

    /// Holds `reset` for a cycle, all other inputs low. What the outputs say before the edge is not compared: until
    /// its first reset a block may say anything.
    pub fn reset(&mut self) {
        for index in 0..self.ports.len() {
            self.frame.write(index, 0);
        }
        self.frame.write(1, 1);
        let _ = self.cycle();
        self.frame.write(1, 0);
    }
}
