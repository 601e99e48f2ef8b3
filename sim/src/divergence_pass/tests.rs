//! The pass on small programs, on the kernels that ship, and on random ones, which have to run on every engine as their threads run alone.

use super::control_flow_graph::ControlFlowGraph;
use super::kernel::insert_divergence;
use super::loops::{loops, yielding_ways};
use super::plain::strip;
use super::trip_count::rounds;
use crate::assembler::{assemble, Kernel, Overrides};
use crate::barrier::Statics;
use crate::cli::registry::model_barriers;
use crate::engine::{Configuration, Engine};
use crate::isa::{Action, ControlOpcode};
use crate::kernels;
use crate::machine::{Machine, Outcome, RunOptions, Verdict};
use crate::model::tree::TreeTable;
use crate::model::DequeModel;
use crate::oracle::campaign::{batch, run_many, Campaign};
use crate::oracle::{plain, Class};
use rstest::rstest;

fn kernel(text: &str) -> Kernel {
    assemble(text, "test.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)))
}

fn shipped(name: &str) -> Kernel {
    let shipped = kernels::find(name).expect("it ships");
    assemble(shipped.text, shipped.file_name).expect("it assembles")
}

/// A kernel without the regions of its author, with those of the pass.
fn passed(kernel: &Kernel) -> Kernel {
    let plain = strip(kernel).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    insert_divergence(&plain).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

/// The program as the pass writes it, an instruction a line, labels before their instructions.
fn text(kernel: &Kernel) -> Vec<String> {
    let line = |(address, instruction): (u32, &crate::isa::Instruction)| {
        let labels = kernel.labels.iter().filter(|(_, at)| **at == address).map(|(name, _)| format!("{name}: "));
        format!("{}{instruction}", labels.collect::<String>())
    };
    (0..).zip(&kernel.instructions).map(line).collect()
}

fn engine(name: &str, configuration: Configuration) -> Box<dyn Engine> {
    match name {
        "tree" => Box::new(TreeTable::new(Configuration { tree: true, ..configuration })),
        "stack" => Box::new(DequeModel::new(Configuration { stack_mode: true, ..configuration })),
        _ => Box::new(DequeModel::new(configuration)),
    }
}

fn run(kernel: &Kernel, on: &str) -> Outcome {
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let options = RunOptions { max_cycles: 3_000_000, watchdog: 20_000, ..RunOptions::default() };
    let machine = Machine::new(kernel, &launch, engine(on, Configuration::default()), options).expect("it fits");
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = model_barriers(options.barrier_size(&launch), Statics::default()).expect("the model");
            machine.with_barriers(&launch, scheduler).expect("it fits the barrier scheduler")
        }
        false => machine,
    };
    let outcome = machine.run(&|| false, &mut |_| ());
    if outcome.verdict == Verdict::Completed {
        assert_eq!(kernel.check(&launch, &outcome.global), [], "{} on {on}", kernel.name);
    }
    outcome
}

/// IS-06: what an author wrote comes back word by word where there is one good way only.
#[rstest]
#[case("spin_lock")]
#[case("spmv")]
fn is_06_regions_come_back_as_they_were(#[case] name: &str) {
    let by_hand = shipped(name);
    assert_eq!(text(&passed(&by_hand)), text(&by_hand));
}

/// IS-06: every kernel that ships, stripped and put through the pass, is right on the deque and the tree, spin locks among them.
#[rstest]
fn is_06_shipped_kernels_end_on_deque_and_tree(#[values("deque", "tree")] on: &str) {
    for shipped in kernels::ALL {
        let by_hand = assemble(shipped.text, shipped.file_name).expect("it assembles");
        let plain = strip(&by_hand).expect("its regions can be taken out");
        let passed = match insert_divergence(&plain) {
            Ok(passed) => passed,
            // Its BRX jumps into a table of barriers, which is no table of branches.
            Err(mistakes) if shipped.name == "gather" => {
                assert_eq!(mistakes.mistakes.len(), 1);
                continue;
            }
            Err(mistakes) => panic!("{:?}", miette::Report::new(mistakes)),
        };
        let outcome = run(&passed, on);
        assert!(outcome.verdict == Verdict::Completed, "{} on {on}: {}", shipped.name, outcome.verdict.explain());
    }
}

/// IS-06: threads meet again as they do with the author's regions: the kernels of SM-21 keep as many lanes busy, within a twentieth. The one whose
/// loops cannot be nested has no regions of its author's; on the deque it does better without.
#[rstest]
#[case("nested_if", 0.95)]
#[case("loops", 0.95)]
#[case("switch", 0.95)]
#[case("fibonacci", 0.95)]
#[case("quicksort", 0.95)]
#[case("virtual_calls", 0.95)]
#[case("early_exit", 0.95)]
#[case("goto_spaghetti", 0.5)]
fn is_06_threads_meet_again(#[case] name: &str, #[case] share: f64, #[values("stack", "deque", "tree")] on: &str) {
    let by_hand = shipped(name);
    let (hand, pass) = (run(&by_hand, on), run(&passed(&by_hand), on));
    assert_eq!(pass.verdict, Verdict::Completed);
    let (hand, pass) = (hand.counters.simd_efficiency(32), pass.counters.simd_efficiency(32));
    assert!(pass > share * hand, "{name} on {on}: {pass:.3} instead of {hand:.3}");
}

