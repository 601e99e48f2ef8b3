//! A reader of source files, just deep enough for documentation: doc comments of blocks, ports and states, remarks in kernels.

use crate::verilog::Known;

/// The blocks that a source file declares: the struct named like the file takes the file's first paragraph, others their own.
///
/// `shared` gives the source of a group of ports that a block shares with others.
pub fn blocks<'a>(file: &str, source: &str, shared: impl Fn(&str) -> Option<&'a str>) -> Vec<Known> {
    let purpose = paragraph(source.lines().map_while(|line| line.strip_prefix("//!")));
    let states = states(source);
    let mut blocks: Vec<Known> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text);
            continue;
        }
        inside = line == "parts {" || (inside && line != "}");
        if let Some(rest) = line.strip_prefix("pub struct ") {
            let title = word(rest);
            let name = snake(title);
            let purpose = if name == file { purpose.clone() } else { paragraph(comment.iter().copied()) };
            let remarks = remarks(source, title);
            blocks.push(Known {
                name,
                purpose,
                ports: Vec::new(),
                parts: Some(Vec::new()),
                remarks,
                states: states.clone(),
            });
        } else if let (Some(port), Some(block)) = (port(line, &comment), blocks.last_mut()) {
            block.ports.push(port);
        } else if let (Some(part), true, Some(block)) = (part(line), inside, blocks.last_mut()) {
            block.parts.get_or_insert_default().push(part.to_string());
        } else if let (Some(groups), Some(block)) = (line.strip_prefix("shared { "), blocks.last_mut()) {
            let groups = groups.trim_end_matches(" }").split(", ");
            block.ports.extend(groups.filter_map(&shared).flat_map(ports));
        }
        if !line.starts_with("#[") {
            comment.clear();
        }
    }
    blocks.retain(|block| !block.ports.is_empty());
    blocks
}

/// The port that a line declares behind `comment`.
fn port(line: &str, comment: &[&str]) -> Option<(String, String)> {
    let (name, kind) = line.strip_prefix("pub ")?.split_once(':')?;
    let port = || (name.trim().to_string(), paragraph(comment.iter().copied()));
    kind.trim_start().starts_with("Signal<").then(port)
}

/// The part that a line declares: neither a signal nor a constant of the block itself, nor words of a comment.
fn part(line: &str) -> Option<&str> {
    let (name, kind) = line.split_once(": ")?;
    let own = ["Signal<", "Constant<"].iter().any(|own| kind.trim_start_matches('[').starts_with(own));
    (!own && !name.starts_with("//")).then_some(name)
}

/// Every port that a group of ports declares.
fn ports(source: &str) -> Vec<(String, String)> {
    let mut ports = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text);
        } else {
            ports.extend(port(line, &comment));
            comment.clear();
        }
    }
    ports
}

/// The meanings of the variants of every enum, as `Enum::Variant`.
fn states(source: &str) -> Vec<(String, String)> {
    let mut states = Vec::new();
    let mut name = None;
    let mut comment: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text);
            continue;
        }
        if let Some(rest) = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("enum ")) {
            name = Some(word(rest));
        } else if line == "}" {
            name = None;
        } else if let (Some(name), false) = (name, comment.is_empty() || word(line).is_empty()) {
            states.push((format!("{name}::{}", word(line)), paragraph(comment.iter().copied())));
        }
        comment.clear();
    }
    states
}

/// The remarks between the statements of a block's kernel, each with the signal that is assigned first behind it.
fn remarks(source: &str, block: &str) -> Vec<(String, String)> {
    let implements = |line: &&str| {
        line.split_once("Logic for ").is_some_and(|(_, name)| !line.contains("//") && word(name) == block)
    };
    let kernel = source.lines().skip_while(|line| !implements(line)).take_while(|line| *line != "}");
    let mut remarks = Vec::new();
    let mut remark: Vec<&str> = Vec::new();
    let mut behind = false;
    for line in kernel {
        let text = line.trim();
        // A remark of the kernel itself stands eight columns in; deeper ones belong to a branch.
        if let (Some(text), true) = (text.strip_prefix("//"), line.starts_with("        //")) {
            if behind {
                remark.clear();
            }
            behind = false;
            remark.push(text);
        } else if let (Some(net), false) = (assigned(text), remark.is_empty()) {
            remarks.push((net, paragraph(remark.drain(..))));
        } else if !text.starts_with("//") {
            behind = true;
        }
    }
    remarks
}

/// The name that the back end gives to the signal a line assigns, without array indices.
fn assigned(line: &str) -> Option<String> {
    let path = line.strip_prefix("self.")?.split_once(".next").filter(|(path, _)| !path.contains([' ', '(']))?.0;
    let mut name = String::new();
    let mut depth = 0;
    for letter in path.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            letter if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    Some(match name.strip_suffix(".d") {
        Some(register) => format!("{register}_next"),
        None => name.replace('.', "_"),
    })
}

/// The first word.
fn word(text: &str) -> &str {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

/// The first paragraph of a comment, on one line, without the marks of links and code.
fn paragraph<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = lines
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !line.starts_with('|'))
        .collect();
    words.join(" ").replace(['`', '[', ']'], "")
}

/// `TokenDeque` as `token_deque`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
