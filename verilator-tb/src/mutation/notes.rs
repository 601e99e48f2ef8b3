//! Why a mutant that is not proven equivalent cannot be noticed from the block's ports under what they allow: `verilator-tb/mutation/notes.json`, read by people.

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
    /// A part of the line it stands in; without it, whichever.
    #[serde(default)]
    line: Option<String>,
    /// Why nobody notices.
    reason: String,
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

    /// Why `mutant` of `entry`, which stands in `line`, cannot be noticed.
    pub fn reason(&self, entry: &Entry, mutant: &Mutant, line: &str) -> Option<&str> {
        let fits = |note: &&Note| {
            let part = if note.file.is_empty() { String::new() } else { format!("_{}", note.file) };
            note.block == entry.block
                && mutant.file == format!("{}{part}.v", entry.module())
                && mutant.was.contains(&note.was)
                && note.line.as_ref().is_none_or(|part| line.contains(part))
                && note.becomes.as_ref().is_none_or(|becomes| *becomes == mutant.becomes)
        };
        self.0.iter().find(fits).map(|note| note.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_hdl::points;

    /// XV-12: a note about a line is about no other line on which the same stands.
    #[test]
    fn xv_12_a_note_may_name_its_line() {
        let entry = points::entries().into_iter().find(|entry| entry.block == "mask_table").expect("there is one");
        let mutant = Mutant {
            number: 1,
            file: format!("{}.v", entry.module()),
            line: 1,
            was: "beyond".into(),
            becomes: "1'b1".into(),
        };
        let notes = Notes(vec![Note {
            block: "mask_table".into(),
            file: String::new(),
            was: "beyond".into(),
            becomes: Some("1'b1".into()),
            line: Some("assign full".into()),
            reason: "because".into(),
        }]);
        assert_eq!(notes.reason(&entry, &mutant, "  assign full = beyond;"), Some("because"));
        assert_eq!(notes.reason(&entry, &mutant, "  assign other = beyond;"), None);
    }

    /// XV-12: the list is well-formed, every reason is one, and is about a block that there is.
    #[test]
    fn xv_12_every_note_is_about_a_block() {
        for note in Notes::read().expect("a well-formed list").0 {
            assert!(points::entries().iter().any(|entry| entry.block == note.block), "{note:?}");
            assert!(note.reason.len() > 20 && !note.was.is_empty(), "{note:?}");
        }
    }
}
