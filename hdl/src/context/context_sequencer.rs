//! Saves and restores the thread groups of a thread block by re-mapping their local memory: it is copied to global memory once, and from then on
//! the group's accesses are directed there, wherever the group runs.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `bind_*` | in, `ready`, `error` out | a group is launched in a slot (`fresh`: with its base and words of a thread), or resumed there |
//! | `release_*` | in | a slot's group stops running: it is suspended, or has ended |
//! | `access_*` | in, `ready` out | an access of a thread to its local memory |
//! | `location_*`, `access_error_*` | out | strobes in the next cycle: where the access goes, or that it goes nowhere |
//! | `complete_*` | in | strobe: an access that had a location was carried out |
//! | `request_*` | in, `ready` out | a command: 0 Save or 1 Free, for the groups of a mask |
//! | `stopped` | out | groups of the command at work: their accesses are refused |
//! | `done_*` | out | strobe: the command has ended; `failed`: an allocation failed; its groups that are re-mapped; words copied |
//! | `allocate_*`, `allocated_*`, `free_*` | | the allocator, which is software: a request, its answer, memory given back |
//! | `copy_read_*`, `copy_data_*` | | local memory: reads, and their answers in order |
//! | `copy_write_*`, `copy_acknowledge_valid` | | global memory: writes, and a strobe for each in order |
//! | `row_*` | `group` in, others out | a row of the table, to be read by whoever saves the rest of a thread block's state |
//!
//! Addresses count words of 32 bits; local and global memory are two spaces. A group has `2^THREAD_BITS` threads, and W = limit × threads words.
//!
//! **Timing** an access is answered in the next cycle. With ports always ready, `done_valid` comes W + allocator latency + memory latency + 5
//! cycles after a Save of one group with W words was accepted, each further group takes W + allocator latency + memory latency + 3, and one that is
//! re-mapped already takes 1. (Allocator latency: from request to answer; memory latency: that of a read and that of a write together.)
//! For `GROUPS` cycles after reset `bind_ready` is low; later it depends on `copy_acknowledge_valid` and `free_ready`. `access_ready` depends
//! on `access_slot`, `copy_data_ready` on `copy_write_ready`.
//! **Invariants** 1. bit and pointer of a row change in one write, after the last word was acknowledged. 2. no access of a group is taken or under way
//! while it is copied or freed. 3. a group that is re-mapped is never copied again. 4. an access beyond the group's words is an error that names the
//! group. 5. after a failed allocation the groups saved before stay re-mapped and no further one is tried. 6. a group's memory is given back once, when
//! its row is freed. 7. an access goes to the word of its thread, in the memory in which its group lies, and no further than the group's words.
//! **Source** US 2014/0165072, figures 4 to 6; CX-01 to CX-08, CX-11.
//! **See also** its parts [`PointerTable`], [`AddressUnit`], [`GroupSequencer`], [`CopyEngines`], and the reference model `context` of the simulator.

use super::address_unit::AddressUnit;
use super::copy_engines::CopyEngines;
use super::group_sequencer::GroupSequencer;
use super::pointer_table::PointerTable;
use crate::prelude::*;

