//! The experiment on the tree divergence table: the reference passes and keeps its contract, each deliberate defect is found.

use super::broken_trees::{BrokenTree, TreeDefect};
use super::campaign::{batch, run_many, Campaign, Prepared};
use super::program::Class;
use super::warp_runner::{run, Wrong};
use crate::assembler::{assemble, Overrides};
use crate::barrier::Statics;
use crate::cli::registry::model_barriers;
use crate::engine::{Cause, Configuration, Engine, Events, Fetch, Kind, Mask, Request};
use crate::kernels;
use crate::machine::{Machine, RunOptions, Verdict};
use crate::model::tree::contract::{Fairness, Observed};
use crate::model::tree::structure::Picture;
use crate::model::tree::table_unit::EXCHANGE_INTERVAL;
use crate::model::tree::TreeTable;
use rstest::rstest;

const TREE: Configuration = Configuration {
    warps: 4,
    threads: 32,
    depth: 64,
    tree: true,
    path_policy: crate::engine::PathPolicy::Taken,
    yield_policy: crate::engine::YieldPolicy::Always,
    yield_parameter: 0,
    yield_seed: 1,
    stack_mode: false,
    software_handler: false,
    spill_limit: 1024,
    memory_latency: 4,
};

/// The reference, its nodes judged after every edge; a bad picture stops the warp.
struct Judged(TreeTable);

impl Engine for Judged {
    fn name(&self) -> String {
        self.0.name()
    }
    fn configuration(&self) -> &Configuration {
        self.0.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.0.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.0.ready()
    }
    fn running(&mut self) -> u64 {
        self.0.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.0.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.0.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        self.0.offer(request)
    }
    fn tick(&mut self) -> Events {
        let events = self.0.tick();
        for warp in 0..self.0.configuration().warps {
            if let Some(table) = self.0.warp(warp) {
                let picture = Picture::from(table);
                picture.check().unwrap_or_else(|breach| panic!("{breach}: {picture:?}"));
            }
        }
        events
    }
}

/// XV-03, TD-01, TD-02, TD-03, TD-05, TD-06: on random programs of both classes each thread does on the tree what it does alone, and
/// after every instruction the leaves partition the live threads, no node is an orphan, none is left over, and the
/// bounds of TD-07 hold.
#[rstest]
fn xv_03_the_tree_equals_the_threads_alone(
    #[values(Class::Structured, Class::Goto)] class: Class,
    #[values(32, 64, 5, 1)] threads: usize,
) {
    let judged =
        |configuration: &Configuration| -> Box<dyn Engine> { Box::new(Judged(TreeTable::new(*configuration))) };
    let campaign = Campaign::new(11, 1250, class, Configuration { threads, ..TREE });
    let summary = run_many(&campaign, &judged, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    let statistics = summary.statistics;
    assert!(summary.programs[&class] >= 1250);
    let enough = if threads == 1 { 0 } else { 1000 };
    assert!(statistics.diverged >= enough && statistics.yielded > 1000, "{statistics:?}");
}

/// TD-04, TD-02, DQ-26: at the ports, every leaf gets its turn within as many turns as there were leaves, whole groups run and go where
/// their instruction sends them, and a warp is done when its last thread exits.
#[rstest]
fn td_04_the_reference_keeps_the_contract(#[values(Class::Structured, Class::Goto)] class: Class) {
    let campaign = Campaign::new(12, 0, class, TREE);
    for number in 0..40 {
        let (configuration, programs, _) = batch(&campaign, number);
        let mut engine = Observed::new(TreeTable::new(configuration), Fairness::STRICT);
        let jobs: Vec<_> = programs.iter().map(Prepared::job).collect();
        let end = run(&mut engine, &jobs).map(|_| ());
        assert_eq!((end, &engine.breach), (Ok(()), &None), "seed 12, batch {number}");
    }
}

/// What became of the programs of some batches on a table that can be full.
#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    /// Stopped for want of a node, precisely.
    full: u64,
    spilled: u64,
    refilled: u64,
}

fn bounded(configuration: Configuration, seed: u64, batches: u64) -> Tally {
    let mut tally = Tally::default();
    for class in Class::ALL {
        let campaign = Campaign::new(seed, 0, class, configuration);
        for (number, index, configuration, prepared) in (0..batches).flat_map(|number| {
            let (configuration, programs, _) = batch(&campaign, number);
            programs.into_iter().enumerate().map(move |(index, program)| (number, index, configuration, program))
        }) {
            let fairness = Fairness::with_exchange(EXCHANGE_INTERVAL);
            let mut engine = Observed::new(Judged(TreeTable::bounded(configuration)), fairness);
            let end = run(&mut engine, &[prepared.job()]);
            let place = format!("{} seed {seed}, batch {number}, program {index}", class.name());
            assert_eq!(engine.breach, None, "{place}");
            match end {
                Ok(statistics) => {
                    tally.passed += 1;
                    tally.spilled += statistics.spilled;
                    tally.refilled += statistics.refilled;
                }
                Err((_, Wrong::Stopped { cause: Cause::Fatal, .. })) => tally.full += 1,
                Err((_, wrong)) => panic!("{place}: {wrong}"),
            }
        }
    }
    tally
}

