//! Ctrl-C: long work looks at a flag, and ends with exit code 130 (UX-07, UX-08).

use std::sync::atomic::{AtomicBool, Ordering};

use super::error::CliError;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C raise the flag; a second one ends the process at once. Also gives a panic the exit code of an internal
/// error. Call it once, first thing in `main`.
pub fn set_up() {
    // A handler can be missing (a host that forbids it); then Ctrl-C simply kills the process, and files are still atomic.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    std::panic::set_hook(Box::new(|cause| {
        eprintln!("internal error: {cause}\nThis is a bug in Heddle; please report the command and this line.");
        std::process::exit(3);
    }));
}

/// Was Ctrl-C pressed?
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The same as an error, for `?`.
pub fn check_interrupt() -> Result<(), CliError> {
    if interrupted() {
        Err(CliError::Interrupted)
    } else {
        Ok(())
    }
}
