//! Whole kernels on a control core: the same end, the same memory, the same counts in the same cycles as on the machine that controls a
//! divergence engine itself (SM-01 to SM-04, SM-06).

use crate::support;
use heddle_sim::assembler::{assemble, Kernel, Overrides};
use heddle_sim::barrier::Statics;
use heddle_sim::control_core::{ControlCore, CoreMachine, ModelCore, Setup};
use heddle_sim::engine::{Configuration, Engine, PathPolicy, YieldPolicy};
use heddle_sim::kernels;
use heddle_sim::launch::{Grid, PrioritizedGrid, Shape, WorkDistributor};
use heddle_sim::machine::{CacheOptions, Machine, MachineError, Outcome, RunOptions, SchedulerPolicy, Verdict};
use heddle_sim::model::tree::TreeTable;
use heddle_sim::model::work_distributor::walker::Walker;
use heddle_sim::model::{DequeModel, DivergenceUnit};
use heddle_sim::oracle::campaign::{batch, Campaign, Prepared, BATCH};
use heddle_sim::oracle::warp_runner::{core_runner, Job, Statistics};
use heddle_sim::oracle::Class;
use heddle_sim::rtl::elaborated;
use rstest::rstest;

/// The kernels that ship and need a barrier scheduler, or none.
fn shipped(barriers: bool) -> Vec<Kernel> {
    let assembled = kernels::ALL.iter().map(|shipped| assemble(shipped.text, shipped.file_name).expect("it assembles"));
    assembled.filter(|kernel| kernel.uses_barriers() == barriers).collect()
}

fn model_engine(configuration: &Configuration) -> Box<dyn Engine> {
    match configuration.tree {
        true => Box::new(TreeTable::new(*configuration)),
        false => Box::new(DequeModel::new(*configuration)),
    }
}

fn model_core(setup: &Setup) -> Box<dyn ControlCore> {
    Box::new(ModelCore::new(model_engine(&setup.configuration), setup).expect("a block fits the core"))
}

/// A control core, and the blocks that it is made of.
#[derive(Clone, Copy)]
struct Pair {
    engine: fn(&Configuration) -> Box<dyn Engine>,
    distributor: fn() -> Box<dyn WorkDistributor>,
    core: fn(&Setup) -> Box<dyn ControlCore>,
}

/// The reference models.
const MODELS: Pair =
    Pair { engine: model_engine, distributor: || Box::new(Walker::new(Shape::CORE)), core: model_core };

/// The hardware, simulated in Rust.
const RTL: Pair = Pair {
    engine: |configuration| elaborated::build(configuration).expect("the engine is elaborated"),
    distributor: || elaborated::build_distributor(Shape::CORE).expect("the distributor is elaborated"),
    core: |setup| elaborated::build_core(setup).expect("the core is elaborated"),
};

/// Runs on both of a pair; returns what they have in common.
fn both(
    pair: Pair,
    kernel: &Kernel,
    overrides: &Overrides,
    configuration: Configuration,
    options: RunOptions,
) -> Outcome {
    let launch = kernel.launch(overrides).expect("it launches");
    let machine = Machine::new(kernel, &launch, (pair.engine)(&configuration), options).expect("it fits");
    let machine = machine.with_distributor(&launch, (pair.distributor)());
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = elaborated::build_barriers(options.barrier_size(&launch), Statics::default());
            machine.with_barriers(&launch, scheduler.expect("it is elaborated")).expect("it fits the scheduler")
        }
        false => machine,
    };
    let machine = machine.run(&|| false, &mut |_| ());
    let core = (pair.core)(&CoreMachine::setup(kernel, &launch, configuration, &options));
    let core = CoreMachine::new(kernel, &launch, core, options).expect("it fits").run(&|| false, &mut |_| ());
    let setting = format!("{} with {overrides:?}, {configuration:?}", kernel.name);
    assert_eq!(core.verdict, machine.verdict, "{setting}");
    assert_eq!(core.counters, machine.counters, "{setting}");
    assert_eq!(core.global, machine.global, "{setting}");
    assert_eq!(core.timelines.len(), machine.timelines.len(), "{setting}");
    core
}

const OPTIONS: RunOptions = RunOptions {
    context_room: None,
    scheduler: SchedulerPolicy::RoundRobin,
    max_cycles: 3_000_000,
    watchdog: 20_000,
    barrier_patience: RunOptions::BARRIER_PATIENCE,
    timelines: 1,
    barrier_block: None,
    cache: None,
    suspend: None,
};

/// Every kernel on a pair: each ends, or hangs the plain stack.
fn all_kernels(pair: Pair, configuration: Configuration) {
    let stack_mode = configuration.stack_mode;
    let (mut completed, mut hung) = (0, 0);
    for kernel in shipped(false) {
        let outcome = both(pair, &kernel, &Overrides::default(), configuration, OPTIONS);
        match outcome.verdict {
            Verdict::Completed => completed += 1,
            Verdict::Hang(_) => hung += 1,
            verdict => panic!("{}: {verdict:?}", kernel.name),
        }
    }
    assert!(completed >= 14 && (hung > 0) == stack_mode, "{completed} completed, {hung} hung");
}

