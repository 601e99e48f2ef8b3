//! The core: from the ready mask to the clock edge, cycle after cycle.

use crate::assembler::{Kernel, Launch};
use crate::barrier::BarrierScheduler;
use crate::engine::{Configuration, Engine, Fetch, Request};
use crate::launch::{PrioritizedGrid, Shape, WorkDistributor};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::model::work_distributor::walker::Walker;

use super::barriers::{concerns, BarrierFault, BarrierUnit, Issue};
use super::blocks::BlockLauncher;
use super::feed::GridFeed;
use super::local_unit::ContextFault;
use super::observer::place;
use super::outcome::{Outcome, Verdict};
use super::recorder::Trace;
use super::scheduler::WarpScheduler;
use super::surroundings::{Controlled, Sight, Surroundings};
use super::suspension::Suspension;
use super::{MachineError, Progress, RunOptions};

/// What the engine is offered in a cycle; until it accepts, it is offered nothing else.
#[derive(Clone, Copy, Debug)]
pub(super) enum Offer {
    /// An instruction, with where it is.
    Instruction(Request, Fetch),
    /// What the barrier scheduler's answer to an instruction means to the engine.
    Step(Request),
    /// Threads that the barrier scheduler has woken.
    Wake(Request),
    /// A part of a warp that is saved or restored.
    Context(Request),
}

impl Offer {
    /// The request at the engine's port.
    pub(super) const fn request(&self) -> &Request {
        match self {
            Offer::Instruction(request, _) | Offer::Step(request) | Offer::Wake(request) | Offer::Context(request) => {
                request
            }
        }
    }
}

/// What a cycle is for.
enum Choice {
    /// The engine is offered this.
    Engine(Offer),
    /// An instruction went to the barrier scheduler.
    Presented,
    /// Nobody can do anything.
    Nothing,
}

/// A kernel on an engine.
pub struct Machine<'a> {
    pub(super) around: Surroundings<'a>,
    pub(super) engine: Box<dyn Engine>,
    block_threads: usize,
    pub(super) blocks: BlockLauncher,
    /// Where blocks come from.
    feed: GridFeed,
    pub(super) scheduler: WarpScheduler,
    /// An offer that the engine has not accepted yet; it must be offered unchanged.
    pub(super) pending: Option<Offer>,
    /// There is one if the program has barrier forms.
    pub(super) barriers: Option<BarrierUnit>,
    /// There is one until everything was suspended that is to be.
    pub(super) suspension: Option<Suspension>,
}

impl<'a> Machine<'a> {
    /// A machine at rest, with the grid still to be launched, through the reference walker unless
    /// [`with_distributor`](Self::with_distributor) names another distributor.
    pub fn new(
        kernel: &'a Kernel,
        launch: &Launch,
        mut engine: Box<dyn Engine>,
        options: RunOptions,
    ) -> Result<Self, MachineError> {
        let configuration = *engine.configuration();
        let around = Surroundings::new(kernel, launch, configuration, options)?;
        if options.suspend.is_some() && engine.context().is_none() {
            return Err(MachineError::NotSaved { what: format!("a warp of the {}", engine.name()) });
        }
        let Configuration { warps, threads, .. } = configuration;
        let blocks = BlockLauncher::new(launch, warps, threads, warps)
            .ok_or_else(|| MachineError::too_large(kernel, launch, &configuration))?;
        Ok(Self {
            around,
            engine,
            block_threads: launch.block_threads() as usize,
            blocks,
            feed: GridFeed::new(Box::new(Walker::new(Shape::CORE)), Shape::CORE, launch, configuration.memory_latency),
            scheduler: WarpScheduler::new(options.scheduler, warps),
            pending: None,
            barriers: None,
            suspension: options.suspend.map(Suspension::new),
        })
    }

    /// Has local memory go through this context unit, after reset; a kernel without local memory needs none.
    #[must_use]
    pub fn with_context(mut self, shape: ContextShape, ports: Box<dyn ContextPorts>) -> Self {
        self.around.add_context(shape, ports);
        self
    }

    /// Has the grid go through this distributor, of [`Shape::CORE`] and after reset.
    #[must_use]
    pub fn with_distributor(mut self, launch: &Launch, distributor: Box<dyn WorkDistributor>) -> Self {
        let latency = self.around.configuration.memory_latency;
        self.feed = GridFeed::new(distributor, Shape::CORE, launch, latency);
        self
    }

    /// Has it run these grids, in the order in which the distributor serves them, instead of the launch's one; of the launch's sizes, each with a name of its own.
    #[must_use]
    pub fn with_grids(mut self, grids: Vec<PrioritizedGrid>) -> Self {
        self.feed.queue(grids);
        self
    }

