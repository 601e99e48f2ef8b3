//! The lanes: registers, predicates and memory of every resident thread, and what data instructions do with them.
//!
//! The same code runs whichever engine decides control flow. The machine asks [`Lanes::request`] what an instruction
//! asks of the engine, offers that, and once it is accepted calls [`Lanes::execute`].
//!
//! Memory model (SM-08): threads access memory in the order of their lanes, one instruction at a time, so that the
//! highest lane's store to an address is the one that stays and atomics of one instruction take effect lane after lane.
//! Loads of an instruction see no store of the same instruction, since no form does both. Every access is complete
//! before the next instruction of any warp starts; FENCE therefore has nothing left to do.

pub(crate) mod compute;
pub mod context;
mod control;
mod execute;
mod fault;
pub mod local;
mod memory;
#[cfg(test)]
mod tests;

pub(crate) use compute::combine;
pub use control::{request_of, LaneAnswer};
pub use execute::Places;
pub use fault::{LaneFault, Place};
pub use memory::MemoryAccess;

use crate::assembler::Launch;
use crate::engine::Mask;
use crate::isa::{Guard, Instruction, Source, Special, ALWAYS_TRUE, ALWAYS_ZERO};
use local::LocalMemory;
use memory::Memory;
use std::collections::BTreeMap;

/// Registers of a thread, the one that is always zero included.
pub const REGISTERS: usize = ALWAYS_ZERO as usize + 1;

/// What an instruction did in the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneResult {
    /// Threads whose guard held.
    pub executed: Mask,
    /// What it accessed, if it accesses memory.
    pub access: Option<MemoryAccess>,
}

/// Registers, predicates and memories of the resident threads. Equal lanes behave equally from here on.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    launch: Launch,
    threads: usize,
    warps: Vec<Warp>,
    global: Memory,
    local: LocalMemory,
    /// Shared memory of each CTA that has a bound warp, and how many of them it has.
    shared: BTreeMap<u32, (Memory, usize)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Warp {
    /// CTA and warp of the CTA.
    bound: Option<(u32, u32)>,
    registers: Vec<[u32; REGISTERS]>,
    predicates: [Mask; ALWAYS_TRUE as usize],
}

impl Lanes {
    /// Lanes for `warps` warp slots of `threads` threads each, running this launch; no warp is bound to a CTA yet.
    pub fn new(launch: &Launch, warps: usize, threads: usize) -> Self {
        let warp =
            Warp { bound: None, registers: vec![[0; REGISTERS]; threads], predicates: [0; ALWAYS_TRUE as usize] };
        Lanes {
            launch: launch.clone(),
            threads,
            warps: vec![warp; warps],
            global: Memory::holding(launch.global.clone()),
            local: LocalMemory::new(warps, threads, launch.local_bytes),
            shared: BTreeMap::new(),
        }
    }

    /// Binds a free warp slot to warp number `warp_of_cta` of CTA number `cta`; registers, predicates and local memory
    /// start as zeros. Shared memory lives from the first bind of a CTA until all its warps are released, so bind all
    /// of them before releasing any. Returns the threads to launch: those of the warp that exist in the block.
    pub fn bind(&mut self, warp: usize, cta: u32, warp_of_cta: u32) -> Mask {
        let shared_bytes = self.launch.shared_bytes;
        self.shared.entry(cta).or_insert_with(|| (Memory::zeros(shared_bytes), 0)).1 += 1;
        let slot = &mut self.warps[warp];
        slot.bound = Some((cta, warp_of_cta));
        slot.registers.fill([0; REGISTERS]);
        slot.predicates.fill(0);
        self.local.clear(warp);
        let first = u64::from(warp_of_cta) * self.threads as u64;
        let present = u64::from(self.launch.block_threads()).saturating_sub(first).min(self.threads as u64);
        mask_below(present as usize)
    }

    /// Frees a warp slot; the last one of a CTA takes its shared memory with it.
    pub fn release(&mut self, warp: usize) {
        let Some((cta, _)) = self.warps[warp].bound.take() else { return };
        if let Some((_, users)) = self.shared.get_mut(&cta) {
            *users -= 1;
            if *users == 0 {
                self.shared.remove(&cta);
            }
        }
    }

