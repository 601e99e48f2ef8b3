//! `cargo export` from outside.

use crate::interrupted::interrupted;
use assert_cmd::Command;
use heddle_gen::export::{Manifest, Package};
use heddle_hdl::points::entries;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

fn export(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("heddle-export").expect("the binary").args(arguments).env("NO_COLOR", "1").assert()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// Every file below `folder` with its content.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            files.extend(contents(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            files.insert(name, std::fs::read(entry.path()).expect("a file"));
        }
    }
    files
}

/// UX-04, XV-06: an export has the files that its manifest names, with the hashes that it gives, and nothing else.
#[test]
fn export_is_what_its_manifest_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let arguments = ["--block", "token_deque", "--point", "1x32x8", "--out", &out, "--json"];
    let printed = text(&export(&arguments).success().get_output().stdout);
    let manifest: Manifest = serde_json::from_str(&printed).expect("the manifest");
    assert_eq!((manifest.schema.as_str(), manifest.exports.len()), ("heddle-manifest/1", 1));
    let record = &manifest.exports[0];
    let mut files = contents(folder.path());
    for file in &record.files {
        let bytes = files.remove(&format!("{}/{}", record.module, file.path)).expect("a file of the manifest");
        assert_eq!((bytes.len(), blake3::hash(&bytes).to_hex().to_string()), (file.bytes, file.blake3.clone()));
    }
    assert_eq!(files.keys().collect::<Vec<_>>(), ["manifest.json", "token_deque_1x32x8/manifest.json"]);
    assert_eq!(files["manifest.json"], printed.as_bytes());
}

/// XV-05: two exports are byte-identical, and the second replaces the first.
#[test]
fn exports_repeat() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    export(&["--point", "1x32x8", "--out", &out]).success();
    let first = contents(folder.path());
    export(&["--point", "1x32x8", "--out", &out]).success();
    assert_eq!(contents(folder.path()), first);
}

/// XV-06: the manifest above names every export that is there, also those of earlier commands.
#[test]
fn manifest_collects_neighbours() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    for block in ["token_deque", "divergence_unit"] {
        export(&["--block", block, "--point", "1x32x8", "--out", &out]).success();
    }
    let manifest = std::fs::read_to_string(folder.path().join("manifest.json")).expect("the manifest");
    let manifest: Manifest = serde_json::from_str(&manifest).expect("the manifest");
    let modules: Vec<&str> = manifest.exports.iter().map(|record| record.module.as_str()).collect();
    assert_eq!(modules, ["divergence_unit_1x32x8", "token_deque_1x32x8"]);
}

/// XV-05: every port of every top module carries the meaning that the block's source gives it, and parts have theirs; but for primitives of several widths, whose heads
/// say what they do.
#[test]
fn ports_are_explained() {
    let primitive =
        |name: &str| name.trim_end_matches(".v").rsplit('_').next().is_some_and(|last| last.parse::<u32>().is_ok());
    let mut seen = BTreeSet::new();
    for entry in entries().into_iter().filter(|entry| seen.insert(entry.block)) {
        let package = Package::build(&entry).unwrap_or_else(|error| panic!("{error}"));
        let top = format!("{}.v", entry.module());
        for (name, text) in
            package.files.iter().filter(|(name, _)| name.ends_with(".v") && (**name == top || !primitive(name)))
        {
            let ports: Vec<&str> = text.lines().take_while(|line| *line != ");").collect();
            let bare = ports.windows(2).find(|pair| {
                (pair[1].starts_with("  input") || pair[1].starts_with("  output")) && !pair[0].starts_with("  //")
            });
            assert_eq!(bare, None, "{name}");
            assert!(text.starts_with(&format!("// {}: ", name.trim_end_matches(".v"))), "{name}");
        }
    }
}

/// UX-04: the list names blocks and points.
#[test]
fn list_names_blocks_and_points() {
    let printed = text(&export(&["list"]).success().get_output().stdout);
    assert!(printed.contains("token_deque") && printed.contains("4x32x16"), "{printed}");
    let printed = text(&export(&["list", "--json"]).success().get_output().stdout);
    let manifest: Manifest = serde_json::from_str(&printed).expect("the manifest");
    assert_eq!(manifest.exports.len(), entries().len());
}

/// UX-04: a block's page has its ports, parameters and timing.
#[test]
fn show_prints_the_block() {
    let printed = text(&export(&["show", "token_deque"]).success().get_output().stdout);
    for word in ["push_valid", "depth", "Timing", "Points"] {
        assert!(printed.contains(word), "{word} in {printed}");
    }
}

/// UX-08: a slip of the finger is bad input, and the message has the word that was meant.
#[test]
fn unknown_names_are_bad_input() {
    for (arguments, meant) in [
        (vec!["show", "tokn_deque"], "token_deque"),
        (vec!["--block", "divergence_unti"], "divergence_unit"),
        (vec!["--point", "16x32x322"], "16x32x32"),
    ] {
        let output = export(&arguments).code(2).get_output().clone();
        assert!(text(&output.stderr).contains(&format!("did you mean `{meant}`?")), "{}", text(&output.stderr));
    }
}

/// UX-07, UX-08: something else in the place of an export is not overwritten, and nothing is left behind.
#[test]
fn strangers_are_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("token_deque_1x32x8");
    std::fs::create_dir(&place).expect("a folder");
    std::fs::write(place.join("thesis.txt"), "years of work").expect("a file");
    let out = folder.path().to_string_lossy().into_owned();
    export(&["--block", "token_deque", "--point", "1x32x8", "--out", &out]).code(2);
    assert_eq!(contents(folder.path()).keys().collect::<Vec<_>>(), ["token_deque_1x32x8/thesis.txt"]);
}

/// UX-08: a folder that cannot be made is bad input.
#[test]
fn unwritable_folder_is_bad_input() {
    let output = export(&["--point", "1x32x8", "--out", "/proc/export"]).code(2).get_output().clone();
    assert!(text(&output.stderr).contains("/proc/export"));
}

/// XV-05: one module a file, called like it, with the export's name in front; no line is wider than a screen; no two exports share a
/// module's name.
#[test]
fn files_and_modules_are_named_alike() {
    let mut names = std::collections::BTreeSet::new();
    for entry in entries() {
        let package = Package::build(&entry).unwrap_or_else(|error| panic!("{error}"));
        for (file, text) in package.files.iter().filter(|(file, _)| file.ends_with(".v")) {
            let modules: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("module ")).collect();
            assert_eq!(modules.len(), 1, "{file}");
            let name = modules[0].trim_end_matches(" (");
            assert_eq!(format!("{name}.v"), *file);
            assert!(name.starts_with(&package.name), "{name} in {}", package.name);
            assert!(names.insert(name.to_string()), "{name} is there twice");
            let wide = text.lines().find(|line| line.len() > 100 || line.ends_with(' ') || line.contains('\t'));
            assert_eq!(wide, None, "{file}");
            assert!(!text.contains("lint_off") && !text.contains("verilator"), "{file} waives");
        }
    }
}

/// UX-07, UX-08: Ctrl-C is exit code 130, and nothing of an export is left: what is there is whole.
#[cfg(unix)]
#[test]
fn interrupt_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = interrupted("heddle-export", &["--out", "export"], folder.path(), Duration::from_millis(500));
    assert_eq!(ended.status.code(), Some(130), "{}", text(&ended.stderr));
    assert_eq!(contents(folder.path()), BTreeMap::new());
}
