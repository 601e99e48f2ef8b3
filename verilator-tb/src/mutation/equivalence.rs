//! Whether a mutant that nobody noticed can be noticed at all: two copies, the whole and the broken one, under one free stimulus.
//!
//! A mutant sits in one module. If that alone, with free inputs, cannot be told from the whole one, the block cannot: that circuit is asked
//! first, then those of the modules in which it stands, up to the block, which knows more of what the inputs are.
//!
//! First from any state: are outputs and next states the same functions? Then from a reset, with any memories, the same in both. There
//! abc's `pdr` is asked four times: whether the two ever come to another next state; whether the registers that load what the mutant
//! changes may keep it, without anybody seeing; whether those may to which it can come, a step at a time; whether any may. Only the
//! registers that may differ are there twice. What is left after that abc merges by induction (`scorr`), and of what has few registers
//! then, all states that can be reached are known (`reach`). Yosys makes the circuits; the copies are made here.
//!
//! What that leaves open is asked again of each module around the mutant that has a proof, by what is assumed of it and shown there
//! ([`contracts`]).

use super::attempt::Attempt;
pub use super::attempt::Kept;
use super::circuit::Circuit;
use super::contracts::{self, Contract};
use super::hierarchy::{module_of, Hierarchy};
use super::schema::{Mutant, Schema};
use super::Watch;
use crate::coverage::constants::Promise;
use crate::error::{Error, Result};
use crate::tools;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// What a proof says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same outputs and next states in every state.
    SameFunction,
    /// The same outputs in every run from a reset.
    SameFromReset,
    /// The same outputs in every run from a reset that keeps what the proofs of the block, or of a part of it that has the mutant, assume.
    SameAsProven,
    /// The same outputs of the block in which this one stands ([`super::surroundings`]), in every run from a reset that keeps what the proofs there assume.
    SameInSurroundings,
    /// States that a note calls alike stay alike and show the same ([`super::alike`]), in every run from a reset that keeps what the proofs there assume.
    StaysAlike,
    /// Inputs that nothing constrains tell it from the whole block.
    Different,
    /// The time was over.
    Undecided,
}

impl Verdict {
    /// Whether it proves that nobody can notice.
    pub fn is_proof(self) -> bool {
        matches!(self, Verdict::SameFunction | Verdict::SameFromReset) || self.hangs_on_proofs()
    }

    /// Whether it does so as far as the proofs hold.
    pub fn hangs_on_proofs(self) -> bool {
        matches!(self, Verdict::SameAsProven | Verdict::SameInSurroundings | Verdict::StaysAlike)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Verdict::SameFunction => "equivalent in every state",
            Verdict::SameFromReset => "equivalent from a reset",
            Verdict::SameAsProven => "equivalent under what its proofs assume",
            Verdict::SameInSurroundings => "equivalent where it stands, under what the proofs there assume",
            Verdict::StaysAlike => "equivalent as its note says, under what the proofs assume",
            Verdict::Different => "free inputs could tell",
            Verdict::Undecided => "undecided",
        })
    }
}

/// From Verilog to processes as multiplexers and registers, of all modules; then, of one of them, to a flat circuit of and-gates and
/// registers; memories become registers too.
const MODULES: &str = "proc\ndesign -save modules\n";
const CIRCUIT: &str = "flatten\nopt -full\nmemory -nomap\nmemory_map\nopt -full\nsetundef -zero\ntechmap\ndffunmap\nopt_expr\nopt_clean\naigmap";

/// Mutants that are tried before what came of it is kept.
const PIECE: usize = 8;

/// Who is given verdicts as they come; what stops a run is said there, too.
pub type Keep<'a> = dyn FnMut(&[(u32, Verdict)]) -> std::result::Result<(), CliError> + 'a;

/// A block's modules with all its mutants as circuits, and the folder in which abc works on them.
pub struct Prover {
    hierarchy: Hierarchy,
    top: String,
    circuits: BTreeMap<String, Circuit>,
    contracts: Vec<Contract>,
    /// Of a mutant of a reset, that which stands for anything that it leaves there ([`super::unloaded`]).
    unloaded: BTreeMap<u32, u32>,
    abc: PathBuf,
    folder: TempDir,
}

