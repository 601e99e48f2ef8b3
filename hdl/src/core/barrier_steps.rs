//! What the divergence engine is asked to carry out an answer of the barrier scheduler, one step after the other.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `stack_mode` | in | the engine is a plain stack |
//! | `land_*` | in | an instruction is answered: what becomes of its threads |
//! | `blank_valid`, `blank_warp` | in | a warp has presented an instruction for which nobody asks anything: it goes on |
//! | `look_warp`, `look_*` | in | a warp, and the instruction that it presented |
//! | `step_waiting` | out | warps that have a step to do |
//! | `step_*` | out | the next step of the warp looked at |
//! | `step_taken` | in | it is accepted at this edge |
//!
//! Who goes on behind the bottom, or presents the instruction again, yields to that address: a leave of a kind that no token has, which is an implicit
//! yield (DQ-28). A warp that goes there as a whole branches. On a plain stack nobody else could run meanwhile, so a warp that waits
//! as a whole has no step, and presents at once again.
//!
//! **Timing** an answer counts in the cycle in which it lands; a blank one from the next cycle on. **Invariants** 1. the steps of a warp come in the order: behind the
//! bottom, again, asleep or on. 2. a warp has steps to do from its answer on until each was taken once. **Source** SM-07, DQ-28.

use crate::divergence::token::{Kind, Operation};
use crate::isa::ADDRESS;
use crate::prelude::*;

