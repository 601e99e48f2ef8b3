//! Random programs on a whole control core (XV-03): each a grid of one block of one warp, encoded as instructions that the core decodes itself.
//!
//! The core decides which program runs on which warp, and which of them issues when; the runner answers for instruction store and lanes. A
//! block starts with all threads of its warp: two instructions in front of the program let those exit that it does not want.

use super::{Astray, Job, Running, Statistics, Wrong, PATIENCE};
use crate::control_core::{Answer, ControlCore, Decision, Inputs, Looked, Offered, Setup};
use crate::engine::{Configuration, Mask};
use crate::isa::{encode, Action, ControlOpcode, Guard, Instruction as Word, Source, PROGRAM_LIMIT};
use crate::lanes::LaneAnswer;
use crate::launch::{Grid, PrioritizedGrid};
use crate::machine::SchedulerPolicy;
use crate::oracle::program::{Goal, Instruction, Predicate, Program, Region};

/// Names of grids, 8 bits.
const NAMES: usize = 256;
/// Priorities of grids: more than there are warps, few enough for 6 bits.
const PRIORITIES: u16 = 37;

/// Instructions in front of a program.
const PROLOGUE: u32 = 2;

/// Where the instructions in front of a program lie: behind it, or, where the program ends the code, before it.
fn prologue(program: &Program) -> u32 {
    let behind = program.base + program.code.len() as u32;
    match (behind + PROLOGUE) as usize <= PROGRAM_LIMIT {
        true => behind,
        false => program.base - PROLOGUE,
    }
}

/// A control instruction with an address, which may have a guard.
fn control(opcode: ControlOpcode, guarded: bool, address: u32) -> Word {
    let guard = if guarded { Guard { predicate: 0, negate: false } } else { Guard::ALWAYS };
    Word { guard, b: Source::Immediate(address), ..Word::new(Action::Control(opcode)) }
}

/// The opcodes that open and leave a region.
const fn opcodes(region: Region) -> (ControlOpcode, ControlOpcode) {
    match region {
        Region::Sync => (ControlOpcode::Ssy, ControlOpcode::Sync),
        Region::Break => (ControlOpcode::Pbk, ControlOpcode::Brk),
        Region::Continue => (ControlOpcode::Pcnt, ControlOpcode::Cont),
        Region::Exit => (ControlOpcode::Pexit, ControlOpcode::Exit),
        Region::LongJump => (ControlOpcode::Plongjmp, ControlOpcode::Longjmp),
        Region::Call => (ControlOpcode::Cal, ControlOpcode::Ret),
    }
}

/// An instruction of a program as the core decodes it. Which threads it names is the lanes' to say, whatever its guard.
fn word(instruction: &Instruction, base: u32) -> Word {
    let at = |address: u32| address.wrapping_add(base);
    let guarded = |predicate: &Predicate| *predicate != Predicate::Always;
    match instruction {
        Instruction::Nothing | Instruction::Data(_) => Word::new(Action::Nothing),
        Instruction::Push(region, address) => control(opcodes(*region).0, false, at(*address)),
        Instruction::Branch(predicate, address) => control(ControlOpcode::Bra, guarded(predicate), at(*address)),
        Instruction::Indirect(predicate, _) => control(ControlOpcode::Brx, guarded(predicate), 0),
        Instruction::Call(predicate, address, _) => control(ControlOpcode::Cal, guarded(predicate), at(*address)),
        Instruction::Leave(region, predicate, goal) => {
            let address = if let Goal::Address(address) = goal { at(*address) } else { 0 };
            // The optional operand: a register of RET and LONGJMP, an address of EXIT.
            let optional = matches!(region, Region::Call | Region::LongJump | Region::Exit) && *goal != Goal::Token;
            Word { optional, ..control(opcodes(*region).1, guarded(predicate), address) }
        }
        Instruction::Yield(predicate) => control(ControlOpcode::Yield, guarded(predicate), 0),
        Instruction::Exit(predicate) => control(ControlOpcode::Exit, guarded(predicate), 0),
    }
}

/// What is looked at: an instruction of the program, and the threads that get past it; or one in front of it.
enum Place {
    Front,
    Program { address: u32, passed: Mask },
}

/// The answer of instruction store and lanes to what a core looks at.
fn answer(running: &Running, looked: &Looked) -> Result<(Answer, Place), Wrong> {
    let Looked { warp, address, active } = *looked;
    let program = running.program;
    let answered = |word: Word, lanes: LaneAnswer, place: Place| Ok((Answer { word: encode(&word), lanes }, place));
    let all = |named: Mask| LaneAnswer { named, agreeing: named, ..LaneAnswer::default() };
    match address.wrapping_sub(prologue(program)) {
        0 => return answered(control(ControlOpcode::Exit, true, 0), all(active & !program.threads), Place::Front),
        1 => return answered(control(ControlOpcode::Jmp, false, program.base), all(active), Place::Front),
        _ => {}
    }
    let place = address.wrapping_sub(program.base);
    let stray = active & !program.threads;
    if active == 0 || stray != 0 {
        return Err(Wrong::Senseless(format!("runs the threads {active:#x} of {:#x}", program.threads)));
    }
    let Some(instruction) = program.code.get(place as usize) else {
        return Err(Wrong::Senseless(format!("left the code: address {place:#x}")));
    };
    let (request, passed) = running.request(warp, instruction, active);
    let named = match instruction {
        Instruction::Indirect(predicate, _) | Instruction::Leave(_, predicate, _) => {
            running.select(active, |thread| thread.meets(*predicate))
        }
        _ => request.mask,
    };
    let lanes = LaneAnswer { named, agreeing: request.mask, target: request.target, ..LaneAnswer::default() };
    answered(word(instruction, program.base), lanes, Place::Program { address: place, passed })
}

