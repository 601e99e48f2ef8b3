//! Copies, left out: a part's pin is connected to what the kernel assigns to it, a register takes a short next value in place.

use super::ir::{only, Expression, Module, NetId, NetKind, Statement};
use super::process::Process;
use std::collections::{BTreeMap, BTreeSet};

/// The longest next value, in operands, that is written into the register's process.
const SHORT: usize = 4;

/// A module ready for printing.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The module; its pins may be connected to expressions now.
    pub module: Module,
    /// Its processes.
    pub processes: Vec<Process>,
    /// For each register, the next value; none if `clocked` assigns it.
    pub next: Vec<Option<Expression>>,
    /// Statements of the clocked process: they assign registers.
    pub clocked: Vec<Statement>,
}

/// Folds the copies of a module.
pub fn fold(module: &Module, processes: &[Process]) -> Folded {
    let next = module.registers.iter().map(|register| Some(whole(module, register.next))).collect();
    let mut folded = Folded { module: module.clone(), processes: processes.to_vec(), next, clocked: Vec::new() };
    folded.outputs();
    folded.inputs();
    folded.registers();
    folded.decisions();
    folded
}

fn whole(module: &Module, net: NetId) -> Expression {
    Expression::Net { net, width: module.nets[net].width }
}

impl Folded {
    /// How often each net is read.
    pub fn reads(&self) -> BTreeMap<NetId, usize> {
        let mut reads = BTreeMap::new();
        self.for_each_read(&mut |net, _| *reads.entry(net).or_default() += 1);
        reads
    }

    /// Calls `visit` with every net that is read, and the bits read of it.
    pub fn for_each_read(&self, visit: &mut dyn FnMut(NetId, u128)) {
        let bodies = self.processes.iter().flat_map(|process| &process.body);
        for statement in bodies.chain(&self.clocked) {
            statement.for_each_expression(&mut |expression| expression.for_each_read(visit));
        }
        self.next.iter().flatten().for_each(|next| next.for_each_read(visit));
        for pin in self.module.instances.iter().flat_map(|instance| &instance.pins) {
            if pin.is_input {
                pin.connection.for_each_read(visit);
            }
        }
        if !self.module.registers.is_empty() {
            self.module.clock.iter().chain(&self.module.reset).for_each(|net| visit(*net, 1));
        }
    }

    /// An output that copies a part's output is connected to the part.
    fn outputs(&mut self) {
        let mut joined: BTreeMap<NetId, NetId> = BTreeMap::new();
        for process in &self.processes {
            if let Some((target, Expression::Net { net, .. })) = process.assignment() {
                let kinds = (self.module.nets[target].kind, self.module.nets[*net].kind);
                if kinds == (NetKind::Output, NetKind::PartOutput) && !joined.contains_key(net) {
                    joined.insert(*net, target);
                }
            }
        }
        self.processes.retain(|process| {
            !process.assignment().is_some_and(|(target, value)| match value {
                Expression::Net { net, .. } => joined.get(net) == Some(&target),
                _ => false,
            })
        });
        self.rename(&joined);
    }

    fn rename(&mut self, joined: &BTreeMap<NetId, NetId>) {
        let change = &mut |net: &mut NetId| {
            if let Some(other) = joined.get(net) {
                *net = *other;
            }
        };
        for process in &mut self.processes {
            process.body.iter_mut().for_each(|statement| rename_statement(statement, change));
        }
        for pin in self.module.instances.iter_mut().flat_map(|instance| &mut instance.pins) {
            rename_expression(&mut pin.connection, change);
        }
    }

    /// A part's input that is a name, some bits of one, or a number is connected to that.
    fn inputs(&mut self) {
        let reads = self.reads();
        let mut direct: BTreeMap<NetId, Expression> = BTreeMap::new();
        for process in &self.processes {
            if let Some((target, value)) = process.assignment() {
                let pin_only = reads.get(&target).copied().unwrap_or(0) == 1;
                if self.module.nets[target].kind == NetKind::PartInput && pin_only && is_name(value) {
                    direct.insert(target, value.clone());
                }
            }
        }
        // An input may copy another part's input: follow the copies to their source.
        let resolve = |start: &Expression| {
            let mut value = start.clone();
            for _ in 0..direct.len() {
                match &value {
                    Expression::Net { net, .. } if direct.contains_key(net) => value = direct[net].clone(),
                    _ => break,
                }
            }
            value
        };
        for pin in self.module.instances.iter_mut().flat_map(|instance| &mut instance.pins) {
            pin.connection = resolve(&pin.connection);
        }
        let gone: BTreeSet<NetId> = direct.keys().copied().collect();
        self.processes.retain(|process| !process.assignment().is_some_and(|(target, _)| gone.contains(&target)));
    }

