//! The same breakage at a larger point. Where there is one warp, one tree or two blocks, nothing can tell some mutants; where there are more, traffic may.

use super::hierarchy::{module_of, places};
use super::run::{self, Broken, Kill, Progress};
use super::schema::{those, trees, Mutant, Schema};
use super::state::State;
use super::Watch;
use crate::error::Result;
use crate::lockstep::campaign::Plan;
use crate::verilated::Source;
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles of traffic at the larger point, at most: a cycle takes longer there.
const MOST_CYCLES: u64 = 200_000;

/// A mutant of the larger point that traffic noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noticed {
    /// The point.
    pub point: String,
    /// What was broken there.
    #[serde(flatten)]
    pub mutant: Mutant,
    /// How that was noticed.
    pub kill: Kill,
}

/// How far it came at a larger point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Larger {
    /// Hash of the Verilog with the mutants there.
    fingerprint: String,
    /// Survivors of the smaller point, by number, that are looked for.
    wanted: BTreeSet<u32>,
    /// Where the traffic stands.
    progress: Progress,
    /// Those of the survivors that were noticed.
    pub noticed: BTreeMap<u32, Noticed>,
}

/// The point at which there is more of what takes turns (warps, thread blocks, groups, cores: the first parameter) than at that of `entry`, the first such in the list.
pub fn larger(entry: &Entry) -> Option<Entry> {
    let first = |entry: &Entry| entry.parameters.first().map_or(0, |(_, value)| *value);
    points::entries().into_iter().find(|other| other.block == entry.block && first(other) > first(entry))
}

/// Looks for the survivors among the mutants of `schema`, which are of `source`, at a point that is larger than `entry`.
///
/// # Errors
/// A missing tool, Ctrl-C, a block that fails unbroken.
pub fn look(
    entry: &Entry,
    source: &Source,
    schema: &Schema,
    plan: Plan,
    state: &mut State,
    watch: &dyn Watch,
) -> std::result::Result<(), CliError> {
    let survivors = schema.mutants.iter().map(|mutant| mutant.number).filter(|number| state.survives(*number));
    let survivors: BTreeSet<u32> = survivors.collect();
    let Some(entry) = larger(entry).filter(|_| !survivors.is_empty()) else { return Ok(()) };
    // Those that are proven by now are looked for as well, so that a second run goes on where the first was stopped.
    let wanted = if survivors.is_subset(&state.larger.wanted) { state.larger.wanted.clone() } else { survivors };
    let mutants: Vec<&Mutant> = schema.mutants.iter().filter(|mutant| wanted.contains(&mutant.number)).collect();
    let Some((schema, twins)) = twins(source, &mutants, &Source::of(&entry)?)? else {
        state.larger = Larger::default();
        return Ok(());
    };
    let fingerprint = super::fingerprint_of(&schema.source);
    if (&state.larger.fingerprint, &state.larger.wanted) != (&fingerprint, &wanted) {
        state.larger = Larger { fingerprint, wanted, ..Larger::default() };
    }
    let plan = Plan { cycles: plan.cycles.min(MOST_CYCLES), ..plan };
    let model = Broken::of(&schema)?;
    let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
    let begun = state.larger.progress.clone();
    let mut told = |progress: &Progress| {
        for (survivor, twins) in &twins {
            let killed = twins.iter().find_map(|twin| Some((twin, progress.killed.get(&twin.number)?)));
            if let Some((twin, kill)) = killed {
                let noticed = Noticed { point: entry.point.to_string(), mutant: twin.clone(), kill: kill.clone() };
                state.larger.noticed.insert(*survivor, noticed);
            }
        }
        state.larger.progress = progress.clone();
        state.save()
    };
    run::run(&entry, &mutants, &model, plan, begun, &mut told, &|cycles, alive| watch.traffic(cycles, alive))?;
    Ok(())
}

/// For each mutant of a point, by number, those of another point that break the same.
type Twins = BTreeMap<u32, Vec<Mutant>>;

/// The mutants of `larger` that break the same as those of `survivors`, and for each of these by number which.
fn twins(source: &Source, survivors: &[&Mutant], larger: &Source) -> Result<Option<(Schema, Twins)>> {
    let (here, there) = (Export::of(source)?, Export::of(larger)?);
    let same = |one: &Mutant, other: &Mutant| here.breaks_the_same(one, &there, other);
    let schema = those(larger, &|mutant| survivors.iter().any(|survivor| same(survivor, mutant)))?;
    Ok(schema.map(|schema| {
        let twins =
            |survivor: &Mutant| schema.mutants.iter().filter(|mutant| same(survivor, mutant)).cloned().collect();
        let twins = survivors.iter().map(|survivor| (survivor.number, twins(survivor))).collect();
        (schema, twins)
    }))
}

