//! Random grids, tables, stalls and insertions for a work distributor in any form, named by a seed (XV-02).
//!
//! [`Traffic`] is what stands around the block: it makes the inputs of each cycle and judges its outputs by [`super::contract`] and by the
//! sets of [`Grid::sets`]. [`drive`] ties it to a [`WorkDistributor`].

use super::contract::WorkDistributorContract;
use crate::launch::{BlockSet, Grid, Inputs, Outputs, Shape, WorkDistributor, WORD_FLAGS};
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Cycles without any event at the ports, all of which are open now and then, after which a distributor is stuck.
const PATIENCE: u64 = 20_000;

/// Cycles at the end in which nothing may happen any more.
const QUIET: u32 = 4;

/// Bits of an address below those that name a grid: each has a part of the memory for itself.
const PART_BITS: u32 = 24;

/// What a long run meets at least once.
pub const EVENTS: &[&str] = &[
    "queue is full",
    "fetch waits for the memory",
    "answer waits",
    "set waits for a core",
    "core of a cluster drops ready",
    "fetches at the limit",
    "several grids wait",
    "insertion before grids that wait",
    "range of zero",
    "grid without a table",
    "clear table",
    "full table",
    "clusters that do not divide",
    "table across the end of memory",
];

/// How often each port is closed, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    request: u32,
    fetch: u32,
    response: u32,
    core: u32,
}

/// The set-up of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Names the stalls.
    pub seed: u64,
    /// How many there are.
    pub stalls: Stalls,
}

/// A grid that is requested, with the words of its table, the first at the grid's base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The request.
    pub grid: Grid,
    /// The table.
    pub table: Vec<u64>,
}

/// How a random run went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// How often each of [`EVENTS`] was met.
    pub met: BTreeMap<&'static str, u64>,
}

impl Report {
    fn meet(&mut self, event: &'static str, met: bool) {
        *self.met.entry(event).or_default() += u64::from(met);
    }
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

/// A size: mostly small, often at an edge of a word.
fn size(random: &mut ChaCha8Rng, most: u32) -> u16 {
    let edges = [0, 1, 2, 63, 64, 65, 127, 128, 129];
    let any = match random.random_range(0..4) {
        0 => edges[random.random_range(0..edges.len())],
        _ => random.random_range(1..=most),
    };
    any.min(most) as u16
}

/// A random grid. Its name picks the part of the memory in which its table lies.
fn plan(random: &mut ChaCha8Rng, name: u8) -> Plan {
    let dimensions = random.random_range(1..=3);
    let mut range = [size(random, 140), size(random, 6), size(random, 4)];
    range[dimensions..].fill(1);
    let mut sizes: [u16; 3] = std::array::from_fn(|_| random.random_range(0..10));
    if random.random_bool(0.3) {
        sizes[0] = random.random_range(0..140);
    }
    if random.random_bool(0.2) {
        // Clusters that reach far beyond the grid.
        sizes = std::array::from_fn(|_| random.random());
    }
    let cluster = random.random_bool(0.5).then_some(sizes);
    let words = u32::from(range[0]).div_ceil(WORD_FLAGS) * u32::from(range[1]) * u32::from(range[2]);
    // Grids are few enough for one of them to have both ends of the memory.
    let base = match name {
        0 => u32::MAX - random.random_range(0..words.max(1)),
        _ => u32::from(name) << PART_BITS | random.random_range(1 << 12..1 << (PART_BITS - 1)),
    };
    let table = random.random_bool(0.85).then_some(base);
    let style = random.random_range(0..6);
    let words = (0..words).map(|_| match style {
        0 => 0,
        1 => u64::MAX,
        2 => random.next_u64(),
        3 => random.next_u64() & random.next_u64() & random.next_u64() & random.next_u64(),
        // Whole words clear between others.
        4 => random.next_u64() * u64::from(random.random_bool(0.3)),
        _ => 1 << random.random_range(0..64),
    });
    let words = words.collect();
    let program = random.random_range(0..1 << 22);
    let grid = Grid { program, grid: name, table, range, cluster, head: random.random_bool(0.25) };
    Plan { grid, table: words }
}

/// Stalls and up to 255 grids.
pub fn scenario(seed: u64, grids: u8) -> (Settings, Vec<Plan>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut percent = || [0, 0, 20, 60, 95].choose(&mut random).copied().unwrap_or(0);
    let stalls = Stalls { request: percent(), fetch: percent(), response: percent(), core: percent() };
    (Settings { seed, stalls }, (0..grids).map(|name| plan(&mut random, name)).collect())
}

/// What a grid that was accepted owes: its sets, each with its cluster.
type Owed = VecDeque<(u64, BlockSet)>;

/// The surroundings of a work distributor.
pub struct Traffic {
    shape: Shape,
    stalls: Stalls,
    random: ChaCha8Rng,
    contract: WorkDistributorContract,
    report: Report,
    plans: VecDeque<Plan>,
    wanted: u64,
    memory: BTreeMap<u32, u64>,
    owed: BTreeMap<u8, Owed>,
    /// Addresses of the words that were asked for and not given.
    asked: VecDeque<u32>,
    answering: bool,
    inputs: Inputs,
    /// Grid and cluster of the last set that was taken.
    last: Option<(u8, u64)>,
    last_event: u64,
    quiet: u32,
}

impl Traffic {
    /// Around a distributor that was just reset. Grids have different names.
    pub fn new(shape: Shape, settings: &Settings, plans: &[Plan]) -> Self {
        Self {
            shape,
            stalls: settings.stalls,
            random: ChaCha8Rng::seed_from_u64(settings.seed),
            contract: WorkDistributorContract::new(shape),
            report: Report::default(),
            plans: plans.iter().cloned().collect(),
            wanted: plans.len() as u64,
            memory: BTreeMap::new(),
            owed: BTreeMap::new(),
            asked: VecDeque::new(),
            answering: false,
            inputs: Inputs::default(),
            last: None,
            last_event: 0,
            quiet: 0,
        }
    }

