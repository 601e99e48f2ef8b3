//! The whole barrier scheduler at its ports: answers, releases and wake-ups in their exact cycles, at every parameter point.
//!
//! Cycle 0 is the edge that accepts a request; `request` leaves the scheduler in cycle 1, with the answer at its ports.

mod client;
mod state;
mod traffic;

use crate::support::bench::POINTS;
use client::{Answer, Scheduler, Top, PLAIN, SECTION};
use heddle_hdl::barrier::operation::BarrierOperation::*;
use rstest::rstest;

const DEFAULT: Answer = Answer { sleep: 0, pass: 0, skip: 0, wait: 0, refused: false, error: 0 };

/// BR-43, BR-31, BR-10: a section over all threads: the first is woken in cycle 4, behind a cycle for each empty block; then
/// the participants follow in the order of their logical ids, each in cycle 2 after the bottom before; others continue after it.
#[rstest]
fn br_43_ordered_section(#[values(0, 1, 2)] point: usize, #[values(0, 1)] cta: u128) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let blocks = scheduler.blocks;
    let logical = |block: u128| if cta == 0 { block } else { blocks - 1 - block };
    for empty in 0..blocks {
        let taking = |block| if logical(block) < empty { 0 } else { 0b1010 };
        scheduler.arrive_all(cta, 1, taking, SECTION);
        assert_eq!(scheduler.bench.read(["dynamic_valid", "release_valid"]), [1, 0]);
        scheduler.bench.tick();
        assert_eq!(scheduler.bench.read(["handed_valid", "handed_slot"]), [1, 0]);
        let mut first = true;
        for at in empty..blocks {
            for mask in [0b0010, 0b1000] {
                let wake = (cta, logical(at), mask, SECTION.tag + 1, true);
                if first {
                    assert_eq!(scheduler.next_wake(2), (4 + empty as u64, wake));
                } else {
                    assert_eq!(scheduler.next_wake(1), (2, wake));
                }
                first = false;
                let answer = scheduler.threads_do(Bottom, cta, 1, logical(at), mask);
                assert_eq!(answer, Answer { pass: mask, ..DEFAULT });
            }
        }
        while scheduler.bench.get("idle_valid") == 0 {
            scheduler.bench.tick();
        }
        scheduler.bench.tick();
        assert_eq!(scheduler.bench.get("slot_occupied"), 0);
    }
}

/// BR-43: from a bottom to the next wake-up over empty blocks: 2 cycles if the thread was inside long enough for the search, else one more for
/// each empty block at most.
#[rstest]
fn br_43_bottom_to_next_over_empty_blocks(#[values(0, 1, 2)] point: usize, #[values(0, 1, 3, 20)] stay: u64) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let (last, empty) = (scheduler.blocks - 1, scheduler.blocks as u64 - 2);
    scheduler.arrive_all(0, 1, |block| u128::from(block == 0 || block == last), SECTION);
    assert_eq!(scheduler.next_wake(1), (4, (0, 0, 1, SECTION.tag + 1, true)));
    scheduler.quiet(stay);
    assert_eq!(scheduler.threads_do(Bottom, 0, 1, 0, 1), Answer { pass: 1, ..DEFAULT });
    let (cycle, wake) = scheduler.next_wake(1);
    assert_eq!(wake, (0, last, 1, SECTION.tag + 1, true));
    let bound = if stay == 20 { 2 } else { 2 + empty };
    assert!((2..=bound).contains(&cycle), "in cycle {cycle}");
}

/// BR-45, BR-30: a plain barrier: release in cycle 1, the first block woken in cycle 3, then a block a cycle; no slot, no queue.
#[rstest]
fn br_45_plain_barrier(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    for phase in [0, 1, 0] {
        scheduler.arrive_all(0, 0, |_| 0b0110, PLAIN);
        assert_eq!(
            scheduler.bench.read(["release_valid", "release_cta", "release_barrier", "release_phase"]),
            [1, 0, 0, phase]
        );
        assert_eq!(scheduler.bench.get("dynamic_valid"), 0);
        for block in 0..scheduler.blocks {
            let now = if block == 0 { 1 } else { 3 + block as u64 };
            assert_eq!(scheduler.next_wake(now), (3 + block as u64, (0, block, 0b0110, PLAIN.tag + 1, false)));
        }
        scheduler.quiet(5);
        assert_eq!(scheduler.bench.read(["slot_occupied", "fifo_count"]), [0, 0]);
    }
}

