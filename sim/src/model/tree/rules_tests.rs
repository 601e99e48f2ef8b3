//! The rules one by one, on small warps: who runs where after each instruction.

use super::structure::Picture;
use super::table_unit::TreeTable;
use crate::engine::{Cause, Configuration, Engine, Events, Fetch, Kind, Mask, Operation, PathPolicy, Request};
use rstest::rstest;

/// One warp of eight threads at address 10.
struct Warp {
    engine: TreeTable,
    events: Events,
}

impl Warp {
    fn new() -> Self {
        Self::with(Configuration { warps: 1, threads: 8, tree: true, ..Configuration::default() })
    }
    fn with(configuration: Configuration) -> Self {
        let mut engine = TreeTable::new(configuration);
        engine.launch(0, 0xff, 10);
        Self { engine, events: Events::default() }
    }
    /// The selected leaf: address and threads.
    fn at(&mut self) -> (u32, Mask) {
        let Fetch { address, active } = self.engine.fetch(0);
        (address, active)
    }
    fn issue(
        &mut self,
        operation: Operation,
        kind: Option<Kind>,
        mask: Mask,
        target: u32,
        targeted: bool,
    ) -> &mut Self {
        let request = Request { warp: 0, operation, kind, mask, target, targeted, again: false };
        assert!(self.engine.offer(&request));
        self.events = self.engine.tick();
        if let Some(table) = self.engine.warp(0) {
            Picture::from(table).check().unwrap_or_else(|breach| panic!("{breach}"));
        }
        self
    }
    /// Lets the others step until a leaf of so many threads is selected.
    fn turn_of(&mut self, threads: u32) -> &mut Self {
        while self.at().1.count_ones() != threads {
            self.step();
        }
        self
    }
    fn step(&mut self) -> &mut Self {
        self.issue(Operation::Step, None, 0xff, 0, false)
    }
    fn push(&mut self, kind: Kind, target: u32) -> &mut Self {
        self.issue(Operation::Push, Some(kind), 0xff, target, false)
    }
    fn branch(&mut self, mask: Mask, target: u32) -> &mut Self {
        self.issue(Operation::Branch, None, mask, target, false)
    }
    fn leave(&mut self, kind: Kind, mask: Mask, target: u32) -> &mut Self {
        self.issue(Operation::Leave, Some(kind), mask, target, true)
    }
    fn exit(&mut self, mask: Mask) -> &mut Self {
        self.issue(Operation::Exit, None, mask, 0, false)
    }
    fn nodes(&self) -> usize {
        self.engine.warp(0).map_or(0, |table| table.nodes().count())
    }
}

/// TD-02, TD-03, TD-04, TD-05: a condition: both sides run in turn, wait at the join, and go on as one.
#[test]
fn td_02_a_condition_splits_and_joins() {
    let mut warp = Warp::new();
    assert_eq!(warp.step().at(), (11, 0xff));
    assert_eq!(warp.push(Kind::Sync, 40).at(), (12, 0xff));
    assert_eq!(warp.branch(0xff, 20).at(), (20, 0xff));
    assert_eq!(warp.branch(0, 99).at(), (21, 0xff));
    assert_eq!((warp.branch(0x0f, 30).at(), warp.events.diverged), ((30, 0x0f), 1));
    // In turn.
    assert_eq!(warp.step().at(), (22, 0xf0));
    assert_eq!(warp.step().at(), (31, 0x0f));
    assert_eq!(warp.engine.disabled(0, Kind::Divergence), 0xf0);
    assert_eq!(warp.leave(Kind::Sync, 0x03, 40).at(), (23, 0xf0));
    assert_eq!(warp.engine.disabled(0, Kind::Sync), 0x03);
    assert_eq!(warp.leave(Kind::Sync, 0xff, 40).at(), (32, 0x0c));
    assert_eq!(warp.leave(Kind::Sync, 0xff, 40).at(), (40, 0xff));
    assert_eq!(warp.nodes(), 1);
    warp.exit(0xff);
    assert_eq!(warp.events.done, [0]);
}

/// TD-02, DQ-22: the path policy says which side keeps the leaf and so runs first.
#[rstest]
#[case(PathPolicy::Taken, 0x07, true)]
#[case(PathPolicy::NotTaken, 0x07, false)]
#[case(PathPolicy::Smaller, 0x07, true)]
#[case(PathPolicy::Smaller, 0x0f, true)]
#[case(PathPolicy::Smaller, 0x1f, false)]
#[case(PathPolicy::Larger, 0x07, false)]
#[case(PathPolicy::Larger, 0x0f, true)]
fn td_02_the_policy_chooses_the_first_side(#[case] path_policy: PathPolicy, #[case] taken: Mask, #[case] first: bool) {
    let configuration = Configuration { warps: 1, threads: 8, tree: true, path_policy, ..Configuration::default() };
    let mut warp = Warp::with(configuration);
    let expected = if first { (50, taken) } else { (11, 0xff & !taken) };
    assert_eq!(warp.branch(taken, 50).at(), expected);
}

