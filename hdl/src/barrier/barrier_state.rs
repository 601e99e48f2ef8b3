//! What becomes of a barrier in its cycle in the execute stage: it starts, completes, is released, turns dynamic or idle.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `act`, `operation`, `first` | in | what happens in the execute stage |
//! | `starts`, `fresh`, `stamp`, `counted_any`, `visited_any`, `asleep_any` | in | [what the arrival does](super::arrival_answer) |
//! | `changed`, `moved` | in | how many threads count from now on, or (exit) count no more; fall asleep, or (exit) live no more |
//! | `word`, `data` | in | of a Deposit: what is put back, and its value ([`SavedWord`](super::operation::SavedWord)) |
//! | `state`, `count`, `sleepers`, `filled`, `configuration`, `kind` | in | [the barrier](super::barrier_table) |
//! | `next_*` | out | the same from the next cycle on |
//! | `completes_*`, `dynamic_valid`, `release_valid`, `reset_valid`, `idle_valid`, `timeout_valid` | out | events of this cycle |
//!
//! **Timing** combinational.
//! **Invariants** 1. `count` is the number of arrived bits that the condition counts. 2. a barrier that turns idle has no sleepers, and a barrier
//! turns from static to idle or dynamic only when it is complete, void or reset. 3. its phase changes exactly when sleepers are released or
//! a split phase ends.
//! **Source** US 9,448,803, figure 6A; BR-11 to BR-14, BR-22, BR-24, BR-25, BR-39, BR-45, BR-50, CX-09, CX-10.

