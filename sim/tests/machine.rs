//! The machine as a library: kernels on engines, hangs, counters, faults.

use std::collections::BTreeMap;

use heddle_sim::assembler::{assemble, Kernel, Overrides};
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Request, YieldPolicy};
use heddle_sim::lanes::LaneFault;
use heddle_sim::machine::counters::InstructionCounts;
use heddle_sim::machine::hang::Hang;
use heddle_sim::machine::{Machine, MachineError, Outcome, RunOptions, SchedulerPolicy, Verdict};
use heddle_sim::model::divergence_unit::DivergenceUnit;
use heddle_sim::model::DequeModel;
use rstest::rstest;

/// Spin until the lock is taken, then add to a counter under it: the source's own example.
const SPIN_LOCK: &str = "
.memory lock, 1
.memory counter, 1
.block 32
.expect lock = 0
.expect counter = threads
        PARAM   R10, lock
        PARAM   R11, counter
        MOV     R5, 1
        PBK     acquired
spin:
        ATOM.GLOBAL.CAS R4, [R10], 0, R5
        ISETP.EQ.U P0, R4, 0
        @P0 BRK acquired
        YIELD
        BRA     spin
acquired:
        LD.GLOBAL.W R6, [R11]
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6
        ST.GLOBAL.W [R10], RZ
        EXIT
";

