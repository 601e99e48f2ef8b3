//! What any tree engine owes to its user, judged at its ports alone (TD-02 to TD-06, TD-09).
//!
//! It keeps no tree. It follows *groups* of threads that move together: an instruction cuts the group that runs it, groups that
//! run as one become one. Of each it knows the next instruction, because that depends on nothing but the last one. So:
//! 1. what runs is a union of whole groups at the address where each of them goes on; nobody sleeps or has exited (TD-02, TD-05);
//! 2. a group that does not wait for others runs again within as many turns as there were other groups when it
//!    became ready (TD-04), or what [`Fairness`] makes of that for a table that can be full (TD-09);
//! 3. the warp is done when its last thread exits, and not before (DQ-26);
//! 4. it is stopped as lost only at a return without an address, and for want of room only if room is limited (DQ-29, TD-09).
//!
//! **Source** US 2015/0205606: all leaves run concurrently.

use super::set::ThreadSet;
use super::structure::Breach;
use crate::engine::{Cause, Configuration, Engine, Events, Fetch, Kind, Mask, Operation, Request};

/// How many turns of others a ready group may have to see: `each` for every other group there was, `later` for every one that
/// becomes ready afterwards, and `more`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fairness {
    /// Turns for each other group.
    pub each: u64,
    /// Turns for each group that becomes ready while it waits.
    pub later: u64,
    /// Turns beside those.
    pub more: u64,
    /// Whether the table may be full.
    pub limited: bool,
}

impl Fairness {
    /// Every leaf has a node: one turn for each (TD-04).
    pub const STRICT: Fairness = Fairness { each: 1, later: 0, more: 0, limited: false };

    /// The same, but what an instruction leaves in its leaf may run again at once (TD-11).
    pub const FIRST_SIDE_FIRST: Fairness = Fairness { later: 1, ..Fairness::STRICT };

    /// Leaves may wait in memory, and one comes in every `interval` instructions (TD-09).
    pub const fn with_exchange(interval: u8) -> Self {
        let each = interval as u64 + 1;
        Self { each, later: each, more: 2 * interval as u64, limited: true }
    }
}

/// Threads that go on together.
#[derive(Clone, Copy, Debug)]
struct Group<S> {
    threads: S,
    /// Where they go on; unknown after a return without an address.
    address: Option<u32>,
    /// They may have to wait for others at the end of a region.
    may_wait: bool,
    /// Turns of others since they became ready, and how many there may be.
    seen: u64,
    allowed: u64,
}

/// The observer of one warp, or of one group of warps in a tree.
#[derive(Clone, Debug)]
pub struct TreeContract<S = Mask> {
    fairness: Fairness,
    groups: Vec<Group<S>>,
    live: S,
    asleep: S,
    /// The last instruction was a return without an address.
    may_be_lost: bool,
}

impl<S: ThreadSet> TreeContract<S> {
    /// An observer of a warp that is being launched.
    pub fn launch(fairness: Fairness, threads: S, address: u32) -> Self {
        let group = Group { threads, address: Some(address), may_wait: false, seen: 0, allowed: 0 };
        Self { fairness, groups: vec![group], live: threads, asleep: S::default(), may_be_lost: false }
    }

    /// Judges an instruction that was accepted while the ports showed `active` at `address`, and that names `mask`.
    ///
    /// # Errors
    /// The promise that is broken.
    pub fn accepted(&mut self, active: S, address: u32, mask: S, request: &Request) -> Result<(), Breach> {
        self.may_be_lost = request.operation == Operation::Leave && !request.targeted;
        if request.operation == Operation::Wake {
            let threads = mask & self.asleep;
            self.asleep &= !threads;
            self.add(threads, Some(request.target), false);
            self.one_more_is_ready(u64::from(!threads.is_empty()));
            return Ok(());
        }
        if active.is_empty() || !(active & (!self.live | self.asleep)).is_empty() {
            return breach("TD-02", format!("{active:x?} runs; {:x?} live, {:x?} sleep", self.live, self.asleep));
        }
        for group in self.groups.iter().filter(|group| !(group.threads & active).is_empty()) {
            if !(group.threads & !active).is_empty() {
                return breach("TD-02", format!("{active:x?} runs, a part of {:x?}", group.threads));
            }
            if group.address.is_some_and(|expected| expected != address) {
                let expected = group.address.unwrap_or(0);
                return breach("TD-05", format!("{:x?} runs {address:#x} instead of {expected:#x}", group.threads));
            }
        }
        let resumed = self.groups.iter().any(|group| !(group.threads & active).is_empty() && group.may_wait);
        self.one_more_is_ready(u64::from(resumed));
        self.groups.retain(|group| (group.threads & active).is_empty());
        let others = self.groups.len();
        for group in self.groups.iter_mut().filter(|group| !group.may_wait) {
            group.seen += 1;
            if group.seen > group.allowed {
                let Group { threads, seen, allowed, .. } = *group;
                return breach(
                    "TD-04",
                    format!("{threads:x?} is ready and saw {seen} turns of others, {allowed} owed"),
                );
            }
        }
        self.cut(address, active, mask, request);
        self.one_more_is_ready((self.groups.len() - others).saturating_sub(1) as u64);
        Ok(())
    }

    fn one_more_is_ready(&mut self, groups: u64) {
        let later = self.fairness.later * groups;
        self.groups.iter_mut().for_each(|group| group.allowed += later);
    }

