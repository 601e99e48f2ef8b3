//! The waiting nodes of every warp, wherever they lie: one of them is in focus, and what an instruction does to it is done here.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `warp`, `clear_enable`, `limit` | in | whose nodes; it starts; words of memory that it may use |
//! | `link`, `wanted` | in | names the node in focus; it is looked at in this cycle, so that memory has to give it |
//! | `idle`, `climbs`, `counts`, `acts`, …, `withdraws` | in | what the instruction at work does, as in `node_change` |
//! | `opened_*`, `prepare_enable` | in | the node that is opened; one is to be opened in memory |
//! | `prepared`, `exhausted`, `prepared_link` | out | memory has room for it; it has none; what will name it |
//! | `valid`, `memory`, `ready`, `node`, `arrived`, `resume`, `above`, `kind` | out | the node in focus; what follows is about it once `ready` |
//! | `climbing`, …, `arrived_next` | out | what becomes of it, as in `node_change` |
//! | `memory_*` | | requests of the overflow, by warp and slot |
//!
//! **Timing** a node of the table is in focus in the cycle that names it, and changed at its end. One in memory takes a read, and a write
//! before it if another one was changed in the registers.
//! **Source** US 2015/0205606, claim 1; TD-01, TD-02, TD-05, TD-09.
//! **See also** `node_table`, `node_overflow`, `focus_node`, `node_change`; `ready_leaves` for the other nodes.

use super::focus_node::FocusNode;
use super::node_change::NodeChange;
use super::node_overflow::{NodeOverflow, SLOT_BITS};
use super::node_table::{NodeTable, LINK_BITS, LINK_MEMORY, LINK_VALID};
use crate::prelude::*;

