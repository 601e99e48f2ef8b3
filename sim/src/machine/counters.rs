//! What a run counts (SM-06).

use serde::{Deserialize, Serialize};

use crate::engine::Cause;
use crate::isa::Class;

/// Accepted instructions by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionCounts {
    /// Control flow.
    pub control: u64,
    /// Barriers.
    pub barrier: u64,
    /// Integer arithmetic, logic, moves, special registers.
    pub integer: u64,
    /// Floating point.
    pub float: u64,
    /// Loads, stores, fences.
    pub memory: u64,
    /// Atomics.
    pub atomic: u64,
    /// Votes and shuffles.
    pub exchange: u64,
}

impl InstructionCounts {
    /// Counts one instruction.
    pub fn count(&mut self, class: Class) {
        *match class {
            Class::Control => &mut self.control,
            Class::Barrier => &mut self.barrier,
            Class::Integer => &mut self.integer,
            Class::Float => &mut self.float,
            Class::Memory => &mut self.memory,
            Class::Atomic => &mut self.atomic,
            Class::Exchange => &mut self.exchange,
        } += 1;
    }

    /// Instructions of all classes.
    pub fn total(&self) -> u64 {
        self.control + self.barrier + self.integer + self.float + self.memory + self.atomic + self.exchange
    }
}

/// Cycles in which no instruction was accepted, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallCounts {
    /// Warps run, but the engine is working on all of them (unwind, merge search, handler).
    pub engine_busy: u64,
    /// A warp was ready and the engine did not accept its instruction in that cycle.
    pub engine_refused: u64,
    /// Every warp that has a block is still being launched.
    pub launch: u64,
    /// Every warp that could issue otherwise sleeps at a barrier, or its barrier instruction is being answered.
    pub barrier: u64,
    /// The engine was told what the barrier scheduler had answered, or whom it had woken.
    pub barrier_moves: u64,
    /// Nobody else could issue while a CTA was suspended or resumed.
    pub suspension: u64,
    /// Every warp that could issue otherwise waits for memory (with a modelled cache only).
    pub memory: u64,
}

impl StallCounts {
    /// Stall cycles of all causes.
    pub fn total(&self) -> u64 {
        self.engine_busy
            + self.engine_refused
            + self.launch
            + self.barrier
            + self.barrier_moves
            + self.suspension
            + self.memory
    }
}

/// Handlers that started, by cause (DQ-09 to DQ-12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionCounts {
    /// The window was re-centred.
    pub recenter: u64,
    /// Tokens were spilled.
    pub spill: u64,
    /// Spilled tokens came back.
    pub refill: u64,
    /// The spill area was full.
    pub fatal: u64,
}

impl ExceptionCounts {
    /// Exceptions of all causes.
    pub fn total(&self) -> u64 {
        self.recenter + self.spill + self.refill + self.fatal
    }

    /// Counts one; a lost thread is a fault of the program and no exception of the queue.
    pub fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Recenter => self.recenter += 1,
            Cause::Spill => self.spill += 1,
            Cause::Refill => self.refill += 1,
            Cause::Fatal => self.fatal += 1,
            Cause::LostThread => {}
        }
    }
}

/// The context unit, if the kernel has local memory (CX-01 to CX-08).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextCounts {
    /// Cycles of its clock, which runs when there is something to do; of a unit inside a core, the cycles in which there was.
    pub cycles: u64,
    /// Words of local memory that were copied to global memory.
    pub copied: u64,
    /// Accesses that went to global memory, for their warp was saved.
    pub remapped: u64,
}

/// CTAs that were suspended and resumed (CX-09).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspensionCounts {
    /// CTAs that were suspended.
    pub suspended: u64,
    /// CTAs that were resumed.
    pub resumed: u64,
    /// The most CTAs that were away at once.
    pub most_away: u64,
    /// CTAs that could not be suspended, for there was no room for their local memory, or a thread did not leave its section in time; they ran on.
    pub failed: u64,
    /// Tokens that left with them.
    pub tokens: u64,
    /// 32-bit words that left with them: registers, predicates, shared memory, divergence state.
    /// Local memory stays where it was copied to, and is counted there.
    pub words: u64,
}

