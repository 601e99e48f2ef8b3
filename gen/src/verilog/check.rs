//! What Rust and Verilog would read differently, refused: latches, undriven nets, values between two assignments.

use super::error::Problem;
use super::ir::{mask, Expression, Module, NetId, NetKind, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Refuses a kernel whose simulation and whose Verilog would differ.
pub fn check(module: &Module) -> Result<(), Problem> {
    let mut assigned = BTreeMap::new();
    settle(module, &module.body, &mut assigned);
    for (net, bits) in &assigned {
        if *bits != mask(module.nets[*net].width) {
            return Err(Problem::Latch(module.nets[*net].path.clone()));
        }
    }
    undriven(module, &assigned)?;
    let mut reads = Reads { module, terms: terms(module) };
    reads.block(&module.body, &BTreeSet::new(), &BTreeSet::new())
}

/// The bits that are assigned on every path; nets that are assigned on some path have an entry.
fn settle(module: &Module, body: &[Statement], assigned: &mut BTreeMap<NetId, u128>) {
    for statement in body {
        match statement {
            Statement::Comment(_) => {}
            Statement::Assign { target, bits, .. } => {
                let (offset, width) = bits.unwrap_or((0, module.nets[*target].width));
                *assigned.entry(*target).or_default() |= mask(width) << offset;
            }
            Statement::If { then, otherwise, .. } => branches(module, [then, otherwise], assigned),
            Statement::Case { arms, .. } => branches(module, arms.iter().map(|arm| &arm.body), assigned),
        }
    }
}

fn branches<'a>(
    module: &Module,
    bodies: impl IntoIterator<Item = &'a Vec<Statement>>,
    assigned: &mut BTreeMap<NetId, u128>,
) {
    let outcomes: Vec<BTreeMap<NetId, u128>> = bodies
        .into_iter()
        .map(|body| {
            let mut outcome = BTreeMap::new();
            settle(module, body, &mut outcome);
            outcome
        })
        .collect();
    let nets: BTreeSet<NetId> = outcomes.iter().flat_map(BTreeMap::keys).copied().collect();
    for net in nets {
        let bits = outcomes.iter().map(|outcome| outcome.get(&net).copied().unwrap_or(0)).fold(u128::MAX, |a, b| a & b);
        *assigned.entry(net).or_default() |= bits;
    }
}

fn undriven(module: &Module, assigned: &BTreeMap<NetId, u128>) -> Result<(), Problem> {
    let mut read = BTreeSet::new();
    for statement in &module.body {
        statement.for_each_expression(&mut |expression| {
            expression.for_each_read(&mut |net, _| {
                read.insert(net);
            });
        });
    }
    for (id, net) in module.nets.iter().enumerate() {
        let needed = match net.kind {
            NetKind::Output | NetKind::PartInput | NetKind::Next => true,
            kind => kind.is_assigned() && read.contains(&id),
        };
        if needed && !assigned.contains_key(&id) {
            return Err(Problem::Undriven(net.path.clone()));
        }
    }
    Ok(())
}

/// What the temporaries stand for.
fn terms(module: &Module) -> BTreeMap<NetId, &Expression> {
    let assignments = module.body.iter().filter_map(|statement| match statement {
        Statement::Assign { target, value, .. } => Some((*target, value)),
        _ => None,
    });
    assignments.filter(|(target, _)| module.nets[*target].kind == NetKind::Temporary).collect()
}

struct Reads<'a> {
    module: &'a Module,
    terms: BTreeMap<NetId, &'a Expression>,
}

impl Reads<'_> {
    /// Refuses reads of a net that has been and will be assigned; `before` and `after` are what is assigned around `body`.
    fn block(&mut self, body: &[Statement], before: &BTreeSet<NetId>, after: &BTreeSet<NetId>) -> Result<(), Problem> {
        let targets: Vec<BTreeSet<NetId>> = body.iter().map(Statement::targets).collect();
        let mut later: Vec<BTreeSet<NetId>> = vec![after.clone()];
        for set in targets.iter().rev() {
            let next = later.last().map(|after| after | set).unwrap_or_default();
            later.push(next);
        }
        let mut before = before.clone();
        for (at, statement) in body.iter().enumerate() {
            // `later` runs from the end: this entry includes the statement's own targets, the one before it does not.
            let (including, behind) = (&later[body.len() - at], &later[body.len() - at - 1]);
            match statement {
                Statement::Comment(_) => {}
                Statement::Assign { target, value, .. } => {
                    if self.module.nets[*target].kind != NetKind::Temporary {
                        self.expression(value, &before, including)?;
                    }
                }
                Statement::If { test, then, otherwise } => {
                    self.expression(test, &before, including)?;
                    self.block(then, &before, behind)?;
                    self.block(otherwise, &before, behind)?;
                }
                Statement::Case { test, arms } => {
                    self.expression(test, &before, including)?;
                    for arm in arms {
                        self.block(&arm.body, &before, behind)?;
                    }
                }
            }
            before.extend(&targets[at]);
        }
        Ok(())
    }

    fn expression(
        &self,
        expression: &Expression,
        before: &BTreeSet<NetId>,
        after: &BTreeSet<NetId>,
    ) -> Result<(), Problem> {
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            let mut wrong = None;
            expression.for_each_read(&mut |net, _| {
                if let Some(term) = self.terms.get(&net) {
                    open.push(term);
                } else if before.contains(&net) && after.contains(&net) && !self.module.nets[net].kind.reads_settled() {
                    wrong = Some(net);
                }
            });
            if let Some(net) = wrong {
                return Err(Problem::IntermediateRead(self.module.nets[net].path.clone()));
            }
        }
        Ok(())
    }
}
