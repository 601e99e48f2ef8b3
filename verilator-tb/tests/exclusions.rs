//! What coverage leaves out is where the list says (XV-08): an exclusion names a line of the export, which moves as the block is edited.

use heddle_hdl::points;
use heddle_tb::core_lockstep::is_core;
use heddle_tb::verilated::Source;
use serde_json::Value;

const LIST: &str = include_str!("../coverage/exclusions.json");

/// Of each block, the point at which its coverage is measured.
fn smallest() -> Vec<points::Entry> {
    let mut entries = points::entries();
    entries.dedup_by_key(|entry| entry.block);
    entries
}

/// XV-08: where an exclusion is about a branch, its line decides something, in every block that it is about and has the part; there is one.
#[test]
fn xv_08_exclusions_fit_their_lines() {
    let sources: Vec<(&str, Source)> =
        smallest().iter().map(|entry| (entry.block, Source::of(entry).expect("an export"))).collect();
    assert!(sources.iter().any(|(block, _)| is_core(block)) && sources.len() > 20);
    let list: Vec<Value> = serde_json::from_str(LIST).expect("a well-formed list");
    let mut branches = 0;
    for exclusion in &list {
        let Some((line, branch)) = exclusion["what"].as_str().expect("a place").split_once(':') else { continue };
        let (number, part) = (line.parse::<usize>().expect("a line"), exclusion["part"].as_str().expect("a part"));
        assert!(["if", "else", "elsif", "case"].contains(&branch), "{exclusion}");
        let mut fits = 0;
        for (block, source) in &sources {
            let file = format!("{}_{part}.v", source.top);
            let meant = exclusion["block"].as_str().is_none_or(|name| name == *block);
            let Some((_, text)) = source.files.iter().find(|(name, _)| meant && *name == file) else { continue };
            let text = text.lines().nth(number - 1).unwrap_or_default();
            let decides = if branch == "case" { text.contains(':') } else { text.contains("if (") };
            assert!(decides, "{exclusion}: line {number} of {file} is '{text}'");
            fits += 1;
        }
        assert!(fits > 0, "{exclusion}: no block has that part");
        branches += 1;
    }
    assert!(branches > 10, "{branches}");
}
