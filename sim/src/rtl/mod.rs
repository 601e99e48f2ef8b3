//! The RTL of a divergence unit or a tree divergence table as an [`Engine`]: one driver of their ports for every simulation of
//! them, in Rust or Verilated.

pub mod barrier_scheduler;
pub mod context_sequencer;
pub mod control_core;
mod core_suspension;
pub mod elaborated;
pub mod handler;
pub mod memory;
pub mod reports;
pub mod work_distributor;

use crate::engine::{Configuration, Engine, EngineContext, Events, Fetch, Kind, Mask, Request, SavedToken};
use handler::Handler;
use heddle_hdl::simulation::Simulation;
use memory::{Memory, Timing};
use reports::Reports;
use std::collections::VecDeque;

/// Where the spill areas begin, in tokens.
pub const SPILL_BASE: u32 = 0;

heddle_hdl::pins! {
    /// The pins of a divergence unit or a tree divergence table, by index.
    struct Unit {
    reset, path_policy, spill_base, spill_limit,
    launch_valid, launch_ready, launch_warp, launch_mask, launch_address,
    request_valid, request_ready, request_warp, request_operation, request_kind, request_mask, request_target,
    request_targeted, request_again,
    query_warp, query_kind, query_address, query_active, query_disabled, warp_ready, warp_running,
    done_valid, done_warp,
    } optional {
    yield_policy, yield_parameter, yield_seed, stack_mode, handler_software, exchange_interval,
    launch_resumes, launch_yields, query_yields, saved_valid, saved_last, saved_warp, saved_kind, saved_mask, saved_address,
    saved_node, saved_above,
}}

/// After so many instructions of a warp a deferred leaf of a tree comes back into the table.
const EXCHANGE_INTERVAL: u128 = 8;

/// A launch that waits for its port.
#[derive(Clone, Copy, Debug)]
struct Launch {
    warp: usize,
    threads: Mask,
    address: u32,
    /// The yield state of a warp that was saved.
    resumes: Option<u16>,
}

/// A divergence unit or a tree divergence table in RTL.
pub struct RtlEngine<S: Simulation> {
    simulation: S,
    name: String,
    configuration: Configuration,
    pins: Unit,
    reports: Reports,
    memory: Memory,
    /// The software handler, if the configuration asks for it and the block has a port for it.
    handler: Option<Handler>,
    launches: VecDeque<Launch>,
    queried: (usize, u8),
    exception_seen: bool,
}

impl<S: Simulation> RtlEngine<S> {
    /// Resets the unit and sets it up. `name` is what tables call it; the sizes in `configuration` are those of the block.
    pub fn new(simulation: S, name: impl Into<String>, configuration: Configuration) -> Self {
        let pins = Unit::of(simulation.ports());
        let reports = Reports::of(simulation.ports());
        let memory = Memory::new(simulation.ports(), Timing::steady(configuration.memory_latency));
        let limit = usize::from(configuration.spill_limit);
        let handler = (configuration.software_handler && pins.handler_software.is_some())
            .then(|| Handler::new(simulation.ports(), configuration.depth, SPILL_BASE, limit));
        let mut engine = Self {
            simulation,
            name: name.into(),
            configuration,
            pins,
            reports,
            memory,
            handler,
            launches: VecDeque::new(),
            queried: (0, 0),
            exception_seen: false,
        };
        engine.set_up();
        engine
    }

    /// Reset, and the configuration pins.
    fn set_up(&mut self) {
        let Unit { reset, path_policy, yield_policy, yield_parameter, yield_seed, stack_mode, .. } = self.pins;
        let Unit { handler_software, spill_base, spill_limit, query_warp, query_kind, exchange_interval, .. } =
            self.pins;
        let configuration = &self.configuration;
        for (pin, value) in [
            (Some(path_policy), configuration.path_policy as u128),
            (yield_policy, configuration.yield_policy as u128),
            (yield_parameter, configuration.yield_parameter.into()),
            (yield_seed, configuration.yield_seed.into()),
            (stack_mode, configuration.stack_mode.into()),
            (handler_software, configuration.software_handler.into()),
            (exchange_interval, EXCHANGE_INTERVAL),
            (Some(spill_base), SPILL_BASE.into()),
            (Some(spill_limit), configuration.spill_limit.into()),
            (Some(query_warp), 0),
            (Some(query_kind), 0),
            (Some(reset), 1),
        ] {
            if let Some(pin) = pin {
                self.simulation.set(pin, value);
            }
        }
        self.simulation.tick();
        self.simulation.set(self.pins.reset, 0);
        self.drive();
    }

    /// The simulation itself, for traces.
    pub fn simulation(&mut self) -> &mut S {
        &mut self.simulation
    }

    /// Inputs that do not depend on this cycle's outputs.
    fn drive(&mut self) {
        self.memory.drive(&mut self.simulation);
        if let Some(handler) = &mut self.handler {
            handler.drive(&mut self.simulation);
        }
        self.simulation.set(self.pins.request_valid, 0);
        self.offer_launch();
    }

