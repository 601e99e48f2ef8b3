//! `oracle --class barriers` and `--class suspends`: random grids on the whole machine against threads that run alone (XV-03).

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use rayon::prelude::*;
use serde::Serialize;

use crate::barrier::{BarrierScheduler, Size, Statics};
use crate::control_core::{ControlCore, Setup};
use crate::engine::{Configuration, Engine};
use crate::launch::{Shape, WorkDistributor};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::oracle::grid::campaign::{
    replay, run_one, EngineKind, GridCampaign, GridCase, GridFailure, GridSummary, LONGEST_RUN,
};
use crate::oracle::grid::generate::GridClass;
use crate::oracle::grid::runner::{CorePart, GridStatistics, Parts};
use crate::oracle::warp_runner::core_runner;
use crate::rtl::elaborated::core_barrier_block;

use super::error::CliError;
use super::files::{parse_json, write_atomically};
use super::interrupt::interrupted;
use super::json::Document;
use super::options::EngineChoice;
use super::oracle::{sizes, OracleArguments, REPLAY};
use super::output::{grouped, json_text, print, print_json, table, ProgressReport};
use super::registry::Backend;

/// Warps of the core, unless the command line says otherwise: blocks of several warps, and several blocks at once.
const WARPS: u8 = 4;
/// Tokens of a window: the smallest that is elaborated for so many warps.
const DEPTH: usize = 16;

/// What is left of [`LONGEST_RUN`] for a backend that takes long for a cycle.
const SLOW_RUN: u64 = LONGEST_RUN / 5;

/// Builds of a backend whose sizes were tried before, so that they cannot fail.
fn built<T>(backend: Backend, what: &str, result: miette::Result<T>) -> T {
    match result {
        Ok(part) => part,
        // The panic hook reports it as internal.
        Err(cause) => panic!("{} refused {what} of a size that it had accepted: {cause}", backend.name),
    }
}

/// Hands the parts of a backend to `use_them`.
fn with_parts<T>(backend: Backend, use_them: impl FnOnce(&Parts<'_>) -> T) -> T {
    let engine = |configuration: &Configuration| -> Box<dyn Engine> {
        built(backend, "an engine", (backend.build)(configuration))
    };
    let barriers = |size: Size| -> Box<dyn BarrierScheduler> {
        built(backend, "a barrier scheduler", (backend.barriers)(size, Statics::default()))
    };
    let distributor = |shape: Shape| -> Box<dyn WorkDistributor> {
        built(backend, "a work distributor", (backend.distributor)(shape))
    };
    let context = |warps: usize, threads: usize| -> Option<(ContextShape, Box<dyn ContextPorts>)> {
        built(backend, "a context unit", (backend.context)(warps, threads))
    };
    let core = |setup: &Setup| -> Box<dyn ControlCore> {
        let build = backend.core.ok_or_else(|| miette::miette!("{} has no core", backend.name));
        built(backend, "a control core", build.and_then(|build| build(setup)))
    };
    let core = backend.core.map(|_| CorePart::new(&core, core_barrier_block));
    use_them(&Parts { engine: &engine, barriers: &barriers, distributor: &distributor, context: &context, core })
}

/// Builds everything once, so that what is missing is bad input.
fn try_parts(
    backend: Backend,
    base: &Configuration,
    class: GridClass,
    engine: Option<EngineKind>,
) -> Result<(), CliError> {
    let trees = match engine {
        None => &[false, true][..],
        Some(EngineKind::Tree) => &[true],
        Some(EngineKind::Stack | EngineKind::Deque) => &[false],
    };
    (backend.context)(base.warps, base.threads)?;
    if let Some(build) = backend.core {
        for &tree in trees {
            let configuration = Configuration { tree, ..*base };
            let barriers = core_barrier_block(&configuration).filter(|_| class == GridClass::Barriers);
            let barriers = barriers.map(|block_threads| Size { block_threads, ..Size::MEDIUM });
            // A tree that is drawn runs without suspensions.
            let suspends = class == GridClass::Suspends && !tree;
            build(&Setup { barriers, suspends, ..core_runner::setup(configuration) })?;
        }
        return Ok(());
    }
    for &tree in trees {
        (backend.build)(&Configuration { tree, ..*base })?;
    }
    if class == GridClass::Barriers {
        (backend.barriers)(Size::MEDIUM, Statics::default())?;
        (backend.barriers)(Size::LARGE, Statics::default())?;
    }
    (backend.distributor)(Shape::CORE)?;
    Ok(())
}

/// A campaign from the command line.
pub fn campaign_of(arguments: &OracleArguments, backend: Backend, class: GridClass) -> Result<GridCampaign, CliError> {
    let base = sizes(arguments, backend, WARPS, DEPTH, class == GridClass::Suspends)?;
    let base = Configuration { stack_mode: false, tree: false, ..base };
    let engine = arguments.engine.map(|engine| match engine {
        EngineChoice::Stack => EngineKind::Stack,
        EngineChoice::Deque => EngineKind::Deque,
        EngineChoice::Tree => EngineKind::Tree,
    });
    if let (Some(build), Some(EngineKind::Tree), GridClass::Suspends) = (backend.core, engine, class) {
        // Which no core can, and says so.
        build(&Setup { suspends: true, ..core_runner::setup(Configuration { tree: true, ..base }) })?;
    }
    try_parts(backend, &base, class, engine)?;
    let longest_run = if matches!(backend.name, "rtl" | "core") { SLOW_RUN } else { LONGEST_RUN };
    Ok(GridCampaign { seed: arguments.seed, programs: arguments.programs, class, base, engine, longest_run })
}

/// Runs one kernel of a campaign on a backend.
pub fn run_number(campaign: &GridCampaign, number: u64, backend: Backend) -> Result<GridSummary, Box<GridFailure>> {
    with_parts(backend, |parts| run_one(campaign, number, parts))
}

/// Why a campaign ends early.
enum Stop {
    /// Ctrl-C.
    Interrupted,
    /// A kernel went wrong.
    Failed(Box<GridFailure>),
}

/// Runs the campaign.
pub fn campaign(arguments: &OracleArguments, backend: Backend, class: GridClass, door: &str) -> Result<(), CliError> {
    let campaign = campaign_of(arguments, backend, class)?;
    let done = AtomicU64::new(0);
    let total = campaign.programs;
    let bar = Mutex::new(ProgressReport::new(Some(total)));
    let one = |number| {
        if interrupted() {
            return Err(Stop::Interrupted);
        }
        let summary = run_number(&campaign, number, backend).map_err(Stop::Failed)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut bar) = bar.lock() {
            bar.update(done, || format!("{} of {} programs", grouped(done), grouped(total)));
        }
        Ok(summary)
    };
    let result =
        (0..total).into_par_iter().map(one).try_reduce(GridSummary::default, |left, right| Ok(left.and(&right)));
    drop(bar);
    match result {
        Ok(summary) => passed(arguments, backend, class, &summary),
        Err(Stop::Interrupted) => Err(CliError::Interrupted),
        Err(Stop::Failed(failure)) => failed(arguments, backend, door, &failure),
    }
}

