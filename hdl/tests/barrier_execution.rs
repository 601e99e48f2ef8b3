//! The execution side of the barrier system at its ports, the arrival side's part played by the test: which thread is woken in which cycle.
//!
//! Cycle 1 is the execute stage of the request of which a test speaks: the cycle after the edge that accepts it.

use crate::support::bench::{Bench, POINTS};
use heddle_hdl::barrier::operation::BarrierOperation as Operation;
use rstest::rstest;

/// A section or an exclusive conditional barrier that turns dynamic.
#[derive(Clone, Copy)]
struct Dynamic {
    tag: u128,
    critical: bool,
    exclusive: bool,
    blocking: bool,
    priority: u128,
    class: u128,
}

/// A plain section under `key`.
fn section(key: u128) -> Dynamic {
    Dynamic { tag: 0x100 + key, critical: true, exclusive: false, blocking: false, priority: 0, class: 0 }
}

/// A wake-up as the port shows it: CTA, block, mask, address, inside.
type Wake = (u128, u128, u128, u128, bool);

struct Machine {
    bench: Bench,
    barrier_bits: u32,
    block_bits: u32,
}

impl Machine {
    /// After reset and its sweep, with a full CTA 0 and CTA 1 whose blocks are mapped in reverse.
    fn new(point: &str) -> Self {
        let bench = Bench::new("barrier_execution", point);
        let barrier_bits = bench.entry.parameter("barriers").unwrap().trailing_zeros();
        let block_bits = bench.entry.parameter("blocks").unwrap().trailing_zeros();
        let mut machine = Machine { bench, barrier_bits, block_bits };
        machine.bench.drive(&[("class_conflicts", 0xffff), ("wake_ready", 1), ("finish_ready", 1)]);
        let sweep = machine.bench.parameter("ctas") * machine.bench.parameter("blocks");
        for _ in 0..sweep {
            assert_eq!(machine.bench.get("execution_busy"), 1);
            machine.tick();
        }
        assert_eq!(machine.bench.get("execution_busy"), 0);
        let blocks = machine.bench.parameter("blocks");
        machine.launch(0, blocks * machine.bench.parameter("block_threads"), |logical| logical);
        machine.launch(1, blocks * machine.bench.parameter("block_threads"), |logical| blocks - 1 - logical);
        machine
    }

    fn tick(&mut self) {
        self.bench.tick();
        let idle = [
            "execute_valid",
            "execute_request",
            "execute_mask",
            "sleep_mask",
            "sleep_done",
            "sleep_rescan",
            "dynamic_valid",
            "release_valid",
            "reset_valid",
        ];
        for port in idle {
            self.bench.set(port, 0);
        }
    }

    /// What is in the execute stage in this cycle.
    fn execute(&mut self, operation: Operation, key: u128, block: u128, mask: u128) {
        self.bench.drive(&[
            ("execute_valid", 1),
            ("execute_request", 1),
            ("execute_operation", operation as u128),
            ("execute_key", key),
            ("execute_cta", key >> self.barrier_bits),
            ("execute_barrier", key),
            ("execute_block", block),
            ("execute_mask", mask),
        ]);
    }

    fn launch(&mut self, cta: u128, threads: u128, block: impl Fn(u128) -> u128) {
        let map = (0..self.bench.parameter("blocks"))
            .fold(0, |map, logical| map | block(logical) << (16 + u128::from(self.block_bits) * logical));
        for step in 0..self.bench.parameter("barriers") {
            self.execute(Operation::Launch, cta << self.barrier_bits | step, 0, 0);
            self.bench.set("execute_data", map | threads);
            self.tick();
        }
    }

    /// Threads of a block arrive and fall asleep; with `complete`, the barrier turns dynamic.
    fn arrive(&mut self, key: u128, block: u128, mask: u128, phase: u128, complete: Option<Dynamic>) {
        self.execute(Operation::Arrive, key, block, mask);
        self.bench.drive(&[("sleep_mask", mask), ("sleep_phase", phase)]);
        if let Some(dynamic) = complete {
            self.turn_dynamic(dynamic);
        }
        self.tick();
    }

    fn turn_dynamic(&mut self, dynamic: Dynamic) {
        self.bench.drive(&[
            ("dynamic_valid", 1),
            ("dynamic_tag", dynamic.tag),
            ("dynamic_critical", dynamic.critical.into()),
            ("dynamic_exclusive", dynamic.exclusive.into()),
            ("dynamic_blocking", dynamic.blocking.into()),
            ("dynamic_priority", dynamic.priority),
            ("dynamic_class", dynamic.class),
        ]);
    }

