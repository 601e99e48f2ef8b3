//! A running group as the reference has it: which warp is to issue, what its report leads to, and when.

use super::masks::Masks;
use super::GroupShape;
use crate::lockstep::bench::Counts;
use crate::lockstep::tree_watch::{opens, Effect, Settings, Totals, Watch};
use heddle_hdl::divergence::token::Cause;
use heddle_sim::engine::{Configuration, Events, Mask, Request};
use heddle_sim::model::tree::group::{Group, WarpTurn};
use heddle_sim::model::tree::rules::Outcome;
use heddle_sim::model::tree::set::GroupSet;

/// How a group ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every thread exited.
    Halt,
    /// It is stopped, at this address.
    Stop(Cause, u32),
}

/// What follows when the tree has taken an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Cycles for which the tree works; unknown with something in memory.
    pub busy: Option<u64>,
    /// The group ends.
    pub end: Option<End>,
}

/// See the module's page.
pub struct Followed {
    shape: GroupShape,
    rules: Configuration,
    /// The reference.
    pub group: Group,
    watch: Watch<GroupSet>,
    masks: Masks,
    /// What the table shows of the warp that is to issue, and its index, since the last report.
    shown: Option<(WarpTurn, usize)>,
    /// Where the leaf's first warp would lead, as long as nobody is named.
    unled: Option<u32>,
    /// Cycles of the unions that come after the tree has taken the instruction: at a node further up.
    united_later: u64,
}

impl Followed {
    /// A group at its launch: the warp and the threads of each position.
    ///
    /// # Errors
    /// None of a group that has just been launched.
    pub fn launch(
        launches: &[(usize, Mask)],
        address: u32,
        shape: &GroupShape,
        settings: &Settings,
        counts: &mut Counts,
    ) -> Result<Self, String> {
        let (mapping, threads): (Vec<usize>, Vec<Mask>) = launches.iter().copied().unzip();
        let group = Group::follower(&mapping, &threads, address);
        let room = settings.room(&shape.sizes, shape.ring());
        let watch = Watch::launch(room, settings.fairness(), group.table().live, address);
        let masks = Masks::launch(&threads, shape, counts)?;
        let rules = settings.rules(&shape.sizes);
        Ok(Self { shape: *shape, rules, group, watch, masks, shown: None, unled: None, united_later: 0 })
    }

    /// Whether it has threads.
    pub fn lives(&self) -> bool {
        self.group.table().live != GroupSet::default()
    }

    /// Whether a leaf is selected; else all sleep.
    pub fn selects(&self) -> bool {
        self.group.table().selected().is_some()
    }

    /// Whether the table has shown whose turn it is, since the last report.
    pub fn has_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Whether all warps of the leaf have reported.
    pub fn is_complete(&self) -> bool {
        self.group.instruction().is_some()
    }

    /// Whether some have, and others are still to.
    pub fn reports(&self) -> bool {
        self.group.reported() > 0 && !self.is_complete()
    }

