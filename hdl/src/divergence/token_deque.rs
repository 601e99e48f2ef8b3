//! A double-ended queue of tokens for each of several warps: the front behaves as a convergence stack does, the back
//! takes the tokens of threads that yield. Each queue is a linear window of on-chip RAM that recenters itself and spills to memory.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `push_*` | in, `push_ready` out | front pushes, one a cycle, never more than a cycle |
//! | `operation_*` | in, `operation_ready` out | everything else ([`QueueOperation`]); the payload is stable until ready |
//! | `operation_announce` | in | the next cycle brings this operation (find or back push): its search starts now |
//! | `operation_found`, `operation_failed` | out | with `operation_ready`: the find's answer; the spill area is full |
//! | `response_*` | out | the answer, one cycle after the operation was accepted |
//! | `token_*` | out | strobes: a token entered or left a queue |
//! | `sweep_*` | out | counts of {warp, kind} that are being cleared, for state that the user keeps beside them |
//! | `exception_*`, `handler_*`, `window_*`, `queue_*`, `spill_*` | | the exceptions and the software handler's port |
//! | `memory_*` | | spilled tokens: valid/ready requests, answers to reads in order |
//!
//! **Timing** push front, pop front, push back and YIELD take one cycle when no yield token is in the queue to be searched
//! and no handler is needed (a YIELD on an empty queue takes two); a search one cycle for each token examined;
//! recentering 2n + 1 for n tokens. `push_ready` depends on `push_warp`, `operation_*` and nothing
//! else of the cycle's inputs but the memory's; `operation_ready` on the operation and the memory.
//! After reset the tables are swept, 16 cycles a warp, and both readys stay low.
//! **Invariants** 1. each warp's pops are those of an unbounded deque. 2. at most one yield token for an address.
//! 3. tokens lie in `tail..head`, and behind them in the spill area; an empty window lies at the mid point.
//! 4. an operation that meets an exception changes nothing until the handler is done. 5. counts and summaries are true.
//! Front pushes carry any kind but yield; back pushes carry yield whatever `operation_kind` says.
//! **Source** US 9,459,876, the double-sided queue; DQ-03 to DQ-13.
//! **See also** the reference model `token_deque` of the simulator.

use super::queue_pointers::QueuePointers;
use super::recenter_engine::RecenterEngine;
use super::spill_engine::{SpillEngine, SPILL_BITS};
use super::summary_flags::SummaryFlags;
use super::token::{Cause, Kind, QueueOperation};
use super::token_counter::{TokenCounter, COUNT_BITS};
use super::token_path::TokenPath;
use crate::prelude::*;

/// What the queue is doing.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum QueueState {
    /// Clearing counts, after reset or for a warp.
    Sweeping,
    /// Deciding on the operation that is offered.
    Idle,
    /// Searching the window, a token a cycle.
    Scanning,
    /// The recenter engine moves the window.
    Recentering,
    /// The spill engine carries out a command.
    Spilling,
    /// A software handler was called and is not done.
    Software,
}