/// What there is to know of an export to find a breakage of it in that of another point.
struct Export {
    /// Where each module stands: the instances on the way down to it.
    places: BTreeMap<String, BTreeSet<String>>,
    /// Where each node of a file stands.
    nodes: BTreeMap<String, Vec<Position>>,
}

/// The place of a node in its module, in words that are the same at each point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    /// Its line and the one before it, without numbers.
    lines: [String; 2],
    /// Which it is of the lines that are the same so far, and how many of these there are.
    line: [usize; 2],
    /// Which of the nodes that begin on the line, and how many do.
    node: [usize; 2],
}

impl Export {
    fn of(source: &Source) -> Result<Self> {
        let mut nodes = BTreeMap::new();
        for ((file, text), tree) in source.files.iter().zip(trees(source)?) {
            let lines: Vec<String> = text.lines().map(|line| without_numbers(line.trim())).collect();
            let mut starts = Vec::new();
            tree.root.for_each(&mut |node| starts.push(text[..node.span.start].matches('\n').count()));
            nodes.insert(file.clone(), positions(&lines, &starts));
        }
        Ok(Self { places: places(&source.files, &source.top), nodes })
    }

    /// Whether `one`, a mutant of this export, and `other`, one of `larger`, change the same node in the same way.
    fn breaks_the_same(&self, one: &Mutant, larger: &Export, other: &Mutant) -> bool {
        let position = |export: &Export, mutant: &Mutant| export.nodes.get(&mutant.file)?.get(mutant.node).cloned();
        alike(&one.becomes, &other.becomes)
            && alike(&one.was, &other.was)
            && position(self, one) == position(larger, other)
            && self.is_same_module(module_of(&one.file), larger, module_of(&other.file))
    }

    /// Whether the instances of `other` are some of those of `one`: in the larger export there may be more of a kind, but none that is of another module here.
    fn is_same_module(&self, one: &str, larger: &Export, other: &str) -> bool {
        let (Some(here), Some(there)) = (self.places.get(one), larger.places.get(other)) else { return false };
        let elsewhere =
            |place: &&String| !here.contains(*place) && self.places.values().any(|all| all.contains(*place));
        !here.is_disjoint(there) && !there.iter().any(|place| elsewhere(&place))
    }
}

/// Where nodes stand that begin on the lines `starts`, counted from 0.
fn positions(lines: &[String], starts: &[usize]) -> Vec<Position> {
    let before = |line: usize| if line == 0 { String::new() } else { lines[line - 1].clone() };
    let pairs: Vec<[String; 2]> = lines.iter().enumerate().map(|(at, line)| [before(at), line.clone()]).collect();
    let [of_lines, of_nodes] = [counted(&pairs), counted(starts)];
    let position = |(node, line): (usize, &usize)| Position {
        lines: pairs[*line].clone(),
        line: of_lines[*line],
        node: of_nodes[node],
    };
    starts.iter().enumerate().map(position).collect()
}

/// Of each item, which it is of those that are equal, and how many of these there are.
fn counted<T: Ord>(items: &[T]) -> Vec<[usize; 2]> {
    let mut counts: BTreeMap<&T, usize> = BTreeMap::new();
    let which: Vec<usize> = items
        .iter()
        .map(|item| {
            let count = counts.entry(item).or_default();
            *count += 1;
            *count
        })
        .collect();
    items.iter().zip(which).map(|(item, which)| [which, counts[item]]).collect()
}

/// A piece of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Text(char),
    Number { value: u128, all_ones: bool },
}

/// Whether two expressions are the same but for widths: numbers have the same value, or all bits set in both.
fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (pieces(one), pieces(other));
    let same = |(one, other): (&Piece, &Piece)| match (one, other) {
        (Piece::Number { all_ones: true, .. }, Piece::Number { all_ones: true, .. }) => true,
        (Piece::Number { value: one, .. }, Piece::Number { value: other, .. }) => one == other,
        (one, other) => one == other,
    };
    one.len() == other.len() && one.iter().zip(&other).all(same)
}

