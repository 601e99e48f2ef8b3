//! The reference context sequencer: one command at a time, its groups handed to copy engines from the lowest (CX-02 to CX-08).
//!
//! It is clocked so that it can stand wherever the hardware stands; its cycle counts promise nothing.
//!
//! **Source** US 2014/0165072, figures 5 and 6.

use super::pointer_table::{AccessError, Location, PointerTable, Row};
use super::ports::{Command, ContextPorts, Done, Inputs, Outputs, Shape, ShownRow};
use std::collections::VecDeque;

/// Accesses of a group that may be outstanding.
pub const MOST_OUTSTANDING: u32 = 255;

/// What an engine does for its group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// Waits until the group's accesses are carried out (CX-11).
    Drain,
    /// Asks the allocator.
    Ask,
    /// Waits for its answer.
    Await,
    /// Copies; counts words asked for, written and acknowledged, and holds those that are between.
    Copy { pointer: u32, asked: u32, written: u32, acknowledged: u32, held: VecDeque<u32> },
    /// Gives the block back.
    Give { pointer: u32 },
}

/// An engine at work.
#[derive(Clone, Debug)]
struct Engine {
    group: usize,
    stage: Stage,
}

/// A command at work.
#[derive(Clone, Copy, Debug)]
struct Work {
    command: Command,
    /// Groups that no engine has had.
    left: u64,
    failed: bool,
    words: u32,
}

/// The reference context sequencer.
pub struct Sequencer {
    shape: Shape,
    table: PointerTable,
    outstanding: Vec<u32>,
    work: Option<Work>,
    engines: Vec<Option<Engine>>,
    /// Engines whose answers, words and acknowledgements are to come, in order.
    awaiting: VecDeque<usize>,
    reading: VecDeque<usize>,
    writing: VecDeque<usize>,
    /// The engine that comes first at each port: allocator, reads, writes, frees. One that waits there stays first.
    first: [usize; 4],
    located: Option<Result<Location, AccessError>>,
    bind_error: bool,
    inputs: Inputs,
}

/// Words that an engine holds between its reads and its writes.
const HELD: usize = 4;

