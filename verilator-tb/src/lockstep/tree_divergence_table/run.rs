//! An episode of `tree_divergence_table` under way.

use super::choice;
use super::warps::{Busy, Warps};
use crate::lockstep::bench::{Bench, Counts, Shape, Stimulus};
use crate::lockstep::divergence_unit::stimulus::{Code, Named, Operation, Target};
use crate::lockstep::idle::{Idle, EARLY};
use crate::lockstep::tree_watch::{Settings, Totals, TreePins};
use heddle_hdl::divergence::token::{Cause, Kind};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::engine::{Fetch, Request, SavedToken};
use heddle_sim::rtl::memory::Memory;
use std::collections::VecDeque;

/// How many operations ahead an eager episode looks for one whose warp is not being worked for.
const WINDOW: usize = 8;

heddle_hdl::pins! {
    /// The pins that the bench itself drives and reads.
    struct Pins {
        launch_valid, launch_ready, launch_warp, launch_mask, launch_address, request_ready, request_warp,
        query_warp, query_kind, query_address, query_active, query_disabled, warp_ready, warp_running,
        done_valid, done_warp, error_valid, error_cause, error_warp, error_address,
        exception_warp, event_push, event_push_warp, event_pop, event_pop_warp, event_merge, event_nodes,
        saved_valid, saved_last, saved_warp, saved_kind, saved_mask, saved_address, saved_node, saved_above,
    }
}

/// See the module's page.
pub struct Run {
    shape: Shape,
    settings: Settings,
    pins: Pins,
    tree: TreePins,
    operations: VecDeque<Operation>,
    window: VecDeque<Operation>,
    begun: usize,
    idle: u8,
    launch: Option<(usize, u64, u32)>,
    request: Option<Request>,
    /// What is to be asked stands on the port, but is not asked before the next cycle.
    early: bool,
    /// The warp whose selected leaf has to be seen before its next request can be made.
    wanted: Option<usize>,
    resetting: bool,
    warps: Warps,
    seen: Totals,
    memory: Memory,
    cycle: u64,
    accepted_at: u64,
    progress: u64,
}

impl Run {
    /// Starts an episode on a block that was just reset.
    pub fn new(shape: &Shape, ports: &[Port], stimulus: &Stimulus<Settings, Operation>) -> Self {
        let settings = stimulus.settings.clone();
        Self {
            pins: Pins::of(ports),
            tree: TreePins::of(ports),
            operations: stimulus.operations.iter().copied().collect(),
            window: VecDeque::new(),
            begun: 0,
            idle: 0,
            launch: None,
            request: None,
            early: false,
            wanted: None,
            resetting: false,
            warps: Warps::new(shape, &settings),
            seen: Totals::default(),
            memory: settings.around.memory(ports),
            cycle: 0,
            accepted_at: 0,
            progress: 0,
            shape: *shape,
            settings,
        }
    }

