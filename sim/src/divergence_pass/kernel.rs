//! The pass on kernels: what their instructions mean to it, and the kernel that comes out.

use super::control_flow_graph::ControlFlowGraph;
use super::emit::{Emission, Emitted, Guard as Threads, What};
use super::flow::{Code, Flow};
use super::mistakes::{line, none, Mistake, Mistakes};
use super::trip_count::ends_soon;
use super::Pass;
use crate::assembler::Kernel;
use crate::engine::Kind;
use crate::isa::table::Slot;
use crate::isa::{encode, Action, ControlOpcode, Guard, Instruction, Source, PROGRAM_LIMIT};
use petgraph::graph::NodeIndex;
use petgraph::visit::{Dfs, EdgeRef, Walker};
use std::collections::{BTreeMap, BTreeSet};

/// The kernel with the instructions by which its threads meet again and take turns. Its branches have to be plain.
pub fn insert_divergence(kernel: &Kernel) -> Result<Kernel, Mistakes> {
    let code = code(kernel)?;
    let pass = Pass::new(&code, &|cfg, found| ends_soon(kernel, cfg, found));
    none(kernel, lost_returns(kernel, &code, &pass))?;
    let emission = pass.emit();
    if emission.code.len() > PROGRAM_LIMIT {
        let message = format!("with its regions the program has {} instructions", emission.code.len());
        let hint = format!("make it shorter: an address has 22 bits, for {PROGRAM_LIMIT} instructions");
        none(kernel, vec![Mistake::new(kernel, 0, message, hint)])?;
    }
    Ok(written(kernel, &emission))
}

/// The address that an instruction names, as its target or as a value.
pub(super) fn address_of(instruction: &Instruction, value_is_address: bool) -> Option<u32> {
    let slots = instruction.form().slots;
    let target = slots.contains(&Slot::Address) || slots.contains(&Slot::OptionalAddress) && instruction.optional;
    // BRX without a table adds nothing to its register.
    let nothing = instruction.action == Action::Control(ControlOpcode::Brx) && instruction.immediate() == 0;
    (target && !nothing || value_is_address).then(|| instruction.immediate())
}

/// The same kernel with other instructions, each with the address of the original one that it comes from.
pub(super) fn rebuilt(kernel: &Kernel, code: Vec<(Instruction, u32)>, moved: &dyn Fn(u32) -> Option<u32>) -> Kernel {
    let labels = kernel.labels.iter().filter_map(|(name, address)| Some((name.clone(), moved(*address)?)));
    let values = (0_u32..).zip(&code).filter(|(_, (instruction, origin))| {
        kernel.address_values.contains(origin) && instruction.action == kernel.instructions[*origin as usize].action
    });
    Kernel {
        words: code.iter().map(|(instruction, _)| encode(instruction)).collect(),
        lines: code.iter().map(|(_, origin)| line(kernel, *origin)).collect(),
        labels: labels.collect(),
        address_values: values.map(|(address, _)| address).collect(),
        instructions: code.into_iter().map(|(instruction, _)| instruction).collect(),
        ..kernel.clone()
    }
}

/// What the pass has to know of a kernel.
pub(super) fn code(kernel: &Kernel) -> Result<Code, Mistakes> {
    let length = kernel.instructions.len() as u32;
    let kept = kernel.address_values.iter().map(|index| kernel.instructions[*index as usize].immediate());
    let kept: BTreeSet<u32> = kept.filter(|address| *address < length).collect();
    let (mut flows, mut mistakes) = (Vec::new(), Vec::new());
    for (address, instruction) in (0_u32..).zip(&kernel.instructions) {
        let outside = address_of(instruction, kernel.address_values.contains(&address)).filter(|to| *to >= length);
        let flow = match outside {
            Some(to) => Err((format!("there is no instruction at address 0x{to:x}"), "put one behind the label")),
            None => flow(kernel, instruction, &kept),
        };
        match flow {
            Ok(flow) => flows.push(flow),
            Err((message, hint)) => mistakes.push(Mistake::new(kernel, address, message, hint)),
        }
    }
    if let Some(true) = flows.last().map(Flow::falls_through) {
        let hint = "end it with EXIT, RET or BRA without a guard";
        mistakes.push(Mistake::new(kernel, length - 1, "the program goes on behind its last instruction", hint));
    }
    none(kernel, mistakes)?;
    Ok(Code { flows, kept })
}

