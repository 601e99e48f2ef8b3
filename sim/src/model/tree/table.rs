//! The nodes of one warp's trees, in what order its leaves take turns, and the leaves that a full table keeps in memory.
//!
//! **Source** US 2015/0205606; TD-01 (nodes), TD-04 (turns), TD-05 (who is freed when), TD-09 (what a full table does).

use super::set::ThreadSet;
use crate::engine::{Cause, Events, Kind, Mask};
use std::collections::VecDeque;

/// A region that was opened and in which threads still run: its node waits (TD-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Which instruction opened it.
    pub kind: Kind,
    /// Where the arrived threads go on, in instructions.
    pub resume: u32,
}

/// A node (TD-01). Without a region it is a leaf and its threads run; with one it waits and they have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node<S = Mask> {
    /// The leaf's running threads, or those that have arrived at the region's end.
    pub threads: S,
    /// Next instruction of a leaf, in instructions; of no meaning in a waiting node.
    pub address: u32,
    /// The node that waits for this one.
    pub parent: Option<usize>,
    /// Nodes and deferred leaves whose parent this is.
    pub children: usize,
    /// What it waits for.
    pub region: Option<Region>,
    /// It waits in memory, for the table was full (TD-09).
    pub in_memory: bool,
}

/// A leaf without a place in the tree yet, or without a node: a word in memory (TD-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaf<S = Mask> {
    /// Its threads.
    pub threads: S,
    /// Its next instruction.
    pub address: u32,
    /// The node that waits for it.
    pub parent: Option<usize>,
}

/// The sizes of a table that can be full (TD-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes of a warp.
    pub nodes: usize,
    /// Leaves of a warp that memory holds, and as many waiting nodes.
    pub deferred: usize,
    /// N: instructions after which a deferred leaf comes in for another.
    pub exchange_interval: u8,
}

/// Memory has no room for a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// All nodes of one warp.
#[derive(Clone, Debug, Default)]
pub struct Table<S = Mask> {
    pub(crate) nodes: Vec<Option<Node<S>>>,
    /// Ready leaves; the front one is selected.
    pub(crate) turns: VecDeque<usize>,
    pub(crate) deferred: VecDeque<Leaf<S>>,
    /// Threads that have not exited.
    pub live: S,
    /// Threads asleep at a barrier, in no node (SM-07).
    pub asleep: S,
    /// The most nodes that were in use at once, those in memory not counted.
    pub high_water: usize,
    pub(crate) limits: Option<Limits>,
    /// Parentless leaves of one address become one only when somebody says so ([`super::TreeTable::follow`]).
    pub(crate) keeps_apart: bool,
    /// Instructions since the last exchange.
    pub(crate) since_exchange: u8,
    /// The leaf that got its turn last, by the instruction at work.
    pub(crate) newest: Option<usize>,
    /// Number of the warp, for events.
    pub(crate) warp: usize,
}

impl<S: ThreadSet> Table<S> {
    /// A warp at its launch: one parentless leaf. Without limits the table has as many nodes as it needs.
    pub fn launch(warp: usize, threads: S, address: u32, limits: Option<Limits>) -> Self {
        let root = Node { threads, address, parent: None, children: 0, region: None, in_memory: false };
        Self {
            nodes: vec![Some(root)],
            turns: VecDeque::from([0]),
            live: threads,
            high_water: 1,
            limits,
            warp,
            ..Self::default()
        }
    }

