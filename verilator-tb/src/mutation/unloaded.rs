//! Registers whose reset tells nobody anything: they are loaded before anybody looks. A mutant of such a reset leaves another value there, so two copies differ in
//! it until it is loaded, bit by bit, which a search for what can be reached has to learn. Here it need not: the register is read as *anything* from a reset until
//! an assignment loads it, in a mutant of its own. If that has the same outputs and next states in all states, so has the reset that leaves anything there.

use super::hierarchy::module_of;
use super::schema::{Mutant, Schema, SELECTOR};
use crate::verilated::Source;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// `schema` with a mutant more for each register of which one of `mutants` breaks the reset, and for these which it is.
pub fn with_unloaded(schema: &Schema, mutants: &[&Mutant]) -> (Schema, BTreeMap<u32, u32>) {
    let mut registers: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    let mut files = schema.source.files.clone();
    let mut next = schema.highest + 1;
    for mutant in mutants {
        let place = files.iter().position(|(file, _)| *file == mutant.file);
        // What was instrumented already reads otherwise.
        let register = place.and_then(|at| Some((at, reset_by(&schema.source.files[at].1, mutant.number)?)));
        let Some((at, register)) = register else { continue };
        let key = (module_of(&mutant.file), register);
        if !registers.contains_key(&key) {
            let Some(instrumented) = read_as_anything(&files[at].1, &key.1, next) else { continue };
            files[at].1 = instrumented;
            registers.insert(key.clone(), next);
            next += 1;
        }
        numbers.insert(mutant.number, registers[&key]);
    }
    let source = Source { files, ..schema.source.clone() };
    (Schema { source, mutants: schema.mutants.clone(), highest: next - 1, ..*schema }, numbers)
}

/// The register that an assignment on `line` drives, with what stands before it: `begin if (heddle_mutant != 16'd7)` of a mutant that leaves it out.
fn target(line: &str) -> Option<(usize, &str)> {
    let mut start = line.len() - line.trim_start().len();
    while let Some(rest) = line[start..].strip_prefix("begin if (").filter(|rest| rest.starts_with(SELECTOR)) {
        start = line.len() - rest.len() + rest.find(") ")? + 2;
    }
    let name = &line[start..];
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let assigned =
        name[end..].strip_prefix(" <= ").is_some() && !name.starts_with(|letter: char| letter.is_ascii_digit());
    assigned.then(|| (start, &name[..end]))
}

/// The lines of `text`, each with whether it stands in the reset of a clocked process, or behind a condition that is named like one: what is assigned there
/// leaves anything, too, which only makes the proof harder.
fn in_reset(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut resets = false;
    text.lines().map(move |line| {
        match line.trim() {
            opens if opens.starts_with("if (") && opens.contains("reset") && line.starts_with("    if") => {
                resets = true
            }
            closes if closes.starts_with("end") && line.starts_with("    end") => resets = false,
            _ => {}
        }
        (resets, line)
    })
}

/// The register of which mutant `number` breaks the reset; `None` if it breaks something else.
fn reset_by(text: &str, number: u32) -> Option<String> {
    let selects = format!("= 16'd{number})");
    let (resets, line) = in_reset(text).find(|(_, line)| line.contains(&selects))?;
    let (_, register) = target(line).filter(|_| resets)?;
    Some(register.to_string())
}

/// `text` with `register` read as anything while mutant `number` is selected and no assignment has loaded it since the reset. `None` if it is loaded in pieces, or
/// behind a condition on the same line.
fn read_as_anything(text: &str, register: &str, number: u32) -> Option<String> {
    let in_pieces = |line: &str| line.trim_start().starts_with(&format!("{register}["));
    let conditions = [") ", "else ", ": ", "begin "].map(|condition| format!("{condition}{register} <= "));
    let behind_one = |line: &str| target(line).is_none() && conditions.iter().any(|assigns| line.contains(assigns));
    if text.lines().any(|line| in_pieces(line) || behind_one(line)) {
        return None;
    }
    let mut written = String::with_capacity(text.len() + 512);
    let mut declared = false;
    for (resets, line) in in_reset(text) {
        let declaration =
            line.trim().strip_prefix("reg ").and_then(|rest| rest.split_once(';')).map(|(rest, _)| rest.trim());
        let bits = declaration.and_then(|rest| rest.strip_suffix(register)).map(str::trim);
        if let Some(bits) = bits.filter(|bits| bits.is_empty() || bits.ends_with(']')) {
            declared = true;
            let _ = writeln!(
                written,
                "  reg {bits} heddle_held_{register}; reg heddle_loaded_{register}; (* anyseq *) reg {bits} heddle_any_{register}; \
                 wire {bits} {register} = ({SELECTOR} == 16'd{number} && !heddle_loaded_{register}) ? heddle_any_{register} : heddle_held_{register};"
            );
            continue;
        }
        match target(line).filter(|(_, name)| *name == register) {
            Some((start, _)) => {
                let loaded = u8::from(!resets);
                let (before, assignment) = line.split_at(start);
                let space = &line[..line.len() - line.trim_start().len()];
                let _ = writeln!(
                    written,
                    "{space}heddle_loaded_{register} <= 1'b{loaded}; {}heddle_held_{assignment}",
                    &before[space.len()..]
                );
            }
            None => {
                written.push_str(line);
                written.push('\n');
            }
        }
    }
    declared.then_some(written)
}

