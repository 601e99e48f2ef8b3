//! The automaton behind [`BarrierScheduler`], a cycle at a time.
//!
//! A request that is accepted at a tick is answered in its outputs. What the scheduler does by itself to a barrier's state takes the
//! pipeline for a cycle, and so do the steps of a launch and an exit, one a barrier id: `ready` is low. Wake-ups and hand-outs go on beside it.
//! A wake-up is chosen from the state before the edge, so it comes a cycle after what caused it.

use super::arbiter::Arbiter;
use super::{Automaton, Fault, Step};
use crate::barrier::{BarrierScheduler, Event, Operation, Outputs, Request, Size, Statics, Wake};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The model as a scheduler.
#[derive(Clone, Debug)]
pub struct ModelScheduler {
    /// The state.
    pub automaton: Automaton,
    fault: Option<Fault>,
    arbiter: Arbiter,
    /// Draws which of the enabled steps is taken, and whether one is; none: the first, at once.
    random: Option<ChaCha8Rng>,
    offered: Option<Request>,
    wake_ready: bool,
    wake: Option<Wake>,
    /// The step that takes the pipeline at the next tick.
    internal: Option<Step>,
    /// Cycles that a launch or an exit still takes.
    busy: usize,
    launching: Option<usize>,
    selected_last: bool,
}

impl ModelScheduler {
    /// Always takes the first enabled step, as early as it can.
    pub fn new(size: Size, statics: Statics) -> Self {
        Self::with_fault(size, statics, None)
    }

    /// With a deliberate defect.
    pub fn with_fault(size: Size, statics: Statics, fault: Option<Fault>) -> Self {
        Self {
            automaton: Automaton::with_fault(size, statics, fault),
            fault,
            arbiter: Arbiter::new(size.slots),
            random: None,
            offered: None,
            wake_ready: true,
            wake: None,
            internal: None,
            busy: 0,
            launching: None,
            selected_last: false,
        }
    }

    /// Takes any of the enabled steps, or waits with it: whatever an implementation might do.
    pub fn randomly(mut self, seed: u64) -> Self {
        self.random = Some(ChaCha8Rng::seed_from_u64(seed));
        self
    }

    /// One of the steps, by the rule of this scheduler.
    fn choose(&mut self, steps: &[Step]) -> Option<Step> {
        match &mut self.random {
            None => steps.first().copied(),
            Some(_) if steps.is_empty() => None,
            Some(random) => random.random_bool(0.5).then(|| steps[random.random_range(0..steps.len())]),
        }
    }

    /// The next wake-up: releases and selections in turn, among the slots as the arbiter says (BR-36).
    fn choose_wake(&mut self) -> Option<Step> {
        let releases = self.automaton.releases();
        let slots = 0..self.automaton.size.slots;
        let selections: Vec<Vec<Step>> = slots.map(|slot| self.automaton.selections(slot)).collect();
        if self.random.is_some() {
            let all: Vec<Step> = releases.into_iter().chain(selections.into_iter().flatten()).collect();
            return self.choose(&all);
        }
        let release_first = self.selected_last || selections.iter().all(Vec::is_empty);
        if release_first && !releases.is_empty() {
            self.selected_last = false;
            return releases.first().copied();
        }
        let priority = |slot: usize| {
            let key = self.automaton.slots[slot].filter(|_| !selections[slot].is_empty())?;
            Some(self.automaton.barrier(key).configuration.priority)
        };
        let requests: Vec<Option<u8>> = (0..selections.len()).map(priority).collect();
        let slot = self.arbiter.grant(&requests)?;
        self.selected_last = true;
        selections[slot].first().copied()
    }

    fn take(&mut self, step: &Step, outputs: &mut Outputs) {
        // The step was enabled when it was chosen, and nothing came between.
        if let Ok(effects) = self.automaton.take(step) {
            outputs.events.extend(effects.events);
            self.wake = self.wake.or(effects.wake);
        }
    }

    /// The defect "ready low": a request whose threads all have to wait holds the port.
    fn blocks_port(&self, request: &Request) -> bool {
        self.fault == Some(Fault::PortBlocks) && {
            let answer = self.automaton.clone().request(request);
            answer.response.wait == request.mask
                && answer.response.error.is_none()
                && request.operation == Operation::Arrive
        }
    }

    fn pipeline(&mut self, outputs: &mut Outputs) {
        if self.busy > 0 {
            self.busy -= 1;
            if self.busy == 0 {
                outputs.events.extend(self.launching.take().map(Event::Launched));
            }
        } else if let Some(step) = self.internal.take() {
            self.take(&step, outputs);
        } else if let Some(request) = self.offered.filter(|request| !self.blocks_port(request)) {
            self.offered = None;
            self.automaton.showing = self.wake.map(|wake| wake.cta);
            let mut answer = self.automaton.request(&request);
            answer.events.retain(|event| !matches!(event, Event::Launched(_)));
            outputs.accepted = true;
            outputs.response = Some(answer.response);
            outputs.events.extend(answer.events);
            if matches!(request.operation, Operation::Launch | Operation::Exit) && answer.response.error.is_none() {
                self.busy = self.automaton.size.barriers;
                self.launching = (request.operation == Operation::Launch).then_some(request.cta);
            }
        }
    }
}

impl BarrierScheduler for ModelScheduler {
    fn size(&self) -> Size {
        self.automaton.size
    }

    fn statics(&self) -> Statics {
        self.automaton.statics
    }

    fn ready(&self) -> bool {
        self.busy == 0 && self.internal.is_none()
    }

    fn offer(&mut self, request: Option<Request>) {
        self.offered = request;
    }

    fn wake_ready(&mut self, ready: bool) {
        self.wake_ready = ready;
    }

    fn tick(&mut self) -> Outputs {
        let mut outputs = Outputs::default();
        if self.wake_ready {
            self.wake = None;
        }
        if self.wake.is_none() {
            if let Some(step) = self.choose_wake() {
                self.take(&step, &mut outputs);
            }
        }
        let hand_outs = self.automaton.hand_outs();
        if let Some(step) = self.choose(&hand_outs) {
            self.take(&step, &mut outputs);
        }
        self.pipeline(&mut outputs);
        self.automaton.tick();
        let internal: Vec<Step> = self.automaton.internal();
        self.internal = if self.busy == 0 { self.choose(&internal) } else { None };
        outputs.wake = self.wake;
        let occupied = self.automaton.slots.iter().enumerate().filter(|(_, slot)| slot.is_some());
        outputs.slot_occupied = occupied.fold(0, |bits, (slot, _)| bits | 1 << slot);
        outputs.fifo_count = self.automaton.queues.iter().map(|queue| queue.len()).sum();
        outputs
    }
}
