//! The words of a Verilog text, with their places.

use std::ops::Range;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A name or a keyword.
    Name,
    /// A number, sized or not.
    Number,
    /// An operator or a bracket.
    Symbol,
}

/// A word and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub word: Word,
    /// Where it stands.
    pub span: Range<usize>,
}

/// The symbols of more than one character, the longest first.
const LONG: [&str; 9] = ["<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "+:"];

/// The words of `text`; comments are none.
pub fn words(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if bytes[at].is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let (word, length) = word(rest);
            tokens.push(Token { word, span: at..at + length });
            at += length;
        }
    }
    tokens
}

/// The first word of `rest`, and how long it is.
fn word(rest: &str) -> (Word, usize) {
    let while_in = |test: &dyn Fn(char) -> bool| rest.find(|letter| !test(letter)).unwrap_or(rest.len());
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        return (Word::Number, while_in(&|letter| letter.is_ascii_alphanumeric() || letter == '\''));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        return (Word::Name, while_in(&|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$'));
    }
    let length = LONG.iter().find(|symbol| rest.starts_with(**symbol)).map_or(first.len_utf8(), |symbol| symbol.len());
    (Word::Symbol, length)
}