#[cfg(test)]
mod tests {
    use super::super::equivalence::{Kept, Known, Prover, Verdict};
    use super::super::schema::schema;
    use super::*;
    use std::time::Duration;

    /// A part of which `early` shows what it holds always, `late` when something was loaded; `twice` counts on from what it holds.
    const PART: &str = "module part (
  input  wire       clock,
  input  wire       reset,
  input  wire       load,
  input  wire [1:0] data,
  output wire [1:0] early,
  output wire [1:0] late,
  output wire [1:0] counted
);
  reg       full;
  reg [1:0] shown;
  reg [1:0] kept;
  reg [1:0] twice;
  assign early = shown;
  assign late = kept & {2{full}};
  assign counted = twice & {2{full}};
  always @(posedge clock) begin
    if (reset) begin
      full <= 1'b0;
      shown <= 2'd0;
      kept <= 2'd0;
      twice <= 2'd0;
    end else begin
      if (load) begin
        full <= 1'b1;
        shown <= data;
        kept <= data;
        twice <= twice + 2'd1;
      end
    end
  end
endmodule
";

    /// XV-12: the reset of a register is nobody's business if it is loaded before anybody looks, with a value that is none of what it held; of others it is.
    #[test]
    fn xv_12_what_is_loaded_before_it_is_read_needs_no_reset() {
        let source = Source { top: "part".into(), files: vec![("part.v".into(), PART.into())], ports: Vec::new() };
        let schema = schema(&source, 1_000, 1).expect("mutants");
        let of = |register: &str| {
            let fits = |mutant: &&Mutant| mutant.was == format!("{register} <= 2'd0;");
            schema.mutants.iter().find(fits).expect("a mutant that leaves the reset out")
        };
        let mutants = ["shown", "kept", "twice"].map(of);
        let another = |mutant: &&Mutant| mutant.line == mutants[1].line && mutant.was == "2'd0";
        let another = schema.mutants.iter().find(another).expect("one that resets it to something else");
        let all = [mutants[0], mutants[1], mutants[2], another];
        let (instrumented, numbers) = with_unloaded(&schema, &all);
        assert_eq!((numbers.len(), numbers[&another.number]), (4, numbers[&mutants[1].number]));
        let prover = Prover::of(&instrumented, &all, &[]).expect("circuits").with_unloaded(numbers);
        let verdicts = |kept| -> Vec<Verdict> {
            let verdicts = prover.prove(&all, (Known::Nothing, kept), Duration::from_secs(20), &|_| ());
            verdicts.expect("verdicts").into_iter().map(|(_, verdict)| verdict).collect()
        };
        let (open, same, different) = (Verdict::Undecided, Verdict::SameFromReset, Verdict::Different);
        // What is proven of anything is proven of both mutants of that register, and of no other.
        assert_eq!(verdicts(Kept::Nowhere), [open, same, open, same]);
        assert_eq!(verdicts(Kept::Anywhere), [different, same, different, same]);
    }

    /// XV-12: a mutant elsewhere than in a reset is none of these, whatever its number begins with; a register that is loaded in pieces is left alone.
    #[test]
    fn xv_12_only_resets_are_reset() {
        let text = "module m (\n);\n  reg [1:0] x;\n  always @(posedge clock) begin\n    if (reset) begin\n      x <= ((heddle_mutant == 16'd12) ? (2'h1) : (2'd0));\n    end else begin\n      begin if (heddle_mutant != 16'd1) x <= y; end\n    end\n  end\nendmodule\n";
        assert_eq!((reset_by(text, 12).as_deref(), reset_by(text, 1), reset_by(text, 2)), (Some("x"), None, None));
        let read = read_as_anything(text, "x", 13).expect("it is declared");
        assert!(read.contains("      heddle_loaded_x <= 1'b0; heddle_held_x <= (("), "{read}");
        assert!(
            read.contains("      heddle_loaded_x <= 1'b1; begin if (heddle_mutant != 16'd1) heddle_held_x <= y; end"),
            "{read}"
        );
        let whole = text.replace("begin if (heddle_mutant != 16'd1) x <= y; end", "x <= y;");
        assert!(read_as_anything(&whole, "x", 13).is_some());
        for other in ["x[0] <= y;", "if (load) x <= y;", "else x <= y;", "IDLE: x <= y;", "begin x <= y; end"] {
            assert_eq!(read_as_anything(&whole.replace("x <= y;", other), "x", 13), None, "{other}");
        }
    }
}
