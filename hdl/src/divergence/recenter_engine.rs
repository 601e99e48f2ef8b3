//! Moves the tokens of a warp inside its window so that both ends have room again: read one, write one, a cycle each.
//! It sees pointers only; the data runs from the window's read port to its write port.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start` | in | 1 | the exception comes in this cycle, `enable` follows |
//! | `enable` | in | 1 | high from the cycle after the exception until `finished` |
//! | `at_front` | in | 1 | the front met its bound (tokens move down, the back one first), else the back did (up, the front one first) |
//! | `head`, `tail` | in | `POINTER_BITS` | the warp's window, tokens in `tail..head`; stable from `start` on |
//! | `position` | in | `POINTER_BITS` | entry of the token that moves |
//! | `read_enable` | out | 1 | read that entry in this cycle |
//! | `write_enable`, `write_index` | out | 1, `POINTER_BITS` | entry to write with what was read in the cycle before |
//! | `finished` | out | 1 | the last token is written in this cycle |
//! | `new_head`, `new_tail` | out | `POINTER_BITS` | where the window is afterwards |
//!
//! **Timing** 2n cycles for n tokens: reads and writes alternate, so that pushes of other warps find the
//! write port free every other cycle. `position` steps after each write.
//! **Invariants** 1. order and content are kept: an entry is read before anything is written to it. 2. afterwards the free entries at
//! both ends differ by at most one, the larger share at the end that met its bound. 3. it ends with the last token, 2n cycles after
//! the exception for n of them.
//! **Source** US 9,459,876, adjusting the entries about the centre; DQ-10.

use crate::prelude::*;

block! {
    /// Pointers of `POINTER_BITS` count 0 to the window's depth, `2^(POINTER_BITS - 1)`; see the module's page.
    pub struct RecenterEngine<const POINTER_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The exception comes in this cycle.
            pub start: Signal<In, Bit>,
            /// High from the cycle after it until finished.
            pub enable: Signal<In, Bit>,
            /// The front met its bound (tokens move down), else the back did (they move up).
            pub at_front: Signal<In, Bit>,
            /// One past the front token's entry.
            pub head: Signal<In, Bits<POINTER_BITS>>,
            /// The back token's entry.
            pub tail: Signal<In, Bits<POINTER_BITS>>,
            /// Entry of the token that moves.
            pub position: Signal<In, Bits<POINTER_BITS>>,
            /// Read it in this cycle.
            pub read_enable: Signal<Out, Bit>,
            /// Write what was read in the cycle before.
            pub write_enable: Signal<Out, Bit>,
            /// The entry to write.
            pub write_index: Signal<Out, Bits<POINTER_BITS>>,
            /// The last token is written in this cycle.
            pub finished: Signal<Out, Bit>,
            /// The head after the move.
            pub new_head: Signal<Out, Bits<POINTER_BITS>>,
            /// The tail after the move.
            pub new_tail: Signal<Out, Bits<POINTER_BITS>>,
        }
        parts {
            writing: Register<Bit>,
            target: Register<Bits<POINTER_BITS>>,
            raised_head: Signal<Local, Bits<POINTER_BITS>>,
            depth: Constant<Bits<POINTER_BITS>> = Constant::new(bits(1 << (POINTER_BITS - 1))),
            last_entry: Constant<Bits<POINTER_BITS>> = Constant::new(bits((1 << (POINTER_BITS - 1)) - 1)),
        }
    }
}

impl<const POINTER_BITS: usize> Logic for RecenterEngine<POINTER_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, writing, target);

        // Only one end met its bound: the front with head at the depth, or the back with tail at 0. All
        // free entries are therefore at the other end, and half of them come over, rounded up.
        self.raised_head.next = self.head.val() + ((self.depth.val() - self.head.val() + 1) >> 1);
        self.read_enable.next = self.enable.val() & !self.writing.q.val();
        self.write_enable.next = self.writing.q.val();
        self.write_index.next = self.target.q.val();
        if self.at_front.val() {
            self.finished.next = self.write_enable.val() & (self.position.val() == self.last_entry.val());
            self.new_head.next = self.target.q.val() + 1;
            self.new_tail.next = self.tail.val() >> 1;
        } else {
            self.finished.next = self.write_enable.val() & !self.position.val().any();
            self.new_head.next = self.raised_head.val();
            self.new_tail.next = self.target.q.val();
        }

        self.writing.d.next = self.read_enable.val();
        if self.write_enable.val() {
            self.target.d.next = self.target.q.val() - 1;
            if self.at_front.val() {
                self.target.d.next = self.target.q.val() + 1;
            }
        }
        if self.start.val() {
            self.target.d.next = self.raised_head.val() - 1;
            if self.at_front.val() {
                self.target.d.next = self.tail.val() >> 1;
            }
        }
    }
}
