//! The same file list in the words of two package managers for hardware: FuseSoC and Bender.

use heddle_hdl::points::Entry;
use std::fmt::Write as _;

/// The FuseSoC core file (CAPI2).
pub fn fusesoc(entry: &Entry, verilog: &[String]) -> String {
    let name = entry.module();
    let mut text = format!(
        "CAPI=2:\nname: heddle:{}:{name}:{}\ndescription: {}\n\nfilesets:\n  rtl:\n    files:\n",
        entry.block,
        env!("CARGO_PKG_VERSION"),
        quoted(entry.summary)
    );
    list(verilog, "      ", &mut text);
    let _ = write!(
        text,
        "    file_type: verilogSource-2005\n\ntargets:\n  default: &default\n    filesets: [rtl]\n    toplevel: {name}\n  \
         lint:\n    <<: *default\n    default_tool: verilator\n    tools:\n      verilator:\n        mode: lint-only\n        \
         verilator_options: [-Wall]\n"
    );
    text
}

/// The Bender manifest.
pub fn bender(entry: &Entry, verilog: &[String]) -> String {
    let mut text =
        format!("package:\n  name: {}\n  description: {}\n\nsources:\n", entry.module(), quoted(entry.summary));
    list(verilog, "  ", &mut text);
    text
}

fn list(verilog: &[String], indent: &str, text: &mut String) {
    for file in verilog {
        let _ = writeln!(text, "{indent}- {file}");
    }
}

/// A YAML string in double quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
