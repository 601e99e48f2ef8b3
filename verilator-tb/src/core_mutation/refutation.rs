//! Mutants that the properties of a module refute (XV-04, XV-12): traffic of the whole core did not bring what tells them from the whole, but something that is claimed of the module does not hold of
//! them, in a bounded check, as long as its surroundings do what is assumed. `scripts/refute` asks that of `scripts/proofs`.

use crate::error::{Error, Result};
use crate::mutation::hierarchy::{module_of, Hierarchy};
use crate::mutation::schema::{Mutant, Schema};
use crate::tools;
use heddle_gen::export::package::Package;
use heddle_gen::export::store;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What does not hold of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// Whose property.
    pub subject: String,
    /// Which.
    pub property: String,
    /// In which cycle.
    pub cycle: u64,
}

/// Which of `mutants` are refuted by what is claimed of their module, or of one around it; each check may take `limit`.
///
/// # Errors
/// A missing tool, or properties that do not fit the export.
pub fn refuted(
    entry: &Entry,
    schema: &Schema,
    mutants: &[&Mutant],
    limit: Duration,
) -> std::result::Result<BTreeMap<u32, Refutation>, CliError> {
    let folder = tempfile::Builder::new().prefix("heddle-refutation-").tempdir().map_err(Error::file("/tmp"))?;
    let exports = folder.path().join("exports");
    store::write(&exports, &[Package::build(entry).map_err(|cause| CliError::Internal(cause.to_string()))?])?;
    for (name, text) in &schema.source.files {
        let place = exports.join(entry.module()).join(name);
        fs::write(&place, text).map_err(Error::file(&place))?;
    }
    let (questions, answers) = (folder.path().join("questions"), folder.path().join("answers"));
    let hierarchy = Hierarchy::of(&schema.source.files);
    fs::write(&questions, mutants.iter().map(|mutant| question(&hierarchy, mutant)).collect::<String>())
        .map_err(Error::file(&questions))?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/refute");
    let [from, out, questions] = [&exports, &answers, &questions].map(|path| path.to_string_lossy().into_owned());
    let (module, limit) = (entry.module(), limit.as_secs().max(1).to_string());
    let arguments = [&*module, "--from", &from, "--out", &out, "--asked", &questions, "--limit", &limit];
    tools::run_in("scripts/refute", &script, folder.path(), &arguments, "scripts/refute --help")?;
    let text = fs::read_to_string(&answers).map_err(Error::file(&answers))?;
    Ok(text.lines().map(answer).collect::<Result<_>>()?)
}

/// A line for a mutant: its number, its module, and those around it, of which the last are the largest.
fn question(hierarchy: &Hierarchy, mutant: &Mutant) -> String {
    let own = module_of(&mutant.file);
    let mut modules = vec![own];
    let mut known = BTreeSet::from([own]);
    let mut next = 0;
    while let Some(module) = modules.get(next).copied() {
        modules.extend(hierarchy.around(module).filter(|outer| known.insert(outer)));
        next += 1;
    }
    format!("{} {}\n", mutant.number, modules.join(" "))
}

/// What a line says.
fn answer(line: &str) -> Result<(u32, Refutation)> {
    let parts: Vec<&str> = line.split(' ').collect();
    let read = || -> Option<(u32, Refutation)> {
        let [number, subject, property, cycle] = parts[..] else { return None };
        let (subject, property) = (subject.to_string(), property.to_string());
        Some((number.parse().ok()?, Refutation { subject, property, cycle: cycle.parse().ok()? }))
    };
    read().ok_or_else(|| Error::Internal { place: "scripts/refute".into(), cause: format!("it says '{line}'") })
}
