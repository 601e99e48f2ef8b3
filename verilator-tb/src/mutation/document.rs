//! The table of `docs/mutation.md`.

use super::report::Report;
use crate::error::{Error, Result};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use heddle_sim::cli::output::grouped;
use std::collections::BTreeMap;
use std::path::Path;

const OPENS: &str = "<!-- mutation -->\n";
const CLOSES: &str = "<!-- /mutation -->";
const HEADER: &str =
    "| block | point | ways to break it | mutants | cycles | killed | equivalent | explained | alive |\n\
                      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";

/// Puts the rows of `reports` into the document at `path`; the rows of other blocks and points stay.
///
/// # Errors
/// A file that cannot be read or written, or has no marks.
pub fn write(path: &Path, reports: &[Report]) -> std::result::Result<(), CliError> {
    let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
    files::write_atomically(path, renewed(&text, reports, path)?.as_bytes())
}

fn renewed(text: &str, reports: &[Report], path: &Path) -> Result<String> {
    let parts = text.split_once(OPENS).and_then(|(before, rest)| Some((before, rest.split_once(CLOSES)?)));
    let Some((before, (table, after))) = parts else {
        return Err(Error::Input {
            place: path.display().to_string(),
            cause: "it has no table to renew".into(),
            hint: format!("put the lines {} and {CLOSES} where the table belongs", OPENS.trim()),
        });
    };
    let mut rows: BTreeMap<String, String> = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let key: Vec<&str> = line.split('|').take(3).collect();
        rows.insert(key.join("|"), line.to_string());
    }
    for report in reports {
        let key = format!("| `{}` | {} ", report.block, report.point);
        let numbers = [
            report.candidates as u64,
            report.mutants as u64,
            report.cycles,
            report.killed as u64,
            report.equivalent() as u64,
            report.explained() as u64,
            report.alive().count() as u64,
        ];
        let cells: Vec<String> = numbers.into_iter().map(grouped).collect();
        rows.insert(key.clone(), format!("{key}| {} |", cells.join(" | ")));
    }
    let rows: String = rows.into_values().map(|row| row + "\n").collect();
    Ok(format!("{before}{OPENS}{HEADER}{rows}{CLOSES}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: a run replaces its own row and leaves the others.
    #[test]
    fn xv_12_a_run_renews_its_row() {
        let report = |point: &str, killed| Report {
            block: "deque".into(),
            point: point.into(),
            candidates: 2000,
            mutants: 1000,
            killed,
            cycles: 10,
            survivors: Vec::new(),
        };
        let path = Path::new("document");
        let text = format!("a\n{OPENS}{CLOSES}\nb\n");
        let text = renewed(&text, &[report("1x1", 7), report("2x2", 8)], path).expect("it has marks");
        let text = renewed(&text, &[report("1x1", 9)], path).expect("it has marks");
        assert!(text.starts_with("a\n") && text.ends_with("\nb\n"), "{text}");
        assert!(text.contains("| `deque` | 1x1 | 2,000 | 1,000 | 10 | 9 | 0 | 0 | 0 |"), "{text}");
        assert!(text.contains("| `deque` | 2x2 | 2,000 | 1,000 | 10 | 8 | 0 | 0 | 0 |"), "{text}");
        assert_eq!(text.matches("`deque`").count(), 2);
        assert!(renewed("no marks", &[], path).is_err());
    }
}
