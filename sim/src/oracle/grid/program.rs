//! Random kernels as trees of statements: what the generator makes, what is shrunk, and what is kept in files.
//!
//! Each thread has five values of its own, and the last things that it does are to store them. A value depends on the path that
//! the thread took and on what others told it across barriers, so the final memory tells where a thread went astray.

use serde::{Deserialize, Serialize};

/// A thread's own values.
pub const VALUES: u8 = 5;
/// Words of global and of local memory that only one thread touches.
pub const CELLS: u32 = 4;
/// Words that all threads of the grid change by atomics, each by an operation of its own.
pub const ATOMIC_WORDS: u32 = 5;
/// Sections of a program, at most: each has a word a CTA and a word for the grid.
pub const SITES: u32 = 16;
/// Barrier ids of a CTA.
pub const BARRIERS: u8 = 8;

/// A number that a statement looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operand {
    /// One of the thread's own values.
    Value(u8),
    /// Its rank in its CTA.
    Rank,
    /// A number that all threads of a CTA share.
    Common,
}

/// `(operand >> shift) & 15 < bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// What it looks at.
    pub operand: Operand,
    /// Bits that are skipped, 0 to 28.
    pub shift: u8,
    /// So many of 16.
    pub bound: u8,
}

impl Condition {
    /// Whether it holds for a number.
    pub const fn holds(&self, number: u32) -> bool {
        (number >> self.shift) & 15 < self.bound as u32
    }
}

/// What an effect on a shared word is; those that commute may come in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// `word = word * 5 + value`, and the value becomes what the word was: only in a known order.
    Chain,
    /// `word = word + value`.
    Add,
    /// `word = word xor value`.
    Toggle,
    /// `word = max(word, value)`.
    Raise,
}

/// A critical section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Barrier id.
    pub barrier: u8,
    /// Its word.
    pub site: u8,
    /// In logical order.
    pub ordered: bool,
    /// Against the sections of all CTAs; its word is the grid's, not the CTA's.
    pub exclusive: bool,
    /// Who is done goes on at once.
    pub nonblocking: bool,
    /// A timeout or a minimum may complete it.
    pub impatient: bool,
    /// Who takes part; all if absent.
    pub participants: Option<Condition>,
    /// What it does to its word.
    pub effect: Effect,
    /// Which value goes in.
    pub value: u8,
    /// What a thread does inside before that, with its own values.
    pub body: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// A value becomes a mixture of two.
    Mix {
        /// Written.
        destination: u8,
        /// Multiplied.
        left: Operand,
        /// Added.
        right: Operand,
        /// The factor.
        constant: u32,
    },
    /// A word of global memory that nobody else touches.
    Cell {
        /// Which one.
        cell: u8,
        /// Which value.
        value: u8,
        /// Written, else read.
        store: bool,
    },
    /// A word of local memory.
    Local {
        /// Which one.
        cell: u8,
        /// Which value.
        value: u8,
        /// Written, else read.
        store: bool,
    },
    /// An atomic on a word that the grid shares.
    Atomic {
        /// Which word, and with it which operation.
        word: u8,
        /// Which value.
        value: u8,
    },
    /// SSY, two sides, SYNC.
    If {
        /// Who takes the first side.
        condition: Condition,
        /// The first side.
        first: Vec<Statement>,
        /// The other one.
        second: Vec<Statement>,
    },
    /// PBK, a loop, BRK; with PCNT and CONT if `continues`.
    Loop {
        /// `(operand & mask) + least` turns.
        operand: Operand,
        /// A mask of low bits.
        mask: u8,
        /// At least so many.
        least: u8,
        /// A region for CONT in each turn.
        continues: bool,
        /// A YIELD in each turn.
        yields: bool,
        /// The body.
        body: Vec<Statement>,
    },
    /// Some leave the innermost loop.
    Break(Condition),
    /// Some begin its next turn; its loop `continues`.
    Continue(Condition),
    /// BRX to one of 2, 4 or 8 cases.
    Switch {
        /// What chooses.
        operand: Operand,
        /// The cases.
        cases: Vec<Vec<Statement>>,
    },
    /// CAL of a function.
    Call(u8),
    /// YIELD of some, or of all.
    Yield(Option<Condition>),
    /// EXIT of some.
    Exit(Condition),
    /// Each stores a value, all meet, each reads that of the thread `distance` further on, all meet again.
    Exchange {
        /// Barrier ids of the two meetings.
        barriers: [u8; 2],
        /// Which value goes out and is replaced.
        value: u8,
        /// How far.
        distance: u16,
    },
    /// The same with ARRIVE, work and WAIT, twice.
    Split {
        /// Barrier id.
        barrier: u8,
        /// Which value.
        value: u8,
        /// How far.
        distance: u16,
        /// The last thread of the CTA announces and completes a transaction in the first phase.
        transaction: bool,
        /// Between ARRIVE and WAIT.
        work: Vec<Statement>,
    },
    /// Threads of each side of a condition on the rank meet apart, and take over a value of their first thread.
    Sides {
        /// Barrier ids.
        barriers: [u8; 2],
        /// Which ranks are on the first side.
        condition: Condition,
        /// Which value.
        value: u8,
    },
    /// An impatient meeting that changes nothing.
    Gather {
        /// Barrier id.
        barrier: u8,
    },
    /// A critical section.
    Section(Section),
}

