//! Barriers in the machine: mapping, sets, late threads, errors, hangs.

use crate::support::{hang, kernel, model, run_on, stack};
use heddle_sim::assembler::{assemble, Kernel, Overrides};
use heddle_sim::barrier::{BarrierScheduler, Outputs, Request, Size, Statics};
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::kernels;
use heddle_sim::machine::{Machine, MachineError, Outcome, RunOptions, Verdict};
use heddle_sim::model::barrier::backend::ModelScheduler;
use heddle_sim::model::barrier::contract::{Contract, Limits};
use heddle_sim::rtl::elaborated;
use rstest::rstest;

/// The model, with what any scheduler owes held against it, and against the core that uses it.
struct Judged {
    scheduler: ModelScheduler,
    contract: Contract,
    offered: Option<Request>,
    ready: bool,
}

impl Judged {
    fn new(scheduler: ModelScheduler) -> Self {
        let contract = Contract::new(&scheduler, Limits::of(&scheduler.size()));
        Self { scheduler, contract, offered: None, ready: true }
    }
}

impl BarrierScheduler for Judged {
    fn size(&self) -> Size {
        self.scheduler.size()
    }
    fn statics(&self) -> Statics {
        self.scheduler.statics()
    }
    fn ready(&self) -> bool {
        self.scheduler.ready()
    }
    fn offer(&mut self, request: Option<Request>) {
        self.offered = request;
        self.scheduler.offer(request);
    }
    fn wake_ready(&mut self, ready: bool) {
        self.ready = ready;
        self.scheduler.wake_ready(ready);
    }
    fn tick(&mut self) -> Outputs {
        let outputs = self.scheduler.tick();
        if let Err(breach) = self.contract.observe(self.offered.as_ref(), self.ready, &outputs) {
            panic!("{breach}");
        }
        outputs
    }
}

fn shipped(name: &str) -> Kernel {
    let shipped = kernels::find(name).expect("it ships");
    assemble(shipped.text, shipped.file_name).expect("it assembles")
}

/// The kernels that use barriers.
fn with_barriers() -> impl Iterator<Item = Kernel> {
    kernels::ALL.iter().map(|kernel| shipped(kernel.name)).filter(Kernel::uses_barriers)
}

/// Runs a text with the default core.
fn run(text: &str) -> Outcome {
    let options = RunOptions { watchdog: 2000, ..RunOptions::default() };
    run_on(&kernel(text), model(Configuration::default()), options)
}

/// Runs a kernel to the right result on any scheduler; its memory.
fn run_right(kernel: &Kernel, engine: Box<dyn Engine>, options: RunOptions, seed: Option<u64>) -> Outcome {
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let scheduler = ModelScheduler::new(options.barrier_size(&launch), Statics::default());
    // A scheduler that waits at random keeps no limits of time.
    let scheduler: Box<dyn BarrierScheduler> = match seed {
        Some(seed) => Box::new(scheduler.randomly(seed)),
        None => Box::new(Judged::new(scheduler)),
    };
    let machine = Machine::new(kernel, &launch, engine, options).expect("it fits");
    let machine = machine.with_barriers(&launch, scheduler).expect("it fits");
    let outcome = machine.run(&|| false, &mut |_| ());
    assert_eq!(outcome.verdict, Verdict::Completed, "{}: {}", kernel.name, outcome.verdict.explain());
    assert_eq!(kernel.check(&launch, &outcome.global), [], "{} {seed:?}", kernel.name);
    outcome
}

/// SM-07, BR-40, BR-41: warps of 8 to 64 threads in thread blocks of 16 and 64 all come to the expected results, and what passes the scheduler's
/// ports keeps its contract: one thread inside a section, each participant once, nobody asleep in an idle barrier.
#[rstest]
fn every_mapping_gives_the_same_results(#[values(8, 16, 32, 64)] threads: usize, #[values(16, 64)] block: usize) {
    for kernel in with_barriers() {
        let configuration = Configuration { warps: 16, threads, ..Configuration::default() };
        let options = RunOptions { barrier_block: Some(block), ..RunOptions::default() };
        run_right(&kernel, model(configuration), options, None);
    }
}

/// SM-22, BR-34: whatever the scheduler does in whichever order it may, and however long it takes, the results are the expected ones.
#[test]
fn results_do_not_depend_on_the_scheduler_s_choices() {
    for kernel in with_barriers() {
        for seed in 0..6 {
            run_right(&kernel, model(Configuration::default()), RunOptions::default(), Some(seed));
        }
    }
}

