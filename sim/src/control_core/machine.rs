//! A kernel on a control core: what [`Machine`](crate::machine::Machine) is for a divergence engine alone, with the same outcome.

use crate::assembler::{Kernel, Launch};
use crate::engine::{Configuration, Fetch, Operation, Request};
use crate::isa::encode;
use crate::lanes::LaneAnswer;
use crate::launch::PrioritizedGrid;
use crate::machine::blocks::Resident;
use crate::machine::feed::{block_number, whole_grid, GridQueue, TableMemory};
use crate::machine::surroundings::{Controlled, Sight, Surroundings};
use crate::machine::{place, BarrierFault, MachineError, Outcome, Progress, RunOptions, Trace, Verdict, WarpScheduler};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};

use super::barriers::CoreBarriers;
use super::local_memory::CoreLocalMemory;
use super::suspension::CoreSuspension;
use super::{
    Answer, BarrierEdge, ControlCore, CoreFault, Decision, Edge, Inputs, Looked, Offered, Origin, Setup, Start,
    SuspendRequest, WarpLaunch,
};

/// A kernel on a control core.
pub struct CoreMachine<'a> {
    around: Surroundings<'a>,
    core: Box<dyn ControlCore>,
    words: Vec<u64>,
    /// The grids that it runs.
    grids: GridQueue,
    grid: [u32; 3],
    table: TableMemory,
    begun: u32,
    /// Which block runs where, as the core has said.
    residents: Vec<Option<Resident>>,
    /// Who issued last, for the watchdog alone: it chooses nobody.
    order: WarpScheduler,
    /// The engine refused what it was offered in the last cycle, so it is offered the same again.
    held: bool,
    block_threads: usize,
    /// What is known of its barriers, if the program has any.
    barriers: Option<CoreBarriers>,
    /// There is one if blocks are to be suspended.
    suspension: Option<CoreSuspension>,
    /// What lies around the core's own context unit, if it has one and the program local memory.
    local: Option<CoreLocalMemory>,
}

impl<'a> CoreMachine<'a> {
    /// A machine at rest, with the grid still to be launched. The core was set up for this launch ([`CoreMachine::setup`]).
    pub fn new(
        kernel: &'a Kernel,
        launch: &Launch,
        core: Box<dyn ControlCore>,
        options: RunOptions,
    ) -> Result<Self, MachineError> {
        let configuration = *core.configuration();
        if options.suspend.is_some() && !core.suspends() {
            return Err(MachineError::NotSaved { what: format!("a warp of the {}", core.name()) });
        }
        let block_threads = launch.block_threads() as usize;
        if block_threads.div_ceil(configuration.threads) > configuration.warps {
            return Err(MachineError::too_large(kernel, launch, &configuration));
        }
        let size = kernel.uses_barriers().then(|| options.barrier_size(launch));
        if let Some(size) = size.filter(|size| block_threads > size.threads()) {
            return Err(MachineError::too_large_for_barriers(kernel, block_threads, &size));
        }
        let mut around = Surroundings::new(kernel, launch, configuration, options)?;
        if size.is_some() {
            around.allow_timeouts();
        }
        let Configuration { warps, threads, stack_mode, .. } = configuration;
        let own = core.suspends() && launch.local_bytes > 0;
        let local = own.then(|| CoreLocalMemory::new(core.groups(), options.context_room, &mut around.lanes));
        Ok(Self {
            around,
            core,
            local,
            words: kernel.instructions.iter().map(encode).collect(),
            grids: GridQueue::new(vec![whole_grid(launch).into()]),
            grid: launch.grid,
            table: TableMemory::new(configuration.memory_latency),
            begun: 0,
            residents: vec![None; configuration.warps],
            order: WarpScheduler::new(options.scheduler, configuration.warps),
            held: false,
            block_threads,
            barriers: size.map(|size| CoreBarriers::new(size, warps, threads, stack_mode)),
            suspension: options.suspend.map(CoreSuspension::new),
        })
    }

    /// How a core has to be set up for a kernel and its launch.
    pub fn setup(kernel: &Kernel, launch: &Launch, configuration: Configuration, options: &RunOptions) -> Setup {
        Setup {
            configuration,
            scheduler: options.scheduler,
            block_threads: launch.block_threads(),
            barriers: kernel.uses_barriers().then(|| options.barrier_size(launch)),
            suspends: options.suspend.is_some(),
            local_words: launch.local_bytes.div_ceil(4) as u16,
        }
    }

