//! Random groups, accesses, saves, resumes and stalls for a context sequencer in any form, named by a seed (XV-02).
//!
//! Both memories are real: what a thread has written it must read again, wherever its group lies by then (CX-03).

use super::allocator::BufferAllocator;
use super::contract::ContextContract;
use super::pointer_table::{Access, Bind, Location};
use super::ports::{Command, ContextPorts, Inputs, Outputs, Shape};
pub use super::report::{Report, EVENTS};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

/// Words of a thread, at most, in a world of large groups: more than 4,096 for a group.
const LARGEST: u16 = 131;

/// Words of local memory that each slot has.
const SLOT_WORDS: u32 = LARGEST as u32 * 32;

/// Accesses that a world which hoards them leaves under way before it completes any: more than a group may have.
const HOARD: usize = 300;

/// Words of global memory before the buffer for saved groups, which are nobody's.
const BEFORE: u32 = 0x4000;

/// What went wrong, and how to see it again.
#[derive(Clone, Debug, thiserror::Error)]
#[error("context sequencer {shape:?}, seed {seed}: {wrong}")]
pub struct Failure {
    /// The sizes.
    pub shape: Shape,
    /// The traffic's name.
    pub seed: u64,
    /// What went wrong.
    pub wrong: String,
}

/// The world around a sequencer.
struct World {
    shape: Shape,
    random: ChaCha8Rng,
    /// In percent, how often ports are closed.
    stall: u32,
    /// Some groups are as large as can be.
    large: bool,
    /// Nearly all accesses go to this slot, and are completed only when there are many.
    hoard: Option<usize>,
    /// They are completed now, until none is left.
    hoarded: bool,
    local: Vec<u32>,
    global: Vec<u32>,
    /// The address of its first word.
    global_base: u32,
    allocator: BufferAllocator,
    /// What each group's threads have written: by group, word and thread.
    written: BTreeMap<(usize, u16, u32), u32>,
    /// Groups by slot, as the world sees it.
    slots: Vec<Option<usize>>,
    /// Words of a thread, by group in the table.
    limits: Vec<Option<u16>>,
    remapped: u64,
    /// Accesses that were taken: theirs, and where they go once that is known.
    accesses: VecDeque<(Access, Location)>,
    just_taken: Option<Access>,
    outstanding: Vec<u32>,
    pending: Inputs,
    command: Option<Command>,
    answers: VecDeque<Option<u32>>,
    reads: VecDeque<u32>,
    acknowledgements: u32,
    report: Report,
}

/// Cycles without a transfer for a command after which it hangs: ports are open one cycle in seven at the least.
const PATIENCE: u64 = 1_000;

/// Random traffic under way, and what judges it.
pub struct Traffic {
    world: World,
    contract: ContextContract,
    inputs: Inputs,
    waited: u64,
}

impl Traffic {
    /// Traffic of a name, for a sequencer that was just reset.
    pub fn new(shape: Shape, seed: u64) -> Self {
        let (world, contract) = (World::new(shape, seed), ContextContract::new(shape));
        Self { world, contract, inputs: Inputs::default(), waited: 0 }
    }

    /// From now on it goes on by another name: what happens next depends on the state of the world and on this alone.
    pub fn rename(&mut self, seed: u64) {
        self.world.random = ChaCha8Rng::seed_from_u64(seed);
    }

    /// The inputs of the next cycle.
    pub fn inputs(&mut self) -> &Inputs {
        self.inputs = self.world.inputs();
        &self.inputs
    }

    /// Judges the outputs of that cycle, and lets the world react.
    ///
    /// # Errors
    /// The first difference from the contract, or a word that is not what its thread wrote.
    pub fn observe(&mut self, outputs: &Outputs) -> Result<(), String> {
        let world = &mut self.world;
        let moves = world.moves(&self.inputs, outputs);
        world.note(&self.inputs, outputs);
        self.contract.observe(&self.inputs, outputs).map_err(|breach| breach.to_string())?;
        world.react(&self.inputs, outputs)?;
        world.report.cycles += 1;
        world.report.words = self.contract.copied;
        let still = world.command.is_some() && outputs.done.is_none() && !moves;
        self.waited = if still { self.waited + 1 } else { 0 };
        if self.waited > PATIENCE {
            return Err(format!("cycle {}: the command never ends", world.report.cycles));
        }
        Ok(())
    }

    /// How it went so far.
    pub fn report(&self) -> Report {
        self.world.report
    }
}

