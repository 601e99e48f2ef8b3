//! Random structured programs: what a compiler would emit for nested conditions, loops with break and continue, switches, calls,
//! recursion, long jumps and early exits, with YIELD strewn in (XV-03).
//!
//! A function is *plain* or *linked*. A plain one returns "to the token" (DQ-29 without a register); that is promised only as long as
//! none of its threads yields, explicitly or implicitly, so it holds no YIELD and leaves its regions in order. A linked one
//! keeps its return address in a register, as DQ-29 provides for code that may yield, and everything is allowed in it.
//! A quarter of the programs have no YIELD at all.

use super::program::{Class, Data, Goal, Instruction, Predicate, Program, Region};
use super::random::Builder;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Register with the address after the last call.
const LINK: u8 = 7;
/// Counters of nested loops.
const COUNTERS: [u8; 3] = [8, 9, 10];
/// Calls that a recursive function may still make.
const RECURSION: u8 = 11;
/// Where the stack of saved registers ends, a cell's number.
const STACK: u8 = 12;
/// Address of the long jump's handler, 0 for none.
const HANDLER: u8 = 13;
/// For a moment's use.
const SCRATCH: u8 = 14;

/// A random structured program for a warp of `threads`.
pub fn generate(random: &mut ChaCha8Rng, threads: usize) -> Program {
    let mut builder = Builder::new(random);
    let exit = builder.chance(50).then(|| builder.label());
    let yields = builder.chance(75);
    let functions = (0..builder.random.random_range(0..4_usize))
        .map(|_| Function {
            entry: builder.label(),
            plain: !yields || builder.chance(40),
            recursive: builder.chance(35),
            used: false,
        })
        .collect();
    let budget = builder.random.random_range(10..90);
    let mut generator = Generator { builder, functions, exit, yields, budget };
    generator.main();
    generator.builder.finish(Class::Structured, threads, 0)
}

struct Function {
    entry: u32,
    plain: bool,
    recursive: bool,
    used: bool,
}

/// Where a statement stands.
#[derive(Clone)]
struct Scope {
    /// The function's index; none for the main program.
    function: Option<usize>,
    /// Yields are allowed, and with them everything that may lose a region.
    loose: bool,
    /// Exit and next label of the loops around, innermost last; the next label only if the loop has a continue region.
    loops: Vec<(u32, Option<u32>)>,
    /// End of the innermost condition or switch.
    end: Option<u32>,
    /// Handler of the innermost long jump region, in the main program.
    handler: Option<u32>,
    /// Registers that the main program has on the stack.
    saved: u32,
    /// Statements around.
    nesting: usize,
}

struct Generator<'r> {
    builder: Builder<'r>,
    functions: Vec<Function>,
    exit: Option<u32>,
    yields: bool,
    budget: i32,
}

