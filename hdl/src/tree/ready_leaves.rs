//! The ready leaves of every warp: the selected one, those that wait for their turn, and who follows when an instruction has acted.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `warp`, `present` | in | whose leaves; it has a selected one |
//! | `acts`, …, `unites` | in | what the instruction at work does, as in `leaf_turns` |
//! | `stay_*`, `second_*`, `resumed_*`, `return_*`, `launch_*` | in | the leaves that it leaves behind, as in `leaf_turns` |
//! | `evicted` | in | the leaf that waits longest has gone to memory |
//! | `node`, `mask`, `address`, `link` | out | the selected leaf |
//! | `front_none`, `front_*` | out | nobody waits; the leaf that waits longest |
//! | `merges`, `selects`, `deselects` | out | the selected leaf and the front one become one; a leaf is selected; none is |
//! | `query_warp`, `query_mask`, `query_address` | in / out | the leaf of the warp that an observer looks at |
//!
//! **Timing** reads are combinational; what an instruction leaves behind shows in the next cycle.
//! **Source** US 2015/0205606, concurrent execution of the leaves; TD-04, TD-11.
//! **See also** `leaf_turns`, `leaf_selector`, `leaf_table`, `selected_leaf`; `region_nodes` for the other nodes.

use super::leaf_selector::LeafSelector;
use super::leaf_table::LeafTable;
use super::leaf_turns::LeafTurns;
use super::node_table::LINK_BITS;
use super::selected_leaf::SelectedLeaf;
use crate::prelude::*;

block! {
    /// `SET_BITS` is the width of a set of threads, `COUNT_BITS` = `NODE_BITS` + 1, `ENTRY_BITS` = log2 of warps × nodes; see the
    /// module's page.
    pub struct ReadyLeaves<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
        const COUNT_BITS: usize, const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Whose leaves.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp has a selected leaf.
            pub present: Signal<In, Bit>,
            /// The warp starts.
            pub launched: Signal<In, Bit>,
            /// An instruction acts.
            pub acts: Signal<In, Bit>,
            /// It is a wake-up.
            pub waking: Signal<In, Bit>,
            /// There is a second leaf.
            pub creates: Signal<In, Bit>,
            /// It has a node.
            pub stores: Signal<In, Bit>,
            /// No thread stays in the leaf.
            pub empties: Signal<In, Bit>,
            /// The whole leaf becomes a tree of its own.
            pub detaches: Signal<In, Bit>,
            /// The woken go on with the selected leaf.
            pub wakes_here: Signal<In, Bit>,
            /// Leaves may merge.
            pub unites: Signal<In, Bit>,
            /// A node above the leaf lost a child in an earlier cycle.
            pub climbing: Signal<In, Bit>,
            /// A waiting node becomes a leaf.
            pub resumes: Signal<In, Bit>,
            /// It has a node.
            pub resumed_fits: Signal<In, Bit>,
            /// A leaf comes back from memory.
            pub returned: Signal<In, Bit>,
            /// Into a free node; else into that of the selected leaf, which went.
            pub refilled: Signal<In, Bit>,
            /// The leaf that waits longest has gone to memory.
            pub evicted: Signal<In, Bit>,
            /// The selected leaf after the instruction: threads.
            pub stay_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub stay_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub stay_link: Signal<In, Bits<LINK_BITS>>,
            /// The second leaf: its node.
            pub second_node: Signal<In, Bits<NODE_BITS>>,
            /// Threads.
            pub second_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub second_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub second_link: Signal<In, Bits<LINK_BITS>>,
            /// The leaf that a waiting node becomes: its node.
            pub resumed_node: Signal<In, Bits<NODE_BITS>>,
            /// Threads.
            pub resumed_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub resumed_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub resumed_link: Signal<In, Bits<LINK_BITS>>,
            /// The leaf that comes back: the free node.
            pub return_node: Signal<In, Bits<NODE_BITS>>,
            /// Threads.
            pub return_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub return_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub return_link: Signal<In, Bits<LINK_BITS>>,
            /// Threads of the warp that starts.
            pub launch_mask: Signal<In, Bits<SET_BITS>>,
            /// Its first instruction.
            pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The selected leaf: its node.
            pub node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads.
            pub mask: Signal<Out, Bits<SET_BITS>>,
            /// Next instruction.
            pub address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub link: Signal<Out, Bits<LINK_BITS>>,
            /// No leaf waits for its turn.
            pub front_none: Signal<Out, Bit>,
            /// The leaf that waits longest: its node.
            pub front_node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads.
            pub front_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub front_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub front_link: Signal<Out, Bits<LINK_BITS>>,
            /// The selected leaf and the front one become one.
            pub merges: Signal<Out, Bit>,
            /// A leaf is selected.
            pub selects: Signal<Out, Bit>,
            /// No leaf is selected.
            pub deselects: Signal<Out, Bit>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// Threads of its selected leaf.
            pub query_mask: Signal<Out, Bits<SET_BITS>>,
            /// Their next instruction.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        parts {
            kept: LeafTable<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>,
            selector: LeafSelector<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>,
            leaf: SelectedLeaf<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS>,
            turns: LeafTurns<SET_BITS, ADDRESS_BITS, NODE_BITS>,
        }
    }
}

