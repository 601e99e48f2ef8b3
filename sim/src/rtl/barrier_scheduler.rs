//! The RTL of the barrier scheduler as a [`BarrierScheduler`]: one driver of its ports for every simulation of it, in Rust or Verilated.

use crate::barrier::{
    BarrierScheduler, ErrorCause, ErrorReport, Event, Key, Outputs, Request, Response, Size, Statics, Wake,
};
use heddle_hdl::simulation::Simulation;

heddle_hdl::pins! {
    /// The pins of a barrier scheduler, by index.
    struct Scheduler {
    reset, late_join_all, exclusive_inside, class_conflicts, reserved_slots,
    request_valid, request_ready, request_operation, request_cta, request_block, request_barrier, request_mask,
    request_participants, request_tag, request_after, request_critical, request_ordered, request_exclusive,
    request_blocking, request_impatient, request_data,
    response_valid, response_sleep, response_pass, response_skip, response_wait, response_refused, saved_data, response_error,
    error_cause, error_block, error_offset, error_barrier, error_address, error_other_barrier, error_other_address,
    release_valid, release_cta, release_barrier, release_phase,
    wake_valid, wake_ready, wake_cta, wake_block, wake_mask, wake_address, wake_inside,
    dynamic_valid, dynamic_key, handed_valid, handed_key, handed_slot, idle_valid, idle_key, timeout_valid, timeout_key,
    launched_valid, launched_cta, slot_occupied, fifo_count,
}}

/// A barrier scheduler in RTL.
pub struct RtlBarrierScheduler<S: Simulation> {
    simulation: S,
    pins: Scheduler,
    size: Size,
    statics: Statics,
    offered: Option<Request>,
    ready: bool,
}

impl<S: Simulation> RtlBarrierScheduler<S> {
    /// Resets the scheduler and sets its static inputs. `size` is that of the block.
    pub fn new(simulation: S, size: Size, statics: Statics) -> Self {
        let pins = Scheduler::of(simulation.ports());
        let mut scheduler = Self { simulation, pins, size, statics, offered: None, ready: false };
        for (pin, value) in [
            (pins.late_join_all, statics.late_join_all.into()),
            (pins.exclusive_inside, statics.exclusive_inside.into()),
            (pins.class_conflicts, statics.class_conflicts.into()),
            (pins.reserved_slots, statics.reserved_slots as u128),
            (pins.request_valid, 0),
            (pins.wake_ready, 1),
            (pins.reset, 1),
        ] {
            scheduler.simulation.set(pin, value);
        }
        scheduler.simulation.tick();
        scheduler.simulation.set(pins.reset, 0);
        scheduler.ready = scheduler.flag(pins.request_ready);
        scheduler
    }

    /// The simulation itself, for traces.
    pub fn simulation(&mut self) -> &mut S {
        &mut self.simulation
    }

    fn get(&mut self, pin: usize) -> u128 {
        self.simulation.get(pin)
    }

    fn flag(&mut self, pin: usize) -> bool {
        self.get(pin) == 1
    }

    fn number(&mut self, pin: usize) -> usize {
        self.get(pin) as usize
    }

    /// The barrier that a key port names.
    fn key(&mut self, pin: usize) -> Key {
        let key = self.number(pin);
        Key { cta: key / self.size.barriers, barrier: key % self.size.barriers }
    }

    fn response(&mut self) -> Option<Response> {
        let pins = self.pins;
        if !self.flag(pins.response_valid) {
            return None;
        }
        let error = if self.flag(pins.response_error) { self.error() } else { None };
        Some(Response {
            sleep: self.get(pins.response_sleep) as u64,
            pass: self.get(pins.response_pass) as u64,
            skip: self.get(pins.response_skip) as u64,
            wait: self.get(pins.response_wait) as u64,
            refused: self.flag(pins.response_refused),
            saved: self.get(pins.saved_data) as u64,
            error,
        })
    }

    fn error(&mut self) -> Option<ErrorReport> {
        let pins = self.pins;
        let cause = error_cause(self.get(pins.error_cause));
        let other = (self.number(pins.error_other_barrier), self.get(pins.error_other_address) as u32);
        Some(ErrorReport {
            cause,
            block: self.number(pins.error_block),
            offset: self.number(pins.error_offset),
            barrier: self.number(pins.error_barrier),
            address: self.get(pins.error_address) as u32,
            other: matches!(cause, ErrorCause::Nested | ErrorCause::NoBottom).then_some(other),
        })
    }

