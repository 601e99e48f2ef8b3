//! The ways to break a piece of Verilog. None of them makes a net depend on what it did not depend on, unless that is a register or the
//! effect waits for the edge, so that no mutant closes a combinational loop.

use super::tree::{Kind, Node, Tree};

/// What stands in a node's place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Another expression.
    Value(String),
    /// Nothing: the assignment is left out.
    Nothing,
}

/// What can be put in the place of `node`; `number` is its place among the nodes, which varies the bits that are chosen.
pub fn changes(tree: &Tree, text: &str, node: &Node, number: usize) -> Vec<Change> {
    let mut values = Vec::new();
    let source = |node: &Node| text[node.span.clone()].to_string();
    match &node.kind {
        Kind::Group | Kind::Addition => {}
        Kind::Assignment => return vec![Change::Nothing],
        Kind::Condition => {
            values.extend(["1'b1".to_string(), "1'b0".to_string(), format!("!({})", source(node))]);
        }
        Kind::Name => {
            if let Some(width) = node.width {
                values.extend(stuck(width));
                values.push(inverted(&source(node), width, number));
                values.extend(neighbour(tree, &source(node), width));
            }
        }
        Kind::Constant => values.extend(other_constant(tree, &source(node))),
        Kind::Number => values.extend(other_numbers(&source(node), number)),
        Kind::Slice(net, high, low) => {
            let width = high - low + 1;
            values.extend(stuck(width));
            values.push(inverted(&source(node), width, number));
            if node.clocked || tree.registers.contains(net) {
                let widest = tree.nets.get(net).copied().unwrap_or(0);
                let moved = |low: usize| match width {
                    1 => format!("{net}[{low}]"),
                    _ => format!("{net}[{}:{low}]", low + width - 1),
                };
                values.extend((high + 1 < widest).then(|| moved(low + 1)));
                values.extend(low.checked_sub(1).map(moved));
            }
        }
        Kind::Select | Kind::Concatenation | Kind::Parentheses => {
            if let Some(width) = node.width {
                values.push(inverted(&source(node), width, number));
            }
        }
        Kind::Unary(operator) => {
            let operand = source(&node.children[0]);
            let others: &[&str] = match operator.as_str() {
                "!" | "~" => &[""],
                "|" => &["&", "!|"],
                "&" => &["|", "!&"],
                _ => &["|"],
            };
            values.extend(others.iter().map(|other| format!("{other}{operand}")));
            if !matches!(operator.as_str(), "!" | "~") {
                values.extend(stuck(1));
            }
        }
        Kind::Binary(operator) => {
            let (left, right) = (source(&node.children[0]), source(&node.children[1]));
            values.extend(others(operator).iter().map(|other| format!("({left}) {other} ({right})")));
            if matches!(operator.as_str(), "&" | "|" | "^" | "&&" | "||" | "+" | "-" | "<<" | ">>") {
                values.push(left);
            }
            if matches!(operator.as_str(), "&" | "|" | "^" | "&&" | "||" | "+") {
                values.push(right);
            }
            if let Some(width) = node.width {
                values.push(inverted(&source(node), width, number));
            }
        }
    }
    values.into_iter().map(Change::Value).collect()
}

/// The operators that one is taken for.
fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["|", "&"],
        "&&" => &["||"],
        "||" => &["&&"],
        "+" => &["-"],
        "-" => &["+"],
        "==" => &["!=", ">=", "<="],
        "!=" => &["==", ">", "<"],
        "<" => &["<=", ">=", "!="],
        "<=" => &["<", ">", "=="],
        ">" => &[">=", "<=", "!="],
        ">=" => &[">", "<", "=="],
        "<<" => &[">>"],
        ">>" => &["<<"],
        _ => &[],
    }
}

/// All bits low; all bits high.
fn stuck(width: usize) -> [String; 2] {
    match width {
        1 => ["1'b0".to_string(), "1'b1".to_string()],
        _ => [format!("{{{width}{{1'b0}}}}"), format!("{{{width}{{1'b1}}}}")],
    }
}

/// One bit inverted.
fn inverted(source: &str, width: usize, number: usize) -> String {
    if width == 1 {
        return format!("!({source})");
    }
    let bit = number % width;
    let digits: String = (0..width).rev().map(|place| if place == bit { '1' } else { '0' }).collect();
    format!("({source}) ^ {width}'b{digits}")
}

/// The register of this width behind `name`, in the order of names.
fn neighbour(tree: &Tree, name: &str, width: usize) -> Option<String> {
    let of_width = |register: &&String| tree.nets.get(*register) == Some(&width) && *register != name;
    let registers: Vec<&String> = tree.registers.iter().filter(of_width).collect();
    let behind = registers.iter().find(|register| register.as_str() > name);
    behind.or(registers.first()).map(ToString::to_string)
}

/// The named constant of the same width behind `name`.
fn other_constant(tree: &Tree, name: &str) -> Option<String> {
    let width = tree.constants.get(name)?;
    let constants: Vec<&String> =
        tree.constants.iter().filter(|(other, of)| *of == width && *other != name).map(|(other, _)| other).collect();
    let behind = constants.iter().find(|constant| constant.as_str() > name);
    behind.or(constants.first()).map(ToString::to_string)
}

/// One more, one less, one bit inverted.
fn other_numbers(source: &str, number: usize) -> Vec<String> {
    let Some((width, digits)) = source.split_once('\'') else {
        // A distance of a shift.
        return source.parse::<u128>().map_or(Vec::new(), |value| vec![(value + 1).to_string()]);
    };
    let (Ok(width), Some(radix)) = (width.parse::<usize>(), digits.chars().next()) else { return Vec::new() };
    let radix = match radix {
        'b' => 2,
        'h' => 16,
        _ => 10,
    };
    let Ok(value) = u128::from_str_radix(&digits[1..], radix) else { return Vec::new() };
    let mask = u128::MAX >> (128 - width.clamp(1, 128));
    let mut values = vec![value.wrapping_add(1) & mask, value.wrapping_sub(1) & mask, value ^ (1 << (number % width))];
    values.sort_unstable();
    values.dedup();
    values.into_iter().map(|value| format!("{width}'h{value:x}")).collect()
}
