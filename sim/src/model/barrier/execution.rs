//! From the FIFO through a slot back to idle, and the wake-ups on the way (BR-30..BR-37).

use super::state::{Place, Release, State};
use super::{Automaton, Fault, Step};
use crate::barrier::{BlockMask, Event, Key, Request, Response, Wake};

impl Automaton {
    /// Which FIFO a barrier uses: class 3 has its own if slots are reserved for it (BR-37).
    fn queue_of(&self, key: Key) -> usize {
        usize::from(self.statics.reserved_slots > 0 && self.barrier(key).configuration.class == 3)
    }

    /// Into the FIFO (BR-14).
    pub(super) fn enqueue(&mut self, key: Key) {
        let queue = self.queue_of(key);
        self.queues[queue].push_back(key);
    }

    /// The classes of two barriers conflict.
    fn conflict(&self, one: Key, other: Key) -> bool {
        let (a, b) = (self.barrier(one).configuration.class, self.barrier(other).configuration.class);
        self.statics.class_conflicts >> (4 * a + b) & 1 != 0
    }

    /// An exclusive barrier that BARRIER.RESET has not ended.
    fn excludes(&self, key: Key) -> bool {
        let entry = self.barrier(key);
        entry.attributes.exclusive && !entry.reset && !self.broken(Fault::ExclusiveIgnored)
    }

    /// What the slots allow (BR-37): no conflicting exclusive barrier in any of them and, for an exclusive one, nothing conflicting at all or
    /// nobody inside it ([§122]); a thread that starts in this very cycle is not seen.
    fn slots_allow(&self, key: Key) -> bool {
        self.barrier(key).reset
            || self.others(key).all(|(slot, other)| {
                let inside = self.ctas[other.cta].occupied(other.barrier)
                    && !(self.concurrent && self.times[slot].started == self.now);
                !self.excludes(other) && (!self.excludes(key) || self.statics.exclusive_inside && !inside)
            })
    }