use super::membership::Membership;
use super::operation::{BarrierOperation, SavedWord};
use super::request_stage::{ATTEND, FINISH};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct BarrierState<const BLOCKS: usize, const BLOCK_BITS: usize, const COUNT_BITS: usize> {
        ports {
            /// The execute stage takes effect.
            pub act: Signal<In, Bit>,
            /// What is in it.
            pub operation: Signal<In, Bits<4>>,
            /// It is no later step.
            pub first: Signal<In, Bit>,
            /// The thread block of the request.
            pub thread_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Its operand, for a launch.
            pub threads: Signal<In, Bits<COUNT_BITS>>,
            /// What a Deposit puts back.
            pub word: Signal<In, Bits<4>>,
            /// Its value.
            pub data: Signal<In, Bits<64>>,
            /// The flags of an arrival.
            pub request_kind: Signal<In, Bits<5>>,
            /// A Configure brings another word.
            pub reconfigured: Signal<In, Bit>,
            /// The barrier turns from idle to static.
            pub starts: Signal<In, Bit>,
            /// What it remembers is void.
            pub fresh: Signal<In, Bit>,
            /// Its clock starts.
            pub stamp: Signal<In, Bit>,
            /// Threads count from now on.
            pub counted_any: Signal<In, Bit>,
            /// Threads are seen without taking part.
            pub visited_any: Signal<In, Bit>,
            /// Threads fall asleep.
            pub asleep_any: Signal<In, Bit>,
            /// Threads that count from now on, or no more.
            pub changed: Signal<In, Bits<COUNT_BITS>>,
            /// Threads that fall asleep, or exit.
            pub moved: Signal<In, Bits<COUNT_BITS>>,
            /// State bits of the barrier.
            pub state: Signal<In, Bits<8>>,
            /// Its arrivals.
            pub count: Signal<In, Bits<COUNT_BITS>>,
            /// Its sleepers.
            pub sleepers: Signal<In, Bits<COUNT_BITS>>,
            /// Its blocks with arrivals.
            pub filled: Signal<In, Bits<BLOCKS>>,
            /// Its configuration.
            pub configuration: Signal<In, Bits<48>>,
            /// Its flags.
            pub kind: Signal<In, Bits<5>>,
            /// Live threads of the CTA.
            pub live: Signal<In, Bits<COUNT_BITS>>,
            /// The present phase has no open transaction.
            pub settled: Signal<In, Bit>,
            /// Wake-ups of the barrier are under way.
            pub release_busy: Signal<In, Bit>,
            /// A thread has joined the section that ends.
            pub finish_cancel: Signal<In, Bit>,
            /// The barrier that asked for attention has changed meanwhile.
            pub stale: Signal<In, Bit>,
            /// State bits from now on.
            pub next_state: Signal<Out, Bits<8>>,
            /// Arrivals from now on.
            pub next_count: Signal<Out, Bits<COUNT_BITS>>,
            /// Sleepers from now on.
            pub next_sleepers: Signal<Out, Bits<COUNT_BITS>>,
            /// Blocks with arrivals from now on.
            pub next_filled: Signal<Out, Bits<BLOCKS>>,
            /// Live threads from now on.
            pub next_live: Signal<Out, Bits<COUNT_BITS>>,
            /// The barrier's flags, those of a first arrival included.
            pub present_kind: Signal<Out, Bits<5>>,
            /// Its clock, or what is held off, changes.
            pub clock_write: Signal<Out, Bit>,
            /// It turns dynamic.
            pub dynamic_valid: Signal<Out, Bit>,
            /// A phase ends: its sleepers wake.
            pub release_valid: Signal<Out, Bit>,
            /// They are done: the section was reset.
            pub release_done: Signal<Out, Bit>,
            /// A dynamic barrier is reset.
            pub reset_valid: Signal<Out, Bit>,
            /// It turns from dynamic to idle.
            pub idle_valid: Signal<Out, Bit>,
            /// Its timeout passes.
            pub timeout_valid: Signal<Out, Bit>,
        }
        parts {
            membership: Membership<COUNT_BITS>,
            deposits_state: Signal<Local, Bit>,
            deposits_clock: Signal<Local, Bit>,
            enters: Signal<Local, Bit>,
            launching: Signal<Local, Bit>,
            arriving: Signal<Local, Bit>,
            exiting: Signal<Local, Bit>,
            resetting: Signal<Local, Bit>,
            mode: Signal<Local, Bits<3>>,
            split: Signal<Local, Bit>,
            waiting: Signal<Local, Bit>,
            attended: Signal<Local, Bit>,
            evaluate: Signal<Local, Bit>,
            complete: Signal<Local, Bit>,
            nobody: Signal<Local, Bit>,
            held: Signal<Local, Bit>,
            ends: Signal<Local, Bit>,
            plain: Signal<Local, Bit>,
            emptied: Signal<Local, Bit>,
            gone: Signal<Local, Bit>,
            reset_static: Signal<Local, Bit>,
            turns_dynamic: Signal<Local, Bit>,
            turns_idle: Signal<Local, Bit>,
            flips: Signal<Local, Bit>,
            lacking: Signal<Local, Bit>,
            early_mark: Signal<Local, Bit>,
            late_mark: Signal<Local, Bit>,
            marked: Signal<Local, Bit>,
            forget: Signal<Local, Bit>,
            is_static: Signal<Local, Bit>,
            is_dynamic: Signal<Local, Bit>,
            closed: Signal<Local, Bit>,
            pending: Signal<Local, Bit>,
            clocked: Signal<Local, Bit>,
            base_count: Signal<Local, Bits<COUNT_BITS>>,
            base_filled: Signal<Local, Bits<BLOCKS>>,
            count_now: Signal<Local, Bits<COUNT_BITS>>,
            sleepers_now: Signal<Local, Bits<COUNT_BITS>>,
            one: Constant<Bits<BLOCKS>> = Constant::new(bits(1)),
            attend: Constant<Bits<4>> = Constant::new(bits(ATTEND)),
            finish: Constant<Bits<4>> = Constant::new(bits(FINISH)),
            code_deposit: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Deposit as u64)),
            word_live: Constant<Bits<4>> = Constant::new(bits(SavedWord::Live as u64)),
            word_state: Constant<Bits<4>> = Constant::new(bits(SavedWord::State as u64)),
            word_clock: Constant<Bits<4>> = Constant::new(bits(SavedWord::Clock as u64)),
            word_entry: Constant<Bits<4>> = Constant::new(bits(SavedWord::Entry as u64)),
        }
    }
}

