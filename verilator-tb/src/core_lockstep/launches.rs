//! Grids that are not launched whole: tables of flags, ranges of up to three dimensions or of none, clusters, priorities, places in front of the queue (WD-01 to WD-06, WD-10). Which of its blocks
//! a grid launches is known from its flags alone; each thread adds one to the word of its grid and block.

use super::surroundings::PATIENCE;
use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides};
use heddle_sim::control_core::{ControlCore, CoreMachine, Setup};
use heddle_sim::engine::Configuration;
use heddle_sim::launch::{Grid, PrioritizedGrid, WORD_FLAGS};
use heddle_sim::machine::{RunOptions, SuspendOptions, Verdict};
use heddle_sim::oracle::grid::program::Suspend;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

mod drawn;

pub use drawn::draw;

/// Priorities that are drawn: those that the smallest scheduler knows.
const PRIORITIES: u16 = 64;
/// A run that takes longer has failed. The longest are those of many blocks that take all warps, each with many tokens: `xv_02_the_longest_run_has_time_to_end` holds them against it.
const LONGEST: u64 = 1_000_000;

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
