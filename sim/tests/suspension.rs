//! CTAs that are suspended in the middle of a kernel and resumed on other warps (SM-05, CX-09).

use crate::support;
use heddle_sim::assembler::{Kernel, Launch, Overrides};
use heddle_sim::cli::registry::{model_context, ContextFactory};
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, PathPolicy, Request, YieldPolicy};
use heddle_sim::kernels;
use heddle_sim::machine::{Machine, MachineError, Outcome, RunOptions, SuspendOptions, Verdict};
use heddle_sim::model::tree::TreeTable;
use heddle_sim::model::DivergenceUnit;
use heddle_sim::rtl::elaborated;
use rstest::rstest;

/// Kernels of SM-21.
const KERNELS: [&str; 8] =
    ["nested_if", "loops", "switch", "fibonacci", "quicksort", "virtual_calls", "early_exit", "goto_spaghetti"];

fn shipped(name: &str) -> Kernel {
    support::kernel(kernels::find(name).expect("it ships").text)
}

/// Nodes of a table that is often full.
const FULL: usize = 6;

/// A core: an engine, and the context unit beside it.
struct Core {
    engine: Box<dyn Engine>,
    context: ContextFactory,
}

impl Core {
    fn model(configuration: Configuration) -> Self {
        Self { engine: Box::new(DivergenceUnit::windowed(configuration)), context: model_context }
    }

    fn tree(configuration: Configuration) -> Self {
        let configuration = Configuration { tree: true, ..configuration };
        Self { engine: Box::new(TreeTable::new(configuration)), context: model_context }
    }

    fn full_tree() -> Self {
        let configuration = Configuration { tree: true, depth: FULL, ..Configuration::default() };
        Self { engine: Box::new(TreeTable::bounded(configuration)), context: model_context }
    }

    fn tree_rtl() -> Self {
        let configuration = Configuration { tree: true, depth: 64, ..Configuration::default() };
        let engine = elaborated::build(&configuration).expect("it is elaborated");
        Self { engine, context: model_context }
    }

    fn rtl() -> Self {
        let engine = elaborated::build(&Configuration::default()).expect("it is elaborated");
        Self { engine, context: elaborated::build_context }
    }
}

fn run(kernel: &Kernel, launch: &Launch, core: Core, suspend: Option<SuspendOptions>) -> Outcome {
    let options = RunOptions { suspend, ..RunOptions::default() };
    let Configuration { warps, threads, .. } = *core.engine.configuration();
    let machine = Machine::new(kernel, launch, core.engine, options).expect("it fits");
    let (shape, ports) = (core.context)(warps, threads).expect("it is built").expect("there is one of this size");
    machine.with_context(shape, ports).run(&|| false, &mut |_| ())
}

/// Suspends in each of the given cycles, a run each, and compares the results.
fn assert_unharmed(kernel: &Kernel, overrides: &Overrides, build: impl Fn() -> Core, every: usize, times: u32) {
    let launch = kernel.launch(overrides).expect("it launches");
    let tree = build().engine.configuration().tree;
    let alone = run(kernel, &launch, build(), None);
    assert_eq!(alone.verdict, Verdict::Completed, "{}", kernel.name);
    for at in (0..alone.counters.cycles).step_by(every) {
        let outcome = run(kernel, &launch, build(), Some(SuspendOptions { times, ..SuspendOptions::at(at) }));
        let counts = outcome.counters.suspensions;
        let what = format!("{} suspended in cycle {at} of {}: {counts:?}", kernel.name, alone.counters.cycles);
        assert!(outcome.verdict == Verdict::Completed, "{what}: {}", outcome.verdict.explain());
        assert_eq!(kernel.check(&launch, &outcome.global), [], "{what}");
        assert!(outcome.global == alone.global, "{what}: memory differs");
        assert_eq!(counts.suspended, counts.resumed, "{what}");
        // Leaves of a tree that meet become one, and a warp that comes back may take its turns in another order.
        if !tree {
            assert_eq!(outcome.counters.instructions, alone.counters.instructions, "{what}");
        }
        // In its last cycle a CTA has nothing left to issue, and may end before the engine has let go of it.
        assert!(counts.suspended > 0 || at + 40 > alone.counters.cycles, "{what}: it was not suspended");
    }
}

