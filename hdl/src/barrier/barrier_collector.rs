//! Conditional barriers across cores: counts what each core reports, and releases the cores that wait when the expected number is there.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_valid` | in | a request, taken in every cycle |
//! | `request_operation` | in | [`CollectorOperation`] |
//! | `request_id`, `request_core`, `request_phase` | in | which barrier, who reports, in which phase it believes to be |
//! | `request_count` | in | how many arrive, exit, or (Configure) are expected in all |
//! | `response_valid`, `response_error`, `response_stale` | out | the answer; with either of the last two the request had no effect |
//! | `release_valid`, `release_id`, `release_phase`, `release_cores` | out | a phase has ended; to all cores that arrived in it |
//!
//! A core may arrive in parts. What exits (a core's whole share) counts as arrived in this phase and in all later ones. A phase is released when
//! everything expected is there, somebody waits, and each core has acknowledged the release before: a core
//! is never two phases behind, so one bit tells the phases apart.
//!
//! **Timing** the answer, and the release that a request completes, come in the cycle after its acceptance; one request a cycle. After reset every
//! barrier is unknown until it is configured.
//! **Invariants** 1. a phase is released to all who arrived, as soon as it has its count, somebody waits, and no core owes an acknowledgement.
//! 2. after a release of phase p none follows before all its cores have acknowledged or exited. 3. counts of a phase are at most the expected
//! number. 4. a stale phase, an unknown barrier, a core that has exited, a count beyond what is expected and a Configure of a barrier in use have
//! no effect.
//! **Source** BR-52 (US 9,448,803 ends at the core).

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

/// What a core, or whoever launches, tells the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CollectorOperation {
    /// A barrier is to expect a number of arrivals; everything earlier is forgotten.
    Configure = 0,
    /// Threads of a core arrive.
    Arrive = 1,
    /// A core has delivered its release.
    Acknowledge = 2,
    /// A core's whole share has exited.
    Exit = 3,
}

block! {
    /// `SHARE_BITS` = `ID_BITS` + `CORE_BITS`; see the module's page.
    pub struct BarrierCollector<
        const CORES: usize,
        const CORE_BITS: usize,
        const IDS: usize,
        const ID_BITS: usize,
        const SHARE_BITS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request; it is taken.
            pub request_valid: Signal<In, Bit>,
            /// 0 configure, 1 arrive, 2 acknowledge, 3 exit.
            pub request_operation: Signal<In, Bits<2>>,
            /// Which barrier.
            pub request_id: Signal<In, Bits<ID_BITS>>,
            /// Who reports.
            pub request_core: Signal<In, Bits<CORE_BITS>>,
            /// The phase of an arrival or of the release that is acknowledged.
            pub request_phase: Signal<In, Bit>,
            /// How many arrive, exit, or are expected.
            pub request_count: Signal<In, Bits<COUNT_BITS>>,
            /// The answer to the last request.
            pub response_valid: Signal<Out, Bit>,
            /// It was wrong and had no effect.
            pub response_error: Signal<Out, Bit>,
            /// It was about another phase and had no effect.
            pub response_stale: Signal<Out, Bit>,
            /// A phase has ended.
            pub release_valid: Signal<Out, Bit>,
            /// Of which barrier.
            pub release_id: Signal<Out, Bits<ID_BITS>>,
            /// Which phase.
            pub release_phase: Signal<Out, Bit>,
            /// The cores that arrived in it.
            pub release_cores: Signal<Out, Bits<CORES>>,
        }
        parts {
            full: Register<Bit>,
            operation: Register<Bits<2>>,
            id: Register<Bits<ID_BITS>>,
            core: Register<Bits<CORE_BITS>>,
            phase: Register<Bit>,
            count: Register<Bits<COUNT_BITS>>,
            known: Register<Bits<IDS>>,
            phases: Register<Bits<IDS>>,
            shares: ForwardingRam<SHARE_BITS, COUNT_BITS>,
            expected: ForwardingRam<ID_BITS, COUNT_BITS>,
            sums: ForwardingRam<ID_BITS, COUNT_BITS>,
            gone: ForwardingRam<ID_BITS, COUNT_BITS>,
            arrived: ForwardingRam<ID_BITS, CORES>,
            owing: ForwardingRam<ID_BITS, CORES>,
            exited: ForwardingRam<ID_BITS, CORES>,
            configure: Signal<Local, Bit>,
            arrive: Signal<Local, Bit>,
            acknowledge: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            present: Signal<Local, Bit>,
            mine: Signal<Local, Bits<CORES>>,
            share: Signal<Local, Bits<COUNT_BITS>>,
            room: Signal<Local, Bits<COUNT_BITS>>,
            added: Signal<Local, Bits<COUNT_BITS>>,
            too_many: Signal<Local, Bit>,
            wrong: Signal<Local, Bit>,
            stale: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            sum: Signal<Local, Bits<COUNT_BITS>>,
            waiting: Signal<Local, Bits<CORES>>,
            debtors: Signal<Local, Bits<CORES>>,
            out: Signal<Local, Bits<CORES>>,
            lost: Signal<Local, Bits<COUNT_BITS>>,
            complete: Signal<Local, Bit>,
            core_bits: Constant<Bits<8>> = Constant::new(bits(CORE_BITS as u64)),
            one: Constant<Bits<CORES>> = Constant::new(bits(1)),
        }
    }
}

