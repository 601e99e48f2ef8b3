//! The tables of `docs/isa.md` and `docs/kernel-format.md` say what the code says.

use expect_test::expect_file;
use heddle_sim::assembler::{assemble, CONTENTS, DIRECTIVES, POLICIES};
use heddle_sim::isa::table::{forms, Slot};
use heddle_sim::isa::{Attribute, Special};
use heddle_sim::kernels::{self, checks};

/// A table in Markdown.
fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.iter().map(|cell| cell.to_string()).collect());
    text += &line(head.iter().map(|_| "---".to_string()).collect());
    for row in rows {
        text += &line(row.iter().map(|cell| cell.replace('|', "\\|")).collect());
    }
    text
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The page with `content` between the marks of a name.
fn filled(page: String, name: &str, content: &str) -> String {
    let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("no mark {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no mark {end}"));
    format!("{before}{begin}{content}{end}{after}")
}

fn page(name: &str) -> String {
    let path = format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// IS-01, IS-02, IS-03: `docs/isa.md` lists the forms, special registers and attributes that the assembler knows.
#[test]
fn isa_page_equals_the_table() {
    let form_rows = forms().iter().map(|form| {
        let operands: Vec<&str> =
            form.slots.iter().filter(|slot| **slot != Slot::BarrierFlags).map(|slot| slot.notation()).collect();
        let flags = if form.slots.contains(&Slot::BarrierFlags) { Slot::BarrierFlags.notation() } else { "" };
        let text = format!("{}{flags} {}", form.mnemonic, operands.join(", "));
        let guard = if form.predicable { "" } else { "no guard" };
        vec![format!("0x{:02x}", form.opcode), code(text.trim_end()), guard.to_string(), form.summary.to_string()]
    });
    let page =
        filled(page("isa.md"), "forms", &table(&["opcode", "form", "guard", "what it does or gives"], form_rows));
    let special_rows =
        Special::ALL.map(|(special, name)| vec![(special as u8).to_string(), code(name), special.summary().into()]);
    let page = filled(page, "special registers", &table(&["number", "name", "meaning"], special_rows));
    let attribute_rows = Attribute::ALL.map(|(attribute, name)| {
        let field = attribute.field();
        let bits = format!("{}:{}", field.offset + field.width - 1, field.offset);
        vec![bits, code(name), attribute.summary().into()]
    });
    let page = filled(page, "attributes", &table(&["bits", "name", "meaning"], attribute_rows));
    expect_file!["../../docs/isa.md"].assert_eq(&page);
}

/// IS-04, SM-09, SM-20, SM-21: `docs/kernel-format.md` lists the directives, the checks and the kernels.
#[test]
fn kernel_format_page_equals_the_assembler() {
    let rows = DIRECTIVES.iter().map(|(_, usage, summary)| vec![code(usage), summary.to_string()]);
    let page = filled(page("kernel-format.md"), "directives", &table(&["directive", "meaning"], rows));
    let rows = CONTENTS.iter().map(|(usage, summary)| vec![code(usage), summary.to_string()]);
    let page = filled(page, "contents", &table(&["contents", "meaning"], rows));
    let rows = checks::ALL.iter().map(|check| vec![code(check.name), check.summary.to_string()]);
    let page = filled(page, "checks", &table(&["check", "what it demands"], rows));
    let rows = kernels::ALL.iter().map(|shipped| {
        let kernel = assemble(shipped.text, shipped.file_name).expect("it assembles");
        let hangs: Vec<&str> =
            POLICIES.iter().filter(|(_, policy)| kernel.stack_hangs(*policy)).map(|(name, _)| *name).collect();
        let hangs = if hangs.is_empty() { "none".to_string() } else { hangs.join(", ") };
        vec![code(shipped.name), kernel.summary, hangs]
    });
    let page = filled(page, "kernels", &table(&["kernel", "what it shows", "policies that hang the stack"], rows));
    let example = kernels::find("spin_lock").expect("it ships").text;
    let page = filled(page, "example", &format!("```text\n{example}```\n"));
    expect_file!["../../docs/kernel-format.md"].assert_eq(&page);
}

/// SM-22: `docs/barriers.md` has the figures that `cargo sim locality` prints, for two sizes of the cache.
#[test]
fn barriers_page_has_the_figures_of_locality() {
    let mut rows = Vec::new();
    for lines in [24, 40] {
        let arguments = ["locality", "--json", "--lines", &format!("{lines}")].map(String::from);
        let mut command = assert_cmd::Command::cargo_bin("heddle-sim").expect("the door is built");
        let output = command.args(arguments).output().expect("it runs");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("--json prints JSON");
        for run in document["runs"].as_array().expect("runs") {
            let counters = &run["run"]["counters"];
            let rate = run["hit_rate"].as_f64().expect("a share");
            rows.push(vec![
                lines.to_string(),
                run["barrier"].as_str().expect("a name").to_string(),
                counters["cycles"].to_string(),
                counters["cache"]["hits"].to_string(),
                format!("{:.1} %", rate * 100.0),
                counters["barriers"]["timeouts"].to_string(),
            ]);
        }
    }
    let figures = table(&["lines", "barrier", "cycles", "hits", "hit rate", "timeouts"], rows);
    expect_file!["../../docs/barriers.md"].assert_eq(&filled(page("barriers.md"), "locality", &figures));
}

/// SM-24: `docs/launch.md` has the figures that `cargo sim sparse` prints, on the hardware, for each engine and several densities.
#[test]
fn launch_page_has_the_figures_of_sparse() {
    let mut rows = Vec::new();
    for (engine, percent) in [("stack", 20), ("deque", 5), ("deque", 20), ("deque", 50), ("deque", 100), ("tree", 20)] {
        let mut command = assert_cmd::Command::cargo_bin("heddle-sim").expect("the door is built");
        let percent = percent.to_string();
        let arguments = ["sparse", "--backend", "rtl", "--json", "--engine", engine, "--percent", &percent];
        let output = command.args(arguments).output().expect("it runs");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("--json prints JSON");
        for run in document["runs"].as_array().expect("runs") {
            let counters = &run["run"]["counters"];
            rows.push(vec![
                engine.to_string(),
                format!("{} of {}", document["live"], document["tiles"]),
                run["form"].as_str().expect("a name").to_string(),
                counters["blocks_launched"].to_string(),
                counters["cycles"].to_string(),
                format!("{:.1} %", run["useful"].as_f64().expect("a share") * 100.0),
            ]);
        }
    }
    let head = ["engine", "live tiles", "tiles are picked by", "blocks launched", "cycles", "useful blocks"];
    expect_file!["../../docs/launch.md"].assert_eq(&filled(page("launch.md"), "sparse", &table(&head, rows)));
}

/// IS-06: `docs/divergence-pass.md` has the figures that `cargo sim pass` prints, for deque and tree.
#[test]
fn divergence_pass_page_has_the_figures_of_pass() {
    let documents = ["deque", "tree"].map(|engine| {
        let mut command = assert_cmd::Command::cargo_bin("heddle-sim").expect("the binary is built with the tests");
        let output = command.args(["pass", "--json", "--engine", engine]).output().expect("it starts");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
        document["kernels"].as_array().expect("kernels").clone()
    });
    let [deque, tree] = documents;
    let figures = |entry: &serde_json::Value, whose: &str| {
        let cycles = entry[whose]["counters"]["cycles"].as_u64().expect("cycles");
        let share = entry[whose]["simd_efficiency"].as_f64().expect("a share");
        (cycles, format!("{cycles}, {:.1} %", share * 100.0))
    };
    let rows = deque.iter().zip(&tree).map(|(deque, tree)| {
        let mut cells = vec![code(deque["kernel"].as_str().expect("a name"))];
        for entry in [deque, tree] {
            let ((hand, by_hand), (pass, by_pass)) = (figures(entry, "by_hand"), figures(entry, "by_pass"));
            cells.extend([by_hand, by_pass, format!("{:.2}", pass as f64 / hand as f64)]);
        }
        cells
    });
    let head = [
        "kernel",
        "deque: cycles, lanes busy, by hand",
        "by the pass",
        "ratio of cycles",
        "tree: by hand",
        "by the pass",
        "ratio",
    ];
    let content = table(&head, rows);
    expect_file!["../../docs/divergence-pass.md"].assert_eq(&filled(page("divergence-pass.md"), "pass", &content));
}