    /// Has local memory go through this context unit, after reset, unless the core has one of its own; a kernel without local memory needs none.
    #[must_use]
    pub fn with_context(mut self, shape: ContextShape, ports: Box<dyn ContextPorts>) -> Self {
        if !self.core.suspends() {
            self.around.add_context(shape, ports);
        }
        self
    }

    /// Has it run these grids, in the order in which the distributor serves them, instead of the launch's one; of the launch's sizes, each with a name of its own.
    pub fn with_grids(mut self, grids: Vec<PrioritizedGrid>) -> Result<Self, MachineError> {
        let most = self.core.priorities();
        if let Some(grid) = grids.iter().find(|grid| grid.priority > most) {
            return Err(MachineError::PriorityTooLarge { priority: grid.priority, most });
        }
        self.grids = GridQueue::new(grids);
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

    /// The core launches a warp: the lanes bind it.
    fn launch(&mut self, launch: &WarpLaunch, start: &Start) -> Result<(), Box<Verdict>> {
        if launch.resumes {
            return self.come_back(launch);
        }
        let WarpLaunch { warp, slot, place, threads, block, priority, .. } = *launch;
        let resident =
            Resident { block: block_number(self.grid, block), warp_of_block: place as u32, program: 0, priority, slot };
        if self.residents.get(warp).is_none_or(Option::is_some) {
            return Err(fault(format!("launches {launch:?} on a warp that is not free")).into());
        }
        let bound = self.around.launched(warp, resident, u64::from(start.slots.count_ones()));
        let bound = bound.map_err(Verdict::ContextFault)?;
        if bound != threads {
            return Err(fault(format!("launches {launch:?}, but the warp has the threads {bound:#x}")).into());
        }
        self.residents[warp] = Some(resident);
        self.order.launched(warp, priority);
        if let Some(barriers) = &mut self.barriers {
            barriers.launched(warp, &resident, self.block_threads);
        }
        Ok(())
    }

    /// The core brings a warp back.
    fn come_back(&mut self, launch: &WarpLaunch) -> Result<(), Box<Verdict>> {
        let Some(suspension) = &mut self.suspension else {
            return Err(fault(format!("launches {launch:?}, and nothing is suspended")).into());
        };
        self.order.launched(launch.warp, launch.priority);
        let brought = suspension.launched(launch, &mut self.residents, &mut self.around, self.barriers.as_mut());
        brought.map_err(|fault| Verdict::ContextFault(fault).into())
    }

    /// A block is on its way out or in, or nowhere.
    fn suspending(&self) -> bool {
        self.suspension.as_ref().is_some_and(CoreSuspension::at_work)
    }

    /// Nothing is left to do: local memory must have been given back.
    fn completed(&self) -> Verdict {
        let kept = self.local.as_ref().and_then(CoreLocalMemory::kept);
        kept.map_or(Verdict::Completed, Verdict::ContextFault)
    }

    /// The suspension's side of the beginning of a cycle.
    fn suspend(&mut self) {
        if self.suspending() {
            self.around.watchdog.progress(self.around.counters.cycles);
            self.around.watchdog.disturb();
        }
    }

    /// What instruction store and lanes say about an instruction that the core looks at.
    fn answer(&mut self, looked: &Looked) -> Result<Answer, Box<Verdict>> {
        let Looked { warp, address, active } = *looked;
        if !self.held {
            self.around.fetched(&mut self.core, warp, Fetch { address, active })?;
        }
        let Some(instruction) = self.around.kernel.instructions.get(address as usize) else {
            return Err(Verdict::OutsideProgram { warp, address }.into());
        };
        let lanes = self.around.lanes.answer(instruction, warp, active, address);
        let lanes: LaneAnswer = lanes.map_err(|fault| self.around.fault(fault, address))?;
        Ok(Answer { word: self.words[address as usize], lanes })
    }

    /// The watchdog looks at an instruction before the lanes run it.
    fn watch(&mut self, start: &Start, looked: &Looked, decision: &Decision) {
        let Looked { warp, address, active } = *looked;
        let request = match decision {
            Decision::Offer(Offered { request, .. }) => *request,
            // It does what the engine is asked in the end: something at this place.
            _ => Request { mask: active, ..Request::nothing(warp) },
        };
        // An access that is under way changes what no state shows yet.
        let mut settled = start.ready == start.occupied && self.around.awaited == 0;
        let at_work = self.barriers.as_ref().filter(|barriers| !barriers.at_rest(&start.barriers));
        if let Some(barriers) = at_work.filter(|_| self.around.observer.is_none()) {
            // The scheduler's state does not show, and a timeout may change it: no proof, but the limit still holds.
            self.around.watchdog.disturb();
            let able = start.ready | barriers.parked() | start.barriers.presenting;
            settled = able & start.occupied == start.occupied && self.around.awaited == 0;
        }
        let (around, sight) = self.sight();
        around.watch(sight, settled, &request, Fetch { address, active });
    }

    /// What lies around, and what the core shows.
    fn sight(&mut self) -> (&mut Surroundings<'a>, Sight<'_>) {
        let sight = Sight {
            engine: &mut self.core,
            residents: &self.residents,
            scheduler: &self.order,
            ctas: self.barriers.as_ref().map_or(&[], CoreBarriers::ctas),
        };
        (&mut self.around, sight)
    }

    /// What the cycle is for, is done.
    fn carry_out(&mut self, start: &Start, answer: Option<&Answer>, decision: &Decision) -> Option<Verdict> {
        match decision {
            Decision::Offer(Offered { accepted: false, origin, .. }) => {
                // A part of a warp need not be offered again.
                self.held = *origin != Origin::Context;
                self.around.counters.stalls.engine_refused += 1;
                let (around, sight) = self.sight();
                around.stuck(sight)
            }
            Decision::Offer(Offered { origin, request, .. }) => {
                self.held = false;
                self.accepted(start, *origin, request)
            }
            Decision::Present => {
                let (looked, answer) = (start.looked?, answer?);
                let resident = self.residents[looked.warp]?;
                self.order.issued(looked.warp);
                if let Some(barriers) = &mut self.barriers {
                    let instruction = &self.around.kernel.instructions[looked.address as usize];
                    barriers.presented(instruction, &looked, &answer.lanes, &resident);
                }
                self.around.presented(looked.warp, looked.fetch(), resident);
                None
            }
            Decision::Illegal => {
                let Looked { warp, address, active } = start.looked?;
                let instruction = &self.around.kernel.instructions[address as usize];
                let illegal = self.around.lanes.not_executed(instruction, warp, active, address);
                Some(self.around.fault(illegal, address))
            }
            Decision::Nothing => self.idle(start),
        }
    }

    /// Nobody could be offered anything.
    fn idle(&mut self, start: &Start) -> Option<Verdict> {
        let parked = self.barriers.as_ref().map_or(0, CoreBarriers::parked);
        let suspending = self.suspending();
        self.around.stalled(start.occupied, parked | start.barriers.presenting, suspending);
        let all_asleep = start.occupied != 0 && start.occupied & !parked == 0;
        if let Some(barriers) = self.barriers.as_ref().filter(|_| all_asleep) {
            let still_for = barriers.still_for(&start.barriers, self.around.counters.cycles);
            if self.around.asleep_too_long(still_for) {
                let (around, sight) = self.sight();
                return around.conclude(sight);
            }
        }
        let (around, sight) = self.sight();
        around.stuck(sight)
    }

    /// The engine has accepted something.
    fn accepted(&mut self, start: &Start, origin: Origin, request: &Request) -> Option<Verdict> {
        let warp = request.warp;
        let Some(resident) = self.residents.get(warp).copied().flatten() else {
            return Some(fault(format!("offers {request:?} of a warp without a block")));
        };
        match origin {
            Origin::Instruction => {
                let Some(looked) = start.looked.filter(|looked| looked.warp == warp) else {
                    return Some(fault(format!("offers {request:?}, but has looked at {:?}", start.looked)));
                };
                self.order.issued(warp);
                let waits = self
                    .local
                    .as_mut()
                    .is_some_and(|local| local.issue(request, looked.fetch(), resident, &mut self.around));
                if !waits {
                    return self.around.perform(request, looked.fetch(), resident);
                }
            }
            Origin::Step => {
                self.order.issued(warp);
                if let Some(barriers) = &mut self.barriers {
                    barriers.stepped(warp);
                }
                let address = self.core.fetch(warp).address;
                self.around.stepped(request, address);
            }
            Origin::Wake => self.around.woken(request),
            Origin::Context => {
                self.around.counters.stalls.suspension += 1;
                if let Some(suspension) = &mut self.suspension {
                    suspension.moved(request.operation == Operation::Withdraw);
                }
                self.around.recorder.touch(warp);
            }
        }
        None
    }

    /// The distributor's side of a clock edge.
    fn feed(&mut self, edge: &Edge) {
        if self.grids.done() {
            return;
        }
        let cycle = self.around.counters.cycles;
        if edge.grid_taken {
            self.grids.taken();
        }
        if edge.table_taken {
            self.table.taken();
        }
        if let Some(address) = edge.table_request {
            self.table.ask(cycle, address);
        }
        self.begun += u32::from(edge.block_taken);
        if edge.grid_done {
            self.grids.finished();
        }
        let still = self.grids.done() || edge.block_waits;
        self.around.fed(u64::from(edge.block_taken), self.table.words(), !still);
    }

    /// The barriers' side of a clock edge.
    fn barrier_edge(&mut self, edge: &BarrierEdge) -> Result<(), Box<Verdict>> {
        let Some(barriers) = &mut self.barriers else { return Ok(()) };
        barriers.edge(self.around.counters.cycles, edge, &self.residents);
        self.around.counters.barriers = barriers.counts();
        if edge.changed {
            self.around.watchdog.disturb();
        }
        let Some((slot, report)) = edge.error else { return Ok(()) };
        let kernel = self.around.kernel;
        let fault = BarrierFault::new(barriers.ctas(), barriers.mapping(), kernel, slot, &report);
        Err(Verdict::BarrierFault { fault, place: place(kernel, report.address) }.into())
    }

    /// A cycle, with the verdict that ends the run as an error.
    fn step(&mut self) -> Result<(), Box<Verdict>> {
        let cycle = self.around.counters.cycles;
        let free = self.around.observer.is_none();
        let suspend = self.suspension.as_ref().and_then(|suspension| suspension.request(cycle, &self.residents));
        let suspend = suspend.filter(|request| free || matches!(request, SuspendRequest::Return { .. }));
        let local = self.local.as_ref().map(CoreLocalMemory::inputs).unwrap_or_default();
        let start = self.core.begin(&Inputs {
            busy: self.around.missing(),
            grid: self.grids.request(),
            table: self.table.due(cycle, self.around.lanes.global()),
            suspend,
            local,
        });
        self.around.record(&mut self.core, start.ready, start.occupied);
        self.suspend();
        if self.grids.done() && start.slots == 0 && !self.suspending() && !start.freeing {
            return Err(self.completed().into());
        }
        if let Some(launch) = &start.launch {
            self.launch(launch, &start)?;
        }
        let answer = start.looked.as_ref().map(|looked| self.answer(looked)).transpose()?;
        let decision = self.core.decide(answer.as_ref());
        if !self.held {
            let moves = matches!(decision, Decision::Offer(Offered { origin: Origin::Wake | Origin::Context, .. }));
            if !moves {
                self.around.launching &= !start.ready;
            }
            if let Some(looked) = start.looked.filter(|_| decision != Decision::Illegal) {
                self.watch(&start, &looked, &decision);
            }
        }
        if let Some(verdict) = self.carry_out(&start, answer.as_ref(), &decision) {
            return Err(verdict.into());
        }
        let edge = self.core.tick();
        if let Some(local) = &mut self.local {
            local.edge(&edge.local, &mut self.around)?;
        }
        self.feed(&edge);
        self.barrier_edge(&edge.barriers)?;
        if let Some(suspension) = &mut self.suspension {
            if let Some(request) = suspend.filter(|_| edge.suspend_taken) {
                suspension.taken(&request);
            }
            if let Some(suspended) = &edge.suspended {
                suspension.done(suspended, &mut self.residents, &mut self.around, self.barriers.as_mut());
            }
        }
        self.around.counters.cycles += 1;
        self.around.account(&edge.events);
        if let Some(verdict) = self.around.stopped(&edge.events) {
            return Err(verdict.into());
        }
        for warp in edge.events.done {
            self.residents[warp] = None;
            self.around.finished(warp, edge.last).map_err(Verdict::ContextFault)?;
        }
        let (around, sight) = self.sight();
        around.conclude(sight).map_or(Ok(()), |verdict| Err(verdict.into()))
    }
}

impl<'a> Controlled<'a> for CoreMachine<'a> {
    fn around(&mut self) -> &mut Surroundings<'a> {
        &mut self.around
    }

    fn into_surroundings(self) -> Surroundings<'a> {
        self.around
    }

    fn blocks_begun(&self) -> u32 {
        self.begun
    }

    fn cycle(&mut self) -> Option<Verdict> {
        self.step().err().map(|verdict| *verdict)
    }
}

impl Looked {
    /// The same, as an engine would show it.
    const fn fetch(&self) -> Fetch {
        Fetch { address: self.address, active: self.active }
    }
}

fn fault(what: String) -> Verdict {
    Verdict::CoreFault(CoreFault(what))
}
