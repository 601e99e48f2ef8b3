//! Divergent paths as leaves of trees that run concurrently (US 2015/0205606).

pub mod deferred_leaves;
pub mod focus_node;
pub mod free_list;
pub mod held_instruction;
pub mod instruction_ports;
pub mod leaf_mover;
pub mod leaf_selector;
pub mod leaf_table;
pub mod leaf_turns;
pub mod mask_table;
pub mod node_change;
pub mod node_overflow;
pub mod node_table;
pub mod ready_leaves;
pub mod region_nodes;
pub mod saved_ports;
pub mod selected_leaf;
pub mod thread_reasons;
pub mod tree_core;
pub mod tree_divergence_table;
pub mod tree_instruction;
pub mod tree_ports;
pub mod tree_sequencer;
pub mod tree_step;
pub mod tree_warps;
