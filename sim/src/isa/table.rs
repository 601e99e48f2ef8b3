//! The one table of all instruction forms.

use super::action::{
    Access, Action, AtomicOperation, BarrierOpcode, Comparison, Compute, ControlOpcode, Domain, Shuffle, Space, Vote,
    Width,
};
use super::Action::{Atomic, Compare, Load, Store};
use heddle_hdl::isa as layout;
use std::sync::OnceLock;

/// An operand, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Register written.
    Destination,
    /// Predicate written.
    DestinationPredicate,
    /// First register read.
    SourceA,
    /// Register or immediate.
    SourceB,
    /// Third register read.
    SourceC,
    /// Predicate read, perhaps inverted.
    SourcePredicate,
    /// Address in instructions: a label.
    Address,
    /// `[register + offset]`.
    Memory,
    /// `[register]`.
    PlainMemory,
    /// Address that EXIT may carry.
    OptionalAddress,
    /// Register that RET and LONGJMP may carry.
    OptionalRegister,
    /// Register into which CAL may put the return address.
    OptionalLink,
    /// Special register.
    Special,
    /// Parameter of the kernel, or the address of one of its memory sections.
    Parameter,
    /// Barrier id, 0 to 7.
    Barrier,
    /// Attributes of a barrier, each with its value.
    Configuration,
    /// `.EXCLUSIVE`, `.NONBLOCKING`, `.IMPATIENT`, written behind the mnemonic.
    BarrierFlags,
}

impl Slot {
    /// The bits of the word that hold it.
    pub const fn bits(self) -> u64 {
        match self {
            Slot::Destination | Slot::OptionalLink => layout::DESTINATION.place(u64::MAX),
            Slot::DestinationPredicate => layout::DESTINATION_PREDICATE.place(u64::MAX),
            Slot::SourceA | Slot::OptionalRegister | Slot::PlainMemory => layout::SOURCE_A.place(u64::MAX),
            Slot::SourceB => layout::LOW.place(u64::MAX) | layout::IMMEDIATE_FLAG.place(1),
            Slot::SourceC => layout::SOURCE_C.place(u64::MAX),
            Slot::SourcePredicate => layout::SOURCE_PREDICATE.place(u64::MAX),
            Slot::Address | Slot::OptionalAddress => layout::ADDRESS.place(u64::MAX),
            Slot::Memory => layout::SOURCE_A.place(u64::MAX) | layout::LOW.place(u64::MAX),
            Slot::Special | Slot::Parameter => layout::LOW.place(u64::MAX),
            Slot::Barrier => layout::BARRIER.place(u64::MAX),
            Slot::Configuration => layout::configuration::INSTRUCTION_BITS,
            Slot::BarrierFlags => layout::BARRIER_FLAGS.place(u64::MAX),
        }
    }

    /// It may be missing.
    pub const fn is_optional(self) -> bool {
        matches!(self, Slot::OptionalAddress | Slot::OptionalRegister | Slot::OptionalLink)
    }

    /// How it reads in the table of `docs/isa.md` and in messages.
    pub const fn notation(self) -> &'static str {
        match self {
            Slot::Destination => "Rd",
            Slot::DestinationPredicate => "Pd",
            Slot::SourceA => "Ra",
            Slot::SourceB => "Rb|immediate",
            Slot::SourceC => "Rc",
            Slot::SourcePredicate => "[!]Pc",
            Slot::Address => "address",
            Slot::Memory => "[Ra + offset]",
            Slot::PlainMemory => "[Ra]",
            Slot::OptionalAddress => "(address)",
            Slot::OptionalRegister => "(Ra)",
            Slot::OptionalLink => "(Rd)",
            Slot::Special => "%special",
            Slot::Parameter => "parameter",
            Slot::Barrier => "id",
            Slot::Configuration => "attribute value, ...",
            Slot::BarrierFlags => "(.flags)",
        }
    }
}

/// One instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its opcode, bits 63:56 of the word.
    pub opcode: u8,
    /// Its mnemonic.
    pub mnemonic: String,
    /// What it does.
    pub action: Action,
    /// Its operands, in the order of the text.
    pub slots: &'static [Slot],
    /// It takes a guard other than PT.
    pub predicable: bool,
    /// One line of explanation.
    pub summary: &'static str,
}

