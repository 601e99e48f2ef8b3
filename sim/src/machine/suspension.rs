//! Suspends a CTA and resumes it elsewhere, in the middle of a run (SM-05, CX-09).
//!
//! From the chosen cycle on the CTA's warps issue nothing more. When the engine works for none of them, each gives its divergence state
//! back ([`WarpContext`]), and the lanes theirs; the warps are then free, for another CTA too. As soon as enough *other* warps
//! are free the CTA is launched on those, in another slot; where the core has not twice its warps, on any.

use std::collections::VecDeque;

use crate::engine::{Engine, Events, Request};
use crate::lanes::context::SavedLanes;
use crate::warp_context::WarpContext;

use super::blocks::{BlockLauncher, Resident};
use super::core::Machine;

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
    Saving { slot: usize, warps: Vec<usize>, saved: Vec<WarpContext>, leaving: WarpContext },
    /// It is nowhere resident.
    Away { block: Vec<Resident>, from: Vec<usize>, contexts: Vec<WarpContext>, lanes: SavedLanes },
    /// Its warps come back, all at once; each as its launch is done.
    Returning { warps: Vec<usize>, steps: Vec<VecDeque<Request>> },
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
            Stage::Waiting | Stage::Away { .. } => return 0,
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
    pub(super) fn request(&self, engine: &mut dyn Engine) -> Option<Request> {
        match &self.stage {
            Stage::Saving { warps, saved, .. } if !self.asked => {
                Some(WarpContext::withdrawal(*warps.get(saved.len())?))
            }
            Stage::Returning { warps, steps } => {
                let ready = engine.ready();
                let able = |(warp, steps): &(&usize, &VecDeque<Request>)| ready >> **warp & 1 == 1 && !steps.is_empty();
                let (_, steps) = warps.iter().zip(steps).find(able)?;
                steps.front().copied()
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
                    steps[place].pop_front();
                }
            }
            _ => {}
        }
    }
}

impl Machine<'_> {
    /// What a suspension does between two cycles.
    pub(super) fn suspend(&mut self) {
        let Some(mut suspension) = self.suspension.take() else { return };
        suspension.stage = match suspension.stage {
            Stage::Waiting => self.freeze(&suspension.options),
            Stage::Freezing { slot } => self.begin_to_save(slot),
            Stage::Away { block, from, contexts, lanes } => self.bring_back(block, from, contexts, lanes),
            Stage::Returning { warps, steps } => {
                let arrived = steps.iter().all(VecDeque::is_empty)
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
    }

    fn freeze(&self, options: &SuspendOptions) -> Stage {
        let due = self.counters.cycles >= options.at && self.pending.is_none() && self.observer.is_none();
        let slot = due.then(|| self.blocks.first_begun()).flatten();
        slot.map_or(Stage::Waiting, |slot| Stage::Freezing { slot })
    }

    /// The engine works for none of the CTA's warps: they can leave. A CTA that has ended meanwhile cannot.
    fn begin_to_save(&mut self, slot: usize) -> Stage {
        let warps = self.blocks.warps_of(slot);
        let Some(first) = warps.first() else { return Stage::Waiting };
        let idle = self.engine.ready();
        if self.pending.is_some() || warps.iter().any(|warp| idle >> warp & 1 == 0) {
            return Stage::Freezing { slot };
        }
        match WarpContext::look(self.engine.as_mut(), *first) {
            Some(leaving) => Stage::Saving { slot, warps, saved: Vec::new(), leaving },
            None => Stage::Waiting,
        }
    }

    /// What the engine reports of a CTA that leaves.
    pub(super) fn suspension_edge(&mut self, events: &Events) {
        let Some(suspension) = &mut self.suspension else { return };
        let Stage::Saving { slot, warps, saved, leaving } = &mut suspension.stage else { return };
        if let Some((_, token)) = events.saved.first() {
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
        let (slot, from, contexts) = (*slot, std::mem::take(warps), std::mem::take(saved));
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
        suspension.stage = Stage::Away { block, from, contexts, lanes };
    }

    /// Launches the CTA anew, if there is room for it.
    fn bring_back(
        &mut self,
        block: Vec<Resident>,
        from: Vec<usize>,
        contexts: Vec<WarpContext>,
        lanes: SavedLanes,
    ) -> Stage {
        let Some(warps) = self.blocks.enter(&block, &from) else {
            return Stage::Away { block, from, contexts, lanes };
        };
        self.lanes.put_back(&lanes, &warps);
        for (&warp, context) in warps.iter().zip(&contexts) {
            context.resume(self.engine.as_mut(), warp);
            self.scheduler.launched(warp);
            self.depths[warp] = 0;
            self.recorder.touch(warp);
        }
        let steps = warps.iter().zip(&contexts).map(|(warp, context)| context.steps(*warp)).collect();
        Stage::Returning { warps, steps }
    }
}
