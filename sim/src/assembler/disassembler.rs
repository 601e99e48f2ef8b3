//! From words back to text that assembles to the same words.

use super::kernel::Kernel;
use crate::isa::table::Slot;
use crate::isa::{decode, DecodeError, Instruction};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The program as text, with a label at each address that an instruction names. On a word that is no instruction: its
/// address, and why.
pub fn disassemble(words: &[u64]) -> Result<String, (u32, DecodeError)> {
    let instructions = (0..)
        .zip(words)
        .map(|(address, word)| decode(*word).map_err(|error| (address, error)))
        .collect::<Result<Vec<_>, _>>()?;
    let named: BTreeSet<u32> =
        instructions.iter().filter_map(address_of).filter(|address| (*address as usize) < words.len()).collect();
    let labels = named.into_iter().map(|address| (address, format!("at_{address:04x}"))).collect();
    Ok(text_of(&instructions, &labels, false))
}

/// A kernel's program with its own labels, addresses and words beside it.
pub fn listing(kernel: &Kernel) -> String {
    let labels = kernel.labels.iter().map(|(name, address)| (*address, name.clone())).collect();
    text_of(&kernel.instructions, &labels, true)
}

fn address_of(instruction: &Instruction) -> Option<u32> {
    let slots = instruction.form().slots;
    let present = slots.contains(&Slot::Address) || slots.contains(&Slot::OptionalAddress) && instruction.optional;
    present.then(|| instruction.immediate())
}

fn text_of(instructions: &[Instruction], labels: &BTreeMap<u32, String>, with_words: bool) -> String {
    let mut text = String::new();
    for (address, instruction) in (0_u32..).zip(instructions) {
        if let Some(label) = labels.get(&address) {
            let _ = writeln!(text, "{label}:");
        }
        let mut line = instruction.to_string();
        if let Some(label) = address_of(instruction).and_then(|target| labels.get(&target)) {
            // The address is the last operand of every form that has one, except CAL with a link register.
            let number = format!("0x{:x}", instruction.immediate());
            if let Some(at) = line.rfind(&number) {
                line.replace_range(at..at + number.len(), label);
            }
        }
        let _ = if with_words {
            writeln!(text, "    {line:<44} // {address:#06x}: {:016x}", crate::isa::encode(instruction))
        } else {
            writeln!(text, "    {line}")
        };
    }
    text
}
