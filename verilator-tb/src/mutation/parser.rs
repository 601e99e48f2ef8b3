//! Reads the Verilog of an export, which is a small and regular part of the language.

use super::lexer::{words, Token, Word};
use super::tree::{Kind, Node, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Text that is not of the kind that the export writes: the line, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Line of the text, from 1.
    pub line: usize,
    /// What was expected.
    pub expected: &'static str,
}

type Result<T> = std::result::Result<T, Unreadable>;

/// Operators with two operands, those that bind least first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*"],
];

/// Operators whose result is one bit.
const ONE_BIT: [&str; 8] = ["||", "&&", "==", "!=", "<", "<=", ">", ">="];

/// Reads a file of one module.
///
/// # Errors
/// Text that the export does not write.
pub fn parse(text: &str) -> Result<Tree> {
    let mut parser = Parser { text, tokens: words(text), at: 0, tree: Facts::default(), clocked: false };
    let children = parser.module()?;
    let Facts { nets, constants, registers, inputs, .. } = parser.tree;
    let root = Node { kind: Kind::Group, span: 0..text.len(), width: None, clocked: false, children };
    Ok(Tree { root, nets, constants, registers, inputs })
}

#[derive(Default)]
struct Facts {
    nets: BTreeMap<String, usize>,
    memories: BTreeMap<String, usize>,
    constants: BTreeMap<String, usize>,
    registers: BTreeSet<String>,
    inputs: BTreeSet<String>,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    tree: Facts,
    clocked: bool,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| &self.text[token.span.clone()])
    }

    fn start(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |token| token.span.start)
    }

    /// Where the last word ended.
    fn end(&self) -> usize {
        self.tokens[self.at - 1].span.end
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T> {
        Err(Unreadable { line: self.text[..self.start()].lines().count().max(1), expected })
    }

    fn next(&mut self) -> &'a str {
        let word = self.peek();
        self.at += 1;
        word
    }

    fn take(&mut self, word: &str) -> bool {
        let taken = self.peek() == word;
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, word: &'static str) -> Result<()> {
        if self.take(word) {
            Ok(())
        } else {
            self.fail(word)
        }
    }

    fn name(&mut self) -> Result<&'a str> {
        match self.tokens.get(self.at).map(|token| token.word) {
            Some(Word::Name) => Ok(self.next()),
            _ => self.fail("a name"),
        }
    }

    fn node(&self, kind: Kind, from: usize, width: Option<usize>, children: Vec<Node>) -> Node {
        Node { kind, span: from..self.end(), width, clocked: self.clocked, children }
    }

    /// `[7:0]`, or nothing: a width.
    fn range(&mut self) -> Result<usize> {
        if !self.take("[") {
            return Ok(1);
        }
        let high = self.integer()?;
        self.expect(":")?;
        let low = self.integer()?;
        self.expect("]")?;
        Ok(high.abs_diff(low) + 1)
    }

    fn integer(&mut self) -> Result<usize> {
        match self.next().parse() {
            Ok(value) => Ok(value),
            Err(_) => self.fail("a number without a width"),
        }
    }

    fn module(&mut self) -> Result<Vec<Node>> {
        self.expect("module")?;
        self.name()?;
        self.expect("(")?;
        let mut children = Vec::new();
        loop {
            let input = match self.next() {
                "input" => true,
                "output" => false,
                _ => return self.fail("a port"),
            };
            if !self.take("wire") {
                self.expect("reg")?;
            }
            let width = self.range()?;
            let name = self.name()?.to_string();
            self.tree.nets.insert(name.clone(), width);
            if input {
                self.tree.inputs.insert(name);
            }
            if !self.take(",") {
                break;
            }
        }
        children.push(self.addition());
        self.expect(")")?;
        self.expect(";")?;
        while self.peek() != "endmodule" {
            self.item(&mut children)?;
        }
        Ok(children)
    }

    fn addition(&self) -> Node {
        Node { kind: Kind::Addition, span: self.end()..self.end(), width: None, clocked: false, children: Vec::new() }
    }

    fn item(&mut self, children: &mut Vec<Node>) -> Result<()> {
        match self.peek() {
            "localparam" => self.constant(),
            "reg" | "wire" => self.declaration(),
            "integer" => {
                self.next();
                self.name()?;
                self.expect(";")
            }
            "assign" => {
                self.next();
                let mut node = self.assignment("=", &mut BTreeSet::new())?;
                node.kind = Kind::Group;
                children.push(node);
                Ok(())
            }
            "always" => {
                children.push(self.process()?);
                Ok(())
            }
            _ => {
                self.name()?;
                self.name()?;
                self.instance(children)
            }
        }
    }

    fn constant(&mut self) -> Result<()> {
        self.next();
        let width = self.range()?;
        let name = self.name()?.to_string();
        self.expect("=")?;
        self.next();
        self.tree.constants.insert(name, width);
        self.expect(";")
    }

    /// A net or memory; a net with a value is the one that gathers what nothing reads.
    fn declaration(&mut self) -> Result<()> {
        self.next();
        let width = self.range()?;
        let name = self.name()?.to_string();
        if self.peek() == "[" {
            self.range()?;
            self.tree.memories.insert(name, width);
        } else if self.take("=") {
            while self.peek() != ";" {
                self.next();
            }
        } else {
            self.tree.nets.insert(name, width);
        }
        self.expect(";")
    }

    /// The connections of a part.
    fn instance(&mut self, children: &mut Vec<Node>) -> Result<()> {
        self.expect("(")?;
        loop {
            self.expect(".")?;
            let port = self.name()?;
            self.expect("(")?;
            if self.peek() != ")" {
                let connection = self.expression()?;
                // An output is connected to a net, which is no value to change, and neither is a clock.
                if port != "clock" && connection.kind != Kind::Name {
                    children.push(connection);
                }
            }
            self.expect(")")?;
            if !self.take(",") {
                break;
            }
        }
        children.push(self.addition());
        self.expect(")")?;
        self.expect(";")
    }

    fn process(&mut self) -> Result<Node> {
        let from = self.start();
        self.next();
        self.expect("@")?;
        self.expect("(")?;
        self.clocked = !self.take("*");
        while !self.take(")") {
            self.next();
        }
        let body = self.statement(&mut BTreeSet::new())?;
        let node = self.node(Kind::Group, from, None, vec![body]);
        self.clocked = false;
        Ok(node)
    }

    /// A statement; `assigned` are the nets that have a value before it, and then those that have one behind it, whatever happened.
    fn statement(&mut self, assigned: &mut BTreeSet<String>) -> Result<Node> {
        let from = self.start();
        let mut children = Vec::new();
        match self.peek() {
            ";" => {
                self.next();
            }
            "begin" => {
                self.next();
                while !self.take("end") {
                    children.push(self.statement(assigned)?);
                }
            }
            "if" => {
                self.next();
                self.expect("(")?;
                let test = self.expression()?;
                self.expect(")")?;
                let span = test.span.clone();
                let (clocked, width) = (self.clocked, test.width);
                children.push(Node { kind: Kind::Condition, span, width, clocked, children: vec![test] });
                let (mut then, mut otherwise) = (assigned.clone(), assigned.clone());
                children.push(self.statement(&mut then)?);
                if self.take("else") {
                    children.push(self.statement(&mut otherwise)?);
                }
                *assigned = &then & &otherwise;
            }
            "case" => {
                self.next();
                self.expect("(")?;
                children.push(self.expression()?);
                self.expect(")")?;
                // The export closes every choice with a `default`, so one of the arms is always taken.
                let (before, mut after) = (assigned.clone(), None);
                while !self.take("endcase") {
                    while !self.take(":") {
                        self.next();
                    }
                    let mut arm = before.clone();
                    children.push(self.statement(&mut arm)?);
                    after = Some(after.map_or(arm.clone(), |after: BTreeSet<String>| &after & &arm));
                }
                *assigned = after.unwrap_or(before);
            }
            "for" => {
                while !self.take(")") {
                    self.next();
                }
                children.push(self.statement(assigned)?);
            }
            _ => return self.assignment(if self.clocked { "<=" } else { "=" }, assigned),
        }
        Ok(self.node(Kind::Group, from, None, children))
    }

    fn assignment(&mut self, operator: &'static str, assigned: &mut BTreeSet<String>) -> Result<Node> {
        let from = self.start();
        let target = self.name()?.to_string();
        let mut children = Vec::new();
        let mut whole = true;
        if self.take("[") {
            let place = self.expression()?;
            whole = false;
            if self.take(":") {
                self.expression()?;
            } else if place.kind != Kind::Number {
                children.push(place);
            }
            self.expect("]")?;
        }
        self.expect(operator)?;
        children.push(self.expression()?);
        self.expect(";")?;
        let again = assigned.contains(&target);
        if whole {
            assigned.insert(target.clone());
        }
        if self.clocked {
            self.tree.registers.insert(target);
        }
        let kind = if self.clocked || again { Kind::Assignment } else { Kind::Group };
        Ok(self.node(kind, from, None, children))
    }

    fn expression(&mut self) -> Result<Node> {
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> Result<Node> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let from = self.start();
        let mut left = self.binary(level + 1)?;
        while operators.contains(&self.peek()) {
            let operator = self.next();
            let right = self.binary(level + 1)?;
            let width = if ONE_BIT.contains(&operator) { Some(1) } else { left.width };
            left = self.node(Kind::Binary(operator.to_string()), from, width, vec![left, right]);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node> {
        let from = self.start();
        match self.peek() {
            "!" | "~" | "&" | "|" | "^" => {
                let operator = self.next();
                let operand = self.unary()?;
                let width = if operator == "~" { operand.width } else { Some(1) };
                Ok(self.node(Kind::Unary(operator.to_string()), from, width, vec![operand]))
            }
            "(" => {
                self.next();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(self.node(Kind::Parentheses, from, inner.width, vec![inner]))
            }
            "{" => self.braces(from),
            _ => self.primary(from),
        }
    }

    /// A concatenation, or a repetition.
    fn braces(&mut self, from: usize) -> Result<Node> {
        self.expect("{")?;
        if self.peek_at(1) == "{" {
            let count = self.integer()?;
            // What is repeated keeps its own braces, which the language wants there: only what stands in them is an expression.
            let inner = self.braces(self.start())?;
            self.expect("}")?;
            let width = inner.width.map(|width| width * count);
            return Ok(self.node(Kind::Concatenation, from, width, inner.children));
        }
        let mut parts = vec![self.expression()?];
        while self.take(",") {
            parts.push(self.expression()?);
        }
        self.expect("}")?;
        let width = parts.iter().map(|part| part.width).sum();
        Ok(self.node(Kind::Concatenation, from, width, parts))
    }

    fn primary(&mut self, from: usize) -> Result<Node> {
        if self.tokens.get(self.at).map(|token| token.word) == Some(Word::Number) {
            let width = self.next().split_once('\'').and_then(|(width, _)| width.parse().ok());
            return Ok(self.node(Kind::Number, from, width, Vec::new()));
        }
        let name = self.name()?.to_string();
        if !self.take("[") {
            let (kind, width) = match self.tree.constants.get(&name) {
                Some(width) => (Kind::Constant, Some(*width)),
                None => (Kind::Name, self.tree.nets.get(&name).copied()),
            };
            return Ok(self.node(kind, from, width, Vec::new()));
        }
        let place = self.expression()?;
        let fixed = self.text[place.span.clone()].parse::<usize>().ok();
        let (kind, width, children) = if self.take("+:") {
            (Kind::Select, Some(self.integer()?), vec![place])
        } else if self.take(":") {
            let low = self.integer()?;
            let Some(high) = fixed else { return self.fail("fixed bits") };
            (Kind::Slice(name, high, low), Some(high - low + 1), Vec::new())
        } else {
            match (fixed, self.tree.memories.get(&name)) {
                (_, Some(width)) => (Kind::Select, Some(*width), vec![place]),
                (Some(bit), None) => (Kind::Slice(name, bit, bit), Some(1), Vec::new()),
                (None, None) => (Kind::Select, Some(1), vec![place]),
            }
        };
        self.expect("]")?;
        Ok(self.node(kind, from, width, children))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what is repeated is an expression, its braces are none: `{4{x}}` with something else than `{x}` in it is no Verilog.
    #[test]
    fn xv_12_braces_of_a_repetition_stay() {
        let text = "module m (input wire a, output wire [7:0] x);\n  assign x = {4{a, !a}};\nendmodule\n";
        let mut expressions = Vec::new();
        parse(text).expect("it is readable").root.for_each(&mut |node| {
            if node.kind != Kind::Group && node.kind != Kind::Addition {
                expressions.push((text[node.span.clone()].to_string(), node.width));
            }
        });
        let expected = [("{4{a, !a}}", Some(8)), ("a", Some(1)), ("!a", Some(1)), ("a", Some(1))];
        assert_eq!(expressions, expected.map(|(text, width)| (text.to_string(), width)));
    }

    /// XV-12: an assignment may be left out where its target has a value without it, so that no mutant is a latch.
    #[test]
    fn xv_12_only_what_has_a_value_may_lose_an_assignment() {
        let text = "module m (input wire a, output reg x, output reg y);\n  always @(*) begin\n    y = 1'b0;\n    \
                    if (a) begin x = 1'b1; y = 1'b1; end else begin x = 1'b0; end\n    x = !a;\n  end\nendmodule\n";
        let mut left_out = Vec::new();
        parse(text).expect("it is readable").root.for_each(&mut |node| {
            if node.kind == Kind::Assignment {
                left_out.push(text[node.span.clone()].to_string());
            }
        });
        assert_eq!(left_out, ["y = 1'b1;", "x = !a;"]);
        assert_eq!(parse("module m (inout wire a);").unwrap_err(), Unreadable { line: 1, expected: "a port" });
    }
}