/// SM-01, SM-22: the divergence unit in RTL runs the kernels as well.
#[test]
fn rtl_engine_runs_the_kernels() {
    for kernel in with_barriers() {
        let engine = elaborated::build(&Configuration::default()).expect("a point of the list");
        run_right(&kernel, engine, RunOptions::default(), None);
    }
}

/// SM-07: both halves of a warp are woken one after the other, at one PC, and run on as one set: what follows is issued once a warp.
#[rstest]
fn sets_woken_together_become_one(#[values(16, 64)] block: usize) {
    let text = ".block 64\n BARRIER.CONDITIONAL 0, all\nall:\n".to_string() + &" NOP\n".repeat(10) + " EXIT\n";
    let options = RunOptions { barrier_block: Some(block), ..RunOptions::default() };
    for configuration in [Configuration::default(), stack()] {
        let outcome = run_on(&kernel(&text), model(configuration), options);
        assert_eq!(outcome.verdict, Verdict::Completed);
        assert_eq!((outcome.counters.instructions.integer, outcome.counters.yielded), (2 * 10, 2));
        assert_eq!((outcome.counters.barriers.slept, outcome.counters.barriers.woken), (64, 64));
    }
}

/// SM-03, BR-01: sixteen CTAs are resident at once if there are warps for them, and not one more; each uses the same ids.
#[test]
fn sixteen_ctas_at_once() {
    let kernel = shipped("block_scan");
    let overrides = Overrides { grid: Some([40, 1, 1]), ..Overrides::default() };
    let launch = kernel.launch(&overrides).expect("it launches");
    let configuration = Configuration { warps: 64, ..Configuration::default() };
    let options = RunOptions::default();
    let scheduler = ModelScheduler::new(options.barrier_size(&launch), Statics::default());
    let machine = Machine::new(&kernel, &launch, model(configuration), options).expect("it fits");
    let machine = machine.with_barriers(&launch, Box::new(scheduler)).expect("it fits");
    let outcome = machine.run(&|| false, &mut |_| ());
    assert_eq!((outcome.verdict, outcome.counters.blocks_at_once), (Verdict::Completed, 16));
    assert_eq!(kernel.check(&launch, &outcome.global), []);
}

/// BR-01, SM-07: a CTA of more threads than the scheduler holds is refused with a way out.
#[test]
fn too_large_a_cta_is_refused() {
    let kernel = kernel(".block 160\n BARRIER.CONDITIONAL 0, 1\n EXIT\n");
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let configuration = Configuration { warps: 8, ..Configuration::default() };
    let small = RunOptions { barrier_block: Some(16), ..RunOptions::default() };
    for (options, fits) in [(small, false), (RunOptions::default(), true)] {
        let scheduler = Box::new(ModelScheduler::new(options.barrier_size(&launch), Statics::default()));
        let machine = Machine::new(&kernel, &launch, model(configuration), options).expect("the warps fit");
        match machine.with_barriers(&launch, scheduler) {
            Ok(machine) => assert!(fits && machine.run(&|| false, &mut |_| ()).verdict == Verdict::Completed),
            Err(MachineError::BlockTooLargeForBarriers { threads: 160, most: 128, .. }) => assert!(!fits),
            Err(other) => panic!("{other}"),
        }
    }
}

/// BR-37, BR-40: the exclusive counter needs its `.EXCLUSIVE`, and the histogram its section: without, updates are lost. (The kernels can tell.)
#[rstest]
#[case("exclusive_counter", ".EXCLUSIVE", "")]
#[case("histogram", "BARRIER.UNORDERED.NONBLOCKING 1, after", "NOP")]
#[case("histogram", "BARRIER.BOTTOM 1", "NOP")]
fn without_its_section_a_kernel_is_wrong(#[case] name: &str, #[case] part: &str, #[case] replacement: &str) {
    let text = kernels::find(name).expect("it ships").text.replace(part, replacement);
    let text = if replacement.is_empty() {
        text
    } else {
        text.replace("BARRIER.BOTTOM 1", "NOP").replace("BARRIER.UNORDERED.NONBLOCKING 1, after", "NOP")
    };
    let kernel = kernel(&text);
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let scheduler = Box::new(ModelScheduler::new(RunOptions::default().barrier_size(&launch), Statics::default()));
    let machine =
        Machine::new(&kernel, &launch, model(Configuration::default()), RunOptions::default()).expect("it fits");
    let outcome = machine.with_barriers(&launch, scheduler).expect("it fits").run(&|| false, &mut |_| ());
    assert_eq!(outcome.verdict, Verdict::Completed);
    assert_ne!(kernel.check(&launch, &outcome.global), [], "nobody was in the way of anybody");
}

