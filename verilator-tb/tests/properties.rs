//! What is proven of a block holds on the traffic of its lockstep, and that traffic, or the control core around a part, keeps what the proof assumes
//! (XV-04). A proof says nothing of surroundings that do what it assumes they do not.

use super::replay::Patient;
use heddle_gen::export::{package::Package, store};
use heddle_hdl::points::{self, Entry};
use heddle_sim::control_core::{ControlCore, Setup};
use heddle_sim::engine::Configuration;
use heddle_sim::machine::SchedulerPolicy;
use heddle_sim::oracle::grid::campaign::{prepare, reference, EngineKind, GridCampaign, LONGEST_RUN};
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::grid::runner::{run, CorePart, Parts};
use heddle_sim::rtl::control_core::RtlCore;
use heddle_sim::rtl::elaborated::core_barrier_block;
use heddle_tb::core_mutation::driver::DRIVERS;
use heddle_tb::lockstep::campaign::{self, Plan};
use heddle_tb::verilated::{Model, Options, Source, Start};
use rstest::rstest;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Says to the test that is started below which folder it is to run, and for how long: a check that fails ends its process.
const FOLDER: &str = "HEDDLE_PROPERTIES_FOLDER";
const CYCLES: &str = "HEDDLE_PROPERTIES_CYCLES";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_path_buf()
}

/// The block and point whose Verilog lies in a folder.
fn entry(folder: &Path) -> Entry {
    let text = std::fs::read_to_string(folder.join("bench.json")).expect("what it is");
    let place: Value = serde_json::from_str(&text).expect("JSON");
    let wanted = (place["export"].as_str(), place["point"].as_str());
    points::entries().into_iter().find(|entry| (Some(entry.block), Some(entry.point)) == wanted).expect("an export")
}

/// The export, once for all tests of this process.
fn exports() -> &'static Path {
    static EXPORTS: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = EXPORTS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let packages: Vec<Package> =
            points::entries().iter().map(|entry| Package::build(entry).expect("an export")).collect();
        store::write(folder.path(), &packages).expect("it is written");
        folder
    });
    folder.path()
}

/// The exports of subjects, all if none is named, with their checks, each in a folder of its name.
fn simulated(subjects: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().to_str().expect("a path in UTF-8");
    let from = exports().to_str().expect("a path in UTF-8");
    let prove = repository().join("scripts/prove");
    let written = Command::new(prove).args(subjects).args(["--simulated", into, "--from", from]).output();
    let written = written.expect("it runs");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    folder
}

/// XV-12: a circuit is constrained by all that is assumed, and by what is proven of that very text; it is of where traffic is checked to keep what is
/// assumed, and there is none of what traffic does not keep.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_12_circuits_are_of_what_traffic_keeps() {
    let folder = tempfile::tempdir().expect("a folder");
    let [out, work] = ["circuits", "work"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    let from = exports().to_str().expect("a path in UTF-8");
    let subjects = ["plain_barrier", "thread_state", "token_deque"];
    let written = Command::new(repository().join("scripts/prove"))
        .args(subjects)
        .args(["--circuits", &out, "--work", &work, "--from", from])
        .output()
        .expect("it runs");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let files = std::fs::read_dir(&out).expect("circuits").map(|file| file.expect("a file"));
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let (own, moved) =
        ("plain_barrier_4x8x4.plain_barrier.aag", "barrier_scheduler_2x2x2x4x2_thread_state.thread_state.aag");
    // The second place of the same subject.
    let second = "barrier_execution_2x2x2x4x2_thread_state.thread_state.aag";
    assert_eq!(names, [second, moved, own]);
    let stated = |subject: &str, kind: &str| {
        let text = std::fs::read_to_string(repository().join(format!("scripts/proofs/{subject}.sv"))).expect("text");
        // What larger points have instead is not of this one.
        let mut pieces = text.split("`else");
        let first = pieces.next().unwrap_or_default().to_string();
        let text = pieces.fold(first, |text, piece| text + piece.split_once("`endif").expect("an end").1);
        text.matches(&format!(": {kind} (")).count()
    };
    let constraints = |name: &str| -> usize {
        let text = std::fs::read_to_string(Path::new(&out).join(name)).expect("a circuit");
        text.split_whitespace().nth(7).expect("constraints").parse().expect("a number")
    };
    // One more: that it begins with a reset.
    assert_eq!(constraints(own), stated("plain_barrier", "assume") + stated("plain_barrier", "assert") + 1);
    assert_eq!(constraints(moved), stated("thread_state", "assume") + stated("thread_state", "assert") + 1);

    // What was proven of another text is not known of this one.
    let changed = folder.path().join("changed");
    let packages: Vec<Package> = points::entries()
        .iter()
        .filter(|entry| ["thread_state", "barrier_scheduler"].contains(&entry.block) && entry.point == "2x2x2x4x2")
        .map(|entry| Package::build(entry).expect("an export"))
        .collect();
    store::write(&changed, &packages).expect("it is written");
    let part = changed.join("thread_state_2x2x2x4x2/thread_state_2x2x2x4x2.v");
    let text = std::fs::read_to_string(&part).expect("Verilog");
    std::fs::write(part, text.replacen("endmodule", "wire other;\nendmodule", 1)).expect("it is written");
    let written = Command::new(repository().join("scripts/prove"))
        .args(["thread_state", "--circuits", &out, "--work", &work, "--from", from])
        .args(["--original", changed.to_str().expect("a path in UTF-8")])
        .output()
        .expect("it runs");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    assert_eq!(constraints(moved), stated("thread_state", "assume") + 1);
}

