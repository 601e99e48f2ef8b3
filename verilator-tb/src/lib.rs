//! Heddle's test bench: the exported Verilog under Verilator, in lockstep with the Rust kernels and the reference models.

pub mod bench;
pub mod cli;
pub mod engine;
pub mod error;
pub mod lockstep;
pub mod regress;
pub mod tools;
pub mod verilated;