/// The words of a section after a run with the kernel's own sizes.
fn words(kernel: &Kernel, outcome: &Outcome, section: &str) -> Vec<u32> {
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    launch.words_of(section, &outcome.global).expect("the section")
}

/// BR-20, BR-21, BR-23: in the shipped kernels, late threads really are late: those that wait start a second execution in each CTA, those that join
/// do not, and some of those that skip do skip.
#[test]
fn late_threads_are_late() {
    let run = |name: &str| {
        let kernel = shipped(name);
        let outcome = run_on(&kernel, model(Configuration::default()), RunOptions::default());
        assert_eq!(outcome.verdict, Verdict::Completed);
        (kernel, outcome)
    };
    let (_, waited) = run("late_wait");
    assert_eq!(waited.counters.barriers.dynamic, 4);
    assert!(waited.counters.barriers.waits > 0);
    let (_, joined) = run("late_join");
    assert_eq!((joined.counters.barriers.dynamic, joined.counters.barriers.waits), (2, 0));
    assert_eq!(joined.counters.barriers.sections, 128);
    let (kernel, skipped) = run("late_skip");
    let skips: u32 = words(&kernel, &skipped, "skipped").iter().sum();
    assert!(skips > 0 && u64::from(skips) + skipped.counters.barriers.sections == 128, "{skips}");
}

/// BR-12, BR-13, BR-22: an impatient barrier goes ahead when the timeout fires, and the late ones pass without sleeping, in all four options.
#[rstest]
fn late_threads_pass(#[values("pass", "pass_at_end", "pass_if_short", "pass_at_end_if_short")] mode: &str) {
    let text = kernels::find("late_pass").expect("it ships").text.replace("late pass", &format!("late {mode}"));
    let kernel = kernel(&text);
    let outcome = run_on(&kernel, model(Configuration::default()), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::Completed);
    let seen = words(&kernel, &outcome, "seen");
    // The first warp of each CTA slept and went on alone; the others, of 64 threads in each CTA, passed.
    assert!(seen[0] < 96 && seen[96] < 96, "{seen:?}");
    assert_eq!((outcome.counters.barriers.timeouts, outcome.counters.barriers.slept), (2, 64));
}

/// BR-24: a barrier that goes on counting triggers impatiently time and again, until the reference is met.
#[test]
fn late_threads_count() {
    let outcome = run_on(&shipped("late_count"), model(Configuration::default()), RunOptions::default());
    assert_eq!(outcome.verdict, Verdict::Completed);
    let barriers = outcome.counters.barriers;
    assert!(barriers.timeouts >= 2 && barriers.waits == 0, "{barriers:?}");
}

