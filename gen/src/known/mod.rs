//! What the sources of the blocks say about themselves, for the headers and port comments of the Verilog.
//!
//! `rust_hdl` shows names and widths of a part, not its documentation. The documentation is in the source files, so it is read
//! from there: one truth, whether a reader opens the Rust or the Verilog.

mod reader;

use crate::verilog::Known;

/// The source files of the blocks, by the name of the block.
macro_rules! sources {
    ($($folder:literal : $($name:literal),+;)+) => {
        /// The blocks' names and the text of their source files.
        const SOURCES: &[(&str, &str)] = &[
            $($(($name, include_str!(concat!("../../../hdl/src/", $folder, "/", $name, ".rs")))),+),+
        ];
    };
}

sources! {
    "primitives": "population_count", "ram", "register_file";
    "divergence": "divergence_unit", "token_deque", "held_threads", "kind_flags", "path_chooser", "queue_answer", "queue_pointers",
        "queue_sequencer", "reason_table", "recenter_engine", "request_decoder", "spill_engine", "token_path",
        "unit_sequencer", "unwind_verdict", "warp_state", "warp_table", "window_control", "yield_decider";
    "primitives": "field_join", "field_split", "lowest_bit", "mask_union";
    "barrier": "arrival_answer", "arrival_tracker", "arrived_bits", "barrier_arbiter", "barrier_collector", "barrier_execution",
        "barrier_saver", "barrier_scheduler", "barrier_state", "barrier_table", "class_gate", "cta_table", "dynamic_barrier_fifo",
        "execution_slots",
        "fall_through_queue", "forwarding_ram", "inside_threads", "logical_map", "masked_rows", "membership", "plain_barrier", "release_walker",
        "request_check", "request_stage", "saved_words", "slot_attributes", "thread_selection_unit", "thread_state", "timeout_scanner", "transaction_counter",
        "wake_port";
    "context": "context_sequencer", "access_counter", "address_unit", "copy_engine", "copy_engines", "copy_order", "group_sequencer",
        "pointer_table", "port_turn";
    "core": "control_core", "control_core_tree", "cta_slots", "deque_engine", "instruction_decoder", "issue_stage", "launch_queue",
        "tree_engine", "warp_scheduler", "barrier_answers", "barrier_mover", "block_restorer", "block_saver", "control_core_suspending",
        "save_port", "suspension_unit", "warp_restorer", "warp_saver", "barrier_operands", "barrier_queue", "barrier_requests", "barrier_steps",
        "barrier_unit", "barrier_wakes", "flight_table", "group_handles", "local_memory_unit", "wake_queue";
    "launch": "work_distributor", "cluster_walker", "core_selector", "flag_picker", "flag_scanner", "grid_queue",
        "plane_stride", "table_address", "table_fetcher";
    "tree": "tree_divergence_table", "tree_step", "leaf_selector", "node_table", "free_list", "selected_leaf", "thread_reasons",
        "group_collector", "group_divergence_table", "group_joiner", "group_masks", "group_threads",
        "deferred_leaves", "mask_table", "node_overflow", "focus_node", "held_instruction", "leaf_mover", "leaf_table", "leaf_turns",
        "node_change", "ready_leaves", "region_nodes", "tree_core", "tree_instruction", "tree_sequencer", "tree_warps";
}

/// The groups of ports that blocks share, and the text of their source files.
const SHARED: &[(&str, &str)] = &[
    ("engine_ports", include_str!("../../../hdl/src/divergence/engine_ports.rs")),
    ("engine_choice_ports", include_str!("../../../hdl/src/core/engine_choice_ports.rs")),
    ("engine_context_ports", include_str!("../../../hdl/src/core/engine_context_ports.rs")),
    ("suspension_ports", include_str!("../../../hdl/src/core/suspension_ports.rs")),
    ("local_memory_ports", include_str!("../../../hdl/src/core/local_memory_ports.rs")),
    ("barrier_ports", include_str!("../../../hdl/src/core/barrier_ports.rs")),
    ("grid_ports", include_str!("../../../hdl/src/core/grid_ports.rs")),
    ("residency_ports", include_str!("../../../hdl/src/core/residency_ports.rs")),
    ("lane_ports", include_str!("../../../hdl/src/core/lane_ports.rs")),
    ("offer_ports", include_str!("../../../hdl/src/core/offer_ports.rs")),
    ("instruction_ports", include_str!("../../../hdl/src/tree/instruction_ports.rs")),
    ("saved_ports", include_str!("../../../hdl/src/tree/saved_ports.rs")),
    ("tree_ports", include_str!("../../../hdl/src/tree/tree_ports.rs")),
    ("queue_ports", include_str!("../../../hdl/src/divergence/queue_ports.rs")),
];

