//! All mutants of a block in one text: each broken piece stands beside the whole one, and the input `heddle_mutant` says which counts.

use super::operators::{changes, Change};
use super::parser::parse;
use super::tree::{Kind, Node, Tree};
use crate::error::{Error, Result};
use crate::verilated::Source;
use heddle_hdl::ports::{Direction, Port};
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The port that selects a mutant; 0 selects none.
pub const SELECTOR: &str = "heddle_mutant";
/// Its width in bits.
const SELECTOR_BITS: usize = 16;
/// The most mutants that it can tell apart.
const MOST: usize = (1 << SELECTOR_BITS) - 1;

/// One way to break a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// What selects it; from 1.
    pub number: u32,
    /// The file of the export.
    pub file: String,
    /// The line that is broken.
    pub line: usize,
    /// What stands there.
    pub was: String,
    /// What stands there instead.
    pub becomes: String,
    /// Its place among the nodes of the file.
    #[serde(skip)]
    pub node: usize,
}

/// A block with all its mutants.
pub struct Schema {
    /// The Verilog; its last port is [`SELECTOR`].
    pub source: Source,
    /// The mutants, in the order of their numbers.
    pub mutants: Vec<Mutant>,
    /// How many there could have been.
    pub candidates: usize,
    /// The highest number that selects one in the Verilog.
    pub highest: u32,
}

/// A candidate: file, node among the file's, and what stands in its place.
type Place = (usize, usize, Change);

/// Chooses `count` mutants of `source`, or all there are. The same seed chooses the same.
///
/// # Errors
/// Verilog that is not of the kind that the export writes.
pub fn schema(source: &Source, count: usize, seed: u64) -> Result<Schema> {
    let trees = trees(source)?;
    let places = places(source, &trees);
    let candidates = places.len();
    Ok(written(source, &trees, &choose(places, count.min(MOST), seed), candidates))
}

/// The mutants of `source` that are `wanted`, of all that there could be; `None` if there is none.
///
/// # Errors
/// Verilog that is not of the kind that the export writes.
pub fn those(source: &Source, wanted: &dyn Fn(&Mutant) -> bool) -> Result<Option<Schema>> {
    let trees = trees(source)?;
    let places = places(source, &trees);
    let candidates = places.len();
    let all = written(source, &trees, &places, candidates).mutants;
    let chosen: Vec<Place> =
        places.into_iter().zip(&all).filter(|(_, mutant)| wanted(mutant)).map(|(place, _)| place).collect();
    if chosen.len() > MOST {
        let cause = format!("{} mutants are wanted, and the selector tells {MOST} apart", chosen.len());
        return Err(Error::Internal { place: source.top.clone(), cause });
    }
    Ok((!chosen.is_empty()).then(|| written(source, &trees, &chosen, candidates)))
}

/// The files of `source`, in their order.
///
/// # Errors
/// Verilog that is not of the kind that the export writes.
pub fn trees(source: &Source) -> Result<Vec<Tree>> {
    source.files.iter().map(|(name, text)| read(name, text)).collect()
}

/// Every way to break `source`, in the order of its text.
fn places(source: &Source, trees: &[Tree]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (file, tree) in trees.iter().enumerate() {
        let mut number = 0;
        tree.root.for_each(&mut |node| {
            let mut all = changes(tree, &source.files[file].1, node, number);
            let mut seen = BTreeSet::new();
            all.retain(|change| seen.insert(change.clone()));
            places.extend(all.into_iter().map(|change| (file, number, change)));
            number += 1;
        });
    }
    places
}

/// `source` with the mutants of `chosen`, numbered in this order.
fn written(source: &Source, trees: &[Tree], chosen: &[Place], candidates: usize) -> Schema {
    let mut files = Vec::new();
    let mut mutants = Vec::new();
    for (file, (name, text)) in source.files.iter().enumerate() {
        let mut here: BTreeMap<usize, Vec<(u32, Change)>> = BTreeMap::new();
        for (number, (_, node, change)) in chosen.iter().enumerate().filter(|(_, place)| place.0 == file) {
            here.entry(*node).or_default().push((number as u32 + 1, change.clone()));
        }
        let mut printer = Printer { text, here: &here, node: 0, file: name, mutants: &mut mutants };
        let broken = printer.print(&trees[file].root);
        files.push((name.clone(), broken));
    }
    mutants.sort_by_key(|mutant| mutant.number);
    let mut ports = source.ports.clone();
    ports.push(Port { name: SELECTOR, direction: Direction::In, width: SELECTOR_BITS, meaning: "Which mutant." });
    Schema {
        source: Source { top: source.top.clone(), files, ports },
        mutants,
        candidates,
        highest: chosen.len() as u32,
    }
}

