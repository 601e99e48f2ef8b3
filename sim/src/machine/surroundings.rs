//! What lies around the control of a core, whoever controls it: lanes and their memories, counters, and everybody who watches (SM-04, SM-06).
//!
//! [`Machine`](super::Machine) controls by a divergence engine and its own code, [`CoreMachine`](crate::control_core::CoreMachine) by a whole
//! control core. Both tell their surroundings what happens; nothing here decides what a warp does next.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::assembler::{Kernel, Launch};
use crate::engine::{Configuration, Events, Fetch, Mask, Operation, Request, YieldPolicy};
use crate::isa::{Action, Attribute, BarrierOpcode, Instruction};
use crate::lanes::{LaneFault, Lanes, Places};
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};

use super::barriers::Cta;
use super::blocks::Resident;
use super::cache::Cache;
use super::counters::Counters;
use super::local_unit::{ContextFault, Group, LocalUnit};
use super::locks::Locks;
use super::observer::{place, ControlHistory, Observer, Scene};
use super::outcome::{Outcome, Verdict};
use super::recorder::Recorder;
use super::scheduler::WarpScheduler;
use super::state::{CoreState, CoreView, Look};
use super::suspension::{FailedSuspension, SuspendFailure};
use super::watchdog::{Finding, Fingerprint, Watchdog};
use super::{MachineError, Progress, RunOptions};

/// Cycles between two looks at the stop request.
const STOP_INTERVAL: u64 = 4096;

/// A kernel on something that controls warps, and what lies around that.
pub(crate) trait Controlled<'a>: Sized {
    /// What lies around.
    fn around(&mut self) -> &mut Surroundings<'a>;
    /// The same, when the run is over.
    fn into_surroundings(self) -> Surroundings<'a>;
    /// Thread blocks that were begun.
    fn blocks_begun(&self) -> u32;
    /// One cycle; a verdict ends the run.
    fn cycle(&mut self) -> Option<Verdict>;

    /// Runs to the end, whatever that is. `stop` is asked now and then; `progress` is told as often.
    fn run_to_end(mut self, stop: &dyn Fn() -> bool, progress: &mut dyn FnMut(Progress)) -> Outcome {
        let verdict = loop {
            let blocks_begun = self.blocks_begun();
            let around = self.around();
            let cycles = around.counters.cycles;
            if cycles.is_multiple_of(STOP_INTERVAL) {
                progress(Progress { cycles, blocks_begun, blocks: around.grid_blocks });
                if stop() {
                    break Verdict::Interrupted;
                }
            }
            if cycles >= around.options.max_cycles {
                break Verdict::CycleLimit;
            }
            if let Some(verdict) = self.cycle() {
                break verdict;
            }
        };
        self.into_surroundings().close(verdict)
    }
}

/// What a look at the control shows: for the watchdog's proofs and for its reports.
pub(crate) struct Sight<'a> {
    /// The warps' divergence.
    pub engine: &'a mut dyn Look,
    /// Which block runs where, by warp.
    pub residents: &'a [Option<Resident>],
    /// Who issued last.
    pub scheduler: &'a WarpScheduler,
    /// The resident CTAs by slot, if there are barriers: who waits in which.
    pub ctas: &'a [Option<Cta>],
}

/// See the module's page.
pub(crate) struct Surroundings<'a> {
    pub kernel: &'a Kernel,
    pub configuration: Configuration,
    pub options: RunOptions,
    pub lanes: Lanes,
    pub counters: Counters,
    /// Tokens in each warp's queue.
    pub depths: Vec<u64>,
    pub watchdog: Watchdog<CoreState>,
    pub observer: Option<Observer>,
    pub locks: Locks,
    pub history: ControlHistory,
    pub recorder: Recorder<'a>,
    /// Warps that were launched and have not been ready yet.
    pub launching: u64,
    pub cache: Option<Cache>,
    /// Warps whose local memory has not answered yet.
    pub awaited: u64,
    /// There is one if the kernel has local memory.
    pub(super) local: Option<LocalUnit>,
    pub(super) failed_suspensions: Vec<FailedSuspension>,
    grid_blocks: u32,
    /// Cycles that a timeout of this program may take.
    longest_timeout: u64,
}

