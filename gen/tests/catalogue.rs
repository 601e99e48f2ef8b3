//! Every block at every point, as exported.

mod support;

use heddle_gen::verilog::translate;
use heddle_hdl::points::entries;

/// XV-05: every block at every point translates, and no tool has anything to say about it.
#[test]
fn every_entry_lints() {
    for entry in entries() {
        let block = (entry.block_of)();
        let modules = translate(&entry.module(), &*block, "", &[]).unwrap_or_else(|error| panic!("{error}"));
        support::lint(&modules);
    }
}
