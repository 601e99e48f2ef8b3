//! The back end's own form of a module: nets with widths, sized expressions, statements without loops.

mod expression;
mod statement;

pub use expression::{mask, BinaryOperator, Expression, UnaryOperator};
pub use statement::{only, Arm, Statement};

use super::source::States;
use std::collections::BTreeSet;

/// A net: an index into [`Module::nets`].
pub type NetId = usize;

/// What drives a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetKind {
    /// Port, driven from outside.
    Input,
    /// Port, driven by the kernel.
    Output,
    /// Driven by the kernel.
    Local,
    /// The value of a register: driven by its clocked process.
    Value,
    /// The next value of a register: driven by the kernel.
    Next,
    /// Input of a part: driven by the kernel.
    PartInput,
    /// Output of a part: driven by it.
    PartOutput,
    /// Part of an expression that needs a name: driven by one assignment.
    Temporary,
}

impl NetKind {
    /// Rust reads the settled value of this net, even between two assignments.
    pub fn reads_settled(self) -> bool {
        !matches!(self, NetKind::Output | NetKind::Local)
    }

    /// The kernel drives it.
    pub fn is_assigned(self) -> bool {
        !matches!(self, NetKind::Input | NetKind::Value | NetKind::PartOutput)
    }
}

/// A net of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Net {
    /// Its name in Verilog.
    pub name: String,
    /// Its name in Rust, for messages.
    pub path: String,
    /// Its width in bits.
    pub width: usize,
    /// What drives it.
    pub kind: NetKind,
    /// It carries the clock.
    pub is_clock: bool,
}

/// A named constant of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// Its name in Verilog.
    pub name: String,
    /// Its width.
    pub width: usize,
    /// Its value.
    pub value: u128,
    /// The enum it belongs to.
    pub of: Option<String>,
    /// The state that it stands for, `Enum::Variant`.
    pub state: Option<String>,
    /// What the state means, if that is known.
    pub meaning: Option<String>,
}

/// A register, written as a clocked process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// Its present value.
    pub value: NetId,
    /// Its next value.
    pub next: NetId,
    /// What `reset` loads.
    pub reset_value: Expression,
}

/// What a pin of an instance is connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin {
    /// The part's port.
    pub port: String,
    /// The part reads it.
    pub is_input: bool,
    /// What it is connected to: a net, until folding finds something shorter for an input.
    pub connection: Expression,
}

/// A part with a module of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// Its name in Verilog.
    pub name: String,
    /// Its module: an index into the design.
    pub module: usize,
    /// Its connections, in the order of the module's ports.
    pub pins: Vec<Pin>,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Module {
    /// Its nets; the ports first, in their order.
    pub nets: Vec<Net>,
    /// How many of the nets are ports.
    pub ports: usize,
    /// Its named constants.
    pub constants: Vec<Constant>,
    /// Its registers.
    pub registers: Vec<Register>,
    /// Its parts.
    pub instances: Vec<Instance>,
    /// Its combinational logic, in the kernel's order.
    pub body: Vec<Statement>,
    /// Its text, if it is a primitive written in Verilog by hand.
    pub custom: Option<String>,
    /// The net of the clock and of the reset.
    pub clock: Option<NetId>,
    /// See `clock`.
    pub reset: Option<NetId>,
}

impl Module {
    /// Every name that its text may declare.
    pub fn words(&self) -> BTreeSet<String> {
        let custom = self
            .custom
            .iter()
            .flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
        let nets = self.nets.iter().map(|net| net.name.as_str());
        nets.chain(self.instances.iter().map(|instance| instance.name.as_str()))
            .chain(custom)
            .map(str::to_string)
            .collect()
    }
}

/// The names of a state enum's constants.
pub fn state_name(states: &States, code: usize) -> String {
    use super::names::capitals;
    format!("{}_{}", capitals(&states.name), capitals(&states.variants[code]))
}
