//! CTAs that use barriers and are suspended in the middle of a kernel: they leave their sections, go, and come back (CX-09, CX-10); and what becomes of
//! one that cannot go (CX-05, CX-10).

use crate::support;
use heddle_sim::assembler::{Kernel, Launch, Overrides};
use heddle_sim::barrier::Statics;
use heddle_sim::cli::registry::{model_barriers, model_context, BarrierFactory, ContextFactory};
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::kernels;
use heddle_sim::machine::{Machine, Outcome, RunOptions, SuspendFailure, SuspendOptions, Verdict};
use heddle_sim::model::DivergenceUnit;
use heddle_sim::rtl::elaborated;
use rstest::rstest;

/// Kernels of every kind of barrier: conditional, sections, exclusive ones, late threads, split phases, resets, impatience.
const SHORT: [&str; 6] =
    ["barrier_reset", "half_barrier", "divergent_barrier", "split_phases", "leaving_warp", "compaction"];
const LONG: [&str; 8] = [
    "exclusive_counter",
    "block_scan",
    "histogram",
    "late_join",
    "late_skip",
    "late_pass",
    "late_count",
    "early_leavers",
];

fn shipped(name: &str) -> Kernel {
    support::kernel(kernels::find(name).expect("it ships").text)
}

/// A core: an engine, the barrier scheduler and the context unit beside it.
struct Core {
    engine: Box<dyn Engine>,
    barriers: BarrierFactory,
    context: ContextFactory,
}

impl Core {
    fn model() -> Self {
        let engine = Box::new(DivergenceUnit::windowed(Configuration::default()));
        Self { engine, barriers: model_barriers, context: model_context }
    }

    fn rtl() -> Self {
        let engine = elaborated::build(&Configuration::default()).expect("it is elaborated");
        Self { engine, barriers: elaborated::build_barriers, context: elaborated::build_context }
    }
}

fn run(kernel: &Kernel, launch: &Launch, core: Core, options: RunOptions) -> Outcome {
    let Configuration { warps, threads, .. } = *core.engine.configuration();
    let machine = Machine::new(kernel, launch, core.engine, options).expect("it fits");
    let machine = match (core.context)(warps, threads).expect("it is built") {
        Some((shape, ports)) if launch.local_bytes > 0 => machine.with_context(shape, ports),
        _ => machine,
    };
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = (core.barriers)(options.barrier_size(launch), Statics::default()).expect("it is built");
            machine.with_barriers(launch, scheduler).expect("it fits")
        }
        false => machine,
    };
    machine.run(&|| false, &mut |_| ())
}

fn on_model(kernel: &Kernel, launch: &Launch, options: RunOptions) -> Outcome {
    run(kernel, launch, Core::model(), options)
}

fn on_rtl(kernel: &Kernel, launch: &Launch, options: RunOptions) -> Outcome {
    run(kernel, launch, Core::rtl(), options)
}

/// The control core, which suspends by itself.
fn on_core(kernel: &Kernel, launch: &Launch, options: RunOptions) -> Outcome {
    support::run_on_core(kernel, launch, Configuration::default(), options)
}

/// One of these.
type Runner = fn(&Kernel, &Launch, RunOptions) -> Outcome;

fn suspending(at: u64, times: u32) -> RunOptions {
    let suspend = Some(SuspendOptions { times, ..SuspendOptions::at(at) });
    RunOptions { suspend, max_cycles: 200_000, ..RunOptions::default() }
}

