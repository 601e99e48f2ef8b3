//! What the engine is offered, what comes of it once it is accepted, and what the engine reports.

use crate::engine::{Events, Fetch, Operation, Request, YieldPolicy};
use crate::isa::Action;

use super::core::{Machine, Offer};
use super::local_unit::ContextFault;
use super::observer::place;
use super::outcome::Verdict;

impl Machine<'_> {
    /// Offers something to the engine.
    pub(super) fn offer(&mut self, offer: Offer) -> Option<Verdict> {
        if !self.engine.offer(offer.request()) {
            self.pending = Some(offer);
            self.counters.stalls.engine_refused += 1;
            return self.stuck();
        }
        self.pending = None;
        match offer {
            Offer::Instruction(request, fetch) => return self.issue(request, fetch),
            Offer::Step(request) => self.step(request),
            Offer::Context(request) => {
                self.counters.stalls.suspension += 1;
                if let Some(suspension) = &mut self.suspension {
                    suspension.accepted(&request);
                }
                self.recorder.touch(request.warp);
            }
            Offer::Wake(request) => {
                self.counters.stalls.barrier_moves += 1;
                self.recorder.touch(request.warp);
            }
        }
        None
    }

    /// The engine has accepted a part of a barrier's answer.
    fn step(&mut self, request: Request) {
        let warp = request.warp;
        self.counters.stalls.barrier_moves += 1;
        self.scheduler.issued(warp);
        if let Some(unit) = &mut self.barriers {
            unit.stepped(warp);
        }
        self.history.note(&request, self.engine.fetch(warp).address, request.mask);
        if request.operation == Operation::Exit {
            self.watchdog.progress(self.counters.cycles);
        }
        self.recorder.touch(warp);
    }

    /// The engine has accepted an instruction: the lanes do its work.
    fn issue(&mut self, request: Request, fetch: Fetch) -> Option<Verdict> {
        let (warp, address) = (request.warp, fetch.address);
        self.scheduler.issued(warp);
        let instruction = &self.kernel.instructions[address as usize];
        let resident = self.blocks.resident(warp)?;
        if matches!(instruction.action, Action::Atomic(..)) {
            let executed = self.lanes.holding(instruction.guard, warp, fetch.active);
            self.locks.note(&self.lanes, instruction, warp, resident, executed);
        }
        if let Some(cache) = &mut self.cache {
            let addresses = self.lanes.global_addresses(instruction, warp, fetch.active);
            cache.access(self.counters.cycles, warp, &addresses);
            self.counters.cache = cache.counts();
        }
        let places = match &mut self.local {
            Some(unit) => unit.places(instruction, warp, fetch.active, &mut self.lanes),
            None => Ok(None),
        };
        let places = match places {
            Ok(places) => places,
            Err(fault) => return Some(Verdict::ContextFault(fault)),
        };
        let result = match self.lanes.execute_at(instruction, warp, fetch.active, address, places.as_ref()) {
            Ok(result) => result,
            Err(fault) => return Some(Verdict::LaneFault { fault, place: place(self.kernel, address) }),
        };
        self.counters.instructions.count(instruction.class());
        self.counters.active_lanes += u64::from(fetch.active.count_ones());
        self.history.note(&request, address, fetch.active);
        if let Some(observer) = &mut self.observer {
            observer.note(warp, resident, address, fetch.active, result.access);
        }
        let exits = request.operation == Operation::Exit && request.mask & fetch.active != 0;
        let writes = result.access.is_some_and(|access| access.changed);
        if exits || writes {
            self.watchdog.progress(self.counters.cycles);
        }
        // A YIELD that does not fire advances its generator, which does not show.
        let counts_yields = !self.configuration.stack_mode && self.configuration.yield_policy != YieldPolicy::Always;
        if request.operation == Operation::Yield && counts_yields || self.configuration.tree {
            self.watchdog.disturb();
        }
        if request.operation != Operation::Step {
            self.recorder.touch(warp);
        }
        None
    }

    pub(super) fn account(&mut self, events: &Events) {
        for &warp in &events.pushed {
            self.counters.tokens_pushed += 1;
            self.depths[warp] += 1;
            let peak = &mut self.counters.token_high_water[warp];
            *peak = (*peak).max(self.depths[warp]);
        }
        for &warp in &events.popped {
            self.counters.tokens_popped += 1;
            self.depths[warp] = self.depths[warp].saturating_sub(1);
            self.watchdog.popped(warp, self.depths[warp]);
        }
        if let Some(count) = events.nodes {
            let peak = &mut self.counters.node_high_water[count.warp];
            *peak = (*peak).max(count.nodes);
        }
        for &(cause, _) in &events.exceptions {
            self.counters.exceptions.count(cause);
        }
        self.counters.diverged += u64::from(events.diverged);
        self.counters.yielded += u64::from(events.yielded);
        self.counters.merged += u64::from(events.merged);
        self.counters.discarded += u64::from(events.discarded);
        if events.yielded > 0 || !events.exceptions.is_empty() {
            self.watchdog.disturb();
        }
    }

    pub(super) fn finish(&mut self, warp: usize) -> Result<(), ContextFault> {
        self.counters.warps_done += 1;
        if let Some(slot) = self.blocks.finish(warp) {
            self.counters.blocks_done += 1;
            match &mut self.barriers {
                Some(unit) => unit.retire(slot),
                None => self.blocks.retire(slot),
            }
        }
        if let Some(unit) = &mut self.local {
            unit.end(warp, &mut self.lanes)?;
        }
        self.lanes.release(warp);
        self.locks.forget(warp);
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.finish(self.counters.cycles, warp);
        Ok(())
    }
}