impl Sequencer {
    /// A sequencer after reset.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            table: PointerTable::new(shape.groups, shape.thread_bits),
            outstanding: vec![0; shape.groups],
            work: None,
            engines: vec![None; shape.engines],
            awaiting: VecDeque::new(),
            reading: VecDeque::new(),
            writing: VecDeque::new(),
            first: [0; 4],
            located: None,
            bind_error: false,
            inputs: Inputs::default(),
        }
    }

    fn stopped(&self) -> u64 {
        self.work.map_or(0, |work| work.command.groups())
    }

    fn words(&self, group: usize) -> u32 {
        self.table.row(group).map_or(0, |row| self.table.words(&row))
    }

    /// The next engine in turn that wants a port.
    fn turn(&self, port: usize, wants: impl Fn(usize, &Engine) -> bool) -> Option<usize> {
        let order = (0..self.engines.len()).map(|step| (self.first[port] + step) % self.engines.len());
        let wants = |number: &usize| self.engines[*number].as_ref().is_some_and(|engine| wants(*number, engine));
        order.into_iter().find(wants)
    }

    fn asks(&self) -> Option<usize> {
        self.turn(0, |_, engine| engine.stage == Stage::Ask)
    }

    fn reads(&self) -> Option<usize> {
        self.turn(1, |number, engine| {
            let coming = self.reading.iter().filter(|other| **other == number).count();
            matches!(&engine.stage, Stage::Copy { asked, held, .. }
                if *asked < self.words(engine.group) && held.len() + coming < HELD)
        })
    }

    fn writes(&self) -> Option<usize> {
        self.turn(2, |_, engine| matches!(&engine.stage, Stage::Copy { held, .. } if !held.is_empty()))
    }

    fn gives(&self) -> Option<usize> {
        self.turn(3, |_, engine| matches!(engine.stage, Stage::Give { .. }))
    }

    fn stage(&self, number: usize) -> Option<(usize, &Stage)> {
        self.engines[number].as_ref().map(|engine| (engine.group, &engine.stage))
    }

    /// The groups of the command at work that are re-mapped.
    fn saved(&self, groups: u64) -> u64 {
        let remapped = |group: &usize| self.table.row(*group).is_some_and(|row| row.pointer.is_some());
        (0..self.shape.groups)
            .filter(|group| groups >> group & 1 == 1)
            .filter(remapped)
            .fold(0, |mask, group| mask | 1 << group)
    }

    fn done(&self) -> Option<Done> {
        let work = self.work.filter(|work| work.left == 0 && self.engines.iter().all(Option::is_none))?;
        Some(Done { failed: work.failed, saved: self.saved(work.command.groups()), words: work.words })
    }

    fn accepts_access(&self) -> bool {
        let group = self.inputs.access.and_then(|access| self.table.bound(access.slot));
        group.is_none_or(|group| self.stopped() >> group & 1 == 0 && self.outstanding[group] < MOST_OUTSTANDING)
    }

    /// Hands groups to engines that are free, passing over those for which nothing is to be done.
    fn dispatch(&mut self) {
        for number in 0..self.engines.len() {
            while self.engines[number].is_none() {
                let Some(work) = self.work.as_mut().filter(|work| work.left != 0) else { return };
                let group = work.left.trailing_zeros() as usize;
                work.left &= work.left - 1;
                let Some(row) = self.table.row(group) else { continue };
                match work.command {
                    Command::Save(_) if row.pointer.is_some() => {}
                    _ => self.engines[number] = Some(Engine { group, stage: Stage::Drain }),
                }
            }
        }
    }

    /// What engines do by themselves: see that their group has drained, or that its last word is acknowledged.
    fn advance(&mut self) {
        for number in 0..self.engines.len() {
            let Some(Engine { group, stage }) = self.engines[number].clone() else { continue };
            let words = self.words(group);
            let freeing = matches!(self.work, Some(Work { command: Command::Free(_), .. }));
            let pointer = self.table.row(group).and_then(|row| row.pointer);
            let next = match stage {
                Stage::Drain if self.outstanding[group] > 0 => continue,
                Stage::Drain if freeing => {
                    self.table.clear(group);
                    pointer.filter(|_| words > 0).map(|pointer| Stage::Give { pointer })
                }
                Stage::Drain if words == 0 => {
                    self.table.remap(group, 0);
                    None
                }
                Stage::Drain => Some(Stage::Ask),
                Stage::Copy { pointer, acknowledged, .. } if acknowledged == words => {
                    self.table.remap(group, pointer);
                    if let Some(work) = self.work.as_mut() {
                        work.words += words;
                    }
                    None
                }
                _ => continue,
            };
            self.engines[number] = next.map(|stage| Engine { group, stage });
        }
    }

    /// The transfers of this cycle.
    fn transfer(&mut self, inputs: &Inputs) {
        let (asks, reads, writes, gives) = (self.asks(), self.reads(), self.writes(), self.gives());
        let taken = [inputs.allocate_ready, inputs.read_ready, inputs.write_ready, inputs.free_ready];
        for (port, number) in [asks, reads, writes, gives].into_iter().enumerate() {
            if let Some(number) = number {
                self.first[port] = (number + usize::from(taken[port])) % self.engines.len();
            }
        }
        if let Some(number) = asks.filter(|_| inputs.allocate_ready) {
            self.awaiting.push_back(number);
            self.set(number, Stage::Await);
        }
        if let Some(number) = reads.filter(|_| inputs.read_ready) {
            self.reading.push_back(number);
            if let Some(Engine { stage: Stage::Copy { asked, .. }, .. }) = &mut self.engines[number] {
                *asked += 1;
            }
        }
        if let Some(number) = writes.filter(|_| inputs.write_ready) {
            self.writing.push_back(number);
            if let Some(Engine { stage: Stage::Copy { written, held, .. }, .. }) = &mut self.engines[number] {
                *written += 1;
                held.pop_front();
            }
        }
        if let Some(number) = gives.filter(|_| inputs.free_ready) {
            self.engines[number] = None;
        }
        if let Some(number) = inputs.acknowledge.then(|| self.writing.pop_front()).flatten() {
            if let Some(Engine { stage: Stage::Copy { acknowledged, .. }, .. }) = &mut self.engines[number] {
                *acknowledged += 1;
            }
        }
        if let Some((data, number)) = inputs.data.and_then(|data| Some((data, self.reading.pop_front()?))) {
            if let Some(Engine { stage: Stage::Copy { held, .. }, .. }) = &mut self.engines[number] {
                held.push_back(data);
            }
        }
        if let Some((answer, number)) = inputs.allocated.and_then(|answer| Some((answer, self.awaiting.pop_front()?))) {
            match answer {
                Some(pointer) => {
                    let held = VecDeque::new();
                    self.set(number, Stage::Copy { pointer, asked: 0, written: 0, acknowledged: 0, held });
                }
                None => {
                    self.engines[number] = None;
                    if let Some(work) = self.work.as_mut() {
                        // The thread block runs on anyway: nobody else is tried (CX-05).
                        (work.failed, work.left) = (true, 0);
                    }
                }
            }
        }
    }

    fn set(&mut self, number: usize, to: Stage) {
        if let Some(engine) = &mut self.engines[number] {
            engine.stage = to;
        }
    }
}

