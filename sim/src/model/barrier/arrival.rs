//! The top: who counts, who sleeps, who is late, when the clock starts and when membership is complete (BR-10..BR-24).

use super::state::{Attributes, Place, State};
use super::{Automaton, Fault};
use crate::barrier::{BlockMask, Event, Key, LateMode, Request, Response, TimeoutEvent};

impl Automaton {
    /// Arrive. The request is free of errors.
    pub(super) fn arrive(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let entry = self.barrier(key);
        // BR-17: under 3 to 5 only participants count.
        let counting = if entry.configuration.condition <= 2 { request.mask } else { request.participants };
        // An idle barrier knows its place again only with the same attributes (BR-05).
        let alike = entry.state != State::Idle || entry.attributes == Attributes::of(request);
        let same = entry.tag == Some(request.tag) && !entry.split && alike;
        match entry.state {
            State::Idle => self.arrive_idle(key, request, counting, same, events),
            // BR-15: in use by something else.
            _ if !same => Response { wait: counting, skip: request.mask & !counting, ..Response::default() },
            State::Static => self.count(key, request, counting, events),
            State::Queued | State::Slot(_) => self.arrive_late(key, request, counting),
        }
    }

    /// An arrival at an idle barrier: the first of a phase (BR-11), unless it passes (BR-22) or does not count (BR-17).
    fn arrive_idle(
        &mut self,
        key: Key,
        request: &Request,
        counting: BlockMask,
        same: bool,
        events: &mut Vec<Event>,
    ) -> Response {
        let literal = self.broken(Fault::RetainedWaits);
        let entry = self.barrier_mut(key);
        let again = counting & entry.marked(request.block) != 0;
        let skip = request.mask & !counting;
        if same && entry.invalidated && !again {
            entry.arrived[request.block] |= counting;
            return Response { pass: counting, skip, ..Response::default() };
        }
        if same && entry.retained && again && literal {
            return Response { wait: counting, skip, ..Response::default() };
        }
        let keeps_count = same && entry.retained && !again;
        let keeps_clock = same && entry.deadline.is_some() && !again;
        if counting != 0 || self.clock_for_any(key) {
            let entry = self.barrier_mut(key);
            if !keeps_count {
                entry.arrived.fill(0);
                entry.retained = false;
            }
            if !keeps_count && !keeps_clock {
                entry.bystanders.fill(0);
            }
            if !keeps_clock {
                entry.deadline = None;
            }
            entry.tag = Some(request.tag);
            entry.attributes = Attributes::of(request);
            entry.invalidated = false;
            if counting != 0 {
                entry.state = State::Static;
                entry.bystanders[request.block] &= !counting;
            }
        }
        self.count(key, request, counting, events)
    }

    /// An arrival that may count in the phase that is open (BR-16).
    fn count(&mut self, key: Key, request: &Request, counting: BlockMask, events: &mut Vec<Event>) -> Response {
        let twice = self.broken(Fault::ArrivalTwice);
        let entry = self.barrier_mut(key);
        let mut fresh = counting & !entry.marked(request.block);
        let again = counting & !fresh & !request.participants;
        entry.arrived[request.block] |= fresh;
        if twice {
            fresh |= again;
            *self.memory.extra.entry(key).or_default() += again.count_ones() as usize;
        }
        let sleep = fresh & request.participants;
        self.fall_asleep(key, request.block, sleep, false, false);
        self.run_clock(key, request, sleep);
        if self.barrier(key).state == State::Static {
            self.settle(key, false, events);
        }
        Response {
            sleep,
            skip: request.mask & !sleep & !(counting & !fresh),
            wait: counting & !fresh,
            ..Response::default()
        }
    }

    /// An arrival at a dynamic barrier (BR-15, BR-20..BR-23).
    fn arrive_late(&mut self, key: Key, request: &Request, counting: BlockMask) -> Response {
        let (join_all, lost, runs) =
            (self.statics.late_join_all, self.broken(Fault::LostRescan), self.broken(Fault::SkippedRuns));
        let entry = self.barrier_mut(key);
        let mode = if join_all { LateMode::Join } else { entry.configuration.late };
        let skip = request.mask & !counting;
        let fresh = counting & !entry.marked(request.block);
        if entry.invalidated {
            entry.arrived[request.block] |= fresh;
            return Response { pass: fresh, skip, wait: counting & !fresh, ..Response::default() };
        }
        let joins = matches!(mode, LateMode::Join | LateMode::Skip) && !entry.reset;
        if joins {
            // A section is never run by a skipped thread; the code of a conditional barrier is (BR-23).
            let done = mode == LateMode::Skip && entry.attributes.critical && !runs;
            let sleep = fresh & request.participants;
            entry.arrived[request.block] |= fresh;
            entry.rescan |= sleep != 0 && !done && !lost;
            self.fall_asleep(key, request.block, sleep, done, true);
            return Response { sleep, skip: skip | fresh & !sleep, wait: counting & !fresh, ..Response::default() };
        }
        Response { wait: counting, skip, ..Response::default() }
    }

    /// The attributes say that an arrival that does not count starts or restarts the clock (BR-13, BR-17).
    fn clock_for_any(&self, key: Key) -> bool {
        let entry = self.barrier(key);
        let any = matches!(entry.configuration.event, TimeoutEvent::FirstOfAny | TimeoutEvent::LatestOfAny);
        any && entry.configuration.condition >= 4
    }

