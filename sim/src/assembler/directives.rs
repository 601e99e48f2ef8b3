//! Directives: what a kernel file says beside its instructions (SM-09).

use super::cursor::Cursor;
use super::errors::{nearest, Problem};
use super::expression::Expression;
use super::kernel::{Contents, Expectation, Parameter, PredicateTable, Section, Size};
use super::lexer::Token;
use super::operands::{predicate_of, register_of};
use super::program::Program;
use crate::engine::PathPolicy;
use crate::kernels::checks;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the directives of a file state, beside what goes into [`Program`].
#[derive(Debug, Default)]
pub struct Header {
    /// `.kernel`: name and summary.
    pub name: Option<(String, String)>,
    /// `.shared`.
    pub shared: Option<Expression>,
    /// `.local`.
    pub local: Option<Expression>,
    /// `.grid`.
    pub grid: Option<[u32; 3]>,
    /// `.block`.
    pub block: Option<[u32; 3]>,
    /// `.size`: names, and the parameters with their values.
    pub sizes: Vec<Size>,
    /// `.stack_hangs`.
    pub stack_hangs: Option<Vec<PathPolicy>>,
}

/// Every directive, with how it is written and what it says.
pub const DIRECTIVES: [(&str, &str, &str); 13] = [
    (".kernel", ".kernel NAME \"SUMMARY\"", "the kernel's name and, in a line, what it shows"),
    (".param", ".param NAME = NUMBER \"SUMMARY\"", "a parameter with its default; PARAM reads it, expressions name it"),
    (
        ".size",
        ".size NAME PARAMETER = NUMBER, ...",
        "values of parameters that `--size NAME` takes instead of the defaults",
    ),
    (".define", ".define NAME = EXPRESSION", "a constant for immediates and later expressions of this file"),
    (".shared", ".shared EXPRESSION", "bytes of shared memory of a CTA; 0 if absent"),
    (".local", ".local EXPRESSION", "bytes of local memory of a thread; 0 if absent"),
    (".grid", ".grid X, Y, Z", "CTAs; Y and Z may be absent; 1 if absent"),
    (".block", ".block X, Y, Z", "threads of a CTA; Y and Z may be absent; 32 if absent"),
    (
        ".memory",
        ".memory NAME, WORDS = CONTENTS",
        "a section of global memory and what it holds at the start; zeros if absent",
    ),
    (
        ".predicate",
        ".predicate NAME, EXPRESSION",
        "only CTAs whose flag in the section is set are launched; all are if the expression, which may be absent, is 0",
    ),
    (".expect", ".expect NAME = CONTENTS", "what a section holds at the end"),
    (".check", ".check NAME", "a check of `sim/src/kernels/checks.rs` that the final memory passes"),
    (
        ".stack_hangs",
        ".stack_hangs POLICY, ...",
        "path policies under which the plain stack hangs, at the default sizes",
    ),
];

/// The ways to write CONTENTS, with their meaning.
pub const CONTENTS: [(&str, &str); 5] = [
    ("EXPRESSION, EXPRESSION, ...", "the words from the first on; zeros follow (in `.expect`: anything)"),
    ("fill EXPRESSION", "every word is the same"),
    ("each EXPRESSION", "word i is the expression, in which `index` is i"),
    ("random SEED, BOUND", "reproducible noise below the bound"),
    ("sparse SEED, PERCENT", "reproducible noise: each bit is set with a chance of so many percent"),
];

/// Names that expressions have of their own: the sizes of the launch, and the number of a word.
pub const BUILTINS: [&str; 7] = ["threads", "ctas", "block_threads", "grid_x", "grid_y", "grid_z", "index"];

/// The path policies' names.
pub const POLICIES: [(&str, PathPolicy); 4] = [
    ("taken", PathPolicy::Taken),
    ("not_taken", PathPolicy::NotTaken),
    ("smaller", PathPolicy::Smaller),
    ("larger", PathPolicy::Larger),
];

fn usage(directive: &str) -> String {
    DIRECTIVES
        .iter()
        .find(|(name, _, _)| *name == directive)
        .map_or_else(String::new, |(_, usage, _)| format!("write `{usage}`"))
}