/// CX-09: a kernel suspended at any instruction boundary and resumed on other warps gives the same result, on deque and stack.
#[rstest]
#[case::deque(Configuration::default())]
#[case::stack(Configuration { stack_mode: true, ..Configuration::default() })]
#[case::every_third_yield(Configuration { yield_policy: YieldPolicy::EveryNth, yield_parameter: 3, ..Configuration::default() })]
#[case::random_yields(Configuration { yield_policy: YieldPolicy::Random, yield_parameter: 100, ..Configuration::default() })]
#[case::short_window(Configuration { depth: 8, ..Configuration::default() })]
fn every_boundary_on_the_model(#[case] configuration: Configuration) {
    for name in KERNELS {
        let long = matches!(name, "fibonacci" | "quicksort" | "goto_spaghetti");
        let build = || Core::model(configuration);
        assert_unharmed(&shipped(name), &Overrides::default(), build, if long { 19 } else { 1 }, 1);
    }
}

/// CX-09: a block that came back runs for as long as the pause that is asked for, then it leaves again.
#[test]
fn cx_09_a_pause_between_two() {
    support::assert_pauses(|kernel, launch, suspend| {
        run(kernel, launch, Core::model(Configuration::default()), Some(suspend))
    });
}

/// CX-01, CX-09: several blocks are away at once, as long as a core full of warps behind them finds rows, which all take here: the model has 8, the RTL 16.
#[rstest]
#[case::model(Core::model, 1)]
#[case::rtl(|_| Core::rtl(), 3)]
fn cx_01_several_blocks_are_away(#[case] core: fn(Configuration) -> Core, #[case] most: u64) {
    support::assert_several_away([most; 2], |kernel, launch, suspend| {
        run(kernel, launch, core(Configuration::default()), Some(suspend))
    });
}

/// CX-09: those that left first come back first, where three can be away.
#[test]
fn cx_09_blocks_come_back_in_order() {
    support::assert_order_of_return(|kernel, launch, suspend| run(kernel, launch, Core::rtl(), Some(suspend)));
}

/// CX-09: the same on a tree with as many nodes as it needs, and on one that is often full.
#[rstest]
#[case::unbounded(Core::tree(Configuration::default()))]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case::smaller_first(Core::tree(Configuration { path_policy: PathPolicy::Smaller, ..Configuration::default() }))]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case::full(Core::full_tree())]
fn every_boundary_on_the_tree_model(#[case] like: Core) {
    let configuration = *like.engine.configuration();
    for name in KERNELS {
        let long = matches!(name, "fibonacci" | "quicksort" | "goto_spaghetti");
        let full = configuration.depth == FULL;
        let build = || if full { Core::full_tree() } else { Core::tree(configuration) };
        assert_unharmed(&shipped(name), &Overrides::default(), build, if long { 19 } else { 1 }, 1);
    }
    let build = || Core::tree(configuration);
    assert_unharmed(&shipped("spin_lock"), &Overrides::default(), build, 3, 4);
}

/// CX-09: the tree in RTL, whose nodes leave through its own ports; `cargo sim suspend KERNEL --engine tree` tries every cycle.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn boundaries_on_the_tree_rtl() {
    for name in KERNELS {
        let long = matches!(name, "fibonacci" | "quicksort" | "goto_spaghetti");
        assert_unharmed(&shipped(name), &Overrides::default(), Core::tree_rtl, if long { 401 } else { 5 }, 1);
    }
}

/// CX-09: the same on the RTL, whose tokens leave through its own ports; `cargo sim suspend KERNEL` tries every cycle.
#[test]
fn boundaries_on_the_rtl() {
    for name in KERNELS {
        let long = matches!(name, "fibonacci" | "quicksort" | "goto_spaghetti");
        assert_unharmed(&shipped(name), &Overrides::default(), Core::rtl, if long { 401 } else { 5 }, 1);
    }
}

/// CX-09: again and again, so that a CTA walks through the core.
#[test]
fn suspended_many_times() {
    for name in ["loops", "early_exit"] {
        let build = || Core::model(Configuration::default());
        assert_unharmed(&shipped(name), &Overrides::default(), build, 7, 50);
    }
}

