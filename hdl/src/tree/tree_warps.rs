//! Which warp the table works for, which warps run, and which of them have a selected leaf.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `launch_valid`, `launch_warp` | in | 1, `WARP_BITS` | a warp is to start |
//! | `launch_ready`, `launched` | out | 1 | it may, since it does not run and the table is at rest; it does |
//! | `idle`, `request_warp`, `held_warp` | in | | the table is at rest; whose instruction is at the port; whose is held |
//! | `warp`, `runs`, `present` | out | | the warp at work: it runs; it has a selected leaf |
//! | `selects`, `deselects`, `stop` | in | 1 | it gets one; it has none any more; it ends |
//! | `ready`, `running` | out | `WARPS` | a bit a warp: it may issue; it runs |
//! | `query_warp`, `query_present` | in, out | | the warp that an observer looks at has a selected leaf |
//!
//! **Timing** answers are combinational, changes show in the next cycle.
//! **Invariants** 1. a warp is launched when it does not run and the table is at rest; where there is one, it never waits for that.
//! 2. only a warp that runs has a selected leaf. 3. a warp that may issue runs, has one, and is not the one that the table is busy with.
//! **See also** `tree_core`.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct TreeWarps<const WARPS: usize, const WARP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is to start.
            pub launch_valid: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// It may.
            pub launch_ready: Signal<Out, Bit>,
            /// It does.
            pub launched: Signal<Out, Bit>,
            /// The table is at rest.
            pub idle: Signal<In, Bit>,
            /// Whose instruction is at the port.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Whose is held.
            pub held_warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp at work.
            pub warp: Signal<Out, Bits<WARP_BITS>>,
            /// It runs.
            pub runs: Signal<Out, Bit>,
            /// It has a selected leaf.
            pub present: Signal<Out, Bit>,
            /// It gets one.
            pub selects: Signal<In, Bit>,
            /// It has none any more.
            pub deselects: Signal<In, Bit>,
            /// It ends.
            pub stop: Signal<In, Bit>,
            /// A bit a warp: it may issue.
            pub ready: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: it runs.
            pub running: Signal<Out, Bits<WARPS>>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// It has a selected leaf.
            pub query_present: Signal<Out, Bit>,
        }
        parts {
            runners: Register<Bits<WARPS>>,
            selected: Register<Bits<WARPS>>,
            bit_of_warp: Signal<Local, Bits<WARPS>>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize> Logic for TreeWarps<WARPS, WARP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, runners, selected);
        // One warp at a time: the one that asks, or the one that the table is busy with.
        self.launch_ready.next = self.idle.val() & !self.runners.q.val().get_bit(self.launch_warp.val());
        self.launched.next = self.launch_ready.val() & self.launch_valid.val();
        self.warp.next = self.held_warp.val();
        if self.idle.val() {
            self.warp.next = self.request_warp.val();
        }
        if self.launched.val() {
            self.warp.next = self.launch_warp.val();
        }
        self.bit_of_warp.next = self.one.val() << self.warp.val();
        self.runs.next = self.runners.q.val().get_bit(self.warp.val());
        self.present.next = self.selected.q.val().get_bit(self.warp.val());

        if self.selects.val() {
            self.selected.d.next = self.selected.q.val() | self.bit_of_warp.val();
        }
        if self.deselects.val() | self.stop.val() {
            self.selected.d.next = self.selected.q.val() & !self.bit_of_warp.val();
        }
        if self.launched.val() {
            self.runners.d.next = self.runners.q.val() | self.bit_of_warp.val();
        }
        if self.stop.val() {
            self.runners.d.next = self.runners.q.val() & !self.bit_of_warp.val();
        }

        self.running.next = self.runners.q.val();
        self.ready.next = self.runners.q.val() & self.selected.q.val();
        if !self.idle.val() {
            // The warp it is busy with, named so that no request stands between this mask and whoever chooses by it.
            self.ready.next = self.runners.q.val() & self.selected.q.val() & !(self.one.val() << self.held_warp.val());
        }
        self.query_present.next = self.selected.q.val().get_bit(self.query_warp.val());
    }
}