/// Runs so many cycles of random traffic through a sequencer.
///
/// # Errors
/// As [`Traffic::observe`].
pub fn drive(ports: &mut dyn ContextPorts, shape: Shape, seed: u64, cycles: u64) -> Result<Report, Failure> {
    let mut traffic = Traffic::new(shape, seed);
    while traffic.report().cycles < cycles {
        let outputs = ports.settle(traffic.inputs());
        traffic.observe(&outputs).map_err(|wrong| Failure { shape, seed, wrong })?;
        ports.tick();
    }
    Ok(traffic.report())
}

impl World {
    fn new(shape: Shape, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let groups = shape.groups;
        let local = (0..SLOT_WORDS * groups as u32).map(|_| random.next_u32()).collect();
        // Sometimes there is room for all groups, sometimes for few.
        let large = random.random_bool(0.125);
        let words = match (large, random.random_bool(0.5)) {
            (true, _) => 2 * SLOT_WORDS + 256 * groups as u32,
            (false, true) => 256 * groups as u32,
            (false, false) => random.random_range(64..700),
        };
        let global: Vec<u32> = (0..BEFORE + words + 1024).map(|_| random.next_u32()).collect();
        let global_base = random.random_range(0..=u32::MAX - global.len() as u32);
        Self {
            shape,
            stall: if large { 0 } else { [0, 10, 50, 85][random.random_range(0..4)] },
            large,
            hoard: random.random_bool(0.125).then(|| random.random_range(0..groups)),
            hoarded: false,
            random,
            local,
            global,
            global_base,
            allocator: BufferAllocator::new(global_base + BEFORE, words),
            written: BTreeMap::new(),
            slots: vec![None; groups],
            limits: vec![None; groups],
            remapped: 0,
            accesses: VecDeque::new(),
            just_taken: None,
            outstanding: vec![0; groups],
            pending: Inputs::default(),
            command: None,
            answers: VecDeque::new(),
            reads: VecDeque::new(),
            acknowledgements: 0,
            report: Report::default(),
        }
    }

    fn open(&mut self) -> bool {
        self.random.random_range(0..100) >= self.stall
    }

    fn inputs(&mut self) -> Inputs {
        let groups = self.shape.groups;
        if self.pending.access.is_none() && self.open() {
            let slot = self.hoard.filter(|_| self.random.random_bool(0.95));
            let slot = slot.unwrap_or_else(|| self.random.random_range(0..groups));
            let word = self.random.random_range(0..if self.large { LARGEST + 1 } else { 7 });
            let thread = self.random.random_range(0..1 << self.shape.thread_bits);
            self.pending.access = Some(Access { slot, thread, word });
        }
        if self.pending.bind.is_none() && self.random.random_bool(0.05) {
            self.pending.bind = self.launch();
        }
        if self.pending.request.is_none() && self.command.is_none() && self.random.random_bool(0.02) {
            self.pending.request = self.order();
        }
        let release = self.suspended();
        let complete = (self.open() && self.completes()).then(|| self.accesses.front().map(|(_, to)| to.group));
        Inputs {
            release,
            complete: complete.flatten(),
            allocate_ready: self.open(),
            allocated: if self.open() { self.answers.front().copied() } else { None },
            free_ready: self.open(),
            read_ready: self.open(),
            data: if self.open() { self.reads.front().map(|address| self.local[*address as usize]) } else { None },
            write_ready: self.open(),
            acknowledge: self.acknowledgements > 0 && self.open(),
            row: self.random.random_range(0..groups),
            ..self.pending
        }
    }

    /// Whether accesses are completed: where no other was taken just before, unless they are hoarded; and always while a command waits, since a hoard may be added to
    /// in every cycle.
    fn completes(&mut self) -> bool {
        let waited_for = self.command.is_some() || self.pending.request.is_some();
        self.hoarded = self.accesses.len() >= HOARD || self.hoarded && !self.accesses.is_empty();
        waited_for || self.just_taken.is_none() && (self.hoard.is_none() || self.hoarded)
    }

    /// Something is transferred for the command at work, or one of the accesses that it waits for is nearer.
    fn moves(&self, inputs: &Inputs, outputs: &Outputs) -> bool {
        let awaited = |group: &usize| self.busy() >> group & 1 == 1 && self.outstanding[*group] > 0;
        outputs.allocate.is_some() && inputs.allocate_ready
            || inputs.allocated.is_some() && outputs.allocated_ready
            || outputs.free.is_some() && inputs.free_ready
            || outputs.read.is_some() && inputs.read_ready
            || inputs.data.is_some() && outputs.data_ready
            || outputs.write.is_some() && inputs.write_ready
            || inputs.acknowledge
            || inputs.complete.is_some() && (0..self.shape.groups).any(|group| awaited(&group))
    }

