//! The warps of a divergence unit as the reference rules have them, and what the unit still owes about each.

use super::bounds;
use crate::lockstep::bench::{Counts, Shape};
use crate::lockstep::surroundings::Surroundings;
use heddle_hdl::divergence::token::{Cause, Operation, QueueOperation};
use heddle_sim::engine::{Configuration, Events, Kind, Request, SavedToken};
use heddle_sim::model::divergence_warp::{Outcome, Warp};
use heddle_sim::model::token_deque::TokenQueue;
use heddle_sim::model::TokenDeque;
use std::collections::VecDeque;

/// Cycles from a launch to the first instruction, at most: the counts of 16 kinds are cleared.
const LAUNCH: u64 = 16 + 5;

/// Cycles after which a warp whose tokens lie in a memory that stalls at random has surely unwound.
const SLOW: u64 = 5_000;

/// Where a warp is.
#[derive(Clone, Debug)]
pub enum Slot {
    /// It does not run.
    Idle,
    /// Its launch is on the pins.
    Launching,
    /// It runs.
    Running(Box<Warp<TokenDeque>>),
    /// The model says that it is over; the unit has to say so too.
    Ending(Outcome),
}

/// A launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Of this warp.
    pub warp: usize,
    /// With these threads.
    pub threads: u64,
    /// From here.
    pub address: u32,
    /// The yield state of a warp that was saved.
    pub resumes: Option<u16>,
}

/// What the unit is doing for a warp.
#[derive(Clone, Copy, Debug)]
struct Busy {
    since: u64,
    stall: Option<u64>,
    /// What it is doing, for messages.
    what: Option<Operation>,
    /// Address of the instruction, or of the launch.
    address: u32,
    /// The queue may, or must, find no room.
    fatal: (bool, bool),
}

/// Totals of what the events count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tokens that entered.
    pub pushed: u64,
    /// Tokens that left.
    pub popped: u64,
    /// Branches that diverged.
    pub diverged: u64,
    /// Times that threads yielded.
    pub yielded: u64,
    /// Of those, merges.
    pub merged: u64,
    /// Tokens that an unwind discarded.
    pub discarded: u64,
}

impl Totals {
    fn add(&mut self, events: &Events) {
        self.pushed += events.pushed.len() as u64;
        self.popped += events.popped.len() as u64;
        self.diverged += u64::from(events.diverged);
        self.yielded += u64::from(events.yielded);
        self.merged += u64::from(events.merged);
        self.discarded += u64::from(events.discarded);
    }
}

/// All warps; see the module's page.
pub struct Warps {
    shape: Shape,
    rules: Configuration,
    around: Surroundings,
    slots: Vec<Slot>,
    busy: Vec<Option<Busy>>,
    spilled: Vec<bool>,
    /// Tokens that the unit has to show on its way out, with their warp.
    saved: VecDeque<(usize, SavedToken)>,
    /// What the model counted; none after a fatal exception, of whose instruction the unit did a part.
    pub totals: Option<Totals>,
}

impl Warps {
    /// No warp runs.
    pub fn new(shape: &Shape, rules: Configuration, around: &Surroundings) -> Self {
        Self {
            slots: vec![Slot::Idle; shape.warps],
            busy: vec![None; shape.warps],
            spilled: vec![false; shape.warps],
            saved: VecDeque::new(),
            totals: Some(Totals::default()),
            shape: *shape,
            rules,
            around: around.clone(),
        }
    }

    /// Where `warp` is.
    pub fn slot(&self, warp: usize) -> &Slot {
        &self.slots[warp]
    }

    /// The state of a running warp, settled or not.
    pub fn running(&self, warp: usize) -> Option<&Warp<TokenDeque>> {
        match &self.slots[warp] {
            Slot::Running(state) => Some(state),
            _ => None,
        }
    }

    /// Whether the unit still works for `warp`.
    pub fn is_busy(&self, warp: usize) -> bool {
        self.busy[warp].is_some()
    }

    /// Whether the unit works for nobody.
    pub fn all_quiet(&self) -> bool {
        self.busy.iter().all(Option::is_none)
    }

    /// The launch of `warp` goes on the pins.
    pub fn offer_launch(&mut self, warp: usize) {
        self.slots[warp] = Slot::Launching;
    }

    /// The launch was taken.
    pub fn launch(&mut self, launch: &Launch, now: u64, sweeping: u64) {
        let Launch { warp, threads, address, resumes } = *launch;
        self.slots[warp] = if threads == 0 {
            Slot::Ending(Outcome::Done)
        } else {
            let mut state = Warp::launch(TokenDeque::new(), threads, address, &self.rules);
            state.yield_state = resumes.unwrap_or(state.yield_state);
            Slot::Running(Box::new(state))
        };
        self.spilled[warp] = false;
        let stall = Some(LAUNCH + sweeping);
        self.busy[warp] = Some(Busy { since: now, stall, what: None, address, fatal: (false, false) });
    }