/// The JSON document of a campaign.
#[derive(Serialize)]
struct GridDocument {
    verdict: &'static str,
    class: &'static str,
    backend: &'static str,
    seed: u64,
    programs: u64,
    rejected: u64,
    grid_statistics: Option<GridStatistics>,
    failure: Option<FailureDocument>,
}

/// A failure of it.
#[derive(Serialize)]
struct FailureDocument {
    engine_name: String,
    message: String,
    shrunk: String,
    file: String,
    replay: String,
}

fn passed(
    arguments: &OracleArguments,
    backend: Backend,
    class: GridClass,
    summary: &GridSummary,
) -> Result<(), CliError> {
    let GridSummary { programs, rejected, statistics } = *summary;
    let met = has_met(class, programs, &statistics);
    if arguments.json {
        let document = GridDocument {
            verdict: if met.is_ok() { "passed" } else { "failed" },
            class: class.name(),
            backend: backend.name,
            seed: arguments.seed,
            programs,
            rejected,
            grid_statistics: Some(statistics),
            failure: None,
        };
        print_json(&Document::new("heddle.oracle-grid", document))?;
    } else {
        print(&format!(
            "{} random grids ({}) on {}, seed {}: memory is what the threads leave alone\n{}\n",
            grouped(programs),
            class.name(),
            backend.name,
            arguments.seed,
            counts(&statistics)
        ))?;
    }
    met
}

/// Grids from which on a campaign has met what its class is for.
const THOROUGH: u64 = 100;

/// A campaign that is long enough and met nothing of what its class is for has tried nothing.
fn has_met(class: GridClass, programs: u64, statistics: &GridStatistics) -> Result<(), CliError> {
    let (what, met) = match class {
        GridClass::Barriers => ("no barrier was passed", statistics.released),
        GridClass::Suspends => ("no thread block was suspended", statistics.suspended),
    };
    match programs >= THOROUGH && met == 0 {
        true => Err(CliError::Check(format!("{what} in {} random grids", grouped(programs)))),
        false => Ok(()),
    }
}

