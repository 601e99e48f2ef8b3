//! Barriers: the attributes of BARRIER.CONF, and what only the whole program shows: tops and bottoms, flags and conditions.

use super::cursor::Cursor;
use super::errors::{nearest, Problem};
use super::lexer::Token;
use super::operands::{constant, did_you_mean, register_of};
use super::program::Program;
use crate::isa::{barrier_flag, Action, Attribute, BarrierOpcode, Configuration, Instruction, Reference, Source};
use std::ops::Range;

/// The largest count of transactions that EXPECT and COMPLETE take (BR-51).
pub const TRANSACTIONS: u32 = 63;

/// Reads the attributes of a BARRIER.CONF: names with values.
pub fn attributes(cursor: &mut Cursor, program: &Program, instruction: &mut Instruction) -> Result<(), Problem> {
    let mut configuration = Configuration { word: 0, reference: Reference::Immediate };
    let mut seen = Vec::new();
    loop {
        let names = || Attribute::ALL.iter().map(|(_, name)| *name);
        let (word, span) = cursor.expect(Token::Word, "an attribute", "for example `condition 2, reference 16`")?;
        let found = Attribute::ALL.iter().find(|(_, name)| *name == word);
        let hint = || nearest(word, names()).map_or_else(|| names().collect::<Vec<_>>().join(", "), did_you_mean);
        let (attribute, _) =
            *found.ok_or_else(|| Problem::new(&span, format!("a barrier has no `{word}`"), "unknown", hint()))?;
        if seen.contains(&attribute) {
            let message = format!("`{word}` is there twice");
            return Err(Problem::new(&span, message, "the second one", "keep one of the two"));
        }
        seen.push(attribute);
        value(cursor, program, attribute, &mut configuration)?;
        if !cursor.accept(Token::Comma) {
            break;
        }
    }
    if !seen.contains(&Attribute::Condition) {
        configuration = configuration.with(Attribute::Condition, 1);
    }
    *instruction = instruction.configured(configuration);
    Ok(())
}

fn value(
    cursor: &mut Cursor,
    program: &Program,
    attribute: Attribute,
    configuration: &mut Configuration,
) -> Result<(), Problem> {
    let span = cursor.span();
    let word = (cursor.peek() == Some(Token::Word)).then(|| cursor.word());
    if let Some(register) = word.and_then(register_of) {
        if attribute != Attribute::Reference {
            let hint = "only the reference may come from a register; it depends on the launch most often";
            return Err(Problem::new(&span, "a register where a number should stand", "not here", hint));
        }
        cursor.take();
        configuration.reference = Reference::Register(register);
        return Ok(());
    }
    let named = word.and_then(|word| attribute.names().iter().find(|(name, _)| *name == word));
    let value = match named {
        Some((_, value)) => {
            cursor.take();
            u32::from(*value)
        }
        None if word.is_some_and(|word| !attribute.names().is_empty() && !program.defines.contains_key(word)) => {
            let names: Vec<&str> = attribute.names().iter().map(|(name, _)| *name).collect();
            let message = format!("there is no such value: `{}`", cursor.word());
            return Err(Problem::new(&span, message, "unknown", format!("it is one of {}", names.join(", "))));
        }
        None => constant(cursor, program)?,
    };
    let (least, most) = match attribute {
        Attribute::Condition => (1, 5),
        _ => (0, attribute.field().maximum()),
    };
    if !(least..=most).contains(&u64::from(value)) {
        let message = format!("{value} is out of range");
        return Err(Problem::new(&span, message, "does not fit", format!("it is {least} to {most} here")));
    }
    *configuration = configuration.with(attribute, value.into());
    Ok(())
}

/// An instruction of the program with its address and its place.
type Placed<'a> = (usize, &'a Instruction, &'a Range<usize>);

/// The barrier forms with one of these opcodes.
fn forms<'a>(program: &'a Program, opcodes: &'a [BarrierOpcode]) -> impl Iterator<Item = Placed<'a>> {
    let all = program.instructions.iter().zip(&program.spans).enumerate();
    all.filter(
        |(_, (instruction, _))| matches!(instruction.action, Action::Barrier(opcode) if opcodes.contains(&opcode)),
    )
    .map(|(address, (instruction, span))| (address, instruction, span))
}

const TOPS: &[BarrierOpcode] = &[BarrierOpcode::Conditional, BarrierOpcode::Ordered, BarrierOpcode::Unordered];

