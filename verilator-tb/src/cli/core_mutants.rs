//! Mutants of the control core: random grids have to find them (XV-03), by what they leave in memory, or by other counts than the same core has in
//! the Rust simulation, cycles among them.

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
use heddle_sim::rtl::elaborated::{build_core, core_barrier_block};

/// The block whose mutants are judged here.
pub const BLOCK: &str = "control_core";

/// Random grids that a mutant gets, at most.
const GRIDS: u64 = 300;

/// The first random grid that ends differently, or takes another way, and how.
///
/// # Errors
/// Ctrl-C, or a grid that the Rust simulation does not run to its end.
pub fn first_wrong(entry: &Entry, model: &Model, seed: u64) -> Result<Option<(u64, String)>, CliError> {
    let campaign = GridCampaign {
        seed,
        programs: GRIDS,
        class: GridClass::Barriers,
        base: Configuration::of(entry),
        engine: Some(EngineKind::Deque),
        longest_run: LONGEST_RUN / 3,
    };
    let build = |setup: &Setup| -> Box<dyn ControlCore> {
        Box::new(RtlCore::new(model.simulation(Start::Random(seed)), "broken core", *setup))
    };
    let parts = Parts { core: Some(CorePart::new(&build, core_barrier_block)), ..reference() };
    let whole = |setup: &Setup| -> Box<dyn ControlCore> {
        build_core(setup).unwrap_or_else(|_| unreachable!("the broken core has the points of the whole one"))
    };
    let whole = Parts { core: Some(CorePart::new(&whole, core_barrier_block)), ..reference() };
    for number in 0..GRIDS {
        check_interrupt()?;
        let (configuration, prepared, _) = prepare(&campaign, number);
        let broken = match run(&parts, &configuration, &prepared) {
            Ok(broken) => broken,
            Err(wrong) => return Ok(Some((number, wrong.to_string()))),
        };
        let right = run(&whole, &configuration, &prepared)
            .map_err(|wrong| CliError::Internal(format!("grid {number} on the whole core: {wrong}")))?;
        if broken != right {
            let what = match broken.cycles == right.cycles {
                false => format!("{} cycles, not {}", broken.cycles, right.cycles),
                true => format!("counts are {broken:?}, not {right:?}"),
            };
            return Ok(Some((number, what)));
        }
    }
    Ok(None)
}
