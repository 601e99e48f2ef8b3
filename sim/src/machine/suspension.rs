//! Suspends a CTA and resumes it elsewhere, in the middle of a run (SM-05, CX-09, CX-10).
//!
//! If the kernel uses barriers, the scheduler is told first: from then on it wakes nobody of the CTA, whose warps go on until no thread is
//! inside a section. If that takes too long, the suspension fails and the CTA runs on.
//! Then its warps issue nothing more. When the engine works for none of them, each gives its divergence state
//! back ([`WarpContext`]), and the lanes theirs; local memory is copied to global memory by the context unit, once, and stays there. The
//! barrier scheduler hands out what it knows of the CTA, word by word. The warps are then free, for another CTA too. As soon as enough *other* warps
//! are free the CTA is launched on those, in another slot; where the core has not twice its warps, on any.

use std::collections::VecDeque;
use std::fmt;

use serde::Serialize;

use crate::engine::{Engine, Events, Request};
use crate::lanes::context::SavedLanes;
use crate::warp_context::{Restoration, WarpContext};

use super::barriers::{BarrierUnit, Leaving, SavedBarriers};
use super::blocks::{BlockLauncher, Resident};
use super::core::Machine;
use super::hang::Place;
use super::local_unit::{ContextFault, Group};
use super::observer::place;

/// When CTAs are suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspendOptions {
    /// The first resident CTA is suspended in this cycle, or as soon as there is one.
    pub at: u64,
    /// How often: again as soon as it runs again, or another one does.
    pub times: u32,
    /// Cycles that pass at least from its return, or from a suspension that failed, until one is suspended again.
    pub pause: u64,
    /// Cycles in which its threads must have left the sections that they are inside, at least 1; else the suspension fails (CX-10).
    pub patience: u16,
    /// So often a control core is asked before that for a slot in which nobody knows of a block; if there is none, that fails at once.
    pub vacant: u32,
    /// So many CTAs may be away at once, at least 1 and at most [`MOST_AWAY`](Self::MOST_AWAY): as long as fewer are, others follow; those that left first come back first.
    pub away: usize,
}

/// Cycles for which those that are away wait for another one to leave, if there may be more: until one is launched where they were.
const WAIT: u64 = 64;

impl SuspendOptions {
    /// Once, with patience.
    pub const fn at(at: u64) -> Self {
        Self { at, times: 1, pause: 0, patience: Self::PATIENCE, vacant: 0, away: 1 }
    }

    /// Whether another one is to leave, while so many are away.
    pub(crate) fn leaves(&self, cycle: u64, away: usize) -> bool {
        cycle >= self.at && away < self.away.clamp(1, Self::MOST_AWAY) && (away as u64) < u64::from(self.times)
    }

    /// Whether those that are away wait for another one to leave, while there is none; the last of them left in that cycle.
    pub(crate) fn waits(&self, cycle: u64, away: usize, left: u64) -> bool {
        self.leaves(cycle, away) && cycle < left.saturating_add(WAIT)
    }

    /// The most that may be away at once: each has a save area of its own, among addresses of 32 bits.
    pub const MOST_AWAY: usize = 2048;

    /// Cycles for which a bottom is waited, unless another number is named.
    pub const PATIENCE: u16 = 20_000;
}

/// Why a CTA could not be suspended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum SuspendFailure {
    /// The allocator had no room for its local memory (CX-05).
    NoMemory,
    /// A thread does not reach the bottom of its section in time (CX-10).
    NoBottom {
        /// The section's barrier.
        barrier: usize,
        /// The section's top.
        top: Place,
    },
}

/// A suspension that failed; the CTA ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedSuspension {
    /// The cycle in which that was known.
    pub cycle: u64,
    /// Number of the block in the grid.
    pub block: u32,
    /// Why.
    pub failure: SuspendFailure,
}

impl fmt::Display for FailedSuspension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycle, block, failure } = self;
        write!(formatter, "suspension failed in cycle {cycle}: ")?;
        match failure {
            SuspendFailure::NoMemory => write!(formatter, "no room for the local memory of block {block}"),
            SuspendFailure::NoBottom { barrier, top } => {
                write!(
                    formatter,
                    "a thread of block {block} does not leave the section of barrier {barrier}, entered at {top}"
                )
            }
        }?;
        write!(formatter, "; it runs on")
    }
}

