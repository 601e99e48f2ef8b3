//! Holds a CTA still so that it can leave: nothing of it is woken, and once nobody is inside a section, its barriers are taken out of
//! slots and queue, in order. The words of its state are then read by the core, one a request.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `execute_*` | in | the request in the execute stage; `execute_act`: it takes effect, `execute_refused`: it must be presented again |
//! | `calm` | in | no thread of its CTA is inside, and no wake-up of it is under way |
//! | `refuse`, `fail` | out | the request must be presented again; a thread of the CTA has not reached its bottom in time |
//! | `frozen`, `held_key`, `held_mask`, `holding` | out | the CTA that is held: as a mask; the bits of a key that name it; whether there is one |
//! | `busy` | out | nothing may enter the execute stage, nor leave the queue |
//! | `slots`, `slot_found`, `slot_first`, `slot_key` | in | its slots, the lowest of them and its barrier |
//! | `remove_slots` | out | this slot is emptied |
//! | `common_count`, `own_count` | in | entries of the two queues |
//! | `turn_common`, `turn_own` | out | the head of this queue leaves, and enters again at the back unless it is of the held CTA |
//! | `turn_mine`, `turn_key` | in | that head is; its barrier |
//! | `order` | out | the barriers that were taken out, as [`SavedWord::Order`](super::operation::SavedWord) |
//!
//! **Timing** `refuse` and `fail` are combinational. A CTA is held from the cycle after its first Suspend on. The first Withdraw is refused and
//! begins to empty slots and queues: a cycle for each slot and each entry, of whatever CTA, and three more, with `busy` high;
//! steps of a launch or an exit that are under way come before.
//! **Invariants** 1. one CTA is held at a time. 2. entries of others keep their order. 3. a Suspend that failed, or came with 0 cycles,
//! leaves everything as it was.
//! **Source** CX-09, CX-10.
//! **See also** [`barrier_execution`](super::barrier_execution), [`SavedWord`](super::operation::SavedWord).

use super::operation::{BarrierOperation, SavedWord};
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `CTA_BITS` + `BARRIER_BITS`; a CTA has at most 8 barriers; see the module's page.
    pub struct BarrierSaver<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const KEY_BITS: usize,
        const SLOTS: usize,
        const FIFO_COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Something is in the execute stage.
            pub execute_valid: Signal<In, Bit>,
            /// It is a request, in its first cycle.
            pub execute_request: Signal<In, Bit>,
            /// What it asks for.
            pub execute_operation: Signal<In, Bits<4>>,
            /// Its CTA.
            pub execute_cta: Signal<In, Bits<CTA_BITS>>,
            /// The word that it names.
            pub execute_word: Signal<In, Bits<4>>,
            /// Suspend: cycles that it waits for a bottom; 0: the CTA runs on.
            pub execute_limit: Signal<In, Bits<16>>,
            /// It takes effect.
            pub execute_act: Signal<In, Bit>,
            /// It must be presented again.
            pub execute_refused: Signal<In, Bit>,
            /// Nobody of its CTA is inside, nothing of it is on its way to be woken.
            pub calm: Signal<In, Bit>,
            /// It must be presented again, as far as this block is concerned.
            pub refuse: Signal<Out, Bit>,
            /// It is in error: no bottom in time.
            pub fail: Signal<Out, Bit>,
            /// The CTA that is held, as a mask.
            pub frozen: Signal<Out, Bits<CTAS>>,
            /// One is held.
            pub holding: Signal<Out, Bit>,
            /// A key of its barriers.
            pub held_key: Signal<Out, Bits<KEY_BITS>>,
            /// The bits of keys that name a CTA.
            pub held_mask: Signal<Out, Bits<KEY_BITS>>,
            /// Slots and queues are being emptied.
            pub busy: Signal<Out, Bit>,
            /// The slots of the held CTA.
            pub slots: Signal<In, Bits<SLOTS>>,
            /// The lowest of them.
            pub slot_first: Signal<In, Bits<SLOTS>>,
            /// Its barrier.
            pub slot_key: Signal<In, Bits<KEY_BITS>>,
            /// The slot that is emptied.
            pub remove_slots: Signal<Out, Bits<SLOTS>>,
            /// Entries of the common queue.
            pub common_count: Signal<In, Bits<FIFO_COUNT_BITS>>,
            /// Entries of class 3's own queue.
            pub own_count: Signal<In, Bits<FIFO_COUNT_BITS>>,
            /// The common queue turns by an entry.
            pub turn_common: Signal<Out, Bit>,
            /// The own queue turns by an entry.
            pub turn_own: Signal<Out, Bit>,
            /// The entry belongs to the held CTA.
            pub turn_mine: Signal<In, Bit>,
            /// The entry's barrier.
            pub turn_key: Signal<In, Bits<KEY_BITS>>,
            /// What was taken out.
            pub order: Signal<Out, Bits<64>>,
        }
        parts {
            held: Register<Bit>,
            cta: Register<Bits<CTA_BITS>>,
            patience: Register<Bits<16>>,
            closed: Register<Bit>,
            draining: Register<Bit>,
            drained: Register<Bit>,
            from_slots: Register<Bit>,
            from_common: Register<Bit>,
            left: Register<Bits<FIFO_COUNT_BITS>>,
            taken: Register<Bits<64>>,
            place: Register<Bits<8>>,
            suspend: Signal<Local, Bit>,
            gives_up: Signal<Local, Bit>,
            withdraw: Signal<Local, Bit>,
            same: Signal<Local, Bit>,
            step: Signal<Local, Bit>,
            takes: Signal<Local, Bit>,
            taken_key: Signal<Local, Bits<KEY_BITS>>,
            entry: Signal<Local, Bits<64>>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
            code_suspend: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Suspend as u64)),
            code_withdraw: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Withdraw as u64)),
            word_end: Constant<Bits<4>> = Constant::new(bits(SavedWord::End as u64)),
        }
    }
}

