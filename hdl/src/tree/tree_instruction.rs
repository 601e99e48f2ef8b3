//! The instruction at work: when it is taken, what it does in which cycle, and what comes after it before the next one is taken.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_*`, `warp`, `runs`, `present`, `launched`, `launch_empty` | in | the instruction at the port, and its warp; a warp starts instead |
//! | `named`, `rest`, `taken_first`, `joined_ready`, `unites`, `outlives` | in | what its owner says of the sets of threads, as in `tree_core` |
//! | `leaf_*`, `free_*`, `focus_*`, `climbing`, …, `prepared_link` | in | the selected leaf, the free nodes, the node in focus and what becomes of it |
//! | `ring_empty`, `deferred`, `due`, `memory_*` | in | leaves in memory, and the memory |
//! | `idle`, `waking`, `sleeping`, `withdraws`, `mask`, `held_*` | out | what it is; what of it is kept for the next cycles |
//! | `focus_link`, `focus_wanted`, `climbs`, `counts` | out | which node is in focus, and why |
//! | `acts`, `joins`, …, `resumed_fits` | out | what happens in this cycle |
//! | `stay_*`, `second_*`, `opened_*` | out | the leaf afterwards, the second leaf, the node opened |
//! | `defer`, `evict`, `prepare`, `takes_turn`, `swap`, `take`, `answer` | out | what memory is asked for |
//! | `gone_valid`, `gone`, `stop`, `cause` | out | a node is given back; the warp ends |
//!
//! **Timing** combinational between ports but for what is held; the sequence is that of `tree_sequencer`.
//! **Source** US 2015/0205606, claim 1; TD-02 to TD-09, TD-11.
//! **See also** `held_instruction`, `tree_step`, `tree_sequencer`, `tree_core`.

use super::held_instruction::HeldInstruction;
use super::node_table::{LINK_BITS, LINK_VALID};
use super::tree_sequencer::TreeSequencer;
use super::tree_step::TreeStep;
use crate::divergence::token::Operation;
use crate::prelude::*;

