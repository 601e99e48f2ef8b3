//! An episode of `divergence_unit` under way.

use super::choice;
use super::stimulus::{Code, Named, Operation, Settings, Target};
use super::warps::{Launch, Slot, Totals, Warps};
use crate::lockstep::bench::{Bench, Counts, Shape, Stimulus};
use crate::lockstep::idle::{Idle, EARLY};
use heddle_hdl::divergence::token::{Cause, Operation as UnitOperation};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::{Kind, Request, SavedToken};
use heddle_sim::rtl::handler::Handler;
use heddle_sim::rtl::memory::Memory;
use std::collections::VecDeque;

/// How many operations ahead an eager episode looks for one whose warp can issue.
const WINDOW: usize = 8;

/// Cycles of quiet after which every event has been told.
const QUIET: u64 = 4;

heddle_hdl::pins! {
    /// The pins that the bench itself drives and reads.
    struct Unit {
        reset, path_policy, yield_policy, yield_parameter, yield_seed, stack_mode, handler_software, spill_base, spill_limit,
        launch_valid, launch_ready, launch_warp, launch_mask, launch_address,
        request_valid, request_ready, request_warp, request_operation, request_kind, request_mask, request_target,
        request_targeted, request_again,
        query_warp, query_kind, query_address, query_active, query_disabled, warp_ready, warp_running,
        done_valid, done_warp, error_valid, error_cause, error_warp, error_address,
        exception_valid, exception_cause, exception_warp,
        event_push, event_pop, event_diverge, event_yield, event_merge, event_discard,
        launch_resumes, launch_yields, query_yields, saved_valid, saved_last, saved_warp, saved_kind, saved_mask, saved_address,
    }
}

/// See the module's page.
pub struct Run {
    shape: Shape,
    settings: Settings,
    pins: Unit,
    operations: VecDeque<Operation>,
    window: VecDeque<Operation>,
    begun: usize,
    idle: u8,
    launch: Option<Launch>,
    request: Option<Request>,
    /// What is to be asked stands on the port, but is not asked before the next cycle.
    early: bool,
    /// A request that may not be taken, of this warp, while there is no other.
    vain: Option<usize>,
    resetting: bool,
    sweeping: u64,
    warps: Warps,
    seen: Totals,
    quiet: u64,
    memory: Memory,
    handler: Handler,
    exception: Option<(Cause, usize)>,
    cycle: u64,
    progress: u64,
}

impl Run {
    /// Starts an episode on a block that was just reset.
    pub fn new(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Operation>) -> Self {
        let settings = stimulus.settings.clone();
        Self {
            pins: Unit::of(ports),
            operations: stimulus.operations.iter().copied().collect(),
            window: VecDeque::new(),
            begun: 0,
            idle: 0,
            launch: None,
            request: None,
            early: false,
            vain: None,
            resetting: false,
            sweeping: sweep(shape),
            warps: Warps::new(shape, settings.rules(shape), &settings.around),
            seen: Totals::default(),
            quiet: 0,
            memory: settings.around.memory(ports),
            handler: settings.around.handler(shape, ports),
            exception: None,
            cycle: 0,
            progress: 0,
            shape: *shape,
            settings,
        }
    }

    /// Chooses what goes on the request port, or on the launch port, next.
    fn dispatch(&mut self) {
        self.early = false;
        if self.request.is_some() || self.resetting {
            return;
        }
        while self.window.len() < WINDOW {
            let Some(operation) = self.operations.pop_front().or_else(|| self.farewell()) else { break };
            self.window.push_back(operation);
        }
        let Some(head) = self.window.front() else { return };
        if self.idle < head.wait {
            self.idle += 1;
            return;
        }
        let reach = if self.settings.eager { self.window.len() } else { 1 };
        // Nothing overtakes a reset.
        let fence = self.window.iter().position(|operation| operation.code == Code::Reset).unwrap_or(reach);
        let place = (0..reach.min(fence + 1)).find(|place| self.can_begin(&self.window[*place], *place));
        let Some(operation) = place.and_then(|place| self.window.remove(place)) else { return };
        self.idle = 0;
        self.begun += 1;
        self.begin(&operation);
        self.early = self.request.is_some() && self.cycle.is_multiple_of(EARLY);
    }

