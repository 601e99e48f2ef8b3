//! Several simulations of one block, driven alike and compared port by port.

use super::idle::during_reset;
use super::rig::Contestant;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Simulation};
use std::fmt;

/// The first port on which two simulations disagreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The port.
    pub port: &'static str,
    /// What the simulations are.
    pub names: [&'static str; 2],
    /// The port's value in the first of them.
    pub first: u128,
    /// Its value in the second.
    pub second: u128,
}

impl fmt::Display for Difference {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { port, names: [left, right], first, second } = self;
        write!(to, "{port} is {first:#x} in {left} and {second:#x} in {right}")
    }
}

/// One, two or more simulations of a block behind one frame of pins.
///
/// The first leads: its outputs are the ones that a driver reacts to. With one simulation nothing is compared.
pub struct Pair {
    first: Contestant,
    others: Vec<Contestant>,
    ports: Vec<Port>,
    /// The pins: write the inputs before [`Pair::cycle`], read the outputs after it.
    pub frame: Frame,
    other: Frame,
}

impl Pair {
    /// Ties the Rust kernels and an export together; their ports must be the same.
    ///
    /// # Panics
    /// If they are not: the caller mixed blocks.
    pub fn new(first: Box<dyn Simulation>, second: Option<Box<dyn Simulation>>) -> Self {
        let first = Contestant { name: "the Rust simulation", simulation: first };
        let second = second.map(|simulation| Contestant { name: "the export", simulation });
        Self::of(std::iter::once(first).chain(second).collect())
    }

    /// Ties `contestants` together; their ports must be the same.
    ///
    /// # Panics
    /// If they are not, or there is none: the caller mixed blocks.
    pub fn of(mut contestants: Vec<Contestant>) -> Self {
        let first = contestants.remove(0);
        let ports = first.simulation.ports().to_vec();
        for other in &contestants {
            assert_eq!(ports, other.simulation.ports(), "simulations of one block have the same ports");
        }
        Self { frame: Frame::new(&ports), other: Frame::new(&ports), first, others: contestants, ports }
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
        self.first.simulation.port(name)
    }

    /// One clock cycle of all.
    ///
    /// # Errors
    /// The first port that differs before the edge.
    pub fn cycle(&mut self) -> Result<(), Difference> {
        // The others get the inputs; the first writes its outputs behind them.
        self.other.clone_from(&self.frame);
        self.first.simulation.cycle(&mut self.frame);
        let mut found = None;
        for other in &mut self.others {
            other.simulation.cycle(&mut self.other);
            if self.frame == self.other || found.is_some() {
                continue;
            }
            let names = [self.first.name, other.name];
            found = self.ports.iter().enumerate().find_map(|(index, port)| {
                let (first, second) = (self.frame.read(index), self.other.read(index));
                (first != second).then_some(Difference { port: port.name, names, first, second })
            });
        }
        found.map_or(Ok(()), Err)
    }

    /// Holds `reset` for a cycle, all other inputs low; after that all are. What the outputs say before the edge is not compared: until its first reset a
    /// block may say anything.
    pub fn reset(&mut self) {
        self.frame = Frame::new(&self.ports);
        self.hold_reset();
    }

    /// The same, and two more cycles with anything at the other inputs, and with the opposite. They come last, for in the first one a netlist, whose states
    /// have codes of their own, may do something else than its Verilog, and no reset clears the memories.
    pub fn reset_amid_noise(&mut self) {
        self.reset();
        for inverted in [false, true] {
            during_reset(&self.ports, &mut self.frame, inverted);
            self.hold_reset();
        }
    }

    fn hold_reset(&mut self) {
        self.frame.write(1, 1);
        let _ = self.cycle();
        self.frame = Frame::new(&self.ports);
    }
}
