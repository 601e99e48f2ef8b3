//! What the ports have told of threads and barriers.

use crate::barrier::{BlockMask, Configuration, Request, Size};

/// What a thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// Exited or not there.
    #[default]
    Gone,
    /// Running.
    Running,
    /// Asleep.
    Asleep(Sleep),
    /// Inside a section.
    Inside(usize),
}

/// How a thread sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    /// In which barrier.
    pub barrier: usize,
    /// What it waits for.
    pub role: Role,
    /// Its phase has ended: where it will go on.
    pub released: Option<u32>,
}

/// What a sleeper waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To run the section, or for the end of the phase.
    Member,
    /// The same, having joined late.
    Late,
    /// For the end of a section that it does not run (BR-23).
    Skipped,
    /// For the others to be done (BR-32).
    Done,
}

/// How a barrier is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// Not at all.
    #[default]
    Idle,
    /// Arrivals are counted.
    Static,
    /// In the FIFO or in a slot.
    Dynamic,
}

/// What the top says, as far as it has to be the same again.
pub type Top = (u32, bool, bool, bool, bool, bool);

/// The part of a request that a barrier keeps.
pub fn top_of(request: &Request) -> Top {
    (request.after, request.critical, request.ordered, request.exclusive, request.blocking, request.impatient)
}

/// What is known of a barrier.
#[derive(Clone, Debug, Default)]
pub struct KeyLedger {
    pub configuration: Configuration,
    pub used: Use,
    pub split: bool,
    pub tag: Option<u32>,
    pub top: Top,
    pub phase: bool,
    /// Threads that counted, a mask a block.
    pub counted: Vec<BlockMask>,
    /// Non-participants that may not restart the clock again.
    pub seen: Vec<BlockMask>,
    /// Counts outlive the execution.
    pub retained: bool,
    /// An execution under this tag ended short, so others may pass.
    pub short_tag: Option<u32>,
    pub complete_since: Option<u64>,
    pub timeout_fired: bool,
    /// The timeout may not fire before T after this cycle.
    pub clock_earliest: Option<u64>,
    /// The timeout has to fire soon after T after this cycle.
    pub clock_latest: Option<u64>,
    /// Since then its CTA is away, and the clock stands.
    pub stopped: Option<u64>,
    pub reset: bool,
    /// Idle was strobed in this cycle; the release comes with it.
    pub ending: bool,
    /// Members that have not run the section in this execution.
    pub owed_runs: i64,
    pub transactions: [i64; 2],
    /// Threads asleep here, released ones included.
    pub asleep: usize,
}

impl KeyLedger {
    pub fn new(size: &Size) -> Self {
        Self { counted: vec![0; size.blocks], seen: vec![0; size.blocks], ..Self::default() }
    }

    pub fn critical(&self) -> bool {
        self.top.1 && !self.split
    }

    pub fn ordered(&self) -> bool {
        self.top.2
    }

    pub fn exclusive(&self) -> bool {
        self.top.3 && !self.split
    }

    pub fn blocking(&self) -> bool {
        self.top.4
    }

    /// Where released sleepers go on.
    pub fn release_address(&self) -> u32 {
        if self.critical() {
            self.top.0
        } else {
            self.tag.map_or(0, |tag| (tag + 1) & 0x3f_ffff)
        }
    }

    pub fn count(&self) -> usize {
        self.counted.iter().map(|mask| mask.count_ones() as usize).sum()
    }

    pub fn clear_counts(&mut self) {
        self.counted.fill(0);
        self.seen.fill(0);
    }

    /// The phase or execution is over.
    pub fn turn_idle(&mut self) {
        let short = self.configuration.condition >= 4 && self.count() < usize::from(self.configuration.reference);
        let mode = self.configuration.late as u8;
        self.retained = short && mode == 7 && !self.reset && !self.split;
        if short && (2..=5).contains(&mode) && !self.reset && !self.critical() {
            self.short_tag = self.tag;
        }
        if !self.retained && self.short_tag.is_none() {
            self.clear_counts();
        }
        self.used = Use::Idle;
        self.split = false;
        self.complete_since = None;
        self.timeout_fired = false;
        self.clock_earliest = None;
        self.clock_latest = None;
        self.reset = false;
        self.owed_runs = 0;
    }
}

/// What is known of a CTA.
#[derive(Clone, Debug, Default)]
pub struct CtaLedger {
    pub valid: bool,
    /// Logical id of each thread, indexed as the threads.
    pub logical: Vec<usize>,
    /// Physical block times threads of a block plus offset.
    pub threads: Vec<Where>,
    pub live: usize,
    pub keys: Vec<KeyLedger>,
    /// Barriers that were dynamic when the CTA left, in the order in which they have to enter again.
    pub returning: std::collections::VecDeque<usize>,
}

impl CtaLedger {
    pub fn new(size: &Size) -> Self {
        Self {
            valid: false,
            logical: vec![usize::MAX; size.threads()],
            threads: vec![Where::Gone; size.threads()],
            live: 0,
            keys: vec![KeyLedger::new(size); size.barriers],
            returning: Default::default(),
        }
    }

    /// Threads asleep in the open phase.
    pub fn sleepers(&self, barrier: usize) -> usize {
        self.sleeping(barrier).filter(|(_, sleep)| sleep.released.is_none()).count()
    }

    /// Sleepers of a phase that ended.
    pub fn undelivered(&self, barrier: usize) -> bool {
        self.keys[barrier].asleep > 0 && self.sleeping(barrier).any(|(_, sleep)| sleep.released.is_some())
    }

    /// All sleepers of a barrier.
    pub fn sleeping(&self, barrier: usize) -> impl Iterator<Item = (usize, Sleep)> + '_ {
        self.threads.iter().enumerate().filter_map(move |(thread, place)| match place {
            Where::Asleep(sleep) if sleep.barrier == barrier => Some((thread, *sleep)),
            _ => None,
        })
    }

    /// The thread inside a section.
    pub fn inside(&self, barrier: usize) -> Option<usize> {
        self.threads.iter().position(|place| *place == Where::Inside(barrier))
    }

    /// Membership as BR-12, BR-39 and BR-51 state it.
    pub fn complete(&self, barrier: usize) -> bool {
        self.members_there(barrier) && !self.transacting(barrier)
    }

    /// Transactions of the open phase are announced and not completed, or the other way round.
    pub fn transacting(&self, barrier: usize) -> bool {
        let ledger = &self.keys[barrier];
        ledger.split && ledger.transactions[usize::from(ledger.phase)] != 0
    }

    /// Who is waited for has arrived.
    pub fn members_there(&self, barrier: usize) -> bool {
        let ledger = &self.keys[barrier];
        let count = ledger.count();
        let reference = usize::from(ledger.configuration.reference);
        let by_count = match ledger.configuration.condition {
            1 => count == self.live,
            2..=4 => count >= reference,
            _ => count >= reference || count >= usize::from(ledger.configuration.minimum),
        };
        let all_asleep = self.sleepers(barrier) == self.live;
        let by_sleep = all_asleep && (ledger.configuration.condition != 1 || ledger.split);
        by_count || by_sleep
    }
}
