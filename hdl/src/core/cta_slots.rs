//! Which thread block runs on which warps: each fills the lowest free slot and the lowest free warps, and its warps are launched in order, one a cycle.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp_enable` | in | `WARPS` | warps, and the slots of the same number, that may hold a block |
//! | `block_threads` | in | 12 | threads of a block, at least 1 |
//! | `keeps` | in | 1 | a slot outlasts its warps until `retire_valid` |
//! | `block_valid`, `block_ready`, `block_*` | in, out | | a block of the grid; there is room for it |
//! | `launch_*` | out | | strobe: a warp is launched, with its place in its block, its threads and where its program begins |
//! | `finish_valid`, `finish_warp` | in | 1, `WARP_BITS` | a warp has ended |
//! | `finish_slot`, `finish_last` | out | `WARP_BITS`, 1 | its slot; no other warp of its block is left |
//! | `retire_valid`, `retire_slot` | in | 1, `WARP_BITS` | a slot is free again; it counts as such in this cycle |
//! | `look_warp`, `look_slot`, `look_place` | in, out | `WARP_BITS` each | slot and place in its block of a warp that was launched |
//! | `resume_valid`, `resume_ready`, `resume_*` | in, out, in | | a block that was suspended wants room, before any of the grid; how many warps, where, its record |
//! | `resume_launch`, `resume_place`, `resume_threads`, `resume_launched` | in, out | | its next warp is launched, unless another one is |
//! | `hold_slot`, `hold_*` | in, out | | a slot looked at: its warps, whether some wait for their launch, its block's record if `hold_clear` |
//! | `hold_leaves` | in | 1 | strobe: the block in that slot leaves it |
//! | `occupied`, `taken` | out | `WARPS` each | warps that have a block; slots that hold one, without the one that is retired in this cycle |
//!
//! **Timing** a block that is taken has its warps from the next cycle on, and they are launched from then on, one a cycle, after those of the
//! blocks before it. A warp that ends is free from the next cycle on. `block_ready` depends on `retire_valid`.
//! **Invariants** 1. a warp belongs to at most one block. 2. no warp of a block is taken over before it has ended. 3. the places of a block are 0 to its
//! number of warps - 1, the lowest warp first; only the last place may have fewer threads than a warp. 4. a block is taken whenever there are a slot and
//! warps enough, one that was suspended first. 5. it gets the lowest of them. 6. a warp that ends is told with its slot, and whether it is the last one
//! there. 7. each warp of a block is launched once, the lowest first, as the block says; blocks of the grid in the order in which they came.
//! **Source** SM-03.

use crate::prelude::*;

