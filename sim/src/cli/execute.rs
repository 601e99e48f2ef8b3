//! One run and its report: what `run`, `compare` and `demo` share.

use crate::assembler::Mismatch;
use crate::barrier::Statics;
use crate::control_core::CoreMachine;
use crate::engine::Configuration;
use crate::launch::Shape;
use crate::machine::{Machine, MachineError, Outcome, Progress, RunOptions, Trace, Verdict};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};

use super::error::CliError;
use super::interrupt::interrupted;
use super::load::Loaded;
use super::options::{BarrierBlock, CoreOptions, EngineChoice, KernelOptions};
use super::output::{grouped, ProgressReport};
use super::registry::Backend;

/// A run that ended, with what is known about it.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the kernel.
    pub kernel: String,
    /// Which engine.
    pub engine: EngineChoice,
    /// Name of the backend.
    pub backend: &'static str,
    /// What the engine calls itself.
    pub engine_name: String,
    /// How it was set up.
    pub configuration: Configuration,
    /// The sizes that it ran with.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// How it ended.
    pub outcome: Outcome,
    /// Ways in which memory differs from what the kernel expects; only of runs that completed.
    pub mismatches: Vec<Mismatch>,
    /// The kernel's file says what memory must hold.
    pub has_expectation: bool,
}

/// Mismatches that a message lists.
const MISMATCHES_SHOWN: usize = 8;

impl Report {
    /// Engine and backend in two words, for tables.
    pub fn title(&self) -> String {
        format!("{} {}", self.engine.name(), self.backend)
    }

    /// It completed, and memory is as expected.
    pub fn passed(&self) -> bool {
        self.outcome.verdict == Verdict::Completed && self.mismatches.is_empty()
    }

    /// The state of the final check in a word or two.
    pub fn check(&self) -> &'static str {
        match (&self.outcome.verdict, self.has_expectation, self.mismatches.is_empty()) {
            (Verdict::Completed, true, true) => "correct",
            (Verdict::Completed, _, false) => "WRONG",
            (Verdict::Completed, false, true) => "unchecked",
            _ => "-",
        }
    }

    /// What went wrong, for a person; empty if nothing did.
    pub fn explain(&self) -> String {
        let mut text = self.outcome.verdict.explain();
        for mismatch in self.mismatches.iter().take(MISMATCHES_SHOWN) {
            text.push_str(&format!("memory: {mismatch}\n"));
        }
        if self.mismatches.len() > MISMATCHES_SHOWN {
            text.push_str(&format!("memory: and {} more\n", self.mismatches.len() - MISMATCHES_SHOWN));
        }
        text
    }

    /// The error that this run is by itself.
    pub fn error(&self) -> Result<(), CliError> {
        match &self.outcome.verdict {
            Verdict::Completed if self.mismatches.is_empty() => Ok(()),
            Verdict::Completed => Err(CliError::Check(format!("{}: memory is not as expected", self.kernel))),
            Verdict::Interrupted => Err(CliError::Interrupted),
            verdict => Err(CliError::Check(format!("{}: {}", self.kernel, verdict.name()))),
        }
    }
}

/// Options of a run from those of the command line.
pub fn run_options(kernel: &KernelOptions, core: &CoreOptions, timelines: usize) -> RunOptions {
    RunOptions {
        scheduler: core.scheduler,
        max_cycles: kernel.max_cycles,
        watchdog: kernel.watchdog,
        timelines,
        barrier_block: core.barrier_block.map(BarrierBlock::threads),
        ..RunOptions::default()
    }
}

/// A context unit, and how big it is.
type ContextUnit = (ContextShape, Box<dyn ContextPorts>);

/// The context unit of a backend, if the kernel has local memory and there is one for such warps.
fn context_unit(
    loaded: &Loaded,
    backend: Backend,
    configuration: &Configuration,
    options: &RunOptions,
) -> Result<Option<ContextUnit>, CliError> {
    let Configuration { warps, threads, .. } = *configuration;
    let context = match loaded.launch.local_bytes {
        0 => return Ok(None),
        _ => (backend.context)(warps, threads)?,
    };
    if context.is_none() && options.suspend.is_some() {
        let what = format!("local memory of {warps} warps of {threads} threads");
        return Err(miette::Report::new(MachineError::NotSaved { what }).into());
    }
    Ok(context)
}

/// Is told what runs, and how far it is.
type Reporting<'a> = &'a mut dyn FnMut(&str, Progress);

