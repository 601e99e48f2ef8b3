//! The execution side of the barrier system: dynamic barriers wait for a slot, their sections run a thread at a time, and releases
//! become wake-ups. The arrival side ([`arrival_tracker`](super::arrival_tracker)) decides who sleeps and when a barrier is complete.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `execute_*` | in | | the request or internal step in the execute stage |
//! | `sleep_*`, `dynamic_*`, `release_*`, `reset_valid` | in | | what the arrival side makes of it |
//! | `execution_busy` | out | 1 | memories are cleared after reset: nothing may be accepted |
//! | `release_busy`, `release_busy_cta`, `finish_*` | | | see [`release_walker`](super::release_walker), [`execution_slots`](super::execution_slots) |
//! | `bottom_sleep`, `bottom_pass` | out | `BLOCK_THREADS` | the answer to a bottom |
//! | `error_valid`, `error_cause`, `error_threads`, `error_other_*` | out | | a bottom by a thread that is not inside (1), a top inside a section (2), no bottom in time (6) |
//! | `wake_*` | out | | threads to wake; held until taken |
//! | `handed_*`, `occupied`, `waiting` | out | | for observers |
//! | `execute_word`, `execute_act`, `execute_refused`, `saving_refused`, `frozen`, `saved_data` | | | a CTA leaves: [`barrier_saver`](super::barrier_saver) |
//!
//! **Timing** the release's first block is woken two cycles after `release_valid`, each further block one cycle later. A section's first
//! thread is woken three cycles after `dynamic_valid` and one more for each empty block before it, if its slot is free at once;
//! the next thread in the cycle after its predecessor's bottom is in the execute stage, if it is found by then: a
//! search takes one cycle and one more for each empty block, from the wake-up of the predecessor on. Sections and releases
//! share the wake port by turns.
//! **Invariants** 1. a wake-up names sleeping threads only, each once (BR-41). 2. at most one thread is inside a slot's section (BR-40).
//! 3. a section's start waits for at most one release's block, a release's block for at most one start. 4. each participant of an execution runs its
//! section, once (BR-33, BR-41). 5. a barrier waits in the queue or is in a slot, once, as long as it is dynamic; what ends is dynamic
//! (BR-41). 6. who sleeps in a phase that has ended is woken before its release is walked to its end (BR-45).
//! **Source** US 9,448,803, figures 5B, 6B, 6C; BR-04, BR-19, BR-26, BR-30 to BR-38, BR-40 to BR-45, CX-09, CX-10.

