//! The judge of the release walker (BR-30, BR-45): releases leave in order, each walks all blocks of its CTA, and says so until it has.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use std::collections::VecDeque;

pins! {
    struct Ports {
        execute_cta, execute_barrier, release_valid, release_phase, release_address, release_busy, release_busy_cta, walk_valid,
        walk_cta, walk_barrier, walk_phase, walk_address, walk_logical, walk_last, walk_any, walk_taken, sweeping
    }
}

/// A release, as the walk shows it: CTA, barrier, phase, address.
type Release = [u128; 4];

/// Releases under way.
pub struct ReleaseWalkerJudge {
    ports: Ports,
    blocks: usize,
    ctas: usize,
    cycle: usize,
    releases: VecDeque<Release>,
    logical: usize,
    /// Releases that were walked to their end.
    walked: usize,
}

impl ReleaseWalkerJudge {
    /// Thread blocks of a CTA: some have one, some all, and the next CTA in the same place has another number of them.
    fn blocks_of(&self, cta: u128) -> usize {
        (cta as usize * 3 + self.walked / 16) % self.blocks + 1
    }

    fn sweeps(&self) -> bool {
        self.cycle < self.ctas
    }

    fn busy(&self, cta: u128, barrier: Option<u128>) -> bool {
        self.releases.iter().any(|[of, id, ..]| *of == cta && barrier.is_none_or(|barrier| barrier == *id))
    }
}

impl Judge for ReleaseWalkerJudge {
    const EXPECTED: &'static [&'static str] = &[
        "release",
        "several releases wait",
        "empty block",
        "block taken over",
        "block waits",
        "release walked to its end",
        "busy with another barrier of the CTA",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self {
            ports: Ports::of(ports),
            blocks: size(entry, "blocks"),
            ctas: size(entry, "ctas"),
            cycle: 0,
            releases: VecDeque::new(),
            logical: 0,
            walked: 0,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { execute_cta, execute_barrier, release_valid, walk_last, walk_taken, .. } = self.ports;
        // A barrier is released again only when its earlier release is walked, and nothing happens during the sweep.
        let busy = self.busy(pins.read(execute_cta), Some(pins.read(execute_barrier)));
        if self.sweeps() || busy {
            pins.write(release_valid, 0);
        }
        match self.releases.front() {
            Some([cta, ..]) => {
                pins.write(walk_last, u128::from(self.logical + 1 == self.blocks_of(*cta)));
            }
            None => pins.write(walk_taken, 0),
        }
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        expect("sweeping", read(self.ports.sweeping) == 1, self.sweeps())?;
        let sweeps = self.sweeps();
        self.cycle += 1;
        if sweeps {
            return Ok(());
        }
        let (cta, barrier) = (read(self.ports.execute_cta), read(self.ports.execute_barrier));
        let busy = (self.busy(cta, Some(barrier)), self.busy(cta, None));
        expect("release_busy", read(self.ports.release_busy) == 1, busy.0)?;
        expect("release_busy_cta", read(self.ports.release_busy_cta) == 1, busy.1)?;
        if busy.1 && !busy.0 {
            counts.add("busy with another barrier of the CTA");
        }
        expect("walk_valid", read(self.ports.walk_valid) == 1, !self.releases.is_empty())?;
        if let Some(release) = self.releases.front().copied() {
            let Ports { walk_cta, walk_barrier, walk_phase, walk_address, walk_logical, .. } = self.ports;
            expect("the walk", [walk_cta, walk_barrier, walk_phase, walk_address].map(read), release)?;
            expect("walk_logical", read(walk_logical), self.logical as u128)?;
            if self.releases.len() > 1 {
                counts.add("several releases wait");
            }
            let (any, taken) = (read(self.ports.walk_any) == 1, read(self.ports.walk_taken) == 1);
            counts.add(match (any, taken) {
                (false, _) => "empty block",
                (true, true) => "block taken over",
                (true, false) => "block waits",
            });
            if !any || taken {
                self.logical += 1;
            }
            if self.logical == self.blocks_of(release[0]) {
                self.logical = 0;
                self.releases.pop_front();
                self.walked += 1;
                counts.add("release walked to its end");
            }
        }
        if read(self.ports.release_valid) == 1 {
            counts.add("release");
            self.releases.push_back([cta, barrier, read(self.ports.release_phase), read(self.ports.release_address)]);
        }
        Ok(())
    }
}
