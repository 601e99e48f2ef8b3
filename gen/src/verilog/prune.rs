//! What nobody reads, left out: nets, registers and constants that do not reach an output or a part.

use super::ir::{only, Expression, Module, NetId, NetKind, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Removes the assignments and registers that have no effect.
pub fn prune(module: &mut Module) {
    let sources = sources(&module.body);
    let mut live = BTreeSet::new();
    let mut open: Vec<NetId> = (0..module.nets.len())
        .filter(|net| matches!(module.nets[*net].kind, NetKind::Output | NetKind::PartInput))
        .collect();
    while let Some(net) = open.pop() {
        if live.insert(net) {
            open.extend(sources.get(&net).into_iter().flatten());
            open.extend(module.registers.iter().filter(|register| register.value == net).map(|register| register.next));
        }
    }
    module.body = only(&module.body, &live);
    module.registers.retain(|register| live.contains(&register.value));
}

/// For each assigned net, the nets that decide its value.
fn sources(body: &[Statement]) -> BTreeMap<NetId, BTreeSet<NetId>> {
    let mut sources = BTreeMap::new();
    collect(body, &BTreeSet::new(), &mut sources);
    sources
}

fn collect(body: &[Statement], tests: &BTreeSet<NetId>, sources: &mut BTreeMap<NetId, BTreeSet<NetId>>) {
    let read = |expression: &Expression| {
        let mut nets = BTreeSet::new();
        expression.for_each_read(&mut |net, _| {
            nets.insert(net);
        });
        nets
    };
    for statement in body {
        match statement {
            Statement::Comment(_) => {}
            Statement::Assign { target, value, .. } => {
                let entry = sources.entry(*target).or_default();
                entry.extend(tests);
                entry.extend(read(value));
            }
            Statement::If { test, then, otherwise } => {
                let tests = tests | &read(test);
                collect(then, &tests, sources);
                collect(otherwise, &tests, sources);
            }
            Statement::Case { test, arms } => {
                let tests = tests | &read(test);
                arms.iter().for_each(|arm| collect(&arm.body, &tests, sources));
            }
        }
    }
}
