//! The oracle for whole grids: random kernels with barriers or suspensions, on the machine, against an interpreter that runs each thread
//! alone from one meeting to the next (XV-03, SM-05, SM-07).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`program`] | kernels as trees of statements |
//! | [`generate`] | the random generator |
//! | [`text`] | statements as assembler text |
//! | [`interpreter`] | thread by thread, CTA by CTA: the truth |
//! | [`runner`] | the same kernel on the machine, with any backend, or on a whole control core |
//! | [`campaign`] | many kernels, counted; failures shrunk and kept |
//! | [`shrink`] | smaller failing kernels |
//!
//! The interpreter knows instructions and barriers, and neither warps nor masks nor cycles. Races are excluded by construction: a
//! thread shares a word with others only by atomics that commute, inside a section, or across a barrier; inside a section only with
//! effects that commute, unless the section is ordered.

pub mod campaign;
pub mod generate;
pub mod interpreter;
pub mod program;
pub mod runner;
pub mod shrink;
pub mod text;

#[cfg(test)]
mod broken;
#[cfg(test)]
mod tests;