/// Mistakes in the use of barriers.
pub fn mistakes(program: &Program) -> Vec<Problem> {
    let mut problems = Vec::new();
    for top in forms(program, TOPS) {
        problems.extend(bottom_of(program, top));
        problems.extend(flags_of(program, top));
    }
    for (_, instruction, span) in forms(program, &[BarrierOpcode::Configure]) {
        let configuration = instruction.configuration();
        if configuration.get(Attribute::Condition) == 5 && configuration.get(Attribute::Minimum) == 0 {
            let hint = "write `minimum` and a number from 1 on, or condition 4";
            let message = "condition 5 needs a minimum";
            problems.push(Problem::new(span, message, "its minimum is 0", hint));
        }
    }
    for (_, instruction, span) in forms(program, &[BarrierOpcode::Wait]) {
        if let Source::Immediate(parity @ 2..) = instruction.b {
            let hint = "phases alternate between the parities 0 and 1";
            problems.push(Problem::new(span, format!("{parity} is no parity"), "out of range", hint));
        }
    }
    for (_, instruction, span) in forms(program, &[BarrierOpcode::Expect, BarrierOpcode::Complete]) {
        if let Source::Immediate(count) = instruction.b {
            if count > TRANSACTIONS {
                let message = format!("{count} transactions are too many");
                let hint = format!("a phase counts to {TRANSACTIONS} at most");
                problems.push(Problem::new(span, message, "out of range", hint));
            }
        }
    }
    problems
}

/// A top names the address behind its bottom, so a bottom of the same barrier and kind must stand before it. A conditional barrier
/// without code of its own needs none: its address is the next one.
fn bottom_of(program: &Program, (address, top, span): Placed) -> Option<Problem> {
    let conditional = top.action == Action::Barrier(BarrierOpcode::Conditional);
    let (bottom, mnemonic) = match conditional {
        true => (BarrierOpcode::ConditionalBottom, "BARRIER.BOTTOM.CONDITIONAL"),
        false => (BarrierOpcode::Bottom, "BARRIER.BOTTOM"),
    };
    let (id, after) = (top.barrier(), top.immediate() as usize);
    let before = after.checked_sub(1).and_then(|before| program.instructions.get(before));
    let found = before.is_some_and(|before| before.action == Action::Barrier(bottom) && before.barrier() == id);
    if found || conditional && after == address + 1 {
        return None;
    }
    let what = if conditional { "conditional barrier" } else { "section of barrier" };
    let message = format!("the {what} {id} has no bottom before address 0x{after:x}");
    let hint =
        format!("end it with `{mnemonic} {id}`; the address of the top is that of the instruction behind the bottom");
    Some(Problem::new(span, message, "this top", hint))
}

/// The flags of a top and the conditions with which its barrier is configured must agree.
fn flags_of(program: &Program, (_, top, span): Placed) -> Option<Problem> {
    let id = top.barrier();
    let impatient = top.c & barrier_flag::IMPATIENT != 0;
    if top.action == Action::Barrier(BarrierOpcode::Conditional) && top.c & barrier_flag::NONBLOCKING != 0 {
        let hint = "leave out `.NONBLOCKING`: nothing waits at the end of a conditional barrier";
        return Some(Problem::new(span, "a conditional barrier whose bottom should not block", "this top", hint));
    }
    let conditions: Vec<u64> = conditions_of(program, id).collect();
    let fits = |condition: &u64| (*condition >= 4) == impatient;
    if conditions.iter().any(fits) || conditions.is_empty() && !impatient {
        return None;
    }
    let (message, hint) = match impatient {
        true => (
            format!("barrier {id} is never configured to be impatient"),
            format!("write `BARRIER.CONF {id}, condition 4, timeout ...` before it, or leave out `.IMPATIENT`"),
        ),
        false => (
            format!("barrier {id} is configured to be impatient only, and this top is not"),
            "add `.IMPATIENT`, or choose one of the conditions 1 to 3".to_string(),
        ),
    };
    Some(Problem::new(span, message, "this top", hint))
}

/// The conditions that the program gives a barrier; without any it has 1 from the launch.
fn conditions_of(program: &Program, id: u8) -> impl Iterator<Item = u64> + '_ {
    forms(program, &[BarrierOpcode::Configure])
        .filter(move |(_, instruction, _)| instruction.barrier() == id)
        .map(|(_, instruction, _)| instruction.configuration().get(Attribute::Condition))
}

/// What may be a mistake: one id for two tops, under a condition that does not promise anything then (BR-18).
pub fn warnings(program: &Program) -> Vec<Problem> {
    let mut warnings = Vec::new();
    for id in 0..=7 {
        let tops: Vec<Placed> = forms(program, TOPS).filter(|(_, top, _)| top.barrier() == id).collect();
        let Some(condition) = conditions_of(program, id).find(|condition| *condition != 1) else { continue };
        for (address, _, span) in tops.iter().skip(1) {
            let message = format!(
                "barrier {id} has tops at 0x{:x} and 0x{address:x}, and condition {condition}: which of the two a thread \
                 joins is not guaranteed",
                tops[0].0
            );
            let hint = "give the second top an id of its own; only condition 1 lets two tops share one";
            warnings.push(Problem::new(span, message, "the second top", hint));
        }
    }
    warnings
}
