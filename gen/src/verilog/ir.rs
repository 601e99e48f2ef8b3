//! The back end's own form of a module: nets with widths, sized expressions, statements without loops.

use super::source::States;
use std::collections::BTreeSet;

/// A net: an index into [`Module::nets`].
pub type NetId = usize;

/// What drives a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetKind {
    /// Port, driven from outside.
    Input,
    /// Port, driven by the kernel.
    Output,
    /// Driven by the kernel.
    Local,
    /// The value of a register: driven by its clocked process.
    Value,
    /// The next value of a register: driven by the kernel.
    Next,
    /// Input of a part: driven by the kernel.
    PartInput,
    /// Output of a part: driven by it.
    PartOutput,
    /// Part of an expression that needs a name: driven by one assignment.
    Temporary,
}

impl NetKind {
    /// Rust reads the settled value of this net, even between two assignments.
    pub fn reads_settled(self) -> bool {
        !matches!(self, NetKind::Output | NetKind::Local)
    }

    /// The kernel drives it.
    pub fn is_assigned(self) -> bool {
        !matches!(self, NetKind::Input | NetKind::Value | NetKind::PartOutput)
    }
}

/// A net of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Net {
    /// Its name in Verilog.
    pub name: String,
    /// Its width in bits.
    pub width: usize,
    /// What drives it.
    pub kind: NetKind,
    /// It carries the clock.
    pub is_clock: bool,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOperator {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Subtract,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Logical and of two bits.
    BothTrue,
    /// Logical or of two bits.
    EitherTrue,
    /// Shift left; the right operand has a width of its own.
    ShiftLeft,
    /// Shift right; the right operand has a width of its own.
    ShiftRight,
    /// Comparison.
    Equal,
    /// Comparison.
    Different,
    /// Comparison.
    Less,
    /// Comparison.
    LessOrEqual,
    /// Comparison.
    Greater,
    /// Comparison.
    GreaterOrEqual,
}

impl BinaryOperator {
    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::And => "&",
            BinaryOperator::Or => "|",
            BinaryOperator::Xor => "^",
            BinaryOperator::BothTrue => "&&",
            BinaryOperator::EitherTrue => "||",
            BinaryOperator::ShiftLeft => "<<",
            BinaryOperator::ShiftRight => ">>",
            BinaryOperator::Equal => "==",
            BinaryOperator::Different => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessOrEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterOrEqual => ">=",
        }
    }

    /// The result is one bit, whatever the operands' width.
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | Different | Less | LessOrEqual | Greater | GreaterOrEqual)
    }

    /// `a ∘ (b ∘ c)` equals `(a ∘ b) ∘ c`.
    pub fn is_associative(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Add | And | Or | Xor | BothTrue | EitherTrue)
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOperator {
    /// Every bit inverted.
    Not,
    /// Every bit is set.
    All,
    /// Some bit is set.
    Any,
    /// An odd number of bits is set.
    Parity,
}