impl ContextPorts for Sequencer {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        self.inputs = *inputs;
        let read = |(group, stage): (usize, &Stage)| match stage {
            Stage::Copy { asked, .. } => self.table.row(group).map(|row| row.base.wrapping_add(*asked)),
            _ => None,
        };
        let write = |(_, stage): (usize, &Stage)| match stage {
            Stage::Copy { pointer, written, held, .. } => {
                held.front().map(|data| (pointer.wrapping_add(*written), *data))
            }
            _ => None,
        };
        let give = |(group, stage): (usize, &Stage)| match stage {
            Stage::Give { pointer } => Some((group, *pointer)),
            _ => None,
        };
        Outputs {
            bind_ready: true,
            bind_error: self.bind_error,
            access_ready: self.accepts_access(),
            location: self.located.and_then(Result::ok),
            access_error: self.located.and_then(Result::err),
            stopped: self.stopped(),
            request_ready: self.work.is_none(),
            done: self.done(),
            allocate: self.asks().and_then(|number| self.stage(number)).map(|(group, _)| (group, self.words(group))),
            allocated_ready: true,
            free: self.gives().and_then(|number| self.stage(number)).and_then(give),
            read: self.reads().and_then(|number| self.stage(number)).and_then(read),
            data_ready: true,
            write: self.writes().and_then(|number| self.stage(number)).and_then(write),
            row: self.table.row(inputs.row).map(|Row { pointer, limit, .. }| ShownRow { pointer, limit }),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let accepted = inputs.access.filter(|_| self.accepts_access());
        self.located = accepted.map(|access| self.table.locate(&access));
        if let Some(Ok(location)) = self.located {
            self.outstanding[location.group] += 1;
        }
        if let Some(group) = inputs.complete {
            self.outstanding[group] -= 1;
        }
        let done = self.done().is_some();
        self.transfer(&inputs);
        self.advance();
        if done {
            self.work = None;
        } else if let Some(command) = inputs.request.filter(|_| self.work.is_none()) {
            self.work = Some(Work { command, left: command.groups(), failed: false, words: 0 });
        }
        self.dispatch();
        self.bind_error = inputs.bind.is_some_and(|bind| !self.table.bind(&bind));
        if let Some(slot) = inputs.release {
            self.table.release(slot);
        }
    }
}
