//! What tests of the machine share.

pub mod documented;
pub mod interrupted;

use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides};
use heddle_sim::barrier::Statics;
use heddle_sim::control_core::CoreMachine;
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::kernels;
use heddle_sim::machine::hang::Hang;
use heddle_sim::machine::{Machine, Outcome, RunOptions, SuspendOptions, Verdict};
use heddle_sim::model::barrier::backend::ModelScheduler;
use heddle_sim::model::DequeModel;
use heddle_sim::rtl::elaborated;

/// Spin until the lock is taken, then add to a counter under it: the source's own example.
pub const SPIN_LOCK: &str = "
.memory lock, 1
.memory counter, 1
.block 32
.expect lock = 0
.expect counter = threads
        PARAM   R10, lock
        PARAM   R11, counter
        MOV     R5, 1
        PBK     acquired
spin:
        ATOM.GLOBAL.CAS R4, [R10], 0, R5
        ISETP.EQ.U P0, R4, 0
        @P0 BRK acquired
        YIELD
        BRA     spin
acquired:
        LD.GLOBAL.W R6, [R11]
        IADD    R6, R6, 1
        ST.GLOBAL.W [R11], R6
        ST.GLOBAL.W [R10], RZ
        EXIT
";

/// Assembles a text that has no mistake.
pub fn kernel(text: &str) -> Kernel {
    assemble(text, "test.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)))
}

/// Runs a launch of a kernel on the control core in RTL, with a context unit beside it where it has none of its own.
pub fn run_on_core(kernel: &Kernel, launch: &Launch, configuration: Configuration, options: RunOptions) -> Outcome {
    let core = elaborated::build_core(&CoreMachine::setup(kernel, launch, configuration, &options));
    let machine = CoreMachine::new(kernel, launch, core.expect("it is elaborated"), options).expect("it fits");
    let context = elaborated::build_context(configuration.warps, configuration.threads).expect("it is elaborated");
    let machine = match context.filter(|_| launch.local_bytes > 0) {
        Some((shape, ports)) => machine.with_context(shape, ports),
        None => machine,
    };
    machine.run(&|| false, &mut |_| ())
}

/// A block that is suspended again and again runs for the whole pause in between, however `run` runs a kernel: the longer it is, the fewer times there are.
pub fn assert_pauses(run: impl Fn(&Kernel, &Launch, SuspendOptions) -> Outcome) {
    let kernel = kernel(kernels::find("quicksort").expect("it ships").text);
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let times = [0, 500, u64::MAX].map(|pause| {
        let outcome = run(&kernel, &launch, SuspendOptions { times: 50, pause, ..SuspendOptions::at(40) });
        assert_eq!((outcome.verdict, kernel.check(&launch, &outcome.global)), (Verdict::Completed, vec![]));
        let (times, cycles) = (outcome.counters.suspensions.resumed, outcome.counters.cycles);
        assert!((times - 1).saturating_mul(pause) < cycles, "{times} times in {cycles} cycles, with pauses of {pause}");
        times
    });
    assert!(times[0] > times[1] && times[1] > times[2] && times[2] == 1, "{times:?}");
}

/// Twelve blocks of four warps, on a core of four, in turn: of each number that may be away so many are at once, but no more than rows are left for, with local memory and without; each thread still finds what
/// it stored, and all that left come back.
pub fn assert_several_away(most: [u64; 2], run: impl Fn(&Kernel, &Launch, SuspendOptions) -> Outcome) {
    for (local, most) in [true, false].into_iter().zip(most) {
        let (space, size) = if local { ("LOCAL", ".local 8\n") } else { ("SHARED", ".shared 512\n") };
        let place = if local { "MOV R2, 4" } else { "IMAD R2, R1, 4, RZ" };
        let kernel = kernel(&format!(
            ".memory out, 1536
{size}.grid 12
.block 128
        S2R     R0, %cta
        S2R     R1, %logical
        IMAD    R3, R0, 128, R1
        {place}
        ST.{space}.W [R2], R3
        MOV     R4, 40
turn:
        IADD    R4, R4, -1
        ISETP.NE.U P0, R4, 0
        @P0 BRA turn
        LD.{space}.W R5, [R2]
        PARAM   R6, out
        IMAD    R6, R3, 4, R6
        ST.GLOBAL.W [R6], R5
        EXIT
"
        ));
        let launch = kernel.launch(&Overrides::default()).expect("it launches");
        for away in [1, 2, 3, 5, 9] {
            let options = SuspendOptions { times: 30, away, ..SuspendOptions::at(30) };
            let outcome = run(&kernel, &launch, options);
            assert!(outcome.verdict == Verdict::Completed, "{away}, {local}: {}", outcome.verdict.explain());
            assert_eq!(words(&outcome)[..1536], (0..1536).collect::<Vec<u32>>(), "{away}, {local}");
            let counts = outcome.counters.suspensions;
            assert_eq!((counts.suspended, counts.resumed), (30, 30), "{away}, {local}: {counts:?}");
            assert_eq!(counts.most_away, most.min(away as u64), "{away}, {local}: {counts:?}");
        }
    }
}

/// Three blocks of four warps, on a core of four, are all away before the first comes back: they come back, and end, in the order in which they left.
pub fn assert_order_of_return(run: impl Fn(&Kernel, &Launch, SuspendOptions) -> Outcome) {
    let kernel = kernel(
        ".memory out, 385
.grid 3
.block 128
        S2R     R0, %cta
        S2R     R1, %logical
        IMAD    R3, R0, 128, R1
        MOV     R4, 40
turn:
        IADD    R4, R4, -1
        ISETP.NE.U P0, R4, 0
        @P0 BRA turn
        PARAM   R6, out
        MOV     R5, 1
        ATOM.GLOBAL.ADD R7, [R6], R5
        IMAD    R6, R3, 4, R6
        ST.GLOBAL.W [R6 + 4], R7
        EXIT
",
    );
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let outcome = run(&kernel, &launch, SuspendOptions { times: 3, away: 3, ..SuspendOptions::at(30) });
    let counts = outcome.counters.suspensions;
    assert!(outcome.verdict == Verdict::Completed, "{}", outcome.verdict.explain());
    assert_eq!((counts.suspended, counts.resumed, counts.most_away), (3, 3, 3), "{counts:?}");
    let turns: Vec<u32> = words(&outcome)[1..385].iter().map(|turn| turn / 128).collect();
    assert_eq!(turns, (0..384).map(|thread| thread / 128).collect::<Vec<u32>>());
}

/// Runs a kernel with its own sizes; memory must be as its file says.
pub fn run_on(kernel: &Kernel, engine: Box<dyn Engine>, options: RunOptions) -> Outcome {
    let launch = kernel.launch(&Overrides::default()).expect("the kernel's own sizes");
    let machine = Machine::new(kernel, &launch, engine, options).expect("the kernel fits");
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = Box::new(ModelScheduler::new(options.barrier_size(&launch), Statics::default()));
            machine.with_barriers(&launch, scheduler).expect("the kernel fits the barrier scheduler")
        }
        false => machine,
    };
    let outcome = machine.run(&|| false, &mut |_| {});
    if outcome.verdict == Verdict::Completed {
        assert_eq!(kernel.check(&launch, &outcome.global), []);
    }
    outcome
}

/// The reference model.
pub fn model(configuration: Configuration) -> Box<dyn Engine> {
    Box::new(DequeModel::new(configuration))
}

/// The plain stack.
pub fn stack() -> Configuration {
    Configuration { stack_mode: true, ..Configuration::default() }
}

/// The hang that a run must have ended with.
pub fn hang(outcome: &Outcome) -> &Hang {
    match &outcome.verdict {
        Verdict::Hang(hang) => hang,
        other => panic!("no hang but {other:?}"),
    }
}

/// The words of global memory after a run.
pub fn words(outcome: &Outcome) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
    outcome.global.chunks_exact(4).map(word).collect()
}
