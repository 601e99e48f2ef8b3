//! Where each warp's queue lies: its window and its spill area, in register files with an entry a warp.
//!
//! Tokens of warp w occupy entries `tail..head` of its window (the front is `head - 1`) and, behind them, `spill_count`
//! slots of its spill area from `spill_first` on. An empty window lies at the mid point.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp` | in | `WARP_BITS` | the warp of the operation; the pointers below are its own |
//! | `head`, `tail` | out | `POINTER_BITS` | its window |
//! | `spill_first`, `spill_end`, `spill_count`, `spilled` | out | 12 ×3, 1 | its spill area, and whether there is anything in it |
//! | `push_warp`, `push_head` | in, out | `WARP_BITS`, `POINTER_BITS` | head of the warp at the push port |
//! | `head_write`, `head_warp`, `next_head` | in | 1, `WARP_BITS`, `POINTER_BITS` | new head of a warp |
//! | `tail_write`, `next_tail` | in | 1, `POINTER_BITS` | new tail of `warp` |
//! | `first_write`, `end_write`, `count_write`, `next_slot`, `next_count`, `next_spilled` | in | 1 ×3, 12 ×2, 1 | new slot and number of spilled tokens of `warp` |
//! | `software_write`, `software_first`, `software_end`, `software_count` | in | 1, 12 ×3 | software replaces all three |
//! | `to_middle` | in | 1 | the new head and tail are the mid point |
//! | `clear_enable`, `clear_warp` | in | 1, `WARP_BITS` | empty a queue |
//!
//! **Timing** reads are combinational, writes show in the next cycle.
//! **Source** US 9,459,876, head and tail pointers; DQ-05, DQ-11.

use super::spill_engine::SPILL_BITS;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct QueuePointers<const WARP_BITS: usize, const POINTER_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// The warp of the operation.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// One past its front entry.
            pub head: Signal<Out, Bits<POINTER_BITS>>,
            /// Its back entry.
            pub tail: Signal<Out, Bits<POINTER_BITS>>,
            /// Slot of its first spilled token.
            pub spill_first: Signal<Out, Bits<SPILL_BITS>>,
            /// Slot after its last spilled token.
            pub spill_end: Signal<Out, Bits<SPILL_BITS>>,
            /// Its spilled tokens.
            pub spill_count: Signal<Out, Bits<SPILL_BITS>>,
            /// It has spilled tokens.
            pub spilled: Signal<Out, Bit>,
            /// The warp at the push port.
            pub push_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its head.
            pub push_head: Signal<Out, Bits<POINTER_BITS>>,
            /// Take a new head.
            pub head_write: Signal<In, Bit>,
            /// Of this warp.
            pub head_warp: Signal<In, Bits<WARP_BITS>>,
            /// The new head.
            pub next_head: Signal<In, Bits<POINTER_BITS>>,
            /// Take a new tail.
            pub tail_write: Signal<In, Bit>,
            /// The new tail.
            pub next_tail: Signal<In, Bits<POINTER_BITS>>,
            /// Take the slot below as the first of the spill area.
            pub first_write: Signal<In, Bit>,
            /// Take it as the one after the last.
            pub end_write: Signal<In, Bit>,
            /// A slot.
            pub next_slot: Signal<In, Bits<SPILL_BITS>>,
            /// Take a new number of spilled tokens.
            pub count_write: Signal<In, Bit>,
            /// Spilled tokens.
            pub next_count: Signal<In, Bits<SPILL_BITS>>,
            /// There are any.
            pub next_spilled: Signal<In, Bit>,
            /// Take all three from software instead.
            pub software_write: Signal<In, Bit>,
            /// First slot, from software.
            pub software_first: Signal<In, Bits<SPILL_BITS>>,
            /// Slot after the last, from software.
            pub software_end: Signal<In, Bits<SPILL_BITS>>,
            /// Spilled tokens, from software.
            pub software_count: Signal<In, Bits<SPILL_BITS>>,
            /// The new head and tail are the mid point.
            pub to_middle: Signal<In, Bit>,
            /// Empty a queue.
            pub clear_enable: Signal<In, Bit>,
            /// Of this warp.
            pub clear_warp: Signal<In, Bits<WARP_BITS>>,
        }
        parts {
            #[reads_back(write_enable, write_address, write_data)]
            head_file: RegisterFile<WARP_BITS, POINTER_BITS>,
            push_head_file: RegisterFile<WARP_BITS, POINTER_BITS>,
            tail_file: RegisterFile<WARP_BITS, POINTER_BITS>,
            #[reads_back(write_address)]
            first_file: RegisterFile<WARP_BITS, SPILL_BITS>,
            end_file: RegisterFile<WARP_BITS, SPILL_BITS>,
            #[reads_back(write_enable)]
            count_file: RegisterFile<WARP_BITS, SPILL_BITS>,
            spilled_file: RegisterFile<WARP_BITS, 1>,
            middle: Constant<Bits<POINTER_BITS>> = Constant::new(bits(1 << (POINTER_BITS - 2))),
        }
    }
}