impl<
        const CORES: usize,
        const CORE_BITS: usize,
        const IDS: usize,
        const ID_BITS: usize,
        const SHARE_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for BarrierCollector<CORES, CORE_BITS, IDS, ID_BITS, SHARE_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, full, operation, id, core, phase, count, known, phases);
        clock!(self, clock, shares, expected, sums, gone, arrived, owing, exited);
        self.shares.reset.next = self.reset.val();
        self.expected.reset.next = self.reset.val();
        self.sums.reset.next = self.reset.val();
        self.gone.reset.next = self.reset.val();
        self.arrived.reset.next = self.reset.val();
        self.owing.reset.next = self.reset.val();
        self.exited.reset.next = self.reset.val();

        // The request on its way to its cycle, with the entries that it reads.
        self.full.d.next = self.request_valid.val();
        self.operation.d.next = self.request_operation.val();
        self.id.d.next = self.request_id.val();
        self.core.d.next = self.request_core.val();
        self.phase.d.next = self.request_phase.val();
        self.count.d.next = self.request_count.val();
        self.shares.read_address.next = (bit_cast::<SHARE_BITS, ID_BITS>(self.request_id.val())
            << self.core_bits.val())
            | bit_cast::<SHARE_BITS, CORE_BITS>(self.request_core.val());
        self.expected.read_address.next = self.request_id.val();
        self.sums.read_address.next = self.request_id.val();
        self.gone.read_address.next = self.request_id.val();
        self.arrived.read_address.next = self.request_id.val();
        self.owing.read_address.next = self.request_id.val();
        self.exited.read_address.next = self.request_id.val();

        self.configure.next = self.operation.q.val() == 0;
        self.arrive.next = self.operation.q.val() == 1;
        self.acknowledge.next = self.operation.q.val() == 2;
        self.leave.next = self.operation.q.val() == 3;
        self.present.next = self.phases.q.val().get_bit(self.id.q.val());
        self.mine.next = self.one.val() << self.core.q.val();

        // What the core has given to this phase so far, and what is missing. An exit brings the core's whole share instead.
        self.share.next = 0.into();
        if (self.arrived.read_data.val() & self.mine.val()).any() {
            self.share.next = self.shares.read_data.val();
        }
        self.room.next = self.expected.read_data.val() - self.sums.read_data.val();
        self.added.next = 0.into();
        if self.arrive.val() {
            self.added.next = self.count.q.val();
        }
        if self.leave.val() {
            self.added.next = self.count.q.val() - self.share.val();
        }
        self.too_many.next = (self.arrive.val() | self.leave.val())
            & ((self.added.val() > self.room.val()) | (self.leave.val() & (self.count.q.val() < self.share.val())));

        // An acknowledgement is about the phase before the present one, everything else about the present.
        self.stale.next = (self.arrive.val() & (self.phase.q.val() != self.present.val()))
            | (self.acknowledge.val() & (self.phase.q.val() == self.present.val()));
        self.wrong.next = (!self.configure.val() & !self.known.q.val().get_bit(self.id.q.val()))
            | (self.configure.val()
                & self.known.q.val().get_bit(self.id.q.val())
                & (self.arrived.read_data.val() | self.owing.read_data.val()).any())
            | (!self.configure.val() & (self.exited.read_data.val() & self.mine.val()).any())
            | (self.acknowledge.val() & !self.stale.val() & !(self.owing.read_data.val() & self.mine.val()).any())
            | (self.too_many.val() & !self.stale.val());
        self.act.next = self.full.q.val() & !self.wrong.val() & !self.stale.val();

        self.sum.next = self.sums.read_data.val() + self.added.val();
        self.waiting.next = self.arrived.read_data.val();
        self.debtors.next = self.owing.read_data.val();
        self.out.next = self.exited.read_data.val();
        self.lost.next = self.gone.read_data.val();
        if self.arrive.val() {
            self.waiting.next = self.arrived.read_data.val() | self.mine.val();
        }
        if self.acknowledge.val() {
            self.debtors.next = self.owing.read_data.val() & !self.mine.val();
        }
        if self.leave.val() {
            // It waits no more, and owes nothing.
            self.waiting.next = self.arrived.read_data.val() & !self.mine.val();
            self.debtors.next = self.owing.read_data.val() & !self.mine.val();
            self.out.next = self.exited.read_data.val() | self.mine.val();
            self.lost.next = self.gone.read_data.val() + self.count.q.val();
        }
        self.complete.next = self.act.val()
            & !self.configure.val()
            & (self.sum.val() == self.expected.read_data.val())
            & self.waiting.val().any()
            & !self.debtors.val().any();

        self.shares.write_enable.next = self.act.val() & self.arrive.val();
        self.shares.write_address.next = (bit_cast::<SHARE_BITS, ID_BITS>(self.id.q.val()) << self.core_bits.val())
            | bit_cast::<SHARE_BITS, CORE_BITS>(self.core.q.val());
        self.shares.write_data.next = self.share.val() + self.count.q.val();
        self.expected.write_enable.next = self.act.val() & self.configure.val();
        self.expected.write_address.next = self.id.q.val();
        self.expected.write_data.next = self.count.q.val();
        self.sums.write_enable.next = self.act.val();
        self.sums.write_address.next = self.id.q.val();
        self.sums.write_data.next = self.sum.val();
        self.gone.write_enable.next = self.act.val();
        self.gone.write_address.next = self.id.q.val();
        self.gone.write_data.next = self.lost.val();
        self.arrived.write_enable.next = self.act.val();
        self.arrived.write_address.next = self.id.q.val();
        self.arrived.write_data.next = self.waiting.val();
        self.owing.write_enable.next = self.act.val();
        self.owing.write_address.next = self.id.q.val();
        self.owing.write_data.next = self.debtors.val();
        self.exited.write_enable.next = self.act.val();
        self.exited.write_address.next = self.id.q.val();
        self.exited.write_data.next = self.out.val();
        if self.complete.val() {
            self.phases.d.next = self.phases.q.val().replace_bit(self.id.q.val(), !self.present.val());
            self.sums.write_data.next = self.lost.val();
            self.arrived.write_data.next = 0.into();
            self.owing.write_data.next = self.waiting.val();
        }
        if self.configure.val() {
            self.sums.write_data.next = 0.into();
            self.gone.write_data.next = 0.into();
            self.arrived.write_data.next = 0.into();
            self.owing.write_data.next = 0.into();
            self.exited.write_data.next = 0.into();
            if self.act.val() {
                self.known.d.next = self.known.q.val().replace_bit(self.id.q.val(), true);
                self.phases.d.next = self.phases.q.val().replace_bit(self.id.q.val(), false);
            }
        }

        self.response_valid.next = self.full.q.val();
        self.response_error.next = self.full.q.val() & self.wrong.val();
        self.response_stale.next = self.full.q.val() & self.stale.val() & !self.wrong.val();
        self.release_valid.next = self.complete.val();
        self.release_id.next = self.id.q.val();
        self.release_phase.next = self.present.val();
        self.release_cores.next = self.waiting.val();
    }
}
