//! What becomes of each thread that arrives: it sleeps, passes, skips or waits; and which of them count.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `arrive`, `split_arrive`, `split_wait` | in | what the threads do |
//! | `mask`, `participants`, `arrived`, `seen` | in | threads of one block |
//! | `state`, `sleepers_any`, `same_tag`, `same_kind`, `critical` | in | the barrier's state, whether it is used by this instruction, which opens a section |
//! | `configuration`, `late_join_all` | in | how it behaves |
//! | `sleep_*`, `pass_mask`, `skip_mask`, `wait_mask` | out | the answer |
//! | `counted`, `visited`, `arrived_now`, `seen_now` | out | threads that count from now on; that were seen without taking part; the new row |
//! | `starts`, `fresh`, `noted`, `stamp` | out | the barrier turns static; what it remembers is void; it takes this identity; its clock starts |
//!
//! **Timing** combinational.
//! **Invariants** 1. the answer to an arrival or a wait has each thread of `mask` once. 2. a thread that counts has not counted before in
//! this phase. 3. a participant that does not count gets no effect: it waits.
//! **Source** US 9,448,803, figure 6A; BR-10, BR-11, BR-13, BR-15 to BR-17, BR-20 to BR-24, BR-50.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ArrivalAnswer<const BLOCK_THREADS: usize> {
        ports {
            /// Threads reach a top.
            pub arrive: Signal<In, Bit>,
            /// Threads arrive without waiting.
            pub split_arrive: Signal<In, Bit>,
            /// Threads wait for a phase.
            pub split_wait: Signal<In, Bit>,
            /// For which.
            pub parity: Signal<In, Bit>,
            /// The threads.
            pub mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Those that participate.
            pub participants: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads of the block that have arrived.
            pub arrived: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads of the block that were seen without taking part.
            pub seen: Signal<In, Bits<BLOCK_THREADS>>,
            /// State bits of the barrier.
            pub state: Signal<In, Bits<8>>,
            /// Somebody sleeps in it.
            pub sleepers_any: Signal<In, Bit>,
            /// It is used by the instruction at this address.
            pub same_tag: Signal<In, Bit>,
            /// With these flags and this end.
            pub same_kind: Signal<In, Bit>,
            /// This instruction opens a section.
            pub critical: Signal<In, Bit>,
            /// Its configuration.
            pub configuration: Signal<In, Bits<48>>,
            /// Late arrivals join whatever the late mode.
            pub late_join_all: Signal<In, Bit>,
            /// Threads that fall asleep.
            pub sleep_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// They join a running section.
            pub sleep_rescan: Signal<Out, Bit>,
            /// They sleep until a section ends that they do not run.
            pub sleep_done: Signal<Out, Bit>,
            /// Threads that pass.
            pub pass_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that skip to the end.
            pub skip_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that ask again.
            pub wait_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that count from now on.
            pub counted: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that are seen without taking part.
            pub visited: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that have arrived from now on.
            pub arrived_now: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that were seen from now on.
            pub seen_now: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The barrier turns from idle to static.
            pub starts: Signal<Out, Bit>,
            /// What the idle barrier remembers of an earlier phase is void.
            pub fresh: Signal<Out, Bit>,
            /// The barrier takes the identity of this instruction.
            pub noted: Signal<Out, Bit>,
            /// Its clock starts, or starts again.
            pub stamp: Signal<Out, Bit>,
        }
        parts {
            idle: Signal<Local, Bit>,
            dynamic: Signal<Local, Bit>,
            topped: Signal<Local, Bit>,
            everyone: Signal<Local, Bit>,
            mode: Signal<Local, Bits<3>>,
            clock_event: Signal<Local, Bits<2>>,
            remembers: Signal<Local, Bit>,
            second: Signal<Local, Bit>,
            remembers_now: Signal<Local, Bit>,
            running: Signal<Local, Bit>,
            passing: Signal<Local, Bit>,
            taking: Signal<Local, Bit>,
            late: Signal<Local, Bit>,
            joining: Signal<Local, Bit>,
            skipping: Signal<Local, Bit>,
            active: Signal<Local, Bit>,
            past: Signal<Local, Bits<BLOCK_THREADS>>,
            visitors: Signal<Local, Bits<BLOCK_THREADS>>,
            others: Signal<Local, Bits<BLOCK_THREADS>>,
            news: Signal<Local, Bits<BLOCK_THREADS>>,
            clockable: Signal<Local, Bit>,
            tag_clash: Signal<Local, Bit>,
            other_phase: Signal<Local, Bit>,
        }
    }
}

