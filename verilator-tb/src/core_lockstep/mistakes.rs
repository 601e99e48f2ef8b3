//! Kernels in which threads of one warp do what they must not: errors at barriers (BR-06, BR-19, BR-50, BR-51), and at one where there are none, and of the engine (DQ-12, DQ-29), each told by the reference
//! models beforehand, as is the end of the same kernel without a mistake, of which blocks may be suspended on the way. Operands of barrier forms come out of registers, different ones in each thread.
//!
//! Only one warp is at fault, so that nothing hangs on time: whatever the others are at, it is the first error, and the last thing that is asked of the core.

use super::surroundings::PATIENCE;
use heddle_sim::assembler::{assemble, Kernel, Launch, Overrides};
use heddle_sim::barrier::ErrorCause;
use heddle_sim::control_core::{ControlCore, CoreMachine, Setup};
use heddle_sim::engine::{Cause, Configuration, Engine};
use heddle_sim::lanes::LaneFault;
use heddle_sim::launch::Shape;
use heddle_sim::machine::counters::Counters;
use heddle_sim::machine::{Machine, Outcome, RunOptions, SuspendOptions, Verdict};
use heddle_sim::model::DivergenceUnit;
use heddle_sim::oracle::grid::campaign::reference;
use heddle_sim::oracle::grid::program::Suspend;
use heddle_sim::rtl::elaborated::core_barrier_block;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What a thread does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mistake {
    /// It comes to a bottom, and is not inside.
    NotInside,
    /// It comes to a top inside a section.
    Nested,
    /// It arrives at a phase of a barrier whose condition counts who takes part.
    Illegal,
    /// It announces a transaction more than a phase counts.
    Overflow,
    /// It returns, and nobody has called.
    Lost,
    /// It comes to a barrier, and its core was set up without any.
    Barred,
    /// It pushes a token more than window and memory take; trees hold as many as there are threads.
    Fatal,
}

/// See the module's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistakes {
    /// Blocks, all of which are there at once.
    pub ctas: u16,
    /// Threads of each.
    pub block_threads: u16,
    /// Tokens of each warp that fit into memory.
    pub spill_limit: u16,
    /// Phases of a split barrier; in each, threads of the first ranks announce transactions and carry them out. A thread that waits presents the same instruction again, of which a stack knows nothing.
    pub phases: u8,
    /// Instructions between announcement and arrival.
    pub lag: u8,
    /// So many threads do, each as many as the bits of its rank under the mask say.
    pub transactions: (u16, u16),
    /// Instructions that threads at fault run before.
    pub delay: u8,
    /// What some of them do, if anybody does anything.
    pub mistake: Option<Mistake>,
    /// The block of those at fault, the rank of the first, and how many there are, all of one warp.
    pub guilty: (u16, u16, u16),
    /// When blocks are suspended, if they are; of kernels in which nobody does anything wrong.
    pub suspend: Option<Suspend>,
}

/// In one of so many kernels nobody does anything wrong; where blocks may be suspended, in twice as many.
const RIGHT: u32 = 4;
/// Suspensions of one of these, at most, and the cycle of the first.
const SUSPENSIONS: (u32, u64) = (12, 600);
/// Phases, at most.
const PHASES: u8 = 3;
/// Transactions that a phase counts (BR-51).
const MOST: u16 = 63;
/// Instructions before a mistake, at most.
const DELAY: u8 = 24;
/// Tokens in memory where it is to run full, and anywhere else.
const LIMITS: (std::ops::RangeInclusive<u16>, u16) = (1..=40, 1024);
/// A run that takes longer has failed.
const LONGEST: u64 = 100_000;
/// Tokens, beside those that fit, that a warp may have of its branches.
const BRANCHES: usize = 8;

/// The barriers of a kernel.
mod barrier {
    /// At which all meet.
    pub const MEETING: u8 = 1;
    /// At which all meet behind the phases.
    pub const PARTING: u8 = 3;
    /// Of phases.
    pub const SPLIT: u8 = 5;
    /// Of sections, right or wrong.
    pub const OUTER: u8 = 2;
    /// Of one inside.
    pub const INNER: u8 = 7;
}

