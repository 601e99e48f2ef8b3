//! Which group's local memory lies where, and where an access of its threads goes (CX-01, CX-03, CX-04).
//!
//! A *row* belongs to a group of threads from its launch to its end, suspended or not. A *slot* is a place in the hardware; a
//! row is bound to one while its group runs.
//!
//! **Source** US 2014/0165072: a re-mapped bit and a pointer for each group of threads.

/// A place in one of the two memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The group that accesses.
    pub group: usize,
    /// In global memory, for the group is re-mapped; else in the local memory of the hardware.
    pub global: bool,
    /// Which word, 32 bits each.
    pub address: u32,
}

/// An access that goes nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError {
    /// The group, if the slot has one.
    pub group: Option<usize>,
    /// The slot.
    pub slot: usize,
    /// The thread of the group.
    pub thread: u32,
    /// The word of the thread.
    pub word: u16,
}

/// An access of one thread to its local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where the group runs.
    pub slot: usize,
    /// Which of its threads.
    pub thread: u32,
    /// Which word of the thread's memory.
    pub word: u16,
}

/// A launch or a resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Where the group will run.
    pub slot: usize,
    /// The group.
    pub group: usize,
    /// First word of its local memory, and words of a thread, at a launch; none resumes a suspended group.
    pub fresh: Option<(u32, u16)>,
}

/// A group in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First word in the local memory of the hardware.
    pub base: u32,
    /// Words of a thread.
    pub limit: u16,
    /// First word in global memory, if it is re-mapped.
    pub pointer: Option<u32>,
}

/// The table.
#[derive(Clone, Debug)]
pub struct PointerTable {
    thread_bits: u32,
    rows: Vec<Option<Row>>,
    slots: Vec<Option<usize>>,
}

impl PointerTable {
    /// No group, in `groups` rows and as many slots; a group has `1 << thread_bits` threads.
    pub fn new(groups: usize, thread_bits: u32) -> Self {
        Self { thread_bits, rows: vec![None; groups], slots: vec![None; groups] }
    }

    /// A group's row.
    pub fn row(&self, group: usize) -> Option<Row> {
        self.rows[group]
    }

    /// The group that runs in a slot.
    pub fn bound(&self, slot: usize) -> Option<usize> {
        self.slots[slot]
    }

    /// Words of a group.
    pub fn words(&self, row: &Row) -> u32 {
        u32::from(row.limit) << self.thread_bits
    }

    /// Launches or resumes a group in a slot; false if that makes no sense, and then nothing changes.
    pub fn bind(&mut self, bind: &Bind) -> bool {
        let row = self.rows[bind.group];
        let sensible = match bind.fresh {
            Some(_) => row.is_none(),
            None => row.is_some_and(|row| row.pointer.is_some()) && !self.slots.contains(&Some(bind.group)),
        };
        if !sensible || self.slots[bind.slot].is_some() {
            return false;
        }
        if let Some((base, limit)) = bind.fresh {
            self.rows[bind.group] = Some(Row { base, limit, pointer: None });
        }
        self.slots[bind.slot] = Some(bind.group);
        true
    }

    /// The slot is free; the row stays.
    pub fn release(&mut self, slot: usize) {
        self.slots[slot] = None;
    }

    /// From now on the group's accesses go to global memory (CX-02, CX-11).
    pub fn remap(&mut self, group: usize, pointer: u32) {
        if let Some(row) = &mut self.rows[group] {
            row.pointer = Some(pointer);
        }
    }

    /// The group is no more (CX-07).
    pub fn clear(&mut self, group: usize) {
        self.rows[group] = None;
        self.slots.iter_mut().filter(|slot| **slot == Some(group)).for_each(|slot| *slot = None);
    }

    /// Where an access goes (CX-04). Words of a thread lie a whole group apart, so that the threads' same words are neighbours.
    ///
    /// # Errors
    /// If the slot has no group, or the word is not the group's.
    pub fn locate(&self, access: &Access) -> Result<Location, AccessError> {
        let Access { slot, thread, word } = *access;
        let group = self.slots[slot];
        let error = AccessError { group, slot, thread, word };
        let (group, row) = group.and_then(|group| Some((group, self.rows[group]?))).ok_or(error)?;
        if word >= row.limit {
            return Err(error);
        }
        let offset = (u32::from(word) << self.thread_bits) + thread;
        let address = row.pointer.unwrap_or(row.base).wrapping_add(offset);
        Ok(Location { group, global: row.pointer.is_some(), address })
    }
}
