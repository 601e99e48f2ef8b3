//! The wake port: sections that start a thread and releases that wake a block share it by turns; what is chosen is held until taken.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start_valid`, `start_row`, `start_offset`, `start_tag` | in | 1, `ROW_BITS`, `OFFSET_BITS`, 22 | a section's next thread, and its top |
//! | `start_now` | out | 1 | it is chosen at this edge |
//! | `walk_valid`, `walk_row`, `walk_mask`, `walk_address` | in | 1, `ROW_BITS`, `BLOCK_THREADS`, 22 | a release's block; waits only if the mask is not empty |
//! | `walk_now` | out | 1 | it is chosen at this edge |
//! | `choice_row`, `choice_mask` | out | `ROW_BITS`, `BLOCK_THREADS` | the threads chosen at this edge; the mask is empty if none are |
//! | `wake_valid`, `wake_ready`, `wake_row`, `wake_mask`, `wake_address`, `wake_inside` | | | the wake-up shown |
//!
//! **Timing** what is chosen shows in the next cycle; one wake-up a cycle while they are taken.
//! **Invariants** 1. a wake-up holds still until taken. 2. a start gives way to a block that it has passed once, a block to every start that it
//! has not: each waits for at most one of the other. A section that runs alone never waits for a release.
//! **Source** BR-43, BR-45.

use super::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct WakePort<const ROW_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A section has a thread to start.
            pub start_valid: Signal<In, Bit>,
            /// The thread's block: {CTA, physical block}.
            pub start_row: Signal<In, Bits<ROW_BITS>>,
            /// Its place in the block.
            pub start_offset: Signal<In, Bits<OFFSET_BITS>>,
            /// Address of the section's top.
            pub start_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// It is chosen.
            pub start_now: Signal<Out, Bit>,
            /// A release is being walked.
            pub walk_valid: Signal<In, Bit>,
            /// The block that it has come to.
            pub walk_row: Signal<In, Bits<ROW_BITS>>,
            /// The threads that it wakes there.
            pub walk_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Where they continue.
            pub walk_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// It is chosen.
            pub walk_now: Signal<Out, Bit>,
            /// The block that is woken.
            pub choice_row: Signal<Out, Bits<ROW_BITS>>,
            /// The threads that are woken.
            pub choice_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// A wake-up is shown.
            pub wake_valid: Signal<Out, Bit>,
            /// It is taken.
            pub wake_ready: Signal<In, Bit>,
            /// Its block.
            pub wake_row: Signal<Out, Bits<ROW_BITS>>,
            /// Its threads.
            pub wake_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Where they continue.
            pub wake_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// One thread enters a section.
            pub wake_inside: Signal<Out, Bit>,
        }
        parts {
            held: Register<Bit>,
            row: Register<Bits<ROW_BITS>>,
            mask: Register<Bits<BLOCK_THREADS>>,
            address: Register<Bits<ADDRESS_BITS>>,
            enters: Register<Bit>,
            walk_first: Register<Bit>,
            free: Signal<Local, Bit>,
            walk_waits: Signal<Local, Bit>,
            one: Constant<Bits<BLOCK_THREADS>> = Constant::new(bits(1)),
        }
    }
}

impl<const ROW_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize> Logic
    for WakePort<ROW_BITS, BLOCK_THREADS, OFFSET_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, row, mask, address, enters, walk_first);
        self.free.next = !self.held.q.val() | self.wake_ready.val();
        self.walk_waits.next = self.walk_valid.val() & self.walk_mask.val().any();
        self.start_now.next =
            self.free.val() & self.start_valid.val() & !(self.walk_waits.val() & self.walk_first.q.val());
        self.walk_now.next = self.free.val() & self.walk_waits.val() & !self.start_now.val();
        if self.start_now.val() {
            self.walk_first.d.next = self.walk_waits.val();
        }
        if self.walk_now.val() {
            self.walk_first.d.next = false;
        }

        self.choice_row.next = self.walk_row.val();
        self.choice_mask.next = 0.into();
        if self.start_now.val() {
            self.choice_row.next = self.start_row.val();
            self.choice_mask.next = self.one.val() << self.start_offset.val();
        }
        if self.walk_now.val() {
            self.choice_mask.next = self.walk_mask.val();
        }
        if self.free.val() {
            self.held.d.next = self.start_now.val() | self.walk_now.val();
        }
        if self.start_now.val() | self.walk_now.val() {
            self.row.d.next = self.choice_row.val();
            self.mask.d.next = self.choice_mask.val();
            self.enters.d.next = self.start_now.val();
            self.address.d.next = self.walk_address.val();
            if self.start_now.val() {
                self.address.d.next = self.start_tag.val() + 1;
            }
        }
        self.wake_valid.next = self.held.q.val();
        self.wake_row.next = self.row.q.val();
        self.wake_mask.next = self.mask.q.val();
        self.wake_address.next = self.address.q.val();
        self.wake_inside.next = self.enters.q.val();
    }
}
