//! Split phases with transactions: ARRIVE, WAIT, EXPECT, COMPLETE (BR-50, BR-51).

use super::state::{Attributes, State};
use super::Automaton;
use crate::barrier::{Event, Key, Operation, Request, Response};

impl Automaton {
    /// An idle barrier comes into use by split phases; none if it is in use by a top.
    fn open_split(&mut self, key: Key) -> Option<()> {
        let entry = self.barrier_mut(key);
        if entry.state == State::Idle {
            entry.state = State::Static;
            entry.split = true;
            entry.tag = None;
            entry.attributes = Attributes::default();
            entry.deadline = None;
            (entry.invalidated, entry.retained) = (false, false);
            entry.forget_arrivals();
        }
        entry.split.then_some(())
    }

    /// ARRIVE: counts once a phase and does not wait.
    pub(super) fn split_arrive(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        if self.open_split(key).is_none() {
            return Response { refused: true, ..Response::default() };
        }
        self.barrier_mut(key).arrived[request.block] |= request.mask;
        self.settle(key, false, events);
        Response::default()
    }

    /// WAIT: passes if the phase of the named parity has ended, otherwise sleeps until it does.
    pub(super) fn split_wait(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let entry = self.barrier(key);
        let in_use = entry.state != State::Idle && !entry.split;
        if !in_use && (request.data & 1 != 0) != entry.phase {
            return Response { pass: request.mask, ..Response::default() };
        }
        let elsewhere = self.ctas[key.cta].sleepers(key.barrier) > 0 && entry.tag != Some(request.tag);
        if in_use || elsewhere {
            return Response { wait: request.mask, ..Response::default() };
        }
        self.open_split(key);
        self.barrier_mut(key).tag = Some(request.tag);
        self.fall_asleep(key, request.block, request.mask, false, false);
        self.settle(key, false, events);
        Response { sleep: request.mask, ..Response::default() }
    }

    /// The count that an EXPECT or a COMPLETE would leave.
    pub(super) fn transacted(&self, request: &Request) -> i64 {
        let entry = &self.ctas[request.cta].barriers[request.barrier];
        let count = (request.data >> 1 & 63) as i64;
        let signed = if request.operation == Operation::Expect { count } else { -count };
        i64::from(entry.transactions[(request.data & 1) as usize]) + signed
    }

    /// EXPECT and COMPLETE. The request is free of errors.
    pub(super) fn transact(&mut self, request: &Request, events: &mut Vec<Event>) -> Response {
        let key = Key { cta: request.cta, barrier: request.barrier };
        let count = self.transacted(request);
        let entry = self.barrier_mut(key);
        entry.transactions[(request.data & 1) as usize] = count as i8;
        if entry.split {
            self.settle(key, false, events);
        }
        Response::default()
    }
}
