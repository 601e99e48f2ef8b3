//! Everything that touches a warp's spilled tokens: moving them out and back in, searching them, and appending at the back.
//! It sees pointers only; tokens run through the queue's one token path.
//!
//! A warp's spilled tokens lie in a circular area of `spill_limit` slots in memory, `spill_first` is the slot of the one nearest
//! to the front, `spill_end` the slot after the one at the back.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enable`, `command` | in | 1, 5 | what to do ([`SpillCommand`]), high until `finished` |
//! | `sought`, `shown_yield` | in | 1, 1 | the token shown is the one sought; it is a yield token |
//! | `spill_limit` | in | 12 | slots of the area |
//! | `spill_first`, `spill_end`, `spill_count` | in | 12 each | the warp's area |
//! | `tail` | in | `POINTER_BITS` | back of the warp's window |
//! | `window_read` | out | 1 | read the window's back token in this cycle |
//! | `window_write` | out | 1 | write the token shown below the window's back |
//! | `show_memory` | out | 1 | the token path shows the memory's answer, not the window's |
//! | `spilled`, `area_full` | in | 1, 1 | `spill_count` is not 0; is `spill_limit` |
//! | `first_write`, `end_write`, `next_slot`, `count_write`, `next_count`, `next_spilled` | out | 1, 1, 12, 1, 12, 1 | new spill pointers |
//! | `tail_up`, `tail_write` | out | 1, 1 | the window's tail moves by one: up, else down |
//! | `at_end` | out | 1 | a token found is the one at the area's back |
//! | `matched` | out | 1 | the search ends in this cycle with a match |
//! | `passed`, `exhausted` | out | 1, 1 | the search ends in this cycle: at a token that is no yield token; at the area's front |
//! | `finished` | out | 1 | a command that moves tokens is done in this cycle |
//! | `slot` | out | 12 | slot that the memory request names |
//! | `memory_*` | | | valid/ready requests; answers to reads, in order |
//!
//! **Timing** one memory access at a time; a spill moves a token in 1 + the memory's wait, a refill or search step in 1 + latency.
//! **Invariants** 1. pointers change only when the token they speak of has moved. 2. `spill_count` ≤ `spill_limit`. 3. a request
//! is held until it is taken. 4. memory is asked only for what is there: a refill of an empty area ends at once. 5. a command ends
//! in one way: `matched`, `passed` or `exhausted` if it searches, else `finished`.
//! **Source** DQ-11, DQ-12 (the source leaves the full queue to software).

use crate::prelude::*;

/// Width of spill pointers and counts: a warp spills at most 4095 tokens.
pub const SPILL_BITS: usize = 12;

