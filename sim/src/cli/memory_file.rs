//! Memory as a file: what `--dump` writes and `--mem` reads (docs/json.md).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::assembler::Launch;

use super::error::CliError;
use super::files::{parse_json, read_text, write_atomically};
use super::output::json_text;

/// Name of the schema.
pub const SCHEMA: &str = "heddle.memory";
/// Version of the schema.
pub const VERSION: u32 = 1;
const HINT: &str = "the format is described in docs/json.md; `cargo sim run KERNEL --dump FILE` writes an example";

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryFile {
    schema: String,
    version: u32,
    segments: Vec<Segment>,
}

/// Words that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Segment {
    /// Name of the kernel's section that they belong to; it gives the address if that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    /// Byte address of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<u32>,
    words: Vec<u32>,
}

/// Puts the words of a file into a launch's global memory.
pub fn load(path: &Path, launch: &mut Launch) -> Result<(), CliError> {
    let name = path.display().to_string();
    let file: MemoryFile = parse_json(&name, &read_text(path, "memory file")?, "memory file", HINT)?;
    if file.schema != SCHEMA || file.version != VERSION {
        return Err(CliError::input(
            format!("{name}: schema {} version {} is not {SCHEMA} version {VERSION}", file.schema, file.version),
            HINT,
        ));
    }
    for (number, segment) in file.segments.iter().enumerate() {
        let address = match (segment.address, &segment.section) {
            (Some(address), _) => address,
            (None, Some(section)) => launch.section(section).map(|section| section.address).ok_or_else(|| {
                let known: Vec<&str> = launch.sections.iter().map(|section| section.name.as_str()).collect();
                CliError::input(
                    format!("{name}: segment {number} is for section `{section}`, which the kernel does not have"),
                    format!("its sections are: {}", known.join(", ")),
                )
            })?,
            (None, None) => {
                return Err(CliError::input(format!("{name}: segment {number} has neither address nor section"), HINT))
            }
        };
        let (start, end) = (address as usize, address as usize + segment.words.len() * 4);
        if address % 4 != 0 || end > launch.global.len() {
            return Err(CliError::input(
                format!(
                    "{name}: segment {number}, bytes 0x{start:x} to 0x{end:x}, does not fit the kernel's global memory of {} bytes",
                    launch.global.len()
                ),
                "addresses are in bytes and multiples of 4; the kernel's file sizes its memory, perhaps by a --param",
            ));
        }
        for (bytes, word) in launch.global[start..end].chunks_exact_mut(4).zip(&segment.words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    Ok(())
}

/// Writes global memory, a segment for each section of the launch.
pub fn dump(path: &Path, launch: &Launch, global: &[u8]) -> Result<(), CliError> {
    let words = |start: usize, count: usize| -> Vec<u32> {
        let bytes = global.get(start..(start + count * 4).min(global.len())).unwrap_or_default();
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    let mut segments: Vec<Segment> = launch
        .sections
        .iter()
        .map(|section| Segment {
            section: Some(section.name.clone()),
            address: Some(section.address),
            words: words(section.address as usize, section.words as usize),
        })
        .collect();
    if segments.is_empty() {
        segments.push(Segment { section: None, address: Some(0), words: words(0, global.len() / 4) });
    }
    let file = MemoryFile { schema: SCHEMA.to_string(), version: VERSION, segments };
    write_atomically(path, json_text(&file)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembler::Placed;

    fn launch() -> Launch {
        let section = |name: &str, address, words| Placed { name: name.to_string(), address, words };
        Launch {
            parameters: Vec::new(),
            names: Default::default(),
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            local_bytes: 0,
            global: vec![0; 24],
            sections: vec![section("first", 0, 2), section("second", 8, 4)],
            predicate: None,
        }
    }

    /// UX-03: what `--dump` writes, `--mem` reads.
    #[test]
    fn dump_and_load_are_inverse() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("memory.json");
        let global: Vec<u8> = (0..24).collect();
        dump(&path, &launch(), &global).expect("dump");
        let mut other = launch();
        load(&path, &mut other).expect("load");
        assert_eq!(other.global, global);
    }

    /// UX-08: each mistake in a memory file is bad input that names the file and the segment.
    #[test]
    fn mistakes_are_bad_input() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("memory.json");
        let head = r#""schema": "heddle.memory", "version": 1, "segments": "#;
        for (text, what) in [
            ("{".to_string(), "memory.json:1"),
            ("{}".to_string(), "missing field"),
            (r#"{"schema": "other", "version": 1, "segments": []}"#.to_string(), "schema other"),
            (format!(r#"{{{head}[{{"words": []}}]}}"#), "neither address nor section"),
            (format!(r#"{{{head}[{{"section": "third", "words": []}}]}}"#), "`third`"),
            (format!(r#"{{{head}[{{"address": 24, "words": [1]}}]}}"#), "does not fit"),
            (format!(r#"{{{head}[{{"address": 4294967292, "words": [1, 2]}}]}}"#), "does not fit"),
            (format!(r#"{{{head}[{{"address": 2, "words": [1]}}]}}"#), "does not fit"),
            (format!(r#"{{{head}[{{"address": 0, "words": [-1]}}]}}"#), "invalid value"),
        ] {
            std::fs::write(&path, &text).expect("write");
            let Err(CliError::Input(report)) = load(&path, &mut launch()) else { panic!("{text} was taken") };
            assert!(report.to_string().contains(what), "{text}: {report}");
        }
    }
}
