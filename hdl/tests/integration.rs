//! The tests of the blocks, a file a block: one program, so that what they share is compiled and linked once.

mod arrival_tracker;
mod barrier_collector;
mod barrier_execution;
mod barrier_parts;
mod barrier_scheduler;
mod bits;
mod context_parts;
mod context_sequencer;
mod control_core;
mod core_parts;
mod divergence_context;
mod divergence_unit;
mod frame;
mod group_divergence_table;
mod isa;
mod kernel_scan;
mod local_memory_unit;
mod mask_table;
mod plain_barrier;
mod suspension_unit;
mod token_deque;
mod tree_divergence_table;
mod work_distributor;

mod support {
    pub mod bench;
}
