//! The waiting node in focus: the one above the selected leaf, in a sequence the one that the cursor names. It lies in the table or
//! in the registers of the overflow; whoever looks at it need not know.
//!
//! | port | direction | meaning |
//! | --- | --- | --- |
//! | `link` | in | names it |
//! | `table_*`, `overflow_*` | in | what the table holds at `node`; what the registers hold, if `overflow_shown` |
//! | `valid`, `memory`, `node`, `slot` | out | there is one; it lies in memory; where in the table, in memory |
//! | `ready` | out | what follows is about it |
//! | `arrived`, `resume`, `above`, `kind`, `children` | out | what it holds |
//!
//! **Timing** combinational.
//! **See also** `node_table` for links, `node_overflow`, `node_change`.

use super::node_overflow::SLOT_BITS;
use super::node_table::{CHILDREN_BITS, LINK_BITS, LINK_MEMORY, LINK_VALID};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct FocusNode<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> {
        ports {
            /// Names the node.
            pub link: Signal<In, Bits<LINK_BITS>>,
            /// Of the node of the table: threads that have arrived.
            pub table_arrived: Signal<In, Bits<SET_BITS>>,
            /// Where they go on.
            pub table_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub table_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub table_kind: Signal<In, Bits<4>>,
            /// Nodes below it.
            pub table_children: Signal<In, Bits<CHILDREN_BITS>>,
            /// The node named is in the registers.
            pub overflow_shown: Signal<In, Bit>,
            /// Of the node in the registers: threads that have arrived.
            pub overflow_arrived: Signal<In, Bits<SET_BITS>>,
            /// Where they go on.
            pub overflow_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub overflow_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub overflow_kind: Signal<In, Bits<4>>,
            /// Nodes below it.
            pub overflow_children: Signal<In, Bits<CHILDREN_BITS>>,
            /// There is a node.
            pub valid: Signal<Out, Bit>,
            /// It lies in memory.
            pub memory: Signal<Out, Bit>,
            /// Where it lies in the table.
            pub node: Signal<Out, Bits<NODE_BITS>>,
            /// Where it lies in memory.
            pub slot: Signal<Out, Bits<SLOT_BITS>>,
            /// It can be looked at.
            pub ready: Signal<Out, Bit>,
            /// Threads that have arrived.
            pub arrived: Signal<Out, Bits<SET_BITS>>,
            /// Where they go on.
            pub resume: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub above: Signal<Out, Bits<LINK_BITS>>,
            /// Its kind.
            pub kind: Signal<Out, Bits<4>>,
            /// Nodes below it.
            pub children: Signal<Out, Bits<CHILDREN_BITS>>,
        }
        parts {
            link_memory: Constant<Bits<4>> = Constant::new(bits(LINK_MEMORY as u64)),
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
        }
    }
}

impl<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> Logic
    for FocusNode<SET_BITS, ADDRESS_BITS, NODE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.next = self.link.val().get_bit(self.link_valid.val());
        self.memory.next = self.valid.val() & self.link.val().get_bit(self.link_memory.val());
        self.node.next = bit_cast::<NODE_BITS, LINK_BITS>(self.link.val());
        self.slot.next = bit_cast::<SLOT_BITS, LINK_BITS>(self.link.val());
        self.ready.next = !self.memory.val() | self.overflow_shown.val();
        self.arrived.next = self.table_arrived.val();
        self.resume.next = self.table_resume.val();
        self.above.next = self.table_above.val();
        self.kind.next = self.table_kind.val();
        self.children.next = self.table_children.val();
        if self.memory.val() {
            self.arrived.next = self.overflow_arrived.val();
            self.resume.next = self.overflow_resume.val();
            self.above.next = self.overflow_above.val();
            self.kind.next = self.overflow_kind.val();
            self.children.next = self.overflow_children.val();
        }
    }
}
