//! Files a command writes: whole or not at all (UX-07), and complaints about files it reads.

use std::io::Write;
use std::path::Path;

use super::error::CliError;

/// Writes a file in one step: to a temporary file beside it, which then takes its name. An interrupt in between leaves the
/// old file as it was.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), CliError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let complain = |cause: std::io::Error| {
        CliError::input(
            format!("cannot write {}: {cause}", path.display()),
            "does the folder exist, and may you write to it?",
        )
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(complain)?;
    file.write_all(content).map_err(complain)?;
    // Temporary files are private; a result is as readable as any other file of its owner.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(complain)?;
    }
    file.persist(path).map_err(|failure| complain(failure.error))?;
    Ok(())
}

/// Reads a text file that the person named.
pub fn read_text(path: &Path, what: &str) -> Result<String, CliError> {
    std::fs::read_to_string(path).map_err(|cause| {
        CliError::input(
            format!("cannot read the {what} {}: {cause}", path.display()),
            "check the path and its spelling",
        )
    })
}

/// Reads JSON that the person named; a syntax error shows the line.
pub fn parse_json<T: serde::de::DeserializeOwned>(
    name: &str,
    text: &str,
    what: &str,
    hint: &str,
) -> Result<T, CliError> {
    serde_json::from_str(text).map_err(|cause| {
        let offset = text
            .split_inclusive('\n')
            .take(cause.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>()
            .saturating_add(cause.column().saturating_sub(1))
            .min(text.len().saturating_sub(1));
        CliError::Input(miette::Report::new(JsonError {
            message: format!(
                "{name}:{}:{}: this {what} is not what it should be: {cause}",
                cause.line(),
                cause.column()
            ),
            hint: hint.to_string(),
            text: miette::NamedSource::new(name, text.to_string()),
            place: (offset, usize::from(!text.is_empty())).into(),
        }))
    })
}

/// A JSON file that does not parse or does not fit its schema.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
#[diagnostic(help("{hint}"))]
struct JsonError {
    message: String,
    hint: String,
    #[source_code]
    text: miette::NamedSource<String>,
    #[label("here")]
    place: miette::SourceSpan,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-07: the old content survives until the new one is complete, and nothing else stays in the folder.
    #[test]
    fn writing_replaces_whole_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("result.json");
        write_atomically(&path, b"old").expect("first write");
        write_atomically(&path, b"new").expect("second write");
        assert_eq!(std::fs::read(&path).expect("the file"), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }

    /// UX-08: a folder that does not exist is bad input, not a panic.
    #[test]
    fn unwritable_place_is_bad_input() {
        let failure = write_atomically(Path::new("/nonexistent-folder/x"), b"").expect_err("no such folder");
        assert_eq!(failure.exit_code(), 2);
    }
}
