//! Gate level (XV-02): the export after synthesis to single gates and flip-flops, Verilated with cell models of our own, as a third
//! simulation beside the Rust kernels and the export.
//!
//! Memories stay memories, as they would in RAM cells; all else is gates.

use crate::error::{Error, Result};
use crate::lockstep::rig::{Contestant, Rig};
use crate::tools;
use crate::verilated::{Model, Options, Source, Start};
use heddle_hdl::points::Entry;
use std::fmt::Write as _;
use std::fs;

/// The cell models.
const CELLS: &str = include_str!("../gates/cells.v");

/// Synthesis with memories kept, to the cells of [`CELLS`].
const SYNTHESIS: &str = "-run begin:fine\nopt -fast -full\nopt -full\ntechmap\nopt -fast\n\
    dfflegalize -cell $_DFF_P_ x -cell $_DFFE_PP_ x -cell $_SDFF_PP?_ x -cell $_SDFFE_PP?P_ x\n\
    abc -g AND,NAND,OR,NOR,XOR,XNOR,ANDNOT,ORNOT,MUX\nopt_clean -purge\nsetundef -zero\ncheck -assert\n\
    write_verilog -noattr -noexpr netlist.v\n";

/// The netlist of `source`, with its cells.
///
/// # Errors
/// A missing tool, or Verilog that cannot be synthesized.
pub fn netlist(source: &Source) -> Result<Source> {
    let yosys = tools::program("yosys")?;
    let folder = tempfile::Builder::new().prefix("heddle-netlist-").tempdir().map_err(Error::file("/tmp"))?;
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).map_err(Error::file(folder.path()));
    let mut script = String::new();
    for (name, text) in &source.files {
        put(name, text)?;
        let _ = writeln!(script, "read_verilog {name}");
    }
    let _ = write!(script, "synth -flatten -top {} {SYNTHESIS}", source.top);
    put("netlist.ys", &script)?;
    let hint = "the export is not synthesizable: scripts/synth shows where";
    tools::run_in("yosys", &yosys, folder.path(), &["-q", "-s", "netlist.ys"], hint)?;
    let path = folder.path().join("netlist.v");
    let netlist = fs::read_to_string(&path).map_err(Error::file(&path))?;
    // The first line says which Yosys wrote it; what is built of it is kept by its text.
    let netlist = netlist.split_once('\n').map_or(netlist.as_str(), |(_, rest)| rest);
    let files = vec![("cells.v".to_string(), CELLS.to_string()), ("netlist.v".to_string(), netlist.to_string())];
    Ok(Source { top: source.top.clone(), files, ports: source.ports.clone() })
}

/// The kernels, the export and its netlist.
pub struct Gates {
    /// The export.
    pub export: Model,
    /// The netlist.
    pub netlist: Model,
}

impl Gates {
    /// Synthesizes and builds.
    ///
    /// # Errors
    /// Those of [`netlist`], and of the build.
    pub fn build(entry: &Entry) -> Result<Self> {
        let source = Source::of(entry)?;
        let netlist = Model::build(&netlist(&source)?, &Options::CHECKING)?;
        Ok(Self { export: Model::build(&source, &Options::CHECKING)?, netlist })
    }
}

/// From the pattern all three run side by side; from random bits the netlist runs alone, whose registers are others than the export's.
impl Rig for Gates {
    fn contestants(&self, entry: &Entry, start: Start) -> Vec<Contestant> {
        let mut contestants = match start {
            Start::Pattern => self.export.contestants(entry, start),
            Start::Random(_) => Vec::new(),
        };
        contestants.push(self.alone(start));
        contestants
    }

    fn alone(&self, start: Start) -> Contestant {
        Contestant::new("the netlist", self.netlist.simulation(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::campaign::{self, Plan, Watch};
    use heddle_hdl::points;

    struct Endless;

    impl Watch for Endless {
        fn passed(&self, _: u64) -> bool {
            true
        }
    }

    /// XV-02: a netlist does what its kernels do, and one with a single wrong gate is found, by name.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_02_a_wrong_gate_is_found() {
        let entry = points::find("dynamic_barrier_fifo", "2x2x2x4x2").expect("a known point");
        let source = Source::of(&entry).expect("an export");
        let right = netlist(&source).expect("a netlist");
        let mut wrong = right.clone();
        let text = &mut wrong.files[1].1;
        *text = text.replacen("\\$_AND_ ", "\\$_OR_ ", 1);
        assert_ne!(right.files, wrong.files, "the netlist has an and-gate");
        let quick = Options { quick: true, ..Options::CHECKING };
        let run = |netlist: &Source| {
            let export = Model::build(&source, &quick).expect("a model");
            let gates = Gates { export, netlist: Model::build(netlist, &quick).expect("a model") };
            let plan = Plan { cycles: 4_000, seed: 1, alone: false };
            campaign::run(&entry, &gates, plan, None, &Endless).expect("a campaign").failure
        };
        assert!(run(&right).is_none());
        let found = run(&wrong).expect("a wrong gate shows");
        assert!(found.what.what.contains("the netlist"), "{}", found.what);
    }
}