/// Runs a subject's export with its checks, in a process of its own; gives what that said, which is an error if it did not end well.
fn watched(folder: &Path, cycles: u64) -> Result<String, String> {
    in_process("properties::one_subject", folder, cycles)
}

/// The same of one of the tests that are started here.
fn in_process(test: &str, folder: &Path, cycles: u64) -> Result<String, String> {
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(CYCLES, cycles.to_string())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&[child.stdout, child.stderr].concat()).into_owned();
    if child.status.success() {
        Ok(said)
    } else {
        Err(said)
    }
}

/// Checks of a subject that were never asked in a run.
fn never_asked(folder: &Path, said: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).expect("text")).collect();
    let asks: BTreeSet<&str> =
        texts.iter().flat_map(|text| text.split('"')).filter(|text| text.ends_with(" is asked")).collect();
    assert!(!asks.is_empty(), "{}: there are no checks", folder.display());
    let said: BTreeSet<&str> = said.lines().collect();
    asks.difference(&said).map(ToString::to_string).collect()
}

/// What a test is to run that is started in a process of its own: the block, its export with its checks, and for how many cycles.
fn started() -> Option<(Entry, Source, u64)> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    let cycles = std::env::var(CYCLES).expect("cycles").parse().expect("a number");
    let entry = entry(&folder);
    let mut source = Source::of(&entry).expect("an export");
    let files = std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
    let text = |file: PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&file).expect("text"))
    };
    source.files = files.filter(|file| file.extension().is_some_and(|extension| extension == "sv")).map(text).collect();
    source.files.sort();
    Some((entry, source, cycles))
}

/// Not a test by itself: what [`watched`] starts.
#[test]
#[ignore = "started by the others, in a process of its own"]
fn one_subject() {
    let Some((entry, source, cycles)) = started() else { return };
    let model = Model::build(&source, &Options { quick: true, ..Options::CHECKING }).expect("it is SystemVerilog");
    if campaign::blocks().any(|block| block == entry.block) {
        let outcome =
            campaign::run(&entry, &model, Plan { cycles, seed: 1, alone: true }, None, &Patient).expect("a bench");
        assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("a failure").what.what);
    } else {
        grids(&entry, &model, cycles);
    }
}

/// Random grids on a control core.
fn grids(entry: &Entry, model: &Model, cycles: u64) {
    let base = Configuration::of(entry);
    let engine = if base.tree { EngineKind::Tree } else { EngineKind::Deque };
    let suspends = entry.block == "control_core_suspending";
    let (mut ran, mut number, mut suspended) = (0, 0, 0);
    // Both classes, since those that could be suspended may be greedy; and suspensions of blocks, where there are any.
    while ran < cycles || (suspends && suspended == 0) {
        let class = [GridClass::Barriers, GridClass::Suspends][number as usize % 2];
        let campaign =
            GridCampaign { seed: 1, programs: u64::MAX, class, base, engine: Some(engine), longest_run: LONGEST_RUN };
        let build = |setup: &Setup| -> Box<dyn ControlCore> {
            // By turns, or greedy where no warp spins at a barrier: it would keep the others from running.
            let greedy = class == GridClass::Suspends && number / 2 % 2 == 1;
            let scheduler = if greedy { SchedulerPolicy::GreedyThenOldest } else { setup.scheduler };
            let setup = Setup { scheduler, ..*setup };
            Box::new(RtlCore::new(model.simulation(Start::Random(number)), "core with checks", setup))
        };
        let parts = Parts { core: Some(CorePart::new(&build, core_barrier_block)), ..reference() };
        let (configuration, mut prepared, _) = prepare(&campaign, number);
        prepared.program.suspend = prepared.program.suspend.filter(|_| suspends);
        let counts = run(&parts, &configuration, &prepared).unwrap_or_else(|wrong| panic!("grid {number}: {wrong}"));
        ran += counts.cycles;
        suspended += counts.suspended;
        number += 1;
    }
}