impl Statement {
    /// The lists of statements inside.
    pub fn inner_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If { first, second, .. } => vec![first, second],
            Statement::Loop { body, .. } | Statement::Split { work: body, .. } => vec![body],
            Statement::Section(section) => vec![&mut section.body],
            Statement::Switch { cases, .. } => cases.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The lists of statements inside.
    pub fn inner(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::If { first, second, .. } => vec![first, second],
            Statement::Loop { body, .. } | Statement::Split { work: body, .. } => vec![body],
            Statement::Section(section) => vec![&section.body],
            Statement::Switch { cases, .. } => cases.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// It concerns the barrier scheduler, or a statement inside does.
    pub fn uses_barriers(&self) -> bool {
        let own = matches!(
            self,
            Statement::Exchange { .. }
                | Statement::Split { .. }
                | Statement::Sides { .. }
                | Statement::Gather { .. }
                | Statement::Section(_)
        );
        own || self.inner().into_iter().flatten().any(Statement::uses_barriers)
    }
}

/// What BARRIER.CONF says of a barrier; those that are not mentioned have condition 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Barrier id.
    pub barrier: u8,
    /// 1, 3, 4 or 5.
    pub condition: u8,
    /// Threads.
    pub reference: u16,
    /// Threads, for condition 5.
    pub minimum: u16,
    /// Cycles, for 4 and 5.
    pub timeout: u16,
    /// 0 to 3: from which arrival the timeout counts.
    pub event: u8,
    /// 0 to 7: what late threads do.
    pub late: u8,
    /// 0 to 3.
    pub priority: u8,
}

/// A CTA leaves the core and comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspend {
    /// In this cycle.
    pub at: u64,
    /// How often.
    pub times: u32,
}

/// A random kernel and its grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridProgram {
    /// CTAs.
    pub ctas: u32,
    /// Threads of a CTA.
    pub block_threads: u32,
    /// Seed of the initial values.
    pub data_seed: u32,
    /// Barriers that are configured, by all threads, before anything else.
    pub attributes: Vec<Attributes>,
    /// Functions; each calls only later ones.
    pub functions: Vec<Vec<Statement>>,
    /// The kernel.
    pub body: Vec<Statement>,
    /// Whether a CTA is suspended on the way.
    pub suspend: Option<Suspend>,
}

impl GridProgram {
    /// Some statement concerns the barrier scheduler.
    pub fn uses_barriers(&self) -> bool {
        self.functions.iter().flatten().chain(&self.body).any(Statement::uses_barriers)
    }

    /// Statements, those inside others among them.
    pub fn size(&self) -> usize {
        fn of(statements: &[Statement]) -> usize {
            statements
                .iter()
                .map(|statement| 1 + statement.inner().into_iter().map(|inner| of(inner)).sum::<usize>())
                .sum()
        }
        of(&self.body) + self.functions.iter().map(|function| of(function)).sum::<usize>()
    }

    /// Words of local memory are used.
    pub fn uses_local_memory(&self) -> bool {
        fn any(statements: &[Statement]) -> bool {
            statements.iter().any(|statement| {
                matches!(statement, Statement::Local { .. }) || statement.inner().into_iter().any(|inner| any(inner))
            })
        }
        any(&self.body) || self.functions.iter().any(|function| any(function))
    }
}
