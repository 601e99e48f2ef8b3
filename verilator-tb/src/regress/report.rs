//! What came of a regression: one HTML file that needs no server and nothing from elsewhere, and the same as JSON.

use super::coverage::{merged, BlockCoverage};
use super::job::{JobFailure, JobResult, Suite};
use super::RegressArguments;
use crate::coverage::Report;
use heddle_sim::cli::output::grouped;
use serde::Serialize;
use std::time::Duration;

/// A further part of the page: coverage, for instance. `html` is trusted as it is.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// What stands below it.
    pub html: String,
}

/// A regression.
#[derive(Clone, Debug, Serialize)]
pub struct RegressDocument {
    /// Seeds of everything random.
    pub seeds: u64,
    /// The first of them.
    pub first: u64,
    /// Seconds from begin to end.
    pub seconds: f64,
    /// Jobs, in the order of the plan.
    pub results: Vec<JobResult>,
    /// What the traffic of all seeds covered of each block, if that was counted.
    pub coverage: Option<Vec<BlockCoverage>>,
}

/// The jobs of one kind together.
#[derive(Clone, Copy, Debug)]
pub struct SuiteSummary {
    /// Its name.
    pub name: &'static str,
    /// Jobs.
    pub jobs: u64,
    /// Those that failed.
    pub failed: u64,
    /// Simulated cycles.
    pub cycles: u64,
    /// Seconds of all of them.
    pub seconds: f64,
}

impl RegressDocument {
    /// Of a regression that took so long.
    pub fn new(arguments: &RegressArguments, took: Duration, results: Vec<JobResult>) -> Self {
        let coverage = arguments.measures_coverage().then(|| covered(&results));
        Self { seeds: arguments.seeds, first: arguments.first, seconds: took.as_secs_f64(), results, coverage }
    }

    /// Jobs that failed.
    pub fn failures(&self) -> impl Iterator<Item = (&JobResult, &JobFailure)> {
        self.results.iter().filter_map(|result| Some((result, result.failure.as_ref()?)))
    }

    /// The kinds of jobs that there were.
    pub fn suites(&self) -> Vec<SuiteSummary> {
        let all = [Suite::Kernels, Suite::Lockstep, Suite::Programs, Suite::Grids, Suite::Coverage];
        let summary = |suite: Suite| {
            let mut summary = SuiteSummary { name: suite.name(), jobs: 0, failed: 0, cycles: 0, seconds: 0.0 };
            for result in self.results.iter().filter(|result| result.suite == suite) {
                summary.jobs += 1;
                summary.failed += u64::from(result.failure.is_some());
                summary.cycles += result.cycles;
                summary.seconds += result.seconds;
            }
            summary
        };
        all.into_iter().map(summary).filter(|summary| summary.jobs > 0).collect()
    }
}

/// What was covered of each block, in the order of the plan.
fn covered(results: &[JobResult]) -> Vec<BlockCoverage> {
    let reports: Vec<&Report> = results.iter().filter_map(|result| result.covered.as_ref()).collect();
    let blocks = reports.chunk_by(|one, other| one.block == other.block);
    blocks.filter_map(|seeds| merged(&seeds.iter().map(|report| (*report).clone()).collect::<Vec<_>>())).collect()
}

