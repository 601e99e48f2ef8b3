//! Where a register's next value is decided on: at the edge if nothing else wants to know it, before it otherwise.

use heddle_gen::verilog::translate;
use heddle_hdl::points;

/// XV-05: a decision that only the register reads stands in the clocked process, and holding a value takes no statement;
/// a next value that the logic reads stays a signal.
#[test]
fn decisions_are_taken_at_the_edge() {
    let entry = points::find("token_deque", "1x32x8").expect("the point is in the list");
    let modules = translate("deque", &*(entry.block_of)(), "", &[]).expect("the deque is translated");
    let text_of = |name: &str| {
        let module = modules.iter().find(|module| module.name.ends_with(name));
        module.map(|module| module.text.as_str()).expect("the deque has this part")
    };
    let recenter = text_of("recenter");
    assert!(recenter.contains("target <= target + 4'd1;"), "{recenter}");
    assert!(!recenter.contains("target_next") && !recenter.contains("target <= target;"), "{recenter}");
    let sequencer = text_of("sequencer");
    assert!(sequencer.contains("scans <= scans_next;") && sequencer.contains("stops <= handled |"), "{sequencer}");
}