/// TD-02: a BRX takes a sibling that meets it again; a predicated call leaves a sibling behind it, outside the call.
#[test]
fn td_02_indirect_branches_and_calls() {
    let mut warp = Warp::new();
    assert_eq!(warp.issue(Operation::Indirect, None, 0x11, 60, false).at(), (60, 0x11));
    assert_eq!(warp.exit(0xff).at(), (10, 0xee));
    assert_eq!(warp.issue(Operation::Call, None, 0x0e, 70, false).at(), (70, 0x0e));
    // The call waits alone: its return does not wait for those who did not call.
    assert_eq!(warp.issue(Operation::Leave, Some(Kind::Call), 0xff, 0, false).at(), (11, 0xe0));
    assert_eq!(warp.step().at(), (11, 0x0e));
    assert_eq!(warp.nodes(), 2);
}

/// TD-05: at the nearest region of the kind they wait if it ends at the instruction's address; else they go there on their own.
#[test]
fn td_05_only_the_nearest_region_of_the_kind_counts() {
    let mut warp = Warp::new();
    warp.push(Kind::Break, 90).push(Kind::Break, 80).push(Kind::Sync, 70);
    assert_eq!(warp.leave(Kind::Break, 0x01, 90).at(), (14, 0xfe));
    // Thread 0 left both loops for 90, but nobody waits for it there.
    assert_eq!(warp.leave(Kind::Break, 0x02, 80).at(), (90, 0x01));
    assert_eq!(warp.engine.disabled(0, Kind::Break), 0x02);
    // An address is not an arrival: thread 0 runs through 80.
    assert_eq!(warp.issue(Operation::Leave, Some(Kind::Sync), 0xff, 80, true).at(), (15, 0xfc));
    assert_eq!(warp.step().at(), (80, 0x01));
}

/// TD-06: those who leave several levels at once join the matching one; the levels between lose a child, and are freed when it was the
/// last.
#[test]
fn td_06_leaving_several_levels_frees_those_between() {
    let mut warp = Warp::new();
    warp.push(Kind::Break, 90).push(Kind::Sync, 80).push(Kind::Call, 70).push(Kind::Sync, 60);
    assert_eq!(warp.nodes(), 5);
    assert_eq!(warp.leave(Kind::Break, 0xff, 90).at(), (90, 0xff));
    assert_eq!((warp.nodes(), warp.events.discarded), (1, 3));
}

/// TD-06: a level between at which others have arrived resumes with them.
#[test]
fn td_06_a_level_between_resumes_those_who_arrived() {
    let mut warp = Warp::new();
    warp.push(Kind::Break, 90).push(Kind::Sync, 80);
    warp.leave(Kind::Sync, 0x0f, 80);
    assert_eq!(warp.leave(Kind::Break, 0xff, 90).at(), (80, 0x0f));
    assert_eq!(warp.leave(Kind::Break, 0xff, 90).at(), (90, 0xff));
}

/// TD-05, DQ-31: exited threads are gone; the region resumes with the others.
#[test]
fn td_05_exited_threads_are_not_waited_for() {
    let mut warp = Warp::new();
    warp.push(Kind::Sync, 40).branch(0x0f, 30);
    assert_eq!(warp.leave(Kind::Sync, 0xff, 40).at(), (12, 0xf0));
    assert_eq!(warp.exit(0xff).at(), (40, 0x0f));
}

/// TD-04: YIELD detaches: nobody waits at the join for those who yielded. Sets that yield to one address are one.
#[test]
fn td_04_yield_detaches_and_merges() {
    let mut warp = Warp::new();
    warp.push(Kind::Break, 90);
    // The winner of a lock waits at BRK; the spinners yield, and it goes on.
    assert_eq!(warp.leave(Kind::Break, 0x01, 90).at(), (12, 0xfe));
    assert_eq!(warp.issue(Operation::Yield, None, 0x0e, 0, false).at(), (13, 0xf0));
    assert_eq!((warp.events.yielded, warp.events.merged), (1, 0));
    assert_eq!(warp.leave(Kind::Sync, 0x10, 13).at(), (13, 0x1e));
    assert_eq!((warp.events.yielded, warp.events.merged), (1, 1));
    assert_eq!(warp.step().at(), (14, 0xe0));
    assert_eq!(warp.issue(Operation::Yield, None, 0xe0, 0, false).at(), (14, 0x1e));
    // The spinners are out of the loop; who waits at its end runs.
    assert_eq!(warp.step().at(), (15, 0xe0));
    assert_eq!(warp.step().at(), (90, 0x01));
}

/// TD-04: every leaf runs within as many turns as there are leaves.
#[test]
fn td_04_leaves_take_turns() {
    let mut warp = Warp::new();
    for thread in 0..7 {
        // Each step cuts one thread off; the others go on at the next address.
        while warp.at().1.count_ones() == 1 {
            warp.step();
        }
        warp.branch(1 << thread, 100 * (thread + 1));
    }
    let mut last = [0_u64; 8];
    for turn in 1..=80 {
        let (_, threads) = warp.at();
        let thread = threads.trailing_zeros() as usize;
        assert!(threads.count_ones() == 1 && turn - last[thread] <= 8, "thread {thread} waited since {}", last[thread]);
        last[thread] = turn;
        warp.step();
    }
}

