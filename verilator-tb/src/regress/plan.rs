//! Which jobs a regression has, the long ones first.

use super::job::{Job, Suite};
use super::wave::{self, Traced};
use super::RegressArguments;
use crate::cli::smallest;
use crate::core_lockstep::{is_core, CORES};
use crate::engine::{VERILATED, VERILATED_CORE};
use crate::lockstep::campaign::blocks;
use crate::verilated::{Model, Options, Source};
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::compare_all::ENGINES;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::check_interrupt;
use heddle_sim::cli::output::ProgressReport;
use heddle_sim::cli::registry::Backend;
use heddle_sim::kernels;
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::Class;
use std::sync::Arc;

/// Random grids of a class for each seed and backend.
const GRIDS: u64 = 10;

/// What kernels, programs and grids run on: the blocks around a scheduler in software, and the whole core; with what leaves a waveform of it.
const BACKENDS: [(Backend, Traced); 2] = [(VERILATED, wave::engine), (VERILATED_CORE, wave::core)];

/// A control core takes so many times as long for a cycle as most blocks do.
const CORE_SHARE: u64 = 4;

/// The jobs. Models of the blocks are built here, one after the other, for a build takes all processors by itself.
pub fn plan(arguments: &RegressArguments) -> Result<Vec<Job>, CliError> {
    let wanted = |suite: Suite| match suite {
        // Its exports take minutes to build where that was not done before.
        Suite::Coverage => arguments.measures_coverage(),
        _ => arguments.suites.is_empty() || arguments.suites.contains(&suite),
    };
    let seeds = arguments.first..arguments.first + arguments.seeds;
    let mut jobs = Vec::new();
    if wanted(Suite::Kernels) {
        for kernel in kernels::ALL {
            for (backend, _) in BACKENDS {
                jobs.extend(ENGINES.map(|engine| Job::Kernel { name: kernel.name, engine, backend }));
            }
        }
    }
    if wanted(Suite::Lockstep) {
        // Of the blocks all points, of the cores the smallest ones.
        let known: Vec<&str> = blocks().collect();
        let mut entries: Vec<_> = points::entries().into_iter().filter(|entry| known.contains(&entry.block)).collect();
        for core in CORES {
            entries.push(smallest_entry(core)?);
        }
        let mut bar = ProgressReport::new(Some(entries.len() as u64));
        for (number, entry) in entries.into_iter().enumerate() {
            check_interrupt()?;
            bar.update(number as u64, || format!("Verilator: {}", entry.module()));
            let source = Source::of(&entry)?;
            let model = Model::build(&source, &Options::CHECKING)?;
            let shared = Arc::new((entry, model));
            let cycles = if is_core(shared.0.block) { arguments.cycles.div_ceil(CORE_SHARE) } else { arguments.cycles };
            jobs.extend(seeds.clone().map(|seed| Job::Lockstep { block: Arc::clone(&shared), seed, cycles }));
        }
    }
    if wanted(Suite::Coverage) {
        for block in blocks() {
            let (entry, cycles) = (smallest_entry(block)?, arguments.cycles);
            jobs.extend(seeds.clone().map(|seed| Job::Coverage { entry: entry.clone(), seed, cycles }));
        }
    }
    for (seed, (backend, traced)) in seeds.flat_map(|seed| BACKENDS.map(|backend| (seed, backend))) {
        if wanted(Suite::Programs) {
            for class in Class::ALL {
                jobs.extend([false, true].map(|tree| Job::Programs { class, tree, backend, traced, seed }));
            }
        }
        if wanted(Suite::Grids) {
            for class in GridClass::ALL {
                jobs.extend((0..GRIDS).map(|number| Job::Grid { class, backend, seed, number }));
            }
        }
    }
    Ok(jobs)
}

/// A block's or a core's smallest point.
fn smallest_entry(block: &str) -> Result<Entry, CliError> {
    let entries = points::entries().into_iter().filter(|entry| entry.block == block);
    Ok(smallest(block, entries.collect())?)
}