/// BR-53: the arrivals of two CTAs interleave, at the same id: each barrier is complete with its own last arrival.
#[rstest]
fn br_53_two_ctas_interleave(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let all = scheduler.all();
    for block in 0..scheduler.blocks {
        for cta in 0..2 {
            assert_eq!(scheduler.arrive(cta, 1, block, all, all, PLAIN), Answer { sleep: all, ..DEFAULT });
            let last = block == scheduler.blocks - 1;
            assert_eq!(scheduler.bench.read(["release_valid", "release_cta"]), [last.into(), cta]);
        }
    }
    let mut woken = [0; 2];
    for _ in 0..2 * scheduler.blocks {
        let (_, (cta, _, mask, _, _)) = scheduler.next_wake(1);
        assert_eq!(mask, all);
        woken[cta as usize] += 1;
    }
    assert_eq!(woken, [scheduler.blocks; 2]);
    scheduler.quiet(10);
}

/// BR-53: two ids are complete in adjacent cycles: both are released, and all sleepers wake.
#[rstest]
fn br_53_two_ids_in_adjacent_cycles(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let last = scheduler.blocks - 1;
    let half = 0b0011;
    for id in 0..2 {
        scheduler.configure(0, id, [2, 4 * scheduler.blocks / 2, 0, 0, 0, 0]);
        for block in 0..last {
            let mask = half << (2 * id);
            assert_eq!(scheduler.arrive(0, id, block, mask, mask, PLAIN), Answer { sleep: mask, ..DEFAULT });
        }
    }
    let first = scheduler.arrive(0, 0, last, half, half, PLAIN);
    assert_eq!((first.sleep, scheduler.bench.get("release_valid")), (half, 1));
    let cycle = scheduler.bench.cycle;
    let second = scheduler.arrive(0, 1, last, half << 2, half << 2, PLAIN);
    assert_eq!((second.sleep, scheduler.bench.get("release_valid")), (half << 2, 1));
    assert_eq!(scheduler.bench.cycle, cycle + 1, "in adjacent cycles");
    let mut woken = vec![0; scheduler.blocks as usize];
    for _ in 0..2 * scheduler.blocks {
        let (_, (_, block, mask, _, _)) = scheduler.next_wake(1);
        assert_eq!(woken[block as usize] & mask, 0);
        woken[block as usize] |= mask;
    }
    assert!(woken.iter().all(|mask| *mask == 0b1111), "{woken:x?}");
}

/// BR-53, BR-39: a block exits before it arrives: the barrier completes without it, in the exit itself.
#[rstest]
fn br_53_exit_before_arriving(#[values(0, 1, 2)] point: usize, #[values(false, true)] first: bool) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let (all, last) = (scheduler.all(), scheduler.blocks - 1);
    if first {
        assert_eq!(scheduler.threads_do(Exit, 0, 0, last, all).error, 0);
    }
    for block in 0..last {
        assert_eq!(scheduler.bench.get("release_valid"), 0);
        assert_eq!(scheduler.arrive(0, 1, block, all, all, PLAIN).sleep, all);
    }
    if !first {
        scheduler.quiet(20);
        assert_eq!(scheduler.threads_do(Exit, 0, 0, last, all).error, 0);
    }
    for block in 0..last {
        assert_eq!(scheduler.next_wake(1).1, (0, block, all, PLAIN.tag + 1, false));
    }
    scheduler.quiet(10);
}

