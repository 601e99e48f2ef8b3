//! What each instruction does to the trees of a warp (TD-02 to TD-07; Sleep and Wake of SM-07).
//!
//! Every instruction splits the selected leaf's threads into at most four parts: one *stays* in the leaf's node, one becomes a
//! *sibling* under the same parent, one *detaches* into a tree of its own, and some *arrive* at a region or are gone. The table
//! does the rest: a leaf that nobody stays in is freed, and a region whose last child is gone resumes.
//!
//! **Source** US 2015/0205606. Claim 1 gives the split; the rest is written so that no thread ever waits for itself.

use super::set::ThreadSet;
use super::table::{Leaf, NoRoom, Node, Region, Table};
use crate::engine::{Cause, Configuration, Events, Kind, Operation, PathPolicy, Request, SavedToken};

/// What became of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on, or all its live threads are asleep.
    Running,
    /// Every thread has exited.
    Done,
    /// It was stopped, and its state is what it was before the instruction.
    Stopped(Cause),
    /// It was saved: nothing of it is left but sleeping threads (CX-09).
    Withdrawn,
}

/// Some threads and their next instruction.
type Part<S> = (S, u32);

/// How the threads of a leaf part.
#[derive(Clone, Copy, Debug, Default)]
struct Split<S> {
    /// Keep the leaf's node.
    stay: Option<Part<S>>,
    /// Become another leaf under the same parent.
    sibling: Option<Part<S>>,
    /// Become a tree of their own.
    detach: Option<Part<S>>,
    /// Who stays is in the middle of an instruction: the leaf keeps its turn, and joins nobody.
    unfinished: bool,
}

impl<S: ThreadSet> Split<S> {
    fn stay(threads: S, address: u32) -> Self {
        Self { stay: (!threads.is_empty()).then_some((threads, address)), ..Self::default() }
    }
}

impl Table {
    /// Runs one instruction on the selected leaf, or a Wake on the warp.
    pub fn execute(&mut self, request: &Request, rules: &Configuration, events: &mut Events) -> Outcome {
        match request.operation {
            Operation::Withdraw => self.withdraw(events),
            _ => self.execute_on(request.mask, request, rules, events),
        }
    }

    /// CX-09: the selected leaf leaves, and with it the nodes above that have nobody else below them. Whoever has arrived at one does not go
    /// on: he is part of what is saved.
    fn withdraw(&mut self, events: &mut Events) -> Outcome {
        let Some(number) = self.turns.pop_front() else { return Outcome::Withdrawn };
        let name = |node: Option<usize>| node.map_or(0, |number| number as u16 + 1);
        let Some(Node { threads, address, parent, .. }) = self.nodes[number].take() else { return Outcome::Running };
        let leaf = SavedToken { kind: Kind::Divergence, mask: threads, address, node: 0, above: name(parent) };
        events.saved.push((self.warp, leaf));
        events.popped.push(self.warp);
        self.live &= !threads;
        let mut next = parent;
        while let Some(number) = next {
            let node = self.node_mut(number);
            node.children -= 1;
            let (Node { threads, parent, children, .. }, region) = (*node, node.region);
            let Some(Region { kind, resume }) = region.filter(|_| children == 0) else { break };
            let token = SavedToken { kind, mask: threads, address: resume, node: name(next), above: name(parent) };
            events.saved.push((self.warp, token));
            events.popped.push(self.warp);
            self.live &= !threads;
            self.nodes[number] = None;
            next = parent;
        }
        self.refill(events);
        Outcome::Running
    }
}

impl<S: ThreadSet> Table<S> {
    /// The same on any kind of set: `mask` is what the request names.
    pub fn execute_on(&mut self, mask: S, request: &Request, rules: &Configuration, events: &mut Events) -> Outcome {
        // A table that may be full changes nothing if it turns out to be (TD-09).
        let before = self.limits.map(|_| (self.clone(), events.clone()));
        self.newest = None;
        let stopped = match self.try_execute(mask, request, rules, events) {
            Ok(None) => {
                let left = self.newest;
                self.refill(events);
                if request.operation != Operation::Wake {
                    self.count_for_exchange(left, events);
                }
                return if self.live.is_empty() { Outcome::Done } else { self.someone_is_left() };
            }
            Ok(Some(cause)) => cause,
            Err(NoRoom) => Cause::Fatal,
        };
        if let Some((table, old_events)) = before {
            (*self, *events) = (table, old_events);
        }
        Outcome::Stopped(stopped)
    }

