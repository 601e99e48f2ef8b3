//! Which threads of a warp are which threads of a thread block of the barrier scheduler (SM-07, BR-02).
//!
//! A warp and a thread block of the scheduler are both runs of threads in the order of their rank in the CTA: rank r is lane `r % T` of warp
//! `r / T`, and offset `r % B` of block `r / B`. So a warp of 32 threads is two whole blocks of 16, and two requests; or it is half
//! of a block of 64, the upper half if the number of the warp is odd. Physical blocks are numbered like logical ones.

use crate::barrier::BlockMask;
use crate::engine::Mask;

/// The sizes of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// T: threads of a warp.
    pub warp_threads: usize,
    /// B: threads of a block.
    pub block_threads: usize,
}

/// The threads of a mask, ascending.
pub fn threads_of(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |thread| mask >> thread & 1 == 1)
}

impl Mapping {
    /// The threads of a warp, given by its number in the CTA, block by block, ascending; blocks without any are left out.
    pub fn blocks(&self, warp: usize, threads: Mask) -> Vec<(usize, BlockMask)> {
        regroup(threads_of(threads).map(|thread| warp * self.warp_threads + thread), self.block_threads)
    }

    /// The threads of a block, warp by warp; warps by their number in the CTA.
    pub fn warps(&self, block: usize, threads: BlockMask) -> Vec<(usize, Mask)> {
        regroup(threads_of(threads).map(|offset| self.rank(block, offset)), self.warp_threads)
    }

    /// Rank in its CTA of a thread of a block.
    pub const fn rank(&self, block: usize, offset: usize) -> usize {
        block * self.block_threads + offset
    }
}

/// Ranks, ascending, as masks of groups of `size`.
fn regroup(ranks: impl Iterator<Item = usize>, size: usize) -> Vec<(usize, u64)> {
    let mut groups: Vec<(usize, u64)> = Vec::new();
    for rank in ranks {
        let (group, bit) = (rank / size, 1 << (rank % size));
        match groups.last_mut() {
            Some((last, mask)) if *last == group => *mask |= bit,
            _ => groups.push((group, bit)),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// SM-07: a warp of 32 threads is two blocks of 16, or the lower or upper half of a block of 64.
    #[test]
    fn warps_of_32_in_blocks_of_16_and_64() {
        let small = Mapping { warp_threads: 32, block_threads: 16 };
        assert_eq!(small.blocks(1, 0x8001_0003), [(2, 0x0003), (3, 0x8001)]);
        assert_eq!(small.blocks(3, 0xffff_0000), [(7, 0xffff)]);
        assert_eq!(small.warps(5, 0x8001), [(2, 0x8001_0000)]);
        let large = Mapping { warp_threads: 32, block_threads: 64 };
        assert_eq!(large.blocks(2, 0x8000_0001), [(1, 0x8000_0001)]);
        assert_eq!(large.blocks(3, 0x8000_0001), [(1, 0x8000_0001_0000_0000)]);
        assert_eq!(large.warps(1, 0x1_8000_0000), [(2, 0x8000_0000), (3, 1)]);
    }

    /// SM-07, BR-02: whatever the two sizes, every thread has one place in the blocks, ranks stay in order, and the way back is the same.
    #[rstest]
    fn every_thread_has_one_place(
        #[values(1, 8, 24, 32, 64)] warp_threads: usize,
        #[values(4, 16, 64)] block_threads: usize,
    ) {
        let mapping = Mapping { warp_threads, block_threads };
        let mut next = 0;
        for warp in 0..6 {
            for thread in 0..warp_threads {
                let blocks = mapping.blocks(warp, 1 << thread);
                let [(block, mask)] = blocks[..] else { panic!("{blocks:?}") };
                assert_eq!(mapping.rank(block, mask.trailing_zeros() as usize), next);
                assert_eq!(mapping.warps(block, mask), [(warp, 1 << thread)]);
                next += 1;
            }
        }
    }
}
