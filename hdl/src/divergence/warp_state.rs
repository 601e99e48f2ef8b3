//! What is known of each warp: its active and its live threads, its next instruction, and its yield counter; read for the warp that asks,
//! for the one in the sequencer and for an observer, and changed by one of the first two a cycle.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_warp`, `request_mask`, `request_target` | in | the warp that asks, the threads that it names, its address operand |
//! | `request_active`, `request_next`, `named`, `unnamed`, `none`, `all`, `everyone`, `fires` | out | its active threads and next address, and what its mask comes to |
//! | `request_wakes`, `asleep` | in | the mask names sleeping threads; those |
//! | `removes`, `exits`, `counts`, `advances`, `jumps` | in | the request's changes: active, live threads, yield counter, address |
//! | `install`, `install_*` | in | a warp gets its first threads and address, and its yield state if it was saved |
//! | `held_*` | in / out | the sequencer's warp |
//! | `held_writes` | in | the write port is the sequencer's in this cycle |
//! | `keep`, `step`, `to_target`, `revive`, `revived`, `revived_address` | in | its changes |
//! | `yield_*` | in | the yield policy |
//! | `query_*` | in / out | the observer |
//!
//! **Timing** reads are combinational, a write shows in the next cycle.
//! **Source** DQ-20 to DQ-32, CX-09; "per warp: PC, active mask, and for each thread a state".

use super::warp_table::WarpTable;
use super::yield_decider::YieldDecider;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct WarpState<const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// The warp that asks.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Threads that it names.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// It names sleeping threads instead of active ones.
            pub request_wakes: Signal<In, Bit>,
            /// Its sleeping threads.
            pub asleep: Signal<In, Bits<THREADS>>,
            /// Its active threads.
            pub request_active: Signal<Out, Bits<THREADS>>,
            /// The address behind its instruction.
            pub request_next: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The threads that the mask names.
            pub named: Signal<Out, Bits<THREADS>>,
            /// The active threads that it does not name.
            pub unnamed: Signal<Out, Bits<THREADS>>,
            /// None.
            pub none: Signal<Out, Bit>,
            /// Every active one.
            pub all: Signal<Out, Bit>,
            /// Every live thread is active.
            pub everyone: Signal<Out, Bit>,
            /// A YIELD yields.
            pub fires: Signal<Out, Bit>,
            /// The named threads stop being active.
            pub removes: Signal<In, Bit>,
            /// They exit.
            pub exits: Signal<In, Bit>,
            /// The yield policy counts.
            pub counts: Signal<In, Bit>,
            /// The address changes.
            pub advances: Signal<In, Bit>,
            /// To the operand if a thread is named.
            pub jumps: Signal<In, Bit>,
            /// A warp gets its first threads.
            pub install: Signal<In, Bit>,
            /// Which.
            pub install_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub install_mask: Signal<In, Bits<THREADS>>,
            /// Its first instruction.
            pub install_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// It was saved: it goes on with the yield state that it had.
            pub install_resumes: Signal<In, Bit>,
            /// That.
            pub install_yields: Signal<In, Bits<16>>,
            /// The sequencer's warp.
            pub held_warp: Signal<In, Bits<WARP_BITS>>,
            /// Threads that it has in hand.
            pub held_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand.
            pub held_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its active threads but those in hand.
            pub held_rest: Signal<Out, Bits<THREADS>>,
            /// Its live threads.
            pub held_live: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub held_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The address behind its instruction.
            pub held_next: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The write port is the sequencer's.
            pub held_writes: Signal<In, Bit>,
            /// The threads in hand stop being active.
            pub keep: Signal<In, Bit>,
            /// The address changes.
            pub step: Signal<In, Bit>,
            /// To the operand.
            pub to_target: Signal<In, Bit>,
            /// Threads become active, at an address.
            pub revive: Signal<In, Bit>,
            /// Which.
            pub revived: Signal<In, Bits<THREADS>>,
            /// Where.
            pub revived_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// When a YIELD yields: always 0, every Nth 1, at random 2.
            pub yield_policy: Signal<In, Bits<2>>,
            /// N, or the threshold.
            pub yield_parameter: Signal<In, Bits<8>>,
            /// Seed of each warp's generator.
            pub yield_seed: Signal<In, Bits<16>>,
            /// The warp looked at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its active threads.
            pub query_active: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its yield state: YIELDs counted, or its generator.
            pub query_yields: Signal<Out, Bits<16>>,
        }
        parts {
            #[reads_back(write_warp)]
            active: WarpTable<WARP_BITS, THREADS>,
            #[reads_back(write_address, write_enable, write_data)]
            live: RegisterFile<WARP_BITS, THREADS>,
            live_held: RegisterFile<WARP_BITS, THREADS>,
            address: WarpTable<WARP_BITS, ADDRESS_BITS>,
            #[reads_back(write_enable, write_address, write_data)]
            yields: RegisterFile<WARP_BITS, 16>,
            yields_query: RegisterFile<WARP_BITS, 16>,
            decider: YieldDecider,
        }
    }
}

