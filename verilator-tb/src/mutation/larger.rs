//! The same breakage at a larger point. Where there is one warp, one tree or two blocks, nothing can tell some mutants; where there are more, traffic may.

use super::run::{self, Kill, Progress};
use super::schema::{those, Mutant, Schema};
use super::Watch;
use crate::error::Result;
use crate::lockstep::campaign::Plan;
use crate::verilated::Source;
use heddle_hdl::points::{self, Entry};
use heddle_sim::cli::error::CliError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// What came of a larger point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Larger {
    /// Hash of the Verilog there, and cycles of traffic.
    fingerprint: String,
    /// Survivors of the smaller point, by number, that were looked for.
    tried: BTreeSet<u32>,
    /// Those that were noticed.
    pub noticed: BTreeMap<u32, Noticed>,
}

/// The point at which there is more of what takes turns (warps, thread blocks, groups, cores: the first parameter) than at that of `entry`, the first such in the list.
pub fn larger(entry: &Entry) -> Option<Entry> {
    let first = |entry: &Entry| entry.parameters.first().map_or(0, |(_, value)| *value);
    points::entries().into_iter().find(|other| other.block == entry.block && first(other) > first(entry))
}

/// Looks for each of `survivors`, which are of `source`, at a point that is larger than `entry`.
///
/// # Errors
/// A missing tool, Ctrl-C, a block that fails unbroken.
pub fn noticed(
    entry: &Entry,
    source: &Source,
    survivors: &[&Mutant],
    plan: Plan,
    before: &Larger,
    watch: &dyn Watch,
) -> std::result::Result<Larger, CliError> {
    let Some(entry) = larger(entry).filter(|_| !survivors.is_empty()) else { return Ok(before.clone()) };
    let plan = Plan { cycles: plan.cycles.min(MOST_CYCLES), ..plan };
    let larger = Source::of(&entry)?;
    let fingerprint = format!("{} {}", super::fingerprint_of(&larger), plan.cycles);
    let tried: BTreeSet<u32> = survivors.iter().map(|mutant| mutant.number).collect();
    if before.fingerprint == fingerprint && tried.is_subset(&before.tried) {
        return Ok(before.clone());
    }
    let mut result = Larger { fingerprint, tried, noticed: BTreeMap::new() };
    let Some((schema, twins)) = twins(source, survivors, &larger)? else { return Ok(result) };
    let model = run::model(&schema)?;
    let mutants: Vec<&Mutant> = schema.mutants.iter().collect();
    let progress = run::run(&entry, &mutants, &model, plan, Progress::default(), &mut |_| Ok(()), &|cycles, alive| {
        watch.traffic(cycles, alive);
    })?;
    for (survivor, twins) in twins {
        let killed = twins.iter().find_map(|twin| Some((twin, progress.killed.get(&twin.number)?)));
        if let Some((twin, kill)) = killed {
            let noticed = Noticed { point: entry.point.to_string(), mutant: twin.clone(), kill: kill.clone() };
            result.noticed.insert(survivor, noticed);
        }
    }
    Ok(result)
}

/// For each mutant of a point, by number, those of another point that break the same.
type Twins = BTreeMap<u32, Vec<Mutant>>;

/// The mutants of `larger` that break the same as those of `survivors`, and for each of these by number which.
fn twins(source: &Source, survivors: &[&Mutant], larger: &Source) -> Result<Option<(Schema, Twins)>> {
    let (here, there) = (Lines::of(source), Lines::of(larger));
    let wanted: BTreeMap<u32, Breakage> =
        survivors.iter().filter_map(|mutant| Some((mutant.number, here.breakage(mutant)?))).collect();
    let all: BTreeSet<&Breakage> = wanted.values().collect();
    let schema = those(larger, &|mutant| there.breakage(mutant).is_some_and(|breakage| all.contains(&breakage)))?;
    Ok(schema.map(|schema| {
        let same = |breakage: &Breakage| {
            let twin = |mutant: &&Mutant| there.breakage(mutant).as_ref() == Some(breakage);
            schema.mutants.iter().filter(twin).cloned().collect::<Vec<Mutant>>()
        };
        let twins = wanted.iter().map(|(number, breakage)| (*number, same(breakage))).collect();
        (schema, twins)
    }))
}

/// What a mutant breaks, in words that are the same at each point: the module without its sizes, its line and which of those alike it is, what stands there and
/// what becomes of it, without widths and numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Breakage {
    module: String,
    line: Line,
    was: String,
    becomes: String,
}

/// A line of a module without widths and numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    text: String,
    /// The line before it.
    before: String,
    /// Which of the lines of the module that are the same so far, and how many of these there are.
    which: usize,
    of: usize,
}

/// The lines of an export, by file and number.
struct Lines {
    top: String,
    files: HashMap<String, Vec<Line>>,
}

impl Lines {
    fn of(source: &Source) -> Self {
        let files = source.files.iter().map(|(name, text)| (name.clone(), lines(text)));
        Self { top: source.top.clone(), files: files.collect() }
    }

    fn breakage(&self, mutant: &Mutant) -> Option<Breakage> {
        Some(Breakage {
            module: without_sizes(mutant.file.strip_suffix(".v")?.strip_prefix(&self.top)?).to_string(),
            line: self.files.get(&mutant.file)?.get(mutant.line.checked_sub(1)?)?.clone(),
            was: without_numbers(&mutant.was),
            becomes: without_numbers(&mutant.becomes),
        })
    }
}

