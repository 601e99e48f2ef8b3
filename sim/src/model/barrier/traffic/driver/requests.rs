//! Which request comes next: of the host, of threads, or wrong on purpose.

use super::{Cta, Driver, Meaning, Place, Stage, Transfer};
use crate::barrier::{launch_data, phase_data, BarrierScheduler, Configuration, Key, Operation, Request};
use crate::model::barrier::traffic::{draw, Action, Participation};
use rand::Rng;
use std::ops::ControlFlow;

impl<S: BarrierScheduler + ?Sized> Driver<'_, S> {
    /// What would be offered next; `ready`: it would be accepted in this cycle.
    pub(super) fn next_request(&mut self, ready: bool) -> Option<(Request, Meaning)> {
        if let ControlFlow::Break(request) = self.passing_request() {
            return request;
        }
        (0..4).find_map(|_| {
            let number = self.some_cta();
            let here = matches!(self.ctas[number].stage, Stage::Running | Stage::Retiring);
            if here && self.begins_to_leave(number) {
                return self.moving_request(number);
            }
            let cta = &self.ctas[number];
            let request = |operation, data| Request { operation, cta: number, data, ..Request::default() };
            let plan = cta.plans.get(cta.launch);
            match (cta.stage, plan) {
                (Stage::Launching, Some(plan)) => {
                    let data = launch_data(&self.scenario.size, plan.threads, &plan.map);
                    Some((request(Operation::Launch, data), Meaning::Stage))
                }
                (Stage::Configuring(barrier), Some(plan)) => {
                    let data = plan.configurations[barrier].word();
                    Some((Request { barrier, ..request(Operation::Configure, data) }, Meaning::Stage))
                }
                (Stage::Withdrawing | Stage::Away(_) | Stage::Restoring, _) => self.moving_request(number),
                (Stage::Retiring, _) => Some((request(Operation::Retire, 0), Meaning::Stage)),
                (Stage::Running, Some(_)) => self.running_request(number, ready),
                _ if self.scenario.knobs.probes > 0 && self.random.random_range(0..50) == 0 => {
                    // Of a CTA that is not launched: also what would take more than one step.
                    let operation = *[Operation::Configure, Operation::Exit].get(self.now as usize % 2)?;
                    Some((Request { mask: 1, ..request(operation, 1) }, Meaning::Probe))
                }
                _ => None,
            }
        })
    }

    /// A CTA that is not over, if there is one.
    fn some_cta(&mut self) -> usize {
        let start = self.random.random_range(0..self.ctas.len());
        let around = (0..self.ctas.len()).map(|place| (start + place) % self.ctas.len());
        let under_way = around.into_iter().find(|cta| self.ctas[*cta].stage != Stage::Over);
        if self.random.random_bool(0.02) {
            start
        } else {
            under_way.unwrap_or(start)
        }
    }

    fn running_request(&mut self, number: usize, ready: bool) -> Option<(Request, Meaning)> {
        let lot = self.random.random_range(0..1000);
        if lot < self.scenario.knobs.probes && ready {
            if let Some(request) = self.probe(number) {
                return Some((request, Meaning::Probe));
            }
        }
        let hung = self.hung(number);
        if hung.is_some() || lot >= 1000 - self.scenario.knobs.resets {
            let plan = &self.ctas[number].plans[self.ctas[number].launch];
            let some = (!plan.resettable.is_empty())
                .then(|| plan.resettable[self.random.random_range(0..plan.resettable.len())]);
            let request = |barrier| Request { operation: Operation::Reset, cta: number, barrier, ..Request::default() };
            if let Some(barrier) = hung.or(some) {
                return Some((request(barrier), Meaning::Probe));
            }
        }
        let cta = &self.ctas[number];
        let due = cta.transfers.iter().position(|transfer| transfer.from <= self.now);
        if let (Some(place), true) = (due, self.random.random_bool(0.3)) {
            let Transfer { operation, barrier, data, .. } = self.ctas[number].transfers[place];
            let request = Request { operation, cta: number, barrier, data, ..Request::default() };
            return Some((request, Meaning::Transfer(place)));
        }
        self.thread_request(number).map(|request| (request, Meaning::Threads))
    }

    /// A hung barrier in which somebody sleeps, now and then.
    fn hung(&mut self, number: usize) -> Option<usize> {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        plan.hung.first()?;
        let barrier = plan.hung[self.now as usize % plan.hung.len()];
        let hangs = self.contract.static_tag(Key { cta: number, barrier }).is_some();
        (hangs && self.random.random_range(0..4) == 0).then_some(barrier)
    }

    /// Whether a thread exits before a step, or inside its section.
    fn exits(&self, number: usize, logical: usize, step: usize) -> (bool, bool) {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let lot = draw(self.scenario.seed, [cta.identity, cta.launch, logical, 77]);
        let chosen = lot % 100 < plan.exits && !plan.steps.is_empty();
        let here = chosen && lot / 100 % plan.steps.len() as u64 == step as u64;
        (step >= plan.steps.len() || here && (lot / 10000).is_multiple_of(2), here)
    }

    fn participates(&self, number: usize, logical: usize, step: usize, participation: Participation) -> bool {
        match participation {
            Participation::All => true,
            Participation::Percent(percent) => {
                let Cta { launch, identity, .. } = self.ctas[number];
                draw(self.scenario.seed, [identity, launch, logical, step]) % 100 < percent
            }
            Participation::Every { divisor, rest } => logical % divisor == rest,
        }
    }

    /// The request that a thread wants to make, its mask left out; none if it is not ready.
    pub(super) fn wants(&self, number: usize, logical: usize) -> Option<Request> {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let thread = cta.threads.get(logical)?;
        if thread.from > self.now || matches!(thread.place, Place::Asleep | Place::Gone) || !thread.announced {
            return None;
        }
        let (before, within) = self.exits(number, logical, thread.step);
        let block = plan.map[logical / self.scenario.size.block_threads];
        let blank = Request { cta: number, block, ..Request::default() };
        if before && thread.place == Place::Running || within && thread.place == Place::Inside {
            return Some(Request { operation: Operation::Exit, ..blank });
        }
        let action = plan.steps[thread.step];
        let (Action::Top(site) | Action::SplitArrive(site, _) | Action::SplitWait(site, _)) = action;
        let site = &plan.sites[site];
        let blank = Request { barrier: site.barrier, ..blank };
        Some(match action {
            Action::Top(_) if thread.place == Place::Inside => {
                Request { operation: Operation::Bottom, tag: site.after - 1, ..blank }
            }
            Action::Top(_) => Request {
                operation: Operation::Arrive,
                tag: site.tag,
                after: site.after,
                critical: site.critical,
                ordered: site.ordered,
                exclusive: site.exclusive,
                blocking: site.blocking,
                impatient: site.impatient,
                ..blank
            },
            Action::SplitArrive(..) => Request { operation: Operation::SplitArrive, tag: site.tag ^ 1, ..blank },
            Action::SplitWait(_, phase) => {
                let data = phase_data(phase & 1 != 0, 0);
                Request { operation: Operation::SplitWait, tag: site.tag, data, ..blank }
            }
        })
    }

    /// A request of some ready threads of one block that want the same.
    pub(super) fn thread_request(&mut self, number: usize) -> Option<Request> {
        let threads = self.scenario.size.block_threads;
        let count = self.ctas[number].threads.len();
        if count == 0 {
            return None;
        }
        let start = self.random.random_range(0..count);
        // Who is inside a section is asked more often, or hundreds of threads that wait would crowd it out.
        let inside = self.ctas[number].threads.iter().position(|thread| thread.place == Place::Inside);
        let start = inside.filter(|_| self.random.random_bool(0.3)).unwrap_or(start);
        let ready = |thread: &usize| self.wants(number, *thread).is_some();
        let leader = (0..count).map(|place| (start + place) % count).find(ready)?;
        let mut request = self.wants(number, leader)?;
        let some = self.chance(self.scenario.knobs.partial);
        let first = leader / threads * threads;
        for logical in first..first + threads {
            let along = logical == leader
                || request.operation != Operation::Bottom
                    && self.wants(number, logical) == Some(Request { mask: 0, participants: 0, ..request })
                    && !(some && self.random.random());
            if along {
                let offset = logical % threads;
                request.mask |= 1 << offset;
                request.participants |= u64::from(self.takes_part(number, logical, &request)) << offset;
            }
        }
        if request.operation != Operation::SplitWait {
            // What nobody looks at may be anything.
            request.data = draw(self.scenario.seed, [number, leader, self.now as usize, 5]);
        }
        Some(request)
    }

    fn takes_part(&self, number: usize, logical: usize, request: &Request) -> bool {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let step = cta.threads[logical].step;
        match plan.steps.get(step) {
            Some(&Action::Top(site)) if request.operation == Operation::Arrive => {
                self.participates(number, logical, step, plan.sites[site].participation)
            }
            _ => false,
        }
    }

    /// A WAIT of a thread that has arrived, for the phase that it arrived in, from another address.
    fn other_wait(&self, number: usize, logical: usize, barrier: usize) -> Option<Request> {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let before = plan.steps.iter().take(cta.threads[logical].step).rev();
        let arrived = before.into_iter().find_map(|step| match *step {
            Action::SplitArrive(site, phase) if plan.sites[site].barrier == barrier => Some((site, phase)),
            _ => None,
        });
        let (site, phase) = arrived?;
        let threads = self.scenario.size.block_threads;
        Some(Request {
            operation: Operation::SplitWait,
            cta: number,
            block: plan.map[logical / threads],
            mask: 1 << (logical % threads),
            barrier,
            tag: plan.sites[site].tag ^ 8,
            data: phase_data(phase & 1 != 0, 0),
            ..Request::default()
        })
    }

    /// A request that is an error, or is refused, or changes nothing.
    fn probe(&mut self, number: usize) -> Option<Request> {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let barrier = self.random.random_range(0..plan.configurations.len());
        let key = Key { cta: number, barrier };
        let same = plan.configurations[barrier];
        // Nobody looks at the threads of a Configure.
        let (block, mask) = (plan.map[0], draw(self.scenario.seed, [number, barrier, self.now as usize, 6]) & 3);
        let conf = |configuration: Configuration| Request {
            operation: Operation::Configure,
            cta: number,
            block,
            mask,
            barrier,
            data: configuration.word(),
            ..Request::default()
        };
        let awake = (0..plan.threads).find(|logical| {
            let thread = &cta.threads[*logical];
            thread.place == Place::Running && thread.from <= self.now + 4
        });
        let threads = self.scenario.size.block_threads;
        let first = self.random.random_range(0..plan.threads);
        let inside = (0..plan.threads)
            .map(|place| (first + place) % plan.threads)
            .find(|logical| self.contract.is_inside(number, plan.map[logical / threads], logical % threads));
        let by = |logical: usize, operation| Request {
            operation,
            cta: number,
            block: plan.map[logical / threads],
            mask: 1 << (logical % threads),
            barrier,
            ..Request::default()
        };
        let again = (0..plan.threads).find(|logical| {
            let (block, offset) = (plan.map[logical / threads], logical % threads);
            cta.threads[*logical].place == Place::Running && self.contract.split_arrived(key, block) >> offset & 1 != 0
        });
        // One that is inside beside another of its block.
        let beside =
            inside.into_iter().flat_map(|start| (0..threads).map(move |offset| start / threads * threads + offset));
        let beside: Vec<usize> = beside
            .filter(|logical| self.contract.is_inside(number, plan.map[logical / threads], logical % threads))
            .collect();
        let resettable = plan.resettable.contains(&barrier);
        if let (Some(&last), true) = (beside.last(), beside.len() > 1 && self.random.random()) {
            return Some(Request { impatient: same.condition >= 4, ..by(last, Operation::Arrive) });
        }
        match self.random.random_range(0..16) {
            0 => Some(conf(same)),
            1 => Some(conf(Configuration { condition: *[0, 6, 7].get(self.now as usize % 3)?, ..same })),
            2 => Some(conf(Configuration { condition: 5, minimum: 0, ..same })),
            3 if !self.contract.is_idle(key) => Some(conf(Configuration { priority: 3 - same.priority, ..same })),
            4 if !self.contract.is_idle(key) => {
                Some(Request { operation: Operation::Retire, cta: number, ..Request::default() })
            }
            5 => awake.map(|logical| by(logical, Operation::Bottom)),
            6 => inside.map(|logical| Request { impatient: same.condition >= 4, ..by(logical, Operation::Arrive) }),
            7 => {
                // Another configuration under the tag, or simply illegal: impatient where it must not be, and the other way round.
                let tag = self.contract.static_tag(key).unwrap_or(0x11);
                let wrong = |logical| {
                    let arrive = by(logical, Operation::Arrive);
                    Request { impatient: same.condition < 4, tag, participants: arrive.mask, ..arrive }
                };
                awake.map(wrong)
            }
            // A second ARRIVE in a phase, and one where a top uses the barrier.
            8 => again.map(|logical| by(logical, Operation::SplitArrive)),
            9 if same.condition <= 2 && self.contract.in_use_by_top(key) => {
                awake.map(|logical| by(logical, Operation::SplitArrive))
            }
            10 if self.contract.is_idle(key) => Some(conf(Configuration { priority: 3 - same.priority, ..same })),
            // A WAIT with another tag than that of who sleeps.
            11 if self.contract.sleepers(key) > 0 => {
                again.and_then(|logical| self.other_wait(number, logical, barrier))
            }
            // Transactions where no phase is open, until a reset forgets them.
            12 => Some(Request { operation: Operation::Expect, cta: number, barrier, ..Request::default() }),
            13 if resettable => {
                let data = phase_data(false, 40);
                Some(Request { operation: Operation::Expect, cta: number, barrier, data, ..Request::default() })
            }
            // Of a CTA that is not to leave.
            14 => Some(Request { operation: Operation::Withdraw, cta: number, ..Request::default() }),
            _ => (0..2).find(|parity| self.contract.transactions(key, *parity) > 0).map(|parity| Request {
                operation: Operation::Expect,
                cta: number,
                barrier,
                data: phase_data(parity == 1, 63),
                ..Request::default()
            }),
        }
    }
}
