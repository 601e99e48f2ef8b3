//! The arrival side of the barrier system: takes the requests, keeps the state of every barrier, answers each thread, and says
//! when a barrier is complete, turns dynamic or idle.

use super::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// See the module's page.
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
            /// The execution side can take a request into the execute stage of the next cycle.
            pub execution_ready: Signal<In, Bit>,
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
            /// The execution side finds the request in error, or refuses it: it has no effect.
            pub execute_denied: Signal<In, Bit>,
            /// Wake-ups of an earlier phase of this barrier are still to be delivered.
            pub release_busy: Signal<In, Bit>,
            /// A thread has joined since the section's last pass: the finish has no effect.
            pub finish_cancel: Signal<In, Bit>,
            /// Threads that fall asleep in the barrier.
            pub sleep_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// They are done already.
            pub sleep_done: Signal<Out, Bit>,
            /// The phase whose end they wait for.
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
            /// Address after its bottom.
            pub dynamic_after: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub dynamic_critical: Signal<Out, Bit>,
            /// Its participants run in logical order.
            pub dynamic_ordered: Signal<Out, Bit>,
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
            stub: Constant<Bits<BARRIERS>> = Constant::new(bits(0)),
            stub_ctas: Constant<Bits<CTAS>> = Constant::new(bits(0)),
            stub_blocks: Constant<Bits<BLOCKS>> = Constant::new(bits(0)),
            stub_rows: Constant<Bits<ROW_BITS>> = Constant::new(bits(0)),
            stub_count: Constant<Bits<COUNT_BITS>> = Constant::new(bits(0)),
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
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        self.request_ready.next = false;
        self.finish_ready.next = false;
        self.accept_valid.next = false;
        self.accept_cta.next = self.request_cta.val();
        self.accept_barrier.next = self.request_barrier.val();
        self.accept_block.next = self.request_block.val();
        self.execute_valid.next = false;
        self.execute_request.next = false;
        self.execute_operation.next = self.request_operation.val();
        self.execute_cta.next = self.request_cta.val();
        self.execute_block.next = self.request_block.val();
        self.execute_barrier.next = self.request_barrier.val();
        self.execute_key.next = self.finish_key.val();
        self.execute_mask.next = self.request_mask.val();
        self.execute_tag.next = self.request_tag.val();
        self.execute_data.next = self.request_data.val();
        self.execute_first.next = true;
        self.execute_last.next = true;
        self.sleep_mask.next = 0.into();
        self.sleep_done.next = false;
        self.sleep_phase.next = false;
        self.sleep_rescan.next = false;
        self.pass_mask.next = 0.into();
        self.skip_mask.next = 0.into();
        self.wait_mask.next = 0.into();
        self.refused.next = false;
        self.error_valid.next = false;
        self.error_cause.next = 0.into();
        self.dynamic_valid.next = false;
        self.dynamic_tag.next = self.request_tag.val();
        self.dynamic_after.next = self.request_after.val();
        self.dynamic_critical.next = self.request_critical.val();
        self.dynamic_ordered.next = self.request_ordered.val();
        self.dynamic_exclusive.next = self.request_exclusive.val();
        self.dynamic_blocking.next = self.request_blocking.val();
        self.dynamic_priority.next = 0.into();
        self.dynamic_class.next = 0.into();
        self.release_valid.next = false;
        self.release_phase.next = false;
        self.release_address.next = self.request_tag.val();
        self.release_done.next = false;
        self.reset_valid.next = false;
        self.idle_valid.next = false;
        self.timeout_valid.next = false;
        self.launched_valid.next = false;
    }
}
