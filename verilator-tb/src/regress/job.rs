//! One job of a regression: what it runs, what it leaves behind if it fails.

use super::wave::{self, Traced};
use crate::core_lockstep;
use crate::coverage::{measure, Report};
use crate::lockstep::campaign::{Again, Plan, Watch};
use crate::verilated::{Model, Options, Source};
use clap::ValueEnum;
use heddle_hdl::points::Entry;
use heddle_sim::cli::compare_all::run_entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::execute::run_options;
use heddle_sim::cli::files::read_text;
use heddle_sim::cli::interrupt::interrupted;
use heddle_sim::cli::load::load;
use heddle_sim::cli::options::{CoreOptions, EngineChoice, KernelOptions};
use heddle_sim::cli::oracle::build;
use heddle_sim::cli::oracle_grid::{keep, run_number};
use heddle_sim::cli::registry::Backend;
use heddle_sim::engine::Configuration;
use heddle_sim::oracle::campaign::{run_batch, BATCH};
use heddle_sim::oracle::grid::campaign::{GridCampaign, LONGEST_RUN};
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::{Campaign, Class};
use heddle_sim::rtl::elaborated::smallest_core_depth;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// What the door is called in commands that repeat a job.
const DOOR: &str = "cargo tb";

/// A kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// Every kernel that ships on every engine, of the blocks and of the whole control core.
    Kernels,
    /// Blocks against their Rust simulation and model, cycle by cycle.
    Lockstep,
    /// Random programs of a warp against threads that run alone, on blocks and core.
    Programs,
    /// Random grids with barriers or suspensions against threads that run alone, on blocks and core.
    Grids,
    /// Lines and toggles that lockstep traffic reaches of the blocks.
    Coverage,
}

impl Suite {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::Kernels => "kernels",
            Suite::Lockstep => "lockstep",
            Suite::Programs => "programs",
            Suite::Grids => "grids",
            Suite::Coverage => "coverage",
        }
    }
}

/// A job.
#[derive(Clone)]
pub enum Job {
    /// A kernel that ships, in its small size.
    Kernel {
        /// The kernel.
        name: &'static str,
        /// The engine.
        engine: EngineChoice,
        /// The blocks, or the whole core.
        backend: Backend,
    },
    /// A block or a core at a point, with its Verilated export.
    Lockstep {
        /// The block and its model.
        block: Arc<(Entry, Model)>,
        /// Names the stimulus.
        seed: u64,
        /// At least so many.
        cycles: u64,
    },
    /// A batch of random programs.
    Programs {
        /// The generator.
        class: Class,
        /// On the tree, else on the queue or the stack.
        tree: bool,
        /// The blocks, or the whole core.
        backend: Backend,
        /// Makes the same with a waveform.
        traced: Traced,
        /// Names them.
        seed: u64,
    },
    /// A random grid.
    Grid {
        /// What it has.
        class: GridClass,
        /// The blocks, or the whole core.
        backend: Backend,
        /// Names it, with the number.
        seed: u64,
        /// Its place in the campaign.
        number: u64,
    },
    /// The traffic of a block on an export that counts.
    Coverage {
        /// The block.
        entry: Entry,
        /// Names the traffic.
        seed: u64,
        /// At least so many.
        cycles: u64,
    },
}

/// What is left of a job that failed.
#[derive(Clone, Debug, Serialize)]
pub struct JobFailure {
    /// What went wrong.
    pub message: String,
    /// The kept case, shrunk where that is possible.
    pub file: Option<String>,
    /// A waveform of it.
    pub wave: Option<String>,
    /// The command that runs it again.
    pub replay: String,
}

/// What came of a job.
#[derive(Clone, Debug, Serialize)]
pub struct JobResult {
    /// Its kind.
    pub suite: Suite,
    /// Which one.
    pub name: String,
    /// Its seed, if it has one.
    pub seed: Option<u64>,
    /// Simulated cycles.
    pub cycles: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// A few words: efficiency, programs.
    pub detail: String,
    /// What went wrong, if anything did.
    pub failure: Option<JobFailure>,
    /// What its traffic covered, if that was counted; the document has it of all seeds together.
    #[serde(skip)]
    pub covered: Option<Report>,
}

/// Cycles and a few words of a job that ran, or why it failed with its cycles.
type Ran = (u64, String, Option<JobFailure>);

struct Quiet;

impl Watch for Quiet {
    fn passed(&self, _cycles: u64) -> bool {
        !interrupted()
    }
}

