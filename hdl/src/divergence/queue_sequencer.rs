//! Decides what the queue does in each cycle: what the operation is, what stands in its way, and what is done about it.
//! It sees one-bit facts about the operation's queue only; pointers and tokens are elsewhere.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `operation_*` | in, `operation_ready`, `operation_failed` out | the queue's operation port |
//! | `window_empty`, `front_met`, `back_met`, `spilled`, `area_full` | in | where the operation's queue stands |
//! | `present`, `yield_present` | in | it holds a token of the kind to find; a yield token |
//! | `shown_yield`, `sought`, `scan_at_end` | in | about the token in view, in a search |
//! | `find`, `back`, `front`, `append` | out | the operation is a find, a push back or YIELD, a push front; its token goes to memory |
//! | `idle`, `deciding` | out | nothing is under way; the operation port's turn: nothing is, or a search has come to its end |
//! | `search_back`, `place_now`, `pop_now`, `pass_now`, `scan_now`, `merge_now` | out | what is done in this cycle |
//! | `sweeping`, `scanning`, `recentering`, `spilling`, `software` | out | what is under way |
//! | `exception_*`, `handler_*` | | the queue's exceptions |
//! | `recenter_*`, `spill_*` | | start and end of the engines |
//!
//! **Timing** an operation that nothing stands in the way of is done in the cycle in which it is offered.
//! **Invariants** 1. a search ends at the first token from the back that is no yield token, in that token's cycle: yield tokens lie together.
//! 2. an operation that meets an exception changes nothing until the handler is done. 3. a YIELD of an empty queue changes nothing: it is its own answer.
//! **Source** US 9,459,876, the exceptions; DQ-06 to DQ-13.

