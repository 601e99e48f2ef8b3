//! The same breakage in the block around: what nobody can tell of a part where it stands, as the proofs of its surroundings say what these bring it. A block by
//! itself gets inputs from its bench that its surroundings never bring, so that its own proofs cannot assume what these keep.

use super::contracts;
use super::equivalence::{Keep, Prover, Verdict};
use super::hierarchy::{module_of, places};
use super::schema::{those, Mutant, Schema};
use super::unloaded;
use super::Watch;
use crate::coverage::reasons::promises_of;
use crate::error::Result;
use crate::verilated::Source;
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The widest block in which another stands, of the same point.
pub struct Surroundings {
    entry: Entry,
    source: Source,
    /// Where the inner one stands: the instances on the way down to it.
    place: String,
}

impl Surroundings {
    /// Those of `entry`, whose export is `source`: of blocks that have it as a part, once and text for text, the one with most modules.
    ///
    /// # Errors
    /// A block that cannot be exported.
    pub fn of(entry: &Entry, source: &Source) -> Result<Option<Self>> {
        let inner = digests(source)[source.top.as_str()];
        let mut widest: Option<Self> = None;
        for other in points::entries() {
            if other.point != entry.point || other.block == entry.block {
                continue;
            }
            let around = Source::of(&other)?;
            let same = digests(&around).into_iter().find(|(_, digest)| *digest == inner);
            let Some(all) = same.and_then(|(module, _)| places(&around.files, &around.top).remove(module)) else {
                continue;
            };
            let Some(place) = all.first().filter(|_| all.len() == 1) else { continue };
            if widest.as_ref().is_none_or(|widest| widest.source.files.len() < around.files.len()) {
                widest = Some(Self { entry: other, place: place.clone(), source: around });
            }
        }
        Ok(widest)
    }

    /// The block.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The Verilog that a verdict hangs on.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Tries `survivors`, mutants of `source` which stands in here, for equivalence under the proofs of the surroundings and of all their parts; `keep` is given what is
    /// proven as it comes, and `watch` hears how many of how many were tried.
    ///
    /// # Errors
    /// A tool that fails, or Ctrl-C.
    pub fn prove(
        &self,
        source: &Source,
        survivors: &[&Mutant],
        limit: Duration,
        keep: &mut Keep<'_>,
        watch: &dyn Watch,
    ) -> std::result::Result<(), CliError> {
        let Some((schema, survivor)) = self.twins(source, survivors)? else { return Ok(()) };
        let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
        let prover = self.prover(&schema, &mutants)?;
        let mut keep = |decided: &[(u32, Verdict)]| {
            let proven = decided.iter().filter(|(_, verdict)| verdict.is_proof());
            let proven: Vec<_> = proven.map(|(twin, _)| (survivor[twin], Verdict::SameInSurroundings)).collect();
            keep(&proven)
        };
        prover.rounds_as_proven(mutants, limit, &mut keep, watch)
    }

    /// Who asks for `mutants`, all of `schema`, under what is proven here.
    fn prover(&self, schema: &Schema, mutants: &[&Mutant]) -> std::result::Result<Prover, CliError> {
        let (instrumented, unloaded) = unloaded::with_unloaded(schema, mutants);
        let prover = Prover::of(&instrumented, mutants, &promises_of(&self.entry)?)?.with_unloaded(unloaded);
        Ok(prover.knowing(contracts::contracts(&self.entry, &instrumented)?))
    }

    /// The mutants of the surroundings that break the same as `survivors`, mutants of `source`, and for each which of these.
    ///
    /// # Errors
    /// Verilog that cannot be read.
    pub fn twins(&self, source: &Source, survivors: &[&Mutant]) -> Result<Option<(Schema, BTreeMap<u32, u32>)>> {
        let (inside, around) = (places(&source.files, &source.top), places(&self.source.files, &self.source.top));
        // A module that stands elsewhere, too, would be broken there as well.
        let same_module = |one: &str, other: &str| match (inside.get(one), around.get(other)) {
            (Some(inside), Some(around)) => {
                let moved: BTreeSet<String> = inside.iter().map(|place| format!("{}{place}", self.place)).collect();
                moved == *around
            }
            _ => false,
        };
        let same = |one: &Mutant, other: &Mutant| {
            (one.node, &one.was, &one.becomes) == (other.node, &other.was, &other.becomes)
                && same_module(module_of(&one.file), module_of(&other.file))
        };
        let survivor_of = |twin: &Mutant| survivors.iter().find(|survivor| same(survivor, twin));
        let schema = those(&self.source, &|mutant| survivor_of(mutant).is_some())?;
        Ok(schema.map(|schema| {
            let pair = |twin: &Mutant| Some((twin.number, survivor_of(twin)?.number));
            let survivor = schema.mutants.iter().filter_map(pair).collect();
            (schema, survivor)
        }))
    }
}

/// What each module of `source` and its parts say, whatever they are called and whatever their comments.
fn digests(source: &Source) -> BTreeMap<&str, blake3::Hash> {
    let texts: BTreeMap<&str, &str> =
        source.files.iter().map(|(file, text)| (module_of(file), text.as_str())).collect();
    let mut known = BTreeMap::new();
    for module in texts.keys() {
        digest_of(&texts, module, &mut known);
    }
    known
}

