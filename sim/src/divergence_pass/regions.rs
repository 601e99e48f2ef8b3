//! Regions: which blocks lie between the branches where threads part and the block where they meet.
//!
//! Every loop is looked at by itself, one round of it: threads that part in a round meet before the next one begins, at the nearest block that
//! all pass who stay in the loop. Those that leave it are a matter of the loop around, or of the whole program: from there the
//! loop is a place where threads part, since they leave it in different rounds.
//!
//! A region belongs to its *join*. It holds its *heads*, the branches whose immediate post-dominator is the join, and all blocks on the way
//! from them to it. So whether a region is open depends on where a thread is and on nothing else: every way into the set opens the
//! region, every way from it to the join leaves it, whatever the shape of the graph. Two regions that share a block
//! share all of the smaller one (the larger takes it in if need be), hence regions nest as tokens do.

use super::control_flow_graph::ControlFlowGraph;
use super::loops::Loop;
use super::post_dominators::PostDominators;
use crate::engine::Kind;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// A region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where its threads meet.
    pub join: NodeIndex,
    /// Sync, break or continue: by which instructions it is opened and left.
    pub kind: Kind,
    /// The branches where they part.
    pub heads: BTreeSet<NodeIndex>,
    /// The blocks in which it is open.
    pub open: BTreeSet<NodeIndex>,
}

/// The regions of a graph by their joins.
pub fn regions(cfg: &ControlFlowGraph, loops: &[Loop]) -> BTreeMap<NodeIndex, Region> {
    let mut regions = BTreeMap::new();
    let whole = cfg.graph.node_indices().collect();
    let levels = loops.iter().map(Some).chain([None]);
    for around in levels {
        let blocks = around.map_or(&whole, |around| &around.blocks);
        let post = around.map_or_else(|| PostDominators::new(cfg), |around| PostDominators::of_a_round(cfg, around));
        let inside: Vec<&Loop> = loops.iter().filter(|inner| is_inside(inner, around)).collect();
        Level { cfg, around, blocks, post, inside }.find(&mut regions);
    }
    nest(&mut regions);
    regions
}

/// A loop is in another one, or in the program if there is none.
fn is_inside(inner: &Loop, around: Option<&Loop>) -> bool {
    around.is_none_or(|around| inner.blocks.len() < around.blocks.len() && inner.blocks.is_subset(&around.blocks))
}

/// One round of a loop, or the whole program.
struct Level<'a> {
    cfg: &'a ControlFlowGraph,
    around: Option<&'a Loop>,
    blocks: &'a BTreeSet<NodeIndex>,
    post: PostDominators,
    /// The loops in it.
    inside: Vec<&'a Loop>,
}

impl Level<'_> {
    fn find(&self, regions: &mut BTreeMap<NodeIndex, Region>) {
        for block in self.blocks.iter().copied().filter(|block| self.parts(*block)) {
            // Nothing can be done on the way to a landing; the block behind it is as good.
            let Some(join) = self.post.all(block).find(|join| !self.cfg.graph[*join].made) else { continue };
            let leaves_loop = self.inside.iter().any(|inner| inner.blocks.contains(&block));
            let open = self.between(block, join);
            let region = regions.entry(join).or_insert_with(|| Region {
                join,
                kind: Kind::Sync,
                heads: BTreeSet::new(),
                open: BTreeSet::new(),
            });
            region.heads.insert(block);
            region.open.extend(open);
            if leaves_loop {
                region.kind = Kind::Break;
            } else if self.begins_next_round(join) && region.kind == Kind::Sync {
                region.kind = Kind::Continue;
            }
        }
    }

    /// Where a way goes, as long as it stays in the round and leads where the block leads to.
    fn sides(&self, block: NodeIndex) -> BTreeSet<NodeIndex> {
        let stays = |next: &NodeIndex| self.blocks.contains(next) && self.post.together(block, *next);
        self.cfg.successors(block).into_iter().filter(stays).collect()
    }

    /// Threads part at the end of this block: they go different ways, or leave a loop in different rounds.
    fn parts(&self, block: NodeIndex) -> bool {
        let sides = self.sides(block);
        let inner = self.inside.iter().filter(|inner| inner.blocks.contains(&block));
        match inner.max_by_key(|inner| inner.blocks.len()) {
            Some(inner) => !sides.is_subset(&inner.blocks),
            None => self.cfg.may_diverge(block) && sides.len() > 1,
        }
    }

    /// The blocks that threads pass from the head on before they reach the join.
    fn between(&self, head: NodeIndex, join: NodeIndex) -> BTreeSet<NodeIndex> {
        let mut open = BTreeSet::new();
        let mut waiting = vec![head];
        while let Some(block) = waiting.pop() {
            if open.insert(block) {
                let ends = |next: &NodeIndex| *next == join || self.around.is_some_and(|around| around.header == *next);
                waiting.extend(self.sides(block).into_iter().filter(|next| !ends(next)));
            }
        }
        open
    }

    fn begins_next_round(&self, join: NodeIndex) -> bool {
        self.around.is_some_and(|around| {
            let next = self.cfg.successors(join);
            join == around.header || next.len() == 1 && next.contains(&around.header)
        })
    }
}

/// Lets regions that share a block share all of one: the one that holds the other's join takes in the other.
fn nest(regions: &mut BTreeMap<NodeIndex, Region>) {
    let joins: Vec<NodeIndex> = regions.keys().copied().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, left) in joins.iter().enumerate() {
            for right in &joins[index + 1..] {
                let (one, other) = (&regions[left].open, &regions[right].open);
                if one.is_disjoint(other) || one.is_subset(other) || other.is_subset(one) {
                    continue;
                }
                let right_is_outer = other.contains(left) && !one.contains(right);
                let (outer, taken) = if right_is_outer { (right, one.clone()) } else { (left, other.clone()) };
                if let Some(outer) = regions.get_mut(outer) {
                    outer.open.extend(taken);
                    changed = true;
                }
            }
        }
    }
}
