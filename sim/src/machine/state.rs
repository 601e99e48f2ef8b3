//! The state of the machine as far as it shows, for the watchdog's proof.

use crate::engine::{Engine, Fetch, Kind, Mask};
use crate::lanes::Lanes;

use super::blocks::BlockLauncher;
use super::loop_detector::StateSource;
use super::scheduler::WarpScheduler;

/// What the engine shows of one warp.
type WarpView = Option<(Fetch, [Mask; Kind::ALL.len()])>;

/// A copy of everything that shows.
#[derive(Clone, Debug)]
pub struct CoreState {
    lanes: Lanes,
    warps: Vec<WarpView>,
    blocks: BlockLauncher,
    scheduler: WarpScheduler,
}

/// The parts of a machine that make up its state.
pub struct CoreView<'a> {
    /// The engine.
    pub engine: &'a mut dyn Engine,
    /// The lanes.
    pub lanes: &'a Lanes,
    /// Which block runs where.
    pub blocks: &'a BlockLauncher,
    /// Who issued last.
    pub scheduler: &'a WarpScheduler,
}

impl CoreView<'_> {
    fn warp(&mut self, warp: usize) -> WarpView {
        self.blocks
            .resident(warp)
            .map(|_| (self.engine.fetch(warp), Kind::ALL.map(|kind| self.engine.disabled(warp, kind))))
    }
}

impl StateSource for CoreView<'_> {
    type State = CoreState;

    fn copy(&mut self) -> CoreState {
        CoreState {
            lanes: self.lanes.clone(),
            warps: (0..self.engine.configuration().warps).map(|warp| self.warp(warp)).collect(),
            blocks: self.blocks.clone(),
            scheduler: self.scheduler.clone(),
        }
    }

    fn equals(&mut self, state: &CoreState) -> bool {
        // The cheapest and most telling parts first.
        self.scheduler.state() == state.scheduler.state()
            && *self.blocks == state.blocks
            && *self.lanes == state.lanes
            && (0..state.warps.len()).all(|warp| self.warp(warp) == state.warps[warp])
    }
}
