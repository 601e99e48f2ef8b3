//! The Verilog that runs in the comparison: our export, the stock back end's text of the same kernels, and the hand-written block.

use crate::verilated::Source;
use heddle_hdl::points::Entry;
use rust_hdl::core::module_defines::ModuleDefines;
use std::collections::BTreeSet;

/// The deque written by hand, at 4x32x16.
const HANDWRITTEN: &str = include_str!("../../baseline/token_deque.v");

/// The hand-written block; `entry` gives the ports, which are the same.
pub fn handwritten(entry: &Entry) -> Source {
    Source {
        top: "token_deque".to_string(),
        files: vec![("token_deque.v".to_string(), HANDWRITTEN.to_string())],
        ports: (entry.ports)(),
    }
}

/// What rust-hdl's own back end makes of the block, with its resets wired.
pub fn stock(entry: &Entry) -> Source {
    let mut defines = ModuleDefines::default();
    (entry.block_of)().accept("top", &mut defines);
    Source {
        top: "top".to_string(),
        files: vec![("stock.v".to_string(), with_resets(&defines.defines()))],
        ports: (entry.ports)(),
    }
}

/// `text` with the reset of every register wired.
///
/// The stock back end knows `dff_setup!` by name and writes for it what its own registers need: clock and `d`. Our
/// registers have a reset too, which it leaves a variable that nobody assigns: `reg  state$reset;`. Where a module has
/// such a variable, it becomes the module's own reset: `wire  state$reset = reset;`.
fn with_resets(text: &str) -> String {
    let assigned: BTreeSet<(&str, &str)> = lines(text)
        .filter_map(|(module, line)| {
            let (target, _) = line.trim().trim_start_matches("always @(*) ").split_once(" = ")?;
            Some((module, target.trim()))
        })
        .collect();
    let mut wired = String::with_capacity(text.len() + 4096);
    for (module, line) in lines(text) {
        let signal = line.trim().strip_prefix("reg").and_then(|rest| rest.trim().strip_suffix(';'));
        match signal.filter(|name| name.ends_with("$reset") && !assigned.contains(&(module, *name))) {
            Some(name) => wired.push_str(&format!("    wire {name} = reset;")),
            None => wired.push_str(line),
        }
        wired.push('\n');
    }
    wired
}

/// The lines of `text`, each with the module it is in.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut module = "";
    text.lines().map(move |line| {
        if let Some(name) = line.trim().strip_prefix("module ").and_then(|rest| rest.split('(').next()) {
            module = name;
        }
        (module, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-06: a reset that nobody assigns is wired, one that the kernel assigns and all else stay as they are.
    #[test]
    fn ux_06_only_open_resets_are_wired() {
        let text = "module top(clock,reset);\n    reg  a$reset;\n    reg  b$reset;\n    reg [2:0] c;\n    \
                    b$reset = reset;\nendmodule // top\n";
        let wired = with_resets(text);
        assert!(wired.contains("wire a$reset = reset;"), "{wired}");
        assert!(wired.contains("reg  b$reset;") && wired.contains("reg [2:0] c;"), "{wired}");
    }
}
