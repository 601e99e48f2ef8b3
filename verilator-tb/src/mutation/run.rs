//! Runs the mutants of a block: traffic is recorded once, driven and judged on the whole block, and replayed on each mutant that is still
//! alive, until one of its outputs differs.

use super::schema::{Mutant, Schema, SELECTOR};
use crate::error::{Error, Result};
use crate::lockstep::campaign::{self, Plan, Watch};
use crate::lockstep::recorder::{Recorder, Recording};
use crate::lockstep::rig::{Contestant, Rig};
use crate::verilated::{Model, Options, Start, Verilated};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Sender};

/// Cycles of the first piece of traffic, which kills most; each is twice as long as the one before, up to the longest.
const FIRST_PIECE: u64 = 1_000;
const LONGEST_PIECE: u64 = 32_000;

/// The place of `reset` among the ports of a block.
const RESET: usize = 1;

/// How a mutant was noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// Seed of the piece of traffic.
    pub seed: u64,
    /// Cycles after the reset of its episode.
    pub cycle: u64,
    /// The output that differed.
    pub port: String,
}

/// Where a run stands; written between the pieces, so that a stopped run goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Pieces of traffic that were run.
    pub pieces: u64,
    /// Their cycles.
    pub cycles: u64,
    /// Who was noticed, by number.
    pub killed: BTreeMap<u32, Kill>,
}

/// The Verilated block with one mutant selected, seen as the block itself.
struct Selected {
    inner: Verilated,
    ports: Vec<Port>,
    pins: Frame,
}

impl Selected {
    fn new(mut inner: Verilated, mutant: u32) -> Self {
        let selector = inner.port(SELECTOR);
        inner.set(selector, mutant.into());
        let ports = inner.ports()[..selector].to_vec();
        let mut pins = Frame::new(inner.ports());
        pins.write(selector, mutant.into());
        Self { inner, ports, pins }
    }
}

impl Pins for Selected {
    fn set(&mut self, port: usize, value: u128) {
        self.inner.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.inner.get(port)
    }
}

impl Simulation for Selected {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn tick(&mut self) {
        self.inner.tick();
    }

    fn cycle(&mut self, frame: &mut Frame) {
        let words = frame.words_mut();
        let length = words.len();
        self.pins.words_mut()[..length].copy_from_slice(words);
        self.inner.cycle(&mut self.pins);
        words.copy_from_slice(&self.pins.words_mut()[..length]);
    }
}

/// Records what the whole block does.
struct Recorders<'a> {
    model: &'a Model,
    to: Sender<Recording>,
}

impl Rig for Recorders<'_> {
    fn contestants(&self, _: &Entry, start: Start) -> Vec<Contestant> {
        vec![self.alone(start)]
    }

    fn alone(&self, start: Start) -> Contestant {
        let whole = Selected::new(self.model.simulation(start), 0);
        Contestant::export(Recorder::new(whole, start, self.to.clone()))
    }
}

/// Only Ctrl-C stops the recording.
struct UntilInterrupted;

impl Watch for UntilInterrupted {
    fn passed(&self, _: u64) -> bool {
        !interrupted()
    }
}

/// The Verilated model of a schema.
///
/// # Errors
/// Verilog that Verilator refuses.
pub fn model(schema: &Schema) -> Result<Model> {
    Model::build(&schema.source, &Options { quick: true, ..Options::CHECKING })
}

/// One piece of traffic: all episodes of a campaign on the whole block, judged by its model.
///
/// # Errors
/// A block that fails although nothing is broken, or Ctrl-C.
fn record(entry: &Entry, model: &Model, plan: Plan) -> std::result::Result<Vec<Recording>, CliError> {
    let (to, from) = channel();
    let outcome = campaign::run(entry, &Recorders { model, to }, plan, None, &UntilInterrupted)?;
    match outcome.failure {
        Some(found) => {
            Err(CliError::Check(format!("{} fails with no mutant selected: {}", entry.module(), found.what)))
        }
        None => Ok(from.into_iter().collect()),
    }
}

/// Replays `recording` on `simulation`: the first cycle, counted from its reset, and the output that differ.
fn replay(simulation: &mut dyn Simulation, recording: &Recording) -> Option<(u64, &'static str)> {
    let mut pins = Frame::new(simulation.ports());
    let width = pins.words_mut().len();
    for (cycle, words) in recording.words.chunks_exact(width).enumerate() {
        pins.words_mut().copy_from_slice(words);
        simulation.cycle(&mut pins);
        // While it is reset a block may say anything.
        if pins.read(RESET) == 0 && pins.words_mut() != words {
            let mut whole = Frame::new(simulation.ports());
            whole.words_mut().copy_from_slice(words);
            let differs = |port: &usize| pins.read(*port) != whole.read(*port);
            let port = (0..pins.ports()).find(differs)?;
            return Some((cycle as u64, simulation.ports()[port].name));
        }
    }
    None
}

/// That nothing is broken while no mutant is selected: the model does what the Rust kernels do.
///
/// # Errors
/// A difference: a defect of ours.
fn check_whole(entry: &Entry, recordings: &[Recording]) -> Result<()> {
    for recording in recordings.iter().filter(|recording| recording.start == Start::Pattern) {
        if let Some((cycle, port)) = replay(&mut *(entry.simulate)(), recording) {
            return Err(Error::Internal {
                place: entry.module(),
                cause: format!("with no mutant selected, {port} differs from the Rust simulation in cycle {cycle}"),
            });
        }
    }
    Ok(())
}

/// Runs traffic until `cycles` have passed or none of `mutants` is left. `told` hears of every piece: where the run stands.
///
/// # Errors
/// A defect of the block or of ours, or Ctrl-C.
pub fn run(
    entry: &Entry,
    mutants: &[&Mutant],
    model: &Model,
    plan: Plan,
    mut progress: Progress,
    told: &mut dyn FnMut(&Progress) -> std::result::Result<(), CliError>,
    watch: &(dyn Fn(u64, usize) + Sync),
) -> std::result::Result<Progress, CliError> {
    loop {
        let killed = |mutant: &&&Mutant| progress.killed.contains_key(&mutant.number);
        let alive: Vec<&Mutant> = mutants.iter().filter(|mutant| !killed(mutant)).copied().collect();
        if alive.is_empty() || progress.cycles >= plan.cycles {
            return Ok(progress);
        }
        let length = (FIRST_PIECE << progress.pieces.min(20)).min(LONGEST_PIECE).min(plan.cycles - progress.cycles);
        let seed = plan.seed.wrapping_mul(1_000_003).wrapping_add(progress.pieces);
        let recordings = record(entry, model, Plan { cycles: length, seed, alone: false })?;
        if progress.pieces == 0 {
            check_whole(entry, &recordings)?;
        }
        let done = AtomicU64::new(0);
        let killed = alive
            .par_iter()
            .map(|mutant| {
                if interrupted() {
                    return Err(CliError::Interrupted);
                }
                let kill = recordings.iter().find_map(|recording| {
                    let mut broken = Selected::new(model.simulation(recording.start), mutant.number);
                    let (cycle, port) = replay(&mut broken, recording)?;
                    Some((mutant.number, Kill { seed, cycle, port: port.to_string() }))
                });
                let share = (done.fetch_add(1, Ordering::Relaxed) + 1) * length / alive.len() as u64;
                watch(progress.cycles + share, alive.len());
                Ok(kill)
            })
            .collect::<std::result::Result<Vec<_>, CliError>>()?;
        progress.killed.extend(killed.into_iter().flatten());
        progress.pieces += 1;
        progress.cycles += length;
        told(&progress)?;
    }
}