use super::spill_engine::SpillCommand;
use super::token::{Cause, QueueOperation};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct QueueSequencer {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// An operation is offered.
            pub operation_valid: Signal<In, Bit>,
            /// A find or back push comes in the next cycle.
            pub operation_announce: Signal<In, Bit>,
            /// Which.
            pub operation_code: Signal<In, Bits<3>>,
            /// It is done in this cycle.
            pub operation_ready: Signal<Out, Bit>,
            /// With ready: the spill area is full, nothing was changed.
            pub operation_failed: Signal<Out, Bit>,
            /// The window holds no token.
            pub window_empty: Signal<In, Bit>,
            /// There is no room at its front.
            pub front_met: Signal<In, Bit>,
            /// There is no room at its back.
            pub back_met: Signal<In, Bit>,
            /// Tokens are in memory.
            pub spilled: Signal<In, Bit>,
            /// As many as fit.
            pub area_full: Signal<In, Bit>,
            /// The queue holds a token of the kind to find.
            pub present: Signal<In, Bit>,
            /// The queue holds a yield token.
            pub yield_present: Signal<In, Bit>,
            /// The window's token in view is a yield token.
            pub shown_yield: Signal<In, Bit>,
            /// The token in view is the one sought.
            pub sought: Signal<In, Bit>,
            /// There is no token beyond it in the window.
            pub scan_at_end: Signal<In, Bit>,
            /// The operation is a find.
            pub find: Signal<Out, Bit>,
            /// A push back or a YIELD.
            pub back: Signal<Out, Bit>,
            /// A push front.
            pub front: Signal<Out, Bit>,
            /// A pop or a YIELD.
            pub pop: Signal<Out, Bit>,
            /// A pop, or a YIELD whose token is in.
            pub pop_only: Signal<Out, Bit>,
            /// Nothing is under way.
            pub idle: Signal<Out, Bit>,
            /// It is the operation port's turn.
            pub deciding: Signal<Out, Bit>,
            /// A search from the back starts.
            pub search_back: Signal<Out, Bit>,
            /// A search reads the next token.
            pub scan_now: Signal<Out, Bit>,
            /// The token enters the window.
            pub place_now: Signal<Out, Bit>,
            /// The front token leaves.
            pub pop_now: Signal<Out, Bit>,
            /// The operation's token passes the empty queue: it enters and leaves.
            pub pass_now: Signal<Out, Bit>,
            /// The token in view takes threads along.
            pub merge_now: Signal<Out, Bit>,
            /// A back push found a token to merge with.
            pub merged: Signal<Out, Bit>,
            /// Flags and pointers are being cleared.
            pub sweeping: Signal<Out, Bit>,
            /// The warp's sweep ends in this cycle.
            pub sweep_finished: Signal<In, Bit>,
            /// The sweep of all warps after reset is over.
            pub swept: Signal<Out, Bit>,
            /// A search looks at the window.
            pub scanning: Signal<Out, Bit>,
            /// The window is being moved.
            pub recentering: Signal<Out, Bit>,
            /// The spill engine works.
            pub spilling: Signal<Out, Bit>,
            /// Software works.
            pub software: Signal<Out, Bit>,
            /// An exception: a strobe, or high until the software handler is done.
            pub exception_valid: Signal<Out, Bit>,
            /// Recenter 0, spill 1, refill 2, fatal 3.
            pub exception_cause: Signal<Out, Bits<2>>,
            /// Exceptions go to software.
            pub handler_software: Signal<In, Bit>,
            /// The software handler is done.
            pub handler_done: Signal<In, Bit>,
            /// The window has to be moved.
            pub recenter_start: Signal<Out, Bit>,
            /// It is.
            pub recenter_finished: Signal<In, Bit>,
            /// What the spill engine does.
            pub spill_command: Signal<Out, Bits<5>>,
            /// It puts the operation's token at the back.
            pub append: Signal<Out, Bit>,
            /// It is done in this cycle.
            pub spill_finished: Signal<In, Bit>,
            /// Its search ends with a match.
            pub spill_matched: Signal<In, Bit>,
            /// Its search has passed the last yield token.
            pub spill_passed: Signal<In, Bit>,
            /// Its search has come to the end of what is spilled.
            pub spill_exhausted: Signal<In, Bit>,
            /// The operation's token is in memory.
            pub spill_appended: Signal<In, Bit>,
        }
        parts {
            sweeps: Register<Bit> = Register::new(true),
            scans: Register<Bit>,
            recenters: Register<Bit>,
            seeks: Register<Bit>,
            spills: Register<Bit>,
            stops: Register<Bit>,
            command: Register<Bits<5>>,
            cause: Register<Bits<2>>,
            swept_once: Register<Bit>,
            searched: Register<Bit>,
            placed: Register<Bit>,
            merged_once: Register<Bit>,
            pop_alone: Signal<Local, Bit>,
            clear: Signal<Local, Bit>,
            push_back: Signal<Local, Bit>,
            full: Signal<Local, Bit>,
            place_back: Signal<Local, Bit>,
            search_find: Signal<Local, Bit>,
            front_full: Signal<Local, Bit>,
            beyond: Signal<Local, Bit>,
            need_recenter: Signal<Local, Bit>,
            need_spill: Signal<Local, Bit>,
            need_refill: Signal<Local, Bit>,
            need_append: Signal<Local, Bit>,
            fatal: Signal<Local, Bit>,
            turn: Signal<Local, Bit>,
            yields: Signal<Local, Bit>,
            place_behind: Signal<Local, Bit>,
            passes: Signal<Local, Bit>,
            done_at_once: Signal<Local, Bit>,
            done_behind: Signal<Local, Bit>,
            done_popping: Signal<Local, Bit>,
            done_otherwise: Signal<Local, Bit>,
            handled: Signal<Local, Bit>,
            scan_on: Signal<Local, Bit>,
            joins: Signal<Local, Bit>,
            stays: Signal<Local, Bit>,
            code_pop: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PopFront as u64)),
            code_push_front: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushFront as u64)),
            code_push_back: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushBack as u64)),
            code_yield: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Yield as u64)),
            code_find: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Find as u64)),
            code_clear: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Clear as u64)),
            command_append: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Append as u64)),
            cause_recenter: Constant<Bits<2>> = Constant::new(bits(Cause::Recenter as u64)),
            cause_spill: Constant<Bits<2>> = Constant::new(bits(Cause::Spill as u64)),
            cause_refill: Constant<Bits<2>> = Constant::new(bits(Cause::Refill as u64)),
            cause_fatal: Constant<Bits<2>> = Constant::new(bits(Cause::Fatal as u64)),
        }
    }
}

