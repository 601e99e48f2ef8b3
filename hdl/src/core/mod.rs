//! The control core: grids become blocks, blocks become warps, and one warp a cycle issues (SM-01 to SM-07).

pub mod barrier_answers;
pub mod barrier_mover;
pub mod barrier_operands;
#[macro_use]
pub mod barrier_ports;
pub mod barrier_queue;
pub mod barrier_requests;
pub mod barrier_steps;
pub mod barrier_unit;
pub mod barrier_wakes;
pub mod block_restorer;
pub mod block_saver;
pub mod control_core;
pub mod control_core_suspending;
pub mod control_core_tree;
#[macro_use]
pub mod core_top;
pub mod cta_slots;
pub mod deque_engine;
#[macro_use]
pub mod engine_choice_ports;
#[macro_use]
pub mod engine_context_ports;
pub mod flight_table;
#[macro_use]
pub mod grid_ports;
pub mod group_handles;
pub mod instruction_decoder;
pub mod issue_stage;
#[macro_use]
pub mod lane_ports;
pub mod launch_queue;
#[macro_use]
pub mod local_memory_ports;
pub mod local_memory_unit;
#[macro_use]
pub mod offer_ports;
#[macro_use]
pub mod residency_ports;
pub mod save_area;
pub mod save_port;
#[macro_use]
pub mod suspension_ports;
pub mod suspension_unit;
pub mod tree_engine;
pub mod wake_queue;
pub mod warp_restorer;
pub mod warp_saver;
pub mod warp_scheduler;