    /// Everything was asked and answered.
    pub fn finished(&self) -> bool {
        self.quiet == QUIET
    }

    /// How it went so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Grids that were offered.
    pub fn offered(&self, of: usize) -> usize {
        of - self.plans.len()
    }

    fn open(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) >= percent
    }

    /// The inputs of the next cycle. What was valid and not taken stays.
    pub fn inputs(&mut self) -> &Inputs {
        let stalls = self.stalls;
        let offers = self.open(stalls.request);
        if self.inputs.request.is_none() && offers {
            if let Some(plan) = self.plans.pop_front() {
                let base = plan.grid.table.unwrap_or(0);
                let words = (0..).zip(&plan.table).map(|(offset, word)| (base.wrapping_add(offset), *word));
                self.memory.extend(words.filter(|_| plan.grid.table.is_some()));
                self.inputs.request = Some(plan.grid);
            }
        }
        for core in 0..self.shape.cores {
            if self.random.random_bool(0.5) {
                let open = u64::from(self.open(stalls.core));
                self.inputs.core_ready = self.inputs.core_ready & !(1 << core) | open << core;
            }
        }
        self.inputs.fetch_ready = self.open(stalls.fetch);
        let answers = self.open(stalls.response);
        self.answering |= answers && !self.asked.is_empty();
        let address = self.asked.front().filter(|_| self.answering);
        self.inputs.response = address.map(|address| self.memory.get(address).copied().unwrap_or(0));
        &self.inputs
    }