/// Draws a kernel for a core that is set up so; `suspends` if it can suspend blocks.
pub fn draw(random: &mut ChaCha8Rng, configuration: &Configuration, suspends: bool) -> Mistakes {
    use Mistake::{Barred, Fatal, Illegal, Lost, Nested, NotInside, Overflow};
    let Configuration { warps, threads, tree, stack_mode, .. } = *configuration;
    let warps_of_block = random.random_range(1..=warps);
    let block_threads = (random.random_range(1..=warps_of_block * threads)) as u16;
    let ctas = random.random_range(1..=(warps / usize::from(block_threads).div_ceil(threads)) as u16);
    let mistakes = [NotInside, Nested, Illegal, Overflow, Lost, Barred, Fatal];
    let mistake = mistakes[random.random_range(0..mistakes.len() - usize::from(tree))];
    let mistake = (random.random_range(0..RIGHT) > u32::from(suspends)).then_some(mistake);
    let suspend = Suspend { at: random.random_range(0..SUSPENSIONS.1), times: random.random_range(1..=SUSPENSIONS.0) };
    let first = random.random_range(0..block_threads);
    let rest = (threads as u16 - first % threads as u16).min(block_threads - first);
    Mistakes {
        ctas,
        block_threads,
        spill_limit: if mistake == Some(Fatal) { random.random_range(LIMITS.0) } else { LIMITS.1 },
        phases: if stack_mode { 0 } else { random.random_range(0..=PHASES) },
        lag: random.random_range(0..=DELAY),
        transactions: transactions(random, block_threads),
        delay: random.random_range(0..=DELAY),
        mistake,
        guilty: (random.random_range(0..ctas), first, random.random_range(1..=rest)),
        suspend: (suspends && mistake.is_none()).then_some(suspend),
    }
}

/// Transactions that a phase counts, however they come.
fn transactions(random: &mut ChaCha8Rng, block_threads: u16) -> (u16, u16) {
    loop {
        let (count, mask) = (random.random_range(1..=block_threads), random.random_range(0..=MOST));
        let sum = |parity: u16| (0..count).filter(|rank| rank % 2 == parity).map(|rank| rank & mask).sum::<u16>();
        if (0..2).all(|parity| sum(parity) <= MOST) {
            return (count, mask);
        }
    }
}

impl Mistakes {
    /// The kernel. Blocks count their threads in a word each, meet, go through the phases, and part.
    fn text(&self, depth: usize) -> String {
        let Self { ctas, block_threads, transactions: (count, mask), guilty: (cta, first, guilty), .. } = *self;
        let has_barriers = self.has_barriers();
        let phases = if has_barriers { self.phases } else { 0 };
        let (meeting, split) = (barrier::MEETING, barrier::SPLIT);
        let mut text = format!(
            ".memory ran, {ctas}
.grid {ctas}
.block {block_threads}
        S2R     R0, %cta
        S2R     R1, %logical
        PARAM   R2, ran
        IMAD    R2, R0, 4, R2
        MOV     R3, 1
        ATOM.GLOBAL.ADD R4, [R2], R3
        AND     R6, R1, 1
        AND     R7, R1, {mask}
        ISETP.LT.U P0, R1, {count}
"
        );
        if has_barriers {
            write!(
                text,
                "        MOV     R5, {block_threads}
        BARRIER.CONF {meeting}, condition 3, reference R5
        BARRIER.CONDITIONAL {meeting}, met
met:
"
            )
            .expect("text");
        }
        let lag = "        NOP\n".repeat(self.lag.into());
        for phase in 0..phases {
            write!(
                text,
                "        @P0 EXPECT {split}, R6, R7
{lag}        ARRIVE  {split}
        @P0 COMPLETE {split}, R6, R7
        MOV     R8, {}
        WAIT    {split}, R8
",
                phase % 2
            )
            .expect("text");
        }
        if phases > 0 {
            // Of a warp that waited some threads may be ahead: here they wake as one set again.
            writeln!(text, "        BARRIER.CONDITIONAL {}, parting\nparting:", barrier::PARTING).expect("text");
        }
        if self.mistake.is_some() {
            write!(
                text,
                "        IMAD    R9, R0, {block_threads}, R1
        ISUB    R9, R9, {}
        ISETP.LT.U P1, R9, {guilty}
        @P1 BRA mistake
",
                u32::from(cta) * u32::from(block_threads) + u32::from(first)
            )
            .expect("text");
        }
        text += "        AND     R10, R1, 7
turn:
        ISETP.EQ.U P2, R10, 0
        @P2 EXIT
        IADD    R10, R10, -1
        YIELD
        BRA     turn
";
        if let Some(mistake) = self.mistake {
            text += "mistake:\n";
            text += &"        NOP\n".repeat(self.delay.into());
            text += &mistake.text(depth + usize::from(self.spill_limit) + BRANCHES);
        }
        text
    }

