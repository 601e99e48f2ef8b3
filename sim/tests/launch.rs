//! Grids go through the work distributor: larger than the core, and only where a predicate table says so (SM-03, SM-24, WD-01).

use crate::support::{self, kernel};
use heddle_sim::assembler::Overrides;
use heddle_sim::cli::options::{CoreOptions, EngineChoice};
use heddle_sim::cli::registry::Backend;
use heddle_sim::cli::{backends, predicate_file};
use heddle_sim::engine::Configuration;
use heddle_sim::kernels;
use heddle_sim::launch::Shape;
use heddle_sim::machine::{Machine, Outcome, RunOptions, Verdict};
use rstest::rstest;

/// Each block takes the next place of a list and leaves its number there.
const LIST: &str = "
.memory next, 1
.memory list, ctas = fill 0xffffffff
.grid 70, 3, 2
.block 1
        S2R     R0, %cta
        PARAM   R1, next
        MOV     R4, 1
        ATOM.GLOBAL.ADD R2, [R1], R4
        PARAM   R3, list
        IMAD    R2, R2, 4, R3
        ST.GLOBAL.W [R2], R0
        EXIT
";

fn backend(name: &str) -> Backend {
    *backends().all().iter().find(|backend| backend.name == name).expect("it is linked")
}

/// Runs a text with parameters on a backend, its distributor included.
fn run(text: &str, parameters: &[(&str, u32)], engine: EngineChoice, backend: Backend) -> Outcome {
    run_with(text, parameters, engine, backend, RunOptions::default())
}

/// The same, with options.
fn run_with(
    text: &str,
    parameters: &[(&str, u32)],
    engine: EngineChoice,
    backend: Backend,
    options: RunOptions,
) -> Outcome {
    let kernel = kernel(text);
    let parameters = parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let launch = kernel.launch(&Overrides { parameters, ..Overrides::default() }).expect("it launches");
    let configuration = CoreOptions::default().configuration(engine).map_err(|_| ()).expect("a configuration");
    let built = (backend.build)(&configuration).expect("an engine");
    let distributor = (backend.distributor)(Shape::CORE).expect("a distributor");
    let machine = Machine::new(&kernel, &launch, built, options).expect("it fits");
    let outcome = machine.with_distributor(&launch, distributor).run(&|| false, &mut |_| {});
    assert_eq!(outcome.verdict, Verdict::Completed);
    assert_eq!(kernel.check(&launch, &outcome.global), []);
    outcome
}

/// The list that [`LIST`] leaves.
fn list(outcome: &Outcome) -> Vec<u32> {
    support::words(outcome).into_iter().skip(1).take(420).collect()
}

/// SM-03, WD-02: a grid of 420 blocks on a core of four warps runs to its end, every block once, several at a time; x before y before z.
#[rstest]
fn sm_03_a_grid_larger_than_the_core(#[values("model", "windowed", "rtl")] name: &str) {
    let outcome = run(LIST, &[], EngineChoice::Deque, backend(name));
    let counters = &outcome.counters;
    assert_eq!((counters.blocks_launched, counters.blocks_done, counters.table_words), (420, 420, 0));
    assert_eq!(counters.blocks_at_once, 4);
    assert_eq!(
        list(&outcome),
        (0..420).collect::<Vec<_>>(),
        "equal blocks in round robin end in the order of their launch"
    );
}

/// SM-03, WD-01, WD-05: with a table exactly the blocks whose flags are set run, in order; each word of the table is fetched once.
#[rstest]
fn wd_01_only_blocks_with_a_flag_run(
    #[values("model", "windowed", "rtl")] name: &str,
    #[values(0, 3, 60, 100)] percent: u32,
) {
    let text = format!(".param percent = 1\n{LIST}\n.predicate live\n.memory live, 24 = sparse 5, percent\n");
    let kernel = kernel(&text);
    let overrides = Overrides { parameters: [("percent".to_string(), percent)].into(), ..Overrides::default() };
    let launch = kernel.launch(&overrides).expect("it launches");
    let table = launch.predicate.expect("a table");
    let mut expected: Vec<u32> = (0..420).filter(|cta| launch.flag(&launch.global, table, launch.cta(*cta))).collect();
    let outcome = run(&text, &[("percent", percent)], EngineChoice::Deque, backend(name));
    assert_eq!(outcome.counters.blocks_launched, expected.len() as u64);
    assert_eq!(outcome.counters.table_words, 12, "two words a row of 70");
    expected.resize(420, u32::MAX);
    assert_eq!(list(&outcome), expected);
}

/// SM-04, WD-10: a table of zeros, thousands of words long, is no hang, however short the watchdog's patience; nothing is launched.
#[rstest]
fn sm_04_a_long_table_of_zeros_is_no_hang(#[values("model", "rtl")] name: &str) {
    let text = ".grid 64, 2000\n.memory live, 4000\n.predicate live\n.memory never, 1\n
                MOV R0, 1\nPARAM R1, never\nST.GLOBAL.W [R1], R0\nEXIT\n.expect never = 0\n";
    let options = RunOptions { watchdog: 1, ..RunOptions::default() };
    let outcome = run_with(text, &[], EngineChoice::Deque, backend(name), options);
    assert_eq!((outcome.counters.blocks_launched, outcome.counters.table_words), (0, 2000));
}

/// SM-24, SM-01: the stencil with a table and the one with early exits leave the same result on every engine and backend; with the table only live
/// tiles are launched, and the run is shorter.
#[rstest]
fn sm_24_the_table_saves_what_early_exits_cost(
    #[values(EngineChoice::Stack, EngineChoice::Deque, EngineChoice::Tree)] engine: EngineChoice,
    #[values("model", "rtl")] name: &str,
) {
    let text = kernels::find("stencil_sparse").expect("it ships").text;
    let picked = run(text, &[("predicated", 1)], engine, backend(name));
    let early = run(text, &[("predicated", 0)], engine, backend(name));
    assert_eq!(picked.global, early.global);
    assert_eq!(early.counters.blocks_launched, 72 * 6);
    assert!(picked.counters.blocks_launched < 72 * 6 / 3, "{}", picked.counters.blocks_launched);
    assert!(picked.counters.cycles * 2 < early.counters.cycles, "{}", picked.counters.cycles);
}

/// WD-01, UX-03: a picture stands in for a table; a kernel that has none of its own gets one behind its sections, and is then not checked.
#[test]
fn ux_03_a_picture_picks_the_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiles.txt");
    std::fs::write(&path, "0110\n\n1000 // the second plane\n").expect("a file");
    let kernel = kernel(&LIST.replace("70, 3, 2", "4, 1, 2"));
    let launch = kernel.launch(&Overrides::default()).expect("it launches");
    let mut loaded = heddle_sim::cli::load::Loaded { kernel, launch, as_shipped: true };
    predicate_file::load(&path, &mut loaded).map_err(|_| ()).expect("a table");
    assert!(!loaded.as_shipped && loaded.kernel.expectations.is_empty());
    assert_eq!(loaded.launch.predicate, Some(40), "36 bytes of sections, up to a multiple of 8");
    let engine = support::model(Configuration::default());
    let machine = Machine::new(&loaded.kernel, &loaded.launch, engine, RunOptions::default()).expect("it fits");
    let outcome = machine.run(&|| false, &mut |_| {});
    assert_eq!(list(&outcome)[..4], [1, 2, 4, u32::MAX]);
}