/// What the engine is asked to do: the number of the bit that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SpillCommand {
    /// Move the back half of a full window to the area's front.
    Spill = 0,
    /// Look for the yield token to merge with, from the back.
    Search = 1,
    /// Move up to half a window from the area's front into an empty window.
    Refill = 2,
    /// Put a token at the area's back.
    Append = 3,
    /// Look for the frontmost token of a kind.
    Find = 4,
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
            pub command: Signal<In, Bits<5>>,
            /// The token shown is the one sought.
            pub sought: Signal<In, Bit>,
            /// The token shown is a yield token.
            pub shown_yield: Signal<In, Bit>,
            /// There are spilled tokens.
            pub spilled: Signal<In, Bit>,
            /// There are as many as the area takes.
            pub area_full: Signal<In, Bit>,
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
            /// The first token lies in the slot below now.
            pub first_write: Signal<Out, Bit>,
            /// The area ends before the slot below now.
            pub end_write: Signal<Out, Bit>,
            /// A slot.
            pub next_slot: Signal<Out, Bits<SPILL_BITS>>,
            /// The number of spilled tokens changes.
            pub count_write: Signal<Out, Bit>,
            /// New number of spilled tokens.
            pub next_count: Signal<Out, Bits<SPILL_BITS>>,
            /// It is not 0.
            pub next_spilled: Signal<Out, Bit>,
            /// The window's tail moves by one.
            pub tail_write: Signal<Out, Bit>,
            /// It moves up.
            pub tail_up: Signal<Out, Bit>,
            /// A token found is the one at the area's back.
            pub at_end: Signal<Out, Bit>,
            /// The search ends in this cycle with a match.
            pub matched: Signal<Out, Bit>,
            /// The search ends in this cycle, at a token that is no yield token.
            pub passed: Signal<Out, Bit>,
            /// The search ends in this cycle, at the area's front.
            pub exhausted: Signal<Out, Bit>,
            /// A command that moves tokens is done in this cycle.
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
            showing: Register<Bit>,
            cursor: Register<Bits<SPILL_BITS>>,
            looked: Register<Bit>,
            last_slot: Signal<Local, Bits<SPILL_BITS>>,
            spill: Signal<Local, Bit>,
            refill: Signal<Local, Bit>,
            search: Signal<Local, Bit>,
            find: Signal<Local, Bit>,
            append: Signal<Local, Bit>,
            from_back: Signal<Local, Bit>,
            backwards: Signal<Local, Bit>,
            stepped: Signal<Local, Bits<SPILL_BITS>>,
            #[reads(early)]
            neighbour: Signal<Local, Bits<SPILL_BITS>>,
            answered: Signal<Local, Bit>,
            written: Signal<Local, Bit>,
            starts: Signal<Local, Bit>,
            nothing: Signal<Local, Bit>,
            last: Signal<Local, Bit>,
            wraps: Signal<Local, Bit>,
            half_less_one: Constant<Bits<POINTER_BITS>> = Constant::new(bits((1 << (POINTER_BITS - 2)) - 1)),
            command_spill: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Spill as u64)),
            command_search: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Search as u64)),
            command_refill: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Refill as u64)),
            command_append: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Append as u64)),
            command_find: Constant<Bits<3>> = Constant::new(bits(SpillCommand::Find as u64)),
        }
    }
}

