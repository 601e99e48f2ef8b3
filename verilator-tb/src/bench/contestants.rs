//! The Verilog that runs in the comparison: our export, the stock back end's text of the same kernels, and the hand-written block.

use super::trace::Trace;
use crate::error::{Error, Result};
use crate::lockstep::barrier_blocks::PlainBarrierJudge;
use crate::lockstep::bench::{Shape, Stimulus, Subject};
use crate::lockstep::ports::PortsSubject;
use crate::lockstep::surroundings::Surroundings;
use crate::lockstep::token_deque::stimulus::{Code, Operation};
use crate::lockstep::token_deque::{Run, TokenDequeSubject};
use crate::lockstep::tree_blocks::LeafSelectorJudge;
use crate::verilated::Source;
use heddle_hdl::divergence::token::Kind;
use heddle_hdl::points::{self, Entry};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Simulation;
use rust_hdl::core::module_defines::ModuleDefines;
use std::collections::BTreeSet;

/// A block that somebody also wrote by hand.
pub struct Contest {
    /// The block.
    pub block: &'static str,
    /// The point at which it was written by hand.
    pub point: &'static str,
    handwritten: &'static str,
    /// Records lockstep traffic of the block.
    pub record: fn(&Entry, &mut dyn Simulation, usize) -> Result<Trace>,
}

/// One block of each size: a large one with memories, a middle one, and one that is hardly more than a memory.
pub const CONTESTS: [Contest; 3] = [
    Contest {
        block: "token_deque",
        point: "4x32x16",
        handwritten: include_str!("../../baseline/token_deque.v"),
        record: Trace::record::<PlainBackPushes>,
    },
    Contest {
        block: "plain_barrier",
        point: "16x8x16",
        handwritten: include_str!("../../baseline/plain_barrier.v"),
        record: Trace::record::<PortsSubject<PlainBarrierJudge>>,
    },
    Contest {
        block: "leaf_selector",
        point: "4x32x64",
        handwritten: include_str!("../../baseline/leaf_selector.v"),
        record: Trace::record::<PortsSubject<LeafSelectorJudge>>,
    },
];

/// Traffic of the token deque in which the kind at a back push, of which the block takes no account, is that of a yield token. It marks flags that
/// only outputs without a meaning show, and the hand-written block keeps others.
pub struct PlainBackPushes;

impl Subject for PlainBackPushes {
    type Shape = Shape;
    type Settings = Surroundings;
    type Operation = Operation;
    type Bench = Run;
    const EXPECTED: &'static [&'static str] = TokenDequeSubject::EXPECTED;

    fn shape(entry: &Entry) -> Shape {
        TokenDequeSubject::shape(entry)
    }

    fn stimulus(shape: &Shape, seed: u64) -> Stimulus<Surroundings, Operation> {
        let mut stimulus = TokenDequeSubject::stimulus(shape, seed);
        for operation in &mut stimulus.operations {
            if matches!(operation.code, Code::PushBack | Code::Yield) {
                operation.kind = Kind::Yield.code();
            }
        }
        stimulus
    }

    fn bench(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Surroundings, Operation>) -> Run {
        TokenDequeSubject::bench(shape, ports, stimulus)
    }
}

impl Contest {
    /// The block in the list of points.
    ///
    /// # Errors
    /// It is not there.
    pub fn entry(&self) -> Result<Entry> {
        points::find(self.block, self.point).ok_or_else(|| Error::Internal {
            place: "bench".to_string(),
            cause: format!("there is no {} at {}", self.block, self.point),
        })
    }

    /// The hand-written block; its ports are those of the list of points.
    ///
    /// # Errors
    /// The list has no such block.
    pub fn handwritten(&self) -> Result<Source> {
        Ok(Source {
            top: self.block.to_string(),
            files: vec![(format!("{}.v", self.block), self.handwritten.to_string())],
            ports: (self.entry()?.ports)(),
        })
    }
}

/// What rust-hdl's own back end makes of the block, with its resets wired.
pub fn stock(entry: &Entry) -> Source {
    let mut defines = ModuleDefines::default();
    (entry.block_of)().accept("top", &mut defines);
    Source {
        top: "top".to_string(),
        files: vec![("stock.v".to_string(), with_resets(&defines.defines()))],
        ports: (entry.ports)(),
    }
}

/// `text` with the reset of every register wired.
///
/// The stock back end knows `dff_setup!` by name and writes for it what its own registers need: clock and `d`. Our
/// registers have a reset too, which it leaves a variable that nobody assigns: `reg  state$reset;`. Where a module has
/// such a variable, it becomes the module's own reset: `wire  state$reset = reset;`.
fn with_resets(text: &str) -> String {
    let assigned: BTreeSet<(&str, &str)> = lines(text)
        .filter_map(|(module, line)| {
            let (target, _) = line.trim().trim_start_matches("always @(*) ").split_once(" = ")?;
            Some((module, target.trim()))
        })
        .collect();
    let mut wired = String::with_capacity(text.len() + 4096);
    for (module, line) in lines(text) {
        let signal = line.trim().strip_prefix("reg").and_then(|rest| rest.trim().strip_suffix(';'));
        match signal.filter(|name| name.ends_with("$reset") && !assigned.contains(&(module, *name))) {
            Some(name) => wired.push_str(&format!("    wire {name} = reset;")),
            None => wired.push_str(line),
        }
        wired.push('\n');
    }
    wired
}

/// The lines of `text`, each with the module it is in.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut module = "";
    text.lines().map(move |line| {
        if let Some(name) = line.trim().strip_prefix("module ").and_then(|rest| rest.split('(').next()) {
            module = name;
        }
        (module, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-06: a reset that nobody assigns is wired, one that the kernel assigns and all else stay as they are.
    #[test]
    fn ux_06_only_open_resets_are_wired() {
        let text = "module top(clock,reset);\n    reg  a$reset;\n    reg  b$reset;\n    reg [2:0] c;\n    \
                    b$reset = reset;\nendmodule // top\n";
        let wired = with_resets(text);
        assert!(wired.contains("wire a$reset = reset;"), "{wired}");
        assert!(wired.contains("reg  b$reset;") && wired.contains("reg [2:0] c;"), "{wired}");
    }

    /// UX-06: what the measurements replay is traffic that the judge of each block finds right, on the kernels as on the export.
    #[test]
    fn ux_06_every_contest_is_recorded() {
        for contest in &CONTESTS {
            let entry = contest.entry().expect("the block is in the list of points");
            let trace =
                (contest.record)(&entry, (entry.simulate)().as_mut(), 3000).expect("the kernels do what the page says");
            assert_eq!(trace.compare((entry.simulate)().as_mut()), None, "{}", contest.block);
        }
    }
}
