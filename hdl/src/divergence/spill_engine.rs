//! Everything that touches a warp's spilled tokens: moving them out and back in, searching them, and appending at the back.
//! It sees pointers only; tokens run through the queue's one token path.
//!
//! A warp's spilled tokens lie in a circular area of `spill_limit` slots in memory, `spill_first` is the slot of the one nearest
//! to the front, `spill_end` the slot after the one at the back.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enable`, `command` | in | 1, 3 | what to do ([`SpillCommand`]), high until `finished` |
//! | `sought`, `exhausted` | in | 1, 1 | the token shown is the one sought; it is the last that could be |
//! | `spill_limit` | in | 12 | slots of the area |
//! | `spill_first`, `spill_end`, `spill_count` | in | 12 each | the warp's area |
//! | `tail` | in | `POINTER_BITS` | back of the warp's window |
//! | `window_read` | out | 1 | read the window's back token in this cycle |
//! | `window_write` | out | 1 | write the token shown below the window's back |
//! | `show_memory` | out | 1 | the token path shows the memory's answer, not the window's |
//! | `pointer_write`, `next_first`, `next_end`, `next_count`, `next_tail` | out | 1, 12 ×3, `POINTER_BITS` | new pointers |
//! | `matched` | out | 1 | the search ends in this cycle with a match |
//! | `examined` | out | 1 | a token was examined in this cycle |
//! | `finished` | out | 1 | the command is done in this cycle |
//! | `slot` | out | 12 | slot that the memory request names |
//! | `memory_*` | | | valid/ready requests; answers to reads, in order |
//!
//! **Timing** one memory access at a time; a spill moves a token in 1 + the memory's wait, a refill or search step in 1 + latency.
//! **Invariants** 1. pointers change only when the token they speak of has moved. 2. `spill_count` ≤ `spill_limit`.
//! **Source** DQ-11, DQ-12 (the source leaves the full queue to software).

use crate::prelude::*;

/// Width of spill pointers and counts: a warp spills at most 4095 tokens.
pub const SPILL_BITS: usize = 12;

/// What the engine is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SpillCommand {
    /// Move the back half of a full window to the area's front.
    Spill = 0,
    /// Move up to half a window from the area's front into an empty window.
    Refill = 1,
    /// Look for the yield token to merge with, from the back.
    Search = 2,
    /// Look for the frontmost token of a kind.
    Find = 3,
    /// Put a token at the area's back.
    Append = 4,
}

/// Where the engine is in a command.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum SpillStep {
    /// Nothing under way: a command starts here.
    Start,
    /// Asking the memory for a token.
    Request,
    /// Waiting for it; it is examined in the cycle in which it comes.
    Answer,
    /// Writing a token to the memory.
    Write,
    /// A found token stays shown for the cycle of the queue's response.
    Release,
}

block! {
    /// See the module's page.
    pub struct SpillEngine<const POINTER_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A command is under way.
            pub enable: Signal<In, Bit>,
            /// Which one.
            pub command: Signal<In, Bits<3>>,
            /// The token shown is the one sought.
            pub sought: Signal<In, Bit>,
            /// The token shown is the last that could be the one sought.
            pub exhausted: Signal<In, Bit>,
            /// Slots of a warp's area.
            pub spill_limit: Signal<In, Bits<SPILL_BITS>>,
            /// Slot of the spilled token nearest to the front.
            pub spill_first: Signal<In, Bits<SPILL_BITS>>,
            /// Slot after the one at the back.
            pub spill_end: Signal<In, Bits<SPILL_BITS>>,
            /// Spilled tokens.
            pub spill_count: Signal<In, Bits<SPILL_BITS>>,
            /// Back of the warp's window.
            pub tail: Signal<In, Bits<POINTER_BITS>>,
            /// Read the window's back token in this cycle.
            pub window_read: Signal<Out, Bit>,
            /// Write the token shown below the window's back.
            pub window_write: Signal<Out, Bit>,
            /// The token path shows the memory's answer, not the window's.
            pub show_memory: Signal<Out, Bit>,
            /// Take the pointers below.
            pub pointer_write: Signal<Out, Bit>,
            /// New slot of the first spilled token.
            pub next_first: Signal<Out, Bits<SPILL_BITS>>,
            /// New slot after the last spilled token.
            pub next_end: Signal<Out, Bits<SPILL_BITS>>,
            /// New number of spilled tokens.
            pub next_count: Signal<Out, Bits<SPILL_BITS>>,
            /// New back of the window.
            pub next_tail: Signal<Out, Bits<POINTER_BITS>>,
            /// The search ends in this cycle with a match.
            pub matched: Signal<Out, Bit>,
            /// A token was examined in this cycle.
            pub examined: Signal<Out, Bit>,
            /// The command is done in this cycle.
            pub finished: Signal<Out, Bit>,
            /// Slot that the memory request names.
            pub slot: Signal<Out, Bits<SPILL_BITS>>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It is a write.
            pub memory_request_write: Signal<Out, Bit>,
            /// An answer to a read.
            pub memory_response_valid: Signal<In, Bit>,
            /// It is taken.
            pub memory_response_ready: Signal<Out, Bit>,
        }
        parts {
            step: Register<SpillStep>,
            cursor: Register<Bits<SPILL_BITS>>,
            spill: Signal<Local, Bit>,
            refill: Signal<Local, Bit>,
            search: Signal<Local, Bit>,
            find: Signal<Local, Bit>,
            append: Signal<Local, Bit>,
            origin: Signal<Local, Bits<SPILL_BITS>>,
            downwards: Signal<Local, Bit>,
            stepped: Signal<Local, Bits<SPILL_BITS>>,
            answered: Signal<Local, Bit>,
            written: Signal<Local, Bit>,
            last: Signal<Local, Bit>,
            half: Constant<Bits<POINTER_BITS>> = Constant::new(bits(1 << (POINTER_BITS - 2))),
        }
    }
}

