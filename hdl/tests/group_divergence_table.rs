//! One tree for a group of warps at its ports: whose turn it is, in how many cycles, with which indices; and random programs against what each
//! thread does alone (TD-10).

mod group;
mod overflow;

use group::*;
use heddle_hdl::divergence::token::Kind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Each point, with its warps and the set of all threads of one.
const POINTS: [(&str, usize, u128); 2] = [("2x8x8g", 2, 0xff), ("8x32x64g", 8, 0xffff_ffff)];

/// A group whose warps stand in reverse order, launched at address 10.
fn launched(point: &str, warps: usize, all: u128) -> Group {
    let mut group = Group::new(point);
    let launches: Vec<(u128, u128)> = (0..warps).map(|position| ((warps - 1 - position) as u128, all)).collect();
    group.launch(&launches, 10);
    group
}

/// TD-10: a leaf is issued for each of its warps in turn, a cycle each, and the tree takes the instruction in the cycle after the last; the warps
/// are those of the mapping table.
#[test]
fn td_10_a_leaf_is_issued_warp_by_warp() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        for round in 0..3 {
            for position in 0..warps {
                let turn = group.turn().expect("a warp is to issue");
                assert_eq!((turn.position, turn.warp), (position as u128, (warps - 1 - position) as u128));
                assert_eq!((turn.active, turn.address, turn.index), (all, 10 + round, 1), "{point}");
                assert_eq!(group.report(step()), 0, "{point}: a report takes one cycle");
            }
            assert_eq!(group.turn(), None, "the tree takes the instruction");
            assert_eq!(group.get("changed"), 1);
            group.tick();
        }
    }
}

/// TD-10: a branch that parts warps, but none of them, stores no mask: each warp keeps its index.
#[test]
fn td_10_warps_that_stay_together_keep_their_index() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        for position in 0..warps {
            assert_eq!(group.report(branch(if position == 1 { all } else { 0 }, 50)), 0);
        }
        group.settle();
        let turn = group.turn().expect("the side that jumped goes first");
        assert_eq!((turn.position, turn.active, turn.address, turn.index), (1, all, 50, 1), "{point}");
        group.report(step());
        group.settle();
        let turn = group.turn().expect("then the others");
        assert_eq!((turn.position, turn.active, turn.address, turn.index), (0, all, 11, 1), "{point}");
    }
}

/// TD-10: threads of a warp that part get an index each, which the whole had not to be given up for; those that meet at the end of a region get
/// one again.
#[test]
fn td_10_parts_and_unions_are_stored() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        group.all(push(Kind::Sync, 40));
        // Two parts: 2 cycles each, and one for each mask that the warp has used before: one, then one.
        assert_eq!(group.report(branch(0x0f, 30)), 6, "{point}");
        for _ in 1..warps {
            assert_eq!(group.report(branch(0, 30)), 0);
        }
        group.settle();
        let turn = group.turn().expect("the side that jumped");
        assert_eq!((turn.position, turn.active, turn.address), (0, 0x0f, 30));
        assert_eq!(group.report(leave(Kind::Sync, 0x0f, 40)), 0);
        group.settle();
        // The others come; in warp 0 they meet those who have arrived.
        for position in 0..warps {
            let turn = group.turn().expect("all warps");
            assert_eq!((turn.position, turn.address), (position as u128, 12));
            assert_eq!(turn.active, if position == 0 { all & !0x0f } else { all });
            // With the last report the masks of warp 0 become one: 4 cycles, and one for each of the two that it has used.
            let unions = if position + 1 == warps { 6 } else { 0 };
            assert_eq!(group.report(leave(Kind::Sync, all, 40)), unions, "{point}");
        }
        group.settle();
        for _ in 0..warps {
            let turn = group.turn().expect("all together");
            assert_eq!((turn.active, turn.address), (all, 40), "{point}");
            group.report(exit(all));
        }
        group.settle();
        assert_eq!((group.done, group.get("running")), (1, 0));
    }
}

/// TD-10, TD-02: a warp whose register leads elsewhere meets the instruction again.
#[test]
fn td_10_targets_from_registers_may_differ() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        let mut along = Vec::new();
        for position in 0..warps {
            group.offer(indirect(all, if position == 1 { 90 } else { 80 }));
            along.push(group.get("request_along") == 1);
            group.report(indirect(all, if position == 1 { 90 } else { 80 }));
        }
        assert_eq!(along, (0..warps).map(|position| position != 1).collect::<Vec<_>>());
        group.settle();
        for position in (0..warps).filter(|position| *position != 1) {
            let turn = group.turn().expect("those that went along");
            assert_eq!((turn.position, turn.address), (position as u128, 80), "{point}");
            group.report(step());
        }
        group.settle();
        let turn = group.turn().expect("the other one");
        assert_eq!((turn.position, turn.active, turn.address), (1, all, 10));
    }
}

/// SM-07: threads of a warp sleep and wake while other warps of the leaf are still to report.
#[test]
fn sm_07_sleep_and_wake_between_reports() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        for _ in 0..warps {
            group.report(sleep(0x03));
        }
        group.settle();
        assert_eq!(group.turn().map(|turn| (turn.active, turn.address)), Some((all & !0x03, 11)));
        group.report(step());
        group.wake(1, 0x01, 300);
        for position in 1..warps {
            let turn = group.turn().expect("the leaf is the same");
            assert_eq!((turn.position, turn.address), (position as u128, 11), "{point}");
            group.report(step());
        }
        group.settle();
        let turn = group.turn().expect("the woken one");
        assert_eq!((turn.position, turn.active, turn.address), (1, 0x01, 300), "{point}");
    }
}

