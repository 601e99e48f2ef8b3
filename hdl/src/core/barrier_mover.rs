//! Moves the barriers of a block between the barrier scheduler and a save area, word by word; before that has them hold still, or run on.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `command`, `patience` | in | 1, 2, 16 | [what to do](Command), stable until `done`; how long a bottom is waited for |
//! | `done`, `failed` | out | 1 | strobe: it is done; a thread did not leave its section in time |
//! | `request_*` | out, `ready` in | | the scheduler's request port |
//! | `answer_valid`, `answer_refused`, `answer_error`, `answer_saved` | in | 1, 1, 1, 64 | the answer to that |
//! | `push_*`, `pop_*` | | | the save area; words are popped upwards |
//!
//! In either direction the words are: Launch, Live; of each barrier configuration, state and transactions; if it is not as its launch left it, its identity, who has
//! arrived and who was seen in the blocks that have arrivals, who waits and who has finished in every block if anybody sleeps or it is dynamic,
//! and its clock; last the order of those that were in slots and queue. What the state says decides which words follow, so an area needs no names.
//!
//! **Timing** a request every 2 cycles and what the memory takes; a word that is not there costs a cycle.
//! **Invariants** 1. a request that is refused is presented again. 2. a CTA is put back by a launch, its words in the order in which they left, and
//! the entries of the queue in theirs.
//! **Source** CX-09, CX-10. **See also** [`SavedWord`].

use crate::barrier::operation::{BarrierOperation, SavedWord};
use crate::prelude::*;

/// What is to be done: the code of `command`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    /// Nothing of the block is woken any more, as soon as nobody is inside a section.
    Close = 0,
    /// The block runs on.
    Open = 1,
    /// The barriers leave; from then on the scheduler knows nothing of the block.
    Save = 2,
    /// They come back, into a slot that the scheduler knows nothing of.
    Restore = 3,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum MoverStep {
    /// Nothing.
    Idle,
    /// Is the word there?
    Choose,
    /// It is popped.
    Pop,
    /// The scheduler is asked.
    Ask,
    /// It answers.
    Answer,
    /// The word is pushed.
    Push,
    /// The next word is named.
    Advance,
    /// The next entry of the queue is named.
    Entry,
    /// All is done.
    Done,
    /// A thread did not leave its section.
    Fail,
}

block! {
    /// Of a scheduler with 8 barriers and 8 thread blocks a CTA. See the module's page.
    pub struct BarrierMover {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Something is to be done.
            pub start: Signal<In, Bit>,
            /// Hold still 0, run on 1, leave 2, come back 3.
            pub command: Signal<In, Bits<2>>,
            /// Cycles for which a bottom is waited for, at least 1.
            pub patience: Signal<In, Bits<16>>,
            /// It is done.
            pub done: Signal<Out, Bit>,
            /// It is not: a thread did not leave its section.
            pub failed: Signal<Out, Bit>,
            /// A request.
            pub request_valid: Signal<Out, Bit>,
            /// It is accepted.
            pub request_ready: Signal<In, Bit>,
            /// What is asked for.
            pub request_operation: Signal<Out, Bits<4>>,
            /// The barrier.
            pub request_barrier: Signal<Out, Bits<3>>,
            /// The scheduler's block.
            pub request_block: Signal<Out, Bits<3>>,
            /// The word.
            pub request_word: Signal<Out, Bits<4>>,
            /// Its value, or the patience.
            pub request_data: Signal<Out, Bits<64>>,
            /// The request is answered.
            pub answer_valid: Signal<In, Bit>,
            /// It must be presented again.
            pub answer_refused: Signal<In, Bit>,
            /// It is in error.
            pub answer_error: Signal<In, Bit>,
            /// The word that was asked for.
            pub answer_saved: Signal<In, Bits<64>>,
            /// A word for the save area.
            pub push_valid: Signal<Out, Bit>,
            /// It is taken.
            pub push_ready: Signal<In, Bit>,
            /// The word.
            pub push_data: Signal<Out, Bits<64>>,
            /// A word of it is wanted.
            pub pop_valid: Signal<Out, Bit>,
            /// It is there.
            pub pop_ready: Signal<In, Bit>,
            /// The word.
            pub pop_data: Signal<In, Bits<64>>,
        }
        parts {
            step: Register<MoverStep>,
            word: Register<Bits<4>>,
            barrier: Register<Bits<3>>,
            block: Register<Bits<3>>,
            data: Register<Bits<64>>,
            fresh: Register<Bit>,
            sleeping: Register<Bit>,
            arrivals: Register<Bits<8>>,
            order: Register<Bits<64>>,
            moves: Signal<Local, Bit>,
            saves: Signal<Local, Bit>,
            wanted: Signal<Local, Bit>,
            got: Signal<Local, Bit>,
            value: Signal<Local, Bits<64>>,
            last_block: Signal<Local, Bit>,
            command_save: Constant<Bits<2>> = Constant::new(bits(Command::Save as u64)),
            command_open: Constant<Bits<2>> = Constant::new(bits(Command::Open as u64)),
            command_restore: Constant<Bits<2>> = Constant::new(bits(Command::Restore as u64)),
            operation_launch: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Launch as u64)),
            operation_suspend: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Suspend as u64)),
            operation_withdraw: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Withdraw as u64)),
            operation_deposit: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Deposit as u64)),
            of_launch: Constant<Bits<4>> = Constant::new(bits(SavedWord::Launch as u64)),
            of_live: Constant<Bits<4>> = Constant::new(bits(SavedWord::Live as u64)),
            of_order: Constant<Bits<4>> = Constant::new(bits(SavedWord::Order as u64)),
            of_waiting: Constant<Bits<4>> = Constant::new(bits(SavedWord::Waiting as u64)),
            of_finished: Constant<Bits<4>> = Constant::new(bits(SavedWord::Finished as u64)),
            of_arrived: Constant<Bits<4>> = Constant::new(bits(SavedWord::Arrived as u64)),
            of_seen: Constant<Bits<4>> = Constant::new(bits(SavedWord::Seen as u64)),
            of_configuration: Constant<Bits<4>> = Constant::new(bits(SavedWord::Configuration as u64)),
            of_identity: Constant<Bits<4>> = Constant::new(bits(SavedWord::Identity as u64)),
            of_state: Constant<Bits<4>> = Constant::new(bits(SavedWord::State as u64)),
            of_transactions: Constant<Bits<4>> = Constant::new(bits(SavedWord::Transactions as u64)),
            of_clock: Constant<Bits<4>> = Constant::new(bits(SavedWord::Clock as u64)),
            of_entry: Constant<Bits<4>> = Constant::new(bits(SavedWord::Entry as u64)),
            of_end: Constant<Bits<4>> = Constant::new(bits(SavedWord::End as u64)),
            last: Constant<Bits<3>> = Constant::new(bits(7)),
            as_launched: Constant<Bits<64>> = Constant::new(bits(1)),
        }
    }
}

