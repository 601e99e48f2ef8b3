//! The control core in RTL, with the lanes around it, against the machine: every kernel that ships issues the same instructions in the same cycles,
//! counts the same and leaves the same memory (SM-01 to SM-03, SM-06, SM-07).

mod support;

#[path = "control_core/bench.rs"]
mod bench;

use bench::{machine, Core, Run};
use heddle_sim::assembler::{Kernel, Overrides};
use heddle_sim::engine::{Configuration, PathPolicy, YieldPolicy};
use heddle_sim::kernels;
use heddle_sim::machine::{RunOptions, SchedulerPolicy};
use rstest::rstest;
use support::kernel;

/// The core with this engine.
fn top(configuration: &Configuration) -> (&'static str, &'static str) {
    match (configuration.tree, configuration.warps, configuration.depth) {
        (true, ..) => ("control_core_tree", "4x32x64"),
        (false, 16, _) => ("control_core", "16x32x32"),
        (false, _, 16) => ("control_core", "4x32x16"),
        (false, ..) => ("control_core", "4x32x32"),
    }
}

/// Both, on a kernel with its own sizes; they must agree in everything.
fn agree(kernel: &Kernel, configuration: Configuration, options: RunOptions) -> Run {
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let expected = machine(kernel, &launch, configuration, options);
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
    got
}

/// Kernels that this test runs: those that end on every engine in reasonable time.
fn shipped(barriers: bool) -> Vec<Kernel> {
    let hangs = ["spin_lock_plain"];
    kernels::ALL
        .iter()
        .map(|shipped| kernel(shipped.text))
        .filter(|kernel| kernel.uses_barriers() == barriers && !hangs.contains(&kernel.name.as_str()))
        .collect()
}

/// SM-01, SM-02, SM-03, SM-06: the deque, by turns and greedy, under every path policy.
#[rstest]
#[case(PathPolicy::Taken, SchedulerPolicy::RoundRobin)]
#[case(PathPolicy::Smaller, SchedulerPolicy::GreedyThenOldest)]
fn sm_01_equal_to_the_machine_on_the_deque(#[case] path_policy: PathPolicy, #[case] scheduler: SchedulerPolicy) {
    let configuration = Configuration { path_policy, depth: 16, ..Configuration::default() };
    for kernel in shipped(false) {
        agree(&kernel, configuration, RunOptions { scheduler, ..RunOptions::default() });
    }
}

/// SM-01: the tree.
#[test]
fn sm_01_equal_to_the_machine_on_the_tree() {
    for kernel in shipped(false) {
        agree(&kernel, Configuration { tree: true, depth: 64, ..Configuration::default() }, RunOptions::default());
    }
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
            agree(&kernel, configuration, RunOptions::default());
        }
    }
}