    /// The wake-up of this cycle.
    fn wake(&mut self) -> Option<Wake> {
        let [valid, cta, block, mask, address, inside] =
            self.bench.read(["wake_valid", "wake_cta", "wake_block", "wake_mask", "wake_address", "wake_inside"]);
        (valid == 1).then_some((cta, block, mask, address, inside == 1))
    }

    /// In which cycle the next wake-up shows, the present one being `now`, and which it is.
    fn next_wake(&mut self, now: u64) -> (u64, Wake) {
        for cycle in now..now + 100 {
            if let Some(wake) = self.wake() {
                return (cycle, wake);
            }
            self.tick();
        }
        panic!("nobody is woken");
    }

    /// A bottom in the execute stage: the error cause (0: none), who sleeps, who goes on.
    fn bottom(&mut self, key: u128, block: u128, mask: u128, phase: u128) -> (u128, u128, u128) {
        self.execute(Operation::Bottom, key, block, mask);
        self.bench.set("sleep_phase", phase);
        let [error, cause, sleep, pass] =
            self.bench.read(["error_valid", "error_cause", "bottom_sleep", "bottom_pass"]);
        self.tick();
        (error * cause, sleep, pass)
    }

    fn quiet(&mut self, cycles: u64) {
        for _ in 0..cycles {
            assert_eq!(self.wake(), None, "in cycle {}", self.bench.cycle);
            self.tick();
        }
    }

    /// Runs until a finish is offered, takes it, and executes it; with `release`, sleepers of `phase` continue there.
    fn finish(&mut self, key: u128, phase: u128, release: u128) {
        for _ in 0..20 {
            if self.bench.get("finish_valid") == 1 {
                assert_eq!(self.bench.get("finish_key"), key);
                self.tick();
                self.execute(Operation::Finish, key, 0, 0);
                self.bench.set("execute_request", 0);
                assert_eq!(self.bench.get("finish_cancel"), 0);
                self.bench.drive(&[("release_valid", 1), ("release_phase", phase), ("release_address", release)]);
                self.tick();
                return;
            }
            self.tick();
        }
        panic!("no finish");
    }
}

/// BR-43, BR-31: the first thread is woken in cycle 4 after the last arrival, plus a cycle for each empty block; then the threads
/// follow in logical order, each in cycle 2 after its predecessor's bottom.
#[rstest]
fn br_43_section_to_the_cycle(#[values(0, 1, 2)] point: usize, #[values(0, 1)] cta: u128) {
    let mut machine = Machine::new(POINTS[point]);
    let blocks = machine.bench.parameter("blocks");
    let threads = machine.bench.parameter("block_threads");
    let key = cta << machine.barrier_bits | 1;
    let physical = |logical: u128| if cta == 0 { logical } else { blocks - 1 - logical };
    let last = 1 << (threads - 1);
    for empty in 0..blocks {
        // The sleepers: the first and last thread of the block behind the empty ones.
        machine.arrive(key, physical(empty), 1 | last, 0, Some(section(key)));
        let (cycle, wake) = machine.next_wake(2);
        assert_eq!(wake, (cta, physical(empty), 1, 0x102 + (cta << machine.barrier_bits), true));
        assert_eq!(cycle, 4 + empty as u64, "{empty} empty blocks");
        machine.tick();
        // The bottom comes at once: it is accepted at the edge that takes the wake-up.
        assert_eq!(machine.bottom(key, physical(empty), 1, 0), (0, 0, 1));
        assert_eq!(
            machine.next_wake(2),
            (2, (cta, physical(empty), last, 0x102 + (cta << machine.barrier_bits), true))
        );
        machine.tick();
        assert_eq!(machine.bottom(key, physical(empty), last, 0), (0, 0, last));
        machine.finish(key, 0, 0x500);
        assert_eq!(machine.bench.get("occupied"), 0);
        machine.quiet(20);
    }
}

