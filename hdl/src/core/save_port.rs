//! The save area in memory, a word at a time: what is pushed lies behind what was pushed before, and is popped in the opposite order, or read again in the
//! same one.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `load_valid`, `load_address` | in | 1, 32 | the next word to write, and the one behind the next word to pop |
//! | `push_valid`, `push_ready`, `push_data` | in, out, in | 1, 1, 64 | a word is written; it is taken |
//! | `pop_valid`, `pop_ready`, `pop_data` | in, out, out | 1, 1, 64 | a word is wanted; it is there, for this cycle |
//! | `upward` | in | 1 | a word that is wanted is the one at the pointer, not the one below; stable while one is wanted |
//! | `pointer` | out | 32 | address of the next word to write |
//! | `memory_request_*`, `memory_response_*` | | | the memory: one read at a time, answers to reads only |
//!
//! **Timing** `push_ready` follows `memory_request_ready` in the same cycle. A pop takes as long as the memory, and a cycle: it is asked for in the
//! cycle in which it is wanted. A word is wanted until it is there, and nothing is pushed or loaded meanwhile.
//! **Invariants** 1. at most one read is under way. 2. pushes and pops that alternate see the memory as a stack.
//! **Source** CX-09.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct SavePort {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The pointer is set.
            pub load_valid: Signal<In, Bit>,
            /// To this address, in words.
            pub load_address: Signal<In, Bits<32>>,
            /// A word is to be written.
            pub push_valid: Signal<In, Bit>,
            /// It is taken.
            pub push_ready: Signal<Out, Bit>,
            /// The word.
            pub push_data: Signal<In, Bits<64>>,
            /// A word is wanted.
            pub pop_valid: Signal<In, Bit>,
            /// It is there.
            pub pop_ready: Signal<Out, Bit>,
            /// The word.
            pub pop_data: Signal<Out, Bits<64>>,
            /// Words are read upwards.
            pub upward: Signal<In, Bit>,
            /// Address of the next word to write.
            pub pointer: Signal<Out, Bits<32>>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Address, in words.
            pub memory_request_address: Signal<Out, Bits<32>>,
            /// The word to write.
            pub memory_request_data: Signal<Out, Bits<64>>,
            /// An answer to a read.
            pub memory_response_valid: Signal<In, Bit>,
            /// It is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The word read.
            pub memory_response_data: Signal<In, Bits<64>>,
        }
        parts {
            place: Register<Bits<32>>,
            asked: Register<Bit>,
        }
    }
}

impl Logic for SavePort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, asked);
        self.pointer.next = self.place.q.val();
        self.memory_request_valid.next = self.push_valid.val() | (self.pop_valid.val() & !self.asked.q.val());
        self.memory_request_write.next = self.push_valid.val();
        self.memory_request_address.next = self.place.q.val();
        if !self.push_valid.val() & !self.upward.val() {
            self.memory_request_address.next = self.place.q.val() - 1;
        }
        self.memory_request_data.next = self.push_data.val();
        self.push_ready.next = self.push_valid.val() & self.memory_request_ready.val();
        self.memory_response_ready.next = self.asked.q.val();
        self.pop_ready.next = self.asked.q.val() & self.memory_response_valid.val();
        self.pop_data.next = self.memory_response_data.val();
        if self.pop_valid.val() & !self.push_valid.val() & !self.asked.q.val() & self.memory_request_ready.val() {
            self.asked.d.next = true;
        }
        if self.pop_ready.val() {
            self.asked.d.next = false;
            self.place.d.next = self.place.q.val() - 1;
            if self.upward.val() {
                self.place.d.next = self.place.q.val() + 1;
            }
        }
        if self.push_ready.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.load_valid.val() {
            self.place.d.next = self.load_address.val();
        }
    }
}