/// Reads a directive.
pub fn directive(cursor: &mut Cursor, header: &mut Header, program: &mut Program) -> Result<(), Problem> {
    let (word, span) = cursor.take();
    let hint = usage(word);
    match word {
        ".kernel" => {
            let (name, _) = cursor.expect(Token::Word, "the kernel's name", &hint)?;
            let summary = optional_text(cursor);
            once(&mut header.name, (name.to_string(), summary), word, &span)?;
        }
        ".param" => {
            let name = new_name(cursor, program, &hint)?;
            cursor.expect(Token::Equals, "`=`", &hint)?;
            let default = constant(cursor, program)?;
            let summary = optional_text(cursor);
            program.parameters.push(Parameter { name, default, summary });
        }
        ".size" => {
            let size = size(cursor, program, &header.sizes, &hint)?;
            header.sizes.push(size);
        }
        ".define" => {
            let name = new_name(cursor, program, &hint)?;
            cursor.expect(Token::Equals, "`=`", &hint)?;
            let value = constant(cursor, program)?;
            program.defines.insert(name, value);
        }
        ".shared" => {
            let expression = sized(cursor, program)?;
            once(&mut header.shared, expression, word, &span)?;
        }
        ".local" => {
            let expression = sized(cursor, program)?;
            once(&mut header.local, expression, word, &span)?;
        }
        ".grid" => {
            let sizes = sizes(cursor, program)?;
            once(&mut header.grid, sizes, word, &span)?;
        }
        ".block" => {
            let sizes = sizes(cursor, program)?;
            once(&mut header.block, sizes, word, &span)?;
        }
        ".memory" => {
            let name = new_name(cursor, program, &hint)?;
            cursor.expect(Token::Comma, "`,` and the number of words", &hint)?;
            let words = sized(cursor, program)?;
            let initial = match cursor.accept(Token::Equals) {
                true => contents(cursor, program)?,
                false => Contents::Fill(Expression::Number(0)),
            };
            program.sections.push(Section { name, words, initial });
        }
        ".predicate" => {
            let (name, name_span) = cursor.expect(Token::Word, "a section", &hint)?;
            let used = match cursor.accept(Token::Comma) {
                true => sized(cursor, program)?,
                false => Expression::Number(1),
            };
            let table = PredicateTable { section: name.to_string(), used };
            once(&mut program.predicate, (table, name_span), word, &span)?;
        }
        ".expect" => {
            let (name, name_span) = cursor.expect(Token::Word, "a section", &hint)?;
            cursor.expect(Token::Equals, "`=`", &hint)?;
            let contents = contents(cursor, program)?;
            program.expectations.push((Expectation::Words(name.to_string(), contents), name_span));
        }
        ".check" => {
            let (name, name_span) = cursor.expect(Token::Word, "a check", &hint)?;
            if checks::find(name).is_none() {
                let names = || checks::ALL.iter().map(|check| check.name);
                let hint = match nearest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
                };
                return Err(Problem::new(&name_span, format!("there is no check `{name}`"), "unknown", hint));
            }
            program.expectations.push((Expectation::Check(name.to_string()), name_span));
        }
        ".stack_hangs" => {
            let policies = policies(cursor, &hint)?;
            once(&mut header.stack_hangs, policies, word, &span)?;
        }
        unknown => {
            let hint = match nearest(unknown, DIRECTIVES.iter().map(|(name, _, _)| *name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "docs/kernel-format.md lists every directive".to_string(),
            };
            return Err(Problem::new(&span, format!("there is no directive `{unknown}`"), "unknown directive", hint));
        }
    }
    cursor.expect_end(&hint)
}

/// Sections that directives name and nothing declares, once everything is declared.
pub fn unknown_names(program: &Program) -> Vec<Problem> {
    let names: Vec<&str> = program.sections.iter().map(|section| section.name.as_str()).collect();
    let expected = program.expectations.iter().filter_map(|(expectation, span)| match expectation {
        Expectation::Words(name, _) => Some((name, span)),
        Expectation::Check(_) => None,
    });
    let predicate = program.predicate.iter().map(|(table, span)| (&table.section, span));
    let unknown = expected.chain(predicate).filter(|(name, _)| !names.contains(&name.as_str()));
    let problem = |(name, span): (&String, &Range<usize>)| {
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it with `.memory`".to_string(),
        };
        Problem::new(span, format!("there is no section `{name}`"), "unknown section", hint)
    };
    unknown.map(problem).collect()
}

/// `.size`: a name, and values for parameters that stand before it.
fn size(cursor: &mut Cursor, program: &Program, others: &[Size], hint: &str) -> Result<Size, Problem> {
    let (name, span) = cursor.expect(Token::Word, "the size's name", hint)?;
    if others.iter().any(|other| other.name == name) {
        return Err(Problem::new(
            &span,
            format!("size `{name}` is there twice"),
            "the second one",
            "keep one of the two",
        ));
    }
    let mut parameters = BTreeMap::new();
    loop {
        let (parameter, span) = cursor.expect(Token::Word, "a parameter", hint)?;
        let names = || program.parameters.iter().map(|parameter| parameter.name.as_str());
        if !names().any(|known| known == parameter) {
            let hint = match nearest(parameter, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it before with `.param`".to_string(),
            };
            return Err(Problem::new(&span, format!("there is no parameter `{parameter}`"), "unknown", hint));
        }
        cursor.expect(Token::Equals, "`=`", hint)?;
        parameters.insert(parameter.to_string(), constant(cursor, program)?);
        if !cursor.accept(Token::Comma) {
            return Ok(Size { name: name.to_string(), parameters });
        }
    }
}

fn once<T>(place: &mut Option<T>, value: T, word: &str, span: &Range<usize>) -> Result<(), Problem> {
    if place.replace(value).is_some() {
        return Err(Problem::new(span, format!("`{word}` is there twice"), "the second one", "keep one of the two"));
    }
    Ok(())
}

