//! Launch, retire, configuration, exits and resets, and the errors of all requests (BR-05, BR-06, BR-19, BR-25, BR-26, BR-28, BR-39).

use super::state::{Attributes, Barrier, Place, State};
use super::{Automaton, Fault};
use crate::barrier::{Configuration, ErrorCause, ErrorReport, Event, Key, Operation, Request, Response};

impl Automaton {
    /// Launch: thread count and map come in, everything of the CTA is cleared.
    pub(super) fn launch(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let size = self.size;
        let threads = (request.data & 0xffff) as usize & (2 * size.threads() - 1);
        let bits = size.blocks.ilog2() as usize;
        let physical = |logical: usize| (request.data >> (16 + bits * logical)) as usize & (size.blocks - 1);
        let cta = &mut self.ctas[request.cta];
        cta.valid = true;
        cta.live = threads;
        cta.map = (0..threads.div_ceil(size.block_threads)).map(physical).collect();
        cta.threads.fill(Place::Gone);
        for logical in 0..threads {
            let thread = physical(logical / size.block_threads) * size.block_threads + logical % size.block_threads;
            cta.threads[thread] = Place::Awake;
        }
        cta.barriers.fill(Barrier::new(&size));
        self.memory.launched.insert(request.cta, threads);
        self.memory.done.retain(|(key, _)| key.cta != request.cta);
        events.push(Event::Launched(request.cta));
        Response::default()
    }

    /// Retire: waits until all is idle and delivered.
    pub(super) fn retire(&mut self, request: &Request) -> Response {
        let frozen = self.is_frozen(request.cta);
        let cta = &mut self.ctas[request.cta];
        let busy = cta.barriers.iter().any(|entry| entry.state != State::Idle || entry.release.is_some());
        let refused = busy || frozen;
        if !refused {
            cta.valid = false;
            cta.live = 0;
            cta.threads.fill(Place::Gone);
        }
        Response { refused, ..Response::default() }
    }

    /// BARRIER.CONF: the value that is there already always succeeds, another one while the barrier is idle.
    pub(super) fn configure(&mut self, request: &Request) -> Response {
        let entry = &mut self.ctas[request.cta].barriers[request.barrier];
        let configuration = Configuration::from_word(request.data);
        if entry.configuration == configuration {
            return Response::default();
        }
        let refused = entry.state != State::Idle;
        if !refused {
            entry.configuration = configuration;
            (entry.invalidated, entry.retained, entry.deadline) = (false, false, None);
            entry.forget_arrivals();
        }
        Response { refused, ..Response::default() }
    }

    /// EXIT: inside a section it acts as the bottom (BR-26); the thread counts nowhere any more (BR-39). Barriers that it completes do so lowest
    /// id first (BR-14).
    pub(super) fn exit(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let stays = self.broken(Fault::ExitStaysInside);
        for offset in self.offsets(request.mask) {
            let thread = self.thread_index(request.block, offset);
            let place = &mut self.ctas[request.cta].threads[thread];
            if !(stays && matches!(place, Place::Inside { .. })) {
                *place = Place::Gone;
                self.ctas[request.cta].live -= 1;
            }
        }
        for barrier in 0..self.size.barriers {
            let key = Key { cta: request.cta, barrier };
            let last = self.ctas[request.cta].live == 0;
            let entry = self.barrier_mut(key);
            entry.arrived[request.block] &= !request.mask;
            entry.bystanders[request.block] &= !request.mask;
            if last {
                entry.deadline = None;
            }
            let left = self.ctas[key.cta].sleepers(barrier) + self.barrier(key).count();
            let entry = self.barrier(key);
            if entry.state == State::Static && !entry.complete && left == 0 {
                // Nobody has arrived any more; after the last exit that goes for all (BR-26).
                self.turn_idle(key);
            }
            self.settle(key, false, events);
        }
        Response::default()
    }

