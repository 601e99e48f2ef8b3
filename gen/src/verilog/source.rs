//! What `rust_hdl` shows of a block, gathered into a tree: fields with their widths, parts, and the kernel's syntax tree.

use super::error::{Problem, TranslationError};
use rust_hdl::core::ast::{Verilog, VerilogLiteral};
use rust_hdl::core::prelude::{Atom, AtomKind, Block, Probe, TypeDescriptor, TypeKind};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A signal or constant of a block, as `rust_hdl` names it.
#[derive(Clone, Debug)]
pub struct Field {
    /// The field's path in its block, `$` between the parts: `slots$0`.
    pub path: String,
    /// Direction or kind.
    pub kind: AtomKind,
    /// Width in bits.
    pub width: usize,
    /// The value, of constants.
    pub value: u128,
    /// It carries a clock.
    pub is_clock: bool,
    /// It is signed.
    pub is_signed: bool,
    /// Its enum, if it is a state.
    pub states: Option<States>,
}

/// An enum of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// The enum's name.
    pub name: String,
    /// Its variants, in the order of their codes.
    pub variants: Vec<String>,
}

/// A block and all that is in it.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The field that holds it, `$` before an array index.
    pub name: String,
    /// Its signals and constants.
    pub fields: Vec<Field>,
    /// Its parts.
    pub parts: Vec<Tree>,
    /// Its kernel.
    pub kernel: Verilog,
}

impl Tree {
    /// The field called `path`.
    pub fn field(&self, path: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.path == path)
    }

    /// Its ports, in the order of declaration.
    pub fn ports(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.kind.is_parameter())
    }

    /// The names of its ports.
    pub fn port_names(&self) -> Vec<&str> {
        self.ports().map(|port| port.path.as_str()).collect()
    }
}

/// The number inside a literal, whose own field is private.
pub fn literal_value(literal: &VerilogLiteral) -> Option<u128> {
    let text = format!("{literal:x}");
    u128::from_str_radix(text.split_once("'h")?.1, 16).ok()
}

#[derive(Default)]
struct Walk {
    open: Vec<Tree>,
    namespace: Vec<String>,
    root: Option<Tree>,
}

fn states(descriptor: &TypeDescriptor) -> Option<States> {
    match &descriptor.kind {
        TypeKind::Enum(variants) => Some(States {
            name: descriptor.name.clone(),
            variants: variants.iter().map(|path| path.rsplit("::").next().unwrap_or(path).to_string()).collect(),
        }),
        _ => None,
    }
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.open.push(Tree { name: name.to_string(), fields: Vec::new(), parts: Vec::new(), kernel: node.hdl() });
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.namespace.push(name.to_string());
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let descriptor = signal.descriptor();
        let path = self.namespace.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
        let field = Field {
            path,
            kind: signal.kind(),
            width: signal.bits(),
            value: literal_value(&signal.verilog()).unwrap_or(0),
            is_clock: descriptor.name == "clock",
            is_signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            states: states(&descriptor),
        };
        if let Some(tree) = self.open.last_mut() {
            tree.fields.push(field);
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let Some(done) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.parts.push(done),
            None => self.root = Some(done),
        }
    }
}

/// Reads `block`, which need not be connected. Building the tree runs small pieces of the kernel; should one of them panic, that is
/// an error like any other.
pub fn read(name: &str, block: &dyn Block) -> Result<Tree, TranslationError> {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut walk = Walk::default();
        block.accept(name, &mut walk);
        walk.root
    }));
    match read {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(Problem::Panicked("the block shows nothing of itself".to_string()).at(name)),
        Err(cause) => {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(ToString::to_string));
            Err(Problem::Panicked(text.unwrap_or_else(|| "a panic".to_string())).at(name))
        }
    }
}
