//! One test or more for each rule of the divergence unit, on the reference model.

use super::divergence_unit::DequeModel;
use super::divergence_warp::{Outcome, Warp};
use super::token_deque::TokenDeque;
use crate::engine::{
    Cause, Configuration, Engine, Events, Fault, Fetch, Kind, Mask, Operation, PathPolicy, Request, YieldPolicy,
};
use rstest::rstest;

/// One warp of four threads that starts at address 0.
struct Bench {
    unit: DequeModel,
    last: Events,
}

impl Bench {
    fn new(configuration: Configuration, threads: Mask) -> Self {
        let mut unit = DequeModel::new(Configuration { warps: 1, threads: 4, ..configuration });
        unit.launch(0, threads, 0);
        Self { unit, last: Events::default() }
    }

    fn default() -> Self {
        Self::new(Configuration::default(), 0b1111)
    }

    fn run(&mut self, operation: Operation, kind: Option<Kind>, mask: Mask, target: Option<u32>) -> &mut Self {
        self.request(Request {
            warp: 0,
            operation,
            kind,
            mask,
            target: target.unwrap_or(0),
            targeted: target.is_some(),
            again: false,
        })
    }

    fn request(&mut self, request: Request) -> &mut Self {
        assert!(self.unit.offer(&request), "the warp is not running");
        self.last = self.unit.tick();
        self
    }

    fn push(&mut self, kind: Kind, target: u32) -> &mut Self {
        self.run(Operation::Push, Some(kind), 0, Some(target))
    }
    fn branch(&mut self, taken: Mask, target: u32) -> &mut Self {
        self.run(Operation::Branch, None, taken, Some(target))
    }
    fn leave(&mut self, kind: Kind, mask: Mask, target: impl Into<Option<u32>>) -> &mut Self {
        self.run(Operation::Leave, Some(kind), mask, target.into())
    }
    fn yield_(&mut self, mask: Mask) -> &mut Self {
        self.run(Operation::Yield, None, mask, None)
    }
    fn exit(&mut self, mask: Mask) -> &mut Self {
        self.run(Operation::Exit, None, mask, None)
    }
    fn step(&mut self) -> &mut Self {
        self.run(Operation::Step, None, 0, None)
    }

    /// The address and the threads that run it.
    #[track_caller]
    fn at(&mut self, address: u32, active: Mask) -> &mut Self {
        assert_eq!(self.unit.fetch(0), Fetch { address, active });
        self
    }
    #[track_caller]
    fn disabled(&mut self, reason: Kind, threads: Mask) -> &mut Self {
        assert_eq!(self.unit.disabled(0, reason), threads);
        self
    }
    #[track_caller]
    fn tokens(&mut self, expected: &[(Kind, Mask, u32)]) -> &mut Self {
        let tokens: Vec<_> =
            self.unit.warp(0).unwrap().queue.tokens().map(|token| (token.kind, token.mask, token.address)).collect();
        assert_eq!(tokens, expected);
        self
    }
    #[track_caller]
    fn fault(&mut self, cause: Cause, address: u32) {
        assert_eq!(self.last.faults, [Fault { warp: 0, cause, address }]);
        assert_eq!(self.unit.running(), 0);
    }
}

const REGIONS: [Kind; 5] = [Kind::Sync, Kind::Break, Kind::Continue, Kind::Exit, Kind::LongJump];

/// DQ-03, DQ-20: each of the five region instructions pushes its kind with the whole active mask, predicate or not.
#[test]
fn dq_20_regions_push_the_active_mask() {
    for kind in REGIONS {
        let mut bench = Bench::default();
        bench.branch(0b0011, 10).push(kind, 30).at(11, 0b0011);
        bench.tokens(&[(kind, 0b0011, 30), (Kind::Divergence, 0b1100, 1)]);
        assert_eq!(bench.last.pushed, [0]);
    }
}

/// DQ-21: a call pushes the next address and jumps; RET without a register waits for that token and returns there.
#[test]
fn dq_21_call_and_return() {
    let mut bench = Bench::default();
    bench.run(Operation::Call, None, 0b1111, Some(20)).at(20, 0b1111).tokens(&[(Kind::Call, 0b1111, 1)]);
    bench.leave(Kind::Call, 0b1111, None).at(1, 0b1111).tokens(&[]);
}

