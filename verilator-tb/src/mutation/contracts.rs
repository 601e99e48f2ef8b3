//! What `scripts/prove` knows of a block and its parts: each that it has a proof of, as a circuit with all mutants, constrained by what the proof
//! assumes and by what it has shown. Traffic keeps what is assumed (`scripts/prove --simulated`), so a mutant that is the same under these
//! constraints is never noticed.

use super::alike;
use super::circuit::Circuit;
use super::schema::Schema;
use crate::error::{Error, Result};
use crate::tools;
use heddle_gen::export::package::Package;
use heddle_gen::export::store;
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the proof of `subject` says of `module`.
pub struct Contract {
    /// The module.
    pub module: String,
    /// Whose properties they are.
    pub subject: String,
    /// The module with all mutants.
    pub circuit: Circuit,
}

/// What is known of the modules of `entry` as the mutants of `schema` break it: of those whose proofs assume what traffic is checked to keep there.
///
/// # Errors
/// A missing tool, or properties that do not fit the export.
pub fn contracts(entry: &Entry, schema: &Schema) -> std::result::Result<Vec<Contract>, CliError> {
    of_subjects(entry, schema, &BTreeSet::new())
}

/// The same of the proofs of `subjects` alone, if there are any, with what is said to count of their states ([`alike`]).
///
/// # Errors
/// As [`contracts`].
pub fn of_subjects(
    entry: &Entry,
    schema: &Schema,
    subjects: &BTreeSet<&str>,
) -> std::result::Result<Vec<Contract>, CliError> {
    let folder = tempfile::Builder::new().prefix("heddle-contracts-").tempdir().map_err(Error::file("/tmp"))?;
    let [exports, original, circuits, work, proofs] =
        ["exports", "original", "circuits", "work", "proofs"].map(|name| folder.path().join(name));
    let build = |entry: &Entry| Package::build(entry).map_err(|cause| CliError::Internal(cause.to_string()));
    store::write(&exports, &[build(entry)?])?;
    // What is proven of a part is known here if it is the same text as where that was proven: a block of the same size.
    let alike: std::result::Result<Vec<Package>, CliError> =
        points::entries().iter().filter(|other| other.point == entry.point).map(build).collect();
    store::write(&original, &alike?)?;
    for (name, text) in &schema.source.files {
        let place = exports.join(entry.module()).join(name);
        fs::write(&place, text).map_err(Error::file(&place))?;
    }
    let prove = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/prove");
    alike::with_views(&proofs, subjects)?;
    let [out, work, from, original, proofs] =
        [&circuits, &work, &exports, &original, &proofs].map(|path| path.to_string_lossy().into_owned());
    let places = ["--circuits", &out, "--work", &work, "--from", &from, "--original", &original, "--proofs", &proofs];
    let arguments: Vec<&str> = subjects.iter().copied().chain(places).collect();
    tools::run_in("scripts/prove", &prove, folder.path(), &arguments, "scripts/prove --help")?;
    let mut found = Vec::new();
    for file in fs::read_dir(&circuits).map_err(Error::file(&circuits))?.flatten() {
        let (path, name) = (file.path(), file.file_name().to_string_lossy().into_owned());
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Some((module, subject)) = name.strip_suffix(".aag").and_then(|name| name.split_once('.')) {
            let circuit = read(module, &text)?;
            let circuit = if module == schema.source.top { circuit } else { circuit.unqualified() };
            found.push(Contract { module: module.to_string(), subject: subject.to_string(), circuit });
        }
    }
    found.sort_by(|left: &Contract, right| (&left.module, &left.subject).cmp(&(&right.module, &right.subject)));
    Ok(found)
}

/// What of the prover writes and compares documents: no circuit hangs on it.
const DOCUMENTS: [&str; 2] = ["prover/table.py", "prover/record.py"];

/// Properties without their comments, but for those that say where they go.
fn bare(text: &str) -> String {
    let goes = |line: &&str| ["// include ", "// inside "].iter().any(|mark| line.trim_start().starts_with(mark));
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_string();
    let lines = text.lines().map(|line| if goes(&line) { line.to_string() } else { code(line) });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A hash of all that decides what the circuits are, besides the block: verdicts under another are worth nothing.
///
/// # Errors
/// A file that cannot be read.
pub fn fingerprint() -> Result<String> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
    let mut files = vec![scripts.join("prove")];
    for folder in ["prover", "proofs"].map(|folder| scripts.join(folder)) {
        let entries = fs::read_dir(&folder).map_err(Error::file(&folder))?.flatten().map(|entry| entry.path());
        files.extend(entries.filter(|path| path.is_file() && !DOCUMENTS.iter().any(|name| path.ends_with(name))));
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(Error::file(&file))?;
        let properties = file.extension().is_some_and(|extension| extension == "sv" || extension == "svh");
        hasher.update(if properties { bare(&text) } else { text }.as_bytes());
    }
    Ok(hasher.finalize().to_hex()[..32].to_string())
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
    use super::super::equivalence::{Kept, Known, Prover, Verdict};
    use super::super::schema::{schema, Mutant};
    use super::*;
    use crate::verilated::Source;
    use std::time::Duration;

    /// XV-12: of properties their comments count for nothing, where they go does.
    #[test]
    fn xv_12_comments_of_properties_count_for_nothing() {
        let text = "  // include rest\n  wire a; // says this\n// inside part\n  // and that\n  wire b;\n";
        assert_eq!(bare(text), "  // include rest\n  wire a;\n// inside part\n  wire b;");
    }

    /// XV-12: what only inputs could tell that the proofs exclude is the same as proven; what shows on other inputs is not, and neither is what was
    /// changed there without these proofs.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
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
        let prover = prover.knowing(contracts(&entry, &schema).expect("properties"));
        let verdicts = |known| -> Vec<Verdict> {
            let how = (known, Kept::Nowhere);
            let verdicts = prover.prove(&open, how, Duration::from_secs(20), &|_| ()).expect("verdicts");
            verdicts.into_iter().map(|(_, verdict)| verdict).collect()
        };
        assert_eq!(verdicts(Known::Nothing), [Verdict::Undecided; 3]);
        assert_eq!(verdicts(Known::Contracts), [Verdict::SameAsProven, Verdict::Undecided, Verdict::Undecided]);
    }
}
