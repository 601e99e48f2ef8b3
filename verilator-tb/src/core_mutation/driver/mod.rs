//! Traffic of single modules of a core (XV-12): what whole programs bring a queue is short of what it is claimed to bear, and a mutant may count there only. A driver gives a module
//! any inputs that the proofs of `scripts/proofs` assume of what is around it, at random, and a mutant is noticed if its outputs differ from those of the whole module, as far as
//! they mean anything.
//!
//! That drivers keep what is assumed is checked with the very statements that the proofs assume (`verilator-tb/tests/properties.rs`), and that the module then does what
//! is claimed of it, too.

mod barrier_answers;
mod barrier_queue;
mod wake_queue;
mod warp_scheduler;

use super::check_unbroken;
use crate::error::{Error, Result};
use crate::lockstep::recorder::{Recorder, Recording};
use crate::mutation::hierarchy::{module_of, Hierarchy};
use crate::mutation::run::{kills, Broken};
use crate::mutation::schema::{Mutant, Schema, SELECTOR};
use crate::verilated::{Model, Options, Source, Start};
use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::{index_of, Simulation};
use heddle_sim::cli::error::CliError;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::mpsc::channel;

/// Cycles of an episode; each begins with a reset.
const EPISODE: u64 = 2_000;

/// What drives a module.
pub struct Driver {
    /// Its name behind that of the core; also that of the subject of `scripts/proofs` that says what is assumed.
    pub part: &'static str,
    /// Its ports behind `clock` and `reset`: each with what it means something with, or nothing.
    ports: &'static [(&'static str, &'static str)],
    /// Begins an episode.
    begin: fn(&[Port]) -> Box<dyn Traffic>,
}

/// The modules that are driven by themselves.
pub const DRIVERS: [Driver; 4] =
    [barrier_answers::DRIVER, barrier_queue::DRIVER, wake_queue::DRIVER, warp_scheduler::DRIVER];

/// An episode of a module.
trait Traffic {
    /// Sets all inputs of a cycle, and takes note of what it brings.
    fn cycle(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>);
}

/// The pins of a module, by name.
struct Module<'a> {
    ports: &'a [Port],
    inner: &'a mut dyn Simulation,
}

impl Module<'_> {
    fn set(&mut self, port: &str, value: u64) {
        self.inner.set(index_of(self.ports, port), value.into());
    }

    fn get(&mut self, port: &str) -> u64 {
        self.inner.get(index_of(self.ports, port)) as u64
    }
}

/// How often things happen; that changes every now and then, so that queues fill and empty.
struct Mood<const KINDS: usize> {
    left: u32,
    chances: [f64; KINDS],
}

impl<const KINDS: usize> Mood<KINDS> {
    fn new() -> Self {
        Self { left: 0, chances: [0.0; KINDS] }
    }

    /// Whether each kind of thing happens in this cycle.
    fn draw(&mut self, random: &mut ChaCha8Rng) -> [bool; KINDS] {
        if self.left == 0 {
            self.left = random.random_range(1..100);
            self.chances = std::array::from_fn(|_| [0.02, 0.2, 0.5, 0.8, 0.98][random.random_range(0..5)]);
        }
        self.left -= 1;
        self.chances.map(|chance| random.random_bool(chance))
    }
}

/// One of the bits of `mask`, by number.
fn any_of(mask: u64, random: &mut ChaCha8Rng) -> Option<u64> {
    let nth = random.random_range(0..mask.count_ones().max(1));
    (0..64).filter(|bit| mask >> bit & 1 == 1).nth(nth as usize)
}

