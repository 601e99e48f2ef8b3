//! What is seen in a cycle, held against what the reference group says and against the stated cycles.

use super::super::followed::{End, Followed, Taken};
use super::{Offer, Run, Stage};
use crate::lockstep::bench::Counts;
use crate::lockstep::tree_watch::Totals;
use heddle_hdl::divergence::token::Cause;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::Mask;
use heddle_sim::model::tree::group::WarpTurn;

/// Cycles from the last position's launch until the group runs, and from any other until the next one is taken.
const START: u64 = 4;
const PLACE: u64 = 3;

impl Run {
    /// Whether the table is at rest in this cycle.
    pub(super) fn is_free(&mut self, pins: &Frame) -> bool {
        let read = |pin| pins.read(pin) == 1;
        if self.busy.is_none()
            && (read(self.pins.turn_valid) || read(self.pins.changed) || read(self.pins.request_ready))
        {
            self.busy = Some(self.cycle);
        }
        self.busy.is_some_and(|until| self.cycle >= until)
    }

    /// What the table must show in this cycle, whatever is asked of it.
    pub(super) fn levels(&mut self, pins: &Frame, free: bool) -> Result<(), String> {
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

    pub(super) fn launched(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
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
    pub(super) fn requested(&mut self, pins: &Frame, free: bool, counts: &mut Counts) -> Result<(), String> {
        let ready = pins.read(self.pins.request_ready) == 1;
        let Stage::Running(followed) = &mut self.stage else {
            return if ready { Err("TD-11: a request was taken of no group".into()) } else { Ok(()) };
        };
        let now = self.cycle;
        let at_rest = free && now >= self.started && !followed.is_complete();
        let due = match self.offer.filter(|_| !self.early) {
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
    pub(super) fn changed(
        &mut self,
        pins: &Frame,
        free: bool,
        complete: bool,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let changed = pins.read(self.pins.changed) == 1;
        let now = self.cycle;
        let due = free && complete;
        match &self.stage {
            Stage::Running(_) if due && changed => {}
            Stage::Running(followed) if due => {
                if !followed.may_need_memory() {
                    return Err(format!("TD-11: the tree does not take the instruction, {}", self.describe()));
                }
                self.busy = None;
                return Ok(());
            }
            _ if changed => return Err(format!("TD-10: an instruction was taken, {}", self.describe())),
            _ => return Ok(()),
        }
        let Stage::Running(followed) = &mut self.stage else { return Ok(()) };
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
    pub(super) fn endings(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
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
    pub(super) fn events(&mut self, pins: &Frame, free: bool) -> Result<(), String> {
        self.tree.add_to(pins, &mut self.seen);
        if free && self.taken_at != self.cycle && self.seen != self.totals {
            return Err(format!("TD-05: the events say {:?}, the model {:?}", self.seen, self.totals));
        }
        Ok(())
    }
}