use super::barrier_arbiter::BarrierArbiter;
use super::barrier_saver::BarrierSaver;
use super::dynamic_barrier_fifo::DynamicBarrierFifo;
use super::execution_slots::ExecutionSlots;
use super::inside_threads::InsideThreads;
use super::logical_map::LogicalMap;
use super::operation::{BarrierError, BarrierOperation, SavedWord, ADDRESS_BITS};
use super::release_walker::ReleaseWalker;
use super::thread_selection_unit::ThreadSelectionUnit;
use super::thread_state::ThreadState;
use super::wake_port::WakePort;
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `CTA_BITS` + `BARRIER_BITS`, `ROW_BITS` = `CTA_BITS` + `BLOCK_BITS`; the further widths are those of the parts.
    pub struct BarrierExecution<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
        const COUNT_BITS: usize,
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const SLOT_COUNT_BITS: usize,
        const KEY_BITS: usize,
        const FIFO_COUNT_BITS: usize,
        const ROW_BITS: usize,
        const MAP_BITS: usize,
        const DYNAMIC_BITS: usize,
        const RELEASE_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An exclusive barrier waits for threads inside only.
            pub exclusive_inside: Signal<In, Bit>,
            /// Bit 4 a + b: class a conflicts with class b; symmetric.
            pub class_conflicts: Signal<In, Bits<16>>,
            /// How many slots, the lowest ones, only class 3 may use.
            pub reserved_slots: Signal<In, Bits<SLOT_COUNT_BITS>>,
            /// Memories are being cleared: nothing may be accepted.
            pub execution_busy: Signal<Out, Bit>,
            /// A request or an internal step is in the execute stage.
            pub execute_valid: Signal<In, Bit>,
            /// It is a request, in its first cycle.
            pub execute_request: Signal<In, Bit>,
            /// What it asks for.
            pub execute_operation: Signal<In, Bits<4>>,
            /// Its CTA.
            pub execute_cta: Signal<In, Bits<CTA_BITS>>,
            /// Its physical block.
            pub execute_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Its barrier, or the step of a launch or an exit.
            pub execute_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// Its CTA and barrier.
            pub execute_key: Signal<In, Bits<KEY_BITS>>,
            /// Its threads.
            pub execute_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Its operand.
            pub execute_data: Signal<In, Bits<64>>,
            /// The word of a CTA's state that it names.
            pub execute_word: Signal<In, Bits<4>>,
            /// It takes effect.
            pub execute_act: Signal<In, Bit>,
            /// It must be presented again.
            pub execute_refused: Signal<In, Bit>,
            /// It must, for a CTA leaves or is not ready to.
            pub saving_refused: Signal<Out, Bit>,
            /// The CTA that is held to leave, as a mask.
            pub frozen: Signal<Out, Bits<CTAS>>,
            /// The word that a Withdraw asks for, if this side has it; else 0.
            pub saved_data: Signal<Out, Bits<64>>,
            /// Threads of the block that fall asleep in the barrier.
            pub sleep_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// They are done with it.
            pub sleep_done: Signal<In, Bit>,
            /// The barrier's present phase.
            pub sleep_phase: Signal<In, Bit>,
            /// They join its running section.
            pub sleep_rescan: Signal<In, Bit>,
            /// The barrier turns dynamic.
            pub dynamic_valid: Signal<In, Bit>,
            /// Address of its top.
            pub dynamic_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub dynamic_critical: Signal<In, Bit>,
            /// It runs alone.
            pub dynamic_exclusive: Signal<In, Bit>,
            /// Its bottom waits for all.
            pub dynamic_blocking: Signal<In, Bit>,
            /// Its priority, 3 the highest.
            pub dynamic_priority: Signal<In, Bits<2>>,
            /// Its resource class.
            pub dynamic_class: Signal<In, Bits<2>>,
            /// A phase of the barrier ends.
            pub release_valid: Signal<In, Bit>,
            /// Which.
            pub release_phase: Signal<In, Bit>,
            /// Where its sleepers continue.
            pub release_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// A dynamic barrier is reset.
            pub reset_valid: Signal<In, Bit>,
            /// An earlier release of the barrier is not delivered.
            pub release_busy: Signal<Out, Bit>,
            /// A release of the CTA is not delivered.
            pub release_busy_cta: Signal<Out, Bit>,
            /// The section in a slot has ended.
            pub finish_valid: Signal<Out, Bit>,
            /// This is taken.
            pub finish_ready: Signal<In, Bit>,
            /// Its barrier.
            pub finish_key: Signal<Out, Bits<KEY_BITS>>,
            /// The finish in the execute stage has no effect.
            pub finish_cancel: Signal<Out, Bit>,
            /// Threads that sleep at the bottom.
            pub bottom_sleep: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that go on after the bottom.
            pub bottom_pass: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The request is in error.
            pub error_valid: Signal<Out, Bit>,
            /// Why: 1, 2 or 6.
            pub error_cause: Signal<Out, Bits<3>>,
            /// Its threads that are to blame.
            pub error_threads: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The section that the lowest of them is inside.
            pub error_other_key: Signal<Out, Bits<KEY_BITS>>,
            /// The address of its top.
            pub error_other_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Threads to wake.
            pub wake_valid: Signal<Out, Bit>,
            /// They are taken.
            pub wake_ready: Signal<In, Bit>,
            /// Their CTA.
            #[reads(early)]
            pub wake_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Their physical block.
            pub wake_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// The threads.
            pub wake_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Where they continue.
            pub wake_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// One thread enters a section.
            pub wake_inside: Signal<Out, Bit>,
            /// A barrier moves into a slot.
            pub handed_valid: Signal<Out, Bit>,
            /// Which.
            pub handed_key: Signal<Out, Bits<KEY_BITS>>,
            /// The slot.
            pub handed_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// Slots that hold a barrier.
            pub occupied: Signal<Out, Bits<SLOTS>>,
            /// Barriers that wait for a slot.
            pub waiting: Signal<Out, Bits<FIFO_COUNT_BITS>>,
        }
        parts {
            fifo: DynamicBarrierFifo<KEY_BITS, SLOTS, SLOT_BITS, SLOT_COUNT_BITS, DYNAMIC_BITS, FIFO_COUNT_BITS>,
            #[reads_back(start_slots)]
            slots: ExecutionSlots<SLOTS, SLOT_BITS, KEY_BITS, BLOCK_BITS, OFFSET_BITS>,
            sections: InsideThreads<SLOTS, ROW_BITS, BLOCK_THREADS, OFFSET_BITS>,
            arbiter: BarrierArbiter<SLOTS, SLOT_BITS>,
            selection: ThreadSelectionUnit<SLOTS, SLOT_BITS, BLOCK_BITS, BLOCK_THREADS, OFFSET_BITS>,
            threads: ThreadState<ROW_BITS, BLOCK_THREADS, BARRIER_BITS>,
            map: LogicalMap<CTA_BITS, BLOCK_BITS, MAP_BITS, OFFSET_BITS, COUNT_BITS>,
            walker: ReleaseWalker<CTA_BITS, BARRIERS, BARRIER_BITS, BLOCK_BITS, KEY_BITS, RELEASE_BITS, FIFO_COUNT_BITS>,
            port: WakePort<ROW_BITS, BLOCK_THREADS, OFFSET_BITS>,
            saver: BarrierSaver<CTAS, CTA_BITS, BARRIER_BITS, KEY_BITS, SLOTS, FIFO_COUNT_BITS>,
            reads_threads: Signal<Local, Bit>,
            #[reads(early)]
            inside_held: Signal<Local, Bits<SLOTS>>,
            launch: Signal<Local, Bit>,
            top: Signal<Local, Bit>,
            bottom: Signal<Local, Bit>,
            departs: Signal<Local, Bit>,
            settled: Signal<Local, Bit>,
            execute_row: Signal<Local, Bits<ROW_BITS>>,
            fresh: Signal<Local, Bit>,
            serve_cta: Signal<Local, Bits<CTA_BITS>>,
            start_cta: Signal<Local, Bits<CTA_BITS>>,
            start_row: Signal<Local, Bits<ROW_BITS>>,
            walk_row: Signal<Local, Bits<ROW_BITS>>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
            block_bits: Constant<Bits<8>> = Constant::new(bits(BLOCK_BITS as u64)),
            code_launch: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Launch as u64)),
            code_top: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Arrive as u64)),
            code_bottom: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Bottom as u64)),
            code_exit: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Exit as u64)),
            code_withdraw: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Withdraw as u64)),
            word_launch: Constant<Bits<4>> = Constant::new(bits(SavedWord::Launch as u64)),
            word_order: Constant<Bits<4>> = Constant::new(bits(SavedWord::Order as u64)),
            word_waiting: Constant<Bits<4>> = Constant::new(bits(SavedWord::Waiting as u64)),
            word_finished: Constant<Bits<4>> = Constant::new(bits(SavedWord::Finished as u64)),
            not_inside: Constant<Bits<3>> = Constant::new(bits(BarrierError::NotInside as u64)),
            nested: Constant<Bits<3>> = Constant::new(bits(BarrierError::Nested as u64)),
            no_bottom: Constant<Bits<3>> = Constant::new(bits(BarrierError::NoBottom as u64)),
        }
    }
}

