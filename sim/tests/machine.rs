//! The machine as a library: kernels on engines, schedulers, counters, faults.

use std::collections::BTreeMap;

use crate::support::{kernel, model, run_on, stack, SPIN_LOCK};
use heddle_sim::assembler::Overrides;
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Request};
use heddle_sim::lanes::LaneFault;
use heddle_sim::machine::counters::InstructionCounts;
use heddle_sim::machine::{Machine, MachineError, RunOptions, SchedulerPolicy, VcdTrace, Verdict};
use heddle_sim::model::divergence_unit::DivergenceUnit;
use heddle_sim::model::DequeModel;
use rstest::rstest;

/// SM-02, SM-03: blocks of several warps, more than the core holds at once, run to the end under both schedulers and any number
/// of resident warps.
#[rstest]
fn grids_larger_than_the_core_run_to_the_end(
    #[values(SchedulerPolicy::RoundRobin, SchedulerPolicy::GreedyThenOldest)] scheduler: SchedulerPolicy,
    #[values(2, 3, 7, 64)] warps: usize,
) {
    let kernel = kernel(
        ".grid 5, 2\n.block 8, 6\n.memory seen, threads\n.expect seen = each index + 1\n
         S2R R0, %cta_x
         S2R R1, %cta_y
         S2R R2, %grid_x
         IMAD R0, R1, R2, R0
         S2R R2, %logical
         IMAD R0, R0, 48, R2
         PARAM R1, seen
         IMAD R1, R0, 4, R1
         IADD R0, R0, 1
         ST.GLOBAL.W [R1], R0
         EXIT\n",
    );
    let options = RunOptions { scheduler, ..RunOptions::default() };
    let outcome = run_on(&kernel, model(Configuration { warps, ..Configuration::default() }), options);
    assert_eq!(outcome.verdict, Verdict::Completed);
    assert_eq!((outcome.counters.blocks_done, outcome.counters.warps_done), (10, 20));
}

/// SM-06: a program counted by hand.
#[test]
fn counters_count() {
    let kernel = kernel(
        ".memory data, 32
         SSY join
         S2R R0, %lane
         ISETP.LT.U P0, R0, 8
         @P0 BRA small
         IADD R1, R0, 1
         SYNC join
small:   PARAM R2, data
         IMAD R2, R0, 4, R2
         ST.GLOBAL.W [R2], R0
         ATOM.GLOBAL.ADD R3, [R2], R0
         SYNC join
join:    VOTE.ALL P1, PT
         FADD R4, R4, R4
         EXIT\n",
    );
    let outcome = run_on(&kernel, model(Configuration { warps: 1, ..Configuration::default() }), RunOptions::default());
    let counters = &outcome.counters;
    let expected =
        InstructionCounts { control: 5, barrier: 0, integer: 5, float: 1, memory: 1, atomic: 1, exchange: 1 };
    assert_eq!(counters.instructions, expected);
    // Before the branch 4 x 32, small side 5 x 8, other side 2 x 24, after the join 3 x 32.
    assert_eq!(counters.active_lanes, 128 + 40 + 48 + 96);
    assert_eq!((counters.diverged, counters.tokens_pushed, counters.tokens_popped), (1, 2, 2));
    assert_eq!(counters.token_high_water, [2]);
    assert_eq!(counters.cycles, counters.instructions.total() + counters.stalls.total());
}

/// SM-06: a window of 8 entries overflows in nested regions, and every exception is counted with its cause.
#[test]
fn exceptions_are_counted_by_cause() {
    let mut text = String::from(".block 32\n");
    (0..40).for_each(|_| text.push_str(" SSY end\n"));
    (0..40).for_each(|number| text.push_str(&format!(" SYNC end\nat{number}:\n")));
    text.push_str("end: EXIT\n");
    let configuration = Configuration { depth: 8, ..stack() };
    let outcome = run_on(&kernel(&text), Box::new(DivergenceUnit::windowed(configuration)), RunOptions::default());
    let exceptions = outcome.counters.exceptions;
    assert!(exceptions.recenter > 0 && exceptions.spill > 0, "{exceptions:?}");
    assert_eq!(exceptions.fatal, 0);
    assert_eq!(outcome.counters.peak_tokens(), 40);
}

/// SM-08: an access out of bounds stops the run, naming thread, place and address.
#[test]
fn a_bad_access_names_its_place() {
    let kernel = kernel(".memory data, 4\n MOV R1, 0x1000\n LD.GLOBAL.W R2, [R1 + 4]\n EXIT\n");
    let outcome = run_on(&kernel, model(Configuration::default()), RunOptions::default());
    let Verdict::LaneFault { fault: LaneFault::OutOfBounds { address, .. }, place } = &outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!((*address, place.line), (0x1004, Some(3)));
}

/// SM-01: running off the end of the program is a fault, not a panic.
#[test]
fn a_missing_exit_is_a_fault() {
    let outcome = run_on(&kernel(" NOP\n"), model(Configuration::default()), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::OutsideProgram { warp: 0, address: 1 });
}

/// SM-01: limits and stop requests end a run as such.
#[test]
fn a_run_can_be_stopped() {
    let kernel = kernel("loop: IADD R1, R1, 1\n BRA loop\n");
    let options = RunOptions { max_cycles: 5000, ..RunOptions::default() };
    let outcome = run_on(&kernel, model(Configuration::default()), options);
    assert_eq!((outcome.verdict, outcome.counters.cycles), (Verdict::CycleLimit, 5000));
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let machine = Machine::new(&kernel, &launch, model(Configuration::default()), RunOptions::default());
    assert_eq!(machine.expect("it fits").run(&|| true, &mut |_| {}).verdict, Verdict::Interrupted);
}

