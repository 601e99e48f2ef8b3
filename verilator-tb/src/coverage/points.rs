//! What Verilator counted: the points of a block, by module, line and name, over all its instances and runs.

use crate::verilated::memories::START;
use std::collections::BTreeMap;

/// What a point is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A line, or the branch that begins there, was run.
    Line,
    /// A bit rose, or fell.
    Toggle,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// The module.
    pub module: String,
    /// What it is about.
    pub kind: Kind,
    /// Its line in the module's file.
    pub line: u32,
    /// The branch (`if`, `else`, `case`, `block`), or the bit and which way it went (`count[2]:0->1`).
    pub name: String,
}

/// How often each point was met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points(BTreeMap<Point, u64>);

impl Points {
    /// Adds what a run of the Verilated model wrote.
    pub fn add(&mut self, text: &str) {
        for (point, count) in text.lines().filter_map(parse) {
            *self.0.entry(point).or_default() += count;
        }
    }

    /// Adds what `other` met of its module `theirs`, whose name is another here, as is the number of each `line`.
    pub fn add_module(&mut self, other: &Points, theirs: &str, ours: &str, line: impl Fn(u32) -> u32) {
        for (point, count) in other.0.iter().filter(|(point, _)| point.module == theirs) {
            let here = Point { module: ours.to_string(), line: line(point.line), ..point.clone() };
            *self.0.entry(here).or_default() += count;
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&Point, u64)> {
        self.0.iter().map(|(point, count)| (point, *count))
    }
}

/// A line of the file: `C '` fields `' ` count; each field is a key, a separator and a value.
fn parse(line: &str) -> Option<(Point, u64)> {
    let (fields, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let fields: BTreeMap<&str, &str> = fields.split('\u{1}').filter_map(|field| field.split_once('\u{2}')).collect();
    let page = fields.get("page")?;
    let (kind, module) = page.split_once('/')?;
    let kind = match kind {
        "v_line" | "v_branch" => Kind::Line,
        "v_toggle" => Kind::Toggle,
        _ => return None,
    };
    let name = fields.get("o").copied().unwrap_or("block");
    // What lies in memories before they are written is ours, not the block's.
    if name.contains(START) || module.contains(START) || fields.get("h").is_some_and(|place| place.contains(START)) {
        return None;
    }
    let point =
        Point { module: module.to_string(), kind, line: fields.get("l")?.parse().ok()?, name: name.to_string() };
    Some((point, count.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08: instances of one module are one; two kinds of points are told apart; what is ours is left out.
    #[test]
    fn xv_08_points_are_read_and_added() {
        let mut points = Points::default();
        let line = |page: &str, name: &str, place: &str, count: u64| {
            format!("C '\u{1}f\u{2}a.v\u{1}l\u{2}12\u{1}page\u{2}{page}\u{1}o\u{2}{name}\u{1}h\u{2}{place}' {count}\n")
        };
        points.add(&(line("v_line/queue", "if", "top.a", 2) + &line("v_line/queue", "if", "top.b", 3)));
        points.add(&line("v_toggle/queue", "count[1]:0->1", "top.a", 0));
        points.add(&line("v_toggle/ram", "heddle_start_of_memory.entry[0]:0->1", "top.r", 0));
        let all: Vec<(Kind, &str, u64)> =
            points.iter().map(|(point, count)| (point.kind, point.name.as_str(), count)).collect();
        assert_eq!(all, [(Kind::Line, "if", 5), (Kind::Toggle, "count[1]:0->1", 0)]);
    }
}