fn lines(text: &str) -> Vec<Line> {
    let mut before = String::new();
    let mut lines: Vec<Line> = text
        .lines()
        .map(|line| {
            let text = without_numbers(line.trim());
            let before = std::mem::replace(&mut before, text.clone());
            Line { text, before, which: 0, of: 0 }
        })
        .collect();
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    for line in &mut lines {
        let count = counts.entry((line.before.clone(), line.text.clone())).or_default();
        line.which = *count;
        *count += 1;
    }
    for line in &mut lines {
        line.of = counts[&(line.before.clone(), line.text.clone())];
    }
    lines
}

/// A module's name without the sizes at its end: `ram_4x25` is a `ram`.
fn without_sizes(name: &str) -> &str {
    let sizes = |end: &str| !end.is_empty() && end.split('x').all(|size| size.parse::<u32>().is_ok());
    match name.rsplit_once('_') {
        Some((name, end)) if sizes(end) => name,
        _ => name,
    }
}

/// `#` for each number with a width, be it repeated, and `[]` for a range of bits.
fn without_numbers(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    let digits = |text: &str| text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let mut in_name = false;
    while let Some(next) = rest.chars().next() {
        let width = digits(rest);
        let number = rest[width..].strip_prefix('\'').filter(|_| width > 0 && !in_name);
        let range = rest.strip_prefix('[').and_then(|bits| {
            let bits = &bits[digits(bits)..];
            let bits = bits.strip_prefix(':')?;
            bits[digits(bits)..].strip_prefix(']')
        });
        in_name = next.is_ascii_alphanumeric() || next == '_';
        rest = if let Some(value) = number {
            left.push('#');
            value.trim_start_matches(|digit: char| digit.is_ascii_alphanumeric())
        } else if let Some(after) = range {
            left.push_str("[]");
            after
        } else {
            left.push(next);
            &rest[next.len_utf8()..]
        };
    }
    // All bits of a number stand as `{4{1'b1}}`.
    while let Some(at) = left.find("{#}}") {
        let Some(start) = left[..at].rfind('{').filter(|start| left[start + 1..at].parse::<u32>().is_ok()) else {
            break;
        };
        left.replace_range(start..at + 4, "#");
    }
    left
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
    #[case("wire [7:0] thread_0 = all[3:0] & all[4];", "wire [] thread_0 = all[] & all[4];")]
    fn numbers_are_left_out(#[case] text: &str, #[case] left: &str) {
        assert_eq!(without_numbers(text), left);
    }

    #[rstest]
    #[case("_register_file_2x1", "_register_file")]
    #[case("_counts_2", "_counts")]
    #[case("_held_warp", "_held_warp")]
    #[case("", "")]
    fn sizes_are_left_out(#[case] name: &str, #[case] left: &str) {
        assert_eq!(without_sizes(name), left);
    }

    fn module(top: &str, name: &str, body: &str) -> (String, String) {
        let head =
            format!("module {top}{name} (\n  input  wire clock,\n  input  wire [1:0] a,\n  output wire [1:0] y\n);\n");
        (format!("{top}{name}.v"), format!("{head}{body}endmodule\n"))
    }

    fn source(top: &str, files: Vec<(String, String)>) -> Source {
        Source { top: top.into(), files, ports: Vec::new() }
    }

    /// XV-12: a mutant is looked for in the module of its name, on its line, with what it makes of it; of lines alike on the same one, and on none if there are more.
    #[test]
    fn xv_12_the_same_breakage_is_found() {
        let body = |width: &str, more: &str| {
            format!("  reg [1:0] x;\n  assign y = a & x;\n  always @(posedge clock) begin\n    x <= {width}'d0;\n{more}  end\n")
        };
        let small = source("b_1", vec![module("b_1", "_part_1x2", &body("2", "    x <= 2'd0;\n"))]);
        let large = |more: &str| {
            source("b_4", vec![module("b_4", "_part_4x2", &body("3", more)), module("b_4", "_other", &body("3", ""))])
        };
        let mutant = |line: usize, was: &str, becomes: &str| Mutant {
            number: 7,
            file: "b_1_part_1x2.v".into(),
            line,
            was: was.into(),
            becomes: becomes.into(),
        };
        let found = |mutant: &Mutant, large: &Source| {
            let twins = twins(&small, &[mutant], large).expect("it can be read");
            twins.map_or(Vec::new(), |(_, twins)| twins[&7].iter().map(|twin| (twin.file.clone(), twin.line)).collect())
        };
        let same = large("    x <= 3'd0;\n");
        let part = |line| ("b_4_part_4x2.v".to_string(), line);
        assert_eq!(found(&mutant(7, "a & x", "a | x"), &same).len(), 0, "what becomes of it is spelled otherwise");
        assert_eq!(found(&mutant(7, "a & x", "(a) | (x)"), &same), [part(7)]);
        let first = found(&mutant(9, "2'd0", "2'h1"), &same);
        assert!(!first.is_empty() && first.iter().all(|twin| *twin == part(9)), "{first:?}");
        let second = found(&mutant(10, "2'd0", "2'h1"), &same);
        assert!(!second.is_empty() && second.iter().all(|twin| *twin == part(10)), "{second:?}");
        let more = large("    x <= 3'd0;\n    x <= 3'd0;\n");
        assert!(found(&mutant(10, "2'd0", "2'h1"), &more).is_empty(), "one of two is none of three");
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
