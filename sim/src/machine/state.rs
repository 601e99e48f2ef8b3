//! The state of the machine as far as it shows, for the watchdog's proof.

use crate::engine::{Engine, Fetch, Kind, Mask};
use crate::lanes::Lanes;

use super::blocks::Resident;
use super::loop_detector::StateSource;
use super::scheduler::WarpScheduler;

/// What anybody may see of the warps' divergence without changing anything.
pub trait Look {
    /// What a running warp would run in this cycle.
    fn fetch(&mut self, warp: usize) -> Fetch;
    /// Threads of a warp that are disabled for `reason` in this cycle.
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask;
}

impl<L: Look + ?Sized> Look for Box<L> {
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.as_mut().fetch(warp)
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.as_mut().disabled(warp, reason)
    }
}

impl Look for dyn Engine {
    fn fetch(&mut self, warp: usize) -> Fetch {
        Engine::fetch(self, warp)
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        Engine::disabled(self, warp, reason)
    }
}

/// What the engine shows of one warp.
type WarpView = Option<(Fetch, [Mask; Kind::ALL.len()])>;

/// A copy of everything that shows.
#[derive(Clone, Debug)]
pub struct CoreState {
    lanes: Lanes,
    warps: Vec<WarpView>,
    residents: Vec<Option<Resident>>,
    scheduler: WarpScheduler,
}

/// The parts of a machine that make up its state.
pub struct CoreView<'a> {
    /// The warps' divergence.
    pub engine: &'a mut dyn Look,
    /// How many warps there are.
    pub warps: usize,
    /// The lanes.
    pub lanes: &'a Lanes,
    /// Which block runs where, by warp.
    pub residents: &'a [Option<Resident>],
    /// Who issued last.
    pub scheduler: &'a WarpScheduler,
}

impl CoreView<'_> {
    fn warp(&mut self, warp: usize) -> WarpView {
        self.residents[warp].map(|_| (self.engine.fetch(warp), Kind::ALL.map(|kind| self.engine.disabled(warp, kind))))
    }
}

impl StateSource for CoreView<'_> {
    type State = CoreState;

    fn copy(&mut self) -> CoreState {
        CoreState {
            lanes: self.lanes.clone(),
            warps: (0..self.warps).map(|warp| self.warp(warp)).collect(),
            residents: self.residents.to_vec(),
            scheduler: self.scheduler.clone(),
        }
    }

    fn equals(&mut self, state: &CoreState) -> bool {
        // The cheapest and most telling parts first.
        self.scheduler.state() == state.scheduler.state()
            && *self.residents == *state.residents
            && *self.lanes == state.lanes
            && (0..state.warps.len()).all(|warp| self.warp(warp) == state.warps[warp])
    }
}
