//! A random kernel as assembler text: the only way from statements to instructions, and what a person reads of a failure.
//!
//! | registers | what they hold |
//! | --- | --- |
//! | R0, R1 | rank in the CTA, number in the grid |
//! | R2 to R6 | the thread's own values |
//! | R7 | the CTA's common number |
//! | R8 to R11 | scratch of one statement |
//! | R14 to R19 | addresses: results, cells, slot in shared memory, atomics, words of the CTA's sections, of the grid's |
//! | R20 to R27 | turns left of the kernel's loops, by depth |
//! | R30 to R33 | return addresses, by function |
//! | R40 to R55 | turns left of the functions' loops |

use super::program::{
    Attributes, Condition, Effect, GridProgram, Operand, Section, Statement, ATOMIC_WORDS, CELLS, SITES, VALUES,
};
use crate::isa::Attribute;

/// First register of the thread's own values.
const FIRST_VALUE: u8 = 2;
/// Loop counters of a function.
const FUNCTION_LOOPS: usize = 4;

/// The operations of the atomic words, with what a word holds before.
const ATOMICS: [(&str, u32); ATOMIC_WORDS as usize] =
    [("ADD", 0), ("AND", u32::MAX), ("OR", 0), ("MIN.U", u32::MAX), ("MAX.U", 0)];

impl GridProgram {
    /// The kernel file.
    pub fn text(&self) -> String {
        let mut writer = Writer { block_threads: self.block_threads, ..Writer::default() };
        self.head(&mut writer);
        writer.statements(&self.body);
        writer.leave("");
        for (number, function) in self.functions.iter().enumerate() {
            writer.text += &format!("function_{number}:\n");
            (writer.counters, writer.depth) = (40 + FUNCTION_LOOPS * number, 0);
            writer.statements(function);
            writer.line(&format!("RET     R{}", 30 + number));
        }
        writer.text
    }

    fn head(&self, writer: &mut Writer) {
        let Self { ctas, block_threads, data_seed, .. } = self;
        let words = ATOMICS.map(|(_, initial)| initial.to_string()).join(", ");
        writer.text += &format!(
            ".kernel random \"a random program\"\n.memory data, threads * {VALUES} = random {data_seed}, 0xffffffff\n\
             .memory common, ctas = random {data_seed} + 1, 0xffffffff\n.memory result, threads * {VALUES}\n\
             .memory cell, threads * {CELLS}\n.memory atomic, {ATOMIC_WORDS} = {words}\n\
             .memory cta_site, ctas * {SITES}\n.memory grid_site, {SITES}\n\
             .shared block_threads * 4 + 64\n.grid {ctas}\n.block {block_threads}\n"
        );
        if self.uses_local_memory() {
            writer.text += &format!(".local {}\n", 4 * CELLS);
        }
        for line in ["S2R     R8, %cta", "S2R     R9, %block", "S2R     R0, %logical", "IMAD    R1, R8, R9, R0"] {
            writer.line(line);
        }
        for (register, section, number, words) in [
            (10, "data", "R1", u32::from(VALUES)),
            (14, "result", "R1", u32::from(VALUES)),
            (15, "cell", "R1", CELLS),
            (18, "cta_site", "R8", SITES),
            (11, "common", "R8", 1),
        ] {
            writer.line(&format!("PARAM   R{register}, {section}"));
            writer.line(&format!("IMAD    R{register}, {number}, {}, R{register}", 4 * words));
        }
        writer.line("PARAM   R17, atomic");
        writer.line("PARAM   R19, grid_site");
        writer.line("SHL     R16, R0, 2");
        writer.line("LD.GLOBAL.W R7, [R11]");
        for value in 0..VALUES {
            writer.line(&format!("LD.GLOBAL.W {}, [R10 + {}]", register(Operand::Value(value)), 4 * value));
        }
        self.attributes.iter().for_each(|attributes| writer.configure(attributes));
    }
}

