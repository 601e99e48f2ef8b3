//! The instruction of each warp that the barrier scheduler answers, from its issue until its answer is carried out.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `write_*` | in | a warp presents an instruction |
//! | `front_warp`, `front_new`, `front_*` | in, out | the instruction of one warp; `front_new`: the one that is being written |
//! | `look_warp`, `look_*` | in, out | the instruction of another |
//!
//! **Timing** reads are combinational, a write shows in the next cycle, at the front with `front_new` in the same.
//! **Source** SM-07.

use crate::prelude::*;

/// Bits of an instruction on its way beside those that name its slot and place: word 64, address 22, operand 24.
pub const FLIGHT_BITS: usize = 110;

block! {
    /// `RECORD_BITS` = [`FLIGHT_BITS`] + 2 × `WARP_BITS`, `PAIR_BITS` = 2 × `THREADS`. See the module's page.
    pub struct FlightTable<
        const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const RECORD_BITS: usize, const PAIR_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// A warp presents an instruction.
            pub write_enable: Signal<In, Bit>,
            /// Which.
            pub write_warp: Signal<In, Bits<WARP_BITS>>,
            /// The instruction.
            pub write_word: Signal<In, Bits<64>>,
            /// Where it is.
            pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// What of it comes from registers.
            pub write_operand: Signal<In, Bits<24>>,
            /// The slot of the warp's block.
            pub write_slot: Signal<In, Bits<WARP_BITS>>,
            /// The warp's number in its block.
            pub write_place: Signal<In, Bits<WARP_BITS>>,
            /// Threads that issue it.
            pub write_active: Signal<In, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub write_named: Signal<In, Bits<THREADS>>,
            /// Those for which the scheduler is asked.
            pub write_threads: Signal<In, Bits<THREADS>>,
            /// Whose instruction is asked for.
            pub front_warp: Signal<In, Bits<WARP_BITS>>,
            /// It is being written.
            pub front_new: Signal<In, Bit>,
            /// The instruction.
            pub front_word: Signal<Out, Bits<64>>,
            /// Where it is.
            pub front_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// What of it comes from registers.
            pub front_operand: Signal<Out, Bits<24>>,
            /// The slot of the warp's block.
            pub front_slot: Signal<Out, Bits<WARP_BITS>>,
            /// The warp's number in its block.
            pub front_place: Signal<Out, Bits<WARP_BITS>>,
            /// Threads that issue it.
            pub front_active: Signal<Out, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub front_named: Signal<Out, Bits<THREADS>>,
            /// Those for which the scheduler is asked.
            pub front_threads: Signal<Out, Bits<THREADS>>,
            /// Whose instruction is looked at.
            pub look_warp: Signal<In, Bits<WARP_BITS>>,
            /// The instruction.
            pub look_word: Signal<Out, Bits<64>>,
            /// Where it is.
            pub look_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Threads that issue it.
            pub look_active: Signal<Out, Bits<THREADS>>,
            /// Those in which its guard holds.
            pub look_named: Signal<Out, Bits<THREADS>>,
        }
        parts {
            front_records: RegisterFile<WARP_BITS, RECORD_BITS>,
            front_masks: RegisterFile<WARP_BITS, PAIR_BITS>,
            front_asked: RegisterFile<WARP_BITS, THREADS>,
            look_records: RegisterFile<WARP_BITS, RECORD_BITS>,
            look_masks: RegisterFile<WARP_BITS, PAIR_BITS>,
            record: Signal<Local, Bits<RECORD_BITS>>,
            pair: Signal<Local, Bits<PAIR_BITS>>,
            front: Signal<Local, Bits<RECORD_BITS>>,
            front_pair: Signal<Local, Bits<PAIR_BITS>>,
            named_at: Constant<Bits<7>> = Constant::new(bits(THREADS as u64)),
            place_at: Constant<Bits<7>> = Constant::new(bits((FLIGHT_BITS + WARP_BITS) as u64)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const RECORD_BITS: usize,
        const PAIR_BITS: usize,
    > Logic for FlightTable<WARP_BITS, THREADS, ADDRESS_BITS, RECORD_BITS, PAIR_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front_records, front_masks, front_asked, look_records, look_masks);
        self.record.next = bit_cast::<RECORD_BITS, 64>(self.write_word.val())
            | (bit_cast::<RECORD_BITS, ADDRESS_BITS>(self.write_address.val()) << 64)
            | (bit_cast::<RECORD_BITS, 24>(self.write_operand.val()) << 86)
            | (bit_cast::<RECORD_BITS, WARP_BITS>(self.write_slot.val()) << 110)
            | (bit_cast::<RECORD_BITS, WARP_BITS>(self.write_place.val()) << self.place_at.val());
        self.pair.next = bit_cast::<PAIR_BITS, THREADS>(self.write_active.val())
            | (bit_cast::<PAIR_BITS, THREADS>(self.write_named.val()) << self.named_at.val());
        self.front_records.write_enable.next = self.write_enable.val();
        self.front_records.write_address.next = self.write_warp.val();
        self.front_records.write_data.next = self.record.val();
        self.front_masks.write_enable.next = self.write_enable.val();
        self.front_masks.write_address.next = self.write_warp.val();
        self.front_masks.write_data.next = self.pair.val();
        self.front_asked.write_enable.next = self.write_enable.val();
        self.front_asked.write_address.next = self.write_warp.val();
        self.front_asked.write_data.next = self.write_threads.val();
        self.look_records.write_enable.next = self.write_enable.val();
        self.look_records.write_address.next = self.write_warp.val();
        self.look_records.write_data.next = self.record.val();
        self.look_masks.write_enable.next = self.write_enable.val();
        self.look_masks.write_address.next = self.write_warp.val();
        self.look_masks.write_data.next = self.pair.val();

        self.front_records.read_address.next = self.front_warp.val();
        self.front_masks.read_address.next = self.front_warp.val();
        self.front_asked.read_address.next = self.front_warp.val();
        self.front.next = self.front_records.read_data.val();
        self.front_pair.next = self.front_masks.read_data.val();
        self.front_threads.next = self.front_asked.read_data.val();
        if self.front_new.val() {
            self.front.next = self.record.val();
            self.front_pair.next = self.pair.val();
            self.front_threads.next = self.write_threads.val();
        }
        self.front_word.next = self.front.val().get_bits::<64>(0);
        self.front_address.next = self.front.val().get_bits::<ADDRESS_BITS>(64);
        self.front_operand.next = self.front.val().get_bits::<24>(86);
        self.front_slot.next = self.front.val().get_bits::<WARP_BITS>(110);
        self.front_place.next = self.front.val().get_bits::<WARP_BITS>(self.place_at.val());
        self.front_active.next = self.front_pair.val().get_bits::<THREADS>(0);
        self.front_named.next = self.front_pair.val().get_bits::<THREADS>(self.named_at.val());

        self.look_records.read_address.next = self.look_warp.val();
        self.look_masks.read_address.next = self.look_warp.val();
        self.look_word.next = self.look_records.read_data.val().get_bits::<64>(0);
        self.look_address.next = self.look_records.read_data.val().get_bits::<ADDRESS_BITS>(64);
        self.look_active.next = self.look_masks.read_data.val().get_bits::<THREADS>(0);
        self.look_named.next = self.look_masks.read_data.val().get_bits::<THREADS>(self.named_at.val());
    }
}
