//! The core with the lanes and memories around it, and the machine, both recorded in the same way.

use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use heddle_sim::assembler::{Kernel, Launch};
use heddle_sim::barrier::Statics;
use heddle_sim::cli::backends;
use heddle_sim::cli::registry::Backend;
use heddle_sim::engine::{Configuration, Fetch, Mask};
use heddle_sim::isa::{encode, Action, BarrierOpcode, ControlOpcode, Instruction, Reference, Source};
use heddle_sim::lanes::Lanes;
use heddle_sim::launch::{PrioritizedGrid, Shape};
use heddle_sim::machine::counters::Counters;
use heddle_sim::machine::{Machine, RunOptions, Trace, Verdict};
use heddle_sim::rtl::memory::{Memory, Timing};
use std::collections::{HashMap, VecDeque};
use std::io;

/// What is compared.
pub struct Run {
    /// Every instruction when it is first offered: cycle, warp, address, threads.
    pub issues: Vec<(u64, usize, Fetch)>,
    /// Everything that the core reports.
    pub counters: Counters,
    /// Memory at the end.
    pub global: Vec<u8>,
}

#[derive(Default)]
struct Issues(Vec<(u64, usize, Fetch)>);

impl Trace for Issues {
    fn issue(&mut self, cycle: u64, warp: usize, fetch: Fetch) -> io::Result<()> {
        self.0.push((cycle, warp, fetch));
        Ok(())
    }
    fn reasons(&mut self, _: u64, _: usize, _: &heddle_sim::machine::Reasons) -> io::Result<()> {
        Ok(())
    }
    fn tokens(&mut self, _: u64, _: usize, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn finish(&mut self, _: u64, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn close(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

fn rtl() -> Backend {
    *backends().all().iter().find(|backend| backend.name == "rtl").expect("it is linked")
}

/// What the core does not report, so that the rest can be compared.
fn comparable(mut counters: Counters, barriers: bool) -> Counters {
    let refused = counters.stalls.engine_refused;
    let moves = counters.stalls.barrier_moves;
    counters.stalls = Default::default();
    counters.stalls.engine_refused = refused;
    counters.stalls.barrier_moves = moves;
    if !barriers {
        counters.barriers = Default::default();
    }
    counters
}

/// The machine with its RTL blocks, on the launch's grid unless others are given; none if the kernel does not end there.
pub fn machine(
    kernel: &Kernel,
    launch: &Launch,
    configuration: Configuration,
    options: RunOptions,
    grids: &[PrioritizedGrid],
) -> Option<Run> {
    let mut issues = Issues::default();
    let engine = (rtl().build)(&configuration).expect("it is elaborated");
    let machine = Machine::new(kernel, launch, engine, options).expect("it fits");
    let machine = machine.with_distributor(launch, (rtl().distributor)(Shape::CORE).expect("it is elaborated"));
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler =
                (rtl().barriers)(options.barrier_size(launch), Statics::default()).expect("it is elaborated");
            machine.with_barriers(launch, scheduler).expect("it fits")
        }
        false => machine,
    };
    let machine = if grids.is_empty() { machine } else { machine.with_grids(grids.to_vec()) };
    let outcome = machine.traced(&mut issues).run(&|| false, &mut |_| {});
    if outcome.verdict != Verdict::Completed {
        return None;
    }
    Some(Run {
        issues: issues.0,
        counters: comparable(outcome.counters, kernel.uses_barriers()),
        global: outcome.global,
    })
}

/// The core.
pub struct Core<'a> {
    block: Box<dyn Simulation>,
    ports: HashMap<&'static str, usize>,
    kernel: &'a Kernel,
    launch: &'a Launch,
    lanes: Lanes,
    memory: Memory,
    words: VecDeque<(u64, u32)>,
    latency: u64,
    cycle: u64,
    run: Run,
    depths: Vec<u64>,
    refused: bool,
    asleep: u64,
}

impl<'a> Core<'a> {
    /// A core after reset, with the grid at its port.
    pub fn new(
        block: &str,
        point: &str,
        kernel: &'a Kernel,
        launch: &'a Launch,
        configuration: Configuration,
        options: RunOptions,
    ) -> Self {
        let block = (points::find(block, point).expect("the point is in the list").simulate)();
        let Configuration { warps, threads, .. } = configuration;
        let ports = block.ports().iter().enumerate().map(|(index, port)| (port.name, index)).collect();
        let memory = Memory::new(block.ports(), Timing::steady(configuration.memory_latency));
        let run = Run { issues: Vec::new(), counters: Counters::new(warps), global: Vec::new() };
        let mut core = Self {
            block,
            ports,
            kernel,
            launch,
            lanes: Lanes::new(launch, warps, threads),
            memory,
            words: VecDeque::new(),
            latency: u64::from(configuration.memory_latency).max(1),
            cycle: 0,
            run,
            depths: vec![0; warps],
            refused: false,
            asleep: 0,
        };
        for (port, value) in [
            ("warp_enable", (1 << warps) - 1),
            ("greedy", options.scheduler as u128),
            ("block_threads", launch.block_threads().into()),
            ("path_policy", configuration.path_policy as u128),
            ("yield_policy", configuration.yield_policy as u128),
            ("yield_parameter", configuration.yield_parameter.into()),
            ("yield_seed", configuration.yield_seed.into()),
            ("stack_mode", configuration.stack_mode.into()),
            ("barriers_enable", kernel.uses_barriers().into()),
            ("class_conflicts", Statics::default().class_conflicts.into()),
            ("exchange_interval", 8),
            ("spill_limit", configuration.spill_limit.into()),
            ("reset", 1),
        ] {
            core.set(port, value);
        }
        core.block.tick();
        core.set("reset", 0);
        core
    }

