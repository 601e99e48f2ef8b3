//! Bits of expressions. Verilog selects bits of nets only, so a selection is moved to the leaves where that is exact, and
//! elsewhere the expression gets a net with a name ([`Slicing::Named`]).

use super::ir::{mask, BinaryOperator, Expression, UnaryOperator};

/// Zeros in front of `expression`, up to `width` bits; or its low bits.
pub fn resize(expression: Expression, width: usize) -> Slicing {
    let present = expression.width();
    if present < width {
        return Slicing::Exact(concatenation(vec![Expression::literal(width - present, 0), expression]));
    }
    slice(expression, 0, width)
}

/// What became of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slicing {
    /// It is this expression.
    Exact(Expression),
    /// It is `width` bits from bit `offset` on of this expression, which needs a name.
    Named {
        /// To be named.
        expression: Expression,
        /// The lowest bit.
        offset: usize,
        /// How many bits.
        width: usize,
    },
}

/// `parts` side by side, nested concatenations and neighbouring numbers joined.
pub fn concatenation(parts: Vec<Expression>) -> Expression {
    let mut flat: Vec<Expression> = Vec::new();
    for part in parts {
        let pieces = match part {
            Expression::Concatenation(pieces) => pieces,
            other => vec![other],
        };
        for piece in pieces {
            match (flat.last_mut(), &piece) {
                (_, piece) if piece.width() == 0 => {}
                (Some(Expression::Literal { width, value }), Expression::Literal { width: more, value: low })
                    if *width + *more <= 128 =>
                {
                    *value = if *more < 128 { *value << *more | low } else { *low };
                    *width += *more;
                }
                _ => flat.push(piece),
            }
        }
    }
    if flat.len() == 1 {
        flat.remove(0)
    } else {
        Expression::Concatenation(flat)
    }
}

/// Bits `offset + width - 1 : offset` of `expression`, zero beyond its width.
pub fn slice(expression: Expression, offset: usize, width: usize) -> Slicing {
    let present = expression.width();
    if offset == 0 && width == present {
        return Slicing::Exact(expression);
    }
    if offset >= present {
        return Slicing::Exact(Expression::literal(width, 0));
    }
    if offset + width > present {
        let inside = present - offset;
        return match slice(expression, offset, inside) {
            Slicing::Exact(part) => Slicing::Exact(concatenation(vec![Expression::literal(width - inside, 0), part])),
            Slicing::Named { expression, offset, .. } => Slicing::Named { expression, offset, width },
        };
    }
    match inside(&expression, offset, width) {
        Some(part) => Slicing::Exact(part),
        None => Slicing::Named { expression, offset, width },
    }
}

/// The selection moved to the leaves, if that computes the same. The bits are known to be inside.
fn inside(expression: &Expression, offset: usize, width: usize) -> Option<Expression> {
    let low = |expression: &Expression| exact(slice(expression.clone(), offset, width));
    match expression {
        Expression::Net { net, .. } => Some(Expression::Slice { net: *net, offset, width }),
        Expression::Slice { net, offset: base, .. } => {
            Some(Expression::Slice { net: *net, offset: base + offset, width })
        }
        Expression::Literal { value, .. } | Expression::Named { value, .. } => {
            Some(Expression::literal(width, (value >> offset) & mask(width)))
        }
        Expression::Concatenation(parts) => {
            let mut chosen = Vec::new();
            let mut top = expression.width();
            for part in parts {
                let base = top - part.width();
                let (from, to) = (offset.max(base), (offset + width).min(top));
                if from < to {
                    chosen.push(exact(slice(part.clone(), from - base, to - from))?);
                }
                top = base;
            }
            Some(concatenation(chosen))
        }
        Expression::Unary(UnaryOperator::Not, operand) => {
            Some(Expression::Unary(UnaryOperator::Not, Box::new(low(operand)?)))
        }
        Expression::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor), a, b) => {
            Some(Expression::binary(*operator, low(a)?, low(b)?))
        }
        // The low bits of a sum depend on the low bits of its terms alone.
        Expression::Binary(operator @ (BinaryOperator::Add | BinaryOperator::Subtract), a, b) if offset == 0 => {
            Some(Expression::binary(*operator, low(a)?, low(b)?))
        }
        Expression::Binary(BinaryOperator::ShiftLeft, a, b) => match b.constant() {
            Some(distance) => shifted_left(a, usize::try_from(distance).ok()?, offset, width),
            None if offset == 0 => Some(Expression::Binary(BinaryOperator::ShiftLeft, Box::new(low(a)?), b.clone())),
            None => None,
        },
        Expression::Binary(BinaryOperator::ShiftRight, a, b) => {
            let distance = usize::try_from(b.constant()?).ok()?;
            exact(slice((**a).clone(), offset.checked_add(distance)?, width))
        }
        _ => None,
    }
}

/// Bits of `expression << distance`.
fn shifted_left(expression: &Expression, distance: usize, offset: usize, width: usize) -> Option<Expression> {
    if offset >= distance {
        return exact(slice(expression.clone(), offset - distance, width));
    }
    let zeros = (distance - offset).min(width);
    let mut parts = Vec::new();
    if width > zeros {
        parts.push(exact(slice(expression.clone(), 0, width - zeros))?);
    }
    parts.push(Expression::literal(zeros, 0));
    Some(concatenation(parts))
}

fn exact(slicing: Slicing) -> Option<Expression> {
    match slicing {
        Slicing::Exact(expression) => Some(expression),
        Slicing::Named { .. } => None,
    }
}

/// How many bits hold `value`.
pub fn bits_for(value: usize) -> usize {
    (usize::BITS - value.leading_zeros()).max(1) as usize
}
