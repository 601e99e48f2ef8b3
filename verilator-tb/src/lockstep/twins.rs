//! Several simulations of one block that look like one: driven alike, compared on every port in every cycle.
//!
//! Where [`Pair`](super::pair::Pair) serves benches that see a whole frame at a time, this serves drivers that are written against
//! [`Simulation`], the engines and schedulers of the simulator.

use super::pair::Difference;
use super::rig::Contestant;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};

/// See the module's page. The first simulation is the one whose outputs are read.
pub struct Twins {
    first: Contestant,
    others: Vec<Contestant>,
    inputs: Frame,
    other: Frame,
    cycles: u64,
    compared: bool,
    difference: Option<(u64, Difference)>,
}

impl Twins {
    /// Ties `contestants` together; their ports must be the same. With one alone nothing is compared.
    ///
    /// # Panics
    /// If they are not, or there is none: the caller mixed blocks.
    pub fn of(mut contestants: Vec<Contestant>) -> Self {
        let first = contestants.remove(0);
        let ports = first.simulation.ports();
        for other in &contestants {
            assert_eq!(ports, other.simulation.ports(), "simulations of one block have the same ports");
        }
        let inputs = Frame::new(ports);
        let others = contestants;
        Self { other: inputs.clone(), inputs, first, others, cycles: 0, compared: false, difference: None }
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The first port on which the simulations disagreed, and in which cycle.
    pub fn difference(&self) -> Option<&(u64, Difference)> {
        self.difference.as_ref()
    }
}

impl Pins for Twins {
    fn set(&mut self, port: usize, value: u128) {
        self.inputs.write(port, value);
        self.first.simulation.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.first.simulation.get(port)
    }
}

impl Simulation for Twins {
    fn ports(&self) -> &[Port] {
        self.first.simulation.ports()
    }

    fn tick(&mut self) {
        for other in &mut self.others {
            self.other.clone_from(&self.inputs);
            other.simulation.cycle(&mut self.other);
            // Until its first reset a block may say anything; the first cycle is that reset.
            if !self.compared {
                continue;
            }
            for port in 1..self.other.ports() {
                if self.other.is_input(port) || self.difference.is_some() {
                    continue;
                }
                let (first, second) = (self.first.simulation.get(port), self.other.read(port));
                if first != second {
                    let (port, names) = (self.first.simulation.ports()[port].name, [self.first.name, other.name]);
                    self.difference = Some((self.cycles, Difference { port, names, first, second }));
                }
            }
        }
        self.compared = true;
        self.first.simulation.tick();
        self.cycles += 1;
    }
}
