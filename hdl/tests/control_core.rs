//! The control core at its ports, cycle by cycle: residency, issue, fetch, refusals (SM-01, SM-02, SM-03).

pub mod bench;

use bench::{Bench, Word, ALL, ENGINES};
use heddle_hdl::clocked::Clocked;
use heddle_hdl::core::warp_scheduler::WarpScheduler;
use heddle_hdl::isa::{BarrierOpcode, ControlOpcode};
use rstest::rstest;

/// Cycles from the launch of a warp to its first instruction, without the launch's own.
const LAUNCH: [u64; 2] = [18, 1];

/// SM-03: the first block is there four cycles after the request, its warp is launched a cycle later and issues as soon as the engine has it.
#[rstest]
fn sm_03_first_instruction(#[values(0, 1)] engine: usize) {
    let mut bench = Bench::new(ENGINES[engine], &[Word::data(), Word::control(ControlOpcode::Exit)]);
    bench.grid([1, 1, 1], 32);
    bench.run(100);
    let launch = bench.launches[0];
    assert_eq!((launch.warp, launch.slot, launch.place, launch.threads), (0, 0, 0, ALL));
    assert_eq!(bench.blocks, [(launch.cycle - 1, [0, 0, 0])]);
    let first = launch.cycle.max(bench.swept) + LAUNCH[engine];
    assert_eq!(bench.issues, [(first, 0, 0, ALL), (first + 1, 0, 1, ALL)]);
    assert_eq!(bench.finishes.len(), 1);
    assert_eq!(bench.finishes[0].1, (0, 0, true));
}

/// SM-03: blocks of 48 threads on four warps of 32: two at a time, the lowest warps and slots first; the second warp of a block has 16 threads.
#[rstest]
fn sm_03_blocks_and_partial_warps(#[values(0, 1)] engine: usize) {
    let mut bench = Bench::new(ENGINES[engine], &[Word::data(), Word::control(ControlOpcode::Exit)]);
    bench.grid([2, 3, 1], 48);
    bench.run(600);
    let launched: Vec<_> = bench.launches.iter().map(|launch| (launch.place, launch.threads)).collect();
    assert_eq!(launched, [(0, ALL), (1, 0xffff)].repeat(6));
    let blocks: Vec<[u128; 3]> = bench.blocks.iter().map(|(_, block)| *block).collect();
    assert_eq!(blocks, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 2, 0], [1, 2, 0]]);
    let places: Vec<_> = bench.launches.iter().take(4).map(|launch| (launch.warp, launch.slot)).collect();
    assert_eq!(places, [(0, 0), (1, 0), (2, 1), (3, 1)]);
    let cycles: Vec<u64> = bench.launches.iter().take(4).map(|launch| launch.cycle - bench.launches[0].cycle).collect();
    assert_eq!(cycles, [0, 1, 2, 3], "a warp a cycle, block after block");
    assert_eq!(bench.finishes.iter().filter(|(_, (_, _, last))| *last).count(), 6);
    assert_eq!(bench.finishes.len(), 12);
    for pair in bench.launches.chunks(2) {
        assert_eq!(pair[0].slot, pair[1].slot);
    }
}

/// SM-02: ready warps take turns; one that waits for data loses its turns only.
#[test]
fn sm_02_turns() {
    let mut bench = Bench::new(ENGINES[0], &[Word::branch(0)]);
    bench.grid([4, 1, 1], 32);
    bench.run(200);
    let warps = |bench: &Bench| bench.issues.iter().rev().take(8).map(|issue| issue.1).collect::<Vec<_>>();
    let (before, start) = (warps(&bench), bench.issues.len());
    assert!(before.windows(2).all(|pair| (pair[1] + 1) % 4 == pair[0]), "{before:?}");
    assert_eq!(bench.issues[start - 1].0 - bench.issues[start - 8].0, 7, "one a cycle");
    bench.busy = 0b0100;
    bench.run(30);
    let behind: Vec<_> = warps(&bench).into_iter().rev().collect();
    assert!(behind.windows(2).all(|pair| matches!(pair, [0, 1] | [1, 3] | [3, 0])), "{behind:?}");
}

