//! Which entry of the window is read and which is written in each cycle, and where the queue's ends are afterwards.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `head`, `tail`, `push_head` | in | the window of the operation's warp; the head of the one at the push port |
//! | `from_push` | in | the write port is the push port's in this cycle, else the operation's |
//! | `front`, `back`, `append`, `search_back`, `place_now`, `pop_now`, `scanning`, … | in | what the sequencer does |
//! | `recenter_*`, `spill_*`, `software*` | in | what the engines and software do |
//! | `position` | out | entry of the token in view |
//! | `scan_at_end` | out | the token in view is the last of its search |
//! | `read_index`, `write_index` | out | entries |
//! | `next_head`, `next_tail`, `head_write`, `tail_write`, `last_out` | out | new pointers; the queue's window empties and returns to the middle |
//!
//! **Timing** combinational, but for `position`, which is the entry read in the cycle before.
//! **Invariants** 1. an empty window lies at the mid point (DQ-05). 2. the head stays at or above the tail, both in the window,
//! and as many tokens are in it as entered more than left. 3. a token is written next to the window, to an entry that holds none.
//! **Source** US 9,459,876, head and tail pointers; DQ-05, DQ-06.

use crate::prelude::*;

block! {
    /// Pointers of `POINTER_BITS` count 0 to the window's depth, `2^(POINTER_BITS - 1)`; see the module's page.
    pub struct WindowControl<const POINTER_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// One past the front token's entry.
            pub head: Signal<In, Bits<POINTER_BITS>>,
            /// The back token's entry.
            pub tail: Signal<In, Bits<POINTER_BITS>>,
            /// Head of the warp at the push port.
            pub push_head: Signal<In, Bits<POINTER_BITS>>,
            /// The write port is the push port's.
            pub from_push: Signal<In, Bit>,
            /// A token enters from there.
            pub push_now: Signal<In, Bit>,
            /// The operation pushes at the front.
            pub front: Signal<In, Bit>,
            /// At the back.
            pub back: Signal<In, Bit>,
            /// It is the operation port's turn.
            pub deciding: Signal<In, Bit>,
            /// A search from the back starts.
            pub search_back: Signal<In, Bit>,
            /// The operation's token enters.
            pub place_now: Signal<In, Bit>,
            /// The operation takes the front token, now or later.
            pub pop: Signal<In, Bit>,
            /// And puts none in before it.
            pub pop_only: Signal<In, Bit>,
            /// The front token leaves.
            pub pop_now: Signal<In, Bit>,
            /// A search looks at the window.
            pub scanning: Signal<In, Bit>,
            /// The window is being moved.
            pub recentering: Signal<In, Bit>,
            /// In this cycle a token is written.
            pub recenter_write: Signal<In, Bit>,
            /// To this entry.
            pub recenter_index: Signal<In, Bits<POINTER_BITS>>,
            /// The last one.
            pub recenter_finished: Signal<In, Bit>,
            /// The head that results.
            pub recenter_head: Signal<In, Bits<POINTER_BITS>>,
            /// The tail that results.
            pub recenter_tail: Signal<In, Bits<POINTER_BITS>>,
            /// The spill engine works.
            pub spilling: Signal<In, Bit>,
            /// It moves the tail by one.
            pub spill_tail_write: Signal<In, Bit>,
            /// Up.
            pub spill_tail_up: Signal<In, Bit>,
            /// Software works.
            pub software: Signal<In, Bit>,
            /// On this entry.
            pub software_index: Signal<In, Bits<8>>,
            /// It writes both pointers.
            pub software_write: Signal<In, Bit>,
            /// The head.
            pub software_head: Signal<In, Bits<POINTER_BITS>>,
            /// The tail.
            pub software_tail: Signal<In, Bits<POINTER_BITS>>,
            /// Entry of the token in view.
            pub position: Signal<Out, Bits<POINTER_BITS>>,
            /// The token in view is the last of its search.
            pub scan_at_end: Signal<Out, Bit>,
            /// The entry read.
            pub read_index: Signal<Out, Bits<POINTER_BITS>>,
            /// The entry written.
            pub write_index: Signal<Out, Bits<POINTER_BITS>>,
            /// Take a new head.
            pub head_write: Signal<Out, Bit>,
            /// The new head.
            pub next_head: Signal<Out, Bits<POINTER_BITS>>,
            /// Take a new tail.
            pub tail_write: Signal<Out, Bit>,
            /// The new tail.
            pub next_tail: Signal<Out, Bits<POINTER_BITS>>,
            /// The new pointers, if taken, are the mid point.
            pub to_middle: Signal<Out, Bit>,
            /// The last token leaves the window.
            pub last_out: Signal<Out, Bit>,
        }
        parts {
            viewed: Register<Bits<POINTER_BITS>>,
            front_index: Signal<Local, Bits<POINTER_BITS>>,
            stepped: Signal<Local, Bits<POINTER_BITS>>,
            upwards: Signal<Local, Bit>,
            from_tail: Signal<Local, Bit>,
            moved_tail: Signal<Local, Bits<POINTER_BITS>>,
            entries: Constant<Bits<POINTER_BITS>> = Constant::new(bits((1 << (POINTER_BITS - 1)) - 1)),
        }
    }
}

