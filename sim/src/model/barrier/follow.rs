//! The automaton in lockstep with any scheduler (XV-02): it takes the steps that the ports show, and a step that is not enabled is an error of
//! the scheduler, as is a response or a strobe that differs.
//!
//! In one cycle a wake-up is taken into account when it is first shown, before the response: it was chosen a cycle earlier. What the automaton
//! answers at once and the hardware over some cycles (the completions of an EXIT) may come late by [`Follower::slack`] cycles. The hardware's release
//! walker may be done a little later than its last wake-up, not counting cycles in which the wake port is held up: so long a completion may be held
//! off and a RESET or a Retire refused.

use super::state::{Place, State};
use super::{Automaton, Step};
use crate::barrier::{
    word_of, BarrierScheduler, ErrorCause, Event, Key, Operation, Outputs, Request, Response, SavedWord, Size,
    StateWord, Statics, Wake,
};
use std::collections::VecDeque;

/// Where scheduler and automaton part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: {detail}")]
pub struct Mismatch {
    /// Ticks before.
    pub cycle: u64,
    /// What the scheduler showed and what the automaton says.
    pub detail: String,
}

/// The automaton beside a scheduler.
#[derive(Clone, Debug)]
pub struct Follower {
    /// Its state is that of the scheduler after each tick.
    pub automaton: Automaton,
    /// How many cycles strobes may come late, and the walker be busy behind its last wake-up.
    pub slack: u64,
    shown: Option<Wake>,
    owed: VecDeque<(Event, u64)>,
    /// Cycles in which the wake port was not held up.
    flow: u64,
    /// Of each barrier, the flow at its last release or the last wake-up of it.
    delivered: Vec<Option<u64>>,
}

impl Follower {
    /// Beside a scheduler that was just reset.
    pub fn new(size: Size, statics: Statics) -> Self {
        let mut automaton = Automaton::new(size, statics);
        automaton.concurrent = true;
        Self {
            automaton,
            slack: (size.keys() + 2 * size.barriers + 2 * size.blocks) as u64 + 8,
            shown: None,
            owed: VecDeque::new(),
            flow: 0,
            delivered: vec![None; size.keys()],
        }
    }

    /// One tick: what was offered and whether wake-ups were taken before it, and the outputs after it.
    pub fn observe(&mut self, offered: Option<&Request>, wake_ready: bool, outputs: &Outputs) -> Result<(), Mismatch> {
        let cycle = self.automaton.now;
        let outcome = self.follow(offered, wake_ready, outputs);
        self.automaton.tick();
        outcome.map_err(|detail| Mismatch { cycle, detail })
    }

    fn follow(&mut self, offered: Option<&Request>, wake_ready: bool, outputs: &Outputs) -> Result<(), String> {
        let held = self.shown.is_some() && !wake_ready;
        if let (Some(wake), false) = (outputs.wake, held) {
            self.wake(&wake)?;
        }
        self.flow += u64::from(!held);
        self.shown = outputs.wake;
        // A hand-out of this cycle may have been decided before or after what the request does.
        let mut events = outputs.events.clone();
        events.retain(|event| match *event {
            Event::Handed(key, slot) => self.automaton.take(&Step::HandOut(key, slot)).is_err(),
            Event::Launched(_) => false,
            _ => true,
        });
        if let (Some(response), Some(request)) = (&outputs.response, offered) {
            if request.operation == Operation::Suspend || request.operation == Operation::Withdraw {
                self.moves(request, response)?;
            } else if !(response.refused && self.walker_may_be_busy(request)) {
                let key = Key { cta: request.cta, barrier: request.barrier };
                // An exit may complete every barrier of its CTA; if one is held off, all wait until they are shown, in their order.
                let all = (0..self.automaton.size.barriers).map(|barrier| Key { barrier, ..key });
                let exit = request.operation == Operation::Exit;
                let concerned: Vec<Key> = all.filter(|one| exit || *one == key).collect();
                let held = concerned.iter().any(|one| self.holds_off(*one, &events));
                self.automaton.hold = concerned.into_iter().filter(|_| held).collect();
                self.automaton.showing = None;
                let answer = self.automaton.request(request);
                self.automaton.hold.clear();
                let late = self.automaton.now + self.slack;
                self.owed.extend(answer.events.into_iter().map(|event| (event, late)));
                self.owed.retain(|(event, _)| !matches!(event, Event::Launched(_)));
                if answer.response != *response {
                    return Err(format!("{request:?} -> {response:?}, owed {:?}", answer.response));
                }
            }
        }
        events.iter().try_for_each(|event| self.event(event, &events))?;
        match self.owed.front() {
            Some((event, late)) if *late < self.automaton.now => Err(format!("{event:?} does not come")),
            _ => Ok(()),
        }
    }

