//! The core: from the ready mask to the clock edge, cycle after cycle.

use std::hash::{Hash, Hasher};

use crate::assembler::{Kernel, Launch};
use crate::engine::{Configuration, Engine, Events, Fetch, Operation, Request, YieldPolicy};
use crate::isa::Action;
use crate::lanes::Lanes;

use super::blocks::BlockLauncher;
use super::counters::Counters;
use super::locks::Locks;
use super::observer::{place, ControlHistory, Observer, Scene};
use super::outcome::{Outcome, Verdict};
use super::recorder::{Recorder, Trace};
use super::scheduler::WarpScheduler;
use super::state::{CoreState, CoreView};
use super::watchdog::{Finding, Fingerprint, Watchdog};
use super::{MachineError, Progress, RunOptions};

/// Cycles between two looks at the stop request.
const STOP_INTERVAL: u64 = 4096;

/// A kernel on an engine.
pub struct Machine<'a> {
    kernel: &'a Kernel,
    engine: Box<dyn Engine>,
    configuration: Configuration,
    options: RunOptions,
    lanes: Lanes,
    blocks: BlockLauncher,
    scheduler: WarpScheduler,
    counters: Counters,
    depths: Vec<u64>,
    watchdog: Watchdog<CoreState>,
    observer: Option<Observer>,
    locks: Locks,
    history: ControlHistory,
    /// An instruction that the engine has not accepted yet; it must be offered unchanged.
    pending: Option<(Request, Fetch)>,
    recorder: Recorder<'a>,
    /// Warps that were launched and have not been ready yet.
    launching: u64,
}

impl<'a> Machine<'a> {
    /// A machine at rest, with the grid still to be launched.
    pub fn new(
        kernel: &'a Kernel,
        launch: &Launch,
        engine: Box<dyn Engine>,
        options: RunOptions,
    ) -> Result<Self, MachineError> {
        let configuration = *engine.configuration();
        let (warps, threads) = (configuration.warps, configuration.threads);
        if kernel.instructions.is_empty() {
            return Err(MachineError::Empty { kernel: kernel.name.clone() });
        }
        let blocks = BlockLauncher::new(launch, warps, threads).ok_or_else(|| MachineError::BlockTooLarge {
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
            blocks,
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
        })
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
                let (blocks_begun, blocks) = self.blocks.progress();
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
        if self.blocks.complete() {
            return Some(Verdict::Completed);
        }
        self.launch_one();
        let verdict = match self.choose() {
            Err(verdict) => Some(*verdict),
            Ok(Some((request, fetch))) => self.issue(request, fetch),
            Ok(None) => self.idle(),
        };
        if verdict.is_some() {
            return verdict;
        }
        let events = self.engine.tick();
        self.counters.cycles += 1;
        self.account(&events);
        if let Some(fault) = events.faults.first() {
            return Some(Verdict::EngineFault { fault: *fault, place: place(self.kernel, fault.address) });
        }
        for warp in events.done {
            self.finish(warp);
        }
        self.conclude()
    }

    fn launch_one(&mut self) {
        let Some((warp, resident)) = self.blocks.next() else { return };
        let threads = self.lanes.bind(warp, resident.block, resident.warp_of_block);
        self.engine.launch(warp, threads, 0);
        self.launching |= 1 << warp;
        self.scheduler.launched(warp);
        self.depths[warp] = 0;
        self.counters.warps_launched += 1;
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.touch(warp);
    }

    /// What to offer in this cycle.
    fn choose(&mut self) -> Result<Option<(Request, Fetch)>, Box<Verdict>> {
        if let Some(pending) = self.pending {
            return Ok(Some(pending));
        }
        let ready = self.engine.ready();
        self.launching &= !ready;
        let Some(warp) = self.scheduler.choose(ready) else { return Ok(None) };
        let fetch = self.engine.fetch(warp);
        self.recorder.issue(self.engine.as_mut(), self.counters.cycles, warp, fetch);
        let address = fetch.address;
        let Some(instruction) = self.kernel.instructions.get(address as usize) else {
            return Err(Box::new(Verdict::OutsideProgram { warp, address }));
        };
        let request = self.lanes.request(instruction, warp, fetch.active, address);
        let request =
            request.map_err(|fault| Box::new(Verdict::LaneFault { fault, place: place(self.kernel, address) }))?;
        if self.observer.is_none() {
            self.watch(ready, &request, fetch);
        }
        Ok(Some((request, fetch)))
    }

    fn watch(&mut self, ready: u64, request: &Request, fetch: Fetch) {
        let mut key = std::hash::DefaultHasher::new();
        (request.warp, fetch.address, fetch.active, request.mask, request.target).hash(&mut key);
        let fingerprint = Fingerprint { key: key.finish(), depths: &self.depths };
        let settled = ready == self.blocks.occupied();
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

    fn issue(&mut self, request: Request, fetch: Fetch) -> Option<Verdict> {
        let (warp, address) = (request.warp, fetch.address);
        if !self.engine.offer(&request) {
            self.pending = Some((request, fetch));
            self.counters.stalls.engine_refused += 1;
            return self.stuck();
        }
        self.pending = None;
        self.scheduler.issued(warp);
        let instruction = &self.kernel.instructions[address as usize];
        let resident = self.blocks.resident(warp)?;
        if matches!(instruction.action, Action::Atomic(..)) {
            let executed = self.lanes.holding(instruction.guard, warp, fetch.active);
            self.locks.note(&self.lanes, instruction, warp, resident, executed);
        }
        let result = match self.lanes.execute(instruction, warp, fetch.active, address) {
            Ok(result) => result,
            Err(fault) => return Some(Verdict::LaneFault { fault, place: place(self.kernel, address) }),
        };
        self.counters.instructions.count(instruction.class());
        self.counters.active_lanes += u64::from(fetch.active.count_ones());
        self.history.note(&request, address, fetch.active);
        if let Some(observer) = &mut self.observer {
            observer.note(warp, resident, address, fetch.active, result.access);
        }
        let exits = request.operation == Operation::Exit && request.mask & fetch.active != 0;
        let writes = result.access.is_some_and(|access| access.changed);
        if exits || writes {
            self.watchdog.progress(self.counters.cycles);
        }
        // A YIELD that does not fire advances its generator, which does not show.
        let counts_yields = !self.configuration.stack_mode && self.configuration.yield_policy != YieldPolicy::Always;
        // Leaves that are not selected advance unseen.
        if request.operation == Operation::Yield && counts_yields || self.configuration.tree {
            self.watchdog.disturb();
        }
        if request.operation != Operation::Step {
            self.recorder.touch(warp);
        }
        None
    }

    fn idle(&mut self) -> Option<Verdict> {
        if self.blocks.occupied() & !self.launching == 0 {
            self.counters.stalls.launch += 1;
        } else {
            self.counters.stalls.engine_busy += 1;
        }
        self.stuck()
    }

    /// Nothing was issued in this cycle; is that for ever?
    fn stuck(&mut self) -> Option<Verdict> {
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
        };
        Some(Verdict::Hang(observer.report(&mut scene)))
    }

    fn account(&mut self, events: &Events) {
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

    fn finish(&mut self, warp: usize) {
        self.counters.warps_done += 1;
        self.counters.blocks_done += u64::from(self.blocks.finish(warp));
        self.lanes.release(warp);
        self.locks.forget(warp);
        self.watchdog.progress(self.counters.cycles);
        self.watchdog.disturb();
        self.recorder.finish(self.counters.cycles, warp);
    }
}