    /// A request was taken: the model carries it out at once.
    ///
    /// # Errors
    /// If the warp has nothing to run: the unit took what it must not take.
    pub fn execute(&mut self, request: &Request, now: u64, sweeping: u64, counts: &mut Counts) -> Result<(), String> {
        let warp = request.warp;
        let Slot::Running(state) = &mut self.slots[warp] else {
            return Err(format!("DQ-26: an instruction of warp {warp} was taken, which does not run"));
        };
        let before = state.clone();
        let mut events = Events::default();
        let outcome = state.execute(request, &self.rules, &mut events);
        let address = before.address;
        let peak = before.queue.len() + events.pushed.len();
        self.spilled[warp] |= peak >= self.shape.depth;
        let memory = self.spilled[warp].then_some(&self.around);
        let stall = bounds::stall(&before, request, &events, memory).map(|stall| stall + sweeping);
        if state.queue.is_empty() {
            self.spilled[warp] = false;
        }
        if let Some(totals) = &mut self.totals {
            totals.add(&events);
        }
        if state.parked() {
            counts.add("parked");
        }
        self.saved.extend(&events.saved);
        count(request, &before, &events, counts);
        let fatal = self.fatal(request, peak, !events.pushed.is_empty());
        self.busy[warp] = Some(Busy { since: now, stall, what: Some(request.operation), address, fatal });
        if outcome != Outcome::Running {
            self.slots[warp] = Slot::Ending(outcome);
        }
        Ok(())
    }

    /// Whether an instruction after which the queue held `peak` tokens at most may, and must, find no room (DQ-12).
    fn fatal(&self, request: &Request, peak: usize, pushed: bool) -> (bool, bool) {
        let capacity = self.around.capacity(&self.shape);
        let last = peak.saturating_sub(1);
        let back = matches!(request.operation, Operation::Yield | Operation::Leave | Operation::Wake);
        let operation = if back { QueueOperation::PushBack } else { QueueOperation::PushFront };
        // A YIELD frees the place that it takes.
        let must = pushed && !back && capacity.must_fail(operation, last);
        (pushed && capacity.may_fail(operation, last), must)
    }