/// SM-07: a thread sleeps from its report on, and may be woken before the tree has taken its sleep; the warp whose turn it is stays the same
/// meanwhile.
#[test]
fn sm_07_a_thread_may_be_woken_from_its_report_on() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        group.report(sleep(all));
        let turn = group.turn();
        group.offer_wake(0, 0x01, 300);
        assert_eq!((group.turn(), group.get("request_ready")), (turn, 1), "{point}: in the cycle of the wake-up, too");
        group.wake(0, 0x01, 300);
        assert_eq!(group.turn(), turn);
        for _ in 1..warps {
            group.report(sleep(all));
        }
        group.settle();
        assert_eq!(
            group.turn().map(|turn| (turn.position, turn.active, turn.address)),
            Some((0, 0x01, 300)),
            "{point}"
        );
    }
}

/// TD-10: a wake-up waits while the tree looks for the node at which a leaf's threads arrive: it may find unions to make there.
#[test]
fn td_10_a_wake_up_does_not_come_between_a_search_and_its_unions() {
    for (point, warps, all) in POINTS {
        let mut group = launched(point, warps, all);
        group.all(push(Kind::Break, 40));
        group.all(sleep(0x80));
        group.all(branch(0x0f, 30));
        group.all(leave(Kind::Break, 0x0f, 40));
        group.all(push(Kind::Sync, 50));
        while group.turn().is_some() {
            group.offer(leave(Kind::Break, u128::MAX, 40));
            group.tick();
        }
        // The wake-up is at the port from the cycle in which the tree takes the leave.
        group.wake(0, 0x80, 300);
        let seen: Vec<(u128, u128)> = (0..2)
            .map(|_| {
                let turn = group.turn().expect("a leaf");
                group.all(branch(u128::MAX, turn.address));
                (turn.active, turn.address)
            })
            .collect();
        assert!(seen.contains(&(all & !0x80, 40)) && seen.contains(&(0x80, 300)), "{point}: {seen:x?}");
    }
}

/// TD-10, TD-05: random structured programs lose no thread: every thread passes through the blocks that it would pass through alone, the
/// masks shown are disjoint, and at the end all have exited.
#[test]
fn td_10_random_instructions_lose_no_thread() {
    for (point, warps, all) in POINTS {
        for seed in 0..8 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut group = launched(point, warps, all);
            // Where each thread is, by position; nothing once it has exited.
            let threads = all.count_ones() as usize;
            let mut at = vec![vec![Some(10_u128); threads]; warps];
            for round in 0..400 {
                let Some(first) = group.turn() else { break };
                let target = random.random_range(0..8);
                let choice = if round > 300 { 6 } else { random.random_range(0..6) };
                let mut reports = Vec::new();
                while let Some(turn) = group.turn() {
                    assert_eq!(turn.address, first.address, "{point} seed {seed}: one leaf");
                    let position = turn.position as usize;
                    for (thread, place) in at[position].iter().enumerate() {
                        let runs = turn.active >> thread & 1 == 1;
                        assert!(
                            !runs || *place == Some(turn.address),
                            "{point} seed {seed}: thread {thread} of {turn:?} is at {place:?}"
                        );
                    }
                    let mask =
                        turn.active & [0, u128::MAX, random.random(), random.random()][random.random_range(0..4)];
                    let request = match choice {
                        0 => step(),
                        1 | 2 => branch(mask, target),
                        3 => yielding(mask),
                        4 => leave(Kind::Sync, mask, target),
                        5 => indirect(mask, target),
                        _ => exit(turn.active),
                    };
                    for (thread, place) in
                        at[position].iter_mut().enumerate().filter(|(thread, _)| turn.active >> thread & 1 == 1)
                    {
                        let named = mask >> thread & 1 == 1;
                        *place = match choice {
                            1 | 2 | 4 if named => Some(target),
                            5 if named => Some(target),
                            6.. => None,
                            _ => Some(turn.address + 1),
                        };
                    }
                    reports.push((position, turn.active, mask));
                    group.report(request);
                }
                // Whoever an indirect branch does not name meets it again, unless it names nobody.
                if choice == 5 && reports.iter().any(|(_, _, mask)| *mask != 0) {
                    for (position, active, mask) in &reports {
                        for thread in (0..threads).filter(|thread| (active & !mask) >> thread & 1 == 1) {
                            at[*position][thread] = Some(first.address);
                        }
                    }
                }
                group.settle();
            }
            for _ in 0..2_000 {
                let Some(turn) = group.turn() else { break };
                at[turn.position as usize]
                    .iter_mut()
                    .enumerate()
                    .filter(|(thread, _)| turn.active >> thread & 1 == 1)
                    .for_each(|(_, place)| *place = None);
                group.report(exit(u128::MAX));
                if group.turn().is_none() {
                    group.settle();
                }
            }
            assert!(at.iter().flatten().all(Option::is_none), "{point} seed {seed}: a thread never ran again");
            assert_eq!((group.done, group.errors), (1, 0), "{point} seed {seed}");
        }
    }
}