/// DQ-21: a predicated call defers the other threads at the next address, in front of which lies the call token.
#[test]
fn dq_21_predicated_call_diverges() {
    let mut bench = Bench::default();
    bench.run(Operation::Call, None, 0b0110, Some(20)).at(20, 0b0110).disabled(Kind::Divergence, 0b1001);
    bench.tokens(&[(Kind::Call, 0b0110, 1), (Kind::Divergence, 0b1001, 1)]);
    assert_eq!(bench.last.diverged, 1);
    bench.leave(Kind::Call, 0b1111, None).at(1, 0b0110);
    bench.exit(0b1111).at(1, 0b1001);
    let mut nobody = Bench::default();
    nobody.run(Operation::Call, None, 0, Some(20)).at(1, 0b1111).tokens(&[]);
}

/// DQ-22: a uniform branch moves the warp without a token.
#[test]
fn dq_22_uniform_branch() {
    Bench::default().branch(0b1111, 9).at(9, 0b1111).branch(0, 30).at(10, 0b1111).tokens(&[]);
}

/// DQ-22: the path policy picks which side of a mixed branch runs first; the other side waits with its own address.
#[rstest]
#[case(PathPolicy::Taken, 0b0001, true)]
#[case(PathPolicy::NotTaken, 0b0001, false)]
#[case(PathPolicy::Smaller, 0b0001, true)]
#[case(PathPolicy::Smaller, 0b0111, false)]
#[case(PathPolicy::Smaller, 0b0011, true)]
#[case(PathPolicy::Larger, 0b0001, false)]
#[case(PathPolicy::Larger, 0b0111, true)]
#[case(PathPolicy::Larger, 0b0011, true)]
fn dq_22_mixed_branch(#[case] path_policy: PathPolicy, #[case] taken: Mask, #[case] taken_runs: bool) {
    let mut bench = Bench::new(Configuration { path_policy, ..Configuration::default() }, 0b1111);
    let (taken_side, other_side) = ((taken, 50), (0b1111 & !taken, 1));
    let (first, then) = if taken_runs { (taken_side, other_side) } else { (other_side, taken_side) };
    bench.branch(taken, 50).at(first.1, first.0).disabled(Kind::Divergence, then.0);
    bench.tokens(&[(Kind::Divergence, then.0, then.1)]);
    assert_eq!((bench.last.diverged, bench.last.pushed.len()), (1, 1));
    bench.exit(0b1111).at(then.1, then.0);
}

/// DQ-22: with the smaller set first, at most log2(threads) divergence tokens are in the queue at a time.
#[test]
fn dq_22_smaller_first_bounds_the_tokens() {
    let configuration = Configuration { path_policy: PathPolicy::Smaller, ..Configuration::default() };
    for seed in 1..200_u64 {
        let mut bench = Bench::new(configuration, 0xffff_ffff);
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        loop {
            let active = bench.unit.fetch(0).active;
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let taken = (state >> 17) & active;
            bench.branch(taken, 5);
            assert!(bench.unit.warp(0).unwrap().queue.tokens().count() <= 5);
            if taken == 0 || taken == active {
                break;
            }
        }
    }
}

/// DQ-23: k distinct targets take k passes; in between the others wait to run the instruction again.
#[test]
fn dq_23_indirect_takes_a_pass_for_each_target() {
    let mut bench = Bench::default();
    let jump = |bench: &mut Bench, agree: Mask, target: u32| {
        bench.run(Operation::Indirect, None, agree, Some(target));
    };
    bench.step();
    jump(&mut bench, 0b0101, 40);
    bench.at(40, 0b0101).tokens(&[(Kind::Divergence, 0b1010, 1)]);
    bench.exit(0b1111).at(1, 0b1010);
    jump(&mut bench, 0b0010, 50);
    bench.at(50, 0b0010);
    bench.exit(0b1111).at(1, 0b1000);
    jump(&mut bench, 0b1000, 60);
    bench.at(60, 0b1000).tokens(&[]);
    jump(&mut bench, 0, 70);
    bench.at(61, 0b1000);
}

/// DQ-24: the named threads wait with the token's kind as reason, the survivors go on, and the last to come releases all.
#[test]
fn dq_24_leaving_a_region() {
    for kind in REGIONS {
        let mut bench = Bench::default();
        bench.push(kind, 30).leave(kind, 0b0101, 30).at(2, 0b1010).disabled(kind, 0b0101);
        bench.leave(kind, 0b1000, 30).at(3, 0b0010).disabled(kind, 0b1101);
        bench.leave(kind, 0b1111, 30).at(30, 0b1111).disabled(kind, 0).tokens(&[]);
    }
}

