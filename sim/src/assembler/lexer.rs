//! Words and signs of a kernel file.

use super::errors::Problem;
use logos::Logos;
use std::ops::Range;

/// What a token is; its text is the span's.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r]+")]
#[logos(skip r"//[^\n]*")]
pub enum Token {
    /// Mnemonic, register, label, parameter.
    #[regex(r"[A-Za-z_][A-Za-z0-9_.]*")]
    Word,
    /// `.kernel`, `.param`, …
    #[regex(r"\.[A-Za-z_][A-Za-z0-9_]*")]
    Directive,
    /// `%lane`, …
    #[regex(r"%[A-Za-z_][A-Za-z0-9_]*")]
    Special,
    /// An integer.
    #[regex(r"0[xX][0-9A-Fa-f_]+")]
    #[regex(r"[0-9][0-9_]*")]
    Number,
    /// A number with a fraction or exponent: a 32-bit float.
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    Float,
    /// A text between quotes.
    #[regex(r#""[^"\n]*""#)]
    Text,
    /// Guard.
    #[token("@")]
    At,
    /// Not.
    #[token("!")]
    Not,
    /// Between operands.
    #[token(",")]
    Comma,
    /// After a label.
    #[token(":")]
    Colon,
    /// Opens an address.
    #[token("[")]
    Open,
    /// Closes an address.
    #[token("]")]
    Close,
    /// Opens a part of an expression.
    #[token("(")]
    OpenGroup,
    /// Closes it.
    #[token(")")]
    CloseGroup,
    /// Sum.
    #[token("+")]
    Plus,
    /// Difference.
    #[token("-")]
    Minus,
    /// Product.
    #[token("*")]
    Times,
    /// Quotient.
    #[token("/")]
    Slash,
    /// Remainder.
    #[token("%")]
    Percent,
    /// Value follows.
    #[token("=")]
    Equals,
}

impl Token {
    /// How messages name it.
    pub const fn name(self) -> &'static str {
        match self {
            Token::Word => "a name",
            Token::Directive => "a directive",
            Token::Special => "a special register",
            Token::Number => "a number",
            Token::Float => "a float",
            Token::Text => "a text between quotes",
            Token::At => "`@`",
            Token::Not => "`!`",
            Token::Comma => "`,`",
            Token::Colon => "`:`",
            Token::Open => "`[`",
            Token::Close => "`]`",
            Token::OpenGroup => "`(`",
            Token::CloseGroup => "`)`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Times => "`*`",
            Token::Slash => "`/`",
            Token::Percent => "`%`",
            Token::Equals => "`=`",
        }
    }
}

/// A token with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub token: Token,
    /// Where it is.
    pub span: Range<usize>,
}

/// The tokens of the line that starts at byte `start` of the file.
pub fn tokens_of(line: &str, start: usize) -> Result<Vec<Lexeme>, Problem> {
    Token::lexer(line)
        .spanned()
        .map(|(token, span)| {
            let span = start + span.start..start + span.end;
            token.map(|token| Lexeme { token, span: span.clone() }).map_err(|()| Problem {
                message: "this is no part of a kernel file".to_string(),
                label: "not understood".to_string(),
                hint: if line[span.start - start..].starts_with('"') {
                    "close the text with `\"` on the same line".to_string()
                } else {
                    "comments begin with `//`; texts stand between double quotes".to_string()
                },
                span,
            })
        })
        .collect()
}