/// How the page looks.
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}\
table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}code,pre{font:13px/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;margin:0}\
.bad{color:#a40000;font-weight:600}.good{color:#1a6b1a;font-weight:600}summary{cursor:pointer}\
@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}th,td{border-color:#444}.bad{color:#ff8a80}.good{color:#8fd18f}}";

/// The page.
pub fn html(document: &RegressDocument, sections: &[Section]) -> String {
    let failed = document.failures().count();
    let verdict = match failed {
        0 => format!("<p class=good>All {} jobs passed.</p>", grouped(document.results.len() as u64)),
        _ => format!("<p class=bad>{failed} of {} jobs failed.</p>", grouped(document.results.len() as u64)),
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>Regression</title><meta name=viewport \
         content=\"width=device-width\"><style>{STYLE}</style></head><body>\n<h1>Regression on the Verilated RTL</h1>\n{verdict}\n\
         <p>Seeds {} to {}, {:.0} s.</p>\n",
        document.first,
        document.first + document.seeds - 1,
        document.seconds
    );
    page += &suites(document);
    page += &failures(document);
    for section in sections {
        page += &format!("<h2>{}</h2>\n{}\n", escape(&section.title), section.html);
    }
    page += "<h2>Jobs</h2>\n";
    for suite in document.suites() {
        page += &jobs(document, suite);
    }
    page + "</body></html>\n"
}

fn suites(document: &RegressDocument) -> String {
    let row = |suite: &SuiteSummary| {
        format!(
            "<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{:.1}\n",
            suite.name,
            grouped(suite.jobs),
            grouped(suite.failed),
            grouped(suite.cycles),
            suite.seconds
        )
    };
    let rows: String = document.suites().iter().map(row).collect();
    format!("<table><tr><th>suite<th class=n>jobs<th class=n>failed<th class=n>cycles<th class=n>processor seconds\n{rows}</table>\n")
}

fn failures(document: &RegressDocument) -> String {
    let row = |(result, failure): (&JobResult, &JobFailure)| {
        let link = |what: &str, file: &Option<String>| {
            file.as_ref().map_or(String::new(), |file| format!("<br>{what}: <code>{}</code>", escape(file)))
        };
        format!(
            "<tr><td>{}<td class=n>{}<td><pre>{}</pre>again: <code>{}</code>{}{}<details><summary>detail</summary><pre>{}</pre></details>\n",
            escape(&result.name),
            result.seed.map_or(String::new(), |seed| seed.to_string()),
            escape(&failure.message),
            escape(&failure.replay),
            link("case", &failure.file),
            link("waveform", &failure.wave),
            escape(&result.detail),
        )
    };
    let rows: String = document.failures().map(row).collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("<h2>Failures</h2>\n<table><tr><th>job<th class=n>seed<th>what\n{rows}</table>\n"),
    }
}

fn jobs(document: &RegressDocument, suite: SuiteSummary) -> String {
    let row = |result: &JobResult| {
        let (class, word) = if result.failure.is_some() { ("bad", "failed") } else { ("good", "passed") };
        format!(
            "<tr><td>{}<td class=n>{}<td class={class}>{word}<td class=n>{}<td class=n>{:.2}<td>{}\n",
            escape(&result.name),
            result.seed.map_or(String::new(), |seed| seed.to_string()),
            grouped(result.cycles),
            result.seconds,
            if result.failure.is_some() { String::new() } else { escape(&result.detail) },
        )
    };
    let rows: String = document.results.iter().filter(|result| result.suite.name() == suite.name).map(row).collect();
    format!(
        "<details><summary>{}: {} jobs</summary><table><tr><th>job<th class=n>seed<th>end<th class=n>cycles<th class=n>s<th>\n{rows}\
         </table></details>\n",
        suite.name,
        grouped(suite.jobs)
    )
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(failure: Option<JobFailure>) -> RegressDocument {
        let result = JobResult {
            suite: Suite::Lockstep,
            name: "token_deque_1x32x8".into(),
            seed: Some(7),
            cycles: 1234,
            seconds: 0.5,
            detail: "2 < 3 & so on".into(),
            failure,
            covered: None,
        };
        RegressDocument { seeds: 1, first: 7, seconds: 1.0, results: vec![result], coverage: None }
    }

    /// XV-08, UX-09: the page needs nothing from elsewhere, names what failed with its command, and shows text as text.
    #[test]
    fn the_page_stands_alone() {
        let failure = JobFailure {
            message: "port <x> differs".into(),
            file: Some("case.json".into()),
            wave: Some("case.vcd".into()),
            replay: "cargo tb replay case.json --wave case.vcd".into(),
        };
        let section = Section { title: "Coverage".into(), html: "<p>98 %</p>".into() };
        let page = html(&document(Some(failure)), &[section]);
        for part in [
            "1 of 1 jobs failed",
            "port &lt;x&gt; differs",
            "cargo tb replay case.json",
            "case.vcd",
            "<h2>Coverage</h2>",
            "98 %",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("http") && !page.contains("<script") && !page.contains("<x>"), "{page}");
        let page = html(&document(None), &[]);
        assert!(page.contains("All 1 jobs passed") && page.contains("2 &lt; 3 &amp; so on"), "{page}");
        assert!(!page.contains("Failures"), "{page}");
    }
}
