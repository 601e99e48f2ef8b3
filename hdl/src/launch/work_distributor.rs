//! Launches the thread blocks of a grid: walks its indices, reads a flag for each from a table in memory, and hands the blocks whose flags are set to the
//! cores that ask for them, singly or in sets of up to `SET` of one row.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_*` | in, `request_ready` out | a grid: program, id, table of flags, ranges, clusters, place in the queue |
//! | `memory_*` | | the words of the table: valid/ready requests, answers in order |
//! | `core_ready` | in | a bit a core: it has room for `SET` blocks |
//! | `block_*` | out | a set of blocks: place k is there if bit k of `block_valid` is set; its x lies in bits 16k+15:16k |
//! | `done_valid`, `done_grid` | out | strobe: every block of the grid was taken |
//! | `busy` | out | a grid is in service or waits |
//!
//! A set is taken in a cycle in which a bit of `block_valid` and the bit of `core_ready` at `block_core` are high.
//!
//! **Timing** with the request accepted in cycle 0 on an idle block, a word is asked for from cycle 2 on, one a cycle, and examined from the cycle
//! after its answer on; a word with k flags takes max(1, ceil(k / `SET`)) cycles; a set is offered in the cycle after it was found. `done_valid`
//! follows the last set by a cycle, or the last word by two if nothing is left of it. For a memory that answers in the cycle L after its request, 1 ≤ L ≤
//! `2^FETCH_BITS`, a table of W words with K flags is done at the latest in cycle K + W + L + 3. A grid that is cut takes a
//! cycle more for each row of each cluster, and up to 16 before the first step between planes. `memory_response_ready`
//! depends on `core_ready`, `memory_request_valid` on `memory_response_valid` and `core_ready`, `block_core` on `core_ready`.
//! **Invariants** 1. each set flag within the ranges leaves in exactly one block, nothing else does. 2. blocks come in index order, clusters in index
//! order, blocks in index order inside. 3. a cluster's blocks go to one core (tested, not proven). 4. every grid ends (tested, not proven). 5. a set that
//! is offered stays until it is taken; only `block_core` may change, and only while no cluster binds the set to a core: it is the first one of its cluster, or
//! of a grid without clusters. 6. no grid is lost or done twice, and a
//! block that is offered has the id and the program of the one that is walked. 7. the table of a grid that is not cut is read word after word.
//! **Source** US 8,413,151, the computation work distributor with predicated launch; WD-01 to WD-11.
//! **See also** [`ClusterWalker`], [`TableFetcher`], [`FlagScanner`], and the reference model `work_distributor` of the simulator.

use super::cluster_walker::ClusterWalker;
use super::core_selector::CoreSelector;
use super::flag_scanner::FlagScanner;
use super::grid_queue::GridQueue;
use super::plane_stride::PlaneStride;
use super::table_address::TableAddress;
use super::table_fetcher::TableFetcher;
use crate::prelude::*;

/// Bits of a segment on its way: word 10, low 6, high 6, y 16, z 16, opens 1.
pub const SEGMENT_BITS: usize = 55;

