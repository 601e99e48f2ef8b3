//! Grids that are not launched whole: tables of flags, ranges of up to three dimensions or of none, clusters, priorities, places in front of the queue (WD-01 to WD-06, WD-10). Which of its blocks
//! a grid launches is known from its flags alone; each thread adds one to the word of its grid and block.

use super::surroundings::PATIENCE;
use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides};
use heddle_sim::control_core::{ControlCore, CoreMachine, Setup};
use heddle_sim::engine::Configuration;
use heddle_sim::launch::{Grid, PrioritizedGrid, WORD_FLAGS};
use heddle_sim::machine::{RunOptions, SuspendOptions, Verdict};
use heddle_sim::oracle::grid::program::Suspend;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Grids of an episode: more than the distributor's queue holds.
const GRIDS: std::ops::RangeInclusive<usize> = 2..=7;
/// Blocks that one of them launches, at most.
const BLOCKS: u32 = 12;
/// The same of blocks that are brief: while one of them leaves, others come and go.
const BRIEF_BLOCKS: u32 = 96;
/// Blocks of a grid in y and z, at most.
const PLANE: u16 = 4;
/// And in x; a word has 64 flags, so rows of tables have up to three.
const ROW: u16 = 150;
/// Priorities that are drawn: those that the smallest scheduler knows.
const PRIORITIES: u16 = 64;
/// Cycles from one suspension to the next, at most: a block that runs for so few in between is asked to leave again near its end.
const PAUSE: u64 = 40;
/// The same of blocks that are brief: each is asked several times, and comes to its end a few cycles behind one of them.
const BRIEF_PAUSE: u64 = 12;
/// Tokens that each warp keeps, if it keeps any: more than the smallest windows of a core that suspends blocks hold, so that some are in memory when it leaves, or fewer.
const NEST: std::ops::Range<u16> = 28..64;
/// Blocks that may be away at once, where there may be several: more than there are rows of local memory for.
const AWAY: std::ops::RangeInclusive<u16> = 2..=20;
/// Tokens of a sweep: a few more than fit a window, so that giving up those in memory takes a warp longer than the barrier scheduler has to do with its end.
const SWEEP_NEST: std::ops::Range<u16> = 33..40;
/// One of so many queues whose blocks are suspended is swept.
const SWEPT: u32 = 4;
/// One of so many queues whose blocks are suspended takes all rows of local memory that there are: its blocks have all warps, and several are away at once.
const ROWS_TAKEN: u32 = 4;
/// Suspensions of such a queue: enough for all rows.
const UNTIL_TAKEN: std::ops::Range<u32> = 4..12;
/// Over so many cycles at both ends: the first warp is launched within them, and what is left behind the end of the last takes fewer.
const SWEEP: u64 = 16;
/// A run that takes longer has failed.
const LONGEST: u64 = 200_000;

/// A grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// Blocks in x, y and z.
    pub range: [u16; 3],
    /// Its table, words of 64 flags as they lie in memory, padding included; none launches every block.
    pub table: Option<Vec<u64>>,
    /// Size of a cluster, if it is cut into any.
    pub cluster: Option<[u16; 3]>,
    /// It goes in front of those that wait.
    pub head: bool,
    /// Priority of its warps.
    pub priority: u16,
}

/// Grids that are requested one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launches {
    /// Threads of each block.
    pub block_threads: u16,
    /// The grids.
    pub grids: Vec<Queued>,
    /// When a block is suspended, if one is.
    pub suspend: Option<Suspend>,
    /// Cycles from the end of one suspension to the next.
    pub pause: u64,
    /// Tokens that each warp pushes before anything else, and keeps to its end; a warp that keeps any does not yield, which would give them away.
    pub nest: u16,
    /// So many blocks may be away at once.
    pub away: u16,
    /// Each thread keeps a word in local memory, and counts itself only if it still finds it there.
    pub local: bool,
    /// Each block configures a barrier, at which nobody ever waits: the barrier scheduler is told of each block that comes, leaves, or ends.
    pub barriers: bool,
    /// Each thread ends as soon as it has counted itself: the shorter blocks are, the more of them are asked to leave as they end, or as others are launched.
    pub brief: bool,
    /// If not 0, they run again and again, and a block is asked to leave in each of so many cycles from the first on, in each of as many before the last, which is known from a run undisturbed, and in
    /// as many in between if there are several blocks, of which one may be launched as another leaves.
    pub sweep: u64,
}

