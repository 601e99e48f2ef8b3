//! The parts of the execution side, each at its own ports.

use crate::support::bench::{Bench, POINTS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rstest::rstest;
use std::collections::VecDeque;

fn ones(width: u128) -> u128 {
    u128::MAX >> (128 - width)
}

/// What enters the queue: key, and class or exclusiveness where a test needs them.
fn enter(bench: &mut Bench, key: u128, class: u128, exclusive: bool) {
    bench.drive(&[
        ("enter_valid", 1),
        ("key", key),
        ("enter_tag", 0x1000 + key),
        ("enter_class", class),
        ("enter_exclusive", exclusive.into()),
        ("enter_critical", 1),
        ("enter_priority", key & 3),
    ]);
    bench.tick();
    bench.set("enter_valid", 0);
}

/// BR-35, BR-41: every barrier there is finds room, and all leave in order, one a cycle, with what they brought.
#[rstest]
fn br_35_fifo_holds_every_barrier(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("dynamic_barrier_fifo", POINTS[point]);
    let (slots, keys) = (bench.parameter("slots"), bench.parameter("ctas") * bench.parameter("barriers"));
    bench.drive(&[("class_conflicts", 0xffff), ("occupied", ones(slots))]);
    let order = |at: u128| (at * 5 + 3) % keys;
    for round in 0..2 {
        for at in 0..keys {
            assert_eq!(bench.read(["count", "hand_valid"]), [at, 0], "round {round}");
            enter(&mut bench, order(at), 0, false);
        }
        bench.set("occupied", ones(slots - 1));
        for at in 0..keys {
            let key = order(at);
            assert_eq!(bench.read(["hand_valid", "hand_key", "hand_tag"]), [1, key, 0x1000 + key]);
            assert_eq!(bench.read(["hand_slot", "hand_slots"]), [slots - 1, 1 << (slots - 1)]);
            assert_eq!(bench.read(["hand_priority", "hand_critical", "hand_discarded"]), [key & 3, 1, 0]);
            bench.tick();
        }
        bench.set("occupied", ones(slots));
    }
    assert_eq!(bench.read(["count", "hand_valid"]), [0, 0]);
}

/// BR-35: what enters an empty queue can leave in the next cycle, also when another leaves as it enters.
#[rstest]
fn br_35_fifo_falls_through(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("dynamic_barrier_fifo", POINTS[point]);
    let keys = bench.parameter("ctas") * bench.parameter("barriers");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut model = VecDeque::new();
    let mut next = 0;
    for _ in 0..2000 {
        let entering = (model.len() as u128) < keys && random.random();
        let open = random.random_ratio(1, 2);
        bench.drive(&[("enter_valid", u128::from(entering)), ("key", next % keys), ("enter_tag", next)]);
        bench.set("occupied", if open { 0 } else { u128::MAX });
        let leaving = open && !model.is_empty();
        assert_eq!(bench.get("hand_valid"), u128::from(leaving));
        if leaving {
            let head: u128 = model.pop_front().expect("a head");
            assert_eq!(bench.read(["hand_key", "hand_tag"]), [head % keys, head & ones(22)]);
        }
        if entering {
            model.push_back(next);
            next += 1;
        }
        bench.tick();
    }
}

/// BR-37: exclusiveness is a matter of conflicting classes, and of threads inside if that is asked for.
#[rstest]
fn br_37_fifo_exclusive_and_classes(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("dynamic_barrier_fifo", POINTS[point]);
    // Classes 0 and 1 conflict with each other and themselves, 2 with nobody.
    bench.set("class_conflicts", 0x0033);
    enter(&mut bench, 1, 1, true);
    let handed = |bench: &mut Bench, inputs: &[(&str, u128)]| {
        bench.drive(&[
            ("occupied_classes", 0),
            ("exclusive_classes", 0),
            ("inside_classes", 0),
            ("exclusive_inside", 0),
        ]);
        bench.drive(inputs);
        bench.get("hand_valid") == 1
    };
    assert!(handed(&mut bench, &[]));
    assert!(!handed(&mut bench, &[("occupied_classes", 0b0001)]));
    assert!(handed(&mut bench, &[("occupied_classes", 0b1100)]));
    assert!(!handed(&mut bench, &[("exclusive_classes", 0b0010)]));
    assert!(handed(&mut bench, &[("occupied_classes", 0b0001), ("exclusive_inside", 1)]));
    assert!(!handed(&mut bench, &[("inside_classes", 0b0001), ("exclusive_inside", 1)]));
    // One that is reset needs a slot and nothing else.
    assert!(handed(&mut bench, &[("exclusive_classes", 0b0010), ("reset_valid", 1), ("key", 1)]));
    assert_eq!(bench.get("hand_discarded"), 1);
    bench.drive(&[("occupied", u128::MAX)]);
    bench.tick();
    bench.drive(&[("reset_valid", 0), ("occupied", 0)]);
    assert!(handed(&mut bench, &[("exclusive_classes", 0b0010)]));
    assert_eq!(bench.get("hand_discarded"), 1, "the mark stays");
}

/// BR-37: class 3 with reserved slots has its own queue; the lowest slots are its own; neither queue holds up the other.
#[rstest]
fn br_37_fifo_reserved_slots(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("dynamic_barrier_fifo", POINTS[point]);
    let slots = bench.parameter("slots");
    bench.drive(&[("class_conflicts", 0xffff), ("reserved_slots", 1), ("occupied", ones(slots) & !1)]);
    enter(&mut bench, 0, 0, false);
    assert_eq!(bench.get("hand_valid"), 0, "only the reserved slot is free");
    bench.tick();
    enter(&mut bench, 1, 3, false);
    assert_eq!(bench.read(["hand_valid", "hand_key", "hand_slot"]), [1, 1, 0]);
    bench.tick();
    bench.set("occupied", 1);
    assert_eq!(bench.read(["hand_valid", "hand_key", "hand_slot"]), [1, 0, 1]);
    bench.tick();
    enter(&mut bench, 1, 3, false);
    assert_eq!(bench.read(["hand_valid", "hand_key", "hand_slot"]), [1, 1, 1], "it may use the others");
}

/// BR-37, BR-42: with two queues, an exclusive head is not starved by the other queue, nor two exclusive heads by each other.
#[rstest]
fn br_42_fifo_exclusive_is_not_starved(#[values(0, 1, 2)] point: usize, #[values(0, 3)] class: u128) {
    let mut bench = Bench::new("dynamic_barrier_fifo", POINTS[point]);
    let slots = bench.parameter("slots") as usize;
    bench.drive(&[("class_conflicts", 0xffff), ("reserved_slots", 1)]);
    let mut held: Vec<Option<(u128, bool, u32)>> = vec![None; slots];
    let (mut exclusive_runs, mut others) = (0, 0);
    let (mut exclusive_waits, mut other_waits) = (false, 0);
    for _ in 0..400 {
        // One exclusive barrier at a time in one queue, a stream of others in the other queue.
        if !exclusive_waits && !held.iter().flatten().any(|slot| slot.1) {
            enter_only(&mut bench, 0, class, true);
            exclusive_waits = true;
        } else if other_waits < 2 {
            enter_only(&mut bench, 1 + other_waits % 2, 3 - class, false);
            other_waits += 1;
        } else {
            bench.set("enter_valid", 0);
        }
        let occupied = held.iter().enumerate().fold(0, |all, (at, slot)| all | u128::from(slot.is_some()) << at);
        let classes = |only: bool| {
            held.iter().flatten().filter(|slot| slot.1 || !only).fold(0, |all, slot| all | 1_u128 << slot.0)
        };
        bench.drive(&[
            ("occupied", occupied),
            ("occupied_classes", classes(false)),
            ("exclusive_classes", classes(true)),
        ]);
        for slot in &mut held {
            *slot = slot
                .and_then(|(class, exclusive, left)| (left > 0).then_some((class, exclusive, left.wrapping_sub(1))));
        }
        if bench.get("hand_valid") == 1 {
            let exclusive = bench.get("hand_exclusive") == 1;
            let slot = bench.get("hand_slot") as usize;
            held[slot] = Some((bench.get("hand_class"), exclusive, 5));
            if exclusive {
                (exclusive_waits, exclusive_runs) = (false, exclusive_runs + 1);
            } else {
                (other_waits, others) = (other_waits - 1, others + 1);
            }
        }
        bench.tick();
    }
    assert!(exclusive_runs > 10 && others > 10, "{exclusive_runs} exclusive, {others} others");
}

/// What enters in this cycle, without ending it.
fn enter_only(bench: &mut Bench, key: u128, class: u128, exclusive: bool) {
    bench.drive(&[("enter_valid", 1), ("key", key), ("enter_class", class), ("enter_exclusive", exclusive.into())]);
    bench.set("enter_critical", 1);
}

/// BR-36: the highest priority first, by turns inside a priority.
#[rstest]
fn br_36_arbiter_priorities_and_turns(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("barrier_arbiter", POINTS[point]);
    let slots = bench.parameter("slots");
    bench.drive(&[("occupied", ones(slots)), ("grant_enable", 1)]);
    // All of one priority: each in turn, twice round.
    bench.set("schedulable", ones(slots));
    for turn in 0..2 * slots {
        assert_eq!(bench.read(["winner_valid", "winner_slot", "winner_slots"]), [1, turn % slots, 1 << (turn % slots)]);
        bench.tick();
    }
    // Without a grant the choice stands.
    bench.set("grant_enable", 0);
    bench.tick();
    assert_eq!(bench.get("winner_slot"), 0);
    // One of a higher priority wins, whatever its place; the two bits make four priorities.
    for (high, low, winner) in [(0b10, 0b00, 1), (0b00, 0b10, 1), (0b01, 0b10, 0), (0b11, 0b10, 1), (0b11, 0b01, 0)] {
        bench.drive(&[("priority_high", high), ("priority_low", low)]);
        assert_eq!(bench.get("winner_slot"), winner, "{high:b} {low:b}");
    }
    bench.set("schedulable", 0);
    assert_eq!(bench.get("winner_valid"), 0);
}

/// BR-36: a slot that was passed over 64 times goes first, exactly then, whatever its priority.
#[rstest]
fn br_36_arbiter_starves_nobody(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("barrier_arbiter", POINTS[point]);
    let slots = bench.parameter("slots");
    bench.drive(&[("occupied", ones(slots)), ("grant_enable", 1), ("schedulable", 0b11)]);
    bench.drive(&[("priority_high", 0b10), ("priority_low", 0b10)]);
    for _ in 0..3 {
        for _ in 0..64 {
            assert_eq!(bench.get("winner_slot"), 1);
            bench.tick();
        }
        assert_eq!(bench.get("winner_slot"), 0);
        bench.tick();
    }
    // A barrier that leaves takes its count along.
    for _ in 0..63 {
        bench.tick();
    }
    bench.set("occupied", ones(slots) & !1);
    bench.tick();
    bench.set("occupied", ones(slots));
    for _ in 0..64 {
        assert_eq!(bench.get("winner_slot"), 1);
        bench.tick();
    }
    assert_eq!(bench.get("winner_slot"), 0);
}

/// BR-31, BR-33: the lowest thread of the block; an empty block leads to the next, an empty last one ends the pass.
#[rstest]
fn br_31_selection(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("thread_selection_unit", POINTS[point]);
    let (slots, threads) = (bench.parameter("slots"), bench.parameter("block_threads"));
    assert_eq!(bench.get("serve_valid"), 0);
    bench.drive(&[("needing", 0b10), ("present_logical", 1), ("last", 0)]);
    for lowest in 0..threads {
        bench.set("mask", ones(threads) << lowest);
        assert_eq!(bench.read(["serve_slot", "serve_logical", "found", "offset"]), [1, 1, 1, lowest]);
        assert_eq!(bench.read(["next_logical", "pass_ends"]), [1, 0]);
    }
    bench.drive(&[("mask", 0), ("present_logical", 0)]);
    assert_eq!(bench.read(["found", "next_logical", "pass_ends"]), [0, 1, 0]);
    bench.drive(&[("present_logical", 1), ("last", 1)]);
    assert_eq!(bench.read(["found", "next_logical", "pass_ends"]), [0, 0, 1]);
    // What is handed over goes first, from its first block; the others take turns.
    bench.drive(&[("needing", ones(slots)), ("fresh_valid", 1), ("fresh_slot", 1), ("fresh_slots", 2)]);
    assert_eq!(bench.read(["serve_slot", "serve_slots", "serve_logical"]), [1, 2, 0]);
    bench.tick();
    bench.set("fresh_valid", 0);
    for turn in 0..2 * slots {
        // The first look above had served slot 1 in no cycle: only ticks count.
        assert_eq!(bench.get("serve_slot"), turn % slots);
        bench.tick();
    }
}

/// BR-04, BR-41, BR-44: who sleeps where, against a plain model, under random sleeps, wake-ups and clearings.
#[rstest]
fn br_04_thread_state(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("thread_state", POINTS[point]);
    let (rows, threads) = (bench.parameter("ctas") * bench.parameter("blocks"), bench.parameter("block_threads"));
    let barriers = bench.parameter("barriers");
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..rows {
        assert_eq!(bench.get("sweeping"), 1);
        bench.tick();
    }
    assert_eq!(bench.get("sweeping"), 0);
    // Of each thread: barrier, phase, done, while it sleeps.
    let mut model = vec![vec![None; threads as usize]; rows as usize];
    let mask_of = |row: &[Option<(u128, u128, u128)>], wanted: &dyn Fn((u128, u128, u128)) -> bool| {
        row.iter().enumerate().fold(0, |all, (at, thread)| all | u128::from(thread.is_some_and(wanted)) << at)
    };
    for _ in 0..4000 {
        let few = rows.min(3);
        let [sleep_row, wake_row, walk_row, select_row] = [(); 4].map(|()| random.random_range(0..few));
        let [sleep_barrier, walk_barrier, select_barrier] = [(); 3].map(|()| random.random_range(0..barriers));
        let [phase, done, walk_phase] = [(); 3].map(|()| random.random_range(0..2_u128));
        let clear = random.random_ratio(1, 50);
        let random_mask = random.random::<u128>() & ones(threads);
        let awake = !mask_of(&model[sleep_row as usize], &|_| true);
        let asleep = mask_of(&model[wake_row as usize], &|_| true);
        let sleep_mask = random_mask & awake & ones(threads);
        let wake_mask = random.random::<u128>() & asleep & if clear { 0 } else { u128::MAX };
        bench.drive(&[
            ("sleep_row", sleep_row),
            ("sleep_mask", if clear { 0 } else { sleep_mask }),
            ("sleep_barrier", sleep_barrier),
            ("sleep_phase", phase),
            ("sleep_done", done),
            ("clear_enable", clear.into()),
            ("wake_row", wake_row),
            ("wake_mask", wake_mask),
            ("walk_row", walk_row),
            ("walk_barrier", walk_barrier),
            ("walk_phase", walk_phase),
            ("select_row", select_row),
            ("select_barrier", select_barrier),
        ]);
        let walked = mask_of(&model[walk_row as usize], &|(id, phase, _)| (id, phase) == (walk_barrier, walk_phase));
        let selected = mask_of(&model[select_row as usize], &|(id, _, done)| (id, done) == (select_barrier, 0));
        assert_eq!(bench.read(["walk_mask", "select_mask"]), [walked, selected]);
        // Two rows are written in a cycle, which may be one: an index is plainer than two iterators.
        #[allow(clippy::needless_range_loop)]
        for at in 0..threads as usize {
            if wake_mask >> at & 1 == 1 {
                model[wake_row as usize][at] = None;
            }
            if clear {
                model[sleep_row as usize][at] = None;
            } else if sleep_mask >> at & 1 == 1 {
                model[sleep_row as usize][at] = Some((sleep_barrier, phase, done));
            }
        }
        bench.tick();
    }
}

/// BR-02, BR-05: the map that a launch gave, for every CTA, and the last block of any number of threads.
#[rstest]
fn br_02_logical_map(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("logical_map", POINTS[point]);
    let (ctas, blocks, threads) =
        (bench.parameter("ctas"), bench.parameter("blocks"), bench.parameter("block_threads"));
    let bits = u128::from(blocks.trailing_zeros());
    let map = |cta: u128, logical: u128| (logical ^ cta) % blocks;
    for cta in 0..ctas {
        let packed = (0..blocks).fold(0, |all, logical| all | map(cta, logical) << (16 + bits * logical));
        let count = cta * blocks * threads / ctas + 1;
        bench.drive(&[("write_enable", 1), ("write_cta", cta), ("write_data", packed | count)]);
        bench.tick();
    }
    bench.set("write_enable", 0);
    for cta in 0..ctas {
        let last = cta * blocks * threads / ctas / threads;
        for logical in 0..blocks {
            bench.drive(&[
                ("walk_cta", cta),
                ("walk_logical", logical),
                ("select_cta", ctas - 1 - cta),
                ("select_logical", logical),
            ]);
            assert_eq!(bench.read(["walk_block", "walk_last"]), [map(cta, logical), u128::from(logical == last)]);
            assert_eq!(bench.get("select_block"), map(ctas - 1 - cta, logical));
        }
    }
}

/// BR-45: releases of every barrier there is wait for the walk without loss, in order, and are busy until they are walked.
#[rstest]
fn br_45_walker_takes_all_releases(#[values(0, 1, 2)] point: usize) {
    let mut bench = Bench::new("release_walker", POINTS[point]);
    let (ctas, barriers) = (bench.parameter("ctas"), bench.parameter("barriers"));
    for _ in 0..ctas {
        assert_eq!(bench.get("sweeping"), 1);
        bench.tick();
    }
    bench.drive(&[("walk_any", 1), ("walk_taken", 0), ("walk_last", 1)]);
    for _ in 0..2 {
        for key in 0..ctas * barriers {
            let (cta, barrier) = (key / barriers, key % barriers);
            bench.drive(&[("execute_cta", cta), ("execute_barrier", barrier), ("release_phase", key & 1)]);
            bench.drive(&[("release_valid", 1), ("release_address", 0x800 + key)]);
            assert_eq!(bench.read(["release_busy", "release_busy_cta"]), [0, u128::from(barrier > 0)]);
            bench.tick();
            assert_eq!(bench.read(["release_busy", "release_busy_cta"]), [1, 1]);
        }
        bench.drive(&[("release_valid", 0), ("walk_taken", 1)]);
        for key in 0..ctas * barriers {
            let (cta, barrier) = (key / barriers, key % barriers);
            bench.drive(&[("execute_cta", cta), ("execute_barrier", barrier)]);
            assert_eq!(bench.read(["walk_valid", "walk_cta", "walk_barrier", "walk_logical"]), [1, cta, barrier, 0]);
            assert_eq!(bench.read(["walk_phase", "walk_address", "release_busy"]), [key & 1, 0x800 + key, 1]);
            bench.tick();
            assert_eq!(bench.read(["release_busy", "release_busy_cta"]), [0, u128::from(barrier < barriers - 1)]);
        }
        assert_eq!(bench.get("walk_valid"), 0);
        bench.set("walk_taken", 0);
    }
}
