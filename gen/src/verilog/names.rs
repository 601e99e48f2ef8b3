//! Names: reserved words, unique names, and the paths in which a kernel's syntax tree spells its signals.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// Words that are no names: those of Verilog-2005; those of SystemVerilog, since verible and others read `.v` files as such; those
/// of C++ and SystemC, since Verilator calls its variables like ours and warns of these.
static RESERVED: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("reserved.txt").lines().collect());

/// `word` cannot be a name in Verilog.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(word)
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
        let index = Index { text: &rest.as_bytes()[open + 1..close], at: 0, variables }.whole()?;
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