/// BR-43: an empty block between two threads costs a cycle, and nothing if the section is longer than that.
#[rstest]
fn br_43_empty_blocks_are_skipped_meanwhile(#[values(0, 1, 2)] point: usize, #[values(0, 1, 3)] run: u64) {
    let mut machine = Machine::new(POINTS[point]);
    let blocks = machine.bench.parameter("blocks");
    machine.arrive(1, 0, 1, 0, None);
    machine.arrive(1, blocks - 1, 2, 0, Some(section(1)));
    assert_eq!(machine.next_wake(2), (4, (0, 0, 1, 0x102, true)));
    machine.tick();
    for _ in 0..run {
        machine.tick();
    }
    assert_eq!(machine.bottom(1, 0, 1, 0).0, 0);
    let skipped = blocks as u64 - 1;
    assert_eq!(machine.next_wake(2), (2 + skipped.saturating_sub(run), (0, blocks - 1, 2, 0x102, true)));
}

/// BR-32: blocking: who is done sleeps at the bottom until all are, then all wake together at the address after it.
#[rstest]
fn br_32_blocking_bottom(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    let blocking = Dynamic { blocking: true, ..section(1) };
    machine.arrive(1, 0, 0b101, 0, None);
    machine.arrive(1, 1, 0b010, 0, Some(blocking));
    for (block, mask) in [(0, 0b001), (0, 0b100), (1, 0b010)] {
        let (_, wake) = machine.next_wake(2);
        assert_eq!(wake, (0, block, mask, 0x102, true));
        machine.tick();
        assert_eq!(machine.bottom(1, block, mask, 0), (0, mask, 0));
    }
    machine.finish(1, 0, 0x777);
    // The finish's execute stage is cycle 1.
    assert_eq!(machine.next_wake(2), (3, (0, 0, 0b101, 0x777, false)));
    machine.tick();
    assert_eq!(machine.wake(), Some((0, 1, 0b010, 0x777, false)));
    machine.tick();
    machine.quiet(20);
}

/// BR-45, BR-30: a release wakes its first block in the second cycle after its message and then a block a cycle, and only who
/// sleeps in that barrier and phase; it is busy until it has walked all blocks.
#[rstest]
fn br_45_release(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    let blocks = machine.bench.parameter("blocks");
    machine.arrive(1, 0, 0b0001, 0, None);
    machine.arrive(0, 0, 0b0010, 0, None);
    machine.arrive(1 << machine.barrier_bits | 1, 0, 0b0100, 0, None);
    machine.execute(Operation::Arrive, 1, blocks - 1, 0b1000);
    machine.bench.drive(&[("sleep_mask", 0b1000), ("sleep_phase", 0)]);
    machine.bench.drive(&[("release_valid", 1), ("release_phase", 0), ("release_address", 0x222)]);
    assert_eq!(machine.bench.get("release_busy"), 0);
    machine.tick();
    // Cycle 2: somebody sleeps in the next phase of the same barrier, and stays asleep.
    machine.execute(Operation::Arrive, 1, blocks - 1, 0b0100);
    machine.bench.drive(&[("sleep_mask", 0b0100), ("sleep_phase", 1)]);
    assert_eq!(machine.wake(), None);
    assert_eq!(machine.bench.get("release_busy"), 1);
    machine.tick();
    assert_eq!(machine.next_wake(3), (3, (0, 0, 0b0001, 0x222, false)));
    machine.tick();
    assert_eq!(machine.next_wake(4), (2 + blocks as u64, (0, blocks - 1, 0b1000, 0x222, false)));
    assert_eq!(machine.bench.get("release_busy"), 0);
    machine.tick();
    machine.quiet(20);
}

/// BR-45, BR-53: releases of two barriers in adjacent cycles: all sleepers of both wake, one after the other.
#[rstest]
fn br_53_adjacent_releases(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    let blocks = machine.bench.parameter("blocks");
    let other = 1 << machine.barrier_bits;
    machine.arrive(0, 0, 0b0011, 0, None);
    machine.arrive(other, 0, 0b0110, 1, None);
    for (key, phase, address) in [(0, 0, 0x10), (other, 1, 0x20)] {
        machine.execute(Operation::Arrive, key, 0, 0);
        machine.bench.drive(&[("release_valid", 1), ("release_phase", phase), ("release_address", address)]);
        machine.tick();
    }
    // The first release was in cycle 1; the other CTA's map is reversed, so that its block 0 is the last one walked.
    assert_eq!(machine.next_wake(3), (3, (0, 0, 0b0011, 0x10, false)));
    machine.tick();
    assert_eq!(machine.next_wake(4), (2 + 2 * blocks as u64, (1, 0, 0b0110, 0x20, false)));
    machine.tick();
    machine.quiet(20);
}

