//! Draws [grids](super::Launches): few blocks of each, some brief, some that keep tokens or words of local memory; where blocks may be suspended, once or again and again, at both ends of a run or anywhere, one or
//! several away at once.

use super::{Launches, Queued, LONGEST, PRIORITIES};
use heddle_sim::launch::WORD_FLAGS;
use heddle_sim::oracle::grid::program::Suspend;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Grids of an episode: more than the distributor's queue holds.
const GRIDS: std::ops::RangeInclusive<usize> = 2..=7;
/// Blocks that one of them launches, at most.
pub(super) const BLOCKS: u32 = 12;
/// The same of blocks that are brief: while one of them leaves, others come and go.
const BRIEF_BLOCKS: u32 = 96;
/// Blocks of a grid in y and z, at most.
const PLANE: u16 = 4;
/// And in x; a word has 64 flags, so rows of tables have up to three.
const ROW: u16 = 150;
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
pub(super) fn swept(random: &mut ChaCha8Rng, (warps, threads): (usize, usize)) -> Launches {
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