/// `#` for each number with a width: what stands on a line whatever the sizes.
fn without_numbers(text: &str) -> String {
    let word = |piece: Piece| match piece {
        Piece::Text(letter) => letter,
        Piece::Number { .. } => '#',
    };
    let text: String = pieces(text).into_iter().map(word).collect();
    // The bits of a range count as numbers, too.
    let mut left = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        let bits = after.find(|letter: char| !letter.is_ascii_digit() && letter != ':').unwrap_or(after.len());
        left.push_str(before);
        left.push_str(if bits > 0 { "[#" } else { "[" });
        rest = &after[bits..];
    }
    left + rest
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut in_name = false;
    while let Some(letter) = rest.chars().next() {
        let number = if in_name { None } else { number(rest) };
        in_name = letter.is_ascii_alphanumeric() || letter == '_';
        rest = if let Some((piece, after)) = number {
            pieces.push(piece);
            after
        } else {
            pieces.push(Piece::Text(letter));
            &rest[letter.len_utf8()..]
        };
    }
    pieces
}

/// The number with a width that `text` begins with, be it all bits low or high as in `{4{1'b1}}`, and what follows it.
fn number(text: &str) -> Option<(Piece, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    if let Some(repeated) = text.strip_prefix('{') {
        let (one, after) = number(repeated[digits(repeated)..].strip_prefix('{')?)?;
        return Some((one, after.strip_prefix("}}")?));
    }
    let (width, value) = (text[..digits(text)].parse::<u32>().ok()?, text[digits(text)..].strip_prefix('\'')?);
    let radix = match value.chars().next()? {
        'b' => 2,
        'h' => 16,
        _ => 10,
    };
    let value = &value[1..];
    let length = value.len() - value.trim_start_matches(|digit: char| digit.is_digit(radix)).len();
    let (value, after) = value.split_at(length);
    let value = u128::from_str_radix(value, radix).ok()?;
    let all_ones = width > 0 && value == u128::MAX >> (128 - width.min(128));
    Some((Piece::Number { value, all_ones }, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("warp <= 4'd0;", "warp <= #;")]
    #[case("warp <= 12'hfff ^ mask_2;", "warp <= # ^ mask_2;")]
    #[case("{4{1'b1}}", "#")]
    #[case("{2{threads}}", "{2{threads}}")]
    #[case("wire [7:0] thread_0 = all[3:0] & all[4] & all[at];", "wire [#] thread_0 = all[#] & all[#] & all[at];")]
    fn numbers_are_left_out(#[case] text: &str, #[case] left: &str) {
        assert_eq!(without_numbers(text), left);
    }

    #[rstest]
    #[case("1'b0", "{4{1'b0}}", true)]
    #[case("1'b1", "{4{1'b1}}", true)]
    #[case("1'b0", "{4{1'b1}}", false)]
    #[case("1'h1", "3'h1", true)]
    #[case("1'h1", "3'h7", true)]
    #[case("1'h1", "3'h2", false)]
    #[case("3'h3", "2'h3", true)]
    #[case("(mask) ^ 2'b10", "(mask) ^ 4'b0010", true)]
    #[case("(mask) ^ 2'b10", "(mask) ^ 4'b0100", false)]
    #[case("held[3:0]", "held[4:1]", false)]
    #[case("(a) | (b)", "(a) ^ (b)", false)]
    fn only_widths_may_differ(#[case] one: &str, #[case] other: &str, #[case] same: bool) {
        assert_eq!(alike(one, other), same);
    }

    /// An export of a top module with two instances of one part, which `bodies` tells by name.
    fn source(top: &str, parts: [&str; 2], bodies: &[(&str, &str)]) -> Source {
        let head = "  input  wire clock,\n  input  wire [1:0] a,\n  output wire [1:0] y\n);\n";
        let file =
            |name: String, body: &str| (format!("{name}.v"), format!("module {name} (\n{head}{body}endmodule\n"));
        let [first, second] = parts.map(|part| format!("  {top}_{part} "));
        let instances = format!("{first}one (\n    .clock (clock)\n  );\n{second}two (\n    .clock (clock)\n  );\n");
        let mut files = vec![file(top.to_string(), &instances)];
        files.extend(bodies.iter().map(|(name, body)| file(format!("{top}_{name}"), body)));
        Source { top: top.into(), files, ports: Vec::new() }
    }

    fn body(width: usize, resets: usize) -> String {
        let resets = format!("    x <= {width}'d0;\n").repeat(resets);
        format!("  reg [1:0] x;\n  assign y = a & (x & a);\n  always @(posedge clock) begin\n{resets}  end\n")
    }

    /// The mutants of `source`'s part `part` that put `becomes` in the place of `was`.
    fn mutants(source: &Source, part: &str, was: &str, becomes: &str) -> Vec<Mutant> {
        let fits = |mutant: &Mutant| {
            mutant.file.ends_with(&format!("_{part}.v")) && mutant.was == was && mutant.becomes == becomes
        };
        those(source, &fits).expect("it can be read").map_or(Vec::new(), |schema| schema.mutants)
    }

    fn found(small: &Source, large: &Source, mutant: &Mutant) -> Vec<(String, usize, String)> {
        let twins = twins(small, &[mutant], large).expect("it can be read");
        let told = |twin: &Mutant| (twin.file.clone(), twin.node, twin.becomes.clone());
        twins.map_or(Vec::new(), |(_, twins)| twins[&mutant.number].iter().map(told).collect())
    }

    /// XV-12: a mutant is looked for at its node, of two on a line or on one of two lines alike, with what it makes of it; nowhere if there are more such lines.
    #[test]
    fn xv_12_the_same_breakage_is_found() {
        let small = source("b_1", ["part_1", "part_1"], &[("part_1", &body(1, 2))]);
        let large = source("b_4", ["part_4", "part_4"], &[("part_4", &body(4, 2))]);
        let twins = |was: &str, becomes: &str| {
            let found = |mutant: &Mutant| found(&small, &large, mutant);
            mutants(&small, "part_1", was, becomes).iter().map(found).collect::<Vec<_>>()
        };
        for (was, becomes) in [("a", "{2{1'b0}}"), ("1'd0", "1'h1")] {
            let [first, second] = &twins(was, becomes)[..] else { panic!("it stands there twice") };
            assert!(!first.is_empty() && first.iter().all(|twin| !second.contains(twin)), "{first:?} {second:?}");
        }
        assert_eq!(twins("a", "{2{1'b1}}")[0].len(), 1, "what is stuck high is not stuck low");
        assert_eq!(twins("x & a", "(x) | (a)")[0].len(), 1);
        let more = source("b_4", ["part_4", "part_4"], &[("part_4", &body(4, 3))]);
        let second = &mutants(&small, "part_1", "1'd0", "1'h1")[1];
        assert!(found(&small, &more, second).is_empty(), "the last of two may be either of three");
    }

    /// XV-12: a module is known by where it stands, not by its name: if some of its instances are of another one at the larger point, either is looked at; one
    /// that also stands where another one stands at the smaller point is not.
    #[test]
    fn xv_12_a_module_is_known_by_its_place() {
        let small = source("b_1", ["ram_1x2", "ram_1x2"], &[("ram_1x2", &body(1, 1))]);
        let other = source("b_1", ["ram_1x2", "ram_1x3"], &[("ram_1x2", &body(1, 1)), ("ram_1x3", &body(1, 1))]);
        let apart = source("b_4", ["ram_4x2", "ram_4x3"], &[("ram_4x2", &body(4, 1)), ("ram_4x3", &body(4, 1))]);
        let shared = source("b_4", ["ram_4x2", "ram_4x2"], &[("ram_4x2", &body(4, 1))]);
        let twins = |small: &Source, large: &Source| {
            let mutant = &mutants(small, "ram_1x2", "x & a", "(x) | (a)")[0];
            found(small, large, mutant).into_iter().map(|(file, ..)| file).collect::<Vec<_>>()
        };
        assert_eq!(twins(&small, &shared), ["b_4_ram_4x2.v"]);
        assert_eq!(twins(&small, &apart), ["b_4_ram_4x2.v", "b_4_ram_4x3.v"]);
        assert_eq!(twins(&other, &apart), ["b_4_ram_4x2.v"]);
        assert!(twins(&other, &shared).is_empty());
    }

    /// XV-12: at the larger point there are more warps, thread blocks or groups.
    #[test]
    fn xv_12_a_larger_point_has_more_that_takes_turns() {
        let points = |block: &str| {
            let entry = points::entries().into_iter().find(|entry| entry.block == block).expect("there is one");
            larger(&entry).map(|entry| entry.point.to_string())
        };
        assert_eq!(points("divergence_unit").as_deref(), Some("4x32x16"));
        assert_eq!(points("tree_divergence_table").as_deref(), Some("4x32x64"));
        assert_eq!(points("control_core_suspending"), None);
    }
}
