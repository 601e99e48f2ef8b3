//! Which warp issues in this cycle: of those that are ready, each in turn, or the one that issued last while it can, else the oldest.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `greedy` | in | 1 | loose round robin 0, greedy then oldest 1 |
//! | `racing` | in | `WARPS` | warps that may issue |
//! | `found`, `warp` | out | 1, `WARP_BITS` | one of them; warp 0 if there is none |
//! | `launched`, `launched_warp` | in | 1, `WARP_BITS` | a warp is launched, which makes it the youngest |
//! | `issued`, `issued_warp` | in | 1, `WARP_BITS` | something of a warp was accepted: it issued last |
//!
//! **Timing** the choice is combinational; launches and issues count from the next cycle on, except that a warp that is launched has not issued
//! last from the same cycle on. A warp that is not ready loses its turn only.
//! **Invariants** 1. if any warp is racing, the one chosen is. 2. by turns, a warp that stays ready waits for at most `WARPS` - 1 others.
//! 3. of two warps that were launched, exactly one is the older.
//! **Source** SM-02.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct WarpScheduler<const WARPS: usize, const WARP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Greedy then oldest, instead of by turns.
            pub greedy: Signal<In, Bit>,
            /// Warps that may issue.
            pub racing: Signal<In, Bits<WARPS>>,
            /// One of them is chosen.
            pub found: Signal<Out, Bit>,
            /// Which.
            pub warp: Signal<Out, Bits<WARP_BITS>>,
            /// A warp is launched.
            pub launched: Signal<In, Bit>,
            /// Which.
            pub launched_warp: Signal<In, Bits<WARP_BITS>>,
            /// Something of a warp was accepted.
            pub issued: Signal<In, Bit>,
            /// Whose.
            pub issued_warp: Signal<In, Bits<WARP_BITS>>,
        }
        parts {
            last: Register<Bits<WARP_BITS>>,
            remembers: Register<Bit>,
            older: [Register<Bits<WARPS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            oldest: MaskUnion<WARPS, WARPS>,
            lowest: LowestBit<WARPS, WARP_BITS>,
            last_counts: Signal<Local, Bit>,
            later: Signal<Local, Bits<WARPS>>,
            young: Signal<Local, Bits<WARPS>>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize> Logic for WarpScheduler<WARPS, WARP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, last, remembers);
        self.last_counts.next =
            self.remembers.q.val() & !(self.launched.val() & (self.launched_warp.val() == self.last.q.val()));
        self.remembers.d.next = self.last_counts.val();
        if self.issued.val() {
            self.last.d.next = self.issued_warp.val();
            self.remembers.d.next = true;
        }

        // Row i holds the warps that were launched before warp i.
        self.young.next = self.one.val() << self.launched_warp.val();
        for i in 0..WARPS {
            self.older[i].clock.next = self.clock.val();
            self.older[i].reset.next = self.reset.val();
            self.older[i].d.next = self.older[i].q.val();
            if self.launched.val() {
                self.older[i].d.next = self.older[i].q.val() & !self.young.val();
                if self.young.val().get_bit(i) {
                    self.older[i].d.next = !self.young.val();
                }
            }
            self.oldest.masks[i].next = self
                .none
                .val()
                .replace_bit(i, self.racing.val().get_bit(i) & !(self.older[i].q.val() & self.racing.val()).any());
        }

        // By turns: the first behind the last one, or the first of all.
        self.later.next = self.racing.val() & (((!bits::<WARPS>(0)) << self.last.q.val()) << 1);
        self.lowest.mask.next = self.racing.val();
        if self.greedy.val() {
            self.lowest.mask.next = self.oldest.result.val();
        } else if self.last_counts.val() & self.later.val().any() {
            self.lowest.mask.next = self.later.val();
        }
        self.found.next = self.racing.val().any();
        self.warp.next = self.lowest.index.val();
        if self.greedy.val() & self.last_counts.val() & self.racing.val().get_bit(self.last.q.val()) {
            self.warp.next = self.last.q.val();
        }
    }
}