/// How far a suspension is.
#[derive(Debug)]
enum Stage {
    /// It waits for its cycle.
    Waiting,
    /// The CTA in this slot runs on until nobody of it is inside a section.
    Closing { slot: usize },
    /// The CTA in this slot issues no more; the engine finishes what it is doing for it.
    Freezing { slot: usize },
    /// Its warps leave, one after the other.
    Saving { slot: usize, warps: Vec<usize>, groups: Vec<Group>, saved: Vec<WarpContext>, leaving: WarpContext },
    /// Its warps have left; the barrier scheduler hands out what it knows.
    Leaving { slot: usize, away: Box<Away> },
    /// Its warps come back, all at once; each as its launch is done.
    Returning { warps: Vec<usize>, steps: Vec<Restoration> },
}

/// A CTA that is nowhere resident.
#[derive(Debug)]
struct Away {
    /// What was on its warps, in its order, once it is out.
    block: Vec<Resident>,
    /// The warps that it had.
    from: Vec<usize>,
    contexts: Vec<WarpContext>,
    lanes: SavedLanes,
    /// What the barrier scheduler knew of it, once that is out; nothing if the kernel has no barriers.
    barriers: Option<SavedBarriers>,
    /// Handles of its warps' local memory; none if the kernel has no local memory.
    groups: Vec<Group>,
}

/// See the module's page.
#[derive(Debug)]
pub(super) struct Suspension {
    options: SuspendOptions,
    stage: Stage,
    /// Who is nowhere resident, the one that left first in front.
    away: VecDeque<Box<Away>>,
    /// When the last of them left.
    left: u64,
    /// The request at the engine's port was accepted; its token is under way.
    asked: bool,
}

impl Suspension {
    /// A suspension to come.
    pub(super) const fn new(options: SuspendOptions) -> Self {
        Self { options, stage: Stage::Waiting, away: VecDeque::new(), left: 0, asked: false }
    }

    /// Warps that must not issue.
    pub(super) fn frozen(&self, blocks: &BlockLauncher) -> u64 {
        let warps = match &self.stage {
            Stage::Waiting | Stage::Closing { .. } | Stage::Leaving { .. } => return 0,
            Stage::Freezing { slot } => blocks.warps_of(*slot),
            Stage::Saving { warps, .. } | Stage::Returning { warps, .. } => warps.clone(),
        };
        warps.into_iter().fold(0, |mask, warp| mask | 1 << warp)
    }

    /// Warps whose state is not all back in the engine: they cannot be woken.
    pub(super) fn absent(&self) -> u64 {
        match &self.stage {
            Stage::Returning { warps, .. } => warps.iter().fold(0, |mask, warp| mask | 1 << warp),
            _ => 0,
        }
    }

    /// Whether it moves a CTA in this cycle, or has one nowhere.
    pub(super) fn at_work(&self) -> bool {
        !matches!(self.stage, Stage::Waiting) || !self.away.is_empty()
    }

    /// What the engine is to be offered.
    pub(super) fn request(&mut self, engine: &mut dyn Engine) -> Option<Request> {
        match &mut self.stage {
            Stage::Saving { warps, saved, .. } if !self.asked => {
                Some(WarpContext::withdrawal(*warps.get(saved.len())?))
            }
            Stage::Returning { warps, steps } => {
                let ready = engine.ready();
                let able =
                    |(warp, steps): &(&mut usize, &mut Restoration)| ready >> **warp & 1 == 1 && !steps.is_done();
                let (warp, steps) = warps.iter_mut().zip(steps).find(able)?;
                steps.next(engine.fetch(*warp))
            }
            _ => None,
        }
    }

    /// The engine has accepted that.
    pub(super) fn accepted(&mut self, request: &Request) {
        match &mut self.stage {
            Stage::Saving { .. } => self.asked = true,
            Stage::Returning { warps, steps } => {
                if let Some(place) = warps.iter().position(|warp| *warp == request.warp) {
                    steps[place].accepted(request);
                }
            }
            _ => {}
        }
    }
}

