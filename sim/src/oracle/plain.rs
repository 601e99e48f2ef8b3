//! Random programs with plain branches only, and the divergence pass on them (IS-06).
//!
//! They are the other generators' programs without their regions and YIELDs: whatever left a region is a branch there, and a function returns
//! by its register. The pass has to find all regions anew, in programs that a compiler could have made and in such that none
//! would. A thread alone then does the same before and after the pass, instruction by instruction; what is left to the
//! engines is to run the result as threads alone do.

use super::interpreter::trace;
use super::program::{Class, Data, Goal, Instruction, Predicate, Program, Region};
use super::warp_runner::Wrong;
use super::{interpreter, spaghetti, structured};
use crate::divergence_pass::emit::{Emission, Emitted, Guard, What};
use crate::divergence_pass::flow::{Code, Flow};
use crate::divergence_pass::Pass;
use crate::engine::Kind;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

/// Register in which both generators keep the address after a call.
const LINK: u8 = 7;
/// Register in which the structured generator keeps the long jump's handler.
const HANDLER: u8 = 13;
/// Registers in which the goto generator keeps addresses of blocks.
const TARGETS: [u8; 2] = [8, 9];
/// Registers that hold values and never addresses.
const VALUES: std::ops::Range<u8> = 0..7;

/// A random program with plain branches for a warp of `threads`.
pub fn generate(random: &mut ChaCha8Rng, threads: usize) -> Program {
    let structured = random.random_bool(0.5);
    let mut program =
        if structured { structured::generate(random, threads) } else { spaghetti::generate(random, threads) };
    program.code.iter_mut().for_each(make_plain);
    if !structured {
        make_known(&mut program.code);
        program.base = program.base.min((1 << 22) - program.code.len() as u32);
    }
    Program { class: Class::Plain, ..program }
}

/// Takes an instruction's region away; addresses stay as they are.
fn make_plain(instruction: &mut Instruction) {
    *instruction = match instruction.clone() {
        Instruction::Push(..) | Instruction::Yield(_) => Instruction::Nothing,
        Instruction::Leave(Region::Call, predicate, Goal::Token) => {
            Instruction::Leave(Region::Call, predicate, Goal::Register(LINK))
        }
        Instruction::Leave(Region::Call, predicate, goal @ Goal::Register(_)) => {
            Instruction::Leave(Region::Call, predicate, goal)
        }
        Instruction::Leave(_, predicate, Goal::Address(address)) => Instruction::Branch(predicate, address),
        Instruction::Leave(_, predicate, Goal::Register(register)) => Instruction::Indirect(predicate, register),
        Instruction::Leave(_, predicate, Goal::Token) => Instruction::Indirect(predicate, HANDLER),
        other => other,
    };
}

/// Makes the ways of a goto program known to whoever reads it, as those of a compiler's programs are: it goes by registers only to labels that it has
/// put there, and what calls without ever returning is a branch.
fn make_known(code: &mut Vec<Instruction>) {
    for instruction in code.iter_mut() {
        let known = |register: u8| if TARGETS.contains(&register) { register } else { TARGETS[0] };
        *instruction = match instruction.clone() {
            Instruction::Call(predicate, target, _) => Instruction::Branch(predicate, target),
            Instruction::Leave(Region::Call, predicate, Goal::Register(register))
            | Instruction::Indirect(predicate, register) => Instruction::Indirect(predicate, known(register)),
            other => other,
        };
    }
    let shift = TARGETS.len() as u32;
    code.iter_mut().flat_map(Instruction::addresses_mut).for_each(|address| *address += shift);
    let first = |destination| Instruction::Data(Data::Address { destination, address: shift });
    code.splice(0..0, TARGETS.map(first));
}

/// It has no region.
pub fn is_plain(program: &Program) -> bool {
    program.code.iter().all(|instruction| match instruction {
        Instruction::Push(..) => false,
        Instruction::Leave(region, _, goal) => *region == Region::Call && matches!(goal, Goal::Register(_)),
        _ => true,
    })
}

