//! The reference models as source: what they may know of the hardware, and how long they may be.

use std::fs;
use std::path::{Path, PathBuf};

/// What models and blocks share: encodings, which are defined once. Everything else a model says by itself.
const ENCODINGS: [&str; 1] = ["heddle_hdl::divergence::token::"];

/// Lines that can be read in one sitting.
const LONGEST: usize = 500;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("the models are a folder").map(|entry| entry.expect("it can be read").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// XV-01: a model is written from its requirements: it has nothing of the hardware but encodings, and no file of it is long.
#[test]
fn xv_01_models_are_apart_from_the_hardware_and_short() {
    let all = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/model"));
    for system in ["barrier", "context", "tree", "work_distributor"] {
        assert!(
            all.iter().any(|path| path.components().any(|part| part.as_os_str() == system)),
            "no model of {system}"
        );
    }
    for path in all {
        let text = fs::read_to_string(&path).expect("a source is text");
        for (number, line) in text.lines().enumerate() {
            let known = ENCODINGS.iter().any(|encoding| line.contains(encoding));
            assert!(known || !line.contains("heddle_hdl"), "{}:{}: {line}", path.display(), number + 1);
        }
        let tests = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"));
        assert!(tests || text.lines().count() <= LONGEST, "{} has more than {LONGEST} lines", path.display());
    }
}
