//! Schedules barriers and critical sections in hardware: one request a cycle, an answer in the next, wake-ups when their time has come.
//!
//! Threads that reach the top of a barrier sleep; when its membership is complete they are woken: all at once, or, if the barrier opens
//! a critical section, one after another in the order of their logical ids.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `request_*` | in | | an operation ([`BarrierOperation`](super::operation::BarrierOperation)) of threads of one block of one CTA |
//! | `response_*` | out | | what becomes of these threads, in the cycle after acceptance |
//! | `error_*` | out | | why a request had no effect ([`BarrierError`](super::operation::BarrierError)), with its response |
//! | `release_*` | out | | a phase of a barrier has ended: its sleepers wake |
//! | `wake_*` | out | | threads of one block to be woken; held until taken |
//! | `dynamic_*`, `handed_*`, `idle_*`, `timeout_*`, `launched_*` | out | | strobes for observers |
//! | `saved_data` | out | 64 | with the answer to a Withdraw: the word that it asked for |
//! | `slot_occupied`, `fifo_count` | out | `SLOTS`, `FIFO_COUNT_BITS` | state for observers |
//! | `late_join_all`, `exclusive_inside`, `class_conflicts`, `reserved_slots` | in | | static choices |
//!
//! **Timing** cycle 0 is the edge that accepts a request; its answer, and the release or `dynamic_valid` that it causes, are in cycle 1. A release's
//! first block is woken in cycle 3, each further block one later (blocks without sleepers cost one). The first thread of a
//! section is woken in cycle 4 when the scheduler is idle, and one later for each empty block before it; the next in cycle 2 after
//! its predecessor's bottom, or, if blocks are skipped, when the search that began with the predecessor's wake-up has passed them,
//! one a cycle. `request_ready` does not depend on the request; after reset it is low while memories are swept.
//! **Order** everything that changes a barrier passes through one execute stage: requests, timeouts, ends of sections, the steps of launch and
//! exit. A bottom or a reset takes effect before the start of a thread in the same cycle, a late arrival before the end of its section.
//! **Bound** while wake-ups are taken at once and sections end within L cycles of their wake-up, a barrier with P participants (late ones included) is
//! idle again at most W + (P + 1) (L + 2 (64 + S) + 4 S B) + 8 cycles after it turned dynamic, for S slots and B blocks of a CTA: a
//! thread's start waits for at most 64 + S other starts, each with one wake-up of a release; its search, and the pass that a
//! late thread adds, for S others and as many hand-overs in each block. W is what it waits for a slot or for conflicting exclusive barriers:
//! the same sum for each of those before it.
//! **Suspension** a Suspend is presented until it is no longer refused; from then on nothing of the CTA is woken and the core presents nothing of
//! it but Withdraws, or a Suspend with 0 cycles, after which it runs on. The last word withdrawn is End: the CTA is gone. A CTA comes back
//! by a Launch with the word Launch, and a Deposit of each other word, where it then is; its barriers enter the queue again in order.
//! **Invariants** 1. no two threads are inside one critical section, nor inside two conflicting ones if one is exclusive (BR-40). 2. every participant
//! runs its section once in an execution; no thread sleeps in an idle barrier but for the time of its wake-up; entries of the queue are distinct; the
//! barrier of an occupied slot is dynamic (BR-41). 3. no request holds the port: who must wait is answered `response_wait` or `response_refused` and
//! presents the request again (tested, not proven). 4. the execution side gets one step at a time, nothing new while it is busy, and events of what
//! takes effect only. 5. a barrier turns dynamic, or ends its phase, once the wake-ups of the phase before are out; the execution side is told of
//! resets of dynamic ones only, and none is dynamic when its CTA is launched. 6. who falls asleep does so in the present phase, and joins an execution
//! once; no more arrivals count than threads live. 7. a phase that is given up has no sleepers, one of an impatient top that ends has some. 8. before
//! the first request nobody is answered or woken, and nothing runs.
//! **Source** US 9,448,803, figures 4, 5A and 5B; BR-01 to BR-53, CX-09, CX-10.
//! **See also** [`arrival_tracker`](super::arrival_tracker), [`barrier_execution`](super::barrier_execution),
//! [`barrier_saver`](super::barrier_saver), [`SavedWord`](super::operation::SavedWord).

