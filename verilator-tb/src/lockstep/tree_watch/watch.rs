//! What a running tree is owed, and what of it may be in memory.

use super::waiting;
use crate::lockstep::bench::Counts;
use heddle_hdl::divergence::token::Cause;
use heddle_sim::engine::Request;
use heddle_sim::model::tree::contract::{Fairness, TreeContract};
use heddle_sim::model::tree::set::ThreadSet;
use heddle_sim::model::tree::structure::Breach;
use heddle_sim::model::tree::table::Node;
use heddle_sim::model::tree::Table;
use std::collections::BTreeSet;

/// How many nodes there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Nodes of the table.
    pub depth: usize,
    /// Waiting nodes that memory holds.
    pub away: usize,
}

/// See the module's page.
#[derive(Debug)]
pub struct Watch<S> {
    room: Room,
    /// What it is owed whatever the table does with memory.
    contract: TreeContract<S>,
    /// What it is owed while every node lies in the table.
    strict: Option<TreeContract<S>>,
    /// Leaves and nodes that went to memory, leaves that came back.
    spilled: u64,
    refilled: u64,
    /// Nodes of the tree, and those that it had before its last instruction.
    nodes: [usize; 2],
    /// A leaf went although there is a node for it; it has to come back before the next instruction.
    early: bool,
    /// The last exception was a leaf that went, and no instruction came since.
    just_spilled: bool,
}

impl<S: ThreadSet> Watch<S> {
    /// A tree at its launch.
    pub fn launch(room: Room, fairness: Fairness, threads: S, address: u32) -> Self {
        Self {
            room,
            contract: TreeContract::launch(fairness, threads, address),
            strict: Some(TreeContract::launch(Fairness::FIRST_SIDE_FIRST, threads, address)),
            spilled: 0,
            refilled: 0,
            nodes: [1; 2],
            early: false,
            just_spilled: false,
        }
    }

    /// Whether something of it may be in memory.
    pub fn overflowed(&self) -> bool {
        self.strict.is_none()
    }

    /// Whether the memory has no room for the waiting node that an instruction `opens` (TD-09): that stops the warp, precisely.
    pub fn overflows(&self, tree: &Table<S>, opens: bool) -> bool {
        opens && waiting(tree) == self.room.depth - 1 + self.room.away
    }

    /// Whether something of it may be in memory, or has to go there for the node that an instruction `opens`.
    pub fn may_need_memory(&self, tree: &Table<S>, opens: bool) -> bool {
        self.overflowed() || (opens && tree.nodes().count() >= self.room.depth)
    }

    /// An instruction was taken while `active` were shown at `address`; it names `mask`.
    ///
    /// # Errors
    /// What the tree owed and did not do.
    pub fn accepted(&mut self, active: S, address: u32, mask: S, request: &Request) -> Result<(), String> {
        if self.early {
            return Err("TD-09: a leaf went to memory while its node was being freed, and none came back".into());
        }
        judge(self.contract.accepted(active, address, mask, request))?;
        self.strict.as_mut().map_or(Ok(()), |strict| judge(strict.accepted(active, address, mask, request)))
    }

    /// It was carried out; `after` is the tree that is left.
    pub fn executed(&mut self, after: Option<&Table<S>>) {
        self.just_spilled = false;
        self.nodes = [after.map_or(0, |after| after.nodes().count()), self.nodes[0]];
        if after.is_some_and(|after| after.nodes().count() > self.room.depth) {
            self.strict = None;
        }
    }

    /// A leaf or a node moved while the tree had `nodes`, those that are being opened among them.
    ///
    /// # Errors
    /// If the table had room for all nodes, or more came back than went.
    pub fn exception(&mut self, cause: Cause, nodes: usize, counts: &mut Counts) -> Result<(), String> {
        if cause == Cause::Spill {
            counts.add("leaf or node to memory");
            // A region in memory that goes on needs a node, and the one that the same instruction frees is free a cycle later. So a leaf goes
            // and comes back, and not unless something was in memory and the tree has shrunk.
            if nodes <= self.room.depth {
                if !self.overflowed() || self.nodes[1] <= self.room.depth {
                    return Err(format!("something goes to memory though {nodes} nodes fit"));
                }
                self.early = true;
            }
            self.spilled += 1;
            self.strict = None;
            self.just_spilled = true;
        } else {
            counts.add("leaf from memory");
            self.early = false;
            self.refilled += 1;
            if self.just_spilled {
                counts.add("exchange");
            }
            self.just_spilled = false;
            if self.refilled > self.spilled {
                return Err("a leaf comes back that did not go".into());
            }
        }
        Ok(())
    }

