//! Cycles that a block takes for an operation, beside the physical limit of one a cycle: how long its ports keep a request waiting, at every point.
//!
//! Lockstep's traffic runs on the Rust simulation with surroundings that never make the block wait ([`Subject::calm`]); a [`Meter`] looks at the
//! port that takes operations. A cycle in which one is offered is a cycle of that operation, so an operation that is taken at once costs one. Of a
//! block whose traffic has always something to offer, all cycles count that passed, offered or not.
//! Blocks without a `ready` take what comes in every cycle, by their ports, and are not measured. Counts of cycles are exact and the
//! same on every machine.
//!
//! [`Subject::calm`]: crate::lockstep::bench::Subject::calm

mod meter;
pub mod plot;

pub use meter::Tally;

use crate::lockstep::campaign::{self, Plan, Watch};
use heddle_hdl::barrier::operation::BarrierOperation;
use heddle_hdl::divergence::token::{Operation, QueueOperation};
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use meter::{Meter, Watched};
use rayon::prelude::*;
use serde::Serialize;

/// What of a block is measured.
pub struct Measured {
    /// The block.
    pub block: &'static str,
    /// Its operations, in the words of the table.
    pub what: &'static str,
    port: Watched,
    /// The traffic has always something to ask.
    saturated: bool,
    /// Names of the codes; empty if there are none.
    names: fn(u128) -> String,
}

const fn requests(block: &'static str, what: &'static str, saturated: bool, names: fn(u128) -> String) -> Measured {
    let port = Watched::Taken { valid: "request_valid", ready: "request_ready", code: Some("request_operation") };
    Measured { block, what, port, saturated, names }
}

/// All that is measured.
pub const MEASURED: [Measured; 7] = [
    Measured {
        block: "token_deque",
        what: "queue operations",
        port: Watched::Taken { valid: "operation_valid", ready: "operation_ready", code: Some("operation_code") },
        saturated: true,
        names: queue_operation,
    },
    requests("divergence_unit", "instructions", true, engine_operation),
    requests("tree_divergence_table", "instructions", true, engine_operation),
    requests("group_divergence_table", "instructions of a group", true, engine_operation),
    requests("barrier_scheduler", "requests", false, |code| {
        BarrierOperation::REQUESTS.get(code as usize).map_or_else(String::new, |operation| format!("{operation:?}"))
    }),
    Measured {
        block: "work_distributor",
        what: "sets of blocks, in cycles in which a grid is at work and a core is ready",
        port: Watched::Given { valid: "block_valid", busy: "busy", ready: "core_ready" },
        saturated: false,
        names: |_| String::new(),
    },
    Measured {
        block: "context_sequencer",
        what: "accesses to local memory",
        port: Watched::Taken { valid: "access_valid", ready: "access_ready", code: None },
        saturated: false,
        names: |_| String::new(),
    },
];

fn queue_operation(code: u128) -> String {
    use QueueOperation::{Clear, Find, PopFront, PushBack, PushFront, Yield};
    let named =
        [PopFront, PushFront, PushBack, Yield, Find, Clear].into_iter().find(|operation| *operation as u128 == code);
    named.map_or_else(String::new, |operation| format!("{operation:?}"))
}

fn engine_operation(code: u128) -> String {
    Operation::ALL.get(code as usize).map_or_else(String::new, |operation| format!("{operation:?}"))
}

/// A block at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The block.
    pub block: &'static str,
    /// The point.
    pub point: &'static str,
    /// What is counted.
    pub what: &'static str,
    /// Its parameters, by name.
    pub parameters: Vec<(&'static str, u64)>,
    /// All operations.
    pub total: Cost,
    /// Each by itself, by name; empty if the block has but one.
    pub operations: Vec<(String, Cost)>,
}

/// What some operations took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Operations that were taken.
    pub operations: u64,
    /// Cycles in which one was offered; in a total of saturated traffic, all cycles.
    pub cycles: u64,
    /// Cycles of an operation; the physical limit is 1.
    pub cycles_per_operation: f64,
}

