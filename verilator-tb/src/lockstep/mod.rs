//! Lockstep: the same stimulus into the Rust kernels and the Verilated export, every port compared in every cycle, the order
//! and content of all transactions judged by the reference model, every stated bound checked (XV-02).

pub mod barrier_blocks;
pub mod barrier_scheduler;
pub mod bench;
pub mod campaign;
pub mod case;
pub mod context_sequencer;
pub mod divergence_unit;
pub mod group_divergence_table;
pub mod idle;
pub mod pair;
pub mod ports;
pub mod recorder;
pub mod rig;
pub mod shrink;
pub mod surroundings;
pub mod token_deque;
pub mod tree_blocks;
pub mod tree_divergence_table;
pub mod tree_watch;
pub mod twins;
pub mod work_distributor;
