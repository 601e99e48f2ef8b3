//! Every block at every point, as exported.

use crate::support;
use heddle_gen::verilog::translate;
use heddle_hdl::points::entries;
use std::collections::BTreeSet;

/// XV-05: every block at every point translates, and at its smallest no tool has anything to say about it; `scripts/lint` looks at all that is exported.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn every_entry_translates_and_the_smallest_lint() {
    let mut seen = BTreeSet::new();
    for entry in entries() {
        let block = (entry.block_of)();
        let modules = translate(&entry.module(), &*block, "", &[]).unwrap_or_else(|error| panic!("{error}"));
        if seen.insert(entry.block) {
            support::lint(&modules);
        }
    }
}

/// XV-02: every block at its smallest point, and those of queues with masks of 64 threads, computes the same in Verilog as in Rust, whatever is thrown at it.
#[test]
fn small_entries_agree() {
    let mut seen = BTreeSet::new();
    for entry in entries().into_iter().filter(|entry| seen.insert(entry.block) || entry.point == "4x64x32") {
        let modules =
            translate(&entry.module(), &*(entry.block_of)(), "", &[]).unwrap_or_else(|error| panic!("{error}"));
        let stimulus = support::random_for(&(entry.ports)(), 1500, 3);
        let modules = support::preloaded(&modules);
        let unknown = support::compare(2, &modules, &mut *(entry.simulate)(), &stimulus);
        assert!(unknown.is_empty(), "{}: {}", entry.module(), unknown.join("\n"));
    }
}
