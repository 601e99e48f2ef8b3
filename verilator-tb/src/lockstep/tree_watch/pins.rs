//! The pins of a tree table that have nothing to do with warps: configuration, instructions, exceptions, events.

use super::{Settings, Totals};
use crate::lockstep::bench::{Counts, Shape};
use heddle_hdl::divergence::token::{Cause, Operation};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::Request;

heddle_hdl::pins! {
    struct Pins {
        reset, path_policy, exchange_interval, spill_base, spill_limit,
        request_valid, request_operation, request_kind, request_mask, request_target, request_targeted, request_again,
        exception_valid, exception_cause,
        event_push, event_pop, event_diverge, event_yield, event_discard,
        memory_request_valid, memory_request_ready, memory_request_write,
    }
}

/// See the module's page.
pub struct TreePins(Pins);

impl TreePins {
    /// Those of a block.
    pub fn of(ports: &[Port]) -> Self {
        Self(Pins::of(ports))
    }

    /// Sets what an episode sets up, and whether the block is reset.
    pub fn configure(&self, pins: &mut Frame, settings: &Settings, shape: &Shape, resetting: bool) {
        let place = &self.0;
        pins.write(place.path_policy, settings.path_policy.into());
        pins.write(place.exchange_interval, settings.exchange_interval.into());
        pins.write(place.spill_base, settings.around.spill_base(shape).into());
        pins.write(place.spill_limit, settings.around.spill_limit.into());
        pins.write(place.reset, resetting.into());
    }

    /// Offers an instruction, or none, or shows one that will be offered.
    pub fn offer(&self, pins: &mut Frame, request: Option<&Request>, early: bool) {
        let place = &self.0;
        pins.write(place.request_valid, (request.is_some() && !early).into());
        if let Some(request) = request {
            pins.write(place.request_operation, request.operation as u128);
            pins.write(place.request_kind, request.kind.map_or(0, |kind| kind.code()).into());
            pins.write(place.request_mask, request.mask.into());
            pins.write(place.request_target, request.target.into());
            // Both mean something of a leave alone.
            let any = request.operation != Operation::Leave && request.target.count_ones() % 2 == 1;
            pins.write(place.request_targeted, (request.targeted || any).into());
            pins.write(place.request_again, (request.again || any).into());
        }
    }

    /// Counts what goes on at the memory port.
    pub fn memory(&self, pins: &Frame, counts: &mut Counts) {
        if pins.read(self.0.memory_request_valid) == 1 {
            let taken = pins.read(self.0.memory_request_ready) == 1;
            counts.add(match (pins.read(self.0.memory_request_write) == 1, taken) {
                (true, true) => "memory write",
                (true, false) => "memory write refused",
                (false, true) => "memory read",
                (false, false) => "memory read refused",
            });
        }
    }

    /// A leaf or a node moves in this cycle.
    ///
    /// # Errors
    /// A cause that there is not.
    pub fn exception(&self, pins: &Frame) -> Result<Option<Cause>, String> {
        if pins.read(self.0.exception_valid) == 0 {
            return Ok(None);
        }
        match pins.read(self.0.exception_cause) {
            1 => Ok(Some(Cause::Spill)),
            2 => Ok(Some(Cause::Refill)),
            code => Err(format!("TD-09: an exception of cause {code}")),
        }
    }

    /// Adds what the event strobes count.
    pub fn add_to(&self, pins: &Frame, totals: &mut Totals) {
        let strobe = |pin| pins.read(pin) as u64;
        totals.opened += strobe(self.0.event_push);
        totals.closed += strobe(self.0.event_pop);
        totals.diverged += strobe(self.0.event_diverge);
        totals.departed += strobe(self.0.event_yield);
        totals.discarded += strobe(self.0.event_discard);
    }
}
