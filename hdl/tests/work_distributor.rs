//! The work distributor at its ports, in the Rust simulation, against a walk by three loops.

use heddle_hdl::pins;
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rstest::rstest;
use std::collections::VecDeque;

const POINTS: [&str; 3] = ["1x1", "4x2", "16x4"];

pins! {
    struct Pins {
        reset, request_valid, request_ready, request_program, request_grid, request_predicated, request_table,
        request_x, request_y, request_z, request_clustered, request_cluster_x, request_cluster_y, request_cluster_z,
        request_head, memory_request_valid, memory_request_ready, memory_request_address, memory_response_valid,
        memory_response_ready, memory_response_data, core_ready, block_valid, block_core, block_program, block_grid,
        block_x, block_y, block_z, done_valid, done_grid, busy
    }
}

/// A grid as the request names it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    id: u8,
    program: u32,
    table: Option<u32>,
    range: [u16; 3],
    cluster: Option<[u16; 3]>,
    head: bool,
}

impl Grid {
    fn new(id: u8, range: [u16; 3]) -> Self {
        Grid {
            id,
            program: 0x2a_0000 | u32::from(id),
            table: Some(0x1000 * u32::from(id)),
            range,
            cluster: None,
            head: false,
        }
    }

    fn clustered(self, cluster: [u16; 3]) -> Self {
        Grid { cluster: Some(cluster), ..self }
    }
}

/// What a table of flags says.
type Flags = fn(u32) -> u64;

fn all_set(_: u32) -> u64 {
    u64::MAX
}

fn all_clear(_: u32) -> u64 {
    0
}

/// Scattered flags, whole words of zeros and of ones among them.
fn scattered(address: u32) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(address));
    match random.random_range(0..8) {
        0 => 0,
        1 => u64::MAX,
        2..=4 => random.random::<u64>() & random.random::<u64>() & random.random::<u64>(),
        _ => random.random(),
    }
}

/// The flags of one row of one cluster in one word: its address, and the x of the blocks in it.
#[derive(Clone, Debug, PartialEq)]
struct Segment {
    address: u32,
    cluster: usize,
    x: Vec<u16>,
    y: u16,
    z: u16,
}

/// The segments of a grid in order, as the requirements say it.
fn segments(grid: &Grid, flags: Flags) -> Vec<Segment> {
    let [x_range, y_range, z_range] = grid.range.map(usize::from);
    let size = |axis: usize| match grid.cluster.map_or(0, |cluster| usize::from(cluster[axis])) {
        0 => usize::from(grid.range[axis]).max(1),
        size => size,
    };
    let row_words = x_range.div_ceil(64);
    let mut found = Vec::new();
    if grid.range.contains(&0) {
        return found;
    }
    let mut cluster = 0;
    for z_first in (0..z_range).step_by(size(2)) {
        for y_first in (0..y_range).step_by(size(1)) {
            for x_first in (0..x_range).step_by(size(0)) {
                for z in z_first..z_range.min(z_first + size(2)) {
                    for y in y_first..y_range.min(y_first + size(1)) {
                        let x_end = x_range.min(x_first + size(0));
                        for word in x_first / 64..x_end.div_ceil(64) {
                            let line = (z * y_range + y) * row_words + word;
                            let address = grid.table.unwrap_or(0).wrapping_add(line as u32);
                            let bits = if grid.table.is_some() { flags(address) } else { u64::MAX };
                            let inside = x_first.max(64 * word)..x_end.min(64 * word + 64);
                            let x = inside.filter(|x| bits >> (x % 64) & 1 == 1).map(|x| x as u16).collect();
                            found.push(Segment { address, cluster, x, y: y as u16, z: z as u16 });
                        }
                    }
                }
                cluster += 1;
            }
        }
    }
    found
}

/// How often each port is willing.
#[derive(Clone, Copy, Debug)]
struct Mood {
    offer: f64,
    ask: f64,
    answer: f64,
    core: f64,
    latency: u64,
}

