//! Which nodes of each warp are free: two may be taken and one given back in a cycle.
//!
//! Nodes that were given back lie on a stack; nodes that were never taken since the warp's launch are those from a
//! mark on. So a launch takes one cycle, whatever the number of nodes.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose nodes |
//! | `clear_enable` | in | 1 | every node but node 0 is free: the warp starts |
//! | `first_node`, `second_node` | out | `NODE_BITS` | the two that would be taken |
//! | `none`, `single` | out | 1 | no node is free; exactly one is |
//! | `used` | out | `COUNT_BITS` | nodes that are not free |
//! | `take_first`, `take_second` | in | 1 | take them; the second only with the first, neither unless it is free |
//! | `release_enable`, `release_node` | in | 1, `NODE_BITS` | give one back |
//!
//! **Timing** answers are combinational, changes show in the next cycle.
//! **Invariants** 1. a node is never given twice without being given back in between. 2. none is lost: the list runs out only when all
//! are in use, and `used` counts those that are.
//! **Source** US 2015/0205606, nodes of the tree divergence table; TD-08.
//! **See also** `tree_divergence_table`.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `NODE_BITS` + 1; see the module's page.
    pub struct FreeList<
        const WARP_BITS: usize, const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose nodes.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// Every node of the warp is free, but node 0.
            pub clear_enable: Signal<In, Bit>,
            /// The node that would be taken first.
            pub first_node: Signal<Out, Bits<NODE_BITS>>,
            /// The node that would be taken second.
            pub second_node: Signal<Out, Bits<NODE_BITS>>,
            /// No node is free.
            pub none: Signal<Out, Bit>,
            /// Exactly one node is free.
            pub single: Signal<Out, Bit>,
            /// Nodes that are not free.
            pub used: Signal<Out, Bits<COUNT_BITS>>,
            /// Take the first.
            pub take_first: Signal<In, Bit>,
            /// Take the second as well.
            pub take_second: Signal<In, Bit>,
            /// A node is given back.
            pub release_enable: Signal<In, Bit>,
            /// Which.
            pub release_node: Signal<In, Bits<NODE_BITS>>,
        }
        parts {
            #[reads_back(write_enable)]
            counts: RegisterFile<WARP_BITS, COUNT_BITS>,
            marks: RegisterFile<WARP_BITS, COUNT_BITS>,
            #[reads_back(write_enable, write_address, write_data)]
            upper: RegisterFile<ENTRY_BITS, NODE_BITS>,
            lower: RegisterFile<ENTRY_BITS, NODE_BITS>,
            base: Signal<Local, Bits<ENTRY_BITS>>,
            count: Signal<Local, Bits<COUNT_BITS>>,
            mark: Signal<Local, Bits<COUNT_BITS>>,
            available: Signal<Local, Bits<COUNT_BITS>>,
            left: Signal<Local, Bits<COUNT_BITS>>,
            moved: Signal<Local, Bits<COUNT_BITS>>,
            node_bits: Constant<Bits<5>> = Constant::new(bits(NODE_BITS as u64)),
            nodes: Constant<Bits<COUNT_BITS>> = Constant::new(bits(1 << NODE_BITS)),
        }
    }
}

impl<const WARP_BITS: usize, const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize> Logic
    for FreeList<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, counts, marks, upper, lower);
        self.counts.read_address.next = self.warp.val();
        self.marks.read_address.next = self.warp.val();
        self.count.next = self.counts.read_data.val();
        self.mark.next = self.marks.read_data.val();
        self.base.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.warp.val()) << self.node_bits.val();
        self.upper.read_address.next = self.base.val()
            | bit_cast::<ENTRY_BITS, NODE_BITS>(bit_cast::<NODE_BITS, COUNT_BITS>(self.count.val()) - 1);
        self.lower.read_address.next = self.base.val()
            | bit_cast::<ENTRY_BITS, NODE_BITS>(bit_cast::<NODE_BITS, COUNT_BITS>(self.count.val()) - 2);

        // The stack first, then what was never taken.
        self.first_node.next = bit_cast::<NODE_BITS, COUNT_BITS>(self.mark.val());
        self.second_node.next = bit_cast::<NODE_BITS, COUNT_BITS>(self.mark.val()) + 1;
        if self.count.val().any() {
            self.first_node.next = self.upper.read_data.val();
            self.second_node.next = bit_cast::<NODE_BITS, COUNT_BITS>(self.mark.val());
        }
        if self.count.val() > 1 {
            self.second_node.next = self.lower.read_data.val();
        }
        self.available.next = self.count.val() + (self.nodes.val() - self.mark.val());
        self.used.next = self.mark.val() - self.count.val();
        self.none.next = !self.available.val().any();
        self.single.next = self.available.val() == 1;

        self.left.next = self.count.val();
        self.moved.next = self.mark.val();
        if self.take_first.val() {
            if self.count.val().any() {
                self.left.next = self.count.val() - 1;
            } else {
                self.moved.next = self.mark.val() + 1;
            }
        }
        if self.take_second.val() {
            if self.count.val() > 1 {
                self.left.next = self.count.val() - 2;
            } else if self.count.val().any() {
                self.moved.next = self.mark.val() + 1;
            } else {
                self.moved.next = self.mark.val() + 2;
            }
        }

        self.upper.write_enable.next = self.release_enable.val();
        self.upper.write_address.next =
            self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(bit_cast::<NODE_BITS, COUNT_BITS>(self.left.val()));
        self.upper.write_data.next = self.release_node.val();
        self.lower.write_enable.next = self.upper.write_enable.val();
        self.lower.write_address.next = self.upper.write_address.val();
        self.lower.write_data.next = self.upper.write_data.val();

        self.counts.write_enable.next =
            self.take_first.val() | self.take_second.val() | self.release_enable.val() | self.clear_enable.val();
        self.counts.write_address.next = self.warp.val();
        self.counts.write_data.next = self.left.val();
        if self.release_enable.val() {
            self.counts.write_data.next = self.left.val() + 1;
        }
        self.marks.write_data.next = self.moved.val();
        if self.clear_enable.val() {
            self.counts.write_data.next = 0.into();
            self.marks.write_data.next = 1.into();
        }
        self.marks.write_enable.next = self.counts.write_enable.val();
        self.marks.write_address.next = self.warp.val();
    }
}
