//! The Verilated control core as the backend of kernels: what `cargo tb run` takes unless told otherwise, and what it does with suspensions (UX-05,
//! SM-01, SM-05, CX-09); and random programs and grids on it (XV-03).

use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;

/// What `cargo tb` ends with: exit code, standard output, standard error.
fn tb(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("heddle-tb").expect("the door is built").args(arguments).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The document of a command that ends well.
fn document(arguments: &[&str]) -> Value {
    let (code, output, errors) = tb(&[arguments, &["--json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {errors}");
    serde_json::from_str(&output).expect("--json prints JSON")
}

/// UX-05, SM-01: nothing but a kernel and an engine is typed, and the whole Verilated core runs it to its result.
#[rstest]
#[case("quicksort", "deque", "deque Verilated core")]
#[case("compaction", "stack", "stack Verilated core")]
#[case("bitonic_sort", "tree", "tree Verilated core")]
fn ux_05_the_core_is_the_default(#[case] kernel: &str, #[case] engine: &str, #[case] name: &str) {
    let run = document(&["run", kernel, "--engine", engine]);
    assert_eq!((&run["backend"], &run["engine_name"]), (&"verilated-core".into(), &name.into()));
    assert_eq!(run["check"], "passed");
}

/// UX-05, UX-03: the options of `cargo sim run` reach the core: policies, scheduler, grids larger than the core, memory, the other points.
#[rstest]
#[case(&["--yield-policy", "every:3", "--path-policy", "smaller", "--scheduler", "greedy-then-oldest"])]
#[case(&["--grid", "3,2", "--block", "48", "--warps", "5"])]
#[case(&["--depth", "16", "--mem-latency", "9", "--spill-limit", "64"])]
#[case(&["--engine", "tree", "--depth", "64", "--warps", "2"])]
#[case(&["--warps", "16", "--grid", "9"])]
fn ux_05_options_reach_the_core(#[case] options: &[&str]) {
    let on = |backend: &str| document(&[&["run", "spin_lock", "--backend", backend], options].concat());
    let core = on("verilated-core");
    assert_eq!(core["check"], "passed");
    assert_eq!(core["counters"], on("rtl")["counters"]);
}

/// SM-05, CX-07, CX-09, CX-10: a block leaves the Verilated core on the way and comes back, however often; local memory is copied once, barriers and
/// sections are unharmed.
#[rstest]
#[case("quicksort", "deque")]
#[case("nested_if", "stack")]
#[case("compaction", "deque")]
fn cx_09_a_block_leaves_the_verilated_core(#[case] kernel: &str, #[case] engine: &str) {
    let run = document(&["run", kernel, "--engine", engine, "--suspend-at", "45", "--suspend-times", "2"]);
    assert_eq!((&run["backend"], &run["check"]), (&"verilated-core".into(), &"passed".into()));
    let counts = &run["counters"]["suspensions"];
    assert_eq!((counts["suspended"].as_u64(), counts["resumed"].as_u64()), (Some(2), Some(2)), "{counts}");
}

/// SM-05, CX-09: `suspend` tries the cycles of a kernel on the Verilated core, as it does on its simulation in Rust: the same blocks leave with the same words.
#[rstest]
#[case("switch", "deque", "30")]
#[case("loops", "stack", "60")]
#[case("half_barrier", "deque", "20")]
fn cx_09_suspended_in_many_cycles(#[case] kernel: &str, #[case] engine: &str, #[case] every: &str) {
    let on = |backend: &str| document(&["suspend", kernel, "--engine", engine, "--every", every, "--backend", backend]);
    let (verilated, simulated) = (on("verilated-core"), on("core"));
    assert_eq!(verilated["failures"], Value::Array(Vec::new()));
    for field in ["cycles", "runs", "suspended", "resumed", "failed", "most_tokens", "most_words"] {
        assert_eq!(verilated[field], simulated[field], "{field}");
    }
    assert!(verilated["suspended"].as_u64() > Some(2), "{verilated}");
}

/// SM-05, UX-08: the core suspends no blocks of a tree; the message says so, and which backend does.
#[rstest]
#[case(&["run", "switch", "--engine", "tree", "--suspend-at", "5"])]
#[case(&["suspend", "switch", "--engine", "tree"])]
fn sm_05_the_tree_is_refused(#[case] arguments: &[&str]) {
    let (code, output, errors) = tb(arguments);
    assert_eq!((code, output.as_str()), (Some(2), ""));
    assert!(errors.contains("suspends no blocks of a tree") && errors.contains("--backend verilated"), "{errors}");
}

/// XV-03: random programs of each class end on the Verilated core as each thread does alone.
#[rstest]
#[case("structured", "deque")]
#[case("goto", "stack")]
#[case("plain", "tree")]
fn xv_03_programs_on_the_verilated_core(#[case] class: &str, #[case] engine: &str) {
    let arguments = ["oracle", "--backend", "verilated-core", "--class", class, "--engine", engine, "--programs", "64"];
    let passed = document(&arguments);
    assert_eq!((&passed["verdict"], &passed["programs"]), (&"passed".into(), &64.into()));
    assert!(passed["statistics"]["diverged"].as_u64() > Some(10), "{passed}");
}

/// XV-03, SM-07, CX-09: so do random grids with barriers, and those whose blocks leave the core on the way.
#[rstest]
#[case("barriers", "deque", &["released", "sections", "slept", "waits"])]
#[case("barriers", "stack", &["released", "sections", "slept"])]
#[case("barriers", "tree", &["released", "sections", "slept", "waits"])]
#[case("suspends", "deque", &["suspended", "copied"])]
#[case("suspends", "stack", &["suspended", "copied"])]
fn xv_03_grids_on_the_verilated_core(#[case] class: &str, #[case] engine: &str, #[case] met: &[&str]) {
    let arguments = ["oracle", "--backend", "verilated-core", "--class", class, "--engine", engine, "--programs", "12"];
    let passed = document(&arguments);
    for count in met {
        assert!(passed["grid_statistics"][count].as_u64() > Some(5), "few {count}: {passed}");
    }
}

/// XV-03: a core of 16 warps, whose barrier scheduler has blocks of 64 threads, takes grids of its own size.
#[test]
fn xv_03_grids_on_sixteen_warps() {
    let arguments = "oracle --backend verilated-core --class barriers --engine deque --warps 16 --programs 4";
    let passed = document(&arguments.split(' ').collect::<Vec<_>>());
    assert!(passed["grid_statistics"]["released"].as_u64() > Some(5), "{passed}");
}
