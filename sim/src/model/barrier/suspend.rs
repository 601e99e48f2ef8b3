//! A CTA leaves and comes back: its threads inside sections reach their bottoms, its barriers leave slots and FIFO, and every word of its
//! state is read; later it is put back as another CTA (CX-09, CX-10).

use super::state::{Attributes, Place, State};
use super::{Automaton, Fault};
use crate::barrier::{
    word_of, Configuration, Event, Key, LateMode, Operation, Request, Response, SavedWord, StateWord,
};

/// A CTA that is held: nothing of it is woken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frozen {
    /// Which.
    pub cta: usize,
    /// The cycle of its first Suspend.
    pub since: u64,
    /// From this cycle on it has taken too long.
    pub until: u64,
    /// Nobody is inside, nothing is under way: its Suspend was accepted.
    pub closed: bool,
    /// Its barriers that were in slots and FIFO, once they were taken out.
    pub order: Option<Vec<usize>>,
}

impl Automaton {
    /// The CTA is held.
    pub fn is_frozen(&self, cta: usize) -> bool {
        self.frozen.as_ref().is_some_and(|frozen| frozen.cta == cta)
    }

    /// It is, and what was decided in the cycle in which that came is seen by now.
    pub(super) fn is_stopped(&self, cta: usize) -> bool {
        let stopped = |frozen: &Frozen| frozen.cta == cta && !(self.concurrent && self.now <= frozen.since + 1);
        self.frozen.as_ref().is_some_and(stopped) && !self.broken(Fault::WokenWhileHeld)
    }

    /// Nobody of the CTA is inside a section, and no wake-up of it is under way.
    pub fn is_calm(&self, cta: usize) -> bool {
        let entries = &self.ctas[cta];
        let inside = entries.threads.iter().any(|place| matches!(place, Place::Inside { .. }));
        let released = entries.barriers.iter().any(|entry| entry.release.is_some());
        (!inside || self.broken(Fault::LeavesInside)) && !released && self.showing != Some(cta)
    }

    /// A Suspend that has been presented for too long: a thread does not reach its bottom (CX-10).
    pub(super) fn has_no_bottom(&self, request: &Request) -> bool {
        let late = |frozen: &Frozen| frozen.cta == request.cta && !frozen.closed && frozen.until <= self.now;
        request.operation == Operation::Suspend
            && limit(request) > 0
            && self.frozen.as_ref().is_some_and(late)
            && !self.is_calm(request.cta)
    }

    /// The section in the lowest slot that a thread of the held CTA is inside, and its top.
    pub(super) fn section_without_bottom(&self) -> Option<(usize, u32)> {
        let frozen = self.frozen.as_ref()?;
        let here = |key: &&Key| key.cta == frozen.cta && self.ctas[key.cta].occupied(key.barrier);
        let key = self.slots.iter().flatten().find(here);
        Some(key.map_or((0, 0), |key| (key.barrier, self.barrier(*key).tag.unwrap_or(0))))
    }

    /// Suspend: the CTA is held, and refused until it is calm. The request is free of errors.
    pub(super) fn suspend(&mut self, request: &Request) -> Response {
        let (now, cta, calm) = (self.now, request.cta, self.is_calm(request.cta));
        let refused = Response { refused: true, ..Response::default() };
        match &mut self.frozen {
            Some(frozen) if frozen.cta == cta && limit(request) == 0 => {
                if frozen.order.is_none() {
                    self.frozen = None;
                }
                Response::default()
            }
            _ if limit(request) == 0 => Response::default(),
            None => {
                let until = now + 1 + limit(request);
                self.frozen = Some(Frozen { cta, since: now, until, closed: false, order: None });
                refused
            }
            Some(frozen) if frozen.cta == cta && (frozen.closed || calm) => {
                frozen.closed = true;
                Response::default()
            }
            Some(_) => refused,
        }
    }

    /// Withdraw: the first one is refused, and takes the CTA's barriers out of slots and FIFO.
    pub(super) fn withdraw(&mut self, request: &Request) -> Response {
        let refused = Response { refused: true, ..Response::default() };
        let Some(frozen) = self.frozen.as_ref().filter(|frozen| frozen.cta == request.cta && frozen.closed) else {
            return refused;
        };
        if frozen.order.is_none() {
            let order = self.take_out(request.cta);
            if let Some(frozen) = &mut self.frozen {
                frozen.order = Some(order);
            }
            return refused;
        }
        let saved = word_of(request).map_or(0, |kind| self.saved_word(kind, request));
        if word_of(request) == Some(SavedWord::End) {
            let cta = &mut self.ctas[request.cta];
            (cta.valid, cta.live) = (false, 0);
            cta.threads.fill(Place::Gone);
            self.frozen = None;
        }
        Response { saved, ..Response::default() }
    }

    /// The CTA's barriers leave their slots, lowest first, and the FIFO.
    fn take_out(&mut self, cta: usize) -> Vec<usize> {
        let mut order = Vec::new();
        for slot in &mut self.slots {
            order.extend(slot.take_if(|key| key.cta == cta).map(|key| key.barrier));
        }
        for queue in &mut self.queues {
            order.extend(queue.iter().filter(|key| key.cta == cta).map(|key| key.barrier));
            queue.retain(|key| key.cta != cta);
        }
        if self.broken(Fault::OrderReversed) {
            order.reverse();
        }
        order
    }