    fn set(&mut self, port: &str, value: u128) {
        self.block.set(self.ports[port], value);
    }

    fn get(&mut self, port: &str) -> u128 {
        self.block.get(self.ports[port])
    }

    fn flag(&mut self, port: &str) -> bool {
        self.get(port) == 1
    }

    fn number(&mut self, port: &str) -> usize {
        self.get(port) as usize
    }

    /// Runs the launch's grid to the end.
    pub fn run(mut self, max_cycles: u64) -> Run {
        self.offer_own();
        self.run_grids(max_cycles, &[])
    }

    /// Runs these grids to the end.
    pub fn run_queued(mut self, max_cycles: u64, grids: &[PrioritizedGrid]) -> Run {
        let [first, rest @ ..] = grids else { panic!("no grid") };
        self.offer(first);
        self.run_grids(max_cycles, rest)
    }

    fn offer(&mut self, PrioritizedGrid { grid, priority }: &PrioritizedGrid) {
        for (port, value) in [
            ("grid_valid", 1),
            ("grid_number", grid.grid.into()),
            ("grid_priority", (*priority).into()),
            ("grid_x", grid.range[0].into()),
            ("grid_y", grid.range[1].into()),
            ("grid_z", grid.range[2].into()),
            ("grid_predicated", grid.table.is_some().into()),
            ("grid_table", grid.table.unwrap_or(0).into()),
        ] {
            self.set(port, value);
        }
    }

    fn offer_own(&mut self) {
        self.set("grid_valid", 1);
        for (port, value) in ["grid_x", "grid_y", "grid_z"].into_iter().zip(self.launch.grid) {
            self.set(port, value.into());
        }
        if let Some(table) = self.launch.predicate {
            self.set("grid_predicated", 1);
            self.set("grid_table", u128::from(table / 8));
        }
    }

    /// Runs the grid at the port and then these to the end.
    fn run_grids(mut self, max_cycles: u64, grids: &[PrioritizedGrid]) -> Run {
        let (mut left, mut grids) = (1 + grids.len(), grids.iter());
        loop {
            self.answers();
            if left == 0 && self.get("slot_taken") == 0 {
                break;
            }
            assert!(self.cycle < max_cycles, "{} does not end", self.kernel.name);
            let offered = self.flag("grid_ready");
            left -= usize::from(self.step());
            if let Some(grid) = offered.then(|| grids.next()).flatten() {
                self.offer(grid);
            }
        }
        self.run.counters.cycles = self.cycle;
        self.run.global = self.lanes.global().to_vec();
        self.run
    }

