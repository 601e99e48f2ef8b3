//! Strobes and wake-ups.

use super::ledger::{Role, Sleep, Use, Where};
use super::{owed, Broken, Contract};
use crate::barrier::{Event, Key, LateMode, Wake};

/// Names of what is met, by late mode 2 to 5.
const INVALIDATIONS: [&str; 4] = [
    "invalidated by mode pass",
    "invalidated by mode pass_at_end",
    "invalidated by mode pass_if_short",
    "invalidated by mode pass_at_end_if_short",
];

impl Contract {
    pub(super) fn event(&mut self, event: &Event, all: &[Event]) -> Result<(), Broken> {
        match *event {
            Event::Dynamic(key) => self.dynamic(key),
            Event::Handed(key, slot) => self.handed(key, slot),
            Event::Idle(key) => self.idle(key, all),
            Event::Timeout(key) => self.timeout(key),
            Event::Released(key, phase) => {
                self.walked[key.cta] = Some(self.flow);
                self.released(key, phase)
            }
            Event::Launched(_) => Ok(()),
        }
    }

    fn queue_of(&self, key: Key) -> usize {
        let class = self.ctas[key.cta].keys[key.barrier].configuration.class;
        usize::from(self.statics.reserved_slots > 0 && class == 3)
    }

    /// Membership is complete or the timeout fired, nothing of the last phase is under way (BR-12, BR-14).
    fn may_complete(&mut self, key: Key) -> Result<(), Broken> {
        owed!(!self.holds(key.cta), "CX-10", "barrier {key} completes, its CTA is held to leave");
        let held = self.ctas[key.cta].undelivered(key.barrier);
        let ledger = self.ledger(key);
        owed!(ledger.used == Use::Static, "BR-14", "barrier {key} completes, but it is {:?}", ledger.used);
        let why = ledger.complete_since.is_some() || ledger.timeout_fired;
        owed!(why, "BR-12", "barrier {key} completes, membership does not");
        owed!(!held, "BR-45", "barrier {key} completes before the wake-ups of its last release");
        let condition = ledger.configuration.condition;
        let fewer = ledger.count() < usize::from(ledger.configuration.reference);
        let minimum = ledger.count() >= usize::from(ledger.configuration.minimum);
        let name = match (ledger.split, ledger.timeout_fired, condition) {
            (true, ..) => "split phase",
            (_, true, 4) => "completed by timeout under condition 4",
            (_, true, _) => "completed by timeout under condition 5",
            (_, _, 1) => "completed by condition 1",
            (_, _, 5) if fewer && minimum => "completed by the minimum of condition 5",
            _ if fewer => "completed since all that live sleep",
            (_, _, 2) => "completed by condition 2",
            (_, _, 3) => "completed by condition 3",
            (_, _, 4) => "completed by condition 4",
            _ => "completed by condition 5",
        };
        let late = ledger.configuration.late as usize;
        let plain = !ledger.critical();
        self.count(name);
        if condition >= 4 && fewer && plain && (2..=5).contains(&late) {
            self.count(INVALIDATIONS[late - 2]);
        }
        let now = self.cycle;
        if self.completed.is_some_and(|(before, when)| before != key && now - when <= 1) {
            self.count("two barriers complete in adjacent cycles");
        }
        self.completed = Some((key, now));
        self.progress = true;
        Ok(())
    }

    fn dynamic(&mut self, key: Key) -> Result<(), Broken> {
        if self.entering == Some(key) {
            return self.enters_again(key, self.queue_of(key));
        }
        self.may_complete(key)?;
        let members = self.ctas[key.cta].sleepers(key.barrier);
        let queue = self.queue_of(key);
        let queued = self.queues.iter().any(|queue| queue.contains(&key)) || self.slots.contains(&Some(key));
        let ledger = self.ledger(key);
        owed!(!queued, "BR-41", "barrier {key} is in the FIFO or in a slot already");
        owed!(members > 0, "BR-13", "barrier {key} has no participants");
        owed!(ledger.critical() || ledger.exclusive(), "BR-45", "plain barrier {key} enters the FIFO");
        owed!(!ledger.split, "BR-50", "split barrier {key} enters the FIFO");
        ledger.used = Use::Dynamic;
        ledger.complete_since = None;
        ledger.clock_earliest = None;
        ledger.clock_latest = None;
        ledger.owed_runs = members as i64;
        let short = ledger.count() < usize::from(ledger.configuration.reference);
        let passes = matches!(ledger.configuration.late, LateMode::Pass | LateMode::PassIfDifferent);
        if short && passes && ledger.configuration.condition >= 4 && !ledger.critical() {
            ledger.short_tag = ledger.tag;
        }
        self.queues[queue].push_back(key);
        Ok(())
    }

    /// Exclusive, and not ended by a reset.
    pub(super) fn excludes(&self, key: Key) -> bool {
        let ledger = &self.ctas[key.cta].keys[key.barrier];
        ledger.exclusive() && !ledger.reset
    }

