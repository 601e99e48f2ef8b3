//! The JSON documents of the doors (UX-08). `docs/json.md` describes them; a change that breaks a reader raises [`VERSION`].

use serde::Serialize;

use crate::engine::{Configuration, PathPolicy};
use crate::machine::counters::Counters;
use crate::machine::hang::Hang;
use crate::machine::{FailedSuspension, Verdict};

use super::execute::Report;

/// Version of every schema below.
pub const VERSION: u32 = 1;

/// How an engine was set up.
#[derive(Clone, Debug, Serialize)]
pub struct ConfigurationDocument {
    warps: usize,
    threads: usize,
    depth: usize,
    path_policy: &'static str,
    yield_policy: String,
    yield_seed: u16,
    software_handler: bool,
    spill_limit: u16,
    memory_latency: u32,
}

impl From<&Configuration> for ConfigurationDocument {
    fn from(configuration: &Configuration) -> Self {
        Self {
            warps: configuration.warps,
            threads: configuration.threads,
            depth: configuration.depth,
            path_policy: path_policy_name(configuration.path_policy),
            yield_policy: yield_policy_name(configuration),
            yield_seed: configuration.yield_seed,
            software_handler: configuration.software_handler,
            spill_limit: configuration.spill_limit,
            memory_latency: configuration.memory_latency,
        }
    }
}

/// A path policy as the command line writes it.
pub const fn path_policy_name(policy: PathPolicy) -> &'static str {
    match policy {
        PathPolicy::Taken => "taken",
        PathPolicy::NotTaken => "not-taken",
        PathPolicy::Smaller => "smaller",
        PathPolicy::Larger => "larger",
    }
}

fn yield_policy_name(configuration: &Configuration) -> String {
    super::options::YieldChoice { policy: configuration.yield_policy, parameter: configuration.yield_parameter }
        .to_string()
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct RunDocument {
    kernel: String,
    engine: &'static str,
    backend: &'static str,
    engine_name: String,
    configuration: ConfigurationDocument,
    grid: [u32; 3],
    block: [u32; 3],
    verdict: &'static str,
    check: &'static str,
    mismatches: Vec<String>,
    message: Option<String>,
    simd_efficiency: f64,
    counters: Counters,
    hang: Option<Hang>,
    failed_suspensions: Vec<FailedSuspension>,
}

impl From<&Report> for RunDocument {
    fn from(report: &Report) -> Self {
        let outcome = &report.outcome;
        let message = outcome.verdict.explain();
        Self {
            kernel: report.kernel.clone(),
            engine: report.engine.name(),
            backend: report.backend,
            engine_name: report.engine_name.clone(),
            configuration: (&report.configuration).into(),
            grid: report.grid,
            block: report.block,
            verdict: outcome.verdict.name(),
            check: match report.check() {
                "correct" => "passed",
                "WRONG" => "failed",
                _ => "none",
            },
            mismatches: report.mismatches.iter().map(ToString::to_string).collect(),
            message: (!message.is_empty()).then_some(message),
            simd_efficiency: outcome.counters.simd_efficiency(report.configuration.threads),
            counters: outcome.counters.clone(),
            hang: match &outcome.verdict {
                Verdict::Hang(hang) => Some(hang.clone()),
                _ => None,
            },
            failed_suspensions: outcome.failed_suspensions.clone(),
        }
    }
}

/// A document with its schema's name and version.
#[derive(Clone, Debug, Serialize)]
pub struct Document<T> {
    schema: &'static str,
    version: u32,
    #[serde(flatten)]
    content: T,
}

impl<T> Document<T> {
    /// A document of a schema.
    pub const fn new(schema: &'static str, content: T) -> Self {
        Self { schema, version: VERSION, content }
    }
}