block! {
    /// `TASK_BITS` = `ADDRESS_BITS` + 42, `LINKS` = `SET` + 1, `X_BITS` = 16 × `SET`, `INDEX_BITS` = 6 × `SET`, counts are a bit wider than their
    /// logarithms; see the module's page.
    pub struct WorkDistributor<
        const CORES: usize, const CORE_BITS: usize, const SET: usize, const LINKS: usize, const X_BITS: usize, const INDEX_BITS: usize,
        const FETCH_BITS: usize, const FETCH_COUNT_BITS: usize, const QUEUE_BITS: usize, const QUEUE_COUNT_BITS: usize,
        const ADDRESS_BITS: usize, const TASK_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A grid is offered.
            pub request_valid: Signal<In, Bit>,
            /// The queue has room for it.
            pub request_ready: Signal<Out, Bit>,
            /// Where its program begins, in instructions.
            pub request_program: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its id.
            pub request_grid: Signal<In, Bits<8>>,
            /// It has a table of flags; without one every block is launched.
            pub request_predicated: Signal<In, Bit>,
            /// The table's first word, counted in words of 64 flags.
            pub request_table: Signal<In, Bits<32>>,
            /// Range of x; 0 is an empty grid.
            pub request_x: Signal<In, Bits<16>>,
            /// Range of y; 1 if unused.
            pub request_y: Signal<In, Bits<16>>,
            /// Range of z; 1 if unused.
            pub request_z: Signal<In, Bits<16>>,
            /// It is cut into clusters.
            pub request_clustered: Signal<In, Bit>,
            /// Size of a cluster in x; 0 does not cut.
            pub request_cluster_x: Signal<In, Bits<16>>,
            /// Size of a cluster in y; 0 does not cut.
            pub request_cluster_y: Signal<In, Bits<16>>,
            /// Size of a cluster in z; 0 does not cut.
            pub request_cluster_z: Signal<In, Bits<16>>,
            /// It goes before the grids that wait.
            pub request_head: Signal<In, Bit>,
            /// A word of flags is asked for.
            pub memory_request_valid: Signal<Out, Bit>,
            /// The memory takes the request.
            pub memory_request_ready: Signal<In, Bit>,
            /// Address, in words of 64 flags.
            pub memory_request_address: Signal<Out, Bits<32>>,
            /// The memory answers.
            pub memory_response_valid: Signal<In, Bit>,
            /// The answer is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The word, lowest x in bit 0.
            pub memory_response_data: Signal<In, Bits<64>>,
            /// Cores that have room for a set.
            pub core_ready: Signal<In, Bits<CORES>>,
            /// Places of the set that hold a block, from 0 up.
            pub block_valid: Signal<Out, Bits<SET>>,
            /// The core that the set is for.
            pub block_core: Signal<Out, Bits<CORE_BITS>>,
            /// Where its program begins.
            pub block_program: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Id of its grid.
            pub block_grid: Signal<Out, Bits<8>>,
            /// Its blocks' x, 16 bits each, place 0 lowest.
            pub block_x: Signal<Out, Bits<X_BITS>>,
            /// Its y.
            pub block_y: Signal<Out, Bits<16>>,
            /// Its z.
            pub block_z: Signal<Out, Bits<16>>,
            /// All blocks of a grid were taken.
            pub done_valid: Signal<Out, Bit>,
            /// Its id.
            pub done_grid: Signal<Out, Bits<8>>,
            /// A grid is in service or waits.
            pub busy: Signal<Out, Bit>,
        }
        parts {
            running: Register<Bit>,
            code: Register<Bits<ADDRESS_BITS>>,
            grid: Register<Bits<8>>,
            predicated: Register<Bit>,
            clustered: Register<Bit>,
            range_x: Register<Bits<16>>,
            range_y: Register<Bits<16>>,
            range_z: Register<Bits<16>>,
            cluster_x: Register<Bits<16>>,
            cluster_y: Register<Bits<16>>,
            cluster_z: Register<Bits<16>>,
            row_words: Register<Bits<11>>,
            word: Register<Bits<10>>,
            y: Register<Bits<16>>,
            z: Register<Bits<16>>,
            unbound: Register<Bit>,
            set_valid: Register<Bits<SET>>,
            set_index: Register<Bits<INDEX_BITS>>,
            set_word: Register<Bits<10>>,
            set_y: Register<Bits<16>>,
            set_z: Register<Bits<16>>,
            set_unbound: Register<Bit>,
            core: Register<Bits<CORE_BITS>> = Register::new(bits(CORES as u64 - 1)),
            queue: GridQueue<QUEUE_BITS, QUEUE_COUNT_BITS, TASK_BITS>,
            walker: ClusterWalker,
            stride: PlaneStride,
            addresses: TableAddress,
            fetcher: TableFetcher<FETCH_BITS, FETCH_COUNT_BITS, SEGMENT_BITS>,
            scanner: FlagScanner<SET, LINKS, INDEX_BITS>,
            selector: CoreSelector<CORES, CORE_BITS>,
            next_x: Signal<Local, Bits<16>>,
            next_y: Signal<Local, Bits<16>>,
            next_z: Signal<Local, Bits<16>>,
            #[reads(early)]
            next_words: Signal<Local, Bits<11>>,
            next_clustered: Signal<Local, Bit>,
            start: Signal<Local, Bit>,
            finished: Signal<Local, Bit>,
            load_opens: Signal<Local, Bit>,
            #[reads(early)]
            advance: Signal<Local, Bit>,
            taken: Signal<Local, Bit>,
            blocks_x: [Signal<Local, Bits<X_BITS>>; LINKS] = std::array::from_fn(|_| Signal::default()),
            indices: Signal<Local, Bits<X_BITS>>,
            word_x: Signal<Local, Bits<X_BITS>>,
            index_offset: [Constant<Bits<6>>; SET] = std::array::from_fn(|at| Constant::new(bits(6 * at as u64))),
            x_offset: [Constant<Bits<6>>; SET] = std::array::from_fn(|at| Constant::new(bits(16 * at as u64))),
        }
    }
}

