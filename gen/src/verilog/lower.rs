//! From `rust_hdl`'s tree of a block to modules: names resolved, loops unrolled, widths settled, identical modules shared.

use super::check::check;
use super::error::{Problem, TranslationError};
use super::expression::Reader;
use super::ir::{Arm, Expression, Instance, Module, NetKind, Pin, Register, Statement};
use super::names::{plain, resolve};
use super::prune::prune;
use super::scope::{unsupported, Scope, Target};
use super::source::{literal_value, Tree};
use rust_hdl::core::ast::{
    Verilog, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLoop, VerilogMatch,
    VerilogStatement,
};
use rust_hdl::core::prelude::AtomKind;
use std::collections::BTreeSet;

/// How often a loop may turn: beyond this it is a mistake.
const TURNS: u64 = 4096;

/// All modules of an exported block, each once; the parts of a module come before it.
#[derive(Debug, Default)]
pub struct Design {
    /// The modules.
    pub modules: Vec<Module>,
    /// For each module, the fields that hold it, in the order of their appearance, and its block's path.
    pub origins: Vec<Origin>,
}

/// Where a module comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The field that holds the first of its kind, without array index.
    pub field: String,
    /// The path of fields to the first of its kind.
    pub path: String,
    /// The ports' names.
    pub ports: Vec<String>,
    /// The fields that hold its parts, without array indices, each once.
    pub parts: Vec<String>,
}

impl Design {
    /// Adds `tree` and its parts, and returns the module of `tree`.
    pub fn add(&mut self, tree: &Tree, path: &str) -> Result<usize, TranslationError> {
        let module = self.lower(tree, path)?;
        if let Some(known) = self.modules.iter().position(|known| *known == module) {
            return Ok(known);
        }
        let field = |tree: &Tree| tree.name.split('$').next().unwrap_or_default().to_string();
        let mut parts: Vec<String> = tree.parts.iter().map(field).collect();
        parts.dedup();
        self.modules.push(module);
        self.origins.push(Origin {
            field: field(tree),
            path: path.to_string(),
            ports: tree.port_names().iter().map(ToString::to_string).collect(),
            parts,
        });
        Ok(self.modules.len() - 1)
    }

    fn lower(&mut self, tree: &Tree, path: &str) -> Result<Module, TranslationError> {
        let in_block = |problem: Problem| problem.at(path);
        let mut scope = Scope::new(tree).map_err(in_block)?;
        for part in &tree.parts {
            if is_register(part) {
                add_register(&mut scope, part).map_err(in_block)?;
            } else {
                let module = self.add(part, &format!("{path}.{}", part.name.replace('$', ".")))?;
                let inside = self.modules[module].words();
                add_instance(&mut scope, part, module, &inside).map_err(in_block)?;
            }
        }
        match &tree.kernel {
            Verilog::Combinatorial(kernel) => {
                let mut writer = Writer { scope: &mut scope };
                for statement in kernel {
                    writer.top(statement).map_err(in_block)?;
                }
                if let Some(pin) = scope.forgotten() {
                    return Err(in_block(Problem::Undriven(pin.replace('$', "."))));
                }
                check(&scope.module).map_err(in_block)?;
                prune(&mut scope.module);
            }
            Verilog::Custom(text) => scope.module.custom = Some(text.clone()),
            Verilog::Empty => return Err(in_block(unsupported(&tree.name, "a block without a kernel"))),
            Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
                return Err(in_block(unsupported(&tree.name, "a black box")));
            }
        }
        Ok(scope.module)
    }
}

/// `tree` is Heddle's register: its clocked process is written into the parent.
fn is_register(tree: &Tree) -> bool {
    tree.port_names() == ["clock", "reset", "d", "q"] && tree.field("reset_value").is_some() && tree.parts.is_empty()
}

fn add_register(scope: &mut Scope, part: &Tree) -> Result<(), Problem> {
    let (path, name) = (&part.name, plain(&part.name));
    let missing = |signal: &str| Problem::MissingSignal { part: name.clone(), signal: signal.to_string() };
    let (Some(d), Some(q), Some(reset)) = (part.field("d"), part.field("q"), part.field("reset_value")) else {
        return Err(unsupported(&name, "a register without d, q or reset value"));
    };
    if scope.module.clock.is_none() {
        return Err(missing("clock"));
    }
    if scope.module.reset.is_none() {
        return Err(missing("reset"));
    }
    let value = scope.add_net(&format!("{path}$q"), &name, q, NetKind::Value)?;
    if scope.module.nets[value].name != name {
        return Err(Problem::ReservedWord(name));
    }
    let next = scope.add_net(&format!("{path}$d"), &format!("{name}_next"), d, NetKind::Next)?;
    scope.add_wired_pin(&format!("{path}$clock"), scope.module.clock);
    scope.add_wired_pin(&format!("{path}$reset"), scope.module.reset);
    let reset_value = scope.value_of(reset);
    scope.module.registers.push(Register { value, next, reset_value });
    Ok(())
}

