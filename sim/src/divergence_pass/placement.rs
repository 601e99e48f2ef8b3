//! Where the instructions of regions go: on which ways and in which blocks.

use super::control_flow_graph::{ControlFlowGraph, End};
use super::regions::Region;
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use petgraph::Direction;
use std::collections::{BTreeMap, BTreeSet};

/// What happens on a way, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The region of the block that it leads to is left.
    pub leaves: bool,
    /// A YIELD.
    pub yields: bool,
    /// It leads to the pad of the block, where threads of other ways yield as well: YIELDs at one address merge.
    pub through_pad: bool,
    /// Regions, by their joins, are opened, outer ones first.
    pub opens: Vec<NodeIndex>,
}

impl Work {
    /// Nothing but a leave, at most: one instruction can do it.
    pub fn is_simple(&self) -> bool {
        !self.yields && self.opens.is_empty()
    }
}

/// Where everything goes. Regions are named by their joins; those that are opened at one place stand there with outer ones first.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// What each way does.
    pub ways: BTreeMap<EdgeIndex, Work>,
    /// Opened at the beginning of a block.
    pub first: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    /// Opened before the instruction that ends a block.
    pub last: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    /// Opened where the program or a function begins, before the block that it begins with.
    pub entries: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    /// What threads do that left the region of a block, before they go on there.
    pub pads: BTreeMap<NodeIndex, Work>,
}

impl Placement {
    /// Places regions and the YIELDs of some ways.
    pub fn new(cfg: &ControlFlowGraph, regions: &BTreeMap<NodeIndex, Region>, yielding: &BTreeSet<EdgeIndex>) -> Self {
        let mut placement = Placement::default();
        for way in cfg.graph.edge_references() {
            let leaves = regions.get(&way.target()).is_some_and(|region| region.open.contains(&way.source()));
            let yields = yielding.contains(&way.id());
            placement.ways.insert(way.id(), Work { leaves, yields, ..Work::default() });
        }
        // A region that holds another one is the larger: so outer ones are placed first.
        let mut outer_first: Vec<&Region> = regions.values().collect();
        outer_first.sort_by_key(|region| std::cmp::Reverse(region.open.len()));
        for region in outer_first {
            placement.open(cfg, region);
        }
        placement.pads = placement.pads(cfg);
        placement.share_yields(cfg);
        placement
    }

    /// Opens a region on every way into it.
    fn open(&mut self, cfg: &ControlFlowGraph, region: &Region) {
        for block in &region.open {
            let ways = || cfg.graph.edges_directed(*block, Direction::Incoming);
            // Whoever comes to the join has left the region; if the join is in it, as the beginning of a round, it opens anew.
            let entering = |source: NodeIndex| !region.open.contains(&source) || *block == region.join;
            if ways().all(|way| entering(way.source())) {
                // Nobody comes here from inside: the block itself can do it, just before the branch if it is the branch.
                let place = if region.heads.contains(block) { &mut self.last } else { &mut self.first };
                place.entry(*block).or_default().push(region.join);
                continue;
            }
            if cfg.graph[*block].entry {
                self.entries.entry(*block).or_default().push(region.join);
            }
            for way in ways().filter(|way| entering(way.source())) {
                if matches!(cfg.graph[way.source()].end, End::Indirect(_)) {
                    // Nothing fits between the jump and its target; those that jump elsewhere leave a token that nobody waits for.
                    let opened = self.last.entry(way.source()).or_default();
                    if !opened.contains(&region.join) {
                        opened.push(region.join);
                    }
                } else if let Some(work) = self.ways.get_mut(&way.id()) {
                    work.opens.push(region.join);
                }
            }
        }
    }

    /// What the ways that leave a region do behind the join's address, once for all of them.
    fn pads(&mut self, cfg: &ControlFlowGraph) -> BTreeMap<NodeIndex, Work> {
        let mut pads: BTreeMap<NodeIndex, Work> = BTreeMap::new();
        for (way, work) in self.ways.iter_mut().filter(|(_, work)| work.leaves) {
            let pad = pads.entry(cfg.target(*way)).or_default();
            pad.yields |= std::mem::take(&mut work.yields);
            pad.opens = std::mem::take(&mut work.opens);
        }
        pads
    }

    /// Where several ways into a block yield and do nothing else, all of them yield at its pad.
    fn share_yields(&mut self, cfg: &ControlFlowGraph) {
        let alone = |work: &Work| work.yields && !work.leaves && work.opens.is_empty();
        let mut yielding: BTreeMap<NodeIndex, Vec<EdgeIndex>> = BTreeMap::new();
        for (way, _) in self.ways.iter().filter(|(_, work)| alone(work)) {
            yielding.entry(cfg.target(*way)).or_default().push(*way);
        }
        for (block, ways) in yielding {
            let pad = self.pads.get(&block);
            let others = usize::from(pad.is_some_and(|pad| pad.yields));
            if ways.len() + others > 1 && pad.is_none_or(|pad| pad.opens.is_empty()) && !self.plain_leave(block) {
                self.pads.entry(block).or_default().yields = true;
                for way in ways {
                    if let Some(work) = self.ways.get_mut(&way) {
                        (work.yields, work.through_pad) = (false, true);
                    }
                }
            }
        }
    }

    /// Threads leave the block's region and need no YIELD on their way.
    fn plain_leave(&self, block: NodeIndex) -> bool {
        self.pads.get(&block).is_some_and(|pad| !pad.yields)
    }
}
