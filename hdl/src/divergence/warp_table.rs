//! A value for each warp with one write port and three read ports: one for the warp that asks, one for the sequencer, one for an observer.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `write_enable`, `write_warp`, `write_value` | in | 1, `WARP_BITS`, `WIDTH` | new value of a warp |
//! | `request_warp`, `sequencer_warp`, `query_warp` | in | `WARP_BITS` | whose value is read |
//! | `request_value`, `sequencer_value`, `query_value` | out | `WIDTH` | that value, in the same cycle |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until written.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct WarpTable<const WARP_BITS: usize, const WIDTH: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Take a new value.
            pub write_enable: Signal<In, Bit>,
            /// Whose.
            pub write_warp: Signal<In, Bits<WARP_BITS>>,
            /// The value.
            pub write_value: Signal<In, Bits<WIDTH>>,
            /// The warp that asks.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its value.
            pub request_value: Signal<Out, Bits<WIDTH>>,
            /// The warp in the sequencer.
            pub sequencer_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its value.
            pub sequencer_value: Signal<Out, Bits<WIDTH>>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its value.
            pub query_value: Signal<Out, Bits<WIDTH>>,
        }
        parts {
            request_copy: RegisterFile<WARP_BITS, WIDTH>,
            sequencer_copy: RegisterFile<WARP_BITS, WIDTH>,
            query_copy: RegisterFile<WARP_BITS, WIDTH>,
        }
    }
}

impl<const WARP_BITS: usize, const WIDTH: usize> Logic for WarpTable<WARP_BITS, WIDTH> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, request_copy, sequencer_copy, query_copy);
        self.request_copy.write_enable.next = self.write_enable.val();
        self.request_copy.write_address.next = self.write_warp.val();
        self.request_copy.write_data.next = self.write_value.val();
        self.request_copy.read_address.next = self.request_warp.val();
        self.request_value.next = self.request_copy.read_data.val();
        self.sequencer_copy.write_enable.next = self.write_enable.val();
        self.sequencer_copy.write_address.next = self.write_warp.val();
        self.sequencer_copy.write_data.next = self.write_value.val();
        self.sequencer_copy.read_address.next = self.sequencer_warp.val();
        self.sequencer_value.next = self.sequencer_copy.read_data.val();
        self.query_copy.write_enable.next = self.write_enable.val();
        self.query_copy.write_address.next = self.write_warp.val();
        self.query_copy.write_data.next = self.write_value.val();
        self.query_copy.read_address.next = self.query_warp.val();
        self.query_value.next = self.query_copy.read_data.val();
    }
}
