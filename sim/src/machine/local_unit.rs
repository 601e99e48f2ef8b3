//! The context unit at work: it says where every access to local memory goes, and saves groups by re-mapping theirs (CX-01 to CX-08).
//!
//! A group is a warp; a slot is a warp of the core; a row, by its handle, belongs to a warp from its launch to its end, suspended or not. The
//! memories are the lanes', the allocator is software ([`BufferAllocator`]); what is copied, in what order, and where a word is
//! found is decided behind [`ContextPorts`], by model or RTL. Its clock runs when there is something to do; the cycles are
//! counted apart from the core's, since the lanes' memories take no time either.

use std::collections::VecDeque;

use super::counters::ContextCounts;
use crate::engine::Mask;
use crate::isa::Instruction;
use crate::lanes::local::LocalPlace;
use crate::lanes::{Lanes, Places};
use crate::model::context::allocator::BufferAllocator;
use crate::model::context::pointer_table::{Access, Bind};
use crate::model::context::ports::{Command, ContextPorts, Done, Inputs, Outputs, Shape};

/// Cycles in which a command that makes progress in every one of them has surely ended.
const PATIENCE: u64 = 1 << 22;

/// What went wrong between the core and its context unit; a fault of the hardware, never of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the context unit {0}")]
pub struct ContextFault(String);

impl ContextFault {
    /// A core has done something that makes no sense.
    pub(crate) fn strange(what: String) -> Self {
        Self(what)
    }

    /// Local memory is to be saved, and nobody is there to do it.
    pub(crate) fn missing() -> Self {
        Self("is missing, and local memory has to be saved".into())
    }
}

/// See the module's page.
pub(super) struct LocalUnit {
    ports: Box<dyn ContextPorts>,
    allocator: BufferAllocator,
    /// Handles by warp of the core.
    groups: Vec<Option<usize>>,
    /// Handles that nobody has.
    free: Vec<usize>,
    /// Cycles of its clock.
    cycles: u64,
    /// Words that it has copied.
    copied: u64,
    /// Accesses that went to global memory.
    remapped: u64,
}

/// A warp that is suspended, by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(usize);

/// Words of a buffer that holds so many groups of these lanes.
pub(crate) fn buffer_words(lanes: &mut Lanes, groups: u32) -> u32 {
    lanes.local().group_words().max(1).next_power_of_two() * groups
}

impl std::fmt::Debug for LocalUnit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LocalUnit").field("groups", &self.groups).finish_non_exhaustive()
    }
}

