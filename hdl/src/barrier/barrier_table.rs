//! What is known of each barrier: its configuration, the identity that its first arrival gave it, its state.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `read_key` | in | barrier of the next cycle's request |
//! | `key` | in | barrier of this one's, whose entry is shown and written |
//! | `configuration`, `configuration_write`, `next_configuration` | out, in, in | as in a Configure request, 48 bits |
//! | `tag`, `after`, `kind`, `identity_write`, `next_*` | out, in, in | addresses of top and end, and flags, of the instruction that uses it |
//! | `state`, `count`, `sleepers`, `filled`, `state_write`, `next_*` | out, in, in | [the state bits](self#state), arrivals that count, threads asleep, blocks with arrivals |
//!
//! **Timing** the entry of `read_key` is there in the next cycle, writes at the edge between included.
//! **Invariants** 1. an entry is what was written last; contents are undefined before its CTA's launch.
//! **Source** US 9,448,803, the barrier state; BR-03, BR-06, BR-44.
//!
//! # State
//! From bit 0 on: static, dynamic, split (static by split arrivals), phase, marked (of an idle or dynamic barrier: invalidated, or with arrivals that count
//! on, as the late mode says), closed (reset while dynamic), pending (complete, but held off), clocked (the timeout runs).

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct BarrierTable<
        const BLOCKS: usize,
        const COUNT_BITS: usize,
        const KEY_BITS: usize,
        const ADDRESS_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Barrier of the next cycle's request.
            pub read_key: Signal<In, Bits<KEY_BITS>>,
            /// Barrier of this cycle's.
            pub key: Signal<In, Bits<KEY_BITS>>,
            /// Its configuration.
            pub configuration: Signal<Out, Bits<48>>,
            /// It gets another one.
            pub configuration_write: Signal<In, Bit>,
            /// Which.
            pub next_configuration: Signal<In, Bits<48>>,
            /// Address of its top.
            pub tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Address after its bottom.
            pub after: Signal<Out, Bits<ADDRESS_BITS>>,
            /// From bit 0 on: critical, ordered, exclusive, blocking, impatient.
            pub kind: Signal<Out, Bits<5>>,
            /// It gets another identity.
            pub identity_write: Signal<In, Bit>,
            /// Its new top.
            pub next_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its new end.
            pub next_after: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its new kind.
            pub next_kind: Signal<In, Bits<5>>,
            /// From bit 0 on: static, dynamic, split, phase, marked, closed, pending, clocked.
            pub state: Signal<Out, Bits<8>>,
            /// Arrivals that count.
            pub count: Signal<Out, Bits<COUNT_BITS>>,
            /// Threads asleep in it.
            pub sleepers: Signal<Out, Bits<COUNT_BITS>>,
            /// Blocks with arrivals.
            pub filled: Signal<Out, Bits<BLOCKS>>,
            /// Its state changes.
            pub state_write: Signal<In, Bit>,
            /// Its new state bits.
            pub next_state: Signal<In, Bits<8>>,
            /// Its new count.
            pub next_count: Signal<In, Bits<COUNT_BITS>>,
            /// Its new number of sleepers.
            pub next_sleepers: Signal<In, Bits<COUNT_BITS>>,
            /// Its blocks with arrivals from now on.
            pub next_filled: Signal<In, Bits<BLOCKS>>,
        }
        parts {
            configurations: ForwardingRam<KEY_BITS, 48>,
            tags: ForwardingRam<KEY_BITS, ADDRESS_BITS>,
            afters: ForwardingRam<KEY_BITS, ADDRESS_BITS>,
            kinds: ForwardingRam<KEY_BITS, 5>,
            states: ForwardingRam<KEY_BITS, 8>,
            counts: ForwardingRam<KEY_BITS, COUNT_BITS>,
            asleep: ForwardingRam<KEY_BITS, COUNT_BITS>,
            fills: ForwardingRam<KEY_BITS, BLOCKS>,
        }
    }
}

impl<const BLOCKS: usize, const COUNT_BITS: usize, const KEY_BITS: usize, const ADDRESS_BITS: usize> Logic
    for BarrierTable<BLOCKS, COUNT_BITS, KEY_BITS, ADDRESS_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, configurations, tags, afters, kinds, states, counts, asleep, fills);
        // The configuration.
        self.configurations.reset.next = self.reset.val();
        self.configurations.read_address.next = self.read_key.val();
        self.configurations.write_enable.next = self.configuration_write.val();
        self.configurations.write_address.next = self.key.val();
        self.configurations.write_data.next = self.next_configuration.val();
        self.configuration.next = self.configurations.read_data.val();

        // The identity.
        self.tags.reset.next = self.reset.val();
        self.tags.read_address.next = self.read_key.val();
        self.tags.write_enable.next = self.identity_write.val();
        self.tags.write_address.next = self.key.val();
        self.tags.write_data.next = self.next_tag.val();
        self.tag.next = self.tags.read_data.val();
        self.afters.reset.next = self.reset.val();
        self.afters.read_address.next = self.read_key.val();
        self.afters.write_enable.next = self.identity_write.val();
        self.afters.write_address.next = self.key.val();
        self.afters.write_data.next = self.next_after.val();
        self.after.next = self.afters.read_data.val();
        self.kinds.reset.next = self.reset.val();
        self.kinds.read_address.next = self.read_key.val();
        self.kinds.write_enable.next = self.identity_write.val();
        self.kinds.write_address.next = self.key.val();
        self.kinds.write_data.next = self.next_kind.val();
        self.kind.next = self.kinds.read_data.val();

        // The state.
        self.states.reset.next = self.reset.val();
        self.states.read_address.next = self.read_key.val();
        self.states.write_enable.next = self.state_write.val();
        self.states.write_address.next = self.key.val();
        self.states.write_data.next = self.next_state.val();
        self.state.next = self.states.read_data.val();
        self.counts.reset.next = self.reset.val();
        self.counts.read_address.next = self.read_key.val();
        self.counts.write_enable.next = self.state_write.val();
        self.counts.write_address.next = self.key.val();
        self.counts.write_data.next = self.next_count.val();
        self.count.next = self.counts.read_data.val();
        self.asleep.reset.next = self.reset.val();
        self.asleep.read_address.next = self.read_key.val();
        self.asleep.write_enable.next = self.state_write.val();
        self.asleep.write_address.next = self.key.val();
        self.asleep.write_data.next = self.next_sleepers.val();
        self.sleepers.next = self.asleep.read_data.val();
        self.fills.reset.next = self.reset.val();
        self.fills.read_address.next = self.read_key.val();
        self.fills.write_enable.next = self.state_write.val();
        self.fills.write_address.next = self.key.val();
        self.fills.write_data.next = self.next_filled.val();
        self.filled.next = self.fills.read_data.val();
    }
}