impl Logic for QueueSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            sweeps,
            scans,
            recenters,
            seeks,
            spills,
            stops,
            command,
            cause,
            swept_once,
            searched,
            placed,
            merged_once
        );

        // What the operation is.
        self.pop_alone.next = self.operation_code.val() == self.code_pop.val();
        self.front.next = self.operation_code.val() == self.code_push_front.val();
        self.push_back.next = self.operation_code.val() == self.code_push_back.val();
        self.yields.next = self.operation_code.val() == self.code_yield.val();
        self.back.next = self.push_back.val() | self.yields.val();
        self.pop.next = self.pop_alone.val() | self.yields.val();
        self.pop_only.next = self.pop_alone.val() | (self.yields.val() & self.placed.q.val());
        self.find.next = self.operation_code.val() == self.code_find.val();
        self.clear.next = self.operation_code.val() == self.code_clear.val();
        self.sweeping.next = self.sweeps.q.val();
        self.scanning.next = self.scans.q.val();
        self.recentering.next = self.recenters.q.val();
        self.spilling.next = self.seeks.q.val() | self.spills.q.val();
        self.software.next = self.stops.q.val();
        self.idle.next = !(self.sweeps.q.val()
            | self.scans.q.val()
            | self.recenters.q.val()
            | self.seeks.q.val()
            | self.spills.q.val()
            | self.stops.q.val());

        // A search from the back that sees anything but a yield token is over, and the operation decides in that very cycle.
        self.deciding.next = self.idle.val() | (self.scanning.val() & !self.find.val() & !self.shown_yield.val());
        self.turn.next = self.deciding.val() & self.operation_valid.val();
        self.search_find.next = self.idle.val()
            & (self.operation_valid.val() | self.operation_announce.val())
            & self.find.val()
            & self.present.val();
        self.search_back.next = self.idle.val()
            & (self.operation_valid.val() | self.operation_announce.val())
            & self.back.val()
            & self.yield_present.val()
            & !self.placed.q.val()
            & !self.searched.q.val();
        self.place_back.next = self.back.val()
            & !self.placed.q.val()
            & (self.searched.q.val() | self.scanning.val() | !self.yield_present.val());

        // What stands in the operation's way.
        self.need_recenter.next = (self.front.val() & self.front_met.val() & !self.back_met.val())
            | (self.place_back.val() & !self.spilled.val() & self.back_met.val() & !self.front_met.val());
        self.full.next = self.front_met.val() & self.back_met.val();
        self.front_full.next = self.front.val() & self.full.val();
        self.beyond.next = self.place_back.val() & (self.spilled.val() | self.full.val());
        self.need_spill.next = self.front_full.val() & !self.area_full.val();
        self.need_refill.next =
            self.pop.val() & (!self.back.val() | self.placed.q.val()) & self.window_empty.val() & self.spilled.val();
        self.need_append.next = self.beyond.val() & !self.area_full.val();
        self.fatal.next = (self.front_full.val() | self.beyond.val()) & self.area_full.val();

        // What is done in this cycle.
        self.place_behind.next = self.place_back.val() & !self.spilled.val() & !self.back_met.val();
        self.passes.next = self.yields.val() & !self.placed.q.val() & self.window_empty.val() & !self.spilled.val();
        self.pass_now.next = self.turn.val() & self.passes.val();
        self.place_now.next = self.turn.val()
            & ((self.front.val() & !self.front_met.val()) | (self.place_behind.val() & !self.passes.val()));
        self.pop_now.next = self.turn.val()
            & (self.pop.val() & !self.window_empty.val())
            & (self.pop_only.val() | self.place_behind.val());
        self.merge_now.next = self.scanning.val() & !self.find.val() & self.sought.val();
        self.scan_now.next = self.search_find.val()
            | self.search_back.val()
            | (self.scanning.val() & !(self.find.val() & self.sought.val()));
        self.append.next = self.spills.q.val() & self.command.q.val().get_bit(self.command_append.val());
        self.recenter_start.next = self.turn.val() & self.need_recenter.val() & !self.handler_software.val();
        self.spill_command.next = self.command.q.val();
        self.merged.next = self.merged_once.q.val();
        self.swept.next = self.swept_once.q.val();
        self.operation_failed.next = self.turn.val() & self.fatal.val();
        self.done_at_once.next = ((self.front.val()
            & (!self.front_met.val() | (self.back_met.val() & self.area_full.val())))
            | (self.push_back.val() & self.placed.q.val()))
            | ((self.pop_alone.val() & self.window_empty.val() & !self.spilled.val())
                | (self.find.val() & !self.present.val()));
        self.done_behind.next =
            (self.push_back.val() & self.place_behind.val()) | (self.beyond.val() & self.area_full.val());
        self.done_popping.next = self.passes.val()
            | ((self.pop.val() & !self.window_empty.val()) & (self.pop_only.val() | self.place_behind.val()));
        self.done_otherwise.next = (self.find.val()
            & ((self.scanning.val() & self.sought.val()) | (self.seeks.q.val() & self.spill_matched.val())))
            | (self.sweeping.val() & self.sweep_finished.val() & self.swept_once.q.val());
        self.operation_ready.next = self.done_otherwise.val()
            | (self.turn.val() & (self.done_at_once.val() | (self.done_behind.val() | self.done_popping.val())));

        self.exception_valid.next = self.software.val()
            | (self.turn.val()
                & (self.need_recenter.val()
                    | self.front_full.val()
                    | self.need_refill.val()
                    | (self.beyond.val() & self.area_full.val())));
        self.exception_cause.next = self.cause_fatal.val();
        if self.need_recenter.val() {
            self.exception_cause.next = self.cause_recenter.val();
        }
        if self.need_spill.val() {
            self.exception_cause.next = self.cause_spill.val();
        }
        if self.need_refill.val() {
            self.exception_cause.next = self.cause_refill.val();
        }
        if self.software.val() {
            self.exception_cause.next = self.cause.q.val();
        }

        // What comes next: at most one of six things is under way.
        self.handled.next = self.handler_software.val()
            & self.operation_valid.val()
            & self.deciding.val()
            & (self.need_refill.val()
                | (self.front.val() & self.front_met.val() & !(self.back_met.val() & self.area_full.val()))
                | (self.place_back.val() & !self.spilled.val() & self.back_met.val() & !self.front_met.val()));
        self.scan_on.next = self.scanning.val() & !self.deciding.val() & !self.sought.val();
        self.sweeps.d.next = (self.sweeps.q.val() & !self.sweep_finished.val()) | (self.turn.val() & self.clear.val());
        self.scans.d.next = (self.search_find.val() & !self.window_empty.val())
            | (self.search_back.val() & !self.spilled.val())
            | (self.scan_on.val() & !self.scan_at_end.val())
            | (self.seeks.q.val() & self.spill_exhausted.val() & !self.window_empty.val());
        self.recenters.d.next = self.recenter_start.val() | (self.recenters.q.val() & !self.recenter_finished.val());
        self.seeks.d.next = (self.search_find.val() & self.window_empty.val())
            | (self.search_back.val() & self.spilled.val())
            | (self.scan_on.val() & self.scan_at_end.val() & self.find.val())
            | (self.seeks.q.val() & !(self.spill_matched.val() | self.spill_passed.val() | self.spill_exhausted.val()));
        self.spills.d.next = (self.spills.q.val() & !self.spill_finished.val())
            | (self.turn.val() & self.need_refill.val() & !self.handler_software.val())
            | (self.turn.val() & self.beyond.val() & !self.area_full.val())
            | (self.turn.val() & self.front_full.val() & !self.area_full.val() & !self.handler_software.val());
        self.stops.d.next = self.handled.val() | (self.stops.q.val() & !self.handler_done.val());
        self.swept_once.d.next = self.swept_once.q.val() | (self.sweeps.q.val() & self.sweep_finished.val());

        // The command that the spill engine would get: search or append, spill, refill, find.
        if self.deciding.val() {
            self.cause.d.next = self.exception_cause.val();
            self.command.d.next = bit_cast::<5, 1>(self.front.val().into())
                | (bit_cast::<5, 1>(self.search_back.val().into()) << 1)
                | (bit_cast::<5, 1>((self.pop_alone.val() | (self.back.val() & self.placed.q.val())).into()) << 2)
                | (bit_cast::<5, 1>((self.back.val() & !self.placed.q.val() & !self.search_back.val()).into()) << 3)
                | (bit_cast::<5, 1>(self.find.val().into()) << 4);
        }

        // How far a back push or a YIELD is: it has searched, its token is in, or merged.
        self.joins.next = (self.scanning.val() & self.back.val() & self.sought.val())
            | (self.seeks.q.val() & self.back.val() & self.spill_matched.val());
        self.stays.next = !(self.turn.val() & (self.push_back.val() | !self.window_empty.val()));
        self.placed.d.next = (self.joins.val() | self.spill_appended.val()) | (self.placed.q.val() & self.stays.val());
        self.merged_once.d.next = self.joins.val() | (self.merged_once.q.val() & self.stays.val());
        // Once it decided, only a window that has to be moved keeps it from going on.
        self.searched.d.next = !(self.turn.val() & !self.need_recenter.val())
            & (self.searched.q.val()
                | (self.scanning.val() & self.back.val() & (self.deciding.val() | self.scan_at_end.val()))
                | (self.seeks.q.val()
                    & (self.spill_passed.val() | (self.spill_exhausted.val() & self.window_empty.val()))));
    }
}
