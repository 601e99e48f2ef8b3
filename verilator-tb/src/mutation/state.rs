//! Where a run stands, in a file: a stopped run goes on, a finished one is not run again, and its survivors can be read there.

use super::equivalence::Verdict;
use super::larger::Larger;
use super::report::Survivor;
use super::run::Progress;
use super::schema::Mutant;
use crate::error::{Error, Result};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the file's schema, with its version.
const SCHEMA: &str = "heddle.mutation/3";

/// See the module's page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    schema: String,
    /// Hash of the mutated Verilog: another choice or another block starts anew.
    fingerprint: String,
    /// Hash of the proofs: what was decided under others is decided anew.
    proofs: String,
    /// How far the traffic came, and whom it killed.
    pub progress: Progress,
    /// The same of the traffic from memories that are alike; those are among the killed above, too.
    #[serde(default)]
    pub alike: Progress,
    /// What the proofs said of those that it did not, by number.
    pub verdicts: BTreeMap<u32, Verdict>,
    /// Those that no method without proofs has decided, by number, with the seconds that each of these had: with no more than that they are not asked again.
    #[serde(default)]
    exhausted: BTreeMap<u32, u64>,
    /// What of the rest was noticed at a larger point.
    #[serde(default)]
    pub larger: Larger,
    /// The survivors of a finished run.
    pub survivors: Vec<Survivor>,
    #[serde(skip)]
    path: Option<PathBuf>,
}

impl State {
    /// The state in `folder`, or one that has not begun if it has none of this module and `fingerprint`, or `fresh` is asked for.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(
        folder: Option<&Path>,
        module: &str,
        seed: u64,
        [fingerprint, proofs]: [String; 2],
        fresh: bool,
    ) -> Result<Self> {
        let path = folder.map(|folder| folder.join(format!("{module}_seed{seed}.json")));
        if let Some(path) = path.as_ref().filter(|path| !fresh && path.is_file()) {
            let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
            // A file of another version is as good as none.
            if let Ok(state) = serde_json::from_str::<State>(&text) {
                if state.schema == SCHEMA && state.fingerprint == fingerprint {
                    let mut state = Self { path: Some(path.clone()), ..state };
                    if state.proofs != proofs {
                        state.verdicts.retain(|_, verdict| verdict.is_proof() && !verdict.hangs_on_proofs());
                        state.proofs = proofs;
                    }
                    return Ok(state);
                }
            }
        }
        Ok(Self {
            schema: SCHEMA.to_string(),
            fingerprint,
            proofs,
            progress: Progress::default(),
            alike: Progress::default(),
            verdicts: BTreeMap::new(),
            exhausted: BTreeMap::new(),
            larger: Larger::default(),
            survivors: Vec::new(),
            path,
        })
    }

    /// Whether the mutant of this number is neither noticed at this point nor proven equivalent.
    pub fn survives(&self, number: u32) -> bool {
        let proven = self.verdicts.get(&number).is_some_and(|verdict| verdict.is_proof());
        !proven && !self.progress.killed.contains_key(&number)
    }

    /// Whether it was not noticed at a larger point either.
    pub fn is_open(&self, number: u32) -> bool {
        self.survives(number) && !self.larger.noticed.contains_key(&number)
    }

    /// Whether methods without proofs may decide that mutant within `limit`: inputs are not known to tell it, and no such method has failed in as much time.
    pub fn is_undecided(&self, number: u32, limit: Duration) -> bool {
        let different = self.verdicts.get(&number) == Some(&Verdict::Different);
        let exhausted = self.exhausted.get(&number).is_some_and(|seconds| *seconds >= limit.as_secs());
        !different && !exhausted
    }

    /// Keeps that no method without proofs has decided `mutants`, each in `limit`.
    pub fn exhaust(&mut self, mutants: &[&Mutant], limit: Duration) {
        self.exhausted.extend(mutants.iter().map(|mutant| (mutant.number, limit.as_secs())));
        for number in self.exhausted.keys() {
            self.verdicts.entry(*number).or_insert(Verdict::Undecided);
        }
    }

    /// Keeps what was decided. That something is not decided does not take back what is known.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn learn(&mut self, decided: &[(u32, Verdict)]) -> std::result::Result<(), CliError> {
        for (number, verdict) in decided {
            let known = self.verdicts.entry(*number).or_insert(*verdict);
            if *verdict != Verdict::Undecided {
                *known = *verdict;
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what was decided by other proofs is forgotten, what needed none stays; another text begins anew.
    #[test]
    fn xv_12_verdicts_hang_on_the_proofs() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |text: &str, proofs: &str| {
            let hashes = [text, proofs].map(String::from);
            State::open(Some(folder.path()), "block", 1, hashes, false).expect("a state")
        };
        let all = [
            Verdict::SameFunction,
            Verdict::SameFromReset,
            Verdict::SameAsProven,
            Verdict::SameInSurroundings,
            Verdict::StaysAlike,
            Verdict::Different,
            Verdict::Undecided,
        ];
        let mut state = open("text", "proofs");
        state.verdicts = (1..).zip(all).collect();
        state.save().expect("it is written");
        assert_eq!(open("text", "proofs").verdicts, state.verdicts);
        assert!(open("text", "others").verdicts.into_values().eq([Verdict::SameFunction, Verdict::SameFromReset]));
        assert!(open("another", "proofs").verdicts.is_empty());
    }
    /// XV-12: what methods without proofs did not decide is asked again with more time only, also under other proofs; that something is not decided takes nothing
    /// back.
    #[test]
    fn xv_12_who_is_exhausted_gets_more_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |proofs: &str| {
            let hashes = ["text", proofs].map(String::from);
            State::open(Some(folder.path()), "block", 1, hashes, false).expect("a state")
        };
        let mutant = |number| Mutant {
            number,
            file: "block.v".into(),
            line: 1,
            was: String::new(),
            becomes: String::new(),
            node: 0,
        };
        let asked = |state: &State, seconds| -> Vec<u32> {
            (1..=3).filter(|number| state.is_undecided(*number, Duration::from_secs(seconds))).collect()
        };
        let mut state = open("proofs");
        state.learn(&[(1, Verdict::Undecided), (2, Verdict::Different)]).expect("it is written");
        assert_eq!(asked(&state, 20), [1, 3]);
        state.exhaust(&[&mutant(1)], Duration::from_secs(20));
        assert_eq!((asked(&state, 20), asked(&state, 21)), (vec![3], vec![1, 3]));
        state.learn(&[(1, Verdict::SameAsProven)]).expect("it is written");
        state.learn(&[(1, Verdict::Undecided)]).expect("it is written");
        assert_eq!(state.verdicts[&1], Verdict::SameAsProven);
        let others = open("others");
        assert_eq!((asked(&others, 20), others.survives(1)), (vec![2, 3], true));
    }
}
