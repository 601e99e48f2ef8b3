//! The barrier scheduler as it is meant: a reference automaton of all its state (BR-01..BR-51), and what surrounds it.
//!
//! [`Automaton::request`] is deterministic; what the hardware does by itself is an explicit choice among [`Automaton::enabled`], carried out
//! by [`Automaton::take`]; time passes in [`Automaton::tick`] and matters to timeouts only. A simulation takes the first enabled step
//! ([`backend::ModelScheduler`]); lockstep takes the one that it saw at the ports, and has found an error if it is not enabled.
//!
//! | file | what |
//! | --- | --- |
//! | [`state`] | barriers, threads, CTAs; membership |
//! | `arrival` | tops: counting, lateness, clocks, completion |
//! | `execution` | FIFO to slots, selection, bottoms, ends, wake-ups |
//! | `lifecycle` | launch, retire, configuration, exits, resets; errors |
//! | `split` | split phases and transactions |
//! | `suspend` | a CTA leaves and comes back |
//! | [`backend`] | the automaton behind [`crate::barrier::BarrierScheduler`], a cycle at a time |
//! | [`fault`] | deliberate defects |
//! | [`follow`] | the automaton in lockstep with any scheduler |
//! | [`contract`] | what any scheduler owes, judged from its ports; does not know the automaton |
//! | [`traffic`] | random legal programs for any scheduler |
//! | [`fifo`], [`arbiter`], [`selection`], [`collector`] | blocks whose behaviour is a page |
//!
//! **Source** CN 104050032, [§62-65, §73-75, §84-99, §101-123]; the decisions are those of chapter 2 of the requirements.

pub mod arbiter;
pub mod backend;
pub mod collector;
pub mod contract;
pub mod fault;
pub mod fifo;
pub mod follow;
pub mod selection;
pub mod state;
pub mod traffic;

mod arrival;
mod execution;
mod lifecycle;
mod split;
mod suspend;

pub use fault::Fault;
pub use suspend::Frozen;

use crate::barrier::{BlockMask, ErrorCause, Event, Key, Operation, Request, Response, Size, Statics, Wake};
use state::{Barrier, Cta};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Something that the scheduler does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A complete barrier whose last release is delivered ends its phase or turns dynamic (BR-14).
    Complete(Key),
    /// A slot's execution has ended: dynamic to idle (BR-30, BR-32, BR-33).
    Finish(Key),
    /// A timeout fires (BR-13).
    Timeout(Key),
    /// FIFO to slot (BR-35, BR-37).
    HandOut(Key, usize),
    /// The released sleepers of a physical block wake up.
    Release(Key, usize),
    /// A thread starts its section (BR-31): physical block and offset.
    Select(Key, usize, usize),
}

/// A step that the automaton cannot take now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not enabled")]
pub struct NotEnabled(pub Step);

/// What a step shows at the ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Strobes, in order.
    pub events: Vec<Event>,
    /// Threads that wake up.
    pub wake: Option<Wake>,
}

/// What a request shows at the ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The response.
    pub response: Response,
    /// Strobes, in order. Those of a launch and of an exit come one barrier id after another.
    pub events: Vec<Event>,
}

/// What only defects remember.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FaultMemory {
    extra: BTreeMap<Key, usize>,
    done: BTreeSet<(Key, usize)>,
    launched: BTreeMap<usize, usize>,
    finishing: BTreeSet<Key>,
}

/// When a slot's barrier came and moved. Two decisions of one cycle do not see each other, so each counts against the other a cycle later only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotTimes {
    /// The barrier was handed over.
    pub handed: u64,
    /// A thread started its section.
    pub started: u64,
}

/// The reference automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// How big it is.
    pub size: Size,
    /// The static inputs.
    pub statics: Statics,
    /// The CTAs.
    pub ctas: Vec<Cta>,
    /// Execution slots (BR-35).
    pub slots: Vec<Option<Key>>,
    /// Of each slot, when its barrier was handed over and when a thread last started its section.
    pub times: Vec<SlotTimes>,
    /// Dynamic barriers that wait for a slot; the second for class 3 if slots are reserved for it.
    pub queues: [VecDeque<Key>; 2],
    /// The exclusive head of each queue has been overtaken by a conflicting barrier of the other one.
    pub overtaken: [bool; 2],
    /// The CTA that is held to leave (CX-10).
    pub frozen: Option<Frozen>,
    /// The CTA that was held when this cycle began: its clocks stand in it.
    pub still: Option<usize>,
    /// The CTA whose wake-up is shown at the port, and not taken.
    pub showing: Option<usize>,
    /// Cycles since construction.
    pub now: u64,
    /// For lockstep: of these barriers the hardware's walker is not done with a release although all its wake-ups were seen, so completions are
    /// held off.
    pub hold: Vec<Key>,
    /// For lockstep: two decisions of the hardware in one cycle do not see each other, and an exclusive head may be overtaken once by a
    /// conflicting barrier of the other queue.
    pub concurrent: bool,
    fault: Option<Fault>,
    memory: FaultMemory,
}

impl Automaton {
    /// After reset.
    pub fn new(size: Size, statics: Statics) -> Self {
        Self::with_fault(size, statics, None)
    }

    /// After reset, with a deliberate defect.
    pub fn with_fault(size: Size, statics: Statics, fault: Option<Fault>) -> Self {
        assert!(size.block_threads <= BlockMask::BITS as usize, "a block has at most 64 threads");
        Self {
            size,
            statics,
            ctas: vec![Cta::new(&size); size.ctas],
            slots: vec![None; size.slots],
            times: vec![SlotTimes::default(); size.slots],
            queues: Default::default(),
            overtaken: [false; 2],
            frozen: None,
            still: None,
            showing: None,
            now: 0,
            hold: Vec::new(),
            concurrent: false,
            fault,
            memory: FaultMemory::default(),
        }
    }

