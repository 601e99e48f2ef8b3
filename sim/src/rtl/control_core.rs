//! The RTL of a control core as a [`ControlCore`]: one driver of its ports for every simulation of it, in Rust or Verilated.
//!
//! A cycle settles twice: after the inputs that come out of registers, and after instruction word and lanes have answered. Inputs are
//! written when they change only, so that a simulation that keeps quiet parts at rest can do so.

use super::barrier_scheduler::error_cause;
use super::core_suspension::{LocalMemory, SaveArea};
use super::memory::{Memory, Timing};
use super::reports::Reports;
use super::{EXCHANGE_INTERVAL, SPILL_BASE};
use crate::barrier::{ErrorCause, ErrorReport, Statics};
use crate::control_core::{
    Answer, Answered, BarrierEdge, BarrierLevels, ControlCore, Decision, Edge, Inputs, LocalEdge, Look, Looked,
    Offered, Origin, Setup, Start, WarpLaunch, Woken,
};
use crate::engine::{Configuration, Events, Fetch, Kind, Mask, Operation, Request};
use crate::launch::PrioritizedGrid;
use crate::machine::SchedulerPolicy;

use heddle_hdl::ports::Direction;
use heddle_hdl::simulation::{Pins, Simulation};

heddle_hdl::pins! {
    /// The pins of a control core, by index.
    struct Core {
    reset, warp_enable, greedy, block_threads,
    path_policy, yield_policy, yield_parameter, yield_seed, stack_mode, exchange_interval, spill_base, spill_limit,
    grid_valid, grid_ready, grid_program, grid_priority, grid_number, grid_predicated, grid_table, grid_x, grid_y, grid_z,
    grid_clustered, grid_cluster_x, grid_cluster_y, grid_cluster_z, grid_head, grid_done,
    table_request_valid, table_request_ready, table_request_address,
    table_response_valid, table_response_ready, table_response_data,
    launch_valid, launch_warp, launch_slot, launch_place, launch_threads, launch_x, launch_y, launch_z, launch_grid, launch_priority,
    block_valid, block_waiting, finish_valid, finish_warp, finish_last, warp_occupied, slot_taken, warp_ready,
    fetch_valid, fetch_warp, fetch_address, fetch_word, fetch_hit, fetch_filled,
    lane_active, lane_named, lane_agreeing, lane_target, lane_busy, lane_issue, lane_present, lane_illegal,
    offer_valid, offer_ready, offer_origin, offer_warp, offer_operation, offer_kind, offer_mask, offer_target,
    offer_targeted, offer_again,
    observe_valid, observe_warp, observe_kind, observe_address, observe_active, observe_disabled,
    }
}

heddle_hdl::pins! {
    /// The pins of a control core's barriers, by index.
    struct Barriers {
    barriers_enable, late_join_all, exclusive_inside, class_conflicts, reserved_slots,
    lane_parity, lane_even, lane_odd, lane_reference, warp_presenting, barriers_still, barriers_occupied,
    answer_valid, answer_warp, answer_sleep, answer_skip, answer_wait, retire_valid, retire_slot,
    barrier_request_valid, barrier_request_ready, barrier_response_valid,
    barrier_error, barrier_error_cause, barrier_error_slot, barrier_error_block, barrier_error_offset,
    barrier_error_barrier, barrier_error_address, barrier_error_other_barrier, barrier_error_other_address,
    barrier_wake_valid, barrier_wake_warp, barrier_wake_mask, barrier_wake_inside,
    event_dynamic, event_handed, event_idle, event_released, event_timeout, event_launched,
    }
}

/// A simulation whose inputs are written when they change only.
pub(super) struct Wires<S> {
    simulation: S,
    /// What every input has now, by port.
    pub(super) driven: Vec<u128>,
}

impl<S: Simulation> Wires<S> {
    fn new(mut simulation: S) -> Self {
        let ports = simulation.ports().to_vec();
        // Port 0 is the clock.
        for (port, _) in ports.iter().enumerate().skip(1).filter(|(_, port)| port.direction == Direction::In) {
            simulation.set(port, 0);
        }
        Self { driven: vec![0; ports.len()], simulation }
    }

    pub(super) fn flag(&mut self, port: usize) -> bool {
        self.simulation.get(port) == 1
    }

    pub(super) fn number(&mut self, port: usize) -> usize {
        self.simulation.get(port) as usize
    }
}

impl<S: Simulation> Pins for Wires<S> {
    fn set(&mut self, port: usize, value: u128) {
        if self.driven[port] != value {
            self.driven[port] = value;
            self.simulation.set(port, value);
        }
    }

    fn get(&mut self, port: usize) -> u128 {
        self.simulation.get(port)
    }
}