/// BR-45: a wake-up holds still until it is taken, and nothing is lost behind it.
#[rstest]
fn wake_ups_hold_until_taken(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0011, 0, None);
    machine.arrive(1, 1, 0b1100, 0, None);
    machine.bench.set("wake_ready", 0);
    machine.execute(Operation::Reset, 1, 0, 0);
    machine.bench.drive(&[("release_valid", 1), ("release_address", 0x33)]);
    machine.tick();
    machine.tick();
    for _ in 0..5 {
        assert_eq!(machine.wake(), Some((0, 0, 0b0011, 0x33, false)));
        machine.tick();
    }
    machine.bench.set("wake_ready", 1);
    machine.tick();
    assert_eq!(machine.wake(), Some((0, 1, 0b1100, 0x33, false)));
}

/// BR-06, BR-19: a bottom by a thread that is not inside, and a top inside a section, are errors that name the thread, and
/// have no effect.
#[rstest]
fn br_19_errors(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0110, 0, Some(section(1)));
    assert_eq!(machine.bottom(1, 0, 0b0010, 0), (1, 0, 0), "asleep is not inside");
    machine.next_wake(2);
    machine.tick();
    assert_eq!(machine.bottom(1, 0, 0b0110, 0), (1, 0, 0), "one of two is not inside");
    assert_eq!(machine.bottom(0, 0, 0b0010, 0), (1, 0, 0), "inside another section");
    assert_eq!(machine.bottom(1, 1, 0b0010, 0), (1, 0, 0), "the thread of another block");
    machine.execute(Operation::Arrive, 0, 0, 0b0011);
    assert_eq!(machine.bench.read(["error_valid", "error_cause", "error_threads"]), [1, 2, 0b0010]);
    assert_eq!(machine.bench.read(["error_other_key", "error_other_address"]), [1, 0x101]);
    machine.tick();
    machine.execute(Operation::Arrive, 0, 0, 0b1001);
    assert_eq!(machine.bench.get("error_valid"), 0, "others of its block may arrive");
    machine.tick();
    machine.quiet(5);
    assert_eq!(machine.bottom(1, 0, 0b0010, 0), (0, 0, 0b0010));
    assert_eq!(machine.next_wake(2), (2, (0, 0, 0b0100, 0x102, true)));
}

/// CX-10, BR-19: a nested top right behind the Withdraw that begins to take another CTA's barriers out names the section that its thread is inside, not
/// one of the CTA that leaves.
#[rstest]
fn cx_10_error_beside_a_cta_that_is_taken_out(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    let (leaving, staying) = (1, 1 << machine.barrier_bits | 1);
    machine.arrive(staying, 0, 0b0001, 0, Some(section(staying)));
    machine.next_wake(2);
    machine.tick();
    // CTA 0 is held from its first Suspend on; the section that it enters then wakes nobody.
    machine.execute(Operation::Suspend, 0, 0, 0);
    machine.bench.drive(&[("execute_data", 100), ("execute_refused", 1)]);
    assert_eq!(machine.bench.get("saving_refused"), 1);
    machine.tick();
    machine.bench.set("execute_refused", 0);
    machine.arrive(leaving, 0, 0b0001, 0, Some(section(leaving)));
    machine.quiet(10);
    machine.execute(Operation::Suspend, 0, 0, 0);
    machine.bench.drive(&[("execute_data", 100), ("execute_act", 1)]);
    assert_eq!(machine.bench.get("saving_refused"), 0);
    machine.tick();
    machine.bench.set("execute_act", 0);
    machine.execute(Operation::Withdraw, 0, 0, 0);
    assert_eq!(machine.bench.get("saving_refused"), 1);
    machine.tick();
    assert_eq!(machine.bench.get("execution_busy"), 1, "slots and queue are being emptied");
    machine.execute(Operation::Arrive, staying ^ 1, 0, 0b0001);
    assert_eq!(machine.bench.read(["error_valid", "error_cause", "error_threads"]), [1, 2, 0b0001]);
    assert_eq!(machine.bench.read(["error_other_key", "error_other_address"]), [staying, 0x100 + staying]);
}

