//! The core's side of the barrier scheduler: it presents instructions, carries out the answers, and hands wake-ups to the engine.
//!
//! A barrier instruction takes its warp out of the race until it is answered; then come its [`Flight::steps`] at the engine, and only
//! then wake-ups of that warp, for a thread may be woken before the engine knows that it sleeps.

use std::collections::VecDeque;

use crate::barrier::{
    launch_data, BarrierScheduler, Configuration, ErrorReport, Event, Operation, Outputs, Request, Wake,
};
use crate::engine::{self, Mask};
use crate::lanes::{LaneFault, Lanes};
use crate::machine::counters::BarrierCounts;
use heddle_hdl::core::wake_queue::CAPACITY;

use super::flight::{Flight, Issue};
use super::ledger::{count, Cta, Top};
use super::mapping::Mapping;
use super::moving::Leaving;

/// For whom a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The flight of a warp.
    Warp(usize),
    /// A CTA that starts.
    Launch,
    /// A CTA that ends.
    Retire(usize),
    /// A CTA that is suspended or resumed.
    Move,
}

/// A wake-up on its way to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waking {
    pub(super) warp: usize,
    threads: Mask,
    address: u32,
    inside: bool,
    /// The first cycle in which it may be offered.
    due: u64,
}

/// Cycles for which a wake-up waits for that of the next block of the same warp, if it has several, which follows at once: so they become
/// one set.
const COMPANY: u64 = 1;

/// What a clock edge brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Slots whose CTA is retired.
    pub retired: Vec<usize>,
    /// An instruction was in error; with the slot of its CTA.
    pub error: Option<(usize, ErrorReport)>,
    /// Something changed that the rest of the core does not see.
    pub changed: bool,
}

/// A barrier scheduler with what the core needs around it.
pub struct BarrierUnit {
    pub(super) scheduler: Box<dyn BarrierScheduler>,
    mapping: Mapping,
    stack_mode: bool,
    pub(super) queue: VecDeque<(Origin, Request)>,
    pub(super) flights: Vec<Option<(Flight, usize)>>,
    pub(super) steps: Vec<VecDeque<engine::Request>>,
    pub(super) wakes: VecDeque<Waking>,
    /// Warps that the scheduler's present wake-up has woken already.
    warps_woken: usize,
    pub(super) ctas: Vec<Option<Cta>>,
    /// The CTA that leaves, by its slot.
    pub(super) leaving: Option<(usize, Leaving)>,
    /// Threads that sleep.
    pub(super) asleep: u64,
    last: Outputs,
    last_change: u64,
    counts: BarrierCounts,
}

impl BarrierUnit {
    /// A unit for a core of `warps` warps of `warp_threads` threads.
    pub fn new(scheduler: Box<dyn BarrierScheduler>, warps: usize, warp_threads: usize, stack_mode: bool) -> Self {
        let size = scheduler.size();
        Self {
            mapping: Mapping { warp_threads, block_threads: size.block_threads },
            stack_mode,
            queue: VecDeque::new(),
            flights: vec![None; warps],
            steps: vec![VecDeque::new(); warps],
            wakes: VecDeque::new(),
            warps_woken: 0,
            ctas: vec![None; size.ctas],
            leaving: None,
            asleep: 0,
            last: Outputs::default(),
            last_change: 0,
            counts: BarrierCounts::default(),
            scheduler,
        }
    }

    /// A CTA starts in a slot, with so many threads.
    pub fn launch(&mut self, slot: usize, block: u32, warps: Vec<usize>, threads: usize) {
        let size = self.scheduler.size();
        let blocks: Vec<usize> = (0..threads.div_ceil(size.block_threads)).collect();
        let data = launch_data(&size, threads, &blocks);
        let request = Request { operation: Operation::Launch, cta: slot, data, ..Request::default() };
        self.queue.push_back((Origin::Launch, request));
        self.ctas[slot] = Some(Cta::new(block, warps, self.mapping.warp_threads, threads, size.barriers));
    }