/// How a core is set up for programs: each a block of one warp, without barriers.
pub fn setup(configuration: Configuration) -> Setup {
    let (scheduler, block_threads) = (SchedulerPolicy::RoundRobin, configuration.threads as u32);
    Setup { configuration, scheduler, block_threads, barriers: None, suspends: false, local_words: 0 }
}

/// Runs all jobs on a core at rest that was set up for them. An error carries the index of the job.
pub fn run(core: &mut dyn ControlCore, jobs: &[Job]) -> Result<Statistics, (usize, Wrong)> {
    run_watched(core, jobs, None).map_err(|(job, wrong, _)| (job, wrong))
}

/// The same; of a failing job the addresses that one thread visited, too.
pub(super) fn run_watched(
    core: &mut dyn ControlCore,
    jobs: &[Job],
    watched: Option<usize>,
) -> Result<Statistics, Astray> {
    let fail = |running: &mut Running, wrong| {
        let addresses = running.watched.take().map(|(_, addresses)| addresses).unwrap_or_default();
        (running.job, wrong, addresses)
    };
    let senseless = |what: String| (0, Wrong::Senseless(what), Vec::new());
    let mut statistics = Statistics::default();
    let mut warps: Vec<Option<Running>> = (0..core.configuration().warps).map(|_| None).collect();
    let mut tokens = vec![0; warps.len()];
    let (mut requested, mut finished, mut last_issue) = (0, 0, 0);
    while finished < jobs.len() {
        let grid = jobs.get(requested).map(|job| PrioritizedGrid {
            grid: Grid {
                program: prologue(job.program),
                grid: (requested % NAMES) as u8,
                table: None,
                range: [1; 3],
                cluster: None,
                head: false,
            },
            // Neighbours have different ones, and what a program computes does not depend on them.
            priority: requested as u16 % PRIORITIES,
        });
        let start = core.begin(&Inputs { grid, ..Inputs::default() });
        if let Some(launch) = start.launch {
            // The latest grid of that name: far fewer are under way than there are names.
            let index = (0..requested).rev().find(|index| index % NAMES == usize::from(launch.grid));
            let Some((index, slot)) = index.zip(warps.get_mut(launch.warp)) else {
                return Err(senseless(format!("launches {launch:?}, which nobody asked for")));
            };
            *slot = Some(Running::new(index, &jobs[index], watched));
            tokens[launch.warp] = 0;
        }
        let mut looked = None;
        if let Some(at) = &start.looked {
            let Some(running) = warps.get_mut(at.warp).and_then(Option::as_mut) else {
                return Err(senseless(format!("offers warp {}, which does not run", at.warp)));
            };
            looked = Some((at.warp, answer(running, at).map_err(|wrong| fail(running, wrong))?));
        }
        let decision = core.decide(looked.as_ref().map(|(_, (answer, _))| answer));
        if let (Decision::Offer(Offered { accepted: true, .. }), Some((warp, (_, place)))) = (decision, looked) {
            last_issue = statistics.cycles;
            if let (Place::Program { address, passed }, Some(running)) = (place, warps[warp].as_mut()) {
                if running.issued == running.limit {
                    let limit = running.limit;
                    return Err(fail(running, Wrong::Endless { limit }));
                }
                running.commit(address, passed);
                statistics.issued += 1;
                statistics.thread_steps += u64::from(passed.count_ones());
            }
        }
        let edge = core.tick();
        requested += usize::from(edge.grid_taken);
        statistics.note(&edge.events, &mut tokens);
        if let Some((running, fault)) =
            edge.events.faults.first().and_then(|fault| Some((warps.get_mut(fault.warp)?.as_mut()?, fault)))
        {
            let address = fault.address.wrapping_sub(running.program.base);
            return Err(fail(running, Wrong::Stopped { cause: fault.cause, address }));
        }
        for warp in &edge.events.done {
            if let Some(mut running) = warps.get_mut(*warp).and_then(Option::take) {
                running.judge().map_err(|wrong| fail(&mut running, wrong))?;
                finished += 1;
                last_issue = statistics.cycles;
            }
        }
        if statistics.cycles - last_issue > PATIENCE {
            let job = warps.iter().flatten().next().map_or(0, |running| running.job);
            return Err((job, Wrong::Stuck(PATIENCE), Vec::new()));
        }
    }
    Ok(statistics)
}
