//! An episode of `group_divergence_table` under way.

use super::followed::{End, Followed, Taken};
use super::operation::{wake_parked, GroupOperation};
use super::GroupShape;
use crate::lockstep::bench::{Bench, Counts, Stimulus};
use crate::lockstep::divergence_unit::stimulus::Code;
use crate::lockstep::tree_watch::{Settings, Totals, TreePins};
use heddle_hdl::divergence::token::Cause;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::{Mask, Request};
use heddle_sim::model::tree::group::WarpTurn;
use heddle_sim::rtl::memory::Memory;
use std::collections::VecDeque;

/// Cycles from the last position's launch until the group runs, and from any other until the next one is taken.
const START: u64 = 4;
const PLACE: u64 = 3;

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
            Stage::Running(_) => self.choose(),
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

    /// Whether the table is at rest in this cycle.
    fn is_free(&mut self, pins: &Frame) -> bool {
        let read = |pin| pins.read(pin) == 1;
        if self.busy.is_none()
            && (read(self.pins.turn_valid) || read(self.pins.changed) || read(self.pins.request_ready))
        {
            self.busy = Some(self.cycle);
        }
        self.busy.is_some_and(|until| self.cycle >= until)
    }

    /// What the table must show in this cycle, whatever is asked of it.
    fn levels(&mut self, pins: &Frame, free: bool) -> Result<(), String> {
        let read = |pin| pins.read(pin);
        let now = self.cycle;
        let (runs, selects, complete) = match &self.stage {
            Stage::Idle | Stage::Launching(..) => (false, false, false),
            Stage::Running(followed) => (now >= self.started, followed.selects(), followed.is_complete()),
            Stage::Ending(..) => (now >= self.started, false, false),
        };
        let turn = free && runs && selects && !complete;
        for (what, seen, known) in [
            ("running", read(self.pins.running), runs),
            ("turn_valid", read(self.pins.turn_valid), turn),
            ("launch_ready", read(self.pins.launch_ready), free && !runs),
        ] {
            if seen != u128::from(known) {
                return Err(format!("TD-11: {what} is {seen}, {}", self.describe()));
            }
        }
        let shown = [self.pins.turn_active, self.pins.turn_address].map(read);
        if !turn && shown != [0, 0] {
            return Err(format!("TD-10: {shown:x?} is shown of nobody"));
        }
        if let (Stage::Running(followed), true) = (&mut self.stage, turn) {
            let turn = WarpTurn {
                position: read(self.pins.turn_position) as usize,
                warp: read(self.pins.turn_warp) as usize,
                active: read(self.pins.turn_active) as Mask,
                address: read(self.pins.turn_address) as u32,
            };
            followed.show(turn, read(self.pins.turn_index) as usize)?;
        }
        if let (Stage::Running(followed), true) = (&self.stage, free && runs) {
            followed.check_nodes(read(self.pins.event_nodes) as u64)?;
        }
        Ok(())
    }

    fn describe(&self) -> String {
        let what = match &self.stage {
            Stage::Idle => "no group runs".into(),
            Stage::Launching(_, _, place) => format!("position {place} is launched"),
            Stage::Running(followed) => match followed.group.turn() {
                Some(turn) => format!("{turn:x?}"),
                None if followed.is_complete() => "all have reported".into(),
                None => "it is parked".into(),
            },
            Stage::Ending(end, _) => format!("it ends: {end:x?}"),
        };
        format!("cycle {}, busy until {:?}: {what}", self.cycle, self.busy)
    }

    fn launched(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let Stage::Launching(launches, address, place) = &mut self.stage else { return Ok(()) };
        if pins.read(self.pins.launch_ready) == 0 {
            return Ok(());
        }
        self.progress += 1;
        *place += 1;
        if *place < launches.len() {
            self.busy = Some(self.cycle + PLACE);
            return Ok(());
        }
        counts.add("launch");
        if launches.len() < self.shape.sizes.warps {
            counts.add("launch of some of the warps");
        }
        let followed = Followed::launch(launches, *address, &self.shape, &self.settings, counts)?;
        self.started = self.cycle + START;
        self.busy = Some(self.started);
        self.stage = Stage::Running(Box::new(followed));
        if let Stage::Running(followed) = std::mem::replace(&mut self.stage, Stage::Idle) {
            // Without a thread it halts at once, and that takes a cycle.
            self.stage = match followed.lives() {
                true => Stage::Running(followed),
                false => {
                    self.busy = Some(self.started + 1);
                    Stage::Ending(End::Halt, followed)
                }
            };
        }
        Ok(())
    }

    /// The request on its port, taken or not.
    fn requested(&mut self, pins: &Frame, free: bool, counts: &mut Counts) -> Result<(), String> {
        let ready = pins.read(self.pins.request_ready) == 1;
        let Stage::Running(followed) = &mut self.stage else {
            return if ready { Err("TD-11: a request was taken of no group".into()) } else { Ok(()) };
        };
        let now = self.cycle;
        let at_rest = free && now >= self.started && !followed.is_complete();
        let due = match self.offer {
            Some(Offer::Report(_)) => at_rest && followed.selects(),
            Some(Offer::Wake(..)) => at_rest,
            None => false,
        };
        if ready != due {
            let state = self.describe();
            return Err(format!("TD-11: request_ready is {ready} for {:x?}, {state}", self.offer));
        }
        if let Some(Offer::Report(request)) = self.offer.filter(|_| ready) {
            let along = followed.group.goes_along(&request);
            if (pins.read(self.pins.request_along) == 1) != along {
                return Err(format!("TD-10: request_along is {} for {request:x?}", !along));
            }
        }
        let Some(offer) = self.offer.take_if(|_| ready) else { return Ok(()) };
        self.progress += 1;
        self.busy = match offer {
            Offer::Wake(position, request) => followed.wake(position, &request, counts)?.map(|busy| now + 1 + busy),
            Offer::Report(request) => {
                if self.reported_at + 1 == now && self.taken_at + 1 != now {
                    counts.add("one report after the other");
                }
                if self.taken_at + 1 == now {
                    counts.add("one instruction after the other");
                }
                self.reported_at = now;
                let cycles = followed.report(&request, counts)?;
                if followed.is_complete() {
                    self.current = None;
                }
                Some(now + 1 + cycles)
            }
        };
        Ok(())
    }

    /// The tree takes the instruction, or has a reason not to. `complete`: all had reported when the cycle began.
    fn changed(&mut self, pins: &Frame, free: bool, complete: bool, counts: &mut Counts) -> Result<(), String> {
        let changed = pins.read(self.pins.changed) == 1;
        let now = self.cycle;
        let known = self.describe();
        let Stage::Running(followed) = &mut self.stage else {
            return if changed { Err(format!("TD-10: an instruction was taken, {known}")) } else { Ok(()) };
        };
        if !(free && complete) {
            return if changed { Err(format!("TD-10: an instruction was taken, {known}")) } else { Ok(()) };
        }
        if !changed {
            if !followed.may_need_memory() {
                return Err(format!("TD-11: the tree does not take the instruction, {known}"));
            }
            self.busy = None;
            return Ok(());
        }
        self.progress += 1;
        self.taken_at = now;
        let Taken { busy, end } = followed.taken(&mut self.totals, counts)?;
        self.busy = busy.map(|busy| now + 1 + busy);
        if let Some(end) = end {
            if let Stage::Running(followed) = std::mem::replace(&mut self.stage, Stage::Idle) {
                self.stage = Stage::Ending(end, followed);
            }
        }
        Ok(())
    }

    /// The group halted or was stopped.
    fn endings(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let (halts, stops) = (pins.read(self.pins.done_valid) == 1, pins.read(self.pins.error_valid) == 1);
        if !halts && !stops {
            return Ok(());
        }
        let address = pins.read(self.pins.error_address) as u32;
        let cause = pins.read(self.pins.error_cause);
        match &self.stage {
            Stage::Ending(End::Halt, followed) if halts => {
                followed.done()?;
                counts.add("halt");
                // A group that halts takes the nodes above its last leaf with it; they are not told one by one.
                let Totals { closed, discarded, .. } = self.totals;
                if self.seen.closed > closed || self.seen.discarded > discarded {
                    return Err(format!("TD-05: the events say {:?}, the model {:?}", self.seen, self.totals));
                }
                self.seen = Totals { closed, discarded, ..self.seen };
            }
            Stage::Ending(End::Stop(known, place), followed)
                if stops && cause == *known as u128 && address == *place =>
            {
                followed.stopped(*known)?;
                counts.add("lost thread");
            }
            Stage::Running(followed) if stops && cause == Cause::Fatal as u128 => {
                if followed.fatal()? != Some(address) {
                    return Err(format!(
                        "DQ-26: the group stopped for want of memory at {address:#x}: {}",
                        self.describe()
                    ));
                }
                counts.add("fatal");
                self.busy = None;
            }
            _ => {
                return Err(format!(
                    "DQ-26: it halts: {halts}, is stopped: {cause} at {address:#x}; {}",
                    self.describe()
                ));
            }
        }
        if let Some(until) = self.busy.filter(|until| *until != self.cycle + 1) {
            return Err(format!("TD-08: the group ends in cycle {}, not before {until}", self.cycle));
        }
        self.progress += 1;
        self.stage = Stage::Idle;
        self.offer = None;
        self.current = None;
        self.busy = Some(self.cycle + 1);
        Ok(())
    }

    /// The event strobes add up to what the model did, whenever the table is at rest.
    fn events(&mut self, pins: &Frame, free: bool) -> Result<(), String> {
        self.tree.add_to(pins, &mut self.seen);
        if free && self.taken_at != self.cycle && self.seen != self.totals {
            return Err(format!("TD-05: the events say {:?}, the model {:?}", self.seen, self.totals));
        }
        Ok(())
    }
}

impl Bench for Run {
    fn drive(&mut self, pins: &mut Frame) {
        self.dispatch();
        let place = self.pins;
        self.tree.configure(pins, &self.settings, &self.shape.sizes, self.resetting);
        let (request, position) = match &self.offer {
            Some(Offer::Report(request)) => (Some(request), 0),
            Some(Offer::Wake(position, request)) => (Some(request), *position),
            None => (None, 0),
        };
        self.tree.offer(pins, request);
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