/// DQ-24: a leave whose predicate names nobody does nothing, with and without an address.
#[test]
fn dq_24_leave_by_nobody() {
    Bench::default().leave(Kind::Sync, 0, 30).at(1, 0b1111).leave(Kind::Call, 0, None).at(2, 0b1111);
}

/// DQ-25: an unwind discards the tokens for which nobody waits and wakes exactly the waiting threads of the next.
#[test]
fn dq_25_unwind_discards_what_nobody_waits_for() {
    let mut bench = Bench::default();
    bench.push(Kind::Sync, 60).leave(Kind::Sync, 0b0001, 60);
    bench.push(Kind::Break, 70).push(Kind::Continue, 80).push(Kind::LongJump, 90);
    bench.exit(0b1111).at(60, 0b0001).tokens(&[]);
    assert_eq!((bench.last.popped.len(), bench.last.discarded), (4, 3));
}

/// DQ-25: a thread that waits for another reason is not woken by a token that holds its bit.
#[test]
fn dq_25_only_the_matching_reason_wakes() {
    let mut bench = Bench::default();
    bench.push(Kind::Break, 70).push(Kind::Sync, 60);
    bench.leave(Kind::Break, 0b0001, 70).leave(Kind::Sync, 0b0010, 60).exit(0b1111).at(60, 0b0010);
    bench.exit(0b1111).at(70, 0b0001);
}

/// DQ-25: nothing but an unwind discards: an abandoned region stays in the queue while threads run.
#[test]
fn dq_25_abandoned_tokens_stay_until_an_unwind() {
    let mut bench = Bench::default();
    bench.push(Kind::Sync, 60).branch(0b1111, 5).step().exit(0b0111);
    bench.tokens(&[(Kind::Sync, 0b1111, 60)]);
}

/// DQ-26: the warp is done when its last thread has exited and the queue is empty.
#[test]
fn dq_26_done_when_all_have_exited() {
    let mut bench = Bench::default();
    bench.push(Kind::Sync, 60).exit(0b0011);
    assert!(bench.last.done.is_empty());
    bench.exit(0b1111);
    assert_eq!((bench.last.done.as_slice(), bench.last.discarded), ([0].as_slice(), 1));
    assert_eq!(bench.unit.running(), 0);
}

/// DQ-26: a warp that is launched without a thread is done at once; threads outside the launch mask never run.
#[test]
fn dq_26_launch_masks() {
    let mut unit = DequeModel::new(Configuration::default());
    unit.launch(2, 0, 0);
    assert_eq!(unit.tick().done, [2]);
    let mut bench = Bench::new(Configuration::default(), 0b0110);
    bench.branch(0b1111, 8).at(8, 0b0110).branch(0b0011, 20).at(20, 0b0010).exit(0b1111).at(9, 0b0100).exit(0b1111);
    assert_eq!(bench.last.done, [0]);
}

/// DQ-26: threads that wait when the queue is empty are lost, and the warp is stopped instead of halting silently. No instruction
/// brings that about, so the state is forced.
#[test]
fn dq_26_nobody_is_lost_silently() {
    let rules = Configuration::default();
    let mut warp = Warp::launch(TokenDeque::new(), 0b1111, 5, &rules);
    warp.disable(0b0100, Kind::Sync);
    let exit = Request {
        warp: 0,
        operation: Operation::Exit,
        kind: None,
        mask: 0b1111,
        target: 0,
        targeted: false,
        again: false,
    };
    assert_eq!(warp.execute(&exit, &rules, &mut Events::default()), Outcome::Stopped(Cause::LostThread));
    assert_eq!(warp.address, 5);
}

/// DQ-27: a YIELD puts the named threads behind everything else; the survivors go on after it.
#[test]
fn dq_27_yield_goes_to_the_back() {
    let mut bench = Bench::default();
    bench.branch(0b0011, 10).push(Kind::Sync, 60).yield_(0b0001).at(12, 0b0010).disabled(Kind::Yield, 0b0001);
    bench.tokens(&[(Kind::Sync, 0b0011, 60), (Kind::Divergence, 0b1100, 1), (Kind::Yield, 0b0001, 12)]);
    bench.yield_(0b1111).at(1, 0b1100).tokens(&[(Kind::Yield, 0b0001, 12), (Kind::Yield, 0b0010, 13)]);
    assert_eq!(bench.last.discarded, 1);
    bench.yield_(0b1111).at(12, 0b0001);
}

