//! The tree divergence table at its ports: exact cycle counts of every instruction, the order of leaves, what happens when
//! the table is full, and random instructions against what each thread does alone.

mod random;
mod saving;
mod table;

use heddle_hdl::divergence::token::Kind;
use table::*;

/// Every point, with the set of all threads.
const POINTS: [(&str, u128); 3] = [("1x8x8", 0xff), ("1x8x16", 0xff), ("4x32x64", 0xffff_ffff)];

/// A freshly launched warp 0 at address 10.
fn launched(point: &str, mask: u128) -> Table {
    let mut table = Table::new(point);
    table.launch(0, mask, 10);
    assert!(table.ready(0), "a launch takes one cycle");
    assert_eq!(table.state(0), (10, mask));
    table
}

/// TD-03: without a divergence only the PC changes, in one cycle.
#[test]
fn td_03_uniform_instructions_take_one_cycle() {
    for (point, all) in POINTS {
        let mut table = launched(point, all);
        for (request, address) in [
            (step(), 11),
            (branch(all, 50), 50),
            (branch(0, 99), 51),
            (indirect(all, 60), 60),
            (indirect(0, 99), 61),
            (call(0, 99), 62),
            (leave(Kind::Break, 0, 99), 63),
            (yielding(0), 64),
            // A tree that is a leaf alone is not detached from anything.
            (yielding(all), 65),
            (yielding(1), 66),
            (exit(0), 67),
            (sleep(0), 68),
        ] {
            assert_eq!(table.issue(0, request), 0, "{request:?}");
            assert_eq!(table.state(0), (address, all), "{point}: {request:?}");
        }
        assert_eq!(table.counts, Counts::default());
    }
}

/// TD-02, TD-05, TD-11: a region, a two-way split and the joins of its sides take one cycle each; the first side issues next.
#[test]
fn td_11_split_and_join_take_one_cycle_each() {
    for (point, all) in POINTS {
        let mut table = launched(point, all);
        assert_eq!(table.issue(0, push(Kind::Sync, 40)), 0);
        assert_eq!(table.issue(0, branch(0x0f, 30)), 0);
        assert_eq!(table.state(0), (30, 0x0f), "the side that runs first is selected");
        assert_eq!(table.disabled(0, Kind::Divergence), all & !0x0f, "the other runs, too, in a leaf of its own");
        assert_eq!(table.issue(0, leave(Kind::Sync, 0x03, 40)), 0, "two of four threads join");
        assert_eq!(table.state(0), (12, all & !0x0f), "then it is the other leaf's turn");
        assert_eq!(table.disabled(0, Kind::Sync), 0x03);
        assert_eq!(table.issue(0, step()), 0);
        assert_eq!(table.state(0), (31, 0x0c), "the survivors went on");
        assert_eq!(table.issue(0, leave(Kind::Sync, all, 40)), 0);
        assert_eq!(table.state(0), (13, all & !0x0f));
        assert_eq!(table.issue(0, leave(Kind::Sync, all, 40)), 0, "the last join frees the node and its threads run");
        assert_eq!(table.state(0), (40, all));
        assert_eq!(table.disabled(0, Kind::Sync), 0);
        let expected = Counts { opened: 1, closed: 1, diverged: 1, ..Counts::default() };
        assert_eq!(table.counts, expected);
    }
}

/// TD-02: each path policy chooses the side that stays selected.
#[test]
fn td_02_path_policies() {
    for (policy, first) in [(0, 0x07), (1, 0xf8), (2, 0x07), (3, 0xf8)] {
        let mut table = Table::new("1x8x16");
        table.set("path_policy", policy);
        table.launch(0, 0xff, 10);
        assert_eq!(table.issue(0, branch(0x07, 30)), 0);
        assert_eq!(table.state(0), (if first == 0x07 { 30 } else { 11 }, first), "policy {policy}");
        table.issue(0, step());
        assert_eq!(table.state(0), (if first == 0x07 { 11 } else { 30 }, 0xff & !first), "policy {policy}");
    }
}

