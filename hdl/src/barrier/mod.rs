//! The barrier scheduler: threads that arrive sleep, and are woken when all are there, one after another if the barrier
//! guards a section (US 9,448,803).

pub mod barrier_scheduler;
pub mod operation;