impl<'a> Surroundings<'a> {
    /// Lanes at rest around a core of this configuration.
    pub fn new(
        kernel: &'a Kernel,
        launch: &Launch,
        configuration: Configuration,
        options: RunOptions,
    ) -> Result<Self, MachineError> {
        if kernel.instructions.is_empty() {
            return Err(MachineError::Empty { kernel: kernel.name.clone() });
        }
        let (warps, threads) = (configuration.warps, configuration.threads);
        let state_bytes =
            launch.global.len() + warps * threads * (crate::lanes::REGISTERS * 4 + launch.local_bytes as usize);
        Ok(Self {
            kernel,
            configuration,
            options,
            lanes: Lanes::new(launch, warps, threads),
            counters: Counters::new(warps),
            depths: vec![0; warps],
            watchdog: Watchdog::new(options.watchdog.saturating_mul(warps as u64), 16 + state_bytes as u64 / 1024),
            observer: None,
            locks: Locks::default(),
            history: ControlHistory::new(warps, threads),
            recorder: Recorder::new(options.timelines.min(warps), threads),
            launching: 0,
            cache: options.cache.map(|options| Cache::new(options, warps)),
            awaited: 0,
            local: None,
            failed_suspensions: Vec::new(),
            grid_blocks: launch.ctas(),
            longest_timeout: 0,
        })
    }

    /// Local memory goes through this context unit, after reset.
    pub fn add_context(&mut self, shape: ContextShape, ports: Box<dyn ContextPorts>) {
        let (warps, room) = (self.configuration.warps, self.options.context_room);
        self.local = Some(LocalUnit::new(ports, shape, warps, room, &mut self.lanes));
    }

    /// The program's barriers may take their time: the watchdog waits for their timeouts.
    pub fn allow_timeouts(&mut self) {
        let instructions = self.kernel.instructions.iter();
        let configures = instructions.filter(|one| one.action == Action::Barrier(BarrierOpcode::Configure));
        let timeouts = configures.map(|instruction| instruction.configuration().get(Attribute::Timeout));
        self.longest_timeout = timeouts.max().unwrap_or(0);
        self.watchdog.allow(self.longest_timeout + self.options.barrier_patience);
    }

    /// Every warp sleeps at a barrier, and for so many cycles nothing was under way that could wake one: is that too long?
    pub fn asleep_too_long(&mut self, still_for: u64) -> bool {
        let finding = self.watchdog.asleep(still_for, self.longest_timeout + self.options.barrier_patience);
        if let Some(finding) = finding {
            self.found(finding);
        }
        finding.is_some()
    }

    /// A warp is launched; `residents` blocks are resident. Returns the threads of the warp that exist in its block.
    pub fn launched(&mut self, warp: usize, resident: Resident, residents: u64) -> Result<Mask, ContextFault> {
        let threads = self.lanes.bind(warp, resident.block, resident.warp_of_block);
        if let Some(unit) = &mut self.local {
            unit.launch(warp, &mut self.lanes)?;
        }
        self.launching |= 1 << warp;
        self.depths[warp] = 0;
        self.counters.warps_launched += 1;
        self.counters.blocks_at_once = self.counters.blocks_at_once.max(residents);
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.touch(warp);
        Ok(threads)
    }

    /// Copies the local memory of warps that leave, if they have any, and frees their rows: their groups. None if there was no room: they run on (CX-05).
    pub fn save_local(&mut self, warps: &[usize]) -> Result<Option<Vec<Group>>, ContextFault> {
        match &mut self.local {
            Some(unit) => unit.save(warps, &mut self.lanes),
            None if self.lanes.local().words() > 0 => Err(ContextFault::missing()),
            None => Ok(Some(Vec::new())),
        }
    }

    /// Rows of local memory that nobody has, if it takes any.
    pub fn rows_left(&self) -> usize {
        self.local.as_ref().map_or(usize::MAX, LocalUnit::rows_left)
    }

    /// Warps come back whose local memory was copied.
    pub fn resume_local(&mut self, warps: &[usize], groups: &[Group]) -> Result<(), ContextFault> {
        let Some(unit) = &mut self.local else { return Ok(()) };
        warps.iter().zip(groups).try_for_each(|(&warp, &group)| unit.resume(warp, group))
    }

    /// The CTA with this number cannot be suspended; it runs on.
    pub fn suspension_failed(&mut self, block: u32, failure: SuspendFailure) {
        self.counters.suspensions.failed += 1;
        self.failed_suspensions.push(FailedSuspension { cycle: self.counters.cycles, block, failure });
    }

