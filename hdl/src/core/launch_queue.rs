//! Warps on their way from their slots to the engine, first come first served: a launch that the engine takes at once never waits here.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_data` | in | 1, `WIDTH` | a launch; never while `2^INDEX_BITS` wait |
//! | `leave_valid`, `leave_data` | out | 1, `WIDTH` | the oldest one, in the same cycle if nobody waits |
//! | `leave_ready` | in | 1 | it is taken at this edge |
//! | `waits` | out | 1 | a launch of a cycle before waits |
//!
//! **Timing** combinational from entry to exit while nobody waits; one in and one out a cycle.
//! **Invariants** 1. launches leave in the order in which they entered, each once. 2. what is shown holds until it is taken.
//! **Source** SM-03.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `INDEX_BITS` + 1; see the module's page.
    pub struct LaunchQueue<const INDEX_BITS: usize, const COUNT_BITS: usize, const WIDTH: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A launch.
            pub enter_valid: Signal<In, Bit>,
            /// Whose, and where.
            pub enter_data: Signal<In, Bits<WIDTH>>,
            /// There is a launch.
            pub leave_valid: Signal<Out, Bit>,
            /// The oldest one.
            pub leave_data: Signal<Out, Bits<WIDTH>>,
            /// It is taken.
            pub leave_ready: Signal<In, Bit>,
            /// A launch of a cycle before waits.
            pub waits: Signal<Out, Bit>,
        }
        parts {
            entries: RegisterFile<INDEX_BITS, WIDTH>,
            first: Register<Bits<INDEX_BITS>>,
            free: Register<Bits<INDEX_BITS>>,
            count: Register<Bits<COUNT_BITS>>,
            waiting: Signal<Local, Bit>,
            enters: Signal<Local, Bit>,
            leaves: Signal<Local, Bit>,
        }
    }
}

impl<const INDEX_BITS: usize, const COUNT_BITS: usize, const WIDTH: usize> Logic
    for LaunchQueue<INDEX_BITS, COUNT_BITS, WIDTH>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, free, count);
        clock!(self, clock, entries);
        self.waiting.next = self.count.q.val().any();
        self.waits.next = self.waiting.val();
        self.leave_valid.next = self.waiting.val() | self.enter_valid.val();
        self.entries.read_address.next = self.first.q.val();
        self.leave_data.next = self.enter_data.val();
        if self.waiting.val() {
            self.leave_data.next = self.entries.read_data.val();
        }
        self.enters.next = self.enter_valid.val() & (self.waiting.val() | !self.leave_ready.val());
        self.leaves.next = self.waiting.val() & self.leave_ready.val();
        self.entries.write_enable.next = self.enters.val();
        self.entries.write_address.next = self.free.q.val();
        self.entries.write_data.next = self.enter_data.val();
        if self.enters.val() {
            self.free.d.next = self.free.q.val() + 1;
        }
        if self.leaves.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        if self.enters.val() & !self.leaves.val() {
            self.count.d.next = self.count.q.val() + 1;
        } else if !self.enters.val() & self.leaves.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
    }
}