    fn event(&mut self, event: &Event, all: &[Event]) -> Result<(), String> {
        // A release without sleepers is walked as any other.
        if let Event::Released(key, _) = *event {
            let place = self.place(key);
            self.delivered[place] = Some(self.flow);
        }
        if let Some(place) = self.owed.iter().position(|(owed, _)| owed == event) {
            self.owed.remove(place);
            return Ok(());
        }
        let step = match *event {
            Event::Handed(key, slot) => Step::HandOut(key, slot),
            Event::Idle(key) => Step::Finish(key),
            Event::Timeout(key) => Step::Timeout(key),
            Event::Dynamic(key) | Event::Released(key, _) => Step::Complete(key),
            Event::Launched(_) => return Ok(()),
        };
        if let Step::Timeout(key) = step {
            self.automaton.hold = Some(key).filter(|key| self.holds_off(*key, all)).into_iter().collect();
        }
        let effects = self.automaton.take(&step).map_err(|refusal| {
            let Automaton { queues, overtaken, slots, .. } = &self.automaton;
            format!("{event:?} is shown, {refusal}; queued {queues:?}, overtaken {overtaken:?}, in slots {slots:?}")
        });
        self.automaton.hold.clear();
        let effects = effects?;
        let late = self.automaton.now + self.slack;
        self.owed.extend(effects.events.into_iter().map(|event| (event, late)));
        let Some(place) = self.owed.iter().position(|(owed, _)| owed == event) else {
            return Err(format!("{event:?} is shown, owed {:?}", self.owed));
        };
        self.owed.remove(place);
        Ok(())
    }

    fn wake(&mut self, wake: &Wake) -> Result<(), String> {
        let offset = wake.mask.trailing_zeros() as usize;
        let thread = wake.block * self.automaton.size.block_threads + offset;
        let place = self.automaton.ctas[wake.cta].threads.get(thread).copied();
        let Some(Place::Asleep { barrier, .. }) = place else {
            return Err(format!("{wake:?} is shown, its first thread is {place:?}"));
        };
        let key = Key { cta: wake.cta, barrier };
        let step = if wake.inside { Step::Select(key, wake.block, offset) } else { Step::Release(key, wake.block) };
        let effects = self.automaton.take(&step).map_err(|refusal| format!("{wake:?} is shown, {refusal}"))?;
        if effects.wake != Some(*wake) {
            return Err(format!("{wake:?} is shown, owed {:?}", effects.wake));
        }
        if !wake.inside && self.automaton.barrier(key).release.is_none() {
            let place = self.place(key);
            self.delivered[place] = Some(self.flow);
        }
        Ok(())
    }

    /// A CTA leaves. Until the walker knows that it has delivered its wake-ups, and slots and FIFO are emptied, the hardware may refuse.
    fn moves(&mut self, request: &Request, response: &Response) -> Result<(), String> {
        self.automaton.showing = self.shown.map(|wake| wake.cta);
        let before = self.automaton.frozen.clone();
        let answer = self.automaton.request(request).response;
        let walking =
            (0..self.automaton.size.barriers).any(|barrier| self.recently_delivered(Key { cta: request.cta, barrier }));
        let busy = walking && request.operation == Operation::Suspend;
        let failed = response.error.is_some_and(|report| report.cause == ErrorCause::NoBottom);
        if busy && answer.error.is_none() && (failed || response.refused) && answer != *response {
            self.automaton.frozen = before.filter(|_| !failed);
            return Ok(());
        }
        let emptying = before.is_some_and(|frozen| frozen.order.is_some());
        if request.operation == Operation::Withdraw && response.refused && emptying {
            return Ok(());
        }
        let same = Response { saved: answer.saved, ..*response } == answer;
        if same && self.words_agree(request, answer.saved, response.saved) {
            return Ok(());
        }
        Err(format!("{request:?} -> {response:?}, owed {answer:?}"))
    }

    /// Whether a word says what the automaton knows. What nobody asks for need not agree: the identity of an idle barrier, the sleepers of a dynamic
    /// one, blocks of which all that arrived have exited.
    fn words_agree(&self, request: &Request, mine: u64, shown: u64) -> bool {
        let key = Key { cta: request.cta, barrier: request.barrier };
        match word_of(request) {
            Some(SavedWord::Identity) => {
                let entry = self.automaton.barrier(key);
                entry.state == State::Idle || entry.split || mine == shown
            }
            Some(SavedWord::State) => {
                let (mine, shown) = (StateWord::of(mine), StateWord::of(shown));
                let counts = mine.bits & 0b1_0011 != 0;
                mine.bits == shown.bits
                    && (!counts || mine.count == shown.count)
                    && (!mine.bit(0) || mine.sleepers == shown.sleepers)
                    && mine.filled & !shown.filled == 0
            }
            _ => mine == shown,
        }
    }

