//! `cargo sim`: kernels on divergence engines, with nothing but Rust.

use std::process::ExitCode;

fn main() -> ExitCode {
    heddle_sim::cli::main(&heddle_sim::cli::backends())
}