impl<
        const CORES: usize,
        const CORE_BITS: usize,
        const SET: usize,
        const LINKS: usize,
        const X_BITS: usize,
        const INDEX_BITS: usize,
        const FETCH_BITS: usize,
        const FETCH_COUNT_BITS: usize,
        const QUEUE_BITS: usize,
        const QUEUE_COUNT_BITS: usize,
        const ADDRESS_BITS: usize,
        const TASK_BITS: usize,
    > Logic
    for WorkDistributor<
        CORES,
        CORE_BITS,
        SET,
        LINKS,
        X_BITS,
        INDEX_BITS,
        FETCH_BITS,
        FETCH_COUNT_BITS,
        QUEUE_BITS,
        QUEUE_COUNT_BITS,
        ADDRESS_BITS,
        TASK_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, running, code, grid, predicated, clustered, range_x, range_y, range_z);
        dff_setup!(self, clock, cluster_x, cluster_y, cluster_z, row_words, word, y, z, unbound);
        dff_setup!(self, clock, set_valid, set_index, set_word, set_y, set_z, set_unbound, core);
        clock!(self, clock, queue, walker, stride, addresses, fetcher, scanner);
        self.queue.reset.next = self.reset.val();
        self.walker.reset.next = self.reset.val();
        self.stride.reset.next = self.reset.val();
        self.addresses.reset.next = self.reset.val();
        self.fetcher.reset.next = self.reset.val();
        self.scanner.reset.next = self.reset.val();

        // The queue of grids, and the one that comes into service.
        self.queue.request_valid.next = self.request_valid.val();
        self.request_ready.next = self.queue.request_ready.val();
        self.queue.request_head.next = self.request_head.val();
        self.queue.request_task.next = bit_cast::<TASK_BITS, 32>(self.request_table.val())
            | (bit_cast::<TASK_BITS, 8>(self.request_grid.val()) << 32)
            | (bit_cast::<TASK_BITS, 1>(self.request_predicated.val().into()) << 40)
            | (bit_cast::<TASK_BITS, 1>(self.request_clustered.val().into()) << 41)
            | (bit_cast::<TASK_BITS, ADDRESS_BITS>(self.request_program.val()) << 42);
        self.queue.request_shape.next = bit_cast::<96, 16>(self.request_x.val())
            | (bit_cast::<96, 16>(self.request_y.val()) << 16)
            | (bit_cast::<96, 16>(self.request_z.val()) << 32)
            | (bit_cast::<96, 16>(self.request_cluster_x.val()) << 48)
            | (bit_cast::<96, 16>(self.request_cluster_y.val()) << 64)
            | (bit_cast::<96, 16>(self.request_cluster_z.val()) << 80);
        self.next_x.next = self.queue.next_shape.val().get_bits::<16>(0);
        self.next_y.next = self.queue.next_shape.val().get_bits::<16>(16);
        self.next_z.next = self.queue.next_shape.val().get_bits::<16>(32);
        self.next_clustered.next = self.queue.next_task.val().get_bit(41);
        self.finished.next = self.running.q.val()
            & !self.walker.walking.val()
            & !self.fetcher.waiting.val()
            & !self.scanner.occupied.val()
            & !self.set_valid.q.val().any();
        self.start.next = self.queue.next_valid.val() & (!self.running.q.val() | self.finished.val());
        self.queue.next_take.next = self.start.val();
        if self.finished.val() {
            self.running.d.next = false;
        }
        if self.start.val() {
            self.running.d.next = true;
            self.grid.d.next = self.queue.next_task.val().get_bits::<8>(32);
            self.predicated.d.next = self.queue.next_task.val().get_bit(40);
            self.clustered.d.next = self.next_clustered.val();
            self.code.d.next = self.queue.next_task.val().get_bits::<ADDRESS_BITS>(42);
            self.range_x.d.next = self.next_x.val();
            self.range_y.d.next = self.next_y.val();
            self.range_z.d.next = self.next_z.val();
            self.cluster_x.d.next = self.queue.next_shape.val().get_bits::<16>(48);
            self.cluster_y.d.next = self.queue.next_shape.val().get_bits::<16>(64);
            self.cluster_z.d.next = self.queue.next_shape.val().get_bits::<16>(80);
            self.row_words.d.next = self.next_words.val();
        }
        self.next_words.next = bit_cast::<11, 16>(self.next_x.val() >> 6);
        if self.next_x.val().get_bits::<6>(0).any() {
            self.next_words.next = bit_cast::<11, 16>(self.next_x.val() >> 6) + 1;
        }

        // The walk, and the addresses that follow it.
        self.walker.start.next = self.start.val();
        self.walker.start_empty.next = !self.next_x.val().any() | !self.next_y.val().any() | !self.next_z.val().any();
        self.walker.start_clustered.next = self.next_clustered.val();
        self.walker.start_x.next = self.next_x.val();
        self.walker.clustered.next = self.clustered.q.val();
        self.walker.range_x.next = self.range_x.q.val();
        self.walker.range_y.next = self.range_y.q.val();
        self.walker.range_z.next = self.range_z.q.val();
        self.walker.cluster_x.next = self.cluster_x.q.val();
        self.walker.cluster_y.next = self.cluster_y.q.val();
        self.walker.cluster_z.next = self.cluster_z.q.val();
        self.walker.segment_step.next = self.fetcher.segment_step.val();
        self.walker.turn_hold.next = self.stride.busy.val() & (self.walker.turn.val() == 1);
        self.stride.start.next = self.start.val();
        self.stride.start_rows.next = self.next_y.val();
        self.stride.row_words.next = self.row_words.q.val();
        self.addresses.start.next = self.start.val();
        self.addresses.start_table.next = self.queue.next_task.val().get_bits::<32>(0);
        self.addresses.row_words.next = self.row_words.q.val();
        self.addresses.plane_words.next = self.stride.stride.val();
        self.addresses.step.next = self.fetcher.segment_step.val();
        self.addresses.turning.next = self.walker.turning.val();
        self.addresses.turn.next = self.walker.turn.val();
        self.addresses.turn_word.next = self.walker.turn_word.val();
        self.addresses.notes.next = self.walker.notes.val();

        // Segments to the memory and back.
        self.fetcher.predicated.next = self.predicated.q.val();
        self.fetcher.segment_valid.next = self.walker.segment_valid.val();
        self.fetcher.segment.next = bit_cast::<SEGMENT_BITS, 10>(self.walker.word.val())
            | (bit_cast::<SEGMENT_BITS, 6>(self.walker.low.val()) << 10)
            | (bit_cast::<SEGMENT_BITS, 6>(self.walker.high.val()) << 16)
            | (bit_cast::<SEGMENT_BITS, 16>(self.walker.y.val()) << 22)
            | (bit_cast::<SEGMENT_BITS, 16>(self.walker.z.val()) << 38)
            | (bit_cast::<SEGMENT_BITS, 1>(self.walker.opens.val().into()) << 54);
        self.fetcher.address.next = self.addresses.address.val();
        self.memory_request_valid.next = self.fetcher.memory_request_valid.val();
        self.fetcher.memory_request_ready.next = self.memory_request_ready.val();
        self.memory_request_address.next = self.fetcher.memory_request_address.val();
        self.fetcher.memory_response_valid.next = self.memory_response_valid.val();
        self.memory_response_ready.next = self.fetcher.memory_response_ready.val();
        self.fetcher.load_ready.next = self.scanner.load_ready.val();

        // The word that is scanned, and where its flags lie.
        self.scanner.load.next = self.fetcher.load.val();
        self.scanner.load_flags.next = self.memory_response_data.val();
        self.scanner.load_fill.next = !self.predicated.q.val();
        self.scanner.load_low.next = self.fetcher.load_segment.val().get_bits::<6>(10);
        self.scanner.load_high.next = self.fetcher.load_segment.val().get_bits::<6>(16);
        self.scanner.advance.next = self.advance.val();
        self.load_opens.next = self.fetcher.load_segment.val().get_bit(54);
        if self.advance.val() & self.scanner.set_found.val().any() {
            self.unbound.d.next = false;
        }
        if self.fetcher.load.val() {
            self.word.d.next = self.fetcher.load_segment.val().get_bits::<10>(0);
            self.y.d.next = self.fetcher.load_segment.val().get_bits::<16>(22);
            self.z.d.next = self.fetcher.load_segment.val().get_bits::<16>(38);
            if self.load_opens.val() {
                self.unbound.d.next = true;
            }
        }

        // The set that is offered.
        self.selector.ready.next = self.core_ready.val();
        self.selector.last.next = self.core.q.val();
        self.block_core.next = self.core.q.val();
        if self.set_unbound.q.val() | !self.clustered.q.val() {
            self.block_core.next = self.selector.core.val();
        }
        self.taken.next = self.set_valid.q.val().any() & self.core_ready.val().get_bit(self.block_core.val());
        self.advance.next = !self.set_valid.q.val().any() | self.taken.val();
        if self.taken.val() {
            self.core.d.next = self.block_core.val();
        }
        if self.advance.val() {
            self.set_valid.d.next = self.scanner.set_found.val();
            self.set_index.d.next = self.scanner.set_index.val();
            self.set_word.d.next = self.word.q.val();
            self.set_y.d.next = self.y.q.val();
            self.set_z.d.next = self.z.q.val();
            self.set_unbound.d.next = self.unbound.q.val();
        }
        self.indices.next = bit_cast::<X_BITS, INDEX_BITS>(self.set_index.q.val());
        self.word_x.next = bit_cast::<X_BITS, 10>(self.set_word.q.val()) << 6;
        self.blocks_x[0].next = 0.into();
        for i in 0..SET {
            self.blocks_x[i + 1].next = self.blocks_x[i].val()
                | ((((self.indices.val() >> self.index_offset[i].val()) & 63) | self.word_x.val())
                    << self.x_offset[i].val());
        }
        for i in 0..SET {
            self.block_x.next = self.blocks_x[i + 1].val();
        }
        self.block_valid.next = self.set_valid.q.val();
        self.block_program.next = self.code.q.val();
        self.block_grid.next = self.grid.q.val();
        self.block_y.next = self.set_y.q.val();
        self.block_z.next = self.set_z.q.val();
        self.done_valid.next = self.finished.val();
        self.done_grid.next = self.grid.q.val();
        self.busy.next = self.running.q.val() | self.queue.next_valid.val();
    }
}