    /// Local memory of all warps.
    pub fn local(&mut self) -> &mut LocalMemory {
        &mut self.local
    }

    /// Global memory, as it is now.
    pub fn global(&self) -> &[u8] {
        self.global.bytes()
    }

    /// Shared memory of a resident CTA, as it is now.
    pub fn shared(&self, cta: u32) -> Option<&[u8]> {
        self.shared.get(&cta).map(|(memory, _)| memory.bytes())
    }

    /// A register of a thread.
    pub fn register(&self, warp: usize, thread: usize, register: u8) -> u32 {
        self.warps[warp].registers[thread][usize::from(register)]
    }

    /// The threads of `active` in which a guard holds.
    pub fn holding(&self, guard: Guard, warp: usize, active: Mask) -> Mask {
        let value = match guard.predicate {
            ALWAYS_TRUE => Mask::MAX,
            predicate => self.warps[warp].predicates[usize::from(predicate)],
        };
        active & if guard.negate { !value } else { value }
    }

    /// Who a thread is.
    pub fn place(&self, warp: usize, thread: usize, pc: u32) -> Place {
        let (cta, warp_of_cta) = self.warps[warp].bound.unwrap_or((0, 0));
        Place { cta, rank: warp_of_cta * self.threads as u32 + thread as u32, warp, thread, pc }
    }

    fn source(&self, warp: usize, thread: usize, source: Source) -> u32 {
        match source {
            Source::Register(register) => self.register(warp, thread, register),
            Source::Immediate(value) => value,
        }
    }

    fn write(&mut self, warp: usize, thread: usize, register: u8, value: u32) {
        if register != ALWAYS_ZERO {
            self.warps[warp].registers[thread][usize::from(register)] = value;
        }
    }

    fn write_predicate(&mut self, warp: usize, threads: Mask, predicate: u8, value: Mask) {
        if predicate != ALWAYS_TRUE {
            let held = &mut self.warps[warp].predicates[usize::from(predicate)];
            *held = *held & !threads | value & threads;
        }
    }

    fn special(&self, warp: usize, thread: usize, special: Special) -> u32 {
        let place = self.place(warp, thread, 0);
        let [block_x, block_y, block_z] = self.launch.block;
        let [grid_x, grid_y, grid_z] = self.launch.grid;
        let [cta_x, cta_y, cta_z] = self.launch.cta(place.cta);
        match special {
            Special::Lane => thread as u32,
            Special::Warp => self.warps[warp].bound.map_or(0, |(_, warp_of_cta)| warp_of_cta),
            Special::ThreadX => place.rank % block_x,
            Special::ThreadY => place.rank / block_x % block_y,
            Special::ThreadZ => place.rank / block_x / block_y,
            Special::CtaX => cta_x,
            Special::CtaY => cta_y,
            Special::CtaZ => cta_z,
            Special::Logical => place.rank,
            Special::BlockX => block_x,
            Special::BlockY => block_y,
            Special::BlockZ => block_z,
            Special::GridX => grid_x,
            Special::GridY => grid_y,
            Special::GridZ => grid_z,
            Special::Cta => place.cta,
            Special::Block => self.launch.block_threads(),
        }
    }

    /// The fault of an instruction that nobody here can run.
    pub(crate) fn not_executed(&self, instruction: &Instruction, warp: usize, active: Mask, pc: u32) -> LaneFault {
        let place = self.place(warp, active.trailing_zeros().min(63) as usize, pc);
        LaneFault::NotExecuted { place, instruction: *instruction }
    }
}

/// The lowest `count` threads.
fn mask_below(count: usize) -> Mask {
    match count {
        0 => 0,
        count => Mask::MAX >> (64 - count),
    }
}

/// The threads of a mask, ascending.
fn threads_of(mask: Mask) -> impl Iterator<Item = usize> {
    (0..64).filter(move |thread| mask >> thread & 1 != 0)
}
