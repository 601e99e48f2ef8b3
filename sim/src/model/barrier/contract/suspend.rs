//! A CTA that leaves and comes back (CX-09, CX-10).

use super::ledger::{CtaLedger, Role, Use, Where};
use super::{owed, Broken, Contract};
use crate::barrier::{word_of, ErrorCause, Key, Operation, Request, Response, SavedWord};

/// The CTA that is held.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub cta: usize,
    since: u64,
    limit: u64,
    closed: bool,
    /// It was refused although a thread was inside.
    waited: bool,
    pub leaves: Leaves,
}

/// How far its barriers are out of slots and FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// They are where they were.
    No,
    /// From the next cycle on they are taken out.
    Soon,
    /// They are being taken out.
    Now,
    /// They are out.
    Done,
}

impl Contract {
    /// The CTA is held: nothing of it may happen.
    pub(super) fn holds(&self, cta: usize) -> bool {
        self.held.as_ref().is_some_and(|held| held.cta == cta)
    }

    /// A decision of the cycle in which it came to be held may still show.
    pub(super) fn held_for_long(&self, cta: usize) -> bool {
        self.held.as_ref().is_some_and(|held| held.cta == cta && self.cycle > held.since + 1)
    }

    /// Slots and FIFO are not what the strobes have told: barriers are being taken out.
    pub(super) fn is_emptying(&self) -> bool {
        self.held.as_ref().is_some_and(|held| matches!(held.leaves, Leaves::Soon | Leaves::Now))
    }

    /// A thread of the CTA is inside a section.
    fn inside_any(&self, cta: usize) -> bool {
        self.ctas[cta].threads.iter().any(|place| matches!(place, Where::Inside(_)))
    }

    fn under_way(&self, cta: usize) -> bool {
        (0..self.size.barriers).any(|barrier| self.ctas[cta].undelivered(barrier))
            || self.shown.is_some_and(|wake| wake.cta == cta)
    }

    /// The cycle after the first Withdraw: the barriers are out as far as the ledger is concerned.
    pub(super) fn take_out(&mut self) {
        let Some(held) = self.held.as_mut().filter(|held| held.leaves == Leaves::Soon) else { return };
        held.leaves = Leaves::Now;
        let cta = held.cta;
        let mut order = Vec::new();
        let mut names = Vec::new();
        for slot in &mut self.slots {
            order.extend(slot.take_if(|key| key.cta == cta).map(|key| key.barrier));
        }
        if !order.is_empty() {
            names.push("suspended with a barrier in a slot");
        }
        for queue in &mut self.queues {
            let before = queue.len();
            order.extend(queue.iter().filter(|key| key.cta == cta).map(|key| key.barrier));
            queue.retain(|key| key.cta != cta);
            if queue.len() < before {
                names.push(if queue.is_empty() {
                    "suspended with a barrier in the FIFO"
                } else {
                    "suspended from between others in the FIFO"
                });
            }
        }
        let entries = &mut self.ctas[cta];
        entries.returning = order.into();
        let done =
            |place: &Where| matches!(place, Where::Asleep(sleep) if matches!(sleep.role, Role::Done | Role::Skipped));
        if entries.threads.iter().any(done) {
            names.push("suspended with threads that are done");
        }
        if entries.keys.iter().any(|ledger| ledger.used == Use::Static && ledger.clock_earliest.is_some()) {
            names.push("suspended with a timeout running");
        }
        if entries.keys.iter().any(|ledger| ledger.complete_since.is_some()) {
            names.push("suspended with a completion held off");
        }
        names.into_iter().for_each(|name| self.count(name));
    }

    /// A request that moves a CTA, and its answer.
    pub(super) fn moves(&mut self, request: &Request, response: &Response) -> Result<(), Broken> {
        if !self.ctas[request.cta].valid {
            let illegal = response.error.is_some_and(|report| report.cause == ErrorCause::Illegal);
            owed!(illegal, "BR-28", "the CTA is not there");
            return Ok(());
        }
        match request.operation {
            Operation::Suspend => self.suspend(request, response),
            Operation::Withdraw => self.withdraw(request, response),
            _ => self.deposit(request, response),
        }
    }

