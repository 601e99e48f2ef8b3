//! Which elaborated divergence unit carries a configuration: the smallest of the list of parameter points that has the
//! threads and the depth asked for, and at least the warps.

use super::RtlEngine;
use crate::engine::{Configuration, Engine};
use heddle_hdl::points::{self, Entry};
use std::collections::BTreeSet;

/// The point of `divergence_unit` that carries `configuration`.
///
/// # Errors
/// If no point has its threads and depth, or the engine is the tree; the message says what there is.
pub fn point_for(configuration: &Configuration) -> miette::Result<Entry> {
    if configuration.tree {
        return Err(miette::miette!(
            help = "the reference models (`--backend model` and `--backend windowed`) run it",
            "no tree divergence table is elaborated"
        ));
    }
    let size = |entry: &Entry, name: &str| entry.parameter(name).map_or(0, |value| value as usize);
    let units = || points::entries().into_iter().filter(|entry| entry.block == "divergence_unit");
    units()
        .filter(|entry| {
            size(entry, "threads") == configuration.threads
                && size(entry, "depth") == configuration.depth
                && size(entry, "warps") >= configuration.warps
        })
        .min_by_key(|entry| size(entry, "warps"))
        .ok_or_else(|| {
            let Configuration { warps, threads, depth, .. } = configuration;
            let names: BTreeSet<&str> = units().map(|entry| entry.point).collect();
            miette::miette!(
                help = format!(
                    "elaborated points, as warps x threads x depth: {}; the model (`--backend model`) takes any",
                    names.into_iter().collect::<Vec<_>>().join(", ")
                ),
                "no divergence unit of {warps} warps of {threads} threads with a window of {depth} tokens is elaborated"
            )
        })
}

/// The divergence unit in the Rust simulation, for `configuration`.
///
/// # Errors
/// As [`point_for`].
pub fn build(configuration: &Configuration) -> miette::Result<Box<dyn Engine>> {
    let entry = point_for(configuration)?;
    let kind = if configuration.stack_mode { "stack" } else { "deque" };
    Ok(Box::new(RtlEngine::new((entry.simulate)(), format!("{kind} RTL"), *configuration)))
}
