//! Which modules of an export are parts of which: a mutant that cannot be told from the whole in its own module, alone, is not told in the
//! block.

use std::collections::{BTreeMap, BTreeSet};

/// The modules that stand in each, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy(BTreeMap<String, BTreeSet<String>>);

/// The module of a file of an export, which has one of the same name.
pub fn module_of(file: &str) -> &str {
    file.strip_suffix(".v").unwrap_or(file)
}

impl Hierarchy {
    /// Reads `files`, by name.
    pub fn of(files: &[(String, String)]) -> Self {
        let names: BTreeSet<&str> = files.iter().map(|(file, _)| module_of(file)).collect();
        let parts = |text: &str| {
            let first = text.lines().filter_map(|line| line.split_whitespace().next());
            first.filter(|word| names.contains(word)).map(String::from).collect()
        };
        Self(files.iter().map(|(file, text)| (module_of(file).to_string(), parts(text))).collect())
    }

    /// The modules in which `module` stands, in alphabetical order.
    pub fn around<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(_, parts)| parts.contains(module)).map(|(name, _)| name.as_str())
    }

    /// `modules` and all in which they stand.
    pub fn upwards<'a>(&'a self, modules: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
        let mut all = BTreeSet::new();
        let mut open: Vec<&str> = modules.collect();
        while let Some(module) = open.pop() {
            if all.insert(module) {
                open.extend(self.around(module));
            }
        }
        all
    }

    /// Whether `module` is `whole`, or stands nowhere but in it and its parts.
    pub fn only_in(&self, module: &str, whole: &str) -> bool {
        let mut around = self.around(module).peekable();
        module == whole || (around.peek().is_some() && around.all(|outer| self.only_in(outer, whole)))
    }
}

/// Where the modules of an export stand: the names of the instances on the way down from its top module `top`, for each module.
pub fn places(files: &[(String, String)], top: &str) -> BTreeMap<String, BTreeSet<String>> {
    let texts: BTreeMap<&str, &str> = files.iter().map(|(file, text)| (module_of(file), text.as_str())).collect();
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open = vec![(top, String::new())];
    while let Some((module, place)) = open.pop() {
        let lines = texts.get(module).map_or("", |text| *text).lines();
        for words in lines.map(|line| line.split_whitespace().collect::<Vec<&str>>()) {
            if let [part, instance, "("] = words[..] {
                if texts.contains_key(part) {
                    open.push((part, format!("{place}.{instance}")));
                }
            }
        }
        places.entry(module.to_string()).or_default().insert(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: a module's surroundings are those that instantiate it, and their surroundings; what is only named in a comment is none.
    #[test]
    fn xv_12_modules_stand_in_others() {
        let file = |name: &str, text: &str| (format!("{name}.v"), text.to_string());
        let files = [
            file("top", "module top (\n);\n  middle first (\n  );\n  leaf second (\n  );\nendmodule"),
            file("middle", "// No other of these.\nmodule middle (\n);\n  leaf only (\n  );\nendmodule"),
            file("leaf", "module leaf (\n);\nendmodule"),
            file("other", "// leaf other (\nmodule other (\n);\nendmodule"),
        ];
        let hierarchy = Hierarchy::of(&files);
        assert!(hierarchy.around("leaf").eq(["middle", "top"]));
        assert!(hierarchy.around("top").next().is_none());
        assert!(hierarchy.upwards(["middle"].into_iter()).into_iter().eq(["middle", "top"]));
        assert!(hierarchy.only_in("middle", "middle") && hierarchy.only_in("leaf", "top"));
        assert!(!hierarchy.only_in("leaf", "middle") && !hierarchy.only_in("top", "middle"));
        let places = places(&files, "top");
        let of = |module: &str| places[module].iter().map(String::as_str).collect::<Vec<&str>>();
        assert_eq!((of("top"), of("middle"), of("leaf")), (vec![""], vec![".first"], vec![".first.only", ".second"]));
    }
}