    /// Where the threads of an instruction go on.
    fn cut(&mut self, address: u32, active: S, mask: S, request: &Request) {
        let (named, unnamed) = (active & mask, active & !mask);
        let next = address.wrapping_add(1);
        let (target, onward) = (Some(request.target), Some(if request.again { address } else { next }));
        match request.operation {
            // They leave, and those that wait above them with them.
            Operation::Withdraw => self.live &= !active,
            Operation::Step | Operation::Push | Operation::Deposit | Operation::Disable => {
                self.add(active, Some(next), false)
            }
            Operation::Wake => {}
            _ if named.is_empty() => self.add(active, Some(next), false),
            Operation::Branch | Operation::Call | Operation::Indirect => {
                self.add(named, target, false);
                let other = if request.operation == Operation::Indirect { address } else { next };
                self.add(unnamed, Some(other), false);
            }
            Operation::Leave => {
                self.add(named, target.filter(|_| request.targeted), true);
                self.add(unnamed, onward, false);
            }
            Operation::Yield => {
                self.add(named, Some(next), false);
                self.add(unnamed, Some(next), false);
            }
            Operation::Exit => {
                self.live &= !named;
                self.add(unnamed, Some(next), false);
            }
            Operation::Sleep => {
                self.asleep |= named;
                self.add(unnamed, Some(next), false);
            }
        }
        // All of these became ready at the same time: each may have to wait for the others.
        let others = (self.groups.len() as u64).saturating_sub(1);
        let allowed = self.fairness.each * others + self.fairness.more;
        self.groups
            .iter_mut()
            .filter(|group| group.seen == 0)
            .for_each(|group| group.allowed = group.allowed.max(allowed));
    }

    fn add(&mut self, threads: S, address: Option<u32>, may_wait: bool) {
        if !threads.is_empty() {
            let allowed = self.fairness.each * self.groups.len() as u64 + self.fairness.more;
            self.groups.push(Group { threads, address, may_wait, seen: 0, allowed });
        }
    }

    /// Judges the end of the warp: all its threads have exited.
    ///
    /// # Errors
    /// If they have not.
    pub fn done(&self) -> Result<(), Breach> {
        if !self.live.is_empty() {
            return breach("DQ-26", format!("the warp is done, and {:x?} live", self.live));
        }
        Ok(())
    }

    /// Judges that the warp was stopped.
    ///
    /// # Errors
    /// If there was no reason for it.
    pub fn stopped(&self, cause: Cause) -> Result<(), Breach> {
        let allowed = match cause {
            Cause::LostThread => self.may_be_lost,
            Cause::Fatal => self.fairness.limited,
            Cause::Recenter | Cause::Spill | Cause::Refill => false,
        };
        if !allowed {
            return breach("TD-09", format!("the warp is stopped without reason: {cause:?}"));
        }
        Ok(())
    }
}

fn breach<T>(rule: &'static str, detail: String) -> Result<T, Breach> {
    Err(Breach { rule, detail })
}

/// Any engine with an observer for each of its warps. After the first breach it stops the warp.
pub struct Observed<E> {
    engine: E,
    fairness: Fairness,
    warps: Vec<Option<TreeContract>>,
    /// The first promise that was broken, with the warp.
    pub breach: Option<(usize, Breach)>,
}

impl<E: Engine> Observed<E> {
    /// An engine that holds no running warp.
    pub fn new(engine: E, fairness: Fairness) -> Self {
        let warps = engine.configuration().warps;
        Self { engine, fairness, warps: vec![None; warps], breach: None }
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    fn note(&mut self, warp: usize, judgement: Result<(), Breach>) {
        if let (Err(breach), None) = (judgement, &self.breach) {
            eprintln!("{}, warp {warp}: {breach}", self.engine.name());
            self.breach = Some((warp, breach));
        }
    }
}

impl<E: Engine> Engine for Observed<E> {
    fn name(&self) -> String {
        self.engine.name()
    }
    fn configuration(&self) -> &Configuration {
        self.engine.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.warps[warp] = (threads != 0).then(|| TreeContract::launch(self.fairness, threads, address));
        self.engine.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.engine.ready()
    }
    fn running(&mut self) -> u64 {
        self.engine.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.engine.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.engine.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        let fetch = self.engine.fetch(request.warp);
        let accepted = self.engine.offer(request);
        if accepted {
            let judgement = self.warps[request.warp]
                .as_mut()
                .map_or(Ok(()), |warp| warp.accepted(fetch.active, fetch.address, request.mask, request));
            self.note(request.warp, judgement);
        }
        accepted
    }
    fn tick(&mut self) -> Events {
        let mut events = self.engine.tick();
        for warp in 0..self.warps.len() {
            let Some(contract) = self.warps[warp].as_ref() else { continue };
            let fault = events.faults.iter().find(|fault| fault.warp == warp);
            let judgement = match (events.done.contains(&warp), fault) {
                (true, _) => contract.done(),
                (_, Some(fault)) => contract.stopped(fault.cause),
                _ => continue,
            };
            self.note(warp, judgement);
            self.warps[warp] = None;
        }
        if let Some((warp, _)) = self.breach {
            if self.warps[warp].take().is_some() {
                let address = self.engine.fetch(warp).address;
                events.faults.push(crate::engine::Fault { warp, cause: Cause::Fatal, address });
            }
        }
        events
    }
}