impl Form {
    /// Bits of the word that the form uses, those of opcode and guard among them.
    pub fn used_bits(&self) -> u64 {
        let common =
            layout::OPCODE.place(u64::MAX) | layout::GUARD.place(u64::MAX) | layout::GUARD_NEGATE.place(u64::MAX);
        let optional = if self.optional_slot().is_some() { layout::OPTIONAL_FLAG.place(1) } else { 0 };
        self.slots.iter().fold(common | optional, |bits, slot| bits | slot.bits())
    }

    /// The operand that may be missing, if the form has one.
    pub fn optional_slot(&self) -> Option<Slot> {
        self.slots.iter().copied().find(|slot| slot.is_optional())
    }
}

/// Every form, ascending by opcode.
pub fn forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(build)
}

/// The form of an opcode.
pub fn form_of_opcode(opcode: u8) -> Option<&'static Form> {
    forms().binary_search_by_key(&opcode, |form| form.opcode).ok().map(|index| &forms()[index])
}

/// The form of an action; every action has one.
pub fn form_of(action: Action) -> &'static Form {
    forms().iter().find(|form| form.action == action).expect("the table has a form for every action")
}

/// The form of a mnemonic, in upper case.
pub fn form_of_mnemonic(mnemonic: &str) -> Option<&'static Form> {
    forms().iter().find(|form| form.mnemonic == mnemonic)
}

fn build() -> Vec<Form> {
    let mut forms = Vec::new();
    for (opcode, mnemonic, slots, summary) in CONTROL {
        let predicable = opcode.predicable();
        let mnemonic = mnemonic.to_string();
        forms.push(Form {
            opcode: opcode.code(),
            mnemonic,
            action: Action::Control(opcode),
            slots,
            predicable,
            summary,
        });
    }
    for (opcode, mnemonic, slots, summary) in BARRIERS {
        let mnemonic = mnemonic.to_string();
        let action = Action::Barrier(opcode);
        forms.push(Form { opcode: opcode.code(), mnemonic, action, slots, predicable: true, summary });
    }
    let mut data = |opcode: u8, mnemonic: String, action: Action, slots: &'static [Slot], summary: &'static str| {
        forms.push(Form { opcode, mnemonic, action, slots, predicable: true, summary });
    };
    for (opcode, mnemonic, action, slots, summary) in DATA {
        data(opcode, mnemonic.to_string(), action, slots, summary);
    }
    for (domain, first, prefix, suffix) in [
        (Domain::Signed, 0x70, "ISETP", ".S"),
        (Domain::Unsigned, 0x76, "ISETP", ".U"),
        (Domain::Float, 0x7c, "FSETP", ""),
    ] {
        for (opcode, (comparison, name, summary)) in (first..).zip(COMPARISONS) {
            let mnemonic = format!("{prefix}.{name}{suffix}");
            data(opcode, mnemonic, Compare(domain, comparison), COMPARE_SLOTS, summary);
        }
    }
    for (space, first) in [(Space::Global, 0x90), (Space::Shared, 0x98), (Space::Local, 0xa0)] {
        let name = space.name().to_uppercase();
        for (opcode, (access, suffix, summary)) in (first..).zip(LOADS) {
            data(opcode, format!("LD.{name}.{suffix}"), Load(space, access), LOAD_SLOTS, summary);
        }
        for (opcode, (width, suffix, summary)) in (first + 5..).zip(STORES) {
            data(opcode, format!("ST.{name}.{suffix}"), Store(space, width), STORE_SLOTS, summary);
        }
    }
    for (space, first) in [(Space::Global, 0xb0), (Space::Shared, 0xc0)] {
        let name = space.name().to_uppercase();
        for (opcode, (operation, suffix, summary)) in (first..).zip(ATOMICS) {
            let slots =
                if operation == AtomicOperation::CompareAndSwap { COMPARE_AND_SWAP_SLOTS } else { ATOMIC_SLOTS };
            data(opcode, format!("ATOM.{name}.{suffix}"), Atomic(space, operation), slots, summary);
        }
    }
    forms.sort_by_key(|form| form.opcode);
    forms
}

