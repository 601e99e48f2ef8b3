//! The experiment in small: the reference passes, each deliberate defect is found, failures shrink, are kept and replay.

use super::broken_engines::{BrokenEngine, Defect};
use super::campaign::{batch, run_many, Campaign, Prepared};
use super::program::Class;
use super::warp_runner::run;
use super::{replay, CaseFile};
use crate::engine::{Configuration, Engine};
use crate::model::{DequeModel, DivergenceUnit};
use rstest::rstest;

fn model(configuration: &Configuration) -> Box<dyn Engine> {
    Box::new(DequeModel::new(*configuration))
}

/// XV-03, DQ-20, DQ-21, DQ-22, DQ-23, DQ-24, DQ-25, DQ-26, DQ-27, DQ-28, DQ-29, DQ-30, DQ-31, DQ-32: on random programs of both classes,
/// under every policy and in both modes, each thread does on the model what it does alone.
#[rstest]
fn xv_03_the_model_equals_the_threads_alone(
    #[values(Class::Structured, Class::Goto)] class: Class,
    #[values(32, 64, 5)] threads: usize,
) {
    let campaign = Campaign::new(1, 1500, class, Configuration { threads, ..Configuration::default() });
    let summary = run_many(&campaign, &model, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    let statistics = summary.statistics;
    assert!(summary.programs[&class] >= 1500);
    // The interesting things have to happen, or the experiment says nothing.
    assert!(statistics.diverged > 700 && statistics.yielded > 2000 && statistics.merged > 500, "{statistics:?}");
    assert!(statistics.discarded > 1000, "{statistics:?}");
}

/// DQ-08, DQ-11, DQ-12, DQ-13, XV-03: with windows of 4 entries and the software driver the same programs do the same.
#[rstest]
fn dq_13_windows_change_nothing(#[values(Class::Structured, Class::Goto)] class: Class) {
    let base = Configuration { depth: 4, spill_limit: 8000, ..Configuration::default() };
    let factory =
        |configuration: &Configuration| -> Box<dyn Engine> { Box::new(DivergenceUnit::windowed(*configuration)) };
    let campaign = Campaign::new(2, 1000, class, base);
    let summary = run_many(&campaign, &factory, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    let statistics = summary.statistics;
    let handled = [statistics.recentered, statistics.spilled, statistics.refilled];
    assert!(handled.iter().all(|count| *count > 500), "{statistics:?}");
    let unbounded = run_many(&campaign, &model, &|_| {}).unwrap_or_else(|failure| panic!("{failure}")).statistics;
    assert_eq!((statistics.popped, statistics.discarded), (unbounded.popped, unbounded.discarded));
}

/// Programs of some batches that go wrong on a defective engine.
fn failing(defect: Defect, class: Class, batches: u64) -> usize {
    let campaign = Campaign::new(3, 0, class, Configuration::default());
    let programs = (0..batches).map(|number| batch(&campaign, number)).flat_map(|(configuration, programs, _)| {
        let wrong =
            move |prepared: &Prepared| run(&mut BrokenEngine::new(&configuration, defect), &[prepared.job()]).is_err();
        programs.into_iter().map(move |prepared| wrong(&prepared))
    });
    programs.filter(|wrong| *wrong).count()
}

/// XV-03, DQ-07, DQ-23, DQ-25, DQ-28, DQ-31: the oracle finds every deliberate defect, the literal reading of the source among them.
#[rstest]
fn xv_03_every_defect_is_found(
    #[values(
        Defect::Literal,
        Defect::BranchAtOnce,
        Defect::NoAddressTest,
        Defect::ReviveExited,
        Defect::MergeAnywhere,
        Defect::IndirectGoesOn,
        Defect::LosesOneToken
    )]
    defect: Defect,
) {
    let found: usize = Class::ALL.into_iter().map(|class| failing(defect, class, 30)).sum();
    assert!(found > 5, "{defect:?}: only {found} of {} programs went wrong", 2 * 30 * 32);
}