impl<const POINTER_BITS: usize> Logic for SpillEngine<POINTER_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, cursor, looked, showing);

        self.spill.next = self.command.val().get_bit(self.command_spill.val());
        self.refill.next = self.command.val().get_bit(self.command_refill.val());
        self.search.next = self.command.val().get_bit(self.command_search.val());
        self.find.next = self.command.val().get_bit(self.command_find.val());
        self.append.next = self.command.val().get_bit(self.command_append.val());
        self.answered.next = (self.step.q.val() == SpillStep::Answer) & self.memory_response_valid.val();
        self.written.next = (self.step.q.val() == SpillStep::Write) & self.memory_request_ready.val();

        self.starts.next = self.enable.val() & (self.step.q.val() == SpillStep::Start);

        // The cursor starts at either end of the area and follows the command; `neighbour` is the next one in the circle. A
        // command that goes towards the front works on the neighbour's slot, the pointers being those of the slots behind tokens.
        self.from_back.next = self.search.val() | self.append.val();
        self.backwards.next = !self.spill.val() & !self.search.val();
        self.last_slot.next = self.spill_limit.val() - 1;
        if self.backwards.val() {
            self.wraps.next = self.cursor.q.val() == self.last_slot.val();
            self.stepped.next = self.cursor.q.val() + 1;
            self.slot.next = self.cursor.q.val();
        } else {
            self.wraps.next = !self.cursor.q.val().any();
            self.stepped.next = self.cursor.q.val() - 1;
            self.slot.next = self.neighbour.val();
        }
        self.neighbour.next = self.stepped.val();
        if self.wraps.val() {
            self.neighbour.next = self.last_slot.val();
            if self.backwards.val() {
                self.neighbour.next = 0.into();
            }
        }
        if self.starts.val() {
            self.cursor.d.next = self.spill_first.val();
            if self.from_back.val() {
                self.cursor.d.next = self.spill_end.val();
            }
        } else if (self.answered.val() | self.written.val()) & !(self.search.val() & self.sought.val()) {
            self.cursor.d.next = self.neighbour.val();
        }

        // The last token of a move: the window is half empty, or half full. Or the area is full, or empty.
        self.last.next = self.refill.val() & (self.tail.val() == 1);
        if self.spill.val() {
            self.last.next = self.tail.val() == self.half_less_one.val();
        }
        self.nothing.next = (self.starts.val() & self.spill.val() & self.area_full.val())
            | ((self.step.q.val() == SpillStep::Request) & self.refill.val() & !self.spilled.val());

        // A search ends at a token that is no yield token, or when it has come around to the first one; a full area begins
        // there. (A find always meets its token: the flag of its kind is set.)
        self.passed.next = self.answered.val() & self.search.val() & !self.shown_yield.val();
        self.exhausted.next = (self.step.q.val() == SpillStep::Request)
            & self.search.val()
            & self.looked.q.val()
            & (self.cursor.q.val() == self.spill_first.val());
        self.looked.d.next = self.enable.val() & (self.looked.q.val() | self.answered.val());

        match self.step.q.val() {
            SpillStep::Start => {
                if self.enable.val() {
                    self.step.d.next = SpillStep::Request;
                    if self.spill.val() | self.append.val() {
                        self.step.d.next = SpillStep::Write;
                    }
                }
            }
            SpillStep::Request => {
                if self.memory_request_ready.val() {
                    self.step.d.next = SpillStep::Answer;
                    self.showing.d.next = true;
                }
            }
            SpillStep::Answer => {
                if self.memory_response_valid.val() {
                    self.step.d.next = SpillStep::Request;
                    self.showing.d.next = false;
                    if self.last.val() | self.passed.val() {
                        self.step.d.next = SpillStep::Start;
                    }
                    if self.search.val() & self.sought.val() {
                        self.step.d.next = SpillStep::Write;
                        self.showing.d.next = true;
                    }
                    if self.find.val() & self.sought.val() {
                        self.step.d.next = SpillStep::Release;
                        self.showing.d.next = true;
                    }
                }
            }
            SpillStep::Write => {
                if self.memory_request_ready.val() {
                    self.step.d.next = SpillStep::Start;
                    self.showing.d.next = false;
                }
            }
            SpillStep::Release => {
                self.step.d.next = SpillStep::Start;
                self.showing.d.next = false;
            }
            _ => {
                self.step.d.next = SpillStep::Start;
            }
        }
        if self.nothing.val() | self.exhausted.val() {
            self.step.d.next = SpillStep::Start;
            self.showing.d.next = false;
        }

        self.window_read.next = self.starts.val() & self.spill.val();
        self.window_write.next = self.answered.val() & self.refill.val();
        self.show_memory.next = self.showing.q.val();
        self.matched.next =
            (self.written.val() & self.search.val()) | (self.answered.val() & self.find.val() & self.sought.val());
        self.finished.next = self.nothing.val()
            | (self.written.val() & (self.append.val() | (self.spill.val() & self.last.val())))
            | (self.answered.val() & self.refill.val() & self.last.val());
        self.at_end.next = self.neighbour.val() == self.spill_end.val();

        self.first_write.next = (self.written.val() & self.spill.val()) | (self.answered.val() & self.refill.val());
        self.end_write.next = self.written.val() & self.append.val();
        self.next_slot.next = self.neighbour.val();
        self.count_write.next = self.first_write.val() | self.end_write.val();
        self.next_count.next = self.spill_count.val() + 1;
        self.next_spilled.next = true;
        if self.refill.val() {
            self.next_count.next = self.spill_count.val() - 1;
            self.next_spilled.next = self.spill_count.val() != 1;
        }
        self.tail_write.next = self.first_write.val();
        self.tail_up.next = self.spill.val();

        self.memory_request_write.next = self.step.q.val() == SpillStep::Write;
        self.memory_request_valid.next =
            ((self.step.q.val() == SpillStep::Request) & !self.nothing.val() & !self.exhausted.val())
                | (self.step.q.val() == SpillStep::Write);
        // A token that matched stays at the memory's port until it is merged and written back, or was shown.
        self.memory_response_ready.next = (self.answered.val() & !(self.sought.val() & !self.refill.val()))
            | (self.step.q.val() == SpillStep::Release)
            | (self.written.val() & self.search.val());
    }
}