    /// Carries out a request. Threads in its mask have to be live and awake, unless it is a Launch.
    pub fn request(&mut self, request: &Request) -> Answer {
        let mut events = Vec::new();
        let response = match self.error(request) {
            Some(report) => {
                if report.cause == ErrorCause::NoBottom {
                    self.frozen = None;
                }
                Response { error: Some(report), ..Response::default() }
            }
            None => match request.operation {
                Operation::Launch => self.launch(request, &mut events),
                Operation::Retire => self.retire(request),
                Operation::Configure => self.configure(request),
                Operation::Arrive => self.arrive(request, &mut events),
                Operation::Bottom => self.bottom(request),
                Operation::Exit => self.exit(request, &mut events),
                Operation::Reset => self.reset(request, &mut events),
                Operation::SplitArrive => self.split_arrive(request, &mut events),
                Operation::SplitWait => self.split_wait(request, &mut events),
                Operation::Expect | Operation::Complete => self.transact(request, &mut events),
                Operation::Suspend => self.suspend(request),
                Operation::Withdraw => self.withdraw(request),
                Operation::Deposit => self.deposit(request, &mut events),
            },
        };
        Answer { response, events }
    }

    /// Everything that may happen by itself now; what a simulation should prefer comes first.
    pub fn enabled(&self) -> Vec<Step> {
        let mut steps = self.internal();
        steps.extend(self.hand_outs());
        steps.extend(self.releases());
        for slot in 0..self.size.slots {
            steps.extend(self.selections(slot));
        }
        steps
    }

    /// The enabled steps that change a barrier's state: completions, ends, timeouts.
    fn internal(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for cta in self.ctas.iter().enumerate().filter(|(_, cta)| cta.valid) {
            self.enabled_in(cta, &mut steps);
        }
        steps.sort();
        steps
    }

    /// Completions, ends and timeouts of a CTA.
    fn enabled_in(&self, (cta, entries): (usize, &Cta), steps: &mut Vec<Step>) {
        for barrier in 0..entries.barriers.len() {
            let key = Key { cta, barrier };
            if self.may_complete(key) {
                steps.push(Step::Complete(key));
            }
            if self.may_finish(key) {
                steps.push(Step::Finish(key));
            }
            if self.may_time_out(key) {
                steps.push(Step::Timeout(key));
            }
        }
    }

    /// Whether a step is enabled.
    pub fn is_enabled(&self, step: &Step) -> bool {
        match *step {
            Step::Complete(key) => self.may_complete(key),
            Step::Finish(key) => self.may_finish(key),
            Step::Timeout(key) => self.may_time_out(key),
            Step::HandOut(..) => self.hand_outs().contains(step),
            Step::Release(key, block) => self.released(key, block) != 0,
            Step::Select(key, ..) => self
                .slots
                .iter()
                .position(|slot| *slot == Some(key))
                .is_some_and(|slot| self.selections(slot).contains(step)),
        }
    }

    fn may_complete(&self, key: Key) -> bool {
        self.barrier(key).complete && self.barrier(key).release.is_none() && !self.is_frozen(key.cta)
    }

    fn may_time_out(&self, key: Key) -> bool {
        self.barrier(key).deadline.is_some_and(|deadline| deadline <= self.now) && !self.is_stopped(key.cta)
    }

    /// Takes a step.
    pub fn take(&mut self, step: &Step) -> Result<Effects, NotEnabled> {
        if !self.is_enabled(step) {
            return Err(NotEnabled(*step));
        }
        let mut effects = Effects::default();
        match *step {
            Step::Complete(key) => self.complete(key, &mut effects.events),
            Step::Finish(key) => self.finish(key, &mut effects.events),
            Step::Timeout(key) => {
                self.barrier_mut(key).deadline = None;
                effects.events.push(Event::Timeout(key));
                self.settle(key, true, &mut effects.events);
            }
            Step::HandOut(key, slot) => self.hand_out(key, slot, &mut effects.events),
            Step::Release(key, block) => effects.wake = Some(self.wake_released(key, block)),
            Step::Select(key, block, offset) => effects.wake = Some(self.select(key, block, offset)),
        }
        Ok(effects)
    }

    /// A cycle passes; for the clocks of a CTA that was held when it began it does not (CX-10).
    pub fn tick(&mut self) {
        self.now += 1;
        let still = std::mem::replace(&mut self.still, self.frozen.as_ref().map(|frozen| frozen.cta));
        if let Some(cta) = still.filter(|_| !self.broken(Fault::ClockRunsOn)) {
            let deadlines = self.ctas[cta].barriers.iter_mut().filter_map(|entry| entry.deadline.as_mut());
            deadlines.for_each(|deadline| *deadline += 1);
        }
    }

    /// A barrier.
    pub fn barrier(&self, key: Key) -> &Barrier {
        &self.ctas[key.cta].barriers[key.barrier]
    }

    fn barrier_mut(&mut self, key: Key) -> &mut Barrier {
        &mut self.ctas[key.cta].barriers[key.barrier]
    }

    fn broken(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn thread_index(&self, block: usize, offset: usize) -> usize {
        block * self.size.block_threads + offset
    }

    fn offsets(&self, mask: BlockMask) -> impl Iterator<Item = usize> {
        (0..self.size.block_threads).filter(move |offset| mask >> offset & 1 != 0)
    }
}

#[cfg(test)]
mod more_rules_tests;
#[cfg(test)]
mod rules_tests;
