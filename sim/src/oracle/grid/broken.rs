//! Deliberate defects of schedulers and engines, each of which random grids have to find.

use super::super::broken_engines::{BrokenEngine, Defect};
use super::super::broken_trees::{BrokenTree, TreeDefect};
use super::campaign::{prepare, reference, run_one, EngineKind, GridCampaign, LONGEST_RUN};
use super::generate::GridClass;
use super::runner::{run, Parts};
use crate::barrier::Statics;
use crate::engine::{Configuration, Engine};
use crate::model::barrier::backend::ModelScheduler;
use crate::model::barrier::Fault;
use crate::model::tree::TreeTable;
use rstest::rstest;

fn campaign(seed: u64, engine: EngineKind) -> GridCampaign {
    let base = Configuration { depth: 16, ..Configuration::default() };
    let longest_run = LONGEST_RUN / 3;
    GridCampaign { seed, programs: 0, class: GridClass::Barriers, base, engine: Some(engine), longest_run }
}

/// The first of so many kernels that goes wrong.
fn first_wrong(campaign: &GridCampaign, parts: &Parts<'_>, most: u64) -> Option<u64> {
    (0..most).find(|number| {
        let (configuration, prepared, _) = prepare(campaign, *number);
        run(parts, &configuration, &prepared).is_err()
    })
}

/// XV-03, BR-10, BR-26, BR-32, BR-37, BR-39, BR-40, BR-41, BR-51: a scheduler that is wrong in one of these points leaves another memory, or a hang.
#[rstest]
fn a_broken_scheduler_is_found(
    #[values(
        Fault::ExclusiveIgnored,
        Fault::DoneNotCleared,
        Fault::ExitStillOwed,
        Fault::DoneAtSelection,
        Fault::TransactionsIgnored,
        Fault::ExitStaysInside
    )]
    fault: Fault,
) {
    let scheduler = |size| -> Box<dyn crate::barrier::BarrierScheduler> {
        Box::new(ModelScheduler::with_fault(size, Statics::default(), Some(fault)))
    };
    let parts = Parts { barriers: &scheduler, ..reference() };
    let found = first_wrong(&campaign(2, EngineKind::Deque), &parts, 400);
    assert!(found.is_some(), "{fault:?} went unnoticed");
}

/// XV-03: with barriers, too, a broken engine is found.
#[rstest]
fn a_broken_deque_is_found(
    #[values(Defect::MergeAnywhere, Defect::IndirectGoesOn, Defect::ReviveExited)] defect: Defect,
) {
    let engine =
        |configuration: &Configuration| -> Box<dyn Engine> { Box::new(BrokenEngine::new(configuration, defect)) };
    let parts = Parts { engine: &engine, ..reference() };
    assert!(first_wrong(&campaign(3, EngineKind::Deque), &parts, 200).is_some(), "{defect:?} went unnoticed");
}

/// XV-03: and so is a broken tree.
#[rstest]
fn a_broken_tree_is_found(
    #[values(
        TreeDefect::ArrivesByAddress,
        TreeDefect::SiblingLost,
        TreeDefect::IndirectGoesOn,
        TreeDefect::MergesAnywhere
    )]
    defect: TreeDefect,
) {
    let engine = |configuration: &Configuration| -> Box<dyn Engine> {
        Box::new(BrokenTree::new(TreeTable::new(*configuration), defect))
    };
    let parts = Parts { engine: &engine, ..reference() };
    assert!(first_wrong(&campaign(3, EngineKind::Tree), &parts, 200).is_some(), "{defect:?} went unnoticed");
}

/// XV-02: a failure shrinks to a few statements and threads, and the models run what is left.
#[test]
fn xv_02_grids_shrink() {
    let fault = Some(Fault::DoneAtSelection);
    let scheduler = |size| -> Box<dyn crate::barrier::BarrierScheduler> {
        Box::new(ModelScheduler::with_fault(size, Statics::default(), fault))
    };
    let parts = Parts { barriers: &scheduler, ..reference() };
    let campaign = campaign(2, EngineKind::Deque);
    let number = first_wrong(&campaign, &parts, 400).expect("a kernel that finds it");
    let failure = run_one(&campaign, number, &parts).expect_err("it fails again");
    let (_, original, _) = prepare(&campaign, number);
    let smallest = &failure.case.grid_program;
    assert!(smallest.size() <= 6 && smallest.size() < original.program.size(), "{failure}");
    assert!(smallest.block_threads < original.program.block_threads, "{failure}");
    let text = serde_json::to_string(&failure.case).expect("it can be kept");
    assert_eq!(serde_json::from_str::<super::campaign::GridCase>(&text).expect("and read"), failure.case);
}
