//! The oracle's door on an engine that is wrong, alone and inside a control core: the failure is kept, shrunk, and can be replayed.

use std::path::Path;

use clap::Parser;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::oracle::{oracle, OracleArguments};
use heddle_sim::cli::registry::{model_barriers, model_context, model_distributor, Backend, Backends};
use heddle_sim::control_core::{ControlCore, ModelCore, Setup};
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Operation, Request};
use heddle_sim::model::DequeModel;
use heddle_sim::oracle::CaseFile;
use rstest::rstest;

/// An engine on which BRK leaves no loop.
struct Leaky(DequeModel);

impl Engine for Leaky {
    fn name(&self) -> String {
        "leaky model".to_string()
    }
    fn configuration(&self) -> &Configuration {
        self.0.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.0.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.0.ready()
    }
    fn running(&mut self) -> u64 {
        self.0.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.0.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.0.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        let breaks = request.operation == Operation::Leave && request.kind == Some(Kind::Break);
        self.0.offer(&Request { mask: if breaks { 0 } else { request.mask }, ..*request })
    }
    fn tick(&mut self) -> Events {
        self.0.tick()
    }
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: OracleArguments,
}

const MODEL: Backend = Backend {
    name: "model",
    about: "",
    build: |size| Ok(Box::new(DequeModel::new(*size))),
    barriers: model_barriers,
    distributor: model_distributor,
    context: model_context,
    core: None,
};
const LEAKY: Backend = Backend { name: "leaky", build: |size| Ok(Box::new(Leaky(DequeModel::new(*size)))), ..MODEL };

/// A control core of models around an engine.
fn core_of(engine: Box<dyn Engine>, setup: &Setup) -> Box<dyn ControlCore> {
    Box::new(ModelCore::new(engine, setup).expect("a warp fits"))
}

const MODEL_CORE: Backend = Backend {
    name: "core",
    core: Some(|setup| Ok(core_of(Box::new(DequeModel::new(setup.configuration)), setup))),
    ..MODEL
};
const LEAKY_CORE: Backend = Backend {
    name: "leaky-core",
    core: Some(|setup| Ok(core_of(Box::new(Leaky(DequeModel::new(setup.configuration))), setup))),
    ..MODEL
};

fn run(options: &[&str], backend: Backend) -> Result<(), CliError> {
    let line = Line::parse_from([&["oracle"], options].concat());
    oracle(&line.arguments, &Backends::new(backend), "cargo sim")
}

fn exit_code(result: Result<(), CliError>) -> u8 {
    result.map_or_else(|failure| failure.exit_code(), |()| 0)
}

/// XV-03, UX-08: a wrong engine is exit code 1; the shrunk program is kept in a file that fails again on that engine and passes on
/// a right one.
#[rstest]
#[case(MODEL, LEAKY)]
#[case(MODEL_CORE, LEAKY_CORE)]
fn a_failure_is_kept_and_replayed(#[case] right: Backend, #[case] wrong: Backend) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("failures");
    let place = place.to_str().expect("a path");
    let options = ["--class", "structured", "--programs", "500", "--failures", place, "--json"];
    assert_eq!(exit_code(run(&options, wrong)), 1);
    assert_eq!(exit_code(run(&options, right)), 0);
    let files: Vec<_> = std::fs::read_dir(place).expect("the folder").flatten().map(|file| file.path()).collect();
    let [file] = &files[..] else { panic!("one failure is kept: {files:?}") };
    let case = CaseFile::load(Path::new(file)).expect("a saved case");
    let [program] = &case.programs[..] else { panic!("it was shrunk to one program") };
    assert!(program.code.len() <= 12, "a few instructions show it: {}", program.listing());
    // XV-03: it says where the thread left its path.
    assert!(case.seen.contains("its step"), "{}", case.seen);
    let file = file.to_str().expect("a path");
    assert_eq!(exit_code(run(&["--replay", file], wrong)), 1);
    assert_eq!(exit_code(run(&["--replay", file], right)), 0);
}

/// UX-08: a folder for failures that cannot be made is bad input.
#[test]
fn an_impossible_folder_is_bad_input() {
    let options = ["--class", "structured", "--programs", "500", "--failures", "/dev/null/x"];
    assert_eq!(exit_code(run(&options, LEAKY)), 2);
}
