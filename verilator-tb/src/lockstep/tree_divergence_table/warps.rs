//! The warps of a table as the reference tree has them, what any tree owes to each, and what the table is busy with.

use super::RING;
use crate::lockstep::bench::{Counts, Shape};
use crate::lockstep::tree_watch::{opens, Effect, Settings, Totals, Watch};
use heddle_hdl::divergence::token::{Cause, Operation};
use heddle_sim::engine::{Engine, Fetch, Kind, Mask, Request, SavedToken};
use heddle_sim::model::tree::{Table, TreeTable};
use std::collections::{BTreeMap, VecDeque};

/// Where a warp is.
#[derive(Debug)]
pub(super) enum Slot {
    /// It does not run.
    Idle,
    /// Its launch is on the pins.
    Launching,
    /// It runs.
    Running(Box<Watched>),
    /// The model says that it is over; the table has to say so too.
    Ending(End, Box<Watched>),
}

/// How a warp ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every thread exited.
    Halt,
    /// It is stopped, at this address.
    Stop(Cause, u32),
    /// It was saved.
    Left,
}

/// What is known of a running warp beside its tree.
#[derive(Debug)]
pub(super) struct Watched {
    /// What it is owed, and what of it is in memory.
    pub(super) tree: Watch<Mask>,
    /// The selected leaf, if the table has shown it since the last instruction.
    shown: Option<Fetch>,
    /// It is being saved, and nothing else any more.
    leaving: bool,
    /// What the table and the model call the nodes that left (CX-09).
    pub(super) names: BTreeMap<u16, u16>,
}

/// What the table is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// It takes requests.
    Free,
    /// It works for a warp, and takes requests from this cycle on.
    Until(usize, u64),
    /// It works for a warp with memory behind it: nobody says how long.
    Open(usize),
}

/// All warps; see the module's page.
pub struct Warps {
    shape: Shape,
    settings: Settings,
    model: TreeTable,
    pub(super) slots: Vec<Slot>,
    /// Nodes and leaves that leave with their warp, as the model has them, and that the table has not told yet.
    pub(super) saved: VecDeque<(usize, SavedToken)>,
    /// What the table is at.
    pub busy: Busy,
    /// What the model counted.
    pub totals: Totals,
}

impl Warps {
    /// No warp runs.
    pub fn new(shape: &Shape, settings: &Settings) -> Self {
        Self {
            model: TreeTable::follower(settings.rules(shape)),
            slots: (0..shape.warps).map(|_| Slot::Idle).collect(),
            saved: VecDeque::new(),
            busy: Busy::Free,
            totals: Totals::default(),
            shape: *shape,
            settings: settings.clone(),
        }
    }

    fn watched(&self, warp: usize) -> Option<&Watched> {
        match &self.slots[warp] {
            Slot::Running(watched) => Some(watched),
            _ => None,
        }
    }

    /// The tree of a running warp.
    pub fn tree(&self, warp: usize) -> Option<&Table> {
        self.watched(warp).and(self.model.warp(warp))
    }

    /// Whether a warp can be launched.
    pub fn is_idle(&self, warp: usize) -> bool {
        matches!(self.slots[warp], Slot::Idle)
    }

    /// The first running warp.
    pub fn a_running_one(&self) -> Option<usize> {
        (0..self.shape.warps).find(|warp| self.watched(*warp).is_some())
    }

    /// Whether everything is over.
    pub fn all_idle(&self) -> bool {
        (0..self.shape.warps).all(|warp| self.is_idle(warp))
    }

    /// Whether the selected leaf of a warp is known, or there is none.
    pub fn knows_leaf(&self, warp: usize) -> bool {
        self.watched(warp).is_some_and(|watched| watched.shown.is_some())
    }

    /// A warp that may issue, as far as the model knows: it runs, and has a leaf that is not asleep.
    pub fn may_issue(&self, warp: usize) -> bool {
        self.tree(warp).is_some_and(|tree| tree.selected().is_some())
    }

    /// The launch of `warp` goes on the pins.
    pub fn offer_launch(&mut self, warp: usize) {
        self.slots[warp] = Slot::Launching;
    }

