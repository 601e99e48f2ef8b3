//! Why a kernel cannot go through the pass: place, cause, hint.

use crate::assembler::Kernel;
use miette::Diagnostic;
use thiserror::Error;

/// Everything that stands in the way.
#[derive(Debug, Error, Diagnostic)]
#[error("kernel {kernel} cannot go through the divergence pass")]
pub struct Mistakes {
    /// Name of the kernel.
    pub kernel: String,
    /// Each of them, in the order of the file.
    #[related]
    pub mistakes: Vec<Mistake>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("line {line}: `{instruction}`: {message}")]
#[diagnostic(help("{hint}"))]
pub struct Mistake {
    /// Line of the kernel's file, from 1.
    pub line: usize,
    /// The instruction, as the disassembler writes it.
    pub instruction: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Mistake {
    /// A mistake at an instruction of a kernel.
    pub fn new(kernel: &Kernel, address: u32, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Mistake {
            line: line(kernel, address),
            instruction: kernel.instructions.get(address as usize).map(ToString::to_string).unwrap_or_default(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// The line of an instruction, from 1.
pub fn line(kernel: &Kernel, address: u32) -> usize {
    kernel.lines.get(address as usize).copied().unwrap_or(0)
}

/// Nothing stands in the way, or everything that does.
pub fn none(kernel: &Kernel, mistakes: Vec<Mistake>) -> Result<(), Mistakes> {
    match mistakes.is_empty() {
        true => Ok(()),
        false => Err(Mistakes { kernel: kernel.name.clone(), mistakes }),
    }
}
