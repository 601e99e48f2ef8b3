//! Heddle's Verilog-2005 back end over `rust_hdl`'s public syntax tree.
//!
//! [`translate`] turns a block into modules that compute, bit for bit, what the block's Rust computes:
//! `source` reads the tree that `rust_hdl` shows, `lower` settles names, widths and loops, `check` refuses what the two
//! languages read differently, `process` and `loops` group the logic, `fold` drops copies, `print` writes.

mod check;
mod error;
mod expression;
mod fold;
mod ir;
mod layout;
mod loops;
mod lower;
mod names;
mod print;
mod process;
mod prune;
mod remark;
mod scope;
mod slicing;
mod source;

pub use error::{Problem, TranslationError};
pub use names::is_reserved;

use ir::{Module, NetKind};
use lower::{Design, Origin};
use names::{plain, Names};
use rust_hdl::core::prelude::Block;

/// What is known of a kind of block beyond its logic, found by the names of its ports.
#[derive(Clone, Debug)]
pub struct Known {
    /// The block's name.
    pub name: String,
    /// What it is, in a sentence.
    pub purpose: String,
    /// Its ports' names and meanings.
    pub ports: Vec<(String, String)>,
    /// The fields that hold its parts, which tell it from another kind with the same ports; of an exported block, whose ports are enough, none.
    pub parts: Option<Vec<String>>,
    /// Remarks of its kernel: the signal that is assigned first behind each, without array indices, and the text.
    pub remarks: Vec<(String, String)>,
    /// The meanings of states, by `Enum::Variant`.
    pub states: Vec<(String, String)>,
}

/// A Verilog module, and the file of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogModule {
    /// Its name; the file is called the same.
    pub name: String,
    /// The whole file.
    pub text: String,
}

/// Translates `block`, as module `top`; the modules of its parts come first and `top` last. `header` opens the file of `top`.
pub fn translate(
    top: &str,
    block: &dyn Block,
    header: &str,
    known: &[Known],
) -> Result<Vec<VerilogModule>, TranslationError> {
    let tree = source::read(top, block)?;
    let mut design = Design::default();
    let root = design.add(&tree, top)?;
    for (module, origin) in design.modules.iter_mut().zip(&design.origins) {
        if let Some(kind) = kind_of(origin, known) {
            remark::annotate(module, kind);
        }
    }
    let processes = loops::divide(&design, root)?;
    let names = module_names(top, root, &design, known);
    let mut modules = Vec::new();
    for (at, module) in design.modules.iter().enumerate() {
        let kind = kind_of(&design.origins[at], known);
        let meanings: Vec<String> =
            kind.map(|kind| kind.ports.iter().map(|(_, meaning)| meaning.clone()).collect()).unwrap_or_default();
        let part_header = format!(
            "{}: {}\n\nA part of {top}. Written by heddle-export from the Rust sources; change those, not this file.",
            names[at],
            kind.map_or("a part.", |kind| kind.purpose.as_str())
        );
        let header = if at == root { header } else { &part_header };
        let title = print::Title { name: &names[at], header, meanings: &meanings, modules: &names };
        let text = print::file(&fold::fold(module, &processes[at]), &title);
        modules.push(VerilogModule { name: names[at].clone(), text });
    }
    Ok(modules)
}

/// The kind that has the ports of a module and, where it names its parts, these.
fn kind_of<'a>(origin: &Origin, known: &'a [Known]) -> Option<&'a Known> {
    let ports = |known: &Known| known.ports.iter().map(|(name, _)| name).eq(&origin.ports);
    known.iter().find(|known| ports(known) && known.parts.as_ref().is_none_or(|parts| *parts == origin.parts))
}

/// The modules' names: the exported block's in front, then the kind of block or the field that holds it. Several modules of one kind
/// (other widths) take the field of the first of each behind it.
fn module_names(top: &str, root: usize, design: &Design, known: &[Known]) -> Vec<String> {
    let base = |(origin, module): (&Origin, &Module)| match kind_of(origin, known) {
        Some(kind) => format!("{}{}", kind.name, size(module)),
        None => format!("{}{}", plain(&origin.field), size(module)),
    };
    let bases: Vec<String> = design.origins.iter().zip(&design.modules).map(base).collect();
    let mut names = Names::default();
    names.take(top);
    let name = |(at, base): (usize, &String)| {
        let several = bases.iter().filter(|other| *other == base).count() > 1;
        match (at == root, several) {
            (true, _) => top.to_string(),
            (_, true) => names.take(&format!("{top}_{base}_{}", plain(&design.origins[at].field))),
            _ => names.take(&format!("{top}_{base}")),
        }
    };
    bases.iter().enumerate().map(name).collect()
}

/// The size of a hand-written primitive, as a suffix of its name: entries and width of a memory, width of another.
fn size(module: &Module) -> String {
    if module.custom.is_none() {
        return String::new();
    }
    let width = |name: &str| module.nets.iter().find(|net| net.name == name).map(|net| net.width);
    match (width("read_address"), width("read_data")) {
        (Some(address), Some(data)) => format!("_{}x{data}", 1_u64.checked_shl(address as u32).unwrap_or(0)),
        _ => {
            let input = |net: &&ir::Net| net.kind == NetKind::Input && !net.is_clock && net.name != "reset";
            module.nets.iter().find(input).map_or(String::new(), |net| format!("_{}", net.width))
        }
    }
}
