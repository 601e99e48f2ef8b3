//! Which modules of a core's export are its own: those that are not parts of a block that lockstep runs by itself. What they do is looked at there, a
//! thousand times as often as random programs come to it.

use crate::lockstep::campaign::blocks;
use crate::verilated::Source;
use std::collections::{BTreeMap, BTreeSet};

/// The modules of a core that are reached from its top without entering a block that has a lockstep of its own, the top among them. A primitive may stand in such a block as well.
pub fn own(source: &Source) -> BTreeSet<String> {
    let texts: BTreeMap<&str, &str> =
        source.files.iter().filter_map(|(file, text)| Some((file.strip_suffix(".v")?, text.as_str()))).collect();
    let others: BTreeSet<String> = blocks().map(|block| format!("{}_{block}", source.top)).collect();
    let mut own = BTreeSet::new();
    let mut open = vec![source.top.as_str()];
    while let Some(module) = open.pop() {
        if others.contains(module) || !own.insert(module.to_string()) {
            continue;
        }
        // An instance is a line of its module, its name and a parenthesis.
        let instances = texts.get(module).into_iter().flat_map(|text| text.lines()).filter_map(|line| {
            let mut words = line.split_whitespace();
            words.next().filter(|_| words.nth(1) == Some("(")).filter(|first| texts.contains_key(first))
        });
        open.extend(instances);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_lockstep::CORES;
    use heddle_hdl::points;

    /// XV-12: of each core those modules are its own that no block by itself has, and what is left is parts of such blocks; no primitive of its own parts is missing.
    #[test]
    fn xv_12_modules_of_a_core_are_its_own() {
        for core in CORES {
            let entry = points::entries().into_iter().find(|entry| entry.block == core).expect("a point");
            let source = Source::of(&entry).expect("an export");
            let own = own(&source);
            let has = |part: &str| own.contains(&format!("{}_{part}", entry.module()));
            assert!(own.contains(&entry.module()) && has("issue_stage") && has("warp_scheduler"), "{core}: {own:?}");
            assert!(!has("barrier_scheduler") && !has("arrival_tracker") && !has("token_deque"), "{core}: {own:?}");
            assert_eq!(has("suspension_unit"), core == "control_core_suspending", "{core}: {own:?}");
            assert_eq!(has("tree_engine"), core == "control_core_tree", "{core}: {own:?}");
            assert_eq!(has("deque_engine"), core != "control_core_tree", "{core}: {own:?}");
            assert!(own.iter().any(|module| module.contains("_register_file_")), "{core}: {own:?}");
        }
    }
}
