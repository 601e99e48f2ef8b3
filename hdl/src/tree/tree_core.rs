//! The trees of every warp: which nodes there are, who is selected, what comes after what. It knows sets of threads as words that are moved
//! about and are zero if they are empty; what is in them, and how they are parted and united, is its owner's business.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `exchange_interval`, `spill_*`, `memory_*`, `launch_*`, `request_*`, `done_*`, `error_*`, `event_*`, `exception_*`, `saved_*`, `warp_*` | | those of `tree_divergence_table` |
//! | `named`, `rest`, `taken_first` | in | the leaf's threads that the instruction names, the others; which side of a branch stays selected |
//! | `joined`, `joined_ready` | in | `arrived` and `named` as one set; it is settled |
//! | `unites` | in | leaves may merge: sets are masks |
//! | `outlives` | in | somebody lives on after an exit |
//! | `idle`, `warp`, `waking`, `sleeping`, `mask` | out | an instruction can be taken; the warp at work; its instruction is a wake-up, a sleep; the set that it names |
//! | `leaf_mask`, `arrived`, `kind` | out | the selected leaf; of the node in focus, who has arrived and its kind |
//! | `joining` | out | the instruction makes `named` arrive at the node in focus, as soon as `joined` is settled |
//! | `launched`, `joins`, `sleeps`, `wakes`, `exits`, `resumes`, `arrived_next` | out | strobes: what happens in this cycle; who goes on if the node resumes |
//! | `query_warp`, `query_mask`, `query_address` | in / out | the selected leaf of the warp that an observer looks at |
//!
//! **Timing** as `tree_divergence_table`; a join waits for `joined_ready`.
//! **Invariants** 1. a waiting node has a child. 2. no set is changed here but by the owner, or by the union of two leaves that merge. 3. a
//! warp that does not run leaves nothing behind that is under way. 4. until a node is opened in memory none is looked for there; one that
//! is fetched is not the one that is there, and room that was made is that of the next node opened.
//! **Source** US 2015/0205606, the tree divergence table and claim 1; TD-01 to TD-09, TD-11.
//! **See also** `tree_divergence_table` for warps of their own trees, `group_divergence_table` for a tree of several warps.

use super::free_list::FreeList;
use super::leaf_mover::LeafMover;
use super::node_overflow::SLOT_BITS;
use super::node_table::{LINK_BITS, LINK_VALID};
use super::ready_leaves::ReadyLeaves;
use super::region_nodes::RegionNodes;
use super::tree_instruction::TreeInstruction;
use super::tree_sequencer::WITHDRAWN;
use super::tree_warps::TreeWarps;
use crate::divergence::token::Kind;
use crate::prelude::*;

