//! What does not change while a barrier is in its execution slot.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `incoming` | in | `SLOTS` | the slot that a barrier moves into; empty: none does |
//! | `hand_exclusive`, `hand_blocking`, `hand_priority`, `hand_class` | in | 1, 1, 2, 2 | what it brings |
//! | `exclusive`, `blocking`, `priority_high`, `priority_low`, `class_high`, `class_low` | out | `SLOTS` | of each slot, a bit |
//!
//! **Timing** shows in the next cycle. **Invariants** 1. the bits of a slot are those of the last barrier that moved into it.
//! **Source** US 9,448,803, the execution slots; BR-35 to BR-37.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct SlotAttributes<const SLOTS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The slot that a barrier moves into.
            pub incoming: Signal<In, Bits<SLOTS>>,
            /// It runs alone.
            pub hand_exclusive: Signal<In, Bit>,
            /// Its bottom waits for all.
            pub hand_blocking: Signal<In, Bit>,
            /// Its priority.
            pub hand_priority: Signal<In, Bits<2>>,
            /// Its resource class.
            pub hand_class: Signal<In, Bits<2>>,
            /// Slots whose barrier runs alone.
            pub exclusive: Signal<Out, Bits<SLOTS>>,
            /// Slots whose bottom waits for all.
            pub blocking: Signal<Out, Bits<SLOTS>>,
            /// High bit of the priorities.
            pub priority_high: Signal<Out, Bits<SLOTS>>,
            /// Low bit of the priorities.
            pub priority_low: Signal<Out, Bits<SLOTS>>,
            /// High bit of the classes.
            pub class_high: Signal<Out, Bits<SLOTS>>,
            /// Low bit of the classes.
            pub class_low: Signal<Out, Bits<SLOTS>>,
        }
        parts {
            alone: Register<Bits<SLOTS>>,
            waits: Register<Bits<SLOTS>>,
            high: Register<Bits<SLOTS>>,
            low: Register<Bits<SLOTS>>,
            upper: Register<Bits<SLOTS>>,
            lower: Register<Bits<SLOTS>>,
        }
    }
}

impl<const SLOTS: usize> Logic for SlotAttributes<SLOTS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, alone, waits, high, low, upper, lower);
        self.alone.d.next = self.alone.q.val() & !self.incoming.val();
        if self.hand_exclusive.val() {
            self.alone.d.next = self.alone.q.val() | self.incoming.val();
        }
        self.waits.d.next = self.waits.q.val() & !self.incoming.val();
        if self.hand_blocking.val() {
            self.waits.d.next = self.waits.q.val() | self.incoming.val();
        }
        self.high.d.next = self.high.q.val() & !self.incoming.val();
        if self.hand_priority.val().get_bit(1) {
            self.high.d.next = self.high.q.val() | self.incoming.val();
        }
        self.low.d.next = self.low.q.val() & !self.incoming.val();
        if self.hand_priority.val().get_bit(0) {
            self.low.d.next = self.low.q.val() | self.incoming.val();
        }
        self.upper.d.next = self.upper.q.val() & !self.incoming.val();
        if self.hand_class.val().get_bit(1) {
            self.upper.d.next = self.upper.q.val() | self.incoming.val();
        }
        self.lower.d.next = self.lower.q.val() & !self.incoming.val();
        if self.hand_class.val().get_bit(0) {
            self.lower.d.next = self.lower.q.val() | self.incoming.val();
        }
        self.exclusive.next = self.alone.q.val();
        self.blocking.next = self.waits.q.val();
        self.priority_high.next = self.high.q.val();
        self.priority_low.next = self.low.q.val();
        self.class_high.next = self.upper.q.val();
        self.class_low.next = self.lower.q.val();
    }
}
