//! The waiting nodes of every warp, in RAM. A *waiting* node stands for an open region or call: the threads that have arrived at its
//! end, the address at which they go on, the node above it, its kind and the number of nodes below it.
//!
//! A link names a node: bits 11:0 its index, bit 12 set if it lies in memory (`node_overflow`), bit 13 set if there is one.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose nodes |
//! | `waiting_node` | in | `NODE_BITS` | the waiting node that is read |
//! | `arrived`, `resume`, `above`, `kind`, `children` | out | | what it holds |
//! | `waiting_write_*` | in | | a waiting node written |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until written.
//! **Source** US 2015/0205606, the tree divergence table; TD-01, TD-02.
//! **See also** `region_nodes`, `leaf_table` for the leaves, `free_list`.

use crate::prelude::*;

/// Width of a link: index, where it lies, whether there is one.
pub const LINK_BITS: usize = 14;
/// The bit of a link that says that the node lies in memory.
pub const LINK_MEMORY: usize = 12;
/// The bit of a link that says that there is a node.
pub const LINK_VALID: usize = 13;
/// Width of a number of children: one for each of up to 256 threads.
pub const CHILDREN_BITS: usize = 9;

block! {
    /// `SET_BITS` is the width of a set of threads, `ENTRY_BITS` = log2 of warps × nodes; see the module's page.
    pub struct NodeTable<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize,
        const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose nodes.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The waiting node that is read.
            pub waiting_node: Signal<In, Bits<NODE_BITS>>,
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
            /// A waiting node is written.
            pub waiting_write_enable: Signal<In, Bit>,
            /// Which.
            pub waiting_write_node: Signal<In, Bits<NODE_BITS>>,
            /// Its threads that have arrived.
            pub waiting_write_arrived: Signal<In, Bits<SET_BITS>>,
            /// Where they go on.
            pub waiting_write_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub waiting_write_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub waiting_write_kind: Signal<In, Bits<4>>,
            /// Nodes below it.
            pub waiting_write_children: Signal<In, Bits<CHILDREN_BITS>>,
        }
        parts {
            arrivals: RegisterFile<ENTRY_BITS, SET_BITS>,
            resumes: RegisterFile<ENTRY_BITS, ADDRESS_BITS>,
            aboves: RegisterFile<ENTRY_BITS, LINK_BITS>,
            kinds: RegisterFile<ENTRY_BITS, 4>,
            counts: RegisterFile<ENTRY_BITS, CHILDREN_BITS>,
            base: Signal<Local, Bits<ENTRY_BITS>>,
            waiting_read: Signal<Local, Bits<ENTRY_BITS>>,
            waiting_write: Signal<Local, Bits<ENTRY_BITS>>,
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
    > Logic for NodeTable<WARP_BITS, SET_BITS, ADDRESS_BITS, NODE_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arrivals, resumes, aboves, kinds, counts);
        self.base.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.warp.val()) << self.node_bits.val();
        self.waiting_read.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.waiting_node.val());
        self.waiting_write.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.waiting_write_node.val());

        self.arrivals.read_address.next = self.waiting_read.val();
        self.arrived.next = self.arrivals.read_data.val();
        self.resumes.read_address.next = self.waiting_read.val();
        self.resume.next = self.resumes.read_data.val();
        self.aboves.read_address.next = self.waiting_read.val();
        self.above.next = self.aboves.read_data.val();
        self.kinds.read_address.next = self.waiting_read.val();
        self.kind.next = self.kinds.read_data.val();
        self.counts.read_address.next = self.waiting_read.val();
        self.children.next = self.counts.read_data.val();

        self.arrivals.write_enable.next = self.waiting_write_enable.val();
        self.arrivals.write_address.next = self.waiting_write.val();
        self.arrivals.write_data.next = self.waiting_write_arrived.val();
        self.resumes.write_enable.next = self.waiting_write_enable.val();
        self.resumes.write_address.next = self.waiting_write.val();
        self.resumes.write_data.next = self.waiting_write_resume.val();
        self.aboves.write_enable.next = self.waiting_write_enable.val();
        self.aboves.write_address.next = self.waiting_write.val();
        self.aboves.write_data.next = self.waiting_write_above.val();
        self.kinds.write_enable.next = self.waiting_write_enable.val();
        self.kinds.write_address.next = self.waiting_write.val();
        self.kinds.write_data.next = self.waiting_write_kind.val();
        self.counts.write_enable.next = self.waiting_write_enable.val();
        self.counts.write_address.next = self.waiting_write.val();
        self.counts.write_data.next = self.waiting_write_children.val();
    }
}