impl Job {
    /// Its kind.
    pub const fn suite(&self) -> Suite {
        match self {
            Job::Kernel { .. } => Suite::Kernels,
            Job::Lockstep { .. } => Suite::Lockstep,
            Job::Programs { .. } => Suite::Programs,
            Job::Grid { .. } => Suite::Grids,
            Job::Coverage { .. } => Suite::Coverage,
        }
    }

    fn name(&self) -> (String, Option<u64>) {
        match self {
            Job::Kernel { name, engine, backend } => {
                (format!("{name} on the {}, {}", engine.name(), backend.name), None)
            }
            Job::Lockstep { block, seed, .. } => (block.0.module(), Some(*seed)),
            Job::Programs { class, tree, backend, seed, .. } => {
                let engine = if *tree { "tree" } else { "deque" };
                (format!("{} programs on the {engine}, {}", class.name(), backend.name), Some(*seed))
            }
            Job::Grid { class, backend, seed, number } => {
                (format!("grid {number} with {}, {}", class.name(), backend.name), Some(*seed))
            }
            Job::Coverage { entry, seed, .. } => (entry.module(), Some(*seed)),
        }
    }

    /// Runs it; what fails goes into a folder.
    ///
    /// # Errors
    /// A missing tool, a file that cannot be written, Ctrl-C. A job that fails is a result.
    pub fn run(&self, failures: &Path) -> Result<JobResult, CliError> {
        let started = Instant::now();
        let mut covered = None;
        let (cycles, detail, failure) = match self {
            Job::Kernel { name, engine, backend } => kernel(name, *engine, *backend, failures)?,
            Job::Lockstep { block, seed, cycles } => lockstep(&block.0, &block.1, *seed, *cycles, failures)?,
            Job::Programs { class, tree, backend, traced, seed } => {
                programs(*class, *tree, (*backend, *traced), *seed, failures)?
            }
            Job::Grid { class, backend, seed, number } => grid(*class, *backend, *seed, *number, failures)?,
            Job::Coverage { entry, seed, cycles } => {
                let (ran, report) = coverage(entry, *seed, *cycles)?;
                covered = report;
                ran
            }
        };
        let (name, seed) = self.name();
        let seconds = started.elapsed().as_secs_f64();
        Ok(JobResult { suite: self.suite(), name, seed, cycles, seconds, detail, failure, covered })
    }
}

fn kernel(name: &'static str, engine: EngineChoice, backend: Backend, failures: &Path) -> Result<Ran, CliError> {
    let (options, core) = (KernelOptions::of(name), CoreOptions::default());
    let (loaded, run) = (load(&options)?, run_options(&options, &core, 0));
    let entry = run_entry(name, &loaded, engine, backend, &core, run)?;
    let (report, judgement) = (&entry.report, entry.judgement);
    let counters = &report.outcome.counters;
    let detail = format!(
        "{}, SIMD efficiency {:.1} %",
        if judgement.note().is_empty() { "right" } else { judgement.note() },
        100.0 * counters.simd_efficiency(report.configuration.threads)
    );
    if !judgement.fails() {
        return Ok((counters.cycles, detail, None));
    }
    let wave = failures.join(format!("{name}-{}-{}.fst", engine.name(), backend.name));
    wave::of_kernel(&loaded, (engine, backend), &report.configuration, run, &wave)?;
    let wave = wave.display().to_string();
    let failure = JobFailure {
        message: format!("{}: {}", report.outcome.verdict.name(), report.explain()),
        file: None,
        replay: format!("{DOOR} run {name} --engine {} --backend {} --trace {wave}", engine.name(), backend.name),
        wave: Some(wave),
    };
    Ok((counters.cycles, detail, Some(failure)))
}

fn lockstep(entry: &Entry, model: &Model, seed: u64, cycles: u64, failures: &Path) -> Result<Ran, CliError> {
    let plan = Plan { cycles, seed, alone: false };
    let outcome = core_lockstep::run(entry, model, plan, Some(failures), &Quiet)?;
    let detail = format!("{} episodes", outcome.episodes);
    let Some(found) = outcome.failure else { return Ok((outcome.cycles, detail, None)) };
    let mut failure = JobFailure {
        message: found.what.to_string(),
        file: None,
        wave: None,
        replay: format!("{DOOR} lockstep {} --point {} --seed {seed} --cycles {cycles}", entry.block, entry.point),
    };
    if let Some(file) = found.file {
        let wave = file.with_extension("vcd");
        let traced = Model::build(&Source::of(entry)?, &Options { trace: true, ..Options::CHECKING })?;
        let text = read_text(&file, "saved case")?;
        let again = Again { text: &text, path: &file, wave: Some(&wave), netlist: None };
        // What it fails of is known; it runs for its waveform.
        let _ = core_lockstep::replay(entry, &traced, &again)?;
        failure.replay = format!("{DOOR} replay {} --wave {}", file.display(), wave.display());
        failure.file = Some(file.display().to_string());
        failure.wave = Some(wave.display().to_string());
    }
    Ok((outcome.cycles, detail, Some(failure)))
}

