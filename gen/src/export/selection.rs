//! Which blocks and points the person means.

use heddle_hdl::points::Entry;
use heddle_sim::assembler::nearest;
use heddle_sim::cli::error::CliError;

/// The entries of these blocks at these points; an empty list stands for all.
///
/// # Errors
/// An unknown name, or blocks and points that do not meet.
pub fn select(entries: Vec<Entry>, blocks: &[String], points: &[String]) -> Result<Vec<Entry>, CliError> {
    for block in blocks {
        check(block, "block", entries.iter().map(|entry| entry.block))?;
    }
    for point in points {
        check(point, "point", entries.iter().map(|entry| entry.point))?;
    }
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|wish| wish == name);
    let chosen: Vec<Entry> =
        entries.into_iter().filter(|entry| wanted(blocks, entry.block) && wanted(points, entry.point)).collect();
    if chosen.is_empty() {
        return Err(CliError::input(
            format!("no block of {} has the point {}", blocks.join(", "), points.join(", ")),
            "`cargo export list` shows the points of each block",
        ));
    }
    Ok(chosen)
}

fn check<'a>(name: &str, what: &str, known: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&name) {
        return Ok(());
    }
    let hint = match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`? `cargo export list` shows them all"),
        None => format!("there are: {}", known.join(", ")),
    };
    Err(CliError::input(format!("there is no {what} `{name}`"), hint))
}
