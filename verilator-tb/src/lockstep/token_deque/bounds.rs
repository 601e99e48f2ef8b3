//! How long an operation may keep its port waiting, from the stated timing of the block alone.

use crate::lockstep::bench::Shape;
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Cause, Kind, QueueOperation};
use heddle_sim::model::TokenDeque;

/// The most cycles that `operation` may wait on `queue` before it is accepted, exceptions aside; none if nothing is stated
/// (the memory stalls at random).
///
/// DQ-06: nothing but searches wait. DQ-40: a search costs a cycle for each token examined.
pub fn allowance(
    queue: &TokenDeque,
    operation: QueueOperation,
    kind: Kind,
    spilled: bool,
    settings: &Surroundings,
) -> Option<u64> {
    let examined = match operation {
        QueueOperation::PushBack | QueueOperation::Yield => queue.count(Kind::Yield),
        QueueOperation::Find => queue.find(kind).map_or(0, |(place, _)| place + 1),
        _ => 0,
    } as u64;
    let again = match operation {
        QueueOperation::PushBack | QueueOperation::Yield if examined > 0 => 1,
        _ => 0,
    };
    let sweep = if operation == QueueOperation::Clear { 16 } else { 0 };
    // A spilled queue is searched in memory too, appends go there, and where the parts meet costs a step or two.
    let memory = if spilled { (examined + 2) * settings.access()? + 4 } else { 0 };
    Some(examined + again + sweep + memory)
}

/// The most cycles that a handler in hardware adds. DQ-10: recentering n tokens takes at most 2n + 4.
pub fn handler(cause: Cause, held: usize, shape: &Shape, settings: &Surroundings) -> Option<u64> {
    let occupied = held.min(shape.depth) as u64;
    match cause {
        Cause::Recenter => Some(2 * occupied + 4),
        Cause::Spill | Cause::Refill => Some(occupied * (settings.access()? + 2) + 2 * occupied + 8),
        Cause::Fatal | Cause::LostThread => Some(0),
    }
}
