//! A module of the export as a tree over its text: every node knows its place, so that one can be replaced and the rest stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that holds others: the module, a block, a branch.
    Group,
    /// An assignment that may be left out: clocked, or a second one to a target that has a value already.
    Assignment,
    /// The condition of an `if`.
    Condition,
    /// A net.
    Name,
    /// A named constant.
    Constant,
    /// A number.
    Number,
    /// Bits of a net at a fixed place: the net, the highest and the lowest bit.
    Slice(String, usize, usize),
    /// Bits of a net at a computed place, the place below.
    Select,
    /// Several expressions side by side.
    Concatenation,
    /// An operator with one operand.
    Unary(String),
    /// An operator with two operands.
    Binary(String),
    /// Parentheses.
    Parentheses,
    /// A place where a port or a connection is added.
    Addition,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Range<usize>,
    /// Width of an expression in bits, where it has one.
    pub width: Option<usize>,
    /// Its value takes effect at the edge only: what it reads can close no loop.
    pub clocked: bool,
    /// Its parts, in the order of the text.
    pub children: Vec<Node>,
}

impl Node {
    /// Calls `visit` with this node and all below it, parents first.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        self.children.iter().for_each(|child| child.for_each(visit));
    }
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The whole text.
    pub root: Node,
    /// The nets by name, with their widths; no memories.
    pub nets: BTreeMap<String, usize>,
    /// The named constants, with their widths.
    pub constants: BTreeMap<String, usize>,
    /// Nets that clocked processes drive.
    pub registers: BTreeSet<String>,
    /// Ports that are driven from outside.
    pub inputs: BTreeSet<String>,
}