/// DQ-07, DQ-27: threads that yield at one address come back together.
#[test]
fn dq_27_yields_at_one_address_merge() {
    let mut bench = Bench::default();
    bench.branch(0b0011, 10).yield_(0b1111).at(1, 0b1100).tokens(&[(Kind::Yield, 0b0011, 11)]);
    bench.branch(0b0100, 10).at(10, 0b0100).yield_(0b1111).at(2, 0b1000);
    assert_eq!((bench.last.merged, bench.last.yielded, bench.last.pushed.len()), (1, 1, 0));
    bench.branch(0b1111, 10).yield_(0b1111).at(11, 0b1111).tokens(&[]);
}

/// DQ-27: with nothing else to run the same threads resume; when every live thread is active nothing is pushed at all.
#[test]
fn dq_27_yield_alone() {
    let mut bench = Bench::default();
    bench.yield_(0b1111).at(1, 0b1111);
    assert_eq!(bench.last.yielded, 0);
    bench.yield_(0b0011).at(2, 0b1111);
    bench.push(Kind::Sync, 60).leave(Kind::Sync, 0b0111, 60).at(4, 0b1000);
    bench.leave(Kind::Sync, 0b1111, 60).at(60, 0b1111);
    bench.exit(0b0111).yield_(0b1111).at(62, 0b1000);
    assert_eq!(bench.last.yielded, 0);
}

/// DQ-28: a leave whose region is not the frontmost of its kind yields to its address and discards nothing for which others wait.
#[test]
fn dq_28_implicit_yield() {
    for kind in [Kind::Sync, Kind::Break, Kind::Continue] {
        let mut bench = Bench::default();
        bench.push(kind, 60).push(kind, 70).leave(kind, 0b0001, 70).leave(kind, 0b0010, 60);
        bench.at(4, 0b1100).disabled(kind, 0b0001).disabled(Kind::Yield, 0b0010);
        bench.tokens(&[(kind, 0b1111, 70), (kind, 0b1111, 60), (Kind::Yield, 0b0010, 60)]);
        bench.leave(kind, 0b1111, 70).at(70, 0b1101);
        bench.leave(kind, 0b1111, 60).at(60, 0b1101);
        bench.exit(0b1111).at(60, 0b0010);
    }
}

/// DQ-28: a region that was lost to a YIELD is no obstacle: its threads meet others that opened it again, and wait with them.
#[test]
fn dq_28_lost_and_reopened_regions() {
    let mut bench = Bench::default();
    bench.branch(0b0011, 10).push(Kind::Sync, 60).yield_(0b1111).at(1, 0b1100).tokens(&[(Kind::Yield, 0b0011, 12)]);
    bench.push(Kind::Sync, 60).branch(0b0100, 11).yield_(0b1111).at(3, 0b1000);
    bench.leave(Kind::Sync, 0b1111, 60).at(60, 0b1000).yield_(0b1111).at(12, 0b0111);
    bench.leave(Kind::Sync, 0b0001, 60).disabled(Kind::Yield, 0b1001).push(Kind::Sync, 60);
    bench.leave(Kind::Sync, 0b1111, 60).at(60, 0b0110).yield_(0b1111);
    assert_eq!(bench.last.merged, 1);
    bench.at(61, 0b1110);
}

/// DQ-28, DQ-30, DQ-32: the implicit yield asks neither the yield policy nor the mode, nor does it count.
#[rstest]
#[case(Configuration { yield_policy: YieldPolicy::EveryNth, yield_parameter: 2, ..Configuration::default() })]
#[case(Configuration { yield_policy: YieldPolicy::Random, yield_parameter: 0, ..Configuration::default() })]
#[case(Configuration { stack_mode: true, ..Configuration::default() })]
fn dq_28_implicit_yield_is_unconditional(#[case] configuration: Configuration) {
    let mut bench = Bench::new(configuration, 0b1111);
    let state = bench.unit.warp(0).unwrap().yield_state;
    bench.leave(Kind::Sync, 0b0001, 60).disabled(Kind::Yield, 0b0001).tokens(&[(Kind::Yield, 0b0001, 60)]);
    assert_eq!(bench.unit.warp(0).unwrap().yield_state, state);
    bench.leave(Kind::Sync, 0b1111, 60).at(60, 0b1111).tokens(&[]);
    assert_eq!((bench.last.merged, bench.last.popped.len()), (1, 1));
}

