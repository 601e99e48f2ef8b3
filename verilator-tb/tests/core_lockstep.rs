//! The control cores in lockstep: a planted defect is found, kept, and seen again; the door takes cores where it can, and says where it cannot (XV-02, UX-05, UX-08).

use super::replay::defect_is_found_kept_and_replayed;
use assert_cmd::Command;
use heddle_tb::lockstep::campaign::Plan;
use rstest::rstest;
use serde_json::Value;

/// What `cargo tb` ends with: exit code, standard output, standard error without the line breaks of a terminal.
fn tb(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("heddle-tb").expect("the door is built").args(arguments).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let errors = text(&output.stderr).replace(['│', '×', '╭', '╰', '─', '·'], " ");
    (output.status.code(), text(&output.stdout), errors.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// XV-02, SM-03: an export in which a block's slot is free when its first warp ends differs on a port.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_02_a_defect_of_a_core_is_found_kept_and_replayed() {
    let right = "assign finish_last = finish_valid & !(|(fellows_result & filled & ~ended));";
    let slot = ("_cta_slots.v", right, "assign finish_last = finish_valid;");
    let plan = Plan { cycles: 200_000, seed: 3, alone: false };
    let folder = tempfile::tempdir().expect("a folder");
    let (found, file) = defect_is_found_kept_and_replayed(("control_core", "4x32x16"), slot, plan, &folder);
    let what = found.what.what;
    assert!(what.contains("the Rust simulation and") && what.contains("the export"), "{what}");

    // A case that somebody has edited is bad input.
    let text = std::fs::read_to_string(&file).expect("the case");
    std::fs::write(&file, text.replacen("\"threads\": 32", "\"threads\": 16", 1)).expect("written");
    let (code, _, errors) = tb(&["replay", &file.display().to_string()]);
    assert!(code == Some(2) && errors.contains("its configuration is not one of control_core_4x32x16"), "{errors}");
}

/// XV-02, CX-09: a core that saves what an observer happens to look at loses threads, which end otherwise than alone.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_02_a_saver_that_reads_over_an_observers_shoulder_is_found() {
    let look = ("control_core_suspending_4x32x32.v", "look_ready = !observe_valid;", "look_ready = 1'b1;");
    let plan = Plan { cycles: 1_000_000, seed: 1, alone: true };
    let folder = tempfile::tempdir().expect("a folder");
    let core = ("control_core_suspending", "4x32x32");
    let (found, _) = defect_is_found_kept_and_replayed(core, look, plan, &folder);
    assert!(found.what.what.contains("threads alone leave"), "{}", found.what.what);
}

/// XV-02, XV-03: a short lockstep of each core finds nothing, and the export alone does what threads alone do.
#[rstest]
#[case("control_core", "4x32x16", "cycles")]
#[case("control_core_tree", "4x32x64", "cycles")]
#[case("control_core_suspending", "4x32x32", "cycles")]
#[case("control_core_suspending", "4x32x32", "random_start_cycles")]
fn xv_02_cores_in_lockstep(#[case] core: &str, #[case] point: &str, #[case] ran: &str) {
    let alone: &[&str] = if ran == "cycles" { &[] } else { &["--alone"] };
    let (code, output, errors) = tb(&[&["lockstep", core, "--smallest", "--cycles", "3000", "--json"], alone].concat());
    assert_eq!(code, Some(0), "{errors}");
    let document: Value = serde_json::from_str(&output).expect("JSON");
    let points = document["points"].as_array().expect("points");
    assert_eq!(points.len(), 1);
    assert_eq!((&points[0]["point"], &points[0]["mismatches"]), (&point.into(), &0.into()));
    assert!(points[0][ran].as_u64() >= Some(3000), "{document}");
    assert!(points[0]["counts"]["instructions issued"].as_u64() > Some(500), "{document}");
}

/// UX-05, UX-08: cores are listed apart; what there is not of a core is said.
#[test]
fn ux_08_cores_are_listed_apart() {
    let (code, output, _) = tb(&["list", "--cores"]);
    assert_eq!((code, output.as_str()), (Some(0), "control_core\ncontrol_core_tree\ncontrol_core_suspending\n"));
    let (_, blocks, _) = tb(&["list"]);
    assert!(!blocks.contains("control_core"), "{blocks}");
    for (arguments, said) in [
        (&["mutate", "control_core_tree", "--alike"][..], "no note on a mutant of a core"),
        (&["mutants", "control_core_tree"], "control_core_tree has no mutants"),
    ] {
        let (code, _, errors) = tb(arguments);
        assert!(code == Some(2) && errors.contains(said), "{arguments:?}: {errors}");
    }
    let (code, _, errors) = tb(&["lockstep", "control_cor"]);
    assert!(code == Some(2) && errors.contains("did you mean `control_core`"), "{errors}");
}

/// XV-08, UX-08: a goal of coverage without coverage is no goal.
#[test]
fn ux_08_a_goal_needs_coverage() {
    let (code, _, errors) = tb(&["regress", "--coverage-goal"]);
    assert!(code == Some(2) && errors.contains("add --coverage"), "{errors}");
}
