//! Runs programs on an engine: fetches what the engine says, tells it what each instruction does, moves the data (XV-03).
//!
//! The engine holds several warps; each runs a program of its own, and a warp that ends takes the next. So one run exercises
//! a shared queue memory and re-launched warps as well.

pub mod core_runner;
pub mod subject;

use super::interpreter::{interpret, trace};
use super::program::{Goal, Instruction, Predicate, Program};
use super::thread::Thread;
use crate::engine::{Cause, Engine, Events, Mask, NodeCount, Operation, Request};
use serde::{Deserialize, Serialize};
use subject::Subject;

/// Cycles without an instruction after which an engine counts as stuck. The longest legal pause, a queue of a thousand spilled
/// tokens searched through a slow memory, is well below.
const PATIENCE: u64 = 100_000;

/// A program and its truth.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// The final state of its threads ([`super::interpreter::interpret`]).
    pub truth: &'a [(usize, Thread)],
}

/// What was done and what the engine reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions that warps issued.
    pub issued: u64,
    /// Instructions that threads ran.
    pub thread_steps: u64,
    /// Tokens that went into a queue.
    pub pushed: u64,
    /// Tokens that came out of one.
    pub popped: u64,
    /// Branches that diverged.
    pub diverged: u64,
    /// YIELDs, explicit or implicit, that disabled threads.
    pub yielded: u64,
    /// Of those, the merged ones.
    pub merged: u64,
    /// Tokens discarded by unwinds.
    pub discarded: u64,
    /// Windows recentered.
    pub recentered: u64,
    /// Windows spilled.
    pub spilled: u64,
    /// Windows refilled.
    pub refilled: u64,
    /// The most tokens that a warp held at once, or nodes beside its first.
    #[serde(default)]
    pub most_held: u64,
    /// The most nodes of the table that a warp's tree used at once (TD-07); zero on the other engines.
    #[serde(default)]
    pub most_nodes: u64,
    /// Instructions of a tree after which TD-07's bound was checked; the hardware tells nobody the bound.
    #[serde(default)]
    pub bounds_checked: u64,
}

impl Statistics {
    /// Adds another run's.
    pub fn add(&mut self, other: &Statistics) {
        let (most_held, most_nodes) = (self.most_held.max(other.most_held), self.most_nodes.max(other.most_nodes));
        for (mine, theirs) in self.counts_mut().into_iter().zip(other.counts()) {
            *mine.1 += theirs.1;
        }
        (self.most_held, self.most_nodes) = (most_held, most_nodes);
    }