    /// Assembled, with what the reference models say of it.
    ///
    /// # Errors
    /// What is no test: a file that somebody has changed.
    pub fn prepare(&self, configuration: &Configuration) -> Result<PreparedMistakes, String> {
        let configuration = Configuration { spill_limit: self.spill_limit, ..*configuration };
        let kernel = assemble(&self.text(configuration.depth), "mistakes.s").map_err(|errors| format!("{errors:?}"))?;
        let launch = kernel.launch(&Overrides::default()).map_err(|cause| cause.to_string())?;
        let parts = reference();
        let options = options(&configuration);
        let machine = Machine::new(&kernel, &launch, engine(&configuration), options);
        let machine = machine.map_err(|cause| cause.to_string())?;
        let machine = machine.with_distributor(&launch, (parts.distributor)(Shape::CORE));
        let machine = match self.has_barriers() {
            true => machine.with_barriers(&launch, (parts.barriers)(options.barrier_size(&launch))),
            false => Ok(machine),
        };
        let truth = machine.map_err(|cause| cause.to_string())?.run(&|| false, &mut |_| ());
        let found = found(&truth.verdict);
        if found != Ok(self.mistake) {
            return Err(format!("{:?} is to happen, and what does is {found:?}", self.mistake));
        }
        let ran = launch.words_of("ran", &truth.global).unwrap_or_default();
        if self.mistake.is_none() && ran != vec![u32::from(self.block_threads); self.ctas.into()] {
            return Err(format!("{} threads of each block are to run, and {ran:?} do", self.block_threads));
        }
        Ok(PreparedMistakes { mistakes: self.clone(), configuration, kernel, launch, truth })
    }

    /// The core is set up with barriers.
    fn has_barriers(&self) -> bool {
        self.mistake != Some(Mistake::Barred)
    }

    /// The same with less, from what leaves away most.
    pub fn smaller(&self) -> Vec<Self> {
        let with = |change: &dyn Fn(&mut Self)| {
            let mut smaller = self.clone();
            change(&mut smaller);
            smaller
        };
        let candidates = [
            with(&|mistakes| mistakes.ctas = mistakes.guilty.0 + 1),
            with(&|mistakes| (mistakes.ctas, mistakes.guilty.0) = (1, 0)),
            with(&|mistakes| mistakes.phases = 0),
            with(&|mistakes| mistakes.phases = mistakes.phases.saturating_sub(1)),
            with(&|mistakes| (mistakes.delay, mistakes.lag) = (0, 0)),
            with(&|mistakes| mistakes.suspend = None),
            with(&|mistakes| mistakes.guilty.2 = 1),
            with(&|mistakes| mistakes.block_threads = mistakes.guilty.1 + mistakes.guilty.2),
        ];
        candidates.into_iter().filter(|candidate| candidate != self).collect()
    }

