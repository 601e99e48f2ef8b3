//! Reading a line, token after token.

use super::errors::Problem;
use super::expression::{Expression, Operator};
use super::lexer::{Lexeme, Token};
use std::ops::Range;

/// How deep parentheses may nest: the expression parser calls itself.
const NESTING_LIMIT: usize = 32;

/// The tokens of one line and how far they are read.
pub struct Cursor<'a> {
    text: &'a str,
    tokens: &'a [Lexeme],
    next: usize,
    end: usize,
    nesting: usize,
}

impl<'a> Cursor<'a> {
    /// At the first of `tokens`, which lie on a line of `text` that ends at byte `end`.
    pub fn new(text: &'a str, tokens: &'a [Lexeme], end: usize) -> Self {
        Cursor { text, tokens, next: 0, end, nesting: 0 }
    }

    /// What the next token is.
    pub fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).map(|lexeme| lexeme.token)
    }

    /// The token behind the next one.
    pub fn peek_second(&self) -> Option<Token> {
        self.tokens.get(self.next + 1).map(|lexeme| lexeme.token)
    }

    /// The place of the next token, or of the line's end.
    pub fn span(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |lexeme| lexeme.span.clone())
    }

    /// The text of the next token.
    pub fn word(&self) -> &'a str {
        &self.text[self.span()]
    }

    /// Passes over the next token and gives its text and place.
    pub fn take(&mut self) -> (&'a str, Range<usize>) {
        let (word, span) = (self.word(), self.span());
        self.next += 1;
        (word, span)
    }

    /// Passes over the next token if it is this one.
    pub fn accept(&mut self, token: Token) -> bool {
        let there = self.peek() == Some(token);
        self.next += usize::from(there);
        there
    }

    /// The next token, which must be this one; `what` and `hint` are for the message.
    pub fn expect(&mut self, token: Token, what: &str, hint: &str) -> Result<(&'a str, Range<usize>), Problem> {
        if self.peek() == Some(token) {
            Ok(self.take())
        } else {
            Err(self.missing(what, hint))
        }
    }

    /// The line must end here.
    pub fn expect_end(&self, hint: &str) -> Result<(), Problem> {
        match self.peek() {
            None => Ok(()),
            Some(token) => {
                let message = format!("{} where the line should end", token.name());
                Err(Problem::new(&self.span(), message, "too much", hint))
            }
        }
    }

    /// A message that `what` is missing at the next token.
    pub fn missing(&self, what: &str, hint: &str) -> Problem {
        let found = self.peek().map_or("the end of the line", Token::name);
        Problem::new(&self.span(), format!("{what} is missing, found {found}"), format!("expected {what}"), hint)
    }

    /// An expression: sums of products.
    pub fn expression(&mut self) -> Result<Expression, Problem> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Plus) => Operator::Add,
                Some(Token::Minus) => Operator::Subtract,
                _ => return Ok(left),
            };
            self.take();
            left = Expression::Binary(Box::new(left), operator, Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expression, Problem> {
        let mut left = self.atom()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Times) => Operator::Multiply,
                Some(Token::Slash) => Operator::Divide,
                Some(Token::Percent) => Operator::Remainder,
                Some(Token::Special) => {
                    let hint = "a remainder is written with spaces: `a % b`";
                    return Err(Problem::new(&self.span(), "a special register in an expression", "here", hint));
                }
                _ => return Ok(left),
            };
            self.take();
            left = Expression::Binary(Box::new(left), operator, Box::new(self.atom()?));
        }
    }

    fn atom(&mut self) -> Result<Expression, Problem> {
        match self.peek() {
            Some(Token::Number) => self.number().map(Expression::Number),
            Some(Token::Float) => self.float(false).map(Expression::Number),
            Some(Token::Word) => Ok(Expression::Name(self.take().0.to_string())),
            Some(Token::Minus) => {
                self.take();
                match self.peek() {
                    Some(Token::Float) => return self.float(true).map(Expression::Number),
                    Some(Token::Word | Token::OpenGroup) => {
                        let zero = Box::new(Expression::Number(0));
                        return Ok(Expression::Binary(zero, Operator::Subtract, Box::new(self.atom()?)));
                    }
                    _ => {}
                }
                let span = self.span();
                let value = self.number()?;
                if value > 1 << 31 {
                    let hint = "a negative immediate is -2147483648 at least";
                    return Err(Problem::new(&span, "this number does not fit 32 bits", "too large", hint));
                }
                Ok(Expression::Number(value.wrapping_neg()))
            }
            Some(Token::OpenGroup) if self.nesting < NESTING_LIMIT => {
                self.take();
                self.nesting += 1;
                let inner = self.expression()?;
                self.nesting -= 1;
                self.expect(Token::CloseGroup, "`)`", "every `(` needs a `)` on the same line")?;
                Ok(inner)
            }
            Some(Token::OpenGroup) => {
                Err(Problem::new(&self.span(), "parentheses nest too deeply", "32 are open", "simplify the expression"))
            }
            _ => Err(self.missing("a number", "a number is decimal, `0x` and hexadecimal, a float, or a name")),
        }
    }

    /// An integer of 32 bits.
    pub fn number(&mut self) -> Result<u32, Problem> {
        let (word, span) =
            self.expect(Token::Number, "a number", "write it in decimal, or in hexadecimal with `0x`")?;
        let digits = word.replace('_', "");
        let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        parsed.map_err(|_| {
            let hint = "an immediate is 0 to 4294967295 (0xffffffff), or -2147483648 to -1";
            Problem::new(&span, "this number does not fit 32 bits", "out of range", hint)
        })
    }

    fn float(&mut self, negative: bool) -> Result<u32, Problem> {
        let (word, span) = self.take();
        let value: f32 = word.parse().map_err(|_| {
            Problem::new(&span, "this is no float", "not understood", "a float looks like 1.5 or 2.0e-3")
        })?;
        Ok(if negative { -value } else { value }.to_bits())
    }
}
