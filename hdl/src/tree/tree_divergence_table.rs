//! Runs the divergent paths of a warp side by side: each path is a leaf of a tree, and the ready leaves take turns.
//!
//! A warp's *selected leaf* is what `query_*` shows and what a request applies to. A request of one leaf keeps its node or
//! gives it up; then the next ready leaf is selected. Where a request parts a leaf in two, the one side stays selected and the
//! other goes to the back of the ready leaves. Regions and calls are waiting nodes above the leaves; a region's last leaf to go
//! turns its node into a leaf of the threads that arrived. Leaves of trees that are a leaf alone merge when they meet at one address.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `path_policy`, `exchange_interval`, `spill_*` | in | configuration, stable while a warp runs |
//! | `launch_*` | in, `launch_ready` out | starts a warp that is not running |
//! | `request_*` | in, `request_ready` out | one instruction of a warp's selected leaf, one a cycle; or a wake-up of sleeping threads |
//! | `query_*` | in / out | address, active threads and disabled threads of a warp, in the same cycle |
//! | `warp_ready`, `warp_running` | out | a bit a warp: it may issue; it has neither halted nor been stopped |
//! | `done_*`, `error_*` | out | strobes: a warp halted; a warp was stopped |
//! | `event_*`, `exception_*` | out | strobes for counters; a leaf or a node went to memory or came back |
//! | `saved_*` | out | nodes and leaves of a warp that is being saved, then that it left |
//! | `memory_*` | | valid/ready requests for words of deferred leaves and nodes; answers to reads, in order |
//!
//! **Timing** a launch, a step, a two-way split, a push, a uniform branch or call, a join of the node above, a YIELD, a sleep with survivors and
//! a wake-up free the table for the next cycle. More cycles: one for each node above that a leave looks at beyond the first, one for each
//! node that is freed beyond the first, one for a call that diverges, one for a halt or an error, and one if the leaf empties or
//! detaches after a search or by sleeping. While it is busy no request is taken (`request_ready`). With leaves deferred to memory, each
//! instruction takes one more cycle, and those of the exchanges.
//!
//! To save a warp (CX-09), read its selected leaf and its sleeping threads at the query ports, then withdraw until `saved_last`. A withdrawal
//! takes the selected leaf out; the nodes above it that lose their last child with it follow, one a cycle, with those who have arrived.
//! Nothing is needed to restore it: a launch of all its live threads, branches, regions and leaves build the same trees.
//! **Invariants** 1. the leaves, the arrived threads, the sleeping and the exited ones partition the launch mask. 2. a waiting node has a child,
//! and counts its children. 3. a warp halts only if every thread exited; else it is stopped with an error. 4. a node is free, a leaf or a region,
//! one of these; only what is free is taken, only what is in use given back. 5. no leaf is without a thread, and what is above a leaf or a region
//! waits.
//! **Source** US 2015/0205606, the tree divergence table and claim 1; TD-01 to TD-09, TD-11; CX-09 for the withdrawal.
//! **See also** `tree_core` for the trees, `tree_step` for what each instruction does, `divergence_unit` for the same ports before a token queue.