impl<const BLOCK_THREADS: usize> Logic for ArrivalAnswer<BLOCK_THREADS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.idle.next = !self.state.val().get_bit(0) & !self.state.val().get_bit(1);
        self.dynamic.next = self.state.val().get_bit(1);
        self.topped.next = !self.idle.val() & !self.state.val().get_bit(2);
        // Under conditions 1 and 2 everybody counts, under 3 to 5 participants do.
        self.everyone.next =
            (self.configuration.val().get_bits::<3>(0) == 1) | (self.configuration.val().get_bits::<3>(0) == 2);
        self.mode.next = self.configuration.val().get_bits::<3>(41);
        self.clock_event.next = self.configuration.val().get_bits::<2>(39);
        self.others.next = self.mask.val() & !self.participants.val();

        // An idle barrier may remember a phase of this instruction: one that invalidated it, one that counts on, or a clock that runs. A
        // participant that comes for the second time ends that.
        self.remembers.next = (self.state.val().get_bit(4) | (self.idle.val() & self.state.val().get_bit(7)))
            & self.same_tag.val()
            & self.same_kind.val();
        self.second.next = self.idle.val() & (self.participants.val() & (self.arrived.val() | self.seen.val())).any();
        self.remembers_now.next = self.remembers.val() & !self.second.val();
        self.passing.next = self.remembers.val()
            & self.state.val().get_bit(4)
            & !self.second.val()
            & (self.mode.val() != 7)
            & !self.state.val().get_bit(0);
        self.past.next = self.arrived.val();
        self.visitors.next = self.seen.val();
        if self.idle.val() & !self.remembers_now.val() {
            self.past.next = 0.into();
            self.visitors.next = 0.into();
        }

        // Who is let in: to an idle barrier, a static one of this instruction, a dynamic one that takes late threads.
        self.taking.next = self.state.val().get_bit(0) & !self.state.val().get_bit(2) & self.same_tag.val();
        self.late.next = self.dynamic.val() & self.same_tag.val() & !self.passing.val() & !self.state.val().get_bit(5);
        self.joining.next = self.late.val() & ((self.mode.val() == 1) | self.late_join_all.val());
        self.skipping.next = self.late.val() & !self.joining.val() & (self.mode.val() == 6);
        self.active.next =
            (self.idle.val() & !self.passing.val()) | self.taking.val() | self.joining.val() | self.skipping.val();
        self.news.next = self.participants.val() & !self.past.val() & !self.visitors.val();
        if self.everyone.val() {
            self.news.next = self.mask.val() & !self.past.val();
        }

        self.tag_clash.next = self.sleepers_any.val() & !self.same_tag.val();
        self.other_phase.next = self.parity.val() != self.state.val().get_bit(3);
        self.sleep_mask.next = 0.into();
        self.pass_mask.next = 0.into();
        self.skip_mask.next = 0.into();
        self.counted.next = 0.into();
        if self.arrive.val() {
            if self.active.val() {
                self.sleep_mask.next = self.news.val() & self.participants.val();
            }
            if self.passing.val() {
                self.pass_mask.next = self.news.val();
            }
            if self.active.val() | self.passing.val() {
                self.counted.next = self.news.val();
            }
            self.skip_mask.next = self.others.val();
            if self.everyone.val() {
                self.skip_mask.next = 0.into();
                if self.active.val() {
                    self.skip_mask.next = self.news.val() & self.others.val();
                }
            }
        }
        if self.split_arrive.val() {
            self.counted.next = self.mask.val() & !self.arrived.val();
        }
        if self.split_wait.val() & !self.topped.val() {
            if self.other_phase.val() {
                self.pass_mask.next = self.mask.val();
            } else if !self.tag_clash.val() {
                self.sleep_mask.next = self.mask.val();
            }
        }
        self.wait_mask.next = 0.into();
        if self.arrive.val() | self.split_wait.val() {
            self.wait_mask.next =
                self.mask.val() & !(self.sleep_mask.val() | self.pass_mask.val() | self.skip_mask.val());
        }
        self.sleep_done.next = self.skipping.val() & self.critical.val();
        self.sleep_rescan.next = self.dynamic.val() & !self.sleep_done.val();

        self.starts.next = self.idle.val()
            & ((self.counted.val().any() & !self.passing.val())
                | (self.split_wait.val() & self.sleep_mask.val().any()));

        // The clock of an impatient barrier: from the first or the latest arrival that counts, or of any.
        self.clockable.next = self.arrive.val()
            & self.configuration.val().get_bit(2)
            & ((self.idle.val() & !self.passing.val()) | self.taking.val())
            & !self.state.val().get_bit(6);
        self.visited.next = 0.into();
        if self.clockable.val() & (self.clock_event.val() == 3) {
            self.visited.next = self.others.val() & !self.past.val() & !self.visitors.val();
        }
        self.arrived_now.next = self.past.val() | self.counted.val();
        self.seen_now.next = self.visitors.val() | self.visited.val();
        self.running.next = self.state.val().get_bit(7) & !(self.idle.val() & !self.remembers_now.val());
        self.stamp.next = self.clockable.val() & self.starts.val();
        if self.clock_event.val() == 1 {
            self.stamp.next =
                self.clockable.val() & !self.running.val() & (self.counted.val().any() | self.others.val().any());
        }
        if self.clock_event.val() == 2 {
            self.stamp.next = self.clockable.val() & self.counted.val().any();
        }
        if self.clock_event.val() == 3 {
            self.stamp.next = self.clockable.val() & (self.counted.val().any() | self.visited.val().any());
        }
        self.fresh.next = self.idle.val() & !self.remembers_now.val() & (self.starts.val() | self.stamp.val());
        self.noted.next = self.starts.val()
            | (self.idle.val() & self.stamp.val())
            | (self.split_wait.val() & self.sleep_mask.val().any());
    }
}
