//! `oracle`: random programs on an engine against threads that run alone (XV-03).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde::Serialize;

use crate::engine::Configuration;
use crate::oracle::campaign::{run_batch, BATCH};
use crate::oracle::case_file::ReplayError;
use crate::oracle::grid::generate::GridClass;
use crate::oracle::warp_runner::subject::Subject;
use crate::oracle::warp_runner::{core_runner, Statistics};
use crate::oracle::{replay, Campaign, CaseFile, Class, Failure, Summary};
use crate::rtl::elaborated::smallest_core_depth;

use super::error::CliError;
use super::files::{parse_json, read_text, write_atomically};
use super::interrupt::{check_interrupt, interrupted};
use super::json::Document;
use super::options::{CoreOptions, EngineChoice};
use super::oracle_grid;
use super::output::{grouped, json_text, print, print_json, table, ProgressReport};
use super::registry::{Backend, Backends};

/// Which programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClassChoice {
    /// Nested conditions, loops, switches, calls, recursion, long jumps and early exits.
    Structured,
    /// Branches to anywhere; regions pushed and left anywhere.
    Goto,
    /// Programs without regions, which the divergence pass puts in.
    Plain,
    /// The first two, half and half.
    All,
    /// Whole grids with barriers and critical sections, on the machine.
    Barriers,
    /// Whole grids without barriers, whose blocks are suspended and resumed on the way.
    Suspends,
}