/// TD-07: SSY, PBK and PCNT of what the node above waits for open nothing; calls do, for each returns once.
#[test]
fn td_07_the_same_region_again_needs_no_node() {
    for (kind, nodes) in [(Kind::Sync, 2), (Kind::Break, 2), (Kind::Continue, 2), (Kind::LongJump, 3), (Kind::Exit, 3)]
    {
        assert_eq!(warp_after_two(kind, 40, 40), nodes, "{kind:?}");
        assert_eq!(warp_after_two(kind, 40, 41), 3, "{kind:?}");
    }
}

fn warp_after_two(kind: Kind, first: u32, second: u32) -> usize {
    let mut warp = Warp::new();
    warp.push(kind, first).push(kind, second);
    warp.nodes()
}

/// TD-07: a loop with one region that a thread leaves in each iteration needs at most T + 1 nodes; regions that all diverge, 2T - 1.
#[test]
fn td_07_bounds_for_eight_threads() {
    // PBK end; loop: PBK end; @Pi BRA somewhere (thread i leaves the loop's code, not its region); BRA loop.
    let mut looping = Warp::new();
    looping.push(Kind::Break, 90);
    for thread in 0..7_u32 {
        looping.turn_of(8 - thread).push(Kind::Break, 90);
        looping.turn_of(8 - thread).branch(1 << thread, 1000 + 50 * thread);
    }
    assert_eq!((looping.nodes(), looping.engine.high_water(0)), (9, 9));
    let mut nest = Warp::new();
    for thread in 0..7_u32 {
        nest.turn_of(8 - thread).push(Kind::Sync, 900 + thread);
        nest.turn_of(8 - thread).branch(1 << thread, 2000 + 50 * thread);
    }
    assert_eq!((nest.nodes(), nest.engine.high_water(0)), (2 * 8 - 1, 2 * 8 - 1));
}

/// DQ-29: a RET without an address and without a call is a lost thread, at that instruction.
#[test]
fn dq_29_a_return_to_nowhere_is_an_error() {
    let mut warp = Warp::new();
    warp.push(Kind::Sync, 40).issue(Operation::Leave, Some(Kind::Call), 0x01, 0, false);
    let [fault] = warp.events.faults.as_slice() else { panic!("{:?}", warp.events) };
    assert_eq!((fault.cause, fault.address, warp.engine.running()), (Cause::LostThread, 11, 0));
}

/// SM-07: sleepers are in no leaf, nobody waits for them, and a warp that sleeps altogether is parked until somebody wakes it.
#[test]
fn sm_07_sleepers_detach_and_wake_on_their_own() {
    let mut warp = Warp::new();
    warp.push(Kind::Sync, 40);
    assert_eq!(warp.issue(Operation::Sleep, None, 0x0f, 0, false).at(), (12, 0xf0));
    assert_eq!(warp.engine.disabled(0, Kind::Barrier), 0x0f);
    assert_eq!(warp.leave(Kind::Sync, 0xff, 40).at(), (40, 0xf0));
    // A wake changes nothing for the leaf that is selected.
    assert_eq!(warp.issue(Operation::Wake, None, 0xf1, 60, false).at(), (40, 0xf0));
    assert_eq!(warp.issue(Operation::Wake, None, 0x02, 60, false).at(), (40, 0xf0));
    assert_eq!(warp.events.merged, 1);
    assert_eq!(warp.exit(0xff).at(), (60, 0x03));
    assert_eq!(warp.issue(Operation::Sleep, None, 0xff, 0, false).at(), (0, 0));
    assert_eq!((warp.engine.ready(), warp.engine.running()), (0, 1));
    let step =
        Request { warp: 0, operation: Operation::Step, kind: None, mask: 0, target: 0, targeted: false, again: false };
    assert!(!warp.engine.offer(&step));
    assert_eq!(warp.issue(Operation::Wake, None, 0xff, 70, false).at(), (70, 0x0f));
    warp.exit(0xff);
    assert_eq!(warp.events.done, [0]);
}

/// XV-02: the model follows a table that merges later, or has another order; and says so if it cannot.
#[test]
fn xv_02_the_model_follows_another_order() {
    let mut warp = Warp::new();
    warp.branch(0x0f, 30);
    warp.engine.follow(0, Fetch { address: 11, active: 0xf0 }).expect("it is there");
    assert_eq!(warp.at(), (11, 0xf0));
    let wrong = warp.engine.follow(0, Fetch { address: 12, active: 0xf0 }).expect_err("nobody is there");
    assert!(wrong.contains("f0 at 0xb"), "{wrong}");
    // Both come to 31 on their own, as trees of one leaf each; hardware runs them as one.
    warp.branch(0xf0, 31).step();
    warp.engine.follow(0, Fetch { address: 31, active: 0xff }).expect("their union");
    assert_eq!((warp.at(), warp.nodes()), ((31, 0xff), 1));
}
