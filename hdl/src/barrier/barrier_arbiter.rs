//! Chooses, among the slots with a thread that could start, the one that does.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `occupied` | in | `SLOTS` | the slots that hold a barrier |
//! | `schedulable` | in | `SLOTS` | those that have a thread to start |
//! | `priority_high`, `priority_low` | in | `SLOTS` | the two bits of the slots' priorities, 3 the highest |
//! | `grant_enable` | in | 1 | the winner starts its thread at this edge |
//! | `winner_valid`, `winner_slot`, `winner_slots` | out | 1, `SLOT_BITS`, `SLOTS` | the choice, as a number and as a mask |
//!
//! **Timing** combinational choice; the memory of past choices changes with `grant_enable`.
//! **Invariants** 1. among slots of one priority the turn goes round, upwards from the last winner of that priority. 2. a slot
//! that was passed over 64 times goes first, the lowest of several: it starts after at most 63 + `SLOTS` further grants, whatever
//! its priority. The count ends with its win, or when its barrier leaves. 3. the winner asks, and, unless a slot is due, none of a
//! higher priority does.
//! **Source** US 9,448,803, the arbiter; BR-36.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct BarrierArbiter<const SLOTS: usize, const SLOT_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Slots that hold a barrier.
            pub occupied: Signal<In, Bits<SLOTS>>,
            /// Slots that have a thread to start.
            pub schedulable: Signal<In, Bits<SLOTS>>,
            /// High bit of each slot's priority.
            pub priority_high: Signal<In, Bits<SLOTS>>,
            /// Low bit of each slot's priority.
            pub priority_low: Signal<In, Bits<SLOTS>>,
            /// The winner starts its thread.
            pub grant_enable: Signal<In, Bit>,
            /// There is a winner.
            pub winner_valid: Signal<Out, Bit>,
            /// The winner's number.
            pub winner_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// The winner as a mask.
            pub winner_slots: Signal<Out, Bits<SLOTS>>,
        }
        parts {
            above: [Register<Bits<SLOTS>>; 4] = std::array::from_fn(|_| Register::default()),
            count_0: Register<Bits<SLOTS>>,
            count_1: Register<Bits<SLOTS>>,
            count_2: Register<Bits<SLOTS>>,
            count_3: Register<Bits<SLOTS>>,
            count_4: Register<Bits<SLOTS>>,
            count_5: Register<Bits<SLOTS>>,
            starved: Register<Bits<SLOTS>>,
            choice: LowestBit<SLOTS, SLOT_BITS>,
            urgent: Signal<Local, Bits<SLOTS>>,
            level: Signal<Local, Bits<2>>,
            candidates: Signal<Local, Bits<SLOTS>>,
            next_above: Signal<Local, Bits<SLOTS>>,
            later: Signal<Local, Bits<SLOTS>>,
            passed: Signal<Local, Bits<SLOTS>>,
            kept: Signal<Local, Bits<SLOTS>>,
        }
    }
}

impl<const SLOTS: usize, const SLOT_BITS: usize> Logic for BarrierArbiter<SLOTS, SLOT_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_0, count_1, count_2, count_3, count_4, count_5, starved);
        for i in 0..4 {
            self.above[i].clock.next = self.clock.val();
            self.above[i].reset.next = self.reset.val();
            self.above[i].d.next = self.above[i].q.val();
        }

        // The starved first, else the highest priority that asks; of these, those above its last winner if there are any.
        self.urgent.next = self.schedulable.val() & self.starved.q.val();
        if (self.schedulable.val() & self.priority_high.val() & self.priority_low.val()).any() {
            self.level.next = 3.into();
            self.candidates.next = self.schedulable.val() & self.priority_high.val() & self.priority_low.val();
            self.next_above.next = self.above[3].q.val();
        } else if (self.schedulable.val() & self.priority_high.val()).any() {
            self.level.next = 2.into();
            self.candidates.next = self.schedulable.val() & self.priority_high.val();
            self.next_above.next = self.above[2].q.val();
        } else if (self.schedulable.val() & self.priority_low.val()).any() {
            self.level.next = 1.into();
            self.candidates.next = self.schedulable.val() & self.priority_low.val();
            self.next_above.next = self.above[1].q.val();
        } else {
            self.level.next = 0.into();
            self.candidates.next = self.schedulable.val();
            self.next_above.next = self.above[0].q.val();
        }
        self.later.next = self.candidates.val() & self.next_above.val();
        self.choice.mask.next = self.candidates.val();
        if self.later.val().any() {
            self.choice.mask.next = self.later.val();
        }
        if self.urgent.val().any() {
            self.choice.mask.next = self.urgent.val();
        }

        if self.grant_enable.val() & !self.urgent.val().any() {
            if self.level.val() == 0 {
                self.above[0].d.next = !(self.choice.one_hot.val() | (self.choice.one_hot.val() - 1));
            }
            if self.level.val() == 1 {
                self.above[1].d.next = !(self.choice.one_hot.val() | (self.choice.one_hot.val() - 1));
            }
            if self.level.val() == 2 {
                self.above[2].d.next = !(self.choice.one_hot.val() | (self.choice.one_hot.val() - 1));
            }
            if self.level.val() == 3 {
                self.above[3].d.next = !(self.choice.one_hot.val() | (self.choice.one_hot.val() - 1));
            }
        }

        // A counter a slot, a bit of all of them in a register: it stops at 64.
        self.passed.next = 0.into();
        self.kept.next = self.occupied.val();
        if self.grant_enable.val() {
            self.passed.next = self.schedulable.val() & !self.choice.one_hot.val() & !self.starved.q.val();
            self.kept.next = self.occupied.val() & !self.choice.one_hot.val();
        }
        self.count_0.d.next = (self.count_0.q.val() ^ self.passed.val()) & self.kept.val();
        self.count_1.d.next = (self.count_1.q.val() ^ (self.passed.val() & self.count_0.q.val())) & self.kept.val();
        self.count_2.d.next = (self.count_2.q.val()
            ^ (self.passed.val() & self.count_0.q.val() & self.count_1.q.val()))
            & self.kept.val();
        self.count_3.d.next = (self.count_3.q.val()
            ^ (self.passed.val() & self.count_0.q.val() & self.count_1.q.val() & self.count_2.q.val()))
            & self.kept.val();
        self.count_4.d.next = (self.count_4.q.val()
            ^ (self.passed.val()
                & self.count_0.q.val()
                & self.count_1.q.val()
                & self.count_2.q.val()
                & self.count_3.q.val()))
            & self.kept.val();
        self.count_5.d.next = (self.count_5.q.val()
            ^ (self.passed.val()
                & self.count_0.q.val()
                & self.count_1.q.val()
                & self.count_2.q.val()
                & self.count_3.q.val()
                & self.count_4.q.val()))
            & self.kept.val();
        self.starved.d.next = (self.starved.q.val()
            | (self.passed.val()
                & self.count_0.q.val()
                & self.count_1.q.val()
                & self.count_2.q.val()
                & self.count_3.q.val()
                & self.count_4.q.val()
                & self.count_5.q.val()))
            & self.kept.val();

        self.winner_valid.next = self.choice.found.val();
        self.winner_slot.next = self.choice.index.val();
        self.winner_slots.next = self.choice.one_hot.val();
    }
}
