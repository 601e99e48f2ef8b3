//! The words of a CTA's state that the arrival side has: one is chosen to leave, or taken apart to be put back.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `operation`, `word`, `data` | in | what is in the execute stage; which word ([`SavedWord`](super::operation::SavedWord)), and of a Deposit its value |
//! | `live`, `configuration`, `tag`, `after`, `kind`, `state`, `count`, `sleepers`, `filled`, `arrived`, `seen`, `transactions`, `left` | in | the tables' entries of its CTA, barrier and block |
//! | `saved` | out | the word that a Withdraw asks for; 0 if this side has it not |
//! | `ends` | out | it asks for the last one |
//! | `deposits_*`, `next_*` | out | a Deposit of a word of this kind, and what becomes of the table |
//!
//! **Timing** combinational.
//! **Invariants** 1. a word that is deposited as it was withdrawn leaves every table with the entry that it was withdrawn from.
//! **Source** CX-09.

use super::operation::{BarrierOperation, SavedWord};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct SavedWords<
        const BLOCKS: usize,
        const BLOCK_THREADS: usize,
        const COUNT_BITS: usize,
        const ADDRESS_BITS: usize,
    > {
        ports {
            /// What is in the execute stage.
            pub operation: Signal<In, Bits<4>>,
            /// The word that it names.
            pub word: Signal<In, Bits<4>>,
            /// The value of a Deposit.
            pub data: Signal<In, Bits<64>>,
            /// Live threads of the CTA.
            pub live: Signal<In, Bits<COUNT_BITS>>,
            /// The barrier's configuration.
            pub configuration: Signal<In, Bits<48>>,
            /// Address of its top.
            pub tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// Address after its bottom.
            pub after: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its flags.
            pub kind: Signal<In, Bits<5>>,
            /// Its state bits.
            pub state: Signal<In, Bits<8>>,
            /// Its arrivals.
            pub count: Signal<In, Bits<COUNT_BITS>>,
            /// Its sleepers.
            pub sleepers: Signal<In, Bits<COUNT_BITS>>,
            /// Its blocks with arrivals.
            pub filled: Signal<In, Bits<BLOCKS>>,
            /// Threads of the block that have arrived and count.
            pub arrived: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads of the block that were seen without taking part.
            pub seen: Signal<In, Bits<BLOCK_THREADS>>,
            /// Its transaction counts.
            pub transactions: Signal<In, Bits<14>>,
            /// Cycles until its timeout.
            pub left: Signal<In, Bits<16>>,
            /// The word that a Withdraw asks for.
            pub saved: Signal<Out, Bits<64>>,
            /// It asks for the last one.
            pub ends: Signal<Out, Bit>,
            /// A configuration is put back.
            pub deposits_configuration: Signal<Out, Bit>,
            /// An identity is put back.
            pub deposits_identity: Signal<Out, Bit>,
            /// Its address of the top.
            pub next_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its address after the bottom.
            pub next_after: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its flags.
            pub next_kind: Signal<Out, Bits<5>>,
            /// Bits of threads are put back.
            pub deposits_bits: Signal<Out, Bit>,
            /// Who has arrived.
            pub next_arrived: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Who was seen.
            pub next_seen: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Transaction counts are put back.
            pub deposits_transactions: Signal<Out, Bit>,
            /// A clock is put back.
            pub deposits_clock: Signal<Out, Bit>,
            /// Threads that sleep again.
            pub next_asleep: Signal<Out, Bits<BLOCK_THREADS>>,
            /// They are done.
            pub next_done: Signal<Out, Bit>,
        }
        parts {
            withdraw: Signal<Local, Bit>,
            deposit: Signal<Local, Bit>,
            live_word: Signal<Local, Bit>,
            waiting_word: Signal<Local, Bit>,
            finished_word: Signal<Local, Bit>,
            arrived_word: Signal<Local, Bit>,
            seen_word: Signal<Local, Bit>,
            configuration_word: Signal<Local, Bit>,
            identity_word: Signal<Local, Bit>,
            state_word: Signal<Local, Bit>,
            transactions_word: Signal<Local, Bit>,
            clock_word: Signal<Local, Bit>,
            code_withdraw: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Withdraw as u64)),
            code_deposit: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Deposit as u64)),
            of_live: Constant<Bits<4>> = Constant::new(bits(SavedWord::Live as u64)),
            of_waiting: Constant<Bits<4>> = Constant::new(bits(SavedWord::Waiting as u64)),
            of_finished: Constant<Bits<4>> = Constant::new(bits(SavedWord::Finished as u64)),
            of_arrived: Constant<Bits<4>> = Constant::new(bits(SavedWord::Arrived as u64)),
            of_seen: Constant<Bits<4>> = Constant::new(bits(SavedWord::Seen as u64)),
            of_configuration: Constant<Bits<4>> = Constant::new(bits(SavedWord::Configuration as u64)),
            of_identity: Constant<Bits<4>> = Constant::new(bits(SavedWord::Identity as u64)),
            of_state: Constant<Bits<4>> = Constant::new(bits(SavedWord::State as u64)),
            of_transactions: Constant<Bits<4>> = Constant::new(bits(SavedWord::Transactions as u64)),
            of_clock: Constant<Bits<4>> = Constant::new(bits(SavedWord::Clock as u64)),
            of_end: Constant<Bits<4>> = Constant::new(bits(SavedWord::End as u64)),
        }
    }
}

