//! The parameter points: one list that export, lint, lockstep, proofs, synthesis and docs all read.

mod barrier;
mod context;
mod core;
mod elaboration;

use crate::barrier::arrival_tracker::ArrivalTracker;
use crate::barrier::barrier_collector::BarrierCollector;
use crate::barrier::plain_barrier::PlainBarrier;
use crate::divergence::divergence_unit::DivergenceUnit;
use crate::divergence::token_deque::TokenDeque;
use crate::launch::work_distributor::WorkDistributor;
use crate::ports::{Port, Ports};
use crate::simulation::Simulation;
use crate::tree::group_divergence_table::GroupDivergenceTable;
use crate::tree::leaf_selector::LeafSelector;
use crate::tree::mask_table::MaskTable;
use crate::tree::tree_divergence_table::TreeDivergenceTable;
use elaboration::{connected, simulated};
use rust_hdl::core::prelude::Block;

/// A block at a parameter point: what it is, and how to make one.
#[derive(Clone)]
pub struct Entry {
    /// The block's name: file, module, command.
    pub block: &'static str,
    /// The point's name, `<warps>x<threads>x<depth>` for chapter 1, `<ctas>x<barriers>x<blocks>x<block threads>x<slots>` for
    /// chapter 2, `<cores>x<barriers>` for the collector, `<ctas>x<barriers>x<members>` for the plain
    /// barrier, `<groups>` for chapter 5.
    pub point: &'static str,
    /// The parameters by name.
    pub parameters: Vec<(&'static str, u64)>,
    /// What the block is for, in a sentence.
    pub summary: &'static str,
    /// Its latency at the ports, in a sentence or two.
    pub timing: &'static str,
    /// Its ports at this point.
    pub ports: fn() -> Vec<Port>,
    /// An elaborated, connected block, for the export.
    pub block_of: fn() -> Box<dyn Block>,
    /// The same under simulation.
    pub simulate: fn() -> Box<dyn Simulation>,
}

impl Entry {
    /// `<block>_<point>`: the name of the exported top module and of its folder.
    pub fn module(&self) -> String {
        format!("{}_{}", self.block, self.point)
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<u64> {
        self.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// Every block of the divergence system at one point: `divergence!(warps log2, threads, address bits, token bits, log2 depth)`.
macro_rules! divergence {
    ($point:literal, $warps:literal, $warp_bits:literal, $threads:literal, $address:literal, $token:literal,
     $depth_bits:literal, $entry_bits:literal) => {{
        type Queue = TokenDeque<
            $warps,
            $warp_bits,
            $threads,
            $address,
            { $depth_bits + 1 },
            $entry_bits,
            $token,
            { $warp_bits + 4 },
        >;
        type Unit = DivergenceUnit<
            $warps,
            $warp_bits,
            $threads,
            $address,
            { $depth_bits + 1 },
            $entry_bits,
            $token,
            { $warp_bits + 4 },
        >;
        let parameters = vec![
            ("warps", $warps),
            ("threads", $threads),
            ("depth", 1 << $depth_bits),
            ("address_bits", $address),
            ("token_bits", $token),
        ];
        let unit = Entry {
            block: "divergence_unit",
            point: $point,
            parameters: parameters.clone(),
            summary: "Runs control instructions on the warps of a core: branches, regions, calls, YIELD, exits.",
            timing: "Uniform instructions and pushes free their warp for the next cycle; a mixed branch stalls it 2 \
                     cycles, YIELD 1 + yield tokens, SYNC and its like 1 + tokens scanned, an unwind 1 + tokens \
                     discarded. Launch takes 18 cycles.",
            ports: Unit::ports,
            block_of: connected::<Unit>,
            simulate: simulated::<Unit>,
        };
        let queue = Entry {
            block: "token_deque",
            point: $point,
            parameters,
            summary: "Double-ended token queue for several warps: front pushes and pops, back pushes that merge, \
                      recentering and spilling.",
            timing: "Push, pop and YIELD one cycle each, answered one cycle later; a search one cycle a token; \
                     recentering 2n + 1 cycles for n tokens; reset sweep 16 cycles a warp.",
            ports: Queue::ports,
            block_of: connected::<Queue>,
            simulate: simulated::<Queue>,
        };
        [unit, queue]
    }};
}

/// The arrival side at one point: `arrival!(CTAs, log2; barriers of a CTA, log2; blocks of a CTA, log2; threads of a block, log2)`.
macro_rules! arrival {
    ($point:literal, $ctas:literal, $cta_bits:literal, $barriers:literal, $barrier_bits:literal, $blocks:literal,
     $block_bits:literal, $block_threads:literal, $offset_bits:literal) => {{
        type Tracker = ArrivalTracker<
            $ctas,
            $cta_bits,
            $barriers,
            $barrier_bits,
            $blocks,
            $block_bits,
            $block_threads,
            { $block_bits + $offset_bits + 1 },
            { $cta_bits + $barrier_bits },
            { $cta_bits + $barrier_bits + $block_bits },
            22,
        >;
        Entry {
            block: "arrival_tracker",
            point: $point,
            parameters: vec![
                ("ctas", $ctas),
                ("barriers", $barriers),
                ("blocks", $blocks),
                ("block_threads", $block_threads),
                ("address_bits", 22),
            ],
            summary:
                "Keeps the barriers of all CTAs, answers the threads that arrive, and says when a barrier is complete.",
            timing:
                "One request a cycle, answered in the next; a completed barrier is released or turns dynamic with the \
                     answer to its last arrival. Launch and exit take a cycle a barrier.",
            ports: Tracker::ports,
            block_of: connected::<Tracker>,
            simulate: simulated::<Tracker>,
        }
    }};
}

/// The collector of barriers across cores at one point: `collector!(cores, log2; barriers, log2)`.
macro_rules! collector {
    ($point:literal, $cores:literal, $core_bits:literal, $ids:literal, $id_bits:literal) => {{
        type Collector = BarrierCollector<$cores, $core_bits, $ids, $id_bits, { $id_bits + $core_bits }, 16>;
        Entry {
            block: "barrier_collector",
            point: $point,
            parameters: vec![("cores", $cores), ("ids", $ids), ("count_bits", 16)],
            summary: "Barriers across cores: counts what each core reports, and releases those that wait.",
            timing: "One request a cycle; its answer, and the release that it completes, one cycle later.",
            ports: Collector::ports,
            block_of: connected::<Collector>,
            simulate: simulated::<Collector>,
        }
    }};
}

/// The plain barrier at one point: `plain!(CTAs log2; barriers of a CTA, log2; members of a CTA, log2)`.
macro_rules! plain {
    ($point:literal, $cta_bits:literal, $barrier_bits:literal, $members:literal, $member_bits:literal) => {{
        type Plain =
            PlainBarrier<$cta_bits, $barrier_bits, { $cta_bits + $barrier_bits }, $members, { $member_bits + 1 }>;
        Entry {
            block: "plain_barrier",
            point: $point,
            parameters: vec![("ctas", 1 << $cta_bits), ("barriers", 1 << $barrier_bits), ("members", $members)],
            summary: "Conditional barriers that wait for all or for a number: the plain subset of the barrier system.",
            timing:
                "One request a cycle, answered in the next, with the release that it completes. Launch and exit take a \
                     cycle a barrier.",
            ports: Plain::ports,
            block_of: connected::<Plain>,
            simulate: simulated::<Plain>,
        }
    }};
}

/// Every block at every point.
pub fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(divergence!("1x32x8", 1, 1, 32, 22, 64, 3, 3));
    entries.extend(divergence!("4x32x16", 4, 2, 32, 22, 64, 4, 6));
    entries.extend(divergence!("4x32x32", 4, 2, 32, 22, 64, 5, 7));
    entries.extend(divergence!("16x32x32", 16, 4, 32, 22, 64, 5, 9));
    entries.extend(divergence!("4x64x32", 4, 2, 64, 32, 128, 5, 7));
    entries.extend(divergence!("4x32x256", 4, 2, 32, 22, 64, 8, 10));
    entries.extend(barrier::entries());
    entries.push(arrival!("2x2x2x4x2", 2, 1, 2, 1, 2, 1, 4, 2));
    entries.push(arrival!("16x8x8x16x16", 16, 4, 8, 3, 8, 3, 16, 4));
    entries.push(arrival!("16x8x8x64x16", 16, 4, 8, 3, 8, 3, 64, 6));
    entries.push(collector!("2x8", 2, 1, 8, 3));
    entries.push(collector!("4x8", 4, 2, 8, 3));
    entries.push(collector!("16x8", 16, 4, 8, 3));
    entries.push(plain!("4x8x4", 2, 3, 4, 2));
    entries.push(plain!("8x8x8", 3, 3, 8, 3));
    entries.push(plain!("16x8x16", 4, 3, 16, 4));
    entries.extend(context::entries());
    entries.extend(core::entries());
    entries.extend(launch_entries());
    entries.extend(tree_entries());
    entries.sort_by_key(|entry| entry.block);
    entries
}

/// The entry of a block at a point.
pub fn find(block: &str, point: &str) -> Option<Entry> {
    entries().into_iter().find(|entry| entry.block == block && entry.point == point)
}

/// The work distributor at one point: `distributor!(point, cores, cores log2 (at least 1), set, fetches log2)`.
macro_rules! distributor {
    ($point:literal, $cores:literal, $core_bits:literal, $set:literal, $fetch_bits:literal) => {{
        type Distributor = WorkDistributor<
            $cores,
            $core_bits,
            $set,
            { $set + 1 },
            { 16 * $set },
            { 6 * $set },
            $fetch_bits,
            { $fetch_bits + 1 },
            2,
            3,
            22,
            64,
        >;
        Entry {
            block: "work_distributor",
            point: $point,
            parameters: vec![
                ("cores", $cores),
                ("set", $set),
                ("fetches", 1 << $fetch_bits),
                ("queue", 4),
                ("address_bits", 22),
            ],
            summary:
                "Launches the thread blocks of a grid whose flags are set in a table: three dimensions, clusters, \
                      several cores, a queue of grids.",
            timing: "A word of flags is asked for 2 cycles after the request; a word with k flags takes max(1, \
                     ceil(k / set)) cycles; W words with K flags are done at most K + W + memory latency + 3 cycles \
                     after the request; a grid cut into clusters takes a cycle more a row of a cluster.",
            ports: Distributor::ports,
            block_of: connected::<Distributor>,
            simulate: simulated::<Distributor>,
        }
    }};
}

/// The blocks of chapter 4; points are `<cores>x<set>`.
fn launch_entries() -> Vec<Entry> {
    vec![distributor!("1x1", 1, 1, 1, 2), distributor!("4x2", 4, 2, 2, 3), distributor!("16x4", 16, 4, 4, 4)]
}

/// The tree divergence table at one point: `tree!(point, warps, their log2, threads, log2 nodes, log2 of all nodes, memory word)`.
macro_rules! tree {
    ($point:literal, $warps:literal, $warp_bits:literal, $threads:literal, $node_bits:literal, $entry_bits:literal,
     $word:literal) => {{
        type Table = TreeDivergenceTable<
            $warps,
            $warp_bits,
            $threads,
            22,
            $node_bits,
            { $node_bits + 1 },
            $entry_bits,
            { $warp_bits + 4 },
            $word,
        >;
        type Selector = LeafSelector<$warp_bits, $node_bits, { $node_bits + 1 }, $entry_bits>;
        let parameters = vec![
            ("warps", $warps),
            ("threads", $threads),
            ("depth", 1 << $node_bits),
            ("address_bits", 22),
            ("word_bits", $word),
        ];
        let table = Entry {
            block: "tree_divergence_table",
            point: $point,
            parameters: parameters.clone(),
            summary: "Runs the divergent paths of a warp side by side, as leaves of trees that take turns.",
            timing: "A launch and most instructions take one cycle; one more for each further node that a leave looks at or that is \
                     freed, for a call that diverges, a halt, and each instruction while leaves are deferred to memory.",
            ports: Table::ports,
            block_of: connected::<Table>,
            simulate: simulated::<Table>,
        };
        let selector = Entry {
            block: "leaf_selector",
            point: $point,
            parameters,
            summary: "Which leaf of each warp issues next: the ready leaves take turns.",
            timing: "The front in the same cycle; one push and one pop a cycle, which show in the next.",
            ports: Selector::ports,
            block_of: connected::<Selector>,
            simulate: simulated::<Selector>,
        };
        [table, selector]
    }};
}

/// The masks of a group of warps: `masks!(point, warps, their log2, threads, log2 columns, log2 of all columns)`.
macro_rules! masks {
    ($point:literal, $warps:literal, $warp_bits:literal, $threads:literal, $column_bits:literal, $entry_bits:literal) => {{
        type Masks = MaskTable<$warp_bits, $column_bits, $entry_bits, 8, $threads>;
        Entry {
            block: "mask_table",
            point: $point,
            parameters: vec![("warps", $warps), ("threads", $threads), ("depth", 1 << $column_bits)],
            summary: "Thread masks of several warps by index, equal ones of a warp stored once.",
            timing: "Reads are combinational; storing a mask takes 1 cycle + one for each column looked at.",
            ports: Masks::ports,
            block_of: connected::<Masks>,
            simulate: simulated::<Masks>,
        }
    }};
}

/// One tree for a group of warps: `group!(point, warps, their log2, threads, log2 nodes, log2 columns, log2 of all threads, memory word)`.
macro_rules! group {
    ($point:literal, $warps:literal, $warp_bits:literal, $threads:literal, $node_bits:literal, $column_bits:literal, $ring_bits:literal,
     $word:literal) => {{
        type Group = GroupDivergenceTable<
            $warps,
            $warp_bits,
            $threads,
            22,
            $node_bits,
            { $node_bits + 1 },
            $column_bits,
            { $warps * $column_bits },
            { $warp_bits + $column_bits },
            { $ring_bits + 1 },
            $word,
            $ring_bits,
        >;
        Entry {
            block: "group_divergence_table",
            point: $point,
            parameters: vec![
                ("warps", $warps),
                ("threads", $threads),
                ("depth", 1 << $node_bits),
                ("columns", 1 << $column_bits),
                ("address_bits", 22),
                ("word_bits", $word),
            ],
            summary: "Runs the divergent paths of a group of warps side by side, as leaves of one tree; each mask of a warp is stored once.",
            timing: "A warp's request takes one cycle if its threads stay together; parts, and unions at a join, are stored mask by mask. \
                     With the last warp's request the tree changes in the cycles of tree_divergence_table.",
            ports: Group::ports,
            block_of: connected::<Group>,
            simulate: simulated::<Group>,
        }
    }};
}

/// The tree divergence system, `<warps>x<threads>x<nodes of a warp>`; with a `g`, of a group of warps in one tree.
fn tree_entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(tree!("1x8x8", 1, 1, 8, 3, 3, 64));
    entries.extend(tree!("1x8x16", 1, 1, 8, 4, 4, 64));
    entries.extend(tree!("4x32x64", 4, 2, 32, 6, 8, 128));
    entries.push(group!("2x8x8g", 2, 1, 8, 3, 4, 4, 128));
    entries.push(group!("8x32x64g", 8, 3, 32, 6, 6, 8, 128));
    entries.push(masks!("2x8x8g", 2, 1, 8, 3, 4));
    entries.push(masks!("8x32x64g", 8, 3, 32, 6, 9));
    entries
}