/// TD-02: an indirect branch re-executes for the threads that disagree; a call that diverges takes one cycle more, if there is
/// a node above whose children are to be counted.
#[test]
fn td_02_indirect_branches_and_calls() {
    let mut table = launched("1x8x16", 0xff);
    assert_eq!(table.issue(0, indirect(0x03, 30)), 0);
    assert_eq!(table.state(0), (30, 0x03));
    assert_eq!(table.issue(0, exit(0xff)), 0);
    assert_eq!(table.state(0), (10, 0xfc), "the others are still at the branch");
    assert_eq!(table.issue(0, call(0x0c, 50)), 0);
    assert_eq!(table.state(0), (50, 0x0c));
    assert_eq!(table.issue(0, call(0x04, 60)), 1);
    assert_eq!(table.state(0), (60, 0x04));
    // Both calls return to where they were made; the sibling of each does not hold it up.
    assert_eq!(table.issue(0, leave_untargeted(Kind::Call, 0xff)), 0);
    let mut seen = Vec::new();
    for busy in [0, 0, 1] {
        seen.push(table.state(0));
        assert_eq!(table.issue(0, exit(0xff)), busy, "only the halt takes a cycle more");
    }
    seen.sort_unstable();
    assert_eq!(seen, [(11, 0xf0), (51, 0x04), (51, 0x08)]);
    assert_eq!((table.done.clone(), table.running(0)), (vec![0], false));
}

/// TD-05, TD-06: a leave looks at a node above in each cycle; leaving several levels at once frees what it leaves empty.
#[test]
fn td_06_leaving_several_levels() {
    for levels in 1..6 {
        let mut table = launched("1x8x16", 0xff);
        table.issue(0, push(Kind::Break, 70));
        for level in 0..levels {
            table.issue(0, push(Kind::Sync, 80 + level));
        }
        // Some threads: each level is looked at, the first one in the request's own cycle. The others go on.
        let looks = levels as u32;
        assert_eq!(table.issue(0, leave(Kind::Break, 0x0f, 70)), looks, "{levels} levels");
        assert_eq!(table.state(0), (11 + levels + 1, 0xf0));
        assert_eq!(table.disabled(0, Kind::Break), 0x0f);
        // All: beside that the nodes between are freed, one a cycle, and the last cycle finds the region's node.
        assert_eq!(table.issue(0, leave(Kind::Break, 0xff, 70)), looks + levels as u32 + 1, "{levels} levels");
        assert_eq!(table.state(0), (70, 0xff));
        assert_eq!(table.counts.discarded, levels as u32);
    }
}

/// TD-05, TD-08: freeing a chain of nodes takes its length, and every node of it can be had again.
#[test]
fn td_08_freeing_a_chain_takes_its_length() {
    for levels in 0..8 {
        let mut table = launched("1x8x16", 0xff);
        table.issue(0, sleep(0x01));
        for level in 0..levels {
            table.issue(0, push(Kind::Sync, 80 + level));
        }
        assert_eq!(table.issue(0, exit(0xff)), levels as u32, "{levels} nodes");
        assert_eq!((table.ready(0), table.running(0)), (false, true), "the sleeping thread keeps the warp");
        assert_eq!(table.issue(0, wake(0x01, 300)), 0);
        assert_eq!(table.state(0), (300, 0x01));
        for level in 0..15 {
            assert_eq!(table.issue(0, push(Kind::Sync, 200 + level)), 0);
        }
        assert_eq!(table.counts.spilled, 0, "{levels} nodes came back");
    }
}

/// TD-04: a YIELD detaches; with one leaf ready and none arrived at the region, the node goes. In one cycle.
#[test]
fn td_04_yield_detaches() {
    for (point, all) in POINTS {
        let mut table = launched(point, all);
        table.issue(0, push(Kind::Sync, 40));
        table.issue(0, branch(0x03, 30));
        // Half of a leaf: it goes on, the rest is a tree of its own at the same address.
        assert_eq!(table.issue(0, yielding(0x01)), 0);
        assert_eq!(table.state(0), (31, 0x02), "a part that stays keeps its turn");
        // A whole leaf: the region has lost a child, the other side still waits to be joined.
        assert_eq!(table.issue(0, yielding(all)), 0);
        assert_eq!(table.state(0), (12, all & !0x03));
        assert_eq!(table.issue(0, leave(Kind::Sync, 0x0c, 40)), 0);
        // The two trees meet at 32; then the rest of the region leaves it by a YIELD, which sets free the threads that wait there.
        assert_eq!(table.state(0), (31, 0x01));
        assert_eq!(table.issue(0, step()), 0);
        assert_eq!(table.state(0), (32, 0x03));
        assert_eq!(table.issue(0, step()), 0);
        assert_eq!(table.state(0), (13, all & !0x0f));
        if all & !0x0f != 0 {
            assert_eq!(table.issue(0, yielding(all)), 0);
            assert_eq!(table.state(0), (40, 0x0c), "the arrived threads run at once");
        }
        assert_eq!(table.counts.departed, 3);
        assert_eq!((table.counts.opened, table.counts.closed), (1, 1));
    }
}

