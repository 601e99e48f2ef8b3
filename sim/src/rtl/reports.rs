//! What a divergence engine reports at its ports in a cycle, alone or inside a control core.

use crate::engine::{Cause, Events, Fault, NodeCount};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Pins;

heddle_hdl::pins! {
    /// The pins of the reports, by index.
    struct ReportPins {
    error_valid, error_cause, error_warp, error_address, exception_valid, exception_cause, exception_warp,
    event_push, event_push_warp, event_pop, event_pop_warp, event_diverge, event_yield, event_merge, event_discard,
    } optional { event_nodes }
}

/// The reports of an engine: errors, handlers, tokens and branches. Which warps end, others say.
#[derive(Clone, Copy, Debug)]
pub struct Reports(ReportPins);

impl Reports {
    /// The pins among `ports`.
    pub fn of(ports: &[Port]) -> Self {
        Self(ReportPins::of(ports))
    }

    /// What is reported in this cycle, settled.
    pub fn read(&self, from: &mut impl Pins) -> Events {
        let pins = &self.0;
        let mut events = Events::default();
        let mut flag = |pin: usize| from.get(pin) == 1;
        let (error, push, pop, exception) =
            (flag(pins.error_valid), flag(pins.event_push), flag(pins.event_pop), flag(pins.exception_valid));
        events.diverged = flag(pins.event_diverge).into();
        events.yielded = flag(pins.event_yield).into();
        events.merged = flag(pins.event_merge).into();
        events.discarded = flag(pins.event_discard).into();
        if error {
            let cause = cause_of(from.get(pins.error_cause));
            let (warp, address) = (from.get(pins.error_warp) as usize, from.get(pins.error_address) as u32);
            events.faults.push(Fault { warp, cause, address });
        }
        if push {
            events.pushed.push(from.get(pins.event_push_warp) as usize);
        }
        if pop {
            events.popped.push(from.get(pins.event_pop_warp) as usize);
        }
        if exception {
            let cause = cause_of(from.get(pins.exception_cause));
            events.exceptions.push((cause, from.get(pins.exception_warp) as usize));
        }
        if let Some(pin) = pins.event_nodes {
            let nodes = from.get(pin) as u64;
            let warp = from.get(pins.event_push_warp) as usize;
            events.nodes = (nodes > 0).then_some(NodeCount { warp, nodes, bound: None });
        }
        events
    }
}

/// The cause of a code on the cause pins.
fn cause_of(code: u128) -> Cause {
    match code {
        0 => Cause::Recenter,
        1 => Cause::Spill,
        2 => Cause::Refill,
        3 => Cause::Fatal,
        _ => Cause::LostThread,
    }
}