/// Suspends in each of the given cycles, a run each; memory must be what the kernel promises.
fn assert_unharmed(name: &str, overrides: &Overrides, build: fn() -> Core, every: usize, times: u32) {
    let kernel = shipped(name);
    let launch = kernel.launch(overrides).expect("it launches");
    let alone = run(&kernel, &launch, build(), RunOptions::default());
    assert_eq!(alone.verdict, Verdict::Completed, "{name}");
    let (mut tried, mut suspended) = (0, 0);
    for at in (0..alone.counters.cycles).step_by(every) {
        let outcome = run(&kernel, &launch, build(), suspending(at, times));
        let counts = outcome.counters.suspensions;
        let what = format!("{name} suspended in cycle {at} of {}: {counts:?}", alone.counters.cycles);
        assert!(outcome.verdict == Verdict::Completed, "{what}: {}", outcome.verdict.explain());
        assert_eq!(kernel.check(&launch, &outcome.global), [], "{what}");
        assert_eq!((counts.suspended, counts.failed), (counts.resumed, 0), "{what}");
        (tried, suspended) = (tried + 1, suspended + u64::from(counts.suspended > 0));
    }
    // A CTA may end before it is held: its last EXITs come before the Suspend that is presented again.
    assert!(2 * suspended >= tried, "{name}: suspended in {suspended} of {tried} runs");
}

/// CX-09, CX-10: a kernel with barriers, suspended in any cycle and resumed in another slot of the barrier scheduler, gives the same result; on the model.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn cx_09_10_every_cycle_on_the_model() {
    for name in SHORT {
        assert_unharmed(name, &Overrides::default(), Core::model, 1, 1);
    }
    for name in LONG {
        assert_unharmed(name, &Overrides::default(), Core::model, 13, 1);
    }
}

/// CX-09, CX-10: the same on the RTL of engine, barrier scheduler and context unit; `cargo sim suspend KERNEL` tries every cycle.
#[test]
fn cx_09_10_strided_on_the_rtl() {
    for name in SHORT {
        assert_unharmed(name, &Overrides::default(), Core::rtl, 41, 1);
    }
    for name in LONG {
        assert_unharmed(name, &Overrides::default(), Core::rtl, 503, 1);
    }
}

/// CX-09, CX-10: again and again, with several CTAs in flight, of which another takes the place of the one that is away.
#[test]
fn cx_09_10_suspended_many_times_among_others() {
    let overrides = Overrides { grid: Some([6, 1, 1]), ..Overrides::default() };
    for name in ["compaction", "half_barrier", "exclusive_counter", "split_phases"] {
        assert_unharmed(name, &overrides, Core::model, 29, 4);
    }
}

/// A thread of an ordered section that stays in it for a long time.
const LONG_SECTION: &str = "
.memory result, threads
.grid 2
.block 32
        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R0, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R0, 4, R10
        ISETP.LT.U P0, R2, 2
        MOV     R3, 0
        @P0 BARRIER.ORDERED 1, after
again:
        IADD    R3, R3, 1
        ISETP.LT.U P1, R3, 200
        @P1 BRA again
        BARRIER.BOTTOM 1
after:
        ST.GLOBAL.W [R10], R3
        EXIT
";

/// CX-10: no bottom in so many cycles: the suspension fails, the error names the section, and the CTA runs on; with more patience the same suspension succeeds, later.
#[rstest]
#[case::model(on_model)]
#[case::rtl(on_rtl)]
#[case::core(on_core)]
fn cx_10_no_bottom_in_time(#[case] run: Runner) {
    let kernel = support::kernel(LONG_SECTION);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let expected: Vec<u32> = (0..64).map(|thread| if thread % 32 < 2 { 200 } else { 0 }).collect();
    for (patience, fails) in [(20, true), (5_000, false)] {
        let suspend = Some(SuspendOptions { patience, ..SuspendOptions::at(150) });
        let outcome = run(&kernel, &launch, RunOptions { suspend, ..RunOptions::default() });
        assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
        let words = support::words(&outcome);
        assert_eq!(words[..64], expected, "patience {patience}");
        let counts = outcome.counters.suspensions;
        assert_eq!((counts.failed, counts.suspended), if fails { (1, 0) } else { (0, 1) }, "patience {patience}");
        assert_eq!(outcome.failed_suspensions.len(), usize::from(fails));
        if let Some(failed) = outcome.failed_suspensions.first() {
            assert!(matches!(failed.failure, SuspendFailure::NoBottom { barrier: 1, .. }), "{failed}");
            assert!(failed.to_string().contains("does not leave the section of barrier 1"), "{failed}");
            assert!((170..400).contains(&failed.cycle), "{failed}");
        }
    }
}

