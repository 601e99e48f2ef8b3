//! What any context sequencer owes, judged cycle by cycle from what happens at its ports (CX-01 to CX-07, CX-11).
//!
//! It has no engines and no stages; it keeps a ledger for each group. Then:
//! 1. an access goes to base or pointer + word x threads + thread, in the cycle after it was taken; one outside the group's
//!    words, or from a slot without group, is an error that names it (CX-04);
//! 2. from the cycle after a command was taken until it is done, no access of its groups is taken, or, of a group that is
//!    being freed, finds a group (CX-11);
//! 3. a word is read only of a group that is being saved, is not re-mapped yet, has memory, and has drained; word by word,
//!    each once; and written with just that data to just its place (CX-02, CX-07, CX-11);
//! 4. memory is asked for once for each such group; by a single engine in order from the lowest, and not after a failure
//!    (CX-02, CX-05, CX-06);
//! 5. when a Save is done, every group of it is re-mapped and all its words are acknowledged, unless an allocation failed; those that
//!    are re-mapped stay so (CX-02, CX-05);
//! 6. when a Free is done, each group's block was given back once, after its accesses drained (CX-05, CX-07);
//! 7. what is offered and not taken is offered again (the convention of all blocks);
//! 8. a row that is shown has its pointer exactly from some cycle on between the last acknowledgement of its group's words and the end of the
//!    Save, and is gone with the end of the Free at the latest (CX-01, CX-11).
//!
//! **Source** US 2014/0165072.

use super::pointer_table::{AccessError, Bind, Location};
use super::ports::{Command, Done, Inputs, Outputs, Shape};

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: {rule} broken: {detail}")]
pub struct Breach {
    /// The cycle.
    pub cycle: u64,
    /// The requirement.
    pub rule: &'static str,
    /// What was seen and what was owed.
    pub detail: String,
}

/// What is known of a group.
#[derive(Clone, Debug, Default)]
struct Ledger {
    base: u32,
    limit: u16,
    pointer: Option<u32>,
    slot: Option<usize>,
    outstanding: u32,
    /// Memory was asked for, in this command.
    asked: bool,
    /// What was given.
    granted: Option<u32>,
    /// Words read, their data as it came, words written and acknowledged.
    read: u32,
    data: Vec<u32>,
    written: u32,
    acknowledged: u32,
    given_back: bool,
}

/// The observer of one context sequencer.
pub struct ContextContract {
    shape: Shape,
    cycle: u64,
    groups: Vec<Option<Ledger>>,
    command: Option<Command>,
    failed: bool,
    /// Groups whose answers, words and acknowledgements are to come, in order.
    answers: Vec<usize>,
    reads: Vec<usize>,
    writes: Vec<usize>,
    located: Option<Result<Location, AccessError>>,
    bind_error: bool,
    before: Option<(Inputs, Outputs)>,
    /// Words copied altogether.
    pub copied: u64,
}

