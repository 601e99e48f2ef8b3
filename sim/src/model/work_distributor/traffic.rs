//! Random grids, tables, stalls and insertions for a work distributor in any form, named by a seed (XV-02).
//!
//! [`drive`] runs them against [`super::contract`] and compares the sets with those of [`super::Grid::sets`].

use super::contract::WorkDistributorContract;
use super::ports::{Inputs, Outputs, Shape, WorkDistributorPorts};
use super::{BlockSet, Grid, WORD_FLAGS};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles without any event at the ports, all of which are open now and then, after which a distributor is stuck.
const PATIENCE: u64 = 20_000;

/// Words of memory that tables lie in.
const MEMORY_WORDS: u32 = 1 << 16;

/// How a random run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Clock cycles.
    pub cycles: u64,
    /// Grids that were done.
    pub grids: u64,
    /// Blocks that cores took.
    pub blocks: u64,
    /// Sets in which they came.
    pub sets: u64,
    /// Words that were fetched.
    pub fetches: u64,
    /// Grids that were put in front of others.
    pub heads: u64,
}

/// What went wrong, and how to see it again.
#[derive(Clone, Debug, thiserror::Error)]
#[error("work distributor {shape:?}, seed {seed}: {wrong}")]
pub struct Failure {
    /// The sizes.
    pub shape: Shape,
    /// The traffic's name.
    pub seed: u64,
    /// What went wrong.
    pub wrong: String,
}

/// How often each port is closed, in percent.
#[derive(Clone, Copy, Debug)]
struct Stalls {
    request: u32,
    fetch: u32,
    response: u32,
    core: u32,
}

/// A size: mostly small, often at an edge of a word.
fn size(random: &mut ChaCha8Rng, most: u32) -> u16 {
    let edges = [0, 1, 2, 63, 64, 65, 127, 128, 129];
    let any = match random.random_range(0..4) {
        0 => edges[random.random_range(0..edges.len())],
        _ => random.random_range(1..=most),
    };
    any.min(most) as u16
}

/// A random grid, whose table is put into a part of `memory`.
pub fn grid(random: &mut ChaCha8Rng, name: u8, memory: &mut [u64], part: std::ops::Range<u32>) -> Grid {
    let dimensions = random.random_range(1..=3);
    let mut range = [size(random, 140), size(random, 6), size(random, 4)];
    range[dimensions..].fill(1);
    let sizes: [u16; 3] = std::array::from_fn(|_| random.random_range(0..10));
    let cluster = random.random_bool(0.5).then_some(sizes);
    let words = u32::from(range[0]).div_ceil(WORD_FLAGS) * u32::from(range[1]) * u32::from(range[2]);
    let base = random.random_range(part.start..part.end - words);
    let table = random.random_bool(0.85).then_some(base);
    let style = random.random_range(0..6);
    for word in &mut memory[base as usize..(base + words) as usize] {
        *word = match style {
            0 => 0,
            1 => u64::MAX,
            2 => random.next_u64(),
            3 => random.next_u64() & random.next_u64() & random.next_u64() & random.next_u64(),
            // Whole words clear between others.
            4 => random.next_u64() * u64::from(random.random_bool(0.3)),
            _ => 1 << random.random_range(0..64),
        };
    }
    Grid { program: random.random_range(0..1 << 22), grid: name, table, range, cluster, head: random.random_bool(0.25) }
}

/// Runs `grids` random grids through a distributor.
///
/// # Errors
/// The first difference from the contract or the model.
pub fn drive(ports: &mut dyn WorkDistributorPorts, shape: Shape, seed: u64, grids: u32) -> Result<Report, Failure> {
    let fail = |wrong: String| Failure { shape, seed, wrong };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let percent = |random: &mut ChaCha8Rng| [0, 0, 20, 60, 95][random.random_range(0..5)];
    let stalls = Stalls {
        request: percent(&mut random),
        fetch: percent(&mut random),
        response: percent(&mut random),
        core: percent(&mut random),
    };
    let mut memory: Vec<u64> = (0..MEMORY_WORDS).map(|_| random.next_u64()).collect();
    let mut contract = WorkDistributorContract::new(shape);
    let mut report = Report::default();
    // Sets that each grid owes, by the grid's name.
    let mut owed: Vec<VecDeque<BlockSet>> = vec![VecDeque::new(); 256];
    let mut asked: VecDeque<u32> = VecDeque::new();
    let mut request: Option<Grid> = None;
    let (mut made, mut last_event, mut core_ready) = (0, 0, 0);
    let mut outputs = Outputs::default();
    while report.grids < u64::from(grids) {
        let closed = |random: &mut ChaCha8Rng, percent: u32| random.random_range(0..100) < percent;
        // After eight grids the memory is used up; it is used again when all of them are done.
        let quiet = report.grids == u64::from(made) && request.is_none();
        if request.is_none() && made < grids && (quiet || made % 8 != 0) && !closed(&mut random, stalls.request) {
            // Each of eight grids has an eighth of the memory for itself.
            let part = MEMORY_WORDS / 8;
            let from = made % 8 * part;
            request = Some(grid(&mut random, made as u8, &mut memory, from..from + part));
            made += 1;
        }
        for core in 0..shape.cores {
            if random.random_bool(0.5) {
                core_ready = core_ready & !(1 << core) | u64::from(!closed(&mut random, stalls.core)) << core;
            }
        }
        let response = asked.front().filter(|_| !closed(&mut random, stalls.response));
        let inputs = Inputs {
            request,
            fetch_ready: !closed(&mut random, stalls.fetch),
            response: response.map(|address| memory[*address as usize]),
            core_ready,
        };
        outputs = ports.settle(&inputs);
        let read = |address: u32| memory.get(address as usize).copied().unwrap_or(0);
        contract.observe(&inputs, &outputs, &read).map_err(|breach| fail(breach.to_string()))?;
        if inputs.response.is_some() && outputs.response_ready {
            asked.pop_front();
        }
        if let Some(address) = outputs.fetch.filter(|_| inputs.fetch_ready) {
            asked.push_back(address);
            report.fetches += 1;
        }
        if let Some((set, _)) = outputs.set.as_ref().filter(|(_, core)| core_ready >> core & 1 == 1) {
            let expected = owed[usize::from(set.grid)].pop_front();
            if expected.as_ref() != Some(set) {
                return Err(fail(format!("cycle {}: {set:?} instead of {expected:?}", report.cycles)));
            }
            report.sets += 1;
            last_event = report.cycles;
        }
        if outputs.done.is_some() {
            report.grids += 1;
            last_event = report.cycles;
        }
        if let Some(grid) = request.filter(|_| outputs.request_ready) {
            owed[usize::from(grid.grid)] = grid.sets(&read, shape.set).map(|(_, set)| set).collect();
            report.heads += u64::from(grid.head);
            request = None;
        }
        ports.tick();
        report.cycles += 1;
        if report.cycles - last_event > PATIENCE {
            return Err(fail(format!("nothing has happened since cycle {last_event}")));
        }
    }
    for _ in 0..4 {
        let idle = Inputs { fetch_ready: true, core_ready: u64::MAX, ..Inputs::default() };
        outputs = ports.settle(&idle);
        contract.observe(&idle, &outputs, &|_| 0).map_err(|breach| fail(breach.to_string()))?;
        ports.tick();
    }
    contract.finish(&outputs).map_err(|breach| fail(breach.to_string()))?;
    report.blocks = contract.blocks;
    Ok(report)
}
