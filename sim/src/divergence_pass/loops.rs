//! Loops, nested, and where their YIELDs go.
//!
//! A loop is a set of blocks in which each can be reached from each. One block where it is entered is its header; without the header,
//! what is left of it may hold further loops. This finds the loops of irreducible graphs as well: a loop that is entered in
//! two places has one of them as its header, and its cycles that avoid the header are loops inside.

use super::control_flow_graph::ControlFlowGraph;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::{EdgeRef, NodeFiltered};
use petgraph::Direction;
use std::collections::BTreeSet;

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Every cycle of the loop that is not in a loop inside passes here.
    pub header: NodeIndex,
    /// Its blocks, those of loops inside among them.
    pub blocks: BTreeSet<NodeIndex>,
}

impl Loop {
    /// The ways by which it goes round.
    pub fn back_ways<'a>(&'a self, cfg: &'a ControlFlowGraph) -> impl Iterator<Item = EdgeIndex> + 'a {
        let ways = cfg.graph.edges_directed(self.header, Direction::Incoming);
        ways.filter(|way| self.blocks.contains(&way.source())).map(|way| way.id())
    }
}

/// Every loop, outer ones before those inside them.
pub fn loops(cfg: &ControlFlowGraph) -> Vec<Loop> {
    let mut found = Vec::new();
    search(cfg, cfg.graph.node_indices().collect(), &mut found);
    found
}

/// The ways that need a YIELD, so that every cycle passes one except those of loops for which `ends_soon` says how often they go round.
pub fn yielding_ways(cfg: &ControlFlowGraph, ends_soon: &dyn Fn(&Loop) -> bool) -> BTreeSet<EdgeIndex> {
    let without_yield = cfg.graph.node_indices().filter(|node| !cfg.graph[*node].yields).collect();
    let mut found = Vec::new();
    search(cfg, without_yield, &mut found);
    let all = loops(cfg);
    // A known number of rounds is that of a whole loop, not of the part of one that is left between its YIELDs.
    let unknown = found.iter().filter(|part| !(all.contains(part) && ends_soon(part)));
    unknown.flat_map(|part| part.back_ways(cfg)).collect()
}

fn search(cfg: &ControlFlowGraph, among: BTreeSet<NodeIndex>, found: &mut Vec<Loop>) {
    let mut waiting = vec![among];
    while let Some(among) = waiting.pop() {
        let inside = NodeFiltered::from_fn(&cfg.graph, |node| among.contains(&node));
        for component in tarjan_scc(&inside) {
            let blocks: BTreeSet<NodeIndex> = component.into_iter().collect();
            let goes_round = blocks.len() > 1 || blocks.iter().all(|node| cfg.graph.contains_edge(*node, *node));
            if !goes_round {
                continue;
            }
            let header = header(cfg, &blocks);
            let mut rest = blocks.clone();
            rest.remove(&header);
            found.push(Loop { header, blocks });
            waiting.push(rest);
        }
    }
}

/// The first block where it is entered.
fn header(cfg: &ControlFlowGraph, blocks: &BTreeSet<NodeIndex>) -> NodeIndex {
    let entered = |node: &NodeIndex| {
        let mut before = cfg.graph.neighbors_directed(*node, Direction::Incoming);
        cfg.graph[*node].entry || before.any(|other| !blocks.contains(&other))
    };
    // No YIELD fits between a jump and its slot or landing; what follows it is in the same loop.
    let place = |node: &NodeIndex| (cfg.graph[*node].made, !entered(node), cfg.graph[*node].origin);
    blocks.iter().copied().min_by_key(place).unwrap_or(NodeIndex::end())
}