impl<const BLOCKS: usize, const BLOCK_THREADS: usize, const COUNT_BITS: usize, const ADDRESS_BITS: usize> Logic
    for SavedWords<BLOCKS, BLOCK_THREADS, COUNT_BITS, ADDRESS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.withdraw.next = self.operation.val() == self.code_withdraw.val();
        self.deposit.next = self.operation.val() == self.code_deposit.val();
        self.live_word.next = self.word.val() == self.of_live.val();
        self.waiting_word.next = self.word.val() == self.of_waiting.val();
        self.finished_word.next = self.word.val() == self.of_finished.val();
        self.arrived_word.next = self.word.val() == self.of_arrived.val();
        self.seen_word.next = self.word.val() == self.of_seen.val();
        self.configuration_word.next = self.word.val() == self.of_configuration.val();
        self.identity_word.next = self.word.val() == self.of_identity.val();
        self.state_word.next = self.word.val() == self.of_state.val();
        self.transactions_word.next = self.word.val() == self.of_transactions.val();
        self.clock_word.next = self.word.val() == self.of_clock.val();

        // What leaves.
        self.ends.next = self.withdraw.val() & (self.word.val() == self.of_end.val());
        self.saved.next = 0.into();
        if self.withdraw.val() {
            if self.live_word.val() {
                self.saved.next = bit_cast::<64, COUNT_BITS>(self.live.val());
            }
            if self.arrived_word.val() {
                self.saved.next = bit_cast::<64, BLOCK_THREADS>(self.arrived.val());
            }
            if self.seen_word.val() {
                self.saved.next = bit_cast::<64, BLOCK_THREADS>(self.seen.val());
            }
            if self.configuration_word.val() {
                self.saved.next = bit_cast::<64, 48>(self.configuration.val());
            }
            if self.identity_word.val() {
                self.saved.next = bit_cast::<64, ADDRESS_BITS>(self.tag.val())
                    | (bit_cast::<64, ADDRESS_BITS>(self.after.val()) << 22)
                    | (bit_cast::<64, 5>(self.kind.val()) << 44);
            }
            if self.state_word.val() {
                self.saved.next = bit_cast::<64, 8>(self.state.val())
                    | (bit_cast::<64, COUNT_BITS>(self.count.val()) << 16)
                    | (bit_cast::<64, COUNT_BITS>(self.sleepers.val()) << 32)
                    | (bit_cast::<64, BLOCKS>(self.filled.val()) << 48);
            }
            if self.transactions_word.val() {
                self.saved.next = bit_cast::<64, 14>(self.transactions.val());
            }
            if self.clock_word.val() {
                self.saved.next = bit_cast::<64, 1>(self.state.val().get_bit(7).into())
                    | (bit_cast::<64, 1>(self.state.val().get_bit(6).into()) << 1);
                if self.state.val().get_bit(7) {
                    self.saved.next = bit_cast::<64, 1>(self.state.val().get_bit(7).into())
                        | (bit_cast::<64, 1>(self.state.val().get_bit(6).into()) << 1)
                        | (bit_cast::<64, 16>(self.left.val()) << 16);
                }
            }
        }

        // What comes back.
        self.deposits_configuration.next = self.deposit.val() & self.configuration_word.val();
        self.deposits_identity.next = self.deposit.val() & self.identity_word.val();
        self.next_tag.next = self.data.val().get_bits::<ADDRESS_BITS>(0);
        self.next_after.next = self.data.val().get_bits::<ADDRESS_BITS>(22);
        self.next_kind.next = self.data.val().get_bits::<5>(44);
        self.deposits_bits.next = self.deposit.val() & (self.arrived_word.val() | self.seen_word.val());
        self.next_arrived.next = self.arrived.val();
        self.next_seen.next = self.seen.val();
        if self.arrived_word.val() {
            self.next_arrived.next = self.data.val().get_bits::<BLOCK_THREADS>(0);
        }
        if self.seen_word.val() {
            self.next_seen.next = self.data.val().get_bits::<BLOCK_THREADS>(0);
        }
        self.deposits_transactions.next = self.deposit.val() & self.transactions_word.val();
        self.deposits_clock.next = self.deposit.val() & self.clock_word.val();
        self.next_asleep.next = 0.into();
        if self.deposit.val() & (self.waiting_word.val() | self.finished_word.val()) {
            self.next_asleep.next = self.data.val().get_bits::<BLOCK_THREADS>(0);
        }
        self.next_done.next = self.deposit.val() & self.finished_word.val();
    }
}
