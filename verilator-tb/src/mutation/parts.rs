//! Parts of a circuit that is too large as a whole (XV-12): whether a mutant that no traffic noticed can be noticed at all, asked of the module in which it is and of those around it that hold
//! none of what is left out. Whatever such a part gets, it may be asked to show the same; what only the surroundings exclude stays open.

use super::attempt::{Attempt, Kept};
use super::circuit::Circuit;
use super::equivalence::{circuits, Verdict};
use super::hierarchy::{module_of, Hierarchy};
use super::schema::{Mutant, Schema};
use super::unloaded::with_unloaded;
use super::Watch;
use crate::error::{Error, Result};
use crate::tools;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The methods, the cheapest first. The others may take their whole time for each of hundreds of mutants, and are not asked.
const METHODS: [Kept; 2] = [Kept::Nowhere, Kept::Nearby];

/// Circuits of modules, with all their mutants.
pub struct Parts {
    hierarchy: Hierarchy,
    circuits: BTreeMap<String, Circuit>,
    /// Of a mutant of a reset, that which stands for anything that it leaves there ([`super::unloaded`]).
    unloaded: BTreeMap<u32, u32>,
    abc: PathBuf,
    folder: TempDir,
}

impl Parts {
    /// Those that `mutants` need, of modules of which `is_asked` holds.
    ///
    /// # Errors
    /// A missing tool, or Verilog that Yosys refuses.
    pub fn of(schema: &Schema, mutants: &[&Mutant], is_asked: &dyn Fn(&str) -> bool) -> Result<Self> {
        let abc = tools::program("yosys-abc")?;
        let folder = tempfile::Builder::new().prefix("heddle-parts-").tempdir().map_err(Error::file("/tmp"))?;
        let (instrumented, unloaded) = with_unloaded(schema, mutants);
        let hierarchy = Hierarchy::of(&instrumented.source.files);
        let needed = hierarchy.upwards(mutants.iter().map(|mutant| module_of(&mutant.file)));
        let modules: BTreeSet<&str> = needed.into_iter().filter(|module| is_asked(module)).collect();
        let circuits = circuits(&instrumented, &modules, folder.path())?;
        Ok(Self { hierarchy, circuits, unloaded, abc, folder })
    }

    /// Which of `mutants` nobody can tell from the whole, each method asked for `limit` of each module; `watch` hears how many are done.
    ///
    /// # Errors
    /// A tool that fails, or Ctrl-C.
    pub fn prove(
        &self,
        mutants: &[&Mutant],
        limit: Duration,
        watch: &dyn Watch,
    ) -> std::result::Result<BTreeMap<u32, Verdict>, CliError> {
        let done = AtomicUsize::new(0);
        let decided = mutants.par_iter().map(|mutant| {
            if interrupted() {
                return Err(CliError::Interrupted);
            }
            let verdict = self.decide(mutant, limit)?;
            watch.proofs(done.fetch_add(1, Ordering::Relaxed) + 1, mutants.len());
            Ok((mutant.number, verdict))
        });
        let decided = decided.collect::<std::result::Result<Vec<_>, CliError>>()?;
        Ok(decided.into_iter().filter(|(_, verdict)| verdict.is_proof()).collect())
    }

