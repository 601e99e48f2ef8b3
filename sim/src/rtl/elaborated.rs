//! Which elaborated divergence unit or tree divergence table carries a configuration: the smallest of the list of parameter
//! points that has the threads asked for, the depth asked for (of a tree: at least as many nodes), and at least the warps.

use super::RtlEngine;
use crate::engine::{Configuration, Engine};
use heddle_hdl::points::{self, Entry};
use std::collections::BTreeSet;

/// The point of `divergence_unit`, or for the tree of `tree_divergence_table`, that carries `configuration`.
///
/// # Errors
/// If no point has its threads and depth; the message lists those there are.
pub fn point_for(configuration: &Configuration) -> miette::Result<Entry> {
    let Configuration { warps, threads, depth, tree, .. } = *configuration;
    let (block, what) = match tree {
        true => (
            "tree_divergence_table",
            format!("tree divergence table of {warps} warps of {threads} threads with {depth} nodes"),
        ),
        false => (
            "divergence_unit",
            format!("divergence unit of {warps} warps of {threads} threads with a window of {depth} tokens"),
        ),
    };
    let size = |entry: &Entry, name: &str| entry.parameter(name).map_or(0, |value| value as usize);
    let units = || points::entries().into_iter().filter(|entry| entry.block == block);
    units()
        .filter(|entry| {
            let deep = if tree { size(entry, "depth") >= depth } else { size(entry, "depth") == depth };
            size(entry, "threads") == threads && deep && size(entry, "warps") >= warps
        })
        .min_by_key(|entry| (size(entry, "depth"), size(entry, "warps")))
        .ok_or_else(|| {
            let names: BTreeSet<&str> = units().map(|entry| entry.point).collect();
            miette::miette!(
                help = format!(
                    "elaborated points, as warps x threads x depth: {}; the model (`--backend model`) takes any",
                    names.into_iter().collect::<Vec<_>>().join(", ")
                ),
                "no {what} is elaborated"
            )
        })
}

/// What a configuration's engine is called: `stack`, `deque` or `tree`.
pub fn kind_of(configuration: &Configuration) -> &'static str {
    match (configuration.tree, configuration.stack_mode) {
        (true, _) => "tree",
        (false, true) => "stack",
        (false, false) => "deque",
    }
}

/// The engine in the Rust simulation, for `configuration`.
///
/// # Errors
/// As [`point_for`].
pub fn build(configuration: &Configuration) -> miette::Result<Box<dyn Engine>> {
    let entry = point_for(configuration)?;
    let kind = kind_of(configuration);
    Ok(Box::new(RtlEngine::new((entry.simulate)(), format!("{kind} RTL"), *configuration)))
}
