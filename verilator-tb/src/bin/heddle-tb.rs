//! `cargo tb`: the exported Verilog under Verilator.

use std::process::ExitCode;

fn main() -> ExitCode {
    heddle_tb::cli::main()
}
