//! Whole kernels: how many cycles of a core each form of it runs in a second, lanes and memories included.
//!
//! All run the same kernel to its right result, so the rows compare as ratios. `model` is the machine around the reference model.

use super::{median, Row, ROUNDS, THROUGHPUT};
use crate::engine::VERILATED;
use crate::error::{Error, Result};
use crate::verilated::{Model, Source, Start};
use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides};
use heddle_sim::control_core::{ControlCore, CoreMachine};
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::kernels;
use heddle_sim::launch::Shape;
use heddle_sim::machine::{Machine, Outcome, RunOptions, Verdict};
use heddle_sim::model::DivergenceUnit;
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::elaborated;
use std::time::Instant;

/// The block of these rows.
pub const BLOCK: &str = "control_core";

/// Loops that diverge in nearly every turn, on all warps: what a core is for.
const KERNEL: &str = "mandelbrot";

/// Runs the kernel once.
type Run<'a> = Box<dyn Fn(&Kernel, &Launch) -> Result<Outcome> + 'a>;

/// A machine around an engine of blocks.
fn on_blocks(engine: Box<dyn Engine>, rtl: bool, kernel: &Kernel, launch: &Launch) -> Result<Outcome> {
    let machine = Machine::new(kernel, launch, engine, RunOptions::default()).map_err(wrong)?;
    let machine = match rtl {
        true => machine.with_distributor(launch, elaborated::build_distributor(Shape::CORE).map_err(wrong)?),
        false => machine,
    };
    Ok(machine.run(&|| false, &mut |_| ()))
}

/// A machine around a whole core.
fn on_core(core: Box<dyn ControlCore>, kernel: &Kernel, launch: &Launch) -> Result<Outcome> {
    let machine = CoreMachine::new(kernel, launch, core, RunOptions::default()).map_err(wrong)?;
    Ok(machine.run(&|| false, &mut |_| ()))
}

fn wrong(cause: impl std::fmt::Display) -> Error {
    Error::Internal { place: format!("bench, kernel {KERNEL}"), cause: cause.to_string() }
}

/// Measures every form, for at least `cycles` cycles of the Verilated core and fewer of the slower ones.
///
/// # Errors
/// A missing tool, Verilog that Verilator refuses, or a run that does not end with the right memory.
pub fn measure(cycles: u64) -> Result<Vec<Row>> {
    let shipped = kernels::find(KERNEL).ok_or_else(|| wrong("it does not ship"))?;
    let kernel = assemble(shipped.text, shipped.file_name).map_err(wrong)?;
    let launch = kernel.launch(&Overrides::default()).map_err(wrong)?;
    let configuration = Configuration::default();
    let setup = |launch: &Launch| CoreMachine::setup(&kernel, launch, configuration, &RunOptions::default());
    let point = elaborated::core_point(&setup(&launch), VERILATED.name).map_err(wrong)?;
    let model = Model::build(&Source::of(&point)?, &THROUGHPUT)?;
    let forms: [(&'static str, u64, Run<'_>); 4] = [
        (
            "export",
            cycles,
            Box::new(|kernel, launch| {
                let simulation = model.simulation(Start::Pattern);
                on_core(Box::new(RtlCore::new(simulation, "export", setup(launch))), kernel, launch)
            }),
        ),
        (
            "kernels",
            cycles / 20,
            Box::new(|kernel, launch| on_core(elaborated::build_core(&setup(launch)).map_err(wrong)?, kernel, launch)),
        ),
        (
            "blocks",
            cycles / 20,
            Box::new(|kernel, launch| {
                on_blocks(elaborated::build(&configuration).map_err(wrong)?, true, kernel, launch)
            }),
        ),
        (
            "model",
            cycles,
            Box::new(|kernel, launch| {
                on_blocks(Box::new(DivergenceUnit::windowed(configuration)), false, kernel, launch)
            }),
        ),
    ];
    let mut speeds = vec![Vec::with_capacity(ROUNDS); forms.len()];
    for _ in 0..ROUNDS {
        for (speeds, (name, cycles, run)) in speeds.iter_mut().zip(&forms) {
            let (begin, mut done) = (Instant::now(), 0);
            while done < *cycles {
                let outcome = run(&kernel, &launch)?;
                if outcome.verdict != Verdict::Completed || !kernel.check(&launch, &outcome.global).is_empty() {
                    return Err(wrong(format!("{name} ends with {:?}, or with wrong memory", outcome.verdict)));
                }
                done += outcome.counters.cycles;
            }
            speeds.push(done as f64 / begin.elapsed().as_secs_f64());
        }
    }
    let rows = forms.iter().zip(speeds);
    Ok(rows.map(|((name, ..), speeds)| Row { block: BLOCK, name, cycles_per_second: median(speeds) }).collect())
}
