//! Which elaborated blocks carry a configuration. Of a divergence unit: the smallest of the list of parameter points that has the
//! threads and the depth asked for, and at least the warps.

use super::barrier_scheduler::RtlBarrierScheduler;
use super::RtlEngine;
use crate::barrier::{BarrierScheduler, Size, Statics};
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

/// The sizes of an entry of `barrier_scheduler`.
pub fn size_of(entry: &Entry) -> Size {
    let parameter = |name: &str| entry.parameter(name).unwrap_or(1) as usize;
    Size {
        ctas: parameter("ctas"),
        barriers: parameter("barriers"),
        blocks: parameter("blocks"),
        block_threads: parameter("block_threads"),
        slots: parameter("slots"),
    }
}

/// The point of `barrier_scheduler` that has `size`.
///
/// # Errors
/// If there is none; the message lists those there are.
pub fn barrier_point(size: Size) -> miette::Result<Entry> {
    let schedulers = || points::entries().into_iter().filter(|entry| entry.block == "barrier_scheduler");
    schedulers().find(|entry| size_of(entry) == size).ok_or_else(|| {
        miette::miette!(
            help =
                format!("elaborated points: {}", schedulers().map(|entry| entry.point).collect::<Vec<_>>().join(", ")),
            "no barrier scheduler of {size} is elaborated"
        )
    })
}

/// The barrier scheduler in the Rust simulation.
///
/// # Errors
/// As [`barrier_point`].
pub fn build_barriers(size: Size, statics: Statics) -> miette::Result<Box<dyn BarrierScheduler>> {
    let entry = barrier_point(size)?;
    Ok(Box::new(RtlBarrierScheduler::new((entry.simulate)(), size, statics)))
}
