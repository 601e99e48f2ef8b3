//! One mutant in one module, and what abc says of it: the circuits of [`Circuit`] written, asked, and the answers understood.

use super::circuit::Circuit;
use super::equivalence::Verdict;
use crate::error::{Error, Result};
use crate::tools;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Registers of two copies, what is equal in both counted once, up to which the set of reachable states is small enough.
const FEW_REGISTERS: usize = 100;

/// `pdr` has one of so many parts of the limit where another method is likely to be sooner.
const QUICK: u32 = 8;

/// What abc may take beyond the limit that it was told, to read, write and say so.
const GRACE: Duration = Duration::from_secs(5);

/// Where what a mutant changes may be kept without being seen. The less there is the smaller is the circuit, and the fewer can be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In no register: outputs and next states are the same in all states that the whole block comes to.
    Nowhere,
    /// In the registers that load it.
    Nearby,
    /// In those that can load it in some state, or something that such a one keeps.
    Somewhere,
    /// In any that it is wired to.
    Anywhere,
}

impl Kept {
    /// The cheapest first.
    pub const ALL: [Kept; 4] = [Kept::Nowhere, Kept::Nearby, Kept::Somewhere, Kept::Anywhere];
}

/// What a search for inputs comes to.
pub(super) enum Found {
    /// There are none.
    Nothing,
    /// These; those behind the last may be anything.
    Inputs(Vec<bool>),
    /// The time was over.
    Undecided,
}

/// One mutant in one module.
pub struct Attempt<'a> {
    /// The program.
    pub abc: &'a Path,
    /// Where it works.
    pub folder: &'a Path,
    /// Of its files.
    pub name: &'a str,
    /// The module, with all mutants.
    pub circuit: &'a Circuit,
    /// Whether it is a part of the block.
    pub part: bool,
    /// The mutant.
    pub number: u32,
    /// What each question may take.
    pub limit: Duration,
}

