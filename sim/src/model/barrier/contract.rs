//! What any barrier scheduler owes, judged from its ports alone.
//!
//! Independent of the automaton beside it: it keeps a ledger of what requests, responses, wake-ups and strobes have said, and holds every new
//! one against it. The promises:
//! 1. a request is answered in the cycle after its acceptance, its threads are parted as chapter 2 says, an error is reported exactly when there is
//!    one and has no effect (BR-10, BR-15..BR-28);
//! 2. a phase ends or turns dynamic only when membership is complete or the timeout fired, and then soon (BR-12, BR-14, BR-39, BR-42);
//! 3. a timeout fires between T and T + number of barriers, and a margin for sequences that hold the pipeline (BR-13);
//! 4. the FIFO is in order and its entries are distinct, slots hold dynamic barriers, exclusive ones are alone (BR-35, BR-37, BR-41);
//! 5. a section has at most one thread inside, in logical order if it is ordered, late ones excepted; every participant runs it once
//!    an execution; conflicting exclusive sections never run together (BR-31, BR-40, BR-41);
//! 6. a wake-up goes to sleeping threads, once, at the right address; nobody sleeps in an idle barrier (BR-41);
//! 7. a CTA that is held to leave is woken no more, leaves when nobody of it is inside a section, fails to leave only when its time is over;
//!    the words of its state are what the ports have told, and its barriers enter the FIFO again in order (CX-09, CX-10);
//! 8. while something is due and no thread is inside a section, something happens at least every [`Limits::quiet`] cycles in which wake-ups are
//!    taken (BR-42).
//!
//! **Source** CN 104050032.

mod events;
mod ledger;
mod lifecycle;
mod reach;
mod requests;
mod suspend;

use crate::barrier::{BarrierScheduler, BlockMask, Key, Outputs, Request, Size, Statics, Wake};
pub use ledger::CtaLedger;
use ledger::{Use, Where};
pub use reach::REACH;
use std::collections::{BTreeMap, VecDeque};

/// How long things may take, in cycles.
///
/// BR-42 follows: an execution with p sleepers takes at most 2p + 4 steps that count as progress (dynamic, handed out, p wake-ups, p bottoms, idle,
/// the last wake-ups of its blocks), so with n sleepers in all dynamic barriers together a barrier is idle after at most `(2n + 4 * barriers) * quiet`
/// cycles, not counting those in which threads stay inside or wake-ups are not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From complete membership, the release before delivered, to dynamic or released.
    pub completion: u64,
    /// Beyond T for a timeout to fire.
    pub timeout: u64,
    /// Without any progress although something is due.
    pub quiet: u64,
}

impl Limits {
    /// Those of the hardware: its scanner, which fires timeouts and retries completions, comes round in a cycle a barrier; sequences of an EXIT or a
    /// LAUNCH take a cycle a barrier id, a pass of selection a cycle a block.
    pub const fn of(size: &Size) -> Self {
        Self {
            completion: (size.keys() + 2 * size.barriers) as u64 + 16,
            timeout: (size.keys() + 2 * size.barriers) as u64 + 16,
            quiet: 6 * size.blocks as u64 + 2 * size.barriers as u64 + 32,
        }
    }

    /// For a scheduler that waits at random: so much more.
    pub const fn plus(self, cycles: u64) -> Self {
        Self { completion: self.completion + cycles, timeout: self.timeout + cycles, quiet: self.quiet + cycles }
    }
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule} broken in cycle {cycle}: {detail}")]
pub struct Breach {
    /// The requirement.
    pub rule: &'static str,
    /// Cycles that were observed before.
    pub cycle: u64,
    /// What was seen and what was owed.
    pub detail: String,
}