    /// Chooses what goes on the request port, or on the launch port, next.
    fn dispatch(&mut self) {
        self.early = false;
        if self.request.is_some() || self.launch.is_some() || self.resetting {
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
        let reach = reach.min(fence + 1);
        self.wanted = self.window.iter().take(reach).find(|operation| self.must_look(operation)).map(|head| head.warp);
        let place = (0..reach).find(|place| self.can_begin(&self.window[*place], *place));
        let Some(operation) = place.and_then(|place| self.window.remove(place)) else { return };
        self.idle = 0;
        self.begun += 1;
        self.begin(&operation);
        self.early = self.request.is_some() && self.cycle.is_multiple_of(EARLY);
    }

    /// The request that is asked for in this cycle.
    fn offered(&self) -> Option<Request> {
        self.request.filter(|_| !self.early)
    }

    /// When the stimulus is over every running warp exits, leaf by leaf; sleepers are woken for it.
    fn farewell(&self) -> Option<Operation> {
        let warp = self.warps.a_running_one().filter(|_| self.window.is_empty())?;
        let (named, target) = (Named::All, Target::Address(0));
        Some(Operation { code: Code::Exit, warp, kind: 1, named, target, again: false, wait: 0 })
    }

    fn must_look(&self, operation: &Operation) -> bool {
        // A parked warp has no leaf to look at; it is woken.
        let runs = operation.code != Code::Reset && self.warps.may_issue(operation.warp);
        runs && choice::needs_leaf(operation) && !self.warps.knows_leaf(operation.warp)
    }

    fn can_begin(&self, operation: &Operation, place: usize) -> bool {
        if operation.code == Code::Reset {
            return place == 0;
        }
        if self.warps.tree(operation.warp).is_none() {
            return self.warps.is_idle(operation.warp);
        }
        // Of a parked warp nobody sees when the table is done with it: its wake just waits.
        let works = match self.warps.busy {
            Busy::Until(warp, _) | Busy::Open(warp) => warp == operation.warp && self.warps.may_issue(warp),
            Busy::Free => false,
        };
        !(self.must_look(operation) || self.settings.eager && works)
    }

    fn begin(&mut self, operation: &Operation) {
        if operation.code == Code::Reset {
            self.resetting = true;
            return;
        }
        if let Some(tree) = self.warps.tree(operation.warp) {
            self.request = choice::request(operation, tree, self.warps.is_leaving(operation.warp), &self.shape);
            return;
        }
        // A warp that does not run is launched instead, now and then without a thread.
        let threads = match operation.named {
            Named::Mask(mask) => mask,
            Named::None if operation.again => 0,
            _ => u64::MAX,
        };
        let address = if let Target::Address(address) = operation.target { address } else { 0 };
        self.launch = Some((operation.warp, threads & self.shape.all_threads(), address));
        self.warps.offer_launch(operation.warp);
    }

    /// The block is reset: everything it held is gone.
    fn forget(&mut self) {
        self.launch = None;
        self.request = None;
        self.resetting = false;
        self.warps = Warps::new(&self.shape, &self.settings);
        self.seen = Totals::default();
        self.memory.forget_answers();
    }

    /// A warp halted or was stopped.
    fn endings(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        if pins.read(self.pins.done_valid) == 1 {
            self.progress += 1;
            self.warps.done(pins.read(self.pins.done_warp) as usize, self.cycle, counts)?;
            // A warp that halts takes the nodes above its last leaf with it; they are not told one by one.
            let Totals { closed, discarded, .. } = self.warps.totals;
            if self.seen.closed > closed || self.seen.discarded > discarded {
                return Err(format!("TD-05: the events say {:?}, the model {:?}", self.seen, self.warps.totals));
            }
            self.seen = Totals { closed, discarded, ..self.seen };
        }
        if pins.read(self.pins.saved_last) == 1 {
            self.progress += 1;
            self.warps.left(pins.read(self.pins.saved_warp) as usize, self.cycle, counts)?;
        }
        if pins.read(self.pins.error_valid) == 1 {
            let cause = match pins.read(self.pins.error_cause) {
                3 => Cause::Fatal,
                4 => Cause::LostThread,
                code => return Err(format!("DQ-26: a warp stopped by cause {code}")),
            };
            let warp = pins.read(self.pins.error_warp) as usize;
            let address = pins.read(self.pins.error_address) as u32;
            self.progress += 1;
            self.warps.error(warp, cause, address, self.offered().as_ref(), self.cycle, counts)?;
            if self.request.is_some_and(|request| request.warp == warp) {
                self.request = None;
            }
        }
        Ok(())
    }

    /// A node or a leaf leaves for a saved context.
    fn saved(&mut self, pins: &Frame) -> Result<(), String> {
        if pins.read(self.pins.saved_valid) == 0 {
            return Ok(());
        }
        let warp = pins.read(self.pins.saved_warp) as usize;
        let kind = Kind::from_code(pins.read(self.pins.saved_kind) as u8)
            .ok_or_else(|| format!("CX-09: a node without a kind leaves warp {warp}"))?;
        let (mask, address) = (pins.read(self.pins.saved_mask) as u64, pins.read(self.pins.saved_address) as u32);
        let (node, above) = (pins.read(self.pins.saved_node) as u16, pins.read(self.pins.saved_above) as u16);
        self.warps.leaves(warp, SavedToken { kind, mask, address, node, above })
    }

    /// What the query port shows of a warp for which nothing is being done.
    fn query(&mut self, pins: &Frame) -> Result<(), String> {
        let warp = pins.read(self.pins.query_warp) as usize;
        let works = match self.warps.busy {
            Busy::Until(other, _) | Busy::Open(other) => other == warp,
            Busy::Free => false,
        };
        let Some(kind) = Kind::from_code(pins.read(self.pins.query_kind) as u8).filter(|_| !works) else {
            return Ok(());
        };
        let active = pins.read(self.pins.query_active) as u64;
        let address = pins.read(self.pins.query_address) as u32;
        self.warps.query(warp, Fetch { address, active }, kind, pins.read(self.pins.query_disabled) as u64)
    }

    fn accepted(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let launch_ready = pins.read(self.pins.launch_ready) == 1;
        if let Some((warp, threads, address)) = self.launch {
            if launch_ready {
                if let Busy::Until(..) = self.warps.busy {
                    return Err(format!("TD-11: a launch was taken while the table is {:?}", self.warps.busy));
                }
                self.launch = None;
                self.progress += 1;
                counts.add("launch");
                self.warps.launch(warp, threads, address, self.cycle);
            } else if self.warps.busy == Busy::Free {
                return Err(format!("TD-08: the table is free and does not take the launch of warp {warp}"));
            }
        }
        let Some(request) = self.offered() else { return Ok(()) };
        if pins.read(self.pins.request_ready) == 0 {
            return self.warps.refused(&request);
        }
        self.request = None;
        self.progress += 1;
        if self.accepted_at + 1 == self.cycle {
            counts.add("one instruction after the other");
        }
        self.accepted_at = self.cycle;
        self.warps.execute(&request, self.cycle, counts)
    }

    /// A leaf or a node moved between table and memory. `offered` was on the port in this cycle.
    fn exceptions(&mut self, pins: &Frame, offered: Option<Request>, counts: &mut Counts) -> Result<(), String> {
        self.tree.memory(pins, counts);
        let Some(cause) = self.tree.exception(pins)? else { return Ok(()) };
        let pending = offered.filter(|_| self.request.is_some());
        self.warps.exception(pins.read(self.pins.exception_warp) as usize, cause, pending.as_ref(), counts)
    }

    /// The event strobes add up to what the model did, whenever the table is free.
    fn events(&mut self, pins: &Frame, was_free: bool, counts: &mut Counts) -> Result<(), String> {
        let strobe = |pin| pins.read(pin) as u64;
        self.tree.add_to(pins, &mut self.seen);
        if strobe(self.pins.event_merge) == 1 {
            counts.add("merge");
        }
        for (event, warp) in
            [(self.pins.event_push, self.pins.event_push_warp), (self.pins.event_pop, self.pins.event_pop_warp)]
        {
            if strobe(event) == 1 && self.warps.is_idle(pins.read(warp) as usize) {
                return Err("TD-05: a node of a warp that does not run was opened or closed".into());
            }
        }
        let settled = was_free && self.accepted_at != self.cycle;
        if settled && self.seen != self.warps.totals {
            return Err(format!("TD-05: the events say {:?}, the model {:?}", self.seen, self.warps.totals));
        }
        Ok(())
    }

    fn drive_ports(&mut self, pins: &mut Frame) {
        let place = self.pins;
        self.tree.configure(pins, &self.settings, &self.shape, self.resetting);
        pins.write(place.launch_valid, self.launch.is_some().into());
        if let Some((warp, threads, address)) = self.launch {
            pins.write(place.launch_warp, warp as u128);
            pins.write(place.launch_mask, threads.into());
            pins.write(place.launch_address, address.into());
        }
        self.tree.offer(pins, self.request.as_ref(), self.early);
        if let Some(request) = self.request {
            pins.write(place.request_warp, request.warp as u128);
        }
        // One warp a cycle is looked at, for one of its reasons: the one that issues or is to, else all in turn.
        let kinds = Kind::ALL.len() as u64;
        let turn = (self.cycle / kinds) as usize % self.shape.warps;
        let warp = self.request.map(|request| request.warp).or(self.wanted).unwrap_or(turn);
        pins.write(place.query_warp, warp as u128);
        pins.write(place.query_kind, u128::from(Kind::ALL[(self.cycle % kinds) as usize].code()));
    }
}

impl Bench for Run {
    const IDLE: &'static [Idle] = &[
        Idle { strobes: &["launch_valid"], ports: &["launch_mask", "launch_address"] },
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
    ];

