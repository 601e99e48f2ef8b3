//! The reference automaton beside a scheduler: every answer, strobe and wake-up of the scheduler has to be one that the automaton allows.
//!
//! The automaton's internal steps are choices; here the hardware makes them. What happens in one cycle is taken in this order: the wake-up
//! that is offered, decided before this cycle; the request or internal step that executes, with its strobes; what moves into a slot.

use heddle_sim::barrier::{BarrierScheduler, Event, Key, Operation, Outputs, Request, Response, Size, Statics, Wake};
use heddle_sim::model::barrier::state::Place;
use heddle_sim::model::barrier::{Automaton, Step};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A scheduler that is judged by the automaton; looks like the scheduler itself.
pub struct Followed<S> {
    scheduler: S,
    automaton: Automaton,
    offered: Option<Request>,
    shown: Option<Wake>,
    wake_ready: bool,
    launching: BTreeSet<usize>,
    overdue: BTreeMap<Key, u64>,
    /// Cycles in which wake-ups were taken, so far, and at the last release of each CTA.
    walked: u64,
    released: BTreeMap<usize, u64>,
    cycle: u64,
    failure: Option<(u64, String)>,
}

impl<S: BarrierScheduler> Followed<S> {
    /// Puts a fresh automaton beside a scheduler that was just reset.
    pub fn new(scheduler: S) -> Self {
        let mut automaton = Automaton::new(scheduler.size(), scheduler.statics());
        // A completion is the hardware's to make: it may be held off while earlier wake-ups are under way.
        automaton.hold = true;
        Self {
            scheduler,
            automaton,
            offered: None,
            shown: None,
            wake_ready: true,
            launching: BTreeSet::new(),
            overdue: BTreeMap::new(),
            walked: 0,
            released: BTreeMap::new(),
            cycle: 0,
            failure: None,
        }
    }

    /// The scheduler itself.
    pub fn scheduler(&mut self) -> &mut S {
        &mut self.scheduler
    }

    /// The first thing that the automaton does not allow, and in which cycle.
    pub fn failure(&self) -> Option<&(u64, String)> {
        self.failure.as_ref()
    }

    fn judge(&mut self, request: Option<Request>, outputs: &Outputs) -> Result<(), String> {
        self.automaton.tick();
        self.walked += u64::from(self.wake_ready);
        let held = self.shown.is_some() && !self.wake_ready;
        if held && self.shown != outputs.wake {
            return Err(format!("{:?} was not taken and became {:?}", self.shown, outputs.wake));
        }
        if let (Some(wake), false) = (outputs.wake, held) {
            self.wake(wake)?;
        }
        self.shown = outputs.wake;
        let mut owed = VecDeque::new();
        if let Some(request) = request {
            owed = self.request(&request, outputs.response)?;
        } else if outputs.response.is_some() {
            return Err(format!("an answer to nothing: {:?}", outputs.response));
        }
        for event in &outputs.events {
            self.event(*event, &mut owed)?;
        }
        if let Some(event) = owed.front() {
            return Err(format!("{event:?} did not happen"));
        }
        self.completions()
    }

    /// The answer to a request; gives the strobes that come with it.
    fn request(&mut self, request: &Request, response: Option<Response>) -> Result<VecDeque<Event>, String> {
        let Some(response) = response else { return Err(format!("no answer to {request:?}")) };
        if response.refused && self.walking(request) {
            return Ok(VecDeque::new());
        }
        let mut answer = self.automaton.request(request);
        let same = match (response.error, answer.response.error) {
            (None, None) => response == answer.response,
            (Some(is), Some(owed)) => is == owed,
            _ => false,
        };
        if !same {
            return Err(format!("{request:?} is answered {response:?} and not {:?}", answer.response));
        }
        if request.operation == Operation::Launch {
            answer.events.clear();
            self.launching.insert(request.cta);
        }
        Ok(answer.events.into())
    }

    /// A Retire or Reset may be refused while the hardware's walker is busy with a release of that CTA, although everybody is awake already:
    /// the request has had no effect then. Not for long: the walker takes a cycle a block for each release before this one.
    fn walking(&self, request: &Request) -> bool {
        let size = self.automaton.size;
        let limit = (size.keys() * (size.blocks + 4)) as u64;
        let released = self.released.get(&request.cta);
        matches!(request.operation, Operation::Retire | Operation::Reset)
            && released.is_some_and(|since| self.walked - since <= limit)
    }

    fn event(&mut self, event: Event, owed: &mut VecDeque<Event>) -> Result<(), String> {
        if let Event::Released(key, _) = event {
            self.released.insert(key.cta, self.walked);
        }
        if owed.front() == Some(&event) {
            owed.pop_front();
            return Ok(());
        }
        let step = match event {
            Event::Dynamic(key) | Event::Released(key, _) => Step::Complete(key),
            Event::Handed(key, slot) => Step::HandOut(key, slot),
            Event::Idle(key) => Step::Finish(key),
            Event::Timeout(key) => Step::Timeout(key),
            Event::Launched(cta) => {
                let known = self.launching.remove(&cta);
                return if known { Ok(()) } else { Err(format!("nobody launched CTA {cta}")) };
            }
        };
        let effects = self.automaton.take(&step).map_err(|_| format!("{event:?}, but {step:?} is not possible"))?;
        let mut follows: VecDeque<Event> = effects.events.into();
        if follows.pop_front() != Some(event) {
            return Err(format!("{event:?} is not what {step:?} shows"));
        }
        owed.extend(follows);
        Ok(())
    }

    fn wake(&mut self, wake: Wake) -> Result<(), String> {
        if wake.mask == 0 {
            return Err(format!("{wake:?} names nobody"));
        }
        let offset = wake.mask.trailing_zeros() as usize;
        let size = self.automaton.size;
        let place = self.automaton.ctas[wake.cta].threads.get(wake.block * size.block_threads + offset);
        let Some(Place::Asleep { barrier, .. }) = place else {
            return Err(format!("{wake:?}, but thread {offset} of that block is {place:?}"));
        };
        let key = Key { cta: wake.cta, barrier: *barrier };
        let step = match wake.inside {
            true => Step::Select(key, wake.block, offset),
            false => Step::Release(key, wake.block),
        };
        let effects = self.automaton.take(&step).map_err(|_| format!("{wake:?}, but {step:?} is not possible"))?;
        match effects.wake == Some(wake) {
            true => Ok(()),
            false => Err(format!("{wake:?} and not {:?}", effects.wake)),
        }
    }

    /// A complete barrier may be held off, but not for long: the scanner comes by every so many cycles.
    fn completions(&mut self) -> Result<(), String> {
        let size = self.automaton.size;
        let limit = 4 * size.keys() as u64 + 16 * size.barriers as u64 + 64;
        let mut complete = BTreeMap::new();
        for (cta, entry) in self.automaton.ctas.iter().enumerate() {
            for (barrier, state) in entry.barriers.iter().enumerate() {
                let key = Key { cta, barrier };
                if entry.valid && state.complete && state.release.is_none() && self.wake_ready {
                    let since = self.overdue.get(&key).copied().unwrap_or(self.cycle);
                    if self.cycle - since > limit {
                        return Err(format!("{key} is complete for {limit} cycles and nothing happens"));
                    }
                    complete.insert(key, since);
                }
            }
        }
        self.overdue = complete;
        Ok(())
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
        let request = if outputs.accepted { self.offered.take() } else { None };
        if self.failure.is_none() {
            if let Err(what) = self.judge(request, &outputs) {
                self.failure = Some((self.cycle, what));
            }
        }
        self.cycle += 1;
        outputs
    }
}
