//! The divergence pass (IS-06): a program with plain branches gets the instructions by which its threads meet again and take turns.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`flow`] | what the pass has to know of a program |
//! | [`control_flow_graph`] | basic blocks and the ways between them |
//! | [`post_dominators`] | where threads that part meet again |
//! | [`loops`] | loops of any graph, and where YIELDs go |
//! | [`regions`] | what lies between parting and meeting |
//! | [`placement`] | on which ways regions are opened and left |
//! | [`emit`] | the program anew |
//! | [`kernel`], [`trip_count`] | the pass on kernels |
//! | [`plain`] | the way back: a kernel without its regions |
//! | [`mistakes`] | why a kernel cannot go through |
//!
//! No structure is looked for and no block is copied, so the pass takes any graph, irreducible ones too. `docs/divergence-pass.md` tells how
//! it decides. What it decides can cost time and never a result: by DQ-28 a SYNC, BRK or CONT without its token is a YIELD
//! to its address, so that an instruction in the wrong place would be slow, not wrong.
//!
//! **Source** US 9,459,876: the driver inserts these instructions, at immediate post-dominators.

pub mod control_flow_graph;
pub mod emit;
pub mod flow;
pub mod kernel;
pub mod loops;
pub mod mistakes;
pub mod placement;
pub mod plain;
pub mod post_dominators;
pub mod regions;
pub mod trip_count;

#[cfg(test)]
mod tests;

use control_flow_graph::ControlFlowGraph;
use emit::{emit, Emission};
use flow::Code;
use loops::{loops, yielding_ways, Loop};
use petgraph::graph::{EdgeIndex, NodeIndex};
use placement::Placement;
use regions::{regions, Region};
use std::collections::{BTreeMap, BTreeSet};

/// What the pass found out about a program.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Blocks and ways.
    pub cfg: ControlFlowGraph,
    /// Regions by their joins.
    pub regions: BTreeMap<NodeIndex, Region>,
    /// The ways that get a YIELD.
    pub yielding: BTreeSet<EdgeIndex>,
}

impl Pass {
    /// Looks at a program. `ends_soon` says of which loops the number of rounds is known before the program runs; they get no YIELD.
    pub fn new(code: &Code, ends_soon: &dyn Fn(&ControlFlowGraph, &Loop) -> bool) -> Self {
        let cfg = ControlFlowGraph::new(code);
        let regions = regions(&cfg, &loops(&cfg));
        let yielding = yielding_ways(&cfg, &|found| ends_soon(&cfg, found));
        Self { cfg, regions, yielding }
    }

    /// Writes it anew.
    pub fn emit(&self) -> Emission {
        emit(&self.cfg, &self.regions, &Placement::new(&self.cfg, &self.regions, &self.yielding))
    }
}