/// TD-04: trees of one leaf that meet at one address become one.
#[test]
fn td_04_trees_that_meet_merge() {
    let mut table = launched("1x8x16", 0xff);
    assert_eq!(table.issue(0, branch(0x0f, 30)), 0);
    assert_eq!(table.issue(0, branch(0xff, 12)), 0);
    assert_eq!(table.state(0), (11, 0xf0));
    assert_eq!(table.issue(0, step()), 0, "11 + 1 is where the others are");
    assert_eq!(table.state(0), (12, 0xff));
    assert_eq!(table.counts.merged, 1);
    // Under one region, leaves at one address stay apart: each is a child of it.
    table.issue(0, push(Kind::Sync, 40));
    table.issue(0, branch(0x0f, 30));
    table.issue(0, branch(0xff, 15));
    table.issue(0, step());
    assert_eq!(table.state(0), (15, 0x0f));
    assert_eq!(table.counts.merged, 1);
}

/// TD-05: a leave whose address is not that of the nearest node of its kind, or that has no such node, detaches to its address.
#[test]
fn td_05_a_leave_without_its_region_detaches() {
    let mut table = launched("1x8x16", 0xff);
    table.issue(0, push(Kind::Sync, 40));
    table.issue(0, push(Kind::Break, 60));
    assert_eq!(table.issue(0, leave(Kind::Break, 0x01, 61)), 0, "the node above has another address");
    assert_eq!(table.state(0), (13, 0xfe));
    assert_eq!(table.issue(0, leave(Kind::Continue, 0x02, 70)), 2, "two nodes above, no such kind");
    assert_eq!(table.state(0), (14, 0xfc));
    assert_eq!(table.issue(0, leave(Kind::Sync, 0xff, 41)), 1 + 1 + 2, "found above; then both nodes go");
    assert_eq!(table.counts.discarded, 2);
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(table.state(0));
        table.issue(0, exit(0xff));
    }
    seen.sort_unstable();
    assert_eq!(seen, [(41, 0xfc), (61, 0x01), (70, 0x02)]);
    assert_eq!(table.done, [0]);
}

/// DQ-26, DQ-29: a return without an address and without a call stops the warp at that instruction.
#[test]
fn td_05_a_lost_thread_stops_the_warp() {
    let mut table = launched("4x32x64", 0xff);
    table.launch(1, 0xf, 5);
    table.issue(0, push(Kind::Sync, 40));
    assert_eq!(table.issue(0, leave_untargeted(Kind::Call, 1)), 2, "a node looked at, then the stop");
    assert_eq!(table.errors, [(0, 4, 11)]);
    assert!(!table.running(0) && table.running(1));
    // The warp can start again, with nothing left over.
    table.launch(0, 0xffff_ffff, 10);
    assert_eq!(table.state(0), (10, 0xffff_ffff));
    assert_eq!(table.disabled(0, Kind::Sync), 0);
    table.issue(0, exit(u128::MAX));
    table.issue(1, exit(u128::MAX));
    assert_eq!(table.done, [0, 1]);
}

/// DQ-29: while further groups of a leave follow, the others stay at the instruction.
#[test]
fn td_05_groups_of_a_leave() {
    let mut table = launched("1x8x8", 0xff);
    table.issue(0, call(0xff, 50));
    assert_eq!(table.issue(0, Request { again: true, ..leave(Kind::Call, 0x0f, 11) }), 0);
    assert_eq!(table.state(0), (50, 0xf0));
    assert_eq!(table.issue(0, leave(Kind::Call, 0xff, 99)), 0);
    assert_eq!(table.state(0), (11, 0x0f));
    table.issue(0, step());
    assert_eq!(table.state(0), (99, 0xf0));
}