    /// A warp is about to offer the instruction at its PC for the first time.
    pub fn fetched(
        &mut self,
        engine: &mut dyn Look,
        warp: usize,
        fetch: Fetch,
    ) -> Result<&'a Instruction, Box<Verdict>> {
        self.recorder.issue(engine, self.counters.cycles, warp, fetch);
        let instruction = self.kernel.instructions.get(fetch.address as usize);
        instruction.ok_or_else(|| Verdict::OutsideProgram { warp, address: fetch.address }.into())
    }

    /// The verdict on a fault at an address.
    pub fn fault(&self, fault: LaneFault, address: u32) -> Verdict {
        Verdict::LaneFault { fault, place: place(self.kernel, address) }
    }

    /// The watchdog looks at an instruction that is about to be offered. `settled`: no engine has work in flight.
    pub fn watch(&mut self, sight: Sight<'_>, settled: bool, request: &Request, fetch: Fetch) {
        if self.observer.is_some() {
            return;
        }
        let mut key = DefaultHasher::new();
        (request.warp, fetch.address, fetch.active, request.mask, request.target).hash(&mut key);
        let fingerprint = Fingerprint { key: key.finish(), depths: &self.depths };
        let Sight { engine, residents, scheduler, .. } = sight;
        let warps = self.configuration.warps;
        let mut view = CoreView { engine, lanes: &self.lanes, residents, scheduler, warps };
        if let Some(finding) = self.watchdog.issue(self.counters.cycles, settled, fingerprint, &mut view) {
            self.found(finding);
        }
    }

    /// The watchdog has found something; from now on somebody looks for whom waits for whom.
    pub fn found(&mut self, finding: Finding) {
        self.observer = Some(Observer::new(finding, self.counters.cycles, self.configuration.warps));
    }

    /// The engine has accepted an instruction: the lanes do its work.
    pub fn perform(&mut self, request: &Request, fetch: Fetch, resident: Resident) -> Option<Verdict> {
        let (warp, address) = (request.warp, fetch.address);
        let instruction = &self.kernel.instructions[address as usize];
        if matches!(instruction.action, Action::Atomic(..)) {
            let executed = self.lanes.holding(instruction.guard, warp, fetch.active);
            self.locks.note(&self.lanes, instruction, warp, resident, executed);
        }
        if let Some(cache) = &mut self.cache {
            let addresses = self.lanes.global_addresses(instruction, warp, fetch.active);
            cache.access(self.counters.cycles, warp, &addresses);
            self.counters.cache = cache.counts();
        }
        let places = match &mut self.local {
            Some(unit) => unit.places(instruction, warp, fetch.active, &mut self.lanes),
            None => Ok(None),
        };
        let places = match places {
            Ok(places) => places,
            Err(fault) => return Some(Verdict::ContextFault(fault)),
        };
        let verdict = self.carry_out(warp, fetch, resident, places.as_ref());
        if verdict.is_none() {
            self.issued(request, fetch);
        }
        verdict
    }

    /// The lanes do the work of an instruction of a warp, with the places of its local words, if it has any.
    pub fn carry_out(
        &mut self,
        warp: usize,
        fetch: Fetch,
        resident: Resident,
        places: Option<&Places>,
    ) -> Option<Verdict> {
        let Fetch { address, active } = fetch;
        let instruction = &self.kernel.instructions[address as usize];
        let result = match self.lanes.execute_at(instruction, warp, active, address, places) {
            Ok(result) => result,
            Err(fault) => return Some(self.fault(fault, address)),
        };
        if let Some(observer) = &mut self.observer {
            observer.note(warp, resident, address, active, result.access);
        }
        if result.access.is_some_and(|access| access.changed) {
            self.watchdog.progress(self.counters.cycles);
        }
        None
    }

    /// An instruction counts as issued, and everybody who watches is told.
    pub fn issued(&mut self, request: &Request, fetch: Fetch) {
        let (warp, address) = (request.warp, fetch.address);
        self.count(&self.kernel.instructions[address as usize], fetch.active);
        self.history.note(request, address, fetch.active);
        if request.operation == Operation::Exit && request.mask & fetch.active != 0 {
            self.watchdog.progress(self.counters.cycles);
        }
        // A YIELD that does not fire advances its generator, which does not show.
        let counts_yields = !self.configuration.stack_mode && self.configuration.yield_policy != YieldPolicy::Always;
        if request.operation == Operation::Yield && counts_yields || self.configuration.tree {
            self.watchdog.disturb();
        }
        if request.operation != Operation::Step {
            self.recorder.touch(warp);
        }
    }

    /// An instruction went to the barrier scheduler.
    pub fn presented(&mut self, warp: usize, fetch: Fetch, resident: Resident) {
        self.count(&self.kernel.instructions[fetch.address as usize], fetch.active);
        if let Some(observer) = &mut self.observer {
            observer.note(warp, resident, fetch.address, fetch.active, None);
        }
    }

    /// The engine has accepted a part of a barrier's answer, for a warp that stands at `address`.
    pub fn stepped(&mut self, request: &Request, address: u32) {
        self.counters.stalls.barrier_moves += 1;
        self.history.note(request, address, request.mask);
        if request.operation == Operation::Exit {
            self.watchdog.progress(self.counters.cycles);
        }
        self.recorder.touch(request.warp);
    }

    /// The engine has accepted a wake-up.
    pub fn woken(&mut self, request: &Request) {
        self.counters.stalls.barrier_moves += 1;
        self.recorder.touch(request.warp);
    }

    fn count(&mut self, instruction: &Instruction, active: Mask) {
        self.counters.instructions.count(instruction.class());
        self.counters.active_lanes += u64::from(active.count_ones());
    }

    /// Nobody could be offered anything; `occupied` warps have a block, of which `asleep` sleep at barriers or wait for their answer.
    pub fn stalled(&mut self, occupied: u64, asleep: u64, suspending: bool) {
        let missing = self.missing();
        let stalls = &mut self.counters.stalls;
        *match occupied & !self.launching & !asleep {
            _ if suspending => &mut stalls.suspension,
            0 if asleep != 0 => &mut stalls.barrier,
            0 => &mut stalls.launch,
            rest if rest & !missing == 0 => &mut stalls.memory,
            _ => &mut stalls.engine_busy,
        } += 1;
    }

    /// Warps that wait for memory.
    pub fn missing(&self) -> u64 {
        self.awaited | self.cache.as_ref().map_or(0, |cache| cache.waiting(self.counters.cycles))
    }

    /// Nothing was issued in this cycle; is that for ever?
    pub fn stuck(&mut self, sight: Sight<'_>) -> Option<Verdict> {
        let finding = self.watchdog.idle(self.counters.cycles)?;
        self.found(finding);
        self.conclude(sight)
    }

    /// The observer's report, once it has seen enough.
    pub fn conclude(&self, sight: Sight<'_>) -> Option<Verdict> {
        let observer = self.observer.as_ref().filter(|observer| observer.complete())?;
        let Sight { engine, residents, ctas, .. } = sight;
        let mut scene = Scene {
            kernel: self.kernel,
            engine,
            lanes: &self.lanes,
            residents,
            locks: &self.locks,
            history: &self.history,
            ctas,
        };
        Some(Verdict::Hang(observer.report(&mut scene)))
    }

    /// Thread blocks were taken from the distributor, which has fetched so many words of its table in all, and is at work or not.
    pub fn fed(&mut self, blocks: u64, words: u64, at_work: bool) {
        self.counters.blocks_launched += blocks;
        self.counters.table_words = words;
        if at_work {
            self.watchdog.progress(self.counters.cycles);
            self.watchdog.disturb();
        }
    }

    /// Shows the trace the cycle that begins, with the warps that are ready and those that run in it.
    pub fn record(&mut self, look: &mut dyn Look, ready: u64, running: u64) {
        self.recorder.edge(look, ready, running, self.counters.cycles, &self.depths);
    }

    /// What the engine reports of a clock edge.
    pub fn account(&mut self, events: &Events) {
        for &warp in &events.pushed {
            self.counters.tokens_pushed += 1;
            self.depths[warp] += 1;
            let peak = &mut self.counters.token_high_water[warp];
            *peak = (*peak).max(self.depths[warp]);
        }
        for &warp in &events.popped {
            self.counters.tokens_popped += 1;
            self.depths[warp] = self.depths[warp].saturating_sub(1);
            self.watchdog.popped(warp, self.depths[warp]);
        }
        if let Some(count) = events.nodes {
            let peak = &mut self.counters.node_high_water[count.warp];
            *peak = (*peak).max(count.nodes);
        }
        for &(cause, _) in &events.exceptions {
            self.counters.exceptions.count(cause);
        }
        self.counters.diverged += u64::from(events.diverged);
        self.counters.yielded += u64::from(events.yielded);
        self.counters.merged += u64::from(events.merged);
        self.counters.discarded += u64::from(events.discarded);
        if events.yielded > 0 || !events.exceptions.is_empty() {
            self.watchdog.disturb();
        }
    }

    /// The verdict on the first warp that an engine stopped, if any.
    pub fn stopped(&self, events: &Events) -> Option<Verdict> {
        let fault = *events.faults.first()?;
        Some(Verdict::EngineFault { fault, place: place(self.kernel, fault.address) })
    }

    /// All threads of a warp have exited; `last` if it was the last of its block.
    pub fn finished(&mut self, warp: usize, last: bool) -> Result<(), ContextFault> {
        self.counters.warps_done += 1;
        self.counters.blocks_done += u64::from(last);
        if let Some(unit) = &mut self.local {
            unit.end(warp, &mut self.lanes)?;
        }
        self.lanes.release(warp);
        self.locks.forget(warp);
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.finish(self.counters.cycles, warp);
        Ok(())
    }

    /// The run is over.
    fn close(mut self, verdict: Verdict) -> Outcome {
        let (timelines, trace_failure) = self.recorder.close(self.counters.cycles);
        if let Some(unit) = &self.local {
            self.counters.context = unit.counts();
        }
        Outcome {
            verdict,
            counters: self.counters,
            global: self.lanes.global().to_vec(),
            timelines,
            failed_suspensions: self.failed_suspensions,
            trace_failure: trace_failure.map(|failure| failure.to_string()),
        }
    }
}