    /// Gives the core a barrier scheduler. Without one, the first barrier form ends the run.
    pub fn with_barriers(
        mut self,
        launch: &Launch,
        scheduler: Box<dyn BarrierScheduler>,
    ) -> Result<Self, MachineError> {
        let (size, Configuration { warps, threads, stack_mode, .. }) = (scheduler.size(), self.around.configuration);
        if self.block_threads > size.threads() {
            return Err(MachineError::too_large_for_barriers(self.around.kernel, self.block_threads, &size));
        }
        // Each slot of the core is a CTA of the scheduler.
        if let Some(blocks) = BlockLauncher::new(launch, warps, threads, size.ctas.min(warps)) {
            self.blocks = blocks;
        }
        self.around.allow_timeouts();
        self.barriers = Some(BarrierUnit::new(scheduler, warps, threads, stack_mode));
        Ok(self)
    }

    /// Records the run in a trace, too.
    #[must_use]
    pub fn traced(mut self, trace: &'a mut dyn Trace) -> Self {
        self.around.recorder.trace_into(trace);
        self
    }

    /// Runs to the end, whatever that is. `stop` is asked now and then; `progress` is told as often.
    pub fn run(self, stop: &dyn Fn() -> bool, progress: &mut dyn FnMut(Progress)) -> Outcome {
        self.run_to_end(stop, progress)
    }

    fn launch_one(&mut self) -> Result<(), ContextFault> {
        let Some((warp, resident)) = self.blocks.next() else { return Ok(()) };
        if let (Some(unit), 0) = (&mut self.barriers, resident.warp_of_block) {
            unit.launch(resident.slot, resident.block, self.blocks.warps_of(resident.slot), self.block_threads);
        }
        let threads = self.around.launched(warp, resident, self.blocks.residents())?;
        self.engine.launch(warp, threads, resident.program);
        self.scheduler.launched(warp, resident.priority);
        Ok(())
    }

    /// The work distributor's clock edge.
    fn feed_edge(&mut self) {
        if self.feed.done() {
            return;
        }
        let blocks = self.feed.tick(self.around.counters.cycles, self.blocks.room(), self.around.lanes.global());
        for block in &blocks {
            self.blocks.begin(block.number, block.program, block.priority);
        }
        self.around.fed(blocks.len() as u64, self.feed.words(), !self.feed.still());
    }

    /// What this cycle is for.
    fn choose(&mut self) -> Result<Choice, Box<Verdict>> {
        if let Some(pending) = self.pending {
            return Ok(Choice::Engine(pending));
        }
        let absent = self.suspension.as_ref().map_or(0, Suspension::absent);
        if let Some(wake) = self.barriers.as_mut().and_then(|unit| unit.wake(self.around.counters.cycles, absent)) {
            return Ok(Choice::Engine(Offer::Wake(wake)));
        }
        if let Some(request) = self.suspension.as_mut().and_then(|suspension| suspension.request(self.engine.as_mut()))
        {
            return Ok(Choice::Engine(Offer::Context(request)));
        }
        let ready = self.engine.ready();
        self.around.launching &= !ready;
        // A warp that is to leave issues nothing more, but what the barrier scheduler has answered it the engine still hears.
        let frozen = self.suspension.as_ref().map_or(0, |suspension| suspension.frozen(&self.blocks));
        let frozen = frozen & !self.barriers.as_ref().map_or(0, BarrierUnit::stepping);
        let presenting = self.barriers.as_ref().map_or(0, BarrierUnit::presenting);
        let Some(warp) = self.scheduler.choose(ready & !presenting & !self.around.missing() & !frozen) else {
            return Ok(Choice::Nothing);
        };
        if let Some(step) = self.barriers.as_ref().and_then(|unit| unit.step(warp)) {
            return Ok(Choice::Engine(Offer::Step(step)));
        }
        let fetch = self.engine.fetch(warp);
        let instruction = self.around.fetched(&mut self.engine, warp, fetch)?;
        let at_barrier = self.barriers.is_some() && concerns(instruction);
        let request = match at_barrier {
            // For the watchdog, it does what the engine is asked in the end: something at this place.
            true => Request { mask: fetch.active, ..Request::nothing(warp) },
            false => self
                .around
                .lanes
                .request(instruction, warp, fetch.active, fetch.address)
                .map_err(|fault| self.around.fault(fault, fetch.address))?,
        };
        self.watch(ready, &request, fetch);
        if at_barrier {
            self.present(warp, fetch)?;
            return Ok(Choice::Presented);
        }
        Ok(Choice::Engine(Offer::Instruction(request, fetch)))
    }

    /// A warp issues an instruction that concerns the barrier scheduler.
    fn present(&mut self, warp: usize, fetch: Fetch) -> Result<(), Box<Verdict>> {
        let Fetch { address, active } = fetch;
        let (Some(unit), Some(resident)) = (&mut self.barriers, self.blocks.resident(warp)) else { return Ok(()) };
        let instruction = &self.around.kernel.instructions[address as usize];
        let (warp_of_cta, cta) = (resident.warp_of_block as usize, resident.slot);
        let issue = Issue { instruction, warp, warp_of_cta, cta, address, active };
        unit.present(issue, &self.around.lanes).map_err(|fault| self.around.fault(fault, address))?;
        self.scheduler.issued(warp);
        self.around.presented(warp, fetch, resident);
        Ok(())
    }

