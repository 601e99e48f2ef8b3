//! Instructions: guard, mnemonic, operands.

use super::barriers;
use super::cursor::Cursor;
use super::errors::{nearest, Problem};
use super::expression::Expression;
use super::lexer::Token;
use super::program::{Fixup, Program, Use};
use crate::isa::table::{form_of_mnemonic, forms, Form, Slot};
use crate::isa::{
    Action, Guard, Instruction, Source, Special, ALWAYS_TRUE, ALWAYS_ZERO, BARRIER_SUFFIXES, PROGRAM_LIMIT,
};
use std::ops::Range;

const REGISTERS: &str = "registers are R0 to R62, and RZ, which reads zero";
const PREDICATES: &str = "predicates are P0 to P6, and PT, which is always true";

/// Reads an instruction; addresses by name are left to `program`.
pub fn instruction(cursor: &mut Cursor, program: &mut Program) -> Result<Instruction, Problem> {
    let guard_span = cursor.span();
    let guard = if cursor.accept(Token::At) { predicate(cursor, true)? } else { Guard::ALWAYS };
    let (word, span) = cursor.expect(Token::Word, "a mnemonic", "an instruction begins with its mnemonic")?;
    let (form, flags) = form_of_word(word, &span)?;
    if guard != Guard::ALWAYS && !form.predicable {
        let hint = "leave out the guard; to skip it for some threads, branch around it";
        let message = format!("{} acts for all active threads and takes no predicate", form.mnemonic);
        return Err(Problem::new(&guard_span, message, "this guard", hint));
    }
    let mut instruction = Instruction { guard, c: flags, ..Instruction::new(form.action) };
    let mut first = true;
    for slot in form.slots.iter().filter(|slot| **slot != Slot::BarrierFlags) {
        if slot.is_optional() && cursor.peek().is_none() {
            continue;
        }
        if !first {
            cursor.expect(Token::Comma, &format!("`,` and {}", slot.notation()), &usage(form))?;
        }
        first = false;
        operand(cursor, program, *slot, &mut instruction, form)?;
    }
    cursor.expect_end(&usage(form))?;
    Ok(instruction)
}

/// How the form is written.
fn usage(form: &Form) -> String {
    let operands: Vec<&str> =
        form.slots.iter().filter(|slot| **slot != Slot::BarrierFlags).map(|slot| slot.notation()).collect();
    format!("write `{}`", format!("{} {}", form.mnemonic, operands.join(", ")).trim_end())
}

fn form_of_word(word: &str, span: &Range<usize>) -> Result<(&'static Form, u8), Problem> {
    let upper = word.to_uppercase();
    if let Some(form) = form_of_mnemonic(&upper) {
        return Ok((form, 0));
    }
    let mut stem = upper.as_str();
    let mut flags = 0;
    while let Some((rest, suffix)) = stem.rsplit_once('.') {
        let Some((bit, _)) = BARRIER_SUFFIXES.iter().find(|(_, name)| *name == suffix) else { break };
        flags |= bit;
        stem = rest;
        if let Some(form) = form_of_mnemonic(stem).filter(|form| form.slots.contains(&Slot::BarrierFlags)) {
            return Ok((form, flags));
        }
    }
    let hint = match nearest(&upper, forms().iter().map(|form| form.mnemonic.as_str())) {
        Some(mnemonic) => format!("did you mean `{mnemonic}`?"),
        None => "docs/isa.md lists every mnemonic; a label ends with `:`".to_string(),
    };
    Err(Problem::new(span, format!("there is no instruction `{word}`"), "unknown mnemonic", hint))
}

fn operand(
    cursor: &mut Cursor,
    program: &mut Program,
    slot: Slot,
    instruction: &mut Instruction,
    form: &Form,
) -> Result<(), Problem> {
    if cursor.peek().is_none() {
        return Err(cursor.missing(slot.notation(), &usage(form)));
    }
    match slot {
        Slot::Destination => instruction.destination = register(cursor)?,
        Slot::OptionalLink => {
            instruction.destination = register(cursor)?;
            instruction.optional = true;
        }
        Slot::DestinationPredicate => instruction.destination = predicate(cursor, false)?.predicate,
        Slot::SourceA => instruction.a = register(cursor)?,
        Slot::OptionalRegister => {
            instruction.a = register(cursor)?;
            instruction.optional = true;
        }
        Slot::SourceC => instruction.c = register(cursor)?,
        Slot::SourcePredicate => {
            let read = predicate(cursor, true)?;
            instruction.c = read.predicate | u8::from(read.negate) << 3;
        }
        Slot::SourceB => {
            let word = (cursor.peek() == Some(Token::Word)).then(|| cursor.word());
            instruction.b = match word.and_then(register_of) {
                Some(register) => {
                    cursor.take();
                    Source::Register(register)
                }
                None => Source::Immediate(immediate(cursor, program)?),
            };
        }
        Slot::Address => instruction.b = Source::Immediate(address(cursor, program)?),
        Slot::OptionalAddress => {
            instruction.b = Source::Immediate(address(cursor, program)?);
            instruction.optional = true;
        }
        Slot::Memory | Slot::PlainMemory => memory(cursor, program, slot, instruction, form)?,
        Slot::Special => instruction.b = Source::Immediate(special(cursor)?),
        Slot::Parameter => instruction.b = Source::Immediate(parameter(cursor, program)?),
        Slot::Barrier => {
            let span = cursor.span();
            let id = constant(cursor, program)?;
            if id > 7 {
                let hint = "a CTA has the barriers 0 to 7";
                return Err(Problem::new(&span, format!("there is no barrier {id}"), "out of range", hint));
            }
            instruction.destination = id as u8;
        }
        Slot::Configuration => barriers::attributes(cursor, program, instruction)?,
        Slot::BarrierFlags => {}
    }
    Ok(())
}