/// TD-09, XV-03: with leaves deferred to memory and exchanged, and regions put away there, each thread still does what it does alone,
/// and gets its turn.
#[rstest]
#[case(8, 8, 20)]
#[case(8, 16, 20)]
#[case(32, 32, 20)]
#[case(32, 64, 10)]
fn td_09_a_full_table_changes_nothing(#[case] threads: usize, #[case] depth: usize, #[case] batches: u64) {
    let tally = bounded(Configuration { warps: 1, threads, depth, ..TREE }, 13, batches);
    println!("{threads} threads, {depth} nodes: {tally:?}");
    assert_eq!(tally.full, 0, "{tally:?}");
    assert!(tally.spilled > 300 && tally.refilled > 300 || depth == 64, "{tally:?}");
}

/// One table, and another that follows it.
struct Followed {
    leader: TreeTable,
    follower: TreeTable,
}

impl Engine for Followed {
    fn name(&self) -> String {
        self.leader.name()
    }
    fn configuration(&self) -> &Configuration {
        self.leader.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.leader.launch(warp, threads, address);
        self.follower.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.leader.ready()
    }
    fn running(&mut self) -> u64 {
        self.leader.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.leader.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.leader.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        let fetch = self.leader.fetch(request.warp);
        self.follower.follow(request.warp, fetch).unwrap_or_else(|wrong| panic!("{wrong}"));
        self.leader.offer(request) && self.follower.offer(request)
    }
    fn tick(&mut self) -> Events {
        let (events, followed) = (self.leader.tick(), self.follower.tick());
        assert_eq!((&events.done, &events.faults), (&followed.done, &followed.faults));
        for warp in 0..self.configuration().warps {
            for reason in [Kind::Sync, Kind::Call, Kind::Break, Kind::Continue, Kind::Exit, Kind::LongJump] {
                assert_eq!(self.leader.disabled(warp, reason), self.follower.disabled(warp, reason), "{reason:?}");
            }
        }
        events
    }
}