    /// The other conflicting barriers in slots.
    fn others(&self, key: Key) -> impl Iterator<Item = (usize, Key)> + '_ {
        let slots = self.slots.iter().enumerate();
        slots
            .filter_map(|(slot, other)| other.map(|other| (slot, other)))
            .filter(move |(_, other)| *other != key && self.conflict(key, *other))
    }

    /// The barriers that may leave their FIFO, with every slot that they may take.
    pub(super) fn hand_outs(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for queue in 0..2 {
            let Some(&key) = self.queues[queue].front() else { continue };
            if self.slots_allow(key) && !self.waits_behind(key, queue) {
                let first = if queue == 1 { 0 } else { self.statics.reserved_slots };
                let free = (first..self.size.slots).filter(|slot| self.slots[*slot].is_none());
                steps.extend(free.map(|slot| Step::HandOut(key, slot)));
            }
        }
        steps
    }

    /// An exclusive head that waits holds back what conflicts with it in the other FIFO, or it would wait for ever; it may be overtaken once.
    fn waits_behind(&self, key: Key, queue: usize) -> bool {
        self.passes(key, queue) && (self.overtaken[1 - queue] || !self.concurrent)
    }

    /// The barrier would overtake the exclusive head of the other FIFO.
    fn passes(&self, key: Key, queue: usize) -> bool {
        let other = self.queues[1 - queue].front();
        !self.excludes(key)
            && !self.barrier(key).reset
            && other.is_some_and(|other| self.excludes(*other) && self.conflict(key, *other))
    }

    /// FIFO to slot.
    pub(super) fn hand_out(&mut self, key: Key, slot: usize, events: &mut Vec<Event>) {
        let queue = self.queue_of(key);
        self.overtaken[1 - queue] |= self.passes(key, queue);
        self.overtaken[queue] = false;
        self.queues[queue].pop_front();
        self.slots[slot] = Some(key);
        self.times[slot].handed = self.now;
        self.barrier_mut(key).state = State::Slot(slot);
        events.push(Event::Handed(key, slot));
    }

    /// Threads of a section that may start now: of an ordered one the lowest logical id, late ones excepted (BR-31, BR-34).
    pub(super) fn selections(&self, slot: usize) -> Vec<Step> {
        let Some(key) = self.slots[slot] else { return Vec::new() };
        let (cta, entry) = (&self.ctas[key.cta], self.barrier(key));
        if self.is_stopped(key.cta)
            || !entry.attributes.critical
            || entry.reset
            || cta.occupied(key.barrier)
            || self.held_by_exclusive(key)
        {
            return Vec::new();
        }
        let mut steps = Vec::new();
        let mut first_found = false;
        let mut order = cta.map.clone();
        if self.broken(Fault::PhysicalOrder) {
            order.sort_unstable();
        }
        for block in order {
            for offset in 0..self.size.block_threads {
                if let Some(late) = self.candidate(key, block, offset) {
                    if late || !first_found || !entry.attributes.ordered {
                        steps.push(Step::Select(key, block, offset));
                    }
                    first_found |= !late;
                }
            }
        }
        steps
    }

    /// A thread that the section has still to run, and whether it came late.
    fn candidate(&self, key: Key, block: usize, offset: usize) -> Option<bool> {
        if self.broken(Fault::IdZeroIsNone) && key.barrier == 0 {
            return None;
        }
        match self.ctas[key.cta].threads[self.thread_index(block, offset)] {
            Place::Asleep { barrier, phase, done: false, late }
                if barrier == key.barrier && phase == self.barrier(key).phase =>
            {
                let lost = late && self.broken(Fault::LostRescan) && !self.barrier(key).rescan;
                (!lost).then_some(late)
            }
            _ => None,
        }
    }

    /// With [`crate::barrier::Statics::exclusive_inside`], an exclusive barrier in a slot stops the conflicting ones beside it, from the cycle after
    /// its hand-over on; it does not start itself while one of them has a thread inside (BR-40).
    fn held_by_exclusive(&self, key: Key) -> bool {
        !self.broken(Fault::ExclusiveInsideUngated)
            && self.others(key).any(|(slot, other)| {
                let holds = self.excludes(other) && !(self.concurrent && self.now <= self.times[slot].handed + 1);
                holds || self.excludes(key) && self.ctas[other.cta].occupied(other.barrier)
            })
    }

    /// A thread starts its section.
    pub(super) fn select(&mut self, key: Key, block: usize, offset: usize) -> Wake {
        let thread = self.thread_index(block, offset);
        let asleep = self.ctas[key.cta].threads[thread];
        if let State::Slot(slot) = self.barrier(key).state {
            self.times[slot].started = self.now;
        }
        self.ctas[key.cta].threads[thread] = Place::Inside { barrier: key.barrier };
        if self.broken(Fault::DoubleWake) && self.memory.done.insert((key, thread)) {
            self.ctas[key.cta].threads[thread] = asleep;
        }
        let address = self.barrier(key).behind_the_top();
        Wake { cta: key.cta, block, mask: 1 << offset, address, inside: true }
    }

    /// Bottom (BR-32). The request is free of errors.
    pub(super) fn bottom(&mut self, request: &Request) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let (blocking, phase) = (self.barrier(key).attributes.blocking, self.barrier(key).phase);
        for offset in self.offsets(request.mask) {
            let thread = self.thread_index(request.block, offset);
            self.memory.done.insert((key, thread));
            self.ctas[key.cta].threads[thread] = if blocking {
                Place::Asleep { barrier: key.barrier, phase, done: true, late: false }
            } else {
                Place::Awake
            };
        }
        let pass = if blocking { 0 } else { request.mask };
        Response { sleep: request.mask & !pass, pass, ..Response::default() }
    }

    /// The barrier is in a slot and its execution has ended: at once if it is conditional or was reset, otherwise with everybody done, nobody
    /// inside and no late thread to come (BR-30, BR-32, BR-33).
    pub(super) fn may_finish(&self, key: Key) -> bool {
        let (cta, entry) = (&self.ctas[key.cta], self.barrier(key));
        if !matches!(entry.state, State::Slot(_)) || self.is_frozen(key.cta) {
            return false;
        }
        let owed = |cta: &super::Cta| {
            (0..self.size.threads()).any(|thread| {
                let (block, offset) = (thread / self.size.block_threads, thread % self.size.block_threads);
                matches!(cta.threads[thread], Place::Asleep { .. }) && self.candidate(key, block, offset).is_some()
            })
        };
        let inside = cta.occupied(key.barrier) && !self.broken(Fault::DoneAtSelection);
        let ended = !entry.attributes.critical || entry.reset || !inside && !owed(cta);
        if self.memory.finishing.contains(&key) {
            return self.now.is_multiple_of(4);
        }
        ended
    }

    /// Dynamic to idle.
    pub(super) fn finish(&mut self, key: Key, events: &mut Vec<Event>) {
        if self.broken(Fault::IdleDespiteArrival) && self.memory.finishing.insert(key) {
            return;
        }
        self.memory.finishing.remove(&key);
        if let State::Slot(slot) = self.barrier(key).state {
            self.slots[slot] = None;
        }
        events.push(Event::Idle(key));
        self.release(key, events);
        self.turn_idle(key);
    }

    /// Ends the phase: who sleeps in it wakes up (BR-45).
    pub(super) fn release(&mut self, key: Key, events: &mut Vec<Event>) {
        let entry = self.barrier_mut(key);
        let release = Release { phase: entry.phase, address: entry.release_address() };
        entry.release = Some(release);
        entry.phase = !entry.phase;
        events.push(Event::Released(key, release.phase));
        self.close_release(key);
    }

    /// A release without sleepers left is delivered.
    fn close_release(&mut self, key: Key) {
        if (0..self.size.blocks).all(|block| self.released(key, block) == 0) {
            self.barrier_mut(key).release = None;
        }
    }

    /// The threads of a block that a release wakes.
    pub(super) fn released(&self, key: Key, block: usize) -> BlockMask {
        let Some(release) = self.barrier(key).release else { return 0 };
        if self.broken(Fault::IdZeroIsNone) && key.barrier == 0 {
            return 0;
        }
        let asleep = |offset: &usize| {
            let place = self.ctas[key.cta].threads[self.thread_index(block, *offset)];
            matches!(place, Place::Asleep { barrier, phase, .. } if barrier == key.barrier && phase == release.phase)
        };
        (0..self.size.block_threads).filter(asleep).fold(0, |mask, offset| mask | 1 << offset)
    }

    /// Blocks with released sleepers, logical blocks in order.
    pub(super) fn releases(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (cta, entries) in self.ctas.iter().enumerate() {
            for (barrier, _) in entries.barriers.iter().enumerate().filter(|(_, entry)| entry.release.is_some()) {
                let key = Key { cta, barrier };
                let blocks = entries.map.iter().filter(|block| self.released(key, **block) != 0);
                steps.extend(blocks.map(|block| Step::Release(key, *block)));
            }
        }
        steps
    }

    /// Wakes the released sleepers of a block.
    pub(super) fn wake_released(&mut self, key: Key, block: usize) -> Wake {
        let mask = self.released(key, block);
        let address = self.barrier(key).release.map_or(0, |release| release.address);
        for offset in self.offsets(mask) {
            let thread = self.thread_index(block, offset);
            self.ctas[key.cta].threads[thread] = Place::Awake;
        }
        self.close_release(key);
        Wake { cta: key.cta, block, mask, address, inside: false }
    }
}