const EAGER: Mood = Mood { offer: 1.0, ask: 1.0, answer: 1.0, core: 1.0, latency: 1 };

/// A set as it was taken.
#[derive(Clone, Debug, PartialEq)]
struct Set {
    cycle: u64,
    core: usize,
    ready: u128,
    program: u32,
    grid: u8,
    x: Vec<u16>,
    y: u16,
    z: u16,
}

/// What happened at the ports, with the cycle.
#[derive(Default)]
struct Log {
    accepted: Vec<(u64, u8)>,
    asked: Vec<(u64, u32)>,
    sets: Vec<Set>,
    done: Vec<(u64, u8)>,
}

struct Bench {
    block: Box<dyn Simulation>,
    pins: Pins,
    cores: usize,
    set: usize,
    fetches: usize,
    cycle: u64,
    random: ChaCha8Rng,
    mood: Mood,
    flags: Flags,
    waiting: VecDeque<Grid>,
    answers: VecDeque<(u64, u64)>,
    answering: bool,
    stable: Option<Vec<u128>>,
    stable_ask: Option<u128>,
    only_cores: u128,
    log: Log,
}

impl Bench {
    fn new(point: &str, flags: Flags) -> Self {
        let entry = points::find("work_distributor", point).expect("the point is in the list");
        let number = |name| entry.parameter(name).expect("a parameter") as usize;
        let (cores, set, fetches) = (number("cores"), number("set"), number("fetches"));
        let block = (entry.simulate)();
        let mut bench = Bench {
            pins: Pins::of(block.ports()),
            block,
            cores,
            set,
            fetches,
            cycle: 0,
            random: ChaCha8Rng::seed_from_u64(1),
            mood: EAGER,
            flags,
            waiting: VecDeque::new(),
            answers: VecDeque::new(),
            answering: false,
            stable: None,
            stable_ask: None,
            only_cores: u128::MAX,
            log: Log::default(),
        };
        bench.block.set(bench.pins.reset, 1);
        bench.block.tick();
        bench.block.set(bench.pins.reset, 0);
        bench
    }

    fn get(&mut self, port: usize) -> u128 {
        self.block.get(port)
    }

    fn offer(&mut self, grid: &Grid) {
        let pins = self.pins;
        let cluster = grid.cluster.unwrap_or([3, 5, 7]);
        let values = [
            (pins.request_program, u128::from(grid.program)),
            (pins.request_grid, grid.id.into()),
            (pins.request_predicated, grid.table.is_some().into()),
            (pins.request_table, grid.table.unwrap_or(0xdead_beef).into()),
            (pins.request_x, grid.range[0].into()),
            (pins.request_y, grid.range[1].into()),
            (pins.request_z, grid.range[2].into()),
            (pins.request_clustered, grid.cluster.is_some().into()),
            (pins.request_cluster_x, cluster[0].into()),
            (pins.request_cluster_y, cluster[1].into()),
            (pins.request_cluster_z, cluster[2].into()),
            (pins.request_head, grid.head.into()),
        ];
        for (port, value) in values {
            self.block.set(port, value);
        }
    }

