//! Suspends and resumes thread blocks at a request, in the middle of what they do: their warps, their barriers and where they belong leave the core
//! for a save area in memory, and come back on other warps and in another slot.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `suspension_ports` | | requests, the save area: the surroundings of the core |
//! | `local_*` | out, in | local memory of the warps that leave is to be copied, until `local_done`; that was done, or there was no room |
//! | `leave_*` | out, `group` in | strobe: a warp has left; the handle of its local memory, which goes along |
//! | `hold_*`, `enter_*` | | the slots: the block in hand, its end there, its return |
//! | `launching`, `launch_*`, `launched*` | | a warp that comes back is launched |
//! | `freezes` | out | the warps of the slot in hand issue nothing but steps |
//! | `busy_warps`, `unsettled`, `warp_ready` | in | what is under way for whom |
//! | `offer_*` | out, `taken` in | what the engine is offered |
//! | `saved_*`, `look*`, `place`, `query_*` | | what the engine gives away and shows; `look_ready` (in): it shows what is looked at, and no observer looks instead |
//! | `barrier_*`, `answer_*` | | requests to the barrier scheduler, and their answers |
//!
//! **Timing** one request at a time, `suspend_ready` while none is at work. What a suspension takes: docs/core.md.
//! **Invariants** those of its parts. **Source** SM-05, CX-09, CX-10. **See also** `block_saver`, `block_restorer`, `warp_saver`, `warp_restorer`,
//! `barrier_mover`, `save_port`.

