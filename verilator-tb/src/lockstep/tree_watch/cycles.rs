//! For how many cycles an instruction keeps a tree table busy, from its stated timing alone (TD-08, TD-11).

use super::ancestors;
use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_sim::engine::{Events, Request};
use heddle_sim::model::tree::set::ThreadSet;
use heddle_sim::model::tree::table::Node;
use heddle_sim::model::tree::Table;

/// Cycles for which no request is taken after `request` on the threads of `mask`, with nothing of the tree in memory; `before` is the tree as
/// the instruction meets it, `events` is what it does.
pub fn busy<S: ThreadSet>(before: &Table<S>, mask: S, request: &Request, events: &Events) -> u64 {
    if !events.withdrawn.is_empty() {
        return 1;
    }
    let Some(leaf) = before.selected() else { return 0 };
    let (named, all) = (leaf.threads & mask, (leaf.threads & !mask).is_empty());
    let below = leaf.parent.is_some();
    let freed = u64::from(events.discarded);
    let ended = !events.done.is_empty() || !events.faults.is_empty();
    match request.operation {
        // The nodes above are looked at one by one, up to the first that others are below.
        Operation::Withdraw if below => events.saved.len() as u64,
        Operation::Withdraw => 0,
        _ if named.is_empty() => 0,
        Operation::Exit if ended => 1,
        Operation::Exit | Operation::Yield => freed,
        Operation::Sleep if all && below => 1 + freed,
        Operation::Call if !all && below => 1,
        Operation::Leave => {
            let kind = request.kind.unwrap_or(Kind::Sync);
            // Every node above is looked at, up to one of the kind; the nearest one in the request's own cycle.
            let other = |node: &&Node<S>| node.region.is_some_and(|region| region.kind != kind);
            let searched = ancestors(before, leaf).take_while(other).count() as u64;
            let leaves = match (all, searched) {
                (true, 0) => freed,
                (true, _) => 1 + freed,
                (false, _) => 0,
            };
            searched + if ended { 1 } else { leaves }
        }
        _ => 0,
    }
}
