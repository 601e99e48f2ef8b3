//! Names and what refers to them.

use super::errors::{nearest, Problem};
use super::kernel::{Expectation, Parameter, PredicateTable, Section};
use crate::isa::{Instruction, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a name stands for in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Where control goes.
    Address,
    /// A value: the address of a label.
    Immediate,
    /// Parameter or section.
    Parameter,
}

/// A name that an instruction uses.
#[derive(Clone, Debug)]
pub struct Fixup {
    /// What for.
    pub used_as: Use,
    /// The name.
    pub name: String,
    /// Where.
    pub span: Range<usize>,
}

/// What is known of a program while its file is read.
#[derive(Debug, Default)]
pub struct Program {
    /// The instructions so far.
    pub instructions: Vec<Instruction>,
    /// Their places.
    pub spans: Vec<Range<usize>>,
    /// Their lines, from 1.
    pub lines: Vec<usize>,
    /// Labels with address and place.
    pub labels: BTreeMap<String, (u32, Range<usize>)>,
    /// Constants.
    pub defines: BTreeMap<String, u32>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Sections.
    pub sections: Vec<Section>,
    /// The predicate table, with the place of its section's name.
    pub predicate: Option<(PredicateTable, Range<usize>)>,
    /// Expected results, with their places.
    pub expectations: Vec<(Expectation, Range<usize>)>,
    /// The instructions whose second source is the address of a label; known once names are resolved.
    pub address_values: BTreeSet<u32>,
    /// Names to resolve, with the instruction's index.
    fixups: Vec<(usize, Fixup)>,
}

impl Program {
    /// Notes a name that the instruction being read uses.
    pub fn fix_later(&mut self, fixup: Fixup) {
        self.fixups.push((self.instructions.len(), fixup));
    }

    /// Forgets the names of an instruction that turned out wrong.
    pub fn forget_instruction(&mut self) {
        let index = self.instructions.len();
        self.fixups.retain(|(of, _)| *of != index);
    }

    /// Puts a label before the next instruction.
    pub fn label(&mut self, name: &str, span: Range<usize>) -> Result<(), Problem> {
        if let Some((address, _)) = self.labels.get(name) {
            let hint = format!("it already names address 0x{address:x}; give one of the two another name");
            return Err(Problem::new(&span, format!("label `{name}` is there twice"), "the second one", hint));
        }
        self.labels.insert(name.to_string(), (self.instructions.len() as u32, span));
        Ok(())
    }

    /// Puts values in place of names.
    pub fn resolve(&mut self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, Fixup { used_as, name, span }) in std::mem::take(&mut self.fixups) {
            let value = match used_as {
                Use::Address | Use::Immediate => self.labels.get(&name).map(|(address, _)| *address),
                Use::Parameter => self.parameter_names().position(|known| known == name).map(|index| index as u32),
            };
            if used_as == Use::Immediate {
                self.address_values.insert(index as u32);
            }
            match value {
                Some(value) => self.instructions[index].b = Source::Immediate(value),
                None => problems.push(self.unknown(used_as, &name, &span)),
            }
        }
        problems
    }

    /// Parameters and sections, in the order of PARAM's index.
    fn parameter_names(&self) -> impl Iterator<Item = &str> {
        let parameters = self.parameters.iter().map(|parameter| parameter.name.as_str());
        parameters.chain(self.sections.iter().map(|section| section.name.as_str()))
    }

    fn unknown(&self, used_as: Use, name: &str, span: &Range<usize>) -> Problem {
        let labels = || self.labels.keys().map(String::as_str);
        let hint = |near: Option<&str>, otherwise: &str| match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => otherwise.to_string(),
        };
        match used_as {
            Use::Address => {
                let hint = hint(nearest(name, labels()), "put `name:` before the instruction that it should name");
                Problem::new(span, format!("there is no label `{name}`"), "undefined label", hint)
            }
            Use::Immediate => {
                let known = labels().chain(self.defines.keys().map(String::as_str));
                let hint = hint(nearest(name, known), "read parameters and section addresses with PARAM");
                Problem::new(span, format!("`{name}` is neither a label nor a `.define`d name"), "undefined", hint)
            }
            Use::Parameter => {
                let hint = hint(nearest(name, self.parameter_names()), "declare it with `.param` or `.memory`");
                Problem::new(span, format!("there is no parameter or memory section `{name}`"), "undefined", hint)
            }
        }
    }
}