/// Threads that stay in a section until threads outside have run: of their own block in another warp, and of the other block.
const WAITS_INSIDE: &str = "
.memory flags, 2
.memory result, threads
.grid 2
.block 64
        S2R     R0, %cta
        S2R     R1, %block
        S2R     R2, %logical
        IMAD    R5, R0, R1, R2
        PARAM   R10, result
        IMAD    R10, R5, 4, R10
        PARAM   R11, flags
        IADD    R15, R11, 4
        PARAM   R14, flags
        IMAD    R14, R0, 4, R14
        ISETP.LT.U P0, R2, 2
        MOV     R3, 0
        @P0 BARRIER.ORDERED 1, after
inside:
        LD.GLOBAL.W R6, [R11]
        LD.GLOBAL.W R7, [R15]
        IADD    R3, R6, R7
        ISETP.LT.U P1, R3, 2
        @P1 BRA inside
        BARRIER.BOTTOM 1
after:
        ISETP.NE.U P2, R2, 63
        @P2 BRA done
        MOV     R4, 0
outside:
        IADD    R4, R4, 1
        ISETP.LT.U P3, R4, 100
        @P3 BRA outside
        MOV     R8, 1
        ST.GLOBAL.W [R14], R8
done:
        ST.GLOBAL.W [R10], R3
        EXIT
";

/// BR-38: code outside a section, of this block and of another one, runs while threads are inside: these wait for it, and would for ever.
#[rstest]
#[case::model(on_model)]
#[case::rtl(on_rtl)]
#[case::core(on_core)]
fn br_38_code_outside_runs_on(#[case] run: Runner) {
    let kernel = support::kernel(WAITS_INSIDE);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let outcome = run(&kernel, &launch, RunOptions { max_cycles: 100_000, ..RunOptions::default() });
    assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
    let words = support::words(&outcome);
    assert_eq!(words[..2], [1, 1], "both were outside");
    let expected: Vec<u32> = (0..128).map(|thread| if thread % 64 < 2 { 2 } else { 0 }).collect();
    assert_eq!(words[words.len() - 128..], expected, "who was inside saw both");
}

/// CX-09, CX-10: threads asleep at barriers in warps whose engine is the tree, suspended on the way.
#[rstest]
#[case("half_barrier", 7)]
#[case("divergent_barrier", 7)]
#[case("compaction", 101)]
fn cx_09_10_sleepers_of_a_tree(#[case] name: &str, #[case] every: usize) {
    fn tree() -> Core {
        let configuration = Configuration { tree: true, depth: 64, ..Configuration::default() };
        let engine = elaborated::build(&configuration).expect("it is elaborated");
        Core { engine, barriers: elaborated::build_barriers, context: elaborated::build_context }
    }
    assert_unharmed(name, &Overrides::default(), tree, every, 1);
}

/// CX-05: the allocator has room for one of the CTA's two warps: the suspension fails, that warp runs on from global memory and the other one where it
/// was, and the run ends as it would have.
#[rstest]
#[case::model(on_model)]
#[case::rtl(on_rtl)]
#[case::core(on_core)]
fn cx_05_no_room_for_a_cta(#[case] run: Runner) {
    let kernel = shipped("quicksort");
    let overrides = Overrides { block: Some([64, 1, 1]), ..Overrides::default() };
    let launch = kernel.launch(&overrides).expect("it launches");
    let words = u64::from(launch.local_bytes.div_ceil(4)) * 32;
    let options = RunOptions { context_room: Some(1), ..suspending(400, 1) };
    let outcome = run(&kernel, &launch, options);
    assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
    assert_eq!(kernel.check(&launch, &outcome.global), []);
    let counts = outcome.counters.suspensions;
    assert_eq!((counts.failed, counts.suspended, counts.resumed), (1, 0, 0));
    assert_eq!(outcome.counters.context.copied, words, "one warp was copied");
    assert!(outcome.counters.context.remapped > 0, "it reads and writes where it was copied to");
    assert!(matches!(outcome.failed_suspensions[..], [ref failed] if failed.failure == SuspendFailure::NoMemory));
}