block! {
    /// `WARPS` = 2^`WARP_BITS` warps of `THREADS` = 2^`THREAD_BITS` threads; `COUNT_BITS` = `WARP_BITS` + 1, `BLOCK_BITS` = `ADDRESS_BITS` + 56. See the module's page.
    pub struct CtaSlots<
        const WARPS: usize, const WARP_BITS: usize, const COUNT_BITS: usize, const THREADS: usize, const THREAD_BITS: usize,
        const ADDRESS_BITS: usize, const BLOCK_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Warps, and slots, that may hold a block.
            pub warp_enable: Signal<In, Bits<WARPS>>,
            /// Threads of a block.
            pub block_threads: Signal<In, Bits<12>>,
            /// A slot outlasts its warps.
            pub keeps: Signal<In, Bit>,
            /// A block is offered.
            pub block_valid: Signal<In, Bit>,
            /// There is room for a block.
            pub block_ready: Signal<Out, Bit>,
            /// The block's x.
            pub block_x: Signal<In, Bits<16>>,
            /// Its y.
            pub block_y: Signal<In, Bits<16>>,
            /// Its z.
            pub block_z: Signal<In, Bits<16>>,
            /// Its grid.
            pub block_grid: Signal<In, Bits<8>>,
            /// First instruction of its program.
            pub block_program: Signal<In, Bits<ADDRESS_BITS>>,
            /// A warp is launched.
            pub launch_valid: Signal<Out, Bit>,
            /// Which.
            pub launch_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub launch_slot: Signal<Out, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub launch_place: Signal<Out, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_threads: Signal<Out, Bits<THREADS>>,
            /// First instruction of its program.
            pub launch_program: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its block's x.
            pub launch_x: Signal<Out, Bits<16>>,
            /// Its block's y.
            pub launch_y: Signal<Out, Bits<16>>,
            /// Its block's z.
            pub launch_z: Signal<Out, Bits<16>>,
            /// Its block's grid.
            pub launch_grid: Signal<Out, Bits<8>>,
            /// A warp has ended.
            pub finish_valid: Signal<In, Bit>,
            /// Which.
            pub finish_warp: Signal<In, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub finish_slot: Signal<Out, Bits<WARP_BITS>>,
            /// It is the last one of its block.
            pub finish_last: Signal<Out, Bit>,
            /// A slot is free again.
            pub retire_valid: Signal<In, Bit>,
            /// Which.
            pub retire_slot: Signal<In, Bits<WARP_BITS>>,
            /// The warp looked at.
            pub look_warp: Signal<In, Bits<WARP_BITS>>,
            /// The slot of its block.
            pub look_slot: Signal<Out, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub look_place: Signal<Out, Bits<WARP_BITS>>,
            /// A block that was suspended wants room.
            pub resume_valid: Signal<In, Bit>,
            /// There is.
            pub resume_ready: Signal<Out, Bit>,
            /// In this slot.
            pub resume_slot: Signal<Out, Bits<WARP_BITS>>,
            /// Slots and warps that it may have.
            pub resume_warps: Signal<In, Bits<WARPS>>,
            /// How many warps it needs.
            pub resume_count: Signal<In, Bits<COUNT_BITS>>,
            /// Its record.
            pub resume_record: Signal<In, Bits<BLOCK_BITS>>,
            /// Its next warp may be launched.
            pub resume_launch: Signal<In, Bit>,
            /// With this number in its block.
            pub resume_place: Signal<In, Bits<WARP_BITS>>,
            /// These threads.
            pub resume_threads: Signal<In, Bits<THREADS>>,
            /// It is, at this edge.
            pub resume_launched: Signal<Out, Bit>,
            /// A slot looked at.
            pub hold_slot: Signal<In, Bits<WARP_BITS>>,
            /// Its warps.
            pub hold_warps: Signal<Out, Bits<WARPS>>,
            /// Some of them wait for their launch.
            pub hold_pending: Signal<Out, Bit>,
            /// Its block.
            pub hold_record: Signal<Out, Bits<BLOCK_BITS>>,
            /// No launch is in the way: the record is shown, and a warp that was suspended can be launched.
            pub hold_clear: Signal<Out, Bit>,
            /// The block there leaves.
            pub hold_leaves: Signal<In, Bit>,
            /// Warps that have a block.
            pub occupied: Signal<Out, Bits<WARPS>>,
            /// Slots that hold one.
            pub taken: Signal<Out, Bits<WARPS>>,
        }
        parts {
            filled: Register<Bits<WARPS>>,
            pending: Register<Bits<WARPS>>,
            resuming: Register<Bits<WARPS>>,
            used: Register<Bits<WARPS>>,
            slot_of: [Register<Bits<WARP_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            places: RegisterFile<WARP_BITS, WARP_BITS>,
            blocks: RegisterFile<WARP_BITS, BLOCK_BITS>,
            order: RegisterFile<WARP_BITS, WARP_BITS>,
            order_first: Register<Bits<WARP_BITS>>,
            order_free: Register<Bits<WARP_BITS>>,
            place: Register<Bits<WARP_BITS>>,
            free_count: PopulationCount<WARPS, COUNT_BITS>,
            ranks: [PopulationCount<WARPS, COUNT_BITS>; WARPS] = std::array::from_fn(|_| PopulationCount::default()),
            chosen: MaskUnion<WARPS, WARPS>,
            ours: MaskUnion<WARPS, WARPS>,
            fellows: MaskUnion<WARPS, WARPS>,
            slot: LowestBit<WARPS, WARP_BITS>,
            #[reads_back(mask)]
            next_warp: LowestBit<WARPS, WARP_BITS>,
            next_resumed: LowestBit<WARPS, WARP_BITS>,
            held: MaskUnion<WARPS, WARPS>,
            needed: Signal<Local, Bits<12>>,
            wanted: Signal<Local, Bits<COUNT_BITS>>,
            rest: Signal<Local, Bits<THREAD_BITS>>,
            free: Signal<Local, Bits<WARPS>>,
            free_slots: Signal<Local, Bits<WARPS>>,
            room: Signal<Local, Bit>,
            taking: Signal<Local, Bit>,
            begins: Signal<Local, Bit>,
            launching: Signal<Local, Bit>,
            released: Signal<Local, Bits<WARPS>>,
            ended: Signal<Local, Bits<WARPS>>,
            emptied: Signal<Local, Bits<WARPS>>,
            left: Signal<Local, Bits<WARPS>>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            one_thread: Constant<Bits<THREADS>> = Constant::new(bits(1)),
            thread_bits: Constant<Bits<4>> = Constant::new(bits(THREAD_BITS as u64)),
            below: [Constant<Bits<WARPS>>; WARPS] = std::array::from_fn(|warp| Constant::new(bits((1 << warp) - 1))),
            number: [Constant<Bits<WARP_BITS>>; WARPS] = std::array::from_fn(|warp| Constant::new(bits(warp as u64))),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const COUNT_BITS: usize,
        const THREADS: usize,
        const THREAD_BITS: usize,
        const ADDRESS_BITS: usize,
        const BLOCK_BITS: usize,
    > Logic for CtaSlots<WARPS, WARP_BITS, COUNT_BITS, THREADS, THREAD_BITS, ADDRESS_BITS, BLOCK_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, filled, pending, resuming, used, order_first, order_free, place);
        clock!(self, clock, places, blocks, order);
        // The warp of the last thread is the last one: 12 bits have no room for the threads rounded up.
        self.needed.next = ((self.block_threads.val() - 1) >> self.thread_bits.val()) + 1;
        if self.resume_valid.val() {
            self.needed.next = bit_cast::<12, COUNT_BITS>(self.resume_count.val());
        }
        self.wanted.next = bit_cast::<COUNT_BITS, 12>(self.needed.val());
        self.rest.next = bit_cast::<THREAD_BITS, 12>(self.block_threads.val());

        // A warp has ended; is another one left that has the same slot?
        self.ended.next = self.none.val();
        if self.finish_valid.val() {
            self.ended.next = self.one.val() << self.finish_warp.val();
        }
        self.finish_slot.next = 0.into();
        self.look_slot.next = 0.into();
        for i in 0..WARPS {
            if self.finish_warp.val() == self.number[i].val() {
                self.finish_slot.next = self.slot_of[i].q.val();
            }
            if self.look_warp.val() == self.number[i].val() {
                self.look_slot.next = self.slot_of[i].q.val();
            }
        }
        for i in 0..WARPS {
            self.fellows.masks[i].next =
                self.none.val().replace_bit(i, self.slot_of[i].q.val() == self.finish_slot.val());
        }
        self.finish_last.next =
            self.finish_valid.val() & !(self.fellows.result.val() & self.filled.q.val() & !self.ended.val()).any();
        self.emptied.next = self.none.val();
        self.left.next = self.none.val();
        if self.keeps.val() & self.retire_valid.val() {
            self.emptied.next = self.one.val() << self.retire_slot.val();
        }
        if self.finish_last.val() & !self.keeps.val() {
            self.left.next = self.one.val() << self.finish_slot.val();
        }

        // The block looked at.
        for i in 0..WARPS {
            self.held.masks[i].next = self.none.val().replace_bit(i, self.slot_of[i].q.val() == self.hold_slot.val());
        }
        self.hold_warps.next = self.held.result.val() & self.filled.q.val();
        self.hold_pending.next =
            (self.held.result.val() & self.filled.q.val() & (self.pending.q.val() | self.resuming.q.val())).any();
        self.released.next = self.none.val();
        if self.hold_leaves.val() {
            self.released.next = self.one.val() << self.hold_slot.val();
        }

        // Room for a block: a slot, and warps; it gets the lowest ones. One that was suspended goes first.
        self.free.next = self.warp_enable.val() & !self.filled.q.val();
        self.free_slots.next = self.warp_enable.val() & (!self.used.q.val() | self.emptied.val());
        if self.resume_valid.val() {
            self.free.next = self.warp_enable.val() & !self.filled.q.val() & self.resume_warps.val();
            self.free_slots.next =
                self.warp_enable.val() & (!self.used.q.val() | self.emptied.val()) & self.resume_warps.val();
        }
        self.free_count.mask.next = self.free.val();
        self.room.next = self.free_slots.val().any()
            & (bit_cast::<12, COUNT_BITS>(self.free_count.count.val()) >= self.needed.val());
        self.block_ready.next = self.room.val() & !self.resume_valid.val();
        self.resume_ready.next = self.room.val() & self.resume_valid.val();
        self.resume_slot.next = self.slot.index.val();
        self.taking.next = self.room.val() & (self.block_valid.val() | self.resume_valid.val());
        self.begins.next = self.block_valid.val() & self.block_ready.val();
        self.slot.mask.next = self.free_slots.val();
        for i in 0..WARPS {
            self.ranks[i].mask.next = self.free.val() & self.below[i].val();
            self.chosen.masks[i].next = self.none.val().replace_bit(
                i,
                self.taking.val() & self.free.val().get_bit(i) & (self.ranks[i].count.val() < self.wanted.val()),
            );
            self.slot_of[i].clock.next = self.clock.val();
            self.slot_of[i].reset.next = self.reset.val();
            self.slot_of[i].d.next = self.slot_of[i].q.val();
            if self.chosen.result.val().get_bit(i) {
                self.slot_of[i].d.next = self.slot.index.val();
            }
        }
        self.blocks.write_enable.next = self.taking.val();
        self.blocks.write_address.next = self.slot.index.val();
        self.blocks.write_data.next = bit_cast::<BLOCK_BITS, 16>(self.block_x.val())
            | (bit_cast::<BLOCK_BITS, 16>(self.block_y.val()) << 16)
            | (bit_cast::<BLOCK_BITS, 16>(self.block_z.val()) << 32)
            | (bit_cast::<BLOCK_BITS, 8>(self.block_grid.val()) << 48)
            | (bit_cast::<BLOCK_BITS, ADDRESS_BITS>(self.block_program.val()) << 56);
        if self.resume_valid.val() {
            self.blocks.write_data.next = self.resume_record.val();
        }
        self.order.write_enable.next = self.begins.val();
        self.order.write_address.next = self.order_free.q.val();
        self.order.write_data.next = self.slot.index.val();
        if self.begins.val() {
            self.order_free.d.next = self.order_free.q.val() + 1;
        }

        // The oldest block with warps to launch: the lowest of them is next. If there is none, one that was suspended.
        self.order.read_address.next = self.order_first.q.val();
        self.launch_slot.next = self.order.read_data.val();
        for i in 0..WARPS {
            self.ours.masks[i].next =
                self.none.val().replace_bit(i, self.slot_of[i].q.val() == self.order.read_data.val());
        }
        self.next_warp.mask.next = self.ours.result.val() & self.pending.q.val();
        self.next_resumed.mask.next = self.resuming.q.val();
        self.launching.next = self.pending.q.val().any();
        self.hold_clear.next = !self.launching.val();
        self.resume_launched.next = self.resume_launch.val() & !self.launching.val();
        self.launch_valid.next = self.launching.val() | self.resume_launch.val();
        self.launch_warp.next = self.next_warp.index.val();
        self.launch_place.next = self.place.q.val();
        self.launch_threads.next = !bits::<THREADS>(0);
        if bit_cast::<12, WARP_BITS>(self.place.q.val()) == (self.block_threads.val() >> self.thread_bits.val()) {
            self.launch_threads.next = (self.one_thread.val() << self.rest.val()) - 1;
        }
        if !self.launching.val() {
            self.launch_slot.next = self.hold_slot.val();
            self.launch_warp.next = self.next_resumed.index.val();
            self.launch_place.next = self.resume_place.val();
            self.launch_threads.next = self.resume_threads.val();
        }
        self.blocks.read_address.next = self.launch_slot.val();
        self.launch_x.next = self.blocks.read_data.val().get_bits::<16>(0);
        self.launch_y.next = self.blocks.read_data.val().get_bits::<16>(16);
        self.launch_z.next = self.blocks.read_data.val().get_bits::<16>(32);
        self.launch_grid.next = self.blocks.read_data.val().get_bits::<8>(48);
        self.launch_program.next = self.blocks.read_data.val().get_bits::<ADDRESS_BITS>(56);
        self.hold_record.next = self.blocks.read_data.val();
        if self.launching.val() {
            self.place.d.next = self.place.q.val() + 1;
            if !(self.next_warp.mask.val() & !self.next_warp.one_hot.val()).any() {
                self.place.d.next = 0.into();
                self.order_first.d.next = self.order_first.q.val() + 1;
            }
        }
        self.places.write_enable.next = self.launch_valid.val();
        self.places.write_address.next = self.launch_warp.val();
        self.places.write_data.next = self.launch_place.val();
        self.places.read_address.next = self.look_warp.val();
        self.look_place.next = self.places.read_data.val();

        self.filled.d.next = (self.filled.q.val() & !self.ended.val()) | self.chosen.result.val();
        if self.hold_leaves.val() {
            self.filled.d.next =
                (self.filled.q.val() & !self.ended.val() & !self.held.result.val()) | self.chosen.result.val();
        }
        self.pending.d.next = self.pending.q.val() & !self.next_warp.one_hot.val();
        if self.begins.val() {
            self.pending.d.next = (self.pending.q.val() & !self.next_warp.one_hot.val()) | self.chosen.result.val();
        }
        if self.resume_ready.val() {
            self.resuming.d.next = self.chosen.result.val();
        } else if self.resume_launched.val() {
            self.resuming.d.next = self.resuming.q.val() & !self.next_resumed.one_hot.val();
        }
        self.used.d.next = self.used.q.val() & !self.emptied.val() & !self.left.val() & !self.released.val();
        if self.taking.val() {
            self.used.d.next = (self.used.q.val() & !self.emptied.val() & !self.left.val() & !self.released.val())
                | self.slot.one_hot.val();
        }
        self.occupied.next = self.filled.q.val();
        self.taken.next = self.used.q.val() & !self.emptied.val();
    }
}