/// A sized expression. Operands of one operator have one width, so that Verilog's widening rules never apply.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expression {
    /// A net.
    Net {
        /// Which.
        net: NetId,
        /// Its width.
        width: usize,
    },
    /// A number.
    Literal {
        /// Its width.
        width: usize,
        /// Its value.
        value: u128,
    },
    /// A constant or state with a name.
    Named {
        /// Its name in Verilog.
        name: String,
        /// Its width.
        width: usize,
        /// Its value.
        value: u128,
    },
    /// Some bits of a net, at a fixed place.
    Slice {
        /// Which net.
        net: NetId,
        /// The lowest bit.
        offset: usize,
        /// How many bits.
        width: usize,
    },
    /// Some bits of a net, at a computed place that is inside it.
    Select {
        /// Which net.
        net: NetId,
        /// Width of the net.
        of: usize,
        /// The lowest bit.
        index: Box<Expression>,
        /// How many bits.
        width: usize,
    },
    /// Several expressions side by side, the most significant first.
    Concatenation(Vec<Expression>),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// A number.
    pub fn literal(width: usize, value: u128) -> Self {
        Expression::Literal { width, value: value & mask(width) }
    }

    /// An operator with two operands.
    pub fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Self {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Its width in bits.
    pub fn width(&self) -> usize {
        match self {
            Expression::Net { width, .. }
            | Expression::Literal { width, .. }
            | Expression::Named { width, .. }
            | Expression::Slice { width, .. }
            | Expression::Select { width, .. } => *width,
            Expression::Concatenation(parts) => parts.iter().map(Expression::width).sum(),
            Expression::Unary(UnaryOperator::Not, operand) => operand.width(),
            Expression::Unary(..) => 1,
            Expression::Binary(operator, left, _) => {
                if operator.is_comparison() {
                    1
                } else {
                    left.width()
                }
            }
        }
    }

    /// Its value, if it has no nets.
    pub fn constant(&self) -> Option<u128> {
        match self {
            Expression::Literal { value, .. } | Expression::Named { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Calls `visit` with every net it reads and the bits it reads of it.
    pub fn for_each_read(&self, visit: &mut dyn FnMut(NetId, u128)) {
        match self {
            Expression::Net { net, width } => visit(*net, mask(*width)),
            Expression::Slice { net, offset, width } => visit(*net, mask(*width) << offset),
            Expression::Select { net, of, index, .. } => {
                visit(*net, mask(*of));
                index.for_each_read(visit);
            }
            Expression::Concatenation(parts) => parts.iter().for_each(|part| part.for_each_read(visit)),
            Expression::Unary(_, operand) => operand.for_each_read(visit),
            Expression::Binary(_, left, right) => {
                left.for_each_read(visit);
                right.for_each_read(visit);
            }
            Expression::Literal { .. } | Expression::Named { .. } => {}
        }
    }
}

/// `width` ones.
pub fn mask(width: usize) -> u128 {
    match width {
        0 => 0,
        128.. => u128::MAX,
        _ => u128::MAX >> (128 - width),
    }
}

/// A statement of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statement {
    /// A remark of the kernel's author, about the statement behind it.
    Comment(String),
    /// An assignment.
    Assign {
        /// The net.
        target: NetId,
        /// The lowest assigned bit and the number of bits, if not all are assigned.
        bits: Option<(usize, usize)>,
        /// The value.
        value: Expression,
    },
    /// A condition.
    If {
        /// What decides.
        test: Expression,
        /// If it is 1.
        then: Vec<Statement>,
        /// If it is 0.
        otherwise: Vec<Statement>,
    },
    /// A choice by value.
    Case {
        /// What decides.
        test: Expression,
        /// The choices; the last one stands for all other values.
        arms: Vec<Arm>,
    },
}

impl Statement {
    /// Calls `visit` with every net it may assign, and the assigned bits (`None` for all).
    pub fn for_each_target(&self, visit: &mut dyn FnMut(NetId, Option<(usize, usize)>)) {
        match self {
            Statement::Comment(_) => {}
            Statement::Assign { target, bits, .. } => visit(*target, *bits),
            Statement::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|statement| statement.for_each_target(visit));
            }
            Statement::Case { arms, .. } => {
                arms.iter().flat_map(|arm| &arm.body).for_each(|statement| statement.for_each_target(visit));
            }
        }
    }

    /// Calls `visit` with every expression that it evaluates.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        match self {
            Statement::Comment(_) => {}
            Statement::Assign { value, .. } => visit(value),
            Statement::If { test, then, otherwise } => {
                visit(test);
                then.iter().chain(otherwise).for_each(|statement| statement.for_each_expression(visit));
            }
            Statement::Case { test, arms } => {
                visit(test);
                for arm in arms {
                    arm.value.iter().for_each(&mut *visit);
                    arm.body.iter().for_each(|statement| statement.for_each_expression(visit));
                }
            }
        }
    }

    /// The nets it may assign.
    pub fn targets(&self) -> BTreeSet<NetId> {
        let mut targets = BTreeSet::new();
        self.for_each_target(&mut |net, _| {
            targets.insert(net);
        });
        targets
    }

    /// The part of it that assigns `chosen` nets.
    pub fn only(&self, chosen: &BTreeSet<NetId>) -> Option<Statement> {
        let kept = |body: &[Statement]| only(body, chosen);
        match self {
            Statement::Comment(_) => None,
            Statement::Assign { target, .. } => chosen.contains(target).then(|| self.clone()),
            Statement::If { test, then, otherwise } => {
                let (then, otherwise) = (kept(then), kept(otherwise));
                (!then.is_empty() || !otherwise.is_empty()).then(|| Statement::If {
                    test: test.clone(),
                    then,
                    otherwise,
                })
            }
            Statement::Case { test, arms } => {
                let arms: Vec<Arm> =
                    arms.iter().map(|arm| Arm { value: arm.value.clone(), body: kept(&arm.body) }).collect();
                arms.iter().any(|arm| !arm.body.is_empty()).then(|| Statement::Case { test: test.clone(), arms })
            }
        }
    }
}

