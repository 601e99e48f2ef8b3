//! The control core around any engine: [`core_top!`](crate::core_top) declares a top of that name, and says how its parts are wired, once for all of them.
//!
//! ```text
//!   grid ──▶ work_distributor ──block──▶ cta_slots ──launch──▶ launch_queue ──▶ engine
//!                                            ▲                                 │  ▲
//!                                         finish ◀────────────────────────────┤  │ offer
//!                                                                       ready │  │
//!   instructions, lanes ◀───────────────────────────────────────────────▶ issue_stage
//!                                                                         │       ▲
//!                                                                 present ▼       │ steps, wake-ups
//!                                                                       barrier_unit
//! ```

/// Declares a block with the ports given, whose engine is a [`DequeEngine`](crate::core::deque_engine::DequeEngine) or has the same ports and parameters.
#[macro_export]
macro_rules! core_top {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident around $engine:ident {
            ports { $($ports:tt)* }
            shared { $($group:ident),+ }
            $(with { $suspension:ident: $unit:ident, $local:ident: $memory:ident; $($more:ident),+ })?
        }
    ) => {
        $crate::block! {
            $(#[$attribute])*
            pub struct $name<
                const WARPS: usize, const WARP_BITS: usize, const WARP_COUNT_BITS: usize, const THREADS: usize,
                const THREAD_BITS: usize, const DEPTH_BITS: usize, const POINTER_BITS: usize, const ENTRY_BITS: usize,
                const KEY_BITS: usize, const WORD_BITS: usize, const LAUNCH_BITS: usize,
                const ENTRIES: usize, const LINKS: usize, const QUEUE_BITS: usize, const MAP_BITS: usize, const PAIR_BITS: usize,
                const RECORD_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize, const COUNT_BITS: usize,
                const PARTS: usize, const PART_BITS: usize, const HALVES: usize,
                const PRIORITY_BITS: usize, const PROGRAM_BITS: usize, const TASK_BITS: usize, const BLOCK_BITS: usize
                $($(, const $more: usize)+)?
            > {
                ports { $($ports)* }
                shared { $($group),+ }
                parts {
                    distributor: WorkDistributor<1, 1, 1, 2, 16, 6, 2, 3, 2, 3, PROGRAM_BITS, TASK_BITS>,
                    slots: CtaSlots<
                        WARPS, WARP_BITS, WARP_COUNT_BITS, THREADS, THREAD_BITS, PROGRAM_BITS, BLOCK_BITS,
                    >,
                    launches: LaunchQueue<WARP_BITS, WARP_COUNT_BITS, LAUNCH_BITS>,
                    issue: IssueStage<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, PRIORITY_BITS>,
                    engine: $engine<
                        WARPS, WARP_BITS, THREADS, ADDRESS_BITS, DEPTH_BITS, POINTER_BITS, ENTRY_BITS, KEY_BITS, WORD_BITS,
                    >,
                    barriers: BarrierUnit<
                        WARPS, WARP_BITS, ENTRIES, LINKS, QUEUE_BITS, MAP_BITS, THREADS, THREAD_BITS, PAIR_BITS,
                        RECORD_BITS, BLOCK_THREADS, OFFSET_BITS, COUNT_BITS, PARTS, PART_BITS, HALVES,
                    >,
                    $($suspension: $unit<
                        WARPS, WARP_BITS, WARP_COUNT_BITS, THREADS, ADDRESS_BITS, PROGRAM_BITS, BLOCK_BITS, GROUP_BITS,
                    >,
                    $local: $memory<WARPS, WARP_BITS, WARP_COUNT_BITS, THREAD_BITS, $($more),+>,)?
                    mask_at: Constant<Bits<7>> = Constant::new(bits(WARP_BITS as u64)),
                    program_at: Constant<Bits<7>> = Constant::new(bits((WARP_BITS + THREADS) as u64)),
                    frozen: Signal<Local, Bits<WARPS>>,
                    unbound: Signal<Local, Bits<WARPS>>,
                    rows: Signal<Local, Bit>,
                    offered: Signal<Local, Bit>,
                    enters: Signal<Local, Bit>,
                    looking: Signal<Local, Bit>,
                    priority_at: Constant<Bits<5>> = Constant::new(bits(ADDRESS_BITS as u64)),
                }
            }
        }

        impl<
                const WARPS: usize, const WARP_BITS: usize, const WARP_COUNT_BITS: usize, const THREADS: usize,
                const THREAD_BITS: usize, const DEPTH_BITS: usize, const POINTER_BITS: usize, const ENTRY_BITS: usize,
                const KEY_BITS: usize, const WORD_BITS: usize, const LAUNCH_BITS: usize, const ENTRIES: usize,
                const LINKS: usize, const QUEUE_BITS: usize, const MAP_BITS: usize, const PAIR_BITS: usize,
                const RECORD_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize, const COUNT_BITS: usize,
                const PARTS: usize, const PART_BITS: usize, const HALVES: usize, const PRIORITY_BITS: usize,
                const PROGRAM_BITS: usize, const TASK_BITS: usize, const BLOCK_BITS: usize
                $($(, const $more: usize)+)?
            > Logic
            for $name<
                WARPS, WARP_BITS, WARP_COUNT_BITS, THREADS, THREAD_BITS, DEPTH_BITS, POINTER_BITS, ENTRY_BITS, KEY_BITS,
                WORD_BITS, LAUNCH_BITS, ENTRIES, LINKS, QUEUE_BITS, MAP_BITS, PAIR_BITS, RECORD_BITS, BLOCK_THREADS, OFFSET_BITS,
                COUNT_BITS, PARTS, PART_BITS, HALVES, PRIORITY_BITS, PROGRAM_BITS, TASK_BITS, BLOCK_BITS $($(, $more)+)?
            >
        {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, distributor, slots, launches, issue, engine, barriers);
                $(clock!(self, clock, $suspension, $local);)?
                $(self.$suspension.reset.next = self.reset.val();)?
                $(self.$local.reset.next = self.reset.val();)?
                self.distributor.reset.next = self.reset.val();
                self.slots.reset.next = self.reset.val();
                self.launches.reset.next = self.reset.val();
                self.issue.reset.next = self.reset.val();
                self.engine.reset.next = self.reset.val();
                self.barriers.reset.next = self.reset.val();

                // Grids become blocks.
                self.distributor.request_valid.next = self.grid_valid.val();
                self.grid_ready.next = self.distributor.request_ready.val();
                // What the distributor and the slots carry as a program is its address and, above that, the grid's priority.
                self.distributor.request_program.next = bit_cast::<PROGRAM_BITS, ADDRESS_BITS>(self.grid_program.val())
                    | (bit_cast::<PROGRAM_BITS, PRIORITY_BITS>(self.grid_priority.val()) << self.priority_at.val());
                self.distributor.request_grid.next = self.grid_number.val();
                self.distributor.request_predicated.next = self.grid_predicated.val();
                self.distributor.request_table.next = self.grid_table.val();
                self.distributor.request_x.next = self.grid_x.val();
                self.distributor.request_y.next = self.grid_y.val();
                self.distributor.request_z.next = self.grid_z.val();
                self.distributor.request_clustered.next = self.grid_clustered.val();
                self.distributor.request_cluster_x.next = self.grid_cluster_x.val();
                self.distributor.request_cluster_y.next = self.grid_cluster_y.val();
                self.distributor.request_cluster_z.next = self.grid_cluster_z.val();
                self.distributor.request_head.next = self.grid_head.val();
                self.grid_done.next = self.distributor.done_valid.val();
                self.grid_done_number.next = self.distributor.done_grid.val();
                self.grid_busy.next = self.distributor.busy.val();
                self.table_request_valid.next = self.distributor.memory_request_valid.val();
                self.distributor.memory_request_ready.next = self.table_request_ready.val();
                self.table_request_address.next = self.distributor.memory_request_address.val();
                self.distributor.memory_response_valid.next = self.table_response_valid.val();
                self.table_response_ready.next = self.distributor.memory_response_ready.val();
                self.distributor.memory_response_data.next = self.table_response_data.val();

                // Blocks become warps.
                self.slots.warp_enable.next = self.warp_enable.val();
                self.slots.block_threads.next = self.block_threads.val();
                self.slots.keeps.next = self.barriers_enable.val();
                self.rows.next = true;
                $(self.rows.next = self.$local.room.val();)?
                self.offered.next = self.distributor.block_valid.val().any();
                self.enters.next = self.slots.block_ready.val() & self.rows.val();
                self.distributor.core_ready.next = self.enters.val().into();
                self.slots.block_valid.next = self.offered.val() & self.rows.val();
                self.slots.block_x.next = self.distributor.block_x.val();
                self.slots.block_y.next = self.distributor.block_y.val();
                self.slots.block_z.next = self.distributor.block_z.val();
                self.slots.block_grid.next = self.distributor.block_grid.val();
                self.slots.block_program.next = self.distributor.block_program.val();
                self.block_valid.next = self.offered.val() & self.enters.val();
                self.block_waiting.next = self.offered.val() & !self.enters.val();
                self.block_x.next = self.distributor.block_x.val();
                self.block_y.next = self.distributor.block_y.val();
                self.block_z.next = self.distributor.block_z.val();
                self.launch_valid.next = self.slots.launch_valid.val();
                self.launch_warp.next = self.slots.launch_warp.val();
                self.launch_slot.next = self.slots.launch_slot.val();
                self.launch_place.next = self.slots.launch_place.val();
                self.launch_threads.next = self.slots.launch_threads.val();
                self.launch_x.next = self.slots.launch_x.val();
                self.launch_y.next = self.slots.launch_y.val();
                self.launch_z.next = self.slots.launch_z.val();
                self.launch_grid.next = self.slots.launch_grid.val();
                self.launch_priority.next =
                    self.slots.launch_program.val().get_bits::<PRIORITY_BITS>(self.priority_at.val());
                self.launches.enter_valid.next = self.slots.launch_valid.val() & !self.slots.resume_launched.val();
                self.launches.enter_data.next = bit_cast::<LAUNCH_BITS, WARP_BITS>(self.slots.launch_warp.val())
                    | (bit_cast::<LAUNCH_BITS, THREADS>(self.slots.launch_threads.val()) << self.mask_at.val())
                    | (bit_cast::<LAUNCH_BITS, ADDRESS_BITS>(self.slots.launch_program.val().get_bits::<ADDRESS_BITS>(0))
                        << self.program_at.val());
                self.engine.launch_valid.next = self.launches.leave_valid.val();
                self.launches.leave_ready.next = self.engine.launch_ready.val();
                self.engine.launch_warp.next = self.launches.leave_data.val().get_bits::<WARP_BITS>(0);
                self.engine.launch_mask.next = self.launches.leave_data.val().get_bits::<THREADS>(self.mask_at.val());
                self.engine.launch_address.next =
                    self.launches.leave_data.val().get_bits::<ADDRESS_BITS>(self.program_at.val());
                self.engine.launch_resumes.next = false;
                self.engine.launch_yields.next = 0.into();
                self.barriers.launch_resumes.next = self.slots.resume_launched.val();

                // A block leaves or comes back. Without suspensions, none does.
                self.slots.resume_valid.next = false;
                self.slots.resume_warps.next = 0.into();
                self.slots.resume_count.next = 0.into();
                self.slots.resume_record.next = 0.into();
                self.slots.resume_launch.next = false;
                self.slots.resume_place.next = 0.into();
                self.slots.resume_threads.next = 0.into();
                self.slots.hold_slot.next = 0.into();
                self.slots.hold_leaves.next = false;
                self.frozen.next = 0.into();
                self.unbound.next = 0.into();
                self.looking.next = false;
                self.issue.context_valid.next = false;
                self.issue.context_warp.next = 0.into();
                self.issue.context_operation.next = 0.into();
                self.issue.context_kind.next = 0.into();
                self.issue.context_mask.next = 0.into();
                self.issue.context_target.next = 0.into();
                self.barriers.move_valid.next = false;
                self.barriers.move_operation.next = 0.into();
                self.barriers.move_slot.next = 0.into();
                self.barriers.move_barrier.next = 0.into();
                self.barriers.move_block.next = 0.into();
                self.barriers.move_word.next = 0.into();
                self.barriers.move_data.next = 0.into();
                $(
                    self.$suspension.suspend_valid.next = self.suspend_valid.val();
                    self.suspend_ready.next = self.$suspension.suspend_ready.val();
                    self.$suspension.suspend_resumes.next = self.suspend_resumes.val();
                    self.$suspension.suspend_slot.next = self.suspend_slot.val();
                    self.$suspension.suspend_address.next = self.suspend_address.val();
                    self.$suspension.suspend_warps.next = self.suspend_warps.val();
                    self.$suspension.suspend_patience.next = self.suspend_patience.val();
                    self.suspend_done.next = self.$suspension.suspend_done.val();
                    self.suspend_failure.next = self.$suspension.suspend_failure.val();
                    self.suspend_end.next = self.$suspension.suspend_end.val();
                    self.suspend_held.next = self.$suspension.suspend_held.val();
                    self.save_request_valid.next = self.$suspension.save_request_valid.val();
                    self.$suspension.save_request_ready.next = self.save_request_ready.val();
                    self.save_request_write.next = self.$suspension.save_request_write.val();
                    self.save_request_address.next = self.$suspension.save_request_address.val();
                    self.save_request_data.next = self.$suspension.save_request_data.val();
                    self.$suspension.save_response_valid.next = self.save_response_valid.val();
                    self.save_response_ready.next = self.$suspension.save_response_ready.val();
                    self.$suspension.save_response_data.next = self.save_response_data.val();

                    self.$suspension.barriers_enable.next = self.barriers_enable.val();
                    self.slots.hold_slot.next = self.$suspension.hold_slot.val();
                    self.$suspension.hold_warps.next = self.slots.hold_warps.val();
                    self.$suspension.hold_pending.next = self.slots.hold_pending.val();
                    self.$suspension.hold_record.next = self.slots.hold_record.val();
                    self.$suspension.hold_clear.next = self.slots.hold_clear.val();
                    self.slots.hold_leaves.next = self.$suspension.hold_leaves.val();
                    self.slots.resume_valid.next = self.$suspension.enter_valid.val();
                    self.$suspension.enter_ready.next = self.slots.resume_ready.val();
                    self.$suspension.enter_slot.next = self.slots.resume_slot.val();
                    self.slots.resume_warps.next = self.$suspension.enter_warps.val();
                    self.slots.resume_count.next = self.$suspension.enter_count.val();
                    self.slots.resume_record.next = self.$suspension.enter_record.val();
                    self.slots.resume_place.next = self.$suspension.launch_place.val();
                    self.slots.resume_threads.next = self.$suspension.launch_threads.val();
                    if self.$suspension.launching.val() & self.slots.hold_clear.val() & !self.launches.waits.val() {
                        self.engine.launch_warp.next = self.slots.launch_warp.val();
                        self.engine.launch_mask.next = self.$suspension.launch_threads.val();
                        self.engine.launch_address.next = self.$suspension.launch_address.val();
                        self.engine.launch_valid.next = true;
                        self.engine.launch_resumes.next = true;
                        self.slots.resume_launch.next = self.engine.launch_ready.val();
                    }
                    self.engine.launch_yields.next = self.$suspension.launch_yields.val();
                    self.$suspension.launched.next = self.slots.resume_launched.val();
                    self.$suspension.launched_warp.next = self.slots.launch_warp.val();
                    self.resume_valid.next = self.slots.resume_launched.val();
                    if self.$suspension.freezes.val() {
                        self.frozen.next = self.slots.hold_warps.val();
                    }
                    self.$suspension.busy_warps.next = self.lane_busy.val()
                        | self.$local.unbound.val()
                        | self.barriers.presenting.val()
                        | self.barriers.step_waiting.val()
                        | self.barriers.waking.val();
                    self.$suspension.unsettled.next = self.issue.offer_waits.val() | self.launches.waits.val();
                    self.$suspension.warp_ready.next = self.engine.warp_ready.val();
                    self.looking.next = self.$suspension.look.val();
                    self.$suspension.look_ready.next = !self.observe_valid.val();
                    self.issue.context_valid.next = self.$suspension.offer_valid.val();
                    self.issue.context_warp.next = self.$suspension.offer_warp.val();
                    self.issue.context_operation.next = self.$suspension.offer_operation.val();
                    self.issue.context_kind.next = self.$suspension.offer_kind.val();
                    self.issue.context_mask.next = self.$suspension.offer_mask.val();
                    self.issue.context_target.next = self.$suspension.offer_target.val();
                    self.$suspension.offer_taken.next = self.issue.context_taken.val();
                    self.$suspension.saved_valid.next = self.engine.saved_valid.val();
                    self.$suspension.saved_last.next = self.engine.saved_last.val();
                    self.$suspension.saved_kind.next = self.engine.saved_kind.val();
                    self.$suspension.saved_mask.next = self.engine.saved_mask.val();
                    self.$suspension.saved_address.next = self.engine.saved_address.val();
                    self.$suspension.place.next = self.slots.look_place.val();
                    self.$suspension.query_address.next = self.engine.query_address.val();
                    self.$suspension.query_active.next = self.engine.query_active.val();
                    self.$suspension.query_disabled.next = self.engine.query_disabled.val();
                    self.$suspension.query_yields.next = self.engine.query_yields.val();
                    self.barriers.move_valid.next = self.$suspension.barrier_valid.val();
                    self.$suspension.barrier_ready.next = self.barriers.move_ready.val();
                    self.barriers.move_operation.next = self.$suspension.barrier_operation.val();
                    self.barriers.move_slot.next = self.$suspension.hold_slot.val();
                    self.barriers.move_barrier.next = self.$suspension.barrier_number.val();
                    self.barriers.move_block.next = self.$suspension.barrier_block.val();
                    self.barriers.move_word.next = self.$suspension.barrier_word.val();
                    self.barriers.move_data.next = self.$suspension.barrier_data.val();
                    self.$suspension.answer_valid.next = self.barriers.moved_valid.val();
                    self.$suspension.answer_refused.next = self.barriers.moved_refused.val();
                    self.$suspension.answer_error.next = self.barriers.moved_error.val();
                    self.$suspension.answer_saved.next = self.barriers.moved_saved.val();

                    // Local memory of warps that come and go.
                    self.unbound.next = self.$local.unbound.val();
                    self.$local.launch_valid.next = self.slots.launch_valid.val();
                    self.$local.launch_warp.next = self.slots.launch_warp.val();
                    self.$local.launch_resumes.next = self.slots.resume_launched.val();
                    self.$local.launch_group.next = self.$suspension.launch_group.val();
                    self.$local.finish_valid.next = self.engine.done_valid.val();
                    self.$local.finish_warp.next = self.engine.done_warp.val();
                    self.$local.leave_valid.next = self.$suspension.leave_valid.val();
                    self.$local.leave_warp.next = self.$suspension.leave_warp.val();
                    self.$suspension.leave_group.next = self.$local.leave_group.val();
                    self.$local.save_valid.next = self.$suspension.local_valid.val();
                    self.$local.save_warps.next = self.$suspension.local_warps.val();
                    self.$suspension.local_done.next = self.$local.save_done.val();
                    self.$suspension.local_failed.next = self.$local.save_failed.val();
                    self.$local.local_words.next = self.local_words.val();
                    self.local_freeing.next = self.$local.local_freeing.val();
                    self.bind_error.next = self.$local.bind_error.val();
                    self.$local.access_valid.next = self.access_valid.val();
                    self.access_ready.next = self.$local.access_ready.val();
                    self.$local.access_warp.next = self.access_warp.val();
                    self.$local.access_thread.next = self.access_thread.val();
                    self.$local.access_word.next = self.access_word.val();
                    self.location_valid.next = self.$local.location_valid.val();
                    self.location_group.next = self.$local.location_group.val();
                    self.location_global.next = self.$local.location_global.val();
                    self.location_address.next = self.$local.location_address.val();
                    self.access_error_valid.next = self.$local.access_error_valid.val();
                    self.access_error_bound.next = self.$local.access_error_bound.val();
                    self.access_error_group.next = self.$local.access_error_group.val();
                    self.access_error_warp.next = self.$local.access_error_warp.val();
                    self.access_error_thread.next = self.$local.access_error_thread.val();
                    self.access_error_word.next = self.$local.access_error_word.val();
                    self.$local.complete_valid.next = self.complete_valid.val();
                    self.$local.complete_group.next = self.complete_group.val();
                    self.allocate_valid.next = self.$local.allocate_valid.val();
                    self.$local.allocate_ready.next = self.allocate_ready.val();
                    self.allocate_group.next = self.$local.allocate_group.val();
                    self.allocate_words.next = self.$local.allocate_words.val();
                    self.$local.allocated_valid.next = self.allocated_valid.val();
                    self.allocated_ready.next = self.$local.allocated_ready.val();
                    self.$local.allocated_failed.next = self.allocated_failed.val();
                    self.$local.allocated_pointer.next = self.allocated_pointer.val();
                    self.free_valid.next = self.$local.free_valid.val();
                    self.$local.free_ready.next = self.free_ready.val();
                    self.free_group.next = self.$local.free_group.val();
                    self.free_pointer.next = self.$local.free_pointer.val();
                    self.copy_read_valid.next = self.$local.copy_read_valid.val();
                    self.$local.copy_read_ready.next = self.copy_read_ready.val();
                    self.copy_read_address.next = self.$local.copy_read_address.val();
                    self.$local.copy_data_valid.next = self.copy_data_valid.val();
                    self.copy_data_ready.next = self.$local.copy_data_ready.val();
                    self.$local.copy_data.next = self.copy_data.val();
                    self.copy_write_valid.next = self.$local.copy_write_valid.val();
                    self.$local.copy_write_ready.next = self.copy_write_ready.val();
                    self.copy_write_address.next = self.$local.copy_write_address.val();
                    self.copy_write_data.next = self.$local.copy_write_data.val();
                    self.$local.copy_acknowledge_valid.next = self.copy_acknowledge_valid.val();
                )?

                // Warps end.
                self.slots.finish_valid.next = self.engine.done_valid.val();
                self.slots.finish_warp.next = self.engine.done_warp.val();
                self.slots.retire_valid.next = self.barriers.retire_valid.val();
                self.slots.retire_slot.next = self.barriers.retire_slot.val();
                self.finish_valid.next = self.engine.done_valid.val();
                self.finish_warp.next = self.engine.done_warp.val();
                self.finish_slot.next = self.slots.finish_slot.val();
                self.finish_last.next = self.slots.finish_last.val();
                self.retire_valid.next = self.slots.finish_last.val();
                self.retire_slot.next = self.slots.finish_slot.val();
                if self.barriers_enable.val() {
                    self.retire_valid.next = self.barriers.retire_valid.val();
                    self.retire_slot.next = self.barriers.retire_slot.val();
                }
                self.warp_occupied.next = self.slots.occupied.val();
                self.slot_taken.next = self.slots.taken.val();
                self.warp_ready.next = self.engine.warp_ready.val();
                self.warp_running.next = self.engine.warp_running.val();
                self.warp_presenting.next = self.barriers.presenting.val();

                // A warp issues.
                self.issue.greedy.next = self.greedy.val();
                self.issue.barriers_enable.next = self.barriers_enable.val();
                self.issue.quiet.next = self.observe_valid.val() | self.looking.val();
                self.issue.launched.next = self.slots.launch_valid.val();
                self.issue.launched_warp.next = self.slots.launch_warp.val();
                self.issue.launched_priority.next = self.launch_priority.val();
                self.issue.warp_ready.next = self.engine.warp_ready.val();
                self.issue.warp_held.next = self.lane_busy.val()
                    | self.unbound.val()
                    | self.barriers.presenting.val()
                    | (self.frozen.val() & !self.barriers.step_waiting.val());
                self.engine.query_warp.next = self.issue.query_warp.val();
                self.engine.query_kind.next = self.observe_kind.val();
                self.slots.look_warp.next = self.issue.query_warp.val();
                $(
                    if self.looking.val() {
                        self.engine.query_warp.next = self.$suspension.look_warp.val();
                        self.engine.query_kind.next = self.$suspension.look_kind.val();
                        self.slots.look_warp.next = self.$suspension.look_warp.val();
                    }
                )?
                if self.observe_valid.val() {
                    self.engine.query_warp.next = self.observe_warp.val();
                    self.engine.query_kind.next = self.observe_kind.val();
                }
                self.observe_address.next = self.engine.query_address.val();
                self.observe_active.next = self.engine.query_active.val();
                self.observe_disabled.next = self.engine.query_disabled.val();
                self.issue.query_address.next = self.engine.query_address.val();
                self.issue.query_active.next = self.engine.query_active.val();
                self.fetch_valid.next = self.issue.fetch_valid.val();
                self.fetch_warp.next = self.issue.query_warp.val();
                self.fetch_address.next = self.engine.query_address.val();
                self.issue.fetch_word.next = self.fetch_word.val();
                self.issue.fetch_hit.next = self.fetch_hit.val();
                self.issue.fetch_filled.next = self.fetch_filled.val();
                self.lane_valid.next = self.issue.lane_valid.val();
                self.lane_warp.next = self.issue.query_warp.val();
                self.lane_address.next = self.engine.query_address.val();
                self.lane_word.next = self.fetch_word.val();
                self.lane_active.next = self.engine.query_active.val();
                self.lane_slot.next = self.slots.look_slot.val();
                self.lane_place.next = self.slots.look_place.val();
                self.issue.lane_named.next = self.lane_named.val();
                self.issue.lane_agreeing.next = self.lane_agreeing.val();
                self.issue.lane_target.next = self.lane_target.val();
                self.lane_issue.next = self.issue.lane_issue.val();
                self.lane_present.next = self.issue.lane_present.val();
                self.lane_illegal.next = self.issue.lane_illegal.val();
                self.issue.step_waiting.next = self.barriers.step_waiting.val();
                self.issue.step_operation.next = self.barriers.step_operation.val();
                self.issue.step_kind.next = self.barriers.step_kind.val();
                self.issue.step_mask.next = self.barriers.step_mask.val();
                self.issue.step_target.next = self.barriers.step_target.val();
                self.issue.step_targeted.next = self.barriers.step_targeted.val();
                self.issue.step_again.next = self.barriers.step_again.val();
                self.barriers.look_warp.next = self.issue.query_warp.val();
                self.barriers.step_taken.next = self.issue.step_taken.val();
                self.issue.wake_valid.next = self.barriers.wake_valid.val();
                self.issue.wake_warp.next = self.barriers.wake_warp.val();
                self.issue.wake_mask.next = self.barriers.wake_mask.val();
                self.issue.wake_target.next = self.barriers.wake_address.val();
                self.barriers.wake_taken.next = self.issue.wake_taken.val();

                // Barriers.
                self.barriers.barriers_enable.next = self.barriers_enable.val();
                self.barriers.late_join_all.next = self.late_join_all.val();
                self.barriers.exclusive_inside.next = self.exclusive_inside.val();
                self.barriers.class_conflicts.next = self.class_conflicts.val();
                self.barriers.reserved_slots.next = self.reserved_slots.val();
                self.barriers.block_threads.next = self.block_threads.val();
                self.barriers.stack_mode.next = self.stack_mode.val();
                self.barriers.launch_valid.next = self.slots.launch_valid.val();
                self.barriers.launch_warp.next = self.slots.launch_warp.val();
                self.barriers.launch_slot.next = self.slots.launch_slot.val();
                self.barriers.launch_place.next = self.slots.launch_place.val();
                self.barriers.finish_last.next = self.slots.finish_last.val();
                self.barriers.finish_slot.next = self.slots.finish_slot.val();
                self.barriers.present_valid.next = self.issue.lane_present.val();
                self.barriers.present_warp.next = self.issue.query_warp.val();
                self.barriers.present_slot.next = self.slots.look_slot.val();
                self.barriers.present_place.next = self.slots.look_place.val();
                self.barriers.present_word.next = self.fetch_word.val();
                self.barriers.present_address.next = self.engine.query_address.val();
                self.barriers.present_active.next = self.engine.query_active.val();
                self.barriers.present_named.next = self.lane_named.val();
                self.barriers.present_parity.next = self.lane_parity.val();
                self.barriers.present_even.next = self.lane_even.val();
                self.barriers.present_odd.next = self.lane_odd.val();
                self.barriers.present_reference.next = self.lane_reference.val();
                self.answer_valid.next = self.barriers.answer_valid.val();
                self.answer_warp.next = self.barriers.answer_warp.val();
                self.answer_exit.next = self.barriers.answer_exit.val();
                self.answer_active.next = self.barriers.answer_active.val();
                self.answer_sleep.next = self.barriers.answer_sleep.val();
                self.answer_skip.next = self.barriers.answer_skip.val();
                self.answer_wait.next = self.barriers.answer_wait.val();
                self.answer_none.next = self.barriers.answer_none.val();
                self.barrier_request_valid.next = self.barriers.barrier_request_valid.val();
                self.barrier_request_ready.next = self.barriers.barrier_request_ready.val();
                self.barrier_request_operation.next = self.barriers.barrier_request_operation.val();
                self.barrier_request_slot.next = self.barriers.barrier_request_slot.val();
                self.barrier_request_block.next = self.barriers.barrier_request_block.val();
                self.barrier_request_barrier.next = self.barriers.barrier_request_barrier.val();
                self.barrier_request_mask.next = self.barriers.barrier_request_mask.val();
                self.barrier_request_data.next = self.barriers.barrier_request_data.val();
                self.barrier_response_valid.next = self.barriers.barrier_response_valid.val();
                self.barrier_response_refused.next = self.barriers.barrier_response_refused.val();
                self.barrier_error.next = self.barriers.barrier_error.val();
                self.barrier_error_cause.next = self.barriers.barrier_error_cause.val();
                self.barrier_error_slot.next = self.barriers.barrier_error_slot.val();
                self.barrier_error_block.next = self.barriers.barrier_error_block.val();
                self.barrier_error_offset.next = self.barriers.barrier_error_offset.val();
                self.barrier_error_barrier.next = self.barriers.barrier_error_barrier.val();
                self.barrier_error_address.next = self.barriers.barrier_error_address.val();
                self.barrier_error_other_barrier.next = self.barriers.barrier_error_other_barrier.val();
                self.barrier_error_other_address.next = self.barriers.barrier_error_other_address.val();
                self.barrier_wake_valid.next = self.barriers.barrier_wake_valid.val();
                self.barrier_wake_warp.next = self.barriers.barrier_wake_warp.val();
                self.barrier_wake_mask.next = self.barriers.barrier_wake_mask.val();
                self.barrier_wake_address.next = self.barriers.barrier_wake_address.val();
                self.barrier_wake_inside.next = self.barriers.barrier_wake_inside.val();
                self.event_dynamic.next = self.barriers.event_dynamic.val();
                self.event_handed.next = self.barriers.event_handed.val();
                self.event_idle.next = self.barriers.event_idle.val();
                self.event_released.next = self.barriers.event_released.val();
                self.event_timeout.next = self.barriers.event_timeout.val();
                self.event_launched.next = self.barriers.event_launched.val();
                self.barriers_still.next = self.barriers.barriers_still.val();
                self.barriers_occupied.next = self.barriers.barriers_occupied.val();

                // The engine.
                self.engine.request_valid.next = self.issue.offer_valid.val();
                self.issue.offer_ready.next = self.engine.request_ready.val();
                self.engine.request_warp.next = self.issue.offer_warp.val();
                self.engine.request_operation.next = self.issue.offer_operation.val();
                self.engine.request_kind.next = self.issue.offer_kind.val();
                self.engine.request_mask.next = self.issue.offer_mask.val();
                self.engine.request_target.next = self.issue.offer_target.val();
                self.engine.request_targeted.next = self.issue.offer_targeted.val();
                self.engine.request_again.next = self.issue.offer_again.val();
                self.offer_valid.next = self.issue.offer_valid.val();
                self.offer_ready.next = self.engine.request_ready.val();
                self.offer_origin.next = self.issue.offer_origin.val();
                self.offer_warp.next = self.issue.offer_warp.val();
                self.offer_operation.next = self.issue.offer_operation.val();
                self.offer_kind.next = self.issue.offer_kind.val();
                self.offer_mask.next = self.issue.offer_mask.val();
                self.offer_target.next = self.issue.offer_target.val();
                self.offer_targeted.next = self.issue.offer_targeted.val();
                self.offer_again.next = self.issue.offer_again.val();
                self.error_valid.next = self.engine.error_valid.val();
                self.error_cause.next = self.engine.error_cause.val();
                self.error_warp.next = self.engine.error_warp.val();
                self.error_address.next = self.engine.error_address.val();
                self.event_push.next = self.engine.event_push.val();
                self.event_push_warp.next = self.engine.event_push_warp.val();
                self.event_pop.next = self.engine.event_pop.val();
                self.event_pop_warp.next = self.engine.event_pop_warp.val();
                self.event_diverge.next = self.engine.event_diverge.val();
                self.event_yield.next = self.engine.event_yield.val();
                self.event_merge.next = self.engine.event_merge.val();
                self.event_discard.next = self.engine.event_discard.val();
                self.event_nodes.next = self.engine.event_nodes.val();
                self.exception_valid.next = self.engine.exception_valid.val();
                self.exception_cause.next = self.engine.exception_cause.val();
                self.exception_warp.next = self.engine.exception_warp.val();
                self.engine.path_policy.next = self.path_policy.val();
                self.engine.yield_policy.next = self.yield_policy.val();
                self.engine.yield_parameter.next = self.yield_parameter.val();
                self.engine.yield_seed.next = self.yield_seed.val();
                self.engine.stack_mode.next = self.stack_mode.val();
                self.engine.exchange_interval.next = self.exchange_interval.val();
                self.engine.spill_base.next = self.spill_base.val();
                self.engine.spill_limit.next = self.spill_limit.val();
                self.memory_request_valid.next = self.engine.memory_request_valid.val();
                self.engine.memory_request_ready.next = self.memory_request_ready.val();
                self.memory_request_write.next = self.engine.memory_request_write.val();
                self.memory_request_address.next = self.engine.memory_request_address.val();
                self.memory_request_data.next = self.engine.memory_request_data.val();
                self.engine.memory_response_valid.next = self.memory_response_valid.val();
                self.memory_response_ready.next = self.engine.memory_response_ready.val();
                self.engine.memory_response_data.next = self.memory_response_data.val();
            }
        }
    };
}