    pub(super) fn conflict(&self, one: Key, other: Key) -> bool {
        let class = |key: Key| self.ctas[key.cta].keys[key.barrier].configuration.class;
        self.statics.class_conflicts >> (4 * class(one) + class(other)) & 1 != 0
    }

    fn handed(&mut self, key: Key, slot: usize) -> Result<(), Broken> {
        self.progress = true;
        let queue = self.queue_of(key);
        let head = self.queues[queue].pop_front();
        owed!(head == Some(key), "BR-37", "barrier {key} leaves the FIFO, its head is {head:?}");
        owed!(self.slots[slot].is_none(), "BR-35", "slot {slot} is occupied");
        let reserved = slot < self.statics.reserved_slots;
        owed!(!reserved || queue == 1, "BR-37", "slot {slot} is reserved for class 3");
        let mut beside_others = false;
        for other in self.slots.iter().flatten().copied().filter(|other| self.conflict(key, *other)) {
            if self.ctas[key.cta].keys[key.barrier].reset {
                continue;
            }
            owed!(!self.excludes(other), "BR-37", "{key} is handed out beside exclusive {other}");
            let beside = if self.statics.exclusive_inside { self.occupied(other) } else { true };
            owed!(!(self.excludes(key) && beside), "BR-37", "exclusive {key} is handed out beside {other}");
            beside_others |= self.excludes(key);
        }
        if self.excludes(key) {
            self.count("exclusive handed out");
        }
        if beside_others {
            self.count("exclusive handed out beside sections with nobody inside");
        }
        if reserved {
            self.count("reserved slot handed out");
        }
        self.slots[slot] = Some(key);
        Ok(())
    }

    fn idle(&mut self, key: Key, all: &[Event]) -> Result<(), Broken> {
        owed!(!self.holds(key.cta), "CX-10", "barrier {key} turns idle, its CTA is held to leave");
        self.progress = true;
        let Some(slot) = self.slots.iter().position(|slot| *slot == Some(key)) else {
            return Err(("BR-41", format!("barrier {key} is in no slot")));
        };
        self.slots[slot] = None;
        let cta = &self.ctas[key.cta];
        let ledger = &cta.keys[key.barrier];
        owed!(ledger.used == Use::Dynamic, "BR-41", "barrier {key} is {:?}", ledger.used);
        if ledger.critical() && !ledger.reset {
            let inside = cta.inside(key.barrier);
            owed!(inside.is_none(), "BR-33", "thread {inside:?} is inside {key}");
            let lost = cta.sleeping(key.barrier).find(|(_, sleep)| matches!(sleep.role, Role::Member | Role::Late));
            owed!(lost.is_none(), "BR-33", "barrier {key} turns idle, a thread has not run: {lost:?}");
            owed!(ledger.owed_runs == 0, "BR-41", "{} runs of {key} are missing", ledger.owed_runs);
        }
        let released = all.iter().any(|event| matches!(event, Event::Released(other, _) if *other == key));
        owed!(released, "BR-45", "the phase of {key} ends without its strobe");
        self.ledger(key).ending = true;
        Ok(())
    }

    fn timeout(&mut self, key: Key) -> Result<(), Broken> {
        owed!(!self.held_for_long(key.cta), "CX-10", "the timeout of {key} passes, its CTA is held to leave");
        let now = self.cycle;
        let name = [
            "timeout from first participating",
            "timeout from first of any",
            "timeout from latest participating",
            "timeout from latest of any",
        ];
        let ledger = self.ledger(key);
        let configuration = ledger.configuration;
        owed!(configuration.condition >= 4, "BR-12", "barrier {key} is not impatient");
        let Some(start) = ledger.clock_earliest.take() else {
            return Err(("BR-13", format!("the clock of barrier {key} does not run")));
        };
        let waited = now - start;
        owed!(
            waited >= u64::from(configuration.timeout),
            "BR-13",
            "after {waited} of {} cycles",
            configuration.timeout
        );
        ledger.clock_latest = None;
        match ledger.used {
            Use::Static => {
                ledger.timeout_fired = true;
                ledger.complete_since = Some(now);
                self.count(name[configuration.event as usize]);
            }
            Use::Idle => self.count("timeout of an idle barrier"),
            Use::Dynamic => return Err(("BR-13", format!("barrier {key} is dynamic"))),
        }
        self.progress = true;
        Ok(())
    }