    /// The ready bits of this cycle.
    ///
    /// # Errors
    /// A warp that is ready though it must not be, or not ready though it has to be.
    pub fn ready(&mut self, ready: u128, now: u64) -> Result<(), String> {
        for warp in 0..self.shape.warps {
            let is_ready = ready >> warp & 1 == 1;
            match (&self.slots[warp], self.busy[warp]) {
                (Slot::Running(_), Some(busy)) if is_ready => {
                    if busy.fatal.1 {
                        return Err(format!("DQ-12: warp {warp} goes on though its queue has no room for a token"));
                    }
                    if self.saved.iter().any(|(of, _)| *of == warp) {
                        return Err(format!("CX-09: warp {warp} goes on, the token to be saved was not shown"));
                    }
                    self.busy[warp] = None;
                }
                // A warp that is parked shows no sign of it; what was stated for its last instruction is over at some time.
                (Slot::Running(state), Some(busy))
                    if state.parked() && now - busy.since > busy.stall.unwrap_or(SLOW) =>
                {
                    self.busy[warp] = None;
                }
                (Slot::Running(state), None) if state.parked() && is_ready => {
                    return Err(format!("SM-07: warp {warp} is ready though all its threads sleep"));
                }
                (Slot::Running(state), None) if !state.parked() && !is_ready => {
                    return Err(format!("DQ-40: warp {warp} is not ready though nothing is being done for it"));
                }
                (Slot::Idle | Slot::Launching, _) if is_ready => {
                    return Err(format!("DQ-26: warp {warp} is ready though it does not run"));
                }
                (Slot::Ending(outcome), Some(busy)) if is_ready && now > busy.since => {
                    return Err(format!("DQ-26: warp {warp} goes on, the model says {outcome:?}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether anybody has been waiting for longer than stated.
    ///
    /// # Errors
    /// The warp that has.
    pub fn deadlines(&self, now: u64) -> Result<(), String> {
        for (warp, busy) in self.busy.iter().enumerate() {
            let Some(Busy { since, stall: Some(stall), what, .. }) = busy else { continue };
            if now - since > *stall {
                return Err(format!(
                    "DQ-40: {} stalls warp {warp} for {} cycles, {stall} allowed",
                    what.map_or("launch".into(), |what| format!("{what:?}")),
                    now - since
                ));
            }
        }
        Ok(())
    }

    /// The running bits of this cycle, before anything in it was looked at.
    ///
    /// # Errors
    /// A bit that differs from the model.
    pub fn check_running(&self, running: u128) -> Result<(), String> {
        for warp in 0..self.shape.warps {
            let runs = running >> warp & 1 == 1;
            let wrong = match (&self.slots[warp], self.busy[warp]) {
                (Slot::Running(_), None) => !runs,
                (Slot::Idle | Slot::Launching, _) => runs,
                _ => false,
            };
            if wrong {
                return Err(format!("DQ-26: warp_running is {runs} for warp {warp}, the model differs"));
            }
        }
        Ok(())
    }

    /// The unit says that `warp` halted.
    ///
    /// # Errors
    /// If it has no reason to.
    pub fn done(&mut self, warp: usize, counts: &mut Counts) -> Result<(), String> {
        if !matches!(self.slots.get(warp), Some(Slot::Ending(Outcome::Done))) {
            return Err(format!("DQ-26: warp {warp} halted, the model: {}", self.describe(warp)));
        }
        counts.add("halt");
        self.end(warp);
        Ok(())
    }

    /// The unit shows a token of `warp` that leaves, or says that the warp itself leaves.
    ///
    /// # Errors
    /// If the model says otherwise.
    pub fn leaves(&mut self, warp: usize, token: Option<SavedToken>, counts: &mut Counts) -> Result<(), String> {
        if let Some(token) = token {
            let known = self.saved.pop_front();
            return match known {
                Some(known) if known == (warp, token) => Ok(()),
                _ => Err(format!("CX-09: {token:?} of warp {warp} leaves, the model: {known:?}")),
            };
        }
        if !matches!(self.slots.get(warp), Some(Slot::Ending(Outcome::Withdrawn))) {
            return Err(format!("CX-09: warp {warp} leaves, the model: {}", self.describe(warp)));
        }
        counts.add("withdrawn");
        self.end(warp);
        Ok(())
    }

    /// The unit says that it stopped `warp`.
    ///
    /// # Errors
    /// If it has no reason to, or names another address.
    pub fn error(&mut self, warp: usize, cause: Cause, address: u32, counts: &mut Counts) -> Result<(), String> {
        let busy = self
            .busy
            .get(warp)
            .copied()
            .flatten()
            .ok_or_else(|| format!("DQ-26: warp {warp} stopped out of nothing: {cause:?}"))?;
        let expected = match cause {
            Cause::Fatal => busy.fatal.0,
            _ => matches!(self.slots[warp], Slot::Ending(Outcome::Stopped(known)) if known == cause),
        };
        if !expected {
            return Err(format!("DQ-26: warp {warp} stopped by {cause:?}, the model: {}", self.describe(warp)));
        }
        if address != busy.address {
            return Err(format!(
                "DQ-26: warp {warp} stopped at {address:#x}, the instruction is at {:#x}",
                busy.address
            ));
        }
        if cause == Cause::Fatal {
            counts.add("fatal");
            self.totals = None;
        } else {
            counts.add("lost thread");
        }
        self.end(warp);
        Ok(())
    }

    fn end(&mut self, warp: usize) {
        self.slots[warp] = Slot::Idle;
        self.busy[warp] = None;
    }

    /// A handler started for `warp`.
    ///
    /// # Errors
    /// If the unit is doing nothing for it.
    pub fn exception(&mut self, warp: usize, cause: Cause) -> Result<(), String> {
        let busy = self.busy.get_mut(warp).and_then(Option::as_mut);
        let busy = busy.ok_or_else(|| format!("DQ-09: {cause:?} for warp {warp}, for which nothing is being done"))?;
        let more = bounds::handler(cause, &self.shape, &self.around).filter(|_| !self.around.handler_software);
        busy.stall = busy.stall.zip(more).map(|(stall, more)| stall + more);
        self.spilled[warp] |= cause == Cause::Spill;
        Ok(())
    }

    fn describe(&self, warp: usize) -> String {
        let Some(slot) = self.slots.get(warp) else { return "there is no such warp".into() };
        match slot {
            Slot::Idle => "it does not run".into(),
            Slot::Launching => "it is to be launched".into(),
            Slot::Running(state) => {
                format!("{:#x} active at {:#x}, {} tokens", state.active, state.address, state.queue.len())
            }
            Slot::Ending(outcome) => format!("{outcome:?}"),
        }
    }
}

/// Counts what an instruction was and what came of it.
fn count(request: &Request, before: &Warp<TokenDeque>, events: &Events, counts: &mut Counts) {
    let yields = request.operation == Operation::Yield;
    counts.add(match request.operation {
        Operation::Step => "step",
        Operation::Push => "push",
        Operation::Branch => "branch",
        Operation::Indirect => "indirect",
        Operation::Call => "call",
        Operation::Leave => "leave",
        Operation::Yield => "yield",
        Operation::Exit => "exit",
        Operation::Sleep => "sleep",
        Operation::Wake => "wake",
        Operation::Withdraw => "withdraw",
        Operation::Deposit => "deposit",
        Operation::Disable => "disable",
    });
    let named = before.active & request.mask != 0;
    for (happened, event) in [
        (events.diverged > 0, "divergence"),
        (request.operation == Operation::Leave && named && events.yielded == 0, "threads wait for their token"),
        (request.operation == Operation::Leave && events.yielded > 0, "implicit yield"),
        (yields && events.yielded > 0, "YIELD that yields"),
        (yields && events.yielded == 0, "YIELD that does not"),
        (events.merged > 0, "merge"),
        (request.operation == Operation::Deposit && request.kind == Some(Kind::Yield), "deposit of a yield token"),
        (!events.popped.is_empty(), "unwind"),
        (events.discarded > 0, "discard"),
        (request.operation == Operation::Wake && before.parked(), "wake of a parked warp"),
    ] {
        if happened {
            counts.add(event);
        }
    }
}
