pub mod counters;
pub mod loop_detector;
pub mod scheduler;
pub mod timeline;
pub use scheduler::SchedulerPolicy;
