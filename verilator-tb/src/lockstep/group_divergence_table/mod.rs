//! `group_divergence_table` in lockstep: random instructions of whole groups of warps, reported warp by warp, judged by the reference group that
//! follows the table's choice of leaves, by the contract of any tree, by the columns that masks get, and by the stated cycles (XV-02, TD-01
//! to TD-11).

mod followed;
mod masks;
mod operation;
mod run;

pub use operation::GroupOperation;
pub use run::Run;

use super::bench::{Shape, Stimulus, Subject};
use super::tree_watch::Settings;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;

/// The sizes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupShape {
    /// Those of any table; warps are those of the group.
    pub sizes: Shape,
    /// Columns of the store of masks that hold one.
    pub columns: usize,
}

impl GroupShape {
    /// Deferred leaves that memory holds: each has a thread.
    pub fn ring(&self) -> u16 {
        (self.sizes.warps * self.sizes.threads) as u16
    }
}

/// The subject; see the module's page.
pub struct GroupDivergenceTableSubject;

impl Subject for GroupDivergenceTableSubject {
    type Shape = GroupShape;
    type Settings = Settings;
    type Operation = GroupOperation;
    type Bench = Run;
    const EXPECTED: &'static [&'static str] = &[
        "launch",
        "launch of some of the warps",
        "step",
        "push",
        "branch",
        "indirect",
        "call",
        "leave",
        "yield",
        "exit",
        "sleep",
        "wake",
        "wake between reports",
        "wake before the sleep is taken",
        "warp that goes elsewhere",
        "warp that leads elsewhere than one that names nobody",
        "warp that keeps its mask",
        "warp that parts",
        "warp of which some go",
        "new column",
        "column used again",
        "a mask for half the threads of a warp",
        "union at the node above",
        "union further up",
        "union in several warps",
        "divergence",
        "region that needs no node",
        "threads arrive",
        "region goes on",
        "YIELD that detaches",
        "leave that detaches",
        "discard",
        "parked",
        "halt",
        "lost thread",
        "fatal",
        "leaf or node to memory",
        "leaf from memory",
        "exchange",
        "memory write",
        "memory write refused",
        "memory read",
        "memory read refused",
        "one report after the other",
        "one instruction after the other",
        "reset",
    ];

    fn shape(entry: &Entry) -> GroupShape {
        let columns = entry.parameter("columns").unwrap_or(1) as usize - 1;
        GroupShape { sizes: Shape::of(entry), columns }
    }

    fn stimulus(shape: &GroupShape, seed: u64) -> Stimulus<Settings, GroupOperation> {
        operation::random(shape, seed)
    }

    fn bench(shape: &GroupShape, ports: &[Port], stimulus: &Stimulus<Settings, GroupOperation>) -> Run {
        Run::new(shape, ports, stimulus)
    }
}