    /// The threads of the CTA in a slot have exited; the slot is free when [`Edge::retired`] says so.
    pub fn retire(&mut self, slot: usize) {
        let request = Request { operation: Operation::Retire, cta: slot, ..Request::default() };
        self.queue.push_back((Origin::Retire(slot), request));
    }

    /// Warps whose instruction is being answered.
    pub fn presenting(&self) -> u64 {
        self.flights.iter().enumerate().filter(|(_, flight)| flight.is_some()).fold(0, |warps, (w, _)| warps | 1 << w)
    }

    /// Warps of which the engine has not heard all that was answered.
    pub fn stepping(&self) -> u64 {
        self.steps.iter().enumerate().filter(|(_, steps)| !steps.is_empty()).fold(0, |warps, (w, _)| warps | 1 << w)
    }

    /// Warps whose live threads all sleep.
    pub fn parked(&self) -> u64 {
        let mut parked = 0;
        for cta in self.ctas.iter().flatten() {
            for (number, warp) in cta.warps.iter().enumerate() {
                if self.steps[*warp].is_empty() && cta.parked(number) {
                    parked |= 1 << warp;
                }
            }
        }
        parked
    }

    /// Nothing is under way between core and scheduler, and nobody sleeps.
    pub fn at_rest(&self) -> bool {
        self.still() && self.last.slot_occupied == 0 && self.asleep == 0
    }

    /// Nothing is under way between core and scheduler.
    fn still(&self) -> bool {
        let flying = self.flights.iter().any(Option::is_some) || self.steps.iter().any(|steps| !steps.is_empty());
        self.queue.is_empty() && self.wakes.is_empty() && !flying
    }

    /// For how many cycles nothing has been under way; 0 if something is.
    pub fn still_for(&self, cycle: u64) -> u64 {
        if self.still() {
            cycle - self.last_change
        } else {
            0
        }
    }

    /// A warp issues an instruction that concerns the scheduler.
    pub fn present(&mut self, issue: Issue<'_>, lanes: &Lanes) -> Result<(), LaneFault> {
        let answer = lanes.answer(issue.instruction, issue.warp, issue.active, issue.address)?;
        let flight = Flight::new(issue, &answer, &self.mapping);
        for part in &flight.parts {
            self.queue.push_back((Origin::Warp(issue.warp), part.request));
        }
        self.counts.presented += 1;
        let answered = flight.parts.is_empty();
        self.flights[issue.warp] = Some((flight, issue.warp_of_cta));
        if answered {
            self.land(issue.warp, issue.cta);
        }
        Ok(())
    }

    /// What the engine is to be asked next for a warp.
    pub fn step(&self, warp: usize) -> Option<engine::Request> {
        self.steps[warp].front().copied()
    }

    /// The engine has accepted that.
    pub fn stepped(&mut self, warp: usize) {
        self.steps[warp].pop_front();
    }

    /// The next wake-up for the engine, which must get it; none of a warp of `absent`, whose state is not back in the engine.
    pub fn wake(&mut self, cycle: u64, absent: u64) -> Option<engine::Request> {
        let free = |waking: &Waking| {
            waking.due <= cycle
                && absent >> waking.warp & 1 == 0
                && self.flights[waking.warp].is_none()
                && self.steps[waking.warp].is_empty()
        };
        let next = self.wakes.iter().position(free)?;
        let Waking { warp, threads, address, .. } = self.wakes.remove(next)?;
        Some(engine::Request {
            warp,
            operation: engine::Operation::Wake,
            kind: None,
            mask: threads,
            target: address,
            targeted: true,
            again: false,
        })
    }

    /// One clock edge; `cycle` is the one that it ends.
    pub fn tick(&mut self, cycle: u64) -> Edge {
        self.scheduler.offer(self.queue.front().map(|(_, request)| *request));
        let taken = self.last.wake.is_none_or(|wake| self.wake_up(cycle, wake));
        self.scheduler.wake_ready(taken);
        self.counts.thread_cycles_asleep += self.asleep;
        self.counts.refused_cycles += u64::from(!self.queue.is_empty() && !self.scheduler.ready());
        self.last = self.scheduler.tick();
        let mut edge = Edge::default();
        for event in &self.last.events {
            match event {
                Event::Dynamic(_) => self.counts.dynamic += 1,
                Event::Timeout(_) => self.counts.timeouts += 1,
                Event::Released(..) => self.counts.released += 1,
                Event::Handed(..) | Event::Idle(_) | Event::Launched(_) => {}
            }
        }
        if self.last.accepted {
            self.answered(&mut edge);
        }
        edge.changed = self.last.accepted || self.last.wake.is_some() || !self.last.events.is_empty();
        if edge.changed || !self.still() {
            self.last_change = cycle + 1;
        }
        edge
    }