impl<const POINTER_BITS: usize> Logic for WindowControl<POINTER_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, viewed);
        self.front_index.next = self.head.val() - 1;

        // A search from the back and a window that moves down go up, a find and a window that moves up go down.
        self.upwards.next = self.front.val() | (self.scanning.val() & self.back.val());
        self.stepped.next = self.viewed.q.val();
        if self.scanning.val() | self.recenter_write.val() {
            self.stepped.next = self.viewed.q.val() - 1;
            if self.upwards.val() {
                self.stepped.next = self.viewed.q.val() + 1;
            }
        }
        // A push front reads nothing: its index is where a recentering would begin.
        self.from_tail.next = self.search_back.val() | self.front.val() | self.spilling.val();
        self.read_index.next = self.front_index.val() & self.entries.val();
        if self.from_tail.val() {
            self.read_index.next = self.tail.val() & self.entries.val();
        }
        if (self.scanning.val() & !self.deciding.val()) | self.recentering.val() {
            self.read_index.next = self.stepped.val() & self.entries.val();
        }
        if self.software.val() {
            self.read_index.next = bit_cast::<POINTER_BITS, 8>(self.software_index.val()) & self.entries.val();
        }
        self.viewed.d.next = self.read_index.val();
        self.position.next = self.viewed.q.val();
        self.scan_at_end.next = self.viewed.q.val() == self.tail.val();
        if self.back.val() {
            self.scan_at_end.next = self.viewed.q.val() + 1 == self.head.val();
        }

        // The tail moves down for a token that enters there or comes back from memory, up for one that goes there.
        self.moved_tail.next = self.tail.val() - 1;
        if self.spilling.val() & self.spill_tail_up.val() {
            self.moved_tail.next = self.tail.val() + 1;
        }
        self.write_index.next = self.viewed.q.val();
        if self.deciding.val() {
            self.write_index.next = self.head.val() & self.entries.val();
            if self.back.val() {
                self.write_index.next = self.moved_tail.val() & self.entries.val();
            }
        }
        if self.spilling.val() {
            self.write_index.next = self.moved_tail.val() & self.entries.val();
        }
        if self.recentering.val() {
            self.write_index.next = self.recenter_index.val() & self.entries.val();
        }
        if self.from_push.val() {
            self.write_index.next = self.push_head.val() & self.entries.val();
        }
        if self.software.val() {
            self.write_index.next = bit_cast::<POINTER_BITS, 8>(self.software_index.val()) & self.entries.val();
        }

        self.last_out.next = self.pop_now.val() & self.pop_only.val() & (self.front_index.val() == self.tail.val());
        // What is written does not wait for the decision whether it is.
        self.to_middle.next = self.deciding.val()
            & !self.from_push.val()
            & self.pop_only.val()
            & (self.front_index.val() == self.tail.val());
        self.next_head.next = self.head.val() + 1;
        if self.pop.val() {
            self.next_head.next = self.front_index.val();
        }
        self.next_tail.next = self.moved_tail.val();
        if self.recentering.val() {
            self.next_head.next = self.recenter_head.val();
            self.next_tail.next = self.recenter_tail.val();
        }
        if self.from_push.val() {
            self.next_head.next = self.push_head.val() + 1;
        }
        if self.software.val() {
            self.next_head.next = self.software_head.val();
            self.next_tail.next = self.software_tail.val();
        }
        self.head_write.next = self.push_now.val()
            | (self.place_now.val() & self.front.val())
            | self.pop_now.val()
            | self.recenter_finished.val()
            | self.software_write.val();
        self.tail_write.next = self.spill_tail_write.val()
            | (self.place_now.val() & self.back.val())
            | self.last_out.val()
            | self.recenter_finished.val()
            | self.software_write.val();
    }
}
