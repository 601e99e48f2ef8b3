//! The selected leaf of each warp, at hand without looking it up in the node table.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose leaf is read and written |
//! | `node`, `mask`, `address`, `link` | out | | its node, its threads, its next instruction, the node above it |
//! | `write_enable`, `write_node`, `write_mask`, `write_address`, `write_link` | in | | another one, or the same one changed |
//! | `query_warp` | in | `WARP_BITS` | the warp that an observer looks at |
//! | `query_mask`, `query_address` | out | | its leaf |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until written.
//! **See also** `tree_divergence_table`; `node_table` for what a link is.

use super::node_table::LINK_BITS;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct SelectedLeaf<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose leaf.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// Its node.
            pub node: Signal<Out, Bits<NODE_BITS>>,
            /// Its threads.
            pub mask: Signal<Out, Bits<SET_BITS>>,
            /// Its next instruction.
            pub address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub link: Signal<Out, Bits<LINK_BITS>>,
            /// Take what follows.
            pub write_enable: Signal<In, Bit>,
            /// New node.
            pub write_node: Signal<In, Bits<NODE_BITS>>,
            /// New threads.
            pub write_mask: Signal<In, Bits<SET_BITS>>,
            /// New address.
            pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// New link.
            pub write_link: Signal<In, Bits<LINK_BITS>>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub query_mask: Signal<Out, Bits<SET_BITS>>,
            /// Its next instruction.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        parts {
            nodes: RegisterFile<WARP_BITS, NODE_BITS>,
            masks: RegisterFile<WARP_BITS, SET_BITS>,
            addresses: RegisterFile<WARP_BITS, ADDRESS_BITS>,
            links: RegisterFile<WARP_BITS, LINK_BITS>,
            masks_query: RegisterFile<WARP_BITS, SET_BITS>,
            addresses_query: RegisterFile<WARP_BITS, ADDRESS_BITS>,
        }
    }
}

impl<const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> Logic
    for SelectedLeaf<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, nodes, masks, addresses, links, masks_query, addresses_query);
        self.nodes.read_address.next = self.warp.val();
        self.node.next = self.nodes.read_data.val();
        self.masks.read_address.next = self.warp.val();
        self.mask.next = self.masks.read_data.val();
        self.addresses.read_address.next = self.warp.val();
        self.address.next = self.addresses.read_data.val();
        self.links.read_address.next = self.warp.val();
        self.link.next = self.links.read_data.val();
        self.masks_query.read_address.next = self.query_warp.val();
        self.query_mask.next = self.masks_query.read_data.val();
        self.addresses_query.read_address.next = self.query_warp.val();
        self.query_address.next = self.addresses_query.read_data.val();

        self.nodes.write_enable.next = self.write_enable.val();
        self.nodes.write_address.next = self.warp.val();
        self.nodes.write_data.next = self.write_node.val();
        self.masks.write_enable.next = self.write_enable.val();
        self.masks.write_address.next = self.warp.val();
        self.masks.write_data.next = self.write_mask.val();
        self.addresses.write_enable.next = self.write_enable.val();
        self.addresses.write_address.next = self.warp.val();
        self.addresses.write_data.next = self.write_address.val();
        self.links.write_enable.next = self.write_enable.val();
        self.links.write_address.next = self.warp.val();
        self.links.write_data.next = self.write_link.val();
        self.masks_query.write_enable.next = self.write_enable.val();
        self.masks_query.write_address.next = self.warp.val();
        self.masks_query.write_data.next = self.write_mask.val();
        self.addresses_query.write_enable.next = self.write_enable.val();
        self.addresses_query.write_address.next = self.warp.val();
        self.addresses_query.write_data.next = self.write_address.val();
    }
}
