//! The control core in RTL, with the lanes around it, against the machine: every kernel that ships issues the same instructions in the same cycles,
//! counts the same and leaves the same memory (SM-01 to SM-03, SM-06, SM-07).

mod bench;
mod priorities;

use crate::support::kernel;
use bench::{machine, Core, Run};
use heddle_sim::assembler::{Kernel, Overrides};
use heddle_sim::engine::{Configuration, PathPolicy, YieldPolicy};
use heddle_sim::kernels;
use heddle_sim::machine::{RunOptions, SchedulerPolicy};
use rstest::rstest;

/// The core with this engine.
fn top(configuration: &Configuration) -> (&'static str, &'static str) {
    match (configuration.tree, configuration.warps, configuration.depth) {
        (true, ..) => ("control_core_tree", "4x32x64"),
        (false, 16, _) => ("control_core", "16x32x32"),
        (false, _, 16) => ("control_core", "4x32x16"),
        (false, ..) => ("control_core", "4x32x32"),
    }
}

/// Both, on a kernel with its own sizes; they must agree in everything. None if the kernel is to hang on this engine.
fn agree(kernel: &Kernel, configuration: Configuration, options: RunOptions) -> Option<Run> {
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let expected = machine(kernel, &launch, configuration, options, &[])?;
    let (block, point) = top(&configuration);
    let got = Core::new(block, point, kernel, &launch, configuration, options).run(options.max_cycles);
    let same = expected.issues.iter().zip(&got.issues).take_while(|(one, other)| one == other).count();
    assert_eq!(
        got.issues.get(same),
        expected.issues.get(same),
        "{}: instruction {same} of {} (behind {:?})",
        kernel.name,
        expected.issues.len(),
        expected.issues[same.saturating_sub(3)..same].to_vec()
    );
    assert_eq!(got.counters, expected.counters, "{}", kernel.name);
    assert_eq!(kernel.check(&launch, &got.global), [], "{}", kernel.name);
    Some(got)
}

/// Every kernel that ships, with barriers or without.
fn shipped(barriers: bool) -> Vec<Kernel> {
    let kernels = kernels::ALL.iter().map(|shipped| kernel(shipped.text));
    kernels.filter(|kernel| kernel.uses_barriers() == barriers).collect()
}

/// Runs all of them; gives how many ended.
fn agree_on_all(barriers: bool, configuration: Configuration, options: RunOptions) -> usize {
    shipped(barriers).iter().filter(|kernel| agree(kernel, configuration, options).is_some()).count()
}

/// SM-01, SM-02, SM-03, SM-06: the deque, by turns and greedy, under every path policy.
#[rstest]
#[case(PathPolicy::Taken, SchedulerPolicy::RoundRobin)]
#[case(PathPolicy::Smaller, SchedulerPolicy::GreedyThenOldest)]
fn sm_01_equal_to_the_machine_on_the_deque(#[case] path_policy: PathPolicy, #[case] scheduler: SchedulerPolicy) {
    let configuration = Configuration { path_policy, depth: 16, ..Configuration::default() };
    assert!(agree_on_all(false, configuration, RunOptions { scheduler, ..RunOptions::default() }) > 15);
}

/// SM-01: the tree.
#[test]
fn sm_01_equal_to_the_machine_on_the_tree() {
    let configuration = Configuration { tree: true, depth: 64, ..Configuration::default() };
    assert!(agree_on_all(false, configuration, RunOptions::default()) > 15);
}

/// SM-01, SM-03: 16 warps, YIELDs that fire at random, and a core of which only three warps are switched on.
#[rstest]
#[case(Configuration { warps: 16, yield_policy: YieldPolicy::Random, yield_parameter: 100, ..Configuration::default() })]
#[case(Configuration { warps: 3, depth: 32, ..Configuration::default() })]
fn sm_03_equal_with_more_and_fewer_warps(#[case] configuration: Configuration) {
    for name in ["nested_if", "fibonacci", "quicksort", "stencil_sparse"] {
        let kernel = kernel(kernels::find(name).expect("it ships").text);
        let needed = kernel.launch(&Overrides::default()).expect("it launches").block_threads() as usize;
        if needed <= configuration.warps * configuration.threads {
            assert!(agree(&kernel, configuration, RunOptions::default()).is_some(), "{name} ends");
        }
    }
}

/// SM-07, BR-01 to BR-51: every kernel with barriers, on each engine, by turns and greedy: what the scheduler is asked, what it answers and whom it wakes is
/// the same in every cycle.
#[rstest]
#[case(Configuration { depth: 32, ..Configuration::default() }, SchedulerPolicy::RoundRobin)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(Configuration { depth: 32, path_policy: PathPolicy::NotTaken, ..Configuration::default() }, SchedulerPolicy::GreedyThenOldest)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(Configuration { depth: 32, stack_mode: true, ..Configuration::default() }, SchedulerPolicy::RoundRobin)]
#[case(Configuration { tree: true, depth: 64, ..Configuration::default() }, SchedulerPolicy::RoundRobin)]
fn sm_07_equal_to_the_machine_with_barriers(#[case] configuration: Configuration, #[case] scheduler: SchedulerPolicy) {
    assert!(agree_on_all(true, configuration, RunOptions { scheduler, ..RunOptions::default() }) > 10);
}

/// SM-07: 16 warps of 32 threads, of which two share a block of 64 of the barrier scheduler.
#[test]
fn sm_07_equal_with_blocks_of_64() {
    let configuration = Configuration { warps: 16, depth: 32, ..Configuration::default() };
    let options = RunOptions { barrier_block: Some(64), ..RunOptions::default() };
    assert!(agree_on_all(true, configuration, options) > 10);
}
