//! The exported control cores in lockstep (XV-02): random grids and programs on the Rust kernels and the export at once, every port compared in every
//! cycle, the outcome judged by threads that run alone, what the core does on the way by the reference models.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`episode`] | what runs in one go: a batch of random programs, or a random grid, and how the surroundings behave |
//! | [`crowd`] | grids whose threads all wake at once, in many places |
//! | [`launches`] | grids of which tables pick blocks, of every shape, one behind the other |
//! | [`mistakes`] | kernels in which threads do what they must not |
//! | [`surroundings`] | between the driver of a core and the simulations: instructions that are missing, memories that take nothing, noise |
//! | [`lateness`] | beside the driver's data memory: one that keeps warps waiting |
//! | [`scarcity`] | in front of the driver's allocator: one that has no room |
//! | [`aftermath`] | what a core does when its driver has left |
//! | [`ports`] | which requests may be held up, and what means nothing beside which strobe |
//! | [`followed`] | its engine, with the reference engine behind it |
//! | [`trial`] | one episode on simulations that are fresh, and its judgement |
//! | [`campaign`] | many of them; failures shrunk, kept and seen again |
//! | [`modules`] | what of a core stands in none of its blocks |
//!
//! A core is no block with a bench of its own like those of [`lockstep`](crate::lockstep): what drives it is the machine that kernels run on, which answers for instruction store, lanes and
//! memories. Every decision comes out of the first simulation; no model is asked for one.

pub mod aftermath;
pub mod campaign;
pub mod crowd;
pub mod episode;
pub mod followed;
pub mod lateness;
pub mod launches;
pub mod mistakes;
pub mod modules;
pub mod ports;
pub mod scarcity;
pub mod surroundings;
pub mod trial;
#[cfg(test)]
mod watched;

use crate::error::Result;
use crate::lockstep;
use crate::lockstep::campaign::{Again, Outcome, Plan, Watch};
use crate::lockstep::rig::Rig;
use crate::verilated::Model;
use campaign::Replay;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use std::path::Path;

/// The cores, as `cargo export list` names them.
pub const CORES: [&str; 3] = ["control_core", TREE, SUSPENDING];

/// The one around a tree.
pub const TREE: &str = "control_core_tree";

/// The one that suspends blocks.
pub const SUSPENDING: &str = "control_core_suspending";

/// Whether a block is one of them.
pub fn is_core(block: &str) -> bool {
    CORES.contains(&block)
}

/// Runs a campaign on a core, or on a block with a bench of its own.
///
/// # Errors
/// Those of either.
pub fn run(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    match is_core(entry.block) {
        true => campaign::run(entry, rig, plan, folder, watch),
        false => lockstep::campaign::run(entry, rig, plan, folder, watch),
    }
}

/// Runs a saved case of either once more.
///
/// # Errors
/// Text that is no case of it, or a waveform that cannot be written.
pub fn replay(entry: &Entry, model: &Model, again: &Again) -> Result<Replay> {
    match is_core(entry.block) {
        true => campaign::replay(entry, model, again),
        false => lockstep::campaign::replay(entry, model, again),
    }
}