    /// A word of the CTA that is held.
    fn saved_word(&self, kind: SavedWord, request: &Request) -> u64 {
        let cta = &self.ctas[request.cta];
        let entry = &cta.barriers[request.barrier];
        let asleep = |finished: bool| {
            let here = |offset: &usize| {
                let place = cta.threads[self.thread_index(request.block, *offset)];
                matches!(place, Place::Asleep { barrier, done, .. } if barrier == request.barrier && done == finished)
            };
            (0..self.size.block_threads).filter(here).fold(0, |mask, offset| mask | 1 << offset)
        };
        match kind {
            SavedWord::Launch => {
                let threads = cta.map.len() * self.size.block_threads;
                crate::barrier::launch_data(&self.size, threads, &cta.map)
            }
            SavedWord::Live => cta.live as u64,
            SavedWord::Order => {
                let order = self.frozen.iter().flat_map(|frozen| frozen.order.iter().flatten());
                order.enumerate().fold(0, |word, (place, barrier)| word | (0x80 | *barrier as u64) << (8 * place))
            }
            SavedWord::Waiting => asleep(false),
            SavedWord::Finished => asleep(true),
            SavedWord::Arrived => entry.arrived[request.block],
            SavedWord::Seen => entry.bystanders[request.block],
            SavedWord::Configuration => entry.configuration.word(),
            SavedWord::Identity => {
                let Attributes { after, critical, ordered, exclusive, blocking, impatient } = entry.attributes;
                let flags = [critical, ordered, exclusive, blocking, impatient].into_iter().enumerate();
                let flags = flags.fold(0, |bits, (place, flag)| bits | u64::from(flag) << place);
                u64::from(entry.tag.unwrap_or(0)) | u64::from(after) << 22 | flags << 44
            }
            SavedWord::State => self.state_word(Key { cta: request.cta, barrier: request.barrier }).word(),
            SavedWord::Transactions => {
                let [even, odd] = entry.transactions.map(|count| u64::from(count as u8 & 0x7f));
                even | odd << 7
            }
            SavedWord::Clock => {
                let left = |deadline: u64| 1 | deadline.saturating_sub(self.now) << 16;
                entry.deadline.map_or(0, left) | u64::from(entry.complete) << 1
            }
            SavedWord::Entry | SavedWord::End => 0,
        }
    }

    fn state_word(&self, key: Key) -> StateWord {
        let entry = self.barrier(key);
        let bits = [
            entry.state == State::Static,
            entry.state.is_dynamic(),
            entry.split,
            entry.phase,
            entry.invalidated || entry.retained,
            entry.reset,
            entry.complete,
            entry.deadline.is_some(),
        ];
        let bits = bits.into_iter().enumerate().fold(0, |word, (place, bit)| word | u8::from(bit) << place);
        let filled = (0..self.size.blocks).filter(|block| entry.marked(*block) != 0);
        let filled = filled.fold(0, |mask, block| mask | 1 << block);
        StateWord {
            bits,
            count: entry.count() as u16,
            sleepers: self.ctas[key.cta].sleepers(key.barrier) as u16,
            filled,
        }
    }

    /// Deposit: a word goes back to its place, in whatever CTA that is now.
    pub(super) fn deposit(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let (now, data, lost) = (self.now, request.data, self.broken(Fault::DoneForgotten));
        let stands = self.broken(Fault::ClockRunsOut);
        let entry = self.barrier_mut(key);
        match word_of(request) {
            Some(SavedWord::Live) => self.ctas[key.cta].live = data as usize,
            Some(SavedWord::Waiting) => self.fall_asleep(key, request.block, data, false, false),
            Some(SavedWord::Finished) => {
                self.fall_asleep(key, request.block, data, !lost, false);
                return Response { sleep: data, ..Response::default() };
            }
            Some(SavedWord::Arrived) => entry.arrived[request.block] = data,
            Some(SavedWord::Seen) => entry.bystanders[request.block] = data,
            Some(SavedWord::Configuration) => entry.configuration = Configuration::from_word(data),
            Some(SavedWord::Identity) => {
                entry.tag = Some(data as u32 & ADDRESSES);
                let flag = |place: u32| data >> (44 + place) & 1 == 1;
                entry.attributes = Attributes {
                    after: (data >> 22) as u32 & ADDRESSES,
                    critical: flag(0),
                    ordered: flag(1),
                    exclusive: flag(2),
                    blocking: flag(3),
                    impatient: flag(4),
                };
                if entry.split {
                    entry.attributes = Attributes::default();
                }
            }
            Some(SavedWord::State) => {
                let word = StateWord::of(data);
                entry.state = match (word.bit(0), word.bit(1)) {
                    (_, true) => State::Queued,
                    (true, _) => State::Static,
                    _ => State::Idle,
                };
                (entry.split, entry.phase, entry.reset) = (word.bit(2), word.bit(3), word.bit(5));
                let counts_on = entry.configuration.late == LateMode::Continue;
                (entry.invalidated, entry.retained) = (word.bit(4) && !counts_on, word.bit(4) && counts_on);
            }
            Some(SavedWord::Transactions) => {
                // Seven bits with their sign.
                entry.transactions = [data, data >> 7].map(|count| ((count as u8) << 1) as i8 >> 1);
            }
            Some(SavedWord::Clock) => {
                entry.complete = data >> 1 & 1 == 1;
                let left = if stands { 0 } else { data >> 16 };
                entry.deadline = (data & 1 == 1).then_some(now + left);
            }
            Some(SavedWord::Entry) => {
                self.enqueue(key);
                events.push(Event::Dynamic(key));
            }
            Some(SavedWord::Launch | SavedWord::Order | SavedWord::End) | None => {}
        }
        let sleep = if word_of(request) == Some(SavedWord::Waiting) { data } else { 0 };
        Response { sleep, ..Response::default() }
    }
}

/// Addresses have 22 bits.
const ADDRESSES: u32 = (1 << 22) - 1;

/// How many cycles a Suspend waits for a bottom; 0: it gives up.
const fn limit(request: &Request) -> u64 {
    request.data & 0xffff
}