/// Every kind of block that has a source file of its own.
pub fn known() -> Vec<Known> {
    let shared = |group: &str| SHARED.iter().find(|(name, _)| *name == group).map(|(_, source)| *source);
    SOURCES.iter().flat_map(|(name, source)| reader::blocks(name, source, shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// XV-05: every source file that declares a block is in the list, so that no module goes without its comments.
    #[test]
    fn every_block_is_known() {
        let known: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/src");
        for folder in std::fs::read_dir(root).expect("the sources").flatten().filter(|entry| entry.path().is_dir()) {
            for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
                let text = std::fs::read_to_string(file.path()).expect("a source file");
                let stem = file.path().file_stem().expect("a name").to_string_lossy().into_owned();
                let declares = text.lines().any(|line| line.starts_with("block! {")) || text.contains("LogicBlock)]");
                // The register has no module: it is written into its parent.
                if declares && stem != "register" {
                    assert!(known.contains(&stem.as_str()), "{stem} is missing in the list of known.rs");
                }
            }
        }
    }

    /// XV-05: a module is told from all others by the names of its ports and parts, so that none bears the name of another.
    #[test]
    fn no_two_kinds_are_alike() {
        // Ports that are arrays are not read: no module is taken for one of the first two, and bears the name of its field. The core is the
        // whole of an export and part of none: its name is that of its entry.
        let mut kinds = known();
        kinds.retain(|kind| !["field_join", "field_split", "control_core_tree"].contains(&kind.name.as_str()));
        for (at, one) in kinds.iter().enumerate() {
            for other in &kinds[..at] {
                let names = |known: &Known| known.ports.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
                assert!(names(one) != names(other) || one.parts != other.parts, "{} and {}", one.name, other.name);
            }
        }
    }

    /// XV-05: the two engines of the core have the same ports, and are told from each other by what is in them.
    #[test]
    fn parts_are_read_from_the_source() {
        let parts = |name| known().into_iter().find(|known| known.name == name).and_then(|known| known.parts);
        let are = |parts: &[&str]| Some(parts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            (parts("deque_engine"), parts("tree_engine"), parts("ram")),
            (are(&["unit"]), are(&["tree"]), are(&[]))
        );
        // Signals and constants of a block are declared among its parts, and are none.
        let unions = ["stopped", "occupied_union", "exclusive_union", "inside_union", "staying_union"];
        assert_eq!(parts("class_gate"), are(&unions));
    }

    /// XV-05: purpose and meanings are those of the source.
    #[test]
    fn comments_are_read_from_the_source() {
        let ram = known().into_iter().find(|known| known.name == "ram").expect("the RAM");
        assert_eq!(ram.purpose, "A memory with one write port and one synchronous read port: block RAM.");
        assert_eq!(ram.ports[2], ("write_enable".to_string(), "Write at this edge.".to_string()));
        assert_eq!(ram.ports.len(), 8);
    }

    /// XV-05: the meanings of shared ports are those of their group.
    #[test]
    fn shared_ports_are_read_from_their_group() {
        let queue = known().into_iter().find(|known| known.name == "token_deque").expect("the queue");
        assert!(queue.ports.contains(&("memory_request_write".to_string(), "It writes.".to_string())));
    }

    /// XV-05: remarks of kernels and meanings of states are read from the source.
    #[test]
    fn remarks_are_read_from_the_source() {
        let named = |name| known().into_iter().find(|known| known.name == name).expect("a block");
        assert!(named("queue_sequencer")
            .remarks
            .iter()
            .any(|(net, text)| net == "need_recenter" && text.ends_with("operation's way.")));
        assert!(named("spill_engine").states.iter().any(|(state, _)| state == "SpillStep::Start"));
    }
}
