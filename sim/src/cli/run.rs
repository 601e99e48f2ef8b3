//! `run`: one kernel on one engine (UX-03).

use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::assembler::Kernel;
use crate::engine::Configuration;
use crate::machine::{FstTrace, PerfettoTrace, RunOptions, SuspendOptions, Trace, VcdTrace};

use super::error::CliError;
use super::execute::{execute, execute_traced, run_options, Report};
use super::files::{unwritable, PendingFile};
use super::json::{Document, RunDocument};
use super::load::{load, Loaded};
use super::memory_file;
use super::options::{CoreOptions, EngineChoice, KernelOptions};
use super::output::{print, print_json};
use super::predicate_file;
use super::registry::{Backend, Backends};
use super::tables::side_by_side;
use super::timeline;

/// The options of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    /// The kernel.
    #[command(flatten)]
    pub kernel: KernelOptions,
    /// The core.
    #[command(flatten)]
    pub core: CoreOptions,
    /// Which divergence engine the core holds
    #[arg(long, value_enum, default_value = "deque")]
    pub engine: EngineChoice,
    /// Which form of the engine runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Write global memory at the end, as JSON
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Show the timelines of the first N warps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub timeline: usize,
    /// Launch only the blocks that a picture names: a line a row, a character a block, 1 or 0; an empty line between planes
    #[arg(long, value_name = "FILE")]
    pub predicate: Option<PathBuf>,
    /// Suspend the first resident block in this cycle and resume it on other warps; not with a tree on a core
    #[arg(long, value_name = "CYCLE")]
    pub suspend_at: Option<u64>,
    /// How often: again as soon as it runs again
    #[arg(long, value_name = "N", default_value_t = 1, requires = "suspend_at", value_parser = clap::value_parser!(u32).range(1..))]
    pub suspend_times: u32,
    /// So many blocks may be away at once
    #[arg(long, value_name = "N", default_value_t = 1, requires = "suspend_at", value_parser = clap::value_parser!(u16).range(1..=SuspendOptions::MOST_AWAY as i64))]
    pub suspend_away: u16,
    /// Give up if a thread of the block is still inside a critical section after so many cycles
    #[arg(long, value_name = "CYCLES", default_value_t = SuspendOptions::PATIENCE, requires = "suspend_at", value_parser = clap::value_parser!(u16).range(1..))]
    pub suspend_patience: u16,
    /// Write a trace of PCs, masks, reasons and tokens: .vcd or .fst for waveform viewers, .perfetto for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// What a trace is written as: its file's name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TraceFormat {
    Vcd,
    Fst,
    Perfetto,
}

impl TraceFormat {
    fn of(path: &Path) -> Result<Self, CliError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("vcd") => Ok(Self::Vcd),
            Some("fst") => Ok(Self::Fst),
            Some("perfetto") => Ok(Self::Perfetto),
            _ => Err(CliError::input(
                format!("--trace {}: the name does not say in which format", path.display()),
                "name a file that ends in .vcd, .fst or .perfetto",
            )),
        }
    }

    /// A trace of this format into an output.
    fn open<'a, W: Write + Seek + 'a>(
        self,
        output: W,
        configuration: &Configuration,
        kernel: &'a Kernel,
    ) -> std::io::Result<Box<dyn Trace + 'a>> {
        Ok(match self {
            Self::Vcd => Box::new(VcdTrace::new(output, configuration)?),
            Self::Fst => Box::new(FstTrace::new(output, configuration)?),
            Self::Perfetto => Box::new(PerfettoTrace::new(output, configuration, kernel)?),
        })
    }
}

/// Runs a kernel and prints what came of it.
pub fn run(arguments: &RunArguments, backends: &Backends) -> Result<(), CliError> {
    let format = arguments.trace.as_deref().map(TraceFormat::of).transpose()?;
    let backend = backends.find(arguments.backend.as_deref())?;
    let configuration = arguments.core.configuration(arguments.engine)?;
    let mut loaded = load(&arguments.kernel)?;
    if let Some(path) = &arguments.predicate {
        predicate_file::load(path, &mut loaded)?;
    }
    let suspend = arguments.suspend_at.map(|at| SuspendOptions {
        times: arguments.suspend_times,
        patience: arguments.suspend_patience,
        away: arguments.suspend_away.into(),
        ..SuspendOptions::at(at)
    });
    let options = RunOptions { suspend, ..run_options(&arguments.kernel, &arguments.core, arguments.timeline) };
    let report = match arguments.trace.as_deref().zip(format) {
        Some(into) => execute_into(into, &loaded, arguments.engine, backend, &configuration, options)?,
        None => execute(&loaded, arguments.engine, backend, &configuration, options)?,
    };
    if let Some(path) = &arguments.dump {
        memory_file::dump(path, &loaded.launch, &report.outcome.global)?;
    }
    if arguments.kernel.json {
        print_json(&Document::new("heddle.run", RunDocument::from(&report)))?;
    } else {
        print(&describe(&report))?;
    }
    report.error()
}

/// Runs a kernel with a trace into a file.
fn execute_into(
    (path, format): (&Path, TraceFormat),
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
) -> Result<Report, CliError> {
    let mut file = PendingFile::create(path)?;
    let report = {
        let mut output = BufWriter::new(&mut file);
        let report = {
            let trace = format.open(&mut output, configuration, &loaded.kernel);
            let mut trace = trace.map_err(|cause| unwritable(path, &cause))?;
            execute_traced(loaded, engine, backend, configuration, options, Some(trace.as_mut()))?
        };
        output.flush().map_err(|cause| unwritable(path, &cause))?;
        report
    };
    if let Some(cause) = &report.outcome.trace_failure {
        return Err(unwritable(path, cause));
    }
    file.complete()?;
    Ok(report)
}

/// A run as text.
fn describe(report: &Report) -> String {
    let mut text = format!(
        "{} on {} ({} x {} threads, grid {}, block {})\n{}\n",
        report.kernel,
        report.engine_name,
        report.configuration.warps,
        report.configuration.threads,
        sizes(report.grid),
        sizes(report.block),
        side_by_side(std::slice::from_ref(report)),
    );
    text.push_str(&report.explain());
    for failed in &report.outcome.failed_suspensions {
        text.push_str(&format!("{failed}\n"));
    }
    let timelines: Vec<_> = report.outcome.timelines.iter().collect();
    for (warp, warp_timeline) in timelines.iter().enumerate() {
        text.push_str(&timeline::render(warp_timeline, &format!("warp {warp}")));
    }
    if !timelines.is_empty() {
        text.push_str(&format!("{}\n", timeline::legend(&timelines)));
    }
    text
}

/// Three sizes, those that are 1 at the end left out.
pub fn sizes(sizes: [u32; 3]) -> String {
    match sizes {
        [x, 1, 1] => format!("{x}"),
        [x, y, 1] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    }
}