impl<const BLOCKS: usize, const BLOCK_BITS: usize, const COUNT_BITS: usize> Logic
    for BarrierState<BLOCKS, BLOCK_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.launching.next = self.operation.val() == 0;
        self.arriving.next = self.operation.val() == 3;
        self.exiting.next = self.operation.val() == 5;
        self.resetting.next = self.operation.val() == 6;
        self.mode.next = self.configuration.val().get_bits::<3>(41);

        // Arrivals and exits.
        self.base_count.next = self.count.val();
        self.base_filled.next = self.filled.val();
        if self.fresh.val() {
            self.base_count.next = 0.into();
            self.base_filled.next = 0.into();
        }
        self.count_now.next = self.base_count.val() + self.changed.val();
        self.sleepers_now.next = self.sleepers.val() + self.moved.val();
        self.next_live.next = self.live.val();
        if self.exiting.val() {
            self.count_now.next = self.count.val() - self.changed.val();
            self.sleepers_now.next = self.sleepers.val();
            if self.first.val() {
                self.next_live.next = self.live.val() - self.moved.val();
            }
        }
        if self.launching.val() {
            self.next_live.next = self.threads.val();
        }
        if (self.operation.val() == self.code_deposit.val()) & (self.word.val() == self.word_live.val()) {
            self.next_live.next = self.data.val().get_bits::<COUNT_BITS>(0);
        }
        // Operations 7 and 8 are split arrivals and waits.
        self.split.next =
            (self.state.val().get_bit(0) & self.state.val().get_bit(2)) | (self.starts.val() & !self.arriving.val());
        self.waiting.next = self.state.val().get_bit(0) | self.starts.val();
        self.present_kind.next = self.kind.val();
        if self.split.val() {
            self.present_kind.next = 0.into();
        }
        if self.arriving.val() {
            self.present_kind.next = self.request_kind.val();
        }

        // Complete: by its members, by its timeout, or since long. Transactions (9 and 10) complete split phases only.
        self.membership.condition.next = self.configuration.val().get_bits::<3>(0);
        self.membership.reference.next = self.configuration.val().get_bits::<10>(3);
        self.membership.minimum.next = self.configuration.val().get_bits::<10>(13);
        self.membership.count.next = self.count_now.val();
        self.membership.sleepers.next = self.sleepers_now.val();
        self.membership.live.next = self.next_live.val();
        self.attended.next = (self.operation.val() == self.attend.val()) & !self.stale.val();
        self.evaluate.next = self.counted_any.val()
            | self.asleep_any.val()
            | self.exiting.val()
            | (self.split.val() & ((self.operation.val() == 9) | (self.operation.val() == 10)));
        self.complete.next = self.act.val()
            & self.waiting.val()
            & ((self.evaluate.val() & self.membership.met.val() & (self.settled.val() | !self.split.val()))
                | (self.attended.val() & (self.state.val().get_bit(6) | self.state.val().get_bit(7))));
        self.timeout_valid.next =
            self.act.val() & self.attended.val() & self.state.val().get_bit(7) & !self.state.val().get_bit(6);

        // An exit may leave a barrier without arrivals: then there is nothing to complete, whatever its transactions. The last exit of a
        // CTA leaves nothing that an idle barrier would remember.
        self.emptied.next = self.act.val()
            & self.exiting.val()
            & self.state.val().get_bit(0)
            & !self.state.val().get_bit(6)
            & !self.count_now.val().any()
            & !self.sleepers.val().any();
        self.gone.next = self.act.val()
            & self.exiting.val()
            & !self.next_live.val().any()
            & !self.state.val().get_bit(1)
            & !self.state.val().get_bit(6);
        self.nobody.next = !self.sleepers_now.val().any() & !self.split.val();
        self.held.next = self.complete.val() & !self.emptied.val() & self.release_busy.val() & !self.nobody.val();
        self.ends.next = self.complete.val() & !self.emptied.val() & !self.held.val();
        self.plain.next = !self.present_kind.val().get_bit(0) & !self.present_kind.val().get_bit(2);
        self.turns_dynamic.next = self.ends.val() & !self.nobody.val() & !self.plain.val();
        self.reset_static.next = self.act.val() & self.resetting.val() & self.state.val().get_bit(0);
        self.idle_valid.next = self.act.val() & (self.operation.val() == self.finish.val()) & !self.finish_cancel.val();
        self.turns_idle.next = (self.ends.val() & !self.turns_dynamic.val())
            | self.emptied.val()
            | self.gone.val()
            | self.reset_static.val()
            | self.idle_valid.val();
        self.release_valid.next = (self.ends.val() & !self.nobody.val() & self.plain.val())
            | (self.reset_static.val() & self.sleepers.val().any())
            | self.idle_valid.val();
        self.release_done.next = self.resetting.val() & self.present_kind.val().get_bit(0);
        self.flips.next = self.release_valid.val() | (self.reset_static.val() & self.split.val());
        // A barrier that was taken out of slot or queue enters again; one that was reset meanwhile is marked once more.
        self.enters.next = self.act.val()
            & (self.operation.val() == self.code_deposit.val())
            & (self.word.val() == self.word_entry.val());
        self.dynamic_valid.next = self.turns_dynamic.val() | self.enters.val();
        self.reset_valid.next = (self.act.val() & self.resetting.val() & self.state.val().get_bit(1))
            | (self.enters.val() & self.state.val().get_bit(5));

        // Impatient and short of its reference: invalidated at once (modes 2 and 4) or at the end (3 and 5) if conditional; 7 counts on.
        self.lacking.next = self.configuration.val().get_bit(2) & self.membership.incomplete.val();
        self.early_mark.next = self.lacking.val()
            & !self.present_kind.val().get_bit(0)
            & ((self.mode.val() == 2) | (self.mode.val() == 4));
        self.late_mark.next = self.lacking.val()
            & ((self.mode.val() == 7)
                | (!self.present_kind.val().get_bit(0) & ((self.mode.val() == 3) | (self.mode.val() == 5))));
        self.marked.next = self.state.val().get_bit(4) & !self.starts.val() & !self.fresh.val();
        if self.turns_dynamic.val() {
            self.marked.next = self.early_mark.val();
        }
        if self.turns_idle.val() {
            self.marked.next = (self.ends.val() & !self.nobody.val() & (self.early_mark.val() | self.late_mark.val()))
                | (self.idle_valid.val()
                    & !self.state.val().get_bit(5)
                    & (self.state.val().get_bit(4) | self.late_mark.val()));
        }
        self.forget.next = self.act.val()
            & (self.launching.val()
                | (self.resetting.val() & !self.state.val().get_bit(1))
                | self.reconfigured.val()
                | (self.turns_idle.val() & !self.marked.val()));

        // The entry from now on.
        self.is_static.next = self.waiting.val();
        self.is_dynamic.next = self.state.val().get_bit(1) | self.turns_dynamic.val();
        self.closed.next = self.state.val().get_bit(5) | self.reset_valid.val();
        self.pending.next = self.state.val().get_bit(6) | self.held.val();
        self.clocked.next = (self.state.val().get_bit(7) | self.stamp.val())
            & !self.attended.val()
            & !(self.fresh.val() & !self.stamp.val())
            & !self.held.val();
        if self.turns_idle.val() | self.turns_dynamic.val() | self.launching.val() {
            self.is_static.next = false;
            self.pending.next = false;
            self.clocked.next = false;
        }
        if self.turns_idle.val() | self.launching.val() {
            self.is_dynamic.next = false;
            self.closed.next = false;
        }
        if self.forget.val() {
            self.clocked.next = false;
        }
        self.deposits_state.next =
            (self.operation.val() == self.code_deposit.val()) & (self.word.val() == self.word_state.val());
        self.deposits_clock.next =
            (self.operation.val() == self.code_deposit.val()) & (self.word.val() == self.word_clock.val());
        self.next_state.next = bit_cast::<8, 1>(self.is_static.val().into())
            | (bit_cast::<8, 1>(self.is_dynamic.val().into()) << 1)
            | (bit_cast::<8, 1>((self.split.val() & self.is_static.val()).into()) << 2)
            | (bit_cast::<8, 1>(((self.state.val().get_bit(3) ^ self.flips.val()) & !self.launching.val()).into())
                << 3)
            | (bit_cast::<8, 1>((self.marked.val() & !self.forget.val() & !self.reset_valid.val()).into()) << 4)
            | (bit_cast::<8, 1>(self.closed.val().into()) << 5)
            | (bit_cast::<8, 1>(self.pending.val().into()) << 6)
            | (bit_cast::<8, 1>(self.clocked.val().into()) << 7);
        self.next_count.next = self.count_now.val();
        self.next_filled.next = self.base_filled.val();
        if self.counted_any.val() | self.visited_any.val() {
            self.next_filled.next = self.base_filled.val() | (self.one.val() << self.thread_block.val());
        }
        if self.forget.val() {
            self.next_count.next = 0.into();
            self.next_filled.next = 0.into();
        }
        self.next_sleepers.next = self.sleepers_now.val();
        if self.turns_idle.val() | self.launching.val() {
            self.next_sleepers.next = 0.into();
        }
        if self.deposits_state.val() {
            self.next_state.next = self.data.val().get_bits::<8>(0);
            self.next_count.next = self.data.val().get_bits::<COUNT_BITS>(16);
            self.next_sleepers.next = self.data.val().get_bits::<COUNT_BITS>(32);
            self.next_filled.next = self.data.val().get_bits::<BLOCKS>(48);
        }
        self.clock_write.next = self.act.val()
            & (self.stamp.val()
                | self.deposits_clock.val()
                | self.launching.val()
                | (self.pending.val() != self.state.val().get_bit(6))
                | (self.clocked.val() != self.state.val().get_bit(7)));
    }
}
