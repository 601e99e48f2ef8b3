//! Barriers and critical sections in hardware (CN 104050032 = US 9,448,803): who arrives sleeps, a complete barrier wakes its
//! participants, one after another if it guards a section.

pub mod arrival_tracker;
pub mod barrier_scheduler;
pub mod operation;