    /// Every count with its name.
    pub fn counts(&self) -> [(&'static str, u64); 15] {
        let mut copy = *self;
        copy.counts_mut().map(|(name, count)| (name, *count))
    }

    fn counts_mut(&mut self) -> [(&'static str, &mut u64); 15] {
        [
            ("cycles", &mut self.cycles),
            ("instructions issued", &mut self.issued),
            ("thread instructions", &mut self.thread_steps),
            ("tokens pushed", &mut self.pushed),
            ("tokens popped", &mut self.popped),
            ("branches diverged", &mut self.diverged),
            ("yields", &mut self.yielded),
            ("yields merged", &mut self.merged),
            ("tokens discarded", &mut self.discarded),
            ("windows recentered", &mut self.recentered),
            ("windows spilled", &mut self.spilled),
            ("windows refilled", &mut self.refilled),
            ("most held by a warp", &mut self.most_held),
            ("most tree nodes of a warp", &mut self.most_nodes),
            ("bounds of TD-07 checked", &mut self.bounds_checked),
        ]
    }

    /// Counts what happened at an edge; `held` has the tokens of each warp.
    fn note(&mut self, events: &Events, held: &mut [u64]) {
        for &warp in &events.popped {
            held[warp] = held[warp].saturating_sub(1);
        }
        for &warp in &events.pushed {
            held[warp] += 1;
            self.most_held = self.most_held.max(held[warp]);
        }
        if let Some(count) = events.nodes {
            self.most_nodes = self.most_nodes.max(count.nodes);
            self.bounds_checked += u64::from(count.bound.is_some());
        }
        self.cycles += 1;
        self.pushed += events.pushed.len() as u64;
        self.popped += events.popped.len() as u64;
        self.diverged += u64::from(events.diverged);
        self.yielded += u64::from(events.yielded);
        self.merged += u64::from(events.merged);
        self.discarded += u64::from(events.discarded);
        for (cause, _) in &events.exceptions {
            match cause {
                Cause::Recenter => self.recentered += 1,
                Cause::Spill => self.spilled += 1,
                Cause::Refill => self.refilled += 1,
                Cause::Fatal | Cause::LostThread => {}
            }
        }
    }
}

/// How an engine went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// It stopped the warp.
    #[error("the engine stopped the warp at address {address:#x}: {cause:?}")]
    Stopped {
        /// Why, in the engine's opinion.
        cause: Cause,
        /// Where, counted from the program's first instruction.
        address: u32,
    },
    /// It halted the warp, and a thread is not where it is alone.
    #[error("thread {thread} differs from its run alone: {detail}")]
    Different {
        /// The thread.
        thread: usize,
        /// The first difference.
        detail: String,
    },
    /// The divergence pass, not the engine, is wrong.
    #[error("the divergence pass changed what thread {thread} does: {detail}")]
    Changed {
        /// The thread.
        thread: usize,
        /// The first difference.
        detail: String,
    },
    /// It ran threads more often than they run alone.
    #[error("the warp did not end after the {limit} instructions that its threads run altogether")]
    Endless {
        /// That number.
        limit: u64,
    },
    /// Its tree used more nodes than TD-07 allows.
    #[error("TD-07: a warp's tree has {nodes} nodes, {bound} allowed")]
    TooManyNodes {
        /// So many.
        nodes: u64,
        /// 2T - 1 for T threads, and one for each region in which nothing has diverged.
        bound: u64,
    },
    /// It said something senseless.
    #[error("the engine {0}")]
    Senseless(String),
    /// It let no warp issue for a long time.
    #[error("no warp issued anything for {0} cycles")]
    Stuck(u64),
}

/// A warp at work.
struct Running<'a> {
    job: usize,
    program: &'a Program,
    truth: &'a [(usize, Thread)],
    threads: Vec<Thread>,
    issued: u64,
    limit: u64,
    /// The addresses that one thread visited, if somebody wants to know.
    watched: Option<(usize, Vec<u32>)>,
}

impl<'a> Running<'a> {
    fn new(job: usize, of: &Job<'a>, watched: Option<usize>) -> Self {
        let threads = 0..64 - of.program.threads.leading_zeros() as usize;
        Self {
            job,
            program: of.program,
            truth: of.truth,
            threads: threads.map(|thread| Thread::new(of.program, thread)).collect(),
            issued: 0,
            limit: of.truth.iter().map(|(_, thread)| u64::from(thread.steps)).sum(),
            watched: watched.map(|thread| (thread, Vec::new())),
        }
    }

    /// Those of the active threads that fulfil a condition.
    fn select(&self, active: Mask, condition: impl Fn(&Thread) -> bool) -> Mask {
        let fulfils = |thread: &usize| active >> thread & 1 == 1 && condition(&self.threads[*thread]);
        (0..self.threads.len()).filter(fulfils).fold(0, |mask, thread| mask | 1 << thread)
    }

    /// The threads of a non-empty set that agree with its first one on a register, and the register's value.
    fn first_group(&self, threads: Mask, register: u8) -> (Mask, u32) {
        let value = self.threads[threads.trailing_zeros() as usize].get(register);
        (self.select(threads, |thread| thread.get(register) == value), value)
    }

