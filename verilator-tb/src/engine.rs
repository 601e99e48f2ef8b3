//! The Verilated blocks under the machine, and the whole Verilated control core: the backends beside the models and the Rust simulation.

use crate::verilated::{Model, Options, Source, Start, Verilated};
use heddle_hdl::points::Entry;
use heddle_sim::barrier::{BarrierScheduler, Size, Statics};
use heddle_sim::cli::registry::Backend;
use heddle_sim::control_core::{ControlCore, Setup};
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::launch::{Shape, WorkDistributor};
use heddle_sim::model::context::ports::{ContextPorts, Shape as ContextShape};
use heddle_sim::rtl::barrier_scheduler::RtlBarrierScheduler;
use heddle_sim::rtl::context_sequencer::{shape_of, RtlContextSequencer};
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::work_distributor::RtlWorkDistributor;
use heddle_sim::rtl::{elaborated, RtlEngine};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Seed of the registers' state before reset: any will do, since reset must be enough.
const STATE_BEFORE_RESET: u64 = 1;

/// The blocks, Verilated: what random programs run on unless told otherwise.
pub const VERILATED: Backend = Backend {
    name: "verilated",
    about: "the exported Verilog of the blocks under Verilator, around a scheduler in software",
    build,
    barriers: build_barriers,
    distributor: build_distributor,
    context: build_context,
    core: None,
};

/// The whole control core, Verilated: what `cargo tb run` runs on unless told otherwise (UX-05).
pub const VERILATED_CORE: Backend = Backend {
    name: "verilated-core",
    about: "the exported Verilog of the whole control core under Verilator",
    core: Some(build_core),
    ..VERILATED
};

/// Models that this process has loaded, by module: a comparison or a campaign asks for each many times.
static LOADED: Mutex<Option<HashMap<String, Model>>> = Mutex::new(None);

/// A simulation of an entry's export, from a random state; its model is built once.
fn simulation(entry: &Entry) -> miette::Result<Verilated> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let models = loaded.get_or_insert_with(HashMap::new);
    let model = match models.get(&entry.module()) {
        Some(model) => model.clone(),
        None => {
            let model = Model::build(&Source::of(entry)?, &Options::CHECKING)?;
            models.insert(entry.module(), model.clone());
            model
        }
    };
    Ok(model.simulation(Start::Random(STATE_BEFORE_RESET)))
}

/// The barrier scheduler of `size`, exported, Verilated and reset.
///
/// # Errors
/// If no parameter point has the size, Verilator is missing, or the build fails.
pub fn build_barriers(size: Size, statics: Statics) -> miette::Result<Box<dyn BarrierScheduler>> {
    let simulation = simulation(&elaborated::barrier_point(size)?)?;
    Ok(Box::new(RtlBarrierScheduler::new(simulation, size, statics)))
}

/// The context unit for so many warps of so many threads, exported, Verilated and reset, with its sizes.
///
/// # Errors
/// If Verilator fails.
pub fn build_context(warps: usize, threads: usize) -> miette::Result<Option<(ContextShape, Box<dyn ContextPorts>)>> {
    let Some(entry) = elaborated::context_point(warps, threads) else { return Ok(None) };
    let ports = RtlContextSequencer::new(simulation(&entry)?);
    Ok(Some((shape_of(&entry), Box::new(ports))))
}

/// The work distributor of `shape`, exported, Verilated and reset.
///
/// # Errors
/// If no parameter point has the shape, Verilator is missing, or the build fails.
pub fn build_distributor(shape: Shape) -> miette::Result<Box<dyn WorkDistributor>> {
    let simulation = simulation(&elaborated::distributor_point(shape)?)?;
    Ok(Box::new(RtlWorkDistributor::new(simulation)))
}

/// The control core for `setup`, exported, Verilated and reset.
///
/// # Errors
/// If no parameter point carries the configuration, Verilator is missing, or the build fails.
pub fn build_core(setup: &Setup) -> miette::Result<Box<dyn ControlCore>> {
    let simulation = simulation(&elaborated::core_point(setup, VERILATED.name)?)?;
    let kind = elaborated::kind_of(&setup.configuration);
    Ok(Box::new(RtlCore::new(simulation, format!("{kind} Verilated core"), *setup)))
}

/// The divergence unit of `configuration`, exported, Verilated and reset.
///
/// # Errors
/// If no parameter point carries the configuration, Verilator is missing, or the build fails.
pub fn build(configuration: &Configuration) -> miette::Result<Box<dyn Engine>> {
    let simulation = simulation(&elaborated::point_for(configuration)?)?;
    let kind = elaborated::kind_of(configuration);
    Ok(Box::new(RtlEngine::new(simulation, format!("{kind} Verilated"), *configuration)))
}