    /// A cycle; true if it is the one in which the grid was taken as a whole.
    fn step(&mut self) -> bool {
        self.memory.drive(&mut self.block);
        if self.flag("launch_valid") {
            let [warp, place] = ["launch_warp", "launch_place"].map(|port| self.number(port));
            let [x, y, z] = ["launch_x", "launch_y", "launch_z"].map(|port| self.get(port) as u32);
            let block = (z * self.launch.grid[1] + y) * self.launch.grid[0] + x;
            let threads = self.lanes.bind(warp, block, place as u32);
            assert_eq!(self.get("launch_threads") as Mask, threads);
            self.depths[warp] = 0;
            self.run.counters.warps_launched += 1;
            let resident = u64::from(self.get("slot_taken").count_ones());
            let most = &mut self.run.counters.blocks_at_once;
            *most = (*most).max(resident);
        }
        self.instruction();
        self.barriers();
        self.table();
        let done = self.flag("grid_done");
        if self.flag("block_valid") {
            self.run.counters.blocks_launched += 1;
        }
        self.engine_events();
        let finished = self.flag("finish_valid").then(|| (self.number("finish_warp"), self.flag("finish_last")));
        self.memory.observe(&mut self.block);
        let requested = self.flag("grid_ready");
        self.block.tick();
        if requested {
            self.set("grid_valid", 0);
        }
        if let Some((warp, last)) = finished {
            self.lanes.release(warp);
            self.run.counters.warps_done += 1;
            self.run.counters.blocks_done += u64::from(last);
        }
        self.cycle += 1;
        done
    }

    /// What the barrier scheduler has answered, in the cycle behind the acceptance.
    fn answers(&mut self) {
        assert!(!self.flag("barrier_error"), "{}: a barrier fault", self.kernel.name);
        let events = ["event_dynamic", "event_released", "event_timeout"].map(|port| self.get(port) as u64);
        let landed = self.flag("answer_valid");
        let [sleep, skip, wait] = ["answer_sleep", "answer_skip", "answer_wait"].map(|port| self.get(port));
        let counts = &mut self.run.counters.barriers;
        counts.dynamic += events[0];
        counts.released += events[1];
        counts.timeouts += events[2];
        if landed {
            counts.slept += u64::from(sleep.count_ones());
            counts.skipped += u64::from(skip.count_ones());
            counts.waits += u64::from(wait != 0);
            self.asleep += u64::from(sleep.count_ones());
        }
    }

    /// What the barrier scheduler is asked, and whom it wakes.
    fn barriers(&mut self) {
        let woken = self.flag("barrier_wake_valid").then(|| u64::from(self.get("barrier_wake_mask").count_ones()));
        let inside = self.get("barrier_wake_inside") as u64;
        let refused = self.flag("barrier_request_valid") && !self.flag("barrier_request_ready");
        let counts = &mut self.run.counters.barriers;
        if let Some(woken) = woken {
            counts.woken += woken;
            counts.sections += inside;
            self.asleep -= woken;
        }
        counts.thread_cycles_asleep += self.asleep;
        counts.refused_cycles += u64::from(refused);
    }

    /// Fetch, the lanes' answers, and what they do.
    fn instruction(&mut self) {
        let fetch = self.flag("fetch_valid");
        let address = self.number("fetch_address");
        let instruction = self.kernel.instructions.get(address).copied();
        let word = instruction.as_ref().map_or(0, encode);
        self.set("fetch_hit", 1);
        self.set("fetch_word", word.into());
        let (warp, active) = (self.number("lane_warp"), self.get("lane_active") as Mask);
        if let (true, Some(instruction)) = (fetch, instruction) {
            self.answer(&instruction, warp, active, address as u32);
            if !self.refused {
                self.run.issues.push((self.cycle, warp, Fetch { address: address as u32, active }));
            }
        }
        self.refused = false;
        if self.flag("offer_valid") {
            let instructs = self.get("offer_origin") == 0;
            if !self.flag("offer_ready") {
                self.run.counters.stalls.engine_refused += 1;
                self.refused = instructs;
            } else if !instructs {
                self.run.counters.stalls.barrier_moves += 1;
            }
        }
        let (issues, presents) = (self.flag("lane_issue"), self.flag("lane_present"));
        assert!(!self.flag("lane_illegal"));
        self.run.counters.barriers.presented += u64::from(presents);
        if let (true, Some(instruction)) = (issues || presents, instruction) {
            self.run.counters.instructions.count(instruction.class());
            self.run.counters.active_lanes += u64::from(active.count_ones());
            if issues {
                let result = self.lanes.execute(&instruction, warp, active, address as u32);
                result.unwrap_or_else(|fault| panic!("{}: {fault}", self.kernel.name));
            }
        }
    }

