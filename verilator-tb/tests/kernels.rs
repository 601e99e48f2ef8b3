//! Whole kernels on the Verilated RTL, through the door that a person uses.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;

/// `cargo tb` with these arguments; its standard output as JSON.
fn tb(arguments: &[&str]) -> Value {
    let output = Command::cargo_bin("heddle-tb").expect("the door is built").args(arguments).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).expect("--json prints JSON")
}

/// UX-05, SM-20, SM-21, XV-02: every kernel under every path policy, as stack and as deque, leaves its expected memory (or hangs where
/// it says so) on the Verilated RTL, in exactly the cycles that the same RTL takes in the Rust simulation.
#[test]
fn every_kernel_takes_equal_cycles_in_rust_and_verilated() {
    let mut pairs = 0;
    for kernel in heddle_sim::kernels::ALL {
        let document = tb(&["compare", kernel.name, "--all", "--json"]);
        let mut cycles: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
        for entry in document["runs"].as_array().expect("a list of runs") {
            let run = &entry["run"];
            let backend = run["backend"].as_str().unwrap_or_default();
            if backend == "rtl" || backend == "verilated" {
                let key = format!("{} {} {}", kernel.name, run["engine"], run["configuration"]);
                let count = run["counters"]["cycles"].as_u64().expect("a count");
                cycles.entry(key).or_default().push((backend.to_string(), count));
            }
        }
        for (key, runs) in cycles {
            assert_eq!(runs.len(), 2, "{key}: one run on each backend");
            assert_eq!(runs[0].1, runs[1].1, "{key}: {runs:?}");
            pairs += 1;
        }
    }
    assert!(pairs >= 15 * 8, "only {pairs} pairs were compared");
}

/// XV-03: random programs of both classes on the Verilated RTL end as each thread does alone.
#[test]
fn random_programs_run_on_the_verilated_rtl() {
    let document = tb(&["oracle", "--backend", "verilated", "--programs", "128", "--seed", "3", "--json"]);
    let text = document.to_string();
    assert!(text.contains("spill"), "the summary counts what happened: {text}");
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
                (&"passed".into(), &"verilated".into()),
                "{run}"
            );
        }
    }
}