impl Prover {
    /// Makes the circuits that `mutants` need, for surroundings of the block that keep `promises`.
    ///
    /// # Errors
    /// A missing tool, or Verilog that Yosys refuses.
    pub fn of(schema: &Schema, mutants: &[&Mutant], promises: &[Promise]) -> Result<Self> {
        let abc = tools::program("yosys-abc")?;
        let folder = tempfile::Builder::new().prefix("heddle-equivalence-").tempdir().map_err(Error::file("/tmp"))?;
        let hierarchy = Hierarchy::of(&schema.source.files);
        let modules = hierarchy.upwards(mutants.iter().map(|mutant| module_of(&mutant.file)));
        let mut circuits = circuits(schema, &modules, folder.path())?;
        let top = schema.source.top.clone();
        if let Some(whole) = circuits.get_mut(&top) {
            whole.tie(|port, bit| promises.iter().any(|promise| promise.holds(port, bit)));
        }
        Ok(Self { hierarchy, top, circuits, contracts: Vec::new(), unloaded: BTreeMap::new(), abc, folder })
    }

    /// The same, with what stands for mutants of resets.
    pub fn with_unloaded(self, unloaded: BTreeMap<u32, u32>) -> Self {
        Self { unloaded, ..self }
    }

    /// The same, with what is known of modules by their proofs.
    pub fn knowing(self, contracts: Vec<Contract>) -> Self {
        Self { contracts, ..self }
    }

    /// Tries `mutants` by the methods for what is `known` and `kept`, each for `limit`; `watch` hears how many are done.
    ///
    /// # Errors
    /// A tool that fails, or Ctrl-C.
    pub fn prove(
        &self,
        mutants: &[&Mutant],
        (known, kept): (Known, Kept),
        limit: Duration,
        watch: &(dyn Fn(usize) + Sync),
    ) -> std::result::Result<Vec<(u32, Verdict)>, CliError> {
        let done = AtomicUsize::new(0);
        let decide = |file: &str, number| match known {
            Known::Nothing => self.upwards(module_of(file), number, kept, limit),
            Known::AtOnce => self.as_proven(module_of(file), number, limit, &|attempt| attempt.at_once(kept)),
            Known::Contracts => self.as_proven(module_of(file), number, limit, &|attempt| attempt.decide(kept)),
        };
        // One question for all mutants of a register's reset: proven of anything, it is proven of what each leaves there.
        let anything = match kept {
            Kept::Nowhere => mutants
                .iter()
                .filter_map(|mutant| Some((*self.unloaded.get(&mutant.number)?, mutant.file.as_str())))
                .collect(),
            _ => BTreeMap::new(),
        };
        let anything = anything
            .into_par_iter()
            .map(|(number, file)| {
                if interrupted() {
                    return Err(CliError::Interrupted);
                }
                let verdict = match decide(file, number)? {
                    Verdict::SameFunction => Verdict::SameFromReset,
                    verdict => verdict,
                };
                Ok((number, verdict))
            })
            .collect::<std::result::Result<BTreeMap<u32, Verdict>, CliError>>()?;
        mutants
            .par_iter()
            .map(|mutant| {
                if interrupted() {
                    return Err(CliError::Interrupted);
                }
                let whatever = self.unloaded.get(&mutant.number).and_then(|number| anything.get(number));
                let verdict = match whatever {
                    Some(verdict) if verdict.is_proof() => *verdict,
                    _ => decide(&mutant.file, mutant.number)?,
                };
                let verdict = match verdict {
                    // What is seen to be kept somewhere may still show nowhere.
                    Verdict::Different if kept != Kept::Anywhere => Verdict::Undecided,
                    verdict => verdict,
                };
                watch(done.fetch_add(1, Ordering::Relaxed) + 1);
                Ok((mutant.number, verdict))
            })
            .collect()
    }

