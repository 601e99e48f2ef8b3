//! Mistakes are drawn, told beforehand, and told by cores, as they should be.

use super::*;
use crate::core_lockstep::episode::{Episode, Topic, Work};
use crate::core_lockstep::trial::{Told, Trial};
use crate::core_lockstep::{CORES, SUSPENDING};
use crate::lockstep::rig::Contestant;
use crate::verilated::Start;
use heddle_hdl::points::{self, Entry};
use heddle_sim::rtl::elaborated::build_core;
use rand::SeedableRng;
use std::collections::BTreeMap;

fn smallest(core: &str) -> Entry {
    points::entries().into_iter().find(|entry| entry.block == core).expect("a point")
}

/// XV-02, BR-06, BR-19, BR-50, BR-51, DQ-12, DQ-29: whatever is drawn ends on the models with the mistake that it is to make; of each there are some, but on a tree nothing runs full.
#[test]
fn xv_02_mistakes_are_those_that_are_drawn() {
    for core in CORES {
        let configuration = Configuration::of(&smallest(core));
        let mut drawn = Vec::new();
        for (seed, stack_mode) in (0..400).map(|seed| (seed, seed % 5 == 2 && !configuration.tree)) {
            let configuration = Configuration { stack_mode, ..configuration };
            let mistakes = draw(&mut ChaCha8Rng::seed_from_u64(seed), &configuration, core == SUSPENDING);
            mistakes.prepare(&configuration).unwrap_or_else(|what| panic!("{core}, seed {seed}: {what}"));
            drawn.push(mistakes);
        }
        let mut times = BTreeMap::new();
        drawn.iter().for_each(|drawn| *times.entry(format!("{:?}", drawn.mistake)).or_insert(0) += 1);
        assert!(times.len() == 8 - usize::from(configuration.tree) && times.values().all(|times| *times > 10));
        let some = |what: &dyn Fn(&Mistakes) -> bool| assert!(drawn.iter().filter(|drawn| what(drawn)).count() > 8);
        some(&|drawn| drawn.guilty.0 > 0);
        some(&|drawn| drawn.guilty.1 > 32 && drawn.guilty.2 > 8);
        some(&|drawn| drawn.phases == PHASES && drawn.transactions.1 > 8);
        some(&|drawn| drawn.delay > 8);
        some(&|drawn| drawn.lag > 8 && drawn.phases > 0);
        let suspended = drawn.iter().filter(|drawn| drawn.suspend.is_some());
        assert!(suspended.clone().all(|drawn| drawn.mistake.is_none()));
        assert_eq!(suspended.count() > 8, core == SUSPENDING);
    }
}

/// XV-02: where nobody is at fault, although somebody is to be, or nobody is to be and a transaction is too many, it is no test; where nobody is, words in memory count.
#[test]
fn xv_02_what_ends_otherwise_is_no_test() {
    let configuration = Configuration::of(&smallest("control_core"));
    let right = Mistakes {
        ctas: 1,
        block_threads: 8,
        spill_limit: LIMITS.1,
        phases: 1,
        lag: 0,
        transactions: (8, 7),
        delay: 0,
        mistake: None,
        guilty: (0, 7, 1),
        suspend: None,
    };
    let mut prepared = [right.prepare(&configuration).expect("a test")];
    let build = |setup: &Setup| build_core(setup).expect("the core is elaborated");
    assert_eq!(run(&prepared, &build).map(|told| told.errors()), Ok(0));
    prepared[0].truth.global[0] ^= 1;
    assert!(run(&prepared, &build).is_err_and(|what| what.contains("other words")));
    let wrong = Mistakes { mistake: Some(Mistake::Lost), ..right.clone() };
    wrong.prepare(&configuration).expect("a test");
    let nobody = Mistakes { guilty: (0, 7, 0), ..wrong };
    let too_many = Mistakes { block_threads: 64, transactions: (64, 63), ..right };
    for no_test in [nobody, too_many] {
        assert!(no_test.prepare(&configuration).is_err_and(|what| what.contains("is to happen")), "{no_test:?}");
    }
}

/// XV-02, BR-19, DQ-26: each of them is told by a core as the models tell it, in rough surroundings, too; and so is what is left of it when it is shrunk.
#[test]
fn xv_02_a_core_tells_of_mistakes() {
    for core in CORES {
        let entry = smallest(core);
        let simulations = || vec![Contestant::kernels(&entry)];
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
        let mut errors = BTreeMap::new();
        let episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        for episode in episodes.filter(|episode| episode.topic == Topic::Mistakes).take(4) {
            let Work::Mistakes(kernels) = &episode.work else { panic!("{episode:?}") };
            let wrong = kernels.iter().filter(|kernel| kernel.mistake.is_some()).count() as u64;
            let ran = trial.run(&episode).expect("a test").unwrap_or_else(|wrong| panic!("{core}: {wrong:?}"));
            assert!(matches!(ran.told, Told::Mistakes(told) if told.errors() == wrong), "{wrong}: {ran:?}");
            *errors.entry(episode.rough.is_some()).or_insert(0) += wrong;
            let smaller = kernels.iter().take(2).flat_map(Mistakes::smaller).collect();
            let smaller = Episode { work: Work::Mistakes(smaller), ..episode.clone() };
            trial.run(&smaller).expect("a test").unwrap_or_else(|wrong| panic!("{core}: {wrong:?}"));
        }
        assert!(errors.len() == 2 && errors.values().all(|errors| *errors > 4), "{errors:?}");
    }
}
