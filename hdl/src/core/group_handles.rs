//! Handles of the warps' local memory: each warp that is launched gets one, a warp that leaves for a save area takes its own along and comes back with it,
//! that of a warp that has ended can be given out again once its row is free.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enable` | in | 1 | warps have local memory; stable from reset on. Without it nobody gets a handle |
//! | `launch_valid`, `launch_warp` | in | 1, `WARP_BITS` | a warp is launched, and gets the lowest free handle |
//! | `launch_resumes`, `launch_group` | in | 1, `GROUP_BITS` | it comes back instead, with this handle |
//! | `finish_valid`, `finish_warp` | in | 1, `WARP_BITS` | a warp has ended |
//! | `leave_valid`, `leave_warp`, `leave_group` | in, in, out | 1, `WARP_BITS`, `GROUP_BITS` | a warp leaves; its handle |
//! | `bind_*` | out, `ready` in | | a handle is to be bound to its warp; `fresh`: for the first time |
//! | `unbound` | out | `WARPS` | warps whose handle is not bound yet |
//! | `release_valid`, `release_warp` | out | 1, `WARP_BITS` | strobe: a warp has its handle no more |
//! | `of_warps`, `groups` | in, out | `WARPS`, `GROUPS` | some warps; their handles |
//! | `ended`, `ended_taken`, `ended_done` | out, in, in | `GROUPS`, 1, 1 | handles of warps that have ended; all of them are being freed; that is done |
//! | `freeing` | out | 1 | some of them are not free yet |
//! | `room` | out | 1 | there are handles for a core full of warps: a block may be taken |
//!
//! **Timing** a release comes in the cycle after its cause if no other is left, a handle is offered for its binding in the cycle after the launch if no release is left; one of each a
//! cycle.
//! `room`, `ended`, `unbound` and `freeing` follow from registers.
//! **Invariants** 1. no two warps have one handle. 2. a warp that is launched while blocks are taken in cycles of `room` only finds a handle. 3. a handle is bound
//! after every release that was due by then. 4. a handle is free from `ended_done` on, not before.
//! **Source** CX-01. **See also** `local_memory_unit`.

use crate::prelude::*;