/// The part of `body` that assigns `chosen` nets, with the comments in front of it.
pub fn only(body: &[Statement], chosen: &BTreeSet<NetId>) -> Vec<Statement> {
    let mut kept = Vec::new();
    let mut comments = Vec::new();
    for statement in body {
        if let Statement::Comment(_) = statement {
            comments.push(statement.clone());
        } else {
            let part = statement.only(chosen);
            if part.is_some() {
                kept.append(&mut comments);
            }
            comments.clear();
            kept.extend(part);
        }
    }
    kept
}

/// A choice of a [`Statement::Case`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arm {
    /// For which value; `None` for all others.
    pub value: Option<Expression>,
    /// What to do.
    pub body: Vec<Statement>,
}

/// A named constant of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// Its name in Verilog.
    pub name: String,
    /// Its width.
    pub width: usize,
    /// Its value.
    pub value: u128,
    /// The enum it belongs to.
    pub of: Option<String>,
    /// The state that it stands for, `Enum::Variant`.
    pub state: Option<String>,
    /// What the state means, if that is known.
    pub meaning: Option<String>,
}

/// A register, written as a clocked process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// Its present value.
    pub value: NetId,
    /// Its next value.
    pub next: NetId,
    /// What `reset` loads.
    pub reset_value: Expression,
}

/// What a pin of an instance is connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin {
    /// The part's port.
    pub port: String,
    /// The part reads it.
    pub is_input: bool,
    /// What it is connected to: a net, until folding finds something shorter for an input.
    pub connection: Expression,
}

/// A part with a module of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// Its name in Verilog.
    pub name: String,
    /// Its module: an index into the design.
    pub module: usize,
    /// Its connections, in the order of the module's ports.
    pub pins: Vec<Pin>,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Module {
    /// Its nets; the ports first, in their order.
    pub nets: Vec<Net>,
    /// How many of the nets are ports.
    pub ports: usize,
    /// Its named constants.
    pub constants: Vec<Constant>,
    /// Its registers.
    pub registers: Vec<Register>,
    /// Its parts.
    pub instances: Vec<Instance>,
    /// Its combinational logic, in the kernel's order.
    pub body: Vec<Statement>,
    /// Its text, if it is a primitive written in Verilog by hand.
    pub custom: Option<String>,
    /// The net of the clock and of the reset.
    pub clock: Option<NetId>,
    /// See `clock`.
    pub reset: Option<NetId>,
}

impl Module {
    /// Every name that its text may declare.
    pub fn words(&self) -> BTreeSet<String> {
        let custom = self
            .custom
            .iter()
            .flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
        let nets = self.nets.iter().map(|net| net.name.as_str());
        nets.chain(self.instances.iter().map(|instance| instance.name.as_str()))
            .chain(custom)
            .map(str::to_string)
            .collect()
    }
}

/// The names of a state enum's constants.
pub fn state_name(states: &States, code: usize) -> String {
    use super::names::capitals;
    format!("{}_{}", capitals(&states.name), capitals(&states.variants[code]))
}