    fn released(&mut self, key: Key, phase: bool) -> Result<(), Broken> {
        if !self.ledger(key).ending {
            self.may_complete(key)?;
            let ledger = self.ledger(key);
            let plain = ledger.split || !ledger.critical() && !ledger.exclusive();
            owed!(plain, "BR-14", "barrier {key} is released from static");
            let (count, reference) = (ledger.count(), usize::from(ledger.configuration.reference));
            if count < reference && ledger.configuration.condition >= 4 {
                self.count("plain impatient barrier ended short");
            }
        }
        self.progress = true;
        let held = self.ctas[key.cta].undelivered(key.barrier);
        owed!(!held, "BR-45", "barrier {key} is released again before its wake-ups");
        let ledger = self.ledger(key);
        owed!(ledger.phase == phase, "BR-45", "phase {phase} of barrier {key} is not open");
        let address = ledger.release_address();
        ledger.phase = !phase;
        ledger.ending = false;
        ledger.turn_idle();
        for thread in 0..self.size.threads() {
            if let Where::Asleep(sleep) = &mut self.ctas[key.cta].threads[thread] {
                if sleep.barrier == key.barrier {
                    sleep.released = Some(address);
                }
            }
        }
        Ok(())
    }

    /// The wake-up port: held still until taken, then gone or another.
    pub(super) fn wake_port(&mut self, wake_ready: bool, wake: Option<Wake>) -> Result<(), Broken> {
        if let (Some(before), false) = (self.shown, wake_ready) {
            owed!(wake == Some(before), "BR-43", "{before:?} was not taken, now {wake:?} is shown");
            self.count("wake-up waits to be taken");
            return Ok(());
        }
        self.shown = wake;
        self.progress |= wake.is_some();
        wake.map_or(Ok(()), |wake| self.wake(&wake).map_err(|(rule, detail)| (rule, format!("{detail}; {wake:?}"))))
    }

    fn wake(&mut self, wake: &Wake) -> Result<(), Broken> {
        self.walked[wake.cta] = Some(self.flow);
        let mut barrier = None;
        for thread in self.threads(wake.block, wake.mask) {
            let place = self.ctas[wake.cta].threads[thread];
            let Where::Asleep(sleep) = place else {
                return Err(("BR-41", format!("thread {thread} is woken, but it is {place:?}")));
            };
            let one = *barrier.get_or_insert(sleep.barrier) == sleep.barrier;
            owed!(one, "BR-45", "threads of two barriers are woken together");
            let key = Key { cta: wake.cta, barrier: sleep.barrier };
            if wake.inside {
                self.start(key, thread, &sleep, wake)?;
            } else {
                owed!(sleep.released.is_some(), "BR-30", "thread {thread} is woken before the phase of {key} ended");
                owed!(sleep.released == Some(wake.address), "BR-25", "thread {thread} goes on at {:?}", sleep.released);
                self.ctas[wake.cta].threads[thread] = Where::Running;
            }
            self.ledger(key).asleep -= 1;
        }
        owed!(barrier.is_some(), "BR-41", "nobody is woken");
        self.count(if wake.inside { "wake-up into a section" } else { "wake-up after a release" });
        Ok(())
    }

    /// A thread starts its section.
    fn start(&mut self, key: Key, thread: usize, sleep: &Sleep, wake: &Wake) -> Result<(), Broken> {
        let cta = &self.ctas[key.cta];
        let ledger = &cta.keys[key.barrier];
        owed!(wake.mask.is_power_of_two(), "BR-31", "more than one thread starts");
        owed!(ledger.critical() && self.slots.contains(&Some(key)), "BR-41", "{key} is no section in a slot");
        owed!(!ledger.reset, "BR-25", "{key} was reset");
        owed!(!self.held_for_long(key.cta), "CX-10", "a thread of {key} is woken, its CTA is held to leave");
        let runs = matches!(sleep.role, Role::Member | Role::Late) && sleep.released.is_none();
        owed!(runs, "BR-41", "thread {thread} does not run {key} now: {sleep:?}");
        owed!(
            Some(wake.address) == ledger.tag.map(|tag| (tag + 1) & 0x3f_ffff),
            "BR-06",
            "the section starts at {:?}",
            ledger.tag
        );
        let inside = cta.inside(key.barrier);
        owed!(inside.is_none(), "BR-40", "thread {inside:?} is inside {key} already");
        if ledger.ordered() && sleep.role == Role::Member {
            let mine = cta.logical[thread];
            let earlier = cta
                .sleeping(key.barrier)
                .find(|(other, sleep)| sleep.role == Role::Member && cta.logical[*other] < mine);
            owed!(earlier.is_none(), "BR-31", "{key} is ordered, and {earlier:?} comes before thread {thread}");
        }
        for other in self.slots.iter().flatten().copied().filter(|other| *other != key && self.conflict(key, *other)) {
            let together = self.occupied(other) && (self.excludes(key) || self.excludes(other));
            owed!(!together, "BR-40", "{key} and {other} run together, one is exclusive");
        }
        let behind =
            |(other, sleep): (usize, Sleep)| sleep.role == Role::Done && cta.logical[other] > cta.logical[thread];
        let late = sleep.role == Role::Late;
        let out_of_order = late && ledger.ordered() && cta.sleeping(key.barrier).any(behind);
        self.ctas[key.cta].threads[thread] = Where::Inside(key.barrier);
        if late {
            self.count("rescan found a late thread");
        }
        if out_of_order {
            self.count("late thread runs an ordered section out of order");
        }
        Ok(())
    }
}