    fn answer(&mut self, instruction: &Instruction, warp: usize, active: Mask, address: u32) {
        let named = self.lanes.holding(instruction.guard, warp, active);
        self.set("lane_named", named.into());
        if let Action::Control(opcode) = instruction.action {
            use ControlOpcode::{Brx, Jmx, Longjmp, Ret};
            if matches!(opcode, Brx | Jmx) || matches!(opcode, Ret | Longjmp) && instruction.optional {
                let request = self.lanes.request(instruction, warp, active, address).expect("a target");
                self.set("lane_agreeing", request.mask.into());
                self.set("lane_target", request.target.into());
            }
        }
        let Action::Barrier(opcode) = instruction.action else { return };
        let second = |lanes: &Lanes, thread| match instruction.b {
            Source::Immediate(value) => value,
            Source::Register(register) => lanes.register(warp, thread, register),
        };
        let parity_of = |lanes: &Lanes, thread| match opcode {
            BarrierOpcode::Wait => second(lanes, thread) & 1 == 1,
            _ => lanes.register(warp, thread, instruction.a) & 1 == 1,
        };
        let threads = || (0..64).filter(|thread| named >> thread & 1 == 1);
        let odd =
            threads().filter(|thread| parity_of(&self.lanes, *thread)).fold(0, |mask, thread| mask | 1_u64 << thread);
        let sum = |mask: u64| -> u32 {
            let counted = matches!(opcode, BarrierOpcode::Expect | BarrierOpcode::Complete);
            threads()
                .filter(|thread| counted && mask >> thread & 1 == 1)
                .map(|thread| second(&self.lanes, thread))
                .sum()
        };
        let (even_sum, odd_sum) = (sum(!odd), sum(odd));
        let reference = match (opcode, threads().next()) {
            (BarrierOpcode::Configure, Some(first)) => match instruction.configuration().reference {
                Reference::Register(register) => self.lanes.register(warp, first, register),
                _ => 0,
            },
            _ => 0,
        };
        self.set("lane_parity", odd.into());
        self.set("lane_even", even_sum.into());
        self.set("lane_odd", odd_sum.into());
        self.set("lane_reference", reference.into());
    }

    /// The table of flags in global memory.
    fn table(&mut self) {
        let due = self.words.front().filter(|(due, _)| *due <= self.cycle).map(|(_, address)| *address as usize * 8);
        let word = due.map(|start| {
            let bytes = self.lanes.global().get(start..start + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        });
        self.set("table_request_ready", 1);
        self.set("table_response_valid", word.is_some().into());
        self.set("table_response_data", word.unwrap_or(0).into());
        if word.is_some() && self.flag("table_response_ready") {
            self.words.pop_front();
        }
        if self.flag("table_request_valid") {
            let address = self.get("table_request_address") as u32;
            self.words.push_back((self.cycle + self.latency, address));
            self.run.counters.table_words += 1;
        }
    }

    fn engine_events(&mut self) {
        assert!(!self.flag("error_valid"), "{}: an engine fault", self.kernel.name);
        let warp = self.number("event_push_warp");
        if self.flag("event_push") {
            self.run.counters.tokens_pushed += 1;
            self.depths[warp] += 1;
            let peak = &mut self.run.counters.token_high_water[warp];
            *peak = (*peak).max(self.depths[warp]);
        }
        let nodes = self.get("event_nodes") as u64;
        if nodes > 0 {
            let peak = &mut self.run.counters.node_high_water[warp];
            *peak = (*peak).max(nodes);
        }
        if self.flag("event_pop") {
            let warp = self.number("event_pop_warp");
            self.run.counters.tokens_popped += 1;
            self.depths[warp] = self.depths[warp].saturating_sub(1);
        }
        if self.flag("exception_valid") {
            let cause = self.get("exception_cause");
            let exceptions = &mut self.run.counters.exceptions;
            match cause {
                0 => exceptions.recenter += 1,
                1 => exceptions.spill += 1,
                2 => exceptions.refill += 1,
                _ => exceptions.fatal += 1,
            }
        }
        let counted =
            ["event_diverge", "event_yield", "event_merge", "event_discard"].map(|port| self.get(port) as u64);
        let counters = &mut self.run.counters;
        counters.diverged += counted[0];
        counters.yielded += counted[1];
        counters.merged += counted[2];
        counters.discarded += counted[3];
    }
}