impl<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const KEY_BITS: usize,
        const SLOTS: usize,
        const FIFO_COUNT_BITS: usize,
    > Logic for BarrierSaver<CTAS, CTA_BITS, BARRIER_BITS, KEY_BITS, SLOTS, FIFO_COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            held,
            cta,
            patience,
            closed,
            draining,
            drained,
            from_slots,
            from_common,
            left,
            taken,
            place
        );

        self.suspend.next = self.execute_request.val() & (self.execute_operation.val() == self.code_suspend.val());
        self.gives_up.next = self.suspend.val() & !self.execute_limit.val().any();
        self.withdraw.next = self.execute_request.val() & (self.execute_operation.val() == self.code_withdraw.val());
        self.same.next = self.held.q.val() & (self.cta.q.val() == self.execute_cta.val());

        // A Suspend is presented until the CTA is calm or its time is over; a Withdraw until slots and queues are empty of it.
        self.fail.next = self.suspend.val()
            & self.same.val()
            & !self.gives_up.val()
            & !self.closed.q.val()
            & !self.calm.val()
            & !self.patience.q.val().any();
        self.refuse.next = (self.suspend.val()
            & !self.gives_up.val()
            & !self.fail.val()
            & !(self.same.val() & (self.closed.q.val() | self.calm.val())))
            | (self.withdraw.val() & !(self.same.val() & self.drained.q.val()));

        if self.held.q.val() & self.patience.q.val().any() {
            self.patience.d.next = self.patience.q.val() - 1;
        }
        if self.suspend.val() & self.execute_refused.val() & !self.held.q.val() {
            self.held.d.next = true;
            self.cta.d.next = self.execute_cta.val();
            self.patience.d.next = self.execute_limit.val();
            self.closed.d.next = false;
            self.drained.d.next = false;
            self.taken.d.next = 0.into();
            self.place.d.next = 0.into();
        }
        if self.suspend.val() & self.same.val() & self.execute_act.val() & !self.gives_up.val() {
            self.closed.d.next = true;
        }
        // It runs on, or is gone; once its barriers were taken out it can only go.
        if self.fail.val()
            | (self.gives_up.val() & self.same.val() & !self.draining.q.val() & !self.drained.q.val())
            | (self.withdraw.val() & self.execute_act.val() & (self.execute_word.val() == self.word_end.val()))
        {
            self.held.d.next = false;
            self.closed.d.next = false;
            self.drained.d.next = false;
        }

        // Slots first, then the queues: each of their entries is looked at once.
        if self.withdraw.val() & self.same.val() & self.closed.q.val() & !self.drained.q.val() {
            self.draining.d.next = true;
            self.from_slots.d.next = true;
            self.from_common.d.next = false;
        }
        self.step.next = self.draining.q.val() & !self.execute_valid.val();
        self.remove_slots.next = 0.into();
        self.turn_common.next = false;
        self.turn_own.next = false;
        self.takes.next = false;
        self.taken_key.next = self.turn_key.val();
        if self.step.val() {
            if self.from_slots.q.val() {
                self.remove_slots.next = self.slot_first.val();
                self.takes.next = self.slots.val().any();
                self.taken_key.next = self.slot_key.val();
                if !self.slots.val().any() {
                    self.from_slots.d.next = false;
                    self.from_common.d.next = true;
                    self.left.d.next = self.common_count.val();
                }
            } else {
                self.turn_common.next = self.from_common.q.val() & self.left.q.val().any();
                self.turn_own.next = !self.from_common.q.val() & self.left.q.val().any();
                self.takes.next = self.left.q.val().any() & self.turn_mine.val();
                self.left.d.next = self.left.q.val() - 1;
                if !self.left.q.val().any() {
                    self.from_common.d.next = false;
                    self.left.d.next = self.own_count.val();
                    if !self.from_common.q.val() {
                        self.draining.d.next = false;
                        self.drained.d.next = true;
                    }
                }
            }
        }
        self.entry.next = bit_cast::<64, BARRIER_BITS>(self.taken_key.val().get_bits::<BARRIER_BITS>(0)) | 0x80;
        if self.takes.val() {
            self.taken.d.next = self.taken.q.val() | (self.entry.val() << self.place.q.val());
            self.place.d.next = self.place.q.val() + 8;
        }

        self.frozen.next = 0.into();
        if self.held.q.val() {
            self.frozen.next = bits::<CTAS>(1) << self.cta.q.val();
        }
        self.holding.next = self.held.q.val();
        self.held_key.next = bit_cast::<KEY_BITS, CTA_BITS>(self.cta.q.val()) << self.barrier_bits.val();
        self.held_mask.next = !bits::<KEY_BITS>(0) << self.barrier_bits.val();
        self.busy.next = self.draining.q.val();
        self.order.next = self.taken.q.val();
    }
}
