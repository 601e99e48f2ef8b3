//! The door `cargo tb` as a person meets it: what it prints, how it ends, and what it says of bad input (UX-05, UX-08).

use crate::documented::assert_documented;
use crate::interrupted::interrupted;
use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

fn tb(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("heddle-tb").expect("the door is built");
    command.args(arguments);
    command
}

/// Exit code and standard error of a command that should end badly.
fn complaint(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A message with the line breaks of a terminal taken out.
fn flat(text: &str) -> String {
    text.replace(['│', '×', '╭', '╰', '─', '·'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// XV-02, UX-05, UX-08, DQ-08: lockstep of both blocks at every point finds nothing, and says what it saw.
#[test]
fn lockstep_compares_and_counts() {
    for block in ["token_deque", "divergence_unit"] {
        let output = tb(&["lockstep", block, "--cycles", "2000", "--seed", "5", "--json"]).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let points = document["points"].as_array().expect("points");
        assert_eq!(points.len(), 6, "every point of chapter 1, 4x32x16 and 4x32x256");
        for point in points {
            assert_eq!(point["mismatches"], 0, "{point}");
            assert!(point["cycles"].as_u64() >= Some(2000), "{point}");
        }
    }
}

/// XV-02, WD-02, WD-07: a short lockstep of the work distributor at its three points finds nothing.
#[test]
fn lockstep_of_the_work_distributor() {
    let arguments = ["lockstep", "work_distributor", "--cycles", "5000", "--seed", "5", "--json"];
    let output = tb(&arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let points = document["points"].as_array().expect("points");
    assert_eq!(points.len(), 3);
    assert!(points.iter().all(|point| point["mismatches"] == 0 && point["counts"]["blocks"].as_u64() > Some(100)));
}

/// UX-08: the list of blocks, a line each, says the same as JSON, with the points.
#[test]
fn blocks_are_listed() {
    let text = tb(&["list"]).output().expect("it runs").stdout;
    let document: Value =
        serde_json::from_slice(&tb(&["list", "--json"]).output().expect("it runs").stdout).expect("JSON");
    let blocks = document["blocks"].as_array().expect("blocks");
    let names: String = blocks.iter().map(|block| format!("{}\n", block["block"].as_str().unwrap_or(""))).collect();
    assert_eq!(names.as_bytes(), text);
    for block in blocks {
        assert!(block["points"].as_array().is_some_and(|points| points.contains(&block["smallest"])), "{block}");
    }
}

/// UX-08: without Verilator there is a message with the place, the cause and the command that helps, and exit code 2.
#[test]
fn missing_verilator_is_named() {
    let empty = tempfile::tempdir().expect("a folder");
    for arguments in [&["lockstep", "token_deque", "--point", "1x32x8", "--cycles", "10"][..], &["run", "spin_lock"]] {
        let mut command = tb(arguments);
        command.env("HEDDLE_TOOLS", empty.path()).env("PATH", empty.path());
        let (code, errors) = complaint(command);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains("verilator") && errors.contains("scripts/setup"), "{errors}");
    }
}

/// UX-08: unknown blocks, points, files and options end with exit code 2 and a hint.
#[test]
fn bad_input_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let malformed = folder.path().join("malformed.json");
    std::fs::write(&malformed, "{\"schema\": ").expect("written");
    let foreign = folder.path().join("foreign.json");
    std::fs::write(&foreign, r#"{"schema": "x", "version": 1, "block": "b", "point": "p"}"#).expect("written");
    let path = |path: &Path| path.display().to_string();
    for (arguments, expected) in [
        (vec!["lockstep".to_string(), "token_dequeue".into()], "did you mean `token_deque`"),
        (vec!["lockstep".into(), "token_deque".into(), "--point".into(), "4x32x12".into()], "4x32x16"),
        (vec!["lockstep".into(), "token_deque".into(), "--cycles".into(), "many".into()], "--cycles"),
        (vec!["replay".into(), path(&malformed)], "malformed.json"),
        (vec!["replay".into(), path(&foreign)], "not heddle.lockstep-case"),
        (vec!["replay".into(), "/nowhere/case.json".into()], "/nowhere/case.json"),
        (vec!["run".into(), "spin_lok".into()], "spin_lock"),
        (vec!["run".into(), "spin_lock".into(), "--depth".into(), "12".into()], "power of two"),
        (vec!["run".into(), "spin_lock".into(), "--depth".into(), "256".into()], "4x32x16"),
        (vec!["run".into(), "spin_lock".into(), "--depth".into(), "256".into()], "`--backend verilated` runs"),
        (vec!["run".into(), "spin_lock".into(), "--threads".into(), "16".into()], "`--backend model`"),
        (vec!["run".into(), "spin_lock".into(), "--software-handler".into()], "verilated runs the blocks alone"),
        ("run histogram --depth 16 --barrier-block 64".split(' ').map(String::from).collect(), "16x32x32 with 64"),
        (vec!["mutants".into(), "token_deque".into(), "--point".into(), "9x9x9".into()], "1x32x8"),
    ] {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, errors) = complaint(tb(&words));
        assert_eq!(code, Some(2), "{arguments:?}: {errors}");
        assert!(flat(&errors).contains(expected), "{arguments:?}: {errors}");
    }
}

/// UX-08: `docs/json.md` names every schema and every field that this door prints.
#[test]
fn the_schema_is_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().display().to_string();
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/tree_divergence_table_leaf_goes_early.json");
    for (arguments, schema) in [
        (&["list"][..], "heddle.blocks"),
        (&["lockstep", "token_deque", "--point", "1x32x8", "--cycles", "500"], "heddle.lockstep"),
        (&["replay", case], "heddle.replay"),
        (&["run", "spin_lock"], "heddle.run"),
        (&["coverage", "logical_map", "--cycles", "1000", "--lenient"], "heddle.coverage"),
        (
            &["mutate", "logical_map", "--count", "4", "--cycles", "1000", "--prove", "0", "--state", &state],
            "heddle.mutate",
        ),
    ] {
        let output = tb(arguments).arg("--json").output().expect("it runs");
        let document = serde_json::from_slice(&output.stdout);
        let document: Value =
            document.unwrap_or_else(|cause| panic!("{cause}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(document["schema"], schema);
        assert_documented(&document);
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(case).expect("it is there")).expect("JSON");
    assert_eq!(kept["schema"], "heddle.lockstep-case");
    assert_documented(&kept);
}

/// UX-07, UX-08: Ctrl-C in long work is exit code 130, and no file that it would have written is there.
#[cfg(unix)]
#[rstest]
#[case::lockstep(&["lockstep", "leaf_selector", "--point", "1x8x8", "--cycles", "1000000000000"])]
#[case::run(&["run", "long.s", "--backend", "verilated", "--dump", "dump.json", "--trace", "trace.fst", "--max-cycles", "18446744073709551615"])]
#[case::regress(&["regress", "--suite", "lockstep", "--cycles", "1000000000", "--report", "report"])]
fn interrupt_leaves_nothing_behind(#[case] arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("long.s"), ".memory data, 1\nloop: IADD R1, R1, 1\n BRA loop\n")
        .expect("written");
    let ended = interrupted("heddle-tb", arguments, folder.path(), Duration::from_secs(2));
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    let files = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("the folder").flatten();
        entries
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    assert_eq!(files(folder.path()), ["long.s"]);
    let report = folder.path().join("report");
    assert!(!report.is_dir() || files(&report).is_empty(), "{:?}", files(&report));
}