/// Where an instruction goes on; else what is wrong with it, and a hint.
fn flow(kernel: &Kernel, instruction: &Instruction, kept: &BTreeSet<u32>) -> Result<Flow, (String, &'static str)> {
    use ControlOpcode::{
        Bra, Brk, Brx, Cal, Cont, Exit, Jmp, Jmx, Longjmp, Pbk, Pcnt, Pexit, Plongjmp, Ret, Ssy, Sync,
    };
    let conditional = instruction.guard != Guard::ALWAYS;
    let target = instruction.immediate();
    let opcode = match instruction.action {
        Action::Control(opcode) => opcode,
        Action::Barrier(_) if instruction.form().slots.contains(&Slot::Address) => return Ok(Flow::Barrier(target)),
        _ => return Ok(Flow::Straight),
    };
    match opcode {
        Bra | Jmp => Ok(Flow::Branch { target, conditional }),
        Brx if target != 0 => match table(kernel, target) {
            targets if targets.is_empty() => Err((
                "there is no table of branches at its address".to_string(),
                "let it point to BRAs without guards, one for each value of its register",
            )),
            targets => Ok(Flow::Table { targets, conditional }),
        },
        Brx | Jmx if kept.is_empty() => Err((
            "it jumps to an address in a register, and no register ever gets a label's".to_string(),
            "write the label, not a number, where the address is made: `MOV R4, label`",
        )),
        Brx | Jmx => Ok(Flow::Indirect { conditional }),
        Cal => Ok(Flow::Call(target)),
        Ret => Ok(if conditional { Flow::Straight } else { Flow::End }),
        Exit if !instruction.optional => Ok(if conditional { Flow::Straight } else { Flow::End }),
        ControlOpcode::Yield => Ok(if conditional { Flow::Straight } else { Flow::Yield }),
        Ssy | Sync | Pbk | Brk | Pcnt | Cont | Pexit | Exit | Plongjmp | Longjmp => Err((
            "it belongs to a region, and the pass makes the regions itself".to_string(),
            "write plain branches, or have the regions taken out first: --strip-divergence",
        )),
    }
}

/// Where the branches of a jump table go. It ends with the first instruction that is no BRA without a guard.
fn table(kernel: &Kernel, address: u32) -> Vec<u32> {
    let branches = kernel.instructions[address as usize..].iter().take_while(|instruction| {
        let branch = matches!(instruction.action, Action::Control(ControlOpcode::Bra | ControlOpcode::Jmp));
        branch && instruction.guard == Guard::ALWAYS && (instruction.immediate() as usize) < kernel.instructions.len()
    });
    branches.map(Instruction::immediate).collect()
}

/// RETs that rely on a call token which a YIELD of the same function may have used up.
fn lost_returns(kernel: &Kernel, code: &Code, pass: &Pass) -> Vec<Mistake> {
    let mut mistakes = BTreeMap::new();
    for (function, yielding) in yielding_functions(code, pass) {
        for node in blocks_of(&pass.cfg, function) {
            for address in pass.cfg.graph[node].body.clone() {
                let instruction = &kernel.instructions[address as usize];
                if instruction.action == Action::Control(ControlOpcode::Ret) && !instruction.optional {
                    let message = format!(
                        "the function yields at line {}, and after that the call token may be gone",
                        line(kernel, yielding)
                    );
                    let hint = "keep the return address in a register: `CAL function, R30` and `RET R30`";
                    mistakes.entry(address).or_insert_with(|| Mistake::new(kernel, address, message, hint));
                }
            }
        }
    }
    mistakes.into_values().collect()
}

/// The blocks of the function that begins with a block.
fn blocks_of(cfg: &ControlFlowGraph, function: NodeIndex) -> BTreeSet<NodeIndex> {
    Dfs::new(&cfg.graph, function).iter(&cfg.graph).collect()
}

