//! A memory whose read sees a write of the same edge: what a pipeline of read, then write needs to take an entry twice in a row.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `write_enable`, `write_address`, `write_data` | in | 1, `ADDRESS_BITS`, `WIDTH` | write at this edge |
//! | `read_address` | in | `ADDRESS_BITS` | entry to read, at every edge |
//! | `read_data` | out | `WIDTH` | the entry read, writes of that edge included |
//!
//! **Timing** `read_data` follows `read_address` by one cycle; it does not follow later writes.
//! **Invariants** 1. a read gives the last value written at or before its edge. Contents are undefined until written.
//! **See also** [`Ram`](crate::primitives::Ram), which this wraps.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ForwardingRam<const ADDRESS_BITS: usize, const WIDTH: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Write at this edge.
            pub write_enable: Signal<In, Bit>,
            /// Entry to write.
            pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Value to write.
            pub write_data: Signal<In, Bits<WIDTH>>,
            /// Entry to read at this edge.
            pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The entry read.
            pub read_data: Signal<Out, Bits<WIDTH>>,
        }
        parts {
            memory: Ram<ADDRESS_BITS, WIDTH>,
            written: Register<Bits<WIDTH>>,
            forwarded: Register<Bit>,
        }
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Logic for ForwardingRam<ADDRESS_BITS, WIDTH> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, written, forwarded);
        clock!(self, clock, memory);
        self.memory.reset.next = self.reset.val();
        self.memory.write_enable.next = self.write_enable.val();
        self.memory.write_address.next = self.write_address.val();
        self.memory.write_data.next = self.write_data.val();
        self.memory.read_enable.next = true;
        self.memory.read_address.next = self.read_address.val();
        self.written.d.next = self.write_data.val();
        self.forwarded.d.next = self.write_enable.val() & (self.write_address.val() == self.read_address.val());
        self.read_data.next = self.memory.read_data.val();
        if self.forwarded.q.val() {
            self.read_data.next = self.written.q.val();
        }
    }
}
