//! The context sequencer at its ports: cycle counts, and each sentence of its page.

mod bench;

use bench::{Bench, Done, Mood, BUFFER, EAGER, POINTS, THREADS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rstest::rstest;

fn saved(cycles: u64, saved: u128, words: u32) -> Done {
    Done { cycles, failed: false, saved, words }
}

/// CX-08: with ports always ready a save of W words takes exactly W + allocator latency + memory latency + 5 cycles, one less than it may, and reads and writes
/// go a word a cycle.
#[rstest]
#[case::short([1, 1, 1], 1)]
#[case::uneven([3, 2, 5], 7)]
#[case::slow_reads([1, 90, 1], 3)]
#[case::slow_writes([40, 2, 150], 5)]
#[case::large([2, 3, 4], 100)]
fn cx_08_save_takes_w_and_latencies_and_5(
    #[case] latency: [u64; 3],
    #[case] limit: u16,
    #[values("4", "16", "64")] point: &str,
) {
    let [allocator_latency, read_latency, write_latency] = latency;
    let mut bench = Bench::new(point);
    bench.mood = Mood { allocator_latency, read_latency, write_latency, ..EAGER };
    let (group, base) = (bench.groups - 1, 0x700);
    bench.launch(1, group, base, limit);
    let words = u32::from(limit) * THREADS;
    let accepted = bench.cycle;
    let done = bench.save(1 << group);
    let latencies = latency.iter().sum::<u64>();
    assert_eq!(done, saved(u64::from(words) + latencies + 5, 1 << group, words));
    assert!(done.cycles <= u64::from(words) + latencies + 6, "the bound of CX-08");
    assert_eq!(bench.log.allocations, [(accepted + 3, group, words)]);
    let first = accepted + 4 + allocator_latency;
    let reads: Vec<(u64, u32)> = (0..words).map(|word| (first + u64::from(word), base + word)).collect();
    assert_eq!(bench.log.reads, reads);
    let first = first + read_latency + 1;
    let writes: Vec<(u64, u32)> = (0..words).map(|word| (first + u64::from(word), BUFFER + word)).collect();
    assert_eq!(bench.log.writes, writes);
    bench.check_copy(group, base, limit);
}

/// CX-08, CX-06: two engines are no slower for one group, as long as the memory answers within the accesses that they may have under way.
#[test]
fn cx_08_two_engines_keep_up_with_one_group() {
    let mut bench = Bench::new("16e2");
    bench.mood = Mood { open: 1.0, allocator_latency: 7, read_latency: 60, write_latency: 60 };
    bench.launch(3, 9, 64, 9);
    assert_eq!(bench.save(1 << 9), saved(9 * 32 + 7 + 60 + 60 + 5, 1 << 9, 9 * 32));
    bench.check_copy(9, 64, 9);
}

/// CX-06, CX-08: a thread block is saved group by group from the lowest; each further group takes W + latencies + 3 cycles.
#[rstest]
fn cx_06_one_engine_saves_group_by_group(#[values("4", "16", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.mood = Mood { open: 1.0, allocator_latency: 4, read_latency: 3, write_latency: 2 };
    let limits = [2, 5, 1];
    for (group, limit) in limits.into_iter().enumerate() {
        bench.launch(2 - group, group, 0x1000 * group as u32, limit);
    }
    let cycles = limits.iter().map(|limit| u64::from(*limit) * 32 + 9 + 3).sum::<u64>() + 2;
    assert_eq!(bench.save(0b111), saved(cycles, 0b111, 8 * 32));
    let order: Vec<usize> = bench.log.allocations.iter().map(|(_, group, _)| *group).collect();
    assert_eq!(order, [0, 1, 2]);
    for (group, limit) in limits.into_iter().enumerate() {
        bench.check_copy(group, 0x1000 * group as u32, limit);
    }
}

/// CX-06: two engines hide each other's latencies, share both ports word by word, and copy the same.
#[test]
fn cx_06_two_engines_share_the_ports() {
    let run = |point: &str| {
        let mut bench = Bench::new(point);
        bench.mood = Mood { open: 1.0, allocator_latency: 20, read_latency: 15, write_latency: 15 };
        for group in 0..6 {
            bench.launch(group, group, 0x1000 * group as u32, 2);
        }
        let done = bench.save(0b11_1111);
        assert_eq!((done.failed, done.saved, done.words), (false, 0b11_1111, 6 * 64));
        for group in 0..6 {
            bench.check_copy(group, 0x1000 * group as u32, 2);
        }
        (done.cycles, bench.log)
    };
    let (one, _) = run("16");
    let (two, log) = run("16e2");
    assert_eq!(one, 6 * (64 + 50 + 3) + 2);
    assert!(two * 4 < one * 3, "{two} cycles with two engines, {one} with one");
    let turns = log.reads.windows(2).filter(|pair| pair[0].1 >> 12 != pair[1].1 >> 12).count();
    assert!(turns > 60, "reads of two groups alternate: {turns} turns");
    let turns = log.writes.windows(2).filter(|pair| pair[1].1 != pair[0].1 + 1).count();
    assert!(turns > 60, "writes of two groups alternate: {turns} turns");
}

/// CX-02, CX-07: a second save copies no word and asks for nothing; it takes a cycle a group and two.
#[rstest]
fn cx_07_a_second_save_copies_nothing(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    for group in 0..4 {
        bench.launch(group, group, 0x1000 * group as u32, 3);
    }
    assert_eq!(bench.save(0b1011).words, 3 * 96);
    let before = (bench.log.allocations.len(), bench.log.reads.len(), bench.log.writes.len());
    assert_eq!(bench.save(0b1011), saved(5, 0b1011, 0));
    assert_eq!(bench.save(0b0010), saved(3, 0b0010, 0));
    assert_eq!((bench.log.allocations.len(), bench.log.reads.len(), bench.log.writes.len()), before);
    // One that is new among them is the only one to be copied.
    let done = bench.save(0b1111);
    assert_eq!((done.saved, done.words), (0b1111, 96));
    bench.check_copy(2, 0x2000, 3);
    // Nobody at all.
    assert_eq!(bench.save(0), saved(1, 0, 0));
}

/// CX-05: when memory runs out, groups saved before stay re-mapped, no further one is tried, and all go on where they lie.
#[rstest]
fn cx_05_a_failed_allocation_harms_nobody(#[values("4", "16", "64")] point: &str) {
    let mut bench = Bench::new(point);
    for group in 0..4 {
        bench.launch(group, group, 0x1000 * group as u32, 2);
    }
    bench.room = 100;
    let done = bench.save(0b1111);
    assert_eq!(done, Done { failed: true, ..saved(done.cycles, 0b0001, 64) });
    assert_eq!(bench.log.allocations.len(), 2, "groups 0 and 1 were tried");
    assert_eq!(bench.access(0, 5, 1), Ok([0, 1, u128::from(BUFFER + 37)]));
    assert_eq!(bench.access(1, 5, 1), Ok([1, 0, 0x1000 + 37]));
    assert_eq!(bench.row(1), [1, 0, 0, 2]);
    bench.complete(0);
    bench.complete(1);
    // A later attempt with more memory goes on from there.
    bench.room = 1000;
    assert_eq!(bench.save(0b1111).words, 3 * 64);
    for group in 0..4 {
        bench.check_copy(group, 0x1000 * group as u32, 2);
    }
}

/// CX-05, CX-06: with two engines a copy that is under way when an allocation fails goes on to its end.
#[test]
fn cx_05_copies_under_way_outlive_a_failure() {
    let mut bench = Bench::new("16e2");
    for group in 0..3 {
        bench.launch(group, group, 0x1000 * group as u32, 9);
    }
    bench.room = 9 * 32;
    let done = bench.save(0b111);
    assert_eq!(done, Done { failed: true, ..saved(9 * 32 + 3 + 5, 0b001, 9 * 32) });
    assert_eq!(bench.log.allocations.len(), 2);
    bench.check_copy(0, 0, 9);
}

/// CX-11: accesses are refused from the cycle after the command on, and nothing is asked for before the last one is carried out.
#[rstest]
fn cx_11_copying_waits_until_accesses_have_drained(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(0, 2, 0x400, 1);
    bench.launch(1, 3, 0x800, 1);
    for thread in 0..3 {
        assert!(bench.access(0, thread, 0).is_ok());
    }
    // A fourth one is taken in the same cycle as the command.
    assert!(bench.offer_access(0, 3, 0));
    bench.request(false, 0b100);
    assert_eq!(bench.read(["location_valid", "location_address"]), [1, 0x403]);
    assert!(!bench.offer_access(0, 4, 0), "stopped");
    assert!(!bench.offer_access(0, 4, 9), "stopped, even if it were an error");
    assert!(bench.access(1, 4, 0).is_ok(), "another group goes on");
    for left in (0..4).rev() {
        for _ in 0..10 {
            bench.tick();
        }
        assert!(bench.log.allocations.is_empty(), "{} accesses are under way", left + 1);
        bench.complete(2);
    }
    let drained = bench.cycle;
    let done = bench.done(drained, 100);
    assert_eq!(bench.log.allocations[0].0, drained + 1, "asked for as soon as it has drained");
    assert_eq!((done.saved, done.words), (0b100, 32));
    bench.complete(3);
}

/// CX-11: bit and pointer change together, in the cycle after the last write was acknowledged, and the command is done then.
#[rstest]
fn cx_11_bit_and_pointer_change_after_the_last_acknowledgement(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(0, 1, 0x40, 2);
    bench.withheld = 1;
    bench.request(false, 0b10);
    for _ in 0..200 {
        assert_eq!(bench.row(1), [1, 0, 0, 2]);
        assert_eq!(bench.get("done_valid"), 0);
        bench.tick();
    }
    assert_eq!((bench.log.writes.len(), bench.log.acknowledgements.len()), (64, 63));
    bench.withheld = 0;
    assert_eq!(bench.row(1), [1, 0, 0, 2]);
    bench.tick();
    assert_eq!(bench.log.acknowledgements.len(), 64);
    assert_eq!(bench.row(1), [1, 1, u128::from(BUFFER), 2]);
    assert_eq!(bench.read(["done_valid", "done_saved", "done_words"]), [1, 0b10, 64]);
    bench.check_copy(1, 0x40, 2);
}

/// CX-04: each thread's each word, one access a cycle, answered in the next cycle.
#[rstest]
fn cx_04_addresses_come_in_the_next_cycle(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    let (slot, group) = (bench.groups - 1, 2);
    bench.launch(slot, group, 0x4_0000, 7);
    assert_eq!(bench.save(1 << group).words, 7 * 32);
    bench.launch(0, 3, 0x5_0000, 7);
    let mut expected: Option<[u128; 4]> = None;
    for round in 0..2 {
        for access in 0..7 * THREADS {
            let (word, thread) = ((access / THREADS) as u16, access % THREADS);
            let (at, owner, start) = if round == 0 { (slot, 2, BUFFER) } else { (0, 3, 0x5_0000) };
            assert!(bench.offer_access(at, thread, word));
            let valid = bench.get("location_valid");
            let shown = bench.read(["location_group", "location_global", "location_address"]);
            if let Some([group, global, address, _]) = expected {
                assert_eq!((valid, shown), (1, [group, global, address]), "one a cycle");
            }
            let last = expected.map_or(0, |[group, ..]| group as usize);
            bench.set("complete_valid", valid);
            bench.set("complete_group", last as u128);
            bench.tick();
            expected = Some([owner, u128::from(round == 0), u128::from(start + access), 0]);
        }
    }
}

/// CX-04: an access beyond the group's words, or from a slot where no group runs, is an error that names it, and counts as no access.
#[rstest]
fn cx_04_an_access_outside_is_an_error(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(3, 2, 0x100, 4);
    assert_eq!(bench.access(3, 31, 3), Ok([2, 0, 0x100 + 4 * 32 - 1]));
    bench.complete(2);
    for word in [4, 5, 0x100, 0xffff] {
        assert_eq!(bench.access(3, 31, word), Err([1, 2, 3, 31, word.into()]));
    }
    assert_eq!(bench.access(1, 7, 0), Err([0, 0, 1, 7, 0]));
    bench.launch(1, 3, 0, 0xffff);
    assert_eq!(bench.access(1, 31, 0xfffe), Ok([3, 0, 0xffff * 32 - 1]));
    assert_eq!(bench.access(1, 0, 0xffff), Err([1, 3, 1, 0, 0xffff]));
    bench.complete(3);
    // Errors are nothing to wait for.
    assert_eq!(bench.save(0b100), saved(4 * 32 + 3 + 5, 0b100, 4 * 32));
    assert_eq!(bench.access(3, 31, 4), Err([1, 2, 3, 31, 4]), "re-mapped, and the bound is the same");
    bench.release(3);
    assert_eq!(bench.access(3, 0, 0), Err([0, 0, 3, 0, 0]));
}

/// CX-11: at most 255 accesses of a group are under way; another group is not held up.
#[rstest]
fn cx_11_a_group_has_at_most_255_accesses_under_way(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(0, 0, 0, 1);
    bench.launch(1, 1, 0x20, 1);
    for round in 0..3 {
        for access in 0..255 {
            assert!(bench.access(0, access % 32, 0).is_ok(), "access {access} of round {round}");
        }
        assert!(!bench.offer_access(0, 0, 0));
        assert!(bench.access(1, 0, 0).is_ok());
        bench.complete(1);
        bench.complete(0);
        assert!(bench.access(0, 0, 0).is_ok());
        for _ in 0..255 {
            bench.complete(0);
        }
    }
    assert_eq!(bench.save(0b1), saved(32 + 3 + 5, 0b1, 32));
}

/// CX-01, CX-03: a suspended group goes on in another slot, from global memory; a new group in its place has a row of its own; nothing is copied back.
#[rstest]
fn cx_03_resumed_elsewhere_nothing_is_copied(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(1, 0, 0x300, 2);
    assert_eq!(bench.save(1).words, 64);
    bench.release(1);
    bench.launch(1, 3, 0x300, 5);
    let transfers = (bench.log.reads.len(), bench.log.writes.len());
    assert!(!bench.bind(2, 0, None));
    assert_eq!(bench.access(2, 9, 1), Ok([0, 1, u128::from(BUFFER + 41)]));
    assert_eq!(bench.access(1, 9, 4), Ok([3, 0, 0x300 + 4 * 32 + 9]));
    assert_eq!(bench.access(2, 9, 2), Err([1, 0, 2, 9, 2]));
    bench.complete(0);
    bench.complete(3);
    assert_eq!((bench.log.reads.len(), bench.log.writes.len()), transfers);
    // Suspended again, it costs nothing; the other one is copied to a place of its own.
    assert_eq!(bench.save(0b1), saved(3, 0b1, 0));
    assert_eq!(bench.save(0b1001).words, 160);
    bench.check_copy(0, 0x300, 2);
    bench.check_copy(3, 0x300, 5);
}

/// CX-01: launches and resumes that make no sense are errors and change nothing.
#[rstest]
fn cx_01_senseless_launches_are_refused(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    assert!(bench.bind(0, 1, None), "a row that is not in use is resumed");
    assert_eq!(bench.row(1), [0, 0, 0, 0]);
    bench.launch(0, 1, 0x40, 3);
    assert!(bench.bind(2, 1, Some((0x80, 5))), "a row in use is launched");
    assert!(bench.bind(0, 2, Some((0x80, 5))), "the slot is bound");
    assert!(bench.bind(2, 1, None), "a group that runs, and is not re-mapped, is resumed");
    bench.release(0);
    assert!(bench.bind(0, 1, None), "a group that is not re-mapped is resumed");
    assert!(bench.bind(0, 1, Some((0x80, 5))), "a row in use is launched");
    assert_eq!(bench.row(1), [1, 0, 0, 3]);
    assert_eq!(bench.row(2), [0, 0, 0, 0]);
    assert_eq!(bench.save(0b10).words, 96);
    assert!(!bench.bind(3, 1, None));
    assert!(bench.bind(2, 1, None), "it runs already");
    bench.launch(2, 2, 0x80, 5);
    bench.release(3);
    assert!(bench.bind(2, 1, None), "the slot is bound");
    bench.release(1);
    assert_eq!(bench.access(2, 0, 0), Ok([2, 0, 0x80]), "a slot that is free is released, and nothing happens");
    // A release in the same cycle comes after the launch.
    bench.set("release_valid", 1);
    bench.set("release_slot", 2);
    assert!(bench.bind(2, 1, None));
    bench.set("release_valid", 0);
    assert!(!bench.bind(2, 1, None));
    assert_eq!(bench.access(2, 0, 1), Ok([1, 1, u128::from(BUFFER + 32)]));
}

/// CX-07, CX-05: freeing waits for the group's accesses, clears row and slot, and gives the memory of re-mapped groups back, once.
#[rstest]
fn cx_07_freed_groups_clear_their_rows(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    for group in 0..4 {
        bench.launch(group, group, 0x1000 * group as u32, if group == 2 { 0 } else { 1 });
    }
    assert_eq!(bench.save(0b0101).saved, 0b0101);
    let [.., pointer, _] = bench.row(0);
    bench.release(0);
    assert!(bench.access(1, 0, 0).is_ok());
    bench.request(true, 0b0111);
    for _ in 0..20 {
        assert_eq!(bench.get("done_valid"), 0, "group 1 has an access under way");
        bench.tick();
    }
    assert_eq!(bench.log.frees, [(0, pointer as u32)]);
    bench.complete(1);
    let now = bench.cycle;
    assert_eq!(bench.done(now, 10), saved(2, 0, 0));
    assert_eq!(bench.log.frees, [(0, pointer as u32)], "groups 1 and 2 had no memory to give back");
    for group in 0..3 {
        assert_eq!(bench.row(group), [0, 0, 0, 0]);
        assert_eq!(bench.access(group, 0, 0), Err([0, 0, group as u128, 0, 0]));
    }
    assert_eq!(bench.access(3, 0, 0), Ok([3, 0, 0x3000]));
    bench.complete(3);
    // A second time there is nothing to free; rows and slots can be used again.
    assert_eq!(bench.free(0b0111), saved(5, 0, 0));
    bench.launch(2, 0, 0x9000, 2);
    assert_eq!(bench.access(2, 1, 1), Ok([0, 0, 0x9000 + 33]));
    bench.complete(0);
    assert_eq!(bench.save(0b0001), saved(64 + 3 + 5, 0b0001, 64));
    assert_eq!(bench.log.frees.len(), 1);
}

/// CX-02: a group without words is re-mapped at once; nothing is asked for, copied or given back.
#[rstest]
fn cx_02_a_group_without_words_needs_no_memory(#[values("4", "16", "16e2", "64")] point: &str) {
    let mut bench = Bench::new(point);
    bench.launch(0, 0, 0x30, 1);
    bench.launch(1, 1, 0x70, 0);
    assert_eq!(bench.save(0b10), saved(3, 0b10, 0));
    assert_eq!(bench.row(1), [1, 1, 0, 0]);
    assert_eq!(bench.access(1, 0, 0), Err([1, 1, 1, 0, 0]));
    assert_eq!(bench.save(0b11).saved, 0b11);
    assert_eq!(bench.log.allocations.len(), 1);
    bench.free(0b11);
    assert_eq!(bench.log.frees.len(), 1);
}

/// CX-11: reset in the midst of a copy leaves nothing behind, though no memory is cleared.
#[rstest]
fn cx_11_reset_forgets_everything(#[values("4", "16", "16e2", "64")] point: &str) {
    for cycles in [1, 2, 3, 5, 20, 60] {
        let mut bench = Bench::new(point);
        for group in 0..4 {
            bench.launch(group, group, 0x1000 * group as u32, 1);
            assert!(bench.access(group, 0, 0).is_ok());
        }
        bench.complete(0);
        bench.complete(1);
        bench.request(false, 0b1111);
        for _ in 0..cycles {
            bench.tick();
        }
        bench.reset();
        bench.global.clear();
        assert_eq!(bench.read(["stopped", "request_ready", "copy_read_valid", "copy_write_valid"]), [0, 1, 0, 0]);
        for group in 0..4 {
            assert_eq!(bench.row(group), [0, 0, 0, 0]);
            assert_eq!(bench.access(group, 0, 0), Err([0, 0, group as u128, 0, 0]));
        }
        for group in (0..4).rev() {
            bench.launch(group, group, 0x2000 * group as u32, 1);
        }
        assert_eq!(bench.save(0b1111).words, 128);
        for group in 0..4 {
            bench.check_copy(group, 0x2000 * group as u32, 1);
        }
    }
}

/// CX-02, CX-06: whatever ports stall, every word arrives once, in its place.
#[rstest]
fn cx_02_stalls_change_nothing(#[values(0, 1, 2, 3)] point: usize, #[values(0.1, 0.5, 0.9)] open: f64) {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for round in 0..4 {
        let mut bench = Bench::new(POINTS[point]);
        let latency = [0; 3].map(|_| random.random_range(1..100));
        bench.mood = Mood { open, allocator_latency: latency[0], read_latency: latency[1], write_latency: latency[2] };
        bench.random = ChaCha8Rng::seed_from_u64(round);
        let mut limits = Vec::new();
        for group in 0..4 {
            limits.push(random.random_range(0..6));
            bench.launch(group, group, 0x1000 * group as u32, limits[group]);
        }
        let words = limits.iter().map(|limit| u32::from(*limit) * THREADS).sum();
        let done = bench.save(0b1111);
        assert_eq!(done, saved(done.cycles, 0b1111, words));
        for (group, limit) in limits.into_iter().enumerate() {
            bench.check_copy(group, 0x1000 * group as u32, limit);
        }
    }
}