/// DQ-28: while a region's token is in the queue, only threads of its mask are ever active, for whoever runs was active at the push or
/// waits further in front. So without barriers (SM-07) the mask test changes nothing: an engine that leaves it out is not wrong.
#[test]
fn dq_28_the_mask_test_is_implied() {
    assert_eq!(Class::ALL.map(|class| failing(Defect::NoMaskTest, class, 30)), [0, 0]);
}

/// XV-02, XV-03: a failure is named by its seed, shrunk, kept in a file, and fails again from there; the sound model passes it.
#[test]
fn xv_02_failures_shrink_and_replay() {
    let folder = tempfile::tempdir().unwrap();
    let broken = |configuration: &Configuration| -> Box<dyn Engine> {
        Box::new(BrokenEngine::new(configuration, Defect::NoAddressTest))
    };
    let mut campaign = Campaign::new(4, 2000, Class::Structured, Configuration::default());
    campaign.failures = Some(folder.path().into());
    let failure = run_many(&campaign, &broken, &|_| {}).unwrap_err();
    let [program] = failure.case.programs.as_slice() else { panic!("it fails alone") };
    assert!(program.code.len() <= 40, "{failure}");
    assert!(failure.to_string().contains("seed 4"), "{failure}");
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(CaseFile::load(&files[0]).unwrap(), failure.case);
    assert!(failure.replay.contains(files[0].to_str().unwrap()));
    assert!(replay(&files[0], broken).unwrap_err().to_string().contains("still goes wrong"));
    replay(&files[0], model).unwrap();
}

/// XV-02: a file that is missing or damaged is named with what is wrong in it.
#[test]
fn xv_02_bad_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.json");
    assert!(replay(&missing, model).unwrap_err().to_string().contains("missing.json: "));
    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, "{\"seed\": 1").unwrap();
    assert!(replay(&damaged, model).unwrap_err().to_string().contains("is not a saved case"));
}

/// XV-03: a batch is made again from its seed and number alone, and batches differ.
#[test]
fn xv_03_batches_can_be_made_again() {
    for class in Class::ALL {
        let campaign = Campaign::new(5, 0, class, Configuration::default());
        let programs =
            |number| batch(&campaign, number).1.into_iter().map(|prepared| prepared.program).collect::<Vec<_>>();
        assert_eq!(programs(7), programs(7));
        assert_ne!(programs(7), programs(8));
    }
}

/// XV-03, at the size of the claim: `cargo test -p heddle-sim --lib -- --ignored --nocapture the_experiment`.
#[test]
#[ignore = "a quarter of a million programs take minutes: scripts/nightly runs them"]
fn the_experiment() {
    let started = std::time::Instant::now();
    for class in Class::ALL {
        for (seed, threads, warps) in [(2026, 32, 4), (2027, 64, 4), (2028, 32, 1)] {
            let base = Configuration { threads, warps, ..Configuration::default() };
            let campaign = Campaign::new(seed, 50_000, class, base);
            let summary = run_many(&campaign, &model, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
            println!("{} {threads} threads: {summary:?} after {:?}", class.name(), started.elapsed());
        }
        for defect in Defect::ALL {
            let found = failing(defect, class, 300);
            println!("{} {defect:?}: {found} of {} wrong", class.name(), 300 * 32);
            assert_eq!(found == 0, defect == Defect::NoMaskTest, "{defect:?}: {found}");
        }
        let campaign = Campaign::new(2026, 0, class, Configuration { warps: 1, ..Configuration::default() });
        let mut marks: Vec<_> = (0..300)
            .map(|number| batch(&campaign, number))
            .flat_map(|(configuration, programs, _)| programs.into_iter().map(move |program| (configuration, program)))
            .map(|(configuration, prepared)| {
                let mut engine = DequeModel::new(configuration);
                run(&mut engine, &[prepared.job()]).unwrap();
                engine.high_water(0)
            })
            .collect();
        marks.sort_unstable();
        let mark = |per_mille: usize| marks[(marks.len() - 1) * per_mille / 1000];
        let name = class.name();
        println!("{name} tokens held: median {}, 99 % {}, most {}", mark(500), mark(990), mark(1000));
    }
}
