//! The work distributor with a memory and cores around it, and a walk by three loops to compare with.

use heddle_hdl::pins;
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

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
pub struct Grid {
    pub id: u8,
    pub program: u32,
    pub table: Option<u32>,
    pub range: [u16; 3],
    pub cluster: Option<[u16; 3]>,
    pub head: bool,
}

impl Grid {
    pub fn new(id: u8, range: [u16; 3]) -> Self {
        Grid {
            id,
            program: 0x2a_0000 | u32::from(id),
            table: Some(0x1000 * u32::from(id)),
            range,
            cluster: None,
            head: false,
        }
    }

    pub fn clustered(self, cluster: [u16; 3]) -> Self {
        Grid { cluster: Some(cluster), ..self }
    }
}

/// What a table of flags says.
pub type Flags = fn(u32) -> u64;

pub fn all_set(_: u32) -> u64 {
    u64::MAX
}

pub fn all_clear(_: u32) -> u64 {
    0
}

/// Scattered flags, whole words of zeros and of ones among them.
pub fn scattered(address: u32) -> u64 {
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
pub struct Segment {
    pub address: u32,
    pub cluster: usize,
    pub x: Vec<u16>,
    pub y: u16,
    pub z: u16,
}

/// The segments of a grid in order, as the requirements say it.
pub fn segments(grid: &Grid, flags: Flags) -> Vec<Segment> {
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
pub struct Mood {
    pub offer: f64,
    pub ask: f64,
    pub answer: f64,
    pub core: f64,
    pub latency: u64,
}

pub const EAGER: Mood = Mood { offer: 1.0, ask: 1.0, answer: 1.0, core: 1.0, latency: 1 };

/// A set as it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub cycle: u64,
    pub core: usize,
    pub ready: u128,
    pub program: u32,
    pub grid: u8,
    pub x: Vec<u16>,
    pub y: u16,
    pub z: u16,
}

/// What happened at the ports, with the cycle.
#[derive(Default)]
pub struct Log {
    pub accepted: Vec<(u64, u8)>,
    pub asked: Vec<(u64, u32)>,
    pub sets: Vec<Set>,
    pub done: Vec<(u64, u8)>,
}

pub struct Bench {
    pub block: Box<dyn Simulation>,
    pins: Pins,
    pub cores: usize,
    pub set: usize,
    pub fetches: usize,
    pub cycle: u64,
    pub random: ChaCha8Rng,
    pub mood: Mood,
    pub flags: Flags,
    pub waiting: VecDeque<Grid>,
    pub answers: VecDeque<(u64, u64)>,
    pub answering: bool,
    pub stable: Option<Vec<u128>>,
    pub stable_ask: Option<u128>,
    pub only_cores: u128,
    pub log: Log,
}

impl Bench {
    pub fn new(point: &str, flags: Flags) -> Self {
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
        bench.reset();
        bench
    }

    /// A cycle of reset, and everything around the block forgotten.
    pub fn reset(&mut self) {
        self.block.set(self.pins.reset, 1);
        self.block.tick();
        self.block.set(self.pins.reset, 0);
        self.waiting.clear();
        self.answers.clear();
        (self.answering, self.stable, self.stable_ask) = (false, None, None);
    }

    pub fn get(&mut self, port: usize) -> u128 {
        self.block.get(port)
    }

    pub fn offer(&mut self, grid: &Grid) {
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
    pub fn tick(&mut self) {
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

    pub fn block_ports(&mut self, ready: u128) {
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
    pub fn run(&mut self, count: usize, limit: u64) {
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

    /// WD-04: the log against the loops, for grids in the order of service: sets never cross a word, a row, a cluster or a core, and are as large as
    /// these allow.
    pub fn check(&self, grids: &[Grid]) {
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
    pub fn check_fresh(&self, grids: &[Grid]) {
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
    pub fn serve(&mut self, grid: Grid, limit: u64) {
        self.log = Log::default();
        self.waiting.push_back(grid);
        self.run(1, limit);
    }
}

/// The order of service that follows from what was accepted and done when.
pub fn service(log: &Log, all: &[Grid]) -> Vec<Grid> {
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
