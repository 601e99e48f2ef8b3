//! Sized expressions.

use super::NetId;

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
