//! From the scheduler's wake-ups, in threads of its blocks, to wake-ups of warps, on their way to the divergence engine.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `launch_*` | in | a warp is launched: where the threads of its block are found |
//! | `enter_*` | in, `enter_ready` out | a wake-up of the scheduler |
//! | `woken_*` | out | strobe: threads of a warp are on their way |
//! | `blocked`, `leave_*`, `waiting`, `empty` | | as at `wake_queue` |
//!
//! A block of the scheduler is a part of a warp, or several warps, which are woken one a cycle.
//!
//! **Timing** that of `wake_queue`. **Invariants** those of `wake_queue`. **Source** SM-07, BR-02.

use super::wake_queue::{WakeQueue, CAPACITY};
use crate::barrier::operation::ADDRESS_BITS;
use crate::prelude::*;

block! {
    /// `MAP_BITS` = 2 × `WARP_BITS`, `HALVES` = max(1, `BLOCK_THREADS` / `THREADS`). See the module's page.
    pub struct BarrierWakes<
        const WARPS: usize, const WARP_BITS: usize, const MAP_BITS: usize, const THREADS: usize, const THREAD_BITS: usize,
        const BLOCK_THREADS: usize, const OFFSET_BITS: usize, const HALVES: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is launched.
            pub launch_valid: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub launch_slot: Signal<In, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub launch_place: Signal<In, Bits<WARP_BITS>>,
            /// The scheduler wakes threads.
            pub enter_valid: Signal<In, Bit>,
            /// All of them are on their way.
            pub enter_ready: Signal<Out, Bit>,
            /// The slot of their block.
            pub enter_slot: Signal<In, Bits<WARP_BITS>>,
            /// The scheduler's block of threads.
            pub enter_block: Signal<In, Bits<3>>,
            /// Its threads.
            pub enter_mask: Signal<In, Bits<BLOCK_THREADS>>,
            /// Where they go on.
            pub enter_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// A section starts.
            pub enter_inside: Signal<In, Bit>,
            /// Threads of a warp are on their way.
            pub woken_valid: Signal<Out, Bit>,
            /// Whose.
            pub woken_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub woken_mask: Signal<Out, Bits<THREADS>>,
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
            woken: Register<Bits<HALVES>>,
            warp_at: RegisterFile<MAP_BITS, WARP_BITS>,
            #[reads_back(enter_mask)]
            wakes: WakeQueue<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, CAPACITY, { CAPACITY + 1 }, 5>,
            halves: MaskUnion<HALVES, HALVES>,
            #[reads_back(mask)]
            half: LowestBit<HALVES, 1>,
            rank: Signal<Local, Bits<12>>,
            skew: Signal<Local, Bits<12>>,
            last_half: Signal<Local, Bit>,
            no_half: Constant<Bits<HALVES>> = Constant::new(bits(0)),
            skews: [Constant<Bits<12>>; HALVES] = std::array::from_fn(|half| Constant::new(bits((half * THREADS) as u64))),
            alone: Constant<Bits<1>> = Constant::new(bits((BLOCK_THREADS >= THREADS) as u64)),
            thread_bits: Constant<Bits<4>> = Constant::new(bits(THREAD_BITS as u64)),
            offset_bits: Constant<Bits<4>> = Constant::new(bits(OFFSET_BITS as u64)),
            thread_mask: Constant<Bits<12>> = Constant::new(bits(THREADS as u64 - 1)),
            warp_bits: Constant<Bits<4>> = Constant::new(bits(WARP_BITS as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const MAP_BITS: usize,
        const THREADS: usize,
        const THREAD_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
        const HALVES: usize,
    > Logic for BarrierWakes<WARPS, WARP_BITS, MAP_BITS, THREADS, THREAD_BITS, BLOCK_THREADS, OFFSET_BITS, HALVES>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, woken);
        clock!(self, clock, warp_at, wakes);
        self.wakes.reset.next = self.reset.val();

        // The warps that the block has threads of, and the one that is woken now.
        for i in 0..HALVES {
            self.halves.masks[i].next = self
                .no_half
                .val()
                .replace_bit(i, (self.enter_mask.val() >> self.skews[i].val()).get_bits::<THREADS>(0).any());
        }
        self.half.mask.next = self.halves.result.val() & !self.woken.q.val();
        self.skew.next = 0.into();
        for i in 0..HALVES {
            if self.half.one_hot.val().get_bit(i) {
                self.skew.next = self.skews[i].val();
            }
        }
        self.last_half.next = !(self.half.mask.val() & !self.half.one_hot.val()).any();
        self.enter_ready.next = self.wakes.enter_ready.val() & self.last_half.val();
        if self.enter_valid.val() & self.wakes.enter_ready.val() {
            self.woken.d.next = self.woken.q.val() | self.half.one_hot.val();
            if self.last_half.val() {
                self.woken.d.next = self.no_half.val();
            }
        }

        // Where they are: the warp at a place of the block in a slot.
        self.rank.next = (bit_cast::<12, 3>(self.enter_block.val()) << self.offset_bits.val()) + self.skew.val();
        self.warp_at.write_enable.next = self.launch_valid.val();
        self.warp_at.write_address.next = bit_cast::<MAP_BITS, WARP_BITS>(self.launch_place.val())
            | (bit_cast::<MAP_BITS, WARP_BITS>(self.launch_slot.val()) << self.warp_bits.val());
        self.warp_at.write_data.next = self.launch_warp.val();
        self.warp_at.read_address.next = bit_cast::<MAP_BITS, 12>(self.rank.val() >> self.thread_bits.val())
            | (bit_cast::<MAP_BITS, WARP_BITS>(self.enter_slot.val()) << self.warp_bits.val());

        self.wakes.enter_valid.next = self.enter_valid.val();
        self.wakes.enter_warp.next = self.warp_at.read_data.val();
        self.wakes.enter_mask.next = bit_cast::<THREADS, BLOCK_THREADS>(self.enter_mask.val() >> self.skew.val())
            << (self.rank.val() & self.thread_mask.val());
        self.wakes.enter_address.next = self.enter_address.val();
        self.wakes.enter_inside.next = self.enter_inside.val();
        self.wakes.enter_alone.next = self.enter_inside.val() | self.alone.val().any();
        self.woken_valid.next = self.enter_valid.val() & self.wakes.enter_ready.val();
        self.woken_warp.next = self.warp_at.read_data.val();
        self.woken_mask.next = self.wakes.enter_mask.val();
        self.wakes.blocked.next = self.blocked.val();
        self.leave_valid.next = self.wakes.leave_valid.val();
        self.leave_warp.next = self.wakes.leave_warp.val();
        self.leave_mask.next = self.wakes.leave_mask.val();
        self.leave_address.next = self.wakes.leave_address.val();
        self.wakes.leave_taken.next = self.leave_taken.val();
        self.waiting.next = self.wakes.waiting.val();
        self.empty.next = self.wakes.empty.val();
    }
}
