//! What the divergence engine is offered in a cycle: what it has refused before, or threads that wake, or what the chosen warp has to do; and the
//! instruction of that warp, fetched, decoded and seen by the lanes in the same cycle.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `warp_ready`, `warp_held`, `fetch_filled` | in | warps that the engine lets issue; that must not; whose instruction has come |
//! | `launched*`, `greedy` | in | as at the warp scheduler |
//! | `query_warp`, `query_address`, `query_active` | out, in | the warp looked at; where it stands, who runs |
//! | `fetch_*` | out, in | its instruction, in the same cycle, unless it is missing |
//! | `lane_*` | out, in | the lanes' view of the instruction, and what becomes of it |
//! | `step_*` | out, in | warps that have a step to do, and the step of `query_warp` |
//! | `wake_*` | in, out | threads that wake; they are taken when they are first offered |
//! | `context_*` | in, `taken` out | a part of a warp that is saved or restored: what the engine is to be offered, as long as it is there |
//! | `offer_*` | out, in | the request at the engine's port |
//! | `offer_waits` | out | the engine refused an offer before: it comes again |
//! | `quiet` | in | nothing is offered in this cycle |
//!
//! **Timing** everything is combinational; an offer that is refused stays, unchanged, until it is accepted. A warp whose instruction is
//! missing loses its turn, and is out of the race until the cycle behind its `fetch_filled`.
//! **Invariants** 1. at most one of: an offer, an instruction for the barrier scheduler. 2. wake-ups go before parts of warps, and those before
//! instructions, steps with those of their warp's turn. 3. an offer that was refused is the next one, except a part of a warp. 4. nothing is
//! offered, presented or taken while it has to be quiet. 5. a warp whose instruction is missing is not looked at until it has come.
//! **Source** SM-02, SM-07.

use super::instruction_decoder::InstructionDecoder;
use super::warp_scheduler::WarpScheduler;
use crate::divergence::token::Operation;
use crate::prelude::*;

/// What an offer is: the code of `offer_origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// An instruction.
    Instruction = 0,
    /// A part of the barrier scheduler's answer to one.
    Step = 1,
    /// Threads that wake.
    Wake = 2,
    /// A part of a warp that is saved or restored.
    Context = 3,
}

