//! The judge of the plain barrier (BR-10, BR-12, BR-16, BR-17, BR-39, BR-45): every answer and every release, by an account of sets of
//! members.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::barrier::plain_barrier::PlainOperation;
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use std::collections::VecDeque;

pins! {
    struct Ports {
        request_valid, request_ready, request_operation, request_cta, request_barrier, request_mask, request_participants,
        request_condition, request_reference, response_valid, response_sleep, response_skip, response_wait, release_valid,
        release_cta, release_barrier, release_phase
    }
}

/// One barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    condition: u128,
    reference: u128,
    phase: u128,
    arrived: u128,
    asleep: u128,
}

impl Barrier {
    /// Under condition 1.
    const LAUNCHED: Barrier = Barrier { condition: 1, reference: 0, phase: 0, arrived: 0, asleep: 0 };

    /// After an arrival or an exit: the phase that ends with sleepers. What is complete forgets its arrivals.
    fn complete(&mut self, live: u128) -> Option<u128> {
        let met = match self.condition {
            1 => live & !self.arrived == 0,
            _ => u128::from(self.arrived.count_ones()) >= self.reference || self.asleep == live,
        };
        if !met || self.arrived == 0 {
            return None;
        }
        let ended = (self.asleep != 0).then_some(self.phase);
        (self.arrived, self.asleep) = (0, 0);
        if ended.is_some() {
            self.phase ^= 1;
        }
        ended
    }
}

/// What a cycle shows: the answer (sleep, skip, wait), the release (CTA, barrier, phase), and whether a step follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    answer: Option<[u128; 3]>,
    release: Option<[u128; 3]>,
    more: bool,
}

/// The lowest bit that is set, alone.
fn lowest_bit(mask: u128) -> u128 {
    mask & mask.wrapping_neg()
}

/// A launched CTA.
#[derive(Clone, Debug)]
struct Cta {
    live: u128,
    barriers: Vec<Barrier>,
}

/// All CTAs.
pub struct PlainBarrierJudge {
    ports: Ports,
    barriers: usize,
    members: u128,
    ctas: Vec<Option<Cta>>,
    steps: VecDeque<Step>,
    cycle: u64,
}

impl PlainBarrierJudge {
    /// Takes a request; its steps follow.
    fn accept(&mut self, pins: &Frame, counts: &mut Counts) {
        let read = |port| pins.read(port);
        let (number, id) = (read(self.ports.request_cta), read(self.ports.request_barrier) as usize);
        let (mask, participants) = (read(self.ports.request_mask), read(self.ports.request_participants));
        let operation = read(self.ports.request_operation);
        let first = Step { answer: Some([0; 3]), ..Step::default() };
        let last = self.barriers - 1;
        if operation == PlainOperation::Launch as u128 {
            self.ctas[number as usize] = Some(Cta { live: mask, barriers: vec![Barrier::LAUNCHED; self.barriers] });
            let step = |id| Step { more: id < last, ..if id == 0 { first } else { Step::default() } };
            return self.steps.extend((0..self.barriers).map(step));
        }
        let Some(cta) = &mut self.ctas[number as usize] else { return };
        if operation == PlainOperation::Configure as u128 {
            cta.barriers[id].condition = read(self.ports.request_condition);
            cta.barriers[id].reference = read(self.ports.request_reference);
            return self.steps.push_back(first);
        }
        if operation == PlainOperation::Exit as u128 {
            cta.live &= !mask;
            for (id, barrier) in cta.barriers.iter_mut().enumerate() {
                if barrier.condition == 2 && barrier.arrived & mask != 0 && barrier.arrived & !mask != 0 {
                    counts.add("an arrival that counted leaves again");
                }
                barrier.arrived &= !mask;
                let ended = barrier.complete(cta.live);
                if ended.is_some() {
                    counts.add("release by an exit");
                }
                let release = ended.map(|phase| [number, id as u128, phase]);
                let answer = (id == 0).then_some([0; 3]);
                self.steps.push_back(Step { answer, release, more: id < last });
            }
            return;
        }
        let barrier = &mut cta.barriers[id];
        let counting = if barrier.condition == 3 { participants } else { mask };
        let news = counting & !barrier.arrived;
        let sleep = news & participants;
        // Under condition 3 a non-participant never waits; under the others its second arrival does.
        let skip = (mask & !participants) & if barrier.condition == 3 { mask } else { news };
        let wait = mask & !sleep & !skip;
        if wait != 0 {
            counts.add("second arrival waits");
        }
        barrier.arrived |= news;
        barrier.asleep |= sleep;
        let (condition, asleep) = (barrier.condition, barrier.asleep);
        let fewer = u128::from(barrier.arrived.count_ones()) < barrier.reference;
        let (before, live) = (barrier.arrived, cta.live);
        let ended = barrier.complete(live);
        match (ended, condition) {
            (None, _) if before != 0 && barrier.arrived == 0 => counts.add("complete without a sleeper"),
            (None, _) => {}
            (Some(_), 1) => counts.add("release by all"),
            (Some(_), _) if fewer && asleep == live => counts.add("release since all that live sleep"),
            (Some(_), 2) => counts.add("release by arrivals"),
            (Some(_), _) => counts.add("release by participants"),
        }
        let release = ended.map(|phase| [number, id as u128, phase]);
        self.steps.push_back(Step { answer: Some([sleep, skip, wait]), release, more: false });
    }
}

