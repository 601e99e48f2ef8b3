//! The kernels that ship, run on the reference models: right results on the token queue under every policy, and on the plain
//! stack exactly where their files say so.

use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides, POLICIES};
use heddle_sim::barrier::Statics;
use heddle_sim::cli::registry::model_barriers;
use heddle_sim::engine::{Configuration, Engine, PathPolicy, YieldPolicy};
use heddle_sim::kernels;
use heddle_sim::machine::{Machine, Outcome, RunOptions, Verdict};
use heddle_sim::model::tree::TreeTable;
use heddle_sim::model::DequeModel;
use rstest::rstest;

fn kernel(name: &str) -> Kernel {
    let shipped = kernels::find(name).expect("it ships");
    assemble(shipped.text, shipped.file_name).expect("it assembles")
}

fn run(kernel: &Kernel, launch: &Launch, configuration: Configuration) -> Outcome {
    let engine: Box<dyn Engine> = match configuration.tree {
        true => Box::new(TreeTable::new(configuration)),
        false => Box::new(DequeModel::new(configuration)),
    };
    let options = RunOptions { max_cycles: 30_000_000, watchdog: 20_000, ..RunOptions::default() };
    let machine = Machine::new(kernel, launch, engine, options).expect("it fits");
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = model_barriers(options.barrier_size(launch), Statics::default()).expect("the model");
            machine.with_barriers(launch, scheduler).expect("it fits the barrier scheduler")
        }
        false => machine,
    };
    machine.run(&|| false, &mut |_| ())
}

/// Runs to the right result.
fn assert_right(kernel: &Kernel, overrides: &Overrides, configuration: Configuration) {
    let launch = kernel.launch(overrides).expect("it launches");
    let outcome = run(kernel, &launch, configuration);
    let setting = format!("{} with {overrides:?} and {configuration:?}", kernel.name);
    assert!(outcome.verdict == Verdict::Completed, "{setting}: {}", outcome.verdict.explain());
    let mismatches = kernel.check(&launch, &outcome.global);
    assert!(mismatches.is_empty(), "{setting}: {mismatches:?}");
}

const YIELDS: [(YieldPolicy, u8); 3] =
    [(YieldPolicy::Always, 0), (YieldPolicy::EveryNth, 3), (YieldPolicy::Random, 100)];

/// SM-20 to SM-23: the token queue runs every kernel that ships to the expected result, whichever path runs first and whenever a YIELD
/// yields.
#[test]
fn deque_is_right_under_every_policy() {
    for shipped in kernels::ALL {
        let kernel = kernel(shipped.name);
        for (_, path_policy) in POLICIES {
            for (yield_policy, yield_parameter) in YIELDS {
                let configuration =
                    Configuration { path_policy, yield_policy, yield_parameter, ..Configuration::default() };
                assert_right(&kernel, &Overrides::default(), configuration);
            }
        }
    }
}

/// SM-20: on the plain stack a kernel hangs under the path policies that its file names, and under no other.
#[test]
fn plain_stack_hangs_exactly_where_the_file_says() {
    for shipped in kernels::ALL {
        let kernel = kernel(shipped.name);
        let launch = kernel.launch(&Overrides::default()).expect("it launches");
        for (policy, path_policy) in POLICIES {
            let configuration = Configuration { path_policy, stack_mode: true, ..Configuration::default() };
            let outcome = run(&kernel, &launch, configuration);
            match outcome.verdict {
                Verdict::Completed => {
                    assert!(!kernel.stack_hangs(path_policy), "{} under {policy} got through", kernel.name);
                    assert_eq!(kernel.check(&launch, &outcome.global), [], "{} under {policy}", kernel.name);
                }
                Verdict::Hang(_) => assert!(kernel.stack_hangs(path_policy), "{} under {policy} hangs", kernel.name),
                verdict => panic!("{} under {policy}: {}", kernel.name, verdict.explain()),
            }
        }
    }
}

