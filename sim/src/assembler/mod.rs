//! The assembler (IS-04, IS-05): kernel files in, [`Kernel`]s out; and the way back.
//!
//! A file is read line by line; a line is a label or several, and then a directive, an instruction or nothing. A line
//! with a mistake is reported and skipped, so that all mistakes of a file show at once. `docs/kernel-format.md` tells the
//! whole format.

mod barriers;
mod cursor;
mod directives;
mod disassembler;
mod errors;
mod expression;
mod kernel;
mod launch;
mod lexer;
mod operands;
mod program;
#[cfg(test)]
mod tests;

pub use barriers::TRANSACTIONS;
pub use directives::{CONTENTS, DIRECTIVES, POLICIES};
pub use disassembler::{disassemble, listing};
pub use errors::nearest;
pub use errors::{Errors, Mistake};
pub use expression::{Expression, ExpressionError, Operator};
pub use kernel::{Contents, Expectation, Kernel, Launch, Overrides, Parameter, Placed, PredicateTable, Section, Size};
pub use launch::{table_bytes, LaunchError, Mismatch};

use crate::isa::{encode, Instruction, PROGRAM_LIMIT};
use cursor::Cursor;
use directives::Header;
use errors::Problem;
use lexer::Token;
use miette::Severity;
use program::Program;

/// How deep the terms of one expression may go: reading and evaluating it recurses.
const LINE_LIMIT: usize = 4096;

/// Assembles the text of a kernel file; `file_name` is for messages and, without `.kernel`, for the kernel's name.
/// All mistakes are reported at once.
pub fn assemble(text: &str, file_name: &str) -> Result<Kernel, Errors> {
    let (header, program, mut problems) = read(text);
    // Addresses that names should have filled in would only raise false alarms.
    if problems.is_empty() {
        problems.extend(barriers::mistakes(&program));
    }
    if program.instructions.is_empty() && problems.is_empty() {
        let hint = "a kernel has one instruction at least: `EXIT`";
        problems.push(Problem::new(&(0..0), "there is no instruction in this file", "empty", hint));
    }
    if !problems.is_empty() {
        return Err(Errors::of(file_name, text, problems));
    }
    let warnings = errors::tied(file_name, text, barriers::warnings(&program), Severity::Warning);
    let stem = std::path::Path::new(file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let (name, summary) = header.name.unwrap_or_else(|| (stem.unwrap_or_default(), String::new()));
    Ok(Kernel {
        name,
        summary,
        words: program.instructions.iter().map(encode).collect(),
        instructions: program.instructions,
        lines: program.lines,
        labels: program.labels.into_iter().map(|(name, (address, _))| (name, address)).collect(),
        address_values: program.address_values,
        sizes: header.sizes,
        parameters: program.parameters,
        shared: header.shared.unwrap_or(Expression::Number(0)),
        local: header.local.unwrap_or(Expression::Number(0)),
        grid: header.grid.unwrap_or([1; 3]),
        block: header.block.unwrap_or([32, 1, 1]),
        sections: program.sections,
        predicate: program.predicate.map(|(predicate, _)| predicate),
        expectations: program.expectations.into_iter().map(|(expectation, _)| expectation).collect(),
        stack_hangs: header.stack_hangs.unwrap_or_default(),
        warnings,
    })
}

/// Assembles one instruction without a file around it; names have no meaning here, addresses are numbers.
pub fn assemble_instruction(text: &str) -> Result<Instruction, Errors> {
    let (_, program, mut problems) = read(text);
    match program.instructions.as_slice() {
        [instruction] if problems.is_empty() => Ok(*instruction),
        instructions => {
            if problems.is_empty() {
                let message = format!("{} instructions where one is expected", instructions.len());
                problems.push(Problem::new(&(0..text.len()), message, "here", "write one instruction"));
            }
            Err(Errors::of("instruction", text, problems))
        }
    }
}

/// Reads every line and resolves names.
fn read(text: &str) -> (Header, Program, Vec<Problem>) {
    let (mut header, mut program, mut problems) = (Header::default(), Program::default(), Vec::new());
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Err(problem) = read_line(text, line, start, number, &mut header, &mut program) {
            program.forget_instruction();
            problems.push(problem);
        }
        start += line.len() + 1;
    }
    problems.extend(program.resolve());
    problems.extend(directives::unknown_names(&program));
    (header, program, problems)
}

fn read_line(
    text: &str,
    line: &str,
    start: usize,
    number: usize,
    header: &mut Header,
    program: &mut Program,
) -> Result<(), Problem> {
    let tokens = lexer::tokens_of(line, start)?;
    if tokens.len() > LINE_LIMIT {
        let message = format!("a line of {} words and signs", tokens.len());
        let hint = format!("break it up: a line has {LINE_LIMIT} at most");
        return Err(Problem::new(&tokens[LINE_LIMIT].span, message, "too long", hint));
    }
    let mut cursor = Cursor::new(text, &tokens, start + line.trim_end().len());
    while cursor.peek() == Some(Token::Word) && cursor.peek_second() == Some(Token::Colon) {
        let (name, span) = cursor.take();
        cursor.take();
        if let Some(problem) = directives::reserved(name, &span) {
            return Err(problem);
        }
        program.label(name, span)?;
    }
    match cursor.peek() {
        None => Ok(()),
        Some(Token::Directive) => directives::directive(&mut cursor, header, program),
        Some(_) => {
            let span = cursor.span();
            let instruction = operands::instruction(&mut cursor, program)?;
            if program.instructions.len() >= PROGRAM_LIMIT {
                let hint = "an address has 22 bits";
                return Err(Problem::new(&span, "the program is too long", "instruction 4194305", hint));
            }
            program.instructions.push(instruction);
            program.spans.push(span.start..start + line.trim_end().len());
            program.lines.push(number);
            Ok(())
        }
    }
}
