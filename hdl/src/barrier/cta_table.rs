//! What is known of each CTA: whether it is launched, how many of its threads live, which of its barriers are not idle.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `read_cta`, `cta` | in | `CTA_BITS` | CTA of the next cycle's request, and of this one's |
//! | `launched`, `launched_all` | out | 1, `CTAS` | it is launched; all that are |
//! | `live` | out | `COUNT_BITS` | its live threads |
//! | `in_use` | out | 1 | one of its barriers is not idle |
//! | `write_enable` | in | 1 | the request takes effect |
//! | `next_live` | in | `COUNT_BITS` | live threads from the next cycle on |
//! | `barrier`, `barrier_used` | in | `BARRIER_BITS`, 1 | this barrier is not idle from the next cycle on |
//! | `launch_first`, `launch_last`, `retire` | in | 1 | first and last step of a launch; a retirement |
//!
//! **Timing** live threads and barriers of `read_cta` are there in the next cycle.
//! **Invariants** 1. a CTA is launched from the last step of its launch to its retirement. 2. a launch has a step for each barrier, so
//! that no barrier of an earlier CTA is left in use.
//! **Source** BR-05.

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct CtaTable<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// CTA of the next cycle's request.
            pub read_cta: Signal<In, Bits<CTA_BITS>>,
            /// CTA of this cycle's.
            pub cta: Signal<In, Bits<CTA_BITS>>,
            /// It is launched.
            pub launched: Signal<Out, Bit>,
            /// Every CTA that is launched.
            pub launched_all: Signal<Out, Bits<CTAS>>,
            /// Its live threads.
            pub live: Signal<Out, Bits<COUNT_BITS>>,
            /// One of its barriers is not idle.
            pub in_use: Signal<Out, Bit>,
            /// The request takes effect.
            pub write_enable: Signal<In, Bit>,
            /// Live threads from the next cycle on.
            pub next_live: Signal<In, Bits<COUNT_BITS>>,
            /// The barrier of the request.
            pub barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// It is not idle from the next cycle on.
            pub barrier_used: Signal<In, Bit>,
            /// The first step of a launch.
            pub launch_first: Signal<In, Bit>,
            /// The last one.
            pub launch_last: Signal<In, Bit>,
            /// A retirement.
            pub retire: Signal<In, Bit>,
        }
        parts {
            known: Register<Bits<CTAS>>,
            living: ForwardingRam<CTA_BITS, COUNT_BITS>,
            used: ForwardingRam<CTA_BITS, BARRIERS>,
        }
    }
}

impl<
        const CTAS: usize,
        const CTA_BITS: usize,
        const BARRIERS: usize,
        const BARRIER_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for CtaTable<CTAS, CTA_BITS, BARRIERS, BARRIER_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, known);
        clock!(self, clock, living, used);
        self.living.reset.next = self.reset.val();
        self.living.read_address.next = self.read_cta.val();
        self.living.write_enable.next = self.write_enable.val();
        self.living.write_address.next = self.cta.val();
        self.living.write_data.next = self.next_live.val();
        self.live.next = self.living.read_data.val();

        self.used.reset.next = self.reset.val();
        self.used.read_address.next = self.read_cta.val();
        self.used.write_enable.next = self.write_enable.val();
        self.used.write_address.next = self.cta.val();
        self.used.write_data.next = self.used.read_data.val().replace_bit(self.barrier.val(), self.barrier_used.val());
        self.in_use.next = self.used.read_data.val().any();

        if self.write_enable.val() & (self.launch_first.val() | self.retire.val()) {
            self.known.d.next = self.known.q.val().replace_bit(self.cta.val(), false);
        }
        if self.write_enable.val() & self.launch_last.val() {
            self.known.d.next = self.known.q.val().replace_bit(self.cta.val(), true);
        }
        self.launched.next = self.known.q.val().get_bit(self.cta.val());
        self.launched_all.next = self.known.q.val();
    }
}