/// BR-53, BR-16: a block that arrives twice waits with its second arrival for the next phase and counts once.
#[rstest]
fn br_53_arriving_twice(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let (all, last) = (scheduler.all(), scheduler.blocks - 1);
    // A thread of block 0 does not take part, goes on, and comes again: it must not count for the others.
    assert_eq!(scheduler.arrive(0, 1, 0, all, all & !1, PLAIN), Answer { sleep: all & !1, skip: 1, ..DEFAULT });
    for _ in 0..3 {
        assert_eq!(scheduler.arrive(0, 1, 0, 1, 1, PLAIN), Answer { wait: 1, ..DEFAULT });
    }
    for block in 1..scheduler.blocks {
        assert_eq!(scheduler.arrive(0, 1, block, all, all, PLAIN).sleep, all);
    }
    assert_eq!(scheduler.bench.get("release_valid"), 1);
    assert_eq!(scheduler.arrive(0, 1, 0, 1, 1, PLAIN), Answer { sleep: 1, ..DEFAULT });
    assert_eq!(scheduler.next_wake(2), (3, (0, 0, all & !1, PLAIN.tag + 1, false)));
    for block in 1..=last {
        assert_eq!(scheduler.next_wake(1).1, (0, block, all, PLAIN.tag + 1, false));
    }
    scheduler.quiet(10);
}

/// BR-32: blocking: all wake together after the bottom when the last is done.
#[rstest]
fn br_32_blocking_section(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let top = Top { blocking: true, ..SECTION };
    scheduler.arrive_all(0, 1, |_| 0b1001, top);
    for block in 0..scheduler.blocks {
        for mask in [0b0001, 0b1000] {
            assert_eq!(scheduler.next_wake(1).1, (0, block, mask, top.tag + 1, true));
            assert_eq!(scheduler.threads_do(Bottom, 0, 1, block, mask), Answer { sleep: mask, ..DEFAULT });
        }
    }
    for block in 0..scheduler.blocks {
        assert_eq!(scheduler.next_wake(1).1, (0, block, 0b1001, top.after, false));
    }
    scheduler.quiet(5);
    assert_eq!(scheduler.threads_do(Retire, 0, 0, 0, 0), DEFAULT);
}

/// BR-37, BR-40: an exclusive section enters only when the section before it is over, and nobody enters beside it.
#[rstest]
fn br_37_exclusive_section(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.bench.set("wake_ready", 0);
    scheduler.arrive_all(0, 1, |block| u128::from(block == 0), SECTION);
    scheduler.arrive_all(1, 1, |block| u128::from(block == 0) << 1, Top { exclusive: true, ..SECTION });
    scheduler.bench.set("wake_ready", 1);
    let wake = scheduler.next_wake(1).1;
    assert_eq!(wake, (0, 0, 1, SECTION.tag + 1, true));
    scheduler.quiet(20);
    assert_eq!(scheduler.bench.get("fifo_count"), 1);
    assert_eq!(scheduler.threads_do(Bottom, 0, 1, 0, 1).pass, 1);
    assert_eq!(scheduler.next_wake(1).1, (1, 0, 2, SECTION.tag + 1, true));
    // The first CTA comes again and must wait for the exclusive one.
    scheduler.arrive_all(0, 1, |block| u128::from(block == 0), SECTION);
    scheduler.quiet(20);
    assert_eq!(scheduler.threads_do(Bottom, 1, 1, 0, 2).pass, 2);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 1, SECTION.tag + 1, true));
}

/// BR-20, BR-33: an impatient section starts with its minimum; late threads join it, behind the search too, and each runs it once.
#[rstest]
fn br_20_late_join(#[values(0, 1, 2)] point: usize, #[values(0, 1)] everywhere: u128) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.bench.set("late_join_all", everywhere);
    scheduler.configure(0, 1, [5, 100, 1, 0xffff, 1 - everywhere, 0]);
    let top = Top { impatient: true, ..SECTION };
    assert_eq!(scheduler.arrive(0, 1, 1, 0b0010, 0b0010, top).sleep, 0b0010);
    assert_eq!(scheduler.next_wake(1).0, 4 + 1);
    // Before the search (block 0), and in the same block, while one is inside.
    assert_eq!(scheduler.arrive(0, 1, 0, 0b1000, 0b1000, top).sleep, 0b1000);
    assert_eq!(scheduler.arrive(0, 1, 1, 0b0001, 0b0001, top).sleep, 0b0001);
    assert_eq!(scheduler.threads_do(Bottom, 0, 1, 1, 0b0010).pass, 0b0010);
    // Who was in this execution waits for the next.
    assert_eq!(scheduler.arrive(0, 1, 1, 0b0010, 0b0010, top), Answer { wait: 0b0010, ..DEFAULT });
    let mut entered = Vec::new();
    for _ in 0..2 {
        let (_, (_, block, mask, _, inside)) = scheduler.next_wake(1);
        assert!(inside);
        entered.push((block, mask));
        assert_eq!(scheduler.threads_do(Bottom, 0, 1, block, mask).pass, mask);
    }
    entered.sort_unstable();
    assert_eq!(entered, [(0, 0b1000), (1, 0b0001)]);
    scheduler.quiet(20);
    assert_eq!(scheduler.bench.get("slot_occupied"), 0);
    assert_eq!(scheduler.arrive(0, 1, 1, 0b0010, 0b0010, top).sleep, 0b0010);
    assert_eq!(scheduler.next_wake(1), (5, (0, 1, 0b0010, top.tag + 1, true)));
}