    /// A warp that takes no instruction now, since it does not run or is parked, when it is its turn to be asked for one all the same.
    fn refuses(&self) -> Option<usize> {
        let (turn, warp) = (self.cycle % 4, (self.cycle / 4) as usize % self.shape.warps);
        let refuses = match self.warps.slot(warp) {
            Slot::Idle => true,
            Slot::Running(state) => state.parked() && !self.warps.is_busy(warp),
            Slot::Launching | Slot::Ending(_) => false,
        };
        (turn == 0 && refuses && self.request.is_none() && !self.resetting).then_some(warp)
    }

    /// When the stimulus is over, every running warp exits, until its queue has shown that it is empty.
    fn farewell(&self) -> Option<Operation> {
        let waiting = |warp: &usize| self.window.iter().any(|operation| operation.warp == *warp);
        let warp = (0..self.shape.warps).find(|warp| self.warps.running(*warp).is_some() && !waiting(warp))?;
        let (named, target) = (Named::All, Target::Address(0));
        let parked = self.warps.running(warp).is_some_and(|state| state.parked());
        let code = if parked { Code::Withdraw } else { Code::Exit };
        Some(Operation { code, warp, kind: 1, named, target, again: false, wait: 0 })
    }

    fn can_begin(&self, operation: &Operation, place: usize) -> bool {
        if operation.code == Code::Reset {
            return place == 0;
        }
        match self.warps.slot(operation.warp) {
            Slot::Idle => self.launch.is_none(),
            Slot::Running(_) => !(self.settings.eager && self.warps.is_busy(operation.warp)),
            Slot::Launching | Slot::Ending(_) => false,
        }
    }

    fn begin(&mut self, operation: &Operation) {
        if operation.code == Code::Reset {
            self.resetting = true;
            return;
        }
        if let Some(warp) = self.warps.running(operation.warp) {
            self.request = choice::request(operation, warp, &self.shape);
            return;
        }
        // A warp that does not run is launched instead, now and then without a thread.
        let threads = match operation.named {
            Named::Mask(mask) => mask,
            Named::None if operation.again => 0,
            _ => u64::MAX,
        };
        let address = if let Target::Address(address) = operation.target { address } else { 0 };
        let resumes = (operation.code == Code::Deposit).then_some((address >> 2) as u16);
        let threads = threads & self.shape.all_threads();
        self.launch = Some(Launch { warp: operation.warp, threads, address, resumes });
        self.warps.offer_launch(operation.warp);
    }

    /// The block is reset: everything it held is gone.
    fn forget(&mut self) {
        self.launch = None;
        self.request = None;
        self.exception = None;
        self.resetting = false;
        self.sweeping = sweep(&self.shape);
        self.warps = Warps::new(&self.shape, self.settings.rules(&self.shape), &self.settings.around);
        self.seen = Totals::default();
        self.memory.forget_answers();
        self.handler.forget();
    }

    /// A warp halted or was stopped.
    fn endings(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        if pins.read(self.pins.done_valid) == 1 {
            self.warps.done(pins.read(self.pins.done_warp) as usize, counts)?;
        }
        let saved_warp = pins.read(self.pins.saved_warp) as usize;
        if pins.read(self.pins.saved_valid) == 1 {
            let kind = Kind::from_code(pins.read(self.pins.saved_kind) as u8)
                .ok_or_else(|| format!("CX-09: a token without a kind leaves warp {saved_warp}"))?;
            let (mask, address) = (pins.read(self.pins.saved_mask) as u64, pins.read(self.pins.saved_address) as u32);
            self.warps.leaves(saved_warp, Some(SavedToken { kind, mask, address, node: 0, above: 0 }), counts)?;
        }
        if pins.read(self.pins.saved_last) == 1 {
            self.warps.leaves(saved_warp, None, counts)?;
        }
        if pins.read(self.pins.error_valid) == 1 {
            let cause = match pins.read(self.pins.error_cause) {
                3 => Cause::Fatal,
                4 => Cause::LostThread,
                code => return Err(format!("DQ-26: a warp stopped by cause {code}")),
            };
            let warp = pins.read(self.pins.error_warp) as usize;
            self.warps.error(warp, cause, pins.read(self.pins.error_address) as u32, counts)?;
            if self.request.is_some_and(|request| request.warp == warp) {
                self.request = None;
            }
        }
        Ok(())
    }