/// IS-06, XV-03: random programs without regions do the same before and after the pass, thread by thread, and after it on every engine.
#[rstest]
fn is_06_random_programs_on_every_engine(
    #[values("stack", "deque", "tree")] on: &'static str,
    #[values(32, 5)] threads: usize,
) {
    let base = Configuration { threads, ..Configuration::default() };
    let campaign = Campaign::new(6, 1500, Class::Plain, base);
    let factory =
        |configuration: &Configuration| engine(on, Configuration { stack_mode: false, tree: false, ..*configuration });
    let summary = run_many(&campaign, &factory, &|_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(summary.programs[&Class::Plain] >= 1500);
    assert!(summary.statistics.diverged > 1000, "{:?}", summary.statistics);
}

/// IS-06: every cycle passes a YIELD without a guard, whatever the graph; all kinds of region occur, and graphs that cannot be nested.
#[test]
fn is_06_every_cycle_yields() {
    let campaign = Campaign::new(7, 0, Class::Plain, Configuration::default());
    let (mut counts, mut irreducible) = (std::collections::BTreeMap::new(), 0);
    for prepared in (0..20).flat_map(|number| batch(&campaign, number).1) {
        let cfg = ControlFlowGraph::new(&plain::code(&prepared.program));
        assert!(yielding_ways(&cfg, &|_| false).is_empty(), "{}", prepared.program.listing());
        for (name, count) in plain::inserted(&prepared.program) {
            *counts.entry(name).or_insert(0) += count;
        }
        let before = ControlFlowGraph::new(&plain::code(prepared.plain.as_ref().expect("it went through the pass")));
        let entered_twice = |found: &super::loops::Loop| {
            let entered = |block: &&petgraph::graph::NodeIndex| {
                let mut from = before.graph.neighbors_directed(**block, petgraph::Direction::Incoming);
                from.any(|other| !found.blocks.contains(&other))
            };
            found.blocks.iter().filter(entered).count() > 1
        };
        irreducible += usize::from(loops(&before).iter().any(entered_twice));
    }
    for name in ["SSY", "SYNC", "PBK", "BRK", "PCNT", "CONT", "YIELD"] {
        assert!(counts.get(name).is_some_and(|count| *count > 100), "{name}: {counts:?}");
    }
    assert!(irreducible > 50, "{irreducible}");
}

fn yields(kernel: &Kernel) -> usize {
    let action = Action::Control(ControlOpcode::Yield);
    kernel.instructions.iter().filter(|instruction| instruction.action == action).count()
}

/// IS-06: a loop gets a YIELD unless its number of rounds is known when it is assembled.
#[rstest]
#[case::up("MOV R1, 0\nl: IADD R1, R1, 1\nISETP.LT.U P0, R1, 10\n@P0 BRA l\nEXIT", Some(10))]
#[case::down("MOV R1, 5\nl: ISUB R1, R1, 1\nISETP.NE.S P0, R1, 0\n@P0 BRA l\nEXIT", Some(5))]
#[case::test_first("l: ISETP.GE.S P0, R1, 3\n@P0 BRA e\nIADD R1, R1, 1\nBRA l\ne: EXIT", None)]
#[case::start_known("MOV R1, 0\nNOP\nl: ISETP.GE.S P0, R1, 3\n@P0 BRA e\nIADD R1, R1, 1\nBRA l\ne: EXIT", Some(4))]
#[case::inverted("MOV R1, 0\nl: IADD R1, R1, 2\nISETP.GE.U P0, R1, 9\n@!P0 BRA l\nEXIT", Some(5))]
#[case::signed("MOV R1, -3\nl: IADD R1, R1, 1\nISETP.LT.S P0, R1, 0\n@P0 BRA l\nEXIT", Some(3))]
#[case::bound_in_a_register("MOV R1, 0\nl: IADD R1, R1, 1\nISETP.LT.U P0, R1, R2\n@P0 BRA l\nEXIT", None)]
#[case::start_unknown("S2R R1, %lane\nl: IADD R1, R1, 1\nISETP.LT.U P0, R1, 10\n@P0 BRA l\nEXIT", None)]
#[case::step_guarded("MOV R1, 0\nl: @P1 IADD R1, R1, 1\nISETP.LT.U P0, R1, 10\n@P0 BRA l\nEXIT", None)]
#[case::written_twice("MOV R1, 0\nl: IADD R1, R1, 1\nAND R1, R1, 3\nISETP.LT.U P0, R1, 10\n@P0 BRA l\nEXIT", None)]
#[case::never_ends("MOV R1, 0\nl: IADD R1, R1, 2\nISETP.NE.U P0, R1, 9\n@P0 BRA l\nEXIT", None)]
#[case::float("MOV R1, 0\nl: IADD R1, R1, 1\nFSETP.LT P0, R1, 10\n@P0 BRA l\nEXIT", None)]
#[case::two_ways_out("MOV R1, 0\nl: IADD R1, R1, 1\n@P1 BRA e\nISETP.LT.U P0, R1, 10\n@P0 BRA l\ne: EXIT", None)]
#[case::no_way_out("l: IADD R1, R1, 1\nBRA l\nEXIT", None)]
#[case::old_test("MOV R1, 0\nl: ISETP.LT.U P0, R1, 10\nIADD R1, R1, 1\n@P0 BRA l\nEXIT", None)]
#[case::callee("MOV R1, 0\nl: IADD R1, R1, 1\nCAL f, R30\nISETP.LT.U P0, R1, 10\n@P0 BRA l\nEXIT\nf: RET R30", None)]
fn is_06_known_trip_counts(#[case] body: &str, #[case] known: Option<u32>) {
    let kernel = kernel(body);
    let passed = insert_divergence(&kernel).expect("it passes");
    assert_eq!(yields(&passed), usize::from(known.is_none()), "{:#?}", text(&passed));
    let code = super::kernel::code(&kernel).expect("it is plain");
    let cfg = ControlFlowGraph::new(&code);
    assert_eq!(rounds(&kernel, &cfg, &loops(&cfg)[0]), known);
}

/// IS-06, IS-05: what cannot go through is named with its line and a hint.
#[rstest]
#[case("SSY e\ne: EXIT", 1, "belongs to a region", "--strip-divergence")]
#[case("NOP\nEXIT 3\nNOP\nEXIT", 2, "belongs to a region", "--strip-divergence")]
#[case("NOP\nBRX R1, t\nt: NOP\nEXIT", 2, "no table of branches", "BRA")]
#[case("JMX R1\nEXIT", 1, "no register ever gets", "MOV R4, label")]
#[case("BRA 99\nEXIT", 1, "no instruction at address 0x63", "label")]
#[case("NOP\nNOP", 2, "behind its last", "EXIT")]
#[case(
    "CAL f\nEXIT\nf: S2R R1, %lane\nl: ISUB R1, R1, 1\nISETP.NE.U P0, R1, 0\n@P0 BRA l\nRET",
    7,
    "yields at line 6",
    "RET R30"
)]
#[case("CAL f\nEXIT\nf: CAL g, R1\nRET\ng: YIELD\nRET R1", 4, "yields at line 5", "RET R30")]
fn is_06_refusals(#[case] body: &str, #[case] line: usize, #[case] message: &str, #[case] hint: &str) {
    let mistakes = insert_divergence(&kernel(body)).expect_err(body).mistakes;
    let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
    assert_eq!(mistake.line, line, "{mistake}");
    assert!(mistake.message.contains(message) && mistake.hint.contains(hint), "{mistake}: {}", mistake.hint);
}

