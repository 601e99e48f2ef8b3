//! Whether the threads that have arrived complete a barrier.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `condition` | in | 3 | 1 all live threads arrived; 2, 3 `reference` arrivals that count; 4 these, or a timeout; 5 these, a timeout, or `minimum` of them |
//! | `reference`, `minimum` | in | 10 | numbers of threads |
//! | `count` | in | `COUNT_BITS` | arrivals that count: all under 1 and 2, else those that participate |
//! | `sleepers`, `live` | in | `COUNT_BITS` | threads asleep in the barrier, and live threads of its CTA |
//! | `met` | out | 1 | the barrier is complete without its timeout |
//! | `incomplete` | out | 1 | it would be so short of its reference |
//!
//! **Timing** combinational.
//! **Invariants** 1. under 2 to 5 a barrier in which every live thread sleeps is complete: nobody is left to arrive.
//! **Source** US 9,448,803, figure 6A; BR-12, BR-39.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct Membership<const COUNT_BITS: usize> {
        ports {
            /// Which condition.
            pub condition: Signal<In, Bits<3>>,
            /// Arrivals that complete it.
            pub reference: Signal<In, Bits<10>>,
            /// Arrivals that complete an impatient one.
            pub minimum: Signal<In, Bits<10>>,
            /// Arrivals that count.
            pub count: Signal<In, Bits<COUNT_BITS>>,
            /// Threads asleep in the barrier.
            pub sleepers: Signal<In, Bits<COUNT_BITS>>,
            /// Live threads of the CTA.
            pub live: Signal<In, Bits<COUNT_BITS>>,
            /// The barrier is complete.
            pub met: Signal<Out, Bit>,
            /// Fewer arrivals than the reference.
            pub incomplete: Signal<Out, Bit>,
        }
        parts {
            arrived: Signal<Local, Bits<10>>,
            starved: Signal<Local, Bit>,
            enough: Signal<Local, Bit>,
        }
    }
}

impl<const COUNT_BITS: usize> Logic for Membership<COUNT_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrived.next = bit_cast::<10, COUNT_BITS>(self.count.val());
        self.incomplete.next = self.arrived.val() < self.reference.val();
        self.enough.next = (self.condition.val() == 5) & (self.arrived.val() >= self.minimum.val());
        self.starved.next = self.sleepers.val().any() & (self.sleepers.val() == self.live.val());
        if self.condition.val() == 1 {
            self.met.next = self.count.val() >= self.live.val();
        } else {
            self.met.next = !self.incomplete.val() | self.enough.val() | self.starved.val();
        }
    }
}
