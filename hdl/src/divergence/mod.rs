//! The double-ended token queue and the unit that runs control instructions on it (US 9,459,876).

pub mod divergence_unit;
#[macro_use]
pub mod engine_ports;
pub mod held_threads;
pub mod kind_flags;
pub mod path_chooser;
pub mod queue_answer;
pub mod queue_pointers;
#[macro_use]
pub mod queue_ports;
pub mod queue_sequencer;
pub mod reason_table;
pub mod recenter_engine;
pub mod request_decoder;
pub mod spill_engine;
pub mod token;
pub mod token_deque;
pub mod token_path;
pub mod unit_sequencer;
pub mod unwind_verdict;
pub mod warp_state;
pub mod warp_table;
pub mod window_control;
pub mod yield_decider;
