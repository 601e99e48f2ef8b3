//! One copy engine or several behind one read port, one write port and one table: they take turns, word by word.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start_valid`, `start_ready` | in, out | 1 | a group to copy; ready while an engine has nothing to do |
//! | `start_group`, `start_from`, `start_to`, `start_words` | in | `GROUP_BITS`, 32, 32, `WORDS_BITS` | the group, its first word in either memory, its words: at least 1 |
//! | `copy_read_*`, `copy_data_*` | | 1, 32 | reads of local memory; answers in order |
//! | `copy_write_*`, `copy_acknowledge_valid` | | 1, 32 | writes to global memory; acknowledgements in order |
//! | `finish_valid`, `finish_group`, `finish_pointer` | out | 1, `GROUP_BITS`, 32 | strobe: all words of the group lie there |
//! | `idle` | out | 1 | nothing is under way |
//!
//! **Timing** that of [`CopyEngine`](super::copy_engine::CopyEngine). Several engines have at most `2^ORDER_BITS` reads and as many writes under way together.
//! `copy_data_ready` depends on `copy_write_ready`, `finish_valid` on `copy_acknowledge_valid`.
//! **Invariants** 1. each word goes to the engine that asked for it. 2. at most one engine finishes in a cycle, since it does so with an acknowledgement.
//! 3. what is offered and not taken stays.
//! **Source** US 2014/0165072, "a different LSU 303 may perform the method 500 for each different thread group"; CX-06.

use super::copy_engine::CopyEngine;
use super::copy_order::CopyOrder;
use super::port_turn::PortTurn;
use crate::prelude::*;

