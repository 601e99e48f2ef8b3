//! The door `cargo tb`: kernels and random programs on the Verilated RTL (UX-05), with the commands of `cargo sim` and one more backend.

use crate::bench::{bench, BenchArguments};
use crate::engine::VERILATED;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::registry::Backends;
use heddle_sim::cli::{self, compare, error, interrupt, oracle, run};
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
    /// Run a kernel on the Verilated RTL
    Run(run::RunArguments),
    /// Run a kernel on every engine and backend, the Verilated RTL included, in one table
    Compare(compare::CompareArguments),
    /// Run random programs on the Verilated RTL against threads that run alone
    Oracle(oracle::OracleArguments),
    /// Measure the speed of the exported Verilog beside what else one could have had
    Bench(BenchArguments),
}

/// The backends of this door: those of `cargo sim`, and the Verilated RTL as the default.
pub fn backends() -> Backends {
    cli::backends().with_default(VERILATED)
}

/// The whole of `cargo tb`.
pub fn main() -> ExitCode {
    interrupt::set_up();
    let backends = backends();
    let parser = backends.describe(Commands::command());
    let commands = match parser.try_get_matches().and_then(|matches| Commands::from_arg_matches(&matches)) {
        Ok(commands) => commands,
        Err(message) => {
            // Help and version go to the standard output and are no failure; clap knows.
            let _ = message.print();
            return if message.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    error::finish(match &commands.command {
        Command::Run(arguments) => run::run(arguments, &backends),
        Command::Compare(arguments) => compare::compare(arguments, &backends),
        Command::Oracle(arguments) => oracle::oracle(arguments, &backends, "cargo tb"),
        Command::Bench(arguments) => bench(arguments).map_err(CliError::from),
    })
}
