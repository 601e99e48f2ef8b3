//! What can go wrong at this door, with place, cause and hint, and the exit code that each kind ends with (UX-08).

use heddle_sim::cli::error::CliError;
use miette::Diagnostic;
use std::path::PathBuf;
use thiserror::Error;

/// An error of the test bench.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// A program that this command needs is not installed.
    #[error("{tool} was not found: neither in {} nor on PATH", folder.display())]
    #[diagnostic(help("run scripts/setup, which installs the pinned {tool}; HEDDLE_TOOLS names another folder"))]
    MissingTool {
        /// The program.
        tool: &'static str,
        /// The folder where the setup script puts it.
        folder: PathBuf,
    },
    /// A program that this command called failed.
    #[error("{tool} failed on {}: {message}", place.display())]
    #[diagnostic(help("{hint}"))]
    ToolFailed {
        /// The program.
        tool: &'static str,
        /// What it worked on.
        place: PathBuf,
        /// The first lines of its complaint.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {cause}", place.display())]
    #[diagnostic(help("check that the path exists and may be read and written"))]
    File {
        /// The file or folder.
        place: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// What the user typed, or a file that the user named, makes no sense.
    #[error("{place}: {cause}")]
    #[diagnostic(help("{hint}"))]
    Input {
        /// Where: an argument, or a file with the spot in it.
        place: String,
        /// What is wrong.
        cause: String,
        /// What would be right.
        hint: String,
    },
    /// The run came to its end, and its own check failed.
    #[error("{what}")]
    #[diagnostic(help("{hint}"))]
    Check {
        /// What did not hold.
        what: String,
        /// How to see it again.
        hint: String,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// Two of our own parts disagree: a defect here.
    #[error("{place}: {cause}")]
    #[diagnostic(help("this is a defect of heddle-tb; please report it with the command that led here"))]
    Internal {
        /// Where.
        place: String,
        /// What.
        cause: String,
    },
}

impl Error {
    /// The process exit code of this error (UX-08).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Check { .. } => 1,
            Error::MissingTool { .. } | Error::ToolFailed { .. } | Error::File { .. } | Error::Input { .. } => 2,
            Error::Internal { .. } => 3,
            Error::Interrupted => 130,
        }
    }

    /// For `map_err` on file operations: ties the cause to its path.
    pub fn file(place: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let place = place.into();
        move |cause| Error::File { place, cause }
    }
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        match error {
            Error::Check { what, .. } => CliError::Check(what),
            Error::Internal { .. } => CliError::Internal(error.to_string()),
            Error::Interrupted => CliError::Interrupted,
            _ => CliError::Input(miette::Report::new(error)),
        }
    }
}