block! {
    /// `WARPS` = 2^`WARP_BITS`, `GROUPS` = 2^`GROUP_BITS` handles, `COUNT_BITS` = `GROUP_BITS` + 1. See the module's page.
    pub struct GroupHandles<
        const WARPS: usize, const WARP_BITS: usize, const GROUPS: usize, const GROUP_BITS: usize, const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Warps have local memory.
            pub enable: Signal<In, Bit>,
            /// A warp is launched.
            pub launch_valid: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// It comes back.
            pub launch_resumes: Signal<In, Bit>,
            /// With this handle.
            pub launch_group: Signal<In, Bits<GROUP_BITS>>,
            /// A warp has ended.
            pub finish_valid: Signal<In, Bit>,
            /// Which.
            pub finish_warp: Signal<In, Bits<WARP_BITS>>,
            /// A warp leaves.
            pub leave_valid: Signal<In, Bit>,
            /// Which; also while it is only looked at.
            pub leave_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its handle.
            pub leave_group: Signal<Out, Bits<GROUP_BITS>>,
            /// A handle is to be bound.
            pub bind_valid: Signal<Out, Bit>,
            /// It is.
            pub bind_ready: Signal<In, Bit>,
            /// To this warp.
            pub bind_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub bind_group: Signal<Out, Bits<GROUP_BITS>>,
            /// For the first time.
            pub bind_fresh: Signal<Out, Bit>,
            /// Warps whose handle is not bound yet.
            pub unbound: Signal<Out, Bits<WARPS>>,
            /// A warp has its handle no more.
            pub release_valid: Signal<Out, Bit>,
            /// Which.
            pub release_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Some warps.
            pub of_warps: Signal<In, Bits<WARPS>>,
            /// Their handles.
            pub groups: Signal<Out, Bits<GROUPS>>,
            /// Handles of warps that have ended.
            pub ended: Signal<Out, Bits<GROUPS>>,
            /// All of these are being freed.
            pub ended_taken: Signal<In, Bit>,
            /// Those that were being freed are free.
            pub ended_done: Signal<In, Bit>,
            /// Handles of warps that have ended are not free yet.
            pub freeing: Signal<Out, Bit>,
            /// There are handles for a core full of warps.
            pub room: Signal<Out, Bit>,
        }
        parts {
            free: Register<Bits<GROUPS>> = Register::new(!bits::<GROUPS>(0)),
            waiting: Register<Bits<GROUPS>>,
            at_work: Register<Bits<GROUPS>>,
            holding: Register<Bits<WARPS>>,
            binding: Register<Bits<WARPS>>,
            returned: Register<Bits<WARPS>>,
            releasing: Register<Bits<WARPS>>,
            group_of: [Register<Bits<GROUP_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            next_free: LowestBit<GROUPS, GROUP_BITS>,
            next_bound: LowestBit<WARPS, WARP_BITS>,
            next_released: LowestBit<WARPS, WARP_BITS>,
            held: MaskUnion<WARPS, GROUPS>,
            chosen: MaskUnion<WARPS, GROUPS>,
            available: PopulationCount<GROUPS, COUNT_BITS>,
            launched: Signal<Local, Bits<WARPS>>,
            finished: Signal<Local, Bits<WARPS>>,
            gone: Signal<Local, Bits<WARPS>>,
            bound: Signal<Local, Bits<WARPS>>,
            given: Signal<Local, Bits<GROUP_BITS>>,
            finish_group: Signal<Local, Bits<GROUP_BITS>>,
            over: Signal<Local, Bits<GROUPS>>,
            freed: Signal<Local, Bits<GROUPS>>,
            one_warp: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            one_group: Constant<Bits<GROUPS>> = Constant::new(bits(1)),
            number: [Constant<Bits<WARP_BITS>>; WARPS] = std::array::from_fn(|warp| Constant::new(bits(warp as u64))),
            enough: Constant<Bits<COUNT_BITS>> = Constant::new(bits(WARPS as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const GROUPS: usize,
        const GROUP_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for GroupHandles<WARPS, WARP_BITS, GROUPS, GROUP_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, free, waiting, at_work, holding, binding, returned, releasing);

        // Who comes and who goes.
        self.launched.next = 0.into();
        if self.launch_valid.val() & self.enable.val() {
            self.launched.next = self.one_warp.val() << self.launch_warp.val();
        }
        self.finished.next = 0.into();
        if self.finish_valid.val() {
            self.finished.next = (self.one_warp.val() << self.finish_warp.val()) & self.holding.q.val();
        }
        self.gone.next = self.finished.val();
        if self.leave_valid.val() {
            self.gone.next =
                self.finished.val() | ((self.one_warp.val() << self.leave_warp.val()) & self.holding.q.val());
        }
        self.holding.d.next = (self.holding.q.val() & !self.gone.val()) | self.launched.val();

        // Which handle each has.
        self.next_free.mask.next = self.free.q.val();
        self.given.next = self.next_free.index.val();
        if self.launch_resumes.val() {
            self.given.next = self.launch_group.val();
        }
        self.finish_group.next = 0.into();
        self.leave_group.next = 0.into();
        self.bind_group.next = 0.into();
        for i in 0..WARPS {
            self.group_of[i].clock.next = self.clock.val();
            self.group_of[i].reset.next = self.reset.val();
            self.group_of[i].d.next = self.group_of[i].q.val();
            if self.launched.val().get_bit(i) {
                self.group_of[i].d.next = self.given.val();
            }
            if self.finish_warp.val() == self.number[i].val() {
                self.finish_group.next = self.group_of[i].q.val();
            }
            if self.leave_warp.val() == self.number[i].val() {
                self.leave_group.next = self.group_of[i].q.val();
            }
            if self.next_bound.index.val() == self.number[i].val() {
                self.bind_group.next = self.group_of[i].q.val();
            }
            self.held.masks[i].next = 0.into();
            if self.holding.q.val().get_bit(i) {
                self.held.masks[i].next = self.one_group.val() << self.group_of[i].q.val();
            }
            self.chosen.masks[i].next = 0.into();
            if (self.holding.q.val() & self.of_warps.val()).get_bit(i) {
                self.chosen.masks[i].next = self.one_group.val() << self.group_of[i].q.val();
            }
        }
        self.groups.next = self.chosen.result.val();

        // A handle is bound to its warp once nobody waits for a release: neither that of who was there before, nor its own on another warp.
        self.next_bound.mask.next = 0.into();
        if !self.releasing.q.val().any() {
            self.next_bound.mask.next = self.binding.q.val();
        }
        self.bind_valid.next = self.next_bound.found.val();
        self.bind_warp.next = self.next_bound.index.val();
        self.bind_fresh.next = !(self.returned.q.val() & self.next_bound.one_hot.val()).any();
        self.bound.next = 0.into();
        if self.bind_ready.val() {
            self.bound.next = self.next_bound.one_hot.val();
        }
        self.binding.d.next = (self.binding.q.val() & !self.bound.val()) | self.launched.val();
        self.returned.d.next = self.returned.q.val() & !self.launched.val();
        if self.launch_resumes.val() {
            self.returned.d.next = self.returned.q.val() | self.launched.val();
        }
        self.unbound.next = self.binding.q.val();
        self.next_released.mask.next = self.releasing.q.val();
        self.release_valid.next = self.next_released.found.val();
        self.release_warp.next = self.next_released.index.val();
        self.releasing.d.next = (self.releasing.q.val() & !self.next_released.one_hot.val()) | self.gone.val();

        // Handles of warps that have ended are freed, as many at once as there are.
        self.over.next = 0.into();
        if self.finished.val().any() {
            self.over.next = self.one_group.val() << self.finish_group.val();
        }
        self.waiting.d.next = self.waiting.q.val() | self.over.val();
        if self.ended_taken.val() {
            self.waiting.d.next = self.over.val();
            self.at_work.d.next = self.waiting.q.val();
        }
        self.freed.next = 0.into();
        if self.ended_done.val() {
            self.freed.next = self.at_work.q.val();
            self.at_work.d.next = 0.into();
        }
        self.free.d.next = self.free.q.val() | self.freed.val();
        if self.launched.val().any() & !self.launch_resumes.val() {
            self.free.d.next = (self.free.q.val() | self.freed.val()) & !self.next_free.one_hot.val();
        }
        self.ended.next = self.waiting.q.val();
        self.freeing.next = (self.waiting.q.val() | self.at_work.q.val()).any();
        self.available.mask.next = self.free.q.val() | self.held.result.val();
        self.room.next = self.available.count.val() >= self.enough.val();
    }
}