    fn drive(&mut self, pins: &mut Frame) {
        self.dispatch();
        self.drive_ports(pins);
        self.memory.drive(pins);
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
        let takes = pins.read(self.pins.request_ready) == 1 || pins.read(self.pins.launch_ready) == 1;
        self.warps.check_running(pins.read(self.pins.warp_running), self.cycle)?;
        self.warps.ready(pins.read(self.pins.warp_ready), takes, self.cycle)?;
        let was_free = self.warps.busy == Busy::Free;
        let offered = self.offered();
        self.query(pins)?;
        if was_free {
            let warp = pins.read(self.pins.event_push_warp) as usize;
            self.warps.nodes(warp, pins.read(self.pins.event_nodes) as u64)?;
        }
        self.accepted(pins, counts)?;
        self.saved(pins)?;
        self.exceptions(pins, offered, counts)?;
        self.endings(pins, counts)?;
        self.events(pins, was_free, counts)?;
        self.memory.observe(pins);
        Ok(())
    }

    fn finished(&self) -> bool {
        let offered = self.launch.is_some() || self.request.is_some() || self.resetting;
        self.operations.is_empty() && self.window.is_empty() && !offered && self.warps.all_idle()
    }

    fn begun(&self) -> usize {
        self.begun
    }

    fn progress(&self) -> u64 {
        self.progress
    }
}
