//! What the memories of an export hold before they are written. The Verilog leaves that open, as memories on a chip do; for a
//! comparison of every port in every cycle they start from the pattern of the Rust simulation.

use std::fmt::Write;

/// What the Rust simulation starts from: entry `e` holds this, rotated left by `e`.
const PATTERN: &str = "5a5aa5a5c33c3cc35a5aa5a5c33c3cc3";

/// `text` with an `initial` process behind each memory. `+random_start` turns it off.
pub fn started(text: &str) -> String {
    let mut started = String::with_capacity(text.len() + 512);
    for line in text.lines() {
        started.push_str(line);
        started.push('\n');
        if let Some((name, width, entries)) = memory(line) {
            let label: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
            // The bits of the doubled pattern from 128 - e up are the pattern rotated left by e.
            let _ = writeln!(
                started,
                "  initial if (!$test$plusargs(\"random_start\")) begin : heddle_start_of_{label}\n    \
                 integer entry;\n    reg [255:0] pattern;\n    pattern = 256'h{PATTERN}{PATTERN};\n    \
                 for (entry = 0; entry < {entries}; entry = entry + 1)\n      \
                 {name} [entry] = pattern[128 - (entry % 128) +: {width}];\n  end"
            );
        }
    }
    started
}

/// Name, width and entries of the memory that a line declares, in the export or in a netlist of it, where names have a `\\` in front and dots.
fn memory(line: &str) -> Option<(&str, usize, usize)> {
    let rest = line.trim().strip_prefix("reg [")?;
    let (width, rest) = rest.split_once(":0]")?;
    let (name, rest) = rest.split_once(" [")?;
    let name = name.trim();
    let (bounds, _) = rest.split_once("];")?;
    let (first, second) = bounds.split_once(':')?;
    let letters = name.strip_prefix('\\').map_or(name.to_string(), |name| name.replace(['.', '[', ']'], ""));
    let plain = !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    plain.then_some(())?;
    let last = first.parse::<usize>().ok()?.max(second.parse().ok()?);
    Some((name, width.parse::<usize>().ok()? + 1, last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-02: a memory is recognised by its declaration, nothing else is.
    #[test]
    fn xv_02_memories_are_found() {
        assert_eq!(memory("  reg [63:0] memory [0:511];"), Some(("memory", 64, 512)));
        assert_eq!(memory("  reg [4:0]  heads [0:3];  // of warps"), Some(("heads", 5, 4)));
        assert_eq!(memory("  reg [63:0] \\window.memory  [7:0];"), Some(("\\window.memory", 64, 8)));
        assert_eq!(memory("  reg [63:0] memory_read;"), None);
        assert_eq!(memory("  reg [4:0] head, tail; // [0:3];"), None);
        assert_eq!(memory("  wire [7:0] memory;"), None);
    }
}
