//! What the scheduler knows of each thread: asleep, in which barrier of its CTA, in which phase of it, and whether it is done there.
//!
//! Rows are thread blocks, `{CTA, physical block}`. A thread falls asleep through the execute stage and is woken by a release or a
//! section; so that each has a write port of its own, the bit `asleep` is the exclusive or of two
//! memories. Barrier, phase and done are written with the sleep and mean nothing of a thread that is awake. (Which thread is
//! *inside* a section is kept with the section: [`inside_threads`](super::inside_threads).)
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `sleep_row`, `sleep_mask` | in | `ROW_BITS`, `BLOCK_THREADS` | threads of a block that fall asleep |
//! | `sleep_barrier`, `sleep_phase`, `sleep_done` | in | `BARRIER_BITS`, 1, 1 | in which barrier and phase; they do not run its section (any more) |
//! | `clear_enable` | in | 1 | all threads of `sleep_row` are awake: a launch |
//! | `wake_row`, `wake_mask` | in | `ROW_BITS`, `BLOCK_THREADS` | sleeping threads of a block that are woken |
//! | `walk_row`, `walk_barrier`, `walk_phase` | in | `ROW_BITS`, `BARRIER_BITS`, 1 | a block, and a phase of a barrier |
//! | `walk_mask`, `walk_done` | out | `BLOCK_THREADS` | its threads that sleep in that phase; those of them that are done |
//! | `select_row`, `select_barrier` | in | `ROW_BITS`, `BARRIER_BITS` | a block, and a barrier whose section runs |
//! | `select_mask` | out | `BLOCK_THREADS` | its threads that are still to run it: the execution mask |
//! | `sweeping` | out | 1 | the memories are cleared after reset, a row a cycle; nobody may fall asleep |
//!
//! **Timing** reads are combinational; sleeps and wake-ups show in the next cycle. `sweeping` lasts 2^`ROW_BITS` cycles.
//! A thread cannot fall asleep and be woken in one cycle: the wake reads it asleep before.
//! **Invariants** 1. a thread sleeps in at most one barrier. 2. a release is told of just the threads that sleep in its barrier and phase,
//! and which of them are done. 3. an execution mask holds participants only, asleep and not done.
//! **Source** US 9,448,803, thread state; BR-04, BR-26, BR-32, BR-33, BR-44.

use super::masked_rows::MaskedRows;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ThreadState<const ROW_BITS: usize, const BLOCK_THREADS: usize, const BARRIER_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The block whose threads fall asleep.
            pub sleep_row: Signal<In, Bits<ROW_BITS>>,
            /// Which of them.
            pub sleep_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// In which barrier.
            pub sleep_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// In which phase of it.
            pub sleep_phase: Signal<In, Bit>,
            /// They are done with it.
            pub sleep_done: Signal<In, Bit>,
            /// All threads of the block are awake.
            pub clear_enable: Signal<In, Bit>,
            /// The block whose threads are woken.
            pub wake_row: Signal<In, Bits<ROW_BITS>>,
            /// Which of them.
            pub wake_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// The block that a release asks for.
            pub walk_row: Signal<In, Bits<ROW_BITS>>,
            /// The barrier that is released.
            pub walk_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// The phase that ended.
            pub walk_phase: Signal<In, Bit>,
            /// The threads that sleep in it.
            pub walk_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Those of them that are done.
            pub walk_done: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The block that a section asks for.
            pub select_row: Signal<In, Bits<ROW_BITS>>,
            /// Its barrier.
            pub select_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// The threads that are still to run it.
            pub select_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The memories are being cleared.
            pub sweeping: Signal<Out, Bit>,
        }
        parts {
            slept: MaskedRows<ROW_BITS, BLOCK_THREADS>,
            woken: MaskedRows<ROW_BITS, BLOCK_THREADS>,
            woken_sleep: RegisterFile<ROW_BITS, BLOCK_THREADS>,
            done: MaskedRows<ROW_BITS, BLOCK_THREADS>,
            phase: MaskedRows<ROW_BITS, BLOCK_THREADS>,
            barrier: [MaskedRows<ROW_BITS, BLOCK_THREADS>; BARRIER_BITS] =
                std::array::from_fn(|_| MaskedRows::default()),
            walk_other: MaskUnion<BARRIER_BITS, BLOCK_THREADS>,
            select_other: MaskUnion<BARRIER_BITS, BLOCK_THREADS>,
            sweep: Register<Bits<ROW_BITS>>,
            swept: Register<Bit>,
            every: Signal<Local, Bits<BLOCK_THREADS>>,
            woken_changed: Signal<Local, Bits<BLOCK_THREADS>>,
        }
    }
}

