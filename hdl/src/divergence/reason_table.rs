//! Why threads do not run: for each warp and each reason the threads disabled for it, in a table that is read and changed in one place.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp`, `kind`, `waiting` | in, in, out | `WARP_BITS`, 4, `THREADS` | threads of the warp that are disabled for that reason |
//! | `add_enable`, `remove_enable`, `threads` | in | 1, 1, `THREADS` | these join or leave them |
//! | `clear_enable`, `clear_key` | in | 1, `KEY_BITS` | none is left of {warp, kind} |
//! | `query_warp`, `query_kind`, `query_waiting` | in, in, out | `WARP_BITS`, 4, `THREADS` | the same for an observer |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. **Source** US 9,459,876, reason codes; DQ-03, DQ-25.

use crate::prelude::*;

block! {
    /// `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct ReasonTable<const WARP_BITS: usize, const THREADS: usize, const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// The warp.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The reason.
            pub kind: Signal<In, Bits<4>>,
            /// Its threads disabled for that.
            pub waiting: Signal<Out, Bits<THREADS>>,
            /// Threads join them.
            pub add_enable: Signal<In, Bit>,
            /// Threads leave them.
            pub remove_enable: Signal<In, Bit>,
            /// Which.
            pub threads: Signal<In, Bits<THREADS>>,
            /// Forget a reason.
            pub clear_enable: Signal<In, Bit>,
            /// Which: warp and kind.
            pub clear_key: Signal<In, Bits<KEY_BITS>>,
            /// The observer's warp.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The observer's reason.
            pub query_kind: Signal<In, Bits<4>>,
            /// Threads disabled for that.
            pub query_waiting: Signal<Out, Bits<THREADS>>,
        }
        parts {
            #[reads_back(write_enable, write_address, write_data)]
            disabled: RegisterFile<KEY_BITS, THREADS>,
            disabled_query: RegisterFile<KEY_BITS, THREADS>,
            key: Signal<Local, Bits<KEY_BITS>>,
        }
    }
}

impl<const WARP_BITS: usize, const THREADS: usize, const KEY_BITS: usize> Logic
    for ReasonTable<WARP_BITS, THREADS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, disabled, disabled_query);
        self.key.next =
            (bit_cast::<KEY_BITS, WARP_BITS>(self.warp.val()) << 4) | bit_cast::<KEY_BITS, 4>(self.kind.val());
        self.disabled.read_address.next = self.key.val();
        self.waiting.next = self.disabled.read_data.val();
        self.disabled.write_enable.next = self.add_enable.val() | self.remove_enable.val() | self.clear_enable.val();
        self.disabled.write_address.next = self.key.val();
        self.disabled.write_data.next = self.disabled.read_data.val() | self.threads.val();
        if self.remove_enable.val() {
            self.disabled.write_data.next = self.disabled.read_data.val() & !self.threads.val();
        }
        if self.clear_enable.val() {
            self.disabled.write_address.next = self.clear_key.val();
            self.disabled.write_data.next = 0.into();
        }
        // The second copy exists for its read port.
        self.disabled_query.write_enable.next = self.disabled.write_enable.val();
        self.disabled_query.write_address.next = self.disabled.write_address.val();
        self.disabled_query.write_data.next = self.disabled.write_data.val();
        self.disabled_query.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.query_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.query_kind.val());
        self.query_waiting.next = self.disabled_query.read_data.val();
    }
}