type Broken = (&'static str, String);

impl ContextContract {
    /// An observer of a sequencer after reset.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            cycle: 0,
            groups: vec![None; shape.groups],
            command: None,
            failed: false,
            answers: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            located: None,
            bind_error: false,
            before: None,
            copied: 0,
        }
    }

    /// Judges one cycle: what was put in, and what the settled outputs were.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Breach> {
        let cycle = self.cycle;
        self.cycle += 1;
        self.judge(inputs, outputs).map_err(|(rule, detail)| Breach { cycle, rule, detail })
    }

    fn judge(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Broken> {
        self.hold_still(outputs)?;
        self.answers_to_last_cycle(outputs)?;
        self.shows(inputs, outputs)?;
        self.stops(inputs, outputs)?;
        self.transfers(inputs, outputs)?;
        if let Some(done) = outputs.done {
            self.done(done)?;
        }
        self.takes(inputs, outputs);
        self.before = Some((*inputs, *outputs));
        Ok(())
    }

    fn words(&self, ledger: &Ledger) -> u32 {
        u32::from(ledger.limit) << self.shape.thread_bits
    }

    fn ledger(&mut self, group: usize, what: &str) -> Result<&mut Ledger, Broken> {
        self.groups[group].as_mut().ok_or(("CX-01", format!("{what} group {group}, which has no row")))
    }

    fn hold_still(&self, now: &Outputs) -> Result<(), Broken> {
        let Some((inputs, before)) = &self.before else { return Ok(()) };
        let moved = [
            ("allocate", !inputs.allocate_ready && before.allocate.is_some() && before.allocate != now.allocate),
            ("free", !inputs.free_ready && before.free.is_some() && before.free != now.free),
            ("read", !inputs.read_ready && before.read.is_some() && before.read != now.read),
            ("write", !inputs.write_ready && before.write.is_some() && before.write != now.write),
        ];
        match moved.into_iter().find(|(_, moved)| *moved) {
            Some((port, _)) => Err(("CX-06", format!("{port} was not taken and has changed"))),
            None => Ok(()),
        }
    }

    fn answers_to_last_cycle(&mut self, outputs: &Outputs) -> Result<(), Broken> {
        let owed = self.located.take();
        let seen = match (outputs.location, outputs.access_error) {
            (None, None) => None,
            (Some(location), None) => Some(Ok(location)),
            (None, Some(error)) => Some(Err(error)),
            (Some(_), Some(_)) => return Err(("CX-04", "a location and an error".into())),
        };
        if seen != owed {
            return Err(("CX-04", format!("an access goes to {seen:?}, owed {owed:?}")));
        }
        if outputs.bind_error != std::mem::take(&mut self.bind_error) {
            return Err(("CX-01", format!("bind_error is {}", outputs.bind_error)));
        }
        Ok(())
    }

    fn shows(&self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Broken> {
        let Some(ledger) = &self.groups[inputs.row] else {
            return match outputs.row {
                Some(row) => Err(("CX-01", format!("group {} has no row, and shows {row:?}", inputs.row))),
                None => Ok(()),
            };
        };
        let Some(row) = outputs.row else {
            let freeing = matches!(self.command, Some(Command::Free(groups)) if groups >> inputs.row & 1 == 1);
            return if freeing { Ok(()) } else { Err(("CX-01", format!("the row of group {} is gone", inputs.row))) };
        };
        let whole = self.words(ledger);
        let copied = self.saving(inputs.row)
            && (whole == 0 || ledger.granted.is_some() && ledger.acknowledged == whole)
            && row.pointer == ledger.granted.or(Some(0));
        if row.limit != ledger.limit || !(row.pointer == ledger.pointer || ledger.pointer.is_none() && copied) {
            return Err(("CX-11", format!("group {} shows {row:?}: {ledger:?}", inputs.row)));
        }
        Ok(())
    }

    fn stops(&self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Broken> {
        let owed = self.command.map_or(0, Command::groups);
        if outputs.stopped != owed {
            return Err(("CX-11", format!("{:#x} are stopped, owed {owed:#x}", outputs.stopped)));
        }
        let group = inputs.access.filter(|_| outputs.access_ready).and_then(|access| self.bound(access.slot));
        if let Some(group) = group.filter(|group| self.saving(*group)) {
            return Err(("CX-11", format!("an access of group {group} is taken while it is stopped")));
        }
        if outputs.request_ready != self.command.is_none() && outputs.request_ready {
            return Err(("CX-06", "a command is taken before the last one is done".into()));
        }
        Ok(())
    }

    fn bound(&self, slot: usize) -> Option<usize> {
        self.groups.iter().position(|ledger| ledger.as_ref().is_some_and(|ledger| ledger.slot == Some(slot)))
    }

    fn transfers(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Broken> {
        if inputs.acknowledge && !self.writes.is_empty() {
            let group = self.writes.remove(0);
            self.ledger(group, "acknowledges")?.acknowledged += 1;
        }
        if let Some(data) = inputs.data.filter(|_| outputs.data_ready && !self.reads.is_empty()) {
            let group = self.reads.remove(0);
            self.ledger(group, "reads")?.data.push(data);
        }
        if let Some(answer) = inputs.allocated.filter(|_| outputs.allocated_ready && !self.answers.is_empty()) {
            let group = self.answers.remove(0);
            self.failed |= answer.is_none();
            self.ledger(group, "allocates for")?.granted = answer;
        }
        if let Some((group, words)) = outputs.allocate.filter(|_| inputs.allocate_ready) {
            self.allocates(group, words)?;
        }
        if let Some((group, pointer)) = outputs.free.filter(|_| inputs.free_ready) {
            self.gives_back(group, pointer)?;
        }
        if let Some(address) = outputs.read.filter(|_| inputs.read_ready) {
            self.reads_word(address)?;
        }
        if let Some((address, data)) = outputs.write.filter(|_| inputs.write_ready) {
            self.writes_word(address, data)?;
        }
        Ok(())
    }

    fn saving(&self, group: usize) -> bool {
        matches!(self.command, Some(Command::Save(groups)) if groups >> group & 1 == 1)
    }

    fn allocates(&mut self, group: usize, words: u32) -> Result<(), Broken> {
        // Several engines ask as their groups drain, and one may be asking when another hears of a failure.
        let alone = self.shape.engines == 1;
        let (saving, failed) = (self.saving(group), self.failed && alone);
        let later = (group + 1..self.shape.groups)
            .find(|later| self.groups[*later].as_ref().is_some_and(|ledger| ledger.asked));
        let thread_bits = self.shape.thread_bits;
        let ledger = self.ledger(group, "memory is asked for")?;
        let owed = u32::from(ledger.limit) << thread_bits;
        if !saving || ledger.pointer.is_some() || ledger.asked || words != owed {
            return Err(("CX-02", format!("{words} words are asked for group {group}: {ledger:?}")));
        }
        ledger.asked = true;
        if failed {
            return Err(("CX-05", format!("memory for group {group} is asked for after a failure")));
        }
        if let Some(later) = later.filter(|_| alone) {
            return Err(("CX-06", format!("group {group} comes after group {later}")));
        }
        self.answers.push(group);
        Ok(())
    }

    fn gives_back(&mut self, group: usize, pointer: u32) -> Result<(), Broken> {
        let freeing = matches!(self.command, Some(Command::Free(groups)) if groups >> group & 1 == 1);
        let ledger = self.ledger(group, "memory is given back of")?;
        if !freeing || ledger.pointer != Some(pointer) || ledger.given_back {
            return Err(("CX-07", format!("{pointer:#x} of group {group} is given back: {ledger:?}")));
        }
        ledger.given_back = true;
        if ledger.outstanding > 0 {
            return Err(("CX-05", format!("group {group} has {} accesses outstanding", ledger.outstanding)));
        }
        Ok(())
    }

    /// A group that is being copied and whose next word the address is.
    fn copying(&self, next: impl Fn(&Ledger) -> Option<u32>, address: u32) -> Option<usize> {
        (0..self.shape.groups)
            .find(|group| self.saving(*group) && self.groups[*group].as_ref().and_then(&next) == Some(address))
    }

    fn reads_word(&mut self, address: u32) -> Result<(), Broken> {
        let thread_bits = self.shape.thread_bits;
        let next = |ledger: &Ledger| {
            let left = ledger.pointer.is_none()
                && ledger.granted.is_some()
                && ledger.read < u32::from(ledger.limit) << thread_bits;
            left.then(|| ledger.base.wrapping_add(ledger.read))
        };
        let Some(group) = self.copying(next, address) else {
            return Err(("CX-02", format!("the local word {address:#x} is read, and no group owes it")));
        };
        self.reads.push(group);
        let ledger = self.ledger(group, "reads")?;
        ledger.read += 1;
        if ledger.outstanding > 0 {
            return Err(("CX-11", format!("group {group} has {} accesses outstanding", ledger.outstanding)));
        }
        Ok(())
    }

    fn writes_word(&mut self, address: u32, data: u32) -> Result<(), Broken> {
        let next = |ledger: &Ledger| {
            let came = (ledger.written as usize) < ledger.data.len();
            ledger
                .granted
                .filter(|_| came && ledger.pointer.is_none())
                .map(|pointer| pointer.wrapping_add(ledger.written))
        };
        let Some(group) = self.copying(next, address) else {
            return Err(("CX-02", format!("the global word {address:#x} is written, and no group owes it")));
        };
        self.writes.push(group);
        self.copied += 1;
        let ledger = self.ledger(group, "writes")?;
        let owed = ledger.data[ledger.written as usize];
        ledger.written += 1;
        if data != owed {
            return Err(("CX-02", format!("the global word {address:#x} becomes {data:#x}, owed {owed:#x}")));
        }
        Ok(())
    }

    fn done(&mut self, done: Done) -> Result<(), Broken> {
        let Some(command) = self.command.take() else {
            return Err(("CX-06", "done without a command".into()));
        };
        let failed = std::mem::take(&mut self.failed);
        let (mut saved, mut words) = (0, 0);
        for group in (0..self.shape.groups).filter(|group| command.groups() >> group & 1 == 1) {
            let Some(mut ledger) = self.groups[group].take() else { continue };
            let whole = self.words(&ledger);
            match command {
                Command::Free(_) => {
                    let owed = ledger.pointer.is_some() && whole > 0;
                    if ledger.given_back != owed || ledger.outstanding > 0 {
                        return Err(("CX-07", format!("group {group} is freed: {ledger:?}")));
                    }
                    continue;
                }
                Command::Save(_) if ledger.pointer.is_some() => {}
                Command::Save(_) if ledger.granted.is_some() || whole == 0 => {
                    if ledger.acknowledged != whole || ledger.outstanding > 0 {
                        let acknowledged = ledger.acknowledged;
                        let detail = format!("group {group}: {acknowledged} of {whole} words are acknowledged");
                        return Err(("CX-11", detail));
                    }
                    ledger.pointer =
                        ledger.granted.or(Some(0)).filter(|_| whole > 0 || !failed || done.saved >> group & 1 == 1);
                    words += whole;
                }
                Command::Save(_) if failed => {}
                Command::Save(_) => return Err(("CX-02", format!("group {group} is not saved: {ledger:?}"))),
            }
            saved |= u64::from(ledger.pointer.is_some()) << group;
            let Ledger { base, limit, pointer, slot, outstanding, .. } = ledger;
            self.groups[group] = Some(Ledger { base, limit, pointer, slot, outstanding, ..Ledger::default() });
        }
        let owed = Done { failed, saved, words };
        if done != owed {
            return Err(("CX-05", format!("{command:?} ends with {done:?}, owed {owed:?}")));
        }
        Ok(())
    }

    /// What is taken in this cycle and counts from the next.
    fn takes(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if let Some(access) = inputs.access.filter(|_| outputs.access_ready) {
            // A row that is being freed may be gone already, or else the access is refused.
            let freeing =
                |group: &usize| matches!(self.command, Some(Command::Free(groups)) if groups >> group & 1 == 1);
            let group = self.bound(access.slot).filter(|group| !freeing(group));
            let error = AccessError { group, slot: access.slot, thread: access.thread, word: access.word };
            let threads = 1 << self.shape.thread_bits;
            let ledger = group.and_then(|group| self.groups[group].as_mut());
            self.located = Some(match (group, ledger) {
                (Some(group), Some(ledger)) if access.word < ledger.limit && access.thread < threads => {
                    ledger.outstanding += 1;
                    let offset = u32::from(access.word) * threads + access.thread;
                    let address = ledger.pointer.unwrap_or(ledger.base) + offset;
                    Ok(Location { group, global: ledger.pointer.is_some(), address })
                }
                _ => Err(error),
            });
        }
        if let Some(ledger) = inputs.complete.and_then(|group| self.groups[group].as_mut()) {
            ledger.outstanding = ledger.outstanding.saturating_sub(1);
        }
        if let Some(command) = inputs.request.filter(|_| outputs.request_ready) {
            self.command = Some(command);
        }
        if let Some(bind) = inputs.bind.filter(|_| outputs.bind_ready) {
            self.bind_error = !self.binds(&bind);
        }
        if let Some(group) = inputs.release.and_then(|slot| self.bound(slot)) {
            if let Some(ledger) = &mut self.groups[group] {
                ledger.slot = None;
            }
        }
    }

    fn binds(&mut self, bind: &Bind) -> bool {
        if self.bound(bind.slot).is_some() {
            return false;
        }
        let row = &mut self.groups[bind.group];
        match (bind.fresh, row.as_mut()) {
            (Some((base, limit)), None) => {
                *row = Some(Ledger { base, limit, slot: Some(bind.slot), ..Ledger::default() });
                true
            }
            (None, Some(ledger)) if ledger.pointer.is_some() && ledger.slot.is_none() => {
                ledger.slot = Some(bind.slot);
                true
            }
            _ => false,
        }
    }
}
