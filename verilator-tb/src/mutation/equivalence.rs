//! Whether a mutant that nobody noticed can be noticed at all: two copies of the block, one broken, under one free stimulus.
//!
//! First from any state: are outputs and next states the same functions? Then from a reset, with any memories, the same in both: abc merges what
//! induction shows to be equal; of what has few registers then, all states that can be reached are known (`reach`), and `pdr` gets the rest. Yosys
//! makes the circuit once; the copies are made here.

use super::circuit::Circuit;
use super::schema::{Mutant, Schema};
use crate::coverage::constants::Promise;
use crate::error::{Error, Result};
use crate::tools;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
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
    /// Inputs that nothing constrains tell it from the whole block.
    Different,
    /// The time was over.
    Undecided,
}

impl Verdict {
    /// Whether it proves that nobody can notice.
    pub fn is_proof(self) -> bool {
        matches!(self, Verdict::SameFunction | Verdict::SameFromReset)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Verdict::SameFunction => "equivalent in every state",
            Verdict::SameFromReset => "equivalent from a reset",
            Verdict::Different => "free inputs could tell",
            Verdict::Undecided => "undecided",
        })
    }
}

/// Registers of two copies, what is equal in both counted once, up to which the set of reachable states is small enough.
const FEW_REGISTERS: usize = 100;

/// What abc may take beyond the limit that it was told, to read, write and say so.
const GRACE: Duration = Duration::from_secs(5);

/// From Verilog to a flat circuit of and-gates and registers; memories become registers too.
const CIRCUIT: &str = "proc\nflatten\nopt -full\nmemory -nomap\nmemory_map\nopt -full\nsetundef -zero\ntechmap\ndffunmap\nopt_expr\nopt_clean\n\
                       aigmap\nwrite_aiger -zinit -symbols -ascii circuit.aag\n";

/// A block with all its mutants as a circuit, and the folder in which abc works on it.
pub struct Prover {
    circuit: Circuit,
    abc: PathBuf,
    folder: TempDir,
}

impl Prover {
    /// Makes the circuit, for surroundings that keep `promises`.
    ///
    /// # Errors
    /// A missing tool, or Verilog that Yosys refuses.
    pub fn of(schema: &Schema, promises: &[Promise]) -> Result<Self> {
        let abc = tools::program("yosys-abc")?;
        let folder = tempfile::Builder::new().prefix("heddle-equivalence-").tempdir().map_err(Error::file("/tmp"))?;
        let mut circuit = circuit(schema, folder.path())?;
        circuit.tie(|port, bit| promises.iter().any(|promise| promise.holds(port, bit)));
        Ok(Self { circuit, abc, folder })
    }

    /// Tries `mutants`, each for `limit`; `watch` hears how many are done.
    ///
    /// # Errors
    /// A tool that fails, or Ctrl-C.
    pub fn prove(
        &self,
        mutants: &[&Mutant],
        limit: Duration,
        watch: &(dyn Fn(usize) + Sync),
    ) -> std::result::Result<Vec<(u32, Verdict)>, CliError> {
        let done = AtomicUsize::new(0);
        mutants
            .par_iter()
            .map(|mutant| {
                if interrupted() {
                    return Err(CliError::Interrupted);
                }
                let verdict = decide(&self.circuit, &self.abc, self.folder.path(), mutant.number, limit)?;
                watch(done.fetch_add(1, Ordering::Relaxed) + 1);
                Ok((mutant.number, verdict))
            })
            .collect()
    }
}

/// The block with all its mutants as a circuit.
fn circuit(schema: &Schema, folder: &Path) -> Result<Circuit> {
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(Error::file(folder));
    let mut script = String::new();
    for (name, text) in &schema.source.files {
        put(name, text)?;
        let _ = writeln!(script, "read_verilog {name}");
    }
    let _ = write!(script, "hierarchy -check -top {}\n{CIRCUIT}", schema.source.top);
    put("circuit.ys", &script)?;
    let yosys = tools::program("yosys")?;
    tools::run_in("yosys", &yosys, folder, &["-q", "-s", "circuit.ys"], "the mutated Verilog is not synthesizable")?;
    let path = folder.join("circuit.aag");
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    Circuit::parse(&text).ok_or_else(|| Error::Internal {
        place: schema.source.top.clone(),
        cause: "Yosys wrote a circuit that is no AIGER".into(),
    })
}

