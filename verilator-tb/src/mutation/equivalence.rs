//! Whether a mutant that nobody noticed can be noticed at all: two copies of the block, one broken, under one free stimulus.
//!
//! First from any state: outputs and next states are the same functions (Yosys turns registers and memories into inputs and outputs, abc proves).
//! Then from a reset, memories cleared: abc merges what induction shows to be equal and asks `pdr` for the rest.

use super::schema::{Mutant, Schema, SELECTOR};
use crate::error::{Error, Result};
use crate::tools;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Direction;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a proof says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same outputs and next states in every state.
    SameFunction,
    /// The same outputs in every run from a reset, memories cleared.
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

/// Tries `mutants` of a schema, each for `limit`.
///
/// # Errors
/// A missing tool, one that fails, or Ctrl-C.
pub fn prove(
    entry: &Entry,
    schema: &Schema,
    mutants: &[&Mutant],
    limit: Duration,
    watch: &(dyn Fn(usize) + Sync),
) -> std::result::Result<Vec<(u32, Verdict)>, CliError> {
    if mutants.is_empty() {
        return Ok(Vec::new());
    }
    let (yosys, abc) = (tools::program("yosys")?, tools::program("yosys-abc")?);
    let folder = tempfile::Builder::new().prefix("heddle-equivalence-").tempdir().map_err(Error::file("/tmp"))?;
    let folder = folder.path();
    write(schema, mutants, folder)?;
    tools::run_in(&yosys, folder, &["-q", "-s", "miters.ys"], "the mutated Verilog is not synthesizable")?;
    let done = AtomicUsize::new(0);
    mutants
        .par_iter()
        .map(|mutant| {
            if interrupted() {
                return Err(CliError::Interrupted);
            }
            let verdict = decide(&abc, folder, mutant.number, limit)?;
            watch(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok((mutant.number, verdict))
        })
        .collect::<std::result::Result<Vec<_>, CliError>>()
        .map_err(|error| match error {
            CliError::Internal(cause) => CliError::Internal(format!("{}: {cause}", entry.module())),
            other => other,
        })
}

/// The Verilog, a harness for each mutant, and the commands that make a circuit of each.
fn write(schema: &Schema, mutants: &[&Mutant], folder: &Path) -> Result<()> {
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(Error::file(folder));
    let top = &schema.source.top;
    let mut script = String::new();
    for (name, text) in &schema.source.files {
        put(name, text)?;
        let _ = writeln!(script, "read_verilog {name}");
    }
    let _ = writeln!(
        script,
        "hierarchy -check -top {top}\nproc\nflatten\nopt -full\nmemory -nomap\nmemory_map\nopt -full\ndffunmap\nsimplemap\nopt -fast\n\
         design -save sequential\nexpose -evert-dff\nopt_clean\ndesign -save functions"
    );
    for mutant in mutants {
        let number = mutant.number;
        put(&format!("harness_{number}.v"), &harness(schema, number))?;
        let _ = writeln!(
            script,
            "design -load functions\ncopy {top} whole\nrename {top} broken\n\
             delete -port whole/w:{SELECTOR} broken/w:{SELECTOR}\n\
             cd whole\nconnect -set {SELECTOR} 16'd0\ncd ..\ncd broken\nconnect -set {SELECTOR} 16'd{number}\ncd ..\n\
             miter -equiv -flatten -make_outputs whole broken miter\nhierarchy -top miter\ndelete whole broken\nopt -fast\n\
             delete -output miter/w:gold_* miter/w:gate_*\nopt_clean\n\
             techmap\nopt -fast\naigmap\nwrite_aiger functions_{number}.aig\n\
             design -load sequential\nread_verilog harness_{number}.v\nhierarchy -top harness\nproc\nflatten\nopt -fast\ntechmap\nopt -fast\n\
             dffunmap\naigmap\nwrite_aiger -zinit sequential_{number}.aig"
        );
    }
    put("miters.ys", &script)
}

/// Two copies of the block under the same inputs, reset first; `different` says that an output differs.
fn harness(schema: &Schema, number: u32) -> String {
    let (mut ports, mut whole, mut broken, mut wires, mut differs) =
        (String::new(), String::new(), String::new(), String::new(), Vec::new());
    for port in schema.source.ports.iter().filter(|port| port.name != SELECTOR) {
        let (name, high) = (port.name, port.width - 1);
        match port.direction {
            Direction::In => {
                let _ = write!(ports, "  input wire [{high}:0] {name},\n");
                let value = if name == "reset" { "(reset | !started)" } else { name };
                let _ = write!(whole, ".{name}({value}), ");
                let _ = write!(broken, ".{name}({value}), ");
            }
            Direction::Out => {
                let _ = write!(wires, "  wire [{high}:0] whole_{name}, broken_{name};\n");
                let _ = write!(whole, ".{name}(whole_{name}), ");
                let _ = write!(broken, ".{name}(broken_{name}), ");
                differs.push(format!("(whole_{name} != broken_{name})"));
            }
        }
    }
    let top = &schema.source.top;
    format!(
        "module harness (\n{ports}  output wire different\n);\n  reg started = 1'b0;\n  always @(posedge clock) started <= 1'b1;\n{wires}  \
         {top} whole ({whole}.{SELECTOR}(16'd0));\n  {top} broken ({broken}.{SELECTOR}(16'd{number}));\n  \
         assign different = started & ({});\nendmodule\n",
        differs.join(" | ")
    )
}

fn decide(abc: &Path, folder: &Path, number: u32, limit: Duration) -> Result<Verdict> {
    let hint = "abc cannot read what Yosys wrote";
    let seconds = limit.as_secs().max(1);
    let commands = format!("read functions_{number}.aig; strash; iprove -P {seconds}; print_status");
    let said = tools::run_in(abc, folder, &["-c", &commands], hint)?;
    if said.contains("UNSATISFIABLE") {
        return Ok(Verdict::SameFunction);
    }
    let commands = format!("read sequential_{number}.aig; strash; scorr; pdr -T {seconds}; print_status");
    let said = tools::run_in(abc, folder, &["-c", &commands], hint)?;
    Ok(if said.contains("Property proved") {
        Verdict::SameFromReset
    } else if said.contains("was asserted in frame") {
        Verdict::Different
    } else {
        Verdict::Undecided
    })
}
