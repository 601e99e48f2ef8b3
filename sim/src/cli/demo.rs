//! `demo`: a spin lock that hangs the plain stack and runs to its end on the deque and on the tree (UX-02).

use clap::Args;
use serde::Serialize;

use crate::engine::Configuration;
use crate::machine::counters::Counters;
use crate::machine::{RunOptions, Verdict};

use super::error::CliError;
use super::execute::{execute, Report};
use super::json::{Document, RunDocument};
use super::load::{kernel, Loaded};
use super::options::EngineChoice;
use super::output::{print, print_json};
use super::registry::Backends;
use super::tables::side_by_side;
use super::timeline;

/// The kernel of the demo.
const KERNEL: &str = "spin_lock";

/// The options of `demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoArguments {
    /// Which form of the engines runs; by default the hardware itself, if it is linked
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// Shows what the token deque is for.
pub fn demo(arguments: &DemoArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = match &arguments.backend {
        Some(name) => backends.find(Some(name))?,
        None => backends.showcase(),
    };
    let kernel = kernel(KERNEL)?;
    let launch = kernel
        .launch(&crate::assembler::Overrides::default())
        .map_err(|cause| CliError::Internal(format!("the demo's kernel cannot be launched: {cause}")))?;
    let loaded = Loaded { kernel, launch, as_shipped: true };
    let options = RunOptions { timelines: 1, ..RunOptions::default() };
    let mut reports = Vec::new();
    for engine in [EngineChoice::Stack, EngineChoice::Deque, EngineChoice::Tree] {
        let (stack_mode, tree) = (engine == EngineChoice::Stack, engine == EngineChoice::Tree);
        let configuration = Configuration { stack_mode, tree, ..Configuration::default() };
        reports.push(execute(&loaded, engine, backend, &configuration, options)?);
    }
    if arguments.json {
        let runs = reports.iter().map(RunDocument::from).collect();
        print_json(&Document::new("heddle.demo", DemoDocument { runs }))?;
    } else {
        print(&describe(&loaded, &reports))?;
    }
    let [stack, others @ ..] = &reports[..] else { return Err(CliError::Internal("the demo has no run".to_string())) };
    let deadlock = matches!(&stack.outcome.verdict, Verdict::Hang(hang) if hang.deadlock);
    if deadlock && others.iter().all(Report::passed) {
        Ok(())
    } else {
        Err(CliError::Check(
            "the stack should deadlock, deque and tree should finish with the right memory".to_string(),
        ))
    }
}

/// The JSON document of the demo.
#[derive(Serialize)]
struct DemoDocument {
    runs: Vec<RunDocument>,
}

fn describe(loaded: &Loaded, reports: &[Report]) -> String {
    let heading = |text: &str| {
        let style = anstyle::Style::new().bold();
        format!("{style}{text}{style:#}\n")
    };
    let mut text = heading(&format!("{}: {}", loaded.kernel.name, loaded.kernel.summary));
    for (number, report) in reports.iter().enumerate() {
        text.push('\n');
        text.push_str(&heading(&format!("{}. On the {}", number + 1, report.engine_name)));
        if report.passed() {
            text.push_str("every thread got the lock, and memory holds what the kernel's file expects\n");
        } else {
            text.push_str(&report.explain());
        }
        for warp in &report.outcome.timelines {
            text.push_str(&timeline::render(warp, "warp 0"));
        }
    }
    let timelines: Vec<_> = reports.iter().flat_map(|report| &report.outcome.timelines).collect();
    text.push_str(&format!("{}\n\n", timeline::legend(&timelines)));
    text.push_str(&heading("Side by side"));
    text.push_str(&format!("{}\n", side_by_side(reports)));
    if let [stack, deque, tree] = reports {
        let hang = matches!(stack.outcome.verdict, Verdict::Hang(_));
        if hang && deque.passed() && tree.passed() {
            text.push_str(&lesson(&deque.outcome.counters, &tree.outcome.counters));
        }
    }
    text
}

/// What the figures say.
fn lesson(deque: &Counters, tree: &Counters) -> String {
    format!(
        "The stack waits for all threads to leave the loop before it lets the one with the lock go on, so none ever does.\n\
         On the deque each YIELD sends the spinning threads to the back of the queue, and the one in front releases the lock:\n\
         {} yields and at most {} tokens at once for {} threads.\n\
         In the tree each YIELD takes the spinning threads out of their region as a leaf of its own, and the leaves take turns:\n\
         {} yields and at most {} nodes at once.\n",
        deque.yielded,
        deque.peak_tokens(),
        Configuration::default().threads,
        tree.yielded,
        tree.peak_nodes()
    )
}
