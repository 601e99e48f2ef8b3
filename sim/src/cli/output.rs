//! Printing: results to the standard output, progress to the standard error (UX-07).

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};

use super::error::CliError;

/// Prints text, with colours where they belong. A reader that has gone away (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut output = anstream::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(cause) if cause.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::input(format!("cannot write to the standard output: {cause}"), "is the disk full?"))
        }
        _ => Ok(()),
    }
}

/// Prints a JSON document.
pub fn print_json(document: &impl serde::Serialize) -> Result<(), CliError> {
    print(&json_text(document)?)
}

/// A JSON document as text, ending in a line break.
pub fn json_text(document: &impl serde::Serialize) -> Result<String, CliError> {
    serde_json::to_string_pretty(document)
        .map(|text| text + "\n")
        .map_err(|cause| CliError::Internal(format!("a result does not fit JSON: {cause}")))
}

/// An empty table with these headers; all columns but the first `left` are aligned right.
pub fn table(headers: &[&str], left: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_header(headers);
    for index in left..headers.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How often plain lines tell of progress.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of long work: a bar on a terminal, a line now and then elsewhere.
pub struct ProgressReport {
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl ProgressReport {
    /// Progress towards `total`; without one, a spinner.
    pub fn new(total: Option<u64>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| match total {
            Some(total) => {
                let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} (ETA {eta})");
                ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            }
            None => ProgressBar::new_spinner(),
        });
        Self { bar, last_line: Instant::now() }
    }

    /// Shows how far the work is.
    pub fn update(&mut self, position: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
            bar.set_message(message());
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            anstream::eprintln!("... {}", message());
        }
    }
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-02: long numbers are readable.
    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
