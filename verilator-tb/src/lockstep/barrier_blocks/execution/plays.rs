//! Plays: what chance alone seldom has happen, a step at a time.

use super::mood::{Dice, Hunger};
use super::{Ending, ExecutionJudge, Step};
use heddle_hdl::barrier::operation::BarrierOperation as Operation;

/// Cycles from a start until the next thread of its section is known, nearly always.
const SEARCH: u64 = 4;

/// Cycles after which a CTA runs on in which nothing can be passed over.
const STUCK: u64 = 64;

/// Cycles in which no wake-up is taken while barriers end together.
const STALL: u64 = 12;

/// Cycles in which a barrier that was reset is back in a slot, if its threads can come together at all.
const RENEWAL: u64 = 64;

/// How far the one that starves has come with being passed over once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// It is held, or nobody of it waits.
    #[default]
    Any,
    /// It runs on from this cycle on, in which the other starts a thread.
    Passed,
    /// It has to be held again, before the port is free.
    Held,
    /// It is reset while it is passed over, and comes to a slot again, held before it starts anybody: it has not been passed over yet.
    Reset,
    /// That was done; the other starts nobody until it is there again.
    Renewed,
    /// This one was reset; another, which waits, comes into its slot, and is held before it starts anybody.
    Succeeded(usize),
}

impl ExecutionJudge {
    /// A step of the play in which one barrier is passed over whenever it could start a thread: in the meantime its CTA is held.
    pub(super) fn starve(&mut self, hunger: Hunger, dice: &mut Dice) -> Option<Step> {
        let Hunger { rich, poor, heir, renews, .. } = hunger;
        let placed = |key: usize| self.slots.contains(&Some(key));
        let (poor, other) = match heir {
            Some(heir) if placed(heir) && !placed(poor) => (heir, Some(poor)),
            _ => (poor, heir),
        };
        let cta = poor / self.ids;
        self.since += 1;
        if self.still(cta) {
            return None;
        }
        match std::mem::take(&mut self.turn) {
            Turn::Passed => {
                self.turn = Turn::Held;
                return self.bottom(rich);
            }
            Turn::Held => return self.hold(cta),
            Turn::Reset => {
                let waits = other.is_some_and(|key| self.queue.contains(&key));
                self.turn = if waits { Turn::Succeeded(poor) } else { Turn::Renewed };
                self.since = 0;
                return self.reset(poor);
            }
            Turn::Succeeded(gone) if self.barriers[gone].dynamic && self.since < RENEWAL => {
                self.turn = Turn::Succeeded(gone);
                return None;
            }
            Turn::Succeeded(_) => {
                // The slot is empty in this cycle only, in which the other starts its next thread. Once: who comes has to be passed over long enough.
                self.mood.starves.iter_mut().for_each(|hunger| hunger.renews = 0);
                self.turn = Turn::Held;
                return self.bottom(rich);
            }
            Turn::Renewed if self.barriers[poor].dynamic && !self.barriers[poor].closed => return self.hold(cta),
            Turn::Renewed if self.since < RENEWAL => {
                self.turn = Turn::Renewed;
                return Some(self.arrive(poor, dice.below(self.blocks), dice));
            }
            Turn::Renewed | Turn::Any => {}
        }
        let one = dice.below(2);
        let comes = other.filter(|key| !self.barriers[*key].dynamic && self.since < RENEWAL);
        if let Some(step) = other.and_then(|key| self.bottom(key)) {
            return Some(step);
        }
        if self.is_held(cta) {
            if let Some(step) = self.bottom(poor) {
                return Some(step);
            }
            let passes = self.bottom(rich).is_some() && self.pending(rich) && self.pending(poor);
            if passes && self.since > SEARCH + one as u64 {
                let free = other.is_none_or(|key| self.queue.contains(&key));
                self.turn = if free && dice.one_in(renews) { Turn::Reset } else { Turn::Passed };
                return self.saving.wish(true).map(|wish| self.saves(wish));
            }
            if self.since > STUCK {
                return self.saving.wish(true).map(|wish| self.saves(wish));
            }
        } else if self.bottom(poor).is_some() {
            // Who is to succeed it cannot complete any more once their CTA is held.
            return match comes {
                Some(key) => Some(self.arrive(key, dice.below(self.blocks), dice)),
                None => self.hold(cta),
            };
        } else if !self.pending(poor) || dice.one_in(16) {
            if let Some(step) = self.bottom(rich) {
                return Some(step);
            }
        }
        let key = other.filter(|_| dice.one_in(4)).unwrap_or([rich, poor][one]);
        Some(self.arrive(key, dice.below(self.blocks), dice))
    }

    /// Holds a CTA.
    fn hold(&mut self, cta: usize) -> Option<Step> {
        self.since = 0;
        self.saving.begin(cta, 0xffff);
        self.saving.wish(false).map(|wish| self.saves(wish))
    }

    /// A step of the play in which barriers gather sleepers until no other is in slots or queue, and then end one behind the other:
    /// several enter the queue together, and starts and releases meet at the wake port.
    pub(super) fn salvo(&mut self, dice: &mut Dice) -> Option<Step> {
        let full = |key: &usize| self.can_end(*key) && self.pending(*key);
        let ready: Vec<usize> = self.mood.keys.iter().copied().filter(full).collect();
        let quiet = self.barriers.iter().all(|barrier| !barrier.dynamic);
        let enough = quiet && (ready.len() >= self.mood.salvo || dice.one_in(64));
        let begins = !self.fires;
        self.fires = self.mood.salvo > 0 && !ready.is_empty() && (self.fires || enough);
        if !self.fires || dice.one_in(8) {
            return None;
        }
        let stalls = begins && dice.one_in(2);
        if stalls {
            // The sleepers of the first one keep the wake port, and the next threads of several sections are known when it is free again.
            self.stalled = self.cycle + STALL;
        }
        let key = dice.pick(&ready)?;
        let ending = if stalls || dice.one_in(8) { Ending::Release } else { Ending::Dynamic };
        Some(Step { request: false, ending, ..self.look(Operation::Attend, key, dice) })
    }
}
