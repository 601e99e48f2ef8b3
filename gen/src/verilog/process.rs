//! Grouping of statements into processes: what is assigned together stays together, unless that would close a false loop.

use super::ir::{only, Expression, Module, NetId, Statement};
use super::slicing::{concatenation, slice, Slicing};
use std::collections::{BTreeMap, BTreeSet};

/// Some statements of a module that become one `assign` or one `always`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// What it assigns.
    pub targets: BTreeSet<NetId>,
    /// Its statements, in the kernel's order.
    pub body: Vec<Statement>,
}

impl Process {
    /// The process that assigns `targets`.
    pub fn of(module: &Module, targets: BTreeSet<NetId>) -> Self {
        let mut body = only(&module.body, &targets);
        drop_dead_stores(&mut body);
        if let Some(joined) = joined(module, &body) {
            body.retain(|statement| matches!(statement, Statement::Comment(_)));
            body.push(joined);
        }
        Process { targets, body }
    }

    /// The nets that it reads from elsewhere, and those of its own that it reads before they are complete.
    pub fn reads(&self) -> Reads {
        let mut reads = Reads::default();
        collect(&self.body, &self.targets, &BTreeSet::new(), &mut reads);
        reads
    }

    /// Its only statement, if that is an assignment of a whole net.
    pub fn assignment(&self) -> Option<(NetId, &Expression)> {
        let mut statements = self.body.iter().filter(|statement| !matches!(statement, Statement::Comment(_)));
        match (statements.next(), statements.next()) {
            (Some(Statement::Assign { target, bits: None, value }), None) => Some((*target, value)),
            _ => None,
        }
    }
}

/// What a process reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Nets of other processes.
    pub foreign: BTreeSet<NetId>,
    /// Its own nets, where an assignment is still to come.
    pub early: BTreeSet<NetId>,
}

fn collect(body: &[Statement], own: &BTreeSet<NetId>, after: &BTreeSet<NetId>, reads: &mut Reads) {
    let mut after = after.clone();
    for statement in body.iter().rev() {
        let behind = after.clone();
        after.extend(statement.targets());
        let mut note = |expression: &Expression| {
            expression.for_each_read(&mut |net, _| {
                if !own.contains(&net) {
                    reads.foreign.insert(net);
                } else if after.contains(&net) {
                    reads.early.insert(net);
                }
            });
        };
        match statement {
            Statement::Comment(_) => {}
            Statement::Assign { value, .. } => note(value),
            Statement::If { test, then, otherwise } => {
                note(test);
                collect(then, own, &behind, reads);
                collect(otherwise, own, &behind, reads);
            }
            Statement::Case { test, arms } => {
                note(test);
                arms.iter().for_each(|arm| collect(&arm.body, own, &behind, reads));
            }
        }
    }
}

/// Removes assignments that a later unconditional one of the same process makes void.
fn drop_dead_stores(body: &mut Vec<Statement>) {
    let mut last = BTreeMap::new();
    for (at, statement) in body.iter().enumerate() {
        if let Statement::Assign { target, bits: None, .. } = statement {
            last.insert(*target, at);
        }
    }
    let mut at = 0;
    body.retain(|statement| {
        let targets = statement.targets();
        let dead = !targets.is_empty() && targets.iter().all(|net| last.get(net).is_some_and(|last| *last > at));
        at += 1;
        !dead
    });
}

/// Several assignments of parts of one net, without conditions, as one assignment of the whole.
fn joined(module: &Module, body: &[Statement]) -> Option<Statement> {
    let mut pieces: Vec<(usize, Expression)> = Vec::new();
    let mut only = None;
    for statement in body {
        let Statement::Assign { target, bits, value } = statement else {
            matches!(statement, Statement::Comment(_)).then_some(())?;
            continue;
        };
        if *only.get_or_insert(*target) != *target {
            return None;
        }
        let (offset, width) = bits.unwrap_or((0, module.nets[*target].width));
        let mut kept = vec![(offset, value.clone())];
        for (start, piece) in pieces {
            let end = start + piece.width();
            for (from, to) in [(start, end.min(offset)), (start.max(offset + width), end)] {
                if from < to {
                    let Slicing::Exact(part) = slice(piece.clone(), from - start, to - from) else { return None };
                    kept.push((from, part));
                }
            }
        }
        pieces = kept;
    }
    let target = only.filter(|_| pieces.len() > 1)?;
    pieces.sort_by_key(|(offset, _)| std::cmp::Reverse(*offset));
    let value = concatenation(pieces.into_iter().map(|(_, piece)| piece).collect());
    (value.width() == module.nets[target].width).then_some(Statement::Assign { target, bits: None, value })
}

/// The processes of a module: as few as share no statement.
pub fn processes(module: &Module) -> Vec<Process> {
    let mut groups: Vec<BTreeSet<NetId>> = Vec::new();
    for statement in &module.body {
        let mut merged = statement.targets();
        if merged.is_empty() {
            continue;
        }
        let mut place = groups.len();
        for at in (0..groups.len()).rev() {
            if !groups[at].is_disjoint(&merged) {
                merged.extend(groups.remove(at));
                place = at;
            }
        }
        groups.insert(place.min(groups.len()), merged);
    }
    groups.into_iter().map(|targets| Process::of(module, targets)).collect()
}
