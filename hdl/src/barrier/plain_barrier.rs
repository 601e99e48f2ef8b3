//! The plain subset of the barrier system by itself: conditional barriers that wait for all members of a CTA, or for a number of them. No
//! sections, impatience, late modes, split phases, timeouts, addresses; a member is a warp, or whatever a bit of a mask stands for.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_*` | in, `request_ready` out | [`PlainOperation`] of members of a CTA |
//! | `response_*` | out | in the cycle after acceptance: the members that sleep, go on, or must ask again |
//! | `release_*` | out | with the answer to the last arrival, or in a step of an exit: a phase has ended, all its sleepers wake |
//!
//! **Timing** one request a cycle; a launch and an exit take a cycle a barrier, lowest id first, with `request_ready` low but in the last.
//! **Invariants** 1. a member counts once a phase, and the count is that of the arrived bits that the condition counts. 2. a release has at
//! least one sleeper. 3. exited members are not waited for under condition 1, count for nothing else, and do not keep others asleep: if all
//! that live sleep in a barrier, it is complete. 4. the answers to an arrival part its members.
//! **Source** US 9,448,803, figure 6A; BR-10, BR-12 to BR-14, BR-16, BR-17, BR-39, BR-45.
//! **See also** [`arrival_tracker`](super::arrival_tracker), which does all.

use crate::prelude::*;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PlainOperation {
    /// The members of the mask live; every barrier of the CTA is idle under condition 1.
    Launch = 0,
    /// Condition and reference of a barrier that is idle.
    Configure = 1,
    /// Members arrive.
    Arrive = 2,
    /// Members exit.
    Exit = 3,
}

block! {
    /// `KEY_BITS` = `CTA_BITS` + `BARRIER_BITS`; a count of `COUNT_BITS` holds `MEMBERS`; see the module's page.
    pub struct PlainBarrier<
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const KEY_BITS: usize,
        const MEMBERS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// 0 launch, 1 configure, 2 arrive, 3 exit.
            pub request_operation: Signal<In, Bits<2>>,
            /// The CTA.
            pub request_cta: Signal<In, Bits<CTA_BITS>>,
            /// Its barrier.
            pub request_barrier: Signal<In, Bits<BARRIER_BITS>>,
            /// The members.
            pub request_mask: Signal<In, Bits<MEMBERS>>,
            /// Those of them that participate.
            pub request_participants: Signal<In, Bits<MEMBERS>>,
            /// Configure: 1 all live members, 2 `reference` arrivals, 3 `reference` participants.
            pub request_condition: Signal<In, Bits<2>>,
            /// Configure: how many arrivals complete it.
            pub request_reference: Signal<In, Bits<COUNT_BITS>>,
            /// The answer to the request accepted at the last edge.
            pub response_valid: Signal<Out, Bit>,
            /// Members that sleep.
            pub response_sleep: Signal<Out, Bits<MEMBERS>>,
            /// Members that go on.
            pub response_skip: Signal<Out, Bits<MEMBERS>>,
            /// Members that present the request again.
            pub response_wait: Signal<Out, Bits<MEMBERS>>,
            /// A phase ends.
            pub release_valid: Signal<Out, Bit>,
            /// Of which CTA.
            pub release_cta: Signal<Out, Bits<CTA_BITS>>,
            /// Of which barrier.
            pub release_barrier: Signal<Out, Bits<BARRIER_BITS>>,
            /// Which phase.
            pub release_phase: Signal<Out, Bit>,
        }
        parts {
            full: Register<Bit>,
            first: Register<Bit>,
            operation: Register<Bits<2>>,
            cta: Register<Bits<CTA_BITS>>,
            barrier: Register<Bits<BARRIER_BITS>>,
            mask: Register<Bits<MEMBERS>>,
            participants: Register<Bits<MEMBERS>>,
            condition: Register<Bits<2>>,
            reference: Register<Bits<COUNT_BITS>>,
            #[reads_back(write_enable)]
            conditions: RegisterFile<KEY_BITS, 2>,
            references: RegisterFile<KEY_BITS, COUNT_BITS>,
            phases: RegisterFile<KEY_BITS, 1>,
            #[reads_back(write_enable)]
            arrived: RegisterFile<KEY_BITS, MEMBERS>,
            asleep: RegisterFile<KEY_BITS, MEMBERS>,
            living: RegisterFile<CTA_BITS, MEMBERS>,
            number: PopulationCount<MEMBERS, COUNT_BITS>,
            key: Signal<Local, Bits<KEY_BITS>>,
            launch: Signal<Local, Bit>,
            configure: Signal<Local, Bit>,
            arrive: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            stepping: Signal<Local, Bit>,
            news: Signal<Local, Bits<MEMBERS>>,
            others: Signal<Local, Bits<MEMBERS>>,
            present: Signal<Local, Bits<MEMBERS>>,
            sleepers: Signal<Local, Bits<MEMBERS>>,
            live: Signal<Local, Bits<MEMBERS>>,
            met: Signal<Local, Bit>,
            complete: Signal<Local, Bit>,
            ends: Signal<Local, Bit>,
            barrier_bits: Constant<Bits<8>> = Constant::new(bits(BARRIER_BITS as u64)),
        }
    }
}

