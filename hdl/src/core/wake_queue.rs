//! Threads on their way from the barrier scheduler to the divergence engine, in the order of their wake-ups; those that wake at one address go together.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_ready` | in, out | 1 | threads wake; there is room for them |
//! | `enter_warp`, `enter_mask`, `enter_address` | in | | whose, which, where they go on |
//! | `enter_inside` | in | 1 | a thread starts its section: it goes by itself |
//! | `enter_alone` | in | 1 | no others of its warp follow at once |
//! | `blocked` | in | `WARPS` | warps that still have to carry out an answer |
//! | `leave_*` | out | | the first that may go |
//! | `leave_taken` | in | 1 | it goes at this edge |
//! | `waiting` | out | `WARPS` | warps of which threads wait here |
//!
//! **Timing** threads may go from the second cycle behind their entry on, since the other half of their warp may follow in the next; those that come alone,
//! from the next one on. `enter_ready` depends on `leave_taken`.
//! **Invariants** 1. of one warp, sets go in the order in which the first threads of each came. 2. nobody goes before their warp has carried out its answers: a
//! thread may be woken before the engine knows that it sleeps. 3. threads of a warp that go on at one address become one set, unless a section starts.
//! 4. a thread goes once for each time that it came, where it was to go on, and `waiting` names its warp until then. 5. there is room unless `ENTRIES` sets wait.
//! **Source** SM-07.

use crate::prelude::*;

/// Wake-ups that the queue of a core holds.
pub const CAPACITY: usize = 16;

