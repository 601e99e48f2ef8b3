//! Blocks that a control core suspends and resumes by itself, in the middle of a kernel, and their local memory, which its own context unit re-maps
//! (SM-05, CX-01, CX-03 to CX-05, CX-07, CX-09, CX-10).

use crate::support;
use heddle_sim::assembler::{Kernel, Launch, Overrides};
use heddle_sim::control_core::CoreMachine;
use heddle_sim::engine::{Configuration, Fetch};
use heddle_sim::isa::{Action, Space, ALWAYS_TRUE};
use heddle_sim::kernels;
use heddle_sim::machine::{Outcome, Reasons, RunOptions, SuspendFailure, SuspendOptions, Trace, Verdict};
use heddle_sim::rtl::elaborated;
use rstest::rstest;
use std::io;

fn shipped(name: &str) -> Kernel {
    support::kernel(kernels::find(name).expect("it ships").text)
}

/// No kernel here takes nearly so many cycles: one that hangs is told within a minute.
const MOST_CYCLES: u64 = 1_000_000;

fn run(kernel: &Kernel, launch: &Launch, configuration: Configuration, suspend: Option<SuspendOptions>) -> Outcome {
    let options = RunOptions { suspend, max_cycles: MOST_CYCLES, ..RunOptions::default() };
    support::run_on_core(kernel, launch, configuration, options)
}

/// Suspends in every so many cycles, a run each, and compares the results with those of the run that is not suspended.
fn assert_unharmed(name: &str, configuration: Configuration, every: usize, times: u32) {
    let kernel = shipped(name);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let alone = run(&kernel, &launch, configuration, None);
    assert_eq!(alone.verdict, Verdict::Completed, "{name}");
    let mut suspended = 0;
    for at in (0..alone.counters.cycles).step_by(every) {
        let options = SuspendOptions { times, ..SuspendOptions::at(at) };
        let outcome = run(&kernel, &launch, configuration, Some(options));
        let counts = outcome.counters.suspensions;
        let what = format!("{name} suspended in cycle {at} of {}: {counts:?}", alone.counters.cycles);
        assert!(outcome.verdict == Verdict::Completed, "{what}: {}", outcome.verdict.explain());
        assert_eq!(kernel.check(&launch, &outcome.global), [], "{what}");
        assert_eq!(counts.suspended, counts.resumed, "{what}");
        // A block that is about to end may do so before it could leave; its EXITs alone take the barrier scheduler 8 cycles each.
        assert!(counts.suspended > 0 || at + 100 > alone.counters.cycles, "{what}: it was not suspended");
        suspended += counts.suspended;
    }
    assert!(suspended > 3, "{name}");
}

/// CX-09: the kernels of SM-21 suspended on the way and brought back on other warps, on deque and stack.
#[rstest]
fn cx_09_boundaries(
    #[values("nested_if", "loops", "switch", "fibonacci", "virtual_calls", "early_exit", "goto_spaghetti")] name: &str,
    #[values(false, true)] stack_mode: bool,
) {
    let every = if matches!(name, "fibonacci" | "goto_spaghetti") { 401 } else { 13 };
    assert_unharmed(name, Configuration { stack_mode, ..Configuration::default() }, every, 1);
}

/// CX-09, CX-10: kernels with barriers: conditional ones, ordered and unordered sections.
#[rstest]
#[case("half_barrier", 7)]
#[case("compaction", 61)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("histogram", 61)]
fn cx_10_boundaries_with_barriers(#[case] name: &str, #[case] every: usize) {
    assert_unharmed(name, Configuration::default(), every, 1);
}

/// CX-09: a slot in which there is no block, or not yet all of one, is asked to leave: nobody is harmed, and the block that is asked for next leaves all the same.
#[test]
fn cx_09_a_slot_without_a_block() {
    let kernel = shipped("half_barrier");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let cycles = run(&kernel, &launch, Configuration::default(), None).counters.cycles;
    let mut left = 0;
    for at in (0..cycles).step_by(5) {
        let suspend = Some(SuspendOptions { vacant: 3, ..SuspendOptions::at(at) });
        let outcome = run(&kernel, &launch, Configuration::default(), suspend);
        let counts = outcome.counters.suspensions;
        assert!(outcome.verdict == Verdict::Completed, "in cycle {at}: {}", outcome.verdict.explain());
        assert_eq!(kernel.check(&launch, &outcome.global), [], "in cycle {at}");
        assert_eq!(counts.suspended, counts.resumed, "in cycle {at}");
        left += u64::from(counts.suspended > 0);
    }
    assert!(left > cycles / 10, "{left} of {cycles} cycles");
}