    /// What the query port shows of a warp for which nothing is being done.
    fn query(&self, pins: &Frame) -> Result<(), String> {
        let warp = pins.read(self.pins.query_warp) as usize;
        let Some(state) = self.warps.running(warp).filter(|_| !self.warps.is_busy(warp)) else { return Ok(()) };
        let kind = pins.read(self.pins.query_kind) as usize;
        for (what, seen, known) in [
            ("DQ-22: the address", pins.read(self.pins.query_address), state.address.into()),
            ("DQ-24: the active threads", pins.read(self.pins.query_active), state.active.into()),
            ("DQ-30: the yield state", pins.read(self.pins.query_yields), state.yield_state.into()),
            ("DQ-24: the disabled threads", pins.read(self.pins.query_disabled), state.disabled[kind].into()),
        ] {
            // Kind 0 is no reason: nobody is disabled for it.
            if seen != known {
                return Err(format!("{what} of warp {warp}, kind {kind}: {seen:#x}, the model {known:#x}"));
            }
        }
        Ok(())
    }

    fn accepted(&mut self, pins: &Frame, idle: bool, counts: &mut Counts) -> Result<(), String> {
        if let Some(launch) = self.launch.filter(|_| pins.read(self.pins.launch_ready) == 1) {
            self.launch = None;
            self.progress += 1;
            counts.add(if launch.resumes.is_some() { "resume" } else { "launch" });
            self.warps.launch(&launch, self.cycle, self.sweeping);
        }
        let taken = pins.read(self.pins.request_ready) == 1;
        if let Some(warp) = self.vain.filter(|_| taken) {
            return Err(format!("DQ-40: the unit takes a request of warp {warp}, which does not run or is parked"));
        }
        let Some(request) = self.request.filter(|_| !self.early) else { return Ok(()) };
        if taken {
            self.request = None;
            self.progress += 1;
            return self.warps.execute(&request, self.cycle, self.sweeping, counts);
        }
        if idle && pins.read(self.pins.launch_valid) == 0 {
            return Err(format!("DQ-40: the unit is idle and does not take {request:?}"));
        }
        Ok(())
    }

    fn exceptions(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let was = self.exception.take();
        if pins.read(self.pins.exception_valid) == 0 {
            return Ok(());
        }
        let warp = pins.read(self.pins.exception_warp) as usize;
        let (cause, name) = match pins.read(self.pins.exception_cause) {
            0 => (Cause::Recenter, "recenter"),
            1 => (Cause::Spill, "spill"),
            2 => (Cause::Refill, "refill"),
            _ => (Cause::Fatal, "fatal exception"),
        };
        let software = self.settings.around.handler_software && cause != Cause::Fatal;
        if software {
            self.exception = Some((cause, warp));
            // Software sees the exception until it is done: that is one.
            if was == self.exception {
                return Ok(());
            }
            counts.add("software handler");
        }
        counts.add(name);
        if cause == Cause::Fatal {
            return self.fatal(pins, warp);
        }
        self.warps.exception(warp, cause)
    }

    /// A fatal exception is told as an error of its warp in the same cycle, which was judged there.
    fn fatal(&self, pins: &Frame, warp: usize) -> Result<(), String> {
        let error =
            (pins.read(self.pins.error_valid), pins.read(self.pins.error_cause), pins.read(self.pins.error_warp));
        if error != (1, 3, warp as u128) {
            return Err(format!("DQ-12: a fatal exception of warp {warp} without its error: {error:?}"));
        }
        Ok(())
    }

    /// The event strobes add up to what the model did.
    fn events(&mut self, pins: &Frame) -> Result<(), String> {
        let strobe = |pin| pins.read(pin) as u64;
        self.seen.pushed += strobe(self.pins.event_push);
        self.seen.popped += strobe(self.pins.event_pop);
        self.seen.diverged += strobe(self.pins.event_diverge);
        self.seen.yielded += strobe(self.pins.event_yield);
        self.seen.merged += strobe(self.pins.event_merge);
        self.seen.discarded += strobe(self.pins.event_discard);
        self.quiet = if self.warps.all_quiet() { self.quiet + 1 } else { 0 };
        match self.warps.totals {
            Some(known) if self.quiet >= QUIET && known != self.seen => {
                Err(format!("DQ-08: the events say {:?}, the model {known:?}", self.seen))
            }
            _ => Ok(()),
        }
    }

