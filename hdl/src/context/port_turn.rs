//! Whose turn it is at a port that several copy engines share: round robin, and an engine that was shown and not taken stays.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `asking` | in | `ENGINES` | engines that want the port; one that asks goes on asking until it is taken |
//! | `ready` | in | 1 | the port takes what it is shown |
//! | `chosen` | out | `ENGINES` | the engine that it is shown, as a mask; none if none asks |
//!
//! **Timing** `chosen` depends on `asking` in the same cycle, and on no `ready`.
//! **Invariants** 1. an engine that is chosen and not taken is chosen again. 2. an engine that asks is taken after at most `ENGINES` - 1 others.
//! **Source** CX-06.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct PortTurn<const ENGINES: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Engines that want the port.
            pub asking: Signal<In, Bits<ENGINES>>,
            /// The port takes what it is shown.
            pub ready: Signal<In, Bit>,
            /// The engine that it is shown.
            pub chosen: Signal<Out, Bits<ENGINES>>,
        }
        parts {
            first: Register<Bits<ENGINES>>,
            candidates: Signal<Local, Bits<ENGINES>>,
            lowest: Signal<Local, Bits<ENGINES>>,
        }
    }
}

impl<const ENGINES: usize> Logic for PortTurn<ENGINES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first);

        // `first` marks the engines that come before the others: from the one that waits on, or from behind the one that was taken.
        self.candidates.next = self.asking.val();
        if (self.asking.val() & self.first.q.val()).any() {
            self.candidates.next = self.asking.val() & self.first.q.val();
        }
        self.lowest.next = self.candidates.val() & (!self.candidates.val() + 1);
        if self.asking.val().any() {
            self.first.d.next = !(self.lowest.val() - 1);
            if self.ready.val() {
                self.first.d.next = !(self.lowest.val() - 1) & !self.lowest.val();
            }
        }
        self.chosen.next = self.lowest.val();
    }
}