impl Driver {
    /// The module by itself, as the Verilog around it names it: what is reset and driven there, and outputs that mean nothing are low. The top is called as that of `source`, so that
    /// statements about the module find there what they find in the whole.
    ///
    /// # Errors
    /// A module that has other ports than the driver knows, or that is not there.
    pub fn bench(&self, source: &Source) -> Result<Source> {
        let module = format!("{}_{}", source.top, self.part);
        let wrong = |cause: String| Error::Internal { place: module.clone(), cause };
        let text = source.files.iter().find(|(file, _)| module_of(file) == module).map(|(_, text)| text);
        let text = text.ok_or_else(|| wrong("there is no such module".into()))?;
        let ports = self.ports_of(text).map_err(wrong)?;
        let mut top = format!("module {} (\n", source.top);
        let declared = ports.iter().map(|port| {
            let way = if port.direction == Direction::In { "input" } else { "output" };
            format!("  {way} wire [{}:0] {}", port.width - 1, port.name)
        });
        top += &declared.collect::<Vec<_>>().join(",\n");
        top += "\n);\n  reg was_reset = 1'b0;\n  always @(posedge clock) if (reset) was_reset <= 1'b1;\n  wire is_behind_reset = was_reset && !reset;\n";
        let mut pins: Vec<String> = Vec::new();
        for Port { name, width, .. } in &ports {
            match self.ports.iter().find(|(known, _)| known == name).map_or("", |(_, valid)| valid) {
                "" => pins.push(format!(".{name}({name})")),
                valid => {
                    let _ = writeln!(
                        top,
                        "  wire [{}:0] said_{name};\n  assign {name} = said_{name} & {{{width}{{{valid}}}}};",
                        width - 1
                    );
                    pins.push(format!(".{name}(said_{name})"));
                }
            }
        }
        let _ = writeln!(top, "  {module} driven ({});\nendmodule", pins.join(", "));
        let whole = format!("{}.v", source.top);
        let others = source.files.iter().filter(|(file, _)| *file != whole).cloned();
        Ok(Source { top: source.top.clone(), files: others.chain([(whole.clone(), top)]).collect(), ports })
    }

    /// The ports of the module with this text, what selects a mutant among them if there is such an input, or what is wrong with them.
    fn ports_of(&self, text: &str) -> std::result::Result<Vec<Port>, String> {
        let head = text.split_once("\n);").map_or(text, |(head, _)| head);
        let mut ports = Vec::new();
        for line in head.lines().map(str::trim) {
            let (direction, rest) = match line.split_once(' ') {
                Some(("input", rest)) => (Direction::In, rest),
                Some(("output", rest)) => (Direction::Out, rest),
                _ => continue,
            };
            let width = rest.split_once('[').and_then(|(_, range)| range.split_once(":0]")?.0.parse::<usize>().ok());
            let width = width.map_or(1, |last| last + 1);
            let name = rest.trim_end_matches(',').rsplit(' ').next().unwrap_or_default();
            let mut known = ["clock", "reset", SELECTOR].into_iter().chain(self.ports.iter().map(|(name, _)| *name));
            let name = known.find(|known| *known == name).ok_or(format!("nobody drives {name}"))?;
            if width > 64 {
                return Err(format!("{name} has {width} bits, and a driver writes and reads 64 at most"));
            }
            ports.push(Port { name, direction, width, meaning: "" });
        }
        match self.ports.iter().find(|(name, _)| !ports.iter().any(|port| port.name == *name)) {
            Some((name, _)) => Err(format!("it has no port {name}")),
            None => Ok(ports),
        }
    }

    /// Drives the module of [`bench`](Self::bench) that `start` makes, episode by episode.
    pub fn drive(&self, ports: &[Port], seed: u64, cycles: u64, start: &mut dyn FnMut(u64) -> Box<dyn Simulation>) {
        for episode in 0..cycles.div_ceil(EPISODE) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(episode);
            let mut simulation = start(episode);
            let mut module = Module { ports, inner: &mut *simulation };
            module.set("reset", 1);
            module.inner.tick();
            module.set("reset", 0);
            let mut traffic = (self.begin)(ports);
            for _ in 0..EPISODE {
                traffic.cycle(&mut random, &mut module);
                module.inner.tick();
            }
        }
    }
}

