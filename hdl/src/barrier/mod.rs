//! Barriers and critical sections in hardware (US 9,448,803): who arrives sleeps; a complete barrier wakes its participants, one after another
//! if it guards a section.

pub mod arrival_answer;
pub mod arrival_tracker;
pub mod arrived_bits;
pub mod barrier_collector;
pub mod barrier_state;
pub mod barrier_table;
pub mod cta_table;
pub mod forwarding_ram;
pub mod membership;
pub mod operation;
pub mod plain_barrier;
pub mod request_check;
pub mod request_stage;
pub mod timeout_scanner;
pub mod transaction_counter;