/// What was counted; the same from every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchStatistics {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions that warps issued.
    pub instructions: u64,
    /// Grids that were requested.
    pub grids: u64,
    /// Those that are cut into clusters.
    pub clustered: u64,
    /// Words of tables that were fetched.
    pub table_words: u64,
    /// Blocks that were launched.
    pub blocks: u64,
    /// Blocks that were suspended.
    pub suspended: u64,
    /// Windows some of whose tokens went to memory.
    pub spilled: u64,
    /// Words of local memory that were copied for those that were suspended.
    pub copied: u64,
    /// Runs in which several were away at once.
    pub several_away: u64,
}

/// The count of runs in which several blocks were away at once.
pub const SEVERAL_AWAY: &str = "runs with several blocks away";

impl LaunchStatistics {
    /// Those of two runs, one behind the other.
    const fn and(self, next: &Self) -> Self {
        Self {
            cycles: self.cycles + next.cycles,
            instructions: self.instructions + next.instructions,
            grids: self.grids + next.grids,
            clustered: self.clustered + next.clustered,
            table_words: self.table_words + next.table_words,
            blocks: self.blocks + next.blocks,
            suspended: self.suspended + next.suspended,
            spilled: self.spilled + next.spilled,
            copied: self.copied + next.copied,
            several_away: self.several_away + next.several_away,
        }
    }

