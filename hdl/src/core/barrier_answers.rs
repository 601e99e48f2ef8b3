//! What the barrier scheduler has answered to an instruction, collected over its requests, in threads of the warp.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `accepted`, `asked_*` | in | a request is accepted at this edge, and what its answer will mean |
//! | `response_*` | in | the answer to the request that was accepted at the last edge |
//! | `land_*` | out | an instruction is answered completely: what becomes of its threads |
//! | `again_valid`, `retire_valid`, `ended_slot`, `error_slot` | out | the end of a thread block was refused; it is done; whom the answer is for |
//!
//! **Timing** everything that is shown is combinational in the cycle of the response. **Invariants** 1. sleepers, those who go on behind the bottom and those
//! who present again are disjoint threads of those that issued. 2. an instruction in error never lands, whichever of its requests was wrong: its warp stays where it is.
//! 3. what lands is what the answers to all requests of the instruction said, of the threads that each was about. 4. an end is refused or done by the answer to its request.
//! **Source** SM-07, BR-10, BR-19.

use super::barrier_queue::Origin;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct BarrierAnswers<const WARP_BITS: usize, const THREADS: usize, const BLOCK_THREADS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request is accepted.
            pub accepted: Signal<In, Bit>,
            /// Of a warp 0, a launch 1, an end 2.
            pub asked_origin: Signal<In, Bits<2>>,
            /// Of which warp or slot.
            pub asked_index: Signal<In, Bits<WARP_BITS>>,
            /// It is the first request of an instruction.
            pub asked_first: Signal<In, Bit>,
            /// It is the last one.
            pub asked_last: Signal<In, Bit>,
            /// The instruction is an EXIT.
            pub asked_exit: Signal<In, Bit>,
            /// The warp's first thread is that offset of the block.
            pub asked_up: Signal<In, Bits<6>>,
            /// The block's first thread is that lane of the warp.
            pub asked_down: Signal<In, Bits<6>>,
            /// Threads of the warp that present again if the request is refused.
            pub asked_threads: Signal<In, Bits<THREADS>>,
            /// Threads that present again, whatever the answer.
            pub asked_again: Signal<In, Bits<THREADS>>,
            /// For the block in that slot.
            pub asked_slot: Signal<In, Bits<WARP_BITS>>,
            /// Threads that issued the instruction.
            pub asked_active: Signal<In, Bits<THREADS>>,
            /// The answer to the request before.
            pub response_valid: Signal<In, Bit>,
            /// Threads that sleep now.
            pub response_sleep: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads that go on behind the bottom.
            pub response_skip: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads that present again.
            pub response_wait: Signal<In, Bits<BLOCK_THREADS>>,
            /// It is to be presented again as a whole.
            pub response_refused: Signal<In, Bit>,
            /// It was wrong.
            pub response_error: Signal<In, Bit>,
            /// An instruction is answered.
            pub land_valid: Signal<Out, Bit>,
            /// Whose.
            pub land_warp: Signal<Out, Bits<WARP_BITS>>,
            /// It is an EXIT.
            pub land_exit: Signal<Out, Bit>,
            /// Threads that issued it.
            pub land_active: Signal<Out, Bits<THREADS>>,
            /// Those that sleep.
            pub land_sleep: Signal<Out, Bits<THREADS>>,
            /// Those that go on behind the bottom.
            pub land_skip: Signal<Out, Bits<THREADS>>,
            /// Those that present it again.
            pub land_wait: Signal<Out, Bits<THREADS>>,
            /// The end of a block was refused.
            pub again_valid: Signal<Out, Bit>,
            /// A block is gone.
            pub retire_valid: Signal<Out, Bit>,
            /// Its slot.
            pub ended_slot: Signal<Out, Bits<WARP_BITS>>,
            /// The slot of the request that is answered.
            pub error_slot: Signal<Out, Bits<WARP_BITS>>,
        }
        parts {
            held_origin: Register<Bits<2>>,
            held_index: Register<Bits<WARP_BITS>>,
            held_slot: Register<Bits<WARP_BITS>>,
            held_last: Register<Bit>,
            held_exit: Register<Bit>,
            held_up: Register<Bits<6>>,
            held_down: Register<Bits<6>>,
            held_threads: Register<Bits<THREADS>>,
            held_active: Register<Bits<THREADS>>,
            sleepers: Register<Bits<THREADS>>,
            skippers: Register<Bits<THREADS>>,
            waiters: Register<Bits<THREADS>>,
            failed: Register<Bit>,
            good: Signal<Local, Bit>,
            of_warp: Signal<Local, Bit>,
            of_end: Signal<Local, Bit>,
            sleep: Signal<Local, Bits<THREADS>>,
            skip: Signal<Local, Bits<THREADS>>,
            again: Signal<Local, Bits<THREADS>>,
            origin_warp: Constant<Bits<2>> = Constant::new(bits(Origin::Warp as u64)),
            origin_end: Constant<Bits<2>> = Constant::new(bits(Origin::End as u64)),
        }
    }
}

