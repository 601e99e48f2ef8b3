//! Jobs that fail on purpose: each leaves something to look at, and the command that runs it again.

use super::job::{Job, JobFailure, Suite};
use super::report::RegressDocument;
use super::{finish, RegressArguments};
use crate::verilated::{Model, Options, Source, Start};
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files::read_text;
use heddle_sim::cli::options::EngineChoice;
use heddle_sim::cli::registry::{model_barriers, model_context, model_distributor, Backend};
use heddle_sim::engine::{Configuration, Engine};
use heddle_sim::kernels::{self, Shipped};
use heddle_sim::oracle::grid::generate::GridClass;
use heddle_sim::oracle::warp_runner::subject::Subject;
use heddle_sim::oracle::Class;
use heddle_sim::rtl::elaborated::point_for;
use heddle_sim::rtl::RtlEngine;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The export of a divergence unit whose merges lose threads. That of a tree, which some grids want, is whole.
fn broken(configuration: &Configuration) -> Source {
    let entry: Entry = point_for(configuration).expect("a point");
    let mut source = Source::of(&entry).expect("the export");
    let (right, wrong) = ("added_mask = operation_mask;", "added_mask = replace ? operation_mask : 32'd0;");
    let file = source.files.iter_mut().find(|(_, text)| text.contains(right));
    assert!(file.is_some() || configuration.tree, "the export merges");
    file.into_iter().for_each(|(_, text)| *text = text.replace(right, wrong));
    source
}

/// An engine on it, with a waveform if one is wanted.
fn engine(configuration: &Configuration, wave: Option<&Path>) -> RtlEngine<crate::verilated::Verilated> {
    let options = Options { quick: true, trace: wave.is_some(), ..Options::CHECKING };
    let model = Model::build(&broken(configuration), &options).expect("it builds");
    let simulation = model.traced(Start::Random(1), wave).expect("it can be written");
    RtlEngine::new(simulation, "broken", *configuration)
}

fn traced(configuration: &Configuration, wave: &Path) -> Result<Subject, CliError> {
    Ok(Subject::Engine(Box::new(engine(configuration, Some(wave)))))
}

const BROKEN: Backend = Backend {
    name: "verilated",
    about: "",
    build: |configuration| Ok(Box::new(engine(configuration, None)) as Box<dyn Engine>),
    barriers: model_barriers,
    distributor: model_distributor,
    context: model_context,
    core: None,
};

/// The failure of the first job that has one.
fn failure(jobs: impl IntoIterator<Item = Job>, folder: &Path) -> JobFailure {
    let failures = jobs.into_iter().find_map(|job| job.run(folder).expect("it runs").failure);
    failures.expect("a broken engine is found")
}

/// A waveform that was written, with something in it, beside the others.
fn is_there(failure: &JobFailure, folder: &Path, extension: &str) {
    let wave = Path::new(failure.wave.as_deref().expect("it leaves a waveform"));
    assert!(wave.starts_with(folder) && wave.extension().is_some_and(|it| it == extension), "{failure:?}");
    assert!(std::fs::metadata(wave).expect("it is there").len() > 500, "{failure:?}");
}

/// XV-08: a kernel that fails leaves a trace, and a command that writes it again.
#[test]
fn xv_08_a_kernel_that_fails_leaves_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = |kernel: &Shipped| Job::Kernel { name: kernel.name, engine: EngineChoice::Deque, backend: BROKEN };
    let failure = failure(kernels::ALL.iter().map(job), folder.path());
    is_there(&failure, folder.path(), "fst");
    assert!(failure.replay.starts_with("cargo tb run ") && failure.replay.contains("--trace"), "{failure:?}");
    assert_eq!(failure.file, None);
}

/// XV-08: lockstep that fails leaves the shrunk case, its pins, and the command that runs both again.
#[test]
fn xv_08_lockstep_that_fails_leaves_its_pins() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = points::find("leaf_selector", "1x8x8").expect("a point");
    let mut source = Source::of(&entry).expect("the export");
    let (right, wrong) = ("counts_write_data = count + 4'd1;", "counts_write_data = count + 4'd2;");
    let file = source.files.iter_mut().find(|(_, text)| text.contains(right)).expect("the export counts");
    file.1 = file.1.replace(right, wrong);
    let model = Model::build(&source, &Options { quick: true, ..Options::CHECKING }).expect("it builds");
    let block = Arc::new((entry, model));
    let failure = failure([Job::Lockstep { block, seed: 1, cycles: 2_000 }], folder.path());
    is_there(&failure, folder.path(), "vcd");
    let file = failure.file.clone().expect("it is kept");
    let (wave, again) = (failure.wave.clone().expect("it is there"), &failure.replay);
    assert_eq!(*again, format!("cargo tb replay {file} --wave {wave}"));
    // The case is a small one, and what it fails of is the breakage: the whole block passes it.
    let kept: serde_json::Value =
        serde_json::from_str(&read_text(Path::new(&file), "case").expect("text")).expect("JSON");
    assert_eq!((&kept["block"], &kept["point"]), (&"leaf_selector".into(), &"1x8x8".into()));
}

/// XV-08: programs that fail leave their file, the pins of what they ran on, and the command that runs them again.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_08_programs_that_fail_leave_their_pins() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = |seed| Job::Programs { class: Class::Structured, tree: false, backend: BROKEN, traced, seed };
    let failure = failure((1..20).map(job), folder.path());
    is_there(&failure, folder.path(), "vcd");
    let file = failure.file.clone().expect("it is kept");
    assert!(Path::new(&file).is_file() && failure.replay.contains(&file), "{failure:?}");
}

/// XV-08: a grid that fails leaves its file and a trace.
#[test]
fn xv_08_a_grid_that_fails_leaves_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = |number| Job::Grid { class: GridClass::Barriers, backend: BROKEN, seed: 1, number };
    let failure = failure((0..60).map(job), folder.path());
    is_there(&failure, folder.path(), "fst");
    let file = failure.file.clone().expect("it is kept");
    assert!(Path::new(&file).is_file() && failure.replay.contains(&file), "{failure:?}");
}

/// XV-08, UX-08: with `--coverage-goal` a line that is not met ends the run as a failed check, the report in its place all the same; without, and where the goal is met, it ends well.
#[test]
fn xv_08_a_goal_that_is_missed_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = points::find("leaf_selector", "1x8x8").expect("a point");
    let whole = Job::Coverage { entry, seed: 1, cycles: 10_000 }.run(folder.path()).expect("it runs");
    let ended = |missed: usize, coverage_goal: bool| {
        let arguments = RegressArguments {
            seeds: 1,
            first: 1,
            jobs: None,
            cycles: 10_000,
            suites: vec![Suite::Coverage],
            coverage: false,
            coverage_goal,
            report: folder.path().join(format!("{missed}-{coverage_goal}")),
            json: false,
        };
        std::fs::create_dir(&arguments.report).expect("a folder");
        let mut result = whole.clone();
        result.covered.as_mut().expect("it counts").lines.covered -= missed;
        let ended = finish(&arguments, &RegressDocument::new(&arguments, Duration::ZERO, vec![result]));
        assert!(["index.html", "report.json"].iter().all(|file| arguments.report.join(file).is_file()));
        ended
    };
    assert!(ended(0, true).is_ok() && ended(1, false).is_ok());
    let short = ended(1, true).expect_err("a line is missed");
    assert_eq!(short.exit_code(), 1);
    assert!(matches!(short, CliError::Check(cause) if cause == "1 blocks do not meet the goal of coverage"));
}
