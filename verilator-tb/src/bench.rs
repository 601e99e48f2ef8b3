//! `cargo tb bench`: how fast our export runs under Verilator, beside the stock back end's Verilog of the same kernels, a block
//! written by hand, and the kernels in the Rust simulation.
//!
//! For each of [`CONTESTS`] all run one recorded stimulus through the same shim: pins in, settle, pins out, edge. The control core runs a
//! whole kernel instead ([`kernels`]), beside its blocks and its model.

pub mod contestants;
pub mod kernels;
pub mod trace;

use crate::error::{Error, Result};
use crate::verilated::{Model, Options, Source, Start};
use contestants::{Contest, CONTESTS};
use heddle_hdl::simulation::Simulation;
use serde::Serialize;
use std::time::{Duration, Instant};
use trace::{Divergence, Trace};

/// Cycles of the recorded stimulus; it is replayed again and again.
const RECORDED: usize = 20_000;
/// Measurements of each contestant, interleaved with those of the others.
const ROUNDS: usize = 5;
/// Turns that each contestant takes in a measurement.
const TURNS: u64 = 20;
/// The Rust simulation runs so many times fewer cycles.
const KERNELS_DIVISOR: u64 = 20;
/// No undefined values to be found, no waveform, no coverage: as fast as it goes.
const THROUGHPUT: Options = Options { random_state: false, trace: false, coverage: false, quick: false };

/// What `cargo tb bench` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct BenchArguments {
    /// Cycles of each measurement.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..))]
    pub cycles: u64,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A contestant's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The block.
    pub block: &'static str,
    /// `export`, `stock`, `handwritten` or `kernels`; of the control core `export`, `kernels`, `blocks` or `model`.
    pub name: &'static str,
    /// Median of the measurements.
    pub cycles_per_second: f64,
}

/// What is printed with `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `heddle-bench/2`.
    pub schema: &'static str,
    /// The contestants.
    pub rows: Vec<Row>,
    /// Blocks that rust-hdl's own Verilog computes wrongly, and where: there is nothing to measure.
    pub wrong: Vec<Wrong>,
}

/// Verilog of rust-hdl's own back end that does other work than the kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// The block.
    pub block: &'static str,
    /// The first port that differs, and its cycle.
    pub what: String,
}

impl Report {
    /// Speed of `first` over that of `second`, of a block.
    pub fn ratio(&self, block: &str, first: &str, second: &str) -> Option<f64> {
        let speed = |name: &str| {
            self.rows.iter().find(|row| row.block == block && row.name == name).map(|row| row.cycles_per_second)
        };
        Some(speed(first)? / speed(second)?)
    }
}

/// Makes a simulation in its first state.
type Maker = Box<dyn Fn() -> Box<dyn Simulation>>;

/// Measures every contest.
///
/// # Errors
/// Those of [`contest`] and of [`kernels::measure`].
pub fn measure(cycles: u64) -> Result<Report> {
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for one in &CONTESTS {
        rows.extend(contest(one, cycles, &mut wrong)?);
    }
    rows.extend(kernels::measure(cycles)?);
    Ok(Report { schema: "heddle-bench/2", rows, wrong })
}

