//! The work distributor at its ports, in the Rust simulation, against a walk by three loops.

mod bench;

use bench::{all_clear, all_set, scattered, segments, service, Bench, Grid, Mood, EAGER};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rstest::rstest;

/// The cycles from the request to the strobe with everything ready: exactly, by word.
fn cycles(words: &[usize], set: usize, latency: u64) -> u64 {
    let mut free = 0;
    for (at, flags) in words.iter().enumerate() {
        let scanned = (3 + latency + at as u64).max(free);
        free = scanned + flags.div_ceil(set).max(1) as u64;
    }
    free + u64::from(words.last().is_some_and(|flags| *flags > 0))
}

/// WD-08: with everything ready, each table takes exactly the cycles of the law, at every latency that the outstanding fetches cover, and so
/// at most K + W + latency + 4.
#[rstest]
fn cycles_are_exact(#[values("1x1", "4x2", "16x4")] point: &str) {
    for flags in [all_set, all_clear, scattered] {
        for range in [[1, 1, 1], [64, 1, 1], [65, 3, 2], [5, 4, 3], [1, 40, 1], [300, 2, 2], [1000, 1, 1], [63, 9, 1]] {
            let mut bench = Bench::new(point, flags);
            for latency in 1..=bench.fetches as u64 {
                let grid = Grid::new(7, range);
                bench.mood.latency = latency;
                bench.serve(grid, 10_000);
                let words: Vec<usize> = segments(&grid, flags).iter().map(|segment| segment.x.len()).collect();
                let taken = bench.log.done[0].0 - bench.log.accepted[0].0;
                // Flags behind the end of a row must not cost anything either.
                assert_eq!(taken, cycles(&words, bench.set, latency), "{range:?} latency {latency}");
                let (k, w) = (words.iter().sum::<usize>() as u64, words.len() as u64);
                assert!(taken <= k + w + latency + 4, "{taken} cycles for {k} flags in {w} words");
            }
        }
    }
}

/// WD-04, WD-08: a set in every cycle while flags are set, a cycle for a word of zeros, and no gap where words meet.
#[rstest]
fn sets_come_without_a_gap(#[values("1x1", "4x2", "16x4")] point: &str, #[values(true, false)] predicated: bool) {
    let mut bench = Bench::new(point, all_set);
    bench.mood.latency = bench.fetches as u64;
    let mut grid = Grid::new(1, [200, 3, 2]);
    if !predicated {
        grid.table = None;
    }
    bench.serve(grid, 10_000);
    let expected = 6 * (3 * 64_usize.div_ceil(bench.set) + 8_usize.div_ceil(bench.set));
    assert_eq!(bench.log.sets.len(), expected);
    assert!(bench.log.sets.windows(2).all(|pair| pair[1].cycle == pair[0].cycle + 1), "a gap");
    assert_eq!(bench.log.asked.len(), if predicated { 24 } else { 0 });
}

/// WD-02, WD-03, WD-05: tables of all shapes, with flags set behind the ends of rows: exactly the blocks of the loops, in their order, and a strobe.
#[rstest]
fn blocks_are_those_of_the_table(#[values("1x1", "4x2", "16x4")] point: &str) {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut bench = Bench::new(point, scattered);
    for id in 0..60 {
        let range = [random.random_range(0..200), random.random_range(0..5), random.random_range(0..4)];
        let mut grid = Grid::new(id, range);
        if id % 7 == 0 {
            grid.table = None;
        }
        bench.random = ChaCha8Rng::seed_from_u64(u64::from(id));
        bench.serve(grid, 100_000);
        bench.check_fresh(&[grid]);
    }
}

/// WD-03: a range of zero is done at once, two cycles after the request, without a block and without a fetch.
#[rstest]
fn an_empty_range_is_done_at_once(#[values("1x1", "4x2", "16x4")] point: &str) {
    for range in [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 9, 9]] {
        for cluster in [None, Some([2, 2, 2])] {
            let mut bench = Bench::new(point, all_set);
            let grid = Grid { cluster, ..Grid::new(3, range) };
            bench.serve(grid, 20);
            bench.check(&[grid]);
            assert_eq!(bench.log.done[0].0 - bench.log.accepted[0].0, 2, "{range:?}");
        }
    }
}