block! {
    /// `POINTER_BITS` = log2(depth) + 1, `ENTRY_BITS` = log2(warps × depth), `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct TokenDeque<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const POINTER_BITS: usize, const ENTRY_BITS: usize, const TOKEN_BITS: usize, const KEY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A front push is offered.
            pub push_valid: Signal<In, Bit>,
            /// It is taken in this cycle.
            pub push_ready: Signal<Out, Bit>,
            /// Whose queue it enters.
            pub push_warp: Signal<In, Bits<WARP_BITS>>,
            /// Kind of the token; not yield.
            pub push_kind: Signal<In, Bits<4>>,
            /// Threads of the token.
            pub push_mask: Signal<In, Bits<THREADS>>,
            /// Address of the token, in instructions.
            pub push_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// An operation is offered.
            pub operation_valid: Signal<In, Bit>,
            /// A find or back push comes in the next cycle: search ahead.
            pub operation_announce: Signal<In, Bit>,
            /// The operation is done in this cycle.
            pub operation_ready: Signal<Out, Bit>,
            /// What to do: pop front 0, push front 1, push back 2, yield 3, find 4, clear 5.
            pub operation_code: Signal<In, Bits<3>>,
            /// Whose queue.
            pub operation_warp: Signal<In, Bits<WARP_BITS>>,
            /// Kind to push or to find.
            pub operation_kind: Signal<In, Bits<4>>,
            /// Threads of the token to push.
            pub operation_mask: Signal<In, Bits<THREADS>>,
            /// Address of the token to push, in instructions.
            pub operation_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// With ready, of a find: the token is there, shown in the response fields already.
            pub operation_found: Signal<Out, Bit>,
            /// With ready: the spill area is full, nothing was changed.
            pub operation_failed: Signal<Out, Bit>,
            /// The operation accepted one cycle ago answers.
            pub response_valid: Signal<Out, Bit>,
            /// Which operation it was.
            pub response_code: Signal<Out, Bits<3>>,
            /// A token was popped or found.
            pub response_found: Signal<Out, Bit>,
            /// The pushed token merged into one that was there.
            pub response_merged: Signal<Out, Bit>,
            /// The spill area was full, nothing was changed.
            pub response_failed: Signal<Out, Bit>,
            /// Whose queue it was.
            pub response_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Kind of the token.
            pub response_kind: Signal<Out, Bits<4>>,
            /// Threads of the token.
            pub response_mask: Signal<Out, Bits<THREADS>>,
            /// Address of the token.
            pub response_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Kinds behind it: sync, divergence, call, yield from bit 0 up.
            pub response_summary: Signal<Out, Bits<4>>,
            /// A token enters a queue in this cycle.
            pub token_entered: Signal<Out, Bit>,
            /// Which queue.
            pub token_entered_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A token leaves the queue of the operation in this cycle.
            pub token_left: Signal<Out, Bit>,
            /// A count is cleared in this cycle.
            pub sweep_enable: Signal<Out, Bit>,
            /// Which: warp and kind.
            pub sweep_key: Signal<Out, Bits<KEY_BITS>>,
            /// An exception: a strobe, or high until the software handler is done.
            pub exception_valid: Signal<Out, Bit>,
            /// Recenter 0, spill 1, refill 2, fatal 3.
            pub exception_cause: Signal<Out, Bits<2>>,
            /// Whose queue.
            pub exception_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Exceptions go to software.
            pub handler_software: Signal<In, Bit>,
            /// The software handler is done.
            pub handler_done: Signal<In, Bit>,
            /// Software writes the pointers of the warp in the exception.
            pub handler_pointer_write: Signal<In, Bit>,
            /// New head.
            pub handler_head: Signal<In, Bits<POINTER_BITS>>,
            /// New tail.
            pub handler_tail: Signal<In, Bits<POINTER_BITS>>,
            /// New first spill slot.
            pub handler_spill_first: Signal<In, Bits<SPILL_BITS>>,
            /// New slot after the last spilled token.
            pub handler_spill_end: Signal<In, Bits<SPILL_BITS>>,
            /// New number of spilled tokens.
            pub handler_spill_count: Signal<In, Bits<SPILL_BITS>>,
            /// Software writes an entry of the window.
            pub window_write: Signal<In, Bit>,
            /// The entry that software reads or writes.
            pub window_index: Signal<In, Bits<8>>,
            /// What it writes.
            pub window_data: Signal<In, Bits<TOKEN_BITS>>,
            /// What it reads, one cycle after the index.
            pub window_read_data: Signal<Out, Bits<TOKEN_BITS>>,
            /// Head of the operation's warp.
            pub queue_head: Signal<Out, Bits<POINTER_BITS>>,
            /// Tail of the operation's warp.
            pub queue_tail: Signal<Out, Bits<POINTER_BITS>>,
            /// First spill slot of the operation's warp.
            pub spill_first: Signal<Out, Bits<SPILL_BITS>>,
            /// Slot after the last spilled token of the operation's warp.
            pub spill_end: Signal<Out, Bits<SPILL_BITS>>,
            /// Spilled tokens of the operation's warp.
            pub spill_count: Signal<Out, Bits<SPILL_BITS>>,
            /// Address of the spill areas, in tokens, aligned to warps × 4096.
            pub spill_base: Signal<In, Bits<32>>,
            /// Tokens that a warp may spill.
            pub spill_limit: Signal<In, Bits<SPILL_BITS>>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Address, in tokens.
            pub memory_request_address: Signal<Out, Bits<32>>,
            /// The token to write.
            pub memory_request_data: Signal<Out, Bits<TOKEN_BITS>>,
            /// An answer to a read.
            pub memory_response_valid: Signal<In, Bit>,
            /// It is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The token read.
            pub memory_response_data: Signal<In, Bits<TOKEN_BITS>>,
        }
        parts {
            state: Register<QueueState>,
            command: Register<Bits<3>>,
            cause: Register<Bits<2>>,
            sweep: Register<Bits<KEY_BITS>>,
            swept: Register<Bit>,
            position: Register<Bits<POINTER_BITS>>,
            examined: Register<Bits<COUNT_BITS>>,
            searched: Register<Bit>,
            placed: Register<Bit>,
            merged: Register<Bit>,
            answer_valid: Register<Bit>,
            answer_code: Register<Bits<3>>,
            answer_found: Register<Bit>,
            answer_popped: Register<Bit>,
            answer_merged: Register<Bit>,
            answer_failed: Register<Bit>,
            answer_alone: Register<Bit>,
            answer_warp: Register<Bits<WARP_BITS>>,
            window: Ram<ENTRY_BITS, TOKEN_BITS>,
            pointers: QueuePointers<WARP_BITS, POINTER_BITS>,
            counter: TokenCounter<WARP_BITS, KEY_BITS>,
            flags: SummaryFlags<WARPS, WARP_BITS>,
            path: TokenPath<THREADS, ADDRESS_BITS, TOKEN_BITS>,
            recenter: RecenterEngine<POINTER_BITS>,
            spill: SpillEngine<POINTER_BITS>,
            pop: Signal<Local, Bit>,
            place_front: Signal<Local, Bit>,
            place_back: Signal<Local, Bit>,
            find: Signal<Local, Bit>,
            clear: Signal<Local, Bit>,
            back: Signal<Local, Bit>,
            window_empty: Signal<Local, Bit>,
            spilled: Signal<Local, Bit>,
            front_met: Signal<Local, Bit>,
            back_met: Signal<Local, Bit>,
            area_full: Signal<Local, Bit>,
            exhausted: Signal<Local, Bit>,
            search: Signal<Local, Bit>,
            sought: Signal<Local, Bit>,
            need_recenter: Signal<Local, Bit>,
            need_spill: Signal<Local, Bit>,
            need_refill: Signal<Local, Bit>,
            need_append: Signal<Local, Bit>,
            fatal: Signal<Local, Bit>,
            handler: Signal<Local, Bit>,
            place_now: Signal<Local, Bit>,
            pop_now: Signal<Local, Bit>,
            pop_empty: Signal<Local, Bit>,
            last_out: Signal<Local, Bit>,
            push_blocked: Signal<Local, Bit>,
            push_now: Signal<Local, Bit>,
            append_done: Signal<Local, Bit>,
            merge_now: Signal<Local, Bit>,
            read_index: Signal<Local, Bits<POINTER_BITS>>,
            write_index: Signal<Local, Bits<POINTER_BITS>>,
            read_entry: Signal<Local, Bits<ENTRY_BITS>>,
            write_entry: Signal<Local, Bits<ENTRY_BITS>>,
            depth: Constant<Bits<POINTER_BITS>> = Constant::new(bits(1 << (POINTER_BITS - 1))),
            middle: Constant<Bits<POINTER_BITS>> = Constant::new(bits(1 << (POINTER_BITS - 2))),
            index_bits: Constant<Bits<8>> = Constant::new(bits(POINTER_BITS as u64 - 1)),
            last_key: Constant<Bits<KEY_BITS>> = Constant::new(bits(16 * WARPS as u64 - 1)),
            code_pop: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PopFront as u64)),
            code_push_front: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushFront as u64)),
            code_push_back: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushBack as u64)),
            code_yield: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Yield as u64)),
            code_find: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Find as u64)),
            code_clear: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Clear as u64)),
            cause_recenter: Constant<Bits<2>> = Constant::new(bits(Cause::Recenter as u64)),
            cause_spill: Constant<Bits<2>> = Constant::new(bits(Cause::Spill as u64)),
            cause_refill: Constant<Bits<2>> = Constant::new(bits(Cause::Refill as u64)),
            cause_fatal: Constant<Bits<2>> = Constant::new(bits(Cause::Fatal as u64)),
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
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
    > Logic for TokenDeque<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, TOKEN_BITS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, command, cause, sweep, swept, position, examined, searched, placed, merged);
        dff_setup!(self, clock, answer_valid, answer_code, answer_found, answer_popped, answer_merged);
        dff_setup!(self, clock, answer_failed, answer_alone, answer_warp);
        clock!(self, clock, window, pointers, counter, flags, recenter, spill);
        self.window.reset.next = self.reset.val();
        self.flags.reset.next = self.reset.val();
        self.recenter.reset.next = self.reset.val();
        self.spill.reset.next = self.reset.val();

        // Decode: what the operation is, and where its queue stands.
        self.pop.next =
            (self.operation_code.val() == self.code_pop.val()) | (self.operation_code.val() == self.code_yield.val());
        self.back.next = (self.operation_code.val() == self.code_push_back.val())
            | (self.operation_code.val() == self.code_yield.val());
        self.place_front.next = self.operation_code.val() == self.code_push_front.val();
        self.find.next = self.operation_code.val() == self.code_find.val();
        self.clear.next = self.operation_code.val() == self.code_clear.val();
        self.pointers.warp.next = self.operation_warp.val();
        self.pointers.push_warp.next = self.push_warp.val();
        self.window_empty.next = self.pointers.head.val() == self.pointers.tail.val();
        self.spilled.next = self.pointers.spill_count.val().any();
        self.front_met.next = self.pointers.head.val() == self.depth.val();
        self.back_met.next = !self.pointers.tail.val().any();
        self.area_full.next = self.pointers.spill_count.val() == self.spill_limit.val();
        self.counter.query_warp.next = self.operation_warp.val();
        self.counter.query_kind.next = self.operation_kind.val();
        if self.back.val() {
            self.counter.query_kind.next = self.kind_yield.val();
        }
        self.exhausted.next = self.examined.q.val() + 1 == self.counter.count.val();
        self.search.next = (self.operation_valid.val() | self.operation_announce.val())
            & self.counter.count.val().any()
            & (self.find.val() | (self.back.val() & !self.placed.q.val() & !self.searched.q.val()));
        self.place_back.next =
            self.back.val() & !self.placed.q.val() & (self.searched.q.val() | !self.counter.count.val().any());
        self.sought.next = ((self.path.kind.val() == self.counter.query_kind.val()) & self.find.val())
            | ((self.path.kind.val() == self.kind_yield.val())
                & (self.path.address.val() == self.operation_address.val())
                & self.back.val());

        // What stands in the operation's way.
        self.need_recenter.next = (self.place_front.val() & self.front_met.val() & !self.back_met.val())
            | (self.place_back.val() & !self.spilled.val() & self.back_met.val() & !self.front_met.val());
        self.need_spill.next =
            self.place_front.val() & self.front_met.val() & self.back_met.val() & !self.area_full.val();
        self.need_refill.next =
            self.pop.val() & (!self.back.val() | self.placed.q.val()) & self.window_empty.val() & self.spilled.val();
        self.need_append.next = self.place_back.val()
            & (self.spilled.val() | (self.back_met.val() & self.front_met.val()))
            & !self.area_full.val();
        self.fatal.next = self.area_full.val()
            & ((self.place_front.val() & self.front_met.val() & self.back_met.val())
                | (self.place_back.val() & (self.spilled.val() | (self.back_met.val() & self.front_met.val()))));
        self.handler.next = self.need_recenter.val() | self.need_spill.val() | self.need_refill.val();

        // What is done in this cycle, if the queue is idle.
        self.place_now.next = (self.state.q.val() == QueueState::Idle)
            & self.operation_valid.val()
            & ((self.place_front.val() & !self.front_met.val())
                | (self.place_back.val() & !self.spilled.val() & !self.back_met.val()));
        self.pop_now.next = (self.state.q.val() == QueueState::Idle)
            & self.operation_valid.val()
            & self.pop.val()
            & !self.window_empty.val()
            & (!self.back.val() | self.placed.q.val() | self.place_now.val());
        self.pop_empty.next = self.pop.val() & !self.back.val() & self.window_empty.val() & !self.spilled.val();
        self.last_out.next =
            self.pop_now.val() & (self.pointers.head.val() - 1 == self.pointers.tail.val()) & !self.place_now.val();
        self.append_done.next =
            (self.state.q.val() == QueueState::Spilling) & (self.command.q.val() == 4) & self.spill.finished.val();
        self.merge_now.next = (self.state.q.val() == QueueState::Scanning) & self.back.val() & self.sought.val();

        // The operation's progress.
        self.operation_ready.next = false;
        match self.state.q.val() {
            QueueState::Sweeping => {
                self.sweep.d.next = self.sweep.q.val() + 1;
                if self.sweep.q.val().get_bits::<4>(0).all()
                    & (self.swept.q.val() | (self.sweep.q.val() == self.last_key.val()))
                {
                    self.operation_ready.next = self.swept.q.val();
                    self.swept.d.next = true;
                    self.state.d.next = QueueState::Idle;
                }
            }
            QueueState::Idle => {
                self.operation_ready.next = self.operation_valid.val()
                    & (self.fatal.val()
                        | (self.place_now.val() & !self.pop.val())
                        | self.pop_now.val()
                        | self.pop_empty.val()
                        | (self.back.val() & !self.pop.val() & self.placed.q.val())
                        | (self.find.val() & !self.counter.count.val().any()));
                self.examined.d.next = 0.into();
                self.position.d.next = self.read_index.val();
                if self.place_now.val() {
                    self.placed.d.next = self.pop.val();
                }
                if self.search.val() {
                    self.state.d.next = QueueState::Scanning;
                    if self.find.val() & self.window_empty.val() {
                        self.state.d.next = QueueState::Spilling;
                        self.command.d.next = 3.into();
                    }
                    if self.back.val() & self.spilled.val() {
                        self.state.d.next = QueueState::Spilling;
                        self.command.d.next = 2.into();
                    }
                } else if self.operation_valid.val() {
                    self.cause.d.next = self.exception_cause.val();
                    if self.clear.val() {
                        self.state.d.next = QueueState::Sweeping;
                        self.sweep.d.next = bit_cast::<KEY_BITS, WARP_BITS>(self.operation_warp.val()) << 4;
                    }
                    if self.need_append.val() {
                        self.state.d.next = QueueState::Spilling;
                        self.command.d.next = 4.into();
                    }
                    if self.handler.val() {
                        self.state.d.next = QueueState::Spilling;
                        self.command.d.next = bit_cast::<3, 1>(self.need_refill.val().into());
                        if self.need_recenter.val() {
                            self.state.d.next = QueueState::Recentering;
                        }
                        if self.handler_software.val() {
                            self.state.d.next = QueueState::Software;
                        }
                    }
                }
            }
            QueueState::Scanning => {
                self.position.d.next = self.read_index.val();
                self.examined.d.next = self.examined.q.val() + 1;
                if self.sought.val() {
                    self.operation_ready.next = self.find.val();
                    self.placed.d.next = self.back.val();
                    self.merged.d.next = self.back.val();
                    self.state.d.next = QueueState::Idle;
                } else if self.back.val() & self.exhausted.val() {
                    self.searched.d.next = true;
                    self.state.d.next = QueueState::Idle;
                } else if self.find.val() & (self.position.q.val() == self.pointers.tail.val()) {
                    self.state.d.next = QueueState::Spilling;
                    self.command.d.next = 3.into();
                }
            }
            QueueState::Recentering => {
                if self.recenter.finished.val() {
                    self.state.d.next = QueueState::Idle;
                }
            }
            QueueState::Spilling => {
                if self.spill.examined.val() {
                    self.examined.d.next = self.examined.q.val() + 1;
                }
                self.position.d.next = self.read_index.val();
                if self.spill.finished.val() {
                    self.state.d.next = QueueState::Idle;
                    self.operation_ready.next = self.find.val() & self.spill.matched.val();
                    self.placed.d.next =
                        self.placed.q.val() | self.append_done.val() | (self.back.val() & self.spill.matched.val());
                    self.merged.d.next = self.merged.q.val() | (self.back.val() & self.spill.matched.val());
                    if (self.command.q.val() == 2) & !self.spill.matched.val() {
                        self.searched.d.next = self.exhausted.val();
                        if !self.exhausted.val() {
                            self.state.d.next = QueueState::Scanning;
                        }
                    }
                }
            }
            QueueState::Software => {
                if self.handler_done.val() {
                    self.state.d.next = QueueState::Idle;
                }
            }
            _ => {
                self.state.d.next = QueueState::Idle;
            }
        }
        if self.operation_ready.val() {
            self.searched.d.next = false;
            self.placed.d.next = false;
            self.merged.d.next = false;
        }

        // The push port: one front push a cycle beside the operation, where the write ports allow it.
        self.push_blocked.next = ((self.operation_valid.val() | self.operation_announce.val())
            & (self.operation_warp.val() == self.push_warp.val()))
            | (self.state.q.val() == QueueState::Sweeping)
            | (self.state.q.val() == QueueState::Software)
            | ((self.state.q.val() == QueueState::Idle) & self.operation_valid.val() & !self.find.val())
            | ((self.state.q.val() == QueueState::Scanning) & self.back.val())
            | self.recenter.write_enable.val()
            | self.spill.window_write.val()
            | ((self.state.q.val() == QueueState::Spilling) & (self.command.q.val() == 4));
        self.push_ready.next = !self.push_blocked.val() & (self.pointers.push_head.val() != self.depth.val());
        self.push_now.next = self.push_valid.val() & self.push_ready.val();

        // The token that enters, from either port.
        self.path.enter_kind.next = self.push_kind.val();
        self.path.enter_mask.next = self.push_mask.val();
        self.path.enter_address.next = self.push_address.val();
        self.path.enter_summary.next = self.flags.enter_summary.val();
        self.flags.enter_warp.next = self.push_warp.val();
        if self.push_blocked.val() {
            self.path.enter_kind.next = self.counter.query_kind.val();
            self.path.enter_mask.next = self.operation_mask.val();
            self.path.enter_address.next = self.operation_address.val();
            self.flags.enter_warp.next = self.operation_warp.val();
            if self.back.val() {
                self.path.enter_summary.next = 0.into();
            }
        }
        self.flags.enter_valid.next = self.push_now.val() | self.place_now.val() | self.append_done.val();
        self.flags.enter_kind.next = self.path.enter_kind.val();
        self.counter.push_valid.next = self.flags.enter_valid.val();
        self.counter.push_warp.next = self.flags.enter_warp.val();
        self.counter.push_kind.next = self.path.enter_kind.val();

        // The engines.
        self.recenter.enable.next = self.state.q.val() == QueueState::Recentering;
        self.recenter.at_front.next = self.place_front.val();
        self.recenter.head.next = self.pointers.head.val();
        self.recenter.tail.next = self.pointers.tail.val();
        self.spill.enable.next = self.state.q.val() == QueueState::Spilling;
        self.spill.command.next = self.command.q.val();
        self.spill.sought.next = self.sought.val();
        self.spill.exhausted.next = self.exhausted.val();
        self.spill.spill_limit.next = self.spill_limit.val();
        self.spill.spill_first.next = self.pointers.spill_first.val();
        self.spill.spill_end.next = self.pointers.spill_end.val();
        self.spill.spill_count.next = self.pointers.spill_count.val();
        self.spill.tail.next = self.pointers.tail.val();
        self.spill.memory_request_ready.next = self.memory_request_ready.val();
        self.spill.memory_response_valid.next = self.memory_response_valid.val();

        // The window: what is read and written in this cycle.
        self.read_index.next = self.pointers.head.val() - 1;
        if (self.state.q.val() == QueueState::Spilling) | (self.search.val() & self.back.val()) {
            self.read_index.next = self.pointers.tail.val();
        }
        if self.state.q.val() == QueueState::Scanning {
            self.read_index.next = self.position.q.val() - 1;
            if self.back.val() {
                self.read_index.next = self.position.q.val() + 1;
            }
        }
        if self.state.q.val() == QueueState::Recentering {
            self.read_index.next = self.recenter.read_index.val();
        }
        if self.state.q.val() == QueueState::Software {
            self.read_index.next = bit_cast::<POINTER_BITS, 8>(self.window_index.val());
        }
        self.window.read_enable.next = self.pop_now.val()
            | (self.search.val()
                & (self.state.d.val() == QueueState::Scanning)
                & ((self.state.q.val() == QueueState::Idle) | (self.state.q.val() == QueueState::Scanning)))
            | ((self.state.q.val() == QueueState::Spilling) & (self.state.d.val() == QueueState::Scanning))
            | self.recenter.read_enable.val()
            | self.spill.window_read.val()
            | (self.state.q.val() == QueueState::Software);
        self.write_index.next = self.pointers.push_head.val();
        self.window.write_data.next = self.path.entering.val();
        if self.place_now.val() {
            self.write_index.next = self.pointers.head.val();
            if self.back.val() {
                self.write_index.next = self.pointers.tail.val() - 1;
            }
        }
        if self.merge_now.val() {
            self.write_index.next = self.position.q.val();
            self.window.write_data.next = self.path.moved.val();
        }
        if self.recenter.write_enable.val() {
            self.write_index.next = self.recenter.write_index.val();
            self.window.write_data.next = self.path.moved.val();
        }
        if self.spill.window_write.val() {
            self.write_index.next = self.pointers.tail.val() - 1;
            self.window.write_data.next = self.path.moved.val();
        }
        if self.state.q.val() == QueueState::Software {
            self.write_index.next = bit_cast::<POINTER_BITS, 8>(self.window_index.val());
            self.window.write_data.next = self.window_data.val();
        }
        self.window.write_enable.next = self.push_now.val()
            | self.place_now.val()
            | self.merge_now.val()
            | self.recenter.write_enable.val()
            | self.spill.window_write.val()
            | ((self.state.q.val() == QueueState::Software) & self.window_write.val());
        self.read_entry.next = (bit_cast::<ENTRY_BITS, WARP_BITS>(self.operation_warp.val()) << self.index_bits.val())
            | bit_cast::<ENTRY_BITS, POINTER_BITS>(self.read_index.val());
        self.write_entry.next = (bit_cast::<ENTRY_BITS, WARP_BITS>(self.pointers.head_warp.val())
            << self.index_bits.val())
            | bit_cast::<ENTRY_BITS, POINTER_BITS>(self.write_index.val());
        self.window.read_address.next = self.read_entry.val();
        self.window.write_address.next = self.write_entry.val();
        self.path.stored.next = self.window.read_data.val();
        self.path.answer.next = self.memory_response_data.val();
        self.path.show_memory.next = self.spill.show_memory.val();
        self.path.merge_mask.next = self.operation_mask.val();
        self.path.merge_enable.next = (self.state.q.val() == QueueState::Scanning)
            | ((self.state.q.val() == QueueState::Spilling) & (self.command.q.val() == 2));

        // New pointers.
        self.pointers.head_warp.next = self.operation_warp.val();
        self.pointers.next_head.next = self.pointers.head.val() + 1;
        self.pointers.next_tail.next = self.pointers.tail.val() - 1;
        if self.push_now.val() {
            self.pointers.head_warp.next = self.push_warp.val();
            self.pointers.next_head.next = self.pointers.push_head.val() + 1;
        }
        if self.pop_now.val() {
            self.pointers.next_head.next = self.pointers.head.val() - 1;
            if self.last_out.val() {
                self.pointers.next_head.next = self.middle.val();
                self.pointers.next_tail.next = self.middle.val();
            }
        }
        if self.recenter.finished.val() {
            self.pointers.next_head.next = self.recenter.new_head.val();
            self.pointers.next_tail.next = self.recenter.new_tail.val();
        }
        if self.state.q.val() == QueueState::Spilling {
            self.pointers.next_tail.next = self.spill.next_tail.val();
        }
        self.pointers.next_first.next = self.spill.next_first.val();
        self.pointers.next_end.next = self.spill.next_end.val();
        self.pointers.next_count.next = self.spill.next_count.val();
        if self.state.q.val() == QueueState::Software {
            self.pointers.next_head.next = self.handler_head.val();
            self.pointers.next_tail.next = self.handler_tail.val();
            self.pointers.next_first.next = self.handler_spill_first.val();
            self.pointers.next_end.next = self.handler_spill_end.val();
            self.pointers.next_count.next = self.handler_spill_count.val();
        }
        self.pointers.spill_write.next = self.spill.pointer_write.val()
            | ((self.state.q.val() == QueueState::Software) & self.handler_pointer_write.val());
        self.pointers.tail_write.next = self.pointers.spill_write.val()
            | (self.place_now.val() & self.back.val())
            | self.last_out.val()
            | self.recenter.finished.val();
        self.pointers.head_write.next = self.push_now.val()
            | (self.place_now.val() & !self.back.val())
            | self.pop_now.val()
            | self.recenter.finished.val()
            | ((self.state.q.val() == QueueState::Software) & self.handler_pointer_write.val());
        self.sweep_enable.next = self.state.q.val() == QueueState::Sweeping;
        self.sweep_key.next = self.sweep.q.val();
        self.pointers.clear_enable.next = self.sweep_enable.val();
        self.pointers.clear_warp.next = bit_cast::<WARP_BITS, KEY_BITS>(self.sweep.q.val() >> 4);
        self.counter.clear_enable.next = self.sweep_enable.val();
        self.counter.clear_key.next = self.sweep.q.val();
        self.flags.clear_enable.next = self.sweep_enable.val();
        self.flags.clear_warp.next = self.pointers.clear_warp.val();

        // The answer, a cycle later.
        self.operation_found.next = self.find.val() & self.counter.count.val().any();
        self.operation_failed.next = self.fatal.val() & (self.state.q.val() == QueueState::Idle);
        self.answer_valid.d.next = self.operation_ready.val();
        self.answer_code.d.next = self.operation_code.val();
        self.answer_found.d.next = self.pop_now.val() | self.operation_found.val();
        self.answer_popped.d.next = self.pop_now.val();
        self.answer_merged.d.next = self.merged.q.val();
        self.answer_failed.d.next = self.operation_failed.val();
        self.answer_warp.d.next = self.operation_warp.val();
        self.answer_alone.d.next =
            (self.last_out.val() & !self.spilled.val()) | (self.find.val() & (self.counter.count.val() == 1));
        self.counter.pop_valid.next = self.answer_popped.q.val();
        self.counter.pop_warp.next = self.answer_warp.q.val();
        self.counter.pop_kind.next = self.path.kind.val();
        self.flags.leave_valid.next = self.answer_popped.q.val();
        self.flags.leave_alone.next = self.answer_alone.q.val();
        self.flags.show_warp.next = self.answer_warp.q.val();
        self.flags.show_kind.next = self.path.kind.val();
        self.flags.show_summary.next = self.path.summary.val();
        self.flags.show_alone.next = self.answer_alone.q.val();
        self.response_valid.next = self.answer_valid.q.val();
        self.response_code.next = self.answer_code.q.val();
        self.response_found.next = self.answer_found.q.val();
        self.response_merged.next = self.answer_merged.q.val();
        self.response_failed.next = self.answer_failed.q.val();
        self.response_warp.next = self.answer_warp.q.val();
        self.response_kind.next = self.path.kind.val();
        self.response_mask.next = self.path.mask.val();
        self.response_address.next = self.path.address.val();
        self.response_summary.next =
            self.path.summary.val() | (bit_cast::<4, 1>(self.flags.show_yield.val().into()) << 3);

        // Events, exceptions and the ports to software and memory.
        self.token_entered.next = self.flags.enter_valid.val();
        self.token_entered_warp.next = self.flags.enter_warp.val();
        self.token_left.next = self.pop_now.val();
        self.exception_valid.next = ((self.state.q.val() == QueueState::Idle)
            & self.operation_valid.val()
            & !self.search.val()
            & (self.handler.val() | self.fatal.val()))
            | (self.state.q.val() == QueueState::Software);
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
        if self.state.q.val() == QueueState::Software {
            self.exception_cause.next = self.cause.q.val();
        }
        self.exception_warp.next = self.operation_warp.val();
        self.window_read_data.next = self.window.read_data.val();
        self.queue_head.next = self.pointers.head.val();
        self.queue_tail.next = self.pointers.tail.val();
        self.spill_first.next = self.pointers.spill_first.val();
        self.spill_end.next = self.pointers.spill_end.val();
        self.spill_count.next = self.pointers.spill_count.val();
        self.memory_request_valid.next = self.spill.memory_request_valid.val();
        self.memory_request_write.next = self.spill.memory_request_write.val();
        self.memory_request_address.next = self.spill_base.val()
            | (bit_cast::<32, WARP_BITS>(self.operation_warp.val()) << 12)
            | bit_cast::<32, SPILL_BITS>(self.spill.slot.val());
        self.memory_request_data.next = self.path.moved.val();
        if self.command.q.val() == 4 {
            self.memory_request_data.next = self.path.entering.val();
        }
        self.memory_response_ready.next = self.spill.memory_response_ready.val();
    }
}
