//! The tree divergence table as an engine of the core.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `engine_ports` | | those of every engine |
//! | `engine_choice_ports` | | configuration, counters and memory, whichever engine it is |
//! | `engine_context_ports` | | warps that are saved |
//!
//! **Timing** that of the tree divergence table.
//! **Source** SM-01.

use crate::prelude::*;
use crate::tree::tree_divergence_table::TreeDivergenceTable;

block! {
    /// `POINTER_BITS` = `DEPTH_BITS` + 1, `ENTRY_BITS` = log2 of warps × nodes, `KEY_BITS` = `WARP_BITS` + 4; a word is a leaf or a node.
    pub struct TreeEngine<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const DEPTH_BITS: usize, const POINTER_BITS: usize, const ENTRY_BITS: usize, const KEY_BITS: usize, const WORD_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
        }
        shared { engine_ports, engine_choice_ports, engine_context_ports }
        parts {
            tree: TreeDivergenceTable<
                WARPS, WARP_BITS, THREADS, ADDRESS_BITS, DEPTH_BITS, POINTER_BITS, ENTRY_BITS, KEY_BITS, WORD_BITS,
            >,
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const DEPTH_BITS: usize,
        const POINTER_BITS: usize,
        const ENTRY_BITS: usize,
        const KEY_BITS: usize,
        const WORD_BITS: usize,
    > Logic
    for TreeEngine<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, DEPTH_BITS, POINTER_BITS, ENTRY_BITS, KEY_BITS, WORD_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tree);
        self.tree.reset.next = self.reset.val();
        self.tree.path_policy.next = self.path_policy.val();
        self.tree.exchange_interval.next = self.exchange_interval.val();
        self.tree.launch_valid.next = self.launch_valid.val();
        self.tree.launch_warp.next = self.launch_warp.val();
        self.tree.launch_mask.next = self.launch_mask.val();
        self.tree.launch_address.next = self.launch_address.val();
        self.tree.request_valid.next = self.request_valid.val();
        self.tree.request_warp.next = self.request_warp.val();
        self.tree.request_operation.next = self.request_operation.val();
        self.tree.request_kind.next = self.request_kind.val();
        self.tree.request_mask.next = self.request_mask.val();
        self.tree.request_target.next = self.request_target.val();
        self.tree.request_targeted.next = self.request_targeted.val();
        self.tree.request_again.next = self.request_again.val();
        self.tree.query_warp.next = self.query_warp.val();
        self.tree.query_kind.next = self.query_kind.val();
        self.tree.spill_base.next = self.spill_base.val();
        self.tree.spill_limit.next = self.spill_limit.val();
        self.tree.memory_request_ready.next = self.memory_request_ready.val();
        self.tree.memory_response_valid.next = self.memory_response_valid.val();
        self.tree.memory_response_data.next = self.memory_response_data.val();
        self.launch_ready.next = self.tree.launch_ready.val();
        self.request_ready.next = self.tree.request_ready.val();
        self.query_address.next = self.tree.query_address.val();
        self.query_active.next = self.tree.query_active.val();
        self.query_disabled.next = self.tree.query_disabled.val();
        self.warp_ready.next = self.tree.warp_ready.val();
        self.warp_running.next = self.tree.warp_running.val();
        self.done_valid.next = self.tree.done_valid.val();
        self.done_warp.next = self.tree.done_warp.val();
        self.error_valid.next = self.tree.error_valid.val();
        self.error_cause.next = self.tree.error_cause.val();
        self.error_warp.next = self.tree.error_warp.val();
        self.error_address.next = self.tree.error_address.val();
        self.event_push.next = self.tree.event_push.val();
        self.event_push_warp.next = self.tree.event_push_warp.val();
        self.event_pop.next = self.tree.event_pop.val();
        self.event_pop_warp.next = self.tree.event_pop_warp.val();
        self.event_diverge.next = self.tree.event_diverge.val();
        self.event_yield.next = self.tree.event_yield.val();
        self.event_merge.next = self.tree.event_merge.val();
        self.event_discard.next = self.tree.event_discard.val();
        self.exception_valid.next = self.tree.exception_valid.val();
        self.exception_cause.next = self.tree.exception_cause.val();
        self.exception_warp.next = self.tree.exception_warp.val();
        self.memory_request_valid.next = self.tree.memory_request_valid.val();
        self.memory_request_write.next = self.tree.memory_request_write.val();
        self.memory_request_address.next = self.tree.memory_request_address.val();
        self.memory_request_data.next = self.tree.memory_request_data.val();
        self.memory_response_ready.next = self.tree.memory_response_ready.val();
        self.event_nodes.next = self.tree.event_nodes.val();
        self.query_yields.next = 0.into();
        self.saved_valid.next = self.tree.saved_valid.val();
        self.saved_last.next = self.tree.saved_last.val();
        self.saved_kind.next = self.tree.saved_kind.val();
        self.saved_mask.next = self.tree.saved_mask.val();
        self.saved_address.next = self.tree.saved_address.val();
    }
}
