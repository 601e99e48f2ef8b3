//! The judge of the map of thread blocks (BR-02, BR-05, CX-09): what was written last, read by both sides.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;

pins! {
    struct Ports {
        write_enable, write_cta, write_data, walk_cta, walk_logical, walk_block, walk_last, select_cta, select_logical, select_block,
        select_last, saved
    }
}

/// The maps of all CTAs; none until the CTA is launched.
pub struct LogicalMapJudge {
    ports: Ports,
    block_threads: usize,
    blocks: usize,
    /// Physical blocks in logical order, and the last logical one.
    maps: Vec<Option<(Vec<u128>, u128)>>,
}

impl Judge for LogicalMapJudge {
    const EXPECTED: &'static [&'static str] = &[
        "block that lies elsewhere",
        "last block",
        "partial last block",
        "block beyond the last",
        "both sides read",
        "launch that is read back",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self {
            ports: Ports::of(ports),
            block_threads: size(entry, "block_threads"),
            blocks: size(entry, "blocks"),
            maps: vec![None; size(entry, "ctas")],
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        // A launch has at least one thread, and at most as many as there is room for.
        let data = pins.read(self.ports.write_data);
        let threads = (data & 0xffff) % (self.blocks * self.block_threads) as u128 + 1;
        pins.write(self.ports.write_data, data >> 16 << 16 | threads);
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let Ports { walk_cta, walk_logical, walk_block, walk_last, .. } = self.ports;
        let Ports { select_cta, select_logical, select_block, select_last, .. } = self.ports;
        let sides = [
            ("the walk", walk_cta, walk_logical, walk_block, walk_last),
            ("the selection", select_cta, select_logical, select_block, select_last),
        ];
        for (side, cta, logical, block, last) in sides {
            let Some((map, end)) = &self.maps[read(cta) as usize] else { continue };
            let logical = read(logical);
            expect(&format!("the physical block of {side}"), read(block), map[logical as usize])?;
            expect(&format!("the end of {side}"), read(last) == 1, logical == *end)?;
            counts.add("both sides read");
            if map[logical as usize] != logical {
                counts.add("block that lies elsewhere");
            }
            if logical >= *end {
                counts.add(if logical == *end { "last block" } else { "block beyond the last" });
            }
        }
        if let Some((map, end)) = &self.maps[read(self.ports.write_cta) as usize] {
            let bits = self.blocks.trailing_zeros() as usize;
            let map = (0..).zip(map).fold(0, |word, (logical, block)| word | block << (16 + logical * bits));
            expect("the saved launch", read(self.ports.saved), map | ((end + 1) * self.block_threads as u128))?;
            counts.add("launch that is read back");
        }
        if read(self.ports.write_enable) == 1 {
            let data = read(self.ports.write_data);
            let threads = (data & 0xffff) as usize;
            let bits = self.blocks.trailing_zeros() as usize;
            let block = |logical: usize| data >> (16 + logical * bits) & (self.blocks as u128 - 1);
            if !threads.is_multiple_of(self.block_threads) {
                counts.add("partial last block");
            }
            let map = (0..self.blocks).map(block).collect();
            self.maps[read(self.ports.write_cta) as usize] = Some((map, ((threads - 1) / self.block_threads) as u128));
        }
        Ok(())
    }
}
