//! Saving and restoring thread groups by re-mapping their local memory (US 2014/0165072).

pub mod access_counter;
pub mod address_unit;
pub mod context_sequencer;
pub mod copy_engine;
pub mod copy_engines;
pub mod copy_order;
pub mod group_sequencer;
pub mod pointer_table;
pub mod port_turn;