/// SM-01, SM-06, SM-20 to SM-23: on every engine, hangs of the plain stack and their reports included.
#[rstest]
fn sm_01_kernels_end_alike(
    #[values((false, false), (true, false), (false, true))] (stack_mode, tree): (bool, bool),
    #[values(PathPolicy::Taken, PathPolicy::Larger)] path_policy: PathPolicy,
) {
    all_kernels(MODELS, Configuration { stack_mode, tree, path_policy, ..Configuration::default() });
}

/// SM-01 to SM-04, SM-06, SM-20 to SM-23: the same of the hardware. Control flow comes out of the RTL core alone.
#[rstest]
fn sm_01_kernels_end_alike_in_hardware(
    #[values((false, false, 32), (false, false, 16), (true, false, 32), (false, true, 64))] (stack_mode, tree, depth): (
        bool,
        bool,
        usize,
    ),
) {
    all_kernels(RTL, Configuration { stack_mode, tree, depth, ..Configuration::default() });
}

/// SM-01 to SM-07, SM-22, SM-23: every kernel with barriers on the hardware: the same hangs, waits and wake-ups, too. Blocks of 64 threads are those
/// of the core of 16 warps.
#[rstest]
fn sm_07_kernels_with_barriers_end_alike_in_hardware(
    #[values((false, false, 32), (true, false, 32), (false, true, 64))] (stack_mode, tree, depth): (bool, bool, usize),
    #[values(16, 64)] barrier_block: usize,
) {
    if tree && barrier_block == 64 {
        return;
    }
    let warps = if barrier_block == 64 { 16 } else { 4 };
    let configuration = Configuration { warps, stack_mode, tree, depth, ..Configuration::default() };
    let options = RunOptions { barrier_block: Some(barrier_block), watchdog: 2_000, ..OPTIONS };
    let mut completed = 0;
    for kernel in shipped(true) {
        let outcome = both(RTL, &kernel, &Overrides::default(), configuration, options);
        completed += usize::from(outcome.verdict == Verdict::Completed);
        assert!(
            matches!(outcome.verdict, Verdict::Completed | Verdict::Hang(_)),
            "{}: {:?}",
            kernel.name,
            outcome.verdict
        );
    }
    assert!(completed >= 20, "only {completed} completed");
}

/// BR-19, SM-04: an error at a barrier is the same error in the same cycle.
#[test]
fn br_19_errors_at_barriers_are_alike() {
    let text = ".block 32\nBARRIER.ORDERED 0, outer\nBARRIER.ORDERED 1, inner\nBARRIER.BOTTOM 1\ninner: BARRIER.BOTTOM 0\nouter: EXIT\n";
    let outcome = both(RTL, &support::kernel(text), &Overrides::default(), Configuration::default(), OPTIONS);
    assert!(matches!(outcome.verdict, Verdict::BarrierFault { .. }), "{:?}", outcome.verdict);
}

/// SM-02, SM-03: grids larger than the core, blocks that fill no whole number of warps, the greedy scheduler, yields by chance, a cache.
#[rstest]
#[case(MODELS, [3, 1, 1], [50, 1, 1])]
#[case(MODELS, [3, 2, 2], [8, 3, 5])]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(RTL, [3, 2, 1], [8, 3, 5])]
fn sm_03_grids_go_through_alike(#[case] pair: Pair, #[case] grid: [u32; 3], #[case] block: [u32; 3]) {
    let overrides = Overrides { grid: Some(grid), block: Some(block), ..Overrides::default() };
    let cache = Some(CacheOptions { lines: 8, line_bytes: 64, miss_cycles: 20 });
    let options = RunOptions { scheduler: SchedulerPolicy::GreedyThenOldest, cache, watchdog: 2_000, ..OPTIONS };
    let configuration =
        Configuration { yield_policy: YieldPolicy::Random, yield_parameter: 100, ..Configuration::default() };
    // A greedy warp that waits for another one's lock lets nobody else issue; that is alike, too.
    let outcomes: Vec<Outcome> = shipped(false)
        .iter()
        .map(|kernel| both(pair, kernel, &overrides, configuration, options))
        .filter(|outcome| outcome.verdict == Verdict::Completed)
        .collect();
    assert!(outcomes.len() >= 10, "only {} completed", outcomes.len());
    assert!(outcomes.iter().all(|outcome| outcome.counters.blocks_done == outcome.counters.blocks_launched));
}

