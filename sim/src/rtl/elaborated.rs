//! Which elaborated blocks carry a configuration. Of a divergence unit or tree divergence table: the smallest of the list of parameter
//! points that has the threads asked for, the depth asked for (of a tree: at least as many nodes), and at least the warps.

use super::barrier_scheduler::RtlBarrierScheduler;
use super::context_sequencer::{shape_of, RtlContextSequencer};
use super::control_core::RtlCore;
use super::work_distributor::RtlWorkDistributor;
use super::RtlEngine;
use crate::barrier::{BarrierScheduler, Size, Statics};
use crate::control_core::{ControlCore, Setup};
use crate::engine::{Configuration, Engine};
use crate::launch::{Shape, WorkDistributor};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use heddle_hdl::points::{self, Entry};
use std::collections::BTreeSet;

/// The backend of the blocks in the Rust simulation, beside [`build_core`]'s.
pub const BLOCKS: &str = "rtl";

/// The point of `divergence_unit`, or for the tree of `tree_divergence_table`, that carries `configuration`.
///
/// # Errors
/// If no point has its threads and depth; the message lists those there are.
pub fn point_for(configuration: &Configuration) -> miette::Result<Entry> {
    let unit = match configuration.tree {
        true => Unit { block: "tree_divergence_table", what: "tree divergence table" },
        false => Unit { block: "divergence_unit", what: "divergence unit" },
    };
    unit.fitting(configuration, |_| true).ok_or_else(|| unit.missing(configuration, ANY_SIZE))
}

/// The point of `control_core`, for the tree of `control_core_tree`, with suspensions of `control_core_suspending`, that a core is set up at. `blocks`
/// is the backend that has the blocks of the same kind without the core around them, for hints.
///
/// # Errors
/// If no point has its threads and depth, the message lists those there are; if blocks of a tree are to be suspended, which no core does; if the point has no barrier scheduler of the size that is wanted; or if
/// the software handler is, which is for an engine alone.
pub fn core_point(setup: &Setup, blocks: &str) -> miette::Result<Entry> {
    let configuration = &setup.configuration;
    if configuration.software_handler {
        return Err(miette::miette!(
            help = format!("leave --software-handler out, or choose another --backend: {blocks} runs the blocks alone"),
            "a control core has no port for the software handler"
        ));
    }
    if setup.suspends && configuration.tree {
        return Err(miette::miette!(
            help = format!("take the stack or the deque, or --backend {blocks}, or run it without --suspend-at"),
            "--suspend-at: a control core suspends no blocks of a tree"
        ));
    }
    let unit = core_unit(configuration.tree, setup.suspends);
    let Some(any) = unit.fitting(configuration, |_| true) else {
        let on_blocks = format!("`--backend {blocks}` runs the blocks of this size around a scheduler in software");
        let elsewhere = if point_for(configuration).is_ok() { &on_blocks } else { ANY_SIZE };
        return Err(unit.missing(configuration, elsewhere));
    };
    let Some(Size { block_threads, .. }) = setup.barriers else { return Ok(any) };
    let has_barriers = |entry: &Entry| entry.parameter("block_threads") == Some(block_threads as u64);
    unit.fitting(configuration, has_barriers).ok_or_else(|| {
        let points = unit.points().map(|entry| {
            format!("{} with {}", entry.point, entry.parameter("block_threads").unwrap_or(0))
        });
        miette::miette!(
            help = format!(
                "elaborated: {}; try another --barrier-block, or --backend {blocks}: the blocks, with any barrier scheduler beside the engine",
                points.collect::<Vec<_>>().join(", ")
            ),
            "the kernel has barriers, and no {} of {} warps of {} threads with {} {} has a barrier scheduler with blocks of {block_threads} threads",
            unit.what,
            configuration.warps,
            configuration.threads,
            configuration.depth,
            holds(configuration.tree)
        )
    })
}

/// The smallest depth at which a core with so many warps of so many threads is elaborated; of a tree, the nodes of a warp.
pub fn smallest_core_depth(warps: usize, threads: usize, tree: bool, suspends: bool) -> Option<usize> {
    let wide = |entry: &Entry| size(entry, "warps") >= warps && size(entry, "threads") == threads;
    core_unit(tree, suspends).points().filter(wide).map(|entry| size(&entry, "depth")).min()
}

/// Threads of a block of the barrier scheduler in the core that carries a configuration, if there is one.
pub fn core_barrier_block(configuration: &Configuration) -> Option<usize> {
    let entry = core_unit(configuration.tree, false).fitting(configuration, |_| true)?;
    Some(size(&entry, "block_threads"))
}

/// The top around an engine.
const fn core_unit(tree: bool, suspends: bool) -> Unit {
    match (tree, suspends) {
        (true, _) => Unit { block: "control_core_tree", what: "control core around a tree divergence table" },
        (false, true) => Unit {
            block: "control_core_suspending",
            what: "control core around a token deque that suspends its blocks",
        },
        (false, false) => Unit { block: "control_core", what: "control core around a token deque" },
    }
}

/// Where sizes run that are not elaborated.
const ANY_SIZE: &str = "the model (`--backend model`) takes any";

/// A parameter of an entry.
fn size(entry: &Entry, name: &str) -> usize {
    entry.parameter(name).map_or(0, |value| value as usize)
}