/// XV-04: the checks of a block, and of parts of the control cores, which no bench drives but random grids, in all places where they are simulated.
#[rstest]
#[case("execution_slots")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("issue_stage")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("warp_scheduler")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("cta_slots")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("barrier_queue")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("wake_queue")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("barrier_requests")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("barrier_answers")]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("barrier_steps")]
fn xv_04_traffic_keeps_what_proofs_assume(#[case] subject: &str) {
    let folder = simulated(&[subject]);
    for place in std::fs::read_dir(folder.path()).expect("a folder").map(|place| place.expect("a place").path()) {
        let said = watched(&place, 200_000).unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(never_asked(&place, &said), [""; 0], "{}", place.display());
    }
}

/// Not a test by itself: what [`xv_12_drivers_keep_what_proofs_assume`] starts.
#[test]
#[ignore = "started by the others, in a process of its own"]
fn one_driver() {
    let Some((_, mut source, cycles)) = started() else { return };
    let folder = std::env::var_os(FOLDER).map(PathBuf::from).expect("a folder");
    let driver = DRIVERS.iter().find(|driver| folder.file_stem() == Some(driver.part.as_ref())).expect("a driver");
    source.files.iter_mut().for_each(|(name, _)| *name = name.replace(".sv", ".v"));
    let bench = driver.bench(&source).expect("it is driven");
    let model = Model::build(&bench, &Options { quick: true, ..Options::CHECKING }).expect("it is SystemVerilog");
    driver.drive(&bench.ports, 1, cycles, &mut |episode| Box::new(model.simulation(Start::Random(episode))));
}

/// XV-04, XV-12: what drives a part of the core by itself does nothing but what the proofs of that part assume, and the part does what is claimed of it.
#[rstest]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_12_drivers_keep_what_proofs_assume(
    #[values("barrier_answers", "barrier_queue", "wake_queue", "warp_scheduler")] subject: &str,
) {
    let folder = simulated(&[subject]);
    let folder = folder.path().join(format!("{subject}.control_core"));
    let said = in_process("properties::one_driver", &folder, 1_000_000).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(never_asked(&folder, &said), [""; 0]);
}

/// XV-04: a check can fail, also one of a subject that does not always claim something: where a bug of the proofs is planted, the message names
/// what does not hold.
#[rstest]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("cta_slots", "last_is_told", 20_000)]
#[case("window_control", "writes_a_free_entry", 100_000)]
fn xv_04_what_does_not_hold_is_said(#[case] subject: &str, #[case] property: &str, #[case] cycles: u64) {
    let folder = simulated(&[subject]);
    let folder = folder.path().join(subject);
    let proofs = repository().join(format!("scripts/proofs/{subject}.json"));
    let proofs: Value = serde_json::from_str(&std::fs::read_to_string(proofs).expect("proofs")).expect("JSON");
    let [pattern, replacement] =
        ["pattern", "replacement"].map(|text| proofs["bugs"][property][text].as_str().expect("a bug"));
    let mut planted = 0;
    for file in std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()) {
        let whole = std::fs::read_to_string(&file).expect("text");
        planted += whole.matches(pattern).count();
        std::fs::write(file, whole.replace(pattern, replacement)).expect("written");
    }
    assert_eq!(planted, 1, "{pattern}");
    let said = watched(&folder, cycles).expect_err("it is noticed");
    assert!(said.contains(&format!("{subject}.{property} does not hold")), "{said}");
}

/// XV-04: the same of every subject, for longer: what `scripts/nightly` runs.
#[test]
#[ignore = "takes many minutes; scripts/nightly runs it"]
fn xv_04_traffic_keeps_what_every_proof_assumes() {
    let folder = simulated(&[]);
    let mut subjects: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").path()).collect();
    subjects.sort();
    let proofs = std::fs::read_dir(repository().join("scripts/proofs")).expect("the proofs");
    let named = proofs.filter(|file| file.as_ref().expect("a file").path().extension() == Some("json".as_ref()));
    // Further places of a subject have another one behind a dot.
    let first = subjects.iter().filter(|folder| folder.extension().is_none());
    assert_eq!(first.count(), named.count(), "{subjects:?}");
    let mut found = Vec::new();
    for subject in &subjects {
        match watched(subject, 1_000_000) {
            Ok(said) => found.extend(never_asked(subject, &said).into_iter().map(|name| format!("never: {name}"))),
            Err(said) => found.push(said),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
