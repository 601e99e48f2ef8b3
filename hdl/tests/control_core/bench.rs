//! A control core with a program and lanes that know predicates and addresses, and a record of everything at its ports.

use heddle_hdl::isa::{ControlOpcode, ADDRESS, GUARD, OPCODE, OPTIONAL_FLAG};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;

/// Every thread of a warp of 32.
pub const ALL: u128 = 0xffff_ffff;
/// A core with each engine.
pub const ENGINES: [(&str, &str); 2] = [("control_core", "4x32x16"), ("control_core_tree", "4x32x64")];

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Word(u64);

impl Word {
    /// An opcode, in all threads.
    pub fn code(code: u8) -> Self {
        Word(OPCODE.place(code.into()) | GUARD.place(7))
    }

    /// An instruction without control flow.
    pub fn data() -> Self {
        Self::code(0x40)
    }

    /// A control instruction without operands.
    pub fn control(opcode: ControlOpcode) -> Self {
        Self::code(opcode.code())
    }

    /// A control instruction with an address.
    pub fn address(opcode: ControlOpcode, address: u64) -> Self {
        Word(Self::control(opcode).0 | ADDRESS.place(address))
    }

    /// A branch.
    pub fn branch(address: u64) -> Self {
        Self::address(ControlOpcode::Bra, address)
    }

    /// With its optional operand.
    pub fn optional(self) -> Self {
        Word(self.0 | OPTIONAL_FLAG.place(1))
    }

    /// In the threads of a predicate.
    pub fn guarded(self, predicate: u64) -> Self {
        Word(self.0 & !GUARD.place(7) | GUARD.place(predicate))
    }
}

/// A launch, as the core reports it.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub cycle: u64,
    pub warp: u128,
    pub slot: u128,
    pub place: u128,
    pub threads: u128,
}

/// What the engine was offered.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub cycle: u64,
    pub warp: u128,
    pub operation: u128,
    pub kind: u128,
    pub mask: u128,
    pub target: u128,
    pub targeted: u128,
    pub again: u128,
    pub accepted: bool,
}

/// See the module's page.
pub struct Bench {
    block: Box<dyn Simulation>,
    program: Vec<Word>,
    /// Threads in which each predicate holds.
    pub predicates: [u128; 7],
    /// Where each thread's register points.
    pub targets: Vec<u128>,
    /// Warps that wait for data.
    pub busy: u128,
    /// Warps whose instructions are missing.
    pub misses: u128,
    /// Warps whose instruction comes in the next cycle.
    pub filled: u128,
    /// Cycles since the grid was offered.
    pub cycle: u64,
    /// The first cycle in which the engine takes a launch.
    pub swept: u64,
    /// Blocks that were taken.
    pub blocks: Vec<(u64, [u128; 3])>,
    /// Warps that were launched.
    pub launches: Vec<Launch>,
    /// Instructions that were accepted: cycle, warp, address, threads.
    pub issues: Vec<(u64, u128, u128, u128)>,
    /// Everything that was offered.
    pub offers: Vec<Offer>,
    /// Warps that ended: warp, slot, whether the last.
    pub finishes: Vec<(u64, (u128, u128, bool))>,
    /// Instructions that were missing.
    pub missed: u32,
    /// Cycles in which a barrier form could not be executed.
    pub illegal: u32,
}

impl Bench {
    /// A core after reset.
    pub fn new((block, point): (&str, &str), program: &[Word]) -> Self {
        let mut bench = Bench {
            block: (points::find(block, point).expect("the point is in the list").simulate)(),
            program: program.to_vec(),
            predicates: [0; 7],
            targets: vec![0; 32],
            busy: 0,
            misses: 0,
            filled: 0,
            cycle: 0,
            swept: if block == "control_core" { 64 } else { 0 },
            blocks: Vec::new(),
            launches: Vec::new(),
            issues: Vec::new(),
            offers: Vec::new(),
            finishes: Vec::new(),
            missed: 0,
            illegal: 0,
        };
        bench.set("warp_enable", 0xf);
        bench.set("spill_limit", 100);
        bench.set("memory_request_ready", 1);
        bench.set("reset", 1);
        bench.block.tick();
        bench.set("reset", 0);
        bench
    }

