//! Which physical thread block is the n-th of its CTA, and how many it has. Logical ids are given in the order of launch.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `write_enable`, `write_cta`, `write_data` | in | 1, `CTA_BITS`, 64 | a launch: thread count from bit 0, `BLOCK_BITS` a logical block from bit 16 on |
//! | `saved` | out | 64 | the launch of `write_cta`, a last block counting as full |
//! | `walk_cta`, `walk_logical` | in | `CTA_BITS`, `BLOCK_BITS` | the logical block that wake-ups of a release ask for |
//! | `walk_block`, `walk_last` | out | `BLOCK_BITS`, 1 | its physical block; the CTA has none after it |
//! | `select_cta`, `select_logical` | in | `CTA_BITS`, `BLOCK_BITS` | the logical block that the selection of a section asks for |
//! | `select_block`, `select_last` | out | `BLOCK_BITS`, 1 | likewise |
//!
//! **Timing** reads are combinational, a write shows in the next cycle. Contents are undefined until the CTA is launched.
//! **Invariants** 1. a partial last block counts: the last logical block is (threads - 1) / `BLOCK_THREADS`. 2. walk and selection see
//! the physical blocks that the launch said. 3. what is `saved` launches a CTA with the same blocks.
//! **Sizes** `MAP_BITS` = `BLOCKS` × `BLOCK_BITS`, `BLOCK_BITS` ≤ 3, `BLOCK_THREADS` = 2^`OFFSET_BITS`.
//! **Source** US 9,448,803, logical ids; BR-02, BR-05, CX-09.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct LogicalMap<
        const CTA_BITS: usize,
        const BLOCK_BITS: usize,
        const MAP_BITS: usize,
        const OFFSET_BITS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high; the map has nothing to reset.
            pub reset: Signal<In, Bit>,
            /// A CTA is launched.
            pub write_enable: Signal<In, Bit>,
            /// Which.
            pub write_cta: Signal<In, Bits<CTA_BITS>>,
            /// Its thread count and map.
            pub write_data: Signal<In, Bits<64>>,
            /// The operand of a launch with the map of that CTA.
            pub saved: Signal<Out, Bits<64>>,
            /// CTA whose release is walked.
            pub walk_cta: Signal<In, Bits<CTA_BITS>>,
            /// The walk's logical block.
            pub walk_logical: Signal<In, Bits<BLOCK_BITS>>,
            /// Its physical block.
            pub walk_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// It is the CTA's last.
            pub walk_last: Signal<Out, Bit>,
            /// CTA whose section selects a thread.
            pub select_cta: Signal<In, Bits<CTA_BITS>>,
            /// The selection's logical block.
            pub select_logical: Signal<In, Bits<BLOCK_BITS>>,
            /// Its physical block.
            pub select_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// It is the CTA's last.
            pub select_last: Signal<Out, Bit>,
        }
        parts {
            walk_map: RegisterFile<CTA_BITS, MAP_BITS>,
            walk_end: RegisterFile<CTA_BITS, BLOCK_BITS>,
            select_map: RegisterFile<CTA_BITS, MAP_BITS>,
            select_end: RegisterFile<CTA_BITS, BLOCK_BITS>,
            saved_map: RegisterFile<CTA_BITS, MAP_BITS>,
            saved_end: RegisterFile<CTA_BITS, BLOCK_BITS>,
            map: Signal<Local, Bits<MAP_BITS>>,
            last_block: Signal<Local, Bits<BLOCK_BITS>>,
            last_thread: Signal<Local, Bits<COUNT_BITS>>,
            walk_index: Signal<Local, Bits<8>>,
            select_index: Signal<Local, Bits<8>>,
            offset_bits: Constant<Bits<8>> = Constant::new(bits(OFFSET_BITS as u64)),
            beyond_one: Constant<Bits<8>> = Constant::new(bits(if BLOCK_BITS > 1 { 0xff } else { 0 })),
            beyond_two: Constant<Bits<8>> = Constant::new(bits(if BLOCK_BITS > 2 { 0xff } else { 0 })),
        }
    }
}

impl<
        const CTA_BITS: usize,
        const BLOCK_BITS: usize,
        const MAP_BITS: usize,
        const OFFSET_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for LogicalMap<CTA_BITS, BLOCK_BITS, MAP_BITS, OFFSET_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, walk_map, walk_end, select_map, select_end, saved_map, saved_end);

        self.map.next = self.write_data.val().get_bits::<MAP_BITS>(16);
        self.last_thread.next = self.write_data.val().get_bits::<COUNT_BITS>(0) - 1;
        self.last_block.next = self.last_thread.val().get_bits::<BLOCK_BITS>(self.offset_bits.val());
        self.walk_map.write_enable.next = self.write_enable.val();
        self.walk_map.write_address.next = self.write_cta.val();
        self.walk_map.write_data.next = self.map.val();
        self.walk_end.write_enable.next = self.write_enable.val();
        self.walk_end.write_address.next = self.write_cta.val();
        self.walk_end.write_data.next = self.last_block.val();
        self.select_map.write_enable.next = self.write_enable.val();
        self.select_map.write_address.next = self.write_cta.val();
        self.select_map.write_data.next = self.map.val();
        self.select_end.write_enable.next = self.write_enable.val();
        self.select_end.write_address.next = self.write_cta.val();
        self.select_end.write_data.next = self.last_block.val();

        self.saved_map.write_enable.next = self.write_enable.val();
        self.saved_map.write_address.next = self.write_cta.val();
        self.saved_map.write_data.next = self.map.val();
        self.saved_end.write_enable.next = self.write_enable.val();
        self.saved_end.write_address.next = self.write_cta.val();
        self.saved_end.write_data.next = self.last_block.val();
        self.saved_map.read_address.next = self.write_cta.val();
        self.saved_end.read_address.next = self.write_cta.val();
        self.saved.next = (bit_cast::<64, MAP_BITS>(self.saved_map.read_data.val()) << 16)
            | ((bit_cast::<64, BLOCK_BITS>(self.saved_end.read_data.val()) + 1) << self.offset_bits.val());

        // The n-th field of BLOCK_BITS bits begins at n × BLOCK_BITS.
        self.walk_index.next = bit_cast::<8, BLOCK_BITS>(self.walk_logical.val())
            + (bit_cast::<8, BLOCK_BITS>(self.walk_logical.val()) & self.beyond_one.val())
            + (bit_cast::<8, BLOCK_BITS>(self.walk_logical.val()) & self.beyond_two.val());
        self.walk_map.read_address.next = self.walk_cta.val();
        self.walk_end.read_address.next = self.walk_cta.val();
        self.walk_block.next = self.walk_map.read_data.val().get_bits::<BLOCK_BITS>(self.walk_index.val());
        self.walk_last.next = self.walk_logical.val() == self.walk_end.read_data.val();

        self.select_index.next = bit_cast::<8, BLOCK_BITS>(self.select_logical.val())
            + (bit_cast::<8, BLOCK_BITS>(self.select_logical.val()) & self.beyond_one.val())
            + (bit_cast::<8, BLOCK_BITS>(self.select_logical.val()) & self.beyond_two.val());
        self.select_map.read_address.next = self.select_cta.val();
        self.select_end.read_address.next = self.select_cta.val();
        self.select_block.next = self.select_map.read_data.val().get_bits::<BLOCK_BITS>(self.select_index.val());
        self.select_last.next = self.select_logical.val() == self.select_end.read_data.val();
    }
}
