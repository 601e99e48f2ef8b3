//! Finds the next thread of a section: for one slot a cycle, it looks at one thread block and takes the lowest thread of its execution mask.
//!
//! Slots whose next thread is not known yet take turns; a barrier that is just handed over goes before them. A slot's search runs
//! while a thread of its section is inside, so that the next one is known when that one leaves.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `needing` | in | `SLOTS` | slots whose next thread is to be found |
//! | `fresh_valid`, `fresh_slot`, `fresh_slots` | in | 1, `SLOT_BITS`, `SLOTS` | a section moves into this slot now: search its first block |
//! | `serve_valid`, `serve_slot`, `serve_slots` | out | 1, `SLOT_BITS`, `SLOTS` | the slot that is searched in this cycle |
//! | `present_logical` | in | `BLOCK_BITS` | how far that slot's pass has come |
//! | `serve_logical` | out | `BLOCK_BITS` | the logical block that is searched |
//! | `last` | in | 1 | it is the CTA's last |
//! | `mask` | in | `BLOCK_THREADS` | its execution mask: participants that are asleep and not done |
//! | `found`, `offset` | out | 1, `OFFSET_BITS` | a thread is found: the lowest |
//! | `next_logical` | out | `BLOCK_BITS` | where the pass goes on |
//! | `pass_ends` | out | 1 | nobody is left in this pass |
//!
//! **Timing** combinational; one block a cycle. An empty block costs one cycle.
//! **Invariants** 1. within a pass, threads are found in the order of their logical ids, unless one falls asleep behind the search. 2. a
//! slot that needs its thread is served after at most `SLOTS` - 1 others and as many hand-overs. 3. a section that moves in is searched at
//! once, from its first block on, another where its pass has come to.
//! **Source** US 9,448,803, the thread selection unit; BR-31, BR-33, BR-34 (ordered and unordered sections run in logical order).

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ThreadSelectionUnit<
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Slots whose next thread is to be found.
            pub needing: Signal<In, Bits<SLOTS>>,
            /// A section moves into a slot.
            pub fresh_valid: Signal<In, Bit>,
            /// The slot.
            pub fresh_slot: Signal<In, Bits<SLOT_BITS>>,
            /// The slot as a mask.
            pub fresh_slots: Signal<In, Bits<SLOTS>>,
            /// A slot is searched.
            pub serve_valid: Signal<Out, Bit>,
            /// Which.
            pub serve_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// Which, as a mask; empty if none is.
            pub serve_slots: Signal<Out, Bits<SLOTS>>,
            /// How far its pass has come.
            pub present_logical: Signal<In, Bits<BLOCK_BITS>>,
            /// The block that is searched.
            pub serve_logical: Signal<Out, Bits<BLOCK_BITS>>,
            /// It is the last of its CTA.
            pub last: Signal<In, Bit>,
            /// Its threads that are still to run the section.
            pub mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// One is found.
            pub found: Signal<Out, Bit>,
            /// Its place in the block.
            pub offset: Signal<Out, Bits<OFFSET_BITS>>,
            /// Where the pass goes on.
            pub next_logical: Signal<Out, Bits<BLOCK_BITS>>,
            /// The pass ends without a thread.
            pub pass_ends: Signal<Out, Bit>,
        }
        parts {
            above: Register<Bits<SLOTS>>,
            later: Signal<Local, Bits<SLOTS>>,
            turn: LowestBit<SLOTS, SLOT_BITS>,
            thread: LowestBit<BLOCK_THREADS, OFFSET_BITS>,
        }
    }
}

impl<
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
    > Logic for ThreadSelectionUnit<SLOTS, SLOT_BITS, BLOCK_BITS, BLOCK_THREADS, OFFSET_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, above);

        self.later.next = self.needing.val() & self.above.q.val();
        self.turn.mask.next = self.needing.val();
        if self.later.val().any() {
            self.turn.mask.next = self.later.val();
        }
        self.serve_valid.next = self.turn.found.val();
        self.serve_slot.next = self.turn.index.val();
        self.serve_slots.next = self.turn.one_hot.val();
        self.serve_logical.next = self.present_logical.val();
        if self.fresh_valid.val() {
            self.serve_valid.next = true;
            self.serve_slot.next = self.fresh_slot.val();
            self.serve_slots.next = self.fresh_slots.val();
            self.serve_logical.next = 0.into();
        } else if self.turn.found.val() {
            self.above.d.next = !(self.turn.one_hot.val() | (self.turn.one_hot.val() - 1));
        }

        self.thread.mask.next = self.mask.val();
        self.found.next = self.thread.found.val();
        self.offset.next = self.thread.index.val();
        self.pass_ends.next = !self.thread.found.val() & self.last.val();
        self.next_logical.next = self.serve_logical.val();
        if !self.thread.found.val() {
            self.next_logical.next = self.serve_logical.val() + 1;
            if self.last.val() {
                self.next_logical.next = 0.into();
            }
        }
    }
}