    fn decide(&self, mutant: &Mutant, limit: Duration) -> Result<Verdict> {
        let module = module_of(&mutant.file);
        if let Some(&anything) = self.unloaded.get(&mutant.number) {
            if self.upwards(module, anything, Kept::Nowhere, limit)?.is_proof() {
                return Ok(Verdict::SameFromReset);
            }
        }
        for kept in METHODS {
            let verdict = self.upwards(module, mutant.number, kept, limit)?;
            if verdict.is_proof() {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Undecided)
    }

    /// What `module` says of a mutant within it, or what everything in which it stands does.
    fn upwards(&self, module: &str, number: u32, kept: Kept, limit: Duration) -> Result<Verdict> {
        let Some(circuit) = self.circuits.get(module) else { return Ok(Verdict::Undecided) };
        // Others may keep what a part says while it is reset.
        let attempt =
            Attempt { abc: &self.abc, folder: self.folder.path(), name: module, circuit, part: true, number, limit };
        let alone = attempt.decide(kept)?;
        if alone.is_proof() {
            return Ok(alone);
        }
        let mut around = self.hierarchy.around(module).peekable();
        let mut all = around.peek().is_some();
        for outer in around {
            all = all && self.upwards(outer, number, kept, limit)?.is_proof();
        }
        Ok(if all { Verdict::SameFromReset } else { Verdict::Undecided })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Nobody;
    use super::*;
    use crate::verilated::Source;

    /// A leaf whose mutant 1 shows when both inputs are high, mutant 2 in a register that nobody reads while it may differ, mutant 3 always, and mutant 4 only
    /// while it is reset, which others may keep; the part around it never has both high. The top would exclude mutant 3, too.
    const LEAF: &str = "module leaf (input wire clock, input wire reset, input wire first, input wire second, input wire load, output wire any, output wire kept, input wire [15:0] heddle_mutant);
  reg held;
  reg full;
  assign any = (heddle_mutant == 16'd1) ? first ^ second : (heddle_mutant == 16'd3) ? !first : first | second;
  assign kept = (heddle_mutant == 16'd4 && reset) ? !(held & full) : held & full;
  always @(posedge clock) begin
    if (load) full <= 1'b1;
    held <= load ? first : (heddle_mutant == 16'd2 && !full) ? !held : held;
    if (reset) begin
      full <= 1'b0;
      held <= 1'b0;
    end
  end
endmodule
";
    const PART: &str = "module part (input wire clock, input wire reset, input wire data, input wire load, output wire any, output wire kept, input wire [15:0] heddle_mutant);
  leaf inner (
    .clock(clock), .reset(reset), .first(data), .second(!data & load), .load(load), .any(any), .kept(kept), .heddle_mutant(heddle_mutant));
endmodule
";
    const TOP: &str = "module top (input wire clock, input wire reset, input wire data, input wire load, output wire kept, input wire [15:0] heddle_mutant);
  wire any;
  part only (
    .clock(clock), .reset(reset), .data(data), .load(load), .any(any), .kept(kept), .heddle_mutant(heddle_mutant));
endmodule
";

    /// XV-12: what a part that is asked excludes is proven there, what only the rest does stays open, and so does all of a module that is not asked.
    #[test]
    fn xv_12_only_parts_are_asked() {
        let mutant = |number| Mutant {
            number,
            file: "leaf.v".into(),
            line: 1,
            was: String::new(),
            becomes: String::new(),
            node: 0,
        };
        let mutants = [1, 2, 3, 4].map(mutant);
        let files = [("top.v", TOP), ("part.v", PART), ("leaf.v", LEAF)].map(|(name, text)| (name.into(), text.into()));
        let source = Source { top: "top".into(), files: files.to_vec(), ports: Vec::new() };
        let schema = Schema { source, mutants: mutants.to_vec(), candidates: 4, highest: 4 };
        let open: Vec<&Mutant> = mutants.iter().collect();
        let proven = |asked: &[&str]| -> Vec<u32> {
            let parts = Parts::of(&schema, &open, &|module| asked.contains(&module)).expect("circuits");
            let verdicts = parts.prove(&open, Duration::from_secs(10), &Nobody).expect("verdicts");
            verdicts.into_keys().collect()
        };
        assert_eq!(proven(&["part", "leaf"]), [1, 2]);
        assert_eq!(proven(&["leaf"]), [2]);
        assert_eq!(proven(&["part"]), [] as [u32; 0]);
        assert_eq!(proven(&["top", "part", "leaf"]), [1, 2, 3]);
    }
}