/// SM-03: a block that the core cannot hold is refused with the number of warps that it needs.
#[test]
fn too_large_a_block_is_refused() {
    let kernel = kernel(" EXIT\n");
    let overrides = Overrides { block: Some([200, 1, 1]), parameters: BTreeMap::new(), grid: None };
    let launch = kernel.launch(&overrides).expect("sizes");
    let result = Machine::new(&kernel, &launch, model(Configuration::default()), RunOptions::default());
    let Err(MachineError::BlockTooLarge { needed, warps, .. }) = result.map(|_| ()) else { panic!("it was taken") };
    assert_eq!((needed, warps), (7, 4));
}

/// An engine that is late: it refuses offers and hides warps for some cycles, as hardware with multi-cycle operations does.
struct Late {
    inner: DequeModel,
    cycle: u64,
    refused: Option<Request>,
}

impl Engine for Late {
    fn name(&self) -> String {
        "late".to_string()
    }
    fn configuration(&self) -> &Configuration {
        self.inner.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.inner.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        if self.cycle.is_multiple_of(5) {
            0
        } else {
            self.inner.ready()
        }
    }
    fn running(&mut self) -> u64 {
        self.inner.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.inner.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.inner.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        if let Some(refused) = self.refused.take() {
            assert_eq!(refused, *request, "an offer changed before it was accepted");
        }
        let accepted = !self.cycle.is_multiple_of(3) && self.inner.offer(request);
        self.refused = (!accepted).then_some(*request);
        accepted
    }
    fn tick(&mut self) -> Events {
        self.cycle += 1;
        self.inner.tick()
    }
}

/// SM-01, SM-06: on an engine that refuses and stalls, the machine repeats its offer unchanged, counts the stalls by cause, and
/// nothing runs twice or gets lost.
#[test]
fn a_late_engine_is_waited_for() {
    let text = SPIN_LOCK.replace(".block 32", ".block 96\n.grid 3");
    let inner = DequeModel::new(Configuration::default());
    let outcome = run_on(&kernel(&text), Box::new(Late { inner, cycle: 0, refused: None }), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::Completed);
    let (counters, stalls) = (&outcome.counters, &outcome.counters.stalls);
    assert!(stalls.engine_refused > 0 && stalls.engine_busy > 0, "{stalls:?}");
    assert_eq!(counters.cycles, counters.instructions.total() + stalls.total());
}

/// XV-09: a trace says in each cycle who issues which instruction with which threads, and why the others are disabled; the dump
/// reads back as such.
#[test]
fn a_trace_reads_back() {
    let kernel = kernel(
        "         SSY join
         S2R R0, %lane
         ISETP.LT.U P0, R0, 8
         @P0 SYNC join
         NOP
         SYNC join
join:    EXIT\n",
    );
    let configuration = Configuration { warps: 2, ..Configuration::default() };
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let mut bytes = Vec::new();
    let mut trace = VcdTrace::new(&mut bytes, &configuration).expect("a header");
    let machine = Machine::new(&kernel, &launch, model(configuration), RunOptions::default()).expect("it fits");
    let outcome = machine.traced(&mut trace).run(&|| false, &mut |_| {});
    assert_eq!((outcome.verdict, outcome.trace_failure), (Verdict::Completed, None));

    let mut parser = vcd::Parser::new(&bytes[..]);
    let header = parser.parse_header().expect("a header");
    let code = |path: [&str; 3]| header.find_var(&path).expect("a signal").code;
    let [address, active, sync] = ["address", "active", "disabled_sync"].map(|signal| code(["core", "warp_0", signal]));
    let mut now = 0;
    let mut values = BTreeMap::new();
    let mut history = Vec::new();
    let look = |values: &BTreeMap<vcd::IdCode, u64>, now: u64| {
        let value = |code| values.get(&code).copied().unwrap_or(0);
        (now, value(address), value(active), value(sync))
    };
    for command in parser {
        match command.expect("a command") {
            vcd::Command::Timestamp(time) => {
                history.push(look(&values, now));
                now = time;
            }
            vcd::Command::ChangeVector(code, bits) => {
                let value = bits.iter().fold(0, |value, bit| value << 1 | u64::from(*bit == vcd::Value::V1));
                values.insert(code, value);
            }
            _ => {}
        }
    }
    history.push(look(&values, now));
    let all = 0xffff_ffff;
    // The block is launched in the fourth cycle after that of the grid's request.
    let launched = outcome.counters.stalls.launch;
    assert_eq!(launched, 4);
    let expected = [
        (0, 0, all, 0),
        (1, 1, all, 0),
        (2, 2, all, 0),
        (3, 3, all, 0),
        (4, 4, 0xffff_ff00, 0xff),
        (5, 5, 0xffff_ff00, 0xff),
        (6, 6, all, 0),
        (7, 0, 0, 0),
    ];
    let expected = expected.map(|(cycle, address, active, sync)| (launched + cycle, address, active, sync));
    let ends: Vec<_> = expected.into_iter().filter(|line| !history.contains(line)).collect();
    assert_eq!(ends, [], "{history:?}");
}
