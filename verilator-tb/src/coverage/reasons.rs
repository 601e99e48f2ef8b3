//! Why a point need not be covered: it stands in the list of exclusions, or it cannot be covered because a bit is constant.

use super::arms;
use super::constants::{Constant, Constants, Promise};
use super::exclusions::Exclusions;
use super::points::{Kind, Point};
use crate::error::{Error, Result};
use crate::verilated::Source;
use heddle_hdl::points::Entry;

/// What the surroundings of the blocks promise.
const PROMISES: &str = include_str!("../../coverage/promises.json");

/// What the surroundings of `entry` promise.
///
/// # Errors
/// A list that is not well-formed.
pub fn promises_of(entry: &Entry) -> Result<Vec<Promise>> {
    let holds = |promise: &Promise| {
        promise.block == entry.block && promise.point.as_ref().is_none_or(|point| *point == entry.point)
    };
    Ok(promises()?.into_iter().filter(holds).collect())
}

fn promises() -> Result<Vec<Promise>> {
    serde_json::from_str(PROMISES)
        .map_err(|cause| Error::Internal { place: "coverage/promises.json".into(), cause: cause.to_string() })
}

/// All reasons that hold for one block at one point.
pub struct Reasons {
    exclusions: Exclusions,
    promises: Vec<Promise>,
    constants: Constants,
    source: Source,
}

impl Reasons {
    /// Those of `entry`, whose export is `source`.
    ///
    /// # Errors
    /// A list that is not well-formed, or a missing tool.
    pub fn of(entry: &Entry, source: Source) -> Result<Self> {
        let promises = promises_of(entry)?;
        let constants = Constants::of(&source, &promises.iter().collect::<Vec<_>>())?;
        Ok(Self { exclusions: Exclusions::read()?, promises, constants, source })
    }

    /// Why `point` does not count, if it does not.
    pub fn reason(&self, entry: &Entry, point: &Point) -> Option<String> {
        if let Some(reason) = self.exclusions.reason(entry, point) {
            return Some(reason.to_string());
        }
        match point.kind {
            Kind::Toggle => {
                let (net, bit) = place(&point.name);
                if let Some(promise) = self.promised(&point.module, net, bit) {
                    return Some(promise.reason.clone());
                }
                self.constants.of_bit(&point.module, net, bit)?;
                Some("constant: no input changes it at this point".to_string())
            }
            Kind::Line => {
                let (lines, at) = self.lines(point)?;
                match point.name.as_str() {
                    "case" => arms::unreachable(&lines, at),
                    branch => self.always(point, lines[at], branch),
                }
            }
        }
    }

    /// Why a branch of an `if` is never taken: of the nets that must all be high (or low, where it says so) one never is, or all always are.
    fn always(&self, point: &Point, line: &str, branch: &str) -> Option<String> {
        let (condition, _) = line.split_once("if (")?.1.split_once(") ")?;
        let terms = condition.split(" & ").map(|term| {
            let (net, wanted) = term.strip_prefix('!').map_or((term, Constant::High), |net| (net, Constant::Low));
            let named = net.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let is = self.constants.of_bit(&point.module, net, 0).filter(|is| named && *is != Constant::Either);
            is.map(|is| is == wanted)
        });
        let terms: Vec<Option<bool>> = terms.collect();
        match branch {
            "if" if terms.contains(&Some(false)) => Some(format!("{condition} never holds at this point")),
            "else" if terms.iter().all(|term| *term == Some(true)) => {
                Some(format!("{condition} always holds at this point"))
            }
            _ => None,
        }
    }

    /// The promise that a point which was met breaks.
    pub fn broken(&self, point: &Point) -> Option<&Promise> {
        let (net, bit) = place(&point.name);
        if point.kind == Kind::Toggle {
            self.promised(&point.module, net, bit)
        } else {
            None
        }
    }

    fn promised(&self, module: &str, net: &str, bit: usize) -> Option<&Promise> {
        self.promises.iter().find(|promise| module == self.source.top && promise.holds(net, bit))
    }

    /// The lines of a point's module, and which of them it is.
    fn lines(&self, point: &Point) -> Option<(Vec<&str>, usize)> {
        let file = format!("{}.v", point.module);
        let (_, text) = self.source.files.iter().find(|(name, _)| *name == file)?;
        let lines: Vec<&str> = text.lines().collect();
        let at = (point.line as usize).checked_sub(1).filter(|at| *at < lines.len())?;
        Some((lines, at))
    }
}

/// The net of a toggle, and which of its bits: `count[2]:0->1`.
fn place(name: &str) -> (&str, usize) {
    let bit = name.split_once(':').map_or(name, |(bit, _)| bit);
    match bit.split_once('[') {
        Some((net, number)) => (net, number.trim_end_matches(']').parse().unwrap_or(usize::MAX)),
        None => (bit, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_hdl::points;
    use heddle_hdl::ports::Direction;

    /// XV-08: every promise is about bits of an input that some point of the block has, and has a reason.
    #[test]
    fn xv_08_every_promise_is_about_an_input() {
        for promise in promises().expect("a well-formed list") {
            let known = points::entries().into_iter().filter(|entry| entry.block == promise.block).any(|entry| {
                (entry.ports)().iter().any(|port| {
                    let fits = promise.bits.is_none_or(|(high, low)| low <= high && high < port.width);
                    port.name == promise.port && port.direction == Direction::In && fits
                })
            });
            assert!(known && promise.reason.len() > 20, "{promise:?}");
        }
    }

    /// XV-08: a toggle's name says which bit of which net.
    #[test]
    fn xv_08_a_toggle_names_its_bit() {
        assert_eq!(place("count[12]:0->1"), ("count", 12));
        assert_eq!(place("stop:1->0"), ("stop", 0));
    }
}
