//! The disassembler: an instruction as the text that assembles to it.

use super::table::Slot;
use super::{barrier_flag, Attribute, Guard, Instruction, Reference, Source, Special, ALWAYS_TRUE, ALWAYS_ZERO};
use std::fmt;

/// The suffixes of a barrier's top, in the order of the text.
pub const BARRIER_SUFFIXES: [(u8, &str); 3] = [
    (barrier_flag::EXCLUSIVE, "EXCLUSIVE"),
    (barrier_flag::NONBLOCKING, "NONBLOCKING"),
    (barrier_flag::IMPATIENT, "IMPATIENT"),
];

/// The name of a register.
pub fn register_name(register: u8) -> String {
    if register == ALWAYS_ZERO {
        "RZ".to_string()
    } else {
        format!("R{register}")
    }
}

/// The name of a predicate.
pub fn predicate_name(predicate: u8) -> String {
    if predicate == ALWAYS_TRUE {
        "PT".to_string()
    } else {
        format!("P{predicate}")
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", if self.negate { "!" } else { "" }, predicate_name(self.predicate))
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = self.form();
        if self.guard != Guard::ALWAYS {
            write!(formatter, "@{} ", self.guard)?;
        }
        formatter.write_str(&form.mnemonic)?;
        let mut separator = " ";
        for slot in form.slots {
            if *slot == Slot::BarrierFlags {
                for (_, suffix) in BARRIER_SUFFIXES.iter().filter(|(bit, _)| self.c & bit != 0) {
                    write!(formatter, ".{suffix}")?;
                }
            } else if !slot.is_optional() || self.optional {
                write!(formatter, "{separator}{}", self.operand(*slot))?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

impl Instruction {
    fn operand(&self, slot: Slot) -> String {
        match slot {
            Slot::Destination | Slot::OptionalLink => register_name(self.destination),
            Slot::DestinationPredicate => predicate_name(self.destination),
            Slot::SourceA | Slot::OptionalRegister => register_name(self.a),
            Slot::SourceC => register_name(self.c),
            Slot::SourcePredicate => self.predicate_operand().to_string(),
            Slot::PlainMemory => format!("[{}]", register_name(self.a)),
            Slot::Memory => match self.immediate() as i32 {
                0 => format!("[{}]", register_name(self.a)),
                offset if offset < 0 => format!("[{} - 0x{:x}]", register_name(self.a), offset.unsigned_abs()),
                offset => format!("[{} + 0x{offset:x}]", register_name(self.a)),
            },
            Slot::SourceB => match self.b {
                Source::Register(register) => register_name(register),
                Source::Immediate(value) => format!("0x{value:x}"),
            },
            Slot::Address | Slot::OptionalAddress => format!("0x{:x}", self.immediate()),
            Slot::Parameter => self.immediate().to_string(),
            Slot::Special => Special::ALL
                .get(self.immediate() as usize)
                .map_or_else(|| self.immediate().to_string(), |(_, name)| (*name).to_string()),
            Slot::Barrier => self.barrier().to_string(),
            Slot::Configuration => self.attributes(),
            Slot::BarrierFlags => String::new(),
        }
    }

    /// The attributes of a BARRIER.CONF; the condition always stands there, the others if they are not zero.
    fn attributes(&self) -> String {
        let configuration = self.configuration();
        let shown = Attribute::ALL.iter().filter_map(|(attribute, name)| match (attribute, configuration.reference) {
            (Attribute::Reference, Reference::Register(register)) => {
                Some(format!("{name} {}", register_name(register)))
            }
            _ => {
                let value = configuration.get(*attribute);
                let always = *attribute == Attribute::Condition;
                (always || value != 0).then(|| format!("{name} {}", attribute.text(value)))
            }
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}