impl<const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize> Logic
    for WarpState<WARP_BITS, THREADS, ADDRESS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, active, live, live_held, address, yields, yields_query);

        // The warp that asks.
        self.active.request_warp.next = self.request_warp.val();
        self.live.read_address.next = self.request_warp.val();
        self.address.request_warp.next = self.request_warp.val();
        self.yields.read_address.next = self.request_warp.val();
        self.request_active.next = self.active.request_value.val();
        self.request_next.next = self.address.request_value.val() + 1;
        self.named.next = self.active.request_value.val() & self.request_mask.val();
        if self.request_wakes.val() {
            self.named.next = self.asleep.val() & self.request_mask.val();
        }
        self.unnamed.next = self.active.request_value.val() & !self.request_mask.val();
        self.none.next = !self.named.val().any();
        self.all.next = !self.unnamed.val().any();
        self.everyone.next = self.active.request_value.val() == self.live.read_data.val();
        self.decider.policy.next = self.yield_policy.val();
        self.decider.amount.next = self.yield_parameter.val();
        self.decider.seed.next = self.yield_seed.val();
        self.decider.present.next = self.yields.read_data.val();
        self.fires.next = self.decider.fires.val();

        // The warp that the sequencer holds.
        self.active.sequencer_warp.next = self.held_warp.val();
        self.live_held.read_address.next = self.held_warp.val();
        self.address.sequencer_warp.next = self.held_warp.val();
        self.held_rest.next = self.active.sequencer_value.val() & !self.held_mask.val();
        self.held_live.next = self.live_held.read_data.val();
        self.held_address.next = self.address.sequencer_value.val();
        self.held_next.next = self.address.sequencer_value.val() + 1;

        // New values: the sequencer's, a launched warp's, the request's.
        self.active.write_warp.next = self.request_warp.val();
        self.active.write_value.next = self.unnamed.val();
        self.active.write_enable.next = self.removes.val();
        self.address.write_value.next = self.request_next.val();
        if self.jumps.val() & !self.none.val() {
            self.address.write_value.next = self.request_target.val();
        }
        self.address.write_enable.next = self.advances.val();
        if self.install.val() {
            self.active.write_warp.next = self.install_warp.val();
            self.active.write_value.next = self.install_mask.val();
            self.active.write_enable.next = true;
            self.address.write_value.next = self.install_address.val();
            self.address.write_enable.next = true;
        }
        if self.held_writes.val() {
            self.active.write_warp.next = self.held_warp.val();
            self.active.write_value.next = self.held_rest.val();
            self.active.write_enable.next = self.keep.val() | self.revive.val();
            self.address.write_value.next = self.held_next.val();
            if self.to_target.val() {
                self.address.write_value.next = self.held_target.val();
            }
            self.address.write_enable.next = self.step.val() | self.revive.val();
            if self.revive.val() {
                self.active.write_value.next = self.revived.val();
                self.address.write_value.next = self.revived_address.val();
            }
        }
        self.address.write_warp.next = self.active.write_warp.val();

        // Live threads and yield counters change with a request or a launch only.
        self.live.write_enable.next = self.exits.val() | self.install.val();
        self.live.write_address.next = self.request_warp.val();
        self.live.write_data.next = self.live.read_data.val() & !self.named.val();
        self.yields.write_enable.next = self.counts.val() | self.install.val();
        self.yields.write_data.next = self.decider.following.val();
        if self.install.val() {
            self.live.write_address.next = self.install_warp.val();
            self.live.write_data.next = self.install_mask.val();
            self.yields.write_data.next = self.decider.first_state.val();
            if self.install_resumes.val() {
                self.yields.write_data.next = self.install_yields.val();
            }
        }
        self.yields.write_address.next = self.live.write_address.val();
        self.yields_query.write_enable.next = self.yields.write_enable.val();
        self.yields_query.write_address.next = self.yields.write_address.val();
        self.yields_query.write_data.next = self.yields.write_data.val();
        self.yields_query.read_address.next = self.query_warp.val();
        self.query_yields.next = self.yields_query.read_data.val();
        self.live_held.write_enable.next = self.live.write_enable.val();
        self.live_held.write_address.next = self.live.write_address.val();
        self.live_held.write_data.next = self.live.write_data.val();

        self.active.query_warp.next = self.query_warp.val();
        self.address.query_warp.next = self.query_warp.val();
        self.query_active.next = self.active.query_value.val();
        self.query_address.next = self.address.query_value.val();
    }
}