/// Tells a person.
fn reported(loaded: &Loaded) -> impl FnMut(&str, Progress) + '_ {
    let mut bar = ProgressReport::new(None);
    move |name, progress| {
        bar.update(progress.cycles, || {
            let (kernel, cycles) = (&loaded.kernel.name, grouped(progress.cycles));
            format!("{kernel} on {name}: {cycles} cycles, block {} of {}", progress.blocks_begun, progress.blocks)
        });
    }
}

/// Runs a kernel on the blocks of a backend; returns what the engine calls itself, too.
fn run_blocks(
    loaded: &Loaded,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
    trace: Option<&mut dyn Trace>,
    progress: Reporting<'_>,
) -> Result<(String, Outcome), CliError> {
    let built = (backend.build)(configuration)?;
    let name = built.name();
    let machine = Machine::new(&loaded.kernel, &loaded.launch, built, options).map_err(miette::Report::new)?;
    let machine = machine.with_distributor(&loaded.launch, (backend.distributor)(Shape::CORE)?);
    let machine = match context_unit(loaded, backend, configuration, &options)? {
        Some((shape, ports)) => machine.with_context(shape, ports),
        None => machine,
    };
    let machine = match loaded.kernel.uses_barriers() {
        true => {
            let scheduler = (backend.barriers)(options.barrier_size(&loaded.launch), Statics::default())?;
            machine.with_barriers(&loaded.launch, scheduler).map_err(miette::Report::new)?
        }
        false => machine,
    };
    let machine = match trace {
        Some(trace) => machine.traced(trace),
        None => machine,
    };
    let outcome = machine.run(&interrupted, &mut |now| progress(&name, now));
    Ok((name, outcome))
}

/// Runs a kernel on the whole control core of a backend; returns what the core calls itself, too.
fn run_core(
    loaded: &Loaded,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
    trace: Option<&mut dyn Trace>,
    progress: Reporting<'_>,
) -> Result<(String, Outcome), CliError> {
    let build = backend.core.ok_or_else(|| miette::miette!("{} has no control core", backend.name))?;
    let core = build(&CoreMachine::setup(&loaded.kernel, &loaded.launch, *configuration, &options))?;
    let name = core.name();
    let machine = CoreMachine::new(&loaded.kernel, &loaded.launch, core, options).map_err(miette::Report::new)?;
    let machine = match context_unit(loaded, backend, configuration, &options)? {
        Some((shape, ports)) => machine.with_context(shape, ports),
        None => machine,
    };
    let machine = match trace {
        Some(trace) => machine.traced(trace),
        None => machine,
    };
    let outcome = machine.run(&interrupted, &mut |now| progress(&name, now));
    Ok((name, outcome))
}

/// Runs a kernel once.
pub fn execute(
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
) -> Result<Report, CliError> {
    execute_traced(loaded, engine, backend, configuration, options, None)
}

/// Runs a kernel once, with a trace of it if one is given.
pub fn execute_traced(
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
    trace: Option<&mut dyn Trace>,
) -> Result<Report, CliError> {
    execute_with(loaded, engine, backend, configuration, options, trace, &mut reported(loaded))
}

/// Runs a kernel once, beside others: nothing is shown of how far it is.
pub fn execute_silently(
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
) -> Result<Report, CliError> {
    execute_with(loaded, engine, backend, configuration, options, None, &mut |_, _| ())
}

fn execute_with(
    loaded: &Loaded,
    engine: EngineChoice,
    backend: Backend,
    configuration: &Configuration,
    options: RunOptions,
    trace: Option<&mut dyn Trace>,
    progress: Reporting<'_>,
) -> Result<Report, CliError> {
    let run = match backend.core {
        None => run_blocks,
        Some(_) => run_core,
    };
    let (engine_name, outcome) = run(loaded, backend, configuration, options, trace, progress)?;
    if outcome.verdict == Verdict::Interrupted {
        return Err(CliError::Interrupted);
    }
    let mismatches = match outcome.verdict {
        Verdict::Completed => loaded.kernel.check(&loaded.launch, &outcome.global),
        _ => Vec::new(),
    };
    Ok(Report {
        kernel: loaded.kernel.name.clone(),
        engine,
        backend: backend.name,
        engine_name,
        configuration: *configuration,
        grid: loaded.launch.grid,
        block: loaded.launch.block,
        outcome,
        mismatches,
        has_expectation: !loaded.kernel.expectations.is_empty(),
    })
}
