//! Looks at one barrier a cycle, in turn, for one whose deadline has come or whose completion was held off. The clocks of a CTA that is
//! held to leave stand.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `launched` | in | `CTAS` | the CTAs that are launched |
//! | `frozen` | in | `CTAS` | the one of them that is held to leave, if any: none of its barriers is attended, and this cycle does not count for its clocks |
//! | `write_enable`, `write_key`, `clocked`, `pending` | in | 1, `KEY_BITS`, 1, 1 | a barrier's clock starts or stops; its completion is held off |
//! | `stamp`, `timeout` | in | 1, 16 | with `write_enable`: the clock starts now and runs for `timeout` cycles |
//! | `attend_valid`, `attend_key` | out, `attend_ready` in | 1, `KEY_BITS`, 1 | a barrier that needs attention in the execute stage |
//! | `left_key`, `left_cycles` | in, out | `KEY_BITS`, 16 | barrier of the next cycle's request, hence of what is written there; cycles until this one's deadline, 0 if it has come |
//! | `stale` | out | 1 | in the execute stage: what was read has been changed meanwhile, there is nothing to do |
//!
//! **Timing** a clock that starts in the execute stage of cycle t with timeout T has its barrier in the execute stage in one of the cycles
//! t + T to t + T + (number of barriers), T counting as 1 at least, and cycles in which `attend_ready` is low or its CTA frozen added. A
//! completion held off comes back after at most one cycle more than there are barriers.
//! **Time** each CTA has its own: `now`, less the cycles in which it was frozen (its lag). So no clock needs to be written when its CTA is held,
//! nor when it runs on. While a CTA is frozen its lag is in a register; behind that, in the memories. What a launch leaves in them is
//! any lag, the same in both: deadlines are of the CTA's own time, so only differences count.
//! **Assumes** that one CTA is frozen at a time, that it was that of `left_key` two cycles before it came to be frozen (its request was in the
//! execute stage a cycle before), and that a CTA that is not launched is written, by a request of its own, before a clock of it starts.
//! **Invariants** 1. in its turn a barrier is attended if and only if its completion is held off or its deadline has come, and its CTA is
//! launched and not frozen. 2. it is each barrier's turn, one a cycle; who is attended stays until it is taken. 3. the cycles left of a clock
//! are those at its start, less the cycles since in which its CTA was not frozen. 4. that the barrier attended was written in the
//! cycle before is told.
//! **Source** US 9,448,803, impatient barriers; BR-13, CX-09, CX-10.

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
            /// The CTAs that are launched.
            pub launched: Signal<In, Bits<CTAS>>,
            /// The one that is held to leave.
            pub frozen: Signal<In, Bits<CTAS>>,
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
            #[reads_back(write_enable, write_address)]
            examined_lag: ForwardingRam<CTA_BITS, CLOCK_BITS>,
            written_lag: ForwardingRam<CTA_BITS, CLOCK_BITS>,
            held: Register<Bit>,
            held_cta: Register<Bits<CTA_BITS>>,
            held_lag: Register<Bits<CLOCK_BITS>>,
            any_frozen: Signal<Local, Bit>,
            launches: Signal<Local, Bit>,
            waits: Signal<Local, Bit>,
            written_cta: Signal<Local, Bits<CTA_BITS>>,
            examined_cta: Signal<Local, Bits<CTA_BITS>>,
            lag_of_written: Signal<Local, Bits<CLOCK_BITS>>,
            lag_of_examined: Signal<Local, Bits<CLOCK_BITS>>,
            written_now: Signal<Local, Bits<CLOCK_BITS>>,
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
        dff_setup!(self, clock, now, examined, changed, held, held_cta, held_lag);
        clock!(self, clock, attention, deadline, saved, examined_lag, written_lag);
        self.saved.reset.next = self.reset.val();
        self.attention.reset.next = self.reset.val();
        self.deadline.reset.next = self.reset.val();
        self.examined_lag.reset.next = self.reset.val();
        self.written_lag.reset.next = self.reset.val();
        self.now.d.next = self.now.q.val() + 1;

        // How far each of the two CTAs is behind `now`: the one that is, or was just, frozen from the register.
        self.examined_cta.next = bit_cast::<CTA_BITS, KEY_BITS>(self.examined.q.val() >> self.barrier_bits.val());
        self.written_cta.next = bit_cast::<CTA_BITS, KEY_BITS>(self.write_key.val() >> self.barrier_bits.val());
        self.lag_of_examined.next = self.examined_lag.read_data.val();
        if self.held.q.val() & (self.held_cta.q.val() == self.examined_cta.val()) {
            self.lag_of_examined.next = self.held_lag.q.val();
        }
        self.lag_of_written.next = self.written_lag.read_data.val();
        if self.held.q.val() & (self.held_cta.q.val() == self.written_cta.val()) {
            self.lag_of_written.next = self.held_lag.q.val();
        }
        self.written_now.next = self.now.q.val() - self.lag_of_written.val();

        // A frozen CTA falls behind by a cycle. The lag of whoever may be frozen next is in the register before it is.
        self.any_frozen.next = self.frozen.val().any();
        self.launches.next = self.write_enable.val() & !self.launched.val().get_bit(self.written_cta.val());
        self.waits.next = self.held.q.val() & self.launches.val();
        self.held.d.next = self.any_frozen.val() | self.waits.val();
        if self.any_frozen.val() {
            self.held_lag.d.next = self.held_lag.q.val() + 1;
        }
        if !self.any_frozen.val() & !self.waits.val() {
            self.held_cta.d.next = self.written_cta.val();
            self.held_lag.d.next = self.lag_of_written.val();
        }
        // It goes to the memories once no launch writes there. What a launch writes is of no matter, so it is this as well.
        self.examined_lag.write_enable.next = self.launches.val() | (self.held.q.val() & !self.any_frozen.val());
        self.examined_lag.write_address.next = self.held_cta.q.val();
        if self.launches.val() {
            self.examined_lag.write_address.next = self.written_cta.val();
        }
        self.examined_lag.write_data.next = self.held_lag.q.val();
        self.written_lag.write_enable.next = self.examined_lag.write_enable.val();
        self.written_lag.write_address.next = self.examined_lag.write_address.val();
        self.written_lag.write_data.next = self.held_lag.q.val();

        self.attention.write_enable.next = self.write_enable.val();
        self.attention.write_address.next = self.write_key.val();
        self.attention.write_data.next =
            bit_cast::<2, 1>(self.clocked.val().into()) | (bit_cast::<2, 1>(self.pending.val().into()) << 1);
        self.deadline.write_enable.next = self.write_enable.val() & self.stamp.val();
        self.deadline.write_address.next = self.write_key.val();
        self.deadline.write_data.next = self.written_now.val() + bit_cast::<CLOCK_BITS, 16>(self.timeout.val());

        self.saved.write_enable.next = self.deadline.write_enable.val();
        self.saved.write_address.next = self.write_key.val();
        self.saved.write_data.next = self.deadline.write_data.val();
        self.saved.read_address.next = self.left_key.val();
        self.written_lag.read_address.next =
            bit_cast::<CTA_BITS, KEY_BITS>(self.left_key.val() >> self.barrier_bits.val());
        self.remaining.next = self.saved.read_data.val() - self.written_now.val();
        self.left_cycles.next = self.remaining.val().get_bits::<16>(0);
        if self.remaining.val().get_bit(16) {
            self.left_cycles.next = 0.into();
        }

        // The barrier is in the execute stage a cycle from now: its deadline may be then.
        self.left.next = self.now.q.val() + 1 - self.lag_of_examined.val() - self.deadline.read_data.val();
        self.passed.next = self.attention.read_data.val().get_bit(1)
            | (self.attention.read_data.val().get_bit(0) & !self.left.val().get_bit(16));
        self.attend_valid.next =
            self.passed.val() & (self.launched.val() & !self.frozen.val()).get_bit(self.examined_cta.val());
        self.attend_key.next = self.examined.q.val();

        self.next_key.next = self.examined.q.val() + 1;
        if self.attend_valid.val() & !self.attend_ready.val() {
            self.next_key.next = self.examined.q.val();
        }
        self.examined.d.next = self.next_key.val();
        self.attention.read_address.next = self.next_key.val();
        self.deadline.read_address.next = self.next_key.val();
        self.examined_lag.read_address.next =
            bit_cast::<CTA_BITS, KEY_BITS>(self.next_key.val() >> self.barrier_bits.val());
        self.changed.d.next = self.write_enable.val() & (self.write_key.val() == self.examined.q.val());
        self.stale.next = self.changed.q.val();
    }
}
