//! The work distributor as reference model and as contract (WD-01 to WD-10).
//!
//! | module | what it is |
//! | --- | --- |
//! | here | the sets of thread blocks that a [`Grid`] comes to: the truth |
//! | [`walker`] | a reference walker behind the ports of [`crate::launch`] |
//! | [`contract`] | what any distributor owes, judged from its ports |
//! | [`traffic`] | random grids, tables and stalls for any of them |
//!
//! **Source** US 8,413,151; clusters and the order of queued grids from WD-06 and WD-10.

pub mod contract;
pub mod traffic;
pub mod walker;

#[cfg(test)]
mod tests;

use crate::launch::{BlockSet, Grid, WORD_FLAGS};

/// The part of a word of flags that one cluster has in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Which cluster, counted in index order; 0 without clusters.
    pub cluster: u64,
    /// Number of the word in its row: its flags begin at x = 64 times that.
    pub word: u32,
    /// The row.
    pub y: u16,
    /// And its plane.
    pub z: u16,
    /// Which of the 64 flags count here.
    pub mask: u64,
    /// Where the word lies, in words.
    pub address: u32,
}

impl Grid {
    /// Words of a row.
    pub fn row_words(&self) -> u32 {
        u32::from(self.range[0]).div_ceil(WORD_FLAGS)
    }

    /// Blocks of a cluster in each dimension, and clusters in each dimension.
    fn cut(&self) -> ([u32; 3], [u32; 3]) {
        let whole = self.range.map(|range| u32::from(range).max(1));
        let mut size = whole;
        for (size, cut) in size.iter_mut().zip(self.cluster.unwrap_or([0; 3])) {
            if cut != 0 {
                *size = u32::from(cut);
            }
        }
        let count = std::array::from_fn(|dimension| u32::from(self.range[dimension]).div_ceil(size[dimension]));
        (size, count)
    }

    /// The strips in the order in which they are walked: clusters in index order, and in each of them rows in index order (WD-02).
    pub fn strips(self) -> impl Iterator<Item = Strip> {
        let (size, count) = self.cut();
        let clusters = (0..u64::from(count[0]) * u64::from(count[1]) * u64::from(count[2])).map(move |cluster| {
            let (plane, row) = (u64::from(count[0]) * u64::from(count[1]), u64::from(count[0]));
            let place = [cluster % row, cluster % plane / row, cluster / plane];
            let span = move |dimension: usize| {
                let from = place[dimension] as u32 * size[dimension];
                from..(from + size[dimension]).min(self.range[dimension].into())
            };
            (cluster, span(0), span(1), span(2))
        });
        clusters.flat_map(move |(cluster, x, y, z)| {
            z.flat_map(move |z| {
                let x = x.clone();
                y.clone().flat_map(move |y| {
                    let x = x.clone();
                    (x.start / WORD_FLAGS..x.end.div_ceil(WORD_FLAGS)).map(move |word| {
                        let first = x.start.max(word * WORD_FLAGS) - word * WORD_FLAGS;
                        let end = x.end.min((word + 1) * WORD_FLAGS) - word * WORD_FLAGS;
                        let mask = u64::MAX >> (WORD_FLAGS - (end - first)) << first;
                        let row = z * u32::from(self.range[1]) + y;
                        let offset = row.wrapping_mul(self.row_words()).wrapping_add(word);
                        let address = self.table.unwrap_or(0).wrapping_add(offset);
                        Strip { cluster, word, y: y as u16, z: z as u16, mask, address }
                    })
                })
            })
        })
    }

    /// Everything that the grid comes to, in order: each strip's flags from the lowest, up to `most` at a time (WD-02, WD-04, WD-07).
    /// `memory` reads a word of flags.
    pub fn sets<'a>(self, memory: &'a dyn Fn(u32) -> u64, most: usize) -> impl Iterator<Item = (Strip, BlockSet)> + 'a {
        self.strips().flat_map(move |strip| {
            let mut flags = strip.mask & self.table.map_or(u64::MAX, |_| memory(strip.address));
            std::iter::from_fn(move || (flags != 0).then(|| (strip, self.take(strip, &mut flags, most))))
        })
    }

    /// Takes the lowest `most` flags of a strip out as a set.
    pub(crate) fn take(&self, strip: Strip, flags: &mut u64, most: usize) -> BlockSet {
        let mut x = Vec::new();
        while *flags != 0 && x.len() < most {
            x.push((strip.word * WORD_FLAGS + flags.trailing_zeros()) as u16);
            *flags &= *flags - 1;
        }
        BlockSet { program: self.program, grid: self.grid, x, y: strip.y, z: strip.z }
    }
}
