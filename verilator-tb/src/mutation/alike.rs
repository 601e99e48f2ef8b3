//! Notes that say of a mutant which states of it and of the whole block are alike (`verilator-tb/mutation/alike/SUBJECT.sv`), and whether that holds ([`Relation`]).
//!
//! A file stands among the properties of a subject of `scripts/proofs`, whose signals it sees. A wire `heddle_alike_NAME` shows what counts of a state; a note names the wires
//! by which two states are told to be alike. A wire `heddle_invariant_NAME` is high in every state of the whole block; that is proven with each note.
//! Neither may hang on what is any there (`anyconst`), since where two copies differ it is what it has to be in that cycle; and nothing may be assumed but what the traffic of the subject is checked to keep.

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

/// What no file of wires may have: what it says would be taken for true, or be a constant of one copy.
const STATEMENTS: [&str; 5] = ["assume", "assert", "cover", "anyconst", "anyseq"];

/// Which states are alike.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alike {
    /// Whose properties see the wires: a subject of `scripts/proofs`, of the block, of a part of it that has the mutant, or of what surrounds the block.
    pub subject: String,
    /// The wires, without `heddle_alike_`; none where the mutant changes no state, since it changes nothing where the invariants hold.
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
        let here = (&contracts::of_subjects(self.entry, &schema, &subjects)?[..], self.source);
        for (at, mutant) in schema.mutants.iter().enumerate() {
            watch.proofs(at, claims.len());
            let Some((claimed, alike)) = claim_of(mutant) else { continue };
            if let Some(answer) = self.answer(here, mutant, alike)? {
                answers.insert(claimed.number, answer);
            }
        }
        self.judge_around(claims, &subjects, &mut answers)?;
        let unasked = claims.iter().find(|(mutant, _)| !answers.contains_key(&mutant.number));
        match unasked {
            None => Ok(answers),
            Some((mutant, _)) => Err(Error::Input {
                place: format!("mutation/notes.json, of {} in {}", mutant.was, mutant.file),
                cause: "no proof of a subject that it names is of what has the mutant, and of nothing else that has it"
                    .into(),
                hint: "scripts/prove --list names the subjects; one whose traffic leaves an assumption is of no use"
                    .into(),
            }
            .into()),
        }
    }

    /// The same of those that have no answer yet, in what surrounds the block.
    fn judge_around(
        &self,
        claims: &[(&Mutant, &[Alike])],
        subjects: &BTreeSet<&str>,
        answers: &mut BTreeMap<u32, Answer>,
    ) -> std::result::Result<(), CliError> {
        let left = claims.iter().filter(|(mutant, _)| !answers.contains_key(&mutant.number));
        let left: BTreeMap<u32, (&Mutant, &[Alike])> = left.map(|claim| (claim.0.number, *claim)).collect();
        let Some(around) = self.around.filter(|_| !left.is_empty()) else { return Ok(()) };
        let survivors: Vec<&Mutant> = left.values().map(|(mutant, _)| *mutant).collect();
        let Some((schema, survivor)) = around.twins(self.source, &survivors)? else { return Ok(()) };
        let there = (&contracts::of_subjects(around.entry(), &schema, subjects)?[..], around.source());
        for twin in &schema.mutants {
            let number = survivor[&twin.number];
            if let Some(answer) = self.answer(there, twin, left[&number].1)? {
                answers.insert(number, answer);
            }
        }
        Ok(())
    }

    /// What comes of a mutant of a block under the contracts of it and its parts; nothing if none of them is of a subject that is named.
    fn answer(
        &self,
        (contracts, source): (&[Contract], &Source),
        mutant: &Mutant,
        alike: &[Alike],
    ) -> std::result::Result<Option<Answer>, CliError> {
        let Some((contract, alike)) = of_subject(contracts, source, mutant, alike) else { return Ok(None) };
        self.ask(contract, contract.module != source.top, mutant.number, alike).map(Some)
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
    alike.iter().find_map(|alike| Some((contracts.iter().find(|contract| fits(contract, alike))?, alike)))
}

/// Where it is said what counts of the states of a subject.
fn file_of(subject: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation/alike").join(format!("{subject}.sv"))
}

/// Complains of a text that is more than wires.
fn only_wires(place: &Path, text: &str) -> Result<()> {
    match text.lines().position(|line| STATEMENTS.iter().any(|word| line.contains(word))) {
        None => Ok(()),
        Some(line) => Err(Error::Input {
            place: format!("{}:{}", place.display(), line + 1),
            cause: "a statement, or something that is any, among what counts".into(),
            hint: "what is assumed or asserted stands in scripts/proofs, where traffic is checked to keep it".into(),
        }),
    }
}

