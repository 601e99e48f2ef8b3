//! Which thread block runs on which warps: blocks in order, each as soon as enough warps are free.

use std::collections::VecDeque;

use crate::assembler::Launch;

/// A warp of a thread block, on a warp of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Number of the block in the grid.
    pub block: u32,
    /// Number of the warp in its block.
    pub warp_of_block: u32,
}

/// Hands out blocks to free warps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLauncher {
    warps_per_block: usize,
    blocks: u32,
    next_block: u32,
    residents: Vec<Option<Resident>>,
    /// Warps that have their block but were not launched yet: the engine takes one launch a cycle.
    queue: VecDeque<usize>,
}

impl BlockLauncher {
    /// A launcher for a core of `warps` warps of `threads` threads. `None` if a block has more warps than the core.
    pub fn new(launch: &Launch, warps: usize, threads: usize) -> Option<Self> {
        let warps_per_block = (launch.block_threads() as usize).div_ceil(threads).max(1);
        (warps_per_block <= warps).then(|| Self {
            warps_per_block,
            blocks: launch.ctas(),
            next_block: 0,
            residents: vec![None; warps],
            queue: VecDeque::new(),
        })
    }

    /// The next warp to launch, with what it belongs to.
    pub fn next(&mut self) -> Option<(usize, Resident)> {
        if self.queue.is_empty() && self.next_block < self.blocks {
            let free: Vec<usize> = (0..self.residents.len()).filter(|&warp| self.residents[warp].is_none()).collect();
            if free.len() >= self.warps_per_block {
                for (number, &warp) in free[..self.warps_per_block].iter().enumerate() {
                    self.residents[warp] = Some(Resident { block: self.next_block, warp_of_block: number as u32 });
                    self.queue.push_back(warp);
                }
                self.next_block += 1;
            }
        }
        let warp = self.queue.pop_front()?;
        self.residents[warp].map(|resident| (warp, resident))
    }

    /// Frees a warp; true if it was the last of its block.
    pub fn finish(&mut self, warp: usize) -> bool {
        let Some(resident) = self.residents[warp].take() else { return false };
        !self.residents.iter().flatten().any(|other| other.block == resident.block)
    }

    /// What runs on a warp.
    pub fn resident(&self, warp: usize) -> Option<Resident> {
        self.residents[warp]
    }

    /// Warps that have a block, bit w for warp w.
    pub fn occupied(&self) -> u64 {
        self.residents
            .iter()
            .enumerate()
            .filter(|(_, resident)| resident.is_some())
            .fold(0, |mask, (warp, _)| mask | 1 << warp)
    }

    /// Nothing runs and nothing is left.
    pub fn complete(&self) -> bool {
        self.next_block == self.blocks && self.residents.iter().all(Option::is_none)
    }

    /// Blocks that were begun, of how many.
    pub fn progress(&self) -> (u32, u32) {
        (self.next_block, self.blocks)
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
        }
    }

    /// SM-03: a grid larger than the core runs block by block, each block whole, in order.
    #[test]
    fn blocks_follow_each_other() {
        let mut launcher = BlockLauncher::new(&launch(3, 64), 4, 32).expect("it fits");
        let first: Vec<_> = std::iter::from_fn(|| launcher.next()).collect();
        assert_eq!(
            first.iter().map(|(warp, r)| (*warp, r.block, r.warp_of_block)).collect::<Vec<_>>(),
            [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]
        );
        assert!(!launcher.finish(3), "half of block 1 runs on");
        assert!(!launcher.finish(0), "half of block 0 runs on");
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.block)), Some((0, 2)), "two warps are free");
        assert_eq!(launcher.next().map(|(warp, r)| (warp, r.block)), Some((3, 2)));
        for (warp, last) in [(1, true), (0, false), (2, true), (3, true)] {
            assert!(!launcher.complete());
            assert_eq!(launcher.finish(warp), last, "warp {warp}");
        }
        assert!(launcher.complete());
    }

    /// SM-03: a block that the core cannot hold is refused, one that just fits is not.
    #[test]
    fn too_large_a_block_is_refused() {
        assert!(BlockLauncher::new(&launch(1, 129), 4, 32).is_none());
        assert!(BlockLauncher::new(&launch(1, 128), 4, 32).is_some());
        assert_eq!(BlockLauncher::new(&launch(1, 33), 4, 32).map(|launcher| launcher.warps_per_block), Some(2));
    }
}
