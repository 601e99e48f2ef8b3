//! The tests of the back end, of the exports and of the scripts around them: one program, so that what they share is compiled and linked once.

mod blocks;
mod catalogue;
mod decisions;
mod differences;
mod door;
mod expressions;
#[path = "../../sim/tests/support/interrupted.rs"]
mod interrupted;
mod kernels;
mod proofs;
mod support;
