//! The context unit of a core: each warp's local memory has a handle and a row from its launch to its end, in the core or away; it is copied when its block leaves
//! for the first time, and given back when the warp has ended.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `local_memory_ports` | | lanes, allocator, memories: the surroundings of the core |
//! | `launch_*`, `finish_*` | in | a warp is launched, anew or with the handle that it had; a warp has ended |
//! | `leave_*` | in, `group` out | a warp leaves for a save area; its handle goes along |
//! | `save_valid`, `save_warps` | in | local memory of these warps is to be saved: those of a block that leaves |
//! | `save_done`, `save_failed` | out | strobe: it was; not all of it, for there was no room |
//! | `unbound` | out | warps that have no row yet: they must issue nothing |
//! | `room` | out | there are rows for a core full of warps: a block may be taken |
//!
//! A launch binds the handle to the warp, with the warp's words in the hardware's local memory; a return binds it with the row that it has. A warp that ends or leaves is
//! released. Save commands go before Free commands, and a Free is for all handles whose warps have ended by then.
//!
//! **Timing** that of `context_sequencer`: with ports always ready and no Free at work `save_done` comes W + latencies + 5 cycles behind the first cycle of `save_valid`
//! for one group of W words. Without local memory it comes in the same cycle. `save_valid` holds until `save_done`.
//! **Invariants** those of its parts, and 1. a save succeeds exactly if every group of it is re-mapped. 2. commands are one at a time: no row is freed while others are
//! copied. 3. without local memory no handle is given out, no row is bound and no command given.
//! **Source** US 2014/0165072; CX-01 to CX-08, CX-11. **See also** `group_handles`, `context_sequencer`, `block_saver`.

use super::group_handles::GroupHandles;
use crate::context::context_sequencer::ContextSequencer;
use crate::prelude::*;