/// BR-33: a thread joins at each possible distance from the end of the section: it is run in it, or answered wait; never lost.
#[rstest]
fn br_33_join_at_the_end(
    #[values(0, 1, 2)] point: usize,
    #[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)] delay: u64,
) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.configure(0, 1, [5, 100, 1, 0xffff, 1, 0]);
    let top = Top { impatient: true, ..SECTION };
    scheduler.arrive(0, 1, 1, 0b0010, 0b0010, top);
    scheduler.next_wake(1);
    scheduler.threads_do(Bottom, 0, 1, 1, 0b0010);
    scheduler.quiet(delay);
    let mut answer = scheduler.arrive(0, 1, 0, 0b0100, 0b0100, top);
    while answer.wait != 0 {
        answer = scheduler.arrive(0, 1, 0, 0b0100, 0b0100, top);
    }
    assert_eq!(answer.sleep, 0b0100);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 0b0100, top.tag + 1, true));
    scheduler.threads_do(Bottom, 0, 1, 0, 0b0100);
    scheduler.quiet(20);
    assert_eq!(scheduler.bench.get("slot_occupied"), 0);
}

/// BR-33: a thread joins in each of the cycles around the hand-over, in the block that is searched then and in another one.
#[rstest]
fn br_33_join_at_the_start(
    #[values(0, 1, 2)] point: usize,
    #[values(0, 1, 2, 3)] delay: u64,
    #[values(0, 1)] block: u128,
) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.configure(0, 1, [5, 100, 1, 0xffff, 1, 0]);
    let top = Top { impatient: true, ..SECTION };
    scheduler.arrive(0, 1, 1, 0b0010, 0b0010, top);
    scheduler.quiet(delay);
    assert_eq!(scheduler.arrive(0, 1, block, 0b0101, 0b0101, top).sleep, 0b0101);
    let mut entered = Vec::new();
    for _ in 0..3 {
        let (_, (_, block, mask, _, inside)) = scheduler.next_wake(1);
        assert!(inside);
        entered.push((block, mask));
        assert_eq!(scheduler.threads_do(Bottom, 0, 1, block, mask).pass, mask);
    }
    entered.sort_unstable();
    let mut expected = [(1, 0b0010), (block, 0b0001), (block, 0b0100)];
    expected.sort_unstable();
    assert_eq!(entered, expected);
    scheduler.quiet(20);
    assert_eq!(scheduler.bench.get("slot_occupied"), 0);
}

/// BR-36: of two slots that could start a thread, the one with the higher configured priority does; with equal ones it is the
/// other's turn.
#[rstest]
fn br_36_priority(#[values(0, 1, 2)] point: usize, #[values(0, 1, 2, 3)] priority: u128) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.configure(0, 1, [1, 0, 0, 0, 0, priority]);
    scheduler.bench.set("wake_ready", 0);
    scheduler.arrive_all(0, 1, |block| if block == 0 { 0b0011 } else { 0 }, SECTION);
    scheduler.arrive_all(1, 1, |block| if block == 0 { 0b0100 } else { 0 }, SECTION);
    for _ in 0..20 {
        scheduler.bench.tick();
    }
    // The first thread's wake-up still holds the port as it leaves: then both slots could start the next.
    scheduler.threads_do(Bottom, 0, 1, 0, 0b0001);
    scheduler.bench.tick();
    scheduler.bench.set("wake_ready", 1);
    let order: Vec<(u128, u128)> = (0..3).map(|_| scheduler.next_wake(1).1).map(|wake| (wake.0, wake.2)).collect();
    let expected = if priority > 0 { [(0, 1), (0, 2), (1, 4)] } else { [(0, 1), (1, 4), (0, 2)] };
    assert_eq!(order, expected);
}