/// Which of `mutants`, of the modules of `source` as `schema` breaks them, are noticed where their module, or the one that it is a part of, is driven by itself, for so many cycles.
///
/// # Errors
/// A module that is not as its driver knows it, Verilog that Verilator refuses, or Ctrl-C.
pub fn noticed(
    source: &Source,
    schema: &Schema,
    mutants: &[&Mutant],
    (seed, cycles): (u64, u64),
) -> std::result::Result<BTreeSet<u32>, CliError> {
    let mut noticed = BTreeSet::new();
    let hierarchy = Hierarchy::of(&source.files);
    for driver in &DRIVERS {
        let module = format!("{}_{}", source.top, driver.part);
        // What is in it is driven with it.
        let is_here = |mutant: &&&Mutant| hierarchy.only_in(module_of(&mutant.file), &module);
        let here: Vec<&Mutant> = mutants.iter().filter(is_here).copied().collect();
        if here.is_empty() {
            continue;
        }
        let whole = driver.bench(source)?;
        let model = Model::build(&whole, &Options { quick: true, ..Options::CHECKING })?;
        let source = driver.bench(&schema.source)?;
        let broken = Broken::of(&Schema { source, mutants: Vec::new(), candidates: 0, highest: 0 })?;
        let (to, from) = channel();
        driver.drive(&whole.ports, seed, cycles, &mut |episode| {
            let start = if episode % 2 == 0 { Start::Pattern } else { Start::Random(episode) };
            Box::new(Recorder::new(model.simulation(start), start, to.clone()))
        });
        drop(to);
        let recordings: Vec<Recording> = from.into_iter().collect();
        check_unbroken(&module, &broken, &recordings)?;
        noticed.extend(kills(&here, &broken, &recordings, seed, &|_| ())?.into_keys());
    }
    Ok(noticed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::schema::those;
    use heddle_hdl::points;

    /// Holds which mutants of some places of a part of a core are noticed where their module is driven by itself against which should be.
    fn notices(part: &str, wanted: &[(&str, &str, bool)]) {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let source = Source::of(&entry).expect("an export");
        let like = |mutant: &Mutant| {
            let is_here = mutant.file.ends_with(&format!("_{part}.v"));
            wanted
                .iter()
                .filter(|_| is_here)
                .find(|(was, becomes, _)| (*was, *becomes) == (mutant.was.trim(), mutant.becomes.trim()))
        };
        let schema = those(&source, &|mutant| like(mutant).is_some()).expect("readable").expect("some");
        let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
        assert!(mutants.len() >= wanted.len(), "{mutants:?}");
        let told = noticed(&source, &schema, &mutants, (1, 20_000)).expect("driven");
        let expected: BTreeSet<u32> = mutants
            .iter()
            .filter(|mutant| like(mutant).is_some_and(|(_, _, is_noticed)| *is_noticed))
            .map(|mutant| mutant.number)
            .collect();
        let noticed = wanted.iter().filter(|(_, _, is_noticed)| *is_noticed).count();
        assert_eq!(told, expected);
        assert!(expected.len() >= noticed && mutants.len() - expected.len() >= wanted.len() - noticed, "{mutants:?}");
    }

    /// XV-12: where the queue of wake-ups is driven by itself, its sixteen places fill and empty: a last place that is not there is noticed, as is a part that joins wrongly whose sets wait, and what
    /// is the same in other words is not.
    #[test]
    fn xv_12_a_queue_fills_where_it_is_driven() {
        let apart = "(mask_15) ^ (enter_mask)";
        notices("wake_queue", &[("warp_15 <= enter_warp;", "", true), ("mask_15 | enter_mask", apart, false)]);
        let apart = "(masks_0 | masks_1 | masks_2) ^ (masks_3)";
        notices("whose_4", &[("masks_0 | masks_1 | masks_2 | masks_3", apart, true)]);
    }

    /// XV-12: where answers are driven by themselves, a request may be refused of whose threads some wait already, and an answer be wrong; nobody falls asleep twice.
    #[test]
    fn xv_12_answers_are_driven() {
        let asleep = "sleepers | ({16'd0, response_sleep >> held_up} << held_down)";
        let apart = "(sleepers) ^ (({16'd0, response_sleep >> held_up} << held_down))";
        let wanted = [
            ("waiters | held_threads", "(waiters) ^ (held_threads)", true),
            ("response_valid & response_error", "(response_valid) | (response_error)", true),
            (asleep, apart, false),
        ];
        notices("barrier_answers", &wanted);
    }

    /// XV-12: a module whose ports are others than its driver knows is told.
    #[test]
    fn xv_12_a_driver_knows_its_ports() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let whole = Source::of(&entry).expect("an export");
        let complaint = |from: &str, to: &str| {
            let mut source = whole.clone();
            source.files.iter_mut().for_each(|(_, text)| *text = text.replace(from, to));
            format!("{:?}", barrier_queue::DRIVER.bench(&source).map(|_| ()).expect_err("it has other ports"))
        };
        assert!(complaint("  output wire       front_new,", "").contains("no port front_new"));
        assert!(complaint("front_new,", "front_old,").contains("nobody drives front_old"));
        assert!(complaint("  output wire       front_new,", "  output wire [64:0] front_new,").contains("65 bits"));
    }
}
