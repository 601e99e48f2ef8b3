//! Turns the end of a barrier's phase into wake-ups: one thread block a cycle, all its sleepers of that phase at once.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `release_valid`, `release_phase`, `release_address` | in | 1, 1, 22 | a phase of `execute_cta`'s `execute_barrier` ends; its sleepers continue there |
//! | `release_busy`, `release_busy_cta` | out | 1 | an earlier release of that barrier, of that CTA, is not walked to its end |
//! | `walk_valid` | out | 1 | a release is being walked |
//! | `walk_cta`, `walk_barrier`, `walk_phase`, `walk_logical`, `walk_address` | out | | whose, and the logical block that is looked at |
//! | `walk_last` | in | 1 | that block is the CTA's last |
//! | `walk_any` | in | 1 | it has sleepers of that phase |
//! | `walk_taken` | in | 1 | their wake-up is taken over at this edge |
//! | `sweeping` | out | 1 | memories are cleared after reset, `2^CTA_BITS` cycles |
//!
//! **Timing** a release is walked from the next cycle on; a block takes one cycle, with or without sleepers, while wake-ups are taken.
//! **Invariants** 1. releases wait in a queue of `2^KEY_BITS`: a barrier is not released again while `release_busy`, so it never overflows.
//! 2. a release walks all blocks of its CTA, and wakes those who slept in its phase when it came: who falls asleep later does so in the
//! next phase. 3. none is forgotten: one is walked as long as any waits.
//! **Source** BR-30, BR-45.

use super::fall_through_queue::FallThroughQueue;
use super::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// `BARRIERS` = `2^BARRIER_BITS`, `ENTRY_BITS` = `KEY_BITS` + 23, `COUNT_BITS` = `KEY_BITS` + 1; see the module's page.
    pub struct ReleaseWalker<
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const KEY_BITS: usize,
        const ENTRY_BITS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The CTA in the execute stage.
            pub execute_cta: Signal<In, Bits<CTA_BITS>>,
            /// The barrier in the execute stage.
            pub execute_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// A phase of it ends.
            pub release_valid: Signal<In, Bit>,
            /// Which phase.
            pub release_phase: Signal<In, Bit>,
            /// Where its sleepers continue.
            pub release_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// An earlier release of this barrier is not walked to its end.
            pub release_busy: Signal<Out, Bit>,
            /// A release of this CTA is not walked to its end.
            pub release_busy_cta: Signal<Out, Bit>,
            /// A release is being walked.
            pub walk_valid: Signal<Out, Bit>,
            /// Its CTA.
            pub walk_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Its barrier.
            pub walk_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// The phase that ended.
            pub walk_phase: Signal<Out, Bit>,
            /// Where its sleepers continue.
            pub walk_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The logical block that is looked at.
            pub walk_logical: Signal<Out, Bits<BLOCK_BITS>>,
            /// It is the last of the CTA.
            pub walk_last: Signal<In, Bit>,
            /// It has sleepers of that phase.
            pub walk_any: Signal<In, Bit>,
            /// Their wake-up is taken over.
            pub walk_taken: Signal<In, Bit>,
            /// The memories are being cleared.
            pub sweeping: Signal<Out, Bit>,
        }
        parts {
            queue: FallThroughQueue<KEY_BITS, COUNT_BITS, ENTRY_BITS>,
            begun: RegisterFile<CTA_BITS, BARRIERS>,
            #[reads_back(write_enable, write_address, write_data)]
            ended: RegisterFile<CTA_BITS, BARRIERS>,
            ended_walk: RegisterFile<CTA_BITS, BARRIERS>,
            logical: Register<Bits<BLOCK_BITS>>,
            sweep: Register<Bits<CTA_BITS>>,
            swept: Register<Bit>,
            entry: Signal<Local, Bits<ENTRY_BITS>>,
            pending: Signal<Local, Bits<BARRIERS>>,
            step: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            begun_next: Signal<Local, Bits<BARRIERS>>,
            ended_next: Signal<Local, Bits<BARRIERS>>,
            one: Constant<Bits<BARRIERS>> = Constant::new(bits(1)),
            barrier_at: Constant<Bits<8>> = Constant::new(bits(ADDRESS_BITS as u64 + 1)),
            cta_at: Constant<Bits<8>> = Constant::new(bits((ADDRESS_BITS + 1 + BARRIER_BITS) as u64)),
        }
    }
}