    fn place(&self, key: Key) -> usize {
        key.cta * self.automaton.size.barriers + key.barrier
    }

    /// The release or last wake-up of a barrier was shown so short a time ago that the walker may not know yet.
    fn recently_delivered(&self, key: Key) -> bool {
        self.delivered[self.place(key)].is_some_and(|when| self.flow - when <= self.slack)
    }

    /// A completion of this cycle is held off: the walker may be busy, and nothing is shown.
    fn holds_off(&self, key: Key, events: &[Event]) -> bool {
        let shows = |event: &Event| matches!(event, Event::Dynamic(one) | Event::Released(one, _) if *one == key);
        self.recently_delivered(key) && !events.iter().any(shows)
    }

    fn walker_may_be_busy(&self, request: &Request) -> bool {
        let key = |barrier| Key { cta: request.cta, barrier };
        match request.operation {
            Operation::Reset => self.recently_delivered(key(request.barrier)),
            Operation::Retire => (0..self.automaton.size.barriers).any(|barrier| self.recently_delivered(key(barrier))),
            _ => false,
        }
    }
}

/// A scheduler with the automaton beside it; keeps the first mismatch.
pub struct Followed<S> {
    /// The scheduler.
    pub scheduler: S,
    /// The automaton.
    pub follower: Follower,
    /// Where they parted, if they did.
    pub mismatch: Option<Mismatch>,
    offered: Option<Request>,
    wake_ready: bool,
}

impl<S: BarrierScheduler> Followed<S> {
    /// Beside a scheduler that was just reset.
    pub fn new(scheduler: S) -> Self {
        let follower = Follower::new(scheduler.size(), scheduler.statics());
        Self { scheduler, follower, mismatch: None, offered: None, wake_ready: true }
    }
}

impl<S: BarrierScheduler> BarrierScheduler for Followed<S> {
    fn size(&self) -> Size {
        self.scheduler.size()
    }

    fn statics(&self) -> Statics {
        self.scheduler.statics()
    }

    fn ready(&self) -> bool {
        self.scheduler.ready()
    }

    fn offer(&mut self, request: Option<Request>) {
        self.offered = request;
        self.scheduler.offer(request);
    }

    fn wake_ready(&mut self, ready: bool) {
        self.wake_ready = ready;
        self.scheduler.wake_ready(ready);
    }

    fn tick(&mut self) -> Outputs {
        let outputs = self.scheduler.tick();
        if self.mismatch.is_none() {
            self.mismatch = self.follower.observe(self.offered.as_ref(), self.wake_ready, &outputs).err();
        }
        if outputs.accepted {
            self.offered = None;
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::barrier::backend::ModelScheduler;
    use crate::model::barrier::contract::Limits;
    use crate::model::barrier::traffic::{run, scenario};
    use crate::model::barrier::Fault;

    fn mismatch(seed: u64, size: Size, fault: Option<Fault>) -> Option<Mismatch> {
        let scenario = scenario(seed, size);
        let scheduler = ModelScheduler::with_fault(size, scenario.statics, fault);
        let scheduler = if seed.is_multiple_of(2) { scheduler } else { scheduler.randomly(seed) };
        let mut followed = Followed::new(scheduler);
        // What the contract says of a defect does not matter here.
        let outcome = run(&scenario, &mut followed, Limits::of(&size).plus(200));
        assert!(fault.is_some() || outcome.is_ok());
        followed.mismatch
    }

    /// XV-02: the automaton can follow whatever order of steps a scheduler takes, and ends in the same state.
    #[test]
    fn xv_02_follows_any_order_of_steps() {
        for (seeds, size) in [(0..600, Size::SMALL), (0..24, Size::MEDIUM)] {
            for seed in seeds {
                assert_eq!(mismatch(seed, size, None), None, "seed {seed} at {size}");
            }
        }
    }

    /// XV-11: defects are found by following as well, without the contract.
    #[test]
    fn xv_11_following_finds_defects() {
        let missed = |fault: &Fault| (0..400).all(|seed| mismatch(seed, Size::SMALL, Some(*fault)).is_none());
        let by_the_port = |fault: &Fault| *fault == Fault::PortBlocks;
        let missed: Vec<_> = Fault::ALL.into_iter().filter(|fault| !by_the_port(fault) && missed(fault)).collect();
        assert!(missed.is_empty(), "not found: {missed:?}");
    }
}
