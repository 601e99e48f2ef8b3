//! How long an instruction may stall its warp, from the stated timing of the unit alone (DQ-40).

use crate::lockstep::bench::Shape;
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Cause, Kind, Operation};
use heddle_sim::engine::{Events, Request};
use heddle_sim::model::divergence_warp::Warp;
use heddle_sim::model::TokenDeque;

/// What an instruction costs at most; `before` is the warp as the instruction meets it, `events` is what it does.
///
/// None if nothing is stated: the warp's tokens lie in a memory that stalls at random.
pub fn stall(
    before: &Warp<TokenDeque>,
    request: &Request,
    events: &Events,
    memory: Option<&Surroundings>,
) -> Option<u64> {
    let named = before.active & request.mask;
    let yields = before.queue.count(Kind::Yield) as u64;
    let unwound = if events.popped.is_empty() { 0 } else { 1 + u64::from(events.discarded) };
    let (searched, work) = match request.operation {
        _ if named == 0 && !regardless(request.operation) => (0, 0),
        Operation::Step | Operation::Push | Operation::Deposit | Operation::Disable => (0, 0),
        // The pop in the cycle of the request, the token in the next.
        Operation::Withdraw => (1, 1),
        Operation::Branch | Operation::Indirect if events.diverged > 0 => (0, 2),
        Operation::Branch | Operation::Indirect => (0, 0),
        Operation::Call => (0, if events.diverged > 0 { 2 } else { 0 }),
        Operation::Exit | Operation::Sleep => (0, unwound),
        // Its search cannot be announced.
        Operation::Wake => (yields, 1 + yields + u64::from(yields > 0) + unwound),
        Operation::Yield if events.yielded == 0 => (0, 0),
        Operation::Yield => (yields, 1 + yields + unwound),
        Operation::Leave => {
            let kind = request.kind.unwrap_or(Kind::Sync);
            let scanned = before.queue.find(kind).map_or(0, |(place, _)| place as u64 + 1);
            let implicit = if events.yielded > 0 { 1 + yields } else { 0 };
            (scanned + yields, 1 + scanned + implicit + unwound)
        }
    };
    let memory = match memory {
        None => 0,
        Some(around) => (searched + 2 + u64::from(events.discarded)) * around.access()? + 8,
    };
    Some(work + memory)
}

/// Whether an operation does something even if it names no active thread.
const fn regardless(operation: Operation) -> bool {
    matches!(operation, Operation::Push | Operation::Wake | Operation::Withdraw | Operation::Deposit)
}

/// The most cycles that a handler in hardware adds. DQ-10: recentering n tokens takes at most 2n + 4.
pub fn handler(cause: Cause, shape: &Shape, around: &Surroundings) -> Option<u64> {
    let occupied = shape.depth as u64;
    match cause {
        Cause::Recenter => Some(2 * occupied + 4),
        Cause::Spill | Cause::Refill => Some(occupied * (around.access()? + 2) + 2 * occupied + 8),
        Cause::Fatal | Cause::LostThread => Some(0),
    }
}
