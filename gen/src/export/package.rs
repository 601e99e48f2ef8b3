//! One exported block at one point, in memory: its files and what the manifest says of it.

use super::cores;
use super::manifest::{FileRecord, PortRecord, Record};
use crate::known::known;
use crate::verilog::{translate, Known, TranslationError};
use heddle_hdl::points::Entry;

/// The files of an export, without their folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The folder and the top module: `<block>_<point>`.
    pub name: String,
    /// Names and contents of the files, the Verilog first and `manifest.json` last.
    pub files: Vec<(String, String)>,
    /// What the manifest says.
    pub record: Record,
}

impl Package {
    /// Translates an entry and writes its file list, core files and manifest, all in memory.
    pub fn build(entry: &Entry) -> Result<Self, TranslationError> {
        let name = entry.module();
        let modules = translate(&name, &*(entry.block_of)(), &header(entry), &known_with(entry))?;
        let verilog: Vec<String> = modules.iter().map(|module| format!("{}.v", module.name)).collect();
        let mut files: Vec<(String, String)> =
            verilog.iter().cloned().zip(modules.into_iter().map(|module| module.text)).collect();
        files.push((format!("{name}.f"), verilog.iter().map(|file| format!("{file}\n")).collect()));
        files.push((format!("{name}.core"), cores::fusesoc(entry, &verilog)));
        files.push(("Bender.yml".to_string(), cores::bender(entry, &verilog)));
        let record = Record {
            block: entry.block.to_string(),
            point: entry.point.to_string(),
            module: name.clone(),
            summary: entry.summary.to_string(),
            timing: entry.timing.to_string(),
            parameters: entry.parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
            ports: (entry.ports)().iter().map(PortRecord::from).collect(),
            file_list: format!("{name}.f"),
            files: files.iter().map(|(path, text)| FileRecord::of(path, text)).collect(),
        };
        files.push(("manifest.json".to_string(), super::Manifest::new(vec![record.clone()]).to_text()));
        Ok(Self { name, files, record })
    }
}

/// What opens the top file: purpose, parameters, timing.
fn header(entry: &Entry) -> String {
    let parameters: Vec<String> =
        entry.parameters.iter().map(|(name, value)| format!("{} {value}", name.replace('_', " "))).collect();
    format!(
        "{}: {}\n\nParameters: {}.\nTiming: {}\nOne clock, rising edge; reset is synchronous and active high. A payload is \
         stable while its valid is high and its ready low.\n\nWritten by heddle-export from the Rust sources in hdl/src; change \
         those, not this file.",
        entry.module(),
        entry.summary,
        parameters.join(", "),
        entry.timing
    )
}

/// The known blocks; the entry itself with the words of its list.
fn known_with(entry: &Entry) -> Vec<Known> {
    let mut known = known();
    let source = known.iter().find(|known| known.name == entry.block);
    let own = Known {
        name: entry.block.to_string(),
        purpose: entry.summary.to_string(),
        ports: (entry.ports)().iter().map(|port| (port.name.to_string(), port.meaning.to_string())).collect(),
        parts: None,
        remarks: source.map(|source| source.remarks.clone()).unwrap_or_default(),
        states: source.map(|source| source.states.clone()).unwrap_or_default(),
    };
    known.insert(0, own);
    known
}
