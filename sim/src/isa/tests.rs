//! The table and the encoding, form by form.

use super::table::{form_of, form_of_mnemonic, forms, Slot};
use super::*;
use crate::assembler::assemble_instruction;
use heddle_hdl::isa as layout;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The nearest valid word of the form that `choice` picks.
fn valid_word(choice: usize, noise: u64) -> u64 {
    let form = &forms()[choice % forms().len()];
    let opcode = layout::OPCODE.place(u64::from(form.opcode));
    let mut word = noise & form.used_bits() & !layout::OPCODE.place(u64::MAX) | opcode;
    let replace = |word: u64, field: layout::Field, value: u64| word & !field.place(u64::MAX) | field.place(value);
    if !form.predicable {
        word = replace(word, layout::GUARD, u64::from(ALWAYS_TRUE));
        word = replace(word, layout::GUARD_NEGATE, 0);
    }
    if form.slots.contains(&Slot::SourceB) && layout::IMMEDIATE_FLAG.of(word) == 0 {
        word = replace(word, layout::LOW, layout::SOURCE_B.of(word));
    }
    if form.slots.contains(&Slot::Special) {
        word = replace(word, layout::LOW, layout::LOW.of(word) % Special::ALL.len() as u64);
    }
    if form.slots.contains(&Slot::Configuration) {
        let condition = layout::configuration::CONDITION;
        word = replace(word, condition, 1 + condition.of(word) % 5);
    }
    if form.slots.contains(&Slot::Configuration) && layout::configuration::REFERENCE_IN_REGISTER.of(word) == 1 {
        let register = layout::configuration::REFERENCE_REGISTER.of(word);
        word = replace(word, layout::configuration::REFERENCE, register);
    }
    if let Some(slot) = form.optional_slot().filter(|_| layout::OPTIONAL_FLAG.of(word) == 0) {
        word &= !slot.bits();
    }
    word
}

fn any_word() -> impl Strategy<Value = u64> {
    (0..forms().len(), any::<u64>()).prop_map(|(choice, noise)| valid_word(choice, noise))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// IS-01, IS-04: words, instructions and text say the same in every direction.
    #[test]
    fn words_instructions_and_text_agree(word in any_word()) {
        let instruction = decode(word).expect("a valid word decodes");
        prop_assert_eq!(encode(&instruction), word);
        let text = instruction.to_string();
        let assembled = assemble_instruction(&text).map_err(|errors| format!("{text}: {:?}", errors.mistakes));
        prop_assert_eq!(assembled, Ok(instruction));
    }

    /// IS-01: any 64 bits either are an instruction, and then encode to themselves, or are refused; nothing panics.
    #[test]
    fn any_word_decodes_or_is_refused(word: u64) {
        if let Ok(instruction) = decode(word) {
            prop_assert_eq!(encode(&instruction), word);
        }
    }
}

