//! Mutants of the control core: random grids have to find them (XV-03), for a core is judged by what programs leave, and has no model of its own.

use crate::verilated::{Model, Start};
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::check_interrupt;
use heddle_sim::control_core::{ControlCore, Setup};
use heddle_sim::engine::Configuration;
use heddle_sim::oracle::grid::campaign::{prepare, reference, EngineKind, GridCampaign, LONGEST_RUN};
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::grid::runner::{run, CorePart, Parts};
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::elaborated::core_barrier_block;

/// The block whose mutants are judged here.
pub const BLOCK: &str = "control_core";

/// Random grids that a mutant gets, at most.
const GRIDS: u64 = 300;

/// The first random grid that ends differently, and how.
///
/// # Errors
/// Ctrl-C.
pub fn first_wrong(entry: &Entry, model: &Model, seed: u64) -> Result<Option<(u64, String)>, CliError> {
    let size = |name: &str| entry.parameter(name).map_or(1, |value| value as usize);
    let base = Configuration {
        warps: size("warps"),
        threads: size("threads"),
        depth: size("depth"),
        ..Configuration::default()
    };
    let campaign = GridCampaign {
        seed,
        programs: GRIDS,
        class: GridClass::Barriers,
        base,
        engine: Some(EngineKind::Deque),
        longest_run: LONGEST_RUN / 3,
    };
    let build = |setup: &Setup| -> Box<dyn ControlCore> {
        Box::new(RtlCore::new(model.simulation(Start::Random(seed)), "broken core", *setup))
    };
    let parts = Parts { core: Some(CorePart { build: &build, barrier_block: core_barrier_block }), ..reference() };
    for number in 0..GRIDS {
        check_interrupt()?;
        let (configuration, prepared, _) = prepare(&campaign, number);
        if let Err(wrong) = run(&parts, &configuration, &prepared) {
            return Ok(Some((number, wrong.to_string())));
        }
    }
    Ok(None)
}
