//! A module as text: header, ports, constants, registers, signals, parts, logic, clocked processes.

use super::fold::Folded;
use super::ir::{mask, Expression, Module, NetId, NetKind};
use super::layout::{comment, number, range, Layout};
use super::names::Names;
use std::collections::{BTreeMap, BTreeSet};

/// What the text of a module says beyond its logic.
pub struct Title<'a> {
    /// The module's name.
    pub name: &'a str,
    /// The comment at the top of its file.
    pub header: &'a str,
    /// The meaning of its ports, in their order; shorter if unknown.
    pub meanings: &'a [String],
    /// The names of all modules of the design.
    pub modules: &'a [String],
}

/// The file of a module.
pub fn file(folded: &Folded, title: &Title) -> String {
    let printer = Printer { folded, layout: Layout { module: &folded.module, clocked: false }, driven: driven(folded) };
    let mut text = comment(title.header, 0);
    text.push('\n');
    text.push_str(&format!("module {} (\n", title.name));
    printer.ports(title, &mut text);
    text.push_str(");\n");
    match &folded.module.custom {
        Some(custom) => {
            text.push('\n');
            for line in custom.lines() {
                text.push_str(if line.is_empty() { "" } else { "  " });
                text.push_str(line);
                text.push('\n');
            }
        }
        None => {
            printer.constants(&mut text);
            printer.declarations(&mut text);
            printer.parts(title, &mut text);
            printer.logic(&mut text);
            printer.clocked(&mut text);
            printer.unused(&mut text);
        }
    }
    text.push_str("\nendmodule\n");
    text
}

/// The nets that a process with statements drives: variables in Verilog's sense.
fn driven(folded: &Folded) -> BTreeSet<NetId> {
    let module = &folded.module;
    if let Some(custom) = &module.custom {
        let assigned = |net: &NetId| {
            let name = &module.nets[*net].name;
            custom.lines().any(|line| {
                let words = line.split_whitespace().collect::<Vec<_>>();
                words.windows(2).enumerate().any(|(at, pair)| {
                    pair[0] == name && matches!(pair[1], "=" | "<=") && (at == 0 || words[at - 1] != "assign")
                })
            })
        };
        return (0..module.ports).filter(assigned).collect();
    }
    let processes = folded.processes.iter().filter(|process| process.assignment().is_none());
    let mut driven: BTreeSet<NetId> = processes.flat_map(|process| process.targets.iter().copied()).collect();
    driven.extend(module.registers.iter().map(|register| register.value));
    driven
}

/// Whether a net stands in a section of the declarations.
type Belongs<'a> = &'a dyn Fn(NetId, NetKind) -> bool;

struct Printer<'a> {
    folded: &'a Folded,
    layout: Layout<'a>,
    driven: BTreeSet<NetId>,
}