    /// One method after the other, for all of `open`: the first decides most, and `keep` is given what it says before the rest takes long. `watch` hears how
    /// many of how many are done. What no method decides is left.
    ///
    /// # Errors
    /// A tool that fails, Ctrl-C, or what `keep` says.
    pub fn rounds<'a>(
        &self,
        mut open: Vec<&'a Mutant>,
        (known, methods): (Known, &[Kept]),
        limit: Duration,
        keep: &mut Keep<'_>,
        watch: &dyn Watch,
    ) -> std::result::Result<Vec<&'a Mutant>, CliError> {
        for &kept in methods {
            let mut left = Vec::new();
            for (at, some) in open.chunks(PIECE).enumerate() {
                let told = |done| watch.proofs(at * PIECE + done, open.len());
                let mut decided = self.prove(some, (known, kept), limit, &told)?;
                let undecided = |(_, verdict): &(u32, Verdict)| *verdict == Verdict::Undecided;
                left.extend(
                    some.iter().zip(&decided).filter(|(_, decided)| undecided(decided)).map(|(mutant, _)| *mutant),
                );
                // That a contract decides nothing does not take back what is known without it.
                decided.retain(|(_, verdict)| verdict.is_proof() || known == Known::Nothing);
                keep(&decided)?;
            }
            open = left;
        }
        Ok(open)
    }

    /// The same by all methods under the contracts. Of several contracts the one that matters says it in a second or two, so each is asked shortly before any is
    /// asked for long.
    ///
    /// # Errors
    /// As [`rounds`](Self::rounds).
    pub fn rounds_as_proven(
        &self,
        open: Vec<&Mutant>,
        limit: Duration,
        keep: &mut Keep<'_>,
        watch: &dyn Watch,
    ) -> std::result::Result<(), CliError> {
        let open = self.rounds(open, (Known::AtOnce, &Kept::ALL), limit, keep, watch)?;
        self.rounds(open, (Known::Contracts, &Kept::ALL), limit, keep, watch).map(|_| ())
    }

    fn attempt<'a>(&'a self, module: &'a str, number: u32, limit: Duration) -> Attempt<'a> {
        let (circuit, part) = (&self.circuits[module], module != self.top);
        self.attempt_on(module, circuit, part, number, limit)
    }

    fn attempt_on<'a>(
        &'a self,
        name: &'a str,
        circuit: &'a Circuit,
        part: bool,
        number: u32,
        limit: Duration,
    ) -> Attempt<'a> {
        Attempt { abc: &self.abc, folder: self.folder.path(), name, circuit, part, number, limit }
    }

    /// What the contracts of the modules around a mutant, and of its own, say.
    fn as_proven(
        &self,
        module: &str,
        number: u32,
        limit: Duration,
        says: &dyn Fn(&Attempt<'_>) -> Result<Verdict>,
    ) -> Result<Verdict> {
        for Contract { module: whole, subject, circuit } in &self.contracts {
            let name = format!("{whole}_{subject}");
            let attempt = self.attempt_on(&name, circuit, *whole != self.top, number, limit);
            if self.hierarchy.only_in(module, whole) && says(&attempt)?.is_proof() {
                return Ok(Verdict::SameAsProven);
            }
        }
        Ok(Verdict::Undecided)
    }

    /// What `module` says of a mutant within it, or what everything in which it stands does.
    fn upwards(&self, module: &str, number: u32, kept: Kept, limit: Duration) -> Result<Verdict> {
        let alone = self.attempt(module, number, limit).decide(kept)?;
        let mut around = self.hierarchy.around(module).peekable();
        if alone.is_proof() || around.peek().is_none() {
            return Ok(alone);
        }
        let mut together = Verdict::SameFunction;
        for module in around {
            match self.upwards(module, number, kept, limit)? {
                Verdict::SameFunction => {}
                Verdict::SameFromReset => together = Verdict::SameFromReset,
                open => return Ok(open),
            }
        }
        Ok(together)
    }
}

/// `modules` of a block with all their mutants as circuits.
pub(super) fn circuits(schema: &Schema, modules: &BTreeSet<&str>, folder: &Path) -> Result<BTreeMap<String, Circuit>> {
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(Error::file(folder));
    let mut script = String::new();
    for (name, text) in &schema.source.files {
        put(name, text)?;
        let _ = writeln!(script, "read_verilog {name}");
    }
    let _ = write!(script, "hierarchy -check -top {}\n{MODULES}", schema.source.top);
    for module in modules {
        let _ = writeln!(script, "design -load modules\nhierarchy -check -top {module}\n{CIRCUIT}");
        let _ = writeln!(script, "write_aiger -zinit -symbols -ascii {module}.aag");
    }
    put("circuit.ys", &script)?;
    let yosys = tools::program("yosys")?;
    tools::run_in("yosys", &yosys, folder, &["-q", "-s", "circuit.ys"], "the mutated Verilog is not synthesizable")?;
    let read = |module: &&str| {
        let path = folder.join(format!("{module}.aag"));
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        Ok((module.to_string(), contracts::read(module, &text)?))
    };
    modules.iter().map(read).collect()
}

