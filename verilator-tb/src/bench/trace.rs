//! A stimulus that was recorded once: the pins of every cycle, inputs and the answers to them, to be replayed at full speed.

use crate::error::{Error, Result};
use crate::lockstep::bench::{Bench, Counts, Subject};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Simulation};

/// See the module's page.
pub struct Trace {
    ports: Vec<Port>,
    width: usize,
    words: Vec<u64>,
}

/// Where a replay answered otherwise than the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Cycle of the trace.
    pub cycle: usize,
    /// The port.
    pub port: &'static str,
    /// What the recording has.
    pub recorded: u128,
    /// What the replay answered.
    pub replayed: u128,
}

impl Trace {
    /// Records `cycles` of lockstep traffic: one random episode after another, each from a reset, judged by the model.
    ///
    /// # Errors
    /// [`Error::Check`] if the simulation does not do what the model says.
    pub fn record<S: Subject>(entry: &Entry, simulation: &mut dyn Simulation, cycles: usize) -> Result<Self> {
        let ports = (entry.ports)();
        let shape = S::shape(entry);
        let mut frame = Frame::new(&ports);
        let width = frame.words_mut().len();
        let mut words = Vec::with_capacity((cycles + 1) * width);
        let mut counts = Counts::default();
        let mut seed = 0;
        while words.len() < cycles * width {
            let stimulus = S::stimulus(&shape, seed);
            let mut bench = S::bench(&shape, &ports, &stimulus);
            frame.words_mut().fill(0);
            frame.write(1, 1);
            simulation.cycle(&mut frame);
            words.extend_from_slice(frame.words_mut());
            frame.write(1, 0);
            while !bench.finished() && words.len() < cycles * width {
                bench.drive(&mut frame);
                simulation.cycle(&mut frame);
                words.extend_from_slice(frame.words_mut());
                bench.observe(&mut frame, &mut counts).map_err(|what| Error::Check {
                    what: format!("the recorded simulation is wrong in episode {seed}: {what}"),
                    hint: format!("cargo tb lockstep {} --point {}", entry.block, entry.point),
                })?;
            }
            seed += 1;
        }
        Ok(Self { ports, width, words })
    }

    /// How many cycles it has.
    pub fn cycles(&self) -> usize {
        self.words.len() / self.width
    }

    /// Replays `cycles` from cycle `from` on, beginning anew at its end, and looks at nothing.
    pub fn replay(&self, simulation: &mut dyn Simulation, from: usize, cycles: usize) {
        let mut frame = Frame::new(&self.ports);
        let endless = self.words.chunks_exact(self.width).cycle();
        for recorded in endless.skip(from % self.cycles()).take(cycles) {
            frame.words_mut().copy_from_slice(recorded);
            simulation.cycle(&mut frame);
        }
    }

    /// Replays it once on a fresh simulation: the first port that answers otherwise. Cycles of reset are not compared.
    pub fn compare(&self, simulation: &mut dyn Simulation) -> Option<Divergence> {
        let (mut frame, mut expected) = (Frame::new(&self.ports), Frame::new(&self.ports));
        for (cycle, recorded) in self.words.chunks_exact(self.width).enumerate() {
            frame.words_mut().copy_from_slice(recorded);
            expected.words_mut().copy_from_slice(recorded);
            simulation.cycle(&mut frame);
            if expected.read(1) == 1 || frame == expected {
                continue;
            }
            let differs = self.ports.iter().enumerate().find(|(port, _)| frame.read(*port) != expected.read(*port));
            if let Some((port, Port { name, .. })) = differs {
                let (recorded, replayed) = (expected.read(port), frame.read(port));
                return Some(Divergence { cycle, port: name, recorded, replayed });
            }
        }
        None
    }
}
