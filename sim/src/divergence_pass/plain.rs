//! The way back: a kernel without regions and YIELDs, plain branches in place of what leaves a region.

use super::kernel::{address_of, rebuilt};
use super::mistakes::{none, Mistake, Mistakes};
use crate::assembler::Kernel;
use crate::isa::{Action, ControlOpcode, Instruction};
use std::collections::BTreeMap;

/// What becomes of an instruction.
enum Becomes {
    Nothing,
    This(Instruction),
}

/// The kernel with plain branches only.
pub fn strip(kernel: &Kernel) -> Result<Kernel, Mistakes> {
    let (mut kept, mut mistakes, mut addresses) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (address, instruction) in (0_u32..).zip(&kernel.instructions) {
        addresses.insert(address, kept.len() as u32);
        match plain(instruction) {
            Some(Becomes::Nothing) => {}
            Some(Becomes::This(instruction)) => kept.push((instruction, address)),
            None => {
                let message = "it goes to wherever a token says, which no branch can do";
                mistakes.push(Mistake::new(kernel, address, message, "give it a register: `LONGJMP R30`"));
            }
        }
    }
    none(kernel, mistakes)?;
    let moved = |address: u32| addresses.get(&address).copied().unwrap_or(address);
    for (instruction, origin) in &mut kept {
        if let Some(address) = address_of(instruction, kernel.address_values.contains(origin)) {
            instruction.b = crate::isa::Source::Immediate(moved(address));
        }
    }
    Ok(rebuilt(kernel, kept, &|address| Some(moved(address))))
}

fn plain(instruction: &Instruction) -> Option<Becomes> {
    use ControlOpcode::{Bra, Brk, Cont, Exit, Jmx, Longjmp, Pbk, Pcnt, Pexit, Plongjmp, Ssy, Sync, Yield};
    let Action::Control(opcode) = instruction.action else { return Some(Becomes::This(*instruction)) };
    let with = |opcode| Becomes::This(Instruction { action: Action::Control(opcode), optional: false, ..*instruction });
    match opcode {
        Ssy | Pbk | Pcnt | Pexit | Plongjmp | Yield => Some(Becomes::Nothing),
        Sync | Brk | Cont => Some(with(Bra)),
        Exit if instruction.optional => Some(with(Bra)),
        Longjmp => instruction.optional.then(|| with(Jmx)),
        _ => Some(Becomes::This(*instruction)),
    }
}
