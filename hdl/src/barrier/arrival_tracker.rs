//! The arrival side of the barrier system: takes the requests, keeps the state of every barrier, answers each thread, and says when a
//! barrier is complete, turns dynamic or idle.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_*` | in, `request_ready` out | operations ([`BarrierOperation`](super::operation::BarrierOperation)) of threads of one block of one CTA |
//! | `finish_*` | in, `finish_ready` out | the section of a slot has ended |
//! | `execution_busy`, `inside_error`, `release_busy`, `release_busy_cta`, `finish_cancel` | in | what the execution side has against it; all but the first speak of the execute stage |
//! | `accept_*` | out | what enters the execute stage at the end of this cycle |
//! | `execute_*` | out | what is in the execute stage; internal steps bring no block, threads, address or data |
//! | `sleep_*`, `pass_mask`, `skip_mask`, `wait_mask`, `refused`, `error_*` | out | the answer to the request in the execute stage |
//! | `frozen`, `saving_refused`, `execute_word`, `execute_act`, `saved_data` | | a CTA leaves ([`barrier_saver`](super::barrier_saver)): no barrier of it completes, its clocks stand |
//! | `dynamic_*`, `release_*`, `reset_valid`, `idle_valid`, `timeout_valid`, `launched_valid` | out | events in the execute stage, of barrier `execute_key` |
//!
//! **Timing** a request accepted at an edge is answered in the cycle behind it, and in that cycle a barrier that it completes is released or
//! turns dynamic. One request a cycle; a launch and an exit take a cycle a barrier. `request_ready` does not depend on the
//! request; it is low in the later steps of these two, for a cycle when a timeout passes or a section ends, and while `execution_busy`.
//! **Order** requests, timeouts, ends of sections and steps pass through the execute stage one after the other: that is their order.
//! **Invariants** 1. every thread that reaches a top or a split wait has one answer. 2. the arrivals of a barrier are its arrived bits that the
//! condition counts; nobody counts twice in a phase. 3. one completion a cycle, of an exit lowest id first (tested, not proven). 4. a request
//! in error or refused has no effect (tested, not proven). 5. nothing of a CTA outlives its launch. Its threads' number shows in no loop: a
//! step takes one block, whatever their number.
//! **Source** US 9,448,803, figure 6A; BR-01, BR-03, BR-05, BR-06, BR-10 to BR-28, BR-39, BR-43 to BR-45, BR-50, BR-51, CX-09, CX-10.