/// SM-20: the three forms of the spin lock differ as they should: always, never, under two of four policies.
#[rstest]
#[case("spin_lock", 4)]
#[case("spin_lock_inside", 0)]
#[case("spin_lock_plain", 2)]
fn spin_locks_hang_under_so_many_policies(#[case] name: &str, #[case] policies: usize) {
    assert_eq!(kernel(name).stack_hangs.len(), policies);
}

/// SM-20, SM-21: several warps, several thread blocks, blocks that fill no whole number of warps, three dimensions.
#[rstest]
#[case([1, 1, 1], [1, 1, 1])]
#[case([1, 1, 1], [33, 1, 1])]
#[case([3, 1, 1], [50, 1, 1])]
#[case([2, 2, 1], [8, 3, 5])]
fn shapes_of_grid_and_block(#[case] grid: [u32; 3], #[case] block: [u32; 3]) {
    for shipped in kernels::ALL {
        let overrides = Overrides { grid: Some(grid), block: Some(block), ..Overrides::default() };
        for path_policy in [PathPolicy::Taken, PathPolicy::Larger] {
            let configuration = Configuration { path_policy, ..Configuration::default() };
            assert_right(&kernel(shipped.name), &overrides, configuration);
        }
    }
}

/// SM-20, SM-21: other parameters give other results, and the checks follow.
#[rstest]
#[case("producer_consumer", "items", 1)]
#[case("producer_consumer", "items", 9)]
#[case("hash_table_insert", "bucket_bits", 0)]
#[case("hash_table_insert", "bucket_bits", 8)]
#[case("loops", "limit", 3)]
#[case("fibonacci", "modulus", 9)]
#[case("quicksort", "items", 1)]
#[case("quicksort", "items", 40)]
#[case("virtual_calls", "calls", 0)]
#[case("goto_spaghetti", "steps", 200)]
fn other_parameters(#[case] name: &str, #[case] parameter: &str, #[case] value: u32) {
    let overrides = Overrides { parameters: [(parameter.to_string(), value)].into(), ..Overrides::default() };
    assert_right(&kernel(name), &overrides, Configuration::default());
}

/// SM-23: the irregular kernels are right at each of their sizes, on every engine.
#[rstest]
fn sm_23_every_size_on_every_engine(
    #[values("bfs", "spmv", "bitonic_sort", "queens", "nbody", "prefix_sum")] name: &str,
    #[values((true, false), (false, false), (false, true))] (stack_mode, tree): (bool, bool),
) {
    assert_right_at_every_size(name, stack_mode, tree);
}

/// SM-23: the same of the one that takes longest.
#[rstest]
#[case::stack(true, false)]
#[case::deque(false, false)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case::tree(false, true)]
fn sm_23_every_size_of_mandelbrot(#[case] stack_mode: bool, #[case] tree: bool) {
    assert_right_at_every_size("mandelbrot", stack_mode, tree);
}

fn assert_right_at_every_size(name: &str, stack_mode: bool, tree: bool) {
    let kernel = kernel(name);
    // A prefix sum grows with the grid, the others with their parameters.
    let grid = (name == "prefix_sum").then_some([12, 1, 1]);
    assert!(kernel.sizes.iter().any(|size| size.name == "real"), "{name} has no real size");
    let sizes = kernel.sizes.iter().map(|size| Overrides { parameters: size.parameters.clone(), grid, block: None });
    for overrides in sizes.chain([Overrides::default()]) {
        let configuration = Configuration { stack_mode, tree, ..Configuration::default() };
        let launch = kernel.launch(&overrides).expect("it launches");
        let outcome = run(&kernel, &launch, configuration);
        assert!(outcome.verdict == Verdict::Completed, "{name} {overrides:?}: {}", outcome.verdict.explain());
        assert_eq!(kernel.check(&launch, &outcome.global), [], "{name} {overrides:?}");
    }
}
