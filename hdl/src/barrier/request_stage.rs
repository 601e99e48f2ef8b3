//! Chooses what the execute stage does in the next cycle: the next step of a launch or an exit, a timeout, a finished section, or a
//! request, in this order; and holds it there.
//!
//! | port | direction | meaning |
//! | --- | --- | --- |
//! | `request_*` | in, `request_ready` out | requests; ready does not depend on them |
//! | `attend_*` | in, `attend_ready` out | a barrier whose timeout has passed, or whose completion was held off |
//! | `finish_*` | in, `finish_ready` out | a barrier whose section has ended |
//! | `busy` | in | the execution side takes nothing in the next cycle |
//! | `stop` | in | the request in the execute stage has no effect: no further steps |
//! | `accept_*` | out | what is taken at this edge, for tables that are read with it |
//! | `execute_*` | out | what is in the execute stage |
//!
//! **Timing** what is accepted at an edge is in the execute stage in the cycle behind it. A launch or an exit stays there for a
//! cycle a barrier, lowest id first, and nothing comes between.
//! **Invariants** 1. whatever changes the state of a barrier is in the execute stage alone: all of it is in one order.
//! 2. block, threads, addresses and data of the execute stage are those of the last request.
//! **Source** US 9,448,803; BR-14, BR-43.

use crate::prelude::*;

/// In the execute stage: a timeout has passed, or a completion that was held off is tried again.
pub const ATTEND: u64 = 14;
/// In the execute stage: a section has ended.
pub const FINISH: u64 = 15;

block! {
    /// See the module's page.
    pub struct RequestStage<
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const KEY_BITS: usize,
        const ADDRESS_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// What it asks for.
            pub request_operation: Signal<In, Bits<4>>,
            /// Its CTA.
            pub request_cta: Signal<In, Bits<CTA_BITS>>,
            /// Its thread block.
            pub request_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Its barrier.
            pub request_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// Its threads.
            pub request_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Those that participate.
            pub request_participants: Signal<In, Bits<BLOCK_THREADS>>,
            /// Its address.
            pub request_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// The address after the bottom.
            pub request_after: Signal<In, Bits<ADDRESS_BITS>>,
            /// From bit 0 on: critical, ordered, exclusive, blocking, impatient.
            pub request_flags: Signal<In, Bits<5>>,
            /// Its operand.
            pub request_data: Signal<In, Bits<64>>,
            /// A barrier needs attention.
            pub attend_valid: Signal<In, Bit>,
            /// It is taken.
            pub attend_ready: Signal<Out, Bit>,
            /// Which.
            pub attend_key: Signal<In, Bits<KEY_BITS>>,
            /// A section has ended.
            pub finish_valid: Signal<In, Bit>,
            /// This is taken.
            pub finish_ready: Signal<Out, Bit>,
            /// Its barrier.
            pub finish_key: Signal<In, Bits<KEY_BITS>>,
            /// The execution side takes nothing.
            pub busy: Signal<In, Bit>,
            /// The request in the execute stage has no effect.
            pub stop: Signal<In, Bit>,
            /// Something is taken at this edge.
            pub accept_valid: Signal<Out, Bit>,
            /// Its CTA.
            pub accept_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Its barrier.
            pub accept_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// Its thread block.
            pub accept_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// Something is in the execute stage.
            pub execute_valid: Signal<Out, Bit>,
            /// It is a request, in its first cycle.
            pub execute_request: Signal<Out, Bit>,
            /// What it asks for.
            pub execute_operation: Signal<Out, Bits<4>>,
            /// Its CTA.
            pub execute_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Its barrier.
            pub execute_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// {CTA, barrier}.
            pub execute_key: Signal<Out, Bits<KEY_BITS>>,
            /// Its thread block.
            pub execute_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// Its threads.
            pub execute_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Those that participate.
            pub execute_participants: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Its address.
            pub execute_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The address after the bottom.
            pub execute_after: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its flags.
            pub execute_flags: Signal<Out, Bits<5>>,
            /// Its operand.
            pub execute_data: Signal<Out, Bits<64>>,
            /// It is no later step of a launch or an exit.
            pub execute_first: Signal<Out, Bit>,
            /// It has no further step.
            pub execute_last: Signal<Out, Bit>,
        }
        parts {
            full: Register<Bit>,
            first: Register<Bit>,
            request: Register<Bit>,
            operation: Register<Bits<4>>,
            cta: Register<Bits<CTA_BITS>>,
            barrier: Register<Bits<BARRIER_BITS>>,
            thread_block: Register<Bits<BLOCK_BITS>>,
            mask: Register<Bits<BLOCK_THREADS>>,
            participants: Register<Bits<BLOCK_THREADS>>,
            tag: Register<Bits<ADDRESS_BITS>>,
            after: Register<Bits<ADDRESS_BITS>>,
            flags: Register<Bits<5>>,
            data: Register<Bits<64>>,
            stepwise: Signal<Local, Bit>,
            stepping: Signal<Local, Bit>,
            taken: Signal<Local, Bit>,
            key: Signal<Local, Bits<KEY_BITS>>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
            attend: Constant<Bits<4>> = Constant::new(bits(ATTEND)),
            finish: Constant<Bits<4>> = Constant::new(bits(FINISH)),
        }
    }
}