impl LocalUnit {
    /// A unit for `warps` warps, over a buffer that holds so many groups; without a number, every group once.
    pub(super) fn new(
        ports: Box<dyn ContextPorts>,
        shape: Shape,
        warps: usize,
        room: Option<u32>,
        lanes: &mut Lanes,
    ) -> Self {
        let buffer = buffer_words(lanes, room.unwrap_or(shape.groups as u32));
        lanes.local().reserve(buffer);
        Self {
            ports,
            allocator: BufferAllocator::new(0, buffer),
            groups: vec![None; warps],
            free: (0..shape.groups).rev().collect(),
            cycles: 0,
            copied: 0,
            remapped: 0,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.ports.settle(inputs);
        self.ports.tick();
        self.cycles += 1;
        outputs
    }

    /// Offers inputs until they are taken, and gives the outputs of the cycle behind that.
    fn offer(&mut self, inputs: &Inputs, taken: impl Fn(&Outputs) -> bool) -> Result<Outputs, ContextFault> {
        for _ in 0..PATIENCE {
            if taken(&self.cycle(inputs)) {
                return Ok(self.cycle(&Inputs::default()));
            }
        }
        Err(ContextFault(format!("never takes {inputs:?}")))
    }

    fn bind(&mut self, bind: Bind) -> Result<(), ContextFault> {
        let behind = self.offer(&Inputs { bind: Some(bind), ..Inputs::default() }, |outputs| outputs.bind_ready)?;
        if behind.bind_error {
            return Err(ContextFault(format!("refuses {bind:?}")));
        }
        self.groups[bind.slot] = Some(bind.group);
        Ok(())
    }

    /// A warp is launched.
    pub(super) fn launch(&mut self, warp: usize, lanes: &mut Lanes) -> Result<(), ContextFault> {
        let local = lanes.local();
        let fresh = Some((local.home(warp), local.words() as u16));
        let group = self.free.pop().ok_or_else(|| ContextFault("has no row left".into()))?;
        self.bind(Bind { slot: warp, group, fresh })
    }

    /// Rows that nobody has.
    pub(super) const fn rows_left(&self) -> usize {
        self.free.len()
    }

    /// A warp that was suspended runs again.
    pub(super) fn resume(&mut self, warp: usize, group: Group) -> Result<(), ContextFault> {
        self.bind(Bind { slot: warp, group: group.0, fresh: None })
    }

    /// A warp has ended: its row and its buffer are free.
    pub(super) fn end(&mut self, warp: usize, lanes: &mut Lanes) -> Result<(), ContextFault> {
        let Some(group) = self.groups[warp].take() else { return Ok(()) };
        self.command(Command::Free(1 << group), lanes)?;
        self.cycle(&Inputs { release: Some(warp), ..Inputs::default() });
        self.free.push(group);
        Ok(())
    }

    /// Saves warps; if that succeeds they hold their slots no more. `None` if there was no room: they run on (CX-05).
    pub(super) fn save(&mut self, warps: &[usize], lanes: &mut Lanes) -> Result<Option<Vec<Group>>, ContextFault> {
        let groups: Vec<usize> = warps.iter().filter_map(|warp| self.groups[*warp]).collect();
        let mask = groups.iter().fold(0, |mask, group| mask | 1 << group);
        let done = self.command(Command::Save(mask), lanes)?;
        if done.failed || done.saved != mask {
            return Ok(None);
        }
        for &warp in warps {
            self.groups[warp] = None;
            self.cycle(&Inputs { release: Some(warp), ..Inputs::default() });
        }
        Ok(Some(groups.into_iter().map(Group).collect()))
    }

    /// Where the local words go that an instruction accesses; none, if it accesses none.
    pub(super) fn places(
        &mut self,
        instruction: &Instruction,
        warp: usize,
        active: Mask,
        lanes: &mut Lanes,
    ) -> Result<Option<Places>, ContextFault> {
        let words = lanes.local_words(instruction, warp, active);
        if words.is_empty() {
            return Ok(None);
        }
        let mut places = [LocalPlace::default(); 64];
        for (thread, word) in words {
            let access = Access { slot: warp, thread: thread as u32, word: word as u16 };
            let inputs = Inputs { access: Some(access), ..Inputs::default() };
            let behind = self.offer(&inputs, |outputs| outputs.access_ready)?;
            let location = behind.location.filter(|location| Some(location.group) == self.groups[warp]);
            let location =
                location.ok_or_else(|| ContextFault(format!("finds no place for {access:?}: {behind:?}")))?;
            places[thread] = LocalPlace { saved: location.global, word: location.address };
            self.remapped += u64::from(location.global);
            self.cycle(&Inputs { complete: Some(location.group), ..Inputs::default() });
        }
        Ok(Some(places))
    }

    /// Carries a command out, with memories and allocator that answer in the next cycle.
    fn command(&mut self, command: Command, lanes: &mut Lanes) -> Result<Done, ContextFault> {
        let open =
            Inputs { allocate_ready: true, free_ready: true, read_ready: true, write_ready: true, ..Inputs::default() };
        let mut request = Some(command);
        let (mut allocated, mut data, mut acknowledge) = (VecDeque::new(), VecDeque::new(), false);
        for _ in 0..PATIENCE {
            let (answer, word) = (allocated.front().copied(), data.front().copied());
            let inputs = Inputs { request, allocated: answer, data: word, acknowledge, ..open };
            let outputs = self.cycle(&inputs);
            if request.is_some() && outputs.request_ready {
                request = None;
            }
            if let Some(done) = outputs.done {
                self.copied += u64::from(done.words);
                return Ok(done);
            }
            if outputs.allocated_ready {
                allocated.pop_front();
            }
            if let Some((_, words)) = outputs.allocate {
                allocated.push_back(self.allocator.allocate(words));
            }
            if let Some((_, pointer)) = outputs.free {
                self.allocator.free(pointer).map_err(ContextFault)?;
            }
            if outputs.data_ready {
                data.pop_front();
            }
            if let Some(word) = outputs.read {
                let value = lanes.local().read(word);
                let missing = || ContextFault(format!("reads word {word:#x}, which does not exist"));
                data.push_back(value.ok_or_else(missing)?);
            }
            acknowledge = outputs.write.is_some();
            if let Some((word, value)) = outputs.write {
                if !lanes.local().write(word, value) {
                    return Err(ContextFault(format!("writes word {word:#x}, which does not exist")));
                }
            }
        }
        Err(ContextFault(format!("never ends {command:?}")))
    }

    /// Everything it has counted.
    pub(super) const fn counts(&self) -> ContextCounts {
        ContextCounts { cycles: self.cycles, copied: self.copied, remapped: self.remapped }
    }
}