block! {
    /// `PAIR_BITS` = 2 × `THREADS`. See the module's page.
    pub struct BarrierSteps<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const PAIR_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The engine is a plain stack.
            pub stack_mode: Signal<In, Bit>,
            /// An instruction is answered.
            pub land_valid: Signal<In, Bit>,
            /// Whose.
            pub land_warp: Signal<In, Bits<WARP_BITS>>,
            /// It is an EXIT.
            pub land_exit: Signal<In, Bit>,
            /// Threads that issued it.
            pub land_active: Signal<In, Bits<THREADS>>,
            /// Those that sleep.
            pub land_sleep: Signal<In, Bits<THREADS>>,
            /// Those that go on behind the bottom.
            pub land_skip: Signal<In, Bits<THREADS>>,
            /// Those that present it again.
            pub land_wait: Signal<In, Bits<THREADS>>,
            /// A warp goes on at once.
            pub blank_valid: Signal<In, Bit>,
            /// Which.
            pub blank_warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp looked at.
            pub look_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its instruction.
            pub look_word: Signal<In, Bits<64>>,
            /// Where that is.
            pub look_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Threads that issued it.
            pub look_active: Signal<In, Bits<THREADS>>,
            /// Those in which its guard held.
            pub look_named: Signal<In, Bits<THREADS>>,
            /// Warps that have a step to do.
            pub step_waiting: Signal<Out, Bits<WARPS>>,
            /// What it does.
            pub step_operation: Signal<Out, Bits<4>>,
            /// Its kind.
            pub step_kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub step_mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub step_target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It has one.
            pub step_targeted: Signal<Out, Bit>,
            /// Further steps of a leave follow.
            pub step_again: Signal<Out, Bit>,
            /// It is accepted.
            pub step_taken: Signal<In, Bit>,
        }
        parts {
            due_skip: Register<Bits<WARPS>>,
            due_wait: Register<Bits<WARPS>>,
            due_rest: Register<Bits<WARPS>>,
            exits: Register<Bits<WARPS>>,
            blank: Register<Bits<WARPS>>,
            pairs: RegisterFile<WARP_BITS, PAIR_BITS>,
            waits: RegisterFile<WARP_BITS, THREADS>,
            landed: Signal<Local, Bits<WARPS>>,
            looked: Signal<Local, Bits<WARPS>>,
            passed: Signal<Local, Bits<WARPS>>,
            fresh: Signal<Local, Bit>,
            land_left: Signal<Local, Bits<THREADS>>,
            lands_skip: Signal<Local, Bit>,
            lands_wait: Signal<Local, Bit>,
            lands_rest: Signal<Local, Bit>,
            skips: Signal<Local, Bits<WARPS>>,
            repeats: Signal<Local, Bits<WARPS>>,
            rests: Signal<Local, Bits<WARPS>>,
            first_skip: Signal<Local, Bit>,
            first_wait: Signal<Local, Bit>,
            exit: Signal<Local, Bit>,
            sleep: Signal<Local, Bits<THREADS>>,
            skip: Signal<Local, Bits<THREADS>>,
            again: Signal<Local, Bits<THREADS>>,
            left: Signal<Local, Bits<THREADS>>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            skip_at: Constant<Bits<7>> = Constant::new(bits(THREADS as u64)),
            after_at: Constant<Bits<6>> = Constant::new(bits(ADDRESS.offset as u64)),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
            operation_step: Constant<Bits<4>> = Constant::new(bits(Operation::Step as u64)),
            operation_branch: Constant<Bits<4>> = Constant::new(bits(Operation::Branch as u64)),
            operation_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > Logic for BarrierSteps<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, PAIR_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, due_skip, due_wait, due_rest, exits, blank);
        clock!(self, clock, pairs, waits);

        // What an answer comes to.
        self.landed.next = self.none.val();
        if self.land_valid.val() {
            self.landed.next = self.one.val() << self.land_warp.val();
        }
        self.land_left.next = self.land_active.val() & !self.land_skip.val() & !self.land_wait.val();
        self.lands_skip.next = self.land_valid.val() & !self.land_exit.val() & self.land_skip.val().any();
        self.lands_wait.next = self.land_valid.val()
            & !self.land_exit.val()
            & self.land_wait.val().any()
            & !(self.stack_mode.val() & (self.land_wait.val() == self.land_active.val()));
        self.lands_rest.next = self.land_valid.val() & (self.land_exit.val() | self.land_left.val().any());
        self.pairs.write_enable.next = self.land_valid.val();
        self.pairs.write_address.next = self.land_warp.val();
        self.pairs.write_data.next = bit_cast::<PAIR_BITS, THREADS>(self.land_sleep.val())
            | (bit_cast::<PAIR_BITS, THREADS>(self.land_skip.val()) << self.skip_at.val());
        self.waits.write_enable.next = self.land_valid.val();
        self.waits.write_address.next = self.land_warp.val();
        self.waits.write_data.next = self.land_wait.val();

        // Who has what to do.
        self.skips.next = self.due_skip.q.val();
        self.repeats.next = self.due_wait.q.val();
        self.rests.next = self.due_rest.q.val();
        if self.lands_skip.val() {
            self.skips.next = self.due_skip.q.val() | self.landed.val();
        }
        if self.lands_wait.val() {
            self.repeats.next = self.due_wait.q.val() | self.landed.val();
        }
        if self.lands_rest.val() {
            self.rests.next = self.due_rest.q.val() | self.landed.val();
        }
        self.step_waiting.next = self.skips.val() | self.repeats.val() | self.rests.val();

        // The step of the warp looked at: its answer may be landing.
        self.fresh.next = self.land_valid.val() & (self.land_warp.val() == self.look_warp.val());
        self.pairs.read_address.next = self.look_warp.val();
        self.waits.read_address.next = self.look_warp.val();
        self.sleep.next = self.pairs.read_data.val().get_bits::<THREADS>(0);
        self.skip.next = self.pairs.read_data.val().get_bits::<THREADS>(self.skip_at.val());
        self.again.next = self.waits.read_data.val();
        self.exit.next = self.exits.q.val().get_bit(self.look_warp.val());
        if self.fresh.val() {
            self.sleep.next = self.land_sleep.val();
            self.skip.next = self.land_skip.val();
            self.again.next = self.land_wait.val();
            self.exit.next = self.land_exit.val();
        } else if self.blank.q.val().get_bit(self.look_warp.val()) {
            self.sleep.next = 0.into();
            self.skip.next = 0.into();
            self.again.next = 0.into();
            self.exit.next = false;
        }
        self.left.next = self.look_active.val() & !self.skip.val() & !self.again.val();
        self.first_skip.next = self.skips.val().get_bit(self.look_warp.val());
        self.first_wait.next = !self.first_skip.val() & self.repeats.val().get_bit(self.look_warp.val());
        self.step_operation.next = self.operation_step.val();
        self.step_kind.next = 0.into();
        self.step_mask.next = self.left.val();
        self.step_target.next = 0.into();
        self.step_targeted.next = false;
        self.step_again.next = false;
        if self.exit.val() {
            self.step_operation.next = self.operation_exit.val();
            self.step_mask.next = self.look_named.val();
        } else if self.first_skip.val() {
            self.step_mask.next = self.skip.val();
            self.step_target.next = self.look_word.val().get_bits::<ADDRESS_BITS>(self.after_at.val());
            if self.skip.val() == self.look_active.val() {
                self.step_operation.next = self.operation_branch.val();
            } else {
                self.step_operation.next = self.operation_leave.val();
                self.step_kind.next = self.kind_barrier.val();
                self.step_targeted.next = true;
                self.step_again.next = true;
            }
        } else if self.first_wait.val() {
            self.step_operation.next = self.operation_leave.val();
            self.step_kind.next = self.kind_barrier.val();
            self.step_mask.next = self.again.val();
            self.step_target.next = self.look_address.val();
            self.step_targeted.next = true;
            self.step_again.next = self.left.val().any();
        } else if self.sleep.val().any() {
            self.step_operation.next = self.operation_sleep.val();
            self.step_mask.next = self.sleep.val();
        }

        // A step that is taken is done.
        self.looked.next = self.none.val();
        if self.step_taken.val() {
            self.looked.next = self.one.val() << self.look_warp.val();
        }
        self.passed.next = self.none.val();
        if self.blank_valid.val() {
            self.passed.next = self.one.val() << self.blank_warp.val();
        }
        self.due_skip.d.next = self.skips.val() & !self.looked.val();
        self.due_wait.d.next = self.repeats.val();
        self.due_rest.d.next = self.rests.val() | self.passed.val();
        if self.first_wait.val() {
            self.due_wait.d.next = self.repeats.val() & !self.looked.val();
        } else if !self.first_skip.val() {
            self.due_rest.d.next = (self.rests.val() & !self.looked.val()) | self.passed.val();
        }
        self.blank.d.next = (self.blank.q.val() & !self.landed.val()) | self.passed.val();
        self.exits.d.next = self.exits.q.val() & !self.landed.val();
        if self.land_exit.val() {
            self.exits.d.next = self.exits.q.val() | self.landed.val();
        }
    }
}