use super::node_overflow::SLOT_BITS;
use super::node_table::LINK_BITS;
use super::thread_reasons::ThreadReasons;
use super::tree_core::TreeCore;
use crate::divergence::path_chooser::PathChooser;
use crate::divergence::token::Kind;
use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `NODE_BITS` + 1, `ENTRY_BITS` = log2 of warps × nodes, `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct TreeDivergenceTable<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize, const KEY_BITS: usize,
        const WORD_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Which side of a diverging branch runs first: taken 0, not taken 1, smaller 2, larger 3.
            pub path_policy: Signal<In, Bits<2>>,
            /// Which warp.
            pub saved_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Its threads: those that run, or have arrived.
            pub saved_mask: Signal<Out, Bits<THREADS>>,
        }
        shared { saved_ports, tree_ports, engine_ports }
        parts {
            core: TreeCore<
                WARPS,
                WARP_BITS,
                THREADS,
                ADDRESS_BITS,
                NODE_BITS,
                COUNT_BITS,
                ENTRY_BITS,
                WORD_BITS,
                6,
            >,
            reasons: ThreadReasons<WARP_BITS, THREADS, KEY_BITS>,
            chooser: PathChooser<THREADS>,
            members: Signal<Local, Bits<THREADS>>,
            named: Signal<Local, Bits<THREADS>>,
            rest: Signal<Local, Bits<THREADS>>,
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const COUNT_BITS: usize,
        const ENTRY_BITS: usize,
        const KEY_BITS: usize,
        const WORD_BITS: usize,
    > Logic
    for TreeDivergenceTable<
        WARPS,
        WARP_BITS,
        THREADS,
        ADDRESS_BITS,
        NODE_BITS,
        COUNT_BITS,
        ENTRY_BITS,
        KEY_BITS,
        WORD_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, reasons);
        self.core.reset.next = self.reset.val();

        // Which threads the instruction names, and which side of a branch goes first. Sets are masks.
        self.members.next = self.core.leaf_mask.val();
        if self.core.waking.val() {
            self.members.next = self.reasons.waiting.val();
        }
        self.named.next = self.members.val() & self.core.mask.val();
        self.rest.next = self.members.val() & !self.core.mask.val();
        self.chooser.policy.next = self.path_policy.val();
        self.chooser.taken.next = self.named.val();
        self.chooser.not_taken.next = self.rest.val();
        self.core.named.next = self.named.val();
        self.core.rest.next = self.rest.val();
        self.core.taken_first.next = self.chooser.taken_first.val();
        self.core.joined.next = self.core.arrived.val() | self.named.val();
        self.core.joined_ready.next = true;
        self.core.unites.next = true;

        // Who lives and who waits for what.
        self.reasons.warp.next = self.core.warp.val();
        self.reasons.kind.next = self.core.kind.val();
        if self.core.waking.val() | self.core.sleeping.val() {
            self.reasons.kind.next = self.kind_barrier.val();
        }
        self.reasons.add.next = 0.into();
        if self.core.joins.val() | self.core.sleeping.val() {
            self.reasons.add.next = self.named.val();
        }
        self.reasons.remove.next = 0.into();
        if self.core.resumes.val() {
            self.reasons.remove.next = self.core.arrived_next.val();
        }
        if self.core.waking.val() {
            self.reasons.remove.next = self.named.val();
        }
        self.reasons.change_enable.next = self.core.joins.val()
            | self.core.sleeps.val()
            | self.core.wakes.val()
            | self.core.resumes.val()
            | self.core.saved_valid.val();
        self.reasons.exit_enable.next = self.core.exits.val() | self.core.saved_valid.val();
        self.reasons.exits.next = self.named.val();
        if self.core.saved_valid.val() {
            self.reasons.remove.next = self.core.saved_mask.val();
            self.reasons.exits.next = self.core.saved_mask.val();
        }
        self.reasons.clear_enable.next = self.core.launched.val();
        self.reasons.launched.next = self.launch_mask.val();
        self.core.outlives.next = (self.reasons.live.val() & !self.named.val()).any();

        // The ports.
        self.core.launch_valid.next = self.launch_valid.val();
        self.core.launch_warp.next = self.launch_warp.val();
        self.core.launch_mask.next = self.launch_mask.val();
        self.core.launch_address.next = self.launch_address.val();
        self.core.request_valid.next = self.request_valid.val();
        self.core.request_warp.next = self.request_warp.val();
        self.core.request_operation.next = self.request_operation.val();
        self.core.request_kind.next = self.request_kind.val();
        self.core.request_mask.next = self.request_mask.val();
        self.core.request_target.next = self.request_target.val();
        self.core.request_targeted.next = self.request_targeted.val();
        self.core.request_again.next = self.request_again.val();
        self.core.exchange_interval.next = self.exchange_interval.val();
        self.core.spill_base.next = self.spill_base.val();
        self.core.spill_limit.next = self.spill_limit.val();
        self.core.memory_request_ready.next = self.memory_request_ready.val();
        self.core.memory_response_valid.next = self.memory_response_valid.val();
        self.core.memory_response_data.next = self.memory_response_data.val();
        self.core.query_warp.next = self.query_warp.val();
        self.launch_ready.next = self.core.launch_ready.val();
        self.request_ready.next = self.core.request_ready.val();
        self.memory_request_valid.next = self.core.memory_request_valid.val();
        self.memory_request_write.next = self.core.memory_request_write.val();
        self.memory_request_address.next = self.core.memory_request_address.val();
        self.memory_request_data.next = self.core.memory_request_data.val();
        self.memory_response_ready.next = self.core.memory_response_ready.val();
        self.exception_valid.next = self.core.exception_valid.val();
        self.exception_cause.next = self.core.exception_cause.val();
        self.exception_warp.next = self.core.exception_warp.val();
        self.warp_ready.next = self.core.warp_ready.val();
        self.warp_running.next = self.core.warp_running.val();
        self.done_valid.next = self.core.done_valid.val();
        self.error_valid.next = self.core.error_valid.val();
        self.error_cause.next = self.core.error_cause.val();
        self.error_address.next = self.core.error_address.val();
        self.saved_valid.next = self.core.saved_valid.val();
        self.saved_last.next = self.core.saved_last.val();
        self.saved_kind.next = self.core.saved_kind.val();
        self.saved_mask.next = self.core.saved_mask.val();
        self.saved_address.next = self.core.saved_address.val();
        self.saved_node.next = self.core.saved_node.val();
        self.saved_above.next = self.core.saved_above.val();
        self.event_push.next = self.core.event_push.val();
        self.event_pop.next = self.core.event_pop.val();
        self.event_nodes.next = self.core.event_nodes.val();
        self.event_diverge.next = self.core.event_diverge.val();
        self.event_yield.next = self.core.event_yield.val();
        self.event_merge.next = self.core.event_merge.val();
        self.event_discard.next = self.core.event_discard.val();
        self.query_address.next = self.core.query_address.val();
        self.query_active.next = self.core.query_mask.val();
        self.reasons.query_warp.next = self.query_warp.val();
        self.reasons.query_kind.next = self.query_kind.val();
        self.reasons.query_active.next = self.core.query_mask.val();
        self.query_disabled.next = 0.into();
        if self.core.warp_running.val().get_bit(self.query_warp.val()) {
            self.query_disabled.next = self.reasons.query_waiting.val();
        }
        self.done_warp.next = self.core.stop_warp.val();
        self.error_warp.next = self.core.stop_warp.val();
        self.saved_warp.next = self.core.warp.val();
        self.event_push_warp.next = self.core.warp.val();
        self.event_pop_warp.next = self.core.warp.val();
    }
}
