//! A double-ended queue of tokens for each of several warps: the front behaves as a convergence stack does, the back
//! takes the tokens of threads that yield. Each queue is a linear window of on-chip RAM that recenters itself and spills to memory.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `push_*` | in, `push_ready` out | front pushes, one a cycle, never more than a cycle |
//! | `operation_*` | in, `operation_ready` out | everything else ([`QueueOperation`]), stable until ready; `operation_announce`: the next cycle brings it, search now |
//! | `operation_found`, `operation_failed` | out | with `operation_ready`: the find's answer; the spill area is full |
//! | `response_*` | out | the answer, one cycle after the operation was accepted |
//! | `token_*` | out | strobes: a token entered or left a queue |
//! | `sweep_*` | out | flags of {warp, kind} that are being cleared, for state that the user keeps beside them |
//! | `exception_*`, `handler_*`, `window_*`, `queue_*`, `spill_*`, `memory_*` | | those of [`queue_ports`](super::queue_ports) |
//!
//! **Timing** push front, pop front, push back and YIELD take one cycle when no yield token is in the queue to be searched and no handler is
//! needed; a search takes n + 2, where n are the tokens in front of the one that a find finds, or the yield tokens that a push back or YIELD
//! looks at, and those in memory take its time besides; recentering 2n + 1 for n tokens. After reset the tables are swept, 16 cycles a warp, and
//! both readys stay low. `push_ready` depends on `push_warp`, `operation_*` and nothing else of the cycle's inputs but the memory's;
//! `operation_ready` on the operation and the memory.
//! **Invariants** 1. each warp's pops are those of an unbounded deque. 2. at most one yield token for an address. 3. tokens lie in `tail..head`,
//! and behind them in the spill area; an empty window lies at the mid point. 4. an operation that meets an exception changes nothing until the
//! handler is done. 5. flags and summaries are true. 6. a sweep, a search, a window's move, the spill engine and the software handler work one at
//! a time, all but the sweep for an operation that waits. Front pushes wait while a token is being written to memory; back pushes carry yield
//! whatever `operation_kind` says. A front push carries yield only where the tokens of a saved warp are put back (CX-09): onto yield tokens
//! alone, each of another address.
//! **Source** US 9,459,876, the double-sided queue; DQ-03 to DQ-13. **See also** the reference model `token_deque` of the simulator.