/// A control core in RTL.
pub struct RtlCore<S: Simulation> {
    wires: Wires<S>,
    name: String,
    configuration: Configuration,
    /// The largest priority that the port carries.
    priorities: u16,
    pins: Core,
    reports: Reports,
    memory: Memory,
    /// There are some if the program has barriers.
    barriers: Option<Barriers>,
    /// There is one if blocks are suspended.
    areas: Option<SaveArea>,
    /// Its context unit, which there is then, too.
    local: Option<LocalMemory>,
}

impl<S: Simulation> RtlCore<S> {
    /// Resets the core and sets it up. `name` is what tables call it; the sizes in `setup` are those of the block, of warps at most.
    pub fn new(simulation: S, name: impl Into<String>, setup: Setup) -> Self {
        let (pins, reports) = (Core::of(simulation.ports()), Reports::of(simulation.ports()));
        let configuration = setup.configuration;
        let memory = Memory::new(simulation.ports(), Timing::steady(configuration.memory_latency));
        let areas = setup.suspends.then(|| SaveArea::new(simulation.ports(), configuration.memory_latency));
        let local = setup.suspends.then(|| LocalMemory::of(simulation.ports()));
        let priorities = ((1_u32 << simulation.ports()[pins.grid_priority].width) - 1) as u16;
        let mut wires = Wires::new(simulation);
        for (pin, value) in [
            (pins.warp_enable, u128::MAX >> (u128::BITS as usize - configuration.warps)),
            (pins.greedy, (setup.scheduler == SchedulerPolicy::GreedyThenOldest).into()),
            (pins.block_threads, setup.block_threads.into()),
            (pins.path_policy, configuration.path_policy as u128),
            (pins.yield_policy, configuration.yield_policy as u128),
            (pins.yield_parameter, configuration.yield_parameter.into()),
            (pins.yield_seed, configuration.yield_seed.into()),
            (pins.stack_mode, configuration.stack_mode.into()),
            (pins.exchange_interval, EXCHANGE_INTERVAL),
            (pins.spill_base, SPILL_BASE.into()),
            (pins.spill_limit, configuration.spill_limit.into()),
            // Every word is there at once, and the table's memory takes every request.
            (pins.fetch_hit, 1),
            (pins.fetch_filled, 0),
            (pins.table_request_ready, 1),
            (pins.reset, 1),
        ] {
            wires.set(pin, value);
        }
        let barriers = setup.barriers.map(|_| Barriers::of(wires.simulation.ports()));
        if let Some(barriers) = &barriers {
            let statics = Statics::default();
            for (pin, value) in [
                (barriers.barriers_enable, 1),
                (barriers.late_join_all, statics.late_join_all.into()),
                (barriers.exclusive_inside, statics.exclusive_inside.into()),
                (barriers.class_conflicts, statics.class_conflicts.into()),
                (barriers.reserved_slots, statics.reserved_slots as u128),
            ] {
                wires.set(pin, value);
            }
        }
        if let Some(local) = &local {
            local.set_up(&mut wires, setup.local_words);
        }
        wires.simulation.tick();
        wires.set(pins.reset, 0);
        let name = name.into();
        Self { wires, name, configuration, priorities, pins, reports, memory, barriers, areas, local }
    }

    fn barrier_levels(&mut self) -> BarrierLevels {
        let Some(pins) = &self.barriers else { return BarrierLevels::default() };
        BarrierLevels {
            presenting: self.wires.get(pins.warp_presenting) as u64,
            still: self.wires.flag(pins.barriers_still),
            occupied: self.wires.get(pins.barriers_occupied) != 0,
        }
    }

    /// What an edge takes from or to the barriers, before it.
    fn before_edge(&mut self) -> BarrierEdge {
        let (Some(pins), wires) = (&self.barriers, &mut self.wires) else { return BarrierEdge::default() };
        BarrierEdge {
            woken: wires.flag(pins.barrier_wake_valid).then(|| Woken {
                warp: wires.number(pins.barrier_wake_warp),
                threads: wires.get(pins.barrier_wake_mask) as Mask,
                inside: wires.flag(pins.barrier_wake_inside),
            }),
            refused: wires.flag(pins.barrier_request_valid) && !wires.flag(pins.barrier_request_ready),
            ..BarrierEdge::default()
        }
    }

