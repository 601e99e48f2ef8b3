//! Parts of a circuit that is too large as a whole (XV-12): whether a mutant that no traffic noticed can be noticed at all, asked of the module in which it is and of those around it.
//! What is left out is cut out of these: what it is given has to be the same, and it may answer anything. What only it excludes stays open.

use super::attempt::{Attempt, Kept};
use super::circuit::Circuit;
use super::equivalence::{circuits, Verdict};
use super::hierarchy::{module_of, Hierarchy};
use super::schema::{Mutant, Schema, SELECTOR};
use super::unloaded::with_unloaded;
use super::Watch;
use crate::error::{Error, Result};
use crate::tools;
use crate::verilated::Source;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The methods, the cheapest first. The others may take their whole time for each of hundreds of mutants, and are not asked.
const METHODS: [Kept; 2] = [Kept::Nowhere, Kept::Nearby];

/// What may be anything in each cycle: Yosys writes a cell that it does not know when it reads that again.
const ANYTHING: &str = r"
module \$anyseq #(parameter WIDTH = 1) (output [WIDTH-1:0] Y);
  (* anyseq *) reg [WIDTH-1:0] any;
  assign Y = any;
endmodule
";

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
    /// Those that `mutants` need, of modules of which `is_asked` holds; others are cut out of them.
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
        let others: BTreeSet<&str> =
            instrumented.source.files.iter().map(|(file, _)| module_of(file)).filter(|name| !is_asked(name)).collect();
        let holders = hierarchy.upwards(others.iter().copied());
        let (cut, plain): (BTreeSet<&str>, BTreeSet<&str>) =
            modules.into_iter().partition(|name| holders.contains(name));
        let mut circuits = circuits(&instrumented, &plain, folder.path())?;
        for module in cut {
            circuits.extend(without(&instrumented, module, &others)?);
        }
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

/// The line of the export that `mutant` breaks, behind the one before it, as notes on what survives name them.
pub fn lines_of<'a>(source: &'a Source, mutant: &Mutant) -> [&'a str; 2] {
    super::lines_of(source, mutant)
}

/// The circuit of `module` without `others`, which may stand in it: their outputs are inputs of it, and their inputs outputs.
fn without(schema: &Schema, module: &str, others: &BTreeSet<&str>) -> Result<BTreeMap<String, Circuit>> {
    let folder = tempfile::Builder::new().prefix("heddle-cut-").tempdir().map_err(Error::file("/tmp"))?;
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).map_err(Error::file(folder.path()));
    let mut script = String::new();
    for (name, text) in &schema.source.files {
        put(name, text)?;
        let _ = writeln!(script, "read_verilog {name}");
    }
    let _ = writeln!(script, "hierarchy -check -top {module}\nproc");
    others.iter().for_each(|other| {
        let _ = writeln!(script, "blackbox {other}");
    });
    let cut = "cut.v";
    // Only they become ports: of what is chosen, wires within would become outputs as well. What selects a mutant is passed on, and differs.
    let chosen: Vec<String> = others.iter().map(|other| format!("t:{other}")).collect();
    let _ = writeln!(
        script,
        "flatten\nexpose -evert {}\ndelete -port w:*.{SELECTOR}\nwrite_verilog -noattr {cut}",
        chosen.join(" ")
    );
    put("cut.ys", &script)?;
    let yosys = tools::program("yosys")?;
    tools::run_in("yosys", &yosys, folder.path(), &["-q", "-s", "cut.ys"], "the mutated Verilog is not synthesizable")?;
    let path = folder.path().join(cut);
    let text = fs::read_to_string(&path).map_err(Error::file(&path))? + ANYTHING;
    let source = Source { top: module.into(), files: vec![(format!("{module}.v"), text)], ports: Vec::new() };
    circuits(&Schema { source, mutants: Vec::new(), ..*schema }, &BTreeSet::from([module]), folder.path())
}

#[cfg(test)]
mod tests {
    use super::super::Nobody;
    use super::*;

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

    /// A block, and a top that hands it two inputs and shows what it says: mutants of the top 1 hands it something else, 2 what is the same since the two are never high together, 3 shows
    /// something else, 4 hands it something else while the block says that it does not listen, as the top knows nothing of that. Something in it may be anything, as what a reset leaves may
    /// be where a mutant does not set it; and mutant 5 changes a wire within that comes to nothing.
    const BLOCK: &str = "module block (input wire clock, input wire first, input wire second, output reg any, output wire deaf, input wire [15:0] heddle_mutant);
  assign deaf = 1'b0;
  always @(posedge clock) any <= first | second;
endmodule
";
    const HOLDER: &str = "module holder (input wire clock, input wire reset, input wire data, input wire load, output wire any, input wire [15:0] heddle_mutant);
  wire said;
  wire deaf;
  block only (
    .clock(clock), .first((heddle_mutant == 16'd1) ? !data : (heddle_mutant == 16'd4) ? data ^ deaf : data),
    .second((heddle_mutant == 16'd2) ? load & !data & !data : load & !data), .any(said), .deaf(deaf), .heddle_mutant(heddle_mutant));
  (* anyseq *) reg noise;
  wire within = (heddle_mutant == 16'd5) ? !load : load;
  assign any = (heddle_mutant == 16'd3) ? said & data : said & (noise | !noise) & (within | !within);
endmodule
";

    /// XV-12: a block is cut out of what holds it: what it is given has to be the same, and it may answer anything.
    #[test]
    fn xv_12_a_block_is_cut_out() {
        let mutant = |number| Mutant {
            number,
            file: "holder.v".into(),
            line: 1,
            was: String::new(),
            becomes: String::new(),
            node: 0,
        };
        let mutants = [1, 2, 3, 4, 5].map(mutant);
        let files = [("holder.v", HOLDER), ("block.v", BLOCK)].map(|(name, text)| (name.into(), text.into()));
        let source = Source { top: "holder".into(), files: files.to_vec(), ports: Vec::new() };
        let schema = Schema { source, mutants: mutants.to_vec(), candidates: 5, highest: 5 };
        let open: Vec<&Mutant> = mutants.iter().collect();
        let parts = Parts::of(&schema, &open, &|module| module == "holder").expect("circuits");
        let verdicts = parts.prove(&open, Duration::from_secs(10), &Nobody).expect("verdicts");
        assert_eq!(verdicts.into_keys().collect::<Vec<u32>>(), [2, 5]);
    }
}
