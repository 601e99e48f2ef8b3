//! A tree that follows another one: it takes the leaf that the other selected, so that both can be compared whatever the other's order of
//! turns is and wherever it keeps its nodes.

use super::set::ThreadSet;
use super::table::Table;
use crate::engine::Kind;

impl<S: ThreadSet> Table<S> {
    /// The same tree, which merges nothing by itself.
    pub(crate) fn apart(self, keeps_apart: bool) -> Self {
        Self { keeps_apart, ..self }
    }

    /// Selects the leaf of these threads at this address.
    ///
    /// Hardware may merge parentless leaves of one address later than the model or not at all: the leaf may be the union of several.
    ///
    /// # Errors
    /// If no ready leaf, or union of such leaves, has this address and these threads.
    pub fn follow(&mut self, active: S, address: u32) -> Result<(), String> {
        let leaves = || self.turns().map(|number| (number, *self.node(number)));
        let exact = leaves().find(|(_, leaf)| leaf.threads == active && leaf.address == address);
        let parts: Vec<usize> = match exact {
            Some((number, _)) => vec![number],
            None => leaves()
                .filter(|(_, leaf)| leaf.address == address && leaf.parent.is_none())
                .filter(|(_, leaf)| (leaf.threads & !active).is_empty())
                .map(|(number, _)| number)
                .collect(),
        };
        let threads = parts.iter().fold(S::default(), |set, number| set | self.node(*number).threads);
        let (Some(&first), true) = (parts.first(), threads == active) else {
            return Err(format!("no ready leaf of {active:x?} at {address:#x}: {}", self.leaves()));
        };
        self.turns.retain(|number| !parts.contains(number));
        for number in &parts[1..] {
            self.nodes[*number] = None;
        }
        self.node_mut(first).threads = threads;
        self.turns.push_front(first);
        Ok(())
    }

    /// The ready leaves, for messages.
    pub(crate) fn leaves(&self) -> String {
        let leaves = self.turns().map(|number| self.node(number));
        leaves.map(|leaf| format!("{:x?} at {:#x}", leaf.threads, leaf.address)).collect::<Vec<_>>().join(", ")
    }

    /// Threads that do not run for a reason. Barrier: asleep. Divergence: in a leaf that is not selected. Every other: arrived at a region of
    /// that kind.
    pub fn disabled(&self, reason: Kind) -> S {
        let union = |set: S, threads: S| set | threads;
        match reason {
            Kind::Barrier => self.asleep,
            Kind::Divergence => {
                let others = self.turns().skip(1).map(|number| self.node(number).threads);
                others.chain(self.deferred().map(|leaf| leaf.threads)).fold(S::default(), union)
            }
            kind => self
                .nodes()
                .filter(|(_, node)| node.region.is_some_and(|region| region.kind == kind))
                .map(|(_, node)| node.threads)
                .fold(S::default(), union),
        }
    }
}
