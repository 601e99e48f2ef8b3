//! Heddle's hardware: the blocks that decide which threads of a GPU run next, written in `rust-hdl`.
//!
//! One folder a system, one file a block. `primitives` holds what `hdl_gen` cannot say, [`ports`] how a block shows its
//! boundary to simulators and to the export, [`points`] the parameter points at which all of them are
//! exported, checked and measured.

#[macro_use]
pub mod ports;
pub mod barrier;
pub mod clocked;
pub mod context;
pub mod core;
pub mod divergence;
pub mod isa;
pub mod launch;
pub mod part;
pub mod points;
pub mod prelude;
pub mod primitives;
pub mod simulation;
pub mod tree;
