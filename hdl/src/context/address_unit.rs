//! Turns an access of a thread to its local memory into an address, in the memory in which its group lies now, or into an error.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `access_valid`, `access_ready` | in, out | 1 | an access; ready depends on its slot |
//! | `access_slot`, `access_thread`, `access_word` | in | `GROUP_BITS`, `THREAD_BITS`, 16 | slot of the group, thread of the group, word of the thread |
//! | `lookup_slot` | out | `GROUP_BITS` | asks the table; `lookup_*` in: what it says |
//! | `stopped` | in | `GROUPS` | groups whose accesses are refused |
//! | `location_valid`, `location_*` | out | 1 | strobe: the access of the last cycle goes there |
//! | `access_error_valid`, `access_error_*` | out | 1 | strobe: it goes nowhere: beyond the group's words, or no group runs in the slot |
//! | `complete_valid`, `complete_group` | in | 1, `GROUP_BITS` | an access that had a location was carried out |
//! | `drain_group`, `drained` | in, out | `GROUP_BITS`, 1 | whether all of that group's accesses were carried out |
//! | `clearing` | out | 1 | after reset, for `GROUPS` cycles: no slot may be bound yet |
//!
//! Address = origin of the group + word × threads + thread: the same word of all threads lies together. It is 32 bits wide and wraps;
//! whoever launches a group gives it a base with room for its words.
//!
//! **Timing** one access a cycle, answered in the next; the answer is not held. `access_ready` depends on `access_slot`.
//! **Invariants** 1. each access that is taken has exactly one answer. 2. no access of a stopped group is taken. 3. a location lies within the group's
//! words. 4. an error names group and slot; group 0 and `access_error_bound` low if no group runs there.
//! 5. at most 255 accesses of a group are under way.
//! **Source** US 2014/0165072, LSU 303 with the updated base; CX-03, CX-04, CX-11.
//! **See also** [`PointerTable`](super::pointer_table::PointerTable), the reference model `context::pointer_table` of the simulator.

use super::access_counter::AccessCounter;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct AddressUnit<const GROUPS: usize, const GROUP_BITS: usize, const THREAD_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An access.
            pub access_valid: Signal<In, Bit>,
            /// It is taken.
            pub access_ready: Signal<Out, Bit>,
            /// Slot in which its group runs.
            pub access_slot: Signal<In, Bits<GROUP_BITS>>,
            /// Thread of the group.
            pub access_thread: Signal<In, Bits<THREAD_BITS>>,
            /// Word of the thread.
            pub access_word: Signal<In, Bits<16>>,
            /// The slot that is looked up.
            pub lookup_slot: Signal<Out, Bits<GROUP_BITS>>,
            /// A group runs there.
            pub lookup_bound: Signal<In, Bit>,
            /// The group.
            pub lookup_group: Signal<In, Bits<GROUP_BITS>>,
            /// It is re-mapped.
            pub lookup_remapped: Signal<In, Bit>,
            /// Its first word.
            pub lookup_origin: Signal<In, Bits<32>>,
            /// Words of each of its threads.
            pub lookup_limit: Signal<In, Bits<16>>,
            /// Groups whose accesses are refused.
            pub stopped: Signal<In, Bits<GROUPS>>,
            /// The access of the last cycle has a place.
            pub location_valid: Signal<Out, Bit>,
            /// Its group.
            pub location_group: Signal<Out, Bits<GROUP_BITS>>,
            /// The place is in global memory, else in local memory.
            pub location_global: Signal<Out, Bit>,
            /// Which word of it.
            pub location_address: Signal<Out, Bits<32>>,
            /// The access of the last cycle has no place.
            pub access_error_valid: Signal<Out, Bit>,
            /// It was a group's.
            pub access_error_bound: Signal<Out, Bit>,
            /// The group; 0 if there is none.
            pub access_error_group: Signal<Out, Bits<GROUP_BITS>>,
            /// The slot.
            pub access_error_slot: Signal<Out, Bits<GROUP_BITS>>,
            /// The thread.
            pub access_error_thread: Signal<Out, Bits<THREAD_BITS>>,
            /// The word.
            pub access_error_word: Signal<Out, Bits<16>>,
            /// An access was carried out.
            pub complete_valid: Signal<In, Bit>,
            /// Its group.
            pub complete_group: Signal<In, Bits<GROUP_BITS>>,
            /// A group.
            pub drain_group: Signal<In, Bits<GROUP_BITS>>,
            /// All of its accesses were carried out.
            pub drained: Signal<Out, Bit>,
            /// The counts of accesses are being cleared.
            pub clearing: Signal<Out, Bit>,
        }
        parts {
            counter: AccessCounter<GROUP_BITS>,
            located: Register<Bit>,
            failed: Register<Bit>,
            bound: Register<Bit>,
            group: Register<Bits<GROUP_BITS>>,
            in_global: Register<Bit>,
            address: Register<Bits<32>>,
            slot: Register<Bits<GROUP_BITS>>,
            thread: Register<Bits<THREAD_BITS>>,
            word: Register<Bits<16>>,
            refused: Signal<Local, Bit>,
            taken: Signal<Local, Bit>,
            in_bounds: Signal<Local, Bit>,
            offset: Signal<Local, Bits<32>>,
            thread_bits: Constant<Bits<5>> = Constant::new(bits(THREAD_BITS as u64)),
        }
    }
}

