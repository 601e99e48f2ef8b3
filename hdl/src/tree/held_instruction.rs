//! The instruction at work: the one at the request port while the table takes requests, afterwards the one taken, held for the cycles
//! that it needs. A leaf that finds no node takes its place until memory has it.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `idle`, `warp` | in | 1, `WARP_BITS` | the port's instruction is at work; whose it is |
//! | `request_*` | in | | it |
//! | `leaf_enable`, `leaf_mask`, `leaf_address` | in | | a leaf that may have to go to memory |
//! | `operation`, `kind`, `mask`, `target`, `targeted`, `again` | out | | the instruction at work |
//! | `held_warp`, `held_mask`, `held_address` | out | | whose is held; the leaf that goes to memory |
//!
//! **Timing** outputs are combinational; what is held follows the port by a cycle.
//! **See also** `tree_instruction`.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct HeldInstruction<const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The instruction at the port is at work.
            pub idle: Signal<In, Bit>,
            /// Whose it is.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// What it does.
            pub request_operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub request_kind: Signal<In, Bits<4>>,
            /// Threads that it names.
            pub request_mask: Signal<In, Bits<SET_BITS>>,
            /// Its address operand.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow.
            pub request_again: Signal<In, Bit>,
            /// A leaf may have to go to memory.
            pub leaf_enable: Signal<In, Bit>,
            /// Its threads.
            pub leaf_mask: Signal<In, Bits<SET_BITS>>,
            /// Its next instruction.
            pub leaf_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// What the instruction at work does.
            pub operation: Signal<Out, Bits<4>>,
            /// Its kind.
            pub kind: Signal<Out, Bits<4>>,
            /// Threads that it names.
            pub mask: Signal<Out, Bits<SET_BITS>>,
            /// Its address operand.
            pub target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It carries an address.
            pub targeted: Signal<Out, Bit>,
            /// Further groups follow.
            pub again: Signal<Out, Bit>,
            /// Whose instruction is held.
            pub held_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Threads of the leaf that goes to memory.
            pub held_mask: Signal<Out, Bits<SET_BITS>>,
            /// Its next instruction.
            pub held_address: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        parts {
            hold_warp: Register<Bits<WARP_BITS>>,
            hold_operation: Register<Bits<4>>,
            hold_kind: Register<Bits<4>>,
            hold_mask: Register<Bits<SET_BITS>>,
            hold_target: Register<Bits<ADDRESS_BITS>>,
            hold_targeted: Register<Bit>,
            hold_again: Register<Bit>,
        }
    }
}

impl<const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize> Logic
    for HeldInstruction<WARP_BITS, SET_BITS, ADDRESS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            hold_warp,
            hold_operation,
            hold_kind,
            hold_mask,
            hold_target,
            hold_targeted,
            hold_again
        );
        self.operation.next = self.hold_operation.q.val();
        self.kind.next = self.hold_kind.q.val();
        self.mask.next = self.hold_mask.q.val();
        self.target.next = self.hold_target.q.val();
        self.targeted.next = self.hold_targeted.q.val();
        self.again.next = self.hold_again.q.val();
        if self.idle.val() {
            self.operation.next = self.request_operation.val();
            self.kind.next = self.request_kind.val();
            self.mask.next = self.request_mask.val();
            self.target.next = self.request_target.val();
            self.targeted.next = self.request_targeted.val();
            self.again.next = self.request_again.val();
            self.hold_warp.d.next = self.warp.val();
            self.hold_operation.d.next = self.request_operation.val();
            self.hold_kind.d.next = self.request_kind.val();
            self.hold_mask.d.next = self.request_mask.val();
            self.hold_target.d.next = self.request_target.val();
            self.hold_targeted.d.next = self.request_targeted.val();
            self.hold_again.d.next = self.request_again.val();
        }
        if self.leaf_enable.val() {
            self.hold_mask.d.next = self.leaf_mask.val();
            self.hold_target.d.next = self.leaf_address.val();
        }
        self.held_warp.next = self.hold_warp.q.val();
        self.held_mask.next = self.hold_mask.q.val();
        self.held_address.next = self.hold_target.q.val();
    }
}