block! {
    /// `WARPS` = 2^`WARP_BITS` warps of 2^`THREAD_BITS` threads, `LINKS` = `WARP_BITS` + 1; `GROUPS` = 2^`GROUP_BITS` handles, at least `WARPS`; `GROUP_COUNT_BITS` =
    /// `GROUP_BITS` + 1, `SIZE_BITS` = `THREAD_BITS` + 16. See the module's page.
    pub struct LocalMemoryUnit<
        const WARPS: usize, const WARP_BITS: usize, const LINKS: usize, const THREAD_BITS: usize, const GROUPS: usize,
        const GROUP_BITS: usize, const GROUP_COUNT_BITS: usize, const SIZE_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is launched.
            pub launch_valid: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// It comes back.
            pub launch_resumes: Signal<In, Bit>,
            /// With this handle.
            pub launch_group: Signal<In, Bits<GROUP_BITS>>,
            /// A warp has ended.
            pub finish_valid: Signal<In, Bit>,
            /// Which.
            pub finish_warp: Signal<In, Bits<WARP_BITS>>,
            /// A warp leaves.
            pub leave_valid: Signal<In, Bit>,
            /// Which; also while it is only looked at.
            pub leave_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its handle.
            pub leave_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Local memory is to be saved.
            pub save_valid: Signal<In, Bit>,
            /// Of these warps.
            pub save_warps: Signal<In, Bits<WARPS>>,
            /// That is over.
            pub save_done: Signal<Out, Bit>,
            /// There was no room for all of it.
            pub save_failed: Signal<Out, Bit>,
            /// Warps that have no row yet.
            pub unbound: Signal<Out, Bits<WARPS>>,
            /// There are rows for a core full of warps.
            pub room: Signal<Out, Bit>,
        }
        shared { local_memory_ports }
        parts {
            handles: GroupHandles<WARPS, WARP_BITS, GROUPS, GROUP_BITS, GROUP_COUNT_BITS>,
            #[reads_back(request_valid)]
            sequencer: ContextSequencer<GROUPS, GROUP_BITS, THREAD_BITS, SIZE_BITS, 1, 2, 6, 7>,
            saving: Register<Bit>,
            wanted: Signal<Local, Bits<GROUPS>>,
            saves: Signal<Local, Bit>,
            taken: Signal<Local, Bit>,
            addends: [Signal<Local, Bits<32>>; WARP_BITS] = std::array::from_fn(|_| Signal::default()),
            bases: [Signal<Local, Bits<32>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            shifts: [Constant<Bits<5>>; WARP_BITS] = std::array::from_fn(|bit| Constant::new(bits((bit + THREAD_BITS) as u64))),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const LINKS: usize,
        const THREAD_BITS: usize,
        const GROUPS: usize,
        const GROUP_BITS: usize,
        const GROUP_COUNT_BITS: usize,
        const SIZE_BITS: usize,
    > Logic for LocalMemoryUnit<WARPS, WARP_BITS, LINKS, THREAD_BITS, GROUPS, GROUP_BITS, GROUP_COUNT_BITS, SIZE_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, saving);
        clock!(self, clock, handles, sequencer);
        self.handles.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();

        // Warps come and go.
        self.handles.enable.next = self.local_words.val().any();
        self.handles.launch_valid.next = self.launch_valid.val();
        self.handles.launch_warp.next = self.launch_warp.val();
        self.handles.launch_resumes.next = self.launch_resumes.val();
        self.handles.launch_group.next = self.launch_group.val();
        self.handles.finish_valid.next = self.finish_valid.val();
        self.handles.finish_warp.next = self.finish_warp.val();
        self.handles.leave_valid.next = self.leave_valid.val();
        self.handles.leave_warp.next = self.leave_warp.val();
        self.leave_group.next = self.handles.leave_group.val();
        self.unbound.next = self.handles.unbound.val();
        self.room.next = self.handles.room.val();
        self.local_freeing.next = self.handles.freeing.val();

        // Rows: a warp's words lie behind those of the warps of smaller numbers, whose sizes add up bit by bit of its number.
        for i in 0..WARP_BITS {
            self.addends[i].next = 0.into();
            if self.handles.bind_warp.val().get_bit(i) {
                self.addends[i].next = bit_cast::<32, 16>(self.local_words.val()) << self.shifts[i].val();
            }
        }
        self.bases[0].next = 0.into();
        for i in 0..WARP_BITS {
            self.bases[i + 1].next = self.bases[i].val() + self.addends[i].val();
        }
        self.sequencer.bind_base.next = 0.into();
        for i in 0..WARP_BITS {
            self.sequencer.bind_base.next = self.bases[i + 1].val();
        }
        self.sequencer.bind_valid.next = self.handles.bind_valid.val();
        self.handles.bind_ready.next = self.sequencer.bind_ready.val();
        self.sequencer.bind_slot.next = bit_cast::<GROUP_BITS, WARP_BITS>(self.handles.bind_warp.val());
        self.sequencer.bind_group.next = self.handles.bind_group.val();
        self.sequencer.bind_fresh.next = self.handles.bind_fresh.val();
        self.sequencer.bind_limit.next = self.local_words.val();
        self.bind_error.next = self.sequencer.bind_error.val();
        self.sequencer.release_valid.next = self.handles.release_valid.val();
        self.sequencer.release_slot.next = bit_cast::<GROUP_BITS, WARP_BITS>(self.handles.release_warp.val());
        self.sequencer.row_group.next = 0.into();

        // Commands: a block that leaves is saved, what has ended is freed.
        self.handles.of_warps.next = self.save_warps.val();
        self.wanted.next = self.handles.groups.val();
        self.saves.next = self.save_valid.val() & self.wanted.val().any();
        self.sequencer.request_valid.next = self.saves.val() | self.handles.ended.val().any();
        self.sequencer.request_operation.next = !self.saves.val();
        self.sequencer.request_mask.next = self.handles.ended.val();
        if self.saves.val() {
            self.sequencer.request_mask.next = self.wanted.val();
        }
        self.taken.next = self.sequencer.request_valid.val() & self.sequencer.request_ready.val();
        if self.taken.val() {
            self.saving.d.next = self.saves.val();
        }
        self.handles.ended_taken.next = self.taken.val() & !self.saves.val();
        self.handles.ended_done.next = self.sequencer.done_valid.val() & !self.saving.q.val();
        self.save_done.next = (self.save_valid.val() & !self.wanted.val().any())
            | (self.sequencer.done_valid.val() & self.saving.q.val());
        self.save_failed.next = (self.wanted.val() & !self.sequencer.done_saved.val()).any();

        // Accesses.
        self.sequencer.access_valid.next = self.access_valid.val();
        self.access_ready.next = self.sequencer.access_ready.val();
        self.sequencer.access_slot.next = bit_cast::<GROUP_BITS, WARP_BITS>(self.access_warp.val());
        self.sequencer.access_thread.next = self.access_thread.val();
        self.sequencer.access_word.next = self.access_word.val();
        self.location_valid.next = self.sequencer.location_valid.val();
        self.location_group.next = self.sequencer.location_group.val();
        self.location_global.next = self.sequencer.location_global.val();
        self.location_address.next = self.sequencer.location_address.val();
        self.access_error_valid.next = self.sequencer.access_error_valid.val();
        self.access_error_bound.next = self.sequencer.access_error_bound.val();
        self.access_error_group.next = self.sequencer.access_error_group.val();
        self.access_error_warp.next = bit_cast::<WARP_BITS, GROUP_BITS>(self.sequencer.access_error_slot.val());
        self.access_error_thread.next = self.sequencer.access_error_thread.val();
        self.access_error_word.next = self.sequencer.access_error_word.val();
        self.sequencer.complete_valid.next = self.complete_valid.val();
        self.sequencer.complete_group.next = self.complete_group.val();

        // Allocator and memories.
        self.allocate_valid.next = self.sequencer.allocate_valid.val();
        self.sequencer.allocate_ready.next = self.allocate_ready.val();
        self.allocate_group.next = self.sequencer.allocate_group.val();
        self.allocate_words.next = self.sequencer.allocate_words.val();
        self.sequencer.allocated_valid.next = self.allocated_valid.val();
        self.allocated_ready.next = self.sequencer.allocated_ready.val();
        self.sequencer.allocated_failed.next = self.allocated_failed.val();
        self.sequencer.allocated_pointer.next = self.allocated_pointer.val();
        self.free_valid.next = self.sequencer.free_valid.val();
        self.sequencer.free_ready.next = self.free_ready.val();
        self.free_group.next = self.sequencer.free_group.val();
        self.free_pointer.next = self.sequencer.free_pointer.val();
        self.copy_read_valid.next = self.sequencer.copy_read_valid.val();
        self.sequencer.copy_read_ready.next = self.copy_read_ready.val();
        self.copy_read_address.next = self.sequencer.copy_read_address.val();
        self.sequencer.copy_data_valid.next = self.copy_data_valid.val();
        self.copy_data_ready.next = self.sequencer.copy_data_ready.val();
        self.sequencer.copy_data.next = self.copy_data.val();
        self.copy_write_valid.next = self.sequencer.copy_write_valid.val();
        self.sequencer.copy_write_ready.next = self.copy_write_ready.val();
        self.copy_write_address.next = self.sequencer.copy_write_address.val();
        self.copy_write_data.next = self.sequencer.copy_write_data.val();
        self.sequencer.copy_acknowledge_valid.next = self.copy_acknowledge_valid.val();
    }
}
