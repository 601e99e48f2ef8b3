//! Looks at a port of a simulation in every cycle, and counts.

use crate::lockstep::rig::{Contestant, Rig};
use crate::verilated::Start;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{index_of, Frame, Pins, Simulation};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Operations that the block takes, and the port that says which.
    Taken {
        /// One is offered.
        valid: &'static str,
        /// It is taken.
        ready: &'static str,
        /// What it is.
        code: Option<&'static str>,
    },
    /// What the block gives while it is busy and somebody would take it.
    Given {
        /// Something is given.
        valid: &'static str,
        /// The block has something to do.
        busy: &'static str,
        /// Somebody takes it.
        ready: &'static str,
    },
}

/// Operations of one sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Taken.
    pub taken: u64,
    /// Cycles in which one was offered, taken or not.
    pub offered: u64,
}

impl Tally {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { taken: self.taken + other.taken, offered: self.offered + other.offered }
    }
}

/// What was counted: operations by code, and all cycles outside a reset.
#[derive(Clone, Default)]
struct Counts {
    tallies: BTreeMap<u128, Tally>,
    cycles: u64,
}

/// Runs a block's Rust simulation, and counts in what runs from the common start.
pub struct Meter {
    watched: Watched,
    simulate: fn() -> Box<dyn Simulation>,
    counts: Arc<Mutex<Counts>>,
}

impl Meter {
    /// Nothing was counted yet.
    pub fn new(entry: &Entry, watched: Watched) -> Self {
        Self { watched, simulate: entry.simulate, counts: Arc::default() }
    }

    /// What was counted, by code.
    pub fn tallies(&self) -> BTreeMap<u128, Tally> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).tallies.clone()
    }

    /// Cycles that passed outside a reset.
    pub fn cycles(&self) -> u64 {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).cycles
    }
}

impl Rig for Meter {
    fn contestants(&self, entry: &Entry, start: Start) -> Vec<Contestant> {
        match start {
            Start::Random(_) => vec![self.alone(start)],
            Start::Pattern => {
                let inner = (entry.simulate)();
                let probe = Probe::new(inner.ports(), self.watched);
                let metered = Metered { inner, probe, counts: Counts::default(), to: self.counts.clone() };
                vec![Contestant::new("the Rust simulation", metered)]
            }
        }
    }

    fn alone(&self, _: Start) -> Contestant {
        Contestant { name: "the Rust simulation", simulation: (self.simulate)() }
    }
}

/// Where the ports are.
#[derive(Clone, Copy)]
struct Probe {
    reset: usize,
    valid: usize,
    ready: usize,
    code: Option<usize>,
    busy: Option<usize>,
}

impl Probe {
    fn new(ports: &[Port], watched: Watched) -> Self {
        let at = |name| index_of(ports, name);
        let (valid, ready, code, busy) = match watched {
            Watched::Taken { valid, ready, code } => (at(valid), at(ready), code.map(at), None),
            Watched::Given { valid, busy, ready } => (at(valid), at(ready), None, Some(at(busy))),
        };
        Self { reset: at("reset"), valid, ready, code, busy }
    }
}

/// A simulation whose port is looked at; what was counted is added up when it ends.
struct Metered {
    inner: Box<dyn Simulation>,
    probe: Probe,
    counts: Counts,
    to: Arc<Mutex<Counts>>,
}

impl Metered {
    fn count(&mut self, read: impl Fn(&mut Self, usize) -> u128) {
        let Probe { reset, valid, ready, code, busy } = self.probe;
        if read(self, reset) != 0 {
            return;
        }
        self.counts.cycles += 1;
        let (valid, ready) = (read(self, valid) != 0, read(self, ready) != 0);
        // What is given is given to somebody who is ready; what is taken was offered.
        let (offered, taken) = match busy {
            Some(busy) => (ready && read(self, busy) != 0, valid),
            None => (valid, valid && ready),
        };
        if offered || taken {
            let code = code.map_or(0, |code| read(self, code));
            let tally = self.counts.tallies.entry(code).or_default();
            *tally = tally.plus(Tally { taken: taken.into(), offered: 1 });
        }
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        let mut all = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        all.cycles += self.counts.cycles;
        for (code, tally) in &self.counts.tallies {
            let sum = all.tallies.entry(*code).or_default();
            *sum = sum.plus(*tally);
        }
    }
}

impl Pins for Metered {
    fn set(&mut self, port: usize, value: u128) {
        self.inner.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.inner.get(port)
    }
}

impl Simulation for Metered {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }

    fn tick(&mut self) {
        self.count(|metered, port| metered.inner.get(port));
        self.inner.tick();
    }

    fn cycle(&mut self, frame: &mut Frame) {
        self.inner.cycle(frame);
        self.count(|_, port| frame.read(port));
    }
}
