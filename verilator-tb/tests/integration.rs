//! The tests of the Verilated blocks and of `cargo tb`: one program, so that what they share is compiled and linked once.

mod alone;
mod baseline;
mod core;
mod core_lockstep;
#[path = "../../sim/tests/support/documented.rs"]
mod documented;
mod doors;
mod exclusions;
#[path = "../../sim/tests/support/interrupted.rs"]
mod interrupted;
mod kernels;
mod mutation;
mod primitives;
mod properties;
mod replay;