    /// What the table shows of the warp that is to issue.
    ///
    /// # Errors
    /// A leaf that no tree has, a warp whose turn it is not, another index than that of its mask, or a change without a report.
    pub fn show(&mut self, turn: WarpTurn, index: usize) -> Result<(), String> {
        match self.shown {
            Some(shown) if shown != (turn, index) => {
                return Err(format!("TD-11: {turn:x?} is shown, before without a report {shown:x?}"));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        let WarpTurn { position, active, address, warp } = turn;
        self.group.follow(position, active, address).map_err(|what| format!("TD-10: {what}"))?;
        let known = self.group.mapping()[position];
        if warp != known {
            return Err(format!("TD-10: warp {warp} is shown at position {position}, which has warp {known}"));
        }
        if self.masks.index(position, active) != Some(index) {
            let known = self.masks.index(position, active);
            return Err(format!("TD-10: {active:#x} of position {position} has index {index}, not {known:?}"));
        }
        self.shown = Some((turn, index));
        Ok(())
    }

    /// The warp shown reported. Gives the cycles until the next one may, or the tree may take the instruction.
    ///
    /// # Errors
    /// If no warp was to report.
    pub fn report(&mut self, request: &Request, counts: &mut Counts) -> Result<u64, String> {
        let (turn, _) = self.shown.take().ok_or("TD-10: a report was taken while no warp was shown")?;
        self.note_lead(turn.active & request.mask != 0, request, counts);
        let report = self.group.report(request).ok_or("TD-10: a report was taken though all warps have reported")?;
        if !report.along {
            counts.add("warp that goes elsewhere");
        }
        let mut cycles = self.masks.report(turn.position, turn.active, report.along, request, counts)?;
        self.united_later = 0;
        if let Some((mask, request)) = self.group.instruction() {
            // Who arrives where others have is united before the tree takes the instruction, or when the node further up is found.
            let (mut after, mut events) = (self.group.clone(), Events::default());
            after.execute(&self.rules, &mut events);
            let (before, after) = (self.group.table(), Some(after.table()));
            let effect = Effect { request: &request, mask, before, after, events: &events, always_departs: true };
            if let Some((arrived, further)) = effect.arrives().map(|(node, further)| (node.threads, further)) {
                let unions = self.masks.unite(arrived, mask, counts)?;
                if unions > 0 {
                    counts.add(if further { "union further up" } else { "union at the node above" });
                }
                if further {
                    self.united_later = unions;
                } else {
                    cycles += unions;
                }
            }
        }
        Ok(cycles)
    }

    /// Counts a warp that names threads after others that name nobody and would lead elsewhere.
    fn note_lead(&mut self, names: bool, request: &Request, counts: &mut Counts) {
        if self.group.reported() == 0 {
            self.unled = Some(request.target);
        }
        if names && self.unled.take().is_some_and(|target| target != request.target) {
            counts.add("warp that leads elsewhere than one that names nobody");
        }
    }

    /// Whether the instruction that all warps have reported may have to wait for memory.
    pub fn may_need_memory(&self) -> bool {
        self.watch.may_need_memory(self.group.table(), self.opens())
    }

    fn opens(&self) -> bool {
        let instruction = self.group.instruction();
        instruction.is_some_and(|(mask, request)| opens(self.group.table(), mask, &request, &self.rules))
    }

    /// Whether the memory has no room for the node that the instruction opens.
    fn overflows(&self) -> bool {
        self.watch.overflows(self.group.table(), self.opens())
    }

    /// The tree took the instruction that all warps have reported.
    ///
    /// # Errors
    /// If it must not, or the leaf was owed nothing of it.
    pub fn taken(&mut self, totals: &mut Totals, counts: &mut Counts) -> Result<Taken, String> {
        let (mask, request) = self.group.instruction().ok_or("TD-10: an instruction was taken before all reported")?;
        if self.overflows() {
            return Err("TD-09: the group goes on though memory has no room for a node".into());
        }
        let before = self.group.table().clone();
        let leaf = before.selected().ok_or("DQ-26: an instruction of a group was taken, which is parked")?;
        let later = self.group.later().to_vec();
        self.watch.accepted(leaf.threads, leaf.address, mask, &request)?;
        for (woken, request) in &later {
            self.watch.accepted(leaf.threads, leaf.address, *woken, request)?;
        }
        let mut events = Events::default();
        let outcome = self.group.execute(&self.rules, &mut events);
        let after = (outcome == Outcome::Running).then(|| self.group.table());
        let end = match outcome {
            Outcome::Running => None,
            Outcome::Done => Some(End::Halt),
            Outcome::Stopped(cause) => Some(End::Stop(cause, leaf.address)),
            Outcome::Withdrawn => return Err("CX-09: a group cannot be saved".into()),
        };
        // The engine's events tell of the end, the rules' outcome does it here.
        if let Some(End::Stop(cause, address)) = end {
            events.faults.push(heddle_sim::engine::Fault { warp: 0, cause, address });
        } else if end.is_some() {
            events.done.push(0);
        }
        let effect = Effect { request: &request, mask, before: &before, after, events: &events, always_departs: true };
        effect.add_to(totals);
        effect.count(counts);
        let busy = effect.busy() + self.united_later;
        self.watch.executed(after);
        if end.is_none() {
            self.masks.check(&self.group, &self.shape, counts)?;
        }
        let busy = (!self.watch.overflowed() || end == Some(End::Halt)).then_some(busy);
        Ok(Taken { busy, end })
    }

    /// A wake-up was taken. Gives the cycles for which the tree works; unknown if that may need memory.
    ///
    /// # Errors
    /// If a contract is broken by it.
    pub fn wake(&mut self, position: usize, request: &Request, counts: &mut Counts) -> Result<Option<u64>, String> {
        counts.add("wake");
        if self.reports() {
            counts.add("wake between reports");
        }
        let threads = self.group.asleep(position) & request.mask;
        let before = self.group.later().len();
        let woken = self.group.wake(position, request, &self.rules, &mut Events::default());
        if self.group.later().len() > before {
            counts.add("wake before the sleep is taken");
        }
        if threads == 0 {
            return Ok(Some(0));
        }
        if let Some(woken) = woken {
            self.watch.accepted(woken, 0, woken, request)?;
            self.watch.executed(Some(self.group.table()));
        }
        let stored = self.masks.wake(position, threads, counts)?;
        // The tree takes a cycle for it. A leaf that it meets later may find no node now.
        let crowded = self.watch.overflowed() || self.nodes() > self.shape.sizes.depth;
        Ok((!crowded).then_some(stored + 1))
    }

    /// Nodes of the tree, those of wake-ups that it meets later among them.
    fn nodes(&self) -> usize {
        self.group.table().nodes().count() + self.group.later().len()
    }

    /// The table says how many nodes it uses while nothing is being done.
    ///
    /// # Errors
    /// If the tree has not as many.
    pub fn check_nodes(&self, nodes: u64) -> Result<(), String> {
        if !self.group.later().is_empty() {
            return Ok(());
        }
        self.watch.nodes(self.group.table(), nodes, false).map_err(|what| format!("TD-07: {what}"))
    }

    /// A leaf or a node moved.
    ///
    /// # Errors
    /// If there was no need.
    pub fn exception(&mut self, cause: Cause, counts: &mut Counts) -> Result<(), String> {
        let nodes = self.nodes() + usize::from(self.opens());
        self.watch.exception(cause, nodes, counts).map_err(|what| format!("TD-09: {what}"))
    }

    /// It halted.
    ///
    /// # Errors
    /// If threads live.
    pub fn done(&self) -> Result<(), String> {
        self.watch.done()
    }

    /// It was stopped before it took the instruction: where.
    ///
    /// # Errors
    /// If there was no reason for it.
    pub fn fatal(&self) -> Result<Option<u32>, String> {
        self.watch.stopped(Cause::Fatal)?;
        Ok(self.group.table().selected().filter(|_| self.overflows()).map(|leaf| leaf.address))
    }

    /// It was stopped at an instruction that it took.
    ///
    /// # Errors
    /// If there was no reason for it.
    pub fn stopped(&self, cause: Cause) -> Result<(), String> {
        self.watch.stopped(cause)
    }
}