    /// Judges the settled cycle.
    ///
    /// # Errors
    /// The first difference from the contract or the model, or that nothing happens any more.
    pub fn observe(&mut self, outputs: &Outputs) -> Result<(), String> {
        let inputs = self.inputs.clone();
        let memory = &self.memory;
        let read = |address: u32| memory.get(&address).copied().unwrap_or(0);
        self.contract.observe(&inputs, outputs, &read).map_err(|breach| breach.to_string())?;
        self.report.meet("answer waits", inputs.response.is_some() && !outputs.response_ready);
        if inputs.response.is_some() && outputs.response_ready {
            self.asked.pop_front();
            self.answering = false;
        }
        self.report.meet("fetch waits for the memory", outputs.fetch.is_some() && !inputs.fetch_ready);
        if let Some(address) = outputs.fetch.filter(|_| inputs.fetch_ready) {
            self.asked.push_back(address);
            self.report.fetches += 1;
            self.last_event = self.report.cycles;
            self.report.meet("fetches at the limit", self.asked.len() == self.shape.fetches);
        }
        if let Some((set, core)) = &outputs.set {
            self.set(set, inputs.core_ready >> core & 1 == 1)?;
        }
        if outputs.done.is_some() {
            self.report.grids += 1;
            self.last_event = self.report.cycles;
        }
        let waits = inputs.request.is_some() && !outputs.request_ready;
        self.report.meet("queue is full", waits);
        if let Some(grid) = inputs.request.filter(|_| outputs.request_ready) {
            self.accepted(grid);
        }
        self.report.cycles += 1;
        if self.report.cycles - self.last_event > PATIENCE {
            return Err(format!("nothing has happened since cycle {}", self.last_event));
        }
        if self.report.grids == self.wanted {
            self.quiet += 1;
            if self.finished() {
                self.contract.finish(outputs).map_err(|breach| breach.to_string())?;
                self.report.blocks = self.contract.blocks;
            }
        }
        Ok(())
    }

    /// A set is shown.
    fn set(&mut self, set: &BlockSet, taken: bool) -> Result<(), String> {
        let owed = self.owed.entry(set.grid).or_default();
        let Some((cluster, _)) = owed.front().filter(|(_, expected)| expected == set) else {
            let expected = owed.front();
            return Err(format!("cycle {}: {set:?} instead of {expected:?}", self.report.cycles));
        };
        let place = (set.grid, *cluster);
        if taken {
            owed.pop_front();
            self.report.sets += 1;
            self.last_event = self.report.cycles;
            self.last = Some(place);
        } else {
            let bound = self.last == Some(place) && self.contract.cuts();
            self.report.meet("core of a cluster drops ready", bound);
        }
        self.report.meet("set waits for a core", !taken);
        Ok(())
    }

    /// A grid is in the queue.
    fn accepted(&mut self, grid: Grid) {
        let memory = &self.memory;
        let read = |address: u32| memory.get(&address).copied().unwrap_or(0);
        let owed: Owed = grid.sets(&read, self.shape.set).map(|(strip, set)| (strip.cluster, set)).collect();
        let flags: u64 = owed.iter().map(|(_, set)| set.x.len() as u64).sum();
        let blocks: u64 = grid.range.iter().map(|range| u64::from(*range)).product();
        let cut = grid.cluster.unwrap_or([0; 3]).into_iter().zip(grid.range);
        let rest = cut.into_iter().any(|(size, range)| size != 0 && size < range && range % size != 0);
        // The contract has counted this one already.
        let wait = self.contract.waiting() > 1;
        let report = &mut self.report;
        report.meet("several grids wait", wait);
        report.meet("insertion before grids that wait", wait && grid.head);
        report.meet("range of zero", blocks == 0);
        report.meet("grid without a table", grid.table.is_none());
        report.meet("clear table", grid.table.is_some() && blocks > 0 && flags == 0);
        report.meet("full table", grid.table.is_some() && blocks > 0 && flags == blocks);
        report.meet("clusters that do not divide", rest && flags > 0);
        let words = grid.row_words() * u32::from(grid.range[1]) * u32::from(grid.range[2]);
        let wraps = grid.table.is_some_and(|base| words > 0 && base.checked_add(words - 1).is_none());
        report.meet("table across the end of memory", wraps);
        self.owed.insert(grid.grid, owed);
        self.inputs.request = None;
    }
}

/// Runs `grids` random grids through a distributor that was just reset.
///
/// # Errors
/// The first difference from the contract or the model.
pub fn drive(ports: &mut dyn WorkDistributor, shape: Shape, seed: u64, grids: u8) -> Result<Report, Failure> {
    let (settings, plans) = scenario(seed, grids);
    let mut traffic = Traffic::new(shape, &settings, &plans);
    while !traffic.finished() {
        let outputs = ports.settle(traffic.inputs());
        traffic.observe(&outputs).map_err(|wrong| Failure { shape, seed, wrong })?;
        ports.tick();
    }
    Ok(traffic.report)
}
