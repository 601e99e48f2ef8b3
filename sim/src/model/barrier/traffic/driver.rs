//! Runs a scenario: threads at their own pace, a host that launches, resets and retires, the contract watching.

use super::{draw, Action, CtaPlan, Failure, Participation, Report, Scenario};
use crate::barrier::{
    launch_data, phase_data, BarrierScheduler, BlockMask, Configuration, ErrorCause, Key, Operation, Outputs, Request,
    Wake,
};
use crate::model::barrier::contract::{Contract, Limits};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cycles without any thread getting anywhere that count as a hang.
const PATIENCE: u64 = 8000;

/// Where a thread of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Running,
    Asleep,
    Inside,
    Gone,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    place: Place,
    step: usize,
    /// The next request is not before this cycle.
    from: u64,
    /// The EXPECT of the step was accepted, or none is planned.
    announced: bool,
}

/// How far a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Launching,
    Configuring(usize),
    Running,
    Retiring,
    Over,
}

/// A COMPLETE or EXPECT on its way.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    from: u64,
    operation: Operation,
    barrier: usize,
    data: u64,
    /// The thread whose ARRIVE waits for it.
    thread: Option<usize>,
}

/// A CTA at run time.
struct Cta {
    plans: Vec<CtaPlan>,
    stage: Stage,
    launch: usize,
    threads: Vec<Thread>,
    transfers: Vec<Transfer>,
}

/// What an accepted request means to the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Stage,
    Threads,
    Transfer(usize),
    /// Nothing: it is in error, refused or without consequences.
    Probe,
}

pub(super) struct Driver<'a, S> {
    scenario: &'a Scenario,
    scheduler: &'a mut S,
    contract: Contract,
    random: ChaCha8Rng,
    ctas: Vec<Cta>,
    now: u64,
    moved: u64,
    requests: u64,
    started: bool,
    offer: Option<(Request, Meaning)>,
    shown: Option<Wake>,
}

impl<'a, S: BarrierScheduler> Driver<'a, S> {
    pub fn new(scenario: &'a Scenario, scheduler: &'a mut S, limits: Limits) -> Self {
        let ctas = scenario.ctas.iter().map(|plans| Cta {
            plans: plans.clone(),
            stage: if plans.is_empty() { Stage::Over } else { Stage::Launching },
            launch: 0,
            threads: Vec::new(),
            transfers: Vec::new(),
        });
        Self {
            contract: Contract::new(scheduler, limits),
            ctas: ctas.collect(),
            random: ChaCha8Rng::seed_from_u64(!scenario.seed),
            scenario,
            scheduler,
            now: 0,
            moved: 0,
            requests: 0,
            started: false,
            offer: None,
            shown: None,
        }
    }

    pub fn run(mut self) -> Result<Report, Failure> {
        while self.ctas.iter().any(|cta| cta.stage != Stage::Over) {
            self.cycle()?;
            if self.now - self.moved > PATIENCE {
                return Err(Failure::Hang { cycle: self.now, detail: self.left() });
            }
        }
        for _ in 0..64 {
            self.cycle()?;
        }
        self.contract.finish()?;
        Ok(Report { cycles: self.now, requests: self.requests, met: self.contract.met })
    }

    fn left(&self) -> String {
        let threads = self.ctas.iter().enumerate().flat_map(|(number, cta)| {
            let left = cta.threads.iter().enumerate().filter(|(_, thread)| thread.place != Place::Gone);
            left.map(move |(logical, thread)| {
                let plan = &cta.plans[cta.launch];
                let site = plan.steps.get(thread.step).map(|action| &plan.sites[action.site()]);
                let barrier = site.map_or(0, |site| site.barrier);
                let known = self.contract.describe(Key { cta: number, barrier });
                format!(
                    "thread {logical} of {} of CTA {number} is {:?} at step {}, {site:?}, {known}",
                    plan.threads, thread.place, thread.step
                )
            })
        });
        let mut threads: Vec<String> = threads.collect();
        threads.sort_by_key(|text| !text.contains("is Inside"));
        format!(
            "{} threads are left: {}; {:?} is offered",
            threads.len(),
            threads[..threads.len().min(3)].join("; "),
            self.offer
        )
    }

    fn chance(&mut self, percent: u32) -> bool {
        percent > 0 && self.random.random_range(0..100) < percent
    }

    fn cycle(&mut self) -> Result<(), Failure> {
        let ready = self.scheduler.ready();
        if self.offer.is_none() && self.chance(self.scenario.knobs.offer) {
            self.offer = self.next_request(ready);
        }
        let offered = self.offer.map(|(request, _)| request);
        let wake_ready = !self.chance(self.scenario.knobs.wake_stall);
        self.scheduler.offer(offered);
        self.scheduler.wake_ready(wake_ready);
        let outputs = self.scheduler.tick();
        self.contract.observe(offered.as_ref(), wake_ready, &outputs)?;
        if wake_ready {
            if let Some(wake) = self.shown.take() {
                self.wake(&wake)?;
            }
        }
        self.shown = outputs.wake;
        if outputs.accepted {
            if let Some((request, meaning)) = self.offer.take() {
                self.requests += 1;
                self.answer(&request, meaning, &outputs)?;
            }
        }
        self.now += 1;
        Ok(())
    }

