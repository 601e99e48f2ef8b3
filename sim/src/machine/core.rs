//! The core: from the ready mask to the clock edge, cycle after cycle.

use std::hash::{Hash, Hasher};

use crate::assembler::{Kernel, Launch};
use crate::barrier::BarrierScheduler;
use crate::engine::{Configuration, Engine, Fetch, Request};
use crate::isa::Action;
use crate::isa::{Attribute, BarrierOpcode};
use crate::lanes::Lanes;
use crate::launch::{Shape, WorkDistributor};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::model::work_distributor::walker::Walker;

use super::barriers::{concerns, BarrierFault, BarrierUnit, Issue};
use super::blocks::BlockLauncher;
use super::cache::Cache;
use super::counters::Counters;
use super::feed::GridFeed;
use super::local_unit::{ContextFault, LocalUnit};
use super::locks::Locks;
use super::observer::{place, ControlHistory, Observer, Scene};
use super::outcome::{Outcome, Verdict};
use super::recorder::{Recorder, Trace};
use super::scheduler::WarpScheduler;
use super::state::{CoreState, CoreView};
use super::suspension::Suspension;
use super::watchdog::{Finding, Fingerprint, Watchdog};
use super::{MachineError, Progress, RunOptions};

/// Cycles between two looks at the stop request.
const STOP_INTERVAL: u64 = 4096;