/// CX-09, SM-03: with several CTAs in flight another one takes the place of the one that is away; a CTA of two warps, the second of them not
/// full, keeps its order; and where no other warp is free it comes back on its own.
#[rstest]
#[case::another_takes_its_place([6, 1, 1], [32, 1, 1])]
#[case::two_warps([3, 1, 1], [50, 1, 1])]
#[case::the_whole_core([2, 1, 1], [128, 1, 1])]
fn among_other_blocks(#[case] grid: [u32; 3], #[case] block: [u32; 3]) {
    let overrides = Overrides { grid: Some(grid), block: Some(block), ..Overrides::default() };
    for name in ["loops", "switch", "early_exit", "nested_if"] {
        let build = || Core::model(Configuration::default());
        assert_unharmed(&shipped(name), &overrides, build, 3, 2);
    }
}

/// CX-03, CX-07, CX-09: the first suspension copies the warp's local memory, the second copies 0 words, and what runs on reads it where it was
/// copied to; on model and RTL.
#[rstest]
#[case::model(|| Core::model(Configuration::default()))]
#[case::rtl(Core::rtl)]
fn a_second_save_copies_nothing(#[case] build: fn() -> Core) {
    let kernel = shipped("quicksort");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let words = u64::from(launch.local_bytes.div_ceil(4)) * 32;
    for at in [40, 900, 2_000] {
        for times in [1, 2, 5] {
            let outcome = run(&kernel, &launch, build(), Some(SuspendOptions { times, ..SuspendOptions::at(at) }));
            assert_eq!(outcome.verdict, Verdict::Completed);
            assert_eq!(kernel.check(&launch, &outcome.global), []);
            assert_eq!(outcome.counters.suspensions.suspended, u64::from(times));
            assert_eq!(outcome.counters.context.copied, words, "in cycle {at}, {times} times");
            assert!(outcome.counters.context.remapped > 0, "nothing was read or written after cycle {at}");
        }
    }
}

/// An engine that gives no warp away.
struct Unsaved(Box<dyn Engine>);

impl Engine for Unsaved {
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
        self.0.tick()
    }
}

/// CX-09: what cannot be saved is refused before the run, not in the middle of it.
#[test]
fn what_cannot_be_saved_is_refused() {
    let kernel = shipped("nested_if");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let options = RunOptions { suspend: Some(SuspendOptions::at(5)), ..RunOptions::default() };
    let engine = Box::new(Unsaved(Box::new(DivergenceUnit::windowed(Configuration::default()))));
    let refused = Machine::new(&kernel, &launch, engine, options).err();
    assert!(matches!(refused, Some(MachineError::NotSaved { .. })), "{refused:?}");
}

/// CX-04: threads that all fill their local memory keep their words apart, also where a warp's size is no power of two, suspended or not.
#[rstest]
#[case::twelve_threads(|| Core::model(Configuration { threads: 12, ..Configuration::default() }))]
#[case::rtl(Core::rtl)]
fn words_stay_apart(#[case] build: fn() -> Core) {
    let kernel = support::kernel(
        "
.local 64
.memory result, threads
.grid 3
.block 24
        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        MOV     R1, 0
write:
        IADD    R2, R0, R1
        ST.LOCAL.W [R1], R2
        IADD    R1, R1, 4
        ISETP.LT.U P0, R1, 64
        @P0 BRA write
        MOV     R1, 0
        MOV     R3, 0
add:
        LD.LOCAL.W R4, [R1]
        IADD    R3, R3, R4
        IADD    R1, R1, 4
        ISETP.LT.U P0, R1, 64
        @P0 BRA add
        ST.GLOBAL.W [R10], R3
        EXIT
",
    );
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    for suspend in [
        None,
        Some(SuspendOptions { times: 3, ..SuspendOptions::at(60) }),
        Some(SuspendOptions { times: 3, ..SuspendOptions::at(150) }),
    ] {
        let outcome = run(&kernel, &launch, build(), suspend);
        assert!(outcome.verdict == Verdict::Completed, "{suspend:?}: {}", outcome.verdict.explain());
        let words = support::words(&outcome);
        let sums: Vec<u32> = (0..72).map(|id| 16 * id + 4 * 120).collect();
        assert_eq!(words[..72], sums, "{suspend:?}");
    }
}