impl Generator<'_> {
    fn main(&mut self) {
        if let Some(exit) = self.exit {
            self.builder.emit(Instruction::Push(Region::Exit, exit));
        }
        let scope =
            Scope { function: None, loose: self.yields, loops: vec![], end: None, handler: None, saved: 0, nesting: 0 };
        while self.budget > 0 {
            self.statement(&scope);
        }
        self.leave_program(Predicate::Always);
        if let Some(exit) = self.exit {
            self.builder.place(exit);
            self.builder.mix();
            self.builder.emit(Instruction::Exit(Predicate::Always));
        }
        for index in 0..self.functions.len() {
            if self.functions[index].used {
                self.function(index);
            }
        }
    }

    /// EXIT, through the handler if there is one.
    fn leave_program(&mut self, predicate: Predicate) {
        match self.exit {
            Some(exit) if self.builder.chance(80) => {
                self.builder.emit(Instruction::Leave(Region::Exit, predicate, Goal::Address(exit)));
            }
            _ => self.builder.emit(Instruction::Exit(predicate)),
        }
    }

    fn function(&mut self, index: usize) {
        let Function { entry, plain, recursive, .. } = self.functions[index];
        let scope = Scope {
            function: Some(index),
            loose: self.yields && !plain,
            loops: vec![],
            end: None,
            handler: None,
            saved: 0,
            nesting: 1,
        };
        self.builder.place(entry);
        let saved = [COUNTERS[0], COUNTERS[1], COUNTERS[2], RECURSION, LINK];
        saved.iter().for_each(|register| self.save(*register));
        self.budget = self.builder.random.random_range(2..18);
        if recursive {
            let (end, work) = (self.builder.label(), self.builder.label());
            self.builder.emit(Instruction::Push(Region::Sync, end));
            self.builder.emit(Instruction::Branch(Predicate::NotZero { register: RECURSION }, work));
            self.sync(Predicate::Always, end);
            self.builder.place(work);
            self.statement(&scope);
            for _ in 0..self.builder.random.random_range(1..3) {
                self.builder.data(Data::Add { register: RECURSION, constant: u32::MAX });
                self.builder.emit(Instruction::Call(Predicate::Always, entry, LINK));
                self.builder.data(Data::Add { register: RECURSION, constant: 1 });
                self.statement(&scope);
            }
            self.sync(Predicate::Always, end);
            self.builder.place(end);
        }
        while self.budget > 0 {
            self.statement(&scope);
        }
        saved.iter().rev().for_each(|register| self.restore(*register));
        let goal = if plain { Goal::Token } else { Goal::Register(LINK) };
        self.builder.emit(Instruction::Leave(Region::Call, Predicate::Always, goal));
    }

    fn save(&mut self, register: u8) {
        self.builder.data(Data::Store { index: STACK, source: register });
        self.builder.data(Data::Add { register: STACK, constant: 1 });
    }

    fn restore(&mut self, register: u8) {
        self.builder.data(Data::Add { register: STACK, constant: u32::MAX });
        self.builder.data(Data::Load { destination: register, index: STACK });
    }

    fn sync(&mut self, predicate: Predicate, end: u32) {
        self.builder.emit(Instruction::Leave(Region::Sync, predicate, Goal::Address(end)));
    }

    fn statements(&mut self, scope: &Scope) {
        let inner = Scope { nesting: scope.nesting + 1, ..scope.clone() };
        for _ in 0..self.builder.random.random_range(1..4) {
            self.statement(&inner);
        }
    }

    fn statement(&mut self, scope: &Scope) {
        self.budget -= 1;
        if scope.loose && self.builder.chance(12) {
            let predicate = if self.builder.chance(60) { Predicate::Always } else { self.builder.condition(50) };
            self.builder.emit(Instruction::Yield(predicate));
        }
        let deep = scope.nesting > 5 || self.budget < 0;
        match self.builder.random.random_range(0..100) {
            0..=21 if !deep => self.condition(scope),
            22..=37 if !deep && scope.loops.len() < COUNTERS.len() => self.loop_(scope),
            38..=45 if !deep => self.switch(scope),
            46..=57 => self.call(scope),
            58..=62 if scope.function.is_none() && !deep => self.long_jump_region(scope),
            63..=67 if scope.function.is_some() || scope.handler.is_some() => self.throw(scope),
            68..=77 if !scope.loops.is_empty() => self.break_or_continue(scope),
            78..=81 => {
                if let Some(end) = scope.end {
                    let some = self.builder.condition(30);
                    self.sync(some, end);
                }
            }
            82..=83 => {
                let few = self.builder.condition(10);
                self.leave_program(few);
            }
            _ => self.builder.mix(),
        }
    }

    fn condition(&mut self, scope: &Scope) {
        let (end, other) = (self.builder.label(), self.builder.label());
        let inner = Scope { end: Some(end), ..scope.clone() };
        self.builder.emit(Instruction::Push(Region::Sync, end));
        let percent = self.builder.pick(&[20, 50, 50, 80]);
        let predicate = self.builder.condition(percent);
        self.builder.emit(Instruction::Branch(predicate, other));
        self.statements(&inner);
        self.sync(Predicate::Always, end);
        self.builder.place(other);
        if self.builder.chance(60) {
            self.statements(&inner);
        }
        self.sync(Predicate::Always, end);
        self.builder.place(end);
    }

    /// PBK, then a body that runs one to four times, a number of each thread's own.
    fn loop_(&mut self, scope: &Scope) {
        let (head, exit) = (self.builder.label(), self.builder.label());
        let next = self.builder.chance(50).then(|| self.builder.label());
        let counter = COUNTERS[scope.loops.len()];
        let source = self.builder.value_register();
        let modulus = self.builder.random.random_range(1..5);
        self.builder.data(Data::Reduce { destination: counter, source, modulus, least: 1 });
        self.builder.emit(Instruction::Push(Region::Break, exit));
        self.builder.place(head);
        if let Some(next) = next {
            self.builder.emit(Instruction::Push(Region::Continue, next));
        }
        let mut inner = scope.clone();
        inner.loops.push((exit, next));
        self.statements(&inner);
        if let Some(next) = next {
            self.builder.emit(Instruction::Leave(Region::Continue, Predicate::Always, Goal::Address(next)));
            self.builder.place(next);
        }
        if scope.loose && self.builder.chance(50) {
            self.builder.emit(Instruction::Yield(Predicate::Always));
        }
        self.builder.data(Data::Add { register: counter, constant: u32::MAX });
        let leave = |predicate| Instruction::Leave(Region::Break, predicate, Goal::Address(exit));
        if self.builder.chance(50) {
            self.builder.emit(leave(Predicate::Zero { register: counter }));
            self.builder.emit(Instruction::Branch(Predicate::Always, head));
        } else {
            self.builder.emit(Instruction::Branch(Predicate::NotZero { register: counter }, head));
            self.builder.emit(leave(Predicate::Always));
        }
        self.builder.place(exit);
    }

    /// BRX over a table; threads that the predicate leaves out take the default.
    fn switch(&mut self, scope: &Scope) {
        let end = self.builder.label();
        let inner = Scope { end: Some(end), ..scope.clone() };
        let cases: Vec<_> = (0..self.builder.random.random_range(1..5)).map(|_| self.builder.label()).collect();
        self.builder.emit(Instruction::Push(Region::Sync, end));
        let source = self.builder.value_register();
        self.builder.data(Data::Choose { destination: SCRATCH, source, table: cases.clone() });
        let predicate = if self.builder.chance(60) { Predicate::Always } else { self.builder.condition(80) };
        self.builder.emit(Instruction::Indirect(predicate, SCRATCH));
        self.builder.mix();
        self.sync(Predicate::Always, end);
        for case in cases {
            self.builder.place(case);
            self.statements(&inner);
            // A case may fall through to the next one.
            if self.builder.chance(80) {
                self.sync(Predicate::Always, end);
            }
        }
        self.sync(Predicate::Always, end);
        self.builder.place(end);
    }

    /// A call of a function further on, so that only recursive functions come back to themselves, and those only so often.
    fn call(&mut self, scope: &Scope) {
        let caller = scope.function.map(|index| &self.functions[index]);
        let in_recursion = caller.is_some_and(|function| function.recursive);
        let in_plain = caller.is_some_and(|function| function.plain);
        let first = scope.function.map_or(0, |index| index + 1);
        let callable = |index: &usize| {
            let callee = &self.functions[*index];
            // A plain function stays plain all the way down; a recursive one needs its counter for itself.
            (callee.plain || !in_plain) && !(callee.recursive && in_recursion)
        };
        let candidates: Vec<_> = (first..self.functions.len()).filter(callable).collect();
        if candidates.is_empty() || scope.loops.len() > 1 {
            return self.builder.mix();
        }
        let callee = self.builder.pick(&candidates);
        self.functions[callee].used = true;
        if self.functions[callee].recursive {
            let source = self.builder.value_register();
            self.builder.data(Data::Reduce { destination: RECURSION, source, modulus: 4, least: 0 });
        }
        let predicate = if self.builder.chance(60) { Predicate::Always } else { self.builder.condition(50) };
        self.builder.emit(Instruction::Call(predicate, self.functions[callee].entry, LINK));
    }

    /// PLONGJMP around some statements; the handler follows them and restores what a jump out of a function left behind.
    fn long_jump_region(&mut self, scope: &Scope) {
        let handler = self.builder.label();
        let saved = [COUNTERS[0], COUNTERS[1], COUNTERS[2], HANDLER];
        let inner = Scope {
            handler: Some(handler),
            saved: scope.saved + saved.len() as u32,
            // Nobody leaves for a region outside: the handler has to restore the registers first.
            loops: vec![],
            end: None,
            ..scope.clone()
        };
        saved.iter().for_each(|register| self.save(*register));
        self.builder.emit(Instruction::Push(Region::LongJump, handler));
        self.builder.data(Data::Address { destination: HANDLER, address: handler });
        self.statements(&inner);
        self.jump_to_handler(Predicate::Always, Some(handler));
        self.builder.place(handler);
        self.builder.data(Data::Set { destination: STACK, value: inner.saved });
        saved.iter().rev().for_each(|register| self.restore(*register));
    }

    /// A long jump of some threads: by register out of a function, and only if there is a handler.
    fn throw(&mut self, scope: &Scope) {
        let source = self.builder.value_register();
        self.builder.data(Data::Gate { destination: SCRATCH, gate: HANDLER, source, modulus: 8, bound: 1 });
        self.jump_to_handler(Predicate::NotZero { register: SCRATCH }, scope.handler);
    }

    fn jump_to_handler(&mut self, predicate: Predicate, handler: Option<u32>) {
        let goal = match handler {
            _ if !self.yields && self.builder.chance(50) => Goal::Token,
            Some(handler) if self.builder.chance(50) => Goal::Address(handler),
            _ => Goal::Register(HANDLER),
        };
        self.builder.emit(Instruction::Leave(Region::LongJump, predicate, goal));
    }

    fn break_or_continue(&mut self, scope: &Scope) {
        let predicate = self.builder.condition(30);
        // Out of an outer loop: its region is not the frontmost of its kind, which costs an implicit yield (DQ-28).
        let outer = scope.loose && self.builder.chance(30);
        let depth = if outer { self.builder.random.random_range(0..scope.loops.len()) } else { scope.loops.len() - 1 };
        let (exit, next) = scope.loops[depth];
        match next {
            Some(next) if self.builder.chance(50) => {
                self.builder.emit(Instruction::Leave(Region::Continue, predicate, Goal::Address(next)));
            }
            _ => self.builder.emit(Instruction::Leave(Region::Break, predicate, Goal::Address(exit))),
        }
    }
}