/// What the depth of an engine counts.
const fn holds(tree: bool) -> &'static str {
    if tree {
        "nodes"
    } else {
        "tokens"
    }
}

/// A block whose points have warps, threads and a depth.
#[derive(Clone, Copy)]
struct Unit {
    block: &'static str,
    what: &'static str,
}

impl Unit {
    fn points(self) -> impl Iterator<Item = Entry> {
        points::entries().into_iter().filter(move |entry| entry.block == self.block)
    }

    /// The smallest point, of those accepted, that has the threads asked for, the depth asked for (of a tree: at least as many nodes), and at least the warps.
    fn fitting(self, configuration: &Configuration, accepted: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let Configuration { warps, threads, depth, tree, .. } = *configuration;
        let fits = |entry: &Entry| {
            let deep = if tree { size(entry, "depth") >= depth } else { size(entry, "depth") == depth };
            size(entry, "threads") == threads && deep && size(entry, "warps") >= warps && accepted(entry)
        };
        self.points().filter(fits).min_by_key(|entry| (size(entry, "depth"), size(entry, "warps")))
    }

    /// That nothing fits, with what there is and where to go.
    fn missing(self, configuration: &Configuration, elsewhere: &str) -> miette::Report {
        let Configuration { warps, threads, depth, tree, .. } = *configuration;
        let names: BTreeSet<&str> = self.points().map(|entry| entry.point).collect();
        miette::miette!(
            help = format!(
                "elaborated points, as warps x threads x depth: {}; {elsewhere}",
                names.into_iter().collect::<Vec<_>>().join(", ")
            ),
            "no {} of {warps} warps of {threads} threads with {depth} {} is elaborated",
            self.what,
            holds(tree)
        )
    }
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

/// The whole control core in the Rust simulation.
///
/// # Errors
/// As [`core_point`].
pub fn build_core(setup: &Setup) -> miette::Result<Box<dyn ControlCore>> {
    let entry = core_point(setup, BLOCKS)?;
    let kind = kind_of(&setup.configuration);
    Ok(Box::new(RtlCore::new((entry.simulate)(), format!("{kind} RTL core"), *setup)))
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

/// The smallest point of `context_sequencer` with one copy engine that has rows for as many suspended warps as `warps` resident ones, of `threads`
/// threads; none if no such warps are elaborated.
pub fn context_point(warps: usize, threads: usize) -> Option<Entry> {
    let sequencers = points::entries().into_iter().filter(|entry| entry.block == "context_sequencer");
    let fits =
        |shape: &ContextShape| shape.engines == 1 && 1 << shape.thread_bits == threads && shape.groups >= 2 * warps;
    let mut fitting: Vec<Entry> = sequencers.filter(|entry| fits(&shape_of(entry))).collect();
    fitting.sort_by_key(|entry| shape_of(entry).groups);
    fitting.into_iter().next()
}

/// The context unit in the Rust simulation, with its sizes; none as for [`context_point`].
///
/// # Errors
/// None; a backend that has to build something may fail.
pub fn build_context(warps: usize, threads: usize) -> miette::Result<Option<(ContextShape, Box<dyn ContextPorts>)>> {
    Ok(context_point(warps, threads).map(|entry| {
        let ports = RtlContextSequencer::new((entry.simulate)());
        (shape_of(&entry), Box::new(ports) as Box<dyn ContextPorts>)
    }))
}

/// The block's name in the list of points.
const DISTRIBUTOR: &str = "work_distributor";

/// The sizes of an entry of `work_distributor`.
pub fn distributor_shape(entry: &Entry) -> Shape {
    let parameter = |name: &str| entry.parameter(name).unwrap_or(1) as usize;
    Shape { cores: parameter("cores"), set: parameter("set"), fetches: parameter("fetches"), queue: parameter("queue") }
}

/// The sizes of the work distributor at every point, with the point's name; the smallest first.
pub fn distributor_shapes() -> Vec<(&'static str, Shape)> {
    let entries = points::entries().into_iter().filter(|entry| entry.block == DISTRIBUTOR);
    let mut shapes: Vec<_> = entries.map(|entry| (entry.point, distributor_shape(&entry))).collect();
    shapes.sort_by_key(|(_, shape)| shape.cores);
    shapes
}

/// The point of `work_distributor` that has `shape`.
///
/// # Errors
/// If there is none; the message lists those there are.
pub fn distributor_point(shape: Shape) -> miette::Result<Entry> {
    let distributors = || points::entries().into_iter().filter(|entry| entry.block == DISTRIBUTOR);
    distributors().find(|entry| distributor_shape(entry) == shape).ok_or_else(|| {
        let names: Vec<&str> = distributors().map(|entry| entry.point).collect();
        miette::miette!(
            help = format!("elaborated points, as cores x set: {}", names.join(", ")),
            "no work distributor of {shape:?} is elaborated"
        )
    })
}

/// The work distributor in the Rust simulation.
///
/// # Errors
/// As [`distributor_point`].
pub fn build_distributor(shape: Shape) -> miette::Result<Box<dyn WorkDistributor>> {
    let entry = distributor_point(shape)?;
    Ok(Box::new(RtlWorkDistributor::new((entry.simulate)())))
}
