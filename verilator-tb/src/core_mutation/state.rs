//! Where a run on a core stands, in a file: a stopped run goes on behind the last piece of traffic, or the last step, that came to its end.

use crate::error::{Error, Result};
use crate::mutation::equivalence::Verdict;
use crate::mutation::schema::{Mutant, Schema};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use heddle_sim::cli::output::json_text;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name of the file's schema, with its version.
const SCHEMA: &str = "heddle.core-mutation/2";

/// Who is asked about a mutant, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// What drives its module by itself.
    Driver,
    /// Traffic of the whole core.
    Traffic,
    /// Properties of its module.
    Properties,
    /// Whether it is the same in a part, whatever that gets.
    Parts,
    /// What is said to count of the states of a part.
    Alike,
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
    /// And their episodes.
    pub episodes: u64,
    /// Who was noticed, by number, and by whom.
    pub killed: BTreeMap<u32, Step>,
    /// What was proven.
    pub proven: BTreeMap<u32, Verdict>,
    /// Who was asked about whom in vain, with the seconds that each had; the driver of a module, with its cycles.
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
        Ok(Self { schema: SCHEMA.into(), fingerprint, pieces: 0, cycles: 0, episodes: 0, killed, proven, asked, path })
    }

    /// Whom nobody has noticed, and nothing excludes.
    pub fn left<'a>(&self, schema: &'a Schema) -> Vec<&'a Mutant> {
        let is_left =
            |mutant: &&Mutant| !self.killed.contains_key(&mutant.number) && !self.proven.contains_key(&mutant.number);
        schema.mutants.iter().filter(is_left).collect()
    }

    /// Whom of these `step` has not been asked about, or for less than `time`, in seconds, or cycles of a driver.
    pub fn due<'a>(&self, schema: &'a Schema, (step, time): (Step, u64)) -> Vec<&'a Mutant> {
        let had = |mutant: &Mutant| self.asked.get(&step)?.get(&mutant.number).copied();
        let is_due = |mutant: &&Mutant| had(mutant).is_none_or(|had| had < time);
        self.left(schema).into_iter().filter(is_due).collect()
    }

    /// Keeps whom of `asked` the step noticed.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn noticed(
        &mut self,
        (step, time): (Step, u64),
        asked: &[&Mutant],
        noticed: &BTreeSet<u32>,
    ) -> std::result::Result<(), CliError> {
        self.killed.extend(noticed.iter().map(|number| (*number, step)));
        self.ask((step, time), asked)
    }

    /// Keeps of whom of `asked` it proved that nobody can.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn proved(
        &mut self,
        (step, time): (Step, u64),
        asked: &[&Mutant],
        proven: BTreeMap<u32, Verdict>,
    ) -> std::result::Result<(), CliError> {
        self.proven.extend(proven);
        self.ask((step, time), asked)
    }

    fn ask(&mut self, (step, time): (Step, u64), asked: &[&Mutant]) -> std::result::Result<(), CliError> {
        self.asked.entry(step).or_default().extend(asked.iter().map(|mutant| (mutant.number, time)));
        self.save()
    }

    /// Writes it, all or nothing.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn save(&self) -> std::result::Result<(), CliError> {
        let Some(path) = &self.path else { return Ok(()) };
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder).map_err(|cause| files::unwritable(folder, &cause))?;
        files::write_atomically(path, json_text(self)?.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verilated::Source;
    use std::collections::BTreeSet;

    /// XV-12: a run on a core goes on where it stopped: who was noticed or proven is not asked again, who was asked in vain only for longer; of another text nothing is known.
    #[test]
    fn xv_12_a_run_on_a_core_goes_on() {
        let mutant = |number| Mutant {
            number,
            file: "core.v".into(),
            line: 1,
            was: String::new(),
            becomes: String::new(),
            node: 0,
        };
        let schema = |text: &str| {
            let source = Source { top: "core".into(), files: vec![("core.v".into(), text.into())], ports: Vec::new() };
            Schema { source, mutants: [1, 2, 3, 4].map(mutant).to_vec(), candidates: 4, highest: 4 }
        };
        let folder = tempfile::tempdir().expect("a folder");
        let (this, other) = (schema("text"), schema("another"));
        let open =
            |schema: &Schema, fresh| State::open(Some(folder.path()), "core", 1, schema, fresh).expect("a state");
        let numbers = |mutants: Vec<&Mutant>| mutants.into_iter().map(|mutant| mutant.number).collect::<Vec<u32>>();
        let mut state = open(&this, false);
        (state.pieces, state.cycles, state.episodes) = (2, 9_000, 5);
        state.noticed((Step::Traffic, 0), &[], &BTreeSet::from([1])).expect("it is written");
        let asked = state.due(&this, (Step::Properties, 5));
        state.noticed((Step::Properties, 5), &asked, &BTreeSet::from([3])).expect("it is written");
        let asked = state.due(&this, (Step::Parts, 5));
        state
            .proved((Step::Parts, 5), &asked[..1], BTreeMap::from([(2, Verdict::SameFunction)]))
            .expect("it is written");
        let state = open(&this, false);
        assert_eq!((state.pieces, state.cycles, state.episodes), (2, 9_000, 5));
        assert_eq!(numbers(state.left(&this)), [4]);
        assert_eq!(numbers(state.due(&this, (Step::Properties, 5))), [] as [u32; 0]);
        assert_eq!(numbers(state.due(&this, (Step::Properties, 6))), [4]);
        assert_eq!(numbers(state.due(&this, (Step::Parts, 5))), [4]);
        for state in [open(&other, false), open(&this, true)] {
            assert_eq!((state.cycles, numbers(state.left(&this))), (0, vec![1, 2, 3, 4]));
        }
    }
}