    /// Starts or restarts the clock (BR-13). `participants` have just counted.
    fn run_clock(&mut self, key: Key, request: &Request, participants: BlockMask) {
        let (now, without_end) = (self.now, self.broken(Fault::ClockWithoutEnd));
        let entry = self.barrier_mut(key);
        // A complete one needs no clock any more, so nobody's restart of it is remembered either.
        if entry.configuration.condition < 4 || entry.complete {
            return;
        }
        let others = request.mask & !request.participants & !entry.marked(request.block);
        let event = entry.configuration.event;
        if event == TimeoutEvent::LatestOfAny {
            entry.bystanders[request.block] |= others;
        }
        let others = if without_end { request.mask & !request.participants } else { others };
        let running = entry.deadline.is_some();
        let starts = match event {
            TimeoutEvent::FirstParticipating => participants != 0 && !running,
            TimeoutEvent::FirstOfAny => !running,
            TimeoutEvent::LatestParticipating => participants != 0,
            TimeoutEvent::LatestOfAny => participants != 0 || others != 0,
        };
        if starts && !entry.complete {
            entry.deadline = Some(now + u64::from(entry.configuration.timeout));
        }
    }

    /// Threads of a block fall asleep in a barrier.
    pub(super) fn fall_asleep(&mut self, key: Key, block: usize, mask: BlockMask, done: bool, late: bool) {
        let sticky = self.broken(Fault::DoneNotCleared);
        let phase = self.barrier(key).phase;
        for offset in self.offsets(mask) {
            let thread = self.thread_index(block, offset);
            let done = done || sticky && self.memory.done.contains(&(key, thread));
            self.ctas[key.cta].threads[thread] = Place::Asleep { barrier: key.barrier, phase, done, late };
        }
    }

    /// Completes a static barrier whose membership is complete, or whose timeout has `fired` (BR-12, BR-14). While the last release is under
    /// way it stays static, complete; without participants there is nothing to wait for (BR-13).
    pub(super) fn settle(&mut self, key: Key, fired: bool, events: &mut Vec<Event>) {
        let entry = self.barrier(key);
        if entry.state != State::Static || entry.complete || !(fired || self.membership(key)) {
            return;
        }
        let nobody = self.ctas[key.cta].sleepers(key.barrier) == 0 && !entry.split;
        let held = (entry.release.is_some() || self.hold || self.is_frozen(key.cta))
            && !nobody
            && !self.broken(Fault::ReleaseOverlaps);
        let entry = self.barrier_mut(key);
        entry.complete = true;
        entry.deadline = None;
        if nobody && !self.broken(Fault::EmptyTakesSlot) {
            self.turn_idle(key);
        } else if !held {
            self.complete(key, events);
        }
    }

    /// Membership, with what a defect makes of it.
    fn membership(&self, key: Key) -> bool {
        let (cta, entry) = (&self.ctas[key.cta], self.barrier(key));
        let configuration = &entry.configuration;
        match self.fault {
            Some(Fault::ArrivalTwice) if configuration.condition <= 2 => {
                let owed = if configuration.condition == 1 { cta.live } else { usize::from(configuration.reference) };
                cta.membership(key.barrier) || entry.count() + self.memory.extra.get(&key).unwrap_or(&0) >= owed
            }
            Some(Fault::ExitStillOwed) if configuration.condition == 1 => {
                cta.membership(key.barrier) && entry.count() >= self.memory.launched[&key.cta]
            }
            Some(Fault::ExactReference) if (2..=4).contains(&configuration.condition) => {
                cta.membership(key.barrier)
                    && (entry.count() == usize::from(configuration.reference) || cta.sleepers(key.barrier) == cta.live)
            }
            Some(Fault::TransactionsIgnored) if entry.split => {
                let owed = if configuration.condition == 1 { cta.live } else { usize::from(configuration.reference) };
                entry.count() >= owed || cta.membership(key.barrier)
            }
            _ => cta.membership(key.barrier),
        }
    }

    /// A static barrier with complete membership ends its phase at once (BR-45, BR-51) or turns dynamic (BR-14).
    pub(super) fn complete(&mut self, key: Key, events: &mut Vec<Event>) {
        let sections_too = self.broken(Fault::SectionInvalidated);
        let entry = self.barrier_mut(key);
        let passes = matches!(entry.configuration.late, LateMode::Pass | LateMode::PassIfDifferent);
        let short = entry.count() < usize::from(entry.configuration.reference);
        entry.complete = false;
        if entry.attributes.impatient && (!entry.attributes.critical || sections_too) && passes && short {
            entry.invalidated = true;
        }
        if entry.split || entry.is_plain() {
            self.release(key, events);
            self.turn_idle(key);
        } else {
            entry.state = State::Queued;
            self.enqueue(key);
            events.push(Event::Dynamic(key));
        }
    }

    /// Any state to idle; who sleeps has been released. Decides what outlives the execution (BR-22, BR-24).
    pub(super) fn turn_idle(&mut self, key: Key) {
        let sections_too = self.broken(Fault::SectionInvalidated);
        let entry = self.barrier_mut(key);
        let short = entry.attributes.impatient && entry.count() < usize::from(entry.configuration.reference);
        let late = entry.configuration.late;
        let passes = matches!(late, LateMode::PassFromIdle | LateMode::PassFromIdleIfDifferent);
        entry.invalidated |= short && passes && (!entry.attributes.critical || sections_too);
        entry.retained = short && late == LateMode::Continue;
        if entry.reset || entry.split {
            (entry.invalidated, entry.retained) = (false, false);
        }
        if !entry.invalidated && !entry.retained {
            entry.forget_arrivals();
        }
        entry.state = State::Idle;
        (entry.split, entry.reset, entry.rescan, entry.complete) = (false, false, false, false);
        entry.deadline = None;
        self.memory.extra.remove(&key);
    }
}
