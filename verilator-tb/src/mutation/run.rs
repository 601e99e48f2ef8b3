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
pub const RESET: usize = 1;

/// How a mutant was noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// Seed of the piece of traffic; 0 for inputs that are written down.
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

/// The Verilated model of a schema: the block with all its mutants.
pub struct Broken {
    model: Model,
    /// Whether its memories start alike: then the Rust kernels, which start from a pattern, may show other things.
    alike: bool,
}

impl Broken {
    /// With the memories of lockstep.
    ///
    /// # Errors
    /// Verilog that Verilator refuses.
    pub fn of(schema: &Schema) -> Result<Self> {
        let model = Model::build(&schema.source, &Options { quick: true, ..Options::CHECKING })?;
        Ok(Self { model, alike: false })
    }

    /// With memories of which each holds the same bit everywhere before the reset, drawn for each by what a simulation starts from.
    ///
    /// # Errors
    /// Verilog that Verilator refuses.
    pub fn from_alike(schema: &Schema) -> Result<Self> {
        let mut source = schema.source.clone();
        source.files.iter_mut().for_each(|(_, text)| *text = all_alike(text));
        let model = Model::build(&source, &Options { quick: true, ..Options::CHECKING })?;
        Ok(Self { model, alike: true })
    }

    fn selected(&self, start: Start, mutant: u32) -> Selected {
        Selected::new(self.model.simulation(start), mutant)
    }
}

/// `text` with a process, behind those that fill the memories of a module at the start, that fills each with the last bit of its first word.
fn all_alike(text: &str) -> String {
    let fill = |line: &str| -> Option<String> {
        let (width, rest) = line.trim().strip_prefix("reg ")?.trim_start().strip_prefix('[')?.split_once(":0]")?;
        let (name, bounds) = rest.split_once(" [0:")?;
        let (name, (last, _)) = (name.trim(), bounds.split_once("];")?);
        let [width, last] = [width, last].map(|number| number.parse::<u32>());
        let (width, last) = (width.ok()? + 1, last.ok()?);
        let each = format!("for (entry = 0; entry <= {last}; entry = entry + 1)");
        Some(format!("  initial begin : heddle_alike_{name} integer entry; {each} {name}[entry] = {{{width}{{{name}[0][0]}}}}; end\n"))
    };
    let fills: String = text.lines().filter_map(fill).collect();
    text.replacen("endmodule", &format!("{fills}endmodule"), 1)
}

/// Records what the whole block does.
struct Recorders<'a> {
    model: &'a Broken,
    to: Sender<Recording>,
}

impl Rig for Recorders<'_> {
    fn contestants(&self, _: &Entry, start: Start) -> Vec<Contestant> {
        vec![self.alone(start)]
    }

    fn alone(&self, start: Start) -> Contestant {
        let whole = self.model.selected(start, 0);
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

/// One piece of traffic: all episodes of a campaign on the whole block, judged by its model.
///
/// # Errors
/// A block that fails although nothing is broken, or Ctrl-C.
fn record(entry: &Entry, model: &Broken, plan: Plan) -> std::result::Result<Vec<Recording>, CliError> {
    let (to, from) = channel();
    let outcome = campaign::run(entry, &Recorders { model, to }, plan, None, &UntilInterrupted)?;
    match outcome.failure {
        Some(found) => {
            Err(CliError::Check(format!("{} fails with no mutant selected: {}", entry.module(), found.what)))
        }
        None => Ok(from.into_iter().collect()),
    }
}

/// What the whole block does when its inputs are those of `frames`, of which the first ones reset it.
pub fn record_frames(model: &Broken, frames: &[Frame]) -> Recording {
    let mut whole = model.selected(Start::Pattern, 0);
    let mut words = Vec::new();
    for frame in frames {
        let mut frame = frame.clone();
        whole.cycle(&mut frame);
        words.extend_from_slice(frame.words_mut());
    }
    Recording { start: Start::Pattern, words }
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
pub fn check_whole(entry: &Entry, recordings: &[Recording]) -> Result<()> {
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
    model: &Broken,
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
        if progress.pieces == 0 && !model.alike {
            check_whole(entry, &recordings)?;
        }
        let told_share = |share: u64| watch(progress.cycles + share * length / alive.len() as u64, alive.len());
        let killed = kills(&alive, model, &recordings, seed, &told_share)?;
        progress.killed.extend(killed);
        progress.pieces += 1;
        progress.cycles += length;
        told(&progress)?;
    }
}

/// Who of `mutants` differs from the whole block, of which these are `recordings`; `watch` hears how many were looked at.
///
/// # Errors
/// Ctrl-C.
pub fn kills(
    mutants: &[&Mutant],
    model: &Broken,
    recordings: &[Recording],
    seed: u64,
    watch: &(dyn Fn(u64) + Sync),
) -> std::result::Result<BTreeMap<u32, Kill>, CliError> {
    let done = AtomicU64::new(0);
    let killed = mutants
        .par_iter()
        .map(|mutant| {
            if interrupted() {
                return Err(CliError::Interrupted);
            }
            let kill = recordings.iter().find_map(|recording| {
                let (cycle, port) = replay(&mut model.selected(recording.start, mutant.number), recording)?;
                Some((mutant.number, Kill { seed, cycle, port: port.to_string() }))
            });
            watch(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(kill)
        })
        .collect::<std::result::Result<Vec<_>, CliError>>()?;
    Ok(killed.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: every memory of the text is filled, behind whatever else fills it; nothing else is touched.
    #[test]
    fn xv_12_memories_are_filled_alike() {
        let text = "module ram (\n  input wire clock\n);\n  reg  [15:0] memory [0:31];\n  reg [3:0] held;\nendmodule\n";
        let fill = "  initial begin : heddle_alike_memory integer entry; \
                    for (entry = 0; entry <= 31; entry = entry + 1) memory[entry] = {16{memory[0][0]}}; end\nendmodule";
        assert_eq!(all_alike(text), text.replace("endmodule", fill));
        let none = "module none (\n  input wire [3:0] data\n);\nendmodule\n";
        assert_eq!(all_alike(none), none);
    }
}
