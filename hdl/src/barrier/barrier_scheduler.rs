//! Schedules barriers and critical sections in hardware: one request a cycle, an answer in the next, wake-ups when their time has come.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `request_*` | in | | an operation ([`BarrierOperation`](super::operation::BarrierOperation)) of threads of one block of one CTA |
//! | `response_*` | out | | what becomes of these threads, in the cycle after acceptance |
//! | `error_*` | out | | why a request had no effect, with its response |
//! | `release_*` | out | | a phase of a barrier has ended |
//! | `wake_*` | out | | threads of one block to be woken; held until taken |
//! | `dynamic_*`, `handed_*`, `idle_*`, `timeout_*`, `launched_*` | out | | strobes for observers |
//! | `late_join_all`, `exclusive_inside`, `class_conflicts`, `reserved_slots` | in | | static choices |

use crate::prelude::*;

block! {
    /// See the module's page.
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
        const ADDRESS_BITS: usize,
        const KEY_BITS: usize,
        const FIFO_COUNT_BITS: usize,
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
        const ADDRESS_BITS: usize,
        const KEY_BITS: usize,
        const FIFO_COUNT_BITS: usize,
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
        ADDRESS_BITS,
        KEY_BITS,
        FIFO_COUNT_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        // The ports only, until the parts are joined.
        self.request_ready.next = false;
        self.response_valid.next = false;
    }
}
