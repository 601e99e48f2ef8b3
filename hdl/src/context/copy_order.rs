//! Which copy engine each access under way belongs to, for a memory that answers in order.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_engine` | in | 1, `ENGINES` | an access of that engine, as a mask, is under way; only with `room` |
//! | `room` | out | 1 | one more may be |
//! | `leave_valid` | in | 1 | the memory answers the oldest |
//! | `oldest` | out | `ENGINES` | the engine that it belongs to, as a mask; none if none is under way |
//!
//! A single engine is always meant: then nothing is remembered, and there is always room.
//!
//! **Timing** an access is the oldest at the earliest in the cycle after it entered. `room` depends on nothing of the cycle's inputs.
//! **Invariants** 1. engines leave in the order in which they entered. 2. several engines have at most `2^ORDER_BITS` accesses under way.
//! **Source** CX-06.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `ORDER_BITS` + 1; see the module's page.
    pub struct CopyOrder<const ENGINES: usize, const ORDER_BITS: usize, const COUNT_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An access is under way.
            pub enter_valid: Signal<In, Bit>,
            /// Its engine.
            pub enter_engine: Signal<In, Bits<ENGINES>>,
            /// There is room for one more.
            pub room: Signal<Out, Bit>,
            /// The oldest is answered.
            pub leave_valid: Signal<In, Bit>,
            /// Its engine.
            pub oldest: Signal<Out, Bits<ENGINES>>,
        }
        parts {
            first: Register<Bits<ORDER_BITS>>,
            count: Register<Bits<COUNT_BITS>>,
            engines: RegisterFile<ORDER_BITS, ENGINES>,
            enters: Signal<Local, Bit>,
            leaves: Signal<Local, Bit>,
            alone: Constant<Bit> = Constant::new(ENGINES == 1),
            capacity: Constant<Bits<COUNT_BITS>> = Constant::new(bits(1 << ORDER_BITS)),
        }
    }
}

impl<const ENGINES: usize, const ORDER_BITS: usize, const COUNT_BITS: usize> Logic
    for CopyOrder<ENGINES, ORDER_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, count);
        clock!(self, clock, engines);

        self.enters.next = self.enter_valid.val() & !self.alone.val();
        self.leaves.next = self.leave_valid.val() & self.count.q.val().any() & !self.alone.val();
        if self.leaves.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        if self.enters.val() & !self.leaves.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if !self.enters.val() & self.leaves.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        self.engines.write_enable.next = self.enters.val();
        self.engines.write_address.next = self.first.q.val() + bit_cast::<ORDER_BITS, COUNT_BITS>(self.count.q.val());
        self.engines.write_data.next = self.enter_engine.val();
        self.engines.read_address.next = self.first.q.val();

        self.room.next = self.count.q.val() != self.capacity.val();
        self.oldest.next = 0.into();
        if self.count.q.val().any() {
            self.oldest.next = self.engines.read_data.val();
        }
        if self.alone.val() {
            self.room.next = true;
            self.oldest.next = 1.into();
        }
    }
}
