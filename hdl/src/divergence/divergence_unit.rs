//! Runs control instructions on the warps of a core: which threads of each run now, where, and which wait for what.
//! Divergent paths, regions, calls and yielding threads wait as tokens in the warp's double-ended queue.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `path_policy`, `yield_*`, `stack_mode` | in | configuration, stable while a warp runs |
//! | `launch_*` | in, `launch_ready` out | starts a warp that is not running |
//! | `request_*` | in, `request_ready` out | one instruction of a running warp, one a cycle |
//! | `query_*` | in / out | address, active threads and disabled threads of a warp, in the same cycle |
//! | `warp_ready`, `warp_running` | out | a bit a warp: it may issue; it has neither halted nor been stopped |
//! | `done_*`, `error_*` | out | strobes: a warp halted; a warp was stopped |
//! | `event_*` | out | strobes for counters |
//! | `saved_*` | out | a token that leaves for a saved context; the end of them |
//! | `launch_resumes`, `launch_yields`, `query_yields` | in, in, out | a warp's yield state, saved and restored |
//! | `exception_*`, `handler_*`, `window_*`, `queue_*`, `spill_*`, `memory_*` | | those of `token_deque` |
//!
//! **Timing** a step, a push, a uniform branch or call and an exit or sleep with survivors free their warp for the next cycle. At most, a mixed branch
//! stalls it for 2 cycles, a YIELD, explicit or implicit, for 1 + the yield tokens of its queue, SYNC and its like for 1 + the tokens scanned, an
//! unwind for 1 + the tokens discarded; sums when combined. Multi-cycle work is done by one sequencer; instructions of other warps that need it, or
//! the port it writes through in that cycle, wait (`request_ready`). `request_ready` depends on the request's warp, operation and mask.
//! After reset the tables are swept, 16 cycles a warp, before the first launch is taken. A wake needs the sequencer for 1 cycle, 2 + the yield
//! tokens if there are any, and is taken from any running warp, ready or not, as soon as the sequencer is free.
//! To save a warp (CX-09), read its address, active and disabled threads and yield state at the query ports, then withdraw until
//! `saved_last`: a token every 2 cycles, front first, more if it comes from memory. To restore it, in any slot, launch all its live threads,
//! disable them as they were and deposit the tokens, the last one saved first. A warp that is parked sleeps instead.
//! **Invariants** 1. the active threads, the disabled ones and the exited ones of a warp are disjoint and together its launch mask. 2. a token is
//! discarded only by an unwind that finds none of its threads waiting for it. 3. a warp that may issue has an active thread; it halts only if every thread
//! exited; if all that have not are asleep it is parked; else it is stopped with an error. 4. who is active has the address to which its last instruction
//! or token has sent it. 5. what a region, a call or a saved token pushes is in the queue before the warp issues again; what the queue is asked stands
//! still until it is done. 6. who runs later or yields is disabled as a token with it and its address is pushed; a thread becomes active by a token that
//! is popped and that it waits for, and by nothing else.
//! **Source** US 9,459,876, "YIELD" and the method of pushing and popping tokens; DQ-20 to DQ-32, which
//! tell where and why this unit departs from it. SM-07 for sleep and wake. CX-09 for withdraw, deposit and disable. **See also** the reference model `divergence_unit` of the simulator.

use super::held_threads::HeldThreads;
use super::reason_table::ReasonTable;
use super::request_decoder::RequestDecoder;
use super::token::Kind;
use super::token_deque::TokenDeque;
use super::unit_sequencer::UnitSequencer;
use super::unwind_verdict::UnwindVerdict;
use super::warp_state::WarpState;
use crate::prelude::*;

