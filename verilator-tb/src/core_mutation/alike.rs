//! Mutants that change nothing that counts (XV-12): what the words of a queue hold behind its last entry, say. What counts of a module is said once for all its mutants, by the wires of
//! `verilator-tb/mutation/alike/SUBJECT.sv`; whether states that are alike by these stay alike, and show the same, is asked of each ([`crate::mutation::alike`]).

use crate::error::{Error, Result};
use crate::mutation::alike::{Alike, Block};
use crate::mutation::hierarchy::{module_of, Hierarchy};
use crate::mutation::relation::Answer;
use crate::mutation::schema::Mutant;
use crate::mutation::Watch;
use crate::verilated::Source;
use heddle_hdl::points::Entry;
use heddle_sim::cli::error::CliError;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// How the declaration of a wire that shows what counts goes on behind its range.
const VIEW: &str = " heddle_alike_";

/// The wires that say what counts of the states of `subject`, if it is said.
fn views_of(subject: &str) -> Result<Option<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation/alike").join(format!("{subject}.sv"));
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let named = text.lines().filter_map(|line| line.split_once(VIEW)?.1.split_once(" = "));
    Ok(Some(named.map(|(name, _)| name.to_string()).collect()))
}

/// Which of `mutants` of `source` nobody can tell by that; a question may take ten times `limit`.
///
/// # Errors
/// A missing tool, Ctrl-C, wires that do not fit the module.
pub fn stay_alike(
    entry: &Entry,
    source: &Source,
    mutants: &[&Mutant],
    limit: Duration,
    watch: &dyn Watch,
) -> std::result::Result<BTreeSet<u32>, CliError> {
    let hierarchy = Hierarchy::of(&source.files);
    let mut said: Vec<(&str, Vec<Alike>)> = Vec::new();
    for module in source.files.iter().map(|(file, _)| module_of(file)) {
        let part = module.strip_prefix(&*source.top).and_then(|part| part.strip_prefix('_'));
        let Some(subject) = part else { continue };
        if let Some(views) = views_of(subject)? {
            said.push((module, vec![Alike { subject: subject.into(), views }]));
        }
    }
    let claim = |mutant: &&'_ Mutant| {
        let here = said.iter().find(|(module, _)| hierarchy.only_in(module_of(&mutant.file), module));
        here.map(|(_, alike)| alike.as_slice())
    };
    let claims: Vec<(&Mutant, &[Alike])> =
        mutants.iter().filter_map(|mutant| Some((*mutant, claim(mutant)?))).collect();
    let answers = Block { entry, source, around: None, limit }.judge(&claims, watch)?;
    for (number, answer) in answers.iter().filter(|(_, answer)| **answer != Answer::Alike) {
        eprintln!("{}: {number}: {answer}", entry.module());
    }
    Ok(answers.into_iter().filter(|(_, answer)| *answer == Answer::Alike).map(|(number, _)| number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::schema::those;
    use heddle_hdl::points;

    /// Hears of nothing.
    struct Nobody;

    impl Watch for Nobody {
        fn traffic(&self, _: u64, _: usize) {}
        fn proofs(&self, _: usize, _: usize) {}
    }

    /// XV-12: what the last place of the queue of wake-ups holds behind a reset counts for nobody; what enters there does.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_12_what_stands_behind_the_last_counts_for_nobody() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let source = Source::of(&entry).expect("an export");
        let wanted = ["warp_15 <= 2'd0;", "warp_15 <= enter_warp;"];
        let schema = those(&source, &|mutant| wanted.contains(&mutant.was.trim()) && mutant.becomes.trim().is_empty());
        let mutants = schema.expect("readable").expect("some").mutants;
        assert_eq!(mutants.iter().map(|mutant| mutant.was.trim()).collect::<Vec<_>>(), wanted);
        let asked: Vec<&Mutant> = mutants.iter().collect();
        let told = stay_alike(&entry, &source, &asked, Duration::from_secs(5), &Nobody).expect("asked");
        assert_eq!(told, BTreeSet::from([mutants[0].number]));
    }
}
