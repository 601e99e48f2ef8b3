//! Suspends a CTA and resumes it elsewhere, in the middle of a run (SM-05, CX-09).
//!
//! From the chosen cycle on the CTA's warps issue nothing more. When the engine works for none of them, each gives its divergence state
//! back ([`WarpContext`]), and the lanes theirs; local memory is copied to global memory by the context unit, once, and stays there. The
//! warps are then free, for another CTA too. As soon as enough *other* warps
//! are free the CTA is launched on those, in another slot; where the core has not twice its warps, on any.

use crate::engine::{Engine, Events, Request};
use crate::lanes::context::SavedLanes;
use crate::warp_context::{Restoration, WarpContext};

use super::blocks::{BlockLauncher, Resident};
use super::core::Machine;
use super::local_unit::{ContextFault, Group};

/// When CTAs are suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspendOptions {
    /// The first resident CTA is suspended in this cycle, or as soon as there is one.
    pub at: u64,
    /// How often: again as soon as it runs again.
    pub times: u32,
}

/// How far a suspension is.
#[derive(Debug)]
enum Stage {
    /// It waits for its cycle.
    Waiting,
    /// The CTA in this slot issues no more; the engine finishes what it is doing for it.
    Freezing { slot: usize },
    /// Its warps leave, one after the other.
    Saving { slot: usize, warps: Vec<usize>, groups: Vec<Group>, saved: Vec<WarpContext>, leaving: WarpContext },
    /// It is nowhere resident.
    Away(Box<Away>),
    /// Its warps come back, all at once; each as its launch is done.
    Returning { warps: Vec<usize>, steps: Vec<Restoration> },
}

/// A CTA that is nowhere resident.
#[derive(Debug)]
struct Away {
    /// What was on its warps, in its order.
    block: Vec<Resident>,
    /// The warps.
    from: Vec<usize>,
    contexts: Vec<WarpContext>,
    lanes: SavedLanes,
    /// Handles of its warps' local memory; none if the kernel has no local memory.
    groups: Vec<Group>,
}

/// See the module's page.
#[derive(Debug)]
pub(super) struct Suspension {
    options: SuspendOptions,
    stage: Stage,
    /// The request at the engine's port was accepted; its token is under way.
    asked: bool,
}

impl Suspension {
    /// A suspension to come.
    pub(super) const fn new(options: SuspendOptions) -> Self {
        Self { options, stage: Stage::Waiting, asked: false }
    }

    /// Warps that must not issue.
    pub(super) fn frozen(&self, blocks: &BlockLauncher) -> u64 {
        let warps = match &self.stage {
            Stage::Waiting | Stage::Away(_) => return 0,
            Stage::Freezing { slot } => blocks.warps_of(*slot),
            Stage::Saving { warps, .. } | Stage::Returning { warps, .. } => warps.clone(),
        };
        warps.into_iter().fold(0, |mask, warp| mask | 1 << warp)
    }

    /// Whether it moves a CTA in this cycle.
    pub(super) const fn at_work(&self) -> bool {
        !matches!(self.stage, Stage::Waiting)
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
        suspension.stage = match suspension.stage {
            Stage::Waiting => self.freeze(&suspension.options),
            Stage::Freezing { slot } => self.begin_to_save(slot, &mut suspension.options)?,
            Stage::Away(away) => self.bring_back(away)?,
            Stage::Returning { warps, steps } => {
                let arrived = steps.iter().all(Restoration::is_done)
                    && warps.iter().all(|warp| (self.engine.ready() | !self.engine.running()) >> warp & 1 == 1);
                if arrived {
                    suspension.options.times -= 1;
                    self.counters.suspensions.resumed += 1;
                    Stage::Waiting
                } else {
                    Stage::Returning { warps, steps }
                }
            }
            saving @ Stage::Saving { .. } => saving,
        };
        if suspension.at_work() {
            self.watchdog.progress(self.counters.cycles);
            self.watchdog.disturb();
        }
        // Once it has been suspended as often as asked for, nothing is left to do.
        self.suspension = (suspension.options.times > 0).then_some(suspension);
        Ok(())
    }

    fn freeze(&self, options: &SuspendOptions) -> Stage {
        let due = self.counters.cycles >= options.at && self.pending.is_none() && self.observer.is_none();
        let slot = due.then(|| self.blocks.first_begun()).flatten();
        slot.map_or(Stage::Waiting, |slot| Stage::Freezing { slot })
    }

    /// The engine works for none of the CTA's warps: they can leave. A CTA that has ended meanwhile cannot.
    fn begin_to_save(&mut self, slot: usize, options: &mut SuspendOptions) -> Result<Stage, ContextFault> {
        let warps = self.blocks.warps_of(slot);
        let Some(first) = warps.first() else { return Ok(Stage::Waiting) };
        let idle = self.engine.ready();
        if self.pending.is_some() || warps.iter().any(|warp| idle >> warp & 1 == 0) {
            return Ok(Stage::Freezing { slot });
        }
        let groups = match &mut self.local {
            Some(unit) => unit.save(&warps, &mut self.lanes)?,
            None if self.lanes.local().words() > 0 => {
                return Err(ContextFault::missing());
            }
            None => Some(Vec::new()),
        };
        let Some(groups) = groups else {
            // CX-05: whoever was copied runs on from there, the CTA unharmed.
            self.counters.suspensions.failed += 1;
            options.times -= 1;
            return Ok(Stage::Waiting);
        };
        Ok(match WarpContext::look(self.engine.as_mut(), *first) {
            Some(leaving) => Stage::Saving { slot, warps, groups, saved: Vec::new(), leaving },
            None => Stage::Waiting,
        })
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
        let Some(lanes) = self.lanes.take_out(&from) else { return };
        let counts = &mut self.counters.suspensions;
        counts.suspended += 1;
        counts.tokens += contexts.iter().map(|context| context.tokens.len() as u64).sum::<u64>();
        counts.words += lanes.words() + contexts.iter().map(|context| 2 * context.words() as u64).sum::<u64>();
        for &warp in &from {
            self.locks.forget(warp);
            self.recorder.finish(self.counters.cycles, warp);
        }
        let block = self.blocks.leave(slot);
        suspension.stage = Stage::Away(Box::new(Away { block, from, contexts, lanes, groups }));
    }

    /// Launches the CTA anew, if there is room for it.
    fn bring_back(&mut self, away: Box<Away>) -> Result<Stage, ContextFault> {
        let Some(warps) = self.blocks.enter(&away.block, &away.from) else { return Ok(Stage::Away(away)) };
        self.lanes.put_back(&away.lanes, &warps);
        if let Some(unit) = &mut self.local {
            for (&warp, &group) in warps.iter().zip(&away.groups) {
                unit.resume(warp, group)?;
            }
        }
        for (&warp, context) in warps.iter().zip(&away.contexts) {
            context.resume(self.engine.as_mut(), warp);
            self.scheduler.launched(warp);
            self.depths[warp] = 0;
            self.recorder.touch(warp);
        }
        let steps = warps.iter().zip(&away.contexts).map(|(warp, context)| context.restoration(*warp)).collect();
        Ok(Stage::Returning { warps, steps })
    }
}
