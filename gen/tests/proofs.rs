//! `scripts/prove` and `scripts/equivalence` as a person meets them: what they say of good, false and empty properties (UX-06, UX-08).

use rstest::rstest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_path_buf()
}

/// A fresh folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofs").join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("an old folder goes");
    }
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn script(name: &str, arguments: &[&str]) -> Output {
    let path = repository().join("scripts").join(name);
    Command::new(path).args(arguments).current_dir(repository()).output().expect("the script runs")
}

/// `scripts/prove` of the flag picker, its work files beside the test's own.
fn prove(folder: &Path, exports: &Path, arguments: &[&str]) -> Output {
    let work = folder.join("work");
    script("prove", &[&["flag_picker", "--from", path(exports), "--work", path(&work)], arguments].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// An export of the work distributor, whose flag picker the tests below prove at its smallest point and check at a larger one.
fn export(folder: &Path) -> PathBuf {
    let out = folder.join("export");
    let arguments = ["--block", "work_distributor", "--out", path(&out)];
    let output = Command::new(env!("CARGO_BIN_EXE_heddle-export")).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    out
}

/// The proofs of some subjects, one of their files with another text, in a folder of their own.
fn changed(folder: &Path, subjects: &[&str], file: &str, from: &str, to: &str) -> PathBuf {
    let proofs = folder.join("proofs");
    std::fs::create_dir_all(&proofs).expect("a folder");
    for name in subjects.iter().flat_map(|subject| [format!("{subject}.sv"), format!("{subject}.json")]) {
        let original = std::fs::read_to_string(repository().join("scripts/proofs").join(&name)).expect("the proofs");
        let content = if name == file { original.replacen(from, to, 1) } else { original.clone() };
        assert!(name != file || content != original, "{from} is in {name}");
        std::fs::write(proofs.join(name), content).expect("written");
    }
    proofs
}

/// UX-08: an unknown block ends with exit code 2 and a hint, before anything is installed or exported.
#[test]
fn unknown_blocks_are_explained() {
    for arguments in [&["flag_piker"][..], &["flag_piker", "--quick"]] {
        let output = script("prove", arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("did you mean flag_picker?"), "{}", text(&output.stderr));
    }
    let names = text(&script("prove", &["--list"]).stdout);
    assert!(names.lines().any(|name| name == "execution_slots"), "{names}");
}

/// XV-04, XV-11: properties that hold are proven by both engines, their bugs refute them, their covers are reached.
#[test]
fn true_properties_are_proven() {
    let folder = folder("true");
    let exports = export(&folder);
    let output = prove(&folder, &exports, &["--json"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}{}", text(&output.stderr));
    for expected in [
        "\"schema\": \"heddle-proofs/2\"",
        "\"induction\": \"proven\"",
        "\"abc\": \"proven\"",
        "\"verdict\": \"passed\"",
        "\"complaints\": []",
    ] {
        assert!(printed.contains(expected), "{expected} in {printed}");
    }
}

/// A false property beside an assumption, with which abc sees a design otherwise than without any.
const FALSE: &str = "(found == &flags);\n  // The word is not 1.\n  never_one: assume property (flags != 1)";
/// An assumption that leaves nothing to check, before what stands there.
const ANY: &str = "  // Any one position";
const EMPTY: &str = "  // Nothing is left.\n  nothing: assume property (flags == 0);\n  // Any one position";

/// XV-04, XV-11, UX-08: a false property, which both engines refute, a bug without effect and an assumption that leaves nothing to check each end with exit code 1.
#[rstest]
#[case("false", "flag_picker.sv", "(found == |flags)", FALSE, &["finds is refuted", "is refuted for abc"])]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("harmless", "flag_picker.json", "| sixteen_more_1 |", "| sixteen_any_1 |", &["went unnoticed"])]
#[ignore = "tens of seconds: scripts/nightly runs it"]
#[case("empty", "flag_picker.sv", ANY, EMPTY, &["is not reached"])]
fn what_is_not_so_is_said(
    #[case] name: &str,
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] complaints: &[&str],
) {
    let folder = folder(name);
    let exports = export(&folder);
    let proofs = changed(&folder, &["flag_picker"], file, from, to);
    let output = prove(&folder, &exports, &["--proofs", path(&proofs)]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}{}", text(&output.stderr));
    for complaint in complaints {
        assert!(printed.contains(complaint), "{complaint} in {printed}");
    }
    // What the first engine refutes in the first cycles, the second refutes there, too: it need not look any further.
    let short = std::fs::read_to_string(folder.join("work/flag_picker_1x1/whole/refuted.log"));
    assert_eq!(short.is_ok_and(|log| log.contains("was asserted in frame 0")), name == "false");
}

/// XV-11: a property without a bug, and a bug that fits nowhere, are refused.
#[test]
fn proofs_have_to_be_complete() {
    for (name, from, to, complaint) in [
        ("nameless", "\"finds\"", "\"found\"", "has no bug"),
        ("stale", "if (sixteen_any_1) begin", "if (sixteen_any_9) begin", "occurs 0 times"),
    ] {
        let folder = folder(name);
        let exports = export(&folder);
        let proofs = changed(&folder, &["flag_picker"], "flag_picker.json", from, to);
        let output = prove(&folder, &exports, &["--proofs", path(&proofs)]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(complaint), "{}", text(&output.stderr));
    }
}

/// The work distributor, and what is a part of it.
const EMBEDDING: &[&str] = &["work_distributor", "cluster_walker", "flag_scanner", "grid_queue", "flag_picker"];

/// XV-04: rows of docs/proofs.md that are of other properties, another bug, or another assumption of a part are complaints; where only a comment is another one,
/// nothing is.
#[test]
fn rows_of_other_properties_are_noticed() {
    for (name, file, from, to, noticed) in [
        ("reworded", "flag_picker.sv", "2. A flag is found", "2. One is found", &[][..]),
        ("other_property", "flag_picker.sv", "(found == |flags)", "(found >= |flags)", &["flag_picker"]),
        ("other_bug", "flag_picker.json", "| sixteen_more_1 |", "| sixteen_any_1 |", &["flag_picker"]),
        (
            "other_assumption",
            "flag_scanner.sv",
            ": assume (",
            ": assume (1'b1 && ",
            &["flag_scanner", "work_distributor"],
        ),
    ] {
        let folder = folder(name);
        let exports = export(&folder);
        let proofs = changed(&folder, EMBEDDING, file, from, to);
        let output = script("prove", &["--check", "--from", path(&exports), "--proofs", path(&proofs)]);
        let printed = text(&output.stdout);
        for subject in EMBEDDING {
            let complaint = format!("the row of {subject} is of other Verilog or other properties");
            assert_eq!(printed.contains(&complaint), noticed.contains(subject), "{name}, {subject}: {printed}");
        }
        // The document has rows of others, which these proofs are not about.
        assert!(printed.contains("nothing to prove of 'execution_slots'"), "{printed}");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
}

/// XV-04: of what a row is stands on record once it is proven, and no longer once it is not. In a copy, since the row is written.
#[test]
fn what_is_proven_is_on_record() {
    let folder = folder("record");
    let exports = export(&folder);
    for copied in ["scripts", "docs"] {
        let copy = Command::new("cp").arg("-r").arg(repository().join(copied)).arg(&folder).status();
        assert!(copy.expect("cp").success());
    }
    let record = folder.join("docs/proofs.txt");
    let recorded = || std::fs::read_to_string(&record).expect("a record");
    std::fs::write(&record, "0000000000000000 flag_picker\n1111111111111111 execution_slots\n").expect("written");
    let prove = |arguments: &[&str]| {
        let script = folder.join("scripts/prove");
        let always = ["flag_picker", "--from", path(&exports), "--write"];
        Command::new(script).args(always).args(arguments).output().expect("the script runs")
    };
    let output = prove(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = recorded();
    assert!(lines.starts_with("1111111111111111 execution_slots\n"), "{lines}");
    assert!(lines.ends_with(" flag_picker\n") && !lines.contains("0000000000000000"), "{lines}");

    let proofs = changed(&folder, &["flag_picker"], "flag_picker.sv", "(found == |flags)", FALSE);
    assert_eq!(prove(&["--proofs", path(&proofs)]).status.code(), Some(1));
    assert_eq!(recorded(), "1111111111111111 execution_slots\n");

    let document = || std::fs::read_to_string(folder.join("docs/proofs.md")).expect("a document");
    let before = document();
    std::fs::write(&record, "a row\n").expect("written");
    let output = prove(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("docs/proofs.txt, line 1: 'a row' is no record"), "{}", text(&output.stderr));
    assert_eq!(document(), before);
}

/// XV-10, UX-08: a block that does not exist ends with exit code 2 and a hint.
#[test]
fn equivalence_explains_itself() {
    let folder = folder("equivalence");
    let exports = export(&folder);
    let output = script("equivalence", &["work_distributer", "--from", path(&exports)]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("did you mean work_distributor?"), "{}", text(&output.stderr));
}
