//! The program-level oracle: random programs on any divergence engine against an interpreter that runs every thread alone (XV-03).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`program`] | programs at the level of engine operations, independent of the instruction set |
//! | [`listing`] | programs as text |
//! | [`thread`] | a thread's private state, and what data instructions do to it |
//! | [`interpreter`] | each thread alone to its end: the truth |
//! | [`warp_runner`] | the same programs, warp by warp, on an engine; in `core_runner`, on a whole control core; `subject` is either |
//! | [`structured`], [`spaghetti`] | the two random generators |
//! | [`plain`] | programs without regions, through the divergence pass |
//! | [`campaign`] | many programs, counted; failures shrunk and kept |
//! | [`shrink`], [`case_file`] | smaller failing programs, and their files |
//! | [`grid`] | whole grids: kernels with barriers, or suspended on the way, on the machine, or on a whole control core |
//!
//! Races are excluded by construction: a thread reads and writes only its own registers and cells. So the engine may run threads in
//! any order, and yet every thread has to visit exactly the instructions that it visits alone. Both sides fold the
//! addresses and the values into a digest for each thread; that and the final registers and cells must be equal.
//!
//! **Source** US 9,459,876, against which DQ-25, DQ-28 and DQ-30 were settled by this very experiment.

pub mod campaign;
pub mod case_file;
pub mod grid;
pub mod interpreter;
pub mod listing;
pub mod plain;
pub mod program;
pub mod random;
pub mod shrink;
pub mod spaghetti;
pub mod structured;
pub mod thread;
pub mod warp_runner;

#[cfg(test)]
mod broken_engines;
#[cfg(test)]
mod broken_trees;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tree_tests;

pub use campaign::{run_many, Campaign, Failure, Summary};
pub use case_file::{replay, CaseFile};
pub use program::{Class, Program};
