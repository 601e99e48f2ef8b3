//! From the syntax tree's expressions to sized ones that compute what Rust computes.

use super::error::Problem;
use super::ir::{mask, BinaryOperator, Expression, Net, NetKind, Statement, UnaryOperator};
use super::scope::{unsupported, Found, Scope};
use super::slicing::{bits_for, concatenation, resize, slice, Slicing};
use super::source::literal_value;
use rust_hdl::core::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};

/// An expression that may still lack a width.
enum Value {
    Sized(Expression),
    Integer(u128),
}

/// The reader of the expressions of one statement.
pub struct Reader<'a> {
    /// The names.
    pub scope: &'a mut Scope,
    /// What is being computed, for messages and for the names of temporaries.
    pub place: &'a str,
}

impl Reader<'_> {
    /// `source` as an expression of `width` bits.
    pub fn sized(&mut self, source: &VerilogExpression, width: usize) -> Result<Expression, Problem> {
        match self.value(source)? {
            Value::Integer(value) => Ok(Expression::literal(width, value)),
            Value::Sized(expression) if expression.width() == width => Ok(expression),
            Value::Sized(expression) => Err(self.widths(width, expression.width())),
        }
    }

    /// `source` as an expression of the width that it has by itself.
    pub fn natural(&mut self, source: &VerilogExpression) -> Result<Expression, Problem> {
        match self.value(source)? {
            Value::Sized(expression) => Ok(expression),
            Value::Integer(_) => Err(Problem::NoWidth(self.place.to_string())),
        }
    }

    fn widths(&self, left: usize, right: usize) -> Problem {
        Problem::Widths { place: self.place.to_string(), left, right }
    }

    fn overflow(&self) -> Problem {
        Problem::Overflow(self.place.to_string())
    }

    fn value(&mut self, source: &VerilogExpression) -> Result<Value, Problem> {
        Ok(match source {
            VerilogExpression::Signal(spelling) => match self.scope.find(spelling)? {
                Found::Integer(value) => Value::Integer(value),
                Found::Expression(expression) => Value::Sized(expression),
            },
            VerilogExpression::Literal(literal) => {
                Value::Integer(literal_value(literal).ok_or_else(|| self.overflow())?)
            }
            VerilogExpression::Paren(inner) => self.value(inner)?,
            VerilogExpression::Cast(inner, width) => match self.value(inner)? {
                Value::Integer(value) => Value::Sized(Expression::literal(*width, value)),
                Value::Sized(expression) => Value::Sized(self.take(resize(expression, *width))),
            },
            VerilogExpression::Unary(operator, inner) => self.unary(operator, inner)?,
            VerilogExpression::Binary(left, operator, right) => self.binary(left, operator, right)?,
            VerilogExpression::Index(base, index) => Value::Sized(self.bits_at(base, index, 1)?),
            VerilogExpression::Slice(base, width, index) => Value::Sized(self.bits_at(base, index, *width)?),
            VerilogExpression::IndexReplace(base, index, bit) => Value::Sized(self.replace(base, index, bit)?),
            VerilogExpression::Signed(_) | VerilogExpression::Unsigned(_) => {
                return Err(unsupported(self.place, "signed arithmetic"))
            }
        })
    }

    fn unary(&mut self, operator: &VerilogOpUnary, inner: &VerilogExpression) -> Result<Value, Problem> {
        let operator = match operator {
            VerilogOpUnary::Not => UnaryOperator::Not,
            VerilogOpUnary::All => UnaryOperator::All,
            VerilogOpUnary::Any => UnaryOperator::Any,
            VerilogOpUnary::Xor => UnaryOperator::Parity,
            VerilogOpUnary::Neg => return Err(unsupported(self.place, "a negative number")),
        };
        let operand = self.natural(inner)?;
        Ok(Value::Sized(match (operator, operand.constant(), operand.width()) {
            (UnaryOperator::Not, Some(value), width) => Expression::literal(width, !value),
            (UnaryOperator::All | UnaryOperator::Any | UnaryOperator::Parity, _, 1) => operand,
            (UnaryOperator::Any, Some(value), _) => Expression::literal(1, u128::from(value != 0)),
            (UnaryOperator::All, Some(value), width) => Expression::literal(1, u128::from(value == mask(width))),
            (UnaryOperator::Parity, Some(value), _) => Expression::literal(1, u128::from(value.count_ones() % 2)),
            _ => Expression::Unary(operator, Box::new(operand)),
        }))
    }

    fn binary(
        &mut self,
        left: &VerilogExpression,
        operator: &VerilogOp,
        right: &VerilogExpression,
    ) -> Result<Value, Problem> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        let Some(operator) = binary_operator(operator) else {
            return match (left, right) {
                (Value::Integer(a), Value::Integer(b)) => {
                    a.checked_mul(b).map(Value::Integer).ok_or_else(|| self.overflow())
                }
                _ => Err(unsupported(self.place, "a multiplication of signals")),
            };
        };
        if let (Value::Integer(a), Value::Integer(b)) = (&left, &right) {
            return self.integers(*a, operator, *b);
        }
        if matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) {
            return self.shift(left, operator, right).map(Value::Sized);
        }
        let width = match (&left, &right) {
            (Value::Sized(left), Value::Sized(right)) if left.width() != right.width() => {
                return Err(self.widths(left.width(), right.width()))
            }
            (Value::Sized(sized), _) | (_, Value::Sized(sized)) => sized.width(),
            _ => return Err(Problem::NoWidth(self.place.to_string())),
        };
        let (left, right) = (fitted(left, width), fitted(right, width));
        Ok(Value::Sized(simplified(operator, left, right)))
    }

    /// Integers of the kernel: loop variables, literals.
    fn integers(&self, a: u128, operator: BinaryOperator, b: u128) -> Result<Value, Problem> {
        use BinaryOperator::*;
        let distance = u32::try_from(b).ok();
        let value = match operator {
            Add => a.checked_add(b),
            Subtract => a.checked_sub(b),
            And => Some(a & b),
            Or => Some(a | b),
            Xor => Some(a ^ b),
            ShiftLeft => distance.and_then(|distance| a.checked_shl(distance)),
            ShiftRight => distance.and_then(|distance| a.checked_shr(distance)),
            _ => return Ok(Value::Sized(Expression::literal(1, u128::from(compare(operator, a, b))))),
        };
        value.map(Value::Integer).ok_or_else(|| self.overflow())
    }

    fn shift(&mut self, left: Value, operator: BinaryOperator, right: Value) -> Result<Expression, Problem> {
        let Value::Sized(operand) = left else {
            return Err(Problem::NoWidth(self.place.to_string()));
        };
        let width = operand.width();
        let distance = match &right {
            Value::Integer(distance) => Some(*distance),
            Value::Sized(distance) => distance.constant(),
        };
        if operand.constant() == Some(0) {
            return Ok(Expression::literal(width, 0));
        }
        Ok(match (distance, right) {
            (Some(0), _) => operand,
            (Some(distance), _) if distance >= width as u128 => Expression::literal(width, 0),
            (Some(distance), _) => {
                let distance = distance as usize;
                // Zeros behind a concatenation read better than a shift of it.
                if let (BinaryOperator::ShiftLeft, Expression::Concatenation(_)) = (operator, &operand) {
                    if let Slicing::Exact(low) = slice(operand.clone(), 0, width - distance) {
                        return Ok(concatenation(vec![low, Expression::literal(distance, 0)]));
                    }
                }
                let distance = Expression::literal(bits_for(distance), distance as u128);
                Expression::binary(operator, operand, distance)
            }
            (None, Value::Sized(distance)) => Expression::binary(operator, operand, distance),
            (None, Value::Integer(_)) => operand,
        })
    }

    /// `width` bits of `base` from `index` on, zero beyond its width.
    fn bits_at(
        &mut self,
        base: &VerilogExpression,
        index: &VerilogExpression,
        width: usize,
    ) -> Result<Expression, Problem> {
        let base = self.natural(base)?;
        let index = self.value(index)?;
        let fixed = match &index {
            Value::Integer(index) => Some(*index),
            Value::Sized(index) => index.constant(),
        };
        if let Some(offset) = fixed {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX / 2).min(1 << 20);
            return Ok(self.take(slice(base, offset, width)));
        }
        let Value::Sized(index) = index else { return Err(self.overflow()) };
        let of = base.width();
        if reach(index.width(), width) <= of {
            let base = self.named(base);
            return self.select(base, index, width);
        }
        // Elsewhere a shift brings in the zeros.
        let shifted = Expression::binary(BinaryOperator::ShiftRight, base, index);
        Ok(self.take(resize(shifted, width)))
    }

    /// `width` bits of a net from `index` on, which lie inside whatever `index` is: Verilog selects as Rust does.
    fn select(&mut self, base: Expression, index: Expression, width: usize) -> Result<Expression, Problem> {
        let Expression::Net { net, width: of } = base else { return Err(self.overflow()) };
        let index = Box::new(self.take(resize(index, bits_for(of - 1))));
        Ok(Expression::Select { net, of, index, width })
    }

    fn replace(
        &mut self,
        base: &VerilogExpression,
        index: &VerilogExpression,
        bit: &VerilogExpression,
    ) -> Result<Expression, Problem> {
        let base = self.natural(base)?;
        let bit = self.sized(bit, 1)?;
        let width = base.width();
        let fixed = match self.value(index)? {
            Value::Integer(index) => Ok(index),
            Value::Sized(index) => index.constant().ok_or(index),
        };
        match fixed {
            Ok(index) if index >= width as u128 => Ok(base),
            Ok(index) => {
                let index = index as usize;
                let mut parts = Vec::new();
                if index + 1 < width {
                    parts.push(self.take(slice(base.clone(), index + 1, width - index - 1)));
                }
                parts.push(bit);
                if index > 0 {
                    parts.push(self.take(slice(base, 0, index)));
                }
                Ok(concatenation(parts))
            }
            Err(index) => {
                let shifted = |bit| {
                    let bit = concatenation(vec![Expression::literal(width - 1, 0), bit]);
                    Expression::binary(BinaryOperator::ShiftLeft, bit, index.clone())
                };
                let place = shifted(Expression::literal(1, 1));
                let hole = Expression::Unary(UnaryOperator::Not, Box::new(place.clone()));
                let kept = simplified(BinaryOperator::And, base.clone(), hole);
                match bit.constant() {
                    Some(0) => Ok(kept),
                    Some(_) => Ok(simplified(BinaryOperator::Or, base, place)),
                    None => Ok(simplified(BinaryOperator::Or, kept, shifted(bit))),
                }
            }
        }
    }

    /// The outcome of a selection, its operand named if it must be.
    fn take(&mut self, slicing: Slicing) -> Expression {
        match slicing {
            Slicing::Exact(expression) => expression,
            Slicing::Named {
                expression: Expression::Binary(BinaryOperator::ShiftRight, base, index),
                offset: 0,
                width,
            } if matches!(*base, Expression::Net { .. }) && reach(index.width(), width) <= base.width() => {
                let whole = Expression::Binary(BinaryOperator::ShiftRight, base.clone(), index.clone());
                self.select(*base, *index, width).unwrap_or(whole)
            }
            Slicing::Named { expression, offset, width } => {
                let net = self.named(expression);
                match slice(net, offset, width) {
                    Slicing::Exact(part) => part,
                    // A net can always be sliced.
                    Slicing::Named { expression, .. } => expression,
                }
            }
        }
    }

    /// `expression` as a net, with a name if it has none.
    fn named(&mut self, expression: Expression) -> Expression {
        if let Expression::Net { .. } = expression {
            return expression;
        }
        let width = expression.width();
        let same = self.scope.module.body.iter().find_map(|statement| match statement {
            Statement::Assign { target, bits: None, value } if *value == expression => {
                (self.scope.module.nets[*target].kind == NetKind::Temporary).then_some(*target)
            }
            _ => None,
        });
        if let Some(net) = same {
            return Expression::Net { net, width };
        }
        let role = match &expression {
            Expression::Binary(BinaryOperator::ShiftRight | BinaryOperator::ShiftLeft, ..) => "shifted",
            Expression::Binary(BinaryOperator::Add, ..) => "sum",
            Expression::Binary(BinaryOperator::Subtract, ..) => "difference",
            _ => "term",
        };
        let name = self.scope.names.take(&format!("{}_{role}", self.place));
        let net =
            self.scope.push_net(Net { path: name.clone(), name, width, kind: NetKind::Temporary, is_clock: false });
        self.scope.module.body.push(Statement::Assign { target: net, bits: None, value: expression });
        Expression::Net { net, width }
    }
}