    /// BARRIER.RESET (BR-25). A static barrier ends now, a dynamic one as soon as it is in a slot.
    pub(super) fn reset(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let sleepers = self.ctas[key.cta].sleepers(key.barrier);
        let frozen = self.is_frozen(key.cta);
        let entry = self.barrier_mut(key);
        if entry.release.is_some() || frozen {
            return Response { refused: true, ..Response::default() };
        }
        (entry.invalidated, entry.retained) = (false, false);
        entry.transactions = [0; 2];
        match entry.state {
            State::Idle => {
                entry.deadline = None;
                entry.forget_arrivals();
            }
            State::Static => {
                entry.reset = true;
                if sleepers > 0 || entry.split {
                    self.release(key, events);
                }
                self.turn_idle(key);
            }
            State::Queued | State::Slot(_) => {
                entry.reset = true;
                let inside = |place: &&mut Place| **place == Place::Inside { barrier: key.barrier };
                self.ctas[key.cta].threads.iter_mut().filter(inside).for_each(|place| *place = Place::Awake);
            }
        }
        Response::default()
    }

    /// The error of a request, if it has one; of several the lowest cause. Such a request has no effect.
    pub fn error(&self, request: &Request) -> Option<ErrorReport> {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let offsets = || self.offsets(request.mask);
        let place = |offset: usize| self.ctas[request.cta].threads[self.thread_index(request.block, offset)];
        let lowest = offsets().next().unwrap_or(0);
        let report = |cause, offset, other| ErrorReport {
            cause,
            block: request.block,
            offset,
            barrier: request.barrier,
            address: request.tag,
            other,
        };
        if request.operation == Operation::Bottom {
            let outside = offsets().find(|offset| place(*offset) != Place::Inside { barrier: request.barrier });
            if let Some(offset) = outside {
                return Some(report(ErrorCause::NotInside, offset, None));
            }
        }
        if request.operation == Operation::Arrive {
            let inside = offsets().find_map(|offset| match place(offset) {
                Place::Inside { barrier } => Some((offset, barrier)),
                _ => None,
            });
            if let Some((offset, barrier)) = inside {
                let tag = self.ctas[request.cta].barriers[barrier].tag.unwrap_or(0);
                return Some(report(ErrorCause::Nested, offset, Some((barrier, tag))));
            }
            let entry = self.barrier(key);
            let same = entry.state != State::Idle && !entry.split && entry.tag == Some(request.tag);
            if self.ctas[request.cta].valid && same && entry.attributes != Attributes::of(request) {
                return Some(report(ErrorCause::Differs, lowest, None));
            }
        }
        if self.illegal(request) {
            return Some(report(ErrorCause::Illegal, lowest, None));
        }
        if self.has_no_bottom(request) {
            return Some(ErrorReport { offset: 0, ..report(ErrorCause::NoBottom, 0, self.section_without_bottom()) });
        }
        let overflow = matches!(request.operation, Operation::Expect | Operation::Complete)
            && !(-63..=63).contains(&self.transacted(request));
        overflow.then(|| report(ErrorCause::Overflow, lowest, None))
    }

    /// Configurations that are never legal, and requests to a CTA that is not there.
    fn illegal(&self, request: &Request) -> bool {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let cta = &self.ctas[request.cta];
        if request.operation == Operation::Launch {
            return false;
        }
        if !cta.valid {
            return true;
        }
        let configuration = &self.barrier(key).configuration;
        match request.operation {
            Operation::Configure => {
                let new = Configuration::from_word(request.data);
                !(1..=5).contains(&new.condition) || new.condition == 5 && new.minimum == 0
            }
            Operation::Arrive => {
                // BR-28: a section needs all participants.
                let partial =
                    request.critical && configuration.condition == 2 && usize::from(configuration.reference) < cta.live;
                partial || request.impatient != (configuration.condition >= 4)
            }
            Operation::SplitArrive | Operation::SplitWait => configuration.condition > 2,
            _ => false,
        }
    }
}
