//! What the queue's answer means for a warp that unwinds: threads that go on, a token to drop or to save, or the end of the warp. Says
//! as well how a warp ends: halted, parked, saved, or stopped by an error.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `unwinding`, `withdraws` | in | 1, 1 | the sequencer pops tokens; to save them |
//! | `answered`, `code`, `found` | in | 1, 3, 1 | the queue answers; to what; there was a token |
//! | `waited` | in | 1 | a thread of the token waits for it |
//! | `live`, `asleep` | in | `THREADS` ×2 | the warp's live threads; those that sleep |
//! | `stopped`, `lost` | in | 1, 1 | the sequencer lets the warp go for good; because the queue had no room |
//! | `popped` | out | 1 | it is the answer to a pop |
//! | `associated`, `discarded`, `saved`, `ended` | out | 1 each | the token's threads go on; it is dropped; it is saved; there was none |
//! | `parks`, `halts`, `emptied` | out | 1 each | all live threads are asleep; all have exited; the last token was saved before |
//! | `error`, `cause` | out | 1, 3 | the warp is stopped by an error; which |
//!
//! **Timing** combinational. **Invariants** 1. of `associated`, `discarded`, `saved` and `ended` exactly one follows a pop. 2. of `parks`,
//! `halts`, `emptied` and `error` exactly one follows `ended`.
//! **Source** DQ-25, DQ-26, SM-07, CX-09.

use super::token::{Cause, QueueOperation};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct UnwindVerdict<const THREADS: usize> {
        ports {
            /// The sequencer pops tokens.
            pub unwinding: Signal<In, Bit>,
            /// To save them.
            pub withdraws: Signal<In, Bit>,
            /// The queue answers.
            pub answered: Signal<In, Bit>,
            /// What it was asked.
            pub code: Signal<In, Bits<3>>,
            /// There was a token.
            pub found: Signal<In, Bit>,
            /// A thread of it waits for its kind.
            pub waited: Signal<In, Bit>,
            /// The warp's live threads.
            pub live: Signal<In, Bits<THREADS>>,
            /// Those that sleep.
            pub asleep: Signal<In, Bits<THREADS>>,
            /// The sequencer lets the warp go for good.
            pub stopped: Signal<In, Bit>,
            /// Because the queue had no room.
            pub lost: Signal<In, Bit>,
            /// The queue answers a pop.
            pub popped: Signal<Out, Bit>,
            /// Threads of the token go on.
            pub associated: Signal<Out, Bit>,
            /// It is dropped.
            pub discarded: Signal<Out, Bit>,
            /// It leaves for a saved context.
            pub saved: Signal<Out, Bit>,
            /// There was no token.
            pub ended: Signal<Out, Bit>,
            /// And all live threads are asleep.
            pub parks: Signal<Out, Bit>,
            /// Every thread has exited.
            pub halts: Signal<Out, Bit>,
            /// No token was left to save.
            pub emptied: Signal<Out, Bit>,
            /// The warp is stopped.
            pub error: Signal<Out, Bit>,
            /// Fatal 3, lost thread 4.
            pub cause: Signal<Out, Bits<3>>,
        }
        parts {
            token: Signal<Local, Bit>,
            ends: Signal<Local, Bit>,
            code_pop: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PopFront as u64)),
            code_yield: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Yield as u64)),
            cause_fatal: Constant<Bits<3>> = Constant::new(bits(Cause::Fatal as u64)),
            cause_lost_thread: Constant<Bits<3>> = Constant::new(bits(Cause::LostThread as u64)),
        }
    }
}

impl<const THREADS: usize> Logic for UnwindVerdict<THREADS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.popped.next = self.unwinding.val()
            & self.answered.val()
            & ((self.code.val() == self.code_pop.val()) | (self.code.val() == self.code_yield.val()));
        // A token to be saved goes out unseen, one for each request.
        self.token.next = self.popped.val() & self.found.val();
        self.saved.next = self.token.val() & self.withdraws.val();
        self.associated.next = self.token.val() & !self.withdraws.val() & self.waited.val();
        self.discarded.next = self.token.val() & !self.withdraws.val() & !self.waited.val();

        self.ended.next = self.popped.val() & !self.found.val();
        self.ends.next = self.ended.val() & !self.withdraws.val();
        self.parks.next = self.ends.val() & self.live.val().any() & (self.asleep.val() == self.live.val());
        self.halts.next = self.ends.val() & !self.live.val().any();
        self.emptied.next = self.ended.val() & self.withdraws.val();
        self.error.next = self.stopped.val() & !self.halts.val() & !self.emptied.val();
        self.cause.next = self.cause_lost_thread.val();
        if self.lost.val() {
            self.cause.next = self.cause_fatal.val();
        }
    }
}