    fn astray<T>(&self, detail: String) -> Result<T, Failure> {
        Err(Failure::Astray { cycle: self.now, detail })
    }

    /// The logical ids of some threads of a physical block.
    fn logical(&self, cta: usize, block: usize, mask: BlockMask) -> Vec<usize> {
        let threads = self.scenario.size.block_threads;
        let map = &self.ctas[cta].plans[self.ctas[cta].launch].map;
        let Some(logical) = map.iter().position(|physical| *physical == block) else { return Vec::new() };
        (0..threads).filter(|offset| mask >> offset & 1 != 0).map(|offset| logical * threads + offset).collect()
    }

    fn wake(&mut self, wake: &Wake) -> Result<(), Failure> {
        for logical in self.logical(wake.cta, wake.block, wake.mask) {
            let stay = if self.started { self.scenario.knobs.stay } else { self.scenario.knobs.first_stay.max(1) };
            let from = if self.started { self.now + self.random.random_range(0..=stay) } else { self.now + stay };
            self.started |= wake.inside;
            self.moved = self.now;
            let cta = &mut self.ctas[wake.cta];
            let plan = &cta.plans[cta.launch];
            let thread = &mut cta.threads[logical];
            if thread.place != Place::Asleep {
                let detail = format!("thread {logical} is {:?}; {wake:?}", thread.place);
                return self.astray(detail);
            }
            let site = match plan.steps[thread.step] {
                Action::Top(site) | Action::SplitWait(site, _) | Action::SplitArrive(site, _) => &plan.sites[site],
            };
            let (tag, after) = (site.tag + 1, site.after);
            if wake.address != tag && wake.address != after {
                return self
                    .astray(format!("thread {logical} goes on neither at {tag:#x} nor at {after:#x}; {wake:?}"));
            }
            thread.from = from;
            thread.place = if wake.inside { Place::Inside } else { Place::Running };
            if !wake.inside {
                self.step(wake.cta, logical);
            }
        }
        Ok(())
    }

    /// A thread goes to its next step.
    fn step(&mut self, cta: usize, logical: usize) {
        let from = self.now + self.random.random_range(0..=self.scenario.knobs.pause);
        let thread = &mut self.ctas[cta].threads[logical];
        thread.step += 1;
        thread.from = from;
        thread.place = Place::Running;
        self.moved = self.now;
        self.plan_transfers(cta, logical);
    }

    /// Announces transactions before some ARRIVEs; their completions may come before or after.
    fn plan_transfers(&mut self, number: usize, logical: usize) {
        let seed = self.scenario.seed;
        let cta = &mut self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let thread = &mut cta.threads[logical];
        thread.announced = true;
        let Some(&Action::SplitArrive(site, phase)) = plan.steps.get(thread.step) else { return };
        let barrier = plan.sites[site].barrier;
        let chosen = draw(seed, [number, cta.launch, logical, thread.step + 1000]);
        let under_way = cta.transfers.iter().filter(|transfer| transfer.barrier == barrier).count();
        if chosen % 4 != 0 || under_way > 12 || self.contract.transactions(Key { cta: number, barrier }, phase & 1) != 0
        {
            return;
        }
        thread.announced = false;
        let (one, two) = (1 + chosen / 4 % 3, chosen / 16 % 3);
        let mut send = |operation, count, delay, thread| {
            let data = phase_data(phase & 1 != 0, count);
            cta.transfers.push(Transfer { from: self.now + delay, operation, barrier, data, thread });
        };
        send(Operation::Expect, one + two, chosen / 64 % 8, Some(logical));
        send(Operation::Complete, one, chosen / 512 % 30, None);
        send(Operation::Complete, two, chosen / 16384 % 30, None);
    }