use super::arrival_tracker::ArrivalTracker;
use super::barrier_execution::BarrierExecution;
use super::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `CTA_BITS` + `BARRIER_BITS`, `ROW_BITS` = `CTA_BITS` + `BLOCK_BITS`, `BITS_ROW_BITS` = `KEY_BITS` + `BLOCK_BITS`; the further
    /// widths are those of the parts. See the module's page.
    pub struct BarrierScheduler<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCKS: usize,
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
        const BITS_ROW_BITS: usize,
        const MAP_BITS: usize,
        const DYNAMIC_BITS: usize,
        const RELEASE_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Every barrier takes late arrivals into its running execution.
            pub late_join_all: Signal<In, Bit>,
            /// An exclusive section waits until no other has a thread inside, instead of until no slot is occupied.
            pub exclusive_inside: Signal<In, Bit>,
            /// Bit 4 a + b: resource class a conflicts with class b.
            pub class_conflicts: Signal<In, Bits<16>>,
            /// How many slots, the lowest ones, only class 3 may use.
            pub reserved_slots: Signal<In, Bits<SLOT_COUNT_BITS>>,
            /// A request.
            pub request_valid: Signal<In, Bit>,
            /// It is accepted at this edge.
            pub request_ready: Signal<Out, Bit>,
            /// What is asked for.
            pub request_operation: Signal<In, Bits<4>>,
            /// The CTA.
            pub request_cta: Signal<In, Bits<CTA_BITS>>,
            /// The physical thread block.
            pub request_block: Signal<In, Bits<BLOCK_BITS>>,
            /// The barrier of the CTA.
            pub request_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// Threads that do it.
            pub request_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Those of them that take part.
            pub request_participants: Signal<In, Bits<BLOCK_THREADS>>,
            /// Address of the instruction.
            pub request_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// Address after the bottom.
            pub request_after: Signal<In, Bits<ADDRESS_BITS>>,
            /// The barrier opens a critical section.
            pub request_critical: Signal<In, Bit>,
            /// The section runs in logical order.
            pub request_ordered: Signal<In, Bit>,
            /// No conflicting section runs meanwhile.
            pub request_exclusive: Signal<In, Bit>,
            /// Threads wait at the bottom for all others.
            pub request_blocking: Signal<In, Bit>,
            /// The barrier need not wait for all.
            pub request_impatient: Signal<In, Bit>,
            /// Configuration, launch parameters, phase and count.
            pub request_data: Signal<In, Bits<64>>,
            /// The answer to the request accepted at the last edge.
            pub response_valid: Signal<Out, Bit>,
            /// Threads that sleep now.
            pub response_sleep: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that continue with the next instruction.
            pub response_pass: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that continue after the bottom.
            pub response_skip: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that present the request again.
            pub response_wait: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The request as a whole is to be presented again.
            pub response_refused: Signal<Out, Bit>,
            /// The word that a Withdraw asked for; else 0.
            pub saved_data: Signal<Out, Bits<64>>,
            /// The request was wrong and had no effect.
            pub response_error: Signal<Out, Bit>,
            /// Why.
            pub error_cause: Signal<Out, Bits<3>>,
            /// Physical block of the thread that is to blame.
            pub error_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// Its offset in the block.
            pub error_offset: Signal<Out, Bits<OFFSET_BITS>>,
            /// The barrier of the request.
            pub error_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// The address of the request.
            pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The barrier whose section the thread is inside.
            pub error_other_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// The address of that section's top.
            pub error_other_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A phase of a barrier ends: all its sleepers wake.
            pub release_valid: Signal<Out, Bit>,
            /// The CTA.
            pub release_cta: Signal<Out, Bits<CTA_BITS>>,
            /// The barrier.
            pub release_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// The phase that ended.
            pub release_phase: Signal<Out, Bit>,
            /// Threads to wake.
            pub wake_valid: Signal<Out, Bit>,
            /// They are taken at this edge.
            pub wake_ready: Signal<In, Bit>,
            /// Their CTA.
            pub wake_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Their physical block.
            pub wake_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// The threads.
            pub wake_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Where they continue.
            pub wake_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// One thread enters a section.
            pub wake_inside: Signal<Out, Bit>,
            /// A barrier turns dynamic and enters the queue.
            pub dynamic_valid: Signal<Out, Bit>,
            /// Which: CTA, barrier.
            pub dynamic_key: Signal<Out, Bits<KEY_BITS>>,
            /// A barrier moves from the queue into a slot.
            pub handed_valid: Signal<Out, Bit>,
            /// Which.
            pub handed_key: Signal<Out, Bits<KEY_BITS>>,
            /// The slot.
            pub handed_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// A barrier leaves its slot and turns idle.
            pub idle_valid: Signal<Out, Bit>,
            /// Which.
            pub idle_key: Signal<Out, Bits<KEY_BITS>>,
            /// A timeout takes effect.
            pub timeout_valid: Signal<Out, Bit>,
            /// Which.
            pub timeout_key: Signal<Out, Bits<KEY_BITS>>,
            /// The launch of a CTA is complete.
            pub launched_valid: Signal<Out, Bit>,
            /// Which.
            pub launched_cta: Signal<Out, Bits<CTA_BITS>>,
            /// The slots that hold a barrier.
            pub slot_occupied: Signal<Out, Bits<SLOTS>>,
            /// Barriers in the queue.
            pub fifo_count: Signal<Out, Bits<FIFO_COUNT_BITS>>,
        }
        parts {
            arrival: ArrivalTracker<
                CTAS,
                CTA_BITS,
                BARRIERS,
                BARRIER_BITS,
                BLOCKS,
                BLOCK_BITS,
                BLOCK_THREADS,
                COUNT_BITS,
                KEY_BITS,
                BITS_ROW_BITS,
                ADDRESS_BITS,
            >,
            execution: BarrierExecution<
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
            >,
            offender: LowestBit<BLOCK_THREADS, OFFSET_BITS>,
        }
    }
}

