//! What lies around the context unit of a control core: the lanes' accesses to local memory, the allocator, and both memories (CX-02 to CX-05, CX-07).
//!
//! The lanes show one access a cycle. An instruction that accesses N words of local memory issues, and its warp waits for N + 1 cycles, if no other warp's accesses go
//! before: an access a cycle, and the last one's place. Then all of it is carried out. Allocator and memories take every request, and answer in the next cycle.

use std::collections::VecDeque;

use crate::engine::{Fetch, Request};
use crate::lanes::local::LocalPlace;
use crate::lanes::{Lanes, Places};
use crate::machine::blocks::Resident;
use crate::machine::local_unit::{buffer_words, ContextFault};
use crate::machine::surroundings::Surroundings;
use crate::machine::Verdict;
use crate::model::context::allocator::BufferAllocator;
use crate::model::context::pointer_table::Access;

use super::{LocalEdge, LocalInputs};

/// An instruction whose accesses are under way.
struct Pending {
    warp: usize,
    fetch: Fetch,
    resident: Resident,
    /// Thread and word of each access.
    words: Vec<(usize, u32)>,
    /// So many were taken, and so many have a place.
    taken: usize,
    placed: usize,
    places: Places,
}

/// See the module's page.
pub(super) struct CoreLocalMemory {
    allocator: BufferAllocator,
    /// Instructions in the order in which they were issued.
    pending: VecDeque<Pending>,
    /// The group of the access that was carried out last.
    complete: Option<usize>,
    answers: VecDeque<Option<u32>>,
    data: VecDeque<u32>,
    acknowledge: bool,
}

impl CoreLocalMemory {
    /// For a core with so many rows, over a buffer that holds so many groups; without a number, every group once.
    pub(super) fn new(rows: usize, room: Option<u32>, lanes: &mut Lanes) -> Self {
        let buffer = buffer_words(lanes, room.unwrap_or(rows as u32));
        lanes.local().reserve(buffer);
        Self {
            allocator: BufferAllocator::new(0, buffer),
            pending: VecDeque::new(),
            complete: None,
            answers: VecDeque::new(),
            data: VecDeque::new(),
            acknowledge: false,
        }
    }

    /// What the core is shown in a cycle.
    pub(super) fn inputs(&self) -> LocalInputs {
        let next = self.pending.iter().find(|pending| pending.taken < pending.words.len());
        let access = next.map(|pending| {
            let (thread, word) = pending.words[pending.taken];
            Access { slot: pending.warp, thread: thread as u32, word: word as u16 }
        });
        LocalInputs {
            access,
            complete: self.complete,
            allocated: self.answers.front().copied(),
            data: self.data.front().copied(),
            acknowledge: self.acknowledge,
        }
    }

    /// An instruction is issued: if it accesses local memory its warp waits for that, and the lanes carry it out later.
    pub(super) fn issue(
        &mut self,
        request: &Request,
        fetch: Fetch,
        resident: Resident,
        around: &mut Surroundings<'_>,
    ) -> bool {
        let warp = request.warp;
        let instruction = &around.kernel.instructions[fetch.address as usize];
        let words = around.lanes.local_words(instruction, warp, fetch.active);
        if words.is_empty() {
            return false;
        }
        around.issued(request, fetch);
        around.awaited |= 1 << warp;
        let places = [LocalPlace::default(); 64];
        self.pending.push_back(Pending { warp, fetch, resident, words, taken: 0, placed: 0, places });
        true
    }

    /// A clock edge.
    pub(super) fn edge(&mut self, edge: &LocalEdge, around: &mut Surroundings<'_>) -> Result<(), Box<Verdict>> {
        around.counters.context.cycles += u64::from(!self.pending.is_empty() || *edge != LocalEdge::default());
        self.memories(edge, around).map_err(Verdict::ContextFault)?;
        self.complete = edge.location.map(|location| location.group);
        let Some(oldest) = self.pending.front_mut().filter(|_| edge.location.is_some()) else {
            return self.taken(edge);
        };
        if let Some(location) = edge.location {
            let (thread, _) = oldest.words[oldest.placed];
            oldest.places[thread] = LocalPlace { saved: location.global, word: location.address };
            oldest.placed += 1;
            around.counters.context.remapped += u64::from(location.global);
        }
        let over = oldest.placed == oldest.words.len();
        if let Some(Pending { warp, fetch, resident, places, .. }) = over.then(|| self.pending.pop_front()).flatten() {
            around.awaited &= !(1 << warp);
            if let Some(verdict) = around.carry_out(warp, fetch, resident, Some(&places)) {
                return Err(verdict.into());
            }
        }
        self.taken(edge)
    }

    /// The access that was shown was taken.
    fn taken(&mut self, edge: &LocalEdge) -> Result<(), Box<Verdict>> {
        let shown = self.pending.iter_mut().find(|pending| pending.taken < pending.words.len());
        if let Some(pending) = shown.filter(|_| edge.access_taken) {
            pending.taken += 1;
        }
        Ok(())
    }

    /// The allocator's and the memories' side of an edge.
    fn memories(&mut self, edge: &LocalEdge, around: &mut Surroundings<'_>) -> Result<(), ContextFault> {
        if let Some(error) = edge.access_error {
            return Err(ContextFault::strange(format!("finds no place: {error:?}")));
        }
        if edge.bind_error {
            return Err(ContextFault::strange("refuses a warp that comes back".into()));
        }
        if edge.allocated_taken {
            self.answers.pop_front();
        }
        if let Some(words) = edge.allocate {
            self.answers.push_back(self.allocator.allocate(words));
        }
        if let Some(pointer) = edge.free {
            self.allocator.free(pointer).map_err(ContextFault::strange)?;
        }
        if edge.data_taken {
            self.data.pop_front();
        }
        if let Some(word) = edge.read {
            let missing = || ContextFault::strange(format!("reads word {word:#x}, which does not exist"));
            self.data.push_back(around.lanes.local().read(word).ok_or_else(missing)?);
        }
        self.acknowledge = edge.write.is_some();
        if let Some((word, value)) = edge.write {
            if !around.lanes.local().write(word, value) {
                return Err(ContextFault::strange(format!("writes word {word:#x}, which does not exist")));
            }
            around.counters.context.copied += 1;
        }
        Ok(())
    }

    /// What is wrong with the allocator at the end of everything: a buffer that nobody gave back.
    pub(super) fn kept(&self) -> Option<ContextFault> {
        let (pointer, words) = self.allocator.blocks().next()?;
        Some(ContextFault::strange(format!("keeps {words} words from {pointer:#x} on, and nobody is left")))
    }
}
