//! Why a mutant that is not proven equivalent cannot be noticed from the block's ports under what they allow: `verilator-tb/mutation/notes.json`, read by people.

use super::alike::Alike;
use super::hierarchy::{module_of, Hierarchy};
use super::schema::Mutant;
use crate::error::{Error, Result};
use heddle_hdl::points::Entry;
use serde::Deserialize;

/// The list.
const LIST: &str = include_str!("../../mutation/notes.json");

/// A reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The block.
    block: String,
    /// The part whose file is meant; empty for the top module.
    file: String,
    /// What stands there, on one line; a part of it is enough.
    was: String,
    /// What stands there instead; without it, whatever does.
    #[serde(default)]
    becomes: Option<String>,
    /// A part of the line it stands in, or of that and the one before it; without it, whichever.
    #[serde(default)]
    line: Option<String>,
    /// Why nobody notices.
    reason: String,
    /// By what that is proven, in each block that has it.
    #[serde(default)]
    alike: Vec<Alike>,
}

/// All reasons.
#[derive(Clone, Debug)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Reads the list.
    ///
    /// # Errors
    /// A list that is not well-formed.
    pub fn read() -> Result<Self> {
        serde_json::from_str(LIST)
            .map(Self)
            .map_err(|cause| Error::Internal { place: "mutation/notes.json".into(), cause: cause.to_string() })
    }

    /// Why `mutant` of `entry`, which consists of the modules of `hierarchy` and stands in the second of `lines`, cannot be noticed. What is said of a block
    /// holds where the block is a part, too: it speaks of what its surroundings keep; but not of a module that also stands elsewhere.
    pub fn reason(&self, entry: &Entry, hierarchy: &Hierarchy, mutant: &Mutant, lines: [&str; 2]) -> Option<&str> {
        self.find(entry, hierarchy, mutant, lines).map(|note| note.reason.as_str())
    }

    /// By which states that are alike that is proven, if a note says so.
    pub fn alike(&self, entry: &Entry, hierarchy: &Hierarchy, mutant: &Mutant, lines: [&str; 2]) -> Option<&[Alike]> {
        let alike = self.find(entry, hierarchy, mutant, lines)?.alike.as_slice();
        (!alike.is_empty()).then_some(alike)
    }

    fn find(&self, entry: &Entry, hierarchy: &Hierarchy, mutant: &Mutant, lines: [&str; 2]) -> Option<&Note> {
        let top = entry.module();
        let module = module_of(&mutant.file);
        let fits = |note: &&Note| {
            let block = if note.block == entry.block { top.clone() } else { format!("{top}_{}", note.block) };
            let part = if note.file.is_empty() { block.clone() } else { format!("{top}_{}", note.file) };
            module == part
                && hierarchy.only_in(module, &block)
                && mutant.was.contains(&note.was)
                && note.line.as_ref().is_none_or(|part| stands_in(part, lines))
                && note.becomes.as_ref().is_none_or(|becomes| *becomes == mutant.becomes)
        };
        self.0.iter().find(fits)
    }
}

/// Whether `part` stands in the second of two `lines`, or begins in the first one and ends in the second.
fn stands_in(part: &str, lines: [&str; 2]) -> bool {
    let [before, line] = lines.map(str::trim);
    !before.contains(part) && format!("{before} {line}").contains(part) || line.contains(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_hdl::points;
    use std::fs;
    use std::path::Path;

    fn entry(block: &str) -> Entry {
        points::entries().into_iter().find(|entry| entry.block == block).expect("there is one")
    }

    fn mutant(module: &str) -> Mutant {
        Mutant {
            number: 1,
            file: format!("{module}.v"),
            line: 1,
            was: "beyond".into(),
            becomes: "1'b1".into(),
            node: 0,
        }
    }

    fn note(file: &str, line: Option<&str>) -> Notes {
        Notes(vec![Note {
            block: "mask_table".into(),
            file: file.into(),
            was: "beyond".into(),
            becomes: Some("1'b1".into()),
            line: line.map(String::from),
            reason: "because".into(),
            alike: Vec::new(),
        }])
    }

    /// XV-12: a note about a line is about no other line on which the same stands.
    #[test]
    fn xv_12_a_note_may_name_its_line() {
        let entry = entry("mask_table");
        let top = entry.module();
        let hierarchy = Hierarchy::of(&[(format!("{top}.v"), String::new())]);
        let reason =
            |part: &str, lines| note("", Some(part)).reason(&entry, &hierarchy, &mutant(&top), lines).is_some();
        assert!(reason("assign full", ["", "  assign full = beyond;"]));
        assert!(!reason("assign full", ["  assign full = beyond;", "  assign other = beyond;"]));
        assert!(reason("open; full <= beyond", ["    open;", "    full <= beyond;"]));
        assert!(!reason("open; full <= beyond", ["    shut;", "    full <= beyond;"]));
    }

    /// XV-12: a note about a block, or a part of it, holds where the block is a part itself, but not of a module that stands beside it as well.
    #[test]
    fn xv_12_a_note_holds_where_its_block_is_a_part() {
        let entry = entry("group_divergence_table");
        let top = entry.module();
        let table = format!("{top}_mask_table");
        let [own, shared] = ["own", "shared"].map(|part| format!("{top}_{part}"));
        let file = |name: &str, parts: &[&str]| {
            (format!("{name}.v"), parts.iter().map(|part| format!("  {part} x (\n")).collect::<String>())
        };
        let files =
            [file(&top, &[&table, &shared]), file(&table, &[&own, &shared]), file(&own, &[]), file(&shared, &[])];
        let hierarchy = Hierarchy::of(&files);
        let reason =
            |notes: &Notes, module: &str| notes.reason(&entry, &hierarchy, &mutant(module), ["", ""]).is_some();
        assert!(reason(&note("", None), &table) && !reason(&note("", None), &top));
        assert!(reason(&note("own", None), &own));
        assert!(!reason(&note("shared", None), &shared));
    }

    /// The names of the blocks, exported by themselves or not: a file is named after its block.
    fn blocks(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries
            .flat_map(|path| match path.is_dir() {
                true => blocks(&path),
                false => path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).into_iter().collect(),
            })
            .collect()
    }

    /// XV-12: the list is well-formed, every reason is one, and is about a block that there is.
    #[test]
    fn xv_12_every_note_is_about_a_block() {
        let blocks = blocks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/src"));
        for note in Notes::read().expect("a well-formed list").0 {
            assert!(blocks.contains(&note.block), "{note:?}");
            assert!(note.reason.len() > 20 && !note.was.is_empty(), "{note:?}");
        }
    }

    /// XV-12: what a note calls alike is said in the file of its subject.
    #[test]
    fn xv_12_what_is_alike_is_said() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation/alike");
        for Alike { subject, views } in Notes::read().expect("a well-formed list").0.iter().flat_map(|note| &note.alike)
        {
            let text = fs::read_to_string(folder.join(format!("{subject}.sv"))).expect(subject);
            // Where the mutant changes no state, an invariant is what is needed.
            assert!(!views.is_empty() || text.contains("heddle_invariant_"), "{subject}");
            for view in views {
                assert!(text.contains(&format!("heddle_alike_{view}")), "{view} of {subject}");
            }
        }
    }
}
