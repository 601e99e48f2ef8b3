//! Random expressions, as the syntax tree has them: the Verilog computes what an interpreter with the rules of `Bits` computes.

use crate::support;
use heddle_gen::verilog::translate;
use heddle_hdl::ports::{Direction, Port};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::core::ast::{
    Verilog, VerilogExpression as Tree, VerilogLiteral, VerilogOp as Op, VerilogOpUnary as Unary, VerilogStatement,
};
use rust_hdl::core::prelude::{Atom, AtomKind, Block, Logic, PinConstraint, Probe, TypeDescriptor, TypeKind, VCDValue};

/// The inputs and their widths.
const INPUTS: [(&str, usize); 7] = [("a", 8), ("b", 8), ("c", 3), ("d", 1), ("e", 16), ("f", 1), ("g", 40)];

/// Expressions in one block.
const OUTPUTS: usize = 60;

/// A signal that exists only to be shown to a probe.
struct Pin {
    width: usize,
    kind: AtomKind,
}

impl Atom for Pin {
    fn bits(&self) -> usize {
        self.width
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        self.kind
    }
    fn descriptor(&self) -> TypeDescriptor {
        TypeDescriptor { name: format!("Bits::<{}>", self.width), kind: TypeKind::Bits(self.width) }
    }
    fn vcd(&self) -> VCDValue {
        VCDValue::Vector(Vec::new())
    }
    fn id(&self) -> usize {
        0
    }
    fn verilog(&self) -> VerilogLiteral {
        0_u32.into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        Vec::new()
    }
}

/// A block whose outputs are the given expressions.
struct Sample {
    outputs: Vec<(usize, Tree)>,
}

impl Logic for Sample {
    fn update(&mut self) {}
    fn connect(&mut self) {}
    fn hdl(&self) -> Verilog {
        let mut statements = Vec::new();
        for (at, (width, tree)) in self.outputs.iter().enumerate() {
            let bits = |offset: usize, width: usize| VerilogStatement::SliceAssignment {
                base: Tree::Signal(format!("y{at}")),
                width,
                offset: Tree::Literal(offset.into()),
                replacement: Tree::Slice(Box::new(tree.clone()), width, Box::new(Tree::Literal(offset.into()))),
            };
            if at % 5 == 0 && *width > 1 {
                // In two pieces, as the fields of a struct are assigned.
                statements.extend([bits(1, width - 1), bits(0, 1)]);
            } else {
                statements.push(VerilogStatement::Assignment(Tree::Signal(format!("y{at}$next")), tree.clone()));
            }
        }
        Verilog::Combinatorial(statements)
    }
}

impl Block for Sample {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        probe.visit_atom("clock", &Pin { width: 1, kind: AtomKind::InputParameter });
        for (name, width) in INPUTS {
            probe.visit_atom(name, &Pin { width, kind: AtomKind::InputParameter });
        }
        for (at, (width, _)) in self.outputs.iter().enumerate() {
            probe.visit_atom(&format!("y{at}"), &Pin { width: *width, kind: AtomKind::OutputParameter });
        }
        probe.visit_end_scope(name, self);
    }
}

/// Writes random trees.
struct Writer {
    random: ChaCha8Rng,
}

