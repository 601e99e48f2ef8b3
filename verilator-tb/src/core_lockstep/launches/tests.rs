//! Grids are drawn, run and judged as they should be; what of theirs is swept meets what it should.

use super::drawn::{swept, BLOCKS};
use super::*;
use crate::core_lockstep::episode::{Episode, Topic, Work};
use crate::core_lockstep::trial::Trial;
use crate::core_lockstep::watched::Watched;
use crate::core_lockstep::{CORES, SUSPENDING};
use crate::lockstep::rig::Contestant;
use crate::verilated::Start;
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn plain(range: [u16; 3], table: Option<Vec<u64>>) -> Queued {
    Queued { range, table, cluster: None, head: false, priority: 0 }
}

/// No fewer instructions than their warps issue on a core of warps of so many threads; `cx_09_a_nest_goes_to_memory` holds it against what they do.
fn instructions(launches: &Launches, threads: u64) -> u64 {
    let Launches { block_threads, nest, brief, .. } = *launches;
    // Four for each token; a turn takes eight, and the last thread of a warp waits for seven.
    let of_warp = 20 + 4 * u64::from(nest) + if brief { 0 } else { 8 * 8 };
    let blocks = |grid: &Queued| {
        let [x, y, z] = grid.range.map(u32::from);
        let places = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
        places.filter(|place| grid.launches(*place)).count() as u64
    };
    launches.grids.iter().map(blocks).sum::<u64>() * u64::from(block_threads).div_ceil(threads) * of_warp
}

/// XV-02: whatever is drawn has time to end: in surroundings that answer late a core whose blocks take all warps needs four to six cycles for an instruction.
#[test]
fn xv_02_the_longest_run_has_time_to_end() {
    /// A few more than that.
    const CYCLES_OF_INSTRUCTION: u64 = 8;
    let drawn = (0..4_000).map(|seed| draw(&mut ChaCha8Rng::seed_from_u64(seed), (4, 32), true));
    let most = drawn.map(|launches| instructions(&launches, 32)).max().expect("some");
    assert!((50_000..LONGEST / CYCLES_OF_INSTRUCTION).contains(&most), "{most} instructions");
}

/// XV-02, CX-09: of grids whose blocks are suspended, some are once or a few times, others again and again, some as soon as a warp of several is launched; of some the warps have
/// tokens in memory. Those that are not to be suspended are not.
#[test]
fn xv_02_suspensions_follow_each_other() {
    let drawn = |suspends| (0..200).map(move |seed| draw(&mut ChaCha8Rng::seed_from_u64(seed), (4, 32), suspends));
    let some = |what: &dyn Fn(&Launches, Suspend) -> bool| {
        let those = drawn(true).filter(|launches| what(launches, launches.suspend.expect("it is to be")));
        assert!(those.count() > 8);
    };
    some(&|_, suspend| suspend.times < 4);
    some(&|_, suspend| suspend.times > 9);
    some(&|launches, suspend| suspend.at == 0 && launches.block_threads > 32);
    some(&|launches, _| launches.nest > 32);
    some(&|launches, _| launches.nest == 0);
    some(&|launches, _| launches.pause > 20);
    some(&|launches, _| launches.away > 12);
    some(&|launches, _| launches.away == 1);
    some(&|launches, _| launches.local && launches.brief);
    some(&|launches, _| launches.local && launches.away > 4 && launches.block_threads > 96);
    some(&|launches, _| !launches.local);
    some(&|launches, _| launches.barriers);
    some(&|launches, _| !launches.barriers);
    some(&|launches, suspend| launches.brief && launches.barriers && suspend.times > 9);
    some(&|launches, _| !launches.brief);
    some(&|launches, _| launches.sweep > 0 && launches.nest == 0 && launches.grids[0].range[0] > 3);
    some(&|launches, _| launches.sweep > 0 && launches.nest > 32 && launches.block_threads < 32);
    assert!(drawn(false).all(|launches| launches.suspend.is_none()
        && launches.pause + u64::from(launches.nest) == 0
        && launches.sweep == 0
        && launches.away == 1
        && !(launches.barriers || launches.brief || launches.local)));
}

