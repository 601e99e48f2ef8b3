//! The judge of the thread state (BR-04, BR-32, BR-33, BR-44): who sleeps where, in which phase, and who is done, thread by thread.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;

pins! {
    struct Ports {
        sleep_row, sleep_mask, sleep_barrier, sleep_phase, sleep_done, clear_enable, wake_row, wake_mask, walk_row, walk_barrier,
        walk_phase, walk_mask, select_row, select_barrier, select_mask, sweeping
    }
}

/// Where a thread sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sleep {
    barrier: u128,
    phase: u128,
    done: bool,
}

/// All threads, by row.
pub struct ThreadStateJudge {
    ports: Ports,
    rows: Vec<Vec<Option<Sleep>>>,
    cycle: usize,
}

impl ThreadStateJudge {
    /// The threads of a row of which `which` holds.
    fn mask(&self, row: u128, which: impl Fn(&Sleep) -> bool) -> u128 {
        let threads = self.rows[row as usize].iter().enumerate();
        threads
            .filter(|(_, thread)| thread.as_ref().is_some_and(&which))
            .fold(0, |mask, (thread, _)| mask | 1 << thread)
    }
}

impl Judge for ThreadStateJudge {
    const EXPECTED: &'static [&'static str] = &[
        "fall asleep",
        "fall asleep done",
        "wake",
        "sleep and wake in one row and cycle",
        "launch wakes sleepers",
        "walk finds sleepers",
        "walk leaves those of the other phase",
        "selection finds threads",
        "selection leaves those that are done",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let rows = size(entry, "ctas") * size(entry, "blocks");
        Self { ports: Ports::of(ports), rows: vec![vec![None; size(entry, "block_threads")]; rows], cycle: 0 }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { sleep_row, sleep_mask, clear_enable, wake_row, wake_mask, .. } = self.ports;
        if self.cycle < self.rows.len() {
            for port in [sleep_mask, clear_enable, wake_mask] {
                pins.write(port, 0);
            }
            return;
        }
        // Who falls asleep is awake, who is woken sleeps; a launch every now and then, and no wake-ups of that block then.
        let asleep = self.mask(pins.read(sleep_row), |_| true);
        if !self.cycle.is_multiple_of(8) {
            pins.write(clear_enable, 0);
        }
        if pins.read(clear_enable) == 1 {
            pins.write(sleep_mask, 0);
            if pins.read(wake_row) == pins.read(sleep_row) {
                pins.write(wake_mask, 0);
            }
        }
        pins.write(sleep_mask, pins.read(sleep_mask) & !asleep);
        let sleepers = self.mask(pins.read(wake_row), |_| true);
        pins.write(wake_mask, pins.read(wake_mask) & sleepers);
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let sweeps = self.cycle < self.rows.len();
        self.cycle += 1;
        expect("sweeping", read(self.ports.sweeping) == 1, sweeps)?;
        if sweeps {
            return Ok(());
        }
        let (row, barrier, phase) =
            (read(self.ports.walk_row), read(self.ports.walk_barrier), read(self.ports.walk_phase));
        let walked = self.mask(row, |sleep| sleep.barrier == barrier && sleep.phase == phase);
        expect("walk_mask", read(self.ports.walk_mask), walked)?;
        if walked != 0 {
            counts.add("walk finds sleepers");
        }
        if walked != self.mask(row, |sleep| sleep.barrier == barrier) {
            counts.add("walk leaves those of the other phase");
        }
        let (row, barrier) = (read(self.ports.select_row), read(self.ports.select_barrier));
        let selected = self.mask(row, |sleep| sleep.barrier == barrier && !sleep.done);
        expect("select_mask", read(self.ports.select_mask), selected)?;
        if selected != 0 {
            counts.add("selection finds threads");
        }
        if selected != self.mask(row, |sleep| sleep.barrier == barrier) {
            counts.add("selection leaves those that are done");
        }

        let (row, mask) = (read(self.ports.sleep_row), read(self.ports.sleep_mask));
        let (wake_row, woken) = (read(self.ports.wake_row), read(self.ports.wake_mask));
        if woken != 0 {
            counts.add(if row == wake_row && mask != 0 { "sleep and wake in one row and cycle" } else { "wake" });
        }
        for (thread, sleep) in self.rows[wake_row as usize].iter_mut().enumerate() {
            if woken >> thread & 1 == 1 {
                *sleep = None;
            }
        }
        if read(self.ports.clear_enable) == 1 {
            if self.mask(row, |_| true) != 0 {
                counts.add("launch wakes sleepers");
            }
            self.rows[row as usize].fill(None);
            return Ok(());
        }
        let done = read(self.ports.sleep_done) == 1;
        if mask != 0 {
            counts.add(if done { "fall asleep done" } else { "fall asleep" });
        }
        let entry = Sleep { barrier: read(self.ports.sleep_barrier), phase: read(self.ports.sleep_phase), done };
        for (thread, sleep) in self.rows[row as usize].iter_mut().enumerate() {
            if mask >> thread & 1 == 1 {
                *sleep = Some(entry);
            }
        }
        Ok(())
    }
}