impl<
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const KEY_BITS: usize,
        const ADDRESS_BITS: usize,
    > Logic for RequestStage<CTA_BITS, BARRIER_BITS, BLOCK_BITS, BLOCK_THREADS, KEY_BITS, ADDRESS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            full,
            first,
            request,
            operation,
            cta,
            barrier,
            thread_block,
            mask,
            participants,
            tag,
            after,
            flags,
            data
        );

        // A launch (0) or an exit (5) goes on to the next barrier.
        self.stepwise.next = (self.operation.q.val() == 0) | (self.operation.q.val() == 5);
        self.execute_last.next = !self.stepwise.val() | self.barrier.q.val().all();
        self.stepping.next = self.full.q.val() & !self.execute_last.val() & !self.stop.val();

        self.attend_ready.next = !self.stepping.val() & !self.busy.val();
        self.finish_ready.next = self.attend_ready.val() & !self.attend_valid.val();
        self.request_ready.next = self.finish_ready.val() & !self.finish_valid.val();
        self.taken.next = self.request_ready.val() & self.request_valid.val();

        self.key.next = self.finish_key.val();
        if self.attend_valid.val() {
            self.key.next = self.attend_key.val();
        }
        self.accept_cta.next = bit_cast::<CTA_BITS, KEY_BITS>(self.key.val() >> self.barrier_bits.val());
        self.accept_barrier.next = bit_cast::<BARRIER_BITS, KEY_BITS>(self.key.val());
        self.accept_block.next = self.thread_block.q.val();
        if self.stepping.val() {
            self.accept_cta.next = self.cta.q.val();
            self.accept_barrier.next = self.barrier.q.val() + 1;
        } else if !self.attend_valid.val() & !self.finish_valid.val() {
            self.accept_cta.next = self.request_cta.val();
            self.accept_barrier.next = self.request_barrier.val();
            self.accept_block.next = self.request_block.val();
            // The steps of a launch (0) and an exit (5) begin with barrier 0.
            if (self.request_operation.val() == 0) | (self.request_operation.val() == 5) {
                self.accept_barrier.next = 0.into();
            }
        }
        self.accept_valid.next = self.stepping.val()
            | (self.attend_valid.val() & self.attend_ready.val())
            | (self.finish_valid.val() & self.finish_ready.val())
            | self.taken.val();

        self.full.d.next = self.accept_valid.val();
        self.first.d.next = !self.stepping.val();
        self.request.d.next = self.taken.val();
        self.cta.d.next = self.accept_cta.val();
        self.barrier.d.next = self.accept_barrier.val();
        if !self.stepping.val() {
            self.operation.d.next = self.request_operation.val();
            if self.finish_valid.val() {
                self.operation.d.next = self.finish.val();
            }
            if self.attend_valid.val() {
                self.operation.d.next = self.attend.val();
            }
        }
        if self.taken.val() {
            self.thread_block.d.next = self.request_block.val();
            self.mask.d.next = self.request_mask.val();
            self.participants.d.next = self.request_participants.val() & self.request_mask.val();
            self.tag.d.next = self.request_tag.val();
            self.after.d.next = self.request_after.val();
            self.flags.d.next = self.request_flags.val();
            self.data.d.next = self.request_data.val();
        }

        self.execute_valid.next = self.full.q.val();
        self.execute_request.next = self.request.q.val();
        self.execute_operation.next = self.operation.q.val();
        self.execute_cta.next = self.cta.q.val();
        self.execute_barrier.next = self.barrier.q.val();
        self.execute_key.next = (bit_cast::<KEY_BITS, CTA_BITS>(self.cta.q.val()) << self.barrier_bits.val())
            | bit_cast::<KEY_BITS, BARRIER_BITS>(self.barrier.q.val());
        self.execute_block.next = self.thread_block.q.val();
        self.execute_mask.next = self.mask.q.val();
        self.execute_participants.next = self.participants.q.val();
        self.execute_tag.next = self.tag.q.val();
        self.execute_after.next = self.after.q.val();
        self.execute_flags.next = self.flags.q.val();
        self.execute_data.next = self.data.q.val();
        self.execute_first.next = self.first.q.val();
    }
}