    /// The engine's view of an instruction, and the threads that get past it in this pass.
    fn request(&self, warp: usize, instruction: &Instruction, active: Mask) -> (Request, Mask) {
        let named = |predicate: &Predicate| self.select(active, |thread| thread.meets(*predicate));
        let base = self.program.base;
        let request = |operation, mask, target: u32| Request {
            warp,
            operation,
            kind: None,
            mask,
            target: target.wrapping_add(base),
            targeted: false,
            again: false,
        };
        match instruction {
            Instruction::Nothing | Instruction::Data(_) => (request(Operation::Step, active, 0), active),
            Instruction::Push(region, target) => {
                (Request { kind: Some(region.kind()), ..request(Operation::Push, active, *target) }, active)
            }
            Instruction::Branch(predicate, target) => (request(Operation::Branch, named(predicate), *target), active),
            Instruction::Indirect(predicate, register) => match named(predicate) {
                0 => (request(Operation::Indirect, 0, 0), active),
                threads => {
                    let (group, target) = self.first_group(threads, *register);
                    (request(Operation::Indirect, group, target), group)
                }
            },
            Instruction::Call(predicate, target, _) => (request(Operation::Call, named(predicate), *target), active),
            Instruction::Leave(region, predicate, goal) => {
                let threads = named(predicate);
                let leave = |mask, target, targeted, again| Request {
                    kind: Some(region.kind()),
                    targeted,
                    again,
                    ..request(Operation::Leave, mask, target)
                };
                match goal {
                    Goal::Address(target) => (leave(threads, *target, true, false), active),
                    Goal::Register(register) if threads != 0 => {
                        let (group, target) = self.first_group(threads, *register);
                        let again = group != threads;
                        (leave(group, target, true, again), if again { group } else { active & !threads | group })
                    }
                    Goal::Register(_) => (leave(0, 0, true, false), active),
                    Goal::Token => (leave(threads, 0, false, false), active),
                }
            }
            Instruction::Yield(predicate) => (request(Operation::Yield, named(predicate), 0), active),
            Instruction::Exit(predicate) => (request(Operation::Exit, named(predicate), 0), active),
        }
    }

    /// What an accepted instruction does to the threads that got past it.
    fn commit(&mut self, address: u32, passed: Mask) {
        self.issued += 1;
        for number in (0..self.threads.len()).filter(|thread| passed >> thread & 1 == 1) {
            let thread = &mut self.threads[number];
            thread.visit(address);
            match &self.program.code[address as usize] {
                Instruction::Data(data) => thread.run(data),
                Instruction::Call(predicate, _, link) if thread.meets(*predicate) => thread.set(*link, address + 1),
                _ => {}
            }
            if let Some((_, addresses)) = self.watched.as_mut().filter(|(watched, _)| *watched == number) {
                addresses.push(address);
            }
        }
    }

    /// Compares the threads of a halted warp with their truth.
    fn judge(&self) -> Result<(), Wrong> {
        for (number, truth) in self.truth {
            let thread = &self.threads[*number];
            if thread != truth {
                let detail = format!("it ran {} instructions instead of {}", thread.steps, truth.steps);
                let same_length = thread.steps == truth.steps;
                let detail = if same_length { "the same number of instructions, but others".into() } else { detail };
                return Err(Wrong::Different { thread: *number, detail });
            }
        }
        Ok(())
    }
}

/// Runs all jobs on an engine that holds no running warp. An error carries the index of the job.
pub fn run(engine: &mut dyn Engine, jobs: &[Job]) -> Result<Statistics, (usize, Wrong)> {
    run_watched(engine, jobs, None).map(|(statistics, _)| statistics).map_err(|(job, wrong, _)| (job, wrong))
}

/// Runs one program and, if a thread goes astray, a second time to see where it left the path that it takes alone.
/// None if all is well, or the program has no truth.
pub fn explain(subject: &dyn Fn() -> Subject, program: &Program, limit: u32) -> Option<Wrong> {
    let truth = interpret(program, limit).ok()?;
    let job = Job { program, truth: &truth };
    let (_, wrong) = subject().run(&[job]).err()?;
    let Wrong::Different { thread, detail } = &wrong else { return Some(wrong) };
    let Err((_, _, seen)) = subject().run_watched(&[job], Some(*thread)) else { return Some(wrong) };
    let alone = trace(program, *thread, limit).ok()?;
    let place = seen.iter().zip(&alone).take_while(|(seen, alone)| seen == alone).count();
    let name = |path: &[u32]| path.get(place).map_or("has ended".to_string(), |address| format!("is at {address}"));
    let since = if place == 0 { "at its launch".into() } else { format!("after address {}", alone[place - 1]) };
    let detail = format!("{detail}; {since}, its step {place}, it {}, alone it {}", name(&seen), name(&alone));
    Some(Wrong::Different { thread: *thread, detail })
}