    /// The barrier scheduler's clock edge.
    fn barrier_edge(&mut self) -> Option<Verdict> {
        let unit = self.barriers.as_mut()?;
        let edge = unit.tick(self.around.counters.cycles);
        self.around.counters.barriers = unit.counts();
        if edge.changed {
            self.around.watchdog.disturb();
        }
        if let Some((slot, report)) = edge.error {
            let kernel = self.around.kernel;
            let fault = BarrierFault::new(unit.ctas(), unit.mapping(), kernel, slot, &report);
            return Some(Verdict::BarrierFault { fault, place: place(kernel, report.address) });
        }
        edge.retired.into_iter().for_each(|slot| self.blocks.retire(slot));
        None
    }

    fn watch(&mut self, ready: u64, request: &Request, fetch: Fetch) {
        let occupied = self.blocks.occupied();
        let mut settled = ready == occupied;
        if let Some(unit) = self.barriers.as_ref().filter(|unit| self.around.observer.is_none() && !unit.at_rest()) {
            // The scheduler's state does not show, and a timeout may change it: no proof, but the limit still holds.
            self.around.watchdog.disturb();
            settled = (ready | unit.parked() | unit.presenting()) & occupied == occupied;
        }
        let (around, sight) = self.sight();
        around.watch(sight, settled, request, fetch);
    }

    /// What lies around, and what is within.
    fn sight(&mut self) -> (&mut Surroundings<'a>, Sight<'_>) {
        let sight = Sight {
            engine: &mut self.engine,
            residents: self.blocks.by_warp(),
            scheduler: &self.scheduler,
            ctas: self.barriers.as_ref().map_or(&[], |unit| unit.ctas()),
        };
        (&mut self.around, sight)
    }

    fn idle(&mut self) -> Option<Verdict> {
        let asleep = self.barriers.as_ref().map_or(0, |unit| unit.parked() | unit.presenting());
        let occupied = self.blocks.occupied();
        self.around.stalled(occupied, asleep, self.suspension.as_ref().is_some_and(Suspension::at_work));
        let all_asleep = occupied != 0 && occupied & !self.barriers.as_ref().map_or(0, BarrierUnit::parked) == 0;
        if let Some(unit) = self.barriers.as_ref().filter(|_| all_asleep) {
            let still_for = unit.still_for(self.around.counters.cycles);
            if self.around.asleep_too_long(still_for) {
                return self.conclude();
            }
        }
        self.stuck()
    }

    /// Nothing was issued in this cycle; is that for ever?
    pub(super) fn stuck(&mut self) -> Option<Verdict> {
        let (around, sight) = self.sight();
        around.stuck(sight)
    }

    /// The observer's report, once it has seen enough.
    fn conclude(&mut self) -> Option<Verdict> {
        let (around, sight) = self.sight();
        around.conclude(sight)
    }
}

impl<'a> Controlled<'a> for Machine<'a> {
    fn around(&mut self) -> &mut Surroundings<'a> {
        &mut self.around
    }

    fn into_surroundings(self) -> Surroundings<'a> {
        self.around
    }

    fn blocks_begun(&self) -> u32 {
        self.feed.begun()
    }

    fn cycle(&mut self) -> Option<Verdict> {
        if self.feed.done() && self.blocks.empty() {
            return Some(Verdict::Completed);
        }
        if let Err(fault) = self.suspend().and_then(|()| self.launch_one()) {
            return Some(Verdict::ContextFault(fault));
        }
        let verdict = match self.choose() {
            Err(verdict) => Some(*verdict),
            Ok(Choice::Engine(offer)) => self.offer(offer),
            Ok(Choice::Presented) => None,
            Ok(Choice::Nothing) => self.idle(),
        };
        if verdict.is_some() {
            return verdict;
        }
        let events = self.engine.tick();
        self.suspension_edge(&events);
        // The distributor sees a slot that the barrier scheduler frees at this edge in the next cycle.
        self.feed_edge();
        if let Some(verdict) = self.barrier_edge() {
            return Some(verdict);
        }
        self.around.counters.cycles += 1;
        self.around.account(&events);
        let (ready, running) = (self.engine.ready(), self.engine.running());
        self.around.record(&mut self.engine, ready, running);
        if let Some(verdict) = self.around.stopped(&events) {
            return Some(verdict);
        }
        for warp in events.done {
            if let Err(fault) = self.finish(warp) {
                return Some(Verdict::ContextFault(fault));
            }
        }
        self.conclude()
    }
}
