//! What the pass has to know of a program: where each instruction goes on.
//!
//! The pass is written once for this view; [`super::kernel`] gives it that of a kernel, `crate::oracle::plain` that of a random program.

use std::collections::BTreeSet;

/// Where an instruction goes on. Addresses count instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next instruction, with all threads that do not leave the program or the function here.
    Straight,
    /// At the next instruction; it is a YIELD without a guard.
    Yield,
    /// At the next instruction, after a function that begins at the address.
    Call(u32),
    /// At the address, or if conditional at the next instruction as well.
    Branch {
        /// Where to.
        target: u32,
        /// It has a guard.
        conditional: bool,
    },
    /// At one of the addresses, which a table of branches holds.
    Table {
        /// Where to, in the order of the table.
        targets: Vec<u32>,
        /// It has a guard.
        conditional: bool,
    },
    /// At any address that the program keeps in a register.
    Indirect {
        /// It has a guard.
        conditional: bool,
    },
    /// The top of a barrier: at the next instruction or at the address, as the barrier decides.
    Barrier(u32),
    /// Nowhere: the program or the function ends for all threads.
    End,
}

impl Flow {
    /// It ends a basic block.
    pub fn ends_block(&self) -> bool {
        !matches!(self, Flow::Straight | Flow::Yield | Flow::Call(_))
    }

    /// The next instruction may follow.
    pub fn falls_through(&self) -> bool {
        match self {
            Flow::Straight | Flow::Yield | Flow::Call(_) | Flow::Barrier(_) => true,
            Flow::Branch { conditional, .. } | Flow::Table { conditional, .. } | Flow::Indirect { conditional } => {
                *conditional
            }
            Flow::End => false,
        }
    }

    /// The addresses that it names itself; functions are not among them.
    pub fn targets(&self) -> &[u32] {
        match self {
            Flow::Branch { target, .. } | Flow::Barrier(target) => std::slice::from_ref(target),
            Flow::Table { targets, .. } => targets,
            _ => &[],
        }
    }
}

/// A program as the pass sees it. It begins at address 0, every address is below `flows.len()`, and the last instruction does not go on
/// behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Where each instruction goes on.
    pub flows: Vec<Flow>,
    /// Addresses that the program keeps in registers or memory: what indirect jumps may go to.
    pub kept: BTreeSet<u32>,
}

impl Code {
    /// Where functions begin.
    pub fn functions(&self) -> BTreeSet<u32> {
        let called = |flow: &Flow| if let Flow::Call(target) = flow { Some(*target) } else { None };
        self.flows.iter().filter_map(called).collect()
    }
}