block! {
    /// `SET_BITS` is the width of a set of threads, 2^`RING_BITS` the threads of a tree; the others as in `tree_divergence_table`.
    pub struct TreeCore<
        const WARPS: usize, const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize,
        const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize, const WORD_BITS: usize,
        const RING_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is to start.
            pub launch_valid: Signal<In, Bit>,
            /// It is taken.
            pub launch_ready: Signal<Out, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_mask: Signal<In, Bits<SET_BITS>>,
            /// Its first instruction.
            pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Whose.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Those named together with those who have arrived.
            pub joined: Signal<In, Bits<SET_BITS>>,
            /// The warp at work.
            pub warp: Signal<Out, Bits<WARP_BITS>>,
            /// Its selected leaf.
            pub leaf_mask: Signal<Out, Bits<SET_BITS>>,
            /// Who has arrived at the node in focus.
            pub arrived: Signal<Out, Bits<SET_BITS>>,
            /// The kind of that node.
            pub kind: Signal<Out, Bits<4>>,
            /// The warp starts.
            pub launched: Signal<Out, Bit>,
            /// The node in focus becomes a leaf.
            pub resumes: Signal<Out, Bit>,
            /// Of these.
            pub arrived_next: Signal<Out, Bits<SET_BITS>>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its selected leaf; nobody if it has none.
            pub query_mask: Signal<Out, Bits<SET_BITS>>,
            /// The leaf's next instruction.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A bit a warp: it may issue.
            pub warp_ready: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: it runs.
            pub warp_running: Signal<Out, Bits<WARPS>>,
            /// A warp halted, was stopped, or left as it was saved: a strobe, which is one of the next three.
            pub stop_warp: Signal<Out, Bits<WARP_BITS>>,
            /// It halted.
            pub done_valid: Signal<Out, Bit>,
            /// It was stopped.
            pub error_valid: Signal<Out, Bit>,
            /// Why it was stopped.
            pub error_cause: Signal<Out, Bits<3>>,
            /// Next instruction of its selected leaf.
            pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its threads: those that run, or have arrived.
            pub saved_mask: Signal<Out, Bits<SET_BITS>>,
            /// A waiting node was opened.
            pub event_push: Signal<Out, Bit>,
            /// A waiting node went.
            pub event_pop: Signal<Out, Bit>,
            /// A leaf parted in two.
            pub event_diverge: Signal<Out, Bit>,
            /// Threads became a tree of their own.
            pub event_yield: Signal<Out, Bit>,
            /// Two leaves became one.
            pub event_merge: Signal<Out, Bit>,
            /// A waiting node went with nobody arrived.
            pub event_discard: Signal<Out, Bit>,
        }
        shared { instruction_ports, saved_ports, tree_ports }
        parts {
            warps: TreeWarps<WARPS, WARP_BITS>,
            instruction: TreeInstruction<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS>,
            free: FreeList<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            mover: LeafMover<WARP_BITS, SET_BITS, ADDRESS_BITS, WORD_BITS, RING_BITS>,
            regions: RegionNodes<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS, WORD_BITS, RING_BITS>,
            leaves: ReadyLeaves<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            leaf_saved: Signal<Local, Bit>,
            #[reads(early)]
            refilled: Signal<Local, Bit>,
            #[reads(early)]
            evicted: Signal<Local, Bit>,
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
            withdrawn: Constant<Bits<3>> = Constant::new(bits(WITHDRAWN)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const COUNT_BITS: usize,
        const ENTRY_BITS: usize,
        const WORD_BITS: usize,
        const RING_BITS: usize,
    > Logic
    for TreeCore<WARPS, WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS, WORD_BITS, RING_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, warps, instruction, free, mover, regions, leaves);
        self.warps.reset.next = self.reset.val();
        self.instruction.reset.next = self.reset.val();
        self.regions.reset.next = self.reset.val();
        self.leaves.reset.next = self.reset.val();

        // The warp at work.
        self.warps.launch_valid.next = self.launch_valid.val();
        self.warps.launch_warp.next = self.launch_warp.val();
        self.warps.request_warp.next = self.request_warp.val();
        self.warps.held_warp.next = self.instruction.held_warp.val();
        self.warps.idle.next = self.instruction.idle.val();
        self.warps.selects.next = self.leaves.selects.val();
        self.warps.deselects.next = self.leaves.deselects.val();
        self.warps.stop.next = self.instruction.stop.val();
        self.launch_ready.next = self.warps.launch_ready.val();
        self.launched.next = self.warps.launched.val();
        self.warp.next = self.warps.warp.val();
        self.warp_ready.next = self.warps.ready.val();
        self.warp_running.next = self.warps.running.val();
        self.regions.warp.next = self.warp.val();
        self.leaves.warp.next = self.warp.val();
        self.free.warp.next = self.warp.val();
        self.mover.warp.next = self.warp.val();
        self.free.clear_enable.next = self.launched.val();
        self.regions.clear_enable.next = self.launched.val();
        self.leaves.launched.next = self.launched.val();
        self.mover.clear_enable.next = self.launched.val();

        // The instruction at work, and what it finds.
        self.instruction.request_valid.next = self.request_valid.val();
        self.instruction.request_operation.next = self.request_operation.val();
        self.instruction.request_kind.next = self.request_kind.val();
        self.instruction.request_mask.next = self.request_mask.val();
        self.instruction.request_target.next = self.request_target.val();
        self.instruction.request_targeted.next = self.request_targeted.val();
        self.instruction.request_again.next = self.request_again.val();
        self.instruction.warp.next = self.warp.val();
        self.instruction.present.next = self.warps.present.val();
        self.instruction.launched.next = self.launched.val();
        self.instruction.named.next = self.named.val();
        self.instruction.rest.next = self.rest.val();
        self.instruction.taken_first.next = self.taken_first.val();
        self.instruction.joined_ready.next = self.joined_ready.val();
        self.instruction.unites.next = self.unites.val();
        self.instruction.outlives.next = self.outlives.val();
        self.instruction.runs.next = self.warps.runs.val();
        self.instruction.launch_empty.next = !self.launch_mask.val().any();
        self.instruction.leaf_mask.next = self.leaves.mask.val();
        self.instruction.leaf_address.next = self.leaves.address.val();
        self.instruction.leaf_link.next = self.leaves.link.val();
        self.instruction.free_none.next = self.free.none.val();
        self.instruction.free_single.next = self.free.single.val();
        self.instruction.free_node.next = self.free.first_node.val();
        self.instruction.focus_valid.next = self.regions.valid.val();
        self.instruction.focus_memory.next = self.regions.memory.val();
        self.instruction.focus_ready.next = self.regions.ready.val();
        self.instruction.focus_node.next = self.regions.node.val();
        self.instruction.focus_above.next = self.regions.above.val();
        self.instruction.focus_kind.next = self.regions.kind.val();
        self.instruction.focus_resume.next = self.regions.resume.val();
        self.instruction.climbing.next = self.regions.climbing.val();
        self.instruction.counting.next = self.regions.counting.val();
        self.instruction.resumes.next = self.regions.resumes.val();
        self.instruction.frees.next = self.regions.frees.val();
        self.instruction.removes_later.next = self.regions.removes_later.val();
        self.instruction.prepared.next = self.regions.prepared.val();
        self.instruction.exhausted.next = self.regions.exhausted.val();
        self.instruction.prepared_link.next = self.regions.prepared_link.val();
        self.instruction.resumed_mask.next = self.regions.arrived_next.val();
        self.instruction.ring_empty.next = self.leaves.front_none.val();
        self.instruction.deferred.next = self.mover.deferred.val();
        self.instruction.due.next = self.mover.due.val();
        self.instruction.memory_taken.next = self.memory_request_ready.val();
        self.instruction.memory_answers.next = self.memory_response_valid.val();
        self.request_ready.next = self.instruction.request_ready.val();
        self.idle.next = self.instruction.idle.val();
        self.waking.next = self.instruction.waking.val();
        self.sleeping.next = self.instruction.sleeping.val();
        self.mask.next = self.instruction.mask.val();
        self.joining.next = self.instruction.joining.val();
        self.joins.next = self.instruction.joins.val();
        self.sleeps.next = self.instruction.sleeps.val();
        self.wakes.next = self.instruction.wakes.val();
        self.exits.next = self.instruction.exits.val();
        self.leaf_mask.next = self.leaves.mask.val();
        self.arrived.next = self.regions.arrived.val();
        self.kind.next = self.regions.kind.val();
        self.resumes.next = self.regions.resumes.val();
        self.arrived_next.next = self.regions.arrived_next.val();

        // The waiting node that it looks at.
        self.regions.limit.next = self.spill_limit.val();
        self.regions.link.next = self.instruction.focus_link.val();
        self.regions.wanted.next = self.instruction.focus_wanted.val();
        self.regions.joins.next = self.instruction.joins.val();
        self.regions.opens.next = self.instruction.opens.val();
        self.regions.joined.next = self.joined.val();
        self.regions.later.next = self.instruction.sleeping.val() | self.instruction.withdraws.val();
        self.regions.leaf_rooted.next = self.leaves.link.val().get_bit(self.link_valid.val());
        self.regions.opened_node.next = self.free.first_node.val();
        self.regions.opened_above.next = self.leaves.link.val();
        self.regions.prepare_enable.next = self.instruction.prepare.val();
        self.regions.idle.next = self.instruction.idle.val();
        self.regions.climbs.next = self.instruction.climbs.val();
        self.regions.counts.next = self.instruction.counts.val();
        self.regions.acts.next = self.instruction.acts.val();
        self.regions.empties.next = self.instruction.empties.val();
        self.regions.detaches.next = self.instruction.detaches.val();
        self.regions.diverges.next = self.instruction.diverges.val();
        self.regions.withdraws.next = self.instruction.withdraws.val();
        self.regions.opened_kind.next = self.instruction.opened_kind.val();
        self.regions.opened_resume.next = self.instruction.opened_resume.val();

        // Whose turn it is next.
        self.leaves.present.next = self.warps.present.val();
        self.leaves.unites.next = self.unites.val();
        self.leaves.acts.next = self.instruction.acts.val();
        self.leaves.waking.next = self.instruction.waking.val();
        self.leaves.creates.next = self.instruction.creates.val();
        self.leaves.stores.next = self.instruction.stores.val();
        self.leaves.empties.next = self.instruction.empties.val();
        self.leaves.detaches.next = self.instruction.detaches.val();
        self.leaves.wakes_here.next = self.instruction.wakes_here.val();
        self.leaves.resumed_fits.next = self.instruction.resumed_fits.val();
        self.leaves.stay_mask.next = self.instruction.stay_mask.val();
        self.leaves.stay_address.next = self.instruction.stay_address.val();
        self.leaves.stay_link.next = self.instruction.stay_link.val();
        self.leaves.second_mask.next = self.instruction.second_mask.val();
        self.leaves.second_address.next = self.instruction.second_address.val();
        self.leaves.second_link.next = self.instruction.second_link.val();
        self.leaves.climbing.next = self.regions.climbing.val();
        self.leaves.resumes.next = self.regions.resumes.val();
        self.leaves.returned.next = self.mover.returned.val();
        self.leaves.refilled.next = self.refilled.val();
        self.leaves.evicted.next = self.evicted.val();
        self.leaves.second_node.next = self.free.first_node.val();
        if self.instruction.opened_here.val() {
            self.leaves.second_node.next = self.free.second_node.val();
        }
        self.leaves.resumed_node.next = self.regions.node.val();
        if self.regions.memory.val() {
            self.leaves.resumed_node.next = self.free.first_node.val();
        }
        self.leaves.resumed_mask.next = self.regions.arrived_next.val();
        self.leaves.resumed_address.next = self.regions.resume.val();
        self.leaves.resumed_link.next = self.regions.above.val();
        self.leaves.return_node.next = self.free.first_node.val();
        self.leaves.return_mask.next = self.mover.return_mask.val();
        self.leaves.return_address.next = self.mover.return_address.val();
        self.leaves.return_link.next = self.mover.return_link.val();
        self.leaves.launch_mask.next = self.launch_mask.val();
        self.leaves.launch_address.next = self.launch_address.val();
        self.refilled.next = self.mover.returned.val() & !self.free.none.val();
        self.evicted.next = self.instruction.evict.val() & self.mover.sent.val();

        // Nodes taken and given back.
        self.free.take_first.next = self.instruction.opened_here.val()
            | self.instruction.stores.val()
            | self.refilled.val()
            | (self.regions.resumes.val() & self.regions.memory.val() & !self.free.none.val());
        self.free.take_second.next = self.instruction.opened_here.val() & self.instruction.stores.val();
        self.free.release_enable.next = (self.instruction.acts.val() & self.instruction.empties.val())
            | self.leaves.merges.val()
            | self.evicted.val();
        self.free.release_node.next = self.leaves.node.val();
        if self.evicted.val() {
            self.free.release_node.next = self.leaves.front_node.val();
        }
        if self.instruction.climbs.val() & (self.regions.climbing.val() | !self.regions.valid.val()) {
            self.free.release_enable.next = self.instruction.gone_valid.val();
            self.free.release_node.next = self.instruction.gone.val();
        }

        // Leaves to memory and back.
        self.mover.interval.next = self.exchange_interval.val();
        self.mover.spill_base.next = self.spill_base.val();
        self.mover.counts.next = self.instruction.takes_turn.val();
        self.mover.held_link.next = self.instruction.focus_link.val();
        self.mover.held_warp.next = self.instruction.held_warp.val();
        self.mover.defer.next = self.instruction.defer.val();
        self.mover.evict.next = self.instruction.evict.val();
        self.mover.swap.next = self.instruction.swap.val();
        self.mover.take.next = self.instruction.take.val();
        self.mover.answer.next = self.instruction.answer.val();
        self.mover.held_mask.next = self.instruction.held_mask.val();
        self.mover.held_address.next = self.instruction.held_address.val();
        self.mover.front_mask.next = self.leaves.front_mask.val();
        self.mover.front_address.next = self.leaves.front_address.val();
        self.mover.front_link.next = self.leaves.front_link.val();
        self.mover.leaf_mask.next = self.leaves.mask.val();
        self.mover.leaf_address.next = self.leaves.address.val();
        self.mover.leaf_link.next = self.leaves.link.val();
        self.mover.overflow_request_valid.next = self.regions.memory_request_valid.val();
        self.mover.overflow_request_write.next = self.regions.memory_request_write.val();
        self.mover.overflow_request_warp.next = self.regions.memory_request_warp.val();
        self.mover.overflow_request_slot.next = self.regions.memory_request_slot.val();
        self.mover.overflow_request_data.next = self.regions.memory_request_data.val();
        self.mover.overflow_response_ready.next = self.regions.memory_response_ready.val();
        self.mover.memory_request_ready.next = self.memory_request_ready.val();
        self.regions.memory_request_ready.next = self.memory_request_ready.val();
        self.mover.memory_response_valid.next = self.memory_response_valid.val();
        self.regions.memory_response_valid.next = self.memory_response_valid.val();
        self.mover.memory_response_data.next = self.memory_response_data.val();
        self.regions.memory_response_data.next = self.memory_response_data.val();
        self.memory_request_valid.next = self.mover.memory_request_valid.val();
        self.memory_request_write.next = self.mover.memory_request_write.val();
        self.memory_request_address.next = self.mover.memory_request_address.val();
        self.memory_request_data.next = self.mover.memory_request_data.val();
        self.memory_response_ready.next = self.mover.memory_response_ready.val();

        // What the world sees.
        self.leaves.query_warp.next = self.query_warp.val();
        self.warps.query_warp.next = self.query_warp.val();
        self.query_mask.next = 0.into();
        self.query_address.next = 0.into();
        if self.warps.query_present.val() {
            self.query_mask.next = self.leaves.query_mask.val();
            self.query_address.next = self.leaves.query_address.val();
        }
        self.stop_warp.next = self.instruction.held_warp.val();
        self.saved_last.next = self.instruction.stop.val() & (self.instruction.cause.val() == self.withdrawn.val());
        self.done_valid.next = self.instruction.stop.val() & !self.instruction.cause.val().any();
        self.error_valid.next = self.instruction.stop.val() & !self.saved_last.val() & !self.done_valid.val();
        self.error_cause.next = self.instruction.cause.val();
        self.error_address.next = self.leaves.address.val();
        self.leaf_saved.next = self.instruction.acts.val() & self.instruction.withdraws.val();
        self.saved_valid.next = self.leaf_saved.val() | (self.regions.last.val() & self.instruction.withdraws.val());
        self.saved_kind.next = self.regions.kind.val();
        self.saved_mask.next = self.regions.arrived.val();
        self.saved_address.next = self.regions.resume.val();
        self.saved_node.next = self.instruction.focus_link.val();
        self.saved_above.next = self.regions.above.val();
        if self.leaf_saved.val() {
            self.saved_kind.next = self.kind_divergence.val();
            self.saved_mask.next = self.leaves.mask.val();
            self.saved_address.next = self.leaves.address.val();
            self.saved_node.next = 0.into();
            self.saved_above.next = self.leaves.link.val();
        }
        self.event_push.next = self.instruction.opens.val();
        self.event_pop.next = self.regions.last.val();
        self.event_nodes.next = 0.into();
        if self.warps.runs.val() {
            self.event_nodes.next = self.free.used.val();
        }
        self.event_diverge.next = self.instruction.acts.val() & self.instruction.diverges.val();
        self.event_yield.next = self.instruction.departs.val();
        self.event_merge.next =
            self.leaves.merges.val() | (self.instruction.acts.val() & self.instruction.wakes_here.val());
        self.event_discard.next = self.regions.frees.val() & !self.instruction.withdraws.val();
        self.exception_valid.next = self.mover.sent.val()
            | self.mover.returned.val()
            | (self.instruction.opens.val() & self.regions.prepared.val());
        self.exception_cause.next = self.mover.exception_cause.val();
        self.exception_warp.next = self.warp.val();
    }
}