    /// Every count with its name.
    pub const fn counts(&self) -> [(&'static str, u64); 10] {
        [
            ("cycles", self.cycles),
            ("instructions issued", self.instructions),
            ("grids requested", self.grids),
            ("grids with clusters", self.clustered),
            ("words of flags fetched", self.table_words),
            ("thread blocks", self.blocks),
            ("blocks suspended", self.suspended),
            ("windows spilled", self.spilled),
            ("local words copied", self.copied),
            (SEVERAL_AWAY, self.several_away),
        ]
    }
}

/// A range of few blocks, `most` of them, or a large one of which a table picks few.
fn range(random: &mut ChaCha8Rng, predicated: bool, most: u32) -> [u16; 3] {
    loop {
        let x = match random.random_range(0..3) {
            0 if predicated => random.random_range(60..=ROW),
            _ => random.random_range(1..=8),
        };
        let mut range = [x, random.random_range(1..=PLANE), random.random_range(1..=PLANE)];
        if random.random_range(0..12) == 0 {
            range[random.random_range(0..3)] = 0;
        }
        if predicated || range.iter().map(|size| u32::from(*size)).product::<u32>() <= most {
            return range;
        }
    }
}

/// A table of few flags, with noise behind the end of each row.
fn table(random: &mut ChaCha8Rng, range: [u16; 3], most: u32) -> Vec<u64> {
    let flags = u64::from(WORD_FLAGS);
    let [x, rows] = [u64::from(range[0]), u64::from(range[1]) * u64::from(range[2])];
    let words_of_row = x.div_ceil(flags);
    let mut words: Vec<u64> = (0..rows * words_of_row)
        .map(|word| match (x - word % words_of_row * flags).min(flags) {
            64 => 0,
            used => random.next_u64() << used,
        })
        .collect();
    if x * rows > 0 {
        for _ in 0..random.random_range(0..=most) {
            let (row, index) = (random.random_range(0..rows), random.random_range(0..x));
            words[(row * words_of_row + index / flags) as usize] |= 1 << (index % flags);
        }
    }
    words
}

fn queued(random: &mut ChaCha8Rng, most: u32) -> Queued {
    let predicated = random.random_range(0..3) > 0;
    let range = range(random, predicated, most);
    Queued {
        range,
        table: predicated.then(|| table(random, range, most)),
        cluster: (random.random_range(0..3) == 0).then(|| std::array::from_fn(|_| random.random_range(0..=3))),
        head: random.random_range(0..4) == 0,
        priority: random.random_range(0..PRIORITIES),
    }
}

/// Often one suspension behind the other, or as soon as there is a block: these blocks are short, and some are asked to leave as they begin or end. Warps need time for a `nest`.
fn suspend(random: &mut ChaCha8Rng, nest: u16, brief: bool) -> Suspend {
    let times = match brief {
        true => random.random_range(40..90),
        false if random.random() => random.random_range(10..60),
        false => random.random_range(1..4),
    };
    let at = match nest {
        0 if random.random() => 0,
        0 => random.random_range(0..600),
        _ => random.random_range(0..3_000),
    };
    Suspend { at, times }
}

/// One warp some of whose tokens are in memory, or several brief blocks; one of those that there are is asked to leave in each cycle of the beginning, and of the end.
fn swept(random: &mut ChaCha8Rng, (warps, threads): (usize, usize)) -> Launches {
    let nest = if random.random_range(0..3) > 0 { random.random_range(SWEEP_NEST) } else { 0 };
    let warps_of_block = if nest > 0 { 1 } else { random.random_range(1..=warps) };
    let blocks = if nest > 0 { 1 } else { random.random_range(1..=BLOCKS) as u16 };
    Launches {
        block_threads: random.random_range(1..=warps_of_block * threads) as u16,
        grids: vec![Queued { range: [blocks, 1, 1], table: None, cluster: None, head: false, priority: 0 }],
        suspend: Some(Suspend { at: LONGEST, times: 1 }),
        pause: 0,
        nest,
        away: 1,
        local: nest == 0 || random.random(),
        barriers: nest > 0 || random.random(),
        brief: true,
        sweep: SWEEP,
    }
}

/// Draws grids for a core of so many warps of so many threads; `suspends` if a block is to be suspended on the way.
pub fn draw(random: &mut ChaCha8Rng, (warps, threads): (usize, usize), suspends: bool) -> Launches {
    if suspends && random.random_range(0..SWEPT) == 0 {
        return swept(random, (warps, threads));
    }
    let takes_rows = suspends && random.random_range(0..ROWS_TAKEN) == 0;
    // Several blocks at once, most of the time; but one that is to leave while it is launched has to have several warps.
    let warps_of_block = match random.random_range(0..4) {
        _ if takes_rows => warps,
        0 => warps,
        1 if suspends => random.random_range(1..=warps),
        _ => 1,
    };
    let grids = random.random_range(GRIDS);
    let fewest = if takes_rows { (warps - 1) * threads + 1 } else { 1 };
    let block_threads = random.random_range(fewest..=warps_of_block * threads) as u16;
    let brief = suspends && !takes_rows && random.random_range(0..3) > 0;
    let most = if brief { BRIEF_BLOCKS } else { BLOCKS };
    let grids = (0..grids).map(|_| queued(random, most)).collect();
    let nest = if suspends && !brief && random.random() { random.random_range(NEST) } else { 0 };
    let mut suspend = suspends.then(|| suspend(random, nest, brief));
    if let Some(suspend) = suspend.as_mut().filter(|_| takes_rows) {
        suspend.times = random.random_range(UNTIL_TAKEN);
    }
    let often = |random: &mut ChaCha8Rng| suspends && random.random_range(0..4) > 0;
    let pause = if often(random) { random.random_range(0..if brief { BRIEF_PAUSE } else { PAUSE }) } else { 0 };
    // Without barriers blocks leave soon, and slots are free at once, so that others are launched in any cycle of that.
    let barriers = if brief { random.random_range(0..3) == 0 } else { often(random) };
    let away = if takes_rows || often(random) { random.random_range(AWAY) } else { 1 };
    // Who is asked to leave at once may have no row yet, for the table of rows is cleared in the first cycles.
    let at_once = suspend.is_some_and(|suspend| suspend.at == 0);
    let local = takes_rows || at_once || suspends && random.random();
    Launches { block_threads, grids, suspend, pause, nest, away, local, barriers, brief, sweep: 0 }
}

impl Queued {
    /// Whether a block of its range is launched (WD-05).
    fn launches(&self, [x, y, z]: [u32; 3]) -> bool {
        let Some(table) = &self.table else { return true };
        let (words_of_row, row) = (u32::from(self.range[0]).div_ceil(WORD_FLAGS), z * u32::from(self.range[1]) + y);
        let word = row * words_of_row + x / WORD_FLAGS;
        table.get(word as usize).is_some_and(|word| word >> (x % WORD_FLAGS) & 1 == 1)
    }

