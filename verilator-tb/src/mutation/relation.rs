//! Whether states of the whole block and of a mutant that are *alike* stay alike, and show the same: one step of two copies, from any two such states.
//!
//! Two states are alike if what is said to count of them ([`super::alike`]) is the same, and so is every register to which the mutant never comes. If they are behind
//! the reset, whatever the memories held, and if each step from two that are alike leads to two that are, with the same outputs in between, nobody can ever tell. Each step is
//! a question to a solver, whatever the runs are; what the proofs assume and have shown holds of the whole block, before the step and behind it.

use super::attempt::{Attempt, Found};
use super::circuit::{own, Circuit};
use super::graph::Graph;
use crate::error::Result;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// So many names tell what is wrong; and where a mutant comes to more registers, one after the other, more than what is said to count has to be the same. Words are counted: how
/// many bits of one are told at once is up to the solver.
const SOME: usize = 12;
const MOST: usize = 40;

/// What a step begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The cycle of the reset.
    Reset,
    /// Two states that are alike.
    Alike,
}

/// What tells that two states that were alike are no longer: by register, by output, by bit of what counts; and what the whole has left of what holds in every state.
struct Told {
    registers: Vec<u32>,
    outputs: Vec<u32>,
    views: Vec<u32>,
    invariants: Vec<u32>,
}

/// Whether states that are alike stay alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// They do: nobody can tell.
    Alike,
    /// They need not: from such states these differ, by name, registers that may differ behind.
    Apart(Vec<String>),
    /// The time was over.
    Undecided,
}

impl fmt::Display for Answer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Alike => to.write_str("states that are alike stay alike"),
            Answer::Apart(names) => write!(to, "states that are alike get apart:\n    {}", names.join("\n    ")),
            Answer::Undecided => to.write_str("undecided"),
        }
    }
}

/// A question: about the mutant of `attempt`, in whose circuit is said what counts.
pub struct Relation<'a>(pub &'a Attempt<'a>);

impl Relation<'_> {
    /// Asks it.
    ///
    /// # Errors
    /// A tool that fails.
    pub fn ask(&self) -> Result<Answer> {
        let circuit = self.0.circuit;
        let mut apart = vec![false; circuit.registers()];
        // To which registers the mutant comes, a question at a time.
        let mut order = Vec::new();
        let mut froms = vec![From::Reset, From::Alike];
        while let Some(from) = froms.pop() {
            let registers = |told: Told| told.registers;
            let answer = self.answer(from, &apart, &registers)?;
            // What gets everywhere is not told by asking further.
            if order.len() > MOST {
                return Ok(Answer::Apart(order.iter().map(|name| format!("apart {name}")).collect()));
            }
            match answer {
                Some(found) if found.is_empty() => continue,
                Some(found) => order.extend(self.take_apart(&found, &mut apart)),
                None => return Ok(Answer::Undecided),
            }
            froms = vec![From::Reset, From::Alike];
        }
        let all = |told: Told| [told.outputs, told.views, told.invariants].concat();
        for from in [From::Reset, From::Alike] {
            match self.answer(from, &apart, &all)? {
                Some(found) if found.is_empty() => {}
                Some(found) => return Ok(Answer::Apart(self.named(from, &found, &order))),
                None => return Ok(Answer::Undecided),
            }
        }
        Ok(Answer::Alike)
    }

    /// Takes the registers that were found apart, each with all its bits; their names, each once.
    fn take_apart(&self, found: &[usize], apart: &mut [bool]) -> BTreeSet<String> {
        let circuit = self.0.circuit;
        let word = |at: usize| circuit.register_name(at).rsplit_once('[').map(|(word, _)| word.to_string());
        for at in found {
            apart[*at] = true;
            if let Some(found) = word(*at) {
                let others = (0..apart.len()).filter(|other| !circuit.watchers()[*other]);
                let others: Vec<usize> = others.filter(|other| word(*other).as_ref() == Some(&found)).collect();
                others.into_iter().for_each(|other| apart[other] = true);
            }
        }
        found.iter().map(|at| word(*at).unwrap_or_else(|| circuit.register_name(*at))).collect()
    }

    /// What of `asked` can be the case; nothing if it takes too long to know.
    fn answer(&self, from: From, apart: &[bool], asked: &dyn Fn(Told) -> Vec<u32>) -> Result<Option<Vec<usize>>> {
        let Attempt { circuit, number, part, .. } = *self.0;
        let count = inputs(circuit, apart);
        let mut graph = Graph::default();
        let values: Vec<u32> = (0..count).map(|_| graph.input()).collect();
        let told = asked(step(&mut graph, circuit, (number, part), from, apart, &values));
        let any = told.iter().fold(1, |none, told| graph.and(none, told ^ 1)) ^ 1;
        if any == 0 {
            return Ok(Some(Vec::new()));
        }
        let question = graph.binary(&[], any);
        // The one finds soon that there is no such state, the other tells a state that there is. The first ends with an assertion of its own where hardly anything is left to
        // ask; whatever else keeps it from running keeps the second, too.
        let said = self.0.ask("relation", &question, "&get; &kissat").unwrap_or_default();
        if said.is_some_and(|said| said.contains("Result: Unsatisfiable")) {
            return Ok(Some(Vec::new()));
        }
        match self.0.search("relation", &question)? {
            Found::Nothing => Ok(Some(Vec::new())),
            Found::Inputs(inputs) => {
                let mut values: Vec<u32> = inputs.into_iter().map(u32::from).collect();
                values.resize(count, 0);
                let told = asked(step(&mut Graph::default(), circuit, (number, part), from, apart, &values));
                let found: Vec<usize> = (0..told.len()).filter(|at| told[*at] == 1).collect();
                Ok((!found.is_empty()).then_some(found))
            }
            Found::Undecided => Ok(None),
        }
    }

    /// What was found, by name, and the registers that were apart, in the order in which the mutant came to them.
    fn named(&self, from: From, found: &[usize], order: &[String]) -> Vec<String> {
        let circuit = self.0.circuit;
        let (outputs, views) = (circuit.output_names(), circuit.view_names());
        let name = |at: &usize| match *at {
            at if at < outputs.len() => format!("output {}", outputs[at]),
            at if at < outputs.len() + views.len() => format!("alike {}", views[at - outputs.len()].0),
            at => format!("invariant {}", circuit.invariant_names()[at - outputs.len() - views.len()].0),
        };
        let when = match from {
            From::Reset => "behind the reset",
            From::Alike => "behind a step",
        };
        let registers = order.iter().take(SOME).map(|name| format!("apart {name}"));
        found.iter().take(SOME).map(|at| format!("{} {when}", name(at))).chain(registers).collect()
    }
}

