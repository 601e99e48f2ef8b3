//! A failure of lockstep is shrunk, saved, and seen again from its file (XV-02, UX-05).

use assert_cmd::Command;
use heddle_hdl::points;
use heddle_tb::lockstep::campaign::{self, Again, Plan, Watch};
use heddle_tb::verilated::{Model, Options, Source};

struct Patient;

impl Watch for Patient {
    fn passed(&self, _: u64) -> bool {
        true
    }
}

/// XV-02, DQ-07: an export whose merges lose threads fails; the saved case is shorter than the episode, fails again on that export, and
/// passes on the real one, through the door.
#[test]
fn a_failure_is_shrunk_saved_and_replayed() {
    let entry = points::find("token_deque", "1x32x8").expect("the point is in the list");
    let mut source = Source::of(&entry).expect("the export");
    let (_, text) = source.files.iter_mut().find(|(name, _)| name.ends_with("_token_path.v")).expect("the file");
    assert!(text.contains("added_mask = operation_mask;"));
    *text = text.replace("added_mask = operation_mask;", "added_mask = replace ? operation_mask : 32'd0;");
    let broken = Model::build(&source, &Options { quick: true, ..Options::CHECKING }).expect("it builds");

    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan { cycles: 100_000, seed: 9, alone: false };
    let outcome = campaign::run(&entry, &broken, plan, Some(folder.path()), &Patient).expect("it runs");
    let found = outcome.failure.expect("the broken merge is noticed");
    assert!(found.operations.1 < found.operations.0, "{:?} operations", found.operations);
    let file = found.file.expect("the case is kept");

    let text = std::fs::read_to_string(&file).expect("the case");
    let again = Again { text: &text, path: &file, wave: None, netlist: None };
    let (saved, again) = campaign::replay(&entry, &broken, &again).expect("it is a case");
    assert_eq!(again.expect_err("it fails again").to_string(), saved);
    let output = Command::cargo_bin("heddle-tb").expect("built").arg("replay").arg(&file).output().expect("it runs");
    assert!(output.status.success(), "the real export passes: {}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("no mismatch"));
}

/// TD-09: on a full tree a region in memory may go on while the node that the same instruction frees is not free yet. Its leaf then goes to memory and
/// comes back at once, which is no fault; about ten million cycles of random traffic meet it once.
#[test]
fn td_09_a_leaf_that_goes_early_comes_back() {
    let entry = points::find("tree_divergence_table", "1x8x8").expect("the point is in the list");
    let path = std::path::Path::new("tests/cases/tree_divergence_table_leaf_goes_early.json");
    let text = std::fs::read_to_string(path).expect("the case");
    let again = Again { text: &text, path, wave: None, netlist: None };
    let model = Model::build(&Source::of(&entry).expect("the export"), &Options::CHECKING).expect("it builds");
    campaign::replay(&entry, &model, &again).expect("it is a case").1.expect("it comes back");
}
