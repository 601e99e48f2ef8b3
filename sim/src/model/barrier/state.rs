//! What a barrier and a thread remember (BR-03, BR-04).

use crate::barrier::{BlockMask, Configuration, Request, Size};

/// Where a barrier stands (BR-03).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Nobody sleeps in it.
    #[default]
    Idle,
    /// Arrivals are counted.
    Static,
    /// Dynamic, in the FIFO.
    Queued,
    /// Dynamic, in this execution slot.
    Slot(usize),
}

impl State {
    /// In the FIFO or in a slot.
    pub const fn is_dynamic(self) -> bool {
        matches!(self, State::Queued | State::Slot(_))
    }
}

/// The attributes that come with the top and are fixed from idle to static (BR-05, BR-06).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// PC after the bottom.
    pub after: u32,
    /// A critical section.
    pub critical: bool,
    /// In logical order.
    pub ordered: bool,
    /// Nothing conflicting runs meanwhile.
    pub exclusive: bool,
    /// Who is done sleeps until all are.
    pub blocking: bool,
    /// The condition is 4 or 5.
    pub impatient: bool,
}

impl Attributes {
    /// Those of a top.
    pub const fn of(request: &Request) -> Self {
        Self {
            after: request.after,
            critical: request.critical,
            ordered: request.ordered,
            exclusive: request.exclusive,
            blocking: request.blocking,
            impatient: request.impatient,
        }
    }
}

/// Sleepers of a phase that ended and are not all woken yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Release {
    /// The phase in which they fell asleep.
    pub phase: bool,
    /// Where they go on.
    pub address: u32,
}

/// One barrier of one CTA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// What BARRIER.CONF set.
    pub configuration: Configuration,
    /// Idle, static or dynamic.
    pub state: State,
    /// PC of the top or, of split phases, of the first sleeping WAIT; none before the first.
    pub tag: Option<u32>,
    /// Attributes of the top.
    pub attributes: Attributes,
    /// In use by split phases (BR-50).
    pub split: bool,
    /// Flips when a phase in which somebody slept ends; of split phases always.
    pub phase: bool,
    /// Threads that counted in this phase, a mask for each physical block.
    pub arrived: Vec<BlockMask>,
    /// Non-participants that restarted the clock in this phase (BR-16 under "latest of any").
    pub bystanders: Vec<BlockMask>,
    /// The clock: the cycle from which on the timeout may fire (BR-13).
    pub deadline: Option<u64>,
    /// Membership is complete, but the last release is still under way.
    pub complete: bool,
    /// Later participants pass (BR-22).
    pub invalidated: bool,
    /// Arrived bits and count outlive the execution (BR-24).
    pub retained: bool,
    /// A late thread joined since the running pass began (BR-33).
    pub rescan: bool,
    /// BARRIER.RESET met it dynamic (BR-25).
    pub reset: bool,
    /// The release under way.
    pub release: Option<Release>,
    /// Transactions announced and not completed, of each parity (BR-51).
    pub transactions: [i8; 2],
}

impl Barrier {
    /// As a launch leaves it.
    pub fn new(size: &Size) -> Self {
        Self { arrived: vec![0; size.blocks], bystanders: vec![0; size.blocks], ..Self::default() }
    }

    /// Arrivals that the condition counts.
    pub fn count(&self) -> usize {
        self.arrived.iter().map(|mask| mask.count_ones() as usize).sum()
    }

    /// Threads of a block whose arrival cannot count again in this phase.
    pub fn marked(&self, block: usize) -> BlockMask {
        self.arrived[block] | self.bystanders[block]
    }

    /// Forgets who arrived.
    pub fn forget_arrivals(&mut self) {
        self.arrived.fill(0);
        self.bystanders.fill(0);
    }

    /// Bypasses FIFO and slots (BR-45).
    pub const fn is_plain(&self) -> bool {
        !self.attributes.critical && !self.attributes.exclusive
    }

    /// Where released sleepers go on: behind the top or the WAIT, of a section behind its bottom (BR-25, BR-30, BR-32).
    pub fn release_address(&self) -> u32 {
        if self.attributes.critical {
            self.attributes.after
        } else {
            self.behind_the_top()
        }
    }

    /// The PC behind the top or the WAIT.
    pub fn behind_the_top(&self) -> u32 {
        self.tag.unwrap_or(0).wrapping_add(1) & ADDRESS_MASK
    }
}

/// Addresses have 22 bits.
const ADDRESS_MASK: u32 = (1 << 22) - 1;

/// What a thread does, as far as barriers know (BR-04).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Place {
    /// Exited or never launched.
    #[default]
    Gone,
    /// Running outside of any section.
    Awake,
    /// Asleep in a barrier.
    Asleep {
        /// Its id.
        barrier: usize,
        /// The barrier's phase when the thread fell asleep.
        phase: bool,
        /// Does not run the section (any more).
        done: bool,
        /// Joined a running execution (BR-20).
        late: bool,
    },
    /// Between the wake-up that starts a section and its bottom (BR-06).
    Inside {
        /// Its id.
        barrier: usize,
    },
}

/// One CTA.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cta {
    /// Launched and not retired.
    pub valid: bool,
    /// Threads that have not exited.
    pub live: usize,
    /// Physical block of each logical block that has threads (BR-02).
    pub map: Vec<usize>,
    /// Its threads: physical block times threads of a block plus offset.
    pub threads: Vec<Place>,
    /// Its barriers.
    pub barriers: Vec<Barrier>,
}

impl Cta {
    /// One that was never launched.
    pub fn new(size: &Size) -> Self {
        Self {
            valid: false,
            live: 0,
            map: Vec::new(),
            threads: vec![Place::Gone; size.threads()],
            barriers: vec![Barrier::new(size); size.barriers],
        }
    }

    /// Threads that sleep in the current phase of a barrier.
    pub fn sleepers(&self, barrier: usize) -> usize {
        let current = self.barriers[barrier].phase;
        let here = |place: &&Place| matches!(place, Place::Asleep { barrier: id, phase, .. } if *id == barrier && *phase == current);
        self.threads.iter().filter(here).count()
    }

    /// A thread is inside this section.
    pub fn occupied(&self, barrier: usize) -> bool {
        self.threads.contains(&Place::Inside { barrier })
    }

    /// Membership is complete (BR-12, BR-39), the timeout aside. A timeout makes an impatient barrier complete by itself (BR-13).
    pub fn membership(&self, barrier: usize) -> bool {
        let entry = &self.barriers[barrier];
        let configuration = &entry.configuration;
        let (count, live) = (entry.count(), self.live);
        let enough = match configuration.condition {
            1 => count >= live,
            5 => count >= usize::from(configuration.reference.min(configuration.minimum)),
            _ => count >= usize::from(configuration.reference),
        };
        let starved = (configuration.condition != 1 || entry.split) && self.sleepers(barrier) == live;
        let delivered = !entry.split || entry.transactions[usize::from(entry.phase)] == 0;
        (enough || starved) && delivered
    }
}