    /// What an edge has brought at the barriers, after it.
    fn after_edge(&mut self, before: BarrierEdge) -> BarrierEdge {
        let (Some(pins), wires) = (&self.barriers, &mut self.wires) else { return before };
        let (dynamic, released, timeout) =
            (wires.flag(pins.event_dynamic), wires.flag(pins.event_released), wires.flag(pins.event_timeout));
        let others = [pins.event_handed, pins.event_idle, pins.event_launched];
        let shown = [pins.barrier_response_valid, pins.barrier_wake_valid];
        let changed = others.into_iter().chain(shown).any(|pin| wires.flag(pin));
        BarrierEdge {
            answered: wires.flag(pins.answer_valid).then(|| Answered {
                warp: wires.number(pins.answer_warp),
                sleep: wires.get(pins.answer_sleep) as Mask,
                skip: wires.get(pins.answer_skip) as Mask,
                wait: wires.get(pins.answer_wait) as Mask,
            }),
            error: wires.flag(pins.barrier_error).then(|| barrier_error(pins, wires)),
            dynamic,
            timeout,
            released,
            changed: changed || dynamic || released || timeout,
            still: wires.flag(pins.barriers_still),
            retired: wires.flag(pins.retire_valid).then(|| wires.number(pins.retire_slot)),
            ..before
        }
    }

    fn offer_grid(&mut self, request: Option<&PrioritizedGrid>) {
        let pins = &self.pins;
        self.wires.set(pins.grid_valid, request.is_some().into());
        let Some(PrioritizedGrid { grid, priority }) = request else { return };
        let [x, y, z] = grid.cluster.unwrap_or([1; 3]);
        for (pin, value) in [
            (pins.grid_program, grid.program.into()),
            (pins.grid_priority, (*priority).into()),
            (pins.grid_number, grid.grid.into()),
            (pins.grid_predicated, grid.table.is_some().into()),
            (pins.grid_table, grid.table.unwrap_or(0).into()),
            (pins.grid_x, grid.range[0].into()),
            (pins.grid_y, grid.range[1].into()),
            (pins.grid_z, grid.range[2].into()),
            (pins.grid_clustered, grid.cluster.is_some().into()),
            (pins.grid_cluster_x, x.into()),
            (pins.grid_cluster_y, y.into()),
            (pins.grid_cluster_z, z.into()),
            (pins.grid_head, u128::from(grid.head)),
        ] {
            self.wires.set(pin, value);
        }
    }

    fn launch(&mut self) -> Option<WarpLaunch> {
        let Core {
            launch_valid,
            launch_warp,
            launch_slot,
            launch_place,
            launch_threads,
            launch_grid,
            launch_priority,
            ..
        } = self.pins;
        let wires = &mut self.wires;
        if !wires.flag(launch_valid) {
            return None;
        }
        let block = [self.pins.launch_x, self.pins.launch_y, self.pins.launch_z].map(|pin| wires.get(pin) as u16);
        Some(WarpLaunch {
            warp: wires.number(launch_warp),
            slot: wires.number(launch_slot),
            place: wires.number(launch_place),
            threads: wires.get(launch_threads) as Mask,
            block,
            grid: wires.get(launch_grid) as u8,
            priority: wires.get(launch_priority) as u16,
            resumes: self.areas.as_ref().is_some_and(|areas| areas.resumes(wires)),
        })
    }

    fn request(&mut self) -> Request {
        let (pins, wires) = (&self.pins, &mut self.wires);
        let operation = wires.get(pins.offer_operation) as u8;
        Request {
            warp: wires.number(pins.offer_warp),
            // A code that is no operation is a step of nobody: the judge of the run sees what is missing.
            operation: Operation::from_code(operation).unwrap_or(Operation::Step),
            kind: Kind::from_code(wires.get(pins.offer_kind) as u8),
            mask: wires.get(pins.offer_mask) as Mask,
            target: wires.get(pins.offer_target) as u32,
            targeted: wires.flag(pins.offer_targeted),
            again: wires.flag(pins.offer_again),
        }
    }

    /// Has the observer's port look at a warp, reads it, and looks away.
    fn observe(&mut self, warp: usize, kind: u8, read: impl FnOnce(&Core, &mut Wires<S>) -> Fetch) -> Fetch {
        self.wires.set(self.pins.observe_warp, warp as u128);
        self.wires.set(self.pins.observe_kind, kind.into());
        self.wires.set(self.pins.observe_valid, 1);
        let seen = read(&self.pins, &mut self.wires);
        self.wires.set(self.pins.observe_valid, 0);
        seen
    }
}

impl<S: Simulation> Look for RtlCore<S> {
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.observe(warp, 0, |pins, wires| Fetch {
            address: wires.get(pins.observe_address) as u32,
            active: wires.get(pins.observe_active) as Mask,
        })
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        let seen = self.observe(warp, reason.code(), |pins, wires| Fetch {
            address: 0,
            active: wires.get(pins.observe_disabled) as Mask,
        });
        seen.active
    }
}

