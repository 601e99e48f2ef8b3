//! Saves or frees the groups of a thread block, one after another from the lowest: decides what is to be done for each, asks the allocator, starts
//! the copy, and says when all is done.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `request_valid`, `request_ready` | in, out | 1 | a command; ready while none is at work |
//! | `request_operation`, `request_mask` | in | 1, `GROUPS` | 0 Save, 1 Free; the groups of the thread block |
//! | `stopped` | out | `GROUPS` | groups of the command at work |
//! | `done_valid`, `done_failed`, `done_saved`, `done_words` | out | 1, 1, `GROUPS`, 32 | strobe: it has ended; an allocation failed; its groups that are re-mapped; words copied |
//! | `allocate_*` | out, `ready` in | 1, `GROUP_BITS`, 32 | asks for memory: for which group, how many words |
//! | `allocated_*` | in, `ready` out | 1, 1, 32 | the answer: failed, or where it begins |
//! | `free_*` | out, `ready` in | 1, `GROUP_BITS`, 32 | gives a group's memory back |
//! | `work_group` | out | `GROUP_BITS` | the group in hand; `work_*`, `drained` in: its row, and whether its accesses were carried out |
//! | `groups_remapped` | in | `GROUPS` | groups that are re-mapped |
//! | `start_valid`, `start_ready`, `start_words` | | 1, 1, `WORDS_BITS` | the group in hand is copied to where `allocated_pointer` says |
//! | `finish_valid`, `word_valid`, `idle` | in | 1 | a copy ends in this cycle; a word has arrived; no copy is under way |
//! | `empty_valid` | out | 1 | the group in hand has no words: it is re-mapped to nowhere |
//! | `clear_valid` | out | 1 | the row of the group in hand is free |
//!
//! **Timing** with the command accepted in cycle 0, the first group is in hand in cycle 2, and its memory is asked for in cycle 3 if it has drained. A group for
//! which nothing is to be done costs one cycle. `done_valid` comes in the cycle after the last copy ended, or after the last group was passed over.
//! `free_valid`, `clear_valid` depend on `drained`, `start_valid` on `allocated_valid`, `clear_valid` on `free_ready`.
//! **Invariants** 1. a group that is re-mapped is not copied. 2. nothing is done for a group before it has drained. 3. after a failed allocation no
//! further memory is asked for, and copies under way go on. 4. a row is freed by a Free only, and its memory with it. 5. one command at a time, which
//! deals with each of its groups once, unless memory ran out. 6. a group is copied whole. 7. a request for memory is held until it is taken.
//! **Source** US 2014/0165072, figure 5; CX-02, CX-05, CX-06, CX-07, CX-11.

use crate::prelude::*;

/// What is being done for the group in hand.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum GroupStep {
    /// No command is at work.
    Idle,
    /// Its row is looked at; also while there is none in hand.
    Examine,
    /// Memory is asked for.
    Ask,
    /// The answer is awaited.
    Await,
}

block! {
    /// `WORDS_BITS` = 16 + `THREAD_BITS`; see the module's page.
    pub struct GroupSequencer<
        const GROUPS: usize, const GROUP_BITS: usize, const THREAD_BITS: usize, const WORDS_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A command.
            pub request_valid: Signal<In, Bit>,
            /// No other is at work.
            pub request_ready: Signal<Out, Bit>,
            /// Free the groups, else save them.
            pub request_operation: Signal<In, Bit>,
            /// The groups.
            pub request_mask: Signal<In, Bits<GROUPS>>,
            /// Groups of the command at work.
            pub stopped: Signal<Out, Bits<GROUPS>>,
            /// The command has ended.
            pub done_valid: Signal<Out, Bit>,
            /// An allocation failed.
            pub done_failed: Signal<Out, Bit>,
            /// Groups of the command that are re-mapped.
            pub done_saved: Signal<Out, Bits<GROUPS>>,
            /// Words that were copied for it.
            pub done_words: Signal<Out, Bits<32>>,
            /// Memory is asked for.
            pub allocate_valid: Signal<Out, Bit>,
            /// The allocator takes the request.
            pub allocate_ready: Signal<In, Bit>,
            /// The group that it is for.
            pub allocate_group: Signal<Out, Bits<GROUP_BITS>>,
            /// How many words.
            pub allocate_words: Signal<Out, Bits<32>>,
            /// The allocator answers.
            pub allocated_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub allocated_ready: Signal<Out, Bit>,
            /// There is no memory.
            pub allocated_failed: Signal<In, Bit>,
            /// Memory is given back.
            pub free_valid: Signal<Out, Bit>,
            /// The allocator takes it.
            pub free_ready: Signal<In, Bit>,
            /// The group that had it.
            pub free_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Its first word.
            pub free_pointer: Signal<Out, Bits<32>>,
            /// The group in hand.
            pub work_group: Signal<Out, Bits<GROUP_BITS>>,
            /// It has a row.
            pub work_used: Signal<In, Bit>,
            /// It is re-mapped.
            pub work_remapped: Signal<In, Bit>,
            /// Its first word.
            pub work_origin: Signal<In, Bits<32>>,
            /// Words of each of its threads.
            pub work_limit: Signal<In, Bits<16>>,
            /// Its accesses were carried out.
            pub drained: Signal<In, Bit>,
            /// Groups that are re-mapped.
            pub groups_remapped: Signal<In, Bits<GROUPS>>,
            /// The group in hand is copied.
            pub start_valid: Signal<Out, Bit>,
            /// An engine has nothing to do.
            pub start_ready: Signal<In, Bit>,
            /// Words of the group.
            pub start_words: Signal<Out, Bits<WORDS_BITS>>,
            /// A copy ends in this cycle.
            pub finish_valid: Signal<In, Bit>,
            /// A word has arrived in global memory.
            pub word_valid: Signal<In, Bit>,
            /// No copy is under way.
            pub idle: Signal<In, Bit>,
            /// The group in hand has no words to copy.
            pub empty_valid: Signal<Out, Bit>,
            /// The row of the group in hand is free.
            pub clear_valid: Signal<Out, Bit>,
        }
        parts {
            step: Register<GroupStep>,
            freeing: Register<Bit>,
            mask: Register<Bits<GROUPS>>,
            left: Register<Bits<GROUPS>>,
            holding: Register<Bit>,
            group: Register<Bits<GROUP_BITS>>,
            failed: Register<Bit>,
            words: Register<Bits<32>>,
            lowest: LowestBit<GROUPS, GROUP_BITS>,
            size: Signal<Local, Bits<WORDS_BITS>>,
            examined: Signal<Local, Bit>,
            unsaved: Signal<Local, Bit>,
            doomed: Signal<Local, Bit>,
            asks: Signal<Local, Bit>,
            answered: Signal<Local, Bit>,
            passed: Signal<Local, Bit>,
            thread_bits: Constant<Bits<5>> = Constant::new(bits(THREAD_BITS as u64)),
        }
    }
}