block! {
    /// Parameters as for `token_deque`; see the module's page.
    pub struct DivergenceUnit<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const POINTER_BITS: usize, const ENTRY_BITS: usize, const TOKEN_BITS: usize, const KEY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Which side of a diverging branch runs first: taken 0, not taken 1, smaller 2, larger 3.
            pub path_policy: Signal<In, Bits<2>>,
            /// When a YIELD yields: always 0, every Nth 1, at random 2.
            pub yield_policy: Signal<In, Bits<2>>,
            /// N (0 means 256), or the threshold in 1/256.
            pub yield_parameter: Signal<In, Bits<8>>,
            /// Seed of each warp's generator (0 stands for 1).
            pub yield_seed: Signal<In, Bits<16>>,
            /// Plain convergence stack: YIELD does nothing.
            pub stack_mode: Signal<In, Bit>,
            /// The warp that is launched was saved: it goes on with the yield state that it had.
            pub launch_resumes: Signal<In, Bit>,
            /// That.
            pub launch_yields: Signal<In, Bits<16>>,
            /// The yield state of the warp looked at: YIELDs counted, or its generator.
            pub query_yields: Signal<Out, Bits<16>>,
            /// A token leaves for a saved context.
            pub saved_valid: Signal<Out, Bit>,
            /// No token was left: the warp no longer runs.
            pub saved_last: Signal<Out, Bit>,
            /// Whose.
            pub saved_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The token's kind.
            pub saved_kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub saved_mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub saved_address: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        shared { engine_ports, queue_ports }
        parts {
            #[reads_back(operation_warp)]
            queue: TokenDeque<
                WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, TOKEN_BITS, KEY_BITS,
            >,
            decoder: RequestDecoder,
            #[reads_back(others_any)]
            sequencer: UnitSequencer<WARPS, WARP_BITS>,
            #[reads_back(keep)]
            warps: WarpState<WARP_BITS, THREADS, ADDRESS_BITS>,
            reasons: ReasonTable<WARP_BITS, THREADS, KEY_BITS>,
            hand: HeldThreads<THREADS, ADDRESS_BITS>,
            verdict: UnwindVerdict<THREADS>,
            request: Signal<Local, Bit>,
            accepted: Signal<Local, Bit>,
            others_pass: Signal<Local, Bit>,
            goes_through: Signal<Local, Bit>,
            launched: Signal<Local, Bit>,
            resetting: Signal<Local, Bit>,
            #[reads(early)]
            sequencer_writes: Signal<Local, Bit>,
            pushed: Signal<Local, Bits<THREADS>>,
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const POINTER_BITS: usize,
        const ENTRY_BITS: usize,
        const TOKEN_BITS: usize,
        const KEY_BITS: usize,
    > Logic
    for DivergenceUnit<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, TOKEN_BITS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue, sequencer, warps, reasons, hand);
        self.queue.reset.next = self.reset.val();
        self.hand.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();

        // What the request does to the threads that it names.
        self.decoder.operation.next = self.request_operation.val();
        self.decoder.stack_mode.next = self.stack_mode.val();
        self.decoder.none.next = self.warps.none.val();
        self.decoder.all.next = self.warps.all.val();
        self.decoder.everyone.next = self.warps.everyone.val();
        self.decoder.fires.next = self.warps.fires.val();
        self.warps.request_warp.next = self.request_warp.val();
        self.warps.request_mask.next = self.request_mask.val();
        self.warps.request_target.next = self.request_target.val();
        self.warps.request_wakes.next = self.decoder.wake.val();
        self.warps.asleep.next = self.reasons.waiting.val();
        self.warps.yield_policy.next = self.yield_policy.val();
        self.warps.yield_parameter.next = self.yield_parameter.val();
        self.warps.yield_seed.next = self.yield_seed.val();

        // Acceptance: while the sequencer holds a warp, others pass it if they need neither it nor its write port.
        self.request.next = self.request_valid.val()
            & self.sequencer.running.val().get_bit(self.request_warp.val())
            & (self.decoder.wake.val()
                | self.decoder.withdraw.val()
                | !self.sequencer.parked.val().get_bit(self.request_warp.val()))
            & !(self.sequencer.idle.val() & self.launch_valid.val());
        self.others_pass.next =
            (self.request_warp.val() != self.sequencer.held_warp.val()) & !self.sequencer_writes.val();
        self.goes_through.next = !self.decoder.pushes.val() | self.queue.push_ready.val();
        self.accepted.next = self.request.val()
            & (self.sequencer.idle.val()
                | (self.others_pass.val() & !self.decoder.sequenced.val() & self.goes_through.val()));
        self.request_ready.next = self.accepted.val();
        self.warps.removes.next = self.accepted.val() & self.decoder.removes.val();
        self.warps.exits.next = self.accepted.val() & self.decoder.exit.val();
        self.warps.counts.next = self.accepted.val() & self.decoder.counts.val();
        self.warps.advances.next = self.accepted.val() & self.decoder.advances.val() & self.goes_through.val();
        self.warps.jumps.next = self.decoder.jumps.val();

        // The push port takes what needs one cycle; a push that meets the window's end goes through the sequencer.
        self.queue.push_valid.next =
            self.request.val() & self.decoder.pushes.val() & (self.sequencer.idle.val() | self.others_pass.val());
        self.queue.push_warp.next = self.request_warp.val();
        self.pushed.next = self.warps.request_active.val();
        if self.decoder.deposit.val() {
            self.pushed.next = self.request_mask.val();
        }
        self.queue.push_mask.next = self.pushed.val();
        self.queue.push_kind.next = self.request_kind.val();
        self.queue.push_address.next = self.request_target.val();
        if self.decoder.call.val() {
            self.queue.push_kind.next = self.kind_call.val();
            self.queue.push_address.next = self.warps.request_next.val();
        }

        // A launch writes the warp's state at once, and is done when queue and reasons are cleared. So does, with whatever
        // is at the port, the sweep after reset, when nothing runs yet: afterwards every table has a defined value.
        self.resetting.next = self.sequencer.idle.val() & self.queue.sweep_enable.val();
        self.launch_ready.next = self.sequencer.idle.val()
            & !self.queue.sweep_enable.val()
            & !self.sequencer.running.val().get_bit(self.launch_warp.val());
        self.launched.next = self.launch_ready.val() & self.launch_valid.val();
        self.warps.install.next = self.launched.val() | self.resetting.val();
        self.warps.install_warp.next = self.launch_warp.val();
        if self.resetting.val() {
            self.warps.install_warp.next = bit_cast::<WARP_BITS, KEY_BITS>(self.queue.sweep_key.val() >> 4);
        }
        self.warps.install_mask.next = self.launch_mask.val();
        self.warps.install_address.next = self.launch_address.val();
        self.warps.install_resumes.next = self.launch_resumes.val();
        self.warps.install_yields.next = self.launch_yields.val();

        // The sequencer.
        self.sequencer.request.next = self.request.val();
        self.sequencer.accepted.next = self.accepted.val();
        self.sequencer.request_warp.next = self.request_warp.val();
        self.sequencer.request_kind.next = self.request_kind.val();
        self.sequencer.request_targeted.next = self.request_targeted.val();
        self.sequencer.request_again.next = self.request_again.val();
        self.sequencer.request_none.next = self.warps.none.val();
        self.sequencer.request_all.next = self.warps.all.val();
        self.sequencer.request_call.next = self.decoder.call.val();
        self.sequencer.request_branch.next = self.decoder.branch.val();
        self.sequencer.request_indirect.next = self.decoder.indirect.val();
        self.sequencer.request_yielding.next = self.decoder.yielding.val();
        self.sequencer.request_leave.next = self.decoder.leave.val();
        self.sequencer.request_wake.next = self.decoder.wake.val();
        self.sequencer.request_withdraw.next = self.decoder.withdraw.val();
        self.sequencer.request_deposit.next = self.decoder.deposit.val();
        self.sequencer.request_mixed.next = self.decoder.mixed.val();
        self.sequencer.request_seeks.next = self.decoder.seeks.val();
        self.sequencer.request_yields.next = self.decoder.yields.val();
        self.sequencer.request_unwinds.next = self.decoder.unwinds.val();
        self.sequencer.request_waits.next = self.decoder.pushes.val() & !self.queue.push_ready.val();
        self.sequencer.launched.next = self.launched.val();
        self.sequencer.launch_warp.next = self.launch_warp.val();
        self.sequencer.launch_any.next = self.launch_mask.val().any();
        self.sequencer.queue_ready.next = self.queue.operation_ready.val();
        self.sequencer.queue_failed.next = self.queue.operation_failed.val();
        self.sequencer.queue_found.next = self.queue.operation_found.val();
        self.sequencer.choice.next = self.hand.taken_first.val();
        self.sequencer.others_any.next = self.hand.others_any.val();
        self.sequencer.associated.next = self.verdict.associated.val() | self.verdict.saved.val();
        self.sequencer.queue_ended.next = self.verdict.ended.val();
        self.sequencer.parks.next = self.verdict.parks.val();

        // The threads in hand: those that go to the token. Of a branch first the ones that take it; of a call or an
        // indirect branch at once the others; of a leave those that wait for no token and yield to the address.
        self.hand.policy.next = self.path_policy.val();
        self.hand.capture.next = self.sequencer.idle.val();
        self.hand.target.next = self.request_target.val();
        self.hand.named.next = self.warps.named.val();
        self.hand.unnamed.next = self.warps.unnamed.val();
        self.hand.active.next = self.pushed.val();
        self.hand.takes_unnamed.next = self.decoder.indirect.val() | self.decoder.call.val();
        self.hand.takes_active.next = self.decoder.pushes.val();
        self.hand.swap.next = (self.sequencer.decides.val() & self.hand.taken_first.val())
            | (self.sequencer.defers.val() & self.sequencer.done.val());
        self.hand.rest.next = self.warps.held_rest.val();
        self.hand.leave.next = self.sequencer.finds.val() & self.sequencer.done.val();
        self.hand.token_mask.next = self.queue.response_mask.val();
        self.hand.token_address.next = self.queue.response_address.val();
        self.hand.token_found.next = self.queue.operation_found.val();
        self.hand.targeted.next = self.sequencer.held_targeted.val();
        self.hand.waiting.next = self.reasons.waiting.val();

        // An unwind: what becomes of the token just popped, and of the warp if there was none.
        self.verdict.unwinding.next = self.sequencer.unwinding.val();
        self.verdict.withdraws.next = self.sequencer.held_withdraw.val();
        self.verdict.answered.next = self.queue.response_valid.val();
        self.verdict.code.next = self.queue.response_code.val();
        self.verdict.found.next = self.queue.response_found.val();
        self.verdict.waited.next = self.hand.revived_any.val();
        self.verdict.live.next = self.warps.held_live.val();
        self.verdict.asleep.next = self.reasons.waiting.val();
        self.verdict.stopped.next = self.sequencer.stopped.val();
        self.verdict.lost.next = self.sequencer.lost.val();

        // Reasons: those who wait, fall asleep or yield get one; those who are revived or woken lose it.
        self.reasons.warp.next = self.sequencer.held_warp.val();
        self.reasons.kind.next = self.sequencer.held_kind.val();
        self.reasons.threads.next = self.hand.held.val();
        self.reasons.add_enable.next = self.warps.keep.val();
        self.reasons.remove_enable.next = self.verdict.associated.val();
        if self.sequencer.finds.val() {
            self.reasons.threads.next = self.hand.waiters.val();
        }
        if self.sequencer.unwinding.val() {
            self.reasons.kind.next = self.queue.response_kind.val();
            self.reasons.threads.next = self.queue.response_mask.val();
            if !self.queue.response_found.val() {
                self.reasons.kind.next = self.kind_barrier.val();
            }
        }
        if self.sequencer.idle.val() {
            self.reasons.warp.next = self.request_warp.val();
            self.reasons.kind.next = self.kind_barrier.val();
            if self.decoder.disables.val() {
                self.reasons.kind.next = self.request_kind.val();
            }
            self.reasons.threads.next = self.warps.named.val();
            self.reasons.add_enable.next =
                self.accepted.val() & (self.decoder.sleep.val() | self.decoder.disables.val());
            self.reasons.remove_enable.next = self.accepted.val() & self.decoder.wake.val();
        }
        self.reasons.clear_enable.next = self.queue.sweep_enable.val();
        self.reasons.clear_key.next = self.queue.sweep_key.val();

        // The state of the warp that the sequencer holds.
        self.sequencer_writes.next =
            self.verdict.popped.val() | (!self.sequencer.idle.val() & self.queue.operation_ready.val());
        self.warps.held_warp.next = self.sequencer.held_warp.val();
        self.warps.held_mask.next = self.hand.held.val();
        self.warps.held_target.next = self.hand.held_target.val();
        self.warps.held_writes.next = self.sequencer_writes.val();
        self.warps.keep.next = (self.sequencer.defers.val() | self.sequencer.finds.val() | self.sequencer.backs.val())
            & self.sequencer.done.val()
            & !self.sequencer.found_error.val();
        self.warps.to_target.next = (self.sequencer.defers.val() & self.sequencer.held_taken_first.val())
            | (self.sequencer.places.val() & self.sequencer.held_call.val());
        self.warps.step.next = self.sequencer.done.val()
            & ((self.sequencer.places.val() & !self.sequencer.held_stays.val())
                | (self.sequencer.defers.val() & !self.sequencer.held_call.val())
                | (((self.sequencer.finds.val() & !self.sequencer.others_any.val()) | self.sequencer.backs.val())
                    & self.sequencer.held_survivors.val()
                    & !self.sequencer.held_stays.val()));
        self.warps.revive.next = self.verdict.associated.val();
        self.warps.revived.next = self.hand.revived.val();
        self.warps.revived_address.next = self.queue.response_address.val();

        // What the queue is asked.
        self.queue.operation_valid.next = self.sequencer.operation_valid.val();
        self.queue.operation_announce.next = self.sequencer.operation_announce.val();
        self.queue.operation_code.next = self.sequencer.operation_code.val();
        self.queue.operation_warp.next = self.sequencer.held_warp.val();
        self.queue.operation_kind.next = self.sequencer.held_kind.val();
        if self.sequencer.idle.val() {
            self.queue.operation_warp.next = self.request_warp.val();
            self.queue.operation_kind.next = self.request_kind.val();
        }
        self.queue.operation_mask.next = self.hand.held.val();
        self.queue.operation_address.next = self.hand.held_target.val();
        if (self.sequencer.defers.val() & self.sequencer.held_taken_first.val())
            | (self.sequencer.places.val() & self.sequencer.held_call.val())
            | (self.sequencer.backs.val() & self.sequencer.held_yield.val())
        {
            self.queue.operation_address.next = self.warps.held_next.val();
        }
        if self.sequencer.defers.val() & self.sequencer.held_indirect.val() {
            self.queue.operation_address.next = self.warps.held_address.val();
        }

        // What the world sees.
        self.warps.query_warp.next = self.query_warp.val();
        self.reasons.query_warp.next = self.query_warp.val();
        self.reasons.query_kind.next = self.query_kind.val();
        self.query_address.next = self.warps.query_address.val();
        self.query_active.next = self.warps.query_active.val();
        self.query_disabled.next = self.reasons.query_waiting.val();
        self.warp_running.next = self.sequencer.running.val();
        self.warp_ready.next = self.sequencer.ready.val();
        self.done_valid.next = self.verdict.halts.val();
        self.done_warp.next = self.sequencer.held_warp.val();
        self.saved_last.next = self.verdict.emptied.val();
        self.error_valid.next = self.verdict.error.val();
        self.error_cause.next = self.verdict.cause.val();
        self.error_warp.next = self.sequencer.held_warp.val();
        self.error_address.next = self.warps.held_address.val();
        self.event_push.next = self.queue.token_entered.val();
        self.event_push_warp.next = self.queue.token_entered_warp.val();
        self.event_pop.next = self.queue.token_left.val();
        self.event_pop_warp.next = self.queue.operation_warp.val();
        self.event_diverge.next = self.sequencer.defers.val() & self.sequencer.done.val();
        self.event_yield.next = self.sequencer.backs.val() & self.sequencer.done.val();
        self.event_merge.next = self.queue.response_valid.val() & self.queue.response_merged.val();
        self.event_discard.next = self.verdict.discarded.val();

        self.query_yields.next = self.warps.query_yields.val();
        self.saved_valid.next = self.verdict.saved.val();
        self.saved_warp.next = self.sequencer.held_warp.val();
        self.saved_kind.next = self.queue.response_kind.val();
        self.saved_mask.next = self.queue.response_mask.val();
        self.saved_address.next = self.queue.response_address.val();

        // The queue's ports to memory and to a software handler go straight through.
        self.exception_valid.next = self.queue.exception_valid.val();
        self.exception_cause.next = self.queue.exception_cause.val();
        self.exception_warp.next = self.queue.exception_warp.val();
        self.queue.handler_software.next = self.handler_software.val();
        self.queue.handler_done.next = self.handler_done.val();
        self.queue.handler_pointer_write.next = self.handler_pointer_write.val();
        self.queue.handler_head.next = self.handler_head.val();
        self.queue.handler_tail.next = self.handler_tail.val();
        self.queue.handler_spill_first.next = self.handler_spill_first.val();
        self.queue.handler_spill_end.next = self.handler_spill_end.val();
        self.queue.handler_spill_count.next = self.handler_spill_count.val();
        self.queue.window_write.next = self.window_write.val();
        self.queue.window_index.next = self.window_index.val();
        self.queue.window_data.next = self.window_data.val();
        self.window_read_data.next = self.queue.window_read_data.val();
        self.queue_head.next = self.queue.queue_head.val();
        self.queue_tail.next = self.queue.queue_tail.val();
        self.spill_first.next = self.queue.spill_first.val();
        self.spill_end.next = self.queue.spill_end.val();
        self.spill_count.next = self.queue.spill_count.val();
        self.queue.spill_base.next = self.spill_base.val();
        self.queue.spill_limit.next = self.spill_limit.val();
        self.memory_request_valid.next = self.queue.memory_request_valid.val();
        self.queue.memory_request_ready.next = self.memory_request_ready.val();
        self.memory_request_write.next = self.queue.memory_request_write.val();
        self.memory_request_address.next = self.queue.memory_request_address.val();
        self.memory_request_data.next = self.queue.memory_request_data.val();
        self.queue.memory_response_valid.next = self.memory_response_valid.val();
        self.memory_response_ready.next = self.queue.memory_response_ready.val();
        self.queue.memory_response_data.next = self.memory_response_data.val();
    }
}
