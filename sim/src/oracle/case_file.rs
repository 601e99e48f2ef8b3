//! Failing programs in files, to be run again (XV-02).

use super::interpreter::{interpret, Illegal};
use super::plain;
use super::program::{Class, Program};
use super::warp_runner::subject::Subject;
use super::warp_runner::{explain, Job, Statistics, Wrong};
use crate::engine::{Configuration, PathPolicy, YieldPolicy};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Instructions after which a thread counts as endless. Generated programs stay below by far; files may hold others.
pub const STEP_LIMIT: u32 = 1_000_000;

/// The engine's configuration in a form that lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseConfiguration {
    /// Warps.
    pub warps: usize,
    /// Threads of a warp.
    pub threads: usize,
    /// Entries of a window, or nodes of a tree's table.
    pub depth: usize,
    /// The tree divergence table.
    #[serde(default)]
    pub tree: bool,
    /// `taken`, `not taken`, `smaller`, `larger`.
    pub path_policy: String,
    /// `always`, `every nth`, `random`.
    pub yield_policy: String,
    /// The yield policy's parameter.
    pub yield_parameter: u8,
    /// The yield generator's seed.
    pub yield_seed: u16,
    /// Plain convergence stack.
    pub stack_mode: bool,
    /// Exceptions served by software.
    pub software_handler: bool,
    /// Tokens that a warp may spill.
    pub spill_limit: u16,
    /// Cycles that the spill memory takes.
    pub memory_latency: u32,
}

const PATH_POLICIES: [(&str, PathPolicy); 4] = [
    ("taken", PathPolicy::Taken),
    ("not taken", PathPolicy::NotTaken),
    ("smaller", PathPolicy::Smaller),
    ("larger", PathPolicy::Larger),
];
const YIELD_POLICIES: [(&str, YieldPolicy); 3] =
    [("always", YieldPolicy::Always), ("every nth", YieldPolicy::EveryNth), ("random", YieldPolicy::Random)];

fn name_of<T: PartialEq>(table: &[(&str, T)], value: T) -> String {
    table.iter().find(|(_, other)| *other == value).map_or(String::new(), |(name, _)| (*name).into())
}

fn value_of<T: Copy>(table: &[(&str, T)], field: &str, name: &str) -> Result<T, String> {
    let names = || table.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let found = table.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    found.ok_or_else(|| format!("{field} is `{name}`; it can be {}", names()))
}

impl From<&Configuration> for CaseConfiguration {
    fn from(from: &Configuration) -> Self {
        Self {
            warps: from.warps,
            threads: from.threads,
            depth: from.depth,
            tree: from.tree,
            path_policy: name_of(&PATH_POLICIES, from.path_policy),
            yield_policy: name_of(&YIELD_POLICIES, from.yield_policy),
            yield_parameter: from.yield_parameter,
            yield_seed: from.yield_seed,
            stack_mode: from.stack_mode,
            software_handler: from.software_handler,
            spill_limit: from.spill_limit,
            memory_latency: from.memory_latency,
        }
    }
}

impl TryFrom<&CaseConfiguration> for Configuration {
    type Error = String;

    fn try_from(from: &CaseConfiguration) -> Result<Self, String> {
        Ok(Self {
            warps: from.warps,
            threads: from.threads,
            depth: from.depth,
            tree: from.tree,
            path_policy: value_of(&PATH_POLICIES, "path_policy", &from.path_policy)?,
            yield_policy: value_of(&YIELD_POLICIES, "yield_policy", &from.yield_policy)?,
            yield_parameter: from.yield_parameter,
            yield_seed: from.yield_seed,
            stack_mode: from.stack_mode,
            software_handler: from.software_handler,
            spill_limit: from.spill_limit,
            memory_latency: from.memory_latency,
        })
    }
}

/// A failure to be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseFile {
    /// What was seen, for the reader.
    pub seen: String,
    /// The campaign's seed.
    pub seed: u64,
    /// The batch in the campaign.
    pub batch: u64,
    /// The generator.
    pub class: Class,
    /// The engine's configuration.
    pub configuration: CaseConfiguration,
    /// The programs, run in this order on one engine. One, unless the failure needs the others before it.
    pub programs: Vec<Program>,
}

/// Why a case could not be kept or run again, or what it showed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file could not be read or written.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// The file is not a case.
    #[error("{path} is not a saved case: {cause}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// A program cannot be judged.
    #[error("{path}: program {program} is no test, {cause}")]
    Illegal {
        /// The file.
        path: PathBuf,
        /// The program's place.
        program: usize,
        /// Why.
        cause: Illegal,
    },
    /// The failure is still there.
    #[error("{path}: program {program} still goes wrong on {engine}: {wrong}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The program's place.
        program: usize,
        /// The engine's name.
        engine: String,
        /// What went wrong.
        wrong: Wrong,
    },
}

impl CaseFile {
    /// Writes the case.
    pub fn save(&self, path: &Path) -> Result<(), ReplayError> {
        let file_error = |cause| ReplayError::File { path: path.into(), cause };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(file_error)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(|cause| file_error(cause.into()))?;
        std::fs::write(path, text + "\n").map_err(file_error)
    }

    /// Reads a case.
    pub fn load(path: &Path) -> Result<Self, ReplayError> {
        let text = std::fs::read_to_string(path).map_err(|cause| ReplayError::File { path: path.into(), cause })?;
        serde_json::from_str(&text)
            .map_err(|cause| ReplayError::Content { path: path.into(), cause: cause.to_string() })
    }
}

/// Runs a saved case on a fresh engine or core.
pub fn replay<S: Into<Subject>>(path: &Path, factory: impl Fn(&Configuration) -> S) -> Result<Statistics, ReplayError> {
    let case = CaseFile::load(path)?;
    let configuration = Configuration::try_from(&case.configuration)
        .map_err(|cause| ReplayError::Content { path: path.into(), cause })?;
    let truths = case.programs.iter().enumerate().map(|(program, code)| {
        interpret(code, STEP_LIMIT).map_err(|cause| ReplayError::Illegal { path: path.into(), program, cause })
    });
    let truths = truths.collect::<Result<Vec<_>, _>>()?;
    let jobs: Vec<_> = case.programs.iter().zip(&truths).map(|(program, truth)| Job { program, truth }).collect();
    let mut subject: Subject = factory(&configuration).into();
    let engine_name = subject.name();
    // A case of the divergence pass holds the program before it.
    let mut plain = case.programs.iter().enumerate().filter(|(_, program)| plain::is_plain(program));
    if let (Class::Plain, Some((program, wrong))) =
        (case.class, plain.find_map(|(index, program)| Some((index, plain::changed(program, STEP_LIMIT)?))))
    {
        return Err(ReplayError::Wrong { path: path.into(), program, engine: "divergence pass".into(), wrong });
    }
    subject.run(&jobs).map_err(|(program, wrong)| {
        let explained = match case.programs.as_slice() {
            [single] => explain(&|| factory(&configuration).into(), single, STEP_LIMIT),
            _ => None,
        };
        ReplayError::Wrong { path: path.into(), program, engine: engine_name, wrong: explained.unwrap_or(wrong) }
    })
}