    /// DQ-26: live threads that neither run nor sleep are lost. The rules never let that happen.
    fn someone_is_left(&self) -> Outcome {
        if self.turns.is_empty() && self.deferred.is_empty() && self.live != self.asleep {
            return Outcome::Stopped(Cause::LostThread);
        }
        Outcome::Running
    }

    fn try_execute(
        &mut self,
        mask: S,
        request: &Request,
        rules: &Configuration,
        events: &mut Events,
    ) -> Result<Option<Cause>, NoRoom> {
        if request.operation == Operation::Wake {
            return self.wake(mask, request, events).map(|()| None);
        }
        let Some(leaf) = self.selected().copied() else { return Ok(None) };
        let (named, unnamed) = (leaf.threads & mask, leaf.threads & !mask);
        let (target, next) = (request.target, leaf.address.wrapping_add(1));
        let split = match request.operation {
            // A tree is restored by instructions; to it the others of a context are without control flow.
            Operation::Step | Operation::Withdraw | Operation::Deposit | Operation::Disable => {
                Split::stay(leaf.threads, next)
            }
            Operation::Push => {
                let region = Region { kind: request.kind.unwrap_or(Kind::Sync), resume: target };
                return self.push(region, (leaf.threads, next), None, events);
            }
            // An instruction that names no thread of the leaf does nothing.
            _ if named.is_empty() => Split::stay(leaf.threads, next),
            // TD-02, TD-03
            Operation::Branch if unnamed.is_empty() => Split::stay(named, target),
            Operation::Branch => {
                let (taken, not_taken) = ((named, target), (unnamed, next));
                let (first, second) = match taken_first(rules.path_policy, named, unnamed) {
                    true => (taken, not_taken),
                    false => (not_taken, taken),
                };
                Split { stay: Some(first), sibling: Some(second), ..Split::default() }
            }
            // The others meet this same instruction again.
            Operation::Indirect => {
                let sibling = (!unnamed.is_empty()).then_some((unnamed, leaf.address));
                Split { stay: Some((named, target)), sibling, ..Split::default() }
            }
            Operation::Call => {
                let region = Region { kind: Kind::Call, resume: next };
                let sibling = (!unnamed.is_empty()).then_some((unnamed, next));
                return self.push(region, (named, target), sibling, events);
            }
            // TD-05, TD-06: they join the nearest region of the kind if it ends there; else nobody waits for them there.
            Operation::Leave => {
                let kind = request.kind.unwrap_or(Kind::Sync);
                let onward = if request.again { leaf.address } else { next };
                let nearest = self.nearest(&leaf, kind);
                let ends_there = |number: &usize| {
                    !request.targeted || self.node(*number).region.is_some_and(|region| region.resume == target)
                };
                match nearest.filter(ends_there) {
                    Some(region) => {
                        self.node_mut(region).threads |= named;
                        Split::stay(unnamed, onward)
                    }
                    None if !request.targeted => return Ok(Some(Cause::LostThread)),
                    None => {
                        // Part of the answer to a barrier's instruction; the rest of it is for the same leaf (SM-07).
                        let unfinished = request.again && kind == Kind::Barrier;
                        Split { detach: Some((named, target)), unfinished, ..Split::stay(unnamed, onward) }
                    }
                }
            }
            // TD-04
            Operation::Yield => Split { detach: Some((named, next)), ..Split::stay(unnamed, next) },
            Operation::Exit => {
                self.live &= !named;
                Split::stay(unnamed, next)
            }
            Operation::Sleep | Operation::Wake => {
                self.asleep |= named;
                Split::stay(unnamed, next)
            }
        };
        self.part(split, events)?;
        Ok(None)
    }

