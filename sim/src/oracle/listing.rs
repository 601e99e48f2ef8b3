//! Programs as text, for the person who looks at a failure.

use super::program::{Data, Goal, Instruction, Predicate, Program, Region};
use std::fmt::{self, Display, Formatter};

impl Display for Predicate {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        match self {
            Predicate::Always => Ok(()),
            Predicate::Below { register, modulus, bound } => write!(formatter, " if r{register} % {modulus} < {bound}"),
            Predicate::NotBelow { register, modulus, bound } => {
                write!(formatter, " if r{register} % {modulus} >= {bound}")
            }
            Predicate::Zero { register } => write!(formatter, " if r{register} == 0"),
            Predicate::NotZero { register } => write!(formatter, " if r{register} != 0"),
        }
    }
}

impl Display for Goal {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        match self {
            Goal::Address(address) => write!(formatter, " {address}"),
            Goal::Register(register) => write!(formatter, " r{register}"),
            Goal::Token => Ok(()),
        }
    }
}

impl Region {
    /// The mnemonics that open and leave it.
    pub const fn mnemonics(self) -> (&'static str, &'static str) {
        match self {
            Region::Sync => ("SSY", "SYNC"),
            Region::Break => ("PBK", "BRK"),
            Region::Continue => ("PCNT", "CONT"),
            Region::Exit => ("PEXIT", "EXIT"),
            Region::LongJump => ("PLONGJMP", "LONGJMP"),
            Region::Call => ("CAL", "RET"),
        }
    }
}

impl Display for Data {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        match self {
            Data::Mix { destination, left, right, .. } => write!(formatter, "r{destination} = mix(r{left}, r{right})"),
            Data::Set { destination, value } => write!(formatter, "r{destination} = {value}"),
            Data::Address { destination, address } => write!(formatter, "r{destination} = address {address}"),
            Data::Add { register, constant } => write!(formatter, "r{register} += {}", *constant as i32),
            Data::Reduce { destination, source, modulus, least } => {
                write!(formatter, "r{destination} = r{source} % {modulus} + {least}")
            }
            Data::Gate { destination, gate, source, modulus, bound } => {
                write!(formatter, "r{destination} = r{gate} != 0 and r{source} % {modulus} < {bound}")
            }
            Data::Choose { destination, source, table } => write!(formatter, "r{destination} = {table:?}[r{source}]"),
            Data::Store { index, source } => write!(formatter, "cell[r{index}] = r{source}"),
            Data::Load { destination, index } => write!(formatter, "r{destination} = cell[r{index}]"),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        match self {
            Instruction::Nothing => write!(formatter, "NOP"),
            Instruction::Data(data) => write!(formatter, "{data}"),
            Instruction::Push(region, address) => write!(formatter, "{} {address}", region.mnemonics().0),
            Instruction::Branch(predicate, address) => write!(formatter, "BRA {address}{predicate}"),
            Instruction::Indirect(predicate, register) => write!(formatter, "BRX r{register}{predicate}"),
            Instruction::Call(predicate, address, link) => write!(formatter, "CAL {address}, r{link}{predicate}"),
            Instruction::Leave(region, predicate, goal) => {
                write!(formatter, "{}{goal}{predicate}", region.mnemonics().1)
            }
            Instruction::Yield(predicate) => write!(formatter, "YIELD{predicate}"),
            Instruction::Exit(predicate) => write!(formatter, "EXIT{predicate}"),
        }
    }
}

impl Program {
    /// Its launch mask and its instructions, a line each, indented.
    pub fn listing(&self) -> String {
        let mut text = format!("    threads {:#x}, fuel {}, base {:#x}\n", self.threads, self.fuel, self.base);
        for (address, instruction) in self.code.iter().enumerate() {
            text += &format!("    {address:4}  {instruction}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::Class;
    use super::*;
    use expect_test::expect;

    /// XV-02: a shrunk program reads like assembly.
    #[test]
    fn xv_02_listing() {
        let code = vec![
            Instruction::Push(Region::Sync, 4),
            Instruction::Branch(Predicate::Below { register: 0, modulus: 2, bound: 1 }, 3),
            Instruction::Yield(Predicate::Zero { register: 3 }),
            Instruction::Leave(Region::Sync, Predicate::Always, Goal::Address(4)),
            Instruction::Leave(Region::Call, Predicate::NotZero { register: 1 }, Goal::Register(7)),
            Instruction::Data(Data::Add { register: 15, constant: u32::MAX }),
            Instruction::Exit(Predicate::Always),
        ];
        let program = Program { class: Class::Goto, threads: 0xf, base: 0, data_seed: 0, fuel: 2, code };
        expect![[r#"
            |    threads 0xf, fuel 2, base 0x0
            |       0  SSY 4
            |       1  BRA 3 if r0 % 2 < 1
            |       2  YIELD if r3 == 0
            |       3  SYNC 4
            |       4  RET r7 if r1 != 0
            |       5  r15 += -1
            |       6  EXIT
        "#]]
        .assert_eq(&program.listing().lines().map(|line| format!("|{line}\n")).collect::<String>());
    }
}
