//! The software that gives out global memory for saved groups (CX-05).
//!
//! A buddy allocator over a buffer that is given at the start. The algorithm is the crate `buddy_system_allocator`, used in
//! operating systems written in Rust; its `FrameAllocator` hands out numbers and touches no memory, which is just what is wanted.
//! This driver adds what hardware has to be told: which group has what, and that a request failed.

use buddy_system_allocator::FrameAllocator;
use std::collections::BTreeMap;

/// Orders of block sizes: up to 2^30 words.
const ORDERS: usize = 31;

/// The allocator's driver.
pub struct BufferAllocator {
    frames: FrameAllocator<ORDERS>,
    /// First word of the buffer; the crate counts from 0, so that blocks are aligned to it.
    base: u32,
    /// Words of each block that is out, by its pointer.
    out: BTreeMap<u32, u32>,
}

impl BufferAllocator {
    /// An allocator over `words` words from `base` on.
    pub fn new(base: u32, words: u32) -> Self {
        let mut frames = FrameAllocator::new();
        frames.add_frame(0, words as usize);
        Self { frames, base, out: BTreeMap::new() }
    }

    /// A block of at least so many words; none if there is none (CX-05).
    pub fn allocate(&mut self, words: u32) -> Option<u32> {
        let pointer = self.base + self.frames.alloc(words.max(1) as usize)? as u32;
        self.out.insert(pointer, words);
        Some(pointer)
    }

    /// Takes a block back.
    ///
    /// # Errors
    /// If no block that is out begins there.
    pub fn free(&mut self, pointer: u32) -> Result<(), String> {
        let words = self.out.remove(&pointer).ok_or_else(|| format!("{pointer:#x} is freed and was not given out"))?;
        self.frames.dealloc((pointer - self.base) as usize, words.max(1) as usize);
        Ok(())
    }

    /// Blocks that are out: first word and words.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.out.iter().map(|(pointer, words)| (*pointer, *words))
    }
}
