//! The manifest: what was exported, in JSON (schema `heddle-manifest/1`).
//!
//! ```json
//! {
//!   "schema": "heddle-manifest/1",
//!   "tools": { "heddle-export": "0.1.0", "rust-hdl": "0.46.0" },
//!   "exports": [{
//!     "block": "token_deque", "point": "4x32x16", "module": "token_deque_4x32x16",
//!     "summary": "what the block is", "timing": "its latency at the ports",
//!     "parameters": { "warps": 4 },
//!     "ports": [{ "name": "clock", "direction": "in", "width": 1, "meaning": "rising edge" }],
//!     "file_list": "token_deque_4x32x16.f",
//!     "files": [{ "path": "token_deque_4x32x16.v", "bytes": 1234, "blake3": "64 hexadecimal digits" }]
//!   }]
//! }
//! ```
//!
//! Paths are relative to the export's own folder, which is called like its module. The file in that folder lists the one export; the
//! file above lists every export beside it. A later schema keeps these fields or has another number.

use heddle_hdl::ports::{Direction, Port};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the schema.
pub const SCHEMA: &str = "heddle-manifest/1";

/// The version of `rust-hdl` that reads the kernels, pinned in the workspace.
pub const RUST_HDL: &str = "0.46.0";

/// The manifest of a folder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// The versions of the tools that wrote it.
    pub tools: BTreeMap<String, String>,
    /// What is there.
    pub exports: Vec<Record>,
}

/// One block at one point.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The block.
    pub block: String,
    /// The parameter point.
    pub point: String,
    /// The top module, and the folder.
    pub module: String,
    /// What the block is for.
    pub summary: String,
    /// Its latency at the ports.
    pub timing: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, u64>,
    /// Its ports, in order.
    pub ports: Vec<PortRecord>,
    /// The file list.
    pub file_list: String,
    /// Every file but the manifest.
    pub files: Vec<FileRecord>,
}

/// A port.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct PortRecord {
    /// Its name.
    pub name: String,
    /// `in` or `out`.
    pub direction: String,
    /// Its width in bits.
    pub width: usize,
    /// What it means.
    pub meaning: String,
}

impl From<&Port> for PortRecord {
    fn from(port: &Port) -> Self {
        let direction = match port.direction {
            Direction::In => "in",
            Direction::Out => "out",
        };
        Self {
            name: port.name.to_string(),
            direction: direction.to_string(),
            width: port.width,
            meaning: port.meaning.to_string(),
        }
    }
}

/// A file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct FileRecord {
    /// Its path in the export's folder.
    pub path: String,
    /// Its size.
    pub bytes: usize,
    /// Its BLAKE3 hash, in hexadecimal.
    pub blake3: String,
}

impl FileRecord {
    /// The record of a file with this content.
    pub fn of(path: &str, text: &str) -> Self {
        let blake3 = blake3::hash(text.as_bytes()).to_hex().to_string();
        Self { path: path.to_string(), bytes: text.len(), blake3 }
    }
}

impl Manifest {
    /// The manifest of these exports.
    pub fn new(exports: Vec<Record>) -> Self {
        let tools = [("heddle-export", env!("CARGO_PKG_VERSION")), ("rust-hdl", RUST_HDL)];
        let tools = tools.map(|(tool, version)| (tool.to_string(), version.to_string()));
        Self { schema: SCHEMA.to_string(), tools: BTreeMap::from(tools), exports }
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        // A struct of strings and numbers cannot fail to serialize.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-06: the version in the manifest is the one that the build uses.
    #[test]
    fn rust_hdl_is_the_locked_one() {
        let lock = include_str!("../../../Cargo.lock");
        let locked = lock.split("[[package]]").find(|package| package.contains("name = \"rust-hdl-core\"\n"));
        assert!(locked.is_some_and(|package| package.contains(&format!("version = \"{RUST_HDL}\""))));
    }
}