impl Writer {
    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    /// A tree of `width` bits.
    fn tree(&mut self, width: usize, depth: usize) -> Box<Tree> {
        if depth == 0 {
            return Box::new(self.leaf(width));
        }
        let other = [1, 3, 5, 8, 9, 16][self.below(6)];
        let tree = match self.below(if width == 1 { 15 } else { 10 }) {
            0 => self.leaf(width),
            1 => Tree::Unary(Unary::Not, self.tree(width, depth - 1)),
            2 => Tree::Cast(self.tree(other, depth - 1), width),
            3 => {
                let index = self.index(other);
                Tree::Slice(self.tree(other, depth - 1), width, index)
            }
            4 => {
                let index = self.index(width);
                Tree::IndexReplace(self.tree(width, depth - 1), index, self.tree(1, depth - 1))
            }
            5 => {
                let (operator, index) = (if self.below(2) == 0 { Op::Shl } else { Op::Shr }, self.index(width));
                Tree::Binary(self.tree(width, depth - 1), operator, index)
            }
            6..=9 => {
                let operator = [Op::Add, Op::Sub, Op::BitAnd, Op::BitOr, Op::BitXor][self.below(5)].clone();
                let right = self.operand(width, depth);
                Tree::Binary(Box::new(Tree::Paren(self.tree(width, depth - 1))), operator, right)
            }
            10 => {
                let index = self.index(other);
                Tree::Index(self.tree(other, depth - 1), index)
            }
            11 => Tree::Unary([Unary::All, Unary::Any, Unary::Xor][self.below(3)].clone(), self.tree(other, depth - 1)),
            12 => {
                let operator = if self.below(2) == 0 { Op::LogicalAnd } else { Op::LogicalOr };
                Tree::Binary(self.tree(1, depth - 1), operator, self.tree(1, depth - 1))
            }
            _ => {
                let operator = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge][self.below(6)].clone();
                let right = self.operand(other, depth);
                Tree::Binary(self.tree(other, depth - 1), operator, right)
            }
        };
        Box::new(tree)
    }

    /// A right operand: a tree, or a number without a width.
    fn operand(&mut self, width: usize, depth: usize) -> Box<Tree> {
        if self.below(4) == 0 {
            return Box::new(Tree::Literal((self.below(300) as u64).into()));
        }
        self.tree(width, depth - 1)
    }

    /// A place in a vector of `width` bits, or a little beyond.
    fn index(&mut self, width: usize) -> Box<Tree> {
        Box::new(match self.below(3) {
            0 => Tree::Signal("c".to_string()),
            1 => Tree::Cast(Box::new(Tree::Signal("b".to_string())), 4),
            _ => Tree::Literal((self.below(width + 2) as u64).into()),
        })
    }

    fn leaf(&mut self, width: usize) -> Tree {
        let fitting: Vec<&str> = INPUTS.iter().filter(|(_, own)| *own == width).map(|(name, _)| *name).collect();
        match (fitting.as_slice(), self.below(6)) {
            (_, 0) => Tree::Cast(Box::new(Tree::Literal(self.random.random::<u64>().into())), width),
            ([], _) => Tree::Cast(Box::new(Tree::Signal(INPUTS[self.below(INPUTS.len())].0.to_string())), width),
            (names, at) => Tree::Signal(names[at % names.len()].to_string()),
        }
    }
}

fn mask(width: usize) -> u128 {
    u128::MAX >> (128 - width)
}