/// IS-06: a long jump that relies on its token cannot become a branch.
#[test]
fn is_06_a_token_is_no_branch() {
    let mistakes = strip(&kernel("PLONGJMP e\nLONGJMP\ne: EXIT")).expect_err("LONGJMP").mistakes;
    assert_eq!(mistakes.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [2]);
}

/// IS-06: a loop that is entered in two places: one region to leave it, a YIELD on each of its cycles.
#[test]
fn is_06_an_irreducible_loop() {
    let body = "S2R R1, %lane\nAND R2, R1, 1\nISETP.EQ.U P0, R2, 0\n@P0 BRA b\n\
        a: IADD R1, R1, 3\nb: ISUB R1, R1, 2\nISETP.LT.S P1, R1, 40\n@P1 BRA a\nEXIT";
    let passed = insert_divergence(&kernel(body)).expect("it passes");
    assert_eq!(
        text(&passed),
        [
            "PBK 0xe",
            "S2R R1, %lane",
            "AND R2, R1, 0x1",
            "ISETP.EQ.U P0, R2, 0x0",
            "SSY 0x8",
            "@P0 SYNC 0x8",
            "a: IADD R1, R1, 0x3",
            "SYNC 0x8",
            "b: ISUB R1, R1, 0x2",
            "ISETP.LT.S P1, R1, 0x28",
            "@!P1 BRK 0xe",
            "YIELD",
            "SSY 0x8",
            "BRA 0x6",
            "at_000e: EXIT",
        ]
        .map(String::from)
        .to_vec(),
    );
}