    /// The table says how many nodes a tree uses for which nothing is being done.
    ///
    /// # Errors
    /// If it is more than the tree has, or fewer than it needs: if leaves merge, those without a parent may be one if they are at one address.
    pub fn nodes(&self, tree: &Table<S>, nodes: u64, merges: bool) -> Result<(), String> {
        let alone = |node: &&Node<S>| merges && node.region.is_none() && node.parent.is_none();
        let apart: BTreeSet<u32> = tree.nodes().map(|(_, node)| node).filter(alone).map(|node| node.address).collect();
        let others = tree.nodes().filter(|(_, node)| !alone(node)).count();
        let (least, most) = ((others + apart.len()) as u64, tree.nodes().count() as u64);
        // What lies in memory uses no node.
        let least = if self.overflowed() { 0 } else { least };
        if !(least..=most).contains(&nodes) {
            return Err(format!("{nodes} nodes are in use, the tree has {least} to {most}"));
        }
        Ok(())
    }

    /// It halted.
    ///
    /// # Errors
    /// If threads of it live.
    pub fn done(&self) -> Result<(), String> {
        judge(self.contract.done())
    }

    /// It was stopped.
    ///
    /// # Errors
    /// If there was no reason for it.
    pub fn stopped(&self, cause: Cause) -> Result<(), String> {
        judge(self.contract.stopped(cause))
    }
}

/// A breach as a bench tells it.
///
/// # Errors
/// The breach.
pub fn judge(judgement: Result<(), Breach>) -> Result<(), String> {
    judgement.map_err(|breach| breach.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_sim::engine::Mask;

    const ROOM: Room = Room { depth: 8, away: 4 };

    /// A tree of which something is in memory, with so many nodes before its last instruction.
    fn overflowed(before: usize) -> Watch<Mask> {
        let mut watch = Watch::launch(ROOM, Fairness::FIRST_SIDE_FIRST, 0xff, 0);
        let counts = &mut Counts::default();
        watch.exception(Cause::Spill, ROOM.depth + 1, counts).expect("there is no room");
        watch.exception(Cause::Spill, ROOM.depth + 1, counts).expect("there is no room");
        watch.nodes = [ROOM.depth, before];
        watch
    }

    fn step(watch: &mut Watch<Mask>, address: u32) -> Result<(), String> {
        watch.accepted(0xff, address, 0xff, &Request::nothing(0))
    }

    /// TD-09: a leaf goes while all nodes fit only on a tree that was too large and has something in memory, and one comes back before the next instruction.
    #[test]
    fn td_09_a_leaf_that_goes_early_comes_back() {
        let counts = &mut Counts::default();
        let mut watch = overflowed(ROOM.depth + 1);
        step(&mut watch, 0).expect("nothing went early");
        watch.exception(Cause::Spill, ROOM.depth, counts).expect("its node is being freed");
        assert!(step(&mut watch, 1).expect_err("it stays there").contains("none came back"));
        watch.exception(Cause::Spill, ROOM.depth + 1, counts).expect("there is no room");
        assert!(step(&mut watch, 1).expect_err("another one went as well").contains("none came back"));
        watch.exception(Cause::Refill, ROOM.depth, counts).expect("one comes back");
        step(&mut watch, 1).expect("it has come back");

        let fits = |mut watch: Watch<Mask>| watch.exception(Cause::Spill, ROOM.depth, &mut Counts::default());
        assert!(fits(overflowed(ROOM.depth)).expect_err("the tree did not shrink").contains("nodes fit"));
        let mut whole = overflowed(ROOM.depth + 1);
        whole.strict = Some(TreeContract::launch(Fairness::FIRST_SIDE_FIRST, 0xff, 0));
        assert!(fits(whole).expect_err("nothing is in memory").contains("nodes fit"));
    }
}
