//! Parts of a core under what their proofs assume and have shown ([`contracts`]). A mutant that nobody can tell there is the same *as proven*; one that inputs tell which a solver finds is
//! noticed, where it is said which outputs mean something (`qualified` in `scripts/proofs`): the surroundings of a part may bring whatever its proofs assume of them.

use crate::error::{Error, Result};
use crate::mutation::attempt::{Attempt, Kept};
use crate::mutation::contracts::{self, Contract};
use crate::mutation::equivalence::Verdict;
use crate::mutation::hierarchy::{module_of, Hierarchy};
use crate::mutation::schema::{Mutant, Schema};
use crate::mutation::unloaded::with_unloaded;
use crate::mutation::Watch;
use crate::tools;
use crate::verilated::Source;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The methods, the cheapest first. What is kept anywhere takes its whole time for nearly all that it is asked about.
const METHODS: [Kept; 3] = [Kept::Nowhere, Kept::Nearby, Kept::Somewhere];

/// The parts of a core that have proofs.
pub struct Proven<'a> {
    entry: &'a Entry,
    schema: &'a Schema,
    /// Module by subject.
    modules: BTreeMap<String, String>,
    hierarchy: Hierarchy,
    abc: PathBuf,
    folder: TempDir,
    limit: Duration,
}

impl<'a> Proven<'a> {
    /// Those of the modules of `schema` of which `is_asked` holds; a method may take `limit` for each mutant and part.
    ///
    /// # Errors
    /// A missing tool.
    pub fn of(entry: &'a Entry, schema: &'a Schema, is_asked: &dyn Fn(&str) -> bool, limit: Duration) -> Result<Self> {
        let subject = |module: &str| module.strip_prefix(&*schema.source.top)?.strip_prefix('_').map(String::from);
        let modules = schema.source.files.iter().map(|(file, _)| module_of(file)).filter(|module| is_asked(module));
        let modules = modules.filter_map(|module| Some((subject(module)?, module.to_string())));
        Ok(Self {
            entry,
            schema,
            modules: modules.filter(|(subject, _)| settings_of(subject).exists()).collect(),
            hierarchy: Hierarchy::of(&schema.source.files),
            abc: tools::program("yosys-abc")?,
            folder: tempfile::Builder::new().prefix("heddle-proven-").tempdir().map_err(Error::file("/tmp"))?,
            limit,
        })
    }

    /// Which of `mutants` nobody can tell in a part that has them, whatever its outputs mean to others.
    ///
    /// # Errors
    /// A tool that fails, properties that do not fit, or Ctrl-C.
    pub fn same(
        &self,
        mutants: &[&Mutant],
        watch: &dyn Watch,
    ) -> std::result::Result<BTreeMap<u32, Verdict>, CliError> {
        let here = self.in_parts(mutants, &|_| true);
        let subjects: BTreeSet<&str> = here.values().flatten().map(String::as_str).collect();
        if subjects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (instrumented, unloaded) = with_unloaded(self.schema, mutants);
        let contracts = contracts::of_subjects(self.entry, &instrumented, &subjects)?;
        let around = |mutant: &Mutant| -> Vec<&Contract> {
            let module = module_of(&mutant.file);
            contracts.iter().filter(|contract| self.hierarchy.only_in(module, &contract.module)).collect()
        };
        let decided = self.each(mutants, watch, &|mutant| {
            for contract in around(mutant) {
                let unloaded = unloaded.get(&mutant.number).map(|anything| (*anything, &METHODS[..1]));
                for (number, methods) in unloaded.into_iter().chain([(mutant.number, &METHODS[..])]) {
                    let attempt = self.attempt(contract, true, number);
                    for &kept in methods {
                        if attempt.at_once(kept)?.is_proof() || attempt.decide(kept)?.is_proof() {
                            return Ok(Verdict::SameAsProven);
                        }
                    }
                }
            }
            Ok(Verdict::Undecided)
        })?;
        Ok(decided.into_iter().filter(|(_, verdict)| verdict.is_proof()).collect())
    }

    /// Which of `mutants` some inputs tell that the part may get, at an output that means something.
    ///
    /// # Errors
    /// As [`same`](Self::same).
    pub fn told(&self, mutants: &[&Mutant], watch: &dyn Watch) -> std::result::Result<BTreeSet<u32>, CliError> {
        let mut told = BTreeSet::new();
        let here = self.in_parts(mutants, &says_what_means_something);
        let subjects: BTreeSet<&str> = here.values().flatten().map(String::as_str).collect();
        for subject in subjects {
            let asked: Vec<&Mutant> = mutants
                .iter()
                .filter(|mutant| here[&mutant.number].iter().any(|one| one == subject))
                .filter(|mutant| !told.contains(&mutant.number))
                .copied()
                .collect();
            // What a part says counts as that of a whole block does: only where it means something.
            let source = Source { top: self.modules[subject].clone(), ..self.schema.source.clone() };
            let schema = Schema { source, mutants: Vec::new(), ..*self.schema };
            let contracts = contracts::of_subjects(self.entry, &schema, &BTreeSet::from([subject]))?;
            let Some(contract) = contracts.iter().find(|contract| contract.module == self.modules[subject]) else {
                continue;
            };
            let decided = self
                .each(&asked, watch, &|mutant| self.attempt(contract, false, mutant.number).decide(Kept::Anywhere))?;
            let different = decided.into_iter().filter(|(_, verdict)| *verdict == Verdict::Different);
            told.extend(different.map(|(number, _)| number));
        }
        Ok(told)
    }

    /// The subjects, of those that `fits`, of the parts that have all of each mutant.
    fn in_parts(&self, mutants: &[&Mutant], fits: &dyn Fn(&str) -> bool) -> BTreeMap<u32, Vec<String>> {
        let subjects: Vec<(&String, &String)> = self.modules.iter().filter(|(subject, _)| fits(subject)).collect();
        let those = |mutant: &&Mutant| -> Vec<String> {
            let has = |module: &str| self.hierarchy.only_in(module_of(&mutant.file), module);
            subjects.iter().filter(|(_, module)| has(module)).map(|(subject, _)| (*subject).clone()).collect()
        };
        mutants.iter().map(|mutant| (mutant.number, those(mutant))).collect()
    }

    fn attempt<'b>(&'b self, contract: &'b Contract, part: bool, number: u32) -> Attempt<'b> {
        let Contract { module: name, circuit, .. } = contract;
        Attempt { abc: &self.abc, folder: self.folder.path(), name, circuit, part, number, limit: self.limit }
    }

    /// What `says` says of each of `mutants`.
    fn each(
        &self,
        mutants: &[&Mutant],
        watch: &dyn Watch,
        says: &(dyn Fn(&Mutant) -> Result<Verdict> + Sync),
    ) -> std::result::Result<Vec<(u32, Verdict)>, CliError> {
        let done = AtomicUsize::new(0);
        let decided = mutants.par_iter().map(|mutant| {
            if interrupted() {
                return Err(CliError::Interrupted);
            }
            let verdict = says(mutant)?;
            watch.proofs(done.fetch_add(1, Ordering::Relaxed) + 1, mutants.len());
            Ok((mutant.number, verdict))
        });
        decided.collect()
    }
}

/// What there is said of a proof.
fn settings_of(subject: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/proofs").join(format!("{subject}.json"))
}

/// Whether it is said of `subject` which of its outputs mean something.
fn says_what_means_something(subject: &str) -> bool {
    let text = std::fs::read_to_string(settings_of(subject)).unwrap_or_default();
    serde_json::from_str::<Value>(&text).is_ok_and(|settings| settings.get("qualified").is_some())
}