    /// How much there is to it: threads, phases, and instructions that nothing hangs on.
    pub fn size(&self) -> usize {
        usize::from(self.ctas) * usize::from(self.block_threads)
            + usize::from(self.phases)
            + usize::from(self.delay)
            + usize::from(self.lag)
    }
}

impl Mistake {
    /// Instructions that make it; `tokens` are too many.
    fn text(self, tokens: usize) -> String {
        let (outer, inner) = (barrier::OUTER, barrier::INNER);
        match self {
            Self::NotInside => format!("        BARRIER.BOTTOM {outer}\n        EXIT\n"),
            // Whoever is not at fault has ended, or will: then all that live are there.
            Self::Nested => format!(
                "        BARRIER.ORDERED {outer}, behind
        BARRIER.ORDERED {inner}, within
        BARRIER.BOTTOM {inner}
within: BARRIER.BOTTOM {outer}
behind: EXIT
"
            ),
            Self::Illegal => format!(
                "        MOV     R11, 1
        BARRIER.CONF {outer}, condition 3, reference R11
        ARRIVE  {outer}
        EXIT
"
            ),
            Self::Overflow => format!(
                "        MOV     R11, {MOST}
        EXPECT  {}, R6, R11
        EXPECT  {}, R6, 1
        EXIT
",
                barrier::SPLIT,
                barrier::SPLIT
            ),
            Self::Barred => format!("        BARRIER.BOTTOM {outer}\n        EXIT\n"),
            Self::Lost => "        RET\n".into(),
            // No branch back, where a warp may yield, which would give tokens away that nobody waits for.
            Self::Fatal => "        SSY     out\n".repeat(tokens) + "out:    EXIT\n",
        }
    }
}

/// Which mistake ends a run so, if it ends by one or as it should.
fn found(verdict: &Verdict) -> Result<Option<Mistake>, String> {
    Ok(match verdict {
        Verdict::Completed => None,
        Verdict::BarrierFault { fault, .. } => Some(match fault.cause {
            ErrorCause::NotInside => Mistake::NotInside,
            ErrorCause::Nested => Mistake::Nested,
            ErrorCause::Illegal => Mistake::Illegal,
            ErrorCause::Overflow => Mistake::Overflow,
            ErrorCause::Differs | ErrorCause::NoBottom => return Err(verdict.explain()),
        }),
        Verdict::EngineFault { fault, .. } => Some(match fault.cause {
            Cause::LostThread => Mistake::Lost,
            Cause::Fatal => Mistake::Fatal,
            Cause::Recenter | Cause::Spill | Cause::Refill => return Err(verdict.explain()),
        }),
        Verdict::LaneFault { fault: LaneFault::NotExecuted { .. }, .. } => Some(Mistake::Barred),
        _ => return Err(format!("{}: {}", verdict.name(), verdict.explain())),
    })
}

/// The reference engine; a queue with the hardware's window and memory, without which it never runs full.
fn engine(configuration: &Configuration) -> Box<dyn Engine> {
    match configuration.tree {
        true => (reference().engine)(configuration),
        false => Box::new(DivergenceUnit::windowed(*configuration)),
    }
}

/// How a run goes.
fn options(configuration: &Configuration) -> RunOptions {
    RunOptions {
        max_cycles: LONGEST,
        barrier_patience: PATIENCE,
        barrier_block: core_barrier_block(configuration),
        ..RunOptions::default()
    }
}

/// What was counted; the same from every start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MistakeStatistics {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions that warps issued.
    pub instructions: u64,
    /// Runs that an error of the barrier scheduler has ended.
    pub barrier_errors: u64,
    /// Runs that an error of the engine has ended.
    pub engine_errors: u64,
    /// Runs that ended at a barrier on a core without any.
    pub barred: u64,
    /// Blocks that were suspended.
    pub suspended: u64,
}

/// The count of errors of the barrier scheduler.
pub const BARRIER_ERRORS: &str = "errors at barriers";
/// The count of errors of the engine.
pub const ENGINE_ERRORS: &str = "errors of engines";
/// The count of barriers on cores without any.
pub const BARRED: &str = "barriers where there are none";

