//! Priorities: the scheduler against its model in every cycle, and two queued grids on core and machine (SM-02).

use super::bench::{machine, Core, Run};
use super::top;
use crate::support::kernel;
use heddle_hdl::clocked::Clocked;
use heddle_hdl::core::warp_scheduler::WarpScheduler as RtlScheduler;
use heddle_hdl::ports::Ports;
use heddle_sim::assembler::Overrides;
use heddle_sim::engine::Configuration;
use heddle_sim::launch::{Grid, PrioritizedGrid};
use heddle_sim::machine::{RunOptions, SchedulerPolicy, WarpScheduler};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rstest::rstest;

/// Scheduler and model side by side for `cycles` cycles of random launches and ready warps; the priorities are so few that many are equal, and use the
/// lowest and the highest bit.
fn lockstep<B: Ports>(block: B, warps: usize, top: u16, policy: SchedulerPolicy, cycles: u32) -> [u32; 3] {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(top));
    let mut block = Clocked::new(block);
    let mut model = WarpScheduler::new(policy, warps);
    let [greedy, reset, racing, launched, launched_warp, launched_priority, issued, issued_warp, warp, found] = [
        "greedy",
        "reset",
        "racing",
        "launched",
        "launched_warp",
        "launched_priority",
        "issued",
        "issued_warp",
        "warp",
        "found",
    ]
    .map(|name| block.port(name));
    block.set(greedy, (policy == SchedulerPolicy::GreedyThenOldest).into());
    block.set(reset, 1);
    block.tick();
    block.set(reset, 0);
    let (mut issues, mut launches, mut overtaken) = (0, 0, 0);
    let mut priorities = vec![0; warps];
    for cycle in 0..cycles {
        let launch = random.random_ratio(1, 12).then(|| random.random_range(0..warps));
        block.set(launched, launch.is_some().into());
        if let Some(launch) = launch {
            priorities[launch] = [0, 1, top - 1, top][random.random_range(0..4)];
            block.set(launched_warp, launch as u128);
            block.set(launched_priority, priorities[launch].into());
            model.launched(launch, priorities[launch]);
            launches += 1;
        }
        let ready = random.random::<u64>() & random.random::<u64>() & ((1 << warps) - 1);
        let ready = ready & !launch.map_or(0, |launch| 1 << launch);
        block.set(racing, ready.into());
        let choice = (block.get(found) == 1).then(|| block.get(warp) as usize);
        assert_eq!(choice, model.choose(ready), "cycle {cycle}: {ready:#b} of {priorities:?}");
        let accepted = choice.filter(|_| random.random_ratio(3, 4));
        block.set(issued, accepted.is_some().into());
        if let Some(accepted) = accepted {
            block.set(issued_warp, accepted as u128);
            model.issued(accepted);
            issues += 1;
            let below = |warp: &usize| ready >> warp & 1 == 1 && priorities[*warp] < priorities[accepted];
            overtaken += u32::from((0..warps).any(|warp| below(&warp)));
        }
        block.tick();
    }
    [issues, launches, overtaken]
}

/// SM-02: the scheduler chooses as its model does, with 6 bits and with 10.
#[rstest]
#[case(SchedulerPolicy::RoundRobin)]
#[case(SchedulerPolicy::GreedyThenOldest)]
fn sm_02_scheduler_equals_its_model(#[case] policy: SchedulerPolicy) {
    for seen in [
        lockstep(RtlScheduler::<4, 2, 6>::default(), 4, 63, policy, 20_000),
        lockstep(RtlScheduler::<16, 4, 10>::default(), 16, 1023, policy, 5_000),
    ] {
        assert!(seen.into_iter().all(|count| count > 250), "{seen:?}");
    }
}

/// Blocks that count to a hundred and then take a ticket. The tables name blocks 0 and 1, and the six others.
const TICKETS: &str = "
.memory first, 2 = 3
.memory rest, 2 = 0xfc
.memory next, 1
.memory order, ctas
.grid 8
.block 32
        MOV     R2, 100
again:
        IADD    R2, R2, -1
        ISETP.NE.U P0, R2, 0
        @P0 BRA again
        S2R     R3, %lane
        ISETP.EQ.U P1, R3, 0
        PARAM   R4, next
        PARAM   R6, order
        S2R     R7, %cta
        IMAD    R6, R7, 4, R6
        MOV     R8, 1
        @P1 ATOM.GLOBAL.ADD R5, [R4], R8
        @P1 ST.GLOBAL.W [R6], R5
        EXIT
";

/// Two grids of the same kernel, of which each launches its own blocks.
fn tickets(configuration: Configuration, scheduler: SchedulerPolicy, priorities: [u16; 2]) -> Vec<u32> {
    let kernel = kernel(TICKETS);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let options = RunOptions { scheduler, ..RunOptions::default() };
    let grids = [("first", 9), ("rest", 4)].into_iter().zip(priorities).map(|((table, name), priority)| {
        let table = launch.section(table).map(|section| section.address / 8);
        let grid = Grid { program: 0, grid: name, table, range: [8, 1, 1], cluster: None, head: false };
        PrioritizedGrid { grid, priority }
    });
    let grids: Vec<PrioritizedGrid> = grids.collect();
    let expected = machine(&kernel, &launch, configuration, options, &grids).expect("it ends");
    let (block, point) = top(&configuration);
    let core = Core::new(block, point, &kernel, &launch, configuration, options);
    let got: Run = core.run_queued(options.max_cycles, &grids);
    assert_eq!(got.issues, expected.issues);
    assert_eq!(got.counters, expected.counters);
    assert_eq!(got.global, expected.global);
    launch.words_of("order", &got.global).expect("it is there")
}

/// SM-02, WD-06: of two queued grids the second's blocks, of a higher priority, pass those of the first, which were there before them and starve until
/// the last of the others has ended; alike in machine and core.
#[rstest]
fn sm_02_a_later_grid_passes(
    #[values(SchedulerPolicy::RoundRobin, SchedulerPolicy::GreedyThenOldest)] scheduler: SchedulerPolicy,
    #[values((4, false, 16), (4, true, 64), (16, false, 32))] (warps, tree, depth): (usize, bool, usize),
) {
    let configuration = Configuration { warps, tree, depth, ..Configuration::default() };
    let highest = if warps == 16 { 1023 } else { 63 };
    let order = tickets(configuration, scheduler, [3, highest]);
    assert!(order[..2].iter().all(|ticket| *ticket >= 6), "{order:?}");
    let order = tickets(configuration, scheduler, [highest, 3]);
    assert!(order[..2].iter().all(|ticket| *ticket < 2), "{order:?}");
    let order = tickets(configuration, scheduler, [5, 5]);
    assert!(order[..2].iter().all(|ticket| *ticket < 4), "{order:?}");
}
