//! The lines and toggles that the lockstep traffic of all seeds reaches of the blocks, each at its smallest point: an export that counts runs the traffic of one seed
//! in each job, and what one of them met is met.

use crate::coverage::{Hole, ModuleShare, Report, Share, LINES_WANTED, TOGGLES_WANTED};
use heddle_sim::cli::output::grouped;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

use super::report::{escape, Section};

/// Holes that the page lists of a block, of either kind; the report of `cargo tb coverage` lists all.
const SHOWN: usize = 40;

/// What was covered of a block by all seeds together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockCoverage {
    /// The block.
    pub block: String,
    /// Its smallest point.
    pub point: String,
    /// Seeds whose traffic was counted.
    pub seeds: usize,
    /// Their cycles.
    pub cycles: u64,
    /// Lines.
    pub lines: Share,
    /// Bits, each up and down.
    pub toggles: Share,
    /// Whether the goal is met: every line, and [`TOGGLES_WANTED`] of the toggles.
    pub met: bool,
    /// What counts and was not met, the lines first.
    pub holes: Vec<Hole>,
    /// What was not met and need not be, with the reason, the lines first.
    pub excluded: Vec<Hole>,
}

/// What the seeds of one block met together; none without a seed.
pub fn merged(reports: &[Report]) -> Option<BlockCoverage> {
    let union = union(reports)?;
    let (holes, excluded) =
        union.line_holes.iter().chain(&union.toggle_holes).cloned().partition(|hole| hole.reason.is_none());
    Some(BlockCoverage {
        seeds: reports.len(),
        cycles: union.cycles,
        met: union.is_met(),
        holes,
        excluded,
        lines: union.lines,
        toggles: union.toggles,
        block: union.block,
        point: union.point,
    })
}

/// One report of all: what is a hole in each of them is one.
fn union(reports: &[Report]) -> Option<Report> {
    let (first, others) = reports.split_first()?;
    let mut union = first.clone();
    for other in others {
        union.cycles += other.cycles;
        let lines = common(&mut union.line_holes, &other.line_holes);
        let toggles = common(&mut union.toggle_holes, &other.toggle_holes);
        refill(&mut union.lines, &mut union.modules, &lines, |module| &mut module.lines);
        refill(&mut union.toggles, &mut union.modules, &toggles, |module| &mut module.toggles);
    }
    Some(union)
}

/// Keeps of `holes` what is one in `others` as well; gives those that are none any more.
fn common(holes: &mut Vec<Hole>, others: &[Hole]) -> Vec<Hole> {
    let place = |hole: &Hole| (hole.module.clone(), hole.line, hole.name.clone());
    let others: BTreeSet<_> = others.iter().map(place).collect();
    let (kept, filled) = std::mem::take(holes).into_iter().partition(|hole| others.contains(&place(hole)));
    *holes = kept;
    filled
}

/// Counts holes that are none any more as met. One that was left out counts like any other then.
fn refill(
    all: &mut Share,
    modules: &mut BTreeMap<String, ModuleShare>,
    filled: &[Hole],
    of: fn(&mut ModuleShare) -> &mut Share,
) {
    for hole in filled {
        let module = modules.entry(hole.module.clone()).or_default();
        for share in [of(module), &mut *all] {
            share.covered += 1;
            if hole.reason.is_some() {
                share.excluded -= 1;
                share.of += 1;
            }
        }
    }
}

/// A share in cells of a table: met, of how many, left out, of a hundred.
fn cells(share: &Share) -> String {
    let count = |number: usize| grouped(number as u64);
    format!(
        "<td class=n>{} of {}<td class=n>{}<td class=n>{:.1}",
        count(share.covered),
        count(share.of),
        count(share.excluded),
        share.percent()
    )
}

/// The part of the page.
pub fn section(blocks: &[BlockCoverage]) -> Section {
    let row = |block: &BlockCoverage| {
        let (class, word) = if block.met { ("good", "met") } else { ("bad", "not met") };
        format!(
            "<tr><td>{}<td>{}<td class=n>{}{}{}<td class={class}>{word}\n",
            escape(&block.block),
            escape(&block.point),
            grouped(block.cycles),
            cells(&block.lines),
            cells(&block.toggles)
        )
    };
    let rows: String = blocks.iter().map(row).collect();
    let holes: String = blocks.iter().map(|block| holes(block) + &reasons(block)).collect();
    let met = blocks.iter().filter(|block| block.met).count();
    let html = format!(
        "<p>The goal, {LINES_WANTED:.0} % of the lines and {TOGGLES_WANTED:.0} % of the toggles, is met by {met} of {} blocks. \
         What is excluded, for a reason that stands below the table, does not count.</p>\n\
         <table><tr><th>block<th>point<th class=n>cycles<th class=n>lines<th class=n>excluded<th class=n>%<th class=n>toggles\
         <th class=n>excluded<th class=n>%<th>goal\n{rows}</table>\n{holes}",
        blocks.len()
    );
    Section { title: "Coverage".into(), html }
}