use super::barrier_mover::{BarrierMover, Command};
use super::block_restorer::BlockRestorer;
use super::block_saver::BlockSaver;
use super::save_port::SavePort;
use super::warp_restorer::WarpRestorer;
use super::warp_saver::WarpSaver;
use crate::divergence::token::Operation;
use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `WARP_BITS` + 1, `BLOCK_BITS` = 56 + `PROGRAM_BITS`. See the module's page.
    pub struct SuspensionUnit<
        const WARPS: usize, const WARP_BITS: usize, const COUNT_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const PROGRAM_BITS: usize, const BLOCK_BITS: usize, const GROUP_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The core has barriers.
            pub barriers_enable: Signal<In, Bit>,
            /// The slot in hand.
            #[reads(early)]
            pub hold_slot: Signal<Out, Bits<WARP_BITS>>,
            /// Its warps.
            pub hold_warps: Signal<In, Bits<WARPS>>,
            /// Some of them are not launched yet.
            pub hold_pending: Signal<In, Bit>,
            /// Its block.
            pub hold_record: Signal<In, Bits<BLOCK_BITS>>,
            /// That is shown.
            pub hold_clear: Signal<In, Bit>,
            /// The block leaves its slot.
            pub hold_leaves: Signal<Out, Bit>,
            /// A block asks for room.
            pub enter_valid: Signal<Out, Bit>,
            /// There is.
            pub enter_ready: Signal<In, Bit>,
            /// In this slot.
            pub enter_slot: Signal<In, Bits<WARP_BITS>>,
            /// Warps and slots that it may have.
            pub enter_warps: Signal<Out, Bits<WARPS>>,
            /// How many warps it needs.
            pub enter_count: Signal<Out, Bits<COUNT_BITS>>,
            /// The block.
            pub enter_record: Signal<Out, Bits<BLOCK_BITS>>,
            /// A warp that comes back is to be launched.
            pub launching: Signal<Out, Bit>,
            /// It is.
            pub launched: Signal<In, Bit>,
            /// On this one.
            pub launched_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub launch_place: Signal<Out, Bits<WARP_BITS>>,
            /// Its live threads.
            pub launch_threads: Signal<Out, Bits<THREADS>>,
            /// Where it goes on.
            pub launch_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its yield state.
            pub launch_yields: Signal<Out, Bits<16>>,
            /// The handle of its local memory.
            pub launch_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Local memory is to be copied.
            pub local_valid: Signal<Out, Bit>,
            /// Of these warps.
            pub local_warps: Signal<Out, Bits<WARPS>>,
            /// It was, or could not be.
            pub local_done: Signal<In, Bit>,
            /// It could not be.
            pub local_failed: Signal<In, Bit>,
            /// A warp has left.
            pub leave_valid: Signal<Out, Bit>,
            /// Which; also while it is only looked at.
            pub leave_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The handle of its local memory.
            pub leave_group: Signal<In, Bits<GROUP_BITS>>,
            /// The warps of the slot in hand issue nothing but steps.
            pub freezes: Signal<Out, Bit>,
            /// Warps for which something is under way at barriers or memory.
            pub busy_warps: Signal<In, Bits<WARPS>>,
            /// An offer or a launch is under way.
            pub unsettled: Signal<In, Bit>,
            /// Warps that the engine lets issue.
            pub warp_ready: Signal<In, Bits<WARPS>>,
            /// The engine is offered something.
            pub offer_valid: Signal<Out, Bit>,
            /// It accepts.
            pub offer_taken: Signal<In, Bit>,
            /// For which warp.
            pub offer_warp: Signal<Out, Bits<WARP_BITS>>,
            /// What it does.
            pub offer_operation: Signal<Out, Bits<4>>,
            /// Kind of reason or token.
            pub offer_kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub offer_mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub offer_target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A token leaves.
            pub saved_valid: Signal<In, Bit>,
            /// No token was left.
            pub saved_last: Signal<In, Bit>,
            /// The token's kind.
            pub saved_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub saved_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub saved_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The query port is needed.
            pub look: Signal<Out, Bit>,
            /// For this warp.
            pub look_warp: Signal<Out, Bits<WARP_BITS>>,
            /// And this reason.
            pub look_kind: Signal<Out, Bits<4>>,
            /// It shows that.
            pub look_ready: Signal<In, Bit>,
            /// Its number in its block.
            pub place: Signal<In, Bits<WARP_BITS>>,
            /// Its address.
            pub query_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its active threads.
            pub query_active: Signal<In, Bits<THREADS>>,
            /// Its threads disabled for the reason.
            pub query_disabled: Signal<In, Bits<THREADS>>,
            /// Its yield state.
            pub query_yields: Signal<In, Bits<16>>,
            /// A request to the barrier scheduler.
            pub barrier_valid: Signal<Out, Bit>,
            /// It is accepted.
            pub barrier_ready: Signal<In, Bit>,
            /// What is asked for.
            pub barrier_operation: Signal<Out, Bits<4>>,
            /// The barrier.
            pub barrier_number: Signal<Out, Bits<3>>,
            /// The scheduler's block.
            pub barrier_block: Signal<Out, Bits<3>>,
            /// The word.
            pub barrier_word: Signal<Out, Bits<4>>,
            /// Its value, or the patience.
            pub barrier_data: Signal<Out, Bits<64>>,
            /// The request is answered.
            pub answer_valid: Signal<In, Bit>,
            /// It must be presented again.
            pub answer_refused: Signal<In, Bit>,
            /// It is in error.
            pub answer_error: Signal<In, Bit>,
            /// The word that was asked for.
            pub answer_saved: Signal<In, Bits<64>>,
        }
        shared { suspension_ports }
        parts {
            area: SavePort,
            leaving: BlockSaver<WARPS, WARP_BITS, COUNT_BITS, THREADS, BLOCK_BITS>,
            returning: BlockRestorer<WARPS, WARP_BITS, COUNT_BITS, PROGRAM_BITS, BLOCK_BITS>,
            saver: WarpSaver<WARP_BITS, THREADS, ADDRESS_BITS, GROUP_BITS>,
            restorer: WarpRestorer<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, GROUP_BITS>,
            mover: BarrierMover,
            waits: Register<Bits<16>>,
            accepted: Signal<Local, Bit>,
            operation_withdraw: Constant<Bits<4>> = Constant::new(bits(Operation::Withdraw as u64)),
            command_restore: Constant<Bits<2>> = Constant::new(bits(Command::Restore as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const COUNT_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const PROGRAM_BITS: usize,
        const BLOCK_BITS: usize,
        const GROUP_BITS: usize,
    > Logic
    for SuspensionUnit<WARPS, WARP_BITS, COUNT_BITS, THREADS, ADDRESS_BITS, PROGRAM_BITS, BLOCK_BITS, GROUP_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits);
        clock!(self, clock, area, leaving, returning, saver, restorer, mover);
        self.area.reset.next = self.reset.val();
        self.leaving.reset.next = self.reset.val();
        self.returning.reset.next = self.reset.val();
        self.saver.reset.next = self.reset.val();
        self.restorer.reset.next = self.reset.val();
        self.mover.reset.next = self.reset.val();

        // Requests: one block at a time, out or in.
        self.suspend_ready.next = !self.leaving.busy.val() & !self.returning.busy.val();
        self.accepted.next = self.suspend_valid.val() & self.suspend_ready.val();
        if self.accepted.val() {
            self.waits.d.next = self.suspend_patience.val();
        }
        self.leaving.start.next = self.accepted.val() & !self.suspend_resumes.val();
        self.leaving.start_slot.next = self.suspend_slot.val();
        self.returning.start.next = self.accepted.val() & self.suspend_resumes.val();
        self.returning.start_warps.next = self.suspend_warps.val();
        self.suspend_done.next = self.leaving.done.val() | self.returning.done.val();
        self.suspend_failure.next = 0.into();
        if self.leaving.busy.val() {
            self.suspend_failure.next = self.leaving.failure.val();
        }
        self.suspend_end.next = self.area.pointer.val();
        self.suspend_held.next = self.hold_slot.val();
        self.leaving.barriers_enable.next = self.barriers_enable.val();
        self.returning.barriers_enable.next = self.barriers_enable.val();
        self.freezes.next = self.leaving.freezes.val() | self.returning.freezes.val();

        // The slots.
        self.hold_slot.next = self.leaving.hold_slot.val();
        if self.returning.busy.val() {
            self.hold_slot.next = self.returning.hold_slot.val();
        }
        self.leaving.hold_warps.next = self.hold_warps.val();
        self.leaving.hold_pending.next = self.hold_pending.val();
        self.leaving.hold_record.next = self.hold_record.val();
        self.leaving.hold_clear.next = self.hold_clear.val();
        self.leaving.busy_warps.next = self.busy_warps.val();
        self.leaving.unsettled.next = self.unsettled.val();
        self.leaving.warp_ready.next = self.warp_ready.val();
        self.leaving.query_active.next = self.query_active.val();
        self.leaving.query_disabled.next = self.query_disabled.val();
        self.hold_leaves.next = self.leaving.hold_leaves.val();
        self.enter_valid.next = self.returning.enter_valid.val();
        self.returning.enter_ready.next = self.enter_ready.val();
        self.returning.enter_slot.next = self.enter_slot.val();
        self.enter_warps.next = self.returning.enter_warps.val();
        self.enter_count.next = self.returning.enter_count.val();
        self.enter_record.next = self.returning.enter_record.val();
        self.local_valid.next = self.leaving.local_valid.val();
        self.local_warps.next = self.leaving.local_warps.val();
        self.leaving.local_done.next = self.local_done.val();
        self.leaving.local_failed.next = self.local_failed.val();

        // A warp leaves, or comes back.
        self.saver.start.next = self.leaving.save_start.val();
        self.leaving.save_done.next = self.saver.done.val();
        self.saver.saved_valid.next = self.saved_valid.val();
        self.saver.saved_last.next = self.saved_last.val();
        self.saver.saved_kind.next = self.saved_kind.val();
        self.saver.saved_mask.next = self.saved_mask.val();
        self.saver.saved_address.next = self.saved_address.val();
        self.saver.place.next = self.place.val();
        self.saver.query_address.next = self.query_address.val();
        self.saver.query_active.next = self.query_active.val();
        self.saver.query_disabled.next = self.query_disabled.val();
        self.saver.query_yields.next = self.query_yields.val();
        self.saver.group.next = self.leave_group.val();
        self.leave_valid.next = self.saver.done.val();
        self.leave_warp.next = self.leaving.save_warp.val();
        self.leaving.look_ready.next = self.look_ready.val();
        self.saver.look_ready.next = self.look_ready.val();
        self.look.next = self.saver.look.val() | self.leaving.look.val();
        self.look_warp.next = self.leaving.save_warp.val();
        self.look_kind.next = self.saver.look_kind.val();
        if self.leaving.look.val() {
            self.look_warp.next = self.leaving.look_warp.val();
            self.look_kind.next = self.leaving.look_kind.val();
        }
        self.restorer.start.next = self.returning.restore_start.val();
        self.returning.restore_done.next = self.restorer.done.val();
        self.launching.next = self.restorer.launching.val();
        self.restorer.launched.next = self.launched.val();
        self.restorer.launched_warp.next = self.launched_warp.val();
        self.launch_place.next = self.restorer.launch_place.val();
        self.launch_threads.next = self.restorer.launch_threads.val();
        self.launch_address.next = self.restorer.launch_address.val();
        self.launch_yields.next = self.restorer.launch_yields.val();
        self.launch_group.next = self.restorer.launch_group.val();
        self.restorer.ready.next = self.warp_ready.val();
        self.offer_valid.next = self.saver.offer_valid.val() | self.restorer.offer_valid.val();
        self.saver.offer_taken.next = self.offer_taken.val() & self.saver.offer_valid.val();
        self.restorer.offer_taken.next = self.offer_taken.val() & self.restorer.offer_valid.val();
        self.offer_warp.next = self.restorer.offer_warp.val();
        self.offer_operation.next = self.restorer.offer_operation.val();
        self.offer_kind.next = self.restorer.offer_kind.val();
        self.offer_mask.next = self.restorer.offer_mask.val();
        self.offer_target.next = self.restorer.offer_target.val();
        if self.saver.offer_valid.val() {
            self.offer_warp.next = self.leaving.save_warp.val();
            self.offer_operation.next = self.operation_withdraw.val();
            self.offer_kind.next = 0.into();
            self.offer_mask.next = 0.into();
            self.offer_target.next = 0.into();
        }

        // The barriers.
        self.mover.start.next = self.leaving.barrier_start.val() | self.returning.barrier_start.val();
        self.mover.command.next = self.leaving.barrier_command.val();
        if self.returning.busy.val() {
            self.mover.command.next = self.command_restore.val();
        }
        self.mover.patience.next = self.waits.q.val();
        self.leaving.barrier_done.next = self.mover.done.val();
        self.leaving.barrier_failed.next = self.mover.failed.val();
        self.returning.barrier_done.next = self.mover.done.val();
        self.barrier_valid.next = self.mover.request_valid.val();
        self.mover.request_ready.next = self.barrier_ready.val();
        self.barrier_operation.next = self.mover.request_operation.val();
        self.barrier_number.next = self.mover.request_barrier.val();
        self.barrier_block.next = self.mover.request_block.val();
        self.barrier_word.next = self.mover.request_word.val();
        self.barrier_data.next = self.mover.request_data.val();
        self.mover.answer_valid.next = self.answer_valid.val();
        self.mover.answer_refused.next = self.answer_refused.val();
        self.mover.answer_error.next = self.answer_error.val();
        self.mover.answer_saved.next = self.answer_saved.val();

        // The save area.
        self.area.load_valid.next = self.accepted.val() | self.returning.load_valid.val();
        self.area.load_address.next = self.suspend_address.val();
        if self.returning.load_valid.val() {
            self.area.load_address.next = self.returning.load_address.val();
        }
        self.leaving.pointer.next = self.area.pointer.val();
        self.area.push_valid.next =
            self.leaving.push_valid.val() | self.saver.push_valid.val() | self.mover.push_valid.val();
        self.area.push_data.next = self.leaving.push_data.val();
        if self.saver.push_valid.val() {
            self.area.push_data.next = self.saver.push_data.val();
        } else if self.mover.push_valid.val() {
            self.area.push_data.next = self.mover.push_data.val();
        }
        self.leaving.push_ready.next = self.area.push_ready.val();
        self.saver.push_ready.next = self.area.push_ready.val();
        self.mover.push_ready.next = self.area.push_ready.val();
        self.area.pop_valid.next =
            self.returning.pop_valid.val() | self.restorer.pop_valid.val() | self.mover.pop_valid.val();
        self.area.upward.next = self.returning.upward.val();
        self.returning.pop_ready.next = self.area.pop_ready.val();
        self.restorer.pop_ready.next = self.area.pop_ready.val();
        self.mover.pop_ready.next = self.area.pop_ready.val();
        self.returning.pop_data.next = self.area.pop_data.val();
        self.restorer.pop_data.next = self.area.pop_data.val();
        self.mover.pop_data.next = self.area.pop_data.val();
        self.save_request_valid.next = self.area.memory_request_valid.val();
        self.area.memory_request_ready.next = self.save_request_ready.val();
        self.save_request_write.next = self.area.memory_request_write.val();
        self.save_request_address.next = self.area.memory_request_address.val();
        self.save_request_data.next = self.area.memory_request_data.val();
        self.area.memory_response_valid.next = self.save_response_valid.val();
        self.save_response_ready.next = self.area.memory_response_ready.val();
        self.area.memory_response_data.next = self.save_response_data.val();
    }
}