fn add_instance(scope: &mut Scope, part: &Tree, module: usize, inside: &BTreeSet<String>) -> Result<(), Problem> {
    let mut name = plain(&part.name);
    // An instance and a signal inside it cannot share a name without hiding one another.
    if inside.contains(&name) {
        name.push_str("_part");
    }
    let name = scope.names.take(&name);
    let mut pins = Vec::new();
    for port in part.ports() {
        let path = format!("{}${}", part.name, port.path);
        let wish = format!("{name}_{}", plain(&port.path));
        let net = match (port.kind, port.is_clock) {
            (AtomKind::InputParameter, true) => {
                scope.add_wired_pin(&path, scope.module.clock);
                scope.module.clock.ok_or(Problem::MissingSignal { part: name.clone(), signal: "clock".to_string() })?
            }
            (AtomKind::InputParameter, false) => scope.add_net(&path, &wish, port, NetKind::PartInput)?,
            _ => scope.add_net(&path, &wish, port, NetKind::PartOutput)?,
        };
        let connection = Expression::Net { net, width: port.width };
        pins.push(Pin { port: plain(&port.path), is_input: port.kind == AtomKind::InputParameter, connection });
    }
    scope.module.instances.push(Instance { name, module, pins });
    Ok(())
}

/// The writer of a kernel's statements.
struct Writer<'a> {
    scope: &'a mut Scope,
}

