//! Which thread is inside which section: at most one a slot, from the choice that wakes it to its bottom.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start_slots`, `start_row`, `start_offset` | in | `SLOTS`, `ROW_BITS`, `OFFSET_BITS` | a slot (as a mask; empty: none) starts this thread |
//! | `execute_row`, `execute_mask` | in | `ROW_BITS`, `BLOCK_THREADS` | the threads in the execute stage |
//! | `key_slots` | in | `SLOTS` | the slot whose barrier is in the execute stage, if there is one |
//! | `top_valid`, `bottom_valid`, `exit_valid`, `reset_valid` | in | 1 each | they reach a top; its bottom; they exit; the barrier is reset |
//! | `entered`, `staying` | out | `SLOTS` | slots with a thread inside; those whose thread does not leave in this cycle |
//! | `top_error`, `bottom_error` | out | 1 | a thread at a top is inside a section; one at a bottom is not inside that section |
//! | `offenders` | out | `BLOCK_THREADS` | those threads |
//! | `other_slots` | out | `SLOTS` | the section that the lowest thread at the top is inside |
//!
//! **Timing** combinational, changes show in the next cycle. A thread leaves in the cycle in which its bottom is in the execute stage, so
//! that the next one is chosen in that cycle.
//! **Invariants** 1. a slot has at most one thread inside (BR-40). 2. a thread leaves by its bottom, its exit or a reset; a bottom with
//! an error lets nobody leave. 3. a bottom is in error if and only if one of its threads is not inside the section. 4. a top by a thread
//! that is inside a section is in error; it names the thread, and one section. 5. nobody is inside two sections.
//! **Source** US 9,448,803, sections; BR-06, BR-19, BR-26, BR-40.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct InsideThreads<
        const SLOTS: usize,
        const ROW_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The slot that starts a thread.
            pub start_slots: Signal<In, Bits<SLOTS>>,
            /// The thread's block: {CTA, physical block}.
            pub start_row: Signal<In, Bits<ROW_BITS>>,
            /// Its place in the block.
            pub start_offset: Signal<In, Bits<OFFSET_BITS>>,
            /// The block in the execute stage.
            pub execute_row: Signal<In, Bits<ROW_BITS>>,
            /// The threads in the execute stage.
            pub execute_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// The slot of the barrier in the execute stage.
            pub key_slots: Signal<In, Bits<SLOTS>>,
            /// They reach a top.
            pub top_valid: Signal<In, Bit>,
            /// They reach the barrier's bottom.
            pub bottom_valid: Signal<In, Bit>,
            /// They exit.
            pub exit_valid: Signal<In, Bit>,
            /// The barrier is reset.
            pub reset_valid: Signal<In, Bit>,
            /// Slots with a thread inside.
            pub entered: Signal<Out, Bits<SLOTS>>,
            /// Those whose thread does not leave now.
            pub staying: Signal<Out, Bits<SLOTS>>,
            /// A thread at the top is inside a section.
            pub top_error: Signal<Out, Bit>,
            /// A thread at the bottom is not inside.
            pub bottom_error: Signal<Out, Bit>,
            /// The threads in error.
            pub offenders: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The section that the lowest of them is inside.
            pub other_slots: Signal<Out, Bits<SLOTS>>,
        }
        parts {
            present: Register<Bits<SLOTS>>,
            row: [Register<Bits<ROW_BITS>>; SLOTS] = std::array::from_fn(|_| Register::default()),
            offset: [Register<Bits<OFFSET_BITS>>; SLOTS] = std::array::from_fn(|_| Register::default()),
            thread: [Signal<Local, Bits<BLOCK_THREADS>>; SLOTS] = std::array::from_fn(|_| Signal::default()),
            all: MaskUnion<SLOTS, BLOCK_THREADS>,
            here: MaskUnion<SLOTS, BLOCK_THREADS>,
            leaving: MaskUnion<SLOTS, SLOTS>,
            others: MaskUnion<SLOTS, SLOTS>,
            first: LowestBit<BLOCK_THREADS, OFFSET_BITS>,
            none: Constant<Bits<SLOTS>> = Constant::new(bits(0)),
            one: Constant<Bits<BLOCK_THREADS>> = Constant::new(bits(1)),
        }
    }
}

impl<const SLOTS: usize, const ROW_BITS: usize, const BLOCK_THREADS: usize, const OFFSET_BITS: usize> Logic
    for InsideThreads<SLOTS, ROW_BITS, BLOCK_THREADS, OFFSET_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, present);
        for i in 0..SLOTS {
            self.row[i].clock.next = self.clock.val();
            self.row[i].reset.next = self.reset.val();
            self.row[i].d.next = self.row[i].q.val();
            self.offset[i].clock.next = self.clock.val();
            self.offset[i].reset.next = self.reset.val();
            self.offset[i].d.next = self.offset[i].q.val();
            if self.start_slots.val().get_bit(i) {
                self.row[i].d.next = self.start_row.val();
                self.offset[i].d.next = self.start_offset.val();
            }
        }

        // The threads of the executing block that are inside: of any section, and of this one.
        for i in 0..SLOTS {
            self.thread[i].next = 0.into();
            if self.present.q.val().get_bit(i) & (self.row[i].q.val() == self.execute_row.val()) {
                self.thread[i].next = self.one.val() << self.offset[i].q.val();
            }
        }
        for i in 0..SLOTS {
            self.all.masks[i].next = self.thread[i].val();
            self.here.masks[i].next = 0.into();
            if self.key_slots.val().get_bit(i) {
                self.here.masks[i].next = self.thread[i].val();
            }
        }
        self.top_error.next = self.top_valid.val() & (self.execute_mask.val() & self.all.result.val()).any();
        self.bottom_error.next = self.bottom_valid.val() & (self.execute_mask.val() & !self.here.result.val()).any();
        self.offenders.next = self.execute_mask.val() & self.all.result.val();
        if self.bottom_valid.val() {
            self.offenders.next = self.execute_mask.val() & !self.here.result.val();
        }

        // Who leaves: by a bottom that names this thread and no other, by an exit, by a reset. And who is in the way at a top.
        self.first.mask.next = self.execute_mask.val() & self.all.result.val();
        for i in 0..SLOTS {
            self.leaving.masks[i].next = self.none.val();
            if self.key_slots.val().get_bit(i)
                & ((self.bottom_valid.val() & (self.execute_mask.val() == self.thread[i].val()))
                    | self.reset_valid.val())
            {
                self.leaving.masks[i].next = self.none.val().replace_bit(i, true);
            }
            if self.exit_valid.val() & (self.thread[i].val() & self.execute_mask.val()).any() {
                self.leaving.masks[i].next = self.none.val().replace_bit(i, true);
            }
            self.others.masks[i].next =
                self.none.val().replace_bit(i, (self.thread[i].val() & self.first.one_hot.val()).any());
        }
        self.entered.next = self.present.q.val();
        self.staying.next = self.present.q.val() & !self.leaving.result.val();
        self.other_slots.next = self.others.result.val();
        self.present.d.next = self.staying.val() | self.start_slots.val();
    }
}
