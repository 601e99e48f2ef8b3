//! Runs a scenario: threads at their own pace, a host that launches, resets and retires, the contract watching.

mod passing;
mod requests;
mod suspensions;

use super::{draw, Action, CtaPlan, Failure, Knobs, Report, Scenario};
use crate::barrier::{phase_data, BarrierScheduler, BlockMask, ErrorCause, Key, Operation, Outputs, Request, Wake};
use crate::model::barrier::contract::{Contract, Limits};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cycles without any thread getting anywhere that count as a hang.
const PATIENCE: u64 = 8000;

/// Cycles without a thread that ends a step or comes to the bottom of its section, though CTAs leave and come back, that count as one as well.
const STANDSTILL: u64 = 60_000;

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
    /// Its barriers leave, word by word.
    Withdrawing,
    /// It is away until this cycle.
    Away(u64),
    /// It comes back, word by word.
    Restoring,
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
    /// What its draws depend on, wherever it runs.
    identity: usize,
    moving: suspensions::Moving,
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
    /// A CTA is suspended or resumed.
    Move,
    /// Nothing: it is in error, refused or without consequences.
    Probe,
}

pub(super) struct Driver<'a, S: ?Sized> {
    scenario: &'a Scenario,
    scheduler: &'a mut S,
    contract: Contract,
    random: ChaCha8Rng,
    ctas: Vec<Cta>,
    now: u64,
    moved: u64,
    stepped: u64,
    requests: u64,
    started: bool,
    offer: Option<(Request, Meaning)>,
    shown: Option<Wake>,
    /// No wake-up is taken before this cycle.
    stalled: u64,
    passing: passing::Passing,
}

impl<'a, S: BarrierScheduler + ?Sized> Driver<'a, S> {
    pub fn new(scenario: &'a Scenario, scheduler: &'a mut S, limits: Limits) -> Self {
        let ctas = scenario.ctas.iter().enumerate().map(|(identity, plans)| Cta {
            identity,
            moving: suspensions::Moving::default(),
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
            stepped: 0,
            requests: 0,
            started: false,
            offer: None,
            shown: None,
            stalled: scenario.knobs.hush,
            passing: passing::Passing::default(),
        }
    }

    pub fn run(mut self) -> Result<Report, Failure> {
        while self.ctas.iter().any(|cta| cta.stage != Stage::Over) {
            self.cycle()?;
            if self.now - self.moved > PATIENCE || self.now - self.stepped > STANDSTILL {
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

    fn takes_wake_ups(&mut self) -> bool {
        let Knobs { wake_stall, wake_burst, .. } = self.scenario.knobs;
        if self.now >= self.stalled && self.chance(wake_stall) {
            let more = if wake_burst > 0 { self.random.random_range(0..=wake_burst) } else { 0 };
            self.stalled = self.now + 1 + more;
        }
        self.now >= self.stalled
    }

    fn cycle(&mut self) -> Result<(), Failure> {
        let ready = self.scheduler.ready();
        if self.offer.is_none() && self.chance(self.scenario.knobs.offer) {
            self.offer = self.next_request(ready);
        }
        let offered = self.offer.map(|(request, _)| request);
        let wake_ready = self.takes_wake_ups();
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
                self.passes_on(&request);
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
        self.passes_woken(wake);
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
        self.stepped = self.now;
        self.plan_transfers(cta, logical);
    }

    /// Announces transactions before some ARRIVEs; their completions may come before or after.
    fn plan_transfers(&mut self, number: usize, logical: usize) {
        let seed = self.scenario.seed;
        let cta = &mut self.ctas[number];
        let identity = cta.identity;
        let plan = &cta.plans[cta.launch];
        let thread = &mut cta.threads[logical];
        thread.announced = true;
        let Some(&Action::SplitArrive(site, phase)) = plan.steps.get(thread.step) else { return };
        let barrier = plan.sites[site].barrier;
        let chosen = draw(seed, [identity, cta.launch, logical, thread.step + 1000]);
        let under_way = cta.transfers.iter().filter(|transfer| transfer.barrier == barrier).count();
        if !chosen.is_multiple_of(4)
            || under_way > 12
            || self.contract.transactions(Key { cta: number, barrier }, phase & 1) != 0
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

    fn answer(&mut self, request: &Request, meaning: Meaning, outputs: &Outputs) -> Result<(), Failure> {
        let Some(response) = outputs.response else { return Ok(()) };
        match meaning {
            Meaning::Probe => {}
            Meaning::Move => self.moved_on(request, &response)?,
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
                        self.stepped = self.now;
                    } else if response.sleep & bit != 0 {
                        if thread.place == Place::Inside {
                            // It has had its turn, though it ends its step with the others only.
                            self.stepped = self.now;
                        }
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
                let from = self.scenario.knobs.begin;
                let thread = Thread { place: Place::Running, step: 0, from, announced: true };
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
            _ => {}
        }
    }
}
