//! What happens at the ports of a work distributor in one cycle, without hardware types.

use super::{BlockSet, Grid};

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

/// A work distributor in any form. In each cycle its inputs are set, its outputs settle and are read, then the clock ticks.
pub trait WorkDistributorPorts {
    /// Sets the inputs of this cycle and shows the outputs.
    fn settle(&mut self, inputs: &Inputs) -> Outputs;
    /// One clock edge.
    fn tick(&mut self);
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

/// The parameter points, by name.
pub const SHAPES: [(&str, Shape); 3] = [
    ("1x1", Shape { cores: 1, set: 1, fetches: 4, queue: 4 }),
    ("4x2", Shape { cores: 4, set: 2, fetches: 4, queue: 4 }),
    ("16x4", Shape { cores: 16, set: 4, fetches: 4, queue: 4 }),
];
