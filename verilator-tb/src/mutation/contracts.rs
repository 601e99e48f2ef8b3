//! What `scripts/prove` knows of a block and its parts: each that it has a proof of, as a circuit with all mutants, constrained by what the proof
//! assumes and by what it has shown. Traffic keeps what is assumed (`scripts/prove --simulated`), so a mutant that is the same under these
//! constraints is never noticed.

use super::circuit::Circuit;
use super::schema::Schema;
use crate::error::{Error, Result};
use crate::tools;
use heddle_gen::export::package::Package;
use heddle_gen::export::store;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The circuits of `entry` as the mutants of `schema` break it, by module: of those modules that stand in a proof whose assumptions traffic keeps.
///
/// # Errors
/// A missing tool, or properties that do not fit the export.
pub fn contracts(entry: &Entry, schema: &Schema) -> std::result::Result<BTreeMap<String, Circuit>, CliError> {
    let folder = tempfile::Builder::new().prefix("heddle-contracts-").tempdir().map_err(Error::file("/tmp"))?;
    let [exports, circuits, work] = ["exports", "circuits", "work"].map(|name| folder.path().join(name));
    let package = Package::build(entry).map_err(|cause| CliError::Internal(cause.to_string()))?;
    store::write(&exports, &[package])?;
    for (name, text) in &schema.source.files {
        let place = exports.join(entry.module()).join(name);
        fs::write(&place, text).map_err(Error::file(&place))?;
    }
    let prove = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/prove");
    let [out, work, from] = [&circuits, &work, &exports].map(|path| path.to_string_lossy().into_owned());
    let arguments = ["--circuits", &out, "--work", &work, "--from", &from];
    tools::run_in("scripts/prove", &prove, folder.path(), &arguments, "scripts/prove --help")?;
    let mut found = BTreeMap::new();
    for file in fs::read_dir(&circuits).map_err(Error::file(&circuits))?.flatten() {
        let (path, name) = (file.path(), file.file_name().to_string_lossy().into_owned());
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Some(module) = name.strip_suffix(".aag") {
            let circuit = read(module, &text)?;
            let circuit = if module == schema.source.top { circuit } else { circuit.unqualified() };
            found.insert(module.to_string(), circuit);
        }
    }
    Ok(found)
}

/// The circuit that Yosys wrote of `module`.
///
/// # Errors
/// A text that is no circuit: a defect of ours.
pub fn read(module: &str, text: &str) -> Result<Circuit> {
    let broken =
        || Error::Internal { place: module.to_string(), cause: "Yosys wrote a circuit that is no AIGER".into() };
    Circuit::parse(text).ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::super::equivalence::{Kept, Prover, Verdict};
    use super::super::schema::{schema, Mutant};
    use super::*;
    use crate::verilated::Source;
    use heddle_hdl::points;
    use std::time::Duration;

    /// XV-12: what only inputs could tell that the proofs exclude is the same as proven; what shows on other inputs is not, and neither is what was
    /// changed there without these proofs.
    #[test]
    fn xv_12_what_proofs_exclude_tells_nobody() {
        let entry = points::entries().into_iter().find(|entry| entry.block == "plain_barrier").expect("a block");
        let schema = schema(&Source::of(&entry).expect("an export"), 1_000, 1).expect("mutants");
        let find = |was: &str, becomes: &str| -> &Mutant {
            let fits = |mutant: &&Mutant| mutant.was == was && mutant.becomes == becomes;
            schema.mutants.iter().find(fits).expect("a mutant")
        };
        // Participants are among who asks; a member may arrive that does not participate; a condition may be met although nobody sleeps.
        let open =
            [find("mask & participants", "participants"), find("participants", "mask"), find("|sleepers", "1'b1")];
        let prover = Prover::of(&schema, &open, &[]).expect("circuits");
        let verdicts = |prover: &Prover| -> Vec<Verdict> {
            let verdicts = prover.prove(&open, Kept::Nowhere, Duration::from_secs(20), &|_| ()).expect("verdicts");
            verdicts.into_iter().map(|(_, verdict)| verdict).collect()
        };
        assert_eq!(verdicts(&prover), [Verdict::Undecided; 3]);
        let prover = prover.knowing(contracts(&entry, &schema).expect("properties"));
        assert_eq!(verdicts(&prover), [Verdict::SameAsProven, Verdict::Undecided, Verdict::Undecided]);
    }
}