    /// One cycle: drives the inputs by the mood, checks what must hold in every cycle, and logs what was transferred.
    fn tick(&mut self) {
        let pins = self.pins;
        let mood = self.mood;
        let offered = self.waiting.front().copied().filter(|_| self.random.random_bool(mood.offer));
        if let Some(grid) = offered {
            self.offer(&grid);
        }
        self.block.set(pins.request_valid, offered.is_some().into());
        let asks = self.random.random_bool(mood.ask);
        self.block.set(pins.memory_request_ready, asks.into());
        let due = self.answers.front().is_some_and(|(cycle, _)| *cycle <= self.cycle);
        self.answering = due && (self.answering || self.random.random_bool(mood.answer));
        self.block.set(pins.memory_response_valid, self.answering.into());
        let data = if self.answering { self.answers[0].1 } else { 0xaaaa_5555_aaaa_5555 };
        self.block.set(pins.memory_response_data, data.into());
        let mut ready = 0;
        for core in 0..self.cores {
            ready |= u128::from(self.random.random_bool(mood.core)) << core;
        }
        ready &= self.only_cores;
        self.block.set(pins.core_ready, ready);

        if let Some(grid) = offered {
            if self.get(pins.request_ready) == 1 {
                self.log.accepted.push((self.cycle, grid.id));
                self.waiting.pop_front();
            }
        }
        let address = (self.get(pins.memory_request_valid) == 1).then(|| self.get(pins.memory_request_address));
        if self.stable_ask.is_some() {
            assert_eq!(address, self.stable_ask, "a request that was not taken stays");
        }
        self.stable_ask = address.filter(|_| !asks);
        if self.answering && self.get(pins.memory_response_ready) == 1 {
            self.answers.pop_front();
            self.answering = false;
        }
        if let (Some(address), true) = (address, asks) {
            let address = address as u32;
            self.log.asked.push((self.cycle, address));
            self.answers.push_back((self.cycle + mood.latency, (self.flags)(address)));
            assert!(self.answers.len() <= self.fetches, "too many outstanding");
        }
        self.block_ports(ready);
        if self.get(pins.done_valid) == 1 {
            let grid = self.get(pins.done_grid) as u8;
            self.log.done.push((self.cycle, grid));
        }
        self.block.tick();
        self.cycle += 1;
    }

    fn block_ports(&mut self, ready: u128) {
        let pins = self.pins;
        let valid = self.get(pins.block_valid);
        let x = self.get(pins.block_x);
        let count = valid.count_ones() as usize;
        assert_eq!(valid, (1_u128 << count) - 1, "places are filled from 0 up");
        let x = (0..count).map(|place| (x >> (16 * place)) as u16).collect::<Vec<u16>>();
        let mut shown = vec![valid];
        for port in [pins.block_program, pins.block_grid, pins.block_y, pins.block_z] {
            shown.push(self.get(port));
        }
        shown.extend(x.iter().map(|x| u128::from(*x)));
        if let Some(stable) = &self.stable {
            assert_eq!(&shown, stable, "a set that was not taken stays");
        }
        let core = self.get(pins.block_core) as usize;
        assert!(core < self.cores, "core {core}");
        let taken = valid != 0 && ready >> core & 1 == 1;
        self.stable = (valid != 0 && !taken).then_some(shown.clone());
        if taken {
            self.log.sets.push(Set {
                cycle: self.cycle,
                core,
                ready,
                program: shown[1] as u32,
                grid: shown[2] as u8,
                y: shown[3] as u16,
                z: shown[4] as u16,
                x,
            });
        }
    }

    /// Runs until `count` grids are done and the block is idle.
    fn run(&mut self, count: usize, limit: u64) {
        let end = self.cycle + limit;
        while self.log.done.len() < count {
            assert!(self.cycle < end, "{} of {count} grids done in {limit} cycles", self.log.done.len());
            self.tick();
        }
        assert!(self.answers.is_empty(), "answers nobody takes");
        for _ in 0..4 {
            let busy = self.pins.busy;
            assert_eq!(self.get(busy), 0);
            self.tick();
        }
        assert_eq!(self.log.done.len(), count, "one strobe a grid");
    }