impl<
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const BLOCK_BITS: usize,
        const KEY_BITS: usize,
        const ENTRY_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for ReleaseWalker<CTA_BITS, BARRIERS, BARRIER_BITS, BLOCK_BITS, KEY_BITS, ENTRY_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, logical, sweep, swept);
        clock!(self, clock, queue, begun, ended, ended_walk);
        self.queue.reset.next = self.reset.val();

        self.entry.next = bit_cast::<ENTRY_BITS, 1>(self.release_phase.val().into())
            | (bit_cast::<ENTRY_BITS, ADDRESS_BITS>(self.release_address.val()) << 1)
            | (bit_cast::<ENTRY_BITS, BARRIER_BITS>(self.execute_barrier.val()) << self.barrier_at.val())
            | (bit_cast::<ENTRY_BITS, CTA_BITS>(self.execute_cta.val()) << self.cta_at.val());
        self.queue.enter_valid.next = self.release_valid.val();
        self.queue.enter_data.next = self.entry.val();

        // The walk: a block is done when it has nobody to wake, or when they are taken over.
        self.walk_valid.next = self.queue.head_valid.val();
        self.walk_phase.next = self.queue.head_data.val().get_bit(0);
        self.walk_address.next = self.queue.head_data.val().get_bits::<ADDRESS_BITS>(1);
        self.walk_barrier.next = self.queue.head_data.val().get_bits::<BARRIER_BITS>(self.barrier_at.val());
        self.walk_cta.next = self.queue.head_data.val().get_bits::<CTA_BITS>(self.cta_at.val());
        self.walk_logical.next = self.logical.q.val();
        self.step.next = self.queue.head_valid.val() & (!self.walk_any.val() | self.walk_taken.val());
        self.leave.next = self.step.val() & self.walk_last.val();
        if self.step.val() {
            self.logical.d.next = self.logical.q.val() + 1;
            if self.walk_last.val() {
                self.logical.d.next = 0.into();
            }
        }
        self.queue.leave_enable.next = self.leave.val();

        // A release is under way where the two halves differ: one changes when it comes, the other when it is walked.
        self.begun.read_address.next = self.execute_cta.val();
        self.ended.read_address.next = self.execute_cta.val();
        self.ended_walk.read_address.next = self.walk_cta.val();
        self.begun_next.next = self.begun.read_data.val() ^ (self.one.val() << self.execute_barrier.val());
        self.ended_next.next = self.ended_walk.read_data.val() ^ (self.one.val() << self.walk_barrier.val());
        self.begun.write_enable.next = self.release_valid.val();
        self.begun.write_address.next = self.execute_cta.val();
        self.begun.write_data.next = self.begun_next.val();
        self.ended.write_enable.next = self.leave.val();
        self.ended.write_address.next = self.walk_cta.val();
        self.ended.write_data.next = self.ended_next.val();
        if !self.swept.q.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.swept.d.next = self.sweep.q.val().all();
            self.begun.write_enable.next = true;
            self.begun.write_address.next = self.sweep.q.val();
            self.begun.write_data.next = 0.into();
            self.ended.write_enable.next = true;
            self.ended.write_address.next = self.sweep.q.val();
            self.ended.write_data.next = 0.into();
        }
        self.ended_walk.write_enable.next = self.ended.write_enable.val();
        self.ended_walk.write_address.next = self.ended.write_address.val();
        self.ended_walk.write_data.next = self.ended.write_data.val();
        self.sweeping.next = !self.swept.q.val();
        self.pending.next = self.begun.read_data.val() ^ self.ended.read_data.val();
        self.release_busy.next = self.pending.val().get_bit(self.execute_barrier.val());
        self.release_busy_cta.next = self.pending.val().any();
    }
}
