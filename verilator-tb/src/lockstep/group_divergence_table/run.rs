//! An episode of `group_divergence_table` under way: what is asked.

mod observed;

use super::followed::{End, Followed};
use super::operation::{wake_parked, GroupOperation};
use super::GroupShape;
use crate::lockstep::bench::{Bench, Counts, Stimulus};
use crate::lockstep::divergence_unit::stimulus::Code;
use crate::lockstep::idle::{Idle, EARLY};
use crate::lockstep::tree_watch::{Settings, Totals, TreePins};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::{Mask, Request};
use heddle_sim::rtl::memory::Memory;
use std::collections::VecDeque;

heddle_hdl::pins! {
    /// The pins that the bench itself drives and reads.
    struct Pins {
        launch_valid, launch_ready, launch_position, launch_warp, launch_mask, launch_last, launch_address,
        turn_valid, turn_position, turn_warp, turn_index, turn_active, turn_address,
        request_ready, request_position, request_along, changed, running,
        done_valid, error_valid, error_cause, error_address, event_nodes,
    }
}

/// What the group is at.
enum Stage {
    /// None runs.
    Idle,
    /// Its positions are launched, so many are.
    Launching(Vec<(usize, Mask)>, u32, usize),
    /// It runs.
    Running(Box<Followed>),
    /// The model says that it is over; the table has to say so too.
    Ending(End, Box<Followed>),
}

/// What is on the request port.
#[derive(Clone, Copy, Debug)]
enum Offer {
    Report(Request),
    Wake(usize, Request),
}

/// See the module's page.
pub struct Run {
    shape: GroupShape,
    settings: Settings,
    pins: Pins,
    tree: TreePins,
    operations: VecDeque<GroupOperation>,
    begun: usize,
    idle: u8,
    /// What the warps of the selected leaf report.
    current: Option<GroupOperation>,
    offer: Option<Offer>,
    /// What is to be asked stands on the port, but is not asked before the next cycle.
    early: bool,
    resetting: bool,
    stage: Stage,
    /// The table works until this cycle; nobody says until when if it has something in memory.
    busy: Option<u64>,
    /// The group runs from this cycle on.
    started: u64,
    seen: Totals,
    totals: Totals,
    memory: Memory,
    cycle: u64,
    reported_at: u64,
    taken_at: u64,
    progress: u64,
}

impl Run {
    /// Starts an episode on a block that was just reset.
    pub fn new(shape: &GroupShape, ports: &[Port], stimulus: &Stimulus<Settings, GroupOperation>) -> Self {
        let settings = stimulus.settings.clone();
        Self {
            pins: Pins::of(ports),
            tree: TreePins::of(ports),
            operations: stimulus.operations.iter().cloned().collect(),
            begun: 0,
            idle: 0,
            current: None,
            offer: None,
            early: false,
            resetting: false,
            stage: Stage::Idle,
            busy: Some(0),
            started: 0,
            seen: Totals::default(),
            totals: Totals::default(),
            memory: settings.around.memory(ports),
            cycle: 0,
            reported_at: 0,
            taken_at: 0,
            progress: 0,
            shape: *shape,
            settings,
        }
    }

    /// The next operation, once its wait is over.
    fn next(&mut self) -> Option<GroupOperation> {
        let wait = self.operations.front()?.common.wait;
        if self.idle < wait {
            self.idle += 1;
            return None;
        }
        self.idle = 0;
        self.begun += 1;
        self.operations.pop_front()
    }

    /// Chooses what goes on the request port, or on the launch port, next.
    fn dispatch(&mut self) {
        self.early = false;
        if self.offer.is_some() || self.resetting {
            return;
        }
        let resets = self.operations.front().is_some_and(|front| front.common.code == Code::Reset);
        if resets && self.current.is_none() {
            self.resetting = self.next().is_some();
            return;
        }
        match &self.stage {
            Stage::Idle => {
                let Some(operation) = self.current.take().or_else(|| self.next()) else { return };
                self.stage = Stage::Launching(operation.launch(&self.shape), operation.address(&self.shape), 0);
            }
            Stage::Running(_) => {
                self.choose();
                self.early = self.offer.is_some() && self.cycle.is_multiple_of(EARLY);
            }
            Stage::Launching(..) | Stage::Ending(..) => {}
        }
    }