impl Logic for BarrierMover {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, word, barrier, block, data, fresh, sleeping, arrivals, order);
        self.saves.next = self.command.val() == self.command_save.val();
        self.moves.next = self.saves.val() | (self.command.val() == self.command_restore.val());
        self.last_block.next = self.block.q.val() == self.last.val();

        // Which words there are.
        self.wanted.next = true;
        if (self.word.q.val() == self.of_arrived.val()) | (self.word.q.val() == self.of_seen.val()) {
            self.wanted.next = self.arrivals.q.val().get_bit(self.block.q.val());
        }
        if (self.word.q.val() == self.of_waiting.val()) | (self.word.q.val() == self.of_finished.val()) {
            self.wanted.next = self.sleeping.q.val();
        }
        if self.word.q.val() == self.of_end.val() {
            self.wanted.next = self.saves.val();
        }

        // The request.
        self.request_valid.next = self.step.q.val() == MoverStep::Ask;
        self.request_operation.next = self.operation_suspend.val();
        self.request_data.next = bit_cast::<64, 16>(self.patience.val());
        if self.command.val() == self.command_open.val() {
            self.request_data.next = 0.into();
        }
        if self.moves.val() {
            self.request_operation.next = self.operation_deposit.val();
            self.request_data.next = self.data.q.val();
            if self.saves.val() {
                self.request_operation.next = self.operation_withdraw.val();
                self.request_data.next = 0.into();
            } else if self.word.q.val() == self.of_launch.val() {
                self.request_operation.next = self.operation_launch.val();
            }
        }
        self.request_barrier.next = self.barrier.q.val();
        self.request_block.next = self.block.q.val();
        self.request_word.next = self.word.q.val();
        self.push_valid.next = self.step.q.val() == MoverStep::Push;
        self.push_data.next = self.data.q.val();
        self.pop_valid.next = self.step.q.val() == MoverStep::Pop;
        self.failed.next = self.step.q.val() == MoverStep::Fail;
        self.done.next = (self.step.q.val() == MoverStep::Done) | (self.step.q.val() == MoverStep::Fail);

        // What a word says about those that follow.
        self.got.next = (self.saves.val()
            & (self.step.q.val() == MoverStep::Answer)
            & self.answer_valid.val()
            & !self.answer_refused.val())
            | self.pop_ready.val();
        self.value.next = self.pop_data.val();
        if self.saves.val() {
            self.value.next = self.answer_saved.val();
        }
        if self.got.val() {
            self.data.d.next = self.value.val();
            if self.word.q.val() == self.of_configuration.val() {
                self.fresh.d.next = self.value.val() == self.as_launched.val();
            } else if self.word.q.val() == self.of_state.val() {
                self.fresh.d.next = self.fresh.q.val() & !self.value.val().any();
                self.sleeping.d.next = self.value.val().get_bits::<16>(32).any() | self.value.val().get_bit(1);
                self.arrivals.d.next = self.value.val().get_bits::<8>(48);
            } else if self.word.q.val() == self.of_transactions.val() {
                self.fresh.d.next = self.fresh.q.val() & !self.value.val().any();
            } else if self.word.q.val() == self.of_order.val() {
                self.order.d.next = self.value.val();
            }
        }

        match self.step.q.val() {
            MoverStep::Idle => {
                self.word.d.next = self.of_launch.val();
                self.barrier.d.next = 0.into();
                self.block.d.next = 0.into();
                if self.start.val() {
                    self.step.d.next = MoverStep::Ask;
                    if self.moves.val() {
                        self.step.d.next = MoverStep::Choose;
                    }
                }
            }
            MoverStep::Choose => {
                self.step.d.next = MoverStep::Advance;
                if self.wanted.val() {
                    self.step.d.next = MoverStep::Pop;
                    if self.saves.val() {
                        self.step.d.next = MoverStep::Ask;
                    }
                }
            }
            MoverStep::Pop => {
                if self.pop_ready.val() {
                    self.step.d.next = MoverStep::Ask;
                    if self.word.q.val() == self.of_order.val() {
                        self.step.d.next = MoverStep::Entry;
                    }
                }
            }
            MoverStep::Ask => {
                if self.request_ready.val() {
                    self.step.d.next = MoverStep::Answer;
                }
            }
            MoverStep::Answer => {
                if self.answer_valid.val() {
                    self.step.d.next = MoverStep::Done;
                    if self.moves.val() {
                        self.step.d.next = MoverStep::Advance;
                        if self.saves.val() & (self.word.q.val() != self.of_end.val()) {
                            self.step.d.next = MoverStep::Push;
                        }
                        if self.word.q.val() == self.of_entry.val() {
                            self.step.d.next = MoverStep::Entry;
                        }
                    }
                    if self.answer_error.val() {
                        self.step.d.next = MoverStep::Fail;
                    } else if self.answer_refused.val() {
                        self.step.d.next = MoverStep::Ask;
                    }
                }
            }
            MoverStep::Push => {
                if self.push_ready.val() {
                    self.step.d.next = MoverStep::Advance;
                }
            }
            MoverStep::Advance => {
                self.step.d.next = MoverStep::Choose;
                if self.word.q.val() == self.of_launch.val() {
                    self.word.d.next = self.of_live.val();
                } else if self.word.q.val() == self.of_live.val() {
                    self.word.d.next = self.of_configuration.val();
                } else if self.word.q.val() == self.of_configuration.val() {
                    self.word.d.next = self.of_state.val();
                } else if self.word.q.val() == self.of_state.val() {
                    self.word.d.next = self.of_transactions.val();
                } else if (self.word.q.val() == self.of_transactions.val()) & !self.fresh.q.val() {
                    self.word.d.next = self.of_identity.val();
                } else if self.word.q.val() == self.of_identity.val() {
                    self.word.d.next = self.of_arrived.val();
                    self.block.d.next = 0.into();
                } else if self.word.q.val() == self.of_arrived.val() {
                    self.word.d.next = self.of_seen.val();
                } else if self.word.q.val() == self.of_seen.val() {
                    self.block.d.next = self.block.q.val() + 1;
                    self.word.d.next = self.of_arrived.val();
                    if self.last_block.val() {
                        self.word.d.next = self.of_waiting.val();
                    }
                } else if self.word.q.val() == self.of_waiting.val() {
                    self.word.d.next = self.of_finished.val();
                } else if self.word.q.val() == self.of_finished.val() {
                    self.block.d.next = self.block.q.val() + 1;
                    self.word.d.next = self.of_waiting.val();
                    if self.last_block.val() {
                        self.word.d.next = self.of_clock.val();
                    }
                } else if self.word.q.val() == self.of_order.val() {
                    self.word.d.next = self.of_end.val();
                } else if self.word.q.val() == self.of_end.val() {
                    self.step.d.next = MoverStep::Done;
                } else {
                    // The clock, or the transactions of a barrier that is as launched: the next barrier.
                    self.barrier.d.next = self.barrier.q.val() + 1;
                    self.word.d.next = self.of_configuration.val();
                    if self.barrier.q.val() == self.last.val() {
                        self.word.d.next = self.of_order.val();
                    }
                }
            }
            MoverStep::Entry => {
                self.word.d.next = self.of_entry.val();
                self.barrier.d.next = self.order.q.val().get_bits::<3>(0);
                self.data.d.next = 0.into();
                self.order.d.next = self.order.q.val() >> 8;
                self.step.d.next = MoverStep::Ask;
                if !self.order.q.val().get_bits::<8>(0).any() {
                    self.step.d.next = MoverStep::Done;
                }
            }
            _ => {
                self.step.d.next = MoverStep::Idle;
            }
        }
    }
}
