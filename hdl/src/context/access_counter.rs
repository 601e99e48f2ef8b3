//! How many accesses of each thread group are under way: those that were sent to a memory and not carried out yet.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `sent_valid`, `sent_group` | in | 1, `GROUP_BITS` | an access of the group is sent; not while it is `full` |
//! | `full` | out | 1 | 255 accesses of `sent_group` are under way |
//! | `complete_valid`, `complete_group` | in | 1, `GROUP_BITS` | one of the group was carried out; only if one is under way |
//! | `drain_group` | in | `GROUP_BITS` | a group; `drained`: none of its accesses is under way |
//! | `clearing` | out | 1 | after reset, for `2^GROUP_BITS` cycles: nothing may be sent yet |
//!
//! A group has two counts that only ever go up, of accesses sent and of accesses carried out, so each lies in a memory with one write
//! port; what is under way is their difference.
//!
//! **Timing** `full` and `drained` are combinational; changes show in the next cycle.
//! **Invariants** 1. `drained` exactly if every access that was sent is carried out. 2. the counts, 8 bits each, never run apart by more than 255.
//! **Source** CX-11.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct AccessCounter<const GROUP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An access is sent.
            pub sent_valid: Signal<In, Bit>,
            /// Its group.
            pub sent_group: Signal<In, Bits<GROUP_BITS>>,
            /// No more of that group may be sent.
            pub full: Signal<Out, Bit>,
            /// An access was carried out.
            pub complete_valid: Signal<In, Bit>,
            /// Its group.
            pub complete_group: Signal<In, Bits<GROUP_BITS>>,
            /// A group.
            pub drain_group: Signal<In, Bits<GROUP_BITS>>,
            /// None of its accesses is under way.
            pub drained: Signal<Out, Bit>,
            /// The counts are being cleared.
            pub clearing: Signal<Out, Bit>,
        }
        parts {
            sent: RegisterFile<GROUP_BITS, 8>,
            sent_to_drain: RegisterFile<GROUP_BITS, 8>,
            completed: RegisterFile<GROUP_BITS, 8>,
            completed_of_sent: RegisterFile<GROUP_BITS, 8>,
            completed_to_drain: RegisterFile<GROUP_BITS, 8>,
            sweeping: Register<Bit> = Register::new(true),
            swept: Register<Bits<GROUP_BITS>>,
            sent_write: Signal<Local, Bit>,
            sent_row: Signal<Local, Bits<GROUP_BITS>>,
            next_sent: Signal<Local, Bits<8>>,
            completed_write: Signal<Local, Bit>,
            completed_row: Signal<Local, Bits<GROUP_BITS>>,
            next_completed: Signal<Local, Bits<8>>,
            last: Constant<Bits<GROUP_BITS>> = Constant::new(!bits::<GROUP_BITS>(0)),
        }
    }
}

impl<const GROUP_BITS: usize> Logic for AccessCounter<GROUP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sweeping, swept);
        clock!(self, clock, sent, sent_to_drain, completed, completed_of_sent, completed_to_drain);

        self.clearing.next = self.sweeping.q.val();
        self.sent.read_address.next = self.sent_group.val();
        self.completed_of_sent.read_address.next = self.sent_group.val();
        self.completed.read_address.next = self.complete_group.val();
        self.sent_to_drain.read_address.next = self.drain_group.val();
        self.completed_to_drain.read_address.next = self.drain_group.val();
        self.full.next = (self.sent.read_data.val() - self.completed_of_sent.read_data.val()) == 255;
        self.drained.next = self.sent_to_drain.read_data.val() == self.completed_to_drain.read_data.val();

        self.sent_write.next = self.sent_valid.val();
        self.sent_row.next = self.sent_group.val();
        self.next_sent.next = self.sent.read_data.val() + 1;
        self.completed_write.next = self.complete_valid.val();
        self.completed_row.next = self.complete_group.val();
        self.next_completed.next = self.completed.read_data.val() + 1;
        if self.sweeping.q.val() {
            self.sent_write.next = true;
            self.sent_row.next = self.swept.q.val();
            self.next_sent.next = 0.into();
            self.completed_write.next = true;
            self.completed_row.next = self.swept.q.val();
            self.next_completed.next = 0.into();
            self.swept.d.next = self.swept.q.val() + 1;
            self.sweeping.d.next = self.swept.q.val() != self.last.val();
        }
        self.sent.write_enable.next = self.sent_write.val();
        self.sent.write_address.next = self.sent_row.val();
        self.sent.write_data.next = self.next_sent.val();
        self.sent_to_drain.write_enable.next = self.sent_write.val();
        self.sent_to_drain.write_address.next = self.sent_row.val();
        self.sent_to_drain.write_data.next = self.next_sent.val();
        self.completed.write_enable.next = self.completed_write.val();
        self.completed.write_address.next = self.completed_row.val();
        self.completed.write_data.next = self.next_completed.val();
        self.completed_of_sent.write_enable.next = self.completed_write.val();
        self.completed_of_sent.write_address.next = self.completed_row.val();
        self.completed_of_sent.write_data.next = self.next_completed.val();
        self.completed_to_drain.write_enable.next = self.completed_write.val();
        self.completed_to_drain.write_address.next = self.completed_row.val();
        self.completed_to_drain.write_data.next = self.next_completed.val();
    }
}
