//! Numbers that a kernel file states, which may depend on parameters.

use thiserror::Error;

/// A number, perhaps in terms of parameters and of the launch's sizes. Arithmetic wraps to 32 bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Itself.
    Number(u32),
    /// A parameter, or one of `threads`, `ctas`, `block_threads`, `index`.
    Name(String),
    /// Two numbers combined.
    Binary(Box<Expression>, Operator, Box<Expression>),
}

/// What combines two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient.
    Divide,
    /// Remainder.
    Remainder,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// A name that nothing has.
    #[error("`{0}` is neither a parameter nor a size of the launch nor `index`")]
    UnknownName(String),
    /// A divisor is zero.
    #[error("an expression divides by zero")]
    DivisionByZero,
}

impl Expression {
    /// Its value, given those of names.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<u32>) -> Result<u32, ExpressionError> {
        match self {
            Expression::Number(value) => Ok(*value),
            Expression::Name(name) => value_of(name).ok_or_else(|| ExpressionError::UnknownName(name.clone())),
            Expression::Binary(left, operator, right) => {
                let (left, right) = (left.evaluate(value_of)?, right.evaluate(value_of)?);
                Ok(match operator {
                    Operator::Add => left.wrapping_add(right),
                    Operator::Subtract => left.wrapping_sub(right),
                    Operator::Multiply => left.wrapping_mul(right),
                    Operator::Divide => left.checked_div(right).ok_or(ExpressionError::DivisionByZero)?,
                    Operator::Remainder => left.checked_rem(right).ok_or(ExpressionError::DivisionByZero)?,
                })
            }
        }
    }
}

impl Expression {
    /// The same expression with values in place of the names that have one.
    pub fn with_values(self, values: &std::collections::BTreeMap<String, u32>) -> Expression {
        match self {
            Expression::Number(value) => Expression::Number(value),
            Expression::Name(name) => match values.get(&name) {
                Some(value) => Expression::Number(*value),
                None => Expression::Name(name),
            },
            Expression::Binary(left, operator, right) => {
                Expression::Binary(Box::new(left.with_values(values)), operator, Box::new(right.with_values(values)))
            }
        }
    }

    /// The names that occur in it.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Expression::Number(_) => Vec::new(),
            Expression::Name(name) => vec![name],
            Expression::Binary(left, _, right) => [left.names(), right.names()].concat(),
        }
    }
}