use super::arrival_answer::ArrivalAnswer;
use super::arrived_bits::ArrivedBits;
use super::barrier_state::BarrierState;
use super::barrier_table::BarrierTable;
use super::cta_table::CtaTable;
use super::request_check::RequestCheck;
use super::request_stage::RequestStage;
use super::saved_words::SavedWords;
use super::timeout_scanner::TimeoutScanner;
use super::transaction_counter::TransactionCounter;
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `CTA_BITS` + `BARRIER_BITS`, `ROW_BITS` = `KEY_BITS` + `BLOCK_BITS`, `COUNT_BITS` holds the threads of a CTA; see the
    /// module's page.
    pub struct ArrivalTracker<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCKS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const COUNT_BITS: usize,
        const KEY_BITS: usize,
        const ROW_BITS: usize,
        const ADDRESS_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Every barrier takes late arrivals, whatever its late mode.
            pub late_join_all: Signal<In, Bit>,
            /// A request.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// What it asks for.
            pub request_operation: Signal<In, Bits<4>>,
            /// Its CTA.
            pub request_cta: Signal<In, Bits<CTA_BITS>>,
            /// Its thread block, physical.
            pub request_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Its barrier.
            pub request_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// The threads that do it.
            pub request_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Those of them that participate.
            pub request_participants: Signal<In, Bits<BLOCK_THREADS>>,
            /// Address of the instruction.
            pub request_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// Address after the bottom.
            pub request_after: Signal<In, Bits<ADDRESS_BITS>>,
            /// The barrier guards a section.
            pub request_critical: Signal<In, Bit>,
            /// Its participants run in logical order.
            pub request_ordered: Signal<In, Bit>,
            /// It runs alone.
            pub request_exclusive: Signal<In, Bit>,
            /// Its bottom waits for all.
            pub request_blocking: Signal<In, Bit>,
            /// It does not wait for all participants.
            pub request_impatient: Signal<In, Bit>,
            /// Operand of the operation.
            pub request_data: Signal<In, Bits<64>>,
            /// The execution side takes nothing into the execute stage of the next cycle.
            pub execution_busy: Signal<In, Bit>,
            /// The section in a slot has ended.
            pub finish_valid: Signal<In, Bit>,
            /// This is taken: it is in the execute stage in the next cycle.
            pub finish_ready: Signal<Out, Bit>,
            /// Its barrier: {cta, id}.
            pub finish_key: Signal<In, Bits<KEY_BITS>>,
            /// A request or internal step enters the execute stage at the end of this cycle.
            pub accept_valid: Signal<Out, Bit>,
            /// Its CTA.
            pub accept_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Its barrier.
            pub accept_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// Its thread block.
            pub accept_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// A request or internal step is in the execute stage.
            pub execute_valid: Signal<Out, Bit>,
            /// It is a request, and this its first cycle: the answer is valid.
            pub execute_request: Signal<Out, Bit>,
            /// What it asks for; internal steps have codes of their own.
            pub execute_operation: Signal<Out, Bits<4>>,
            /// Its CTA.
            pub execute_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Its thread block; of requests only.
            pub execute_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// Its barrier; for a launch and an exit, the id of the step.
            pub execute_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// Its barrier: {cta, id}.
            pub execute_key: Signal<Out, Bits<KEY_BITS>>,
            /// Its threads; of requests only.
            pub execute_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The address of the instruction; of requests only.
            pub execute_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its operand; of requests only.
            pub execute_data: Signal<Out, Bits<64>>,
            /// It is the first step of a launch or an exit, or something else altogether.
            pub execute_first: Signal<Out, Bit>,
            /// It is the last step of a launch or an exit, or something else altogether.
            pub execute_last: Signal<Out, Bit>,
            /// A thread of the request is inside a section and must not be, or the reverse: it has no effect.
            pub inside_error: Signal<In, Bit>,
            /// Wake-ups of an earlier phase of this barrier are still to be delivered.
            pub release_busy: Signal<In, Bit>,
            /// Wake-ups of this CTA are still to be delivered.
            pub release_busy_cta: Signal<In, Bit>,
            /// A thread has joined since the section's last pass: the finish has no effect.
            pub finish_cancel: Signal<In, Bit>,
            /// CTAs that are held to leave, as a mask.
            pub frozen: Signal<In, Bits<CTAS>>,
            /// A request that saves a CTA must be presented again.
            pub saving_refused: Signal<In, Bit>,
            /// The word of a CTA's state that the request names.
            pub execute_word: Signal<Out, Bits<4>>,
            /// What is in the execute stage takes effect.
            pub execute_act: Signal<Out, Bit>,
            /// The word that a Withdraw asks for, if this side has it; else 0.
            pub saved_data: Signal<Out, Bits<64>>,
            /// Threads that fall asleep in the barrier.
            pub sleep_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// They are done already.
            pub sleep_done: Signal<Out, Bit>,
            /// The barrier's present phase: they wait for its end. Valid for whatever is in the execute stage.
            pub sleep_phase: Signal<Out, Bit>,
            /// They join a running section.
            pub sleep_rescan: Signal<Out, Bit>,
            /// Threads that continue after the instruction.
            pub pass_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that continue after the bottom.
            pub skip_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that must present the request again.
            pub wait_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// A request without threads must be presented again.
            pub refused: Signal<Out, Bit>,
            /// The request is in error: it has no effect. Every thread of it offends.
            pub error_valid: Signal<Out, Bit>,
            /// Why: 3, 4 or 5.
            pub error_cause: Signal<Out, Bits<3>>,
            /// The barrier turns dynamic.
            pub dynamic_valid: Signal<Out, Bit>,
            /// Address of its top.
            pub dynamic_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub dynamic_critical: Signal<Out, Bit>,
            /// It runs alone.
            pub dynamic_exclusive: Signal<Out, Bit>,
            /// Its bottom waits for all.
            pub dynamic_blocking: Signal<Out, Bit>,
            /// Its priority, 3 the highest.
            pub dynamic_priority: Signal<Out, Bits<2>>,
            /// Its resource class.
            pub dynamic_class: Signal<Out, Bits<2>>,
            /// A phase of the barrier ends: its sleepers wake.
            pub release_valid: Signal<Out, Bit>,
            /// The phase that ends.
            pub release_phase: Signal<Out, Bit>,
            /// Where they continue.
            pub release_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// They are done.
            pub release_done: Signal<Out, Bit>,
            /// A dynamic barrier is reset.
            pub reset_valid: Signal<Out, Bit>,
            /// The barrier turns from dynamic to idle: its slot is free.
            pub idle_valid: Signal<Out, Bit>,
            /// A timeout passes.
            pub timeout_valid: Signal<Out, Bit>,
            /// A launch has cleared everything.
            pub launched_valid: Signal<Out, Bit>,
        }
        parts {
            stage: RequestStage<CTA_BITS, BARRIER_BITS, BLOCK_BITS, BLOCK_THREADS, KEY_BITS, ADDRESS_BITS>,
            check: RequestCheck<COUNT_BITS>,
            #[reads_back(launch_last)]
            ctas: CtaTable<CTAS, CTA_BITS, BARRIERS, BARRIER_BITS, COUNT_BITS>,
            barriers: BarrierTable<BLOCKS, COUNT_BITS, KEY_BITS, ADDRESS_BITS>,
            bits: ArrivedBits<BLOCKS, BLOCK_BITS, BLOCK_THREADS, KEY_BITS, ROW_BITS>,
            answer: ArrivalAnswer<BLOCK_THREADS>,
            #[reads_back(counted_any, visited_any)]
            change: BarrierState<BLOCKS, BLOCK_BITS, COUNT_BITS>,
            transactions: TransactionCounter<KEY_BITS>,
            scanner: TimeoutScanner<CTAS, CTA_BITS, BARRIER_BITS, KEY_BITS>,
            changed: PopulationCount<BLOCK_THREADS, COUNT_BITS>,
            moved: PopulationCount<BLOCK_THREADS, COUNT_BITS>,
            word: SavedWords<BLOCKS, BLOCK_THREADS, COUNT_BITS, ADDRESS_BITS>,
            held: Signal<Local, Bit>,
            code: Signal<Local, Bits<4>>,
            act: Signal<Local, Bit>,
            launching: Signal<Local, Bit>,
            exiting: Signal<Local, Bit>,
            same_tag: Signal<Local, Bit>,
            same_kind: Signal<Local, Bit>,
            next_key: Signal<Local, Bits<KEY_BITS>>,
            top: Signal<Local, Bits<ADDRESS_BITS>>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
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
        const COUNT_BITS: usize,
        const KEY_BITS: usize,
        const ROW_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic
    for ArrivalTracker<
        CTAS,
        CTA_BITS,
        BARRIERS,
        BARRIER_BITS,
        BLOCKS,
        BLOCK_BITS,
        BLOCK_THREADS,
        COUNT_BITS,
        KEY_BITS,
        ROW_BITS,
        ADDRESS_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, stage, ctas, barriers, bits, transactions, scanner);
        self.stage.reset.next = self.reset.val();
        self.ctas.reset.next = self.reset.val();
        self.barriers.reset.next = self.reset.val();
        self.bits.reset.next = self.reset.val();
        self.transactions.reset.next = self.reset.val();
        self.scanner.reset.next = self.reset.val();

        // The request, or an internal step, on its way to the execute stage.
        self.stage.request_valid.next = self.request_valid.val();
        self.stage.request_operation.next = self.request_operation.val();
        self.stage.request_cta.next = self.request_cta.val();
        self.stage.request_block.next = self.request_block.val();
        self.stage.request_barrier.next = self.request_barrier.val();
        self.stage.request_mask.next = self.request_mask.val();
        self.stage.request_participants.next = self.request_participants.val();
        self.stage.request_tag.next = self.request_tag.val();
        self.stage.request_after.next = self.request_after.val();
        self.stage.request_flags.next = bit_cast::<5, 1>(self.request_critical.val().into())
            | (bit_cast::<5, 1>(self.request_ordered.val().into()) << 1)
            | (bit_cast::<5, 1>(self.request_exclusive.val().into()) << 2)
            | (bit_cast::<5, 1>(self.request_blocking.val().into()) << 3)
            | (bit_cast::<5, 1>(self.request_impatient.val().into()) << 4);
        self.stage.request_data.next = self.request_data.val();
        self.stage.attend_valid.next = self.scanner.attend_valid.val();
        self.stage.attend_key.next = self.scanner.attend_key.val();
        self.stage.finish_valid.next = self.finish_valid.val();
        self.stage.finish_key.next = self.finish_key.val();
        self.stage.busy.next = self.execution_busy.val();
        self.stage.stop.next = self.check.stop.val();
        self.request_ready.next = self.stage.request_ready.val();
        self.finish_ready.next = self.stage.finish_ready.val();
        self.accept_valid.next = self.stage.accept_valid.val();
        self.accept_cta.next = self.stage.accept_cta.val();
        self.accept_barrier.next = self.stage.accept_barrier.val();
        self.accept_block.next = self.stage.accept_block.val();
        self.execute_valid.next = self.stage.execute_valid.val();
        self.execute_request.next = self.stage.execute_request.val();
        self.execute_operation.next = self.stage.execute_operation.val();
        self.execute_cta.next = self.stage.execute_cta.val();
        self.execute_block.next = self.stage.execute_block.val();
        self.execute_barrier.next = self.stage.execute_barrier.val();
        self.execute_key.next = self.stage.execute_key.val();
        self.execute_mask.next = self.stage.execute_mask.val();
        self.execute_tag.next = self.stage.execute_tag.val();
        self.execute_data.next = self.stage.execute_data.val();
        self.execute_first.next = self.stage.execute_first.val();
        self.execute_last.next = self.stage.execute_last.val();
        self.next_key.next = (bit_cast::<KEY_BITS, CTA_BITS>(self.stage.accept_cta.val()) << self.barrier_bits.val())
            | bit_cast::<KEY_BITS, BARRIER_BITS>(self.stage.accept_barrier.val());

        // The execute stage: what it is, and whether it takes effect.
        self.code.next = self.stage.execute_operation.val();
        self.launching.next = self.code.val() == 0;
        self.exiting.next = self.code.val() == 5;
        self.same_tag.next = self.barriers.tag.val() == self.stage.execute_tag.val();
        self.same_kind.next = (self.barriers.kind.val() == self.stage.execute_flags.val())
            & (self.barriers.after.val() == self.stage.execute_after.val());
        self.check.execute_valid.next = self.stage.execute_valid.val();
        self.check.execute_request.next = self.stage.execute_request.val();
        self.check.operation.next = self.code.val();
        self.check.mask_any.next = self.stage.execute_mask.val().any();
        self.check.kind.next = self.stage.execute_flags.val();
        self.check.word.next = self.stage.execute_data.val().get_bits::<48>(0);
        self.check.state.next = self.barriers.state.val();
        self.check.same_tag.next = self.same_tag.val();
        self.check.same_kind.next = self.same_kind.val();
        self.check.configuration.next = self.barriers.configuration.val();
        self.check.launched.next = self.ctas.launched.val();
        self.check.live.next = self.ctas.live.val();
        self.check.in_use.next = self.ctas.in_use.val();
        self.check.inside_error.next = self.inside_error.val();
        self.check.overflow.next = self.transactions.overflow.val();
        // What is held completes nothing and releases nobody, as if wake-ups were under way.
        self.held.next = self.frozen.val().get_bit(self.stage.execute_cta.val());
        self.check.release_busy.next = self.release_busy.val() | self.held.val();
        self.check.release_busy_cta.next = self.release_busy_cta.val() | self.held.val();
        self.check.saving_refused.next = self.saving_refused.val();
        self.act.next = self.check.act.val();

        self.execute_word.next = self.stage.execute_tag.val().get_bits::<4>(0);
        self.execute_act.next = self.act.val();

        // The words of a CTA that leaves, and of one that comes back.
        self.word.operation.next = self.code.val();
        self.word.word.next = self.execute_word.val();
        self.word.data.next = self.stage.execute_data.val();
        self.word.live.next = self.ctas.live.val();
        self.word.configuration.next = self.barriers.configuration.val();
        self.word.tag.next = self.barriers.tag.val();
        self.word.after.next = self.barriers.after.val();
        self.word.kind.next = self.barriers.kind.val();
        self.word.state.next = self.barriers.state.val();
        self.word.count.next = self.barriers.count.val();
        self.word.sleepers.next = self.barriers.sleepers.val();
        self.word.filled.next = self.barriers.filled.val();
        self.word.arrived.next = self.bits.arrived.val();
        self.word.seen.next = self.bits.seen.val();
        self.word.transactions.next = self.transactions.counts_now.val();
        self.word.left.next = self.scanner.left_cycles.val();
        self.saved_data.next = 0.into();
        if self.act.val() {
            self.saved_data.next = self.word.saved.val();
        }

        // Who counts, who sleeps.
        self.answer.arrive.next = self.code.val() == 3;
        self.answer.split_arrive.next = self.code.val() == 7;
        self.answer.split_wait.next = self.code.val() == 8;
        self.answer.parity.next = self.stage.execute_data.val().get_bit(0);
        self.answer.mask.next = self.stage.execute_mask.val();
        self.answer.participants.next = self.stage.execute_participants.val();
        self.answer.arrived.next = self.bits.arrived.val();
        self.answer.seen.next = self.bits.seen.val();
        self.answer.state.next = self.barriers.state.val();
        self.answer.sleepers_any.next = self.barriers.sleepers.val().any();
        self.answer.same_tag.next = self.same_tag.val();
        self.answer.same_kind.next = self.same_kind.val();
        self.answer.critical.next = self.stage.execute_flags.val().get_bit(0);
        self.answer.configuration.next = self.barriers.configuration.val();
        self.answer.late_join_all.next = self.late_join_all.val();
        self.changed.mask.next = self.answer.counted.val();
        self.moved.mask.next = self.answer.sleep_mask.val();
        if self.exiting.val() {
            self.changed.mask.next = self.bits.arrived.val() & self.stage.execute_mask.val();
            self.moved.mask.next = self.stage.execute_mask.val();
        }

        // What becomes of the barrier.
        self.change.act.next = self.act.val();
        self.change.operation.next = self.code.val();
        self.change.first.next = self.stage.execute_first.val();
        self.change.thread_block.next = self.stage.execute_block.val();
        self.change.threads.next = self.stage.execute_data.val().get_bits::<COUNT_BITS>(0);
        self.change.request_kind.next = self.stage.execute_flags.val();
        self.change.reconfigured.next = self.check.changes.val();
        self.change.starts.next = self.answer.starts.val();
        self.change.fresh.next = self.answer.fresh.val();
        self.change.stamp.next = self.answer.stamp.val();
        self.change.counted_any.next = self.answer.counted.val().any();
        self.change.visited_any.next = self.answer.visited.val().any();
        self.change.asleep_any.next = self.answer.sleep_mask.val().any();
        self.change.changed.next = self.changed.count.val();
        self.change.moved.next = self.moved.count.val();
        self.change.state.next = self.barriers.state.val();
        self.change.count.next = self.barriers.count.val();
        self.change.sleepers.next = self.barriers.sleepers.val();
        self.change.filled.next = self.barriers.filled.val();
        self.change.configuration.next = self.barriers.configuration.val();
        self.change.kind.next = self.barriers.kind.val();
        self.change.live.next = self.ctas.live.val();
        self.change.settled.next = self.transactions.zero.val();
        self.change.release_busy.next = self.release_busy.val() | self.held.val();
        self.change.word.next = self.execute_word.val();
        self.change.data.next = self.stage.execute_data.val();
        self.change.finish_cancel.next = self.finish_cancel.val();
        self.change.stale.next = self.scanner.stale.val();

        // The tables.
        self.ctas.read_cta.next = self.stage.accept_cta.val();
        self.ctas.cta.next = self.stage.execute_cta.val();
        self.ctas.write_enable.next = self.act.val();
        self.ctas.next_live.next = self.change.next_live.val();
        self.ctas.barrier.next = self.stage.execute_barrier.val();
        self.ctas.barrier_used.next = self.change.next_state.val().get_bits::<2>(0).any();
        self.ctas.launch_first.next = self.launching.val() & self.stage.execute_first.val();
        self.ctas.launch_last.next = self.launching.val() & self.stage.execute_last.val();
        self.ctas.retire.next = (self.code.val() == 1) | self.word.ends.val();
        self.barriers.read_key.next = self.next_key.val();
        self.barriers.key.next = self.stage.execute_key.val();
        self.barriers.configuration_write.next =
            self.act.val() & (self.launching.val() | self.check.changes.val() | self.word.deposits_configuration.val());
        self.barriers.next_configuration.next = self.stage.execute_data.val().get_bits::<48>(0);
        if self.launching.val() {
            // Condition 1, all else 0.
            self.barriers.next_configuration.next = 1.into();
        }
        // A launch writes an identity that means nothing, so that none is read before it was written.
        self.barriers.identity_write.next =
            self.act.val() & (self.answer.noted.val() | self.launching.val() | self.word.deposits_identity.val());
        self.barriers.next_tag.next = self.stage.execute_tag.val();
        self.barriers.next_after.next = self.stage.execute_after.val();
        self.barriers.next_kind.next = self.stage.execute_flags.val();
        if self.word.deposits_identity.val() {
            self.barriers.next_tag.next = self.word.next_tag.val();
            self.barriers.next_after.next = self.word.next_after.val();
            self.barriers.next_kind.next = self.word.next_kind.val();
        }
        self.barriers.state_write.next = self.act.val();
        self.barriers.next_state.next = self.change.next_state.val();
        self.barriers.next_count.next = self.change.next_count.val();
        self.barriers.next_sleepers.next = self.change.next_sleepers.val();
        self.barriers.next_filled.next = self.change.next_filled.val();
        self.bits.read_key.next = self.next_key.val();
        self.bits.read_block.next = self.stage.accept_block.val();
        self.bits.key.next = self.stage.execute_key.val();
        self.bits.thread_block.next = self.stage.execute_block.val();
        self.bits.filled.next = self.barriers.filled.val();
        self.bits.write_enable.next = self.act.val()
            & (self.exiting.val()
                | self.change.counted_any.val()
                | self.change.visited_any.val()
                | self.word.deposits_bits.val());
        self.bits.next_arrived.next = self.answer.arrived_now.val();
        self.bits.next_seen.next = self.answer.seen_now.val();
        if self.word.deposits_bits.val() {
            self.bits.next_arrived.next = self.word.next_arrived.val();
            self.bits.next_seen.next = self.word.next_seen.val();
        }
        if self.exiting.val() {
            self.bits.next_arrived.next = self.bits.arrived.val() & !self.stage.execute_mask.val();
            self.bits.next_seen.next = self.bits.seen.val() & !self.stage.execute_mask.val();
        }
        self.transactions.read_key.next = self.next_key.val();
        self.transactions.write_key.next = self.stage.execute_key.val();
        self.transactions.expect_enable.next = self.code.val() == 9;
        self.transactions.complete_enable.next = self.code.val() == 10;
        self.transactions.parity.next = self.stage.execute_data.val().get_bit(0);
        self.transactions.amount.next = self.stage.execute_data.val().get_bits::<6>(1);
        // A launch or a reset.
        self.transactions.clear_enable.next = self.launching.val() | (self.code.val() == 6);
        self.transactions.write_enable.next = self.act.val();
        self.transactions.phase.next = self.barriers.state.val().get_bit(3);
        self.transactions.deposit_enable.next = self.word.deposits_transactions.val();
        self.transactions.deposit_counts.next = self.stage.execute_data.val().get_bits::<14>(0);
        self.scanner.launched.next = self.ctas.launched_all.val();
        self.scanner.frozen.next = self.frozen.val();
        self.scanner.left_key.next = self.next_key.val();
        self.scanner.write_enable.next = self.change.clock_write.val();
        self.scanner.write_key.next = self.stage.execute_key.val();
        self.scanner.clocked.next = self.change.next_state.val().get_bit(7);
        self.scanner.pending.next = self.change.next_state.val().get_bit(6);
        self.scanner.stamp.next = self.answer.stamp.val();
        self.scanner.timeout.next = self.barriers.configuration.val().get_bits::<16>(23);
        if self.word.deposits_clock.val() {
            self.scanner.clocked.next = self.stage.execute_data.val().get_bit(0);
            self.scanner.pending.next = self.stage.execute_data.val().get_bit(1);
            self.scanner.stamp.next = true;
            self.scanner.timeout.next = self.stage.execute_data.val().get_bits::<16>(16);
        }
        self.scanner.attend_ready.next = self.stage.attend_ready.val();

        // The answer, and what happens in the execute stage.
        self.sleep_mask.next = 0.into();
        self.pass_mask.next = 0.into();
        self.skip_mask.next = 0.into();
        self.wait_mask.next = 0.into();
        if self.act.val() {
            self.sleep_mask.next = self.answer.sleep_mask.val() | self.word.next_asleep.val();
            self.pass_mask.next = self.answer.pass_mask.val();
            self.skip_mask.next = self.answer.skip_mask.val();
            self.wait_mask.next = self.answer.wait_mask.val();
        }
        self.sleep_done.next = self.answer.sleep_done.val() | self.word.next_done.val();
        self.sleep_rescan.next = self.answer.sleep_rescan.val();
        self.sleep_phase.next = self.barriers.state.val().get_bit(3);
        self.refused.next = self.check.refused.val();
        self.error_valid.next = self.check.error_valid.val();
        self.error_cause.next = self.check.error_cause.val();
        self.top.next = self.barriers.tag.val();
        if (self.code.val() == 3) | self.answer.noted.val() {
            self.top.next = self.stage.execute_tag.val();
        }
        self.dynamic_valid.next = self.change.dynamic_valid.val();
        self.dynamic_tag.next = self.top.val();
        self.dynamic_critical.next = self.change.present_kind.val().get_bit(0);
        self.dynamic_exclusive.next = self.change.present_kind.val().get_bit(2);
        self.dynamic_blocking.next = self.change.present_kind.val().get_bit(3);
        self.dynamic_priority.next = self.barriers.configuration.val().get_bits::<2>(44);
        self.dynamic_class.next = self.barriers.configuration.val().get_bits::<2>(46);
        self.release_valid.next = self.change.release_valid.val();
        self.release_phase.next = self.barriers.state.val().get_bit(3);
        self.release_address.next = self.top.val() + 1;
        if self.change.present_kind.val().get_bit(0) {
            self.release_address.next = self.barriers.after.val();
        }
        self.release_done.next = self.change.release_done.val();
        self.reset_valid.next = self.change.reset_valid.val();
        self.idle_valid.next = self.change.idle_valid.val();
        self.timeout_valid.next = self.change.timeout_valid.val();
        self.launched_valid.next = self.act.val() & self.ctas.launch_last.val();
    }
}