/// What happened at barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierCounts {
    /// Instructions that were presented to the barrier scheduler, each time anew.
    pub presented: u64,
    /// Of those, the ones after which some thread had to present again.
    pub waits: u64,
    /// Threads that fell asleep.
    pub slept: u64,
    /// Threads that were woken.
    pub woken: u64,
    /// Threads that went on behind a bottom at once.
    pub skipped: u64,
    /// Turns of a thread inside a section.
    pub sections: u64,
    /// Barriers that completed and went to the execution slots.
    pub dynamic: u64,
    /// Phases that ended and woke their sleepers.
    pub released: u64,
    /// Timeouts that fired.
    pub timeouts: u64,
    /// Sum over all cycles of the threads that slept.
    pub thread_cycles_asleep: u64,
    /// Cycles in which a request waited for the scheduler.
    pub refused_cycles: u64,
}

/// The modelled cache in front of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    /// Lines that were asked for, each once an instruction.
    pub accesses: u64,
    /// Of those, the ones that were there.
    pub hits: u64,
}

/// Everything that a run counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Clock cycles.
    pub cycles: u64,
    /// Accepted instructions, by class.
    pub instructions: InstructionCounts,
    /// Sum of the active lanes over all accepted instructions.
    pub active_lanes: u64,
    /// Cycles without an accepted instruction, by cause.
    pub stalls: StallCounts,
    /// Tokens that went into queues.
    pub tokens_pushed: u64,
    /// Tokens that came out of queues.
    pub tokens_popped: u64,
    /// The most tokens that each warp's queue held at once.
    pub token_high_water: Vec<u64>,
    /// The most nodes that each warp's tree used at once (TD-07); zero on the other engines.
    pub node_high_water: Vec<u64>,
    /// Handlers that started, by cause.
    pub exceptions: ExceptionCounts,
    /// Branches that diverged.
    pub diverged: u64,
    /// YIELDs, explicit or implicit, that disabled threads.
    pub yielded: u64,
    /// Of those, the ones that merged into a token that was there.
    pub merged: u64,
    /// Tokens that an unwind discarded.
    pub discarded: u64,
    /// Warps that were launched.
    pub warps_launched: u64,
    /// Warps whose threads have all exited.
    pub warps_done: u64,
    /// Thread blocks that the work distributor handed to the core.
    pub blocks_launched: u64,
    /// Words of the predicate table, 64 flags each, that the work distributor fetched.
    pub table_words: u64,
    /// Thread blocks that ran to their end.
    pub blocks_done: u64,
    /// The most thread blocks that were resident at once.
    pub blocks_at_once: u64,
    /// CTAs that were suspended and resumed.
    pub suspensions: SuspensionCounts,
    /// The context unit.
    pub context: ContextCounts,
    /// Barriers.
    pub barriers: BarrierCounts,
    /// The modelled cache, if there is one.
    pub cache: CacheCounts,
}

impl Counters {
    /// Counters of an engine of `warps` warps, all zero.
    pub fn new(warps: usize) -> Self {
        Self { token_high_water: vec![0; warps], node_high_water: vec![0; warps], ..Self::default() }
    }

    /// Active lanes of an average instruction, as a share of the warp's lanes, 0 to 1.
    pub fn simd_efficiency(&self, threads: usize) -> f64 {
        let lanes = self.instructions.total() * threads as u64;
        if lanes == 0 {
            0.0
        } else {
            self.active_lanes as f64 / lanes as f64
        }
    }

    /// The most tokens that any warp's queue held at once.
    pub fn peak_tokens(&self) -> u64 {
        self.token_high_water.iter().copied().max().unwrap_or(0)
    }

    /// The most nodes that any warp's tree used at once.
    pub fn peak_nodes(&self) -> u64 {
        self.node_high_water.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SM-06: efficiency is lanes over issue slots, and zero (not a panic) before anything ran.
    #[test]
    fn efficiency() {
        let mut counters = Counters::new(1);
        assert_eq!(counters.simd_efficiency(32), 0.0);
        counters.instructions.control = 2;
        counters.active_lanes = 33;
        assert!((counters.simd_efficiency(32) - 33.0 / 64.0).abs() < 1e-12);
    }
}
