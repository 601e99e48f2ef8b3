//! The double-ended token queue and the unit that runs control instructions on it (US 9,459,876).

pub mod divergence_unit;
pub mod path_chooser;
pub mod queue_pointers;
pub mod recenter_engine;
pub mod spill_engine;
pub mod summary_flags;
pub mod token;
pub mod token_counter;
pub mod token_deque;
pub mod token_path;
pub mod warp_table;
pub mod yield_decider;