block! {
    /// `GROUPS` = 2^`GROUP_BITS`, `WORDS_BITS` = 16 + `THREAD_BITS`, `LINKS` = `ENGINES` + 1, `COUNT_BITS` = `ORDER_BITS` + 1; see the module's page.
    pub struct ContextSequencer<
        const GROUPS: usize, const GROUP_BITS: usize, const THREAD_BITS: usize, const WORDS_BITS: usize,
        const ENGINES: usize, const LINKS: usize, const ORDER_BITS: usize, const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A group is launched or resumed.
            pub bind_valid: Signal<In, Bit>,
            /// It is taken.
            pub bind_ready: Signal<Out, Bit>,
            /// The slot in which it will run.
            pub bind_slot: Signal<In, Bits<GROUP_BITS>>,
            /// The group.
            pub bind_group: Signal<In, Bits<GROUP_BITS>>,
            /// It is launched, not resumed.
            pub bind_fresh: Signal<In, Bit>,
            /// At a launch: its first word of local memory.
            pub bind_base: Signal<In, Bits<32>>,
            /// At a launch: words of each of its threads.
            pub bind_limit: Signal<In, Bits<16>>,
            /// The launch or resume of the last cycle made no sense, and nothing has changed.
            pub bind_error: Signal<Out, Bit>,
            /// A group stops running in its slot.
            pub release_valid: Signal<In, Bit>,
            /// The slot.
            pub release_slot: Signal<In, Bits<GROUP_BITS>>,
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
            /// A command.
            pub request_valid: Signal<In, Bit>,
            /// No other is at work.
            pub request_ready: Signal<Out, Bit>,
            /// Free the groups, else save them.
            pub request_operation: Signal<In, Bit>,
            /// The groups.
            pub request_mask: Signal<In, Bits<GROUPS>>,
            /// Groups of the command at work.
            pub stopped: Signal<Out, Bits<GROUPS>>,
            /// The command has ended.
            pub done_valid: Signal<Out, Bit>,
            /// An allocation failed.
            pub done_failed: Signal<Out, Bit>,
            /// Groups of the command that are re-mapped.
            pub done_saved: Signal<Out, Bits<GROUPS>>,
            /// Words that were copied for it.
            pub done_words: Signal<Out, Bits<32>>,
            /// Memory is asked for.
            pub allocate_valid: Signal<Out, Bit>,
            /// The allocator takes the request.
            pub allocate_ready: Signal<In, Bit>,
            /// The group that it is for.
            pub allocate_group: Signal<Out, Bits<GROUP_BITS>>,
            /// How many words.
            pub allocate_words: Signal<Out, Bits<32>>,
            /// The allocator answers.
            pub allocated_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub allocated_ready: Signal<Out, Bit>,
            /// There is no memory.
            pub allocated_failed: Signal<In, Bit>,
            /// First word of the memory.
            pub allocated_pointer: Signal<In, Bits<32>>,
            /// Memory is given back.
            pub free_valid: Signal<Out, Bit>,
            /// The allocator takes it.
            pub free_ready: Signal<In, Bit>,
            /// The group that had it.
            pub free_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Its first word.
            pub free_pointer: Signal<Out, Bits<32>>,
            /// A word of local memory is asked for.
            pub copy_read_valid: Signal<Out, Bit>,
            /// Local memory takes the request.
            pub copy_read_ready: Signal<In, Bit>,
            /// Which word.
            pub copy_read_address: Signal<Out, Bits<32>>,
            /// Local memory answers.
            pub copy_data_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub copy_data_ready: Signal<Out, Bit>,
            /// The word.
            pub copy_data: Signal<In, Bits<32>>,
            /// A word for global memory.
            pub copy_write_valid: Signal<Out, Bit>,
            /// Global memory takes it.
            pub copy_write_ready: Signal<In, Bit>,
            /// Where it goes.
            pub copy_write_address: Signal<Out, Bits<32>>,
            /// The word.
            pub copy_write_data: Signal<Out, Bits<32>>,
            /// The oldest write was carried out.
            pub copy_acknowledge_valid: Signal<In, Bit>,
            /// A group whose row is shown.
            pub row_group: Signal<In, Bits<GROUP_BITS>>,
            /// It has a row.
            pub row_used: Signal<Out, Bit>,
            /// It is re-mapped.
            pub row_remapped: Signal<Out, Bit>,
            /// Its first word in global memory; 0 unless it is re-mapped.
            pub row_pointer: Signal<Out, Bits<32>>,
            /// Words of each of its threads; 0 without a row.
            pub row_limit: Signal<Out, Bits<16>>,
        }
        parts {
            rows: PointerTable<GROUPS, GROUP_BITS>,
            addresses: AddressUnit<GROUPS, GROUP_BITS, THREAD_BITS>,
            sequencer: GroupSequencer<GROUPS, GROUP_BITS, THREAD_BITS, WORDS_BITS>,
            copies: CopyEngines<GROUP_BITS, WORDS_BITS, ENGINES, LINKS, ORDER_BITS, COUNT_BITS>,
        }
    }
}