/// CX-07: local memory is copied at the first suspension only, however often the block leaves after that.
#[test]
fn cx_07_a_second_save_copies_nothing() {
    let kernel = shipped("quicksort");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let copied = |times| {
        let suspend = Some(SuspendOptions { times, ..SuspendOptions::at(900) });
        let outcome = run(&kernel, &launch, Configuration::default(), suspend);
        assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
        assert_eq!(outcome.counters.suspensions.resumed, u64::from(times));
        outcome.counters.context.copied
    };
    let once = copied(1);
    assert!(once > 0);
    assert_eq!(copied(4), once);
}

/// CX-09: a block that came back runs for as long as the pause that is asked for, then it leaves again.
#[test]
fn cx_09_a_pause_between_two() {
    support::assert_pauses(|kernel, launch, suspend| run(kernel, launch, Configuration::default(), Some(suspend)));
}

/// CX-01, CX-09: several blocks are away at once, up to all the rows that local memory has, with which no new block is launched, but those that have rows come back.
#[test]
fn cx_01_several_blocks_are_away() {
    support::assert_several_away([4, u64::MAX], |kernel, launch, suspend| {
        run(kernel, launch, Configuration::default(), Some(suspend))
    });
}

/// CX-09: those that left first come back first.
#[test]
fn cx_09_blocks_come_back_in_order() {
    support::assert_order_of_return(|kernel, launch, suspend| {
        run(kernel, launch, Configuration::default(), Some(suspend))
    });
}

/// Suspended so often, from a cycle on.
fn suspended(at: u64, times: u32) -> Option<SuspendOptions> {
    Some(SuspendOptions { times, ..SuspendOptions::at(at) })
}

/// CX-01, CX-03, CX-07: whenever a block left for the first time, its words are copied then and only then, and its accesses go to global memory from then on: in the
/// hardware's memory nothing of it is left, and the warps that it comes back on are others.
#[test]
fn cx_03_accesses_follow_a_block() {
    let kernel = shipped("quicksort");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let words = u64::from(launch.local_bytes.div_ceil(4)) * 32;
    let never = run(&kernel, &launch, Configuration::default(), suspended(u64::MAX, 1));
    assert_eq!(
        (never.verdict, never.counters.context.copied, never.counters.context.remapped),
        (Verdict::Completed, 0, 0)
    );
    let mut remapped = Vec::new();
    for at in [40, 900, 2_000] {
        for times in [1, 2, 5] {
            let outcome = run(&kernel, &launch, Configuration::default(), suspended(at, times));
            assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
            assert_eq!(outcome.counters.suspensions.resumed, u64::from(times));
            assert_eq!(outcome.counters.context.copied, words, "in cycle {at}, {times} times");
            remapped.push(outcome.counters.context.remapped);
        }
    }
    assert!(
        remapped[0] > remapped[3] && remapped[3] > remapped[6] && remapped[6] > 0,
        "the later, the fewer: {remapped:?}"
    );
}

/// CX-05: without room for all of a block it runs on unharmed, with the group that there was room for in global memory.
#[rstest]
#[case::for_nothing(0, 0)]
#[case::for_one_of_two_warps(1, 1)]
fn cx_05_no_room(#[case] room: u32, #[case] groups: u64) {
    let kernel = shipped("fibonacci");
    let block = Overrides { grid: Some([2, 1, 1]), block: Some([64, 1, 1]), ..Overrides::default() };
    let launch = kernel.launch(&block).expect("it launches");
    let options = RunOptions { suspend: suspended(900, 2), context_room: Some(room), ..RunOptions::default() };
    let outcome = support::run_on_core(&kernel, &launch, Configuration::default(), options);
    assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
    assert_eq!(kernel.check(&launch, &outcome.global), []);
    let failures: Vec<_> = outcome.failed_suspensions.iter().map(|failed| &failed.failure).collect();
    assert!(matches!(failures[..], [SuspendFailure::NoMemory, SuspendFailure::NoMemory]), "{failures:?}");
    let counts = outcome.counters.context;
    assert_eq!(counts.copied, groups * u64::from(launch.local_bytes / 4) * 32);
    assert_eq!(counts.remapped > 0, groups > 0);
}

