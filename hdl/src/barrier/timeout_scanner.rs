//! Looks at one barrier a cycle, in turn, for one whose deadline has come or whose completion was held off.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `launched` | in | `CTAS` | the CTAs whose barriers count |
//! | `write_enable`, `write_key`, `clocked`, `pending` | in | 1, `KEY_BITS`, 1, 1 | a barrier's clock starts or stops; its completion is held off |
//! | `stamp`, `timeout` | in | 1, 16 | with `write_enable`: the clock starts now and runs for `timeout` cycles |
//! | `attend_valid`, `attend_key` | out, `attend_ready` in | 1, `KEY_BITS`, 1 | a barrier that needs attention in the execute stage |
//! | `left_key`, `left_cycles` | in, out | `KEY_BITS`, 16 | barrier of the next cycle's request; cycles until this one's deadline, 0 if it has come |
//! | `stale` | out | 1 | in the execute stage: what was read has been changed meanwhile, there is nothing to do |
//!
//! **Timing** a clock that starts in the execute stage of cycle t with timeout T has its barrier in the execute stage in one of the cycles
//! t + T to t + T + (number of barriers), T counting as 1 at least, and cycles in which `attend_ready` is low added. A completion
//! held off comes back after at most one cycle more than there are barriers.
//! **Invariants** 1. a barrier is attended only while clocked or pending.
//! **Source** US 9,448,803, impatient barriers; BR-13, CX-09.

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

/// Width of the clock: a timeout of 16 bits and its sign.
const CLOCK_BITS: usize = 17;

block! {
    /// See the module's page.
    pub struct TimeoutScanner<const CTAS: usize, const CTA_BITS: usize, const BARRIER_BITS: usize, const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The CTAs whose barriers count.
            pub launched: Signal<In, Bits<CTAS>>,
            /// A barrier's clock or completion changes.
            pub write_enable: Signal<In, Bit>,
            /// Which barrier.
            pub write_key: Signal<In, Bits<KEY_BITS>>,
            /// Its clock runs.
            pub clocked: Signal<In, Bit>,
            /// Its completion is held off.
            pub pending: Signal<In, Bit>,
            /// Its clock starts now.
            pub stamp: Signal<In, Bit>,
            /// For how long.
            pub timeout: Signal<In, Bits<16>>,
            /// Barrier of the next cycle's request.
            pub left_key: Signal<In, Bits<KEY_BITS>>,
            /// Cycles until the deadline of this cycle's.
            pub left_cycles: Signal<Out, Bits<16>>,
            /// A barrier needs attention.
            pub attend_valid: Signal<Out, Bit>,
            /// It is taken.
            pub attend_ready: Signal<In, Bit>,
            /// Which.
            pub attend_key: Signal<Out, Bits<KEY_BITS>>,
            /// Nothing is to be done for the one taken.
            pub stale: Signal<Out, Bit>,
        }
        parts {
            now: Register<Bits<CLOCK_BITS>>,
            examined: Register<Bits<KEY_BITS>>,
            changed: Register<Bit>,
            attention: ForwardingRam<KEY_BITS, 2>,
            #[reads_back(write_enable, write_data)]
            deadline: ForwardingRam<KEY_BITS, CLOCK_BITS>,
            saved: ForwardingRam<KEY_BITS, CLOCK_BITS>,
            remaining: Signal<Local, Bits<CLOCK_BITS>>,
            next_key: Signal<Local, Bits<KEY_BITS>>,
            left: Signal<Local, Bits<CLOCK_BITS>>,
            passed: Signal<Local, Bit>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
        }
    }
}

impl<const CTAS: usize, const CTA_BITS: usize, const BARRIER_BITS: usize, const KEY_BITS: usize> Logic
    for TimeoutScanner<CTAS, CTA_BITS, BARRIER_BITS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now, examined, changed);
        clock!(self, clock, attention, deadline, saved);
        self.saved.reset.next = self.reset.val();
        self.attention.reset.next = self.reset.val();
        self.deadline.reset.next = self.reset.val();
        self.now.d.next = self.now.q.val() + 1;

        self.attention.write_enable.next = self.write_enable.val();
        self.attention.write_address.next = self.write_key.val();
        self.attention.write_data.next =
            bit_cast::<2, 1>(self.clocked.val().into()) | (bit_cast::<2, 1>(self.pending.val().into()) << 1);
        self.deadline.write_enable.next = self.write_enable.val() & self.stamp.val();
        self.deadline.write_address.next = self.write_key.val();
        self.deadline.write_data.next = self.now.q.val() + bit_cast::<CLOCK_BITS, 16>(self.timeout.val());

        self.saved.write_enable.next = self.deadline.write_enable.val();
        self.saved.write_address.next = self.write_key.val();
        self.saved.write_data.next = self.deadline.write_data.val();
        self.saved.read_address.next = self.left_key.val();
        self.remaining.next = self.saved.read_data.val() - self.now.q.val();
        self.left_cycles.next = self.remaining.val().get_bits::<16>(0);
        if self.remaining.val().get_bit(16) {
            self.left_cycles.next = 0.into();
        }

        // The barrier is in the execute stage a cycle from now: its deadline may be then.
        self.left.next = self.now.q.val() + 1 - self.deadline.read_data.val();
        self.passed.next = self.attention.read_data.val().get_bit(1)
            | (self.attention.read_data.val().get_bit(0) & !self.left.val().get_bit(16));
        self.attend_valid.next = self.passed.val()
            & self
                .launched
                .val()
                .get_bit(bit_cast::<CTA_BITS, KEY_BITS>(self.examined.q.val() >> self.barrier_bits.val()));
        self.attend_key.next = self.examined.q.val();

        self.next_key.next = self.examined.q.val() + 1;
        if self.attend_valid.val() & !self.attend_ready.val() {
            self.next_key.next = self.examined.q.val();
        }
        self.examined.d.next = self.next_key.val();
        self.attention.read_address.next = self.next_key.val();
        self.deadline.read_address.next = self.next_key.val();
        self.changed.d.next = self.write_enable.val() & (self.write_key.val() == self.examined.q.val());
        self.stale.next = self.changed.q.val();
    }
}