    fn choose(&mut self) {
        if matches!(&self.stage, Stage::Running(followed) if followed.is_complete()) {
            return;
        }
        let reports = matches!(&self.stage, Stage::Running(followed) if followed.reports());
        let may_wake = |front: &GroupOperation| front.wakes() && (reports || !front.late);
        let wakes = self.operations.front().is_some_and(may_wake);
        let next = if self.current.is_none() || wakes { self.next() } else { None };
        let Stage::Running(followed) = &self.stage else { return };
        if !followed.selects() {
            // All sleep: any operation is a wake-up of somebody.
            let operation = next.or_else(|| self.operations.is_empty().then(|| GroupOperation::farewell(&self.shape)));
            self.offer = operation
                .and_then(|operation| wake_parked(&followed.group, operation.address(&self.shape), &self.shape))
                .map(|(position, request)| Offer::Wake(position, request));
            return;
        }
        match next {
            Some(operation) if operation.wakes() => {
                let (position, request) = operation.wake(&followed.group, &self.shape);
                self.offer = Some(Offer::Wake(position, request));
                return;
            }
            Some(operation) => self.current = Some(operation),
            None if self.operations.is_empty() && self.current.is_none() => {
                self.current = Some(GroupOperation::farewell(&self.shape));
            }
            None => {}
        }
        let Some(current) = &self.current else { return };
        // The leaf is known from its first warp on; what depends on nothing of it need not wait.
        let request = match followed.has_shown() || followed.reports() {
            true => current.report(&followed.group, &self.shape),
            false if self.settings.eager => current.blind(&self.shape),
            false => None,
        };
        self.offer = request.map(Offer::Report);
    }

    /// The block is reset: everything it held is gone.
    fn forget(&mut self) {
        self.current = None;
        self.offer = None;
        self.resetting = false;
        self.stage = Stage::Idle;
        self.busy = Some(0);
        (self.seen, self.totals) = (Totals::default(), Totals::default());
        self.memory.forget_answers();
    }
}

impl Bench for Run {
    const IDLE: &'static [Idle] = &[
        Idle { strobes: &["launch_valid"], ports: &["launch_mask", "launch_address"] },
        Idle {
            strobes: &["request_valid"],
            ports: &[
                "request_operation",
                "request_kind",
                "request_mask",
                "request_target",
                "request_targeted",
                "request_again",
            ],
        },
        Idle { strobes: &["memory_response_valid"], ports: &["memory_response_data"] },
    ];

    fn drive(&mut self, pins: &mut Frame) {
        self.dispatch();
        let place = self.pins;
        self.tree.configure(pins, &self.settings, &self.shape.sizes, self.resetting);
        let (request, position) = match &self.offer {
            Some(Offer::Report(request)) => (Some(request), 0),
            Some(Offer::Wake(position, request)) => (Some(request), *position),
            None => (None, 0),
        };
        self.tree.offer(pins, request, self.early);
        pins.write(place.request_position, position as u128);
        let launching = match &self.stage {
            Stage::Launching(launches, address, next) => Some((launches[*next], *next, launches.len(), *address)),
            _ => None,
        };
        pins.write(place.launch_valid, launching.is_some().into());
        if let Some(((warp, mask), next, positions, address)) = launching {
            pins.write(place.launch_position, next as u128);
            pins.write(place.launch_warp, warp as u128);
            pins.write(place.launch_mask, mask.into());
            pins.write(place.launch_last, (next + 1 == positions).into());
            pins.write(place.launch_address, address.into());
        }
        self.memory.drive(pins);
    }

    fn shows_early(&self) -> bool {
        self.early
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        self.cycle += 1;
        if self.resetting {
            counts.add("reset");
            self.progress += 1;
            self.forget();
            return Ok(());
        }
        let free = self.is_free(pins);
        let complete = matches!(&self.stage, Stage::Running(followed) if followed.is_complete());
        self.levels(pins, free)?;
        self.launched(pins, counts)?;
        self.requested(pins, free, counts)?;
        self.tree.memory(pins, counts);
        if let Some(cause) = self.tree.exception(pins)? {
            match &mut self.stage {
                Stage::Running(followed) | Stage::Ending(_, followed) => followed.exception(cause, counts)?,
                Stage::Idle | Stage::Launching(..) => return Err(format!("TD-09: {cause:?} without a group")),
            }
        }
        self.endings(pins, counts)?;
        self.changed(pins, free, complete, counts)?;
        self.events(pins, free)?;
        self.memory.observe(pins);
        Ok(())
    }

    fn finished(&self) -> bool {
        let offered = self.offer.is_some() || self.current.is_some() || self.resetting;
        self.operations.is_empty() && !offered && matches!(self.stage, Stage::Idle)
    }

    fn begun(&self) -> usize {
        self.begun
    }

    fn progress(&self) -> u64 {
        self.progress
    }
}