block! {
    /// See the module's page.
    pub struct IssueStage<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const PRIORITY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Greedy then oldest, instead of by turns.
            pub greedy: Signal<In, Bit>,
            /// The barrier scheduler runs barrier forms, and sees exits first.
            pub barriers_enable: Signal<In, Bit>,
            /// Nothing is offered.
            pub quiet: Signal<In, Bit>,
            /// A warp is launched.
            pub launched: Signal<In, Bit>,
            /// Which.
            pub launched_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its priority.
            pub launched_priority: Signal<In, Bits<PRIORITY_BITS>>,
            /// Warps that the engine lets issue.
            pub warp_ready: Signal<In, Bits<WARPS>>,
            /// Warps that must not.
            pub warp_held: Signal<In, Bits<WARPS>>,
            /// The warp looked at.
            pub query_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Its address.
            pub query_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its active threads.
            pub query_active: Signal<In, Bits<THREADS>>,
            /// An instruction is looked for.
            pub fetch_valid: Signal<Out, Bit>,
            /// That.
            pub fetch_word: Signal<In, Bits<64>>,
            /// It is there.
            pub fetch_hit: Signal<In, Bit>,
            /// Warps whose missing instruction has come.
            pub fetch_filled: Signal<In, Bits<WARPS>>,
            /// The lanes look at an instruction.
            pub lane_valid: Signal<Out, Bit>,
            /// Threads in which its guard holds.
            pub lane_named: Signal<In, Bits<THREADS>>,
            /// Threads that go to the address of a register with the first of them.
            pub lane_agreeing: Signal<In, Bits<THREADS>>,
            /// That address.
            pub lane_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// The lanes do it.
            pub lane_issue: Signal<Out, Bit>,
            /// The barrier scheduler is asked first.
            pub lane_present: Signal<Out, Bit>,
            /// It is a barrier form, and there is no barrier scheduler.
            pub lane_illegal: Signal<Out, Bit>,
            /// It is EXIT without an address.
            pub plain_exit: Signal<Out, Bit>,
            /// Warps that have a step to do.
            pub step_waiting: Signal<In, Bits<WARPS>>,
            /// What the step of the warp looked at does.
            pub step_operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub step_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub step_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub step_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// It has one.
            pub step_targeted: Signal<In, Bit>,
            /// Further steps follow.
            pub step_again: Signal<In, Bit>,
            /// It is accepted.
            pub step_taken: Signal<Out, Bit>,
            /// Threads wake.
            pub wake_valid: Signal<In, Bit>,
            /// Whose.
            pub wake_warp: Signal<In, Bits<WARP_BITS>>,
            /// Which.
            pub wake_mask: Signal<In, Bits<THREADS>>,
            /// Where they go on.
            pub wake_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// They are taken.
            pub wake_taken: Signal<Out, Bit>,
            /// A part of a warp is to be offered.
            pub context_valid: Signal<In, Bit>,
            /// Whose.
            pub context_warp: Signal<In, Bits<WARP_BITS>>,
            /// What it does.
            pub context_operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub context_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub context_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub context_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// It is accepted.
            pub context_taken: Signal<Out, Bit>,
            /// The engine refused an offer before.
            pub offer_waits: Signal<Out, Bit>,
            /// The engine is offered something.
            pub offer_valid: Signal<Out, Bit>,
            /// It accepts.
            pub offer_ready: Signal<In, Bit>,
            /// Instruction 0, step 1, wake-up 2, part of a warp 3.
            pub offer_origin: Signal<Out, Bits<2>>,
            /// Whose.
            pub offer_warp: Signal<Out, Bits<WARP_BITS>>,
            /// What it does.
            pub offer_operation: Signal<Out, Bits<4>>,
            /// Kind of token.
            pub offer_kind: Signal<Out, Bits<4>>,
            /// Threads that it names.
            pub offer_mask: Signal<Out, Bits<THREADS>>,
            /// Its address operand.
            pub offer_target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub offer_targeted: Signal<Out, Bit>,
            /// Further groups follow.
            pub offer_again: Signal<Out, Bit>,
        }
        parts {
            scheduler: WarpScheduler<WARPS, WARP_BITS, PRIORITY_BITS>,
            decoder: InstructionDecoder<THREADS, ADDRESS_BITS>,
            refused: Register<Bit>,
            refused_origin: Register<Bits<2>>,
            refused_warp: Register<Bits<WARP_BITS>>,
            held_mask: Register<Bits<THREADS>>,
            held_target: Register<Bits<ADDRESS_BITS>>,
            missing: Register<Bits<WARPS>>,
            picks: Signal<Local, Bit>,
            again: Signal<Local, Bit>,
            warp: Signal<Local, Bits<WARP_BITS>>,
            waking: Signal<Local, Bit>,
            stepping: Signal<Local, Bit>,
            contexting: Signal<Local, Bit>,
            concerns: Signal<Local, Bit>,
            missed: Signal<Local, Bits<WARPS>>,
            accepted: Signal<Local, Bit>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            origin_instruction: Constant<Bits<2>> = Constant::new(bits(Origin::Instruction as u64)),
            origin_step: Constant<Bits<2>> = Constant::new(bits(Origin::Step as u64)),
            origin_wake: Constant<Bits<2>> = Constant::new(bits(Origin::Wake as u64)),
            origin_context: Constant<Bits<2>> = Constant::new(bits(Origin::Context as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const PRIORITY_BITS: usize,
    > Logic for IssueStage<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, PRIORITY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, refused, refused_origin, refused_warp, held_mask, held_target, missing);
        clock!(self, clock, scheduler);
        self.scheduler.reset.next = self.reset.val();
        self.scheduler.greedy.next = self.greedy.val();
        self.scheduler.launched.next = self.launched.val();
        self.scheduler.launched_warp.next = self.launched_warp.val();
        self.scheduler.launched_priority.next = self.launched_priority.val();
        self.scheduler.racing.next = self.warp_ready.val() & !self.warp_held.val() & !self.missing.q.val();

        // Whose turn it is: what was refused goes first, then threads that wake, then the chosen warp.
        self.again.next = self.refused.q.val() & !self.quiet.val();
        self.offer_waits.next = self.refused.q.val();
        self.contexting.next =
            !self.refused.q.val() & !self.quiet.val() & !self.wake_valid.val() & self.context_valid.val();
        self.picks.next = !self.refused.q.val()
            & !self.quiet.val()
            & !self.wake_valid.val()
            & !self.context_valid.val()
            & self.scheduler.found.val();
        self.wake_taken.next = !self.refused.q.val() & !self.quiet.val() & self.wake_valid.val();
        self.warp.next = self.scheduler.warp.val();
        if self.contexting.val() {
            self.warp.next = self.context_warp.val();
        }
        if self.refused.q.val() {
            self.warp.next = self.refused_warp.q.val();
        }
        self.query_warp.next = self.warp.val();
        self.waking.next =
            self.wake_taken.val() | (self.again.val() & (self.refused_origin.q.val() == self.origin_wake.val()));
        self.stepping.next = (self.picks.val() & self.step_waiting.val().get_bit(self.warp.val()))
            | (self.again.val() & (self.refused_origin.q.val() == self.origin_step.val()));
        self.fetch_valid.next = (self.picks.val() & !self.step_waiting.val().get_bit(self.warp.val()))
            | (self.again.val() & (self.refused_origin.q.val() == self.origin_instruction.val()));

        // A warp whose instruction is missing is out of the race until it has come.
        self.missed.next = self.none.val();
        if self.fetch_valid.val() & !self.fetch_hit.val() {
            self.missed.next = self.one.val() << self.warp.val();
        }
        self.missing.d.next = (self.missing.q.val() & !self.fetch_filled.val()) | self.missed.val();

        // The instruction.
        self.lane_valid.next = self.fetch_valid.val() & self.fetch_hit.val();
        self.decoder.word.next = self.fetch_word.val();
        self.decoder.active.next = self.query_active.val();
        self.decoder.named.next = self.lane_named.val();
        self.decoder.agreeing.next = self.lane_agreeing.val();
        self.decoder.register_target.next = self.lane_target.val();
        self.plain_exit.next = self.decoder.plain_exit.val();
        self.concerns.next = self.decoder.barrier.val() | (self.decoder.plain_exit.val() & self.barriers_enable.val());
        self.lane_present.next = self.lane_valid.val() & self.concerns.val() & self.barriers_enable.val();
        self.lane_illegal.next = self.lane_valid.val() & self.decoder.barrier.val() & !self.barriers_enable.val();

        // The offer.
        self.offer_valid.next = self.waking.val()
            | self.stepping.val()
            | self.contexting.val()
            | (self.lane_valid.val() & !self.concerns.val());
        self.offer_warp.next = self.warp.val();
        self.offer_origin.next = self.origin_instruction.val();
        self.offer_operation.next = self.decoder.operation.val();
        self.offer_kind.next = self.decoder.kind.val();
        self.offer_mask.next = self.decoder.mask.val();
        self.offer_target.next = self.decoder.target.val();
        self.offer_targeted.next = self.decoder.targeted.val();
        self.offer_again.next = self.decoder.again.val();
        if self.stepping.val() {
            self.offer_origin.next = self.origin_step.val();
            self.offer_operation.next = self.step_operation.val();
            self.offer_kind.next = self.step_kind.val();
            self.offer_mask.next = self.step_mask.val();
            self.offer_target.next = self.step_target.val();
            self.offer_targeted.next = self.step_targeted.val();
            self.offer_again.next = self.step_again.val();
        }
        if self.contexting.val() {
            self.offer_origin.next = self.origin_context.val();
            self.offer_operation.next = self.context_operation.val();
            self.offer_kind.next = self.context_kind.val();
            self.offer_mask.next = self.context_mask.val();
            self.offer_target.next = self.context_target.val();
            self.offer_targeted.next = false;
            self.offer_again.next = false;
        }
        if self.waking.val() {
            self.offer_origin.next = self.origin_wake.val();
            self.offer_operation.next = self.operation_wake.val();
            self.offer_kind.next = 0.into();
            self.offer_mask.next = self.held_mask.q.val();
            self.offer_target.next = self.held_target.q.val();
            self.offer_targeted.next = true;
            self.offer_again.next = false;
        }
        if self.wake_taken.val() {
            self.offer_warp.next = self.wake_warp.val();
            self.offer_mask.next = self.wake_mask.val();
            self.offer_target.next = self.wake_target.val();
            self.held_mask.d.next = self.wake_mask.val();
            self.held_target.d.next = self.wake_target.val();
        }

        // What comes of it.
        self.accepted.next = self.offer_valid.val() & self.offer_ready.val();
        self.lane_issue.next = self.accepted.val() & !self.waking.val() & !self.stepping.val() & !self.contexting.val();
        self.context_taken.next = self.accepted.val() & self.contexting.val();
        self.step_taken.next = self.accepted.val() & self.stepping.val();
        self.scheduler.issued.next =
            (self.accepted.val() & !self.waking.val() & !self.contexting.val()) | self.lane_present.val();
        self.scheduler.issued_warp.next = self.warp.val();
        if !self.quiet.val() {
            self.refused.d.next = self.offer_valid.val() & !self.offer_ready.val() & !self.contexting.val();
            self.refused_origin.d.next = self.offer_origin.val();
            self.refused_warp.d.next = self.offer_warp.val();
        }
    }
}
