//! What came of the mutants of a block.

use super::equivalence::Verdict;
use super::larger::Noticed;
use super::schema::Mutant;
use crate::document::{Row, Table};
use heddle_sim::cli::output::grouped;
use serde::{Deserialize, Serialize};

/// The table of `docs/mutation.md`.
pub const TABLE: Table = Table {
    name: "mutation",
    columns: &[
        "ways to break it",
        "mutants",
        "cycles",
        "killed",
        "at a larger point",
        "equivalent",
        "as proven",
        "explained",
        "alive",
    ],
};

/// A mutant that no traffic noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    /// What it breaks.
    #[serde(flatten)]
    pub mutant: Mutant,
    /// What the proof said; none if none was tried.
    pub verdict: Option<Verdict>,
    /// How the same breakage was noticed at a larger point, if it was.
    #[serde(default)]
    pub larger: Option<Noticed>,
    /// Why no traffic can notice it, if somebody wrote that down.
    pub reason: Option<String>,
    /// The command that runs it again.
    pub again: String,
}

impl Survivor {
    /// Neither noticed at a larger point, nor proven equivalent, nor explained.
    pub fn is_alive(&self) -> bool {
        self.reason.is_none() && self.is_open()
    }

    /// Neither noticed at a larger point nor proven equivalent.
    fn is_open(&self) -> bool {
        self.larger.is_none() && !self.is_equivalent()
    }

    /// Proven equivalent.
    pub fn is_equivalent(&self) -> bool {
        self.verdict.is_some_and(Verdict::is_proof)
    }
}

/// The mutants of a block at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The block.
    pub block: String,
    /// Its point.
    pub point: String,
    /// Ways to break it.
    pub candidates: usize,
    /// Those that were tried.
    pub mutants: usize,
    /// Those that traffic noticed.
    pub killed: usize,
    /// Cycles after which the last of them was noticed, counted over all traffic.
    pub cycles: u64,
    /// The others.
    pub survivors: Vec<Survivor>,
}

impl Report {
    /// How many survivors are proven equivalent, whatever the inputs.
    pub fn equivalent(&self) -> usize {
        self.survivors.iter().filter(|survivor| survivor.is_equivalent()).count() - self.as_proven()
    }

    /// How many are under what the block's proofs assume, or those of its surroundings.
    pub fn as_proven(&self) -> usize {
        self.survivors.iter().filter(|survivor| survivor.verdict.is_some_and(Verdict::hangs_on_proofs)).count()
    }

    /// How many are not, but were noticed at a larger point.
    pub fn noticed(&self) -> usize {
        self.survivors.iter().filter(|survivor| !survivor.is_equivalent() && survivor.larger.is_some()).count()
    }

    /// How many are neither, but explained.
    pub fn explained(&self) -> usize {
        self.survivors.iter().filter(|survivor| survivor.is_open() && survivor.reason.is_some()).count()
    }

    /// Those that nothing explains.
    pub fn alive(&self) -> impl Iterator<Item = &Survivor> {
        self.survivors.iter().filter(|survivor| survivor.is_alive())
    }

    /// Its row of [`TABLE`].
    pub fn row(&self) -> Row {
        let numbers = [
            self.candidates as u64,
            self.mutants as u64,
            self.cycles,
            self.killed as u64,
            self.noticed() as u64,
            self.equivalent() as u64,
            self.as_proven() as u64,
            self.explained() as u64,
            self.alive().count() as u64,
        ];
        (self.block.clone(), self.point.clone(), numbers.into_iter().map(grouped).collect())
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}_{}: {} of {} mutants in {} cycles: {} killed, {} at a larger point, {} equivalent, {} as proven, {} explained, {} alive\n",
            self.block,
            self.point,
            grouped(self.mutants as u64),
            grouped(self.candidates as u64),
            grouped(self.cycles),
            self.killed,
            self.noticed(),
            self.equivalent(),
            self.as_proven(),
            self.explained(),
            self.alive().count()
        );
        for survivor in self.alive() {
            let Mutant { number, file, line, was, becomes, .. } = &survivor.mutant;
            let becomes = if becomes.is_empty() { "nothing" } else { becomes };
            let verdict = survivor.verdict.map_or(String::new(), |verdict| format!(" ({verdict})"));
            text += &format!("  {number}: {file}:{line}{verdict}\n    {was}\n    became {becomes}\n");
        }
        text
    }
}