impl Printer<'_> {
    fn module(&self) -> &Module {
        &self.folded.module
    }

    fn ports(&self, title: &Title, text: &mut String) {
        let ports = &self.module().nets[..self.module().ports];
        let widest = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
        for (at, port) in ports.iter().enumerate() {
            if let Some(meaning) = title.meanings.get(at) {
                text.push_str(&comment(meaning, 2));
            }
            let kind = match (port.kind, self.driven.contains(&at)) {
                (NetKind::Output, true) => "output reg ",
                (NetKind::Output, false) => "output wire",
                _ => "input  wire",
            };
            let range = range(port.width);
            let gap = if widest == 0 { String::new() } else { format!(" {range:>widest$}") };
            let comma = if at + 1 < ports.len() { "," } else { "" };
            text.push_str(&format!("  {kind}{gap} {}{comma}\n", port.name));
        }
    }

    fn constants(&self, text: &mut String) {
        let mut used = BTreeSet::new();
        let mut note = |expression: &Expression| names(expression, &mut used);
        let bodies = self.folded.processes.iter().flat_map(|process| &process.body);
        for statement in bodies.chain(&self.folded.clocked) {
            statement.for_each_expression(&mut |value| note(value));
        }
        self.folded.next.iter().flatten().for_each(&mut note);
        self.module().registers.iter().for_each(|register| note(&register.reset_value));
        let pins = self.module().instances.iter().flat_map(|instance| &instance.pins);
        pins.for_each(|pin| note(&pin.connection));
        let mut section = None;
        for constant in self.module().constants.iter().filter(|constant| used.contains(&constant.name)) {
            if section != Some(&constant.of) {
                let title = constant.of.as_ref().map_or("Constants".to_string(), |of| format!("States of {of}"));
                text.push_str(&format!("\n  // {title}\n"));
                section = Some(&constant.of);
            }
            if let Some(meaning) = &constant.meaning {
                text.push_str(&comment(meaning, 2));
            }
            let (range, value) = (range(constant.width), number(constant.width, constant.value));
            let range = if range.is_empty() { "[0:0]".to_string() } else { range };
            text.push_str(&format!("  localparam {range} {} = {value};\n", constant.name));
        }
    }

    fn declarations(&self, text: &mut String) {
        let assigned: BTreeSet<NetId> =
            self.folded.processes.iter().flat_map(|process| process.targets.iter().copied()).collect();
        let registers: BTreeSet<NetId> = self.module().registers.iter().map(|register| register.value).collect();
        let connected: BTreeSet<NetId> = self
            .module()
            .instances
            .iter()
            .flat_map(|instance| &instance.pins)
            .filter_map(|pin| match pin.connection {
                Expression::Net { net, .. } => Some(net),
                _ => None,
            })
            .collect();
        let sections: [(&str, Belongs); 4] = [
            ("Registers", &|net, _| registers.contains(&net)),
            ("Next values", &|net, kind| kind == NetKind::Next && assigned.contains(&net)),
            ("Signals", &|net, kind| matches!(kind, NetKind::Local | NetKind::Temporary) && assigned.contains(&net)),
            ("Ports of the parts", &|net, kind| match kind {
                NetKind::PartInput => assigned.contains(&net),
                NetKind::PartOutput => connected.contains(&net),
                _ => false,
            }),
        ];
        for (title, belongs) in sections {
            let nets: Vec<NetId> =
                (0..self.module().nets.len()).filter(|net| belongs(*net, self.module().nets[*net].kind)).collect();
            if nets.is_empty() {
                continue;
            }
            text.push_str(&format!("\n  // {title}\n"));
            let widest = nets.iter().map(|net| range(self.module().nets[*net].width).len()).max().unwrap_or(0);
            for net in nets {
                let kind = if self.driven.contains(&net) { "reg " } else { "wire" };
                let range = range(self.module().nets[net].width);
                let gap = if widest == 0 { String::new() } else { format!(" {range:>widest$}") };
                text.push_str(&format!("  {kind}{gap} {};\n", self.module().nets[net].name));
            }
        }
    }

    fn parts(&self, title: &Title, text: &mut String) {
        for instance in &self.module().instances {
            text.push_str(&format!("\n  {} {} (\n", title.modules[instance.module], instance.name));
            let widest = instance.pins.iter().map(|pin| pin.port.len()).max().unwrap_or(0);
            for (at, pin) in instance.pins.iter().enumerate() {
                let comma = if at + 1 < instance.pins.len() { "," } else { "" };
                let value = self.layout.flat(&pin.connection);
                text.push_str(&format!("    .{:widest$} ({value}){comma}\n", pin.port));
            }
            text.push_str("  );\n");
        }
    }

    fn logic(&self, text: &mut String) {
        let mut after_assign = false;
        for process in &self.folded.processes {
            match process.assignment() {
                Some((target, value)) => {
                    let remarks = process.body.len() > 1;
                    if !after_assign || remarks {
                        text.push('\n');
                    }
                    after_assign = true;
                    self.layout.block(&process.body[..process.body.len() - 1], 2, text);
                    let name = &self.module().nets[target].name;
                    let value = self.layout.fitted(value, 2, 2 + "assign ".len() + name.len() + 4);
                    text.push_str(&format!("  assign {name} = {value};\n"));
                }
                None => {
                    after_assign = false;
                    text.push_str("\n  always @(*) begin\n");
                    self.layout.block(&process.body, 4, text);
                    text.push_str("  end\n");
                }
            }
        }
    }

    fn clocked(&self, text: &mut String) {
        let module = self.module();
        let (Some(clock), Some(reset), false) = (module.clock, module.reset, module.registers.is_empty()) else {
            return;
        };
        let (clock, reset) = (&module.nets[clock].name, &module.nets[reset].name);
        text.push_str(&format!("\n  always @(posedge {clock}) begin\n    if ({reset}) begin\n"));
        for register in &module.registers {
            let (name, value) = (&module.nets[register.value].name, self.layout.flat(&register.reset_value));
            text.push_str(&format!("      {name} <= {value};\n"));
        }
        text.push_str("    end else begin\n");
        for (register, next) in module.registers.iter().zip(&self.folded.next) {
            let Some(next) = next else { continue };
            let name = &module.nets[register.value].name;
            let next = self.layout.fitted(next, 6, 6 + name.len() + 5);
            text.push_str(&format!("      {name} <= {next};\n"));
        }
        Layout { clocked: true, ..self.layout }.block(&self.folded.clocked, 6, text);
        text.push_str("    end\n  end\n");
    }

    /// Bits that nothing reads are gathered in one wire, so that no tool has to guess whether they were forgotten.
    fn unused(&self, text: &mut String) {
        let module = self.module();
        let mut used: BTreeMap<NetId, u128> = BTreeMap::new();
        self.folded.for_each_read(&mut |net, bits| *used.entry(net).or_default() |= bits);
        let mut present: BTreeSet<NetId> =
            self.folded.processes.iter().flat_map(|process| process.targets.iter().copied()).collect();
        present.extend((0..module.ports).filter(|net| module.nets[*net].kind == NetKind::Input));
        present.extend(module.registers.iter().map(|register| register.value));
        for pin in module.instances.iter().flat_map(|instance| &instance.pins).filter(|pin| !pin.is_input) {
            pin.connection.for_each_read(&mut |net, _| {
                present.insert(net);
            });
        }
        present.retain(|net| module.nets[*net].kind != NetKind::Output);
        let mut pieces = vec!["1'b0".to_string()];
        for net in present {
            let width = module.nets[net].width;
            let mut idle = mask(width) & !used.get(&net).copied().unwrap_or(0);
            while idle != 0 {
                let top = 127 - idle.leading_zeros() as usize;
                let length = (!(idle << (127 - top))).leading_zeros() as usize;
                let low = top + 1 - length;
                let bits = if length == width {
                    Expression::Net { net, width }
                } else {
                    Expression::Slice { net, offset: low, width: length }
                };
                pieces.push(self.layout.flat(&bits));
                idle &= !(mask(length) << low);
            }
        }
        if pieces.len() == 1 {
            return;
        }
        let mut names = Names::default();
        module.nets.iter().map(|net| &net.name).chain(module.constants.iter().map(|constant| &constant.name)).for_each(
            |name| {
                names.take(name);
            },
        );
        let name = names.take("unused");
        text.push_str(&format!("\n  // Bits that nothing here reads\n  wire {name} = &{{\n"));
        text.push_str(&format!("    {}\n  }};\n", pieces.join(",\n    ")));
    }
}

fn names(expression: &Expression, used: &mut BTreeSet<String>) {
    match expression {
        Expression::Named { name, .. } => {
            used.insert(name.clone());
        }
        Expression::Select { index, .. } => names(index, used),
        Expression::Concatenation(parts) => parts.iter().for_each(|part| names(part, used)),
        Expression::Unary(_, operand) => names(operand, used),
        Expression::Binary(_, left, right) => {
            names(left, used);
            names(right, used);
        }
        Expression::Net { .. } | Expression::Literal { .. } | Expression::Slice { .. } => {}
    }
}