/// IS-04: the same for each form, without leaving one to chance.
#[test]
fn every_form_survives_the_round_trip() {
    for (choice, form) in forms().iter().enumerate() {
        for noise in [0, u64::MAX, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x5555_aaaa_5555_aaaa] {
            let instruction = decode(valid_word(choice, noise)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(instruction.action, form.action);
            let text = instruction.to_string();
            let again = assemble_instruction(&text).unwrap_or_else(|errors| panic!("{text}: {:?}", errors.mistakes));
            assert_eq!(again, instruction, "{text}");
        }
    }
}

/// IS-02, IS-03: no two forms share opcode, mnemonic or action; every form is found by each of the three.
#[test]
fn forms_are_distinct() {
    let mut mnemonics = BTreeSet::new();
    for pair in forms().windows(2) {
        assert!(pair[0].opcode < pair[1].opcode, "{} and {}", pair[0].mnemonic, pair[1].mnemonic);
    }
    for form in forms() {
        assert!(mnemonics.insert(form.mnemonic.clone()), "{} twice", form.mnemonic);
        assert_eq!(form_of(form.action), form);
        assert_eq!(form_of_mnemonic(&form.mnemonic), Some(form));
        let control = matches!(form.action, Action::Control(_) | Action::Barrier(_));
        assert_eq!(form.opcode < layout::FIRST_DATA_OPCODE, control, "{}", form.mnemonic);
    }
}

/// IS-01: the operands of a form lie in bits of their own, beside opcode, guard and flag.
#[test]
fn operands_do_not_overlap() {
    for form in forms() {
        let common = layout::OPCODE.place(u64::MAX) | layout::GUARD.place(u64::MAX) | layout::GUARD_NEGATE.place(1);
        let mut seen = common | layout::OPTIONAL_FLAG.place(u64::from(form.optional_slot().is_some()));
        for slot in form.slots {
            assert_eq!(seen & slot.bits(), 0, "{}: {slot:?} overlaps", form.mnemonic);
            seen |= slot.bits();
        }
        assert_eq!(seen, form.used_bits());
    }
}

/// IS-02, IS-03: every instruction that the requirements name is there.
#[test]
fn every_required_instruction_is_there() {
    let required = "SSY SYNC PBK BRK PCNT CONT PEXIT EXIT CAL RET PLONGJMP LONGJMP BRA BRX JMP JMX YIELD \
        BARRIER.CONF BARRIER.CONDITIONAL BARRIER.ORDERED BARRIER.UNORDERED BARRIER.BOTTOM BARRIER.BOTTOM.CONDITIONAL ARRIVE WAIT EXPECT COMPLETE \
        BARRIER.RESET IADD ISUB IMAD IMULHI.S IMULHI.U ISETP.LT.S ISETP.LT.U AND OR XOR NOT SHL SHR.U SHR.S SEL MOV POPC \
        FIND S2R LD.GLOBAL.UB LD.SHARED.SH LD.LOCAL.W ST.GLOBAL.B ST.SHARED.H ST.LOCAL.W FENCE ATOM.GLOBAL.ADD \
        ATOM.SHARED.AND ATOM.GLOBAL.OR ATOM.SHARED.EXCH ATOM.GLOBAL.CAS ATOM.SHARED.MIN.S ATOM.GLOBAL.MAX.U VOTE.ALL \
        SHFL.INDEX FADD FMUL FFMA FSETP.LT I2F.S F2I.U FRCP FRSQ";
    for mnemonic in required.split_whitespace() {
        assert!(form_of_mnemonic(mnemonic).is_some(), "{mnemonic} is missing");
    }
}

/// IS-02, BR-06: a top carries its id, its flags and the address behind its bottom.
#[test]
fn barrier_tops_carry_flags() {
    let top = assemble_instruction("@!P2 BARRIER.UNORDERED.EXCLUSIVE.IMPATIENT 5, 0x123456").expect("it assembles");
    assert_eq!(top.action, Action::Barrier(BarrierOpcode::Unordered));
    assert_eq!(top.barrier(), 5);
    assert_eq!(top.c, barrier_flag::EXCLUSIVE | barrier_flag::IMPATIENT);
    assert_eq!(top.immediate(), 0x12_3456);
    assert_eq!(top.guard, Guard { predicate: 2, negate: true });
    let word = encode(&top);
    assert_eq!(layout::BARRIER.of(word), 5);
    assert_eq!(layout::ADDRESS.of(word), 0x12_3456);
}

/// IS-02, BR-06: BARRIER.CONF carries the scheduler's word whole; the reference may come from a register; events and late modes have
/// names, whose numbers do as well.
#[test]
fn barrier_configurations_carry_their_word() {
    let text = "BARRIER.CONF 6, condition 5, reference 33, minimum 7, timeout 65535, event latest, late count, priority 3, class 2";
    let instruction = assemble_instruction(text).expect("it assembles");
    assert_eq!(instruction.to_string(), text);
    let word = 5 | 33 << 3 | 7 << 13 | 65535 << 23 | 3 << 39 | 7 << 41 | 3 << 44 | 2 << 46;
    assert_eq!(instruction.configuration(), Configuration { word, reference: Reference::Immediate });
    assert_eq!((instruction.barrier(), layout::configuration::of_instruction(encode(&instruction))), (6, word));
    let numbers = text.replace("latest", "3").replace("late count", "late 7");
    assert_eq!(assemble_instruction(&numbers).expect("it assembles"), instruction);

    let by_register = assemble_instruction("BARRIER.CONF 0, reference R9, late join").expect("it assembles");
    assert_eq!(by_register.to_string(), "BARRIER.CONF 0, condition 1, reference R9, late join");
    assert_eq!(by_register.configuration(), Configuration { word: 1 | 1 << 41, reference: Reference::Register(9) });
    let stray = encode(&by_register) | 1 << 9;
    assert!(matches!(decode(stray), Err(DecodeError::UnusedBits { bits: 0x200, .. })));
    let nonsense = encode(&by_register) | 7;
    assert!(matches!(decode(nonsense), Err(DecodeError::Operand { what: "condition", value: 7, .. })));
}

/// IS-01: words that no assembler writes are refused, each for its own reason.
#[test]
fn bad_words_are_refused() {
    assert_eq!(decode(0), Err(DecodeError::Opcode { opcode: 0, word: 0 }));
    let always = layout::GUARD.place(u64::from(ALWAYS_TRUE));
    let ssy = layout::OPCODE.place(u64::from(ControlOpcode::Ssy.code()));
    assert!(decode(ssy | always | 0x3f_ffff).is_ok());
    assert!(matches!(decode(ssy | 1), Err(DecodeError::Guarded { .. })), "DQ-20: SSY takes no predicate");
    assert!(matches!(decode(ssy | always | 0x40_0000), Err(DecodeError::UnusedBits { bits: 0x40_0000, .. })));
    let ret = layout::OPCODE.place(u64::from(ControlOpcode::Ret.code())) | always;
    let register = layout::SOURCE_A.place(9);
    assert!(matches!(decode(ret | register), Err(DecodeError::UnusedBits { .. })), "a register without its flag");
    assert!(decode(ret | register | layout::OPTIONAL_FLAG.place(1)).is_ok());
    let special = layout::OPCODE.place(0x42) | always | 999;
    assert!(matches!(decode(special), Err(DecodeError::Operand { value: 999, .. })));
}