impl Judge for PlainBarrierJudge {
    const EXPECTED: &'static [&'static str] = &[
        "release by all",
        "release by arrivals",
        "release by participants",
        "release since all that live sleep",
        "release by an exit",
        "an arrival that counted leaves again",
        "complete without a sleeper",
        "second arrival waits",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self {
            ports: Ports::of(ports),
            barriers: size(entry, "barriers"),
            members: size(entry, "members") as u128,
            ctas: vec![None; size(entry, "ctas")],
            steps: VecDeque::new(),
            cycle: 0,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        self.cycle += 1;
        let Ports { request_valid, request_operation, request_cta, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_participants, request_condition, request_reference, .. } = self.ports;
        let (number, id) = (pins.read(request_cta) as usize, pins.read(request_barrier) as usize);
        let mut operation = pins.read(request_operation);
        // Launches are rare, and come first; exits are rare.
        let often = operation == PlainOperation::Launch as u128 && !self.cycle.is_multiple_of(64)
            || operation == PlainOperation::Exit as u128 && !self.cycle.is_multiple_of(8);
        if often {
            operation = PlainOperation::Arrive as u128;
        }
        let Some(cta) = &self.ctas[number] else {
            pins.write(request_operation, PlainOperation::Launch as u128);
            return;
        };
        // A CTA is gone when all have exited, and is launched anew.
        if cta.live == 0 {
            operation = PlainOperation::Launch as u128;
        }
        pins.write(request_operation, operation);
        let elsewhere = |own: Option<usize>| {
            let others = cta.barriers.iter().enumerate().filter(move |(other, _)| Some(*other) != own);
            others.fold(0, |mask, (_, barrier)| mask | barrier.asleep)
        };
        let mut mask = pins.read(request_mask);
        if operation == PlainOperation::Arrive as u128 {
            // Who sleeps elsewhere does nothing; a second arrival here is legal.
            mask &= cta.live & !elsewhere(Some(id));
        } else if operation == PlainOperation::Exit as u128 {
            mask &= cta.live & !elsewhere(None);
            // One at a time, as a rule: those who stay behind have to meet without it.
            if !self.cycle.is_multiple_of(64) {
                mask = lowest_bit(mask);
            }
        } else if operation == PlainOperation::Configure as u128 {
            pins.write(request_condition, pins.read(request_condition).max(1));
            // A number that can be reached.
            pins.write(request_reference, 1 + pins.read(request_reference) % self.members);
            if cta.barriers[id].arrived != 0 {
                pins.write(request_valid, 0);
            }
        }
        pins.write(request_mask, mask);
        pins.write(request_participants, pins.read(request_participants) & mask);
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let step = self.steps.pop_front().unwrap_or_default();
        let Ports { response_sleep, response_skip, response_wait, release_cta, release_barrier, release_phase, .. } =
            self.ports;
        let answer =
            (read(self.ports.response_valid) == 1).then(|| [response_sleep, response_skip, response_wait].map(read));
        let release =
            (read(self.ports.release_valid) == 1).then(|| [release_cta, release_barrier, release_phase].map(read));
        let more = read(self.ports.request_ready) == 0;
        expect("the cycle", Step { answer, release, more }, step)?;
        if !more && read(self.ports.request_valid) == 1 {
            self.accept(pins, counts);
        }
        Ok(())
    }
}
