//! What an instruction asks of the divergence engine, and whether the barrier scheduler has a say in it first.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `word` | in | 64 | the instruction |
//! | `active` | in | `THREADS` | threads that issue it |
//! | `named` | in | `THREADS` | those of them in which its guard holds |
//! | `agreeing`, `register_target` | in | `THREADS`, `ADDRESS_BITS` | threads that go to a register's address together with the first one, and that address |
//! | `operation`, `kind`, `mask`, `target`, `targeted`, `again` | out | | the request, as at the engine's port |
//! | `control` | out | 1 | it is control flow |
//! | `barrier` | out | 1 | it is a barrier form other than the mark at the bottom of a conditional barrier |
//! | `plain_exit` | out | 1 | EXIT without an address: its threads leave for good |
//!
//! What operation and kind an opcode stands for is the opcode table's to say ([`ControlOpcode`]); everything else steps. A kind is given where
//! the engine looks at it: of a push and of a leave.
//!
//! **Timing** combinational. **Invariants** 1. a mask names active threads only. **Source** IS-01, IS-02, DQ-20 to DQ-32.

use crate::divergence::token::{Kind, Operation};
use crate::isa::{BarrierOpcode, ControlOpcode, ADDRESS, OPCODE, OPTIONAL_FLAG};
use crate::prelude::*;

/// Control opcodes.
const OPCODES: usize = ControlOpcode::ALL.len();

/// A row of the table: the operation in bits 3:0, the kind in bits 7:4.
fn row(opcode: ControlOpcode) -> u64 {
    opcode.operation() as u64 | opcode.kind().map_or(0, |kind| u64::from(kind.code()) << 4)
}

block! {
    /// See the module's page.
    pub struct InstructionDecoder<const THREADS: usize, const ADDRESS_BITS: usize> {
        ports {
            /// The instruction.
            pub word: Signal<In, Bits<64>>,
            /// Threads that issue it.
            pub active: Signal<In, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub named: Signal<In, Bits<THREADS>>,
            /// Those that go to the address of a register with the first of them.
            pub agreeing: Signal<In, Bits<THREADS>>,
            /// That address.
            pub register_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// What the engine is asked to do.
            pub operation: Signal<Out, Bits<4>>,
            /// Kind of token that a push pushes or a leave waits for.
            pub kind: Signal<Out, Bits<4>>,
            /// Threads that it names.
            pub mask: Signal<Out, Bits<THREADS>>,
            /// Its address operand.
            pub target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub targeted: Signal<Out, Bit>,
            /// Further groups follow.
            pub again: Signal<Out, Bit>,
            /// It is control flow.
            pub control: Signal<Out, Bit>,
            /// The barrier scheduler runs it.
            pub barrier: Signal<Out, Bit>,
            /// Its threads leave for good.
            pub plain_exit: Signal<Out, Bit>,
        }
        parts {
            rows: MaskUnion<OPCODES, 8>,
            codes: [Constant<Bits<8>>; OPCODES] =
                std::array::from_fn(|at| Constant::new(bits(u64::from(ControlOpcode::ALL[at].code())))),
            contents: [Constant<Bits<8>>; OPCODES] =
                std::array::from_fn(|at| Constant::new(bits(row(ControlOpcode::ALL[at])))),
            opcode: Signal<Local, Bits<8>>,
            meant: Signal<Local, Bits<4>>,
            token: Signal<Local, Bits<4>>,
            optional: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            returns: Signal<Local, Bit>,
            by_register: Signal<Local, Bit>,
            opcode_at: Constant<Bits<6>> = Constant::new(bits(OPCODE.offset as u64)),
            optional_at: Constant<Bits<6>> = Constant::new(bits(OPTIONAL_FLAG.offset as u64)),
            address_at: Constant<Bits<6>> = Constant::new(bits(ADDRESS.offset as u64)),
            first_barrier: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Configure.code() as u64)),
            last_barrier: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Reset.code() as u64)),
            operation_push: Constant<Bits<4>> = Constant::new(bits(Operation::Push as u64)),
            operation_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_indirect: Constant<Bits<4>> = Constant::new(bits(Operation::Indirect as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_long_jump: Constant<Bits<4>> = Constant::new(bits(Kind::LongJump as u64)),
        }
    }
}

impl<const THREADS: usize, const ADDRESS_BITS: usize> Logic for InstructionDecoder<THREADS, ADDRESS_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.word.val().get_bits::<8>(self.opcode_at.val());
        self.optional.next = self.word.val().get_bit(self.optional_at.val());
        for i in 0..OPCODES {
            self.rows.masks[i].next = 0.into();
            if self.opcode.val() == self.codes[i].val() {
                self.rows.masks[i].next = self.contents[i].val();
            }
        }
        self.control.next = self.rows.result.val().any();
        self.token.next = self.rows.result.val().get_bits::<4>(4);
        self.barrier.next =
            (self.opcode.val() >= self.first_barrier.val()) & (self.opcode.val() <= self.last_barrier.val());

        // EXIT with an address leaves to a handler, as a break leaves a loop.
        self.plain_exit.next =
            (self.rows.result.val().get_bits::<4>(0) == self.operation_exit.val()) & !self.optional.val();
        self.meant.next = self.rows.result.val().get_bits::<4>(0);
        if (self.rows.result.val().get_bits::<4>(0) == self.operation_exit.val()) & self.optional.val() {
            self.meant.next = self.operation_leave.val();
        }
        self.operation.next = self.meant.val();
        self.leave.next = self.meant.val() == self.operation_leave.val();
        self.kind.next = 0.into();
        if self.leave.val() | (self.meant.val() == self.operation_push.val()) {
            self.kind.next = self.token.val();
        }

        // Returns have an address only if they name a register; then threads go in groups that agree on it.
        self.returns.next = self.leave.val()
            & ((self.token.val() == self.kind_call.val()) | (self.token.val() == self.kind_long_jump.val()));
        self.by_register.next =
            (self.meant.val() == self.operation_indirect.val()) | (self.returns.val() & self.optional.val());
        self.targeted.next = self.leave.val() & (!self.returns.val() | self.optional.val());
        self.again.next = self.returns.val() & self.optional.val() & (self.agreeing.val() != self.named.val());
        self.mask.next = self.active.val();
        self.target.next = 0.into();
        if self.control.val() {
            self.mask.next = self.named.val();
            self.target.next = self.word.val().get_bits::<ADDRESS_BITS>(self.address_at.val());
        }
        if self.by_register.val() {
            self.mask.next = self.agreeing.val();
            self.target.next = self.register_target.val();
        }
    }
}
