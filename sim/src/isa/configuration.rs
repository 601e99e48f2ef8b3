//! What BARRIER.CONF writes: the attributes of a barrier, with their names, ranges and bits (BR-06).

use heddle_hdl::isa::configuration::{self as layout, event, late};
use heddle_hdl::isa::{Field, BARRIER};

use super::{DecodeError, Instruction, Source};

/// An attribute of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Attribute {
    /// Completion condition, 1 to 5 (BR-12).
    Condition = 0,
    /// Reference count in threads.
    Reference = 1,
    /// Fewest participants of an impatient completion.
    Minimum = 2,
    /// Timeout in cycles.
    Timeout = 3,
    /// What the timeout counts from (BR-13).
    Event = 4,
    /// Late threads (BR-20 to BR-24).
    Late = 5,
    /// Priority of a section.
    Priority = 6,
    /// Resource class.
    Class = 7,
}

/// Values of `event` and `late` that have names.
type Names = &'static [(&'static str, u8)];

const EVENTS: Names = &[
    ("first_participating", event::FIRST_PARTICIPATING),
    ("first", event::FIRST),
    ("latest_participating", event::LATEST_PARTICIPATING),
    ("latest", event::LATEST),
];

const LATE_MODES: Names = &[
    ("wait", late::WAIT),
    ("join", late::JOIN),
    ("pass", late::PASS),
    ("pass_at_end", late::PASS_AT_END),
    ("pass_if_short", late::PASS_IF_SHORT),
    ("pass_at_end_if_short", late::PASS_AT_END_IF_SHORT),
    ("skip", late::SKIP),
    ("count", late::COUNT),
];

impl Attribute {
    /// Every attribute, in the order of the word, with its name in the assembler.
    pub const ALL: [(Attribute, &'static str); 8] = [
        (Attribute::Condition, "condition"),
        (Attribute::Reference, "reference"),
        (Attribute::Minimum, "minimum"),
        (Attribute::Timeout, "timeout"),
        (Attribute::Event, "event"),
        (Attribute::Late, "late"),
        (Attribute::Priority, "priority"),
        (Attribute::Class, "class"),
    ];

    /// The bits of the configuration word that hold it.
    pub const fn field(self) -> Field {
        layout::FIELDS[self as usize]
    }

    /// The names of its values, if they have names.
    pub const fn names(self) -> Names {
        match self {
            Attribute::Event => EVENTS,
            Attribute::Late => LATE_MODES,
            _ => &[],
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Attribute::Condition => {
                "complete when: 1 every live thread arrived; 2 as many as the reference arrived; 3 as many participating \
                 ones did; 4 as 3, or the timeout; 5 as 4, or the minimum (BR-12); 1 if absent"
            }
            Attribute::Reference => "threads for conditions 2 to 5; a register may hold it",
            Attribute::Minimum => "participating threads that suffice under condition 5",
            Attribute::Timeout => "cycles, for conditions 4 and 5",
            Attribute::Event => {
                "arrival from which the timeout counts (BR-13): `first_participating`, `first`, \
                 `latest_participating`, `latest`"
            }
            Attribute::Late => {
                "what late threads do (BR-20 to BR-24): `wait` for the next execution, `join` this one, `pass`, \
                 `pass_at_end`, `pass_if_short`, `pass_at_end_if_short`, `skip` to behind the bottom at the end, `count` on"
            }
            Attribute::Priority => "among sections that could go on; 3 goes first (BR-36)",
            Attribute::Class => "resource class (BR-37)",
        }
    }

    /// A value as the assembler writes it.
    pub fn text(self, value: u64) -> String {
        let named = self.names().iter().find(|(_, number)| u64::from(*number) == value);
        named.map_or_else(|| value.to_string(), |(name, _)| (*name).to_string())
    }
}

/// Where the reference count comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// The configuration word.
    Immediate,
    /// A register.
    Register(u8),
}

/// What a BARRIER.CONF says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The word, 48 bits; with a register, its reference is zero.
    pub word: u64,
    /// Where the reference comes from.
    pub reference: Reference,
}

impl Configuration {
    /// The value of an attribute in the word.
    pub const fn get(&self, attribute: Attribute) -> u64 {
        attribute.field().of(self.word)
    }

    /// The same with another value of an attribute; bits that do not fit are dropped.
    #[must_use]
    pub const fn with(self, attribute: Attribute, value: u64) -> Self {
        let field = attribute.field();
        Self { word: self.word & !field.place(u64::MAX) | field.place(value), reference: self.reference }
    }
}

impl Instruction {
    /// What this BARRIER.CONF says; the word is spread over the fields of operands that it does not have.
    pub const fn configuration(&self) -> Configuration {
        let word = (self.a as u64) << 40 | (self.c as u64) << 32 | self.immediate() as u64;
        match self.optional {
            false => Configuration { word, reference: Reference::Immediate },
            true => {
                let register = layout::REFERENCE_REGISTER.of(word) as u8;
                let word = word & !layout::REFERENCE.place(u64::MAX);
                Configuration { word, reference: Reference::Register(register) }
            }
        }
    }

    /// The same BARRIER.CONF with another configuration.
    #[must_use]
    pub const fn configured(self, configuration: Configuration) -> Self {
        let (word, optional) = match configuration.reference {
            Reference::Immediate => (configuration.word, false),
            Reference::Register(register) => {
                let word = configuration.word & !layout::REFERENCE.place(u64::MAX);
                (word | layout::REFERENCE_REGISTER.place(register as u64), true)
            }
        };
        let (a, c) = ((word >> 40) as u8, (word >> 32) as u8);
        Self { a, c, b: Source::Immediate(word as u32), optional, ..self }
    }
}

/// The bits of a BARRIER.CONF beside opcode and guard.
pub(super) const fn bits(instruction: &Instruction) -> u64 {
    let word = (instruction.a as u64) << 40 | (instruction.c as u64) << 32 | instruction.immediate() as u64;
    BARRIER.place(instruction.destination as u64)
        | layout::in_instruction(word)
        | layout::REFERENCE_IN_REGISTER.place(instruction.optional as u64)
}

/// The BARRIER.CONF of a word, in place of the operands of `instruction`.
pub(super) fn decode(word: u64, instruction: Instruction) -> Result<Instruction, DecodeError> {
    let value = layout::of_instruction(word);
    let optional = layout::REFERENCE_IN_REGISTER.of(word) != 0;
    let spare = layout::REFERENCE.place(u64::MAX) & !layout::REFERENCE_REGISTER.place(u64::MAX);
    if optional && value & spare != 0 {
        let mnemonic = instruction.form().mnemonic.as_str();
        return Err(DecodeError::UnusedBits { mnemonic, bits: value & spare, word });
    }
    let condition = layout::CONDITION.of(value) as u32;
    if !(1..=5).contains(&condition) {
        let mnemonic = instruction.form().mnemonic.as_str();
        return Err(DecodeError::Operand { mnemonic, what: "condition", value: condition, word });
    }
    let (a, c, b) = ((value >> 40) as u8, (value >> 32) as u8, Source::Immediate(value as u32));
    Ok(Instruction { destination: BARRIER.of(word) as u8, a, c, b, optional, ..instruction })
}
