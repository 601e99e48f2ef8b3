//! Notes that say of a mutant which states of it and of the whole block are alike (`verilator-tb/mutation/alike/SUBJECT.sv`), and whether that holds ([`Relation`]).
//!
//! A file stands among the properties of a subject of `scripts/proofs`, whose signals it sees. A wire `heddle_alike_NAME` shows what counts of a state; a note names the wires
//! by which two states are told to be alike. A wire `heddle_invariant_NAME` is high in every state of the whole block; that is proven with each note.

use super::attempt::Attempt;
use super::contracts::{self, Contract};
use super::hierarchy::{module_of, Hierarchy};
use super::relation::{Answer, Relation};
use super::schema::{those, Mutant};
use super::surroundings::Surroundings;
use super::Watch;
use crate::error::{Error, Result};
use crate::tools;
use crate::verilated::Source;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::interrupt::interrupted;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A question about a step takes longer than one of the other methods may, and there are few of them.
const PATIENCE: u32 = 10;

/// Which states are alike.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alike {
    /// Whose properties see the wires: a subject of `scripts/proofs`, of the block, of a part of it that has the mutant, or of what surrounds the block.
    pub subject: String,
    /// The wires, without `heddle_alike_`.
    pub views: Vec<String>,
}

/// A block as it is asked about, and how long each question may take.
pub struct Block<'a> {
    /// The block.
    pub entry: &'a Entry,
    /// Its Verilog.
    pub source: &'a Source,
    /// What it is a part of.
    pub around: Option<&'a Surroundings>,
    /// For each question.
    pub limit: Duration,
}

impl Block<'_> {
    /// What comes of `claims`.
    ///
    /// # Errors
    /// A missing tool, Ctrl-C, a claim of a subject or a wire that there is not.
    pub fn judge(
        &self,
        claims: &[(&Mutant, &[Alike])],
        watch: &dyn Watch,
    ) -> std::result::Result<BTreeMap<u32, Answer>, CliError> {
        let mut answers = BTreeMap::new();
        if claims.is_empty() {
            return Ok(answers);
        }
        let subjects: BTreeSet<&str> =
            claims.iter().flat_map(|(_, alike)| *alike).map(|alike| alike.subject.as_str()).collect();
        // A text that has no other mutants is soon a circuit.
        let alone = |one: &Mutant, other: &Mutant| {
            (&one.file, one.node, &one.was, &one.becomes) == (&other.file, other.node, &other.was, &other.becomes)
        };
        let claim_of = |mutant: &Mutant| claims.iter().find(|(claimed, _)| alone(claimed, mutant));
        let Some(schema) = those(self.source, &|mutant| claim_of(mutant).is_some())? else { return Ok(answers) };
        let here = contracts::of_subjects(self.entry, &schema, &subjects)?;
        let mut elsewhere = Vec::new();
        for (at, mutant) in schema.mutants.iter().enumerate() {
            watch.proofs(at, claims.len());
            let Some((claimed, alike)) = claim_of(mutant) else { continue };
            match of_subject(&here, self.source, mutant, alike) {
                Some((contract, alike)) => {
                    let part = contract.module != self.source.top;
                    answers.insert(claimed.number, self.ask(contract, part, mutant.number, alike)?);
                }
                None => elsewhere.push((*claimed, *alike)),
            }
        }
        self.judge_around(&elsewhere, &subjects, &mut answers)?;
        Ok(answers)
    }

    /// The same of those whose subject is of what surrounds the block.
    fn judge_around(
        &self,
        claims: &[(&Mutant, &[Alike])],
        subjects: &BTreeSet<&str>,
        answers: &mut BTreeMap<u32, Answer>,
    ) -> std::result::Result<(), CliError> {
        let Some((first, _)) = claims.first() else { return Ok(()) };
        let nowhere = || Error::Input {
            place: format!("mutation/notes.json, of {} in {}", first.was, first.file),
            cause: "no proof of a subject that it names is of what has the mutant".into(),
            hint: "scripts/prove --list names the subjects; one whose traffic leaves an assumption is of no use".into(),
        };
        let around = self.around.ok_or_else(nowhere)?;
        let survivors: Vec<&Mutant> = claims.iter().map(|(mutant, _)| *mutant).collect();
        let (schema, survivor) = around.twins(self.source, &survivors)?.ok_or_else(nowhere)?;
        let there = contracts::of_subjects(around.entry(), &schema, subjects)?;
        for twin in &schema.mutants {
            let number = survivor[&twin.number];
            let claim = claims.iter().find(|(mutant, _)| mutant.number == number);
            let Some((_, alike)) = claim else { continue };
            let (contract, alike) = of_subject(&there, around.source(), twin, alike).ok_or_else(nowhere)?;
            let part = contract.module != around.source().top;
            answers.insert(number, self.ask(contract, part, twin.number, alike)?);
        }
        Ok(())
    }

    fn ask(
        &self,
        contract: &Contract,
        part: bool,
        number: u32,
        alike: &Alike,
    ) -> std::result::Result<Answer, CliError> {
        if interrupted() {
            return Err(CliError::Interrupted);
        }
        let abc = tools::program("yosys-abc")?;
        let folder = tempfile::Builder::new().prefix("heddle-alike-").tempdir().map_err(Error::file("/tmp"))?;
        let (circuit, missing) = contract.circuit.clone().seen_by(&alike.views);
        if let Some(view) = missing.first() {
            return Err(Error::Input {
                place: format!("mutation/notes.json, of {}", alike.subject),
                cause: format!("there is no wire heddle_alike_{view}"),
                hint: format!("{} has them", file_of(&alike.subject).display()),
            }
            .into());
        }
        let (name, limit) = (contract.module.as_str(), self.limit * PATIENCE);
        let attempt = Attempt { abc: &abc, folder: folder.path(), name, circuit: &circuit, part, number, limit };
        Ok(Relation(&attempt).ask()?)
    }
}