    /// Counts what is seen at the ports.
    fn note(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let report = &mut self.report;
        let offered = [
            outputs.read.is_some() && !inputs.read_ready,
            outputs.write.is_some() && !inputs.write_ready,
            outputs.allocate.is_some() && !inputs.allocate_ready,
            outputs.free.is_some() && !inputs.free_ready,
        ];
        for (held, offered) in report.held.iter_mut().zip(offered) {
            *held += u64::from(offered);
        }
        report.words_held += u64::from(inputs.data.is_some() && !outputs.data_ready);
        report.refusals += u64::from(inputs.access.is_some() && !outputs.access_ready);
        report.launch_waits += u64::from(inputs.bind.is_some() && !outputs.bind_ready);
        report.senseless += u64::from(outputs.bind_error);
        report.suspensions += u64::from(inputs.release.is_some());
        report.given_back += u64::from(outputs.free.is_some() && inputs.free_ready);
        report.remapped_rows += u64::from(outputs.row.is_some_and(|row| row.pointer.is_some()));
    }

    /// A launch of a group that is not in the table, or a resume of one that is suspended, in a slot that is free.
    fn launch(&mut self) -> Option<Bind> {
        let (slot, group) =
            (self.random.random_range(0..self.shape.groups), self.random.random_range(0..self.shape.groups));
        // The table is told about groups only while nothing is done to them.
        let there = self.slots[slot].unwrap_or(group);
        if (self.busy() >> group | self.busy() >> there) & 1 == 1 {
            return None;
        }
        let limit = match self.large && self.random.random_bool(0.5) {
            true => self.random.random_range(LARGEST - 2..=LARGEST),
            false => self.random.random_range(0..=6),
        };
        // Now and then one that makes no sense, to be refused: a launch of a group that is there, or a slot that is not free.
        let fresh = self.limits[group].is_none() || self.random.random_bool(0.05);
        let fresh = fresh.then_some((slot as u32 * SLOT_WORDS, limit));
        let sensible = self.slots[slot].is_none() && (fresh.is_some() || !self.slots.contains(&Some(group)));
        (sensible || self.random.random_bool(0.1)).then_some(Bind { slot, group, fresh })
    }

    /// Groups of a command that waits or is carried out.
    fn busy(&self) -> u64 {
        self.command.or(self.pending.request).map_or(0, Command::groups)
    }

    fn order(&mut self) -> Option<Command> {
        let there = |bind: Bind| self.slots[bind.slot].map_or(0, |group| 1 << group);
        let bind = self.pending.bind.map_or(0, |bind| 1 << bind.group | there(bind));
        let groups = self.random.next_u64() & self.random.next_u64() & (u64::MAX >> (64 - self.shape.groups)) & !bind;
        let resident = |group: &usize| self.slots.contains(&Some(*group)) && groups >> group & 1 == 1;
        // Whole thread blocks are saved while they run.
        let running = (0..self.shape.groups).filter(resident).fold(0, |mask, group| mask | 1 << group);
        Some(if self.random.random_bool(0.7) { Command::Save(running) } else { Command::Free(groups) })
    }

    /// A slot whose group is re-mapped, has drained, and is left alone by commands: it may be suspended.
    fn suspended(&mut self) -> Option<usize> {
        if !self.random.random_bool(0.01) {
            return None;
        }
        let slot = self.random.random_range(0..self.shape.groups);
        let group = self.slots[slot]?;
        let still = self.outstanding[group] == 0 && self.pending.access.is_none_or(|access| access.slot != slot);
        (still && self.remapped >> group & 1 == 1 && self.busy() >> group & 1 == 0 && self.pending.bind.is_none())
            .then_some(slot)
    }

