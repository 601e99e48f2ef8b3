//! The experiments: the model under random traffic, and whether its defects are found.

use super::*;
use crate::model::barrier::backend::ModelScheduler;
use crate::model::barrier::contract::REACH;
use crate::model::barrier::Fault;
use rayon::prelude::*;

/// Even seeds on the model that takes the first step at once, odd ones on the model that takes any step at any time.
fn run_model(scenario: &Scenario, fault: Option<Fault>) -> Result<Report, Failure> {
    let (size, seed) = (scenario.size, scenario.seed);
    let mut scheduler = ModelScheduler::with_fault(size, scenario.statics, fault);
    let limits = Limits::of(&size);
    if seed % 2 == 0 {
        return run(scenario, &mut scheduler, limits);
    }
    run(scenario, &mut scheduler.randomly(seed), limits.plus(200))
}

/// Runs the seeds; the first failing one is shrunk, printed, and repeats with `seed..seed + 1`.
fn campaign(seeds: std::ops::Range<u64>, size: Size) -> Report {
    let outcomes: Vec<(u64, Result<Report, Failure>)> =
        seeds.into_par_iter().map(|seed| (seed, run_model(&scenario(seed, size), None))).collect();
    let mut total = Report::default();
    for (seed, outcome) in outcomes {
        match outcome {
            Ok(report) => total.add(&report),
            Err(failure) => {
                let small = shrink(&scenario(seed, size), |candidate| run_model(candidate, None).is_err());
                let again = run_model(&small, None).err();
                panic!("seed {seed} at {size}: {failure}\nshrunk: {small:#?}\nwhich fails with {again:?}");
            }
        }
    }
    total
}

fn assert_reach(total: &Report) {
    let missed: Vec<_> = REACH.iter().filter(|name| !total.met.contains_key(**name)).collect();
    assert!(missed.is_empty(), "never met: {missed:?}; met: {:#?}", total.met);
}

/// XV-02, BR-40, BR-41, BR-42: the model keeps the contract under random traffic of all kinds, and the traffic meets all of them.
#[test]
fn br_40_41_42_model_keeps_the_contract() {
    let mut total = campaign(0..2000, Size::SMALL);
    total.add(&campaign(0..48, Size::MEDIUM));
    total.add(&campaign(0..8, Size::LARGE));
    assert_reach(&total);
}

/// XV-02, BR-35: 16 slots are occupied, and all 128 barriers are dynamic at the same time.
#[test]
fn br_35_everything_full() {
    let mut total = Report::default();
    for seed in [13, 15, 29, 31] {
        total.add(&campaign(seed..seed + 1, Size::MEDIUM));
    }
    assert!(total.met.contains_key("all slots occupied"));
    assert!(total.met.contains_key("every barrier dynamic at once"));
}

/// XV-02: 60,000 runs; minutes of it, for the nightly.
#[test]
#[ignore = "minutes of random traffic: scripts/nightly runs it"]
fn br_40_41_42_model_keeps_the_contract_for_long() {
    let mut total = campaign(0..58_000, Size::SMALL);
    total.add(&campaign(0..1800, Size::MEDIUM));
    total.add(&campaign(0..200, Size::LARGE));
    assert_reach(&total);
    println!("{total:#?}");
}