impl MistakeStatistics {
    /// Those of one run that ended so.
    fn of(counters: &Counters, mistake: Option<Mistake>) -> Self {
        let of_engine = matches!(mistake, Some(Mistake::Lost | Mistake::Fatal));
        Self {
            cycles: counters.cycles,
            instructions: counters.instructions.total(),
            barrier_errors: u64::from(mistake.is_some() && !of_engine && mistake != Some(Mistake::Barred)),
            engine_errors: u64::from(of_engine),
            barred: u64::from(mistake == Some(Mistake::Barred)),
            suspended: counters.suspensions.suspended,
        }
    }

    /// Those of two runs, one behind the other.
    const fn and(self, next: &Self) -> Self {
        Self {
            cycles: self.cycles + next.cycles,
            instructions: self.instructions + next.instructions,
            barrier_errors: self.barrier_errors + next.barrier_errors,
            engine_errors: self.engine_errors + next.engine_errors,
            barred: self.barred + next.barred,
            suspended: self.suspended + next.suspended,
        }
    }

    /// Runs that an error has ended.
    pub const fn errors(&self) -> u64 {
        self.barrier_errors + self.engine_errors + self.barred
    }

    /// Every count with its name.
    pub const fn counts(&self) -> [(&'static str, u64); 6] {
        [
            ("cycles", self.cycles),
            ("instructions issued", self.instructions),
            (BARRIER_ERRORS, self.barrier_errors),
            (ENGINE_ERRORS, self.engine_errors),
            (BARRED, self.barred),
            ("blocks suspended", self.suspended),
        ]
    }
}

/// Runs kernels one after the other, each on a core that `build` makes.
///
/// # Errors
/// The first that goes wrong.
pub fn run(
    kernels: &[PreparedMistakes],
    build: &dyn Fn(&Setup) -> Box<dyn ControlCore>,
) -> Result<MistakeStatistics, String> {
    kernels.iter().enumerate().try_fold(MistakeStatistics::default(), |all, (number, kernel)| {
        let statistics = kernel.run(build).map_err(|what| format!("kernel {number} {what}"))?;
        Ok(all.and(&statistics))
    })
}

/// A kernel that is ready to run.
pub struct PreparedMistakes {
    mistakes: Mistakes,
    configuration: Configuration,
    kernel: Kernel,
    launch: Launch,
    truth: Outcome,
}

impl PreparedMistakes {
    /// Runs it on a core that `build` makes.
    ///
    /// # Errors
    /// It ends in another way than on the reference models: in another error, of another thread or at another place, or with other words in memory.
    fn run(&self, build: &dyn Fn(&Setup) -> Box<dyn ControlCore>) -> Result<MistakeStatistics, String> {
        let suspend = self.mistakes.suspend;
        let suspend = suspend.map(|Suspend { at, times }| SuspendOptions { times, ..SuspendOptions::at(at) });
        let options = RunOptions { suspend, ..options(&self.configuration) };
        let setup = CoreMachine::setup(&self.kernel, &self.launch, self.configuration, &options);
        let core = build(&Setup { barriers: setup.barriers.filter(|_| self.mistakes.has_barriers()), ..setup });
        let machine = CoreMachine::new(&self.kernel, &self.launch, core, options).map_err(|cause| cause.to_string())?;
        let outcome = machine.run(&|| false, &mut |_| ());
        if outcome.verdict != self.truth.verdict {
            return Err(format!("ends with {:?}, the models with {:?}", outcome.verdict, self.truth.verdict));
        }
        // Who is stopped may have stored less, or more.
        if self.mistakes.mistake.is_none() && outcome.global != self.truth.global {
            return Err("leaves other words in memory than the models".into());
        }
        Ok(MistakeStatistics::of(&outcome.counters, self.mistakes.mistake))
    }
}

#[cfg(test)]
mod tests;