/// A program that went through the pass, and what became of each instruction.
pub struct Passed {
    /// The program.
    pub program: Program,
    /// For each of its instructions the original one that it is; none for those that the pass put in.
    pub originals: Vec<Option<u32>>,
}

/// Puts a plain program through the pass.
pub fn insert_divergence(plain: &Program) -> Passed {
    let emission = Pass::new(&code(plain), &|_, _| false).emit();
    let code: Vec<Instruction> = emission.code.iter().map(|emitted| instruction(plain, &emission, emitted)).collect();
    let originals = emission.code.iter().map(|emitted| match emitted.what {
        What::Original | What::Aimed(_) => Some(emitted.origin),
        _ => None,
    });
    let base = plain.base.min((1 << 22) - code.len() as u32);
    Passed { originals: originals.collect(), program: Program { code, base, ..plain.clone() } }
}

/// What the pass has to know of a program; what leaves a region is a branch to it.
pub fn code(plain: &Program) -> Code {
    let mut kept = BTreeSet::new();
    let mut flows = Vec::new();
    for (address, instruction) in plain.code.iter().enumerate() {
        let conditional = |predicate: &Predicate| *predicate != Predicate::Always;
        let ends = |predicate: &Predicate| if conditional(predicate) { Flow::Straight } else { Flow::End };
        flows.push(match instruction {
            Instruction::Branch(predicate, target) => {
                Flow::Branch { target: *target, conditional: conditional(predicate) }
            }
            Instruction::Indirect(predicate, _) => match table(plain, address) {
                Some(targets) => Flow::Table { targets, conditional: conditional(predicate) },
                None => Flow::Indirect { conditional: conditional(predicate) },
            },
            Instruction::Call(_, target, _) => Flow::Call(*target),
            Instruction::Leave(_, predicate, Goal::Address(target)) => {
                Flow::Branch { target: *target, conditional: conditional(predicate) }
            }
            Instruction::Leave(_, predicate, _) | Instruction::Exit(predicate) => ends(predicate),
            Instruction::Yield(Predicate::Always) => Flow::Yield,
            Instruction::Data(Data::Address { address, .. }) => {
                kept.insert(*address);
                Flow::Straight
            }
            Instruction::Data(Data::Choose { table: addresses, .. }) => {
                let opens = |place: &usize| matches!(plain.code.get(*place), Some(Instruction::Push(..)));
                let jump = (address + 1..).find(|place| !opens(place)).unwrap_or_default();
                if table(plain, jump).is_none() {
                    kept.extend(addresses);
                }
                Flow::Straight
            }
            _ => Flow::Straight,
        });
    }
    Code { flows, kept }
}

/// The addresses of an indirect jump that follows the choice of its address and that nobody else jumps to: a jump through a table. Regions
/// may be opened in between.
fn table(plain: &Program, jump: usize) -> Option<Vec<u32>> {
    let Some(Instruction::Indirect(_, register)) = plain.code.get(jump) else { return None };
    let opens = |place: &usize| matches!(plain.code[*place], Instruction::Push(..));
    let choice = (0..jump).rev().find(|place| !opens(place))?;
    let Instruction::Data(Data::Choose { destination, table, .. }) = &plain.code[choice] else { return None };
    let between = |to: u32| (choice + 1..=jump).contains(&(to as usize));
    let names = |instruction: &Instruction| instruction.clone().addresses_mut().iter().any(|to| between(**to));
    (destination == register && !plain.code.iter().any(names)).then(|| table.clone())
}

fn instruction(plain: &Program, emission: &Emission, emitted: &Emitted) -> Instruction {
    let original = &plain.code[emitted.origin as usize];
    let predicate = |guard: Guard| {
        let own = original.clone().predicate_mut().map_or(Predicate::Always, |predicate| *predicate);
        match guard {
            Guard::Always => Predicate::Always,
            Guard::Same => own,
            Guard::Inverted => own.inverted().unwrap_or(own),
        }
    };
    match emitted.what {
        What::Original | What::Aimed(_) => moved(plain, emission, emitted.origin),
        What::Branch(guard, address) => Instruction::Branch(predicate(guard), address),
        What::Open(kind, address) => Instruction::Push(region(kind), address),
        What::Leave(kind, guard, address) => Instruction::Leave(region(kind), predicate(guard), Goal::Address(address)),
        What::Yield => Instruction::Yield(Predicate::Always),
    }
}

