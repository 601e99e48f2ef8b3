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
        if let Some((width, entries)) = memory(line) {
            // The bits of the doubled pattern from 128 - e up are the pattern rotated left by e.
            let _ = writeln!(
                started,
                "  integer heddle_entry;\n  reg [255:0] heddle_pattern;\n  initial if (!$test$plusargs(\"random_start\")) begin\n    \
                 heddle_pattern = 256'h{PATTERN}{PATTERN};\n    \
                 for (heddle_entry = 0; heddle_entry < {entries}; heddle_entry = heddle_entry + 1)\n      \
                 memory[heddle_entry] = heddle_pattern[128 - (heddle_entry % 128) +: {width}];\n  end"
            );
        }
    }
    started
}

/// Width and entries of the memory that a line declares.
fn memory(line: &str) -> Option<(usize, usize)> {
    let rest = line.trim().strip_prefix("reg [")?;
    let (width, rest) = rest.split_once(":0] memory [0:")?;
    let (last, _) = rest.split_once(']')?;
    Some((width.parse::<usize>().ok()? + 1, last.parse::<usize>().ok()? + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-02: a memory is recognised by its declaration, nothing else is.
    #[test]
    fn xv_02_memories_are_found() {
        assert_eq!(memory("  reg [63:0] memory [0:511];"), Some((64, 512)));
        assert_eq!(memory("  reg [63:0] memory_read;"), None);
        assert_eq!(memory("  wire [7:0] memory;"), None);
    }
}
