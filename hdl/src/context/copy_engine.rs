//! Copies the words of one thread group from local to global memory, a word a cycle, and says when the last one has arrived.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start_valid`, `start_ready` | in, out | 1 | a group to copy; ready while nothing is under way |
//! | `start_group`, `start_from`, `start_to`, `start_words` | in | `GROUP_BITS`, 32, 32, `WORDS_BITS` | the group, its first word in either memory, its words: at least 1 |
//! | `copy_read_*` | out, `ready` in | 1, 32 | asks local memory for a word |
//! | `copy_data_*` | in, `ready` out | 1, 32 | the words, in order |
//! | `copy_write_*` | out, `ready` in | 1, 32, 32 | writes them to global memory |
//! | `copy_acknowledge_valid` | in | 1 | strobe: the oldest write was carried out |
//! | `finish_valid`, `finish_group`, `finish_pointer` | out | 1, `GROUP_BITS`, 32 | strobe: all words of the group lie there |
//!
//! **Timing** the first read is asked for in the cycle after the start, a word is offered for writing in the cycle after it came, and `finish_valid` is
//! high in the cycle of the last acknowledgement. Nothing bounds the reads under way but the group's words, so that with ports always
//! ready W words take W + latency of reads + latency of writes + 1 cycles from the start, whatever the latencies are.
//! `copy_data_ready` depends on `copy_write_ready`, `finish_valid` on `copy_acknowledge_valid`.
//! **Invariants** 1. each word of the group is read once and written once, unchanged, in order. 2. what is offered and not taken stays.
//! 3. `finish_valid` exactly once for a start, with its last acknowledgement. 4. nothing starts while a copy is under way.
//! **Source** US 2014/0165072, step 508; CX-02, CX-08, CX-11.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct CopyEngine<const GROUP_BITS: usize, const WORDS_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A group to copy.
            pub start_valid: Signal<In, Bit>,
            /// Nothing is under way.
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
            /// All words were written.
            pub finish_valid: Signal<Out, Bit>,
            /// The group.
            pub finish_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Its first word in global memory.
            pub finish_pointer: Signal<Out, Bits<32>>,
        }
        parts {
            group: Register<Bits<GROUP_BITS>>,
            pointer: Register<Bits<32>>,
            read_address: Register<Bits<32>>,
            reads_left: Register<Bits<WORDS_BITS>>,
            write_address: Register<Bits<32>>,
            words_left: Register<Bits<WORDS_BITS>>,
            holding: Register<Bit>,
            held: Register<Bits<32>>,
            idle: Signal<Local, Bit>,
            written: Signal<Local, Bit>,
        }
    }
}

impl<const GROUP_BITS: usize, const WORDS_BITS: usize> Logic for CopyEngine<GROUP_BITS, WORDS_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, group, pointer, read_address, reads_left, write_address, words_left, holding, held);

        // Reads run ahead; words pass through one register; acknowledgements are counted down.
        self.idle.next = !self.words_left.q.val().any();
        self.copy_read_valid.next = self.reads_left.q.val().any();
        self.copy_read_address.next = self.read_address.q.val();
        if self.copy_read_valid.val() & self.copy_read_ready.val() {
            self.read_address.d.next = self.read_address.q.val() + 1;
            self.reads_left.d.next = self.reads_left.q.val() - 1;
        }
        self.written.next = self.holding.q.val() & self.copy_write_ready.val();
        self.copy_data_ready.next = !self.holding.q.val() | self.copy_write_ready.val();
        if self.written.val() {
            self.holding.d.next = false;
            self.write_address.d.next = self.write_address.q.val() + 1;
        }
        if self.copy_data_valid.val() & self.copy_data_ready.val() {
            self.holding.d.next = true;
            self.held.d.next = self.copy_data.val();
        }
        self.finish_valid.next = self.copy_acknowledge_valid.val() & (self.words_left.q.val() == 1);
        if self.copy_acknowledge_valid.val() & !self.idle.val() {
            self.words_left.d.next = self.words_left.q.val() - 1;
        }

        self.start_ready.next = self.idle.val();
        if self.start_valid.val() & self.idle.val() {
            self.group.d.next = self.start_group.val();
            self.pointer.d.next = self.start_to.val();
            self.read_address.d.next = self.start_from.val();
            self.reads_left.d.next = self.start_words.val();
            self.write_address.d.next = self.start_to.val();
            self.words_left.d.next = self.start_words.val();
        }

        self.copy_write_valid.next = self.holding.q.val();
        self.copy_write_address.next = self.write_address.q.val();
        self.copy_write_data.next = self.held.q.val();
        self.finish_group.next = self.group.q.val();
        self.finish_pointer.next = self.pointer.q.val();
    }
}