/// CX-09, DQ-11: warps that keep more tokens than a window holds have some in memory, where a block of them is suspended as well; and only a kernel that is to has barriers.
#[test]
fn cx_09_a_nest_goes_to_memory() {
    let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
    let simulations = || vec![Contestant::kernels(&entry)];
    let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: false };
    for (nest, barriers, brief) in [(0, true, false), (28, false, true), (63, false, false), (63, true, true)] {
        let launches = Launches {
            block_threads: 40,
            grids: vec![plain([3, 1, 1], None)],
            suspend: Some(Suspend { at: 300, times: 4 }),
            pause: 10,
            nest,
            away: 1,
            local: false,
            barriers,
            brief,
            sweep: 0,
        };
        assert_eq!(launches.prepare().expect("a test").kernel.uses_barriers(), barriers);
        let estimated = instructions(&launches, 32);
        let episode = Episode { work: Work::Launches(launches), rough: None, ..Episode::draw(&entry, 1, 0) };
        let ran = trial.run(&episode).expect("a test").unwrap_or_else(|wrong| panic!("{nest}: {wrong:?}"));
        assert_eq!(ran.counts.of("windows spilled") > 0, nest > 32, "{nest}");
        assert!(ran.counts.of("blocks suspended") > 0, "{nest}, {barriers}");
        let issued = ran.counts.of("instructions issued");
        assert!((estimated / 2..=estimated).contains(&issued), "{nest}: {issued} issued, not {estimated}");
    }
}

/// CX-09: of a block that is brief each thread counts itself and ends, so that a run is the same in fewer instructions; it is suspended all the same.
#[test]
fn cx_09_brief_blocks_end_sooner() {
    let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
    let simulations = || vec![Contestant::kernels(&entry)];
    let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: false };
    let [all, fewer] = [false, true].map(|brief| {
        let launches = Launches {
            block_threads: 32,
            grids: vec![plain([3, 1, 1], None)],
            suspend: Some(Suspend { at: 0, times: 4 }),
            pause: 3,
            nest: 0,
            away: 1,
            local: false,
            barriers: true,
            brief,
            sweep: 0,
        };
        let episode = Episode { work: Work::Launches(launches), rough: None, ..Episode::draw(&entry, 1, 0) };
        let ran = trial.run(&episode).expect("a test").unwrap_or_else(|wrong| panic!("{brief}: {wrong:?}"));
        assert!(ran.counts.of("blocks suspended") > 0 && ran.counts.of("thread blocks") == 3, "{brief}");
        ran.counts.of("instructions issued")
    });
    assert!(2 * fewer < all, "{fewer} instructions, and {all} with turns");
}

heddle_hdl::pins! {
    /// The pins by which blocks are launched, are asked to leave, and end.
    struct Leaving {
        launch_valid, suspend_valid, suspend_ready, suspend_resumes, suspend_slot, suspend_done, finish_last, finish_slot
    }
}

/// What blocks did that had been asked to leave.
#[derive(Clone, Debug, Default)]
struct Met {
    /// Of those that ended, how many cycles behind being asked, and how many the core said so.
    ends: BTreeMap<u64, u64>,
    /// How often a warp was launched in the next cycle.
    launches: u64,
}