impl Writer<'_> {
    /// A statement of the kernel itself.
    fn top(&mut self, source: &VerilogStatement) -> Result<(), Problem> {
        match source {
            VerilogStatement::Loop(source) => self.turns(source, &mut |writer, statement| writer.top(statement)),
            VerilogStatement::Macro(block) => {
                self.macro_resets(block);
                block.iter().try_for_each(|statement| self.top(statement))
            }
            other => {
                let mut done = Vec::new();
                self.statement(other, &mut done)?;
                // Temporaries of the statement are in the body by now, before it.
                self.scope.module.body.append(&mut done);
                Ok(())
            }
        }
    }

    /// `dff_setup!` wires the resets too, but `hdl_gen` does not see that; it is known by the hold of `d`.
    fn macro_resets(&mut self, block: &[VerilogStatement]) {
        for statement in block {
            if let VerilogStatement::Assignment(VerilogExpression::Signal(target), _) = statement {
                if let Some(register) = target.strip_suffix("$d$next") {
                    self.scope.wire(&format!("{register}$reset"));
                }
            }
        }
    }

    fn block(&mut self, source: &[VerilogStatement]) -> Result<Vec<Statement>, Problem> {
        let mut out = Vec::new();
        for statement in source {
            self.statement(statement, &mut out)?;
        }
        Ok(out)
    }

    fn statement(&mut self, source: &VerilogStatement, out: &mut Vec<Statement>) -> Result<(), Problem> {
        match source {
            VerilogStatement::Assignment(target, value) => self.assign(target, None, value, out),
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                let VerilogExpression::Literal(offset) = offset else {
                    return Err(unsupported("kernel", "an assignment to computed bits"));
                };
                let offset =
                    literal_value(offset).and_then(|offset| usize::try_from(offset).ok()).unwrap_or(usize::MAX);
                self.assign(base, Some((offset, *width)), replacement, out)
            }
            VerilogStatement::If(source) => self.conditional(source, out),
            VerilogStatement::Match(source) => self.choice(source, out),
            VerilogStatement::Loop(source) => {
                self.turns(source, &mut |writer, statement| writer.statement(statement, out))
            }
            VerilogStatement::Comment(text) => {
                out.push(Statement::Comment(text.clone()));
                Ok(())
            }
            VerilogStatement::Macro(block) => block.iter().try_for_each(|statement| self.statement(statement, out)),
            VerilogStatement::Link(_) => Err(unsupported("kernel", "`join` or `link`")),
        }
    }

    fn turns(
        &mut self,
        source: &VerilogLoop,
        each: &mut dyn FnMut(&mut Self, &VerilogStatement) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let bound = |literal| literal_value(literal).and_then(|value| u64::try_from(value).ok());
        let (Some(from), Some(to)) = (bound(&source.from), bound(&source.to)) else {
            return Err(Problem::Overflow(source.index.clone()));
        };
        if to.saturating_sub(from) > TURNS {
            return Err(unsupported(&source.index, "a loop of more than 4096 turns"));
        }
        let hidden = self.scope.variables.remove(&source.index);
        for turn in from..to {
            self.scope.variables.insert(source.index.clone(), turn);
            for statement in &source.block {
                each(self, statement)?;
            }
        }
        self.scope.variables.remove(&source.index);
        if let Some(hidden) = hidden {
            self.scope.variables.insert(source.index.clone(), hidden);
        }
        Ok(())
    }

    fn assign(
        &mut self,
        target: &VerilogExpression,
        bits: Option<(usize, usize)>,
        value: &VerilogExpression,
        out: &mut Vec<Statement>,
    ) -> Result<(), Problem> {
        let VerilogExpression::Signal(spelling) = target else {
            return Err(unsupported("kernel", "an assignment to an expression"));
        };
        match self.scope.target(spelling)? {
            Target::Wired(wire) => {
                let value = Reader { scope: self.scope, place: spelling }.sized(value, 1)?;
                match (value, wire) {
                    (Expression::Net { net, .. }, Some(wire)) if net == wire => {
                        let path = resolve(spelling, &self.scope.variables).unwrap_or_default();
                        self.scope.wire(path.trim_end_matches("$next"));
                        Ok(())
                    }
                    _ => Err(Problem::Rewired(spelling.trim_end_matches("$next").replace('$', "."))),
                }
            }
            Target::Net(target) => {
                let (place, full) = (self.scope.module.nets[target].name.clone(), self.scope.module.nets[target].width);
                let width = bits.map_or(full, |(_, width)| width);
                if bits.is_some_and(|(offset, width)| offset.saturating_add(width) > full) {
                    return Err(Problem::Widths { place, left: full, right: width });
                }
                let value = Reader { scope: self.scope, place: &place }.sized(value, width)?;
                out.push(Statement::Assign { target, bits: bits.filter(|_| width != full), value });
                Ok(())
            }
        }
    }

    fn conditional(&mut self, source: &VerilogConditional, out: &mut Vec<Statement>) -> Result<(), Problem> {
        let test = Reader { scope: self.scope, place: "condition" }.sized(&source.test, 1)?;
        let then = self.block(&source.then)?;
        let mut otherwise = Vec::new();
        match &source.otherwise {
            VerilogBlockOrConditional::Block(block) => otherwise = self.block(block)?,
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement, &mut otherwise)?,
            VerilogBlockOrConditional::None => {}
        }
        match test.constant() {
            Some(0) => out.append(&mut otherwise),
            Some(_) => out.extend(then),
            None => out.push(Statement::If { test, then, otherwise }),
        }
        Ok(())
    }

    fn choice(&mut self, source: &VerilogMatch, out: &mut Vec<Statement>) -> Result<(), Problem> {
        let test = Reader { scope: self.scope, place: "selector" }.natural(&source.test)?;
        let mut arms = Vec::new();
        for case in &source.cases {
            let value = match case.condition.as_str() {
                "default" => None,
                "true" => Some(Expression::literal(1, 1)),
                "false" => Some(Expression::literal(1, 0)),
                name => Some(self.pattern(name, test.width())?),
            };
            if value.as_ref().is_some_and(|value| value.width() != test.width()) {
                let right = value.map_or(0, |value| value.width());
                return Err(Problem::Widths { place: case.condition.clone(), left: test.width(), right });
            }
            arms.push(Arm { value, body: self.block(&case.block)? });
        }
        match test.constant() {
            Some(known) => {
                let chosen = arms.into_iter().find(|arm| match &arm.value {
                    Some(value) => value.constant() == Some(known),
                    None => true,
                });
                out.extend(chosen.map(|arm| arm.body).unwrap_or_default());
            }
            None => out.push(Statement::Case { test, arms }),
        }
        Ok(())
    }

    fn pattern(&self, name: &str, width: usize) -> Result<Expression, Problem> {
        if let Some(constant) = self.scope.constant(name) {
            return Ok(constant);
        }
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        let number = digits.parse().map_err(|_| unsupported(name, "a pattern that binds a name"))?;
        Ok(Expression::literal(width, number))
    }
}