/// The window of random programs and grids: of four warps the smallest that there is; a tree's table is the smallest that holds as many nodes.
fn smallest(backend: Backend, suspends: bool) -> Configuration {
    let configuration = Configuration { depth: 16, ..Configuration::default() };
    let core =
        backend.core.and_then(|_| smallest_core_depth(configuration.warps, configuration.threads, false, suspends));
    Configuration { depth: core.unwrap_or(configuration.depth), ..configuration }
}

fn programs(
    class: Class,
    tree: bool,
    (backend, traced): (Backend, Traced),
    seed: u64,
    failures: &Path,
) -> Result<Ran, CliError> {
    let base = Configuration { tree, ..smallest(backend, false) };
    let campaign = Campaign::new(seed, BATCH, class, base);
    let failure = match run_batch(&campaign, 0, &|configuration| build(backend, configuration)) {
        Ok(summary) => return Ok((summary.statistics.cycles, format!("{BATCH} programs"), None)),
        Err(failure) => failure,
    };
    // Engines and backends have programs of the same seeds, each in a file of its own.
    let engine = if tree { "tree" } else { "deque" };
    let file = failures.join(format!("{}-{engine}-{}-{seed}.json", class.name(), backend.name));
    failure
        .case
        .save(&file)
        .map_err(|cause| CliError::input(cause.to_string(), "name a folder that you may write to"))?;
    let kept = JobFailure {
        message: format!("{}: {}", failure.engine, failure.wrong),
        wave: Some(wave::of_programs(&file, traced)?.display().to_string()),
        replay: format!("{DOOR} oracle --replay {} --backend {}", file.display(), backend.name),
        file: Some(file.display().to_string()),
    };
    Ok((0, failure.shrunk, Some(kept)))
}

fn grid(class: GridClass, backend: Backend, seed: u64, number: u64, failures: &Path) -> Result<Ran, CliError> {
    let base = smallest(backend, class == GridClass::Suspends);
    let campaign = GridCampaign { seed, programs: number + 1, class, base, engine: None, longest_run: LONGEST_RUN };
    let failure = match run_number(&campaign, number, backend) {
        Ok(summary) => {
            let statistics = summary.statistics;
            let detail = match class {
                GridClass::Barriers => {
                    format!("{} barriers passed, {} turns in sections", statistics.released, statistics.sections)
                }
                GridClass::Suspends => format!("{} blocks suspended", statistics.suspended),
            };
            return Ok((statistics.cycles, detail, None));
        }
        Err(failure) => failure,
    };
    // Each backend has grids of the same seeds and numbers.
    let (file, replay) = keep(&failures.join(backend.name), backend, DOOR, &failure.case)?;
    let kept = JobFailure {
        message: format!("{}: {}", failure.engine, failure.wrong),
        wave: Some(wave::of_grid(&failure.case, Path::new(&file), backend)?.display().to_string()),
        file: Some(file),
        replay,
    };
    Ok((0, failure.shrunk.clone(), Some(kept)))
}

fn coverage(entry: &Entry, seed: u64, cycles: u64) -> Result<(Ran, Option<Report>), CliError> {
    match measure(entry, Plan { cycles, seed, alone: false }, &Quiet) {
        Ok(report) => {
            let (lines, toggles) = (report.lines.percent(), report.toggles.percent());
            let detail = format!("{lines:.1} % of the lines, {toggles:.1} % of the toggles");
            Ok(((report.cycles, detail, None), Some(report)))
        }
        // Traffic that fails is told here as well, if nothing else runs.
        Err(CliError::Check(message)) => {
            let replay =
                format!("{DOOR} coverage {} --point {} --seed {seed} --cycles {cycles}", entry.block, entry.point);
            let failure = JobFailure { message, file: None, wave: None, replay };
            Ok(((0, String::new(), Some(failure)), None))
        }
        Err(other) => Err(other),
    }
}
