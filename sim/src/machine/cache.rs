//! A modelled cache in front of global memory: it decides how long an access takes, never what it reads.
//!
//! Lines are kept by last use, fully associative. An instruction asks for each line once, whatever its threads; if one is missing, its warp
//! issues nothing until all have come: the first after [`CacheOptions::miss_cycles`], each further one a cycle later.

use super::counters::CacheCounts;

/// How big and how slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// Lines that it holds.
    pub lines: usize,
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Cycles that a missing line takes.
    pub miss_cycles: u64,
}

/// The cache.
#[derive(Clone, Debug)]
pub struct Cache {
    options: CacheOptions,
    /// Line numbers, the last used one at the end.
    lines: Vec<u32>,
    /// For each warp, the first cycle in which it may issue.
    ready_in: Vec<u64>,
    counts: CacheCounts,
}

impl Cache {
    /// An empty cache for so many warps.
    pub fn new(options: CacheOptions, warps: usize) -> Self {
        Self { options, lines: Vec::new(), ready_in: vec![0; warps], counts: CacheCounts::default() }
    }

    /// An instruction of a warp accesses these byte addresses in a cycle.
    pub fn access(&mut self, cycle: u64, warp: usize, addresses: &[u32]) {
        let mut wanted: Vec<u32> = addresses.iter().map(|address| address / self.options.line_bytes).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut missing = 0;
        for line in wanted {
            self.counts.accesses += 1;
            match self.lines.iter().position(|held| *held == line) {
                Some(place) => {
                    self.counts.hits += 1;
                    self.lines.remove(place);
                }
                None => {
                    missing += 1;
                    if self.lines.len() == self.options.lines {
                        self.lines.remove(0);
                    }
                }
            }
            self.lines.push(line);
        }
        if missing > 0 {
            self.ready_in[warp] = cycle + self.options.miss_cycles + missing;
        }
    }

    /// Warps whose lines have not come yet.
    pub fn waiting(&self, cycle: u64) -> u64 {
        self.ready_in
            .iter()
            .enumerate()
            .filter(|(_, ready)| **ready > cycle)
            .fold(0, |warps, (warp, _)| warps | 1 << warp)
    }

    /// What was counted.
    pub fn counts(&self) -> CacheCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SM-22: the line used longest ago makes room; a line is asked for once an instruction; a miss holds up its warp alone.
    #[test]
    fn lines_come_and_go_by_last_use() {
        let mut cache = Cache::new(CacheOptions { lines: 2, line_bytes: 64, miss_cycles: 10 }, 2);
        cache.access(0, 0, &[0, 4, 60, 64]);
        assert_eq!((cache.counts().accesses, cache.counts().hits), (2, 0));
        assert_eq!((cache.waiting(11), cache.waiting(12)), (0b01, 0));
        cache.access(20, 1, &[0]);
        cache.access(21, 1, &[128]);
        cache.access(50, 1, &[0]);
        assert_eq!((cache.counts().hits, cache.waiting(50)), (2, 0));
        cache.access(51, 1, &[64]);
        assert_eq!((cache.counts().accesses, cache.counts().hits, cache.waiting(51)), (6, 2, 0b10));
    }
}