/// BR-37: a barrier of class 3 takes the reserved slot, one of another class does not.
#[rstest]
fn br_37_reserved_slot(#[values(0, 1, 2)] point: usize, #[values(0, 1, 2, 3)] class: u128) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.bench.set("reserved_slots", 1);
    let word = 1 | class << 46;
    scheduler.request(Configure, &[("request_cta", 0), ("request_barrier", 1), ("request_data", word)]);
    scheduler.arrive_all(0, 1, |_| 1, SECTION);
    scheduler.bench.tick();
    assert_eq!(scheduler.bench.read(["handed_valid", "handed_slot"]), [1, u128::from(class != 3)]);
}

/// BR-25: RESET of a section that waits for its slot behind an exclusive one: its sleepers continue after the bottom at once.
#[rstest]
fn br_25_reset_in_the_queue(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.bench.set("wake_ready", 0);
    scheduler.arrive_all(0, 1, |block| u128::from(block == 0), Top { exclusive: true, ..SECTION });
    scheduler.arrive_all(1, 1, |block| u128::from(block == 0) << 1, SECTION);
    scheduler.bench.set("wake_ready", 1);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 0b0001, SECTION.tag + 1, true));
    scheduler.quiet(10);
    assert_eq!(scheduler.threads_do(Reset, 1, 1, 0, 0), DEFAULT);
    assert_eq!(scheduler.next_wake(1).1, (1, 0, 0b0010, SECTION.after, false));
    assert_eq!(scheduler.bench.read(["slot_occupied", "fifo_count"]), [1, 0]);
    // The exclusive section has not noticed, and CTA 1 may come again.
    assert_eq!(scheduler.threads_do(Bottom, 0, 1, 0, 0b0001).pass, 0b0001);
    scheduler.arrive_all(1, 1, |block| u128::from(block == 0) << 1, SECTION);
    assert_eq!(scheduler.next_wake(1).1, (1, 0, 0b0010, SECTION.tag + 1, true));
}

/// BR-25: RESET of a running section: its sleepers continue after the bottom, the thread inside is inside no more.
#[rstest]
fn br_25_reset(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    scheduler.arrive_all(0, 1, |block| if block == 0 { 0b0111 } else { 0 }, SECTION);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 0b0001, SECTION.tag + 1, true));
    assert_eq!(scheduler.threads_do(Reset, 0, 1, 0, 0), DEFAULT);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 0b0110, SECTION.after, false));
    let answer = scheduler.threads_do(Bottom, 0, 1, 0, 0b0001);
    assert_eq!(answer, Answer { error: 1, ..DEFAULT });
    assert_eq!(scheduler.bench.read(["error_block", "error_offset", "error_barrier"]), [0, 0, 1]);
    scheduler.quiet(10);
    assert_eq!(scheduler.bench.get("slot_occupied"), 0);
    // The barrier is idle: a new execution begins, here again with everybody.
    scheduler.arrive_all(0, 1, |block| if block == 0 { 0b1000 } else { 0 }, SECTION);
    assert_eq!(scheduler.next_wake(1), (4, (0, 0, 0b1000, SECTION.tag + 1, true)));
}

/// BR-26: EXIT inside a section acts as its bottom; when the last thread exits, the CTA can retire.
#[rstest]
fn br_26_exit_inside(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let all = scheduler.all();
    scheduler.arrive_all(0, 1, |block| if block == 0 { 0b0011 } else { 0 }, SECTION);
    assert_eq!(scheduler.next_wake(1).1, (0, 0, 0b0001, SECTION.tag + 1, true));
    assert_eq!(scheduler.threads_do(Exit, 0, 0, 0, 0b0001).error, 0);
    assert_eq!(scheduler.next_wake(1), (2, (0, 0, 0b0010, SECTION.tag + 1, true)));
    assert!(scheduler.threads_do(Retire, 0, 0, 0, 0).refused);
    assert_eq!(scheduler.threads_do(Exit, 0, 0, 0, all & !1).error, 0);
    for block in 1..scheduler.blocks {
        assert_eq!(scheduler.threads_do(Exit, 0, 0, block, all).error, 0);
    }
    scheduler.quiet(20);
    assert_eq!(scheduler.threads_do(Retire, 0, 0, 0, 0), DEFAULT);
}