    fn wake(&mut self) -> Option<Wake> {
        let pins = self.pins;
        self.flag(pins.wake_valid).then(|| Wake {
            cta: self.number(pins.wake_cta),
            block: self.number(pins.wake_block),
            mask: self.get(pins.wake_mask) as u64,
            address: self.get(pins.wake_address) as u32,
            inside: self.flag(pins.wake_inside),
        })
    }

    /// The strobes of this cycle. What belongs to the request or internal step that executes comes first: it is what the
    /// others may follow from.
    fn events(&mut self) -> Vec<Event> {
        let pins = self.pins;
        let mut events = Vec::new();
        if self.flag(pins.timeout_valid) {
            events.push(Event::Timeout(self.key(pins.timeout_key)));
        }
        if self.flag(pins.dynamic_valid) {
            events.push(Event::Dynamic(self.key(pins.dynamic_key)));
        }
        if self.flag(pins.idle_valid) {
            events.push(Event::Idle(self.key(pins.idle_key)));
        }
        if self.flag(pins.release_valid) {
            let key = Key { cta: self.number(pins.release_cta), barrier: self.number(pins.release_barrier) };
            let phase = self.flag(pins.release_phase);
            events.push(Event::Released(key, phase));
        }
        if self.flag(pins.launched_valid) {
            events.push(Event::Launched(self.number(pins.launched_cta)));
        }
        if self.flag(pins.handed_valid) {
            events.push(Event::Handed(self.key(pins.handed_key), self.number(pins.handed_slot)));
        }
        events
    }

    /// Puts a request on its port, or none.
    fn drive(&mut self) {
        let pins = self.pins;
        self.simulation.set(pins.request_valid, self.offered.is_some().into());
        let Some(request) = self.offered else { return };
        for (pin, value) in [
            (pins.request_operation, request.operation as u128),
            (pins.request_cta, request.cta as u128),
            (pins.request_block, request.block as u128),
            (pins.request_barrier, request.barrier as u128),
            (pins.request_mask, request.mask.into()),
            (pins.request_participants, request.participants.into()),
            (pins.request_tag, request.tag.into()),
            (pins.request_after, request.after.into()),
            (pins.request_critical, request.critical.into()),
            (pins.request_ordered, request.ordered.into()),
            (pins.request_exclusive, request.exclusive.into()),
            (pins.request_blocking, request.blocking.into()),
            (pins.request_impatient, request.impatient.into()),
            (pins.request_data, request.data.into()),
        ] {
            self.simulation.set(pin, value);
        }
    }
}

/// The cause of a code at the port.
pub(super) const fn error_cause(code: u128) -> ErrorCause {
    match code {
        1 => ErrorCause::NotInside,
        2 => ErrorCause::Nested,
        3 => ErrorCause::Differs,
        4 => ErrorCause::Illegal,
        6 => ErrorCause::NoBottom,
        _ => ErrorCause::Overflow,
    }
}

impl<S: Simulation> BarrierScheduler for RtlBarrierScheduler<S> {
    fn size(&self) -> Size {
        self.size
    }

    fn statics(&self) -> Statics {
        self.statics
    }

    fn ready(&self) -> bool {
        self.ready
    }

    fn offer(&mut self, request: Option<Request>) {
        self.offered = request;
        self.drive();
    }

    fn wake_ready(&mut self, ready: bool) {
        self.simulation.set(self.pins.wake_ready, ready.into());
    }

    fn tick(&mut self) -> Outputs {
        let accepted = self.offered.is_some() && self.ready;
        self.simulation.tick();
        if accepted {
            self.offered = None;
            self.drive();
        }
        let outputs = Outputs {
            accepted,
            response: self.response(),
            wake: self.wake(),
            events: self.events(),
            slot_occupied: self.get(self.pins.slot_occupied) as u64,
            fifo_count: self.number(self.pins.fifo_count),
        };
        self.ready = self.flag(self.pins.request_ready);
        outputs
    }
}
