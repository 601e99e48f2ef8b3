//! The instruction set's fields and opcodes fit together (IS-01, IS-02, BR-06).

use heddle_hdl::divergence::token::Operation;
use heddle_hdl::isa::configuration::{self, in_instruction, of_instruction, BITS, FIELDS, REFERENCE_IN_REGISTER};
use heddle_hdl::isa::*;

/// IS-01: the fields of the widest form tile the word: none overlaps, none is missing.
#[test]
fn fields_tile_the_word() {
    let fields = [OPCODE, GUARD_NEGATE, GUARD, DESTINATION, SOURCE_A, SOURCE_C, IMMEDIATE_FLAG, OPTIONAL_FLAG, LOW];
    let mut seen = 0_u64;
    for field in fields {
        let bits = field.place(u64::MAX);
        assert_eq!(seen & bits, 0, "{field:?} overlaps");
        seen |= bits;
    }
    assert_eq!(seen, u64::MAX);
    assert_eq!(INSTRUCTION_BITS * INSTRUCTIONS_PER_LINE, 512);
    assert_eq!(ADDRESS.width, 22);
}

/// IS-02: the lists hold every opcode once, and all of them are recognised by bits 63:62 alone.
#[test]
fn control_opcodes_are_distinct_and_low() {
    let mut codes: Vec<u8> = ControlOpcode::ALL.map(ControlOpcode::code).to_vec();
    codes.extend(BarrierOpcode::ALL.map(BarrierOpcode::code));
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
    assert!(codes.iter().all(|code| *code != 0 && *code < FIRST_DATA_OPCODE));
}

/// IS-02, DQ-20: what pushes for all active threads takes no predicate, everything else does; a push and the wait
/// that answers it share a kind.
#[test]
fn pushes_take_no_predicate_and_pair_with_their_waits() {
    for push in ControlOpcode::ALL.into_iter().filter(|opcode| opcode.operation() == Operation::Push) {
        assert!(!push.predicable());
        let waits = ControlOpcode::ALL
            .into_iter()
            .filter(|opcode| *opcode != push && opcode.kind() == push.kind())
            .collect::<Vec<_>>();
        assert_eq!(waits.len(), 1, "{push:?}");
        assert!(waits[0].predicable());
    }
}

/// BR-06: the fields tile the 48 bits; in the instruction the word collides with neither id, guard nor opcode and comes out as it
/// went in.
#[test]
fn configuration_fits_the_instruction() {
    let mut next = 0;
    for field in FIELDS {
        assert_eq!(field.offset, next);
        next += field.width;
    }
    assert_eq!(next, BITS);
    let others = [OPCODE, GUARD_NEGATE, GUARD, BARRIER].map(|field| field.place(u64::MAX));
    assert!(others.iter().all(|bits| bits & configuration::INSTRUCTION_BITS == 0));
    assert_eq!(
        others.iter().fold(configuration::INSTRUCTION_BITS, |all, bits| all | bits),
        u64::MAX,
        "no bit is left over"
    );
    for bit in 0..BITS {
        let placed = in_instruction(1 << bit);
        assert_eq!((placed.count_ones(), of_instruction(placed)), (1, 1 << bit));
        assert_eq!(placed & REFERENCE_IN_REGISTER.place(1), 0);
    }
}