impl Attempt<'_> {
    /// What the method for what is `kept` says.
    ///
    /// # Errors
    /// A tool that fails.
    pub fn decide(&self, kept: Kept) -> Result<Verdict> {
        let circuit = self.circuit;
        if kept == Kept::Nowhere && !circuit.is_constrained() {
            let Some(functions) = circuit.functions(self.number) else { return Ok(Verdict::SameFunction) };
            let said = self.ask("functions", &functions, "iprove")?;
            if said.is_some_and(|said| said.contains("UNSATISFIABLE")) {
                return Ok(Verdict::SameFunction);
            }
        }
        let Some(runs) = self.runs(kept)? else { return Ok(Verdict::Undecided) };
        // What is known makes much of a circuit the same, which induction finds out sooner than `pdr`; that is asked by `at_once` before.
        if self.searches(kept) {
            return self.merged(&runs);
        }
        let verdict = self.method("runs", &runs, "pdr", self.limit)?;
        match verdict {
            Verdict::Undecided if kept == Kept::Anywhere && !self.part => self.merged(&runs),
            _ => Ok(verdict),
        }
    }

    /// What `pdr` says soon, of what [`decide`](Self::decide) has to search in first; of other methods nothing.
    ///
    /// # Errors
    /// A tool that fails.
    pub fn at_once(&self, kept: Kept) -> Result<Verdict> {
        match self.searches(kept).then(|| self.runs(kept)).transpose()?.flatten() {
            Some(runs) => self.method("runs", &runs, "pdr", self.limit / QUICK),
            None => Ok(Verdict::Undecided),
        }
    }

    /// Whether the method for what is `kept` searches for what is equal before it asks anything else.
    fn searches(&self, kept: Kept) -> bool {
        matches!(kept, Kept::Nowhere | Kept::Nearby) && self.circuit.is_constrained()
    }

    /// The circuit that the method for what is `kept` asks about; nothing if it takes too long to know it, or another method has asked that.
    fn runs(&self, kept: Kept) -> Result<Option<Vec<u8>>> {
        let circuit = self.circuit;
        let mut apart = vec![false; circuit.registers()];
        match kept {
            Kept::Nowhere => return Ok(Some(circuit.runs(self.number, &apart, self.part))),
            Kept::Somewhere => match self.somewhere()? {
                Some(registers) => apart = registers,
                None => return Ok(None),
            },
            Kept::Nearby | Kept::Anywhere => loop {
                let more = circuit.touched(self.number, &apart);
                let grown = more != apart;
                apart = more;
                if !grown || kept == Kept::Nearby {
                    break;
                }
            },
        }
        // What is kept nowhere has been tried.
        let tried = kept != Kept::Anywhere && !apart.contains(&true);
        Ok((!tried).then(|| circuit.runs(self.number, &apart, self.part)))
    }

    /// The registers to which the mutant can come, from states in which those may differ to which it came before; nothing if that takes too long. A question
    /// tells at least one of them.
    pub(super) fn somewhere(&self) -> Result<Option<Vec<bool>>> {
        let mut apart = vec![false; self.circuit.registers()];
        let until = Instant::now() + self.limit;
        while Instant::now() < until {
            let Some(circuit) = self.circuit.spread(self.number, &apart) else { return Ok(Some(apart)) };
            match self.search("spread", &circuit)? {
                Found::Nothing => return Ok(Some(apart)),
                Found::Inputs(inputs) => {
                    let more = self.circuit.spread_to(self.number, &apart, &inputs);
                    if !more.contains(&true) {
                        return Ok(None);
                    }
                    apart.iter_mut().zip(more).for_each(|(apart, more)| *apart |= more);
                }
                Found::Undecided => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Inputs for which a circuit without registers is true.
    ///
    /// # Errors
    /// A tool that fails.
    pub(super) fn search(&self, name: &str, circuit: &[u8]) -> Result<Found> {
        let model = format!("{name}_{}_{}.txt", self.name, self.number);
        let path = self.folder.join(&model);
        match self.ask(name, circuit, &format!("iprove; write_cex {model}"))? {
            Some(said) if said.contains("UNSATISFIABLE") => Ok(Found::Nothing),
            Some(said) if said.contains("SATISFIABLE") => {
                let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
                Ok(Found::Inputs(text.chars().take_while(|bit| "01".contains(*bit)).map(|bit| bit == '1').collect()))
            }
            _ => Ok(Found::Undecided),
        }
    }

    /// Whether a circuit of [`Circuit::runs`] is ever true, behind a search for what is equal.
    fn merged(&self, circuit: &[u8]) -> Result<Verdict> {
        let merged = format!("merged_{}_{}.aig", self.name, self.number);
        let bytes = match self.ask("whole", circuit, &format!("scorr; write_aiger {merged}"))? {
            Some(_) => {
                let path = self.folder.join(&merged);
                fs::read(&path).map_err(Error::file(&path))?
            }
            None => circuit.to_vec(),
        };
        let (registers, _) = shape(&bytes)
            .ok_or_else(|| Error::Internal { place: merged, cause: "abc wrote a circuit that is no AIGER".into() })?;
        if (1..=FEW_REGISTERS).contains(&registers) {
            let verdict = self.method("rest", &bytes, "reach", self.limit)?;
            if verdict != Verdict::Undecided {
                return Ok(verdict);
            }
        }
        self.method("rest", &bytes, "pdr", self.limit)
    }

    /// Whether a circuit of [`Circuit::runs`] is ever true, as far as `limit` tells.
    fn method(&self, name: &str, circuit: &[u8], method: &str, limit: Duration) -> Result<Verdict> {
        // Of what is plainly never true abc has nothing to say.
        if shape(circuit).is_some_and(|(_, output)| output == 0) {
            return Ok(Verdict::SameFromReset);
        }
        let said = self.ask(name, circuit, &format!("{method} -T {}", limit.as_secs().max(1)))?;
        Ok(said.and_then(|said| verdict_of(&said)).unwrap_or(Verdict::Undecided))
    }

    /// What abc says to `commands` about a circuit, if it ends in time.
    pub(super) fn ask(&self, name: &str, circuit: &[u8], commands: &str) -> Result<Option<String>> {
        let Self { abc, folder, .. } = *self;
        let file = format!("{name}_{}_{}.aig", self.name, self.number);
        fs::write(folder.join(&file), circuit).map_err(Error::file(folder))?;
        let commands = format!("read {file}; strash; {commands}");
        // Not all commands of abc know a limit of their own; one that does ends by it, with what it has found.
        let doing = ("abc cannot read the circuit", self.limit + GRACE);
        tools::run_within("yosys-abc", abc, folder, &["-c", &commands], doing)
    }
}

/// What abc says of a property, if it came to an end.
fn verdict_of(said: &str) -> Option<Verdict> {
    let proved = ["Property proved", "proved unreachable"].iter().any(|words| said.contains(words));
    let different = said.contains("was asserted in frame");
    match (proved, different) {
        (true, _) => Some(Verdict::SameFromReset),
        (_, true) => Some(Verdict::Different),
        _ => None,
    }
}

/// How many registers a binary AIGER file has, and what its first output is: 0 for what is never true.
fn shape(bytes: &[u8]) -> Option<(usize, u32)> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).ok());
    let registers = lines.next()??.strip_prefix("aig ")?.split(' ').nth(2)?.parse().ok()?;
    Some((registers, lines.nth(registers)??.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-12: what the methods of abc say is understood, and nothing else is taken for a proof.
    #[test]
    fn xv_12_only_proofs_are_proofs() {
        let verdicts = [
            (
                "The miter is proved unreachable after 129 iterations.  Time =     1.48 sec",
                Some(Verdict::SameFromReset),
            ),
            ("Invariant F[4] : 8 clauses\nProperty proved.  Time = 0.00 sec", Some(Verdict::SameFromReset)),
            ("Output 0 of miter \"one\" was asserted in frame 66. Time = 1.11 sec", Some(Verdict::Different)),
            ("Reached timeout (60 seconds) in frame 21.", None),
            ("Property UNDECIDED.", None),
        ];
        verdicts.into_iter().for_each(|(said, verdict)| assert_eq!(verdict_of(said), verdict, "{said}"));
        assert_eq!(shape(b"aig 5 2 1 1 2\n1\n7\n\x80"), Some((1, 7)));
        assert_eq!(shape(b"aig 2 2 0 1 0\n0\n"), Some((0, 0)));
        assert_eq!(shape(b"p cnf"), None);
    }
}
