//! What the nodes of a warp owe to each other, judged from a picture of them (TD-01, TD-02, TD-05, TD-07).
//!
//! It runs no instructions and knows no rule of them, so it judges the reference and any other table alike:
//! 1. the threads of leaves, those that have arrived and those asleep are the live ones, each in one place;
//! 2. no leaf is empty, and every leaf of the table has exactly one turn;
//! 3. the parent of a node waits, and the parents of any node end at a root: there is no orphan;
//! 4. a node that waits has as many children as it counts, and at least one, so whatever is done with is freed;
//! 5. no region stands right below the same one if it is of a kind that compacts;
//! 6. there are at most 2T - 1 nodes for T threads awake, and one more for each region in which nothing has diverged.
//!
//! **Source** US 2015/0205606, claim 1: the paths partition the threads of their parent.

use super::set::ThreadSet;
use super::table::{Leaf, Node, Table};
use crate::engine::{Kind, Mask};

/// A picture of one warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture<S = Mask> {
    /// Nodes by number, up to the last one in use; a free one is `None`.
    pub nodes: Vec<Option<Node<S>>>,
    /// Leaves in memory.
    pub deferred: Vec<Leaf<S>>,
    /// Numbers of ready leaves in the order of their turns.
    pub turns: Vec<usize>,
    /// Threads that have not exited.
    pub live: S,
    /// Threads asleep at a barrier.
    pub asleep: S,
}

impl<S: ThreadSet> From<&Table<S>> for Picture<S> {
    fn from(table: &Table<S>) -> Self {
        let mut nodes = Vec::new();
        for (number, node) in table.nodes() {
            nodes.resize(number, None);
            nodes.push(Some(*node));
        }
        Self {
            nodes,
            deferred: table.deferred().copied().collect(),
            turns: table.turns().collect(),
            live: table.live,
            asleep: table.asleep,
        }
    }
}

/// A rule that a picture breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule} broken: {detail}")]
pub struct Breach {
    /// The requirement.
    pub rule: &'static str,
    /// What is seen and what is owed.
    pub detail: String,
}

impl<S: ThreadSet> Picture<S> {
    /// Judges the picture.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), Breach> {
        self.partition()?;
        self.leaves()?;
        self.parents()?;
        self.bounds()
    }

    fn in_use(&self) -> impl Iterator<Item = (usize, &Node<S>)> {
        self.nodes.iter().enumerate().filter_map(|(number, node)| Some((number, node.as_ref()?)))
    }

    fn node(&self, number: usize) -> Option<&Node<S>> {
        self.nodes.get(number)?.as_ref()
    }

    fn partition(&self) -> Result<(), Breach> {
        let held = self.in_use().map(|(_, node)| node.threads).chain(self.deferred.iter().map(|leaf| leaf.threads));
        let mut seen = self.asleep;
        for threads in held {
            if !(seen & threads).is_empty() {
                return breach("TD-02", format!("the threads {:x?} are in two places", seen & threads));
            }
            seen |= threads;
        }
        if seen != self.live {
            return breach("TD-02", format!("the threads {seen:x?} are somewhere, {:x?} live", self.live));
        }
        Ok(())
    }

    fn leaves(&self) -> Result<(), Breach> {
        if let Some(leaf) = self.deferred.iter().find(|leaf| leaf.threads.is_empty()) {
            return breach("TD-05", format!("an empty leaf in memory: {leaf:?}"));
        }
        let is_leaf = |(_, node): &(usize, &Node<S>)| node.region.is_none();
        if let Some((number, _)) = self.in_use().filter(is_leaf).find(|(_, node)| node.threads.is_empty()) {
            return breach("TD-05", format!("leaf {number} is empty"));
        }
        let leaves: Vec<usize> = self.in_use().filter(is_leaf).map(|(number, _)| number).collect();
        let mut turns = self.turns.clone();
        turns.sort_unstable();
        if turns != leaves {
            return breach("TD-04", format!("the leaves {leaves:?} have the turns {:?}", self.turns));
        }
        Ok(())
    }

    fn parents(&self) -> Result<(), Breach> {
        let mut children = vec![0; self.nodes.len()];
        let all = self.in_use().map(|(_, node)| node.parent).chain(self.deferred.iter().map(|leaf| leaf.parent));
        for parent in all.flatten() {
            if self.node(parent).is_none_or(|node| node.region.is_none()) {
                return breach("TD-02", format!("node {parent} has children and does not wait"));
            }
            children[parent] += 1;
        }
        let parent_of = |number: usize| self.node(number).and_then(|node| node.parent);
        for (number, node) in self.in_use() {
            let counted = children[number];
            if node.children != counted || (node.region.is_some() && counted == 0) {
                let detail = format!("node {number} has {counted} children and counts {}", node.children);
                return breach("TD-05", detail);
            }
            let above = node.parent.and_then(|parent| self.node(parent)?.region);
            let compacts = |kind: Kind| matches!(kind, Kind::Sync | Kind::Break | Kind::Continue);
            if node.region.is_some_and(|region| compacts(region.kind)) && node.region == above {
                return breach("TD-07", format!("node {number} waits for the same as the one above it: {above:?}"));
            }
            let mut steps = std::iter::successors(node.parent, |number| parent_of(*number));
            if steps.nth(self.nodes.len()).is_some() {
                return breach("TD-02", format!("node {number} is below itself"));
            }
        }
        Ok(())
    }

    fn bounds(&self) -> Result<(), Breach> {
        let awake = (self.live & !self.asleep).count();
        let (used, bound) = (self.in_use().count(), bound(self.in_use().map(|(_, node)| node), awake));
        if used > bound {
            return breach("TD-07", format!("{used} nodes for {awake} threads, bound {bound}"));
        }
        Ok(())
    }
}

/// The most nodes of a warp (TD-07): 2T - 1 for T threads that are awake, and one more for each region in which nothing has diverged.
pub fn bound<'a, S: ThreadSet + 'a>(nodes: impl Iterator<Item = &'a Node<S>>, awake: usize) -> usize {
    let idle = |node: &&Node<S>| node.region.is_some() && node.children == 1 && node.threads.is_empty();
    (2 * awake).saturating_sub(1) + nodes.filter(idle).count()
}

fn breach<T>(rule: &'static str, detail: String) -> Result<T, Breach> {
    Err(Breach { rule, detail })
}
