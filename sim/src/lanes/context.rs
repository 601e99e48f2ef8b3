//! What the lanes hold of a CTA, on its way out and back in (CX-09). Its local memory is saved by re-mapping instead, and does not pass here.

use super::memory::Memory;
use super::{Lanes, REGISTERS};
use crate::engine::Mask;
use crate::isa::ALWAYS_TRUE;

/// Left in the registers of a warp that was taken out: whoever reads it reads a stranger's.
const SCRUBBED: u32 = 0xdead_beef;

/// Registers, predicates and shared memory of a CTA that is nowhere resident.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedLanes {
    cta: u32,
    warps: Vec<SavedWarp>,
    shared: Memory,
}

#[derive(Clone, Debug, PartialEq)]
struct SavedWarp {
    warp_of_cta: u32,
    registers: Vec<[u32; REGISTERS]>,
    predicates: [Mask; ALWAYS_TRUE as usize],
}

impl SavedLanes {
    /// Size of all of it, in 32-bit words.
    pub fn words(&self) -> u64 {
        let warps = self.warps.iter().map(|warp| {
            let threads = warp.registers.len() as u64;
            // A predicate is a bit a thread, in words of 32.
            threads * REGISTERS as u64 + u64::from(ALWAYS_TRUE) * threads.div_ceil(32)
        });
        warps.sum::<u64>() + u64::from(self.shared.size().div_ceil(4))
    }
}

impl Lanes {
    /// Takes a CTA out; its warp slots, in the order of the CTA, are free afterwards, and hold nothing of it any more.
    pub fn take_out(&mut self, warps: &[usize]) -> Option<SavedLanes> {
        let (cta, _) = self.warps[*warps.first()?].bound?;
        let shared = self.shared(cta).map_or(Memory::zeros(0), |bytes| Memory::holding(bytes.to_vec()));
        let saved = warps.iter().filter_map(|&warp| {
            let slot = &mut self.warps[warp];
            let (_, warp_of_cta) = slot.bound?;
            let registers = slot.registers.clone();
            slot.registers.fill([SCRUBBED; REGISTERS]);
            let predicates = std::mem::replace(&mut slot.predicates, [Mask::MAX; ALWAYS_TRUE as usize]);
            self.local.scrub(warp);
            Some(SavedWarp { warp_of_cta, registers, predicates })
        });
        let saved = SavedLanes { cta, warps: saved.collect(), shared };
        warps.iter().for_each(|&warp| self.release(warp));
        Some(saved)
    }

    /// Puts a CTA back, on these warp slots.
    pub fn put_back(&mut self, saved: &SavedLanes, warps: &[usize]) {
        for (&warp, state) in warps.iter().zip(&saved.warps) {
            self.bind(warp, saved.cta, state.warp_of_cta);
            let slot = &mut self.warps[warp];
            slot.registers.clone_from(&state.registers);
            slot.predicates = state.predicates;
            // What is read here from now on is not this warp's.
            self.local.scrub(warp);
        }
        if let Some((shared, _)) = self.shared.get_mut(&saved.cta) {
            shared.clone_from(&saved.shared);
        }
    }
}