impl<const GROUPS: usize, const GROUP_BITS: usize, const THREAD_BITS: usize> Logic
    for AddressUnit<GROUPS, GROUP_BITS, THREAD_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, located, failed, bound, group, in_global, address, slot, thread, word);
        clock!(self, clock, counter);
        self.counter.reset.next = self.reset.val();

        self.lookup_slot.next = self.access_slot.val();
        self.refused.next = self.stopped.val().get_bit(self.lookup_group.val()) | self.counter.full.val();
        self.access_ready.next = !self.lookup_bound.val() | !self.refused.val();
        self.taken.next = self.access_valid.val() & self.access_ready.val();
        self.in_bounds.next = self.lookup_bound.val() & (self.access_word.val() < self.lookup_limit.val());
        self.offset.next = (bit_cast::<32, 16>(self.access_word.val()) << self.thread_bits.val())
            | bit_cast::<32, THREAD_BITS>(self.access_thread.val());

        self.located.d.next = self.taken.val() & self.in_bounds.val();
        self.failed.d.next = self.taken.val() & !self.in_bounds.val();
        if self.taken.val() {
            self.bound.d.next = self.lookup_bound.val();
            self.group.d.next = 0.into();
            if self.lookup_bound.val() {
                self.group.d.next = self.lookup_group.val();
            }
            self.in_global.d.next = self.lookup_remapped.val();
            self.address.d.next = self.lookup_origin.val() + self.offset.val();
            self.slot.d.next = self.access_slot.val();
            self.thread.d.next = self.access_thread.val();
            self.word.d.next = self.access_word.val();
        }

        self.counter.sent_valid.next = self.taken.val() & self.in_bounds.val();
        self.counter.sent_group.next = self.lookup_group.val();
        self.counter.complete_valid.next = self.complete_valid.val();
        self.counter.complete_group.next = self.complete_group.val();
        self.counter.drain_group.next = self.drain_group.val();
        self.drained.next = self.counter.drained.val();
        self.clearing.next = self.counter.clearing.val();

        self.location_valid.next = self.located.q.val();
        self.location_group.next = self.group.q.val();
        self.location_global.next = self.in_global.q.val();
        self.location_address.next = self.address.q.val();
        self.access_error_valid.next = self.failed.q.val();
        self.access_error_bound.next = self.bound.q.val();
        self.access_error_group.next = self.group.q.val();
        self.access_error_slot.next = self.slot.q.val();
        self.access_error_thread.next = self.thread.q.val();
        self.access_error_word.next = self.word.q.val();
    }
}
