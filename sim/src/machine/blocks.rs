//! Which thread block runs on which warps: each on the lowest that are free, as the work distributor sends them.

use std::collections::VecDeque;

use crate::assembler::Launch;

/// A warp of a thread block, on a warp of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Number of the block in the grid.
    pub block: u32,
    /// Number of the warp in its block.
    pub warp_of_block: u32,
    /// First instruction of its program.
    pub program: u32,
    /// Priority of its grid.
    pub priority: u16,
    /// The slot of the core that the block fills: what the barrier scheduler calls its CTA.
    pub slot: usize,
}

/// Places blocks on free warps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLauncher {
    warps_per_block: usize,
    residents: Vec<Option<Resident>>,
    /// Slots for blocks: taken or not. A slot outlasts its warps until [`BlockLauncher::retire`].
    slots: Vec<bool>,
    /// Warps that have their block but were not launched yet: the engine takes one launch a cycle.
    queue: VecDeque<usize>,
    /// Blocks that are suspended.
    away: u32,
}

impl BlockLauncher {
    /// A launcher for a core of `warps` warps of `threads` threads that holds `slots` blocks at most. `None` if a block has more warps
    /// than the core.
    pub fn new(launch: &Launch, warps: usize, threads: usize, slots: usize) -> Option<Self> {
        Self::of_blocks(launch.block_threads() as usize, warps, threads, slots)
    }

    /// The same for blocks of `block_threads` threads.
    pub fn of_blocks(block_threads: usize, warps: usize, threads: usize, slots: usize) -> Option<Self> {
        let warps_per_block = block_threads.div_ceil(threads).max(1);
        (warps_per_block <= warps).then(|| Self {
            warps_per_block,
            residents: vec![None; warps],
            slots: vec![false; slots],
            queue: VecDeque::new(),
            away: 0,
        })
    }

    /// How many more blocks fit.
    pub fn room(&self) -> usize {
        let warps = self.residents.iter().filter(|resident| resident.is_none()).count();
        let slots = self.slots.iter().filter(|taken| !**taken).count();
        slots.min(warps / self.warps_per_block)
    }

    /// Gives a block its warps and its slot; it must fit.
    pub fn begin(&mut self, block: u32, program: u32, priority: u16) {
        let Some(slot) = self.slots.iter().position(|taken| !taken) else { return };
        self.slots[slot] = true;
        let free = self.residents.iter_mut().enumerate().filter(|(_, resident)| resident.is_none());
        for (warp_of_block, (warp, resident)) in (0..).zip(free.take(self.warps_per_block)) {
            *resident = Some(Resident { block, warp_of_block, program, priority, slot });
            self.queue.push_back(warp);
        }
    }

    /// The next warp to launch, with what it belongs to.
    pub fn next(&mut self) -> Option<(usize, Resident)> {
        let warp = self.queue.pop_front()?;
        self.residents[warp].map(|resident| (warp, resident))
    }

    /// Frees a warp; the slot of its block, if it was the last of it. The slot is free once it is retired.
    pub fn finish(&mut self, warp: usize) -> Option<usize> {
        let slot = self.residents[warp].take()?.slot;
        (!self.residents.iter().flatten().any(|other| other.slot == slot)).then_some(slot)
    }

    /// Frees a slot whose warps have finished.
    pub fn retire(&mut self, slot: usize) {
        self.slots[slot] = false;
    }

    /// The first slot with a block all of whose warps were launched.
    pub fn first_begun(&self) -> Option<usize> {
        let waits = |slot| self.queue.iter().any(|warp| self.residents[*warp].is_some_and(|other| other.slot == slot));
        (0..self.slots.len()).find(|slot| !self.warps_of(*slot).is_empty() && !waits(*slot))
    }

    /// The block in a slot is suspended: slot and warps are free. Returns what was on them, in the block's order.
    pub fn leave(&mut self, slot: usize) -> Vec<Resident> {
        self.slots[slot] = false;
        self.away += 1;
        self.warps_of(slot).into_iter().filter_map(|warp| self.residents[warp].take()).collect()
    }

    /// A suspended block comes back, on other warps than it had, unless the core has too few of them, and in the last free slot. Returns
    /// slot and warps; `None` if there is no room.
    pub fn enter(&mut self, block: &[Resident], had: &[usize]) -> Option<(usize, Vec<usize>)> {
        let elsewhere = self.residents.len() >= 2 * had.len();
        let free = |warp: &usize| self.residents[*warp].is_none() && !(elsewhere && had.contains(warp));
        let warps: Vec<usize> = (0..self.residents.len()).rev().filter(free).take(had.len()).collect();
        let slot = self.slots.iter().rposition(|taken| !taken).filter(|_| warps.len() == had.len())?;
        for (&warp, resident) in warps.iter().zip(block) {
            self.residents[warp] = Some(Resident { slot, ..*resident });
        }
        self.slots[slot] = true;
        self.away -= 1;
        Some((slot, warps))
    }