impl<const POINTER_BITS: usize> Logic for SpillEngine<POINTER_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, cursor);

        self.spill.next = self.command.val() == 0;
        self.refill.next = self.command.val() == 1;
        self.search.next = self.command.val() == 2;
        self.find.next = self.command.val() == 3;
        self.append.next = self.command.val() == 4;
        self.answered.next = (self.step.q.val() == SpillStep::Answer) & self.memory_response_valid.val();
        self.written.next = (self.step.q.val() == SpillStep::Write) & self.memory_request_ready.val();

        // One stepper serves the three pointers: `origin` is the one in use, `stepped` its neighbour in the circle.
        self.origin.next = self.cursor.q.val();
        if self.spill.val() | self.refill.val() {
            self.origin.next = self.spill_first.val();
        }
        if self.append.val() | (self.search.val() & (self.step.q.val() == SpillStep::Start)) {
            self.origin.next = self.spill_end.val();
        }
        self.downwards.next = self.spill.val() | self.search.val();
        if self.downwards.val() {
            self.stepped.next = self.origin.val() - 1;
            if !self.origin.val().any() {
                self.stepped.next = self.spill_limit.val() - 1;
            }
        } else {
            self.stepped.next = self.origin.val() + 1;
            if self.origin.val() + 1 == self.spill_limit.val() {
                self.stepped.next = 0.into();
            }
        }

        // The last token of the command: the window is half empty or the area full, the window half full or the area
        // empty, or there is nothing left to search in the area. (A find always meets its token: its count is not zero.)
        self.last.next = self.search.val() & (self.exhausted.val() | (self.cursor.q.val() == self.spill_first.val()));
        if self.spill.val() {
            self.last.next =
                (self.tail.val() + 1 == self.half.val()) | (self.spill_count.val() + 1 == self.spill_limit.val());
        }
        if self.refill.val() {
            self.last.next = (self.tail.val() == 1) | (self.spill_count.val() == 1);
        }

        match self.step.q.val() {
            SpillStep::Start => {
                if self.enable.val() {
                    self.step.d.next = SpillStep::Request;
                    if self.spill.val() | self.append.val() {
                        self.step.d.next = SpillStep::Write;
                    }
                    self.cursor.d.next = self.spill_first.val();
                    if self.search.val() {
                        self.cursor.d.next = self.stepped.val();
                    }
                }
            }
            SpillStep::Request => {
                if self.memory_request_ready.val() {
                    self.step.d.next = SpillStep::Answer;
                }
            }
            SpillStep::Answer => {
                if self.memory_response_valid.val() {
                    self.step.d.next = SpillStep::Request;
                    if !self.refill.val() {
                        self.cursor.d.next = self.stepped.val();
                    }
                    if self.last.val() {
                        self.step.d.next = SpillStep::Start;
                    }
                    if self.search.val() & self.sought.val() {
                        self.step.d.next = SpillStep::Write;
                        self.cursor.d.next = self.cursor.q.val();
                    }
                    if self.find.val() & self.sought.val() {
                        self.step.d.next = SpillStep::Release;
                    }
                }
            }
            SpillStep::Write => {
                if self.memory_request_ready.val() {
                    self.step.d.next = SpillStep::Start;
                }
            }
            SpillStep::Release => {
                self.step.d.next = SpillStep::Start;
            }
            _ => {
                self.step.d.next = SpillStep::Start;
            }
        }

        self.window_read.next = self.enable.val() & self.spill.val() & (self.step.q.val() == SpillStep::Start);
        self.window_write.next = self.answered.val() & self.refill.val();
        self.show_memory.next = (self.step.q.val() == SpillStep::Answer)
            | (self.step.q.val() == SpillStep::Release)
            | ((self.step.q.val() == SpillStep::Write) & self.search.val());
        self.examined.next = self.answered.val() & (self.search.val() | self.find.val());
        self.matched.next =
            (self.written.val() & self.search.val()) | (self.answered.val() & self.find.val() & self.sought.val());
        self.finished.next = (self.written.val() & (!self.spill.val() | self.last.val()))
            | (self.answered.val() & self.last.val() & !(self.search.val() & self.sought.val()))
            | (self.answered.val() & self.find.val() & self.sought.val());

        self.pointer_write.next =
            (self.written.val() & (self.spill.val() | self.append.val())) | (self.answered.val() & self.refill.val());
        self.next_first.next = self.spill_first.val();
        self.next_end.next = self.spill_end.val();
        self.next_count.next = self.spill_count.val() + 1;
        self.next_tail.next = self.tail.val();
        if self.append.val() {
            self.next_end.next = self.stepped.val();
        } else {
            self.next_first.next = self.stepped.val();
            self.next_tail.next = self.tail.val() + 1;
        }
        if self.refill.val() {
            self.next_count.next = self.spill_count.val() - 1;
            self.next_tail.next = self.tail.val() - 1;
        }

        self.slot.next = self.origin.val();
        if self.spill.val() {
            self.slot.next = self.stepped.val();
        }
        self.memory_request_write.next = self.step.q.val() == SpillStep::Write;
        self.memory_request_valid.next =
            (self.step.q.val() == SpillStep::Request) | (self.step.q.val() == SpillStep::Write);
        // A token that matched stays at the memory's port until it is merged and written back, or was shown.
        self.memory_response_ready.next = (self.answered.val() & !(self.sought.val() & !self.refill.val()))
            | (self.step.q.val() == SpillStep::Release)
            | (self.written.val() & self.search.val());
    }
}
