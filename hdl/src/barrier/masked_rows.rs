//! A bit a thread, in rows of a thread block: any part of a row is written in a cycle, two other rows are read.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `write_row`, `write_mask`, `write_data` | in | `ROW_BITS`, `WIDTH` ×2 | new value of the masked bits of a row |
//! | `written` | out | `WIDTH` | what that row holds before |
//! | `walk_row`, `select_row` | in | `ROW_BITS` | rows to read |
//! | `walk_data`, `select_data` | out | `WIDTH` | their contents |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until written; three copies, since
//! each has one read port.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct MaskedRows<const ROW_BITS: usize, const WIDTH: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// The row to write.
            pub write_row: Signal<In, Bits<ROW_BITS>>,
            /// The bits of it to write.
            pub write_mask: Signal<In, Bits<WIDTH>>,
            /// Their new value.
            pub write_data: Signal<In, Bits<WIDTH>>,
            /// The row as it was.
            pub written: Signal<Out, Bits<WIDTH>>,
            /// The row that the walk reads.
            pub walk_row: Signal<In, Bits<ROW_BITS>>,
            /// Its contents.
            pub walk_data: Signal<Out, Bits<WIDTH>>,
            /// The row that the selection reads.
            pub select_row: Signal<In, Bits<ROW_BITS>>,
            /// Its contents.
            pub select_data: Signal<Out, Bits<WIDTH>>,
        }
        parts {
            own: RegisterFile<ROW_BITS, WIDTH>,
            walk: RegisterFile<ROW_BITS, WIDTH>,
            select: RegisterFile<ROW_BITS, WIDTH>,
            changed: Signal<Local, Bits<WIDTH>>,
        }
    }
}

impl<const ROW_BITS: usize, const WIDTH: usize> Logic for MaskedRows<ROW_BITS, WIDTH> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, own, walk, select);
        self.own.read_address.next = self.write_row.val();
        self.written.next = self.own.read_data.val();
        self.changed.next =
            (self.own.read_data.val() & !self.write_mask.val()) | (self.write_data.val() & self.write_mask.val());
        self.own.write_enable.next = self.write_mask.val().any();
        self.own.write_address.next = self.write_row.val();
        self.own.write_data.next = self.changed.val();
        self.walk.write_enable.next = self.write_mask.val().any();
        self.walk.write_address.next = self.write_row.val();
        self.walk.write_data.next = self.changed.val();
        self.select.write_enable.next = self.write_mask.val().any();
        self.select.write_address.next = self.write_row.val();
        self.select.write_data.next = self.changed.val();
        self.walk.read_address.next = self.walk_row.val();
        self.walk_data.next = self.walk.read_data.val();
        self.select.read_address.next = self.select_row.val();
        self.select_data.next = self.select.read_data.val();
    }
}
