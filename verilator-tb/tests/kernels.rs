//! Whole kernels on the Verilated RTL, through the door that a person uses.

use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;
use std::collections::BTreeMap;

/// `cargo tb` with these arguments; its standard output as JSON.
fn tb(arguments: &[&str]) -> Value {
    let output = Command::cargo_bin("heddle-tb").expect("the door is built").args(arguments).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).expect("--json prints JSON")
}

/// UX-05, SM-01, SM-06, SM-20, SM-21, XV-02: every kernel under every path policy, on every engine, leaves its expected memory (or hangs
/// where it says so) on the Verilated RTL, with exactly the counts that the same RTL has in the Rust simulation; and the whole control core, in
/// both, has the counts of its blocks around a scheduler in software.
#[rstest]
#[case(0)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(1)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(2)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(3)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(4)]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case(5)]
fn every_kernel_has_equal_counts_in_rust_and_verilated_and_on_the_core(#[case] part: usize) {
    let (mut pairs, mut kernels) = (0, 0);
    for kernel in heddle_sim::kernels::ALL.iter().skip(part).step_by(6) {
        // A hang is a hang after a twentieth of the usual patience, too.
        let document = tb(&["compare", kernel.name, "--all", "--watchdog", "5000", "--json"]);
        let mut counts: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for entry in document["runs"].as_array().expect("a list of runs") {
            let run = &entry["run"];
            match entry["judgement"].as_str() {
                Some("fine") => assert_eq!(run["check"], "passed", "{} checks its result", kernel.name),
                Some("expected-hang") => assert_eq!(run["engine"], "stack", "{}: only the stack may hang", kernel.name),
                Some("not-run") => assert!(entry["not_run"].is_string(), "{}: no reason", kernel.name),
                other => panic!("{}: {other:?}", kernel.name),
            }
            let backend = run["backend"].as_str().unwrap_or_default();
            if ["rtl", "verilated", "core", "verilated-core"].contains(&backend) {
                let key = format!("{} {} {}", kernel.name, run["engine"], run["configuration"]);
                counts.entry(key).or_default().insert(backend.to_string(), run["counters"].clone());
            }
        }
        for (key, runs) in counts {
            let first = runs.get("rtl").unwrap_or_else(|| panic!("{key}: no run on the blocks"));
            assert!(runs.contains_key("verilated"), "{key}: no run on the Verilated blocks");
            // UX-05: the default sizes are those of a core, for every kernel and engine.
            assert!(runs.contains_key("core") && runs.contains_key("verilated-core"), "{key}: no run on the core");
            for (backend, counters) in &runs {
                assert_eq!(counters, first, "{key}: {backend} beside the blocks in Rust");
            }
            pairs += 1;
        }
        kernels += 1;
    }
    assert!(kernels >= 5 && pairs >= 8 * kernels, "{kernels} kernels, {pairs} pairs");
}

/// XV-03: random programs of both classes on the Verilated RTL end as each thread does alone.
#[test]
fn random_programs_run_on_the_verilated_rtl() {
    let document = tb(&["oracle", "--backend", "verilated", "--programs", "128", "--seed", "3", "--json"]);
    let count = |name: &str| document["statistics"][name].as_u64().unwrap_or_default();
    assert!(count("spilled") > 0 && count("refilled") > 0, "some windows overflowed: {document}");
}

/// SM-24, SM-03: the stencil in both forms on the Verilated RTL and its work distributor, on every engine: the same result, and with the table only live tiles
/// are launched.
#[test]
fn the_sparse_stencil_runs_on_the_verilated_rtl() {
    for engine in ["stack", "deque", "tree"] {
        let document = tb(&["sparse", "--engine", engine, "--json"]);
        let runs = document["runs"].as_array().expect("runs");
        let launched = |run: &Value| run["run"]["counters"]["blocks_launched"].as_u64();
        assert_eq!(launched(&runs[0]), document["live"].as_u64(), "{engine}");
        assert_eq!(launched(&runs[1]), document["tiles"].as_u64(), "{engine}");
        for run in runs {
            assert_eq!(
                (&run["run"]["check"], &run["run"]["backend"]),
                (&"passed".into(), &"verilated-core".into()),
                "{run}"
            );
        }
    }
}