/// The functions whose threads may yield before they return, with an instruction where they do.
fn yielding_functions(code: &Code, pass: &Pass) -> BTreeMap<NodeIndex, u32> {
    let cfg = &pass.cfg;
    let functions: Vec<NodeIndex> = code.functions().iter().filter_map(|at| cfg.at.get(at).copied()).collect();
    let mut yielding: BTreeMap<NodeIndex, u32> = BTreeMap::new();
    for function in &functions {
        let blocks = blocks_of(cfg, *function);
        let written = || {
            let bodies = blocks.iter().flat_map(|node| cfg.graph[*node].body.clone());
            bodies.into_iter().find(|address| code.flows[*address as usize] == Flow::Yield)
        };
        let round = || {
            let ways = blocks.iter().flat_map(|node| cfg.graph.edges(*node));
            ways.into_iter().find(|way| pass.yielding.contains(&way.id())).map(|way| cfg.graph[way.source()].origin)
        };
        if let Some(address) = written().or_else(round) {
            yielding.insert(*function, address);
        }
    }
    // Whoever calls a function that yields yields, too.
    loop {
        let calls = |node: &NodeIndex| {
            let bodies = blocks_of(cfg, *node).into_iter().flat_map(|block| cfg.graph[block].body.clone());
            let called = bodies.filter_map(|address| match code.flows[address as usize] {
                Flow::Call(target) => cfg.at.get(&target).and_then(|callee| yielding.get(callee)).copied(),
                _ => None,
            });
            called.min()
        };
        let more: Vec<(NodeIndex, u32)> = functions
            .iter()
            .filter(|node| !yielding.contains_key(node))
            .filter_map(|node| Some((*node, calls(node)?)))
            .collect();
        if more.is_empty() {
            return yielding;
        }
        yielding.extend(more);
    }
}

/// The kernel with the program that the pass wrote.
fn written(kernel: &Kernel, emission: &Emission) -> Kernel {
    let code: Vec<_> =
        emission.code.iter().map(|emitted| (instruction(kernel, emission, emitted), emitted.origin)).collect();
    let moved = |address: u32| emission.functions.get(&address).or_else(|| emission.addresses.get(&address)).copied();
    let mut kernel = rebuilt(kernel, code, &moved);
    let named: BTreeSet<u32> = kernel.labels.values().copied().collect();
    let targets = kernel.instructions.iter().filter_map(|instruction| address_of(instruction, false));
    let new: BTreeSet<u32> = targets.filter(|address| !named.contains(address)).collect();
    for address in new {
        kernel.labels.entry(format!("at_{address:04x}")).or_insert(address);
    }
    kernel
}

fn instruction(kernel: &Kernel, emission: &Emission, emitted: &Emitted) -> Instruction {
    let original = kernel.instructions[emitted.origin as usize];
    let control = |opcode: ControlOpcode, threads: Threads, address: u32| {
        let guard = match threads {
            Threads::Always => Guard::ALWAYS,
            Threads::Same => original.guard,
            Threads::Inverted => Guard { negate: !original.guard.negate, ..original.guard },
        };
        Instruction { guard, b: Source::Immediate(address), ..Instruction::new(Action::Control(opcode)) }
    };
    let aimed = |address: u32| Instruction { b: Source::Immediate(address), ..original };
    match emitted.what {
        What::Original if kernel.address_values.contains(&emitted.origin) => {
            aimed(emission.kept.get(&original.immediate()).copied().unwrap_or_default())
        }
        What::Original if original.action == Action::Control(ControlOpcode::Cal) => {
            aimed(emission.functions.get(&original.immediate()).copied().unwrap_or_default())
        }
        What::Original => original,
        What::Aimed(address) => aimed(address),
        What::Branch(threads, address) => control(ControlOpcode::Bra, threads, address),
        What::Open(kind, address) => control(opcodes(kind).0, Threads::Always, address),
        What::Leave(kind, threads, address) => control(opcodes(kind).1, threads, address),
        What::Yield => control(ControlOpcode::Yield, Threads::Always, 0),
    }
}

/// The instructions that open and leave a region of a kind.
fn opcodes(kind: Kind) -> (ControlOpcode, ControlOpcode) {
    match kind {
        Kind::Break => (ControlOpcode::Pbk, ControlOpcode::Brk),
        Kind::Continue => (ControlOpcode::Pcnt, ControlOpcode::Cont),
        _ => (ControlOpcode::Ssy, ControlOpcode::Sync),
    }
}