block! {
    /// `SET_BITS` is the width of a set of threads; see the module's page.
    pub struct TreeInstruction<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Whose it is.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp runs.
            pub runs: Signal<In, Bit>,
            /// It has a selected leaf.
            pub present: Signal<In, Bit>,
            /// A warp starts instead.
            pub launched: Signal<In, Bit>,
            /// Without a thread.
            pub launch_empty: Signal<In, Bit>,
            /// The selected leaf: threads.
            pub leaf_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub leaf_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_link: Signal<In, Bits<LINK_BITS>>,
            /// No node is free.
            pub free_none: Signal<In, Bit>,
            /// Exactly one is.
            pub free_single: Signal<In, Bit>,
            /// The one that would be taken.
            pub free_node: Signal<In, Bits<NODE_BITS>>,
            /// There is a node in focus.
            pub focus_valid: Signal<In, Bit>,
            /// It lies in memory.
            pub focus_memory: Signal<In, Bit>,
            /// It can be looked at.
            pub focus_ready: Signal<In, Bit>,
            /// Where it lies in the table.
            pub focus_node: Signal<In, Bits<NODE_BITS>>,
            /// The node above it.
            pub focus_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub focus_kind: Signal<In, Bits<4>>,
            /// Where its threads go on.
            pub focus_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// It is looked at for the child that it lost.
            pub climbing: Signal<In, Bit>,
            /// For the one that it gains.
            pub counting: Signal<In, Bit>,
            /// It becomes a leaf.
            pub resumes: Signal<In, Bit>,
            /// Of these threads.
            pub resumed_mask: Signal<In, Bits<SET_BITS>>,
            /// It goes with nobody arrived.
            pub frees: Signal<In, Bit>,
            /// The node above the leaf loses a child in the next cycles.
            pub removes_later: Signal<In, Bit>,
            /// A node will be opened in memory.
            pub prepared: Signal<In, Bit>,
            /// Memory has no room for one.
            pub exhausted: Signal<In, Bit>,
            /// What will name it.
            pub prepared_link: Signal<In, Bits<LINK_BITS>>,
            /// No leaf waits for its turn.
            pub ring_empty: Signal<In, Bit>,
            /// Leaves are in memory.
            pub deferred: Signal<In, Bit>,
            /// An exchange is due.
            pub due: Signal<In, Bit>,
            /// The memory takes a request.
            pub memory_taken: Signal<In, Bit>,
            /// It answers.
            pub memory_answers: Signal<In, Bit>,
            /// Who goes to memory: of which warp.
            pub held_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Its threads.
            pub held_mask: Signal<Out, Bits<SET_BITS>>,
            /// Its address.
            pub held_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It saves the warp.
            pub withdraws: Signal<Out, Bit>,
            /// Names the node in focus, and in a sequence the one above a leaf that goes to memory.
            pub focus_link: Signal<Out, Bits<LINK_BITS>>,
            /// The node is looked at.
            pub focus_wanted: Signal<Out, Bit>,
            /// A node lost a child.
            pub climbs: Signal<Out, Bit>,
            /// A node gains one.
            pub counts: Signal<Out, Bit>,
            /// The instruction acts in this cycle.
            pub acts: Signal<Out, Bit>,
            /// They become a tree of their own.
            pub departs: Signal<Out, Bit>,
            /// A node is opened.
            pub opens: Signal<Out, Bit>,
            /// In the table.
            pub opened_here: Signal<Out, Bit>,
            /// Its kind.
            pub opened_kind: Signal<Out, Bits<4>>,
            /// Where its threads will go on.
            pub opened_resume: Signal<Out, Bits<ADDRESS_BITS>>,
            /// There is a second leaf.
            pub creates: Signal<Out, Bit>,
            /// It has a node.
            pub stores: Signal<Out, Bit>,
            /// No thread stays in the leaf, or it is saved.
            pub empties: Signal<Out, Bit>,
            /// The whole leaf becomes a tree of its own.
            pub detaches: Signal<Out, Bit>,
            /// The leaf's threads part.
            pub diverges: Signal<Out, Bit>,
            /// The woken go on with the selected leaf.
            pub wakes_here: Signal<Out, Bit>,
            /// A node that resumes has a place in the table.
            pub resumed_fits: Signal<Out, Bit>,
            /// The leaf afterwards: threads.
            pub stay_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub stay_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub stay_link: Signal<Out, Bits<LINK_BITS>>,
            /// The second leaf: threads.
            pub second_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub second_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub second_link: Signal<Out, Bits<LINK_BITS>>,
            /// A leaf that found no node goes to memory.
            pub defer: Signal<Out, Bit>,
            /// The one that waits longest goes.
            pub evict: Signal<Out, Bit>,
            /// Room is made in memory for a node.
            pub prepare: Signal<Out, Bit>,
            /// Turns are counted for the next exchange.
            pub takes_turn: Signal<Out, Bit>,
            /// The selected leaf goes to memory.
            pub swap: Signal<Out, Bit>,
            /// A leaf is asked for.
            pub take: Signal<Out, Bit>,
            /// It is waited for.
            pub answer: Signal<Out, Bit>,
            /// A node that went on the way up is given back.
            pub gone_valid: Signal<Out, Bit>,
            /// Which.
            pub gone: Signal<Out, Bits<NODE_BITS>>,
            /// The warp halts, is stopped, or leaves as it was saved.
            pub stop: Signal<Out, Bit>,
            /// Why: 0 halts, 7 saved.
            pub cause: Signal<Out, Bits<3>>,
        }
        shared { instruction_ports }
        parts {
            held: HeldInstruction<WARP_BITS, SET_BITS, ADDRESS_BITS>,
            step: TreeStep<SET_BITS, ADDRESS_BITS>,
            sequencer: TreeSequencer<NODE_BITS>,
            offered: Signal<Local, Bit>,
            blind: Signal<Local, Bit>,
            looks: Signal<Local, Bit>,
            sought: Signal<Local, Bit>,
            crowded: Signal<Local, Bit>,
            stalls: Signal<Local, Bit>,
            accepted: Signal<Local, Bit>,
            searched: Signal<Local, Bit>,
            vanishes: Signal<Local, Bit>,
            fits: Signal<Local, Bit>,
            turn: Signal<Local, Bit>,
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
            on_chip: Constant<Bits<LINK_BITS>> = Constant::new(bits(1 << LINK_VALID)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            operation_withdraw: Constant<Bits<4>> = Constant::new(bits(Operation::Withdraw as u64)),
        }
    }
}

