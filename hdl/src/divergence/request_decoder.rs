//! What a request does to the threads that it names: which table changes, whether it needs the queue or the sequencer.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `operation` | in | 4 | code of the request ([`Operation`](super::token::Operation)) |
//! | `none`, `all` | in | 1, 1 | it names no active thread; every active thread |
//! | `everyone` | in | 1 | every live thread is active |
//! | `stack_mode`, `fires` | in | 1, 1 | no YIELD yields; this one would |
//! | `call`, `branch`, `indirect`, `leave`, `yielding`, `exit`, `sleep`, `wake` | out | 1 each | what it is |
//! | `withdraw`, `deposit`, `disables` | out | 1 each | the same of the operations that save and restore a warp |
//! | `jumps` | out | 1 | it goes to its target if it names anybody |
//! | `mixed`, `seeks`, `yields`, `counts` | out | 1 each | it diverges; looks for a token; yields; is counted by the yield policy |
//! | `pushes`, `unwinds`, `sequenced` | out | 1 each | it pushes at the front; leaves nobody active; needs the sequencer |
//! | `removes` | out | 1 | the named threads stop being active in this cycle |
//! | `advances` | out | 1 | the address changes in this cycle, unless a push has to wait |
//!
//! **Timing** combinational. **Source** DQ-20 to DQ-32, SM-07, CX-09.

use super::token::Operation;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct RequestDecoder {
        ports {
            /// Code of the request.
            pub operation: Signal<In, Bits<4>>,
            /// It names no active thread.
            pub none: Signal<In, Bit>,
            /// It names every active thread.
            pub all: Signal<In, Bit>,
            /// Every live thread is active.
            pub everyone: Signal<In, Bit>,
            /// No YIELD yields.
            pub stack_mode: Signal<In, Bit>,
            /// The policy lets this YIELD yield.
            pub fires: Signal<In, Bit>,
            /// A call.
            pub call: Signal<Out, Bit>,
            /// A branch.
            pub branch: Signal<Out, Bit>,
            /// An indirect branch.
            pub indirect: Signal<Out, Bit>,
            /// SYNC and its like.
            pub leave: Signal<Out, Bit>,
            /// A YIELD.
            pub yielding: Signal<Out, Bit>,
            /// An exit.
            pub exit: Signal<Out, Bit>,
            /// Threads fall asleep.
            pub sleep: Signal<Out, Bit>,
            /// Threads wake.
            pub wake: Signal<Out, Bit>,
            /// A token leaves for a saved context.
            pub withdraw: Signal<Out, Bit>,
            /// A token of a saved context is put at the front.
            pub deposit: Signal<Out, Bit>,
            /// Threads are disabled as they were when they were saved.
            pub disables: Signal<Out, Bit>,
            /// It goes to its target if it names anybody.
            pub jumps: Signal<Out, Bit>,
            /// It diverges.
            pub mixed: Signal<Out, Bit>,
            /// It looks for the token that threads wait for.
            pub seeks: Signal<Out, Bit>,
            /// It yields.
            pub yields: Signal<Out, Bit>,
            /// The yield policy counts it.
            pub counts: Signal<Out, Bit>,
            /// It pushes a token at the front.
            pub pushes: Signal<Out, Bit>,
            /// It leaves nobody active and has no token to push, or takes tokens away: it pops.
            pub unwinds: Signal<Out, Bit>,
            /// It needs the sequencer.
            pub sequenced: Signal<Out, Bit>,
            /// The named threads stop being active in this cycle.
            pub removes: Signal<Out, Bit>,
            /// The address changes in this cycle.
            pub advances: Signal<Out, Bit>,
        }
        parts {
            push: Signal<Local, Bit>,
            code_push: Constant<Bits<4>> = Constant::new(bits(Operation::Push as u64)),
            code_branch: Constant<Bits<4>> = Constant::new(bits(Operation::Branch as u64)),
            code_indirect: Constant<Bits<4>> = Constant::new(bits(Operation::Indirect as u64)),
            code_call: Constant<Bits<4>> = Constant::new(bits(Operation::Call as u64)),
            code_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            code_yield: Constant<Bits<4>> = Constant::new(bits(Operation::Yield as u64)),
            code_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            code_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            code_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            code_withdraw: Constant<Bits<4>> = Constant::new(bits(Operation::Withdraw as u64)),
            code_deposit: Constant<Bits<4>> = Constant::new(bits(Operation::Deposit as u64)),
            code_disable: Constant<Bits<4>> = Constant::new(bits(Operation::Disable as u64)),
        }
    }
}

impl Logic for RequestDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.push.next = self.operation.val() == self.code_push.val();
        self.branch.next = self.operation.val() == self.code_branch.val();
        self.indirect.next = self.operation.val() == self.code_indirect.val();
        self.call.next = self.operation.val() == self.code_call.val();
        self.leave.next = self.operation.val() == self.code_leave.val();
        self.yielding.next = self.operation.val() == self.code_yield.val();
        self.exit.next = self.operation.val() == self.code_exit.val();
        self.sleep.next = self.operation.val() == self.code_sleep.val();
        self.wake.next = self.operation.val() == self.code_wake.val();
        self.withdraw.next = self.operation.val() == self.code_withdraw.val();
        self.deposit.next = self.operation.val() == self.code_deposit.val();
        self.disables.next = self.operation.val() == self.code_disable.val();

        self.jumps.next = self.branch.val() | self.indirect.val() | self.call.val();
        self.mixed.next = self.jumps.val() & !self.none.val() & !self.all.val();
        self.pushes.next = self.push.val() | self.deposit.val() | (self.call.val() & self.all.val());
        self.seeks.next = self.leave.val() & !self.none.val();
        self.counts.next = self.yielding.val() & !self.none.val() & !self.stack_mode.val();
        self.yields.next = self.counts.val() & self.fires.val() & !self.everyone.val();
        self.unwinds.next = ((self.exit.val() | self.sleep.val()) & self.all.val()) | self.withdraw.val();
        self.sequenced.next = self.mixed.val()
            | self.seeks.val()
            | self.yields.val()
            | self.unwinds.val()
            | self.sleep.val()
            | self.wake.val()
            | self.disables.val();
        self.removes.next = self.exit.val() | self.sleep.val() | self.yields.val() | self.disables.val();
        self.advances.next = !(self.mixed.val()
            | self.seeks.val()
            | self.yields.val()
            | self.unwinds.val()
            | self.wake.val()
            | self.deposit.val()
            | self.disables.val());
    }
}
