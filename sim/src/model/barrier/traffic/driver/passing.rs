//! A section that is passed over (BR-36). A slot whose thread could start waits only while another starts one, and would have its turn as soon as that one is
//! inside; so its CTA is held whenever the port is free for it, and runs on in the one cycle in which the other starts its next thread.
//!
//! Once it has starved and won, whose turn it is among the sections of the other's priority has not changed. That shows where its CTA goes on to a
//! section of that priority: the other is held until this one asks as well, and nobody of that priority has won meanwhile.

use super::{Driver, Meaning, Place, Stage};
use crate::barrier::{BarrierScheduler, Key, Operation, Request, Wake};
use crate::model::barrier::traffic::draw;
use std::ops::ControlFlow;

/// Cycles until the next thread of a section is known, nearly always.
const SEARCH: u64 = 6;
/// Cycles after which a CTA runs on in which nothing can be passed over.
const LONGEST: u64 = 300;

/// What has to come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Any,
    /// The CTA runs on: the other's thread leaves its section.
    Passed,
    /// The CTA has to be held again, before the wake-up that is shown is taken.
    Held,
    /// It has starved and won: the other is held until its next section asks as well.
    Next,
}

/// How far it is.
#[derive(Default)]
pub(super) struct Passing {
    turn: Turn,
    held: bool,
    /// When it was held, or ran on.
    since: u64,
    /// How often it was passed over since it could start a thread.
    times: u64,
    /// It had its turn before it starved.
    relieved: bool,
}

