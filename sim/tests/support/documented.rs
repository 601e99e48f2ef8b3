//! Whether `docs/json.md` has what a door prints (UX-08).

use serde_json::Value;
use std::collections::BTreeSet;

/// The page.
pub const PAGE: &str = include_str!("../../../docs/json.md");

/// The fields of which the page says what is in them without naming it: blocks or events by their names, and what is a bench's own.
const WHOLE: [&str; 4] = ["counts", "modules", "settings", "operations"];

/// The names of all fields of a document.
fn fields(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            into.insert(name.clone());
            if !WHOLE.contains(&name.as_str()) {
                fields(value, into);
            }
        }),
        Value::Array(values) => values.iter().for_each(|value| fields(value, into)),
        _ => {}
    }
}

/// The document's schema has a chapter, and the page names each of its fields.
pub fn assert_documented(document: &Value) {
    let schema = document["schema"].as_str().expect("a schema");
    assert!(PAGE.contains(&format!("## `{schema}`")), "{schema} has no chapter");
    let mut names = BTreeSet::new();
    fields(document, &mut names);
    for name in names {
        assert!(PAGE.contains(&format!("`{name}`")), "{schema}: field `{name}` is not documented");
    }
}