fn optional_text(cursor: &mut Cursor) -> String {
    match cursor.peek() {
        Some(Token::Text) => cursor.take().0.trim_matches('"').to_string(),
        _ => String::new(),
    }
}

fn new_name(cursor: &mut Cursor, program: &Program, hint: &str) -> Result<String, Problem> {
    let (name, span) = cursor.expect(Token::Word, "a name", hint)?;
    if let Some(problem) = reserved(name, &span) {
        return Err(problem);
    }
    let taken = program.defines.contains_key(name)
        || program.parameters.iter().any(|parameter| parameter.name == name)
        || program.sections.iter().any(|section| section.name == name);
    if taken {
        let message = format!("`{name}` is declared twice");
        return Err(Problem::new(&span, message, "the second one", "give one of the two another name"));
    }
    Ok(name.to_string())
}

/// The mistake of giving something a name that means something else, if it is one.
pub fn reserved(name: &str, span: &Range<usize>) -> Option<Problem> {
    let builtin = BUILTINS.contains(&name) || ["fill", "each", "random", "sparse"].contains(&name);
    (builtin || register_of(name).is_some() || predicate_of(name).is_some()).then(|| {
        let words = BUILTINS.map(|name| format!("`{name}`")).join(", ");
        let hint = format!("registers, predicates, {words}, `fill`, `each`, `random`, `sparse` have theirs");
        Problem::new(span, format!("`{name}` is a name of the assembler's own"), "reserved", hint)
    })
}

fn constant(cursor: &mut Cursor, program: &Program) -> Result<u32, Problem> {
    let span = cursor.span();
    cursor.expression()?.evaluate(&|name| program.defines.get(name).copied()).map_err(|error| {
        let hint = "only numbers and names that `.define` gave before can stand here";
        Problem::new(&span, format!("this has no value: {error}"), "here", hint)
    })
}

/// An expression whose names are known: parameters and defines that stand before it, and the launch's sizes.
fn sized(cursor: &mut Cursor, program: &Program) -> Result<Expression, Problem> {
    let span = cursor.span();
    let expression = cursor.expression()?.with_values(&program.defines);
    let known = |name: &str| program.parameters.iter().any(|parameter| parameter.name == name);
    let builtin = |name: &str| BUILTINS.contains(&name);
    match expression.names().into_iter().find(|name| !known(name) && !builtin(name)) {
        None => Ok(expression),
        Some(name) => {
            let names = program.parameters.iter().map(|parameter| parameter.name.as_str());
            let hint = match nearest(name, names.chain(program.defines.keys().map(String::as_str))) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it before with `.param` or `.define`".to_string(),
            };
            Err(Problem::new(&span, format!("nothing is called `{name}`"), "in this expression", hint))
        }
    }
}

fn sizes(cursor: &mut Cursor, program: &Program) -> Result<[u32; 3], Problem> {
    let mut sizes = [1; 3];
    for (index, size) in sizes.iter_mut().enumerate() {
        if index > 0 && !cursor.accept(Token::Comma) {
            break;
        }
        let span = cursor.span();
        *size = constant(cursor, program)?;
        if *size == 0 {
            return Err(Problem::new(&span, "a size of 0", "nothing would run", "a size is 1 at least"));
        }
    }
    Ok(sizes)
}

fn contents(cursor: &mut Cursor, program: &Program) -> Result<Contents, Problem> {
    let keyword = if cursor.peek() == Some(Token::Word) { cursor.word() } else { "" };
    match keyword {
        "fill" => {
            cursor.take();
            sized(cursor, program).map(Contents::Fill)
        }
        "each" => {
            cursor.take();
            sized(cursor, program).map(Contents::Each)
        }
        "random" => {
            cursor.take();
            let seed = sized(cursor, program)?;
            cursor.expect(Token::Comma, "`,` and the bound", "write `random SEED, BOUND`")?;
            sized(cursor, program).map(|bound| Contents::Random(seed, bound))
        }
        "sparse" => {
            cursor.take();
            let seed = sized(cursor, program)?;
            cursor.expect(Token::Comma, "`,` and the percentage", "write `sparse SEED, PERCENT`")?;
            sized(cursor, program).map(|percent| Contents::Sparse(seed, percent))
        }
        _ => {
            let mut list = vec![sized(cursor, program)?];
            while cursor.accept(Token::Comma) {
                list.push(sized(cursor, program)?);
            }
            Ok(Contents::List(list))
        }
    }
}

fn policies(cursor: &mut Cursor, hint: &str) -> Result<Vec<PathPolicy>, Problem> {
    let mut policies = Vec::new();
    loop {
        let (word, span) = cursor.expect(Token::Word, "a path policy", hint)?;
        let Some((_, policy)) = POLICIES.iter().find(|(name, _)| *name == word) else {
            let hint = "path policies are taken, not_taken, smaller, larger";
            return Err(Problem::new(&span, format!("there is no path policy `{word}`"), "unknown", hint));
        };
        policies.push(*policy);
        if !cursor.accept(Token::Comma) {
            return Ok(policies);
        }
    }
}
