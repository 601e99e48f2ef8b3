//! docs/kernels.md and docs/divergence-law.svg are what their commands write (SM-06, SM-20 to SM-24, UX-03).

use assert_cmd::Command;

/// What a command of `cargo sim` writes into a file that it is given.
fn written(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("written");
    let mut command = Command::cargo_bin("heddle-sim").expect("the door is built");
    command.args(arguments).arg(&file).assert().code(0);
    std::fs::read_to_string(&file).expect("it is written")
}

/// SM-20 to SM-24: every kernel that ships runs on every engine, as model and as hardware, to the end that its file states, and the document has the
/// figures of exactly these runs.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn the_table_of_kernels_is_up_to_date() {
    let text = written(&["compare", "--all", "--small", "--write"]);
    assert!(
        text == include_str!("../../docs/kernels.md"),
        "run: cargo sim compare --all --small --write docs/kernels.md"
    );
}

/// SM-06: the plot of the law is that of these engines, in hardware.
#[test]
fn the_plot_of_the_law_is_up_to_date() {
    let text = written(&["divergence-law", "--svg"]);
    assert!(
        text == include_str!("../../docs/divergence-law.svg"),
        "run: cargo sim divergence-law --svg docs/divergence-law.svg"
    );
}
