//! What becomes of the waiting node in focus: threads arrive, children come and go. Without its last child it is a leaf of those who
//! arrived, or free if nobody did. The node that an instruction opens is written through the same port.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `idle`, `climbs`, `counts` | in | the instruction's own cycle; a node lost a child; a node gains one |
//! | `acts`, `joins`, `empties`, `detaches`, `diverges`, `opens`, `joined` | in | what the instruction does in this cycle; who has arrived after a join |
//! | `later`, `withdraws`, `leaf_rooted` | in | the node is changed from the next cycle on; the warp is being saved; there is a node above the leaf |
//! | `focus_*` | in | the node in focus |
//! | `opened_*` | in | the node opened: where it is put, its kind, its end, the node above it |
//! | `arrived_next`, `last`, `resumes`, `frees` | out | who has arrived now; its last child goes; it becomes a leaf; it is free |
//! | `removes_later` | out | the node above the leaf loses a child in the next cycles |
//! | `write_*` | out | new contents, for the table or the overflow |
//!
//! **Timing** combinational. An instruction that finds its node directly above changes it in its own cycle.
//! **Invariants** 1. a node that is changed is either written, resumed or freed. 2. it is written where it lies. 3. its children are
//! counted: it ends with the last one, not before. 4. no thread that has arrived is lost, unless its warp is being saved. 5. a node
//! that is opened waits with nobody and one child.
//! **Source** US 2015/0205606, claim 1; TD-05, TD-06.
//! **See also** `focus_node`, `tree_step`.

use super::node_table::{CHILDREN_BITS, LINK_BITS};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct NodeChange<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> {
        ports {
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
            /// Those that have arrived at the node if they do.
            pub joined: Signal<In, Bits<SET_BITS>>,
            /// The node above the leaf is left alone in the instruction's own cycle.
            pub later: Signal<In, Bit>,
            /// The warp is being saved: nobody goes on.
            pub withdraws: Signal<In, Bit>,
            /// There is a node above the leaf.
            pub leaf_rooted: Signal<In, Bit>,
            /// There is a node in focus.
            pub focus_valid: Signal<In, Bit>,
            /// It lies in memory.
            pub focus_memory: Signal<In, Bit>,
            /// It can be looked at.
            pub focus_ready: Signal<In, Bit>,
            /// Where it lies in the table.
            pub focus_node: Signal<In, Bits<NODE_BITS>>,
            /// Threads that have arrived.
            pub focus_arrived: Signal<In, Bits<SET_BITS>>,
            /// Where they go on.
            pub focus_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub focus_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub focus_kind: Signal<In, Bits<4>>,
            /// Nodes below it.
            pub focus_children: Signal<In, Bits<CHILDREN_BITS>>,
            /// The node opened lies in memory.
            pub opened_memory: Signal<In, Bit>,
            /// Where it is put in the table.
            pub opened_node: Signal<In, Bits<NODE_BITS>>,
            /// Its kind.
            pub opened_kind: Signal<In, Bits<4>>,
            /// Where its threads will go on.
            pub opened_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub opened_above: Signal<In, Bits<LINK_BITS>>,
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
            /// A node of the table is written.
            pub write_table: Signal<Out, Bit>,
            /// A node of the overflow is written.
            pub write_overflow: Signal<Out, Bit>,
            /// The node of the overflow is given back.
            pub vacates: Signal<Out, Bit>,
            /// Where it lies in the table.
            pub write_node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads that have arrived.
            pub write_arrived: Signal<Out, Bits<SET_BITS>>,
            /// Where they go on.
            pub write_resume: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub write_above: Signal<Out, Bits<LINK_BITS>>,
            /// Its kind.
            pub write_kind: Signal<Out, Bits<4>>,
            /// Nodes below it.
            pub write_children: Signal<Out, Bits<CHILDREN_BITS>>,
        }
        parts {
            unlinks: Signal<Local, Bit>,
            direct: Signal<Local, Bit>,
            removing: Signal<Local, Bit>,
            adding: Signal<Local, Bit>,
            changes: Signal<Local, Bit>,
        }
    }
}

impl<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> Logic
    for NodeChange<SET_BITS, ADDRESS_BITS, NODE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        // A child goes: at once if the node is at hand, else in the cycles that follow.
        self.unlinks.next = self.acts.val() & (self.empties.val() | self.detaches.val());
        self.direct.next = self.idle.val() & !self.later.val() & !self.focus_memory.val();
        self.removes_later.next = self.unlinks.val() & !self.direct.val() & self.leaf_rooted.val();
        self.climbing.next = self.climbs.val() & self.focus_valid.val() & self.focus_ready.val();
        self.removing.next = (self.unlinks.val() & self.direct.val() & self.focus_valid.val()) | self.climbing.val();

        // A child comes.
        self.counting.next = self.counts.val() & self.focus_ready.val();
        self.adding.next =
            (self.acts.val() & self.diverges.val() & !self.opens.val() & self.focus_valid.val()) | self.counting.val();

        // Threads arrive.
        self.arrived_next.next = self.focus_arrived.val();
        if self.acts.val() & self.joins.val() {
            self.arrived_next.next = self.joined.val();
        }
        self.last.next = self.removing.val() & (self.focus_children.val() == 1);
        self.resumes.next = self.last.val() & self.arrived_next.val().any() & !self.withdraws.val();
        self.frees.next = self.last.val() & (!self.arrived_next.val().any() | self.withdraws.val());

        self.changes.next =
            ((self.acts.val() & self.joins.val()) | self.removing.val() | self.adding.val()) & !self.last.val();
        self.write_node.next = self.focus_node.val();
        self.write_arrived.next = self.arrived_next.val();
        self.write_resume.next = self.focus_resume.val();
        self.write_above.next = self.focus_above.val();
        self.write_kind.next = self.focus_kind.val();
        self.write_children.next = self.focus_children.val();
        if self.adding.val() {
            self.write_children.next = self.focus_children.val() + 1;
        }
        if self.removing.val() {
            self.write_children.next = self.focus_children.val() - 1;
        }
        if self.acts.val() & self.opens.val() {
            self.write_node.next = self.opened_node.val();
            self.write_arrived.next = 0.into();
            self.write_resume.next = self.opened_resume.val();
            self.write_above.next = self.opened_above.val();
            self.write_kind.next = self.opened_kind.val();
            self.write_children.next = 1.into();
        }
        self.write_table.next = (self.acts.val() & self.opens.val() & !self.opened_memory.val())
            | (self.changes.val() & !self.focus_memory.val());
        self.write_overflow.next = (self.acts.val() & self.opens.val() & self.opened_memory.val())
            | (self.changes.val() & self.focus_memory.val());
        self.vacates.next = self.last.val() & self.focus_memory.val();
    }
}