/// The options of `oracle`.
#[derive(Clone, Debug, Args)]
pub struct OracleArguments {
    /// Programs to run
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub programs: u64,
    /// Which generator makes them
    #[arg(long, value_enum, default_value = "all")]
    pub class: ClassChoice,
    /// Which engine; without this, one batch in ten runs on the stack
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Names the programs: the same seed makes the same ones
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Warps of the engine; 1, for grids and cores 4
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub warps: Option<u8>,
    /// Threads of a warp
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: u8,
    /// Tokens of a warp that the on-chip window holds; 8, for grids 16, for cores the fewest that there are: small, so that windows overflow often
    #[arg(long, value_name = "D")]
    pub depth: Option<usize>,
    /// Exceptions of the window go to the software driver instead of the hardware engines
    #[arg(long)]
    pub software_handler: bool,
    /// Folder for programs that fail
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub failures: PathBuf,
    /// Run a program that failed once more, instead of random ones
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// Warps of a core: as many as there are in the smaller points, so that they compete.
const CORE_WARPS: u8 = 4;

/// What a door calls itself, for the command that replays a failure.
pub(super) const REPLAY: &str = "oracle --replay";

/// Runs the oracle. `door` is how the person called the command, such as `cargo sim`.
pub fn oracle(arguments: &OracleArguments, backends: &Backends, door: &str) -> Result<(), CliError> {
    let backend = backends.find(arguments.backend.as_deref().or(Some(backends.oracle())))?;
    match &arguments.replay {
        Some(path) => replay_file(path, arguments, backend),
        None => match arguments.class {
            ClassChoice::Barriers => oracle_grid::campaign(arguments, backend, GridClass::Barriers, door),
            ClassChoice::Suspends => oracle_grid::campaign(arguments, backend, GridClass::Suspends, door),
            ClassChoice::Structured => campaign(arguments, backend, door, &[Class::Structured]),
            ClassChoice::Goto => campaign(arguments, backend, door, &[Class::Goto]),
            ClassChoice::Plain => campaign(arguments, backend, door, &[Class::Plain]),
            ClassChoice::All => campaign(arguments, backend, door, &Class::ALL),
        },
    }
}

/// The sizes of engine or core from the command line, checked; `depth` is that of an engine alone unless the command line says it, and a core
/// of the fewest tokens that there are is taken, with suspensions or without.
pub(super) fn sizes(
    arguments: &OracleArguments,
    backend: Backend,
    warps: u8,
    depth: usize,
    suspends: bool,
) -> Result<Configuration, CliError> {
    let warps = arguments.warps.unwrap_or(if backend.core.is_some() { CORE_WARPS } else { warps });
    let core = backend.core.and_then(|_| smallest_core_depth(warps.into(), arguments.threads.into(), false, suspends));
    let options = CoreOptions {
        warps,
        threads: arguments.threads,
        depth: arguments.depth.or(core).unwrap_or(depth),
        software_handler: arguments.software_handler,
        ..CoreOptions::default()
    };
    options.configuration(arguments.engine.unwrap_or(EngineChoice::Deque))
}

/// The configuration with the engine that the person chose, if any.
fn chosen(configuration: &Configuration, engine: Option<EngineChoice>) -> Configuration {
    let stack_mode = engine.map_or(configuration.stack_mode, |engine| engine == EngineChoice::Stack);
    let tree = engine.map_or(configuration.tree, |engine| engine == EngineChoice::Tree);
    Configuration { stack_mode, tree, ..*configuration }
}

/// Makes an engine, or a core, for programs.
fn try_build(backend: Backend, configuration: &Configuration) -> miette::Result<Subject> {
    match backend.core {
        None => (backend.build)(configuration).map(Subject::from),
        Some(build) => build(&core_runner::setup(*configuration)).map(Subject::from),
    }
}

/// Makes one of a size of which one was made before.
pub fn build(backend: Backend, configuration: &Configuration) -> Subject {
    match try_build(backend, configuration) {
        Ok(subject) => subject,
        // The first one of these sizes could be made; only policies differ. The panic hook reports it as internal.
        Err(cause) => panic!("{} refused policies after it had accepted the sizes: {cause}", backend.name),
    }
}

/// Why a campaign ends early.
enum Stop {
    /// Ctrl-C.
    Interrupted,
    /// A program went wrong.
    Failed(Box<Failure>),
}

fn campaign(arguments: &OracleArguments, backend: Backend, door: &str, classes: &[Class]) -> Result<(), CliError> {
    let base = sizes(arguments, backend, 1, 8, false)?;
    let engine_name = try_build(backend, &base)?.name();
    let programs = arguments.programs.div_ceil(classes.len() as u64);
    let batches = programs.div_ceil(BATCH);
    let campaigns: Vec<Campaign> =
        classes.iter().map(|&class| Campaign::new(arguments.seed, programs, class, base)).collect();
    let (done, total) = (AtomicU64::new(0), campaigns.len() as u64 * batches * BATCH);
    let bar = Mutex::new(ProgressReport::new(Some(total)));
    let factory = |configuration: &Configuration| build(backend, &chosen(configuration, arguments.engine));
    let result = (0..campaigns.len() as u64 * batches)
        .into_par_iter()
        .map(|number| {
            if interrupted() {
                return Err(Stop::Interrupted);
            }
            let campaign = &campaigns[(number / batches) as usize];
            let summary = run_batch(campaign, number % batches, &factory).map_err(Stop::Failed)?;
            let done = done.fetch_add(BATCH, Ordering::Relaxed) + BATCH;
            if let Ok(mut bar) = bar.lock() {
                bar.update(done, || format!("{} of {} programs", grouped(done), grouped(total)));
            }
            Ok(summary)
        })
        .try_reduce(Summary::default, |left, right| Ok(left.and(&right)));
    drop(bar);
    match result {
        Ok(summary) => report(arguments, backend, &engine_name, &summary),
        Err(Stop::Interrupted) => Err(CliError::Interrupted),
        Err(Stop::Failed(failure)) => keep(arguments, backend, door, &failure),
    }
}

/// The JSON document of a campaign.
#[derive(Serialize)]
struct OracleDocument {
    verdict: &'static str,
    engine_name: String,
    backend: &'static str,
    seed: u64,
    programs: u64,
    rejected: u64,
    statistics: Option<Statistics>,
    failure: Option<FailureDocument>,
}

/// A failure of it.
#[derive(Serialize)]
struct FailureDocument {
    message: String,
    shrunk: String,
    file: String,
    replay: String,
}

fn report(arguments: &OracleArguments, backend: Backend, engine_name: &str, summary: &Summary) -> Result<(), CliError> {
    let programs = summary.programs.values().sum();
    if arguments.json {
        return print_json(&Document::new(
            "heddle.oracle",
            OracleDocument {
                verdict: "passed",
                engine_name: engine_name.to_string(),
                backend: backend.name,
                seed: arguments.seed,
                programs,
                rejected: summary.rejected,
                statistics: Some(summary.statistics),
                failure: None,
            },
        ));
    }
    let mut rows = table(&["on the way", "count"], 1);
    for (name, count) in summary.statistics.counts() {
        rows.add_row([name.to_string(), grouped(count)]);
    }
    let classes: Vec<String> =
        summary.programs.iter().map(|(class, count)| format!("{} {}", grouped(*count), class.name())).collect();
    print(&format!(
        "{} random programs ({}) on the {engine_name}, seed {}: every thread ended as it does alone\n{rows}\n",
        grouped(programs),
        classes.join(", "),
        arguments.seed
    ))
}

/// Keeps a failure and says how to see it again.
fn keep(arguments: &OracleArguments, backend: Backend, door: &str, failure: &Failure) -> Result<(), CliError> {
    let mut case: CaseFile = failure.case.clone();
    case.configuration.stack_mode =
        arguments.engine.map_or(case.configuration.stack_mode, |engine| engine == EngineChoice::Stack);
    case.configuration.tree = arguments.engine.map_or(case.configuration.tree, |engine| engine == EngineChoice::Tree);
    let name = format!("oracle-{}-{}-{}.json", case.class.name(), case.seed, case.batch);
    let path = arguments.failures.join(name);
    std::fs::create_dir_all(&arguments.failures).map_err(|cause| {
        CliError::input(
            format!("--failures {}: {cause}", arguments.failures.display()),
            "name a folder that you may write to",
        )
    })?;
    write_atomically(&path, json_text(&case)?.as_bytes())?;
    let replay = format!("{door} {REPLAY} {} --backend {}", path.display(), backend.name);
    if arguments.json {
        print_json(&Document::new(
            "heddle.oracle",
            OracleDocument {
                verdict: "failed",
                engine_name: failure.engine.clone(),
                backend: backend.name,
                seed: arguments.seed,
                programs: arguments.programs,
                rejected: 0,
                statistics: None,
                failure: Some(FailureDocument {
                    message: failure.wrong.to_string(),
                    shrunk: failure.shrunk.clone(),
                    file: path.display().to_string(),
                    replay,
                }),
            },
        ))?;
    } else {
        print(&format!(
            "{}: {} program {} of batch {}, seed {}: {}\n{}\nkept in {}\nreplay: {replay}\n",
            failure.engine,
            case.class.name(),
            failure.index,
            case.batch,
            case.seed,
            failure.wrong,
            failure.shrunk,
            path.display()
        ))?;
    }
    Err(CliError::Check(format!("{}: a random program went wrong", failure.engine)))
}

fn replay_file(path: &Path, arguments: &OracleArguments, backend: Backend) -> Result<(), CliError> {
    check_interrupt()?;
    let name = path.display().to_string();
    let hint = "`cargo sim oracle` writes such files when a program fails";
    let text = read_text(path, "saved case")?;
    if oracle_grid::is_grid_case(&text) {
        return oracle_grid::replay_text(&name, &text, arguments, backend);
    }
    let case: CaseFile = parse_json(&name, &text, "saved case", hint)?;
    let bad = |what: String| CliError::input(format!("{name}: {what}"), hint);
    let sizes = &case.configuration;
    if !(1..=64).contains(&sizes.warps)
        || !(1..=64).contains(&sizes.threads)
        || !sizes.depth.is_power_of_two()
        || !(2..=1024).contains(&sizes.depth)
        || sizes.memory_latency == 0
    {
        return Err(bad(format!(
            "its engine has {} warps of {} threads, windows of {} tokens and a memory latency of {}; \
             warps and threads go from 1 to 64, the window is a power of two from 2 to 1024, the latency is at least 1",
            sizes.warps, sizes.threads, sizes.depth, sizes.memory_latency
        )));
    }
    let configuration = Configuration::try_from(sizes).map_err(bad)?;
    let engine_name = try_build(backend, &chosen(&configuration, arguments.engine))?.name();
    let result = replay(path, |configuration| build(backend, &chosen(configuration, arguments.engine)));
    let statistics = match result {
        Ok(statistics) => statistics,
        Err(ReplayError::Wrong { program, engine, wrong, .. }) => {
            print(&format!("{name}: program {program} still goes wrong on the {engine}: {wrong}\n"))?;
            return Err(CliError::Check(format!("{engine}: {name} goes wrong")));
        }
        Err(other) => return Err(CliError::input(other.to_string(), hint)),
    };
    if arguments.json {
        return print_json(&Document::new(
            "heddle.oracle",
            OracleDocument {
                verdict: "passed",
                engine_name,
                backend: backend.name,
                seed: case.seed,
                programs: case.programs.len() as u64,
                rejected: 0,
                statistics: Some(statistics),
                failure: None,
            },
        ));
    }
    print(&format!("{name} passes on the {engine_name}; it was kept because: {}\n", case.seen))
}
