//! Heddle's test bench: the exported Verilog under Verilator, in lockstep with the Rust kernels and the reference models.

pub mod bench;
pub mod cli;
pub mod core_lockstep;
pub mod core_mutation;
pub mod coverage;
pub mod document;
pub mod engine;
pub mod error;
pub mod gates;
pub mod lockstep;
pub mod mutation;
pub mod regress;
pub mod tools;
pub mod verilated;