/// Complains of a text that names what the properties around it leave any (`anyconst`): where two copies are told apart that is what it has to be in that cycle.
fn of_nothing_any(place: &Path, text: &str, properties: &str) -> Result<()> {
    let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
    let declared =
        properties.lines().filter_map(|line| Some(line.split_once("(* anyconst *) reg")?.1.split_once(';')?.0));
    let any: BTreeSet<&str> =
        declared.flat_map(|names| names.rsplit(']').next().unwrap_or_default().split(',').map(str::trim)).collect();
    let names = |line: &&str| line.split(|letter| !letters(letter)).find(|name| any.contains(name)).map(String::from);
    match text.lines().enumerate().find_map(|(at, line)| Some((at, names(&line)?))) {
        None => Ok(()),
        Some((line, name)) => Err(Error::Input {
            place: format!("{}:{}", place.display(), line + 1),
            cause: format!("'{name}' is any, so no two states are alike by it, and nothing of it holds in every one"),
            hint: "say it of every value, with a loop".into(),
        }),
    }
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
        only_wires(&file_of(subject), &views)?;
        let included = text.lines().filter_map(|line| line.trim_start().strip_prefix("// include "));
        let included: Result<Vec<String>> = included
            .map(|name| proofs.join(format!("{name}.svh")))
            .map(|path| fs::read_to_string(&path).map_err(Error::file(&path)))
            .collect();
        of_nothing_any(&file_of(subject), &views, &[text.clone(), included?.concat()].concat())?;
        // Behind the first such line the text is that of a part.
        let end = text.find("\n// inside ").map_or(text.len(), |at| at + 1);
        let text = [&text[..end], &views, &text[end..]].concat();
        fs::write(&place, text).map_err(Error::file(&place))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::schema::schema;
    use super::super::Nobody;
    use super::*;
    use heddle_hdl::points;

    /// What comes of `was` of a part of `work_distributor` becoming `becomes`, if a note names these wires of this subject.
    fn judged(part: &str, was: &str, subject: &str, views: &[&str]) -> std::result::Result<Answer, CliError> {
        let entry = points::entries().into_iter().find(|entry| entry.block == "work_distributor").expect("a block");
        let source = Source::of(&entry).expect("an export");
        let schema = schema(&source, 10_000, 1).expect("mutants");
        let wanted = |mutant: &&Mutant| mutant.file.ends_with(&format!("_{part}.v")) && mutant.was == was;
        let mutant = schema.mutants.iter().find(wanted).expect("a mutant");
        let alike = [Alike { subject: subject.into(), views: views.iter().map(ToString::to_string).collect() }];
        let block = Block { entry: &entry, source: &source, around: None, limit: Duration::from_secs(20) };
        let mut answers = block.judge(&[(mutant, &alike)], &Nobody)?;
        Ok(answers.remove(&mutant.number).expect("an answer"))
    }

    /// XV-12: a register that the start of a grid loads counts from then on: by wires that show that, states stay alike; by others, which do not show it, they get apart.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_12_only_what_counts_makes_states_alike() {
        let left =
            |views: &[&str]| judged("plane_stride", "left <= 5'd0;", "work_distributor", views).expect("an answer");
        assert_eq!(left(&["stride"]), Answer::Alike);
        assert!(
            matches!(left(&["noted"]), Answer::Apart(names) if names.iter().any(|name| name.contains("stride_part")))
        );
    }

    /// XV-12, UX-08: a subject that has no proof here, and a wire that there is not, are told with their places.
    #[test]
    fn xv_12_notes_name_what_there_is() {
        let wrong = |subject: &str, views: &[&str]| match judged("plane_stride", "left <= 5'd0;", subject, views) {
            Err(error) => format!("{error:?}"),
            Ok(answer) => panic!("{answer:?}"),
        };
        assert!(wrong("work_distributor", &["strides"]).contains("heddle_alike_strides"));
        assert!(wrong("plain_barrier", &["stride"]).contains("plane_stride"));
    }

    /// XV-12: no file of wires assumes anything.
    #[test]
    fn xv_12_wires_assume_nothing() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation/alike");
        let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
        let subjects: Vec<String> =
            files.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
        let subjects: BTreeSet<&str> = subjects.iter().map(String::as_str).collect();
        let place = tempfile::tempdir().expect("a folder");
        with_views(place.path(), &subjects).expect("wires alone");
        assert!(subjects.len() > 3);
        let told = only_wires(Path::new("views.sv"), "  wire a;\n  always @(*) all_is_well: assume (a);\n");
        assert!(told.is_err_and(|error| format!("{error:?}").contains("views.sv:2")));
        let any = "  (* anyconst *) reg [1:0] key, other;\n";
        let told = |text: &str| of_nothing_any(Path::new("views.sv"), text, any);
        assert!(told("  wire a;\n  wire b = (a == other);\n")
            .is_err_and(|error| format!("{error:?}").contains("views.sv:2")));
        assert!(told("  wire b = keys[0];\n").is_ok());
    }
}
