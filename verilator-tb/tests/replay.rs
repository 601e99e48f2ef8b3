//! A failure of lockstep is shrunk, saved, and seen again from its file (XV-02, UX-05).

use assert_cmd::Command;
use heddle_hdl::points::{self, Entry};
use heddle_tb::core_lockstep;
use heddle_tb::lockstep::campaign::{Again, Found, Plan, Watch};
use heddle_tb::verilated::{Model, Options, Source};
use std::path::PathBuf;

/// Lets a campaign run to its end.
pub struct Patient;

impl Watch for Patient {
    fn passed(&self, _: u64) -> bool {
        true
    }
}

/// The export of `entry` with `wrong` in place of `right`, which stands once in the file whose name ends so.
pub fn broken(entry: &Entry, file: &str, right: &str, wrong: &str) -> Model {
    let mut source = Source::of(entry).expect("the export");
    let (_, text) = source.files.iter_mut().find(|(name, _)| name.ends_with(file)).expect("the file");
    assert_eq!(text.matches(right).count(), 1, "{file}: {right}");
    *text = text.replace(right, wrong);
    Model::build(&source, &Options { quick: true, ..Options::CHECKING }).expect("it builds")
}

/// Breaks the export of a block or core at one place of a file, and sees lockstep notice it: the case that is kept in `folder` is smaller than the episode, fails again on that export in the same
/// words, and passes on the real one, through the door. Gives what was found, and the file.
pub fn defect_is_found_kept_and_replayed(
    (block, point): (&str, &str),
    (file, right, wrong): (&str, &str, &str),
    plan: Plan,
    folder: &tempfile::TempDir,
) -> (Found, PathBuf) {
    let entry = points::find(block, point).expect("the point is in the list");
    let broken = broken(&entry, file, right, wrong);

    let outcome = core_lockstep::run(&entry, &broken, plan, Some(folder.path()), &Patient).expect("it runs");
    let found = outcome.failure.expect("the defect is noticed");
    assert!(found.operations.1 < found.operations.0, "{:?} operations", found.operations);
    let file = found.file.clone().expect("the case is kept");

    let text = std::fs::read_to_string(&file).expect("the case");
    let again = Again { text: &text, path: &file, wave: None, netlist: None };
    let (saved, again) = core_lockstep::replay(&entry, &broken, &again).expect("it is a case");
    assert_eq!(again.expect_err("it fails again").to_string(), saved);
    let output = Command::cargo_bin("heddle-tb").expect("built").arg("replay").arg(&file).output().expect("it runs");
    assert!(output.status.success(), "the real export passes: {}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("no mismatch"));
    (found, file)
}

/// XV-02, DQ-07: an export whose merges lose threads fails.
#[test]
fn a_failure_is_shrunk_saved_and_replayed() {
    let merge = ("_token_path.v", "added_mask = operation_mask;", "added_mask = replace ? operation_mask : 32'd0;");
    let plan = Plan { cycles: 100_000, seed: 9, alone: false };
    let folder = tempfile::tempdir().expect("a folder");
    defect_is_found_kept_and_replayed(("token_deque", "1x32x8"), merge, plan, &folder);
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
    core_lockstep::replay(&entry, &model, &again).expect("it is a case").1.expect("it comes back");
}