fn decide(circuit: &Circuit, abc: &Path, folder: &Path, number: u32, limit: Duration) -> Result<Verdict> {
    let ask = |name: &str, bytes: &[u8], commands: &str| {
        let file = format!("{name}_{number}.aig");
        fs::write(folder.join(&file), bytes).map_err(Error::file(folder))?;
        let commands = format!("read {file}; strash; {commands}");
        // Not all commands of abc know a limit of their own; one that does ends by it, with what it has found.
        tools::run_within("yosys-abc", abc, folder, &["-c", &commands], ("abc cannot read the circuit", limit + GRACE))
    };
    let seconds = limit.as_secs().max(1);
    match circuit.functions(number) {
        None => return Ok(Verdict::SameFunction),
        Some(functions) => {
            let said = ask("functions", &functions, "iprove")?;
            if said.is_some_and(|said| said.contains("UNSATISFIABLE")) {
                return Ok(Verdict::SameFunction);
            }
        }
    }
    let merged = format!("merged_{number}.aig");
    let sequential = circuit.sequential(number);
    let bytes = match ask("sequential", &sequential, &format!("scorr; write_aiger {merged}"))? {
        Some(_) => fs::read(folder.join(&merged)).map_err(Error::file(folder))?,
        None => sequential,
    };
    let (registers, output) = shape(&bytes)
        .ok_or_else(|| Error::Internal { place: merged, cause: "abc wrote a circuit that is no AIGER".into() })?;
    if output == 0 {
        return Ok(Verdict::SameFromReset);
    }
    let methods = [(1..=FEW_REGISTERS).contains(&registers).then_some("reach"), Some("pdr")];
    for method in methods.into_iter().flatten() {
        let said = ask("rest", &bytes, &format!("{method} -T {seconds}"))?;
        if let Some(verdict) = said.and_then(|said| verdict_of(&said)) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Undecided)
}

/// What abc says of a property, if it came to an end.
fn verdict_of(said: &str) -> Option<Verdict> {
    let proved = ["Property proved", "proved unreachable"].iter().any(|words| said.contains(words));
    let different = said.contains("was asserted in frame");
    match (proved, different) {
        (true, _) => Some(Verdict::SameFromReset),
        (_, true) => Some(Verdict::Different),
        _ => None,
    }
}

/// How many registers a binary AIGER file has, and what its first output is: 0 for what is never true.
fn shape(bytes: &[u8]) -> Option<(usize, u32)> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).ok());
    let registers = lines.next()??.strip_prefix("aig ")?.split(' ').nth(2)?.parse().ok()?;
    Some((registers, lines.nth(registers)??.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what the methods of abc say is understood, and nothing else is taken for a proof.
    #[test]
    fn xv_12_only_proofs_are_proofs() {
        let verdicts = [
            (
                "The miter is proved unreachable after 129 iterations.  Time =     1.48 sec",
                Some(Verdict::SameFromReset),
            ),
            ("Invariant F[4] : 8 clauses\nProperty proved.  Time = 0.00 sec", Some(Verdict::SameFromReset)),
            ("Output 0 of miter \"one\" was asserted in frame 66. Time = 1.11 sec", Some(Verdict::Different)),
            ("Reached timeout (60 seconds) in frame 21.", None),
            ("Property UNDECIDED.", None),
        ];
        verdicts.into_iter().for_each(|(said, verdict)| assert_eq!(verdict_of(said), verdict, "{said}"));
        assert_eq!(shape(b"aig 5 2 1 1 2\n1\n7\n\x80"), Some((1, 7)));
        assert_eq!(shape(b"aig 2 2 0 1 0\n0\n"), Some((0, 0)));
        assert_eq!(shape(b"p cnf"), None);
    }
}