fn counts(statistics: &GridStatistics) -> comfy_table::Table {
    let mut rows = table(&["on the way", "count"], 1);
    for (name, count) in statistics.counts() {
        rows.add_row([name.to_string(), grouped(count)]);
    }
    rows
}

/// Writes a failing kernel into a folder: the file, and the command that runs it again.
pub fn keep(folder: &Path, backend: Backend, door: &str, case: &GridCase) -> Result<(String, String), CliError> {
    let path = folder.join(format!("oracle-{}-{}-{}.json", case.class.name(), case.seed, case.number));
    std::fs::create_dir_all(folder).map_err(|cause| {
        CliError::input(format!("--failures {}: {cause}", folder.display()), "name a folder that you may write to")
    })?;
    write_atomically(&path, json_text(case)?.as_bytes())?;
    let replay = format!("{door} {REPLAY} {} --backend {}", path.display(), backend.name);
    Ok((path.display().to_string(), replay))
}

fn failed(arguments: &OracleArguments, backend: Backend, door: &str, failure: &GridFailure) -> Result<(), CliError> {
    let (file, replay) = keep(&arguments.failures, backend, door, &failure.case)?;
    if arguments.json {
        let shrunk = failure.shrunk.clone();
        let message = failure.wrong.to_string();
        let engine_name = failure.engine.clone();
        let document = GridDocument {
            verdict: "failed",
            class: failure.case.class.name(),
            backend: backend.name,
            seed: arguments.seed,
            programs: arguments.programs,
            rejected: 0,
            grid_statistics: None,
            failure: Some(FailureDocument { engine_name, message, shrunk, file, replay }),
        };
        print_json(&Document::new("heddle.oracle-grid", document))?;
    } else {
        print(&format!("{failure}kept in {file}\nreplay: {replay}\n"))?;
    }
    Err(CliError::Check(format!("{}: a random grid went wrong", failure.engine)))
}

/// The text of a file is a kept grid, not a kept batch of warp programs.
pub fn is_grid_case(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.get("grid_program").is_some())
}

/// Runs a kept case once more.
pub fn replay_text(name: &str, text: &str, arguments: &OracleArguments, backend: Backend) -> Result<(), CliError> {
    let hint = "`cargo sim oracle --class barriers` writes such files when a program fails";
    let case: GridCase = parse_json(name, text, "saved case", hint)?;
    let bad = |what: String| CliError::input(format!("{name}: {what}"), hint);
    let configuration = Configuration::try_from(&case.configuration).map_err(bad)?;
    if !(1..=64).contains(&configuration.warps) || !(1..=64).contains(&configuration.threads) {
        return Err(bad("its core has no such number of warps or threads".to_string()));
    }
    let engine = match (configuration.tree, configuration.stack_mode) {
        (true, _) => EngineKind::Tree,
        (false, true) => EngineKind::Stack,
        (false, false) => EngineKind::Deque,
    };
    try_parts(backend, &configuration, case.class, Some(engine))?;
    let engine_name = with_parts(backend, |parts| parts.name(&configuration));
    let result = with_parts(backend, |parts| replay(&case, &configuration, parts));
    let result = result.map_err(|cause| bad(format!("it is no test: {cause}")))?;
    match result {
        Err(wrong) => {
            print(&format!("{name}: still goes wrong on the {engine_name}: {wrong}\n"))?;
            Err(CliError::Check(format!("{engine_name}: {name} goes wrong")))
        }
        Ok(statistics) if arguments.json => print_json(&Document::new(
            "heddle.oracle-grid",
            GridDocument {
                verdict: "passed",
                class: case.class.name(),
                backend: backend.name,
                seed: case.seed,
                programs: 1,
                rejected: 0,
                grid_statistics: Some(statistics),
                failure: None,
            },
        )),
        Ok(_) => print(&format!("{name} passes on the {engine_name}; it was kept because: {}\n", case.seen)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-03: a campaign that is long enough fails if it met nothing of its class, whatever else it met.
    #[test]
    fn xv_03_a_campaign_meets_what_its_class_is_for() {
        let passed = GridStatistics { released: 1, ..GridStatistics::default() };
        let suspended = GridStatistics { suspended: 1, ..GridStatistics::default() };
        for (class, met, other) in [(GridClass::Barriers, passed, suspended), (GridClass::Suspends, suspended, passed)]
        {
            assert!(has_met(class, THOROUGH, &met).is_ok() && has_met(class, THOROUGH - 1, &other).is_ok());
            assert!(matches!(has_met(class, THOROUGH, &other), Err(CliError::Check(_))), "{}", class.name());
        }
    }
}