impl<S: Simulation> ControlCore for RtlCore<S> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn suspends(&self) -> bool {
        self.areas.is_some()
    }

    fn groups(&self) -> usize {
        self.local.as_ref().map_or(0, |local| local.groups)
    }

    fn priorities(&self) -> u16 {
        self.priorities
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn begin(&mut self, inputs: &Inputs) -> Start {
        self.memory.drive(&mut self.wires);
        self.offer_grid(inputs.grid.as_ref());
        let pins = self.pins;
        self.wires.set(pins.table_response_valid, inputs.table.is_some().into());
        self.wires.set(pins.table_response_data, inputs.table.unwrap_or(0).into());
        self.wires.set(pins.lane_busy, inputs.busy.into());
        if let Some(areas) = &mut self.areas {
            areas.drive(&mut self.wires, inputs);
        }
        if let Some(local) = &self.local {
            local.drive(&mut self.wires, &inputs.local);
        }
        let launch = self.launch();
        let wires = &mut self.wires;
        let looked = wires.flag(pins.fetch_valid).then(|| Looked {
            warp: wires.number(pins.fetch_warp),
            address: wires.get(pins.fetch_address) as u32,
            active: wires.get(pins.lane_active) as Mask,
        });
        let (ready, occupied, slots) = (pins.warp_ready, pins.warp_occupied, pins.slot_taken);
        Start {
            ready: wires.get(ready) as u64,
            occupied: wires.get(occupied) as u64,
            slots: wires.get(slots) as u64,
            launch,
            looked,
            freeing: self.local.as_ref().is_some_and(|local| local.freeing(wires)),
            barriers: self.barrier_levels(),
        }
    }

    fn decide(&mut self, answer: Option<&Answer>) -> Decision {
        let pins = self.pins;
        if let Some(Answer { word, lanes }) = answer {
            for (pin, value) in [
                (pins.fetch_word, u128::from(*word)),
                (pins.lane_named, lanes.named.into()),
                (pins.lane_agreeing, lanes.agreeing.into()),
                (pins.lane_target, lanes.target.into()),
            ] {
                self.wires.set(pin, value);
            }
            if let Some(barriers) = &self.barriers {
                for (pin, value) in [
                    (barriers.lane_parity, lanes.parity.into()),
                    (barriers.lane_even, lanes.even.into()),
                    (barriers.lane_odd, lanes.odd.into()),
                    (barriers.lane_reference, u128::from(lanes.reference)),
                ] {
                    self.wires.set(pin, value);
                }
            }
        }
        if self.wires.flag(pins.offer_valid) {
            let accepted = self.wires.flag(pins.offer_ready);
            let origin = Origin::of(self.wires.get(pins.offer_origin) as u8);
            return Decision::Offer(Offered { origin, request: self.request(), accepted });
        }
        match answer {
            Some(_) if self.wires.flag(pins.lane_present) => Decision::Present,
            Some(_) if self.wires.flag(pins.lane_illegal) => Decision::Illegal,
            _ => Decision::Nothing,
        }
    }

    fn tick(&mut self) -> Edge {
        let barriers = self.before_edge();
        let (pins, wires) = (self.pins, &mut self.wires);
        let mut events: Events = self.reports.read(wires);
        if wires.flag(pins.finish_valid) {
            events.done.push(wires.number(pins.finish_warp));
        }
        let grid_offered = wires.driven[pins.grid_valid] == 1;
        let table_given = wires.driven[pins.table_response_valid] == 1;
        let edge = Edge {
            last: !events.done.is_empty() && wires.flag(pins.finish_last),
            grid_taken: grid_offered && wires.flag(pins.grid_ready),
            grid_done: wires.flag(pins.grid_done),
            table_taken: table_given && wires.flag(pins.table_response_ready),
            table_request: wires.flag(pins.table_request_valid).then(|| wires.get(pins.table_request_address) as u32),
            block_taken: wires.flag(pins.block_valid),
            block_waits: wires.flag(pins.block_waiting),
            events,
            barriers,
            suspend_taken: false,
            suspended: None,
            local: self.local.as_ref().map_or(LocalEdge::default(), |local| local.observe(wires)),
        };
        let (suspend_taken, suspended) = self.areas.as_mut().map_or((false, None), |areas| areas.observe(wires));
        self.memory.observe(wires);
        wires.simulation.tick();
        Edge { barriers: self.after_edge(barriers), suspend_taken, suspended, ..edge }
    }
}

/// The error that the scheduler reports, with the slot of its block.
fn barrier_error<S: Simulation>(pins: &Barriers, wires: &mut Wires<S>) -> (usize, ErrorReport) {
    let cause = error_cause(wires.get(pins.barrier_error_cause));
    let other = (wires.number(pins.barrier_error_other_barrier), wires.get(pins.barrier_error_other_address) as u32);
    let report = ErrorReport {
        cause,
        block: wires.number(pins.barrier_error_block),
        offset: wires.number(pins.barrier_error_offset),
        barrier: wires.number(pins.barrier_error_barrier),
        address: wires.get(pins.barrier_error_address) as u32,
        other: (cause == ErrorCause::Nested).then_some(other),
    };
    (wires.number(pins.barrier_error_slot), report)
}