/// The goal, for the terminal, with the blocks that miss it.
pub fn text(blocks: &[BlockCoverage]) -> String {
    let met = blocks.iter().filter(|block| block.met).count();
    let mut text = format!("coverage: {met} of {} blocks meet the goal\n", blocks.len());
    for block in blocks.iter().filter(|block| !block.met) {
        let (lines, toggles) = (block.lines.percent(), block.toggles.percent());
        text +=
            &format!("  {}_{}: {lines:.1} % of the lines, {toggles:.1} % of the toggles\n", block.block, block.point);
    }
    text
}

/// What was not met of a block, behind a click; nothing if there is none.
fn holes(block: &BlockCoverage) -> String {
    if block.holes.is_empty() {
        return String::new();
    }
    let line = |hole: &Hole| format!("{}:{} {}\n", hole.module, hole.line, hole.name);
    let shown: String = block.holes.iter().take(SHOWN).map(line).collect();
    let more = block.holes.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!("and {more} more: cargo tb coverage {} --report DIR lists all\n", block.block)
    } else {
        String::new()
    };
    format!(
        "<details><summary>{}: {} not met</summary><pre>{}</pre></details>\n",
        escape(&block.block),
        grouped(block.holes.len() as u64),
        escape(&(shown + &more))
    )
}

/// Why what is excluded of a block is, behind a click: each reason, for how many lines and toggles it stands, and the first of them.
fn reasons(block: &BlockCoverage) -> String {
    let mut of_reason: BTreeMap<&str, Vec<&Hole>> = BTreeMap::new();
    for hole in &block.excluded {
        of_reason.entry(hole.reason.as_deref().unwrap_or_default()).or_default().push(hole);
    }
    if of_reason.is_empty() {
        return String::new();
    }
    let line = |(reason, holes): (&&str, &Vec<&Hole>)| {
        let Hole { module, line, name, .. } = holes[0];
        format!("{reason}: {}, first {module}:{line} {name}\n", grouped(holes.len() as u64))
    };
    let lines: String = of_reason.iter().map(line).collect();
    format!(
        "<details><summary>{}: {} excluded</summary><pre>{}</pre></details>\n",
        escape(&block.block),
        grouped(block.excluded.len() as u64),
        escape(&lines)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hole(line: u32, name: &str, reason: Option<&str>) -> Hole {
        Hole { module: "m".into(), line, name: name.into(), reason: reason.map(String::from) }
    }

    /// A block of ten lines and twenty toggles with these holes.
    fn report(line_holes: Vec<Hole>, toggle_holes: Vec<Hole>) -> Report {
        let share = |all: usize, holes: &[Hole]| {
            let excluded = holes.iter().filter(|hole| hole.reason.is_some()).count();
            Share { covered: all - holes.len(), of: all - excluded, excluded }
        };
        let (lines, toggles) = (share(10, &line_holes), share(20, &toggle_holes));
        let modules = BTreeMap::from([("m".to_string(), ModuleShare { lines, toggles })]);
        let (block, point) = ("b".into(), "p".into());
        Report { block, point, cycles: 100, lines, toggles, modules, line_holes, toggle_holes }
    }

    /// XV-08: what one seed met is met, whatever the others did; what was excluded and is met counts; the goal is that of both together.
    #[test]
    fn xv_08_seeds_are_merged() {
        let constant = || hole(5, "else", Some("constant"));
        let one = report(
            vec![hole(1, "if", None), constant()],
            vec![hole(2, "x[0]:0->1", None), hole(3, "y:1->0", Some("constant"))],
        );
        let other = report(vec![hole(4, "if", None), constant()], vec![hole(2, "x[0]:0->1", None)]);
        assert!(!merged(std::slice::from_ref(&one)).expect("a block").met);
        let both = merged(&[one.clone(), other.clone()]).expect("a block");
        assert_eq!((both.seeds, both.cycles), (2, 200));
        assert_eq!(both.lines, Share { covered: 9, of: 9, excluded: 1 });
        assert_eq!(both.toggles, Share { covered: 19, of: 20, excluded: 0 });
        assert!(both.met);
        assert_eq!(both.holes, [hole(2, "x[0]:0->1", None)]);
        assert_eq!(both.excluded, [constant()]);
        let turned = merged(&[other, one]).expect("a block");
        assert_eq!((both.lines, both.toggles), (turned.lines, turned.toggles));
        assert_eq!(merged(&[]), None);
    }

    /// XV-08: the page says of each block whether the goal is met, what is missing, and why what is excluded is.
    #[test]
    fn xv_08_the_page_shows_coverage() {
        let always = |line| hole(line, "else", Some("it is always < 3"));
        let short = report(vec![hole(1, "if <x>", None), always(6), always(7)], vec![hole(8, "y:1->0", Some("tied"))]);
        let blocks: Vec<BlockCoverage> =
            [short, report(vec![], vec![])].iter().filter_map(|it| merged(std::slice::from_ref(it))).collect();
        let Section { title, html } = section(&blocks);
        assert_eq!(title, "Coverage");
        for part in [
            "met by 1 of 2 blocks",
            "class=bad>not met",
            "class=good>met",
            "7 of 8",
            "m:1 if &lt;x&gt;",
            "b: 3 excluded",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        for reason in ["it is always &lt; 3: 2, first m:6 else\n", "tied: 1, first m:8 y:1-&gt;0\n"] {
            assert!(html.contains(reason), "{reason}: {html}");
        }
    }
}
