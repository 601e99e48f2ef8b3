//! Heddle's software side: reference models written from the requirements, the instruction set and its assembler, the lanes,
//! the machine that runs kernels on any divergence engine, and the oracle that runs every thread alone.

pub mod assembler;
pub mod barrier;
pub mod cli;
pub mod control_core;
pub mod divergence_pass;
pub mod engine;
pub mod isa;
pub mod kernels;
pub mod lanes;
pub mod launch;
pub mod machine;
pub mod model;
pub mod oracle;
pub mod rtl;
pub mod tree_restoration;
pub mod warp_context;
