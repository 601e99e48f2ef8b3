//! The warps of a table as the reference tree has them, what any tree owes to each, and what the table is busy with.

use super::cycles;
use super::settings::Settings;
use crate::lockstep::bench::{Counts, Shape};
use heddle_hdl::divergence::token::{Cause, Operation};
use heddle_sim::engine::{Engine, Events, Fetch, Kind, Request, SavedToken};
use heddle_sim::model::tree::contract::{Fairness, TreeContract};
use heddle_sim::model::tree::structure::Breach;
use heddle_sim::model::tree::table::Node;
use heddle_sim::model::tree::{Table, TreeTable};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where a warp is.
#[derive(Debug)]
enum Slot {
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
enum End {
    /// Every thread exited.
    Halt,
    /// It is stopped, at this address.
    Stop(Cause, u32),
    /// It was saved.
    Left,
}

/// What is known of a running warp beside its tree.
#[derive(Debug)]
struct Watched {
    /// What it is owed whatever the table does with memory.
    contract: TreeContract,
    /// What it is owed while every node lies in the table.
    strict: Option<TreeContract>,
    /// The selected leaf, if the table has shown it since the last instruction.
    shown: Option<Fetch>,
    /// Leaves and nodes that went to memory, leaves that came back.
    spilled: u64,
    refilled: u64,
    /// It is being saved, and nothing else any more.
    leaving: bool,
    /// What the table and the model call the nodes that left (CX-09).
    names: BTreeMap<u16, u16>,
    /// The last exception was a leaf that went, and no instruction came since.
    just_spilled: bool,
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

/// Totals of what the events count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Waiting nodes opened.
    pub opened: u64,
    /// Waiting nodes that went.
    pub closed: u64,
    /// Leaves that parted.
    pub diverged: u64,
    /// Sets that became trees of their own.
    pub departed: u64,
    /// Waiting nodes that went with nobody arrived.
    pub discarded: u64,
}

/// All warps; see the module's page.
pub struct Warps {
    shape: Shape,
    settings: Settings,
    model: TreeTable,
    slots: Vec<Slot>,
    /// Nodes and leaves that leave with their warp, as the model has them, and that the table has not told yet.
    saved: VecDeque<(usize, SavedToken)>,
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
        let watched = Box::new(Watched {
            contract: TreeContract::launch(self.settings.fairness(), threads, address),
            strict: Some(TreeContract::launch(Fairness::FIRST_SIDE_FIRST, threads, address)),
            shown: None,
            spilled: 0,
            refilled: 0,
            leaving: false,
            names: BTreeMap::new(),
            just_spilled: false,
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

    /// Whether `request` opens a region or call, which the table may have no room for.
    fn opens(&self, request: &Request) -> bool {
        let Some(tree) = self.tree(request.warp) else { return false };
        if !matches!(request.operation, Operation::Push | Operation::Call) {
            return false;
        }
        let mut after = tree.clone();
        after.execute(request, self.model.configuration(), &mut Events::default());
        waiting(&after) > waiting(tree)
    }

    /// Whether the memory has room for no further waiting node (TD-09): that stops the warp, precisely.
    fn overflows(&self, request: &Request) -> bool {
        let room = self.shape.depth - 1 + self.settings.nodes_in_memory();
        self.opens(request) && self.tree(request.warp).is_some_and(|tree| waiting(tree) == room)
    }

    /// Whether the table may have something of a warp in memory, or needs memory for `request`.
    fn may_need_memory(&self, request: &Request) -> bool {
        let full = self.tree(request.warp).is_some_and(|tree| tree.nodes().count() >= self.shape.depth);
        self.overflowed(request.warp) || (full && self.opens(request))
    }

    fn overflowed(&self, warp: usize) -> bool {
        self.watched(warp).is_some_and(|watched| watched.strict.is_none())
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
            judge(watched.contract.accepted(fetch, request))?;
            if let Some(strict) = &mut watched.strict {
                judge(strict.accepted(fetch, request))?;
            }
        }
        (watched.shown, watched.just_spilled) = (None, false);
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
        let opened = u64::from(after.is_some_and(|after| waiting(after) > waiting(&before)));
        // Nothing is left of a warp that halts; of one that is stopped nothing changes.
        self.totals.closed += match after {
            Some(after) => waiting(&before) as u64 + opened - waiting(after) as u64,
            None if events.faults.is_empty() => waiting(&before) as u64,
            None => 0,
        };
        let leaf = before.selected();
        let rooted = leaf.is_some_and(|leaf| leaf.parent.is_some());
        let departs = match request.operation {
            Operation::Leave => events.yielded > 0,
            Operation::Yield => events.yielded > 0 && rooted,
            _ => false,
        };
        self.totals.opened += opened;
        self.totals.diverged += u64::from(events.diverged);
        self.totals.departed += u64::from(departs);
        self.totals.discarded += u64::from(events.discarded);
        count(request, &before, after, &events, departs, counts);

        if after.is_some_and(|after| after.nodes().count() > self.shape.depth) {
            watched.strict = None;
        }
        let left = !events.withdrawn.is_empty();
        let halts = !events.done.is_empty() || left;
        let ended = halts || !events.faults.is_empty();
        self.busy = match watched.strict {
            // Whoever halts needs no memory.
            None if !halts => Busy::Open(warp),
            _ => match cycles::busy(&before, request, &events) {
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

    /// The table says that `warp` halted.
    ///
    /// # Errors
    /// If it has no reason to.
    pub fn done(&mut self, warp: usize, now: u64, counts: &mut Counts) -> Result<(), String> {
        let Some(Slot::Ending(End::Halt, watched)) = self.slots.get(warp) else {
            return Err(format!("DQ-26: warp {warp} halted: {}", self.describe(warp)));
        };
        judge(watched.contract.done())?;
        counts.add("halt");
        self.end(warp, now)
    }

    /// Whether a warp is being saved: it gets no other instruction.
    pub fn is_leaving(&self, warp: usize) -> bool {
        self.watched(warp).is_some_and(|watched| watched.leaving)
    }

    /// A node or a leaf leaves with `warp`.
    ///
    /// # Errors
    /// If the model has another one, or knows the nodes by other names than before.
    pub fn leaves(&mut self, warp: usize, token: SavedToken) -> Result<(), String> {
        let (Some((known_warp, known)), Slot::Running(watched)) = (self.saved.pop_front(), &mut self.slots[warp])
        else {
            return Err(format!("CX-09: {token:x?} leaves warp {warp}, which has nothing to give"));
        };
        let mut same =
            known_warp == warp && (known.kind, known.mask, known.address) == (token.kind, token.mask, token.address);
        for (name, known) in [(token.node, known.node), (token.above, known.above)] {
            // 0 is nobody; two nodes never share a name.
            let others = watched.names.iter().any(|(other, model)| *model == known && *other != name);
            let first = *watched.names.entry(name).or_insert(known);
            same &= (name == 0) == (known == 0) && first == known && !others;
        }
        if !same {
            return Err(format!("CX-09: {token:x?} leaves warp {warp}, the model has {known:x?} of warp {known_warp}"));
        }
        Ok(())
    }

    /// The table says that `warp` left.
    ///
    /// # Errors
    /// If it has no reason to.
    pub fn left(&mut self, warp: usize, now: u64, counts: &mut Counts) -> Result<(), String> {
        if !matches!(self.slots.get(warp), Some(Slot::Ending(End::Left, _))) {
            return Err(format!("CX-09: warp {warp} left: {}", self.describe(warp)));
        }
        counts.add("withdrawn");
        self.end(warp, now)
    }

    /// The table says that it stopped `warp`, while `pending` was offered.
    ///
    /// # Errors
    /// If it has no reason to, or names another address.
    pub fn error(
        &mut self,
        warp: usize,
        cause: Cause,
        address: u32,
        pending: Option<&Request>,
        now: u64,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let expected = match self.slots.get(warp) {
            Some(Slot::Ending(End::Stop(known, address), watched)) if *known == cause => {
                judge(watched.contract.stopped(cause))?;
                counts.add("lost thread");
                Some(*address)
            }
            // A fatal exception comes before the instruction is taken.
            Some(Slot::Running(watched)) if cause == Cause::Fatal => {
                judge(watched.contract.stopped(cause))?;
                let request = pending.filter(|request| request.warp == warp && self.overflows(request));
                counts.add("fatal");
                request.and(self.tree(warp)).and_then(Table::selected).map(|leaf| leaf.address)
            }
            _ => None,
        };
        match expected {
            Some(known) if known == address => {}
            _ => {
                let known = self.describe(warp);
                return Err(format!("DQ-26: warp {warp} stopped by {cause:?} at {address:#x}: {known}, {expected:x?}"));
            }
        }
        self.end(warp, now)
    }

    /// The table told of the end of `warp`, in the last cycle for which it works for it.
    fn end(&mut self, warp: usize, now: u64) -> Result<(), String> {
        if let Busy::Until(_, free) = self.busy {
            if free != now + 1 {
                return Err(format!("TD-08: warp {warp} ends {} cycles early", free - now - 1));
            }
        }
        self.slots[warp] = Slot::Idle;
        self.busy = Busy::Until(warp, now + 1);
        Ok(())
    }

    /// A leaf or a node of `warp` moved, while `pending` was offered.
    ///
    /// # Errors
    /// If the table had room for all nodes, or more came back than went.
    pub fn exception(
        &mut self,
        warp: usize,
        cause: Cause,
        pending: Option<&Request>,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let opening = pending.is_some_and(|request| request.warp == warp && self.opens(request));
        let nodes = self.tree(warp).map_or(0, |tree| tree.nodes().count()) + usize::from(opening);
        let depth = self.shape.depth;
        let (Slot::Running(watched) | Slot::Ending(_, watched)) = &mut self.slots[warp] else {
            return Err(format!("TD-09: {cause:?} for warp {warp}, which does not run"));
        };
        if cause == Cause::Spill {
            counts.add("leaf or node to memory");
            watched.spilled += 1;
            watched.strict = None;
            watched.just_spilled = true;
            if nodes <= depth {
                return Err(format!("TD-09: something of warp {warp} goes to memory though {nodes} nodes fit"));
            }
        } else {
            counts.add("leaf from memory");
            watched.refilled += 1;
            if watched.just_spilled {
                counts.add("exchange");
            }
            watched.just_spilled = false;
            if watched.refilled > watched.spilled {
                return Err(format!("TD-09: a leaf of warp {warp} comes back that did not go"));
            }
        }
        Ok(())
    }

    /// The table says how many nodes a warp uses for which nothing is being done.
    ///
    /// # Errors
    /// If it is more than the tree has, or fewer than it needs: leaves without a parent may be one if they are at one address.
    pub fn nodes(&self, warp: usize, nodes: u64) -> Result<(), String> {
        let Some(tree) = self.tree(warp) else { return Ok(()) };
        let alone = |node: &&Node| node.region.is_none() && node.parent.is_none();
        let apart: BTreeSet<u32> = tree.nodes().map(|(_, node)| node).filter(alone).map(|node| node.address).collect();
        let others = tree.nodes().filter(|(_, node)| !alone(node)).count();
        let (least, most) = ((others + apart.len()) as u64, tree.nodes().count() as u64);
        // What lies in memory uses no node.
        let least = if self.overflowed(warp) { 0 } else { least };
        if !(least..=most).contains(&nodes) {
            return Err(format!("TD-07: warp {warp} uses {nodes} nodes, its tree has {least} to {most}"));
        }
        Ok(())
    }

    fn describe(&self, warp: usize) -> String {
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

/// Waiting nodes of a warp.
fn waiting(tree: &Table) -> usize {
    tree.nodes().filter(|(_, node)| node.region.is_some()).count()
}

fn judge(judgement: Result<(), Breach>) -> Result<(), String> {
    judgement.map_err(|breach| breach.to_string())
}

/// Counts what an instruction was and what came of it.
fn count(
    request: &Request,
    before: &Table,
    after: Option<&Table>,
    events: &Events,
    departs: bool,
    counts: &mut Counts,
) {
    counts.add(match request.operation {
        Operation::Step => "step",
        Operation::Push => "push",
        Operation::Branch => "branch",
        Operation::Indirect => "indirect",
        Operation::Call => "call",
        Operation::Leave => "leave",
        Operation::Yield => "yield",
        Operation::Exit => "exit",
        Operation::Sleep => "sleep",
        Operation::Wake => "wake",
        Operation::Withdraw => "withdraw",
        // A tree is restored by instructions; its traffic has none of these.
        Operation::Deposit | Operation::Disable => "unknown operation",
    });
    let Some(after) = after.filter(|_| request.operation != Operation::Withdraw) else { return };
    let named = before.selected().is_some_and(|leaf| leaf.threads & request.mask != 0);
    let leaves = request.operation == Operation::Leave && named;
    let pushed = request.operation == Operation::Push;
    let opened = u64::from(waiting(after) > waiting(before));
    let closed = waiting(before) as u64 + opened - waiting(after) as u64;
    for (happened, event) in [
        (events.diverged > 0, "divergence"),
        (pushed && opened == 0, "region that needs no node"),
        (leaves && !departs, "threads arrive"),
        (leaves && departs, "leave that detaches"),
        (request.operation == Operation::Yield && departs, "YIELD that detaches"),
        (closed > u64::from(events.discarded), "region goes on"),
        (events.discarded > 0, "discard"),
        (after.selected().is_none(), "parked"),
    ] {
        if happened {
            counts.add(event);
        }
    }
}
