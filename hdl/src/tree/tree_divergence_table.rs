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

use super::deferred_leaves::{DeferredLeaves, RING_BITS};
use super::free_list::FreeList;
use super::leaf_selector::LeafSelector;
use super::node_overflow::{NodeOverflow, SLOT_BITS};
use super::node_table::{NodeTable, CHILDREN_BITS, LINK_BITS, LINK_MEMORY, LINK_VALID};
use super::selected_leaf::SelectedLeaf;
use super::thread_reasons::ThreadReasons;
use super::tree_step::TreeStep;
use crate::divergence::token::{Cause, Kind, Operation};
use crate::prelude::*;

/// What the table is at.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum TreeState {
    /// It takes requests.
    Idle,
    /// Looking for the node that leaving threads go to.
    Search,
    /// A node lost a child; it may have to go as well.
    Climb,
    /// The node above a call that diverged gains a child.
    Count,
    /// A leaf that found no node goes to memory.
    Defer,
    /// A ready leaf goes to memory, to make room for a node.
    Evict,
    /// Making room in memory for a node.
    Prepare,
    /// Shall a deferred leaf come back?
    Maintain,
    /// The selected leaf goes to memory, in exchange.
    Swap,
    /// Asking the memory for a deferred leaf.
    Take,
    /// Waiting for it.
    Answer,
    /// A warp halts or is stopped.
    Stop,
}

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
            /// A warp is to start.
            pub launch_valid: Signal<In, Bit>,
            /// It is taken.
            pub launch_ready: Signal<Out, Bit>,
            /// Which; one that is not running.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_mask: Signal<In, Bits<THREADS>>,
            /// Its first instruction.
            pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// An instruction is offered.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// Whose.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Step 0, push 1, branch 2, indirect 3, call 4, leave 5, yield 6, exit 7, sleep 8, wake 9.
            pub request_operation: Signal<In, Bits<4>>,
            /// Kind of the node to open or to wait for.
            pub request_kind: Signal<In, Bits<4>>,
            /// Threads that it names.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand, in instructions.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow: the PC stays.
            pub request_again: Signal<In, Bit>,
            /// The warp looked at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The reason looked at.
            pub query_kind: Signal<In, Bits<4>>,
            /// Next instruction of its selected leaf.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Threads of that leaf; none if every thread waits.
            pub query_active: Signal<Out, Bits<THREADS>>,
            /// Its threads disabled for that reason; for divergence, those of other leaves.
            pub query_disabled: Signal<Out, Bits<THREADS>>,
            /// A bit a warp: it may issue.
            pub warp_ready: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: it runs.
            pub warp_running: Signal<Out, Bits<WARPS>>,
            /// A warp halted, every thread exited.
            pub done_valid: Signal<Out, Bit>,
            /// Which.
            pub done_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A warp was stopped.
            pub error_valid: Signal<Out, Bit>,
            /// Fatal 3, lost thread 4.
            pub error_cause: Signal<Out, Bits<3>>,
            /// Which.
            pub error_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The instruction at which it was stopped.
            pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A waiting node was opened.
            pub event_push: Signal<Out, Bit>,
            /// Whose.
            pub event_push_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A waiting node went: its threads run on, or it had none.
            pub event_pop: Signal<Out, Bit>,
            /// Whose.
            pub event_pop_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A branch, an indirect one or a call diverged.
            pub event_diverge: Signal<Out, Bit>,
            /// Threads became a tree of their own.
            pub event_yield: Signal<Out, Bit>,
            /// Two trees of one leaf became one.
            pub event_merge: Signal<Out, Bit>,
            /// A waiting node went at which no thread had arrived.
            pub event_discard: Signal<Out, Bit>,
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
        parts {
            state: Register<TreeState>,
            running: Register<Bits<WARPS>>,
            selected: Register<Bits<WARPS>>,
            hold_warp: Register<Bits<WARP_BITS>>,
            hold_operation: Register<Bits<4>>,
            hold_kind: Register<Bits<4>>,
            hold_mask: Register<Bits<THREADS>>,
            hold_target: Register<Bits<ADDRESS_BITS>>,
            hold_targeted: Register<Bit>,
            hold_again: Register<Bit>,
            cursor: Register<Bits<LINK_BITS>>,
            gone: Register<Bits<NODE_BITS>>,
            gone_valid: Register<Bit>,
            spilling: Register<Bit>,
            cause: Register<Bits<3>>,
            leaf: SelectedLeaf<WARP_BITS, THREADS, ADDRESS_BITS, NODE_BITS>,
            nodes: NodeTable<WARP_BITS, THREADS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>,
            free: FreeList<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            selector: LeafSelector<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            reasons: ThreadReasons<WARP_BITS, THREADS, KEY_BITS>,
            step: TreeStep<THREADS, ADDRESS_BITS>,
            deferred: DeferredLeaves<WARP_BITS>,
            overflow: NodeOverflow<WARP_BITS, THREADS, ADDRESS_BITS, WORD_BITS>,
            idle: Signal<Local, Bit>,
            launched: Signal<Local, Bit>,
            warp: Signal<Local, Bits<WARP_BITS>>,
            bit_of_warp: Signal<Local, Bits<WARPS>>,
            present: Signal<Local, Bit>,
            focus: Signal<Local, Bits<LINK_BITS>>,
            focus_valid: Signal<Local, Bit>,
            focus_memory: Signal<Local, Bit>,
            focus_node: Signal<Local, Bits<NODE_BITS>>,
            focus_ready: Signal<Local, Bit>,
            arrived: Signal<Local, Bits<THREADS>>,
            resume: Signal<Local, Bits<ADDRESS_BITS>>,
            above: Signal<Local, Bits<LINK_BITS>>,
            kind: Signal<Local, Bits<4>>,
            children: Signal<Local, Bits<CHILDREN_BITS>>,
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
            creates: Signal<Local, Bit>,
            fits: Signal<Local, Bit>,
            stores: Signal<Local, Bit>,
            second_node: Signal<Local, Bits<NODE_BITS>>,
            direct: Signal<Local, Bit>,
            unlinks: Signal<Local, Bit>,
            removes_later: Signal<Local, Bit>,
            climbing: Signal<Local, Bit>,
            removing: Signal<Local, Bit>,
            counting: Signal<Local, Bit>,
            adding: Signal<Local, Bit>,
            arriving: Signal<Local, Bits<THREADS>>,
            arrived_next: Signal<Local, Bits<THREADS>>,
            last: Signal<Local, Bit>,
            resumes: Signal<Local, Bit>,
            frees: Signal<Local, Bit>,
            resumed_node: Signal<Local, Bits<NODE_BITS>>,
            resumed_fits: Signal<Local, Bit>,
            node_write: Signal<Local, Bit>,
            opened_here: Signal<Local, Bit>,
            rotates: Signal<Local, Bit>,
            ready_leaf: Signal<Local, Bit>,
            merges: Signal<Local, Bit>,
            pushes: Signal<Local, Bit>,
            ready_node: Signal<Local, Bits<NODE_BITS>>,
            ready_mask: Signal<Local, Bits<THREADS>>,
            ready_address: Signal<Local, Bits<ADDRESS_BITS>>,
            ready_link: Signal<Local, Bits<LINK_BITS>>,
            evicted: Signal<Local, Bit>,
            deferring: Signal<Local, Bit>,
            woke: Signal<Local, Bit>,
            returned: Signal<Local, Bit>,
            refilled: Signal<Local, Bit>,
            leaf_moves: Signal<Local, Bit>,
            moving_mask: Signal<Local, Bits<THREADS>>,
            moving_address: Signal<Local, Bits<ADDRESS_BITS>>,
            moving_link: Signal<Local, Bits<LINK_BITS>>,
            halts: Signal<Local, Bit>,
            settles: Signal<Local, Bit>,
            spills: Signal<Local, Bit>,
            deselects: Signal<Local, Bit>,
            stopping: Signal<Local, Bit>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            link_memory: Constant<Bits<4>> = Constant::new(bits(LINK_MEMORY as u64)),
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
            on_chip: Constant<Bits<LINK_BITS>> = Constant::new(bits(1 << LINK_VALID)),
            in_memory: Constant<Bits<LINK_BITS>> = Constant::new(bits((1 << LINK_VALID) | (1 << LINK_MEMORY))),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            cause_spill: Constant<Bits<2>> = Constant::new(bits(Cause::Spill as u64)),
            cause_refill: Constant<Bits<2>> = Constant::new(bits(Cause::Refill as u64)),
            cause_fatal: Constant<Bits<3>> = Constant::new(bits(Cause::Fatal as u64)),
            cause_lost: Constant<Bits<3>> = Constant::new(bits(Cause::LostThread as u64)),
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
    // A guard on a `match` arm would collapse these, but hdl_gen drops guards.
    #[allow(clippy::collapsible_match)]
    fn update(&mut self) {
        dff_setup!(self, clock, state, running, selected, hold_warp, hold_operation, hold_kind, hold_mask, hold_target);
        dff_setup!(self, clock, hold_targeted, hold_again, cursor, gone, gone_valid, spilling, cause);
        clock!(self, clock, leaf, nodes, free, selector, reasons, deferred, overflow);
        self.selector.reset.next = self.reset.val();
        self.overflow.reset.next = self.reset.val();

        // One warp at a time: the one that asks, or the one that the table is busy with.
        self.idle.next = self.state.q.val() == TreeState::Idle;
        self.launch_ready.next = self.idle.val() & !self.running.q.val().get_bit(self.launch_warp.val());
        self.launched.next = self.launch_ready.val() & self.launch_valid.val();
        self.warp.next = self.hold_warp.q.val();
        if self.idle.val() {
            self.warp.next = self.request_warp.val();
        }
        if self.launched.val() {
            self.warp.next = self.launch_warp.val();
        }
        self.bit_of_warp.next = self.one.val() << self.warp.val();
        self.present.next = self.selected.q.val().get_bit(self.warp.val());
        self.leaf.warp.next = self.warp.val();
        self.nodes.warp.next = self.warp.val();
        self.free.warp.next = self.warp.val();
        self.selector.warp.next = self.warp.val();
        self.reasons.warp.next = self.warp.val();
        self.deferred.warp.next = self.warp.val();
        self.overflow.warp.next = self.warp.val();
        self.free.clear_enable.next = self.launched.val();
        self.selector.clear_enable.next = self.launched.val();
        self.reasons.clear_enable.next = self.launched.val();
        self.deferred.clear_enable.next = self.launched.val();
        self.overflow.clear_enable.next = self.launched.val();

        // The waiting node in focus, on the chip or in the registers of the overflow: the leaf's, in a sequence the cursor's.
        self.focus.next = self.cursor.q.val();
        if self.idle.val() {
            self.focus.next = self.leaf.link.val();
        }
        self.focus_valid.next = self.focus.val().get_bit(self.link_valid.val());
        self.focus_memory.next = self.focus_valid.val() & self.focus.val().get_bit(self.link_memory.val());
        self.focus_node.next = bit_cast::<NODE_BITS, LINK_BITS>(self.focus.val());
        self.nodes.waiting_node.next = self.focus_node.val();
        self.arrived.next = self.nodes.arrived.val();
        self.resume.next = self.nodes.resume.val();
        self.above.next = self.nodes.above.val();
        self.kind.next = self.nodes.kind.val();
        self.children.next = self.nodes.children.val();
        if self.focus_memory.val() {
            self.arrived.next = self.overflow.arrived.val();
            self.resume.next = self.overflow.resume.val();
            self.above.next = self.overflow.above.val();
            self.kind.next = self.overflow.kind.val();
            self.children.next = self.overflow.children.val();
        }

        // Acceptance. A step and a wake-up need not look at the node above.
        self.waking.next = self.idle.val() & (self.request_operation.val() == self.operation_wake.val());
        self.sleeping.next = self.idle.val() & (self.request_operation.val() == self.operation_sleep.val());
        self.offered.next = self.idle.val()
            & self.request_valid.val()
            & !self.launched.val()
            & self.running.q.val().get_bit(self.warp.val())
            & (self.present.val() | self.waking.val());
        self.blind.next = self.waking.val() | !self.request_operation.val().any() | self.overflow.prepared.val();
        self.overflow.wanted_enable.next = self.focus_memory.val()
            & ((self.offered.val() & !self.blind.val())
                | (self.state.q.val() == TreeState::Search)
                | (self.state.q.val() == TreeState::Climb)
                | (self.state.q.val() == TreeState::Count));
        self.overflow.wanted_slot.next = bit_cast::<SLOT_BITS, LINK_BITS>(self.focus.val());
        self.overflow.limit.next = self.spill_limit.val();
        self.overflow.prepare_enable.next = self.state.q.val() == TreeState::Prepare;
        self.focus_ready.next = !self.focus_memory.val() | self.overflow.shown.val();
        self.looks.next = self.offered.val() & (self.focus_ready.val() | self.blind.val());
        self.crowded.next = self.step.opens.val() & self.free.none.val() & !self.overflow.prepared.val();
        self.accepted.next = self.looks.val() & !self.crowded.val();
        self.request_ready.next = self.accepted.val();

        // What the instruction does.
        self.step.path_policy.next = self.path_policy.val();
        self.step.operation.next = self.hold_operation.q.val();
        self.step.kind.next = self.hold_kind.q.val();
        self.step.mask.next = self.hold_mask.q.val();
        self.step.target.next = self.hold_target.q.val();
        self.step.targeted.next = self.hold_targeted.q.val();
        self.step.again.next = self.hold_again.q.val();
        if self.idle.val() {
            self.step.operation.next = self.request_operation.val();
            self.step.kind.next = self.request_kind.val();
            self.step.mask.next = self.request_mask.val();
            self.step.target.next = self.request_target.val();
            self.step.targeted.next = self.request_targeted.val();
            self.step.again.next = self.request_again.val();
        }
        self.step.leaf_present.next = self.present.val();
        self.step.leaf_mask.next = self.leaf.mask.val();
        self.step.leaf_address.next = self.leaf.address.val();
        self.step.leaf_link.next = self.leaf.link.val();
        self.step.node_valid.next = self.focus_valid.val();
        self.step.node_kind.next = self.kind.val();
        self.step.node_resume.next = self.resume.val();
        self.step.asleep.next = self.reasons.waiting.val();
        self.step.opening.next = self.overflow.prepared.val();
        self.step.opened_link.next = bit_cast::<LINK_BITS, NODE_BITS>(self.free.first_node.val()) | self.on_chip.val();
        if self.overflow.prepared.val() {
            self.step.opened_link.next =
                bit_cast::<LINK_BITS, SLOT_BITS>(self.overflow.slot.val()) | self.in_memory.val();
        }
        self.searched.next = (self.state.q.val() == TreeState::Search) & self.focus_ready.val();
        self.acts.next =
            (self.accepted.val() | self.searched.val()) & !self.step.searches.val() & !self.step.lost.val();
        self.opens.next = self.acts.val() & self.step.opens.val();
        self.opened_here.next = self.opens.val() & !self.overflow.prepared.val();
        self.creates.next = self.acts.val() & self.step.creates.val();
        self.fits.next = !self.free.none.val() & !(self.opened_here.val() & self.free.single.val());
        self.stores.next = self.creates.val() & self.fits.val();
        self.second_node.next = self.free.first_node.val();
        if self.opened_here.val() {
            self.second_node.next = self.free.second_node.val();
        }
        self.halts.next =
            self.acts.val() & self.step.exits.val() & !(self.reasons.live.val() & !self.step.named.val()).any();

        // What becomes of the node in focus: threads arrive, children come and go; without the last child it is a leaf or free.
        self.unlinks.next = self.acts.val() & (self.step.empties.val() | self.step.detaches.val());
        self.direct.next = self.idle.val() & !self.sleeping.val() & !self.focus_memory.val();
        self.removes_later.next =
            self.unlinks.val() & !self.direct.val() & self.leaf.link.val().get_bit(self.link_valid.val());
        self.climbing.next = (self.state.q.val() == TreeState::Climb) & self.focus_valid.val() & self.focus_ready.val();
        self.removing.next = (self.unlinks.val() & self.direct.val() & self.focus_valid.val()) | self.climbing.val();
        self.counting.next = (self.state.q.val() == TreeState::Count) & self.focus_ready.val();
        self.adding.next =
            (self.acts.val() & self.step.diverges.val() & !self.step.opens.val() & self.focus_valid.val())
                | self.counting.val();
        self.arriving.next = 0.into();
        if self.acts.val() & self.step.joins.val() {
            self.arriving.next = self.step.named.val();
        }
        self.arrived_next.next = self.arrived.val() | self.arriving.val();
        self.last.next = self.removing.val() & (self.children.val() == 1);
        self.resumes.next = self.last.val() & self.arrived_next.val().any();
        self.frees.next = self.last.val() & !self.arrived_next.val().any();
        self.node_write.next =
            ((self.acts.val() & self.step.joins.val()) | self.removing.val() | self.adding.val()) & !self.last.val();
        self.nodes.waiting_write_enable.next =
            self.opened_here.val() | (self.node_write.val() & !self.focus_memory.val());
        self.nodes.waiting_write_node.next = self.focus_node.val();
        self.nodes.waiting_write_arrived.next = self.arrived_next.val();
        self.nodes.waiting_write_resume.next = self.resume.val();
        self.nodes.waiting_write_above.next = self.above.val();
        self.nodes.waiting_write_kind.next = self.kind.val();
        self.nodes.waiting_write_children.next = self.children.val();
        if self.adding.val() {
            self.nodes.waiting_write_children.next = self.children.val() + 1;
        }
        if self.removing.val() {
            self.nodes.waiting_write_children.next = self.children.val() - 1;
        }
        if self.opens.val() {
            self.nodes.waiting_write_node.next = self.free.first_node.val();
            self.nodes.waiting_write_arrived.next = 0.into();
            self.nodes.waiting_write_resume.next = self.step.opened_resume.val();
            self.nodes.waiting_write_above.next = self.leaf.link.val();
            self.nodes.waiting_write_kind.next = self.step.opened_kind.val();
            self.nodes.waiting_write_children.next = 1.into();
        }
        self.overflow.write_enable.next =
            (self.opens.val() & self.overflow.prepared.val()) | (self.node_write.val() & self.focus_memory.val());
        self.overflow.write_arrived.next = self.nodes.waiting_write_arrived.val();
        self.overflow.write_resume.next = self.nodes.waiting_write_resume.val();
        self.overflow.write_above.next = self.nodes.waiting_write_above.val();
        self.overflow.write_kind.next = self.nodes.waiting_write_kind.val();
        self.overflow.write_children.next = self.nodes.waiting_write_children.val();
        self.overflow.vacate_enable.next = self.last.val() & self.focus_memory.val();
        self.resumed_node.next = self.focus_node.val();
        if self.focus_memory.val() {
            self.resumed_node.next = self.free.first_node.val();
        }
        self.resumed_fits.next = !self.focus_memory.val() | !self.free.none.val();

        // The leaf that becomes ready in this cycle, if one does, and whose turn it is next.
        self.rotates.next = self.acts.val()
            & !self.waking.val()
            & !self.step.creates.val()
            & !(self.resumes.val() & self.step.detaches.val());
        self.ready_node.next = self.leaf.node.val();
        self.ready_mask.next = self.step.stay_mask.val();
        self.ready_address.next = self.step.stay_address.val();
        self.ready_link.next = self.step.stay_link.val();
        if self.stores.val() {
            self.ready_node.next = self.second_node.val();
            self.ready_mask.next = self.step.second_mask.val();
            self.ready_address.next = self.step.second_address.val();
            self.ready_link.next = self.step.second_link.val();
        }
        if self.climbing.val() | (self.resumes.val() & self.step.empties.val()) {
            self.ready_node.next = self.resumed_node.val();
            self.ready_mask.next = self.arrived_next.val();
            self.ready_address.next = self.resume.val();
            self.ready_link.next = self.above.val();
        }
        if self.returned.val() {
            self.ready_mask.next = self.leaf.mask.val();
            self.ready_address.next = self.leaf.address.val();
            self.ready_link.next = self.leaf.link.val();
        }
        self.ready_leaf.next = (self.rotates.val() & (!self.step.empties.val() | self.resumes.val()))
            | self.stores.val()
            | (self.resumes.val() & self.resumed_fits.val())
            | (self.refilled.val() & self.present.val());
        self.merges.next = self.rotates.val()
            & !self.step.empties.val()
            & !self.selector.empty.val()
            & !self.ready_link.val().get_bit(self.link_valid.val())
            & !self.nodes.leaf_link.val().get_bit(self.link_valid.val())
            & (self.ready_address.val() == self.nodes.leaf_address.val());
        self.pushes.next = self.ready_leaf.val() & !self.merges.val() & self.present.val();
        if self.rotates.val() & self.selector.empty.val() {
            self.pushes.next = false;
        }
        self.selector.push_enable.next = self.pushes.val();
        self.selector.push_node.next = self.ready_node.val();
        self.selector.push_front.next = self.returned.val() & self.pushes.val();
        self.selector.pop_enable.next = (self.rotates.val() & !self.selector.empty.val()) | self.evicted.val();
        self.nodes.leaf_node.next = self.selector.front_node.val();
        self.nodes.leaf_write_enable.next = self.pushes.val();
        self.nodes.leaf_write_node.next = self.ready_node.val();
        self.nodes.leaf_write_mask.next = self.ready_mask.val();
        self.nodes.leaf_write_address.next = self.ready_address.val();
        self.nodes.leaf_write_link.next = self.ready_link.val();

        self.leaf.write_enable.next = self.launched.val()
            | (self.creates.val() & !self.waking.val())
            | (self.acts.val() & self.step.wakes_here.val())
            | (self.acts.val() & self.step.detaches.val() & self.resumes.val())
            | (self.rotates.val() & (self.ready_leaf.val() | !self.selector.empty.val()))
            | (self.ready_leaf.val() & !self.present.val())
            | self.returned.val();
        self.leaf.write_node.next = self.ready_node.val();
        self.leaf.write_mask.next = self.ready_mask.val();
        self.leaf.write_address.next = self.ready_address.val();
        self.leaf.write_link.next = self.ready_link.val();
        if self.rotates.val() & !self.selector.empty.val() {
            self.leaf.write_node.next = self.selector.front_node.val();
            self.leaf.write_mask.next = self.nodes.leaf_mask.val();
            self.leaf.write_address.next = self.nodes.leaf_address.val();
            self.leaf.write_link.next = self.nodes.leaf_link.val();
            if self.merges.val() {
                self.leaf.write_mask.next = self.nodes.leaf_mask.val() | self.ready_mask.val();
            }
        }
        if (self.creates.val() & self.present.val()) | (self.acts.val() & self.step.wakes_here.val()) {
            self.leaf.write_node.next = self.leaf.node.val();
            self.leaf.write_mask.next = self.step.stay_mask.val();
            self.leaf.write_address.next = self.step.stay_address.val();
            self.leaf.write_link.next = self.step.stay_link.val();
        }
        if self.acts.val() & self.step.detaches.val() & self.resumes.val() {
            self.leaf.write_node.next = self.resumed_node.val();
            self.leaf.write_mask.next = self.arrived_next.val();
            self.leaf.write_address.next = self.resume.val();
            self.leaf.write_link.next = self.above.val();
        }
        if self.returned.val() {
            if self.refilled.val() {
                self.leaf.write_node.next = self.free.first_node.val();
            }
            self.leaf.write_mask.next = self.memory_response_data.val().get_bits::<THREADS>(54);
            self.leaf.write_address.next = self.memory_response_data.val().get_bits::<ADDRESS_BITS>(32);
            self.leaf.write_link.next = self.memory_response_data.val().get_bits::<LINK_BITS>(0);
        }
        if self.launched.val() {
            self.leaf.write_node.next = 0.into();
            self.leaf.write_mask.next = self.launch_mask.val();
            self.leaf.write_address.next = self.launch_address.val();
            self.leaf.write_link.next = 0.into();
        }
        self.deselects.next = self.rotates.val() & self.selector.empty.val() & !self.ready_leaf.val();
        if self.leaf.write_enable.val() {
            self.selected.d.next = self.selected.q.val() | self.bit_of_warp.val();
        }
        if self.deselects.val() | self.stopping.val() {
            self.selected.d.next = self.selected.q.val() & !self.bit_of_warp.val();
        }
        if self.launched.val() {
            self.running.d.next = self.running.q.val() | self.bit_of_warp.val();
        }
        if self.stopping.val() {
            self.running.d.next = self.running.q.val() & !self.bit_of_warp.val();
        }

        // Nodes taken and given back.
        self.free.take_first.next = self.opened_here.val()
            | self.stores.val()
            | self.refilled.val()
            | (self.resumes.val() & self.focus_memory.val() & !self.free.none.val());
        self.free.take_second.next = self.opened_here.val() & self.stores.val();
        self.free.release_enable.next =
            (self.acts.val() & self.step.empties.val()) | self.merges.val() | self.evicted.val();
        self.free.release_node.next = self.leaf.node.val();
        if self.evicted.val() {
            self.free.release_node.next = self.selector.front_node.val();
        }
        if (self.state.q.val() == TreeState::Climb) & (self.climbing.val() | !self.focus_valid.val()) {
            self.free.release_enable.next = self.gone_valid.q.val();
            self.free.release_node.next = self.gone.q.val();
        }

        // Who lives and who waits for what.
        self.reasons.kind.next = self.kind.val();
        if self.waking.val() | self.sleeping.val() {
            self.reasons.kind.next = self.kind_barrier.val();
        }
        self.reasons.add.next = self.arriving.val();
        if self.sleeping.val() {
            self.reasons.add.next = self.step.named.val();
        }
        self.reasons.remove.next = 0.into();
        if self.resumes.val() {
            self.reasons.remove.next = self.arrived_next.val();
        }
        if self.waking.val() {
            self.reasons.remove.next = self.step.named.val();
        }
        self.reasons.change_enable.next = (self.acts.val()
            & (self.step.joins.val() | self.step.sleeps.val() | self.step.wakes.val()))
            | self.resumes.val();
        self.reasons.exit_enable.next = self.acts.val() & self.step.exits.val();
        self.reasons.exits.next = self.step.named.val();
        self.reasons.launched.next = self.launch_mask.val();

        // The sequence.
        self.settles.next = false;
        self.stopping.next = self.state.q.val() == TreeState::Stop;
        match self.state.q.val() {
            TreeState::Idle => {
                self.hold_warp.d.next = self.warp.val();
                self.hold_operation.d.next = self.request_operation.val();
                self.hold_kind.d.next = self.request_kind.val();
                self.hold_mask.d.next = self.request_mask.val();
                self.hold_target.d.next = self.request_target.val();
                self.hold_targeted.d.next = self.request_targeted.val();
                self.hold_again.d.next = self.request_again.val();
                self.cause.d.next = 0.into();
                if self.launched.val() & !self.launch_mask.val().any() {
                    self.state.d.next = TreeState::Stop;
                }
                if self.looks.val() & self.crowded.val() {
                    self.state.d.next = TreeState::Evict;
                    if self.selector.empty.val() {
                        self.state.d.next = TreeState::Prepare;
                    }
                }
            }
            TreeState::Climb => {
                self.cursor.d.next = self.above.val();
                if !self.focus_valid.val() {
                    self.settles.next = true;
                }
                if self.climbing.val() {
                    self.gone.d.next = self.focus_node.val();
                    self.gone_valid.d.next = !self.focus_memory.val();
                    self.settles.next = !self.frees.val();
                } else {
                    self.cursor.d.next = self.cursor.q.val();
                }
            }
            TreeState::Count => {
                self.settles.next = self.counting.val();
            }
            TreeState::Defer => {
                if self.memory_request_ready.val() {
                    self.state.d.next = TreeState::Maintain;
                }
            }
            TreeState::Evict => {
                if self.memory_request_ready.val() {
                    self.state.d.next = TreeState::Idle;
                }
            }
            TreeState::Prepare => {
                if self.overflow.prepared.val() {
                    self.state.d.next = TreeState::Idle;
                } else if self.overflow.exhausted.val() {
                    self.state.d.next = TreeState::Stop;
                    self.cause.d.next = self.cause_fatal.val();
                }
            }
            TreeState::Maintain => {
                self.state.d.next = TreeState::Idle;
                if self.deferred.present.val() {
                    if !self.free.none.val() {
                        self.state.d.next = TreeState::Take;
                    } else if self.deferred.due.val() & self.present.val() & !self.woke.val() {
                        self.state.d.next = TreeState::Swap;
                    }
                }
            }
            TreeState::Swap => {
                if self.memory_request_ready.val() {
                    self.state.d.next = TreeState::Take;
                }
            }
            TreeState::Take => {
                if self.memory_request_ready.val() {
                    self.state.d.next = TreeState::Answer;
                }
            }
            TreeState::Answer => {
                // What came back runs before anything else does, or it might be sent away again and again.
                if self.memory_response_valid.val() {
                    self.state.d.next = TreeState::Idle;
                }
            }
            TreeState::Stop => {
                self.state.d.next = TreeState::Idle;
            }
            _ => {}
        }
        if self.accepted.val() | self.searched.val() {
            if self.step.searches.val() {
                self.state.d.next = TreeState::Search;
                self.cursor.d.next = self.above.val();
            }
            if self.step.lost.val() {
                self.state.d.next = TreeState::Stop;
                self.cause.d.next = self.cause_lost.val();
            }
        }
        self.spills.next = (self.creates.val() & !self.fits.val())
            | (self.climbing.val() & self.resumes.val() & !self.resumed_fits.val())
            | (self.spilling.q.val() & (self.state.q.val() == TreeState::Count));
        self.spilling.d.next = self.spills.val();
        if self.acts.val() {
            self.gone.d.next = self.focus_node.val();
            self.gone_valid.d.next = self.frees.val();
            self.cursor.d.next = self.leaf.link.val();
            if self.frees.val() {
                self.cursor.d.next = self.above.val();
            }
            if self.creates.val() {
                self.hold_mask.d.next = self.step.second_mask.val();
                self.hold_target.d.next = self.step.second_address.val();
                self.cursor.d.next = self.step.second_link.val();
            }
            self.settles.next = true;
            if self.removes_later.val() | self.frees.val() {
                self.settles.next = false;
                self.state.d.next = TreeState::Climb;
            }
            if self.opens.val() & self.step.diverges.val() & self.leaf.link.val().get_bit(self.link_valid.val()) {
                self.settles.next = false;
                self.state.d.next = TreeState::Count;
            }
        }
        if self.climbing.val() & self.resumes.val() {
            self.hold_mask.d.next = self.arrived_next.val();
            self.hold_target.d.next = self.resume.val();
        }
        if self.settles.val() {
            self.state.d.next = TreeState::Idle;
            if self.deferred.present.val() {
                self.state.d.next = TreeState::Maintain;
            }
            if self.spills.val() {
                self.state.d.next = TreeState::Defer;
            }
        }
        if self.halts.val() {
            self.state.d.next = TreeState::Stop;
        }

        // Deferred leaves: a leaf to the back of their ring, the front of it back into the table.
        self.deferring.next = (self.state.q.val() == TreeState::Defer) & self.memory_request_ready.val();
        self.evicted.next = (self.state.q.val() == TreeState::Evict) & self.memory_request_ready.val();
        self.returned.next = (self.state.q.val() == TreeState::Answer) & self.memory_response_valid.val();
        self.refilled.next = self.returned.val() & !self.free.none.val();
        self.deferred.interval.next = self.exchange_interval.val();
        self.deferred.append_enable.next = self.deferring.val()
            | self.evicted.val()
            | ((self.state.q.val() == TreeState::Swap) & self.memory_request_ready.val());
        self.deferred.take_enable.next = self.returned.val();
        // A wake-up is nobody's turn.
        self.woke.next = self.hold_operation.q.val() == self.operation_wake.val();
        self.deferred.count_enable.next = (self.state.q.val() == TreeState::Maintain) & !self.woke.val();
        self.leaf_moves.next = (self.state.q.val() == TreeState::Defer)
            | (self.state.q.val() == TreeState::Evict)
            | (self.state.q.val() == TreeState::Swap);
        self.moving_mask.next = self.hold_mask.q.val();
        self.moving_address.next = self.hold_target.q.val();
        self.moving_link.next = self.cursor.q.val();
        if self.state.q.val() == TreeState::Evict {
            self.moving_mask.next = self.nodes.leaf_mask.val();
            self.moving_address.next = self.nodes.leaf_address.val();
            self.moving_link.next = self.nodes.leaf_link.val();
        }
        if self.state.q.val() == TreeState::Swap {
            self.moving_mask.next = self.leaf.mask.val();
            self.moving_address.next = self.leaf.address.val();
            self.moving_link.next = self.leaf.link.val();
        }
        self.memory_request_valid.next =
            self.overflow.memory_request_valid.val() | self.leaf_moves.val() | (self.state.q.val() == TreeState::Take);
        self.memory_request_write.next = self.overflow.memory_request_write.val() | self.leaf_moves.val();
        self.memory_request_address.next = self.spill_base.val()
            | (bit_cast::<32, WARP_BITS>(self.overflow.memory_request_warp.val()) << 12)
            | bit_cast::<32, SLOT_BITS>(self.overflow.memory_request_slot.val());
        self.memory_request_data.next = self.overflow.memory_request_data.val();
        if self.leaf_moves.val() {
            self.memory_request_address.next = self.spill_base.val()
                | (bit_cast::<32, WARP_BITS>(self.hold_warp.q.val()) << 12)
                | bit_cast::<32, RING_BITS>(self.deferred.back_slot.val());
            self.memory_request_data.next = bit_cast::<WORD_BITS, LINK_BITS>(self.moving_link.val())
                | (bit_cast::<WORD_BITS, ADDRESS_BITS>(self.moving_address.val()) << 32)
                | (bit_cast::<WORD_BITS, THREADS>(self.moving_mask.val()) << 54);
        }
        if self.state.q.val() == TreeState::Take {
            self.memory_request_address.next = self.spill_base.val()
                | (bit_cast::<32, WARP_BITS>(self.hold_warp.q.val()) << 12)
                | bit_cast::<32, RING_BITS>(self.deferred.front_slot.val());
        }
        self.overflow.memory_request_ready.next = self.memory_request_ready.val();
        self.overflow.memory_response_valid.next = self.memory_response_valid.val();
        self.overflow.memory_response_data.next = self.memory_response_data.val();
        self.memory_response_ready.next =
            self.overflow.memory_response_ready.val() | (self.state.q.val() == TreeState::Answer);

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
        if !self.idle.val() {
            self.warp_ready.next = self.running.q.val() & self.selected.q.val() & !self.bit_of_warp.val();
        }
        self.done_valid.next = self.stopping.val() & !self.cause.q.val().any();
        self.done_warp.next = self.hold_warp.q.val();
        self.error_valid.next = self.stopping.val() & self.cause.q.val().any();
        self.error_cause.next = self.cause.q.val();
        self.error_warp.next = self.hold_warp.q.val();
        self.error_address.next = self.leaf.address.val();
        self.event_push.next = self.opens.val();
        self.event_push_warp.next = self.warp.val();
        self.event_pop.next = self.last.val();
        self.event_pop_warp.next = self.warp.val();
        self.event_diverge.next = self.acts.val() & self.step.diverges.val();
        self.event_yield.next = self.acts.val() & self.step.departs.val();
        self.event_merge.next = self.merges.val() | (self.acts.val() & self.step.wakes_here.val());
        self.event_discard.next = self.frees.val();
        self.exception_valid.next =
            self.deferred.append_enable.val() | self.returned.val() | (self.opens.val() & self.overflow.prepared.val());
        self.exception_cause.next = self.cause_spill.val();
        if self.returned.val() {
            self.exception_cause.next = self.cause_refill.val();
        }
        self.exception_warp.next = self.warp.val();
    }
}