/// The contract of one of the subjects of `alike` that is of all that `mutant` of `source` is in, and which that is.
fn of_subject<'a>(
    contracts: &'a [Contract],
    source: &Source,
    mutant: &Mutant,
    alike: &'a [Alike],
) -> Option<(&'a Contract, &'a Alike)> {
    let hierarchy = Hierarchy::of(&source.files);
    let fits = |contract: &&Contract, alike: &Alike| {
        contract.subject == alike.subject && hierarchy.only_in(module_of(&mutant.file), &contract.module)
    };
    let of = |alike: &'a Alike| Some((contracts.iter().find(|contract| fits(contract, alike))?, alike));
    alike.iter().find_map(of)
}

/// Where it is said what counts of the states of a subject.
fn file_of(subject: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation/alike").join(format!("{subject}.sv"))
}

/// Puts into `folder` the properties of scripts/proofs, those of `subjects` with what is said to count.
///
/// # Errors
/// A file that cannot be read or written.
pub fn with_views(folder: &Path, subjects: &BTreeSet<&str>) -> Result<()> {
    let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/proofs");
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    for file in fs::read_dir(&proofs).map_err(Error::file(&proofs))?.flatten() {
        let place = folder.join(file.file_name());
        fs::copy(file.path(), &place).map_err(Error::file(&place))?;
    }
    for subject in subjects {
        let (views, place) = (file_of(subject), folder.join(format!("{subject}.sv")));
        if !views.exists() || !place.exists() {
            continue;
        }
        let [views, text] = [&views, &place].map(|path| fs::read_to_string(path).map_err(Error::file(path)));
        let (views, text) = (views?, text?);
        // Behind the first such line the text is that of a part.
        let end = text.find("\n// inside ").map_or(text.len(), |at| at + 1);
        let text = [&text[..end], &views, &text[end..]].concat();
        fs::write(&place, text).map_err(Error::file(&place))?;
    }
    Ok(())
}