/// Cycles, beside timeouts, after which a barrier scheduler has surely woken whom it can: its scanner and its walks are done.
const BARRIER_PATIENCE: u64 = 1024;

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
    pub(super) kernel: &'a Kernel,
    pub(super) engine: Box<dyn Engine>,
    pub(super) configuration: Configuration,
    options: RunOptions,
    pub(super) lanes: Lanes,
    block_threads: usize,
    pub(super) blocks: BlockLauncher,
    /// Where blocks come from.
    feed: GridFeed,
    grid_blocks: u32,
    pub(super) scheduler: WarpScheduler,
    pub(super) counters: Counters,
    pub(super) depths: Vec<u64>,
    pub(super) watchdog: Watchdog<CoreState>,
    pub(super) observer: Option<Observer>,
    pub(super) locks: Locks,
    pub(super) history: ControlHistory,
    /// An offer that the engine has not accepted yet; it must be offered unchanged.
    pub(super) pending: Option<Offer>,
    pub(super) recorder: Recorder<'a>,
    /// Warps that were launched and have not been ready yet.
    launching: u64,
    /// There is one if the program has barrier forms.
    pub(super) barriers: Option<BarrierUnit>,
    /// Cycles that a timeout of this program may take.
    longest_timeout: u64,
    pub(super) cache: Option<Cache>,
    /// There is one if the kernel has local memory.
    pub(super) local: Option<LocalUnit>,
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
        let (warps, threads) = (configuration.warps, configuration.threads);
        if kernel.instructions.is_empty() {
            return Err(MachineError::Empty { kernel: kernel.name.clone() });
        }
        if options.suspend.is_some() && engine.context().is_none() {
            return Err(MachineError::NotSaved { what: format!("a warp of the {}", engine.name()) });
        }
        let blocks = BlockLauncher::new(launch, warps, threads, warps).ok_or_else(|| MachineError::BlockTooLarge {
            kernel: kernel.name.clone(),
            threads: launch.block_threads(),
            needed: (launch.block_threads() as usize).div_ceil(threads),
            warps,
            warp_threads: threads,
        })?;
        let state_bytes =
            launch.global.len() + warps * threads * (crate::lanes::REGISTERS * 4 + launch.local_bytes as usize);
        Ok(Self {
            kernel,
            engine,
            configuration,
            options,
            lanes: Lanes::new(launch, warps, threads),
            block_threads: launch.block_threads() as usize,
            blocks,
            feed: GridFeed::new(Box::new(Walker::new(Shape::CORE)), Shape::CORE, launch, configuration.memory_latency),
            grid_blocks: launch.ctas(),
            scheduler: WarpScheduler::new(options.scheduler, warps),
            counters: Counters::new(warps),
            depths: vec![0; warps],
            watchdog: Watchdog::new(options.watchdog.saturating_mul(warps as u64), 16 + state_bytes as u64 / 1024),
            observer: None,
            locks: Locks::default(),
            history: ControlHistory::new(warps, threads),
            pending: None,
            recorder: Recorder::new(options.timelines.min(warps), threads),
            launching: 0,
            barriers: None,
            longest_timeout: 0,
            cache: options.cache.map(|options| Cache::new(options, warps)),
            local: None,
            suspension: options.suspend.map(Suspension::new),
        })
    }

    /// Has local memory go through this context unit, after reset; a kernel without local memory needs none.
    #[must_use]
    pub fn with_context(mut self, shape: ContextShape, ports: Box<dyn ContextPorts>) -> Self {
        self.local = Some(LocalUnit::new(ports, shape, self.configuration.warps, &mut self.lanes));
        self
    }

    /// Has the grid go through this distributor, of [`Shape::CORE`] and after reset.
    #[must_use]
    pub fn with_distributor(mut self, launch: &Launch, distributor: Box<dyn WorkDistributor>) -> Self {
        self.feed = GridFeed::new(distributor, Shape::CORE, launch, self.configuration.memory_latency);
        self
    }

    /// Gives the core a barrier scheduler. Without one, the first barrier form ends the run.
    pub fn with_barriers(
        mut self,
        launch: &Launch,
        scheduler: Box<dyn BarrierScheduler>,
    ) -> Result<Self, MachineError> {
        if self.suspension.is_some() {
            return Err(MachineError::NotSaved { what: "a CTA that uses barriers".into() });
        }
        let (size, Configuration { warps, threads, stack_mode, .. }) = (scheduler.size(), self.configuration);
        if self.block_threads > size.threads() {
            let (kernel, threads, most) = (self.kernel.name.clone(), self.block_threads, size.threads());
            return Err(MachineError::BlockTooLargeForBarriers {
                kernel,
                threads,
                most,
                block_threads: size.block_threads,
            });
        }
        // Each slot of the core is a CTA of the scheduler.
        if let Some(blocks) = BlockLauncher::new(launch, warps, threads, size.ctas.min(warps)) {
            self.blocks = blocks;
        }
        let configurations = self
            .kernel
            .instructions
            .iter()
            .filter(|instruction| instruction.action == Action::Barrier(BarrierOpcode::Configure));
        let timeouts = configurations.map(|instruction| instruction.configuration().get(Attribute::Timeout));
        self.longest_timeout = timeouts.max().unwrap_or(0);
        self.watchdog.allow(self.longest_timeout + BARRIER_PATIENCE);
        self.barriers = Some(BarrierUnit::new(scheduler, warps, threads, stack_mode));
        Ok(self)
    }

    /// Records the run in a trace, too.
    #[must_use]
    pub fn traced(mut self, trace: &'a mut dyn Trace) -> Self {
        self.recorder.trace_into(trace);
        self
    }

    /// Runs to the end, whatever that is. `stop` is asked now and then; `progress` is told as often.
    pub fn run(mut self, stop: &dyn Fn() -> bool, progress: &mut dyn FnMut(Progress)) -> Outcome {
        let verdict = loop {
            if self.counters.cycles.is_multiple_of(STOP_INTERVAL) {
                let (blocks_begun, blocks) = (self.feed.begun(), self.grid_blocks);
                progress(Progress { cycles: self.counters.cycles, blocks_begun, blocks });
                if stop() {
                    break Verdict::Interrupted;
                }
            }
            if self.counters.cycles >= self.options.max_cycles {
                break Verdict::CycleLimit;
            }
            if let Some(verdict) = self.cycle() {
                break verdict;
            }
        };
        let (timelines, trace_failure) = self.recorder.close(self.counters.cycles);
        self.counters.context = self.local.as_ref().map(LocalUnit::counts).unwrap_or_default();
        Outcome {
            verdict,
            counters: self.counters,
            global: self.lanes.global().to_vec(),
            timelines,
            trace_failure: trace_failure.map(|failure| failure.to_string()),
        }
    }

    /// One cycle; a verdict ends the run.
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
        if let Some(verdict) = self.barrier_edge() {
            return Some(verdict);
        }
        self.feed_edge();
        self.counters.cycles += 1;
        self.account(&events);
        if let Some(fault) = events.faults.first() {
            return Some(Verdict::EngineFault { fault: *fault, place: place(self.kernel, fault.address) });
        }
        for warp in events.done {
            if let Err(fault) = self.finish(warp) {
                return Some(Verdict::ContextFault(fault));
            }
        }
        self.conclude()
    }

    fn launch_one(&mut self) -> Result<(), ContextFault> {
        let Some((warp, resident)) = self.blocks.next() else { return Ok(()) };
        if let (Some(unit), 0) = (&mut self.barriers, resident.warp_of_block) {
            unit.launch(resident.slot, resident.block, self.blocks.warps_of(resident.slot), self.block_threads);
        }
        let threads = self.lanes.bind(warp, resident.block, resident.warp_of_block);
        if let Some(unit) = &mut self.local {
            unit.launch(warp, &mut self.lanes)?;
        }
        self.engine.launch(warp, threads, resident.program);
        self.launching |= 1 << warp;
        self.scheduler.launched(warp);
        self.depths[warp] = 0;
        self.counters.warps_launched += 1;
        self.counters.blocks_at_once = self.counters.blocks_at_once.max(self.blocks.residents());
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.touch(warp);
        Ok(())
    }

    /// The work distributor's clock edge.
    fn feed_edge(&mut self) {
        if self.feed.done() {
            return;
        }
        for (block, program) in self.feed.tick(self.counters.cycles, self.blocks.room(), self.lanes.global()) {
            self.blocks.begin(block, program);
            self.counters.blocks_launched += 1;
        }
        self.counters.table_words = self.feed.words();
        if !self.feed.still() {
            self.watchdog.progress(self.counters.cycles);
            self.watchdog.disturb();
        }
    }

    /// What this cycle is for.
    fn choose(&mut self) -> Result<Choice, Box<Verdict>> {
        if let Some(pending) = self.pending {
            return Ok(Choice::Engine(pending));
        }
        if let Some(wake) = self.barriers.as_mut().and_then(|unit| unit.wake(self.counters.cycles)) {
            return Ok(Choice::Engine(Offer::Wake(wake)));
        }
        if let Some(request) = self.suspension.as_mut().and_then(|suspension| suspension.request(self.engine.as_mut()))
        {
            return Ok(Choice::Engine(Offer::Context(request)));
        }
        let ready = self.engine.ready();
        self.launching &= !ready;
        let frozen = self.suspension.as_ref().map_or(0, |suspension| suspension.frozen(&self.blocks));
        let presenting = self.barriers.as_ref().map_or(0, BarrierUnit::presenting);
        let missing = self.cache.as_ref().map_or(0, |cache| cache.waiting(self.counters.cycles));
        let Some(warp) = self.scheduler.choose(ready & !presenting & !missing & !frozen) else {
            return Ok(Choice::Nothing);
        };
        if let Some(step) = self.barriers.as_ref().and_then(|unit| unit.step(warp)) {
            return Ok(Choice::Engine(Offer::Step(step)));
        }
        let fetch = self.engine.fetch(warp);
        self.recorder.issue(self.engine.as_mut(), self.counters.cycles, warp, fetch);
        let address = fetch.address;
        let Some(instruction) = self.kernel.instructions.get(address as usize) else {
            return Err(Box::new(Verdict::OutsideProgram { warp, address }));
        };
        let at_barrier = self.barriers.is_some() && concerns(instruction);
        let request = match at_barrier {
            // For the watchdog, it does what the engine is asked in the end: something at this place.
            true => Request { mask: fetch.active, ..Request::nothing(warp) },
            false => self
                .lanes
                .request(instruction, warp, fetch.active, address)
                .map_err(|fault| Box::new(Verdict::LaneFault { fault, place: place(self.kernel, address) }))?,
        };
        if self.observer.is_none() {
            self.watch(ready, &request, fetch);
        }
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
        let instruction = &self.kernel.instructions[address as usize];
        let (warp_of_cta, cta) = (resident.warp_of_block as usize, resident.slot);
        let issue = Issue { instruction, warp, warp_of_cta, cta, address, active };
        let presented = unit.present(issue, &self.lanes);
        presented.map_err(|fault| Box::new(Verdict::LaneFault { fault, place: place(self.kernel, address) }))?;
        self.scheduler.issued(warp);
        self.counters.instructions.count(instruction.class());
        self.counters.active_lanes += u64::from(active.count_ones());
        if let Some(observer) = &mut self.observer {
            observer.note(warp, resident, address, active, None);
        }
        Ok(())
    }

    /// The barrier scheduler's clock edge.
    fn barrier_edge(&mut self) -> Option<Verdict> {
        let unit = self.barriers.as_mut()?;
        let edge = unit.tick(self.counters.cycles);
        self.counters.barriers = unit.counts();
        if edge.changed {
            self.watchdog.disturb();
        }
        if let Some((slot, report)) = edge.error {
            let fault = BarrierFault::new(unit, self.kernel, slot, &report);
            return Some(Verdict::BarrierFault { fault, place: place(self.kernel, report.address) });
        }
        edge.retired.into_iter().for_each(|slot| self.blocks.retire(slot));
        None
    }

    fn watch(&mut self, ready: u64, request: &Request, fetch: Fetch) {
        let mut key = std::hash::DefaultHasher::new();
        (request.warp, fetch.address, fetch.active, request.mask, request.target).hash(&mut key);
        let fingerprint = Fingerprint { key: key.finish(), depths: &self.depths };
        let mut settled = ready == self.blocks.occupied();
        if let Some(unit) = self.barriers.as_ref().filter(|unit| !unit.at_rest()) {
            // The scheduler's state does not show, and a timeout may change it: no proof, but the limit still holds.
            self.watchdog.disturb();
            settled = (ready | unit.parked() | unit.presenting()) & self.blocks.occupied() == self.blocks.occupied();
        }
        let mut view = CoreView {
            engine: self.engine.as_mut(),
            lanes: &self.lanes,
            blocks: &self.blocks,
            scheduler: &self.scheduler,
        };
        if let Some(finding) = self.watchdog.issue(self.counters.cycles, settled, fingerprint, &mut view) {
            self.found(finding);
        }
    }

    fn found(&mut self, finding: Finding) {
        self.observer = Some(Observer::new(finding, self.counters.cycles, self.configuration.warps));
    }

    fn idle(&mut self) -> Option<Verdict> {
        let asleep = self.barriers.as_ref().map_or(0, |unit| unit.parked() | unit.presenting());
        let missing = self.cache.as_ref().map_or(0, |cache| cache.waiting(self.counters.cycles));
        let occupied = self.blocks.occupied();
        let suspending = self.suspension.as_ref().is_some_and(Suspension::at_work);
        let stalls = &mut self.counters.stalls;
        *match occupied & !self.launching & !asleep {
            _ if suspending => &mut stalls.suspension,
            0 if asleep != 0 => &mut stalls.barrier,
            0 => &mut stalls.launch,
            rest if rest & !missing == 0 => &mut stalls.memory,
            _ => &mut stalls.engine_busy,
        } += 1;
        let all_asleep = occupied != 0 && occupied & !self.barriers.as_ref().map_or(0, BarrierUnit::parked) == 0;
        if let Some(unit) = self.barriers.as_ref().filter(|_| all_asleep) {
            let patience = self.longest_timeout + BARRIER_PATIENCE;
            let finding = self.watchdog.asleep(unit.still_for(self.counters.cycles), patience);
            if let Some(finding) = finding {
                self.found(finding);
                return self.conclude();
            }
        }
        self.stuck()
    }

    /// Nothing was issued in this cycle; is that for ever?
    pub(super) fn stuck(&mut self) -> Option<Verdict> {
        let finding = self.watchdog.idle(self.counters.cycles)?;
        self.found(finding);
        self.conclude()
    }

    /// The observer's report, once it has seen enough.
    fn conclude(&mut self) -> Option<Verdict> {
        let observer = self.observer.as_ref().filter(|observer| observer.complete())?;
        let mut scene = Scene {
            kernel: self.kernel,
            engine: self.engine.as_mut(),
            lanes: &self.lanes,
            blocks: &self.blocks,
            locks: &self.locks,
            history: &self.history,
            barriers: self.barriers.as_ref(),
        };
        Some(Verdict::Hang(observer.report(&mut scene)))
    }
}