/// DQ-29: RET by register runs a pass for each group of values: the instruction stays until the last group has left.
#[test]
fn dq_29_return_by_register_in_groups() {
    let mut bench = Bench::default();
    bench.run(Operation::Call, None, 0b1111, Some(20));
    let mut group = |mask: Mask, target: u32, again: bool| {
        bench.request(Request {
            warp: 0,
            operation: Operation::Leave,
            kind: Some(Kind::Call),
            mask,
            target,
            targeted: true,
            again,
        });
        bench.unit.fetch(0)
    };
    assert_eq!(group(0b0001, 1, true), Fetch { address: 20, active: 0b1110 });
    assert_eq!(group(0b0110, 7, true), Fetch { address: 20, active: 0b1000 });
    assert_eq!(group(0b1000, 1, false), Fetch { address: 1, active: 0b1001 });
    bench.exit(0b1111).at(7, 0b0110);
}

/// DQ-29: without an address and without a token the threads are lost, at that instruction, and nothing has changed.
#[test]
fn dq_29_lost_at_the_instruction() {
    for kind in [Kind::Call, Kind::LongJump] {
        let mut bench = Bench::default();
        bench.push(Kind::Sync, 9).step().leave(kind, 0b0010, None).fault(Cause::LostThread, 2);
        assert_eq!((bench.last.popped.len(), bench.last.yielded), (0, 0));
    }
    let mut partial = Bench::default();
    partial.branch(0b0011, 20).run(Operation::Call, None, 0b0011, Some(40)).yield_(0b1111).at(1, 0b1100);
    partial.run(Operation::Call, None, 0b1100, Some(40)).yield_(0b1111);
    partial.at(41, 0b1111).leave(Kind::Call, 0b1111, None).fault(Cause::LostThread, 41);
}

/// DQ-30: every Nth YIELD of the warp fires, whatever its set; one that names nobody does not count.
#[test]
fn dq_30_every_nth() {
    let rules = Configuration { yield_policy: YieldPolicy::EveryNth, yield_parameter: 3, ..Configuration::default() };
    let mut bench = Bench::new(rules, 0b1111);
    bench.branch(0b0011, 10).yield_(0b0001).at(11, 0b0011).yield_(0).at(12, 0b0011).yield_(0b0010).at(13, 0b0011);
    bench.yield_(0b0001).at(14, 0b0010).disabled(Kind::Yield, 0b0001);
    bench.yield_(0b1111).at(15, 0b0010).yield_(0b1111).at(16, 0b0010).yield_(0b1111).at(1, 0b1100);
}

/// DQ-30: a parameter of 0 stands for 256, and a YIELD of all live threads counts though nothing comes of it.
#[test]
fn dq_30_every_256th() {
    let rules = Configuration { yield_policy: YieldPolicy::EveryNth, yield_parameter: 0, ..Configuration::default() };
    let mut bench = Bench::new(rules, 0b1111);
    bench.yield_(0b1111).branch(0b0011, 10);
    for passed in 0..254 {
        bench.yield_(0b1111).at(11 + passed, 0b0011);
    }
    bench.yield_(0b1111).at(2, 0b1100);
}

/// DQ-30: the random policy fires as often as its threshold says, and replays from its seed; seed 0 stands for 1.
#[test]
fn dq_30_random() {
    let fired = |yield_parameter, yield_seed| {
        let yield_policy = YieldPolicy::Random;
        let rules = Configuration { yield_policy, yield_parameter, yield_seed, ..Configuration::default() };
        let mut bench = Bench::new(rules, 0b1111);
        // Far enough apart that the two groups never meet at one address.
        bench.branch(0b0011, 100_000);
        (0..4096).map(|_| bench.yield_(0b1111).last.yielded).collect::<Vec<_>>()
    };
    let quarter = fired(64, 0xace1);
    let share = quarter.iter().sum::<u32>();
    assert!((900..1150).contains(&share), "{share} of 4096, a quarter was asked for");
    assert_eq!(quarter, fired(64, 0xace1));
    assert_ne!(quarter, fired(64, 0xace2));
    assert_eq!(fired(64, 0), fired(64, 1));
    assert_eq!(fired(0, 5).iter().sum::<u32>(), 0);
}