impl Machine<'_> {
    /// What a suspension does between two cycles.
    pub(super) fn suspend(&mut self) -> Result<(), ContextFault> {
        let Some(mut suspension) = self.suspension.take() else { return Ok(()) };
        let worked = !matches!(suspension.stage, Stage::Waiting);
        let now = self.around.counters.cycles;
        suspension.stage = match std::mem::replace(&mut suspension.stage, Stage::Waiting) {
            Stage::Waiting => match self.choose_block(&suspension.options, suspension.away.len()) {
                Stage::Waiting => self.next_back(&mut suspension)?,
                stage => stage,
            },
            Stage::Closing { slot } => self.close(slot, &mut suspension.options),
            Stage::Freezing { slot } => self.begin_to_save(slot, &mut suspension.options)?,
            Stage::Leaving { slot, away } => match self.take_barriers(slot, away) {
                Ok(away) => {
                    suspension.away.push_back(away);
                    suspension.left = now;
                    let most = &mut self.around.counters.suspensions.most_away;
                    *most = (*most).max(suspension.away.len() as u64);
                    self.next_back(&mut suspension)?
                }
                Err(away) => Stage::Leaving { slot, away },
            },
            Stage::Returning { warps, steps } => {
                let arrived = steps.iter().all(Restoration::is_done)
                    && warps.iter().all(|warp| self.at_rest(*warp))
                    && self.barriers.as_ref().is_none_or(BarrierUnit::arrived);
                if arrived {
                    suspension.options.times -= 1;
                    self.around.counters.suspensions.resumed += 1;
                    Stage::Waiting
                } else {
                    Stage::Returning { warps, steps }
                }
            }
            saving @ Stage::Saving { .. } => saving,
        };
        if suspension.at_work() {
            self.around.watchdog.progress(now);
            self.around.watchdog.disturb();
        }
        // Back, or failed.
        if worked && matches!(suspension.stage, Stage::Waiting) && suspension.left != now {
            suspension.options.at = now.saturating_add(suspension.options.pause);
        }
        // Once it has been suspended as often as asked for, nothing is left to do.
        self.suspension = (suspension.options.times > 0).then_some(suspension);
        Ok(())
    }

    /// Another CTA is to leave, while so many are away.
    fn choose_block(&mut self, options: &SuspendOptions, away: usize) -> Stage {
        // Behind those that are away a core full of warps still has to find rows.
        let rows = away == 0 || self.around.rows_left() >= self.engine.configuration().warps;
        let due = options.leaves(self.around.counters.cycles, away)
            && rows
            && self.pending.is_none()
            && self.around.observer.is_none();
        let Some(slot) = due.then(|| self.blocks.first_begun()).flatten() else { return Stage::Waiting };
        match &mut self.barriers {
            Some(unit) => {
                unit.suspend(slot, options.patience);
                Stage::Closing { slot }
            }
            None => Stage::Freezing { slot },
        }
    }

    /// The barrier scheduler waits for the CTA's threads inside sections (CX-10). A CTA that has ended meanwhile need not leave.
    fn close(&mut self, slot: usize, options: &mut SuspendOptions) -> Stage {
        let block = self.blocks.warps_of(slot).first().and_then(|warp| self.blocks.resident(*warp));
        let Some(unit) = &mut self.barriers else { return Stage::Freezing { slot } };
        let Some(block) = block.map(|resident| resident.block) else {
            unit.run_on();
            return Stage::Waiting;
        };
        match unit.leaving() {
            Some(Leaving::Held) => Stage::Freezing { slot },
            Some(Leaving::Failed(report)) => {
                let (barrier, address) = report.other.unwrap_or_default();
                let failure = SuspendFailure::NoBottom { barrier, top: place(self.around.kernel, address) };
                unit.run_on();
                self.fail(block, failure, options);
                Stage::Waiting
            }
            _ => Stage::Closing { slot },
        }
    }

    /// The CTA runs on.
    fn fail(&mut self, block: u32, failure: SuspendFailure, options: &mut SuspendOptions) {
        options.times -= 1;
        self.around.suspension_failed(block, failure);
    }

    /// The engine works neither for this warp nor for its barriers: it may issue, has halted, or all its threads sleep.
    fn at_rest(&mut self, warp: usize) -> bool {
        let idle = (self.engine.ready() | !self.engine.running()) >> warp & 1 == 1;
        let asleep = self.barriers.as_ref().is_some_and(|unit| unit.parked() >> warp & 1 == 1 || unit.is_waking(warp));
        idle || asleep && self.engine.fetch(warp).active == 0
    }

    /// The engine works for none of the CTA's warps: they can leave. A CTA that has ended meanwhile cannot.
    fn begin_to_save(&mut self, slot: usize, options: &mut SuspendOptions) -> Result<Stage, ContextFault> {
        let warps = self.blocks.warps_of(slot);
        let Some(&first) = warps.first() else {
            if let Some(unit) = &mut self.barriers {
                unit.run_on();
            }
            return Ok(Stage::Waiting);
        };
        let quiet = self.barriers.as_ref().is_none_or(|unit| unit.quiet(&warps));
        if self.pending.is_some() || !quiet || !warps.iter().all(|warp| self.at_rest(*warp)) {
            return Ok(Stage::Freezing { slot });
        }
        let Some(groups) = self.around.save_local(&warps)? else {
            // CX-05: whoever was copied runs on from there, the CTA unharmed.
            if let Some(unit) = &mut self.barriers {
                unit.run_on();
            }
            let block = self.blocks.resident(first).map_or(0, |resident| resident.block);
            self.fail(block, SuspendFailure::NoMemory, options);
            return Ok(Stage::Waiting);
        };
        let Some(leaving) = WarpContext::look(self.engine.as_mut(), first) else { return Ok(Stage::Waiting) };
        if let Some(unit) = &mut self.barriers {
            unit.withdraw();
        }
        Ok(Stage::Saving { slot, warps, groups, saved: Vec::new(), leaving })
    }

    /// What the engine reports of a CTA that leaves.
    pub(super) fn suspension_edge(&mut self, events: &Events) {
        let Some(suspension) = &mut self.suspension else { return };
        let Stage::Saving { slot, warps, groups, saved, leaving } = &mut suspension.stage else { return };
        for (_, token) in &events.saved {
            leaving.tokens.push(*token);
            suspension.asked = false;
        }
        if events.withdrawn.is_empty() {
            return;
        }
        suspension.asked = false;
        saved.push(leaving.clone());
        if let Some(next) = warps.get(saved.len()) {
            if let Some(context) = WarpContext::look(self.engine.as_mut(), *next) {
                *leaving = context;
            }
            return;
        }
        let (slot, from, groups) = (*slot, std::mem::take(warps), std::mem::take(groups));
        let contexts = std::mem::take(saved);
        let Some(lanes) = self.around.lanes.take_out(&from) else { return };
        let counts = &mut self.around.counters.suspensions;
        counts.suspended += 1;
        counts.tokens += contexts.iter().map(|context| context.tokens.len() as u64).sum::<u64>();
        counts.words += lanes.words() + contexts.iter().map(|context| 2 * context.words() as u64).sum::<u64>();
        for &warp in &from {
            self.around.locks.forget(warp);
            self.around.recorder.finish(self.around.counters.cycles, warp);
        }
        let away = Box::new(Away { block: Vec::new(), from, contexts, lanes, barriers: None, groups });
        suspension.stage = Stage::Leaving { slot, away };
    }

    /// Its slot is free for another CTA when the barrier scheduler has handed out all of it, not before: until then it is given back as it is.
    fn take_barriers(&mut self, slot: usize, mut away: Box<Away>) -> Result<Box<Away>, Box<Away>> {
        if let Some(unit) = &mut self.barriers {
            away.barriers = unit.take_away();
            let Some(barriers) = &away.barriers else { return Err(away) };
            self.around.counters.suspensions.words += 2 * barriers.words() as u64;
        }
        away.block = self.blocks.leave(slot);
        Ok(away)
    }

    /// Whoever left first comes back, unless another one is to leave first.
    fn next_back(&mut self, suspension: &mut Suspension) -> Result<Stage, ContextFault> {
        let Suspension { options, away, left, .. } = suspension;
        if options.waits(self.around.counters.cycles, away.len(), *left) {
            return Ok(Stage::Waiting);
        }
        let Some(first) = away.pop_front() else { return Ok(Stage::Waiting) };
        self.bring_back(first, away)
    }

    /// Launches the CTA anew, if there is room for it; else it stays the first of those that are away.
    fn bring_back(&mut self, away: Box<Away>, others: &mut VecDeque<Box<Away>>) -> Result<Stage, ContextFault> {
        let Some((slot, warps)) = self.blocks.enter(&away.block, &away.from) else {
            others.push_front(away);
            return Ok(Stage::Waiting);
        };
        if let (Some(unit), Some(barriers)) = (&mut self.barriers, &away.barriers) {
            let numbers = away.block.iter().map(|resident| resident.warp_of_block as usize);
            unit.bring_back(barriers, slot, numbers.zip(warps.iter().copied()));
        }
        self.around.lanes.put_back(&away.lanes, &warps);
        self.around.resume_local(&warps, &away.groups)?;
        for ((&warp, context), resident) in warps.iter().zip(&away.contexts).zip(&away.block) {
            context.resume(self.engine.as_mut(), warp);
            self.scheduler.launched(warp, resident.priority);
            self.around.depths[warp] = 0;
            self.around.recorder.touch(warp);
        }
        let steps = warps.iter().zip(&away.contexts).map(|(warp, context)| context.restoration(*warp)).collect();
        Ok(Stage::Returning { warps, steps })
    }
}
