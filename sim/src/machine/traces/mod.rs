//! A run as a file for others' viewers (XV-09).
//!
//! | module | file | viewer |
//! | --- | --- | --- |
//! | [`vcd`] | value change dump (IEEE 1364) | GTKWave, Surfer, any simulator's |
//! | [`fst`] | the same signals, compressed | GTKWave, Surfer |
//! | [`perfetto`] | warps as tracks, instructions and waits as slices, tokens as counters | ui.perfetto.dev |

pub mod fst;
pub mod perfetto;
pub mod signals;
pub mod vcd;
