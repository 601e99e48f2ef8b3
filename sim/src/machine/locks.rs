//! Which thread's atomic changed a memory word last: for a lock, its holder.

use std::collections::BTreeMap;

use crate::engine::Mask;
use crate::isa::{Action, AtomicOperation, Instruction, Source, Space};
use crate::lanes::{combine, Lanes};

use super::blocks::Resident;
use super::hang::ThreadName;

/// A word of memory: its space, the thread block if the space belongs to one, its byte address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    /// Only the spaces that threads share have locks in them.
    shared_by: Option<u32>,
    /// Byte address.
    pub address: u32,
}

impl Word {
    /// The word at an address, unless the space is a thread's own.
    pub fn new(space: Space, block: u32, address: u32) -> Option<Self> {
        match space {
            Space::Global => Some(Self { shared_by: None, address: address & !3 }),
            Space::Shared => Some(Self { shared_by: Some(block), address: address & !3 }),
            Space::Local => None,
        }
    }

    /// Name of its space.
    pub fn space(self) -> Space {
        match self.shared_by {
            None => Space::Global,
            Some(_) => Space::Shared,
        }
    }

    /// What it holds.
    pub fn value(self, lanes: &Lanes) -> Option<u32> {
        let memory = match self.shared_by {
            None => Some(lanes.global()),
            Some(block) => lanes.shared(block),
        }?;
        let start = self.address as usize;
        let bytes = memory.get(start..start.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// The words that atomics changed, each with the thread that did it last.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    holders: BTreeMap<Word, ThreadName>,
}

impl Locks {
    /// Notes the atomic that `threads` of a warp are about to run; call it before the lanes do.
    pub fn note(&mut self, lanes: &Lanes, instruction: &Instruction, warp: usize, resident: Resident, threads: Mask) {
        let Action::Atomic(space, operation) = instruction.action else { return };
        // Threads take effect in the order of their lanes, so a later one sees what an earlier one left.
        let mut written = BTreeMap::new();
        for thread in (0..Mask::BITS as usize).filter(|thread| threads >> thread & 1 == 1) {
            let address = atomic_address(lanes, instruction, operation, warp, thread);
            let Some(word) = Word::new(space, resident.block, address) else { return };
            let Some(old) = written.get(&word).copied().or_else(|| word.value(lanes)) else { return };
            let expected = match instruction.b {
                Source::Register(register) => lanes.register(warp, thread, register),
                Source::Immediate(value) => value,
            };
            let new = combine(operation, old, expected, lanes.register(warp, thread, instruction.c));
            written.insert(word, new);
            if new != old {
                self.holders.insert(word, ThreadName { warp, thread });
            }
        }
    }

    /// The thread that changed a word last.
    pub fn holder(&self, word: Word) -> Option<ThreadName> {
        self.holders.get(&word).copied()
    }

    /// Forgets a warp whose threads are gone: its number may soon mean other threads.
    pub fn forget(&mut self, warp: usize) {
        self.holders.retain(|_, holder| holder.warp != warp);
    }
}

fn atomic_address(
    lanes: &Lanes,
    instruction: &Instruction,
    operation: AtomicOperation,
    warp: usize,
    thread: usize,
) -> u32 {
    let offset = match (operation, instruction.b) {
        (AtomicOperation::CompareAndSwap, _) | (_, Source::Register(_)) => 0,
        (_, Source::Immediate(offset)) => offset,
    };
    lanes.register(warp, thread, instruction.a).wrapping_add(offset)
}
