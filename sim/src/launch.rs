//! The one interface behind which a work distributor stands: reference walker, RTL in Rust or Verilated (WD-01 to WD-10).
//!
//! The machine, the traffic and the tests know no more than this: what happens at its ports in one cycle, without hardware types. In each
//! cycle the inputs are set, the outputs settle and are read, then the clock ticks.
//!
//! **Source** US 8,413,151; clusters and the order of queued grids from WD-06 and WD-10.

use serde::{Deserialize, Serialize};

/// Flags of a word of the predicate table (WD-05).
pub const WORD_FLAGS: u32 = 64;

/// A request (WD-01): which thread blocks to launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// First instruction of the program, 22 bits, in instructions.
    pub program: u32,
    /// Names the grid, 8 bits.
    pub grid: u8,
    /// Where the predicate table begins, in words of 64 flags; none launches every block.
    pub table: Option<u32>,
    /// Blocks in x, y and z, 16 bits each; a zero means no block at all.
    pub range: [u16; 3],
    /// Size of a cluster in x, y and z, in blocks; 0 does not cut that dimension. None: blocks go one by one (WD-10).
    pub cluster: Option<[u16; 3]>,
    /// It goes in front of the grids that wait (WD-06).
    pub head: bool,
}

/// A grid as a core is asked to run it: what its work distributor is asked, and how its warps stand to those of other grids (SM-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrioritizedGrid {
    /// What goes through the work distributor.
    pub grid: Grid,
    /// Priority of its warps, 6 or 10 bits: while one of a larger priority is ready, none of a smaller one issues.
    pub priority: u16,
}

impl From<Grid> for PrioritizedGrid {
    /// With the lowest priority.
    fn from(grid: Grid) -> Self {
        Self { grid, priority: 0 }
    }
}

/// Thread blocks that go out in one cycle: of one row, one word, one cluster, for one core (WD-04, WD-10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSet {
    /// First instruction, in instructions.
    pub program: u32,
    /// The grid's name.
    pub grid: u8,
    /// Indices in x, ascending.
    pub x: Vec<u16>,
    /// Index in y.
    pub y: u16,
    /// Index in z.
    pub z: u16,
}

/// What its surroundings put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// A request that is valid.
    pub request: Option<Grid>,
    /// The memory takes a fetch.
    pub fetch_ready: bool,
    /// A word of flags that the memory gives back.
    pub response: Option<u64>,
    /// A bit a core: it has room for a whole set.
    pub core_ready: u64,
}

/// What it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// It takes a request.
    pub request_ready: bool,
    /// Address of a fetch that is valid, in words of 64 flags.
    pub fetch: Option<u32>,
    /// It takes a response.
    pub response_ready: bool,
    /// A set that is valid, with the number of its core.
    pub set: Option<(BlockSet, usize)>,
    /// The places of the set that hold a block, bit 0 the first; to be filled from there.
    pub places: u8,
    /// Name of the grid that is done.
    pub done: Option<u8>,
    /// A grid is in service or waits.
    pub busy: bool,
}

/// A work distributor in any form.
pub trait WorkDistributor {
    /// Sets the inputs of this cycle and shows the outputs.
    fn settle(&mut self, inputs: &Inputs) -> Outputs;
    /// One clock edge.
    fn tick(&mut self);
}

impl Shape {
    /// Of the one that feeds a core by itself: a block at a time.
    pub const CORE: Shape = Shape { cores: 1, set: 1, fetches: 4, queue: 4 };
}

/// The sizes of a work distributor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Cores.
    pub cores: usize,
    /// S: blocks of a set.
    pub set: usize,
    /// Fetches that may be outstanding.
    pub fetches: usize,
    /// Grids that may wait.
    pub queue: usize,
}