/// A core of which is noted in `met` what its blocks do that are asked to leave.
fn watched(inner: Box<dyn Simulation>, met: Arc<Mutex<Met>>) -> impl Simulation {
    let leaving = Leaving::of(inner.ports());
    // Cycles since a block was asked to leave, its slot, and when it ended.
    let mut asked: Option<(u64, u128, Option<u64>)> = None;
    Watched::new(inner, move |core| {
        let mut is = |port| core.get(port) == 1;
        let (asks, resumes) = (is(leaving.suspend_valid) && is(leaving.suspend_ready), is(leaving.suspend_resumes));
        let (launches, done, ends) = (is(leaving.launch_valid), is(leaving.suspend_done), is(leaving.finish_last));
        if asks {
            asked = (!resumes).then(|| (0, core.get(leaving.suspend_slot), None));
        } else if let Some((since, slot, end)) = &mut asked {
            *since += 1;
            let mut met = met.lock().expect("nobody panicked");
            met.launches += u64::from(launches && *since == 1);
            if ends && core.get(leaving.finish_slot) == *slot {
                *end = Some(*since);
            }
            if done {
                met.ends.extend(end.map(|end| (end, *since)));
                asked = None;
            }
        }
    })
}

/// CX-09, CX-10: in a sweep a block is asked to leave as its warps are launched, and it ends in the first cycle behind being asked, and in each of others. If the barrier scheduler still has to do
/// with its end, or is asked to hold it still first, that takes longer; if it is free, it takes the block's end first, and knows of no block to hold still.
#[test]
fn cx_09_a_sweep_meets_both_ends() {
    let entry = points::find(SUSPENDING, "4x32x32").expect("a point");
    for (nest, block_threads, soonest) in [(0, 20, 18), (0, 100, 18), (34, 20, 6)] {
        let met = Arc::new(Mutex::new(Met::default()));
        let simulations = || vec![Contestant::export(watched((entry.simulate)(), met.clone()))];
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: false };
        let swept = swept(&mut ChaCha8Rng::seed_from_u64(1), (4, 32));
        let launches = Launches { block_threads, nest, grids: vec![plain([1; 3], None)], barriers: true, ..swept };
        let episode = Episode { work: Work::Launches(launches), rough: None, ..Episode::draw(&entry, 1, 0) };
        trial.run(&episode).expect("a test").unwrap_or_else(|wrong| panic!("{nest}: {wrong:?}"));
        let Met { ends, launches } = met.lock().expect("nobody panicked").clone();
        assert_eq!(launches > 0, block_threads > 32, "{nest}, {block_threads}");
        assert!([2, 3, 4, 8].iter().all(|cycles| ends.contains_key(cycles)), "{nest}: {ends:?}");
        assert_eq!(ends.get(&1), Some(&soonest), "{nest}: {ends:?}");
        assert!(ends.values().skip(1).all(|answer| *answer > 13), "{nest}: {ends:?}");
    }
}

/// CX-09: a sweep goes over both ends of a run, and where there are several blocks over the whole of it as well; what is not swept runs once.
#[test]
fn cx_09_moments_of_a_sweep() {
    let undisturbed = |blocks| LaunchStatistics {
        cycles: 100,
        instructions: 0,
        grids: 1,
        clustered: 0,
        table_words: 0,
        blocks,
        suspended: 0,
        spilled: 0,
        copied: 0,
        several_away: 0,
    };
    assert_eq!(moments(3, &undisturbed(1)), [0, 1, 2, 99, 98, 97]);
    assert_eq!(moments(3, &undisturbed(2)), [0, 1, 2, 99, 98, 97, 25, 50, 75]);
    assert!(moments(0, &undisturbed(2)).is_empty());
}

/// WD-05: a row begins with a word of its own, what stands behind its end is no flag, and bit 0 is the lowest x.
#[test]
fn wd_05_flags_of_a_table() {
    let grid = plain([66, 2, 2], Some(vec![1, 0b110, 0, 0b01, 1 << 63, 0, 0, 0]));
    let mut launched = Vec::new();
    for z in 0..2 {
        for y in 0..2 {
            launched.extend((0..66).map(|x| [x, y, z]).filter(|block| grid.launches(*block)));
        }
    }
    assert_eq!(launched, [[0, 0, 0], [65, 0, 0], [64, 1, 0], [63, 0, 1]]);
    assert!(plain([3, 1, 1], None).launches([2, 0, 0]));
}