/// The inputs of a step: those of the block, twice, its registers, and what those that are `apart` hold in the mutant.
fn inputs(circuit: &Circuit, apart: &[bool]) -> usize {
    2 * circuit.inputs() + apart.len() + apart.iter().filter(|apart| **apart).count()
}

/// A step of the whole and of mutant `number`, for these inputs, where registers that are not `apart` are there once.
fn step(
    graph: &mut Graph,
    circuit: &Circuit,
    (number, part): (u32, bool),
    from: From,
    apart: &[bool],
    values: &[u32],
) -> Told {
    let (first, values) = values.split_at(circuit.inputs());
    let (second, values) = values.split_at(circuit.inputs());
    let (state, others) = values.split_at(apart.len());
    let mut others = others.iter();
    let with_reset = |inputs: &[u32], reset: u32| -> Vec<u32> {
        let inputs = inputs.iter().enumerate();
        inputs.map(|(at, input)| if circuit.is_reset(at) { reset } else { *input }).collect()
    };
    let (before, after) = (with_reset(first, u32::from(from == From::Reset)), with_reset(second, 0));
    // Before the reset all registers hold 0, but for those of which the inputs say what they hold.
    let state: Vec<u32> = match from {
        From::Reset => vec![0; apart.len()],
        From::Alike => circuit.begun().zip(state).map(|(begun, value)| if begun { 1 } else { *value }).collect(),
    };
    let own = match from {
        From::Reset => state.clone(),
        From::Alike => own(&state, apart, || others.next().copied().unwrap_or(0)),
    };
    let whole = circuit.copy(graph, &before, &state, 0);
    let mut broken = circuit.copy(graph, &before, &own, number);
    // What the reset does not set is memory, the same in both.
    if from == From::Reset {
        let unset = circuit.set_by_reset().into_iter().enumerate().filter(|(_, set)| !set);
        unset.for_each(|(at, _)| broken.next[at] = whole.next[at]);
    }
    let alike = match from {
        From::Reset => whole.holds,
        From::Alike => {
            let same = graph.differ(whole.views.iter(), broken.views.iter()) ^ 1;
            let kept = whole.invariants.iter().fold(whole.holds, |all, invariant| graph.and(all, *invariant));
            graph.and(same, kept)
        }
    };
    // What is any (`anyconst`) is the same for all of the step, so it may be chosen by the cycle that it begins in: no view hangs on it.
    let told = graph.and(alike, whole.focus);
    let mut registers = Vec::new();
    let mut behind = Vec::new();
    for ((whole, broken), (apart, watches)) in
        whole.next.iter().zip(&broken.next).zip(apart.iter().zip(circuit.watchers()))
    {
        // The whole is the only one that is watched.
        behind.push(if *apart { *broken } else { *whole });
        let differs = graph.unequal(*whole, *broken);
        registers.push(if apart | watches { 0 } else { graph.and(told, differs) });
    }
    // While it is reset a block may say anything, a part may not.
    let seen = if part || from == From::Alike { told } else { 0 };
    let outputs = differences(graph, &whole.outputs, &broken.outputs, seen);
    let whole_behind = circuit.copy(graph, &after, &whole.next, 0);
    let broken_behind = circuit.copy(graph, &after, &behind, number);
    let goes_on = graph.and(told, whole_behind.holds);
    let views = differences(graph, &whole_behind.views, &broken_behind.views, goes_on);
    let invariants = whole_behind.invariants.iter().map(|invariant| graph.and(goes_on, invariant ^ 1)).collect();
    Told { registers, outputs, views, invariants }
}

