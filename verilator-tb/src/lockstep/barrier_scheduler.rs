//! The barrier scheduler in lockstep: random programs of many CTAs, the Rust kernels and the export compared on every port, the
//! reference automaton following every step, the contract watching the whole (BR-01..BR-51, XV-02).

use super::bench::{Counts, Failure, Stimulus};
use super::campaign::{episode_seed, episodes, Again, Found, Outcome, Plan, Replay, Watch};
use super::case::Case;
use super::idle::Idle;
use super::rig::Rig;
use super::twins::Twins;
use crate::error::{Error, Result};
use crate::verilated::{Model, Start};
use heddle_hdl::points::Entry;
use heddle_hdl::simulation::Simulation;
use heddle_sim::barrier::Size;
use heddle_sim::cli::error::CliError;
use heddle_sim::model::barrier::contract::{Limits, REACH};
use heddle_sim::model::barrier::follow::Followed;
use heddle_sim::model::barrier::traffic::{self, Report, Scenario};
use heddle_sim::rtl::barrier_scheduler::RtlBarrierScheduler;
use heddle_sim::rtl::elaborated::size_of;
use std::path::Path;
use std::time::{Duration, Instant};

/// The block's name.
pub const BLOCK: &str = "barrier_scheduler";

/// What stands beside the strobe of a request.
const IDLE: &[Idle] = &[Idle {
    strobes: &["request_valid"],
    ports: &[
        "request_operation",
        "request_cta",
        "request_block",
        "request_barrier",
        "request_mask",
        "request_participants",
        "request_tag",
        "request_after",
        "request_critical",
        "request_ordered",
        "request_exclusive",
        "request_blocking",
        "request_impatient",
        "request_data",
    ],
}];

/// How long the hardware may take: a completion that was held off is retried when the scanner comes by.
fn limits(size: &Size) -> Limits {
    Limits::of(size).plus(4 * size.keys() as u64)
}

/// Runs `scenario` on simulations that are fresh, the automaton following.
///
/// # Errors
/// The first difference between the simulations, step that the automaton does not know, or promise that was broken.
fn followed(scenario: &Scenario, twins: Twins) -> std::result::Result<Report, Failure> {
    let scheduler = RtlBarrierScheduler::new(twins, scenario.size, scenario.statics);
    let mut followed = Followed::new(scheduler);
    let result = traffic::run(scenario, &mut followed, limits(&scenario.size));
    // The simulations' difference comes first: what else went wrong then need not mean anything.
    if let Some((cycle, difference)) = followed.scheduler.simulation().difference() {
        return Err(failure(scenario, *cycle, difference.to_string()));
    }
    if let Some(mismatch) = &followed.mismatch {
        return Err(failure(scenario, mismatch.cycle, mismatch.detail.clone()));
    }
    result.map_err(|broken| failure(scenario, 0, broken.to_string()))
}

/// Runs `scenario` on the export alone, under the contract only.
///
/// # Errors
/// The first promise that was broken.
fn alone(scenario: &Scenario, export: impl Simulation) -> std::result::Result<Report, Failure> {
    let mut scheduler = RtlBarrierScheduler::new(export, scenario.size, scenario.statics);
    traffic::run(scenario, &mut scheduler, limits(&scenario.size))
        .map_err(|broken| failure(scenario, 0, broken.to_string()))
}

fn failure(scenario: &Scenario, cycle: u64, what: String) -> Failure {
    Failure { cycle, begun: steps(scenario), what }
}

/// How much there is to a scenario.
fn steps(scenario: &Scenario) -> usize {
    scenario.ctas.iter().flatten().map(|plan| plan.steps.len() + 1).sum()
}

/// Many scenarios, until enough cycles have passed or one fails.
///
/// # Errors
/// A folder that cannot be written, or Ctrl-C. A failure of the block is an [`Outcome`].
pub fn run(
    entry: &Entry,
    rig: &dyn Rig,
    plan: Plan,
    folder: Option<&Path>,
    watch: &dyn Watch,
) -> std::result::Result<Outcome, CliError> {
    // The directed scenarios go by the last digit of the seed.
    let draw = |number| traffic::scenario((episode_seed(plan.seed, number) & !15) | (number & 15), size_of(entry));
    let once = |scenario: &Scenario, start| match plan.alone {
        true => alone(scenario, Twins::of(vec![rig.alone(start)], start, IDLE)),
        false => followed(scenario, Twins::of(rig.contestants(entry, start), start, IDLE)),
    };
    let run = |scenario: &Scenario, start, counts: &mut Counts| {
        let report = once(scenario, start)?;
        for (name, count) in &report.met {
            counts.add_many(name, *count);
        }
        Ok(report.cycles)
    };
    let keep = |scenario, start, what, found| {
        let fails = |candidate: &Scenario| once(candidate, start).err();
        keep(entry, start, scenario, what, found, folder, &fails)
    };
    episodes(entry, plan, watch, REACH, draw, run, keep)
}

/// A scenario that fills a large scheduler runs for a second, and a thousand candidates would take as many.
const PATIENCE: Duration = Duration::from_secs(60);

/// Shrinks a failure and saves it.
fn keep(
    entry: &Entry,
    start: Start,
    scenario: Scenario,
    what: Failure,
    found: (u64, u64),
    folder: Option<&Path>,
    fails: &dyn Fn(&Scenario) -> Option<Failure>,
) -> std::result::Result<Found, CliError> {
    let before = steps(&scenario);
    let Some(folder) = folder else { return Ok(Found { what, operations: (before, before), file: None }) };
    let until = Instant::now() + PATIENCE;
    let small = traffic::shrink(&scenario, |candidate| Instant::now() < until && fails(candidate).is_some());
    let what = fails(&small).unwrap_or(what);
    let operations = (before, steps(&small));
    let stimulus = Stimulus { settings: small, operations: Vec::<()>::new() };
    let mut case = Case::new(entry.block, entry.point, found, what.to_string(), stimulus);
    if let Start::Random(seed) = start {
        case.random_start = Some(seed);
    }
    Ok(Found { what, operations, file: Some(case.save(folder)?) })
}

/// Runs a saved scenario once more.
///
/// # Errors
/// Text that is no case of this block, a waveform that cannot be written.
pub fn replay(entry: &Entry, model: &Model, again: &Again) -> Result<Replay> {
    let case: Case<Scenario, ()> = Case::parse(again.text, again.path)?;
    let size = size_of(entry);
    if case.stimulus.settings.size != size {
        return Err(Error::Input {
            place: again.path.display().to_string(),
            cause: format!("the scenario is for a scheduler of {}, the point is {size}", case.stimulus.settings.size),
            hint: "the file was edited by hand, or comes from another version".into(),
        });
    }
    let twins = Twins::of(again.contestants(entry, model, case.start())?, case.start(), IDLE);
    Ok((case.failure, followed(&case.stimulus.settings, twins).map(|report| report.cycles)))
}
