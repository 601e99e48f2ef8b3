//! Results that a list of words cannot state: each check is a plain function of the launch and the final memory.

use crate::assembler::Launch;

/// A check that `.check` names.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What it demands.
    pub summary: &'static str,
    /// The check: launch, final global memory.
    pub run: fn(&Launch, &[u8]) -> Result<(), String>,
}

/// Every check.
pub const ALL: &[Check] = &[];

/// The check of a name.
pub fn find(name: &str) -> Option<&'static Check> {
    ALL.iter().find(|check| check.name == name)
}