/// BR-26: EXIT inside a section acts as its bottom, also if it is the last thread; nobody waits for who has left.
#[test]
fn exit_inside_a_section() {
    let outcome = run(".block 40\n.memory count, 1\n.expect count = 40
         PARAM R1, count
         S2R R2, %logical
         AND R2, R2, 1
         ISETP.NE.U P0, R2, 0
         BARRIER.ORDERED 0, after
         LD.GLOBAL.W R3, [R1]
         IADD R3, R3, 1
         ST.GLOBAL.W [R1], R3
         @P0 EXIT
         BARRIER.BOTTOM 0
after:   EXIT\n");
    assert_eq!(outcome.verdict, Verdict::Completed, "{}", outcome.verdict.explain());
    assert_eq!(outcome.counters.barriers.sections, 40);
}

/// BR-06, BR-19, BR-28, BR-51, IS-02: what a program does wrong at a barrier stops it with the thread, the ids and the PCs.
#[rstest]
#[case(" NOP\n BARRIER.BOTTOM 3\n EXIT\n", &["thread 0 (warp 0, lane 0), PC 0x1", "bottom of barrier 3", "not inside"])]
#[case(
    ".block 64\n BARRIER.ORDERED 1, out\n NOP\n BARRIER.CONDITIONAL 2, in\nin: BARRIER.BOTTOM 1\nout: EXIT\n",
    &["thread 0 (warp 0, lane 0), PC 0x2", "top of barrier 2 inside a section of barrier 1, entered at PC 0x0", "line 4"]
)]
#[case(
    ".block 48\n BARRIER.CONF 1, condition 2, reference 20\n BARRIER.ORDERED 1, out\n BARRIER.BOTTOM 1\nout: EXIT\n",
    &["barrier 1 is configured as it must not be", "PC 0x1", "condition 2 a section needs all"]
)]
#[case(
    " BARRIER.CONF 1, condition 4\n BARRIER.CONF 1, condition 1\n BARRIER.CONDITIONAL.IMPATIENT 1, 3\n EXIT\n",
    &["barrier 1 is configured as it must not be", "PC 0x2"]
)]
#[case(" EXPECT 4, RZ, 2\n EXIT\n", &["transactions of barrier 4 leave the range -63 to 63", "PC 0x0"])]
#[case(" MOV R1, 64\n EXPECT 4, RZ, R1\n EXIT\n", &["64 for its transactions, which is 63 at most", "PC 0x1"])]
#[case(
    " S2R R1, %lane\n IADD R1, R1, 1024\n BARRIER.CONF 0, condition 3, reference R1\n EXIT\n",
    &["1024 for its reference, which is 1023 at most", "PC 0x2"]
)]
fn mistakes_at_barriers_are_named(#[case] text: &str, #[case] parts: &[&str]) {
    let outcome = run(text);
    assert_eq!(outcome.verdict.name(), "fault");
    let message = outcome.verdict.explain();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

/// BR-39, SM-04: a barrier that waits for threads which have exited is a deadlock, found as soon as nothing is under way, with the ids, the
/// sleepers and the dead.
#[test]
fn a_dead_participant_is_named() {
    let outcome = run(".block 64
         BARRIER.CONF 2, condition 2, reference 40
         S2R R1, %logical
         ISETP.LT.U P0, R1, 8
         @P0 EXIT
         ISETP.LT.U P0, R1, 32
         @!P0 BRA other
         BARRIER.CONDITIONAL 2, met
met:     EXIT
other:   BARRIER.CONDITIONAL 5, all
all:     EXIT\n");
    let hang = hang(&outcome);
    assert!(hang.deadlock && hang.cycle < 5000, "{hang}");
    let [first, second] = hang.barriers.as_slice() else { panic!("{hang}") };
    assert_eq!((first.barrier, first.condition, first.reference, first.live), (2, 2, 40, 56));
    assert_eq!(first.gatherings[0].asleep, (8..32).collect::<Vec<_>>());
    assert_eq!(first.exited, (0..8).collect::<Vec<_>>());
    assert_eq!((second.barrier, second.gatherings[0].asleep.len()), (5, 32));
    let text = hang.to_string();
    for part in
        ["24 threads asleep in it since line 8", "8 threads of the block have exited and never arrive: 0-7", "32-63"]
    {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// BR-15, BR-18, SM-04: threads that meet one id at two tops wait for each other for ever; the watchdog names both, and who is kept out. On the plain stack, too.
#[test]
fn one_id_with_two_tops_is_named() {
    let kernel = kernel(
        ".block 64
         BARRIER.CONF 2, condition 2, reference 64
         S2R R1, %logical
         ISETP.LT.U P0, R1, 20
         @P0 BRA second
         BARRIER.CONDITIONAL 2, met
met:     EXIT
second:  BARRIER.CONDITIONAL 2, too
too:     EXIT\n",
    );
    assert_eq!(kernel.warnings.len(), 1);
    for configuration in [Configuration::default(), stack()] {
        let options = RunOptions { watchdog: 2000, ..RunOptions::default() };
        let outcome = run_on(&kernel, model(configuration), options);
        let hang = hang(&outcome);
        let [barrier] = hang.barriers.as_slice() else { panic!("{hang}") };
        assert!(hang.deadlock && barrier.gatherings.len() == 2, "{hang}");
        let text = hang.to_string();
        assert!(text.contains("one id, two tops (PC 0x4 and PC 0x6)") && text.contains("kept waiting"), "{text}");
    }
}

/// SM-04: threads that sleep while others spin for them are no proof of a hang as long as a timeout may wake them, and a hang is found all the
/// same if there is none.
#[test]
fn a_timeout_may_wake_them() {
    let text = |condition: &str| {
        format!(
            ".block 64\n.memory flag, 1
             BARRIER.CONF 0, {condition}
             PARAM R1, flag
             MOV R2, 1
             S2R R3, %warp
             ISETP.EQ.U P0, R3, 0
             @P0 BRA spin
             BARRIER.CONDITIONAL.IMPATIENT 0, met
met:         ST.GLOBAL.W [R1], R2
             EXIT
spin:        LD.GLOBAL.W R4, [R1]
             ISETP.EQ.U P1, R4, 0
             @P1 BRA spin
             EXIT\n"
        )
    };
    let timeout = run(&text("condition 4, reference 64, timeout 30000"));
    assert_eq!(timeout.verdict, Verdict::Completed, "{}", timeout.verdict.explain());
    let never = run(&text("condition 1").replace(".IMPATIENT", ""));
    let hang = hang(&never);
    assert_eq!((hang.barriers.len(), hang.barriers[0].gatherings[0].asleep.len()), (1, 32), "{hang}");
}
