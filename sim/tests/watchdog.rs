//! The watchdog on kernels: deadlocks, livelocks, work that looks like either, and faults.

use crate::support::{hang, kernel, model, run_on, stack, SPIN_LOCK};
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Request, YieldPolicy};
use heddle_sim::machine::{RunOptions, Verdict};
use heddle_sim::model::divergence_unit::DivergenceUnit;
use heddle_sim::model::DequeModel;
use rstest::rstest;

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

/// SM-04: threads that wait for a token which does not exist are a fault with a place, not silence.
#[test]
fn a_lost_thread_is_a_fault() {
    let outcome = run_on(&kernel(" NOP\n RET\n EXIT\n"), model(Configuration::default()), RunOptions::default());
    let Verdict::EngineFault { place, .. } = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert_eq!(place.line, Some(2));
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
