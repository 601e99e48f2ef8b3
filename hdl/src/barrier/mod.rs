//! Barriers and critical sections in hardware (US 9,448,803): who arrives sleeps; a complete barrier wakes its participants, one after another
//! if it guards a section.

pub mod arrival_answer;
pub mod arrival_tracker;
pub mod arrived_bits;
pub mod barrier_arbiter;
pub mod barrier_collector;
pub mod barrier_execution;
pub mod barrier_saver;
pub mod barrier_scheduler;
pub mod barrier_state;
pub mod barrier_table;
pub mod class_gate;
pub mod cta_table;
pub mod dynamic_barrier_fifo;
pub mod execution_slots;
pub mod fall_through_queue;
pub mod forwarding_ram;
pub mod inside_threads;
pub mod logical_map;
pub mod masked_rows;
pub mod membership;
pub mod operation;
pub mod plain_barrier;
pub mod release_walker;
pub mod request_check;
pub mod request_stage;
pub mod saved_words;
pub mod slot_attributes;
pub mod thread_selection_unit;
pub mod thread_state;
pub mod timeout_scanner;
pub mod transaction_counter;
pub mod wake_port;
