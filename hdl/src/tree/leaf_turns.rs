//! Which leaf becomes ready in a cycle, and which is selected next: the one that stays, the one that waits longest, one that resumes,
//! one that comes back from memory, or that of a warp that starts.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `acts`, `waking`, `present` | in | an instruction acts; it is a wake-up; the warp has a selected leaf |
//! | `creates`, `stores`, `empties`, `detaches`, `wakes_here` | in | what it does; the second leaf has a node |
//! | `climbing`, `resumes`, `resumed_fits` | in | a waiting node that lost a child becomes a leaf, and has a node |
//! | `returned`, `refilled` | in | a leaf comes back from memory; into a free node |
//! | `launched`, `unites` | in | the warp starts; leaves may merge |
//! | `leaf_*`, `stay_*`, `second_*`, `resumed_*`, `front_*`, `return_*`, `launch_*` | in | the leaves in question |
//! | `rotates`, `merges` | out | the selected leaf's turn is over; it and the front one become one |
//! | `pushes`, `push_front`, `pops` | out | a leaf goes to the back or to the front of the ring; the front leaves it |
//! | `ready_*` | out | the leaf that goes there |
//! | `select_enable`, `select_*`, `deselects` | out | the leaf selected next; there is none |
//!
//! **Timing** combinational.
//! **Invariants** 1. a leaf that came back from memory is selected at once, and nothing else moves before it has run: so none is sent
//! away again and again. 2. only trees that are a leaf alone merge. 3. no thread is lost by a turn, and a leaf is selected after it
//! unless there is none. 4. the leaf that stays beside a second one is still selected.
//! **Source** US 2015/0205606, concurrent execution of the leaves; TD-04, TD-11.
//! **See also** `tree_step`, `leaf_selector`.

use super::node_table::{LINK_BITS, LINK_VALID};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct LeafTurns<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> {
        ports {
            /// An instruction acts.
            pub acts: Signal<In, Bit>,
            /// It is a wake-up.
            pub waking: Signal<In, Bit>,
            /// The warp has a selected leaf.
            pub present: Signal<In, Bit>,
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
            /// The warp starts.
            pub launched: Signal<In, Bit>,
            /// Two sets of threads can become one in a cycle: they are masks.
            pub unites: Signal<In, Bit>,
            /// The selected leaf: its node.
            pub leaf_node: Signal<In, Bits<NODE_BITS>>,
            /// Its threads.
            pub leaf_mask: Signal<In, Bits<SET_BITS>>,
            /// Its next instruction.
            pub leaf_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_link: Signal<In, Bits<LINK_BITS>>,
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
            /// No leaf waits in the ring.
            pub front_none: Signal<In, Bit>,
            /// The leaf that waits longest: its node.
            pub front_node: Signal<In, Bits<NODE_BITS>>,
            /// Threads.
            pub front_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub front_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub front_link: Signal<In, Bits<LINK_BITS>>,
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
            /// The selected leaf's turn is over.
            pub rotates: Signal<Out, Bit>,
            /// It and the front one become one.
            pub merges: Signal<Out, Bit>,
            /// A leaf goes into the ring.
            pub pushes: Signal<Out, Bit>,
            /// To its front.
            pub push_front: Signal<Out, Bit>,
            /// The front leaves the ring.
            pub pops: Signal<Out, Bit>,
            /// The leaf that goes into the ring: its node.
            pub ready_node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads.
            pub ready_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub ready_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub ready_link: Signal<Out, Bits<LINK_BITS>>,
            /// A leaf is selected.
            pub select_enable: Signal<Out, Bit>,
            /// Its node.
            pub select_node: Signal<Out, Bits<NODE_BITS>>,
            /// Threads.
            pub select_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub select_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub select_link: Signal<Out, Bits<LINK_BITS>>,
            /// No leaf is selected.
            pub deselects: Signal<Out, Bit>,
        }
        parts {
            ready_leaf: Signal<Local, Bit>,
            detached: Signal<Local, Bit>,
            woken_here: Signal<Local, Bit>,
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
        }
    }
}

