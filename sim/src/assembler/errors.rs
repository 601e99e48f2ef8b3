//! What is wrong with a kernel file: place, line, hint.

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// Every mistake of one file.
#[derive(Debug, Error, Diagnostic)]
#[error("{file_name} does not assemble: {} mistake{}", mistakes.len(), if mistakes.len() == 1 { "" } else { "s" })]
pub struct Errors {
    /// The file.
    pub file_name: String,
    /// The mistakes, in the order of the text.
    #[related]
    pub mistakes: Vec<Mistake>,
}

/// One mistake.
#[derive(Clone, Debug, Error, Diagnostic)]
#[error("{message}")]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// The file's text.
    #[source_code]
    pub source_code: NamedSource<String>,
    /// Where.
    #[label("{label}")]
    pub span: SourceSpan,
    /// What stands there.
    pub label: String,
    /// What to do about it.
    #[help]
    pub hint: String,
}

impl Errors {
    /// No mistakes yet.
    pub fn none_of(file_name: &str) -> Self {
        Errors { file_name: file_name.to_string(), mistakes: Vec::new() }
    }
}
