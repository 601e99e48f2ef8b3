//! Which leaf of each warp issues next: the ready leaves wait in a ring, so they take turns.
//!
//! The selected leaf itself is not in the ring: when it has issued it goes to the back, and the front is selected.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose leaves |
//! | `clear_enable` | in | 1 | no leaf waits: the warp starts |
//! | `front_node`, `empty` | out | `NODE_BITS`, 1 | the leaf that waits longest; none waits |
//! | `push_enable`, `push_node` | in | 1, `NODE_BITS` | a leaf goes to the back |
//! | `push_front` | in | 1 | it goes to the front instead: it was selected and has not issued; not with a pop |
//! | `pop_enable` | in | 1 | the front is selected, or leaves the table |
//!
//! **Timing** the front is combinational; one push and one pop a cycle, which show in the next.
//! **Invariants** 1. first in, first out, but for `push_front`: a leaf is selected after at most as many pops as leaves were ready when it was pushed.
//! 2. `empty` tells whether more were pushed than left.
//! **Source** US 2015/0205606, concurrent execution of the leaves; TD-04, TD-11.
//! **See also** `tree_divergence_table`.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `NODE_BITS` + 1; see the module's page.
    pub struct LeafSelector<
        const WARP_BITS: usize, const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high; the ring has nothing to reset.
            pub reset: Signal<In, Bit>,
            /// Whose leaves.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// No leaf of the warp waits.
            pub clear_enable: Signal<In, Bit>,
            /// The leaf that waits longest.
            pub front_node: Signal<Out, Bits<NODE_BITS>>,
            /// None waits.
            pub empty: Signal<Out, Bit>,
            /// A leaf goes to the back.
            pub push_enable: Signal<In, Bit>,
            /// Which.
            pub push_node: Signal<In, Bits<NODE_BITS>>,
            /// To the front instead; not together with a pop.
            pub push_front: Signal<In, Bit>,
            /// The front leaves the ring.
            pub pop_enable: Signal<In, Bit>,
        }
        parts {
            heads: RegisterFile<WARP_BITS, NODE_BITS>,
            counts: RegisterFile<WARP_BITS, COUNT_BITS>,
            ring: RegisterFile<ENTRY_BITS, NODE_BITS>,
            base: Signal<Local, Bits<ENTRY_BITS>>,
            head: Signal<Local, Bits<NODE_BITS>>,
            count: Signal<Local, Bits<COUNT_BITS>>,
            back: Signal<Local, Bits<NODE_BITS>>,
            node_bits: Constant<Bits<5>> = Constant::new(bits(NODE_BITS as u64)),
        }
    }
}

impl<const WARP_BITS: usize, const NODE_BITS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize> Logic
    for LeafSelector<WARP_BITS, NODE_BITS, COUNT_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, heads, counts, ring);
        self.heads.read_address.next = self.warp.val();
        self.counts.read_address.next = self.warp.val();
        self.head.next = self.heads.read_data.val();
        self.count.next = self.counts.read_data.val();
        self.empty.next = !self.count.val().any();
        self.back.next = self.head.val() + bit_cast::<NODE_BITS, COUNT_BITS>(self.count.val());
        self.base.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.warp.val()) << self.node_bits.val();
        self.ring.read_address.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.head.val());
        self.front_node.next = self.ring.read_data.val();

        self.ring.write_enable.next = self.push_enable.val();
        self.ring.write_address.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.back.val());
        self.ring.write_data.next = self.push_node.val();
        self.heads.write_enable.next = self.pop_enable.val() | self.push_front.val() | self.clear_enable.val();
        self.heads.write_address.next = self.warp.val();
        self.heads.write_data.next = self.head.val() + 1;
        if self.push_front.val() {
            self.ring.write_address.next = self.base.val() | bit_cast::<ENTRY_BITS, NODE_BITS>(self.head.val() - 1);
            self.heads.write_data.next = self.head.val() - 1;
        }
        self.counts.write_enable.next = (self.push_enable.val() ^ self.pop_enable.val()) | self.clear_enable.val();
        self.counts.write_address.next = self.warp.val();
        self.counts.write_data.next = self.count.val() - 1;
        if self.push_enable.val() {
            self.counts.write_data.next = self.count.val() + 1;
        }
        if self.clear_enable.val() {
            self.heads.write_data.next = 0.into();
            self.counts.write_data.next = 0.into();
        }
    }
}