/// SM-04, SM-08: what ends a run early ends it in the same cycle with the same report.
#[rstest]
#[case("MOV R1, 3\nLD.GLOBAL.W R2, [R1]\nEXIT")]
#[case("MOV R1, 1000000\nLD.GLOBAL.W R2, [R1]\nEXIT")]
#[case("NOP\nNOP")]
#[case("S2R R1, %lane\nIADD R1, R1, 5000000\nBRX R1, 0\nEXIT")]
#[case("SSY over\nBRA over\nover: SYNC over\nEXIT")]
fn sm_04_faults_are_alike(#[case] text: &str, #[values(MODELS, RTL)] pair: Pair) {
    let kernel = support::kernel(&format!(".block 32\n{text}\n"));
    let outcome = both(pair, &kernel, &Overrides::default(), Configuration::default(), OPTIONS);
    assert!(!matches!(outcome.verdict, Verdict::CoreFault(_) | Verdict::CycleLimit), "{:?}", outcome.verdict);
}

/// SM-03, SM-05: a block larger than the core, and a suspension, are refused.
#[test]
fn sm_03_what_the_core_cannot_run_is_refused() {
    let kernel = support::kernel(support::SPIN_LOCK);
    let refused = |overrides: &Overrides, options: RunOptions| {
        let launch = kernel.launch(overrides).expect("it launches");
        let small = kernel.launch(&Overrides::default()).expect("it launches");
        let core = model_core(&CoreMachine::setup(&kernel, &small, Configuration::default(), &options));
        CoreMachine::new(&kernel, &launch, core, options).err()
    };
    let large = Overrides { block: Some([129, 1, 1]), ..Overrides::default() };
    assert!(matches!(refused(&large, OPTIONS), Some(MachineError::BlockTooLarge { needed: 5, .. })));
    let suspend = Some(heddle_sim::machine::SuspendOptions::at(5));
    let options = RunOptions { suspend, ..OPTIONS };
    assert!(matches!(refused(&Overrides::default(), options), Some(MachineError::NotSaved { .. })));
}

/// SM-02: a grid of a priority that the core's scheduler cannot tell apart is refused, one of its highest is not.
#[test]
fn sm_02_priorities_of_6_bits() {
    let kernel = support::kernel(support::SPIN_LOCK);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let machine = |priority| {
        let core = (RTL.core)(&CoreMachine::setup(&kernel, &launch, Configuration::default(), &OPTIONS));
        let grid = Grid { program: 0, grid: 1, table: None, range: [1; 3], cluster: None, head: false };
        let machine = CoreMachine::new(&kernel, &launch, core, OPTIONS).expect("it fits");
        machine.with_grids(vec![PrioritizedGrid { grid, priority }])
    };
    assert!(matches!(machine(64).err(), Some(MachineError::PriorityTooLarge { priority: 64, most: 63 })));
    let outcome = machine(63).expect("6 bits").run(&|| false, &mut |_| {});
    assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
}

/// Random programs of a class on a core, against each thread alone.
fn random_programs(
    class: Class,
    programs: u64,
    base: Configuration,
    factory: &dyn Fn(&Setup) -> Box<dyn ControlCore>,
) -> Statistics {
    let mut campaign = Campaign::new(7, programs, class, base);
    campaign.longest_run = 120;
    let mut statistics = Statistics::default();
    for number in 0..programs.div_ceil(BATCH) {
        let (configuration, prepared, _) = batch(&campaign, number);
        let block_threads = configuration.threads as u32;
        let setup = Setup {
            configuration,
            scheduler: SchedulerPolicy::RoundRobin,
            block_threads,
            barriers: None,
            suspends: false,
            local_words: 0,
        };
        let jobs: Vec<Job> = prepared.iter().map(Prepared::job).collect();
        let run = core_runner::run(&mut *factory(&setup), &jobs);
        let run = run.unwrap_or_else(|(index, wrong)| {
            panic!("{class:?} batch {number} program {index}: {wrong}\n{}", prepared[index].program.listing())
        });
        statistics.add(&run);
    }
    statistics
}

/// XV-03: the same on the hardware, with its own windows: 512 programs on the deque, 256 on the tree.
#[rstest]
fn xv_03_programs_on_the_rtl_core(
    #[values(Class::Structured, Class::Goto)] class: Class,
    #[values((false, 16, 256), (true, 64, 128))] (tree, depth, programs): (bool, usize, u64),
) {
    let base = Configuration { tree, depth, ..Configuration::default() };
    let statistics = random_programs(class, programs, base, &|setup| (RTL.core)(setup));
    assert!(statistics.diverged > 0 && statistics.yielded > 0, "{statistics:?}");
}

/// XV-03: random programs, encoded and decoded, end on a core as each thread does alone; windows overflow on the way.
#[rstest]
fn xv_03_programs_on_the_model_core(#[values(Class::Structured, Class::Goto)] class: Class) {
    let base = Configuration { depth: 8, ..Configuration::default() };
    let windowed = |setup: &Setup| -> Box<dyn ControlCore> {
        let engine = Box::new(DivergenceUnit::windowed(setup.configuration));
        Box::new(ModelCore::new(engine, setup).expect("a warp fits"))
    };
    let statistics = random_programs(class, 512, base, &windowed);
    assert!(statistics.recentered > 0 && statistics.spilled > 0 && statistics.yielded > 0, "{statistics:?}");
}