/// A hint.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The number of a register's name.
pub fn register_of(word: &str) -> Option<u8> {
    numbered(word, 'R', ALWAYS_ZERO, "RZ")
}

/// The number of a predicate's name.
pub fn predicate_of(word: &str) -> Option<u8> {
    numbered(word, 'P', ALWAYS_TRUE, "PT")
}

fn numbered(word: &str, letter: char, constant: u8, constant_name: &str) -> Option<u8> {
    if word.eq_ignore_ascii_case(constant_name) {
        return Some(constant);
    }
    let digits = word.strip_prefix(letter).or_else(|| word.strip_prefix(letter.to_ascii_lowercase()))?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    digits.parse().ok().filter(|number| plain && *number < constant)
}

fn register(cursor: &mut Cursor) -> Result<u8, Problem> {
    let (word, span) = cursor.expect(Token::Word, "a register", REGISTERS)?;
    register_of(word)
        .ok_or_else(|| Problem::new(&span, format!("`{word}` is no register"), "not a register", REGISTERS))
}

fn predicate(cursor: &mut Cursor, may_negate: bool) -> Result<Guard, Problem> {
    let negate = may_negate && cursor.accept(Token::Not);
    let (word, span) = cursor.expect(Token::Word, "a predicate", PREDICATES)?;
    let predicate = predicate_of(word)
        .ok_or_else(|| Problem::new(&span, format!("`{word}` is no predicate"), "not a predicate", PREDICATES))?;
    Ok(Guard { predicate, negate })
}

/// A value of 32 bits: an expression of numbers and `.define`d names, or a label.
fn immediate(cursor: &mut Cursor, program: &mut Program) -> Result<u32, Problem> {
    let span = cursor.span();
    match cursor.expression()? {
        Expression::Name(name) if !program.defines.contains_key(&name) => {
            program.fix_later(Fixup { used_as: Use::Immediate, name, span });
            Ok(0)
        }
        expression => evaluate(&expression, &span, program),
    }
}

/// A number that is known at once.
pub fn constant(cursor: &mut Cursor, program: &Program) -> Result<u32, Problem> {
    let span = cursor.span();
    let expression = cursor.expression()?;
    evaluate(&expression, &span, program)
}

fn evaluate(expression: &Expression, span: &Range<usize>, program: &Program) -> Result<u32, Problem> {
    expression.evaluate(&|name| program.defines.get(name).copied()).map_err(|error| {
        let hint = "instructions take numbers, `.define`d names and, alone, labels; read a parameter with PARAM";
        Problem::new(span, format!("this has no value: {error}"), "here", hint)
    })
}

fn address(cursor: &mut Cursor, program: &mut Program) -> Result<u32, Problem> {
    let span = cursor.span();
    if cursor.peek() == Some(Token::Word) && register_of(cursor.word()).is_some() {
        let hint = "BRX and JMX take their target from a register";
        return Err(Problem::new(&span, "a register where an address should stand", "not a label", hint));
    }
    match cursor.expression()? {
        Expression::Name(name) if !program.defines.contains_key(&name) => {
            program.fix_later(Fixup { used_as: Use::Address, name, span });
            Ok(0)
        }
        expression => {
            let value = evaluate(&expression, &span, program)?;
            if value as usize >= PROGRAM_LIMIT {
                let hint = "an address has 22 bits: 0 to 0x3fffff, in instructions";
                return Err(Problem::new(&span, format!("0x{value:x} is no address"), "out of range", hint));
            }
            Ok(value)
        }
    }
}

fn memory(
    cursor: &mut Cursor,
    program: &Program,
    slot: Slot,
    instruction: &mut Instruction,
    form: &Form,
) -> Result<(), Problem> {
    let hint = usage(form);
    cursor.expect(Token::Open, "`[`", &hint)?;
    instruction.a = register(cursor)?;
    let sign = cursor.peek();
    if slot == Slot::Memory && matches!(sign, Some(Token::Plus | Token::Minus)) {
        cursor.take();
        let offset = constant(cursor, program)?;
        instruction.b = Source::Immediate(if sign == Some(Token::Minus) { offset.wrapping_neg() } else { offset });
    } else if let (Action::Atomic(..), Some(Token::Plus | Token::Minus)) = (form.action, sign) {
        let hint = "compare-and-swap has no room for an offset: add it to the register first";
        return Err(Problem::new(&cursor.span(), "an offset that cannot be encoded", "no offset here", hint));
    }
    cursor.expect(Token::Close, "`]`", &hint)?;
    Ok(())
}

fn special(cursor: &mut Cursor) -> Result<u32, Problem> {
    let names = || Special::ALL.iter().map(|(_, name)| *name);
    let (word, span) = cursor.expect(Token::Special, "a special register", "for example `%lane` or `%thread_x`")?;
    match Special::ALL.iter().find(|(_, name)| *name == word) {
        Some((special, _)) => Ok(*special as u32),
        None => {
            let hint = nearest(word, names()).map_or_else(|| names().collect::<Vec<_>>().join(", "), did_you_mean);
            Err(Problem::new(&span, format!("there is no special register `{word}`"), "unknown", hint))
        }
    }
}

fn parameter(cursor: &mut Cursor, program: &mut Program) -> Result<u32, Problem> {
    if cursor.peek() == Some(Token::Number) {
        return cursor.number();
    }
    let hint = "`.param` and `.memory` declare the names that PARAM reads";
    let (name, span) = cursor.expect(Token::Word, "a parameter", hint)?;
    program.fix_later(Fixup { used_as: Use::Parameter, name: name.to_string(), span });
    Ok(0)
}
