//! Which warp issues in this cycle: of those that are ready and of the highest priority among them, each in turn, or the one that issued last while it
//! can, else the oldest.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `greedy` | in | 1 | loose round robin 0, greedy then oldest 1 |
//! | `racing` | in | `WARPS` | warps that may issue |
//! | `found`, `warp` | out | 1, `WARP_BITS` | one of them; warp 0 if there is none |
//! | `launched`, `launched_warp` | in | 1, `WARP_BITS` | a warp is launched, which makes it the youngest; it does not race in this cycle |
//! | `launched_priority` | in | `PRIORITY_BITS` | its priority until its next launch; a larger one goes first |
//! | `issued`, `issued_warp` | in | 1, `WARP_BITS` | something of a warp was accepted: it issued last among those of its priority |
//!
//! **Timing** the choice is combinational; launches and issues count from the next cycle on, except that a warp that is launched has not issued
//! last from the same cycle on. A warp that is not ready loses its turn only. Priorities are compared at launches and issues; the choice
//! itself sees a row of bits for each warp.
//! **Invariants** 1. if any warp is racing, the one chosen is. 2. by turns, a warp that stays ready waits for at most `WARPS` - 1 issues of others of its
//! priority, whoever issues between them, unless the one of them that issued last is launched anew, which begins a new round; while one of a higher
//! priority is ready, it waits, however long that is. 3. greedy, who issued last goes on while it can, else the oldest goes; of two warps that were
//! launched, exactly one is the older. 4. no warp is chosen while one of a higher priority is racing. 5. of the warps of a priority, at most one issued
//! last.
//! **Source** SM-02.

use crate::prelude::*;

