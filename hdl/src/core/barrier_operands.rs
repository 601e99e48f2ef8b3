//! For which threads an instruction asks the barrier scheduler, and what of it comes from their registers.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `word`, `active`, `named` | in | 64, `THREADS`, `THREADS` | the instruction, the threads that issue it, those in which its guard holds |
//! | `parity`, `even`, `odd`, `reference` | in | `THREADS`, 12, 12, 10 | as at the lanes |
//! | `threads` | out | `THREADS` | of a top, all that issue it; of WAIT, the named ones whose parity is that of the first; of EXPECT and COMPLETE, those of odd parity; else the named ones |
//! | `operand` | out | 24 | of WAIT, that parity; of EXPECT and COMPLETE, both sums, the even one lowest; of BARRIER.CONF, the reference |
//! | `empty` | out | 1 | nobody has anything to ask |
//!
//! **Timing** combinational.
//! **Invariants** 1. at a top all active threads ask, whether the guard holds in them or not. 2. of a WAIT those ask that are of one parity, and it is told which. 3. nobody asks for
//! counts that are all zero. 4. of any other instruction those ask that are named, if there are any.
//! **Source** BR-10, BR-50, BR-51, SM-07.

use crate::isa::{BarrierOpcode, OPCODE};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct BarrierOperands<const THREADS: usize, const THREAD_BITS: usize> {
        ports {
            /// The instruction.
            pub word: Signal<In, Bits<64>>,
            /// Threads that issue it.
            pub active: Signal<In, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub named: Signal<In, Bits<THREADS>>,
            /// Threads whose parity is odd.
            pub parity: Signal<In, Bits<THREADS>>,
            /// Sum of the counts of even parity.
            pub even: Signal<In, Bits<12>>,
            /// Sum of the counts of odd parity.
            pub odd: Signal<In, Bits<12>>,
            /// The reference in a register.
            pub reference: Signal<In, Bits<10>>,
            /// Threads for which the scheduler is asked.
            pub threads: Signal<Out, Bits<THREADS>>,
            /// What comes from registers.
            pub operand: Signal<Out, Bits<24>>,
            /// Nobody asks.
            pub empty: Signal<Out, Bit>,
        }
        parts {
            first: LowestBit<THREADS, THREAD_BITS>,
            opcode: Signal<Local, Bits<8>>,
            top: Signal<Local, Bit>,
            counts: Signal<Local, Bit>,
            first_odd: Signal<Local, Bit>,
            opcode_at: Constant<Bits<6>> = Constant::new(bits(OPCODE.offset as u64)),
            first_top: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Conditional.code() as u64)),
            last_top: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Unordered.code() as u64)),
            wait_code: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Wait.code() as u64)),
            announces: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Expect.code() as u64)),
            completes: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Complete.code() as u64)),
        }
    }
}

impl<const THREADS: usize, const THREAD_BITS: usize> Logic for BarrierOperands<THREADS, THREAD_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.word.val().get_bits::<8>(self.opcode_at.val());
        self.top.next = (self.opcode.val() >= self.first_top.val()) & (self.opcode.val() <= self.last_top.val());
        self.counts.next = (self.opcode.val() == self.announces.val()) | (self.opcode.val() == self.completes.val());
        self.first.mask.next = self.named.val();
        self.first_odd.next = (self.first.one_hot.val() & self.parity.val()).any();

        self.threads.next = self.named.val();
        self.operand.next = bit_cast::<24, 10>(self.reference.val());
        self.empty.next = !self.named.val().any();
        if self.top.val() {
            self.threads.next = self.active.val();
            self.empty.next = false;
        } else if self.opcode.val() == self.wait_code.val() {
            self.threads.next = self.named.val() & !self.parity.val();
            if self.first_odd.val() {
                self.threads.next = self.named.val() & self.parity.val();
            }
            self.operand.next = bit_cast::<24, 1>(self.first_odd.val().into());
        } else if self.counts.val() {
            self.threads.next = self.named.val() & self.parity.val();
            self.operand.next = bit_cast::<24, 12>(self.even.val()) | (bit_cast::<24, 12>(self.odd.val()) << 12);
            self.empty.next = !self.even.val().any() & !self.odd.val().any();
        }
    }
}