    fn drive_ports(&mut self, pins: &mut Frame) {
        let place = self.pins;
        let settings = &self.settings;
        pins.write(place.path_policy, settings.path_policy.into());
        pins.write(place.yield_policy, settings.yield_policy.into());
        pins.write(place.yield_parameter, settings.yield_parameter.into());
        pins.write(place.yield_seed, settings.yield_seed.into());
        pins.write(place.stack_mode, settings.stack_mode.into());
        pins.write(place.handler_software, settings.around.handler_software.into());
        pins.write(place.spill_base, settings.around.spill_base(&self.shape).into());
        pins.write(place.spill_limit, settings.around.spill_limit.into());
        pins.write(place.reset, self.resetting.into());
        pins.write(place.launch_valid, self.launch.is_some().into());
        if let Some(Launch { warp, threads, address, resumes }) = self.launch {
            pins.write(place.launch_warp, warp as u128);
            pins.write(place.launch_mask, threads.into());
            pins.write(place.launch_address, address.into());
            pins.write(place.launch_resumes, resumes.is_some().into());
            pins.write(place.launch_yields, resumes.unwrap_or(0).into());
        }
        pins.write(place.request_valid, (self.request.is_some() && !self.early || self.vain.is_some()).into());
        if let Some(warp) = self.vain {
            // All else stays as it was; but a warp that is parked may be woken, or taken away.
            pins.write(place.request_warp, warp as u128);
            if self.warps.running(warp).is_some() {
                pins.write(place.request_operation, UnitOperation::Step as u128);
            }
        }
        if let Some(request) = self.request {
            pins.write(place.request_warp, request.warp as u128);
            pins.write(place.request_operation, request.operation as u128);
            pins.write(place.request_kind, request.kind.map_or(0, |kind| kind.code()).into());
            pins.write(place.request_mask, request.mask.into());
            pins.write(place.request_target, request.target.into());
            // Both mean something of a leave alone.
            let any = request.operation != UnitOperation::Leave && request.target.count_ones() % 2 == 1;
            pins.write(place.request_targeted, (request.targeted || any).into());
            pins.write(place.request_again, (request.again || any).into());
        }
        // One warp a cycle is looked at, for one of its nine reasons: the one that issues, else all in turn.
        let turn = (self.cycle / 9) as usize % self.shape.warps;
        pins.write(place.query_warp, self.request.map_or(turn, |request| request.warp) as u128);
        pins.write(place.query_kind, u128::from(self.cycle % 9 + 1));
    }
}

impl Bench for Run {
    const IDLE: &'static [Idle] = &[
        Idle {
            strobes: &["launch_valid"],
            ports: &["launch_mask", "launch_address", "launch_resumes", "launch_yields"],
        },
        Idle {
            strobes: &["request_valid"],
            ports: &[
                "request_operation",
                "request_kind",
                "request_mask",
                "request_target",
                "request_targeted",
                "request_again",
            ],
        },
        Idle { strobes: &["memory_response_valid"], ports: &["memory_response_data"] },
        Idle { strobes: &["window_write"], ports: &["window_data"] },
        Idle {
            strobes: &["handler_pointer_write"],
            ports: &["handler_head", "handler_tail", "handler_spill_first", "handler_spill_end", "handler_spill_count"],
        },
    ];

    fn drive(&mut self, pins: &mut Frame) {
        self.dispatch();
        self.vain = self.refuses();
        self.drive_ports(pins);
        self.memory.drive(pins);
        self.handler.drive(pins);
    }

    fn shows_early(&self) -> bool {
        self.early
    }

    fn observe(&mut self, pins: &mut Frame, counts: &mut Counts) -> Result<(), String> {
        self.cycle += 1;
        if self.resetting {
            counts.add("reset");
            self.progress += 1;
            self.forget();
            return Ok(());
        }
        self.sweeping = self.sweeping.saturating_sub(1);
        let idle = self.warps.all_quiet();
        self.warps.check_running(pins.read(self.pins.warp_running))?;
        self.endings(pins, counts)?;
        self.warps.ready(pins.read(self.pins.warp_ready), self.cycle)?;
        self.query(pins)?;
        self.accepted(pins, idle, counts)?;
        self.exceptions(pins, counts)?;
        self.warps.deadlines(self.cycle)?;
        self.events(pins)?;
        self.memory.observe(pins);
        if self.settings.around.handler_software {
            self.handler.observe(pins, &mut self.memory).map_err(|unserved| format!("DQ-13: {unserved}"))?;
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        let offered = self.launch.is_some() || self.request.is_some() || self.resetting;
        let asked = self.operations.is_empty() && self.window.is_empty() && self.farewell().is_none();
        asked && !offered && self.quiet > QUIET
    }

    fn begun(&self) -> usize {
        self.begun
    }

    fn progress(&self) -> u64 {
        self.progress
    }
}

/// Cycles for which the queue clears its counts after a reset.
fn sweep(shape: &Shape) -> u64 {
    16 * shape.warps as u64 + 2
}
