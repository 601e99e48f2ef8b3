//! The grids of a launch, usually one, on their way through the work distributor to the core (SM-03, WD-01).
//!
//! One request for the whole of each grid; then, each cycle, words of the predicate table from global memory as they are asked for, and blocks for as
//! long as the core has room for a set of them.

use std::collections::VecDeque;

use crate::assembler::Launch;
use crate::launch::{Grid, Inputs, PrioritizedGrid, Shape, WorkDistributor, WORD_FLAGS};

/// What the distributor calls the grid of a launch.
const NAME: u8 = 0;

/// The request for the whole grid of a launch.
pub fn whole_grid(launch: &Launch) -> Grid {
    Grid {
        program: 0,
        grid: NAME,
        table: launch.predicate.map(|address| address / (WORD_FLAGS / 8)),
        // The launch keeps sizes within 16 bits.
        range: launch.grid.map(|size| size as u16),
        cluster: None,
        head: false,
    }
}

/// The number of a block in a grid of these sizes.
pub const fn block_number(grid: [u32; 3], [x, y, z]: [u16; 3]) -> u32 {
    (z as u32 * grid[1] + y as u32) * grid[0] + x as u32
}

/// The predicate table in global memory, as the distributor reads it: in order, each word after the same number of cycles.
#[derive(Clone, Debug)]
pub struct TableMemory {
    latency: u64,
    /// Words that were asked for: from which cycle on they can be given, and their addresses.
    asked: VecDeque<(u64, u32)>,
    words: u64,
}

impl TableMemory {
    /// A table whose words take `latency` cycles, at least one.
    pub fn new(latency: u32) -> Self {
        Self { latency: u64::from(latency).max(1), asked: VecDeque::new(), words: 0 }
    }

    /// The word that can be given in a cycle.
    pub fn due(&self, cycle: u64, global: &[u8]) -> Option<u64> {
        let (_, address) = self.asked.front().filter(|(due, _)| *due <= cycle)?;
        Some(word(global, *address))
    }

    /// That word was taken.
    pub fn taken(&mut self) {
        self.asked.pop_front();
    }

    /// A word is asked for in a cycle.
    pub fn ask(&mut self, cycle: u64, address: u32) {
        self.asked.push_back((cycle + self.latency, address));
        self.words += 1;
    }

    /// Words that were asked for.
    pub const fn words(&self) -> u64 {
        self.words
    }
}

/// A block that the core takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FedBlock {
    /// Its number in the grid.
    pub number: u32,
    /// First instruction of its program.
    pub program: u32,
    /// Priority of its grid.
    pub priority: u16,
}

/// Grids that are still to be requested, in their order, and how many of them are not done.
#[derive(Clone, Debug)]
pub struct GridQueue {
    grids: Vec<PrioritizedGrid>,
    taken: usize,
    done: usize,
}

impl GridQueue {
    /// None of these was requested yet.
    pub fn new(grids: Vec<PrioritizedGrid>) -> Self {
        Self { grids, taken: 0, done: 0 }
    }

    /// The next one.
    pub fn request(&self) -> Option<PrioritizedGrid> {
        self.grids.get(self.taken).copied()
    }

    /// It was taken.
    pub fn taken(&mut self) {
        self.taken += 1;
    }

    /// Every block of one was taken.
    pub fn finished(&mut self) {
        self.done += 1;
    }

    /// All are done.
    pub fn done(&self) -> bool {
        self.done == self.grids.len()
    }

    /// The priority of the grid of a name.
    pub fn priority(&self, name: u8) -> u16 {
        self.grids.iter().find(|grid| grid.grid.grid == name).map_or(0, |grid| grid.priority)
    }
}

/// A work distributor with grids in it.
pub struct GridFeed {
    distributor: Box<dyn WorkDistributor>,
    set: usize,
    grid: [u32; 3],
    table: TableMemory,
    grids: GridQueue,
    /// A set was shown, and the core had no room.
    held: bool,
    begun: u32,
}

impl GridFeed {
    /// A grid that is still to be requested from a distributor after reset. Words of the table take `latency` cycles.
    pub fn new(distributor: Box<dyn WorkDistributor>, shape: Shape, launch: &Launch, latency: u32) -> Self {
        Self {
            distributor,
            set: shape.set,
            grid: launch.grid,
            table: TableMemory::new(latency),
            grids: GridQueue::new(vec![whole_grid(launch).into()]),
            held: false,
            begun: 0,
        }
    }

    /// Has it run these grids instead.
    pub fn queue(&mut self, grids: Vec<PrioritizedGrid>) {
        self.grids = GridQueue::new(grids);
    }

    /// One cycle: the core has room for `room` blocks, the table lies in `global`. Blocks that the core takes.
    pub fn tick(&mut self, cycle: u64, room: usize, global: &[u8]) -> Vec<FedBlock> {
        let request = self.grids.request();
        let inputs = Inputs {
            request: request.map(|request| request.grid),
            fetch_ready: true,
            response: self.table.due(cycle, global),
            core_ready: u64::from(room >= self.set),
        };
        let outputs = self.distributor.settle(&inputs);
        if request.is_some() && outputs.request_ready {
            self.grids.taken();
        }
        if inputs.response.is_some() && outputs.response_ready {
            self.table.taken();
        }
        if let Some(address) = outputs.fetch {
            self.table.ask(cycle, address);
        }
        self.held = outputs.set.is_some() && inputs.core_ready == 0;
        let mut blocks = Vec::new();
        if let Some((set, _)) = outputs.set.filter(|_| inputs.core_ready != 0) {
            let (program, priority) = (set.program, self.grids.priority(set.grid));
            let number = |x: &u16| block_number(self.grid, [*x, set.y, set.z]);
            blocks.extend(set.x.iter().map(|x| FedBlock { number: number(x), program, priority }));
            self.begun += set.x.len() as u32;
        }
        if outputs.done.is_some() {
            self.grids.finished();
        }
        self.distributor.tick();
        blocks
    }

    /// Every block of every grid was taken.
    pub fn done(&self) -> bool {
        self.grids.done()
    }

    /// The distributor does nothing until the core has room. Else it is at work, which ends (WD-10).
    pub fn still(&self) -> bool {
        self.done() || self.held
    }

    /// Blocks that were taken.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// Words of the predicate table that were fetched.
    pub fn words(&self) -> u64 {
        self.table.words()
    }
}

/// The word of 64 flags at an address in words; zeros behind the end of memory.
fn word(global: &[u8], address: u32) -> u64 {
    const BYTES: usize = WORD_FLAGS as usize / 8;
    let start = address as usize * BYTES;
    let bytes = global.get(start..start + BYTES).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}
