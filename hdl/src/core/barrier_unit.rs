//! Barriers in the core: from the instructions of warps to requests at the barrier scheduler, from its answers and wake-ups to what the divergence engine
//! is asked.
//!
//! ```text
//!   warp ──present──▶ flight_table, barrier_queue ──▶ barrier_requests ──▶ barrier_scheduler
//!   engine ◀──step── barrier_steps ◀── barrier_answers ◀──────────────────────┤
//!   engine ◀──wake── barrier_wakes ◀──────────────────────────────────────────┘
//! ```
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `barrier_ports` | | configuration, and what happens, for observers |
//! | `launch_*`, `finish_*`, `retire_*` | in, out | thread blocks that come and go, and whose slot is free again |
//! | `present_*` | in | an instruction of a warp that concerns the scheduler |
//! | `presenting` | out | warps whose instruction is being answered |
//! | `look_warp`, `step_*` | | steps of warps whose instruction was answered |
//! | `wake_*` | | threads that wake, on their way to the engine |
//! | `move_*`, `moved_*` | in, `ready` out | a block's barriers leave or come back: requests that go before all others but the block's launch, and their answers |
//! | `waking` | out | warps of which threads are on their way to the engine |
//!
//! **Timing** a request is at the scheduler's port in the cycle in which its instruction is presented, unless others are in front; its
//! answer, and the step that follows from it, can be in the next. A wake-up of a part of a warp waits a cycle for that of the other part.
//! **Invariants** 1. a warp that is presenting or has a step to do does not issue. 2. no thread is woken before the engine knows that it sleeps.
//! **Source** SM-07. **See also** `barrier_scheduler`, and each of the parts.