fn read(name: &str, text: &str) -> Result<Tree> {
    parse(text).map_err(|unreadable| Error::Internal {
        place: format!("{name}:{}", unreadable.line),
        cause: format!("the export writes what mutation cannot read: expected {}", unreadable.expected),
    })
}

/// Every node gives one before any gives two; which, and in which order, is chance.
fn choose(mut places: Vec<Place>, count: usize, seed: u64) -> Vec<Place> {
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut of_node: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, Place)> = places
        .into_iter()
        .map(|place| {
            let rank = of_node.entry((place.0, place.1)).or_default();
            *rank += 1;
            (*rank, place)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut chosen: Vec<Place> = ranked.into_iter().take(count).map(|(_, place)| place).collect();
    chosen.sort();
    chosen
}

/// Writes a file with its mutants.
struct Printer<'a> {
    text: &'a str,
    here: &'a BTreeMap<usize, Vec<(u32, Change)>>,
    /// The number of the next node.
    node: usize,
    file: &'a str,
    mutants: &'a mut Vec<Mutant>,
}

impl Printer<'_> {
    fn print(&mut self, node: &Node) -> String {
        let number = self.node;
        self.node += 1;
        if node.kind == Kind::Addition {
            return match self.text[..node.span.start].ends_with(')') {
                true => format!(",\n    .{SELECTOR} ({SELECTOR})"),
                false => format!(",\n  input  wire [{}:0] {SELECTOR}", SELECTOR_BITS - 1),
            };
        }
        let mut whole = String::new();
        let mut at = node.span.start;
        for child in &node.children {
            whole.push_str(&self.text[at..child.span.start]);
            whole.push_str(&self.print(child));
            at = child.span.end;
        }
        whole.push_str(&self.text[at..node.span.end]);
        for (mutant, change) in self.here.get(&number).into_iter().flatten() {
            let becomes = match change {
                Change::Value(value) => {
                    whole = format!("(({SELECTOR} == {SELECTOR_BITS}'d{mutant}) ? ({value}) : ({whole}))");
                    plain(value)
                }
                Change::Nothing => {
                    whole = format!("begin if ({SELECTOR} != {SELECTOR_BITS}'d{mutant}) {whole} end");
                    String::new()
                }
            };
            self.mutants.push(Mutant {
                number: *mutant,
                file: self.file.to_string(),
                line: self.text[..node.span.start].matches('\n').count() + 1,
                was: plain(&self.text[node.span.clone()]),
                becomes,
                node: number,
            });
        }
        whole
    }
}

/// On one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::campaign::blocks;
    use heddle_hdl::points;

    /// XV-12: every export that lockstep runs can be read and broken; what a mutant says it breaks stands on its line; the same seed breaks
    /// the same, another seed something else.
    #[test]
    fn xv_12_every_export_can_be_broken() {
        for block in blocks() {
            let entries = points::entries().into_iter().filter(|entry| entry.block == block);
            let size = |entry: &points::Entry| entry.parameters.iter().map(|(_, value)| *value).product::<u64>();
            let entry = entries.min_by_key(size).expect("a block has a point");
            let source = Source::of(&entry).expect("an export");
            let all = schema(&source, 1000, 1).unwrap_or_else(|error| panic!("{error}"));
            assert!(all.mutants.len() > 100, "{block} has {} mutants", all.mutants.len());
            assert!(all.mutants.iter().map(|mutant| mutant.number).eq(1..=all.mutants.len() as u32));
            for mutant in &all.mutants {
                let (_, text) =
                    source.files.iter().find(|(name, _)| *name == mutant.file).expect("a file of the export");
                let line = text.lines().nth(mutant.line - 1).expect("a line of the file");
                let first: String = mutant.was.split(' ').take(1).collect();
                assert!(line.contains(&first), "{mutant:?} does not stand in {line}");
                assert_ne!(mutant.was, mutant.becomes);
            }
            assert_eq!(schema(&source, 1000, 1).expect("again").source.files, all.source.files);
            assert_ne!(
                schema(&source, 100, 2).expect("another").source.files,
                schema(&source, 100, 1).expect("one").source.files
            );
        }
    }
}