    /// The log against the loops, for grids in the order of service.
    fn check(&self, grids: &[Grid]) {
        let done: Vec<u8> = self.log.done.iter().map(|(_, grid)| *grid).collect();
        assert_eq!(done, grids.iter().map(|grid| grid.id).collect::<Vec<u8>>(), "order of service");
        let mut sets = self.log.sets.iter();
        let mut asked = self.log.asked.iter();
        let mut last = self.cores - 1;
        for (grid, (done, _)) in grids.iter().zip(&self.log.done) {
            let mut bound = None;
            for segment in segments(grid, self.flags) {
                if grid.table.is_some() {
                    assert_eq!(asked.next().map(|(_, address)| *address), Some(segment.address), "{grid:?}");
                }
                for x in segment.x.chunks(self.set) {
                    let set = sets.next().unwrap_or_else(|| panic!("{grid:?} lacks {x:?} of {segment:?}"));
                    assert_eq!((set.grid, set.program), (grid.id, grid.program));
                    assert_eq!((&set.x[..], set.y, set.z), (x, segment.y, segment.z), "{grid:?} {segment:?}");
                    let turn = (1..=self.cores).map(|step| (last + step) % self.cores);
                    let first = turn.into_iter().find(|core| set.ready >> core & 1 == 1).expect("a core was ready");
                    let core = match bound {
                        Some((cluster, core)) if cluster == segment.cluster && grid.cluster.is_some() => core,
                        _ => first,
                    };
                    assert_eq!(set.core, core, "{grid:?} {segment:?}");
                    bound = Some((segment.cluster, core));
                    last = core;
                    assert!(set.cycle < *done, "done too early");
                }
            }
        }
        assert_eq!((sets.next(), asked.next()), (None, None), "more than was asked for");
    }

    /// [`check`](Bench::check) for a bench that has served grids before: only the blocks matter, not whose turn it is.
    fn check_fresh(&self, grids: &[Grid]) {
        let expected: Vec<(u8, u16, u16, u16)> = grids
            .iter()
            .flat_map(|grid| {
                segments(grid, self.flags)
                    .into_iter()
                    .flat_map(|segment| segment.x.into_iter().map(move |x| (x, segment.y, segment.z)))
                    .map(|(x, y, z)| (grid.id, x, y, z))
            })
            .collect();
        let found: Vec<(u8, u16, u16, u16)> =
            self.log.sets.iter().flat_map(|set| set.x.iter().map(|x| (set.grid, *x, set.y, set.z))).collect();
        assert_eq!(found, expected, "{grids:?}");
    }

    /// One grid from start to end.
    fn serve(&mut self, grid: Grid, limit: u64) {
        self.log = Log::default();
        self.waiting.push_back(grid);
        self.run(1, limit);
    }
}

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

/// WD-08: a set in every cycle while flags are set, a cycle for a word of zeros, and no gap where words meet.
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
        if bench.cycle % 64 == 0 {
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

/// The order of service that follows from what was accepted and done when.
fn service(log: &Log, all: &[Grid]) -> Vec<Grid> {
    let mut queue: VecDeque<Grid> = VecDeque::new();
    let mut order: Vec<Grid> = Vec::new();
    let mut accepted = log.accepted.iter().peekable();
    let mut done = log.done.iter().peekable();
    let mut running = false;
    for cycle in 0..=log.done.last().map_or(0, |(cycle, _)| *cycle) {
        let finished = done.next_if(|(at, _)| *at == cycle).is_some();
        if (!running || finished) && !queue.is_empty() {
            order.extend(queue.pop_front());
            running = true;
        } else if finished {
            running = false;
        }
        if let Some((_, id)) = accepted.next_if(|(at, _)| *at == cycle) {
            let grid = *all.iter().find(|grid| grid.id == *id).expect("it was offered");
            match grid.head {
                true => queue.push_front(grid),
                false => queue.push_back(grid),
            }
        }
    }
    order
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
        bench.block.set(bench.pins.reset, 1);
        bench.block.tick();
        bench.block.set(bench.pins.reset, 0);
        bench.waiting.clear();
        bench.answers.clear();
        (bench.answering, bench.stable, bench.stable_ask) = (false, None, None);
        let grid = Grid::new(9, [70, 3, 2]).clustered([9, 2, 2]);
        bench.serve(grid, 10_000);
        bench.check(&[grid]);
    }
}

/// WD-04: sets at the three points never cross a word, a row, a cluster or a core, and are as large as these allow (the check's chunks).
#[test]
fn points_are_those_of_the_chapter() {
    for (point, cores, set) in [("1x1", 1, 1), ("4x2", 4, 2), ("16x4", 16, 4)] {
        assert!(POINTS.contains(&point));
        let bench = Bench::new(point, all_set);
        assert_eq!((bench.cores, bench.set), (cores, set));
    }
}
