//! Names: reserved words, unique names, and the paths in which a kernel's syntax tree spells its signals.

use std::collections::{BTreeMap, BTreeSet};

/// The reserved words of Verilog-2005, and those of SystemVerilog that tools reject in plain Verilog too.
const RESERVED: &[&str] = &[
    "always",
    "and",
    "assign",
    "automatic",
    "begin",
    "buf",
    "bufif0",
    "bufif1",
    "case",
    "casex",
    "casez",
    "cell",
    "cmos",
    "config",
    "deassign",
    "default",
    "defparam",
    "design",
    "disable",
    "edge",
    "else",
    "end",
    "endcase",
    "endconfig",
    "endfunction",
    "endgenerate",
    "endmodule",
    "endprimitive",
    "endspecify",
    "endtable",
    "endtask",
    "event",
    "for",
    "force",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "highz0",
    "highz1",
    "if",
    "ifnone",
    "incdir",
    "include",
    "initial",
    "inout",
    "input",
    "instance",
    "integer",
    "join",
    "large",
    "liblist",
    "library",
    "localparam",
    "macromodule",
    "medium",
    "module",
    "nand",
    "negedge",
    "nmos",
    "nor",
    "noshowcancelled",
    "not",
    "notif0",
    "notif1",
    "or",
    "output",
    "parameter",
    "pmos",
    "posedge",
    "primitive",
    "pull0",
    "pull1",
    "pulldown",
    "pullup",
    "pulsestyle_onevent",
    "pulsestyle_ondetect",
    "rcmos",
    "real",
    "realtime",
    "reg",
    "release",
    "repeat",
    "rnmos",
    "rpmos",
    "rtran",
    "rtranif0",
    "rtranif1",
    "scalared",
    "showcancelled",
    "signed",
    "small",
    "specify",
    "specparam",
    "strong0",
    "strong1",
    "supply0",
    "supply1",
    "table",
    "task",
    "time",
    "tran",
    "tranif0",
    "tranif1",
    "tri",
    "tri0",
    "tri1",
    "triand",
    "trior",
    "trireg",
    "unsigned",
    "use",
    "uwire",
    "vectored",
    "wait",
    "wand",
    "weak0",
    "weak1",
    "while",
    "wire",
    "wor",
    "xnor",
    "xor",
    // SystemVerilog: verible, slang and Verilator read `.v` files as such.
    "accept_on",
    "alias",
    "always_comb",
    "always_ff",
    "always_latch",
    "assert",
    "assume",
    "before",
    "bind",
    "bins",
    "binsof",
    "bit",
    "break",
    "byte",
    "chandle",
    "checker",
    "class",
    "clocking",
    "const",
    "constraint",
    "context",
    "continue",
    "cover",
    "covergroup",
    "coverpoint",
    "cross",
    "dist",
    "do",
    "endchecker",
    "endclass",
    "endclocking",
    "endgroup",
    "endinterface",
    "endpackage",
    "endprogram",
    "endproperty",
    "endsequence",
    "enum",
    "eventually",
    "expect",
    "export",
    "extends",
    "extern",
    "final",
    "first_match",
    "foreach",
    "forkjoin",
    "global",
    "iff",
    "ignore_bins",
    "illegal_bins",
    "implements",
    "implies",
    "import",
    "inside",
    "int",
    "interconnect",
    "interface",
    "intersect",
    "join_any",
    "join_none",
    "let",
    "local",
    "logic",
    "longint",
    "matches",
    "modport",
    "nettype",
    "new",
    "nexttime",
    "null",
    "package",
    "packed",
    "priority",
    "program",
    "property",
    "protected",
    "pure",
    "rand",
    "randc",
    "randcase",
    "randsequence",
    "ref",
    "reject_on",
    "restrict",
    "return",
    "s_always",
    "s_eventually",
    "s_nexttime",
    "s_until",
    "s_until_with",
    "sequence",
    "shortint",
    "shortreal",
    "soft",
    "solve",
    "static",
    "string",
    "strong",
    "struct",
    "super",
    "sync_accept_on",
    "sync_reject_on",
    "tagged",
    "this",
    "throughout",
    "timeprecision",
    "timeunit",
    "type",
    "typedef",
    "union",
    "unique",
    "unique0",
    "until",
    "until_with",
    "untyped",
    "var",
    "virtual",
    "void",
    "wait_order",
    "weak",
    "wildcard",
    "with",
    "within",
    // C++ and SystemC: Verilator names its variables like ours and warns of these.
    "NULL",
    "alignas",
    "alignof",
    "and_eq",
    "asm",
    "auto",
    "bit_vector",
    "bitand",
    "bitor",
    "bool",
    "catch",
    "cdecl",
    "char",
    "char16_t",
    "char32_t",
    "compl",
    "concept",
    "const_cast",
    "const_iterator",
    "const_reference",
    "constexpr",
    "decltype",
    "delete",
    "double",
    "dynamic_cast",
    "explicit",
    "false",
    "far",
    "float",
    "friend",
    "goto",
    "huge",
    "inline",
    "interrupt",
    "long",
    "mutable",
    "namespace",
    "near",
    "noexcept",
    "not_eq",
    "nullptr",
    "operator",
    "or_eq",
    "override",
    "pascal",
    "private",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "sc_clock",
    "sc_in",
    "sc_inout",
    "sc_out",
    "sc_signal",
    "sensitive",
    "sensitive_neg",
    "sensitive_pos",
    "short",
    "sizeof",
    "static_assert",
    "static_cast",
    "switch",
    "synchronized",
    "template",
    "thread_local",
    "throw",
    "true",
    "try",
    "type_info",
    "typeid",
    "typename",
    "using",
    "volatile",
    "wchar_t",
    "xor_eq",
];

