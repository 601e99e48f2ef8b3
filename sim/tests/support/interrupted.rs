//! Ctrl-C at a door, as a person presses it (UX-07). The tests of every door use it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Starts a door in `folder`, presses Ctrl-C when it has worked for so long, and gives what it ends with and says on its standard error.
///
/// # Panics
/// If it cannot be started, or `kill` finds it gone already: then it was no long work.
pub fn interrupted(door: &str, arguments: &[&str], folder: &Path, after: Duration) -> Output {
    let child = Command::new(assert_cmd::cargo::cargo_bin(door))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(after);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    child.wait_with_output().expect("it ends")
}