/// SM-02: the greedy scheduler stays with a warp, and then takes the one launched longest ago, whatever its number.
#[test]
fn sm_02_greedy_then_oldest() {
    let mut scheduler = Clocked::new(WarpScheduler::<4, 2, 6>::default());
    let port = |scheduler: &Clocked<WarpScheduler<4, 2, 6>>, name: &str| scheduler.port(name);
    let [reset, greedy, racing, launched, launched_warp, issued, issued_warp, warp, found] =
        ["reset", "greedy", "racing", "launched", "launched_warp", "issued", "issued_warp", "warp", "found"]
            .map(|name| port(&scheduler, name));
    scheduler.set(greedy, 1);
    scheduler.set(reset, 1);
    scheduler.tick();
    scheduler.set(reset, 0);
    scheduler.set(launched, 1);
    for each in [2, 0, 3, 1] {
        scheduler.set(launched_warp, each);
        scheduler.tick();
    }
    scheduler.set(launched, 0);
    let mut choose = |ready: u128, accept: bool| {
        scheduler.set(racing, ready);
        let choice = (scheduler.get(found) == 1).then(|| scheduler.get(warp));
        scheduler.set(issued, u128::from(accept && choice.is_some()));
        scheduler.set(issued_warp, choice.unwrap_or(0));
        scheduler.tick();
        scheduler.set(issued, 0);
        choice
    };
    assert_eq!(choose(0, true), None);
    assert_eq!(choose(0b1111, true), Some(2));
    assert_eq!(choose(0b1011, true), Some(0), "2 cannot, 0 is the next oldest");
    assert_eq!(choose(0b1111, true), Some(0), "it stays");
    assert_eq!(choose(0b1010, false), Some(3), "3 is older than 1, but is not accepted");
    assert_eq!(choose(0b1111, true), Some(0));
}

/// SM-02: while a warp of a higher priority is ready, none of a lower one issues; below it turns go on where they were.
#[test]
fn sm_02_priorities() {
    let mut scheduler = Clocked::new(WarpScheduler::<4, 2, 10>::default());
    let [reset, racing, launched, launched_warp, launched_priority, issued, issued_warp, warp] =
        ["reset", "racing", "launched", "launched_warp", "launched_priority", "issued", "issued_warp", "warp"]
            .map(|name| scheduler.port(name));
    scheduler.set(reset, 1);
    scheduler.tick();
    scheduler.set(reset, 0);
    scheduler.set(launched, 1);
    for (each, priority) in [(0, 1023), (1, 511), (2, 511), (3, 511)] {
        scheduler.set(launched_warp, each);
        scheduler.set(launched_priority, priority);
        scheduler.tick();
    }
    scheduler.set(launched, 0);
    let mut choose = |ready: u128| {
        scheduler.set(racing, ready);
        let choice = scheduler.get(warp);
        scheduler.set(issued, 1);
        scheduler.set(issued_warp, choice);
        scheduler.tick();
        choice
    };
    let chosen: Vec<u128> = [0b1110, 0b1111, 0b1110, 0b1111, 0b1111, 0b1110, 0b1110].map(&mut choose).to_vec();
    assert_eq!(chosen, [1, 0, 2, 0, 0, 3, 1]);
}

/// SM-02: a block of a grid of a higher priority has every cycle in which the engine lets it issue, though it came last.
#[rstest]
fn sm_02_a_grid_of_a_higher_priority(#[values(0, 1)] engine: usize) {
    let mut bench = Bench::new(ENGINES[engine], &[Word::branch(0)]);
    bench.set("grid_priority", 62);
    bench.grid([2, 1, 1], 32);
    bench.set("grid_priority", 63);
    bench.grid([1, 1, 1], 32);
    bench.run(200);
    let last: Vec<u128> = bench.issues.iter().rev().take(60).map(|issue| issue.1).collect();
    assert_eq!(last, [2; 60], "the third warp alone, though all three branch for ever");
    bench.busy = 0b0100;
    bench.run(8);
    let others: Vec<u128> = bench.issues.iter().rev().take(7).map(|issue| issue.1).collect();
    assert!(others.windows(2).all(|pair| pair[0] + pair[1] == 1), "{others:?}");
}