    /// A next value that is short and read by the register alone is written into the register's process.
    fn registers(&mut self) {
        let reads = self.reads();
        let mut gone = BTreeSet::new();
        for (at, register) in self.module.registers.iter().enumerate() {
            let process = self.processes.iter().find(|process| process.targets.contains(&register.next));
            if let Some((_, value)) = process.and_then(Process::assignment) {
                if reads.get(&register.next) == Some(&1) && operands(value) <= SHORT {
                    self.next[at] = Some(value.clone());
                    gone.insert(register.next);
                }
            }
        }
        self.processes.retain(|process| !process.assignment().is_some_and(|(target, _)| gone.contains(&target)));
    }

    /// Decisions on a next value that the register alone reads are written into the register's process: a simulator then
    /// takes them once a cycle, at the edge, not whenever an input changes.
    fn decisions(&mut self) {
        let reads = self.reads();
        let mut registers = BTreeMap::new();
        for register in &self.module.registers {
            if reads.get(&register.next) == Some(&1) {
                registers.insert(register.next, register.value);
            }
        }
        for process in &mut self.processes {
            let moved: BTreeSet<NetId> =
                process.targets.iter().copied().filter(|net| registers.contains_key(net)).collect();
            // A value that is read on its way to another one is not what a process of its own would see.
            if moved.is_empty() || process.assignment().is_some() || !process.reads().early.is_empty() {
                continue;
            }
            let mut body = only(&process.body, &moved);
            clocked(&mut body, &registers, true);
            self.clocked.append(&mut body);
            process.targets.retain(|net| !moved.contains(net));
            process.body = only(&process.body, &process.targets);
            for (next, register) in self.next.iter_mut().zip(&self.module.registers) {
                if moved.contains(&register.next) {
                    *next = None;
                }
            }
        }
        self.processes.retain(|process| !process.targets.is_empty());
    }
}

/// `body`, with `register` in place of each of the nets that it assigns. Holding the old value needs no statement.
fn clocked(body: &mut Vec<Statement>, register: &BTreeMap<NetId, NetId>, outermost: bool) {
    let mut assigned = BTreeSet::new();
    body.retain(|statement| match statement {
        Statement::Assign { target, bits: None, value: Expression::Net { net, .. } } => {
            !(outermost && assigned.insert(*target) && register[target] == *net)
        }
        statement => {
            assigned.extend(statement.targets());
            true
        }
    });
    for statement in body {
        match statement {
            Statement::Comment(_) => {}
            Statement::Assign { target, .. } => *target = register[target],
            Statement::If { then, otherwise, .. } => {
                clocked(then, register, false);
                clocked(otherwise, register, false);
            }
            Statement::Case { arms, .. } => arms.iter_mut().for_each(|arm| clocked(&mut arm.body, register, false)),
        }
    }
}

fn is_name(value: &Expression) -> bool {
    matches!(
        value,
        Expression::Net { .. } | Expression::Slice { .. } | Expression::Literal { .. } | Expression::Named { .. }
    )
}

fn operands(value: &Expression) -> usize {
    match value {
        Expression::Concatenation(parts) => parts.iter().map(operands).sum(),
        Expression::Unary(_, operand) => operands(operand),
        Expression::Binary(_, left, right) => operands(left) + operands(right),
        _ => 1,
    }
}

fn rename_statement(statement: &mut Statement, change: &mut dyn FnMut(&mut NetId)) {
    match statement {
        Statement::Comment(_) => {}
        Statement::Assign { value, .. } => rename_expression(value, change),
        Statement::If { test, then, otherwise } => {
            rename_expression(test, change);
            then.iter_mut().chain(otherwise).for_each(|statement| rename_statement(statement, change));
        }
        Statement::Case { test, arms } => {
            rename_expression(test, change);
            arms.iter_mut().flat_map(|arm| &mut arm.body).for_each(|statement| rename_statement(statement, change));
        }
    }
}

fn rename_expression(expression: &mut Expression, change: &mut dyn FnMut(&mut NetId)) {
    match expression {
        Expression::Net { net, .. } | Expression::Slice { net, .. } => change(net),
        Expression::Select { net, index, .. } => {
            change(net);
            rename_expression(index, change);
        }
        Expression::Concatenation(parts) => parts.iter_mut().for_each(|part| rename_expression(part, change)),
        Expression::Unary(_, operand) => rename_expression(operand, change),
        Expression::Binary(_, left, right) => {
            rename_expression(left, change);
            rename_expression(right, change);
        }
        Expression::Literal { .. } | Expression::Named { .. } => {}
    }
}