/// How many bits a vector has at least if `width` bits from any index of `index_width` bits on lie inside it.
fn reach(index_width: usize, width: usize) -> usize {
    1_usize.checked_shl(index_width as u32).unwrap_or(usize::MAX).saturating_add(width - 1)
}

/// `value`, known to have `width` bits or none.
fn fitted(value: Value, width: usize) -> Expression {
    match value {
        Value::Sized(expression) => expression,
        Value::Integer(value) => Expression::literal(width, value),
    }
}

fn compare(operator: BinaryOperator, a: u128, b: u128) -> bool {
    match operator {
        BinaryOperator::Equal => a == b,
        BinaryOperator::Different => a != b,
        BinaryOperator::Less => a < b,
        BinaryOperator::LessOrEqual => a <= b,
        BinaryOperator::Greater => a > b,
        BinaryOperator::GreaterOrEqual => a >= b,
        BinaryOperator::BothTrue => a != 0 && b != 0,
        _ => a != 0 || b != 0,
    }
}

/// `left operator right`, without the comparisons whose outcome is fixed and the neutral operands.
fn simplified(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    use BinaryOperator::*;
    let (width, ones) = (left.width(), mask(left.width()));
    let truth = |value: bool| Expression::literal(1, u128::from(value));
    if let (Some(a), Some(b)) = (left.constant(), right.constant()) {
        return match operator {
            Add => Expression::literal(width, a.wrapping_add(b)),
            Subtract => Expression::literal(width, a.wrapping_sub(b)),
            And => Expression::literal(width, a & b),
            Or => Expression::literal(width, a | b),
            Xor => Expression::literal(width, a ^ b),
            _ => truth(compare(operator, a, b)),
        };
    }
    match (operator, left.constant(), right.constant()) {
        (Less, _, Some(0)) | (Greater, Some(0), _) => truth(false),
        (GreaterOrEqual, _, Some(0)) | (LessOrEqual, Some(0), _) => truth(true),
        (Greater, _, Some(value)) | (Less, Some(value), _) if value == ones => truth(false),
        (LessOrEqual, _, Some(value)) | (GreaterOrEqual, Some(value), _) if value == ones => truth(true),
        (And | BothTrue, Some(0), _) | (And | BothTrue, _, Some(0)) => Expression::literal(width, 0),
        (BothTrue, Some(_), _) => right,
        (BothTrue, _, Some(_)) => left,
        (EitherTrue, Some(0), _) | (Or | Xor | Add, Some(0), _) => right,
        (EitherTrue, _, Some(0)) | (Or | Xor | Add | Subtract, _, Some(0)) => left,
        (EitherTrue, Some(_), _) | (EitherTrue, _, Some(_)) => truth(true),
        (And, Some(value), _) if value == ones => right,
        (And, _, Some(value)) if value == ones => left,
        _ => Expression::binary(operator, left, right),
    }
}

fn binary_operator(operator: &VerilogOp) -> Option<BinaryOperator> {
    Some(match operator {
        VerilogOp::Add => BinaryOperator::Add,
        VerilogOp::Sub => BinaryOperator::Subtract,
        VerilogOp::Mul => return None,
        VerilogOp::LogicalAnd => BinaryOperator::BothTrue,
        VerilogOp::LogicalOr => BinaryOperator::EitherTrue,
        VerilogOp::BitXor => BinaryOperator::Xor,
        VerilogOp::BitAnd => BinaryOperator::And,
        VerilogOp::BitOr => BinaryOperator::Or,
        VerilogOp::Shl => BinaryOperator::ShiftLeft,
        VerilogOp::Shr => BinaryOperator::ShiftRight,
        VerilogOp::Eq => BinaryOperator::Equal,
        VerilogOp::Lt => BinaryOperator::Less,
        VerilogOp::Le => BinaryOperator::LessOrEqual,
        VerilogOp::Ne => BinaryOperator::Different,
        VerilogOp::Ge => BinaryOperator::GreaterOrEqual,
        VerilogOp::Gt => BinaryOperator::Greater,
    })
}
