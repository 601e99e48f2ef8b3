//! A group's table that is full (TD-09): leaves and nodes go to memory with the indices of their warps, and come back.

use super::group::*;
use super::{launched, POINTS};
use heddle_hdl::divergence::token::Kind;
use std::collections::BTreeSet;

/// Exception causes.
const SPILL: u128 = 1;
const REFILL: u128 = 2;

/// The address at which thread `thread` of position `position` is sent away.
fn home(position: usize, thread: usize) -> u128 {
    1_000 + 100 * position as u128 + thread as u128
}

/// Parts off `leaves` threads, one after the other, each to an address of its own; whoever is met there steps in place by branching to where he
/// is. Gives those that were sent away.
fn scatter(group: &mut Group, threads: usize, leaves: usize) -> BTreeSet<(usize, usize)> {
    let mut away = BTreeSet::new();
    for _ in 0..100_000 {
        if away.len() == leaves {
            return away;
        }
        let first = group.turn().expect("a warp is to issue");
        let at_home = first.address >= 1_000;
        let next =
            (0..threads).find(|thread| first.active >> thread & 1 == 1).map(|thread| (first.position as usize, thread));
        let sent = next.filter(|_| !at_home);
        let target = sent.map_or(first.address, |(position, thread)| home(position, thread));
        let mut mask = sent.map_or(u128::MAX, |(_, thread)| 1 << thread);
        while group.turn().is_some() {
            group.report(branch(mask, target));
            mask &= if sent.is_some() { 0 } else { u128::MAX };
        }
        group.settle();
        away.extend(sent);
    }
    panic!("only {} of {leaves} threads were sent away", away.len());
}

/// Runs the group, whose leaves stay where they are, until every thread of `away` has run; gives for how many instructions.
fn all_run(group: &mut Group, away: &BTreeSet<(usize, usize)>) -> usize {
    let mut missing = away.clone();
    for instructions in 0..100_000 {
        if missing.is_empty() {
            return instructions;
        }
        while let Some(turn) = group.turn() {
            if turn.address >= 1_000 {
                let (position, thread) = (turn.position as usize, (turn.address % 100) as usize);
                assert_eq!((turn.active, turn.address), (1 << thread, home(position, thread)), "alone, and at home");
                missing.remove(&(position, thread));
            }
            group.report(branch(u128::MAX, turn.address));
        }
        group.settle();
    }
    panic!("{missing:?} never run");
}

/// TD-09, TD-10: with more leaves than nodes, some wait in memory. Each of them runs again and again, with the threads that its indices stood for, and
/// all exit in the end.
#[test]
fn td_09_deferred_leaves_keep_their_threads() {
    for (point, warps, all) in POINTS {
        let (threads, nodes) = (all.count_ones() as usize, if warps == 2 { 8 } else { 64 });
        let mut group = launched(point, warps, all);
        let leaves = nodes + nodes / 2;
        let away = scatter(&mut group, threads, leaves);
        assert!(group.exceptions.contains(&SPILL), "{point}: {leaves} leaves in {nodes} nodes");
        for round in 0..2 {
            let instructions = all_run(&mut group, &away);
            // A deferred leaf comes in after each fourth instruction, and sees the others' turns (the interval is 4).
            assert!(instructions <= 5 * (leaves + 1) + nodes, "{point}, round {round}: {instructions} instructions");
        }
        while group.get("running") == 1 {
            group.report(exit(u128::MAX));
            if group.turn().is_none() {
                group.settle();
            }
        }
        let count = |cause: u128| group.exceptions.iter().filter(|other| **other == cause).count();
        assert_eq!((group.done, group.errors), (1, 0));
        assert_eq!(count(SPILL), count(REFILL), "{point}: what went came back");
    }
}

/// TD-09: a region that finds no node sends the leaf that waits longest to memory, and is left with all who entered it.
#[test]
fn td_09_a_region_of_a_full_table_makes_room() {
    let (point, warps, all) = POINTS[0];
    let mut group = launched(point, warps, all);
    scatter(&mut group, 8, 7);
    group.exceptions.clear();
    assert_eq!(group.get("event_nodes"), 8);
    while group.turn().is_some_and(|turn| turn.address >= 1_000) {
        let turn = group.turn().expect("a leaf at home");
        group.all(branch(u128::MAX, turn.address));
    }
    let entered: Vec<u128> = std::iter::from_fn(|| {
        let turn = group.turn()?;
        group.report(push(Kind::Break, 500));
        Some(turn.active)
    })
    .collect();
    group.settle();
    assert_eq!(group.exceptions.first(), Some(&SPILL));
    let mut resumed = Vec::new();
    for _ in 0..200 {
        while let Some(turn) = group.turn() {
            match turn.address {
                500 => {
                    resumed.push(turn.active);
                    group.report(branch(u128::MAX, 500));
                }
                home if home >= 1_000 => drop(group.report(branch(u128::MAX, home))),
                _ => drop(group.report(leave(Kind::Break, u128::MAX, 500))),
            }
        }
        group.settle();
        if !resumed.is_empty() {
            break;
        }
    }
    assert_eq!(resumed, entered, "all go on at the end of the region");
}

/// TD-09: nesting deeper than the table goes to memory, and comes back level by level.
#[test]
fn td_09_a_nest_deeper_than_the_table() {
    for (point, warps, all) in POINTS {
        let depth = if warps == 2 { 20 } else { 100 };
        let mut group = launched(point, warps, all);
        for level in 0..depth {
            group.all(push(Kind::Call, 100 + level));
        }
        assert!(group.exceptions.iter().all(|cause| *cause == SPILL) && !group.exceptions.is_empty(), "{point}");
        for level in (0..depth).rev() {
            group.all(leave(Kind::Call, u128::MAX, 100 + level));
            let turn = group.turn().expect("all return");
            assert_eq!((turn.active, turn.address), (all, 100 + level), "{point}");
        }
        assert_eq!(group.errors, 0);
    }
}

/// TD-09, DQ-26: with no room in memory the group is stopped at the instruction that needs it; another one can be launched then, of fewer warps,
/// and ends when its own threads have exited.
#[test]
fn td_09_no_room_at_all_stops_the_group() {
    for (point, warps, all) in POINTS {
        let nodes = if warps == 2 { 8 } else { 64 };
        let mut group = launched(point, warps, all);
        // Room for the deferred leaves, one a thread, and no more.
        group.set("spill_limit", warps as u128 * u128::from(all.count_ones()));
        for level in 0..nodes - 1 {
            group.all(push(Kind::Call, 100 + level));
        }
        while group.turn().is_some() {
            group.offer(push(Kind::Call, 500));
            group.tick();
        }
        group.set("request_valid", 0);
        while group.errors == 0 {
            let (stopped, cause, address) =
                (group.get("error_valid"), group.get("error_cause"), group.get("error_address"));
            assert!(stopped == 0 || (cause, address) == (3, 10 + nodes - 1), "{point}: {cause} at {address}");
            assert_eq!(group.get("changed"), 0, "{point}: the tree does not take it");
            group.tick();
        }
        assert_eq!(group.get("running"), 0);
        group.launch(&[(0, 0x3)], 20);
        assert_eq!(group.turn().map(|turn| (turn.warp, turn.active, turn.address)), Some((0, 0x3, 20)));
        group.all(exit(u128::MAX));
        assert_eq!((group.done, group.errors, group.get("running")), (1, 1, 0), "{point}");
    }
}