fn digest_of<'a>(
    texts: &BTreeMap<&'a str, &'a str>,
    module: &'a str,
    known: &mut BTreeMap<&'a str, blake3::Hash>,
) -> blake3::Hash {
    if let Some(digest) = known.get(module) {
        return *digest;
    }
    let mut hasher = blake3::Hasher::new();
    let lines = texts.get(module).map_or("", |text| *text).lines();
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    for word in code.flat_map(str::split_whitespace) {
        match texts.contains_key(word) {
            true if word == module => hasher.update(b"itself"),
            true => hasher.update(digest_of(texts, word, known).as_bytes()),
            false => hasher.update(word.as_bytes()),
        };
        hasher.update(b" ");
    }
    let digest = hasher.finalize();
    known.insert(module, digest);
    digest
}

#[cfg(test)]
mod tests {
    use super::super::equivalence::{Kept, Known};
    use super::super::schema::schema;
    use super::*;
    use rstest::rstest;

    fn entry_of(block: &str) -> Entry {
        points::entries().into_iter().find(|entry| entry.block == block).expect("a block")
    }

    fn surroundings_of(block: &str) -> Option<(Source, Surroundings)> {
        let entry = entry_of(block);
        let source = Source::of(&entry).expect("an export");
        Surroundings::of(&entry, &source).expect("exports").map(|around| (source, around))
    }

    /// XV-12: a block is found in the widest one that has it as a part, and one that stands in none has no surroundings.
    #[test]
    fn xv_12_blocks_stand_in_others() {
        let around = |block: &str| surroundings_of(block).map(|(_, around)| (around.entry.block, around.place));
        assert_eq!(around("arrival_tracker"), Some(("barrier_scheduler", ".arrival".to_string())));
        assert_eq!(around("release_walker").map(|(block, _)| block), Some("barrier_scheduler"));
        assert_eq!(around("token_deque").map(|(block, _)| block), Some("divergence_unit"));
        // The table of a group has another width of column than the one by itself at the point of that name.
        assert_eq!(around("mask_table"), None);
        assert_eq!(around("barrier_scheduler"), None);
    }

    /// XV-12: each mutant of a part that stands nowhere else has one twin, on the same text in the same module; one of what stands elsewhere, too, has none.
    #[rstest]
    #[case("arrival_tracker", &[])]
    #[case("execution_slots", &["_lowest_bit_2", "_matching_2", "_register_file_2x1", "_register_file_2x2"])]
    fn xv_12_a_breakage_is_found_in_the_surroundings(#[case] block: &str, #[case] elsewhere: &[&str]) {
        let (source, around) = surroundings_of(block).expect("surroundings");
        let here = schema(&source, 10_000, 1).expect("mutants");
        let mutants: Vec<&Mutant> = here.mutants.iter().collect();
        let (there, survivor) = around.twins(&source, &mutants).expect("an export").expect("twins");
        let found: BTreeSet<u32> = survivor.values().copied().collect();
        assert_eq!(found.len(), survivor.len());
        for twin in &there.mutants {
            let mutant = mutants.iter().find(|mutant| mutant.number == survivor[&twin.number]).expect("a mutant");
            assert_eq!((&mutant.was, &mutant.becomes), (&twin.was, &twin.becomes));
        }
        let without = mutants.iter().filter(|mutant| !found.contains(&mutant.number));
        let without: BTreeSet<&str> =
            without.map(|mutant| module_of(&mutant.file).strip_prefix(&source.top).expect("a part")).collect();
        assert_eq!(without, elsewhere.iter().copied().collect());
    }
    /// XV-12: which places are named beside one that no higher place is named beside tells nobody around; whoever is around tells that one is named always.
    #[test]
    #[ignore = "tens of seconds: scripts/nightly runs it"]
    fn xv_12_what_surroundings_never_bring_tells_nobody() {
        let (source, around) = surroundings_of("barrier_execution").expect("surroundings");
        let becomes = ["1'b0", "1'b1"];
        let wanted =
            |mutant: &Mutant| mutant.was == "|(thread_0 & first_one_hot)" && becomes.contains(&mutant.becomes.as_str());
        let here = those(&source, &wanted).expect("Verilog").expect("mutants");
        let mutants: Vec<&Mutant> = here.mutants.iter().collect();
        let (there, survivor) = around.twins(&source, &mutants).expect("an export").expect("twins");
        let twins: Vec<&Mutant> = there.mutants.iter().collect();
        let prover = around.prover(&there, &twins).expect("properties");
        let how = (Known::AtOnce, Kept::Nowhere);
        let verdicts = prover.prove(&twins, how, Duration::from_secs(60), &|_| ()).expect("verdicts");
        let proven = verdicts.iter().filter(|(_, verdict)| verdict.is_proof()).map(|(twin, _)| survivor[twin]);
        let silent = mutants.iter().filter(|mutant| mutant.becomes == "1'b0").map(|mutant| mutant.number);
        assert_eq!((verdicts.len(), proven.collect::<Vec<_>>()), (2, silent.collect::<Vec<_>>()), "{mutants:?}");
    }
}