/// TD-07: a loop with one region in which a thread leaves at each iteration takes T + 1 nodes, since its region opens no second node.
#[test]
fn td_07_compaction_bounds_a_loop() {
    for (point, all) in &POINTS[1..] {
        let threads = all.count_ones();
        let mut table = launched(point, *all);
        let mut left = *all;
        // Thread after thread goes to a long path outside of the loop, 500, while the region of the loop is opened anew.
        for thread in 0..threads - 1 {
            while table.state(0).1 != left {
                table.issue(0, step());
            }
            assert_eq!(table.issue(0, push(Kind::Sync, 90)), 0);
            while table.state(0).1 != left {
                table.issue(0, step());
            }
            table.issue(0, branch(1 << thread, 500));
            left &= !(1 << thread);
        }
        let Counts { opened, diverged, spilled, .. } = table.counts;
        assert_eq!((opened, diverged + 1 + opened, spilled), (1, threads + 1, 0), "{point}");
    }
}

/// TD-07: if every region diverges, 2T - 1 nodes: T leaves and T - 1 regions.
#[test]
fn td_07_regions_that_all_diverge() {
    for (point, all) in &POINTS[1..] {
        let threads = all.count_ones();
        let mut table = launched(point, *all);
        let mut left = *all;
        for thread in 0..threads - 1 {
            while table.state(0).1 != left {
                table.issue(0, step());
            }
            assert_eq!(table.issue(0, push(Kind::Sync, 90 + u128::from(thread))), 0);
            while table.state(0).1 != left {
                table.issue(0, step());
            }
            table.issue(0, branch(1 << thread, 500));
            left &= !(1 << thread);
        }
        let Counts { opened, diverged, spilled, .. } = table.counts;
        assert_eq!((opened + diverged + 1, spilled), (2 * threads - 1, 0), "{point}");
    }
}

/// TD-09: eight leaves and a region need nine nodes; with eight, one is deferred, and it takes its turns all the same.
#[test]
fn td_09_deferred_leaves_run_again() {
    let mut table = launched("1x8x8", 0xff);
    table.issue(0, push(Kind::Sync, 40));
    let mut split = 0;
    for thread in 0..7 {
        while table.state(0).1 & !(1 << thread) == 0 || table.state(0).1 >> thread & 1 == 0 {
            table.issue(0, step());
        }
        split += table.issue(0, branch(1 << thread, 100 * (thread + 1)));
    }
    // Writing the leaf takes a cycle and the look whether one comes back another.
    assert_eq!((table.counts.spilled, split), (1, 2));
    // Each thread is seen again within leaves times interval instructions; the interval is 4.
    let mut last = [0; 8];
    for turn in 1..200 {
        let (_, active) = table.state(0);
        assert_eq!(active.count_ones(), 1);
        last[active.trailing_zeros() as usize] = turn;
        table.issue(0, step());
        assert!(turn < 40 || last.iter().all(|seen| turn - seen < 8 + 4 * 8), "turn {turn}: {last:?}");
    }
    // A node that becomes free takes the deferred leaf.
    let refilled = table.counts.refilled;
    table.issue(0, exit(0xff));
    assert_eq!(table.counts.refilled, refilled + 1);
    for turn in 0..200 {
        assert!(turn < 20 || table.counts.refilled == refilled + 1);
        table.issue(0, step());
    }
    for _ in 0..7 {
        table.issue(0, leave(Kind::Sync, 0xff, 40));
    }
    let (address, active) = table.state(0);
    assert_eq!((address, active.count_ones()), (40, 7));
    table.issue(0, exit(0xff));
    assert_eq!(table.done, [0]);
}

