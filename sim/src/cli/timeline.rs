//! A warp's timeline as text: a row for each thread, a column for each slice of time (UX-02).

use anstyle::{AnsiColor, Style};

use crate::machine::timeline::{ThreadState, Timeline};

/// Columns of a timeline, so that it fits 80-column terminals with its row labels.
pub const COLUMNS: usize = 64;

/// The rows of a timeline, coloured; the printing stream drops the colours where they do not belong. Neighbouring threads that
/// did the same share a row.
pub fn render(timeline: &Timeline, title: &str) -> String {
    let rows = timeline.rows(COLUMNS);
    let mut text = format!(
        "{title}: {} cycles, {} a column\n",
        timeline.cycles(),
        plural(timeline.column_cycles(COLUMNS), "cycle")
    );
    let mut first = 0;
    while first < rows.len() {
        let same = rows[first..].iter().take_while(|row| **row == rows[first]).count();
        let label = if same == 1 { format!("{first}") } else { format!("{first}-{}", first + same - 1) };
        text.push_str(&format!("{label:>7} "));
        push_row(&mut text, &rows[first]);
        text.push('\n');
        first += same;
    }
    text
}

/// The legend of the states that occur in `timelines`.
pub fn legend(timelines: &[&Timeline]) -> String {
    let used = |state: &ThreadState| {
        timelines.iter().any(|timeline| timeline.rows(COLUMNS).iter().any(|row| row.contains(state)))
    };
    let entry = |state: ThreadState| {
        let style = style(state);
        let name = match state {
            ThreadState::Active => "active".to_string(),
            ThreadState::Exited => "not running".to_string(),
            ThreadState::Disabled(kind) => format!("disabled ({})", kind.name()),
        };
        format!("{style}{}{style:#} {name}", state.letter())
    };
    ThreadState::ALL.into_iter().filter(used).map(entry).collect::<Vec<_>>().join("   ")
}

/// A count and its noun.
pub fn plural(count: u64, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

fn push_row(text: &mut String, row: &[ThreadState]) {
    let mut rest = row;
    while let Some(&state) = rest.first() {
        let run = rest.iter().take_while(|&&other| other == state).count();
        let style = style(state);
        let letters = state.letter().to_string().repeat(run);
        text.push_str(&format!("{style}{letters}{style:#}"));
        rest = &rest[run..];
    }
}

fn style(state: ThreadState) -> Style {
    match state {
        ThreadState::Active => AnsiColor::Green.on_default().bold(),
        ThreadState::Exited => AnsiColor::BrightBlack.on_default(),
        ThreadState::Disabled(crate::engine::Kind::Yield) => AnsiColor::Cyan.on_default(),
        ThreadState::Disabled(_) => AnsiColor::Yellow.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Kind;

    /// UX-02: threads that did the same share a row, and the letters show who ran when.
    #[test]
    fn rows_of_a_short_run() {
        let mut timeline = Timeline::new(3, 16);
        for cycle in 0..4 {
            let first = if cycle < 2 { ThreadState::Active } else { ThreadState::Exited };
            let others = if cycle < 2 { ThreadState::Disabled(Kind::Sync) } else { ThreadState::Active };
            timeline.record(&[first, others, others], 1);
        }
        let text = anstream::adapter::strip_str(&render(&timeline, "warp 0")).to_string();
        assert_eq!(text, "warp 0: 4 cycles, 1 cycle a column\n      0 ##..\n    1-2 ss##\n");
        let legend = anstream::adapter::strip_str(&legend(&[&timeline])).to_string();
        assert_eq!(legend, "# active   s disabled (sync)   . not running");
    }
}