impl From<Tally> for Cost {
    fn from(tally: Tally) -> Self {
        let Tally { taken, offered } = tally;
        Self { operations: taken, cycles: offered, cycles_per_operation: offered as f64 / taken.max(1) as f64 }
    }
}

/// Measures every block of [`MEASURED`] at every point, some `cycles` of lockstep traffic each.
///
/// # Errors
/// Ctrl-C, or a block that does not do what its model does.
pub fn measure(cycles: u64, seed: u64, watch: &dyn Watch) -> Result<Vec<Row>, CliError> {
    let all: Vec<(&Measured, Entry)> = MEASURED
        .iter()
        .flat_map(|measured| {
            points::entries()
                .into_iter()
                .filter(|entry| entry.block == measured.block)
                .map(move |entry| (measured, entry))
        })
        .collect();
    all.par_iter()
        .map(|(measured, entry)| row(measured, entry, Plan { cycles, seed, alone: false, calm: true }, watch))
        .collect()
}

/// How many points there are in all.
pub fn points_measured() -> u64 {
    points::entries().iter().filter(|entry| MEASURED.iter().any(|measured| measured.block == entry.block)).count()
        as u64
}

fn row(measured: &Measured, entry: &Entry, plan: Plan, watch: &dyn Watch) -> Result<Row, CliError> {
    let meter = Meter::new(entry, measured.port);
    let outcome = campaign::run(entry, &meter, plan, None, watch)?;
    if let Some(found) = outcome.failure {
        return Err(CliError::Check(format!("{} {} is wrong: {}", entry.block, entry.point, found.what)));
    }
    let tallies = meter.tallies();
    let mut total = tallies.values().copied().fold(Tally::default(), Tally::plus);
    if measured.saturated {
        total.offered = meter.cycles();
    }
    let named = |(code, tally): (&u128, &Tally)| ((measured.names)(*code), Cost::from(*tally));
    let operations = tallies.iter().filter(|(_, tally)| tally.taken > 0).map(named);
    Ok(Row {
        block: entry.block,
        point: entry.point,
        what: measured.what,
        parameters: entry.parameters.to_vec(),
        total: total.into(),
        operations: operations.filter(|(name, _)| !name.is_empty()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Quiet;

    impl Watch for Quiet {
        fn passed(&self, _: u64) -> bool {
            true
        }
    }

    fn at(block: &str, point: &str, cycles: u64) -> Row {
        let measured = MEASURED.iter().find(|measured| measured.block == block).expect("it is measured");
        let entry = points::find(block, point).expect("the point exists");
        row(measured, &entry, Plan { cycles, seed: 3, alone: false, calm: true }, &Quiet).expect("it is right")
    }

    /// DQ-40: with nobody in its way, an instruction without control flow is taken in the cycle in which it is offered, or in the next while
    /// the sequencer writes an address; nothing is faster than one a cycle, and what leaves a region may unwind.
    #[test]
    fn dq_40_instructions_of_the_deque() {
        let row = at("divergence_unit", "1x32x8", 20_000);
        let cost = |name: &str| row.operations.iter().find(|(found, _)| found == name).expect("it was met").1;
        assert!(row.operations.iter().all(|(_, cost)| cost.cycles >= cost.operations), "{row:?}");
        assert!(cost("Leave").cycles_per_operation >= cost("Step").cycles_per_operation, "{row:?}");
        assert!(row.total.operations > 1_000, "{row:?}");
    }

    /// CX-04: an access is taken at once, but while its group is stopped or the table is being written; the measure counts operations once.
    #[test]
    fn cx_04_accesses_are_counted_once() {
        let row = at("context_sequencer", "4", 20_000);
        assert!(
            row.operations.is_empty() && row.total.cycles >= row.total.operations && row.total.operations > 100,
            "{row:?}"
        );
    }

    /// WD-02: no more than a set a cycle.
    #[test]
    fn wd_02_sets_of_blocks() {
        let row = at("work_distributor", "1x1", 20_000);
        assert!(row.total.cycles_per_operation >= 1.0 && row.total.operations > 100, "{row:?}");
    }
}
