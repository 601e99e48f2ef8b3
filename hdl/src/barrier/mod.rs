//! Barriers and critical sections in hardware (CN 104050032 = US 9,448,803): who arrives sleeps, a complete barrier wakes its
//! participants, one after another if it guards a section.

pub mod arrival_tracker;
pub mod barrier_arbiter;
pub mod barrier_execution;
pub mod barrier_scheduler;
pub mod class_gate;
pub mod dynamic_barrier_fifo;
pub mod execution_slots;
pub mod fall_through_queue;
pub mod inside_threads;
pub mod logical_map;
pub mod masked_rows;
pub mod operation;
pub mod release_walker;
pub mod thread_selection_unit;
pub mod thread_state;
pub mod wake_port;