/// WD-10: clusters of every size from 0 to 9 in each dimension, over small grids: every request ends, and each set flag comes exactly once, in
/// order, to the core of its cluster, with one fetch for each row of each cluster and word.
#[rstest]
#[case([5, 1, 1])]
#[case([7, 3, 2])]
#[case([4, 6, 5])]
#[case([9, 9, 2])]
#[case([67, 2, 3])]
fn clusters_end_and_cover(#[case] range: [u16; 3], #[values("1x1", "4x2", "16x4")] point: &str) {
    let mut bench = Bench::new(point, scattered);
    let mut grids = Vec::new();
    for size in 0..1000 {
        let cluster = [size % 10, size / 10 % 10, size / 100];
        let grid = Grid::new((size % 256) as u8, range).clustered(cluster);
        grids.push(grid);
        bench.waiting.push_back(grid);
    }
    bench.run(grids.len(), 4_000_000);
    bench.check(&grids);
}

/// WD-10: the grid on which the best open walker runs for ever; and ranges and sizes at the ends of 16 bits.
#[rstest]
fn awkward_sizes_end(#[values("1x1", "4x2", "16x4")] point: &str) {
    let mut bench = Bench::new(point, all_set);
    bench.flags = |address| if address % 7 == 0 { 0x8000_0000_0000_0001 } else { 0 };
    let grids = [
        Grid::new(1, [5, 1, 1]).clustered([2, 1, 1]),
        Grid::new(2, [65535, 1, 1]),
        Grid::new(3, [65535, 1, 1]).clustered([65535, 65535, 65535]),
        Grid::new(4, [65535, 1, 1]).clustered([32768, 1, 1]),
        Grid::new(5, [65535, 2, 1]).clustered([40000, 1, 1]),
        Grid::new(6, [1, 65535, 1]).clustered([1, 32768, 1]),
        Grid::new(7, [1, 1, 65535]).clustered([1, 1, 40000]),
        Grid::new(8, [129, 2, 65]).clustered([128, 2, 64]),
        Grid { table: Some(u32::MAX - 3), ..Grid::new(9, [70, 3, 3]) }.clustered([64, 2, 2]),
    ];
    bench.waiting.extend(grids);
    bench.run(grids.len(), 2_000_000);
    bench.check(&grids);
}

/// WD-10, WD-09: while the core of a cluster is not ready the walk waits, even if others are; an all-clear cluster binds nobody.
#[test]
fn a_cluster_waits_for_its_core() {
    let mut bench = Bench::new("4x2", |address| if address == 0x1000 { 0b1111_0000_1111 } else { 0 });
    bench.waiting.push_back(Grid::new(1, [12, 1, 1]).clustered([4, 1, 1]));
    bench.only_cores = 0b0100;
    while bench.log.sets.is_empty() {
        bench.tick();
    }
    assert_eq!(bench.log.sets[0].core, 2, "the only one that asked");
    bench.only_cores = 0b1011;
    for _ in 0..50 {
        bench.tick();
    }
    assert_eq!(bench.log.sets.len(), 1, "the cluster is bound to core 2");
    bench.only_cores = 0b1111;
    bench.run(1, 100);
    let cores: Vec<usize> = bench.log.sets.iter().map(|set| set.core).collect();
    assert_eq!(cores, [2, 2, 3, 3], "the cluster in between had no flag and took no turn");
}

