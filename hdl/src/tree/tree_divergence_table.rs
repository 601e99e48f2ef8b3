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
//! | `memory_*` | | valid/ready requests for words of deferred leaves and nodes; answers to reads, in order |
//!
//! **Timing** a launch, a step, a two-way split, a push, a uniform branch or call, a join of the node above, a YIELD, a sleep with survivors and
//! a wake-up free the table for the next cycle. More cycles: one for each node above that a leave looks at beyond the first, one for each
//! node that is freed beyond the first, one for a call that diverges, one for a halt or an error, and one if the leaf empties or
//! detaches after a search or by sleeping. While it is busy no request is taken (`request_ready`). With leaves deferred to memory, each
//! instruction takes one more cycle, and those of the exchanges.
//! **Invariants** 1. the leaves, the arrived threads, the sleeping and the exited ones partition the launch mask. 2. a waiting node has a child.
//! 3. a warp halts only if every thread exited; else it is stopped with an error.
//! **Source** US 2015/0205606, the tree divergence table and claim 1; TD-01 to TD-09, TD-11.
//! **See also** `tree_step` for what each instruction does, `divergence_unit` for the same ports before a token queue.

use super::focus_node::FocusNode;
use super::free_list::FreeList;
use super::held_instruction::HeldInstruction;
use super::leaf_mover::LeafMover;
use super::leaf_selector::LeafSelector;
use super::leaf_turns::LeafTurns;
use super::node_change::NodeChange;
use super::node_overflow::{NodeOverflow, SLOT_BITS};
use super::node_table::{NodeTable, LINK_BITS, LINK_MEMORY, LINK_VALID};
use super::selected_leaf::SelectedLeaf;
use super::thread_reasons::ThreadReasons;
use super::tree_sequencer::TreeSequencer;
use super::tree_step::TreeStep;
use crate::divergence::token::{Cause, Kind, Operation};
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
            /// A deferred leaf is exchanged with a ready one every so many instructions (0 means 256).
            pub exchange_interval: Signal<In, Bits<8>>,
            /// Nodes in use by the warp of `event_push_warp`, before what happens in this cycle.
            pub event_nodes: Signal<Out, Bits<COUNT_BITS>>,
            /// A leaf or a node moved: a strobe.
            pub exception_valid: Signal<Out, Bit>,
            /// To memory 1, back 2.
            pub exception_cause: Signal<Out, Bits<2>>,
            /// Whose.
            pub exception_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Address of the spill areas, in words, aligned to warps × 4096.
            pub spill_base: Signal<In, Bits<32>>,
            /// Words that a warp may use, 64 of them for deferred leaves.
            pub spill_limit: Signal<In, Bits<SLOT_BITS>>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Address, in words.
            pub memory_request_address: Signal<Out, Bits<32>>,
            /// The word to write.
            pub memory_request_data: Signal<Out, Bits<WORD_BITS>>,
            /// An answer to a read.
            pub memory_response_valid: Signal<In, Bit>,
            /// It is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The word read.
            pub memory_response_data: Signal<In, Bits<WORD_BITS>>,
        }
        shared { engine_ports }
        parts {
            running: Register<Bits<WARPS>>,
            selected: Register<Bits<WARPS>>,
            sequencer: TreeSequencer<NODE_BITS>,
            held: HeldInstruction<WARP_BITS, THREADS, ADDRESS_BITS>,
            leaf: SelectedLeaf<WARP_BITS, THREADS, ADDRESS_BITS, NODE_BITS>,
            nodes: NodeTable<WARP_BITS, THREADS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>,
            free: FreeList<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            selector: LeafSelector<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            reasons: ThreadReasons<WARP_BITS, THREADS, KEY_BITS>,
            overflow: NodeOverflow<WARP_BITS, THREADS, ADDRESS_BITS, WORD_BITS>,
            mover: LeafMover<WARP_BITS, THREADS, ADDRESS_BITS, WORD_BITS>,
            focus: FocusNode<THREADS, ADDRESS_BITS, NODE_BITS>,
            step: TreeStep<THREADS, ADDRESS_BITS>,
            change: NodeChange<THREADS, ADDRESS_BITS, NODE_BITS>,
            turns: LeafTurns<THREADS, ADDRESS_BITS, NODE_BITS>,
            launched: Signal<Local, Bit>,
            warp: Signal<Local, Bits<WARP_BITS>>,
            bit_of_warp: Signal<Local, Bits<WARPS>>,
            present: Signal<Local, Bit>,
            rooted: Signal<Local, Bit>,
            waking: Signal<Local, Bit>,
            sleeping: Signal<Local, Bit>,
            offered: Signal<Local, Bit>,
            blind: Signal<Local, Bit>,
            looks: Signal<Local, Bit>,
            crowded: Signal<Local, Bit>,
            accepted: Signal<Local, Bit>,
            searched: Signal<Local, Bit>,
            acts: Signal<Local, Bit>,
            opens: Signal<Local, Bit>,
            opened_here: Signal<Local, Bit>,
            creates: Signal<Local, Bit>,
            fits: Signal<Local, Bit>,
            stores: Signal<Local, Bit>,
            resumed_fits: Signal<Local, Bit>,
            refilled: Signal<Local, Bit>,
            evicted: Signal<Local, Bit>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
            on_chip: Constant<Bits<LINK_BITS>> = Constant::new(bits(1 << LINK_VALID)),
            in_memory: Constant<Bits<LINK_BITS>> = Constant::new(bits((1 << LINK_VALID) | (1 << LINK_MEMORY))),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            cause_spill: Constant<Bits<2>> = Constant::new(bits(Cause::Spill as u64)),
            cause_refill: Constant<Bits<2>> = Constant::new(bits(Cause::Refill as u64)),
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
        dff_setup!(self, clock, running, selected);
        clock!(self, clock, sequencer, held, leaf, nodes, free, selector, reasons, overflow, mover);
        self.sequencer.reset.next = self.reset.val();
        self.held.reset.next = self.reset.val();
        self.selector.reset.next = self.reset.val();
        self.overflow.reset.next = self.reset.val();

        // One warp at a time: the one that asks, or the one that the table is busy with.
        self.launch_ready.next = self.sequencer.idle.val() & !self.running.q.val().get_bit(self.launch_warp.val());
        self.launched.next = self.launch_ready.val() & self.launch_valid.val();
        self.warp.next = self.held.held_warp.val();
        if self.sequencer.idle.val() {
            self.warp.next = self.request_warp.val();
        }
        if self.launched.val() {
            self.warp.next = self.launch_warp.val();
        }
        self.bit_of_warp.next = self.one.val() << self.warp.val();
        self.present.next = self.selected.q.val().get_bit(self.warp.val());
        self.rooted.next = self.leaf.link.val().get_bit(self.link_valid.val());
        self.leaf.warp.next = self.warp.val();
        self.nodes.warp.next = self.warp.val();
        self.free.warp.next = self.warp.val();
        self.selector.warp.next = self.warp.val();
        self.reasons.warp.next = self.warp.val();
        self.overflow.warp.next = self.warp.val();
        self.mover.warp.next = self.warp.val();
        self.free.clear_enable.next = self.launched.val();
        self.selector.clear_enable.next = self.launched.val();
        self.reasons.clear_enable.next = self.launched.val();
        self.overflow.clear_enable.next = self.launched.val();
        self.mover.clear_enable.next = self.launched.val();

        // The instruction at work, and the waiting node that it looks at.
        self.held.idle.next = self.sequencer.idle.val();
        self.held.warp.next = self.warp.val();
        self.held.request_operation.next = self.request_operation.val();
        self.held.request_kind.next = self.request_kind.val();
        self.held.request_mask.next = self.request_mask.val();
        self.held.request_target.next = self.request_target.val();
        self.held.request_targeted.next = self.request_targeted.val();
        self.held.request_again.next = self.request_again.val();
        self.focus.link.next = self.sequencer.cursor.val();
        if self.sequencer.idle.val() {
            self.focus.link.next = self.leaf.link.val();
        }
        self.nodes.waiting_node.next = self.focus.node.val();
        self.focus.table_arrived.next = self.nodes.arrived.val();
        self.focus.table_resume.next = self.nodes.resume.val();
        self.focus.table_above.next = self.nodes.above.val();
        self.focus.table_kind.next = self.nodes.kind.val();
        self.focus.table_children.next = self.nodes.children.val();
        self.focus.overflow_shown.next = self.overflow.shown.val();
        self.focus.overflow_arrived.next = self.overflow.arrived.val();
        self.focus.overflow_resume.next = self.overflow.resume.val();
        self.focus.overflow_above.next = self.overflow.above.val();
        self.focus.overflow_kind.next = self.overflow.kind.val();
        self.focus.overflow_children.next = self.overflow.children.val();

        // Acceptance. A step and a wake-up need not look at the node above.
        self.waking.next = self.sequencer.idle.val() & (self.request_operation.val() == self.operation_wake.val());
        self.sleeping.next = self.sequencer.idle.val() & (self.request_operation.val() == self.operation_sleep.val());
        self.offered.next = self.sequencer.idle.val()
            & self.request_valid.val()
            & !self.launched.val()
            & self.running.q.val().get_bit(self.warp.val())
            & (self.present.val() | self.waking.val());
        self.blind.next = self.waking.val() | !self.request_operation.val().any() | self.overflow.prepared.val();
        self.overflow.wanted_enable.next = self.focus.memory.val()
            & ((self.offered.val() & !self.blind.val())
                | self.sequencer.search.val()
                | self.sequencer.climb.val()
                | self.sequencer.count.val());
        self.overflow.wanted_slot.next = self.focus.slot.val();
        self.overflow.limit.next = self.spill_limit.val();
        self.overflow.prepare_enable.next = self.sequencer.prepare.val();
        self.looks.next = self.offered.val() & (self.focus.ready.val() | self.blind.val());
        self.crowded.next = self.step.opens.val() & self.free.none.val() & !self.overflow.prepared.val();
        self.accepted.next = self.looks.val() & !self.crowded.val();
        self.request_ready.next = self.accepted.val();

        // What the instruction does.
        self.step.path_policy.next = self.path_policy.val();
        self.step.operation.next = self.held.operation.val();
        self.step.kind.next = self.held.kind.val();
        self.step.mask.next = self.held.mask.val();
        self.step.target.next = self.held.target.val();
        self.step.targeted.next = self.held.targeted.val();
        self.step.again.next = self.held.again.val();
        self.step.leaf_present.next = self.present.val();
        self.step.leaf_mask.next = self.leaf.mask.val();
        self.step.leaf_address.next = self.leaf.address.val();
        self.step.leaf_link.next = self.leaf.link.val();
        self.step.node_valid.next = self.focus.valid.val();
        self.step.node_kind.next = self.focus.kind.val();
        self.step.node_resume.next = self.focus.resume.val();
        self.step.asleep.next = self.reasons.waiting.val();
        self.step.opening.next = self.overflow.prepared.val();
        self.step.opened_link.next = bit_cast::<LINK_BITS, NODE_BITS>(self.free.first_node.val()) | self.on_chip.val();
        if self.overflow.prepared.val() {
            self.step.opened_link.next =
                bit_cast::<LINK_BITS, SLOT_BITS>(self.overflow.slot.val()) | self.in_memory.val();
        }
        self.searched.next = self.sequencer.search.val() & self.focus.ready.val();
        self.acts.next =
            (self.accepted.val() | self.searched.val()) & !self.step.searches.val() & !self.step.lost.val();
        self.opens.next = self.acts.val() & self.step.opens.val();
        self.opened_here.next = self.opens.val() & !self.overflow.prepared.val();
        self.creates.next = self.acts.val() & self.step.creates.val();
        self.fits.next = !self.free.none.val() & !(self.opened_here.val() & self.free.single.val());
        self.stores.next = self.creates.val() & self.fits.val();

        // What becomes of the node in focus.
        self.change.idle.next = self.sequencer.idle.val();
        self.change.climbs.next = self.sequencer.climb.val();
        self.change.counts.next = self.sequencer.count.val();
        self.change.acts.next = self.acts.val();
        self.change.joins.next = self.step.joins.val();
        self.change.empties.next = self.step.empties.val();
        self.change.detaches.next = self.step.detaches.val();
        self.change.diverges.next = self.step.diverges.val();
        self.change.opens.next = self.step.opens.val();
        self.change.named.next = self.step.named.val();
        self.change.sleeping.next = self.sleeping.val();
        self.change.leaf_rooted.next = self.rooted.val();
        self.change.focus_valid.next = self.focus.valid.val();
        self.change.focus_memory.next = self.focus.memory.val();
        self.change.focus_ready.next = self.focus.ready.val();
        self.change.focus_node.next = self.focus.node.val();
        self.change.focus_arrived.next = self.focus.arrived.val();
        self.change.focus_resume.next = self.focus.resume.val();
        self.change.focus_above.next = self.focus.above.val();
        self.change.focus_kind.next = self.focus.kind.val();
        self.change.focus_children.next = self.focus.children.val();
        self.change.opened_memory.next = self.overflow.prepared.val();
        self.change.opened_node.next = self.free.first_node.val();
        self.change.opened_kind.next = self.step.opened_kind.val();
        self.change.opened_resume.next = self.step.opened_resume.val();
        self.change.opened_above.next = self.leaf.link.val();
        self.nodes.waiting_write_enable.next = self.change.write_table.val();
        self.nodes.waiting_write_node.next = self.change.write_node.val();
        self.nodes.waiting_write_arrived.next = self.change.write_arrived.val();
        self.nodes.waiting_write_resume.next = self.change.write_resume.val();
        self.nodes.waiting_write_above.next = self.change.write_above.val();
        self.nodes.waiting_write_kind.next = self.change.write_kind.val();
        self.nodes.waiting_write_children.next = self.change.write_children.val();
        self.overflow.write_enable.next = self.change.write_overflow.val();
        self.overflow.write_arrived.next = self.change.write_arrived.val();
        self.overflow.write_resume.next = self.change.write_resume.val();
        self.overflow.write_above.next = self.change.write_above.val();
        self.overflow.write_kind.next = self.change.write_kind.val();
        self.overflow.write_children.next = self.change.write_children.val();
        self.overflow.vacate_enable.next = self.change.vacates.val();
        self.resumed_fits.next = !self.focus.memory.val() | !self.free.none.val();

        // Whose turn it is next.
        self.turns.acts.next = self.acts.val();
        self.turns.waking.next = self.waking.val();
        self.turns.present.next = self.present.val();
        self.turns.creates.next = self.creates.val();
        self.turns.stores.next = self.stores.val();
        self.turns.empties.next = self.step.empties.val();
        self.turns.detaches.next = self.step.detaches.val();
        self.turns.wakes_here.next = self.step.wakes_here.val();
        self.turns.climbing.next = self.change.climbing.val();
        self.turns.resumes.next = self.change.resumes.val();
        self.turns.resumed_fits.next = self.resumed_fits.val();
        self.turns.returned.next = self.mover.returned.val();
        self.turns.refilled.next = self.refilled.val();
        self.turns.launched.next = self.launched.val();
        self.turns.leaf_node.next = self.leaf.node.val();
        self.turns.leaf_mask.next = self.leaf.mask.val();
        self.turns.leaf_address.next = self.leaf.address.val();
        self.turns.leaf_link.next = self.leaf.link.val();
        self.turns.stay_mask.next = self.step.stay_mask.val();
        self.turns.stay_address.next = self.step.stay_address.val();
        self.turns.stay_link.next = self.step.stay_link.val();
        self.turns.second_node.next = self.free.first_node.val();
        if self.opened_here.val() {
            self.turns.second_node.next = self.free.second_node.val();
        }
        self.turns.second_mask.next = self.step.second_mask.val();
        self.turns.second_address.next = self.step.second_address.val();
        self.turns.second_link.next = self.step.second_link.val();
        self.turns.resumed_node.next = self.focus.node.val();
        if self.focus.memory.val() {
            self.turns.resumed_node.next = self.free.first_node.val();
        }
        self.turns.resumed_mask.next = self.change.arrived_next.val();
        self.turns.resumed_address.next = self.focus.resume.val();
        self.turns.resumed_link.next = self.focus.above.val();
        self.turns.front_none.next = self.selector.empty.val();
        self.turns.front_node.next = self.selector.front_node.val();
        self.turns.front_mask.next = self.nodes.leaf_mask.val();
        self.turns.front_address.next = self.nodes.leaf_address.val();
        self.turns.front_link.next = self.nodes.leaf_link.val();
        self.turns.return_node.next = self.free.first_node.val();
        self.turns.return_mask.next = self.mover.return_mask.val();
        self.turns.return_address.next = self.mover.return_address.val();
        self.turns.return_link.next = self.mover.return_link.val();
        self.turns.launch_mask.next = self.launch_mask.val();
        self.turns.launch_address.next = self.launch_address.val();
        self.refilled.next = self.mover.returned.val() & !self.free.none.val();
        self.evicted.next = self.sequencer.evict.val() & self.mover.sent.val();
        self.selector.push_enable.next = self.turns.pushes.val();
        self.selector.push_node.next = self.turns.ready_node.val();
        self.selector.push_front.next = self.turns.push_front.val();
        self.selector.pop_enable.next = self.turns.pops.val() | self.evicted.val();
        self.nodes.leaf_node.next = self.selector.front_node.val();
        self.nodes.leaf_write_enable.next = self.turns.pushes.val();
        self.nodes.leaf_write_node.next = self.turns.ready_node.val();
        self.nodes.leaf_write_mask.next = self.turns.ready_mask.val();
        self.nodes.leaf_write_address.next = self.turns.ready_address.val();
        self.nodes.leaf_write_link.next = self.turns.ready_link.val();
        self.leaf.write_enable.next = self.turns.select_enable.val();
        self.leaf.write_node.next = self.turns.select_node.val();
        self.leaf.write_mask.next = self.turns.select_mask.val();
        self.leaf.write_address.next = self.turns.select_address.val();
        self.leaf.write_link.next = self.turns.select_link.val();
        if self.turns.select_enable.val() {
            self.selected.d.next = self.selected.q.val() | self.bit_of_warp.val();
        }
        if self.turns.deselects.val() | self.sequencer.stop.val() {
            self.selected.d.next = self.selected.q.val() & !self.bit_of_warp.val();
        }
        if self.launched.val() {
            self.running.d.next = self.running.q.val() | self.bit_of_warp.val();
        }
        if self.sequencer.stop.val() {
            self.running.d.next = self.running.q.val() & !self.bit_of_warp.val();
        }

        // Nodes taken and given back.
        self.free.take_first.next = self.opened_here.val()
            | self.stores.val()
            | self.refilled.val()
            | (self.change.resumes.val() & self.focus.memory.val() & !self.free.none.val());
        self.free.take_second.next = self.opened_here.val() & self.stores.val();
        self.free.release_enable.next =
            (self.acts.val() & self.step.empties.val()) | self.turns.merges.val() | self.evicted.val();
        self.free.release_node.next = self.leaf.node.val();
        if self.evicted.val() {
            self.free.release_node.next = self.selector.front_node.val();
        }
        if self.sequencer.climb.val() & (self.change.climbing.val() | !self.focus.valid.val()) {
            self.free.release_enable.next = self.sequencer.gone_valid.val();
            self.free.release_node.next = self.sequencer.gone.val();
        }

        // Who lives and who waits for what.
        self.reasons.kind.next = self.focus.kind.val();
        if self.waking.val() | self.sleeping.val() {
            self.reasons.kind.next = self.kind_barrier.val();
        }
        self.reasons.add.next = self.change.arriving.val();
        if self.sleeping.val() {
            self.reasons.add.next = self.step.named.val();
        }
        self.reasons.remove.next = 0.into();
        if self.change.resumes.val() {
            self.reasons.remove.next = self.change.arrived_next.val();
        }
        if self.waking.val() {
            self.reasons.remove.next = self.step.named.val();
        }
        self.reasons.change_enable.next = (self.acts.val()
            & (self.step.joins.val() | self.step.sleeps.val() | self.step.wakes.val()))
            | self.change.resumes.val();
        self.reasons.exit_enable.next = self.acts.val() & self.step.exits.val();
        self.reasons.exits.next = self.step.named.val();
        self.reasons.launched.next = self.launch_mask.val();

        // The sequence.
        self.sequencer.launch_empty.next = self.launched.val() & !self.launch_mask.val().any();
        self.sequencer.looks.next = self.looks.val();
        self.sequencer.crowded.next = self.crowded.val();
        self.sequencer.accepted.next = self.accepted.val();
        self.sequencer.searched.next = self.searched.val();
        self.sequencer.searches.next = self.step.searches.val();
        self.sequencer.lost.next = self.step.lost.val();
        self.sequencer.acts.next = self.acts.val();
        self.sequencer.frees.next = self.change.frees.val();
        self.sequencer.removes_later.next = self.change.removes_later.val();
        self.sequencer.counts_later.next = self.opens.val() & self.step.diverges.val() & self.rooted.val();
        self.sequencer.halts.next =
            self.acts.val() & self.step.exits.val() & !(self.reasons.live.val() & !self.step.named.val()).any();
        self.sequencer.climbing.next = self.change.climbing.val();
        self.sequencer.counting.next = self.change.counting.val();
        self.sequencer.creates.next = self.creates.val();
        self.sequencer.spills.next = (self.creates.val() & !self.fits.val())
            | (self.change.climbing.val() & self.change.resumes.val() & !self.resumed_fits.val())
            | (self.sequencer.spilling.val() & self.sequencer.count.val());
        self.sequencer.focus_valid.next = self.focus.valid.val();
        self.sequencer.focus_memory.next = self.focus.memory.val();
        self.sequencer.focus_node.next = self.focus.node.val();
        self.sequencer.focus_above.next = self.focus.above.val();
        self.sequencer.leaf_link.next = self.leaf.link.val();
        self.sequencer.second_link.next = self.step.second_link.val();
        self.sequencer.ring_empty.next = self.selector.empty.val();
        self.sequencer.prepared.next = self.overflow.prepared.val();
        self.sequencer.exhausted.next = self.overflow.exhausted.val();
        self.sequencer.deferred.next = self.mover.deferred.val();
        self.sequencer.room.next = !self.free.none.val();
        self.sequencer.due.next = self.mover.due.val() & self.present.val() & !self.held.held_wake.val();
        self.sequencer.memory_taken.next = self.memory_request_ready.val();
        self.sequencer.memory_answers.next = self.memory_response_valid.val();
        self.held.leaf_enable.next = self.creates.val() | (self.change.climbing.val() & self.change.resumes.val());
        self.held.leaf_mask.next = self.step.second_mask.val();
        self.held.leaf_address.next = self.step.second_address.val();
        if self.change.climbing.val() {
            self.held.leaf_mask.next = self.change.arrived_next.val();
            self.held.leaf_address.next = self.focus.resume.val();
        }

        // Leaves to memory and back. A wake-up is nobody's turn.
        self.mover.interval.next = self.exchange_interval.val();
        self.mover.spill_base.next = self.spill_base.val();
        self.mover.held_warp.next = self.held.held_warp.val();
        self.mover.defer.next = self.sequencer.defer.val();
        self.mover.evict.next = self.sequencer.evict.val();
        self.mover.swap.next = self.sequencer.swap.val();
        self.mover.take.next = self.sequencer.take.val();
        self.mover.answer.next = self.sequencer.answer.val();
        self.mover.counts.next = self.sequencer.maintain.val() & !self.held.held_wake.val();
        self.mover.held_mask.next = self.held.held_mask.val();
        self.mover.held_address.next = self.held.held_address.val();
        self.mover.held_link.next = self.sequencer.cursor.val();
        self.mover.front_mask.next = self.nodes.leaf_mask.val();
        self.mover.front_address.next = self.nodes.leaf_address.val();
        self.mover.front_link.next = self.nodes.leaf_link.val();
        self.mover.leaf_mask.next = self.leaf.mask.val();
        self.mover.leaf_address.next = self.leaf.address.val();
        self.mover.leaf_link.next = self.leaf.link.val();
        self.mover.overflow_request_valid.next = self.overflow.memory_request_valid.val();
        self.mover.overflow_request_write.next = self.overflow.memory_request_write.val();
        self.mover.overflow_request_warp.next = self.overflow.memory_request_warp.val();
        self.mover.overflow_request_slot.next = self.overflow.memory_request_slot.val();
        self.mover.overflow_request_data.next = self.overflow.memory_request_data.val();
        self.mover.overflow_response_ready.next = self.overflow.memory_response_ready.val();
        self.mover.memory_request_ready.next = self.memory_request_ready.val();
        self.mover.memory_response_valid.next = self.memory_response_valid.val();
        self.mover.memory_response_data.next = self.memory_response_data.val();
        self.memory_request_valid.next = self.mover.memory_request_valid.val();
        self.memory_request_write.next = self.mover.memory_request_write.val();
        self.memory_request_address.next = self.mover.memory_request_address.val();
        self.memory_request_data.next = self.mover.memory_request_data.val();
        self.memory_response_ready.next = self.mover.memory_response_ready.val();
        self.overflow.memory_request_ready.next = self.memory_request_ready.val();
        self.overflow.memory_response_valid.next = self.memory_response_valid.val();
        self.overflow.memory_response_data.next = self.memory_response_data.val();

        // What the world sees.
        self.leaf.query_warp.next = self.query_warp.val();
        self.reasons.query_warp.next = self.query_warp.val();
        self.reasons.query_kind.next = self.query_kind.val();
        self.query_active.next = 0.into();
        self.query_address.next = 0.into();
        self.query_disabled.next = 0.into();
        if self.selected.q.val().get_bit(self.query_warp.val()) {
            self.query_active.next = self.leaf.query_mask.val();
            self.query_address.next = self.leaf.query_address.val();
        }
        self.reasons.query_active.next = self.query_active.val();
        if self.running.q.val().get_bit(self.query_warp.val()) {
            self.query_disabled.next = self.reasons.query_waiting.val();
        }
        self.warp_running.next = self.running.q.val();
        self.warp_ready.next = self.running.q.val() & self.selected.q.val();
        if !self.sequencer.idle.val() {
            // The warp it is busy with, named so that no request stands between this mask and whoever chooses by it.
            self.warp_ready.next =
                self.running.q.val() & self.selected.q.val() & !(self.one.val() << self.held.held_warp.val());
        }
        self.done_valid.next = self.sequencer.stop.val() & !self.sequencer.cause.val().any();
        self.done_warp.next = self.held.held_warp.val();
        self.error_valid.next = self.sequencer.stop.val() & self.sequencer.cause.val().any();
        self.error_cause.next = self.sequencer.cause.val();
        self.error_warp.next = self.held.held_warp.val();
        self.error_address.next = self.leaf.address.val();
        self.event_push.next = self.opens.val();
        self.event_push_warp.next = self.warp.val();
        self.event_pop.next = self.change.last.val();
        self.event_pop_warp.next = self.warp.val();
        self.event_nodes.next = 0.into();
        if self.running.q.val().get_bit(self.warp.val()) {
            self.event_nodes.next = self.free.used.val();
        }
        self.event_diverge.next = self.acts.val() & self.step.diverges.val();
        self.event_yield.next = self.acts.val() & self.step.departs.val();
        self.event_merge.next = self.turns.merges.val() | (self.acts.val() & self.step.wakes_here.val());
        self.event_discard.next = self.change.frees.val();
        self.exception_valid.next =
            self.mover.sent.val() | self.mover.returned.val() | (self.opens.val() & self.overflow.prepared.val());
        self.exception_cause.next = self.cause_spill.val();
        if self.mover.returned.val() {
            self.exception_cause.next = self.cause_refill.val();
        }
        self.exception_warp.next = self.warp.val();
    }
}