impl<S: BarrierScheduler + ?Sized> Driver<'_, S> {
    /// The request by which one is passed over; goes on if anything may be asked.
    pub(super) fn passing_request(&mut self) -> ControlFlow<Option<(Request, Meaning)>> {
        if !self.scenario.knobs.passes {
            return ControlFlow::Continue(());
        }
        let mut by_priority: Vec<usize> =
            (0..self.ctas.len()).filter(|cta| !self.ctas[*cta].plans.is_empty()).collect();
        by_priority.sort_by_key(|cta| self.priority(*cta, 0));
        let (Some(&poor), Some(&rich)) = (by_priority.first(), by_priority.last()) else {
            return ControlFlow::Continue(());
        };
        match std::mem::take(&mut self.passing.turn) {
            Turn::Passed => {
                self.passing.turn = Turn::Held;
                self.stalled = u64::MAX;
                return ControlFlow::Break(self.bottom(rich));
            }
            // Who has won shows in a cycle or two.
            Turn::Held if self.shown.is_none() && self.now - self.passing.since <= SEARCH => {
                self.passing.turn = Turn::Held;
                return ControlFlow::Break(None);
            }
            Turn::Held if self.shown.is_some_and(|wake| self.goes_on(&wake, poor, rich)) => {
                self.passing.turn = Turn::Next;
                return self.suspend(rich, u16::MAX.into());
            }
            Turn::Held => return self.hold(poor),
            Turn::Next => return self.next_section(poor, rich),
            Turn::Any => {}
        }
        let running = self.both_run(poor, rich);
        if !self.passing.held {
            return if running && self.bottom(poor).is_some() { self.hold(poor) } else { ControlFlow::Continue(()) };
        }
        let waited = self.now - self.passing.since;
        if !running || waited > LONGEST {
            return self.let_go(poor);
        }
        if let Some(bottom) = self.bottom(poor) {
            return ControlFlow::Break(Some(bottom));
        }
        if self.bottom(rich).is_none() || !self.waits(rich) {
            return ControlFlow::Continue(());
        }
        if self.waits(poor) && waited > SEARCH {
            self.passing.times += 1;
            // In half of the runs it has its turn once before it starves, while the other is inside; then all counts anew.
            let relief = draw(self.scenario.seed, [8, 0, 0, 0]);
            if relief & 1 == 1 && !self.passing.relieved && self.passing.times > 1 + relief / 2 % 60 {
                self.passing.relieved = true;
            } else {
                self.passing.turn = Turn::Passed;
            }
            return self.let_go(poor);
        }
        // Who else wants to may come.
        let request = self.thread_request([rich, poor][self.now as usize % 2]);
        let arrival = request.filter(|request| request.operation != Operation::Bottom);
        ControlFlow::Break(arrival.map(|request| (request, Meaning::Threads)))
    }

    /// A CTA whose starved section has won goes through that section and on to the next, while the other is held. As its threads leave the first together,
    /// those of one block stay on their way: the port is not free, and when it is, the next section asks for it, and the other's as well.
    fn next_section(&mut self, poor: usize, rich: usize) -> ControlFlow<Option<(Request, Meaning)>> {
        let asks = self.stalled == u64::MAX && self.waits(poor);
        if asks || !self.both_run(poor, rich) || self.now - self.moved > LONGEST {
            self.stalled = self.now + 2 * SEARCH;
            return self.let_go(rich);
        }
        self.passing.turn = Turn::Next;
        ControlFlow::Break(self.thread_request(poor).map(|request| (request, Meaning::Threads)))
    }

    /// A wake-up was taken: while the next section of a CTA is waited for, the first that leave the one before are the last to be woken.
    pub(super) fn passes_woken(&mut self, wake: &Wake) {
        if self.passing.turn == Turn::Next && !wake.inside {
            self.stalled = u64::MAX;
        }
    }

    /// A request was accepted: with the one that holds a CTA in the execute stage, wake-ups still have to wait.
    pub(super) fn passes_on(&mut self, request: &Request) {
        if self.scenario.knobs.passes && request.operation == Operation::Suspend && request.data > 0 {
            self.stalled = self.now + 2;
        }
    }

    fn hold(&mut self, cta: usize) -> ControlFlow<Option<(Request, Meaning)>> {
        (self.passing.held, self.passing.since) = (true, self.now);
        self.suspend(cta, u16::MAX.into())
    }

    fn let_go(&mut self, cta: usize) -> ControlFlow<Option<(Request, Meaning)>> {
        (self.passing.held, self.passing.since) = (false, self.now);
        self.suspend(cta, 0)
    }

    fn suspend(&self, cta: usize, data: u64) -> ControlFlow<Option<(Request, Meaning)>> {
        let request = Request { operation: Operation::Suspend, cta, data, ..Request::default() };
        ControlFlow::Break(Some((request, Meaning::Probe)))
    }

    /// The bottom of the thread inside, if it is there.
    fn bottom(&self, cta: usize) -> Option<(Request, Meaning)> {
        let inside = self.ctas[cta].threads.iter().position(|thread| thread.place == Place::Inside)?;
        let request = self.wants(cta, inside)?;
        let mask = 1 << (inside % self.scenario.size.block_threads);
        Some((Request { mask, ..request }, Meaning::Threads))
    }

    /// Whether somebody else is to run a section of a CTA, which has begun.
    fn waits(&self, cta: usize) -> bool {
        let plan = &self.ctas[cta].plans[0];
        let begun = |step: usize| {
            let key = Key { cta, barrier: plan.sites[plan.steps[step].site()].barrier };
            !self.contract.is_idle(key) && self.contract.static_tag(key).is_none()
        };
        self.ctas[cta].threads.iter().any(|thread| thread.place == Place::Asleep && begun(thread.step))
    }

    /// Whether this is a thread of a lower priority that won, and its CTA goes on to a section of the priority that lost.
    fn goes_on(&self, wake: &Wake, poor: usize, rich: usize) -> bool {
        let logical = self.logical(wake.cta, wake.block, wake.mask);
        let Some(step) = logical.first().map(|logical| self.ctas[wake.cta].threads[*logical].step) else {
            return false;
        };
        let lost = self.priority(rich, 0);
        wake.inside && wake.cta == poor && self.priority(poor, step) < lost && self.priority(poor, step + 1) == lost
    }

    /// The priority of the section in a step of a CTA's program.
    fn priority(&self, cta: usize, step: usize) -> Option<u8> {
        let plan = &self.ctas[cta].plans[0];
        let site = &plan.sites[plan.steps.get(step)?.site()];
        Some(plan.configurations[site.barrier].priority)
    }

    /// Whether both are under way.
    fn both_run(&self, poor: usize, rich: usize) -> bool {
        [rich, poor].iter().all(|cta| self.ctas[*cta].stage == Stage::Running)
    }
}