    /// The launch was taken.
    pub fn launch(&mut self, warp: usize, threads: u64, address: u32, now: u64) {
        let room = self.settings.room(&self.shape, RING);
        let watched = Box::new(Watched {
            tree: Watch::launch(room, self.settings.fairness(), threads, address),
            shown: None,
            leaving: false,
            names: BTreeMap::new(),
        });
        if threads == 0 {
            // It halts at once, and that takes a cycle.
            self.slots[warp] = Slot::Ending(End::Halt, watched);
            self.busy = Busy::Until(warp, now + 2);
        } else {
            self.model.launch(warp, threads, address);
            self.slots[warp] = Slot::Running(watched);
        }
    }

    /// What the table shows of a warp for which nothing is being done.
    ///
    /// # Errors
    /// A leaf that no tree has, that changed by itself, or threads disabled for another reason than they are.
    pub fn query(&mut self, warp: usize, fetch: Fetch, kind: Kind, disabled: u64) -> Result<(), String> {
        let Slot::Running(watched) = &mut self.slots[warp] else { return Ok(()) };
        let parked = self.model.warp(warp).is_some_and(|tree| tree.selected().is_none());
        match watched.shown {
            Some(shown) if shown != fetch => {
                return Err(format!("TD-11: warp {warp} shows {fetch:x?}, before without an instruction {shown:x?}"));
            }
            Some(_) => {}
            None if parked => {
                if fetch.active != 0 {
                    return Err(format!("SM-07: all of warp {warp} is asleep, and {:#x} run", fetch.active));
                }
            }
            None => self.model.follow(warp, fetch).map_err(|what| format!("TD-02: {what}"))?,
        }
        watched.shown = Some(fetch);
        let known = self.model.disabled(warp, kind);
        if disabled != known {
            return Err(format!("TD-01: {disabled:#x} of warp {warp} are disabled for {kind:?}, the model {known:#x}"));
        }
        Ok(())
    }

    /// Whether `request` opens a region or call.
    pub(super) fn opens(&self, request: &Request) -> bool {
        self.tree(request.warp).is_some_and(|tree| opens(tree, request.mask, request, self.model.configuration()))
    }

    /// Whether the memory has no room for the node that `request` opens.
    pub(super) fn overflows(&self, request: &Request) -> bool {
        let (Some(watched), Some(tree)) = (self.watched(request.warp), self.tree(request.warp)) else { return false };
        watched.tree.overflows(tree, self.opens(request))
    }

    /// Whether the table may have something of a warp in memory, or needs memory for `request`.
    fn may_need_memory(&self, request: &Request) -> bool {
        let (Some(watched), Some(tree)) = (self.watched(request.warp), self.tree(request.warp)) else { return false };
        watched.tree.may_need_memory(tree, self.opens(request))
    }

    /// The table did not take `request`, though it might have.
    ///
    /// # Errors
    /// If it had no reason not to.
    pub fn refused(&mut self, request: &Request) -> Result<(), String> {
        if self.busy == Busy::Free {
            if !self.may_need_memory(request) {
                return Err(format!("TD-11: the table is free and does not take {request:x?}"));
            }
            self.busy = Busy::Open(request.warp);
        }
        Ok(())
    }

    /// A request was taken while the table showed what [`Warps::query`] was told: the model carries it out at once.
    ///
    /// # Errors
    /// If it must not have been taken.
    pub fn execute(&mut self, request: &Request, now: u64, counts: &mut Counts) -> Result<(), String> {
        let warp = request.warp;
        if let Busy::Until(..) = self.busy {
            return Err(format!("TD-11: an instruction was taken while the table is {:?}", self.busy));
        }
        if self.overflows(request) {
            return Err(format!("TD-09: warp {warp} goes on though memory has no room for a node"));
        }
        let withdraws = request.operation == Operation::Withdraw;
        let wakes = request.operation == Operation::Wake;
        let before = self.tree(warp).cloned().ok_or(format!("DQ-26: warp {warp} does not run"))?;
        let Slot::Running(watched) = &mut self.slots[warp] else { return Ok(()) };
        let fetch = watched.shown.ok_or("the bench has to look at a warp before it issues")?;
        if fetch.active == 0 && !wakes && !withdraws {
            return Err(format!("DQ-26: an instruction of warp {warp} was taken, which is parked"));
        }
        watched.leaving |= withdraws;
        if !withdraws {
            watched.tree.accepted(fetch.active, fetch.address, request.mask, request)?;
        }
        watched.shown = None;
        if !self.model.offer(request) {
            return Err(format!("the model does not take {request:?}"));
        }
        let events = self.model.tick();
        if let Some((_, untold)) = self.saved.front() {
            return Err(format!("CX-09: {untold:x?} of a warp did not leave before its next instruction"));
        }
        self.saved.extend(&events.saved);
        if events.saved.iter().any(|(_, token)| token.node != 0 && token.mask != 0) {
            counts.add("region leaves with those who arrived");
        }
        let address = before.selected().map_or(0, |leaf| leaf.address);
        let after = self.model.warp(warp);
        let mask = request.mask;
        let effect = Effect { request, mask, before: &before, after, events: &events, always_departs: false };
        effect.add_to(&mut self.totals);
        effect.count(counts);
        watched.tree.executed(after);
        let left = !events.withdrawn.is_empty();
        let halts = !events.done.is_empty() || left;
        let ended = halts || !events.faults.is_empty();
        self.busy = match watched.tree.overflowed() {
            // Whoever halts needs no memory.
            true if !halts => Busy::Open(warp),
            _ => match effect.busy() {
                0 => Busy::Free,
                busy => Busy::Until(warp, now + 1 + busy),
            },
        };
        if ended {
            let end = match events.faults.first() {
                Some(fault) => End::Stop(fault.cause, address),
                None if left => End::Left,
                None => End::Halt,
            };
            if let Slot::Running(watched) = std::mem::replace(&mut self.slots[warp], Slot::Idle) {
                self.slots[warp] = Slot::Ending(end, watched);
            }
        }
        Ok(())
    }

