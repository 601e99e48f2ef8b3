//! What is wrong with a kernel file: place, line, hint (IS-05).

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode, SourceSpan};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Mistakes that are shown; a file that is no kernel at all would have one a line.
const SHOWN: usize = 20;

/// Every mistake of one file.
#[derive(Debug, Error, Diagnostic)]
#[error("{file_name} does not assemble: {count} mistake{}{}", if *count == 1 { "" } else { "s" }, if *count > SHOWN { ", the first of which are" } else { "" })]
pub struct Errors {
    /// The file.
    pub file_name: String,
    /// How many mistakes there are.
    pub count: usize,
    /// The first of them, in the order of the text.
    #[related]
    pub mistakes: Vec<Mistake>,
}

/// One mistake, or a warning.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
pub struct Mistake {
    /// Does it stop the file from being used?
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file's text.
    pub source_code: NamedSource<Arc<String>>,
    /// Where.
    pub span: SourceSpan,
    /// What stands there.
    pub label: String,
    /// What to do about it.
    pub hint: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

// Written out, since the severity is not the same for all.
impl Diagnostic for Mistake {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(&self.hint))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(self.label.clone()), self.span))))
    }
}

/// A mistake before it is tied to its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What stands there.
    pub label: String,
    /// What to do about it.
    pub hint: String,
}

impl Problem {
    /// A mistake at a place.
    pub fn new(
        span: &Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Problem { span: span.clone(), message: message.into(), label: label.into(), hint: hint.into() }
    }
}

impl Errors {
    /// The mistakes of a file.
    pub(super) fn of(file_name: &str, text: &str, problems: Vec<Problem>) -> Self {
        let count = problems.len();
        let mistakes = tied(file_name, text, problems, Severity::Error);
        Errors { file_name: file_name.to_string(), count, mistakes }
    }
}

/// Problems tied to their file, in the order of the text.
pub(super) fn tied(file_name: &str, text: &str, mut problems: Vec<Problem>, severity: Severity) -> Vec<Mistake> {
    problems.sort_by_key(|problem| problem.span.start);
    let source_code = NamedSource::new(file_name, Arc::new(text.to_string()));
    let tie = |Problem { span, message, label, hint }: Problem| {
        let before = &text[..span.start.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Mistake {
            severity,
            message,
            source_code: source_code.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: span.into(),
            label,
            hint,
        }
    };
    problems.into_iter().take(SHOWN).map(tie).collect()
}

/// The one of `names` that is most like `wrong`, if any is like it at all, as a hint.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .min()
        .filter(|(distance, name)| *distance <= name.chars().count().max(wrong.chars().count()) / 2)
        .map(|(_, name)| name)
}

/// How many characters must be changed, inserted or removed to turn one name into the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, from) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, to) in right.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