impl<const GROUPS: usize, const GROUP_BITS: usize, const THREAD_BITS: usize, const WORDS_BITS: usize> Logic
    for GroupSequencer<GROUPS, GROUP_BITS, THREAD_BITS, WORDS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, freeing, mask, left, holding, group, failed, words);

        // What is to be done for the group in hand: it is saved, freed, or passed over.
        self.examined.next = (self.step.q.val() == GroupStep::Examine) & self.holding.q.val();
        self.unsaved.next =
            self.examined.val() & self.work_used.val() & !self.freeing.q.val() & !self.work_remapped.val();
        self.doomed.next = self.examined.val() & self.work_used.val() & self.freeing.q.val() & self.drained.val();
        self.asks.next = self.unsaved.val() & self.drained.val() & self.work_limit.val().any() & self.start_ready.val();
        self.empty_valid.next =
            self.unsaved.val() & self.drained.val() & !self.work_limit.val().any() & !self.finish_valid.val();
        self.free_valid.next = self.doomed.val() & self.work_remapped.val() & self.work_limit.val().any();
        self.clear_valid.next = self.doomed.val() & (!self.free_valid.val() | self.free_ready.val());
        self.answered.next = (self.step.q.val() == GroupStep::Await) & self.allocated_valid.val();
        self.passed.next = self.empty_valid.val()
            | self.clear_valid.val()
            | (self.examined.val() & !self.work_used.val())
            | (self.examined.val() & !self.freeing.q.val() & self.work_remapped.val());

        // The next group in hand is the lowest that is left.
        self.lowest.mask.next = self.left.q.val();
        if self.passed.val() | self.answered.val() | ((self.step.q.val() == GroupStep::Examine) & !self.holding.q.val())
        {
            self.holding.d.next = self.lowest.found.val();
            self.group.d.next = self.lowest.index.val();
            self.left.d.next = self.left.q.val() & !self.lowest.one_hot.val();
        }
        if self.word_valid.val() {
            self.words.d.next = self.words.q.val() + 1;
        }
        self.done_valid.next = (self.step.q.val() == GroupStep::Examine)
            & !self.holding.q.val()
            & !self.left.q.val().any()
            & self.idle.val();

        match self.step.q.val() {
            GroupStep::Idle => {
                if self.request_valid.val() {
                    self.step.d.next = GroupStep::Examine;
                    self.freeing.d.next = self.request_operation.val();
                    self.mask.d.next = self.request_mask.val();
                    self.left.d.next = self.request_mask.val();
                    self.failed.d.next = false;
                    self.words.d.next = 0.into();
                }
            }
            GroupStep::Examine => {
                if self.asks.val() {
                    self.step.d.next = GroupStep::Ask;
                }
                if self.done_valid.val() {
                    self.step.d.next = GroupStep::Idle;
                    self.mask.d.next = 0.into();
                }
            }
            GroupStep::Ask => {
                if self.allocate_ready.val() {
                    self.step.d.next = GroupStep::Await;
                }
            }
            GroupStep::Await => {
                if self.allocated_valid.val() {
                    self.step.d.next = GroupStep::Examine;
                    // The thread block runs on anyway: no further group is tried.
                    if self.allocated_failed.val() {
                        self.failed.d.next = true;
                        self.holding.d.next = false;
                        self.left.d.next = 0.into();
                    }
                }
            }
            _ => {
                self.step.d.next = GroupStep::Idle;
            }
        }

        self.size.next = bit_cast::<WORDS_BITS, 16>(self.work_limit.val()) << self.thread_bits.val();
        self.request_ready.next = self.step.q.val() == GroupStep::Idle;
        self.stopped.next = self.mask.q.val();
        self.done_failed.next = self.failed.q.val();
        self.done_saved.next = self.mask.q.val() & self.groups_remapped.val();
        self.done_words.next = self.words.q.val();
        self.allocate_valid.next = self.step.q.val() == GroupStep::Ask;
        self.allocate_group.next = self.group.q.val();
        self.allocate_words.next = bit_cast::<32, WORDS_BITS>(self.size.val());
        self.allocated_ready.next = self.step.q.val() == GroupStep::Await;
        self.free_group.next = self.group.q.val();
        self.free_pointer.next = self.work_origin.val();
        self.work_group.next = self.group.q.val();
        self.start_valid.next = self.answered.val() & !self.allocated_failed.val();
        self.start_words.next = self.size.val();
    }
}
