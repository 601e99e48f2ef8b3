//! The oracle on the whole control core, simulated in Rust, through the door that a person uses (XV-03).

use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;

/// `cargo sim oracle --backend core` with these options; its document.
fn oracle(options: &[&str]) -> Value {
    let arguments = [&["oracle", "--backend", "core", "--seed", "3", "--json"], options].concat();
    let output = Command::cargo_bin("heddle-sim").expect("the door is built").args(&arguments).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).expect("--json prints JSON")
}

/// The count of a document, which must not be zero.
fn some(document: &Value, group: &str, count: &str) {
    assert!(document[group][count].as_u64() > Some(0), "no {count}: {document}");
}

/// XV-03, SM-07: random grids with barriers and sections end on the core as their threads do alone.
#[rstest]
#[case("stack", "on_stack")]
#[case("deque", "on_deque")]
#[case("tree", "on_tree")]
fn xv_03_grids_with_barriers_on_the_core(#[case] engine: &str, #[case] ran: &str) {
    let document = oracle(&["--class", "barriers", "--engine", engine, "--programs", "6"]);
    for count in [ran, "released", "sections", "slept", "diverged"] {
        some(&document, "grid_statistics", count);
    }
}

/// XV-03, CX-09: random grids whose blocks the core suspends and resumes by itself, at random cycles.
#[rstest]
#[case("stack")]
#[case("deque")]
fn xv_03_suspended_grids_on_the_core(#[case] engine: &str) {
    let document = oracle(&["--class", "suspends", "--engine", engine, "--programs", "8"]);
    for count in ["suspended", "copied", "diverged"] {
        some(&document, "grid_statistics", count);
    }
}

/// XV-03: random programs, encoded and decoded, of each class; windows overflow.
#[rstest]
#[case("structured", "deque", "recentered")]
#[case("goto", "deque", "merged")]
#[case("plain", "stack", "diverged")]
#[case("goto", "tree", "most_nodes")]
fn xv_03_programs_on_the_core(#[case] class: &str, #[case] engine: &str, #[case] met: &str) {
    let document = oracle(&["--class", class, "--engine", engine, "--programs", "32"]);
    assert_eq!(document["programs"], 32);
    some(&document, "statistics", "yielded");
    some(&document, "statistics", met);
}
