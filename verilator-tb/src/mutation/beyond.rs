//! What the traffic of lockstep does not bring, and surroundings may, or nobody does though the block answers it: memories of which all words hold the same when the
//! supply comes up, so that what was never written compares equal; and inputs that `verilator-tb/mutation/directed.json` writes down cycle by cycle.

use super::run::{self, Broken, Kill, Progress};
use super::schema::{Mutant, Schema};
use crate::error::{Error, Result};
use crate::lockstep::campaign::Plan;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::Frame;
use heddle_sim::cli::error::CliError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The list.
const LIST: &str = include_str!("../../mutation/directed.json");

/// How often a cycle comes that says nothing of it.
fn once() -> u32 {
    1
}

/// Inputs, cycle by cycle, from the reset on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Directed {
    /// The block.
    block: String,
    /// The point.
    point: String,
    /// What happens, and who does that.
    why: String,
    /// The cycles.
    cycles: Vec<Step>,
}

/// A cycle, or several that are alike.
#[derive(Clone, Debug, Deserialize)]
struct Step {
    /// How many.
    #[serde(default = "once")]
    repeat: u32,
    /// Inputs that change; the others keep what they have, from 0 on.
    #[serde(flatten)]
    inputs: BTreeMap<String, u64>,
}

impl Directed {
    /// The pins of a block with `ports` in each cycle, outputs low.
    fn frames(&self, ports: &[Port]) -> Result<Vec<Frame>> {
        let mut frame = Frame::new(ports);
        let mut frames = Vec::new();
        for step in &self.cycles {
            for (name, value) in &step.inputs {
                let fits = |port: &Port| port.direction == Direction::In && port.name == name;
                let place = ports.iter().position(fits).filter(|place| {
                    let width = ports[*place].width;
                    width >= 64 || value >> width == 0
                });
                let place = place.ok_or_else(|| Error::Internal {
                    place: format!("mutation/directed.json: {}, \"{}\"", self.block, self.why),
                    cause: format!("there is no input {name} that takes {value}"),
                })?;
                frame.write(place, (*value).into());
            }
            frames.extend((0..step.repeat).map(|_| frame.clone()));
        }
        Ok(frames)
    }
}

fn directed() -> Result<Vec<Directed>> {
    serde_json::from_str(LIST)
        .map_err(|cause| Error::Internal { place: "mutation/directed.json".into(), cause: cause.to_string() })
}

/// Who of `mutants` is noticed when the inputs that are written down for `entry` come; the Rust kernels do what the whole block does.
///
/// # Errors
/// A list that does not fit the block, a block that does something else, or Ctrl-C.
pub fn as_written(
    entry: &Entry,
    mutants: &[&Mutant],
    model: &Broken,
) -> std::result::Result<BTreeMap<u32, Kill>, CliError> {
    let mut killed = BTreeMap::new();
    let fits = |directed: &&Directed| (directed.block.as_str(), directed.point.as_str()) == (entry.block, entry.point);
    for directed in directed()?.iter().filter(fits) {
        let recordings = [run::record_frames(model, &directed.frames((entry.simulate)().ports())?)];
        run::check_whole(entry, &recordings)?;
        killed.extend(run::kills(mutants, model, &recordings, 0, &|_| ())?);
    }
    Ok(killed)
}

/// Runs `mutants` on the traffic of `plan` where all words of the memories are alike before they are written, from where it has `begun`; `told` hears who is noticed.
///
/// # Errors
/// A block that fails although nothing is broken, or Ctrl-C.
pub fn from_alike(
    entry: &Entry,
    schema: &Schema,
    mutants: &[&Mutant],
    plan: Plan,
    begun: Progress,
    told: &mut dyn FnMut(&Progress) -> std::result::Result<(), CliError>,
    watch: &(dyn Fn(u64, usize) + Sync),
) -> std::result::Result<(), CliError> {
    if begun.cycles < plan.cycles {
        run::run(entry, mutants, &Broken::from_alike(schema)?, plan, begun, told, watch)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::schema::those;
    use super::*;
    use crate::verilated::Source;
    use heddle_hdl::points;

    /// XV-12: each list fits its block, which does what the Rust kernels do.
    #[test]
    fn xv_12_what_is_written_down_fits_its_block() {
        for directed in directed().expect("a list") {
            let entry = points::find(&directed.block, &directed.point).expect("a block at a point");
            let frames = directed.frames((entry.simulate)().ports()).expect("inputs of it");
            assert!(frames.iter().any(|frame| frame.read(run::RESET) == 1), "{}: it is reset", directed.why);
        }
        let wrong = Directed {
            block: "token_deque".into(),
            point: "1x32x8".into(),
            why: "too much".into(),
            cycles: vec![Step { repeat: 1, inputs: [("push_kind".to_string(), 16)].into() }],
        };
        let entry = points::find("token_deque", "1x32x8").expect("a block");
        assert!(wrong.frames((entry.simulate)().ports()).expect_err("refused").to_string().contains("push_kind"));
    }

    /// XV-12: a mark that the reset of the token deque sets instead of clearing it shows in no traffic of lockstep, but in what is written down, and so does an
    /// idle barrier's clock that runs out twice, and who was seen that is put back before who has arrived; a barrier of the collector that nobody configured is
    /// complete only in memories that are alike.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_12_what_lockstep_does_not_bring_kills() {
        let broken = |block: &str, file: &str, was: &str, becomes: &str| {
            let entry = points::entries().into_iter().find(|entry| entry.block == block).expect("a block");
            let source = Source::of(&entry).expect("an export");
            let name = format!("{}{file}.v", entry.module());
            let wanted = |mutant: &Mutant| mutant.file == name && mutant.was == was && mutant.becomes == becomes;
            (entry, those(&source, &wanted).expect("Verilog").expect("a mutant"))
        };
        let (entry, schema) = broken("token_deque", "_queue_sequencer", "1'b0", "1'h1");
        let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
        let model = Broken::of(&schema).expect("a model");
        let killed = as_written(&entry, &mutants, &model).expect("a run");
        assert!(killed.values().any(|kill| kill.port == "response_merged"), "{killed:?}");
        for bit in ["state[4]", "state[7]"] {
            let (entry, schema) = broken("barrier_scheduler", "_arrival_answer", bit, "1'b1");
            // The first of them stands in what `remembers` is.
            let mutants: Vec<&Mutant> = schema.mutants.iter().take(1).collect();
            let killed = as_written(&entry, &mutants, &Broken::of(&schema).expect("a model")).expect("a run");
            assert_eq!(killed.len(), 1, "{bit}: {mutants:?}");
        }
        for block in ["barrier_scheduler", "arrival_tracker"] {
            let (entry, schema) = broken(block, "_saved_words", "seen_word", "1'b1");
            // The last of them writes who has arrived for who was seen.
            let mutants: Vec<&Mutant> = schema.mutants.iter().rev().take(1).collect();
            let killed = as_written(&entry, &mutants, &Broken::of(&schema).expect("a model")).expect("a run");
            assert_eq!(killed.len(), 1, "{block}: {mutants:?}");
        }
        let (entry, schema) = broken("barrier_collector", "", "act & !configure", "act");
        let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
        let plan = Plan { cycles: 40_000, seed: 1, alone: false };
        let mut killed = BTreeMap::new();
        let mut told = |progress: &Progress| {
            killed = progress.killed.clone();
            Ok(())
        };
        from_alike(&entry, &schema, &mutants, plan, Progress::default(), &mut told, &|_, _| ()).expect("a run");
        assert_eq!(killed.len(), mutants.len(), "{killed:?}");
    }
}
