//! Two simulations of one block that look like one: driven alike, compared on every port in every cycle.
//!
//! Where [`Pair`](super::pair::Pair) serves benches that see a whole frame at a time, this serves drivers that are written against
//! [`Simulation`], the engines and schedulers of the simulator.

use super::pair::Difference;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};

/// See the module's page. The first simulation is the one whose outputs are read.
pub struct Twins {
    first: Box<dyn Simulation>,
    second: Option<Box<dyn Simulation>>,
    inputs: Frame,
    other: Frame,
    cycles: u64,
    compared: bool,
    difference: Option<(u64, Difference)>,
}

impl Twins {
    /// Ties the simulations together; their ports must be the same. With one alone nothing is compared.
    ///
    /// # Panics
    /// If they are not: the caller mixed blocks.
    pub fn new(first: Box<dyn Simulation>, second: Option<Box<dyn Simulation>>) -> Self {
        if let Some(second) = &second {
            assert_eq!(first.ports(), second.ports(), "simulations of one block have the same ports");
        }
        let inputs = Frame::new(first.ports());
        Self { other: inputs.clone(), inputs, first, second, cycles: 0, compared: false, difference: None }
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The first port on which the simulations disagreed, and in which cycle.
    pub fn difference(&self) -> Option<&(u64, Difference)> {
        self.difference.as_ref()
    }

    fn note(&mut self, port: usize, first: u128, second: u128) {
        if first != second && self.difference.is_none() {
            let port = self.first.ports()[port].name;
            self.difference = Some((self.cycles, Difference { port, first, second }));
        }
    }
}

impl Pins for Twins {
    fn set(&mut self, port: usize, value: u128) {
        self.inputs.write(port, value);
        self.first.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.first.get(port)
    }
}

impl Simulation for Twins {
    fn ports(&self) -> &[Port] {
        self.first.ports()
    }

    fn tick(&mut self) {
        if let Some(second) = &mut self.second {
            self.other.clone_from(&self.inputs);
            second.cycle(&mut self.other);
            // Until its first reset a block may say anything; the first cycle is that reset.
            if self.compared {
                for port in 1..self.other.ports() {
                    if !self.other.is_input(port) {
                        let value = self.first.get(port);
                        self.note(port, value, self.other.read(port));
                    }
                }
            }
            self.compared = true;
        }
        self.first.tick();
        self.cycles += 1;
    }
}