    /// The selected leaf's node goes to whoever stays, else to whoever detaches, else it is freed; then the turns move on.
    fn part(&mut self, split: Split<S>, events: &mut Events) -> Result<(), NoRoom> {
        let Some(number) = self.turns.pop_front() else { return Ok(()) };
        let parent = self.node(number).parent;
        if let Some((threads, address)) = split.stay {
            let node = self.node_mut(number);
            (node.threads, node.address) = (threads, address);
            if !split.unfinished {
                self.queue(number);
            }
        }
        if let Some((threads, address)) = split.sibling {
            events.diverged += 1;
            if let Some(parent) = parent {
                self.node_mut(parent).children += 1;
            }
            self.add(Leaf { threads, address, parent }, events)?;
        }
        match split.detach.map(|(threads, address)| Leaf { threads, address, parent: None }) {
            Some(leaf) if split.stay.is_some() => self.add_detached(leaf, events)?,
            Some(leaf) => {
                events.yielded += 1;
                self.nodes[number] = None;
                if self.merge(leaf) {
                    events.merged += 1;
                    events.popped.push(self.warp);
                } else {
                    self.insert(leaf);
                }
            }
            None if split.stay.is_none() => {
                self.nodes[number] = None;
                events.popped.push(self.warp);
            }
            None => {}
        }
        if split.unfinished && split.stay.is_some() {
            self.turns.push_front(number);
        }
        if split.stay.is_none() {
            self.lose_child(parent, events)?;
        }
        Ok(())
    }

    /// TD-02: the selected leaf's node waits, with one child that holds the threads of the part; TD-07: unless the node above
    /// already waits for the same. A sibling is what a predicated call leaves behind.
    fn push(
        &mut self,
        region: Region,
        (threads, address): Part<S>,
        sibling: Option<Part<S>>,
        events: &mut Events,
    ) -> Result<Option<Cause>, NoRoom> {
        let Some(&number) = self.turns.front() else { return Ok(None) };
        let parent = self.node(number).parent;
        let same_above = parent.is_some_and(|parent| self.node(parent).region == Some(region));
        let compacts = matches!(region.kind, Kind::Sync | Kind::Break | Kind::Continue);
        if compacts && same_above {
            self.part(Split::stay(threads, address), events)?;
            return Ok(None);
        }
        // With nobody else to run, the child needs the node: then the one that waits goes to memory. (Leaving the region out would
        // be wrong: whoever leaves it later would detach from the calls around it.)
        let crowded = !self.has_free_node() && self.turns.len() == 1;
        self.turns.pop_front();
        let node = self.node_mut(number);
        (node.threads, node.children, node.region) = (S::default(), 1, Some(region));
        if crowded {
            self.put_away(number, events)?;
        }
        self.add(Leaf { threads, address, parent: Some(number) }, events)?;
        if let Some((threads, address)) = sibling {
            events.diverged += 1;
            if let Some(parent) = parent {
                self.node_mut(parent).children += 1;
            }
            self.add(Leaf { threads, address, parent }, events)?;
        }
        Ok(None)
    }

    /// Sleepers become a ready tree of their own; whose turn it is does not change (SM-07).
    fn wake(&mut self, mask: S, request: &Request, events: &mut Events) -> Result<(), NoRoom> {
        let threads = self.asleep & mask;
        if threads.is_empty() {
            return Ok(());
        }
        self.asleep &= !threads;
        self.add_detached(Leaf { threads, address: request.target, parent: None }, events)
    }
}

/// DQ-22: does the taken side keep the leaf?
fn taken_first<S: ThreadSet>(policy: PathPolicy, taken: S, not_taken: S) -> bool {
    match policy {
        PathPolicy::Taken => true,
        PathPolicy::NotTaken => false,
        PathPolicy::Smaller => taken.count() <= not_taken.count(),
        PathPolicy::Larger => taken.count() >= not_taken.count(),
    }
}