/// The value and the width of a tree (0 for a number without one), by the rules of `Bits`.
fn value(tree: &Tree, inputs: &[u128]) -> (u128, usize) {
    let of = |tree: &Tree| value(tree, inputs);
    let shifted = |(value, _): (u128, usize), distance: u128| if distance < 128 { value >> distance } else { 0 };
    match tree {
        Tree::Signal(name) => {
            let at = INPUTS.iter().position(|(input, _)| input == name).expect("an input");
            (inputs[at], INPUTS[at].1)
        }
        Tree::Literal(literal) => {
            let digits = format!("{literal:x}");
            (u128::from_str_radix(digits.split_once("'h").expect("a literal").1, 16).expect("digits"), 0)
        }
        Tree::Paren(inner) => of(inner),
        Tree::Cast(inner, width) => (of(inner).0 & mask(*width), *width),
        Tree::Unary(Unary::Not, inner) => (!of(inner).0 & mask(of(inner).1), of(inner).1),
        Tree::Unary(Unary::All, inner) => (u128::from(of(inner).0 == mask(of(inner).1)), 1),
        Tree::Unary(Unary::Any, inner) => (u128::from(of(inner).0 != 0), 1),
        Tree::Unary(_, inner) => (u128::from(of(inner).0.count_ones() % 2), 1),
        Tree::Index(base, index) => (shifted(of(base), of(index).0) & 1, 1),
        Tree::Slice(base, width, index) => (shifted(of(base), of(index).0) & mask(*width), *width),
        Tree::IndexReplace(base, index, bit) => {
            let ((base, width), (index, _), (bit, _)) = (of(base), of(index), of(bit));
            let replaced = if index < width as u128 { base & !(1 << index) | bit << index } else { base };
            (replaced, width)
        }
        Tree::Binary(left, operator, right) => {
            let ((a, width), (b, _)) = (of(left), of(right));
            let c = b & mask(width);
            let truth = |value: bool| (u128::from(value), 1);
            match operator {
                Op::Add => (a.wrapping_add(b) & mask(width), width),
                Op::Sub => (a.wrapping_sub(b) & mask(width), width),
                Op::BitAnd => (a & c, width),
                Op::BitOr => (a | c, width),
                Op::BitXor => (a ^ c, width),
                Op::Shl => (if b < 128 { a << b } else { 0 } & mask(width), width),
                Op::Shr => (shifted((a, width), b), width),
                Op::LogicalAnd => truth(a != 0 && b != 0),
                Op::LogicalOr => truth(a != 0 || b != 0),
                Op::Eq => truth(a == c),
                Op::Ne => truth(a != c),
                Op::Lt => truth(a < c),
                Op::Le => truth(a <= c),
                Op::Gt => truth(a > c),
                _ => truth(a >= c),
            }
        }
        _ => unreachable!("the writer does not write this"),
    }
}

/// XV-05: random expressions of every operator compute the same, and no tool has anything to say about them.
#[test]
fn random_expressions_agree() {
    (0..8).for_each(|seed| sample_agrees(seed, 4, true));
}

/// XV-05: deep ones too; there a lint may well notice that a random comparison has only one outcome.
#[test]
fn deep_expressions_agree() {
    (100..120).for_each(|seed| sample_agrees(seed, 7, false));
}

fn sample_agrees(seed: u64, depth: usize, lint: bool) {
    let mut writer = Writer { random: ChaCha8Rng::seed_from_u64(seed) };
    let outputs: Vec<(usize, Tree)> = (0..OUTPUTS)
        .map(|_| {
            let width = [1, 1, 3, 8, 9, 16, 41][writer.below(7)];
            (width, *writer.tree(width, depth))
        })
        .collect();
    let sample = Sample { outputs };
    let modules = translate("sample", &sample, "", &[]).unwrap_or_else(|error| panic!("{error}"));
    if lint {
        support::lint(&modules);
    }
    let port = |name: &str, direction, width| Port {
        name: Box::leak(name.to_string().into_boxed_str()),
        direction,
        width,
        meaning: "",
    };
    let mut ports = vec![port("clock", Direction::In, 1)];
    ports.extend(INPUTS.map(|(name, width)| port(name, Direction::In, width)));
    let outputs = sample.outputs.iter().enumerate();
    ports.extend(outputs.map(|(at, (width, _))| port(&format!("y{at}"), Direction::Out, *width)));
    let stimulus = support::random_for(&ports, 100, seed);
    let seen = support::run_verilog(&modules, &ports, &stimulus);
    assert_eq!(seen.len(), stimulus.len());
    for (inputs, seen) in stimulus.iter().zip(&seen) {
        for ((at, (_, tree)), seen) in sample.outputs.iter().enumerate().zip(seen) {
            let expected = value(tree, inputs).0;
            let line = || {
                let assigned = format!("assign y{at} =");
                modules[0].text.split(';').find(|part| part.contains(&assigned)).unwrap_or_default().to_string()
            };
            assert!(
                *seen == Some(expected),
                "seed {seed}, y{at}: Rust {expected:#x}, Verilog {seen:x?}, inputs {inputs:x?}\n{}\n{tree:?}",
                line()
            );
        }
    }
}