/// Measures a block. The stock back end mistranslates some kernels without a word; such a text goes to `wrong`.
///
/// # Errors
/// A missing tool, Verilog that Verilator refuses, or hand-written Verilog that does not do what the export does.
fn contest(contest: &Contest, cycles: u64, wrong: &mut Vec<Wrong>) -> Result<Vec<Row>> {
    let entry = contest.entry()?;
    let export = Model::build(&Source::of(&entry)?, &THROUGHPUT)?;
    let trace = (contest.record)(&entry, &mut export.simulation(Start::Pattern), RECORDED)?;
    let mut contestants: Vec<(&'static str, u64, Maker)> = Vec::new();
    contestants.push(("export", cycles, Box::new(move || Box::new(export.simulation(Start::Pattern)))));
    for (name, source) in [("stock", contestants::stock(&entry)), ("handwritten", contest.handwritten()?)] {
        let model = Model::build(&source, &THROUGHPUT)?;
        if let Some(differs) = trace.compare(&mut model.simulation(Start::Pattern)) {
            let Divergence { port, replayed, recorded, cycle } = differs;
            let what = format!("{port} is {replayed:#x}, not {recorded:#x}, in cycle {cycle}");
            if name == "stock" {
                wrong.push(Wrong { block: contest.block, what });
                continue;
            }
            return Err(Error::Check {
                what: format!("{name} {} does other work than the export: {what}", contest.block),
                hint: "a comparison of speeds would say nothing; make them equal first".to_string(),
            });
        }
        contestants.push((name, cycles, Box::new(move || Box::new(model.simulation(Start::Pattern)))));
    }
    contestants.push(("kernels", (cycles / KERNELS_DIVISOR).max(1), Box::new(entry.simulate)));

    let mut speeds = vec![Vec::with_capacity(ROUNDS); contestants.len()];
    for _ in 0..ROUNDS {
        for (speeds, speed) in speeds.iter_mut().zip(round(&trace, &contestants)) {
            speeds.push(speed);
        }
    }
    let row = |((name, ..), speeds): (&(&'static str, u64, Maker), _)| Row {
        block: contest.block,
        name,
        cycles_per_second: median(speeds),
    };
    Ok(contestants.iter().zip(speeds).map(row).collect())
}

/// Runs every contestant once, in turns, so that what else the machine does meets all of them alike: cycles a second of each.
fn round(trace: &Trace, contestants: &[(&'static str, u64, Maker)]) -> Vec<f64> {
    let mut simulations: Vec<_> = contestants.iter().map(|(_, _, start)| start()).collect();
    let mut times = vec![Duration::ZERO; contestants.len()];
    for turn in 0..TURNS {
        for ((simulation, time), (_, cycles, _)) in simulations.iter_mut().zip(&mut times).zip(contestants) {
            let (from, to) = (cycles * turn / TURNS, cycles * (turn + 1) / TURNS);
            let begin = Instant::now();
            trace.replay(&mut **simulation, from as usize, (to - from) as usize);
            *time += begin.elapsed();
        }
    }
    contestants.iter().zip(times).map(|((_, cycles, _), time)| *cycles as f64 / time.as_secs_f64()).collect()
}

/// The middle one of an odd number of values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The command.
///
/// # Errors
/// Those of [`measure`].
pub fn bench(arguments: &BenchArguments) -> miette::Result<()> {
    let report = measure(arguments.cycles)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::Internal { place: "bench".to_string(), cause: error.to_string() })?;
        anstream::println!("{text}");
        return Ok(());
    }
    for row in &report.rows {
        anstream::println!("{:<14} {:<12} {:>8.3} million cycles/s", row.block, row.name, row.cycles_per_second / 1e6);
    }
    for Contest { block, .. } in &CONTESTS {
        for (first, second) in [("export", "handwritten"), ("stock", "handwritten"), ("export", "stock")] {
            if let Some(ratio) = report.ratio(block, first, second) {
                anstream::println!("{block:<14} {:<24} {ratio:.2}", format!("{first} / {second}"));
            }
        }
    }
    for (first, second) in [("export", "model"), ("kernels", "model"), ("kernels", "blocks")] {
        if let Some(ratio) = report.ratio(kernels::BLOCK, first, second) {
            anstream::println!("{:<14} {:<24} {ratio:.2}", kernels::BLOCK, format!("{first} / {second}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-06: the median ignores outliers, and ratios are of the named rows.
    #[test]
    fn ux_06_medians_and_ratios() {
        assert_eq!(median(vec![5.0, 1.0, 100.0, 2.0, 3.0]), 3.0);
        let row = |name, cycles_per_second| Row { block: "token_deque", name, cycles_per_second };
        let rows = vec![row("export", 6.0), row("handwritten", 4.0)];
        let report = Report { schema: "heddle-bench/2", rows, wrong: Vec::new() };
        assert_eq!(report.ratio("token_deque", "export", "handwritten"), Some(1.5));
        assert_eq!(report.ratio("token_deque", "export", "stock"), None);
        assert_eq!(report.ratio("plain_barrier", "export", "handwritten"), None);
    }
}
