//! Several simulations of one block that look like one: driven alike, compared on every port in every cycle.
//!
//! Where [`Pair`](super::pair::Pair) serves benches that see a whole frame at a time, this serves drivers that are written against
//! [`Simulation`], the engines and schedulers of the simulator.

use super::idle::{during_reset, Idle, Noise};
use super::pair::Difference;
use super::rig::Contestant;
use crate::verilated::Start;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};

/// The place of `reset` among the ports of a block.
const RESET: usize = 1;

/// See the module's page. The first simulation is the one whose outputs are read.
pub struct Twins {
    first: Contestant,
    others: Vec<Contestant>,
    inputs: Frame,
    other: Frame,
    noise: Noise,
    start: Start,
    cycles: u64,
    /// The first reset is over: until then a block may say anything.
    compared: bool,
    difference: Option<(u64, Difference)>,
}

impl Twins {
    /// Ties `contestants` together, which begin from `start`; their ports must be the same. With one alone nothing is compared.
    /// What means nothing at their inputs, of which `idle` tells, is noise.
    ///
    /// # Panics
    /// If they are not, or there is none: the caller mixed blocks.
    pub fn of(mut contestants: Vec<Contestant>, start: Start, idle: &[Idle]) -> Self {
        let first = contestants.remove(0);
        let ports = first.simulation.ports();
        for other in &contestants {
            assert_eq!(ports, other.simulation.ports(), "simulations of one block have the same ports");
        }
        let (inputs, noise) = (Frame::new(ports), Noise::of(ports, idle));
        let others = contestants;
        Self {
            other: inputs.clone(),
            inputs,
            first,
            others,
            noise,
            start,
            cycles: 0,
            compared: false,
            difference: None,
        }
    }

    /// Shows the first simulation what stands at the inputs.
    fn show(&mut self) {
        for port in (1..self.inputs.ports()).filter(|port| self.inputs.is_input(*port)) {
            self.first.simulation.set(port, self.inputs.read(port));
        }
    }

    /// A cycle of all, which are compared once they were reset.
    fn step(&mut self) {
        for other in &mut self.others {
            self.other.clone_from(&self.inputs);
            other.simulation.cycle(&mut self.other);
            if !self.compared || self.difference.is_some() {
                continue;
            }
            for port in (1..self.other.ports()).filter(|port| !self.inputs.is_input(*port)) {
                let (first, second) = (self.first.simulation.get(port), self.other.read(port));
                if first != second {
                    let (port, names) = (self.first.simulation.ports()[port].name, [self.first.name, other.name]);
                    self.difference = Some((self.cycles, Difference { port, names, first, second }));
                    break;
                }
            }
        }
        self.first.simulation.tick();
        self.cycles += 1;
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
        if self.inputs.read(RESET) == 0 {
            self.noise.drive(&mut self.inputs, false);
            self.show();
            return self.step();
        }
        self.step();
        if self.start == Start::Pattern {
            // As in `Pair`: a cycle of reset has to do, more of them show who looks at anything else meanwhile.
            let driven = self.inputs.clone();
            for inverted in [false, true] {
                during_reset(self.first.simulation.ports(), &mut self.inputs, inverted);
                self.show();
                self.step();
            }
            self.inputs = driven;
            self.show();
        }
        self.compared = true;
    }
}