impl<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
        const COUNT_BITS: usize,
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const SLOT_COUNT_BITS: usize,
        const KEY_BITS: usize,
        const FIFO_COUNT_BITS: usize,
        const ROW_BITS: usize,
        const MAP_BITS: usize,
        const DYNAMIC_BITS: usize,
        const RELEASE_BITS: usize,
    > Logic
    for BarrierExecution<
        CTAS,
        CTA_BITS,
        BARRIERS,
        BARRIER_BITS,
        BLOCK_BITS,
        BLOCK_THREADS,
        OFFSET_BITS,
        COUNT_BITS,
        SLOTS,
        SLOT_BITS,
        SLOT_COUNT_BITS,
        KEY_BITS,
        FIFO_COUNT_BITS,
        ROW_BITS,
        MAP_BITS,
        DYNAMIC_BITS,
        RELEASE_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo, slots, sections, arbiter, selection, threads, map, walker, port, saver);
        self.fifo.reset.next = self.reset.val();
        self.slots.reset.next = self.reset.val();
        self.sections.reset.next = self.reset.val();
        self.arbiter.reset.next = self.reset.val();
        self.selection.reset.next = self.reset.val();
        self.threads.reset.next = self.reset.val();
        self.map.reset.next = self.reset.val();
        self.walker.reset.next = self.reset.val();
        self.port.reset.next = self.reset.val();
        self.saver.reset.next = self.reset.val();
        self.execution_busy.next = self.threads.sweeping.val() | self.walker.sweeping.val() | self.saver.busy.val();

        // What is in the execute stage.
        self.launch.next = self.execute_valid.val() & (self.execute_operation.val() == self.code_launch.val());
        self.top.next = self.execute_request.val() & (self.execute_operation.val() == self.code_top.val());
        self.bottom.next = self.execute_request.val()
            & (self.execute_operation.val() == self.code_bottom.val())
            & self.execute_mask.val().any();
        self.departs.next = self.execute_valid.val() & (self.execute_operation.val() == self.code_exit.val());
        self.execute_row.next = (bit_cast::<ROW_BITS, CTA_BITS>(self.execute_cta.val()) << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.execute_block.val());
        if self.launch.val() {
            // Each step of a launch wakes a block: whoever slept there belonged to a CTA that is gone.
            self.execute_row.next = (bit_cast::<ROW_BITS, CTA_BITS>(self.execute_cta.val()) << self.block_bits.val())
                | bit_cast::<ROW_BITS, BLOCK_BITS>(bit_cast::<BLOCK_BITS, BARRIER_BITS>(self.execute_barrier.val()));
        }
        self.map.write_enable.next = self.launch.val();
        self.map.write_cta.next = self.execute_cta.val();
        self.map.write_data.next = self.execute_data.val();

        // Errors, and the answer to a bottom.
        self.sections.execute_row.next = self.execute_row.val();
        self.sections.execute_mask.next = self.execute_mask.val();
        self.sections.key_slots.next = self.slots.key_slots.val();
        self.sections.top_valid.next = self.top.val();
        self.sections.bottom_valid.next = self.bottom.val();
        self.sections.exit_valid.next = self.departs.val();
        self.sections.reset_valid.next = self.reset_valid.val();
        self.settled.next = self.bottom.val() & !self.sections.bottom_error.val();
        self.error_valid.next =
            self.sections.top_error.val() | self.sections.bottom_error.val() | self.saver.fail.val();
        self.error_cause.next = self.nested.val();
        if self.saver.fail.val() {
            self.error_cause.next = self.no_bottom.val();
        }
        if self.sections.bottom_error.val() {
            self.error_cause.next = self.not_inside.val();
        }
        self.error_threads.next = self.sections.offenders.val();
        self.slots.other_slots.next = self.sections.other_slots.val();
        if self.saver.fail.val() {
            self.slots.other_slots.next = self.inside_held.val();
        }
        if self.saver.busy.val() & !self.execute_valid.val() {
            self.slots.other_slots.next = self.slots.frozen.val();
        }
        self.error_other_key.next = 0.into();
        self.error_other_address.next = 0.into();
        if self.sections.top_error.val() | (self.saver.fail.val() & self.inside_held.val().any()) {
            self.error_other_key.next = self.slots.other_key.val();
            self.error_other_address.next = self.slots.other_tag.val();
        }
        self.bottom_sleep.next = 0.into();
        self.bottom_pass.next = 0.into();
        if self.settled.val() {
            if self.slots.key_blocking.val() {
                self.bottom_sleep.next = self.execute_mask.val();
            } else {
                self.bottom_pass.next = self.execute_mask.val();
            }
        }

        // Who falls asleep: by an arrival, or at a blocking bottom.
        self.threads.sleep_row.next = self.execute_row.val();
        self.threads.sleep_mask.next = self.sleep_mask.val() | self.bottom_sleep.val();
        self.threads.sleep_barrier.next = self.execute_barrier.val();
        self.threads.sleep_phase.next = self.sleep_phase.val();
        self.threads.sleep_done.next = self.sleep_done.val() | self.settled.val();
        self.threads.clear_enable.next = self.launch.val();

        // A CTA that leaves: its slots start nobody and do not end; nobody of it may be inside or on its way to be woken.
        self.saver.execute_valid.next = self.execute_valid.val();
        self.saver.execute_request.next = self.execute_request.val();
        self.saver.execute_operation.next = self.execute_operation.val();
        self.saver.execute_cta.next = self.execute_cta.val();
        self.saver.execute_word.next = self.execute_word.val();
        self.saver.execute_limit.next = self.execute_data.val().get_bits::<16>(0);
        self.saver.execute_act.next = self.execute_act.val();
        self.saver.execute_refused.next = self.execute_refused.val();
        self.inside_held.next = self.slots.frozen.val() & self.sections.entered.val();
        self.saver.calm.next = !self.inside_held.val().any()
            & !self.walker.release_busy_cta.val()
            & !(self.port.wake_valid.val() & (self.wake_cta.val() == self.execute_cta.val()));
        self.saver.slots.next = self.slots.frozen.val();
        self.saver.slot_first.next = self.slots.other_first.val();
        self.saver.slot_key.next = self.slots.other_key.val();
        self.saver.common_count.next = self.fifo.common_count.val();
        self.saver.own_count.next = self.fifo.own_count.val();
        self.saver.turn_mine.next = self.fifo.turn_mine.val();
        self.saver.turn_key.next = self.fifo.turn_key.val();
        self.saving_refused.next = self.saver.refuse.val();
        self.frozen.next = self.saver.frozen.val();
        self.slots.held_valid.next = self.saver.holding.val();
        self.slots.held_key.next = self.saver.held_key.val();
        self.slots.held_mask.next = self.saver.held_mask.val();
        self.slots.remove_slots.next = self.saver.remove_slots.val();
        self.fifo.stop.next = self.saver.busy.val();
        self.fifo.held_key.next = self.saver.held_key.val();
        self.fifo.held_mask.next = self.saver.held_mask.val();
        self.fifo.turn_common.next = self.saver.turn_common.val();
        self.fifo.turn_own.next = self.saver.turn_own.val();
        self.saved_data.next = 0.into();
        if self.execute_act.val() & (self.execute_operation.val() == self.code_withdraw.val()) {
            if self.execute_word.val() == self.word_launch.val() {
                self.saved_data.next = self.map.saved.val();
            }
            if self.execute_word.val() == self.word_order.val() {
                self.saved_data.next = self.saver.order.val();
            }
            if self.execute_word.val() == self.word_waiting.val() {
                self.saved_data.next =
                    bit_cast::<64, BLOCK_THREADS>(self.threads.walk_mask.val() & !self.threads.walk_done.val());
            }
            if self.execute_word.val() == self.word_finished.val() {
                self.saved_data.next = bit_cast::<64, BLOCK_THREADS>(self.threads.walk_done.val());
            }
        }

        // The queue, and its way into a slot.
        self.fifo.class_conflicts.next = self.class_conflicts.val();
        self.fifo.exclusive_inside.next = self.exclusive_inside.val();
        self.fifo.reserved_slots.next = self.reserved_slots.val();
        self.fifo.key.next = self.execute_key.val();
        self.fifo.enter_valid.next = self.dynamic_valid.val();
        self.fifo.enter_tag.next = self.dynamic_tag.val();
        self.fifo.enter_critical.next = self.dynamic_critical.val();
        self.fifo.enter_exclusive.next = self.dynamic_exclusive.val();
        self.fifo.enter_blocking.next = self.dynamic_blocking.val();
        self.fifo.enter_priority.next = self.dynamic_priority.val();
        self.fifo.enter_class.next = self.dynamic_class.val();
        self.fifo.reset_valid.next = self.reset_valid.val();
        self.fifo.occupied.next = self.slots.occupied.val();
        self.fifo.occupied_classes.next = self.slots.occupied_classes.val();
        self.fifo.exclusive_classes.next = self.slots.exclusive_classes.val();
        self.fifo.inside_classes.next = self.slots.inside_classes.val();
        self.slots.hand_valid.next = self.fifo.hand_valid.val();
        self.slots.hand_slot.next = self.fifo.hand_slot.val();
        self.slots.hand_slots.next = self.fifo.hand_slots.val();
        self.slots.hand_key.next = self.fifo.hand_key.val();
        self.slots.hand_tag.next = self.fifo.hand_tag.val();
        self.slots.hand_critical.next = self.fifo.hand_critical.val();
        self.slots.hand_exclusive.next = self.fifo.hand_exclusive.val();
        self.slots.hand_blocking.next = self.fifo.hand_blocking.val();
        self.slots.hand_priority.next = self.fifo.hand_priority.val();
        self.slots.hand_class.next = self.fifo.hand_class.val();
        self.slots.hand_discarded.next = self.fifo.hand_discarded.val();
        self.slots.execute_key.next = self.execute_key.val();
        self.slots.join_valid.next = self.sleep_rescan.val() & self.sleep_mask.val().any();
        self.slots.reset_valid.next = self.reset_valid.val();
        self.finish_valid.next = self.slots.finish_valid.val();
        self.slots.finish_ready.next = self.finish_ready.val();
        self.finish_key.next = 0.into();
        if self.slots.finish_valid.val() {
            self.finish_key.next = self.slots.finish_key.val();
        }
        self.finish_cancel.next = self.slots.finish_cancel.val() | self.slots.finish_held.val();
        self.handed_valid.next = self.fifo.hand_valid.val();
        self.handed_key.next = 0.into();
        if self.fifo.hand_valid.val() {
            self.handed_key.next = self.fifo.hand_key.val();
        }
        self.handed_slot.next = self.fifo.hand_slot.val();
        self.occupied.next = self.slots.occupied.val();
        self.waiting.next = self.fifo.count.val();

        // The search for the slots' next threads.
        self.fresh.next = self.fifo.hand_valid.val() & self.fifo.hand_critical.val() & !self.fifo.hand_discarded.val();
        self.selection.needing.next = self.slots.needing.val();
        self.selection.fresh_valid.next = self.fresh.val();
        self.selection.fresh_slot.next = self.fifo.hand_slot.val();
        self.selection.fresh_slots.next = self.fifo.hand_slots.val();
        self.selection.present_logical.next = self.slots.present_logical.val();
        self.serve_cta.next = self.slots.serve_key.val().get_bits::<CTA_BITS>(self.barrier_bits.val());
        self.map.select_cta.next = self.serve_cta.val();
        self.map.select_logical.next = self.selection.serve_logical.val();
        self.threads.select_row.next = (bit_cast::<ROW_BITS, CTA_BITS>(self.serve_cta.val()) << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.map.select_block.val());
        self.threads.select_barrier.next = self.slots.serve_key.val().get_bits::<BARRIER_BITS>(0);
        self.selection.last.next = self.map.select_last.val();
        self.selection.mask.next = self.threads.select_mask.val();
        self.slots.serve_valid.next = self.selection.serve_valid.val();
        self.slots.serve_slot.next = self.selection.serve_slot.val();
        self.slots.serve_slots.next = self.selection.serve_slots.val();
        self.slots.serve_found.next = self.selection.found.val();
        self.slots.serve_block.next = self.map.select_block.val();
        self.slots.serve_offset.next = self.selection.offset.val();
        self.slots.serve_next.next = self.selection.next_logical.val();
        self.slots.serve_ends.next = self.selection.pass_ends.val();

        // Releases.
        self.walker.execute_cta.next = self.execute_cta.val();
        self.walker.execute_barrier.next = self.execute_barrier.val();
        self.walker.release_valid.next = self.release_valid.val();
        self.walker.release_phase.next = self.release_phase.val();
        self.walker.release_address.next = self.release_address.val();
        self.release_busy.next = self.walker.release_busy.val();
        self.release_busy_cta.next = self.walker.release_busy_cta.val();
        self.map.walk_cta.next = self.walker.walk_cta.val();
        self.map.walk_logical.next = self.walker.walk_logical.val();
        self.walk_row.next = (bit_cast::<ROW_BITS, CTA_BITS>(self.walker.walk_cta.val()) << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.map.walk_block.val());
        self.threads.walk_row.next = self.walk_row.val();
        self.threads.walk_barrier.next = self.walker.walk_barrier.val();
        self.threads.walk_phase.next = self.walker.walk_phase.val();
        self.walker.walk_last.next = self.map.walk_last.val();
        // A Withdraw reads the threads in the walk's place, which waits for that cycle.
        self.reads_threads.next =
            self.execute_request.val() & (self.execute_operation.val() == self.code_withdraw.val());
        if self.reads_threads.val() {
            self.threads.walk_row.next = self.execute_row.val();
            self.threads.walk_barrier.next = self.execute_barrier.val();
            self.threads.walk_phase.next = self.sleep_phase.val();
        }
        self.walker.walk_any.next = self.threads.walk_mask.val().any() | self.reads_threads.val();
        self.walker.walk_taken.next = self.port.walk_now.val();

        // The choice of the slot that starts a thread, and the wake port that sections and releases share by turns.
        self.slots.class_conflicts.next = self.class_conflicts.val();
        self.slots.entered.next = self.sections.entered.val();
        self.slots.staying.next = self.sections.staying.val();
        self.arbiter.occupied.next = self.slots.occupied.val();
        self.arbiter.schedulable.next = self.slots.schedulable.val() & !self.slots.frozen.val();
        self.arbiter.priority_high.next = self.slots.priority_high.val();
        self.arbiter.priority_low.next = self.slots.priority_low.val();
        self.arbiter.grant_enable.next = self.port.start_now.val();
        self.slots.start_slot.next = self.arbiter.winner_slot.val();
        self.slots.start_slots.next = 0.into();
        if self.port.start_now.val() {
            self.slots.start_slots.next = self.arbiter.winner_slots.val();
        }
        self.start_cta.next = self.slots.start_key.val().get_bits::<CTA_BITS>(self.barrier_bits.val());
        self.start_row.next = (bit_cast::<ROW_BITS, CTA_BITS>(self.start_cta.val()) << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.slots.start_block.val());
        self.sections.start_slots.next = self.slots.start_slots.val();
        self.sections.start_row.next = self.start_row.val();
        self.sections.start_offset.next = self.slots.start_offset.val();

        self.port.start_valid.next = self.arbiter.winner_valid.val();
        self.port.start_row.next = self.start_row.val();
        self.port.start_offset.next = self.slots.start_offset.val();
        self.port.start_tag.next = self.slots.start_tag.val();
        self.port.walk_valid.next = self.walker.walk_valid.val() & !self.reads_threads.val();
        self.port.walk_row.next = self.walk_row.val();
        self.port.walk_mask.next = self.threads.walk_mask.val();
        self.port.walk_address.next = self.walker.walk_address.val();
        self.port.wake_ready.next = self.wake_ready.val();
        self.threads.wake_row.next = self.port.choice_row.val();
        self.threads.wake_mask.next = self.port.choice_mask.val();
        self.wake_valid.next = self.port.wake_valid.val();
        self.wake_cta.next = self.port.wake_row.val().get_bits::<CTA_BITS>(self.block_bits.val());
        self.wake_block.next = self.port.wake_row.val().get_bits::<BLOCK_BITS>(0);
        self.wake_mask.next = self.port.wake_mask.val();
        self.wake_address.next = self.port.wake_address.val();
        self.wake_inside.next = self.port.wake_inside.val();
    }
}