impl<const WARP_BITS: usize, const POINTER_BITS: usize> Logic for QueuePointers<WARP_BITS, POINTER_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, head_file, push_head_file, tail_file, first_file, end_file, count_file, spilled_file);

        self.head_file.write_enable.next = self.head_write.val() | self.clear_enable.val();
        self.head_file.write_address.next = self.head_warp.val();
        self.head_file.write_data.next = self.next_head.val();
        self.tail_file.write_enable.next = self.tail_write.val() | self.clear_enable.val();
        self.tail_file.write_address.next = self.warp.val();
        self.tail_file.write_data.next = self.next_tail.val();
        self.first_file.write_enable.next =
            self.first_write.val() | self.software_write.val() | self.clear_enable.val();
        self.first_file.write_address.next = self.warp.val();
        self.first_file.write_data.next = self.next_slot.val();
        self.end_file.write_enable.next = self.end_write.val() | self.software_write.val() | self.clear_enable.val();
        self.end_file.write_data.next = self.next_slot.val();
        self.count_file.write_enable.next =
            self.count_write.val() | self.software_write.val() | self.clear_enable.val();
        self.count_file.write_data.next = self.next_count.val();
        self.spilled_file.write_data.next = self.next_spilled.val().into();
        if self.software_write.val() {
            self.first_file.write_data.next = self.software_first.val();
            self.end_file.write_data.next = self.software_end.val();
            self.count_file.write_data.next = self.software_count.val();
            self.spilled_file.write_data.next = self.software_count.val().any().into();
        }
        if self.to_middle.val() | self.clear_enable.val() {
            self.head_file.write_data.next = self.middle.val();
            self.tail_file.write_data.next = self.middle.val();
        }
        if self.clear_enable.val() {
            self.head_file.write_address.next = self.clear_warp.val();
            self.tail_file.write_address.next = self.clear_warp.val();
            self.first_file.write_address.next = self.clear_warp.val();
            self.first_file.write_data.next = 0.into();
            self.end_file.write_data.next = 0.into();
            self.count_file.write_data.next = 0.into();
            self.spilled_file.write_data.next = 0.into();
        }
        self.end_file.write_address.next = self.first_file.write_address.val();
        self.count_file.write_address.next = self.first_file.write_address.val();
        // Kept beside the count, because every decision needs it early.
        self.spilled_file.write_enable.next = self.count_file.write_enable.val();
        self.spilled_file.write_address.next = self.first_file.write_address.val();
        self.spilled_file.read_address.next = self.warp.val();
        self.spilled.next = self.spilled_file.read_data.val().any();
        // The second copy exists for its read port.
        self.push_head_file.write_enable.next = self.head_file.write_enable.val();
        self.push_head_file.write_address.next = self.head_file.write_address.val();
        self.push_head_file.write_data.next = self.head_file.write_data.val();

        self.head_file.read_address.next = self.warp.val();
        self.tail_file.read_address.next = self.warp.val();
        self.first_file.read_address.next = self.warp.val();
        self.end_file.read_address.next = self.warp.val();
        self.count_file.read_address.next = self.warp.val();
        self.push_head_file.read_address.next = self.push_warp.val();
        self.head.next = self.head_file.read_data.val();
        self.tail.next = self.tail_file.read_data.val();
        self.spill_first.next = self.first_file.read_data.val();
        self.spill_end.next = self.end_file.read_data.val();
        self.spill_count.next = self.count_file.read_data.val();
        self.push_head.next = self.push_head_file.read_data.val();
    }
}