    fn suspend(&mut self, request: &Request, response: &Response) -> Result<(), Broken> {
        let (cta, limit, now) = (request.cta, request.data & 0xffff, self.cycle);
        let (inside, under_way) = (self.inside_any(cta), self.under_way(cta));
        let walking = self.may_be_walking(cta);
        if limit == 0 {
            owed!(!response.refused && response.error.is_none(), "CX-10", "a CTA may always run on");
            if self.held.as_ref().is_some_and(|held| held.cta == cta && held.leaves == Leaves::No) {
                self.held = None;
                self.count("suspension given up");
            }
            return Ok(());
        }
        let Some(held) = &mut self.held else {
            owed!(response.refused, "CX-10", "a CTA is held from the next cycle on at the earliest");
            let (leaves, closed, waited) = (Leaves::No, false, false);
            self.held = Some(Held { cta, since: now, limit, closed, waited, leaves });
            return Ok(());
        };
        if held.cta != cta {
            owed!(response.refused, "CX-10", "CTA {} is held already", held.cta);
            return Ok(());
        }
        if let Some(report) = response.error {
            let late = now > held.since + held.limit;
            owed!(report.cause == ErrorCause::NoBottom, "CX-10", "{report:?}");
            owed!(late && !held.closed, "CX-10", "it was held for {} of {} cycles", now - held.since, held.limit);
            owed!(inside || under_way || walking, "CX-10", "nobody is inside, nothing is under way");
            if let Some((barrier, address)) = report.other.filter(|_| inside) {
                let ledger = &self.ctas[cta].keys[barrier];
                let named = self.ctas[cta].inside(barrier).is_some() && ledger.tag == Some(address);
                owed!(named, "CX-10", "no thread is inside barrier {barrier}, entered at {address:#x}");
            }
            self.held = None;
            self.count("suspension failed");
            return Ok(());
        }
        if response.refused {
            held.waited |= inside;
            let late = now > held.since + held.limit;
            owed!(inside || under_way || walking, "CX-10", "nobody is inside, nothing is under way");
            owed!(!late, "CX-10", "{} cycles have passed", held.limit);
            return Ok(());
        }
        held.closed = true;
        let waited = std::mem::take(&mut held.waited);
        owed!(!inside, "CX-10", "a thread is inside a section");
        owed!(!under_way, "CX-10", "a thread is on its way to be woken");
        if waited {
            self.count("suspension waited for a bottom");
        }
        Ok(())
    }

    fn withdraw(&mut self, request: &Request, response: &Response) -> Result<(), Broken> {
        let Some(held) = self.held.as_mut().filter(|held| held.cta == request.cta && held.closed) else {
            owed!(response.refused, "CX-10", "the CTA is not held");
            return Ok(());
        };
        if response.refused {
            owed!(held.leaves != Leaves::Done, "CX-10", "its barriers are out of slots and FIFO");
            if held.leaves == Leaves::No {
                held.leaves = Leaves::Soon;
            }
            return Ok(());
        }
        owed!(!matches!(held.leaves, Leaves::No | Leaves::Soon), "CX-10", "its barriers are in slots and FIFO");
        held.leaves = Leaves::Done;
        self.word_is_right(request, response.saved)?;
        if word_of(request) == Some(SavedWord::Clock) {
            let key = Key { cta: request.cta, barrier: request.barrier };
            self.clock_is_right(key, response.saved)?;
            let now = self.cycle;
            self.ledger(key).stopped = Some(now);
        }
        if word_of(request) == Some(SavedWord::End) {
            self.held = None;
            self.count("suspended");
        }
        Ok(())
    }

    /// What leaves is what the ports have told.
    fn word_is_right(&self, request: &Request, word: u64) -> Result<(), Broken> {
        let cta = &self.ctas[request.cta];
        let ledger = &cta.keys[request.barrier];
        let asleep = |finished: bool| {
            let block = request.block * self.size.block_threads;
            let here = |(thread, sleep): (usize, super::ledger::Sleep)| {
                let done = matches!(sleep.role, Role::Done | Role::Skipped);
                (done == finished && thread / self.size.block_threads == request.block).then(|| thread - block)
            };
            cta.sleeping(request.barrier).filter_map(here).fold(0, |mask, offset| mask | 1 << offset)
        };
        let order = cta.returning.iter().enumerate();
        let order = order.fold(0, |word, (place, barrier)| word | (0x80 | *barrier as u64) << (8 * place));
        let parity = |parity: usize| ledger.transactions[parity] as u64 & 0x7f;
        let expected = match word_of(request) {
            Some(SavedWord::Live) => cta.live as u64,
            Some(SavedWord::Order) => order,
            Some(SavedWord::Waiting) => asleep(false),
            Some(SavedWord::Finished) => asleep(true),
            Some(SavedWord::Arrived) => ledger.counted[request.block],
            Some(SavedWord::Configuration) => ledger.configuration.word(),
            Some(SavedWord::Transactions) => parity(0) | parity(1) << 7,
            _ => return Ok(()),
        };
        owed!(word == expected, "CX-09", "{:?} is {word:#x}, owed {expected:#x}", word_of(request));
        Ok(())
    }

