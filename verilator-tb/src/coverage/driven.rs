//! What a core's modules bear where they are driven by themselves (XV-08): of `warp_scheduler`, `barrier_queue`, `barrier_answers` and `wake_queue`, any inputs that their proofs assume, as mutation drives
//! them. Programs bring a queue short of its last places, which it is claimed to bear.

use super::points::Points;
use super::{Collected, Counted};
use crate::core_mutation::driver::DRIVERS;
use crate::lockstep::campaign::Plan;
use crate::mutation::hierarchy::module_of;
use crate::verilated::{Model, Options, Source, Start};
use heddle_sim::cli::error::CliError;
use std::sync::Arc;

/// Cycles for each of them, at most: within 20,000 their queues have filled and emptied.
const CYCLES: u64 = 100_000;

/// Drives each of these modules of the core `source`, and adds what that covers of it, and of its parts, to `points`.
///
/// # Errors
/// A missing tool, or a module that is not as its driver knows it.
pub fn add(points: &mut Points, source: &Source, plan: Plan) -> std::result::Result<(), CliError> {
    for driver in &DRIVERS {
        let bench = driver.bench(source)?;
        let model = Model::build(&bench, &Options { coverage: true, quick: true, ..Options::CHECKING })?;
        let collected = Arc::new(Collected::new()?);
        driver.drive(&bench.ports, plan.seed, plan.cycles.min(CYCLES), &mut |episode| {
            let start = if episode % 2 == 0 { Start::Pattern } else { Start::Random(episode) };
            Box::new(Counted { inner: model.simulation(start), collected: collected.clone() })
        });
        let driven = collected.points();
        // The bench is called as the core is, and is not meant.
        for module in bench.files.iter().map(|(file, _)| module_of(file)).filter(|module| *module != bench.top) {
            points.add_module(&driven, module, module, |line| line);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::points::Kind;
    use super::*;
    use heddle_hdl::points;

    /// XV-08: where they are driven by themselves modules of a core run every line, the last places of queues among them, and nothing is said of the core around them.
    #[test]
    fn xv_08_modules_run_every_line_where_they_are_driven() {
        let source = Source::of(&points::find("control_core", "4x32x16").expect("a point")).expect("an export");
        let mut points = Points::default();
        add(&mut points, &source, Plan { cycles: 40_000, seed: 1, alone: true }).expect("they are driven");
        for (part, least) in [("barrier_answers", 12), ("barrier_queue", 90), ("wake_queue", 90)] {
            let module = format!("{}_{part}", source.top);
            let lines = points.iter().filter(|(point, _)| point.module == module && point.kind == Kind::Line);
            let (met, missed): (Vec<_>, Vec<_>) = lines.partition(|(_, count)| *count > 0);
            assert!(met.len() >= least && missed.is_empty(), "{part}: {} lines, not {missed:?}", met.len());
        }
        assert!(points.iter().all(|(point, _)| point.module != source.top));
    }
}