impl<const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> Logic
    for TreeInstruction<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, held, sequencer);
        self.held.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.idle.next = self.sequencer.idle.val();
        self.held.idle.next = self.sequencer.idle.val();
        self.held.warp.next = self.warp.val();
        self.held.request_operation.next = self.request_operation.val();
        self.held.request_kind.next = self.request_kind.val();
        self.held.request_mask.next = self.request_mask.val();
        self.held.request_target.next = self.request_target.val();
        self.held.request_targeted.next = self.request_targeted.val();
        self.held.request_again.next = self.request_again.val();
        self.mask.next = self.held.mask.val();

        // Acceptance. A step, a wake-up and a withdrawal need not look at the node above.
        self.waking.next = self.sequencer.idle.val() & (self.request_operation.val() == self.operation_wake.val());
        self.sleeping.next = self.sequencer.idle.val() & (self.request_operation.val() == self.operation_sleep.val());
        self.withdraws.next = self.held.operation.val() == self.operation_withdraw.val();
        self.offered.next = self.sequencer.idle.val()
            & self.request_valid.val()
            & !self.launched.val()
            & self.runs.val()
            & (self.present.val() | self.waking.val() | self.withdraws.val());
        self.blind.next =
            self.waking.val() | self.withdraws.val() | !self.request_operation.val().any() | self.prepared.val();
        self.focus_link.next = self.sequencer.cursor.val();
        if self.sequencer.idle.val() {
            self.focus_link.next = self.leaf_link.val();
        }
        self.focus_wanted.next = (self.offered.val() & !self.blind.val())
            | self.sequencer.search.val()
            | self.sequencer.climb.val()
            | self.sequencer.count.val();
        self.looks.next = self.offered.val() & (self.focus_ready.val() | self.blind.val());
        self.sought.next = self.sequencer.search.val() & self.focus_ready.val();
        self.crowded.next = self.step.opens.val() & self.free_none.val() & !self.prepared.val();
        self.joining.next = self.step.joins.val() & (self.looks.val() | self.sought.val());
        self.stalls.next = self.step.joins.val() & !self.joined_ready.val();
        self.accepted.next = self.looks.val() & !self.crowded.val() & !self.stalls.val();
        self.searched.next = self.sought.val() & !self.stalls.val();
        self.request_ready.next = self.accepted.val();
        self.vanishes.next = self.accepted.val() & self.withdraws.val() & !self.present.val();

        // What the instruction does.
        self.step.operation.next = self.held.operation.val();
        self.step.kind.next = self.held.kind.val();
        self.step.named.next = self.named.val();
        self.step.rest.next = self.rest.val();
        self.step.taken_first.next = self.taken_first.val();
        self.step.unites.next = self.unites.val();
        self.step.target.next = self.held.target.val();
        self.step.targeted.next = self.held.targeted.val();
        self.step.again.next = self.held.again.val();
        self.step.leaf_present.next = self.present.val();
        self.step.leaf_mask.next = self.leaf_mask.val();
        self.step.leaf_address.next = self.leaf_address.val();
        self.step.leaf_link.next = self.leaf_link.val();
        self.step.node_valid.next = self.focus_valid.val();
        self.step.node_kind.next = self.focus_kind.val();
        self.step.node_resume.next = self.focus_resume.val();
        self.step.opening.next = self.prepared.val();
        self.step.opened_link.next = bit_cast::<LINK_BITS, NODE_BITS>(self.free_node.val()) | self.on_chip.val();
        if self.prepared.val() {
            self.step.opened_link.next = self.prepared_link.val();
        }
        self.acts.next = (self.accepted.val() | self.searched.val())
            & !self.step.searches.val()
            & !self.step.lost.val()
            & !self.vanishes.val();
        self.opens.next = self.acts.val() & self.step.opens.val();
        self.opened_here.next = self.opens.val() & !self.prepared.val();
        self.creates.next = self.acts.val() & self.step.creates.val();
        self.fits.next = !self.free_none.val() & !(self.opened_here.val() & self.free_single.val());
        self.stores.next = self.creates.val() & self.fits.val();
        self.resumed_fits.next = !self.focus_memory.val() | !self.free_none.val();
        self.joins.next = self.acts.val() & self.step.joins.val();
        self.sleeps.next = self.acts.val() & self.step.sleeps.val();
        self.wakes.next = self.acts.val() & self.step.wakes.val();
        self.exits.next = self.acts.val() & self.step.exits.val();
        self.departs.next = self.acts.val() & self.step.departs.val();
        self.empties.next = self.step.empties.val();
        self.detaches.next = self.step.detaches.val();
        self.diverges.next = self.step.diverges.val();
        self.wakes_here.next = self.step.wakes_here.val();
        self.opened_kind.next = self.step.opened_kind.val();
        self.opened_resume.next = self.step.opened_resume.val();
        self.stay_mask.next = self.step.stay_mask.val();
        self.stay_address.next = self.step.stay_address.val();
        self.stay_link.next = self.step.stay_link.val();
        self.second_mask.next = self.step.second_mask.val();
        self.second_address.next = self.step.second_address.val();
        self.second_link.next = self.step.second_link.val();

        // The sequence. A wake-up is nobody's turn: it brings nothing back and counts for no exchange.
        self.sequencer.launch_empty.next = self.launched.val() & self.launch_empty.val();
        self.sequencer.looks.next = self.looks.val();
        self.sequencer.crowded.next = self.crowded.val();
        self.sequencer.accepted.next = self.accepted.val();
        self.sequencer.searched.next = self.searched.val();
        self.sequencer.searches.next = self.step.searches.val();
        self.sequencer.lost.next = self.step.lost.val();
        self.sequencer.acts.next = self.acts.val();
        self.sequencer.frees.next = self.frees.val();
        self.sequencer.removes_later.next = self.removes_later.val();
        self.sequencer.counts_later.next =
            self.opens.val() & self.step.diverges.val() & self.leaf_link.val().get_bit(self.link_valid.val());
        self.sequencer.halts.next = self.exits.val() & !self.outlives.val();
        self.sequencer.vanishes.next = self.vanishes.val();
        self.sequencer.climbing.next = self.climbing.val();
        self.sequencer.counting.next = self.counting.val();
        self.sequencer.creates.next = self.creates.val();
        self.sequencer.spills.next = (self.creates.val() & !self.fits.val())
            | (self.climbing.val() & self.resumes.val() & !self.resumed_fits.val())
            | (self.sequencer.spilling.val() & self.sequencer.count.val());
        self.sequencer.focus_valid.next = self.focus_valid.val();
        self.sequencer.focus_memory.next = self.focus_memory.val();
        self.sequencer.focus_node.next = self.focus_node.val();
        self.sequencer.focus_above.next = self.focus_above.val();
        self.sequencer.leaf_link.next = self.leaf_link.val();
        self.sequencer.second_link.next = self.step.second_link.val();
        self.sequencer.ring_empty.next = self.ring_empty.val();
        self.sequencer.prepared.next = self.prepared.val();
        self.sequencer.exhausted.next = self.exhausted.val();
        self.turn.next = self.held.operation.val() != self.operation_wake.val();
        self.sequencer.deferred.next = self.deferred.val() & self.turn.val();
        self.sequencer.room.next = !self.free_none.val();
        self.sequencer.due.next = self.due.val() & self.present.val();
        self.sequencer.memory_taken.next = self.memory_taken.val();
        self.sequencer.memory_answers.next = self.memory_answers.val();
        self.held.leaf_enable.next = self.creates.val() | (self.climbing.val() & self.resumes.val());
        self.held.leaf_mask.next = self.step.second_mask.val();
        self.held.leaf_address.next = self.step.second_address.val();
        if self.climbing.val() {
            self.held.leaf_mask.next = self.resumed_mask.val();
            self.held.leaf_address.next = self.focus_resume.val();
        }
        self.climbs.next = self.sequencer.climb.val();
        self.counts.next = self.sequencer.count.val();
        self.defer.next = self.sequencer.defer.val();
        self.evict.next = self.sequencer.evict.val();
        self.prepare.next = self.sequencer.prepare.val();
        self.takes_turn.next = self.sequencer.maintain.val() & self.turn.val();
        self.swap.next = self.sequencer.swap.val();
        self.take.next = self.sequencer.take.val();
        self.answer.next = self.sequencer.answer.val();
        self.gone_valid.next = self.sequencer.gone_valid.val();
        self.gone.next = self.sequencer.gone.val();
        self.stop.next = self.sequencer.stop.val();
        self.cause.next = self.sequencer.cause.val();
        self.held_warp.next = self.held.held_warp.val();
        self.held_mask.next = self.held.held_mask.val();
        self.held_address.next = self.held.held_address.val();
    }
}
