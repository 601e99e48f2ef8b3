//! `cargo export`: Heddle's blocks as Verilog.

use clap::Parser;
use heddle_gen::cli::{run, Arguments};
use heddle_sim::cli::error::finish;
use heddle_sim::cli::interrupt::set_up;
use std::process::ExitCode;

fn main() -> ExitCode {
    set_up();
    finish(run(&Arguments::parse()))
}