/// DQ-30: two groups that spin past a YIELD both run again and again under each policy.
#[rstest]
#[case(YieldPolicy::Always, 0)]
#[case(YieldPolicy::EveryNth, 7)]
#[case(YieldPolicy::Random, 40)]
fn dq_30_everybody_runs(#[case] yield_policy: YieldPolicy, #[case] yield_parameter: u8) {
    let rules = Configuration { yield_policy, yield_parameter, ..Configuration::default() };
    let mut bench = Bench::new(rules, 0b1111);
    bench.branch(0b0011, 10);
    let mut runs = [0; 4];
    for _ in 0..2000 {
        let fetch = bench.unit.fetch(0);
        (0..4).filter(|thread| fetch.active >> thread & 1 == 1).for_each(|thread| runs[thread] += 1);
        // Both spin on their own YIELD: 0 1 0 1 … and 10 11 10 11 …
        if fetch.address % 10 == 1 {
            bench.branch(0b1111, fetch.address - 1);
        } else {
            bench.yield_(0b1111);
        }
    }
    assert!(runs.iter().all(|runs| *runs > 400), "{runs:?}");
}

/// DQ-31: EXIT removes threads for good, and tokens that still hold their bits never revive them.
#[test]
fn dq_31_exit_is_for_good() {
    let mut bench = Bench::default();
    bench.push(Kind::Sync, 60).branch(0b0011, 10).exit(0b0001).at(11, 0b0010);
    bench.leave(Kind::Sync, 0b1111, 60).at(2, 0b1100).leave(Kind::Sync, 0b1111, 60).at(60, 0b1110);
}

/// DQ-31: EXIT with an address waits for its PEXIT token, and a YIELD in between does not lose the handler.
#[test]
fn dq_31_exit_with_a_handler() {
    let mut bench = Bench::default();
    bench.push(Kind::Exit, 90).branch(0b0011, 10).leave(Kind::Exit, 0b0001, 90).disabled(Kind::Exit, 0b0001);
    bench.yield_(0b1111).at(2, 0b1100);
    bench.yield_(0b1111).at(90, 0b0001).exit(0b1111).at(12, 0b0010);
    bench.leave(Kind::Exit, 0b1111, 90).at(3, 0b1100).exit(0b1111).at(90, 0b0010);
}

/// DQ-32: as a plain stack, a YIELD does nothing.
#[test]
fn dq_32_stack_mode_ignores_yield() {
    let mut bench = Bench::new(Configuration { stack_mode: true, ..Configuration::default() }, 0b1111);
    bench.branch(0b0011, 10).yield_(0b1111).at(11, 0b0011).tokens(&[(Kind::Divergence, 0b1100, 1)]);
    assert_eq!(bench.last.yielded, 0);
    assert_eq!(bench.unit.name(), "stack model");
}

/// DQ-12, DQ-13: with bounds, the operation that finds no room stops its warp with the fatal cause at its instruction.
#[test]
fn dq_12_no_room_stops_the_warp() {
    let configuration = Configuration { warps: 2, threads: 4, depth: 2, spill_limit: 1, ..Configuration::default() };
    let mut unit = super::DivergenceUnit::windowed(configuration);
    unit.launch(0, 0b1111, 0);
    unit.launch(1, 0b1111, 0);
    let push = Request {
        warp: 0,
        operation: Operation::Push,
        kind: Some(Kind::Sync),
        mask: 0,
        target: 9,
        targeted: true,
        again: false,
    };
    let faults: Vec<_> = (0..4).flat_map(|_| (unit.offer(&push), unit.tick().faults).1).collect();
    assert_eq!(faults, [Fault { warp: 0, cause: Cause::Fatal, address: 3 }]);
    assert_eq!(unit.running(), 0b10, "the other warp goes on");
}

/// DQ-43: 33 nested regions in a window of 31 entries return to the right places, through the spill area.
#[test]
fn dq_43_deep_nesting_returns_right() {
    let configuration = Configuration { warps: 1, threads: 64, depth: 31, spill_limit: 8, ..Configuration::default() };
    let mut unit = super::DivergenceUnit::windowed(configuration);
    unit.launch(0, u64::MAX, 0);
    let mut run = |operation, kind, mask, target| {
        let request = Request { warp: 0, operation, kind, mask, target, targeted: true, again: false };
        assert!(unit.offer(&request));
        (unit.tick().exceptions, unit.fetch(0))
    };
    let mut exceptions = Vec::new();
    for level in 0..33 {
        exceptions.extend(run(Operation::Push, Some(Kind::Sync), 0, 100 + level).0);
    }
    for level in (0..33).rev() {
        let (more, fetch) = run(Operation::Leave, Some(Kind::Sync), u64::MAX, 100 + level);
        exceptions.extend(more);
        assert_eq!(fetch, Fetch { address: 100 + level, active: u64::MAX });
    }
    assert!(exceptions.contains(&(Cause::Spill, 0)) && exceptions.contains(&(Cause::Refill, 0)));
}