    /// Drives an input.
    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    /// Reads a port, settled.
    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    fn read<const N: usize>(&mut self, ports: [&str; N]) -> [u128; N] {
        ports.map(|port| self.get(port))
    }

    /// Offers a grid of blocks of so many threads, which is taken in the next cycle.
    pub fn grid(&mut self, [x, y, z]: [u128; 3], threads: u128) {
        for (port, value) in
            [("grid_valid", 1), ("grid_x", x), ("grid_y", y), ("grid_z", z), ("block_threads", threads)]
        {
            self.set(port, value);
        }
        self.cycle();
        self.set("grid_valid", 0);
    }

    /// What an observer sees of a warp: address, active threads, threads disabled for a reason. Takes no time.
    pub fn observe(&mut self, warp: u128, kind: u128) -> (u128, u128, u128) {
        self.set("observe_warp", warp);
        self.set("observe_kind", kind);
        self.set("observe_valid", 1);
        let [address, active, disabled] = self.read(["observe_address", "observe_active", "observe_disabled"]);
        self.set("observe_valid", 0);
        (address, active, disabled)
    }

    /// So many cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    fn cycle(&mut self) {
        self.set("lane_busy", self.busy);
        let filled = std::mem::take(&mut self.filled);
        self.set("fetch_filled", filled);
        let [valid, warp, address] = self.read(["fetch_valid", "fetch_warp", "fetch_address"]);
        let hit = self.misses >> warp & 1 == 0;
        let word = self.program.get(address as usize).copied().unwrap_or(Word::data());
        self.set("fetch_word", word.0.into());
        self.set("fetch_hit", hit.into());
        self.missed += u32::from(valid == 1 && !hit);
        self.answer(word);
        self.record();
        self.block.tick();
        self.cycle += 1;
    }

    /// The lanes' answers to an instruction.
    fn answer(&mut self, word: Word) {
        let active = self.get("lane_active");
        let named = match GUARD.of(word.0) {
            7 => active,
            predicate => active & self.predicates[predicate as usize],
        };
        let target = if named == 0 { 0 } else { self.targets[named.trailing_zeros() as usize] };
        let agreeing =
            (0..32).filter(|thread| self.targets[*thread] == target).fold(0, |mask, thread| mask | 1 << thread);
        self.set("lane_named", named);
        self.set("lane_agreeing", named & agreeing);
        self.set("lane_target", target);
    }

    fn record(&mut self) {
        let cycle = self.cycle;
        let [valid, warp, slot, place, threads] =
            self.read(["launch_valid", "launch_warp", "launch_slot", "launch_place", "launch_threads"]);
        if valid == 1 {
            self.launches.push(Launch { cycle, warp, slot, place, threads });
        }
        let [valid, x, y, z] = self.read(["block_valid", "block_x", "block_y", "block_z"]);
        if valid == 1 {
            self.blocks.push((cycle, [x, y, z]));
        }
        let [valid, warp, slot, last] = self.read(["finish_valid", "finish_warp", "finish_slot", "finish_last"]);
        if valid == 1 {
            self.finishes.push((cycle, (warp, slot, last == 1)));
        }
        let [issue, warp, address, active, illegal] =
            self.read(["lane_issue", "lane_warp", "lane_address", "lane_active", "lane_illegal"]);
        if issue == 1 {
            self.issues.push((cycle, warp, address, active));
        }
        self.illegal += illegal as u32;
        let [valid, ready, warp, operation, kind, mask] =
            self.read(["offer_valid", "offer_ready", "offer_warp", "offer_operation", "offer_kind", "offer_mask"]);
        let [target, targeted, again] = self.read(["offer_target", "offer_targeted", "offer_again"]);
        if valid == 1 {
            let accepted = ready == 1;
            self.offers.push(Offer { cycle, warp, operation, kind, mask, target, targeted, again, accepted });
        }
    }
}