impl<
        const CTA_BITS: usize,
        const BARRIER_BITS: usize,
        const KEY_BITS: usize,
        const MEMBERS: usize,
        const COUNT_BITS: usize,
    > Logic for PlainBarrier<CTA_BITS, BARRIER_BITS, KEY_BITS, MEMBERS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, full, first, operation, cta, barrier, mask, participants, condition, reference);
        clock!(self, clock, conditions, references, phases, arrived, asleep, living);

        self.launch.next = self.operation.q.val() == 0;
        self.configure.next = self.operation.q.val() == 1;
        self.arrive.next = self.operation.q.val() == 2;
        self.leave.next = self.operation.q.val() == 3;
        self.stepping.next = self.full.q.val() & (self.launch.val() | self.leave.val()) & !self.barrier.q.val().all();
        self.request_ready.next = !self.stepping.val();
        self.full.d.next = self.request_valid.val() | self.stepping.val();
        self.first.d.next = !self.stepping.val();
        if self.stepping.val() {
            self.barrier.d.next = self.barrier.q.val() + 1;
        } else {
            self.operation.d.next = self.request_operation.val();
            self.cta.d.next = self.request_cta.val();
            self.barrier.d.next = self.request_barrier.val();
            if (self.request_operation.val() == 0) | (self.request_operation.val() == 3) {
                self.barrier.d.next = 0.into();
            }
            self.mask.d.next = self.request_mask.val();
            self.participants.d.next = self.request_participants.val();
            self.condition.d.next = self.request_condition.val();
            self.reference.d.next = self.request_reference.val();
        }
        self.key.next = (bit_cast::<KEY_BITS, CTA_BITS>(self.cta.q.val()) << self.barrier_bits.val())
            | bit_cast::<KEY_BITS, BARRIER_BITS>(self.barrier.q.val());
        self.conditions.read_address.next = self.key.val();
        self.references.read_address.next = self.key.val();
        self.phases.read_address.next = self.key.val();
        self.arrived.read_address.next = self.key.val();
        self.asleep.read_address.next = self.key.val();
        self.living.read_address.next = self.cta.q.val();

        // Under condition 3 only participants count.
        self.others.next = self.mask.q.val() & !self.participants.q.val();
        self.news.next = self.mask.q.val() & !self.arrived.read_data.val();
        if self.conditions.read_data.val() == 3 {
            self.news.next = self.mask.q.val() & self.participants.q.val() & !self.arrived.read_data.val();
        }
        self.present.next = self.arrived.read_data.val() | self.news.val();
        self.sleepers.next = self.asleep.read_data.val() | (self.news.val() & self.participants.q.val());
        self.live.next = self.living.read_data.val();
        if self.leave.val() {
            self.present.next = self.arrived.read_data.val() & !self.mask.q.val();
            self.sleepers.next = self.asleep.read_data.val();
            self.live.next = self.living.read_data.val() & !self.mask.q.val();
        }
        self.number.mask.next = self.present.val();
        self.met.next =
            (self.number.count.val() >= self.references.read_data.val()) | (self.sleepers.val() == self.live.val());
        if self.conditions.read_data.val() == 1 {
            self.met.next = !(self.live.val() & !self.present.val()).any();
        }
        self.complete.next =
            self.full.q.val() & (self.arrive.val() | self.leave.val()) & self.met.val() & self.present.val().any();
        self.ends.next = self.complete.val() & self.sleepers.val().any();

        self.conditions.write_enable.next = self.full.q.val() & (self.launch.val() | self.configure.val());
        self.conditions.write_address.next = self.key.val();
        self.conditions.write_data.next = self.condition.q.val();
        self.references.write_enable.next = self.conditions.write_enable.val();
        self.references.write_address.next = self.key.val();
        self.references.write_data.next = self.reference.q.val();
        self.phases.write_enable.next = self.ends.val() | (self.full.q.val() & self.launch.val());
        self.phases.write_address.next = self.key.val();
        self.phases.write_data.next = !self.phases.read_data.val();
        self.arrived.write_enable.next = self.full.q.val() & !self.configure.val();
        self.arrived.write_address.next = self.key.val();
        self.arrived.write_data.next = self.present.val();
        self.asleep.write_enable.next = self.arrived.write_enable.val();
        self.asleep.write_address.next = self.key.val();
        self.asleep.write_data.next = self.sleepers.val();
        self.living.write_enable.next = self.full.q.val() & (self.launch.val() | self.leave.val());
        self.living.write_address.next = self.cta.q.val();
        self.living.write_data.next = self.live.val();
        if self.complete.val() | self.launch.val() {
            self.arrived.write_data.next = 0.into();
            self.asleep.write_data.next = 0.into();
        }
        if self.launch.val() {
            self.conditions.write_data.next = 1.into();
            self.phases.write_data.next = 0.into();
            self.living.write_data.next = self.mask.q.val();
        }

        self.response_valid.next = self.full.q.val() & self.first.q.val();
        self.response_sleep.next = 0.into();
        self.response_skip.next = 0.into();
        self.response_wait.next = 0.into();
        if self.full.q.val() & self.arrive.val() {
            self.response_sleep.next = self.news.val() & self.participants.q.val();
            self.response_skip.next = self.others.val() & self.news.val();
            self.response_wait.next = self.mask.q.val() & !self.news.val();
            if self.conditions.read_data.val() == 3 {
                self.response_skip.next = self.others.val();
                self.response_wait.next = self.mask.q.val() & self.participants.q.val() & !self.news.val();
            }
        }
        self.release_valid.next = self.ends.val();
        self.release_cta.next = self.cta.q.val();
        self.release_barrier.next = self.barrier.q.val();
        self.release_phase.next = self.phases.read_data.val().any();
    }
}