/// `word` cannot be a name in Verilog.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// A field's path as a Verilog name.
pub fn plain(path: &str) -> String {
    path.replace("::", "_").replace(['$', '.'], "_")
}

/// `StateName` or `state_name` as `STATE_NAME`.
pub fn capitals(name: &str) -> String {
    let mut text = String::new();
    let mut previous_low = false;
    for letter in name.chars() {
        if letter.is_uppercase() && previous_low {
            text.push('_');
        }
        previous_low = letter.is_lowercase() || letter.is_ascii_digit();
        text.extend(letter.to_uppercase());
    }
    plain(&text)
}

/// The names of a module, each given once.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// `wish`, or `wish` with the first free number behind it.
    pub fn take(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut number = 1;
        while is_reserved(&name) || !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wish}_{number}");
        }
        name
    }
}

/// Resolves the spelling of a signal in the syntax tree, `slots[i + 1]$d$next`, to the path of its field: `slots$3$d`.
///
/// `None` if an index is not an integer expression of literals and loop variables.
pub fn resolve(spelling: &str, variables: &BTreeMap<String, u64>) -> Option<String> {
    let mut path = String::new();
    let mut rest = spelling;
    while let Some(open) = rest.find('[') {
        let close = open + matching(&rest[open..])?;
        path.push_str(&rest[..open]);
        let index = Index { text: rest[open + 1..close].as_bytes(), at: 0, variables }.whole()?;
        path.push('$');
        path.push_str(&index.to_string());
        rest = &rest[close + 1..];
    }
    path.push_str(rest);
    Some(path)
}

/// The position of the bracket that closes the first one.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A recursive-descent reader of index expressions: `+ - * / %`, parentheses, literals, variables.
struct Index<'a> {
    text: &'a [u8],
    at: usize,
    variables: &'a BTreeMap<String, u64>,
}

impl Index<'_> {
    fn whole(mut self) -> Option<u64> {
        let value = self.sum()?;
        (self.at == self.text.len()).then_some(value)
    }

    fn next(&mut self, among: &[u8]) -> Option<u8> {
        let letter = *self.text.get(self.at)?;
        among.contains(&letter).then(|| {
            self.at += 1;
            letter
        })
    }

    fn sum(&mut self) -> Option<u64> {
        let mut value = self.product()?;
        while let Some(operator) = self.next(b"+-") {
            let right = self.product()?;
            value = if operator == b'+' { value.checked_add(right)? } else { value.checked_sub(right)? };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<u64> {
        let mut value = self.term()?;
        while let Some(operator) = self.next(b"*/%") {
            let right = self.term()?;
            value = match operator {
                b'*' => value.checked_mul(right)?,
                b'/' => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn term(&mut self) -> Option<u64> {
        if self.next(b"(").is_some() {
            let value = self.sum()?;
            self.next(b")")?;
            return Some(value);
        }
        let start = self.at;
        while self.text.get(self.at).is_some_and(|letter| letter.is_ascii_alphanumeric() || *letter == b'_') {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        match self.variables.get(word) {
            Some(value) => Some(*value),
            None => word.trim_end_matches("usize").trim_end_matches('_').replace('_', "").parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-05: array elements are found by integer expressions of the loop variables.
    #[test]
    fn indices_resolve() {
        let variables = BTreeMap::from([("i".to_string(), 3), ("j".to_string(), 1)]);
        let resolved = |text| resolve(text, &variables);
        assert_eq!(resolved("slots[i+1]$d$next").as_deref(), Some("slots$4$d$next"));
        assert_eq!(resolved("slots[2*(i-j)+1_usize]").as_deref(), Some("slots$5"));
        assert_eq!(resolved("grid[i][j]$x").as_deref(), Some("grid$3$1$x"));
        assert_eq!(resolved("slots[k]"), None);
        assert_eq!(resolved("slots[j-i]"), None);
        assert_eq!(resolved("slots[i/0]"), None);
    }

    /// XV-05: names stay the field's, constants become capitals, clashes get a number.
    #[test]
    fn names_are_plain_and_unique() {
        let mut names = Names::default();
        assert_eq!((names.take("head").as_str(), names.take("head").as_str()), ("head", "head_2"));
        assert_eq!(names.take("join"), "join_2");
        assert_eq!((capitals("SpillWait").as_str(), capitals("reset_value").as_str()), ("SPILL_WAIT", "RESET_VALUE"));
    }
}