    /// Words of a table for its range.
    fn table_words(&self) -> usize {
        let [x, y, z] = self.range.map(usize::from);
        x.div_ceil(WORD_FLAGS as usize) * y * z
    }
}

impl Launches {
    /// The kernel: first in memory are the tables, one behind the other, then a word a block of each grid. Each grid begins at an instruction of its own, by which it finds its words. Neighbours run
    /// for different times.
    fn text(&self) -> String {
        let size = |dimension: usize| self.grids.iter().map(|grid| grid.range[dimension]).max().unwrap_or(0).max(1);
        let [x, y, z] = [0, 1, 2].map(size);
        let table_words: usize = self.grids.iter().flat_map(|grid| &grid.table).map(Vec::len).sum();
        let mut text = format!(".memory tables, {}\n", 2 * table_words.max(1));
        for grid in 0..self.grids.len() {
            writeln!(text, ".memory ran{grid}, {x} * {y} * {z}").expect("text");
        }
        write!(text, ".grid {x}, {y}, {z}\n.block {}\n", self.block_threads).expect("text");
        text += if self.local { ".local 4\n" } else { "" };
        for grid in 0..self.grids.len() {
            write!(text, "        PARAM R1, ran{grid}\n        BRA run\n").expect("text");
        }
        text += "run:\n";
        if self.barriers {
            text += "        MOV     R6, 1\n        BARRIER.CONF 0, condition 3, reference R6\n";
        }
        if self.local {
            text += "        S2R     R7, %logical
        IADD    R7, R7, 1
        ST.LOCAL.W [RZ], R7
";
        }
        if self.nest > 0 {
            writeln!(text, "        MOV     R5, {}", self.nest).expect("text");
            text += "deeper:
        SSY     out
        IADD    R5, R5, -1
        ISETP.NE.U P1, R5, 0
        @P1 BRA deeper
";
        }
        text += "        S2R     R0, %cta
        IMAD    R1, R0, 4, R1
        MOV     R2, 1
";
        // No thread's word is 0.
        text += if self.local { "        MOV     R9, 0\n" } else { "" };
        let guard = if self.brief { "" } else { "@P0 " };
        let count = match self.local {
            true => format!(
                "        {guard}LD.LOCAL.W R9, [RZ]
        ISETP.EQ.U P2, R9, R7
        @P2 ATOM.GLOBAL.ADD R3, [R1], R2
"
            ),
            false => format!("        {guard}ATOM.GLOBAL.ADD R3, [R1], R2\n"),
        };
        if self.brief {
            return text + &count + "out:    EXIT\n";
        }
        text += "        S2R     R4, %logical
        IADD    R4, R4, R0
        AND     R4, R4, 7
turn:
        ISETP.EQ.U P0, R4, 0
";
        text += &count;
        text += "        @P0 EXIT
        IADD    R4, R4, -1
";
        text += if self.nest > 0 { "" } else { "        YIELD\n" };
        // Nobody gets to `out`: when the last thread ends, what is left of the tokens is given up.
        text + "        BRA     turn
out:    EXIT
"
    }

    /// What a core is asked for, in order; the tables lie one behind the other from address 0 on.
    fn requests(&self) -> Vec<PrioritizedGrid> {
        let mut next_table = 0;
        let request = |(number, queued): (usize, &Queued)| {
            let table = queued.table.as_ref().map(|words| {
                next_table += words.len() as u32;
                next_table - words.len() as u32
            });
            let Queued { range, cluster, head, priority, .. } = *queued;
            // Two instructions lead from each entry to what all run.
            let grid = Grid { program: 2 * number as u32, grid: number as u8, table, range, cluster, head };
            PrioritizedGrid { grid, priority }
        };
        self.grids.iter().enumerate().map(request).collect()
    }

    /// Assembled, with its tables in memory.
    ///
    /// # Errors
    /// What is no test: a file that somebody has changed.
    pub fn prepare(&self) -> Result<PreparedLaunches, String> {
        for (number, grid) in self.grids.iter().enumerate() {
            let fits = grid.table.as_ref().is_none_or(|table| table.len() == grid.table_words());
            if !fits || grid.priority >= PRIORITIES {
                return Err(format!("grid {number} has no table of its range, or no priority of the core"));
            }
        }
        let kernel = assemble(&self.text(), "launches.s").map_err(|errors| format!("{errors:?}"))?;
        let mut launch = kernel.launch(&Overrides::default()).map_err(|cause| cause.to_string())?;
        let tables = self.grids.iter().flat_map(|grid| grid.table.iter().flatten());
        for (place, word) in launch.global.chunks_exact_mut(8).zip(tables) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(PreparedLaunches { launches: self.clone(), kernel, launch })
    }
}

/// The cycles of a [sweep](Launches::sweep) over a run undisturbed.
fn moments(sweep: u64, undisturbed: &LaunchStatistics) -> Vec<u64> {
    let end = undisturbed.cycles;
    let between = if undisturbed.blocks > 1 { sweep } else { 0 };
    let before_the_end = (1..=sweep).map(|sooner| end.saturating_sub(sooner));
    (0..sweep).chain(before_the_end).chain((1..=between).map(|part| end * part / (between + 1))).collect()
}

/// Grids that are ready to run.
pub struct PreparedLaunches {
    launches: Launches,
    kernel: Kernel,
    launch: Launch,
}

impl PreparedLaunches {
    /// How many threads have run of a block, if everything goes well.
    fn expected(&self, grid: &Queued, block: [u32; 3]) -> u32 {
        let inside = block.iter().zip(grid.range).all(|(index, size)| *index < u32::from(size));
        u32::from(inside && grid.launches(block)) * u32::from(self.launches.block_threads)
    }