block! {
    /// `SET_BITS` is the width of a set of threads, `ENTRY_BITS` = log2 of warps × nodes; see the module's page.
    pub struct RegionNodes<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
        const ENTRY_BITS: usize, const WORD_BITS: usize, const RING_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Whose nodes.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp starts.
            pub clear_enable: Signal<In, Bit>,
            /// Words of memory that it may use.
            pub limit: Signal<In, Bits<SLOT_BITS>>,
            /// Names the node in focus.
            pub link: Signal<In, Bits<LINK_BITS>>,
            /// It is looked at.
            pub wanted: Signal<In, Bit>,
            /// It is the instruction's own cycle.
            pub idle: Signal<In, Bit>,
            /// A node lost a child.
            pub climbs: Signal<In, Bit>,
            /// A node gains a child.
            pub counts: Signal<In, Bit>,
            /// The instruction acts in this cycle.
            pub acts: Signal<In, Bit>,
            /// Threads arrive at the node.
            pub joins: Signal<In, Bit>,
            /// No thread stays in the leaf.
            pub empties: Signal<In, Bit>,
            /// The leaf becomes a tree of its own.
            pub detaches: Signal<In, Bit>,
            /// The leaf's threads part.
            pub diverges: Signal<In, Bit>,
            /// A node is opened.
            pub opens: Signal<In, Bit>,
            /// Those that have arrived after a join.
            pub joined: Signal<In, Bits<SET_BITS>>,
            /// The node is left alone in the instruction's own cycle.
            pub later: Signal<In, Bit>,
            /// The warp is being saved: nobody goes on.
            pub withdraws: Signal<In, Bit>,
            /// There is a node above the leaf.
            pub leaf_rooted: Signal<In, Bit>,
            /// The node opened: where it is put in the table.
            pub opened_node: Signal<In, Bits<NODE_BITS>>,
            /// Its kind.
            pub opened_kind: Signal<In, Bits<4>>,
            /// Where its threads will go on.
            pub opened_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub opened_above: Signal<In, Bits<LINK_BITS>>,
            /// A node is to be opened in memory.
            pub prepare_enable: Signal<In, Bit>,
            /// Memory has room for it: it will be opened there.
            pub prepared: Signal<Out, Bit>,
            /// Memory has none.
            pub exhausted: Signal<Out, Bit>,
            /// What will name it.
            pub prepared_link: Signal<Out, Bits<LINK_BITS>>,
            /// There is a node in focus.
            pub valid: Signal<Out, Bit>,
            /// It lies in memory.
            pub memory: Signal<Out, Bit>,
            /// It can be looked at.
            pub ready: Signal<Out, Bit>,
            /// Where it lies in the table.
            pub node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads that have arrived.
            pub arrived: Signal<Out, Bits<SET_BITS>>,
            /// Where they go on.
            pub resume: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub above: Signal<Out, Bits<LINK_BITS>>,
            /// Its kind.
            pub kind: Signal<Out, Bits<4>>,
            /// A node that lost a child is looked at in this cycle.
            pub climbing: Signal<Out, Bit>,
            /// The child is counted in this cycle.
            pub counting: Signal<Out, Bit>,
            /// Those that have arrived, those that arrive included.
            pub arrived_next: Signal<Out, Bits<SET_BITS>>,
            /// The last child goes.
            pub last: Signal<Out, Bit>,
            /// The node becomes a leaf.
            pub resumes: Signal<Out, Bit>,
            /// The node is free.
            pub frees: Signal<Out, Bit>,
            /// The node above the leaf loses a child in the next cycles.
            pub removes_later: Signal<Out, Bit>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Whose slot.
            pub memory_request_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub memory_request_slot: Signal<Out, Bits<SLOT_BITS>>,
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
            nodes: NodeTable<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>,
            overflow: NodeOverflow<WARP_BITS, SET_BITS, ADDRESS_BITS, WORD_BITS, RING_BITS>,
            focus: FocusNode<SET_BITS, ADDRESS_BITS, NODE_BITS>,
            change: NodeChange<SET_BITS, ADDRESS_BITS, NODE_BITS>,
            in_memory: Constant<Bits<LINK_BITS>> = Constant::new(bits((1 << LINK_VALID) | (1 << LINK_MEMORY))),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const ENTRY_BITS: usize,
        const WORD_BITS: usize,
        const RING_BITS: usize,
    > Logic for RegionNodes<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS, WORD_BITS, RING_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, nodes, overflow);
        self.overflow.reset.next = self.reset.val();
        self.nodes.warp.next = self.warp.val();
        self.overflow.warp.next = self.warp.val();
        self.overflow.clear_enable.next = self.clear_enable.val();
        self.overflow.limit.next = self.limit.val();

        // The node in focus, from the table or from memory.
        self.focus.link.next = self.link.val();
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
        self.overflow.wanted_enable.next = self.focus.memory.val() & self.wanted.val();
        self.overflow.wanted_slot.next = self.focus.slot.val();
        self.overflow.prepare_enable.next = self.prepare_enable.val();
        self.prepared.next = self.overflow.prepared.val();
        self.exhausted.next = self.overflow.exhausted.val();
        self.prepared_link.next = bit_cast::<LINK_BITS, SLOT_BITS>(self.overflow.slot.val()) | self.in_memory.val();
        self.valid.next = self.focus.valid.val();
        self.memory.next = self.focus.memory.val();
        self.ready.next = self.focus.ready.val();
        self.node.next = self.focus.node.val();
        self.arrived.next = self.focus.arrived.val();
        self.resume.next = self.focus.resume.val();
        self.above.next = self.focus.above.val();
        self.kind.next = self.focus.kind.val();

        // What becomes of it.
        self.change.idle.next = self.idle.val();
        self.change.climbs.next = self.climbs.val();
        self.change.counts.next = self.counts.val();
        self.change.acts.next = self.acts.val();
        self.change.joins.next = self.joins.val();
        self.change.empties.next = self.empties.val();
        self.change.detaches.next = self.detaches.val();
        self.change.diverges.next = self.diverges.val();
        self.change.opens.next = self.opens.val();
        self.change.joined.next = self.joined.val();
        self.change.later.next = self.later.val();
        self.change.withdraws.next = self.withdraws.val();
        self.change.leaf_rooted.next = self.leaf_rooted.val();
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
        self.change.opened_node.next = self.opened_node.val();
        self.change.opened_kind.next = self.opened_kind.val();
        self.change.opened_resume.next = self.opened_resume.val();
        self.change.opened_above.next = self.opened_above.val();
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
        self.climbing.next = self.change.climbing.val();
        self.counting.next = self.change.counting.val();
        self.arrived_next.next = self.change.arrived_next.val();
        self.last.next = self.change.last.val();
        self.resumes.next = self.change.resumes.val();
        self.frees.next = self.change.frees.val();
        self.removes_later.next = self.change.removes_later.val();

        self.memory_request_valid.next = self.overflow.memory_request_valid.val();
        self.memory_request_write.next = self.overflow.memory_request_write.val();
        self.memory_request_warp.next = self.overflow.memory_request_warp.val();
        self.memory_request_slot.next = self.overflow.memory_request_slot.val();
        self.memory_request_data.next = self.overflow.memory_request_data.val();
        self.overflow.memory_request_ready.next = self.memory_request_ready.val();
        self.overflow.memory_response_valid.next = self.memory_response_valid.val();
        self.overflow.memory_response_data.next = self.memory_response_data.val();
        self.memory_response_ready.next = self.overflow.memory_response_ready.val();
    }
}
