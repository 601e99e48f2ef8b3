//! The door `cargo tb`: kernels and random programs on the Verilated RTL (UX-05), with the commands of `cargo sim` and two more backends.

mod core_mutants;
mod coverage;
mod list;
mod lockstep;
mod mutants;
mod mutate;

use crate::bench::{bench, BenchArguments};
use crate::core_lockstep::CORES;
use crate::engine::{VERILATED, VERILATED_CORE};
use crate::error::Error;
use crate::lockstep::campaign::blocks;
use crate::regress::{self, RegressArguments};
use clap::{Parser, Subcommand};
use heddle_hdl::points::{self, Entry};
use heddle_sim::assembler::nearest;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::registry::Backends;
use heddle_sim::cli::{self, compare, oracle, run, sparse, suspend};
use std::process::ExitCode;

/// The last lines of the help.
const EXIT_CODES: &str = "Exit codes: 0 fine; 1 the run failed its own check (wrong memory, deadlock, mismatch); \
    2 bad input or missing tool; 3 internal error; 130 Ctrl-C.";

/// Runs the exported Verilog under Verilator.
#[derive(Debug, Parser)]
#[command(name = "cargo tb", bin_name = "cargo tb", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = EXIT_CODES)]
struct Commands {
    #[command(subcommand)]
    command: Command,
}

/// The commands of `cargo tb`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Run a kernel on the Verilated control core
    Run(run::RunArguments),
    /// Run a kernel on every engine and backend, the Verilated RTL included, in one table
    Compare(compare::CompareArguments),
    /// A stencil with a predicate table and one with early exits, on the Verilated control core, in one table
    Sparse(sparse::SparseArguments),
    /// Suspend a kernel in every one of its cycles, a run each, and resume it on other warps, on the Verilated control core
    Suspend(suspend::SuspendArguments),
    /// Run random programs on the Verilated RTL against threads that run alone
    Oracle(oracle::OracleArguments),
    /// Run a block's or a core's Rust simulation, its Verilated export and its reference model in lockstep
    Lockstep(lockstep::LockstepArguments),
    /// Print the blocks that lockstep knows, a line each, or the cores
    List(list::ListArguments),
    /// Run a saved failure of lockstep once more
    Replay(lockstep::ReplayArguments),
    /// Kernels, lockstep and random programs with many seeds, in parallel, with a report
    Regress(RegressArguments),
    /// Break the export on purpose, and see lockstep catch it
    Mutants(mutants::MutantsArguments),
    /// Break the export in a thousand ways, all in one model, and see what lockstep traffic notices
    Mutate(mutate::MutateArguments),
    /// Say which lines and bits of the export lockstep traffic reaches
    Coverage(coverage::CoverageArguments),
    /// Measure the speed of the exported Verilog beside what else one could have had
    Bench(BenchArguments),
}

/// The backends of this door: those of `cargo sim`, the Verilated blocks, and the Verilated core as the default.
pub fn backends() -> Backends {
    cli::backends().with_oracle(VERILATED).with_default(VERILATED_CORE)
}

/// The whole of `cargo tb`.
pub fn main() -> ExitCode {
    let backends = backends();
    cli::door(&backends, |commands: &Commands| match &commands.command {
        Command::Run(arguments) => run::run(arguments, &backends),
        Command::Compare(arguments) => compare::compare(arguments, &backends),
        Command::Sparse(arguments) => sparse::sparse(arguments, &backends),
        Command::Suspend(arguments) => suspend::suspend(arguments, &backends),
        Command::Oracle(arguments) => oracle::oracle(arguments, &backends, "cargo tb"),
        Command::Lockstep(arguments) => lockstep::lockstep(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Replay(arguments) => lockstep::replay(arguments),
        Command::Regress(arguments) => regress::regress(arguments),
        Command::Mutants(arguments) => mutants::run(arguments),
        Command::Mutate(arguments) => mutate::run(arguments),
        Command::Coverage(arguments) => coverage::run(arguments),
        Command::Bench(arguments) => bench(arguments).map_err(CliError::from),
    })
}

/// The entries of a block or a core, which lockstep takes alike.
fn lockstep_entries(block: &str, wanted: &[String]) -> Result<Vec<Entry>, Error> {
    entries_among(&blocks().chain(CORES).collect::<Vec<_>>(), block, wanted)
}

/// The entries of a block that is `known`, at the points named, or at all.
fn entries_among(known: &[&'static str], block: &str, wanted: &[String]) -> Result<Vec<Entry>, Error> {
    let unknown = |place: String, what: &str, name: &str, known: Vec<&'static str>| {
        let close =
            nearest(name, known.iter().copied()).map_or(String::new(), |close| format!("did you mean `{close}`? "));
        Error::Input {
            place,
            cause: format!("there is no such {what}"),
            hint: format!("{close}known: {}", known.join(", ")),
        }
    };
    if !known.contains(&block) {
        return Err(unknown(block.to_string(), "block with a lockstep", block, known.to_vec()));
    }
    let entries: Vec<Entry> = points::entries().into_iter().filter(|entry| entry.block == block).collect();
    if wanted.is_empty() {
        return Ok(entries);
    }
    wanted
        .iter()
        .map(|name| {
            entries.iter().find(|entry| entry.point == name).cloned().ok_or_else(|| {
                let known = entries.iter().map(|entry| entry.point).collect();
                unknown(format!("--point {name}"), "parameter point", name, known)
            })
        })
        .collect()
}

/// The entry at the point asked for, or at the block's smallest, which is the quickest to build and to fill.
fn smallest_entry(block: &str, point: Option<&str>) -> Result<Entry, Error> {
    let wanted: Vec<String> = point.into_iter().map(String::from).collect();
    smallest(block, lockstep_entries(block, &wanted)?)
}

/// The smallest of a block's entries.
pub(crate) fn smallest(block: &str, entries: Vec<Entry>) -> Result<Entry, Error> {
    let size = |entry: &Entry| entry.parameters.iter().map(|(_, value)| *value).product::<u64>();
    entries
        .into_iter()
        .min_by_key(size)
        .ok_or_else(|| Error::Internal { place: block.into(), cause: "the block has no parameter point".into() })
}
