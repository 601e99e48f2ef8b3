//! Files a command writes: whole or not at all (UX-07), and complaints about files it reads.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::CliError;

/// A file that takes its name only when it is complete. Dropped before, it leaves nothing behind and an old file as it was.
pub struct PendingFile {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

impl PendingFile {
    /// A temporary file beside `path`.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = tempfile::NamedTempFile::new_in(folder).map_err(|cause| unwritable(path, &cause))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Gives the file its name.
    pub fn complete(mut self) -> Result<(), CliError> {
        let Self { path, file } = &mut self;
        file.flush().map_err(|cause| unwritable(path, &cause))?;
        // Temporary files are private; a result is as readable as any other file of its owner.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let readable = std::fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(readable).map_err(|cause| unwritable(path, &cause))?;
        }
        self.file.persist(&self.path).map_err(|failure| unwritable(&self.path, &failure.error))?;
        Ok(())
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl std::io::Seek for PendingFile {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

/// The complaint about a file that cannot be written.
pub fn unwritable(path: &Path, cause: &dyn std::fmt::Display) -> CliError {
    CliError::input(
        format!("cannot write {}: {cause}", path.display()),
        "does the folder exist, and may you write to it?",
    )
}

/// Writes a file in one step.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), CliError> {
    let mut file = PendingFile::create(path)?;
    file.write_all(content).map_err(|cause| unwritable(path, &cause))?;
    file.complete()
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