    /// Whether the table is free in this cycle, from what its ready bits say.
    ///
    /// # Errors
    /// Ready bits that differ from the model.
    pub fn ready(&mut self, ready: u128, takes: bool, now: u64) -> Result<(), String> {
        match self.busy {
            Busy::Until(_, free) if now >= free => self.busy = Busy::Free,
            Busy::Open(warp) if takes || ready >> warp & 1 == 1 => self.busy = Busy::Free,
            _ => {}
        }
        for warp in 0..self.shape.warps {
            let is_ready = ready >> warp & 1 == 1;
            let works = match self.busy {
                Busy::Free => false,
                Busy::Until(other, _) | Busy::Open(other) => other == warp,
            };
            // A leaf of a warp with leaves in memory may have to come back first.
            let due = self.may_issue(warp) && !works;
            if is_ready != due {
                return Err(format!(
                    "TD-11: warp_ready is {is_ready} for warp {warp}, the model says {due} ({:?}): {}",
                    self.busy,
                    self.describe(warp)
                ));
            }
        }
        Ok(())
    }

    /// The running bits of this cycle, before anything in it was looked at.
    ///
    /// # Errors
    /// A bit that differs from the model.
    pub fn check_running(&self, running: u128, now: u64) -> Result<(), String> {
        for (warp, slot) in self.slots.iter().enumerate() {
            let runs = running >> warp & 1 == 1;
            let (wrong, late) = match slot {
                Slot::Running(_) => (!runs, false),
                Slot::Idle | Slot::Launching => (runs, false),
                Slot::Ending(..) => (!runs, matches!(self.busy, Busy::Until(_, free) if now >= free)),
            };
            if wrong || late {
                return Err(format!("DQ-26: warp_running is {runs} for warp {warp}: {}", self.describe(warp)));
            }
        }
        Ok(())
    }

    /// Whether a warp is being saved: it gets no other instruction.
    pub fn is_leaving(&self, warp: usize) -> bool {
        self.watched(warp).is_some_and(|watched| watched.leaving)
    }

    /// The table says how many nodes a warp uses for which nothing is being done.
    ///
    /// # Errors
    /// If it is more than the tree has, or fewer than it needs.
    pub fn nodes(&self, warp: usize, nodes: u64) -> Result<(), String> {
        let (Some(watched), Some(tree)) = (self.watched(warp), self.tree(warp)) else { return Ok(()) };
        watched.tree.nodes(tree, nodes, true).map_err(|what| format!("TD-07: warp {warp}: {what}"))
    }

    pub(super) fn describe(&self, warp: usize) -> String {
        match self.slots.get(warp) {
            None => "there is no such warp".into(),
            Some(Slot::Running(_)) => match self.tree(warp).and_then(Table::selected) {
                Some(leaf) => format!("{:#x} run at {:#x}", leaf.threads, leaf.address),
                None => "it is parked".into(),
            },
            Some(slot) => format!("{slot:x?}"),
        }
    }
}