    /// The nodes in use, with their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Node<S>)> {
        self.nodes.iter().enumerate().filter_map(|(number, node)| node.as_ref().map(|node| (number, node)))
    }

    /// The leaf that runs next.
    pub fn selected(&self) -> Option<&Node<S>> {
        self.turns.front().map(|number| self.node(*number))
    }

    /// Numbers of the ready leaves, the next one first.
    pub fn turns(&self) -> impl Iterator<Item = usize> + '_ {
        self.turns.iter().copied()
    }

    /// Leaves that are in memory, the one that comes back first in front.
    pub fn deferred(&self) -> impl Iterator<Item = &Leaf<S>> {
        self.deferred.iter()
    }

    /// A node that is in use.
    pub(crate) fn node(&self, number: usize) -> &Node<S> {
        match &self.nodes[number] {
            Some(node) => node,
            None => panic!("node {number} is free"),
        }
    }

    pub(crate) fn node_mut(&mut self, number: usize) -> &mut Node<S> {
        match &mut self.nodes[number] {
            Some(node) => node,
            None => panic!("node {number} is free"),
        }
    }

    /// Nodes that are not in memory.
    pub fn on_chip(&self) -> usize {
        self.nodes().filter(|(_, node)| !node.in_memory).count()
    }

    /// Is there a node for one more leaf?
    pub(crate) fn has_free_node(&self) -> bool {
        self.limits.is_none_or(|limits| self.on_chip() < limits.nodes)
    }

    /// A node that waits goes to memory, so that its own is free (TD-09).
    pub(crate) fn put_away(&mut self, number: usize, events: &mut Events) -> Result<(), NoRoom> {
        let away = self.nodes().filter(|(_, node)| node.in_memory).count();
        if self.limits.is_some_and(|limits| away == limits.deferred) {
            return Err(NoRoom);
        }
        self.node_mut(number).in_memory = true;
        events.popped.push(self.warp);
        events.exceptions.push((Cause::Spill, self.warp));
        Ok(())
    }

    /// A leaf's turn comes after all others.
    pub(crate) fn queue(&mut self, number: usize) {
        self.turns.push_back(number);
        self.newest = Some(number);
    }

    /// Puts a leaf into a free node, at the end of the turns.
    pub(crate) fn insert(&mut self, leaf: Leaf<S>) -> usize {
        let Leaf { threads, address, parent } = leaf;
        let node = Some(Node { threads, address, parent, children: 0, region: None, in_memory: false });
        let number = match self.nodes.iter().position(Option::is_none) {
            Some(free) => free,
            None => {
                self.nodes.push(None);
                self.nodes.len() - 1
            }
        };
        self.nodes[number] = node;
        self.queue(number);
        self.high_water = self.high_water.max(self.on_chip());
        number
    }

    /// A new leaf under a parent that counts it: in a free node, else in memory (TD-09).
    pub(crate) fn add(&mut self, leaf: Leaf<S>, events: &mut Events) -> Result<(), NoRoom> {
        if self.has_free_node() {
            self.insert(leaf);
            events.pushed.push(self.warp);
            return Ok(());
        }
        self.defer(leaf, events)
    }

    /// A leaf without parent: into the ready parentless leaf of its address if there is one, else as [`Table::add`] (TD-04).
    pub(crate) fn add_detached(&mut self, leaf: Leaf<S>, events: &mut Events) -> Result<(), NoRoom> {
        events.yielded += 1;
        if self.merge(leaf) {
            events.merged += 1;
            return Ok(());
        }
        self.add(leaf, events)
    }

    /// Adds the threads of a parentless leaf to the one of its address, if there is one.
    pub(crate) fn merge(&mut self, leaf: Leaf<S>) -> bool {
        let alike = |node: &Node<S>| node.parent.is_none() && node.address == leaf.address;
        let partner = self.turns.iter().copied().find(|number| alike(self.node(*number)));
        let Some(partner) = partner.filter(|_| !self.keeps_apart) else { return false };
        self.node_mut(partner).threads |= leaf.threads;
        true
    }

    fn defer(&mut self, leaf: Leaf<S>, events: &mut Events) -> Result<(), NoRoom> {
        if self.limits.is_some_and(|limits| self.deferred.len() == limits.deferred) {
            return Err(NoRoom);
        }
        self.deferred.push_back(leaf);
        events.exceptions.push((Cause::Spill, self.warp));
        Ok(())
    }

    /// A node lost a child. The last one resumes it with those who arrived; if nobody did it is freed, and so on upwards (TD-05, TD-06).
    pub(crate) fn lose_child(&mut self, parent: Option<usize>, events: &mut Events) -> Result<(), NoRoom> {
        let mut next = parent;
        while let Some(number) = next {
            let node = self.node_mut(number);
            node.children -= 1;
            if node.children > 0 {
                return Ok(());
            }
            if !node.threads.is_empty() {
                if let Some(region) = node.region.take() {
                    node.address = region.resume;
                }
                let Node { threads, address, parent, in_memory, .. } = *node;
                if in_memory {
                    self.nodes[number] = None;
                    return self.add(Leaf { threads, address, parent }, events);
                }
                self.queue(number);
                return Ok(());
            }
            next = node.parent;
            if !node.in_memory {
                events.popped.push(self.warp);
            }
            self.nodes[number] = None;
            events.discarded += 1;
        }
        Ok(())
    }

    /// Free nodes take what memory holds, in order (TD-09).
    pub(crate) fn refill(&mut self, events: &mut Events) {
        while self.has_free_node() {
            let Some(leaf) = self.deferred.pop_front() else { break };
            self.insert(leaf);
            events.pushed.push(self.warp);
            events.exceptions.push((Cause::Refill, self.warp));
        }
        if self.deferred.is_empty() {
            self.since_exchange = 0;
        }
    }

    /// After each instruction of a leaf: every N of them the longest deferred leaf comes in for what the instruction left, if it left
    /// a leaf (TD-09). Whoever has not run since it came in may not be sent back, or it might never run.
    pub(crate) fn count_for_exchange(&mut self, left: Option<usize>, events: &mut Events) {
        let Some(limits) = self.limits else { return };
        if self.deferred.is_empty() {
            return;
        }
        self.since_exchange = self.since_exchange.saturating_add(1);
        let Some(number) = left.filter(|_| self.since_exchange >= limits.exchange_interval) else { return };
        self.since_exchange = 0;
        self.turns.retain(|other| *other != number);
        let Some(incoming) = self.deferred.pop_front() else { return };
        let Node { threads, address, parent, .. } = *self.node(number);
        self.deferred.push_back(Leaf { threads, address, parent });
        let Leaf { threads, address, parent } = incoming;
        self.nodes[number] = Some(Node { threads, address, parent, children: 0, region: None, in_memory: false });
        self.turns.push_back(number);
        events.popped.push(self.warp);
        events.pushed.push(self.warp);
        events.exceptions.extend([(Cause::Spill, self.warp), (Cause::Refill, self.warp)]);
    }

    /// The nearest node above a leaf that waits for this kind.
    pub(crate) fn nearest(&self, leaf: &Node<S>, kind: Kind) -> Option<usize> {
        self.ancestors(leaf).find(|number| self.node(*number).region.is_some_and(|region| region.kind == kind))
    }

    /// The nodes above a leaf, the nearest first.
    pub(crate) fn ancestors<'a>(&'a self, leaf: &Node<S>) -> impl Iterator<Item = usize> + 'a {
        std::iter::successors(leaf.parent, |number| self.node(*number).parent)
    }
}