use super::barrier_answers::BarrierAnswers;
use super::barrier_operands::BarrierOperands;
use super::barrier_queue::{BarrierQueue, Origin};
use super::barrier_requests::BarrierRequests;
use super::barrier_steps::BarrierSteps;
use super::barrier_wakes::BarrierWakes;
use super::flight_table::FlightTable;
use crate::barrier::barrier_scheduler::BarrierScheduler;
use crate::barrier::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// `ENTRIES` = 2 × `WARPS`, `QUEUE_BITS` = `WARP_BITS` + 2, `PAIR_BITS` = 2 × `THREADS`, `PARTS` = max(1, `THREADS` / `BLOCK_THREADS`), `HALVES` = max(1,
    /// `BLOCK_THREADS` / `THREADS`), `COUNT_BITS` = `OFFSET_BITS` + 4. See the module's page.
    pub struct BarrierUnit<
        const WARPS: usize, const WARP_BITS: usize, const ENTRIES: usize, const LINKS: usize, const QUEUE_BITS: usize,
        const MAP_BITS: usize, const THREADS: usize, const THREAD_BITS: usize, const PAIR_BITS: usize,
        const RECORD_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize, const COUNT_BITS: usize,
        const PARTS: usize, const PART_BITS: usize, const HALVES: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Threads of a thread block of the grid.
            pub block_threads: Signal<In, Bits<12>>,
            /// The engine is a plain stack.
            pub stack_mode: Signal<In, Bit>,
            /// A warp is launched.
            pub launch_valid: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub launch_slot: Signal<In, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub launch_place: Signal<In, Bits<WARP_BITS>>,
            /// It comes back: the scheduler is told of its block by whoever brings it back.
            pub launch_resumes: Signal<In, Bit>,
            /// The last warp of a block has ended.
            pub finish_last: Signal<In, Bit>,
            /// The slot of that block.
            pub finish_slot: Signal<In, Bits<WARP_BITS>>,
            /// A slot is free again.
            pub retire_valid: Signal<Out, Bit>,
            /// Which.
            pub retire_slot: Signal<Out, Bits<WARP_BITS>>,
            /// A warp presents an instruction.
            pub present_valid: Signal<In, Bit>,
            /// Which.
            pub present_warp: Signal<In, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub present_slot: Signal<In, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub present_place: Signal<In, Bits<WARP_BITS>>,
            /// The instruction.
            pub present_word: Signal<In, Bits<64>>,
            /// Where it is.
            pub present_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Threads that issue it.
            pub present_active: Signal<In, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub present_named: Signal<In, Bits<THREADS>>,
            /// Threads whose parity is odd.
            pub present_parity: Signal<In, Bits<THREADS>>,
            /// Sum of the counts of even parity.
            pub present_even: Signal<In, Bits<12>>,
            /// Sum of the counts of odd parity.
            pub present_odd: Signal<In, Bits<12>>,
            /// The reference in a register.
            pub present_reference: Signal<In, Bits<10>>,
            /// Warps whose instruction is being answered.
            pub presenting: Signal<Out, Bits<WARPS>>,
            /// Warps that have a step to do.
            pub step_waiting: Signal<Out, Bits<WARPS>>,
            /// The warp looked at.
            pub look_warp: Signal<In, Bits<WARP_BITS>>,
            /// What its step does.
            pub step_operation: Signal<Out, Bits<4>>,
            /// Its kind.
            pub step_kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub step_mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub step_target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It has one.
            pub step_targeted: Signal<Out, Bit>,
            /// Further steps follow.
            pub step_again: Signal<Out, Bit>,
            /// It is accepted.
            pub step_taken: Signal<In, Bit>,
            /// Threads wake.
            pub wake_valid: Signal<Out, Bit>,
            /// Whose.
            pub wake_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub wake_mask: Signal<Out, Bits<THREADS>>,
            /// Where they go on.
            pub wake_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// They are taken.
            pub wake_taken: Signal<In, Bit>,
            /// Warps of which threads are on their way to the engine.
            pub waking: Signal<Out, Bits<WARPS>>,
            /// A request that moves a block's barriers.
            pub move_valid: Signal<In, Bit>,
            /// It is accepted.
            pub move_ready: Signal<Out, Bit>,
            /// What is asked for.
            pub move_operation: Signal<In, Bits<4>>,
            /// The slot of the block.
            pub move_slot: Signal<In, Bits<WARP_BITS>>,
            /// The barrier.
            pub move_barrier: Signal<In, Bits<3>>,
            /// The scheduler's block.
            pub move_block: Signal<In, Bits<3>>,
            /// The word.
            pub move_word: Signal<In, Bits<4>>,
            /// Its value.
            pub move_data: Signal<In, Bits<64>>,
            /// That is answered.
            pub moved_valid: Signal<Out, Bit>,
            /// It must be presented again.
            pub moved_refused: Signal<Out, Bit>,
            /// It is in error.
            pub moved_error: Signal<Out, Bit>,
            /// The word that was asked for.
            pub moved_saved: Signal<Out, Bits<64>>,
        }
        shared { barrier_ports }
        parts {
            flying: Register<Bits<WARPS>>,
            moved: Register<Bit>,
            unlaunched: Register<Bits<WARPS>>,
            ended: Register<Bit>,
            ended_slot: Register<Bits<WARP_BITS>>,
            operands: BarrierOperands<THREADS, THREAD_BITS>,
            flights: FlightTable<WARP_BITS, THREADS, ADDRESS_BITS, RECORD_BITS, PAIR_BITS>,
            #[reads_back(launch_valid)]
            queue: BarrierQueue<WARP_BITS, ENTRIES, LINKS, QUEUE_BITS, QUEUE_BITS>,
            #[reads_back(request_ready)]
            requests: BarrierRequests<
                WARP_BITS, THREADS, THREAD_BITS, ADDRESS_BITS, BLOCK_THREADS, OFFSET_BITS, PARTS, PART_BITS,
            >,
            scheduler: BarrierScheduler<
                16, 4, 8, 3, 8, 3, BLOCK_THREADS, OFFSET_BITS, COUNT_BITS, 16, 4, 5, 7, 8, 7, 10, 24, 36, 30,
            >,
            answers: BarrierAnswers<WARP_BITS, THREADS, BLOCK_THREADS>,
            steps: BarrierSteps<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, PAIR_BITS>,
            wakes: BarrierWakes<WARPS, WARP_BITS, MAP_BITS, THREADS, THREAD_BITS, BLOCK_THREADS, OFFSET_BITS, HALVES>,
            asks: Signal<Local, Bit>,
            answers_warp: Signal<Local, Bit>,
            moves: Signal<Local, Bit>,
            enters: Signal<Local, Bits<WARPS>>,
            known: Signal<Local, Bits<WARPS>>,
            launch_origin: Constant<Bits<2>> = Constant::new(bits(Origin::Launch as u64)),
            answered: Signal<Local, Bits<WARPS>>,
            presents: Signal<Local, Bits<WARPS>>,
            held: Signal<Local, Bits<WARPS>>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const ENTRIES: usize,
        const LINKS: usize,
        const QUEUE_BITS: usize,
        const MAP_BITS: usize,
        const THREADS: usize,
        const THREAD_BITS: usize,
        const PAIR_BITS: usize,
        const RECORD_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
        const COUNT_BITS: usize,
        const PARTS: usize,
        const PART_BITS: usize,
        const HALVES: usize,
    > Logic
    for BarrierUnit<
        WARPS,
        WARP_BITS,
        ENTRIES,
        LINKS,
        QUEUE_BITS,
        MAP_BITS,
        THREADS,
        THREAD_BITS,
        PAIR_BITS,
        RECORD_BITS,
        BLOCK_THREADS,
        OFFSET_BITS,
        COUNT_BITS,
        PARTS,
        PART_BITS,
        HALVES,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flying, moved, unlaunched, ended, ended_slot);
        clock!(self, clock, flights, queue, requests, scheduler, answers, steps, wakes);
        self.queue.reset.next = self.reset.val();
        self.requests.reset.next = self.reset.val();
        self.scheduler.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.steps.reset.next = self.reset.val();
        self.wakes.reset.next = self.reset.val();

        // A warp presents an instruction.
        self.operands.word.next = self.present_word.val();
        self.operands.active.next = self.present_active.val();
        self.operands.named.next = self.present_named.val();
        self.operands.parity.next = self.present_parity.val();
        self.operands.even.next = self.present_even.val();
        self.operands.odd.next = self.present_odd.val();
        self.operands.reference.next = self.present_reference.val();
        self.asks.next = self.present_valid.val() & !self.operands.empty.val();
        self.answer_none.next = self.present_valid.val() & self.operands.empty.val();
        self.flights.write_enable.next = self.present_valid.val();
        self.flights.write_warp.next = self.present_warp.val();
        self.flights.write_word.next = self.present_word.val();
        self.flights.write_address.next = self.present_address.val();
        self.flights.write_operand.next = self.operands.operand.val();
        self.flights.write_slot.next = self.present_slot.val();
        self.flights.write_place.next = self.present_place.val();
        self.flights.write_active.next = self.present_active.val();
        self.flights.write_named.next = self.present_named.val();
        self.flights.write_threads.next = self.operands.threads.val();

        // Who asks, in order. A block whose last warp ends asks in the next cycle.
        self.ended.d.next = self.finish_last.val() & self.barriers_enable.val();
        self.ended_slot.d.next = self.finish_slot.val();
        self.queue.again_valid.next = self.answers.again_valid.val();
        self.queue.again_slot.next = self.answers.ended_slot.val();
        self.queue.end_valid.next = self.ended.q.val();
        self.queue.end_slot.next = self.ended_slot.q.val();
        self.queue.launch_valid.next = self.launch_valid.val()
            & self.barriers_enable.val()
            & !self.launch_place.val().any()
            & !self.launch_resumes.val();
        self.queue.launch_slot.next = self.launch_slot.val();
        self.queue.present_valid.next = self.asks.val();
        self.queue.present_warp.next = self.present_warp.val();
        self.queue.leave.next = self.requests.leave.val();
        self.flights.front_warp.next = self.queue.front_index.val();
        self.flights.front_new.next = self.queue.front_new.val();
        self.requests.front_valid.next = self.queue.front_valid.val();
        self.requests.origin.next = self.queue.front_origin.val();
        self.requests.index.next = self.queue.front_index.val();
        self.requests.block_threads.next = self.block_threads.val();
        self.requests.word.next = self.flights.front_word.val();
        self.requests.address.next = self.flights.front_address.val();
        self.requests.operand.next = self.flights.front_operand.val();
        self.requests.slot.next = self.flights.front_slot.val();
        self.requests.place.next = self.flights.front_place.val();
        self.requests.named.next = self.flights.front_named.val();
        self.requests.threads.next = self.flights.front_threads.val();

        // A block's barriers are moved at once, but not before the scheduler knows of the block.
        self.enters.next = self.none.val();
        if self.queue.launch_valid.val() {
            self.enters.next = self.one.val() << self.launch_slot.val();
        }
        self.known.next = self.none.val();
        if self.requests.leave.val() & (self.queue.front_origin.val() == self.launch_origin.val()) {
            self.known.next = self.one.val() << self.queue.front_index.val();
        }
        self.unlaunched.d.next = (self.unlaunched.q.val() | self.enters.val()) & !self.known.val();
        self.moves.next = self.move_valid.val() & !self.unlaunched.q.val().get_bit(self.move_slot.val());

        // The scheduler.
        self.scheduler.late_join_all.next = self.late_join_all.val();
        self.scheduler.exclusive_inside.next = self.exclusive_inside.val();
        self.scheduler.class_conflicts.next = self.class_conflicts.val();
        self.scheduler.reserved_slots.next = self.reserved_slots.val();
        self.scheduler.request_valid.next = self.requests.request_valid.val() | self.moves.val();
        self.requests.request_ready.next = self.scheduler.request_ready.val() & !self.moves.val();
        self.scheduler.request_operation.next = self.requests.request_operation.val();
        self.scheduler.request_cta.next = bit_cast::<4, WARP_BITS>(self.requests.request_slot.val());
        self.scheduler.request_block.next = self.requests.request_block.val();
        self.scheduler.request_barrier.next = self.requests.request_barrier.val();
        self.scheduler.request_mask.next = self.requests.request_mask.val();
        self.scheduler.request_participants.next = self.requests.request_participants.val();
        self.scheduler.request_tag.next = self.requests.request_tag.val();
        self.scheduler.request_after.next = self.requests.request_after.val();
        self.scheduler.request_critical.next = self.requests.request_critical.val();
        self.scheduler.request_ordered.next = self.requests.request_ordered.val();
        self.scheduler.request_exclusive.next = self.requests.request_exclusive.val();
        self.scheduler.request_blocking.next = self.requests.request_blocking.val();
        self.scheduler.request_impatient.next = self.requests.request_impatient.val();
        self.scheduler.request_data.next = self.requests.request_data.val();
        if self.moves.val() {
            self.scheduler.request_operation.next = self.move_operation.val();
            self.scheduler.request_cta.next = bit_cast::<4, WARP_BITS>(self.move_slot.val());
            self.scheduler.request_block.next = self.move_block.val();
            self.scheduler.request_barrier.next = self.move_barrier.val();
            self.scheduler.request_tag.next = bit_cast::<ADDRESS_BITS, 4>(self.move_word.val());
            self.scheduler.request_data.next = self.move_data.val();
        }
        self.move_ready.next = self.moves.val() & self.scheduler.request_ready.val();
        self.moved.d.next = self.move_ready.val();
        self.moved_valid.next = self.moved.q.val() & self.scheduler.response_valid.val();
        self.moved_refused.next = self.scheduler.response_refused.val();
        self.moved_error.next = self.scheduler.response_error.val();
        self.moved_saved.next = self.scheduler.saved_data.val();
        self.answers_warp.next = self.scheduler.response_valid.val() & !self.moved.q.val();

        // Its answers.
        self.answers.accepted.next = self.requests.request_valid.val() & self.requests.request_ready.val();
        self.answers.asked_origin.next = self.queue.front_origin.val();
        self.answers.asked_index.next = self.queue.front_index.val();
        self.answers.asked_first.next = self.requests.asked_first.val();
        self.answers.asked_last.next = self.requests.asked_last.val();
        self.answers.asked_exit.next = self.requests.asked_exit.val();
        self.answers.asked_up.next = self.requests.asked_up.val();
        self.answers.asked_down.next = self.requests.asked_down.val();
        self.answers.asked_threads.next = self.requests.asked_threads.val();
        self.answers.asked_again.next = self.requests.asked_again.val();
        self.answers.asked_slot.next = self.requests.request_slot.val();
        self.answers.asked_active.next = self.flights.front_active.val();
        self.answers.response_valid.next = self.answers_warp.val();
        self.answers.response_sleep.next = self.scheduler.response_sleep.val();
        self.answers.response_skip.next = self.scheduler.response_skip.val();
        self.answers.response_wait.next = self.scheduler.response_wait.val();
        self.answers.response_refused.next = self.scheduler.response_refused.val();
        self.answers.response_error.next = self.scheduler.response_error.val();
        self.retire_valid.next = self.answers.retire_valid.val();
        self.retire_slot.next = self.answers.ended_slot.val();
        self.answered.next = self.none.val();
        if self.answers.land_valid.val() {
            self.answered.next = self.one.val() << self.answers.land_warp.val();
        }
        self.presents.next = self.none.val();
        if self.asks.val() {
            self.presents.next = self.one.val() << self.present_warp.val();
        }
        self.held.next = self.flying.q.val() & !self.answered.val();
        self.flying.d.next = self.held.val() | self.presents.val();
        self.presenting.next = self.held.val();

        // The steps that carry them out.
        self.flights.look_warp.next = self.look_warp.val();
        self.steps.stack_mode.next = self.stack_mode.val();
        self.steps.land_valid.next = self.answers.land_valid.val();
        self.steps.land_warp.next = self.answers.land_warp.val();
        self.steps.land_exit.next = self.answers.land_exit.val();
        self.steps.land_active.next = self.answers.land_active.val();
        self.steps.land_sleep.next = self.answers.land_sleep.val();
        self.steps.land_skip.next = self.answers.land_skip.val();
        self.steps.land_wait.next = self.answers.land_wait.val();
        self.steps.blank_valid.next = self.answer_none.val();
        self.steps.blank_warp.next = self.present_warp.val();
        self.steps.look_warp.next = self.look_warp.val();
        self.steps.look_word.next = self.flights.look_word.val();
        self.steps.look_address.next = self.flights.look_address.val();
        self.steps.look_active.next = self.flights.look_active.val();
        self.steps.look_named.next = self.flights.look_named.val();
        self.step_waiting.next = self.steps.step_waiting.val();
        self.step_operation.next = self.steps.step_operation.val();
        self.step_kind.next = self.steps.step_kind.val();
        self.step_mask.next = self.steps.step_mask.val();
        self.step_target.next = self.steps.step_target.val();
        self.step_targeted.next = self.steps.step_targeted.val();
        self.step_again.next = self.steps.step_again.val();
        self.steps.step_taken.next = self.step_taken.val();

        // Its wake-ups.
        self.wakes.launch_valid.next = self.launch_valid.val();
        self.wakes.launch_warp.next = self.launch_warp.val();
        self.wakes.launch_slot.next = self.launch_slot.val();
        self.wakes.launch_place.next = self.launch_place.val();
        self.wakes.enter_valid.next = self.scheduler.wake_valid.val();
        self.scheduler.wake_ready.next = self.wakes.enter_ready.val();
        self.wakes.enter_slot.next = bit_cast::<WARP_BITS, 4>(self.scheduler.wake_cta.val());
        self.wakes.enter_block.next = self.scheduler.wake_block.val();
        self.wakes.enter_mask.next = self.scheduler.wake_mask.val();
        self.wakes.enter_address.next = self.scheduler.wake_address.val();
        self.wakes.enter_inside.next = self.scheduler.wake_inside.val();
        self.wakes.blocked.next = self.held.val() | self.steps.step_waiting.val();
        self.wake_valid.next = self.wakes.leave_valid.val();
        self.wake_warp.next = self.wakes.leave_warp.val();
        self.wake_mask.next = self.wakes.leave_mask.val();
        self.wake_address.next = self.wakes.leave_address.val();
        self.wakes.leave_taken.next = self.wake_taken.val();

        // What observers see.
        self.answer_valid.next = self.answers.land_valid.val();
        self.answer_warp.next = self.answers.land_warp.val();
        self.answer_exit.next = self.answers.land_exit.val();
        self.answer_active.next = self.answers.land_active.val();
        self.answer_sleep.next = self.answers.land_sleep.val();
        self.answer_skip.next = self.answers.land_skip.val();
        self.answer_wait.next = self.answers.land_wait.val();
        self.barrier_request_valid.next = self.requests.request_valid.val();
        self.barrier_request_ready.next = self.requests.request_ready.val();
        self.barrier_request_operation.next = self.requests.request_operation.val();
        self.barrier_request_slot.next = self.requests.request_slot.val();
        self.barrier_request_block.next = self.requests.request_block.val();
        self.barrier_request_barrier.next = self.requests.request_barrier.val();
        self.barrier_request_mask.next = self.requests.request_mask.val();
        self.barrier_request_data.next = self.requests.request_data.val();
        self.barrier_response_valid.next = self.scheduler.response_valid.val();
        self.barrier_response_refused.next = self.scheduler.response_refused.val();
        self.barrier_error.next = self.answers_warp.val() & self.scheduler.response_error.val();
        self.barrier_error_cause.next = self.scheduler.error_cause.val();
        self.barrier_error_slot.next = self.answers.error_slot.val();
        self.barrier_error_block.next = self.scheduler.error_block.val();
        self.barrier_error_offset.next = self.scheduler.error_offset.val();
        self.barrier_error_barrier.next = self.scheduler.error_barrier.val();
        self.barrier_error_address.next = self.scheduler.error_address.val();
        self.barrier_error_other_barrier.next = self.scheduler.error_other_barrier.val();
        self.barrier_error_other_address.next = self.scheduler.error_other_address.val();
        self.barrier_wake_valid.next = self.wakes.woken_valid.val();
        self.barrier_wake_warp.next = self.wakes.woken_warp.val();
        self.barrier_wake_mask.next = self.wakes.woken_mask.val();
        self.barrier_wake_address.next = self.scheduler.wake_address.val();
        self.barrier_wake_inside.next = self.scheduler.wake_inside.val();
        self.event_dynamic.next = self.scheduler.dynamic_valid.val();
        self.event_handed.next = self.scheduler.handed_valid.val();
        self.event_idle.next = self.scheduler.idle_valid.val();
        self.event_released.next = self.scheduler.release_valid.val();
        self.event_timeout.next = self.scheduler.timeout_valid.val();
        self.event_launched.next = self.scheduler.launched_valid.val();
        self.waking.next = self.wakes.waiting.val();
        self.barriers_still.next = self.wakes.empty.val()
            & !self.move_valid.val()
            & !self.moved.q.val()
            & !self.queue.front_valid.val()
            & !self.held.val().any()
            & !self.steps.step_waiting.val().any();
        self.barriers_occupied.next = self.scheduler.slot_occupied.val();
    }
}
