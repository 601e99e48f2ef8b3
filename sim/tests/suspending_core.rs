//! Blocks that a control core suspends and resumes by itself, in the middle of a kernel (SM-05, CX-07, CX-09, CX-10).

mod support;

use heddle_sim::assembler::{Kernel, Launch, Overrides};
use heddle_sim::engine::Configuration;
use heddle_sim::kernels;
use heddle_sim::machine::{Outcome, RunOptions, SuspendOptions, Verdict};
use rstest::rstest;

fn shipped(name: &str) -> Kernel {
    support::kernel(kernels::find(name).expect("it ships").text)
}

fn run(kernel: &Kernel, launch: &Launch, configuration: Configuration, suspend: Option<SuspendOptions>) -> Outcome {
    support::run_on_core(kernel, launch, configuration, RunOptions { suspend, ..RunOptions::default() })
}

/// Suspends in every so many cycles, a run each, and compares the results with those of the run that is not suspended.
fn assert_unharmed(name: &str, configuration: Configuration, every: usize, times: u32) {
    let kernel = shipped(name);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let alone = run(&kernel, &launch, configuration, None);
    assert_eq!(alone.verdict, Verdict::Completed, "{name}");
    let mut suspended = 0;
    for at in (0..alone.counters.cycles).step_by(every) {
        let options = SuspendOptions { at, times, patience: SuspendOptions::PATIENCE };
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
#[case("histogram", 61)]
fn cx_10_boundaries_with_barriers(#[case] name: &str, #[case] every: usize) {
    assert_unharmed(name, Configuration::default(), every, 1);
}

/// CX-07: local memory is copied at the first suspension only, however often the block leaves after that.
#[test]
fn cx_07_a_second_save_copies_nothing() {
    let kernel = shipped("quicksort");
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let copied = |times| {
        let suspend = Some(SuspendOptions { at: 900, times, patience: SuspendOptions::PATIENCE });
        let outcome = run(&kernel, &launch, Configuration::default(), suspend);
        assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
        assert_eq!(outcome.counters.suspensions.resumed, u64::from(times));
        outcome.counters.context.copied
    };
    let once = copied(1);
    assert!(once > 0);
    assert_eq!(copied(4), once);
}

/// SM-05: a core that can suspend its blocks and does not takes the same cycles as one that cannot.
#[rstest]
fn sm_05_no_cost_without_suspensions(#[values("nested_if", "fibonacci", "histogram")] name: &str) {
    let kernel = shipped(name);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let plain = run(&kernel, &launch, Configuration::default(), None);
    let never = SuspendOptions { at: u64::MAX, times: 1, patience: 1 };
    let able = run(&kernel, &launch, Configuration::default(), Some(never));
    assert_eq!(able.counters, plain.counters);
    assert_eq!(able.global, plain.global);
}