    /// Runs them on a core that `build` makes, one for each run of a sweep, which ends with the run behind which something is `wrong`.
    ///
    /// # Errors
    /// What went wrong with the blocks.
    pub fn run(
        &self,
        configuration: Configuration,
        build: &dyn Fn(&Setup) -> Box<dyn ControlCore>,
        wrong: &dyn Fn() -> bool,
    ) -> Result<LaunchStatistics, String> {
        let Launches { suspend, pause, away, brief, sweep, .. } = self.launches;
        let suspend = suspend.map(|Suspend { at, times }| SuspendOptions {
            times,
            pause,
            away: away.into(),
            // Brief blocks would be gone before so many slots without one have been asked for.
            vacant: if brief { 0 } else { 2 + times / 2 },
            ..SuspendOptions::at(at)
        });
        let mut statistics = self.run_once(configuration, build, suspend)?;
        for at in moments(sweep, &statistics) {
            if wrong() {
                break;
            }
            let suspend = suspend.map(|suspend| SuspendOptions { at, ..suspend });
            let again =
                self.run_once(configuration, build, suspend).map_err(|what| format!("asked at {at}: {what}"))?;
            statistics = statistics.and(&again);
        }
        Ok(statistics)
    }

    /// One run.
    fn run_once(
        &self,
        configuration: Configuration,
        build: &dyn Fn(&Setup) -> Box<dyn ControlCore>,
        suspend: Option<SuspendOptions>,
    ) -> Result<LaunchStatistics, String> {
        let options = RunOptions { max_cycles: LONGEST, barrier_patience: PATIENCE, suspend, ..RunOptions::default() };
        let core = build(&CoreMachine::setup(&self.kernel, &self.launch, configuration, &options));
        let machine = CoreMachine::new(&self.kernel, &self.launch, core, options).map_err(|cause| cause.to_string())?;
        let requests = self.launches.requests();
        let clustered = requests.iter().filter(|request| request.grid.cluster.is_some()).count() as u64;
        let machine = machine.with_grids(requests).map_err(|cause| cause.to_string())?;
        let outcome = machine.run(&|| false, &mut |_| ());
        if outcome.verdict != Verdict::Completed {
            return Err(format!("{}: {}", outcome.verdict.name(), outcome.verdict.explain()));
        }
        let blocks = self.judge(&outcome.global)?;
        let counters = &outcome.counters;
        if counters.blocks_launched != blocks {
            return Err(format!("{} blocks were launched, {blocks} should have been", counters.blocks_launched));
        }
        Ok(LaunchStatistics {
            cycles: counters.cycles,
            instructions: counters.instructions.total(),
            grids: self.launches.grids.len() as u64,
            clustered,
            table_words: counters.table_words,
            blocks,
            suspended: counters.suspensions.suspended,
            spilled: counters.exceptions.spill,
            copied: counters.context.copied,
            several_away: u64::from(counters.suspensions.most_away > 1),
        })
    }

    /// Holds each block's word against the table of its grid: how many blocks ran.
    fn judge(&self, global: &[u8]) -> Result<u64, String> {
        let mut blocks = 0;
        for (number, grid) in self.launches.grids.iter().enumerate() {
            let name = format!("ran{number}");
            let found = self.launch.words_of(&name, global).ok_or_else(|| format!("memory has no {name}"))?;
            for (place, found) in (0..).zip(found) {
                let block = self.launch.cta(place);
                let expected = self.expected(grid, block);
                if found != expected {
                    return Err(format!("{found} threads of block {block:?} of grid {number} ran, not {expected}"));
                }
                blocks += u64::from(expected > 0);
            }
        }
        Ok(blocks)
    }
}

#[cfg(test)]
mod tests;
