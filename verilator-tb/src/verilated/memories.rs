//! What the memories of an export hold before they are written. The Verilog leaves that open, as memories on a chip do; for a
//! comparison of every port in every cycle they start from the pattern of the Rust simulation, otherwise from random words. Verilator by itself
//! would give all words of a memory one random value, and a read of the wrong one of two would go unnoticed.

use std::fmt::Write;

/// What the Rust simulation starts from: entry `e` holds this, rotated left by `e`.
const PATTERN: &str = "5a5aa5a5c33c3cc35a5aa5a5c33c3cc3";

/// What the `initial` processes and their variables are called; nothing of the export has such a name.
pub const START: &str = "heddle_start_of_";

/// Knuth's linear congruential generator for MMIX, of which the upper half of the state is used.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

/// `text` with an `initial` process behind each memory, on its line, so that all lines keep their numbers. With `+random_start=SEED` the words are
/// random, and what Verilator drew for the first one tells apart the instances of a module.
pub fn started(text: &str) -> String {
    let mut started = String::with_capacity(text.len() + 512);
    for line in text.lines() {
        let Some((name, width, entries)) = memory(line) else {
            started.push_str(line);
            started.push('\n');
            continue;
        };
        let label: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
        let (declaration, remark) = line.split_once(';').unwrap_or((line, ""));
        // The bits of the doubled pattern from 128 - e up are the pattern rotated left by e.
        let _ = writeln!(
            started,
            "{declaration}; initial begin : {START}{label} \
             integer entry; reg [255:0] pattern; reg [63:0] state; pattern = 256'h{PATTERN}{PATTERN}; \
             if (!$value$plusargs(\"random_start=%d\", state)) \
             for (entry = 0; entry < {entries}; entry = entry + 1) {name} [entry] = pattern[128 - (entry % 128) +: {width}]; \
             else begin state = state ^ 64'd{key} ^ {name} [0]; \
             for (entry = 0; entry < {entries}; entry = entry + 1) begin \
             state = state * 64'd{MULTIPLIER} + 64'd{INCREMENT}; {name} [entry] = {word}; end end end{remark}",
            key = key(&label),
            word = random_word(width),
        );
    }
    started
}

/// So many bits of the generator: the upper ones first, which are the better ones.
fn random_word(width: usize) -> String {
    match width {
        ..=64 => format!("state[63:{}]", 64 - width),
        _ => format!("{{{}{{state[31:0], state[63:32]}}}}", width.div_ceil(64)),
    }
}

/// A number for a name, so that memories differ.
fn key(name: &str) -> u32 {
    let hash = blake3::hash(name.as_bytes());
    u32::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[byte]))
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

    /// XV-08: lines keep their numbers, remarks their places.
    #[test]
    fn xv_08_lines_keep_their_numbers() {
        let text = "module m;\n  reg [4:0] heads [0:3];  // of warps\n  wire x;\n";
        let started = started(text);
        assert_eq!(started.lines().count(), text.lines().count());
        let second = started.lines().nth(1).unwrap_or("");
        assert!(second.contains("begin : heddle_start_of_heads") && second.ends_with("// of warps"), "{second}");
    }

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
