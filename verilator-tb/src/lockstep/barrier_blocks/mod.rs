//! The blocks of the barrier system one by one: random inputs within what each block's page allows, the Rust kernels and the
//! export compared on every port, and a judge that knows the page's rules (XV-02, BR-01..BR-52).

mod arbiter;
mod collector;
mod execution;
mod fifo;
mod leaving;
mod logical_map;
mod plain_barrier;
mod release_walker;
mod saving;
mod selection;
mod slots;
mod thread_state;
mod tracker;

pub use arbiter::ArbiterJudge;
pub use collector::CollectorJudge;
pub use execution::ExecutionJudge;
pub use fifo::FifoJudge;
pub use logical_map::LogicalMapJudge;
pub use plain_barrier::PlainBarrierJudge;
pub use release_walker::ReleaseWalkerJudge;
pub use selection::SelectionJudge;
pub use slots::SlotsJudge;
pub use thread_state::ThreadStateJudge;
pub use tracker::TrackerJudge;

use heddle_hdl::points::Entry;
use std::fmt::Debug;

/// A parameter of a point, as a size.
///
/// # Panics
/// If the block has no such parameter: the judge is for another block.
pub(super) fn size(entry: &Entry, name: &str) -> usize {
    entry.parameter(name).unwrap_or_else(|| panic!("{} has no parameter {name}", entry.block)) as usize
}

/// Says what differs from what the page promises.
pub(super) fn expect<T: PartialEq + Debug>(what: &str, actual: T, promised: T) -> Result<(), String> {
    if actual == promised {
        return Ok(());
    }
    Err(format!("{what} is {actual:?}, the page promises {promised:?}"))
}

/// The first bit of `mask` at or above `from`, else its first bit.
fn next_in_circle(mask: u128, from: usize) -> Option<usize> {
    let above = if from < 128 { mask >> from << from } else { 0 };
    let chosen = if above == 0 { mask } else { above };
    (chosen != 0).then(|| chosen.trailing_zeros() as usize)
}
