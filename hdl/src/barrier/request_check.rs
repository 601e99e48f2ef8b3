//! Whether the request in the execute stage takes effect, is in error, or must be presented again.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `execute_valid`, `execute_request`, `operation` | in | what is in the execute stage; internal and later steps are never refused |
//! | `mask_any`, `kind`, `word` | in | the request: it has threads, its flags, its configuration word |
//! | `state`, `same_tag`, `same_kind`, `configuration` | in | the barrier |
//! | `launched`, `live`, `in_use` | in | the CTA |
//! | `inside_error`, `overflow`, `release_busy`, `release_busy_cta`, `saving_refused` | in | what others have against it |
//! | `act` | out | it takes effect |
//! | `stop` | out | it does not, and has no further steps |
//! | `error_valid`, `error_cause` | out | why: 3 another configuration under the same address, 4 an illegal one or an unknown CTA, 5 overflow |
//! | `refused` | out | it must be presented again |
//! | `changes` | out | a Configure brings another word |
//!
//! **Timing** combinational.
//! **Invariants** 1. of `act`, `error_valid` and `refused` at most one is high. 2. the lowest cause is reported.
//! **Source** BR-05, BR-06, BR-28, BR-50, BR-51.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct RequestCheck<const COUNT_BITS: usize> {
        ports {
            /// Something is in the execute stage.
            pub execute_valid: Signal<In, Bit>,
            /// It is a request, in its first cycle.
            pub execute_request: Signal<In, Bit>,
            /// What it asks for.
            pub operation: Signal<In, Bits<4>>,
            /// It has threads.
            pub mask_any: Signal<In, Bit>,
            /// From bit 0 on: critical, ordered, exclusive, blocking, impatient.
            pub kind: Signal<In, Bits<5>>,
            /// Its configuration word.
            pub word: Signal<In, Bits<48>>,
            /// The barrier's state bits.
            pub state: Signal<In, Bits<8>>,
            /// The barrier is used by the instruction at this address.
            pub same_tag: Signal<In, Bit>,
            /// With these flags and this end.
            pub same_kind: Signal<In, Bit>,
            /// The barrier's configuration.
            pub configuration: Signal<In, Bits<48>>,
            /// The CTA is launched.
            pub launched: Signal<In, Bit>,
            /// Its live threads.
            pub live: Signal<In, Bits<COUNT_BITS>>,
            /// One of its barriers is not idle.
            pub in_use: Signal<In, Bit>,
            /// A thread is inside a section and must not be, or the reverse.
            pub inside_error: Signal<In, Bit>,
            /// A transaction count would overflow.
            pub overflow: Signal<In, Bit>,
            /// Wake-ups of the barrier are under way.
            pub release_busy: Signal<In, Bit>,
            /// Wake-ups of the CTA are under way.
            pub release_busy_cta: Signal<In, Bit>,
            /// A CTA leaves, or is not ready to.
            pub saving_refused: Signal<In, Bit>,
            /// The request or step takes effect.
            pub act: Signal<Out, Bit>,
            /// The request does not.
            pub stop: Signal<Out, Bit>,
            /// It is in error.
            pub error_valid: Signal<Out, Bit>,
            /// Why.
            pub error_cause: Signal<Out, Bits<3>>,
            /// It must be presented again.
            pub refused: Signal<Out, Bit>,
            /// A Configure brings another word.
            pub changes: Signal<Out, Bit>,
        }
        parts {
            arrive: Signal<Local, Bit>,
            split: Signal<Local, Bit>,
            idle: Signal<Local, Bit>,
            topped: Signal<Local, Bit>,
            differs: Signal<Local, Bit>,
            illegal_word: Signal<Local, Bit>,
            impatient: Signal<Local, Bit>,
            too_few: Signal<Local, Bit>,
            illegal: Signal<Local, Bit>,
        }
    }
}

impl<const COUNT_BITS: usize> Logic for RequestCheck<COUNT_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrive.next = (self.operation.val() == 3) & self.mask_any.val();
        self.split.next = ((self.operation.val() == 7) | (self.operation.val() == 8)) & self.mask_any.val();
        self.idle.next = !self.state.val().get_bit(0) & !self.state.val().get_bit(1);
        self.topped.next = !self.idle.val() & !self.state.val().get_bit(2);
        self.changes.next = (self.operation.val() == 2) & (self.word.val() != self.configuration.val());

        self.differs.next =
            self.arrive.val() & self.topped.val() & self.same_tag.val() & !self.same_kind.val() & self.launched.val();
        // Conditions are 1 to 5, the last with a minimum.
        self.illegal_word.next = (self.operation.val() == 2)
            & ((self.word.val().get_bits::<3>(0) == 0)
                | (self.word.val().get_bits::<3>(0) > 5)
                | ((self.word.val().get_bits::<3>(0) == 5) & (self.word.val().get_bits::<10>(13) == 0)));
        // A section that is not impatient needs all participants.
        self.impatient.next = self.configuration.val().get_bit(2);
        self.too_few.next = self.kind.val().get_bit(0)
            & (self.configuration.val().get_bits::<3>(0) == 2)
            & (self.configuration.val().get_bits::<10>(3) < bit_cast::<10, COUNT_BITS>(self.live.val()));
        self.illegal.next = self.illegal_word.val()
            | (self.arrive.val() & ((self.kind.val().get_bit(4) != self.impatient.val()) | self.too_few.val()))
            | (self.split.val()
                & (self.configuration.val().get_bits::<3>(0) != 1)
                & (self.configuration.val().get_bits::<3>(0) != 2))
            | (!self.launched.val() & (self.operation.val() != 0));

        self.error_cause.next = 5.into();
        if self.illegal.val() {
            self.error_cause.next = 4.into();
        }
        if self.differs.val() {
            self.error_cause.next = 3.into();
        }
        self.error_valid.next = self.execute_request.val()
            & !self.inside_error.val()
            & (self.differs.val() | self.illegal.val() | self.overflow.val());
        self.refused.next = self.execute_request.val()
            & !self.inside_error.val()
            & !self.error_valid.val()
            & (self.saving_refused.val()
                | ((self.operation.val() == 1) & (self.in_use.val() | self.release_busy_cta.val()))
                | (self.changes.val() & !self.idle.val())
                | ((self.operation.val() == 6) & self.release_busy.val())
                | ((self.operation.val() == 7) & self.mask_any.val() & self.topped.val()));
        self.stop.next =
            self.execute_request.val() & (self.inside_error.val() | self.error_valid.val() | self.refused.val());
        self.act.next = self.execute_valid.val() & !self.stop.val();
    }
}