impl<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCKS: usize,
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
        const BITS_ROW_BITS: usize,
        const MAP_BITS: usize,
        const DYNAMIC_BITS: usize,
        const RELEASE_BITS: usize,
    > Logic
    for BarrierScheduler<
        CTAS,
        CTA_BITS,
        BARRIERS,
        BARRIER_BITS,
        BLOCKS,
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
        BITS_ROW_BITS,
        MAP_BITS,
        DYNAMIC_BITS,
        RELEASE_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arrival, execution);
        self.arrival.reset.next = self.reset.val();
        self.execution.reset.next = self.reset.val();

        self.arrival.late_join_all.next = self.late_join_all.val();
        self.arrival.request_valid.next = self.request_valid.val();
        self.arrival.request_operation.next = self.request_operation.val();
        self.arrival.request_cta.next = self.request_cta.val();
        self.arrival.request_block.next = self.request_block.val();
        self.arrival.request_barrier.next = self.request_barrier.val();
        self.arrival.request_mask.next = self.request_mask.val();
        self.arrival.request_participants.next = self.request_participants.val();
        self.arrival.request_tag.next = self.request_tag.val();
        self.arrival.request_after.next = self.request_after.val();
        self.arrival.request_critical.next = self.request_critical.val();
        self.arrival.request_ordered.next = self.request_ordered.val();
        self.arrival.request_exclusive.next = self.request_exclusive.val();
        self.arrival.request_blocking.next = self.request_blocking.val();
        self.arrival.request_impatient.next = self.request_impatient.val();
        self.arrival.request_data.next = self.request_data.val();
        self.request_ready.next = self.arrival.request_ready.val();
        self.execution.exclusive_inside.next = self.exclusive_inside.val();
        self.execution.class_conflicts.next = self.class_conflicts.val();
        self.execution.reserved_slots.next = self.reserved_slots.val();

        // The execute stage: what the arrival side has in hand, and what it makes of it.
        self.execution.execute_valid.next = self.arrival.execute_valid.val();
        self.execution.execute_request.next = self.arrival.execute_request.val();
        self.execution.execute_operation.next = self.arrival.execute_operation.val();
        self.execution.execute_cta.next = self.arrival.execute_cta.val();
        self.execution.execute_block.next = self.arrival.execute_block.val();
        self.execution.execute_barrier.next = self.arrival.execute_barrier.val();
        self.execution.execute_key.next = self.arrival.execute_key.val();
        self.execution.execute_mask.next = self.arrival.execute_mask.val();
        self.execution.execute_data.next = self.arrival.execute_data.val();
        self.execution.sleep_mask.next = self.arrival.sleep_mask.val();
        self.execution.sleep_done.next = self.arrival.sleep_done.val();
        self.execution.sleep_phase.next = self.arrival.sleep_phase.val();
        self.execution.sleep_rescan.next = self.arrival.sleep_rescan.val();
        self.execution.dynamic_valid.next = self.arrival.dynamic_valid.val();
        self.execution.dynamic_tag.next = self.arrival.dynamic_tag.val();
        self.execution.dynamic_critical.next = self.arrival.dynamic_critical.val();
        self.execution.dynamic_exclusive.next = self.arrival.dynamic_exclusive.val();
        self.execution.dynamic_blocking.next = self.arrival.dynamic_blocking.val();
        self.execution.dynamic_priority.next = self.arrival.dynamic_priority.val();
        self.execution.dynamic_class.next = self.arrival.dynamic_class.val();
        self.execution.release_valid.next = self.arrival.release_valid.val();
        self.execution.release_phase.next = self.arrival.release_phase.val();
        self.execution.release_address.next = self.arrival.release_address.val();
        self.execution.reset_valid.next = self.arrival.reset_valid.val();
        self.execution.finish_ready.next = self.arrival.finish_ready.val();
        self.execution.execute_word.next = self.arrival.execute_word.val();
        self.execution.execute_act.next = self.arrival.execute_act.val();
        self.execution.execute_refused.next = self.arrival.refused.val();
        self.saved_data.next = self.arrival.saved_data.val() | self.execution.saved_data.val();
        // What the execution side has against it.
        self.arrival.frozen.next = self.execution.frozen.val();
        self.arrival.saving_refused.next = self.execution.saving_refused.val();
        self.arrival.execution_busy.next = self.execution.execution_busy.val();
        self.arrival.release_busy.next = self.execution.release_busy.val();
        self.arrival.release_busy_cta.next = self.execution.release_busy_cta.val();
        self.arrival.finish_valid.next = self.execution.finish_valid.val();
        self.arrival.finish_key.next = self.execution.finish_key.val();
        self.arrival.finish_cancel.next = self.execution.finish_cancel.val();
        self.arrival.inside_error.next = self.execution.error_valid.val();

        self.response_valid.next = self.arrival.execute_request.val();
        self.response_sleep.next = self.arrival.sleep_mask.val() | self.execution.bottom_sleep.val();
        self.response_pass.next = self.arrival.pass_mask.val() | self.execution.bottom_pass.val();
        self.response_skip.next = self.arrival.skip_mask.val();
        self.response_wait.next = self.arrival.wait_mask.val();
        self.response_refused.next = self.arrival.refused.val();

        // Of several errors the one with the lowest number is reported: those of the execution side come first.
        self.response_error.next = self.execution.error_valid.val() | self.arrival.error_valid.val();
        self.error_cause.next = self.arrival.error_cause.val();
        self.offender.mask.next = self.arrival.execute_mask.val();
        if self.execution.error_valid.val() {
            self.error_cause.next = self.execution.error_cause.val();
            self.offender.mask.next = self.execution.error_threads.val();
        }
        self.error_block.next = self.arrival.execute_block.val();
        self.error_offset.next = self.offender.index.val();
        self.error_barrier.next = self.arrival.execute_barrier.val();
        self.error_address.next = self.arrival.execute_tag.val();
        self.error_other_barrier.next = self.execution.error_other_key.val().get_bits::<BARRIER_BITS>(0);
        self.error_other_address.next = self.execution.error_other_address.val();

        self.release_valid.next = self.arrival.release_valid.val();
        self.release_cta.next = self.arrival.execute_cta.val();
        self.release_barrier.next = self.arrival.execute_barrier.val();
        self.release_phase.next = self.arrival.release_phase.val();
        self.execution.wake_ready.next = self.wake_ready.val();
        self.wake_valid.next = self.execution.wake_valid.val();
        self.wake_cta.next = self.execution.wake_cta.val();
        self.wake_block.next = self.execution.wake_block.val();
        self.wake_mask.next = self.execution.wake_mask.val();
        self.wake_address.next = self.execution.wake_address.val();
        self.wake_inside.next = self.execution.wake_inside.val();
        self.handed_valid.next = self.execution.handed_valid.val();
        self.handed_key.next = self.execution.handed_key.val();
        self.handed_slot.next = self.execution.handed_slot.val();
        self.dynamic_valid.next = self.arrival.dynamic_valid.val();
        self.dynamic_key.next = self.arrival.execute_key.val();
        self.idle_valid.next = self.arrival.idle_valid.val();
        self.idle_key.next = self.arrival.execute_key.val();
        self.timeout_valid.next = self.arrival.timeout_valid.val();
        self.timeout_key.next = self.arrival.execute_key.val();
        self.launched_valid.next = self.arrival.launched_valid.val();
        self.launched_cta.next = self.arrival.execute_cta.val();
        self.slot_occupied.next = self.execution.occupied.val();
        self.fifo_count.next = self.execution.waiting.val();
    }
}