/// BR-26: EXIT inside a section acts as its bottom.
#[rstest]
fn br_26_exit_inside(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0110, 0, Some(Dynamic { blocking: true, ..section(1) }));
    machine.next_wake(2);
    machine.tick();
    for step in 0..machine.bench.parameter("barriers") {
        machine.execute(Operation::Exit, step, 0, 0b0011);
        if step == 1 {
            assert_eq!(machine.wake(), Some((0, 0, 0b0100, 0x102, true)));
        }
        machine.tick();
    }
    assert_eq!(machine.bottom(1, 0, 0b0100, 0), (0, 0b0100, 0));
    machine.finish(1, 0, 0x44);
    assert_eq!(machine.next_wake(2).1, (0, 0, 0b0100, 0x44, false));
}

/// BR-20, BR-33: a late thread behind the search sets rescan and is run in a second pass; one that joins in the very cycle of
/// the finish cancels it.
#[rstest]
fn br_33_late_join(#[values(0, 1, 2)] point: usize, #[values(0, 1, 2, 3, 4, 5, 6)] delay: u64) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 1, 0b0001, 0, Some(section(1)));
    machine.next_wake(2);
    machine.tick();
    assert_eq!(machine.bottom(1, 1, 0b0001, 0).0, 0);
    let mut finishing = false;
    for _ in 0..delay {
        if finishing {
            // The arrival came too late for this execution: that is the arrival side's to know.
            return;
        }
        finishing = machine.bench.get("finish_valid") == 1;
        machine.tick();
    }
    if finishing {
        return;
    }
    machine.execute(Operation::Arrive, 1, 0, 0b1000);
    machine.bench.drive(&[("sleep_mask", 0b1000), ("sleep_rescan", 1)]);
    let taken = machine.bench.get("finish_valid") == 1;
    machine.tick();
    if taken {
        assert_eq!(machine.bench.get("finish_cancel"), 1);
    }
    let (_, wake) = machine.next_wake(2);
    assert_eq!(wake, (0, 0, 0b1000, 0x102, true));
    machine.tick();
    assert_eq!(machine.bottom(1, 0, 0b1000, 0).0, 0);
    machine.finish(1, 0, 0x55);
    assert_eq!(machine.bench.get("occupied"), 0);
}

/// BR-25: RESET of a section in a slot: nobody else enters it, the thread inside is inside no more, and the slot ends.
#[rstest]
fn br_25_reset_in_a_slot(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0111, 0, Some(section(1)));
    machine.next_wake(2);
    machine.tick();
    machine.execute(Operation::Reset, 1, 0, 0);
    machine.bench.set("reset_valid", 1);
    machine.tick();
    assert_eq!(machine.bottom(1, 0, 0b0001, 0), (1, 0, 0));
    machine.finish(1, 0, 0x66);
    assert_eq!(machine.next_wake(2).1, (0, 0, 0b0110, 0x66, false));
    machine.tick();
    machine.quiet(10);
}

/// BR-25, BR-37: a barrier that is reset in the queue leaves it although an exclusive one runs, and runs nothing.
#[rstest]
fn br_25_reset_in_the_queue(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0001, 0, Some(Dynamic { exclusive: true, ..section(1) }));
    machine.arrive(0, 0, 0b0110, 0, Some(section(0)));
    assert_eq!(machine.next_wake(3), (4, (0, 0, 0b0001, 0x102, true)));
    machine.tick();
    machine.quiet(10);
    assert_eq!(machine.bench.get("waiting"), 1);
    machine.execute(Operation::Reset, 0, 0, 0);
    machine.bench.set("reset_valid", 1);
    assert_eq!(machine.bench.read(["handed_valid", "handed_key"]), [1, 0]);
    machine.tick();
    machine.finish(0, 0, 0x67);
    assert_eq!(machine.next_wake(2).1, (0, 0, 0b0110, 0x67, false));
    machine.tick();
    assert_eq!(machine.bench.get("occupied"), 1);
}