block! {
    /// `PRIORITY_BITS` is 6 or 10. See the module's page.
    pub struct WarpScheduler<const WARPS: usize, const WARP_BITS: usize, const PRIORITY_BITS: usize> {
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
            /// Its priority; a larger one goes first.
            pub launched_priority: Signal<In, Bits<PRIORITY_BITS>>,
            /// Something of a warp was accepted.
            pub issued: Signal<In, Bit>,
            /// Whose.
            pub issued_warp: Signal<In, Bits<WARP_BITS>>,
        }
        parts {
            priorities: [Register<Bits<PRIORITY_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            above: [Register<Bits<WARPS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            older: [Register<Bits<WARPS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            recent: Register<Bits<WARPS>>,
            served: Register<Bits<WARPS>>,
            higher: MaskUnion<WARPS, WARPS>,
            joined: MaskUnion<WARPS, WARPS>,
            left: MaskUnion<WARPS, WARPS>,
            equals: MaskUnion<WARPS, WARPS>,
            leading: MaskUnion<WARPS, WARPS>,
            oldest: MaskUnion<WARPS, WARPS>,
            lowest: LowestBit<WARPS, WARP_BITS>,
            old_priority: Signal<Local, Bits<PRIORITY_BITS>>,
            issued_priority: Signal<Local, Bits<PRIORITY_BITS>>,
            young: Signal<Local, Bits<WARPS>>,
            winner: Signal<Local, Bits<WARPS>>,
            equal: Signal<Local, Bits<WARPS>>,
            forgotten: Signal<Local, Bits<WARPS>>,
            last: Signal<Local, Bits<WARPS>>,
            done: Signal<Local, Bits<WARPS>>,
            settled: Signal<Local, Bits<WARPS>>,
            candidates: Signal<Local, Bits<WARPS>>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            number: [Constant<Bits<WARP_BITS>>; WARPS] = std::array::from_fn(|warp| Constant::new(bits(warp as u64))),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize, const PRIORITY_BITS: usize> Logic
    for WarpScheduler<WARPS, WARP_BITS, PRIORITY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, recent, served);
        self.young.next = self.none.val();
        if self.launched.val() {
            self.young.next = self.one.val() << self.launched_warp.val();
        }
        self.winner.next = self.one.val() << self.issued_warp.val();

        // Who has the priority of a launch, of what ran there before, of an issue.
        self.old_priority.next = 0.into();
        self.issued_priority.next = 0.into();
        for i in 0..WARPS {
            if self.launched_warp.val() == self.number[i].val() {
                self.old_priority.next = self.priorities[i].q.val();
            }
            if self.issued_warp.val() == self.number[i].val() {
                self.issued_priority.next = self.priorities[i].q.val();
            }
        }
        for i in 0..WARPS {
            self.higher.masks[i].next =
                self.none.val().replace_bit(i, self.priorities[i].q.val() > self.launched_priority.val());
            self.joined.masks[i].next =
                self.none.val().replace_bit(i, self.priorities[i].q.val() == self.launched_priority.val());
            self.left.masks[i].next =
                self.none.val().replace_bit(i, self.priorities[i].q.val() == self.old_priority.val());
            self.equals.masks[i].next =
                self.none.val().replace_bit(i, self.priorities[i].q.val() == self.issued_priority.val());
        }
        self.equal.next = self.equals.result.val() & !self.young.val();
        if self.launched_priority.val() == self.issued_priority.val() {
            self.equal.next = self.equals.result.val() | self.young.val();
        }

        // Row i holds the warps of a higher priority than warp i, and those that were launched before it.
        for i in 0..WARPS {
            self.priorities[i].clock.next = self.clock.val();
            self.priorities[i].reset.next = self.reset.val();
            self.priorities[i].d.next = self.priorities[i].q.val();
            self.above[i].clock.next = self.clock.val();
            self.above[i].reset.next = self.reset.val();
            self.above[i].d.next = self.above[i].q.val();
            self.older[i].clock.next = self.clock.val();
            self.older[i].reset.next = self.reset.val();
            self.older[i].d.next = self.older[i].q.val() & !self.young.val();
            if self.launched.val() {
                self.above[i].d.next = self.above[i].q.val() & !self.young.val();
                if self.priorities[i].q.val() < self.launched_priority.val() {
                    self.above[i].d.next = self.above[i].q.val() | self.young.val();
                }
                if self.young.val().get_bit(i) {
                    self.priorities[i].d.next = self.launched_priority.val();
                    self.above[i].d.next = self.higher.result.val() & !self.young.val();
                    self.older[i].d.next = !self.young.val();
                }
            }
            self.leading.masks[i].next = self
                .none
                .val()
                .replace_bit(i, self.racing.val().get_bit(i) & !(self.above[i].q.val() & self.racing.val()).any());
        }
        self.candidates.next = self.leading.result.val();
        for i in 0..WARPS {
            self.oldest.masks[i].next = self.none.val().replace_bit(
                i,
                self.candidates.val().get_bit(i) & !(self.older[i].q.val() & self.candidates.val()).any(),
            );
        }

        // Of each priority: who issued last, and whose turn is over: the warps up to that one. A launch on its warp makes both forgotten.
        self.forgotten.next = self.none.val();
        if (self.recent.q.val() & self.young.val()).any() {
            self.forgotten.next = self.left.result.val();
        }
        self.last.next = self.recent.q.val() & !self.forgotten.val();
        self.done.next = self.served.q.val() & !self.forgotten.val();
        self.settled.next = self.done.val() & !self.young.val();
        if ((self.done.val() & self.joined.result.val() & !self.young.val()) >> self.launched_warp.val()).any() {
            self.settled.next = self.done.val() | self.young.val();
        }
        self.served.d.next = self.settled.val();
        self.recent.d.next = self.last.val();
        if self.issued.val() {
            self.served.d.next = (self.settled.val() & !self.equal.val())
                | (self.equal.val() & (self.winner.val() | (self.winner.val() - 1)));
            self.recent.d.next = (self.last.val() & !self.equal.val()) | self.winner.val();
        }

        // By turns: the first whose turn is to come, or the first of all.
        self.lowest.mask.next = self.candidates.val();
        if self.greedy.val() {
            self.lowest.mask.next = self.oldest.result.val();
            if (self.candidates.val() & self.last.val()).any() {
                self.lowest.mask.next = self.candidates.val() & self.last.val();
            }
        } else if (self.candidates.val() & !self.done.val()).any() {
            self.lowest.mask.next = self.candidates.val() & !self.done.val();
        }
        self.found.next = self.racing.val().any();
        self.warp.next = self.lowest.index.val();
    }
}