block! {
    /// `LINKS` = `ENGINES` + 1, `COUNT_BITS` = `ORDER_BITS` + 1; see the module's page.
    pub struct CopyEngines<
        const GROUP_BITS: usize, const WORDS_BITS: usize, const ENGINES: usize, const LINKS: usize,
        const ORDER_BITS: usize, const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A group to copy.
            pub start_valid: Signal<In, Bit>,
            /// An engine has nothing to do.
            pub start_ready: Signal<Out, Bit>,
            /// The group.
            pub start_group: Signal<In, Bits<GROUP_BITS>>,
            /// Its first word in local memory.
            pub start_from: Signal<In, Bits<32>>,
            /// Its first word in global memory.
            pub start_to: Signal<In, Bits<32>>,
            /// Its words.
            pub start_words: Signal<In, Bits<WORDS_BITS>>,
            /// A word of local memory is asked for.
            pub copy_read_valid: Signal<Out, Bit>,
            /// Local memory takes the request.
            pub copy_read_ready: Signal<In, Bit>,
            /// Which word.
            pub copy_read_address: Signal<Out, Bits<32>>,
            /// Local memory answers.
            pub copy_data_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub copy_data_ready: Signal<Out, Bit>,
            /// The word.
            pub copy_data: Signal<In, Bits<32>>,
            /// A word for global memory.
            pub copy_write_valid: Signal<Out, Bit>,
            /// Global memory takes it.
            pub copy_write_ready: Signal<In, Bit>,
            /// Where it goes.
            pub copy_write_address: Signal<Out, Bits<32>>,
            /// The word.
            pub copy_write_data: Signal<Out, Bits<32>>,
            /// The oldest write was carried out.
            pub copy_acknowledge_valid: Signal<In, Bit>,
            /// All words of a group were written.
            pub finish_valid: Signal<Out, Bit>,
            /// The group.
            pub finish_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Its first word in global memory.
            pub finish_pointer: Signal<Out, Bits<32>>,
            /// Nothing is under way.
            pub idle: Signal<Out, Bit>,
        }
        parts {
            engine: [CopyEngine<GROUP_BITS, WORDS_BITS>; ENGINES] = std::array::from_fn(|_| CopyEngine::default()),
            read_turn: PortTurn<ENGINES>,
            write_turn: PortTurn<ENGINES>,
            reads: CopyOrder<ENGINES, ORDER_BITS, COUNT_BITS>,
            writes: CopyOrder<ENGINES, ORDER_BITS, COUNT_BITS>,
            free: [Signal<Local, Bits<ENGINES>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            reading: [Signal<Local, Bits<ENGINES>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            writing: [Signal<Local, Bits<ENGINES>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            taking: [Signal<Local, Bits<ENGINES>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            finishing: [Signal<Local, Bits<ENGINES>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            all_free: Signal<Local, Bits<ENGINES>>,
            starting: Signal<Local, Bits<ENGINES>>,
            all_reading: Signal<Local, Bits<ENGINES>>,
            all_writing: Signal<Local, Bits<ENGINES>>,
            all_taking: Signal<Local, Bits<ENGINES>>,
            all_finishing: Signal<Local, Bits<ENGINES>>,
        }
    }
}

impl<
        const GROUP_BITS: usize,
        const WORDS_BITS: usize,
        const ENGINES: usize,
        const LINKS: usize,
        const ORDER_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for CopyEngines<GROUP_BITS, WORDS_BITS, ENGINES, LINKS, ORDER_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, read_turn, write_turn, reads, writes);
        self.read_turn.reset.next = self.reset.val();
        self.write_turn.reset.next = self.reset.val();
        self.reads.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();

        // What each engine wants, as masks: what the last link says stands.
        self.free[0].next = 0.into();
        self.reading[0].next = 0.into();
        self.writing[0].next = 0.into();
        self.taking[0].next = 0.into();
        self.finishing[0].next = 0.into();
        for i in 0..ENGINES {
            self.free[i + 1].next = self.free[i].val().replace_bit(i, self.engine[i].start_ready.val());
            self.reading[i + 1].next = self.reading[i].val().replace_bit(i, self.engine[i].copy_read_valid.val());
            self.writing[i + 1].next = self.writing[i].val().replace_bit(i, self.engine[i].copy_write_valid.val());
            self.taking[i + 1].next = self.taking[i].val().replace_bit(i, self.engine[i].copy_data_ready.val());
            self.finishing[i + 1].next = self.finishing[i].val().replace_bit(i, self.engine[i].finish_valid.val());
        }
        for i in 0..ENGINES {
            self.all_free.next = self.free[i + 1].val();
            self.all_reading.next = self.reading[i + 1].val();
            self.all_writing.next = self.writing[i + 1].val();
            self.all_taking.next = self.taking[i + 1].val();
            self.all_finishing.next = self.finishing[i + 1].val();
        }
        self.start_ready.next = self.all_free.val().any();
        self.starting.next = 0.into();
        if self.start_valid.val() {
            self.starting.next = self.all_free.val() & (!self.all_free.val() + 1);
        }
        self.idle.next = !(!self.all_free.val()).any();

        // Turns at the ports; answers go to whose turn it was.
        self.read_turn.asking.next = 0.into();
        if self.reads.room.val() {
            self.read_turn.asking.next = self.all_reading.val();
        }
        self.read_turn.ready.next = self.copy_read_ready.val();
        self.copy_read_valid.next = self.read_turn.chosen.val().any();
        self.reads.enter_valid.next = self.copy_read_valid.val() & self.copy_read_ready.val();
        self.reads.enter_engine.next = self.read_turn.chosen.val();
        self.copy_data_ready.next = (self.reads.oldest.val() & self.all_taking.val()).any();
        self.reads.leave_valid.next = self.copy_data_valid.val() & self.copy_data_ready.val();
        self.write_turn.asking.next = 0.into();
        if self.writes.room.val() {
            self.write_turn.asking.next = self.all_writing.val();
        }
        self.write_turn.ready.next = self.copy_write_ready.val();
        self.copy_write_valid.next = self.write_turn.chosen.val().any();
        self.writes.enter_valid.next = self.copy_write_valid.val() & self.copy_write_ready.val();
        self.writes.enter_engine.next = self.write_turn.chosen.val();
        self.writes.leave_valid.next = self.copy_acknowledge_valid.val();
        for i in 0..ENGINES {
            self.engine[i].clock.next = self.clock.val();
            self.engine[i].reset.next = self.reset.val();
            self.engine[i].start_valid.next = self.starting.val().get_bit(i);
            self.engine[i].start_group.next = self.start_group.val();
            self.engine[i].start_from.next = self.start_from.val();
            self.engine[i].start_to.next = self.start_to.val();
            self.engine[i].start_words.next = self.start_words.val();
            self.engine[i].copy_read_ready.next = self.copy_read_ready.val() & self.read_turn.chosen.val().get_bit(i);
            self.engine[i].copy_data_valid.next = self.copy_data_valid.val() & self.reads.oldest.val().get_bit(i);
            self.engine[i].copy_data.next = self.copy_data.val();
            self.engine[i].copy_write_ready.next =
                self.copy_write_ready.val() & self.write_turn.chosen.val().get_bit(i);
            self.engine[i].copy_acknowledge_valid.next =
                self.copy_acknowledge_valid.val() & self.writes.oldest.val().get_bit(i);
        }

        self.copy_read_address.next = 0.into();
        self.copy_write_address.next = 0.into();
        self.copy_write_data.next = 0.into();
        self.finish_group.next = 0.into();
        self.finish_pointer.next = 0.into();
        for i in 0..ENGINES {
            if self.read_turn.chosen.val().get_bit(i) {
                self.copy_read_address.next = self.engine[i].copy_read_address.val();
            }
            if self.write_turn.chosen.val().get_bit(i) {
                self.copy_write_address.next = self.engine[i].copy_write_address.val();
                self.copy_write_data.next = self.engine[i].copy_write_data.val();
            }
            if self.all_finishing.val().get_bit(i) {
                self.finish_group.next = self.engine[i].finish_group.val();
                self.finish_pointer.next = self.engine[i].finish_pointer.val();
            }
        }
        self.finish_valid.next = self.all_finishing.val().any();
    }
}
