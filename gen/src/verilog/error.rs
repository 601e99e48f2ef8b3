//! What can go wrong when a kernel is translated: each error names the block, the place and a way out.

use miette::Diagnostic;
use thiserror::Error;

/// A kernel that has no faithful translation.
#[derive(Clone, Debug, Diagnostic, Error, PartialEq, Eq)]
#[error("{block}: {problem}")]
#[diagnostic(code(heddle::translation))]
pub struct TranslationError {
    /// The block, as the path of fields from the exported one.
    pub block: String,
    /// What is wrong with it.
    pub problem: Problem,
    /// What to do about it.
    #[help]
    pub hint: String,
}

/// The reasons why a kernel has no faithful translation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Problem {
    /// A name that is no signal, constant, state or loop variable.
    #[error("`{0}` is not a signal, a constant, a state or a loop variable")]
    UnknownName(String),
    /// A field name that Verilog reserves.
    #[error("`{0}` is a reserved word of Verilog")]
    ReservedWord(String),
    /// Operands of different widths.
    #[error("in `{place}`, {left} bits meet {right} bits")]
    Widths {
        /// The assigned signal.
        place: String,
        /// Width of the left operand.
        left: usize,
        /// Width of the right operand.
        right: usize,
    },
    /// A literal without a sibling that says its width.
    #[error("in `{0}`, a number has no width")]
    NoWidth(String),
    /// An integer expression that leaves its range.
    #[error("in `{0}`, an integer computation overflows")]
    Overflow(String),
    /// A construct that the back end does not translate.
    #[error("in `{place}`, {construct} does not translate")]
    Unsupported {
        /// The assigned signal, or the kernel.
        place: String,
        /// The construct.
        construct: String,
    },
    /// A signal that keeps its value on some path.
    #[error("`{0}` is not assigned on every path: that is a latch")]
    Latch(String),
    /// A signal read between two of its assignments.
    #[error("`{0}` is read between two of its assignments")]
    IntermediateRead(String),
    /// A signal that is read but never assigned.
    #[error("`{0}` is never driven")]
    Undriven(String),
    /// A signal driven from two places.
    #[error("`{0}` is an input and cannot be assigned")]
    AssignedInput(String),
    /// A clock or a reset that is not the block's own.
    #[error("`{0}` is not the block's own")]
    Rewired(String),
    /// A part with a clock or a reset in a block without.
    #[error("`{part}` needs a `{signal}`, and the block has none")]
    MissingSignal {
        /// The part.
        part: String,
        /// The missing input.
        signal: String,
    },
    /// A combinational loop.
    #[error("a combinational loop: {}", .0.join(" → "))]
    CombinationalLoop(Vec<String>),
    /// The kernel panicked while its syntax tree was built.
    #[error("its syntax tree cannot be built: {0}")]
    Panicked(String),
}

impl Problem {
    /// The hint that belongs to each problem.
    fn hint(&self) -> &'static str {
        match self {
            Problem::UnknownName(_) => {
                "a const generic used as a value has no spelling in the syntax tree: keep it in a `Constant` field"
            }
            Problem::ReservedWord(_) => "rename the field",
            Problem::Widths { .. } => "say the width with `bit_cast`",
            Problem::NoWidth(_) => "say the width with `bits::<N>(…)`",
            Problem::Overflow(_) => "bounds of loops and offsets are not negative and fit in 64 bits",
            Problem::Unsupported { .. } => {
                "kernels assign, decide with `if` and `match`, and repeat with `for`; anything else is a primitive"
            }
            Problem::Latch(_) => "assign a default before the `if` or the `match`",
            Problem::IntermediateRead(_) => "give the intermediate value a signal of its own",
            Problem::Undriven(_) => {
                "assign it in the kernel; the reset of a memory or a block is wired by hand, as the simulation sees it"
            }
            Problem::AssignedInput(_) => "inputs are driven from outside; use a local signal",
            Problem::Rewired(_) => "pass the block's clock and reset on with `clock!` or `dff_setup!`",
            Problem::MissingSignal { .. } => "every block with state opens with `clock` and `reset`",
            Problem::CombinationalLoop(_) => "break it with a register, or split a vector into signals",
            Problem::Panicked(_) => "an expression inside a cast panics for the values after construction",
        }
    }

    /// The error of this problem in `block`.
    pub fn at(self, block: &str) -> TranslationError {
        TranslationError { block: block.to_string(), hint: self.hint().to_string(), problem: self }
    }
}
