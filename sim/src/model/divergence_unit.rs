//! The reference divergence unit: [`Warp`]s behind the engine interface, one instruction a cycle and never a stall.
//!
//! With [`TokenDeque`] its queues have no bounds; with [`WindowedDeque`] they have the configured window and spill area, served by
//! the software driver, and must not behave otherwise (DQ-08, DQ-13).
//!
//! **Source** US 9,459,876.

use super::divergence_warp::{Outcome, Warp};
use super::token_deque::{TokenDeque, TokenQueue};
use super::windowed_deque::WindowedDeque;
use crate::engine::{Configuration, Engine, EngineContext, Events, Fault, Fetch, Kind, Mask, Request};

/// The reference model with unbounded queues.
pub type DequeModel = DivergenceUnit<TokenDeque>;

/// A divergence unit over any queue.
pub struct DivergenceUnit<Q> {
    name: String,
    configuration: Configuration,
    new_queue: fn(&Configuration) -> Q,
    pub(crate) warps: Vec<Option<Warp<Q>>>,
    high_water: Vec<usize>,
    offered: Option<Request>,
    /// Warps that were launched without a thread: they are done at the next edge.
    empty: Vec<usize>,
}

impl DivergenceUnit<TokenDeque> {
    /// A unit with unbounded queues.
    pub fn new(configuration: Configuration) -> Self {
        let name = if configuration.stack_mode { "stack model" } else { "deque model" };
        Self::with_queue(name, configuration, |_| TokenDeque::new())
    }
}

impl DivergenceUnit<WindowedDeque> {
    /// A unit whose queues have the configured window and spill area.
    pub fn windowed(configuration: Configuration) -> Self {
        Self::with_queue("windowed deque model", configuration, |configuration| {
            WindowedDeque::new(configuration.depth, configuration.spill_limit.into())
        })
    }
}

impl<Q: TokenQueue> DivergenceUnit<Q> {
    fn with_queue(name: &str, configuration: Configuration, new_queue: fn(&Configuration) -> Q) -> Self {
        let warps = (0..configuration.warps).map(|_| None).collect();
        let high_water = vec![0; configuration.warps];
        Self { name: name.into(), configuration, new_queue, warps, high_water, offered: None, empty: Vec::new() }
    }

    /// The state of a running warp.
    pub fn warp(&self, warp: usize) -> Option<&Warp<Q>> {
        self.warps[warp].as_ref()
    }

    /// The most tokens that a warp's queue has ever held (SM-06).
    pub fn high_water(&self, warp: usize) -> usize {
        self.high_water[warp]
    }
}

impl<Q: TokenQueue> Engine for DivergenceUnit<Q> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        if threads == 0 {
            self.empty.push(warp);
        } else {
            let queue = (self.new_queue)(&self.configuration);
            self.warps[warp] = Some(Warp::launch(queue, threads, address, &self.configuration));
        }
    }

    fn context(&mut self) -> Option<&mut dyn EngineContext> {
        Some(self)
    }

    fn ready(&mut self) -> u64 {
        let offered = self.offered.map_or(0, |request| 1 << request.warp);
        let able = |warp: &Option<Warp<Q>>| warp.as_ref().is_some_and(|warp| !warp.parked());
        let able = self.warps.iter().enumerate().filter(|(_, warp)| able(warp));
        able.fold(0, |bits, (warp, _)| bits | 1 << warp) & !offered
    }

    fn running(&mut self) -> u64 {
        self.warps.iter().enumerate().filter(|(_, warp)| warp.is_some()).fold(0, |bits, (warp, _)| bits | 1 << warp)
    }

    fn fetch(&mut self, warp: usize) -> Fetch {
        let state = self.warps[warp].as_ref();
        Fetch { address: state.map_or(0, |warp| warp.address), active: state.map_or(0, |warp| warp.active) }
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.warps[warp].as_ref().map_or(0, |warp| warp.disabled[usize::from(reason.code())])
    }

    fn offer(&mut self, request: &Request) -> bool {
        let accepted = self.offered.is_none() && self.warps[request.warp].is_some();
        if accepted {
            self.offered = Some(*request);
        }
        accepted
    }

    fn tick(&mut self) -> Events {
        let mut events = Events { done: std::mem::take(&mut self.empty), ..Events::default() };
        let Some(request) = self.offered.take() else { return events };
        let Some(warp) = self.warps[request.warp].as_mut() else { return events };
        let outcome = warp.execute(&request, &self.configuration, &mut events);
        self.high_water[request.warp] = self.high_water[request.warp].max(warp.high_water);
        let causes = warp.queue.take_exceptions();
        events.exceptions.extend(causes.into_iter().map(|cause| (cause, request.warp)));
        match outcome {
            Outcome::Running => return events,
            Outcome::Done => events.done.push(request.warp),
            Outcome::Withdrawn => events.withdrawn.push(request.warp),
            // The instruction at which the warp stopped is where its address still stands.
            Outcome::Stopped(cause) => events.faults.push(Fault { warp: request.warp, cause, address: warp.address }),
        }
        self.warps[request.warp] = None;
        events
    }
}

impl<Q: TokenQueue> EngineContext for DivergenceUnit<Q> {
    fn resume(&mut self, warp: usize, threads: Mask, address: u32, yield_state: u16) {
        self.launch(warp, threads, address);
        if let Some(state) = &mut self.warps[warp] {
            state.yield_state = yield_state;
        }
    }

    fn yield_state(&mut self, warp: usize) -> u16 {
        self.warps[warp].as_ref().map_or(0, |warp| warp.yield_state)
    }
}
