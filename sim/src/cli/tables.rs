//! Runs as tables: one run, a few side by side, many as rows.

use comfy_table::Table;

use crate::engine::YieldPolicy;

use super::execute::Report;
use super::json::path_policy_name;
use super::options::YieldChoice;
use super::output::{grouped, table};

/// The figures of a run, with their names.
fn figures(report: &Report) -> Vec<(&'static str, String)> {
    let counters = &report.outcome.counters;
    let instructions = &counters.instructions;
    let exceptions = &counters.exceptions;
    let barriers = &counters.barriers;
    vec![
        ("end", report.outcome.verdict.name().to_string()),
        ("memory", report.check().to_string()),
        ("cycles", grouped(counters.cycles)),
        ("instructions", grouped(instructions.total())),
        ("  control", grouped(instructions.control)),
        ("  integer and float", grouped(instructions.integer + instructions.float)),
        ("  memory and atomic", grouped(instructions.memory + instructions.atomic)),
        ("  vote and shuffle", grouped(instructions.exchange)),
        ("  barrier", grouped(instructions.barrier)),
        ("SIMD efficiency", percent(counters.simd_efficiency(report.configuration.threads))),
        ("stall cycles", grouped(counters.stalls.total())),
        ("  engine busy", grouped(counters.stalls.engine_busy)),
        ("  engine refused", grouped(counters.stalls.engine_refused)),
        ("  launch", grouped(counters.stalls.launch)),
        ("  asleep at barriers", grouped(counters.stalls.barrier)),
        ("  sleeps and wake-ups", grouped(counters.stalls.barrier_moves)),
        ("  saves and restores", grouped(counters.stalls.suspension)),
        ("  memory", grouped(counters.stalls.memory)),
        ("diverged branches", grouped(counters.diverged)),
        ("tokens pushed", grouped(counters.tokens_pushed)),
        ("tokens at once", grouped(counters.peak_tokens())),
        ("tree nodes at once", grouped(counters.peak_nodes())),
        ("yields", grouped(counters.yielded)),
        ("  merged", grouped(counters.merged)),
        ("tokens discarded", grouped(counters.discarded)),
        ("exceptions", grouped(exceptions.total())),
        ("  recenter", grouped(exceptions.recenter)),
        ("  spill and refill", grouped(exceptions.spill + exceptions.refill)),
        ("blocks done", grouped(counters.blocks_done)),
        ("  words of the predicate table", grouped(counters.table_words)),
        ("  at once", grouped(counters.blocks_at_once)),
        ("  suspended", grouped(counters.suspensions.suspended)),
        ("  away at once", grouped(counters.suspensions.most_away)),
        ("  not suspended", grouped(counters.suspensions.failed)),
        ("  words saved", grouped(counters.suspensions.words)),
        ("  local words copied", grouped(counters.context.copied)),
        ("  local accesses re-mapped", grouped(counters.context.remapped)),
        ("  barrier requests", grouped(barriers.presented)),
        ("  barrier waits", grouped(barriers.waits)),
        ("  threads put to sleep", grouped(barriers.slept)),
        ("  thread cycles asleep", grouped(barriers.thread_cycles_asleep)),
        ("  turns in sections", grouped(barriers.sections)),
        ("  barrier timeouts", grouped(barriers.timeouts)),
    ]
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Runs side by side: a row for each figure. Details that are zero everywhere are left out.
pub fn side_by_side(reports: &[Report]) -> Table {
    let names: Vec<String> = reports.iter().map(Report::title).collect();
    let headers: Vec<&str> = std::iter::once("").chain(names.iter().map(String::as_str)).collect();
    let mut table = table(&headers, 1);
    let columns: Vec<_> = reports.iter().map(figures).collect();
    for (row, (name, _)) in columns.first().into_iter().flatten().enumerate() {
        let values: Vec<&str> = columns.iter().map(|column| column[row].1.as_str()).collect();
        let detail = name.starts_with(' ');
        if !(detail && values.iter().all(|value| *value == "0")) {
            table.add_row(std::iter::once(*name).chain(values));
        }
    }
    table
}

/// A row of a comparison: a run, or why there is none.
pub struct Row<'a> {
    /// What was asked for.
    pub title: String,
    /// The policies.
    pub policies: String,
    /// The run.
    pub result: Result<&'a Report, &'a str>,
    /// Whether it is what the kernel's file lets one expect.
    pub note: String,
}

/// Many runs, a row each.
pub fn rows(rows: &[Row<'_>]) -> Table {
    let headers = [
        "engine",
        "policies",
        "end",
        "memory",
        "cycles",
        "instructions",
        "SIMD",
        "tokens",
        "at once",
        "yields",
        "merged",
        "exceptions",
        "note",
    ];
    let mut table = table(&headers, 4);
    if let Some(column) = table.column_mut(headers.len() - 1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for row in rows {
        match row.result {
            Err(reason) => {
                table.add_row(vec![row.title.clone(), row.policies.clone(), "not run".to_string(), reason.to_string()]);
            }
            Ok(report) => {
                let counters = &report.outcome.counters;
                table.add_row(vec![
                    row.title.clone(),
                    row.policies.clone(),
                    report.outcome.verdict.name().to_string(),
                    report.check().to_string(),
                    grouped(counters.cycles),
                    grouped(counters.instructions.total()),
                    percent(counters.simd_efficiency(report.configuration.threads)),
                    grouped(counters.tokens_pushed),
                    grouped(counters.peak_tokens()),
                    grouped(counters.yielded),
                    grouped(counters.merged),
                    grouped(counters.exceptions.total()),
                    row.note.clone(),
                ]);
            }
        }
    }
    table
}

/// The policies of a configuration in a few words.
pub fn policies(configuration: &crate::engine::Configuration) -> String {
    let path = path_policy_name(configuration.path_policy);
    let yields = YieldChoice { policy: configuration.yield_policy, parameter: configuration.yield_parameter };
    if configuration.stack_mode || configuration.tree || configuration.yield_policy == YieldPolicy::Always {
        path.to_string()
    } else {
        format!("{path}, {yields}")
    }
}