fn register(operand: Operand) -> String {
    match operand {
        Operand::Value(value) => format!("R{}", FIRST_VALUE + value),
        Operand::Rank => "R0".into(),
        Operand::Common => "R7".into(),
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    block_threads: u32,
    labels: usize,
    /// Where BRK and CONT of the open loops go.
    loops: Vec<(String, Option<String>)>,
    /// First register of the loop counters.
    counters: usize,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text += &format!("        {line}\n");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn place(&mut self, label: &str) {
        self.text += &format!("{label}:\n");
    }

    /// Stores the thread's values and exits, under a guard.
    fn leave(&mut self, guard: &str) {
        for value in 0..VALUES {
            self.line(&format!("{guard}ST.GLOBAL.W [R14 + {}], {}", 4 * value, register(Operand::Value(value))));
        }
        self.line(&format!("{guard}EXIT"));
    }

    /// Puts a condition into P0.
    fn test(&mut self, condition: &Condition) {
        self.line(&format!("SHR.U   R8, {}, {}", register(condition.operand), condition.shift));
        self.line("AND     R8, R8, 15");
        self.line(&format!("ISETP.LT.U P0, R8, {}", condition.bound));
    }

    fn configure(&mut self, attributes: &Attributes) {
        let Attributes { barrier, condition, reference, minimum, timeout, event, late, priority } = attributes;
        let named = |attribute: Attribute, value: &u8| attribute.text(u64::from(*value));
        let (event, late) = (named(Attribute::Event, event), named(Attribute::Late, late));
        let impatient = match condition {
            4 | 5 => format!(", minimum {minimum}, timeout {timeout}, event {event}"),
            _ => String::new(),
        };
        self.line(&format!(
            "BARRIER.CONF {barrier}, condition {condition}, reference {reference}{impatient}, late {late}, priority {priority}"
        ));
    }

    /// Shared memory of the thread `distance` further on into a value.
    fn neighbour(&mut self, value: u8, distance: u16) {
        let threads = self.block_threads;
        self.line(&format!("IADD    R8, R0, {}", u32::from(distance) % threads));
        self.line(&format!("ISETP.GE.U P0, R8, {threads}"));
        self.line(&format!("@P0 ISUB R8, R8, {threads}"));
        self.line("SHL     R8, R8, 2");
        self.line(&format!("LD.SHARED.W {}, [R8]", register(Operand::Value(value))));
    }

    fn meet(&mut self, barrier: u8, suffix: &str) {
        let after = self.label();
        self.line(&format!("BARRIER.CONDITIONAL{suffix} {barrier}, {after}"));
        self.place(&after);
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Mix { destination, left, right, constant } => {
                let destination = register(Operand::Value(*destination));
                self.line(&format!("IMAD    R8, {}, {}, {}", register(*left), constant | 1, register(*right)));
                self.line("SHR.U   R9, R8, 15");
                self.line(&format!("XOR     {destination}, R8, R9"));
                // Without this, equal numbers would stay equal on all paths.
                self.line(&format!("IADD    {destination}, {destination}, {}", constant >> 7));
            }
            Statement::Cell { cell, value, store } => self.word("GLOBAL", "R15", *cell, *value, *store),
            Statement::Local { cell, value, store } => self.word("LOCAL", "RZ", *cell, *value, *store),
            Statement::Atomic { word, value } => {
                let (name, _) = ATOMICS[usize::from(*word)];
                let value = register(Operand::Value(*value));
                self.line(&format!("ATOM.GLOBAL.{name} R8, [R17 + {}], {value}", 4 * word));
            }
            Statement::If { condition, first, second } => self.decision(condition, first, second),
            Statement::Loop { .. } => self.repetition(statement),
            Statement::Break(condition) => {
                let Some((done, _)) = self.loops.last().cloned() else { return };
                self.test(condition);
                self.line(&format!("@P0 BRK {done}"));
            }
            Statement::Continue(condition) => {
                let Some((_, Some(next))) = self.loops.last().cloned() else { return };
                self.test(condition);
                self.line(&format!("@P0 CONT {next}"));
            }
            Statement::Switch { operand, cases } => self.choice(*operand, cases),
            Statement::Call(function) => self.line(&format!("CAL     function_{function}, R{}", 30 + function)),
            Statement::Yield(None) => self.line("YIELD"),
            Statement::Yield(Some(condition)) => {
                self.test(condition);
                self.line("@P0 YIELD");
            }
            Statement::Exit(condition) => {
                self.test(condition);
                self.leave("@P0 ");
            }
            Statement::Exchange { barriers, value, distance } => {
                self.line(&format!("ST.SHARED.W [R16], {}", register(Operand::Value(*value))));
                self.meet(barriers[0], "");
                self.neighbour(*value, *distance);
                self.meet(barriers[1], "");
            }
            Statement::Split { barrier, value, distance, transaction, work } => {
                self.line(&format!("ST.SHARED.W [R16], {}", register(Operand::Value(*value))));
                self.phase(*barrier, 0, transaction.then_some(*value), work);
                self.neighbour(*value, *distance);
                self.phase(*barrier, 1, None, &[]);
            }
            Statement::Sides { barriers, condition, value } => self.sides(*barriers, condition, *value),
            Statement::Gather { barrier } => self.meet(*barrier, ".IMPATIENT"),
            Statement::Section(section) => self.section(section),
        }
    }

    fn word(&mut self, space: &str, base: &str, cell: u8, value: u8, store: bool) {
        let (place, value) = (format!("[{base} + {}]", 4 * cell), register(Operand::Value(value)));
        match store {
            true => self.line(&format!("ST.{space}.W {place}, {value}")),
            false => self.line(&format!("LD.{space}.W {value}, {place}")),
        }
    }

    fn decision(&mut self, condition: &Condition, first: &[Statement], second: &[Statement]) {
        let (other, end) = (self.label(), self.label());
        self.test(condition);
        self.line(&format!("SSY     {end}"));
        self.line(&format!("@!P0 BRA {other}"));
        self.statements(first);
        self.line(&format!("SYNC    {end}"));
        self.place(&other);
        self.statements(second);
        self.line(&format!("SYNC    {end}"));
        self.place(&end);
    }

    fn repetition(&mut self, statement: &Statement) {
        let Statement::Loop { operand, mask, least, continues, yields, body } = statement else { return };
        let (head, next, done) = (self.label(), self.label(), self.label());
        let counter = format!("R{}", self.counters.max(20) + self.depth);
        self.line(&format!("AND     {counter}, {}, {mask}", register(*operand)));
        self.line(&format!("IADD    {counter}, {counter}, {least}"));
        self.line(&format!("PBK     {done}"));
        self.place(&head);
        self.line(&format!("ISETP.EQ.U P0, {counter}, 0"));
        self.line(&format!("@P0 BRK {done}"));
        self.line(&format!("ISUB    {counter}, {counter}, 1"));
        if *continues {
            self.line(&format!("PCNT    {next}"));
        }
        self.loops.push((done.clone(), continues.then(|| next.clone())));
        self.depth += 1;
        self.statements(body);
        self.depth -= 1;
        self.loops.pop();
        if *continues {
            self.line(&format!("CONT    {next}"));
            self.place(&next);
        }
        if *yields {
            self.line("YIELD");
        }
        self.line(&format!("BRA     {head}"));
        self.place(&done);
    }

    fn choice(&mut self, operand: Operand, cases: &[Vec<Statement>]) {
        let (table, end) = (self.label(), self.label());
        let labels: Vec<String> = cases.iter().map(|_| self.label()).collect();
        self.line(&format!("SSY     {end}"));
        self.line(&format!("AND     R8, {}, {}", register(operand), cases.len().saturating_sub(1)));
        self.line(&format!("BRX     R8, {table}"));
        self.place(&table);
        labels.iter().for_each(|label| self.line(&format!("BRA     {label}")));
        for (label, case) in labels.iter().zip(cases) {
            self.place(label);
            self.statements(case);
            self.line(&format!("SYNC    {end}"));
        }
        self.place(&end);
    }

    /// One phase of a split barrier. With a transaction the last thread stores its value once more, behind ARRIVE: only COMPLETE tells
    /// the others that it is there.
    fn phase(&mut self, barrier: u8, parity: u32, transaction: Option<u8>, work: &[Statement]) {
        let last = self.block_threads - 1;
        if transaction.is_some() {
            self.line(&format!("ISETP.EQ.U P0, R0, {last}"));
            self.line(&format!("MOV     R8, {parity}"));
            self.line(&format!("@P0 EXPECT {barrier}, R8, 1"));
        }
        self.line(&format!("ARRIVE  {barrier}"));
        self.statements(work);
        self.line(&format!("MOV     R8, {parity}"));
        if let Some(value) = transaction {
            self.line(&format!("ISETP.EQ.U P0, R0, {last}"));
            self.line(&format!("@P0 ST.SHARED.W [R16], {}", register(Operand::Value(value))));
            self.line(&format!("@P0 COMPLETE {barrier}, R8, 1"));
        }
        self.line(&format!("WAIT    {barrier}, R8"));
    }

    fn sides(&mut self, barriers: [u8; 2], condition: &Condition, value: u8) {
        let (other, end) = (self.label(), self.label());
        let value = register(Operand::Value(value));
        self.test(condition);
        self.line(&format!("SSY     {end}"));
        self.line(&format!("@!P0 BRA {other}"));
        for (barrier, side) in barriers.into_iter().zip([true, false]) {
            if !side {
                self.place(&other);
            }
            let first = (0..self.block_threads).find(|rank| condition.holds(*rank) == side).unwrap_or(0);
            self.line(&format!("MOV     R9, {}", 4 * self.block_threads + 4 * u32::from(barrier)));
            self.line(&format!("ISETP.EQ.U P0, R0, {first}"));
            self.line(&format!("@P0 ST.SHARED.W [R9], {value}"));
            self.meet(barrier, "");
            self.line(&format!("LD.SHARED.W {value}, [R9]"));
            self.line(&format!("SYNC    {end}"));
        }
        self.place(&end);
        // Nobody writes the word again before all have read it.
        self.meet(0, "");
    }

    fn section(&mut self, section: &Section) {
        let after = self.label();
        let guard = match &section.participants {
            Some(condition) => {
                self.test(condition);
                "@P0 "
            }
            None => "",
        };
        let suffix = |wanted: bool, text: &'static str| if wanted { text } else { "" };
        self.line(&format!(
            "{guard}BARRIER.{}{}{}{} {}, {after}",
            if section.ordered { "ORDERED" } else { "UNORDERED" },
            suffix(section.exclusive, ".EXCLUSIVE"),
            suffix(section.nonblocking, ".NONBLOCKING"),
            suffix(section.impatient, ".IMPATIENT"),
            section.barrier,
        ));
        self.statements(&section.body);
        let place = format!("[{} + {}]", if section.exclusive { "R19" } else { "R18" }, 4 * section.site);
        let value = register(Operand::Value(section.value));
        self.line(&format!("LD.GLOBAL.W R9, {place}"));
        match section.effect {
            Effect::Chain => {
                self.line(&format!("IMAD    R10, R9, 5, {value}"));
                self.line(&format!("MOV     {value}, R9"));
            }
            Effect::Add => self.line(&format!("IADD    R10, R9, {value}")),
            Effect::Toggle => self.line(&format!("XOR     R10, R9, {value}")),
            Effect::Raise => {
                self.line(&format!("ISETP.GT.U P0, R9, {value}"));
                self.line(&format!("SEL     R10, R9, {value}, P0"));
            }
        }
        self.line(&format!("ST.GLOBAL.W {place}, R10"));
        self.line(&format!("BARRIER.BOTTOM {}", section.barrier));
        self.place(&after);
    }
}
