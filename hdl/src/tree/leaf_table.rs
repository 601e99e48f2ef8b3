//! The ready leaves of every warp, in RAM: a *leaf* is a set of threads that runs, their next instruction and the node above it.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose leaves |
//! | `leaf_node` | in | `NODE_BITS` | the leaf that is read |
//! | `leaf_mask`, `leaf_address`, `leaf_link` | out | | what it holds |
//! | `leaf_write_*` | in | | a leaf written |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until written.
//! **Source** US 2015/0205606, the tree divergence table; TD-01.
//! **See also** `ready_leaves`, `node_table` for the waiting nodes and for what a link is.

use super::node_table::LINK_BITS;
use crate::prelude::*;

block! {
    /// `SET_BITS` is the width of a set of threads, `ENTRY_BITS` = log2 of warps × nodes; see the module's page.
    pub struct LeafTable<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
        const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose leaves.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The leaf that is read.
            pub leaf_node: Signal<In, Bits<NODE_BITS>>,
            /// Its threads.
            pub leaf_mask: Signal<Out, Bits<SET_BITS>>,
            /// Its next instruction.
            pub leaf_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_link: Signal<Out, Bits<LINK_BITS>>,
            /// A leaf is written.
            pub leaf_write_enable: Signal<In, Bit>,
            /// Which.
            pub leaf_write_node: Signal<In, Bits<NODE_BITS>>,
            /// Its threads.
            pub leaf_write_mask: Signal<In, Bits<SET_BITS>>,
            /// Its next instruction.
            pub leaf_write_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_write_link: Signal<In, Bits<LINK_BITS>>,
        }
        parts {
            masks: RegisterFile<ENTRY_BITS, SET_BITS>,
            addresses: RegisterFile<ENTRY_BITS, ADDRESS_BITS>,
            links: RegisterFile<ENTRY_BITS, LINK_BITS>,
            base: Signal<Local, Bits<ENTRY_BITS>>,
            leaf_read: Signal<Local, Bits<ENTRY_BITS>>,
            leaf_write: Signal<Local, Bits<ENTRY_BITS>>,
            node_bits: Constant<Bits<5>> = Constant::new(bits(NODE_BITS as u64)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const ENTRY_BITS: usize,
    > Logic for LeafTable<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, masks, addresses, links);
        self.base.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.warp.val()) << self.node_bits.val();
        self.leaf_read.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.leaf_node.val());
        self.leaf_write.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.leaf_write_node.val());
        self.masks.read_address.next = self.leaf_read.val();
        self.leaf_mask.next = self.masks.read_data.val();
        self.addresses.read_address.next = self.leaf_read.val();
        self.leaf_address.next = self.addresses.read_data.val();
        self.links.read_address.next = self.leaf_read.val();
        self.leaf_link.next = self.links.read_data.val();

        self.masks.write_enable.next = self.leaf_write_enable.val();
        self.masks.write_address.next = self.leaf_write.val();
        self.masks.write_data.next = self.leaf_write_mask.val();
        self.addresses.write_enable.next = self.leaf_write_enable.val();
        self.addresses.write_address.next = self.leaf_write.val();
        self.addresses.write_data.next = self.leaf_write_address.val();
        self.links.write_enable.next = self.leaf_write_enable.val();
        self.links.write_address.next = self.leaf_write.val();
        self.links.write_data.next = self.leaf_write_link.val();
    }
}
