//! A bit a thread for its arrival at each barrier, and one for having been seen there without taking part, a thread block a row.
//!
//! Nothing is swept: each barrier says which of its blocks have a row (`filled`), and forgets all of them at once.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `read_key`, `read_block` | in | `KEY_BITS`, `BLOCK_BITS` | row of the next cycle's request |
//! | `key`, `thread_block` | in | `KEY_BITS`, `BLOCK_BITS` | row of this one's |
//! | `filled` | in | `BLOCKS` | blocks of its barrier that have a row |
//! | `arrived`, `seen` | out | `BLOCK_THREADS` | the row |
//! | `write_enable`, `next_arrived`, `next_seen` | in | 1, `BLOCK_THREADS` ×2 | its new contents |
//!
//! **Timing** the row of `read_key` and `read_block` is there in the next cycle, writes at the edge between included.
//! **Invariants** 1. a row that is not filled reads as zero.
//! **Source** US 9,448,803; BR-03, BR-16, BR-44.

use super::forwarding_ram::ForwardingRam;
use crate::prelude::*;

block! {
    /// `ROW_BITS` = `KEY_BITS` + `BLOCK_BITS`; see the module's page.
    pub struct ArrivedBits<
        const BLOCKS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const KEY_BITS: usize,
        const ROW_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Barrier of the next cycle's request.
            pub read_key: Signal<In, Bits<KEY_BITS>>,
            /// Its thread block.
            pub read_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Barrier of this cycle's request.
            pub key: Signal<In, Bits<KEY_BITS>>,
            /// Its thread block.
            pub thread_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Blocks of this barrier that have a row.
            pub filled: Signal<In, Bits<BLOCKS>>,
            /// Threads that have arrived and count.
            pub arrived: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Threads that were seen without taking part.
            pub seen: Signal<Out, Bits<BLOCK_THREADS>>,
            /// The row gets new contents.
            pub write_enable: Signal<In, Bit>,
            /// Threads that have arrived from now on.
            pub next_arrived: Signal<In, Bits<BLOCK_THREADS>>,
            /// Threads that were seen from now on.
            pub next_seen: Signal<In, Bits<BLOCK_THREADS>>,
        }
        parts {
            #[reads_back(read_address, write_address)]
            arrivals: ForwardingRam<ROW_BITS, BLOCK_THREADS>,
            visits: ForwardingRam<ROW_BITS, BLOCK_THREADS>,
            block_bits: Constant<Bits<8>> = Constant::new(bits(BLOCK_BITS as u64)),
        }
    }
}

impl<
        const BLOCKS: usize,
        const BLOCK_BITS: usize,
        const BLOCK_THREADS: usize,
        const KEY_BITS: usize,
        const ROW_BITS: usize,
    > Logic for ArrivedBits<BLOCKS, BLOCK_BITS, BLOCK_THREADS, KEY_BITS, ROW_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arrivals, visits);
        self.arrivals.reset.next = self.reset.val();
        self.visits.reset.next = self.reset.val();
        self.arrivals.read_address.next = (bit_cast::<ROW_BITS, KEY_BITS>(self.read_key.val())
            << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.read_block.val());
        self.visits.read_address.next = self.arrivals.read_address.val();
        self.arrivals.write_enable.next = self.write_enable.val();
        self.visits.write_enable.next = self.write_enable.val();
        self.arrivals.write_address.next = (bit_cast::<ROW_BITS, KEY_BITS>(self.key.val()) << self.block_bits.val())
            | bit_cast::<ROW_BITS, BLOCK_BITS>(self.thread_block.val());
        self.visits.write_address.next = self.arrivals.write_address.val();
        self.arrivals.write_data.next = self.next_arrived.val();
        self.visits.write_data.next = self.next_seen.val();
        self.arrived.next = 0.into();
        self.seen.next = 0.into();
        if self.filled.val().get_bit(self.thread_block.val()) {
            self.arrived.next = self.arrivals.read_data.val();
            self.seen.next = self.visits.read_data.val();
        }
    }
}
