//! Context save by re-mapping local memory, as reference model and as contract (CX-01 to CX-08, CX-11).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`pointer_table`] | rows, slots, and where an access goes (`pointer_table`, `address_unit`) |
//! | [`ports`] | what happens at the ports of `context_sequencer` in a cycle |
//! | [`sequencer`] | the reference behind these ports, with its copy engines |
//! | [`allocator`] | the software that gives out global memory |
//! | [`contract`] | what any sequencer owes, judged from its ports |
//! | [`traffic`] | random groups, accesses, saves and stalls for any of them, with real memory behind them |
//! | [`report`] | what happened in a run of that traffic |
//!
//! **Source** US 2014/0165072: figures 5 (save) and 6 (restore).

pub mod allocator;
pub mod contract;
pub mod pointer_table;
pub mod ports;
pub mod report;
pub mod sequencer;
pub mod traffic;

#[cfg(test)]
mod tests;
