//! Immediate post-dominators: where the threads that part at a branch are sure to come together again.
//!
//! A program has several ends, and threads that are gone need no meeting point. So one end is the *goal*: the one that most blocks
//! can reach. What lies on the way to it is post-dominated as if the other ends were not there; blocks that cannot reach it
//! look for a goal among the other ends, and so on. A loop that never ends has its lowest block as its goal.

use super::control_flow_graph::{Block, ControlFlowGraph, End, Way};
use super::loops::Loop;
use petgraph::algo::{dominators, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, NodeFiltered, Reversed, Walker};
use std::collections::{BTreeMap, BTreeSet};

/// For each block its immediate post-dominator and its goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostDominators {
    immediate: BTreeMap<NodeIndex, NodeIndex>,
    goal: BTreeMap<NodeIndex, NodeIndex>,
}

type Blocks = DiGraph<Block, Way>;

impl PostDominators {
    /// Those of a graph.
    pub fn new(cfg: &ControlFlowGraph) -> Self {
        let graph = &cfg.graph;
        let mut result = PostDominators::default();
        let mut left: BTreeSet<NodeIndex> = graph.node_indices().collect();
        while !left.is_empty() {
            let goal = choose_goal(graph, &left);
            let inside = NodeFiltered::from_fn(graph, |node| left.contains(&node));
            let backwards = Reversed(&inside);
            let tree = dominators::simple_fast(backwards, goal);
            let reaching: Vec<NodeIndex> = Dfs::new(backwards, goal).iter(backwards).collect();
            for node in reaching {
                result.goal.insert(node, goal);
                if let Some(immediate) = tree.immediate_dominator(node) {
                    result.immediate.insert(node, immediate);
                }
                left.remove(&node);
            }
        }
        result
    }

    /// Those of one round of a loop: a way back to the header ends the round, and ways out of the loop are not there. The header stands for
    /// the end of the round, too: it is what it post-dominates.
    pub fn of_a_round(cfg: &ControlFlowGraph, found: &Loop) -> Self {
        let mut round: DiGraph<NodeIndex, ()> = DiGraph::new();
        let end = round.add_node(found.header);
        let places: BTreeMap<NodeIndex, NodeIndex> =
            found.blocks.iter().map(|block| (*block, round.add_node(*block))).collect();
        for (block, place) in &places {
            for next in cfg.graph.neighbors(*block) {
                match places.get(&next) {
                    _ if next == found.header => round.add_edge(*place, end, ()),
                    Some(target) => round.add_edge(*place, *target, ()),
                    None => continue,
                };
            }
        }
        let tree = dominators::simple_fast(Reversed(&round), end);
        let mut result = PostDominators::default();
        for (block, place) in places {
            result.goal.insert(block, found.header);
            if let Some(immediate) = tree.immediate_dominator(place) {
                result.immediate.insert(block, round[immediate]);
            }
        }
        result
    }

    /// The block where all threads meet that part at the end of this one; none for a goal.
    pub fn immediate(&self, block: NodeIndex) -> Option<NodeIndex> {
        self.immediate.get(&block).copied()
    }

    /// Both blocks are on the way to one goal.
    pub fn together(&self, left: NodeIndex, right: NodeIndex) -> bool {
        self.goal.get(&left) == self.goal.get(&right)
    }

    /// The post-dominators of a block, nearest first. In a round the last one is the header, as the end of the round.
    pub fn all(&self, block: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let is_goal = |node: NodeIndex| self.goal.get(&node) == Some(&node);
        let above = move |below: &NodeIndex| self.immediate(*below).filter(|_| !is_goal(*below));
        std::iter::successors(self.immediate(block), above)
    }
}

/// The end that most of these blocks can reach, the later one if two are equal; without an end, a block of a loop that none leaves.
fn choose_goal(graph: &Blocks, left: &BTreeSet<NodeIndex>) -> NodeIndex {
    let inside = NodeFiltered::from_fn(graph, |node| left.contains(&node));
    let backwards = Reversed(&inside);
    let reach = |end: NodeIndex| Dfs::new(backwards, end).iter(backwards).count();
    let ends = left.iter().copied().filter(|node| graph[*node].end == End::Stops);
    let best = ends.max_by_key(|end| (reach(*end), graph[*end].body.start));
    best.unwrap_or_else(|| {
        // The first component is one that no way leaves.
        let components = tarjan_scc(&inside);
        let last = components.into_iter().next().unwrap_or_default();
        let lowest = last.into_iter().min_by_key(|node| graph[*node].origin);
        lowest.unwrap_or_else(|| left.iter().next().copied().unwrap_or(NodeIndex::end()))
    })
}
