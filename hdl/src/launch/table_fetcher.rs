//! Asks the memory for the words of the walker's segments, several at a time, and brings word and segment together again.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `predicated` | in | 1 | there is a table; without one no word is asked for |
//! | `segment_valid`, `segment_step` | in, out | 1 | a segment is offered; it is taken |
//! | `segment`, `address` | in | `SEGMENT_BITS`, 32 | the segment; its word |
//! | `memory_request_*` | out, `ready` in | 1, 32 | a word is asked for |
//! | `memory_response_*` | in, `ready` out | 1 | answers, in order |
//! | `load_ready`, `load` | in, out | 1 | the next segment may come; it comes now, with the memory's answer if `predicated` |
//! | `load_segment` | out | `SEGMENT_BITS` | that segment |
//! | `waiting` | out | 1 | segments are under way |
//!
//! **Timing** at most `2^FETCH_BITS` words are outstanding; a request may be made in the cycle of the answer that makes room, so an
//! answer a cycle is kept up as long as the memory answers within `2^FETCH_BITS` cycles. `memory_request_valid` depends on
//! `memory_response_valid` and `load_ready`, `memory_response_ready` on `load_ready`.
//! **Invariants** 1. answer and segment belong together. 2. a request that was made is not withdrawn.
//! **Source** WD-05, WD-08.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `FETCH_BITS` + 1; see the module's page.
    pub struct TableFetcher<const FETCH_BITS: usize, const COUNT_BITS: usize, const SEGMENT_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// There is a table.
            pub predicated: Signal<In, Bit>,
            /// A segment is offered.
            pub segment_valid: Signal<In, Bit>,
            /// It is taken.
            pub segment_step: Signal<Out, Bit>,
            /// The segment.
            pub segment: Signal<In, Bits<SEGMENT_BITS>>,
            /// Address of its word.
            pub address: Signal<In, Bits<32>>,
            /// A word is asked for.
            pub memory_request_valid: Signal<Out, Bit>,
            /// The memory takes the request.
            pub memory_request_ready: Signal<In, Bit>,
            /// Address of the word.
            pub memory_request_address: Signal<Out, Bits<32>>,
            /// The memory answers.
            pub memory_response_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The next segment may come.
            pub load_ready: Signal<In, Bit>,
            /// It comes.
            pub load: Signal<Out, Bit>,
            /// The segment that comes.
            pub load_segment: Signal<Out, Bits<SEGMENT_BITS>>,
            /// Segments are under way.
            pub waiting: Signal<Out, Bit>,
        }
        parts {
            first: Register<Bits<FETCH_BITS>>,
            count: Register<Bits<COUNT_BITS>>,
            segments: RegisterFile<FETCH_BITS, SEGMENT_BITS>,
            room: Signal<Local, Bit>,
            capacity: Constant<Bits<COUNT_BITS>> = Constant::new(bits(1 << FETCH_BITS)),
        }
    }
}

impl<const FETCH_BITS: usize, const COUNT_BITS: usize, const SEGMENT_BITS: usize> Logic
    for TableFetcher<FETCH_BITS, COUNT_BITS, SEGMENT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, count);
        clock!(self, clock, segments);

        self.waiting.next = self.count.q.val().any();
        self.memory_response_ready.next = self.waiting.val() & self.load_ready.val() & self.predicated.val();
        self.load.next =
            self.waiting.val() & self.load_ready.val() & (!self.predicated.val() | self.memory_response_valid.val());
        self.room.next = (self.count.q.val() != self.capacity.val()) | self.load.val();
        self.memory_request_valid.next = self.segment_valid.val() & self.predicated.val() & self.room.val();
        self.memory_request_address.next = self.address.val();
        self.segment_step.next =
            self.segment_valid.val() & self.room.val() & (!self.predicated.val() | self.memory_request_ready.val());

        if self.load.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        if self.segment_step.val() & !self.load.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if !self.segment_step.val() & self.load.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        self.segments.write_enable.next = self.segment_step.val();
        self.segments.write_address.next = self.first.q.val() + bit_cast::<FETCH_BITS, COUNT_BITS>(self.count.q.val());
        self.segments.write_data.next = self.segment.val();
        self.segments.read_address.next = self.first.q.val();
        self.load_segment.next = self.segments.read_data.val();
    }
}