impl<const ROW_BITS: usize, const BLOCK_THREADS: usize, const BARRIER_BITS: usize> Logic
    for ThreadState<ROW_BITS, BLOCK_THREADS, BARRIER_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sweep, swept);
        clock!(self, clock, slept, woken, woken_sleep, done, phase);
        self.every.next = !bits::<BLOCK_THREADS>(0);

        // After reset both halves of `asleep` are cleared, a row a cycle.
        if !self.swept.q.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.swept.d.next = self.sweep.q.val().all();
        }
        self.sweeping.next = !self.swept.q.val();

        // Who falls asleep differs from the other half; who is awake after a launch equals it.
        self.woken_sleep.read_address.next = self.sleep_row.val();
        self.slept.write_row.next = self.sleep_row.val();
        self.slept.write_mask.next = self.sleep_mask.val();
        self.slept.write_data.next = !self.woken_sleep.read_data.val();
        if self.clear_enable.val() {
            self.slept.write_mask.next = self.every.val();
            self.slept.write_data.next = self.woken_sleep.read_data.val();
        }
        // Who is woken was asleep: its half changes.
        self.woken.write_row.next = self.wake_row.val();
        self.woken.write_mask.next = self.wake_mask.val();
        self.woken.write_data.next = !self.woken.written.val();
        self.woken_changed.next = self.woken.written.val() ^ self.wake_mask.val();
        self.woken_sleep.write_enable.next = self.wake_mask.val().any();
        self.woken_sleep.write_address.next = self.wake_row.val();
        self.woken_sleep.write_data.next = self.woken_changed.val();
        if !self.swept.q.val() {
            self.slept.write_row.next = self.sweep.q.val();
            self.slept.write_mask.next = self.every.val();
            self.slept.write_data.next = 0.into();
            self.woken.write_row.next = self.sweep.q.val();
            self.woken.write_mask.next = self.every.val();
            self.woken.write_data.next = 0.into();
            self.woken_sleep.write_enable.next = true;
            self.woken_sleep.write_address.next = self.sweep.q.val();
            self.woken_sleep.write_data.next = 0.into();
        }

        self.done.write_row.next = self.sleep_row.val();
        self.done.write_mask.next = self.sleep_mask.val();
        self.done.write_data.next = 0.into();
        if self.sleep_done.val() {
            self.done.write_data.next = self.every.val();
        }
        self.phase.write_row.next = self.sleep_row.val();
        self.phase.write_mask.next = self.sleep_mask.val();
        self.phase.write_data.next = 0.into();
        if self.sleep_phase.val() {
            self.phase.write_data.next = self.every.val();
        }

        self.slept.walk_row.next = self.walk_row.val();
        self.slept.select_row.next = self.select_row.val();
        self.woken.walk_row.next = self.walk_row.val();
        self.woken.select_row.next = self.select_row.val();
        self.done.walk_row.next = self.walk_row.val();
        self.done.select_row.next = self.select_row.val();
        self.phase.walk_row.next = self.walk_row.val();
        self.phase.select_row.next = self.select_row.val();

        // The threads of the two rows that sleep in another barrier, a bit of its number at a time.
        for i in 0..BARRIER_BITS {
            self.barrier[i].clock.next = self.clock.val();
            self.barrier[i].write_row.next = self.sleep_row.val();
            self.barrier[i].write_mask.next = self.sleep_mask.val();
            self.barrier[i].write_data.next = 0.into();
            if self.sleep_barrier.val().get_bit(i) {
                self.barrier[i].write_data.next = self.every.val();
            }
            self.barrier[i].walk_row.next = self.walk_row.val();
            self.walk_other.masks[i].next = self.barrier[i].walk_data.val();
            if self.walk_barrier.val().get_bit(i) {
                self.walk_other.masks[i].next = !self.barrier[i].walk_data.val();
            }
            self.barrier[i].select_row.next = self.select_row.val();
            self.select_other.masks[i].next = self.barrier[i].select_data.val();
            if self.select_barrier.val().get_bit(i) {
                self.select_other.masks[i].next = !self.barrier[i].select_data.val();
            }
        }

        self.walk_mask.next = (self.slept.walk_data.val() ^ self.woken.walk_data.val())
            & !self.walk_other.result.val()
            & !self.phase.walk_data.val();
        if self.walk_phase.val() {
            self.walk_mask.next = (self.slept.walk_data.val() ^ self.woken.walk_data.val())
                & !self.walk_other.result.val()
                & self.phase.walk_data.val();
        }
        self.walk_done.next = self.walk_mask.val() & self.done.walk_data.val();
        self.select_mask.next = (self.slept.select_data.val() ^ self.woken.select_data.val())
            & !self.select_other.result.val()
            & !self.done.select_data.val();
    }
}