    /// Puts the oldest waiting launch on its port.
    fn offer_launch(&mut self) {
        let launch = self.launches.front().copied();
        self.simulation.set(self.pins.launch_valid, launch.is_some().into());
        let Some(Launch { warp, threads, address, resumes }) = launch else { return };
        self.simulation.set(self.pins.launch_warp, warp as u128);
        self.simulation.set(self.pins.launch_mask, threads.into());
        self.simulation.set(self.pins.launch_address, address.into());
        if let Some((resumes_pin, yields)) = self.pins.launch_resumes.zip(self.pins.launch_yields) {
            self.simulation.set(resumes_pin, resumes.is_some().into());
            self.simulation.set(yields, resumes.unwrap_or(0).into());
        }
    }

    /// Points the query port.
    fn query(&mut self, warp: usize, kind: u8) {
        if self.queried != (warp, kind) {
            self.queried = (warp, kind);
            self.simulation.set(self.pins.query_warp, warp as u128);
            self.simulation.set(self.pins.query_kind, kind.into());
        }
    }

    fn flag(&mut self, pin: usize) -> bool {
        self.simulation.get(pin) == 1
    }

    /// Tokens that leave for a saved context.
    fn saved_events(&mut self, events: &mut Events) {
        let Unit { saved_valid, saved_last, saved_warp, saved_kind, saved_mask, saved_address, .. } = self.pins;
        let (Some(valid), Some(last), Some(warp)) = (saved_valid, saved_last, saved_warp) else { return };
        if self.flag(last) {
            events.withdrawn.push(self.simulation.get(warp) as usize);
        }
        let (Some(kind), Some(mask), Some(address)) = (saved_kind, saved_mask, saved_address) else { return };
        if self.flag(valid) {
            let warp = self.simulation.get(warp) as usize;
            // A token without a kind cannot be told from a broken one: the judge of the run sees that it is missing.
            if let Some(kind) = Kind::from_code(self.simulation.get(kind) as u8) {
                let (mask, address) = (self.simulation.get(mask) as Mask, self.simulation.get(address) as u32);
                let mut link = |pin: Option<usize>| pin.map_or(0, |pin| self.simulation.get(pin) as u16);
                let (node, above) = (link(self.pins.saved_node), link(self.pins.saved_above));
                events.saved.push((warp, SavedToken { kind, mask, address, node, above }));
            }
        }
    }

    /// What the unit reports in this cycle.
    fn events(&mut self) -> Events {
        let mut events = self.reports.read(&mut self.simulation);
        if self.flag(self.pins.done_valid) {
            events.done.push(self.simulation.get(self.pins.done_warp) as usize);
        }
        self.saved_events(&mut events);
        // A software handler holds the exception up until it is done; it started once.
        let exception = !events.exceptions.is_empty();
        if self.handler.is_some() && self.exception_seen {
            events.exceptions.clear();
        }
        self.exception_seen = exception;
        events
    }
}

impl<S: Simulation> Engine for RtlEngine<S> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.launches.push_back(Launch { warp, threads, address, resumes: None });
        self.offer_launch();
    }

    fn context(&mut self) -> Option<&mut dyn EngineContext> {
        self.pins.saved_valid.is_some().then_some(self as &mut dyn EngineContext)
    }

    fn ready(&mut self) -> u64 {
        self.simulation.get(self.pins.warp_ready) as u64
    }

    fn running(&mut self) -> u64 {
        let waiting = self.launches.iter().fold(0, |warps, launch| warps | 1 << launch.warp);
        self.simulation.get(self.pins.warp_running) as u64 | waiting
    }

    fn fetch(&mut self, warp: usize) -> Fetch {
        self.query(warp, self.queried.1);
        let address = self.simulation.get(self.pins.query_address) as u32;
        Fetch { address, active: self.simulation.get(self.pins.query_active) as Mask }
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.query(warp, reason.code());
        self.simulation.get(self.pins.query_disabled) as Mask
    }

    fn offer(&mut self, request: &Request) -> bool {
        let pins = self.pins;
        for (pin, value) in [
            (pins.request_valid, 1),
            (pins.request_warp, request.warp as u128),
            (pins.request_operation, request.operation as u128),
            (pins.request_kind, request.kind.map_or(0, Kind::code).into()),
            (pins.request_mask, request.mask.into()),
            (pins.request_target, request.target.into()),
            (pins.request_targeted, request.targeted.into()),
            (pins.request_again, request.again.into()),
        ] {
            self.simulation.set(pin, value);
        }
        self.flag(pins.request_ready)
    }

    fn tick(&mut self) -> Events {
        let events = self.events();
        self.memory.observe(&mut self.simulation);
        if let Some(handler) = &mut self.handler {
            // What cannot be served, the unit reports as fatal itself; the handler then has nothing to do.
            let _ = handler.observe(&mut self.simulation, &mut self.memory);
        }
        if !self.launches.is_empty() && self.flag(self.pins.launch_ready) {
            self.launches.pop_front();
        }
        self.simulation.tick();
        self.drive();
        events
    }
}

impl<S: Simulation> EngineContext for RtlEngine<S> {
    fn resume(&mut self, warp: usize, threads: Mask, address: u32, yield_state: u16) {
        self.launches.push_back(Launch { warp, threads, address, resumes: Some(yield_state) });
        self.offer_launch();
    }

    fn yield_state(&mut self, warp: usize) -> u16 {
        self.query(warp, self.queried.1);
        self.pins.query_yields.map_or(0, |pin| self.simulation.get(pin) as u16)
    }
}