impl<const SET_BITS: usize, const ADDRESS_BITS: usize, const NODE_BITS: usize> Logic
    for LeafTurns<SET_BITS, ADDRESS_BITS, NODE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.detached.next = self.acts.val() & self.detaches.val() & self.resumes.val();
        self.woken_here.next = self.acts.val() & self.wakes_here.val();
        self.rotates.next =
            self.acts.val() & !self.waking.val() & !self.creates.val() & !(self.resumes.val() & self.detaches.val());

        // The leaf that becomes ready, if one does.
        self.ready_node.next = self.leaf_node.val();
        self.ready_mask.next = self.stay_mask.val();
        self.ready_address.next = self.stay_address.val();
        self.ready_link.next = self.stay_link.val();
        if self.stores.val() {
            self.ready_node.next = self.second_node.val();
            self.ready_mask.next = self.second_mask.val();
            self.ready_address.next = self.second_address.val();
            self.ready_link.next = self.second_link.val();
        }
        if self.climbing.val() | (self.resumes.val() & self.empties.val()) {
            self.ready_node.next = self.resumed_node.val();
            self.ready_mask.next = self.resumed_mask.val();
            self.ready_address.next = self.resumed_address.val();
            self.ready_link.next = self.resumed_link.val();
        }
        if self.returned.val() {
            self.ready_mask.next = self.leaf_mask.val();
            self.ready_address.next = self.leaf_address.val();
            self.ready_link.next = self.leaf_link.val();
        }
        self.ready_leaf.next = (self.rotates.val() & (!self.empties.val() | self.resumes.val()))
            | self.stores.val()
            | (self.resumes.val() & self.resumed_fits.val())
            | (self.refilled.val() & self.present.val());
        self.merges.next = self.rotates.val()
            & self.unites.val()
            & !self.empties.val()
            & !self.front_none.val()
            & !self.ready_link.val().get_bit(self.link_valid.val())
            & !self.front_link.val().get_bit(self.link_valid.val())
            & (self.ready_address.val() == self.front_address.val());
        self.pushes.next = self.ready_leaf.val() & !self.merges.val() & self.present.val();
        if self.rotates.val() & self.front_none.val() {
            self.pushes.next = false;
        }
        self.push_front.next = self.returned.val() & self.pushes.val();
        self.pops.next = self.rotates.val() & !self.front_none.val();

        // Whose turn it is next.
        self.select_enable.next = self.launched.val()
            | (self.creates.val() & !self.waking.val())
            | self.woken_here.val()
            | self.detached.val()
            | (self.rotates.val() & (self.ready_leaf.val() | !self.front_none.val()))
            | (self.ready_leaf.val() & !self.present.val())
            | self.returned.val();
        self.select_node.next = self.ready_node.val();
        self.select_mask.next = self.ready_mask.val();
        self.select_address.next = self.ready_address.val();
        self.select_link.next = self.ready_link.val();
        if self.pops.val() {
            self.select_node.next = self.front_node.val();
            self.select_mask.next = self.front_mask.val();
            self.select_address.next = self.front_address.val();
            self.select_link.next = self.front_link.val();
            if self.merges.val() {
                self.select_mask.next = self.front_mask.val() | self.ready_mask.val();
            }
        }
        if (self.creates.val() & self.present.val()) | self.woken_here.val() {
            self.select_node.next = self.leaf_node.val();
            self.select_mask.next = self.stay_mask.val();
            self.select_address.next = self.stay_address.val();
            self.select_link.next = self.stay_link.val();
        }
        if self.detached.val() {
            self.select_node.next = self.resumed_node.val();
            self.select_mask.next = self.resumed_mask.val();
            self.select_address.next = self.resumed_address.val();
            self.select_link.next = self.resumed_link.val();
        }
        if self.returned.val() {
            if self.refilled.val() {
                self.select_node.next = self.return_node.val();
            }
            self.select_mask.next = self.return_mask.val();
            self.select_address.next = self.return_address.val();
            self.select_link.next = self.return_link.val();
        }
        if self.launched.val() {
            self.select_node.next = 0.into();
            self.select_mask.next = self.launch_mask.val();
            self.select_address.next = self.launch_address.val();
            self.select_link.next = 0.into();
        }
        self.deselects.next = self.rotates.val() & self.front_none.val() & !self.ready_leaf.val();
    }
}