    fn react(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), String> {
        self.learn(outputs)?;
        if let Some(group) = inputs.complete {
            self.carry_out()?;
            self.outstanding[group] -= 1;
        }
        if inputs.allocated.is_some() && outputs.allocated_ready {
            self.answers.pop_front();
        }
        if let Some((_, words)) = outputs.allocate.filter(|_| inputs.allocate_ready) {
            let answer = self.allocator.allocate(words);
            self.answers.push_back(answer);
        }
        if let Some((_, pointer)) = outputs.free.filter(|_| inputs.free_ready) {
            self.allocator.free(pointer)?;
        }
        if inputs.data.is_some() && outputs.data_ready {
            self.reads.pop_front();
        }
        if let Some(address) = outputs.read.filter(|_| inputs.read_ready) {
            self.reads.push_back(address);
        }
        self.acknowledgements -= u32::from(inputs.acknowledge);
        if let Some((address, data)) = outputs.write.filter(|_| inputs.write_ready) {
            *self.global_word(address).ok_or_else(|| format!("a stray write to {address:#x}"))? = data;
            self.acknowledgements += 1;
        }
        if let Some(done) = outputs.done {
            self.finish(done.failed, done.saved, done.words);
        }
        self.take(inputs, outputs);
        Ok(())
    }

    /// Where the access of the last cycle goes.
    fn learn(&mut self, outputs: &Outputs) -> Result<(), String> {
        let Some(access) = self.just_taken.take() else { return Ok(()) };
        match outputs.location {
            Some(location) => {
                self.accesses.push_back((access, location));
                self.outstanding[location.group] += 1;
            }
            None => self.report.errors += 1,
        }
        Ok(())
    }

    /// A word of global memory.
    fn global_word(&mut self, address: u32) -> Option<&mut u32> {
        self.global.get_mut(address.checked_sub(self.global_base)? as usize)
    }

    /// Carries out the oldest access: half of them write.
    fn carry_out(&mut self) -> Result<(), String> {
        let Some((access, to)) = self.accesses.pop_front() else { return Ok(()) };
        self.report.accesses += 1;
        self.report.remapped += u64::from(to.global);
        let (value, writes) = (self.random.next_u32(), self.random.random_bool(0.5));
        let key = (to.group, access.word, access.thread);
        let owed = self.written.get(&key).copied();
        let word = match to.global {
            true => self.global_word(to.address),
            false => self.local.get_mut(to.address as usize),
        };
        let word = word.ok_or_else(|| format!("a stray access: {to:?}"))?;
        if writes {
            *word = value;
            self.written.insert(key, value);
        } else if let Some(owed) = owed.filter(|owed| owed != word) {
            return Err(format!("CX-03 broken: {access:?} of {to:?} reads {word:#x}, wrote {owed:#x}"));
        }
        Ok(())
    }

    fn finish(&mut self, failed: bool, saved: u64, words: u32) {
        match self.command.take() {
            Some(Command::Save(groups)) => {
                self.report.saves += 1;
                self.report.failures += u64::from(failed);
                self.report.second_saves += u64::from(groups != 0 && words == 0 && !failed);
                let empty =
                    |group: &usize| (saved & !self.remapped) >> group & 1 == 1 && self.limits[*group] == Some(0);
                self.report.empty += (0..self.shape.groups).filter(empty).count() as u64;
                self.remapped |= saved;
            }
            Some(Command::Free(groups)) => {
                self.report.frees += 1;
                self.remapped &= !groups;
                for group in (0..self.shape.groups).filter(|group| groups >> group & 1 == 1) {
                    self.limits[group] = None;
                    self.slots.iter_mut().filter(|slot| **slot == Some(group)).for_each(|slot| *slot = None);
                    self.written.retain(|(owner, ..), _| *owner != group);
                }
            }
            None => {}
        }
    }

    fn take(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if let Some(access) = inputs.access.filter(|_| outputs.access_ready) {
            self.just_taken = Some(access);
            self.pending.access = None;
        } else if self.random.random_bool(0.05) {
            // A core may drop an access of a group that was stopped; keeping it could wait for ever.
            self.pending.access = None;
        }
        if let Some(command) = inputs.request.filter(|_| outputs.request_ready) {
            self.command = Some(command);
            self.pending.request = None;
        }
        if let Some(slot) = inputs.release {
            self.slots[slot] = None;
        }
        let Some(bind) = inputs.bind.filter(|_| outputs.bind_ready) else { return };
        self.pending.bind = None;
        let resumes = self.remapped >> bind.group & 1 == 1 && !self.slots.contains(&Some(bind.group));
        let launches = bind.fresh.is_some() && self.limits[bind.group].is_none();
        if self.slots[bind.slot].is_none() && (launches || bind.fresh.is_none() && resumes) {
            self.slots[bind.slot] = Some(bind.group);
            self.report.launches += 1;
            self.report.resumes += u64::from(bind.fresh.is_none());
            if let Some((_, limit)) = bind.fresh {
                self.limits[bind.group] = Some(limit);
            }
        }
    }
}