/// WD-01 to WD-06, WD-10: among what is drawn are whole grids and empty ones, tables whose rows have several words, and some that pick nothing, clusters, grids that go in front, more of them
/// than can wait; few blocks of each are launched.
#[test]
fn wd_01_grids_of_every_shape_are_drawn() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let drawn: Vec<Launches> = (0..40).map(|_| draw(&mut random, (4, 32), false)).collect();
    let grids = || drawn.iter().flat_map(|launches| &launches.grids);
    let some = |what: &dyn Fn(&Queued) -> bool| assert!(grids().filter(|grid| what(grid)).count() > 3);
    let blocks = |grid: &Queued| {
        let [x, y, z] = grid.range.map(u32::from);
        let all = (0..x * y * z).map(|number| [number % x, number / x % y, number / x / y]);
        all.filter(|block| grid.launches(*block)).count() as u32
    };
    some(&|grid| grid.table.is_none() && blocks(grid) > 6);
    some(&|grid| grid.range.contains(&0));
    some(&|grid| grid.table.is_some() && grid.range[0] > 128 && blocks(grid) > 6);
    some(&|grid| grid.table.is_some() && !grid.range.contains(&0) && blocks(grid) == 0);
    some(&|grid| grid.cluster.is_some_and(|cluster| cluster.contains(&0)));
    some(&|grid| grid.cluster.is_some_and(|cluster| !cluster.contains(&0)));
    some(&|grid| grid.head);
    assert!(grids().all(|grid| blocks(grid) <= BLOCKS));
    assert!(drawn.iter().any(|launches| launches.grids.len() > 5));
    assert!(drawn.iter().all(|launches| launches.prepare().is_ok()));
}

/// WD-03, WD-07, XV-02: each core launches what the tables pick, each block once, in surroundings that answer at once and in others.
#[test]
fn wd_07_cores_launch_what_tables_pick() {
    for core in CORES {
        let entry = points::entries().into_iter().find(|entry| entry.block == core).expect("a point");
        let simulations = || vec![Contestant::kernels(&entry)];
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
        let episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
        let (mut blocks, mut words) = (0, 0);
        for episode in episodes.filter(|episode| episode.topic == Topic::Launches).take(2) {
            let ran = trial.run(&episode).expect("a test").unwrap_or_else(|wrong| panic!("{core}: {wrong:?}"));
            blocks += ran.counts.of("thread blocks");
            words += ran.counts.of("words of flags fetched");
        }
        assert!(blocks > 10 && words > 10, "{core}: {blocks} blocks, {words} words");
    }
}

/// WD-07, UX-08: a block too many is named; a table that is not of its range is no test.
#[test]
fn wd_07_a_block_too_many_is_named() {
    let entry = points::find("control_core", "4x32x16").expect("a point");
    let table = vec![0b101];
    let launches = Launches {
        block_threads: 3,
        grids: vec![plain([3, 1, 1], Some(table))],
        suspend: None,
        pause: 0,
        nest: 0,
        away: 1,
        local: false,
        barriers: false,
        brief: false,
        sweep: 0,
    };
    let prepared = launches.prepare().expect("a test");
    let global = |words: [u32; 5]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(prepared.judge(&global([5, 0, 3, 0, 3])), Ok(2));
    let wrong = prepared.judge(&global([5, 0, 3, 3, 3])).expect_err("nobody picked it");
    assert_eq!(wrong, "3 threads of block [1, 0, 0] of grid 0 ran, not 0");
    let simulations = || -> Vec<Contestant> { unreachable!("nothing runs") };
    let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
    let mut episode = Episode::draw(&entry, 1, 0);
    let short = Launches { grids: vec![plain([65, 1, 1], Some(vec![0]))], ..launches };
    episode.work = Work::Launches(short);
    assert!(trial.run(&episode).expect_err("a word is missing").contains("grid 0 has no table of its range"));
}