impl<
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const COUNT_BITS: usize,
        const ENTRY_BITS: usize,
    > Logic for ReadyLeaves<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, kept, selector, leaf);
        self.selector.reset.next = self.reset.val();
        self.kept.warp.next = self.warp.val();
        self.selector.warp.next = self.warp.val();
        self.leaf.warp.next = self.warp.val();
        self.selector.clear_enable.next = self.launched.val();
        self.node.next = self.leaf.node.val();
        self.mask.next = self.leaf.mask.val();
        self.address.next = self.leaf.address.val();
        self.link.next = self.leaf.link.val();
        self.kept.leaf_node.next = self.selector.front_node.val();
        self.front_none.next = self.selector.empty.val();
        self.front_node.next = self.selector.front_node.val();
        self.front_mask.next = self.kept.leaf_mask.val();
        self.front_address.next = self.kept.leaf_address.val();
        self.front_link.next = self.kept.leaf_link.val();

        // Whose turn it is next.
        self.turns.acts.next = self.acts.val();
        self.turns.waking.next = self.waking.val();
        self.turns.present.next = self.present.val();
        self.turns.creates.next = self.creates.val();
        self.turns.stores.next = self.stores.val();
        self.turns.empties.next = self.empties.val();
        self.turns.detaches.next = self.detaches.val();
        self.turns.wakes_here.next = self.wakes_here.val();
        self.turns.unites.next = self.unites.val();
        self.turns.climbing.next = self.climbing.val();
        self.turns.resumes.next = self.resumes.val();
        self.turns.resumed_fits.next = self.resumed_fits.val();
        self.turns.returned.next = self.returned.val();
        self.turns.refilled.next = self.refilled.val();
        self.turns.launched.next = self.launched.val();
        self.turns.leaf_node.next = self.leaf.node.val();
        self.turns.leaf_mask.next = self.leaf.mask.val();
        self.turns.leaf_address.next = self.leaf.address.val();
        self.turns.leaf_link.next = self.leaf.link.val();
        self.turns.stay_mask.next = self.stay_mask.val();
        self.turns.stay_address.next = self.stay_address.val();
        self.turns.stay_link.next = self.stay_link.val();
        self.turns.second_node.next = self.second_node.val();
        self.turns.second_mask.next = self.second_mask.val();
        self.turns.second_address.next = self.second_address.val();
        self.turns.second_link.next = self.second_link.val();
        self.turns.resumed_node.next = self.resumed_node.val();
        self.turns.resumed_mask.next = self.resumed_mask.val();
        self.turns.resumed_address.next = self.resumed_address.val();
        self.turns.resumed_link.next = self.resumed_link.val();
        self.turns.front_none.next = self.selector.empty.val();
        self.turns.front_node.next = self.selector.front_node.val();
        self.turns.front_mask.next = self.kept.leaf_mask.val();
        self.turns.front_address.next = self.kept.leaf_address.val();
        self.turns.front_link.next = self.kept.leaf_link.val();
        self.turns.return_node.next = self.return_node.val();
        self.turns.return_mask.next = self.return_mask.val();
        self.turns.return_address.next = self.return_address.val();
        self.turns.return_link.next = self.return_link.val();
        self.turns.launch_mask.next = self.launch_mask.val();
        self.turns.launch_address.next = self.launch_address.val();

        self.selector.push_enable.next = self.turns.pushes.val();
        self.selector.push_node.next = self.turns.ready_node.val();
        self.selector.push_front.next = self.turns.push_front.val();
        self.selector.pop_enable.next = self.turns.pops.val() | self.evicted.val();
        self.kept.leaf_write_enable.next = self.turns.pushes.val();
        self.kept.leaf_write_node.next = self.turns.ready_node.val();
        self.kept.leaf_write_mask.next = self.turns.ready_mask.val();
        self.kept.leaf_write_address.next = self.turns.ready_address.val();
        self.kept.leaf_write_link.next = self.turns.ready_link.val();
        self.leaf.write_enable.next = self.turns.select_enable.val();
        self.leaf.write_node.next = self.turns.select_node.val();
        self.leaf.write_mask.next = self.turns.select_mask.val();
        self.leaf.write_address.next = self.turns.select_address.val();
        self.leaf.write_link.next = self.turns.select_link.val();
        self.merges.next = self.turns.merges.val();
        self.selects.next = self.turns.select_enable.val();
        self.deselects.next = self.turns.deselects.val();
        self.leaf.query_warp.next = self.query_warp.val();
        self.query_mask.next = self.leaf.query_mask.val();
        self.query_address.next = self.leaf.query_address.val();
    }
}
