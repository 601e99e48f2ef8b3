//! `cargo tb throughput`: cycles of an operation, per block and point, beside one a cycle.

use crate::lockstep::campaign::Watch;
use crate::throughput::plot::plot;
use crate::throughput::{measure, points_measured, Row};
use clap::Args;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files::write_atomically;
use heddle_sim::cli::interrupt::interrupted;
use heddle_sim::cli::json::Document;
use heddle_sim::cli::output::{grouped, print, print_json, table, ProgressReport};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// The options of `throughput`.
#[derive(Clone, Debug, Args)]
pub struct ThroughputArguments {
    /// Cycles of traffic at each point
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub cycles: u64,
    /// Names all traffic
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Draw the plot into a file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ThroughputDocument<'a> {
    seed: u64,
    rows: &'a [Row],
}

/// Shows the cycles of all points together.
struct Progress {
    done: AtomicU64,
    total: u64,
    bar: Mutex<ProgressReport>,
}

impl Watch for Progress {
    fn passed(&self, cycles: u64) -> bool {
        let done = self.done.fetch_add(cycles, Ordering::Relaxed) + cycles;
        if let Ok(mut bar) = self.bar.lock() {
            bar.update(done.min(self.total), || format!("{} of {} cycles", grouped(done), grouped(self.total)));
        }
        !interrupted()
    }
}

/// Measures all that [`MEASURED`](crate::throughput::MEASURED) names.
///
/// # Errors
/// A file that cannot be written, Ctrl-C, or a block that does not do what its model does.
pub fn run(arguments: &ThroughputArguments) -> Result<(), CliError> {
    let total = arguments.cycles * points_measured();
    let progress = Progress { done: AtomicU64::new(0), total, bar: Mutex::new(ProgressReport::new(Some(total))) };
    let rows = measure(arguments.cycles, arguments.seed, &progress)?;
    drop(progress);
    if let Some(path) = &arguments.svg {
        let text = plot(&rows).map_err(|cause| CliError::Internal(format!("the plot: {cause}")))?;
        write_atomically(path, text.as_bytes())?;
    }
    if arguments.json {
        return print_json(&Document::new(
            "heddle.throughput",
            ThroughputDocument { seed: arguments.seed, rows: &rows },
        ));
    }
    let mut shown = table(&["block", "point", "operations", "cycles", "cycles each", "the dearest"], 2);
    for row in &rows {
        let dearest = row
            .operations
            .iter()
            .max_by(|left, right| left.1.cycles_per_operation.total_cmp(&right.1.cycles_per_operation));
        shown.add_row(vec![
            row.block.to_string(),
            row.point.to_string(),
            grouped(row.total.operations),
            grouped(row.total.cycles),
            format!("{:.2}", row.total.cycles_per_operation),
            dearest.map_or_else(String::new, |(name, cost)| format!("{name} {:.2}", cost.cycles_per_operation)),
        ]);
    }
    print(&format!("{shown}\nThe physical limit is one cycle each.\n"))
}
