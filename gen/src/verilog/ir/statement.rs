//! Statements: assignments, conditions, choices; no loops.

use super::{Expression, NetId};
use std::collections::BTreeSet;

/// A statement of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statement {
    /// A remark of the kernel's author, about the statement behind it.
    Comment(String),
    /// An assignment.
    Assign {
        /// The net.
        target: NetId,
        /// The lowest assigned bit and the number of bits, if not all are assigned.
        bits: Option<(usize, usize)>,
        /// The value.
        value: Expression,
    },
    /// A condition.
    If {
        /// What decides.
        test: Expression,
        /// If it is 1.
        then: Vec<Statement>,
        /// If it is 0.
        otherwise: Vec<Statement>,
    },
    /// A choice by value.
    Case {
        /// What decides.
        test: Expression,
        /// The choices; the last one stands for all other values.
        arms: Vec<Arm>,
    },
}

impl Statement {
    /// Calls `visit` with every net it may assign, and the assigned bits (`None` for all).
    pub fn for_each_target(&self, visit: &mut dyn FnMut(NetId, Option<(usize, usize)>)) {
        match self {
            Statement::Comment(_) => {}
            Statement::Assign { target, bits, .. } => visit(*target, *bits),
            Statement::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|statement| statement.for_each_target(visit));
            }
            Statement::Case { arms, .. } => {
                arms.iter().flat_map(|arm| &arm.body).for_each(|statement| statement.for_each_target(visit));
            }
        }
    }

    /// Calls `visit` with every expression that it evaluates.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        match self {
            Statement::Comment(_) => {}
            Statement::Assign { value, .. } => visit(value),
            Statement::If { test, then, otherwise } => {
                visit(test);
                then.iter().chain(otherwise).for_each(|statement| statement.for_each_expression(visit));
            }
            Statement::Case { test, arms } => {
                visit(test);
                for arm in arms {
                    arm.value.iter().for_each(&mut *visit);
                    arm.body.iter().for_each(|statement| statement.for_each_expression(visit));
                }
            }
        }
    }

    /// The nets it may assign.
    pub fn targets(&self) -> BTreeSet<NetId> {
        let mut targets = BTreeSet::new();
        self.for_each_target(&mut |net, _| {
            targets.insert(net);
        });
        targets
    }

    /// The part of it that assigns `chosen` nets.
    pub fn only(&self, chosen: &BTreeSet<NetId>) -> Option<Statement> {
        let kept = |body: &[Statement]| only(body, chosen);
        match self {
            Statement::Comment(_) => None,
            Statement::Assign { target, .. } => chosen.contains(target).then(|| self.clone()),
            Statement::If { test, then, otherwise } => {
                let (then, otherwise) = (kept(then), kept(otherwise));
                (!then.is_empty() || !otherwise.is_empty()).then(|| Statement::If {
                    test: test.clone(),
                    then,
                    otherwise,
                })
            }
            Statement::Case { test, arms } => {
                let arms: Vec<Arm> =
                    arms.iter().map(|arm| Arm { value: arm.value.clone(), body: kept(&arm.body) }).collect();
                arms.iter().any(|arm| !arm.body.is_empty()).then(|| Statement::Case { test: test.clone(), arms })
            }
        }
    }
}

/// The part of `body` that assigns `chosen` nets, with the comments in front of it.
pub fn only(body: &[Statement], chosen: &BTreeSet<NetId>) -> Vec<Statement> {
    let mut kept = Vec::new();
    let mut comments = Vec::new();
    for statement in body {
        if let Statement::Comment(_) = statement {
            comments.push(statement.clone());
        } else {
            let part = statement.only(chosen);
            if part.is_some() {
                kept.append(&mut comments);
            }
            comments.clear();
            kept.extend(part);
        }
    }
    kept
}

/// A choice of a [`Statement::Case`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arm {
    /// For which value; `None` for all others.
    pub value: Option<Expression>,
    /// What to do.
    pub body: Vec<Statement>,
}
