//! Lockstep of a block whose rules fit on a page: random values on every input in every cycle, within what the block allows, and
//! a judge that says what the outputs have to be.
//!
//! The inputs of all cycles are the stimulus itself, so a failing run shrinks to the cycles that matter.

use super::bench::{Bench, Counts, Stimulus, Subject};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::Frame;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::marker::PhantomData;

/// What is known of a block apart from its RTL: which inputs it may see, and what it has to answer.
pub trait Judge {
    /// What a good run has seen at least once.
    const EXPECTED: &'static [&'static str];
    /// Cycles of an episode; more where it takes long to fill the block.
    const EPISODE: usize = 2_000;
    /// A judge of a block that was just reset.
    fn new(entry: &Entry, ports: &[Port]) -> Self;
    /// Changes this cycle's random inputs to ones that the block's premises allow; knows the outputs of earlier cycles only.
    fn allow(&mut self, pins: &mut Frame);
    /// Looks at the settled cycle.
    ///
    /// # Errors
    /// What the block did that it may not do.
    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String>;
}

/// The subject of a block that `J` judges.
pub struct PortsSubject<J>(PhantomData<J>);

/// The inputs of one cycle: a word for each input of up to 64 bits, two for a wider one, in the order of the ports.
pub type Inputs = Vec<u64>;

/// The entry of the list of points, which the judge reads its sizes from.
pub struct PointShape(Entry);

impl<J: Judge> Subject for PortsSubject<J> {
    type Shape = PointShape;
    /// Nothing is set up: static inputs are inputs like any other, and change rarely.
    type Settings = ();
    type Operation = Inputs;
    type Bench = PortsBench<J>;
    const EXPECTED: &'static [&'static str] = J::EXPECTED;

    fn shape(entry: &Entry) -> PointShape {
        PointShape(entry.clone())
    }

    fn stimulus(shape: &PointShape, seed: u64) -> Stimulus<(), Inputs> {
        let ports = (shape.0.ports)();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let inputs: Vec<&Port> = inputs(&ports).collect();
        // Each input has a temper for the episode: how often it changes, and whether its bits are mostly low, even or high.
        let tempers: Vec<(f64, f64)> = inputs.iter().map(|_| temper(&mut random)).collect();
        let mut values: Vec<u128> = vec![0; inputs.len()];
        let places = inputs.iter().map(|port| port.width.div_ceil(64)).sum();
        let operations = (0..J::EPISODE)
            .map(|_| {
                for (value, (port, (restless, density))) in values.iter_mut().zip(inputs.iter().zip(&tempers)) {
                    if random.random_bool(*restless) {
                        *value =
                            (0..port.width).fold(0, |bits, bit| bits | u128::from(random.random_bool(*density)) << bit);
                    }
                }
                let mut cycle = Vec::with_capacity(places);
                inputs.iter().zip(&values).for_each(|(port, value)| cycle.extend(words(port, *value)));
                cycle
            })
            .collect();
        Stimulus { settings: (), operations }
    }

    fn bench(shape: &PointShape, ports: &[Port], stimulus: &Stimulus<(), Inputs>) -> PortsBench<J> {
        PortsBench {
            judge: J::new(&shape.0, ports),
            places: ports
                .iter()
                .enumerate()
                .skip(2)
                .filter(|(_, port)| port.direction == Direction::In)
                .map(|(index, port)| (index, port.width))
                .collect(),
            cycles: stimulus.operations.clone(),
            cycle: 0,
        }
    }
}

/// The inputs that are driven: all but clock and reset.
fn inputs(ports: &[Port]) -> impl Iterator<Item = &Port> {
    ports.iter().skip(2).filter(|port| port.direction == Direction::In)
}

/// How often an input changes and how likely its bits are ones, both as probabilities.
fn temper(random: &mut ChaCha8Rng) -> (f64, f64) {
    let restless = *[0.02, 0.3, 1.0, 1.0].choose(random).unwrap_or(&1.0);
    let density = *[0.1, 0.5, 0.5, 0.5, 0.9].choose(random).unwrap_or(&0.5);
    (restless, density)
}

fn words(port: &Port, value: u128) -> impl Iterator<Item = u64> {
    [value as u64, (value >> 64) as u64].into_iter().take(port.width.div_ceil(64))
}

/// An episode under way.
pub struct PortsBench<J> {
    judge: J,
    places: Vec<(usize, usize)>,
    cycles: Vec<Inputs>,
    cycle: usize,
}

impl<J: Judge> Bench for PortsBench<J> {
    fn drive(&mut self, pins: &mut Frame) {
        let mut words = self.cycles[self.cycle].iter().copied();
        for (port, width) in &self.places {
            let low = u128::from(words.next().unwrap_or(0));
            let high = if *width > 64 { u128::from(words.next().unwrap_or(0)) << 64 } else { 0 };
            pins.write(*port, high | low);
        }
        self.judge.allow(pins);
        self.cycle += 1;
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        self.judge.observe(pins, counts)
    }

    fn finished(&self) -> bool {
        self.cycle == self.cycles.len()
    }

    fn begun(&self) -> usize {
        self.cycle
    }

    fn progress(&self) -> u64 {
        self.cycle as u64
    }
}
