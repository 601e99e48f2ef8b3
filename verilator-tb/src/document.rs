//! Tables of documents that a command renews, a row for each block and point.

use crate::error::{Error, Result};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use std::collections::BTreeMap;
use std::path::Path;

/// A table, which stands between the marks `<!-- name -->` and `<!-- /name -->`.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of the marks.
    pub name: &'static str,
    /// The columns behind block and point, all of them numbers.
    pub columns: &'static [&'static str],
}

/// A block, its point, and the cells behind them.
pub type Row = (String, String, Vec<String>);

impl Table {
    /// Puts `rows` into the document at `path`; those of other blocks and points stay.
    ///
    /// # Errors
    /// A file that cannot be read or written, or has no marks.
    pub fn write(self, path: &Path, rows: &[Row]) -> std::result::Result<(), CliError> {
        let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
        files::write_atomically(path, self.renewed(&text, rows, path)?.as_bytes())
    }

    fn renewed(self, text: &str, renewed: &[Row], path: &Path) -> Result<String> {
        let (opens, closes) = (format!("<!-- {} -->\n", self.name), format!("<!-- /{} -->", self.name));
        let parts = text.split_once(&opens).and_then(|(before, rest)| Some((before, rest.split_once(&closes)?)));
        let Some((before, (table, after))) = parts else {
            return Err(Error::Input {
                place: path.display().to_string(),
                cause: "it has no table to renew".into(),
                hint: format!("put the lines {} and {closes} where the table belongs", opens.trim()),
            });
        };
        let mut rows: BTreeMap<String, String> = BTreeMap::new();
        for line in table.lines().filter(|line| line.starts_with("| `")) {
            let key: Vec<&str> = line.split('|').take(3).collect();
            rows.insert(key.join("|"), line.to_string());
        }
        for (block, point, cells) in renewed {
            let key = format!("| `{block}` | {point} ");
            rows.insert(key.clone(), format!("{key}| {} |", cells.join(" | ")));
        }
        let rows: String = rows.into_values().map(|row| row + "\n").collect();
        let header = format!(
            "| block | point | {} |\n| --- | --- |{}\n",
            self.columns.join(" | "),
            " ---: |".repeat(self.columns.len())
        );
        Ok(format!("{before}{opens}{header}{rows}{closes}{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08, XV-12: a run replaces its own row and leaves the others.
    #[test]
    fn xv_12_a_run_renews_its_row() {
        let table = Table { name: "mutation", columns: &["mutants", "killed"] };
        let row = |point: &str, killed: &str| ("deque".into(), point.into(), vec!["1,000".into(), killed.into()]);
        let path = Path::new("document");
        let text = "a\n<!-- mutation -->\n<!-- /mutation -->\nb\n";
        let text = table.renewed(text, &[row("1x1", "7"), row("2x2", "8")], path).expect("it has marks");
        let text = table.renewed(&text, &[row("1x1", "9")], path).expect("it has marks");
        let header = "| block | point | mutants | killed |\n| --- | --- | ---: | ---: |\n";
        assert_eq!(
            text,
            format!("a\n<!-- mutation -->\n{header}| `deque` | 1x1 | 1,000 | 9 |\n| `deque` | 2x2 | 1,000 | 8 |\n<!-- /mutation -->\nb\n")
        );
        assert!(table.renewed("no marks", &[], path).is_err());
    }
}