/// Which of them differ, where that counts.
fn differences(graph: &mut Graph, left: &[u32], right: &[u32], counts: u32) -> Vec<u32> {
    let mut differences = Vec::new();
    for (left, right) in left.iter().zip(right) {
        let differs = graph.unequal(*left, *right);
        differences.push(graph.and(differs, counts));
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::super::equivalence::circuits;
    use super::super::schema::Schema;
    use super::*;
    use crate::tools;
    use crate::verilated::Source;
    use std::path::Path;
    use std::time::Duration;

    /// A part that shows what it was told while that counts. Mutants: 1 keeps something else while nothing counts, 2 is reset to something else, 3 shows something else, 4
    /// shows it a cycle longer.
    const PART: &str = "module part (
  input wire clock, input wire reset, input wire load, input wire data, output wire kept, output wire heddle_alike_held, output wire heddle_alike_nothing,
  output wire heddle_invariant_kept, input wire [15:0] heddle_mutant);
  reg held;
  reg full;
  reg late;
  assign kept = ((heddle_mutant == 16'd4) ? (full | late) : (full)) & ((heddle_mutant == 16'd3) ? (!held) : (held));
  assign heddle_alike_held = full & held;
  assign heddle_alike_nothing = 1'b0;
  assign heddle_invariant_kept = INVARIANT;
  always @(posedge clock) begin
    full <= load;
    late <= full;
    held <= ((heddle_mutant == 16'd1) ? (data & load) : (data));
    if (reset) begin
      full <= 1'b0;
      late <= 1'b0;
      held <= ((heddle_mutant == 16'd2) ? (1'b1) : (1'b0));
    end
  end
endmodule
";

    /// A part that shows what it was told two cycles before. Mutants: 1 keeps something else in the first of these, 2 is reset to something else in the second.
    const PIPELINE: &str = "module part (
  input wire clock, input wire reset, input wire data, output wire shown, output wire heddle_alike_shown, input wire [15:0] heddle_mutant);
  reg first;
  reg second;
  assign shown = second;
  assign heddle_alike_shown = second;
  always @(posedge clock) begin
    first <= ((heddle_mutant == 16'd1) ? (!data) : (data));
    second <= first;
    if (reset) begin
      first <= 1'b0;
      second <= ((heddle_mutant == 16'd2) ? (1'b1) : (1'b0));
    end
  end
endmodule
";

    /// A part that shows the word that it was told. Mutant 1 keeps the opposite, in every bit, while nothing was.
    const WIDE: &str = "module part (
  input wire clock, input wire reset, input wire load, input wire [63:0] data, output wire [63:0] kept, output wire [63:0] heddle_alike_held,
  input wire [15:0] heddle_mutant);
  reg [63:0] held;
  reg full;
  assign kept = full ? held : 64'd0;
  assign heddle_alike_held = kept;
  always @(posedge clock) begin
    full <= load & !reset;
    held <= ((heddle_mutant == 16'd1) ? (load ? data : ~data) : (data));
  end
endmodule
";

    /// What `abc` lets be said of mutants 1 to `last` of a part, by one view.
    fn asked(abc: &Path, part: &str, view: &str, last: u32) -> Vec<Answer> {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Source { top: "part".into(), files: vec![("part.v".into(), part.into())], ports: Vec::new() };
        let schema = Schema { source, mutants: Vec::new(), candidates: 4, highest: 4 };
        let circuits = circuits(&schema, &BTreeSet::from(["part"]), folder.path()).expect("circuits");
        let views = [view.to_string()];
        let (circuit, missing) = circuits["part"].clone().seen_by(&views);
        assert!(missing.is_empty(), "{missing:?}");
        let ask = |number| {
            let (limit, name) = (Duration::from_secs(20), "part");
            let attempt = Attempt { abc, folder: folder.path(), name, circuit: &circuit, part: false, number, limit };
            Relation(&attempt).ask().expect("an answer")
        };
        (1..=last).map(ask).collect()
    }

    fn answers(view: &str, invariant: &str) -> Vec<Answer> {
        let abc = tools::program("yosys-abc").expect("abc");
        asked(&abc, &PART.replace("INVARIANT", invariant), view, 4)
    }

    fn tells(answer: &Answer, what: &str) -> bool {
        matches!(answer, Answer::Apart(names) if names.iter().any(|name| name.contains(what)))
    }

    /// XV-12: states that are alike stay alike where the mutant changes what does not count; where it changes what is shown, or what counts is not said, they do not.
    #[test]
    fn xv_12_states_that_are_alike_stay_alike() {
        let said = answers("held", "1'b1");
        assert_eq!(said[..2], [Answer::Alike, Answer::Alike]);
        assert!(said[2..].iter().all(|answer| tells(answer, "output kept")), "{said:?}");
        let unsaid = answers("nothing", "1'b1");
        assert!(unsaid.iter().all(|answer| tells(answer, "output kept")), "{unsaid:?}");
    }

    /// XV-12: what is said to hold in every state is proven, too: from the reset on, and from each state to the next.
    #[test]
    fn xv_12_what_is_said_of_every_state_is_proven() {
        let all = |invariant: &str| answers("held", invariant).into_iter().take(2).collect::<Vec<_>>();
        assert_eq!(all("!(late & !late)"), [Answer::Alike, Answer::Alike]);
        assert!(all("late").iter().all(|answer| tells(answer, "invariant kept behind the reset")));
        assert!(all("!full").iter().all(|answer| tells(answer, "invariant kept behind a step")));
    }

    /// XV-12: that alike states show the same is not enough: what counts has to be the same behind the reset and behind each step, too.
    #[test]
    fn xv_12_alike_states_are_followed() {
        let abc = tools::program("yosys-abc").expect("abc");
        let said = asked(&abc, PIPELINE, "shown", 2);
        assert!(tells(&said[0], "alike shown behind a step"), "{said:?}");
        assert!(tells(&said[1], "alike shown behind the reset"), "{said:?}");
    }

    /// XV-12: what is any in a step is chosen by the cycle that it begins in, for what holds behind it, too; where nothing is chosen, nothing more is known.
    #[test]
    fn xv_12_what_holds_behind_a_step_is_of_a_step_in_focus() {
        let abc = tools::program("yosys-abc").expect("abc");
        let focused = |focus: &str| {
            let ports =
                "input wire any, output wire heddle_focus, output wire heddle_invariant_kept, output wire shown,";
            let part = PIPELINE
                .replace("output wire shown,", ports)
                .replace("  reg first;", "  reg first;\n  reg kept;\n  assign heddle_invariant_kept = kept;")
                .replace("assign shown", &format!("assign heddle_focus = {focus};\n  assign shown"))
                .replace(
                    "    first <= ((heddle_mutant == 16'd1) ? (!data) : (data));",
                    "    kept <= any | reset;\n    first <= data;",
                );
            asked(&abc, &part, "shown", 1)
        };
        assert_eq!(focused("any"), [Answer::Alike]);
        assert!(tells(&focused("1'b1")[0], "invariant kept behind a step"));
    }

    /// XV-12: a register is apart as a word: however many of its bits differ at once, the mutant has come to one.
    #[test]
    fn xv_12_a_wide_register_is_one_that_is_apart() {
        let abc = tools::program("yosys-abc").expect("abc");
        assert_eq!(asked(&abc, WIDE, "held", 1), [Answer::Alike]);
    }

    /// XV-12: a solver that says nothing has proven nothing.
    #[test]
    fn xv_12_silence_is_no_proof() {
        assert_eq!(asked(Path::new("/bin/true"), PIPELINE, "shown", 2), [Answer::Undecided, Answer::Undecided]);
    }

    /// XV-12: a wire that a note names, and that there is not, is told.
    #[test]
    fn xv_12_what_counts_is_found_by_name() {
        let text = "aag 2 1 1 2 0\n2\n4 2\n4\n4\ni0 data\no0 out\no1 heddle_alike_held[0]\nc\n";
        let circuit = Circuit::parse(text).expect("well-formed");
        let names = ["held".to_string(), "other".to_string()];
        let (seen, missing) = circuit.seen_by(&names);
        assert_eq!((seen.view_names().len(), missing), (1, vec!["other"]));
    }
}