fn kernel(text: &str) -> Kernel {
    assemble(text, "test.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)))
}

fn run_on(kernel: &Kernel, engine: Box<dyn Engine>, options: RunOptions) -> Outcome {
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let machine = Machine::new(kernel, &launch, engine, options).expect("the kernel fits");
    let outcome = machine.run(&|| false, &mut |_| {});
    if outcome.verdict == Verdict::Completed {
        assert_eq!(kernel.check(&launch, &outcome.global), []);
    }
    outcome
}

fn model(configuration: Configuration) -> Box<dyn Engine> {
    Box::new(DequeModel::new(configuration))
}

fn stack() -> Configuration {
    Configuration { stack_mode: true, ..Configuration::default() }
}

fn hang(outcome: &Outcome) -> &Hang {
    match &outcome.verdict {
        Verdict::Hang(hang) => hang,
        other => panic!("no hang but {other:?}"),
    }
}

/// SM-04, SM-01, UX-02: on the plain stack the watchdog proves the deadlock and names the circle: who spins on what, who holds it,
/// and whom the holder waits for.
#[test]
fn the_stack_deadlocks_and_the_report_names_the_circle() {
    let outcome = run_on(&kernel(SPIN_LOCK), model(stack()), RunOptions::default());
    let hang = hang(&outcome);
    assert!(hang.deadlock);
    assert_eq!(hang.period, Some(5), "CAS, ISETP, BRK, YIELD, BRA");
    let [warp] = &hang.warps[..] else { panic!("one warp hangs: {hang:?}") };
    let [spinning] = &warp.spinning[..] else { panic!("one set spins: {warp:?}") };
    assert_eq!(spinning.threads, 0xffff_fffe);
    assert_eq!((spinning.from.line, spinning.to.line), (Some(12), Some(16)));
    let [word] = &spinning.words[..] else { panic!("one word: {spinning:?}") };
    assert_eq!((word.address, word.value), (0, 1));
    assert_eq!(word.holder.map(|holder| holder.thread), Some(0));
    let [waiting] = &warp.waiting[..] else { panic!("one set waits: {warp:?}") };
    assert_eq!((waiting.threads, waiting.reason), (1, Kind::Break));
    assert_eq!(waiting.at.line, Some(14));
    assert_eq!(waiting.resume.as_ref().and_then(|place| place.line), Some(18));
    assert_eq!(waiting.waits_for, 0xffff_fffe);
    let text = hang.to_string();
    for part in ["threads 1-31 spin from line 12 (spin:", "thread 0 is disabled (break) since line 14", "a circle"] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

/// SM-04: the deque gets through under every policy. With `every 256th` and `random 1/256` the spinning threads' visible state
/// recurs hundreds of times before a YIELD fires, which must not be taken for a loop.
#[rstest]
#[case(YieldPolicy::Always, 0)]
#[case(YieldPolicy::EveryNth, 3)]
#[case(YieldPolicy::EveryNth, 0)]
#[case(YieldPolicy::Random, 128)]
#[case(YieldPolicy::Random, 1)]
fn the_deque_finishes(#[case] yield_policy: YieldPolicy, #[case] yield_parameter: u8) {
    let configuration = Configuration { yield_policy, yield_parameter, ..Configuration::default() };
    let kernel = kernel(SPIN_LOCK);
    assert_eq!(run_on(&kernel, model(configuration), RunOptions::default()).verdict, Verdict::Completed);
    let windowed = Box::new(DivergenceUnit::windowed(Configuration { depth: 8, ..configuration }));
    assert_eq!(run_on(&kernel, windowed, RunOptions::default()).verdict, Verdict::Completed);
}

/// SM-04: threads that all run and get nowhere are a livelock, proven where no yield hides the queue.
#[test]
fn a_flag_that_nobody_sets_is_a_livelock() {
    let kernel = kernel(
        ".memory flag, 1\n PARAM R1, flag\nwait:\n LD.GLOBAL.W R2, [R1]\n ISETP.EQ.U P0, R2, 0\n @P0 BRA wait\n EXIT\n",
    );
    for configuration in [stack(), Configuration::default()] {
        let outcome = run_on(&kernel, model(configuration), RunOptions::default());
        let hang = hang(&outcome);
        assert!(!hang.deadlock && hang.period == Some(3), "{hang}");
        assert_eq!(hang.warps[0].spinning[0].words[0].holder, None);
    }
}

/// SM-04: threads that take turns by YIELD without getting anywhere are found by the limit, without a claim of proof.
#[test]
fn a_yielding_livelock_is_found_by_the_limit() {
    let kernel = kernel(
        ".memory flag, 1
         PARAM R1, flag
         S2R R3, %lane
         AND R3, R3, 1
         ISETP.EQ.U P1, R3, 0
         @P1 BRA other
wait:    LD.GLOBAL.W R2, [R1]
         ISETP.EQ.U P0, R2, 0
         YIELD
         @P0 BRA wait
         EXIT
other:   LD.GLOBAL.W R2, [R1]
         ISETP.EQ.U P0, R2, 0
         YIELD
         @P0 BRA other
         EXIT\n",
    );
    let options = RunOptions { watchdog: 2000, ..RunOptions::default() };
    let outcome = run_on(&kernel, model(Configuration { warps: 1, ..Configuration::default() }), options);
    let hang = hang(&outcome);
    assert_eq!((hang.deadlock, hang.period), (false, None), "{hang}");
    assert!(hang.quiet_cycles.is_some_and(|cycles| (2000..4000).contains(&cycles)), "{hang}");
    let sets: Vec<Mask> = hang.warps[0].spinning.iter().map(|spinning| spinning.threads).collect();
    assert_eq!(sets, [0x5555_5555, 0xaaaa_aaaa]);
}

/// SM-04: a long computation in registers is work, however small the limit is and however quiet it looks.
#[test]
fn a_long_computation_is_no_hang() {
    let kernel = kernel(
        ".memory result, 32\n.expect result = fill 50000\n
         PARAM R1, result
         S2R R3, %lane
         IMAD R1, R3, 4, R1
loop:    IADD R2, R2, 1
         ISETP.LT.U P0, R2, 50000
         YIELD
         @P0 BRA loop
         ST.GLOBAL.W [R1], R2
         EXIT\n",
    );
    let options = RunOptions { watchdog: 100, ..RunOptions::default() };
    for configuration in [stack(), Configuration::default()] {
        assert_eq!(run_on(&kernel, model(configuration), options).verdict, Verdict::Completed);
    }
}

/// SM-04: a lock that a thread of another warp holds for good is a livelock of the core, and its holder's warp is named.
#[test]
fn a_lock_held_by_another_warp_is_named() {
    let kernel = kernel(
        ".memory lock, 1\n.memory never, 1\n.block 64\n
         PARAM R10, lock
         PARAM R11, never
         MOV R5, 1
         S2R R1, %lane
         ISETP.NE.U P1, R1, 0
         @P1 EXIT
spin:    ATOM.GLOBAL.CAS R4, [R10], 0, R5
         ISETP.NE.U P0, R4, 0
         @P0 BRA spin
hold:    LD.GLOBAL.W R6, [R11]
         ISETP.EQ.U P0, R6, 0
         @P0 BRA hold
         EXIT\n",
    );
    let outcome = run_on(&kernel, model(stack()), RunOptions::default());
    let hang = hang(&outcome);
    assert_eq!(hang.warps.len(), 2);
    assert!(hang.period.is_some(), "{hang}");
    let holder = hang.warps[1].spinning[0].words[0].holder.expect("somebody holds the lock");
    assert_eq!((holder.warp, holder.thread), (0, 0));
    assert!(hang.to_string().contains("thread 0 of warp 0 took it last"), "{hang}");
}

/// SM-02, SM-03: blocks of several warps, more than the core holds at once, run to the end under both schedulers and any number
/// of resident warps.
#[rstest]
fn grids_larger_than_the_core_run_to_the_end(
    #[values(SchedulerPolicy::RoundRobin, SchedulerPolicy::GreedyThenOldest)] scheduler: SchedulerPolicy,
    #[values(2, 3, 7, 64)] warps: usize,
) {
    let kernel = kernel(
        ".grid 5, 2\n.block 8, 6\n.memory seen, threads\n.expect seen = each index + 1\n
         S2R R0, %cta_x
         S2R R1, %cta_y
         S2R R2, %grid_x
         IMAD R0, R1, R2, R0
         S2R R2, %logical
         IMAD R0, R0, 48, R2
         PARAM R1, seen
         IMAD R1, R0, 4, R1
         IADD R0, R0, 1
         ST.GLOBAL.W [R1], R0
         EXIT\n",
    );
    let options = RunOptions { scheduler, ..RunOptions::default() };
    let outcome = run_on(&kernel, model(Configuration { warps, ..Configuration::default() }), options);
    assert_eq!(outcome.verdict, Verdict::Completed);
    assert_eq!((outcome.counters.blocks_done, outcome.counters.warps_done), (10, 20));
}

/// SM-06: a program counted by hand.
#[test]
fn counters_count() {
    let kernel = kernel(
        ".memory data, 32
         SSY join
         S2R R0, %lane
         ISETP.LT.U P0, R0, 8
         @P0 BRA small
         IADD R1, R0, 1
         SYNC join
small:   PARAM R2, data
         IMAD R2, R0, 4, R2
         ST.GLOBAL.W [R2], R0
         ATOM.GLOBAL.ADD R3, [R2], R0
         SYNC join
join:    VOTE.ALL P1, PT
         FADD R4, R4, R4
         EXIT\n",
    );
    let outcome = run_on(&kernel, model(Configuration { warps: 1, ..Configuration::default() }), RunOptions::default());
    let counters = &outcome.counters;
    let expected =
        InstructionCounts { control: 5, barrier: 0, integer: 5, float: 1, memory: 1, atomic: 1, exchange: 1 };
    assert_eq!(counters.instructions, expected);
    // Before the branch 4 x 32, small side 5 x 8, other side 2 x 24, after the join 3 x 32.
    assert_eq!(counters.active_lanes, 128 + 40 + 48 + 96);
    assert_eq!((counters.diverged, counters.tokens_pushed, counters.tokens_popped), (1, 2, 2));
    assert_eq!(counters.token_high_water, [2]);
    assert_eq!(counters.cycles, counters.instructions.total() + counters.stalls.total());
}

/// SM-06: a window of 8 entries overflows in nested regions, and every exception is counted with its cause.
#[test]
fn exceptions_are_counted_by_cause() {
    let mut text = String::from(".block 32\n");
    (0..40).for_each(|_| text.push_str(" SSY end\n"));
    (0..40).for_each(|number| text.push_str(&format!(" SYNC end\nat{number}:\n")));
    text.push_str("end: EXIT\n");
    let configuration = Configuration { depth: 8, ..stack() };
    let outcome = run_on(&kernel(&text), Box::new(DivergenceUnit::windowed(configuration)), RunOptions::default());
    let exceptions = outcome.counters.exceptions;
    assert!(exceptions.recenter > 0 && exceptions.spill > 0, "{exceptions:?}");
    assert_eq!(exceptions.fatal, 0);
    assert_eq!(outcome.counters.peak_tokens(), 40);
}

/// SM-08: an access out of bounds stops the run, naming thread, place and address.
#[test]
fn a_bad_access_names_its_place() {
    let kernel = kernel(".memory data, 4\n MOV R1, 0x1000\n LD.GLOBAL.W R2, [R1 + 4]\n EXIT\n");
    let outcome = run_on(&kernel, model(Configuration::default()), RunOptions::default());
    let Verdict::LaneFault { fault: LaneFault::OutOfBounds { address, .. }, place } = &outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!((*address, place.line), (0x1004, Some(3)));
}

/// SM-04: threads that wait for a token which does not exist are a fault with a place, not silence.
#[test]
fn a_lost_thread_is_a_fault() {
    let outcome = run_on(&kernel(" NOP\n RET\n EXIT\n"), model(Configuration::default()), RunOptions::default());
    let Verdict::EngineFault { place, .. } = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert_eq!(place.line, Some(2));
}

/// SM-01: running off the end of the program is a fault, not a panic.
#[test]
fn a_missing_exit_is_a_fault() {
    let outcome = run_on(&kernel(" NOP\n"), model(Configuration::default()), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::OutsideProgram { warp: 0, address: 1 });
}

/// SM-01: limits and stop requests end a run as such.
#[test]
fn a_run_can_be_stopped() {
    let kernel = kernel("loop: IADD R1, R1, 1\n BRA loop\n");
    let options = RunOptions { max_cycles: 5000, ..RunOptions::default() };
    let outcome = run_on(&kernel, model(Configuration::default()), options);
    assert_eq!((outcome.verdict, outcome.counters.cycles), (Verdict::CycleLimit, 5000));
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let machine = Machine::new(&kernel, &launch, model(Configuration::default()), RunOptions::default());
    assert_eq!(machine.expect("it fits").run(&|| true, &mut |_| {}).verdict, Verdict::Interrupted);
}

/// SM-03: a block that the core cannot hold is refused with the number of warps that it needs.
#[test]
fn too_large_a_block_is_refused() {
    let kernel = kernel(" EXIT\n");
    let overrides = Overrides { block: Some([200, 1, 1]), parameters: BTreeMap::new(), grid: None };
    let launch = kernel.launch(&overrides).expect("sizes");
    let result = Machine::new(&kernel, &launch, model(Configuration::default()), RunOptions::default());
    let Err(MachineError::BlockTooLarge { needed, warps, .. }) = result.map(|_| ()) else { panic!("it was taken") };
    assert_eq!((needed, warps), (7, 4));
}

/// An engine that is late: it refuses offers and hides warps for some cycles, as hardware with multi-cycle operations does.
struct Late {
    inner: DequeModel,
    cycle: u64,
    refused: Option<Request>,
}

impl Engine for Late {
    fn name(&self) -> String {
        "late".to_string()
    }
    fn configuration(&self) -> &Configuration {
        self.inner.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.inner.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        if self.cycle % 5 == 0 {
            0
        } else {
            self.inner.ready()
        }
    }
    fn running(&mut self) -> u64 {
        self.inner.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.inner.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.inner.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        if let Some(refused) = self.refused.take() {
            assert_eq!(refused, *request, "an offer changed before it was accepted");
        }
        let accepted = self.cycle % 3 != 0 && self.inner.offer(request);
        self.refused = (!accepted).then_some(*request);
        accepted
    }
    fn tick(&mut self) -> Events {
        self.cycle += 1;
        self.inner.tick()
    }
}

/// SM-01, SM-06: on an engine that refuses and stalls, the machine repeats its offer unchanged, counts the stalls by cause, and
/// nothing runs twice or gets lost.
#[test]
fn a_late_engine_is_waited_for() {
    let text = SPIN_LOCK.replace(".block 32", ".block 96\n.grid 3");
    let inner = DequeModel::new(Configuration::default());
    let outcome = run_on(&kernel(&text), Box::new(Late { inner, cycle: 0, refused: None }), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::Completed);
    let (counters, stalls) = (&outcome.counters, &outcome.counters.stalls);
    assert!(stalls.engine_refused > 0 && stalls.engine_busy > 0, "{stalls:?}");
    assert_eq!(counters.cycles, counters.instructions.total() + stalls.total());
}

/// SM-04: warps that never become ready again are a deadlock of the engine, found by the limit.
#[test]
fn an_engine_that_never_is_ready_is_a_deadlock() {
    struct Dead(DequeModel);
    impl Engine for Dead {
        fn name(&self) -> String {
            "dead".to_string()
        }
        fn configuration(&self) -> &Configuration {
            self.0.configuration()
        }
        fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
            self.0.launch(warp, threads, address);
        }
        fn ready(&mut self) -> u64 {
            0
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
        fn offer(&mut self, _: &Request) -> bool {
            false
        }
        fn tick(&mut self) -> Events {
            self.0.tick()
        }
    }
    let options = RunOptions { watchdog: 100, ..RunOptions::default() };
    let engine = Box::new(Dead(DequeModel::new(Configuration { warps: 1, ..Configuration::default() })));
    let outcome = run_on(&kernel(" EXIT\n"), engine, options);
    let hang = hang(&outcome);
    assert!(hang.deadlock && hang.quiet_cycles == Some(101), "{hang}");
}