use super::kind_flags::KindFlags;
use super::queue_answer::QueueAnswer;
use super::queue_pointers::QueuePointers;
use super::queue_sequencer::QueueSequencer;
use super::recenter_engine::RecenterEngine;
use super::spill_engine::{SpillCommand, SpillEngine, SPILL_BITS};
use super::token::Kind;
use super::token_path::TokenPath;
use super::window_control::WindowControl;
use crate::prelude::*;

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
            /// Kind of the token; yield only onto yield tokens of other addresses, as a saved warp is put back.
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
        }
        shared { queue_ports }
        parts {
            sweep: Register<Bits<KEY_BITS>>,
            window: Ram<ENTRY_BITS, TOKEN_BITS>,
            #[reads_back(sought)]
            sequencer: QueueSequencer,
            control: WindowControl<POINTER_BITS>,
            answer: QueueAnswer<WARP_BITS>,
            pointers: QueuePointers<WARP_BITS, POINTER_BITS>,
            #[reads_back(enter_valid, enter_warp, empties)]
            flags: KindFlags<WARPS, WARP_BITS, KEY_BITS>,
            #[reads_back(operation_kind, replace)]
            path: TokenPath<THREADS, ADDRESS_BITS, TOKEN_BITS>,
            recenter: RecenterEngine<POINTER_BITS>,
            spill: SpillEngine<POINTER_BITS>,
            spilled: Signal<Local, Bit>,
            area_full: Signal<Local, Bit>,
            searching: Signal<Local, Bit>,
            engines_write: Signal<Local, Bit>,
            engine_works: Signal<Local, Bit>,
            path_taken: Signal<Local, Bit>,
            push_blocked: Signal<Local, Bit>,
            push_now: Signal<Local, Bit>,
            software_write: Signal<Local, Bit>,
            index_bits: Constant<Bits<8>> = Constant::new(bits(POINTER_BITS as u64 - 1)),
            last_key: Constant<Bits<KEY_BITS>> = Constant::new(bits(16 * WARPS as u64 - 1)),
            area_bits: Constant<Bits<8>> = Constant::new(bits(12 + WARP_BITS as u64)),
            command_search: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Search as u64)),
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
        dff_setup!(self, clock, sweep);
        clock!(self, clock, window, sequencer, control, answer, pointers, flags, path, recenter, spill);
        self.window.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.control.reset.next = self.reset.val();
        self.answer.reset.next = self.reset.val();
        self.flags.reset.next = self.reset.val();
        self.path.reset.next = self.reset.val();
        self.recenter.reset.next = self.reset.val();
        self.spill.reset.next = self.reset.val();

        // Where the operation's queue stands.
        self.pointers.warp.next = self.operation_warp.val();
        self.pointers.push_warp.next = self.push_warp.val();
        self.spilled.next = self.pointers.spilled.val();
        self.area_full.next = self.pointers.spill_count.val() == self.spill_limit.val();
        self.sequencer.operation_valid.next = self.operation_valid.val();
        self.sequencer.operation_announce.next = self.operation_announce.val();
        self.sequencer.operation_code.next = self.operation_code.val();
        self.sequencer.window_empty.next = self.pointers.head.val() == self.pointers.tail.val();
        self.sequencer.front_met.next = self.pointers.head.val().get_bit(self.index_bits.val());
        self.sequencer.back_met.next = !self.pointers.tail.val().any();
        self.sequencer.spilled.next = self.spilled.val();
        self.sequencer.area_full.next = self.area_full.val();
        self.sequencer.present.next = self.flags.present.val();
        self.sequencer.yield_present.next = self.flags.yield_present.val();
        self.sequencer.shown_yield.next = self.window.read_data.val().get_bits::<4>(0) == self.kind_yield.val();
        self.sequencer.sought.next = (self.path.kind.val() == self.path.operation_kind.val())
            & (self.sequencer.find.val() | (self.path.address.val() == self.operation_address.val()));
        self.sequencer.scan_at_end.next = self.control.scan_at_end.val();
        self.sequencer.handler_software.next = self.handler_software.val();
        self.sequencer.handler_done.next = self.handler_done.val();
        self.sequencer.recenter_finished.next = self.recenter.finished.val();
        self.sequencer.spill_finished.next = self.spill.finished.val();
        self.sequencer.spill_matched.next = self.spill.matched.val();
        self.sequencer.spill_exhausted.next = self.spill.exhausted.val();
        self.sequencer.spill_appended.next = self.spill.end_write.val();
        self.sequencer.spill_passed.next = self.spill.passed.val();
        self.operation_ready.next = self.sequencer.operation_ready.val();
        self.operation_failed.next = self.sequencer.operation_failed.val();
        self.operation_found.next = self.sequencer.find.val() & self.flags.present.val();
        self.exception_valid.next = self.sequencer.exception_valid.val();
        self.exception_cause.next = self.sequencer.exception_cause.val();
        self.exception_warp.next = self.operation_warp.val();

        // The sweep: all warps after reset, the operation's for a clear.
        self.sweep.d.next = bit_cast::<KEY_BITS, WARP_BITS>(self.operation_warp.val()) << 4;
        if self.sequencer.sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        self.sequencer.sweep_finished.next = self.sweep.q.val().get_bits::<4>(0).all()
            & (self.sequencer.swept.val() | (self.sweep.q.val() == self.last_key.val()));
        self.sweep_enable.next = self.sequencer.sweeping.val();
        self.sweep_key.next = self.sweep.q.val();
        self.pointers.clear_enable.next = self.sequencer.sweeping.val();
        self.pointers.clear_warp.next = bit_cast::<WARP_BITS, KEY_BITS>(self.sweep.q.val() >> 4);
        self.flags.clear_enable.next = self.sequencer.sweeping.val();
        self.flags.clear_key.next = self.sweep.q.val();

        // The push port: one front push a cycle beside the operation, where the write ports allow it.
        self.engines_write.next = (self.recenter.write_enable.val() | self.spill.memory_request_write.val())
            | (self.sequencer.sweeping.val() | self.sequencer.software.val())
            | self.spill.window_write.val();
        self.engine_works.next = self.sequencer.recentering.val() | self.sequencer.spilling.val();
        self.path_taken.next = self.engines_write.val()
            | (!self.sequencer.find.val()
                & (self.sequencer.scanning.val() | (self.operation_valid.val() & !self.engine_works.val())));
        self.push_blocked.next = self.path_taken.val()
            | ((self.operation_valid.val() | self.operation_announce.val())
                & (self.operation_warp.val() == self.push_warp.val()));
        self.push_ready.next = !self.push_blocked.val() & !self.pointers.push_head.val().get_bit(self.index_bits.val());
        self.push_now.next = self.push_valid.val() & self.push_ready.val();

        // The token that enters, from either port.
        self.flags.query_warp.next = self.operation_warp.val();
        self.flags.query_kind.next = self.operation_kind.val();
        self.path.operation_kind.next = self.operation_kind.val();
        if self.sequencer.back.val() {
            self.path.operation_kind.next = self.kind_yield.val();
        }
        self.flags.enter_kind.next = self.push_kind.val();
        self.flags.enter_warp.next = self.push_warp.val();
        if self.path_taken.val() {
            self.flags.enter_kind.next = self.path.operation_kind.val();
            self.flags.enter_warp.next = self.operation_warp.val();
        }
        self.flags.push_warp.next = self.push_warp.val();
        self.flags.push_kind.next = self.push_kind.val();
        self.flags.enter_pushed.next = !self.path_taken.val();
        self.flags.enter_back.next = self.sequencer.back.val();
        self.flags.enter_valid.next = self.push_now.val() | self.sequencer.place_now.val() | self.spill.end_write.val();
        self.token_entered.next = self.flags.enter_valid.val() | self.sequencer.pass_now.val();
        self.token_entered_warp.next = self.flags.enter_warp.val();
        self.token_left.next = self.sequencer.pop_now.val() | self.sequencer.pass_now.val();
        self.path.push_kind.next = self.push_kind.val();
        self.path.push_mask.next = self.push_mask.val();
        self.path.push_address.next = self.push_address.val();
        self.path.operation_mask.next = self.operation_mask.val();
        self.path.operation_address.next = self.operation_address.val();
        self.path.enter_summary.next = self.flags.enter_summary.val();
        self.path.stored.next = self.window.read_data.val();
        self.path.answer.next = self.memory_response_data.val();
        self.path.show_memory.next = self.spill.show_memory.val();
        self.searching.next =
            self.sequencer.spilling.val() & self.sequencer.spill_command.val().get_bit(self.command_search.val());
        self.path.replace.next = self.sequencer.deciding.val() | self.sequencer.append.val();
        self.path.merge.next = self.path.replace.val() | self.sequencer.scanning.val() | self.searching.val();
        self.path.from_push.next = !self.path_taken.val();
        self.path.pass.next = self.sequencer.pass_now.val();
        self.path.show_software.next = self.sequencer.software.val();
        self.path.software_data.next = self.window_data.val();

        // The window, and where it lies.
        self.control.head.next = self.pointers.head.val();
        self.control.tail.next = self.pointers.tail.val();
        self.control.push_head.next = self.pointers.push_head.val();
        self.control.from_push.next = !self.path_taken.val();
        self.control.push_now.next = self.push_now.val();
        self.control.front.next = self.sequencer.front.val();
        self.control.back.next = self.sequencer.back.val();
        self.control.deciding.next = self.sequencer.deciding.val();
        self.control.search_back.next = self.sequencer.search_back.val();
        self.control.place_now.next = self.sequencer.place_now.val();
        self.control.pop.next = self.sequencer.pop.val();
        self.control.pop_only.next = self.sequencer.pop_only.val();
        self.control.pop_now.next = self.sequencer.pop_now.val();
        self.control.scanning.next = self.sequencer.scanning.val();
        self.control.recentering.next = self.sequencer.recentering.val();
        self.control.recenter_write.next = self.recenter.write_enable.val();
        self.control.recenter_index.next = self.recenter.write_index.val();
        self.control.recenter_finished.next = self.recenter.finished.val();
        self.control.recenter_head.next = self.recenter.new_head.val();
        self.control.recenter_tail.next = self.recenter.new_tail.val();
        self.control.spilling.next = self.sequencer.spilling.val();
        self.control.spill_tail_write.next = self.spill.tail_write.val();
        self.control.spill_tail_up.next = self.spill.tail_up.val();
        self.control.software.next = self.sequencer.software.val();
        self.control.software_index.next = self.window_index.val();
        self.software_write.next = self.sequencer.software.val() & self.handler_pointer_write.val();
        self.control.software_write.next = self.software_write.val();
        self.control.software_head.next = self.handler_head.val();
        self.control.software_tail.next = self.handler_tail.val();
        self.window.read_enable.next = self.sequencer.pop_now.val()
            | self.sequencer.scan_now.val()
            | self.searching.val()
            | self.recenter.read_enable.val()
            | self.spill.window_read.val()
            | self.sequencer.software.val();
        self.window.write_enable.next = self.push_now.val()
            | self.sequencer.place_now.val()
            | self.sequencer.merge_now.val()
            | self.recenter.write_enable.val()
            | self.spill.window_write.val()
            | (self.sequencer.software.val() & self.window_write.val());
        self.window.read_address.next = (bit_cast::<ENTRY_BITS, WARP_BITS>(self.operation_warp.val())
            << self.index_bits.val())
            | bit_cast::<ENTRY_BITS, POINTER_BITS>(self.control.read_index.val());
        self.window.write_address.next = (bit_cast::<ENTRY_BITS, WARP_BITS>(self.flags.enter_warp.val())
            << self.index_bits.val())
            | bit_cast::<ENTRY_BITS, POINTER_BITS>(self.control.write_index.val());
        self.window.write_data.next = self.path.moved.val();
        self.pointers.head_warp.next = self.flags.enter_warp.val();
        self.pointers.head_write.next = self.control.head_write.val();
        self.pointers.next_head.next = self.control.next_head.val();
        self.pointers.tail_write.next = self.control.tail_write.val();
        self.pointers.next_tail.next = self.control.next_tail.val();
        self.pointers.to_middle.next = self.control.to_middle.val();
        self.pointers.first_write.next = self.spill.first_write.val();
        self.pointers.end_write.next = self.spill.end_write.val();
        self.pointers.next_slot.next = self.spill.next_slot.val();
        self.pointers.count_write.next = self.spill.count_write.val();
        self.pointers.next_spilled.next = self.spill.next_spilled.val();
        self.pointers.next_count.next = self.spill.next_count.val();
        self.pointers.software_write.next = self.software_write.val();
        self.pointers.software_first.next = self.handler_spill_first.val();
        self.pointers.software_end.next = self.handler_spill_end.val();
        self.pointers.software_count.next = self.handler_spill_count.val();

        // The engines.
        self.recenter.start.next = self.sequencer.recenter_start.val();
        self.recenter.enable.next = self.sequencer.recentering.val();
        self.recenter.at_front.next = self.sequencer.front.val();
        self.recenter.head.next = self.pointers.head.val();
        self.recenter.tail.next = self.pointers.tail.val();
        self.recenter.position.next = self.control.position.val();
        self.spill.enable.next = self.sequencer.spilling.val();
        self.spill.command.next = self.sequencer.spill_command.val();
        self.spill.sought.next = self.sequencer.sought.val();
        self.spill.shown_yield.next = self.path.kind.val() == self.kind_yield.val();
        self.spill.spilled.next = self.spilled.val();
        self.spill.area_full.next = self.area_full.val();
        self.spill.spill_limit.next = self.spill_limit.val();
        self.spill.spill_first.next = self.pointers.spill_first.val();
        self.spill.spill_end.next = self.pointers.spill_end.val();
        self.spill.spill_count.next = self.pointers.spill_count.val();
        self.spill.tail.next = self.pointers.tail.val();
        self.spill.memory_request_ready.next = self.memory_request_ready.val();
        self.spill.memory_response_valid.next = self.memory_response_valid.val();

        // The answer, a cycle later.
        self.answer.accepted.next = self.sequencer.operation_ready.val();
        self.answer.code.next = self.operation_code.val();
        self.answer.warp.next = self.operation_warp.val();
        self.answer.pops.next = self.sequencer.pop_now.val();
        self.answer.finds.next = self.operation_found.val() | self.sequencer.pass_now.val();
        self.answer.merged.next = self.sequencer.merged.val();
        self.answer.failed.next = self.sequencer.operation_failed.val();
        self.flags.empties.next = self.control.last_out.val() & !self.spilled.val();
        self.answer.alone.next = self.flags.empties.val() | self.sequencer.pass_now.val();
        if self.sequencer.scanning.val() & self.sequencer.find.val() {
            self.answer.alone.next = self.control.scan_at_end.val() & !self.spilled.val();
        }
        if self.sequencer.spilling.val() {
            self.answer.alone.next = self.spill.at_end.val();
        }
        self.flags.leave_valid.next = self.answer.response_popped.val();
        self.flags.leave_warp.next = self.answer.response_warp.val();
        self.flags.shown_kind.next = self.path.kind.val();
        self.flags.shown_summary.next = self.path.summary.val();
        self.flags.shown_alone.next = self.answer.response_alone.val();
        self.response_valid.next = self.answer.response_valid.val();
        self.response_code.next = self.answer.response_code.val();
        self.response_found.next = self.answer.response_found.val();
        self.response_merged.next = self.answer.response_merged.val();
        self.response_failed.next = self.answer.response_failed.val();
        self.response_warp.next = self.answer.response_warp.val();
        self.response_kind.next = self.path.kind.val();
        self.response_mask.next = self.path.mask.val();
        self.response_address.next = self.path.address.val();
        self.response_summary.next = bit_cast::<4, 3>(self.path.summary.val().get_bits::<3>(0))
            | (bit_cast::<4, 1>(self.flags.shown_yield.val().into()) << 3);

        // The ports to software and memory. The spill area of a warp is named by the bits between its base and the slot.
        self.window_read_data.next = self.window.read_data.val();
        self.queue_head.next = self.pointers.head.val();
        self.queue_tail.next = self.pointers.tail.val();
        self.spill_first.next = self.pointers.spill_first.val();
        self.spill_end.next = self.pointers.spill_end.val();
        self.spill_count.next = self.pointers.spill_count.val();
        self.memory_request_valid.next = self.spill.memory_request_valid.val();
        self.memory_request_write.next = self.spill.memory_request_write.val();
        self.memory_request_address.next = ((self.spill_base.val() >> self.area_bits.val()) << self.area_bits.val())
            | (bit_cast::<32, WARP_BITS>(self.operation_warp.val()) << 12)
            | bit_cast::<32, SPILL_BITS>(self.spill.slot.val());
        self.memory_request_data.next = self.path.moved.val();
        self.memory_response_ready.next = self.spill.memory_response_ready.val();
    }
}