    /// What would be offered next; `ready`: it would be accepted in this cycle.
    fn next_request(&mut self, ready: bool) -> Option<(Request, Meaning)> {
        (0..4).find_map(|_| {
            let number = self.some_cta();
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
                (Stage::Retiring, _) => Some((request(Operation::Retire, 0), Meaning::Stage)),
                (Stage::Running, Some(_)) => self.running_request(number, ready),
                _ if self.scenario.knobs.probes > 0 && self.random.random_range(0..50) == 0 => {
                    Some((request(Operation::Configure, 1), Meaning::Probe))
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
        let lot = draw(self.scenario.seed, [number, cta.launch, logical, 77]);
        let chosen = lot % 100 < plan.exits && !plan.steps.is_empty();
        let here = chosen && lot / 100 % plan.steps.len() as u64 == step as u64;
        (step >= plan.steps.len() || here && lot / 10000 % 2 == 0, here)
    }

    fn participates(&self, number: usize, logical: usize, step: usize, participation: Participation) -> bool {
        match participation {
            Participation::All => true,
            Participation::Percent(percent) => {
                let launch = self.ctas[number].launch;
                draw(self.scenario.seed, [number, launch, logical, step]) % 100 < percent
            }
            Participation::Every { divisor, rest } => logical % divisor == rest,
        }
    }

    /// The request that a thread wants to make, its mask left out; none if it is not ready.
    fn wants(&self, number: usize, logical: usize) -> Option<Request> {
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
    fn thread_request(&mut self, number: usize) -> Option<Request> {
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

    /// A request that is an error, or is refused, or changes nothing.
    fn probe(&mut self, number: usize) -> Option<Request> {
        let cta = &self.ctas[number];
        let plan = &cta.plans[cta.launch];
        let barrier = self.random.random_range(0..plan.configurations.len());
        let key = Key { cta: number, barrier };
        let same = plan.configurations[barrier];
        let conf = |configuration: Configuration| Request {
            operation: Operation::Configure,
            cta: number,
            barrier,
            data: configuration.word(),
            ..Request::default()
        };
        let awake = (0..plan.threads).find(|logical| {
            let thread = &cta.threads[*logical];
            thread.place == Place::Running && thread.from <= self.now + 4
        });
        let inside = (0..plan.threads).find(|logical| cta.threads[*logical].place == Place::Inside);
        let threads = self.scenario.size.block_threads;
        let by = |logical: usize, operation| Request {
            operation,
            cta: number,
            block: plan.map[logical / threads],
            mask: 1 << (logical % threads),
            barrier,
            ..Request::default()
        };
        match self.random.random_range(0..9) {
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
            _ => (0..2).find(|parity| self.contract.transactions(key, *parity) > 0).map(|parity| Request {
                operation: Operation::Expect,
                cta: number,
                barrier,
                data: phase_data(parity == 1, 63),
                ..Request::default()
            }),
        }
    }

    fn answer(&mut self, request: &Request, meaning: Meaning, outputs: &Outputs) -> Result<(), Failure> {
        let Some(response) = outputs.response else { return Ok(()) };
        match meaning {
            Meaning::Probe => {}
            Meaning::Stage if response.refused => {}
            Meaning::Stage => self.next_stage(request.cta),
            Meaning::Transfer(place) => {
                let transfer = self.ctas[request.cta].transfers.remove(place);
                if response.error.is_some() {
                    return self.astray(format!("{request:?} -> {response:?}"));
                }
                if let Some(logical) = transfer.thread {
                    self.ctas[request.cta].threads[logical].announced = true;
                }
                self.moved = self.now;
            }
            Meaning::Threads => {
                if let Some(report) = response.error {
                    // A reset took the section from under the thread.
                    if report.cause != ErrorCause::NotInside {
                        return self.astray(format!("{request:?} -> {response:?}"));
                    }
                    for logical in self.logical(request.cta, request.block, request.mask) {
                        self.step(request.cta, logical);
                    }
                    return Ok(());
                }
                let retry = self.now + self.random.random_range(0..=4);
                let goes_on = response.pass | response.skip;
                for logical in self.logical(request.cta, request.block, request.mask) {
                    let bit = 1 << (logical % self.scenario.size.block_threads);
                    let thread = &mut self.ctas[request.cta].threads[logical];
                    if request.operation == Operation::Exit {
                        thread.place = Place::Gone;
                        self.moved = self.now;
                    } else if response.sleep & bit != 0 {
                        thread.place = Place::Asleep;
                        self.moved = self.now;
                    } else if response.wait & bit != 0 || response.refused {
                        thread.from = retry;
                    } else if goes_on & bit != 0 || request.operation == Operation::SplitArrive {
                        self.step(request.cta, logical);
                    }
                }
                let cta = &mut self.ctas[request.cta];
                if cta.threads.iter().all(|thread| thread.place == Place::Gone) {
                    cta.stage = Stage::Retiring;
                    cta.transfers.clear();
                }
            }
        }
        Ok(())
    }

    fn next_stage(&mut self, number: usize) {
        self.moved = self.now;
        let cta = &mut self.ctas[number];
        let size = &self.scenario.size;
        match cta.stage {
            Stage::Launching => cta.stage = Stage::Configuring(0),
            Stage::Configuring(barrier) if barrier + 1 < size.barriers => cta.stage = Stage::Configuring(barrier + 1),
            Stage::Configuring(_) => {
                cta.stage = Stage::Running;
                let threads = cta.plans[cta.launch].threads;
                let thread = Thread { place: Place::Running, step: 0, from: 0, announced: true };
                cta.threads = vec![thread; threads];
                for logical in 0..threads {
                    self.plan_transfers(number, logical);
                }
            }
            Stage::Retiring => {
                cta.launch += 1;
                cta.threads.clear();
                cta.stage = if cta.launch < cta.plans.len() { Stage::Launching } else { Stage::Over };
                cta.launch = cta.launch.min(cta.plans.len() - 1);
            }
            Stage::Running | Stage::Over => {}
        }
    }
}