/// XV-02, TD-04, TD-09: a model that follows agrees with tables that merge, and with tables that are full, on who runs and who waits.
#[rstest]
fn xv_02_a_follower_agrees(#[values(Class::Structured, Class::Goto)] class: Class, #[values(false, true)] full: bool) {
    let base = Configuration { depth: 4, ..TREE };
    let followed = |configuration: &Configuration| -> Box<dyn Engine> {
        let make = if full { TreeTable::bounded } else { TreeTable::new };
        Box::new(Followed { leader: make(*configuration), follower: TreeTable::follower(*configuration) })
    };
    let campaign = Campaign::new(16, 640, class, base);
    run_many(&campaign, &followed, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
}

/// Programs of some batches that go wrong on a defective engine.
fn failing(make: &dyn Fn(&Configuration) -> BrokenTree, base: Configuration, class: Class, batches: u64) -> usize {
    let campaign = Campaign::new(14, 0, class, base);
    let one = |number| {
        let (configuration, programs, _) = batch(&campaign, number);
        let wrong = |prepared: &Prepared| {
            let mut engine = make(&configuration);
            let end = run(&mut engine, &[prepared.job()]);
            !matches!(end, Ok(_) | Err((_, Wrong::Stopped { cause: Cause::Fatal, .. })))
        };
        programs.iter().filter(|prepared| wrong(prepared)).count()
    };
    (0..batches).map(one).sum()
}

/// XV-03, TD-02, TD-04, TD-05, TD-06: the oracle finds every deliberate defect, arrival by comparing PCs and waiting at the outermost
/// level among them.
#[test]
fn xv_03_every_defect_of_the_tree_is_found() {
    for defect in TreeDefect::WRONG {
        let make = |configuration: &Configuration| BrokenTree::new(TreeTable::new(*configuration), defect);
        let batches = if defect == TreeDefect::CallTakesAll { 60 } else { 15 };
        let found = Class::ALL.map(|class| failing(&make, TREE, class, batches));
        println!("{defect:?}: {found:?} of {} programs of each class", batches * 32);
        assert!(found[0] + found[1] > 5, "{defect:?}: only {found:?} programs went wrong");
    }
}

/// XV-03, TD-09: it finds a leaf that comes back from memory without its parent.
#[test]
fn td_09_a_leaf_that_forgets_its_parent_is_found() {
    let make = |configuration: &Configuration| {
        BrokenTree::new(TreeTable::bounded(*configuration), TreeDefect::DeferredOrphaned)
    };
    let base = Configuration { threads: 8, depth: 8, ..TREE };
    let found: usize = Class::ALL.map(|class| failing(&make, base, class, 15)).iter().sum();
    assert!(found > 5, "only {found} programs went wrong");
}

/// TD-04: a selector that prefers the newest leaf ends every race-free program, so the oracle cannot see it; the contract does.
#[test]
fn td_04_unfair_turns_break_the_contract() {
    let campaign = Campaign::new(15, 0, Class::Structured, TREE);
    let (configuration, programs, _) = batch(&campaign, 0);
    let breaches = programs.iter().filter(|prepared| {
        let model = BrokenTree::new(TreeTable::new(configuration), TreeDefect::NewestFirst);
        let mut engine = Observed::new(model, Fairness::STRICT);
        let _ = run(&mut engine, &[prepared.job()]);
        engine.breach.as_ref().is_some_and(|(_, breach)| breach.rule == "TD-04")
    });
    assert!(breaches.count() > 5);
}

/// Runs a shipped kernel to its verdict and, if it completes, to its check.
fn verdict(name: &str, engine: Box<dyn Engine>, without_yields: bool) -> Result<(), String> {
    let shipped = kernels::find(name).expect("it ships");
    let text = if without_yields { shipped.text.replace(" YIELD\n", " NOP\n") } else { shipped.text.to_string() };
    let kernel = assemble(&text, shipped.file_name).expect("it assembles");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let options = RunOptions { max_cycles: 3_000_000, watchdog: 20_000, ..RunOptions::default() };
    let size = options.barrier_size(&launch);
    let mut machine = Machine::new(&kernel, &launch, engine, options).expect("it fits");
    if kernel.uses_barriers() {
        let scheduler = model_barriers(size, Statics::default()).expect("the model");
        machine = machine.with_barriers(&launch, scheduler).expect("it fits");
    }
    let outcome = machine.run(&|| false, &mut |_| ());
    match outcome.verdict {
        Verdict::Completed => {
            assert_eq!(kernel.check(&launch, &outcome.global), [], "{name}");
            Ok(())
        }
        other => Err(other.name().to_string()),
    }
}

/// SM-20, TD-04: YIELD that keeps its threads where they are hangs the common spin lock, as TD-04 says.
#[test]
fn td_04_yield_has_to_detach() {
    let broken = |defect| -> Box<dyn Engine> { Box::new(BrokenTree::new(TreeTable::new(TREE), defect)) };
    assert_eq!(verdict("spin_lock", broken(TreeDefect::YieldStays), false), Err("livelock".into()));
}

/// TD-09, SM-20: a deferred leaf that holds a lock gets its turn only because leaves are exchanged.
#[test]
fn td_09_a_deferred_lock_holder_runs_again() {
    let configuration = Configuration { depth: 1, path_policy: crate::engine::PathPolicy::NotTaken, ..TREE };
    let sound: Box<dyn Engine> = Box::new(TreeTable::bounded(configuration));
    assert_eq!(verdict("spin_lock_plain", sound, true), Ok(()));
    let broken = BrokenTree::new(TreeTable::bounded(configuration), TreeDefect::NoExchange);
    assert_eq!(verdict("spin_lock_plain", Box::new(broken), true), Err("livelock".into()));
}

/// SM-20, SM-21, TD-04, TD-09: every shipped kernel ends right, on a table without bounds and on the largest that is built.
#[test]
fn sm_20_every_kernel_ends_right_on_the_tree() {
    for shipped in kernels::ALL {
        for path_policy in [crate::engine::PathPolicy::Taken, crate::engine::PathPolicy::NotTaken] {
            let configuration = Configuration { path_policy, ..TREE };
            let open = Observed::new(Judged(TreeTable::new(configuration)), Fairness::STRICT);
            let limited = Fairness::with_exchange(EXCHANGE_INTERVAL);
            let bounded = Observed::new(Judged(TreeTable::bounded(configuration)), limited);
            let engines: [Box<dyn Engine>; 2] = [Box::new(open), Box::new(bounded)];
            for engine in engines {
                assert_eq!(verdict(shipped.name, engine, false), Ok(()), "{} {path_policy:?}", shipped.name);
            }
        }
    }
}

/// TD-04, SM-20: which kernels need their YIELDs on the tree. Leaves run concurrently, so a spinner cannot starve the holder of a lock;
/// but a holder that waits at a join for the spinners still hangs.
#[test]
fn td_04_kernels_that_hang_without_yield() {
    let hangs = |shipped: &&kernels::Shipped| verdict(shipped.name, Box::new(TreeTable::new(TREE)), true).is_err();
    let names: Vec<&str> = kernels::ALL.iter().filter(hangs).map(|shipped| shipped.name).collect();
    assert_eq!(names, ["spin_lock", "reader_writer_lock", "hash_table_insert"]);
}
