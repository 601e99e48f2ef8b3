//! Whose request the barrier scheduler is asked next: launches and ends of thread blocks, and instructions of warps, first come first served.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `again_valid`, `again_slot` | in | 1, `WARP_BITS` | a slot whose end was refused; it goes to the back |
//! | `end_valid`, `end_slot` | in | 1, `WARP_BITS` | a slot whose warps have ended |
//! | `launch_valid`, `launch_slot` | in | 1, `WARP_BITS` | a slot whose first warp is launched |
//! | `present_valid`, `present_warp` | in | 1, `WARP_BITS` | a warp that presents an instruction |
//! | `front_valid`, `front_origin`, `front_index` | out | 1, 2, `WARP_BITS` | whose turn it is: warp, launch or end; its warp or slot |
//! | `front_new` | out | 1 | it is the warp that presents in this cycle |
//! | `leave` | in | 1 | its last request is accepted at this edge |
//!
//! **Timing** what enters an empty queue is in front in the same cycle; of what enters in one cycle, the ports are in the order above.
//! **Invariants** 1. first in, first out. 2. a slot is in the queue at most once, a warp too, so there is always room.
//! **Source** SM-07, BR-05.

use crate::prelude::*;

/// What is in front: the code of `front_origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// An instruction of a warp.
    Warp = 0,
    /// The launch of a block.
    Launch = 1,
    /// The end of a block.
    End = 2,
}

block! {
    /// `ENTRIES` = 2 × warps, `COUNT_BITS` = `WARP_BITS` + 2, `ENTRY_BITS` = `WARP_BITS` + 2, `LINKS` = `ENTRIES` + 1. See the module's page.
    pub struct BarrierQueue<
        const WARP_BITS: usize, const ENTRIES: usize, const LINKS: usize, const COUNT_BITS: usize, const ENTRY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The end of a block was refused.
            pub again_valid: Signal<In, Bit>,
            /// Its slot.
            pub again_slot: Signal<In, Bits<WARP_BITS>>,
            /// A block has ended.
            pub end_valid: Signal<In, Bit>,
            /// Its slot.
            pub end_slot: Signal<In, Bits<WARP_BITS>>,
            /// A block is launched.
            pub launch_valid: Signal<In, Bit>,
            /// Its slot.
            pub launch_slot: Signal<In, Bits<WARP_BITS>>,
            /// A warp presents an instruction.
            pub present_valid: Signal<In, Bit>,
            /// Which.
            pub present_warp: Signal<In, Bits<WARP_BITS>>,
            /// Something is in front.
            pub front_valid: Signal<Out, Bit>,
            /// A warp 0, a launch 1, an end 2.
            pub front_origin: Signal<Out, Bits<2>>,
            /// Its warp or slot.
            pub front_index: Signal<Out, Bits<WARP_BITS>>,
            /// It is the warp that presents in this cycle.
            pub front_new: Signal<Out, Bit>,
            /// It leaves.
            pub leave: Signal<In, Bit>,
        }
        parts {
            count: Register<Bits<COUNT_BITS>>,
            entries: [Register<Bits<ENTRY_BITS>>; ENTRIES] = std::array::from_fn(|_| Register::default()),
            line: [Signal<Local, Bits<ENTRY_BITS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            place: [Signal<Local, Bits<COUNT_BITS>>; 5] = std::array::from_fn(|_| Signal::default()),
            again: Signal<Local, Bits<ENTRY_BITS>>,
            ending: Signal<Local, Bits<ENTRY_BITS>>,
            launch: Signal<Local, Bits<ENTRY_BITS>>,
            present: Signal<Local, Bits<ENTRY_BITS>>,
            number: [Constant<Bits<COUNT_BITS>>; LINKS] = std::array::from_fn(|at| Constant::new(bits(at as u64))),
            origin_launch: Constant<Bits<ENTRY_BITS>> = Constant::new(bits((Origin::Launch as u64) << WARP_BITS)),
            origin_end: Constant<Bits<ENTRY_BITS>> = Constant::new(bits((Origin::End as u64) << WARP_BITS)),
            origin_at: Constant<Bits<4>> = Constant::new(bits(WARP_BITS as u64)),
            zero: Constant<Bits<COUNT_BITS>> = Constant::new(bits(0)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const ENTRIES: usize,
        const LINKS: usize,
        const COUNT_BITS: usize,
        const ENTRY_BITS: usize,
    > Logic for BarrierQueue<WARP_BITS, ENTRIES, LINKS, COUNT_BITS, ENTRY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.again.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.again_slot.val()) | self.origin_end.val();
        self.ending.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.end_slot.val()) | self.origin_end.val();
        self.launch.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.launch_slot.val()) | self.origin_launch.val();
        self.present.next = bit_cast::<ENTRY_BITS, WARP_BITS>(self.present_warp.val());

        // Where each of those that enter comes to stand.
        self.place[0].next = self.count.q.val();
        self.place[1].next = self.place[0].val() + bit_cast::<COUNT_BITS, 1>(self.again_valid.val().into());
        self.place[2].next = self.place[1].val() + bit_cast::<COUNT_BITS, 1>(self.end_valid.val().into());
        self.place[3].next = self.place[2].val() + bit_cast::<COUNT_BITS, 1>(self.launch_valid.val().into());
        self.place[4].next = self.place[3].val() + bit_cast::<COUNT_BITS, 1>(self.present_valid.val().into());
        for i in 0..LINKS {
            self.line[i].next = 0.into();
        }
        for i in 0..ENTRIES {
            self.line[i].next = self.entries[i].q.val();
            if self.again_valid.val() & (self.place[0].val() == self.number[i].val()) {
                self.line[i].next = self.again.val();
            }
            if self.end_valid.val() & (self.place[1].val() == self.number[i].val()) {
                self.line[i].next = self.ending.val();
            }
            if self.launch_valid.val() & (self.place[2].val() == self.number[i].val()) {
                self.line[i].next = self.launch.val();
            }
            if self.present_valid.val() & (self.place[3].val() == self.number[i].val()) {
                self.line[i].next = self.present.val();
            }
        }
        for i in 0..ENTRIES {
            self.entries[i].clock.next = self.clock.val();
            self.entries[i].reset.next = self.reset.val();
            self.entries[i].d.next = self.line[i].val();
            if self.leave.val() {
                self.entries[i].d.next = self.line[i + 1].val();
            }
        }
        self.count.d.next = self.place[4].val();
        if self.leave.val() {
            self.count.d.next = self.place[4].val() - 1;
        }

        self.front_valid.next = self.place[4].val().any();
        self.front_origin.next = self.line[0].val().get_bits::<2>(self.origin_at.val());
        self.front_index.next = self.line[0].val().get_bits::<WARP_BITS>(0);
        self.front_new.next = self.present_valid.val() & (self.place[3].val() == self.zero.val());
    }
}