/// BR-19: a top inside a section is a precise error that names the thread, both barriers and both addresses.
#[rstest]
fn br_19_nested_top(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let blocks = scheduler.blocks;
    scheduler.arrive_all(1, 1, |block| if block == blocks - 1 { 0b0100 } else { 0 }, SECTION);
    scheduler.next_wake(1);
    let answer = scheduler.arrive(1, 0, blocks - 1, 0b0101, 0b0101, Top { tag: 0x300, ..PLAIN });
    assert_eq!(answer, Answer { error: 2, ..DEFAULT });
    assert_eq!(scheduler.bench.read(["error_block", "error_offset"]), [blocks - 1, 2]);
    assert_eq!(scheduler.bench.read(["error_barrier", "error_address"]), [0, 0x300]);
    assert_eq!(scheduler.bench.read(["error_other_barrier", "error_other_address"]), [1, SECTION.tag]);
    // It had no effect: the other thread arrives there for the first time, and the section goes on.
    assert_eq!(scheduler.arrive(1, 0, blocks - 1, 0b0001, 0b0001, Top { tag: 0x300, ..PLAIN }).sleep, 1);
    assert_eq!(scheduler.threads_do(Bottom, 1, 1, blocks - 1, 0b0100).pass, 0b0100);
}

/// BR-02, BR-05: a partial last block is legal: the search and the walk end with the last block that has threads.
#[rstest]
fn br_05_partial_block(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::new(POINTS[point]);
    let blocks = scheduler.blocks;
    scheduler.launch(0, 3, |logical| (logical + 1) % blocks);
    assert_eq!(scheduler.arrive(0, 0, 1, 0b0111, 0b0111, PLAIN).sleep, 0b0111);
    assert_eq!(scheduler.bench.get("release_valid"), 1);
    assert_eq!(scheduler.next_wake(1), (3, (0, 1, 0b0111, PLAIN.tag + 1, false)));
    assert_eq!(scheduler.arrive(0, 1, 1, 0b0111, 0b0101, SECTION).sleep, 0b0101);
    assert_eq!(scheduler.next_wake(1), (4, (0, 1, 0b0001, SECTION.tag + 1, true)));
    scheduler.threads_do(Bottom, 0, 1, 1, 0b0001);
    assert_eq!(scheduler.next_wake(1), (2, (0, 1, 0b0100, SECTION.tag + 1, true)));
}

/// BR-50, BR-45: a split barrier: arrivals do not wait; the wait sleeps until the phase ends, and passes once it has.
#[rstest]
fn br_50_split_barrier(#[values(0, 1, 2)] point: usize) {
    let mut scheduler = Scheduler::with_ctas(POINTS[point]);
    let all = scheduler.all();
    let split_wait = |scheduler: &mut Scheduler, parity: u128| {
        scheduler.bench.drive(&[("request_data", parity), ("request_tag", 0x40)]);
        scheduler.threads_do(SplitWait, 0, 0, 0, all)
    };
    assert_eq!(scheduler.threads_do(SplitArrive, 0, 0, 0, all).error, 0);
    assert_eq!(split_wait(&mut scheduler, 0), Answer { sleep: all, ..DEFAULT });
    for block in 1..scheduler.blocks {
        assert_eq!(scheduler.bench.get("release_valid"), 0);
        assert_eq!(scheduler.threads_do(SplitArrive, 0, 0, block, all).error, 0);
    }
    assert_eq!(scheduler.bench.read(["release_valid", "release_phase"]), [1, 0]);
    assert_eq!(scheduler.next_wake(1), (3, (0, 0, all, 0x41, false)));
    assert_eq!(split_wait(&mut scheduler, 0), Answer { pass: all, ..DEFAULT });
}

/// BR-40, BR-41, BR-42: threads of several CTAs run programs of barriers and sections, exit early now and then, and come to an end.
#[rstest]
fn br_41_random_programs(#[values(0, 1, 2)] point: usize, #[values(1, 2, 3)] seed: u64) {
    traffic::run(Scheduler::new(POINTS[point]), seed);
}