/// A requirement and what was seen.
type Broken = (&'static str, String);

/// Fails with a requirement and a formatted text unless the condition holds.
macro_rules! owed {
    ($holds:expr, $rule:literal, $($text:tt)*) => {
        if !$holds {
            return Err(($rule, format!($($text)*)));
        }
    };
}
use owed;

/// The observer of one scheduler.
#[derive(Clone, Debug)]
pub struct Contract {
    size: Size,
    statics: Statics,
    limits: Limits,
    cycle: u64,
    ctas: Vec<CtaLedger>,
    slots: Vec<Option<Key>>,
    queues: [VecDeque<Key>; 2],
    shown: Option<Wake>,
    quiet: u64,
    progress: bool,
    before: (u64, usize),
    /// Cycles in which the wake port was not held up.
    flow: u64,
    /// It is held up now.
    held_up: bool,
    /// Of each CTA, the flow when a release or wake-up was last seen.
    walked: Vec<Option<u64>>,
    /// The barrier of the last completion, and when it was.
    completed: Option<(Key, u64)>,
    /// The barrier of the last arrival.
    arrived: Option<Key>,
    /// The last thread that joined late: barrier, logical id, when.
    joined: Option<(Key, usize, u64)>,
    /// The CTA that is held to leave.
    held: Option<suspend::Held>,
    /// The CTA that was held when this cycle began: its clocks stand in it.
    still: Option<usize>,
    /// The CTAs that come back: several may, their words in turns.
    coming: Vec<bool>,
    /// The barrier that enters the FIFO again, by the request just answered.
    entering: Option<Key>,
    /// What was met, by name: the reach of a campaign.
    pub met: BTreeMap<&'static str, u64>,
}

impl Contract {
    /// An observer of a scheduler that was just reset.
    pub fn new(scheduler: &(impl BarrierScheduler + ?Sized), limits: Limits) -> Self {
        let (size, statics) = (scheduler.size(), scheduler.statics());
        Self {
            size,
            statics,
            limits,
            cycle: 0,
            ctas: vec![CtaLedger::new(&size); size.ctas],
            slots: vec![None; size.slots],
            queues: Default::default(),
            shown: None,
            quiet: 0,
            progress: false,
            before: (0, 0),
            flow: 0,
            held_up: false,
            walked: vec![None; size.ctas],
            completed: None,
            arrived: None,
            joined: None,
            held: None,
            still: None,
            coming: vec![false; size.ctas],
            entering: None,
            met: BTreeMap::new(),
        }
    }

    /// Judges one tick: what was offered and whether wake-ups were taken in the cycle before it, and the outputs of the cycle after it.
    pub fn observe(&mut self, offered: Option<&Request>, wake_ready: bool, outputs: &Outputs) -> Result<(), Breach> {
        let outcome = self.judge(offered, wake_ready, outputs);
        let cycle = self.cycle;
        self.cycle += 1;
        outcome.map_err(|(rule, detail)| Breach { rule, cycle, detail })
    }

    fn judge(&mut self, offered: Option<&Request>, wake_ready: bool, outputs: &Outputs) -> Result<(), Broken> {
        self.progress = false;
        self.still = self.held.as_ref().map(|held| held.cta);
        self.take_out();
        self.held_up = self.shown.is_some() && !wake_ready;
        self.flow += u64::from(!self.held_up);
        self.wake_port(wake_ready, outputs.wake)?;
        owed!(
            outputs.accepted == outputs.response.is_some(),
            "BR-43",
            "accepted {}, response {:?}",
            outputs.accepted,
            outputs.response
        );
        if let Some(response) = &outputs.response {
            let Some(request) = offered else {
                return Err(("BR-43", format!("{response:?} without a request")));
            };
            self.response(request, response, &outputs.events)
                .map_err(|(rule, detail)| (rule, format!("{detail}; {request:?} -> {response:?}")))?;
        }
        for event in &outputs.events {
            self.event(event, &outputs.events).map_err(|(rule, detail)| (rule, format!("{detail}; {event:?}")))?;
        }
        self.after_the_cycle(outputs)?;
        let due = self.something_is_due();
        let moves = self.held.is_some() || self.coming.contains(&true);
        self.quiet = if self.progress || !due || moves { 0 } else { self.quiet + u64::from(wake_ready) };
        owed!(self.quiet <= self.limits.quiet, "BR-42", "nothing happened for {} cycles: {}", self.quiet, self.due());
        Ok(())
    }

    /// Judges the end of a run: nothing may be due or asleep.
    pub fn finish(&self) -> Result<(), Breach> {
        let asleep = (0..self.size.ctas).find_map(|cta| {
            let thread = self.ctas[cta].threads.iter().position(|place| matches!(place, Where::Asleep(_)))?;
            Some(format!("thread {thread} of CTA {cta} still sleeps"))
        });
        let detail = asleep.or_else(|| self.something_is_due().then(|| self.due()));
        detail.map_or(Ok(()), |detail| Err(Breach { rule: "BR-42", cycle: self.cycle, detail }))
    }

    /// The barrier is idle as far as its ports have told.
    pub fn is_idle(&self, key: Key) -> bool {
        self.ctas[key.cta].keys[key.barrier].used == Use::Idle
    }

    /// How many threads sleep in the open phase of a barrier.
    pub fn sleepers(&self, key: Key) -> usize {
        self.ctas[key.cta].sleepers(key.barrier)
    }

    /// A thread is inside the section.
    pub fn occupied(&self, key: Key) -> bool {
        self.ctas[key.cta].inside(key.barrier).is_some()
    }

    /// A thread of a physical block is inside a section; after a BARRIER.RESET it is not, though its program does not know (BR-25).
    pub fn is_inside(&self, cta: usize, block: usize, offset: usize) -> bool {
        matches!(self.ctas[cta].threads[block * self.size.block_threads + offset], Where::Inside(_))
    }

    /// The stored tag of a static barrier, none otherwise.
    pub fn static_tag(&self, key: Key) -> Option<u32> {
        let ledger = &self.ctas[key.cta].keys[key.barrier];
        (ledger.used == Use::Static && !ledger.split).then_some(ledger.tag).flatten()
    }

    /// The threads of a physical block that have arrived in the split phase that is open; none if it is about to end.
    pub fn split_arrived(&self, key: Key, block: usize) -> BlockMask {
        let ledger = &self.ctas[key.cta].keys[key.barrier];
        let open = ledger.used == Use::Static && ledger.split && ledger.complete_since.is_none();
        if open {
            ledger.counted[block]
        } else {
            0
        }
    }

    /// A top uses the barrier.
    pub fn in_use_by_top(&self, key: Key) -> bool {
        let ledger = &self.ctas[key.cta].keys[key.barrier];
        ledger.used != Use::Idle && !ledger.split
    }

    /// Transactions announced and not completed, of a parity (BR-51).
    pub fn transactions(&self, key: Key, parity: usize) -> i64 {
        self.ctas[key.cta].keys[key.barrier].transactions[parity]
    }

    /// What the ledger says of a barrier, for people.
    pub fn describe(&self, key: Key) -> String {
        let (cta, ledger) = (&self.ctas[key.cta], &self.ctas[key.cta].keys[key.barrier]);
        format!(
            "barrier {key}: {:?}, tag {:?}, split {}, {} counted, {} asleep of {} live, transactions {:?}, {:?}",
            ledger.used,
            ledger.tag,
            ledger.split,
            ledger.count(),
            ledger.asleep,
            cta.live,
            ledger.transactions,
            ledger.configuration
        )
    }

    fn count(&mut self, name: &'static str) {
        *self.met.entry(name).or_default() += 1;
    }

    /// Someone is owed a wake-up, or a dynamic barrier its end, and no thread is inside a section that others may have to wait for.
    fn something_is_due(&self) -> bool {
        let inside = self.ctas.iter().any(|cta| cta.threads.iter().any(|place| matches!(place, Where::Inside(_))));
        let owes = |cta: &CtaLedger| {
            cta.keys.iter().any(|ledger| ledger.used == Use::Dynamic)
                || cta.threads.iter().any(|place| matches!(place, Where::Asleep(sleep) if sleep.released.is_some()))
        };
        !inside && self.ctas.iter().any(owes)
    }

    fn due(&self) -> String {
        let keys = self.ctas.iter().enumerate().flat_map(|(cta, ledger)| {
            let dynamic = ledger.keys.iter().enumerate().filter(|(_, key)| key.used == Use::Dynamic);
            dynamic.map(move |(barrier, _)| format!("barrier {} is dynamic", Key { cta, barrier }))
        });
        let released = self.ctas.iter().enumerate().flat_map(|(cta, ledger)| {
            let threads = ledger.threads.iter().enumerate();
            threads.filter_map(move |(thread, place)| match place {
                Where::Asleep(sleep) if sleep.released.is_some() => {
                    Some(format!("thread {cta}/{thread} is released from barrier {} and asleep", sleep.barrier))
                }
                _ => None,
            })
        });
        keys.chain(released).collect::<Vec<_>>().join(", ")
    }

    /// What has to hold between cycles.
    fn after_the_cycle(&mut self, outputs: &Outputs) -> Result<(), Broken> {
        self.clocks_stand();
        for cta in 0..self.size.ctas {
            for barrier in 0..self.size.barriers {
                self.barrier_between_cycles(Key { cta, barrier })?;
            }
        }
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_some());
        let now = (slots.fold(0, |bits, (slot, _)| bits | 1 << slot), self.queues.iter().map(VecDeque::len).sum());
        let shown = (outputs.slot_occupied, outputs.fifo_count);
        let settled = |mine: u64, before: u64, seen: u64| seen == mine || seen == before;
        if self.is_emptying() {
            self.before = now;
            return Ok(());
        }
        owed!(settled(now.0, self.before.0, shown.0), "BR-35", "slots {:b} shown occupied, {:b} are", shown.0, now.0);
        owed!(
            settled(now.1 as u64, self.before.1 as u64, shown.1 as u64),
            "BR-35",
            "{} shown in the FIFO, {} are",
            shown.1,
            now.1
        );
        self.before = now;
        self.fill(now.0.count_ones() as usize, now.1);
        Ok(())
    }

    fn barrier_between_cycles(&mut self, key: Key) -> Result<(), Broken> {
        if self.holds(key.cta) || self.still == Some(key.cta) || self.coming[key.cta] {
            // Nothing of it is due. Clocks that are back run, and one may pass before all is back, but need not.
            let comes = self.coming[key.cta];
            let ledger = self.ledger(key);
            let waits = u64::from(comes && ledger.stopped.is_none());
            ledger.clock_latest = ledger.clock_latest.map(|start| start + waits);
            ledger.complete_since = ledger.complete_since.map(|since| since + 1);
            return Ok(());
        }
        let cta = &self.ctas[key.cta];
        let ledger = &cta.keys[key.barrier];
        match ledger.used {
            Use::Idle => {
                let sleeps = ledger.asleep > 0 && cta.sleepers(key.barrier) > 0;
                owed!(!sleeps, "BR-41", "a thread sleeps in barrier {key}, which is idle");
            }
            Use::Static => {
                let held = cta.undelivered(key.barrier) || self.held_up && self.may_be_walking(key.cta);
                let waited = ledger.complete_since.map_or(0, |since| self.cycle.saturating_sub(since));
                owed!(
                    held || waited <= self.limits.completion,
                    "BR-14",
                    "barrier {key} is complete for {waited} cycles"
                );
                let late = ledger.clock_latest.map_or(0, |start| self.cycle.saturating_sub(start));
                let bound = u64::from(ledger.configuration.timeout) + self.limits.timeout;
                owed!(late <= bound, "BR-13", "the timeout of barrier {key} is overdue: {late} of {bound} cycles");
                if held && ledger.complete_since.is_some() {
                    // The bound counts from the end of what holds it.
                    self.ctas[key.cta].keys[key.barrier].complete_since = Some(self.cycle);
                    self.count("completion waits for the last release");
                }
            }
            Use::Dynamic => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