/// An instruction of the original program with the addresses of the new one.
fn moved(plain: &Program, emission: &Emission, address: u32) -> Instruction {
    let mut instruction = plain.code[address as usize].clone();
    let kept = |address: &mut u32| *address = emission.kept.get(address).copied().unwrap_or_default();
    match &mut instruction {
        Instruction::Call(_, target, _) => *target = emission.functions[target],
        Instruction::Data(Data::Address { address, .. }) => kept(address),
        Instruction::Data(Data::Choose { table, .. }) => {
            let jump = emission.code.iter().find_map(|emitted| match emitted.what {
                What::Aimed(slots) if emitted.origin == address + 1 => Some(slots),
                _ => None,
            });
            match jump {
                Some(slots) => (slots..).zip(table).for_each(|(slot, address)| *address = slot),
                None => table.iter_mut().for_each(kept),
            }
        }
        _ => {}
    }
    instruction
}

fn region(kind: Kind) -> Region {
    match kind {
        Kind::Break => Region::Break,
        Kind::Continue => Region::Continue,
        _ => Region::Sync,
    }
}

/// What the pass changed in what a thread does alone; nothing, if the pass is right. `limit` bounds the instructions of a thread.
pub fn changed(plain: &Program, limit: u32) -> Option<Wrong> {
    let before = interpreter::interpret(plain, limit).ok()?;
    if code(plain).flows.last().is_none_or(Flow::falls_through) {
        return None;
    }
    let passed = insert_divergence(plain);
    let wrong = |thread, detail| Some(Wrong::Changed { thread, detail });
    let after = match interpreter::interpret(&passed.program, 4 * limit) {
        Ok(after) => after,
        Err(illegal) => return wrong(0, illegal.to_string()),
    };
    // Instructions that the new program has as well; branches it may have or not.
    let common: BTreeSet<u32> = passed.originals.iter().flatten().copied().collect();
    for ((thread, before), (_, after)) in before.iter().zip(&after) {
        let visited = trace(plain, *thread, limit).ok()?;
        let visited: Vec<u32> = visited.into_iter().filter(|address| common.contains(address)).collect();
        let revisited = trace(&passed.program, *thread, 4 * limit).ok()?;
        let revisited: Vec<u32> =
            revisited.into_iter().filter_map(|address| passed.originals[address as usize]).collect();
        if let Some(step) =
            (0..visited.len().max(revisited.len())).find(|step| visited.get(*step) != revisited.get(*step))
        {
            let text = |path: &[u32]| path.get(step).map_or("the end".to_string(), ToString::to_string);
            return wrong(*thread, format!("step {step} is {}, was {}", text(&revisited), text(&visited)));
        }
        if let Some(register) = VALUES.into_iter().find(|register| before.get(*register) != after.get(*register)) {
            return wrong(*thread, format!("register {register} ends with another value"));
        }
        // A cell may hold the address of an instruction, which has moved.
        let is_value = |cell: &usize| before.cells[*cell] as usize >= plain.code.len();
        let cells = (0..before.cells.len()).filter(is_value);
        if let Some(cell) = cells.into_iter().find(|cell| before.cells[*cell] != after.cells[*cell]) {
            return wrong(*thread, format!("cell {cell} ends with another value"));
        }
    }
    None
}

/// How often a new instruction of each kind stands in a program, for tests that want the interesting ones to occur.
pub fn inserted(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for instruction in &program.code {
        let name = match instruction {
            Instruction::Push(region, _) => region.mnemonics().0,
            Instruction::Leave(region, _, Goal::Address(_)) => region.mnemonics().1,
            Instruction::Yield(_) => "YIELD",
            _ => continue,
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}
