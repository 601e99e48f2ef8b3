//! A queue in block RAM whose head is in sight: what enters an empty queue shows in the next cycle.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_data` | in | 1, `WIDTH` | an entry enters at the back; never while `2^INDEX_BITS` are inside |
//! | `leave_enable` | in | 1 | the head leaves at this edge; only while there is one |
//! | `head_valid`, `head_data` | out | 1, `WIDTH` | the entry at the front |
//! | `count` | out | `COUNT_BITS` | entries inside; `COUNT_BITS` = `INDEX_BITS` + 1 |
//!
//! **Timing** one entry in and one out a cycle; an entry shows at the earliest one cycle after it entered.
//! **Invariants** 1. entries leave in the order in which they entered, each once. 2. an entry shows one cycle after it entered an
//! empty queue: the RAM reads the old value of an entry that is being written, so one that is to be the head in the next cycle is
//! kept in a register for that cycle. 3. `count` never exceeds `2^INDEX_BITS`.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct FallThroughQueue<const INDEX_BITS: usize, const COUNT_BITS: usize, const WIDTH: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An entry enters.
            pub enter_valid: Signal<In, Bit>,
            /// The entry.
            pub enter_data: Signal<In, Bits<WIDTH>>,
            /// The head leaves.
            pub leave_enable: Signal<In, Bit>,
            /// There is a head.
            pub head_valid: Signal<Out, Bit>,
            /// The entry at the front.
            pub head_data: Signal<Out, Bits<WIDTH>>,
            /// Entries inside.
            pub count: Signal<Out, Bits<COUNT_BITS>>,
        }
        parts {
            memory: Ram<INDEX_BITS, WIDTH>,
            first: Register<Bits<INDEX_BITS>>,
            back: Register<Bits<INDEX_BITS>>,
            stored: Register<Bits<COUNT_BITS>>,
            passing: Register<Bit>,
            passed: Register<Bits<WIDTH>>,
            next_first: Signal<Local, Bits<INDEX_BITS>>,
        }
    }
}

impl<const INDEX_BITS: usize, const COUNT_BITS: usize, const WIDTH: usize> Logic
    for FallThroughQueue<INDEX_BITS, COUNT_BITS, WIDTH>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, back, stored, passing, passed);
        clock!(self, clock, memory);
        self.memory.reset.next = self.reset.val();

        self.next_first.next = self.first.q.val();
        if self.leave_enable.val() {
            self.next_first.next = self.first.q.val() + 1;
        }
        self.first.d.next = self.next_first.val();
        if self.enter_valid.val() {
            self.back.d.next = self.back.q.val() + 1;
            self.passed.d.next = self.enter_data.val();
        }
        if self.enter_valid.val() & !self.leave_enable.val() {
            self.stored.d.next = self.stored.q.val() + 1;
        }
        if !self.enter_valid.val() & self.leave_enable.val() {
            self.stored.d.next = self.stored.q.val() - 1;
        }

        self.memory.write_enable.next = self.enter_valid.val();
        self.memory.write_address.next = self.back.q.val();
        self.memory.write_data.next = self.enter_data.val();
        self.memory.read_enable.next = true;
        self.memory.read_address.next = self.next_first.val();
        self.passing.d.next = self.enter_valid.val() & (self.back.q.val() == self.next_first.val());

        self.head_valid.next = self.stored.q.val().any();
        self.head_data.next = self.memory.read_data.val();
        if self.passing.q.val() {
            self.head_data.next = self.passed.q.val();
        }
        self.count.next = self.stored.q.val();
    }
}