    /// The request in front of the queue was accepted.
    fn answered(&mut self, edge: &mut Edge) {
        let Some((origin, request)) = self.queue.pop_front() else { return };
        let response = self.last.response.unwrap_or_default();
        if let Some(error) = response.error.filter(|_| origin != Origin::Move) {
            edge.error = Some((request.cta, error));
            return;
        }
        if let (Operation::Configure, false, Some(cta)) =
            (request.operation, response.refused, &mut self.ctas[request.cta])
        {
            cta.configurations[request.barrier] = Configuration::from_word(request.data);
        }
        match origin {
            Origin::Launch => {}
            Origin::Move => self.moved(&request, &response),
            Origin::Retire(slot) if response.refused => self.retire(slot),
            Origin::Retire(slot) => {
                self.ctas[slot] = None;
                edge.retired.push(slot);
            }
            Origin::Warp(warp) => {
                let Some((flight, warp_of_cta)) = &mut self.flights[warp] else { return };
                flight.answered(&self.mapping, *warp_of_cta, &response);
                if flight.parts.is_empty() {
                    self.land(warp, request.cta);
                }
            }
        }
    }

    /// A flight is answered completely.
    fn land(&mut self, warp: usize, slot: usize) {
        let Some((flight, number)) = self.flights[warp].take() else { return };
        self.steps[warp] = flight.steps(self.stack_mode);
        self.counts.answered(&flight.answer);
        self.asleep += count(flight.answer.sleep);
        let Some(cta) = &mut self.ctas[slot] else { return };
        let top = Top { barrier: flight.barrier, address: flight.address };
        cta.landed(number, top, &flight.answer, flight.exits);
    }

    /// Takes a wake-up of the scheduler as far as there is room, a warp a cycle; true if nothing of it is left.
    fn wake_up(&mut self, cycle: u64, wake: Wake) -> bool {
        let warps = self.mapping.warps(wake.block, wake.mask);
        if self.wakes.len() >= CAPACITY {
            return false;
        }
        if let Some((number, threads)) = warps.get(self.warps_woken) {
            self.woken(cycle, wake, *number, *threads);
        }
        self.warps_woken += 1;
        let taken = self.warps_woken >= warps.len();
        if taken {
            self.warps_woken = 0;
        }
        taken
    }

    /// Threads of a warp are on their way to the engine.
    fn woken(&mut self, cycle: u64, wake: Wake, number: usize, threads: Mask) {
        let Some(cta) = &mut self.ctas[wake.cta] else { return };
        self.counts.woken += count(threads);
        self.asleep -= count(threads).min(self.asleep);
        self.counts.sections += u64::from(wake.inside);
        cta.wake(number, threads, wake.inside);
        let Some(warp) = cta.warps.get(number).copied() else { return };
        let joins =
            |other: &&mut Waking| other.warp == warp && other.address == wake.address && !other.inside && !wake.inside;
        match self.wakes.iter_mut().find(joins) {
            Some(other) => other.threads |= threads,
            None => {
                let alone = wake.inside || self.mapping.block_threads >= self.mapping.warp_threads;
                let due = cycle + 1 + if alone { 0 } else { COMPANY };
                self.wakes.push_back(Waking { warp, threads, address: wake.address, inside: wake.inside, due });
            }
        }
    }

    /// The mapping of threads.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// The resident CTAs by slot.
    pub fn ctas(&self) -> &[Option<Cta>] {
        &self.ctas
    }

    /// What was counted.
    pub fn counts(&self) -> BarrierCounts {
        self.counts
    }
}
