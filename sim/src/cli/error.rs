//! How a command ends: the exit codes of every door (UX-08).

use std::process::ExitCode;

/// Why a command did not end well; each variant has its exit code.
#[derive(Debug)]
pub enum CliError {
    /// The run failed its own check: wrong memory, a deadlock, an engine that disagrees. The report was printed already
    /// where the person looks for it; this line sums it up. Exit code 1.
    Check(String),
    /// Bad input or a missing tool. Exit code 2.
    Input(miette::Report),
    /// Something that cannot be the person's fault. Exit code 3.
    Internal(String),
    /// Ctrl-C. Exit code 130.
    Interrupted,
}

/// A complaint without a source line.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
#[diagnostic(help("{hint}"))]
struct Complaint {
    message: String,
    hint: String,
}

impl CliError {
    /// Bad input: place and cause in `message`, and a hint.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        CliError::Input(miette::Report::new(Complaint { message: message.into(), hint: hint.into() }))
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Check(_) => 1,
            CliError::Input(_) => 2,
            CliError::Internal(_) => 3,
            CliError::Interrupted => 130,
        }
    }
}

impl From<miette::Report> for CliError {
    fn from(report: miette::Report) -> Self {
        CliError::Input(report)
    }
}

/// Prints what went wrong and gives the process its exit code; the last call of every door's `main`.
pub fn finish(result: Result<(), CliError>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    match &failure {
        CliError::Check(summary) => anstream::eprintln!("failed: {summary}"),
        CliError::Input(report) => anstream::eprintln!("{report:?}"),
        CliError::Internal(cause) => {
            anstream::eprintln!(
                "internal error: {cause}\nThis is a bug in Heddle; please report the command and this line."
            )
        }
        CliError::Interrupted => anstream::eprintln!("interrupted"),
    }
    ExitCode::from(failure.exit_code())
}