    /// What is left of a clock is what was left when its CTA came to be held.
    fn clock_is_right(&self, key: Key, word: u64) -> Result<(), Broken> {
        let ledger = &self.ctas[key.cta].keys[key.barrier];
        let left = |start: u64| (start + u64::from(ledger.configuration.timeout)).saturating_sub(self.cycle);
        if word & 1 == 0 {
            let runs = ledger.used == Use::Static && ledger.complete_since.is_none() && ledger.clock_latest.is_some();
            owed!(!runs, "CX-09", "the clock of barrier {key} runs, and its word says that it does not");
            return Ok(());
        }
        let Some(least) = ledger.clock_earliest.map(left) else {
            return Err(("CX-09", format!("the clock of barrier {key} does not run, and its word says that it does")));
        };
        let most = ledger.clock_latest.map_or(u64::from(ledger.configuration.timeout), left);
        let saved = word >> 16;
        owed!(
            (least..=most).contains(&saved),
            "CX-10",
            "{saved} cycles are left of barrier {key}, owed {least} to {most}"
        );
        Ok(())
    }

    /// The clocks of a CTA that was held when the cycle began stand, until they are withdrawn: then it counts how long they are away.
    pub(super) fn clocks_stand(&mut self) {
        let Some(cta) = self.still else { return };
        for ledger in self.ctas[cta].keys.iter_mut().filter(|ledger| ledger.stopped.is_none()) {
            ledger.clock_earliest = ledger.clock_earliest.map(|start| start + 1);
            ledger.clock_latest = ledger.clock_latest.map(|start| start + 1);
        }
    }

    fn deposit(&mut self, request: &Request, response: &Response) -> Result<(), Broken> {
        owed!(!response.refused && response.error.is_none(), "CX-09", "a word is not taken back");
        let key = Key { cta: request.cta, barrier: request.barrier };
        let now = self.cycle;
        match word_of(request) {
            Some(SavedWord::Clock) => {
                let ledger = self.ledger(key);
                let away = ledger.stopped.take().map_or(0, |then| now - then);
                ledger.clock_earliest = ledger.clock_earliest.map(|start| start + away);
                ledger.clock_latest = ledger.clock_latest.map(|start| start + away);
            }
            Some(SavedWord::Entry) => self.entering = Some(key),
            _ => {}
        }
        Ok(())
    }

    /// A barrier that was in a slot or in the FIFO is in the FIFO again, in its turn.
    pub(super) fn enters_again(&mut self, key: Key, queue: usize) -> Result<(), Broken> {
        let next = self.ctas[key.cta].returning.pop_front();
        owed!(next == Some(key.barrier), "CX-10", "barrier {key} enters again, {next:?} is next");
        self.entering = None;
        self.queues[queue].push_back(key);
        self.progress = true;
        Ok(())
    }

    /// The CTA is gone: what is known of it, for its return.
    pub fn leave(&mut self, cta: usize) -> CtaLedger {
        std::mem::replace(&mut self.ctas[cta], CtaLedger::new(&self.size))
    }

    /// The CTA that was launched last is one that has left before, and comes back word by word.
    pub fn enter(&mut self, cta: usize, mut ledger: CtaLedger) {
        for place in &mut ledger.threads {
            if let Where::Asleep(sleep) = place {
                // Its section is searched from the first thread on: who was late is not any more.
                if sleep.role == Role::Late {
                    sleep.role = Role::Member;
                }
            }
        }
        // A completion that was held off is due from the return on, whether a clock of its barrier comes back with it or not.
        for barrier in &mut ledger.keys {
            barrier.complete_since = barrier.complete_since.map(|_| self.cycle);
        }
        self.ctas[cta] = ledger;
        self.coming[cta] = true;
    }

    /// It is all there again.
    pub fn is_back(&mut self, cta: usize, elsewhere: bool) {
        self.coming[cta] = false;
        // A clock whose word had nothing to say was not put back.
        self.ctas[cta].keys.iter_mut().for_each(|ledger| ledger.stopped = None);
        self.count(if elsewhere { "resumed in another slot" } else { "resumed in its own slot" });
    }
}
