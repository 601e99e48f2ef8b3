//! What the assembler makes of a kernel file (SM-09), and a kernel with its sizes fixed.

use super::errors::Mistake;
use super::expression::Expression;
use crate::engine::PathPolicy;
use crate::isa::{Action, Instruction};
use std::collections::{BTreeMap, BTreeSet};

/// An assembled kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name: `.kernel`.
    pub name: String,
    /// What it shows, in a line: the text of `.kernel`.
    pub summary: String,
    /// The program.
    pub words: Vec<u64>,
    /// The program, decoded.
    pub instructions: Vec<Instruction>,
    /// Line of the file, from 1, of each instruction.
    pub lines: Vec<usize>,
    /// Address of each label.
    pub labels: BTreeMap<String, u32>,
    /// The instructions, by their addresses, whose second source is the address of a label, as in `MOV R4, method`.
    pub address_values: BTreeSet<u32>,
    /// Parameters, in the order of PARAM's index; the addresses of [`Kernel::sections`] follow them.
    pub parameters: Vec<Parameter>,
    /// Sizes by name: values of parameters instead of the defaults.
    pub sizes: Vec<Size>,
    /// Bytes of shared memory of a CTA.
    pub shared: Expression,
    /// Bytes of local memory of a thread.
    pub local: Expression,
    /// CTAs along x, y, z, unless the launch says otherwise.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z, unless the launch says otherwise.
    pub block: [u32; 3],
    /// Sections of global memory.
    pub sections: Vec<Section>,
    /// The section that says which CTAs are launched, if not all are.
    pub predicate: Option<PredicateTable>,
    /// What global memory must hold at the end.
    pub expectations: Vec<Expectation>,
    /// Path policies under which the plain stack hangs, with default sizes.
    pub stack_hangs: Vec<PathPolicy>,
    /// What may be a mistake and is none that stops a run.
    pub warnings: Vec<Mistake>,
}

/// A parameter: `.param`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value, unless the launch says otherwise.
    pub default: u32,
    /// What it is.
    pub summary: String,
}

/// A size: `.size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its name.
    pub name: String,
    /// Parameters and their values.
    pub parameters: BTreeMap<String, u32>,
}

/// A section of global memory: `.memory`.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its size in words of 32 bits.
    pub words: Expression,
    /// What it holds at the start.
    pub initial: Contents,
}

/// Words of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Every word the same.
    Fill(Expression),
    /// The words from the first on; zeros, or for an expectation anything, follow.
    List(Vec<Expression>),
    /// Word i is the expression, in which `index` is i.
    Each(Expression),
    /// Reproducible noise: seed, and the bound below which every word is.
    Random(Expression, Expression),
    /// Reproducible noise: seed, and the chance of each bit to be set, in percent.
    Sparse(Expression, Expression),
}

/// Which section holds the predicate table: `.predicate`.
#[derive(Clone, Debug, PartialEq)]
pub struct PredicateTable {
    /// The section.
    pub section: String,
    /// Whether the table is used: not if this is 0.
    pub used: Expression,
}

/// What the end of a run must show.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// A section holds these words.
    Words(String, Contents),
    /// A named check of `kernels::checks` passes.
    Check(String),
}

/// What a person may change about a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Parameters by name.
    pub parameters: BTreeMap<String, u32>,
    /// CTAs along x, y, z.
    pub grid: Option<[u32; 3]>,
    /// Threads of a CTA along x, y, z.
    pub block: Option<[u32; 3]>,
}

/// A section with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Byte address in global memory.
    pub address: u32,
    /// Its size in words.
    pub words: u32,
}

/// A kernel with its sizes fixed: what the lanes and the machine need to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// What PARAM reads, by its index: parameters, then addresses of sections.
    pub parameters: Vec<u32>,
    /// What expressions may name: parameters, and the numbers of threads.
    pub names: BTreeMap<String, u32>,
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Bytes of shared memory of a CTA.
    pub shared_bytes: u32,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Global memory at the start.
    pub global: Vec<u8>,
    /// The sections of global memory.
    pub sections: Vec<Placed>,
    /// Byte address in global memory of the predicate table, a multiple of 8; none: every CTA is launched.
    pub predicate: Option<u32>,
}

impl Kernel {
    /// It has barrier forms, so the core needs a barrier scheduler.
    pub fn uses_barriers(&self) -> bool {
        self.instructions.iter().any(|instruction| matches!(instruction.action, Action::Barrier(_)))
    }

    /// The plain stack is expected to hang under this path policy.
    pub fn stack_hangs(&self, policy: PathPolicy) -> bool {
        self.stack_hangs.contains(&policy)
    }
}
