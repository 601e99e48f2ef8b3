//! What need not be covered, and why: `verilator-tb/coverage/exclusions.json`.

use super::points::{Kind, Point};
use crate::error::{Error, Result};
use heddle_hdl::points::Entry;
use serde::Deserialize;

/// The list.
const LIST: &str = include_str!("../../coverage/exclusions.json");

/// Something that is left out of the count.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exclusion {
    /// The block; all if it is left out.
    #[serde(default)]
    block: Option<String>,
    /// The part whose module is meant: empty for the top module; all if it is left out.
    #[serde(default)]
    part: Option<String>,
    /// The signal whose toggles are meant, or the branch (`else` of line 12: `12:else`); a signal without bits is all of them.
    what: String,
    /// Why it cannot be covered, or need not.
    reason: String,
}

/// All exclusions.
#[derive(Clone, Debug)]
pub struct Exclusions(Vec<Exclusion>);

impl Exclusions {
    /// Reads the list.
    ///
    /// # Errors
    /// A list that is not well-formed.
    pub fn read() -> Result<Self> {
        serde_json::from_str(LIST)
            .map(Self)
            .map_err(|cause| Error::Internal { place: "coverage/exclusions.json".into(), cause: cause.to_string() })
    }

    /// Why `point` of `entry` does not count, if it does not.
    pub fn reason(&self, entry: &Entry, point: &Point) -> Option<&str> {
        let fits = |exclusion: &&Exclusion| {
            let part = exclusion.part.as_ref().is_none_or(|part| {
                let part = if part.is_empty() { String::new() } else { format!("_{part}") };
                point.module == format!("{}{part}", entry.module())
            });
            let what = &exclusion.what;
            let place = match point.kind {
                Kind::Line => format!("{}:{}", point.line, point.name) == *what,
                Kind::Toggle => point.name.strip_prefix(what.as_str()).is_some_and(|rest| rest.starts_with(['[', ':'])),
            };
            part && place && exclusion.block.as_ref().is_none_or(|block| block == entry.block)
        };
        self.0.iter().find(fits).map(|exclusion| exclusion.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_hdl::points;

    /// XV-08: every exclusion is about a block that there is, and has a reason.
    #[test]
    fn xv_08_every_exclusion_has_a_reason() {
        for exclusion in Exclusions::read().expect("a well-formed list").0 {
            let known = |name: &String| points::entries().iter().any(|entry| entry.block == name);
            assert!(exclusion.block.as_ref().is_none_or(known), "{exclusion:?}");
            assert!(exclusion.reason.len() > 20, "{exclusion:?}");
        }
    }
}
