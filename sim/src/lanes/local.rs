//! Local memory: the words of each thread, in the memory of the hardware or, of a warp that was saved, in global memory (CX-03, CX-04).
//!
//! Words of a thread lie a whole warp apart, so that the threads' same words are neighbours. Where an access goes is the address
//! unit's to say ([`LocalPlace`]); lanes that stand alone use every warp's home in the hardware.

use super::memory::Memory;
use crate::isa::Width;

/// Left in the local memory of a warp that was taken out: whoever reads it reads a stranger's.
const SCRUBBED: u32 = 0xdead_10ca;

/// Where a word of a thread lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalPlace {
    /// In global memory, for the thread's warp was saved; else in the hardware.
    pub saved: bool,
    /// Which word, 32 bits each.
    pub word: u32,
}

/// Both memories.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalMemory {
    /// Threads of a warp, rounded up to a power of two, as the address unit counts them (CX-04).
    threads: u32,
    /// Words of a thread.
    words: u32,
    hardware: Memory,
    saved: Memory,
}

impl LocalMemory {
    /// Zeros for `warps` warps of `threads` threads with `bytes` bytes each.
    pub fn new(warps: usize, threads: usize, bytes: u32) -> Self {
        let (threads, words) = (threads.next_power_of_two() as u32, bytes.div_ceil(4));
        let hardware = Memory::zeros(warps as u32 * threads * words * 4);
        Self { threads, words, hardware, saved: Memory::zeros(0) }
    }

    /// Words of a thread.
    pub const fn words(&self) -> u32 {
        self.words
    }

    /// Words of a warp.
    pub const fn group_words(&self) -> u32 {
        self.words * self.threads
    }

    /// First word of a warp in the hardware.
    pub const fn home(&self, warp: usize) -> u32 {
        warp as u32 * self.threads * self.words
    }

    /// Makes room for saved warps: `words` words of global memory.
    pub fn reserve(&mut self, words: u32) {
        self.saved = Memory::zeros(words * 4);
    }

    /// Where a word is if its warp was never saved.
    pub const fn at_home(&self, warp: usize, thread: usize, word: u32) -> LocalPlace {
        LocalPlace { saved: false, word: self.home(warp) + word * self.threads + thread as u32 }
    }

    /// The memory of a place.
    pub fn memory(&mut self, place: LocalPlace) -> &mut Memory {
        match place.saved {
            true => &mut self.saved,
            false => &mut self.hardware,
        }
    }

    /// A word of the hardware, as the copy engine reads it; none beyond its end.
    pub fn read(&self, word: u32) -> Option<u32> {
        (word < self.hardware.size() / 4).then(|| self.hardware.load(word * 4, Width::Word))
    }

    /// Writes a word of global memory, as the copy engine does; false beyond its end.
    pub fn write(&mut self, word: u32, value: u32) -> bool {
        let inside = word < self.saved.size() / 4;
        if inside {
            self.saved.store(word * 4, Width::Word, value);
        }
        inside
    }

    /// Zeros for the threads of a warp that is launched.
    pub fn clear(&mut self, warp: usize) {
        self.fill(warp, 0);
    }

    /// Nothing of the warp that was here is left.
    pub fn scrub(&mut self, warp: usize) {
        self.fill(warp, SCRUBBED);
    }

    fn fill(&mut self, warp: usize, value: u32) {
        let home = self.home(warp);
        for word in home..home + self.threads * self.words {
            self.hardware.store(word * 4, Width::Word, value);
        }
    }
}
