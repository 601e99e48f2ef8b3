//! Makes a failing program smaller while it keeps failing (XV-02): fewer threads, instructions replaced by nothing, predicates
//! dropped, and in the end the nothings taken out.

use super::program::{Instruction, Predicate, Program};

/// Candidates that are tried at most; each costs a run on a fresh engine.
const MOST_CANDIDATES: usize = 4000;

/// The smallest failing program found. `fails` has to be true for the program itself.
pub fn shrink(program: &Program, fails: impl FnMut(&Program) -> bool) -> Program {
    let mut shrinker = Shrinker { best: program.clone(), fails, left: MOST_CANDIDATES };
    loop {
        let before = shrinker.best.clone();
        shrinker.fewer_threads();
        shrinker.fewer_instructions();
        shrinker.simpler_instructions();
        if shrinker.best == before || shrinker.left == 0 {
            break;
        }
    }
    shrinker.try_candidate(Program { base: 0, ..shrinker.best.clone() });
    shrinker.close_up();
    shrinker.best
}

struct Shrinker<F> {
    best: Program,
    fails: F,
    left: usize,
}

impl<F: FnMut(&Program) -> bool> Shrinker<F> {
    fn try_candidate(&mut self, candidate: Program) -> bool {
        if self.left == 0 || candidate == self.best {
            return false;
        }
        self.left -= 1;
        let smaller = (self.fails)(&candidate);
        if smaller {
            self.best = candidate;
        }
        smaller
    }

    fn fewer_threads(&mut self) {
        for width in [32, 16, 8, 4, 2, 1] {
            for start in (0..64).step_by(width) {
                let dropped = (u64::MAX >> (64 - width)) << start;
                let threads = self.best.threads & !dropped;
                if threads != 0 {
                    self.try_candidate(Program { threads, ..self.best.clone() });
                }
            }
        }
    }

    fn fewer_instructions(&mut self) {
        let mut width = self.best.code.len().next_power_of_two();
        while width > 0 {
            for start in (0..self.best.code.len()).step_by(width) {
                let mut candidate = self.best.clone();
                let end = (start + width).min(candidate.code.len());
                candidate.code[start..end].fill(Instruction::Nothing);
                self.try_candidate(candidate);
            }
            width /= 2;
        }
    }

    fn simpler_instructions(&mut self) {
        for place in 0..self.best.code.len() {
            let mut candidate = self.best.clone();
            if let Some(predicate) = candidate.code[place].predicate_mut() {
                *predicate = Predicate::Always;
                self.try_candidate(candidate);
            }
        }
        for fuel in 0..self.best.fuel {
            if self.try_candidate(Program { fuel, ..self.best.clone() }) {
                break;
            }
        }
    }

    /// Takes out the instructions that do nothing, one at a time from the end, moving all addresses behind them.
    fn close_up(&mut self) {
        for place in (0..self.best.code.len()).rev() {
            if self.best.code[place] == Instruction::Nothing {
                let mut candidate = self.best.clone();
                candidate.code.remove(place);
                for address in candidate.code.iter_mut().flat_map(Instruction::addresses_mut) {
                    *address -= u32::from(*address as usize > place);
                }
                self.try_candidate(candidate);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{Class, Region};
    use super::*;

    /// XV-02: what has nothing to do with the failure goes, what it needs stays, and addresses follow the code.
    #[test]
    fn xv_02_keeps_only_what_fails() {
        let mut code = vec![Instruction::Yield(Predicate::Zero { register: 1 }); 20];
        code.push(Instruction::Push(Region::Break, 21));
        code.push(Instruction::Exit(Predicate::Always));
        let program = Program { class: Class::Goto, threads: 0xffff, base: 77, data_seed: 3, fuel: 9, code };
        let needs = |candidate: &Program| {
            let push = candidate.code.iter().position(|instruction| matches!(instruction, Instruction::Push(..)));
            let ends = |push: usize| candidate.code.get(push + 1) == Some(&Instruction::Exit(Predicate::Always));
            candidate.threads & 0x20 != 0 && candidate.fuel >= 4 && push.is_some_and(ends)
        };
        let smallest = shrink(&program, needs);
        let code = vec![Instruction::Push(Region::Break, 1), Instruction::Exit(Predicate::Always)];
        assert_eq!(smallest, Program { threads: 0x20, base: 0, fuel: 4, code, ..program });
    }
}