impl<
        const GROUPS: usize,
        const GROUP_BITS: usize,
        const THREAD_BITS: usize,
        const WORDS_BITS: usize,
        const ENGINES: usize,
        const LINKS: usize,
        const ORDER_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for ContextSequencer<GROUPS, GROUP_BITS, THREAD_BITS, WORDS_BITS, ENGINES, LINKS, ORDER_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, addresses, sequencer, copies);
        self.rows.reset.next = self.reset.val();
        self.addresses.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.copies.reset.next = self.reset.val();

        // Which group lies where, and who changes it: a copy that ends comes before a group without words.
        self.rows.bind_valid.next = self.bind_valid.val();
        self.bind_ready.next = self.rows.bind_ready.val();
        self.rows.bind_slot.next = self.bind_slot.val();
        self.rows.bind_group.next = self.bind_group.val();
        self.rows.bind_fresh.next = self.bind_fresh.val();
        self.rows.bind_base.next = self.bind_base.val();
        self.rows.bind_limit.next = self.bind_limit.val();
        self.rows.bind_hold.next = self.addresses.clearing.val();
        self.bind_error.next = self.rows.bind_error.val();
        self.rows.release_valid.next = self.release_valid.val();
        self.rows.release_slot.next = self.release_slot.val();
        self.rows.lookup_slot.next = self.addresses.lookup_slot.val();
        self.rows.work_group.next = self.sequencer.work_group.val();
        self.rows.row_group.next = self.row_group.val();
        self.row_used.next = self.rows.row_used.val();
        self.row_remapped.next = self.rows.row_remapped.val();
        self.row_pointer.next = self.rows.row_pointer.val();
        self.row_limit.next = self.rows.row_limit.val();
        self.rows.remap_valid.next = self.copies.finish_valid.val() | self.sequencer.empty_valid.val();
        self.rows.remap_group.next = self.sequencer.work_group.val();
        self.rows.remap_pointer.next = 0.into();
        if self.copies.finish_valid.val() {
            self.rows.remap_group.next = self.copies.finish_group.val();
            self.rows.remap_pointer.next = self.copies.finish_pointer.val();
        }
        self.rows.clear_valid.next = self.sequencer.clear_valid.val();

        // Accesses.
        self.addresses.access_valid.next = self.access_valid.val();
        self.access_ready.next = self.addresses.access_ready.val();
        self.addresses.access_slot.next = self.access_slot.val();
        self.addresses.access_thread.next = self.access_thread.val();
        self.addresses.access_word.next = self.access_word.val();
        self.addresses.lookup_bound.next = self.rows.lookup_bound.val();
        self.addresses.lookup_group.next = self.rows.lookup_group.val();
        self.addresses.lookup_remapped.next = self.rows.lookup_remapped.val();
        self.addresses.lookup_origin.next = self.rows.lookup_origin.val();
        self.addresses.lookup_limit.next = self.rows.lookup_limit.val();
        self.addresses.stopped.next = self.sequencer.stopped.val();
        self.addresses.complete_valid.next = self.complete_valid.val();
        self.addresses.complete_group.next = self.complete_group.val();
        self.addresses.drain_group.next = self.sequencer.work_group.val();
        self.location_valid.next = self.addresses.location_valid.val();
        self.location_group.next = self.addresses.location_group.val();
        self.location_global.next = self.addresses.location_global.val();
        self.location_address.next = self.addresses.location_address.val();
        self.access_error_valid.next = self.addresses.access_error_valid.val();
        self.access_error_bound.next = self.addresses.access_error_bound.val();
        self.access_error_group.next = self.addresses.access_error_group.val();
        self.access_error_slot.next = self.addresses.access_error_slot.val();
        self.access_error_thread.next = self.addresses.access_error_thread.val();
        self.access_error_word.next = self.addresses.access_error_word.val();

        // Commands, and the allocator.
        self.sequencer.request_valid.next = self.request_valid.val();
        self.request_ready.next = self.sequencer.request_ready.val();
        self.sequencer.request_operation.next = self.request_operation.val();
        self.sequencer.request_mask.next = self.request_mask.val();
        self.stopped.next = self.sequencer.stopped.val();
        self.done_valid.next = self.sequencer.done_valid.val();
        self.done_failed.next = self.sequencer.done_failed.val();
        self.done_saved.next = self.sequencer.done_saved.val();
        self.done_words.next = self.sequencer.done_words.val();
        self.allocate_valid.next = self.sequencer.allocate_valid.val();
        self.sequencer.allocate_ready.next = self.allocate_ready.val();
        self.allocate_group.next = self.sequencer.allocate_group.val();
        self.allocate_words.next = self.sequencer.allocate_words.val();
        self.sequencer.allocated_valid.next = self.allocated_valid.val();
        self.allocated_ready.next = self.sequencer.allocated_ready.val();
        self.sequencer.allocated_failed.next = self.allocated_failed.val();
        self.free_valid.next = self.sequencer.free_valid.val();
        self.sequencer.free_ready.next = self.free_ready.val();
        self.free_group.next = self.sequencer.free_group.val();
        self.free_pointer.next = self.sequencer.free_pointer.val();
        self.sequencer.work_used.next = self.rows.work_used.val();
        self.sequencer.work_remapped.next = self.rows.work_remapped.val();
        self.sequencer.work_origin.next = self.rows.work_origin.val();
        self.sequencer.work_limit.next = self.rows.work_limit.val();
        self.sequencer.drained.next = self.addresses.drained.val();
        self.sequencer.groups_remapped.next = self.rows.groups_remapped.val();

        // Copies.
        self.copies.start_valid.next = self.sequencer.start_valid.val();
        self.sequencer.start_ready.next = self.copies.start_ready.val();
        self.copies.start_group.next = self.sequencer.work_group.val();
        self.copies.start_from.next = self.rows.work_origin.val();
        self.copies.start_to.next = self.allocated_pointer.val();
        self.copies.start_words.next = self.sequencer.start_words.val();
        self.sequencer.finish_valid.next = self.copies.finish_valid.val();
        self.sequencer.word_valid.next = self.copy_acknowledge_valid.val();
        self.sequencer.idle.next = self.copies.idle.val();
        self.copy_read_valid.next = self.copies.copy_read_valid.val();
        self.copies.copy_read_ready.next = self.copy_read_ready.val();
        self.copy_read_address.next = self.copies.copy_read_address.val();
        self.copies.copy_data_valid.next = self.copy_data_valid.val();
        self.copy_data_ready.next = self.copies.copy_data_ready.val();
        self.copies.copy_data.next = self.copy_data.val();
        self.copy_write_valid.next = self.copies.copy_write_valid.val();
        self.copies.copy_write_ready.next = self.copy_write_ready.val();
        self.copy_write_address.next = self.copies.copy_write_address.val();
        self.copy_write_data.next = self.copies.copy_write_data.val();
        self.copies.copy_acknowledge_valid.next = self.copy_acknowledge_valid.val();
    }
}
