//! What the benches of all tree tables share, whatever their sets of threads are: what an instruction does to a reference tree and in how many
//! cycles, what any tree is owed, what may go to memory, and the pins that have nothing to do with threads.

mod cycles;
mod effect;
mod pins;
mod settings;
mod watch;

pub use effect::{Effect, Totals};
pub use pins::TreePins;
pub use settings::Settings;
pub(in crate::lockstep) use settings::{PHASES, SAVING_PHASES};
pub use watch::{judge, Room, Watch};

use heddle_hdl::divergence::token::Operation;
use heddle_sim::engine::{Configuration, Events, Request};
use heddle_sim::model::tree::set::ThreadSet;
use heddle_sim::model::tree::table::Node;
use heddle_sim::model::tree::Table;

/// The node of a number.
fn node<S: ThreadSet>(table: &Table<S>, wanted: usize) -> Option<&Node<S>> {
    table.nodes().find(|(number, _)| *number == wanted).map(|(_, node)| node)
}

/// The nodes above a leaf, the nearest first.
pub fn ancestors<'a, S: ThreadSet>(table: &'a Table<S>, leaf: &Node<S>) -> impl Iterator<Item = &'a Node<S>> + Clone {
    let first = leaf.parent.and_then(|parent| node(table, parent));
    std::iter::successors(first, |above| above.parent.and_then(|parent| node(table, parent)))
}

/// Waiting nodes of a tree.
pub fn waiting<S: ThreadSet>(tree: &Table<S>) -> usize {
    tree.nodes().filter(|(_, node)| node.region.is_some()).count()
}

/// Whether `request` on the threads of `mask` opens a region or call, which a table may have no room for.
pub fn opens<S: ThreadSet>(tree: &Table<S>, mask: S, request: &Request, rules: &Configuration) -> bool {
    if !matches!(request.operation, Operation::Push | Operation::Call) {
        return false;
    }
    let mut after = tree.clone();
    after.execute_on(mask, request, rules, &mut Events::default());
    waiting(&after) > waiting(tree)
}