/// SM-02: whose instruction is missing is out of the race until it has come; the others go on.
#[test]
fn a_missing_instruction_costs_the_turn() {
    let mut bench = Bench::new(ENGINES[0], &[Word::branch(0)]);
    bench.grid([2, 1, 1], 32);
    bench.run(200);
    bench.misses = 0b01;
    let start = bench.issues.len();
    bench.run(20);
    assert_eq!(bench.missed, 1, "it asks once");
    assert!(bench.issues[start..].iter().skip(1).all(|issue| issue.1 == 1));
    bench.misses = 0;
    let start = bench.issues.len();
    bench.run(10);
    assert!(bench.issues[start..].iter().all(|issue| issue.1 == 1), "nobody has said that it is there");
    bench.filled = 0b01;
    bench.run(1);
    let start = bench.issues.len();
    bench.run(10);
    assert_eq!(bench.issues[start..].iter().filter(|issue| issue.1 == 0).count(), 5);
}

/// SM-01, DQ-22, DQ-24: both sides of a branch run and meet at the region's end, on either engine.
#[rstest]
fn sm_01_a_region(#[values(0, 1)] engine: usize) {
    let program = [
        Word::address(ControlOpcode::Ssy, 5),
        Word::branch(3).guarded(1),
        Word::data(),
        Word::address(ControlOpcode::Sync, 5),
        Word::data(),
        Word::data(),
        Word::control(ControlOpcode::Exit),
    ];
    let mut bench = Bench::new(ENGINES[engine], &program);
    bench.predicates[1] = 0xff;
    bench.grid([1, 1, 1], 32);
    bench.run(200);
    let steps: Vec<_> = bench.issues.iter().map(|issue| (issue.2, issue.3)).collect();
    let rest = ALL & !0xff;
    let mut sides = steps[2..5].to_vec();
    sides.sort_unstable();
    assert_eq!(steps[..2], [(0, ALL), (1, ALL)]);
    assert_eq!(sides, [(2, rest), (3, 0xff), (3, rest)]);
    assert_eq!(steps[5..], [(5, ALL), (6, ALL)], "{steps:x?}");
}

/// DQ-23, DQ-29: threads go where their register says, group by group; a return by register says that further groups follow.
#[test]
fn threads_that_agree_go_together() {
    let returns = Word::control(ControlOpcode::Ret).optional();
    let mut bench = Bench::new(ENGINES[0], &[Word::address(ControlOpcode::Cal, 1), returns]);
    bench.targets = [1, 7].into_iter().cycle().take(32).collect();
    bench.grid([1, 1, 1], 32);
    bench.run(200);
    let leave = bench.offers.iter().find(|offer| offer.operation == 5).expect("the return is offered");
    assert_eq!((leave.mask, leave.target, leave.targeted, leave.again), (0x5555_5555, 1, 1, 1));
    assert_eq!(leave.kind, 3);
}

/// SM-02: what the engine refuses is offered again, unchanged, and nothing else is, until it is accepted; the lanes do its work once.
#[test]
fn a_refused_offer_stays() {
    // Two warps that diverge in the same cycles: the one sequencer of the unit refuses the second.
    let program = [Word::address(ControlOpcode::Ssy, 3), Word::branch(2).guarded(1), Word::data(), Word::branch(3)];
    let mut bench = Bench::new(ENGINES[0], &program);
    bench.predicates[1] = 0xf;
    bench.grid([4, 1, 1], 32);
    bench.run(300);
    let refused: Vec<_> = bench.offers.iter().enumerate().filter(|(_, offer)| !offer.accepted).collect();
    assert!(!refused.is_empty());
    for (place, offer) in refused {
        let next = bench.offers[place + 1];
        assert_eq!((next.cycle, next.warp, next.operation), (offer.cycle + 1, offer.warp, offer.operation));
        assert_eq!((next.mask, next.target), (offer.mask, offer.target));
    }
    let accepted = bench.offers.iter().filter(|offer| offer.accepted).count();
    assert_eq!(accepted, bench.issues.len());
}

/// SM-06: a barrier form without a barrier scheduler is not executed, and says so; an observer may look at any warp meanwhile.
#[test]
fn a_barrier_form_alone_is_illegal() {
    let mut bench = Bench::new(ENGINES[0], &[Word::data(), Word::code(BarrierOpcode::Conditional.code())]);
    bench.grid([1, 1, 1], 32);
    bench.run(200);
    assert_eq!(bench.issues.len(), 1);
    assert!(bench.illegal > 10);
    assert_eq!(bench.observe(0, 1), (1, ALL, 0));
    assert_eq!(bench.get("lane_illegal"), 1);
}
