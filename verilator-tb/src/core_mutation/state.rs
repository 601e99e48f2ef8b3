//! Where a run on a core stands, in a file: a stopped run goes on behind the last piece of traffic, or the last step, that came to its end.

use crate::error::{Error, Result};
use crate::mutation::equivalence::Verdict;
use crate::mutation::schema::{Mutant, Schema};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name of the file's schema, with its version.
const SCHEMA: &str = "heddle.core-mutation/1";

/// Who is asked about a mutant, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Traffic of the whole core.
    Traffic,
    /// What drives its module by itself.
    Driver,
    /// Properties of its module.
    Properties,
    /// Whether it is the same in a part, whatever that gets.
    Parts,
    /// The same as far as what is proven of a part holds.
    Proven,
    /// What is said to count of the states of a part.
    Alike,
    /// A search for what a part may get that tells it.
    Search,
}

/// See the module's page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    schema: String,
    /// Hash of the mutated Verilog.
    fingerprint: String,
    /// Pieces of traffic that have run.
    pub pieces: u64,
    /// Their cycles.
    pub cycles: u64,
    /// Who was noticed, by number, and by whom.
    pub killed: BTreeMap<u32, Step>,
    /// What was proven.
    pub proven: BTreeMap<u32, Verdict>,
    /// Who was asked about whom in vain, with the seconds that each had.
    asked: BTreeMap<Step, BTreeMap<u32, u64>>,
    #[serde(skip)]
    path: Option<PathBuf>,
}

impl State {
    /// The state in `folder` of that module and seed, or one that has not begun if it has none of `schema`, or `fresh` is asked for.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(folder: Option<&Path>, module: &str, seed: u64, schema: &Schema, fresh: bool) -> Result<Self> {
        let path = folder.map(|folder| folder.join(format!("{module}_seed{seed}.json")));
        let mut hasher = blake3::Hasher::new();
        for (name, text) in &schema.source.files {
            hasher.update(name.as_bytes()).update(text.as_bytes());
        }
        let fingerprint = hasher.finalize().to_hex()[..32].to_string();
        if let Some(path) = path.as_ref().filter(|path| !fresh && path.is_file()) {
            let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
            // A file of another version is as good as none.
            let state = serde_json::from_str::<State>(&text).ok();
            if let Some(state) = state.filter(|state| (&*state.schema, &state.fingerprint) == (SCHEMA, &fingerprint)) {
                return Ok(Self { path: Some(path.clone()), ..state });
            }
        }
        let (killed, proven, asked) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { schema: SCHEMA.into(), fingerprint, pieces: 0, cycles: 0, killed, proven, asked, path })
    }

    /// Whom nobody has noticed, and nothing excludes.
    pub fn left<'a>(&self, schema: &'a Schema) -> Vec<&'a Mutant> {
        let is_left =
            |mutant: &&Mutant| !self.killed.contains_key(&mutant.number) && !self.proven.contains_key(&mutant.number);
        schema.mutants.iter().filter(is_left).collect()
    }

    /// Whom of these `step` has not been asked about, or for less than so many seconds.
    pub fn due<'a>(&self, schema: &'a Schema, (step, seconds): (Step, u64)) -> Vec<&'a Mutant> {
        let had = |mutant: &Mutant| self.asked.get(&step)?.get(&mutant.number).copied();
        let is_due = |mutant: &&Mutant| had(mutant).is_none_or(|had| had < seconds);
        self.left(schema).into_iter().filter(is_due).collect()
    }

    /// Keeps whom of `asked` the step noticed.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn noticed(
        &mut self,
        (step, seconds): (Step, u64),
        asked: &[&Mutant],
        noticed: &BTreeSet<u32>,
    ) -> std::result::Result<(), CliError> {
        self.killed.extend(noticed.iter().map(|number| (*number, step)));
        self.ask((step, seconds), asked)
    }

    /// Keeps of whom of `asked` it proved that nobody can.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn proved(
        &mut self,
        (step, seconds): (Step, u64),
        asked: &[&Mutant],
        proven: BTreeMap<u32, Verdict>,
    ) -> std::result::Result<(), CliError> {
        self.proven.extend(proven);
        self.ask((step, seconds), asked)
    }

    fn ask(&mut self, (step, seconds): (Step, u64), asked: &[&Mutant]) -> std::result::Result<(), CliError> {
        self.asked.entry(step).or_default().extend(asked.iter().map(|mutant| (mutant.number, seconds)));
        self.save()
    }

    /// Writes it, all or nothing.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn save(&self) -> std::result::Result<(), CliError> {
        let Some(path) = &self.path else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|cause| files::unwritable(folder, &cause))?;
        }
        let text = serde_json::to_string_pretty(self).map_err(|cause| CliError::Internal(cause.to_string()))?;
        files::write_atomically(path, text.as_bytes())
    }
}
