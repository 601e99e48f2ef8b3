//! Mutation and coverage through the door (XV-08, XV-12, UX-05).

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn tb(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::cargo_bin("heddle-tb").expect("built");
    let output = command.args(arguments).arg("--json").current_dir(folder).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {text}")))
}

/// XV-12: every mutant is killed or named with the command that runs it alone; that command agrees; a second run starts where the first ended.
#[test]
fn xv_12_mutants_are_killed_or_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["mutate", "barrier_arbiter", "--count", "60", "--cycles", "4000", "--prove", "0", "--alive", "60"];
    let (code, document) = tb(folder.path(), &arguments);
    assert_eq!(code, Some(0));
    let block = &document["blocks"][0];
    let survivors = block["survivors"].as_array().expect("a list");
    let killed = block["killed"].as_u64().expect("a number");
    assert_eq!(killed + survivors.len() as u64, 60);
    assert!(killed >= 40, "{killed} of 60 killed");
    assert_eq!(tb(folder.path(), &arguments).1, document, "nothing is left to do");
    let named: Vec<u64> = survivors.iter().filter_map(|survivor| survivor["number"].as_u64()).collect();
    let dead = (1..=60).find(|number| !named.contains(number)).expect("one was killed").to_string();
    let only = ["mutate", "barrier_arbiter", "--count", "60", "--cycles", "4000", "--prove", "0", "--only", &dead];
    let (code, document) = tb(folder.path(), &only);
    assert_eq!((code, document["blocks"][0]["killed"].as_u64()), (Some(0), Some(1)));
}

/// XV-12: which of one warp is meant nobody can tell; with four warps traffic can, and then the mutant is not alive.
#[test]
fn xv_12_what_one_warp_hides_four_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["mutate", "leaf_selector", "--cycles", "4000", "--prove", "0"];
    let (code, document) = tb(folder.path(), &arguments);
    assert_eq!(code, Some(1), "what nothing but a proof tells is alive");
    let survivors = document["blocks"][0]["survivors"].as_array().expect("a list");
    let (noticed, open): (Vec<&Value>, Vec<&Value>) = survivors.iter().partition(|one| !one["larger"].is_null());
    assert!(!noticed.is_empty() && !open.is_empty());
    for survivor in &noticed {
        let larger = &survivor["larger"];
        assert_eq!((&larger["point"], &larger["was"]), (&"4x32x64".into(), &survivor["was"]));
        assert_ne!(larger["file"], survivor["file"]);
        // A warp's number that is stuck low has two bits there.
        assert_eq!((&survivor["becomes"], &larger["becomes"]), (&"1'b0".into(), &"{2{1'b0}}".into()));
        assert!(larger["kill"]["port"].is_string());
    }
    let alive = open.len().to_string();
    let (code, again) = tb(folder.path(), &[&arguments[..], &["--alive", &alive]].concat());
    assert_eq!((code, &again["blocks"]), (Some(0), &document["blocks"]), "nothing is left to do");
}

/// XV-12, UX-08: mutants that nobody notices and nothing explains are a failure, a mutant that there is not is bad input.
#[test]
fn xv_12_living_mutants_are_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    // No traffic: nobody notices anything.
    let idle = ["mutate", "barrier_arbiter", "--count", "60", "--cycles", "0", "--prove", "0"];
    let (code, document) = tb(folder.path(), &idle);
    assert_eq!((code, document["blocks"][0]["killed"].as_u64()), (Some(1), Some(0)));
    let mut command = Command::cargo_bin("heddle-tb").expect("built");
    let wrong = ["mutate", "barrier_arbiter", "--count", "60", "--only", "61", "--prove", "0"];
    let output = command.args(wrong).current_dir(folder.path()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "there is no mutant 61 of 60");
}

/// XV-08: more traffic never covers less, shares add up over the modules, and a report has a line for every hole.
#[test]
#[ignore = "tens of seconds: scripts/nightly runs it"]
fn xv_08_coverage_adds_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let measure = |cycles: &str| {
        let arguments = ["coverage", "barrier_arbiter", "--cycles", cycles, "--lenient", "--report", "report"];
        let (code, document) = tb(folder.path(), &arguments);
        assert_eq!(code, Some(0));
        document["blocks"][0].clone()
    };
    let (short, long) = (measure("2000"), measure("40000"));
    let covered = |block: &Value, what: &str| block[what]["covered"].as_u64().expect("a number");
    for what in ["lines", "toggles"] {
        assert!(covered(&long, what) >= covered(&short, what) && covered(&short, what) > 0, "{what}");
        let modules = long["modules"].as_object().expect("modules");
        assert_eq!(modules.values().map(|module| covered(module, what)).sum::<u64>(), covered(&long, what));
    }
    let holes = ["line_holes", "toggle_holes"].map(|holes| long[holes].as_array().expect("a list").len());
    let point = long["point"].as_str().expect("a name");
    let path = folder.path().join(format!("report/barrier_arbiter_{point}.txt"));
    let text = std::fs::read_to_string(path).expect("the report");
    assert_eq!(text.matches("not met:").count(), holes.iter().sum::<usize>());
}

/// XV-02, UX-08: without Yosys there are no gates, and the message says how to get it.
#[test]
fn xv_02_gates_without_yosys_are_a_missing_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::cargo_bin("heddle-tb").expect("built");
    command.args(["lockstep", "barrier_arbiter", "--smallest", "--gates", "--cycles", "10"]);
    let output = command.env("HEDDLE_TOOLS", folder.path()).env("PATH", folder.path()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("yosys was not found") && text.contains("scripts/setup"), "{text}");
}

/// XV-12: a note that says which states are alike is proven through the door, and a mutant without one is not asked about.
#[test]
fn xv_12_notes_about_states_are_proven() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, document) = tb(folder.path(), &["mutate", "context_sequencer", "--alike"]);
    let asked = document["notes"].as_array().expect("a list");
    assert_eq!((code, asked.len()), (Some(0), 1), "{document}");
    assert_eq!((&asked[0]["block"], &asked[0]["answer"]), (&"context_sequencer".into(), &"alike".into()));
    let (code, document) = tb(folder.path(), &["mutate", "leaf_selector", "--alike"]);
    assert_eq!((code, &document["notes"]), (Some(0), &Value::Array(Vec::new())));
}
