//! The doors: what a person types, and what they see (UX-01 to UX-03, UX-07, UX-08).
//!
//! `cargo sim` is [`main`] with the backends that need nothing but Rust. `cargo tb` has commands of its own beside
//! [`run::run`] and [`compare::compare`], which it calls with the Verilated backend added to its [`registry::Backends`]; both
//! are a [`door`].

pub mod compare;
pub mod compare_all;
pub mod demo;
pub mod divergence_law;
pub mod error;
pub mod execute;
pub mod files;
pub mod interrupt;
pub mod json;
pub mod load;
pub mod locality;
pub mod memory_file;
pub mod options;
pub mod oracle;
pub mod oracle_grid;
pub mod output;
pub mod pass;
pub mod predicate_file;
pub mod programs;
pub mod registry;
pub mod run;
pub mod sparse;
pub mod suspend;
mod tables;
mod timeline;
mod yields;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::engine::{Configuration, Engine};
use crate::model::tree::TreeTable;
use crate::model::DivergenceUnit;
use crate::rtl::elaborated;

use registry::{model_barriers, model_context, model_distributor, Backend, Backends};

/// The last lines of the help.
const EXIT_CODES: &str = "Exit codes: 0 fine; 1 the run failed its own check (wrong memory, deadlock); 2 bad input; \
    3 internal error; 130 Ctrl-C.";

/// Runs kernels on divergence engines, and shows what they do.
#[derive(Debug, Parser)]
#[command(name = "cargo sim", bin_name = "cargo sim", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = EXIT_CODES)]
struct Commands {
    #[command(subcommand)]
    command: Command,
}

/// The commands of `cargo sim`.
#[derive(Debug, Subcommand)]
enum Command {
    /// A spin lock that hangs the plain stack and ends on the deque and the tree, side by side
    Demo(demo::DemoArguments),
    /// Run a kernel on one engine and check its result
    Run(run::RunArguments),
    /// Run a kernel on every engine and backend, in one table
    Compare(compare::CompareArguments),
    /// A gather with a patient, an impatient and no barrier: cycles and cache hits in one table
    Locality(locality::LocalityArguments),
    /// A stencil whose dead tiles are not launched, and one whose dead tiles exit early, in one table
    Sparse(sparse::SparseArguments),
    /// Suspend a kernel in every one of its cycles, a run each, and resume it on other warps
    Suspend(suspend::SuspendArguments),
    /// Every kernel that has YIELDs, with and without them on one engine: which would hang
    Yields(yields::YieldsArguments),
    /// Cycles and lanes of 1 to 32 paths through one BRX, on each engine: table and plot
    DivergenceLaw(divergence_law::LawArguments),
    /// Kernels with regions by hand and by the divergence pass: cycles and SIMD efficiency in one table
    Pass(pass::PassArguments),
    /// Assemble a kernel to words
    Asm(programs::AssembleArguments),
    /// Turn words into text that assembles to them
    Disasm(programs::DisassembleArguments),
    /// Run random programs against threads that run alone
    Oracle(oracle::OracleArguments),
    /// List the kernels that ship, with what each shows
    Kernels(programs::KernelsArguments),
}

fn unbounded_model(configuration: &Configuration) -> Box<dyn Engine> {
    match configuration.tree {
        true => Box::new(TreeTable::new(*configuration)),
        false => Box::new(DivergenceUnit::new(*configuration)),
    }
}

fn bounded_model(configuration: &Configuration) -> Box<dyn Engine> {
    match configuration.tree {
        true => Box::new(TreeTable::bounded(*configuration)),
        false => Box::new(DivergenceUnit::windowed(*configuration)),
    }
}

/// The backends that need nothing but Rust.
pub fn backends() -> Backends {
    let model = Backend {
        name: "model",
        about: "reference model, queues and trees without bounds",
        build: |configuration| Ok(unbounded_model(configuration)),
        barriers: model_barriers,
        distributor: model_distributor,
        context: model_context,
        core: None,
    };
    let windowed = Backend {
        name: "windowed",
        about: "reference model with the hardware's window, table and spill area",
        build: |configuration| Ok(bounded_model(configuration)),
        barriers: model_barriers,
        distributor: model_distributor,
        context: model_context,
        core: None,
    };
    let rtl = Backend {
        name: elaborated::BLOCKS,
        about: "the hardware's blocks, simulated in Rust, around a scheduler in software",
        build: elaborated::build,
        barriers: elaborated::build_barriers,
        distributor: elaborated::build_distributor,
        context: elaborated::build_context,
        core: None,
    };
    let core = Backend {
        name: "core",
        about: "the whole control core in hardware, simulated in Rust",
        core: Some(elaborated::build_core),
        ..rtl
    };
    Backends::new(model).with_bounded(windowed).with_showcase(rtl).with_default(rtl).with(core)
}

/// A door from end to end: what was typed, read as `C`, goes to `command`, and its end becomes the exit code.
pub fn door<C: CommandFactory + FromArgMatches>(
    backends: &Backends,
    command: impl FnOnce(&C) -> Result<(), error::CliError>,
) -> ExitCode {
    interrupt::set_up();
    let parser = backends.describe(C::command());
    match parser.try_get_matches().and_then(|matches| C::from_arg_matches(&matches)) {
        Ok(typed) => error::finish(command(&typed)),
        Err(message) => {
            // Help and version go to the standard output and are no failure; clap knows.
            let _ = message.print();
            if message.use_stderr() {
                ExitCode::from(2)
            } else {
                ExitCode::SUCCESS
            }
        }
    }
}

/// The whole of `cargo sim`, with the backends that are linked.
pub fn main(backends: &Backends) -> ExitCode {
    door(backends, |commands: &Commands| match &commands.command {
        Command::Demo(arguments) => demo::demo(arguments, backends),
        Command::Run(arguments) => run::run(arguments, backends),
        Command::Compare(arguments) => compare::compare(arguments, backends),
        Command::Locality(arguments) => locality::locality(arguments, backends),
        Command::Sparse(arguments) => sparse::sparse(arguments, backends),
        Command::Suspend(arguments) => suspend::suspend(arguments, backends),
        Command::Yields(arguments) => yields::yields(arguments, backends),
        Command::DivergenceLaw(arguments) => divergence_law::divergence_law(arguments, backends),
        Command::Pass(arguments) => pass::pass(arguments, backends),
        Command::Asm(arguments) => programs::assemble(arguments),
        Command::Disasm(arguments) => programs::disassemble_file(arguments),
        Command::Oracle(arguments) => oracle::oracle(arguments, backends, "cargo sim"),
        Command::Kernels(arguments) => programs::list(arguments),
    })
}