impl<const WARP_BITS: usize, const THREADS: usize, const BLOCK_THREADS: usize> Logic
    for BarrierAnswers<WARP_BITS, THREADS, BLOCK_THREADS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held_origin, held_index, held_last, held_exit, held_up, held_down, held_threads);
        dff_setup!(self, clock, held_slot, held_active, sleepers, skippers, waiters, failed);
        self.good.next = self.response_valid.val() & !self.response_error.val();
        self.of_warp.next = self.good.val() & (self.held_origin.q.val() == self.origin_warp.val());
        self.of_end.next = self.good.val() & (self.held_origin.q.val() == self.origin_end.val());

        // The answer, with those to the requests before.
        self.sleep.next = self.sleepers.q.val();
        self.skip.next = self.skippers.q.val();
        self.again.next = self.waiters.q.val();
        if self.of_warp.val() {
            self.sleep.next = self.sleepers.q.val()
                | (bit_cast::<THREADS, BLOCK_THREADS>(self.response_sleep.val() >> self.held_up.q.val())
                    << self.held_down.q.val());
            self.skip.next = self.skippers.q.val()
                | (bit_cast::<THREADS, BLOCK_THREADS>(self.response_skip.val() >> self.held_up.q.val())
                    << self.held_down.q.val());
            self.again.next = self.waiters.q.val()
                | (bit_cast::<THREADS, BLOCK_THREADS>(self.response_wait.val() >> self.held_up.q.val())
                    << self.held_down.q.val());
            if self.response_refused.val() {
                self.again.next = self.waiters.q.val() | self.held_threads.q.val();
            }
        }
        self.sleepers.d.next = self.sleep.val();
        self.skippers.d.next = self.skip.val();
        self.waiters.d.next = self.again.val();
        // One request that was wrong is enough, though others follow.
        self.failed.d.next = self.failed.q.val() | (self.response_valid.val() & self.response_error.val());
        if self.accepted.val() {
            self.held_origin.d.next = self.asked_origin.val();
            self.held_index.d.next = self.asked_index.val();
            self.held_slot.d.next = self.asked_slot.val();
            self.held_last.d.next = self.asked_last.val();
            self.held_exit.d.next = self.asked_exit.val();
            self.held_up.d.next = self.asked_up.val();
            self.held_down.d.next = self.asked_down.val();
            self.held_threads.d.next = self.asked_threads.val();
            self.held_active.d.next = self.asked_active.val();
            if self.asked_first.val() {
                self.sleepers.d.next = 0.into();
                self.skippers.d.next = 0.into();
                self.waiters.d.next = self.asked_again.val();
                self.failed.d.next = false;
            }
        }

        self.land_valid.next = self.of_warp.val() & self.held_last.q.val() & !self.failed.q.val();
        self.land_warp.next = self.held_index.q.val();
        self.land_exit.next = self.held_exit.q.val();
        self.land_active.next = self.held_active.q.val();
        self.land_sleep.next = self.sleep.val();
        self.land_skip.next = self.skip.val();
        self.land_wait.next = self.again.val();
        self.again_valid.next = self.of_end.val() & self.response_refused.val();
        self.retire_valid.next = self.of_end.val() & !self.response_refused.val();
        self.ended_slot.next = self.held_index.q.val();
        self.error_slot.next = self.held_slot.q.val();
    }
}
