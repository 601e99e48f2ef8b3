//! What happens at the ports of a context sequencer in one cycle, without hardware types.

use super::pointer_table::{Access, AccessError, Bind, Location};

/// The sizes of a context sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows, and slots.
    pub groups: usize,
    /// Logarithm of the threads of a group.
    pub thread_bits: u32,
    /// Copy engines (CX-06).
    pub engines: usize,
}

/// The parameter points, by name.
pub const SHAPES: [(&str, Shape); 4] = [
    ("4", Shape { groups: 4, thread_bits: 5, engines: 1 }),
    ("16", Shape { groups: 16, thread_bits: 5, engines: 1 }),
    ("64", Shape { groups: 64, thread_bits: 5, engines: 1 }),
    ("16e2", Shape { groups: 16, thread_bits: 5, engines: 2 }),
];

/// What to do with the groups of a thread block, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Copy to global memory what is not there yet (CX-02, CX-06).
    Save(u64),
    /// Forget them, and give their memory back (CX-07).
    Free(u64),
}

impl Command {
    /// The groups.
    pub const fn groups(self) -> u64 {
        match self {
            Command::Save(groups) | Command::Free(groups) => groups,
        }
    }
}

/// A row of the table as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownRow {
    /// First word in global memory, if the group is re-mapped.
    pub pointer: Option<u32>,
    /// Words of a thread.
    pub limit: u16,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// An allocation failed: some groups are not re-mapped (CX-05).
    pub failed: bool,
    /// Groups of the command that are re-mapped now.
    pub saved: u64,
    /// Words that were copied for it.
    pub words: u32,
}

/// What its surroundings put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// A launch or a resume that is valid.
    pub bind: Option<Bind>,
    /// A slot whose group stopped running there.
    pub release: Option<usize>,
    /// An access that is valid.
    pub access: Option<Access>,
    /// A group one of whose accesses has been carried out.
    pub complete: Option<usize>,
    /// A command that is valid.
    pub request: Option<Command>,
    /// The allocator takes a request.
    pub allocate_ready: bool,
    /// The allocator's answer: a pointer, or none.
    pub allocated: Option<Option<u32>>,
    /// The allocator takes a block back.
    pub free_ready: bool,
    /// Local memory takes a read.
    pub read_ready: bool,
    /// A word that local memory gives back.
    pub data: Option<u32>,
    /// Global memory takes a write.
    pub write_ready: bool,
    /// Global memory has carried out the oldest write.
    pub acknowledge: bool,
    /// A group whose row is shown.
    pub row: usize,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// It takes a launch or resume.
    pub bind_ready: bool,
    /// The one taken in the last cycle made no sense.
    pub bind_error: bool,
    /// It takes the access.
    pub access_ready: bool,
    /// Where the access taken in the last cycle goes.
    pub location: Option<Location>,
    /// That it goes nowhere.
    pub access_error: Option<AccessError>,
    /// Groups whose accesses are refused.
    pub stopped: u64,
    /// It takes a command.
    pub request_ready: bool,
    /// A command has ended.
    pub done: Option<Done>,
    /// Asks the allocator for so many words for a group.
    pub allocate: Option<(usize, u32)>,
    /// Takes the allocator's answer.
    pub allocated_ready: bool,
    /// Gives a group's block back.
    pub free: Option<(usize, u32)>,
    /// Reads a word of local memory.
    pub read: Option<u32>,
    /// Takes the word.
    pub data_ready: bool,
    /// Writes a word of global memory: address and data.
    pub write: Option<(u32, u32)>,
    /// The row of the group that was asked for, if it has one.
    pub row: Option<ShownRow>,
}

/// A context sequencer in any form. In each cycle its inputs are set, its outputs settle and are read, then the clock ticks.
pub trait ContextPorts {
    /// Sets the inputs of this cycle and shows the outputs.
    fn settle(&mut self, inputs: &Inputs) -> Outputs;
    /// One clock edge.
    fn tick(&mut self);
}