/// CX-05, CX-07: a block that ends gives its memory back: where there is room for eight, twice as many find it, one after the other.
#[test]
fn cx_07_memory_is_given_back() {
    let kernel = support::kernel(
        "
.local 8
.memory result, threads
.grid 60
.block 32
        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        MOV     R1, 4
        ST.LOCAL.W [R1], R0
        MOV     R0, 0
        LD.LOCAL.W R3, [R1]
        ST.GLOBAL.W [R10], R3
        EXIT
",
    );
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    // At most four blocks are in the core, and one is away.
    let options = RunOptions { suspend: suspended(0, 200), context_room: Some(8), ..RunOptions::default() };
    let outcome = support::run_on_core(&kernel, &launch, Configuration::default(), options);
    // A run that ends while a buffer is still out is a fault of the core's.
    assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
    assert!(support::words(&outcome)[..60 * 32].iter().copied().eq(0..60 * 32));
    assert_eq!(outcome.failed_suspensions.len(), 0);
    // Each time that a group is saved its 64 words are copied, into memory that eight groups fill.
    assert_eq!(outcome.counters.context.copied, 16 * 64, "{:?}", outcome.counters);
}

/// When each instruction was first offered: cycle, and which.
#[derive(Default)]
struct Issues(Vec<(u64, Fetch)>);

impl Trace for Issues {
    fn issue(&mut self, cycle: u64, _: usize, fetch: Fetch) -> io::Result<()> {
        self.0.push((cycle, fetch));
        Ok(())
    }
    fn reasons(&mut self, _: u64, _: usize, _: &Reasons) -> io::Result<()> {
        Ok(())
    }
    fn tokens(&mut self, _: u64, _: usize, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn finish(&mut self, _: u64, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn close(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// CX-04, SM-05: an instruction that accesses N words of local memory keeps its warp waiting for N + 1 cycles, and nothing else differs from a core whose local
/// memory takes no time: one warp issues the same instructions, each as late as that says.
#[test]
fn cx_04_an_access_takes_a_cycle() {
    let kernel = shipped("fibonacci");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let [free, own] = [None, suspended(u64::MAX, 1)].map(|suspend| {
        let (configuration, options) = (Configuration::default(), RunOptions { suspend, ..RunOptions::default() });
        let core = elaborated::build_core(&CoreMachine::setup(&kernel, &launch, configuration, &options));
        let machine = CoreMachine::new(&kernel, &launch, core.expect("it is elaborated"), options).expect("it fits");
        let mut issues = Issues::default();
        let outcome = machine.traced(&mut issues).run(&|| false, &mut |_| ());
        assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
        issues.0
    });
    assert_eq!(free.len(), own.len());
    let mut accesses = 0;
    for (free, own) in free.windows(2).zip(own.windows(2)) {
        let fetch = free[0].1;
        assert_eq!((fetch, free[1].1), (own[0].1, own[1].1));
        let instruction = &kernel.instructions[fetch.address as usize];
        let local = matches!(instruction.action, Action::Load(Space::Local, _) | Action::Store(Space::Local, _));
        let words = if local { u64::from(fetch.active.count_ones()) } else { 0 };
        assert!(!local || instruction.guard.predicate == ALWAYS_TRUE, "all of its threads access");
        let waits = if local { words + 2 } else { 0 };
        assert_eq!(own[1].0 - own[0].0, waits.max(free[1].0 - free[0].0), "behind {fetch:?} in cycle {}", own[0].0);
        accesses += words;
    }
    assert!(accesses > 1_000);
}

/// SM-05: a core that can suspend its blocks and does not takes the same cycles as one that cannot, if there is no local memory, which takes its time in one alone.
#[rstest]
fn sm_05_no_cost_without_suspensions(#[values("nested_if", "switch", "histogram")] name: &str) {
    let kernel = shipped(name);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let plain = run(&kernel, &launch, Configuration::default(), None);
    let never = SuspendOptions { patience: 1, ..SuspendOptions::at(u64::MAX) };
    let able = run(&kernel, &launch, Configuration::default(), Some(never));
    assert_eq!(able.counters, plain.counters);
    assert_eq!(able.global, plain.global);
}