/// TD-09, DQ-43: more regions than nodes go to memory and come back, in order; a full memory stops the warp, precisely.
#[test]
fn td_09_regions_deeper_than_the_table() {
    for (point, all) in POINTS {
        let mut table = launched(point, all);
        for level in 0..100 {
            table.offer(0, push(Kind::Sync, 1000 + level));
            table.settle(0);
        }
        assert!(table.counts.spilled >= 36);
        for level in (0..100).rev() {
            table.offer(0, leave(Kind::Sync, 0x0f, 1000 + level));
            table.settle(0);
            table.offer(0, leave(Kind::Sync, u128::MAX, 1000 + level));
            table.settle(0);
            assert_eq!(table.state(0), (1000 + level, all), "{point}");
        }
        assert_eq!((table.counts.opened, table.counts.closed), (100, 100));
        table.issue(0, exit(u128::MAX));
        assert_eq!(table.done, [0]);
    }
    let mut table = Table::new("1x8x8");
    table.set("spill_limit", 64 + 5);
    table.launch(0, 0xff, 10);
    for level in 0..7 + 5 {
        table.offer(0, push(Kind::Sync, 1000 + level));
    }
    table.set("request_valid", 1);
    table.set("request_operation", PUSH);
    table.set("request_target", 2000);
    (0..50).for_each(|_| table.tick());
    assert_eq!(table.errors, [(0, 3, 22)]);
}

/// SM-07: sleeping threads are in no leaf; a warp whose threads all sleep is parked; woken threads are a ready tree.
#[test]
fn sm_07_sleep_and_wake() {
    for (point, all) in POINTS {
        let mut table = launched(point, all);
        table.issue(0, push(Kind::Sync, 40));
        assert_eq!(table.issue(0, sleep(0x0f)), 0);
        assert_eq!(table.state(0), (12, all & !0x0f));
        assert_eq!(table.disabled(0, Kind::Barrier), 0x0f);
        if all & !0x0f != 0 {
            assert_eq!(table.issue(0, leave(Kind::Sync, 0x30, 40)), 0);
            assert_eq!(table.issue(0, sleep(all)), 1, "the region loses its last child a cycle later");
            assert_eq!(table.state(0), (40, 0x30), "so its threads run");
        }
        assert_eq!(table.issue(0, sleep(all)), 0);
        assert!(!table.ready(0) && table.running(0), "parked, not lost");
        assert_eq!((table.state(0).1, table.disabled(0, Kind::Barrier)), (0, all));
        assert_eq!(table.issue(0, wake(0x03, 70)), 0);
        assert_eq!(table.state(0), (70, 0x03));
        assert_eq!(table.issue(0, wake(0x04, 70)), 0, "woken at one address, they are one");
        assert_eq!(table.state(0), (70, 0x07));
        assert_eq!(table.issue(0, wake(all, 80)), 0);
        assert_eq!(table.state(0), (70, 0x07));
        assert_eq!(table.disabled(0, Kind::Barrier), 0);
        table.issue(0, exit(all));
        assert_eq!(table.state(0), (80, all & !0x07));
        assert_eq!(table.issue(0, exit(all)), 1);
        assert_eq!(table.done, [0]);
    }
}

/// TD-04: every ready leaf is issued within as many turns as there are ready leaves.
#[test]
fn td_04_ready_leaves_take_turns() {
    let mut table = launched("4x32x64", 0xffff_ffff);
    table.issue(0, push(Kind::Sync, 40));
    let mut leaves = 1;
    let mut last = [0; 32];
    for turn in 1..2000 {
        let (_, active) = table.state(0);
        for thread in (0..32).filter(|thread| active >> thread & 1 == 1) {
            assert!(turn - last[thread] <= leaves, "thread {thread} waited from {} to {turn}", last[thread]);
            last[thread] = turn;
        }
        if active.count_ones() > 1 && turn % 3 != 0 {
            table.issue(0, branch(active & active.wrapping_neg(), 1000 + 10 * turn as u128));
            leaves = table.counts.diverged as i32 + 1;
        } else {
            table.issue(0, step());
        }
    }
    assert_eq!(leaves, 32);
}

/// TD-11: an instruction a cycle over several warps, and launches beside.
#[test]
fn td_11_an_instruction_a_cycle() {
    let mut table = Table::new("4x32x64");
    (0..4).for_each(|warp| table.launch(warp, 0xffff_ffff, 10 + 100 * warp));
    for round in 0..40 {
        for warp in 0..4 {
            let (_, active) = table.state(warp);
            let request = match round % 4 {
                0 => push(Kind::Sync, 1000),
                1 => branch(active & 0x5555_5555, 500),
                _ => leave(Kind::Sync, u128::MAX, 1000),
            };
            assert_eq!(table.offer(warp, request), 0, "round {round}, warp {warp}");
        }
    }
    for warp in 0..4 {
        assert_eq!(table.state(warp), (1000, 0xffff_ffff));
    }
}
