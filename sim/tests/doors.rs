//! `cargo sim` from the outside: what a person types, what they see, and the exit code.

use std::path::PathBuf;
use std::time::Duration;

use crate::support::documented::{self, assert_documented};
use crate::support::interrupted::interrupted;
use assert_cmd::Command;
use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

/// The door, as if typed in `folder`, without colours.
fn sim(folder: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("heddle-sim").expect("the binary is built with the tests");
    let output = command.current_dir(folder.path()).env("NO_COLOR", "1").args(arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|cause| panic!("{cause}: {text}"))
}

/// Message and hint with the line breaks of a terminal taken out.
fn flat(text: &str) -> String {
    text.replace(['│', '×', '╭', '╰', '─', '·'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// UX-01, UX-02: the demo shows the deadlock with its circle, then the runs of deque and tree, side by side, and counts that as fine.
#[test]
fn demo_shows_the_deadlock_and_its_cure() {
    let (code, output, errors) = sim(&folder(), &["demo"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{output}");
    for part in [
        "deadlock in cycle",
        "threads 1-31 spin from line",
        "thread 0 took it last",
        "a circle",
        "every thread got the lock",
        "Side by side",
        "2. On the deque RTL",
        "3. On the tree RTL",
        "tree nodes at once",
        "62 yields and at most 2 tokens at once for 32 threads",
        "SIMD efficiency",
        "tokens at once",
        "exceptions",
        "disabled (yield)",
    ] {
        assert!(output.contains(part), "`{part}` is missing in\n{output}");
    }
    assert!(!output.contains('\u{1b}'), "UX-07: NO_COLOR is honoured");
    let columns = output.lines().filter(|line| line.contains('#') && line.contains('y')).count();
    assert!(columns > 20, "a row for each thread that waited its turn: {columns}");
}

/// UX-02, UX-08: the demo as JSON holds all three runs.
#[test]
fn demo_as_json() {
    let (code, output, _) = sim(&folder(), &["demo", "--json"]);
    let document = json(&output);
    assert_eq!((code, &document["schema"], &document["version"]), (0, &"heddle.demo".into(), &1.into()));
    let verdicts: Vec<&Value> = document["runs"].as_array().expect("runs").iter().map(|run| &run["verdict"]).collect();
    assert_eq!(verdicts, ["deadlock", "completed", "completed"]);
    assert_eq!(document["runs"][0]["hang"]["warps"][0]["waiting"][0]["reason"], "break");
}

/// UX-03, UX-08: a run that ends well is 0, a deadlock is 1 and reported, and JSON says the same.
#[test]
fn run_exits_by_its_verdict() {
    let folder = folder();
    let (code, output, _) = sim(&folder, &["run", "spin_lock", "--timeline", "1"]);
    assert!(code == 0 && output.contains("completed") && output.contains("correct"), "{code} {output}");
    assert!(output.contains("on deque RTL"), "the hardware decides unless told otherwise: {output}");
    let (code, output, errors) = sim(&folder, &["run", "spin_lock", "--engine", "stack"]);
    assert!(code == 1 && output.contains("deadlock") && errors.contains("deadlock"), "{code} {output} {errors}");
    let (code, output, _) = sim(&folder, &["run", "spin_lock", "--engine", "stack", "--json"]);
    let document = json(&output);
    assert_eq!((code, &document["verdict"], &document["hang"]["deadlock"]), (1, &"deadlock".into(), &true.into()));
}

/// UX-03, SM-01: every option of the core is taken, and the result stays right.
#[rstest]
#[case(&["--yield-policy", "every:3"])]
#[case(&["--yield-policy", "random:100", "--seed", "77"])]
#[case(&["--path-policy", "smaller", "--scheduler", "greedy-then-oldest"])]
#[case(&["--backend", "windowed", "--depth", "8", "--mem-latency", "9", "--spill-limit", "64"])]
#[case(&["--engine", "tree", "--backend", "model"])]
#[case(&["--engine", "tree", "--backend", "windowed", "--depth", "4", "--grid", "2", "--block", "40"])]
#[case(&["--grid", "3,2", "--block", "48", "--warps", "5"])]
#[case(&["--threads", "64", "--block", "64"])]
#[case(&["--threads", "1", "--warps", "64", "--backend", "model"])]
fn run_takes_the_core_s_options(#[case] options: &[&str]) {
    let arguments = [&["run", "spin_lock", "--json"], options].concat();
    let (code, output, errors) = sim(&folder(), &arguments);
    assert_eq!(code, 0, "{output}{errors}");
    assert_eq!(json(&output)["check"], "passed");
}

/// SM-20, SM-21, SM-01, UX-03: a kernel on every engine and backend and under every policy ends as its file says: with the expected memory, or on
/// the stack with the expected hang. Here for some of each sort; `cargo tb compare`, which has these backends too, is tested with all that ship.
#[rstest]
fn a_kernel_compares_on_everything(
    #[values("spin_lock", "reader_writer_lock", "switch", "early_exit", "half_barrier")] kernel: &str,
) {
    let shipped = heddle_sim::kernels::find(kernel).expect("it ships");
    let barriers = heddle_sim::assembler::assemble(shipped.text, kernel).expect("it assembles").uses_barriers();
    // Beside a barrier scheduler, whose state does not show, a hang is found by the limit and not proven.
    let watchdog = if barriers { "5000" } else { "100000" };
    let (code, output, errors) = sim(&folder(), &["compare", kernel, "--all", "--json", "--watchdog", watchdog]);
    assert_eq!(code, 0, "{errors}\n{output}");
    let document = json(&output);
    for run in document["runs"].as_array().expect("runs") {
        match run["judgement"].as_str() {
            Some("fine") => assert_eq!(run["run"]["check"], "passed", "{kernel} checks its result"),
            Some("expected-hang") => {
                assert_eq!(run["run"]["engine"], "stack", "only the stack may hang");
                assert!(barriers || run["run"]["hang"]["period"].is_u64(), "the hang is proven");
            }
            Some("not-run") => {
                let reason = run["not_run"].as_str().expect("a reason");
                assert!(reason.contains("no tree divergence table is elaborated"), "{reason}");
            }
            other => panic!("{kernel}: {other:?}"),
        }
    }
}

/// UX-03: the list has every kernel that ships, and no other.
#[test]
fn the_list_of_kernels_is_complete() {
    let (code, output, _) = sim(&folder(), &["kernels", "--json"]);
    let document = json(&output);
    let kernels = document["kernels"].as_array().expect("kernels");
    let names: Vec<_> = kernels.iter().filter_map(|kernel| kernel["name"].as_str()).collect();
    assert_eq!((code, names), (0, heddle_sim::kernels::ALL.iter().map(|shipped| shipped.name).collect()));
    let (code, output, _) = sim(&folder(), &["kernels"]);
    assert!(code == 0 && output.contains("the plain stack hangs under"), "{output}");
}

/// UX-03: with sizes of one's own nobody knows whether the stack must hang; the table says that it does and the run is fine.
#[test]
fn compare_with_other_sizes() {
    let (code, output, _) = sim(&folder(), &["compare", "spin_lock", "--grid", "2"]);
    assert!(code == 0 && output.contains("the stack hangs"), "{output}");
}

/// UX-08: a kernel whose memory is wrong fails with 1 and names the words.
#[test]
fn wrong_memory_is_exit_code_1() {
    let folder = folder();
    write(&folder, "wrong.s", ".memory data, 2\n.expect data = 7, 8\n EXIT\n");
    for command in ["run", "compare"] {
        let (code, output, _) = sim(&folder, &[command, "wrong.s"]);
        assert!(code == 1 && output.contains("data[0] is 0 (0x0), expected 7 (0x7)"), "{code} {output}");
    }
}

/// UX-03: `--dump` writes what `--mem` reads; a dumped result as the initial memory comes back unchanged.
#[test]
fn dump_and_mem() {
    let folder = folder();
    write(&folder, "sum.s", ".memory data, 3 = 5, 6, 7\n PARAM R1, data\n LD.GLOBAL.W R2, [R1]\n IADD R2, R2, 1\n ST.GLOBAL.W [R1], R2\n EXIT\n");
    let (code, ..) = sim(&folder, &["run", "sum.s", "--dump", "one.json"]);
    let words = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("the dump");
        json(&text)["segments"][0]["words"].clone()
    };
    assert_eq!((code, words("one.json")), (0, serde_json::json!([6, 6, 7])));
    let (code, ..) = sim(&folder, &["run", "sum.s", "--mem", "one.json", "--dump", "two.json"]);
    assert_eq!((code, words("two.json")), (0, serde_json::json!([7, 6, 7])));
}

/// UX-03: `--param` reaches the kernel, in every notation.
#[test]
fn parameters_reach_the_kernel() {
    let folder = folder();
    write(&folder, "p.s", ".param n = 3 \"a number\"\n.memory data, 1\n.expect data = n\n PARAM R1, data\n PARAM R2, n\n ST.GLOBAL.W [R1], R2\n EXIT\n");
    for value in ["n=9", "n=0x10", "n=-1", "n=1.5"] {
        let (code, output, errors) = sim(&folder, &["run", "p.s", "--param", value]);
        assert_eq!(code, 0, "{value}: {output}{errors}");
    }
}

/// IS-04, UX-03: `asm` and `disasm` are inverse, through files and through the standard output.
#[test]
fn asm_and_disasm_are_inverse() {
    let folder = folder();
    let (code, words, _) = sim(&folder, &["asm", "spin_lock"]);
    assert_eq!(code, 0);
    write(&folder, "words.hex", &words);
    let (code, ..) = sim(&folder, &["disasm", "words.hex", "--out", "again.s"]);
    assert_eq!(code, 0);
    let (code, again, errors) = sim(&folder, &["asm", "again.s"]);
    assert_eq!((code, again), (0, words), "{errors}");
    let (code, listing, _) = sim(&folder, &["asm", "spin_lock", "--listing"]);
    assert!(code == 0 && listing.contains("spin:") && listing.contains("// 0x0000"), "{listing}");
}

/// UX-03, XV-03: the oracle passes on the models and says what happened on the way; the same seed gives the same counts.
#[test]
fn oracle_counts_what_happened() {
    let folder = folder();
    let run = || sim(&folder, &["oracle", "--programs", "200", "--seed", "5", "--json"]);
    let (code, output, errors) = run();
    assert_eq!(code, 0, "{errors}");
    let document = json(&output);
    assert_eq!((&document["schema"], &document["verdict"]), (&"heddle.oracle".into(), &"passed".into()));
    assert!(document["programs"].as_u64() >= Some(200));
    for count in ["diverged", "yielded", "merged", "recentered", "spilled"] {
        assert!(document["statistics"][count].as_u64() > Some(0), "{count} never happened: {output}");
    }
    assert_eq!(run().1, output);
    for options in [["--class", "goto"], ["--engine", "stack"], ["--backend", "model"]] {
        let (code, output, errors) = sim(&folder, &["oracle", "--programs", "64", options[0], options[1]]);
        assert!(code == 0 && output.contains("every thread ended as it does alone"), "{options:?}: {errors}");
    }
}

/// UX-08, IS-05: every kind of bad input is exit code 2 with place, cause and hint, and nothing on the standard output.
#[rstest]
#[case::unknown_mnemonic("run", &["bad_mnemonic.s"], &["bad_mnemonic.s:2", "`SNYC`", "did you mean"])]
#[case::undefined_label("run", &["bad_label.s"], &["bad_label.s:1", "nowhere"])]
#[case::address_of_23_bits("asm", &["bad_address.s"], &["bad_address.s:1", "22 bits"])]
#[case::unknown_kernel("run", &["spin_lokc"], &["KERNEL spin_lokc", "did you mean `spin_lock`"])]
#[case::missing_file("compare", &["no/such/file.s"], &["no/such/file.s", "no such file"])]
#[case::a_folder("run", &["."], &["KERNEL ."])]
#[case::depth("run", &["spin_lock", "--depth", "12"], &["--depth 12", "power of two", "try 8 or 16"])]
#[case::depth_zero("run", &["spin_lock", "--depth", "0"], &["--depth 0", "try 4"])]
#[case::depth_huge("run", &["spin_lock", "--depth", "18446744073709551615"], &["--depth", "try"])]
#[case::unknown_engine("run", &["spin_lock", "--engine", "dequeue"], &["--engine", "stack, deque, tree"])]
#[case::tree("run", &["spin_lock", "--engine", "tree", "--depth", "128"], &["no tree divergence table of 4 warps", "4x32x64", "--backend model"])]
#[case::unknown_backend("run", &["spin_lock", "--backend", "modle"], &["--backend modle", "did you mean `model`"])]
#[case::suspend_none_away("run", &["nested_if", "--suspend-at", "1", "--suspend-away", "0"], &["--suspend-away", "0"])]
#[case::suspend_never("suspend", &["nested_if", "--every", "0"], &["--every", "0"])]
#[case::predicate("run", &["spin_lock", "--predicate", "/nowhere/tiles.txt"], &["/nowhere/tiles.txt"])]
#[case::predicate_of_another_grid("run", &["spin_lock", "--predicate", "memory.json"], &["memory.json:1", "a character a block"])]
#[case::trace_format("run", &["spin_lock", "--trace", "x.trace"], &["--trace x.trace", ".perfetto"])]
#[case::small_kernel("compare", &["spin_lock", "--small"], &["--small"])]
#[case::no_kernel_to_compare("compare", &[], &["KERNEL", "cargo sim kernels"])]
#[case::malformed_memory("run", &["spin_lock", "--mem", "bad.json"], &["bad.json:2", "docs/json.md"])]
#[case::missing_memory("run", &["spin_lock", "--mem", "none.json"], &["none.json", "check the path"])]
#[case::malformed_replay("oracle", &["--replay", "bad.json"], &["bad.json:2", "saved case"])]
#[case::memory_as_replay("oracle", &["--replay", "memory.json"], &["memory.json", "missing field"])]
#[case::parameter_name("run", &["spin_lock", "--param", "x=1"], &["--param x", "no such parameter"])]
#[case::size("run", &["bfs", "--size", "reel"], &["--size reel", "did you mean `real`"])]
#[case::no_sizes("run", &["spin_lock", "--size", "real"], &["--size real", "--param"])]
#[case::regions("run", &["spin_lock", "--insert-divergence"], &["line 26", "PBK", "have the regions taken out first"])]
#[case::no_table("asm", &["gather", "--insert-divergence"], &["line 63", "BRX", "table"])]
#[case::pass_of_nothing("pass", &["spin_lokc"], &["spin_lokc", "did you mean `spin_lock`"])]
#[case::parameter_form("run", &["spin_lock", "--param", "x"], &["NAME=VALUE"])]
#[case::yield_policy("run", &["spin_lock", "--yield-policy", "every:0"], &["every:0", "1 to 256"])]
#[case::grid("run", &["spin_lock", "--grid", "0"], &["--grid", "1 to 1048576"])]
#[case::grid_too_large("run", &["spin_lock", "--grid", "1048576,1048576,1048576"], &["grid"])]
#[case::block_too_large("run", &["spin_lock", "--block", "512"], &["512 threads", "--warps 16"])]
#[case::no_such_hardware("run", &["spin_lock", "--depth", "64"], &["64 tokens", "4x32x32", "--backend model"])]
#[case::no_such_core("run", &["spin_lock", "--backend", "core", "--depth", "64"], &["no control core around a token deque", "4x32x32"])]
#[case::core_handler("run", &["spin_lock", "--backend", "core", "--software-handler"], &["software handler", "another --backend"])]
#[case::core_barriers("run", &["histogram", "--backend", "core", "--depth", "16", "--barrier-block", "64"], &["blocks of 64 threads", "--backend rtl"])]
#[case::core_suspension("run", &["nested_if", "--backend", "core", "--engine", "tree", "--suspend-at", "5"], &["--suspend-at", "tree", "stack or the deque"])]
#[case::core_oracle("oracle", &["--backend", "core", "--depth", "8"], &["no control core around a token deque", "`--backend model`", "4x32x16"])]
#[case::core_oracle_tree("oracle", &["--backend", "core", "--class", "suspends", "--engine", "tree"], &["suspends no blocks of a tree", "--backend rtl"])]
#[case::no_warps("run", &["spin_lock", "--warps", "0"], &["--warps", "1..=64"])]
#[case::seed("run", &["spin_lock", "--seed", "65536"], &["--seed", "65536"])]
#[case::words("disasm", &["bad_mnemonic.s"], &["bad_mnemonic.s:1", "hexadecimal"])]
#[case::no_instruction("disasm", &["zeros.hex"], &["zeros.hex:2", "opcode 0x00"])]
#[case::binary_file("run", &["binary.s"], &["binary.s", "UTF-8"])]
#[case::unwritable_dump("run", &["spin_lock", "--dump", "no/folder/d.json"], &["no/folder/d.json", "folder"])]
#[case::unknown_command("compar", &[], &["compar", "similar"])]
#[case::no_kernel("run", &[], &["KERNEL"])]
fn bad_input_is_exit_code_2(#[case] command: &str, #[case] arguments: &[&str], #[case] parts: &[&str]) {
    let folder = folder();
    write(&folder, "bad_mnemonic.s", " NOP\n SNYC there\nthere: EXIT\n");
    write(&folder, "bad_label.s", " BRA nowhere\n EXIT\n");
    write(&folder, "bad_address.s", " BRA 0x400000\n EXIT\n");
    write(&folder, "bad.json", "{\n \"schema\": oops\n}\n");
    write(&folder, "memory.json", "{\"schema\": \"heddle.memory\", \"version\": 1, \"segments\": []}");
    write(&folder, "zeros.hex", "0800000000000000\n0000000000000000\n");
    std::fs::write(folder.path().join("binary.s"), [0xff, 0xfe, 0]).expect("a file");
    let (code, output, errors) = sim(&folder, &[&[command], arguments].concat());
    assert_eq!(code, 2, "{output}{errors}");
    assert!(!errors.contains("panicked") && !errors.contains("internal error"), "{errors}");
    let errors = flat(&errors);
    for part in parts {
        assert!(errors.contains(part), "`{part}` is missing in: {errors}");
    }
    assert_eq!(output, "", "nothing is half-printed");
}

/// UX-08: a saved case with sizes that no engine has is bad input, not a crash.
#[test]
fn a_case_with_impossible_sizes_is_bad_input() {
    let folder = folder();
    let case = |warps: u64, threads: u64, depth: u64| {
        serde_json::json!({
            "seen": "", "seed": 1, "batch": 0, "class": "goto", "programs": [],
            "configuration": {
                "warps": warps, "threads": threads, "depth": depth, "path_policy": "taken", "yield_policy": "always",
                "yield_parameter": 0, "yield_seed": 1, "stack_mode": false, "software_handler": false,
                "spill_limit": 16, "memory_latency": 1
            }
        })
        .to_string()
    };
    for (warps, threads, depth) in [(0, 32, 8), (65, 32, 8), (1, 0, 8), (1, 65, 8), (1, 32, 12), (1, 32, 0)] {
        write(&folder, "case.json", &case(warps, threads, depth));
        let (code, _, errors) = sim(&folder, &["oracle", "--replay", "case.json"]);
        assert_eq!(code, 2, "{warps} x {threads} x {depth}: {errors}");
    }
    write(&folder, "case.json", &case(1, 32, 8));
    let (code, output, errors) = sim(&folder, &["oracle", "--replay", "case.json"]);
    assert_eq!(code, 0, "{output}{errors}");
}

/// UX-07, UX-08: Ctrl-C in long work is exit code 130, and no file that it would have written is there.
#[cfg(unix)]
#[rstest]
#[case(&["run", "long.s", "--dump", "dump.json", "--trace", "trace.vcd", "--max-cycles", "18446744073709551615"])]
#[case(&["compare", "long.s", "--max-cycles", "18446744073709551615"])]
#[case(&["oracle", "--programs", "1000000000"])]
fn interrupt_leaves_nothing_behind(#[case] arguments: &[&str]) {
    let folder = folder();
    write(&folder, "long.s", ".memory data, 1\nloop: IADD R1, R1, 1\n BRA loop\n");
    let ended = interrupted("heddle-sim", arguments, folder.path(), Duration::from_millis(500));
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("the folder").flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["long.s"]);
}

/// UX-07: a reader that goes away is no failure.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let binary = assert_cmd::cargo::cargo_bin("heddle-sim");
    let script = format!("set -o pipefail; {} asm quicksort --listing | head -1", binary.display());
    let status = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash").status;
    assert_eq!(status.code(), Some(0));
}

/// UX-07: on a terminal a complaint has colours, unless `NO_COLOR` is set; elsewhere it has none.
#[test]
fn no_color_turns_colours_off() {
    let binary = assert_cmd::cargo::cargo_bin("heddle-sim");
    let on_terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    for (terminal, no_color, coloured) in [(true, false, true), (true, true, false), (false, false, false)] {
        let mut command = Command::new(if terminal { "python3".into() } else { binary.clone() });
        if terminal {
            command.args(["-c", on_terminal]).arg(&binary);
        }
        command.env("TERM", "xterm").env_remove("NO_COLOR").args(["run", "spin_lok"]);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        let text = [output.stdout, output.stderr].concat();
        assert!(String::from_utf8_lossy(&text).contains("did you mean"));
        assert_eq!(text.contains(&0x1b), coloured, "terminal {terminal}, NO_COLOR {no_color}");
    }
}

/// UX-08: `docs/json.md` names every schema and every field that these commands print.
#[test]
fn the_schema_is_documented() {
    let folder = folder();
    for arguments in [
        &["demo", "--json"][..],
        &["run", "spin_lock", "--engine", "stack", "--json"],
        &["compare", "spin_lock", "--json"],
        &["divergence-law", "--backend", "model", "--json"],
        &["oracle", "--class", "barriers", "--backend", "model", "--programs", "3", "--json"],
        &["oracle", "--programs", "64", "--json"],
        &["kernels", "--json"],
        &["locality", "--backend", "model", "--json"],
        &["suspend", "nested_if", "--every", "9", "--json"],
        &["pass", "spin_lock", "--json"],
        &["yields", "--backend", "model", "--json"],
        &["sparse", "--backend", "model", "--json"],
    ] {
        let (_, output, _) = sim(&folder, arguments);
        assert_documented(&json(&output));
    }
    assert!(documented::PAGE.contains("## `heddle.memory`"));
}

/// SM-22: the gather with a cache: every run is right; a barrier keeps the warps together, so more lines are hit, and the impatient one is
/// the fastest of the three, since it need not wait for a warp that waits for memory of its own.
#[test]
fn an_impatient_barrier_pays_off() {
    let (code, output, errors) = sim(&folder(), &["locality", "--backend", "model", "--json"]);
    assert_eq!(code, 0, "{errors}");
    let document = json(&output);
    let runs = document["runs"].as_array().expect("runs");
    let figure = |run: usize, name: &str| runs[run]["run"]["counters"][name].clone();
    let [none, patient, impatient] = [0, 1, 2].map(|run| figure(run, "cycles").as_u64().expect("cycles"));
    assert!(impatient < patient && impatient < none, "{none} {patient} {impatient}");
    let hits = [0, 1, 2].map(|run| figure(run, "cache")["hits"].as_u64().expect("hits"));
    assert!(hits[0] < hits[2] && hits[2] < hits[1], "{hits:?}");
    let timeouts = [0, 1, 2].map(|run| figure(run, "barriers")["timeouts"].as_u64().expect("timeouts"));
    assert!(timeouts[0] == 0 && timeouts[1] == 0 && timeouts[2] > 0, "{timeouts:?}");
}

/// TD-04, SM-20: every kernel ends right with its YIELDs on the tree; the table says which locks would hang without.
#[test]
fn yields_shows_which_locks_would_hang() {
    let (code, output, errors) = sim(&folder(), &["yields", "--backend", "model", "--json"]);
    assert_eq!(code, 0, "{errors}");
    let document = json(&output);
    let kernels = document["kernels"].as_array().expect("kernels");
    assert!(kernels.iter().all(|kernel| kernel["with"]["check"] == "passed"), "{output}");
    let hang = kernels.iter().filter(|kernel| kernel["hangs_without"] == true);
    let names: Vec<&str> = hang.map(|kernel| kernel["kernel"].as_str().expect("a name")).collect();
    assert_eq!(names, ["spin_lock", "reader_writer_lock", "hash_table_insert"]);
    for (expected, wanted) in [
        ("spin_lock,reader_writer_lock,hash_table_insert", None),
        ("spin_lock,reader_writer_lock", Some("hash_table_insert hangs without its YIELDs")),
        ("spin_lock,reader_writer_lock,hash_table_insert,bfs", Some("bfs does not hang without its YIELDs")),
        ("spin_lock,reader_writer_lock,hash_table_insert,half", Some("no kernel with YIELDs is called 'half'")),
    ] {
        let (code, _, errors) = sim(&folder(), &["yields", "--backend", "model", "--expect", expected]);
        assert_eq!(code, i32::from(wanted.is_some()), "{expected}: {errors}");
        assert!(wanted.is_none_or(|wanted| errors.contains(wanted)), "{expected}: {errors}");
    }
}

/// TD-07: a run on the tree says how many nodes it used at once, as model and as hardware; the oracle holds them against the bound.
#[test]
fn the_tree_tells_its_nodes() {
    for backend in ["model", "rtl"] {
        let (code, output, errors) =
            sim(&folder(), &["run", "nested_if", "--engine", "tree", "--backend", backend, "--json"]);
        assert_eq!(code, 0, "{errors}");
        let peaks = &json(&output)["counters"]["node_high_water"];
        let most = peaks.as_array().expect("a number a warp").iter().filter_map(Value::as_u64).max();
        assert!(most.is_some_and(|most| (2..=63).contains(&most)), "{backend}: {peaks}");
    }
    let arguments = ["oracle", "--engine", "tree", "--backend", "model", "--programs", "64", "--json"];
    let (code, output, errors) = sim(&folder(), &arguments);
    assert_eq!(code, 0, "{errors}");
    let statistics = &json(&output)["statistics"];
    assert_eq!(statistics["bounds_checked"], statistics["issued"]);
    assert!(statistics["most_nodes"].as_u64() > Some(2), "{statistics}");
}

/// BR-18: a warning of the assembler is printed, with its place, and fails nothing.
#[test]
fn warnings_fail_nothing() {
    let folder = folder();
    let file = folder.path().join("two_tops.s");
    let text = "BARRIER.CONF 2, condition 2, reference 32\nBARRIER.CONDITIONAL 2, 2\nBARRIER.CONDITIONAL 2, 3\nEXIT\n";
    std::fs::write(&file, text).expect("it is written");
    for command in ["asm", "run"] {
        let (code, _, errors) = sim(&folder, &[command, "two_tops.s"]);
        assert_eq!(code, 0, "{errors}");
        assert!(errors.contains("barrier 2 has tops at 0x1 and 0x2") && errors.contains("two_tops.s:3:1"), "{errors}");
    }
}

/// IS-06: the pass is a part of `asm`, `run`, `compare`; its table says that no kernel is wrong after it; its random programs end as alone.
#[test]
fn the_divergence_pass() {
    let folder = folder();
    let both = ["--strip-divergence", "--insert-divergence"];
    let words = |options: &[&str]| sim(&folder, &[&["asm", "spin_lock"], options].concat()).1;
    assert_eq!(words(&both), words(&[]));
    assert!(words(&["--strip-divergence"]).len() < words(&[]).len());
    let (code, output, errors) = sim(&folder, &[&["compare", "loops"], &both[..]].concat());
    assert!(code == 0 && output.contains("correct"), "{output}{errors}");
    let (code, output, errors) = sim(&folder, &["pass", "--json"]);
    assert_eq!(code, 0, "{errors}");
    let document = json(&output);
    let kernels = document["kernels"].as_array().expect("a list");
    assert!(kernels.len() > 20, "{}", kernels.len());
    assert!(kernels.iter().all(|entry| entry["by_pass"]["check"] == "passed"), "{output}");
    for engine in ["stack", "deque", "tree"] {
        let arguments = ["oracle", "--class", "plain", "--programs", "320", "--engine", engine];
        let (code, output, errors) = sim(&folder, &arguments);
        assert!(code == 0 && output.contains("320 plain"), "{output}{errors}");
    }
}

/// UX-08: help and version are no failure; every command has its help.
#[test]
fn help_is_no_failure() {
    let folder = folder();
    for command in [
        "demo",
        "run",
        "compare",
        "locality",
        "sparse",
        "suspend",
        "yields",
        "pass",
        "divergence-law",
        "asm",
        "disasm",
        "oracle",
        "kernels",
    ] {
        let (code, output, _) = sim(&folder, &[command, "--help"]);
        assert!(code == 0 && output.contains("Usage: cargo sim"), "{command}: {output}");
    }
    let (code, output, _) = sim(&folder, &["--help"]);
    assert!(code == 0 && output.contains("Exit codes"), "{output}");
    assert_eq!(sim(&folder, &["--version"]).0, 0);
}
