//! The experiment in small, and the interpreter against kernels whose results are known.

use super::campaign::{prepare, reference, run_many, run_one, EngineKind, GridCampaign, LONGEST_RUN};
use super::generate::GridClass;
use super::interpreter::{interpret, Illegal};
use super::runner::run;
use crate::assembler::{assemble, Overrides};
use crate::engine::Configuration;
use crate::kernels;
use rstest::rstest;

fn campaign(seed: u64, programs: u64, class: GridClass) -> GridCampaign {
    let base = Configuration { depth: 16, ..Configuration::default() };
    GridCampaign { seed, programs, class, base, engine: None, longest_run: LONGEST_RUN }
}

/// XV-03: the interpreter, which knows no warps, brings every kernel that ships to the result that its file expects; it refuses those
/// whose threads talk to the others of their warp, and the one that resets barriers at a time of its own.
#[test]
fn the_interpreter_knows_the_kernels_that_ship() {
    let mut refused = Vec::new();
    for shipped in kernels::ALL {
        let kernel = assemble(shipped.text, shipped.file_name).expect("it assembles");
        let launch = kernel.launch(&Overrides::default()).expect("it launches");
        match interpret(&kernel, &launch, 20_000_000) {
            Ok(truth) => assert_eq!(kernel.check(&launch, &truth.global), [], "{}", shipped.name),
            Err(Illegal::Thread { .. }) => refused.push(shipped.name),
            Err(other) => panic!("{}: {other}", shipped.name),
        }
    }
    assert_eq!(refused, ["barrier_reset"]);
}

/// XV-03, SM-05, SM-07: random grids of both classes end on the models as their threads do alone, and what they are about happens.
#[rstest]
#[case(GridClass::Barriers)]
#[case(GridClass::Suspends)]
fn xv_03_random_grids_on_the_models(#[case] class: GridClass) {
    let summary = run_many(&campaign(1, 150, class), &reference()).unwrap_or_else(|failure| panic!("{failure}"));
    let statistics = summary.statistics;
    assert!(summary.programs == 150 && statistics.diverged > 1000 && statistics.yielded > 1000, "{statistics:?}");
    assert!(statistics.on_stack > 10 && statistics.on_deque > 10 && statistics.on_tree > 5, "{statistics:?}");
    match class {
        GridClass::Barriers => {
            let met = [statistics.released, statistics.sections, statistics.dynamic, statistics.timeouts];
            assert!(met.iter().all(|count| *count > 50) && statistics.waits > 50, "{statistics:?}");
            assert!(statistics.skipped > 50, "{statistics:?}");
        }
        GridClass::Suspends => assert!(statistics.suspended > 100 && statistics.copied > 1000, "{statistics:?}"),
    }
}

/// XV-03: a kernel is made again from its seed and number alone; a chosen engine is the one that runs.
#[test]
fn xv_03_grids_can_be_made_again() {
    for class in GridClass::ALL {
        let campaign = GridCampaign { engine: Some(EngineKind::Tree), ..campaign(5, 0, class) };
        let made = |number| prepare(&campaign, number);
        let (configuration, first, _) = made(7);
        assert_eq!(first.program, made(7).1.program);
        assert_ne!(first.program, made(8).1.program);
        assert!(configuration.tree);
        assert_eq!(run(&reference(), &configuration, &first).map(|statistics| statistics.on_tree), Ok(1));
    }
}

/// XV-03, SM-04: 128 threads run a section one by one, which changes no word of memory, while others ask when they may enter the next:
/// that takes longer than the watchdog waits, and is no livelock.
#[test]
fn xv_03_a_long_section_is_no_livelock() {
    let campaign = campaign(2, 0, GridClass::Barriers);
    let (_, long, _) = prepare(&campaign, 380);
    assert_eq!(long.program.block_threads, 128);
    let summary = run_one(&campaign, 380, &reference()).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.statistics.on_tree, 1);
}