/// BR-42, CX-10: all 512 threads of a CTA pass a bottom that waits for all, one by one, while the CTA leaves and comes back: nobody ends a step
/// for more than 60,000 cycles, and that is no hang.
#[test]
fn br_42_a_large_cta_that_is_suspended_again_and_again_ends() {
    let size = Size::LARGE;
    let drawn = scenario(0, size);
    let site = Site {
        barrier: 4,
        tag: 0x100,
        after: 0x108,
        critical: true,
        ordered: false,
        exclusive: false,
        blocking: true,
        impatient: false,
        participation: Participation::All,
    };
    let plan = CtaPlan {
        threads: size.threads(),
        map: (0..size.blocks).rev().collect(),
        configurations: vec![Configuration::default(); size.barriers],
        resettable: Vec::new(),
        hung: Vec::new(),
        sites: vec![site],
        steps: vec![Action::Top(0)],
        exits: 0,
    };
    let ctas = (0..size.ctas).map(|cta| if cta == 5 { vec![plan.clone()] } else { Vec::new() }).collect();
    let (partial, probes, resets) = (0, 0, 0);
    let knobs = Knobs { offer: 100, wake_stall: 0, partial, pause: 1, stay: 120, probes, resets, ..drawn.knobs };
    let knobs = Knobs { first_stay: 0, begin: 0, hush: 0, suspends: 30, passes: false, ..knobs };
    let report = run_model(&Scenario { ctas, knobs, ..drawn }, None).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(report.cycles > 70_000, "{report:?}");
}

/// XV-02: the same seed gives the same run.
#[test]
fn xv_02_a_seed_replays() {
    for seed in [3, 8, 15] {
        let scenario = scenario(seed, Size::SMALL);
        assert_eq!(run_model(&scenario, None), run_model(&scenario, None));
    }
}

/// The seeds that a defect is given to show itself.
const SEEDS_FOR_A_DEFECT: u64 = 4000;

/// The first seed that finds a defect, and how.
fn first_failure(fault: Fault) -> Option<(u64, Failure)> {
    (0..SEEDS_FOR_A_DEFECT)
        .find_map(|seed| run_model(&scenario(seed, Size::SMALL), Some(fault)).err().map(|failure| (seed, failure)))
}

/// XV-11: contract and traffic find every deliberate defect, the literal readings of the source among them.
#[test]
fn xv_11_every_defect_is_found() {
    let missed: Vec<Fault> = Fault::ALL
        .into_par_iter()
        .filter(|fault| {
            let found = first_failure(*fault);
            let text = found.as_ref().map_or("nobody".into(), |(seed, failure)| format!("seed {seed}: {failure}"));
            println!("{fault:?} found by {}", text.chars().take(160).collect::<String>());
            found.is_none()
        })
        .collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// BR-40, BR-41: defects of exclusion, order and counting are found by the rule that they break, not by a later consequence.
#[test]
fn br_40_41_defects_break_the_rule_that_states_them() {
    let rule = |fault: Fault| match first_failure(fault) {
        Some((_, Failure::Contract(breach))) => breach.rule,
        Some((_, Failure::Hang { .. })) => "hang",
        other => panic!("{fault:?}: {other:?}"),
    };
    assert!(["BR-40", "BR-41"].contains(&rule(Fault::DoubleWake)));
    assert_eq!(rule(Fault::ExclusiveIgnored), "BR-37");
    assert_eq!(rule(Fault::ExclusiveInsideUngated), "BR-40");
    assert_eq!(rule(Fault::PhysicalOrder), "BR-31");
    assert_eq!(rule(Fault::LostRescan), "BR-33");
    assert_eq!(rule(Fault::IdleDespiteArrival), "BR-33");
    assert_eq!(rule(Fault::DoneAtSelection), "BR-33");
    assert_eq!(rule(Fault::ReleaseOverlaps), "BR-45");
    assert_eq!(rule(Fault::PortBlocks), "hang");
}

/// XV-02: shrinking keeps the failure and drops what has nothing to do with it.
#[test]
fn xv_02_shrinks_a_failure() {
    let fails = |candidate: &Scenario| matches!(run_model(candidate, Some(Fault::PhysicalOrder)), Err(Failure::Contract(breach)) if breach.rule == "BR-31");
    let failing = (0..SEEDS_FOR_A_DEFECT).map(|seed| scenario(seed, Size::SMALL)).find(|one| fails(one)).unwrap();
    let small = shrink(&failing, fails);
    let steps = |scenario: &Scenario| scenario.ctas.iter().flatten().map(|plan| plan.steps.len()).sum::<usize>();
    assert!(fails(&small));
    assert!(steps(&small) <= 2 && small.ctas.iter().flatten().count() == 1, "{small:#?}");
}