    /// Slots that have a block, bit s for slot s.
    pub fn slots(&self) -> u64 {
        self.slots.iter().enumerate().filter(|(_, taken)| **taken).fold(0, |mask, (slot, _)| mask | 1 << slot)
    }

    /// How many blocks are resident.
    pub fn residents(&self) -> u64 {
        u64::from(self.slots().count_ones())
    }

    /// The warps of the block in a slot, in the block's order.
    pub fn warps_of(&self, slot: usize) -> Vec<usize> {
        let here = |warp: &usize| self.residents[*warp].is_some_and(|resident| resident.slot == slot);
        let mut warps: Vec<usize> = (0..self.residents.len()).filter(here).collect();
        warps.sort_by_key(|warp| self.residents[*warp].map(|resident| resident.warp_of_block));
        warps
    }

    /// What runs on a warp.
    pub fn resident(&self, warp: usize) -> Option<Resident> {
        self.residents[warp]
    }

    /// What runs on each warp.
    pub fn by_warp(&self) -> &[Option<Resident>] {
        &self.residents
    }

    /// Warps that have a block, bit w for warp w.
    pub fn occupied(&self) -> u64 {
        self.residents
            .iter()
            .enumerate()
            .filter(|(_, resident)| resident.is_some())
            .fold(0, |mask, (warp, _)| mask | 1 << warp)
    }

    /// Nothing runs, and nothing is suspended.
    pub fn empty(&self) -> bool {
        self.away == 0 && self.slots.iter().all(|taken| !taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(blocks: u32, threads: u32) -> Launch {
        Launch {
            parameters: Vec::new(),
            names: Default::default(),
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared_bytes: 0,
            local_bytes: 0,
            global: Vec::new(),
            sections: Vec::new(),
            predicate: None,
        }
    }

    /// SM-03: blocks are resident beside each other, each whole, and another fits as soon as enough warps are free.
    #[test]
    fn blocks_share_the_core() {
        let mut launcher = BlockLauncher::new(&launch(3, 64), 4, 32, 4).expect("it fits");
        assert_eq!(launcher.room(), 2);
        launcher.begin(0, 0, 0);
        launcher.begin(1, 0, 0);
        let first: Vec<_> = std::iter::from_fn(|| launcher.next()).collect();
        assert_eq!(
            first.iter().map(|(warp, r)| (*warp, r.block, r.warp_of_block)).collect::<Vec<_>>(),
            [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]
        );
        assert_eq!(launcher.finish(3), None, "half of block 1 runs on");
        assert_eq!((launcher.room(), launcher.finish(0)), (0, None), "half of block 0 runs on");
        assert_eq!(launcher.room(), 1, "two warps are free");
        launcher.begin(2, 0, 0);
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.block)), Some((0, 2)));
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.block)), Some((3, 2)));
        assert_eq!(launcher.warps_of(2), [0, 3]);
        for (warp, last) in [(1, Some(0)), (0, None), (2, Some(1)), (3, Some(2))] {
            assert!(!launcher.empty());
            assert_eq!(launcher.finish(warp), last, "warp {warp}");
            last.into_iter().for_each(|slot| launcher.retire(slot));
        }
        assert!(launcher.empty());
    }

    /// SM-03, BR-05: without a free slot no block starts, and a slot is free once it is retired, not before.
    #[test]
    fn slots_limit_the_residents() {
        let mut launcher = BlockLauncher::new(&launch(3, 32), 4, 32, 1).expect("it fits");
        launcher.begin(0, 9, 0);
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.program, r.slot)), Some((0, 9, 0)));
        assert_eq!(launcher.room(), 0, "three warps are free, but no slot");
        assert_eq!(launcher.finish(0), Some(0));
        assert_eq!(launcher.room(), 0);
        launcher.retire(0);
        assert_eq!(launcher.room(), 1);
        launcher.begin(1, 9, 7);
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.block, r.slot)), Some((0, 1, 0)));
        assert_eq!(launcher.resident(0).map(|resident| resident.priority), Some(7));
    }

    /// SM-03: a block that the core cannot hold is refused, one that just fits is not.
    #[test]
    fn too_large_a_block_is_refused() {
        assert!(BlockLauncher::new(&launch(1, 129), 4, 32, 4).is_none());
        assert!(BlockLauncher::new(&launch(1, 128), 4, 32, 4).is_some());
        assert_eq!(BlockLauncher::new(&launch(1, 33), 4, 32, 4).map(|launcher| launcher.warps_per_block), Some(2));
    }
}
