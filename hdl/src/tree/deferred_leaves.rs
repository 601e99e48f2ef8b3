//! Where the deferred leaves of each warp lie in memory: a ring of 2^`RING_BITS` words, first in, first out, and when one must come back.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | whose leaves |
//! | `clear_enable` | in | 1 | none: the warp starts |
//! | `interval` | in | 8 | an exchange is due every so many instructions (0 means 256) |
//! | `present` | out | 1 | leaves are deferred |
//! | `back_slot`, `front_slot` | out | `RING_BITS` | where the next one goes; where the oldest lies |
//! | `append_enable` | in | 1 | a leaf was written to the back |
//! | `take_enable` | in | 1 | the front came back |
//! | `count_enable` | in | 1 | the warp issued an instruction while leaves are deferred |
//! | `due` | out | 1 | with this one, an exchange is due |
//!
//! **Timing** answers are combinational, changes show in the next cycle.
//! **Invariants** 1. a leaf comes back after at most `interval` instructions for each leaf before it. 2. fewer leaves are
//! deferred than the ring has words, since each holds a thread and one runs.
//! **Source** TD-09.
//! **See also** `tree_divergence_table`.

use crate::prelude::*;

block! {
    /// The ring has a word for each thread of a tree, 2^`RING_BITS`; see the module's page.
    pub struct DeferredLeaves<const WARP_BITS: usize, const RING_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose leaves.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// No leaf of the warp is deferred.
            pub clear_enable: Signal<In, Bit>,
            /// An exchange is due every so many instructions.
            pub interval: Signal<In, Bits<8>>,
            /// Leaves are deferred.
            pub present: Signal<Out, Bit>,
            /// Where the next one goes.
            pub back_slot: Signal<Out, Bits<RING_BITS>>,
            /// Where the oldest lies.
            pub front_slot: Signal<Out, Bits<RING_BITS>>,
            /// A leaf was written to the back.
            pub append_enable: Signal<In, Bit>,
            /// The front came back.
            pub take_enable: Signal<In, Bit>,
            /// The warp issued an instruction.
            pub count_enable: Signal<In, Bit>,
            /// An exchange is due.
            pub due: Signal<Out, Bit>,
        }
        parts {
            fronts: RegisterFile<WARP_BITS, RING_BITS>,
            counts: RegisterFile<WARP_BITS, RING_BITS>,
            turns: RegisterFile<WARP_BITS, 8>,
            count: Signal<Local, Bits<RING_BITS>>,
            front: Signal<Local, Bits<RING_BITS>>,
            turn: Signal<Local, Bits<8>>,
        }
    }
}

impl<const WARP_BITS: usize, const RING_BITS: usize> Logic for DeferredLeaves<WARP_BITS, RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fronts, counts, turns);
        self.fronts.read_address.next = self.warp.val();
        self.counts.read_address.next = self.warp.val();
        self.turns.read_address.next = self.warp.val();
        self.front.next = self.fronts.read_data.val();
        self.count.next = self.counts.read_data.val();
        self.turn.next = self.turns.read_data.val() + 1;
        self.present.next = self.count.val().any();
        self.front_slot.next = self.front.val();
        self.back_slot.next = self.front.val() + self.count.val();
        self.due.next = self.turn.val() == self.interval.val();

        self.fronts.write_enable.next = self.take_enable.val() | self.clear_enable.val();
        self.fronts.write_address.next = self.warp.val();
        self.fronts.write_data.next = self.front.val() + 1;
        self.counts.write_enable.next = self.append_enable.val() | self.take_enable.val() | self.clear_enable.val();
        self.counts.write_address.next = self.warp.val();
        self.counts.write_data.next = self.count.val() - 1;
        if self.append_enable.val() {
            self.counts.write_data.next = self.count.val() + 1;
        }
        self.turns.write_enable.next = self.take_enable.val() | self.count_enable.val() | self.clear_enable.val();
        self.turns.write_address.next = self.warp.val();
        self.turns.write_data.next = self.turn.val();
        if self.take_enable.val() | self.clear_enable.val() {
            self.turns.write_data.next = 0.into();
        }
        if self.clear_enable.val() {
            self.fronts.write_data.next = 0.into();
            self.counts.write_data.next = 0.into();
        }
    }
}