/// BR-37, BR-40: an exclusive section waits until every slot is empty, and holds back those behind it until its own end; with
/// `exclusive_inside`, it waits only for the thread inside, and then nobody else enters.
#[rstest]
fn br_37_exclusive(#[values(0, 1, 2)] point: usize, #[values(0, 1)] inside_only: u128) {
    let mut machine = Machine::new(POINTS[point]);
    machine.bench.set("exclusive_inside", inside_only);
    let other = 1 << machine.barrier_bits;
    machine.arrive(0, 0, 0b0011, 0, Some(section(0)));
    machine.arrive(1, 0, 0b0100, 0, Some(Dynamic { exclusive: true, ..section(1) }));
    machine.arrive(other, 0, 0b0001, 0, Some(section(other)));
    let (_, wake) = machine.next_wake(2);
    assert_eq!(wake, (0, 0, 0b0001, 0x101, true));
    machine.tick();
    machine.quiet(5);
    assert_eq!(machine.bench.get("waiting"), if inside_only == 1 { 1 } else { 2 });
    let order: &[(u128, u128)] = if inside_only == 1 { &[(0, 1), (1, 4)] } else { &[(0, 1), (0, 2), (1, 4)] };
    for (at, (key, mask)) in order.iter().copied().enumerate() {
        if at > 0 {
            let mut waited = 0;
            while machine.wake().is_none() {
                if machine.bench.get("finish_valid") == 1 {
                    let key = machine.bench.get("finish_key");
                    machine.finish(key, 0, 0x70);
                } else {
                    machine.tick();
                }
                waited += 1;
                assert!(waited < 50);
            }
            assert_eq!(machine.wake().map(|wake| (wake.3 - 0x101, wake.2)), Some((key, mask)));
            machine.tick();
            machine.quiet(3);
        }
        assert_eq!(machine.bottom(key, 0, mask, 0).0, 0);
    }
    // The others follow: what was interrupted, and the one behind the exclusive section.
    let mut rest = vec![(1, 0, 0b0001, 0x101 + other, true)];
    if inside_only == 1 {
        rest.push((0, 0, 0b0010, 0x101, true));
    }
    for _ in 0..50 {
        if let Some(wake) = machine.wake() {
            rest.retain(|expected| *expected != wake);
        }
        if machine.bench.get("finish_valid") == 1 {
            let key = machine.bench.get("finish_key");
            machine.finish(key, 0, 0x70);
        } else {
            machine.tick();
        }
    }
    assert_eq!(rest, []);
}

/// BR-30: an exclusive conditional barrier takes a slot, wakes nobody by itself, and ends at once.
#[rstest]
fn br_30_exclusive_conditional(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b1111, 0, Some(Dynamic { critical: false, exclusive: true, ..section(1) }));
    machine.finish(1, 0, 0x102);
    assert_eq!(machine.next_wake(2), (3, (0, 0, 0b1111, 0x102, false)));
    machine.tick();
    machine.quiet(10);
}

/// BR-38, BR-42: while releases are walked without end, a section still enters a thread in cycle 2 after a bottom.
#[rstest]
fn br_43_a_section_does_not_wait_for_releases(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    machine.arrive(1, 0, 0b0011, 0, Some(section(1)));
    machine.arrive(0, 0, 0b0100, 0, None);
    machine.arrive(0, 1, 0b1111, 0, None);
    assert_eq!(machine.next_wake(4).1, (0, 0, 0b0001, 0x102, true));
    machine.tick();
    machine.execute(Operation::Arrive, 0, 0, 0);
    machine.bench.drive(&[("release_valid", 1), ("release_address", 0x99)]);
    machine.tick();
    assert_eq!(machine.bottom(1, 0, 0b0001, 0).0, 0);
    assert_eq!(machine.wake(), Some((0, 0, 0b0010, 0x102, true)));
    machine.tick();
    assert_eq!(machine.wake(), Some((0, 0, 0b0100, 0x99, false)));
    machine.tick();
    assert_eq!(machine.wake(), Some((0, 1, 0b1111, 0x99, false)));
}

/// BR-05: a CTA does not retire while wake-ups of it are under way.
#[rstest]
fn br_05_retire_waits_for_wake_ups(#[values(0, 1, 2)] point: usize) {
    let mut machine = Machine::new(POINTS[point]);
    let blocks = machine.bench.parameter("blocks");
    machine.arrive(1, 0, 0b0001, 0, None);
    machine.execute(Operation::Reset, 1, 0, 0);
    machine.bench.drive(&[("release_valid", 1), ("release_address", 0x99)]);
    machine.tick();
    for cycle in 0..blocks + 2 {
        machine.execute(Operation::Retire, 0, 0, 0);
        let busy = u128::from(cycle < blocks);
        assert_eq!(machine.bench.get("release_busy_cta"), busy, "cycle {cycle}");
        machine.execute(Operation::Retire, 1 << machine.barrier_bits, 0, 0);
        assert_eq!(machine.bench.get("release_busy_cta"), 0, "another CTA");
        machine.tick();
    }
}