/// What is taken to be known of a block's inputs and states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    Nothing,
    /// What its proofs, and those of its parts, assume and have shown, as far as `pdr` says soon what follows.
    AtOnce,
    /// The same, however long that takes.
    Contracts,
}

#[cfg(test)]
mod tests {
    use super::super::Nobody;
    use super::*;
    use crate::verilated::Source;

    /// A part that ors two inputs, keeps what it is told and shows that while it is told to; and a block in which one of the two inputs is
    /// high at a time. Mutants: 1 takes exclusive-or, 2 keeps something else while it is not told to, 3 shows something else, 4 forgets a
    /// register at the reset, which the first request sets.
    const PART: &str = "module part (
  input wire clock, input wire reset, input wire first, input wire second, input wire load, input wire data, output wire any, output wire kept,
  input wire [15:0] heddle_mutant);
  reg held;
  reg full;
  assign any = ((heddle_mutant == 16'd1) ? (first ^ second) : (first | second));
  assign kept = full & ((heddle_mutant == 16'd3) ? (!held) : (held));
  always @(posedge clock) begin
    full <= load;
    held <= ((heddle_mutant == 16'd2) ? (data & load) : (data));
    if (reset) begin
      full <= 1'b0;
      begin if (heddle_mutant != 16'd4) held <= 1'b0; end
    end
  end
endmodule
";
    const TOP: &str = "module top (
  input wire clock, input wire reset, input wire load, input wire data, output wire any, output wire kept, input wire [15:0] heddle_mutant);
  reg turn;
  reg other;
  part inner (.clock(clock), .reset(reset), .first(turn), .second(other), .load(load), .data(data), .any(any), .kept(kept),
    .heddle_mutant(heddle_mutant));
  always @(posedge clock) begin
    turn <= load & !turn;
    other <= turn;
    if (reset) begin
      turn <= 1'b0;
      other <= 1'b0;
    end
  end
endmodule
";

    /// XV-12: what a part does not let out is proven in the part alone; what its surroundings exclude is proven with them; what can be told
    /// is told.
    #[test]
    fn xv_12_the_part_is_asked_before_the_block() {
        let mutant = |number| Mutant {
            number,
            file: "part.v".into(),
            line: 1,
            was: String::new(),
            becomes: String::new(),
            node: 0,
        };
        let mutants = [1, 2, 3, 4].map(mutant);
        let text = |text: &str| TOP.replace("turn <= load & !turn;", text);
        let prove = |top: &str| {
            let files = vec![("top.v".to_string(), top.to_string()), ("part.v".to_string(), PART.to_string())];
            let source = Source { top: "top".into(), files, ports: Vec::new() };
            let schema = Schema { source, mutants: mutants.to_vec(), candidates: 4, highest: 4 };
            let open: Vec<&Mutant> = mutants.iter().collect();
            Prover::of(&schema, &open, &[]).expect("circuits")
        };
        let limit = Duration::from_secs(10);
        let prover = prove(TOP);
        let alone = |number, kept| prover.attempt("part", number, limit).decide(kept).expect("a verdict").is_proof();
        assert!(!alone(1, Kept::Anywhere) && !alone(3, Kept::Anywhere));
        assert!(!alone(2, Kept::Nowhere) && alone(2, Kept::Nearby) && alone(4, Kept::Nearby));
        let open: Vec<&Mutant> = mutants.iter().collect();
        let verdicts = |prover: &Prover| {
            let mut verdicts = BTreeMap::new();
            let mut keep = |decided: &[(u32, Verdict)]| {
                verdicts.extend(decided.iter().copied());
                Ok(())
            };
            let left = prover.rounds(open.clone(), (Known::Nothing, &Kept::ALL), limit, &mut keep, &Nobody);
            assert!(left.expect("verdicts").is_empty());
            verdicts.into_iter().collect::<Vec<_>>()
        };
        let (same, different) = (Verdict::SameFromReset, Verdict::Different);
        assert_eq!(verdicts(&prover), [(1, same), (2, same), (3, different), (4, same)]);
        let both = prove(&text("turn <= load;"));
        assert_eq!(verdicts(&both), [(1, different), (2, same), (3, different), (4, same)]);
    }

    fn without_circuits() -> Prover {
        let files = vec![("top.v".to_string(), "module top;\nendmodule\n".to_string())];
        let source = Source { top: "top".into(), files, ports: Vec::new() };
        Prover::of(&Schema { source, mutants: Vec::new(), candidates: 0, highest: 0 }, &[], &[]).expect("no circuits")
    }

    /// XV-12: what a constraint excludes does not tell two copies apart, nor what is out of focus, nor what an output shows while it means
    /// nothing, if nobody around it may look; a register that only a constraint looks at may differ.
    #[test]
    fn xv_12_constraints_narrow_what_is_told() {
        let prover = without_circuits();
        // The output is data, or high if the selector is; a register that takes the output serves the constraint.
        let told = |constraint: u32, focus: u32, qualifier: u32, part: bool| {
            let text = format!(
                "aag 5 3 1 3 1 0 1\n2\n4\n6\n8 11\n11\n{focus}\n{qualifier}\n{constraint}\n10 3 5\n\
                 i0 data\ni1 heddle_mutant[0]\ni2 reset\no0 out[0]\no1 heddle_focus\no2 heddle_qualifies_out\nc\n"
            );
            let circuit = Circuit::parse(&text).expect("well-formed");
            let circuit = if part { circuit.unqualified() } else { circuit };
            let limit = Duration::from_secs(10);
            let attempt = prover.attempt_on("told", &circuit, part, 1, limit);
            let says = [attempt.at_once(Kept::Nowhere), attempt.decide(Kept::Nowhere)];
            let [soon, late] = says.map(|verdict| verdict.expect("a verdict").is_proof());
            assert_eq!(soon, late);
            !late
        };
        // Literals: 2 is data, 3 its inverse, 9 that the register is low.
        assert!(told(1, 1, 1, false) && told(3, 1, 1, false) && told(1, 3, 1, false) && told(9, 1, 3, false));
        assert_eq!(
            [told(2, 1, 1, false), told(1, 2, 1, false), told(2, 3, 1, false), told(1, 1, 2, false)],
            [false; 4]
        );
        assert!(told(1, 1, 2, true) && !told(2, 1, 2, true));
    }

    /// XV-12: a constraint that was broken in an earlier cycle excludes what follows; so the whole run keeps it, not just its end.
    #[test]
    fn xv_12_constraints_hold_from_the_start() {
        let prover = without_circuits();
        // A register takes data, and shows it if the selector is high: data tells one cycle later.
        let told = |constraint: u32| {
            let text = format!(
                "aag 5 3 1 1 1 0 1\n2\n4\n6\n8 2\n10\n{constraint}\n10 8 4\ni0 data\ni1 heddle_mutant[0]\ni2 reset\nc\n"
            );
            let circuit = Circuit::parse(&text).expect("well-formed");
            let limit = Duration::from_secs(10);
            let attempt = prover.attempt_on("held", &circuit, false, 1, limit);
            !attempt.decide(Kept::Nowhere).expect("a verdict").is_proof()
        };
        // Literals: 1 is true, 3 that data is low, 2 that it is high.
        assert!(told(1) && told(2) && !told(3));
    }

    /// XV-12: what a mutant changes is followed through the registers that it can come to, and no further.
    #[test]
    fn xv_12_what_is_kept_is_followed() {
        let prover = without_circuits();
        // The first register takes data or the selector, the second the first, the third the second while it is not the second: never.
        let text = "aag 8 3 3 1 2 0 1\n2\n4\n6\n8 15\n10 8\n12 16\n2\n1\n14 3 5\n16 10 11\n\
                    i0 data\ni1 heddle_mutant[0]\ni2 reset\nc\n";
        let circuit = Circuit::parse(text).expect("well-formed");
        let limit = Duration::from_secs(10);
        // Neither is looked at by an output: they would only watch. So one looks at the third.
        let seen = Circuit::parse(&text.replacen("12 16\n2\n", "12 16\n12\n", 1)).expect("well-formed");
        let attempt = |circuit| prover.attempt_on("followed", circuit, false, 1, limit).somewhere();
        assert_eq!(attempt(&circuit).expect("an answer"), Some(vec![false; 3]));
        assert_eq!(attempt(&seen).expect("an answer"), Some(vec![true, true, false]));
    }
}