block! {
    /// `LINKS` = `ENTRIES` + 1, `COUNT_BITS` = log2 of `ENTRIES` + 1. See the module's page.
    pub struct WakeQueue<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const ENTRIES: usize, const LINKS: usize, const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Threads wake.
            pub enter_valid: Signal<In, Bit>,
            /// There is room for them.
            pub enter_ready: Signal<Out, Bit>,
            /// Whose.
            pub enter_warp: Signal<In, Bits<WARP_BITS>>,
            /// Which.
            pub enter_mask: Signal<In, Bits<THREADS>>,
            /// Where they go on.
            pub enter_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// A section starts.
            pub enter_inside: Signal<In, Bit>,
            /// No others of the warp follow at once.
            pub enter_alone: Signal<In, Bit>,
            /// Warps that have to carry out an answer first.
            pub blocked: Signal<In, Bits<WARPS>>,
            /// Threads may go.
            pub leave_valid: Signal<Out, Bit>,
            /// Whose.
            pub leave_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub leave_mask: Signal<Out, Bits<THREADS>>,
            /// Where they go on.
            pub leave_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// They go.
            pub leave_taken: Signal<In, Bit>,
            /// Warps of which threads wait here.
            pub waiting: Signal<Out, Bits<WARPS>>,
            /// Nobody waits here.
            pub empty: Signal<Out, Bit>,
        }
        parts {
            count: Register<Bits<COUNT_BITS>>,
            fresh: Register<Bits<ENTRIES>>,
            starts: Register<Bits<ENTRIES>>,
            warp: [Register<Bits<WARP_BITS>>; ENTRIES] = std::array::from_fn(|_| Register::default()),
            mask: [Register<Bits<THREADS>>; ENTRIES] = std::array::from_fn(|_| Register::default()),
            address: [Register<Bits<ADDRESS_BITS>>; ENTRIES] = std::array::from_fn(|_| Register::default()),
            able: MaskUnion<ENTRIES, ENTRIES>,
            whose: MaskUnion<ENTRIES, WARPS>,
            same: MaskUnion<ENTRIES, ENTRIES>,
            first: LowestBit<ENTRIES, COUNT_BITS>,
            host: LowestBit<ENTRIES, COUNT_BITS>,
            behind: Signal<Local, Bits<ENTRIES>>,
            present: Signal<Local, Bits<ENTRIES>>,
            gone: Signal<Local, Bits<ENTRIES>>,
            joins: Signal<Local, Bit>,
            enters: Signal<Local, Bit>,
            tail: Signal<Local, Bits<ENTRIES>>,
            starts_next: Signal<Local, Bits<ENTRIES>>,
            joined: [Signal<Local, Bits<THREADS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            warps: [Signal<Local, Bits<WARP_BITS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            addresses: [Signal<Local, Bits<ADDRESS_BITS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            one_warp: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            none: Constant<Bits<ENTRIES>> = Constant::new(bits(0)),
            one: Constant<Bits<ENTRIES>> = Constant::new(bits(1)),
            most: Constant<Bits<COUNT_BITS>> = Constant::new(bits(ENTRIES as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const ENTRIES: usize,
        const LINKS: usize,
        const COUNT_BITS: usize,
    > Logic for WakeQueue<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, ENTRIES, LINKS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, fresh, starts);
        self.empty.next = !self.count.q.val().any();
        self.present.next = (self.one.val() << self.count.q.val()) - 1;

        for i in 0..ENTRIES {
            self.whose.masks[i].next = 0.into();
            if self.present.val().get_bit(i) {
                self.whose.masks[i].next = self.one_warp.val() << self.warp[i].q.val();
            }
        }
        self.waiting.next = self.whose.result.val();

        // The first whose warp is free, and the one that those who enter may join.
        for i in 0..ENTRIES {
            self.able.masks[i].next = self.none.val().replace_bit(i, !self.blocked.val().get_bit(self.warp[i].q.val()));
            self.same.masks[i].next = self.none.val().replace_bit(
                i,
                (self.warp[i].q.val() == self.enter_warp.val()) & (self.address[i].q.val() == self.enter_address.val()),
            );
        }
        self.first.mask.next = self.able.result.val() & self.present.val() & !self.fresh.q.val();
        self.leave_valid.next = self.first.found.val();
        self.gone.next = self.none.val();
        self.behind.next = self.none.val();
        if self.leave_taken.val() {
            self.gone.next = self.first.one_hot.val();
            self.behind.next = !(self.first.one_hot.val() - 1);
        }
        self.leave_warp.next = 0.into();
        self.leave_mask.next = 0.into();
        self.leave_address.next = 0.into();
        for i in 0..ENTRIES {
            if self.first.one_hot.val().get_bit(i) {
                self.leave_warp.next = self.warp[i].q.val();
                self.leave_mask.next = self.mask[i].q.val();
                self.leave_address.next = self.address[i].q.val();
            }
        }
        self.host.mask.next = self.none.val();
        if !self.enter_inside.val() {
            self.host.mask.next = self.same.result.val() & self.present.val() & !self.starts.q.val() & !self.gone.val();
        }
        self.enter_ready.next = (self.count.q.val() != self.most.val()) | self.leave_taken.val();
        self.joins.next = self.enter_valid.val() & self.enter_ready.val() & self.host.found.val();
        self.enters.next = self.enter_valid.val() & self.enter_ready.val() & !self.host.found.val();

        // Who goes leaves a gap that the others close; who enters stands behind them.
        self.tail.next = self.none.val();
        if self.enters.val() {
            self.tail.next = self.one.val() << self.count.q.val();
            if self.leave_taken.val() {
                self.tail.next = self.one.val() << (self.count.q.val() - 1);
            }
        }
        for i in 0..LINKS {
            self.joined[i].next = 0.into();
            self.warps[i].next = 0.into();
            self.addresses[i].next = 0.into();
        }
        for i in 0..ENTRIES {
            self.joined[i].next = self.mask[i].q.val();
            if self.joins.val() & self.host.one_hot.val().get_bit(i) {
                self.joined[i].next = self.mask[i].q.val() | self.enter_mask.val();
            }
            self.warps[i].next = self.warp[i].q.val();
            self.addresses[i].next = self.address[i].q.val();
        }
        for i in 0..ENTRIES {
            self.warp[i].clock.next = self.clock.val();
            self.warp[i].reset.next = self.reset.val();
            self.mask[i].clock.next = self.clock.val();
            self.mask[i].reset.next = self.reset.val();
            self.address[i].clock.next = self.clock.val();
            self.address[i].reset.next = self.reset.val();
            self.warp[i].d.next = self.warps[i].val();
            self.mask[i].d.next = self.joined[i].val();
            self.address[i].d.next = self.addresses[i].val();
            if self.behind.val().get_bit(i) {
                self.warp[i].d.next = self.warps[i + 1].val();
                self.mask[i].d.next = self.joined[i + 1].val();
                self.address[i].d.next = self.addresses[i + 1].val();
            }
            if self.tail.val().get_bit(i) {
                self.warp[i].d.next = self.enter_warp.val();
                self.mask[i].d.next = self.enter_mask.val();
                self.address[i].d.next = self.enter_address.val();
            }
        }
        self.starts_next.next =
            (self.starts.q.val() & !self.behind.val()) | ((self.starts.q.val() >> 1) & self.behind.val());
        self.starts.d.next = self.starts_next.val() & !self.tail.val();
        if self.enter_inside.val() {
            self.starts.d.next = self.starts_next.val() | self.tail.val();
        }
        // An entry is fresh for one cycle.
        self.fresh.d.next = self.none.val();
        if !self.enter_alone.val() {
            self.fresh.d.next = self.tail.val();
        }
        if self.enters.val() & !self.leave_taken.val() {
            self.count.d.next = self.count.q.val() + 1;
        } else if !self.enters.val() & self.leave_taken.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
    }
}