/// WD-09: sets go round among the cores that ask; while none asks they are held.
#[test]
fn cores_take_turns() {
    let mut bench = Bench::new("4x2", all_set);
    bench.waiting.push_back(Grid::new(1, [64, 2, 1]));
    bench.only_cores = 0;
    for _ in 0..40 {
        bench.tick();
    }
    assert!(bench.log.sets.is_empty());
    bench.only_cores = 0b1111;
    for _ in 0..8 {
        bench.tick();
    }
    bench.only_cores = 0b1010;
    bench.run(1, 1000);
    let cores: Vec<usize> = bench.log.sets.iter().map(|set| set.core).collect();
    assert_eq!(cores[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
    assert!(cores[8..].iter().enumerate().all(|(at, core)| *core == if at % 2 == 0 { 1 } else { 3 }), "{cores:?}");
}

/// WD-06: four grids wait behind the one in service; those inserted at the head come first, the last of them before the others; the grid in service is not
/// interrupted.
#[rstest]
fn grids_queue(#[values("1x1", "4x2", "16x4")] point: &str) {
    let mut bench = Bench::new(point, all_set);
    bench.only_cores = 0;
    let grid = |id, head| Grid { head, ..Grid::new(id, [70, 1, 1]) };
    for (id, head) in [(1, false), (2, false), (3, true), (4, false), (5, true), (6, false)] {
        bench.waiting.push_back(grid(id, head));
        // The first one comes into service before the others arrive.
        for _ in 0..10 {
            bench.tick();
        }
    }
    let accepted: Vec<u8> = bench.log.accepted.iter().map(|(_, id)| *id).collect();
    assert_eq!(accepted, [1, 2, 3, 4, 5], "a fifth does not fit behind the one in service");
    bench.only_cores = u128::MAX;
    bench.run(6, 10_000);
    bench.check(&[1, 5, 3, 2, 4, 6].map(|id| grid(id, false)));
}

/// WD-06, WD-07: random grids at head and tail while every port stalls at random: each is served once, in the order of the queue, with exactly its
/// blocks; what is offered stays until it is taken.
#[rstest]
fn stalls_change_nothing(#[values("1x1", "4x2", "16x4")] point: &str, #[values(1, 2, 3, 4)] seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(point, scattered);
    bench.random = ChaCha8Rng::seed_from_u64(seed + 100);
    let mut all = Vec::new();
    for id in 0..=120_u8 {
        let narrow = random.random_bool(0.5);
        let mut range = [
            random.random_range(1..if narrow { 9 } else { 260 }),
            random.random_range(1..6),
            random.random_range(1..4),
        ];
        if random.random_bool(0.05) {
            range[random.random_range(0..3)] = 0;
        }
        let mut grid = Grid::new(id, range);
        grid.head = random.random_bool(0.4);
        if random.random_bool(0.2) {
            grid.table = None;
        }
        if random.random_bool(0.5) {
            let sizes = [random.random_range(0..100), random.random_range(0..4), random.random_range(0..4)];
            grid.cluster = Some(sizes);
        }
        bench.waiting.push_back(grid);
        all.push(grid);
    }
    // The queue as the requirements tell it: a grid leaves it in the cycle after it comes into service.
    while bench.log.done.len() < all.len() {
        if bench.cycle.is_multiple_of(64) {
            let pick = |random: &mut ChaCha8Rng| [0.05, 0.3, 0.7, 1.0][random.random_range(0..4)];
            bench.mood = Mood {
                offer: pick(&mut random) / 4.0,
                ask: pick(&mut random),
                answer: pick(&mut random),
                core: pick(&mut random),
                latency: random.random_range(0..20),
            };
        }
        assert!(bench.cycle < 3_000_000, "{} grids done", bench.log.done.len());
        bench.tick();
    }
    let order = service(&bench.log, &all);
    bench.check(&order);
}

/// A reset in the middle of a grid, with grids waiting and answers under way, leaves nothing behind.
#[rstest]
fn reset_forgets_everything(#[values("1x1", "4x2", "16x4")] point: &str) {
    let mut bench = Bench::new(point, scattered);
    for cycles in 0..60 {
        bench.mood = Mood { latency: 5, core: 0.5, ..EAGER };
        for id in 0..6 {
            bench.waiting.push_back(Grid::new(id, [130, 2, 3]).clustered([70, 0, 2]));
        }
        for _ in 0..cycles {
            bench.tick();
        }
        bench.reset();
        let grid = Grid::new(9, [70, 3, 2]).clustered([9, 2, 2]);
        bench.serve(grid, 10_000);
        bench.check(&[grid]);
    }
}

/// The three points of the chapter: cores and blocks of a set.
#[test]
fn points_are_those_of_the_chapter() {
    for (point, cores, set) in [("1x1", 1, 1), ("4x2", 4, 2), ("16x4", 16, 4)] {
        let bench = Bench::new(point, all_set);
        assert_eq!((bench.cores, bench.set), (cores, set));
    }
}