type Row<Key> = (Key, &'static str, &'static [Slot], &'static str);

const CONTROL: [Row<ControlOpcode>; 17] = [
    (ControlOpcode::Ssy, "SSY", &[Slot::Address], "open a region that SYNC with this address ends"),
    (ControlOpcode::Sync, "SYNC", &[Slot::Address], "wait for the region's threads, then go on at the address"),
    (ControlOpcode::Pbk, "PBK", &[Slot::Address], "open a loop that BRK with this address leaves"),
    (ControlOpcode::Brk, "BRK", &[Slot::Address], "leave the loop; go on at the address with those that left it"),
    (ControlOpcode::Pcnt, "PCNT", &[Slot::Address], "open an iteration that CONT with this address ends"),
    (ControlOpcode::Cont, "CONT", &[Slot::Address], "end the iteration; go on at the address with those that ended it"),
    (ControlOpcode::Pexit, "PEXIT", &[Slot::Address], "open a handler that EXIT with this address runs"),
    (ControlOpcode::Exit, "EXIT", &[Slot::OptionalAddress], "leave for good; with an address, run that exit handler"),
    (ControlOpcode::Cal, "CAL", &[Slot::Address, Slot::OptionalLink], "call; the return address goes to Rd if named"),
    (ControlOpcode::Ret, "RET", &[Slot::OptionalRegister], "return, to the address in Ra if named"),
    (ControlOpcode::Plongjmp, "PLONGJMP", &[Slot::Address], "open a target for LONGJMP"),
    (ControlOpcode::Longjmp, "LONGJMP", &[Slot::OptionalRegister], "leave to that target, the address in Ra if named"),
    (ControlOpcode::Bra, "BRA", &[Slot::Address], "branch"),
    (ControlOpcode::Brx, "BRX", &[Slot::SourceA, Slot::Address], "branch to the address plus Ra"),
    (ControlOpcode::Jmp, "JMP", &[Slot::Address], "jump"),
    (ControlOpcode::Jmx, "JMX", &[Slot::SourceA], "jump to the address in Ra"),
    (ControlOpcode::Yield, "YIELD", &[], "let the other threads of the warp run"),
];

const TOP_SLOTS: &[Slot] = &[Slot::BarrierFlags, Slot::Barrier, Slot::Address];
const PHASE_SLOTS: &[Slot] = &[Slot::Barrier, Slot::SourceA, Slot::SourceB];

const BARRIERS: [Row<BarrierOpcode>; 11] = [
    (
        BarrierOpcode::Configure,
        "BARRIER.CONF",
        &[Slot::Barrier, Slot::Configuration],
        "write the attributes of the barrier; those left out are zero",
    ),
    (
        BarrierOpcode::Conditional,
        "BARRIER.CONDITIONAL",
        TOP_SLOTS,
        "wait for the others; those left out go to the address",
    ),
    (BarrierOpcode::Ordered, "BARRIER.ORDERED", TOP_SLOTS, "enter a section one by one, in logical order"),
    (BarrierOpcode::Unordered, "BARRIER.UNORDERED", TOP_SLOTS, "enter a section one by one, in any order"),
    (BarrierOpcode::Bottom, "BARRIER.BOTTOM", &[Slot::Barrier], "leave the section"),
    (BarrierOpcode::Arrive, "ARRIVE", &[Slot::Barrier], "arrive without waiting"),
    (BarrierOpcode::Wait, "WAIT", &[Slot::Barrier, Slot::SourceB], "wait for the phase of parity b"),
    (BarrierOpcode::Expect, "EXPECT", PHASE_SLOTS, "announce b transactions a thread for the phase of parity Ra"),
    (BarrierOpcode::Complete, "COMPLETE", PHASE_SLOTS, "complete b transactions a thread of the phase of parity Ra"),
    (BarrierOpcode::Reset, "BARRIER.RESET", &[Slot::Barrier], "turn the barrier idle and wake its threads"),
    (
        BarrierOpcode::ConditionalBottom,
        "BARRIER.BOTTOM.CONDITIONAL",
        &[Slot::Barrier],
        "mark the end of a conditional barrier's code",
    ),
];

const UNARY: &[Slot] = &[Slot::Destination, Slot::SourceB];
const BINARY: &[Slot] = &[Slot::Destination, Slot::SourceA, Slot::SourceB];
const TERNARY: &[Slot] = &[Slot::Destination, Slot::SourceA, Slot::SourceB, Slot::SourceC];
const SELECT: &[Slot] = &[Slot::Destination, Slot::SourceA, Slot::SourceB, Slot::SourcePredicate];
const VOTE: &[Slot] = &[Slot::DestinationPredicate, Slot::SourcePredicate];
const BALLOT: &[Slot] = &[Slot::Destination, Slot::SourcePredicate];
const COMPARE_SLOTS: &[Slot] = &[Slot::DestinationPredicate, Slot::SourceA, Slot::SourceB];
const LOAD_SLOTS: &[Slot] = &[Slot::Destination, Slot::Memory];
const STORE_SLOTS: &[Slot] = &[Slot::Memory, Slot::SourceC];
const ATOMIC_SLOTS: &[Slot] = &[Slot::Destination, Slot::Memory, Slot::SourceC];
const COMPARE_AND_SWAP_SLOTS: &[Slot] = &[Slot::Destination, Slot::PlainMemory, Slot::SourceB, Slot::SourceC];

const DATA: [(u8, &str, Action, &[Slot], &str); 37] = [
    (0x40, "NOP", Action::Nothing, &[], "do nothing"),
    (0x41, "MOV", Action::Compute(Compute::Move), UNARY, "b"),
    (0x42, "S2R", Action::ReadSpecial, &[Slot::Destination, Slot::Special], "a special register"),
    (
        0x43,
        "PARAM",
        Action::ReadParameter,
        &[Slot::Destination, Slot::Parameter],
        "a parameter, or a section's address",
    ),
    (0x44, "IADD", Action::Compute(Compute::Add), BINARY, "a + b"),
    (0x45, "ISUB", Action::Compute(Compute::Subtract), BINARY, "a - b"),
    (0x46, "IMAD", Action::Compute(Compute::MultiplyAdd), TERNARY, "a * b + c, low half"),
    (0x47, "IMULHI.S", Action::Compute(Compute::MultiplyHighSigned), BINARY, "upper half of a * b, signed"),
    (0x48, "IMULHI.U", Action::Compute(Compute::MultiplyHighUnsigned), BINARY, "upper half of a * b, unsigned"),
    (0x49, "AND", Action::Compute(Compute::And), BINARY, "a and b"),
    (0x4a, "OR", Action::Compute(Compute::Or), BINARY, "a or b"),
    (0x4b, "XOR", Action::Compute(Compute::ExclusiveOr), BINARY, "a exclusive-or b"),
    (0x4c, "NOT", Action::Compute(Compute::Not), UNARY, "b inverted"),
    (0x4d, "SHL", Action::Compute(Compute::ShiftLeft), BINARY, "a shifted left by b; 0 from 32 on"),
    (0x4e, "SHR.U", Action::Compute(Compute::ShiftRightUnsigned), BINARY, "a shifted right by b; 0 from 32 on"),
    (0x4f, "SHR.S", Action::Compute(Compute::ShiftRightSigned), BINARY, "a shifted right by b with its sign"),
    (0x50, "SEL", Action::Compute(Compute::Select), SELECT, "a if the predicate holds, else b"),
    (0x51, "POPC", Action::Compute(Compute::PopulationCount), UNARY, "how many bits of b are set"),
    (0x52, "FIND", Action::Compute(Compute::FindFirst), UNARY, "index of the lowest set bit of b; all ones if none"),
    (0x53, "FENCE", Action::Fence, &[], "order memory accesses before and after"),
    (0x54, "FADD", Action::Compute(Compute::FloatAdd), BINARY, "a + b, float"),
    (0x55, "FMUL", Action::Compute(Compute::FloatMultiply), BINARY, "a * b, float"),
    (0x56, "FFMA", Action::Compute(Compute::FloatMultiplyAdd), TERNARY, "a * b + c, float, rounded once"),
    (0x57, "FRCP", Action::Compute(Compute::FloatReciprocal), UNARY, "1 / b, float"),
    (0x58, "FRSQ", Action::Compute(Compute::FloatReciprocalSquareRoot), UNARY, "1 / square root of b, float"),
    (0x59, "I2F.S", Action::Compute(Compute::SignedToFloat), UNARY, "b, signed, as float"),
    (0x5a, "I2F.U", Action::Compute(Compute::UnsignedToFloat), UNARY, "b, unsigned, as float"),
    (0x5b, "F2I.S", Action::Compute(Compute::FloatToSigned), UNARY, "b, float, as signed: towards zero, saturating"),
    (
        0x5c,
        "F2I.U",
        Action::Compute(Compute::FloatToUnsigned),
        UNARY,
        "b, float, as unsigned: towards zero, saturating",
    ),
    (0x60, "VOTE.ALL", Action::Vote(Vote::All), VOTE, "the predicate holds in all voting threads"),
    (0x61, "VOTE.ANY", Action::Vote(Vote::Any), VOTE, "the predicate holds in a voting thread"),
    (0x62, "VOTE.BALLOT", Action::Vote(Vote::Ballot), BALLOT, "threads 31:0 of the warp where it holds"),
    (0x63, "VOTE.BALLOT.HIGH", Action::Vote(Vote::BallotHigh), BALLOT, "threads 63:32 of the warp where it holds"),
    (0x64, "SHFL.INDEX", Action::Shuffle(Shuffle::Index), BINARY, "a of thread b of the warp"),
    (0x65, "SHFL.UP", Action::Shuffle(Shuffle::Up), BINARY, "a of the thread b below"),
    (0x66, "SHFL.DOWN", Action::Shuffle(Shuffle::Down), BINARY, "a of the thread b above"),
    (0x67, "SHFL.XOR", Action::Shuffle(Shuffle::ExclusiveOr), BINARY, "a of the thread whose number differs in b"),
];

const COMPARISONS: [(Comparison, &str, &str); 6] = [
    (Comparison::Equal, "EQ", "a = b"),
    (Comparison::NotEqual, "NE", "a ≠ b"),
    (Comparison::Less, "LT", "a < b"),
    (Comparison::LessOrEqual, "LE", "a ≤ b"),
    (Comparison::Greater, "GT", "a > b"),
    (Comparison::GreaterOrEqual, "GE", "a ≥ b"),
];

const LOADS: [(Access, &str, &str); 5] = [
    (Access { width: Width::Byte, signed: false }, "UB", "load a byte, zeros above"),
    (Access { width: Width::Byte, signed: true }, "SB", "load a byte, its sign above"),
    (Access { width: Width::Half, signed: false }, "UH", "load 16 bits, zeros above"),
    (Access { width: Width::Half, signed: true }, "SH", "load 16 bits, their sign above"),
    (Access { width: Width::Word, signed: false }, "W", "load 32 bits"),
];

const STORES: [(Width, &str, &str); 3] = [
    (Width::Byte, "B", "store the low byte of c"),
    (Width::Half, "H", "store the low 16 bits of c"),
    (Width::Word, "W", "store c"),
];

const ATOMICS: [(AtomicOperation, &str, &str); 9] = [
    (AtomicOperation::Add, "ADD", "old value; it becomes old + c"),
    (AtomicOperation::And, "AND", "old value; it becomes old and c"),
    (AtomicOperation::Or, "OR", "old value; it becomes old or c"),
    (AtomicOperation::Exchange, "EXCH", "old value; it becomes c"),
    (AtomicOperation::CompareAndSwap, "CAS", "old value; it becomes c if it was b"),
    (AtomicOperation::MinimumSigned, "MIN.S", "old value; it becomes the smaller, signed"),
    (AtomicOperation::MinimumUnsigned, "MIN.U", "old value; it becomes the smaller, unsigned"),
    (AtomicOperation::MaximumSigned, "MAX.S", "old value; it becomes the larger, signed"),
    (AtomicOperation::MaximumUnsigned, "MAX.U", "old value; it becomes the larger, unsigned"),
];
