//! What a failing job leaves to look at: it runs once more, and what happens is written down.
//!
//! A kernel or grid leaves the trace of the machine that `--trace` writes, with PCs, masks, reasons and tokens; programs, which have no machine, the pins of the Verilated block or core.

use crate::error::Error;
use crate::verilated::{Model, Options, Source, Start};
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::execute::execute_traced;
use heddle_sim::cli::files::{unwritable, PendingFile};
use heddle_sim::cli::load::Loaded;
use heddle_sim::cli::options::EngineChoice;
use heddle_sim::cli::registry::Backend;
use heddle_sim::engine::Configuration;
use heddle_sim::machine::{FstTrace, RunOptions, SuspendOptions};
use heddle_sim::oracle::grid::campaign::GridCase;
use heddle_sim::oracle::grid::runner::{limits, PreparedGrid};
use heddle_sim::oracle::replay;
use heddle_sim::oracle::warp_runner::core_runner;
use heddle_sim::oracle::warp_runner::subject::Subject;
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::elaborated::{core_barrier_block, core_point, point_for};
use heddle_sim::rtl::RtlEngine;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Makes what programs run on, with a waveform of it.
pub type Traced = fn(&Configuration, &Path) -> Result<Subject, CliError>;

/// The engine for a configuration, Verilated.
///
/// # Errors
/// A missing tool, or a file that cannot be written.
pub fn engine(configuration: &Configuration, wave: &Path) -> Result<Subject, CliError> {
    let simulation = traced(&point_for(configuration)?, wave)?;
    Ok(Subject::Engine(Box::new(RtlEngine::new(simulation, "Verilated", *configuration))))
}

/// The core for a configuration, Verilated.
///
/// # Errors
/// A missing tool, or a file that cannot be written.
pub fn core(configuration: &Configuration, wave: &Path) -> Result<Subject, CliError> {
    let setup = core_runner::setup(*configuration);
    let simulation = traced(&core_point(&setup, "verilated")?, wave)?;
    Ok(Subject::Core(Box::new(RtlCore::new(simulation, "Verilated core", setup))))
}

fn traced(entry: &Entry, wave: &Path) -> Result<crate::verilated::Verilated, Error> {
    let model = Model::build(&Source::of(entry)?, &Options { trace: true, ..Options::CHECKING })?;
    // Any bits will do, since reset must be enough.
    model.traced(Start::Random(1), Some(wave))
}

/// The programs of a kept case, once more; says where the waveform is.
///
/// # Errors
/// A missing tool, or a file that cannot be read or written.
pub fn of_programs(case: &Path, traced: Traced) -> Result<PathBuf, CliError> {
    let wave = case.with_extension("vcd");
    let kept = heddle_sim::oracle::CaseFile::load(case).map_err(|cause| CliError::Internal(cause.to_string()))?;
    let configuration = Configuration::try_from(&kept.configuration).map_err(CliError::Internal)?;
    // What cannot be built shows here; after that only policies differ.
    drop(traced(&configuration, &wave)?);
    // What it fails of is known; it runs for its waveform.
    let _ = replay(case, |configuration| {
        traced(configuration, &wave).unwrap_or_else(|cause| panic!("{}: {cause:?}", wave.display()))
    });
    Ok(wave)
}

/// A kernel, once more, with a trace in FST.
///
/// # Errors
/// A file that cannot be written, or Ctrl-C.
pub fn of_kernel(
    loaded: &Loaded,
    (engine, backend): (EngineChoice, Backend),
    configuration: &Configuration,
    options: RunOptions,
    wave: &Path,
) -> Result<(), CliError> {
    let mut file = PendingFile::create(wave)?;
    let report = {
        let mut output = BufWriter::new(&mut file);
        let report = {
            let mut trace = FstTrace::new(&mut output, configuration).map_err(|cause| unwritable(wave, &cause))?;
            execute_traced(loaded, engine, backend, configuration, options, Some(&mut trace))?
        };
        output.flush().map_err(|cause| unwritable(wave, &cause))?;
        report
    };
    match report.outcome.trace_failure {
        Some(cause) => Err(unwritable(wave, &cause)),
        None => file.complete(),
    }
}

/// A kept grid, once more; says where the trace is.
///
/// # Errors
/// A file that cannot be written, or Ctrl-C.
pub fn of_grid(case: &GridCase, file: &Path, backend: Backend) -> Result<PathBuf, CliError> {
    let wave = file.with_extension("fst");
    let configuration = Configuration::try_from(&case.configuration).map_err(CliError::Internal)?;
    let limit = heddle_sim::oracle::case_file::STEP_LIMIT;
    let prepared = PreparedGrid::new(case.grid_program.clone(), limit.into());
    let prepared = prepared.map_err(|cause| CliError::Internal(cause.to_string()))?;
    let engine = match (configuration.tree, configuration.stack_mode) {
        (true, _) => EngineChoice::Tree,
        (false, true) => EngineChoice::Stack,
        (false, false) => EngineChoice::Deque,
    };
    let suspend = prepared
        .program
        .suspend
        .map(|suspend| SuspendOptions { times: suspend.times, ..SuspendOptions::at(suspend.at) });
    let barrier_block = backend.core.and_then(|_| core_barrier_block(&configuration));
    let options = RunOptions { barrier_block, suspend, ..limits(&prepared) };
    let PreparedGrid { kernel, launch, .. } = prepared;
    let loaded = Loaded { kernel, launch, as_shipped: true };
    let run = |options| of_kernel(&loaded, (engine, backend), &configuration, options, &wave);
    // Blocks that cannot be suspended run without that, as in the campaign.
    match run(options) {
        Err(CliError::Input(_)) if suspend.is_some() => run(RunOptions { suspend: None, ..options })?,
        done => done?,
    }
    Ok(wave)
}