/// The job that went wrong, how, and the addresses that the watched thread visited in it.
type Astray = (usize, Wrong, Vec<u32>);

fn run_watched(
    engine: &mut dyn Engine,
    jobs: &[Job],
    watched: Option<usize>,
) -> Result<(Statistics, Vec<u32>), Astray> {
    let mut statistics = Statistics::default();
    let mut warps: Vec<Option<Running>> = (0..engine.configuration().warps).map(|_| None).collect();
    let mut waiting = jobs.iter().enumerate();
    let (mut last_issue, mut turn, mut held) = (0, 0, None);
    let mut tokens = vec![0; warps.len()];
    let mut finished = 0;
    while finished < jobs.len() {
        for (warp, slot) in warps.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
            let Some((index, job)) = waiting.next() else { break };
            engine.launch(warp, job.program.threads, job.program.base);
            *slot = Some(Running::new(index, job, watched));
            tokens[warp] = 0;
        }
        let ready = engine.ready();
        // A refused instruction is offered again before any other; else the warps take turns.
        let issuer = held.take().or_else(|| {
            let order = (0..warps.len()).map(|offset| (turn + offset) % warps.len());
            order.into_iter().find(|warp| ready >> warp & 1 == 1)
        });
        if let Some(warp) = issuer {
            let fetch = engine.fetch(warp);
            let Some(running) = warps[warp].as_mut() else {
                return Err((0, Wrong::Senseless(format!("offers warp {warp}, which does not run")), Vec::new()));
            };
            let address = fetch.address.wrapping_sub(running.program.base);
            let fail = |running: &mut Running, wrong| {
                Err((running.job, wrong, running.watched.take().map(|(_, addresses)| addresses).unwrap_or_default()))
            };
            let stray = fetch.active & !running.program.threads;
            if fetch.active == 0 || stray != 0 {
                let message = format!("runs the threads {:#x} of {:#x}", fetch.active, running.program.threads);
                return fail(running, Wrong::Senseless(message));
            }
            let Some(instruction) = running.program.code.get(address as usize) else {
                return fail(running, Wrong::Senseless(format!("left the code: address {address:#x}")));
            };
            if running.issued == running.limit {
                let limit = running.limit;
                return fail(running, Wrong::Endless { limit });
            }
            let (request, passed) = running.request(warp, instruction, fetch.active);
            if engine.offer(&request) {
                running.commit(address, passed);
                statistics.issued += 1;
                statistics.thread_steps += u64::from(passed.count_ones());
                last_issue = statistics.cycles;
                turn = (warp + 1) % warps.len();
            } else {
                held = Some(warp);
            }
        }
        let events = engine.tick();
        statistics.note(&events, &mut tokens);
        if let Some(NodeCount { warp, nodes, bound: Some(bound) }) = events.nodes {
            if nodes > bound {
                let job = warps[warp].as_ref().map_or(0, |running| running.job);
                return Err((job, Wrong::TooManyNodes { nodes, bound }, Vec::new()));
            }
        }
        for fault in &events.faults {
            if let Some(running) = warps[fault.warp].as_mut() {
                let address = fault.address.wrapping_sub(running.program.base);
                let addresses = running.watched.take().map(|(_, addresses)| addresses).unwrap_or_default();
                return Err((running.job, Wrong::Stopped { cause: fault.cause, address }, addresses));
            }
        }
        for warp in &events.done {
            if let Some(mut running) = warps[*warp].take() {
                let addresses = running.watched.take().map(|(_, addresses)| addresses).unwrap_or_default();
                running.judge().map_err(|wrong| (running.job, wrong, addresses))?;
                finished += 1;
                last_issue = statistics.cycles;
            }
        }
        if statistics.cycles - last_issue > PATIENCE {
            let job = warps.iter().flatten().next().map_or(0, |running| running.job);
            return Err((job, Wrong::Stuck(PATIENCE), Vec::new()));
        }
    }
    Ok((statistics, Vec::new()))
}
